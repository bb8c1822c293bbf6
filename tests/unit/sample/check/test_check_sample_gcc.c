/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of GCC's profiles in every layout. */
#include "helpers/shared/check_memory.h"
#include "helpers/shared/gcc_build.h"

#include <stdlib.h>
#include <string.h>

static struct checked now; /* what was found last */

#define NOWHERE UINT64_MAX
#define FOUND(...) EXPECT_CHECKED(&now, __VA_ARGS__)
#define NO_MORE() EXPECT_NO_MORE(&now)

/* main calls f in line 1, and g is inlined in line 2. */
static const char *const names[] = {"", "f", "g", "main"};
static const struct gb_target targets[] = {{1, 3}};
static const struct gb_line f_lines[] = {{1, 0, 10, NULL, 0}}, g_lines[] = {{1, 0, 4, NULL, 0}},
                            main_lines[] = {{1, 0, 5, targets, 1}, {3, 0, 2, NULL, 0}};
static const struct gb_node f = {1, f_lines, 1, NULL, 0}, g = {2, g_lines, 1, NULL, 0};
static const struct gb_call main_calls[] = {{2, 0, &g}};
static const struct gb_node main_node = {3, main_lines, 2, main_calls, 1};
static const struct gb_function functions[] = {{3, &f, 0}, {1, &main_node, 0}};
static const struct gb_row rows[] = {{500000, 10, 1}, {990000, 2, 4}};
static const char *const files[] = {"a.c", ""};
static const uint32_t name_files[] = {UINT32_MAX, 0, 0, UINT32_MAX};

/* The lengths are create_gcov's. */
static struct gb_profile profile_of(unsigned layout)
{
    struct gb_profile p = {.layout = gb_layouts[layout],
                           .files = files,
                           .n_files = 1,
                           .names = names,
                           .name_files = name_files,
                           .n_names = COUNT(names),
                           .functions = functions,
                           .n_functions = COUNT(functions),
                           .tail = GB_WORKING_SET,
                           .names_length = 1 + 4 + 1 + 1 + 1 + 2, /* words of each, and a length */
                           .functions_length = 1 + 2 * 2 + 3 * 3 + 4 * 4 + 1 + 5,
                           .summary = {21, 10, 3, 4, 2, rows, 2}};
    return p;
}

static void look(const struct gb_profile *p)
{
    struct apf_buffer b = {0};
    gb_append(&b, p);
    check_memory_bytes(&now, b.data, b.n);
    apf_buffer_free(&b);
}

/* 3a and 3b are never right. */
static void expect_layout(unsigned layout)
{
    if (layout == 3 || layout == 4)
        FOUND(ERROR, SAMPLE_VERSION, "sample.gcc.version", 4, 0, 0);
}

static void good_ones(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = profile_of(i);
        look(&p);
        expect_layout(i);
        NO_MORE();
        assert_int_equal(now.verdict.n_records, 2);
    }
}

static void headers(void **state)
{
    (void)state;
    struct gb_profile p = profile_of(2);
    p.big = true;
    look(&p);
    FOUND(NOTE, NOTE, "sample.gcc.magic", 0, 0, 0);
    NO_MORE();
    p.big = false;
    p.third = 7;
    look(&p);
    FOUND(NOTE, NOTE, "sample.gcc.header.unused", 8, 7, 0);
    NO_MORE();
    p = profile_of(1);
    p.third = 7;
    look(&p);
    FOUND(ERROR, INCONSISTENT, "sample.gcc.header.unused", 8, 7, 0);
    NO_MORE();
    p = profile_of(0); /* as autofdo 0.19 mislabels it */
    p.layout.word = 2;
    look(&p);
    FOUND(ERROR, SAMPLE_VERSION, "sample.gcc.version", 4, 2, 1);
    NO_MORE();
}

static void lengths(void **state)
{
    (void)state;
    struct gb_profile p = profile_of(2);
    const uint32_t wanted = p.names_length, functions_length = p.functions_length;
    p.names_length = 99;
    p.functions_length = 98;
    p.modules_length = 97;
    look(&p);
    FOUND(NOTE, NOTE, "sample.gcc.names.length", 16, 99, wanted);
    FOUND(NOTE, NOTE, "sample.gcc.functions.length", 54, 98, functions_length);
    assert_int_equal(now.n, 1);
    assert_string_equal(now.list[0].where, "sample.gcc.modules.length");
    assert_int_equal(now.list[0].found, 97);
}

/* What GCC 5 to 8 need, what 16 needs, and what the others ignore. */
static void tails(void **state)
{
    (void)state;
    static const uint32_t severities[GB_LAYOUTS][2] = {{APF_SEVERITY_ERROR, APF_SEVERITY_ERROR},
                                                       {APF_SEVERITY_NOTE},
                                                       {APF_SEVERITY_NOTE},
                                                       {APF_SEVERITY_ERROR},
                                                       {APF_SEVERITY_ERROR},
                                                       {APF_SEVERITY_ERROR}};
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = profile_of(i);
        p.tail = GB_NO_TAIL;
        look(&p);
        expect_layout(i);
        assert_int_equal(now.n, 1);
        assert_string_equal(now.list[0].where, "sample.gcc.modules");
        assert_int_equal(now.list[0].severity, severities[i][0]);
        p.tail = GB_MODULES;
        look(&p);
        expect_layout(i);
        assert_int_equal(now.n, i == 0);
        if (i)
            continue;
        assert_string_equal(now.list[0].where, "sample.gcc.working_set");
        assert_int_equal(now.list[0].severity, severities[i][1]);
    }
}

static void trailing(void **state)
{
    (void)state;
    struct gb_profile p = profile_of(2);
    struct apf_buffer b = {0};
    gb_append(&b, &p);
    size_t n = b.n;
    gb_word(&b, false, 77);
    check_memory_bytes(&now, b.data, b.n);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.unclaimed", n, 4, 0);
    NO_MORE();
    check_memory_bytes(&now, b.data, n - 4);
    FOUND(WARNING, SAMPLE_TRUNCATED, "sample.gcc.working_set", n - 8 - 128 * 12, 4 + 128 * 12, 8 + 128 * 12);
    NO_MORE();
    apf_buffer_free(&b);
}

static void tables_of_names(void **state)
{
    static const char *const unsorted[] = {"", "g", "f", "main"}, *const first[] = {"aa", "f", "g", "main"};
    static const struct gb_node at_0 = {0, f_lines, 1, NULL, 0};
    static const struct gb_function used[] = {{3, &at_0, 0}, {1, &main_node, 0}};
    (void)state;
    struct gb_profile p = profile_of(2);
    p.names = unsorted;
    look(&p);
    FOUND(NOTE, NOTE, "sample.gcc.names.order", 24 + 5 + 6, 1, 0);
    NO_MORE();
    p.names = first;
    look(&p);
    FOUND(NOTE, NOTE, "sample.gcc.names.first", 24, 0, 0);
    NO_MORE();
    p.functions = used;
    look(&p);
    assert_string_equal(now.list[0].function, "aa");
    FOUND(ERROR, BAD_SAMPLE_GCC, "sample.gcc.names.first", 24, 1, 0);
    NO_MORE();
    p = profile_of(0);
    p.names = first;
    p.functions = used;
    look(&p);
    FOUND(WARNING, BAD_SAMPLE_GCC, "sample.gcc.names.first", 24, 1, 0);
    NO_MORE();
}

static void source_files(void **state)
{
    static const uint32_t empty[] = {UINT32_MAX, 0, 1, 1};
    (void)state;
    struct gb_profile p = profile_of(5);
    p.n_files = 2;
    p.name_files = empty;
    look(&p);
    assert_int_equal(now.n, 1); /* main; g is only inlined */
    assert_string_equal(now.list[0].where, "sample.gcc.names.file");
    assert_string_equal(now.list[0].function, "main");
    assert_int_equal(now.list[0].severity, APF_SEVERITY_WARNING);
}

/* ---- functions ---- */

static void repeated(void **state)
{
    static const struct gb_function twice[] = {{3, &f, 0}, {1, &main_node, 0}, {2, &f, 0}};
    static const struct gb_row sums[] = {{500000, 20, 1}, {990000, 2, 4}};
    static const uint32_t severities[GB_LAYOUTS] = {APF_SEVERITY_WARNING, APF_SEVERITY_WARNING,
                                                    APF_SEVERITY_WARNING, APF_SEVERITY_ERROR,
                                                    APF_SEVERITY_ERROR,   APF_SEVERITY_ERROR};
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = profile_of(i);
        p.functions = twice;
        p.n_functions = 3;
        p.summary = (struct gb_summary){31, 20, 5, 4, 2, sums, 2};
        look(&p);
        expect_layout(i);
        assert_int_equal(now.n, 1);
        assert_string_equal(now.list[0].where, "sample.gcc.function.repeated");
        assert_int_equal(now.list[0].severity, severities[i]);
    }
}

static void lines(void **state)
{
    static const struct gb_target again[] = {{1, 3}, {1, 2}};
    static const struct gb_line same[] = {{1, 0, 4, again, 2}, {1, 0, 6, NULL, 0}},
                                split[] = {{1, 0, 4, NULL, 0}, {1, 1, 6, NULL, 0}},
                                odd[] = {{1, 0, (uint64_t)1 << 63, NULL, 0}, {40000, 0, 6, NULL, 0}};
    static const struct gb_call calls[] = {{2, 1, &g}};
    static const struct gb_node same_node = {1, same, 2, NULL, 0}, split_node = {1, split, 2, calls, 1},
                                odd_node = {1, odd, 2, NULL, 0};
    struct gb_function one = {3, &same_node, 0};
    (void)state;
    struct gb_profile p = profile_of(2);
    const uint64_t at = 50 + 12 + 8; /* of the node, after the tag, length, number and head */
    p.functions = &one;
    p.n_functions = 1;
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.function.lines", at, 0, 0);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.function.targets", at, 0, 0);
    NO_MORE();
    one.node = &split_node;
    p.functions_length = 1 + 2 + 3 * 2 + 4 * 3 + 1;
    look(&p);
    FOUND(NOTE, NOTE, "sample.gcc.function.lines.discriminators", at, 0, 0);
    FOUND(NOTE, NOTE, "sample.gcc.function.calls.discriminator", at + 12 + 32 + 4, 1, 0);
    NO_MORE();
    struct gb_profile old = profile_of(0), newest = profile_of(5);
    old.functions = newest.functions = &one;
    old.n_functions = newest.n_functions = 1;
    old.functions_length = newest.functions_length = p.functions_length;
    look(&old);
    assert_int_equal(now.verdict.n_warnings, 2);
    newest.summary = (struct gb_summary){14, 6, 3, 3, 1, rows, 0};
    look(&newest);
    NO_MORE();
    one.node = &odd_node;
    p.functions_length = 1 + 2 + 3 + 4 * 2;
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.function.lines.count", at, (uint64_t)1 << 63, INT64_MAX);
    FOUND(NOTE, NOTE, "sample.gcc.function.lines.place", at, 40000, INT16_MAX);
    NO_MORE();
}

static void suffixes(void **state)
{
    static const char *const cut[] = {"", "f", "f.cold", "g.5"}, *const alone[] = {"", "f.cold", "g", "h"};
    static const struct gb_node other = {2, g_lines, 1, NULL, 0}, last = {3, g_lines, 1, NULL, 0};
    static const struct gb_function three[] = {{3, &f, 0}, {1, &other, 0}, {1, &last, 0}};
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = profile_of(i);
        p.functions = three;
        p.n_functions = 3;
        p.names = cut;
        p.names_length = 1 + 4 + 1 + 1 + 2 + 1;
        p.functions_length = 1 + 2 * 3 + 7 * 3;
        p.name_files = NULL;
        p.summary = (struct gb_summary){18, 10, 3, 3, 3, rows, 0};
        look(&p);
        expect_layout(i);
        bool releases = i == 0 || i == 2 || i == 5, all = i < 3;
        assert_int_equal(now.verdict.n_warnings, releases);
        assert_int_equal(now.verdict.n_notes, releases && all); /* g.5: GCC 16 keeps it */
        for (size_t k = 0; k < now.n; k++)
            assert_string_equal(now.list[k].function,
                                now.list[k].severity == APF_SEVERITY_NOTE ? "g.5" : "f.cold");
        p.names = alone;
        p.names_length = 1 + 4 + 1 + 2 + 1 + 1;
        look(&p);
        expect_layout(i);
        assert_int_equal(now.n, releases);
        assert_true(!releases || strcmp(now.list[0].where, "sample.gcc.function.name.suffix") == 0);
    }
}

static void summaries(void **state)
{
    static const struct gb_row wrong[] = {{500000, 5, 1}, {990000, 2, 3}},
                               within[] = {{400000, 4, 2}, {500000, 4, 3}},
                               descending[] = {{5, 10, 1}, {4, 10, 1}};
    static const struct gb_line equal[] = {{1, 0, 4, NULL, 0}, {2, 0, 4, NULL, 0}, {3, 0, 4, NULL, 0}};
    static const struct gb_node node = {1, equal, 3, NULL, 0};
    static const struct gb_function one[] = {{3, &node, 0}};
    (void)state;
    struct gb_profile p = profile_of(5);
    p.summary = (struct gb_summary){22, 11, 4, 5, 3, wrong, 2};
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.total", 16, 22, 21);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.max_count", 24, 11, 10);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.max_head", 32, 4, 3);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.num_counts", 40, 5, 4);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.num_functions", 48, 3, 2);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.cutoff.min_count", 68, 5, 10);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.cutoff.num_counts", 96, 3, 4);
    NO_MORE();
    p.summary = (struct gb_summary){21, 10, 3, 4, 2, descending, 2};
    look(&p);
    FOUND(WARNING, INCONSISTENT, "sample.gcc.summary.cutoff", 84, 4, 5);
    NO_MORE();
    p.functions = one; /* create_gcov stops within equal counts */
    p.n_functions = 1;
    p.functions_length = 1 + 2 + 3 + 4 * 3;
    p.summary = (struct gb_summary){12, 4, 3, 3, 1, within, 2};
    look(&p);
    NO_MORE();
}

static void damage(void **state)
{
    (void)state;
    struct gb_profile p = profile_of(2);
    struct apf_buffer b = {0};
    gb_append(&b, &p);
    for (size_t n = 17; n + 1 < b.n - 128 * 12 - 20; n++) {
        check_memory_bytes(&now, b.data, n);
        assert_int_equal(now.verdict.n_errors, 1);
        assert_true(now.verdict.n_records <= 1);
    }
    apf_buffer_free(&b);
}

TEST_FILE(check_sample_gcc)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones), cmocka_unit_test(headers),      cmocka_unit_test(lengths),
        cmocka_unit_test(tails),     cmocka_unit_test(trailing),     cmocka_unit_test(tables_of_names),
        cmocka_unit_test(repeated),  cmocka_unit_test(source_files), cmocka_unit_test(lines),
        cmocka_unit_test(suffixes),  cmocka_unit_test(summaries),    cmocka_unit_test(damage),
    };
    return RUN_TESTS(tests);
}
