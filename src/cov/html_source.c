/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/html_source.h"

#include "base/text_append.h"
#include "cov/share_text.h"
#include "page/markup.h"

/* Macros in macros: more of them are not shown. */
#define MOST_DEPTH 100u
/* Lines of a table: browsers lay out only those tables that are seen. */
#define PART_LINES 400u
/* Usual limits, in parts of SHARE_ONE. */
#define GOOD 9000u
#define FAIR 6000u

void html_share(struct file_out *out, const struct apf_cov_share *s)
{
    share_write(out, s);
    text_append(out, " (");
    text_decimal(out, s->covered, 0);
    text_append(out, "/");
    text_decimal(out, s->n, 0);
    text_append(out, ")");
}

struct html_limits html_limits_of(const struct cov_output *o)
{
    const struct apf_cov_write_options *options = o->options;
    return options->good ? (struct html_limits){options->good, options->fair}
                         : (struct html_limits){GOOD, FAIR};
}

const char *html_rank(const struct cov_output *o, const struct apf_cov_share *s)
{
    const unsigned parts = share_parts(s);
    const struct html_limits limits = html_limits_of(o);
    return !s->n ? "soft" : parts >= limits.good ? "good" : parts >= limits.fair ? "fair" : "poor";
}

static void put(struct html_source *h, const char *text)
{
    text_append(h->out, text);
}

static void number(struct html_source *h, uint64_t v)
{
    text_decimal(h->out, v, 0);
}

static uint64_t shown_count(const struct html_source *h, uint64_t count)
{
    return h->o->c->binary ? count != 0 : count;
}

/* ---- lines ---- */

/* The id of a line, such as f3L12. */
static void line_id(struct html_source *h, uint64_t line)
{
    if (h->page) {
        put(h, "f");
        number(h, h->page);
    }
    put(h, "L");
    number(h, line);
}

/* Writes the count of a region that begins in a line and ran another number of times than the line. */
static void marker(struct html_source *h, const struct segment *s, const struct line_run *run)
{
    if (!s->is_entry || !s->has_count || s->count == run->count || !cov_output_has(h->o, APF_COV_REGIONS))
        return;
    put(h, "<i class=k data-n=\"");
    number(h, shown_count(h, s->count));
    put(h, "\"></i>");
}

/* Writes a line with its regions. */
static void code(struct html_source *h, const struct view_lines *l)
{
    struct view_pieces pieces = view_pieces_of(l);
    struct view_piece piece;
    while (view_pieces_next(&pieces, &piece)) {
        const bool marked = piece.missed && piece.text.n;
        put(h, marked ? "<mark>" : "");
        markup_text(h->out, piece.text);
        put(h, marked ? "</mark>" : "");
        if (piece.begins &&
            (pieces.i < l->run.n_segments || pieces.i == 1)) /* as in llvm-cov, not the last of several */
            marker(h, piece.begins, &l->run);
    }
}

/* The class of a line: it never ran, a part of it did not, it ran, or it is no code. */
static const char *line_class(const struct view_lines *l)
{
    bool part = segment_is_missed(l->wrapped);
    if (!l->run.mapped)
        return "";
    if (!l->run.count)
        return " class=u";
    for (size_t i = 0; i < l->run.n_segments; i++)
        part |= segment_is_missed(&l->run.segments[i]) && l->run.segments[i].column <= l->text.n;
    for (size_t i = l->branch; i < l->view->branches.n && l->view->branches.data[i].line == l->line; i++) {
        const struct region *r = &l->view->branches.data[i];
        struct apf_cov_share sides = {0, 0};
        branch_count_sides(&sides, r);
        part |= sides.covered < sides.n;
    }
    return part ? " class=p" : " class=r";
}

static void line(struct html_source *h, const struct view_lines *l)
{
    put(h, "<tr");
    put(h, line_class(l));
    if (l->view->whole) {
        put(h, " id=");
        line_id(h, l->line);
    }
    put(h, "><td>");
    if (l->view->whole) {
        put(h, "<a href=#");
        line_id(h, l->line);
        put(h, ">");
    }
    number(h, l->line);
    put(h, l->view->whole ? "</a><td>" : "<td>");
    if (l->run.mapped)
        number(h, shown_count(h, l->run.count));
    put(h, "<td>");
    code(h, l);
    put(h, "\n");
}

/* ---- branches ---- */

static void side(struct html_source *h, const struct region *r, bool which)
{
    const uint64_t count = branch_count(r, which);
    put(h, which ? " true " : ", false ");
    if (branch_folded(r, which)) {
        put(h, "constant");
        return;
    }
    put(h, count ? "" : "<b class=poor>");
    number(h, shown_count(h, count));
    put(h, count ? "" : " (never)</b>");
}

/* Writes the branches of a line. */
static void branches(struct html_source *h, struct view_lines *l)
{
    struct apf_cov_share sides = {0, 0};
    const size_t first = l->branch;
    const struct region *r;
    while ((r = view_next_branch(l)) != NULL)
        branch_count_sides(&sides, r);
    if (!sides.n)
        return;
    put(h, "<details><summary>Branches: <span class=");
    put(h, html_rank(h->o, &sides));
    put(h, ">");
    html_share(h->out, &sides);
    put(h, "</span></summary><ul>");
    for (size_t i = first; i < l->branch; i++) {
        r = &l->view->branches.data[i];
        put(h, "<li>column ");
        number(h, r->column);
        put(h, ":");
        side(h, r, true);
        side(h, r, false);
    }
    put(h, "</ul></details>");
}

/* ---- MC/DC ---- */

static void vectors(struct file_out *out, const struct decision *d)
{
    text_append(out, "<table class=vectors><tr><th>");
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        text_append(out, "<th>");
        text_decimal(out, d->conditions[i]->line, 0);
        text_append(out, ":");
        text_decimal(out, d->conditions[i]->column, 0);
    }
    text_append(out, "<th>Result");
    for (uint32_t k = 0; k < d->n_vectors; k++) {
        const struct test_vector *v = &d->vectors[k];
        text_append(out, "<tr><th>");
        text_decimal(out, k + 1, 0);
        for (uint32_t i = 0; i < d->n_conditions; i++)
            text_append(out, d->folded[i]               ? "<td>constant"
                             : !vector_bit(v->known, i) ? "<td>-"
                             : vector_bit(v->value, i)  ? "<td>true"
                                                        : "<td>false");
        text_append(out, v->result ? "<td><b>true</b>" : "<td><b>false</b>");
    }
    text_append(out, "<tr><th>decided by");
    for (uint32_t i = 0; i < d->n_conditions; i++) {
        text_append(out, d->folded[i] ? "<td>" : d->pairs[i][0] ? "<td class=good>" : "<td class=poor>never");
        if (d->folded[i] || !d->pairs[i][0])
            continue;
        text_decimal(out, d->pairs[i][0], 0);
        text_append(out, ", ");
        text_decimal(out, d->pairs[i][1], 0);
    }
    text_append(out, "<td></table>");
}

/* The text about a decision, for a view_reader. */
static void decision(const struct cov_output *o, struct file_out *out, const struct decision *d)
{
    uint32_t n = 0, covered = 0;
    mcdc_count(d, &n, &covered);
    const struct apf_cov_share share = {n, covered};
    text_append(out, "<details><summary>MC/DC of the decision at ");
    text_decimal(out, d->region->line, 0);
    text_append(out, ":");
    text_decimal(out, d->region->column, 0);
    text_append(out, ": <span class=");
    text_append(out, html_rank(o, &share));
    text_append(out, ">");
    html_share(out, &share);
    text_append(out, "</span></summary>");
    vectors(out, d);
    text_append(out, "</details>");
}

static void decisions(struct html_source *h, struct view_lines *l)
{
    const struct view_decisions *d;
    while ((d = view_next_decisions(l)) != NULL)
        (void)file_out_write(h->out, (const char *)h->reader.text.data + d->from, d->to - d->from);
}

/* ---- views ---- */

static int view(struct html_source *h, const struct source_view *v, unsigned depth);

static int expansion(struct html_source *h, const struct view_region *e, unsigned depth)
{
    struct source_view v = {.whole = false};
    int code = depth < MOST_DEPTH ? view_open_function(&h->reader, &v, e->function, e->region.expanded, false)
                                  : APF_OK;
    if (code == APF_OK && v.segments.list.n && v.text.there) {
        put(h, "<details><summary>Expands at column ");
        number(h, e->region.column);
        put(h, e->region.count ? "" : ": <b class=poor>never ran</b>");
        put(h, "</summary>");
        code = view(h, &v, depth + 1);
        put(h, "</details>");
    }
    view_close(&h->reader, &v);
    return code;
}

/* Writes the code of an instantiation that ran, but not all of it; the others have a name and counts only. */
static int instantiation_code(struct html_source *h, const struct source_view *outer, uint32_t function,
                              unsigned depth)
{
    const size_t text = h->reader.text.n;
    struct source_view v = {.whole = false};
    uint32_t main;
    int code = view_main_file(&h->reader, function, &main);
    if (code == APF_OK && main != UINT32_MAX)
        code = view_open_function(&h->reader, &v, function, main, true);
    v.text = outer->text;
    if (code == APF_OK)
        code = view(h, &v, depth + 1);
    view_close(&h->reader, &v);
    h->reader.text.n = text;
    return code;
}

static int instantiation(struct html_source *h, const struct source_view *outer, uint32_t function,
                         unsigned depth)
{
    const struct cov_function *f = &h->o->c->functions.data[function];
    const struct apf_cov_share lines = {f->summary.lines, f->summary.covered_lines};
    const bool partly = f->count && f->summary.covered_regions < f->summary.regions;
    int code = APF_OK;
    put(h, partly ? "<li><details><summary>" : "<li>");
    markup_text(h->out, cov_output_name(h->o, f));
    put(h, f->count ? ": ran " : ": <b class=poor>never ran</b>");
    if (f->count) {
        number(h, shown_count(h, f->count));
        put(h, f->count == 1 ? " time, lines <span class=" : " times, lines <span class=");
        put(h, html_rank(h->o, &lines));
        put(h, ">");
        html_share(h->out, &lines);
        put(h, "</span>");
    }
    if (partly) {
        put(h, "</summary>");
        code = instantiation_code(h, outer, function, depth);
        put(h, "</details>");
    }
    return code;
}

static int instantiations(struct html_source *h, struct view_lines *l, unsigned depth)
{
    const struct view_instantiation *i = view_next_instantiation(l);
    int code = APF_OK;
    if (!i)
        return APF_OK;
    put(h, "<details><summary>Instantiations</summary><ul>");
    for (; i && code == APF_OK; i = view_next_instantiation(l))
        code = instantiation(h, l->view, i->function, depth);
    put(h, "</ul></details>");
    return code;
}

static bool has_inner(const struct view_lines *l)
{
    const struct source_view *v = l->view;
    return (l->expansion < v->expansions.n && v->expansions.data[l->expansion].region.line == l->line) ||
           (l->instantiation < v->instantiations.n &&
            v->instantiations.data[l->instantiation].line == l->line) ||
           (l->branch < v->branches.n && v->branches.data[l->branch].line == l->line) ||
           (l->decision < v->decisions.n && v->decisions.data[l->decision].line == l->line);
}

/* Writes what belongs to a line, below it. */
static int inner(struct html_source *h, struct view_lines *l, unsigned depth)
{
    const struct view_region *e;
    int code = APF_OK;
    if (!has_inner(l))
        return APF_OK;
    put(h, "<tr class=d><td><td><td>");
    while (code == APF_OK && (e = view_next_expansion(l)) != NULL)
        code = expansion(h, e, depth);
    if (code == APF_OK)
        code = instantiations(h, l, depth);
    branches(h, l);
    decisions(h, l);
    put(h, "\n");
    return code;
}

static int view(struct html_source *h, const struct source_view *v, unsigned depth)
{
    struct view_lines l = view_lines_of(v);
    int code = APF_OK;
    put(h, v->whole ? "<div class=part><table class=code><tbody>\n" : "<table class=code><tbody>\n");
    for (uint64_t n = 1; code == APF_OK && !h->out->sys_errno && view_lines_next(&l); n++) {
        line(h, &l);
        code = inner(h, &l, depth);
        if (v->whole && n % PART_LINES == 0)
            put(h, "</table></div>\n<div class=part><table class=code><tbody>\n");
    }
    put(h, v->whole ? "</table></div>\n" : "</table>\n");
    return code;
}

int html_source_write(struct html_source *h, uint32_t file, bool *there)
{
    struct source_view v = {.whole = true};
    int code = view_open_file(&h->reader, &v, file);
    *there = v.text.there;
    if (code == APF_OK && *there)
        code = view(h, &v, 0);
    view_close(&h->reader, &v);
    return code;
}

int html_source_init(struct html_source *h, const struct cov_output *o)
{
    *h = (struct html_source){.o = o, .out = o->out, .reader = view_reader_for(o, decision)};
    return view_reader_init(&h->reader);
}

void html_source_free(struct html_source *h)
{
    view_reader_free(&h->reader);
}
