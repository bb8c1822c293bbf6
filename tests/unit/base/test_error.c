/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "base/error.h"

/* Filled with garbage: a caller need not clear the error. */
static struct apf_error dirty(void)
{
    struct apf_error e;
    memset(&e, 0xa5, sizeof e);
    return e;
}

static void test_version(void **state)
{
    (void)state;
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH);
    assert_string_equal(apf_version(), want);
}

/* The numbers are part of the interface: repeated here so that no change goes unseen. */
static void test_codes(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *name;
    } codes[] = {
        {0, "OK"},
        {1, "END"},
        {10, "UNRECOGNIZED_FORMAT"},
        {11, "BAD_MAGIC"},
        {12, "BAD_HEADER"},
        {13, "UNSUPPORTED_VERSION"},
        {14, "UNSUPPORTED_HASH_TYPE"},
        {15, "TOO_LARGE"},
        {16, "TRUNCATED"},
        {17, "MALFORMED"},
        {18, "MISSING_CORRELATION"},
        {19, "UNEXPECTED_CORRELATION"},
        {20, "UNABLE_TO_CORRELATE"},
        {21, "INVALID_PROFILE"},
        {22, "UNKNOWN_FUNCTION"},
        {23, "HASH_MISMATCH"},
        {24, "COUNT_MISMATCH"},
        {25, "BITMAP_MISMATCH"},
        {26, "COUNTER_OVERFLOW"},
        {27, "VALUE_SITE_MISMATCH"},
        {28, "COMPRESS_FAILED"},
        {29, "UNCOMPRESS_FAILED"},
        {30, "EMPTY_PROFILE"},
        {31, "COUNTER_TOO_LARGE"},
        {32, "LEVEL_CONFLICT"},
        {40, "NO_MEMORY"},
        {41, "IO"},
        {42, "LIMIT"},
        {43, "ARGUMENT"},
        {44, "UNSUPPORTED"},
        {45, "STOPPED"},
        {46, "NOT_REPRESENTABLE"},
        {47, "NOTE"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_string_equal(apf_code_name(codes[i].code), codes[i].name);
    static const int none[] = {-1, 2, 9, 39, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_string_equal(apf_code_name(none[i]), "UNKNOWN");
        assert_string_equal(apf_code_text(none[i]), "unknown error");
    }
    assert_string_equal(apf_code_text(APF_OK), "success");
    assert_int_equal(apf_code_is_damage(APF_TRUNCATED), 1);
    assert_int_equal(apf_code_is_damage(APF_DECOMPRESS_FAILED), 1);
    assert_int_equal(apf_code_is_damage(APF_UNRECOGNIZED_FORMAT), 0);
    assert_int_equal(apf_code_is_damage(APF_OK), 0);
    assert_int_equal(apf_code_is_damage(-1), 0);
    assert_string_equal(apf_code_text(APF_BAD_MAGIC), "invalid instrumentation profile data (bad magic)");
    assert_string_equal(apf_code_text(APF_LEVEL_CONFLICT),
                        "Merge IR generated profile with Clang generated profile.");
}

static void test_no_error_wanted(void **state)
{
    (void)state;
    struct error_at at = {"raw.header", 8, 1, 2};
    assert_int_equal(error_at(NULL, APF_TRUNCATED, at, "x %d", 1), APF_TRUNCATED);
    assert_int_equal(error_plain(NULL, APF_LIMIT, "x", "y"), APF_LIMIT);
    assert_int_equal(error_line(NULL, APF_MALFORMED, "x", 1, 2, "y"), APF_MALFORMED);
    assert_int_equal(error_memory(NULL), APF_NO_MEMORY);
    assert_int_equal(error_errno(NULL, ENOENT, "x"), APF_IO);
    error_add(NULL, " (%d)", 1);
}

static void test_add(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    assert_int_equal(error_place(&e, APF_BAD_ELF, "elf.symbol", 7, "odd"), APF_BAD_ELF);
    error_add(&e, " (section %d)", 3);
    assert_string_equal(
        e.message,
        "The file was not recognized as a valid object file: odd [elf.symbol at offset 7] (section 3)");
    assert_int_equal(e.offset, 7);
    for (size_t i = 0; i < sizeof e.message; i++)
        error_add(&e, "%s", "long");
    assert_int_equal(strlen(e.message), sizeof e.message - 1);
}

static void test_at(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    struct error_at at = {"raw.header.names_size", 24, 99, UINT64_MAX};
    assert_int_equal(error_at(&e, APF_TRUNCATED, at, "%s of %d", "names", 7), APF_TRUNCATED);
    assert_int_equal(e.code, APF_TRUNCATED);
    assert_int_equal(e.sys_errno, 0);
    assert_int_equal(e.offset, 24);
    assert_int_equal(e.found, 99);
    assert_int_equal(e.expected, UINT64_MAX);
    assert_int_equal(e.input, 0);
    assert_int_equal(e.line, 0);
    assert_int_equal(e.column, 0);
    assert_string_equal(e.where, "raw.header.names_size");
    for (size_t i = 0; i < sizeof e.reserved / sizeof *e.reserved; i++)
        assert_int_equal(e.reserved[i], 0);
    assert_string_equal(e.message,
                        "truncated profile data: names of 7 [raw.header.names_size at offset 24: found 99, "
                        "expected at least 18446744073709551615]");
}

/* A value that is a bound is called one. */
static void test_bounds(void **state)
{
    (void)state;
    struct apf_error e;
    struct error_at much = {"x.y", 8, 3, 2}, little = {"x.y", 8, 2, 3};
    static const int bounds[] = {APF_TOO_LARGE, APF_LIMIT, APF_TRUNCATED, APF_UNSUPPORTED_VERSION};
    for (size_t i = 0; i < COUNT(bounds); i++) {
        assert_int_equal(error_at(&e, bounds[i], much, NULL), bounds[i]);
        assert_non_null(strstr(e.message, " [x.y at offset 8: found 3, expected at most 2]"));
        assert_int_equal(error_at(&e, bounds[i], little, NULL), bounds[i]);
        assert_non_null(strstr(e.message, " [x.y at offset 8: found 2, expected at least 3]"));
    }
    assert_int_equal(error_at(&e, APF_MALFORMED, much, NULL), APF_MALFORMED);
    assert_non_null(strstr(e.message, " [x.y at offset 8: found 3, expected 2]"));
    assert_int_equal(error_bound(&e, APF_MALFORMED, much, "%s", "d"), APF_MALFORMED);
    assert_non_null(strstr(e.message, ": d [x.y at offset 8: found 3, expected at most 2]"));
    assert_int_equal(e.found, 3);
    assert_int_equal(e.expected, 2);
    assert_int_equal(error_bound(NULL, APF_MALFORMED, much, NULL), APF_MALFORMED);
}

/* Bytes are shown in the order of the file. */
static void test_magic(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    struct error_at at = {"magic", 0, 0x00010102464c457f, 0x8169666f72706cff};
    assert_int_equal(error_magic(&e, APF_BAD_MAGIC, at), APF_BAD_MAGIC);
    assert_string_equal(e.message, "invalid instrumentation profile data (bad magic) [magic at offset 0: "
                                   "found 7f 45 4c 46 02 01 01 00 \".ELF....\", "
                                   "expected ff 6c 70 72 6f 66 69 81 \".lprofi.\"]");
    assert_int_equal(e.offset, 0);
    assert_true(e.found == 0x00010102464c457f);
    assert_int_equal(e.line, 0);
    assert_int_equal(error_magic(NULL, APF_BAD_MAGIC, at), APF_BAD_MAGIC);
}

static void test_at_no_offset_no_detail(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    struct error_at at = {"file.size", NO_OFFSET, 3, 2};
    assert_int_equal(error_at(&e, APF_TOO_LARGE, at, NULL), APF_TOO_LARGE);
    assert_int_equal(e.offset, UINT64_MAX);
    assert_string_equal(e.message, "too much profile data [file.size: found 3, expected at most 2]");
}

static void test_hashes(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    struct error_at field = {"indexed.table.item.hash", 24, 10, UINT64_MAX},
                    code = {"indexed.record", NO_OFFSET, 1, 2}, neither = {"indexed.hashes", NO_OFFSET, 1, 2};
    assert_int_equal(error_at(&e, APF_MALFORMED, field, NULL), APF_MALFORMED);
    assert_non_null(
        strstr(e.message, "at offset 24: found 0x000000000000000a, expected 0xffffffffffffffff]"));
    assert_int_equal(error_at(&e, APF_HASH_MISMATCH, code, NULL), APF_HASH_MISMATCH);
    assert_non_null(strstr(e.message, ": found 0x0000000000000001, expected 0x0000000000000002]"));
    assert_int_equal(error_at(&e, APF_MALFORMED, neither, NULL), APF_MALFORMED);
    assert_non_null(strstr(e.message, ": found 1, expected 2]"));
}

static void test_plain(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    assert_int_equal(error_plain(&e, APF_ARGUMENT, "merge.weight", "weight %u", 0u), APF_ARGUMENT);
    assert_int_equal(e.code, APF_ARGUMENT);
    assert_int_equal(e.offset, UINT64_MAX);
    assert_string_equal(e.where, "merge.weight");
    assert_string_equal(e.message, "invalid argument: weight 0");

    e = dirty();
    error_set_plain(&e, APF_STOPPED, NULL, NULL);
    assert_string_equal(e.where, "");
    assert_string_equal(e.message, "stopped by the caller");
}

static void test_line(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    assert_int_equal(error_line(&e, APF_MALFORMED, "text.counters", 120, 9, "not a number"), APF_MALFORMED);
    assert_int_equal(e.offset, 120);
    assert_int_equal(e.line, 9);
    assert_int_equal(e.column, 1);
    assert_string_equal(e.message,
                        "malformed instrumentation profile data: not a number [line 9, text.counters]");
    error_line(&e, APF_TRUNCATED, "text.name", 0, 1, NULL);
    assert_string_equal(e.message, "truncated profile data [line 1, text.name]");
}

static void test_quote(void **state)
{
    (void)state;
    struct apf_error e;
    char line[200], message[256];
    memset(line, 'x', sizeof line);
    struct error_quote quote = {"text.line", 70, 3, 5, "Expected y, found ", {line, 120}, 0, 0};
    assert_int_equal(error_quote(&e, APF_BAD_SAMPLE_TEXT, &quote), APF_BAD_SAMPLE_TEXT);
    snprintf(message, sizeof message, "Expected y, found %.120s [line 3, column 5, text.line]", line);
    assert_string_equal(e.message, message);
    assert_int_equal(e.code, APF_BAD_SAMPLE_TEXT);
    assert_int_equal(e.offset, 70);
    assert_int_equal(e.line, 3);
    assert_int_equal(e.column, 5);
    assert_string_equal(e.where, "text.line");
    /* A longer line is cut, before a character of UTF-8 that does not fit. */
    memcpy(line + 118, "\xe2\x82\xac", 3);
    quote.text.n = sizeof line;
    error_set_quote(&e, APF_BAD_SAMPLE_TEXT, &quote);
    snprintf(message, sizeof message, "Expected y, found %.118s... [line 3, column 5, text.line]", line);
    assert_string_equal(e.message, message);
    error_set_quote(NULL, APF_BAD_SAMPLE_TEXT, &quote);
    /* The numbers fit beside the longest words of a reader and the largest place. */
    quote = (struct error_quote){"sample.text.metadata",
                                 70,
                                 UINT32_MAX,
                                 UINT32_MAX,
                                 "Expected 'NUM[.NUM]: NUM[ mangled_name:NUM]*', found ",
                                 {line, 61},
                                 UINT64_MAX,
                                 UINT32_MAX};
    error_set_quote(&e, APF_BAD_SAMPLE_TEXT, &quote);
    assert_non_null(strstr(e.message, "x... [line 4294967295, column 4294967295, sample.text.metadata: found "
                                      "18446744073709551615, expected at most 4294967295]"));
    assert_true(e.found == UINT64_MAX && e.expected == UINT32_MAX);
}

static void test_memory_and_errno(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    assert_int_equal(error_memory(&e), APF_NO_MEMORY);
    assert_int_equal(e.code, APF_NO_MEMORY);
    assert_int_equal(e.sys_errno, 0);
    assert_string_equal(e.where, "memory");
    assert_string_equal(e.message, "out of memory");

    e = dirty();
    assert_int_equal(error_errno(&e, ENOENT, "file.open"), APF_IO);
    assert_int_equal(e.code, APF_IO);
    assert_int_equal(e.sys_errno, ENOENT);
    assert_int_equal(e.offset, UINT64_MAX);
    assert_string_equal(e.where, "file.open");
    assert_string_equal(e.message, "No such file or directory");

    error_errno(&e, 123456, "output.write"); /* a callback may return any number */
    assert_int_equal(e.sys_errno, 123456);
    assert_true(strstr(e.message, "123456") != NULL);
}

static void test_long_message_is_cut(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct apf_error e = dirty();
    struct error_at at = {"a.b", 1, 2, 3};
    error_set_at(&e, APF_TRUNCATED, at, "%s", text);
    assert_int_equal(strlen(e.message), sizeof e.message - 1);
    assert_memory_equal(e.message, "truncated profile data: xxxx", 28);
    assert_int_equal(e.found, 2);
    assert_int_equal(e.reserved[0], 0);
    error_set_plain(&e, APF_LIMIT, text, "%s%s", text, text);
    assert_int_equal(strlen(e.message), sizeof e.message - 1);
    error_line(&e, APF_LIMIT, text, 0, 1, text);
    assert_int_equal(strlen(e.message), sizeof e.message - 1);
}

static void test_subject(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    assert_int_equal(error_subject(NULL, APF_IO, APF_SUBJECT_OUTPUT), APF_IO);
    assert_int_equal(error_subject(&e, error_errno(&e, EACCES, "a.b"), APF_SUBJECT_OUTPUT), APF_IO);
    assert_int_equal(e.subject, APF_SUBJECT_OUTPUT);
    error_subject(&e, APF_IO, APF_SUBJECT_MEMPROF); /* known more exactly already */
    assert_int_equal(e.subject, APF_SUBJECT_OUTPUT);
    error_subject(&e, error_memory(&e), APF_SUBJECT_OUTPUT);
    assert_int_equal(e.subject, APF_SUBJECT_INPUT);
}

/* Messages are English in every locale that has its own texts. */
static void test_errno_locale(void **state)
{
    (void)state;
    struct apf_error e = dirty();
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    error_errno(&e, ENOENT, "file.open");
    setlocale(LC_ALL, "C");
    assert_string_equal(e.message, "No such file or directory");
}

TEST_FILE(error)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_no_error_wanted),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_magic),
        cmocka_unit_test(test_at_no_offset_no_detail),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_quote),
        cmocka_unit_test(test_memory_and_errno),
        cmocka_unit_test(test_errno_locale),
        cmocka_unit_test(test_long_message_is_cut),
        cmocka_unit_test(test_subject),
    };
    return RUN_TESTS(tests);
}
