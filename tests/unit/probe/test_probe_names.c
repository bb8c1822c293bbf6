/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that match a name. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"

static const char *const names[] = {
    "leaf",
    "_ZL3midi.__uniq.33",
    "_ZL4twini.__uniq.1",
    "_ZL4twini.__uniq.2",
    "_Z4leafi",
    "part.llvm.7",
    "_ZN5space3midEv",
    "_Z10middlemostv",
    "_Z3",
    "_Z99999999999999999999mid",
    "_ZL4mid5.later",
    "_Z4afteri.__uniq.late",
};

/* A descriptor section with those names, two descriptors each. */
static struct apf_probes *open_names(void)
{
    uint8_t bytes[2048];
    size_t n = 0;
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const char *name = names[i / 2];
        eb_store(bytes + n, apf_probe_guid((struct apf_str){name, strlen(name)}), 8, false);
        eb_store(bytes + n + 8, i, 8, false);
        bytes[n + 16] = (uint8_t)strlen(name);
        memcpy(bytes + n + 17, name, strlen(name));
        n += 17 + strlen(name);
    }
    struct apf_input input = apf_input_memory(bytes, n, "names");
    struct apf_probes *probes;
    assert_int_equal(apf_probes_open_sections(&probes, NULL, &input, NULL, NULL), APF_OK);
    return probes;
}

static void assert_called(const struct apf_probes *probes, const char *name, const char *expected)
{
    uint64_t guids[1] = {0};
    size_t n = apf_probes_find_named(probes, (struct apf_str){name, strlen(name)}, guids, 1);
    assert_int_equal(n, expected ? 1 : 0);
    if (expected)
        assert_int_equal(guids[0], apf_probe_guid((struct apf_str){expected, strlen(expected)}));
}

static void test_one(void **state)
{
    (void)state;
    struct apf_probes *probes = open_names();
    assert_called(probes, "leaf", "leaf"); /* not _Z4leafi */
    assert_called(probes, "mid", "_ZL3midi.__uniq.33");
    assert_called(probes, "_ZL3midi", "_ZL3midi.__uniq.33");
    assert_called(probes, "part", "part.llvm.7");
    assert_called(probes, "part.llvm.7", "part.llvm.7");
    assert_called(probes, "middlemost", "_Z10middlemostv");
    assert_called(probes, "mid5", "_ZL4mid5.later"); /* which ends there */
    apf_probes_close(probes);
}

static void test_none(void **state)
{
    (void)state;
    struct apf_probes *probes = open_names();
    assert_called(probes, "", NULL);
    assert_called(probes, "midi", NULL);
    assert_called(probes, "mi", NULL);
    assert_called(probes, "space", NULL);
    assert_called(probes, "7", NULL);
    assert_called(probes, "after", NULL); /* 4 letters, it says */
    apf_probes_close(probes);
}

static void test_several(void **state)
{
    (void)state;
    struct apf_probes *probes = open_names();
    uint64_t guids[3] = {0, 0, 5};
    assert_int_equal(apf_probes_find_named(probes, (struct apf_str){"twin", 4}, NULL, 0), 2);
    assert_int_equal(apf_probes_find_named(probes, (struct apf_str){"twin", 4}, guids, 1), 2);
    assert_int_equal(guids[1], 0);
    assert_int_equal(apf_probes_find_named(probes, (struct apf_str){"twin", 4}, guids, 3), 2);
    assert_true(guids[0] < guids[1]);
    assert_int_equal(guids[0] ^ guids[1], apf_probe_guid((struct apf_str){names[2], 18}) ^
                                              apf_probe_guid((struct apf_str){names[3], 18}));
    assert_int_equal(guids[2], 5);
    apf_probes_close(probes);
}

TEST_FILE(probe_names)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_several),
    };
    return RUN_TESTS(tests);
}
