/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* max_records bounds each kind of entries of a memory profile, in YAML, JSON and sections: as many as there are are
 * read, and one more is too much. */
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <string.h>

#define FRAME(name) "{ Function: " name ", LineOffset: 1, Column: 2, IsInlineFrame: false }"
#define STACK(...) "[ " __VA_ARGS__ " ]"
#define ALLOC(stack) "{ Callstack: " stack ", MemInfoBlock: { AllocCount: 1 } }"
#define SITE(stack, callees) "{ Frames: " stack ", CalleeGuids: [ " callees " ] }"
#define FUNCTION(name, allocs, sites)                                                                        \
    "  - { GUID: " name ", AllocSites: [ " allocs " ], CallSites: [ " sites " ] }\n"
#define HEAP "---\nHeapProfileRecords:\n"
#define DATA "---\nDataAccessProfiles:\n"
#define A STACK(FRAME("a"))
#define B STACK(FRAME("b"))
#define TWICE(entry) entry(A) ", " entry(B)
#define PLAIN_SITE(stack) SITE(stack, "")
#define DATUM(hash, locations) "    - { Hash: " hash ", AccessCount: 1, Locations: [ " locations " ] }\n"

static const struct {
    const char *what;
    uint64_t n; /* the largest number of entries of a kind, which is this kind's */
    bool once;  /* equal ones become one in a merge */
    const char *yaml;
} rows[] = {
    {"frames", 3, false, HEAP FUNCTION("f", ALLOC(STACK(FRAME("a") ", " FRAME("b") ", " FRAME("c"))), "")},
    {"frames of call stacks", 3, false,
     HEAP FUNCTION("f", ALLOC(STACK(FRAME("a") ", " FRAME("a") ", " FRAME("a"))), "")},
    {"functions", 3, false,
     HEAP FUNCTION("f", ALLOC(A), "") FUNCTION("g", "", SITE(A, "")) FUNCTION("h", ALLOC(A), "")},
    {"allocation contexts", 4, false, HEAP FUNCTION("f", TWICE(ALLOC), "") FUNCTION("g", TWICE(ALLOC), "")},
    {"call sites", 4, false, HEAP FUNCTION("f", "", TWICE(PLAIN_SITE)) FUNCTION("g", "", TWICE(PLAIN_SITE))},
    {"callees", 3, false, HEAP FUNCTION("f", "", SITE(A, "0x1, 0x2, 0x3"))},
    {"data access profiles", 2, false, DATA "  SampledRecords:\n" DATUM("1", "") DATUM("2", "")},
    {"locations", 3, false,
     DATA "  SampledRecords:\n" DATUM(
         "1", "{ FileName: a, Line: 1 }, { FileName: a, Line: 2 }, { FileName: a, Line: 3 }")},
    {"strings", 3, false, DATA "  KnownColdSymbols: [ a, b, c ]\n"},
    {"cold symbols", 3, true, DATA "  KnownColdSymbols: [ a, a, a ]\n"},
    {"cold hashes", 3, false, DATA "  KnownColdStrHashes: [ 1, 2, 3 ]\n"},
};

/* What is said with one less than there are, and that as many are taken. */
static void check_limit(size_t row, const char *form, const void *p, size_t n, bool place)
{
    struct apf_options options = {.size = sizeof options, .max_records = rows[row].n};
    struct opened o;
    char want[100];
    open_memory_options(&o, p, n, &options);
    if (o.code != APF_OK)
        fail_msg("%s as %s: %s", rows[row].what, form, o.error.message);
    opened_close(&o);
    options.max_records--;
    open_memory_options(&o, p, n, &options);
    snprintf(want, sizeof want, "more %s than the limit allows", rows[row].what);
    assert_int_equal(o.code, APF_LIMIT);
    assert_null(o.instr);
    if (!strstr(o.error.message, want))
        fail_msg("%s as %s: %s", rows[row].what, form, o.error.message);
    if (place)
        assert_in_range(o.error.offset, 1, n);
    opened_close(&o);
}

static struct apf_buffer merged(const char *yaml, unsigned version)
{
    struct apf_merge *m = NULL;
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_input input = apf_input_memory(yaml, strlen(yaml), "memory");
    struct apf_write_options o = {.size = sizeof o,
                                  .flags = APF_WRITE_MEMPROF_VERSION | APF_WRITE_MEMPROF_FULL,
                                  .memprof_version = version};
    assert_int_equal(apf_target_parse("indexed-13", &o.target, NULL), APF_OK);
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_write(m, &o, &output, NULL), APF_OK);
    apf_merge_free(m);
    return out;
}

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_buffer json = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&json);
        struct opened o;
        size_t n = strlen(rows[i].yaml);
        check_limit(i, "YAML", rows[i].yaml, n, true);
        open_memory(&o, rows[i].yaml, n, 0);
        assert_int_equal(apf_instr_write_json(o.instr, &output, NULL), APF_OK);
        opened_close(&o);
        check_limit(i, "JSON", json.data, json.n, true);
        apf_buffer_free(&json);
        bool newest = strncmp(rows[i].yaml, DATA, strlen(DATA)) == 0 || strcmp(rows[i].what, "callees") == 0;
        for (unsigned version = newest ? 4 : 2; version <= 4 && !rows[i].once; version++) {
            struct apf_buffer indexed = merged(rows[i].yaml, version);
            check_limit(i, "a section", indexed.data, indexed.n, true);
            apf_buffer_free(&indexed);
        }
    }
}

/* The limit is on each input, not on the sum. */
static void test_sum(void **state)
{
    const struct apf_input inputs[] = {apf_input_memory(rows[0].yaml, strlen(rows[0].yaml), "a"),
                                       apf_input_memory(rows[2].yaml, strlen(rows[2].yaml), "b")};
    struct apf_merge_options options = {
        .size = sizeof options,
        .options = &(struct apf_options){.size = sizeof(struct apf_options), .max_records = 3}};
    struct apf_merge *m;
    (void)state;
    assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, 2, NULL), APF_OK);
    assert_int_equal(apf_merge_input(m, 0)->code, APF_OK);
    assert_int_equal(apf_merge_input(m, 1)->code, APF_OK);
    apf_merge_free(m);
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.max_records = 2;
    assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, 2, NULL), APF_OK);
    assert_int_equal(apf_merge_input(m, 0)->code, APF_LIMIT);
    assert_int_equal(apf_merge_input(m, 1)->code, APF_LIMIT);
    apf_merge_free(m);
}

TEST_FILE(memprof_limits)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_sum)};
    return RUN_TESTS(tests);
}
