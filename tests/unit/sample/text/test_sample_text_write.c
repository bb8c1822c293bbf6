/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts as llvm-profdata 22 writes them, and those it would not read back as they were. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/fault_each.h"
#include "sample/text/sample_text_read.h"
#include "sample/text/sample_text_write.h"

static struct apf_sample *read_text(const char *text)
{
    static const struct sample_read_options options = {
        .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};
    struct apf_sample *s = sample_new();
    struct apf_error error;
    assert_non_null(s);
    int code = sample_text_read(s, (const uint8_t *)text, strlen(text), &options, &error);
    if (code != APF_OK)
        print_error("%s: %s\n", text, error.message);
    assert_int_equal(code, APF_OK);
    return s;
}

/* Writes a profile; the text is terminated, and freed by the caller. */
static char *write_text(const struct apf_sample *s, bool flat, struct sample_text_losses *losses)
{
    const struct sample_text_write_options options = {.flat = flat, .losses = losses};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct file_out *out;
    struct apf_error error;
    assert_int_equal(file_out_open(&out, &output, &error), APF_OK);
    assert_int_equal(sample_text_write(s, &options, out, &error), APF_OK);
    assert_int_equal(file_out_close(out, true, &error), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_int_equal(strlen((const char *)buffer.data), buffer.n - 1);
    return (char *)buffer.data;
}

static const struct sample_text_losses nothing;

/* Checks what is written for a profile, with these losses. */
static void check_profile(const struct apf_sample *s, bool flat, const char *expected,
                          const struct sample_text_losses *expected_losses)
{
    struct sample_text_losses losses;
    memset(&losses, 0, sizeof losses);
    char *text = write_text(s, flat, &losses);
    assert_string_equal(text, expected);
    assert_memory_equal(&losses, expected_losses, sizeof losses);
    free(text);
}

static void check_text(const char *text, bool flat, const char *expected)
{
    struct apf_sample *s = read_text(text);
    check_profile(s, flat, expected, &nothing);
    sample_free(s);
}

/* ---- texts of llvm-profdata-22 merge --sample --text ---- */

static const char nested[] =
    "zed:50:0\n 3: 1 b:2 a:2 c:9\n 1.2: 4\n 1: 5\nmain:100:1\n 2: bar:9\n  1: 9\n  2.1: x:3\n   1: 3\n"
    "   !CFGChecksum: 5\n  !CFGChecksum: 6\n  !Attributes: 2\n 2: abc:1\n 1.3: baz:1\n 7: 1\n"
    " 7: vtables VB:1 VA:2\n 8: abc:3\n 8: vtables V:4\n !CFGChecksum: 7\n !Attributes: 1\n"
    "abc:50:3\n 1: 18446744073709551615\n";
#define NESTED_MAIN                                                                                          \
    "main:100:1\n 7: 1\n 7: vtables VA:2 VB:1 \n 1.3: baz:1\n  !CFGChecksum: 0\n 2: abc:1\n"                 \
    "  !CFGChecksum: 0\n 2: bar:9\n  1: 9\n  2.1: x:3\n   1: 3\n   !CFGChecksum: 5\n  !CFGChecksum: 6\n"     \
    "  !Attributes: 2\n 8: abc:3\n  !CFGChecksum: 0\n 8: vtables V:4 \n !CFGChecksum: 7\n !Attributes: 1\n"

static void test_nested(void **state)
{
    (void)state;
    check_text(nested, false,
               NESTED_MAIN "abc:50:3\n 1: 18446744073709551615\n !CFGChecksum: 0\n"
                           "zed:50:0\n 1: 5\n 1.2: 4\n 3: 1 c:9 a:2 b:2\n !CFGChecksum: 0\n");
}

/* --split-layout */
static void test_flat(void **state)
{
    (void)state;
    check_text(nested, true,
               NESTED_MAIN "abc:50:3\n 1: 18446744073709551615\n !CFGChecksum: 0\n !Flat\n"
                           "zed:50:0\n 1: 5\n 1.2: 4\n 3: 1 c:9 a:2 b:2\n !CFGChecksum: 0\n !Flat\n");
}

static void test_contexts(void **state)
{
    (void)state;
    check_text("[main:1.2 @ foo:3 @ bar]:10:2\n 1: 7\n !CFGChecksum: 3\n[main]:10:1\n 1: 3\n"
               "[main:1 @ foo]:10:0\n !Attributes: 3\n[foo]:20:0\nfoo:1:0\n",
               false,
               "[foo]:21:0\n !CFGChecksum: 0\n[main]:10:1\n 1: 3\n !CFGChecksum: 0\n"
               "[main:1 @ foo]:10:0\n !CFGChecksum: 0\n !Attributes: 3\n"
               "[main:1.2 @ foo:3 @ bar]:10:2\n 1: 7\n !CFGChecksum: 3\n");
}

static void test_empty(void **state)
{
    (void)state;
    struct apf_sample *s = sample_new();
    check_profile(s, false, "", &nothing);
    sample_free(s);
    check_text("foo:0:0\n", false, "foo:0:0\n");
    check_text(":5:6\n 1: :0\n", false, ":5:6\n 1: :0\n");
}

/* ---- where LLVM's text would not be read back as it was ---- */

/* LLVM prints vtables of a place with a line and an inlined function twice, and adds both up when it reads them; it
 * forgets those of a place that has neither. */
static void test_vtables(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "foo:5:6\n 1: 7\n 1: vtables A:3 \n 1: bar:9\n  1: 9\n",
        "foo:5:6\n 1: bar:9\n 1: zed:9\n 1: vtables A:3 \n 2: bar:1\n",
        "foo:5:6\n 1: bar:9\n 1: vtables A:3 \n",
        "foo:5:6\n 0: vtables A:3 \n 1: 7\n 2: vtables A:3 B:9 \n 3: 8\n 3.1: vtables C:1 \n 4: bar:1\n",
        "foo:5:6\n 1: vtables A:3 \n",
        "foo:5:6\n 1.1: 1\n 1.1: vtables A:3 \n 2: bar:1\n  1: vtables B:5 \n 2: vtables A:3 \n",
        "foo:5:6\n 1: vtables A:3 \n 2: bar:1\n 2: vtables A:3 \n 3: bar:1\n 3: vtables A:3 \n",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        check_text(texts[i], false, texts[i]);
}

static void test_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* LLVM: !Flat last, where it erases the attributes */
        "foo:5:6\n 1: 7\n !CFGChecksum: 1\n !Flat\n !Attributes: 1\n",
        /* LLVM: 70000 and 65536, which it refuses */
        "foo:5:6\n 65535: 1\n 65536.0: 7\n 70000.1: 2\n 70001.0: bar:1\n",
        /* LLVM: [bar], which becomes the name */
        "[a:1 @ foo]:5:6\n 1: bar:3\n  1: 3\n",
        /* LLVM: 4294967295, which it reads as 0 */
        "[a:-1 @ foo:2147483647 @ b:-2147483648.4294967295 @ c]:5:6\n",
        /* LLVM: [x:1], which it reads as x; and [] */
        ":9:0\n[a:1 @ foo]:5:6\nx:1:5:6\n 1: [y]:4\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        check_text(texts[i], i == 0, texts[i]);
}

/* ---- names ---- */

static struct apf_str str(const char *s)
{
    struct apf_str text = {s, strlen(s)};
    return text;
}

static uint32_t add_name(struct apf_sample *s, struct apf_str name)
{
    uint32_t number;
    assert_int_equal(sample_names_add(&s->names, name, SAMPLE_NONE, true, &number, NULL), APF_OK);
    return number;
}

static uint32_t add_hash(struct apf_sample *s, uint64_t hash)
{
    uint32_t number;
    assert_int_equal(sample_names_add_hash(&s->names, hash, &number, NULL), APF_OK);
    return number;
}

static uint32_t add_top(struct apf_sample *s, uint32_t name)
{
    uint32_t context, node;
    assert_int_equal(sample_contexts_base(&s->contexts, name, &context, NULL), APF_OK);
    assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
    return node;
}

static void set_total(struct apf_sample *s, uint32_t node, uint64_t total)
{
    s->nodes.data[node].total = total;
}

static uint32_t add_inlined(struct apf_sample *s, uint32_t caller, uint32_t name)
{
    uint32_t node;
    assert_int_equal(sample_inlined(s, caller, sample_place(2, 0), name, &node, NULL), APF_OK);
    return node;
}

static void add_target(struct apf_sample *s, uint32_t node, uint32_t name)
{
    assert_int_equal(sample_append_line(s, node, sample_place(1, 0), 7, NULL), APF_OK);
    assert_int_equal(sample_append_target(s, node, sample_place(1, 0), name, 5, NULL), APF_OK);
}

static void complete(struct apf_sample *s)
{
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_complete(s, NULL), APF_OK);
}

enum { HEADER = 1, FRAME = 2, INLINED = 4, TARGET = 8, VTABLE = 16, ALL = 31 };

static const struct {
    const char *name;
    size_t n; /* 0: to the end */
    unsigned uses;
} names[] = {
    {"foo", 0, ALL},
    {"x y", 0, ALL},
    {"", 0, ALL & ~TARGET}, /* as the last frame it cannot be */
    {"new\nline", 0, 0},
    {"nul\0nul", 7, 0},
    {"cr\r", 0, ALL},
    {"\xff\xfe", 0, ALL},
    {" lead", 0, FRAME | INLINED},
    {"trail ", 0, ALL},
    {"#x", 0, ALL & ~HEADER},
    {"[x]", 0, ALL & ~HEADER},
    {"[x", 0, ALL & ~HEADER},
    {"x]", 0, ALL},
    {"a::b", 0, ALL & ~(FRAME | VTABLE)},
    {":a", 0, HEADER | INLINED},
    {"a:", 0, ALL & ~(FRAME | VTABLE)},
    {"a:1", 0, ALL & ~(FRAME | VTABLE)},
    {"a:1 b", 0, HEADER | INLINED},
    {"a:1  b", 0, HEADER | INLINED},
    {"a:x b", 0, ALL & ~(FRAME | VTABLE)},
    {"a: b", 0, ALL & ~(FRAME | VTABLE)},
    {"a:18446744073709551616 b", 0, ALL & ~(FRAME | VTABLE)},
    {"a @ b", 0, ALL & ~FRAME},
    {" @ ", 0, INLINED},
    {"@", 0, ALL},
    {"@ x", 0, ALL},
    {"x @", 0, ALL},
    {"a@b", 0, ALL},
    {"9x", 0, ALL & ~INLINED},
    {"9 x", 0, ALL & ~INLINED},
    {"123456789012345678901", 0, ALL & ~INLINED},
    {"vtables x", 0, ALL & ~INLINED},
    {"vtables", 0, ALL},
    {"!Flat", 0, ALL},
};

static struct apf_str tested_name(size_t i)
{
    struct apf_str name = {names[i].name, names[i].n ? names[i].n : strlen(names[i].name)};
    return name;
}

/* Makes a profile of main, in which the name stands at one place, and of other functions. */
static struct apf_sample *profile_with(struct apf_str text, unsigned use)
{
    struct apf_sample *s = sample_new();
    uint32_t top = add_top(s, add_name(s, str("main"))), name = add_name(s, text), node, context;
    add_target(s, top, add_name(s, str("tail")));
    if (use == HEADER)
        set_total(s, add_top(s, name), 3);
    if (use == INLINED)
        add_target(s, add_inlined(s, top, name), add_name(s, str("tail")));
    if (use == TARGET)
        add_target(s, top, name);
    if (use == VTABLE)
        assert_int_equal(sample_append_vtable(s, top, sample_place(1, 0), name, 5, NULL), APF_OK);
    if (use == FRAME) {
        s->info.flags |= APF_SAMPLE_CONTEXTS;
        assert_int_equal(sample_contexts_base(&s->contexts, name, &context, NULL), APF_OK);
        assert_int_equal(sample_contexts_add(&s->contexts, context, sample_place(1, 0),
                                             add_name(s, str("leaf")), &context, NULL),
                         APF_OK);
        assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
        s->nodes.data[node].total = 3;
    }
    complete(s);
    return s;
}

/* The number of names that equal a text, and are used. */
static unsigned count_name(const struct apf_sample *s, struct apf_str name)
{
    uint32_t number = sample_names_find(&s->names, name, SAMPLE_NONE);
    return number != SAMPLE_NONE;
}

/* A name is written where it is read back, and else what has it is left out and counted. */
static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        for (unsigned use = 1; use < ALL; use *= 2) {
            struct apf_str name = tested_name(i);
            struct apf_sample *s = profile_with(name, use);
            struct sample_text_losses losses, expected = nothing;
            char *text = write_text(s, false, &losses);
            bool good = names[i].uses & use;
            if (!good)
                *(use == HEADER || use == FRAME ? &expected.functions
                  : use == INLINED              ? &expected.inlined
                  : use == TARGET               ? &expected.targets
                                                : &expected.vtables) = 1;
            assert_memory_equal(&losses, &expected, sizeof losses);
            struct apf_sample *again = read_text(text);
            assert_int_equal(count_name(again, name), good);
            assert_int_equal(again->info.n_functions, s->info.n_functions - expected.functions);
            assert_int_equal(again->info.n_inlined, s->info.n_inlined - expected.inlined);
            assert_int_equal(again->info.n_vtables, s->info.n_vtables - expected.vtables);
            uint64_t in_lost = expected.inlined; /* the inlined function has one */
            assert_int_equal(again->info.n_targets, s->info.n_targets - expected.targets - in_lost);
            assert_int_equal(again->info.max_context, use == FRAME && good ? 2 : 1);
            sample_free(again);
            free(text);
            sample_free(s);
        }
}

/* In a function with a context, brackets around the name of an inlined function would be taken away. */
static void test_brackets_in_context(void **state)
{
    (void)state;
    struct sample_text_losses losses = nothing;
    struct apf_sample *s = read_text("[a:1 @ foo]:5:6\n 2: [[bar]]:3\n  1: 3\n 3: [b:4\n");
    losses.inlined = 1;
    check_profile(s, false, "[a:1 @ foo]:5:6\n 3: [b:4\n", &losses);
    sample_free(s);
}

/* Names of contexts; the last one cannot be empty. */
static void test_names_of_contexts(void **state)
{
    (void)state;
    static const struct {
        const char *leaf, *text;
        uint64_t functions;
    } cases[] = {
        {"leaf", "[main]:0:0\n 1: 7 tail:5\n[main:1 @ leaf]:0:0\n", 0},
        {"", "[main]:0:0\n 1: 7 tail:5\n", 1},
        {"a::b", "[main]:0:0\n 1: 7 tail:5\n", 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_sample *s = sample_new();
        struct sample_text_losses losses = {.functions = cases[i].functions};
        uint32_t top = add_top(s, add_name(s, str("main"))), context, node;
        add_target(s, top, add_name(s, str("tail")));
        assert_int_equal(sample_contexts_add(&s->contexts, s->nodes.data[top].context, sample_place(1, 0),
                                             add_name(s, str(cases[i].leaf)), &context, NULL),
                         APF_OK);
        assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
        s->info.flags |= APF_SAMPLE_CONTEXTS;
        complete(s);
        check_profile(s, false, cases[i].text, &losses);
        sample_free(s);
    }
}

/* ---- hashes ---- */

static void test_hashes(void **state)
{
    (void)state;
    struct sample_text_losses losses = {.numbered = 2};
    struct apf_sample *s =
        read_text("20:5:6\n 1: 2 16434608426314478903:5 30:5 foo:5\n 2: 9:3\n  1: 8:3\n9:7:7\n");
    check_profile(s, false, "9:7:7\n20:5:6\n 1: 2 30:5 16434608426314478903:5 foo:5\n 2: 9:3\n  1: 8:3\n",
                  &losses);
    /* With a name at the top level, hashes are read as names ... */
    set_total(s, add_top(s, add_name(s, str("zulu"))), 1);
    complete(s);
    losses.hashes = 5;
    check_profile(s, false,
                  "9:7:7\n20:5:6\n 1: 2 30:5 16434608426314478903:5 foo:5\n 2: 9:3\n  1: 8:3\nzulu:1:0\n",
                  &losses);
    sample_free(s);
    /* ... and without, names that are numbers as hashes. */
    s = sample_new();
    uint32_t top = add_top(s, add_name(s, str("123")));
    add_target(s, top, add_name(s, str("7")));
    add_target(s, top, add_name(s, str("07")));
    add_inlined(s, top, add_name(s, str("00000000000000000000")));
    complete(s);
    struct sample_text_losses others = {.decimals = 2, .numbered = 1};
    check_profile(s, false, "123:0:0\n 1: 14 07:5 7:5\n 2: 00000000000000000000:0\n", &others);
    /* The hash 0 is none. */
    add_target(s, top, add_hash(s, 0));
    complete(s);
    others.hashes = 1;
    check_profile(s, false, "123:0:0\n 1: 21 0:5 07:5 7:5\n 2: 00000000000000000000:0\n", &others);
    sample_free(s);
}

/* ---- what else text cannot hold ---- */

static void test_other_losses(void **state)
{
    (void)state;
    struct apf_sample *s = sample_new();
    uint32_t file, number;
    assert_int_equal(text_set_add(&s->names.files, str("a.c"), &file, NULL), APF_OK);
    assert_int_equal(sample_names_add(&s->names, str("foo"), file, true, &number, NULL), APF_OK);
    uint32_t top = add_top(s, number), node = add_inlined(s, top, number);
    s->nodes.data[top].checksum = 5;
    s->nodes.data[node].checksum = 6;
    sample_node_extra(s, top)->first_time = 7;
    assert_int_equal(sample_append_symbol(s, str("foo"), NULL), APF_OK);
    assert_int_equal(sample_append_symbol(s, str("bar"), NULL), APF_OK);
    s->info.flags |= APF_SAMPLE_FS | APF_SAMPLE_PARTIAL | APF_SAMPLE_CONTEXTS;
    complete(s);
    struct sample_text_losses losses = {.checksums = 2, .times = 1, .files = 1, .symbols = 2};
    losses.flags = APF_SAMPLE_FS | APF_SAMPLE_PARTIAL;
    check_profile(s, false, "[foo]:0:0\n 2: foo:0\n", &losses);
    s->nodes.data[top].checksum = 0;
    s->info.flags = APF_SAMPLE_PROBES;
    struct sample_text_losses others = {.times = 1, .files = 1, .symbols = 2, .flags = APF_SAMPLE_PROBES};
    check_profile(s, false, "foo:0:0\n 2: foo:0\n  !CFGChecksum: 6\n !CFGChecksum: 0\n", &others);
    sample_free(s);
    /* A function whose context cannot be in brackets has none, so that nothing says that there are contexts. */
    s = sample_new();
    add_top(s, add_name(s, str("a:b")));
    s->info.flags = APF_SAMPLE_CONTEXTS;
    complete(s);
    struct sample_text_losses contexts = {.flags = APF_SAMPLE_CONTEXTS};
    check_profile(s, false, "a:b:0:0\n", &contexts);
    sample_free(s);
}

/* A first name that would pass for another format comes after a comment. */
static void test_guard(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool guarded;
    } cases[] = {{"\xff\xe5\xd0\xb1\xf4\xc9\x94\xa8S", true},
                 {"(\xb5/\xfdx", true},
                 {"{x}", true},
                 {"---x", true},
                 {"12345678\x01", true},
                 {"na\xc3\xafve", false},
                 {"12345678\xc3\xaf", false},
                 {"12345678\xc3", true},
                 {"123456789\x01", false},
                 {"main", false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[128];
        struct apf_sample *s = sample_new();
        set_total(s, add_top(s, add_name(s, str(cases[i].name))), 2);
        set_total(s, add_top(s, add_name(s, str("{z"))), 1);
        complete(s);
        snprintf(expected, sizeof expected, "%s%s:2:0\n{z:1:0\n",
                 cases[i].guarded ? "# Sample profile\n" : "", cases[i].name);
        check_profile(s, false, expected, &nothing);
        assert_true(sample_text_begins((const uint8_t *)expected, strlen(expected)));
        sample_free(s);
    }
}

/* More blanks than are stored at once. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 700 };
    struct apf_sample *s = sample_new();
    uint32_t name = add_name(s, str("f")), node = add_top(s, name);
    for (unsigned i = 0; i < DEPTH; i++)
        node = add_inlined(s, node, name);
    add_target(s, node, name);
    complete(s);
    static char expected[DEPTH * DEPTH]; /* several buffers of an output */
    int n = snprintf(expected, sizeof expected, "f:0:0\n");
    for (int i = 1; i <= DEPTH; i++)
        n += snprintf(expected + n, sizeof expected - (size_t)n, "%*s2: f:0\n", i, "");
    snprintf(expected + n, sizeof expected - (size_t)n, "%*s1: 7 f:5\n", DEPTH + 1, "");
    check_profile(s, false, expected, &nothing);
    sample_free(s);
}

/* ---- faults ---- */

/* The profile that write_nested writes. */
static struct apf_sample *faulty;

static int write_nested(const char *path, struct apf_error *error)
{
    const struct sample_text_write_options options = {.flat = true};
    struct apf_output output = apf_output_file(path);
    struct file_out *out;
    int code = file_out_open(&out, &output, error);
    if (code != APF_OK)
        return code;
    code = sample_text_write(faulty, &options, out, error);
    return file_out_finish(out, code, error);
}

static void test_faults(void **state)
{
    (void)state;
    faulty = read_text(nested);
    for (uint32_t i = 0; i < 20000; i++) { /* more than the buffer holds */
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        add_target(faulty, add_top(faulty, add_name(faulty, str(name))), 0);
    }
    complete(faulty);
    assert_in_range(fault_each(write_nested, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY), 10, 40);
    assert_in_range(fault_each(write_nested, FAULT_WRITE, ENOSPC, APF_IO), 5, 20);
    assert_int_equal(fault_each(write_nested, FAULT_RENAME, EIO, APF_IO), 1);
    sample_free(faulty);
}

TEST_FILE(sample_text_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_vtables),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_brackets_in_context),
        cmocka_unit_test(test_names_of_contexts),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_other_losses),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_deep),
        TEST_WITH_DIR(test_faults),
    };
    return RUN_TESTS(tests);
}
