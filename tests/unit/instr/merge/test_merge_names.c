/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of indexed files in a merge: their ids are checked against names that are known, or else against the MD5. */
#include "helpers/shared/unit.h"

#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/indexed_build.h"
#include "instr/merge/merge.h"

static const uint64_t counts[] = {5, 7};
static const struct ib_record record[] = {{.hash = 17, .counts = counts, .n_counts = 2}};
static const struct ib_key keys[] = {{"alpha", record, 1}, {"beta", record, 1}, {"gamma", record, 1}};

static struct apf_input input_of(const struct rb_file *file, const char *name)
{
    struct apf_input input = apf_input_memory(file->data, file->n, name);
    return input;
}

/* The first count of a function, 0 when there is none. */
static uint64_t first_count(struct apf_instr *view, const char *name)
{
    struct apf_record r = {.size = sizeof r};
    struct apf_error error;
    struct apf_str s = {name, strlen(name)};
    return apf_instr_find(view, s, 17, &r, &error) == APF_OK ? r.counts[0] : 0;
}

/* Merges `n_good` copies of the file, the damaged one, and as many copies again, in one call or one by one. */
static void check_merge(const struct rb_file *good, const struct rb_file *damaged, size_t n_good,
                        bool one_by_one, uint64_t offset)
{
    struct apf_input inputs[9];
    struct apf_merge_options options = {.size = sizeof options};
    struct apf_merge *merge;
    struct apf_instr *view;
    struct apf_error error;
    size_t n = 0;
    for (size_t i = 0; i <= 2 * n_good; i++)
        inputs[n++] = i == n_good ? input_of(damaged, "damaged") : input_of(good, "good");
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.threads = 2;
    assert_int_equal(apf_merge_new(&merge, &options, &error), APF_OK);
    for (size_t i = 0; one_by_one && i < n; i++)
        assert_int_equal(apf_merge_add(merge, &inputs[i], 1, &error), APF_OK);
    if (!one_by_one)
        assert_int_equal(apf_merge_add(merge, inputs, n, &error), APF_OK);
    const struct apf_input_result *r = apf_merge_input(merge, n_good);
    assert_int_equal(r->code, APF_MALFORMED);
    assert_string_equal(r->error->where, "indexed.table.item.hash");
    assert_int_equal(r->error->offset, offset);
    assert_int_equal(apf_merge_stats(merge)->n_rejected, 1);
    assert_int_equal(apf_merge_stats(merge)->n_merged, 2 * n_good);
    assert_int_equal(apf_merge_view(merge, &view, &error), APF_OK);
    assert_int_equal(apf_instr_info(view)->n_records, n_good ? COUNT(keys) : 0);
    for (size_t k = 0; k < COUNT(keys); k++)
        assert_int_equal(first_count(view, keys[k].name), 5 * 2 * n_good);
    apf_merge_free(merge);
}

/* A wrong id, and a name that was changed: nothing of such a file counts, whether its names are known or not. */
static void test_wrong_ids(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(keys); k++)
        for (unsigned place = 0; place < 2; place++) {
            struct ib_profile p = {.version = 12, .keys = keys, .n_keys = COUNT(keys)};
            struct rb_file good = {0}, damaged = {0};
            struct ib_places at;
            ib_append(&good, &p, &at);
            ib_append(&damaged, &p, &at);
            damaged.data[at.items[k] + (place ? 24 : 0)] ^= 1;
            for (size_t n_good = 0; n_good < 5; n_good++) {
                check_merge(&good, &damaged, n_good, false, at.items[k]);
                check_merge(&good, &damaged, n_good, true, at.items[k]);
            }
            rb_free(&good);
            rb_free(&damaged);
        }
}

/* The counts of equal files are added, no matter which file had the names. */
static void test_known_names(void **state)
{
    (void)state;
    struct ib_profile all = {.version = 12, .keys = keys, .n_keys = COUNT(keys)};
    struct ib_profile some = {.version = 8, .keys = keys + 1, .n_keys = 1};
    struct rb_file files[2] = {{0}};
    struct ib_places at;
    ib_append(&files[0], &some, &at);
    ib_append(&files[1], &all, &at);
    for (unsigned order = 0; order < 2; order++) {
        struct apf_merge *merge;
        struct apf_instr *view;
        struct apf_error error;
        assert_int_equal(apf_merge_new(&merge, NULL, &error), APF_OK);
        for (unsigned i = 0; i < 6; i++) {
            struct apf_input input = input_of(&files[(i + order) % 2], "x");
            input.weight = i + 1;
            assert_int_equal(apf_merge_add(merge, &input, 1, &error), APF_OK);
        }
        assert_int_equal(apf_merge_view(merge, &view, &error), APF_OK);
        uint64_t with_all = order ? 1 + 3 + 5 : 2 + 4 + 6;
        assert_int_equal(first_count(view, "alpha"), 5 * with_all);
        assert_int_equal(first_count(view, "beta"), 5 * 21);
        assert_int_equal(first_count(view, "gamma"), 5 * with_all);
        apf_merge_free(merge);
    }
    rb_free(&files[0]);
    rb_free(&files[1]);
}

/* A name that a file's table has twice is still one function. */
static void test_name_twice(void **state)
{
    (void)state;
    static const struct ib_record other[] = {{.hash = 3, .counts = counts, .n_counts = 2}};
    static const struct ib_key twice[] = {
        {"alpha", record, 1}, {"beta", record, 1}, {"alpha", record, 1}, {"beta", other, 1}};
    struct ib_profile p = {.version = 12, .keys = twice, .n_keys = COUNT(twice)};
    struct rb_file file = {0};
    struct ib_places at;
    ib_append(&file, &p, &at);
    for (size_t n = 1; n < 4; n++) {
        struct apf_input inputs[3] = {input_of(&file, "x"), input_of(&file, "x"), input_of(&file, "x")};
        struct apf_merge *merge;
        struct apf_instr *view;
        struct apf_error error;
        assert_int_equal(apf_merge_new(&merge, NULL, &error), APF_OK);
        assert_int_equal(apf_merge_add(merge, inputs, n, &error), APF_OK);
        assert_int_equal(apf_merge_view(merge, &view, &error), APF_OK);
        assert_int_equal(apf_instr_info(view)->n_records, 3);
        assert_int_equal(first_count(view, "alpha"), 5 * 2 * n);
        assert_int_equal(first_count(view, "beta"), 5 * n);
        struct apf_record r = {.size = sizeof r};
        static const uint64_t hashes[] = {17, 3, 17}; /* of alpha, and of beta, in order */
        for (size_t i = 0; apf_instr_record(view, i, &r, &error) == APF_OK; i++)
            assert_int_equal(r.hash, hashes[i]);
        apf_merge_free(merge);
    }
    rb_free(&file);
}

/* Names may be those of the merge's own view, whose memory the call frees. */
static void test_names_of_the_view(void **state)
{
    static const char text[] = ":ir\nmain\n1\n1\n5\n1\n2\n1\n2\n_ZTV4left:3\n_ZTV5right:2\n";
    struct apf_input input = apf_input_memory(text, sizeof text - 1, "text");
    struct apf_merge *m;
    struct apf_instr *view;
    (void)state;
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    const struct apf_instr_info *info = apf_instr_info(view);
    assert_int_equal(info->n_vtable_names, 2);
    assert_int_equal(apf_merge_add_names(m, info->vtable_names, info->n_vtable_names, NULL), APF_OK);
    assert_int_not_equal(symbols_find(&m->symbols, rb_id("_ZTV4left")), HASH_INDEX_NONE);
    assert_int_not_equal(symbols_find(&m->symbols, rb_id("_ZTV5right")), HASH_INDEX_NONE);
    apf_merge_free(m);
}

TEST_FILE(merge_names)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_ids),
        cmocka_unit_test(test_known_names),
        cmocka_unit_test(test_name_twice),
        cmocka_unit_test(test_names_of_the_view),
    };
    return RUN_TESTS(tests);
}
