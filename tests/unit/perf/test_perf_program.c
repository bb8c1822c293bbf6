/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which file of a recording a program is, and where its mappings place it. */
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/profgen_memory.h"
#include "perf/perf_program.h"

static enum perf_match match(const struct perf_program *p, const char *path, const char *build)
{
    struct perf_build_id id = perf_build_id_make(build, strlen(build));
    return perf_program_match(p, (struct apf_str){path, strlen(path)}, &id);
}

static void files(void **state)
{
    struct perf_program p = {.name = {"app", 3}};
    (void)state;
    assert_int_equal(match(&p, "/x/app", ""), PERF_SAME_NAME);
    assert_int_equal(match(&p, "/x/app", "abc"), PERF_SAME_NAME);
    assert_int_equal(match(&p, "app", ""), PERF_SAME_NAME);
    assert_int_equal(match(&p, "/app/libc", ""), PERF_OTHER_FILE);
    p.build_id = perf_build_id_make("abc", 3);
    assert_int_equal(match(&p, "/x/app", ""), PERF_SAME_NAME);
    assert_int_equal(match(&p, "/x/app", "abc"), PERF_SAME_BUILD);
    assert_int_equal(match(&p, "/x/other", "abc"), PERF_SAME_BUILD);
    assert_int_equal(match(&p, "/x/app", "abd"), PERF_OTHER_BUILD);
    assert_int_equal(match(&p, "/x/other", "abd"), PERF_OTHER_FILE);
    p.kernel = true;
    assert_int_equal(match(&p, "[kernel.kallsyms]_stext", ""), PERF_SAME_NAME);
    assert_int_equal(match(&p, "[kernel.kallsyms]", "abd"), PERF_OTHER_BUILD);
    assert_int_equal(match(&p, "/x/app", ""), PERF_OTHER_FILE);
    assert_true(perf_match_is_program(PERF_SAME_BUILD, false) &&
                perf_match_is_program(PERF_SAME_NAME, false));
    assert_false(perf_match_is_program(PERF_OTHER_BUILD, false));
    assert_true(perf_match_is_program(PERF_OTHER_BUILD, true));
    assert_false(perf_match_is_program(PERF_OTHER_FILE, true));
}

static void refusal(void **state)
{
    struct perf_build_id other = perf_build_id_make("\x12\x34", 2);
    struct perf_program p = {.build_id = perf_build_id_make("\xab", 1)};
    struct apf_error error;
    (void)state;
    assert_int_equal(perf_program_refuse(&p, &other, "; hint", &error), APF_NOT_RECORDED);
    assert_non_null(strstr(error.message, "its build id is ab, but 1234 was recorded; hint"));
}

/* The bias that a mapping of the segment at 0x201000, with 0x100 bytes from offset 0 on, gives; or 1: none. */
static uint64_t place(const struct perf_program *p, uint64_t start, uint64_t size, uint64_t offset)
{
    uint64_t bias = 1;
    bool found = perf_program_place(p, start, start + size, offset, &bias);
    assert_int_equal(found, bias != 1);
    return bias;
}

static void places(void **state)
{
    static const uint8_t code[0x3000] = {0x90};
    struct pm_program program = {.code = code, .n_code = sizeof code, .address = 0x201000};
    struct eb_bytes bytes = pm_build(&program);
    struct perf_program p;
    struct elf_file *elf;
    (void)state;
    assert_int_equal(elf_file_open(&elf, bytes.data, bytes.n, NULL), APF_OK);
    assert_int_equal(perf_program_open(&p, elf, "/x/app", NULL), APF_OK);
    assert_int_equal(p.text.n, 1);
    assert_int_equal(p.name.n, 3);
    assert_int_equal(place(&p, 0x201000, 0x3000, 0), 0);
    assert_int_equal(place(&p, 0x7f0000001000, 0x3000, 0), 0x7f0000001000 - 0x201000);
    /* any part of it, and more than it */
    assert_int_equal(place(&p, 0x7f0000003000, 0x1000, 0x2000), 0x7f0000001000 - 0x201000);
    assert_int_equal(place(&p, 0x7f0000000000, 0x10000, 0), 0x7f0000000000 - 0x201000);
    assert_int_equal(place(&p, 0x7f0000004000, 0x1000, 0x3000), 1);
    assert_int_equal(place(&p, 0x7f0000004000, 0x1000, UINT64_MAX), 1);
    perf_program_close(&p);
    elf_file_close(elf);
    free(bytes.data);
}

static void names(void **state)
{
    static const char *const added[] = {"/x/a", "[vdso]", "//anon", "", "/y/a", "/y/long-name", "/y/b", "ab"};
    char list[12] = "";
    (void)state;
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        perf_names_add(list, sizeof list, (struct apf_str){added[i], strlen(added[i])});
    assert_string_equal(list, "a, b, ab");
    perf_names_add(list, sizeof list, (struct apf_str){"c", 1});
    assert_string_equal(list, "a, b, ab, c");
    perf_names_add(list, sizeof list, (struct apf_str){"d", 1});
    assert_string_equal(list, "a, b, ab, c");
}

TEST_FILE(perf_program)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(refusal),
                                       cmocka_unit_test(places), cmocka_unit_test(names)};
    return RUN_TESTS(tests);
}
