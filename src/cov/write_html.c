/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coverage as pages: a table of files, and the source of each, all on one page, or on a page for each file. */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "base/text_bytes.h"
#include "cov/html_source.h"
#include "cov/page_names.h"
#include "page/markup.h"
#include "page/page.h"

static const struct page_kind source_page = {.scripts = {&source_script}};

struct html_entry {
    uint32_t file;
    struct apf_str name;      /* below the directory that all files are in */
    struct apf_str directory; /* of it */
    const char *page;         /* its name without ".html"; NULL: all is on one page */
    struct cov_summary summary;
};

struct html {
    const struct cov_output *o;
    struct file_out *out;
    VEC(struct html_entry) entries; /* by directories */
    struct page_names names;
    bool branches, mcdc; /* there are some */
    struct apf_error *error;
};

/* ---- what is on the pages ---- */

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct html_entry *x = (const struct html_entry *)a, *y = (const struct html_entry *)b;
    (void)context;
    const int order = sort_compare_bytes(x->directory.p, x->directory.n, y->directory.p, y->directory.n);
    return order ? order < 0 : sort_compare_bytes(x->name.p, x->name.n, y->name.p, y->name.n) < 0;
}

static int collect(struct html *h)
{
    const struct cov_output *o = h->o;
    const size_t cut = cov_common_directory(o);
    struct file_view view = {.file = 0};
    int code = APF_OK;
    for (size_t i = 0; i < o->n_files && code == APF_OK; i++) {
        const struct apf_str full = o->c->files.list.data[o->files[i]];
        struct html_entry e = {.file = o->files[i], .name = {full.p + cut, full.n - cut}};
        const size_t base = text_last_part(e.name).n;
        e.directory = (struct apf_str){e.name.p, e.name.n > base ? e.name.n - base - 1 : 0};
        code = file_view_summarize(&view, o->c, e.file, h->error);
        if (code != APF_OK)
            break;
        e.summary = view.summary;
        h->branches |= e.summary.branches.n != 0;
        h->mcdc |= e.summary.mcdc.n != 0;
        code = VEC_PUSH(&h->entries, e) ? APF_OK : error_memory(h->error);
    }
    file_view_free(&view);
    if (code == APF_OK && !SORT_VEC(&h->entries, entry_before, NULL))
        code = error_memory(h->error);
    return code;
}

static void html_free(struct html *h)
{
    VEC_FREE(&h->entries);
    page_names_free(&h->names);
}

static struct apf_str title(const struct html *h)
{
    const char *given = h->o->options->title;
    const char *text = given ? given : "Coverage";
    return (struct apf_str){text, strlen(text)};
}

/* ---- the table of files ---- */

static void put(struct html *h, const char *text)
{
    text_append(h->out, text);
}

static void share_cell(struct html *h, const struct apf_cov_share *s, bool has_meter)
{
    const struct html_limits limits = html_limits_of(h->o);
    put(h, "<td class=");
    put(h, html_rank(h->o, s));
    if (s->n) {
        put(h, " data-v=");
        text_fixed(h->out, (double)s->covered / (double)s->n * 100.0, 3, 0);
    }
    put(h, ">");
    if (has_meter && s->n) {
        put(h, "<meter min=0 max=100 low=");
        text_fixed(h->out, limits.fair / 100.0, 2, 0);
        put(h, " high=");
        text_fixed(h->out, limits.good / 100.0, 2, 0);
        put(h, " optimum=100 value=");
        text_fixed(h->out, (double)s->covered / (double)s->n * 100.0, 2, 0);
        put(h, "></meter> ");
    }
    html_share(h->out, s);
    put(h, "</td>");
}

static void share_cells(struct html *h, const struct cov_summary *s)
{
    share_cell(h, &s->lines, true);
    share_cell(h, &s->functions, false);
    share_cell(h, &s->regions, false);
    if (h->branches)
        share_cell(h, &s->branches, false);
    if (h->mcdc)
        share_cell(h, &s->mcdc, false);
    put(h, "</tr>\n");
}

static void table_head(struct html *h)
{
    static const char *const names[] = {"File", "Lines", "Functions", "Regions", "Branches", "MC/DC"};
    const bool shown[] = {true, true, true, true, h->branches, h->mcdc};
    put(h, "<table class=files>\n<thead><tr>");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!shown[i])
            continue;
        put(h, "<th scope=col><button type=button>");
        put(h, names[i]);
        put(h, "</button></th>");
    }
    put(h, "</tr></thead>\n");
}

static void file_row(struct html *h, size_t i)
{
    const struct html_entry *e = &h->entries.data[i];
    put(h, "<tr data-name=\"");
    markup_text(h->out, e->name);
    put(h, "\"><td class=in><a href=\"");
    if (e->page) {
        put(h, e->page);
        put(h, ".html");
    } else {
        put(h, "#f");
        text_decimal(h->out, i + 1, 0);
    }
    put(h, "\">");
    markup_text(h->out, text_last_part(e->name));
    put(h, "</a></td>");
    share_cells(h, &e->summary);
}

/* Writes the rows of one directory, to the end of which *i goes on. */
static void directory_rows(struct html *h, size_t *i)
{
    const struct apf_str directory = h->entries.data[*i].directory, here = {".", 1};
    struct cov_summary sum = {.functions = {0, 0}};
    size_t end = *i;
    for (; end < h->entries.n && text_equal(h->entries.data[end].directory, directory); end++)
        summary_add(&sum, &h->entries.data[end].summary);
    put(h, "<tbody>\n<tr class=dir><th scope=rowgroup>");
    markup_text(h->out, directory.n ? directory : here);
    put(h, "</th>");
    share_cells(h, &sum);
    for (; *i < end; ++*i)
        file_row(h, *i);
    put(h, "</tbody>\n");
}

static void index_table(struct html *h)
{
    struct cov_summary sum = {.functions = {0, 0}};
    for (size_t i = 0; i < h->entries.n; i++)
        summary_add(&sum, &h->entries.data[i].summary);
    table_head(h);
    for (size_t i = 0; i < h->entries.n;)
        directory_rows(h, &i);
    put(h, "<tfoot><tr><th scope=row>All</th>");
    share_cells(h, &sum);
    put(h, "</tfoot></table>\n");
}

/* ---- frames ---- */

/* A button, which the script shows. */
static void button(struct html *h, const char *action, const char *words)
{
    put(h, "<button type=button hidden data-do=");
    put(h, action);
    put(h, ">");
    put(h, words);
    put(h, "</button>\n");
}

static void source_tools(struct html *h)
{
    button(h, "next", "Next that never ran (n)");
    button(h, "previous", "Previous (p)");
    button(h, "fold", "Unfold or fold all (f)");
}

static void index_section(struct html *h)
{
    put(h, "<main>\n<section class=index data-title=\"");
    markup_text(h->out, title(h));
    put(h, "\">\n<header><h1>");
    markup_text(h->out, title(h));
    put(h, "</h1><span class=soft>");
    text_decimal(h->out, h->entries.n, 0);
    put(h, h->entries.n == 1 ? " source file" : " source files");
    put(h, "</span></header>\n<div class=tools><label>Files with <input id=filter type=search></label>\n");
    button(h, "find", "Find (/)");
    button(h, "theme", "Dark or light (d)");
    put(h, "</div>\n");
    index_table(h);
    put(h, "</section>\n");
}

/* Writes the section of a file; on a page of its own if `alone`. */
static int file_section(struct html *h, struct html_source *source, size_t i, bool alone)
{
    const struct html_entry *e = &h->entries.data[i];
    bool there = false;
    put(h, "<section class=file data-title=\"");
    markup_text(h->out, e->name);
    put(h, "\"");
    if (!alone) {
        put(h, " id=f");
        text_decimal(h->out, i + 1, 0);
    }
    put(h, ">\n<h2>");
    markup_text(h->out, e->name);
    put(h, "</h2>\n<div class=tools>");
    put(h,
        alone ? "<a class=up href=\"index.html\">All files (u)</a>\n" : "<a href=\"#\">All files (u)</a>\n");
    source_tools(h);
    button(h, "theme", "Dark or light (d)");
    put(h, "<span>Lines: <b class=");
    put(h, html_rank(h->o, &e->summary.lines));
    put(h, ">");
    html_share(h->out, &e->summary.lines);
    put(h, "</b></span></div>\n");
    source->out = h->out;
    source->page = alone ? 0 : i + 1;
    const int code = html_source_write(source, e->file, &there);
    if (code == APF_OK && !there)
        put(h, "<p>The source code cannot be read.</p>\n");
    put(h, "</section>\n");
    return code;
}

int cov_write_html(const struct cov_output *o)
{
    struct html h = {.o = o, .out = o->out, .error = o->error};
    struct html_source source = {.page = 0};
    int code = collect(&h);
    if (code == APF_OK)
        code = html_source_init(&source, o);
    if (code == APF_OK) {
        page_begin(h.out, &source_page, title(&h));
        index_section(&h);
    }
    for (size_t i = 0; i < h.entries.n && code == APF_OK && !o->out->sys_errno; i++)
        code = file_section(&h, &source, i, false);
    if (code == APF_OK) {
        put(&h, "</main>\n");
        page_end(h.out, &source_page);
    }
    html_source_free(&source);
    html_free(&h);
    return code;
}

/* ---- a page for each file ---- */

/* Opens the page with that name in the directory. */
static int open_page(struct html *h, const char *directory, const char *name)
{
    char *path = page_names_path(&h->names, directory, name);
    const struct apf_output output = apf_output_file(path);
    return path ? file_out_open(&h->out, &output, h->error) : error_memory(h->error);
}

static int write_index(struct html *h, const char *directory)
{
    const int code = open_page(h, directory, "index");
    if (code != APF_OK)
        return code;
    page_begin(h->out, &source_page, title(h));
    index_section(h);
    put(h, "</main>\n");
    page_end(h->out, &source_page);
    return file_out_close(h->out, true, h->error);
}

static int write_page(struct html *h, struct html_source *source, size_t i, const char *directory)
{
    const struct html_entry *e = &h->entries.data[i];
    int code = open_page(h, directory, e->page);
    if (code != APF_OK)
        return code;
    page_begin(h->out, &source_page, e->name);
    put(h, "<main>\n");
    code = file_section(h, source, i, true);
    put(h, "</main>\n");
    page_end(h->out, &source_page);
    return file_out_finish(h->out, code, h->error);
}

int cov_write_pages(const struct cov_output *o, const char *directory)
{
    struct html h = {.o = o, .error = o->error};
    struct html_source source = {.page = 0};
    int code = collect(&h);
    for (size_t i = 0; i < h.entries.n && code == APF_OK; i++)
        if (!(h.entries.data[i].page = page_names_add(&h.names, h.entries.data[i].name)))
            code = error_memory(o->error);
    if (code == APF_OK)
        code = html_source_init(&source, o);
    for (size_t i = 0; i < h.entries.n && code == APF_OK; i++)
        code = write_page(&h, &source, i, directory);
    if (code == APF_OK) /* last, so that it leads nowhere else than to complete pages */
        code = write_index(&h, directory);
    html_source_free(&source);
    html_free(&h);
    return code;
}
