/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of AArch64 programs. One program, made by BOLT 22 and by BOLT 16, whose tables say the same but for hashes and
 * two addresses:
 *
 *     clang-22 --target=aarch64-linux-gnu -O1 -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -c
 *     ld.lld-22 -q -static
 *     llvm-bolt-N --enable-bat --split-functions --split-strategy=random2 --bolt-seed=3 --reorder-blocks=reverse
 *
 *     static int volatile seed;
 *     __attribute__((noinline)) static int twice(int x) { return x & 1 ? 2 * x + seed : 2 * x; }
 *     __attribute__((noinline)) int pick(int kind, int x) {
 *         switch (kind) {
 *         case 0: return twice(x);
 *         case 1: seed += 3; return x + 1;
 *         case 2: return x * seed;
 *         case 3: return x ^ 0x55;
 *         default: return kind > 100 ? -x : twice(kind) + 1; } }
 *     int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += pick(i & 7, i); return s; }
 *     _start: ldr x0, [sp]; bl work; mov x8, #93; svc #0
 *
 * Of the table of BOLT 16 the text is that of llvm-bat-dump-16; of the other one, that of tests/oracle/_bat.py, which
 * knows nothing of anyprof. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/bat.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"

#define MOST 1024

/* .note.bolt_bat, */
static const char table_22[] =
    "05000000c201000001000000424f4c54000000000480808003faa69fec63de661f0100020202000000596151c3000000040c"
    "1e426e172831cc0a0c000b0202000000a615ad9100f0000408d7017000356c5d9811000b08110c1804b77f6000d1b9112111"
    "00ffffffffffffffffff010c1904575800d6bf39858200ffffffffffffffffff01040904675000bdf372501100ffffffffff"
    "ffffffff01040904e3801d0cab2bb40903000202020000009626c04e0054000808abc5b1307de3bf280500040202000000b7"
    "49370d004e001408e70048006683f957a700041021033001480d0202004800a6153b944d600704085f3c005c119a531100ff"
    "ffffffffffffffff010811045f3400a615a0ff118affffffffffffffffff01040908672c00a615708011b3ffffffffffffff"
    "ffff01040908471400fcf8f4471100ffffffffffffffffff01142904470c00a615037e8245ffffffffffffffffff01040908"
    "6f08001b013e2211d1ffffffffffffffffff0108011803010000180084257134b1000204680c00240eeeec1b7cffffffffff"
    "ffffffff01081108014406010000440032cf450be5d903084024003dd65ea4a776ffffffffffffffffff010811102008b77f"
    "180032cfe8f0e5d8ffffffffffffffffff0108110000";

static const char table_16[] =
    "05000000d401000001000000424f4c5400000000070000000000600000000000020000000000000000000000040000000400"
    "008010006000000000000b000000000000000000000004000000040000800c00000070000000140000007800008020000000"
    "840000802400000060000000300000006c0000803400000058000000380000005c0000803c00000050000000400000005400"
    "0080540060000000000002000000000000000000000008000000080000808000600000000000040000000000000000000000"
    "14000000140000801c000000480000002c00000058000080c0006000000000000d0000000000000048000000040000004c00"
    "00800c0000003c000000140000004400008018000000340000001c00000038000080240000002c0000002800000030000080"
    "30000000140000004400000028000080480000000c0000004c0000001000008054000000080000001c016000000000000300"
    "00000000000018000000040000000c0000000c00000014000080400160000000000006000000000000004400000008000000"
    "24000000100000002c000080200000003c0000802800000018000000300000002000008003000000c0006000000000001000"
    "6000000000001c01600000000000540060000000000040016000000000008000600000000000";

/* and .text of the program, and .text and .text.cold of what BOLT 22 made of it. */
static const char code_before[] =
    "e00340f92c000094a80b80d2010000d41f0400714c010054800200341f040071c10100548800009020040011096942b9290d"
    "0011096902b9c0035fd61f080071800100541f0c007181000054a80a80522000084ac0035fd61f9401712b010054e003014b"
    "c0035fd6e003012a0b00001488000090086942b9007d011bc0035fd6fd7bbfa9fd0300910400009400040011fd7bc1a8c003"
    "5fd6e803002a00781f538800003688000090086942b90001000bc0035fd6fd7bbda91f040071f50b00f9fd030091f44f02a9"
    "8b010054f303002af5031f2af4031f2aa00a0012e103152accffff97b50600111400140b7f02156b41ffff5402000014f403"
    "1f2ae003142af44f42a9f50b40f9fd7bc3a8c0035fd6";

static const char code[] =
    "e00340f918000094a80b80d2010000d41f0400718c0600543f000014fd7bbfa9fd0300910c00009400040011fd7bc1a8c003"
    "5fd608e1ff90086942b9007d011bc0035fd6e003012a03000014e003014bc0035fd6e803002a00781f530806003630000014"
    "fd7bbda91f040071f50b00f9fd030091f44f02a9cb05005437000014e003142af44f42a9f50b40f9fd7bc3a8c0035fd6";

static const char cold_code[] =
    "1f940171cbfaff54e1ffff17a80a80522000084ac0035fd61f0c007121ffff54fbffff171f08007160faff54fbffff1708e1"
    "ff9020040011096942b9290d0011096902b9c0035fd61f040071a1fdff54f8ffff1780f9ff34fcffff17c0035fd608e1ff90"
    "086942b90001000bfcffff17f4031f2ad3ffff17a00a0012e103152ab4ffff97b50600111400140b7f02156b41ffff54cbff"
    "ff17f303002af5031f2af4031f2af5ffff17";

static const char dump_22[] = "BOLT-INFO: Parsed 7 BAT entries\n"
                              "BAT tables for 7 functions:\n"
                              "Function Address: 0x600000, hash: 0x1f66de63ec9fa6fa\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0 hash: 0xc35161590000\n"
                              "0x4 -> 0x4 (branch)\n"
                              "NumBlocks: 1\n"
                              "\n"
                              "Function Address: 0x600010, hash: 0xacc3128176e421e\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0 hash: 0xf00091ad15a60000\n"
                              "0x4 -> 0x4 (branch)\n"
                              "0xc -> 0x70 hash: 0x11985d6c350070\n"
                              "0x14 -> 0x78 (branch)\n"
                              "0x20 -> 0x84 (branch)\n"
                              "0x24 -> 0x60 hash: 0x112111b9d10060\n"
                              "0x30 -> 0x6c (branch)\n"
                              "0x34 -> 0x58 hash: 0x828539bfd60058\n"
                              "0x38 -> 0x5c (branch)\n"
                              "0x3c -> 0x50 hash: 0x115072f3bd0050\n"
                              "0x40 -> 0x54 (branch)\n"
                              "NumBlocks: 12\n"
                              "\n"
                              "Function Address: 0x600054, hash: 0x9b42bab0c1d80e3\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0 hash: 0x54004ec026960000\n"
                              "0x8 -> 0x8 (branch)\n"
                              "NumBlocks: 3\n"
                              "\n"
                              "Function Address: 0x600064, hash: 0x28bfe37d30b1c5ab\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0 hash: 0x4e000d3749b70000\n"
                              "0x14 -> 0x14 (branch)\n"
                              "0x1c -> 0x48 hash: 0xa757f983660048\n"
                              "0x2c -> 0x58 (branch)\n"
                              "NumBlocks: 5\n"
                              "\n"
                              "Function Address: 0x6000c0\n"
                              "BB mappings:\n"
                              "0x0 -> 0x48 hash: 0x604d943b15a60048\n"
                              "0x4 -> 0x4c (branch)\n"
                              "0xc -> 0x3c hash: 0x11539a115c003c\n"
                              "0x14 -> 0x44 (branch)\n"
                              "0x18 -> 0x34 hash: 0x8a11ffa015a60034\n"
                              "0x1c -> 0x38 (branch)\n"
                              "0x24 -> 0x2c hash: 0xb311807015a6002c\n"
                              "0x28 -> 0x30 (branch)\n"
                              "0x30 -> 0x14 hash: 0x1147f4f8fc0014\n"
                              "0x44 -> 0x28 (branch)\n"
                              "0x48 -> 0xc hash: 0x45827e0315a6000c\n"
                              "0x4c -> 0x10 (branch)\n"
                              "0x54 -> 0x8 hash: 0xd111223e011b0008\n"
                              "\n"
                              "Function Address: 0x60011c\n"
                              "BB mappings:\n"
                              "0x0 -> 0x18 hash: 0xb1347125840018\n"
                              "0x4 -> 0xc hash: 0x7c1becee0e24000c\n"
                              "0xc -> 0x14 (branch)\n"
                              "\n"
                              "Function Address: 0x600130\n"
                              "BB mappings:\n"
                              "0x0 -> 0x44 hash: 0xd9e50b45cf320044\n"
                              "0x8 -> 0x24 hash: 0x76a7a45ed63d0024\n"
                              "0x10 -> 0x2c (branch)\n"
                              "0x20 -> 0x3c (branch)\n"
                              "0x28 -> 0x18 hash: 0xd8e5f0e8cf320018\n"
                              "0x30 -> 0x20 (branch)\n"
                              "\n"
                              "3 cold mappings:\n"
                              "0x6000c0 -> 600010\n"
                              "0x60011c -> 600054\n"
                              "0x600130 -> 600064\n"
                              "\n";

static const char dump_16[] = "BOLT-INFO: Parsed 7 BAT entries\n"
                              "BOLT-INFO: Parsed 3 BAT cold-to-hot entries\n"
                              "BAT tables for 7 functions:\n"
                              "Function Address: 0x600000\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0\n"
                              "0x4 -> 0x4 (branch)\n"
                              "\n"
                              "Function Address: 0x600010\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0\n"
                              "0x4 -> 0x4 (branch)\n"
                              "0xc -> 0x70\n"
                              "0x14 -> 0x78 (branch)\n"
                              "0x20 -> 0x84 (branch)\n"
                              "0x24 -> 0x60\n"
                              "0x30 -> 0x6c (branch)\n"
                              "0x34 -> 0x58\n"
                              "0x38 -> 0x5c (branch)\n"
                              "0x3c -> 0x50\n"
                              "0x40 -> 0x54 (branch)\n"
                              "\n"
                              "Function Address: 0x600054\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0\n"
                              "0x8 -> 0x8 (branch)\n"
                              "\n"
                              "Function Address: 0x600080\n"
                              "BB mappings:\n"
                              "0x0 -> 0x0\n"
                              "0x14 -> 0x14 (branch)\n"
                              "0x1c -> 0x48\n"
                              "0x2c -> 0x58 (branch)\n"
                              "\n"
                              "Function Address: 0x6000c0\n"
                              "BB mappings:\n"
                              "0x0 -> 0x48\n"
                              "0x4 -> 0x4c (branch)\n"
                              "0xc -> 0x3c\n"
                              "0x14 -> 0x44 (branch)\n"
                              "0x18 -> 0x34\n"
                              "0x1c -> 0x38 (branch)\n"
                              "0x24 -> 0x2c\n"
                              "0x28 -> 0x30 (branch)\n"
                              "0x30 -> 0x14\n"
                              "0x44 -> 0x28 (branch)\n"
                              "0x48 -> 0xc\n"
                              "0x4c -> 0x10 (branch)\n"
                              "0x54 -> 0x8\n"
                              "\n"
                              "Function Address: 0x60011c\n"
                              "BB mappings:\n"
                              "0x0 -> 0x18\n"
                              "0x4 -> 0xc\n"
                              "0xc -> 0x14 (branch)\n"
                              "\n"
                              "Function Address: 0x600140\n"
                              "BB mappings:\n"
                              "0x0 -> 0x44\n"
                              "0x8 -> 0x24\n"
                              "0x10 -> 0x2c (branch)\n"
                              "0x20 -> 0x3c (branch)\n"
                              "0x28 -> 0x18\n"
                              "0x30 -> 0x20 (branch)\n"
                              "\n"
                              "3 cold mappings:\n"
                              "0x6000c0 -> 600010\n"
                              "0x60011c -> 600054\n"
                              "0x600140 -> 600080\n"
                              "\n";

struct bytes {
    uint8_t p[MOST];
    size_t n;
};

static struct bytes bytes_of(const char *hex)
{
    struct bytes b = {{0}, 0};
    b.n = hex_bytes(b.p, MOST, hex);
    return b;
}

static struct apf_bat *open_bytes(const void *p, size_t n)
{
    struct apf_input input = apf_input_memory(p, n, "table");
    struct apf_bat *bat;
    assert_int_equal(apf_bat_open(&bat, &input, NULL, NULL), APF_OK);
    return bat;
}

/* ---- sections alone ---- */

static void assert_written(const struct apf_bat *bat, uint32_t flags, const struct bytes *expected)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_bat_write(bat, flags, &output, NULL), APF_OK);
    assert_int_equal(out.n, expected->n);
    assert_memory_equal(out.data, expected->p, out.n);
    apf_buffer_free(&out);
}

static void assert_dump(const struct apf_bat *bat, const char *expected)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_bat_print(bat, 0, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    apf_buffer_free(&out);
}

static void test_22(void **state)
{
    (void)state;
    struct bytes section = bytes_of(table_22);
    struct apf_bat *bat = open_bytes(section.p, section.n);
    assert_int_equal(section.n, 472);
    assert_int_equal(apf_bat_info(bat)->encoding, APF_BAT_ENCODING_CURRENT);
    assert_int_equal(apf_bat_info(bat)->rest_bytes, 0);
    assert_dump(bat, dump_22);
    assert_written(bat, 0, &section);
    assert_written(bat, APF_BAT_WRITE_AS_STORED, &section);
    apf_bat_close(bat);
}

static void test_16(void **state)
{
    (void)state;
    struct bytes section = bytes_of(table_16), newer = bytes_of(table_22);
    struct apf_bat *bat = open_bytes(section.p, section.n), *other = open_bytes(newer.p, newer.n);
    assert_int_equal(apf_bat_info(bat)->encoding, APF_BAT_ENCODING_FIXED);
    assert_dump(bat, dump_16);
    assert_written(bat, APF_BAT_WRITE_AS_STORED, &section);
    assert_int_equal(apf_bat_info(bat)->n_entries, apf_bat_info(other)->n_entries);
    for (size_t i = 0; i < apf_bat_info(bat)->n_entries; i++) {
        const struct apf_bat_entry *a = apf_bat_entry(bat, i), *b = apf_bat_entry(other, i);
        assert_int_equal(a->output, b->output);
        assert_int_equal(a->input, b->input);
        assert_int_equal(a->flags, b->flags);
    }
    apf_bat_close(bat);
    apf_bat_close(other);
}

/* ---- programs ---- */

#define FUNC (STB_GLOBAL << 4 | STT_FUNC)
#define CODE SHF_ALLOC | SHF_EXECINSTR

static struct eb_bytes build(const struct eb_section *sections, size_t n_sections,
                             const struct eb_symbol *symbols, size_t n_symbols)
{
    struct eb_file file = {64, false, ET_EXEC, EM_AARCH64, sections, n_sections, symbols, n_symbols};
    return eb_build(&file);
}

static struct eb_bytes build_original(void)
{
    static const struct eb_symbol symbols[] = {{"_start", 0x210158, 16, FUNC, 1},
                                               {"pick", 0x210168, 136, FUNC, 1},
                                               {"twice", 0x2101f0, 28, FUNC, 1},
                                               {"work", 0x21020c, 92, FUNC, 1}};
    struct bytes text = bytes_of(code_before);
    const struct eb_section sections[] = {{".text", SHT_PROGBITS, CODE, 0x210158, 0, 0, 0, text.p, text.n}};
    return build(sections, 1, symbols, COUNT(symbols));
}

/* What BOLT made, with a table and with code that may have been changed. */
static struct eb_bytes build_program(const struct bytes *table, const struct bytes *hot,
                                     const struct bytes *cold)
{
    static const struct eb_symbol symbols[] = {
        {"twice.cold.0", 0x60011c, 20, FUNC, 2}, {"twice", 0x600054, 16, FUNC, 1},
        {"work.cold.0", 0x600130, 56, FUNC, 2},  {"pick.cold.0", 0x6000c0, 92, FUNC, 2},
        {"_start", 0x600000, 16, FUNC, 1},       {"work", 0x600064, 48, FUNC, 1},
        {"pick", 0x600010, 68, FUNC, 1}};
    const struct eb_section sections[] = {
        {".text", SHT_PROGBITS, CODE, 0x600000, 0, 0, 0, hot->p, hot->n},
        {".text.cold", SHT_PROGBITS, CODE, 0x6000c0, 0, 0, 0, cold->p, cold->n},
        {".note.bolt_bat", SHT_NOTE, 0, 0, 0, 0, 0, table->p, table->n}};
    return build(sections, 3, symbols, COUNT(symbols));
}

struct pair {
    struct eb_bytes program, original;
    struct apf_bat *bat;
};

static struct pair open_pair(const struct bytes *table, const struct bytes *hot, const struct bytes *cold)
{
    struct pair p = {build_program(table, hot, cold), build_original(), NULL};
    struct apf_input input = apf_input_memory(p.original.data, p.original.n, "original");
    size_t found = 0;
    p.bat = open_bytes(p.program.data, p.program.n);
    assert_int_equal(apf_bat_read_original(p.bat, &input, NULL, &found, NULL), APF_OK);
    assert_int_equal(found, 4);
    return p;
}

static void close_pair(struct pair *p)
{
    apf_bat_close(p->bat);
    free(p->program.data);
    free(p->original.data);
}

static void test_forth(void **state)
{
    static const struct {
        uint64_t address;
        uint32_t flags, function, offset;
    } cases[] = {
        {0x600000, 0, 0, 0},    /* _start */
        {0x600010, 0, 1, 0},    /* pick */
        {0x600014, 0, 1, 4},    /* its first branch */
        {0x600018, 0, 1, 8},    /* a branch of BOLT's after it: by the distance, */
        {0x600018, 1, 1, 4},    /* or by the entry */
        {0x600020, 0, 1, 0x74}, /* inside a block that was moved */
        {0x6000d0, 0, 1, 0x40}, /* in the cold piece */
        {0x600114, 0, 1, 8},
        {0x600124, 0, 2, 0x10},         /* of twice */
        {0x600140, 1, 3, 0x2c},         /* the call in work */
        {0x600094, 0, APF_BAT_NONE, 0}, /* after the code */
    };
    (void)state;
    struct bytes table = bytes_of(table_22), hot = bytes_of(code), cold = bytes_of(cold_code);
    struct pair p = open_pair(&table, &hot, &cold);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_bat_place place;
        apf_bat_translate(p.bat, &cases[i].address, 1, cases[i].flags ? APF_BAT_TRANSLATE_BRANCH_SOURCE : 0,
                          &place);
        assert_int_equal(place.function, cases[i].function);
        assert_int_equal(place.offset, cases[i].offset);
    }
    close_pair(&p);
}

static void test_back(void **state)
{
    static const struct {
        uint64_t input; /* address in the program before BOLT */
        uint64_t output;
        uint32_t flags;
    } cases[] = {
        {0x210158, 0x600000, 0}, {0x210168, 0x600010, 0}, {0x2101d8, 0x60001c, 0}, {0x2101e0, 0x600024, 0},
        {0x210170, 0x600114, 0}, {0x210194, 0x6000e4, 0}, {0x2101fc, 0x600120, 0}, {0x210208, 0x60011c, 0},
        {0x210238, 0x600140, 0}, {0x21024c, 0x600154, 0}, {0x210250, 0x600130, 0},
    };
    (void)state;
    struct bytes table = bytes_of(table_22), hot = bytes_of(code), cold = bytes_of(cold_code);
    struct pair p = open_pair(&table, &hot, &cold);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_bat_place place = {0};
        uint32_t offset, function = apf_bat_find_function(p.bat, cases[i].input, &offset);
        assert_int_not_equal(function, APF_BAT_NONE);
        assert_int_equal(apf_bat_reverse(p.bat, function, offset, &place, 1), 1);
        assert_int_equal(place.address, cases[i].output);
        assert_int_equal(place.flags, cases[i].flags);
    }
    close_pair(&p);
}

static void assert_verdict(const struct bytes *table, const struct bytes *hot, const struct bytes *cold,
                           size_t findings, const char *expected)
{
    struct pair p = open_pair(table, hot, cold);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_bat_verdict verdict = {.size = sizeof verdict};
    assert_int_equal(apf_bat_check(p.bat, 0, &output, &verdict, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    assert_int_equal(verdict.n_findings, findings);
    assert_int_equal(verdict.n_decoded, 7);
    assert_int_equal(verdict.n_originals, 4);
    apf_buffer_free(&out);
    close_pair(&p);
}

#define OTHER "a call, branch or return on one side is none on the other one\n"
#define COUNTED                                                                                              \
    " in 7 fragments with 41 entries; code of 7 fragments and, in the input, 4 functions compared\n"

static void test_verify(void **state)
{
    static const uint8_t add[] = {0x00, 0x04, 0x00, 0x11}, ret[] = {0xc0, 0x03, 0x5f, 0xd6};
    static const uint8_t apart[] = {0x04, 0x0c}, nearer[] = {0x06, 0x0a};
    (void)state;
    const struct bytes table = bytes_of(table_22), hot = bytes_of(code), cold = bytes_of(cold_code);
    assert_verdict(&table, &hot, &cold, 0, "0 findings" COUNTED);
    struct bytes changed = hot;
    memcpy(changed.p + 4, add, sizeof add);
    assert_verdict(&table, &changed, &cold, 1, "_start+0x4 -> 0x4: " OTHER "1 finding" COUNTED);
    changed = hot;
    memcpy(changed.p + 0x14, ret, sizeof ret); /* for a conditional branch */
    assert_verdict(&table, &changed, &cold, 1, "pick+0x4 -> 0x4: " OTHER "1 finding" COUNTED);
    changed = table; /* in the middle of an instruction; the next function stays where it is */
    assert_memory_equal(changed.p + 48, apart, sizeof apart);
    memcpy(changed.p + 48, nearer, sizeof nearer);
    assert_verdict(&changed, &hot, &cold, 2,
                   "_start+0x6 -> 0x6: no instruction begins there\n"
                   "_start+0x6 -> 0x6: no instruction begins there in the input\n"
                   "2 findings" COUNTED);
}

TEST_FILE(bat_aarch64)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_22),   cmocka_unit_test(test_16),     cmocka_unit_test(test_forth),
        cmocka_unit_test(test_back), cmocka_unit_test(test_verify),
    };
    return RUN_TESTS(tests);
}
