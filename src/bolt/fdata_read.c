/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads files of fdata into a profile.
 *
 * * Most lines repeat records of earlier files, in the form that fdata_write writes. So a line is first looked up by
 * the text before its numbers, and parsed only if that is not found: an entry was parsed before. Lines are looked up in
 * groups, so that the processor waits for memory once per group. */
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/text_bytes.h"
#include "bolt/bolt_kind.h"
#include "bolt/fdata_model.h"

#define GROUP 64u
#define MOST_DIGITS 18 /* digits of numbers that cannot overflow; longer ones go to fdata_line_parse */

/* A line that looks like a record. */
struct candidate {
    const char *text, *end; /* the line, without its line feed */
    size_t n_text;          /* length before the numbers */
    uint64_t count, mispredictions, hash;
};

struct reader {
    struct apf_fdata *f;
    const char *base, *p, *end; /* the file; p: the current line */
    uint64_t line;              /* its number, from 1 */
    uint64_t weight;
    bool no_lbr;
    struct apf_str name;
    struct apf_error *error;
};

/* ---- errors ---- */

static uint32_t saturate_32(uint64_t v)
{
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* `at` is in the current line, which begins at r->p. */
static int report_line(const struct reader *r, const char *at, const char *where, const char *detail)
{
    error_set_column(r->error, APF_BAD_FDATA, where, (uint64_t)(at - r->base), saturate_32(r->line),
                     saturate_32((uint64_t)(at - r->p) + 1), detail);
    return APF_BAD_FDATA;
}

/* Finds the end of the current line. A last line without a line feed is refused: a number that was cut off looks
 * complete. */
static int find_end(const struct reader *r, const char **end)
{
    *end = (const char *)memchr(r->p, '\n', (size_t)(r->end - r->p));
    if (!*end)
        return report_line(r, r->end, "fdata.end", "no line feed at the end: the file may be cut off");
    return *end == r->p || (*end)[-1] != '\r' ? APF_OK
                                              : report_line(r, *end - 1, "fdata.end", TEXT_CARRIAGE_RETURN);
}

static void pass_line(struct reader *r, const char *end)
{
    r->p = end + 1;
    r->line++;
}

/* ---- header ---- */

static bool begins_with(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

/* Parses the names of events, [p, end). */
static int read_events(struct reader *r, const char *p, const char *end)
{
    while (p < end) {
        const char *from = p;
        while (p < end && (unsigned char)*p > ' ' && *p != 0x7f)
            p++;
        if (p < end && *p != ' ')
            return report_line(r, p, "fdata.header.events", "a control character in the name of an event");
        struct apf_str event = {from, (size_t)(p - from)};
        int code = event.n ? fdata_add_event(r->f, event, r->error) : APF_OK;
        if (code != APF_OK)
            return code;
        p += p < end;
    }
    return APF_OK;
}

/* Reports once that files name other events. `before` is the number of events before this file. */
static int report_events(struct reader *r, size_t before, size_t n)
{
    struct apf_fdata *f = r->f;
    if (n == 0)
        return APF_OK;
    if (before == 0) {
        f->events_from.p = arena_text(&f->arena, r->name.p, r->name.n);
        f->events_from.n = r->name.n;
        return f->events_from.p ? APF_OK : error_memory(r->error);
    }
    if (f->events_reported || (f->events.list.n == before && n >= before))
        return APF_OK;
    f->events_reported = true;
    struct apf_error finding;
    int most = f->events_from.n < 4096 ? (int)f->events_from.n : 4096;
    error_set_plain(&finding, APF_FDATA_CONFLICT, "no_lbr",
                    "counts of other events than those of %.*s are added to them", most, f->events_from.p);
    struct apf_diag d = {
        APF_SEVERITY_WARNING, APF_FDATA_CONFLICT, r->f->info.n_inputs - 1, r->name, {NULL, 0}, 0, &finding};
    return error_report_diag(f->options.diag, f->options.user, &d, r->error);
}

static size_t count_words(const char *p, const char *end)
{
    size_t n = 0;
    for (; p < end; p++)
        n += *p != ' ' && p[-1] == ' ';
    return n;
}

/* Parses the line `no_lbr`. */
static int read_no_lbr(struct reader *r, const char *end)
{
    const char *p = r->p + strlen("no_lbr");
    size_t before = r->f->events.list.n;
    if (p < end && *p != ' ')
        return report_line(r, p, "fdata.header.no_lbr", "expected a blank or the end of the line");
    int code = read_events(r, p, end);
    return code == APF_OK ? report_events(r, before, count_words(p, end)) : code;
}

/* Parses both lines of the header, which are optional and may come in either order. */
static int read_header(struct reader *r, uint32_t *flags)
{
    *flags = 0;
    while (r->p < r->end && (*r->p == 'b' || *r->p == 'n')) {
        const char *end;
        bool bolted = begins_with(r->p, r->end, "boltedcollection");
        if (!bolted && !begins_with(r->p, r->end, "no_lbr"))
            break; /* read_line reports the error */
        uint32_t flag = bolted ? APF_FDATA_BOLTED : APF_FDATA_NO_LBR;
        if (*flags & flag)
            return report_line(r, r->p, "fdata.header", "the same line a second time");
        int code = find_end(r, &end);
        if (code == APF_OK && bolted && end != r->p + strlen("boltedcollection"))
            code = report_line(r, r->p + strlen("boltedcollection"), "fdata.header.boltedcollection",
                               "expected the end of the line");
        *flags |= flag;
        if (code == APF_OK && !bolted)
            code = read_no_lbr(r, end);
        if (code != APF_OK)
            return code;
        pass_line(r, end);
    }
    return APF_OK;
}

/* ---- records ---- */

/* Reads a number at the end of [p, *end), and moves *end to the blank before it. */
static ALWAYS_INLINE bool number_back(const char *p, const char **end, uint64_t *out)
{
    const char *at = *end;
    uint64_t v = 0, unit = 1;
    for (unsigned digit; at > p && (digit = (unsigned)(unsigned char)at[-1] - '0') <= 9; at--) {
        v += unit * digit;
        unit *= 10;
    }
    if (at == *end || at == p || at[-1] != ' ' || *end - at > MOST_DIGITS)
        return false;
    *end = at - 1;
    *out = v;
    return true;
}

static ALWAYS_INLINE bool look_at(const struct reader *r, const char *p, struct candidate *c)
{
    const char *end = (const char *)memchr(p, '\n', (size_t)(r->end - p));
    if (!end)
        return false;
    c->text = p;
    c->end = end;
    c->mispredictions = 0;
    if (!number_back(p, &end, &c->count) ||
        (!r->no_lbr && *p < '3' && !number_back(p, &end, &c->mispredictions)))
        return false;
    c->n_text = (size_t)(end - p);
    return true;
}

static uint64_t weighted_count(const struct reader *r, uint64_t v, bool *lost)
{
    uint64_t product;
    if (!MUL_OVERFLOWS(v, r->weight, &product) && product <= APF_FDATA_MOST)
        return product;
    *lost = true;
    return APF_FDATA_MOST;
}

/* Adds a record with weighted counts. A product above the bound marks the entry as saturated. */
static int add_weighted(struct reader *r, struct apf_fdata_record *record)
{
    bool lost = false;
    record->count = weighted_count(r, record->count, &lost);
    record->mispredictions = weighted_count(r, record->mispredictions, &lost);
    int code = fdata_add_record(r->f, record, r->error);
    if (code != APF_OK || !lost)
        return code;
    struct fdata_entry *entry =
        fdata_find(r->f, r->f->text.data, r->f->text.n, fdata_hash(r->f, r->f->text.data, r->f->text.n));
    r->f->info.n_saturated += !entry->saturated;
    entry->saturated = 1;
    return APF_OK;
}

/* Parses and adds the current line. */
static int read_line(struct reader *r, const char *end)
{
    struct apf_fdata_record record;
    struct fdata_fault fault;
    if (!fdata_line_parse(&record, r->p, end, r->no_lbr, &fault))
        return report_line(r, fault.p, fault.where, fault.detail);
    int code = add_weighted(r, &record);
    if (code == APF_OK)
        pass_line(r, end);
    return code;
}

/* Collects the lines from r->p on that look like records; computes their hashes and prefetches their entries. */
static size_t gather_candidates(const struct reader *r, struct candidate *group)
{
    const struct hash_index *index = &r->f->index;
    const char *p = r->p;
    size_t n = 0;
    for (; n < GROUP && p < r->end && look_at(r, p, &group[n]); n++) {
        group[n].hash = fdata_hash(r->f, p, group[n].n_text);
        hash_index_fetch(index, group[n].hash);
        p = group[n].end + 1;
    }
    for (size_t i = 0; i < n; i++) {
        size_t pos = hash_index_first(index, group[i].hash);
        uint32_t e = hash_index_next(index, group[i].hash, &pos);
        if (e == HASH_INDEX_NONE)
            continue;
        const struct fdata_entry *entry = fdata_entry_at(r->f, e);
        PREFETCH(entry);
        PREFETCH(fdata_entry_text(entry) + FDATA_UNIT * 4); /* the text may continue in the next cache line */
    }
    return n;
}

static int add_group(struct reader *r, const struct candidate *group, size_t n)
{
    int code = APF_OK;
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        const struct candidate *c = &group[i];
        struct fdata_entry *entry = r->weight == 1 ? fdata_find(r->f, c->text, c->n_text, c->hash) : NULL;
        if (entry) {
            fdata_count(r->f, entry, c->count, c->mispredictions);
            r->f->info.n_lines++;
            pass_line(r, c->end);
        } else {
            code = read_line(r, c->end);
        }
    }
    return code;
}

static int read_records(struct reader *r)
{
    struct candidate group[GROUP];
    int code = APF_OK;
    while (r->p < r->end && code == APF_OK) {
        const char *end;
        if (!hash_index_reserve(&r->f->index, GROUP))
            return hash_index_error(&r->f->index, r->error);
        size_t n = gather_candidates(r, group);
        code = add_group(r, group, n);
        if (n == GROUP || r->p == r->end || code != APF_OK)
            continue;
        code = find_end(r, &end); /* a line that does not look like a record */
        if (code == APF_OK)
            code = read_line(r, end);
    }
    return code;
}

/* ---- files ---- */

static int other_kind(struct reader *r)
{
    switch (bolt_kind_of(r->base, (size_t)(r->end - r->base))) {
    case BOLT_YAML:
        return error_plain(r->error, APF_UNSUPPORTED, "fdata.kind", "a profile in YAML");
    case BOLT_PERF_DATA:
        return error_plain(r->error, APF_UNSUPPORTED, "fdata.kind",
                           "a file of perf: 'bolt convert' or perf2bolt makes fdata of it");
    case BOLT_FDATA:
        break;
    }
    return APF_OK;
}

static int report_empty(struct reader *r)
{
    struct apf_error finding;
    r->f->info.n_empty++;
    error_set_plain(&finding, APF_EMPTY_FDATA, "fdata", "the file is empty and adds nothing");
    struct apf_diag d = {
        APF_SEVERITY_WARNING, APF_EMPTY_FDATA, r->f->info.n_inputs - 1, r->name, {NULL, 0}, 0, &finding};
    return error_report_diag(r->f->options.diag, r->f->options.user, &d, r->error);
}

int fdata_read_bytes(struct apf_fdata *f, const struct apf_input *input, const struct file_bytes *bytes,
                     struct apf_error *error)
{
    const char *p = (const char *)bytes->data;
    struct reader r = {.f = f,
                       .base = p,
                       .p = p,
                       .end = p + bytes->n,
                       .line = 1,
                       .weight = input->weight ? input->weight : 1,
                       .name = file_name(input),
                       .error = error};
    uint32_t flags;
    f->info.n_inputs++;
    if (bytes->n == 0)
        return report_empty(&r);
    int code = other_kind(&r);
    if (code == APF_OK)
        code = read_header(&r, &flags);
    if (code == APF_OK && r.p == r.base && (*p < '0' || *p > '5'))
        code = report_line(&r, p, "fdata.header",
                           "expected a record, which begins with 0 to 5, boltedcollection or no_lbr");
    if (code == APF_OK)
        code = fdata_agree(f, flags, r.name, error);
    if (code != APF_OK)
        return code;
    r.no_lbr = flags & APF_FDATA_NO_LBR;
    f->sorted = false;
    return read_records(&r);
}

int apf_fdata_read(struct apf_fdata *f, const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    struct file_bytes bytes = {0};
    uint64_t max_bytes = options_max_bytes(&f->options);
    int code = fdata_usable(f, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        code = file_read(&bytes, input_at(inputs, i), max_bytes, error);
        if (code == APF_OK)
            code = fdata_read_bytes(f, input_at(inputs, i), &bytes, error);
        file_error(error, code, input_at(inputs, i), i);
    }
    f->failed = code != APF_OK;
    file_bytes_free(&bytes);
    return code;
}
