/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/show.h>

#include "helpers/shared/fault.h"
#include "instr/text/text_read.h"
#include "instr/text/text_write.h"

static struct apf_instr *read_text(const char *text, size_t n)
{
    static const struct read_options defaults = {.max_bytes = 1u << 30, .max_records = 1u << 28};
    struct apf_error error;
    struct apf_instr *p = profile_new();
    assert_non_null(p);
    int code = text_read(p, (const uint8_t *)text, n, &defaults, &error);
    if (code != APF_OK)
        print_error("%s\n", error.message);
    assert_int_equal(code, APF_OK);
    assert_int_equal(profile_complete(p, &defaults, &error), APF_OK);
    return p;
}

/* Writes a profile; the text is terminated, and freed by the caller. */
static char *written(const struct apf_instr *p, const struct text_write_options *options, size_t *n)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    struct apf_error error;
    assert_int_equal(file_out_open(&out, &output, &error), APF_OK);
    assert_int_equal(text_write(p, options, out, &error), APF_OK);
    assert_int_equal(file_out_close(out, true, &error), APF_OK);
    *n = buffer.n;
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    return (char *)buffer.data;
}

static void check_profile(const struct apf_instr *p, struct text_write_options options, const char *expected)
{
    size_t n;
    char *text = written(p, &options, &n);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
    free(text);
}

static void check(const char *text, struct text_write_options options, const char *expected)
{
    struct apf_instr *p = read_text(text, strlen(text));
    check_profile(p, options, expected);
    profile_free(p);
}

/* As `show --text` has it; `part` NULL: all functions. */
static void check_shown(const char *text, const char *part, uint32_t flags, const char *expected)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_instr_print_options options = {.size = sizeof options, .flags = flags | APF_INSTR_PRINT_TEXT};
    struct apf_instr *p = read_text(text, strlen(text));
    options.flags |= part ? 0 : APF_INSTR_PRINT_ALL_FUNCTIONS;
    options.function.p = part;
    options.function.n = part ? strlen(part) : 0;
    assert_int_equal(apf_instr_print(p, &options, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_string_equal(buffer.data, expected);
    apf_buffer_free(&buffer);
    profile_free(p);
}

static const struct text_write_options plain;
static const struct text_write_options sparse = {.sparse = true};
static const struct text_write_options shown = {.show_style = true, .all_names = true};

/* ---- against texts of llvm-profdata-22 ---- */

static const char input[] =
    ":ir\n:entry_first\n:temporal_prof_traces\n1\n3\n2\nbar,foo\nbar\n5\n2\n0\n0\n$2\n0\n0\n"
    "foo\n10\n1\n5\n3\n0\n2\n2\nzz:9\nbar:3\n0\n1\n1\n1\n64:18446744073709551615\n2\n1\n1\nfoo:1\n";

/* llvm-profdata-22 merge --text */
static const char merged[] =
    "# IR level Instrumentation Flag\n:ir\n# Always instrument the function entry block\n"
    ":entry_first\n:temporal_prof_traces\n# Num Temporal Profile Traces:\n1\n"
    "# Temporal Profile Trace Stream Size:\n3\n# Weight:\n2\nbar,foo,\n\n"
    "bar\n# Func Hash:\n5\n# Num Counters:\n2\n# Counter Values:\n0\n0\n"
    "# Num Bitmap Bytes:\n$2\n# Bitmap Byte Values:\n0x0\n0x0\n\n\n"
    "foo\n# Func Hash:\n10\n# Num Counters:\n1\n# Counter Values:\n5\n"
    "# Num Value Kinds:\n3\n# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n2\n"
    "2\n** External Symbol **:9\nbar:3\n0\n# ValueKind = IPVK_MemOPSize:\n1\n"
    "# NumValueSites:\n1\n1\n64:18446744073709551615\n# ValueKind = IPVK_VTableTarget:\n2\n"
    "# NumValueSites:\n1\n1\nfoo:1\n\n";

/* llvm-profdata-22 merge --text --sparse */
static const char merged_sparse[] =
    "# IR level Instrumentation Flag\n:ir\n# Always instrument the function entry block\n"
    ":entry_first\n:temporal_prof_traces\n# Num Temporal Profile Traces:\n1\n"
    "# Temporal Profile Trace Stream Size:\n3\n# Weight:\n2\n,foo,\n\n"
    "foo\n# Func Hash:\n10\n# Num Counters:\n1\n# Counter Values:\n5\n"
    "# Num Value Kinds:\n3\n# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n2\n"
    "2\n** External Symbol **:9\n** External Symbol **:3\n0\n# ValueKind = IPVK_MemOPSize:\n1\n"
    "# NumValueSites:\n1\n1\n64:18446744073709551615\n# ValueKind = IPVK_VTableTarget:\n2\n"
    "# NumValueSites:\n1\n1\nfoo:1\n\n";

/* llvm-profdata-22 show --function=foo --text, without the bitmap of bar, which LLVM's text reader leaves in the
 * record it reads next */
static const char shown_foo[] = ":ir\nfoo\n# Func Hash:\n10\n# Num Counters:\n1\n# Counter Values:\n5\n"
                                "# Num Value Kinds:\n3\n# ValueKind = IPVK_IndirectCallTarget:\n0\n"
                                "# NumValueSites:\n2\n2\nzz:9\nbar:3\n0\n# ValueKind = IPVK_MemOPSize:\n1\n"
                                "# NumValueSites:\n1\n1\n64:18446744073709551615\n"
                                "# ValueKind = IPVK_VTableTarget:\n2\n# NumValueSites:\n1\n1\nfoo:1\n\n";

static void test_merge_style(void **state)
{
    (void)state;
    check(input, plain, merged);
}

static void test_sparse(void **state)
{
    (void)state;
    struct text_write_result result;
    struct text_write_options options = sparse;
    options.result = &result;
    check(input, options, merged_sparse);
    assert_int_equal(result.written, 1);
    assert_int_equal(result.sparse_dropped, 1);
    assert_int_equal(result.nameless + result.unwritable + result.guards, 0);
}

static void test_show_style(void **state)
{
    (void)state;
    static const char *const parts[] = {"foo", "o", "oo", "fo"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        check_shown(input, parts[i], 0, shown_foo);
    check_shown(input, "fooo", 0, ":ir\n");
}

/* A name stays when one of its records, or one byte of a bitmap, is not zero; values do not count. */
static void test_sparse_names(void **state)
{
    (void)state;
    check("a\n1\n1\n0\na\n2\n1\n7\nb\n1\n1\n0\n$1\n1\nc\n1\n1\n0\n1\n1\n1\n1\n8:5\n", sparse,
          "a\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n0\n\n"
          "a\n# Func Hash:\n2\n# Num Counters:\n1\n# Counter Values:\n7\n\n"
          "b\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n0\n"
          "# Num Bitmap Bytes:\n$1\n# Bitmap Byte Values:\n0x1\n\n\n");
}

#define RECORD(name, hash, count)                                                                            \
    name "\n# Func Hash:\n" hash "\n# Num Counters:\n1\n# Counter Values:\n" count "\n\n"

/* The part may begin in the name more than once before it is there, or is not. */
static void test_parts_of_names(void **state)
{
    (void)state;
    static const char names[] = "fofofoo\n1\n1\n1\nfofof\n1\n1\n2\nf\n1\n1\n3\n";
    check_shown(names, "foo", 0, RECORD("fofofoo", "1", "1"));
    check_shown(names, "fofof", 0, RECORD("fofofoo", "1", "1") RECORD("fofof", "1", "2"));
    check_shown(names, "off", 0, "");
}

static void test_headers(void **state)
{
    (void)state;
    check("", plain, "# No functions\n"); /* a file of 0 bytes would be refused */
    check("", shown, "");
    check("f\n1\n1\n5\n", plain, RECORD("f", "1", "5"));
    check("f\n1\n1\n5\n", shown, RECORD("f", "1", "5"));
    check(":fe\n", plain, "# No functions\n");
    check(":csir\n", plain, "# CSIR level Instrumentation Flag\n:csir\n");
    check(":csir\n:entry_first\n", shown, ":ir\n");
    check(":ir\n:single_byte_coverage\n:instrument_loop_entries\n", plain,
          "# IR level Instrumentation Flag\n:ir\n"
          "# Always instrument the loop entry blocks\n:instrument_loop_entries\n"
          "# Instrument block coverage\n:single_byte_coverage\n");
    check(":temporal_prof_traces\n0\n18446744073709551615\n", plain,
          ":temporal_prof_traces\n# Num Temporal Profile Traces:\n0\n"
          "# Temporal Profile Trace Stream Size:\n18446744073709551615\n\n");
}

/* IR profiles are shown without or with nothing but their context-sensitive records; others whole. */
static void test_show_cs(void **state)
{
    (void)state;
    const char *ir = ":csir\nf\n1\n1\n5\nf\n0x1000000000000000\n1\n6\n";
    const char *both = RECORD("f", "1", "5") RECORD("f", "1152921504606846976", "6");
    check_shown(ir, NULL, 0, ":ir\n" RECORD("f", "1", "5"));
    check_shown(ir, NULL, APF_INSTR_PRINT_CS, ":ir\n" RECORD("f", "1152921504606846976", "6"));
    check_shown(ir + strlen(":csir\n"), NULL, 0, both);
    check_shown(ir + strlen(":csir\n"), NULL, APF_INSTR_PRINT_CS, both);
}

static const char vtables[] = "f\n1\n1\n5\n2\n2\n1\n1\n_ZTV1A:3\n0\n1\n2\n_ZTV1A:2\ng:1\n";

static void test_vtable_names(void **state)
{
    (void)state;
    struct text_write_options options = plain;
#define VTABLES(name, g)                                                                                     \
    "f\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n5\n# Num Value Kinds:\n2\n"                  \
    "# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n1\n2\n" name ":2\n" g ":1\n"               \
    "# ValueKind = IPVK_VTableTarget:\n2\n# NumValueSites:\n1\n1\n" name ":3\n\n"
    check(vtables, options, VTABLES("** External Symbol **", "** External Symbol **"));
    options.vtable_names = true; /* llvm-profdata-22 merge --text --keep-vtable-symbols */
    check(vtables, options, VTABLES("_ZTV1A", "** External Symbol **"));
    check(vtables, shown, VTABLES("_ZTV1A", "g"));
}

static void test_numbers(void **state)
{
    (void)state;
    char text[2048] = "f\n1\n42\n",
         expected[2048] = "f\n# Func Hash:\n1\n# Num Counters:\n42\n# Counter Values:\n";
    for (uint64_t v = 1, i = 0; i < 20; i++, v *= 10)
        snprintf(text + strlen(text), 64, "%llu\n%llu\n", (unsigned long long)(v - 1), (unsigned long long)v);
    strcat(text, "99\n18446744073709551615\n");
    strcat(expected, strstr(text, "42\n") + 3);
    strcat(expected, "# Num Bitmap Bytes:\n$256\n# Bitmap Byte Values:\n");
    strcat(text, "$256\n");
    char *big = (char *)malloc(65536), *want = (char *)malloc(65536);
    assert_non_null(big);
    assert_non_null(want);
    snprintf(big, 65536, "%s", text);
    snprintf(want, 65536, "%s", expected);
    for (unsigned i = 0; i < 256; i++) {
        snprintf(big + strlen(big), 16, "0x%x\n", i);
        snprintf(want + strlen(want), 16, "0x%x\n", i);
    }
    strcat(want, "\n\n");
    check(big, plain, want);
    free(big);
    free(want);
}

/* ---- what LLVM would write so that it cannot be read ---- */

#define GUARD "# Num Value Kinds:\n1\n# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n0\n"

static void test_guards(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
        uint64_t guards;
    } cases[] = {
        /* a number after a record without values */
        {"123\n1\n1\n5\n", RECORD("123", "1", "5"), 0},
        {"a\n1\n1\n5\n1\n0\n0\n123\n1\n1\n6\n", RECORD("a", "1", "5") GUARD RECORD("123", "1", "6"), 1},
        {"a\n1\n1\n5\n4294967296\n1\n1\n6\n", RECORD("a", "1", "5") RECORD("4294967296", "1", "6"), 0},
        {"a\n1\n1\n5\n1\n0\n0\n4294967295\n1\n1\n6\n1\n0\n0\n0\n1\n1\n6\n",
         RECORD("a", "1", "5") GUARD RECORD("4294967295", "1", "6") GUARD RECORD("0", "1", "6"), 2},
        /* a $ after one without bitmap and values */
        {"a\n1\n1\n5\n$0\n$b\n1\n1\n6\n", NULL, 1},
        /* the first bytes would not look like text */
        {"# x\n\xc3\xa9\n1\n1\n5\n", "# Text profile\n" RECORD("\xc3\xa9", "1", "5"), 1},
        {"# ABCDEFG\n1234567\xc3\xa9\n1\n1\n5\n", "# Text profile\n" RECORD("1234567\xc3\xa9", "1", "5"), 1},
        {"12345678\xc3\xa9\n1\n1\n5\n", RECORD("12345678\xc3\xa9", "1", "5"), 0},
        {"a\n1\n1\n5\n\xc3\xa9\n1\n1\n5\n", RECORD("a", "1", "5") RECORD("\xc3\xa9", "1", "5"), 0},
        {":ir\nabc\xc3\n1\n1\n5\n", "# IR level Instrumentation Flag\n:ir\n" RECORD("abc\xc3", "1", "5"), 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_write_result result;
        struct text_write_options options = {.result = &result};
        const char *dollar = RECORD("a", "1", "5") GUARD RECORD("$b", "1", "6");
        if (cases[i].expected) {
            check(cases[i].text, options, cases[i].expected);
        } else { /* made by hand: the reader takes $0 for an empty bitmap */
            check("a\n1\n1\n5\n1\n0\n0\n$b\n1\n1\n6\n", options, dollar);
        }
        assert_int_equal(result.guards, cases[i].guards);
    }
    /* After a bitmap a $ is no other, after values no number is. */
    check("a\n1\n1\n5\n$1\n7\n$b\n1\n1\n6\n1\n1\n1\n0\n9\n1\n1\n6\n", plain,
          "a\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n5\n# Num Bitmap Bytes:\n$1\n"
          "# Bitmap Byte Values:\n0x7\n\n\n"
          "$b\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n6\n# Num Value Kinds:\n1\n"
          "# ValueKind = IPVK_MemOPSize:\n1\n# NumValueSites:\n1\n0\n\n" RECORD("9", "1", "6"));
    /* In show style four bytes of the name are among those that are looked at. */
    check(":ir\nabc\xc3\n1\n1\n5\n", shown, ":ir\n# Text profile\n" RECORD("abc\xc3", "1", "5"));
    check(":ir\nabcd\xc3\n1\n1\n5\n", shown, ":ir\n" RECORD("abcd\xc3", "1", "5"));
}

/* Renames the first symbol, to names that cannot be in a text profile. */
static void rename_first(struct apf_instr *p, const char *name, size_t n)
{
    p->symbols->list.data[0].p = name;
    p->symbols->list.data[0].n = (uint32_t)n;
}

static void test_unwritable_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
    } names[] = {{"#a", 2}, {"a\nb", 3}, {"a\r", 2}, {"a\0b", 3}, {"\n", 1}};
    const char *text = ":temporal_prof_traces\n1\n1\n1\na,b\na\n1\n1\n5\nb\n1\n1\n6\n1\n0\n1\n1\na:3\n";
    const char *expected =
        ":temporal_prof_traces\n# Num Temporal Profile Traces:\n1\n# Temporal Profile Trace Stream Size:\n1\n"
        "# Weight:\n1\n,b,\n\nb\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n6\n# Num Value "
        "Kinds:\n1\n"
        "# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n1\n1\n** External Symbol **:3\n\n";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text_write_result result;
        struct text_write_options options = {.all_names = i % 2, .result = &result};
        struct apf_instr *p = read_text(text, strlen(text));
        rename_first(p, names[i].name, names[i].n);
        check_profile(p, options, expected);
        assert_int_equal(result.unwritable, 1);
        assert_int_equal(result.written, 1);
        profile_free(p);
    }
}

/* A first name that begins with a colon would be a line of the header; a later one is a name. */
static void test_colon_names(void **state)
{
    (void)state;
    struct text_write_result result;
    struct text_write_options options = {.result = &result};
    struct apf_instr *p = read_text("x\n1\n1\n5\n:y\n1\n1\n6\n", 17);
    check_profile(p, options, RECORD("x", "1", "5") RECORD(":y", "1", "6"));
    assert_int_equal(result.unwritable, 0);
    rename_first(p, ":x", 2);
    check_profile(p, options, "# No functions\n");
    assert_int_equal(result.unwritable, 2);
    profile_free(p);
}

static void test_nameless(void **state)
{
    (void)state;
    struct text_write_result result;
    struct text_write_options options = {.result = &result};
    struct apf_instr *p = read_text("x\n1\n1\n5\ny\n1\n1\n6\nz\n1\n1\n7\n", 24);
    p->records.data[1].id = 12345;
    p->records.data[1].symbol = HASH_INDEX_NONE;
    rename_first(p, "", 0);
    check_profile(p, options, RECORD("z", "1", "7"));
    assert_int_equal(result.nameless, 2);
    assert_int_equal(result.written, 1);
    profile_free(p);
}

/* An empty trace would be an empty line, which readers skip; a comma is a trace without names. */
static void test_empty_trace(void **state)
{
    (void)state;
    check(
        ":temporal_prof_traces\n2\n2\n7\n,\n8\nf\nf\n1\n1\n5\n", plain,
        ":temporal_prof_traces\n# Num Temporal Profile Traces:\n2\n# Temporal Profile Trace Stream Size:\n2\n"
        "# Weight:\n7\n,\n# Weight:\n8\nf,\n\n" RECORD("f", "1", "5"));
}

/* ---- all of it ---- */

static void test_round_trip(void **state)
{
    (void)state;
    struct apf_instr *p = read_text(merged, sizeof merged - 1);
    struct text_write_options options = {.all_names = true};
    check_profile(p, options, merged);
    profile_free(p);
}

/* More than the writer's buffer and file_out's, with a name that fits in neither. */
static void test_large(void **state)
{
    (void)state;
    size_t n_name = 100000, n = 0, m;
    char *text = (char *)malloc(4000000), *out;
    assert_non_null(text);
    for (unsigned i = 0; i < 20000; i++) {
        n += (size_t)snprintf(text + n, 100,
                              "f%05u\n# Func Hash:\n%u\n# Num Counters:\n1\n# Counter Values:\n%u\n\n", i,
                              i * 7, i * i);
        if (i == 5000) {
            memset(text + n, 'x', n_name);
            n += n_name;
            n += (size_t)snprintf(text + n, 100,
                                  "\n# Func Hash:\n1\n# Num Counters:\n1\n# Counter Values:\n1\n\n");
        }
    }
    struct apf_instr *p = read_text(text, n);
    out = written(p, &plain, &m);
    assert_int_equal(m, n);
    assert_memory_equal(out, text, n);
    profile_free(p);
    free(out);
    free(text);
}

static int refuse(void *user, const void *p, size_t n)
{
    (void)p;
    (void)n;
    ++*(int *)user;
    return ENOSPC;
}

/* A failed write is the business of file_out_close; no more is written then. */
static void test_write_fails(void **state)
{
    (void)state;
    struct apf_instr *p = read_text(input, sizeof input - 1);
    struct record r = p->records.data[0];
    for (unsigned i = 0; i < 5000; i++)
        assert_true(VEC_PUSH(&p->records, r));
    int calls = 0;
    struct apf_output output = apf_output_callback(refuse, &calls);
    struct file_out *out;
    struct apf_error error;
    struct text_write_result result;
    struct text_write_options options = {.result = &result};
    assert_int_equal(file_out_open(&out, &output, &error), APF_OK);
    assert_int_equal(text_write(p, &options, out, &error), APF_OK);
    assert_int_equal(file_out_close(out, true, &error), APF_IO);
    assert_int_equal(error.sys_errno, ENOSPC);
    assert_int_equal(calls, 1);
    assert_in_range(result.written, 100, 2000);
    profile_free(p);
}

static void test_memory_faults(void **state)
{
    (void)state;
    struct apf_instr *p = read_text(input, sizeof input - 1);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    for (uint64_t k = 1; k <= 5; k++) {
        struct file_out *out;
        struct apf_error error;
        assert_int_equal(file_out_open(&out, &output, &error), APF_OK);
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = text_write(p, &plain, out, &error);
        fault_reset();
        assert_int_equal(code, k <= 4 ? APF_NO_MEMORY : APF_OK);
        file_out_close(out, false, NULL);
    }
    apf_buffer_free(&buffer);
    profile_free(p);
}

TEST_FILE(text_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_style),      cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_show_style),       cmocka_unit_test(test_sparse_names),
        cmocka_unit_test(test_parts_of_names),   cmocka_unit_test(test_headers),
        cmocka_unit_test(test_show_cs),          cmocka_unit_test(test_vtable_names),
        cmocka_unit_test(test_numbers),          cmocka_unit_test(test_guards),
        cmocka_unit_test(test_unwritable_names), cmocka_unit_test(test_colon_names),
        cmocka_unit_test(test_nameless),         cmocka_unit_test(test_empty_trace),
        cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_large),
        cmocka_unit_test(test_write_fails),      cmocka_unit_test(test_memory_faults),
    };
    return RUN_TESTS(tests);
}
