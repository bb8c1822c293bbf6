/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fast path of the merge: which files of a binary take it, which must not, and that the result is always that of
 * the general path. */
#include "helpers/shared/merge_memory.h"
#include "helpers/shared/raw_runs.h"

#include <string.h>

/* ---- what is fast ---- */

static void test_every_layout(void **state)
{
    (void)state;
    for (unsigned v = 1; v <= RB_NEWEST; v++)
        for (unsigned way = 0; way < 4; way++) {
            struct runs r;
            make_runs(&r, 6, v, way & 1 ? 4 : 8, way & 2);
            assert_int_equal(merge_runs(&r), 5);
            for (size_t i = 0; i < r.n; i++) /* the length of the file says nothing of its values */
                r.profiles[i].value_slack = 8 * (unsigned)(i % 3);
            assert_int_equal(merge_runs(&r), 5);
            r.profiles[0].no_values = r.profiles[4].no_values = v > 1;
            assert_int_equal(merge_runs(&r), 5);
            free_runs(&r);
        }
}

static void test_variants(void **state)
{
    (void)state;
    static const uint64_t variants[] = {RB_IR, RB_BYTES, RB_IR | RB_TEMPORAL, RB_IR | RB_TEMPORAL | RB_BYTES,
                                        RB_IR | RB_CS | RB_ENTRY_FIRST | RB_LOOP_ENTRIES};
    for (unsigned v = 8; v <= RB_NEWEST; v++)
        for (size_t k = 0; k < COUNT(variants); k++) {
            struct runs r;
            make_runs(&r, 5, v, 8, k & 1);
            for (size_t i = 0; i < r.n; i++) {
                r.profiles[i].variant = variants[k];
                r.profiles[i].no_padding = v == 8;
                for (size_t f = 0; f < 3; f++)
                    r.functions[i][f].timestamp = f == i ? 0 : 1 + (f + i) % 3;
            }
            assert_int_equal(merge_runs(&r), 4);
            free_runs(&r);
        }
}

static void test_forms(void **state)
{
    (void)state;
    for (unsigned form = 0; form < 5; form++) {
        struct runs r;
        make_runs(&r, 4, form == 0 ? 7 : 10, 8, false);
        for (size_t i = 0; i < r.n; i++) {
            struct rb_profile *p = &r.profiles[i];
            p->relative = form == 0;
            p->distance = form == 1 ? 0x41 : form == 2 ? -0x88 : 0;
            p->cut_to_32 = form == 1;
            p->zlib = form == 3;
            p->chunks = form == 3 ? 2 : 0;
            r.functions[i][1].unnamed = form == 4; /* a record that nothing names is lost in both ways */
        }
        assert_int_equal(merge_runs(&r), 3);
        free_runs(&r);
    }
}

/* The sums themselves, added up here. */
static void test_sums(void **state)
{
    (void)state;
    struct runs r;
    struct apf_merge *merge;
    struct apf_instr *view;
    struct apf_record got = {.size = sizeof got};
    struct apf_merge_options options = {
        .size = sizeof options,
        .options = &(struct apf_options){.size = sizeof(struct apf_options), .threads = 1}};
    struct apf_str name = {"main", 4};
    make_runs(&r, 5, 10, 8, false);
    assert_int_equal(merge_runs(&r), 4); /* makes the inputs */
    assert_int_equal(apf_merge_new(&merge, &options, NULL), APF_OK);
    for (size_t i = 0; i < r.n; i++)
        r.inputs[i].weight = i == 2 ? 10 : 0;
    assert_int_equal(apf_merge_add(merge, r.inputs, r.n, NULL), APF_OK);
    assert_int_equal(apf_merge_stats(merge)->n_fast, 4);
    assert_int_equal(apf_merge_view(merge, &view, NULL), APF_OK);
    assert_int_equal(apf_instr_find(view, name, 0x1234, &got, NULL), APF_OK);
    for (size_t k = 0; k < 3; k++) /* 1 + 2 + 10 * 3 + 4 + 5 times */
        assert_int_equal(got.counts[k], 42 * r.counts[0][k]);
    assert_memory_equal(got.bitmap, r.functions[0][0].bitmap, 3);
    /* By count; both unknown targets became one. Weights: 1 + 1 + 10 + 1 + 1. */
    const struct apf_value want[] = {
        {rb_id("a.c:local"), 14 * 9}, {0, 14 * 5}, {rb_id("callee"), 14 * 5}, {rb_id("main"), 14}};
    assert_int_equal(got.n_sites[0], 2);
    assert_int_equal(got.sites[0][0].n, 4);
    assert_memory_equal(got.sites[0][0].values, want, sizeof want);
    assert_int_equal(got.sites[0][1].n, 0);
    assert_int_equal(got.sites[1][0].values[0].value, 513);
    assert_int_equal(got.sites[1][0].values[0].count, 14 * 7);
    assert_int_equal(got.sites[2][0].n, 3);
    assert_int_equal(got.sites[2][0].values[0].value, rb_id("_ZTV1A"));
    assert_int_equal(got.sites[2][0].values[1].value, rb_id("_ZTV1B"));
    assert_int_equal(got.sites[2][0].values[2].value, 0);
    apf_merge_free(merge);
    free_runs(&r);
}

/* ---- weights, threads, order ---- */

static void test_weights(void **state)
{
    (void)state;
    static const uint64_t weights[] = {0, 1, 7, 1000, (uint64_t)1 << 32, 0, 3};
    struct runs r;
    make_runs(&r, 7, 10, 8, true);
    for (size_t i = 0; i < r.n; i++)
        r.inputs[i].weight = weights[i];
    assert_int_equal(merge_runs(&r), 6);
    /* With these the sums of main have room, those of callee (4000) have not. */
    r.inputs[2].weight = UINT64_MAX / 1200;
    assert_int_equal(merge_runs(&r), 5);
    r.inputs[3].weight = UINT64_MAX;
    assert_int_equal(merge_runs(&r), 4);
    free_runs(&r);
}

static void test_threads_and_order(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 8};
    struct merged want, got;
    struct runs r;
    make_runs(&r, 8, 10, 8, false);
    r.functions[5][0].hash++; /* one that is different */
    for (size_t i = 0; i < r.n; i++)
        r.inputs[i].weight = i % 3;
    assert_int_equal(merge_runs(&r), 6);
    struct merge_way way = {APF_MERGE_GENERAL, 1, 0};
    merge_memory(&want, r.inputs, r.n, way);
    for (unsigned turn = 0; turn < r.n; turn++) {
        struct apf_input first = r.inputs[0];
        memmove(r.inputs, r.inputs + 1, (r.n - 1) * sizeof first);
        r.inputs[r.n - 1] = first;
        for (size_t t = 0; t < COUNT(threads); t++)
            for (size_t batch = 0; batch < 4; batch++) {
                struct merge_way fast = {turn % 2 ? APF_MERGE_GENERAL : 0, threads[t], batch};
                merge_memory(&got, r.inputs, r.n, fast);
                got.reordered = true;
                EXPECT_SAME_MERGE(&want, &got);
                merged_free(&got);
            }
    }
    merged_free(&want);
    free_runs(&r);
}

/* Files that are added after the sums were looked at. */
static void test_adding_after_a_view(void **state)
{
    (void)state;
    struct runs r;
    struct merged want;
    struct apf_merge *merge;
    struct apf_instr *view;
    struct apf_merge_options options = {
        .size = sizeof options,
        .options = &(struct apf_options){.size = sizeof(struct apf_options), .threads = 1}};
    struct apf_write_options write = {
        .size = sizeof write, .flags = APF_WRITE_VTABLE_NAMES, .target = {2, 0, 14}};
    struct apf_buffer buffer = {0};
    struct apf_output output = apf_output_buffer(&buffer);
    make_runs(&r, 8, 10, 8, false);
    assert_int_equal(merge_runs(&r), 7);
    merge_memory(&want, r.inputs, r.n, (struct merge_way){APF_MERGE_GENERAL, 1, 0});
    assert_int_equal(apf_merge_new(&merge, &options, NULL), APF_OK);
    for (size_t i = 0; i < r.n; i += 2) {
        assert_int_equal(apf_merge_add(merge, r.inputs + i, 2, NULL), APF_OK);
        assert_int_equal(apf_merge_view(merge, &view, NULL), APF_OK);
    }
    assert_int_equal(apf_merge_write(merge, &write, &output, NULL), APF_OK);
    assert_int_equal(buffer.n, want.outputs[0].n);
    assert_memory_equal(buffer.data, want.outputs[0].data, buffer.n);
    assert_true(apf_merge_stats(merge)->n_fast >= 4);
    apf_buffer_free(&buffer);
    merged_free(&want);
    apf_merge_free(merge);
    free_runs(&r);
}

TEST_FILE(shapes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_layout),
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_threads_and_order),
        cmocka_unit_test(test_adding_after_a_view),
    };
    return RUN_TESTS(tests);
}
