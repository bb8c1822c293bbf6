/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single functions of sample profiles: through the tables of extbinary files, and of whole profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_lookup.h>

#include "base/endian.h"
#include "base/md5.h"
#include "sample/layout/sample_layout.h"
#include "sample/lookup/sample_lookup_state.h"

#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"

static struct apf_str str(const char *s)
{
    struct apf_str text = {s, strlen(s)};
    return text;
}

static struct apf_sample_lookup *open_bytes(const void *p, size_t n)
{
    struct apf_input input = apf_input_memory(p, n, "bytes");
    struct apf_sample_lookup *l;
    struct apf_error e = {.message = ""};
    assert_int_equal(apf_sample_lookup_open(&l, &input, NULL, &e), APF_OK);
    return l;
}

/* Expects the text of a function; "" if there is none. */
static const struct apf_sample *expect(struct apf_sample_lookup *l, const char *name, const char *text)
{
    const struct apf_sample *found;
    struct apf_error e = {.message = ""};
    int code = apf_sample_lookup_find(l, str(name), &found, &e);
    assert_int_equal(code, text[0] ? APF_OK : APF_UNKNOWN_FUNCTION);
    assert_true(text[0] ? found != NULL : found == NULL);
    if (!text[0])
        return NULL;
    char *got = sample_as_text(found);
    assert_string_equal(got, text);
    free(got);
    return found;
}

static void expect_error(struct apf_sample_lookup *l, const char *name, int code, const char *where,
                         uint64_t offset, uint64_t found, uint64_t expected)
{
    const struct apf_sample *s;
    struct apf_error e = {.message = ""};
    assert_int_equal(apf_sample_lookup_find(l, str(name), &s, &e), code);
    assert_null(s);
    assert_string_equal(e.where, where);
    assert_int_equal(e.offset, offset);
    assert_int_equal(e.found, found);
    assert_int_equal(e.expected, expected);
    assert_string_equal(e.file, "bytes");
}

/* ---- files of LLVM ---- */

struct names {
    char name[16][64];
    size_t n;
};

/* An apf_sample_lookup_name_fn. */
static int keep_name(void *user, struct apf_sample_name name)
{
    struct names *names = (struct names *)user;
    assert_true(names->n < 16);
    if (name.text.p)
        snprintf(names->name[names->n++], 64, "%.*s", (int)name.text.n, name.text.p);
    else
        snprintf(names->name[names->n++], 64, "%llu", (unsigned long long)name.hash);
    assert_true((name.text.p != NULL) != (name.hash != 0));
    return 0;
}

/* Looks up every function of a file, and expects what is found in the whole profile. */
static void compare_with_whole(const struct golden *golden, bool is_whole, size_t n_functions)
{
    struct apf_sample_lookup *l = open_bytes(golden->data, golden->n);
    struct apf_input input = apf_input_memory(golden->data, golden->n, "whole");
    struct sample_whole whole = {0};
    struct apf_sample *wanted = sample_new();
    struct names names = {.n = 0};
    const struct apf_sample *found;
    bool any;
    assert_int_equal(apf_sample_lookup_info(l)->whole, is_whole);
    assert_int_equal(apf_sample_lookup_info(l)->n_functions, n_functions);
    assert_int_equal(sample_whole_open(&whole, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_sample_lookup_names(l, keep_name, &names, NULL), APF_OK);
    assert_int_equal(names.n, n_functions);
    for (size_t i = 0; i < names.n; i++) {
        assert_int_equal(sample_whole_find(&whole, str(names.name[i]), wanted, &any, NULL), APF_OK);
        assert_true(any);
        char *text = sample_as_text(wanted);
        found = expect(l, names.name[i], text);
        free(text);
        const struct apf_sample_info *a = &found->info, *b = &wanted->info;
        assert_int_equal(a->format, b->format);
        assert_int_equal(a->version, b->version);
        assert_int_equal(a->flags, b->flags);
        assert_int_equal(a->n_names, b->n_names);
        assert_int_equal(a->n_hashes, b->n_hashes);
        assert_int_equal(a->n_inlined, b->n_inlined);
        assert_int_equal(a->max_context, b->max_context);
        assert_int_equal(found->stored->n_rows, 16);
    }
    expect(l, "none", "");
    expect(l, "", "");
    expect(l, "0", "");
    sample_free(wanted);
    sample_whole_close(&whole);
    apf_sample_lookup_close(l);
}

static void test_goldens(void **state)
{
    (void)state;
    compare_with_whole(&golden_raw, true, 1);
    compare_with_whole(&golden_compact, true, 1);
    compare_with_whole(&golden_md5, false, 1);
    compare_with_whole(&golden_z, false, 1);
    compare_with_whole(&golden_contexts, false, 2);
    compare_with_whole(&golden_contexts13, true, 2);
    compare_with_whole(&golden_contexts13_md5, true, 2);
    compare_with_whole(&golden_probes, false, 2);
    compare_with_whole(&golden_split, false, 2);
    compare_with_whole(&golden_probes13, false, 2);
}

static void test_golden_texts(void **state)
{
    (void)state;
    struct apf_sample_lookup *l = open_bytes(golden_probes.data, golden_probes.n);
    expect(l, "c", "c:1:1\n 1: 1\n !CFGChecksum: 7\n");
    expect(l, "ab",
           "ab:9:1\n 1: 4 c:3\n 2.1: c:5\n  1: 5\n  !CFGChecksum: 7\n"
           " !CFGChecksum: 1152921504606846975\n");
    apf_sample_lookup_close(l);
    l = open_bytes(golden_md5.data, golden_md5.n);
    const char *text = "14758615255017094680:9:1\n 1: 4 4014738744300571210:3\n"
                       " 2.1: 4014738744300571210:5\n  1: 5\n";
    expect(l, "ab", text); /* by its name, whose hash is in the file */
    expect(l, "14758615255017094680", text);
    expect(l, "c", "");
    apf_sample_lookup_close(l);
}

/* ---- hand-made files ---- */

#define N_FUNCTIONS 50u

/* Functions whose body is longer than a page each, with names f00 to f49; the k-th has the total k + 1. */
struct big_file {
    struct sb names, places, functions, metadata, bytes;
    size_t at[N_FUNCTIONS]; /* offsets in the section */
};

static void make_big(struct big_file *f, uint64_t flags)
{
    memset(f, 0, sizeof *f);
    sb_number(&f->names, N_FUNCTIONS);
    sb_number(&f->places, N_FUNCTIONS);
    for (uint64_t i = 0; i < N_FUNCTIONS; i++) {
        char name[8];
        snprintf(name, sizeof name, "f%02u", (unsigned)i);
        sb_bytes(&f->names, name, strlen(name) + 1);
        f->at[i] = f->functions.n;
        SB_NUMBERS(&f->functions, i, i, i + 1, 2000);
        for (uint64_t k = 0; k < 2000; k++)
            SB_NUMBERS(&f->functions, k, 0, k == 0 ? i + 1 : 0, 0);
        sb_number(&f->functions, 0);
        SB_NUMBERS(&f->metadata, i, 1000 + i, 0);
    }
    for (uint64_t i = N_FUNCTIONS; i-- > 0;)
        SB_NUMBERS(&f->places, i, f->at[i]);
    struct sb contexts = {0};
    sb_number(&contexts, 0);
    const struct sb_section sections[] = {
        {SAMPLE_SECTION_NAMES, flags, &f->names},
        {SAMPLE_SECTION_CONTEXTS, flags, &contexts},
        {SAMPLE_SECTION_OFFSETS, flags, &f->places},
        {SAMPLE_SECTION_FUNCTIONS, flags, &f->functions},
        {SAMPLE_SECTION_METADATA, flags | SAMPLE_METADATA_PROBES, &f->metadata},
    };
    sb_ext(&f->bytes, 103, sections, COUNT(sections));
    sb_free(&contexts);
}

static void free_big(struct big_file *f)
{
    sb_free(&f->names);
    sb_free(&f->places);
    sb_free(&f->functions);
    sb_free(&f->metadata);
    sb_free(&f->bytes);
}

static void expect_big(struct apf_sample_lookup *l, unsigned i)
{
    char name[8];
    const struct apf_sample *found;
    snprintf(name, sizeof name, "f%02u", i);
    assert_int_equal(apf_sample_lookup_find(l, str(name), &found, NULL), APF_OK);
    assert_int_equal(found->top.n, 1);
    const struct sample_node *f = &found->nodes.data[found->top.data[0]];
    assert_int_equal(f->total, i + 1);
    assert_int_equal(f->head, i);
    assert_int_equal(f->checksum, 1000 + i);
    assert_int_equal(f->lines.n, 2000);
    assert_int_equal(f->lines.data[0].count, i + 1);
    assert_int_equal(found->info.n_names, 1);
}

/* Only the pages of a function are read, of files and of memory. */
static void test_reads(void **state)
{
    struct big_file f;
    struct apf_sample_lookup *l;
    (void)state;
    make_big(&f, 0);
    const char *path = temp_path("big");
    file_make(path, f.bytes.data, f.bytes.n);
    struct apf_input input = {.size = sizeof input, .path = path};
    assert_int_equal(apf_sample_lookup_open(&l, &input, NULL, NULL), APF_OK);
    const struct apf_sample_lookup_info *info = apf_sample_lookup_info(l);
    assert_int_equal(info->whole, 0);
    assert_int_equal(info->n_functions, N_FUNCTIONS);
    assert_in_range(info->read_bytes, 1, 4096);
    expect_big(l, 7);
    uint64_t bytes = info->read_bytes;
    expect_big(l, 49);
    assert_in_range(info->read_bytes - bytes, 8000, 4 * 4096);
    for (unsigned i = 0; i < N_FUNCTIONS; i++)
        expect_big(l, i * 17 % N_FUNCTIONS);
    apf_sample_lookup_close(l);
    /* a file that is cut off after it was opened */
    assert_int_equal(apf_sample_lookup_open(&l, &input, NULL, NULL), APF_OK);
    expect_big(l, 1);
    file_make(path, f.bytes.data, f.bytes.n / 2);
    const struct apf_sample *found;
    struct apf_error e;
    assert_int_equal(apf_sample_lookup_find(l, str("f45"), &found, &e), APF_TRUNCATED);
    assert_string_equal(e.file, path);
    apf_sample_lookup_close(l);
    free_big(&f);
}

static void test_compressed(void **state)
{
    struct big_file f;
    (void)state;
    make_big(&f, SAMPLE_FLAG_COMPRESSED);
    struct apf_sample_lookup *l = open_bytes(f.bytes.data, f.bytes.n);
    assert_int_equal(apf_sample_lookup_info(l)->whole, 0);
    for (unsigned i = 0; i < N_FUNCTIONS; i++)
        expect_big(l, i * 17 % N_FUNCTIONS);
    apf_sample_lookup_close(l);
    free_big(&f);
}

/* Damage in one function is not noticed by lookups of others. */
static void test_damage_elsewhere(void **state)
{
    struct big_file f;
    (void)state;
    make_big(&f, 0);
    size_t functions = sb_section_at(&f.bytes, 3);
    f.bytes.data[functions + f.at[30] + 1] = 50; /* its name */
    f.bytes.data[functions + f.at[31] + 1] = 2;
    struct apf_sample_lookup *l = open_bytes(f.bytes.data, f.bytes.n);
    expect_big(l, 29);
    expect_error(l, "f30", APF_SAMPLE_NAME_TABLE, "sample.ext.section.functions", functions + f.at[30] + 1,
                 50, 49);
    expect_error(l, "f31", APF_SAMPLE_MALFORMED, "sample.ext.section.functions", functions + f.at[31], 0, 0);
    expect_big(l, 32);
    apf_sample_lookup_close(l);
    free_big(&f);
}

/* A small file: two functions, a and b, of 5 bytes, and a table of places with these entries. */
static struct sb small_file(const uint64_t *places, uint64_t flags)
{
    struct sb b = {0}, names = {0}, table = {0}, functions = {0}, contexts = {0};
    sb_names(&names, "a b");
    sb_numbers(&table, places);
    SB_NUMBERS(&functions, 1, 0, 5, 0, 0, 2, 1, 6, 0, 0);
    sb_number(&contexts, 0);
    const struct sb_section sections[] = {
        {SAMPLE_SECTION_NAMES, 0, &names},
        {SAMPLE_SECTION_CONTEXTS, 0, &contexts},
        {SAMPLE_SECTION_OFFSETS, 0, &table},
        {SAMPLE_SECTION_FUNCTIONS, flags, &functions},
    };
    sb_ext(&b, 103, sections, COUNT(sections));
    sb_free(&names);
    sb_free(&table);
    sb_free(&functions);
    sb_free(&contexts);
    return b;
}
#define SMALL_FILE(flags, ...) small_file((const uint64_t[]){__VA_ARGS__, SB_END}, flags)

static void test_places(void **state)
{
    (void)state;
    for (uint64_t flags = 0; flags <= SAMPLE_FLAG_COMPRESSED; flags += SAMPLE_FLAG_COMPRESSED) {
        struct sb b = SMALL_FILE(flags, 2, 1, 5, 0, 0);
        struct apf_sample_lookup *l = open_bytes(b.data, b.n);
        expect(l, "a", "a:5:1\n");
        expect(l, "b", "b:6:2\n");
        apf_sample_lookup_close(l);
        sb_free(&b);
        /* the last entry of a function counts, right or wrong; a function without an entry is not found */
        b = SMALL_FILE(flags, 2, 0, 99, 0, 0);
        l = open_bytes(b.data, b.n);
        expect(l, "a", "a:5:1\n");
        expect(l, "b", "");
        apf_sample_lookup_close(l);
        sb_free(&b);
        b = SMALL_FILE(flags, 4, 0, 0, 0, 10, 1, 5, 1, 0);
        l = open_bytes(b.data, b.n);
        expect_error(l, "a", APF_SAMPLE_TRUNCATED, "sample.ext.section.offsets", sb_section_at(&b, 2), 10, 9);
        expect_error(l, "b", APF_SAMPLE_MALFORMED, "sample.ext.section.functions", sb_section_at(&b, 3), 0,
                     0);
        apf_sample_lookup_close(l);
        sb_free(&b);
        /* a place inside a function: its name is the total of a, 5 */
        b = SMALL_FILE(flags, 2, 0, 1, 1, 5);
        l = open_bytes(b.data, b.n);
        expect_error(l, "a", APF_SAMPLE_NAME_TABLE, "sample.ext.section.functions",
                     sb_section_at(&b, 3) + (flags ? 0 : 2), 5, 1);
        expect(l, "b", "b:6:2\n");
        apf_sample_lookup_close(l);
        sb_free(&b);
    }
}

/* Places that divide a function, which no writer makes: the function is read all the same. */
static void test_divided(void **state)
{
    struct sb b = SMALL_FILE(0, 2, 0, 0, 1, 3);
    (void)state;
    struct apf_sample_lookup *l = open_bytes(b.data, b.n);
    expect(l, "a", "a:5:1\n");
    apf_sample_lookup_close(l);
    sb_free(&b);
}

/* Contexts whose places are all the same would make the work the square of the file's size. */
static void test_overlap(void **state)
{
    struct sb b = {0}, summary = {0}, names = {0}, places = {0}, functions = {0}, contexts = {0};
    (void)state;
    sb_summary(&summary, 1);
    sb_names(&names, "a b");
    sb_number(&contexts, 100);
    sb_number(&places, 100);
    for (uint64_t i = 0; i < 100; i++) {
        SB_NUMBERS(&contexts, 1, 0, 0, 0);
        contexts.n -= 4;
        SB_NUMBERS(&contexts, 2, 1, i, 0, 0, 0, 0); /* [b:i @ a] */
        SB_NUMBERS(&places, i, 0);
    }
    SB_NUMBERS(&functions, 1, 0, 5, 100);
    for (uint64_t i = 0; i < 100; i++)
        SB_NUMBERS(&functions, i, 0, 1, 0);
    sb_number(&functions, 0);
    const struct sb_section sections[] = {
        {SAMPLE_SECTION_SUMMARY, SAMPLE_SUMMARY_CONTEXTS, &summary},
        {SAMPLE_SECTION_NAMES, 0, &names},
        {SAMPLE_SECTION_CONTEXTS, 0, &contexts},
        {SAMPLE_SECTION_OFFSETS, 0, &places},
        {SAMPLE_SECTION_FUNCTIONS, 0, &functions},
    };
    sb_ext(&b, 103, sections, COUNT(sections));
    struct apf_sample_lookup *l = open_bytes(b.data, b.n);
    expect_error(l, "a", APF_SAMPLE_MALFORMED, "sample.ext.section.functions", sb_section_at(&b, 4), 0, 0);
    expect(l, "b", "");
    apf_sample_lookup_close(l);
    sb_free(&b);
    sb_free(&summary);
    sb_free(&names);
    sb_free(&places);
    sb_free(&functions);
    sb_free(&contexts);
}

/* Names in any order, one of them twice: both entries are of one function, and the last one counts. */
static void test_unsorted_names(void **state)
{
    struct sb b = {0}, names = {0}, places = {0}, functions = {0}, metadata = {0}, contexts = {0};
    (void)state;
    for (unsigned hashed = 0; hashed < 2; hashed++) {
        names.n = places.n = functions.n = metadata.n = contexts.n = 0;
        if (hashed)
            SB_NUMBERS(&names, 4, md5_name_ref("z", 1), 7, md5_name_ref("a", 1), 7);
        else
            sb_names(&names, "z 7x a 7x");
        SB_NUMBERS(&functions, 1, 0, 5, 0, 0, 2, 1, 6, 0, 0, 3, 2, 7, 0, 0, 4, 3, 8, 0, 0);
        SB_NUMBERS(&places, 4, 2, 10, 0, 0, 3, 15, 1, 5);
        SB_NUMBERS(&metadata, 3, 9, 0, 2, 8, 0);
        sb_number(&contexts, 0);
        const struct sb_section sections[] = {
            {SAMPLE_SECTION_NAMES, hashed ? SAMPLE_NAMES_MD5 : 0, &names},
            {SAMPLE_SECTION_CONTEXTS, 0, &contexts},
            {SAMPLE_SECTION_OFFSETS, 0, &places},
            {SAMPLE_SECTION_FUNCTIONS, 0, &functions},
            {SAMPLE_SECTION_METADATA, SAMPLE_METADATA_PROBES, &metadata},
        };
        sb_free(&b);
        sb_ext(&b, 103, sections, COUNT(sections));
        struct apf_sample_lookup *l = open_bytes(b.data, b.n);
        expect(l, hashed ? "7" : "7x", hashed ? "7:6:2\n !CFGChecksum: 9\n" : "7x:6:2\n !CFGChecksum: 9\n");
        const struct apf_sample *s = expect(
            l, "a", hashed ? "12157170054180749580:7:3\n !CFGChecksum: 8\n" : "a:7:3\n !CFGChecksum: 8\n");
        assert_int_equal(s->info.flags, APF_SAMPLE_PROBES | (hashed ? APF_SAMPLE_MD5 : 0));
        apf_sample_lookup_close(l);
    }
    sb_free(&b);
    sb_free(&names);
    sb_free(&places);
    sb_free(&functions);
    sb_free(&metadata);
    sb_free(&contexts);
}

/* What is read as a whole: no table of places, names that are printed hashes. */
static void test_whole(void **state)
{
    (void)state;
    struct sb b = SMALL_FILE(0, 2, 0, 0, 1, 5);
    sb_set_word(&b, SB_ENTRY(2), 99); /* an unknown section in place of that of places */
    struct apf_sample_lookup *l = open_bytes(b.data, b.n);
    assert_int_equal(apf_sample_lookup_info(l)->whole, 1);
    expect(l, "a", "a:5:1\n");
    apf_sample_lookup_close(l);
    sb_free(&b);
    b = SMALL_FILE(0, 2, 0, 0, 1, 5);
    memcpy(b.data + sb_section_at(&b, 0),
           "\2"
           "7\0"
           "8",
           5);
    l = open_bytes(b.data, b.n);
    assert_int_equal(apf_sample_lookup_info(l)->whole, 1);
    assert_int_equal(apf_sample_lookup_info(l)->flags, APF_SAMPLE_MD5);
    expect(l, "8", "8:6:2\n");
    apf_sample_lookup_close(l);
    sb_free(&b);
    static const char text[] =
        "[main:3 @ foo]:7:2\n 1: 7 bar:3\n !Attributes: 2\n[foo]:5:1\n 2: 5\n[bar]:1:1\n";
    l = open_bytes(text, sizeof text - 1);
    assert_int_equal(apf_sample_lookup_info(l)->format, APF_SAMPLE_TEXT);
    expect(l, "foo", "[main:3 @ foo]:7:2\n 1: 7 bar:3\n !Attributes: 2\n[foo]:5:1\n 2: 5\n");
    const struct apf_sample *s = expect(l, "bar", "[bar]:1:1\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_CONTEXTS | APF_SAMPLE_PREINLINED);
    expect(l, "main", "");
    apf_sample_lookup_close(l);
    static const char nested[] =
        "a:9:4\n 1: 2 x:1\n 1: vtables v:7 \n 2: b:5\n  3.1: c:4\n   1: 4 y:2\n  4: d:1\n"
        "   2: vtables w:1 \n 5: c:2\n  1: 2\n !CFGChecksum: 8\nx:1:1\n";
    l = open_bytes(nested, sizeof nested - 1);
    s = expect(l, "a",
               "a:9:4\n 1: 2 x:1\n 1: vtables v:7 \n 2: b:5\n  3.1: c:4\n   1: 4 y:2\n   !CFGChecksum: 0\n"
               "  4: d:1\n   2: vtables w:1 \n   !CFGChecksum: 0\n  !CFGChecksum: 0\n 5: c:2\n"
               "  1: 2\n  !CFGChecksum: 0\n !CFGChecksum: 8\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES | APF_SAMPLE_VTABLES);
    assert_int_equal(s->info.n_inlined, 4);
    s = expect(l, "x", "x:1:1\n !CFGChecksum: 0\n");
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES);
    apf_sample_lookup_close(l);
}

/* ---- arguments ---- */

static int stop(void *user, struct apf_sample_name name)
{
    (void)user;
    (void)name;
    return 1;
}

static void test_arguments(void **state)
{
    struct apf_sample_lookup *l;
    struct apf_error e;
    struct apf_input input = apf_input_memory("nothing", 7, "bytes");
    struct apf_sample_read_options o = {.size = 0};
    (void)state;
    assert_int_equal(apf_sample_lookup_open(&l, &input, NULL, &e), APF_SAMPLE_UNRECOGNIZED);
    assert_null(l);
    assert_string_equal(e.file, "bytes");
    assert_int_equal(apf_sample_lookup_open(&l, &input, &o, &e), APF_ARGUMENT);
    input.size = 0;
    assert_int_equal(apf_sample_lookup_open(&l, &input, NULL, &e), APF_ARGUMENT);
    apf_sample_lookup_close(NULL);
    l = open_bytes(golden_split.data, golden_split.n);
    assert_int_equal(apf_sample_lookup_names(l, stop, NULL, &e), APF_STOPPED);
    const struct apf_sample *found;
    struct apf_str nothing = {NULL, 0};
    assert_int_equal(apf_sample_lookup_find(l, nothing, &found, &e), APF_UNKNOWN_FUNCTION);
    apf_sample_lookup_close(l);
}

TEST_FILE(sample_lookup)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goldens),
        cmocka_unit_test(test_golden_texts),
        TEST_WITH_DIR(test_reads),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_damage_elsewhere),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_divided),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_unsorted_names),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_arguments),
    };
    return RUN_TESTS(tests);
}
