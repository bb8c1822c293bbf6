/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that runs out anywhere while a report is made or written is an error, leaks nothing and writes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/report.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

static const struct pb_function functions[] = {
    {"main", 1, 2, 0, 0}, {"stale", 2, 1, 0, 0}, {"no", 3, 1, 0, 0}};
static const struct pb_program program = {.version = 9,
                                          .bytes = 8,
                                          .functions = functions,
                                          .n_functions = COUNT(functions),
                                          .version_word = 9 | RB_IR};
static const char counts[] = ":ir\nmain\n1\n2\n3\n4\n\nstale\n22\n1\n50\n\nalien\n5\n1\n7\n\n";
static const char memory[] =
    "---\nHeapProfileRecords:\n  - GUID: 0x1\n    AllocSites:\n      - Callstack:\n"
    "          - { Function: 0x11, LineOffset: 1, Column: 1, IsInlineFrame: false }\n"
    "        MemInfoBlock:\n          AllocCount: 1\n          TotalSize: 9\n    CallSites: []\n";
static const char fdata[] = "no_lbr cycles\n1 main 10 70\n";
static const char branches[] = "1 main 10 1 main 20 3 70\n1 main 30 1 work 0 1 50\n";
static const char yaml[] =
    "---\nheader:\n  profile-version: 1\n  binary-name: p\n  binary-build-id: '<unknown>'\n"
    "  profile-flags: [ lbr ]\n  profile-origin: made\n  profile-events: ''\n  dfs-order: false\n"
    "  hash-func: xxh3\nfunctions:\n  - name: main\n    fid: 1\n    hash: 0x11\n    exec: 5\n    nblocks: 1\n"
    "    blocks:\n      - bid: 0\n        insns: 2\n        hash: 0x1\n        exec: 5\n"
    "        calls: [ { off: 0x4, fid: 1, cnt: 50, mis: 2 } ]\n";

static struct eb_bytes elf; /* no memory of it is made to fail */

static int make(const char *path, const char *text, const char *base, bool with_program,
                struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(text, strlen(text), "profile"),
                           other = apf_input_memory(base, base ? strlen(base) : 0, "base"),
                           binary = apf_input_memory(elf.data, elf.n, "program");
    const struct apf_report_options options = {.size = sizeof options,
                                               .profiles = &input,
                                               .n_profiles = 1,
                                               .base = &other,
                                               .n_base = base != NULL,
                                               .programs = &binary,
                                               .n_programs = with_program};
    const struct apf_output output = apf_output_file(path);
    struct apf_report *r;
    int code = apf_report_new(&r, &options, error);
    if (code == APF_OK)
        code = apf_report_write_html(r, &output, error);
    apf_report_free(r);
    return code;
}

static int make_counts(const char *path, struct apf_error *error)
{
    return make(path, counts, NULL, true, error);
}

static int make_memory(const char *path, struct apf_error *error)
{
    return make(path, memory, memory, false, error);
}

static int make_samples(const char *path, struct apf_error *error)
{
    return make(path, fdata, NULL, false, error);
}

static int make_bolt(const char *path, struct apf_error *error)
{
    return make(path, branches, yaml, false, error);
}

static void test_faults(void **state)
{
    static fault_attempt *const attempts[] = {make_counts, make_memory, make_samples, make_bolt};
    (void)state;
    elf = pb_build(&program);
    for (size_t i = 0; i < COUNT(attempts); i++) {
        assert_true(fault_each(attempts[i], FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
        assert_true(fault_each(attempts[i], FAULT_ARENA, ENOMEM, APF_NO_MEMORY) > 3);
        assert_true(fault_each(attempts[i], FAULT_WRITE, ENOSPC, APF_IO) >= 1);
    }
    free(elf.data);
}

TEST_FILE(report_faults)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
