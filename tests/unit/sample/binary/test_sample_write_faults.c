/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing binary profiles while allocations, the disk or the caller's callback fail. */
#include <errno.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/sample_written.h"

#define CONTEXTS                                                                                             \
    "[a:1 @ b:2.3 @ c]:9:9\n 1: 9\n[a]:8:0\n 1: 8\n[a:1 @ b]:8:1\n 1: 4\n 2: z:4\n  1: 4\n"                  \
    "[b]:8:0\n 1: 8\n[a:1.1 @ b]:7:0\n 1: 7\n[zed:65535 @ a]:1:0\n 1: 1\n"
#define EVERYTHING                                                                                           \
    "f:9:1\n 1: 4 b:1 a:1\n 2: z:2\n  1: 2\n 2: g:5\n  1: 5\n  1: vtables B:1 A:1 \n  !CFGChecksum: 7\n"     \
    " !CFGChecksum: 9\n !Attributes: 2\n"

static struct apf_sample *subject;
static struct sample_binary_options options;

static int attempt(const char *path, struct apf_error *error)
{
    struct apf_output output = apf_output_file(path);
    return sample_write_output(&output, subject, &options, NULL, error);
}

static void test_memory(void **state)
{
    static const char *const texts[] = {EVERYTHING, CONTEXTS};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++)
        for (unsigned form = SAMPLE_FORM_BINARY; form <= SAMPLE_FORM_EXT_SPLIT; form++)
            for (unsigned compress = 0; compress < 2; compress++) {
                options =
                    (struct sample_binary_options){.form = (enum sample_form)form, .compress = compress};
                subject = sample_of_text(texts[i]);
                assert_in_range(fault_each(attempt, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY), 8, 60);
                assert_in_range(fault_each(attempt, FAULT_ARENA, ENOMEM, APF_NO_MEMORY), 9, 30);
                bool packs = compress && form >= SAMPLE_FORM_EXT;
                assert_int_equal(fault_each(attempt, FAULT_ZLIB, ENOMEM, APF_NO_MEMORY) > 3, packs);
                sample_free(subject);
            }
}

static void test_full_disk(void **state)
{
    (void)state;
    subject = sample_of_many(6000);
    for (unsigned form = SAMPLE_FORM_BINARY; form <= SAMPLE_FORM_EXT_SPLIT; form++) {
        options = (struct sample_binary_options){.form = (enum sample_form)form};
        assert_in_range(fault_each(attempt, FAULT_WRITE, ENOSPC, APF_IO), 3, 20);
    }
    sample_free(subject);
}

struct stop {
    size_t left;
};

static int stop_after(void *user, const void *p, size_t n)
{
    struct stop *stop = user;
    (void)p;
    if (n > stop->left)
        return ECANCELED;
    stop->left -= n;
    return 0;
}

static void test_callback(void **state)
{
    (void)state;
    subject = sample_of_many(6000);
    for (unsigned form = SAMPLE_FORM_BINARY; form <= SAMPLE_FORM_EXT_SPLIT; form++) {
        struct apf_error error;
        struct stop stop = {100000};
        struct apf_output output = apf_output_callback(stop_after, &stop);
        options = (struct sample_binary_options){.form = (enum sample_form)form};
        assert_int_equal(sample_write_output(&output, subject, &options, NULL, &error), APF_IO);
        assert_int_equal(error.sys_errno, ECANCELED);
    }
    sample_free(subject);
}

TEST_FILE(sample_write_faults)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_memory),
        TEST_WITH_DIR(test_full_disk),
        cmocka_unit_test(test_callback),
    };
    return RUN_TESTS(tests);
}
