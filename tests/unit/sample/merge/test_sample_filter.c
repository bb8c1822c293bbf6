/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sample/model/sample_share.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/sample_notes.h"
#include "helpers/shared/unit.h"

/* ---- by name ---- */

/* A filter that keeps keys with a part, and records all keys. */
struct keys {
    const char *part;
    int failing; /* its result for the key with this number, from 1, is -1 */
    int asked;
    char text[400];
};

static int wants(void *user, struct apf_str name)
{
    struct keys *keys = (struct keys *)user;
    struct apf_str part = {keys->part, strlen(keys->part)};
    size_t n = strlen(keys->text);
    snprintf(keys->text + n, sizeof keys->text - n, "%.*s|", (int)name.n, name.p);
    return ++keys->asked == keys->failing ? -1 : text_contains(name.p, name.n, part);
}

static void test_filter(void **state)
{
    struct apf_sample *s = sample_from_notes("[a:1 @ b:2.3 @ c]:9:1\n 1: 1\n 2: in:1\n  1: 1\n"
                                             "[b]:8:1\n 1: in:1\n[42:7 @ c]:7:1\n");
    struct keys keys = {.part = "b"};
    uint64_t left_out;
    (void)state;
    assert_int_equal(sample_filter(s, wants, &keys, &left_out, NULL), APF_OK);
    assert_string_equal(keys.text, "a:1 @ b:2.3 @ c|b|42:7 @ c|");
    assert_int_equal(left_out, 1);
    EXPECT_NOTES(s, "[a:1 @ b:2.3 @ c]:9:1\n 1: 1\n 2: in:1\n  1: 1\n[b]:8:1\n 1: in:1\n");
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    assert_int_equal(s->info.n_functions, 2);
    keys.part = "none";
    assert_int_equal(sample_filter(s, wants, &keys, &left_out, NULL), APF_OK);
    assert_int_equal(left_out, 2);
    EXPECT_NOTES(s, "");
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    assert_int_equal(s->info.n_inlined + s->info.n_lines, 0);
    sample_free(s);
}

static void test_filter_fails(void **state)
{
    struct apf_sample *s = sample_from_notes("a:2:1\nb:1:1\n");
    struct keys keys = {.part = "", .failing = 2};
    struct apf_error error;
    uint64_t left_out;
    (void)state;
    assert_int_equal(sample_filter(s, wants, &keys, &left_out, &error), APF_NO_MEMORY);
    assert_int_equal(error.code, APF_NO_MEMORY);
    sample_free(s);
}

/* ---- by size ---- */

/* Bytes that are always there, and bytes of each function. */
struct sizes {
    uint64_t base, each;
    char numbers[200]; /* of functions that were measured */
};

static int size_of(void *context, const struct apf_sample *s, uint64_t *size, struct apf_error *error)
{
    struct sizes *sizes = (struct sizes *)context;
    size_t n = strlen(sizes->numbers);
    (void)error;
    snprintf(sizes->numbers + n, sizeof sizes->numbers - n, "%zu ", s->top.n);
    *size = sizes->base + s->top.n * sizes->each;
    return APF_OK;
}

static struct apf_sample *many(unsigned n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "f%03u:%u:1\n 1: g:1\n", i, i % 100);
    fclose(out);
    struct apf_sample *s = sample_from_notes(text);
    free(text);
    return s;
}

static void test_limit(void **state)
{
    static const struct {
        uint64_t base, each, limit;
        const char *numbers; /* round(n * (limit / size)^2), at least one less each time */
        size_t left;
    } rows[] = {
        {0, 10, 2000, "200 ", 200},
        {0, 10, 1999, "200 199 ", 199},
        {0, 10, 1500, "200 113 ", 113},
        {851, 176, 24000, "200 89 ", 89}, /* 36051: 200 * (24000 / 36051)^2 = 88.6 */
        {100, 10, 115, "200 1 ", 1},      /* LLVM keeps none, which is too few */
        {1000, 10, 1100, "200 27 20 17 15 14 13 12 11 10 ", 10},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample *s = many(200);
        struct sizes sizes = {rows[i].base, rows[i].each, ""};
        uint64_t left_out;
        assert_int_equal(sample_limit(s, rows[i].limit, size_of, &sizes, &left_out, NULL), APF_OK);
        assert_string_equal(sizes.numbers, rows[i].numbers);
        assert_int_equal(s->top.n, rows[i].left);
        assert_int_equal(left_out, 200 - rows[i].left);
        /* Those with most samples stay; among equals those with the first names. */
        for (size_t k = 0; k < s->top.n; k++) {
            const struct sample_node *f = &s->nodes.data[s->top.data[k]];
            const char *digits = s->names.list.data[f->name].p + 1;
            unsigned number = (unsigned)atoi(digits), place = (99 - number % 100) * 2 + number / 100;
            assert_true(place < s->top.n);
        }
        assert_int_equal(sample_complete(s, NULL), APF_OK);
        assert_int_equal(s->info.n_inlined, s->top.n);
        sample_free(s);
    }
}

static void test_nothing_left(void **state)
{
    struct apf_sample *s = many(2);
    struct sizes sizes = {60, 5, ""};
    struct apf_error error;
    uint64_t left_out;
    (void)state;
    assert_int_equal(sample_limit(s, 60, size_of, &sizes, &left_out, &error), APF_SAMPLE_TOO_LARGE);
    assert_string_equal(
        error.message,
        "Too much profile data: the limit is 60 bytes, and the output needs 65 with a single function");
    assert_string_equal(sizes.numbers, "2 1 ");
    assert_int_equal(left_out, 2);
    sample_free(s);
    /* A profile without functions that is too large already. */
    s = sample_from_notes("");
    assert_int_equal(sample_limit(s, 1, size_of, &sizes, &left_out, &error), APF_SAMPLE_TOO_LARGE);
    assert_int_equal(sample_limit(s, 60, size_of, &sizes, &left_out, &error), APF_OK);
    sample_free(s);
}

static int no_size(void *context, const struct apf_sample *s, uint64_t *size, struct apf_error *error)
{
    (void)context;
    (void)s;
    (void)size;
    return error_plain(error, APF_SAMPLE_UNWRITABLE, "here", NULL);
}

static void test_faults(void **state)
{
    struct apf_error error;
    uint64_t left_out;
    (void)state;
    struct apf_sample *s = many(3);
    assert_int_equal(sample_limit(s, 5, no_size, NULL, &left_out, &error), APF_SAMPLE_UNWRITABLE);
    sample_free(s);
    for (unsigned way = 0; way < 2; way++) {
        bool hit = true;
        for (uint64_t at = 1; hit; at++) {
            struct sizes sizes = {0, 10, ""};
            struct keys keys = {.part = "1"};
            s = many(3);
            fault_fail(FAULT_MEMORY, at, 12);
            int code = way ? sample_limit(s, 15, size_of, &sizes, &left_out, &error)
                           : sample_filter(s, wants, &keys, &left_out, &error);
            hit = fault_hit();
            fault_reset();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
            assert_true(hit || s->top.n == 1);
            sample_free(s);
        }
    }
}

TEST_FILE(sample_filter)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter), cmocka_unit_test(test_filter_fails),
        cmocka_unit_test(test_limit),  cmocka_unit_test(test_nothing_left),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}
