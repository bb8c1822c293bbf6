/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/source_view.h"

#include "base/error.h"
#include "base/sort.h"

struct view_reader view_reader_for(const struct cov_output *o,
                                   void (*write_decision)(const struct cov_output *o, struct file_out *out,
                                                          const struct decision *d))
{
    const struct view_reader r = {
        .o = o,
        .c = o->c,
        .parts = (cov_output_has(o, APF_COV_EXPANSIONS) ? VIEW_EXPANSIONS : 0) |
                 (cov_output_has(o, APF_COV_INSTANTIATIONS) ? VIEW_INSTANTIATIONS : 0) |
                 (cov_output_has(o, APF_COV_BRANCH_COUNTS | APF_COV_BRANCH_PERCENT) ? VIEW_BRANCHES : 0) |
                 (cov_output_has(o, APF_COV_MCDC) ? VIEW_DECISIONS : 0),
        .write_decision = write_decision,
        .texts = cov_output_texts(o),
        .error = o->error};
    return r;
}

int view_reader_init(struct view_reader *r)
{
    const struct apf_output output = apf_output_buffer(&r->text);
    return file_out_open(&r->text_out, &output, r->error);
}

void view_reader_free(struct view_reader *r)
{
    if (r->text_out)
        (void)file_out_close(r->text_out, true, NULL);
    file_view_free(&r->file);
    cov_work_free(&r->work);
    source_texts_free(&r->texts);
    apf_buffer_free(&r->text);
}

void view_close(struct view_reader *r, struct source_view *v)
{
    if (v->whole) {
        r->text.n = 0;
        source_texts_drop(&r->texts);
    }
    segments_free(&v->segments);
    VEC_FREE(&v->expansions);
    VEC_FREE(&v->instantiations);
    VEC_FREE(&v->branches);
    VEC_FREE(&v->decisions);
}

/* Opens a function, unless it is open: what is expanded in one is shown piece by piece. */
static int open_function(struct view_reader *r, uint32_t function)
{
    if (r->opened == function + 1)
        return APF_OK;
    const int code = coverage_open(r->c, &r->c->functions.data[function], &r->work, r->error);
    r->opened = code == APF_OK ? function + 1 : 0;
    return code;
}

/* ---- order ---- */

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
    return ((const struct view_instantiation *)a)->line < ((const struct view_instantiation *)b)->line;
}

static bool decisions_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct view_decisions *)a)->line < ((const struct view_decisions *)b)->line;
}

/* Numbers the blocks of branches: rows of branches of one line. */
static void number_blocks(struct source_view *v)
{
    uint32_t block = 0;
    for (size_t i = 0; i < v->branches.n; i++) {
        if (i && v->branches.data[i].line != v->branches.data[i - 1].line)
            block++;
        v->branches.data[i].file = block;
    }
}

/* Sorts what belongs to lines. */
static int finish(struct view_reader *r, struct source_view *v)
{
    number_blocks(v);
    const bool ok = SORT_VEC(&v->expansions, expansion_before, NULL) &&
                    SORT_VEC(&v->instantiations, instantiation_before, NULL) &&
                    SORT_VEC(&v->branches, branch_before, NULL) &&
                    SORT_VEC(&v->decisions, decisions_before, NULL);
    return ok ? APF_OK : error_memory(r->error);
}

/* ---- MC/DC ---- */

/* Adds the text about a decision, to that before it if both end in one line. False: an allocation failed. */
static bool add_text(struct source_view *v, struct view_decisions text)
{
    struct view_decisions *last = v->decisions.n ? &v->decisions.data[v->decisions.n - 1] : NULL;
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
static int add_decisions(struct view_reader *r, struct source_view *v, uint32_t number, uint32_t name)
{
    if (!(r->parts & VIEW_DECISIONS))
        return APF_OK;
    int code = coverage_decisions(&r->work, r->error);
    for (size_t i = 0; code == APF_OK && i < r->work.decisions.list.n; i++) {
        const struct decision *d = &r->work.decisions.list.data[i];
        const uint32_t file = d->region->file;
        if (number != UINT32_MAX ? file != number : cov_file_name(&r->work, file) != name)
            continue;
        struct view_decisions text = {d->region->end_line, r->text.n, 0};
        r->write_decision(r->o, r->text_out, d);
        (void)file_out_spill(r->text_out, NULL, 0);
        text.to = r->text.n;
        if (r->text_out->sys_errno || !add_text(v, text))
            code = error_memory(r->error);
    }
    return code;
}

/* ---- a file of a function ---- */

/* Collects the regions in one file of the function that is open. */
static int add_regions(struct view_reader *r, struct source_view *v, uint32_t function, uint32_t number)
{
    const struct mapping *m = &r->work.mapping;
    bool ok = true;
    coverage_begin_segments(r->c, &v->segments);
    for (uint32_t i = m->starts.data[number]; i < m->starts.data[number + 1] && ok; i++) {
        const struct region *region = &m->regions.data[i];
        const struct view_region expansion = {*region, function};
        if (region_is_span(region))
            ok = segments_add(&v->segments, region);
        if (ok && region->kind == REGION_EXPANSION && r->parts & VIEW_EXPANSIONS)
            ok = VEC_PUSH(&v->expansions, expansion);
        if (ok && region_is_branch(region) && r->parts & VIEW_BRANCHES)
            ok = VEC_PUSH(&v->branches, *region);
    }
    return ok ? coverage_segments(r->c, &v->segments, cov_file_name(&r->work, number), r->error)
              : error_memory(r->error);
}

int view_open_function(struct view_reader *r, struct source_view *v, uint32_t function, uint32_t number,
                       bool decisions)
{
    int code = open_function(r, function);
    if (code == APF_OK)
        code = add_regions(r, v, function, number);
    if (code == APF_OK && decisions)
        code = add_decisions(r, v, number, 0);
    if (code == APF_OK)
        code = finish(r, v);
    if (code != APF_OK)
        return code;
    const uint32_t name = cov_file_name(&r->work, number);
    return source_texts_read(&r->texts, name, r->c->files.list.data[name], &v->text, r->error);
}

int view_main_file(struct view_reader *r, uint32_t function, uint32_t *number)
{
    const int code = open_function(r, function);
    *number = UINT32_MAX;
    return code == APF_OK ? cov_main_file(&r->work, number, r->error) : code;
}

/* ---- a whole file ---- */

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
static int add_instantiations(struct view_reader *r, struct source_view *v)
{
    const struct file_view *f = &r->file;
    int code = APF_OK;
    for (size_t i = 0, end; i < f->groups.n && r->parts & VIEW_INSTANTIATIONS; i = end) {
        for (end = i + 1; end < f->groups.n && f->groups.data[end].key == f->groups.data[i].key;)
            end++;
        for (size_t k = i; k < end && end - i > 1 && code == APF_OK; k++) {
            const uint32_t function = (uint32_t)f->groups.data[k].value;
            code = open_function(r, function);
            const struct view_instantiation item = {code == APF_OK ? last_line(&r->work.mapping) : 0,
                                                    function};
            if (code == APF_OK && !VEC_PUSH(&v->instantiations, item))
                code = error_memory(r->error);
        }
    }
    return code;
}

/* Copies what was collected about the file into its view, to which its segments go. */
static int fill_file(struct view_reader *r, struct source_view *v)
{
    static const struct segments none;
    struct file_view *f = &r->file;
    bool ok = true;
    for (size_t i = 0; i < f->expansions.n && ok && r->parts & VIEW_EXPANSIONS; i++)
        ok = VEC_PUSH(&v->expansions, f->expansions.data[i]);
    for (size_t i = 0; i < f->branches.n && ok && r->parts & VIEW_BRANCHES; i++)
        ok = VEC_PUSH(&v->branches, f->branches.data[i]);
    int code = ok ? APF_OK : error_memory(r->error);
    for (size_t i = 0; i < f->with_decisions.n && code == APF_OK; i++) {
        code = open_function(r, f->with_decisions.data[i]);
        if (code == APF_OK)
            code = add_decisions(r, v, UINT32_MAX, f->file);
    }
    v->segments = f->segments;
    f->segments = none;
    return code == APF_OK ? add_instantiations(r, v) : code;
}

int view_open_file(struct view_reader *r, struct source_view *v, uint32_t file)
{
    v->whole = true;
    int code = source_texts_read(&r->texts, file, r->c->files.list.data[file], &v->text, r->error);
    if (code != APF_OK || !v->text.there)
        return code;
    code = file_view_make(&r->file, r->c, file, r->error);
    const struct segments *s = &r->file.segments;
    if (code == APF_OK && s->list.n && s->list.data[s->list.n - 1].line > v->text.n_lines &&
        r->o->options->changed)
        r->o->options->changed(r->o->options->user, r->c->files.list.data[file]);
    if (code == APF_OK)
        code = fill_file(r, v);
    return code == APF_OK ? finish(r, v) : code;
}

/* ---- lines ---- */

struct view_lines view_lines_of(const struct source_view *v)
{
    const uint32_t first = v->whole || !v->segments.list.n ? 1 : v->segments.list.data[0].line;
    struct view_lines l = {.view = v, .walk = line_walk_from(&v->segments, 1)};
    uint64_t line;
    l.lines = source_lines_near(&v->text, first, &line);
    l.line = line - 1;
    return l;
}

bool view_lines_next(struct view_lines *l)
{
    const struct source_view *v = l->view;
    const uint32_t first = v->segments.list.n ? v->segments.list.data[0].line : 0;
    while (source_lines_next(&l->lines, &l->text)) {
        l->line++;
        if (l->run.n_segments)
            l->wrapped = &l->run.segments[l->run.n_segments - 1];
        l->run.n_segments = 0;
        /* more than once where the text begins with a later line */
        while (!l->ended && l->line > l->run.last)
            l->ended = !line_walk_next(&l->walk, &l->run);
        if (l->ended)
            l->run = (struct line_run){.line = l->line, .last = l->line};
        if (!v->whole && l->ended)
            return false;
        if (v->whole || l->line >= first)
            return true;
    }
    return false;
}

struct view_pieces view_pieces_of(const struct view_lines *l)
{
    const struct view_pieces p = {.lines = l, .wrapped = l->wrapped, .column = 1};
    return p;
}

/* The line from one column to another, which begin with 1. */
static struct apf_str part_of(struct apf_str text, size_t from, size_t to)
{
    from = from > text.n + 1 ? text.n + 1 : from;
    to = to > text.n + 1 ? text.n + 1 : to;
    return (struct apf_str){ENTRY_AT(text.p, from - 1), to > from ? to - from : 0};
}

bool view_pieces_next(struct view_pieces *p, struct view_piece *piece)
{
    const struct line_run *run = &p->lines->run;
    const struct segment *s = p->i < run->n_segments ? &run->segments[p->i] : NULL;
    const size_t end = s ? s->column : p->lines->text.n + 1;
    if (p->ended)
        return false;
    *piece = (struct view_piece){part_of(p->lines->text, p->column, end), segment_is_missed(p->wrapped), s};
    p->ended = !s;
    p->i++;
    p->wrapped = s;
    p->column = end > p->column ? end : p->column;
    return true;
}

const struct view_region *view_next_expansion(struct view_lines *l)
{
    const struct source_view *v = l->view;
    const size_t i = l->expansion;
    if (i == v->expansions.n || v->expansions.data[i].region.line != l->line)
        return NULL;
    l->expansion++;
    return &v->expansions.data[i];
}

const struct view_instantiation *view_next_instantiation(struct view_lines *l)
{
    const struct source_view *v = l->view;
    const size_t i = l->instantiation;
    if (i == v->instantiations.n || v->instantiations.data[i].line != l->line)
        return NULL;
    l->instantiation++;
    return &v->instantiations.data[i];
}

const struct region *view_next_branch(struct view_lines *l)
{
    const struct source_view *v = l->view;
    const size_t i = l->branch;
    if (i == v->branches.n || v->branches.data[i].line != l->line)
        return NULL;
    l->branch++;
    return &v->branches.data[i];
}

const struct view_decisions *view_next_decisions(struct view_lines *l)
{
    const struct source_view *v = l->view;
    const size_t i = l->decision;
    if (i == v->decisions.n || v->decisions.data[i].line != l->line)
        return NULL;
    l->decision++;
    return &v->decisions.data[i];
}
