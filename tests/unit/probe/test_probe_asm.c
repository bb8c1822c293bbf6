/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The directive .pseudoprobe in assembly. Expected values come from runs of llvm-mc 22. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "helpers/shared/unit.h"

#define GUID "0x66af14cc04ffb4ba" /* leaf; as a decimal number: */
#define LEAF "7399155579282764986"
#define HEAD ".type leaf,@function\nleaf:\n"
#define END "\t.set\t.Lapf_probezero, 0\n"
#define SECTION "\t.section\t.pseudo_probe,\"o\",@progbits,"

static int assemble(const char *text, struct apf_buffer *out, struct apf_probe_asm_info *info,
                    struct apf_error *error)
{
    size_t n = strlen(text);
    char *exact = malloc(n ? n : 1); /* so that a read after the end is seen */
    assert_non_null(exact);
    memcpy(exact, text, n);
    struct apf_input input = apf_input_memory(exact, n, "test");
    struct apf_output output = apf_output_buffer(out);
    info->size = sizeof *info;
    int code = apf_probe_assemble(&input, NULL, &output, info, error);
    free(exact);
    return code;
}

static struct apf_probe_asm_info assert_becomes(const char *text, const char *expected)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_probe_asm_info info;
    struct apf_error error;
    error.message[0] = '\0';
    int code = assemble(text, &out, &info, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    apf_buffer_free(&out);
    return info;
}

static void assert_error(const char *text, uint32_t line, uint32_t column, const char *where)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_probe_asm_info info;
    struct apf_error error;
    assert_int_equal(assemble(text, &out, &info, &error), APF_BAD_ASSEMBLY);
    assert_string_equal(error.where, where);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_int_equal(out.n, 0); /* nothing is written before all is known */
    apf_buffer_free(&out);
}

/* Everything but probes is copied byte for byte. */
static void test_passed_through(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "nop",
        "nop # .pseudoprobe 1 2\n/* .pseudoprobe\n.pseudoprobe */ nop // .pseudoprobe\r\n",
        ".ascii \"; .pseudoprobe \\\" ; .pseudoprobe\"\n",
        "movb $';', %al\nmovb $'\"', %al\n.ascii \"open\n.byte '\\\\\n",
        "add x0, x0, #1\n",
        ".macro m\n.addrsig\n.endm\n",
        ".pseudoprobes 1 2 3\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_becomes(texts[i], texts[i]);
}

static void test_one_probe(void **state)
{
    (void)state;
    struct apf_probe_asm_info info =
        assert_becomes(HEAD "\t.pseudoprobe\t" LEAF " 1 0 0 leaf # c\n\tret\n", HEAD
                       "\t.Lapf_probe0: # c\n\tret\n" SECTION ".Lapf_probe0\n"
                       "\t.quad\t" GUID "\n\t.uleb128\t1\n\t.uleb128\t0\n"
                       "\t.uleb128\t1\n\t.byte\t128\n\t.sleb128\t.Lapf_probe0-leaf+.Lapf_probezero\n" END);
    assert_int_equal(info.n_probes, 1);
    assert_int_equal(info.n_named, 0);
    assert_int_equal(info.n_split, 0);
    assert_int_equal(info.n_left_out, 0);
}

/* The bytes a directive makes: those of its record after the GUID, probe and distance aside. */
static void assert_forms(const char *const *forms, size_t n, const char *rest)
{
    for (size_t i = 0; i < n; i++) {
        char text[512], expected[1024], statement[256];
        const char *comment = strchr(forms[i], '#');
        size_t length = comment ? (size_t)(comment - forms[i]) : strlen(forms[i]);
        while (length && (forms[i][length - 1] == ' ' || forms[i][length - 1] == ';'))
            length--;
        snprintf(statement, sizeof statement, "%s", forms[i] + length);
        snprintf(text, sizeof text, HEAD "%s\n", forms[i]);
        snprintf(expected, sizeof expected, HEAD ".Lapf_probe0:%s\n" SECTION ".Lapf_probe0\n%s" END,
                 statement, rest);
        assert_becomes(text, expected);
    }
}

static void test_forms(void **state)
{
    static const char *const plain[] = {
        ".pseudoprobe " LEAF " 8 2 0 leaf", ".pseudoprobe\t0x66AF14CC04FFB4BA\t010 2 0b0 leaf ;",
        ".PseudoProbe " GUID " 8 2 0 \"leaf\" # x; .pseudoprobe",
        ".pseudoprobe " GUID "/*a*/8/*b\n*/2 0/*c*/leaf", ".pseudoprobe " GUID " 8 2 0"};
    /* both spellings: compilers forget the attribute that the assembler asks for */
    static const char *const discriminator[] = {".pseudoprobe " GUID " 2 0 0 334336 leaf",
                                                ".pseudoprobe " GUID " 2 0 4 334336 leaf",
                                                ".pseudoprobe " GUID " 2 0 0 334336"};
    static const char *const zero[] = {".pseudoprobe " GUID " 2 0 4 0 leaf"};
    static const char *const inlined[] = {
        ".pseudoprobe 7 3 1 1 @ " LEAF ":2 @ 18:0 leaf", ".pseudoprobe 7 3 1 1 @" GUID ":2@0x12:0 leaf",
        ".pseudoprobe 7 3 1 1 @ " LEAF " : 2 @ 18 leaf", ".pseudoprobe 7 3 1 1 @ " LEAF ":2 @ 18"};
    (void)state;
    assert_forms(plain, sizeof plain / sizeof *plain,
                 "\t.quad\t" GUID "\n\t.uleb128\t1\n\t.uleb128\t0\n"
                 "\t.uleb128\t8\n\t.byte\t130\n\t.sleb128\t.Lapf_probe0-leaf+.Lapf_probezero\n");
    assert_forms(
        discriminator, sizeof discriminator / sizeof *discriminator,
        "\t.quad\t" GUID "\n\t.uleb128\t1\n\t.uleb128\t0\n"
        "\t.uleb128\t2\n\t.byte\t192\n\t.sleb128\t.Lapf_probe0-leaf+.Lapf_probezero\n\t.uleb128\t334336\n");
    assert_forms(
        zero, COUNT(zero),
        "\t.quad\t" GUID "\n\t.uleb128\t1\n\t.uleb128\t0\n"
        "\t.uleb128\t2\n\t.byte\t192\n\t.sleb128\t.Lapf_probe0-leaf+.Lapf_probezero\n\t.uleb128\t0\n");
    assert_forms(inlined, COUNT(inlined),
                 "\t.quad\t" GUID "\n\t.uleb128\t0\n\t.uleb128\t1\n"
                 "\t.uleb128\t2\n\t.quad\t0x12\n\t.uleb128\t0\n\t.uleb128\t1\n"
                 "\t.uleb128\t0\n\t.quad\t0x7\n\t.uleb128\t1\n\t.uleb128\t0\n"
                 "\t.uleb128\t3\n\t.byte\t145\n\t.sleb128\t.Lapf_probe0-leaf+.Lapf_probezero\n");
}

/* Which parts of conditions are assembled is not known; functions in other sections, of inline assembly, are over when
 * it goes back. */
static void test_elsewhere(void **state)
{
    static const char probe[] =
        "\t.quad\t" GUID "\n\t.uleb128\t1\n\t.uleb128\t0\n"
        "\t.uleb128\t8\n\t.byte\t130\n\t.sleb128\t.Lapf_probe0-leaf+.Lapf_probezero\n";
    static const char *const before[] = {
        ".ifdef X\n.section .alt\n.else\n nop\n.endif\n",
        ".if 0\n.if 1\n.section .alt\n.endif\n.elseif 1\n.data\n.endif\n",
        ".macro m\n.endif\n.section .alt\n.endm\n",
        ".pushsection .alt\n.type q,@function\nq: nop\n.popsection\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(before); i++) {
        char text[512], expected[1024];
        snprintf(text, sizeof text, HEAD "%s.pseudoprobe " GUID " 8 2 0\n", before[i]);
        snprintf(expected, sizeof expected, HEAD "%s.Lapf_probe0:\n" SECTION ".Lapf_probe0\n%s" END,
                 before[i], probe);
        assert_becomes(text, expected);
    }
    assert_error(HEAD ".ifdef X\n.macro m\n.endif\n.endm\n.pseudoprobe 5 1 0 0 leaf\n.endif\n", 7, 1,
                 "pseudoprobe");
}

static void test_errors(void **state)
{
    (void)state;
    assert_error(HEAD ".pseudoprobe\n", 3, 13, "pseudoprobe.guid");
    assert_error(HEAD "\n  .pseudoprobe x 1 0 0 leaf\n", 4, 16, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe -5 1 0 0 leaf\n", 3, 14, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe 18446744073709551616 1 0 0 leaf\n", 3, 14, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe 10h 1 0 0 leaf\n", 3, 14, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe 0 1 0 0 leaf\n", 3, 14, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe 5,1,0,0 leaf\n", 3, 15, "pseudoprobe.index");
    assert_error(HEAD ".pseudoprobe 5 leaf\n", 3, 16, "pseudoprobe.index");
    assert_error(HEAD ".pseudoprobe 5 4294967296 0 0 leaf\n", 3, 16, "pseudoprobe.index");
    assert_error(HEAD ".pseudoprobe 5 1 16 0 leaf\n", 3, 18, "pseudoprobe.type");
    assert_error(HEAD ".pseudoprobe 5 1 0 leaf\n", 3, 20, "pseudoprobe.attributes");
    assert_error(HEAD ".pseudoprobe 5 1 0 8 leaf\n", 3, 20, "pseudoprobe.attributes");
    assert_error(HEAD ".pseudoprobe 5 1 0 2 leaf\n", 3, 20, "pseudoprobe.attributes");
    assert_error(HEAD ".pseudoprobe 5 1 0 4 leaf\n", 3, 22, "pseudoprobe.discriminator");
    assert_error(HEAD ".pseudoprobe 5 1 0 0 @ leaf\n", 3, 24, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe 5 1 0 0 @ 0:1 leaf\n", 3, 24, "pseudoprobe.guid");
    assert_error(HEAD ".pseudoprobe 5 1 0 0 @ 7: leaf\n", 3, 27, "pseudoprobe.call_probe");
    assert_error(HEAD ".pseudoprobe 5 1 0 0 @ 7:4294967296 leaf\n", 3, 26, "pseudoprobe.call_probe");
    assert_error(HEAD "nop; .pseudoprobe 5 1 0 0 leaf leaf\n", 3, 32, "pseudoprobe.function");
    assert_error(HEAD ".pseudoprobe 5 1 0 0 \"leaf\n", 3, 22, "pseudoprobe.function");
    assert_error(HEAD ".pseudoprobe 5 1 0 0 other\n", 3, 22, "pseudoprobe.function");
    assert_error(".globl leaf\n.pseudoprobe 5 1 0 0 leaf\n", 2, 22,
                 "pseudoprobe.function"); /* known, but no label */
    assert_error(".pseudoprobe 5 1 0 0\n", 1, 1, "pseudoprobe.function");
    assert_error(HEAD ".macro m\n.pseudoprobe 5 1 0 0 leaf\n.endm\n", 4, 1, "pseudoprobe");
    assert_error(HEAD ".rept 2\n.rept 2\n.endr\nfoo: .pseudoprobe 5 1 0 0 leaf\n.endr\n", 6, 6,
                 "pseudoprobe");
    assert_error(HEAD ".ifdef x\n.pseudoprobe 5 1 0 0 leaf\n.endif\n", 4, 1, "pseudoprobe");
}

#define RECORD(probes) "\t.quad\t0x5\n\t.uleb128\t" probes "\n\t.uleb128\t0\n"
#define SENTINEL(guid) "\t.uleb128\t0\n\t.byte\t32\n\t.quad\t" guid "\n"
#define PROBE(to, from) "\t.uleb128\t1\n\t.byte\t128\n\t.sleb128\t" to "-" from "+.Lapf_probezero\n"

/* One section for each section of code, linked to it and in its group. */
static void test_sections(void **state)
{
    (void)state;
    assert_becomes(
        ".section .text.a,\"axG\",@progbits,a,comdat\na: .pseudoprobe 5 1 0 0 a\n"
        ".pushsection .text.b,\"ax\",@progbits,unique,3\nb: .pseudoprobe 5 1 0 0 b\n.popsection\n"
        "c: .pseudoprobe 5 1 0 0 c\n"
        ".section \".text.b\",\"ax\",@progbits,unique,3; .pseudoprobe 5 1 0 0 b\n"
        ".previous\n.pseudoprobe 5 1 0 0 c; .section .x,\"a?\"\nd: .pseudoprobe 5 1 0 0 d\n",
        ".section .text.a,\"axG\",@progbits,a,comdat\na: .Lapf_probe0:\n"
        ".pushsection .text.b,\"ax\",@progbits,unique,3\nb: .Lapf_probe1:\n.popsection\n"
        "c: .Lapf_probe2:\n"
        ".section \".text.b\",\"ax\",@progbits,unique,3; .Lapf_probe3:\n"
        ".previous\n.Lapf_probe4:; .section .x,\"a?\"\nd: .Lapf_probe5:\n"
        "\t.section\t.pseudo_probe,\"Go\",@progbits,.Lapf_probe0,a,comdat\n"  /**/
        RECORD("2") SENTINEL("0xa8b6f1c0b975c10c") PROBE(".Lapf_probe0", "a") /**/
        RECORD("3") SENTINEL("0x37b7379df0088a4a") PROBE(".Lapf_probe2", "c") PROBE(
            ".Lapf_probe4", ".Lapf_probe2") "\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe1\n" /**/
        RECORD("3") SENTINEL("0xec2faee6fe5feb92") PROBE(".Lapf_probe1", "b")
            PROBE(".Lapf_probe3",
                  ".Lapf_probe1") "\t.section\t.pseudo_probe,\"Go\",@progbits,.Lapf_probe5,a,comdat\n" /**/
        RECORD("2") SENTINEL("0x9501750d91e07782") PROBE(".Lapf_probe5", "d") END);
}

/* Code in another section than its function: distances count from a symbol there, which is made if there is none. */
static void test_split(void **state)
{
    (void)state;
    struct apf_probe_asm_info info = assert_becomes(
        ".section .text.foo,\"ax\"\nfoo: nop\n.section .cold,\"ax\"\nfoo.cold:.L1: nop\n.pseudoprobe 5 1 0 0 "
        "foo\n"
        ".data\n.pseudoprobe 5 1 0 0 foo\n",
        ".section .text.foo,\"ax\"\nfoo: nop\n.section .cold,\"ax\"\nfoo.cold:.L1: nop\n.Lapf_probe0:\n"
        ".data\nfoo.probes.1: .Lapf_probe1:\n"
        "\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" /**/
        RECORD("2") SENTINEL("0xccaa3d1e51854d12")
            PROBE(".Lapf_probe0", "foo.cold") "\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe1\n" /**/
        RECORD("2") SENTINEL("0xb3181b1e2a8df8ab") PROBE(".Lapf_probe1", ".Lapf_probe1") END);
    assert_int_equal(info.n_probes, 2);
    assert_int_equal(info.n_split, 2);
    assert_int_equal(info.n_symbols, 1);
    info =
        assert_becomes("\"a b\": nop\n.bss\n.pseudoprobe 5 1 0 0 \"a b\"\n",
                       "\"a b\": nop\n.bss\n\"a b.probes.0\": .Lapf_probe0:\n"
                       "\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" /**/
                       RECORD("2") SENTINEL("0x638a57545e26c282") PROBE(".Lapf_probe0", ".Lapf_probe0") END);
}

/* The function is the last label that .type says to be one, before or after it; without any, the last label. */
static void test_enclosing_function(void **state)
{
    (void)state;
    struct apf_probe_asm_info info = assert_becomes(
        ".type b,@function\nb:\nx:.pseudoprobe 5 1 0 0\nc:\n.type c,STT_FUNC\n.pseudoprobe 5 1 0 0\n",
        ".type b,@function\nb:\nx:.Lapf_probe0:\nc:\n.type c,STT_FUNC\n.Lapf_probe1:\n"
        "\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n"            /**/
        RECORD("2") SENTINEL("0xec2faee6fe5feb92") PROBE(".Lapf_probe0", "b") /**/
        RECORD("2") SENTINEL("0x37b7379df0088a4a") PROBE(".Lapf_probe1", "c") END);
    assert_int_equal(info.n_named, 2);
    assert_becomes("a:\n.L2:\n1: .pseudoprobe 5 1 0 0\n",
                   "a:\n.L2:\n1: .Lapf_probe0:\n"
                   "\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" /**/
                   RECORD("2") SENTINEL("0xa8b6f1c0b975c10c") PROBE(".Lapf_probe0", "a") END);
}

/* Symbols the object does not keep can be functions, and a label may come later than its probes. */
static void test_symbols(void **state)
{
    (void)state;
    assert_becomes(
        ".globl a\n.pseudoprobe 5 1 0 0 a\nb:\na:\n",
        ".globl a\n.Lapf_probe0:\nb:\na:\n\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" /**/
        RECORD("2") SENTINEL("0xa8b6f1c0b975c10c") PROBE(".Lapf_probe0", "a") END);
    assert_becomes(
        ".type .La,@function\n.La:\n.pseudoprobe 5 1 0 0 .La\n",
        ".type "
        ".La,@function\n.La:\n.Lapf_probe0:\n\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" RECORD(
            "2") SENTINEL("0x3301d94fcf097193") PROBE(".Lapf_probe0", ".La") END);
    assert_becomes("\"a\\\"\": .pseudoprobe 5 1 0 0 \"a\\\"\"\n",
                   "\"a\\\"\": .Lapf_probe0:\n\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" /**/
                   RECORD("2") SENTINEL("0xff01cc72fddc2ef4") PROBE(".Lapf_probe0", "\"a\\\"\"") END);
}

/* Labels that the file has already are left alone; what only LLVM knows is left out, and nothing follows .end. */
static void test_surroundings(void **state)
{
    (void)state;
    struct apf_probe_asm_info info = assert_becomes(
        "a: .Lapf_probe_7:\n\t.addrsig # x\n\t.addrsig_sym a; .cg_profile a, b, 3\nnop; .end\nrest\n",
        "a: .Lapf_probe_7:\n\t # x\n\t; \nnop; .end\nrest\n");
    assert_int_equal(info.n_left_out, 3);
    assert_becomes(
        "a: .Lapf_probe_7: .pseudoprobe 5 1 0 0 a; .end\nrest\n",
        "a: .Lapf_probe_7: .Lapf_probe__0:; \n\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe__0\n" /**/
        RECORD("2") SENTINEL("0xa8b6f1c0b975c10c") "\t.uleb128\t1\n\t.byte\t128\n\t.sleb128\t.Lapf_probe__0-"
                                                   "a+.Lapf_probe__zero\n"
                                                   "\t.set\t.Lapf_probe__zero, 0\n.end\nrest\n");
    assert_becomes("a: .pseudoprobe 5 1 0 0 a",
                   "a: .Lapf_probe0:\n\t.section\t.pseudo_probe,\"o\",@progbits,.Lapf_probe0\n" /**/
                   RECORD("2") SENTINEL("0xa8b6f1c0b975c10c") PROBE(".Lapf_probe0", "a") END);
}

/* GNU as takes a directory and a name in DWARF 5 only. */
static void test_file_names(void **state)
{
    static const char dwarf5[] = ".file 0 \"/d\" \"n.c\" md5 0x1\n.file 1 \"d\" \"m.c\"\n";
    (void)state;
    assert_becomes(dwarf5, dwarf5);
    static const char three[] = ".file 1 \"/d\" \"n.c\" \"m.c\"\n.file 1 \"/d\" \"n.c\" 3\n";
    assert_becomes(three, three);
    assert_becomes("\t.file\t1 \"/d\" \"n.c\" md5 0x1 # x\n.file 2 \"d\" \"m.c\" md5 0x2\n",
                   "\t.file 0 \"/d\" \"n.c\" md5 0x1; .file\t1 \"/d\" \"n.c\" md5 0x1 # x\n"
                   ".file 2 \"d\" \"m.c\" md5 0x2\n");
    assert_becomes(".file \"a.c\"\n.file\t1 \"/d\" \"s/n.c\" # x\n.file 2 \"/d\" \"/n.c\"\n.file 3 \"n.c\"\n",
                   ".file \"a.c\"\n.file\t1 \"/d/s/n.c\" # x\n.file 2 \"/n.c\"\n.file 3 \"n.c\"\n");
}

TEST_FILE(probe_asm)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passed_through), cmocka_unit_test(test_one_probe),
        cmocka_unit_test(test_forms),          cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_sections),
        cmocka_unit_test(test_split),          cmocka_unit_test(test_enclosing_function),
        cmocka_unit_test(test_symbols),        cmocka_unit_test(test_surroundings),
        cmocka_unit_test(test_file_names),
    };
    return RUN_TESTS(tests);
}
