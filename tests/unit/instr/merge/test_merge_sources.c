/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles that wait in their files until a partial profile is written: more of them than are kept so, a file
 * that changes meanwhile, a profile that is asked for nevertheless. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "instr/merge/merge.h"

#define MANY (INPUTS_MOST_SOURCES + 44u)

static char texts[MANY][160];
static struct apf_input inputs[MANY], parts[MANY];

/* Text i: a function that each input has, one of ten, and one that is an indirect call's target. */
static void make_texts(void)
{
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], ":ir\nall\n1\n1\n%u\n1\n0\n1\n1\nf%u:%u\n\nf%u\n%u\n2\n%u\n7\n\n",
                 i + 1, i % 9, i + 1, i % 10, i % 3, i);
        inputs[i] = apf_input_memory(texts[i], strlen(texts[i]), "text");
    }
}

static struct apf_merge *merge(const struct apf_input *from, size_t n, uint32_t flags)
{
    const struct apf_options common = {.size = sizeof common, .threads = 2};
    const struct apf_merge_options options = {
        .size = sizeof options, .options = &common, .flags = flags, .tolerance = &any_loss};
    struct apf_merge *m;
    assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, from, n, NULL), APF_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(apf_merge_input(m, i)->code, APF_OK);
    return m;
}

static struct apf_buffer part_of(struct apf_merge *m)
{
    struct apf_buffer part = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&part);
    assert_int_equal(apf_merge_write_partial(m, &output, NULL), APF_OK);
    return part;
}

static struct apf_buffer text_of(struct apf_merge *m)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&text);
    const struct apf_write_options options = {.size = sizeof options, .format = APF_FORMAT_TEXT};
    assert_int_equal(apf_merge_write(m, &options, &output, NULL), APF_OK);
    return text;
}

static void check_same(struct apf_buffer *a, struct apf_buffer *b)
{
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->data, b->data, a->n);
    apf_buffer_free(a);
    apf_buffer_free(b);
}

/* Makes a file of each input. */
static void make_parts(unsigned n)
{
    static char paths[MANY][sizeof temp_dir + 16];
    for (unsigned i = 0; i < n; i++) {
        struct apf_merge *m = merge(&inputs[i], 1, APF_MERGE_PARTIAL);
        struct apf_buffer part = part_of(m);
        snprintf(paths[i], sizeof paths[i], "%s/%u.part", temp_dir, i);
        file_make(paths[i], part.data, part.n);
        parts[i] = apf_input_file(paths[i]);
        apf_buffer_free(&part);
        apf_merge_free(m);
    }
}

static void test_many(void **state)
{
    (void)state;
    make_texts();
    make_parts(MANY);
    struct apf_merge *all = merge(inputs, MANY, APF_MERGE_PARTIAL),
                     *m = merge(parts, MANY, APF_MERGE_PARTIAL);
    assert_int_equal(m->sources.list.n, INPUTS_MOST_SOURCES);
    struct apf_buffer expected = part_of(all), got = part_of(m);
    check_same(&expected, &got);
    /* In the memory of one merge, and in files. */
    assert_int_equal(apf_merge_add(m, inputs, 3, NULL), APF_OK);
    assert_int_equal(apf_merge_add(all, inputs, 3, NULL), APF_OK);
    expected = part_of(all);
    got = part_of(m);
    check_same(&expected, &got);
    expected = text_of(all);
    got = text_of(m);
    check_same(&expected, &got);
    assert_int_equal(m->sources.list.n, 0);
    expected = part_of(all); /* once more, of what was loaded */
    got = part_of(m);
    check_same(&expected, &got);
    apf_merge_free(all);
    apf_merge_free(m);
}

static void test_changed(void **state)
{
    struct apf_buffer part = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&part);
    struct apf_error error;
    (void)state;
    make_texts();
    make_parts(2);
    struct apf_merge *m = merge(parts, 2, APF_MERGE_PARTIAL);
    assert_int_equal(m->sources.list.n, 2);
    file_make(parts[1].path, "other", 5);
    assert_int_equal(apf_merge_write_partial(m, &output, &error), APF_IO);
    assert_string_equal(error.message, "input/output error: it has changed since it was read");
    assert_string_equal(error.file, parts[1].path);
    remove(parts[1].path);
    assert_int_equal(apf_merge_write_partial(m, &output, &error), APF_IO);
    apf_merge_free(m);
    apf_buffer_free(&part);
}

/* With a report, all is in memory, as in a merge that writes a profile. */
static void test_report(void **state)
{
    (void)state;
    make_texts();
    make_parts(2);
    struct apf_merge *m = merge(parts, 2, APF_MERGE_PARTIAL | APF_MERGE_FIND_LOSSES);
    assert_int_equal(m->sources.list.n, 0);
    apf_merge_free(m);
}

/* Large files are read twice, also for a profile. */
static void test_large(void **state)
{
    struct apf_merge *m, *all;
    (void)state;
    make_texts();
    make_parts(20);
    assert_int_equal(apf_merge_new(&m, NULL, NULL), APF_OK);
    m->streamed_bytes = 100;
    assert_int_equal(apf_merge_add(m, parts, 20, NULL), APF_OK);
    assert_int_equal(m->sources.list.n, 0);
    all = merge(inputs, 20, 0);
    struct apf_buffer expected = text_of(all), got = text_of(m);
    check_same(&expected, &got);
    apf_merge_free(all);
    apf_merge_free(m);
}

TEST_FILE(merge_sources)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_many), TEST_WITH_DIR(test_changed),
                                       TEST_WITH_DIR(test_report), TEST_WITH_DIR(test_large)};
    return RUN_TESTS(tests);
}
