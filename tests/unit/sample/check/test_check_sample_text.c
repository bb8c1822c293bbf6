/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of text sample profiles: each finding, with its place and both numbers. */
#include "helpers/shared/check_memory.h"

#include <string.h>

static struct checked now; /* what was found last */

#define NOWHERE UINT64_MAX

static void look(const char *text)
{
    check_memory_bytes(&now, text, strlen(text));
}

#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)
#define NO_MORE() EXPECT_NO_MORE(&now)

/* The line and the function of the only finding. */
static void about(uint32_t line, const char *function)
{
    assert_int_equal(now.n, 1);
    assert_int_equal(now.list[0].line, line);
    assert_string_equal(now.list[0].function, function);
}

static void good_ones(void **state)
{
    (void)state;
    look("main:10:1\n 1: 4 f:3 g:1\n 2.3: f:5\n  1: 5\n 3: vtables _ZTV1A:3 \nf:1:1\n 1: 1\n");
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
    look("[main:1 @ f]:5:3\n 1: 5\n !CFGChecksum: 9\n !Attributes: 2\n[main]:7:1\n 1: 7\n !CFGChecksum: 8\n");
    NO_MORE();
    look("f:1:1\n 1: 1\n !Flat\ng:5:1\n 1: h:5\n  1: 5\n");
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
}

/* ---- lines that LLVM reads otherwise ---- */

static void headers(void **state)
{
    (void)state;
    look("f:1:1\n 1: 1\n7:8\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.header.colons", 12, 0, 0);
    FOUND(NOTE, NOTE, "sample.text.function.head", 12, 8, 7);
    NO_MORE();
    look("f:1:1\n 1: 1\n\tg:2:2\n");
    about(3, "\tg");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.header.tab", 12, 0, 0);
    NO_MORE();
    look("f:1:1\n 1: 1\n:1:1\n 1: 1\n");
    about(3, "");
    FOUND(NOTE, NOTE, "sample.text.header.name", 12, 0, 0);
    NO_MORE();
}

static void contexts(void **state)
{
    (void)state;
    look("[a:1 @ b:3]:5:3\n 1: 5\n");
    about(1, "a:1 @ b:3");
    FOUND(NOTE, NOTE, "sample.text.context.leaf", 0, 0, 0);
    look("[a @ b]:5:3\n 1: 5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.context.place", 0, 0, 0);
    NO_MORE();
    look("[a:x @ b]:5:3\n 1: 5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.context.place", 0, 0, 0);
    NO_MORE();
    look("[a:1. @ b]:5:3\n 1: 5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.context.place", 0, 0, 0);
    NO_MORE();
    look("[a:-1 @ b]:5:3\n 1: 5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.context.place", 0, 0, 0);
    FOUND(WARNING, INCONSISTENT, "sample.text.function.line", 0, UINT32_MAX, 65535);
    NO_MORE();
    look("[a:1 @ bc:5:3\n 1: 5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.context.end", 0, 0, 0);
    NO_MORE();
    look("[a:1 @ b]:5:3\n 1: 5\nc:1:1\n 1: 1\n");
    about(3, "c");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.header.context", 20, 0, 0);
    NO_MORE();
}

static void lines(void **state)
{
    (void)state;
    look("f:9:1\n   1: 5\n");
    about(2, "f");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.line.indentation", 6, 3, 1);
    look("f:9:1\n 1: g:5\n  1: 5\n    !CFGChecksum: 5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.line.indentation", 21, 4, 2);
    NO_MORE();
    look("f:9:1\n 5\n");
    about(2, "f");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.line.place", 6, 0, 0);
    look("f:9:1\n 1:x5\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.line.separator", 6, 0, 0);
    NO_MORE();
    look("f:9:1\n 1: 2 g:1\n 2: 5 a:1 b:2 a:3\n");
    about(3, "f");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.line.targets", 16, 0, 0);
    look("f:9:1\n 1: 77:5\n  1: 5\n");
    about(2, "f");
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.line.hash", 6, 0, 0);
    look("f:9:1\n1.2: 5 a:1 a:2\n");
    FOUND(NOTE, NOTE, "sample.text.unindented", 6, 0, 0);
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.line.targets", 6, 0, 0);
    NO_MORE();
    look("f:9:1\n 1: 5");
    about(2, "");
    FOUND(WARNING, SAMPLE_TRUNCATED, "sample.text.end", 11, 0, 0);
    look("f:9:1\n 1: 3\n 1: vtables v:2 \n 1: g:4\n  1: 4\n 1: vtables v:2 \n");
    FOUND(NOTE, NOTE, "sample.finding.REPEATED_VTABLES", NOWHERE, 1, 0);
    NO_MORE();
}

static void metadata(void **state)
{
    (void)state;
    look("f:9:1\n 1: 5\n !Attributes: 2\n !CFGChecksum: 7\n");
    about(3, "f");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.metadata.attributes", 12, 2, 0);
    look("f:9:1\n 1: 5\n !Attributes: 2\n !Flat\n");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.metadata.attributes", 12, 2, 0);
    NO_MORE();
    look("f:9:1\n 1: 5\n !Attributes: 0\n !CFGChecksum: 7\n !Attributes: 2\n");
    NO_MORE();
    look("f:9:1\n 1: 5\n !CFGChecksum: 7\n !CFGChecksum: 0\n !CFGChecksum: 8\n");
    about(5, "f");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.metadata.checksum", 46, 8, 7);
    look("f:9:1\n 1: g:5\n  1: 5\n !Flat\n");
    about(4, "f");
    FOUND(WARNING, BAD_SAMPLE_TEXT, "sample.text.metadata.flat", 21, 0, 0);
    look("f:9:1\n !Flat\n 1: g:5\n  1: 5\n");
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.line", 14, 0, 0);
}

/* ---- what can be seen in any profile ---- */

static void counts(void **state)
{
    (void)state;
    look("f:9:1\n 1: 5\n 2: g:5\n  1: 5\n");
    about(1, "f");
    FOUND(NOTE, NOTE, "sample.text.function.total", 0, 9, 10);
    look("f:9:1\n 1: 5\n 2: g:4\n  1: 5\n");
    about(3, "f:2 @ g");
    FOUND(NOTE, NOTE, "sample.text.function.total", 12, 4, 5);
    look("f:9:10\n 1: 5\n");
    about(1, "f");
    FOUND(NOTE, NOTE, "sample.text.function.head", 0, 10, 9);
    look("f:9:1\n 70000.1: 5\n");
    about(1, "f");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.line", 0, 70000, 65535);
    look("f:9:1\n 1: 2\n 70000.2: g:5\n  1: 5\n");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.line", 0, 70000, 65535);
    NO_MORE();
}

static void probes(void **state)
{
    (void)state;
    look("f:9:1\n 1: 5\n !CFGChecksum: 7\ng:2:1\n 1: 2\n");
    about(4, "g");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.checksum", 29, 0, 0);
    look("f:9:1\n 1: 5\n 2: g:2\n  1: 2\n !CFGChecksum: 7\n"); /* LLVM 13 writes no other */
    NO_MORE();
    look("f:9:1\n 1: g:2\n  1: 2\n  !CFGChecksum: 8\n 2: h:2\n  1: 2\n !CFGChecksum: 7\n");
    about(5, "f:2 @ h");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.checksum", 39, 0, 0);
    look("f:9:1\n 1.2: 5\n !CFGChecksum: 7\n");
    about(1, "f");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.discriminator", 0, 2, 0);
    look("[f:1.3 @ g]:9:1\n 1: 5\n !CFGChecksum: 7\n");
    about(1, "f:1.3 @ g");
    assert_int_equal(now.list[0].hash, 7);
    FOUND(WARNING, INCONSISTENT, "sample.text.function.discriminator", 0, 3, 0);
}

static void attributes(void **state)
{
    (void)state;
    look("f:9:1\n 1: 5\n !Attributes: 10\n");
    about(1, "f");
    FOUND(NOTE, NOTE, "sample.text.function.attributes", 0, 10, 2);
    look("f:9:1\n 1: 5\n !Attributes: 6\n");
    FOUND(NOTE, NOTE, "sample.text.function.attributes", 0, 6, 2);
    NO_MORE();
    look("f:9:1\n 1: g:5\n  1: 5\n  !Attributes: 1\n");
    about(2, "f:1 @ g");
    FOUND(NOTE, NOTE, "sample.text.function.attributes.kept", 6, 1, 0);
}

static void repeated(void **state)
{
    (void)state;
    look("f:9:1\n 1: 3\n 2: 2\n 1: 4\n");
    about(1, "f");
    FOUND(NOTE, NOTE, "sample.text.function.lines", 0, 0, 0);
    look("f:9:1\n 1: 3 a:1\n 1: 3 b:1 a:1\n");
    FOUND(NOTE, NOTE, "sample.text.function.lines", 0, 0, 0);
    FOUND(NOTE, NOTE, "sample.text.function.targets", 0, 0, 0);
    NO_MORE();
    look("f:9:1\n 1: g:1\n  1: 1\n 1: h:1\n  1: 1\n 1: g:1\n  1: 1\n");
    about(2, "f:1 @ g");
    FOUND(NOTE, NOTE, "sample.text.function.inlined", 6, 0, 0);
    look("f:9:1\n 1: 3\ng:1:1\n 1: 1\nf:4:0\n 1: 4\ng:0:0\n");
    about(5, "f");
    FOUND(NOTE, NOTE, "sample.text.function.repeated", 24, 0, 0);
}

static void names(void **state)
{
    (void)state;
    look("f.llvm.123:9:1\n 1: 5\ng.llvm.1.2:2:1\n 1: 2\nh.__uniq.77:1:1\n 1: 1\n");
    about(1, "f.llvm.123");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.name", 0, 0, 0);
    look("f:9:1\n 1: 5\nf.part.0:2:1\n 1: g.part.0:2\n  1: 2\n");
    about(3, "f.part.0");
    FOUND(WARNING, INCONSISTENT, "sample.text.function.name", 12, 0, 0);
}

/* ---- damage ---- */

static void after_damage(void **state)
{
    (void)state;
    look("a:1:1\n 1: 1\nb:1:1\n x\n 1: y:\n 5: 5\nc:7:1\n 1: 3\n 1: 4\nd:1:1\n 1: 2 \n 2: 9\ne:0:0\n");
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.line", 19, 0, 0);
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.line", 64, 0, 0);
    FOUND(NOTE, NOTE, "sample.text.function.lines", 34, 0, 0);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 3); /* a, c, e */
    look("# first\r\n\r\na:1:1\r\n 1: z\r\nb:5:1\r\n\r\n 1: 5\r\n");
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.line", 22, 0, 0);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 1);
    look(
        "a:1:1\n 1: 1\nb:2\nc:1:1\n 1: 1\n"); /* b belongs to nothing, so the function before it is damaged */
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.header", 12, 0, 0);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 1);
}

static void whole_damage(void **state)
{
    static const char nul[] = "a:1:1\n 1: 1\nb:1:1\n 1: 1\n\0c:1:1\n";
    (void)state;
    check_memory_bytes(&now, nul, sizeof nul - 1);
    FOUND(ERROR, BAD_SAMPLE_TEXT, "sample.text.nul", 24, 0, 0);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 1);
    look("a:1:1\n 1: 18446744073709551615\n 1: 1\n");
    FOUND(ERROR, SAMPLE_OVERFLOW, "sample.text.count", NOWHERE, 0, 0);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 0);
}

/* A text with very many errors. */
static void many_errors(void **state)
{
    char text[20000];
    size_t n = 0;
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    (void)state;
    while (n + 8 < sizeof text) {
        memcpy(text + n, "f:1:1\n x\n", 9);
        n += 9;
    }
    struct apf_input input = apf_input_memory(text, n, "many");
    assert_int_equal(apf_check(&input, NULL, NULL, &verdict, NULL), APF_OK);
    assert_int_equal(verdict.n_errors, 1001);
    assert_int_equal(verdict.n_records, 0);
}

/* ---- other formats of text ---- */

static void json(void **state)
{
    static const char text[] =
        "{\"schema\": \"anyprof-sample/1\", \"summary\": {\"total\": 9, \"max_count\": 5, \"max_head\": 1,\n"
        "\"counts\": 1, \"functions\": 1, \"rows\": []}, \"functions\": [\n"
        "{\"name\": \"f\", \"total\": 4, \"head\": 1, \"lines\": [{\"line\": 1, \"count\": 5}]}]}\n";
    (void)state;
    look(text);
    FOUND(NOTE, NOTE, "sample.json.function.total", 143, 4, 5);
    FOUND(WARNING, INCONSISTENT, "sample.json.summary.total", NOWHERE, 9, 5);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 1);
    look("{\"schema\": \"anyprof-sample/1\", \"functions\": [{\"name\": \"f\", \"total\": -4}]}\n");
    assert_int_equal(now.list[0].line, 1);
    assert_int_equal(now.verdict.n_errors, 1);
}

TEST_FILE(check_sample_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones),   cmocka_unit_test(headers),      cmocka_unit_test(contexts),
        cmocka_unit_test(lines),       cmocka_unit_test(metadata),     cmocka_unit_test(counts),
        cmocka_unit_test(probes),      cmocka_unit_test(attributes),   cmocka_unit_test(repeated),
        cmocka_unit_test(names),       cmocka_unit_test(after_damage), cmocka_unit_test(whole_damage),
        cmocka_unit_test(many_errors), cmocka_unit_test(json),
    };
    return RUN_TESTS(tests);
}
