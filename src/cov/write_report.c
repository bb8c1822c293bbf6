/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of files and of functions, as llvm-cov report prints them. */
#include <string.h>

#include "base/error.h"
#include "base/text_append.h"
#include "cov/outputs.h"
#include "cov/text_table.h"

#define LEAST_NAME_WIDTH 25u

static const struct apf_str total_name = {"TOTAL", 5};

enum { REGION_COLUMNS = 1, BRANCH_COLUMNS = 2, INSTANTIATION_COLUMNS = 4, MCDC_COLUMNS = 8 };

/* Three columns about one thing. */
struct column_group {
    unsigned needs; /* *_COLUMNS; 0: it is always shown */
    const char *titles[3];
    unsigned widths[3];
    size_t share; /* offset of its numbers in struct cov_summary */
};

static const struct column_group file_groups[] = {
    {REGION_COLUMNS,
     {"Regions", "Missed Regions", "Cover"},
     {12, 18, 10},
     offsetof(struct cov_summary, regions)},
    {0, {"Functions", "Missed Functions", "Executed"}, {12, 18, 10}, offsetof(struct cov_summary, functions)},
    {INSTANTIATION_COLUMNS,
     {"Instantiations", "Missed Insts.", "Executed"},
     {16, 16, 10},
     offsetof(struct cov_summary, instantiations)},
    {0, {"Lines", "Missed Lines", "Cover"}, {12, 18, 10}, offsetof(struct cov_summary, lines)},
    {BRANCH_COLUMNS,
     {"Branches", "Missed Branches", "Cover"},
     {12, 18, 10},
     offsetof(struct cov_summary, branches)},
    {MCDC_COLUMNS,
     {"MC/DC Conditions", "Missed Conditions", "Cover"},
     {20, 21, 10},
     offsetof(struct cov_summary, mcdc)}};
static const struct column_group function_groups[] = {
    {REGION_COLUMNS, {"Regions", "Miss", "Cover"}, {10, 8, 8}, offsetof(struct cov_summary, regions)},
    {0, {"Lines", "Miss", "Cover"}, {10, 8, 8}, offsetof(struct cov_summary, lines)},
    {BRANCH_COLUMNS, {"Branches", "Miss", "Cover"}, {10, 8, 8}, offsetof(struct cov_summary, branches)},
    {MCDC_COLUMNS, {"MC/DC Conditions", "Miss", "Cover"}, {20, 8, 8}, offsetof(struct cov_summary, mcdc)}};

struct table {
    struct file_out *out;
    const struct column_group *groups;
    size_t n_groups;
    unsigned columns; /* *_COLUMNS */
    size_t name_width;
    bool zero_percent; /* 0 of 0 is shown as 0.00%, else as - */
    size_t limit;      /* of the width; 0: none */
    struct apf_error *error;
};

static unsigned columns_of(const struct cov_output *o)
{
    return (cov_output_has(o, APF_COV_NO_REGIONS) ? 0 : REGION_COLUMNS) |
           (cov_output_has(o, APF_COV_NO_BRANCHES) ? 0 : BRANCH_COLUMNS) |
           (cov_output_has(o, APF_COV_INSTANTIATIONS) ? INSTANTIATION_COLUMNS : 0) |
           (cov_output_has(o, APF_COV_MCDC) ? MCDC_COLUMNS : 0);
}

static bool is_shown(const struct table *t, const struct column_group *g)
{
    return g->needs == 0 || t->columns & g->needs;
}

static void text_left(struct table *t, struct apf_str text, size_t width)
{
    (void)file_out_write(t->out, text.p, text.n);
    text_blanks(t->out, width > text.n ? width - text.n : 0);
}

static void text_right(struct table *t, const char *text, size_t width)
{
    const size_t n = strlen(text);
    text_blanks(t->out, width > n ? width - n : 0);
    text_append(t->out, text);
}

static void table_heading(struct table *t, const char *name)
{
    text_left(t, (struct apf_str){name, strlen(name)}, t->name_width);
    for (size_t i = 0; i < t->n_groups; i++)
        for (size_t k = 0; k < 3 && is_shown(t, &t->groups[i]); k++)
            text_right(t, t->groups[i].titles[k], t->groups[i].widths[k]);
    text_append(t->out, "\n");
}

static size_t table_width(const struct table *t)
{
    size_t width = t->name_width;
    for (size_t i = 0; i < t->n_groups; i++)
        for (size_t k = 0; k < 3 && is_shown(t, &t->groups[i]); k++)
            width += t->groups[i].widths[k];
    return width;
}

static void table_divider(struct table *t)
{
    for (size_t width = table_width(t); width; width--)
        text_append(t->out, "-");
    text_append(t->out, "\n");
}

static const struct apf_cov_share *share_of(const struct cov_summary *s, const struct column_group *g)
{
    return (const struct apf_cov_share *)((const char *)s + g->share);
}

static void table_row(struct table *t, struct apf_str name, const struct cov_summary *s)
{
    text_left(t, name, t->name_width);
    for (size_t i = 0; i < t->n_groups; i++) {
        const struct column_group *g = &t->groups[i];
        const struct apf_cov_share *share = share_of(s, g);
        if (!is_shown(t, g))
            continue;
        text_decimal(t->out, (uint32_t)share->n, g->widths[0]);
        text_decimal(t->out, (uint32_t)(share->n - share->covered), g->widths[1]);
        if (share->n || t->zero_percent) {
            text_fixed(t->out, cov_percent(share), 2, g->widths[2] - 1);
            text_append(t->out, "%");
        } else {
            text_right(t, "-", g->widths[2]);
        }
    }
    text_append(t->out, "\n");
}

/* ---- the narrower form: shares and what ran, without empty columns, and names at the end ---- */

static bool is_narrow(const struct table *t)
{
    return t->limit && table_width(t) > t->limit;
}

/* Begins a table without the columns that are empty in all rows. text_table_free must follow either way. */
static int narrow_begin(struct text_table *rows, const struct table *t, unsigned *columns,
                        const struct cov_summary *total, const char *name)
{
    const char *titles[2 * sizeof file_groups / sizeof *file_groups + 1];
    size_t n = 0;
    *columns = t->columns;
    for (size_t i = 0; i < t->n_groups; i++) {
        const struct column_group *g = &t->groups[i];
        if (!share_of(total, g)->n)
            *columns &= ~g->needs;
        if (g->needs && !(*columns & g->needs))
            continue;
        titles[n++] = g->titles[0];
        titles[n++] = "";
    }
    titles[n++] = name;
    const int code = text_table_init(rows, n, 0, false, t->error);
    return code == APF_OK ? text_table_head(rows, titles, t->error) : code;
}

static int narrow_row(struct text_table *rows, const struct table *t, unsigned columns, struct apf_str name,
                      const struct cov_summary *s)
{
    int code = APF_OK;
    for (size_t i = 0; i < t->n_groups && code == APF_OK; i++) {
        const struct column_group *g = &t->groups[i];
        const struct apf_cov_share *share = share_of(s, g);
        if (g->needs && !(columns & g->needs))
            continue;
        code = text_table_share(rows, share, t->error);
        text_decimal(rows->cells, share->covered, 0);
        text_append(rows->cells, "/");
        text_decimal(rows->cells, share->n, 0);
        if (code == APF_OK)
            code = text_table_end(rows, t->error);
    }
    return code == APF_OK ? text_table_name(rows, name, t->error) : code;
}

/* Writes the row of all and the table after work that returned `code`, and frees the rows. */
static int narrow_end(struct text_table *rows, const struct table *t, unsigned columns,
                      const struct cov_summary *total, int code)
{
    if (code == APF_OK)
        code = narrow_row(rows, t, columns, total_name, total);
    if (code == APF_OK)
        code = text_table_print(rows, t->out, t->error);
    text_table_free(rows);
    return code;
}

/* ---- files ---- */

/* The names of files as they are shown. */
struct shown_names {
    struct apf_str *list;
    struct arena arena;
    size_t longest;
};

static bool show_names(struct shown_names *names, const struct cov_output *o)
{
    const size_t cut = o->n_files > 1 ? cov_common_directory(o) : 0;
    names->list = arena_array(&names->arena, o->n_files, sizeof *names->list);
    for (size_t i = 0; i < o->n_files && names->list; i++) {
        const struct apf_str name = o->c->files.list.data[o->files[i]];
        char *text = arena_bytes(&names->arena, name.n + 1);
        if (!text)
            return false;
        names->list[i] = (struct apf_str){text, file_names_clean(text, name.p + cut, name.n - cut)};
        if (names->list[i].n > names->longest)
            names->longest = names->list[i].n;
    }
    return names->list != NULL;
}

/* Writes the rows of files that have functions, or have none. Returns how many were left out. */
static size_t write_rows(struct table *t, const struct shown_names *names,
                         const struct cov_summary *summaries, size_t n, bool with_functions)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        if ((summaries[i].functions.n != 0) == with_functions)
            table_row(t, names->list[i], &summaries[i]);
        else
            left++;
    return left;
}

static int write_narrow(struct table *t, const struct shown_names *names, const struct cov_summary *summaries,
                        size_t n, const struct cov_summary *total)
{
    struct text_table rows;
    unsigned columns;
    int code = narrow_begin(&rows, t, &columns, total, "Filename");
    for (size_t i = 0; i < n && code == APF_OK; i++)
        code = narrow_row(&rows, t, columns, names->list[i], &summaries[i]);
    return narrow_end(&rows, t, columns, total, code);
}

static int write_table(struct table *t, const struct shown_names *names, const struct cov_summary *summaries,
                       size_t n, bool has_filters)
{
    struct cov_summary total = {.functions = {0, 0}};
    for (size_t i = 0; i < n; i++)
        summary_add(&total, &summaries[i]);
    if (is_narrow(t))
        return write_narrow(t, names, summaries, n, &total);
    table_heading(t, "Filename");
    table_divider(t);
    if (write_rows(t, names, summaries, n, true) && !has_filters) {
        text_append(t->out, "\nFiles which contain no functions:\n");
        (void)write_rows(t, names, summaries, n, false);
    }
    table_divider(t);
    table_row(t, total_name, &total);
    return APF_OK;
}

int cov_write_report(const struct cov_output *o)
{
    struct shown_names names = {.list = NULL};
    struct file_view view = {.file = 0};
    int code = show_names(&names, o) ? APF_OK : error_memory(o->error);
    struct cov_summary *summaries =
        code == APF_OK ? arena_array(&names.arena, o->n_files, sizeof *summaries) : NULL;
    if (code == APF_OK && !summaries)
        code = error_memory(o->error);
    for (size_t i = 0; i < o->n_files && code == APF_OK; i++) {
        code = file_view_summarize(&view, o->c, o->files[i], o->error);
        summaries[i] = view.summary;
    }
    struct table t = {.out = o->out,
                      .groups = file_groups,
                      .n_groups = sizeof file_groups / sizeof *file_groups,
                      .columns = columns_of(o),
                      .limit = o->options->width,
                      .error = o->error};
    t.name_width = names.longest > LEAST_NAME_WIDTH ? names.longest : LEAST_NAME_WIDTH;
    if (code == APF_OK)
        code = write_table(&t, &names, summaries, o->n_files,
                           o->options->filter != NULL || cov_output_has(o, APF_COV_FUNCTION_VIEWS));
    file_view_free(&view);
    arena_free(&names.arena);
    return code;
}

/* ---- functions ---- */

static struct cov_summary summary_of(const struct function_summary *f)
{
    const struct cov_summary s = {.regions = {f->regions, f->covered_regions},
                                  .lines = {f->lines, f->covered_lines},
                                  .branches = {f->branches, f->covered_branches},
                                  .mcdc = {f->mcdc, f->covered_mcdc}};
    return s;
}

struct function_rows {
    const struct cov_output *o;
    const struct coverage *c;
    struct table table;
    VEC(uint32_t) functions; /* of a file */
    struct apf_error *error;
};

/* Finds the functions whose first file this is, and widens the column of names for them. */
static int find_functions(struct function_rows *r, uint32_t file)
{
    const struct file_functions functions = coverage_functions(r->c, file);
    r->functions.n = 0;
    for (size_t i = 0; i < functions.n; i++) {
        const uint32_t number = (uint32_t)functions.pairs[i];
        const struct cov_function *f = &r->c->functions.data[number];
        if (f->first_file != file)
            continue;
        const size_t width = cov_output_name(r->o, f).n;
        if (width > r->table.name_width)
            r->table.name_width = width;
        if (!VEC_PUSH(&r->functions, number))
            return error_memory(r->error);
    }
    return APF_OK;
}

/* The numbers of one of the functions that were found. */
static struct cov_summary function_summary_at(const struct function_rows *r, size_t i)
{
    return summary_of(&r->c->functions.data[r->functions.data[i]].summary);
}

static struct apf_str function_name_at(const struct function_rows *r, size_t i)
{
    return cov_output_name(r->o, &r->c->functions.data[r->functions.data[i]]);
}

static int write_narrow_functions(struct function_rows *r, const struct cov_summary *total)
{
    struct table *t = &r->table;
    struct text_table rows;
    unsigned columns;
    int code = narrow_begin(&rows, t, &columns, total, "Name");
    for (size_t i = 0; i < r->functions.n && code == APF_OK; i++) {
        const struct cov_summary s = function_summary_at(r, i);
        code = narrow_row(&rows, t, columns, function_name_at(r, i), &s);
    }
    return narrow_end(&rows, t, columns, total, code);
}

static int write_functions_of(struct function_rows *r, uint32_t file, bool first)
{
    const struct apf_str name = r->c->files.list.data[file];
    struct cov_summary total = {.functions = {0, 0}};
    struct table *t = &r->table;
    const int code = find_functions(r, file);
    for (size_t i = 0; i < r->functions.n; i++) {
        const struct cov_summary s = function_summary_at(r, i);
        summary_add(&total, &s);
    }
    text_append(t->out, first ? "File '" : "\nFile '");
    (void)file_out_write(t->out, name.p, name.n);
    text_append(t->out, "':\n");
    if (code != APF_OK || is_narrow(t))
        return code == APF_OK ? write_narrow_functions(r, &total) : code;
    table_heading(t, "Name");
    table_divider(t);
    for (size_t i = 0; i < r->functions.n; i++) {
        const struct cov_summary s = function_summary_at(r, i);
        table_row(t, function_name_at(r, i), &s);
    }
    if (r->functions.n) {
        table_divider(t);
        table_row(t, total_name, &total);
    }
    return code;
}

int cov_write_functions(const struct cov_output *o)
{
    struct function_rows r = {.o = o, .c = o->c, .error = o->error};
    int code = APF_OK;
    r.table = (struct table){.out = o->out,
                             .groups = function_groups,
                             .n_groups = sizeof function_groups / sizeof *function_groups,
                             .columns = columns_of(o),
                             .name_width = LEAST_NAME_WIDTH,
                             .zero_percent = true,
                             .limit = o->options->width,
                             .error = o->error};
    for (size_t i = 0; i < o->n_files && code == APF_OK; i++)
        code = write_functions_of(&r, o->files[i], i == 0);
    VEC_FREE(&r.functions);
    return code;
}
