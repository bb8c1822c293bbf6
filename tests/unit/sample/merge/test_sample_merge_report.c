/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of a merge: every value, for every outcome. */
#include <jansson.h>
#include <string.h>

#include <anyprof/sample_merge.h>

#include "helpers/shared/report_read.h"

static struct apf_error error;

static struct apf_sample_merge *start(const struct apf_sample_merge_options *options)
{
    struct apf_sample_merge *m;
    assert_int_equal(apf_sample_merge_new(&m, options, &error), APF_OK);
    return m;
}

static void add(struct apf_sample_merge *m, const char *name, const char *text, uint64_t weight)
{
    struct apf_input input = apf_input_memory(text, strlen(text), name);
    input.weight = weight;
    assert_int_equal(apf_sample_merge_add(m, &input, 1, &error), APF_OK);
}

static void write_text(struct apf_sample_merge *m)
{
    struct apf_buffer buffer = {0};
    const struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_TEXT};
    const struct apf_output output = apf_output_buffer(&buffer);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, &error), APF_OK);
    apf_buffer_free(&buffer);
}

static json_t *report(const struct apf_sample_merge *m, const struct apf_tolerance *t)
{
    struct apf_buffer buffer = {0};
    const struct apf_output output = apf_output_buffer(&buffer);
    json_error_t why;
    assert_int_equal(apf_sample_merge_write_report(m, t, &output, &error), APF_OK);
    json_t *root = json_loadb(buffer.data, buffer.n, JSON_REJECT_DUPLICATES, &why);
    assert_non_null(root);
    apf_buffer_free(&buffer);
    return root;
}

static const struct entry all_rows[] = {
    {"schema", "\"anyprof-sample-merge-report/1\""},
    {"generator.name", "\"anyprof\""},
    {"verdict", "\"written\""},
    {"error", "null"},
    {"failure_mode", "\"warn\""},
    {"max_loss", "null"},
    {"totals.inputs", "6"},
    {"totals.merged", "2"},
    {"totals.empty", "1"},
    {"totals.rejected", "2"},
    {"totals.salvaged", "1"},
    {"totals.salvaged_functions", "1"},
    {"totals.salvage_lost_functions", "0"},
    {"totals.held", "0"},
    {"totals.removed", "0"},
    {"totals.removed_bytes", "0"},
    {"totals.not_removed", "0"},
    {"totals.undeletable", "0"},
    {"totals.sum_of_counts", "36"}, /* 2 * (5 + 4) + 3 * 5 + 3 */
    {"result.functions", "3"},
    {"result.inlined", "1"},
    {"result.checksum_mismatches", "1"},
    {"result.inlined_mismatches", "0"},
    {"result.mismatch_samples", "18"},
    {"result.saturated", "0"},
    {"result.remapped", "1"},
    {"result.remapped_merged", "0"},
    {"result.cold_count", "0"},
    {"result.cold_merged", "0"},
    {"result.cold_trimmed", "0"},
    {"result.cold_samples", "0"},
    {"result.names", "3"},
    {"result.filtered", "0"},
    {"result.flags", "[\"probes\",\"preinlined\",\"attributes\"]"},
    {"result.lines", "3"},
    {"result.targets", "1"},
    {"result.symbols", "0"},
    {"result.hashes", "0"},
    {"result.sum_of_counts", "26"}, /* 10 less: a line of f with the weight 2 */
    {"output.path", "null"},
    {"output.kind", "\"text\""},
    {"output.version", "null"},
    {"output.left_out.over_limit", "0"},
    {"output.left_out.contexts", "0"},
    {"output.left_out.checksums", "0"},
};

static const struct entry merged_rows[] = {
    {"path", "\"a\""},
    {"path_hex", "null"},
    {"verdict", "\"merged\""},
    {"error", "null"},
    {"salvage", "null"},
    {"weight", "2"},
    {"kind", "\"text\""},
    {"version", "null"},
    {"layout", "null"},
    {"byte_order", "null"},
    {"flags", "[\"probes\",\"preinlined\",\"attributes\"]"},
    {"functions", "2"},
    {"inlined", "1"},
    {"lines", "2"},
    {"targets", "1"},
    {"symbols", "0"},
    {"sum_of_counts", "9"},
    {"findings", "[]"},
    {"lost", "null"}, /* in memory: it cannot be read again */
    {"removed", "null"},
};

static const struct entry other_rows[] = {
    {"verdict", "\"rejected\""},
    {"error.code", "\"SAMPLE_PROBE_CONFLICT\""},
    {"error.where", "\"merge.kind\""},
    {"kind", "\"text\""},
    {"functions", "1"},
    {"flags", "[]"},
    {"lost", "null"},
};

static const struct entry bad_rows[] = {
    {"verdict", "\"rejected\""},
    {"error.code", "\"SAMPLE_UNRECOGNIZED\""},
    {"kind", "null"},
    {"functions", "null"},
    {"inlined", "null"},
    {"lines", "null"},
    {"targets", "null"},
    {"symbols", "null"},
    {"sum_of_counts", "null"},
    {"flags", "[]"},
    {"findings", "[]"},
};

static const struct entry empty_rows[] = {
    {"verdict", "\"empty\""},
    {"error", "null"},
    {"kind", "null"},
    {"functions", "null"},
};

static const struct entry cut_rows[] = {
    {"verdict", "\"salvaged\""},      {"error.code", "\"BAD_SAMPLE_TEXT\""}, {"error.line", "5"},
    {"salvage.functions.taken", "1"}, {"salvage.functions.lost", "null"},    {"functions", "1"},
    {"sum_of_counts", "3"},
};

static void test_all(void **state)
{
    static const struct apf_name_change remaps[] = {{{"g", 1}, {"new", 3}}};
    struct apf_options common = {.size = sizeof common, .flags = APF_FLAG_SALVAGE};
    const struct apf_sample_merge_options options = {.size = sizeof options,
                                                     .options = &common,
                                                     .tolerance = &any_loss,
                                                     .remaps = remaps,
                                                     .n_remaps = 1,
                                                     .flags = APF_SAMPLE_MERGE_FIND_LOSSES};
    struct apf_sample_merge *m = start(&options);
    (void)state;
    add(m, "a",
        "f:9:1\n 1: 5\n !CFGChecksum: 1\ng:4:1\n 1: 4 x:1\n 2: in:1\n  !CFGChecksum: 3\n !CFGChecksum: 2\n"
        " !Attributes: 2\n",
        2);
    add(m, "b", "f:5:1\n 1: 5\n !CFGChecksum: 7\n", 3);
    add(m, "plain", "f:5:1\n 1: 5\n", 0);
    add(m, "bad", "?\n", 0);
    add(m, "empty", "", 0);
    add(m, "cut", "h:3:1\n 1: 3\n !CFGChecksum: 4\ni:1:1\n x\n", 0);
    json_t *root = report(m, &any_loss);
    expect_entry(root, "verdict", "\"not_written\"");
    expect_entry(root, "result", "null");
    expect_entry(root, "output", "null");
    json_decref(root);
    write_text(m);
    root = report(m, &any_loss);
    EXPECT_ENTRIES(root, all_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.0"), merged_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.2"), other_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.3"), bad_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.4"), empty_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.5"), cut_rows);
    assert_int_equal(json_array_size(report_at(root, "inputs")), 6);
    json_decref(root);
    apf_sample_merge_free(m);
}

/* A gcc file of layout 3 has a version, a layout and an order of bytes. */
static void test_gcc(void **state)
{
    struct apf_sample_merge *m = start(NULL);
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    const struct apf_sample_write_options w = {.size = sizeof w, .format = APF_SAMPLE_GCC};
    (void)state;
    add(m, "a", "f:9:1\n 1: 9\n", 0);
    assert_int_equal(apf_sample_merge_write(m, &w, &output, NULL, &error), APF_OK);
    struct apf_input input = apf_input_memory(buffer.data, buffer.n, "gcc");
    assert_int_equal(apf_sample_merge_add(m, &input, 1, &error), APF_OK);
    json_t *root = report(m, NULL);
    expect_entry(root, "failure_mode", "null");
    expect_entry(root, "inputs.1.kind", "\"gcc\"");
    expect_entry(root, "inputs.1.byte_order", "\"little\"");
    assert_true(json_is_integer(report_at(root, "inputs.1.version")));
    assert_true(json_is_string(report_at(root, "inputs.1.layout")) ||
                json_is_null(report_at(root, "inputs.1.layout")));
    json_decref(root);
    apf_buffer_free(&buffer);
    apf_sample_merge_free(m);
}

TEST_FILE(sample_merge_report)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_gcc),
    };
    return RUN_TESTS(tests);
}
