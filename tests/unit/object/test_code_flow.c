/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of functions by their code. Expected values are of BOLT 22 (llvm-bolt --print-cfg) and the manuals of the
 * processors; oracle/bolt_convert.py compares more of them. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/code_flow.h"
#include "object/program_functions.h"

#define CODE 0x1000u
#define DATA 0x2000u
#define PLT 0x3000u

/* A program with code, data, and frames; functions[] are its functions, by address, each with a symbol. */
struct program {
    const char *code, *data, *frames;
    uint16_t machine;
    const struct eb_symbol *symbols;
    size_t n_symbols;
    uint64_t functions[8];
};

struct opened {
    struct eb_bytes bytes;
    struct elf_file *elf;
    struct code_function list[8];
    struct code_functions functions;
    struct code_reader *reader;
    struct code_flow *flow;
};

static uint64_t size_of(const struct program_functions *all, uint64_t address, uint64_t otherwise)
{
    for (size_t i = 0; i < all->list.n; i++)
        if (all->list.data[i].address == address)
            return all->list.data[i].size;
    return otherwise;
}

static void list_functions(struct opened *o, const struct program *p, uint64_t end)
{
    uint32_t hit[8], n = 0;
    struct program_functions all;
    assert_int_equal(program_functions_open(&all, o->elf, NULL), APF_OK);
    for (; n < 8 && p->functions[n]; n++) {
        o->list[n] = (struct code_function){.address = p->functions[n], .name = {"f", 1}};
        uint64_t next = n < 7 ? p->functions[n + 1] : 0;
        o->list[n].end = p->functions[n] == PLT ? PLT + 2 : next && next < end ? next : end;
        o->list[n].size = size_of(&all, p->functions[n], o->list[n].end - p->functions[n]);
        hit[n] = n;
    }
    program_functions_close(&all);
    o->functions = (struct code_functions){o->elf, o->list, n};
    assert_int_equal(code_reader_open(&o->reader, o->elf, NULL), APF_OK);
    assert_int_equal(code_flow_open(&o->flow, &o->functions, o->reader, hit, n, NULL), APF_OK);
}

static void open_program(struct opened *o, const struct program *p)
{
    uint8_t code[256], data[256], frames[256];
    size_t n_code = hex_bytes(code, sizeof code, p->code),
           n_data = p->data ? hex_bytes(data, sizeof data, p->data) : 0,
           n_frames = p->frames ? hex_bytes(frames, sizeof frames, p->frames) : 0;
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE, 0, 0, 0, code, n_code},
        {".rodata", SHT_PROGBITS, SHF_ALLOC, DATA, 0, 0, 0, data, n_data},
        {".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x4000, 0, 0, 0, frames, n_frames},
        {".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PLT, 0, 0, 0, "\x90\x90", 2}};
    struct eb_file file = {64,       false, ET_EXEC,    p->machine ? p->machine : EM_X86_64,
                           sections, 4,     p->symbols, p->n_symbols};
    memset(o, 0, sizeof *o);
    o->bytes = eb_build(&file);
    assert_int_equal(elf_file_open(&o->elf, o->bytes.data, o->bytes.n, NULL), APF_OK);
    list_functions(o, p, CODE + n_code);
}

static void close_program(struct opened *o)
{
    code_flow_close(o->flow);
    code_reader_close(o->reader);
    elf_file_close(o->elf);
    free(o->bytes.data);
}

/* Blocks as text: start-last and flags; "none": the code cannot be followed. */
static void check_blocks(const struct opened *o, uint32_t function, const char *expected)
{
    char text[512] = "none";
    size_t n, at = 0;
    const struct flow_block *b = code_flow_blocks(o->flow, function, &n);
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%x-%x%s%s%s%s", i ? " " : "", b[i].start,
                               b[i].last, b[i].flags & FLOW_ENTRY ? "e" : "",
                               b[i].flags & FLOW_CALLS ? "c" : "", b[i].flags & FLOW_FALLS ? "f" : "",
                               b[i].flags & FLOW_OPEN ? "?" : "");
    assert_string_equal(text, expected);
}

static void check(const char *code, const char *data, const char *expected)
{
    struct program p = {.code = code, .data = data, .functions = {CODE}};
    struct opened o;
    open_program(&o, &p);
    check_blocks(&o, 0, expected);
    close_program(&o);
}

static void test_blocks(void **state)
{
    (void)state;
    check("90 c3", NULL, "0-1e");
    check("85ff 7401 90 c3", NULL, "0-2ef 4-4f 5-5"); /* test, je, nop, ret */
    check("e8fbffffff c3", NULL, "0-5e");             /* a call ends no block */
    check("7402 eb01 90 c3", NULL, "0-2ef 4-4f 5-5"); /* je, jmp: one block, whose successor is next */
    check("7403 eb02 90 90 c3", NULL, "0-2e 4-4f 5-5f 6-6");
    check("0f0b eb01 90 c3", NULL, "0-2e 4-4f 5-5"); /* ud2 and the jump after it, too */
    check("eb01 90 eb00 c3", NULL, "0-0e 2-2f 3-3f 5-5");
    check("f4 90 c3", NULL, "0-0e 1-2");               /* hlt */
    check("cc 90 c3", NULL, "0-2e");                   /* int3 ends nothing */
    check("0f84f00f0000 c3", NULL, "0-0ecf 6-6");      /* a conditional tail call */
    check("e9f00f0000 c3", NULL, "0-0e 5-5");          /* a tail call */
    check("ffe0 90 c3", NULL, "0-0e? 2-3");            /* target unknown */
    check("488d0501000000 90 c3", NULL, "0-7ef 8-8e"); /* lea of the ret */
    check("c3 00", NULL, "0-0e");                      /* zeros at the end are no code */
}

static void test_no_code(void **state)
{
    (void)state;
    check("90 06 c3", NULL, "none");               /* no instruction */
    check("7401 b801000000 c3", NULL, "none");     /* into the middle of one */
    check("90 e2fd c3", NULL, "none");             /* loop */
    check("90 e3fd c3", NULL, "none");             /* jrcxz */
    check("90 48", NULL, "none");                  /* cut off */
    check("62f26d4850d9 0f01ef c3", NULL, "0-9e"); /* Capstone 4 does not know vpdpbusd, wrpkru */
}

/* lea 0xff9(%rip), %rdx; movslq (%rdx,%rcx,4), %rcx; add %rdx, %rcx; jmp *%rcx; two blocks of nop, ret. */
#define RELATIVE_TABLE "488d15f90f0000 48630c8a 4801d1 ffe1 90c3 90c3"
/* jmp *0x2000(,%rax,8) */
#define ABSOLUTE_TABLE "ff24c500200000 90c3 90c3"

static void test_tables(void **state)
{
    (void)state;
    check(RELATIVE_TABLE, "10f0ffff 12f0ffff", "0-eef 10-11 12-13");
    check(RELATIVE_TABLE, "12f0ffff 12f0ffff", "0-ee 10-11 12-13");
    check(RELATIVE_TABLE, "12f0ffff 14f0ffff 10f0ffff", "0-eef 10-11 12-13"); /* one leads to the end */
    check(RELATIVE_TABLE, "12f0ffff 20f0ffff 10f0ffff", "0-ee? 10-11 12-13"); /* beyond: one is no table */
    check(RELATIVE_TABLE, "12f0ffff 11f0ffff 20f0ffff 10f0ffff", "0-ee 10-10f 11-11 12-13");
    check(RELATIVE_TABLE, "12f0ffff 10f0ffff 01f0ffff",
          "0-eef 10-11 12-13");                                  /* no instruction begins there */
    check(RELATIVE_TABLE, "12f0ffff 10f0", "0-ee? 10-11 12-13"); /* cut off */
    check(RELATIVE_TABLE, NULL, "0-ee 10-11 12-13"); /* nothing is there: it leads away, for BOLT */
    check(ABSOLUTE_TABLE, "0710000000000000 0910000000000000", "0-0ef 7-8 9-a");
    check(ABSOLUTE_TABLE, "0910000000000000 0010000000000000", "0-0e 7-8 9-a"); /* to the beginning */
    check(ABSOLUTE_TABLE, "0910000000000000 0910000000000001", "0-0e 7-8 9-a");
    /* mov 0x2000(,%rax,8), %rcx; inc %edx; jmp *%rcx */
    check("488b0cc500200000 ffc2 ffe1 90c3", "0c10000000000000 0d10000000000000", "0-aef c-cf d-d");
    check("488b0cc500200000 ffc1 ffe1 90c3", "0c10000000000000 0d10000000000000", "0-ae? c-d"); /* inc %ecx */
    check("488b0c8500200000 ffc2 ffe1 90c3", "0c10000000000000 0d10000000000000", "0-ae? c-d"); /* scale 4 */
    check("ff25fa0f0000 90c3 90c3", "0810000000000000", "0-0e 6-7 8-9e"); /* jmp *0x2000(%rip) */
    check("ff25fa0f0000 90c3 90c3", "0020000000000000", "0-0e 6-7 8-9");
}

static void test_table_bounds(void **state)
{
    /* The symbol of a table says where it ends. */
    static const struct eb_symbol symbols[] = {{"f", CODE, 0x14, STB_GLOBAL << 4 | STT_FUNC, 1},
                                               {"table", DATA, 8, STT_OBJECT, 2}};
    struct program p = {.code = RELATIVE_TABLE, .functions = {CODE}};
    struct opened o;
    (void)state;
    p.data = "12f0ffff 13f0ffff 10f0ffff";
    open_program(&o, &p);
    check_blocks(&o, 0, "0-eef 10-11 12-12f 13-13");
    close_program(&o);
    p.symbols = symbols;
    p.n_symbols = 2;
    open_program(&o, &p);
    check_blocks(&o, 0, "0-ee 10-11 12-12f 13-13");
    close_program(&o);
}

/* f calls something, and may catch an exception at 6. */
static const char with_pad[] = "e8fbffffff 90 90 c3", pads[] = "ffff0104 00050600",
                  frames[] = "10000000 00000000 01 7a4c5200 01 78 10 02 03 03 00"
                             "14000000 18000000 00100000 08000000 04 00200000 000000 00000000";

static void check_pads(const char *data, const char *text, const char *expected)
{
    struct program p = {.code = with_pad, .data = data, .frames = text, .functions = {CODE}};
    struct opened o;
    open_program(&o, &p);
    check_blocks(&o, 0, expected);
    close_program(&o);
}

static void test_landing_pads(void **state)
{
    char text[sizeof frames];
    (void)state;
    check_pads(pads, frames, "0-5ef 6-7e");
    check_pads("ffff0104 00050000", frames, "0-7e"); /* none */
    check_pads("ffff0104 00050900", frames, "0-7e"); /* outside of it */
    check_pads("ffff0105 00050600", frames, "0-7e"); /* longer than the section */
    check_pads("ffff0b0d 00000000 05000000 06000000 00", frames, "0-5ef 6-7e");
    check_pads("03021000 00 ff 0104 00050400", frames, "0-5ef 6-7e"); /* from 0x1002 on */
    /* From where it stands: 0x4020 is where the pointer to the table is. */
    memcpy(text, frames, sizeof frames);
    memcpy(strstr(text, "03 03 00"), "1b 03 00", 8);
    memcpy(strstr(text, "00200000"), "d6dfffff", 8);
    check_pads(pads, text, "0-7e");
    memcpy(strstr(text, "d6dfffff"), "dbdfffff", 8);
    check_pads(pads, text, "0-5ef 6-7e");
}

static void test_cut_frames(void **state)
{
    uint8_t bytes[sizeof frames];
    char text[sizeof frames] = "";
    size_t n = hex_bytes(bytes, sizeof bytes, frames), complete = 0x2c;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        check_pads(pads, text, i < complete ? "0-7e" : "0-5ef 6-7e");
        snprintf(text + 2 * i, sizeof text - 2 * i, "%02x", bytes[i]);
    }
}

static void test_symbols(void **state)
{
    static const struct eb_symbol symbols[] = {
        {"f", CODE, 9, STB_GLOBAL << 4 | STT_FUNC, 1}, {"one", CODE + 1, 0, STT_NOTYPE, 1},
        {".Ltwo", CODE + 2, 0, STT_NOTYPE, 1},         {"three", CODE + 3, 1, STT_OBJECT, 1},
        {"four", CODE + 4, 0, STT_NOTYPE, 1},          {"five", CODE + 5, 1, STT_FUNC, 1}};
    struct program p = {.code = "90 90 90 90 90 90 90 90 c3 90 c3", .functions = {CODE}};
    struct opened o;
    (void)state;
    p.symbols = symbols;
    p.n_symbols = 6;
    open_program(&o, &p);
    /* A symbol with a size that is no function ends the list of labels. */
    check_blocks(&o, 0, "0-0ef 1-4ef 5-8e");
    assert_int_equal(code_flow_size(o.flow, 0), 9);
    close_program(&o);
}

static void test_two_functions(void **state)
{
    /* jmp to 1 of the second one; its first branch goes back to the nop of the first one */
    struct program p = {.code = "e902000000 90 90 90 75fb c3", .functions = {CODE, CODE + 6, PLT}};
    struct opened o;
    (void)state;
    open_program(&o, &p);
    check_blocks(&o, 0, "0-0e 5-5e");
    check_blocks(&o, 1, "0-0ef 1-2ecf 4-4");
    check_blocks(&o, 2, "none");
    assert_int_equal(code_flow_open_jumps(o.flow), 0);
    close_program(&o);
    p.code = "e902000000 90 b890909090 c3"; /* into the middle of an instruction: neither is code */
    open_program(&o, &p);
    check_blocks(&o, 0, "none");
    check_blocks(&o, 1, "none");
    close_program(&o);
}

static void check_run(const struct opened *o, struct flow_run run, uint32_t function, enum flow_result result,
                      uint32_t start, size_t n)
{
    const struct flow_block *blocks;
    size_t found;
    assert_int_equal(code_flow_run(o->flow, function, &run, &blocks, &found), result);
    assert_int_equal(found, n);
    if (n)
        assert_int_equal(blocks[0].start, start);
}

#define RUN(from, to, may, back) ((struct flow_run){from, to, may, back})

static void test_runs(void **state)
{
    /* call; nop, jne to it; nop, jmp to the ret; jmp *%rax; nop; ret. Then what is no code, and a stub. */
    struct program p = {.code = "e8fbffffff 90 75fd 90 eb03 ffe0 90 c3 06",
                        .functions = {CODE, CODE + 15, PLT}};
    struct opened o;
    (void)state;
    open_program(&o, &p);
    check_blocks(&o, 0, "0-0ecf 5-6f 8-9 b-b? d-df e-e");
    assert_int_equal(code_flow_open_jumps(o.flow), 1);
    check_run(&o, RUN(0, 4, false, false), 0, FLOW_RAN, 0, 0);
    check_run(&o, RUN(0, 9, false, false), 0, FLOW_RAN, 0, 3);
    check_run(&o, RUN(5, 7, false, true), 0, FLOW_RAN, 0, 0);
    check_run(&o, RUN(5, 7, true, true), 0, FLOW_RAN, 0, 2); /* after the call */
    check_run(&o, RUN(5, 7, true, false), 0, FLOW_RAN, 0, 2);
    check_run(&o, RUN(6, 8, true, true), 0, FLOW_RAN, 5, 2); /* not where a block begins */
    check_run(&o, RUN(0, 0, true, true), 0, FLOW_RAN, 0, 0);
    check_run(&o, RUN(8, 9, true, true), 0, FLOW_RAN, 0, 0); /* no call before it */
    check_run(&o, RUN(13, 14, false, false), 0, FLOW_RAN, 13, 2);
    check_run(&o, RUN(5, 11, false, false), 0, FLOW_TORN, 0, 0);
    check_run(&o, RUN(7, 5, false, false), 0, FLOW_TORN, 0, 0);
    check_run(&o, RUN(14, 15, false, false), 0, FLOW_TORN, 0, 0);
    check_run(&o, RUN(11, 13, false, false), 0, FLOW_JUMPED, 0, 0);
    check_run(&o, RUN(0, 0, false, false), 1, FLOW_NOT_KNOWN, 0, 0);
    check_run(&o, RUN(0, 1, false, false), 2, FLOW_IN_STUB, 0, 0);
    check_run(&o, RUN(0, 1, false, false), 7, FLOW_NOT_KNOWN, 0, 0);
    close_program(&o);
}

static void test_arm(void **state)
{
    /* cbz w0 over the nop; ret. bl ends no block; b.ne back to it; br to an unknown target; brk. */
    struct program p = {.machine = EM_AARCH64, .functions = {CODE}};
    struct opened o;
    (void)state;
    p.code = "40000034 1f2003d5 c0035fd6";
    open_program(&o, &p);
    check_blocks(&o, 0, "0-0ef 4-4f 8-8");
    close_program(&o);
    p.code = "00000094 1f2003d5 e1ffff54 00001fd6 200020d4 c0035fd6";
    open_program(&o, &p);
    check_blocks(&o, 0, "0-0ecf 4-8f c-c? 10-10 14-14");
    close_program(&o);
}

/* Any bytes: blocks are in order, and in the function. */
static void check_order(const struct opened *o, size_t n_code)
{
    size_t n;
    const struct flow_block *b = code_flow_blocks(o->flow, 0, &n);
    for (size_t i = 0; i < n; i++) {
        assert_true(b[i].start <= b[i].last && b[i].last < n_code);
        assert_true(i + 1 == n ? !(b[i].flags & FLOW_FALLS) : b[i].last < b[i + 1].start);
    }
    assert_true(n == 0 || b[0].start == 0);
}

static void test_any_bytes(void **state)
{
    static const char *const pieces[] = {"90",
                                         "c3",
                                         "74",
                                         "eb",
                                         "01",
                                         "02",
                                         "fd",
                                         "ffe0",
                                         "e8",
                                         "00000000",
                                         "4801d1",
                                         "48630c8a",
                                         "488d15f90f0000",
                                         "ff24c500200000",
                                         "0f",
                                         "66",
                                         "488d05",
                                         "f0"};
    char code[160], data[40];
    uint64_t seed = 7, found = 0;
    (void)state;
    for (int round = 0; round < 1500; round++) {
        struct program p = {.code = code, .data = data, .functions = {CODE}};
        struct opened o;
        size_t at = 0, n;
        for (int i = 0; i < 12; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const char *piece = pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)];
            at += (size_t)snprintf(code + at, sizeof code - at, "%s", piece);
        }
        snprintf(data, sizeof data, "%02xf0ffff%02xf0ffff%02x10000000000000", (unsigned)(seed >> 40 & 31),
                 (unsigned)(seed >> 48 & 31), (unsigned)(seed >> 56 & 31));
        open_program(&o, &p);
        check_order(&o, at / 2);
        found += code_flow_blocks(o.flow, 0, &n) != NULL;
        close_program(&o);
    }
    assert_true(found > 300);
}

TEST_FILE(code_flow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),       cmocka_unit_test(test_no_code),
        cmocka_unit_test(test_tables),       cmocka_unit_test(test_table_bounds),
        cmocka_unit_test(test_landing_pads), cmocka_unit_test(test_cut_frames),
        cmocka_unit_test(test_symbols),      cmocka_unit_test(test_two_functions),
        cmocka_unit_test(test_runs),         cmocka_unit_test(test_arm),
        cmocka_unit_test(test_any_bytes)};
    return RUN_TESTS(tests);
}
