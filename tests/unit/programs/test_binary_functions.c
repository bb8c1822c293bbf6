/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of instrumented programs: records of every version, which no program states. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/correlate.h>

#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

static const struct pb_function some[] = {
    {"main", 0x1111, 3, 0, 0},
    {"file.c;local", 0x2222, 1, 2, 0},
    {"_ZN1a1bEv", 0xfff0000000000001, 7, 0, 0},
    {"last", 5, 2, 1, 0},
    {"not.in.the.names", 77, 1, 0, PB_NO_NAME},
};

static int open_functions(struct apf_binary_functions **f, const struct pb_program *p, int kind,
                          struct apf_error *error)
{
    struct eb_bytes elf = pb_build(p);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "program");
    int code = apf_binary_functions_open(f, &input, kind, NULL, error);
    free(elf.data);
    return code;
}

static void check_list(const struct pb_program *p, uint32_t first, uint32_t last)
{
    struct apf_binary_functions *f;
    struct apf_error error = {.message = ""};
    if (open_functions(&f, p, APF_METADATA_ANY, &error) != APF_OK)
        fail_msg("version %u, %u bytes: %s", p->version, p->bytes, error.message);
    const struct apf_binary_functions_info *info = apf_binary_functions_info(f);
    size_t n = apf_binary_functions_info(f)->n_functions;
    assert_int_equal(n, p->n_functions);
    assert_null(apf_binary_functions_function(f, n));
    if (info->first_version != first || info->last_version != last)
        fail_msg("version %u, %u bytes: %u to %u", p->version, p->bytes, info->first_version,
                 info->last_version);
    assert_int_equal(info->pointer_bits, 8 * p->bytes);
    assert_int_equal(info->big_endian, p->big);
    uint32_t nameless = 0;
    for (size_t i = 0; i < n; i++) {
        const struct pb_function *want = &p->functions[i];
        const struct apf_function *got = apf_binary_functions_function(f, i);
        bool named = !(want->flags & PB_NO_NAME);
        assert_int_equal(got->id, rb_id(want->name));
        assert_int_equal(got->hash, want->hash);
        assert_int_equal(got->n_counters, want->n_counts);
        assert_int_equal(got->name.n, named ? strlen(want->name) : 0);
        assert_memory_equal(named ? got->name.p : "", want->name, got->name.n);
        nameless += !named;
    }
    assert_int_equal(info->nameless, nameless);
    apf_binary_functions_close(f);
}

/* From the layout alone; 3 to 8 share one. */
static uint32_t first_of(unsigned version, bool has_bitmap)
{
    return version < 9 ? 3 : version == 10 && !has_bitmap ? 9 : version;
}

static uint32_t last_of(unsigned version, bool has_bitmap)
{
    (void)has_bitmap;
    return version < 9 ? 8 : version == 9 ? 10 : version;
}

static void test_versions(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= RB_NEWEST; version++)
        for (unsigned way = 0; way < 16; way++) {
            struct pb_program p = {.version = version, .bytes = way & 1 ? 4 : 8, .big = (way & 2) != 0};
            p.functions = some;
            p.n_functions = way & 4 ? 1 : COUNT(some);
            p.zlib = way & 8 ? 1 : 0;
            bool has_bitmap = p.n_functions > 1 && version >= 9;
            check_list(&p, first_of(version, has_bitmap), last_of(version, has_bitmap));
            p.version_word = version | RB_IR | RB_TEMPORAL;
            check_list(&p, version, version);
        }
}

static void test_facts(void **state)
{
    struct pb_program p = {.version = 10, .bytes = 8, .functions = some, .n_functions = COUNT(some)};
    struct apf_binary_functions *f;
    struct apf_error error;
    (void)state;
    p.version_word = 10 | RB_IR | RB_CS;
    p.build_id = "12345678";
    assert_int_equal(open_functions(&f, &p, APF_METADATA_LOADED, &error), APF_OK);
    const struct apf_binary_functions_info *info = apf_binary_functions_info(f);
    assert_int_equal(info->kind, APF_METADATA_LOADED);
    assert_int_equal(info->variant_known, 1);
    assert_int_equal(info->variant, APF_VARIANT_IR | APF_VARIANT_CS);
    assert_int_equal(info->build_id.n, 8);
    assert_memory_equal(info->build_id.p, "12345678", 8);
    apf_binary_functions_close(f);
    p.version_word = 0;
    p.build_id = NULL;
    assert_int_equal(open_functions(&f, &p, APF_METADATA_ANY, &error), APF_OK);
    assert_int_equal(apf_binary_functions_info(f)->variant_known, 0);
    assert_int_equal(apf_binary_functions_info(f)->build_id.n, 0);
    apf_binary_functions_close(f);
    apf_binary_functions_close(NULL);
}

/* Linkers may leave the padding of the last record out: 4 bytes in version 9, none in version 10. */
static void test_cut_record(void **state)
{
    struct pb_program p = {.version = 9, .bytes = 8, .functions = some, .n_functions = 4, .cut = 4};
    struct apf_binary_functions *f;
    struct apf_error error;
    (void)state;
    check_list(&p, 9, 9); /* what version 10 has there is missing */
    p.cut = 9;
    assert_int_equal(open_functions(&f, &p, APF_METADATA_ANY, &error), APF_MALFORMED);
    assert_null(f);
    assert_string_equal(error.where, "program.data");
}

static void test_errors(void **state)
{
    struct pb_program p = {.version = 10, .bytes = 8, .functions = some, .n_functions = 4};
    struct apf_binary_functions *f;
    struct apf_error error;
    (void)state;
    p.version_word = 12;
    assert_int_equal(open_functions(&f, &p, APF_METADATA_ANY, &error), APF_UNSUPPORTED_VERSION);
    assert_int_equal(error.found, 12);
    p.version_word = 2;
    assert_int_equal(open_functions(&f, &p, APF_METADATA_ANY, &error), APF_UNSUPPORTED_VERSION);
    p.version_word = 11; /* 4 records of version 10 are none of version 11 */
    assert_int_equal(open_functions(&f, &p, APF_METADATA_ANY, &error), APF_MALFORMED);
    p.version_word = 0;
    assert_int_equal(open_functions(&f, &p, APF_METADATA_BINARY, &error), APF_UNABLE_TO_CORRELATE);
    assert_non_null(strstr(error.message, "could not find section (__llvm_covdata)"));
    assert_int_equal(open_functions(&f, &p, APF_METADATA_DEBUG_INFO, &error), APF_UNABLE_TO_CORRELATE);
    assert_int_equal(open_functions(&f, &p, 4, &error), APF_ARGUMENT);
    p.functions = some + 4; /* no record has a name */
    p.n_functions = 1;
    assert_int_equal(open_functions(&f, &p, APF_METADATA_ANY, &error), APF_MALFORMED);
    struct apf_input text = apf_input_memory("no ELF file", 11, NULL);
    assert_int_equal(apf_binary_functions_open(&f, &text, APF_METADATA_ANY, NULL, &error), APF_BAD_ELF);
    struct apf_options few = {.size = sizeof few, .max_records = 3};
    p.functions = some;
    p.n_functions = 4;
    struct eb_bytes elf = pb_build(&p);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "program");
    assert_int_equal(apf_binary_functions_open(&f, &input, APF_METADATA_ANY, &few, &error), APF_LIMIT);
    assert_int_equal(error.found, 4);
    assert_int_equal(error.expected, 3);
    free(elf.data);
}

/* Whatever is changed in the file, functions are of it or there is an error. */
static void test_damage(void **state)
{
    struct pb_program p = {.version = 9, .bytes = 4, .functions = some, .n_functions = 5, .zlib = 1};
    struct eb_bytes elf = pb_build(&p);
    struct apf_error error;
    uint64_t random = 7;
    (void)state;
    for (size_t i = 0; i < 8 * elf.n; i++) {
        struct apf_binary_functions *f;
        struct apf_input input = apf_input_memory(elf.data, elf.n, "program");
        size_t at = i < elf.n ? i : next_random(&random) % elf.n;
        uint8_t flip = i < elf.n ? 0xff : (uint8_t)(1u << next_random(&random) % 8);
        elf.data[at] ^= flip;
        if (apf_binary_functions_open(&f, &input, APF_METADATA_ANY, NULL, &error) == APF_OK) {
            size_t n = apf_binary_functions_info(f)->n_functions;
            assert_true(n > 0 && n <= elf.n / 40 && apf_binary_functions_function(f, n - 1));
            apf_binary_functions_close(f);
        }
        elf.data[at] ^= flip;
    }
    for (size_t n = 0; n < elf.n; n++) {
        struct apf_binary_functions *f;
        struct apf_input input = apf_input_memory(elf.data, n, "program");
        assert_int_equal(apf_binary_functions_open(&f, &input, APF_METADATA_ANY, NULL, &error), APF_BAD_ELF);
    }
    free(elf.data);
}

TEST_FILE(binary_functions)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions), cmocka_unit_test(test_facts),  cmocka_unit_test(test_cut_record),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_damage),
    };
    return RUN_TESTS(tests);
}
