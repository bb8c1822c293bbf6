/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that runs out anywhere while fdata is read, made, sorted or written is an error, leaks nothing and writes
 * nothing. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/unit.h"

/* Enough records that everything grows. */
static char text[4096];

static int run(const char *path, struct apf_error *error)
{
    static const char header[] = "no_lbr cycles\n1 f a 1\n";
    const struct apf_input inputs[] = {apf_input_memory(header, sizeof header - 1, "header"),
                                       apf_input_memory(text, strlen(text), "text")};
    struct apf_output output = apf_output_file(path);
    struct apf_fdata_record record = {
        .size = sizeof record, .kind = APF_FDATA_SAMPLE, .from = {{"added", 5}, 7, 1, 0}, .count = 3};
    struct apf_fdata *f;
    int code = apf_fdata_new(&f, NULL, error);
    if (code == APF_OK)
        code = apf_fdata_read(f, inputs, 2, error);
    if (code == APF_OK)
        code = apf_fdata_add(f, &record, error);
    if (code == APF_OK)
        code = apf_fdata_write(f, &output, error);
    apf_fdata_free(f);
    return code;
}

static void test_faults(void **state)
{
    (void)state;
    char *p = text;
    p += sprintf(p, "no_lbr other\n");
    for (unsigned i = 0; i < 100; i++)
        p += sprintf(p, "1 name%u %x %u\n", i / 3, i, i + 1);
    assert_true(fault_each(run, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) >= 20);
    assert_true(fault_each(run, FAULT_ARENA, ENOMEM, APF_NO_MEMORY) >= 4);
    assert_true(fault_each(run, FAULT_OPEN, EACCES, APF_IO) >= 1);
    assert_true(fault_each(run, FAULT_WRITE, ENOSPC, APF_IO) >= 1);
    assert_true(fault_each(run, FAULT_RENAME, EIO, APF_IO) >= 1);
}

TEST_FILE(fdata_faults)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
