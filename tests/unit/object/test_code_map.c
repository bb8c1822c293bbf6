/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where instructions begin and what they do, in hand-made sections. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/code_map.h"

#define LAST_PAGE 0xfffffffffffff000u

struct opened {
    struct eb_bytes bytes;
    struct elf_file *elf;
    struct code_map *map;
};

static void open_file(struct opened *o, const struct eb_section *sections, size_t n, uint16_t machine,
                      const struct eb_symbol *symbols, size_t n_symbols)
{
    const struct eb_file file = {64, false, ET_EXEC, machine, sections, n, symbols, n_symbols};
    o->bytes = eb_build(&file);
    assert_int_equal(elf_file_open(&o->elf, o->bytes.data, o->bytes.n, NULL), APF_OK);
    assert_int_equal(code_map_open(&o->map, o->elf, o->elf, NULL), APF_OK);
}

/* A section of code at an address, with a symbol at its begin and `inner` bytes after it (0: none). */
static void open_code(struct opened *o, const char *hex, uint64_t address, uint64_t inner, uint16_t machine)
{
    uint8_t code[128];
    size_t n = hex_bytes(code, sizeof code, hex);
    const struct eb_section text = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, address, 0, 0, 0, code,
                                    n};
    const struct eb_symbol symbols[] = {{"f", address, n, 0x12, 1}, {"g", address + inner, 1, 0x12, 1}};
    open_file(o, &text, 1, machine, symbols, inner ? 2 : 1);
}

static void close_file(struct opened *o)
{
    assert_false(code_map_failed(o->map));
    code_map_close(o->map);
    elf_file_close(o->elf);
    free(o->bytes.data);
}

/* ---- the parts of a small function ---- */

/* 0: test, 2: je 7, 4: call, 9: jmp 0, 11: nop, 12: jmp *rax, 14: ret */
#define SMALL "85ff 7405 e800000000 ebf5 90 ffe0 c3"

static void test_kinds(void **state)
{
    static const enum instruction_kind kinds[] = {[0] = INSTRUCTION_PLAIN,  [2] = INSTRUCTION_BRANCH,
                                                  [4] = INSTRUCTION_CALL,   [9] = INSTRUCTION_BRANCH,
                                                  [11] = INSTRUCTION_PLAIN, [12] = INSTRUCTION_BRANCH,
                                                  [14] = INSTRUCTION_RETURN};
    static const char starts[] = "x.x.x....x.xx.x";
    struct instruction_flow flow;
    struct opened o;
    (void)state;
    open_code(&o, SMALL, 0x1000, 0, EM_X86_64);
    for (uint64_t i = 0; i < 15; i++) {
        assert_int_equal(code_map_has(o.map, 0x1000 + i), starts[i] == 'x');
        assert_int_equal(code_map_kind(o.map, 0x1000 + i), starts[i] == 'x' ? kinds[i] : INSTRUCTION_PLAIN);
        assert_int_equal(code_map_jump(o.map, 0x1000 + i, &flow), i == 2 || i == 9 || i == 12);
    }
    assert_true(code_map_jump(o.map, 0x1002, &flow) && flow.direct && flow.conditional &&
                flow.target == 0x1009);
    assert_true(code_map_jump(o.map, 0x1009, &flow) && flow.direct && !flow.conditional &&
                flow.target == 0x1000);
    assert_true(code_map_jump(o.map, 0x100c, &flow) && !flow.direct);
    assert_int_equal(code_map_size(o.map, 0x1004), 5);
    assert_int_equal(code_map_size(o.map, 0x1005), 0);
    assert_false(code_map_has(o.map, 0xfff));
    assert_false(code_map_has(o.map, 0x100f));
    assert_int_equal(code_map_kind(o.map, 0x100f), INSTRUCTION_PLAIN);
    assert_int_equal(code_map_size(o.map, 0), 0);
    close_file(&o);
}

/* Pairs of addresses, of which none or both may be asked about for the first time. */
static void test_pairs(void **state)
{
    static const struct address_pair pairs[] = {{0x1000, 0x1009, 0},
                                                {0x1001, 0x1002, 0},
                                                {0x1002, 0x1003, 0},
                                                {0, UINT64_MAX, 0},
                                                {0x1009, 0x100f, 0}};
    static const uint8_t expected[] = {CODE_MAP_A | CODE_MAP_B, CODE_MAP_B, CODE_MAP_A, 0, CODE_MAP_A};
    uint8_t found[5];
    struct opened o;
    (void)state;
    for (int again = 0; again < 2; again++) {
        open_code(&o, SMALL, 0x1000, 9, EM_X86_64);
        for (int times = 0; times <= again; times++)
            code_map_has_pairs(o.map, pairs, 5, found);
        assert_memory_equal(found, expected, sizeof found);
        code_map_has_pairs(o.map, pairs, 0, NULL);
        close_file(&o);
    }
}

static void test_neighbours(void **state)
{
    struct opened o;
    (void)state;
    open_code(&o, SMALL, 0x1000, 9, EM_X86_64); /* a symbol at 9 */
    assert_int_equal(code_map_before(o.map, 0x1009), 0x1004);
    assert_int_equal(code_map_before(o.map, 0x1004), 0x1002);
    assert_int_equal(code_map_before(o.map, 0x1003), 0x1002);
    assert_int_equal(code_map_before(o.map, 0x1000), 0);
    assert_int_equal(code_map_before(o.map, 0x100f), 0x100e);
    assert_int_equal(code_map_before(o.map, 0x1010), 0);
    assert_int_equal(code_map_before(o.map, 0), 0);
    assert_int_equal(code_map_from(o.map, 0x1000), 0x1000);
    assert_int_equal(code_map_from(o.map, 0x1005), 0x1009);
    assert_int_equal(code_map_from(o.map, 0x100e), 0x100e);
    assert_int_equal(code_map_from(o.map, 0x100f), UINT64_MAX);
    assert_int_equal(code_map_from(o.map, 0), UINT64_MAX);
    close_file(&o);
}

/* Calls, returns and unconditional direct jumps stop; conditional and indirect ones do not. */
static void test_runs(void **state)
{
    struct opened o;
    (void)state;
    open_code(&o, SMALL, 0x1000, 0, EM_X86_64);
    assert_true(code_map_runs(o.map, 0x1000, 0x1000));
    assert_true(code_map_runs(o.map, 0x1000, 0x1004)); /* the call itself is the end */
    assert_false(code_map_runs(o.map, 0x1000, 0x1009));
    assert_false(code_map_runs(o.map, 0x1009, 0x100b));
    assert_true(code_map_runs(o.map, 0x100b, 0x100e));
    assert_false(code_map_runs(o.map, 0x100e, 0x100f));
    assert_false(code_map_runs(o.map, 0x1004, 0x1000));
    close_file(&o);
}

/* Code is decoded from each symbol: the second one is inside an instruction. */
static void test_symbols(void **state)
{
    struct opened o;
    (void)state;
    open_code(&o, "b890909090 c3", 0x1000, 1, EM_X86_64);
    assert_true(code_map_has(o.map, 0x1000));
    for (uint64_t i = 1; i < 6; i++)
        assert_true(code_map_has(o.map, 0x1000 + i)); /* four nops, ret */
    assert_int_equal(code_map_size(o.map, 0x1000), 5);
    assert_int_equal(code_map_before(o.map, 0x1001), 0x1000);
    close_file(&o);
}

/* What cannot be decoded is passed by bytes. */
static void test_bad_code(void **state)
{
    struct opened o;
    (void)state;
    open_code(&o, "06 06 90 06 c3", 0x1000, 0, EM_X86_64);
    assert_false(code_map_has(o.map, 0x1000));
    assert_true(code_map_has(o.map, 0x1002));
    assert_int_equal(code_map_from(o.map, 0x1000), 0x1002);
    assert_int_equal(code_map_before(o.map, 0x1002), 0);
    assert_int_equal(code_map_before(o.map, 0x1004), 0x1002);
    assert_true(code_map_runs(o.map, 0x1000, 0x1004));
    close_file(&o);
    open_code(&o, "1f2003d5 c0035fd6 1f2003d5", 0x1000, 0, EM_AARCH64);
    assert_true(code_map_has(o.map, 0x1004));
    assert_int_equal(code_map_kind(o.map, 0x1004), INSTRUCTION_RETURN);
    assert_int_equal(code_map_from(o.map, 0x1005), 0x1008);
    close_file(&o);
}

/* ---- sections ---- */

/* Ranges run over gaps, and over .plt; parts that overlap are cut. */
static void test_sections(void **state)
{
    const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
    const struct eb_section sections[] = {
        {".text", SHT_PROGBITS, code, 0x1000, 0, 0, 0, "\x90\x90\x90\x90", 4},
        {".plt", SHT_PROGBITS, code, 0x1010, 0, 0, 0, "\xc3\xc3", 2},
        {"more", SHT_PROGBITS, code, 0x1020, 0, 0, 0, "\x90\xc3\x90\x90", 4},
        {"over", SHT_PROGBITS, code, 0x1022, 0, 0, 0, "\x90\x90\x90", 3},
        {".data", SHT_PROGBITS, SHF_ALLOC, 0x2000, 0, 0, 0, "\x90\x90", 2},
    };
    const struct eb_symbol symbols[] = {{"a", 0x1000, 4, 0x12, 1}, {"p", 0x1010, 2, 0x12, 2},
                                        {"m", 0x1020, 4, 0x12, 3}, {"o", 0x1022, 3, 0x12, 4},
                                        {"d", 0x2000, 2, 0x11, 5}, {"u", 0x1001, 0, 0x12, 0}};
    struct opened o;
    (void)state;
    open_file(&o, sections, COUNT(sections), EM_X86_64, symbols, COUNT(symbols));
    assert_true(code_map_has(o.map, 0x1003) && !code_map_has(o.map, 0x1004) && !code_map_has(o.map, 0x1010));
    assert_true(code_map_has(o.map, 0x1021) && code_map_has(o.map, 0x1022) && code_map_has(o.map, 0x1024));
    assert_false(code_map_has(o.map, 0x2000));
    assert_true(code_map_runs(o.map, 0x1000, 0x1020));
    assert_true(code_map_runs(o.map, 0x1000, 0x1021));
    assert_false(code_map_runs(o.map, 0x1000, 0x1022));
    assert_true(code_map_runs(o.map, 0x1022, 0x9000));
    assert_int_equal(code_map_before(o.map, 0x1020), 0);
    assert_int_equal(code_map_from(o.map, 0x1004), UINT64_MAX);
    close_file(&o);
}

/* A section that ends where addresses end. */
static void test_last_page(void **state)
{
    uint8_t code[0x1000];
    const struct eb_section text = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, LAST_PAGE, 0, 0, 0,
                                    code,    sizeof code};
    const struct eb_symbol symbol = {"f", LAST_PAGE, 1, 0x12, 1};
    struct opened o;
    (void)state;
    memset(code, 0x90, sizeof code);
    open_file(&o, &text, 1, EM_X86_64, &symbol, 1);
    assert_true(code_map_has(o.map, LAST_PAGE) && code_map_has(o.map, UINT64_MAX - 1));
    assert_false(code_map_has(o.map, UINT64_MAX)); /* it stands for none */
    assert_true(code_map_runs(o.map, LAST_PAGE, UINT64_MAX - 1));
    assert_true(code_map_runs(o.map, LAST_PAGE, UINT64_MAX));
    assert_int_equal(code_map_before(o.map, UINT64_MAX), UINT64_MAX - 1);
    assert_int_equal(code_map_from(o.map, UINT64_MAX), UINT64_MAX);
    close_file(&o);
}

/* Long stretches without instructions, and many symbols: as searched address by address. */
static void check_sparse(uint64_t seed, size_t n_symbols)
{
    enum { SIZE = 20000, STEPS = 400 };
    static uint8_t code[SIZE];
    static struct eb_symbol symbols[256];
    const struct eb_section text = {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0,
                                    code,    SIZE};
    struct opened o;
    memset(code, 0x06, SIZE); /* no instruction */
    for (unsigned i = 0; i < 12; i++)
        code[next_random(&seed) % SIZE] = next_random(&seed) % 2 ? 0x90 : 0xc3;
    for (size_t i = 0; i < n_symbols; i++)
        symbols[i] = (struct eb_symbol){"s", 0x1000 + (i ? next_random(&seed) % SIZE : 3), 1, 0x12, 1};
    open_file(&o, &text, 1, EM_X86_64, symbols, n_symbols);
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t at = 0x1000 + next_random(&seed) % SIZE,
                 end = at + next_random(&seed) % (0x1000 + SIZE - at);
        uint64_t before = at, from = at, stop = at;
        while (before > 0x1000 && !code_map_has(o.map, before - 1))
            before--;
        while (from < 0x1000 + SIZE && !code_map_has(o.map, from))
            from++;
        while (stop < end && code_map_kind(o.map, stop) != INSTRUCTION_RETURN)
            stop++;
        assert_int_equal(code_map_before(o.map, at), before == 0x1000 ? 0 : before - 1);
        assert_int_equal(code_map_from(o.map, at), from == 0x1000 + SIZE ? UINT64_MAX : from);
        assert_int_equal(code_map_runs(o.map, at, end), stop == end);
    }
    close_file(&o);
}

static void test_sparse(void **state)
{
    static const size_t n_symbols[] = {1, 2, 40, 256};
    (void)state;
    for (size_t i = 0; i < 4 * COUNT(n_symbols); i++)
        check_sparse(i, n_symbols[i % COUNT(n_symbols)]);
}

/* Without symbols nothing is decoded. */
static void test_no_symbols(void **state)
{
    const struct eb_section text = {
        ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0, 0, 0, "\x90\x90", 2};
    const struct eb_symbol symbol = {"late", 0x1001, 1, 0x12, 1};
    struct opened o;
    (void)state;
    open_file(&o, &text, 1, EM_X86_64, NULL, 0);
    assert_false(code_map_has(o.map, 0x1000));
    assert_int_equal(code_map_before(o.map, 0x1001), 0);
    assert_int_equal(code_map_from(o.map, 0x1000), UINT64_MAX);
    close_file(&o);
    open_file(&o, &text, 1, EM_X86_64, &symbol, 1);
    assert_false(code_map_has(o.map, 0x1000));
    assert_true(code_map_has(o.map, 0x1001));
    assert_int_equal(code_map_from(o.map, 0x1000), 0x1001);
    close_file(&o);
}

TEST_FILE(code_map)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),      cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_neighbours), cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_symbols),    cmocka_unit_test(test_bad_code),
                                       cmocka_unit_test(test_sections),   cmocka_unit_test(test_last_page),
                                       cmocka_unit_test(test_no_symbols), cmocka_unit_test(test_sparse)};
    return RUN_TESTS(tests);
}
