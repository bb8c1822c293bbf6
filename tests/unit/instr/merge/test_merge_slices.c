/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles in slices: merged slice by slice, they give the profile and the partial profile of one merge of all
 * inputs. Slices that are missing, in another order or damaged are errors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/unit.h"
#include "instr/merge/merge.h"
#include "partial/partial_format.h"

#define MANY 24u
#define GROUPS 3u
#define SLICES 5u

static const struct apf_slice whole;
static char texts[MANY][400];
static struct apf_input inputs[MANY];

/* Text i: a function that each input has, some of sixty, contradictions, targets, and a trace. One is damaged, and one
 * of another kind. */
static void make_texts(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i],
                 ":ir\n:temporal_prof_traces\n1\n%u\n1\nall,f%u\n\nall\n1\n1\n%u\n1\n0\n1\n1\nf%u:%u\n\n"
                 "f%u\n%u\n2\n%u\n7\n\nf%u\n1\n1\n5\n%s",
                 1 + i % 5, i % 30, i + 1, i % 9, i + 1, i % 30, i % 3, i, 30 + i, i == 7 ? "x" : "");
        if (i == 11)
            snprintf(texts[i], sizeof texts[i], ":fe\nfront\n1\n1\n1\n");
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), "text");
        inputs[i].weight = 1 + i % 3;
    }
}

static int try_merge(struct apf_merge **m, const struct apf_input *from, size_t n, uint32_t flags,
                     struct apf_slice slice, struct apf_error *error)
{
    const struct apf_options common = {.size = sizeof common, .threads = 2};
    const struct apf_merge_options options = {
        .size = sizeof options, .options = &common, .flags = flags, .tolerance = &any_loss, .slice = slice};
    int code = apf_merge_new(m, &options, error);
    return code == APF_OK ? apf_merge_add(*m, from, n, error) : code;
}

static struct apf_merge *merge(const struct apf_input *from, size_t n, uint32_t flags, struct apf_slice slice)
{
    struct apf_merge *m;
    assert_int_equal(try_merge(&m, from, n, flags, slice, NULL), APF_OK);
    return m;
}

/* Writes a merge of whole inputs as slices, or one of slices as its slice, and frees it. */
static void write_slices(struct apf_merge *m, struct apf_buffer *slices, uint32_t n)
{
    struct apf_output outputs[SLICES];
    for (uint32_t i = 0; i < n; i++) {
        slices[i] = (struct apf_buffer){NULL, 0, 0};
        outputs[i] = apf_output_buffer(&slices[i]);
    }
    assert_int_equal(apf_merge_write_slices(m, outputs, n, NULL), APF_OK);
    apf_merge_free(m);
}

static void make_slices(struct apf_buffer slices[SLICES], size_t first, size_t n)
{
    write_slices(merge(inputs + first, n, APF_MERGE_PARTIAL, whole), slices, SLICES);
}

static void free_slices(struct apf_buffer slices[SLICES])
{
    for (unsigned i = 0; i < SLICES; i++)
        apf_buffer_free(&slices[i]);
}

/* The inputs of a merge that gets all slices. */
static void name_slices(struct apf_input to[SLICES], const struct apf_buffer slices[SLICES])
{
    for (unsigned i = 0; i < SLICES; i++)
        to[i] = apf_input_memory(slices[i].data, slices[i].n, "slice");
}

/* Merges the slices of the inputs' groups. */
static void merge_slices(struct apf_buffer to[SLICES])
{
    struct apf_buffer groups[GROUPS][SLICES];
    for (unsigned g = 0; g < GROUPS; g++)
        make_slices(groups[g], g * MANY / GROUPS, MANY / GROUPS);
    for (unsigned i = 0; i < SLICES; i++) {
        struct apf_input same[GROUPS];
        for (unsigned g = 0; g < GROUPS; g++)
            same[g] = apf_input_memory(groups[g][i].data, groups[g][i].n, "slice");
        struct apf_merge *m = merge(same, GROUPS, APF_MERGE_PARTIAL, (struct apf_slice){i, SLICES});
        assert_int_equal(m->sources.list.n, GROUPS); /* nothing of the sums is held */
        write_slices(m, &to[i], 1);
    }
    for (unsigned g = 0; g < GROUPS; g++)
        free_slices(groups[g]);
}

static struct apf_buffer text_of(struct apf_merge *m)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&text);
    const struct apf_write_options options = {.size = sizeof options, .format = APF_FORMAT_TEXT};
    assert_int_equal(apf_merge_write(m, &options, &output, NULL), APF_OK);
    return text;
}

static struct apf_buffer report_of(struct apf_merge *m)
{
    struct apf_buffer report = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&report);
    assert_int_equal(apf_merge_write_report(m, &any_loss, &output, NULL), APF_OK);
    return report;
}

static void check_same(struct apf_buffer a, struct apf_buffer b)
{
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.data, b.data, a.n);
    apf_buffer_free(&a);
    apf_buffer_free(&b);
}

static void test_same(void **state)
{
    const uint32_t flags = APF_MERGE_PARTIAL | APF_MERGE_FIND_LOSSES;
    struct apf_buffer slices[SLICES], parts[2];
    struct apf_input from[SLICES];
    (void)state;
    make_texts();
    merge_slices(slices);
    name_slices(from, slices);
    struct apf_merge *one = merge(inputs, MANY, flags, whole), *sliced = merge(from, SLICES, flags, whole);
    check_same(text_of(one), text_of(sliced));
    check_same(report_of(one), report_of(sliced));
    write_slices(one, &parts[0], 1);
    write_slices(sliced, &parts[1], 1);
    check_same(parts[0], parts[1]);
    free_slices(slices);
}

/* Slices between other inputs, which are numbered as if the slices were one. */
static void test_between(void **state)
{
    struct apf_buffer slices[SLICES], parts[2];
    struct apf_input from[SLICES + 2];
    (void)state;
    make_texts();
    make_slices(slices, 1, MANY - 2);
    from[0] = inputs[0];
    name_slices(from + 1, slices);
    from[SLICES + 1] = inputs[MANY - 1];
    write_slices(merge(inputs, MANY, APF_MERGE_PARTIAL, whole), &parts[0], 1);
    write_slices(merge(from, SLICES + 2, APF_MERGE_PARTIAL, whole), &parts[1], 1);
    check_same(parts[0], parts[1]);
    free_slices(slices);
}

/* ---- errors ---- */

static void check_error(const struct apf_input *from, size_t n, struct apf_slice slice, int code,
                        const char *message)
{
    struct apf_error error;
    struct apf_merge *m;
    assert_int_equal(try_merge(&m, from, n, APF_MERGE_PARTIAL, slice, &error), code);
    assert_string_equal(error.message, message);
    apf_merge_free(m);
}

static void test_order(void **state)
{
    struct apf_buffer slices[SLICES], others[SLICES];
    struct apf_input from[SLICES];
    const struct apf_slice second = {2, SLICES};
    (void)state;
    make_texts();
    make_slices(slices, 0, 3);
    make_slices(others, 0, 4);
    name_slices(from, slices);
    check_error(from, SLICES - 1, whole, APF_ARGUMENT,
                "invalid argument: slice 4 of 5 of a partial profile is missing: they are an input together");
    check_error(from + 1, SLICES - 1, whole, APF_ARGUMENT,
                "invalid argument: it is slice 1 of 5 of a partial profile, and those before it are missing");
    check_error(from, SLICES, second, APF_UNSUPPORTED, "not supported: it is not slice 2 of 5");
    check_error(inputs, 1, second, APF_UNSUPPORTED, "not supported: it is no slice of a partial profile");
    from[2] = apf_input_memory(others[2].data, others[2].n, "slice"); /* of other inputs */
    check_error(from, SLICES, whole, APF_ARGUMENT,
                "invalid argument: slice 2 of 5 of a partial profile is missing: they are an input together");
    from[2] = inputs[0];
    check_error(from, SLICES, whole, APF_ARGUMENT,
                "invalid argument: slice 2 of 5 of a partial profile is missing: they are an input together");
    free_slices(slices);
    free_slices(others);
}

/* A slice that is damaged is never taken for a bad input that may be lost. */
static void test_damage(void **state)
{
    struct apf_buffer slices[SLICES];
    struct apf_input from[SLICES];
    struct apf_merge *m;
    struct apf_error error;
    (void)state;
    make_texts();
    make_slices(slices, 0, 3);
    name_slices(from, slices);
    for (unsigned i = 0; i < SLICES; i++) {
        uint8_t *bytes = (uint8_t *)slices[i].data;
        for (size_t at = 0; at < slices[i].n; at++) {
            bytes[at] ^= 16;
            assert_int_not_equal(try_merge(&m, from, SLICES, 0, whole, &error), APF_OK);
            assert_true(*error.message);
            apf_merge_free(m);
            bytes[at] ^= 16;
        }
    }
    free_slices(slices);
}

static void test_arguments(void **state)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    const struct apf_slice wrong[] = {{1, 1}, {1, 0}, {5, 5}, {0, APF_MOST_SLICES + 1}}, right = {1, 2};
    struct apf_merge *m;
    (void)state;
    make_texts();
    for (unsigned i = 0; i < COUNT(wrong); i++)
        assert_int_equal(try_merge(&m, inputs, 1, APF_MERGE_PARTIAL, wrong[i], NULL), APF_ARGUMENT);
    assert_int_equal(try_merge(&m, inputs, 1, 0, right, NULL), APF_ARGUMENT); /* it would write a profile */
    m = merge(inputs, 0, APF_MERGE_PARTIAL, right);
    assert_int_equal(apf_merge_write_slices(m, &output, 2, NULL), APF_ARGUMENT);
    assert_int_equal(apf_merge_write_slices(m, &output, 0, NULL), APF_ARGUMENT);
    apf_merge_free(m);
    assert_int_equal(buffer.n, 0);
}

/* ---- memory ---- */

static struct apf_input made[SLICES];

static int join(const char *path, struct apf_error *error)
{
    struct apf_merge *m = NULL;
    const struct apf_output output = apf_output_file(path);
    int code = try_merge(&m, made, SLICES, APF_MERGE_PARTIAL, whole, error);
    if (code == APF_OK)
        code = apf_merge_write_partial(m, &output, error);
    apf_merge_free(m);
    return code;
}

static int drop(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return 0;
}

static int split(const char *path, struct apf_error *error)
{
    struct apf_merge *m = NULL;
    const struct apf_output outputs[] = {apf_output_callback(drop, NULL), apf_output_file(path)};
    int code = try_merge(&m, inputs, 3, APF_MERGE_PARTIAL, whole, error);
    if (code == APF_OK)
        code = apf_merge_write_slices(m, outputs, 2, error);
    apf_merge_free(m);
    return code;
}

static void test_memory(void **state)
{
    struct apf_buffer slices[SLICES];
    (void)state;
    make_texts();
    make_slices(slices, 0, 3);
    name_slices(made, slices);
    assert_true(fault_each(join, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
    assert_true(fault_each(split, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
    free_slices(slices);
}

TEST_FILE(merge_slices)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same),      cmocka_unit_test(test_between),
                                       cmocka_unit_test(test_order),     cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_arguments), TEST_WITH_DIR(test_memory)};
    return RUN_TESTS(tests);
}
