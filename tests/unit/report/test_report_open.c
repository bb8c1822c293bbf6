/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files a report accepts. */
#include <stdio.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "report/report_model.h"

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
        struct apf_merge *merge;
        assert_int_equal(apf_merge_new(&merge, NULL, NULL), APF_OK);
        error = (struct apf_error){.message = ""};
        assert_int_equal(apf_report_of_merge(&r, merge, &options, &error), APF_ARGUMENT);
        assert_null(r);
        assert_string_equal(error.where, where[i % COUNT(where)]);
        apf_merge_free(merge);
    }
}

#define MANY (REPORT_FILES + 2)
static const char fdata[] = "1 f 0 1 f 8 0 3\n", samples[] = "T 10 20 30 5\n", spoilt[] = "1 f\n",
                  yaml[] = "---\nheader:\n  profile-version: 1\nfunctions:\n",
                  function[] = "main:100:1\n 1: 60\n", elf[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0";
#define FILE_OF(text) apf_input_memory(text, sizeof text - 1, #text)

/* The file that is another kind than the first one is named, and so is that one, however many there are. */
static void check_kinds(struct apf_input *inputs, size_t n, size_t n_base, const char *where,
                        const char *message)
{
    const struct apf_report_options options = {.size = sizeof options,
                                               .profiles = inputs,
                                               .n_profiles = n,
                                               .base = n_base ? inputs + n : NULL,
                                               .n_base = n_base};
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    const int code = apf_report_new(&r, &options, &error);
    if (code != APF_ARGUMENT || strcmp(error.where, where) != 0 || strcmp(error.message, message) != 0)
        fail_msg("%d, %s: %s", code, error.where, error.message);
    assert_null(r);
}

static void test_kinds(void **state)
{
    (void)state;
    struct apf_input inputs[MANY];
    for (size_t i = 0; i + 1 < MANY; i++)
        inputs[i] = FILE_OF(fdata);
    static const char kinds[] = "apf_report_options.profiles.kinds";
    const struct {
        struct apf_input input;
        const char *is, *where;
    } rows[] = {{FILE_OF(yaml), "a YAML profile of BOLT", kinds},
                {FILE_OF(samples), "a file of pre-aggregated samples for BOLT", kinds},
                {FILE_OF(text), "an instrumentation profile", kinds},
                {FILE_OF(function), "a sample profile", kinds},
                {FILE_OF(elf), "a program", "apf_report_options.programs"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char message[240];
        snprintf(message, sizeof message,
                 "invalid argument: this is %s, but fdata is an fdata profile of BOLT: such profiles cannot "
                 "be merged",
                 rows[i].is);
        inputs[1] = rows[i].input;
        check_kinds(inputs, 2, 0, rows[i].where, message);
        inputs[1] = FILE_OF(fdata);
        inputs[MANY - 1] = rows[i].input;
        check_kinds(inputs, MANY, 0, rows[i].where, message);
    }
    inputs[MANY - 1] = FILE_OF(text);
    check_kinds(
        inputs + MANY - 3, 1, 2, "apf_report_options.base.kinds",
        "invalid argument: this is an instrumentation profile, but fdata is an fdata profile of BOLT: such "
        "profiles cannot be merged");
    check_kinds(
        inputs + MANY - 2, 1, 1, "apf_report_options.base",
        "invalid argument: this is an instrumentation profile, but fdata is an fdata profile of BOLT: such "
        "profiles cannot be compared");
}

/* Of what a damaged or empty file is, the others say nothing less. */
static void test_damaged_first(void **state)
{
    (void)state;
    const struct apf_input inputs[] = {FILE_OF(spoilt), apf_input_memory("", 0, "empty"), FILE_OF(fdata)};
    const struct apf_report_options options = {
        .size = sizeof options, .profiles = inputs, .n_profiles = 3, .base = inputs, .n_base = 3};
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    if (apf_report_new(&r, &options, &error) != APF_OK)
        fail_msg("%s: %s", error.where, error.message);
    assert_int_equal(r->family, REPORT_BOLT);
    assert_int_equal(apf_report_losses(r), 2);
    assert_int_equal(r->total, 3);
    apf_report_free(r);
}

TEST_FILE(report_open)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_streams), cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_damaged_first)};
    return RUN_TESTS(tests);
}
