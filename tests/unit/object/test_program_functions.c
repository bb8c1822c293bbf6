/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which symbols begin functions. Expected values are of perf2bolt 22; oracle/bolt_symbols.py compares more of them. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/code_padding.h"
#include "object/program_functions.h"

#define CODE 0x1000u
#define OTHER 0x2000u

enum { TEXT = 1, DATA = 2, MORE = 3 };

#define SYMBOL(name, value, size, bind, type, section)                                                       \
    {name, value, size, (uint8_t)((bind) << 4 | (type)), section}
#define GLOBAL_LABEL(name, value, size) SYMBOL(name, value, size, STB_GLOBAL, STT_NOTYPE, TEXT)
#define LOCAL_LABEL(name, value, size) SYMBOL(name, value, size, STB_LOCAL, STT_NOTYPE, TEXT)
#define FUNCTION(name, value, size) SYMBOL(name, value, size, STB_GLOBAL, STT_FUNC, TEXT)

/* Opens a program with 256 bytes of code, and prints its functions: name, address, size and end. */
static void check_program(uint16_t machine, const struct eb_symbol *symbols, size_t n, const char *fill,
                          const char *expected)
{
    uint8_t code[256], data[8] = {0}, pattern[4];
    size_t n_pattern = hex_bytes(pattern, sizeof pattern, fill);
    for (size_t i = 0; i < sizeof code; i++)
        code[i] = pattern[i % n_pattern];
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, 0, 0, 0, code, sizeof code},
        {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, 0, 0, 0, data, sizeof data},
        {"more", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, OTHER, 0, 0, 0, code, 16}};
    struct eb_file file = {64, false, ET_EXEC, machine, sections, 3, symbols, n};
    struct eb_bytes bytes = eb_build(&file);
    struct elf_file *elf;
    struct program_functions all;
    char text[1024] = "";
    size_t at = 0;
    assert_int_equal(elf_file_open(&elf, bytes.data, bytes.n, NULL), APF_OK);
    assert_int_equal(program_functions_open(&all, elf, NULL), APF_OK);
    for (size_t i = 0; i < all.list.n; i++) {
        const struct program_function *f = &all.list.data[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %x+%x..%x", i ? ", " : "",
                               all.symbols.data[f->symbol].name, (unsigned)f->address, (unsigned)f->size,
                               (unsigned)f->end);
    }
    assert_string_equal(text, expected);
    program_functions_close(&all);
    elf_file_close(elf);
    free(bytes.data);
}

static void test_labels(void **state)
{
    static const struct eb_symbol symbols[] = {
        GLOBAL_LABEL("untyped", CODE, 0),
        LOCAL_LABEL("in_untyped", CODE + 8, 0),
        GLOBAL_LABEL("next", CODE + 16, 0),
        SYMBOL("weak", CODE + 24, 0, STB_WEAK, STT_NOTYPE, TEXT),
        FUNCTION("typed", CODE + 32, 16),
        LOCAL_LABEL("in_typed", CODE + 36, 0),
        GLOBAL_LABEL("also_in_typed", CODE + 40, 0),
        LOCAL_LABEL("after_typed", CODE + 48, 0),
        GLOBAL_LABEL("sized", CODE + 64, 16),
        GLOBAL_LABEL("in_sized", CODE + 72, 0),
        LOCAL_LABEL("local_sized", CODE + 80, 8),
        GLOBAL_LABEL("end", CODE + 256, 0),
    };
    (void)state;
    check_program(EM_X86_64, symbols, sizeof symbols / sizeof *symbols, "90",
                  "untyped 1000+10..1010, next 1010+8..1018, weak 1018+8..1020, typed 1020+10..1030, "
                  "after_typed 1030+10..1040, sized 1040+10..1050, local_sized 1050+8..1100");
}

/* Data and indirect functions in code are functions, too; a symbol of the type of a function inside another one is an
 * entry. */
static void test_types(void **state)
{
    static const struct eb_symbol symbols[] = {
        FUNCTION("outer", CODE, 32),
        FUNCTION("inner", CODE + 16, 8),
        SYMBOL("table", CODE + 32, 8, STB_GLOBAL, STT_OBJECT, TEXT),
        SYMBOL("chosen", CODE + 40, 0, STB_GLOBAL, STT_GNU_IFUNC, TEXT),
        SYMBOL("data", 0x3000, 8, STB_GLOBAL, STT_OBJECT, DATA),
        SYMBOL("more", OTHER, 0, STB_LOCAL, STT_SECTION, MORE),
        SYMBOL("hole", CODE + 64, 0, STB_GLOBAL, STT_TLS, DATA),
    };
    (void)state;
    check_program(EM_X86_64, symbols, sizeof symbols / sizeof *symbols, "90",
                  "outer 1000+20..1020, table 1020+8..1028, chosen 1028+d8..1100, more 2000+10..2010");
}

/* Of several symbols at one address, one with the type of a function names it, then the first one. */
static void test_aliases(void **state)
{
    static const struct eb_symbol symbols[] = {
        LOCAL_LABEL("label", CODE, 0),      GLOBAL_LABEL("global", CODE, 0),      FUNCTION("typed", CODE, 8),
        LOCAL_LABEL("first", CODE + 16, 0), GLOBAL_LABEL("second", CODE + 16, 8),
    };
    (void)state;
    check_program(EM_X86_64, symbols, sizeof symbols / sizeof *symbols, "90",
                  "typed 1000+8..1010, first 1010+8..1100");
}

static void test_mapping_symbols(void **state)
{
    static const struct eb_symbol symbols[] = {
        LOCAL_LABEL("$x", CODE, 0),      FUNCTION("typed", CODE, 16),
        LOCAL_LABEL("$d", CODE + 8, 0),  LOCAL_LABEL("$d.1", CODE + 16, 0),
        LOCAL_LABEL("$x", CODE + 32, 8), LOCAL_LABEL("$other", CODE + 48, 0),
    };
    (void)state;
    check_program(EM_AARCH64, symbols, sizeof symbols / sizeof *symbols, "1f2003d5",
                  "typed 1000+10..1020, $x 1020+8..1030, $other 1030+d0..1100");
    check_program(EM_X86_64, symbols, sizeof symbols / sizeof *symbols, "90",
                  "typed 1000+10..1010, $d.1 1010+f0..1100");
}

/* Code after a function that no symbol names is not the function's. */
static void test_code_after(void **state)
{
    static const struct eb_symbol symbols[] = {FUNCTION("typed", CODE, 16),
                                               FUNCTION("part.cold", CODE + 64, 16)};
    (void)state;
    check_program(EM_X86_64, symbols, 2, "c3", "typed 1000+10..1010, part.cold 1040+10..1100");
    check_program(EM_AARCH64, symbols, 2, "c0035fd6", "typed 1000+10..1010, part.cold 1040+10..1100");
}

static bool is_padding(bool x86, const char *text)
{
    uint8_t bytes[64];
    size_t n = hex_bytes(bytes, sizeof bytes, text);
    return x86 ? x86_is_padding(bytes, n) : aarch64_is_padding(bytes, n);
}

static void test_padding(void **state)
{
    static const char *const x86[] = {"cccccc", "90",         "6690",      "0f1f00", "662e0f1f840000000000",
                                      "0000",   "90 0000 90", "eb02 0000", "eb00",   "e900000000",
                                      "cc90"};
    static const char *const not_x86[] = {"c3",   "90cc", "eb03 0000", "ebfe",      "f390",
                                          "4190", "0f1f", "66",        "e9ffffffff"};
    static const char *const aarch64[] = {"1f2003d5", "00000000", "000020d4 1f2003d5", "01000014",
                                          "02000014 00000000"};
    static const char *const not_aarch64[] = {"c0035fd6", "1f2003d5 000020d4", "02000014", "ffffff17",
                                              "00000014"};
    (void)state;
    for (size_t i = 0; i < sizeof x86 / sizeof *x86; i++)
        assert_true(is_padding(true, x86[i]));
    for (size_t i = 0; i < sizeof not_x86 / sizeof *not_x86; i++)
        assert_false(is_padding(true, not_x86[i]));
    for (size_t i = 0; i < sizeof aarch64 / sizeof *aarch64; i++)
        assert_true(is_padding(false, aarch64[i]));
    for (size_t i = 0; i < sizeof not_aarch64 / sizeof *not_aarch64; i++)
        assert_false(is_padding(false, not_aarch64[i]));
}

TEST_FILE(program_functions)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),     cmocka_unit_test(test_types),
        cmocka_unit_test(test_aliases),    cmocka_unit_test(test_mapping_symbols),
        cmocka_unit_test(test_code_after), cmocka_unit_test(test_padding),
    };
    return RUN_TESTS(tests);
}
