/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damaged programs and profiles without metadata. Changed bytes may change the functions of a program, but nothing is
 * read beyond it, and no count appears that the profile lacks; a cut is an error. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/correlate.h>

#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

static const struct pb_function some[] = {
    {"main", 0x1111, 3, 0, 0},
    {"file.c;local", 0x2222, 1, 2, 0},
    {"last", 5, 2, 1, 0},
};

static const struct pb_program programs[] = {
    {.kind = PB_BINARY,
     .version = 10,
     .bytes = 8,
     .functions = some,
     .n_functions = 3,
     .build_id = "build id"},
    {.kind = PB_DEBUG_INFO, .version = 10, .bytes = 8, .functions = some, .n_functions = 3, .dwarf = 4},
    {.kind = PB_DEBUG_INFO,
     .version = 11,
     .bytes = 4,
     .big = true,
     .functions = some,
     .n_functions = 3,
     .dwarf = 5,
     .numbered = true},
};

/* APF_OK when both were read. */
static int try_both(int kind, const uint8_t *elf, size_t n_elf, const struct rb_file *file, size_t n_file,
                    struct apf_error *error)
{
    struct apf_input program = apf_input_memory(elf, n_elf, "program"),
                     profile = apf_input_memory(file->data, n_file, "profile");
    struct apf_correlator_options o = {.size = sizeof o, .programs = &program, .n_programs = 1};
    struct apf_options options = {.size = sizeof options};
    struct apf_correlator *c;
    struct apf_instr *instr;
    o.kind = kind == PB_BINARY ? APF_METADATA_BINARY : APF_METADATA_DEBUG_INFO;
    int code = apf_correlator_open(&c, &o, error);
    if (code != APF_OK)
        return code;
    options.correlation = apf_correlator_source(c);
    code = apf_instr_open(&instr, &profile, &options, error);
    if (code == APF_OK)
        assert_in_range(apf_instr_info(instr)->n_counters, 1, 8 * 6);
    apf_instr_close(instr);
    apf_correlator_close(c);
    return code;
}

static void test_changed(void **state)
{
    struct apf_error error;
    uint64_t random = 3;
    (void)state;
    for (size_t p = 0; p < COUNT(programs); p++) {
        struct eb_bytes elf = pb_build(&programs[p]);
        struct rb_file file = {NULL, 0, 0, false};
        size_t read = 0;
        pb_append(&file, &programs[p], 10, programs[p].build_id);
        assert_int_equal(try_both((int)programs[p].kind, elf.data, elf.n, &file, file.n, &error), APF_OK);
        for (size_t i = 0; i < 3 * elf.n; i++) {
            size_t at = i % elf.n;
            uint8_t flip = i < elf.n ? 0xff : (uint8_t)(1u << next_random(&random) % 8);
            elf.data[at] ^= flip;
            int code = try_both((int)programs[p].kind, elf.data, elf.n, &file, file.n, &error);
            elf.data[at] ^= flip;
            read += code == APF_OK;
            if (code != APF_OK)
                assert_true(*error.message && *error.where);
        }
        assert_in_range(read, 1, 3 * elf.n - 1);
        rb_free(&file);
        free(elf.data);
    }
}

static void test_cut(void **state)
{
    struct apf_error error;
    (void)state;
    for (size_t p = 0; p < COUNT(programs); p++) {
        struct eb_bytes elf = pb_build(&programs[p]);
        struct rb_file file = {NULL, 0, 0, false};
        int kind = (int)programs[p].kind;
        pb_append(&file, &programs[p], 10, programs[p].build_id);
        for (size_t n = 0; n < elf.n; n++)
            assert_int_equal(try_both(kind, elf.data, n, &file, file.n, &error), APF_BAD_ELF);
        for (size_t n = 0; n < file.n; n++) {
            int code = try_both(kind, elf.data, elf.n, &file, n, &error);
            if (code != (n == 0 ? APF_EMPTY_PROFILE : n < 8 ? APF_UNRECOGNIZED_FORMAT : APF_BAD_HEADER))
                fail_msg("program %zu, %zu bytes: %s", p, n, error.message);
        }
        rb_free(&file);
        free(elf.data);
    }
}

TEST_FILE(correlate_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_cut),
    };
    return RUN_TESTS(tests);
}
