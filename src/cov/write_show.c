/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source code with its counts, as llvm-cov show prints it. Views are shown inside of
 * others. */
#include <string.h>

#include "base/text_append.h"
#include "cov/outputs.h"
#include "cov/show_pages.h"
#include "cov/source_view.h"
#include "cov/write_decision.h"

#define NUMBER_WIDTH 5u
#define COUNT_WIDTH 7u
#define RED "\033[1;31m"
#define PLAIN "\033[0m"
#define FRAME_MORE 4u /* a frame is longer than the columns */
/* Macros in macros: more of them are not shown. */
#define MOST_DEPTH 500u

struct show {
    const struct cov_output *o;
    bool counts;              /* lines have counts */
    struct file_out *out;     /* NULL between pages */
    struct show_pages *pages; /* NULL: all is one text */
    struct view_reader reader;
};

/* ---- text ---- */

static void prefix(struct show *s, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++)
        text_append(s->out, "  |");
}

static unsigned columns_width(const struct show *s)
{
    return (s->counts ? COUNT_WIDTH + 1 : 0) + NUMBER_WIDTH + 1;
}

static void frame(struct show *s, unsigned depth)
{
    prefix(s, depth - 1);
    text_append(s->out, "  ");
    for (unsigned i = 0; i < columns_width(s) + FRAME_MORE; i++)
        text_append(s->out, "-");
    text_append(s->out, "\n");
}

/* A count with three digits, such as 1.23k; `text` has room for 24 bytes. */
static size_t count_text(char *text, uint64_t count)
{
    uint8_t digits[DECIMAL_MAX];
    const unsigned n = decimal_store(digits, count);
    if (n <= 3) {
        memcpy(text, digits, n);
        return n;
    }
    const unsigned before = n % 3 ? n % 3 : 3;
    size_t at = before;
    memcpy(text, digits, before);
    if (before < 3) {
        text[at++] = '.';
        memcpy(text + at, digits + before, 3 - before);
        at += 3 - before;
    }
    text[at++] = " kMGTPEZY"[(n - 1) / 3];
    return at;
}

static void put_count(struct show *s, uint64_t count, size_t width)
{
    char text[32];
    const size_t n = count_text(text, s->o->c->binary ? count != 0 : count);
    text_blanks(s->out, width > n ? width - n : 0);
    (void)file_out_write(s->out, text, n);
}

/* ---- lines ---- */

/* The number of a line, of which the first digits are shown. */
static void put_number(struct show *s, uint64_t line)
{
    char digits[DECIMAL_MAX];
    const unsigned n = decimal_store((uint8_t *)digits, line);
    text_blanks(s->out, n < NUMBER_WIDTH ? NUMBER_WIDTH - n : 0);
    (void)file_out_write(s->out, digits, n < NUMBER_WIDTH ? n : NUMBER_WIDTH);
    text_append(s->out, "|");
}

/* Begins or ends what stands out, on terminals with colours. */
static void stand_out(struct show *s, bool begins)
{
    if (cov_output_has(s->o, APF_COV_COLORS))
        file_out_sequence(s->out, begins ? RED : PLAIN);
}

/* Writes the text of a line; with colours, what never ran stands out. */
static void put_code(struct show *s, const struct view_lines *l)
{
    struct view_pieces pieces = view_pieces_of(l);
    struct view_piece piece;
    if (!cov_output_has(s->o, APF_COV_COLORS)) {
        (void)file_out_write(s->out, l->text.p, l->text.n);
        return;
    }
    while (view_pieces_next(&pieces, &piece)) {
        const bool missed = piece.missed && piece.text.n;
        if (missed)
            file_out_sequence(s->out, RED);
        source_line_write(s->out, piece.text);
        if (missed)
            file_out_sequence(s->out, PLAIN);
    }
}

static void put_line(struct show *s, const struct view_lines *l, unsigned depth)
{
    prefix(s, depth);
    put_number(s, l->line);
    if (s->counts) {
        const bool missed = l->run.mapped && !l->run.count;
        if (missed)
            stand_out(s, true);
        if (l->run.mapped)
            put_count(s, l->run.count, COUNT_WIDTH);
        else
            text_blanks(s->out, COUNT_WIDTH);
        if (missed)
            stand_out(s, false);
        text_append(s->out, "|");
    }
    put_code(s, l);
    text_append(s->out, "\n");
}

static bool has_markers(const struct show *s, const struct line_run *run)
{
    bool any = false;
    for (size_t i = 0; i + 1 < run->n_segments; i++)
        any |=
            run->segments[i].is_entry && run->segments[i].has_count && run->segments[i].count != run->count;
    return any && cov_output_has(s->o, APF_COV_REGIONS);
}

/* Below a line, the counts of regions that begin in it and have another one than the line. */
static void put_markers(struct show *s, const struct line_run *run, unsigned depth)
{
    const size_t n = run->n_segments > 1 ? run->n_segments - 1 : run->n_segments;
    uint32_t column = 1;
    prefix(s, depth);
    text_blanks(s->out, columns_width(s));
    for (size_t i = 0; i < n; i++) {
        const struct segment *segment = &run->segments[i];
        char text[32];
        if (!segment->is_entry || segment->count == run->count)
            continue;
        if (segment->column > column)
            text_blanks(s->out, segment->column - column);
        const size_t length = count_text(text, segment->count); /* also where others are 0 or 1, as in LLVM */
        text_append(s->out, "^");
        (void)file_out_write(s->out, text, length);
        column = segment->column + 1 + (uint32_t)length;
    }
    text_append(s->out, "\n");
}

/* ---- branches ---- */

static void put_side(struct show *s, const struct region *r, bool side)
{
    const uint64_t count = side ? r->count : r->false_count, total = r->count + r->false_count;
    if (branch_folded(r, side)) {
        text_append(s->out, "Folded");
        return;
    }
    text_append(s->out, side ? "True: " : "False: ");
    if (!count)
        stand_out(s, true);
    if (cov_output_has(s->o, APF_COV_BRANCH_PERCENT)) {
        text_fixed(s->out, total ? (double)count / (double)total * 100.0 : 0, 2, 0);
        text_append(s->out, "%");
    } else {
        put_count(s, count, 0);
    }
    if (!count)
        stand_out(s, false);
}

static void put_branch(struct show *s, const struct region *r, unsigned depth)
{
    prefix(s, depth);
    text_append(s->out, "  Branch ");
    place_write(s->out, r->line, r->column);
    text_append(s->out, ": [");
    if (branch_folded(r, false) && branch_folded(r, true)) {
        text_append(s->out, "Folded - Ignored]\n");
        return;
    }
    put_side(s, r, true);
    text_append(s->out, ", ");
    put_side(s, r, false);
    text_append(s->out, "]\n");
}

/* ---- MC/DC ---- */

static void put_decisions(struct show *s, const struct view_decisions *text, unsigned depth)
{
    const char *at = (const char *)s->reader.text.data + text->from;
    const char *end = (const char *)s->reader.text.data + text->to;
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        prefix(s, depth);
        (void)file_out_write(s->out, at, (size_t)(line + 1 - at));
        at = line + 1;
    }
}

/* ---- views ---- */

static int print_view(struct show *s, const struct source_view *v, unsigned depth);

static int print_expansion(struct show *s, const struct view_region *e, unsigned depth)
{
    struct source_view v = {.whole = false};
    int code = APF_OK;
    if (depth < MOST_DEPTH)
        code = view_open_function(&s->reader, &v, e->function, e->region.expanded, false);
    if (code == APF_OK && v.segments.list.n && v.text.there)
        code = print_view(s, &v, depth + 1); /* it has two prefixes */
    view_close(&s->reader, &v);
    return code;
}

static int print_instantiation(struct show *s, const struct source_view *outer,
                               const struct view_instantiation *i, unsigned depth)
{
    const struct cov_function *f = &s->o->c->functions.data[i->function];
    const size_t text = s->reader.text.n;
    struct source_view v = {.whole = false};
    uint32_t main;
    prefix(s, depth);
    text_append(s->out, f->count ? " " : " Unexecuted instantiation: ");
    const struct apf_str name = cov_output_name(s->o, f);
    (void)file_out_write(s->out, name.p, name.n);
    text_append(s->out, f->count && name.n ? ":\n" : f->count ? "" : "\n");
    if (!f->count)
        return APF_OK;
    int code = view_main_file(&s->reader, i->function, &main);
    if (code == APF_OK && main != UINT32_MAX)
        code = view_open_function(&s->reader, &v, i->function, main, true);
    v.text = outer->text;
    if (code == APF_OK)
        code = print_view(s, &v, depth);
    view_close(&s->reader, &v);
    s->reader.text.n = text;
    return code;
}

static int print_expansions(struct show *s, struct view_lines *l, unsigned depth, bool *any)
{
    const struct view_region *e;
    int code = APF_OK;
    while (code == APF_OK && (e = view_next_expansion(l)) != NULL) {
        frame(s, depth + 1);
        if (*any) { /* the line again, for the next one */
            prefix(s, depth);
            text_blanks(s->out, columns_width(s) + (depth != 0));
            (void)file_out_write(s->out, l->text.p, l->text.n);
            text_append(s->out, "\n");
            frame(s, depth + 1);
        }
        code = print_expansion(s, e, depth + 1);
        *any = true;
    }
    return code;
}

/* Prints the branches that begin in a line: each row of them that was found is a block. */
static void print_branches(struct show *s, struct view_lines *l, unsigned depth, bool *any)
{
    const struct region *branch;
    uint32_t block = UINT32_MAX;
    while ((branch = view_next_branch(l)) != NULL) {
        if (branch->file != block)
            frame(s, depth + 1);
        block = branch->file;
        put_branch(s, branch, depth + 1);
        *any = true;
    }
}

/* Prints what belongs to a line. */
static int print_inner(struct show *s, struct view_lines *l, unsigned depth)
{
    const struct view_instantiation *instantiation;
    const struct view_decisions *decisions;
    bool any = false;
    int code = print_expansions(s, l, depth, &any);
    while (code == APF_OK && (instantiation = view_next_instantiation(l)) != NULL) {
        frame(s, depth + 1);
        code = print_instantiation(s, l->view, instantiation, depth + 1);
        any = true;
    }
    if (code == APF_OK)
        print_branches(s, l, depth, &any);
    while ((decisions = view_next_decisions(l)) != NULL) {
        frame(s, depth + 1);
        put_decisions(s, decisions, depth + 1);
        any = true;
    }
    if (any)
        frame(s, depth + 1);
    return code;
}

static int print_view(struct show *s, const struct source_view *v, unsigned depth)
{
    struct view_lines l = view_lines_of(v);
    int code = APF_OK;
    while (code == APF_OK && !s->out->sys_errno && view_lines_next(&l)) {
        put_line(s, &l, depth);
        if (has_markers(s, &l.run))
            put_markers(s, &l.run, depth);
        code = print_inner(s, &l, depth);
    }
    return code;
}

/* ---- files ---- */

/* Opens the page of a file, unless it is open, or all is one text. */
static int begin_page(struct show *s, uint32_t file)
{
    return s->out ? APF_OK : show_pages_open(s->pages, file, &s->out);
}

/* Closes the page after work that returned `code`. */
static int end_page(struct show *s, int code)
{
    struct file_out *out = s->out;
    if (!s->pages || !out)
        return code;
    s->out = NULL;
    return file_out_finish(out, code, s->o->error);
}

static int show_file(struct show *s, uint32_t number)
{
    struct source_view v = {.whole = true};
    const struct apf_str name = s->o->c->files.list.data[number];
    int code = view_open_file(&s->reader, &v, number);
    if (code == APF_OK && v.text.there) {
        code = begin_page(s, number);
        if (code == APF_OK && (s->o->n_files > 1 || s->pages) && name.n) {
            (void)file_out_write(s->out, name.p, name.n);
            text_append(s->out, ":\n");
        }
        if (code == APF_OK) {
            code = print_view(s, &v, 0);
            text_append(s->out, "\n");
        }
        code = end_page(s, code);
    }
    view_close(&s->reader, &v);
    return code;
}

static int show_function(struct show *s, uint32_t number)
{
    const struct cov_function *f = &s->o->c->functions.data[number];
    struct source_view v = {.whole = false};
    uint32_t main;
    int code = view_main_file(&s->reader, number, &main);
    if (code == APF_OK && main != UINT32_MAX)
        code = view_open_function(&s->reader, &v, number, main, true);
    if (code == APF_OK && v.text.there)
        code = begin_page(s, f->first_file);
    if (code == APF_OK && v.text.there) {
        const struct apf_str name = cov_output_name(s->o, f);
        (void)file_out_write(s->out, name.p, name.n);
        text_append(s->out, name.n ? ":\n" : "");
        code = print_view(s, &v, 0);
    }
    view_close(&s->reader, &v);
    s->reader.text.n = 0;
    return code;
}

/* Shows the functions whose first file this is. */
static int show_functions(struct show *s, uint32_t file)
{
    const struct file_functions functions = coverage_functions(s->o->c, file);
    bool any = false;
    int code = APF_OK;
    for (size_t i = 0; i < functions.n && code == APF_OK; i++) {
        const uint32_t number = (uint32_t)functions.pairs[i];
        if (s->o->c->functions.data[number].first_file != file)
            continue;
        code = show_function(s, number);
        any = true;
    }
    if (any && s->out)
        text_append(s->out, "\n");
    source_texts_drop(&s->reader.texts);
    return end_page(s, code);
}

/* Shows all files, into o->out, or into pages. */
static int show_all(const struct cov_output *o, struct show_pages *pages)
{
    struct show s = {.o = o, .out = o->out, .pages = pages};
    s.counts = !cov_output_has(o, APF_COV_NO_COUNTS);
    s.reader = view_reader_for(o, decision_write);
    int code = view_reader_init(&s.reader);
    for (size_t i = 0; i < o->n_files && code == APF_OK && !(o->out && o->out->sys_errno); i++)
        code = cov_output_has(o, APF_COV_FUNCTION_VIEWS) ? show_functions(&s, o->files[i])
                                                         : show_file(&s, o->files[i]);
    view_reader_free(&s.reader);
    return code;
}

int cov_write_show(const struct cov_output *o)
{
    return show_all(o, NULL);
}

int cov_write_show_pages(const struct cov_output *o, const char *directory)
{
    struct show_pages pages = {.directory = directory, .o = o, .names = {.exact = true}};
    int code = show_pages_index(&pages);
    if (code == APF_OK)
        code = show_all(o, &pages);
    page_names_free(&pages.names);
    return code;
}
