/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words and lines of errors are those of llvm-profdata 22, where it has the error. */
#include <inttypes.h>

#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault.h"
#include "sample/text/sample_text_line.h"
#include "sample/text/sample_text_read.h"

static const struct sample_read_options defaults = {
    .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};

/* Reads bytes from a block of exactly their size, so that AddressSanitizer sees one byte too many. */
static int read_bytes(struct apf_sample *s, const void *p, size_t n,
                      const struct sample_read_options *options, struct apf_error *error)
{
    uint8_t *copy = (uint8_t *)malloc(n ? n : 1);
    assert_non_null(copy);
    if (n)
        memcpy(copy, p, n);
    int code = sample_text_read(s, copy, n, options, error);
    free(copy);
    return code;
}

/* Reads and forgets. */
static int try_bytes(const void *p, size_t n, const struct sample_read_options *options,
                     struct apf_error *error)
{
    struct apf_sample *s = sample_new();
    assert_non_null(s);
    int code = read_bytes(s, p, n, options, error);
    sample_free(s);
    return code;
}

static int try_text(const char *text, const struct sample_read_options *options, struct apf_error *error)
{
    return try_bytes(text, strlen(text), options, error);
}

#define HEADER "Expected 'mangled_name:NUM:NUM', found "
#define LINE "Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found "
#define VTABLES "Expected 'vtables [mangled_vtable:NUM]+', found "
#define METADATA "Cannot parse metadata: "
#define AFTER "Found non-metadata after metadata: "
#define F "foo:1:1\n"

static const struct refused {
    const char *text, *words, *where;
    uint32_t line, column;
    uint64_t offset, found, expected;
} refused[] = {
    {F "x\n", HEADER "x", "sample.text.header", 2, 1, 8, 0, 0},
    {F "\t1: 2\n", HEADER "\t1: 2", "sample.text.header", 2, 1, 8, 0, 0},
    {F "\n#c\r\n\r\nbar:1:\r\n", HEADER "bar:1:", "sample.text.header", 5, 7, 21, 0, 0},
    {F "bar:1:x2", HEADER "bar:1:x2", "sample.text.header", 2, 7, 14, 0, 0},
    {F "bar::2", HEADER "bar::2", "sample.text.header", 2, 5, 12, 0, 0},
    {F "bar: 1:2", HEADER "bar: 1:2", "sample.text.header", 2, 5, 12, 0, 0},
    {F "bar:+1:2", HEADER "bar:+1:2", "sample.text.header", 2, 5, 12, 0, 0},
    {F "bar:-1:2", HEADER "bar:-1:2", "sample.text.header", 2, 5, 12, 0, 0},
    {F "bar:1:2 ", HEADER "bar:1:2 ", "sample.text.header", 2, 8, 15, 0, 0},
    {F "bar:1:18446744073709551616", HEADER "bar:1:18446744073709551616", "sample.text.header", 2, 7, 14, 0,
     0},
    {F "bar:1:2\r", HEADER "bar:1:2\r", "sample.text.header", 2, 8, 15, 0, 0},
    {F "a:5\n", HEADER "a:5", "sample.text.header", 2, 1, 8, 0, 0},
    {F ":\n", HEADER ":", "sample.text.header", 2, 2, 9, 0, 0},
    /* LLVM crashes */
    {"[]:1:1\n", HEADER "[]:1:1", "sample.text.context", 1, 2, 1, 0, 0},
    {F "[:1:1\n", HEADER "[:1:1", "sample.text.context", 2, 2, 9, 0, 0},
    {F "[x:1:1\n", HEADER "[x:1:1", "sample.text.context", 2, 2, 9, 0, 0},
    {F "[]\n", HEADER "[]", "sample.text.header", 2, 1, 8, 0, 0},
    /* places */
    {F " x: 1\n", LINE " x: 1", "sample.text.line", 2, 2, 9, 0, 0},
    {F " 70000: 1\n", LINE " 70000: 1", "sample.text.line", 2, 2, 9, 70000, 65535},
    {F " 65536: bar:1\n", LINE " 65536: bar:1", "sample.text.line", 2, 2, 9, 65536, 65535},
    {F " 65536\n", LINE " 65536", "sample.text.line", 2, 2, 9, 65536, 65535},
    {F " 4294967296.1: 1\n", LINE " 4294967296.1: 1", "sample.text.line", 2, 12, 19, 0, 0},
    {F " 1.4294967296: 1\n", LINE " 1.4294967296: 1", "sample.text.line", 2, 14, 21, 0, 0},
    {F " 1.: 1\n", LINE " 1.: 1", "sample.text.line", 2, 4, 11, 0, 0},
    {F " .1: 1\n", LINE " .1: 1", "sample.text.line", 2, 2, 9, 0, 0},
    {F " 1.2.3: 1\n", LINE " 1.2.3: 1", "sample.text.line", 2, 5, 12, 0, 0},
    {F " 1 : 1\n", LINE " 1 : 1", "sample.text.line", 2, 3, 10, 0, 0},
    {F " -1: 1\n", LINE " -1: 1", "sample.text.line", 2, 2, 9, 0, 0},
    {F "  5\n", LINE "  5", "sample.text.line", 2, 4, 11, 0, 0},
    {F " 5.1\n", LINE " 5.1", "sample.text.line", 2, 3, 10, 0, 0},
    /* counts and inlined functions */
    {F " 5:\n", LINE " 5:", "sample.text.line", 2, 3, 10, 0, 0},
    {F " 5: \n", LINE " 5: ", "sample.text.line", 2, 5, 12, 0, 0},
    {F " 5:7\n", LINE " 5:7", "sample.text.line", 2, 5, 12, 0, 0},
    {F " 5: +7\n", LINE " 5: +7", "sample.text.line", 2, 5, 12, 0, 0},
    {F " 5: 7x\n", LINE " 5: 7x", "sample.text.line", 2, 6, 13, 0, 0},
    {F " 5: 18446744073709551616\n", LINE " 5: 18446744073709551616", "sample.text.line", 2, 5, 12, 0, 0},
    {F " 5: 7\r", LINE " 5: 7\r", "sample.text.line", 2, 6, 13, 0, 0},
    {F " 5: bar\n", LINE " 5: bar", "sample.text.line", 2, 5, 12, 0, 0},
    {F " 5: bar:\n", LINE " 5: bar:", "sample.text.line", 2, 9, 16, 0, 0},
    {F " 5: bar:1x\n", LINE " 5: bar:1x", "sample.text.line", 2, 10, 17, 0, 0},
    {F " 5: bar:1 \n", LINE " 5: bar:1 ", "sample.text.line", 2, 10, 17, 0, 0},
    {F " 5: 9x:1\n", LINE " 5: 9x:1", "sample.text.line", 2, 6, 13, 0, 0},
    {F " 5: 9:1x\n", LINE " 5: 9:1x", "sample.text.line", 2, 8, 15, 0, 0},
    {F " 5: 123456789012345678901:1\n", LINE " 5: 123456789012345678901:1", "sample.text.line", 2, 5, 12, 0,
     0},
    {F " 5: vtables\n", LINE " 5: vtables", "sample.text.line", 2, 5, 12, 0, 0},
    /* targets */
    {F " 1: 2 \n", LINE " 1: 2 ", "sample.text.line", 2, 7, 14, 0, 0},
    {F " 1: 2 a:1 \n", LINE " 1: 2 a:1 ", "sample.text.line", 2, 11, 18, 0, 0},
    {F " 1: 2 :1\n", LINE " 1: 2 :1", "sample.text.line", 2, 7, 14, 0, 0},
    {F " 1: 2 a\n", LINE " 1: 2 a", "sample.text.line", 2, 7, 14, 0, 0},
    {F " 1: 2 a:1x\n", LINE " 1: 2 a:1x", "sample.text.line", 2, 10, 17, 0, 0},
    {F " 1: 2\ta:1\n", LINE " 1: 2\ta:1", "sample.text.line", 2, 6, 13, 0, 0},
    /* vtables */
    {F " 1: vtables a\n", VTABLES " 1: vtables a", "sample.text.vtables", 2, 13, 20, 0, 0},
    {F " 1: vtables a:1x\n", VTABLES " 1: vtables a:1x", "sample.text.vtables", 2, 16, 23, 0, 0},
    {F " 1: vtables a:1 b\n", VTABLES " 1: vtables a:1 b", "sample.text.vtables", 2, 17, 24, 0, 0},
    {F " 1: vtables a:3 a:3\n", VTABLES " 1: vtables a:3 a:3", "sample.text.vtables", 2, 20, 27, 0, 0},
    {F " 70000: vtables a:3\n", LINE " 70000: vtables a:3", "sample.text.line", 2, 2, 9, 70000, 65535},
    /* metadata */
    {F " !\n", METADATA " !", "sample.text.metadata", 2, 2, 9, 0, 0},
    {F " !Foo: 1\n", METADATA " !Foo: 1", "sample.text.metadata", 2, 2, 9, 0, 0},
    {F "  !Flat\n", METADATA "  !Flat", "sample.text.metadata", 2, 3, 10, 0, 0},
    {F " !Flat \n", METADATA " !Flat ", "sample.text.metadata", 2, 2, 9, 0, 0},
    {F " !CFGChecksum: 5 x\n", METADATA " !CFGChecksum: 5 x", "sample.text.metadata", 2, 17, 24, 0, 0},
    {F " !CFGChecksum:\n", METADATA " !CFGChecksum:", "sample.text.metadata", 2, 15, 22, 0, 0},
    {F " !Attributes: -1\n", METADATA " !Attributes: -1", "sample.text.metadata", 2, 15, 22, 0, 0},
    /* LLVM reads attributes of 32 bits */
    {F " !Attributes: 4294967296\n", METADATA " !Attributes: 4294967296", "sample.text.metadata", 2, 15, 22,
     UINT64_C(1) << 32, UINT32_MAX},
    {F " !CFGChecksum: 9\n 2: 3\n", AFTER " 2: 3", "sample.text.line", 3, 2, 26, 0, 0},
    {F " !Flat\n 2: bar:3\n", AFTER " 2: bar:3", "sample.text.line", 3, 2, 16, 0, 0},
    {F " !Flat\n 2: vtables a:3\n", AFTER " 2: vtables a:3", "sample.text.line", 3, 2, 16, 0, 0},
    {F " !Flat\n 2: 3x\n", LINE " 2: 3x", "sample.text.line", 3, 6, 20, 0, 0},
    {F " 1: b:1\n  !Attributes: 1\n  1: 1\n", AFTER "  1: 1", "sample.text.line", 4, 3, 35, 0, 0},
    /* body lines without indentation, not in a text of LLVM 3.5 to 3.7 */
    {F " 1: 2\n2: 3\n", HEADER "2: 3", "sample.text.header", 3, 3, 16, 0, 0},
    {F "1: 2\nbar:1:1\n 2: 3\n", HEADER "1: 2", "sample.text.indentation", 2, 3, 10, 0, 0},
    {"[a]:1:1\n1: 2\n", HEADER "1: 2", "sample.text.header", 2, 3, 10, 0, 0},
    {F "1: bar:2\n", HEADER "1: bar:2", "sample.text.header", 2, 3, 10, 0, 0},
    {F "70000: 2\n", HEADER "70000: 2", "sample.text.header", 2, 7, 14, 0, 0},
    {F "1:x2\n", HEADER "1:x2", "sample.text.header", 2, 3, 10, 0, 0},
    {F "1: 2 a\n", LINE "1: 2 a", "sample.text.line", 2, 6, 13, 0, 0},
    /* of all errors of a line the first one counts, and counters are added up at the end */
    {F " 1: 18446744073709551615\n 1: 1\nx\n", HEADER "x", "sample.text.header", 4, 1, 39, 0, 0},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        const struct refused *c = &refused[i];
        struct apf_error error;
        char message[256], numbers[64] = "";
        if (c->expected)
            snprintf(numbers, sizeof numbers, ": found %" PRIu64 ", expected at most %" PRIu64, c->found,
                     c->expected);
        snprintf(message, sizeof message, "%s [line %u, column %u, %s%s]", c->words, c->line, c->column,
                 c->where, numbers);
        assert_int_equal(try_text(c->text, &defaults, &error), APF_BAD_SAMPLE_TEXT);
        assert_string_equal(error.message, message);
        assert_string_equal(error.where, c->where);
        assert_int_equal(error.code, APF_BAD_SAMPLE_TEXT);
        assert_int_equal(error.line, c->line);
        assert_int_equal(error.column, c->column);
        assert_int_equal(error.offset, c->offset);
        assert_int_equal(error.found, c->found);
        assert_int_equal(error.expected, c->expected);
        assert_int_equal(try_text(c->text, &defaults, NULL), APF_BAD_SAMPLE_TEXT);
    }
}

static void test_unrecognized(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "\n", "# c\n", " foo:1:1\n", "   \nfoo:1:1\n", " #\nfoo:1:1\n", "foo\n", "[]\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct apf_error error;
        assert_int_equal(try_text(texts[i], &defaults, &error), APF_SAMPLE_UNRECOGNIZED);
        assert_string_equal(error.message, "Unrecognized sample profile encoding format");
    }
}

static void test_overflow(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "foo:18446744073709551615:1\nfoo:1:1\n",
        "foo:1:18446744073709551615\nfoo:1:1\n",
        F " 1: 18446744073709551615\n 1: 1\n",
        F " 1: 1 a:18446744073709551615\n 1: 1 a:1\n",
        F " 1: vtables a:18446744073709551615\n 1: vtables a:1\n",
        F " 1: a:18446744073709551615\n 1: a:1\n",
        F " 1: a:1\n  1: 18446744073709551615\n 1: a:1\n  1: 1\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct apf_error error;
        assert_int_equal(try_text(texts[i], &defaults, &error), APF_SAMPLE_OVERFLOW);
        assert_string_equal(error.message, "Counter overflow");
        assert_string_equal(error.where, "sample.text.count");
    }
}

/* LLVM ends at a NUL without a word; what is after it would be lost. */
static void test_nul(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint32_t line;
        uint64_t offset;
    } cases[] = {
        {F " 1: 2\0\n 3: 4\n", 21, 2, 13},
        {F " 1: 2\n\0 3: 4\n", 21, 2, 14},
        {F "\0", 9, 1, 8},
        {"foo:1:1\0bar:2:2\n", 16, 1, 7},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_error error;
        assert_int_equal(try_bytes(cases[i].text, cases[i].n, &defaults, &error), APF_BAD_SAMPLE_TEXT);
        assert_string_equal(error.where, "sample.text.nul");
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.offset, cases[i].offset);
    }
}

/* A long line is cut in the message, between two characters of UTF-8. */
static void test_long_line(void **state)
{
    (void)state;
    char xs[120], text[512], expected[512];
    struct apf_error error;
    memset(xs, 'x', sizeof xs - 1);
    xs[sizeof xs - 1] = '\0';
    snprintf(text, sizeof text, "%s%s\xc3\xa4yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n", F, xs);
    snprintf(expected, sizeof expected, "%s%s... [line 2, column 1, sample.text.header]", HEADER, xs);
    assert_int_equal(try_text(text, &defaults, &error), APF_BAD_SAMPLE_TEXT);
    assert_string_equal(error.message, expected);
}

/* ---- limits ---- */

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t max_records;
        uint32_t max_depth;
        const char *where, *detail; /* NULL: no error */
        uint32_t line;
        uint64_t found, expected;
    } cases[] = {
        {F " 1: a:1\nbar:1:1\nfoo:1:1\n", 3, 9, NULL, NULL, 0, 0, 0},
        {F " 1: a:1\nbar:1:1\n", 2, 9, "sample.text.functions", "too many functions", 3, 3, 2},
        {F "bar:1:1\n 1: a:1\n", 2, 9, "sample.text.functions", "too many functions", 3, 3, 2},
        {F " 1: a:1\n  1: a:1\n", 9, 2, NULL, NULL, 0, 0, 0},
        {F " 1: a:1\n  1: a:1\n", 9, 1, "sample.text.depth", "inlined too deep", 3, 2, 1},
        {"[a:1 @ b:1 @ c]:1:1\n", 9, 3, NULL, NULL, 0, 0, 0},
        {"[a:1 @ b:1 @ c]:1:1\n", 9, 2, "sample.text.context", "a context is too long", 1, 3, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sample_read_options options = {
            .max_bytes = 100, .max_records = cases[i].max_records, .max_depth = cases[i].max_depth};
        struct apf_error error;
        int code = try_text(cases[i].text, &options, &error);
        assert_int_equal(code, cases[i].where ? APF_LIMIT : APF_OK);
        if (code == APF_OK)
            continue;
        char message[256];
        snprintf(message, sizeof message, "a limit of this run was exceeded: %s [line %u, %s]",
                 cases[i].detail, cases[i].line, cases[i].where);
        assert_string_equal(error.message, message);
        assert_int_equal(error.found, cases[i].found);
        assert_int_equal(error.expected, cases[i].expected);
        assert_int_equal(try_text(cases[i].text, &options, NULL), APF_LIMIT);
    }
}

/* ---- salvaging ---- */

static void test_progress(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int code;
        uint64_t n_functions, end;
    } cases[] = {
        {F " 1: 2\nbar:1:1\n 1: x\n", APF_BAD_SAMPLE_TEXT, 1, 14},
        {F "foo:1:1\n[]:2:2\n", APF_BAD_SAMPLE_TEXT, 2, 16},
        {F "bar:1:1\nba\n", APF_BAD_SAMPLE_TEXT, 1, 8}, /* no header follows bar */
        {F "b", APF_BAD_SAMPLE_TEXT, 0, 0},
        {"foo\n", APF_SAMPLE_UNRECOGNIZED, 0, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sample_progress progress = {9, 9, 9};
        struct sample_read_options options = defaults;
        options.progress = &progress;
        assert_int_equal(try_text(cases[i].text, &options, NULL), cases[i].code);
        assert_int_equal(progress.n_functions, cases[i].n_functions);
        assert_int_equal(progress.end, cases[i].end);
        assert_int_equal(progress.known, 0);
        if (!cases[i].n_functions)
            continue;
        options.max_functions = progress.n_functions;
        struct apf_sample *s = sample_new();
        assert_int_equal(read_bytes(s, cases[i].text, strlen(cases[i].text), &options, NULL), APF_OK);
        assert_int_equal(s->info.n_functions, 1);
        assert_int_equal(s->nodes.data[0].total, progress.n_functions);
        sample_free(s);
    }
    /* When a file is salvaged, another header must follow the last function that is kept. */
    struct sample_progress progress = {9, 9, 9};
    struct sample_read_options salvage = defaults;
    salvage.flags = APF_FLAG_SALVAGE;
    assert_int_equal(try_text(F "bar:1:1\n", &salvage, NULL), APF_OK);
    salvage.progress = &progress;
    assert_int_equal(try_text(F "bar:1:1\n", &salvage, NULL), APF_SAMPLE_TRUNCATED);
    assert_int_equal(progress.n_functions, 1);
    assert_int_equal(progress.end, 8);
    /* A NUL after the last function that is read is no error. */
    struct sample_read_options options = defaults;
    options.max_functions = 1;
    assert_int_equal(try_bytes(F "bar:1:1\0", 16, &options, NULL), APF_OK);
    options.max_functions = 2;
    assert_int_equal(try_bytes(F "bar:1:1\0", 16, &options, NULL), APF_BAD_SAMPLE_TEXT);
}

/* ---- sweeps ---- */

static const char everything[] =
    "# all forms\nmain:100:1\n 1: 2\n 1.3: 4 bar:2 std::g<a:b>:7\n 1.3: vtables _ZTV1A:3 _ZTV1B:4 \n"
    " 2: bar:9\n  1: 9\n  2.1: op::call x:3\n   1: 3\n   !CFGChecksum: 5\n  !CFGChecksum: 6\n  !Attributes: "
    "2\n"
    " 1.3: baz:1\n 1.3: vtables _ZTV1A:3 _ZTV1B:4 \n !CFGChecksum: 7\n !Flat\n !Attributes: 1\n\n"
    "[main:1.3 @ bar:2 @ baz]:5:6\r\n  # c\n 70000.1: 1\n 7.3: 16434608426314478903:20\n 5\nmain:1:1\n 9: "
    "9\n";

/* Every prefix ends well, and is accepted where it ends after a line. */
static void test_prefixes(void **state)
{
    (void)state;
    size_t n = sizeof everything - 1;
    for (size_t i = 0; i <= n; i++) {
        struct apf_error error;
        int code = try_bytes(everything, i, &defaults, &error);
        if (i > 23 && everything[i - 1] == '\n')
            assert_int_equal(code, APF_OK);
        if (code == APF_OK)
            continue;
        assert_true(code == APF_BAD_SAMPLE_TEXT || code == APF_SAMPLE_UNRECOGNIZED);
        if (code == APF_BAD_SAMPLE_TEXT)
            assert_true(error.offset <= i);
    }
}

static void test_flipped_bits(void **state)
{
    (void)state;
    char text[sizeof everything];
    unsigned accepted = 0;
    for (size_t bit = 0; bit < 8 * (sizeof everything - 1); bit++) {
        struct apf_error error;
        memcpy(text, everything, sizeof text);
        text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
        int code = try_bytes(text, sizeof text - 1, &defaults, &error);
        accepted += code == APF_OK;
        assert_true(code == APF_OK || code == APF_BAD_SAMPLE_TEXT || code == APF_SAMPLE_UNRECOGNIZED);
    }
    assert_in_range(accepted, 1000, 3000);
}

static void test_memory_faults(void **state)
{
    (void)state;
    static const enum fault_call calls[] = {FAULT_MEMORY, FAULT_ARENA};
    for (size_t i = 0; i < COUNT(calls); i++)
        for (uint64_t k = 1;; k++) {
            struct apf_sample *s = sample_new();
            struct apf_error error = {0};
            assert_non_null(s);
            fault_fail(calls[i], k, ENOMEM);
            int code =
                sample_text_read(s, (const uint8_t *)everything, sizeof everything - 1, &defaults, &error);
            bool hit = fault_hit();
            fault_reset();
            sample_free(s);
            if (!hit) {
                assert_int_equal(code, APF_OK);
                assert_in_range(k, 10, 100);
                break;
            }
            assert_int_equal(code, APF_NO_MEMORY);
            assert_int_equal(error.code, APF_NO_MEMORY);
        }
    for (uint64_t k = 1; k < 30; k++) { /* a profile of hashes */
        struct apf_sample *s = sample_new();
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = sample_text_read(s, (const uint8_t *)"1:1:1\n 1: 2:3\n", 14, &defaults, NULL);
        assert_int_equal(code, fault_hit() ? APF_NO_MEMORY : APF_OK);
        fault_reset();
        sample_free(s);
    }
}

/* ---- what could take time or memory out of proportion ---- */

#define REPEATED ((size_t)200000)

static void test_proportion(void **state)
{
    (void)state;
    static const struct {
        const char *head, *repeated, *other; /* in turn */
        uint64_t nodes;
    } cases[] = {
        {"", "foo:1:1\n", "bar:1:1\n", 2},
        {"", "[a:1 @ b]:1:1\n", "[a:2 @ b]:1:1\n", 2},
        {F, " 2: 1\n", " 1: 1\n", 1},
        {F, " 2: a:1\n", " 1: b:1\n", 3},
        {F, " 2: vtables a:1 b:1 \n", " 1: vtables b:1\n", 1},
        {F " 1: 1", " a:1", " b:1", 1},
        {F " 1: 1", " a:1x", " b:1x", 0},
        {F " 1: 1 ", "@", ":", 0},
        {F, " 2: a:1\n 2: vtables b:1\n", " 1: 1\n", 2},
        {F "[", "a @ ", "b @@ ", 0},
        {F, " !Flat\n", "#\n", 1},
        {F "\n", " ", " ", 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t n = strlen(cases[i].head), most = n;
        most += REPEATED * (strlen(cases[i].repeated) + strlen(cases[i].other));
        char *text = (char *)malloc(most + 1);
        assert_non_null(text);
        memcpy(text, cases[i].head, n + 1);
        for (size_t k = 0; k < 2 * REPEATED; k++) {
            const char *part = k % 2 ? cases[i].other : cases[i].repeated;
            memcpy(text + n, part, strlen(part));
            n += strlen(part);
        }
        struct apf_sample *s = sample_new();
        int code = read_bytes(s, text, n, &defaults, NULL);
        if (cases[i].nodes) {
            assert_int_equal(code, APF_OK);
            assert_int_equal(s->info.n_functions + s->info.n_inlined, cases[i].nodes);
        } else {
            assert_true(code == APF_BAD_SAMPLE_TEXT || code == APF_LIMIT);
        }
        sample_free(s);
        free(text);
    }
}

TEST_FILE(sample_text_errors)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_unrecognized),
        cmocka_unit_test(test_overflow),     cmocka_unit_test(test_nul),
        cmocka_unit_test(test_long_line),    cmocka_unit_test(test_limits),
        cmocka_unit_test(test_progress),     cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_flipped_bits), cmocka_unit_test(test_memory_faults),
        cmocka_unit_test(test_proportion),
    };
    return RUN_TESTS(tests);
}
