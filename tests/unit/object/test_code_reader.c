/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of ELF files whose sections are damaged is not code that is not there. */
#include <elf.h>
#include <stdlib.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/code_reader.h"

static int open_with(uint64_t offset, uint64_t size, struct apf_error *error)
{
    struct eb_section sections[] = {
        {".bss", SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x3000, 0, 0, 0, NULL, 1 << 20},
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0, "\x90\x90\xc3", 3}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, NULL, 0};
    struct eb_bytes b = eb_build(&file);
    struct elf_file *elf;
    struct code_reader *reader;
    uint64_t n = 16;
    if (size) {
        eb_store(b.data + b.section_headers + 2 * 64 + 24, offset, 8, false);
        eb_store(b.data + b.section_headers + 2 * 64 + 32, size, 8, false);
    }
    assert_int_equal(elf_file_open(&elf, b.data, b.n, error), APF_OK);
    int code = code_reader_open(&reader, elf, error);
    if (code == APF_OK) {
        assert_non_null(code_reader_bytes(reader, 0x1001, &n));
        assert_int_equal(n, 2);
        assert_null(code_reader_bytes(reader, 0x3000, &n)); /* which has no bytes */
    }
    code_reader_close(reader);
    elf_file_close(elf);
    free(b.data);
    return code;
}

static void test_damage(void **state)
{
    (void)state;
    struct apf_error error;
    assert_int_equal(open_with(0, 0, &error), APF_OK);
    assert_int_equal(open_with(1 << 20, 3, &error), APF_BAD_ELF);
    assert_string_equal(error.where, "elf.section.offset");
    assert_int_equal(error.offset, 1 << 20);
}

TEST_FILE(code_reader)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage)};
    return RUN_TESTS(tests);
}
