/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports a merge as JSON, described in docs/json.md. Nothing in it may depend on threads. */
#include <string.h>

#include "base/json_entry.h"
#include "inputs/inputs_report.h"
#include "sample/merge/sample_merge.h"
#include "sample/model/sample_info_words.h"
#include "sample/write/sample_losses.h"

#define SCHEMA "anyprof-sample-merge-report/1"

/* ---- the statistics ---- */

enum group { IN_TOTALS, IN_RESULT, LEFT_OUT };

/* Every field of struct apf_sample_merge_stats: field, group, key. */
#define STATS(X)                                                                                             \
    X(n_inputs, IN_TOTALS, "inputs")                                                                         \
    X(n_merged, IN_TOTALS, "merged")                                                                         \
    X(n_empty, IN_TOTALS, "empty")                                                                           \
    X(n_rejected, IN_TOTALS, "rejected")                                                                     \
    X(n_salvaged, IN_TOTALS, "salvaged")                                                                     \
    X(salvaged_functions, IN_TOTALS, "salvaged_functions")                                                   \
    X(salvage_lost_functions, IN_TOTALS, "salvage_lost_functions")                                           \
    X(n_held, IN_TOTALS, "held")                                                                             \
    X(n_removed, IN_TOTALS, "removed")                                                                       \
    X(removed_bytes, IN_TOTALS, "removed_bytes")                                                             \
    X(n_not_removed, IN_TOTALS, "not_removed")                                                               \
    X(n_undeletable, IN_TOTALS, "undeletable")                                                               \
    X(n_functions, IN_RESULT, "functions")                                                                   \
    X(n_inlined, IN_RESULT, "inlined")                                                                       \
    X(checksum_mismatches, IN_RESULT, "checksum_mismatches")                                                 \
    X(inlined_mismatches, IN_RESULT, "inlined_mismatches")                                                   \
    X(mismatch_samples, IN_RESULT, "mismatch_samples")                                                       \
    X(saturated, IN_RESULT, "saturated")                                                                     \
    X(remapped, IN_RESULT, "remapped")                                                                       \
    X(remapped_merged, IN_RESULT, "remapped_merged")                                                         \
    X(cold_count, IN_RESULT, "cold_count")                                                                   \
    X(cold_merged, IN_RESULT, "cold_merged")                                                                 \
    X(cold_trimmed, IN_RESULT, "cold_trimmed")                                                               \
    X(cold_samples, IN_RESULT, "cold_samples")                                                               \
    X(names, IN_RESULT, "names")                                                                             \
    X(filtered, IN_RESULT, "filtered")                                                                       \
    X(over_limit, LEFT_OUT, "over_limit")

static const struct stat {
    size_t at; /* offset of the field */
    const char *key;
    enum group group;
} stats[] = {
#define STAT(field, group, key) {offsetof(struct apf_sample_merge_stats, field), key, group},
    STATS(STAT)
#undef STAT
};

static void write_stats(struct json_writer *w, const struct apf_sample_merge_stats *s, enum group group)
{
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        uint64_t v;
        memcpy(&v, (const char *)s + stats[i].at, sizeof v);
        if (stats[i].group == group)
            json_entry_u64(w, stats[i].key, v);
    }
}

/* ---- parts of the report ---- */

static void write_salvage(struct json_writer *w, const struct apf_sample_salvage *s)
{
    json_key(w, "salvage");
    if (!s) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_key(w, "functions");
    json_object_begin(w);
    json_entry_u64(w, "taken", s->functions);
    json_entry_known(w, "lost", s->lost_known, s->lost_functions);
    json_object_end(w);
    json_object_end(w);
}

/* Writes an input. For an unread file the lists are empty and the numbers null. */
static void write_input(const void *merge, size_t i, struct json_writer *w)
{
    const struct apf_sample_merge *m = (const struct apf_sample_merge *)merge;
    const struct apf_sample_input_result *r = &m->inputs.data[i].result;
    const struct apf_sample_info *info = r->info;
    bool read =
        r->code == APF_OK || r->code == APF_SAMPLE_PROBE_CONFLICT || r->code == APF_SAMPLE_CONTEXT_CONFLICT;
    write_salvage(w, r->code == APF_OK ? r->salvage : NULL);
    json_entry_u64(w, "weight", r->weight);
    json_entry_string(w, "kind", sample_format_word(info->format));
    json_entry_known(w, "version", read && info->version, info->version);
    json_entry_string(w, "layout", read ? info->layout : NULL);
    json_entry_string(w, "byte_order",
                      !read || info->format != APF_SAMPLE_GCC ? NULL
                      : info->big_endian                      ? "big"
                                                              : "little");
    sample_bit_words_write(w, "flags", sample_flag_words, read ? info->flags : 0);
    json_entry_known(w, "functions", read, info->n_functions);
    json_entry_known(w, "inlined", read, info->n_inlined);
    json_entry_known(w, "lines", read, info->n_lines);
    json_entry_known(w, "targets", read, info->n_targets);
    json_entry_known(w, "symbols", read, info->n_symbols);
    json_entry_known(w, "sum_of_counts", read, r->sum_of_counts);
    json_entry_findings(w, r->findings, r->n_findings);
    json_key(w, "lost");
    if (sample_merge_losses_known(m, r)) {
        json_object_begin(w);
        json_entry_u64(w, "functions", r->lost_functions);
        json_object_end(w);
    } else {
        json_none(w);
    }
}

/* The sum of the counts of all merged inputs, as it is in the result if nothing is left out. */
static uint64_t sum_of_inputs(const struct apf_sample_merge *m)
{
    uint64_t sum = 0, cut = 0;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct apf_sample_input_result *r = &m->inputs.data[i].result;
        if (r->code == APF_OK)
            sum = sample_sum(sum, r->sum_of_counts, r->weight, &cut);
    }
    return sum;
}

static void write_result(struct json_writer *w, const struct apf_sample_merge *m)
{
    json_key(w, "result");
    if (!m->view) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    write_stats(w, &m->stats, IN_RESULT);
    sample_bit_words_write(w, "flags", sample_flag_words, m->view->info.flags);
    json_entry_u64(w, "lines", m->view->info.n_lines);
    json_entry_u64(w, "targets", m->view->info.n_targets);
    json_entry_u64(w, "symbols", m->view->info.n_symbols);
    json_entry_u64(w, "hashes", m->view->info.n_hashes);
    json_entry_u64(w, "sum_of_counts", m->sum_of_counts);
    json_object_end(w);
}

static void write_left_out(struct json_writer *w, const struct apf_sample_merge *m)
{
    json_key(w, "left_out");
    json_object_begin(w);
    write_stats(w, &m->stats, LEFT_OUT);
#define LOSS(field, id, level, key, text) json_entry_u64(w, key, m->written.field);
    SAMPLE_LOSSES(LOSS)
#undef LOSS
    json_entry_u64(w, "hashed_names", m->written.hashed_names);
    sample_bit_words_write(w, "flags", sample_flag_words, m->written.lost_flags);
    json_object_end(w);
}

static void write_output(struct json_writer *w, const struct apf_sample_merge *m)
{
    const struct apf_sample_write_result *r = &m->written;
    json_key(w, "output");
    if (m->kept.output.state != OUTPUT_WRITTEN) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_path(w, m->kept.output.path);
    json_entry_string(w, "kind", sample_format_word(r->format));
    json_entry_known(w, "version", r->version != 0, r->version);
    sample_bit_words_write(w, "flags", sample_flag_words, r->flags);
    write_left_out(w, m);
    json_object_end(w);
}

static void write_totals(const void *merge, struct json_writer *w)
{
    const struct apf_sample_merge *m = (const struct apf_sample_merge *)merge;
    json_key(w, "totals");
    json_object_begin(w);
    write_stats(w, &m->stats, IN_TOTALS);
    json_entry_u64(w, "sum_of_counts", sum_of_inputs(m));
    json_object_end(w);
    write_result(w, m);
    write_output(w, m);
}

int apf_sample_merge_write_report(const struct apf_sample_merge *m, const struct apf_tolerance *tolerance,
                                  const struct apf_output *output, struct apf_error *error)
{
    static const struct inputs_reporter reporter = {SCHEMA, write_totals, write_input};
    return inputs_report(&m->kept, &reporter, tolerance, output, error);
}
