/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cobertura's XML, by its DTD coverage-04. Sums come before what they are of, so files are collected twice: once for
 * their sums, which are kept, and once to be written. */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "base/text_bytes.h"
#include "cov/covered_lines.h"
#include "cov/outputs.h"
#include "cov/share_text.h"
#include "page/markup.h"

#define RATE_DIGITS 4u

struct file_entry {
    uint32_t file;
    struct apf_str name;    /* below the root */
    struct apf_str package; /* its directory */
    struct line_totals totals;
};

struct cobertura {
    const struct cov_output *o;
    const struct coverage *c;
    struct file_out *out;
    struct covered_lines lines;
    struct apf_str root;          /* the directory that all files are in; n == 0: there is none */
    VEC(struct file_entry) files; /* by packages */
};

/* ---- values ---- */

static void put(struct cobertura *x, const char *text)
{
    text_append(x->out, text);
}

static void attribute(struct cobertura *x, const char *name, struct apf_str value)
{
    put(x, " ");
    put(x, name);
    put(x, "=\"");
    markup_text(x->out, value);
    put(x, "\"");
}

static void number(struct cobertura *x, const char *name, uint64_t v)
{
    put(x, " ");
    put(x, name);
    put(x, "=\"");
    text_decimal(x->out, v, 0);
    put(x, "\"");
}

/* A share with four digits: 1 is all; of nothing, it is 1. */
static void rate(struct cobertura *x, const char *name, const struct apf_cov_share *s)
{
    const unsigned part = share_parts(s);
    char digits[DECIMAL_MAX];
    const unsigned n = decimal_store((uint8_t *)digits, part % SHARE_ONE);
    put(x, " ");
    put(x, name);
    put(x, part == SHARE_ONE ? "=\"1." : "=\"0.");
    for (unsigned i = n; i < RATE_DIGITS; i++)
        put(x, "0");
    (void)file_out_write(x->out, digits, n);
    put(x, "\"");
}

static void rates(struct cobertura *x, const struct line_totals *t)
{
    rate(x, "line-rate", &t->lines);
    rate(x, "branch-rate", &t->sides);
    put(x, " complexity=\"0\"");
}

/* ---- lines ---- */

/* Writes which branches of a line were decided both ways: "50%" has one side of two. */
static void conditions(struct cobertura *x, const struct code_line *line)
{
    put(x, "<conditions>");
    for (size_t i = 0; i < line->n_branches; i++) {
        struct apf_cov_share sides = {0, 0};
        branch_sides_add(&sides, &line->branches[i]);
        put(x, "<condition");
        number(x, "number", i);
        put(x, " type=\"jump\" coverage=\"");
        text_decimal(x->out, sides.n ? sides.covered * 100 / sides.n : 100, 0);
        put(x, "%\"/>");
    }
    put(x, "</conditions></line>\n");
}

static void code_line(struct cobertura *x, const struct code_line *line)
{
    put(x, "<line");
    number(x, "number", line->line);
    number(x, "hits", line->count);
    if (!line->sides.n) {
        put(x, " branch=\"false\"/>\n");
        return;
    }
    put(x, " branch=\"true\" condition-coverage=\"");
    text_decimal(x->out, line->sides.covered * 100 / line->sides.n, 0);
    put(x, "% (");
    text_decimal(x->out, line->sides.covered, 0);
    put(x, "/");
    text_decimal(x->out, line->sides.n, 0);
    put(x, ")\">");
    conditions(x, line);
}

/* ---- classes, which are files ---- */

/* Writes the functions of the file, each with its first line. */
static void methods(struct cobertura *x, uint32_t file)
{
    const struct file_functions functions = coverage_functions(x->c, file);
    put(x, "<methods>\n");
    for (size_t i = 0; i < functions.n; i++) {
        const struct cov_function *f = &x->c->functions.data[(uint32_t)functions.pairs[i]];
        const struct line_totals totals = {{f->summary.lines, f->summary.covered_lines},
                                           {f->summary.branches, f->summary.covered_branches}};
        if (f->main_file != file)
            continue;
        put(x, "<method");
        attribute(x, "name", cov_output_name(x->o, f));
        put(x, " signature=\"\"");
        rates(x, &totals);
        put(x, "><lines><line");
        number(x, "number", f->line);
        number(x, "hits", f->count);
        put(x, " branch=\"false\"/></lines></method>\n");
    }
    put(x, "</methods>\n");
}

static int class(struct cobertura *x, const struct file_entry *f)
{
    const int code = covered_lines_make(&x->lines, x->c, f->file, x->o->error);
    if (code != APF_OK)
        return code;
    put(x, "<class");
    attribute(x, "name", text_last_part(f->name));
    attribute(x, "filename", f->name);
    rates(x, &f->totals);
    put(x, ">\n");
    methods(x, f->file);
    put(x, "<lines>\n");
    struct code_lines lines = code_lines_of(&x->lines);
    struct code_line line;
    while (!x->out->sys_errno && code_lines_next(&lines, &line))
        code_line(x, &line);
    put(x, "</lines>\n</class>\n");
    return APF_OK;
}

static void totals_add(struct line_totals *to, const struct line_totals *from)
{
    share_add(&to->lines, &from->lines);
    share_add(&to->sides, &from->sides);
}

/* Writes the files of one directory: those from *i on, to which it goes on. */
static int package(struct cobertura *x, size_t *i)
{
    const struct apf_str name = x->files.data[*i].package, here = {".", 1};
    struct line_totals totals = {.lines = {0, 0}};
    size_t end = *i;
    int code = APF_OK;
    while (end < x->files.n && text_equal(x->files.data[end].package, name))
        totals_add(&totals, &x->files.data[end++].totals);
    put(x, "<package");
    attribute(x, "name", name.n ? name : here);
    rates(x, &totals);
    put(x, ">\n<classes>\n");
    for (; *i < end && code == APF_OK && !x->out->sys_errno; ++*i)
        code = class(x, &x->files.data[*i]);
    put(x, "</classes>\n</package>\n");
    *i = end;
    return code;
}

/* ---- the document ---- */

/* Sets the root, if the names of files are absolute, and what is below it. */
static void find_root(struct cobertura *x)
{
    const size_t n = cov_common_directory(x->o);
    if (n && x->files.n &&
        (x->files.data[0].name.p[0] == '/' || (n > 1 && x->files.data[0].name.p[1] == ':')))
        x->root = (struct apf_str){x->files.data[0].name.p, n};
    for (size_t i = 0; i < x->files.n; i++) {
        struct file_entry *f = &x->files.data[i];
        f->name = (struct apf_str){f->name.p + x->root.n, f->name.n - x->root.n};
        const size_t base = text_last_part(f->name).n;
        f->package = (struct apf_str){f->name.p, f->name.n > base ? f->name.n - base - 1 : 0};
    }
}

static bool package_before(const void *context, const void *a, const void *b)
{
    const struct file_entry *x = (const struct file_entry *)a, *y = (const struct file_entry *)b;
    (void)context;
    const int order = sort_compare_bytes(x->package.p, x->package.n, y->package.p, y->package.n);
    return order ? order < 0 : sort_compare_bytes(x->name.p, x->name.n, y->name.p, y->name.n) < 0;
}

/* Adds up each file. */
static int collect(struct cobertura *x)
{
    int code = APF_OK;
    for (size_t i = 0; i < x->o->n_files && code == APF_OK; i++) {
        struct file_entry f = {.file = x->o->files[i], .name = x->c->files.list.data[x->o->files[i]]};
        code = covered_lines_make(&x->lines, x->c, f.file, x->o->error);
        if (code != APF_OK)
            break;
        f.totals = covered_lines_totals(&x->lines);
        code = VEC_PUSH(&x->files, f) ? APF_OK : error_memory(x->o->error);
    }
    if (code != APF_OK)
        return code;
    find_root(x);
    return SORT_VEC(&x->files, package_before, NULL) ? APF_OK : error_memory(x->o->error);
}

static void head(struct cobertura *x)
{
    const struct apf_str here = {".", 1}, version = {apf_version(), strlen(apf_version())};
    struct line_totals totals = {.lines = {0, 0}};
    for (size_t i = 0; i < x->files.n; i++)
        totals_add(&totals, &x->files.data[i].totals);
    put(x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    rate(x, "line-rate", &totals.lines);
    rate(x, "branch-rate", &totals.sides);
    number(x, "lines-covered", totals.lines.covered);
    number(x, "lines-valid", totals.lines.n);
    number(x, "branches-covered", totals.sides.covered);
    number(x, "branches-valid", totals.sides.n);
    put(x, " complexity=\"0\"");
    attribute(x, "version", version);
    number(x, "timestamp", x->o->options->created);
    put(x, ">\n<sources><source>");
    markup_text(x->out, x->root.n ? x->root : here);
    put(x, "</source></sources>\n<packages>\n");
}

int cov_write_cobertura(const struct cov_output *o)
{
    struct cobertura x = {.o = o, .c = o->c, .out = o->out};
    int code = collect(&x);
    if (code == APF_OK)
        head(&x);
    for (size_t i = 0; i < x.files.n && code == APF_OK && !o->out->sys_errno;)
        code = package(&x, &i);
    put(&x, "</packages>\n</coverage>\n");
    covered_lines_free(&x.lines);
    VEC_FREE(&x.files);
    return code;
}
