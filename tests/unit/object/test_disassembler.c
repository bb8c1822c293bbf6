/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lengths and kinds of instructions. Expected values are those of the manuals of the processors. */
#include <elf.h>
#include <string.h>

#include "base/endian.h"
#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"
#include "object/disassembler.h"
#include "object/x86_length.h"

struct expected {
    const char *bytes;
    uint32_t size;
    enum instruction_kind kind;
    bool known;
};

static void check(const struct elf_facts *facts, const char *symbol, const struct expected *list, size_t n)
{
    struct disassembler *d;
    uint8_t bytes[32];
    assert_int_equal(disassembler_open(&d, facts, DISASSEMBLER_KINDS, NULL), APF_OK);
    disassembler_symbol(d, symbol);
    for (size_t i = 0; i < n; i++) {
        size_t length = hex_bytes(bytes, sizeof bytes, list[i].bytes);
        struct instruction found = disassembler_next(d, bytes, length, 0x1000);
        if (found.size != list[i].size || found.kind != list[i].kind ||
            (found.mnemonic != NULL) != list[i].known)
            fail_msg("%s: size %u kind %u mnemonic %s", list[i].bytes, found.size, (unsigned)found.kind,
                     found.mnemonic ? found.mnemonic : "none");
    }
    disassembler_close(d);
}

/* Bytes by chance, but each time the same: what x86_common_length knows, the disassembler decodes to the same length,
 * and it is no branch. */
static void test_x86_common(void **state)
{
    static const uint8_t beginnings[] = {0x0f, 0x48, 0x66, 0xf3, 0xf2, 0x41, 0x83, 0xc7, 0x8d, 0xff};
    const struct elf_facts facts = {.bits = 64, .machine = EM_X86_64};
    struct disassembler *d;
    uint64_t chance = 88172645463325252u, common = 0;
    (void)state;
    assert_int_equal(disassembler_open(&d, &facts, DISASSEMBLER_KINDS, NULL), APF_OK);
    for (size_t i = 0; i < 400000; i++) {
        uint8_t bytes[16];
        for (size_t k = 0; k < sizeof bytes; k++) {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            bytes[k] = (uint8_t)(chance >> 32);
        }
        if (i % 4)
            bytes[0] = beginnings[i % sizeof beginnings];
        if (i % 8 == 1)
            bytes[1] = 0x0f;
        size_t length = x86_common_length(bytes, sizeof bytes);
        common += length != 0;
        if (length == 0)
            continue;
        struct instruction found = disassembler_next(d, bytes, sizeof bytes, 0x1000);
        if (found.size != length || found.kind != INSTRUCTION_PLAIN || !found.mnemonic)
            fail_msg("%02x %02x %02x %02x: %zu, but %u", bytes[0], bytes[1], bytes[2], bytes[3], length,
                     found.size);
    }
    assert_true(common > 100000);
    for (size_t n = 0; n < 10; n++) /* movabs; whatever is cut off is not known */
        assert_int_equal(x86_common_length((const uint8_t *)"\x48\xb8\1\2\3\4\5\6\7\x8", n), n < 10 ? 0 : 10);
    disassembler_close(d);
}

#define PLAIN INSTRUCTION_PLAIN
#define CALL INSTRUCTION_CALL
#define BRANCH INSTRUCTION_BRANCH
#define RETURN INSTRUCTION_RETURN

static void test_x86(void **state)
{
    static const struct expected list[] = {
        {"55", 1, PLAIN, true},
        {"f30f1efa 90", 4, PLAIN, true}, /* endbr64 */
        {"e8 00000000 90", 5, CALL, true},
        {"ffd0", 2, CALL, true},
        {"ff1425 00000000", 7, CALL, true},
        {"e9 00000000", 5, BRANCH, true},
        {"eb00", 2, BRANCH, true},
        {"ffe0", 2, BRANCH, true},
        {"7400", 2, BRANCH, true},
        {"e200", 2, BRANCH, true}, /* loop */
        {"c3", 1, RETURN, true},
        {"c20800", 3, RETURN, true},
        {"f3c3", 2, RETURN, true},
        {"48cf", 2, RETURN, true},  /* iretq */
        {"480f07", 3, PLAIN, true}, /* sysretq: as for LLVM */
        {"f0ff00", 1, PLAIN, true}, /* lock, on its own */
        {"f3a4", 2, PLAIN, true},
        {"0f0b", 2, PLAIN, true},
        {"cc", 1, PLAIN, true},
        {"670fb9400c 90", 5, PLAIN, true}, /* ud1: Capstone 4 leaves out the operands */
        {"480fb9c8 90", 4, PLAIN, true},
        {"0fb9 0425", 2, PLAIN, true},           /* cut off */
        {"62f27528 50d0 90", 6, PLAIN, false},   /* vpdpbusd: not in Capstone 4; by its form */
        {"62f54c48 585004 90", 7, PLAIN, false}, /* vaddph 256(%rax), ... */
        {"06", 0, PLAIN, false},                 /* there is none such in 64 bits */
        {"62", 0, PLAIN, false},
        {"e8 0000", 0, PLAIN, false},
    };
    struct elf_facts facts = {64, EM_X86_64, false, false};
    (void)state;
    check(&facts, "main", list, COUNT(list));
}

static void test_i386(void **state)
{
    static const struct expected list[] = {
        {"06", 1, PLAIN, true},                                  /* push %es */
        {"40", 1, PLAIN, true},                                  /* inc %eax */
        {"c5 00 90", 0, PLAIN, false}, {"c500", 2, PLAIN, true}, /* lds */
        {"c3", 1, RETURN, true},
    };
    struct elf_facts facts = {32, EM_386, false, false};
    (void)state;
    check(&facts, "main", list + 3, COUNT(list) - 3);
    check(&facts, "main", list, 2);
}

static void test_aarch64(void **state)
{
    static const struct expected list[] = {
        {"e00300aa 00000000", 4, PLAIN, true}, {"01000094", 4, CALL, true}, /* bl */
        {"00003fd6", 4, CALL, true},                                        /* blr x0 */
        {"01000014", 4, BRANCH, true},                                      /* b */
        {"00001fd6", 4, BRANCH, true},                                      /* br x0 */
        {"40000054", 4, BRANCH, true},                                      /* b.eq */
        {"40000034", 4, BRANCH, true},                                      /* cbz */
        {"c0035fd6", 4, RETURN, true},         {"ffffffff 00", 4, PLAIN, false}, {"ffffff", 1, PLAIN, false},
    };
    struct elf_facts facts = {64, EM_AARCH64, false, false};
    (void)state;
    check(&facts, "$x", list, COUNT(list));
}

/* Words that Capstone 4 does not know; newer releases of it know some. */
static void test_aarch64_newer(void **state)
{
    static const struct {
        uint32_t word;
        enum instruction_kind kind;
        bool is_known;
        uint64_t target; /* 0: in a register, or there is none */
    } list[] = {
        {0x88a07c41, PLAIN, true, 0},       /* cas w0, w1, [x2] */
        {0xb8e480c5, PLAIN, true, 0},       /* swpal w4, w5, [x6] */
        {0x25a91d00, PLAIN, true, 0},       /* whilelo, of SVE */
        {0xc0900000, PLAIN, true, 0},       /* addha, of SME */
        {0xd503245f, PLAIN, true, 0},       /* bti c */
        {0xd61f087f, BRANCH, true, 0},      /* braaz x3 */
        {0xd71f0822, BRANCH, true, 0},      /* braa x1, x2 */
        {0xd63f083f, CALL, true, 0},        /* blraaz x1 */
        {0xd73f0843, CALL, true, 0},        /* blraa x2, x3 */
        {0xd65f0bff, RETURN, true, 0},      /* retaa */
        {0xd65f0fff, RETURN, true, 0},      /* retab */
        {0xd69f0bff, RETURN, true, 0},      /* eretaa */
        {0x54000070, BRANCH, true, 0x100c}, /* bc.eq .+12 */
        {0x54fffff0, BRANCH, true, 0xffc},  /* bc.eq .-4 */
        {0x75028080, BRANCH, true, 0x1010}, /* cbgt w0, #5, .+16 */
        {0x74c13fa0, BRANCH, true, 0xff4},  /* cbeq w0, w1, .-12 */
        {0x00000001, PLAIN, false, 0},      /* groups without instructions */
        {0x02000000, PLAIN, false, 0},      {0x06000000, PLAIN, false, 0},
        {0xffffffff, PLAIN, true, 0}, /* of a group that has some */
        {0xd7ffffff, PLAIN, false, 0},
    };
    struct elf_facts facts = {64, EM_AARCH64, false, false};
    struct disassembler *d;
    (void)state;
    assert_int_equal(disassembler_open(&d, &facts, DISASSEMBLER_KINDS, NULL), APF_OK);
    for (size_t i = 0; i < COUNT(list); i++) {
        uint8_t bytes[4];
        store32le(bytes, list[i].word);
        struct instruction found = disassembler_next(d, bytes, sizeof bytes, 0x1000);
        struct instruction_flow flow = disassembler_flow(d);
        bool is_known = found.mnemonic || found.is_newer;
        if (found.size != 4 || found.kind != list[i].kind || is_known != list[i].is_known ||
            flow.direct != (list[i].target != 0) || flow.conditional != flow.direct ||
            flow.target != list[i].target)
            fail_msg("%x: kind %u, known %d, target %llx", list[i].word, (unsigned)found.kind, is_known,
                     (unsigned long long)flow.target);
    }
    disassembler_close(d);
}

static void test_arm(void **state)
{
    static const struct expected arm[] = {
        {"0000a0e1", 4, PLAIN, true},  {"000000eb", 4, CALL, true},   {"31ff2fe1", 4, CALL, true},
        {"000000ea", 4, BRANCH, true}, {"0000000a", 4, BRANCH, true}, {"1eff2fe1", 4, RETURN, true},
        {"1080bde8", 4, RETURN, true}, {"0ef0a0e1", 4, RETURN, true}, {"13ff2fe1", 4, BRANCH, true},
        {"04f09de4", 4, RETURN, true}, {"0ef050e1", 4, PLAIN, true}, /* cmp r0, lr */
    };
    static const struct expected thumb[] = {
        {"00f000f8 00", 4, CALL, true}, {"7047", 2, RETURN, true}, {"00bd", 2, RETURN, true},
        {"8847", 2, CALL, true},        {"00e0", 2, BRANCH, true}, {"00d0", 2, BRANCH, true},
        {"00b1", 2, BRANCH, true},      {"00bf", 2, PLAIN, true},
    };
    struct elf_facts facts = {32, EM_ARM, false, false};
    (void)state;
    check(&facts, "$a", arm, COUNT(arm));
    check(&facts, "$t", thumb, COUNT(thumb));
    check(&facts, "$t.12", thumb, COUNT(thumb));
    check(&facts, "$d", arm, COUNT(arm)); /* nothing changes */
}

static void test_others(void **state)
{
    static const struct expected s390[] = {
        {"07fe", 2, BRANCH, true}, {"c0e500000000", 6, PLAIN, true}, {"ffffffffffff 00", 6, PLAIN, false}};
    static const struct expected ppc[] = {{"48000004", 4, BRANCH, true}, {"00000000", 4, PLAIN, false}};
    struct elf_facts s390x = {64, EM_S390, true, false}, powerpc64 = {64, EM_PPC64, true, false};
    (void)state;
    check(&s390x, "main", s390, COUNT(s390));
    check(&powerpc64, "main", ppc, COUNT(ppc));
}

static void test_syntax(void **state)
{
    struct elf_facts facts = {64, EM_X86_64, false, false};
    const uint8_t bytes[] = {0x48, 0x89, 0xe5};
    static const char *const operands[] = {"%rsp, %rbp", "rbp, rsp"};
    static const char *const mnemonics[] = {"movq", "mov"};
    (void)state;
    for (uint32_t syntax = 0; syntax < 2; syntax++) {
        struct disassembler *d;
        assert_int_equal(disassembler_open(&d, &facts, syntax ? DISASSEMBLER_INTEL : 0, NULL), APF_OK);
        struct instruction i = disassembler_next(d, bytes, sizeof bytes, 0);
        assert_string_equal(i.mnemonic, mnemonics[syntax]);
        assert_string_equal(i.operands, operands[syntax]);
        disassembler_close(d);
    }
}

static void test_unsupported(void **state)
{
    struct elf_facts facts = {64, 0xfeed, false, false};
    struct disassembler *d;
    struct apf_error error;
    (void)state;
    assert_int_equal(disassembler_open(&d, &facts, 0, &error), APF_UNSUPPORTED);
    assert_null(d);
    assert_string_equal(error.where, "elf.machine");
}

/* The forms of addresses, and what has a constant after them. */
static void test_x86_length(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } list[] = {
        {"c5f858c1", 4},           /* VEX of two bytes, registers */
        {"c5f8588001020304", 8},   /* 32 bits of distance */
        {"c5f8584001", 5},         /* 8 bits */
        {"c5f858042501020304", 9}, /* no base */
        {"c5f8580424", 5},         /* %rsp */
        {"c5f8580501020304", 8},   /* %rip */
        {"c5f8c6c101", 5},         /* vshufps: a constant */
        {"c5f970c101", 5},         /* vpshufd */
        {"c4e27d50d0", 5},         /* map 2 */
        {"c4e37dced001", 6},       /* map 3: always a constant */
        {"c4e47d50d0", 0},         /* no such map */
        {"62f27548504001", 7},     /* EVEX, map 2 */
        {"62f17548c2c101", 7},     /* EVEX, map 1, vcmpps: a constant */
        {"62f37548c2c101", 7},     /* map 3 */
        {"62f5744858d0", 6},       /* map 5 */
        {"62f07548504001", 0},     /* map 0 */
        {"0f38c8c1", 4},           /* three bytes of opcode */
        {"66410f3a0fc101", 7},     /* prefixes, a constant */
        {"0f38c8", 0},             /* cut */
        {"c5f85880010203", 0},
        {"0f0b", 0}, /* none of these forms */
        {"66", 0},
        {"", 0},
    };
    uint8_t bytes[32];
    (void)state;
    for (size_t i = 0; i < COUNT(list); i++) {
        size_t n = hex_bytes(bytes, sizeof bytes, list[i].bytes);
        if (x86_length(bytes, n, true) != list[i].length)
            fail_msg("%s: %zu", list[i].bytes, x86_length(bytes, n, true));
    }
    assert_int_equal(hex_bytes(bytes, sizeof bytes, "c500c1c1"), 4);
    assert_int_equal(x86_length(bytes, 4, false), 0); /* lds, in 32 bits */
    assert_int_equal(x86_length(bytes, 4, true), 4);
}

struct expected_flow {
    const char *bytes;
    enum instruction_pattern pattern;
    uint8_t to, from;
    uint32_t writes;
    int64_t memory;
    bool is_relative, direct, conditional;
};

/* Registers by the numbers of x86: rax 0, rcx 1, rdx 2, rbx 3, rsp 4, ... r15 15. At address 0x1000. */
static void test_flow(void **state)
{
    static const struct expected_flow list[] = {
        {"4c8d05f9ffffff", PATTERN_ADDRESS, 8, NO_REGISTER, 1 << 8, 0x1000, true, false, false},
        {"8d4810", PATTERN_OTHER, 1, NO_REGISTER, 1 << 1, 0x10, false, false, false}, /* lea of 32 bits */
        {"49638c8880000000", PATTERN_LOAD_SIGNED, 1, NO_REGISTER, 1 << 1, 0x80, false, false, false},
        {"4d01fe", PATTERN_ADD, 14, 15, 1 << 14, 0, false, false, false},
        {"01d1", PATTERN_OTHER, 1, 2, 1 << 1, 0, false, false, false}, /* of 32 bits */
        {"498b04f0", PATTERN_LOAD, 0, NO_REGISTER, 1 << 0, 0, false, false, false},
        {"b407", PATTERN_OTHER, 0, NO_REGISTER, 1 << 0, 0, false, false, false}, /* ah */
        {"4588e7", PATTERN_OTHER, 15, 12, 1 << 15, 0, false, false, false},      /* r15b */
        {"f7e1", PATTERN_OTHER, 1, 1, 1 << 0 | 1 << 2, 0, false, false, false},  /* mul */
        {"0f0b", PATTERN_STOP, NO_REGISTER, NO_REGISTER, 0, 0, false, false, false},
        {"0fb9c0", PATTERN_STOP, NO_REGISTER, NO_REGISTER, 0, 0, false, false, false},
        {"e2fe", PATTERN_COUNTING, NO_REGISTER, NO_REGISTER, 1 << 1, 0, false, true, true},
        {"7502", PATTERN_OTHER, NO_REGISTER, NO_REGISTER, 0, 0, false, true, true},
        {"eb02", PATTERN_OTHER, NO_REGISTER, NO_REGISTER, 0, 0, false, true, false},
        {"41ffe4", PATTERN_OTHER, 12, 12, 0, 0, false, false, false},
        {"f0ff00", PATTERN_OTHER, NO_REGISTER, NO_REGISTER, 0, 0, false, false, false}}; /* lock */
    struct elf_facts facts = {.bits = 64, .machine = EM_X86_64};
    struct disassembler *d;
    uint8_t bytes[32];
    (void)state;
    assert_int_equal(disassembler_open(&d, &facts, DISASSEMBLER_KINDS, NULL), APF_OK);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const struct expected_flow *e = &list[i];
        (void)disassembler_next(d, bytes, hex_bytes(bytes, sizeof bytes, e->bytes), 0x1000);
        struct instruction_flow f = disassembler_flow(d);
        if (f.pattern != e->pattern || f.to != e->to || f.from != e->from || f.writes != e->writes ||
            f.memory != e->memory || f.is_relative != e->is_relative || f.direct != e->direct ||
            f.conditional != e->conditional)
            fail_msg("%s: pattern %u to %u from %u writes %x memory %llx", e->bytes, f.pattern, f.to, f.from,
                     f.writes, (unsigned long long)f.memory);
    }
    disassembler_close(d);
}

TEST_FILE(disassembler)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_x86_common), cmocka_unit_test(test_x86),
        cmocka_unit_test(test_flow),       cmocka_unit_test(test_i386),
        cmocka_unit_test(test_aarch64),    cmocka_unit_test(test_aarch64_newer),
        cmocka_unit_test(test_arm),        cmocka_unit_test(test_others),
        cmocka_unit_test(test_syntax),     cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_x86_length),
    };
    return RUN_TESTS(tests);
}
