/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles compared with programs: functions with counts, and the reasons for missing counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/check_memory.h"
#include "helpers/shared/program_build.h"

#define MOST_PROGRAMS 3u
#define CONTEXT ((uint64_t)1 << 60)

static struct checked now; /* what was found last */

static struct apf_check_programs *open_programs(const struct pb_program *p, size_t n)
{
    struct eb_bytes elf[MOST_PROGRAMS];
    struct apf_input inputs[MOST_PROGRAMS];
    struct apf_check_programs *programs;
    struct apf_error error = {.message = ""};
    assert_true(n <= MOST_PROGRAMS);
    for (size_t i = 0; i < n; i++) {
        elf[i] = pb_build(&p[i]);
        inputs[i] = apf_input_memory(elf[i].data, elf[i].n, "program");
    }
    if (apf_check_programs_open(&programs, inputs, n, NULL, &error) != APF_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < n; i++)
        free(elf[i].data);
    return programs;
}

static void check_bytes(const struct pb_program *p, size_t n, const void *data, size_t size)
{
    struct apf_check_programs *programs = open_programs(p, n);
    check_memory_against(&now, data, size, programs);
    apf_check_programs_close(programs);
}

static void check_text(const struct pb_program *p, size_t n, const char *text)
{
    check_bytes(p, n, text, strlen(text));
}

#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)
#define PROGRAM(list)                                                                                        \
    {.version = 9, .bytes = 8, .functions = list, .n_functions = COUNT(list), .version_word = 9 | RB_IR}

/* Functions, found, changed, missing, unknown. */
static void expect_verdict(uint64_t n, uint64_t found, uint64_t changed, uint64_t missing, uint64_t unknown)
{
    const struct apf_check_verdict *v = &now.verdict;
    if (v->n_program_functions != n || v->n_found != found || v->n_mismatched != changed ||
        v->n_missing != missing || v->n_unknown != unknown)
        fail_msg("of %llu functions %llu found, %llu changed, %llu missing, %llu unknown",
                 (unsigned long long)v->n_program_functions, (unsigned long long)v->n_found,
                 (unsigned long long)v->n_mismatched, (unsigned long long)v->n_missing,
                 (unsigned long long)v->n_unknown);
}

static const struct pb_function in_main[] = {{"main", 1, 2, 0, 0}, {"both", 2, 1, 0, 0}};
static const struct pb_function in_library[] = {{"both", 2, 1, 0, 0}, {"library", 3, 1, 0, 0}};

/* The functions of all programs; a function of two programs counts once. */
static void several(void **state)
{
    (void)state;
    static const struct pb_program programs[] = {PROGRAM(in_main), PROGRAM(in_library)};
    static const char text[] = ":ir\nmain\n1\n2\n3\n4\n\nboth\n2\n1\n5\n\nlibrary\n3\n1\n6\n\n";
    check_text(programs, 2, text);
    expect_verdict(3, 3, 0, 0, 0);
    assert_int_equal(now.verdict.found_weight, 18);
    EXPECT_NO_MORE(&now);
    check_text(programs, 1, text);
    expect_verdict(2, 2, 0, 0, 1);
    FOUND(NOTE, NOTE, "against.unknown", 30, 0, 0);
    EXPECT_NO_MORE(&now);
    check_text(programs + 1, 1, text);
    expect_verdict(2, 2, 0, 0, 1);
    assert_int_equal(now.verdict.unknown_weight, 7);
    assert_int_equal(now.list[0].line, 2);
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    EXPECT_NO_MORE(&now);
}

/* Compilers since LLVM 18 look for FILE;NAME, and then for FILE:NAME; those before for FILE:NAME only. */
static void separators(void **state)
{
    (void)state;
    static const struct pb_function semicolon[] = {{"a.c;f", 1, 1, 0, 0}}, colon[] = {{"a.c:f", 1, 1, 0, 0}};
    static const struct pb_program new = PROGRAM(semicolon), old = PROGRAM(colon);
    check_text(&new, 1, ":ir\na.c:f\n1\n1\n3\n");
    expect_verdict(1, 1, 0, 0, 0);
    EXPECT_NO_MORE(&now);
    check_text(&old, 1, ":ir\na.c;f\n1\n1\n3\n");
    expect_verdict(1, 0, 0, 1, 1);
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(WARNING, UNABLE_TO_CORRELATE, "against.separator", 4, 0, 0);
    EXPECT_NO_MORE(&now);
    assert_int_equal(now.verdict.n_other_path, 0);
    /* No count is lost by it. */
    check_text(&old, 1, ":ir\na.c;f\n1\n1\n0\n");
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(NOTE, NOTE, "against.separator", 4, 0, 0);
    EXPECT_NO_MORE(&now);
    /* Where both are there, the new one is taken, whatever its hash. */
    check_text(&new, 1, ":ir\na.c:f\n1\n1\n3\n\na.c;f\n2\n1\n3\n");
    expect_verdict(1, 0, 1, 0, 1);
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(WARNING, HASH_MISMATCH, "against.hash", 17, 2, 1);
    EXPECT_NO_MORE(&now);
}

static void paths(void **state)
{
    (void)state;
    static const struct pb_function local[] = {{"/build/src/a.c;f", 1, 1, 0, 0}};
    static const struct pb_program program = PROGRAM(local);
    check_text(&program, 1, ":ir\nsrc/a.c;f\n1\n1\n3\n");
    expect_verdict(1, 0, 0, 1, 1);
    assert_int_equal(now.verdict.n_other_path, 1);
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(WARNING, UNABLE_TO_CORRELATE, "against.path", 4, 0, 0);
    EXPECT_NO_MORE(&now);
    /* Another file, and another hash. */
    check_text(&program, 1, ":ir\nsrc/b.c;f\n1\n1\n3\n\nsrc/a.c;f\n2\n1\n3\n");
    expect_verdict(1, 0, 0, 1, 2);
    assert_int_equal(now.verdict.n_other_path, 0);
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(NOTE, NOTE, "against.unknown", 21, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    FOUND(WARNING, UNABLE_TO_CORRELATE, "against.program", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
}

/* A profile of another program; one of nothing is of any. */
static void strangers(void **state)
{
    (void)state;
    static const struct pb_program programs[] = {PROGRAM(in_main), PROGRAM(in_library)};
    check_text(programs, 1, ":ir\nother\n1\n1\n3\n");
    expect_verdict(2, 0, 0, 2, 1);
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    FOUND(WARNING, UNABLE_TO_CORRELATE, "against.program", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
    check_text(programs, 1, ":ir\nother\n1\n1\n0\n");
    FOUND(NOTE, NOTE, "against.unknown", 4, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
    /* A changed one is one of its own. */
    check_text(programs, 1, ":ir\nmain\n7\n2\n3\n4\n\nother\n1\n1\n3\n");
    FOUND(WARNING, HASH_MISMATCH, "against.hash", 4, 7, 1);
    FOUND(NOTE, NOTE, "against.unknown", 18, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
}

/* A profile of several builds is good for the one that has its record. */
static void other_builds(void **state)
{
    (void)state;
    static const struct pb_program program = PROGRAM(in_main);
    check_text(&program, 1, ":ir\nmain\n5\n1\n7\n\nmain\n1\n2\n3\n4\n\nmain\n6\n1\n9\n\nboth\n2\n1\n1\n");
    expect_verdict(2, 2, 0, 0, 0);
    assert_int_equal(now.verdict.n_other_build, 2);
    assert_int_equal(now.verdict.other_build_weight, 16);
    assert_int_equal(now.verdict.found_weight, 8);
    assert_int_equal(now.verdict.mismatched_weight, 0);
    FOUND(NOTE, NOTE, "against.other_build", 4, 0, 0);
    FOUND(NOTE, NOTE, "against.other_build", 30, 0, 0);
    EXPECT_NO_MORE(&now);
    check_text(&program, 1, ":ir\nmain\n5\n1\n7\n\nmain\n1\n3\n3\n4\n5\n\nboth\n2\n1\n1\n");
    expect_verdict(2, 1, 1, 0, 0);
    assert_int_equal(now.verdict.n_other_build, 0);
    assert_int_equal(now.verdict.mismatched_weight, 19);
    FOUND(WARNING, HASH_MISMATCH, "against.hash", 4, 5, 1);
    FOUND(WARNING, COUNT_MISMATCH, "against.counters", 16, 3, 2);
    EXPECT_NO_MORE(&now);
}

static void contexts(void **state)
{
    (void)state;
    static const struct pb_function first[] = {{"main", 1, 1, 0, 0}};
    static const struct pb_function second[] = {{"main", CONTEXT | 1, 1, 0, 0}};
    static const struct pb_program plain = PROGRAM(first), contextual = PROGRAM(second);
    check_text(&plain, 1, ":csir\nmain\n0x1000000000000001\n1\n3\n");
    expect_verdict(1, 0, 0, 1, 1);
    FOUND(NOTE, NOTE, "against.context", 6, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
    check_text(&contextual, 1, ":ir\nmain\n1\n1\n3\n");
    FOUND(NOTE, NOTE, "against.context", 4, 0, 0);
    FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
    EXPECT_NO_MORE(&now);
    /* Hashes of a front end are of another kind. */
    check_text(&plain, 1, "main\n2\n1\n3\n");
    FOUND(WARNING, UNABLE_TO_CORRELATE, "against.variant", UINT64_MAX, 0, 0);
    FOUND(WARNING, HASH_MISMATCH, "against.hash", 0, 2, 1);
    EXPECT_NO_MORE(&now);
}

/* Profiles whose functions are described in the program only. */
static void bare(void **state)
{
    (void)state;
    for (int kind = PB_BINARY; kind <= PB_DEBUG_INFO; kind++) {
        struct pb_program programs[] = {PROGRAM(in_main), PROGRAM(in_main), PROGRAM(in_library)};
        struct rb_file file = {0};
        programs[0].kind = (enum pb_kind)kind;
        programs[0].dwarf = programs[1].dwarf = 5;
        programs[1].kind = kind == PB_BINARY ? PB_DEBUG_INFO : PB_BINARY;
        programs[0].build_id = "12345678";
        programs[1].build_id = "abcdefgh";
        pb_append(&file, &programs[0], 5, "12345678");
        check_bytes(programs, 1, file.data, file.n);
        expect_verdict(2, 2, 0, 0, 0);
        assert_int_equal(now.verdict.found_weight, 5 + 6 + 7);
        assert_int_equal(now.verdict.n_records, 2);
        EXPECT_NO_MORE(&now);
        check_bytes(programs, 3, file.data, file.n); /* among others, of any kind */
        expect_verdict(3, 2, 0, 1, 0);
        FOUND(NOTE, NOTE, "against.missing", UINT64_MAX, 0, 0);
        EXPECT_NO_MORE(&now);
        check_bytes(programs + 1, 1, file.data, file.n);
        FOUND(WARNING, UNABLE_TO_CORRELATE, "correlation.build_id", UINT64_MAX, 0, 0);
        EXPECT_NO_MORE(&now);
        check_bytes(programs + 2, 1, file.data, file.n);
        FOUND(WARNING, UNABLE_TO_CORRELATE, "correlation.program", UINT64_MAX, 0, 0);
        EXPECT_NO_MORE(&now);
        check_memory_bytes(&now, file.data, file.n);
        assert_int_equal(now.n, 1);
        assert_int_equal(now.list[0].severity, APF_SEVERITY_NOTE);
        assert_int_equal(now.list[0].code, APF_MISSING_CORRELATION);
        rb_free(&file);
    }
}

/* Findings of one kind have one line with their number. */
static void more_lines(void **state)
{
    (void)state;
    static const struct pb_program program = PROGRAM(in_main);
    static const char line[] = " (and 24 more, with --all)\n";
    struct apf_check_programs *programs = open_programs(&program, 1);
    struct apf_buffer bytes = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&bytes);
    char text[1000] = ":ir\n";
    for (size_t n = strlen(text), i = 0; i < 25; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "unknown%zu\n1\n1\n1\n\n", i);
    struct apf_input input = apf_input_memory(text, strlen(text), "profile");
    assert_int_equal(apf_check_print(&input, 1, programs, NULL, 0, &output, NULL, NULL), APF_OK);
    assert_int_equal(apf_output_write(&output, "", 1, NULL), APF_OK); /* ends the text */
    assert_non_null(strstr((const char *)bytes.data, line));
    apf_check_programs_close(programs);
    apf_buffer_free(&bytes);
}

static void bad_programs(void **state)
{
    (void)state;
    static const struct pb_program program = PROGRAM(in_main);
    struct eb_bytes elf = pb_build(&program);
    struct apf_input inputs[] = {apf_input_memory(elf.data, elf.n, "program"),
                                 apf_input_memory("x", 1, "no program")};
    struct apf_check_programs *programs;
    struct apf_error error;
    assert_int_equal(apf_check_programs_open(&programs, inputs, 2, NULL, &error), APF_BAD_ELF);
    assert_int_equal(error.input, 1);
    assert_null(programs);
    apf_check_programs_close(NULL);
    free(elf.data);
}

TEST_FILE(check_against)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several), cmocka_unit_test(separators),   cmocka_unit_test(strangers),
        cmocka_unit_test(paths),   cmocka_unit_test(other_builds), cmocka_unit_test(contexts),
        cmocka_unit_test(bare),    cmocka_unit_test(bad_programs), cmocka_unit_test(more_lines),
    };
    return RUN_TESTS(tests);
}
