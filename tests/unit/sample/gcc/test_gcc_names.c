/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Suffixes and constructors. */
#include <string.h>

#include "sample/gcc/gcc_names.h"

#include "helpers/shared/unit.h"

static void check_stem(const char *name, enum gcc_suffixes suffixes, const char *expected)
{
    struct apf_str text = {name, strlen(name)};
    struct apf_str stem = gcc_name_stem(text, suffixes);
    assert_int_equal(stem.n, strlen(expected));
    assert_memory_equal(stem.p, expected, stem.n);
}

static void test_stems(void **state)
{
    static const struct {
        const char *name, *clones, *all;
    } cases[] = {
        {"f", "f", "f"},
        {"", "", ""},
        {"f.cold", "f", "f"},
        {"f.cold.5", "f", "f"},
        {"f.isra.0", "f", "f"},
        {"f.constprop.12", "f", "f"},
        {"f.part.0.isra.3.cold", "f", "f"},
        {"f.lto_priv.3", "f", "f"},
        {"f.llvm.123.cold", "f.llvm.123", "f"},
        {"f.isra", "f.isra", "f"}, /* without a number */
        {"f.isra.", "f.isra.", "f"},
        {"f.isra.0x", "f.isra.0x", "f"},
        {"f.0", "f.0", "f"}, /* a nested function */
        {"f.0.part.1", "f.0", "f"},
        {"f._omp_fn.2", "f._omp_fn.2", "f"},
        {"f.fisra.0", "f.fisra.0", "f"},
        {".cold", ".cold", ".cold"}, /* nothing would be left */
        {".isra.0", ".isra.0", ".isra.0"},
        {".text.unlikely", ".text.unlikely", ".text.unlikely"},
        {"cold", "cold", "cold"},
        {"7", "7", "7"},
        {"f5", "f5", "f5"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_stem(cases[i].name, GCC_SUFFIXES_KEEP, cases[i].name);
        check_stem(cases[i].name, GCC_SUFFIXES_CLONES, cases[i].clones);
        check_stem(cases[i].name, GCC_SUFFIXES_ALL, cases[i].all);
    }
}

static void test_constructors(void **state)
{
    static const struct {
        const char *name;
        size_t digit;
    } cases[] = {
        {"_ZN1AC4Ev", 6},   {"_ZN1AD4Ev", 6},
        {"_ZN1AC4EPKc", 6}, {"_ZN1AC4EPKcRKS2_", 6},
        {"_ZN1AC2Ev", 0},   {"_ZN1AD4EPKc", 0},
        {"_ZN1AC4Ei", 0},   {"xyC4Ev", 3},
        {"xC4Ev", 0}, /* create_gcov asks for one character more */
        {"C4Ev", 0},        {"", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_str text = {cases[i].name, strlen(cases[i].name)};
        assert_int_equal(gcc_name_constructor(text), cases[i].digit);
        if (cases[i].digit)
            assert_int_equal(cases[i].name[cases[i].digit], '4');
    }
}

TEST_FILE(gcc_names)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stems),
        cmocka_unit_test(test_constructors),
    };
    return RUN_TESTS(tests);
}
