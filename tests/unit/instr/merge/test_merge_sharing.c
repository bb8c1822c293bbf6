/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums may adopt the arrays of a profile, and views share those of sums: a change in one must not show in another. */
#include "helpers/shared/unit.h"

#include <stdlib.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/indexed_build.h"
#include "helpers/shared/raw_build.h"

static struct apf_merge *new_merge(uint32_t flags)
{
    struct apf_merge_options options = {
        .size = sizeof options,
        .flags = flags,
        .options = &(struct apf_options){.size = sizeof(struct apf_options), .threads = 1}};
    struct apf_merge *merge;
    struct apf_error error;
    assert_int_equal(apf_merge_new(&merge, &options, &error), APF_OK);
    return merge;
}

static int add(struct apf_merge *merge, const void *p, size_t n, uint64_t weight)
{
    struct apf_input input = {
        .size = sizeof(struct apf_input), .data = p, .n = n, .name = "x", .weight = weight};
    struct apf_error error;
    size_t number = 0;
    while (apf_merge_input(merge, number))
        number++;
    assert_int_equal(apf_merge_add(merge, &input, 1, &error), APF_OK);
    return apf_merge_input(merge, number)->code;
}

static const struct apf_record *find(struct apf_merge *merge, const char *name)
{
    struct apf_instr *view;
    struct apf_error error;
    static struct apf_record r;
    struct apf_str s = {name, strlen(name)};
    r.size = sizeof r;
    assert_int_equal(apf_merge_view(merge, &view, &error), APF_OK);
    assert_int_equal(apf_instr_find(view, s, 1, &r, &error), APF_OK);
    return &r;
}

/* Uniform counters are compared with the counts of the file, not with what a weight makes of them. */
static void test_uniformity_and_weight(void **state)
{
    (void)state;
    static const uint64_t counts[] = {100, 100}, uniform[] = {95, 95};
    static const uint8_t bits[] = {0xff};
    const struct rb_function f = {
        .name = "f", .hash = 1, .counts = counts, .n_counts = 2, .uniform = uniform};
    const struct rb_profile p = {
        .version = 11, .bytes = 8, .variant = RB_IR, .functions = &f, .n_functions = 1, .uniform = true};
    const struct ib_record record = {
        .hash = 1, .counts = counts, .n_counts = 2, .uniformity = bits, .n_uniformity = 1};
    const struct ib_key key = {"f", &record, 1};
    const struct ib_profile ip = {.version = 14, .variant = RB_IR, .keys = &key, .n_keys = 1};
    struct rb_file raw = {0}, indexed = {0};
    struct ib_places at;
    rb_append(&raw, &p, NULL);
    ib_append(&indexed, &ip, &at);
    for (unsigned order = 0; order < 2; order++) {
        struct apf_merge *merge = new_merge(0);
        assert_int_equal(
            add(merge, order ? indexed.data : raw.data, order ? indexed.n : raw.n, order ? 1 : 2), 0);
        assert_int_equal(
            add(merge, order ? raw.data : indexed.data, order ? raw.n : indexed.n, order ? 2 : 1), 0);
        const struct apf_record *r = find(merge, "f");
        assert_int_equal(r->counts[0], 300);
        assert_int_equal(r->n_uniformity, 1);
        assert_int_equal(r->uniformity[0], 0xff);
        apf_merge_free(merge);
    }
    rb_free(&raw);
    rb_free(&indexed);
}

/* A record of the merge's own view is added once more, with its repeated values as they are. */
static void test_record_of_the_view(void **state)
{
    (void)state;
    static const char text[] = ":ir\nf\n1\n1\n5\n1\n1\n1\n4\n8:5\n9:5\n8:5\n7:4\n\n";
    static const struct apf_value expected[] = {{8, 20}, {9, 10}, {7, 8}};
    for (unsigned again = 0; again < 2; again++) {
        struct apf_merge *merge = new_merge(0);
        struct apf_error error;
        assert_int_equal(add(merge, text, sizeof text - 1, 1), APF_OK);
        if (again)
            assert_int_equal(add(merge, text, sizeof text - 1, 1), APF_OK);
        else
            assert_int_equal(apf_merge_add_record(merge, find(merge, "f"), 1, &error), APF_OK);
        const struct apf_record *r = find(merge, "f");
        assert_int_equal(r->counts[0], 10);
        assert_int_equal(r->n_sites[APF_VALUE_MEMOP_SIZE], 1);
        assert_int_equal(r->sites[APF_VALUE_MEMOP_SIZE]->n, 3);
        assert_memory_equal(r->sites[APF_VALUE_MEMOP_SIZE]->values, expected, sizeof expected);
        apf_merge_free(merge);
    }
}

/* A view stays what it is when nothing is added; what is added later does not change values that are shared. */
static void test_views_and_more_inputs(void **state)
{
    (void)state;
    static const char text[] = ":ir\nf\n1\n1\n5\n1\n1\n1\n2\n8:9\n7:4\n\n";
    struct apf_merge *merge = new_merge(0);
    for (uint64_t n = 1; n < 5; n++) {
        assert_int_equal(add(merge, text, sizeof text - 1, 1), APF_OK);
        for (unsigned look = 0; look < 2; look++) {
            const struct apf_record *r = find(merge, "f");
            assert_int_equal(r->counts[0], 5 * n);
            assert_int_equal(r->sites[APF_VALUE_MEMOP_SIZE]->values[0].count, 9 * n);
            assert_int_equal(r->sites[APF_VALUE_MEMOP_SIZE]->values[1].count, 4 * n);
        }
    }
    apf_merge_free(merge);
}

/* A file that is too much as a whole is refused, although each of its profiles is known. */
static void test_limits_of_a_whole_file(void **state)
{
    (void)state;
    static const uint64_t counts[] = {7};
    static struct rb_site sites[65535];
    const struct rb_function f = {.name = "f",
                                  .hash = 1,
                                  .counts = counts,
                                  .n_counts = 1,
                                  .address = 0x1000,
                                  .sites = {sites, sites},
                                  .n_sites = {65535, 65535}};
    const struct rb_profile p = {
        .version = 9, .bytes = 8, .variant = RB_IR, .functions = &f, .n_functions = 1, .no_values = true};
    struct rb_file one = {0}, two = {0};
    rb_append(&one, &p, NULL);
    rb_append(&two, &p, NULL);
    rb_append(&two, &p, NULL);
    for (unsigned way = 0; way < 6; way++) {
        struct apf_merge *merge = new_merge(way / 3 ? APF_MERGE_GENERAL : 0);
        for (unsigned i = 0; i < 3; i++) {
            bool large = i == way % 3;
            assert_int_equal(add(merge, large ? two.data : one.data, large ? two.n : one.n, 1),
                             large ? APF_TRUNCATED : APF_OK);
        }
        assert_int_equal(find(merge, "f")->counts[0], 14);
        apf_merge_free(merge);
    }
    rb_free(&one);
    rb_free(&two);
}

TEST_FILE(merge_sharing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniformity_and_weight),
        cmocka_unit_test(test_record_of_the_view),
        cmocka_unit_test(test_views_and_more_inputs),
        cmocka_unit_test(test_limits_of_a_whole_file),
    };
    return RUN_TESTS(tests);
}
