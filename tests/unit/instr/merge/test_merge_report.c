/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs in the report of a merge: every value, for every outcome. */
#include <jansson.h>

#include "helpers/shared/raw_runs.h"
#include "helpers/shared/report_read.h"

static const struct apf_tolerance any = {APF_FAIL_ANY, 0};
static struct apf_error error;

static const struct entry raw_rows[] = {
    {"path", "\"run\""},       {"path_hex", "null"},
    {"verdict", "\"merged\""}, {"error", "null"},
    {"weight", "3"},           {"kind", "\"raw\""},
    {"version", "9"},          {"variant", "[\"ir\"]"},
    {"byte_order", "\"big\""}, {"pointer_bits", "32"},
    {"producers", "[\"18\"]"}, {"profiles", "1"},
    {"functions", "3"},        {"counters", "6"},
    {"sum_of_counts", "4328"}, {"binary_ids", "[\"7477656e7479206279746573206f662068617368\"]"},
    {"findings", "[]"},
};

static const struct entry text_rows[] = {
    {"path", "\"t.proftext\""},
    {"verdict", "\"merged\""},
    {"error", "null"},
    {"weight", "1"},
    {"kind", "\"text\""},
    {"version", "null"},
    {"variant", "[\"ir\",\"entry_first\"]"},
    {"byte_order", "null"},
    {"pointer_bits", "null"},
    {"producers", "[]"},
    {"profiles", "1"},
    {"functions", "2"},
    {"counters", "3"},
    {"sum_of_counts", "60"},
    {"binary_ids", "[]"},
    {"findings", "[]"},
};

static const struct entry bad_rows[] = {
    {"path", "\"bad.proftext\""}, {"verdict", "\"rejected\""}, {"error.code", "\"MALFORMED\""},
    {"error.line", "2"},          {"error.offset", "4"},       {"error.found", "null"},
    {"error.expected", "null"},   {"error.errno", "null"},     {"kind", "\"text\""},
    {"functions", "null"},        {"counters", "null"},        {"sum_of_counts", "null"},
    {"profiles", "null"},         {"producers", "[]"},         {"binary_ids", "[]"},
};

static const struct entry cut_rows[] = {
    {"verdict", "\"rejected\""},
    {"error.code", "\"BAD_HEADER\""},
    {"error.where", "\"raw.header.size\""},
    {"error.offset", "0"},
    {"error.found", "50"},
    {"error.expected", "112"},
    {"error.line", "null"},
    {"error.errno", "null"},
    {"kind", "\"raw\""},
    {"version", "9"},
    {"variant", "[\"ir\"]"},
    {"byte_order", "\"big\""},
    {"pointer_bits", "32"},
    {"profiles", "null"},
    {"functions", "null"},
    {"binary_ids", "[]"},
};

static const struct entry empty_rows[] = {
    {"path", "\"empty\""},    {"verdict", "\"empty\""},  {"error", "null"},    {"weight", "7"},
    {"kind", "null"},         {"version", "null"},       {"variant", "[]"},    {"byte_order", "null"},
    {"pointer_bits", "null"}, {"producers", "[]"},       {"profiles", "null"}, {"functions", "null"},
    {"counters", "null"},     {"sum_of_counts", "null"}, {"binary_ids", "[]"}, {"findings", "[]"},
};

static const struct entry kind_rows[] = {
    {"verdict", "\"rejected\""},
    {"error.code", "\"LEVEL_CONFLICT\""},
    {"error.where", "\"merge.kind\""},
    {"error.offset", "null"},
    {"kind", "\"text\""},
    {"profiles", "1"},
    {"functions", "1"},
    {"sum_of_counts", "4"},
};

static const struct entry missing_rows[] = {
    {"verdict", "\"rejected\""},
    {"error.code", "\"IO\""},
    {"error.where", "\"file.open\""},
    {"error.errno", "2"},
    {"error.offset", "null"},
    {"error.message", "\"No such file or directory\""},
    {"kind", "null"},
};

static const struct entry alien_rows[] = {
    {"verdict", "\"rejected\""},
    {"error.code", "\"UNRECOGNIZED_FORMAT\""},
    {"error.offset", "0"},
    {"error.found", "\"18446744073709551615\""},
    {"kind", "null"},
    {"variant", "[]"},
};

static void test_inputs(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 1, 9, 4, true);
    r.profiles[0].variant = RB_IR;
    rb_append(&r.files[0], &r.profiles[0], NULL);
    struct apf_input inputs[] = {
        {.size = sizeof(struct apf_input),
         .data = r.files[0].data,
         .n = r.files[0].n,
         .name = "run",
         .weight = 3},
        apf_input_memory(r.files[0].data, 50, "cut"),
        {.size = sizeof(struct apf_input), .name = "empty", .weight = 7},
        apf_input_file("/nowhere/at all"),
        apf_input_memory("\xff\xff\xff\xff\xff\xff\xff\xff", 8, NULL),
    };
    struct apf_merge *m = merge_start(0, 1);
    assert_int_equal(apf_merge_add(m, inputs, COUNT(inputs), &error), APF_OK);
    merge_text(m, "t.proftext", ":ir\n:entry_first\na\n1\n2\n10\n20\n\nb\n1\n1\n30\n", 0);
    merge_text(m, "bad.proftext", "foo\nx\n", 0);
    merge_text(m, "fe", ":fe\nc\n1\n1\n4\n", 0);
    json_t *root = report_of(m, &any);
    assert_int_equal(json_array_size(report_at(root, "inputs")), 8);
    EXPECT_ENTRIES(report_at(root, "inputs.0"), raw_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.1"), cut_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.2"), empty_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.3"), missing_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.4"), alien_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.5"), text_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.6"), bad_rows);
    EXPECT_ENTRIES(report_at(root, "inputs.7"), kind_rows);
    static const struct entry rows[] = {
        {"schema", "\"anyprof-merge-report/1\""},
        {"generator.name", "\"anyprof\""},
        {"verdict", "\"refused\""},
        {"error", "null"},
        {"failure_mode", "\"any\""},
        {"max_loss", "null"},
        {"totals.inputs", "8"},
        {"totals.merged", "2"},
        {"totals.empty", "1"},
        {"totals.rejected", "5"},
        {"totals.sum_of_counts", "13044"}, /* 3 * 4328 + 60 */
        {"result", "null"},
        {"output", "null"},
    };
    EXPECT_ENTRIES(root, rows);
    json_decref(root);
    apf_merge_free(m);
    free_runs(&r);
}

/* Every input has the same keys, for any outcome. */
static void test_same_keys(void **state)
{
    (void)state;
    struct apf_merge *m = merge_start(0, 1);
    merge_text(m, "good", "foo\n1\n1\n1\n", 0);
    merge_text(m, "bad", "foo\nx\n", 0);
    merge_text(m, "empty", "", 0);
    json_t *root = report_of(m, &any), *first = report_at(root, "inputs.0");
    const char *key;
    json_t *value;
    json_object_foreach(first, key, value) for (size_t i = 1; i < 3; i++)
    {
        json_t *other = json_array_get(report_at(root, "inputs"), i);
        assert_int_equal(json_object_size(other), json_object_size(first));
        assert_non_null(json_object_get(other, key));
    }
    json_decref(root);
    apf_merge_free(m);
}

static void test_findings(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 1, 10, 8, false);
    r.functions[0][1].unnamed = true;
    r.profiles[0].no_values = true;
    rb_append(&r.files[0], &r.profiles[0], NULL);
    struct apf_input input = apf_input_memory(r.files[0].data, r.files[0].n, NULL);
    struct apf_merge *m = merge_start(0, 1);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
    assert_int_equal(merge_write_for(m, "auto", 0), APF_OK);
    json_t *root = report_of(m, &any);
    static const struct entry rows[] = {
        {"path", "\"<memory>\""},
        {"verdict", "\"merged\""},
        {"functions", "3"},
        {"findings.0.severity", "\"warning\""},
        {"findings.0.code", "\"TRUNCATED\""},
        {"findings.0.where", "\"quirk.MISSING_VALUE_DATA\""},
        {"findings.0.count", "1"},
        {"findings.1.severity", "\"warning\""},
        {"findings.1.code", "\"UNKNOWN_FUNCTION\""},
        {"findings.1.where", "\"quirk.NAMELESS\""},
        {"findings.1.count", "1"},
    };
    EXPECT_ENTRIES(report_at(root, "inputs.0"), rows);
    assert_int_equal(json_array_size(report_at(root, "inputs.0.findings")), 2);
    expect_entry(root, "totals.missing_value_data", "1");
    expect_entry(root, "result.nameless", "1");
    expect_entry(root, "result.functions", "2");
    expect_entry(root, "totals.sum_of_counts", "4328");
    expect_entry(root, "result.sum_of_counts", "328"); /* without the 4000 of the one that has no name */
    json_decref(root);
    apf_merge_free(m);
    free_runs(&r);
}

/* Paths are bytes: jansson refuses lone surrogates, so what is no text stands beside it. */
static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *name, *path, *hex;
    } rows[] = {
        {"a\"\\\n\x1b", "\"a\\\"\\\\\\n\\u001B\"", "null"},
        {"\xc3\xa4\xe2\x82\xac", "\"\xc3\xa4\xe2\x82\xac\"", "null"},
        {"caf\xe9.profraw", "\"caf\xef\xbf\xbd.profraw\"", "\"636166e92e70726f66726177\""},
        {"\xed\xb2\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "\"edb280\""},
        {"", "\"\"", "null"},
    };
    struct apf_merge *m = merge_start(0, 1);
    for (size_t i = 0; i < COUNT(rows); i++)
        merge_text(m, rows[i].name, "foo\n1\n1\n1\n", 0);
    json_t *root = report_of(m, &any);
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_entry(json_array_get(report_at(root, "inputs"), i), "path", rows[i].path);
        expect_entry(json_array_get(report_at(root, "inputs"), i), "path_hex", rows[i].hex);
    }
    json_decref(root);
    apf_merge_free(m);
}

static void test_large_sums(void **state)
{
    (void)state;
    struct apf_merge *m = merge_start(0, 1);
    merge_text(m, "large", "foo\n1\n1\n9223372036854775807\n", 0);
    merge_text(m, "larger", "foo\n1\n1\n9223372036854775808\n", 0);
    merge_text(m, "two", "foo\n1\n2\n9223372036854775808\n9223372036854775808\n", 0);
    merge_text(m, "pseudo", "foo\n1\n2\n18446744073709551615\n5\n\nbar\n1\n1\n7\n", 0);
    json_t *root = report_of(m, &any);
    expect_entry(root, "inputs.0.sum_of_counts", "\"9223372036854775807\"");
    expect_entry(root, "inputs.1.sum_of_counts", "\"9223372036854775808\"");
    expect_entry(root, "inputs.2.sum_of_counts", "\"18446744073709551615\"");
    expect_entry(root, "inputs.3.sum_of_counts", "7");
    expect_entry(root, "totals.sum_of_counts", "\"18446744073709551615\"");
    json_decref(root);
    apf_merge_free(m);
}

TEST_FILE(merge_report)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs), cmocka_unit_test(test_same_keys),  cmocka_unit_test(test_findings),
        cmocka_unit_test(test_paths),  cmocka_unit_test(test_large_sums),
    };
    return RUN_TESTS(tests);
}
