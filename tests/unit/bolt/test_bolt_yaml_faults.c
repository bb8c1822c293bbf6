/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that runs out anywhere while a profile in YAML is read, made, sorted or written is an error, leaks nothing
 * and writes nothing. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "helpers/shared/fault_each.h"
#include "helpers/shared/unit.h"

/* Enough records that everything grows. */
static char text[16384], other[16384];

static int run(const char *path, struct apf_error *error)
{
    const struct apf_input inputs[] = {
        apf_input_memory(text, strlen(text), "text"),
        {.size = sizeof(struct apf_input), .data = other, .n = strlen(other), .name = "other", .weight = 3}};
    static const struct apf_bolt_yaml_block blocks[] = {{.index = 1}, {.index = 0}};
    static const struct apf_bolt_yaml_function function = {.size = sizeof function,
                                                           .name = {"added", 5},
                                                           .fid = 7777,
                                                           .n_all_blocks = 2,
                                                           .n_blocks = 2,
                                                           .blocks = blocks};
    struct apf_output output = apf_output_file(path);
    struct apf_bolt_yaml_function view = {.size = sizeof view};
    struct apf_bolt_yaml *y;
    int code = apf_bolt_yaml_new(&y, NULL, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_read(y, inputs, 2, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_add(y, &function, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_sort(y, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_function(y, 0, &view, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_write(y, &output, error);
    apf_bolt_yaml_free(y);
    return code;
}

/* Functions with blocks, lists and probes; `more` makes the lists of others differ from them. */
static void write_profile(char *p, const char *event, unsigned more)
{
    p += sprintf(
        p,
        "---\nheader: { profile-version: 1, binary-name: %s, profile-flags: [ lbr ], profile-events: %s }\n"
        "functions:\n",
        event, event);
    for (unsigned i = 0; i < 40; i++)
        p += sprintf(
            p,
            "- { name: f%u, fid: %u, hash: 1, exec: 1, nblocks: 9, inline_tree: [ {} ], blocks: [ { bid: %u, "
            "insns: 0 }, { bid: 3, insns: 1, probes: [ {} ], succ: [ { bid: %u, cnt: 1 } ] } ] }\n",
            i, i + 1, 5 + more, more);
    sprintf(p, "pseudo_probe_desc: { gs: [ 1 ] }\n");
}

static void test_faults(void **state)
{
    (void)state;
    write_profile(text, "a", 0);
    write_profile(other, "b", 1);
    assert_true(fault_each(run, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) >= 20);
    assert_true(fault_each(run, FAULT_ARENA, ENOMEM, APF_NO_MEMORY) >= 20);
    assert_true(fault_each(run, FAULT_OPEN, EACCES, APF_IO) >= 1);
    assert_true(fault_each(run, FAULT_WRITE, ENOSPC, APF_IO) >= 1);
    assert_true(fault_each(run, FAULT_RENAME, EIO, APF_IO) >= 1);
}

TEST_FILE(bolt_yaml_faults)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_faults)};
    return RUN_TESTS(tests);
}
