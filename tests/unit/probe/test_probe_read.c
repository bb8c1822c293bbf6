/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections with pseudo probes: those that were decoded by hand, and odd ones. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/probe_build.h"

static const struct eb_symbol mini_symbols[] = {
    {"leaf", 0x201120, 10, 0x12, 1}, {"top", 0x201130, 0x29, 0x12, 1}, {"main", 0x201160, 16, 0x12, 1}};

struct expected {
    uint64_t address;
    uint64_t guid;
    uint32_t id, type, depth;
};

static const struct expected mini_probes[] = {
    {0x201160, MAIN, 1, 0, 0}, {0x201169, MAIN, 2, 2, 0}, {0x201130, TOP, 1, 0, 0}, {0x20113c, TOP, 2, 0, 0},
    {0x201154, TOP, 4, 0, 0},  {0x20113c, MID, 1, 0, 1},  {0x201141, MID, 2, 0, 1}, {0x201143, MID, 3, 2, 1},
    {0x20114a, MID, 4, 0, 1},  {0x20114d, MID, 5, 0, 1},  {0x201120, LEAF, 1, 0, 0}};

static struct apf_probes *open_section(const char *hex)
{
    uint8_t bytes[1024];
    return probe_open_section(bytes, hex_bytes(bytes, sizeof bytes, hex));
}

static void check_probes(const struct apf_probes *probes, const struct expected *rows, size_t n)
{
    assert_int_equal(apf_probes_info(probes)->n_probes, n);
    for (size_t i = 0; i < n; i++) {
        const struct apf_probe *probe = apf_probes_probe(probes, i);
        const struct apf_probe_node *node = apf_probes_node(probes, probe->node);
        assert_int_equal(probe->address, rows[i].address);
        assert_int_equal(node->guid, rows[i].guid);
        assert_int_equal(probe->id, rows[i].id);
        assert_int_equal(probe->type, rows[i].type);
        assert_int_equal(node->depth, rows[i].depth);
    }
    assert_null(apf_probes_probe(probes, n));
}

static struct apf_probes *open_mini(void)
{
    uint8_t bytes[256];
    size_t n = hex_bytes(bytes, sizeof bytes, PROBES_MINI);
    struct eb_section sections[] = {
        {".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x201120, 0, 0, 0, "", 0},
        {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, mini_symbols, 3};
    assert_int_equal(n, 74);
    return probe_open_elf(&file);
}

static void test_mini(void **state)
{
    (void)state;
    struct apf_probes *probes = open_mini();
    check_probes(probes, mini_probes, 11);
    const struct apf_probes_info *info = apf_probes_info(probes);
    assert_int_equal(info->n_records, 3);
    assert_int_equal(info->n_nodes, 4);
    assert_int_equal(info->n_sentinels, 0);
    assert_int_equal(info->old_encoding, 0);
    assert_int_equal(info->elf_machine, EM_X86_64);
    assert_int_equal(info->bytes[APF_PROBE_BYTES_GUIDS], 32);
    assert_int_equal(info->bytes[APF_PROBE_BYTES_COUNTS], 8);
    assert_int_equal(info->bytes[APF_PROBE_BYTES_CALL_SITES], 1);
    assert_int_equal(info->bytes[APF_PROBE_BYTES_INDEXES], 11);
    assert_int_equal(info->bytes[APF_PROBE_BYTES_TYPES], 11);
    assert_int_equal(info->bytes[APF_PROBE_BYTES_DISTANCES], 11);
    assert_int_equal(apf_probes_node(probes, 1)->n_nodes, 2);
    assert_int_equal(apf_probes_node(probes, 1)->n_children, 1);
    assert_int_equal(apf_probes_node(probes, 2)->parent, 1);
    assert_int_equal(apf_probes_node(probes, 2)->call_probe, 3);
    assert_int_equal(apf_probes_node(probes, 2)->offset, 35);
    assert_int_equal(apf_probes_node(probes, 2)->size, 26);
    assert_int_equal(apf_probes_node(probes, 1)->size, 45);
    apf_probes_close(probes);
}

static void test_finding(void **state)
{
    (void)state;
    struct apf_probes *probes = open_mini();
    struct apf_probe_frame frames[2];
    size_t first = 0;
    uint64_t address = 0;
    assert_int_equal(apf_probes_find_range(probes, 0x20113c, 0x20113d, &first), 2);
    assert_int_equal(apf_probes_probe_by_address(probes, first), 3); /* decoded before mid's */
    assert_int_equal(apf_probes_probe_by_address(probes, first + 1), 5);
    assert_int_equal(apf_probes_find_range(probes, 0, 0x201120, &first), 0);
    assert_int_equal(apf_probes_find_range(probes, 0, UINT64_MAX, &first), 11);
    assert_int_equal(apf_probes_probe_by_address(probes, 11), APF_PROBE_NONE);
    size_t node;
    assert_int_equal(apf_probes_find_nodes(probes, MID, &node), 1);
    assert_int_equal(apf_probes_node_by_guid(probes, node), 2);
    assert_int_equal(apf_probes_find_nodes(probes, 1, &node), 0);
    assert_int_equal(apf_probes_node_by_guid(probes, SIZE_MAX), APF_PROBE_NONE);
    assert_int_equal(apf_probes_find_start(probes, TOP, &address), 1);
    assert_int_equal(address, 0x201130);
    assert_int_equal(apf_probes_find_start(probes, MID, &address), 0);
    assert_int_equal(apf_probe_guid((struct apf_str){"leaf", 4}), LEAF);
    assert_int_equal(apf_probes_frames(probes, 5, frames, 2), 1);
    assert_int_equal(frames[0].guid, TOP);
    assert_int_equal(frames[0].call_probe, 3);
    assert_int_equal(frames[0].node, 1);
    assert_int_equal(frames[0].name.n, 3); /* of the symbol: there is no descriptor */
    assert_memory_equal(frames[0].name.p, "top", 3);
    assert_int_equal(apf_probes_frames(probes, 0, frames, 2), 0);
    apf_probes_close(probes);
}

/* As it was decoded by hand; addresses count from the start of each function. */
static void test_fib(void **state)
{
    (void)state;
    const uint64_t mid = 0xefd251adaa3df445u, base = 0x201730, top = 0x201690;
    const struct expected rows[] = {{0x201737 - base, MAIN, 1, 0, 0}, {0x201737 - base, TOP, 1, 0, 1},
                                    {0x201737 - base, TOP, 2, 0, 1},  {0x201750 - base, TOP, 8, 0, 1},
                                    {0x201750 - base, TOP, 9, 0, 1},  {0x201750 - base, TOP, 2, 0, 1},
                                    {0x20175a - base, TOP, 4, 0, 1},  {0x2017a4 - base, TOP, 6, 0, 1},
                                    {0x2017a6 - base, TOP, 7, 1, 1},  {0x2017b1 - base, TOP, 3, 0, 1},
                                    {0x2017b1 - base, TOP, 10, 0, 1}, {0x20175a - base, mid, 1, 0, 2},
                                    {0x20175f - base, mid, 4, 0, 2},  {0x201770 - base, mid, 2, 0, 2},
                                    {0x201772 - base, mid, 3, 2, 2},  {0x2017a0 - base, mid, 5, 0, 2},
                                    {0x201698 - top, TOP, 1, 0, 0},   {0x201698 - top, TOP, 2, 0, 0},
                                    {0x2016b0 - top, TOP, 8, 0, 0},   {0x2016b0 - top, TOP, 9, 0, 0},
                                    {0x2016b0 - top, TOP, 2, 0, 0},   {0x2016bb - top, TOP, 4, 0, 0},
                                    {0x201709 - top, TOP, 6, 0, 0},   {0x20170c - top, TOP, 7, 1, 0},
                                    {0x201716 - top, TOP, 3, 0, 0},   {0x201716 - top, TOP, 10, 0, 0},
                                    {0x2016bb - top, mid, 1, 0, 1},   {0x2016c1 - top, mid, 4, 0, 1},
                                    {0x2016d0 - top, mid, 2, 0, 1},   {0x2016d3 - top, mid, 3, 2, 1},
                                    {0x201704 - top, mid, 5, 0, 1},   {0, LEAF, 1, 0, 0}};
    struct apf_probes *probes = open_section(PROBES_FIB);
    assert_int_equal(apf_probes_info(probes)->probe_bytes, 163);
    check_probes(probes, rows, sizeof rows / sizeof *rows);
    assert_int_equal(apf_probes_probe(probes, 0)->flags, APF_PROBE_FLAG_UNPLACED);
    apf_probes_close(probes);
}

/* The order in which LLVM writes: records and what is inlined by GUID, then by call site; sentinels in records of code
 * with another symbol. */
static void test_order(void **state)
{
    (void)state;
    static const char foo[] = "0500000000000000 0200 0020acbd18db4cc2f85c 018000"
                              "21f8027aefd69d0b 0403 0020acbd18db4cc2f85c 018000 028000 038000"
                              "04 5704000000000000 0100 018000 09 5704000000000000 0100 018000"
                              "03 ae08000000000000 0201 018000 028000 01 050d000000000000 0100 018000"
                              "acbd18db4cc2f85c 0100 078000";
    struct eb_symbol symbol = {"foo", 0x1000, 1, 0x12, 1};
    uint8_t bytes[256];
    size_t n = hex_bytes(bytes, sizeof bytes, foo);
    struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, 0x1000, 0, 0, 0, "", 0},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n}};
    struct eb_file file = {64, false, ET_EXEC, EM_X86_64, sections, 2, &symbol, 1};
    struct apf_probes *probes = probe_open_elf(&file);
    static const struct {
        uint64_t guid, symbol;
        uint32_t parent, site, probes;
    } nodes[] = {{5, 6699318081062747564u, APF_PROBE_NONE, 0, 1},
                 {837061429793323041u, 6699318081062747564u, APF_PROBE_NONE, 0, 3},
                 {1111, 0, 1, 4, 1},
                 {1111, 0, 1, 9, 1},
                 {2222, 0, 1, 3, 2},
                 {3333, 0, 4, 1, 1},
                 {6699318081062747564u, 0, APF_PROBE_NONE, 0, 1}};
    assert_int_equal(apf_probes_info(probes)->n_sentinels, 2);
    assert_int_equal(apf_probes_info(probes)->n_nodes, 7);
    for (size_t i = 0; i < 7; i++) {
        const struct apf_probe_node *node = apf_probes_node(probes, i);
        assert_int_equal(node->guid, nodes[i].guid);
        assert_int_equal(node->symbol, nodes[i].symbol);
        assert_int_equal(node->parent, nodes[i].parent);
        assert_int_equal(node->call_probe, nodes[i].site);
        assert_int_equal(node->n_probes, nodes[i].probes);
    }
    for (size_t i = 0; i < apf_probes_info(probes)->n_probes; i++) {
        assert_int_equal(apf_probes_probe(probes, i)->address, 0x1000);
        assert_int_equal(apf_probes_probe(probes, i)->flags, 0);
    }
    apf_probes_close(probes);
}

static void test_odd(void **state)
{
    (void)state;
    static const char *const sections[] = {
        PROBES_MINI,
        PROBES_FIB,
        "",
        HEX_LEAF "0000",                                    /* nothing but a name */
        HEX_LEAF "0100 02c000b4942a",                       /* with a discriminator */
        HEX_LEAF "0200 02c00000 018000",                    /* which is 0 */
        HEX_LEAF "0100 01ff0500",                           /* all attributes, and the last type */
        HEX_LEAF "0200 0020 90682dc65aa3cf81 018005",       /* a sentinel in front */
        HEX_LEAF "0300 018001 0020bab4ff04cc14af66 028002", /* one in the middle */
        HEX_LEAF "0300 018001 00a003 028002",               /* one with a distance */
        HEX_LEAF "0200 018001 00600100000000000000 07",     /* one with a discriminator, at the end */
        HEX_LEAF "0200 01000010000000000000 028005",        /* a literal address */
        HEX_LEAF "0200 01000010000000000000 028005" HEX_TOP "0100 018001", /* and what follows from it */
        HEX_LEAF "0100 018001" HEX_TOP "0100 01000010000000000000" HEX_MAIN "0100 018001",
        HEX_LEAF "8100 8000 8180808000 80 bf00",              /* padded numbers */
        HEX_LEAF "0100 01 80 808080808080808080808080808000", /* beyond all need */
        HEX_LEAF "0100 01 80 ffffffffffffffffffffffffffffff7f",
        HEX_LEAF "0100 01 80 8080808080808080807f", /* the least distance */
        HEX_LEAF "0100 ffffffff0f 8000",            /* the largest index */
        HEX_LEAF "0001 07" HEX_TOP "0100 018001",   /* only a path */
        "0000000000000000 0100 018000",
        "1f8b080000000000 0100 018000", /* it looks like a gzip file */
        "28b52ffd00000000 0100 018000", /* or a zstd one */
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        uint8_t bytes[1024];
        size_t n = hex_bytes(bytes, sizeof bytes, sections[i]);
        struct apf_probes *probes = probe_open_section(bytes, n);
        probe_check_rewritten(probes, bytes, n);
        apf_probes_close(probes);
    }
}

/* Literal addresses place what follows, whatever its function; what stands before counts from its function. */
static void test_old_encoding(void **state)
{
    (void)state;
    struct apf_probes *probes = open_section(
        HEX_LEAF "0100 018001" HEX_TOP "0200 01000010000000000000 02807f" HEX_MAIN "0100 018005");
    const struct expected rows[] = {
        {1, LEAF, 1, 0, 0}, {0x1000, TOP, 1, 0, 0}, {0xfff, TOP, 2, 0, 0}, {0x1004, MAIN, 1, 0, 0}};
    check_probes(probes, rows, 4);
    assert_int_equal(apf_probes_info(probes)->old_encoding, 1);
    assert_int_equal(apf_probes_probe(probes, 0)->flags, APF_PROBE_FLAG_UNPLACED);
    assert_int_equal(apf_probes_probe(probes, 1)->flags, APF_PROBE_FLAG_LITERAL);
    assert_int_equal(apf_probes_probe(probes, 3)->flags, 0);
    apf_probes_close(probes);
}

/* In objects of LLVM 13 to 15 the addresses are relocations: with the addend beside them, or in their place. */
static void check_relocated(unsigned bits, bool big_endian, bool with_addend)
{
    uint8_t probes_bytes[64], rel[24];
    size_t word = bits / 8, n = hex_bytes(probes_bytes, sizeof probes_bytes, HEX_LEAF "0100 0100");
    if (big_endian)
        eb_store(probes_bytes, LEAF, 8, true);
    eb_store(probes_bytes + n, with_addend ? 0 : 0x10, word, big_endian);
    eb_store(rel, n, word, big_endian);
    eb_store(rel + word, bits == 64 ? (uint64_t)1 << 32 | 1 : 1 << 8 | 1, word, big_endian);
    eb_store(rel + 2 * word, 0x10, word, big_endian);
    struct eb_symbol symbol = {"start", 0x20, 0, 0x02, 1};
    struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, probes_bytes, n + word},
                                    {".rela", with_addend ? SHT_RELA : SHT_REL, 0, 0, 4, 2,
                                     (with_addend ? 3 : 2) * word, rel, (with_addend ? 3 : 2) * word}};
    struct eb_file file = {bits, big_endian, ET_REL, EM_X86_64, sections, 3, &symbol, 1};
    struct apf_probes *probes = probe_open_elf(&file);
    const struct expected row = {0x30, LEAF, 1, 0, 0};
    check_probes(probes, &row, 1);
    assert_int_equal(apf_probes_node(probes, 0)->text, 1);
    assert_int_equal(apf_probes_info(probes)->big_endian, big_endian);
    struct apf_output output = apf_output_callback(apf_buffer_write, NULL);
    assert_int_equal(apf_probes_write_section(probes, 2, &output, NULL), APF_UNSUPPORTED);
    apf_probes_close(probes);
}

static void test_relocations(void **state)
{
    (void)state;
    for (unsigned bits = 32; bits <= 64; bits += 32)
        for (unsigned k = 0; k < 4; k++)
            check_relocated(bits, k & 1, k & 2);
}

/* They need not be in order. */
static void test_unsorted_relocations(void **state)
{
    (void)state;
    uint8_t bytes[64], rela[48];
    size_t n = hex_bytes(bytes, sizeof bytes, HEX_LEAF "0200 01000000000000000000 02000000000000000000");
    static const uint64_t fields[] = {22, (uint64_t)1 << 32 | 1, 7, 12, (uint64_t)1 << 32 | 1, 5};
    for (size_t i = 0; i < 6; i++)
        eb_store(rela + 8 * i, fields[i], 8, false);
    struct eb_symbol symbol = {"start", 0x20, 0, 0x02, 1};
    struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n},
                                    {".rela", SHT_RELA, 0, 0, 4, 2, 24, rela, sizeof rela}};
    struct eb_file file = {64, false, ET_REL, EM_X86_64, sections, 3, &symbol, 1};
    struct apf_probes *probes = probe_open_elf(&file);
    const struct expected rows[] = {{0x25, LEAF, 1, 0, 0}, {0x27, LEAF, 2, 0, 0}};
    check_probes(probes, rows, 2);
    apf_probes_close(probes);
}

/* In a linked file of 32 bits literal addresses have 4 bytes where all can be decoded that way, else 8. */
static void test_narrow_literals(void **state)
{
    (void)state;
    static const char *const hex[] = {HEX_LEAF "0200 010000100000 028003" HEX_TOP "0100 018001",
                                      HEX_LEAF "0200 01000010000000000000 028003" HEX_TOP "0100 018001"};
    for (unsigned k = 0; k < 4; k++) {
        bool big = k & 1, wide = k & 2;
        uint8_t bytes[64];
        size_t n = hex_bytes(bytes, sizeof bytes, hex[wide]);
        eb_store(bytes, LEAF, 8, big);
        eb_store(bytes + 12, 0x1000, wide ? 8 : 4, big);
        eb_store(bytes + n - 13, TOP, 8, big);
        struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, 0x1000, 0, 0, 0, "", 0},
                                        {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n}};
        struct eb_file file = {32, big, ET_EXEC, EM_386, sections, 2, NULL, 0};
        struct apf_probes *probes = probe_open_elf(&file);
        const struct expected rows[] = {
            {0x1000, LEAF, 1, 0, 0}, {0x1003, LEAF, 2, 0, 0}, {0x1004, TOP, 1, 0, 0}};
        check_probes(probes, rows, 3);
        assert_int_equal(apf_probes_info(probes)->literal_bytes, wide ? 8 : 4);
        probe_check_rewritten(probes, bytes, n);
        assert_int_equal(apf_probes_write_section(probes, 1, NULL, NULL), APF_ARGUMENT); /* .text */
        apf_probes_close(probes);
    }
}

/* Functions of one name in several sections of an object: each record is about that of the section it is linked to. */
static void test_link_order(void **state)
{
    (void)state;
    uint8_t bytes[32];
    size_t n = hex_bytes(bytes, sizeof bytes, HEX_LEAF "0100 018001");
    struct eb_symbol symbols[] = {
        {"leaf", 0x10, 1, 0x02, 1}, {"leaf", 0x20, 1, 0x02, 2}, {"leaf", 0x30, 1, 0x02, 5}};
    struct eb_section sections[] = {{".text.a", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0},
                                    {".text.b", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0},
                                    {".pseudo_probe", SHT_PROGBITS, SHF_LINK_ORDER, 0, 1, 0, 0, bytes, n},
                                    {".pseudo_probe", SHT_PROGBITS, SHF_LINK_ORDER, 0, 2, 0, 0, bytes, n},
                                    {".text.c", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0}};
    struct eb_file file = {64, false, ET_REL, EM_X86_64, sections, 5, symbols, 3};
    struct apf_probes *probes = probe_open_elf(&file);
    const struct expected rows[] = {{0x11, LEAF, 1, 0, 0}, {0x21, LEAF, 1, 0, 0}};
    check_probes(probes, rows, 2);
    assert_int_equal(apf_probes_node(probes, 0)->text, 1);
    assert_int_equal(apf_probes_node(probes, 1)->text, 2);
    assert_int_equal(apf_probes_section(probes, 0), 3);
    assert_int_equal(apf_probes_section(probes, 1), 4);
    assert_int_equal(apf_probes_section(probes, 2), APF_PROBE_NONE);
    apf_probes_close(probes);
}

/* Of many symbols with one name the last one counts, and they take no longer than others. */
static void test_same_symbols(void **state)
{
    (void)state;
    enum { MANY = 200000 };
    uint8_t bytes[32];
    size_t n = hex_bytes(bytes, sizeof bytes, HEX_LEAF "0100 018001");
    struct eb_symbol *symbols = calloc(MANY, sizeof *symbols);
    assert_non_null(symbols);
    for (size_t i = 0; i < MANY; i++) {
        struct eb_symbol symbol = {"leaf", i + 1, 0, 0x02, 1};
        symbols[i] = symbol;
    }
    struct eb_section sections[] = {{".text", SHT_PROGBITS, SHF_ALLOC, 0, 0, 0, 0, "", 0},
                                    {".pseudo_probe", SHT_PROGBITS, 0, 0, 0, 0, 0, bytes, n}};
    struct eb_file file = {64, false, ET_EXEC, EM_AARCH64, sections, 2, symbols, MANY};
    struct apf_probes *probes = probe_open_elf(&file);
    const struct expected row = {MANY + 1, LEAF, 1, 0, 0};
    check_probes(probes, &row, 1);
    assert_int_equal(apf_probes_info(probes)->n_symbols, MANY);
    free(symbols);
    apf_probes_close(probes);
}

/* ---- descriptors ---- */

static void test_descs(void **state)
{
    (void)state;
    uint8_t bytes[256];
    size_t n = hex_bytes(bytes, sizeof bytes,
                         HEX_LEAF "ffffffff00000000 04 6c656166" HEX_TOP "39a8c15824000200 03 746f70" HEX_LEAF
                                  "0100000000000000 8500 6c65616600 0500000000000000 0000000000000000 00");
    struct apf_input input = apf_input_memory(bytes, n, "d");
    struct apf_probes *probes;
    struct apf_error error;
    assert_int_equal(apf_probes_open_sections(&probes, NULL, &input, NULL, &error), APF_OK);
    static const struct {
        uint64_t guid, hash;
        size_t n, offset;
    } rows[] = {{5, 0, 0, 64}, {LEAF, 0xffffffff, 4, 0}, {LEAF, 1, 5, 41}, {TOP, 563106061330489, 3, 21}};
    assert_int_equal(apf_probes_info(probes)->n_descs, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct apf_probe_desc *desc = apf_probes_desc(probes, i);
        assert_int_equal(desc->guid, rows[i].guid);
        assert_int_equal(desc->hash, rows[i].hash);
        assert_int_equal(desc->name.n, rows[i].n);
        assert_int_equal(desc->offset, rows[i].offset);
    }
    assert_null(apf_probes_desc(probes, 4));
    assert_ptr_equal(apf_probes_find_desc(probes, LEAF), apf_probes_desc(probes, 1));
    assert_null(apf_probes_find_desc(probes, MAIN));
    struct apf_probe_hash parts = apf_probe_hash_parts(563106061330489);
    assert_int_equal(parts.calls, 2);
    assert_int_equal(parts.edges, 9);
    assert_int_equal(parts.crc, 0x58c1a839);
    probe_check_rewritten(probes, bytes, n);
    apf_probes_close(probes);
}

TEST_FILE(probe_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mini),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_fib),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_old_encoding),
        cmocka_unit_test(test_relocations),
        cmocka_unit_test(test_unsorted_relocations),
        cmocka_unit_test(test_narrow_literals),
        cmocka_unit_test(test_link_order),
        cmocka_unit_test(test_same_symbols),
        cmocka_unit_test(test_descs),
    };
    return RUN_TESTS(tests);
}
