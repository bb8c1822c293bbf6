/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binary profiles are the bytes that LLVM's tools write for the same text, whatever the option. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "sample/binary/sample_binary_read.h"
#include "sample/binary/sample_binary_write.h"
#include "sample/layout/sample_layout.h"

#include "helpers/shared/fault_each.h"
#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens_write.h"
#include "helpers/shared/sample_written.h"

/* ---- helpers ---- */

static sample_reader *reader_of(enum sample_form form)
{
    return form == SAMPLE_FORM_BINARY    ? sample_binary_read
           : form == SAMPLE_FORM_COMPACT ? sample_compact_read
                                         : sample_ext_read;
}

/* Reads what was written; its text must be this. Returns its flags. */
static uint32_t expect_read(const struct apf_buffer *buffer, enum sample_form form, const char *text)
{
    struct apf_sample *s = sample_expect_text(reader_of(form), buffer->data, buffer->n, NULL, text);
    uint32_t flags = s->info.flags;
    sample_free(s);
    return flags;
}

/* The flags, and the bytes, of the section in a place of the table. */
static uint64_t section_flags(const struct apf_buffer *file, unsigned i)
{
    return load64le((const uint8_t *)file->data + 26 + (size_t)SAMPLE_SECTION_ENTRY * i);
}

static uint64_t section_size(const struct apf_buffer *file, unsigned i)
{
    return load64le((const uint8_t *)file->data + 42 + (size_t)SAMPLE_SECTION_ENTRY * i);
}

static const uint8_t *section_bytes(const struct apf_buffer *file, unsigned i)
{
    const uint8_t *data = file->data;
    return data + load64le(data + 34 + (size_t)SAMPLE_SECTION_ENTRY * i);
}

/* ---- files of LLVM's tools ---- */

static void test_goldens(void **state)
{
    static const struct {
        const char *text, *symbols; /* symbols are separated by blanks */
        struct sample_binary_options options;
        const struct golden *golden;
    } rows[] = {
        {GOLDEN_PLAIN, "", {.form = SAMPLE_FORM_BINARY}, &golden_raw},
        {GOLDEN_PLAIN, "", {.form = SAMPLE_FORM_COMPACT}, &golden_compact},
        {GOLDEN_PLAIN, "", {.form = SAMPLE_FORM_EXT, .md5 = true}, &golden_md5},
        {GOLDEN_PROBES, "", {.form = SAMPLE_FORM_EXT_SPLIT}, &golden_split},
        {GOLDEN_PROBES13, "", {.form = SAMPLE_FORM_EXT_OLD, .names_descend = true}, &golden_probes13},
        {GOLDEN_INLINED_METADATA, "", {.form = SAMPLE_FORM_EXT}, &golden_inlined_metadata},
        {GOLDEN_VTABLES, "", {.form = SAMPLE_FORM_EXT}, &golden_vtables},
        {GOLDEN_SYMBOLS, "z b a", {.form = SAMPLE_FORM_EXT, .partial = true}, &golden_symbols},
        {GOLDEN_OLD, "z b a", {.form = SAMPLE_FORM_EXT_OLD, .names_descend = true}, &golden_old},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample *s = sample_of_text(rows[i].text);
        for (const char *p = rows[i].symbols; *p; p += strcspn(p, " "), p += *p == ' ') {
            struct apf_str symbol = {p, strcspn(p, " ")};
            assert_int_equal(sample_append_symbol(s, symbol, NULL), APF_OK);
        }
        assert_int_equal(sample_seal(s, NULL), APF_OK);
        struct sample_binary_losses losses;
        struct apf_buffer out = sample_write_memory(s, &rows[i].options, &losses);
        assert_int_equal(out.n, rows[i].golden->n);
        assert_memory_equal(out.data, rows[i].golden->data, out.n);
        assert_int_equal(losses.lines + losses.functions, 0);
        assert_int_equal(losses.hashed_names, rows[i].options.md5 || i == 1 ? 2 : 0);
        apf_buffer_free(&out);
        sample_free(s);
    }
}

/* LLVM writes the metadata of functions in the order of a hash table; here they are in the order of keys. */
static void test_contexts(void **state)
{
    struct apf_sample *s = sample_of_text(GOLDEN_CONTEXTS);
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    (void)state;
    assert_int_equal(out.n, golden_contexts.n);
    assert_memory_equal(out.data, golden_contexts.data, out.n - 4);
    assert_memory_equal((uint8_t *)out.data + out.n - 4, "\x00\x02\x01\x01", 4);
    apf_buffer_free(&out);
    sample_free(s);
}

/* LLVM 13 has contexts in the table of names, and writes functions of equal totals by their texts. */
static void test_named_contexts(void **state)
{
    static const char text[] = "[main:3 @ _Z3foov:2.1 @ bar]:100:7\n 1: 60 Zoo:20 alpha:1\n 2: 40\n"
                               "[main:3 @ _Z3foov:10 @ bar]:100:7\n 1: 7 main:3\n"
                               "[main:3 @ _Z3foov]:100:3\n 0: 9\n[main]:100:1\n 1: 100\n[Zoo]:7:7\n 0: 7\n";
    /* LLVM 13 merge --extbinary. */
    static const char names[] = "\x08Zoo\0[Zoo]\0[main:3 @ _Z3foov:10 @ bar]\0[main:3 @ _Z3foov:2.1 @ bar]\0"
                                "[main:3 @ _Z3foov]\0[main]\0alpha\0main";
    static const char offsets[] = "\x05\x03\0\x02\x11\x04\x1c\x05\x25\x01\x2e";
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT_NAMED, .names_descend = true};
    struct apf_sample *s = sample_of_text(GOLDEN_CONTEXTS);
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    (void)state;
    assert_int_equal(out.n, golden_contexts13.n);
    assert_memory_equal(out.data, golden_contexts13.data, out.n);
    apf_buffer_free(&out);
    sample_free(s);
    s = sample_of_text(text);
    out = sample_write_memory(s, &o, NULL);
    assert_int_equal(section_size(&out, 1), sizeof names);
    assert_memory_equal(section_bytes(&out, 1), names, sizeof names);
    assert_int_equal(section_size(&out, 2), sizeof offsets - 1);
    assert_memory_equal(section_bytes(&out, 2), offsets, sizeof offsets - 1);
    assert_int_equal(section_flags(&out, 2), 0);
    apf_buffer_free(&out);
    sample_free(s);
}

/* Names with a colon or " @ " cannot be in the text of a context: contexts with such names are left out. A function
 * without callers is a name without brackets then, unless that would be read as a context. */
static void test_unnamable_contexts(void **state)
{
    struct sample_binary_losses losses;
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT_NAMED};
    const struct sample_binary_options usual = {.form = SAMPLE_FORM_EXT};
    struct apf_sample *s = sample_new();
    static const char *const names[] = {"a:b", "[a:b]", "c", "a @ b", "[c]"};
    uint32_t name, context, node;
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        struct apf_str text = {names[i / 2], strlen(names[i / 2])};
        assert_int_equal(sample_names_add(&s->names, text, SAMPLE_NONE, false, &name, NULL), APF_OK);
        assert_int_equal(sample_contexts_base(&s->contexts, name, &context, NULL), APF_OK);
        if (i % 2)
            assert_int_equal(
                sample_contexts_add(&s->contexts, context, sample_place(1, 0), name, &context, NULL), APF_OK);
        assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
        s->nodes.data[node].total = s->nodes.data[node].head = 20 - i;
    }
    s->info.flags |= APF_SAMPLE_CONTEXTS;
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    struct apf_buffer out = sample_write_memory(s, &usual, &losses);
    assert_int_equal(losses.functions, 0);
    apf_buffer_free(&out);
    out = sample_write_memory(s, &o, &losses);
    assert_int_equal(losses.functions, 4);
    expect_read(&out, o.form,
                "[a:b]:20:20\n[c]:16:16\n[c:1 @ c]:15:15\n[a @ b]:14:14\n[[c]]:12:12\n[[c]:1 @ [c]]:11:11\n");
    apf_buffer_free(&out);
    sample_free(s);
}

/* Sections are compressed one by one; what they hold is the same. */
static void test_compressed(void **state)
{
    struct apf_sample *s = sample_of_text(GOLDEN_PROBES);
    struct sample_binary_options o = {.form = SAMPLE_FORM_EXT_SPLIT};
    struct apf_buffer plain = sample_write_memory(s, &o, NULL);
    o.compress = true;
    struct apf_buffer packed = sample_write_memory(s, &o, NULL);
    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        uint8_t whole[128];
        uint64_t n = section_size(&plain, i), size = section_size(&packed, i);
        const uint8_t *p = section_bytes(&packed, i);
        assert_int_equal(section_flags(&packed, i), section_flags(&plain, i) | SAMPLE_FLAG_COMPRESSED);
        assert_in_range(n, 0, sizeof whole - 1);
        if (n == 0) {
            assert_int_equal(size, 0);
            continue;
        }
        assert_int_equal(p[0], n); /* both sizes have one byte */
        assert_int_equal(p[1], size - 2);
        assert_int_equal(deflate_expand(p + 2, p[1], whole, n), APF_OK);
        assert_memory_equal(whole, section_bytes(&plain, i), n);
    }
    expect_read(&packed, o.form, GOLDEN_PROBES);
    apf_buffer_free(&plain);
    apf_buffer_free(&packed);
    sample_free(s);
}

/* A profile without functions has all sections, most of them empty, also when they are compressed. */
static void test_empty(void **state)
{
    struct apf_sample *s = sample_new();
    (void)state;
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    for (unsigned compress = 0; compress < 2; compress++) {
        /* LLVM 22: merge --no-function=. */
        const uint64_t sizes[] = {85, compress ? 11 : 1, compress ? 11 : 1, compress ? 11 : 1, 0, 0, 0};
        const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT, .compress = compress};
        struct apf_buffer out = sample_write_memory(s, &o, NULL);
        for (unsigned i = 0; i < COUNT(sizes); i++)
            assert_int_equal(section_size(&out, i), sizes[i]);
        expect_read(&out, SAMPLE_FORM_EXT, "");
        apf_buffer_free(&out);
    }
    sample_free(s);
}

/* ---- what is written ---- */

/* Attributes that LLVM loses, since no function should be inlined. */
#define ODD_ATTRIBUTES "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !Attributes: 4\n !Attributes: 1\n"
#define CONTEXTS                                                                                             \
    "[a:1 @ b:2.3 @ c]:9:9\n 1: 9\n[a]:8:0\n 1: 8\n[a:1 @ b]:8:1\n 1: 4\n 2: z:4\n  1: 4\n"                  \
    "[b]:8:0\n 1: 8\n[a:1.1 @ b]:7:0\n 1: 7\n[zed:65535 @ a]:1:0\n 1: 1\n"

static void test_round_trips(void **state)
{
    static const struct {
        const char *text;
        enum sample_form form;
        uint32_t flags;
    } rows[] = {
        {ODD_ATTRIBUTES, SAMPLE_FORM_EXT, APF_SAMPLE_ATTRIBUTES},
        {ODD_ATTRIBUTES, SAMPLE_FORM_EXT_SPLIT, APF_SAMPLE_ATTRIBUTES},
        {CONTEXTS, SAMPLE_FORM_EXT, APF_SAMPLE_CONTEXTS},
        {CONTEXTS, SAMPLE_FORM_EXT_NAMED, APF_SAMPLE_CONTEXTS},
        {"f:9:1\n 1: 18446744073709551615 g:18446744073709551615 a:7 b:7\n 65535.4294967295: 1\n"
         " 65535.4294967295: g:1\n  1: 0\n 65535.4294967295: h:1\n  1: 0\n",
         SAMPLE_FORM_BINARY, 0},
        {"9:9:1\n 1: 4 77:3\n", SAMPLE_FORM_EXT, APF_SAMPLE_MD5},
        {"9:9:1\n 1: 4 77:3\n", SAMPLE_FORM_EXT_OLD, APF_SAMPLE_MD5},
        {"9:9:1\n 1: 4 77:3\n", SAMPLE_FORM_COMPACT, APF_SAMPLE_MD5},
        {"9:9:1\n 1: 4 77:3\n", SAMPLE_FORM_BINARY, APF_SAMPLE_MD5},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned compress = 0; compress < 2; compress++) {
            struct apf_sample *s = sample_of_text(rows[i].text);
            const struct sample_binary_options o = {.form = rows[i].form, .compress = compress};
            struct apf_buffer out = sample_write_memory(s, &o, NULL);
            assert_int_equal(expect_read(&out, rows[i].form, rows[i].text), rows[i].flags);
            apf_buffer_free(&out);
            sample_free(s);
        }
}

/* The facts about a file are not those of the profile that was written. */
static void copy_source(struct apf_sample *to, const struct apf_sample *from)
{
    to->info.origin = from->info.origin;
    to->info.version = from->info.version;
    to->stored = NULL;
}

/* Context-sensitive files have metadata of contexts only. */
static void drop_inner_metadata(struct apf_sample *s)
{
    for (size_t i = 0; i < s->nodes.n; i++)
        if (s->nodes.data[i].caller != SAMPLE_NONE)
            s->nodes.data[i].checksum = s->nodes.data[i].attributes = 0;
}

/* Profiles of all kinds, with a thousand functions in all. */
static void test_random(void **state)
{
    uint64_t chance = 21;
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        const struct sample_wish wish = {.contexts = i & 1, .probes = (i & 2) != 0, .most = i + 1};
        const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT, .compress = (i & 4) != 0};
        struct apf_sample *s = sample_random(&wish, &chance);
        if (wish.contexts)
            drop_inner_metadata(s);
        struct apf_buffer out = sample_write_memory(s, &o, NULL);
        struct apf_sample *again = sample_new();
        assert_int_equal(sample_ext_read(again, out.data, out.n, &sample_no_limits, NULL), APF_OK);
        copy_source(again, s);
        sample_assert_same(s, again);
        apf_buffer_free(&out);
        sample_free(again);
        sample_free(s);
    }
}

/* Callees of one place are written by name, whatever order their names were added in, and so are vtables. */
static void test_order(void **state)
{
    static const char text[] = "f:9:1\n 1: z:2\n  1: y:1\n   1: 1\n  1: b:1\n   1: 1\n 1: a:2\n  1: 2\n"
                               " 1: vtables W:1 V:2 \n";
    static const char sorted[] = "f:9:1\n 1: vtables V:2 W:1 \n 1: a:2\n  1: 2\n 1: z:2\n  1: b:1\n   1: 1\n"
                                 "  1: y:1\n   1: 1\n";
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    struct apf_sample *s = sample_of_text(text);
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    struct apf_sample *again = sample_of_text(sorted);
    struct apf_buffer expected = sample_write_memory(again, &o, NULL);
    (void)state;
    assert_int_equal(out.n, expected.n);
    assert_memory_equal(out.data, expected.data, out.n);
    expect_read(&out, o.form, sorted);
    apf_buffer_free(&out);
    apf_buffer_free(&expected);
    sample_free(again);
    sample_free(s);
}

/* Compilers strip the suffix from names unless the profile says that it has such names, so hashes need that, too. */
static void test_unique(void **state)
{
    struct apf_sample *s = sample_of_text("a:1:1\n 1: 1 g.__uniq.12:1\n");
    struct sample_binary_options o = {.form = SAMPLE_FORM_EXT, .md5 = true};
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    (void)state;
    assert_true(section_flags(&out, 1) == (SAMPLE_NAMES_MD5 | SAMPLE_NAMES_FIXED | SAMPLE_NAMES_UNIQUE));
    sample_free(s);
    /* The names are lost, but not the flag. */
    struct apf_error error;
    int code;
    s = sample_read_copy(sample_ext_read, out.data, out.n, NULL, &code, &error);
    assert_int_equal(code, APF_OK);
    apf_buffer_free(&out);
    o.md5 = false;
    out = sample_write_memory(s, &o, NULL);
    assert_true(section_flags(&out, 1) == (SAMPLE_NAMES_MD5 | SAMPLE_NAMES_FIXED | SAMPLE_NAMES_UNIQUE));
    apf_buffer_free(&out);
    sample_free(s);
}

/* Flags of the profile that are nowhere in its functions. */
static void test_flags(void **state)
{
    struct apf_sample *s = sample_of_text("a:1:1\n 1: 1\n");
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    (void)state;
    s->info.flags |= APF_SAMPLE_FS | APF_SAMPLE_PARTIAL | APF_SAMPLE_PREINLINED;
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    assert_true(section_flags(&out, 0) ==
                (SAMPLE_SUMMARY_FS | SAMPLE_SUMMARY_PARTIAL | SAMPLE_SUMMARY_PREINLINED));
    assert_true(section_flags(&out, 6) == SAMPLE_METADATA_ATTRIBUTES);
    apf_buffer_free(&out);
    sample_free(s);
}

static void test_left_out(void **state)
{
    struct apf_sample *s = sample_of_text("a:1:1\n 1: 1\n 2: 1\n 2: vtables V:1 \n");
    struct sample_binary_options o = {.form = SAMPLE_FORM_EXT, .no_vtables = true, .no_symbols = true};
    (void)state;
    assert_int_equal(sample_append_symbol(s, (struct apf_str){"x", 1}, NULL), APF_OK);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    assert_int_equal(section_flags(&out, 0), 0);
    assert_int_equal(section_size(&out, 1), 3);
    assert_int_equal(section_size(&out, 5), 0);
    expect_read(&out, o.form, "a:1:1\n 1: 1\n 2: 1\n");
    apf_buffer_free(&out);
    o.form = SAMPLE_FORM_BINARY; /* which has no place for types of objects */
    o.no_vtables = false;
    out = sample_write_memory(s, &o, NULL);
    expect_read(&out, o.form, "a:1:1\n 1: 1\n 2: 1\n");
    apf_buffer_free(&out);
    sample_free(s);
}

/* Lines and contexts that readers refuse are left out, with what belongs to them. */
static void test_far(void **state)
{
    struct sample_binary_losses losses;
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    (void)state;
    struct apf_sample *s = sample_of_text("a:9:1\n 65535: 1\n 65536.0: 1 far:3\n 70000.1: 2\n"
                                          " 70000.1: vtables V:2 \n 70000.1: b:7\n  1: 7\n  65536.0: 1\n");
    struct apf_buffer out = sample_write_memory(s, &o, &losses);
    assert_int_equal(losses.lines, 3);
    assert_int_equal(losses.functions, 0);
    expect_read(&out, o.form, "a:9:1\n 65535: 1\n 70000.1: b:7\n  1: 7\n");
    apf_buffer_free(&out);
    sample_free(s);
    s = sample_of_text("[a:-1 @ b:1 @ c]:9:1\n 1: 9\n[a]:2:1\n 1: 2\n 65536.0: 1\n[b:1 @ c]:1:0\n 1: 1\n");
    out = sample_write_memory(s, &o, &losses);
    assert_int_equal(losses.lines, 1);
    assert_int_equal(losses.functions, 1);
    expect_read(&out, o.form, "[a]:2:1\n 1: 2\n[b:1 @ c]:1:0\n 1: 1\n");
    apf_buffer_free(&out);
    sample_free(s);
}

/* What was left out of a profile is neither in the functions nor in the names. */
static void test_gone(void **state)
{
    struct apf_sample *s = sample_of_text("a:1:1\n 1: 1\n 2: b:1\n  1: 1 t:1\n  2: c:1\n   1: 1\n");
    const struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    (void)state;
    s->nodes.data[s->nodes.data[0].callees.data[0]].state |= SAMPLE_GONE;
    s->nodes.data[0].callees.n = 0;
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    assert_int_equal(section_size(&out, 1), 3);
    expect_read(&out, o.form, "a:1:1\n 1: 1\n");
    apf_buffer_free(&out);
    sample_free(s);
}

static void test_nul(void **state)
{
    struct apf_sample *s = sample_of_text("abc:1:1\n 1: 1\n");
    struct apf_error error;
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct sample_binary_options o = {.form = SAMPLE_FORM_BINARY};
    (void)state;
    s->names.list.data[0].p = "a\0c";
    assert_int_equal(sample_write_output(&output, s, &o, NULL, &error), APF_NOT_REPRESENTABLE);
    assert_string_equal(error.where, "sample.write.names");
    o.form = SAMPLE_FORM_COMPACT; /* a hash has none */
    assert_int_equal(sample_write_output(&output, s, &o, NULL, &error), APF_OK);
    assert_int_equal(sample_append_symbol(s, (struct apf_str){"\0x", 2}, NULL), APF_OK);
    o.form = SAMPLE_FORM_EXT;
    o.md5 = true;
    assert_int_equal(sample_write_output(&output, s, &o, NULL, &error), APF_NOT_REPRESENTABLE);
    assert_string_equal(error.where, "sample.write.symbols");
    o.no_symbols = true;
    assert_int_equal(sample_write_output(&output, s, &o, NULL, &error), APF_OK);
    apf_buffer_free(&buffer);
    sample_free(s);
}

/* ---- large profiles ---- */

/* The table of offsets leads to each function: compilers read no other ones. */
static void check_offsets(const struct apf_buffer *file, unsigned table, unsigned functions, unsigned n)
{
    const uint8_t *p = section_bytes(file, table), *from = section_bytes(file, functions);
    uint64_t values[2];
    for (unsigned i = 0; i < 2 * n + 1; i++) {
        uint64_t v = 0;
        for (unsigned shift = 0;; shift += 7) {
            v |= (uint64_t)(*p & 0x7f) << shift;
            if (!(*p++ & 0x80))
                break;
        }
        if (i == 0) {
            assert_int_equal(v, n);
            continue;
        }
        values[(i - 1) % 2] = v;
        if (i % 2 == 0) { /* head, then the number of the name */
            const uint8_t *f = from + values[1];
            while (*f++ & 0x80)
                continue;
            uint64_t key = f[0] & 0x7f;
            for (unsigned k = 0; f[k] & 0x80; k++)
                key |= (uint64_t)(f[k + 1] & 0x7f) << 7 * (k + 1);
            assert_int_equal(key, values[0]);
        }
    }
    assert_ptr_equal(p, section_bytes(file, table) + section_size(file, table));
}

static void test_offsets(void **state)
{
    struct apf_sample *s = sample_of_many(3000);
    char *text = sample_as_text(s);
    struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    (void)state;
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    assert_in_range(out.n, FILE_OUT_BUFFER, SIZE_MAX);
    check_offsets(&out, 3, 4, 3000);
    expect_read(&out, o.form, text);
    apf_buffer_free(&out);
    o.form = SAMPLE_FORM_EXT_SPLIT;
    out = sample_write_memory(s, &o, NULL);
    check_offsets(&out, 2, 3, 1500);
    check_offsets(&out, 4, 5, 1500);
    apf_buffer_free(&out);
    o.form = SAMPLE_FORM_COMPACT;
    out = sample_write_memory(s, &o, NULL);
    struct apf_sample *again = sample_new();
    assert_int_equal(sample_compact_read(again, out.data, out.n, &sample_no_limits, NULL), APF_OK);
    assert_int_equal(again->info.n_functions, 3000);
    assert_int_equal(again->info.n_inlined, 1500);
    sample_free(again);
    apf_buffer_free(&out);
    free(text);
    sample_free(s);
}

/* The deepest inlining that is read, and the longest context. */
static void test_deep(void **state)
{
    enum { DEPTH = SAMPLE_MAX_DEPTH };
    struct apf_sample *s = sample_of_text("f:1:1\n 1: 1\n");
    struct sample_binary_options o = {.form = SAMPLE_FORM_EXT};
    uint32_t node = 0, context = 0, name = 0;
    (void)state;
    for (unsigned i = 0; i < DEPTH; i++) {
        assert_int_equal(sample_inlined(s, node, sample_place(i, 0), name, &node, NULL), APF_OK);
        s->nodes.data[node].checksum = i + 1;
    }
    s->info.flags |= APF_SAMPLE_PROBES;
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    struct apf_buffer out = sample_write_memory(s, &o, NULL);
    struct apf_sample *again = sample_new();
    assert_int_equal(sample_ext_read(again, out.data, out.n, &sample_no_limits, NULL), APF_OK);
    assert_int_equal(again->info.max_depth, DEPTH);
    assert_int_equal(again->nodes.data[again->nodes.n - 1].checksum, DEPTH);
    sample_free(again);
    apf_buffer_free(&out);
    sample_free(s);
    s = sample_of_text("[f]:1:1\n 1: 1\n");
    for (unsigned i = 1; i < DEPTH; i++)
        assert_int_equal(sample_contexts_add(&s->contexts, context, sample_place(i, 0), name, &context, NULL),
                         APF_OK);
    assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
    out = sample_write_memory(s, &o, NULL);
    again = sample_new();
    assert_int_equal(sample_ext_read(again, out.data, out.n, &sample_no_limits, NULL), APF_OK);
    assert_int_equal(again->info.max_context, DEPTH);
    assert_int_equal(again->info.n_functions, 2);
    sample_free(again);
    apf_buffer_free(&out);
    sample_free(s);
}

TEST_FILE(sample_binary_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_named_contexts),
        cmocka_unit_test(test_unnamable_contexts),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_deep),
    };
    return RUN_TESTS(tests);
}
