/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options about files with debug information. What is read of them is tested by tests/oracle/debug_files.py. */
#include <anyprof/profgen.h>

#include "helpers/shared/unit.h"

static void test_directories(void **state)
{
    static const char *const directories[] = {"a", NULL};
    struct apf_profgen_options options = {.size = sizeof options, .n_debug_directories = 1};
    struct apf_input input = apf_input_file("absent");
    struct apf_profgen *profgen;
    struct apf_error error;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(apf_profgen_open(&profgen, &input, &options, &error), APF_ARGUMENT);
        assert_string_equal(error.where, "apf_profgen_options.debug_directories");
        assert_null(profgen);
        options.debug_directories = directories;
        options.n_debug_directories = 2;
    }
    options.n_debug_directories = 1;
    assert_int_equal(apf_profgen_open(&profgen, &input, &options, &error), APF_IO);
}

TEST_FILE(profgen_debug)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directories)};
    return RUN_TESTS(tests);
}
