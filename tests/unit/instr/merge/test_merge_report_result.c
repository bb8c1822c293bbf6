/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The result, the output and the statistics in the report of a merge, equal on both paths. */
#include <jansson.h>
#include <string.h>

#include "helpers/shared/raw_runs.h"
#include "helpers/shared/report_read.h"
#include "instr/merge/merge.h"

static const struct apf_tolerance any = {APF_FAIL_ANY, 0}, all = {APF_FAIL_ALL, 0};
static struct apf_error error;

/* Data that the version cannot hold, and releases that cannot read it. */
static void test_output(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 1, 10, 8, false);
    r.profiles[0].variant = RB_IR | RB_TEMPORAL;
    rb_append(&r.files[0], &r.profiles[0], NULL);
    struct apf_input input = {
        .size = sizeof(struct apf_input), .data = r.files[0].data, .n = r.files[0].n, .weight = 2};
    struct apf_merge *m = merge_start(0, 1);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
    merge_text(m, "zero", ":ir\nzero\n1\n1\n0\n", 0);
    assert_int_equal(merge_write_for(m, "indexed-5", APF_WRITE_SPARSE), APF_OK);
    json_t *root = report_of(m, &any);
    static const struct entry rows[] = {
        {"verdict", "\"written\""},
        {"error", "null"},
        {"totals.sum_of_counts", "8656"},
        {"result.sum_of_counts", "8656"},
        {"result.functions", "4"},
        {"output.path", "null"},
        {"output.path_hex", "null"},
        {"output.kind", "\"indexed\""},
        {"output.version", "5"},
        {"output.variant", "[\"ir\"]"},
        {"output.functions", "3"},
        {"output.left_out.unexecuted", "1"},
        {"output.left_out.bitmaps", "1"},
        {"output.left_out.traces", "1"},
        {"output.left_out.value_sites", "1"},
        {"output.left_out.binary_ids", "1"},
        {"output.left_out.vtable_names", "2"},
        {"output.left_out.records", "0"},
        {"output.left_out.uniformity", "0"},
        {"output.left_out.variant", "[]"}, /* it went with the traces */
        {"output.cannot_read", "[]"},
        {"output.binary_ids_kept_for", "[]"}, /* the target is named */
    };
    EXPECT_ENTRIES(root, rows);
    json_decref(root);
    /* Nothing of one output remains in the report of the next. */
    assert_int_equal(merge_write_for(m, "text", 0), APF_OK);
    root = report_of(m, NULL);
    static const struct entry text[] = {
        {"verdict", "\"written\""},
        {"failure_mode", "null"},
        {"max_loss", "null"},
        {"output.kind", "\"text\""},
        {"output.version", "null"},
        {"output.functions", "4"},
        {"output.left_out.unexecuted", "0"},
        {"output.left_out.bitmaps", "0"},
        {"output.variant", "[\"ir\",\"temporal\"]"},
        {"output.cannot_read", "[]"},
    };
    EXPECT_ENTRIES(root, text);
    json_decref(root);
    apf_merge_free(m);
    free_runs(&r);
}

static int refuse(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return 28;
}

static void test_verdicts(void **state)
{
    (void)state;
    const struct apf_tolerance half = {APF_FAIL_SHARE, 33333333}, warn = {APF_FAIL_WARN, 0};
    struct apf_output full = apf_output_callback(refuse, NULL);
    struct apf_merge *m = merge_start(0, 1);
    merge_text(m, "good", "foo\n1\n1\n1\n", 0);
    json_t *root = report_of(m, &any);
    expect_entry(root, "verdict", "\"not_written\"");
    expect_entry(root, "result", "null");
    json_decref(root);
    assert_int_equal(apf_merge_write(m, NULL, &full, &error), APF_IO);
    root = report_of(m, &all);
    static const struct entry failed[] = {
        {"verdict", "\"failed\""},           {"failure_mode", "\"all\""}, {"error.code", "\"IO\""},
        {"error.where", "\"output.write\""}, {"error.errno", "28"},       {"error.offset", "null"},
        {"result.functions", "1"},           {"output", "null"},
    };
    EXPECT_ENTRIES(root, failed);
    json_decref(root);
    merge_text(m, "bad", "foo\nx\n", 0);
    root = report_of(m, &half); /* what is added makes it a new merge */
    expect_entry(root, "verdict", "\"refused\"");
    expect_entry(root, "error", "null");
    expect_entry(root, "failure_mode", "null");
    assert_true(json_real_value(report_at(root, "max_loss")) == 33.333333);
    json_decref(root);
    root = report_of(m, &warn);
    expect_entry(root, "verdict", "\"not_written\"");
    expect_entry(root, "failure_mode", "\"warn\"");
    json_decref(root);
    root = report_of(m, NULL);
    expect_entry(root, "verdict", "\"not_written\"");
    json_decref(root);
    struct apf_error none;
    assert_int_equal(apf_merge_write_report(m, NULL, &full, &none), APF_IO);
    assert_int_equal(none.sys_errno, 28);
    assert_string_equal(none.where, "output.write");
    apf_merge_free(m);
}

/* ---- the statistics ---- */

/* Counts how often a number is in a document. */
static unsigned find_number(json_t *value, uint64_t number)
{
    unsigned n = json_is_integer(value) && (uint64_t)json_integer_value(value) == number;
    const char *key;
    json_t *entry;
    size_t i;
    json_object_foreach(value, key, entry) n += find_number(entry, number);
    json_array_foreach(value, i, entry) n += find_number(entry, number);
    return n;
}

/* Every field of the statistics is in the report once, but for the one that depends on threads and the three that are
 * sets: each is set to a number of its own. A new field that the report forgets makes this fail. */
static void test_every_statistic(void **state)
{
    (void)state;
    struct apf_merge *m = merge_start(0, 1);
    const struct apf_supplement samples = {.size = sizeof samples}; /* its statistics are there only then */
    merge_text(m, "good", "foo\n1\n1\n1\n", 0);
    assert_int_equal(apf_merge_supplement(m, &samples, NULL, &error), APF_OK);
    assert_int_equal(merge_write_for(m, "indexed-12", 0), APF_OK);
    const uint64_t first = 1000000;
    const size_t n = offsetof(struct apf_merge_stats, version) / sizeof(uint64_t);
    for (size_t i = 0; i < n; i++) {
        uint64_t v = first + i;
        memcpy((uint8_t *)&m->stats + i * sizeof v, &v, sizeof v);
    }
    m->stats.cannot_read = 1;
    m->stats.keep_ids = 2;
    m->stats.memprof_version = 4;
    m->stats.variant = APF_VARIANT_CS;
    m->stats.dropped_variants = APF_VARIANT_IR | APF_VARIANT_CS | APF_VARIANT_ENTRY_FIRST |
                                APF_VARIANT_LOOP_ENTRIES | APF_VARIANT_ENTRY_ONLY |
                                APF_VARIANT_BYTE_COVERAGE | APF_VARIANT_TEMPORAL | APF_VARIANT_MEMPROF |
                                APF_VARIANT_DEBUG_CORRELATE;
    json_t *root = report_of(m, &any);
    unsigned missing = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned times = find_number(root, first + i);
        assert_true(times <= 1);
        missing += times == 0;
    }
    assert_int_equal(missing, 5);
    assert_int_equal(find_number(root, m->stats.n_fast), 0);
    expect_entry(root, "output.version", "12");
    expect_entry(root, "output.memprof_version", "4");
    expect_entry(root, "output.cannot_read", "[\"3.5\"]");
    expect_entry(root, "output.binary_ids_kept_for", "[\"3.6\"]");
    expect_entry(root, "output.variant", "[\"context_sensitive\"]");
    expect_entry(
        root, "output.left_out.variant",
        "[\"ir\",\"context_sensitive\",\"entry_first\",\"loop_entries\",\"entry_only\",\"byte_coverage\","
        "\"temporal\",\"memprof\",\"debug_correlate\"]");
    static const struct {
        const char *place;
        size_t at;
    } rows[] = {
#define ROW(place, field) {place, offsetof(struct apf_merge_stats, field)}
        ROW("totals.inputs", n_inputs),
        ROW("totals.merged", n_merged),
        ROW("totals.empty", n_empty),
        ROW("totals.rejected", n_rejected),
        ROW("totals.salvaged", n_salvaged),
        ROW("totals.salvaged_functions", salvaged_functions),
        ROW("totals.salvage_lost_functions", salvage_lost_functions),
        ROW("totals.salvage_lost_values", salvage_lost_values),
        ROW("totals.held", n_held),
        ROW("totals.removed", n_removed),
        ROW("totals.removed_bytes", removed_bytes),
        ROW("totals.not_removed", n_not_removed),
        ROW("totals.undeletable", n_undeletable),
        ROW("totals.missing_value_data", missing_value_data),
        ROW("totals.large_counters", large_counters),
        ROW("totals.memprof_dropped", memprof_dropped),
        ROW("totals.front_end_in_ir", front_end_in_ir),
        ROW("result.functions", n_functions),
        ROW("result.count_mismatches", count_mismatches),
        ROW("result.bitmap_mismatches", bitmap_mismatches),
        ROW("result.site_mismatches", site_mismatches),
        ROW("result.nameless", nameless),
        ROW("result.numbering_mismatches", numbering_mismatches),
        ROW("result.salvage_found_names", salvage_found_names),
        ROW("result.salvage_lost_names", salvage_lost_names),
        ROW("result.saturated", saturated),
        ROW("result.truncated_sites", truncated_sites),
        ROW("result.truncated_values", truncated_values),
        ROW("result.unknown_targets", unknown_targets),
        ROW("result.renamed", renamed),
        ROW("result.renamed_merged", renamed_merged),
        ROW("result.remapped", remapped),
        ROW("result.remapped_merged", remapped_merged),
        ROW("result.names", names),
        ROW("result.filtered", filtered),
        ROW("result.supplement.functions", supplemented),
        ROW("result.supplement.marked_hot", supplement_hot),
        ROW("result.supplement.marked_warm", supplement_warm),
        ROW("result.supplement.scaled", supplement_scaled),
        ROW("result.supplement.ambiguous", supplement_ambiguous),
        ROW("result.supplement.hot_count", supplement_hot_count),
        ROW("result.supplement.cold_count", supplement_cold_count),
        ROW("result.supplement.hot_samples", supplement_hot_samples),
        ROW("result.supplement.warm_samples", supplement_warm_samples),
        ROW("output.other_hash_scheme", other_hash_scheme),
        ROW("output.bitmap_numbering", bitmap_numbering),
        ROW("output.version_guessed", version_guessed),
        ROW("result.memprof_functions", memprof_functions),
        ROW("result.memprof_contexts", memprof_contexts),
        ROW("result.memprof_saturated", memprof_saturated),
        ROW("output.left_out.memprof", dropped_memprof),
        ROW("output.left_out.memprof_fields", dropped_fields),
        ROW("output.left_out.memprof_callees", dropped_callees),
        ROW("output.left_out.memprof_data", dropped_data),
        ROW("output.left_out.records", dropped_records),
        ROW("output.left_out.unexecuted", sparse_dropped),
        ROW("output.left_out.value_sites", dropped_values),
        ROW("output.left_out.bitmaps", dropped_bitmaps),
        ROW("output.left_out.traces", dropped_traces),
        ROW("output.left_out.binary_ids", dropped_ids),
        ROW("output.left_out.vtable_names", dropped_vtable_names),
        ROW("output.left_out.uniformity", dropped_uniformity),
#undef ROW
    };
    assert_int_equal(COUNT(rows) + 5, n);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(json_integer_value(report_at(root, rows[i].place)),
                         first + rows[i].at / sizeof(uint64_t));
    json_decref(root);
    apf_merge_free(m);
}

/* ---- one report, whatever the way ---- */

static void report_way(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads,
                       struct apf_buffer *report)
{
    struct apf_merge *m = merge_start(flags, threads);
    assert_int_equal(apf_merge_add(m, inputs, n, &error), APF_OK);
    assert_int_equal(apf_merge_stats(m)->n_fast != 0, !(flags & APF_MERGE_GENERAL));
    assert_int_equal(merge_write_for(m, "llvm-16", 0), APF_OK);
    report_bytes(m, &all, report);
    apf_merge_free(m);
}

static void test_same_bytes(void **state)
{
    (void)state;
    struct runs r, other;
    struct apf_input inputs[64];
    struct apf_buffer want = {0};
    make_runs(&r, 8, 10, 8, false);
    make_runs(&other, 8, 8, 4, true);
    for (size_t i = 0; i < 8; i++) {
        rb_append(&r.files[i], &r.profiles[i], NULL);
        other.functions[i][1].unnamed = true;
        other.profiles[i].no_values = i % 3 == 1;
        rb_append(&other.files[i], &other.profiles[i], NULL);
    }
    for (size_t i = 0; i < COUNT(inputs); i++) {
        const struct rb_file *f = i % 2 ? &r.files[i / 2 % 8] : &other.files[i / 2 % 8];
        inputs[i] = apf_input_memory(f->data, i % 7 == 6 ? f->n - i : i % 11 == 10 ? 0 : f->n, NULL);
        inputs[i].weight = i;
    }
    report_way(inputs, COUNT(inputs), APF_MERGE_GENERAL, 1, &want);
    for (uint32_t threads = 1; threads <= 8; threads *= 2)
        for (uint32_t flags = 0; flags <= APF_MERGE_GENERAL; flags += APF_MERGE_GENERAL) {
            struct apf_buffer got = {0};
            report_way(inputs, COUNT(inputs), flags, threads, &got);
            assert_int_equal(got.n, want.n);
            assert_memory_equal(got.data, want.data, want.n);
            apf_buffer_free(&got);
        }
    apf_buffer_free(&want);
    free_runs(&r);
    free_runs(&other);
}

/* A merge of records alone, and one without anything. */
static void test_no_inputs(void **state)
{
    (void)state;
    const uint64_t counts[] = {5, 6};
    struct apf_record record = {
        .size = sizeof record, .name = {"foo", 3}, .hash = 1, .counts = counts, .n_counts = 2};
    struct apf_merge *m = merge_start(0, 1);
    json_t *root = report_of(m, &any);
    expect_entry(root, "verdict", "\"not_written\"");
    expect_entry(root, "inputs", "[]");
    expect_entry(root, "totals.inputs", "0");
    json_decref(root);
    assert_int_equal(apf_merge_add_record(m, &record, 2, &error), APF_OK);
    assert_int_equal(merge_write_for(m, "auto", 0), APF_OK);
    root = report_of(m, &any);
    expect_entry(root, "verdict", "\"written\"");
    expect_entry(root, "totals.sum_of_counts", "0");
    expect_entry(root, "result.sum_of_counts", "22");
    expect_entry(root, "output.functions", "1");
    json_decref(root);
    apf_merge_free(m);
}

TEST_FILE(merge_report_result)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output),          cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_every_statistic), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_no_inputs),
    };
    return RUN_TESTS(tests);
}
