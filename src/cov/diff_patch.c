/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "base/error.h"
#include "base/json_entry.h"
#include "base/text_append.h"
#include "cov/diff_lines.h"
#include "cov/patch_files.h"
#include "cov/share_text.h"
#include "cov/text_table.h"

/* What of the lines that are added to a file ran. */
struct added_lines {
    const struct patch_file *file;
    uint32_t source;           /* number of the name of the source file; HASH_INDEX_NONE: no program has it */
    uint64_t n;                /* lines that are added */
    struct apf_cov_share code; /* those of them that are code */
    struct line_ranges missed; /* that did not run */
    struct line_ranges partly; /* that ran, but not with both sides of all branches */
};

struct patch_diff {
    const struct cov_diff_request *r;
    const struct patch *patch;
    struct patch_files files;
    struct covered_lines lines;
    struct added_lines now;   /* of the file at hand */
    struct diff_lines missed; /* the source code of those that did not run */
    struct apf_cov_share code;
    uint64_t n_added;
};

/* ---- counting ---- */

/* Whether a line is in a file's ranges, of which those before *at are before it. */
static bool is_added(const struct line_range *ranges, size_t n, size_t *at, uint64_t line)
{
    while (*at < n && ranges[*at].last < line)
        ++*at;
    return *at < n && ranges[*at].first <= line;
}

static bool add_line(struct added_lines *a, const struct code_line *line)
{
    a->code.n++;
    a->code.covered += line->count != 0;
    if (!line->count)
        return line_ranges_add(&a->missed, 0, line->line);
    return line->sides.covered == line->sides.n || line_ranges_add(&a->partly, 0, line->line);
}

/* Counts the lines of the next file of the diff. */
static int count_lines(struct patch_diff *d, const struct patch_file *file)
{
    struct added_lines *a = &d->now;
    const struct line_range *ranges = &d->patch->added.list.data[file->first];
    a->file = file;
    a->source = patch_files_find(&d->files, file);
    a->n = 0;
    a->code = (struct apf_cov_share){0, 0};
    a->missed.list.n = a->partly.list.n = 0;
    for (size_t i = 0; i < file->n; i++)
        a->n += ranges[i].last - ranges[i].first + 1;
    int code = a->source == HASH_INDEX_NONE ? APF_OK
                                            : covered_lines_make(&d->lines, d->r->c, a->source, d->r->error);
    struct code_lines lines = code_lines_of(&d->lines);
    struct code_line line;
    size_t at = 0;
    while (code == APF_OK && a->source != HASH_INDEX_NONE && code_lines_next(&lines, &line) && at < file->n)
        if (is_added(ranges, file->n, &at, line.line) && !add_line(a, &line))
            code = error_memory(d->r->error);
    d->n_added += a->n;
    share_add(&d->code, &a->code);
    d->r->result->n_files += a->code.n != 0;
    d->r->result->n_unknown += a->source == HASH_INDEX_NONE;
    return code == APF_OK && a->code.n
               ? diff_lines_add(&d->missed, a->source, patch_file_name(file), &a->missed)
               : code;
}

/* ---- tables ---- */

static int put_numbers(struct text_table *t, uint64_t n, const struct apf_cov_share *code, bool known,
                       struct apf_error *error)
{
    int result = text_table_number(t, n, error);
    if (result == APF_OK)
        result = known ? text_table_number(t, code->n, error) : text_table_words(t, "-", error);
    if (result == APF_OK)
        result = known ? text_table_number(t, code->covered, error) : text_table_words(t, "-", error);
    return result == APF_OK ? text_table_share(t, code, error) : result;
}

/* Says which lines did not run. */
static int put_lines(struct text_table *t, const struct added_lines *a, struct apf_error *error)
{
    if (a->source == HASH_INDEX_NONE)
        return text_table_words(t, "in no program", error);
    line_ranges_write(t->cells, a->missed.list.data, a->missed.list.n);
    if (a->partly.list.n) {
        text_append(t->cells, a->missed.list.n ? "; partly " : "partly ");
        line_ranges_write(t->cells, a->partly.list.data, a->partly.list.n);
    }
    return text_table_end(t, error);
}

static int put_row(struct patch_diff *d, struct text_table *t)
{
    const struct added_lines *a = &d->now;
    struct apf_error *error = d->r->error;
    int code = text_table_name(t, patch_file_name(a->file), error);
    if (code == APF_OK)
        code = put_numbers(t, a->n, &a->code, a->source != HASH_INDEX_NONE, error);
    return code == APF_OK ? put_lines(t, a, error) : code;
}

static int put_total(struct patch_diff *d, struct text_table *t)
{
    int code = text_table_words(t, "TOTAL", d->r->error);
    if (code == APF_OK)
        code = put_numbers(t, d->n_added, &d->code, true, d->r->error);
    return code == APF_OK ? text_table_words(t, "", d->r->error) : code;
}

/* The sentence above the table. */
static void put_summary(const struct patch_diff *d, bool markdown)
{
    struct file_out *out = d->r->out;
    text_append(out, markdown ? "### " : "");
    if (!d->code.n) {
        text_append(out, "No line of the change is code\n\n");
        return;
    }
    share_write(out, &d->code);
    text_append(out, " of the changed lines ran (");
    text_decimal(out, d->code.covered, 0);
    text_append(out, " of ");
    text_decimal(out, d->code.n, 0);
    text_append(out, ")\n\n");
}

static int write_table(struct patch_diff *d, bool markdown)
{
    static const char *const names[] = {"File", "Added", "Code", "Ran", "Share", "Not run"};
    struct text_table t;
    struct apf_error *error = d->r->error;
    int code = text_table_init(&t, 6, 1, markdown, error);
    if (code == APF_OK)
        code = text_table_head(&t, names, error);
    for (size_t i = 0; i < d->patch->files.n && code == APF_OK && !d->r->out->sys_errno; i++) {
        code = count_lines(d, &d->patch->files.data[i]);
        if (code == APF_OK)
            code = put_row(d, &t);
    }
    if (code == APF_OK)
        code = put_total(d, &t);
    if (code == APF_OK) {
        put_summary(d, markdown);
        code = text_table_print(&t, d->r->out, error);
    }
    if (code == APF_OK)
        code = diff_lines_print(&d->missed, "Lines that did not run:");
    text_table_free(&t);
    return code;
}

/* ---- JSON ---- */

static void put_file(const struct patch_diff *d, struct json_writer *w)
{
    const struct added_lines *a = &d->now;
    const bool known = a->source != HASH_INDEX_NONE;
    const struct apf_str none = {NULL, 0};
    json_line_object(w);
    json_entry_path(w, patch_file_name(a->file));
    json_entry_name(w, "source", known ? d->r->c->files.list.data[a->source] : none);
    json_entry_u64(w, "added", a->n);
    json_entry_known(w, "code", known, a->code.n);
    json_entry_known(w, "covered", known, a->code.covered);
    json_entry_ranges(w, "missed", &a->missed);
    json_entry_ranges(w, "partly", &a->partly);
    json_object_end(w);
}

static int write_json(struct patch_diff *d)
{
    struct json_writer w;
    int code = APF_OK;
    json_start(&w, file_out_callback, d->r->out, 2);
    json_object_begin(&w);
    json_head(&w, "anyprof-cov-patch/1");
    json_key(&w, "files");
    json_array_begin(&w);
    for (size_t i = 0; i < d->patch->files.n && code == APF_OK && !d->r->out->sys_errno; i++) {
        code = count_lines(d, &d->patch->files.data[i]);
        if (code == APF_OK)
            put_file(d, &w);
    }
    json_array_end(&w);
    json_key(&w, "total");
    json_line_object(&w);
    json_entry_u64(&w, "added", d->n_added);
    json_entry_u64(&w, "code", d->code.n);
    json_entry_u64(&w, "covered", d->code.covered);
    json_entry_u64(&w, "unknown_files", d->r->result->n_unknown);
    json_object_end(&w);
    json_object_end(&w);
    return code == APF_OK ? json_finish(&w, d->r->error) : code;
}

int cov_diff_patch(const struct cov_diff_request *r, const struct patch *patch)
{
    struct patch_diff d = {.r = r, .patch = patch};
    const char *root = r->options->root;
    int code = diff_lines_init(&d.missed, r);
    if (code == APF_OK && !patch_files_make(&d.files, &r->c->files, r->files, r->n_files))
        code = error_memory(r->error);
    if (code == APF_OK && root)
        patch_files_set_root(&d.files, (struct apf_str){root, strlen(root)}, patch);
    if (code == APF_OK)
        code = r->options->format == APF_COV_DIFF_JSON
                   ? write_json(&d)
                   : write_table(&d, r->options->format == APF_COV_DIFF_MARKDOWN);
    r->result->lines = d.code;
    patch_files_free(&d.files);
    covered_lines_free(&d.lines);
    diff_lines_free(&d.missed);
    VEC_FREE(&d.now.missed.list);
    VEC_FREE(&d.now.partly.list);
    return code;
}
