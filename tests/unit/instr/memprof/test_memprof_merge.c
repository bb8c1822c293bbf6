/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of memory profiles, and the parts that are written for each target. */
#include "helpers/shared/open_memory.h"

#include <stdio.h>
#include <string.h>

#define FRAME "{ Function: 0xa, LineOffset: 1, Column: 2, IsInlineFrame: false }"
#define OTHER "{ Function: 0xb, LineOffset: 3, Column: 4, IsInlineFrame: true }"
#define BLOCK(stack, values) "      - Callstack: [ " stack " ]\n        MemInfoBlock: { " values " }\n"
#define HEAP "---\nHeapProfileRecords:\n"

/* A file of 0 or more functions, and its weight. */
struct part {
    const char *text;
    uint64_t weight;
};

static struct apf_merge *merge_parts(const struct part *parts, size_t n, uint32_t flags)
{
    struct apf_merge *merge = NULL;
    struct apf_merge_options options = {.size = sizeof options};
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.flags = flags;
    assert_int_equal(apf_merge_new(&merge, &options, NULL), APF_OK);
    for (size_t i = 0; i < n; i++) {
        struct apf_input input = {.size = sizeof(struct apf_input),
                                  .data = parts[i].text,
                                  .n = strlen(parts[i].text),
                                  .name = "part",
                                  .weight = parts[i].weight};
        assert_int_equal(apf_merge_add(merge, &input, 1, NULL), APF_OK);
        assert_int_equal(apf_merge_input(merge, i)->code, APF_OK);
    }
    return merge;
}

static const struct apf_memprof *result_of(struct apf_merge *merge)
{
    struct apf_instr *view = NULL;
    assert_int_equal(apf_merge_view(merge, &view, NULL), APF_OK);
    return apf_instr_memprof(view);
}

static struct apf_memprof_alloc alloc_of(const struct apf_memprof *m, uint64_t function, uint64_t i)
{
    struct apf_memprof_alloc a = {.size = sizeof a};
    assert_int_equal(apf_memprof_alloc(m, function, i, &a, NULL), APF_OK);
    return a;
}

/* ---- sums ---- */

/* All fields, in both orders. Those of the last allocation go together. */
static void test_all_fields(void **state)
{
    static const char a[] = HEAP "  - GUID: 0x1\n    AllocSites:\n" BLOCK(
        FRAME,
        "AllocCount: 1, TotalAccessCount: 2, MinAccessCount: 3, MaxAccessCount: 4, TotalSize: 5, MinSize: 6, "
        "MaxSize: 7, AllocTimestamp: 8, DeallocTimestamp: 9, TotalLifetime: 10, MinLifetime: 11, "
        "MaxLifetime: 12, AllocCpuId: 13, DeallocCpuId: 14, NumMigratedCpu: 15, NumLifetimeOverlaps: 16, "
        "NumSameAllocCpu: 17, NumSameDeallocCpu: 18, DataTypeId: 19, TotalAccessDensity: 20, "
        "MinAccessDensity: 21, MaxAccessDensity: 22, TotalLifetimeAccessDensity: 23, "
        "MinLifetimeAccessDensity: 24, MaxLifetimeAccessDensity: 25, AccessHistogramSize: 26, "
        "AccessHistogram: 27");
    static const char b[] = HEAP "  - GUID: 0x1\n    AllocSites:\n" BLOCK(
        FRAME,
        "AllocCount: 100, TotalAccessCount: 100, MinAccessCount: 1, MaxAccessCount: 100, TotalSize: 100, "
        "MinSize: 1, MaxSize: 100, AllocTimestamp: 100, DeallocTimestamp: 8, TotalLifetime: 100, "
        "MinLifetime: 1, MaxLifetime: 100, AllocCpuId: 100, DeallocCpuId: 100, NumMigratedCpu: 100, "
        "NumLifetimeOverlaps: 100, NumSameAllocCpu: 100, NumSameDeallocCpu: 100, DataTypeId: 100, "
        "TotalAccessDensity: 100, MinAccessDensity: 1, MaxAccessDensity: 100, "
        "TotalLifetimeAccessDensity: 100, MinLifetimeAccessDensity: 1, MaxLifetimeAccessDensity: 100, "
        "AccessHistogramSize: 100, AccessHistogram: 100");
    static const uint64_t sum[APF_MEMPROF_FIELDS] = {0,   201, 202, 1,   100, 205, 1,   100, 8,   9,
                                                     210, 1,   100, 13,  14,  215, 216, 217, 218, 100,
                                                     220, 1,   100, 223, 1,   100, 100, 0};
    (void)state;
    for (unsigned turned = 0; turned < 2; turned++) {
        const struct part parts[] = {{turned ? b : a, turned ? 2 : 1}, {turned ? a : b, turned ? 1 : 2}};
        struct apf_merge *merge = merge_parts(parts, 2, 0);
        struct apf_memprof_alloc got = alloc_of(result_of(merge), 0, 0);
        assert_int_equal(got.fields, 0xffffffe);
        for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
            if (got.values[f] != sum[f])
                fail_msg("%s: %llu", apf_memprof_field_name(f), (unsigned long long)got.values[f]);
        assert_int_equal(apf_merge_stats(merge)->memprof_functions, 1);
        assert_int_equal(apf_merge_stats(merge)->memprof_contexts, 1);
        assert_int_equal(apf_merge_stats(merge)->memprof_saturated, 0);
        apf_merge_free(merge);
    }
}

/* Data that only one input has, and sums that saturate. */
static void test_known_by_one(void **state)
{
    static const struct part parts[] = {{HEAP "  - GUID: 0x2\n    AllocSites:\n" BLOCK(
                                             FRAME, "AllocCount: 4294967290, MinSize: 5") "  - GUID: 0x1\n",
                                         1},
                                        {HEAP "  - GUID: 0x2\n    AllocSites:\n" BLOCK(OTHER, "AllocCount: 1")
                                             BLOCK(FRAME, "AllocCount: 2, TotalSize: 18446744073709551615"),
                                         3}};
    (void)state;
    struct apf_merge *merge = merge_parts(parts, 2, 0);
    const struct apf_memprof *m = result_of(merge);
    struct apf_memprof_function f = {.size = sizeof f};
    assert_int_equal(apf_memprof_function(m, 0, &f, NULL), APF_OK);
    assert_int_equal(f.guid, 1); /* several: in order */
    struct apf_memprof_alloc a = alloc_of(m, 1, 0), b = alloc_of(m, 1, 1);
    assert_int_equal(a.fields, 1u << 1 | 1u << 5 | 1u << 6);
    assert_int_equal(a.values[APF_MEMPROF_ALLOC_COUNT], UINT32_MAX);
    assert_int_equal(a.values[APF_MEMPROF_TOTAL_SIZE], UINT64_MAX);
    assert_int_equal(a.values[APF_MEMPROF_MIN_SIZE], 5);
    assert_int_equal(b.values[APF_MEMPROF_ALLOC_COUNT], 3);
    assert_int_equal(apf_merge_stats(merge)->memprof_saturated, 1);
    apf_merge_free(merge);
}

static void test_data(void **state)
{
    static const struct part parts[] = {
        {"---\nDataAccessProfiles:\n  SampledRecords:\n    - { Symbol: z, AccessCount: 5, Locations: [ { "
         "FileName: b, Line: "
         "2 } ] }\n    - { Hash: 7, AccessCount: 18446744073709551615 }\n  KnownColdSymbols: [ y, x ]\n",
         2},
        {"---\nDataAccessProfiles:\n  SampledRecords:\n    - { Symbol: z, AccessCount: 1, Locations: [ { "
         "FileName: b, Line: "
         "2 }, { FileName: a, Line: 9 } ] }\n    - { Symbol: x, AccessCount: 1 }\n  KnownColdStrHashes: [ 9, "
         "7 ]\n",
         1}};
    (void)state;
    struct apf_merge *merge = merge_parts(parts, 2, 0);
    const struct apf_memprof *m = result_of(merge);
    struct apf_memprof_data d = {.size = sizeof d};
    struct apf_memprof_location l = {.size = sizeof l};
    assert_int_equal(apf_memprof_info(m)->n_data, 3);
    assert_int_equal(apf_memprof_data(m, 0, &d, NULL), APF_OK);
    assert_memory_equal(d.symbol.p, "x", 2);
    assert_int_equal(apf_memprof_data(m, 1, &d, NULL), APF_OK);
    assert_memory_equal(d.symbol.p, "z", 2);
    assert_int_equal(d.access_count, 11);
    assert_int_equal(d.n_locations, 2);
    assert_int_equal(apf_memprof_data_location(m, 1, 0, &l, NULL), APF_OK);
    assert_memory_equal(l.file.p, "a", 2);
    assert_int_equal(apf_memprof_data(m, 2, &d, NULL), APF_OK);
    assert_int_equal(d.hash, 7);
    assert_int_equal(d.access_count, UINT64_MAX);
    /* x and 7 are not cold: they were seen. */
    assert_int_equal(apf_memprof_info(m)->n_cold_symbols, 1);
    assert_memory_equal(apf_memprof_info(m)->cold_symbols[0].p, "y", 2);
    assert_int_equal(apf_memprof_info(m)->n_cold_hashes, 1);
    assert_int_equal(apf_memprof_info(m)->cold_hashes[0], 9);
    assert_int_equal(apf_merge_stats(merge)->memprof_saturated, 1);
    apf_merge_free(merge);
}

/* A memory profile goes with every kind of counts; that of an input that is refused does not. */
static void test_with_counts(void **state)
{
    static const struct part parts[] = {
        {":ir\n:single_byte_coverage\nf\n1\n1\n1\n", 1},
        {HEAP "  - GUID: 0x1\n    AllocSites:\n" BLOCK(FRAME, "AllocCount: 1"), 9}};
    (void)state;
    struct apf_merge *merge = merge_parts(parts, 2, 0);
    struct apf_instr *view = NULL;
    assert_int_equal(apf_merge_view(merge, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_info(view)->variant,
                     APF_VARIANT_IR | APF_VARIANT_BYTE_COVERAGE | APF_VARIANT_MEMPROF);
    assert_int_equal(alloc_of(apf_instr_memprof(view), 0, 0).values[1], 9);
    assert_int_equal(apf_merge_stats(merge)->n_functions, 1);
    assert_int_equal(apf_merge_stats(merge)->n_merged, 2);
    assert_int_equal(apf_merge_stats(merge)->front_end_in_ir, 0);
    apf_merge_free(merge);
    merge = merge_parts(parts, 2, APF_FLAG_DROP_MEMPROF);
    assert_null(result_of(merge));
    assert_int_equal(apf_merge_stats(merge)->memprof_dropped, 1);
    apf_merge_free(merge);
}

/* ---- what is written ---- */

#define FEW (1u << 1 | 1u << 5 | 1u << 10 | 1u << 23)
#define ALL 0xffffffeu
#define ALL_OF_IT                                                                                            \
    HEAP "  - GUID: 0x1\n    AllocSites:\n" BLOCK(                                                           \
        FRAME,                                                                                               \
        "AllocCount: 1, MinSize: 2, AccessHistogramSize: 3") "    CallSites: [ { Frames: [ " FRAME           \
                                                             " ], CalleeGuids: [ 0x5, 0x6 ] } ]\n"           \
                                                             "DataAccessProfiles: { KnownColdSymbols: [ a "  \
                                                             "], SampledRecords: [ { Hash: 3, AccessCount: " \
                                                             "1 } ] }\n"

/* Writes for a target, and returns the version of the MemProf data and the schema; -1: there is none. */
static int write_for(struct apf_merge *merge, const char *target, int version, uint32_t flags,
                     uint32_t *schema)
{
    struct apf_write_options options = {.size = sizeof options, .flags = flags};
    struct apf_buffer file = {0};
    struct apf_output output = apf_output_buffer(&file);
    struct opened o;
    assert_int_equal(apf_target_parse(target, &options.target, NULL), APF_OK);
    if (version >= 0) {
        options.flags |= APF_WRITE_MEMPROF_VERSION;
        options.memprof_version = (uint32_t)version;
    }
    assert_int_equal(apf_merge_write(merge, &options, &output, NULL), APF_OK);
    open_memory(&o, file.data, file.n, 0);
    assert_int_equal(o.code, APF_OK);
    const struct apf_memprof *m = apf_instr_memprof(o.instr);
    uint32_t written = m ? apf_memprof_info(m)->version : APF_MEMPROF_NO_VERSION;
    assert_int_equal(apf_merge_stats(merge)->memprof_version, written);
    *schema = m ? apf_memprof_info(m)->schema : 0;
    opened_close(&o);
    apf_buffer_free(&file);
    return (int)written;
}

static void test_targets(void **state)
{
    static const struct {
        const char *target;
        int version;
        uint32_t flags;
        int written;
        uint32_t schema;
        uint64_t fields, callees, data, functions; /* left out */
    } rows[] = {
        {"auto", -1, 0, 4, FEW, 2, 0, 0, 0},
        {"llvm-22", -1, APF_WRITE_MEMPROF_FULL, 4, ALL, 0, 0, 0, 0},
        {"llvm-22", 3, 0, 3, FEW, 2, 2, 2, 0},
        {"llvm-22", 2, APF_WRITE_MEMPROF_FULL, 2, ALL, 0, 2, 2, 0},
        {"llvm-21", -1, 0, 4, FEW, 2, 0, 0, 0},
        {"llvm-20", -1, 0, 3, FEW, 2, 2, 2, 0},
        {"llvm-19", -1, 0, 0, ALL, 0, 2, 2, 0},
        {"llvm-19", 1, 0, 1, ALL, 0, 2, 2, 0},
        {"llvm-16", -1, 0, 0, 0x3fffffe, 1, 2, 2, 0},
        {"llvm-15", -1, 0, 0, 0xffffe, 1, 2, 2, 0},
        {"llvm-14", -1, 0, -1, 0, 0, 0, 2, 1},
        {"indexed-12", -1, 0, 3, FEW, 2, 2, 2, 0},
        {"indexed-12", 4, 0, 4, FEW, 2, 0, 0, 0},
        {"indexed-7", -1, 0, -1, 0, 0, 0, 2, 1},
    };
    static const struct part part = {ALL_OF_IT, 1};
    (void)state;
    struct apf_merge *merge = merge_parts(&part, 1, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct apf_merge_stats *s = apf_merge_stats(merge);
        uint32_t schema;
        int written = write_for(merge, rows[i].target, rows[i].version, rows[i].flags, &schema);
        if (written != rows[i].written || schema != rows[i].schema || s->dropped_fields != rows[i].fields ||
            s->dropped_callees != rows[i].callees || s->dropped_data != rows[i].data ||
            s->dropped_memprof != rows[i].functions)
            fail_msg("row %zu: version %d, schema %x, left out %u %u %u %u", i, written, schema,
                     (unsigned)s->dropped_fields, (unsigned)s->dropped_callees, (unsigned)s->dropped_data,
                     (unsigned)s->dropped_memprof);
    }
    apf_merge_free(merge);
}

static void test_refused_versions(void **state)
{
    static const struct {
        const char *target;
        uint32_t version;
    } rows[] = {{"auto", 0},    {"auto", 1},    {"auto", 5},    {"llvm-22", 1},          {"llvm-22", 5},
                {"llvm-20", 4}, {"llvm-20", 0}, {"llvm-16", 1}, {"llvm-22", UINT32_MAX}, {"indexed-13", 1}};
    static const struct part part = {ALL_OF_IT, 1};
    (void)state;
    struct apf_merge *merge = merge_parts(&part, 1, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_write_options options = {.size = sizeof options, .flags = APF_WRITE_MEMPROF_VERSION};
        struct apf_buffer file = {0};
        struct apf_output output = apf_output_buffer(&file);
        struct apf_error error;
        options.memprof_version = rows[i].version;
        assert_int_equal(apf_target_parse(rows[i].target, &options.target, NULL), APF_OK);
        assert_int_equal(apf_merge_write(merge, &options, &output, &error), APF_ARGUMENT);
        assert_string_equal(error.where, "target.memprof_version");
        assert_int_equal(error.subject, APF_SUBJECT_OPTION);
        apf_buffer_free(&file);
    }
    apf_merge_free(merge);
}

/* Text has no place for it. */
static void test_text(void **state)
{
    static const struct part part = {ALL_OF_IT, 1};
    struct apf_write_options options = {.size = sizeof options, .format = APF_FORMAT_TEXT};
    struct apf_buffer file = {0};
    struct apf_output output = apf_output_buffer(&file);
    (void)state;
    struct apf_merge *merge = merge_parts(&part, 1, 0);
    assert_int_equal(apf_merge_write(merge, &options, &output, NULL), APF_OK);
    assert_int_equal(file.n, strlen("# No functions\n"));
    assert_memory_equal(file.data, "# No functions\n", file.n);
    assert_int_equal(apf_merge_stats(merge)->dropped_memprof, 1);
    assert_int_equal(apf_merge_stats(merge)->variant, 0);
    apf_buffer_free(&file);
    apf_merge_free(merge);
}

TEST_FILE(memprof_merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fields), cmocka_unit_test(test_known_by_one),
        cmocka_unit_test(test_data),       cmocka_unit_test(test_with_counts),
        cmocka_unit_test(test_targets),    cmocka_unit_test(test_refused_versions),
        cmocka_unit_test(test_text),
    };
    return RUN_TESTS(tests);
}
