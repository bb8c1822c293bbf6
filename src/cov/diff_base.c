/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/error.h"
#include "base/json_entry.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "cov/diff_lines.h"
#include "cov/share_text.h"
#include "cov/text_table.h"

/* A file that one coverage has, or both. */
struct file_pair {
    struct apf_str name;
    uint32_t then, now; /* numbers of the name; HASH_INDEX_NONE: it is not there */
};

struct base_diff {
    const struct cov_diff_request *r;
    const struct coverage *base;
    const uint32_t *base_files;
    size_t n_base_files;
    size_t i, k; /* the next files of now and then */
    struct covered_lines lines_then, lines_now;
    struct file_pair pair;
    struct apf_cov_share then, now;  /* of the file */
    struct line_ranges gained, lost; /* of the file */
    uint64_t n_gained, n_lost;
    struct diff_lines lost_lines; /* the source code of lost lines */
};

/* ---- files and lines ---- */

/* Goes to the next file by name; false: there is none. */
static bool next_pair(struct base_diff *d)
{
    const struct apf_str *now = d->i < d->r->n_files ? &d->r->c->files.list.data[d->r->files[d->i]] : NULL;
    const struct apf_str *then =
        d->k < d->n_base_files ? &d->base->files.list.data[d->base_files[d->k]] : NULL;
    const int order = !now || !then ? 0 : sort_compare_bytes(now->p, now->n, then->p, then->n);
    const bool takes_now = now && (!then || order <= 0), takes_then = then && (!now || order >= 0);
    if (!now && !then)
        return false;
    d->pair.name = takes_now ? *now : *then;
    d->pair.now = takes_now ? d->r->files[d->i++] : HASH_INDEX_NONE;
    d->pair.then = takes_then ? d->base_files[d->k++] : HASH_INDEX_NONE;
    return true;
}

static void count(struct apf_cov_share *s, const struct code_line *line)
{
    s->n++;
    s->covered += line->count != 0;
}

/* Compares a line; one of the two is NULL if it is no code there. */
static bool compare_line(struct base_diff *d, const struct code_line *then, const struct code_line *now)
{
    const bool ran_then = then && then->count, ran_now = now && now->count;
    if (then)
        count(&d->then, then);
    if (now)
        count(&d->now, now);
    if (ran_then == ran_now)
        return true;
    d->n_gained += ran_now;
    d->n_lost += ran_then;
    return line_ranges_add(ran_now ? &d->gained : &d->lost, 0, ran_now ? now->line : then->line);
}

/* Compares the lines of the pair of files. */
static int compare_lines(struct base_diff *d)
{
    const bool has_now = d->pair.now != HASH_INDEX_NONE, has_then = d->pair.then != HASH_INDEX_NONE;
    struct code_line now, then;
    d->then = d->now = (struct apf_cov_share){0, 0};
    d->gained.list.n = d->lost.list.n = 0;
    int code = has_now ? covered_lines_make(&d->lines_now, d->r->c, d->pair.now, d->r->error) : APF_OK;
    if (code == APF_OK && has_then)
        code = covered_lines_make(&d->lines_then, d->base, d->pair.then, d->r->error);
    if (code != APF_OK)
        return code;
    struct code_lines all_now = code_lines_of(&d->lines_now), all_then = code_lines_of(&d->lines_then);
    bool more_now = has_now && code_lines_next(&all_now, &now),
         more_then = has_then && code_lines_next(&all_then, &then);
    while (more_now || more_then) {
        const bool takes_now = more_now && (!more_then || now.line <= then.line);
        const bool takes_then = more_then && (!more_now || then.line <= now.line);
        if (!compare_line(d, takes_then ? &then : NULL, takes_now ? &now : NULL))
            return error_memory(d->r->error);
        more_now = takes_now ? code_lines_next(&all_now, &now) : more_now;
        more_then = takes_then ? code_lines_next(&all_then, &then) : more_then;
    }
    return APF_OK;
}

static bool has_changed(const struct base_diff *d)
{
    return d->gained.list.n || d->lost.list.n;
}

/* Compares the next pair of files. */
static int compare_files(struct base_diff *d)
{
    const int code = compare_lines(d);
    share_add(&d->r->result->then, &d->then);
    share_add(&d->r->result->now, &d->now);
    return code == APF_OK && has_changed(d) && d->pair.now != HASH_INDEX_NONE
               ? diff_lines_add(&d->lost_lines, d->pair.now, d->pair.name, &d->lost)
               : code;
}

/* ---- tables ---- */

static int put_lines(struct text_table *t, const struct line_ranges *ranges, struct apf_error *error)
{
    line_ranges_write(t->cells, ranges->list.data, ranges->list.n);
    return text_table_end(t, error);
}

static int put_shares(struct text_table *t, const struct apf_cov_share *then, const struct apf_cov_share *now,
                      struct apf_error *error)
{
    const int code = text_table_share(t, then, error);
    return code == APF_OK ? text_table_share(t, now, error) : code;
}

static int put_row(struct base_diff *d, struct text_table *t)
{
    struct apf_error *error = d->r->error;
    int code = text_table_name(t, d->pair.name, error);
    if (code == APF_OK)
        code = put_shares(t, &d->then, &d->now, error);
    if (code == APF_OK)
        code = put_lines(t, &d->gained, error);
    return code == APF_OK ? put_lines(t, &d->lost, error) : code;
}

static int put_total(struct base_diff *d, struct text_table *t)
{
    struct apf_error *error = d->r->error;
    int code = text_table_words(t, "TOTAL", error);
    if (code == APF_OK)
        code = put_shares(t, &d->r->result->then, &d->r->result->now, error);
    if (code == APF_OK)
        code = text_table_number(t, d->n_gained, error);
    return code == APF_OK ? text_table_number(t, d->n_lost, error) : code;
}

static void put_summary(const struct base_diff *d, bool markdown)
{
    struct file_out *out = d->r->out;
    text_append(out, markdown ? "### " : "");
    share_write(out, &d->r->result->then);
    text_append(out, " of the lines ran before, ");
    share_write(out, &d->r->result->now);
    text_append(out, " now\n\n");
}

static int write_table(struct base_diff *d, bool markdown)
{
    static const char *const names[] = {"File", "Before", "Now", "Run now", "Ran before"};
    struct text_table t;
    struct apf_error *error = d->r->error;
    int code = text_table_init(&t, 5, 1, markdown, error);
    if (code == APF_OK)
        code = text_table_head(&t, names, error);
    while (code == APF_OK && !d->r->out->sys_errno && next_pair(d)) {
        code = compare_files(d);
        if (code == APF_OK && has_changed(d))
            code = put_row(d, &t);
    }
    if (code == APF_OK)
        code = put_total(d, &t);
    if (code == APF_OK) {
        put_summary(d, markdown);
        code = text_table_print(&t, d->r->out, error);
    }
    if (code == APF_OK)
        code = diff_lines_print(&d->lost_lines, "Lines that ran before, and do not now:");
    text_table_free(&t);
    return code;
}

/* ---- JSON ---- */

static void put_share(struct json_writer *w, const char *key, const struct apf_cov_share *s)
{
    json_key(w, key);
    json_object_begin(w);
    json_entry_u64(w, "code", s->n);
    json_entry_u64(w, "covered", s->covered);
    json_object_end(w);
}

static void put_file(const struct base_diff *d, struct json_writer *w)
{
    json_line_object(w);
    json_entry_path(w, d->pair.name);
    put_share(w, "before", &d->then);
    put_share(w, "now", &d->now);
    json_entry_ranges(w, "gained", &d->gained);
    json_entry_ranges(w, "lost", &d->lost);
    json_object_end(w);
}

static int write_json(struct base_diff *d)
{
    struct json_writer w;
    int code = APF_OK;
    json_start(&w, file_out_callback, d->r->out, 2);
    json_object_begin(&w);
    json_head(&w, "anyprof-cov-diff/1");
    json_key(&w, "files");
    json_array_begin(&w);
    while (code == APF_OK && !d->r->out->sys_errno && next_pair(d)) {
        code = compare_files(d);
        if (code == APF_OK && has_changed(d))
            put_file(d, &w);
    }
    json_array_end(&w);
    json_key(&w, "total");
    json_line_object(&w);
    put_share(&w, "before", &d->r->result->then);
    put_share(&w, "now", &d->r->result->now);
    json_entry_u64(&w, "gained", d->n_gained);
    json_entry_u64(&w, "lost", d->n_lost);
    json_object_end(&w);
    json_object_end(&w);
    return code == APF_OK ? json_finish(&w, d->r->error) : code;
}

int cov_diff_base(const struct cov_diff_request *r, const struct coverage *base, const uint32_t *files,
                  size_t n_files)
{
    struct base_diff d = {.r = r, .base = base, .base_files = files, .n_base_files = n_files};
    int code = diff_lines_init(&d.lost_lines, r);
    if (code == APF_OK)
        code = r->options->format == APF_COV_DIFF_JSON
                   ? write_json(&d)
                   : write_table(&d, r->options->format == APF_COV_DIFF_MARKDOWN);
    r->result->gained = d.n_gained;
    r->result->lost = d.n_lost;
    covered_lines_free(&d.lines_now);
    covered_lines_free(&d.lines_then);
    diff_lines_free(&d.lost_lines);
    VEC_FREE(&d.gained.list);
    VEC_FREE(&d.lost.list);
    return code;
}
