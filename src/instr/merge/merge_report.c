/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports a merge as JSON, described in docs/json.md. Nothing in it may depend on threads or on the path by which an
 * input was added. */
#include <string.h>

#include "base/json_entry.h"
#include "inputs/inputs_report.h"
#include "instr/merge/merge.h"
#include "instr/model/profile_words.h"

#define SCHEMA "anyprof-merge-report/1"

/* ---- the statistics ---- */

enum group {
    IN_TOTALS,
    IN_RESULT,
    IN_SUPPLEMENT,
    IN_OUTPUT,
    LEFT_OUT,
    NOWHERE /* depends on the number of threads */
};

enum kind { NUMBER, VARIANTS, RELEASES };

/* Every field of struct apf_merge_stats but the versions: field, group, key, kind. */
#define STATS(X)                                                                                             \
    X(n_inputs, IN_TOTALS, "inputs", NUMBER)                                                                 \
    X(n_merged, IN_TOTALS, "merged", NUMBER)                                                                 \
    X(n_empty, IN_TOTALS, "empty", NUMBER)                                                                   \
    X(n_rejected, IN_TOTALS, "rejected", NUMBER)                                                             \
    X(n_salvaged, IN_TOTALS, "salvaged", NUMBER)                                                             \
    X(salvaged_functions, IN_TOTALS, "salvaged_functions", NUMBER)                                           \
    X(salvage_lost_functions, IN_TOTALS, "salvage_lost_functions", NUMBER)                                   \
    X(salvage_lost_values, IN_TOTALS, "salvage_lost_values", NUMBER)                                         \
    X(n_held, IN_TOTALS, "held", NUMBER)                                                                     \
    X(n_removed, IN_TOTALS, "removed", NUMBER)                                                               \
    X(removed_bytes, IN_TOTALS, "removed_bytes", NUMBER)                                                     \
    X(n_not_removed, IN_TOTALS, "not_removed", NUMBER)                                                       \
    X(n_undeletable, IN_TOTALS, "undeletable", NUMBER)                                                       \
    X(n_fast, NOWHERE, "", NUMBER)                                                                           \
    X(missing_value_data, IN_TOTALS, "missing_value_data", NUMBER)                                           \
    X(large_counters, IN_TOTALS, "large_counters", NUMBER)                                                   \
    X(memprof_dropped, IN_TOTALS, "memprof_dropped", NUMBER)                                                 \
    X(front_end_in_ir, IN_TOTALS, "front_end_in_ir", NUMBER)                                                 \
    X(n_functions, IN_RESULT, "functions", NUMBER)                                                           \
    X(count_mismatches, IN_RESULT, "count_mismatches", NUMBER)                                               \
    X(bitmap_mismatches, IN_RESULT, "bitmap_mismatches", NUMBER)                                             \
    X(numbering_mismatches, IN_RESULT, "numbering_mismatches", NUMBER)                                       \
    X(site_mismatches, IN_RESULT, "site_mismatches", NUMBER)                                                 \
    X(nameless, IN_RESULT, "nameless", NUMBER)                                                               \
    X(salvage_found_names, IN_RESULT, "salvage_found_names", NUMBER)                                         \
    X(salvage_lost_names, IN_RESULT, "salvage_lost_names", NUMBER)                                           \
    X(saturated, IN_RESULT, "saturated", NUMBER)                                                             \
    X(truncated_sites, IN_RESULT, "truncated_sites", NUMBER)                                                 \
    X(truncated_values, IN_RESULT, "truncated_values", NUMBER)                                               \
    X(unknown_targets, IN_RESULT, "unknown_targets", NUMBER)                                                 \
    X(renamed, IN_RESULT, "renamed", NUMBER)                                                                 \
    X(renamed_merged, IN_RESULT, "renamed_merged", NUMBER)                                                   \
    X(remapped, IN_RESULT, "remapped", NUMBER)                                                               \
    X(remapped_merged, IN_RESULT, "remapped_merged", NUMBER)                                                 \
    X(names, IN_RESULT, "names", NUMBER)                                                                     \
    X(filtered, IN_RESULT, "filtered", NUMBER)                                                               \
    X(supplemented, IN_SUPPLEMENT, "functions", NUMBER)                                                      \
    X(supplement_hot, IN_SUPPLEMENT, "marked_hot", NUMBER)                                                   \
    X(supplement_warm, IN_SUPPLEMENT, "marked_warm", NUMBER)                                                 \
    X(supplement_scaled, IN_SUPPLEMENT, "scaled", NUMBER)                                                    \
    X(supplement_ambiguous, IN_SUPPLEMENT, "ambiguous", NUMBER)                                              \
    X(supplement_hot_count, IN_SUPPLEMENT, "hot_count", NUMBER)                                              \
    X(supplement_cold_count, IN_SUPPLEMENT, "cold_count", NUMBER)                                            \
    X(supplement_hot_samples, IN_SUPPLEMENT, "hot_samples", NUMBER)                                          \
    X(supplement_warm_samples, IN_SUPPLEMENT, "warm_samples", NUMBER)                                        \
    X(variant, IN_OUTPUT, "variant", VARIANTS)                                                               \
    X(other_hash_scheme, IN_OUTPUT, "other_hash_scheme", NUMBER)                                             \
    X(bitmap_numbering, IN_OUTPUT, "bitmap_numbering", NUMBER)                                               \
    X(cannot_read, IN_OUTPUT, "cannot_read", RELEASES)                                                       \
    X(keep_ids, IN_OUTPUT, "binary_ids_kept_for", RELEASES)                                                  \
    X(version_guessed, IN_OUTPUT, "version_guessed", NUMBER)                                                 \
    X(memprof_functions, IN_RESULT, "memprof_functions", NUMBER)                                             \
    X(memprof_contexts, IN_RESULT, "memprof_contexts", NUMBER)                                               \
    X(memprof_saturated, IN_RESULT, "memprof_saturated", NUMBER)                                             \
    X(dropped_records, LEFT_OUT, "records", NUMBER)                                                          \
    X(sparse_dropped, LEFT_OUT, "unexecuted", NUMBER)                                                        \
    X(dropped_values, LEFT_OUT, "value_sites", NUMBER)                                                       \
    X(dropped_bitmaps, LEFT_OUT, "bitmaps", NUMBER)                                                          \
    X(dropped_traces, LEFT_OUT, "traces", NUMBER)                                                            \
    X(dropped_ids, LEFT_OUT, "binary_ids", NUMBER)                                                           \
    X(dropped_vtable_names, LEFT_OUT, "vtable_names", NUMBER)                                                \
    X(dropped_uniformity, LEFT_OUT, "uniformity", NUMBER)                                                    \
    X(dropped_memprof, LEFT_OUT, "memprof", NUMBER)                                                          \
    X(dropped_fields, LEFT_OUT, "memprof_fields", NUMBER)                                                    \
    X(dropped_callees, LEFT_OUT, "memprof_callees", NUMBER)                                                  \
    X(dropped_data, LEFT_OUT, "memprof_data", NUMBER)                                                        \
    X(dropped_variants, LEFT_OUT, "variant", VARIANTS)

static const struct {
    enum group group;
    enum kind kind;
    size_t at;
    const char *key;
} stats[] = {
#define STAT_ROW(field, group, key, kind) {group, kind, offsetof(struct apf_merge_stats, field), key},
    STATS(STAT_ROW)
#undef STAT_ROW
};

_Static_assert(sizeof(struct apf_merge_stats) ==
                   (sizeof stats / sizeof *stats + 1) * sizeof(uint64_t), /* + the versions */
               "every statistic has a row here and a line in docs/json.md");

static void group_of(struct json_writer *w, const struct apf_merge_stats *s, enum group group)
{
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        uint64_t v;
        memcpy(&v, (const uint8_t *)s + stats[i].at, sizeof v);
        if (stats[i].group != group)
            continue;
        if (stats[i].kind == VARIANTS)
            variant_words_write(w, stats[i].key, v);
        else if (stats[i].kind == RELEASES)
            release_words_write(w, stats[i].key, v);
        else
            json_entry_u64(w, stats[i].key, v);
    }
}

/* ---- parts of the report ---- */

static void write_kept_and_lost(struct json_writer *w, const char *key, uint64_t taken, bool known,
                                uint64_t lost)
{
    json_key(w, key);
    json_object_begin(w);
    json_entry_u64(w, "taken", taken);
    json_entry_known(w, "lost", known, lost);
    json_object_end(w);
}

/* Writes the salvage of a damaged input. */
static void write_salvage(struct json_writer *w, const struct apf_salvage *s)
{
    static const char *const sections[] = {"binary_ids", "vtable_names", "traces",
                                           "memprof"}; /* by APF_LOST_* */
    json_key(w, "salvage");
    if (!s) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    write_kept_and_lost(w, "functions", s->functions, s->lost_known, s->lost_functions);
    write_kept_and_lost(w, "values", s->values, true, s->lost_values);
    json_key(w, "names");
    json_object_begin(w);
    json_entry_u64(w, "taken", s->functions - s->nameless);
    json_entry_known(w, "found", s->names_known, s->found_names);
    json_entry_known(w, "lost", s->names_known, s->lost_names);
    json_object_end(w);
    json_key(w, "lost_sections");
    json_array_begin(w);
    for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++)
        if (s->lost_sections >> i & 1)
            json_cstring(w, sections[i]);
    json_array_end(w);
    json_object_end(w);
}

/* Writes the part of a merged input that did not go with the other inputs. */
static void write_lost(struct json_writer *w, const struct apf_input_result *r)
{
    json_key(w, "lost");
    if (!r->losses_known) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "functions", r->lost_functions);
    json_entry_u64(w, "bitmaps", r->lost_bitmaps);
    json_entry_u64(w, "value_kinds", r->lost_values);
    json_object_end(w);
}

/* Writes what was read of an input. For an unread file the lists are empty and the numbers null. */
static void write_input(const void *merge, size_t i, struct json_writer *w)
{
    const struct apf_merge *m = (const struct apf_merge *)merge;
    const struct apf_input_result *r = &m->inputs.data[i].result;
    bool read = r->n_profiles != 0, raw = r->format == APF_FORMAT_RAW;
    write_salvage(w, r->code == APF_OK ? r->salvage : NULL);
    json_entry_u64(w, "weight", r->weight);
    json_entry_string(w, "kind", format_word(r->format));
    json_entry_known(w, "version", r->version != 0, r->version);
    variant_words_write(w, "variant", r->variant);
    json_entry_string(w, "byte_order", raw ? r->big_endian ? "big" : "little" : NULL);
    json_entry_known(w, "pointer_bits", raw, r->pointer_bits);
    release_words_write(w, "producers", r->producers);
    json_entry_known(w, "profiles", read, r->n_profiles);
    json_entry_known(w, "functions", read, r->n_records);
    json_entry_known(w, "counters", read, r->n_counters);
    json_entry_known(w, "sum_of_counts", read, r->sum_of_counts);
    json_entry_digits(w, "binary_ids", r->binary_ids, r->n_binary_ids);
    json_entry_findings(w, r->findings, r->n_findings);
    write_lost(w, r);
}

/* The sum of the counts of all merged inputs. */
static uint64_t sum_of_inputs(const struct apf_merge *m)
{
    uint64_t sum = 0;
    bool cut = false;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct apf_input_result *r = &m->inputs.data[i].result;
        if (r->code == APF_OK)
            sum = sum_saturating(sum, r->sum_of_counts, r->weight, UINT64_MAX, &cut);
    }
    return sum;
}

static void write_result(struct json_writer *w, const struct apf_merge *m)
{
    json_key(w, "result");
    if (!m->last) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    group_of(w, &m->stats, IN_RESULT);
    json_key(w, "supplement");
    if (m->supplement.samples.size) {
        json_object_begin(w);
        group_of(w, &m->stats, IN_SUPPLEMENT);
        json_object_end(w);
    } else {
        json_none(w);
    }
    json_entry_u64(w, "sum_of_counts", profile_sum(m->last->profile));
    json_object_end(w);
}

static void output_entry(struct json_writer *w, const struct apf_merge *m)
{
    const struct apf_merge_stats *s = &m->stats;
    json_key(w, "output");
    if (m->kept.output.state != OUTPUT_WRITTEN) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_path(w, m->kept.output.path);
    json_entry_string(w, "kind", format_word(m->output_format));
    json_entry_known(w, "version", s->version != 0, s->version);
    json_entry_known(w, "memprof_version", s->memprof_version != APF_MEMPROF_NO_VERSION, s->memprof_version);
    group_of(w, s, IN_OUTPUT);
    json_entry_u64(w, "functions", s->n_functions - s->sparse_dropped - s->dropped_records);
    json_key(w, "left_out");
    json_object_begin(w);
    group_of(w, s, LEFT_OUT);
    json_object_end(w);
    json_object_end(w);
}

static void write_totals(const void *merge, struct json_writer *w)
{
    const struct apf_merge *m = (const struct apf_merge *)merge;
    json_key(w, "totals");
    json_object_begin(w);
    group_of(w, &m->stats, IN_TOTALS);
    json_entry_u64(w, "sum_of_counts", sum_of_inputs(m));
    json_object_end(w);
    write_result(w, m);
    output_entry(w, m);
}

int apf_merge_write_report(const struct apf_merge *m, const struct apf_tolerance *tolerance,
                           const struct apf_output *output, struct apf_error *error)
{
    static const struct inputs_reporter reporter = {SCHEMA, write_totals, write_input};
    return inputs_report(&m->kept, &reporter, tolerance, output, error);
}
