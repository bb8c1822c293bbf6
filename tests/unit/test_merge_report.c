/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of a merge, read back with jansson: every value, for every thing that can become of an input. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/raw_runs.h"
#include "helpers/shared/unit.h"
#include "instr/merge.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct apf_tolerance any = {APF_FAIL_ANY, 0}, all = {APF_FAIL_ALL, 0};
static struct apf_error error;

/* ---- making and reading reports ---- */

static struct apf_merge *start(uint32_t flags, uint32_t threads)
{
    struct apf_merge *m;
    struct apf_merge_options options = {.size = sizeof options, .flags = flags};
    options.options.threads = threads;
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_OK);
    return m;
}

static void add_text(struct apf_merge *m, const char *name, const char *text, uint64_t weight)
{
    struct apf_input input = {NULL, text, strlen(text), name, weight};
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
}

static int write_for(struct apf_merge *m, const char *target, uint32_t flags)
{
    struct apf_buffer buffer = {0};
    struct apf_write_options options = {.size = sizeof options, .flags = flags};
    struct apf_output output = {NULL, apf_buffer_write, &buffer, 0};
    options.format = strcmp(target, "text") == 0 ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    if (options.format == APF_FORMAT_INDEXED)
        assert_int_equal(apf_target_parse(&options.target, target, &error), APF_OK);
    int code = apf_merge_write(m, &options, &output, &error);
    apf_buffer_free(&buffer);
    return code;
}

static void bytes_of(const struct apf_merge *m, const struct apf_tolerance *t, struct apf_buffer *buffer)
{
    struct apf_output output = {NULL, apf_buffer_write, buffer, 0};
    assert_int_equal(apf_merge_write_report(m, t, &output, &error), APF_OK);
}

static json_t *report_of(const struct apf_merge *m, const struct apf_tolerance *t)
{
    struct apf_buffer buffer = {0};
    json_error_t why;
    bytes_of(m, t, &buffer);
    json_t *root = json_loadb(buffer.data, buffer.n, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        fail_msg("line %d: %s\n%.*s", why.line, why.text, (int)buffer.n, (char *)buffer.data);
    apf_buffer_free(&buffer);
    return root;
}

/* "a.b.2.c"; fails the test when it is not there. */
static json_t *at(json_t *root, const char *place)
{
    char part[64];
    for (const char *p = place; *p;) {
        size_t n = strcspn(p, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, p);
        json_t *next =
            json_is_array(root) ? json_array_get(root, strtoul(part, NULL, 10)) : json_object_get(root, part);
        if (!next)
            fail_msg("no %s", place);
        root = next;
        p += n + (p[n] == '.');
    }
    return root;
}

/* Compares what is at a place with JSON text. */
static void expect(json_t *root, const char *place, const char *want)
{
    char *got = json_dumps(at(root, place), JSON_ENCODE_ANY | JSON_COMPACT);
    assert_non_null(got);
    if (strcmp(got, want) != 0)
        fail_msg("%s is %s, not %s", place, got, want);
    free(got);
}

/* Compares several entries of an object: place, want, place, want, NULL. */
static void expect_all(json_t *root, const char *const *rows)
{
    for (; *rows; rows += 2)
        expect(root, rows[0], rows[1]);
}

/* ---- inputs ---- */

static const char *const raw_rows[] = {
    "path",          "\"run\"",    "path_hex",     "null",
    "verdict",       "\"merged\"", "error",        "null",
    "weight",        "3",          "kind",         "\"raw\"",
    "version",       "9",          "variant",      "[\"ir\"]",
    "byte_order",    "\"big\"",    "pointer_bits", "32",
    "producers",     "[\"18\"]",   "profiles",     "1",
    "functions",     "3",          "counters",     "6",
    "sum_of_counts", "4328",       "binary_ids",   "[\"7477656e7479206279746573206f662068617368\"]",
    "findings",      "[]",         NULL,
};

static const char *const text_rows[] = {
    "path",
    "\"t.proftext\"",
    "verdict",
    "\"merged\"",
    "error",
    "null",
    "weight",
    "1",
    "kind",
    "\"text\"",
    "version",
    "null",
    "variant",
    "[\"ir\",\"entry_first\"]",
    "byte_order",
    "null",
    "pointer_bits",
    "null",
    "producers",
    "[]",
    "profiles",
    "1",
    "functions",
    "2",
    "counters",
    "3",
    "sum_of_counts",
    "60",
    "binary_ids",
    "[]",
    "findings",
    "[]",
    NULL,
};

static const char *const bad_rows[] = {
    "path",
    "\"bad.proftext\"",
    "verdict",
    "\"rejected\"",
    "error.code",
    "\"MALFORMED\"",
    "error.line",
    "2",
    "error.offset",
    "4",
    "error.found",
    "null",
    "error.expected",
    "null",
    "error.errno",
    "null",
    "kind",
    "\"text\"",
    "functions",
    "null",
    "counters",
    "null",
    "sum_of_counts",
    "null",
    "profiles",
    "null",
    "producers",
    "[]",
    "binary_ids",
    "[]",
    NULL,
};

static const char *const cut_rows[] = {
    "verdict",
    "\"rejected\"",
    "error.code",
    "\"BAD_HEADER\"",
    "error.where",
    "\"raw.header.size\"",
    "error.offset",
    "0",
    "error.found",
    "50",
    "error.expected",
    "112",
    "error.line",
    "null",
    "error.errno",
    "null",
    "kind",
    "\"raw\"",
    "version",
    "9",
    "variant",
    "[\"ir\"]",
    "byte_order",
    "\"big\"",
    "pointer_bits",
    "32",
    "profiles",
    "null",
    "functions",
    "null",
    "binary_ids",
    "[]",
    NULL,
};

static const char *const empty_rows[] = {
    "path",         "\"empty\"", "verdict",       "\"empty\"", "error",      "null", "weight",     "7",
    "kind",         "null",      "version",       "null",      "variant",    "[]",   "byte_order", "null",
    "pointer_bits", "null",      "producers",     "[]",        "profiles",   "null", "functions",  "null",
    "counters",     "null",      "sum_of_counts", "null",      "binary_ids", "[]",   "findings",   "[]",
    NULL,
};

static const char *const kind_rows[] = {
    "verdict",
    "\"rejected\"",
    "error.code",
    "\"KIND_CONFLICT\"",
    "error.where",
    "\"merge.kind\"",
    "error.offset",
    "null",
    "kind",
    "\"text\"",
    "profiles",
    "1",
    "functions",
    "1",
    "sum_of_counts",
    "4",
    NULL,
};

static const char *const missing_rows[] = {
    "verdict",
    "\"rejected\"",
    "error.code",
    "\"IO\"",
    "error.where",
    "\"file.open\"",
    "error.errno",
    "2",
    "error.offset",
    "null",
    "error.message",
    "\"No such file or directory\"",
    "kind",
    "null",
    NULL,
};

static const char *const alien_rows[] = {
    "verdict",      "\"rejected\"",
    "error.code",   "\"UNRECOGNIZED_FORMAT\"",
    "error.offset", "0",
    "error.found",  "\"18446744073709551615\"",
    "kind",         "null",
    "variant",      "[]",
    NULL,
};

static void test_inputs(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 1, 9, 4, true);
    r.profiles[0].variant = RB_IR;
    rb_append(&r.files[0], &r.profiles[0], NULL);
    struct apf_input inputs[] = {
        {NULL, r.files[0].data, r.files[0].n, "run", 3},
        {NULL, r.files[0].data, 50, "cut", 0},
        {NULL, NULL, 0, "empty", 7},
        {"/nowhere/at all", NULL, 0, NULL, 0},
        {NULL, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, NULL, 0},
    };
    struct apf_merge *m = start(0, 1);
    assert_int_equal(apf_merge_add(m, inputs, COUNT(inputs), &error), APF_OK);
    add_text(m, "t.proftext", ":ir\n:entry_first\na\n1\n2\n10\n20\n\nb\n1\n1\n30\n", 0);
    add_text(m, "bad.proftext", "foo\nx\n", 0);
    add_text(m, "fe", ":fe\nc\n1\n1\n4\n", 0);
    json_t *root = report_of(m, &any);
    assert_int_equal(json_array_size(at(root, "inputs")), 8);
    expect_all(at(root, "inputs.0"), raw_rows);
    expect_all(at(root, "inputs.1"), cut_rows);
    expect_all(at(root, "inputs.2"), empty_rows);
    expect_all(at(root, "inputs.3"), missing_rows);
    expect_all(at(root, "inputs.4"), alien_rows);
    expect_all(at(root, "inputs.5"), text_rows);
    expect_all(at(root, "inputs.6"), bad_rows);
    expect_all(at(root, "inputs.7"), kind_rows);
    static const char *const rows[] = {
        "schema",
        "\"anyprof-merge-report/1\"",
        "generator.name",
        "\"anyprof\"",
        "verdict",
        "\"refused\"",
        "error",
        "null",
        "failure_mode",
        "\"any\"",
        "max_loss",
        "null",
        "totals.inputs",
        "8",
        "totals.merged",
        "2",
        "totals.empty",
        "1",
        "totals.rejected",
        "5",
        "totals.sum_of_counts",
        "13044", /* 3 * 4328 + 60 */
        "result",
        "null",
        "output",
        "null",
        NULL,
    };
    expect_all(root, rows);
    json_decref(root);
    apf_merge_free(m);
    free_runs(&r);
}

/* Every input has the same keys, whatever became of it. */
static void test_same_keys(void **state)
{
    (void)state;
    struct apf_merge *m = start(0, 1);
    add_text(m, "good", "foo\n1\n1\n1\n", 0);
    add_text(m, "bad", "foo\nx\n", 0);
    add_text(m, "empty", "", 0);
    json_t *root = report_of(m, &any), *first = at(root, "inputs.0");
    const char *key;
    json_t *value;
    json_object_foreach(first, key, value) for (size_t i = 1; i < 3; i++)
    {
        json_t *other = json_array_get(at(root, "inputs"), i);
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
    struct apf_input input = {NULL, r.files[0].data, r.files[0].n, NULL, 0};
    struct apf_merge *m = start(0, 1);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
    assert_int_equal(write_for(m, "auto", 0), APF_OK);
    json_t *root = report_of(m, &any);
    static const char *const rows[] = {
        "path",
        "\"<memory>\"",
        "verdict",
        "\"merged\"",
        "functions",
        "3",
        "findings.0.severity",
        "\"warning\"",
        "findings.0.code",
        "\"TRUNCATED\"",
        "findings.0.where",
        "\"quirk.MISSING_VALUE_DATA\"",
        "findings.0.count",
        "1",
        "findings.1.severity",
        "\"warning\"",
        "findings.1.code",
        "\"UNKNOWN_FUNCTION\"",
        "findings.1.where",
        "\"quirk.NAMELESS\"",
        "findings.1.count",
        "1",
        NULL,
    };
    expect_all(at(root, "inputs.0"), rows);
    assert_int_equal(json_array_size(at(root, "inputs.0.findings")), 2);
    expect(root, "totals.missing_value_data", "1");
    expect(root, "result.nameless", "1");
    expect(root, "result.functions", "2");
    expect(root, "totals.sum_of_counts", "4328");
    expect(root, "result.sum_of_counts", "328"); /* without the 4000 of the one that has no name */
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
    struct apf_merge *m = start(0, 1);
    for (size_t i = 0; i < COUNT(rows); i++)
        add_text(m, rows[i].name, "foo\n1\n1\n1\n", 0);
    json_t *root = report_of(m, &any);
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect(json_array_get(at(root, "inputs"), i), "path", rows[i].path);
        expect(json_array_get(at(root, "inputs"), i), "path_hex", rows[i].hex);
    }
    json_decref(root);
    apf_merge_free(m);
}

static void test_large_sums(void **state)
{
    (void)state;
    struct apf_merge *m = start(0, 1);
    add_text(m, "large", "foo\n1\n1\n9223372036854775807\n", 0);
    add_text(m, "larger", "foo\n1\n1\n9223372036854775808\n", 0);
    add_text(m, "two", "foo\n1\n2\n9223372036854775808\n9223372036854775808\n", 0);
    add_text(m, "pseudo", "foo\n1\n2\n18446744073709551615\n5\n\nbar\n1\n1\n7\n", 0);
    json_t *root = report_of(m, &any);
    expect(root, "inputs.0.sum_of_counts", "9223372036854775807");
    expect(root, "inputs.1.sum_of_counts", "\"9223372036854775808\"");
    expect(root, "inputs.2.sum_of_counts", "\"18446744073709551615\"");
    expect(root, "inputs.3.sum_of_counts", "7");
    expect(root, "totals.sum_of_counts", "\"18446744073709551615\"");
    json_decref(root);
    apf_merge_free(m);
}

/* ---- the result and the output ---- */

/* What the version cannot hold, and who cannot read it. */
static void test_output(void **state)
{
    (void)state;
    struct runs r;
    make_runs(&r, 1, 10, 8, false);
    r.profiles[0].variant = RB_IR | RB_TEMPORAL;
    rb_append(&r.files[0], &r.profiles[0], NULL);
    struct apf_input input = {NULL, r.files[0].data, r.files[0].n, NULL, 2};
    struct apf_merge *m = start(0, 1);
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
    add_text(m, "zero", ":ir\nzero\n1\n1\n0\n", 0);
    assert_int_equal(write_for(m, "indexed-5", APF_WRITE_SPARSE), APF_OK);
    json_t *root = report_of(m, &any);
    static const char *const rows[] = {
        "verdict",
        "\"written\"",
        "error",
        "null",
        "totals.sum_of_counts",
        "8656",
        "result.sum_of_counts",
        "8656",
        "result.functions",
        "4",
        "output.path",
        "null",
        "output.path_hex",
        "null",
        "output.kind",
        "\"indexed\"",
        "output.version",
        "5",
        "output.variant",
        "[\"ir\"]",
        "output.functions",
        "3",
        "output.left_out.unexecuted",
        "1",
        "output.left_out.bitmaps",
        "1",
        "output.left_out.traces",
        "1",
        "output.left_out.value_sites",
        "1",
        "output.left_out.binary_ids",
        "1",
        "output.left_out.vtable_names",
        "2",
        "output.left_out.records",
        "0",
        "output.left_out.uniformity",
        "0",
        "output.left_out.variant",
        "[]", /* it went with the traces */
        "output.cannot_read",
        "[]",
        NULL,
    };
    expect_all(root, rows);
    json_decref(root);
    /* Nothing of one output remains in the report of the next. */
    assert_int_equal(write_for(m, "text", 0), APF_OK);
    root = report_of(m, NULL);
    static const char *const text[] = {
        "verdict",
        "\"written\"",
        "failure_mode",
        "null",
        "max_loss",
        "null",
        "output.kind",
        "\"text\"",
        "output.version",
        "null",
        "output.functions",
        "4",
        "output.left_out.unexecuted",
        "0",
        "output.left_out.bitmaps",
        "0",
        "output.variant",
        "[\"ir\",\"temporal\"]",
        "output.cannot_read",
        "[]",
        NULL,
    };
    expect_all(root, text);
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
    struct apf_output full = {NULL, refuse, NULL, 0};
    struct apf_merge *m = start(0, 1);
    add_text(m, "good", "foo\n1\n1\n1\n", 0);
    json_t *root = report_of(m, &any);
    expect(root, "verdict", "\"not_written\"");
    expect(root, "result", "null");
    json_decref(root);
    assert_int_equal(apf_merge_write(m, NULL, &full, &error), APF_IO);
    root = report_of(m, &all);
    static const char *const failed[] = {
        "verdict",      "\"failed\"",  "failure_mode",     "\"all\"",     "error.code",
        "\"IO\"",       "error.where", "\"output.write\"", "error.errno", "28",
        "error.offset", "null",        "result.functions", "1",           "output",
        "null",         NULL,
    };
    expect_all(root, failed);
    json_decref(root);
    add_text(m, "bad", "foo\nx\n", 0);
    root = report_of(m, &half); /* what is added makes it a new merge */
    expect(root, "verdict", "\"refused\"");
    expect(root, "error", "null");
    expect(root, "failure_mode", "null");
    assert_true(json_real_value(at(root, "max_loss")) == 33.333333);
    json_decref(root);
    root = report_of(m, &warn);
    expect(root, "verdict", "\"not_written\"");
    expect(root, "failure_mode", "\"warn\"");
    json_decref(root);
    root = report_of(m, NULL);
    expect(root, "verdict", "\"not_written\"");
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
    struct apf_merge *m = start(0, 1);
    add_text(m, "good", "foo\n1\n1\n1\n", 0);
    assert_int_equal(write_for(m, "indexed-12", 0), APF_OK);
    const uint64_t first = 1000000;
    const size_t n = offsetof(struct apf_merge_stats, version) / sizeof(uint64_t);
    for (size_t i = 0; i < n; i++) {
        uint64_t v = first + i;
        memcpy((uint8_t *)&m->stats + i * sizeof v, &v, sizeof v);
    }
    m->stats.cannot_read = 1;
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
    assert_int_equal(missing, 4);
    assert_int_equal(find_number(root, m->stats.n_fast), 0);
    expect(root, "output.version", "12");
    expect(root, "output.cannot_read", "[\"3.5\"]");
    expect(root, "output.variant", "[\"context_sensitive\"]");
    expect(root, "output.left_out.variant",
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
        ROW("result.saturated", saturated),
        ROW("result.truncated_sites", truncated_sites),
        ROW("result.truncated_values", truncated_values),
        ROW("result.unknown_targets", unknown_targets),
        ROW("result.renamed", renamed),
        ROW("result.renamed_merged", renamed_merged),
        ROW("output.other_hash_scheme", other_hash_scheme),
        ROW("output.bitmap_numbering", bitmap_numbering),
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
    assert_int_equal(COUNT(rows) + 4, n);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(json_integer_value(at(root, rows[i].place)), first + rows[i].at / sizeof(uint64_t));
    json_decref(root);
    apf_merge_free(m);
}

/* ---- one report, whatever the way ---- */

static void report_way(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads,
                       struct apf_buffer *report)
{
    struct apf_merge *m = start(flags, threads);
    assert_int_equal(apf_merge_add(m, inputs, n, &error), APF_OK);
    assert_int_equal(apf_merge_stats(m)->n_fast != 0, !(flags & APF_MERGE_GENERAL));
    assert_int_equal(write_for(m, "llvm-16", 0), APF_OK);
    bytes_of(m, &all, report);
    apf_merge_free(m);
}

static void test_same_bytes(void **state)
{
    (void)state;
    struct runs r, other;
    struct apf_input inputs[64] = {{0}};
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
        inputs[i].data = f->data;
        inputs[i].n = i % 7 == 6 ? f->n - i : i % 11 == 10 ? 0 : f->n;
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
    struct apf_record record = {.name = {"foo", 3}, .hash = 1, .counts = counts, .n_counts = 2};
    struct apf_merge *m = start(0, 1);
    json_t *root = report_of(m, &any);
    expect(root, "verdict", "\"not_written\"");
    expect(root, "inputs", "[]");
    expect(root, "totals.inputs", "0");
    json_decref(root);
    assert_int_equal(apf_merge_add_record(m, &record, 2, &error), APF_OK);
    assert_int_equal(write_for(m, "auto", 0), APF_OK);
    root = report_of(m, &any);
    expect(root, "verdict", "\"written\"");
    expect(root, "totals.sum_of_counts", "0");
    expect(root, "result.sum_of_counts", "22");
    expect(root, "output.functions", "1");
    json_decref(root);
    apf_merge_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),     cmocka_unit_test(test_same_keys),
        cmocka_unit_test(test_findings),   cmocka_unit_test(test_paths),
        cmocka_unit_test(test_large_sums), cmocka_unit_test(test_output),
        cmocka_unit_test(test_verdicts),   cmocka_unit_test(test_every_statistic),
        cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_no_inputs),
    };
    return RUN_TESTS(tests);
}
