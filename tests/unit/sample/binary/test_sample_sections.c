/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of sections of extbinary files, compressed sections, versions, maps of files, and damage in general. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/binary/sample_binary_read.h"
#include "sample/binary/sample_map.h"
#include "sample/binary/sample_sections.h"
#include "sample/layout/sample_layout.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

#define EXT_REFUSED(b, code, where, offset, found, expected)                                                 \
    SAMPLE_REFUSED(sample_ext_read, (b).data, (b).n, code, "sample.ext." where, offset, found, expected)

/* ---- the table ---- */

/* The words of a section's flags as llvm-profdata prints them. */
static void expect_words(uint64_t type, uint64_t flags, const char *name, const char *words)
{
    struct sample_section section = {.type = type, .flags = flags, .kind = sample_section_type_of(type)};
    char got[120] = "";
    const char *word;
    for (unsigned i = 0; (word = sample_section_word(&section, &i)) != NULL;) {
        strcat(got, got[0] ? "," : "");
        strcat(got, word);
    }
    assert_string_equal(section.kind->name, name);
    assert_string_equal(got, words);
}

static void test_words(void **state)
{
    (void)state;
    /* what llvm-profdata-22 show --show-sec-info-only prints for all flags */
    expect_words(1, UINT64_MAX, "ProfileSummarySection",
                 "compressed,flat,partial,context,preInlined,fs-discriminator");
    expect_words(2, UINT64_MAX, "NameTableSection", "compressed,flat,fixlenmd5,uniq");
    expect_words(2, SAMPLE_NAMES_MD5, "NameTableSection", "md5");
    expect_words(3, UINT64_MAX, "ProfileSymbolListSection", "compressed,flat");
    expect_words(4, UINT64_MAX, "FuncOffsetTableSection", "compressed,flat,ordered");
    expect_words(5, UINT64_MAX, "FunctionMetadata", "compressed,flat,probe,attr");
    expect_words(6, UINT64_MAX, "CSNameTableSection", "compressed,flat");
    expect_words(32, SAMPLE_FLAG_FLAT, "LBRProfileSection", "flat");
    expect_words(77, 0, "UnknownSection", "");
    expect_words(UINT64_MAX, 1, "UnknownSection", "compressed");
    expect_words(0, 0, "InvalidSection", "");
}

static void test_table(void **state)
{
    struct sample_sections sections = {0};
    (void)state;
    assert_int_equal(sample_sections_read(&sections, golden_contexts.data, 242, golden_contexts.n, NULL),
                     APF_OK);
    assert_int_equal(sections.version->version, 103);
    assert_int_equal(sections.list.n, 7);
    assert_int_equal(sections.end, 242);
    const struct sample_section *s = &sections.list.data[3];
    assert_int_equal(s->type, SAMPLE_SECTION_OFFSETS);
    assert_true(s->flags == SAMPLE_OFFSETS_ORDERED);
    assert_int_equal(s->offset, 0x16a);
    assert_int_equal(s->size, 5);
    assert_int_equal(s->entry, SB_ENTRY(3));
    assert_ptr_equal(sample_sections_find(&sections, SAMPLE_SECTION_OFFSETS), s);
    assert_null(sample_sections_find(&sections, SAMPLE_SECTION_SYMBOLS)); /* it is empty */
    sample_sections_free(&sections);
    const uint8_t *data = golden_contexts.data;
    assert_int_equal(sample_sections_need(data, SAMPLE_SECTIONS_START, 371), 242);
    assert_int_equal(sample_sections_need(data, SAMPLE_SECTIONS_START, 242), 242);
    assert_int_equal(sample_sections_need(data, SAMPLE_SECTIONS_START, 241), SAMPLE_SECTIONS_START);
    assert_int_equal(sample_sections_need(data, 12, 12), 12);
}

/* What a reader does for each byte of a section it must not do again and again for the same bytes. */
static void test_overlap(void **state)
{
    struct sample_sections sections = {0};
    struct apf_error error;
    uint8_t table[242];
    (void)state;
    memcpy(table, golden_contexts.data, sizeof table);
    memset(table + SB_ENTRY(0) + 16, 0, 16);
    table[SB_ENTRY(0) + 25] = 1; /* offset 0, size 256 */
    memset(table + SB_ENTRY(1) + 16, 0, 16);
    table[SB_ENTRY(1) + 25] = 1;
    assert_int_equal(sample_sections_read(&sections, table, sizeof table, golden_contexts.n, &error),
                     APF_SAMPLE_MALFORMED);
    assert_string_equal(error.where, "sample.ext.sections");
    assert_int_equal(sample_sections_read(&sections, table, sizeof table, 1000, &error), APF_OK);
    sample_sections_free(&sections);
}

static void test_table_errors(void **state)
{
    struct sb b = {0};
    (void)state;
    sb_start(&b, 4, 103);
    EXT_REFUSED(b, APF_SAMPLE_TRUNCATED, "sections", 10, 0, 8);
    sb_word(&b, UINT64_C(1) << 60);
    EXT_REFUSED(b, APF_SAMPLE_TRUNCATED, "sections", 18, UINT64_C(1) << 60, 0);
    sb_set_word(&b, 10, 2);
    for (unsigned i = 0; i < 7; i++)
        sb_word(&b, 0);
    EXT_REFUSED(b, APF_SAMPLE_TRUNCATED, "sections", 18, 2, 1);
    sb_word(&b, 0);
    sample_free(sample_expect_text(sample_ext_read, b.data, b.n, NULL, "")); /* all are empty */
    sb_set_word(&b, SB_ENTRY(0), SAMPLE_SECTION_NAMES);
    sb_set_word(&b, SB_ENTRY(0) + 16, b.n + 1);
    sb_set_word(&b, SB_ENTRY(0) + 24, 1);
    EXT_REFUSED(b, APF_SAMPLE_TRUNCATED, "sections", SB_ENTRY(0) + 16, b.n + 1, b.n);
    sb_set_word(&b, SB_ENTRY(0) + 16, b.n - 1);
    sb_set_word(&b, SB_ENTRY(0) + 24, 2);
    EXT_REFUSED(b, APF_SAMPLE_TRUNCATED, "sections", SB_ENTRY(0) + 24, 2, 1);
    sb_set_word(&b, SB_ENTRY(0) + 24, UINT64_MAX);
    EXT_REFUSED(b, APF_SAMPLE_TRUNCATED, "sections", SB_ENTRY(0) + 24, UINT64_MAX, 1);
    sb_free(&b);
}

/* ---- versions ---- */

static void test_versions(void **state)
{
    static const struct {
        uint64_t type, flags;
        const char *where;
    } spans[] = {{SAMPLE_SECTION_NAMES, SAMPLE_NAMES_SPANS, "names"},
                 {SAMPLE_SECTION_OFFSETS, SAMPLE_OFFSETS_SPANS, "offsets"},
                 {SAMPLE_SECTION_SYMBOLS, SAMPLE_SYMBOLS_HASHES, "symbols"}};
    struct sb b = {0}, zero = {0};
    struct apf_error e;
    int code;
    (void)state;
    sb_bytes(&zero, "", 1);
    sb_ext(&b, 105, NULL, 0);
    EXT_REFUSED(b, APF_SAMPLE_VERSION, "version", 9, 105, 104);
    sb_free(&b);
    sb_ext(&b, 104, NULL, 0);
    struct apf_sample *s = sample_expect_text(sample_ext_read, b.data, b.n, NULL, "");
    assert_int_equal(s->info.version, 104);
    sample_free(s);
    sb_free(&b);
    for (size_t i = 0; i < COUNT(spans); i++) {
        struct sb_section section = {spans[i].type, spans[i].flags, &zero};
        for (uint64_t version = 103; version <= 104; version++) {
            sb_ext(&b, version, &section, 1);
            sample_free(sample_read_copy(sample_ext_read, b.data, b.n, NULL, &code, &e));
            assert_int_equal(code, version == 103 ? APF_OK : APF_UNSUPPORTED); /* 103 has no such flags */
            sb_free(&b);
        }
        assert_int_equal(e.offset, SB_ENTRY(0) + 8);
        assert_string_equal(strrchr(e.where, '.') + 1, spans[i].where);
    }
    assert_string_equal(e.message, "not supported: a profile symbol list of hashes (flag 1) "
                                   "[sample.ext.section.symbols at offset 26]");
    sb_free(&zero);
}

/* ---- compressed sections ---- */

static void with_stream(struct sb *b, const void *stream, size_t n)
{
    struct sb body = {0};
    sb_bytes(&body, stream, n);
    struct sb_section section = {SAMPLE_SECTION_NAMES, 0, &body};
    sb_free(b);
    sb_ext(b, 103, &section, 1);
    sb_set_word(b, SB_ENTRY(0) + 8, SAMPLE_FLAG_COMPRESSED);
    sb_free(&body);
}

#define STREAM_REFUSED(bytes, code, at, found, expected)                                                     \
    do {                                                                                                     \
        with_stream(&b, bytes, sizeof bytes - 1);                                                            \
        EXT_REFUSED(b, code, "section.names", 50 + (at), found, expected);                                   \
    } while (0)

/* "\0" in a zlib stream of 9 bytes. */
#define STREAM "\x78\x9c\x63\0\0\0\1\0\1"

static void test_compressed(void **state)
{
    struct sb b = {0};
    struct sample_read_options o = sample_no_limits;
    struct apf_error e;
    int code;
    (void)state;
    with_stream(&b, "\1\x09" STREAM, 11);
    sample_free(sample_expect_text(sample_ext_read, b.data, b.n, NULL, ""));
    with_stream(&b, "\1\x09" STREAM "x", 12); /* LLVM ignores what follows the stream */
    sample_free(sample_expect_text(sample_ext_read, b.data, b.n, NULL, ""));
    o.max_bytes = 0;
    sample_free(sample_read_copy(sample_ext_read, b.data, b.n, &o, &code, &e));
    assert_int_equal(code, APF_LIMIT);
    assert_int_equal(e.found, 1);
    assert_int_equal(e.expected, 0);
    STREAM_REFUSED("\x81", APF_SAMPLE_TRUNCATED, 0, 1, 2);
    STREAM_REFUSED("\1", APF_SAMPLE_TRUNCATED, 1, 0, 1);
    STREAM_REFUSED("\1\x0a" STREAM, APF_SAMPLE_TRUNCATED, 2, 10, 9);
    STREAM_REFUSED("\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" STREAM, APF_SAMPLE_TRUNCATED, 11, UINT64_MAX,
                   9);
    STREAM_REFUSED("\1\x08" STREAM, APF_SAMPLE_UNCOMPRESS, 2, 0, 0);
    STREAM_REFUSED("\2\x09" STREAM, APF_SAMPLE_UNCOMPRESS, 2, 0, 0);
    STREAM_REFUSED("\0\x09" STREAM, APF_SAMPLE_UNCOMPRESS, 2, 0, 0);
    STREAM_REFUSED("\xc8\x48\x09" STREAM, APF_SAMPLE_UNCOMPRESS, 3, 0, 0); /* 9288 bytes are possible ... */
    STREAM_REFUSED("\xc0\x56\x09" STREAM, APF_SAMPLE_UNCOMPRESS, 3, 11072, 9288); /* ... and more are not */
    STREAM_REFUSED("\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\x09" STREAM, APF_SAMPLE_UNCOMPRESS, 11, UINT64_MAX,
                   9288);
    STREAM_REFUSED("\1\x09\x79\x9c\x63\0\0\0\1\0\1", APF_SAMPLE_UNCOMPRESS, 2, 0, 0);
    sb_free(&b);
}

/* The place of an error in an inflated section is that of the section in the file, and the message has the byte. */
static void test_inflated_place(void **state)
{
    struct sb b = {0}, names = {0};
    struct apf_error e;
    int code;
    (void)state;
    sb_bytes(&names, "\1ab\0x", 5);
    struct sb_section section = {SAMPLE_SECTION_NAMES, SAMPLE_FLAG_COMPRESSED, &names};
    sb_ext(&b, 103, &section, 1);
    sample_free(sample_read_copy(sample_ext_read, b.data, b.n, NULL, &code, &e));
    assert_int_equal(code, APF_SAMPLE_MALFORMED);
    assert_int_equal(e.offset, 50);
    assert_string_equal(e.message,
                        "Malformed sample profile data: bytes that are left at the end of a section "
                        "[sample.ext.section.names at offset 50: found 1, expected at most 0] "
                        "(byte 4 of the inflated section)");
    sb_free(&names);
    sb_free(&b);
}

/* ---- salvage ---- */

static void expect_progress(const void *p, size_t n, uint64_t n_functions, uint64_t end, uint64_t known)
{
    struct sample_progress progress = {77, 77, 77};
    struct sample_read_options o = sample_no_limits;
    struct apf_error e;
    int code;
    o.progress = &progress;
    sample_free(sample_read_copy(sample_ext_read, p, n, &o, &code, &e));
    assert_true(apf_code_is_damage(code));
    assert_int_equal(progress.n_functions, n_functions);
    assert_int_equal(progress.end, end);
    assert_int_equal(progress.known, known);
    o.progress = NULL;
    o.max_functions = n_functions;
    if (!n_functions)
        return;
    struct apf_sample *s = sample_read_copy(sample_ext_read, p, n, &o, &code, &e);
    assert_int_equal(code, APF_OK);
    assert_int_equal(s->info.n_functions, n_functions);
    sample_free(s);
}

static void test_progress(void **state)
{
    (void)state;
    uint8_t *copy = malloc(golden_probes.n);
    assert_non_null(copy);
    memcpy(copy, golden_probes.data, golden_probes.n);
    expect_progress(copy, 364, 2, 364, 2); /* without the sections after the functions */
    expect_progress(copy, 363, 1, 355, 2); /* functions are 21 and 9 bytes long */
    expect_progress(copy, 354, 0, 334, 2);
    expect_progress(copy, 333, 0, 0, 2);
    copy[369] = 9; /* metadata of a name that does not exist */
    expect_progress(copy, golden_probes.n, 2, 364, 2);
    struct apf_error e;
    int code;
    struct sample_read_options o = sample_no_limits;
    o.max_functions = 2;
    struct apf_sample *s = sample_read_copy(sample_ext_read, copy, golden_probes.n, &o, &code, &e);
    assert_int_equal(code, APF_OK);
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES); /* although its checksums were not read */
    sample_free(s);
    free(copy);
}

/* A compressed section of functions that is cut off: the functions before the cut are inflated. */
static void test_progress_compressed(void **state)
{
    struct sb b = {0}, names = {0}, functions = {0}, contexts = {0};
    (void)state;
    sb_number(&names, 2000);
    for (unsigned i = 0; i < 2000; i++) {
        char name[5] = {(char)('a' + i / 625), (char)('a' + i / 25 % 25), (char)('a' + i % 25), 'x', 0};
        sb_bytes(&names, name, 5);
        SB_NUMBERS(&functions, i * 7919 % 1000003, i, i * i, 1, i % 100, i % 7, i * 104729, 0, 0);
    }
    sb_number(&contexts, 0);
    const struct sb_section sections[] = {
        {SAMPLE_SECTION_NAMES, SAMPLE_FLAG_COMPRESSED, &names},
        {SAMPLE_SECTION_CONTEXTS, 0, &contexts},
        {SAMPLE_SECTION_FUNCTIONS, SAMPLE_FLAG_COMPRESSED, &functions},
    };
    sb_ext(&b, 103, sections, COUNT(sections));
    struct sample_progress progress = {0};
    struct sample_read_options o = sample_no_limits;
    struct apf_error e;
    int code;
    o.progress = &progress;
    for (unsigned cut = 0; cut < 2; cut++) {
        size_t at = sb_section_at(&b, 2) + 6000;
        if (!cut)
            b.data[at] ^= 0x55; /* damage is found later than a cut, at the latest at the end */
        sample_free(sample_read_copy(sample_ext_read, b.data, cut ? at : b.n, &o, &code, &e));
        assert_int_equal(code, cut ? APF_SAMPLE_TRUNCATED : APF_SAMPLE_UNCOMPRESS);
        assert_in_range(progress.n_functions, 400, 1999);
        assert_int_equal(progress.end, sb_section_at(&b, 2));
        struct sample_read_options again = sample_no_limits;
        again.max_functions = progress.n_functions;
        struct apf_sample *s = sample_read_copy(sample_ext_read, b.data, cut ? at : b.n, &again, &code, &e);
        assert_int_equal(code, APF_OK);
        assert_int_equal(s->info.n_functions, progress.n_functions);
        sample_free(s);
    }
    sb_free(&b);
    sb_free(&names);
    sb_free(&functions);
    sb_free(&contexts);
}

/* ---- maps ---- */

typedef bool map_fn(struct byte_map *map, const uint8_t *data, size_t n);

/* Expects parts as "name offset size, ...". */
static void expect_map(map_fn *fn, const uint8_t *data, size_t n, const char *text)
{
    struct byte_map map = {{NULL, 0, 0}};
    char got[600] = "";
    assert_true(fn(&map, data, n));
    for (size_t i = 0; i < map.list.n; i++) {
        const struct byte_span *s = &map.list.data[i];
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s %llu %llu", i ? ", " : "", s->name,
                 (unsigned long long)s->at, (unsigned long long)s->size);
    }
    assert_string_equal(got, text);
    byte_map_free(&map);
}

static void test_maps(void **state)
{
    (void)state;
    expect_map(sample_binary_map, golden_raw.data, golden_raw.n,
               "header 0 10, summary 10 85, names 95 6, functions 101 21");
    expect_map(sample_binary_map, golden_raw.data, 98, "header 0 10, summary 10 85, unclaimed 95 3");
    expect_map(sample_compact_map, golden_compact.data, golden_compact.n,
               "header 0 10, summary 10 85, names 95 20, offset of offsets 115 8, functions 123 21, "
               "offsets 144 3");
    expect_map(sample_ext_map, golden_contexts.data, golden_contexts.n,
               "header 0 242, summary 242 85, names 327 5, contexts 332 12, functions 344 18, "
               "offsets 362 5, metadata 367 4");
    expect_map(sample_ext_map, golden_contexts.data, 360,
               "header 0 242, summary 242 85, names 327 5, contexts 332 12, unclaimed 344 16");
    expect_map(sample_ext_map, golden_contexts.data, 11, "unclaimed 0 11");
    struct sb b = {0};
    sb_start(&b, 0xff, 100);
    sb_bytes(&b, "f\0\1\1\0", 5);
    expect_map(sample_binary_map, b.data, b.n, "header 0 10, functions 10 5");
    sb_free(&b);
    sb_start(&b, 0xff, 99);
    expect_map(sample_binary_map, b.data, b.n, "unclaimed 0 10");
    sb_free(&b);
}

/* ---- damage in general ---- */

static void sweep(const struct golden *golden)
{
    sample_sweep(sample_ext_read, golden->data, golden->n);
    for (size_t i = 0; i <= golden->n; i++) {
        struct byte_map map = {{NULL, 0, 0}};
        uint8_t *copy = malloc(i + 1);
        assert_non_null(copy);
        memcpy(copy, golden->data, i);
        assert_true(sample_ext_map(&map, copy, i) && sample_binary_map(&map, copy, i) &&
                    sample_compact_map(&map, copy, i));
        byte_map_free(&map);
        free(copy);
    }
}

static void test_sweeps(void **state)
{
    (void)state;
    sweep(&golden_md5);
    sweep(&golden_z);
    sweep(&golden_contexts);
    sweep(&golden_contexts13);
    sweep(&golden_split);
    sweep(&golden_probes13);
}

static void test_faults(void **state)
{
    (void)state;
    sample_read_faults(sample_ext_read, golden_md5.data, golden_md5.n);
    sample_read_faults(sample_ext_read, golden_z.data, golden_z.n);
    sample_read_faults(sample_ext_read, golden_contexts.data, golden_contexts.n);
    sample_read_faults(sample_ext_read, golden_contexts13.data, golden_contexts13.n);
    sample_read_faults(sample_ext_read, golden_split.data, golden_split.n);
    sample_read_faults(sample_ext_read, golden_probes13.data, golden_probes13.n);
}

TEST_FILE(sample_sections)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_table_errors),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_inflated_place),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_compressed),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_faults),
    };
    return RUN_TESTS(tests);
}
