/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_raw.h"

#include "base/error.h"
#include "base/file_lines.h"
#include "base/text_append.h"
#include "base/text_scan.h"

/* ---- writing ---- */

static void write_counts(const struct pair_counts *c, uint64_t base, const char *between,
                         struct file_out *out)
{
    text_decimal(out, c->list.n, 0);
    text_append(out, "\n");
    for (size_t i = 0; i < c->list.n; i++) {
        const struct pair_count *pair = &c->list.data[i];
        text_hex(out, pair->pair.a - base, 0);
        text_append(out, between);
        text_hex(out, pair->pair.b - base, 0);
        text_append(out, ":");
        text_decimal(out, pair->count, 0);
        text_append(out, "\n");
    }
}

void profgen_raw_write(const struct profgen_traces *t, uint64_t base, struct file_out *out)
{
    write_counts(&t->ranges, base, "-", out);
    write_counts(&t->branches, base, "->", out);
}

/* ---- reading ---- */

struct raw_reader {
    struct file_lines lines;
    struct text_scan at; /* of the present line */
    uint64_t base;
    struct apf_error *error;
};

static int wrong(const struct raw_reader *r, const char *expected)
{
    return file_lines_wrong(&r->lines, r->at.p, APF_BAD_SAMPLES, "profgen.raw", expected, r->error);
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
    struct address_pair pair;
    uint64_t count;
    if (!scan_hex(&r->at, &pair.a) || !scan_text(&r->at, between) || !scan_hex(&r->at, &pair.b) ||
        !scan_text(&r->at, ":") || !scan_decimal(&r->at, UINT64_MAX, &count) || !scan_at_end(&r->at))
        return wrong(r, between[1] ? "expected FROM->TO:COUNT" : "expected START-END:COUNT");
    pair.a += r->base;
    pair.b += r->base;
    return pair_counts_add(to, &pair, 1, count, r->error);
}

/* Reads a number and so many pairs. */
static int read_counts(struct raw_reader *r, const char *between, struct pair_counts *to)
{
    uint64_t n = 0;
    if (!scan_decimal(&r->at, UINT64_MAX, &n) || !scan_at_end(&r->at))
        return wrong(r, r->at.p < r->at.end && *r->at.p == '[' ? "contexts are not supported yet"
                                                               : "expected a number of ranges or branches");
    int code = APF_OK;
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        code = next_line(r);
        if (code == APF_OK)
            code = read_pair(r, between, to);
        else if (code == APF_END)
            code = error_plain(r->error, APF_BAD_SAMPLES, "profgen.raw", "the profile ends too early");
    }
    return code;
}

static int read_profile(struct raw_reader *r, struct profgen_traces *t)
{
    int code = next_line(r);
    while (code == APF_OK) {
        code = read_counts(r, "-", &t->ranges);
        if (code == APF_OK)
            code = next_line(r);
        if (code == APF_END)
            return error_plain(r->error, APF_BAD_SAMPLES, "profgen.raw", "the profile ends too early");
        if (code == APF_OK)
            code = read_counts(r, "->", &t->branches);
        if (code == APF_OK)
            code = next_line(r);
    }
    return code == APF_END ? APF_OK : code;
}

int profgen_raw_read(struct profgen_traces *t, const struct apf_input *input, uint64_t max_bytes,
                     uint64_t base, struct apf_error *error)
{
    struct raw_reader r = {.base = base, .error = error};
    int code = file_lines_open(&r.lines, input, max_bytes, error);
    if (code == APF_OK)
        code = read_profile(&r, t);
    file_lines_close(&r.lines);
    return code;
}
