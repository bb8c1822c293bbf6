/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files a report accepts. */
#include <string.h>

#include <anyprof/report.h>

#include "helpers/shared/unit.h"

static const char text[] = ":ir\nmain\n1\n1\n5\n\n";

/* A file is read several times, so that standard input and devices are refused, wherever they stand. */
static void test_streams(void **state)
{
    (void)state;
    static const char *const where[] = {"apf_report_options.profiles", "apf_report_options.base",
                                        "apf_report_options.programs"};
    static const char *const paths[] = {"-", "/dev/null"};
    for (size_t i = 0; i < COUNT(paths) * COUNT(where); i++) {
        const struct apf_input inputs[] = {apf_input_memory(text, sizeof text - 1, "text"),
                                           apf_input_file(paths[i / COUNT(where)])};
        const size_t n_of[] = {i % 3 == 0 ? 2 : 1, i % 3 == 1, i % 3 == 2};
        const struct apf_report_options options = {.size = sizeof options,
                                                   .profiles = inputs,
                                                   .n_profiles = n_of[0],
                                                   .base = inputs + 1,
                                                   .n_base = n_of[1],
                                                   .programs = inputs + 1,
                                                   .n_programs = n_of[2]};
        struct apf_report *r;
        struct apf_error error = {.message = ""};
        assert_int_equal(apf_report_new(&r, &options, &error), APF_ARGUMENT);
        assert_null(r);
        assert_string_equal(error.where, where[i % COUNT(where)]);
    }
}

TEST_FILE(report_open)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams)};
    return RUN_TESTS(tests);
}
