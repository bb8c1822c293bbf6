/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source code with its counts, as llvm-cov show prints it. A view is of a file, of a function, or of what a macro or an
 * included file expands to; views of the latter two are shown inside of others. */
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "cov/outputs.h"
#include "cov/source_text.h"
#include "cov/write_decision.h"

#define NUMBER_WIDTH 5u
#define COUNT_WIDTH 7u
#define FRAME_MORE 4u /* a frame is longer than the columns */
/* Macros in macros: more of them are not shown. */
#define MOST_DEPTH 500u

/* A function that is shown by itself, below its last line. */
struct instantiation {
    uint32_t line, function;
};

/* Decisions that end in one line: the lines of text about them. */
struct decision_text {
    uint32_t line;
    size_t from, to; /* in show.decisions */
};

struct view {
    struct apf_str name; /* n == 0: none is shown */
    bool whole;          /* all of the file is shown, else only the lines of the view */
    struct source_text text;
    struct segments segments;
    VEC(struct view_region) expansions;
    VEC(struct instantiation) instantiations;
    VEC(struct region) branches;
    VEC(struct decision_text) decisions;
};

struct show {
    const struct cov_output *o;
    const struct coverage *c;
    bool counts;   /* lines have counts */
    bool branches; /* they are shown */
    struct file_out *out;
    struct source_texts texts;
    struct file_view file;
    struct cov_work work;
    struct apf_buffer decisions; /* text */
    struct file_out *decisions_out;
    struct apf_error *error;
};

static void view_free(struct view *v)
{
    segments_free(&v->segments);
    VEC_FREE(&v->expansions);
    VEC_FREE(&v->instantiations);
    VEC_FREE(&v->branches);
    VEC_FREE(&v->decisions);
}

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
    const size_t n = count_text(text, s->c->binary ? count != 0 : count);
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

static void put_line(struct show *s, const struct line_run *run, uint64_t line, struct apf_str text,
                     unsigned depth)
{
    prefix(s, depth);
    put_number(s, line);
    if (s->counts) {
        if (run->mapped)
            put_count(s, run->count, COUNT_WIDTH);
        else
            text_blanks(s->out, COUNT_WIDTH);
        text_append(s->out, "|");
    }
    (void)file_out_write(s->out, text.p, text.n);
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
    if (cov_output_has(s->o, APF_COV_BRANCH_PERCENT)) {
        text_fixed(s->out, total ? (double)count / (double)total * 100.0 : 0, 2, 0);
        text_append(s->out, "%");
    } else {
        put_count(s, count, 0);
    }
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

/* Adds the text about a decision, to that before it if both end in one line. False: an allocation failed. */
static bool add_text(struct view *v, struct decision_text text)
{
    struct decision_text *last = v->decisions.n ? &v->decisions.data[v->decisions.n - 1] : NULL;
    if (last && last->line == text.line && last->to == text.from) {
        last->to = text.to;
        return true;
    }
    if (!VEC_RESERVE(&v->decisions, 1) || !v->decisions.data)
        return false;
    v->decisions.data[v->decisions.n++] = text;
    return true;
}

/* Makes the texts about the decisions of the function that is open, in a file of it, or in all with a name. */
static int add_decisions(struct show *s, struct view *v, uint32_t number, uint32_t name)
{
    if (!cov_output_has(s->o, APF_COV_MCDC))
        return APF_OK;
    int code = coverage_decisions(&s->work, s->error);
    for (size_t i = 0; code == APF_OK && i < s->work.decisions.list.n; i++) {
        const struct decision *d = &s->work.decisions.list.data[i];
        const uint32_t file = d->region->file;
        if (number != UINT32_MAX ? file != number : cov_file_name(&s->work, file) != name)
            continue;
        struct decision_text text = {d->region->end_line, s->decisions.n, 0};
        decision_write(s->decisions_out, d);
        (void)file_out_spill(s->decisions_out, NULL, 0);
        text.to = s->decisions.n;
        if (s->decisions_out->sys_errno || !add_text(v, text))
            code = error_memory(s->error);
    }
    return code;
}

static void put_decisions(struct show *s, const struct decision_text *text, unsigned depth)
{
    const char *at = (const char *)s->decisions.data + text->from;
    const char *end = (const char *)s->decisions.data + text->to;
    while (at < end) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        prefix(s, depth);
        (void)file_out_write(s->out, at, (size_t)(line + 1 - at));
        at = line + 1;
    }
}

/* ---- views ---- */

static int print_view(struct show *s, struct view *v, unsigned depth);

/* Collects the regions in one file of the function that is open. */
static int fill_view(struct show *s, struct view *v, uint32_t function, uint32_t number)
{
    const struct mapping *m = &s->work.mapping;
    bool ok = true;
    v->segments.one_byte = s->c->one_byte;
    for (uint32_t i = m->starts.data[number]; i < m->starts.data[number + 1] && ok; i++) {
        const struct region *r = &m->regions.data[i];
        const struct view_region expansion = {*r, function};
        if (region_is_span(r))
            ok = segments_add(&v->segments, r);
        if (ok && r->kind == REGION_EXPANSION && cov_output_has(s->o, APF_COV_EXPANSIONS))
            ok = VEC_PUSH(&v->expansions, expansion);
        if (ok && region_is_branch(r) && s->branches)
            ok = VEC_PUSH(&v->branches, *r);
    }
    return ok && segments_make(&v->segments) ? APF_OK : error_memory(s->error);
}

/* Opens the view of a file of a function. */
static int open_view(struct show *s, struct view *v, uint32_t function, uint32_t number)
{
    int code = coverage_open(s->c, &s->c->functions.data[function], &s->work, s->error);
    if (code == APF_OK)
        code = fill_view(s, v, function, number);
    if (code != APF_OK)
        return code;
    const uint32_t name = cov_file_name(&s->work, number);
    return source_texts_read(&s->texts, name, s->c->files.list.data[name], &v->text, s->error);
}

static int print_expansion(struct show *s, const struct view_region *e, unsigned depth)
{
    struct view v = {.whole = false};
    int code = depth < MOST_DEPTH ? open_view(s, &v, e->function, e->region.expanded) : APF_OK;
    if (code == APF_OK && v.segments.list.n && v.text.there)
        code = print_view(s, &v, depth + 1); /* it has two prefixes */
    view_free(&v);
    return code;
}

static int print_instantiation(struct show *s, const struct view *outer, const struct instantiation *i,
                               unsigned depth)
{
    const struct cov_function *f = &s->c->functions.data[i->function];
    struct view v = {.name = f->name};
    prefix(s, depth);
    text_append(s->out, " ");
    if (!f->count) {
        text_append(s->out, "Unexecuted instantiation: ");
        (void)file_out_write(s->out, f->name.p, f->name.n);
        text_append(s->out, "\n");
        return APF_OK;
    }
    int code = coverage_open(s->c, f, &s->work, s->error);
    uint32_t main = UINT32_MAX;
    if (code == APF_OK)
        code = cov_main_file(&s->work, &main, s->error);
    const size_t decisions = s->decisions.n;
    if (code == APF_OK && main != UINT32_MAX)
        code = open_view(s, &v, i->function, main);
    if (code == APF_OK && main != UINT32_MAX)
        code = add_decisions(s, &v, main, 0);
    v.text = outer->text;
    if (code == APF_OK)
        code = print_view(s, &v, depth);
    s->decisions.n = decisions;
    view_free(&v);
    return code;
}

/* What is shown inside of a view, in the order of their lines. */
struct inner {
    size_t expansion, instantiation, branch, decision;
};

static bool branch_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct region *)a)->line < ((const struct region *)b)->line;
}

static bool expansion_before(const void *context, const void *a, const void *b)
{
    const struct region *x = &((const struct view_region *)a)->region,
                        *y = &((const struct view_region *)b)->region;
    (void)context;
    return x->line != y->line ? x->line < y->line : x->column < y->column;
}

static bool instantiation_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct instantiation *)a)->line < ((const struct instantiation *)b)->line;
}

static bool decision_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct decision_text *)a)->line < ((const struct decision_text *)b)->line;
}

/* Prints the branches that begin in a line: each row of them that was found is a block. */
static void print_branches(struct show *s, const struct view *v, struct inner *at, uint64_t line,
                           unsigned depth, bool *any)
{
    while (at->branch < v->branches.n && v->branches.data[at->branch].line == line) {
        const uint32_t block = v->branches.data[at->branch].file;
        frame(s, depth + 1);
        while (at->branch < v->branches.n && v->branches.data[at->branch].line == line &&
               v->branches.data[at->branch].file == block)
            put_branch(s, &v->branches.data[at->branch++], depth + 1);
        *any = true;
    }
}

/* Prints what belongs to a line. */
static int print_inner(struct show *s, const struct view *v, struct inner *at, uint64_t line,
                       struct apf_str text, unsigned depth)
{
    bool any = false;
    int code = APF_OK;
    for (; code == APF_OK && at->expansion < v->expansions.n &&
           v->expansions.data[at->expansion].region.line == line;
         at->expansion++) {
        frame(s, depth + 1);
        if (any) { /* the line again, for the next one */
            prefix(s, depth);
            text_blanks(s->out, columns_width(s) + (depth != 0));
            (void)file_out_write(s->out, text.p, text.n);
            text_append(s->out, "\n");
            frame(s, depth + 1);
        }
        code = print_expansion(s, &v->expansions.data[at->expansion], depth + 1);
        any = true;
    }
    for (; code == APF_OK && at->instantiation < v->instantiations.n &&
           v->instantiations.data[at->instantiation].line == line;
         at->instantiation++) {
        frame(s, depth + 1);
        code = print_instantiation(s, v, &v->instantiations.data[at->instantiation], depth + 1);
        any = true;
    }
    if (code == APF_OK)
        print_branches(s, v, at, line, depth, &any);
    for (; at->decision < v->decisions.n && v->decisions.data[at->decision].line == line; at->decision++) {
        frame(s, depth + 1);
        put_decisions(s, &v->decisions.data[at->decision], depth + 1);
        any = true;
    }
    if (any)
        frame(s, depth + 1);
    return code;
}

/* Numbers the blocks of branches: rows of branches of one line. */
static void number_blocks(struct view *v)
{
    uint32_t block = 0;
    for (size_t i = 0; i < v->branches.n; i++) {
        if (i && v->branches.data[i].line != v->branches.data[i - 1].line)
            block++;
        v->branches.data[i].file = block;
    }
}

static bool sort_inner(struct view *v)
{
    number_blocks(v);
    return SORT_VEC(&v->expansions, expansion_before, NULL) &&
           SORT_VEC(&v->instantiations, instantiation_before, NULL) &&
           SORT_VEC(&v->branches, branch_before, NULL) && SORT_VEC(&v->decisions, decision_before, NULL);
}

static int print_view(struct show *s, struct view *v, unsigned depth)
{
    struct line_walk walk = line_walk_from(&v->segments, 1);
    struct source_lines lines = source_lines_of(&v->text);
    const uint32_t first = v->segments.list.n ? v->segments.list.data[0].line : 0;
    struct line_run run = {.last = 0};
    struct inner at = {0, 0, 0, 0};
    struct apf_str text;
    int code = sort_inner(v) ? APF_OK : error_memory(s->error);
    bool ended = false;
    if (v->name.n) {
        (void)file_out_write(s->out, v->name.p, v->name.n);
        text_append(s->out, ":\n");
    }
    for (uint64_t line = 1; code == APF_OK && !s->out->sys_errno && source_lines_next(&lines, &text);
         line++) {
        if (!ended && line > run.last && !line_walk_next(&walk, &run))
            ended = true;
        if (ended)
            run = (struct line_run){.line = line, .last = line};
        if (!v->whole && ended)
            break;
        if (!v->whole && line < first)
            continue;
        put_line(s, &run, line, text, depth);
        if (has_markers(s, &run))
            put_markers(s, &run, depth);
        code = print_inner(s, v, &at, line, text, depth);
    }
    return code;
}

/* ---- files ---- */

/* The last line of the first file that a function has a region in. */
static uint32_t last_line(const struct mapping *m)
{
    uint32_t file = UINT32_MAX, line = 0;
    for (size_t i = 0; i < m->regions.n; i++) {
        const struct region *r = &m->regions.data[i];
        if (!region_is_span(r))
            continue;
        file = file == UINT32_MAX ? r->file : file;
        if (r->file == file && r->end_line > line)
            line = r->end_line;
    }
    return line;
}

/* Adds the functions of which several begin at one place. */
static int add_instantiations(struct show *s, struct view *v)
{
    const struct file_view *f = &s->file;
    int code = APF_OK;
    for (size_t i = 0, end; i < f->groups.n && cov_output_has(s->o, APF_COV_INSTANTIATIONS); i = end) {
        for (end = i + 1; end < f->groups.n && f->groups.data[end].key == f->groups.data[i].key;)
            end++;
        for (size_t k = i; k < end && end - i > 1 && code == APF_OK; k++) {
            const uint32_t function = (uint32_t)f->groups.data[k].value;
            code = coverage_open(s->c, &s->c->functions.data[function], &s->work, s->error);
            const struct instantiation item = {code == APF_OK ? last_line(&s->work.mapping) : 0, function};
            if (code == APF_OK && !VEC_PUSH(&v->instantiations, item))
                code = error_memory(s->error);
        }
    }
    return code;
}

/* Moves what was collected about the file into its view. */
static int fill_file(struct show *s, struct view *v)
{
    const struct file_view *f = &s->file;
    bool ok = true;
    for (size_t i = 0; i < f->expansions.n && ok && cov_output_has(s->o, APF_COV_EXPANSIONS); i++)
        ok = VEC_PUSH(&v->expansions, f->expansions.data[i]);
    for (size_t i = 0; i < f->branches.n && ok && s->branches; i++)
        ok = VEC_PUSH(&v->branches, f->branches.data[i]);
    int code = ok ? APF_OK : error_memory(s->error);
    for (size_t i = 0; i < f->with_decisions.n && code == APF_OK; i++) {
        code = coverage_open(s->c, &s->c->functions.data[f->with_decisions.data[i]], &s->work, s->error);
        if (code == APF_OK)
            code = add_decisions(s, v, UINT32_MAX, f->file);
    }
    return code == APF_OK ? add_instantiations(s, v) : code;
}

static int show_file(struct show *s, uint32_t number, bool named)
{
    struct view v = {.whole = true};
    const struct apf_str name = s->c->files.list.data[number];
    int code = source_texts_read(&s->texts, number, name, &v.text, s->error);
    if (code == APF_OK && !v.text.there) {
        if (s->o->options->missing)
            s->o->options->missing(s->o->options->user, name);
        source_texts_drop(&s->texts);
        return APF_OK;
    }
    if (code == APF_OK)
        code = file_view_make(&s->file, s->c, number, s->error);
    const struct segments own = s->file.segments;
    if (code == APF_OK)
        code = fill_file(s, &v);
    if (code == APF_OK) {
        v.name = named ? name : v.name;
        v.segments = own; /* for a while */
        code = print_view(s, &v, 0);
        text_append(s->out, "\n");
        memset(&v.segments, 0, sizeof v.segments);
    }
    view_free(&v);
    s->decisions.n = 0;
    source_texts_drop(&s->texts);
    return code;
}

int cov_write_show(const struct cov_output *o)
{
    struct show s = {.o = o, .c = o->c, .out = o->out, .error = o->error};
    const struct apf_output decisions = apf_output_buffer(&s.decisions);
    s.counts = !cov_output_has(o, APF_COV_NO_COUNTS);
    s.branches = cov_output_has(o, APF_COV_BRANCH_COUNTS | APF_COV_BRANCH_PERCENT);
    s.texts.changes = o->options->source_map;
    s.texts.n_changes = o->options->n_source_map;
    int code = file_out_open(&s.decisions_out, &decisions, o->error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < o->n_files && code == APF_OK && !o->out->sys_errno; i++)
        code = show_file(&s, o->files[i], o->n_files > 1);
    code = file_out_finish(s.decisions_out, code, o->error);
    file_view_free(&s.file);
    cov_work_free(&s.work);
    source_texts_drop(&s.texts);
    apf_buffer_free(&s.decisions);
    return code;
}
