/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON as llvm-cov writes it: one line, sorted keys, without blanks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/double_text.h"
#include "base/error.h"
#include "base/text_append.h"
#include "base/utf8.h"
#include "cov/output_pieces.h"
#include "cov/outputs.h"

#define VERSION "3.1.0"
#define SHORT_NUMBERS 1000u

struct json_output {
    const struct cov_output *o;
    const struct coverage *c;
    struct file_out *out;
    struct apf_error *error;
    struct file_view view;
    struct cov_summary total; /* of files that this thread has written */
    struct apf_str *names;    /* of files, as they are printed; p == NULL: not kept yet */
    struct arena texts;
    struct cov_work work;         /* of a function */
    uint32_t work_function;       /* that is open in it; UINT32_MAX: none */
    struct apf_buffer regions;    /* of that function, as they are printed, which its expansions repeat */
    struct file_out *regions_out; /* into `regions`; NULL: no expansion came yet */
    bool has_regions;
    const uint32_t *short_numbers; /* see make_short_numbers */
};

/* ---- values ---- */

static void put(struct json_output *j, const char *text)
{
    text_append(j->out, text);
}

static void number(struct json_output *j, uint64_t v)
{
    text_decimal(j->out, v, 0);
}

/* Numbers below SHORT_NUMBERS, which most are: their digits, and in the highest byte how many there are. */
static void make_short_numbers(uint32_t *table)
{
    for (uint32_t v = 0; v < SHORT_NUMBERS; v++) {
        uint8_t text[DECIMAL_MAX] = {0};
        const unsigned n = decimal_store(text, v);
        table[v] = load32le(text) & 0xffffff;
        table[v] |= n << 24;
    }
}

/* Writes at most MOST_NUMBERS numbers, as most of the output is, each with a comma before it but for the first one. */
#define MOST_NUMBERS 9u
static inline void numbers(struct json_output *j, const uint64_t *v, size_t n)
{
    uint8_t *p = file_out_room(j->out, MOST_NUMBERS * (DECIMAL_MAX + 1) + 1);
    for (size_t i = 0; i < n; i++) {
        if (LIKELY(v[i] < SHORT_NUMBERS)) {
            const uint32_t entry = j->short_numbers[v[i]];
            store32le(p, entry);
            p += entry >> 24;
        } else {
            p += decimal_store(p, v[i]);
        }
        *p++ = ',';
    }
    j->out->p = p - (n != 0);
}

/* Counts are printed as signed numbers. */
static uint64_t count(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : v;
}

static void boolean(struct json_output *j, bool v)
{
    put(j, v ? "true" : "false");
}

static void character(struct json_output *j, uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    char hex[] = "\\u00..";
    const char *text = c == '"'    ? "\\\""
                       : c == '\\' ? "\\\\"
                       : c == '\t' ? "\\t"
                       : c == '\n' ? "\\n"
                       : c == '\r' ? "\\r"
                                   : hex;
    hex[4] = digits[c >> 4];
    hex[5] = digits[c & 15];
    put(j, text);
}

/* Whether a byte is a character that is written as it is. */
static bool is_plain(uint8_t c)
{
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

/* How many of the n bytes from p on are written as they are, found eight at a time. */
static size_t plain_bytes(const char *p, size_t n)
{
    const uint64_t ones = UINT64_MAX / 255, tops = ones * 0x80;
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const uint64_t word = load64le(p + i), quotes = word ^ ones * '"', slashes = word ^ ones * '\\';
        /* for each kind of byte, its top bit is set if a byte is of it, and perhaps that of a byte after it */
        if ((word | (word - ones * ' ') | (quotes - ones) | (slashes - ones)) & tops)
            break;
    }
    while (i < n && is_plain((uint8_t)p[i]))
        i++;
    return i;
}

static void string(struct json_output *j, struct apf_str s)
{
    put(j, "\"");
    for (size_t i = 0, from = 0; i < s.n || from < i;) {
        uint32_t code;
        i += plain_bytes(s.p + i, s.n - i);
        const size_t n = i < s.n ? utf8_decode(s.p + i, s.n - i, &code) : 0;
        if (n > 1) {
            i += n;
            continue;
        }
        (void)file_out_write(j->out, s.p + from, i - from);
        if (i == s.n)
            break;
        if (n)
            character(j, (uint8_t)s.p[i]);
        else
            put(j, "\xEF\xBF\xBD");
        from = ++i;
    }
    put(j, "\"");
}

/* Writes the name of a file, of which the text is kept: most of some outputs are names of files. */
static void source_name(struct json_output *j, uint32_t number)
{
    struct apf_str *kept = &j->names[number];
    const struct apf_str name = j->c->files.list.data[number];
    if (kept->p) {
        (void)file_out_write(j->out, kept->p, kept->n);
        return;
    }
    string(j, name);
    char *text = plain_bytes(name.p, name.n) == name.n ? arena_bytes(&j->texts, name.n + 2) : NULL;
    if (!text) /* it is written the long way again */
        return;
    text[0] = text[name.n + 1] = '"';
    if (name.n)
        memcpy(text + 1, name.p, name.n);
    *kept = (struct apf_str){text, name.n + 2};
}

static void real(struct json_output *j, double v)
{
    char text[DOUBLE_TEXT_MAX + 32];
    text[0] = '\0';
    const int n = snprintf(text, sizeof text, "%.17g", v);
    char fixed[DOUBLE_TEXT_MAX + 32];
    (void)file_out_write(j->out, fixed, double_copy_printed(fixed, n > 0 ? text : "0"));
}

/* ---- lists ---- */

static void segments(struct json_output *j, const struct segments *s)
{
    for (size_t i = 0; i < s->list.n; i++) {
        const struct segment *at = &s->list.data[i];
        const uint64_t v[] = {at->line, at->column, count(at->count)};
        put(j, i ? ",[" : "[");
        numbers(j, v, 3);
        put(j, at->has_count ? ",true," : ",false,");
        boolean(j, at->is_entry);
        put(j, at->is_gap ? ",true]" : ",false]");
    }
}

static void region(struct json_output *j, const struct region *r)
{
    const uint64_t v[] = {r->line,
                          r->column,
                          r->end_line,
                          r->end_column,
                          count(r->count),
                          r->file,
                          r->kind == REGION_EXPANSION ? r->expanded : 0,
                          r->kind};
    put(j, "[");
    numbers(j, v, sizeof v / sizeof *v);
    put(j, "]");
}

static void branch(struct json_output *j, const struct region *r)
{
    const uint64_t v[] = {
        r->line, r->column, r->end_line, r->end_column, count(r->count), count(r->false_count),
        r->file, 0,         r->kind};
    put(j, "[");
    numbers(j, v, sizeof v / sizeof *v);
    put(j, "]");
}

static bool is_folded(const struct region *r)
{
    return branch_folded(r, false) && branch_folded(r, true);
}

/* Writes the branches of the function that was opened between two regions, but for those folded on both sides. */
static void branches(struct json_output *j, const struct mapping *m, uint32_t from, uint32_t to, bool *comma)
{
    for (uint32_t i = from; i < to; i++) {
        const struct region *r = &m->regions.data[i];
        if (!region_is_branch(r) || is_folded(r))
            continue;
        if (*comma)
            put(j, ",");
        *comma = true;
        branch(j, r);
    }
}

static void vector(struct json_output *j, const struct decision *d, const struct test_vector *v)
{
    put(j, "{\"conditions\":[");
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        put(j, i ? "," : "");
        put(j, !vector_bit(v->known, i) ? "null" : vector_bit(v->value, i) ? "true" : "false");
    }
    put(j, "],\"executed\":true,\"result\":");
    boolean(j, v->result);
    put(j, "}");
}

static void decision(struct json_output *j, const struct decision *d)
{
    const struct region *r = d->region;
    const uint64_t v[] = {r->line,    r->column, r->end_line, r->end_column,  d->n_vectors - d->n_false,
                          d->n_false, r->file,   0,           REGION_DECISION};
    put(j, "[");
    numbers(j, v, sizeof v / sizeof *v);
    put(j, ",[");
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        put(j, i ? "," : "");
        boolean(j, d->pairs[i][0] != 0);
    }
    put(j, "],[");
    for (uint32_t i = 0; i < d->n_vectors; i++) {
        put(j, i ? "," : "");
        vector(j, d, &d->vectors[i]);
    }
    put(j, "]]");
}

/* Writes the decisions of the function that was opened; with a file, those in it. */
static int decisions(struct json_output *j, struct cov_work *w, uint32_t file, bool *comma)
{
    const int code = coverage_decisions(w, j->error);
    for (size_t i = 0; code == APF_OK && i < w->decisions.list.n; i++) {
        const struct decision *d = &w->decisions.list.data[i];
        if (file != HASH_INDEX_NONE && cov_file_name(w, d->region->file) != file)
            continue;
        put(j, *comma ? "," : "");
        *comma = true;
        decision(j, d);
    }
    return code;
}

static void file_names(struct json_output *j, const struct cov_work *w)
{
    for (uint32_t i = 0; i < w->mapping.files.n; i++) {
        put(j, i ? "," : "");
        source_name(j, cov_file_name(w, i));
    }
}

static void regions(struct json_output *j, const struct mapping *m)
{
    bool comma = false;
    for (size_t i = 0; i < m->regions.n; i++) {
        if (!region_is_span(&m->regions.data[i]))
            continue;
        put(j, comma ? "," : "");
        comma = true;
        region(j, &m->regions.data[i]);
    }
}

/* ---- summaries ---- */

static void share(struct json_output *j, const char *name, const struct apf_cov_share *s, bool has_rest)
{
    put(j, name);
    put(j, "{\"count\":");
    number(j, s->n);
    put(j, ",\"covered\":");
    number(j, s->covered);
    if (has_rest) {
        put(j, ",\"notcovered\":");
        number(j, s->n - s->covered);
    }
    put(j, ",\"percent\":");
    real(j, cov_percent(s));
    put(j, "}");
}

static void summary(struct json_output *j, const struct cov_summary *s)
{
    share(j, "{\"branches\":", &s->branches, true);
    share(j, ",\"functions\":", &s->functions, false);
    share(j, ",\"instantiations\":", &s->instantiations, false);
    share(j, ",\"lines\":", &s->lines, false);
    share(j, ",\"mcdc\":", &s->mcdc, true);
    share(j, ",\"regions\":", &s->regions, true);
    put(j, "}");
}

/* ---- files ---- */

/* Opens the function of the next expansion, unless it is open. */
static int open_function(struct json_output *j, uint32_t function)
{
    if (j->work_function == function)
        return APF_OK;
    j->work_function = function;
    j->has_regions = false;
    return coverage_open(j->c, &j->c->functions.data[function], &j->work, j->error);
}

/* Writes all regions of the function that is open, which its other expansions repeat. */
static int target_regions(struct json_output *j)
{
    if (!j->regions_out) {
        const struct apf_output output = apf_output_buffer(&j->regions);
        const int code = file_out_open(&j->regions_out, &output, j->error);
        if (code != APF_OK)
            return code;
    }
    if (!j->has_regions) {
        struct file_out *out = j->out;
        j->regions.n = 0;
        j->out = j->regions_out;
        regions(j, &j->work.mapping);
        (void)file_out_spill(j->out, NULL, 0);
        j->out = out;
        j->has_regions = true;
    }
    (void)file_out_write(j->out, j->regions.data, j->regions.n);
    return j->regions_out->sys_errno ? error_memory(j->error) : APF_OK;
}

static int expansion(struct json_output *j, const struct view_region *e)
{
    struct cov_work *w = &j->work;
    bool comma = false;
    int code = open_function(j, e->function);
    if (code == APF_OK)
        code = coverage_files_below(w, e->region.expanded, j->error);
    if (code != APF_OK)
        return code;
    put(j, "{\"branches\":[");
    for (size_t i = 0; i < w->order.n; i++) {
        const uint32_t file = w->order.data[i];
        branches(j, &w->mapping, w->mapping.starts.data[file], w->mapping.starts.data[file + 1], &comma);
    }
    put(j, "],\"filenames\":[");
    file_names(j, w);
    put(j, "],\"source_region\":");
    region(j, &e->region);
    put(j, ",\"target_regions\":[");
    code = target_regions(j);
    put(j, "]}");
    return code;
}

static int file_decisions(struct json_output *j)
{
    const struct file_view *v = &j->view;
    bool comma = false;
    int code = APF_OK;
    for (size_t i = 0; i < v->with_decisions.n && code == APF_OK; i++) {
        code = open_function(j, v->with_decisions.data[i]);
        if (code == APF_OK)
            code = decisions(j, &j->work, v->file, &comma);
    }
    return code;
}

static int file_contents(struct json_output *j)
{
    const struct file_view *v = &j->view;
    int code = APF_OK;
    put(j, "\"branches\":[");
    for (size_t i = 0; i < v->branches.n; i++) {
        put(j, i ? "," : "");
        branch(j, &v->branches.data[i]);
    }
    put(j, "],");
    if (!cov_output_has(j->o, APF_COV_SKIP_EXPANSIONS)) {
        put(j, "\"expansions\":[");
        for (size_t i = 0; i < v->expansions.n && code == APF_OK && !j->out->sys_errno; i++) {
            put(j, i ? "," : "");
            code = expansion(j, &v->expansions.data[i]);
        }
        put(j, "],");
    }
    return code;
}

static int file(struct json_output *j, uint32_t number)
{
    struct file_view *v = &j->view;
    const bool whole = !cov_output_has(j->o, APF_COV_SUMMARY_ONLY);
    int code =
        whole ? file_view_make(v, j->c, number, j->error) : file_view_summarize(v, j->c, number, j->error);
    j->work_function = UINT32_MAX;
    put(j, "{");
    if (code == APF_OK && whole)
        code = file_contents(j);
    put(j, "\"filename\":");
    source_name(j, number);
    if (code == APF_OK && whole) {
        put(j, ",\"mcdc_records\":[");
        code = file_decisions(j);
        put(j, "],\"segments\":[");
        segments(j, &v->segments);
        put(j, "]");
    }
    put(j, ",\"summary\":");
    summary(j, &v->summary);
    put(j, "}");
    summary_add(&j->total, &v->summary);
    return code;
}

static int function(struct json_output *j, const struct cov_function *f)
{
    struct cov_work *w = &j->work;
    bool comma = false;
    int code = coverage_open(j->c, f, w, j->error);
    if (code != APF_OK)
        return code;
    put(j, "{\"branches\":[");
    branches(j, &w->mapping, 0, (uint32_t)w->mapping.regions.n, &comma);
    put(j, "],\"count\":");
    number(j, count(f->count));
    put(j, ",\"filenames\":[");
    file_names(j, w);
    put(j, "],\"mcdc_records\":[");
    comma = false;
    code = decisions(j, w, HASH_INDEX_NONE, &comma);
    put(j, "],\"name\":");
    string(j, f->name);
    put(j, ",\"regions\":[");
    regions(j, &w->mapping);
    put(j, "]}");
    return code;
}

/* ---- all of them, on several threads ---- */

/* Functions that are written together. */
#define FUNCTIONS_OF_PIECE 64u

struct json_pieces {
    const struct cov_output *o;
    struct json_output *outputs; /* for each thread */
    uint32_t short_numbers[SHORT_NUMBERS];
};

/* Of struct pieces: a file. */
static int file_piece(void *context, size_t piece, unsigned thread, struct file_out *out,
                      struct apf_error *error)
{
    const struct json_pieces *all = (const struct json_pieces *)context;
    struct json_output *j = &all->outputs[thread];
    j->out = out;
    j->error = error;
    put(j, piece ? "," : "");
    return file(j, all->o->files[piece]);
}

/* Of struct pieces: some functions. */
static int functions_piece(void *context, size_t piece, unsigned thread, struct file_out *out,
                           struct apf_error *error)
{
    const struct json_pieces *all = (const struct json_pieces *)context;
    struct json_output *j = &all->outputs[thread];
    const size_t first = piece * FUNCTIONS_OF_PIECE;
    int code = APF_OK;
    j->out = out;
    j->error = error;
    for (size_t i = first; i < j->c->functions.n && i - first < FUNCTIONS_OF_PIECE && code == APF_OK; i++) {
        put(j, i ? "," : "");
        coverage_fetch(j->c, NULL, i, j->c->functions.n);
        code = function(j, &j->c->functions.data[i]);
    }
    return code;
}

static int write_all(const struct json_pieces *all, const struct pieces *files,
                     const struct pieces *functions)
{
    struct json_output j = {.out = all->o->out};
    put(&j, "{\"data\":[{\"files\":[");
    int code = pieces_write(files, j.out, all->o->error);
    put(&j, "]");
    if (code == APF_OK && !cov_output_has(all->o, APF_COV_SUMMARY_ONLY | APF_COV_SKIP_FUNCTIONS)) {
        put(&j, ",\"functions\":[");
        code = pieces_write(functions, j.out, all->o->error);
        put(&j, "]");
    }
    for (unsigned i = 0; i < pieces_threads(files); i++)
        summary_add(&j.total, &all->outputs[i].total);
    put(&j, ",\"totals\":");
    summary(&j, &j.total);
    put(&j, "}],\"type\":\"llvm.coverage.json.export\",\"version\":\"" VERSION "\"}");
    return code;
}

static bool output_begin(struct json_output *j, const struct json_pieces *all)
{
    const size_t n = all->o->c->files.list.n;
    *j = (struct json_output){.o = all->o, .c = all->o->c, .short_numbers = all->short_numbers};
    j->names = arena_zeros(&j->texts, n, sizeof *j->names);
    return j->names != NULL;
}

static void output_end(struct json_output *j)
{
    if (j->regions_out) /* all of it is in the buffer, unless an allocation has failed */
        (void)file_out_close(j->regions_out, false, NULL);
    file_view_free(&j->view);
    cov_work_free(&j->work);
    arena_free(&j->texts);
    apf_buffer_free(&j->regions);
}

int cov_write_json(const struct cov_output *o)
{
    struct json_pieces all = {.o = o};
    const struct pieces files = {o->n_files, o->c->threads, file_piece, &all};
    const struct pieces functions = {(o->c->functions.n + FUNCTIONS_OF_PIECE - 1) / FUNCTIONS_OF_PIECE,
                                     o->c->threads, functions_piece, &all};
    const unsigned threads = pieces_threads(&files) > pieces_threads(&functions) ? pieces_threads(&files)
                                                                                 : pieces_threads(&functions);
    unsigned n = 0;
    int code = APF_OK;
    make_short_numbers(all.short_numbers);
    all.outputs = malloc(threads * sizeof *all.outputs);
    if (!all.outputs)
        code = error_memory(o->error);
    while (code == APF_OK && n < threads)
        code = output_begin(&all.outputs[n++], &all) ? APF_OK : error_memory(o->error);
    if (code == APF_OK)
        code = write_all(&all, &files, &functions);
    while (n)
        output_end(&all.outputs[--n]);
    free(all.outputs);
    return code;
}
