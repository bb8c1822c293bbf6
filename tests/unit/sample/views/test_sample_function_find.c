/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=anyprof_md5_name_ref */
/* The cost of hashes of names, and of finding functions by them: each name is hashed once, however often functions are
 * read and looked up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_functions.h>

#include "helpers/shared/sample_random.h"

#define N_FUNCTIONS 1000u

static uint64_t n_hashed;

uint64_t __real_anyprof_md5_name_ref(const void *name, size_t n);
uint64_t __wrap_anyprof_md5_name_ref(const void *name, size_t n);

uint64_t __wrap_anyprof_md5_name_ref(const void *name, size_t n)
{
    n_hashed++;
    return __real_anyprof_md5_name_ref(name, n);
}

/* A profile whose functions f0, f1, ... have descending totals, so that this is their order. The caller closes it. */
static struct apf_sample *make_profile(void)
{
    size_t n = 0, room = (size_t)N_FUNCTIONS * 32;
    char *text = (char *)malloc(room);
    assert_non_null(text);
    for (unsigned i = 0; i < N_FUNCTIONS; i++)
        n += (size_t)snprintf(text + n, room - n, "f%u:%u:1\n 1: 1\n", i, 2 * N_FUNCTIONS - i);
    struct apf_sample *s = sample_of_text(text);
    free(text);
    return s;
}

static void test_cost(void **state)
{
    struct apf_sample *s = make_profile();
    struct apf_sample_functions *functions;
    (void)state;
    n_hashed = 0;
    assert_int_equal(apf_sample_functions_new(&functions, s, NULL), APF_OK);
    assert_true(n_hashed <= N_FUNCTIONS);
    for (unsigned i = 0; i < N_FUNCTIONS; i++) {
        char text[16];
        int n = snprintf(text, sizeof text, "f%u", i);
        struct apf_sample_function f = {.size = sizeof f};
        struct apf_sample_name name = {{NULL, 0}, __real_anyprof_md5_name_ref(text, (size_t)n)};
        assert_int_equal(apf_sample_function(functions, i, &f, NULL), APF_OK);
        assert_true(f.name.hash == name.hash);
        assert_int_equal(apf_sample_function_find(functions, name, 0), i);
        assert_true(apf_sample_function_find(functions, name, 1) == UINT64_MAX);
        name.hash++;
        assert_true(apf_sample_function_find(functions, name, 0) == UINT64_MAX);
    }
    assert_true(n_hashed > 0 && n_hashed <= N_FUNCTIONS);
    apf_sample_functions_free(functions);
    apf_sample_close(s);
}

TEST_FILE(sample_function_find)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cost)};
    return RUN_TESTS(tests);
}
