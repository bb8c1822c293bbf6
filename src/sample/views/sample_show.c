/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_show.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/summary_text.h"
#include "sample/model/sample_summary.h"
#include "sample/views/sample_columns.h"
#include "sample/views/sample_stats.h"

static bool is_asked(const struct sample_show *s, uint32_t flags)
{
    return (s->options.flags & flags) != 0;
}

static void print_number(struct file_out *out, const char *before, uint64_t v, const char *after)
{
    text_append(out, before);
    text_decimal(out, v, 0);
    text_append(out, after);
}

/* ---- functions ---- */

/* What the option `function` asks for. */
struct wanted_name {
    struct apf_str text, context; /* the latter without brackets */
    uint64_t hash, decimal;       /* of the text, and its number if it is one */
};

static struct wanted_name find_wanted(struct apf_str text)
{
    const struct wanted_name wanted = {text, sample_context_plain(text), md5_name_ref(text.p, text.n),
                                       sample_names_decimal(text)};
    return wanted;
}

static bool is_wanted(struct sample_show *s, const struct wanted_name *wanted, uint32_t node, bool *ok)
{
    const struct sample_node *f = &s->sample->nodes.data[node];
    const struct sample_name *name = &s->sample->names.list.data[f->name];
    struct apf_str text = {name->p, name->n};
    *ok = true;
    if (name->p ? text_equal(text, wanted->text) ||
                      (s->options.also && s->options.also(s->options.user, text) > 0)
                : name->hash == wanted->hash || name->hash == wanted->decimal)
        return true;
    if (!(s->sample->info.flags & APF_SAMPLE_CONTEXTS))
        return false;
    text = sample_context_text(&s->context, &s->sample->contexts, &s->sample->names, f->context);
    *ok = text.p != NULL;
    return *ok && text_equal(text, wanted->context);
}

/* Prints the functions that the option asks for; in their place, if there is none, what that tool prints then. */
static bool print_wanted(struct sample_show *s)
{
    const struct wanted_name wanted = find_wanted(s->options.function);
    bool found = false, ok = true;
    for (size_t i = 0; ok && i < s->order.n_tops; i++)
        if (is_wanted(s, &wanted, s->order.tops[i], &ok)) {
            found = true;
            ok = sample_show_text(s, s->order.tops[i]);
        }
    if (ok && !found)
        text_append(s->out, "Function: : 0, 0, 0 sampled lines\nNo samples collected in the function's "
                            "body\nNo inlined callsites in this function\n");
    return ok;
}

/* Prefetches functions, whose order in memory differs from that of output. */
static void fetch_ahead(const struct sample_show *s, size_t i)
{
    const struct apf_sample *sample = s->sample;
    if (i + 3 * FETCH_AHEAD >= s->order.n_tops)
        return;
    PREFETCH(&sample->nodes.data[s->order.tops[i + 3 * FETCH_AHEAD]]);
    PREFETCH(&sample->nodes.data[s->order.tops[i + 3 * FETCH_AHEAD]].callees);
    const struct sample_node *far = &sample->nodes.data[s->order.tops[i + 2 * FETCH_AHEAD]];
    PREFETCH(far->lines.data);
    PREFETCH(&sample->contexts.list.data[far->context]);
    PREFETCH(&sample->names.list.data[far->name]);
    PREFETCH(&s->tree.first[s->order.tops[i + 2 * FETCH_AHEAD]]);
    const struct sample_node *near = &sample->nodes.data[s->order.tops[i + FETCH_AHEAD]];
    PREFETCH(sample->names.list.data[near->name].p);
    PREFETCH(near->targets.data);
}

static bool print_all(struct sample_show *s)
{
    bool json = is_asked(s, APF_SAMPLE_PRINT_JSON), ok = true;
    text_append(s->out, json ? "[" : "");
    for (size_t i = 0; ok && i < s->order.n_tops; i++) {
        fetch_ahead(s, i);
        ok = json ? sample_show_json(s, s->order.tops[i]) : sample_show_text(s, s->order.tops[i]);
    }
    if (json)
        text_append(s->out, s->order.n_tops ? "\n]\n" : "]\n");
    return ok;
}

static int print_functions(struct sample_show *s, struct apf_error *error)
{
    int code = sample_tree_make(&s->tree, s->sample, s->order.names, error);
    if (code != APF_OK)
        return code;
    return (s->options.function.n ? print_wanted(s) : print_all(s)) ? APF_OK : error_memory(error);
}

/* ---- symbols and the summary ---- */

static void print_symbols(const struct sample_show *s)
{
    const struct apf_sample *sample = s->sample;
    text_append(s->out, "======== Dump profile symbol list ========\n");
    for (size_t i = 0; i < sample->symbols.n; i++) {
        (void)file_out_write(s->out, sample->symbols.data[i].p, sample->symbols.data[i].n);
        text_append(s->out, "\n");
    }
}

/* The cutoffs that are asked for in ascending order. NULL: allocation failed. */
static uint32_t *sort_cutoffs(const struct sample_show *s, struct arena *arena)
{
    size_t n = s->options.n_cutoffs;
    uint32_t *cutoffs = arena_array(arena, n, sizeof *cutoffs);
    uint64_t *sorted = arena_array(arena, 2 * n, sizeof *sorted);
    if (!cutoffs || !sorted)
        return NULL;
    for (size_t i = 0; i < n; i++)
        sorted[i] = s->options.cutoffs[i];
    sort_numbers(sorted, sorted + n, n);
    for (size_t i = 0; i < n; i++)
        cutoffs[i] = (uint32_t)sorted[i];
    return cutoffs;
}

static int find_summary(const struct sample_show *s, struct arena *arena, struct sample_summary *summary,
                        struct apf_error *error)
{
    if (!s->options.n_cutoffs)
        return sample_summary_of(s->sample, arena, summary, error);
    uint32_t *cutoffs = sort_cutoffs(s, arena);
    return cutoffs ? sample_summary_compute(s->sample, cutoffs, s->options.n_cutoffs, arena, summary, error)
                   : error_memory(error);
}

static int print_detailed_summary(const struct sample_show *s, struct arena *arena, struct apf_error *error)
{
    struct sample_summary summary;
    int code = find_summary(s, arena, &summary, error);
    if (code != APF_OK)
        return code;
    print_number(s->out, "Total functions: ", summary.n_functions, "\n");
    print_number(s->out, "Maximum function count: ", summary.max_head, "\n");
    text_append(s->out, "Maximum internal block count: 0\n");
    print_number(s->out, "Total number of blocks: ", summary.n_counts, "\n");
    print_number(s->out, "Total count: ", summary.total, "\n");
    text_append(s->out, "Detailed summary:\n");
    for (size_t i = 0; i < summary.n_rows; i++) {
        const struct sample_summary_row *row = &summary.rows[i];
        text_summary_row(s->out, row->n_counts, summary.n_counts, row->min_count, (uint32_t)row->cutoff);
    }
    return APF_OK;
}

/* ---- hot functions ---- */

struct hot_list {
    uint64_t threshold;
    struct sample_stats *stats; /* of each node */
    uint64_t *estimates;        /* of each node: how often it was entered */
    uint64_t n_hot, hot_samples, samples;
};

static uint64_t find_threshold(const struct sample_summary *summary)
{
    for (size_t i = 0; i < summary->n_rows; i++)
        if (summary->rows[i].cutoff == SAMPLE_CUTOFF_HOT)
            return summary->rows[i].min_count;
    return 0;
}

static void print_hot_row(struct sample_show *s, const struct hot_list *hot, uint32_t node)
{
    const struct sample_node *f = &s->sample->nodes.data[node];
    bool counted = s->sample->info.flags & APF_SAMPLE_CONTEXTS && f->head;
    struct sample_columns c = {s->out, 0};
    sample_column(&c, 0);
    sample_cell_decimal(&c, f->total);
    sample_cell_text(&c, " (");
    sample_cell_percent(&c, hot->samples ? (double)f->total * 100.0 / (double)hot->samples : 0, 2);
    sample_cell_text(&c, ")");
    sample_column(&c, 24);
    sample_cell_decimal(&c, hot->stats[node].most);
    sample_column(&c, 42);
    sample_cell_decimal(&c, counted ? f->head : hot->estimates[node]);
    sample_column(&c, 58);
}

static void print_hot_head(const struct sample_show *s, const struct hot_list *hot)
{
    double n = (double)s->order.n_tops, samples = (double)hot->samples;
    print_number(s->out, "", hot->n_hot, " out of ");
    print_number(s->out, "", s->order.n_tops, " functions with profile (");
    sample_write_percent(s->out, (double)hot->n_hot / n * 100, 2);
    print_number(s->out, ") are considered hot functions (max sample >= ", hot->threshold, ").\n");
    print_number(s->out, "", hot->hot_samples, " out of ");
    print_number(s->out, "", hot->samples, " profile counts (");
    sample_write_percent(s->out, hot->samples ? (double)hot->hot_samples / samples * 100 : 0, 2);
    text_append(s->out, ") are from hot functions.\n");
    text_append(s->out, " Total sample (%)       Max sample        Entry sample    Function name\n");
}

/* Sums wrap as those of that tool. */
static bool print_hot_rows(struct sample_show *s, struct hot_list *hot)
{
    const struct sample_node *nodes = s->sample->nodes.data;
    for (size_t i = 0; i < s->order.n_tops; i++) {
        uint32_t node = s->order.tops[i];
        bool is_hot = hot->stats[node].most >= hot->threshold;
        hot->samples += nodes[node].total;
        hot->n_hot += is_hot;
        hot->hot_samples += is_hot ? nodes[node].total : 0;
    }
    print_hot_head(s, hot);
    uint64_t rows = s->options.topn ? s->options.topn : UINT64_MAX;
    for (size_t i = 0; rows && i < s->order.n_tops; i++) {
        uint32_t node = s->order.tops[i];
        if (hot->stats[node].most < hot->threshold)
            continue;
        print_hot_row(s, hot, node);
        if (!sample_write_context(s->out, s->sample, nodes[node].context, &s->context))
            return false;
        text_append(s->out, "\n");
        rows--;
    }
    return true;
}

static int print_hot_list(struct sample_show *s, struct arena *arena, struct apf_error *error)
{
    struct hot_list hot = {0};
    struct sample_summary summary;
    int code = sample_summary_of(s->sample, arena, &summary, error);
    if (code == APF_OK)
        code = sample_entry_estimates(s->sample, &hot.estimates, error);
    if (code != APF_OK)
        return code;
    hot.threshold = find_threshold(&summary);
    hot.stats = sample_stats_make(s->sample, hot.threshold);
    code = hot.stats && print_hot_rows(s, &hot) ? APF_OK : error_memory(error);
    free(hot.stats);
    free(hot.estimates);
    return code;
}

/* ---- the call ---- */

static int show_all(struct sample_show *s, struct apf_error *error)
{
    struct arena arena = {0};
    int code = sample_order_make(&s->order, s->sample, error);
    if (code == APF_OK)
        code = print_functions(s, error);
    if (code == APF_OK && is_asked(s, APF_SAMPLE_PRINT_SYMBOLS))
        print_symbols(s);
    if (code == APF_OK && is_asked(s, APF_SAMPLE_PRINT_DETAILED_SUMMARY))
        code = print_detailed_summary(s, &arena, error);
    if (code == APF_OK && (s->options.topn || is_asked(s, APF_SAMPLE_PRINT_HOT_FUNCTIONS)))
        code = print_hot_list(s, &arena, error);
    sample_order_free(&s->order);
    sample_tree_free(&s->tree);
    VEC_FREE(&s->stack);
    sample_context_text_free(&s->context);
    arena_free(&arena);
    return code;
}

#define ALL_FLAGS (2 * APF_SAMPLE_PRINT_HOT_FUNCTIONS - 1) /* the last one */

int apf_sample_print(const struct apf_sample *sample, const struct apf_sample_print_options *options,
                     const struct apf_output *output, struct apf_error *error)
{
    struct sample_show s = {.sample = sample};
    int code = OPTIONS_READ(apf_sample_print_options, &s.options, options, error);
    if (code == APF_OK)
        code = flags_check(s.options.flags, ALL_FLAGS, "apf_sample_print_options.flags", error);
    if (code == APF_OK && s.options.function.n && is_asked(&s, APF_SAMPLE_PRINT_JSON))
        code = error_plain(error, APF_ARGUMENT, "apf_sample_print_options.function",
                           "the JSON format is supported only when all functions are to be printed");
    if (code == APF_OK)
        code = file_out_open(&s.out, output, error);
    if (code != APF_OK)
        return code;
    return file_out_finish(s.out, show_all(&s, error), error);
}

int apf_sample_print_finds(const struct apf_sample *sample, struct apf_str function, int *found,
                           struct apf_error *error)
{
    struct sample_show s = {.sample = sample};
    const struct wanted_name wanted = find_wanted(function);
    bool any = function.n == 0, ok = true;
    for (size_t i = 0; ok && !any && i < sample->top.n; i++)
        any = is_wanted(&s, &wanted, sample->top.data[i], &ok);
    sample_context_text_free(&s.context);
    *found = any;
    return ok ? APF_OK : error_memory(error);
}
