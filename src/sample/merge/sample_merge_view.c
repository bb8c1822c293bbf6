/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the one profile that is shown and written from the sums of a merge: sum -> other names -> plain profile ->
 * without cold functions -> other layout -> without filtered functions. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/layout/sample_releases.h"
#include "sample/merge/sample_cold.h"
#include "sample/merge/sample_filter.h"
#include "sample/merge/sample_flat.h"
#include "sample/merge/sample_join.h"
#include "sample/merge/sample_merge.h"
#include "sample/merge/sample_merge_findings.h"
#include "sample/merge/sample_nest.h"
#include "sample/model/sample_share.h"
#include "sample/model/sample_summary.h"

/* Flags that do not follow from what a profile has. */
#define INHERITED                                                                                            \
    (APF_SAMPLE_PROBES | APF_SAMPLE_CONTEXTS | APF_SAMPLE_PREINLINED | APF_SAMPLE_FS | APF_SAMPLE_UNIQUE |   \
     APF_SAMPLE_PARTIAL)

/* ---- findings ---- */

static struct apf_str input_name(const void *merge, uint64_t input, uint64_t *number)
{
    const struct apf_sample_merge *m = (const struct apf_sample_merge *)merge;
    *number = inputs_entry(&m->kept, input);
    return m->inputs.data[*number].result.name;
}

static struct sample_finder finder_of(const struct apf_sample_merge *m)
{
    struct sample_finder f = {&m->common, input_name, m};
    return f;
}

/* Reports and counts what a step has left out of a profile, and empties the list. */
static int settle_losses(struct apf_sample_merge *m, const struct apf_sample *s, struct sample_losses *losses,
                         struct apf_error *error)
{
    struct sample_finder f = finder_of(m);
    int code = sample_report_losses(&f, s, losses, error);
    m->stats.checksum_mismatches += losses->functions;
    m->stats.inlined_mismatches += losses->inlined;
    m->stats.mismatch_samples = sample_sum(m->stats.mismatch_samples, losses->samples, 1, &(uint64_t){0});
    sample_losses_free(losses);
    return code;
}

/* Keeps which nodes of the sum were left out, for the search for the inputs that have them: also those that had become
 * part of another one before. */
static int keep_lost_nodes(struct apf_sample_merge *m, const struct sample_losses *losses,
                           struct apf_error *error)
{
    const struct sample_node *nodes = m->view->nodes.data;
    m->lost_unknown = losses->list.n && m->renamed; /* nodes were joined */
    if (!losses->list.n)
        return APF_OK;
    uint8_t *lost = calloc(m->view->nodes.n, 1);
    bool ok = lost != NULL;
    for (size_t i = 0; ok && i < losses->list.n; i++)
        lost[losses->list.data[i].node] = 1;
    for (uint32_t i = 0; ok && i < m->view->nodes.n; i++) {
        if (nodes[i].state & SAMPLE_PART)
            lost[i] = lost[nodes[i].caller]; /* which has a smaller number */
        ok = !lost[i] || VEC_PUSH(&m->lost_nodes, i);
    }
    free(lost);
    return ok ? APF_OK : error_memory(error);
}

/* ---- the steps ---- */

/* Changes names in a copy of the sum. Frees the map; NULL: nothing changes. */
static int change_names(struct apf_sample_merge *m, uint32_t *map, struct apf_error *error)
{
    if (!map)
        return APF_OK;
    int code = m->renamed ? APF_OK : sample_share_own(m->view, error);
    m->renamed = true;
    m->view->is_sum = true;
    if (code == APF_OK)
        code = sample_change_names(m->view, map, error);
    free(map);
    return code;
}

/* Changes names as the options ask. */
static int remap_names(struct apf_sample_merge *m, uint32_t *map, struct apf_error *error)
{
    const struct apf_sample *s = m->view;
    size_t before = s->top.n;
    for (size_t i = 0; map && i < s->top.n; i++) {
        const struct sample_node *f = &s->nodes.data[s->top.data[i]];
        m->stats.remapped += map[f->name] != f->name;
    }
    int code = change_names(m, map, error);
    m->stats.remapped_merged = before - s->top.n;
    return code;
}

/* The sum of the winning class with names of the merge, other ones if the options ask for it, and source files where
 * they are known. */
static int share_sum(struct apf_sample_merge *m, struct apf_error *error)
{
    const struct apf_sample *sum = m->class < SAMPLE_CLASS_COUNT ? m->sums.classes[m->class].profile : NULL;
    uint32_t *map = NULL;
    int code = sample_sums_find_names(&m->sums, m->known.data, m->known.n, error);
    if (code == APF_OK)
        code = sample_sums_find_names(&m->sums, m->symbols.data, m->symbols.n, error);
    if (code == APF_OK && m->remaps.list.n)
        code = sample_remaps_map(&m->remaps, &m->sums.names, &map, error);
    if (code == APF_OK && sum) {
        code = sample_share(sum, &m->sums.names, &m->view, error);
    } else if (code == APF_OK) {
        m->view = sample_share_names(&m->sums.names);
        code = m->view ? APF_OK : error_memory(error);
    }
    if (code != APF_OK) {
        free(map);
        return code;
    }
    code = remap_names(m, map, error);
    if (code == APF_OK)
        code = sample_join_map(&m->sums.names, &map, error);
    return code == APF_OK ? change_names(m, map, error) : code;
}

/* Replaces the view by what was made of it. */
static int replace_view(struct apf_sample_merge *m, struct apf_sample *made, struct sample_losses *losses,
                        struct apf_error *error)
{
    sample_share_free(m->view);
    m->view = made;
    m->lost_unknown |= losses->list.n != 0;
    return settle_losses(m, made, losses, error);
}

static int trim_cold(struct apf_sample_merge *m, struct sample_losses *losses, struct apf_error *error)
{
    const struct apf_sample_merge_options *o = &m->options;
    struct sample_cold cold = {o->cold_count, o->cold_frames, (o->flags & APF_SAMPLE_MERGE_COLD) != 0,
                               (o->flags & APF_SAMPLE_MERGE_TRIM_COLD) != 0, false};
    struct sample_cold_result result;
    struct apf_sample *made;
    int code = APF_OK;
    if (!cold.merge && !cold.trim)
        return APF_OK;
    if (!(o->flags & APF_SAMPLE_MERGE_COLD_COUNT))
        code = sample_cold_threshold(m->view, o->cold_cutoff ? o->cold_cutoff : SAMPLE_CUTOFF_COLD,
                                     &cold.threshold, error);
    m->stats.cold_count = cold.threshold;
    if (code != APF_OK || !cold.threshold)
        return code;
    code = sample_trim_cold(m->view, &cold, &made, &result, losses, error);
    if (code != APF_OK)
        return code;
    m->stats.cold_merged = result.merged;
    m->stats.cold_trimmed = result.trimmed;
    m->stats.cold_samples = result.samples;
    return replace_view(m, made, losses, error);
}

static int convert_view(struct apf_sample_merge *m, struct sample_losses *losses, struct apf_error *error)
{
    struct apf_sample *made = NULL;
    int code = APF_OK;
    if (m->options.conversion == APF_SAMPLE_FLAT)
        code = sample_flatten(m->view, &made, losses, error);
    else if (m->options.conversion == APF_SAMPLE_NESTED && m->view->info.flags & APF_SAMPLE_CONTEXTS)
        code = sample_nest(m->view, (m->options.flags & APF_SAMPLE_MERGE_BASE) != 0, &made, losses, error);
    return made ? replace_view(m, made, losses, error) : code;
}

static int filter_view(struct apf_sample_merge *m, struct apf_error *error)
{
    m->stats.names = m->view->top.n;
    return m->options.filter
               ? sample_filter(m->view, m->options.filter, m->options.filter_user, &m->stats.filtered, error)
               : APF_OK;
}

/* ---- facts about the whole ---- */

/* Joins lists of symbols, whose texts stay where they are. */
static int join_symbols(struct apf_sample_merge *m, const struct apf_sample *sum, struct apf_error *error)
{
    struct apf_sample *s = m->view;
    const struct apf_sample *hollow = m->sums.hollow.profile;
    size_t n = m->symbols.n + (sum ? sum->symbols.n : 0) + (hollow ? hollow->symbols.n : 0), kept = 0;
    s->symbols.n = 0;
    s->has_symbols = m->symbols.n || (sum && sum->has_symbols) || (hollow && hollow->has_symbols);
    if (!VEC_RESERVE(&s->symbols, n))
        return error_memory(error);
    for (size_t i = 0; i < m->symbols.n; i++)
        s->symbols.data[s->symbols.n++] = m->symbols.data[i];
    for (size_t i = 0; sum && i < sum->symbols.n; i++)
        s->symbols.data[s->symbols.n++] = sum->symbols.data[i];
    for (size_t i = 0; hollow && i < hollow->symbols.n; i++)
        s->symbols.data[s->symbols.n++] = hollow->symbols.data[i];
    if (n == (sum ? sum->symbols.n : 0))
        return APF_OK; /* sorted already, each once */
    if (!SORT_VEC(&s->symbols, sort_text_before, NULL))
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        if (!i || !text_equal(s->symbols.data[kept - 1], s->symbols.data[i]))
            s->symbols.data[kept++] = s->symbols.data[i];
    s->symbols.n = kept;
    return APF_OK;
}

/* The table of names has those of all inputs; only names that the view uses count. Whether a hash is that of a unique
 * name only the inputs know. */
static int count_names(struct apf_sample *s, struct apf_error *error)
{
    uint8_t *used = calloc(s->names.list.n + 1, 1);
    bool is_unique = false;
    int code = used ? sample_mark_all_names(s, used, error) : error_memory(error);
    s->info.n_names = s->info.n_hashes = 0;
    for (size_t i = 0; code == APF_OK && i < s->names.list.n; i++) {
        const struct sample_name *name = &s->names.list.data[i];
        s->info.n_names += used[i] && name->p;
        s->info.n_hashes += used[i] && !name->p;
        is_unique |= used[i] && sample_name_is_unique(sample_names_text(&s->names, (uint32_t)i));
    }
    if (is_unique)
        s->info.flags |= APF_SAMPLE_UNIQUE;
    else if (!s->info.n_hashes)
        s->info.flags &= ~(uint32_t)APF_SAMPLE_UNIQUE;
    s->info.flags |= s->info.n_hashes ? APF_SAMPLE_MD5 : 0;
    free(used);
    return code;
}

/* Marks the view as a profile of GCC if all inputs are such. The newest version of GCC's inputs is that of the view. */
static void find_origin(const struct apf_sample_merge *m, struct apf_sample_info *info)
{
    bool all = true;
    int newest = -1; /* rows are in the order of time */
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct apf_sample_info *in = m->inputs.data[i].result.info;
        if (m->kept.list.data[i].code != APF_OK)
            continue;
        if (in->origin != APF_SAMPLE_GCC) {
            all = false;
            continue;
        }
        int form = (int)sample_form_of_gcc(in->version, in->layout);
        newest = form < SAMPLE_FORM_COUNT && form > newest ? form : newest;
    }
    if (newest < 0)
        return;
    info->version = sample_form_row((enum sample_form)newest)->version;
    info->layout = sample_form_row((enum sample_form)newest)->variant;
    info->origin = all ? APF_SAMPLE_GCC : 0;
}

/* Completes the view. `flags`: those that it inherits from the inputs. */
static int complete_view(struct apf_sample_merge *m, uint32_t flags, struct apf_error *error)
{
    struct apf_sample *s = m->view;
    struct apf_sample_merge_stats *stats = &m->stats;
    struct sample_finder f = finder_of(m);
    s->info.format = APF_SAMPLE_MERGED;
    find_origin(m, &s->info);
    s->info.flags = flags & INHERITED;
    s->is_view = true;
    int code = sample_complete(s, error);
    s->info.flags &= flags | ~(uint32_t)APF_SAMPLE_UNIQUE; /* names of other classes do not count */
    if (code == APF_OK)
        code = count_names(s, error);
    if (code == APF_OK)
        code = sample_report_saturated(&f, s, &stats->saturated, error);
    stats->n_functions = s->info.n_functions;
    stats->n_inlined = s->info.n_inlined;
    m->sum_of_counts = s->sum_of_counts;
    return code;
}

static void clear_stats(struct apf_sample_merge *m)
{
    struct apf_sample_merge_stats *s = &m->stats;
    s->n_functions = s->n_inlined = s->checksum_mismatches = s->inlined_mismatches = s->mismatch_samples = 0;
    s->saturated = s->remapped = s->remapped_merged = s->names = s->filtered = s->over_limit = 0;
    s->cold_count = s->cold_merged = s->cold_trimmed = s->cold_samples = 0;
    m->lost_nodes.n = 0;
    m->lost_unknown = m->renamed = false;
}

static int make_view(struct apf_sample_merge *m, struct sample_losses *losses, struct apf_error *error)
{
    struct pulse *pulse = &m->kept.pulse;
    const struct apf_sample *hollow = m->sums.hollow.profile, *sum;
    int code = pulse_step(pulse, share_sum(m, error), error);
    sum = m->class < SAMPLE_CLASS_COUNT ? m->sums.classes[m->class].profile : NULL;
    uint32_t others = hollow ? hollow->info.flags : 0;
    if (sum) /* what is hollow has neither probes nor contexts */
        others &= ~(uint32_t)(APF_SAMPLE_PROBES | APF_SAMPLE_CONTEXTS);
    if (code == APF_OK)
        code = pulse_step(pulse, sample_resolve(m->view, losses, error), error);
    if (code != APF_OK)
        return code;
    uint32_t flags = m->view->info.flags = (sum ? sum->info.flags : 0) | others;
    code = keep_lost_nodes(m, losses, error);
    if (code == APF_OK)
        code = settle_losses(m, m->view, losses, error);
    if (code == APF_OK)
        code = pulse_step(pulse, trim_cold(m, losses, error), error);
    if (code == APF_OK)
        code = pulse_step(pulse, convert_view(m, losses, error), error);
    if (code == APF_OK)
        code = pulse_step(pulse, filter_view(m, error), error);
    if (code == APF_OK)
        code = join_symbols(m, sum, error);
    if (m->options.conversion != APF_SAMPLE_AS_IT_IS)
        flags &= ~(uint32_t)APF_SAMPLE_CONTEXTS;
    return code == APF_OK ? complete_view(m, flags, error) : code;
}

int sample_merge_finish(struct apf_sample_merge *m, struct apf_error *error)
{
    struct sample_losses losses = {0};
    int code = inputs_check_whole(&m->kept, error);
    if (code != APF_OK || m->view)
        return code;
    clear_stats(m);
    code = sample_merge_load_sources(m, error);
    if (code == APF_OK)
        code = sample_merge_settle(m, error);
    if (code == APF_OK)
        code = make_view(m, &losses, error);
    if (code == APF_OK)
        code = sample_merge_find_losses(m, error);
    sample_losses_free(&losses);
    if (code != APF_OK) {
        sample_share_free(m->view);
        m->view = NULL;
    }
    return code;
}
