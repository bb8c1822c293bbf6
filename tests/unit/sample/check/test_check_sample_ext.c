/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of extbinary profiles: sections, tables of offsets, contexts, names and summaries. */
#include "helpers/shared/check_memory.h"
#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

#include <string.h>

#include "sample/layout/sample_layout.h"

static struct checked now; /* what was found last */

#define NOWHERE UINT64_MAX
#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)
#define NO_MORE() EXPECT_NO_MORE(&now)

/* The parts of a file, in the order of LLVM 14 and later. */
enum part { SUMMARY, NAMES, CONTEXTS, OFFSETS, FUNCTIONS, SYMBOLS, METADATA, PARTS };

struct parts {
    struct sb body[PARTS];
    uint64_t type[PARTS], flags[PARTS];
    struct sb file;
};

static const uint64_t types[PARTS] = {
    SAMPLE_SECTION_SUMMARY,   SAMPLE_SECTION_NAMES,   SAMPLE_SECTION_CONTEXTS, SAMPLE_SECTION_OFFSETS,
    SAMPLE_SECTION_FUNCTIONS, SAMPLE_SECTION_SYMBOLS, SAMPLE_SECTION_METADATA};

#define B_AT 21 /* the offset of b among the functions */

/* Names a b c; function a with the line 1: 5 c:2, and c inlined at 2 with the line 1: 3; function b with 1: 1. */
static struct parts plain(void)
{
    struct parts p = {.flags = {0}};
    memcpy(p.type, types, sizeof types);
    SB_NUMBERS(&p.body[SUMMARY], 9, 5, 4, 3, 2, 1, 990000, 3, 2);
    sb_names(&p.body[NAMES], "a b c");
    sb_number(&p.body[CONTEXTS], 0);
    SB_NUMBERS(&p.body[OFFSETS], 2, 1, B_AT, 0, 0);
    SB_NUMBERS(&p.body[FUNCTIONS], 4, 0, 8, 1, 1, 0, 5, 1, 2, 2, 1, 2, 0, 2, 3, 1, 1, 0, 3, 0, 0); /* a */
    SB_NUMBERS(&p.body[FUNCTIONS], 1, 1, 1, 1, 1, 0, 1, 0, 0);                                     /* b */
    return p;
}

static void look(struct parts *p)
{
    struct sb_section sections[PARTS];
    for (unsigned i = 0; i < PARTS; i++) {
        struct sb_section section = {p->type[i], p->flags[i], &p->body[i]};
        sections[i] = section;
    }
    sb_free(&p->file);
    sb_ext(&p->file, 103, sections, PARTS);
    check_memory_bytes(&now, p->file.data, p->file.n);
}

static void look_again(struct parts *p)
{
    check_memory_bytes(&now, p->file.data, p->file.n);
}

static void drop(struct parts *p)
{
    for (unsigned i = 0; i < PARTS; i++)
        sb_free(&p->body[i]);
    sb_free(&p->file);
}

/* The offset of byte i of a part. */
static uint64_t at(const struct parts *p, enum part part, uint64_t i)
{
    return sb_section_at(&p->file, part) + i;
}

/* Replaces a part by numbers. */
#define REPLACE(p, part, ...)                                                                                \
    do {                                                                                                     \
        sb_free(&(p)->body[part]);                                                                           \
        SB_NUMBERS(&(p)->body[part], __VA_ARGS__);                                                           \
    } while (0)

static void good_ones(void **state)
{
    (void)state;
    struct parts p = plain();
    look(&p);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
    p.flags[FUNCTIONS] = p.flags[NAMES] = p.flags[OFFSETS] = p.flags[SUMMARY] = SAMPLE_FLAG_COMPRESSED;
    look(&p);
    NO_MORE();
    drop(&p);
    static const struct golden *const goldens[] = {&golden_md5, &golden_z, &golden_contexts,
                                                   &golden_contexts13, &golden_probes13};
    for (size_t i = 0; i < COUNT(goldens); i++) {
        check_memory_bytes(&now, goldens[i]->data, goldens[i]->n);
        NO_MORE();
        assert_int_equal(now.verdict.n_records, i < 2 ? 1 : 2);
    }
    check_memory_bytes(&now, golden_probes.data, golden_probes.n); /* with an odd discriminator */
    FOUND(WARNING, INCONSISTENT, "sample.ext.function.discriminator", 334, 1, 0);
    NO_MORE();
    check_memory_bytes(&now, golden_split.data, golden_split.n);
    assert_int_equal(now.n, 1);
    check_memory_bytes(&now, golden_contexts13_md5.data, golden_contexts13_md5.n);
    FOUND(WARNING, SAMPLE_NAME_TABLE, "sample.finding.HASHED_CONTEXTS", NOWHERE, 2, 0);
    NO_MORE();
}

static void summaries(void **state)
{
    (void)state;
    struct parts p = plain();
    static const char *const wheres[] = {"total", "max_count", "max_head", "num_counts", "num_functions"};
    static const uint64_t numbers[] = {9, 5, 4, 3, 2};
    for (unsigned i = 0; i < 5; i++) {
        char where[64] = "sample.ext.summary.";
        strcat(where, wheres[i]);
        p.body[SUMMARY].data[i] = 77;
        look(&p);
        FOUND(WARNING, INCONSISTENT, where, at(&p, SUMMARY, i), 77, numbers[i]);
        NO_MORE();
        p.body[SUMMARY].data[i] = (uint8_t)numbers[i];
    }
    REPLACE(&p, SUMMARY, 9, 5, 4, 3, 2, 2, 500000, 4, 1, 990000, 3, 3);
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.summary.cutoff.min_count", at(&p, SUMMARY, 9), 4, 5);
    FOUND(WARNING, INCONSISTENT, "sample.ext.summary.cutoff.num_counts", at(&p, SUMMARY, 15), 3, 2);
    NO_MORE();
    p.flags[SUMMARY] = SAMPLE_FLAG_COMPRESSED;
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.summary.cutoff.min_count", at(&p, SUMMARY, 0), 4, 5);
    p.flags[SUMMARY] = 0;
    REPLACE(&p, SUMMARY, 9, 5, 4, 3, 2, 2, 990000, 3, 2, 500000, 5, 1);
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.summary.cutoff", at(&p, SUMMARY, 11), 500000, 990000);
    NO_MORE();
    REPLACE(&p, SUMMARY, 9, 5, 4, 3, 2, 1, 1000001, 3, 2);
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.summary.cutoff", at(&p, SUMMARY, 6), 1000001, 1000000);
    NO_MORE();
    drop(&p);
}

static void offsets(void **state)
{
    (void)state;
    struct parts p = plain();
    REPLACE(&p, OFFSETS, 1, 0, 0);
    look(&p);
    assert_string_equal(now.list[0].function, "b");
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.missing", at(&p, FUNCTIONS, B_AT), 0, 0);
    NO_MORE();
    REPLACE(&p, OFFSETS, 2, 0, 0, 1, B_AT - 1);
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.entry", at(&p, OFFSETS, 3), 0, 0);
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.missing", at(&p, FUNCTIONS, B_AT), 0, 0);
    NO_MORE();
    REPLACE(&p, OFFSETS, 2, 0, 0, 2, B_AT); /* c, which is no function at the top level */
    look(&p);
    assert_string_equal(now.list[0].function, "c");
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.entry", at(&p, OFFSETS, 3), 1, 2);
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.missing", at(&p, FUNCTIONS, B_AT), 0, 0);
    NO_MORE();
    REPLACE(&p, OFFSETS, 3, 1, B_AT, 0, 0, 1, B_AT);
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.offsets.missing", at(&p, FUNCTIONS, B_AT), 2, 1);
    NO_MORE();
    REPLACE(&p, OFFSETS, 2, 1, B_AT, 0, 0, 7);
    look(&p);
    FOUND(ERROR, SAMPLE_MALFORMED, "sample.ext.offsets", at(&p, OFFSETS, 5), 1, 0);
    NO_MORE();
    REPLACE(&p, OFFSETS, 2, 1, B_AT, 3, 0);
    look(&p);
    FOUND(ERROR, SAMPLE_NAME_TABLE, "sample.ext.offsets", at(&p, OFFSETS, 3), 3, 2);
    NO_MORE();
    REPLACE(&p, OFFSETS, 9, 1, B_AT);
    look(&p);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.ext.offsets", at(&p, OFFSETS, 1), 9, 1);
    NO_MORE();
    sb_free(&p.body[OFFSETS]);
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.sections.offsets", SB_ENTRY(FUNCTIONS), 0, 0);
    NO_MORE();
    REPLACE(&p, OFFSETS, 2, 1, B_AT, 0, 0);
    p.flags[OFFSETS] = SAMPLE_OFFSETS_ORDERED;
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.offsets.ordered", SB_ENTRY(OFFSETS) + 8, SAMPLE_OFFSETS_ORDERED, 0);
    NO_MORE();
    drop(&p);
}

/* Two numbers of one hash: readers have one function, compilers the last entry. */
static void equal_hashes(void **state)
{
    (void)state;
    struct parts p = plain();
    sb_free(&p.body[NAMES]);
    sb_number(&p.body[NAMES], 3);
    sb_word(&p.body[NAMES], 77);
    sb_word(&p.body[NAMES], 77);
    sb_word(&p.body[NAMES], 5);
    p.flags[NAMES] = SAMPLE_NAMES_MD5 | SAMPLE_NAMES_FIXED;
    REPLACE(&p, SUMMARY, 9, 6, 5, 2, 1, 1, 990000, 3, 2);
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.hash", at(&p, OFFSETS, 1), 1, 0);
    FOUND(NOTE, NOTE, "sample.ext.names.repeated", at(&p, NAMES, 0), 1, 0);
    FOUND(WARNING, INCONSISTENT, "sample.ext.function.repeated", at(&p, FUNCTIONS, B_AT), 0, 0);
    NO_MORE();
    drop(&p);
}

static void sections(void **state)
{
    (void)state;
    struct parts p = plain();
    p.flags[SUMMARY] = (uint64_t)64 << 32;
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.sections.flags", SB_ENTRY(SUMMARY) + 8, (uint64_t)64 << 32, 0);
    NO_MORE();
    p.flags[SUMMARY] = SAMPLE_SUMMARY_FS;
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.flags", NOWHERE, 0, 0);
    NO_MORE();
    p.flags[SUMMARY] = SAMPLE_SUMMARY_PREINLINED;
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.section.summary", SB_ENTRY(SUMMARY) + 8, SAMPLE_SUMMARY_PREINLINED, 0);
    NO_MORE();
    p.flags[SUMMARY] = 0;
    p.type[SYMBOLS] = 99;
    sb_number(&p.body[SYMBOLS], 1);
    look(&p);
    FOUND(WARNING, UNSUPPORTED, "sample.ext.sections.type", SB_ENTRY(SYMBOLS), 99, 0);
    NO_MORE();
    p.type[SYMBOLS] = SAMPLE_SECTION_SUMMARY;
    REPLACE(&p, SYMBOLS, 9, 5, 4, 3, 2, 0);
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.sections.repeated", SB_ENTRY(SYMBOLS), 0, 0);
    NO_MORE();
    p.type[SUMMARY] = SAMPLE_SECTION_SYMBOLS; /* of no name: the numbers of the summary are the list */
    p.type[SYMBOLS] = SAMPLE_SECTION_SYMBOLS;
    sb_free(&p.body[SUMMARY]);
    sb_free(&p.body[SYMBOLS]);
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.sections.missing", NOWHERE, 0, 0);
    NO_MORE();
    drop(&p);
}

/* Functions before their offsets: LLVM reads the sections in the order of the table. */
static void order(void **state)
{
    (void)state;
    struct parts p = plain();
    struct sb body = p.body[OFFSETS];
    p.body[OFFSETS] = p.body[FUNCTIONS];
    p.body[FUNCTIONS] = body;
    p.type[OFFSETS] = SAMPLE_SECTION_FUNCTIONS;
    p.type[FUNCTIONS] = SAMPLE_SECTION_OFFSETS;
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.sections.order", SB_ENTRY(OFFSETS), 0, 0);
    NO_MORE();
    drop(&p);
}

static void bytes(void **state)
{
    (void)state;
    struct parts p = plain();
    look(&p);
    uint64_t n = p.file.n, metadata = SB_ENTRY(METADATA);
    sb_bytes(&p.file, "\0\0\0\0\0\0\0\0\0", 9);
    look_again(&p);
    FOUND(NOTE, NOTE, "sample.ext.unclaimed", n, 9, 0);
    NO_MORE();
    p.file.data[n + 3] = 1;
    look_again(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.unclaimed", n, 9, 0);
    NO_MORE();
    sb_set_word(&p.file, metadata, 99); /* over the names */
    sb_set_word(&p.file, metadata + 16, at(&p, NAMES, 1));
    sb_set_word(&p.file, metadata + 24, 2);
    p.file.n = n;
    look_again(&p);
    FOUND(WARNING, UNSUPPORTED, "sample.ext.sections.type", metadata, 99, 0);
    FOUND(WARNING, INCONSISTENT, "sample.ext.sections.overlap", at(&p, NAMES, 1), at(&p, NAMES, 1),
          at(&p, CONTEXTS, 0));
    NO_MORE();
    sb_set_word(&p.file, metadata + 16, n + 1);
    look_again(&p);
    FOUND(WARNING, UNSUPPORTED, "sample.ext.sections.type", metadata, 99, 0);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.ext.sections", metadata + 16, n + 1, n);
    NO_MORE();
    drop(&p);
}

static void compressed_end(void **state)
{
    (void)state;
    struct parts p = plain();
    p.flags[METADATA] = SAMPLE_FLAG_COMPRESSED; /* the last section, but of symbols */
    p.type[METADATA] = SAMPLE_SECTION_SYMBOLS;
    p.type[SYMBOLS] = SAMPLE_SECTION_METADATA;
    sb_bytes(&p.body[METADATA], "a\0b\0c", 6);
    look(&p);
    NO_MORE();
    uint64_t n = p.file.n;
    sb_bytes(&p.file, "xyz", 3);
    sb_set_word(&p.file, SB_ENTRY(METADATA) + 24, n + 3 - at(&p, METADATA, 0));
    look_again(&p);
    FOUND(NOTE, NOTE, "sample.ext.section.compressed", n, 3, 0);
    NO_MORE();
    drop(&p);
}

static void names(void **state)
{
    (void)state;
    struct parts p = plain();
    sb_free(&p.body[NAMES]);
    sb_names(&p.body[NAMES], "b a c  c other");
    look(&p); /* functions are b and a now */
    FOUND(NOTE, NOTE, "sample.ext.names.order", at(&p, NAMES, 3), 2, 0);
    FOUND(NOTE, NOTE, "sample.ext.names.empty", at(&p, NAMES, 7), 1, 0);
    FOUND(NOTE, NOTE, "sample.ext.names.repeated", at(&p, NAMES, 8), 1, 0);
    FOUND(NOTE, NOTE, "sample.ext.names.unused", at(&p, NAMES, 7), 2, 0);
    NO_MORE();
    sb_free(&p.body[NAMES]);
    sb_names(&p.body[NAMES], "a.__uniq.1 b c");
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.section.names.unique", SB_ENTRY(NAMES) + 8, 0,
          SAMPLE_NAMES_UNIQUE);
    NO_MORE();
    p.flags[NAMES] = SAMPLE_NAMES_UNIQUE;
    look(&p);
    NO_MORE();
    p.body[NAMES].data[3] = '-';
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.section.names.unique", SB_ENTRY(NAMES) + 8, SAMPLE_NAMES_UNIQUE, 0);
    NO_MORE();
    sb_free(&p.body[NAMES]);
    sb_number(&p.body[NAMES], 3);
    for (unsigned i = 0; i < 3; i++)
        sb_word(&p.body[NAMES], 9 - i);
    p.flags[NAMES] = SAMPLE_NAMES_FIXED;
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.section.names", SB_ENTRY(NAMES) + 8, SAMPLE_NAMES_FIXED,
          SAMPLE_NAMES_FIXED | SAMPLE_NAMES_MD5);
    NO_MORE();
    p.body[NAMES].data[1] = 0;
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.section.names", SB_ENTRY(NAMES) + 8, SAMPLE_NAMES_FIXED,
          SAMPLE_NAMES_FIXED | SAMPLE_NAMES_MD5);
    FOUND(ERROR, SAMPLE_MALFORMED, "sample.ext.section.names", at(&p, NAMES, 1), 0, 1);
    NO_MORE();
    drop(&p);
}

static void symbols(void **state)
{
    (void)state;
    struct parts p = plain();
    sb_bytes(&p.body[SYMBOLS], "b\0a\0a\0d", 8);
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.symbols.order", at(&p, SYMBOLS, 0), 1, 0);
    FOUND(NOTE, NOTE, "sample.ext.symbols.repeated", at(&p, SYMBOLS, 0), 1, 0);
    NO_MORE();
    sb_free(&p.body[SYMBOLS]);
    sb_bytes(&p.body[SYMBOLS], "b\0d", 4);
    look(&p);
    assert_string_equal(now.list[0].function, "a");
    FOUND(NOTE, NOTE, "sample.ext.symbols", at(&p, FUNCTIONS, 0), 0, 0);
    NO_MORE();
    p.body[SYMBOLS].n--;
    look(&p);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.ext.section.symbols", at(&p, SYMBOLS, 2), 1, 2);
    drop(&p);
}

static void metadata(void **state)
{
    (void)state;
    struct parts p = plain();
    p.flags[METADATA] = SAMPLE_METADATA_PROBES | SAMPLE_METADATA_ATTRIBUTES;
    SB_NUMBERS(&p.body[METADATA], 0, 111, 0, 1, 2, 0, 2, 222, 1, 0); /* a, and c in it */
    SB_NUMBERS(&p.body[METADATA], 1, 333, 0, 0);
    look(&p);
    NO_MORE();
    SB_NUMBERS(&p.body[METADATA], 2, 333, 0, 0);
    look(&p);
    FOUND(NOTE, NOTE, "sample.finding.METADATA_WITHOUT_FUNCTION", NOWHERE, 1, 0);
    NO_MORE();
    REPLACE(&p, METADATA, 0, 111, 2, 1, 2, 0, 2, 222, 1, 0);
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.ext.section.summary", SB_ENTRY(SUMMARY) + 8, 0,
          SAMPLE_SUMMARY_PREINLINED);
    FOUND(WARNING, INCONSISTENT, "sample.ext.function.checksum", at(&p, FUNCTIONS, B_AT), 0, 0);
    NO_MORE();
    drop(&p);
}

/* ---- contexts ---- */

/* [a], [a:2 @ b], [a:2 @ b:3 @ c], [a:4 @ c], each with one line. */
static struct parts with_contexts(void)
{
    struct parts p = plain();
    p.flags[SUMMARY] = SAMPLE_SUMMARY_CONTEXTS;
    p.flags[OFFSETS] = SAMPLE_OFFSETS_ORDERED;
    REPLACE(&p, SUMMARY, 10, 7, 4, 3, 3, 1, 990000, 2, 2);
    REPLACE(&p, CONTEXTS, 4, 1, 0, 0, 0, 2, 0, 2, 0, 1, 0, 0, 3, 0, 2, 0, 1, 3, 0, 2, 0, 0, 2, 0, 4, 0, 2, 0,
            0);
    sb_free(&p.body[FUNCTIONS]);
    for (uint64_t i = 0; i < 4; i++)
        SB_NUMBERS(&p.body[FUNCTIONS], 0, i, i + 1, 1, 1, 0, i + 1, 0, 0);
    p.body[FUNCTIONS].data[0] = 4; /* entries of [a] */
    p.body[FUNCTIONS].data[2] = 9;
    REPLACE(&p, OFFSETS, 4, 0, 0, 1, 9, 2, 18, 3, 27);
    return p;
}

static void contexts(void **state)
{
    (void)state;
    struct parts p = with_contexts();
    look(&p);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 4);
    p.flags[OFFSETS] = 0;
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.ordered", SB_ENTRY(OFFSETS) + 8, 0,
          SAMPLE_OFFSETS_ORDERED);
    NO_MORE();
    p.flags[OFFSETS] = SAMPLE_OFFSETS_ORDERED;
    REPLACE(&p, OFFSETS, 4, 0, 0, 3, 27, 1, 9, 2, 18); /* another order, but groups are together */
    look(&p);
    NO_MORE();
    REPLACE(&p, OFFSETS, 4, 0, 0, 1, 9, 3, 27, 2, 18);
    look(&p);
    assert_string_equal(now.list[0].function, "a:2 @ b:3 @ c");
    FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.order", at(&p, OFFSETS, 7), 0, 0);
    NO_MORE();
    REPLACE(&p, OFFSETS, 4, 2, 18, 1, 9, 3, 27, 0, 0);
    look(&p);
    for (uint64_t i = 1; i < 7; i += 2) /* all before [a], which they begin like */
        FOUND(ERROR, INCONSISTENT, "sample.ext.offsets.order", at(&p, OFFSETS, i), 0, 0);
    NO_MORE();
    drop(&p);
}

static void context_table(void **state)
{
    (void)state;
    struct parts p = with_contexts();
    p.body[CONTEXTS].data[3] = 9; /* the place of [a] */
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.contexts.leaf", at(&p, CONTEXTS, 0), 1, 0);
    NO_MORE();
    p.body[CONTEXTS].data[3] = 0;
    p.body[CONTEXTS].data[24] = 1; /* [a:1 @ c] after [a:2 ...] */
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.contexts.order", at(&p, CONTEXTS, 0), 1, 0);
    NO_MORE();
    drop(&p);
    p = plain();
    REPLACE(&p, CONTEXTS, 1, 1, 0, 0, 0);
    look(&p);
    FOUND(NOTE, NOTE, "sample.ext.contexts", at(&p, CONTEXTS, 0), 1, 0);
    NO_MORE();
    drop(&p);
}

static void flat(void **state)
{
    (void)state;
    struct parts p = plain();
    p.flags[FUNCTIONS] = p.flags[OFFSETS] = SAMPLE_FLAG_FLAT;
    look(&p);
    assert_string_equal(now.list[0].function, "a");
    FOUND(WARNING, INCONSISTENT, "sample.ext.function.flat", at(&p, FUNCTIONS, 0), 1, 0);
    NO_MORE();
    p.flags[SUMMARY] = SAMPLE_SUMMARY_CONTEXTS; /* what merge --split-layout of LLVM 22 writes */
    sb_free(&p.body[CONTEXTS]);
    look(&p);
    FOUND(ERROR, SAMPLE_NAME_TABLE, "sample.ext.section.functions", at(&p, FUNCTIONS, 0), 0, 0);
    NO_MORE();
    drop(&p);
}

/* ---- damage ---- */

static void damaged_functions(void **state)
{
    (void)state;
    struct parts p = plain();
    SB_NUMBERS(&p.body[FUNCTIONS], 1, 2, 1, 1, 1, 0, 1, 0, 0); /* c, too */
    REPLACE(&p, OFFSETS, 3, 0, 0, 1, B_AT, 2, B_AT + 9);
    REPLACE(&p, SUMMARY, 10, 5, 4, 4, 3, 0);
    look(&p);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 3);
    p.body[FUNCTIONS].data[B_AT + 1] = 9; /* the name of b */
    look(&p);
    FOUND(ERROR, SAMPLE_NAME_TABLE, "sample.ext.section.functions", at(&p, FUNCTIONS, B_AT + 1), 9, 2);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
    p.body[FUNCTIONS].data[B_AT + 1] = 1;
    p.body[FUNCTIONS].data[B_AT + 3] = 200; /* number of lines, of two bytes now */
    look(&p);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.ext.section.functions", at(&p, FUNCTIONS, B_AT + 5), 200, 3);
    NO_MORE();
    assert_int_equal(now.verdict.n_records, 2);
    drop(&p);
}

/* Damage in one section does not hide that of others. */
static void damaged_sections(void **state)
{
    (void)state;
    struct parts p = plain();
    p.flags[SUMMARY] = SAMPLE_FLAG_COMPRESSED;
    sb_bytes(&p.body[SYMBOLS], "ab", 2);
    look(&p);
    uint64_t summary = at(&p, SUMMARY, 0);
    p.file.data[summary + 4] ^= 0x55;
    look_again(&p);
    FOUND(ERROR, SAMPLE_TRUNCATED, "sample.ext.section.symbols", at(&p, SYMBOLS, 0), 2, 3);
    assert_int_equal(now.n, 1);
    assert_int_equal(now.list[0].code, APF_SAMPLE_UNCOMPRESS);
    assert_int_equal(now.verdict.n_records, 2);
    drop(&p);
}

TEST_FILE(check_sample_ext)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones),
        cmocka_unit_test(summaries),
        cmocka_unit_test(offsets),
        cmocka_unit_test(equal_hashes),
        cmocka_unit_test(sections),
        cmocka_unit_test(order),
        cmocka_unit_test(bytes),
        cmocka_unit_test(compressed_end),
        cmocka_unit_test(names),
        cmocka_unit_test(symbols),
        cmocka_unit_test(metadata),
        cmocka_unit_test(contexts),
        cmocka_unit_test(context_table),
        cmocka_unit_test(flat),
        cmocka_unit_test(damaged_functions),
        cmocka_unit_test(damaged_sections),
    };
    return RUN_TESTS(tests);
}
