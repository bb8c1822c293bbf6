/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order of an indexed file where it depends on what LLVM's writer saw first. The orders wanted of one input are
 * those of llvm-profdata-13 and -22; of several inputs, they are those it writes when the larger input comes first. */
#include "helpers/shared/open_memory.h"

#include <string.h>

#define MOST 3u

static void merge(struct opened *o, const char *const *texts, const uint64_t *weights, const char *target,
                  uint32_t flags)
{
    struct apf_input inputs[MOST];
    struct apf_write_options write = {.size = sizeof write, .flags = flags};
    struct apf_buffer out = {0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_merge *merge;
    struct apf_error error;
    size_t n = 0;
    for (; n < MOST && texts[n]; n++) {
        inputs[n] = apf_input_memory(texts[n], strlen(texts[n]), NULL);
        inputs[n].weight = weights ? weights[n] : 1;
    }
    assert_int_equal(apf_merge_new(&merge, NULL, &error), APF_OK);
    assert_int_equal(apf_merge_add(merge, inputs, n, &error), APF_OK);
    assert_int_equal(apf_target_parse(target, &write.target, &error), APF_OK);
    assert_int_equal(apf_merge_write(merge, &write, &output, &error), APF_OK);
    apf_merge_free(merge);
    open_memory(o, out.data, out.n, 0);
    assert_int_equal(o->code, APF_OK);
    apf_buffer_free(&out);
}

/* Names (or hashes, for NULL) of the records, in the order of the file. */
static void expect_order(struct opened *o, const char *const *names, const uint64_t *hashes, size_t n)
{
    struct record_walk *iter = first_record(o);
    for (size_t i = 0; i < n; i++) {
        const struct apf_record *r = next_record(iter);
        assert_non_null(r);
        if (names)
            assert_true(r->name.n == strlen(names[i]) && memcmp(r->name.p, names[i], r->name.n) == 0);
        else
            assert_int_equal(r->hash, hashes[i]);
    }
    last_record(iter, o);
}

/* These three share a slot of the writer's map and a bucket of the table in the file. */
#define JZ "f_jz\n1\n1\n1\n"
#define LX "f_lx\n1\n1\n1\n"
#define NF "f_nf\n1\n1\n1\n"

static void test_names(void **state)
{
    static const struct {
        const char *texts[MOST];
        const char *order[3];
    } cases[] = {
        {{JZ LX NF}, {"f_jz", "f_lx", "f_nf"}},        {{LX NF JZ}, {"f_lx", "f_nf", "f_jz"}},
        {{NF LX JZ}, {"f_nf", "f_lx", "f_jz"}},        {{NF LX, LX JZ NF}, {"f_lx", "f_jz", "f_nf"}},
        {{LX JZ NF, NF LX}, {"f_lx", "f_jz", "f_nf"}}, {{JZ, NF LX}, {"f_nf", "f_lx", "f_jz"}},
        {{NF LX, JZ}, {"f_nf", "f_lx", "f_jz"}},
    };
    static const char *const targets[] = {"llvm-13", "llvm-14", "llvm-15", "llvm-16"};
    static const char *const sorted[] = {"f_jz", "f_lx", "f_nf"};
    struct opened o;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
            merge(&o, cases[i].texts, NULL, targets[t], 0);
            expect_order(&o, cases[i].order, NULL, 3);
        }
        merge(&o, cases[i].texts, NULL, "llvm-19", 0);
        expect_order(&o, sorted, NULL, 3);
    }
}

/* The content decides the order of inputs of one size. */
static void test_equal_inputs(void **state)
{
    static const char *const one[MOST] = {JZ LX, NF JZ}, *const other[MOST] = {NF JZ, JZ LX};
    const struct apf_record *r;
    struct opened a, b;
    (void)state;
    merge(&a, one, NULL, "llvm-13", 0);
    merge(&b, other, NULL, "llvm-13", 0);
    struct record_walk *x = first_record(&a), *y = first_record(&b);
    for (size_t i = 0; i < 3; i++) {
        r = next_record(x);
        assert_non_null(r);
        const struct apf_record *s = next_record(y);
        assert_non_null(s);
        assert_memory_equal(r->name.p, s->name.p, 4);
    }
    last_record(x, &a);
    last_record(y, &b);
}

/* f_ar has the slot that f_ab would have, which therefore goes after f_bb, also where f_ar is left out. */
static void test_sparse(void **state)
{
    static const char *const with[MOST] = {"f_bb\n1\n1\n1\nf_ar\n1\n1\n0\nf_ab\n1\n1\n1\n"};
    static const char *const without[MOST] = {"f_bb\n1\n1\n1\nf_ab\n1\n1\n1\n"};
    static const char *const order[] = {"f_bb", "f_ab"}, *const plain[] = {"f_ab", "f_bb"};
    struct opened o;
    (void)state;
    merge(&o, with, NULL, "llvm-13", APF_WRITE_SPARSE);
    expect_order(&o, order, NULL, 2);
    merge(&o, without, NULL, "llvm-13", APF_WRITE_SPARSE);
    expect_order(&o, plain, NULL, 2);
}

/* A record that loses against one with other counters still counts as seen. */
static void test_minority(void **state)
{
    static const char *const texts[MOST] = {"f_nf\n1\n2\n1\n2\n" JZ, "f_nf\n1\n1\n7\n"};
    static const uint64_t weights[] = {1, 5};
    static const char *const order[] = {"f_nf", "f_jz"};
    struct opened o;
    (void)state;
    merge(&o, texts, weights, "llvm-13", 0);
    expect_order(&o, order, NULL, 2);
}

#define HASH(h) "f\n" h "\n1\n1\n"

static void test_hashes(void **state)
{
    static const struct {
        const char *target;
        const char *texts[MOST];
        size_t n;
        uint64_t order[5];
    } cases[] = {
        {"llvm-22", {HASH("1") HASH("6")}, 2, {6, 1}},
        {"llvm-22", {HASH("6") HASH("1")}, 2, {1, 6}},
        {"llvm-22", {HASH("6") HASH("1"), HASH("6")}, 2, {1, 6}},
        {"llvm-22", {HASH("6"), HASH("1") HASH("6")}, 2, {6, 1}},
        {"llvm-19", {HASH("6") HASH("1")}, 2, {1, 6}},
        {"llvm-13", {HASH("1") HASH("5")}, 2, {1, 5}},
        {"llvm-13", {HASH("5") HASH("1")}, 2, {5, 1}},
        {"llvm-16", {HASH("5") HASH("1")}, 2, {5, 1}},
        {"llvm-13", {HASH("1") HASH("9") HASH("5") HASH("13") HASH("17")}, 5, {9, 13, 1, 17, 5}},
        {"llvm-22", {HASH("1") HASH("9") HASH("5") HASH("13") HASH("17")}, 5, {5, 1, 9, 13, 17}},
    };
    struct opened o;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        merge(&o, cases[i].texts, NULL, cases[i].target, 0);
        expect_order(&o, NULL, cases[i].order, cases[i].n);
    }
}

TEST_FILE(first_seen)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),    cmocka_unit_test(test_equal_inputs), cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_minority), cmocka_unit_test(test_hashes),
    };
    return RUN_TESTS(tests);
}
