/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that runs out anywhere while a report is made or written is an error, leaks nothing and writes nothing; so are
 * failed writes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/report.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/unit.h"

/* Enough functions that everything grows. */
static char now[8192], before[8192], samples[8192];
static bool of_samples, markdown;

static struct apf_str shorten(void *user, struct apf_str name)
{
    (void)user;
    return (struct apf_str){name.p, name.n > 4 ? 4 : name.n};
}

static int run(const char *path, struct apf_error *error)
{
    const struct apf_input profiles[] = {apf_input_memory(now, strlen(now), "now"),
                                         apf_input_memory(before, strlen(before), "before")};
    const struct apf_input sample[] = {apf_input_memory(samples, strlen(samples), "samples"),
                                       apf_input_memory(samples, strlen(samples), "again")};
    struct apf_options common = {.size = sizeof common, .threads = 1};
    const struct apf_report_options options = {.size = sizeof options,
                                               .options = &common,
                                               .profiles = of_samples ? sample : profiles,
                                               .n_profiles = 2,
                                               .base = of_samples ? sample : profiles + 1,
                                               .n_base = 1,
                                               .show_name = shorten};
    const struct apf_output output = apf_output_file(path);
    struct apf_report *report;
    int code = apf_report_new(&report, &options, error);
    if (code == APF_OK)
        code = markdown ? apf_report_write_markdown(report, &output, error)
                        : apf_report_write_html(report, &output, error);
    apf_report_free(report);
    return code;
}

static void make_texts(void)
{
    char *p = now, *q = before, *s = samples;
    p += sprintf(p, ":ir\n");
    q += sprintf(q, ":ir\n");
    for (unsigned i = 0; i < 60; i++) {
        p += sprintf(p, "function%u\n%u\n1\n%u\n1\n0\n1\n2\nfunction%u:%u\nother:1\n\n", i, i, i * i, i / 2,
                     i + 1);
        q += sprintf(q, "function%u\n%u\n1\n%u\n\n", i + 10, i + 10, i);
        s += sprintf(s, "function%u:%u:1\n 1: %u function%u:3\n 2: inlined%u:2\n  1: 2\n", i, i + 3, i + 1,
                     i / 2, i);
    }
}

static void test_faults(void **state)
{
    (void)state;
    make_texts();
    for (unsigned i = 0; i < 4; i++) {
        of_samples = i & 1;
        markdown = i >> 1;
        assert_true(fault_each(run, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) >= 30);
        assert_true(fault_each(run, FAULT_ARENA, ENOMEM, APF_NO_MEMORY) >= 30);
        assert_true(fault_each(run, FAULT_OPEN, EACCES, APF_IO) >= 1);
        assert_true(fault_each(run, FAULT_WRITE, ENOSPC, APF_IO) >= 1);
        assert_true(fault_each(run, FAULT_RENAME, EIO, APF_IO) >= 1);
        if (!markdown)
            assert_true(fault_each(run, FAULT_ZLIB, ENOMEM, APF_NO_MEMORY) >= 1);
    }
}

TEST_FILE(report_faults)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
