/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Odd and rare contents of raw files, and the findings of the reader. */
#include "helpers/shared/open_memory.h"

#include <string.h>

#define WARNING APF_SEVERITY_WARNING
#define NOTE APF_SEVERITY_NOTE

static const uint64_t two[] = {3, 4}, one[] = {5}, nine[] = {1, 0, 1, 1, 0, 1, 1, 1, 0};
static const struct rb_pair pairs[] = {{0x1040, 6, false}, {0x9999, 7, false}};
static const struct rb_site calls[] = {{pairs, 2}};
static const struct rb_function plain[] = {
    {.name = "first", .hash = 11, .counts = two, .n_counts = 2, .address = 0x1000},
    {.name = "second", .hash = 12, .counts = one, .n_counts = 1, .address = 0x1040},
};
static const struct rb_function calling[] = {
    {.name = "first", .hash = 11, .counts = two, .n_counts = 2, .sites = {calls}, .n_sites = {1}},
    {.name = "second",
     .hash = 12,
     .counts = one,
     .n_counts = 1,
     .address = 0x1040,
     .sites = {calls},
     .n_sites = {1}},
};

static struct rb_profile profile(unsigned version, const struct rb_function *functions, size_t n)
{
    struct rb_profile p = {.version = version, .bytes = 8, .functions = functions, .n_functions = n};
    return p;
}

/* ---- value data that is not there ---- */

static void test_missing_value_data(void **state)
{
    (void)state;
    for (unsigned v = 2; v <= RB_NEWEST; v++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 4)
            for (unsigned zeros = 0; zeros <= 32; zeros += 16) {
                struct rb_file file = {0};
                struct opened o;
                struct rb_profile p = profile(v, calling, 2);
                p.bytes = bytes;
                p.no_values = true;
                rb_append(&file, &p, NULL);
                rb_append_zeros(&file, zeros);
                open_file(&o, &file);
                assert_int_equal(o.n_findings, 1);
                EXPECT_FINDING(&o, "quirk.MISSING_VALUE_DATA", WARNING, APF_TRUNCATED, 1);
                struct record_walk *iter = first_record(&o);
                check_functions(iter, &p, NULL);
                last_record(iter, &o);
                rb_free(&file);
            }
}

/* ---- names ---- */

static void test_nameless(void **state)
{
    (void)state;
    struct rb_function f[3];
    memcpy(f, calling, sizeof calling);
    f[2] = plain[0];
    f[2].name = "third";
    f[0].unnamed = f[2].unnamed = true;
    for (unsigned v = 3; v <= RB_NEWEST; v++) {
        struct opened o;
        struct rb_profile p = profile(v, f, 3);
        open_profile(&o, &p);
        assert_int_equal(o.n_findings, 1);
        EXPECT_FINDING(&o, "quirk.NAMELESS", WARNING, APF_UNKNOWN_FUNCTION, 2);
        assert_int_equal(apf_instr_info(o.instr)->nameless, 2);
        struct record_walk *iter = first_record(&o);
        check_functions(iter, &p, NULL);
        last_record(iter, &o);
    }
}

/* A name may be there more than once, in one chunk or in several; zeros may lie between and after the chunks. */
static void test_repeated_names(void **state)
{
    (void)state;
    static const char *const again[] = {"first", "second", "first"};
    for (unsigned chunks = 1; chunks <= 3; chunks++) {
        struct rb_profile p = profile(10, plain, 2);
        p.more_names = again;
        p.n_more_names = COUNT(again);
        p.chunks = chunks;
        check_alone(&p);
    }
}

/* ---- counters ---- */

static void test_large_counters(void **state)
{
    (void)state;
    static const uint64_t edge[] = {(uint64_t)1 << 56, ((uint64_t)1 << 56) + 1, UINT64_MAX};
    static const uint64_t hot[] = {UINT64_MAX, UINT64_MAX, 1}, warm[] = {UINT64_MAX - 1, 0};
    static const uint64_t most[] = {UINT64_MAX - 2};
    const struct rb_function f[] = {
        {.name = "edge", .counts = edge, .n_counts = 3},
        {.name = "hot", .counts = hot, .n_counts = 3},
        {.name = "warm", .counts = warm, .n_counts = 2},
        {.name = "most", .counts = most, .n_counts = 1},
    };
    static const uint32_t flags[] = {0, APF_RECORD_PSEUDO, APF_RECORD_PSEUDO, 0};
    struct rb_profile p = profile(10, f, 4);
    struct opened o;
    open_profile(&o, &p);
    assert_int_equal(o.n_findings, 1);
    /* Pseudo counts are no numbers. */
    EXPECT_FINDING(&o, "quirk.LARGE_COUNTER", WARNING, APF_COUNTER_TOO_LARGE, 3);
    struct record_walk *iter = first_record(&o);
    for (size_t i = 0; i < 4; i++) {
        const struct apf_record *r = next_record(iter);
        assert_int_equal(r->flags, flags[i]);
        assert_memory_equal(r->counts, f[i].counts, f[i].n_counts * sizeof *r->counts);
    }
    last_record(iter, &o);
}

static void test_zero_records(void **state)
{
    (void)state;
    struct rb_function f[5] = {{.zero = true}, plain[0], {.zero = true}, plain[1], {.zero = true}};
    f[1].n_sites[0] = f[3].n_sites[0] = 1;
    f[1].sites[0] = f[3].sites[0] = calls;
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
            struct opened o;
            struct rb_profile p = profile(v, f, 5);
            p.bytes = bytes;
            open_profile(&o, &p);
            assert_int_equal(o.n_findings, 1);
            EXPECT_FINDING(&o, "quirk.ZERO_RECORD", NOTE, APF_NOTE, 3);
            assert_int_equal(apf_instr_info(o.instr)->n_records, 2);
            struct record_walk *iter = first_record(&o);
            check_functions(iter, &p, NULL);
            last_record(iter, &o);
        }
}

/* Some linkers keep a data record twice; both then have the counters. */
static void test_shared_counters(void **state)
{
    (void)state;
    struct rb_function f[9];
    f[0] = plain[0];
    for (unsigned i = 1; i < 9; i++) {
        f[i] = plain[0];
        f[i].same_as = 1;
    }
    struct rb_profile p = profile(10, f, 2);
    check_alone(&p);
    p.n_functions = 8;
    check_alone(&p);
    /* But a small file cannot make much out of few counters. */
    struct rb_file file = {0};
    struct rb_places at;
    p.n_functions = 9;
    rb_append(&file, &p, &at);
    EXPECT_REFUSED(file.data, file.n, APF_MALFORMED, "raw.record.num_counters", at.data + 8 * 64, 2, 0);
    rb_free(&file);
}

/* Up to version 7 a misaligned pointer means the counter it points into; later it means what it says. */
static void test_misaligned_pointers(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= RB_NEWEST; v++) {
        struct rb_file file = {0};
        struct rb_places at;
        struct opened o;
        struct rb_profile p = profile(v, plain, 2);
        rb_append(&file, &p, &at);
        size_t pointer = at.data + rb_field_at(v, 8, RB_COUNTER_PTR);
        rb_put(&file, pointer, 8, rb_get(&file, pointer, 8) + 5);
        open_file(&o, &file);
        struct record_walk *iter = first_record(&o);
        const struct apf_record *r = next_record(iter);
        assert_int_equal(r->n_counts, 2);
        assert_int_equal(r->counts[0], v < 8 ? 3 : (uint64_t)4 << 24);
        assert_int_equal(r->counts[1], v < 8 ? 4 : (uint64_t)5 << 24);
        assert_int_equal(next_record(iter)->counts[0], 5);
        last_record(iter, &o);
        rb_free(&file);
    }
}

/* ---- timestamps ---- */

static const struct rb_function timed[] = {
    {.name = "late", .counts = two, .n_counts = 2, .timestamp = 900},
    {.name = "tie a", .counts = one, .n_counts = 1, .timestamp = 7},
    {.name = "never", .counts = one, .n_counts = 1, .timestamp = 0},
    {.name = "tie b", .counts = nine, .n_counts = 9, .timestamp = 7},
    {.name = "reset", .counts = one, .n_counts = 1, .timestamp = UINT64_MAX},
    {.name = "early", .counts = one, .n_counts = 1, .timestamp = 1},
};

static void check_trace(const struct opened *o)
{
    const struct apf_instr_info *info = apf_instr_info(o->instr);
    uint64_t a = rb_id("tie a"), b = rb_id("tie b");
    assert_int_equal(info->n_traces, 1);
    assert_int_equal(info->trace_stream_size, 1);
    assert_int_equal(info->traces[0].weight, 1);
    assert_int_equal(info->traces[0].n, 4);
    assert_int_equal(info->traces[0].ids[0], rb_id("early"));
    assert_int_equal(info->traces[0].ids[1], a < b ? a : b);
    assert_int_equal(info->traces[0].ids[2], a < b ? b : a);
    assert_int_equal(info->traces[0].ids[3], rb_id("late"));
}

static void test_temporal(void **state)
{
    (void)state;
    for (unsigned v = 8; v <= RB_NEWEST; v++)
        for (unsigned way = 0; way < 8; way++) {
            struct opened o;
            struct rb_profile p = profile(v, timed, COUNT(timed));
            p.variant = RB_IR | RB_TEMPORAL | (way & 1 ? RB_BYTES : 0);
            p.bytes = way & 2 ? 4 : 8;
            p.big = way & 4;
            check_alone(&p);
            open_profile(&o, &p);
            check_trace(&o);
            opened_close(&o);
        }
}

static void test_nothing_ran(void **state)
{
    (void)state;
    struct opened o;
    struct rb_profile p = profile(10, timed + 2, 1);
    p.variant = RB_IR | RB_TEMPORAL;
    open_profile(&o, &p);
    assert_int_equal(apf_instr_info(o.instr)->n_traces, 0);
    assert_int_equal(apf_instr_info(o.instr)->variant, RB_IR | RB_TEMPORAL);
    opened_close(&o);
}

/* -pgo-temporal-instrumentation with function entry coverage: LLVM reads no counter and a trace of rubbish. */
static void test_no_timestamps(void **state)
{
    (void)state;
    static const uint64_t covered[] = {1}, missed[] = {0};
    const struct rb_function f[] = {
        {.name = "covered", .counts = covered, .n_counts = 1},
        {.name = "missed", .counts = missed, .n_counts = 1},
    };
    struct rb_profile p = profile(10, f, 2);
    struct opened o;
    p.variant = RB_IR | RB_TEMPORAL | RB_BYTES | RB_ENTRY_ONLY;
    p.no_timestamps = true;
    open_profile(&o, &p);
    assert_int_equal(o.n_findings, 1);
    EXPECT_FINDING(&o, "quirk.NO_TIMESTAMP", WARNING, APF_MALFORMED, 1);
    assert_int_equal(apf_instr_info(o.instr)->n_traces, 0);
    struct record_walk *iter = first_record(&o);
    check_functions(iter, &p, NULL);
    last_record(iter, &o);
}

/* ---- producers' ways ---- */

static void test_relative_version_7(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        struct rb_profile p = profile(7, calling, 2);
        struct opened o;
        p.bytes = way & 1 ? 4 : 8;
        p.big = way & 2;
        p.relative = true;
        open_profile(&o, &p);
        assert_int_equal(o.n_findings, 1);
        EXPECT_FINDING(&o, "quirk.RELATIVE_V7", NOTE, APF_NOTE, 1);
        struct record_walk *iter = first_record(&o);
        check_functions(iter, &p, NULL);
        last_record(iter, &o);
    }
}

/* 64-bit Windows: odd distances cut to 32 bits, and pointers with them. */
static void test_windows(void **state)
{
    (void)state;
    static const uint8_t bits[] = {1, 2, 3};
    static const int64_t distances[] = {0xFFFFFD59, 0xFFFFFFB1, 0x1231, 0x41};
    static const bool wraps[] = {false, true, false,
                                 true}; /* somewhere in the counters, or before the last record */
    struct rb_function f[40];
    for (unsigned i = 0; i < 40; i++) {
        f[i] = plain[i % 2];
        f[i].bitmap = bits;
        f[i].n_bitmap = i % 4;
    }
    f[0].gap = 20;
    for (unsigned v = 8; v <= RB_NEWEST; v++)
        for (size_t i = 0; i < COUNT(distances); i++) {
            struct rb_profile p = profile(v, f, 40);
            struct opened o;
            p.distance = distances[i];
            p.cut_to_32 = true;
            open_profile(&o, &p);
            assert_int_equal(o.n_findings, wraps[i]);
            if (wraps[i])
                EXPECT_FINDING(&o, "quirk.TRUNCATED_DELTA", NOTE, APF_NOTE, 1);
            struct record_walk *iter = first_record(&o);
            check_functions(iter, &p, NULL);
            last_record(iter, &o);
        }
}

static void test_unpadded_ids(void **state)
{
    (void)state;
    static const struct rb_bytes ids[] = {{"twenty bytes of hash", 20}, {"abc", 3}};
    for (unsigned v = 6; v <= RB_NEWEST; v++) {
        struct rb_profile p = profile(v, calling, 2);
        struct opened o;
        p.ids = ids;
        p.n_ids = 2;
        open_profile(&o, &p);
        assert_int_equal(o.n_findings, v < 8 ? 1 : 0);
        if (v < 8)
            EXPECT_FINDING(&o, "quirk.UNPADDED_IDS", NOTE, APF_NOTE, 1);
        const struct apf_instr_info *info = apf_instr_info(o.instr);
        assert_int_equal(info->n_binary_ids, 2);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(info->binary_ids[i].n, ids[i].n);
            assert_memory_equal(info->binary_ids[i].p, ids[i].p, ids[i].n);
        }
        struct record_walk *iter = first_record(&o);
        check_functions(iter, &p, NULL);
        last_record(iter, &o);
    }
}

/* ---- the callback ---- */

static int stop(void *user, const struct apf_diag *diag)
{
    (void)diag;
    ++*(int *)user;
    return 1;
}

static void test_stop(void **state)
{
    (void)state;
    struct rb_function f[2] = {plain[0], {.zero = true}};
    struct rb_profile p = profile(10, f, 2);
    struct rb_file file = {0};
    struct apf_instr *instr = NULL;
    struct apf_error error;
    int calls_made = 0;
    f[0].unnamed = true;
    rb_append(&file, &p, NULL);
    struct apf_input input = apf_input_memory(file.data, file.n, NULL);
    struct apf_options options = {.size = sizeof options, .diag = stop, .user = &calls_made};
    assert_int_equal(apf_instr_open(&instr, &input, &options, &error), APF_STOPPED);
    assert_null(instr);
    assert_int_equal(calls_made, 1);
    options.diag = NULL;
    assert_int_equal(apf_instr_open(&instr, &input, &options, &error), APF_OK);
    apf_instr_close(instr);
    assert_int_equal(apf_instr_open(&instr, &input, NULL, NULL), APF_OK);
    apf_instr_close(instr);
    rb_free(&file);
}

TEST_FILE(raw_quirks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_value_data),  cmocka_unit_test(test_nameless),
        cmocka_unit_test(test_repeated_names),      cmocka_unit_test(test_large_counters),
        cmocka_unit_test(test_zero_records),        cmocka_unit_test(test_shared_counters),
        cmocka_unit_test(test_misaligned_pointers), cmocka_unit_test(test_temporal),
        cmocka_unit_test(test_nothing_ran),         cmocka_unit_test(test_no_timestamps),
        cmocka_unit_test(test_relative_version_7),  cmocka_unit_test(test_windows),
        cmocka_unit_test(test_unpadded_ids),        cmocka_unit_test(test_stop),
    };
    return RUN_TESTS(tests);
}
