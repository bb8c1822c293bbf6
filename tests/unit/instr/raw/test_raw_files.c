/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several profiles in one raw file, as an executable and its libraries write them. */
#include "helpers/shared/open_memory.h"

#define WARNING APF_SEVERITY_WARNING
#define NOTE APF_SEVERITY_NOTE

static const uint64_t two[] = {3, 4}, one[] = {5};
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

/* Value data may be missing from each profile of a file for itself. */
static void test_missing_before_another_profile(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct opened o;
    struct rb_profile without = profile(10, calling, 2), with = without;
    without.no_values = true;
    rb_append(&file, &without, NULL);
    rb_append(&file, &with, NULL);
    rb_append_zeros(&file, 8);
    rb_append(&file, &without, NULL);
    open_file(&o, &file);
    assert_int_equal(o.n_findings, 1);
    EXPECT_FINDING(&o, "quirk.MISSING_VALUE_DATA", WARNING, APF_TRUNCATED, 2);
    struct record_walk *iter = first_record(&o);
    check_functions(iter, &without, NULL);
    check_functions(iter, &with, NULL);
    check_functions(iter, &without, NULL);
    last_record(iter, &o);
    rb_free(&file);
}

/* One trace for all profiles of a file. */
static void test_temporal_several(void **state)
{
    (void)state;
    static const char *const order[] = {"second", "fourth", "third", "first"};
    static const struct rb_function timed[] = {
        {.name = "first", .counts = two, .n_counts = 2, .timestamp = 900},
        {.name = "second", .counts = one, .n_counts = 1, .timestamp = 7},
        {.name = "third", .counts = one, .n_counts = 1, .timestamp = 50},
        {.name = "fourth", .counts = two, .n_counts = 2, .timestamp = 49},
    };
    struct rb_file file = {0};
    struct opened o;
    struct rb_profile a = profile(10, timed, 2), b = profile(10, timed + 2, 2);
    a.variant = b.variant = RB_IR | RB_TEMPORAL;
    rb_append(&file, &a, NULL);
    rb_append(&file, &b, NULL);
    open_file(&o, &file);
    const struct apf_instr_info *info = apf_instr_info(o.instr);
    assert_int_equal(info->n_traces, 1);
    assert_int_equal(info->trace_stream_size, 1);
    assert_int_equal(info->traces[0].n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(info->traces[0].ids[i], rb_id(order[i]));
    opened_close(&o);
    rb_free(&file);
}

/* Version 8 with byte coverage: the first profile's length is odd. LLVM refuses what follows. */
static void test_unaligned(void **state)
{
    (void)state;
    struct rb_profile p = profile(8, plain, 2), q = profile(8, calling, 2);
    struct rb_file file = {0};
    struct opened o;
    p.variant = RB_BYTES;
    p.no_padding = true;
    rb_append(&file, &p, NULL);
    assert_true(file.n % 8);
    rb_append(&file, &q, NULL);
    open_file(&o, &file);
    assert_int_equal(o.n_findings, 1);
    EXPECT_FINDING(&o, "quirk.UNALIGNED", NOTE, APF_NOTE, 1);
    struct record_walk *iter = first_record(&o);
    check_functions(iter, &p, NULL);
    check_functions(iter, &q, NULL);
    last_record(iter, &o);
    rb_free(&file);
}

/* What no tool of LLVM reads: an executable and a library built by different releases. */
static void test_mixed_versions(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct opened o;
    struct rb_profile p[RB_NEWEST];
    for (unsigned i = 0; i < RB_NEWEST; i++) {
        p[i] = profile(RB_NEWEST - i, calling, 2);
        p[i].load = 0x10000 * i;
        p[i].variant = i == 0 ? RB_IR : i == RB_NEWEST - 1 ? RB_ENTRY_FIRST : 0;
        rb_append(&file, &p[i], NULL);
        rb_append_zeros(&file, 8 * (i % 3));
    }
    open_file(&o, &file);
    assert_int_equal(o.n_findings, 1);
    EXPECT_FINDING(&o, "quirk.MIXED_VERSIONS", NOTE, APF_NOTE, 10);
    const struct apf_instr_info *info = apf_instr_info(o.instr);
    assert_int_equal(info->n_profiles, 11);
    assert_int_equal(info->version, 11);
    assert_int_equal(info->variant, RB_IR);
    assert_int_equal(info->last_variant, RB_ENTRY_FIRST);
    assert_int_equal(info->n_records, 22);
    struct record_walk *iter = first_record(&o);
    for (unsigned i = 0; i < RB_NEWEST; i++)
        check_functions(iter, &p[i], NULL);
    last_record(iter, &o);
    rb_free(&file);
}

/* LLVM 16 and later write a header and the ids when nothing is instrumented. */
static void test_header_only(void **state)
{
    (void)state;
    static const struct rb_bytes id = {"sixteen bytes id", 16};
    for (unsigned v = 1; v <= RB_NEWEST; v++) {
        struct rb_file file = {0};
        struct opened o;
        struct rb_profile empty = profile(v, NULL, 0), p = profile(v, calling, 2);
        empty.ids = &id;
        empty.n_ids = 1;
        rb_append(&file, &empty, NULL);
        open_file(&o, &file);
        assert_int_equal(o.n_findings, 0);
        assert_int_equal(apf_instr_info(o.instr)->n_records, 0);
        assert_int_equal(apf_instr_info(o.instr)->n_profiles, 1);
        opened_close(&o);
        rb_append(&file, &empty, NULL);
        rb_append(&file, &p, NULL);
        rb_append(&file, &empty, NULL);
        open_file(&o, &file);
        assert_int_equal(o.n_findings, 0);
        assert_int_equal(apf_instr_info(o.instr)->n_profiles, 4);
        struct record_walk *iter = first_record(&o);
        check_functions(iter, &p, NULL);
        last_record(iter, &o);
        rb_free(&file);
    }
}

/* Bits that no release defines are passed over; the others are reported. */
static void test_variant_bits(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct opened o;
    struct rb_profile p = profile(10, plain, 2);
    uint64_t known = RB_IR | RB_CS | RB_LOOP_ENTRIES | RB_ENTRY_FIRST;
    p.variant = known | (uint64_t)0x7fffff << 32;
    rb_append(&file, &p, NULL);
    open_file(&o, &file);
    assert_int_equal(apf_instr_info(o.instr)->version, 10);
    assert_int_equal(apf_instr_info(o.instr)->variant, known);
    assert_int_equal(apf_instr_info(o.instr)->version_word, 10 | p.variant);
    opened_close(&o);
    rb_free(&file);
}

/* The addresses of a profile mean nothing to the others. */
static void test_own_addresses(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct opened o;
    struct rb_function f[2] = {calling[0], calling[1]};
    struct rb_profile a = profile(10, calling, 2), b = profile(10, f, 2), c = profile(10, f, 2);
    f[1].name = "other";
    c.load = 0x5000; /* the address 0x1040 is unknown there */
    for (unsigned i = 0; i < 3; i++) {
        rb_append(&file, &a, NULL);
        rb_append(&file, &b, NULL);
        rb_append(&file, &c, NULL);
    }
    open_file(&o, &file);
    assert_int_equal(o.n_findings, 0);
    struct record_walk *iter = first_record(&o);
    for (unsigned i = 0; i < 3; i++) {
        check_functions(iter, &a, NULL);
        check_functions(iter, &b, NULL);
        check_functions(iter, &c, NULL);
    }
    last_record(iter, &o);
    rb_free(&file);
}

/* Counter size, timestamps and byte order follow each header. */
static void test_own_forms(void **state)
{
    (void)state;
    struct rb_file file = {0};
    struct opened o;
    struct rb_profile p[6];
    for (unsigned i = 0; i < 6; i++) {
        p[i] = profile(10, calling, 2);
        p[i].variant = i == 1 ? RB_BYTES : i == 2 ? RB_TEMPORAL | RB_IR : i == 3 ? RB_TEMPORAL | RB_BYTES : 0;
        p[i].bytes = i == 4 ? 4 : 8;
        p[i].big = i == 5;
        rb_append(&file, &p[i], NULL);
    }
    open_file(&o, &file);
    assert_int_equal(o.n_findings, 0);
    assert_int_equal(apf_instr_info(o.instr)->n_profiles, 6);
    struct record_walk *iter = first_record(&o);
    for (unsigned i = 0; i < 6; i++)
        check_functions(iter, &p[i], NULL);
    last_record(iter, &o);
    rb_free(&file);
}

TEST_FILE(raw_files)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_before_another_profile),
        cmocka_unit_test(test_temporal_several),
        cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_mixed_versions),
        cmocka_unit_test(test_header_only),
        cmocka_unit_test(test_variant_bits),
        cmocka_unit_test(test_own_addresses),
        cmocka_unit_test(test_own_forms),
    };
    return RUN_TESTS(tests);
}
