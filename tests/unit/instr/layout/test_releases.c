/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of releases and what is read from names. */
#include <string.h>

#include "instr/layout/releases.h"

#include "helpers/shared/unit.h"

static void check_split(const char *name, char separator, size_t expected)
{
    size_t n = strlen(name);
    char exact[64]; /* without the byte after it */
    assert_true(n < sizeof exact);
    memcpy(exact, name, n);
    if (local_name_split(exact, n, separator) != expected)
        fail_msg("%s: split at %zu, not %zu", name, local_name_split(exact, n, separator), expected);
}

static void test_colons(void **state)
{
    (void)state;
    check_split("a.c:f", ':', 3);
    check_split("./x:y.c:loc", ':', 7); /* paths can have colons */
    check_split("C:\\src\\a.c:f", ':', 10);
    check_split("C:\\src\\a.c", ':', 0);
    check_split("C:/src/a.c", ':', 0);
    check_split("<unknown>:q", ':', 9);
    check_split("ns::bar", ':', 0); /* a name that is not mangled */
    check_split("main", ':', 0);
    check_split("", ':', 0);
    check_split(":f", ':', 0);
    check_split("a.c:", ':', 0);
    check_split("a.c;f", ':', 0);
    check_split("-[Window show:at:]", ':', 0);
    check_split("w.m:-[Window show:at:]", ':', 3);
    check_split("w.m:+[Window make:]", ':', 3);
    check_split("w.m:__21-[Window show:at:]_block_invoke", ':', 3);
    check_split("a.c:\1f", ':', 3);
}

static void test_semicolons(void **state)
{
    (void)state;
    check_split("a.c;f", ';', 3);
    check_split("a.c;f;g", ';', 3); /* at the first one, as LLVM */
    check_split(";f", ';', 0);
    check_split("a.c;", ';', 0);
    check_split("a.c:f", ';', 0);
}

/* Releases are in order of time, and nothing that a later one reads goes back. */
static void test_table(void **state)
{
    (void)state;
    assert_true(release_count() <= 64); /* sets of them are words */
    for (unsigned i = 1; i < release_count(); i++) {
        const struct release *before = release_row(i - 1), *row = release_row(i);
        assert_true(row->raw_version >= before->raw_version);
        assert_true(row->indexed_version >= before->indexed_version);
        assert_true(row->value_kinds >= before->value_kinds);
        assert_int_equal(before->variants & ~row->variants, 0);
        assert_true(before->separator == row->separator || row->separator == ';');
    }
    assert_null(apf_release_name(release_count()));
    assert_string_equal(apf_release_name(0), "3.5");
}

static void test_schemes(void **state)
{
    static const struct {
        uint32_t version, lowest, highest;
    } rows[] = {{1, 1, 4},  {4, 1, 4},   {5, 5, 5},    {6, 6, 6},
                {7, 7, 12}, {12, 7, 12}, {13, 13, 14}, {14, 13, 14}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(hash_scheme_lowest(rows[i].version), rows[i].lowest);
        assert_int_equal(hash_scheme_highest(rows[i].version), rows[i].highest);
    }
    assert_int_equal(separator_of_version(7), ':');
    assert_int_equal(separator_of_version(10), ':');
    assert_int_equal(separator_of_version(11), ';');
    assert_int_equal(separator_of_version(14), ';');
}

/* rustc hashes functions by itself; C and C++ have names that only look like its own. */
static void test_rust(void **state)
{
    static const struct {
        const char *name;
        bool counts;
    } rows[] = {{"_RNvCskK7mfDs1mzF_1m4main", false},
                {"_RINvNtC3std3mem8align_ofdE", false},
                {"_ZN1m4main17h4009bc0cd8b193aaE", false},
                {"main", true},
                {"", true},
                {"_R", true},
                {"_Ready", true},
                {"_ZN1m4mainEv", true},
                {"_ZN1m4main17h4009bc0cd8b193aX", true},
                {"_ZN1m4main17h4009bc0cd8b19gaaE", true},
                {"_ZN17h4009bc0cd8b193aaE", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct release_clues clues = {.format = APF_FORMAT_RAW, .version = 10, .max_kinds = 3};
        const struct apf_str name = {rows[i].name, strlen(rows[i].name)};
        release_clues_hash(&clues, (uint64_t)15 << 60, name);
        assert_int_equal(clues.digests, rows[i].counts);
        assert_string_equal(release_row(release_newest(releases_that_made(&clues)))->name,
                            rows[i].counts ? "21" : "22");
    }
}

TEST_FILE(releases)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colons),  cmocka_unit_test(test_semicolons), cmocka_unit_test(test_table),
        cmocka_unit_test(test_schemes), cmocka_unit_test(test_rust),
    };
    return RUN_TESTS(tests);
}
