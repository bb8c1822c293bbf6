/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_raw.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file_lines.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "base/text_scan.h"

/* ---- writing ---- */

/* A context, its text, and its pairs in both lists, which are sorted. */
struct raw_context {
    struct apf_str text;
    const struct pair_count *ranges, *branches;
    size_t n_ranges, n_branches;
};

struct raw_writer {
    const struct profgen_counts *c;
    uint64_t base;
    VEC(struct raw_context) list;
    VEC(char) text;
    struct profgen_frames frames;
    struct arena arena;
    struct apf_error *error;
};

static bool put_text(struct raw_writer *w, struct apf_str text)
{
    if (!VEC_RESERVE(&w->text, text.n + 1))
        return false;
    memcpy(w->text.data + w->text.n, text.p, text.n);
    w->text.n += text.n;
    return true;
}

static bool put_format(struct raw_writer *w, const char *format, uint64_t number)
{
    char text[40];
    struct apf_str s = {text, (size_t)snprintf(text, sizeof text, format, (unsigned long long)number)};
    return put_text(w, s);
}

/* "0xADDRESS @ 0xADDRESS" */
static int put_chain(struct raw_writer *w, uint32_t chain)
{
    int code = profgen_chains_unfold(&w->c->chains, chain, &w->frames, w->error);
    bool good = true;
    for (size_t i = 0; code == APF_OK && good && i < w->frames.list.n; i++)
        good = put_format(w, i ? " @ 0x%llx" : "0x%llx", w->frames.list.data[i].at - w->base);
    return good ? code : error_memory(w->error);
}

/* "NAME:LINE.DISCRIMINATOR @ NAME" */
static int put_names(struct raw_writer *w, uint32_t context)
{
    const struct sample_contexts *contexts = &w->c->named->contexts;
    w->frames.list.n = 0;
    for (uint32_t i = context; i != SAMPLE_NONE; i = contexts->list.data[i].caller) {
        struct profgen_frame frame = {contexts->list.data[i].at, contexts->list.data[i].name};
        if (!VEC_PUSH(&w->frames.list, frame))
            return error_memory(w->error);
    }
    bool good = true;
    for (size_t i = w->frames.list.n; good && i-- > 0;) {
        const struct profgen_frame *frame = &w->frames.list.data[i];
        good = put_text(w, sample_names_text(&w->c->named->names, frame->name));
        if (good && i) {
            uint64_t at = frame[-1].at;
            good =
                put_format(w, ":%llu", sample_place_line(at)) &&
                (!sample_place_discriminator(at) || put_format(w, ".%llu", sample_place_discriminator(at))) &&
                put_text(w, (struct apf_str){" @ ", 3});
        }
    }
    return good ? APF_OK : error_memory(w->error);
}

/* The pairs of a context from *next on, which moves to the next ones. */
static const struct pair_count *take_pairs(const struct pair_counts *from, uint32_t context, size_t *next,
                                           size_t *n)
{
    const struct pair_count *first = ENTRY_AT(from->list.data, *next);
    size_t begin = *next;
    while (*next < from->list.n && from->list.data[*next].pair.context == context)
        ++*next;
    *n = *next - begin;
    return first;
}

static int add_context(struct raw_writer *w, uint32_t context, struct raw_context *added)
{
    int code = APF_OK;
    w->text.n = 0;
    if (w->c->named)
        code = context ? put_names(w, context - 1) : APF_OK;
    else
        code = put_chain(w, context);
    if (code != APF_OK)
        return code;
    added->text.n = w->text.n;
    added->text.p = arena_text(&w->arena, w->text.n ? w->text.data : "", w->text.n);
    return added->text.p && VEC_PUSH(&w->list, *added) ? APF_OK : error_memory(w->error);
}

static int collect_contexts(struct raw_writer *w)
{
    const struct pair_counts *ranges = &w->c->ranges, *branches = &w->c->branches;
    size_t i = 0, k = 0;
    int code = APF_OK;
    while (code == APF_OK && (i < ranges->list.n || k < branches->list.n)) {
        struct raw_context context;
        uint32_t a = i < ranges->list.n ? ranges->list.data[i].pair.context : UINT32_MAX;
        uint32_t b = k < branches->list.n ? branches->list.data[k].pair.context : UINT32_MAX;
        uint32_t number = a < b ? a : b;
        context.ranges = take_pairs(ranges, number, &i, &context.n_ranges);
        context.branches = take_pairs(branches, number, &k, &context.n_branches);
        code = add_context(w, number, &context);
    }
    return code;
}

static bool context_before(const void *unused, const void *a, const void *b)
{
    const struct raw_context *x = a, *y = b;
    size_t n = x->text.n < y->text.n ? x->text.n : y->text.n;
    int order = n ? memcmp(x->text.p, y->text.p, n) : 0;
    (void)unused;
    return order ? order < 0 : x->text.n < y->text.n;
}

static void write_pairs(const struct raw_writer *w, const struct pair_count *pairs, size_t n,
                        const char *between, struct file_out *out)
{
    const char *indent = w->c->sensitive ? "  " : "";
    text_append(out, indent);
    text_decimal(out, n, 0);
    text_append(out, "\n");
    for (size_t i = 0; i < n; i++) {
        text_append(out, indent);
        text_hex(out, pairs[i].pair.a - w->base, 0);
        text_append(out, between);
        text_hex(out, pairs[i].pair.b - w->base, 0);
        text_append(out, ":");
        text_decimal(out, pairs[i].count, 0);
        text_append(out, "\n");
    }
}

int profgen_raw_write(const struct profgen_counts *c, uint64_t base, struct file_out *out,
                      struct apf_error *error)
{
    struct raw_writer w = {.c = c, .base = base, .error = error};
    struct raw_context none = {{"", 0}, NULL, NULL, 0, 0};
    int code = collect_contexts(&w);
    if (code == APF_OK && w.list.n == 0 && !c->sensitive && !VEC_PUSH(&w.list, none))
        code = error_memory(error);
    if (code == APF_OK && !SORT_VEC(&w.list, context_before, NULL))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < w.list.n; i++) {
        const struct raw_context *context = &w.list.data[i];
        if (c->sensitive) {
            text_append(out, "[");
            file_out_write(out, context->text.p, context->text.n);
            text_append(out, "]\n");
        }
        write_pairs(&w, context->ranges, context->n_ranges, "-", out);
        write_pairs(&w, context->branches, context->n_branches, "->", out);
    }
    VEC_FREE(&w.list);
    VEC_FREE(&w.text);
    VEC_FREE(&w.frames.list);
    arena_free(&w.arena);
    return code;
}

/* ---- reading ---- */

struct raw_reader {
    struct file_lines lines;
    struct text_scan at; /* of the present line */
    uint64_t base;
    uint32_t context;
    struct profgen_counts *c;
    struct apf_error *error;
};

static int wrong(const struct raw_reader *r, const char *expected)
{
    return file_lines_wrong(&r->lines, r->at.p, APF_BAD_SAMPLES, "profgen.raw", expected, r->error);
}

static int ends_early(const struct raw_reader *r)
{
    return error_plain(r->error, APF_BAD_SAMPLES, "profgen.raw", "the profile ends too early");
}

/* Moves to the next line and passes the blanks at its beginning. APF_END: there is none. */
static int next_line(struct raw_reader *r)
{
    int code = file_lines_next(&r->lines, r->error);
    if (code != APF_OK)
        return code;
    r->at = (struct text_scan){r->lines.line, r->lines.line + r->lines.n};
    scan_blanks(&r->at);
    return APF_OK;
}

static int read_pair(struct raw_reader *r, const char *between, struct pair_counts *to)
{
    struct pair_count counted;
    struct address_pair *pair = &counted.pair;
    if (!scan_hex(&r->at, &pair->a) || !scan_text(&r->at, between) || !scan_hex(&r->at, &pair->b) ||
        !scan_text(&r->at, ":") || !scan_decimal(&r->at, UINT64_MAX, &counted.count) || !scan_at_end(&r->at))
        return wrong(r, between[1] ? "expected FROM->TO:COUNT" : "expected START-END:COUNT");
    pair->a += r->base;
    pair->b += r->base;
    pair->context = r->context;
    if (!between[1] && (pair->a > pair->b || pair->b == UINT64_MAX))
        return wrong(r, "expected a range that ends at its start or after it");
    return pair_counts_add(to, &counted, 1, r->error);
}

/* Reads a number and so many pairs. */
static int read_counts(struct raw_reader *r, const char *between, struct pair_counts *to)
{
    uint64_t n = 0;
    if (!scan_decimal(&r->at, UINT64_MAX, &n) || !scan_at_end(&r->at))
        return wrong(r, "expected a number of ranges or branches");
    int code = APF_OK;
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        code = next_line(r);
        if (code == APF_OK)
            code = read_pair(r, between, to);
        else if (code == APF_END)
            code = ends_early(r);
    }
    return code;
}

/* ---- reading contexts ---- */

/* "0xADDRESS @ 0xADDRESS" */
static int read_chain(struct raw_reader *r)
{
    int code = APF_OK;
    for (size_t n = 0; code == APF_OK && !scan_at_end(&r->at); n++) {
        uint64_t call;
        if ((n && !scan_text(&r->at, " @ ")) || !scan_text(&r->at, "0x") || !scan_hex(&r->at, &call))
            return wrong(r, "expected [0xADDRESS @ ...], as of a program with pseudo probes");
        if (n == PROFGEN_LONGEST_CHAIN)
            return wrong(r, "a context of more than 998 calls");
        code = profgen_chains_add(&r->c->chains, r->context, call + r->base, &r->context, r->error);
    }
    return code;
}

/* "LINE" or "LINE.DISCRIMINATOR" */
static bool read_place(struct text_scan place, uint64_t *at)
{
    uint64_t line, discriminator = 0;
    bool good = scan_decimal(&place, UINT32_MAX, &line);
    if (good && scan_text(&place, "."))
        good = scan_decimal(&place, UINT32_MAX, &discriminator);
    *at = sample_place((uint32_t)line, (uint32_t)discriminator);
    return good && scan_at_end(&place);
}

/* Splits "NAME:PLACE" at the last colon; *at is 0 without a place. */
static bool read_named_frame(const char *p, const char *end, struct apf_str *name, uint64_t *at)
{
    const char *after = end;
    while (after > p && after[-1] != ':')
        after--;
    struct text_scan place = {after, end};
    *at = 0;
    *name = (struct apf_str){p, (size_t)(end - p)};
    if (after > p && read_place(place, at))
        name->n = (size_t)(after - 1 - p);
    return name->n > 0;
}

/* Whether the name of an innermost frame would be written as it was read: it stands there without a place. */
static bool is_plain_name(struct apf_str name)
{
    struct apf_str shorter;
    uint64_t at;
    return read_named_frame(name.p, name.p + name.n, &shorter, &at) && shorter.n == name.n;
}

/* The most frames of a context; one that it calls is one longer. */
#define MOST_FRAMES (SAMPLE_MAX_DEPTH - 1)

/* "NAME:PLACE @ NAME" */
static int read_names(struct raw_reader *r)
{
    struct apf_sample *named = r->c->named;
    uint32_t caller = SAMPLE_NONE;
    uint64_t at = 0;
    int code = APF_OK;
    for (size_t n = 0; code == APF_OK && !scan_at_end(&r->at); n++) {
        const char *end = r->at.p;
        struct apf_str name;
        uint64_t next;
        uint32_t number;
        while (end < r->at.end && (r->at.end - end < 3 || memcmp(end, " @ ", 3) != 0))
            end++;
        if (n == MOST_FRAMES)
            return wrong(r, "a context of more than 999 frames");
        if (!read_named_frame(r->at.p, end, &name, &next) || (end == r->at.end && !is_plain_name(name)))
            return wrong(r, "expected [NAME:LINE @ NAME]");
        code = sample_names_add(&named->names, name, SAMPLE_NONE, true, &number, r->error);
        if (code == APF_OK)
            code = sample_contexts_add(&named->contexts, caller, caller == SAMPLE_NONE ? 0 : at, number,
                                       &caller, r->error);
        at = next;
        r->at.p = end < r->at.end ? end + 3 : end;
    }
    r->context = caller == SAMPLE_NONE ? 0 : caller + 1;
    return code;
}

/* The line before the counts of a context. */
static int read_context(struct raw_reader *r)
{
    r->context = 0;
    if (scan_at_end(&r->at) || r->at.end[-1] != ']')
        return wrong(r, "expected a context in brackets");
    r->at.p++;
    r->at.end--;
    r->c->sensitive = true;
    int code = r->c->named ? read_names(r) : read_chain(r);
    if (code == APF_OK && (code = next_line(r)) == APF_END)
        code = ends_early(r);
    return code;
}

static int read_profile(struct raw_reader *r)
{
    int code = next_line(r);
    while (code == APF_OK) {
        if (scan_begins(&r->at, "["))
            code = read_context(r);
        if (code == APF_OK)
            code = read_counts(r, "-", &r->c->ranges);
        if (code == APF_OK && (code = next_line(r)) == APF_END)
            code = ends_early(r);
        if (code == APF_OK)
            code = read_counts(r, "->", &r->c->branches);
        if (code == APF_OK)
            code = next_line(r);
    }
    return code == APF_END ? APF_OK : code;
}

int profgen_raw_read(struct profgen_counts *c, const struct apf_input *input, uint64_t max_bytes,
                     uint64_t base, struct apf_error *error)
{
    struct raw_reader r = {.base = base, .c = c, .error = error};
    int code = file_lines_open(&r.lines, input, max_bytes, error);
    if (code == APF_OK)
        code = read_profile(&r);
    file_lines_close(&r.lines);
    return code;
}
