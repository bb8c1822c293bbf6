/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Extbinary: files of LLVM's tools, and hand-made ones with each type of section, flag and oddity. */
#include <string.h>

#include "base/md5.h"
#include "sample/binary/sample_binary_read.h"
#include "sample/layout/sample_layout.h"

#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

static struct apf_sample *expect(const struct golden *golden, const char *text)
{
    struct apf_sample *s = sample_expect_text(sample_ext_read, golden->data, golden->n, NULL, text);
    assert_int_equal(s->info.format, APF_SAMPLE_EXTBINARY);
    assert_int_equal(s->info.version, 103);
    assert_int_equal(s->stored->n_rows, 16);
    return s;
}

/* ---- files of LLVM ---- */

static void test_golden_names(void **state)
{
    (void)state;
    struct apf_sample *s = expect(&golden_z, GOLDEN_PLAIN);
    assert_int_equal(s->info.flags, 0);
    assert_false(s->has_symbols);
    sample_free(s);
    s = expect(&golden_md5, "14758615255017094680:9:1\n 1: 4 4014738744300571210:3\n"
                            " 2.1: 4014738744300571210:5\n  1: 5\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    sample_free(s);
}

static void test_golden_contexts(void **state)
{
    (void)state;
    struct apf_sample *s = expect(&golden_contexts, GOLDEN_CONTEXTS);
    uint32_t flags = APF_SAMPLE_CONTEXTS | APF_SAMPLE_PREINLINED | APF_SAMPLE_ATTRIBUTES;
    assert_int_equal(s->info.flags, flags);
    assert_int_equal(s->info.max_context, 2);
    sample_free(s);
    s = expect(&golden_contexts13, GOLDEN_CONTEXTS);
    assert_int_equal(s->info.flags, flags);
    assert_int_equal(s->names.list.n, 2); /* none is the text of a context */
    sample_free(s);
    s = expect(&golden_contexts13_md5, "[422945563004225775]:7:1\n 1: 7\n !Attributes: 2\n"
                                       "[5367199667811567859]:5:3\n 1: 5\n !Attributes: 1\n");
    assert_int_equal(s->info.flags, flags | APF_SAMPLE_MD5);
    assert_true(md5_name_ref("[m]", 3) == UINT64_C(422945563004225775));
    assert_int_equal(s->findings[SAMPLE_FINDING_HASHED_CONTEXTS], 2);
    sample_free(s);
}

static void test_golden_probes(void **state)
{
    (void)state;
    const struct golden *files[] = {&golden_probes, &golden_split};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct apf_sample *s = expect(files[i], GOLDEN_PROBES);
        assert_int_equal(s->info.flags, APF_SAMPLE_PROBES);
        sample_free(s);
    }
    struct apf_sample *s = expect(&golden_probes13, GOLDEN_PROBES13);
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES);
    sample_free(s);
}

/* ---- hand-made files ---- */

enum { SUMMARY, NAMES, CONTEXTS, OFFSETS, FUNCTIONS, SYMBOLS, METADATA, N_SECTIONS };

/* A file with a section of each type, in LLVM's order. */
struct ext_file {
    struct sb body[N_SECTIONS];
    struct sb_section sections[N_SECTIONS];
    struct sb bytes;
    uint64_t version;
};

/* Bodies of a summary, of the names "a b c", and nothing else. */
static void start(struct ext_file *f)
{
    static const uint64_t types[N_SECTIONS] = {
        SAMPLE_SECTION_SUMMARY,   SAMPLE_SECTION_NAMES,   SAMPLE_SECTION_CONTEXTS, SAMPLE_SECTION_OFFSETS,
        SAMPLE_SECTION_FUNCTIONS, SAMPLE_SECTION_SYMBOLS, SAMPLE_SECTION_METADATA};
    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        f->sections[i].type = types[i];
        f->sections[i].body = &f->body[i];
    }
    sb_summary(&f->body[SUMMARY], 2);
    sb_names(&f->body[NAMES], "a b c");
    f->version = 103;
}

/* Writes the file. */
static void finish(struct ext_file *f)
{
    sb_free(&f->bytes);
    sb_ext(&f->bytes, f->version, f->sections, N_SECTIONS);
}

static void release(struct ext_file *f)
{
    for (size_t i = 0; i < N_SECTIONS; i++)
        sb_free(&f->body[i]);
    sb_free(&f->bytes);
}

/* Writes the file, and expects its text. */
static struct apf_sample *expect_file(struct ext_file *f, const char *text)
{
    finish(f);
    return sample_expect_text(sample_ext_read, f->bytes.data, f->bytes.n, NULL, text);
}

/* Writes the file, and expects an error in a section, `at` bytes after its beginning. */
#define FILE_REFUSED(f, section, code, name, at, found, expected)                                            \
    do {                                                                                                     \
        finish(f);                                                                                           \
        SAMPLE_REFUSED(sample_ext_read, (f)->bytes.data, (f)->bytes.n, code, "sample.ext.section." name,     \
                       sb_section_at(&(f)->bytes, section) + (at), found, expected);                         \
    } while (0)

static void test_order_and_flags(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0, 2, 2, 6, 0, 0);
    sb_bytes(&f.body[SYMBOLS], "zz\0a\0zz", 8);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_PARTIAL | SAMPLE_SUMMARY_FS | UINT64_C(1) << 60;
    f.sections[NAMES].flags = SAMPLE_NAMES_UNIQUE | 128;
    struct apf_sample *s = expect_file(&f, "c:6:2\na:5:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_PARTIAL | APF_SAMPLE_FS | APF_SAMPLE_UNIQUE);
    assert_true(s->has_symbols);
    assert_int_equal(s->info.n_symbols, 2);
    assert_string_equal(s->symbols.data[0].p, "a");
    assert_string_equal(s->symbols.data[1].p, "zz");
    assert_int_equal(s->stored->n_functions, 2);
    sample_free(s);
    /* the flags of a section that is empty say nothing */
    f.sections[METADATA].flags = SAMPLE_METADATA_PROBES;
    f.sections[SYMBOLS].flags = SAMPLE_FLAG_COMPRESSED;
    f.body[SYMBOLS].n = 0;
    s = expect_file(&f, "c:6:2\na:5:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_PARTIAL | APF_SAMPLE_FS | APF_SAMPLE_UNIQUE);
    assert_false(s->has_symbols);
    sample_free(s);
    release(&f);
}

/* Sections are read in the order of the table: functions before the names have none. */
static void test_table_order(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0);
    struct sb_section names = f.sections[NAMES];
    f.sections[NAMES] = f.sections[FUNCTIONS];
    f.sections[FUNCTIONS] = names;
    FILE_REFUSED(&f, NAMES, APF_SAMPLE_NAME_TABLE, "functions", 1, 0, 0);
    release(&f);
}

static void test_unknown_sections(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0);
    sb_bytes(&f.body[SYMBOLS], "a", 2);
    sb_bytes(&f.body[CONTEXTS], "", 1);
    f.sections[SYMBOLS].type = 7;
    f.sections[SYMBOLS].flags = UINT64_MAX;
    f.sections[OFFSETS].type = 0;
    finish(&f);
    sb_set_word(&f.bytes, SB_ENTRY(SYMBOLS) + 16, UINT64_MAX); /* even its place does not matter */
    struct apf_sample *s = sample_expect_text(sample_ext_read, f.bytes.data, f.bytes.n, NULL, "a:5:1\n");
    assert_int_equal(s->findings[SAMPLE_FINDING_UNKNOWN_SECTION], 1); /* the empty one is none */
    sample_free(s);
    release(&f);
}

static void test_hash_tables(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0, 2, 1, 6, 0, 0);
    f.body[NAMES].n = 0;
    SB_NUMBERS(&f.body[NAMES], 2, 77, UINT64_MAX);
    f.sections[NAMES].flags = SAMPLE_NAMES_MD5;
    struct apf_sample *s = expect_file(&f, "18446744073709551615:6:2\n77:5:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    assert_int_equal(s->info.n_hashes, 2);
    sample_free(s);
    f.body[NAMES].n = 0;
    sb_number(&f.body[NAMES], 2);
    sb_word(&f.body[NAMES], 77);
    sb_word(&f.body[NAMES], 0);
    f.sections[NAMES].flags = SAMPLE_NAMES_MD5 | SAMPLE_NAMES_FIXED;
    FILE_REFUSED(&f, NAMES, APF_SAMPLE_MALFORMED, "names", 9, 0, 1); /* no name has the hash 0 */
    sb_set_word(&f.body[NAMES], 9, 78);
    sample_free(expect_file(&f, "78:6:2\n77:5:1\n"));
    f.sections[NAMES].flags = SAMPLE_NAMES_FIXED; /* as LLVM reads it */
    sample_free(expect_file(&f, "78:6:2\n77:5:1\n"));
    sb_bytes(&f.body[NAMES], "", 1);
    FILE_REFUSED(&f, NAMES, APF_SAMPLE_MALFORMED, "names", 17, 1, 0);
    f.body[NAMES].n = 16;
    FILE_REFUSED(&f, NAMES, APF_SAMPLE_TRUNCATED, "names", 1, 2, 1);
    release(&f);
}

/* Names of a file without hashes that are decimal numbers are hashes that a tool has printed. */
static void test_decimal_names(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    f.body[NAMES].n = 0;
    sb_names(&f.body[NAMES], "12 34");
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 1, 5, 1, 1, 0, 5, 1, 0, 4, 0);
    struct apf_sample *s = expect_file(&f, "34:5:1\n 1: 5 12:4\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    assert_int_equal(s->findings[SAMPLE_FINDING_DECIMAL_NAMES], 2);
    sample_free(s);
    release(&f);
}

/* ---- contexts ---- */

static void test_contexts(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_CONTEXTS;
    struct sb *contexts = &f.body[CONTEXTS];
    /* [a], [a:1 @ b], [a:1 @ b:2.3 @ c], [a:1 @ b:4 @ c], [b]; the place of the last frame does not matter */
    sb_number(contexts, 6);
    SB_NUMBERS(contexts, 1, 0, 0, 0, 2, 0, 1, 0, 1, 0, 0, 3, 0, 1, 0, 1, 2, 3, 2, 0, 0);
    SB_NUMBERS(contexts, 3, 0, 1, 0, 1, 4, 0, 2, 0, 0, 1, 1, 0, 0, 2, 0, 1, 0, 1, 9, 9);
    for (uint64_t i = 0; i < 6; i++)
        SB_NUMBERS(&f.body[FUNCTIONS], i, i, 10 + i, 0, 0);
    struct apf_sample *s = expect_file(&f, "[a:1 @ b]:26:6\n[b]:14:4\n[a:1 @ b:4 @ c]:13:3\n"
                                           "[a:1 @ b:2.3 @ c]:12:2\n[a]:10:0\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_CONTEXTS);
    assert_int_equal(s->contexts.list.n, 5);
    assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_FUNCTION], 1);
    sample_free(s);
    sb_bytes(&f.body[FUNCTIONS], "\0\6\0\0\0", 5);
    FILE_REFUSED(&f, FUNCTIONS, APF_SAMPLE_NAME_TABLE, "functions", 31, 6, 5);
    release(&f);
}

#define CONTEXTS_REFUSED(code, at, found, expected, ...)                                                     \
    do {                                                                                                     \
        f.body[CONTEXTS].n = 0;                                                                              \
        SB_NUMBERS(&f.body[CONTEXTS], __VA_ARGS__);                                                          \
        FILE_REFUSED(&f, CONTEXTS, code, "contexts", at, found, expected);                                   \
    } while (0)

static void test_context_errors(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_CONTEXTS;
    CONTEXTS_REFUSED(APF_SAMPLE_MALFORMED, 1, 0, 1, 1, 0, 0, 0, 0);
    CONTEXTS_REFUSED(APF_SAMPLE_TRUNCATED, 1, 2, 1, 2, 1, 0, 0, 0, 0, 0);
    CONTEXTS_REFUSED(APF_SAMPLE_TRUNCATED, 2, 2, 1, 1, 2, 0, 0, 0);
    CONTEXTS_REFUSED(APF_SAMPLE_NAME_TABLE, 2, 3, 2, 1, 1, 3, 0, 0);
    CONTEXTS_REFUSED(APF_SAMPLE_LINE_OFFSET, 3, 65536, 65535, 1, 1, 2, 65536, 0);
    CONTEXTS_REFUSED(APF_SAMPLE_MALFORMED, 5, 1, 0, 1, 1, 0, 0, 0, 0);
    f.body[CONTEXTS].n = 0;
    SB_NUMBERS(&f.body[CONTEXTS], 1, SAMPLE_MAX_DEPTH + 1);
    for (unsigned i = 0; i <= SAMPLE_MAX_DEPTH; i++)
        SB_NUMBERS(&f.body[CONTEXTS], 0, 0, 0);
    FILE_REFUSED(&f, CONTEXTS, APF_LIMIT, "contexts", 1, SAMPLE_MAX_DEPTH + 1, SAMPLE_MAX_DEPTH);
    release(&f);
}

/* A file of LLVM 13 has no section of contexts: it has names that are contexts. */
static void test_context_texts(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_CONTEXTS;
    f.body[NAMES].n = 0;
    sb_number(&f.body[NAMES], 7);
    static const char names[] = "[-[A f:g:]:3 @ b]\0[a:1 @ b:2.3 @ c]\0[a:x @ b]\0[a]\0b\0[]\0[d:1]";
    sb_bytes(&f.body[NAMES], names, sizeof names);
    for (uint64_t i = 0; i < 7; i++)
        SB_NUMBERS(&f.body[FUNCTIONS], 0, i, 10 + i, 0, 0);
    SB_NUMBERS(&f.body[METADATA], 0, 1, 6, 4);
    f.sections[METADATA].flags = SAMPLE_METADATA_ATTRIBUTES;
    struct apf_sample *s =
        expect_file(&f, "[d:1]:16:0\n !Attributes: 4\n[[]]:15:0\n[b]:14:0\n[a]:13:0\n[a:x:0 @ b]:12:0\n"
                        "[a:1 @ b:2.3 @ c]:11:0\n[-[A f:g:]:3 @ b]:10:0\n !Attributes: 1\n");
    assert_int_equal(s->findings[SAMPLE_FINDING_HASHED_CONTEXTS], 0);
    sample_free(s);
    release(&f);
}

/* llvm-profdata merge --split-layout of a context-sensitive profile: keys, and no table of contexts. */
static void test_contexts_missing(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_CONTEXTS;
    f.sections[OFFSETS].flags = f.sections[FUNCTIONS].flags = SAMPLE_FLAG_FLAT;
    SB_NUMBERS(&f.body[OFFSETS], 2, 0, 0, 1, 5);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0, 2, 1, 6, 0, 0);
    FILE_REFUSED(&f, FUNCTIONS, APF_SAMPLE_NAME_TABLE, "functions", 0, 0, 0);
    release(&f);
}

/* ---- vtables and discriminators ---- */

static void test_vtables(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_VTABLES;
    struct sb *b = &f.body[FUNCTIONS];
    SB_NUMBERS(b, 1, 0, 5, 0, 1);
    SB_NUMBERS(b, 3, 0, 1, 2, 0, 0, 1, 4, 1, 1, 2, 8); /* inlined b: vtable c at 4.1 */
    SB_NUMBERS(b, 2, 9, 0, 2, 1, 3, 2, 4, 2, 0, 0);    /* a: b and c at 9, nothing at 2 */
    SB_NUMBERS(b, 1, 2, 1, 0, 0, 0);
    struct apf_sample *s =
        expect_file(&f, "a:5:1\n 9: vtables c:4 b:3 \n 3: b:2\n  4.1: vtables c:8 \nc:1:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_VTABLES);
    assert_int_equal(s->info.n_vtables, 3);
    sample_free(s);
    b->n = 0;
    SB_NUMBERS(b, 1, 0, 5, 0, 0, 1, 65536, 0, 0);
    FILE_REFUSED(&f, FUNCTIONS, APF_SAMPLE_LINE_OFFSET, "functions", 6, 65536, 65535);
    b->n = 0;
    SB_NUMBERS(b, 1, 0, 5, 0, 0, 1, 1, 0);
    FILE_REFUSED(&f, FUNCTIONS, APF_SAMPLE_TRUNCATED, "functions", 6, 1, 0);
    b->n = 0;
    SB_NUMBERS(b, 1, 0, 5, 0, 0, 1, 1, 0, 1, 0);
    FILE_REFUSED(&f, FUNCTIONS, APF_SAMPLE_TRUNCATED, "functions", 9, 1, 0);
    b->n = 0;
    SB_NUMBERS(b, 1, 0, 5, 0, 0, 1, 1, 0, 1, 5, 5);
    FILE_REFUSED(&f, FUNCTIONS, APF_SAMPLE_NAME_TABLE, "functions", 9, 5, 2);
    release(&f);
}

static void test_discriminators(void **state)
{
    struct ext_file f;
    struct sample_read_options o = sample_no_limits;
    (void)state;
    o.discriminator = 0xff;
    start(&f);
    f.sections[SUMMARY].flags = SAMPLE_SUMMARY_FS | SAMPLE_SUMMARY_VTABLES;
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 2, 1, 0x301, 2, 0, 1, 0x501, 3, 0);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 3, 0x702, 1, 2, 0, 0, 0, 1, 4, 0x101, 1, 2, 8);
    f.sections[METADATA].flags = SAMPLE_METADATA_ATTRIBUTES;
    SB_NUMBERS(&f.body[METADATA], 0, 2, 1, 3, 0x702, 1, 4, 0);
    finish(&f);
    sample_free(sample_expect_text(
        sample_ext_read, f.bytes.data, f.bytes.n, &o,
        "a:5:1\n 1.1: 5\n 4.1: vtables c:8 \n 3.2: b:2\n  !Attributes: 4\n !Attributes: 2\n"));
    sample_free(expect_file(&f, "a:5:1\n 1.769: 2\n 1.1281: 3\n 4.257: vtables c:8 \n 3.1794: b:2\n"
                                "  !Attributes: 4\n !Attributes: 2\n"));
    release(&f);
}

/* ---- metadata ---- */

static void test_metadata(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    sb_number(&f.body[CONTEXTS], 0); /* as LLVM 14 and later */
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 1, 3, 0, 1, 2, 0, 0, 2, 1, 6, 0, 0);
    f.sections[METADATA].flags = SAMPLE_METADATA_PROBES | SAMPLE_METADATA_ATTRIBUTES;
    /* c has no profile, and in a nothing is inlined at 4, and no c at 3: what is in them has no function, too */
    SB_NUMBERS(&f.body[METADATA], 2, 99, 1, 0, 0, 77, 3, 3);
    SB_NUMBERS(&f.body[METADATA], 3, 0, 1, 66, 4, 1, 1, 0, 1, 9, 9, 0);
    SB_NUMBERS(&f.body[METADATA], 3, 0, 2, 9, 9, 0, 4, 0, 1, 9, 9, 0);
    struct apf_sample *s =
        expect_file(&f, "b:6:2\n !CFGChecksum: 0\na:5:1\n 3: b:2\n  !CFGChecksum: 66\n  !Attributes: 4\n"
                        " !CFGChecksum: 77\n !Attributes: 3\n");
    assert_int_equal(s->findings[SAMPLE_FINDING_METADATA_WITHOUT_FUNCTION], 4);
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES | APF_SAMPLE_ATTRIBUTES | APF_SAMPLE_PREINLINED);
    sample_free(s);
    /* an entry that is repeated counts */
    SB_NUMBERS(&f.body[METADATA], 1, 5, 0, 0, 1, 6, 1, 0);
    sample_free(expect_file(&f,
                            "b:6:2\n !CFGChecksum: 6\n !Attributes: 1\na:5:1\n 3: b:2\n  !CFGChecksum: 66\n"
                            "  !Attributes: 4\n !CFGChecksum: 77\n !Attributes: 3\n"));
    release(&f);
}

#define METADATA_REFUSED(code, at, found, expected, ...)                                                     \
    do {                                                                                                     \
        f.body[METADATA].n = 0;                                                                              \
        SB_NUMBERS(&f.body[METADATA], __VA_ARGS__);                                                          \
        FILE_REFUSED(&f, METADATA, code, "metadata", at, found, expected);                                   \
    } while (0)

static void test_metadata_errors(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0);
    f.sections[METADATA].flags = SAMPLE_METADATA_PROBES | SAMPLE_METADATA_ATTRIBUTES;
    for (unsigned i = 0; i < 2; i++) { /* without and with a section of contexts */
        METADATA_REFUSED(APF_SAMPLE_NAME_TABLE, 0, 3, 2, 3, 1, 1, 0);
        METADATA_REFUSED(APF_SAMPLE_TRUNCATED, 1, 0, 1, 0);
        METADATA_REFUSED(APF_SAMPLE_TRUNCATED, 2, 0, 1, 0, 1);
        METADATA_REFUSED(APF_SAMPLE_MALFORMED, 2, UINT64_C(1) << 32, UINT32_MAX, 0, 1, UINT64_C(1) << 32);
        f.body[CONTEXTS].n = 0;
        sb_number(&f.body[CONTEXTS], 0);
    }
    METADATA_REFUSED(APF_SAMPLE_TRUNCATED, 4, 1, 0, 0, 1, 1, 1, 0, 0);
    METADATA_REFUSED(APF_SAMPLE_TRUNCATED, 3, 0, 1, 0, 1, 1);
    METADATA_REFUSED(APF_SAMPLE_NAME_TABLE, 6, 9, 2, 0, 1, 1, 1, 1, 0, 9, 1, 1, 0);
    f.body[METADATA].n = 0;
    SB_NUMBERS(&f.body[METADATA], 0, 1, 1);
    for (unsigned i = 0; i <= SAMPLE_MAX_DEPTH; i++)
        SB_NUMBERS(&f.body[METADATA], 1, 1, 0, 1, 1, 1);
    sb_number(&f.body[METADATA], 0);
    FILE_REFUSED(&f, METADATA, APF_LIMIT, "metadata", f.body[METADATA].n, SAMPLE_MAX_DEPTH + 1,
                 SAMPLE_MAX_DEPTH);
    release(&f);
}

/* LLVM 12 and 13: entries without inlined functions, which only the absence of other sections suggests. */
static void test_old_metadata(void **state)
{
    struct ext_file f;
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0, 2, 1, 6, 0, 0);
    f.sections[METADATA].flags = SAMPLE_METADATA_PROBES;
    SB_NUMBERS(&f.body[METADATA], 0, 1 << 20, 1, 2 << 20);
    sample_free(expect_file(&f, "b:6:2\n !CFGChecksum: 2097152\na:5:1\n !CFGChecksum: 1048576\n"));
    sb_number(&f.body[CONTEXTS], 0);
    FILE_REFUSED(&f, METADATA, APF_SAMPLE_TRUNCATED, "metadata", 9, 0, 1);
    release(&f);
}

/* Everything is sorted before metadata, so metadata that come again and again after functions would take time that
 * grows with the square of the file. */
static void test_metadata_between_functions(void **state)
{
    enum { PAIRS = 17 };
    struct ext_file f;
    struct sb_section sections[2 + 2 * PAIRS];
    (void)state;
    start(&f);
    SB_NUMBERS(&f.body[FUNCTIONS], 1, 0, 5, 0, 0);
    f.sections[METADATA].flags = SAMPLE_METADATA_PROBES;
    SB_NUMBERS(&f.body[METADATA], 0, 9, 0);
    sections[0] = f.sections[SUMMARY];
    sections[1] = f.sections[NAMES];
    for (size_t i = 2; i < COUNT(sections); i++)
        sections[i] = f.sections[i % 2 ? METADATA : FUNCTIONS];
    sb_ext(&f.bytes, 103, sections, COUNT(sections) - 2);
    sample_free(
        sample_expect_text(sample_ext_read, f.bytes.data, f.bytes.n, NULL, "a:80:16\n !CFGChecksum: 9\n"));
    sb_free(&f.bytes);
    sb_ext(&f.bytes, 103, sections, COUNT(sections));
    SAMPLE_REFUSED(sample_ext_read, f.bytes.data, f.bytes.n, APF_SAMPLE_MALFORMED,
                   "sample.ext.section.metadata", sb_section_at(&f.bytes, COUNT(sections) - 1), PAIRS,
                   PAIRS - 1);
    release(&f);
}

TEST_FILE(sample_ext)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_names),  cmocka_unit_test(test_golden_contexts),
        cmocka_unit_test(test_golden_probes), cmocka_unit_test(test_order_and_flags),
        cmocka_unit_test(test_table_order),   cmocka_unit_test(test_unknown_sections),
        cmocka_unit_test(test_hash_tables),   cmocka_unit_test(test_decimal_names),
        cmocka_unit_test(test_contexts),      cmocka_unit_test(test_context_errors),
        cmocka_unit_test(test_context_texts), cmocka_unit_test(test_contexts_missing),
        cmocka_unit_test(test_vtables),       cmocka_unit_test(test_discriminators),
        cmocka_unit_test(test_metadata),      cmocka_unit_test(test_metadata_errors),
        cmocka_unit_test(test_old_metadata),  cmocka_unit_test(test_metadata_between_functions),
    };
    return RUN_TESTS(tests);
}
