/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text profiles. The grammar has no end marks: the next line decides whether a record continues. So the reader stands
 * on a line and moves on once it has parsed the line. Errors are at the line on which the reader stands. */
#include "instr/text/text_read.h"

#include <string.h>

#include "base/error.h"
#include "base/file_magic.h"
#include "base/md5.h"
#include "base/pulse.h"
#include "base/text_bytes.h"
#include "instr/model/value_gather.h"
#include "instr/text/text_lines.h"

/* ---- reader ---- */

struct reader {
    struct apf_instr *instr;
    const struct read_options *options;
    const char *base;
    struct lines lines;
    struct apf_error *error;
    VEC(struct apf_trace) traces;
    struct value_gather sites; /* of the present record */
};

static int line_error(const struct reader *r, const struct lines *at, int code, const char *where,
                      const char *detail)
{
    uint32_t number = at->number < UINT32_MAX ? (uint32_t)at->number : UINT32_MAX;
    return error_line(r->error, code, where, (uint64_t)(at->p - r->base), number, detail);
}

/* Reports that the current line is wrong or missing. */
static int bad_line(const struct reader *r, const char *where, const char *detail)
{
    bool ended = r->lines.p == r->lines.end;
    return line_error(r, &r->lines, ended ? APF_TRUNCATED : APF_MALFORMED, where, ended ? NULL : detail);
}

static int add_name(struct reader *r, struct symbols *table, struct apf_str name, const char *where,
                    uint64_t *id, uint32_t *entry)
{
    int code = symbols_add(table, name.p, name.n, true, id, entry, r->error);
    if (code == APF_MALFORMED)
        return line_error(r, &r->lines, code, where, "two names with one id");
    return code;
}

/* ---- header ---- */

static int header_error(const struct reader *r, const char *where)
{
    bool ended = r->lines.p == r->lines.end; /* LLVM has no detail for this error */
    return line_error(r, &r->lines, ended ? APF_TRUNCATED : APF_MALFORMED, where,
                      ended ? "end of File" : NULL);
}

/* Reads names separated by commas. Empty names do not count, and spaces around a name are not part of it. */
static int read_trace_names(struct reader *r, struct apf_trace *trace)
{
    const char *next;
    if (r->lines.p == r->lines.end)
        return header_error(r, "text.header.traces.names");
    struct apf_str line = current_line(&r->lines, &next);
    size_t most = 0;
    for (size_t i = 0; i < line.n; i++)
        most += line.p[i] != ',' && (i == 0 || line.p[i - 1] == ',');
    uint64_t *ids = arena_array(&r->instr->arena, most, sizeof *ids);
    if (!ids)
        return error_memory(r->error);
    trace->ids = ids;
    while (line.n) {
        const char *comma = (const char *)memchr(line.p, ',', line.n);
        struct apf_str name = {line.p, comma ? (size_t)(comma - line.p) : line.n};
        size_t used = name.n + (comma != NULL);
        if (name.n) {
            name = trim(name);
            ids[trace->n++] = md5_name_ref(name.p, name.n);
        }
        line.p += used;
        line.n -= used;
    }
    pass_line(&r->lines, next);
    return APF_OK;
}

static int read_traces(struct reader *r)
{
    struct lines *l = &r->lines;
    uint64_t n;
    if (!read_auto(l, UINT32_MAX, &n))
        return header_error(r, "text.header.traces.count");
    if (!read_auto(l, UINT64_MAX, &r->instr->info.trace_stream_size))
        return header_error(r, "text.header.traces.stream_size");
    for (uint64_t i = 0; i < n; i++) {
        struct apf_trace trace = {0};
        if (!read_auto(l, UINT64_MAX, &trace.weight))
            return header_error(r, "text.header.traces.weight");
        int code = read_trace_names(r, &trace);
        if (code != APF_OK)
            return code;
        if (!VEC_PUSH(&r->traces, trace))
            return error_memory(r->error);
    }
    return APF_OK;
}

static bool same_word(struct apf_str a, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i < a.n && i < n; i++)
        if ((a.p[i] >= 'A' && a.p[i] <= 'Z' ? a.p[i] + ('a' - 'A') : a.p[i]) != word[i])
            return false;
    return a.n == n;
}

static const struct directive {
    const char *word;
    uint64_t set, clear;
    bool front_end;
} directives[] = {
    {"ir", APF_VARIANT_IR, 0, false},
    {"csir", APF_VARIANT_IR | APF_VARIANT_CS, 0, false},
    {"fe", 0, 0, true},
    {"entry_first", APF_VARIANT_ENTRY_FIRST, 0, false},
    {"not_entry_first", 0, APF_VARIANT_ENTRY_FIRST, false},
    {"instrument_loop_entries", APF_VARIANT_LOOP_ENTRIES, 0, false},
    {"single_byte_coverage", APF_VARIANT_BYTE_COVERAGE, 0, false},
    {"temporal_prof_traces", APF_VARIANT_TEMPORAL, 0, false},
    {NULL, 0, 0, false},
};

static const struct directive *find_directive(struct apf_str line)
{
    struct apf_str word = {line.p + 1, line.n - 1};
    const struct directive *d = directives;
    while (d->word && !same_word(word, d->word))
        d++;
    return d->word ? d : NULL;
}

static int read_header(struct reader *r)
{
    struct apf_instr_info *info = &r->instr->info;
    int code = APF_OK;
    while (code == APF_OK && r->lines.p < r->lines.end && *r->lines.p == ':') {
        const char *next;
        const struct directive *d = find_directive(current_line(&r->lines, &next));
        if (!d)
            return line_error(r, &r->lines, APF_BAD_HEADER, "text.header", NULL);
        info->variant = (info->variant & ~d->clear) | d->set;
        info->front_end |= d->front_end;
        pass_line(&r->lines, next);
        if (d->set == APF_VARIANT_TEMPORAL)
            code = read_traces(r);
    }
    if (code != APF_OK || r->traces.n == 0)
        return code;
    struct apf_trace *traces = arena_array(&r->instr->arena, r->traces.n, sizeof *traces);
    if (!traces)
        return error_memory(r->error);
    memcpy(traces, r->traces.data, r->traces.n * sizeof *traces);
    info->traces = traces;
    info->n_traces = r->traces.n;
    return APF_OK;
}

/* ---- values ---- */

static const char external_symbol[] = "** External Symbol **";

/* Sets *id to the id of a call target or vtable; leaves it unchanged if the name is unknown. */
static int read_target(struct reader *r, uint64_t kind, struct apf_str name, uint64_t *id)
{
    struct symbols *table = kind == APF_VALUE_VTABLE ? r->instr->vtables : r->instr->symbols;
    if (name.n == 0)
        return bad_line(r, "text.record.value", "symbol name is empty");
    if (name.n == sizeof external_symbol - 1 && memcmp(name.p, external_symbol, name.n) == 0)
        return APF_OK;
    return add_name(r, table, name, "text.record.value", id, NULL);
}

static int read_value(struct reader *r, uint64_t kind)
{
    const char *next;
    struct apf_str line = current_line(&r->lines, &next);
    size_t colon = line.n; /* the last colon, since names of local functions may have one */
    for (size_t i = line.n; i > 0 && colon == line.n; i--)
        if (line.p[i - 1] == ':')
            colon = i - 1;
    struct apf_value value = {0, 0};
    struct apf_str target = {line.p, colon};
    if (kind == APF_VALUE_MEMOP_SIZE) {
        if (!number_decimal(target.p, target.n, &value.value))
            return bad_line(r, "text.record.value", NULL);
    } else {
        int code = read_target(r, kind, target, &value.value);
        if (code != APF_OK)
            return code;
    }
    if (colon == line.n || !number_decimal(line.p + colon + 1, line.n - colon - 1, &value.count))
        return bad_line(r, "text.record.value.count", NULL);
    if (!VEC_PUSH(&r->sites.values[kind], value))
        return error_memory(r->error);
    pass_line(&r->lines, next);
    return APF_OK;
}

static int read_kind(struct reader *r)
{
    struct lines *l = &r->lines, at = *l;
    uint64_t kind, n_sites, n;
    if (!read_decimal(l, UINT32_MAX, &kind))
        return bad_line(r, "text.record.value_kind", NULL);
    if (kind >= APF_VALUE_KINDS)
        return line_error(r, &at, APF_MALFORMED, "text.record.value_kind", "value kind is invalid");
    if (!read_decimal(l, UINT32_MAX, &n_sites))
        return bad_line(r, "text.record.num_value_sites", NULL);
    for (uint64_t site = 0; site < n_sites; site++) {
        if (!read_decimal(l, UINT32_MAX, &n))
            return bad_line(r, "text.record.num_values", NULL);
        if (!VEC_PUSH(&r->sites.sites[kind], n))
            return error_memory(r->error);
        for (uint64_t i = 0; i < n; i++) {
            int code = read_value(r, kind);
            if (code != APF_OK)
                return code;
        }
    }
    return APF_OK;
}

/* Reads the values of a record, which has some if the line is a number. (So a function named 123 needs values in the
 * record before it.) */
static int read_values(struct reader *r, struct record *out)
{
    struct lines at = r->lines;
    uint64_t n;
    if (!read_decimal(&r->lines, UINT32_MAX, &n))
        return APF_OK;
    if (n == 0 || n > APF_VALUE_KINDS)
        return line_error(r, &at, APF_MALFORMED, "text.record.num_value_kinds",
                          "number of value kinds is invalid");
    value_gather_clear(&r->sites);
    for (uint64_t i = 0; i < n; i++) {
        int code = read_kind(r);
        if (code != APF_OK)
            return code;
    }
    if (!value_gather_fits(&r->sites))
        return line_error(r, &r->lines, APF_TOO_LARGE, "text.record.num_value_sites", "more than 2^32");
    return value_gather_store(&r->sites, r->instr, out) ? APF_OK : error_memory(r->error);
}

/* ---- records ---- */

/* Reads the counters. If fewer lines are left than counters announced, they are read only to find the error. */
static int read_counts(struct reader *r, struct record *out)
{
    struct lines *l = &r->lines, at = *l;
    uint64_t n, count, *counts = NULL;
    if (!read_decimal(l, UINT64_MAX, &n))
        return bad_line(r, "text.record.num_counters", "number of counters is not a valid integer");
    if (n == 0)
        return line_error(r, &at, APF_MALFORMED, "text.record.num_counters", "number of counters is zero");
    bool fits = n <= most_lines(l);
    if (fits && n > UINT32_MAX)
        return line_error(r, &at, APF_TOO_LARGE, "text.record.num_counters", "more than 2^32");
    if (fits && !(counts = arena_array(&r->instr->arena, (size_t)n, sizeof *counts)))
        return error_memory(r->error);
    for (uint64_t i = 0; i < n; i++) {
        if (!read_decimal(l, UINT64_MAX, &count))
            return bad_line(r, "text.record.counter", "count is invalid");
        if (counts)
            counts[i] = count;
    }
    if (counts && counts[0] >= PSEUDO_WARM)
        out->flags |= APF_RECORD_PSEUDO;
    out->counts = counts;
    out->n_counts = (uint32_t)n;
    r->instr->info.n_counters += n;
    return APF_OK;
}

static int read_bitmap(struct reader *r, struct record *out)
{
    struct lines *l = &r->lines, at = *l;
    const char *next;
    uint64_t n, byte;
    uint8_t *bitmap = NULL;
    if (l->p == l->end || *l->p != '$')
        return APF_OK;
    struct apf_str size = current_line(l, &next);
    size.p++;
    size.n--;
    size = trim(size);
    if (!number_auto(size.p, size.n, &n))
        return bad_line(r, "text.record.bitmap.size", "number of bitmap bytes is not a valid integer");
    pass_line(l, next);
    bool fits = n <= most_lines(l);
    if (fits && n > UINT32_MAX)
        return line_error(r, &at, APF_TOO_LARGE, "text.record.bitmap.size", "more than 2^32");
    if (fits && n && !(bitmap = arena_bytes(&r->instr->arena, (size_t)n)))
        return error_memory(r->error);
    for (uint64_t i = 0; i < n; i++) {
        if (!read_auto(l, UINT8_MAX, &byte))
            return bad_line(r, "text.record.bitmap.byte", "bitmap byte is not a valid integer");
        if (bitmap)
            bitmap[i] = (uint8_t)byte;
    }
    out->bitmap = bitmap;
    out->n_bitmap = (uint32_t)n;
    return APF_OK;
}

static int read_record(struct reader *r)
{
    struct lines *l = &r->lines;
    struct apf_instr *instr = r->instr;
    struct record out = {0};
    const char *next;
    struct apf_str name = current_line(l, &next);
    if (instr->records.n >= r->options->max_records)
        return line_error(r, l, APF_LIMIT, "text.records", "more functions than the limit allows");
    int code = add_name(r, instr->symbols, name, "text.record.name", &out.id, &out.symbol);
    if (code != APF_OK)
        return code;
    out.offset = (uint64_t)(l->p - r->base);
    pass_line(l, next);
    if (!read_auto(l, UINT64_MAX, &out.hash))
        return bad_line(r, "text.record.hash", "function hash is not a valid integer");
    code = read_counts(r, &out);
    if (code == APF_OK)
        code = read_bitmap(r, &out);
    if (code == APF_OK)
        code = read_values(r, &out);
    if (code != APF_OK)
        return code;
    return VEC_PUSH(&instr->records, out) ? APF_OK : error_memory(r->error);
}

/* The number of records from which the number of the following ones is estimated. */
#define TELLING_RECORDS 1024u

/* Makes room for all further records once the room is used up: growing step by step touches more memory. */
static bool expect_records(struct reader *r)
{
    struct apf_instr *instr = r->instr;
    size_t n = instr->records.n;
    if (n < TELLING_RECORDS || n < instr->records.capacity)
        return true;
    uint64_t each = (uint64_t)(r->lines.p - r->base) / n + 1, left = (uint64_t)(r->lines.end - r->lines.p);
    uint64_t most = r->options->max_records - n, more = left / each + left / each / 16 + 1;
    more = more < most ? more : most;
    return VEC_RESERVE(&instr->records, more) && VEC_RESERVE(&instr->symbols->list, more) &&
           hash_index_reserve(&instr->symbols->index, more);
}

/* The number of empty lines at the end of the text. */
static unsigned empty_lines_at_end(const char *begin, const char *end)
{
    unsigned feeds = 0;
    for (; end > begin && (end[-1] == '\n' || end[-1] == '\r'); end--)
        feeds += end[-1] == '\n';
    return feeds ? feeds - 1 : 0;
}

/* Whether the last record is complete: its last number may be cut, or values may be missing. LLVM's tools and anyprof
 * write comments, an empty line after a record, and one after its bitmap. */
static bool ends_as_it_should(const struct reader *r)
{
    static const char comment[] = "# Func Hash:";
    const struct apf_instr *instr = r->instr;
    const char *end = r->lines.end, *next;
    if (end == r->base || end[-1] != '\n')
        return false;
    if (!instr->records.n)
        return true;
    const struct record *last = &instr->records.data[instr->records.n - 1];
    struct lines l = {r->base + last->offset, end, 0};
    current_line(&l, &next);
    l.p = next;
    struct apf_str second = current_line(&l, &next);
    bool by_tool = second.n >= sizeof comment - 1 && memcmp(second.p, comment, sizeof comment - 1) == 0;
    return !by_tool || empty_lines_at_end(r->base, end) >= 1u + (last->n_bitmap != 0);
}

/* For a salvage: refuses the record at the end of a text that may have been cut off. */
static int check_end(struct reader *r)
{
    if (ends_as_it_should(r))
        return APF_OK;
    if (r->instr->records.n)
        r->instr->records.n--;
    return line_error(r, &r->lines, APF_TRUNCATED, "text.end", "the last function may be cut off");
}

static int read_lines(struct reader *r, const char *file_end)
{
    bool whole = r->lines.p == r->base;
    skip_unseen(&r->lines);
    int code = whole ? read_header(r) : APF_OK;
    while (code == APF_OK && r->lines.p < r->lines.end) {
        code = expect_records(r) ? read_record(r) : error_memory(r->error);
        if (code == APF_OK)
            code = pulse_check(r->options->pulse, r->instr->records.n, r->error);
    }
    /* LLVM ends the file at a NUL, without an error about the bytes after it. */
    bool nul = code == APF_OK && r->lines.end < file_end;
    if (code == APF_OK && r->options->flags & APF_FLAG_SALVAGE)
        code = check_end(r);
    if (nul)
        return line_error(r, &r->lines, APF_MALFORMED, "text", "a NUL byte, where LLVM stops reading");
    return code;
}

int text_salvage(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_salvage *salvage, struct apf_error *error)
{
    struct read_options o = *options;
    (void)salvage; /* a damaged line does not say what is lost with it */
    o.flags |= APF_FLAG_SALVAGE;
    int code = text_read(instr, data, n, &o, error); /* the intact records come before the damage */
    return code == APF_NO_MEMORY || code == APF_LIMIT ? code : APF_OK;
}

int text_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
              struct apf_error *error)
{
    return text_read_from(instr, data, n, 0, 1, options, error);
}

int text_read_from(struct apf_instr *instr, const uint8_t *data, size_t n, size_t from, uint64_t line,
                   const struct read_options *options, struct apf_error *error)
{
    const char *base = n ? (const char *)data : "";
    const char *nul = n ? (const char *)memchr(base + from, 0, n - from) : NULL;
    struct reader r = {.instr = instr, .options = options, .base = base, .error = error};
    struct lines lines = {base + from, nul ? nul : base + n, line};
    r.lines = lines;
    instr->info.format = APF_FORMAT_TEXT;
    instr->info.n_profiles = 1;
    int code = read_lines(&r, base + n);
    VEC_FREE(&r.traces);
    value_gather_free(&r.sites);
    return code;
}

bool text_begins(const uint8_t *data, size_t n)
{
    return n && text_file(data, n) && !bolt_yaml_begins(data, n);
}

bool text_read_begins(const uint8_t *data, size_t n)
{
    const char *base = n ? (const char *)data : "", *next;
    struct lines l = {base, base + n, 1};
    uint64_t number;
    skip_unseen(&l);
    if (l.p == l.end)
        return n > 0;     /* only comments: a profile without functions */
    while (*l.p == ':') { /* unknown header lines may come before known ones */
        struct apf_str line = current_line(&l, &next);
        if (find_directive(line))
            return true;
        pass_line(&l, next);
        if (l.p == l.end)
            return false;
    }
    current_line(&l, &next);
    pass_line(&l, next);
    if (l.p == l.end)
        return false;
    if (read_auto(&l, UINT64_MAX, &number))
        return true;
    current_line(&l, &next);
    pass_line(&l, next); /* a wrong hash */
    return read_decimal(&l, UINT64_MAX, &number) && read_decimal(&l, UINT64_MAX, &number);
}

bool text_read_is_bare(const uint8_t *data, size_t n)
{
    const char *base = n ? (const char *)data : "";
    struct lines l = {base, base + n, 1};
    skip_unseen(&l);
    return l.p == l.end;
}
