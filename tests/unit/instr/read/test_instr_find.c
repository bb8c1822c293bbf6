/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding records by name and hash, also among many of one name: none of that may be quadratic. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/unit.h"

#define MANY 200000u

static struct apf_str text_of(const char *s)
{
    struct apf_str str = {s, strlen(s)};
    return str;
}

static struct apf_instr *open_text(const char *text, size_t n)
{
    struct apf_input input = apf_input_memory(text, n, NULL);
    struct apf_instr *instr = NULL;
    struct apf_error error;
    assert_int_equal(apf_instr_open(&instr, &input, NULL, &error), APF_OK);
    return instr;
}

static void test_first_of_equals(void **state)
{
    static const char text[] = "f\n1\n1\n10\ng\n7\n1\n20\nf\n1\n1\n30\nf\n2\n1\n40\n";
    struct apf_instr *instr = open_text(text, sizeof text - 1);
    struct apf_record r = {.size = sizeof r};
    struct apf_error error;
    (void)state;
    assert_int_equal(apf_instr_find(instr, text_of("f"), 1, &r, &error), APF_OK);
    assert_int_equal(r.counts[0], 10);
    assert_int_equal(apf_instr_find(instr, text_of("f"), 2, &r, &error), APF_OK);
    assert_int_equal(r.counts[0], 40);
    assert_int_equal(apf_instr_find(instr, text_of("g"), 1, &r, &error), APF_HASH_MISMATCH);
    assert_int_equal(apf_instr_find(instr, text_of("h"), 7, &r, &error), APF_UNKNOWN_FUNCTION);
    assert_int_equal(error.code, APF_UNKNOWN_FUNCTION);
    assert_int_equal(r.counts[0], 40); /* a failure leaves the record as it was */
    apf_instr_close(instr);
}

/* Half of the pairs stand there twice. */
static void test_many_of_one_name(void **state)
{
    char *text = malloc((size_t)MANY * 32);
    size_t n = 0;
    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < MANY; i++)
        n += (size_t)sprintf(text + n, "f\n%" PRIu32 "\n1\n%" PRIu32 "\n", i % (MANY / 2), i);
    struct apf_instr *instr = open_text(text, n);
    struct apf_record r = {.size = sizeof r};
    for (uint32_t i = 0; i < MANY / 2; i++) {
        assert_int_equal(apf_instr_find(instr, text_of("f"), i, &r, NULL), APF_OK);
        assert_int_equal(r.counts[0], i);
    }
    assert_int_equal(apf_instr_find(instr, text_of("f"), MANY, &r, NULL), APF_HASH_MISMATCH);
    apf_instr_close(instr);
    free(text);
}

/* Returns NULL if all answers are right. */
static void *ask(void *user)
{
    const struct apf_instr *instr = user;
    struct apf_record r = {.size = sizeof r};
    const struct apf_summary *all = NULL, *again = NULL;
    for (uint64_t i = 0; i < MANY; i++)
        if (apf_instr_find(instr, text_of("f"), i, &r, NULL) != APF_OK || r.counts[0] != i)
            return user;
    if (apf_instr_summary(instr, APF_SUMMARY_ALL, &all, NULL) != APF_OK ||
        apf_instr_summary(instr, APF_SUMMARY_ALL, &again, NULL) != APF_OK)
        return user;
    return all == again && all->n_functions == MANY ? NULL : user;
}

/* The first questions make the index and the summary; here several threads ask them at once. */
static void test_threads(void **state)
{
    enum { THREADS = 4 };
    char *text = malloc((size_t)MANY * 32);
    pthread_t threads[THREADS];
    size_t n = 0;
    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < MANY; i++)
        n += (size_t)sprintf(text + n, "f\n%" PRIu32 "\n1\n%" PRIu32 "\n", i, i);
    struct apf_instr *instr = open_text(text, n);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, instr), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    apf_instr_close(instr);
    free(text);
}

TEST_FILE(instr_find)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_of_equals),
                                       cmocka_unit_test(test_many_of_one_name),
                                       cmocka_unit_test(test_threads)};
    return RUN_TESTS(tests);
}
