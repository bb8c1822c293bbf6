/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that runs out anywhere while a report is made or written is an error, leaks nothing and writes nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/report.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/probe_build.h"
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

static const char samples[] = "main:10:1\n 1: 10\n !CFGChecksum: 17\ntop:20:1\n 1: 20\n !CFGChecksum: 35\n";

static struct eb_bytes instrumented, probes; /* no memory of them is made to fail */

/* A report of n times the same profile. */
static int make_of(const char *path, const char *text, size_t n, const char *base, const struct eb_bytes *elf,
                   struct apf_error *error)
{
    const struct apf_options common = {.size = sizeof common, .threads = 1};
    const struct apf_input input = apf_input_memory(text, text ? strlen(text) : 0, "profile"),
                           inputs[] = {input, input},
                           other = apf_input_memory(base, base ? strlen(base) : 0, "base"),
                           binary = apf_input_memory(elf ? elf->data : NULL, elf ? elf->n : 0, "program");
    const struct apf_report_options options = {.size = sizeof options,
                                               .options = &common,
                                               .profiles = inputs,
                                               .n_profiles = n,
                                               .base = &other,
                                               .n_base = base != NULL,
                                               .programs = &binary,
                                               .n_programs = elf != NULL};
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
    return make_of(path, counts, 1, NULL, &instrumented, error);
}

static int make_memory(const char *path, struct apf_error *error)
{
    return make_of(path, memory, 1, memory, &probes, error);
}

static int make_instructions(const char *path, struct apf_error *error)
{
    return make_of(path, fdata, 1, NULL, NULL, error);
}

static int make_bolt(const char *path, struct apf_error *error)
{
    return make_of(path, branches, 2, yaml, NULL, error);
}

static int make_merged(const char *path, struct apf_error *error)
{
    return make_of(path, counts, 2, NULL, &instrumented, error);
}

static int make_samples(const char *path, struct apf_error *error)
{
    return make_of(path, samples, 1, NULL, &probes, error);
}

static int make_probes(const char *path, struct apf_error *error)
{
    return make_of(path, NULL, 0, NULL, &probes, error);
}

static void test_faults(void **state)
{
    static fault_attempt *const attempts[] = {make_counts, make_memory,  make_instructions, make_bolt,
                                              make_merged, make_samples, make_probes};
    (void)state;
    instrumented = pb_build(&program);
    probes = probe_build_program();
    for (size_t i = 0; i < COUNT(attempts); i++) {
        assert_true(fault_each(attempts[i], FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 20);
        assert_true(fault_each(attempts[i], FAULT_ARENA, ENOMEM, APF_NO_MEMORY) > 3);
        assert_true(fault_each(attempts[i], FAULT_WRITE, ENOSPC, APF_IO) >= 1);
    }
    free(instrumented.data);
    free(probes.data);
}

TEST_FILE(report_faults)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
