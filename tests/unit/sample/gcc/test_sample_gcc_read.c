/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading GCC's profiles: layouts, byte orders, oddities. */
#include <stdio.h>
#include <string.h>

#include "sample/gcc/sample_gcc_read.h"

#include "helpers/shared/gcc_example.h"
#include "helpers/shared/gcc_memory.h"
#include "helpers/shared/sample_render.h"
#include "helpers/shared/unit.h"

static struct apf_sample *read_profile(const struct gb_profile *p)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    gb_append(&buffer, p);
    assert_true(sample_gcc_begins(buffer.data, buffer.n));
    int code = gcc_read_bytes(&s, buffer.data, buffer.n, &gcc_read_limits, &error);
    if (code != APF_OK)
        print_error("%s\n", error.message);
    assert_int_equal(code, APF_OK);
    apf_buffer_free(&buffer);
    return s;
}

static void check_text(const struct gb_profile *p, const char *expected)
{
    struct apf_sample *s = read_profile(p);
    assert_string_equal(sample_render(s), expected);
    sample_free(s);
}

/* ---- one profile in all layouts ---- */

#define WORK(g)                                                                                              \
    "work:8589935614:18446744073709551615\n"                                                                 \
    " 2: 1000\n"                                                                                             \
    " 2.3: 8589934593 " g ":774 work:4294967301\n"                                                           \
    " 4: 0\n"                                                                                                \
    " 2: work:15\n"                                                                                          \
    "  1: 7\n"                                                                                               \
    "  65535.65535: 2\n"                                                                                     \
    "  1: " g ":6\n"                                                                                         \
    "   0: 6\n"                                                                                              \
    " 2.3: " g ":6\n"                                                                                        \
    "  0: 6\n"
static const char without_files[] = "main:1:5\n 3: 1\n" WORK("g");
static const char without_times[] = "main@b.c:1:5\n 3: 1\n" WORK("g@a.c");
static const char with_times[] = "main@b.c:1:5:801840661248321\n 3: 1\n" WORK("g@a.c");

static void test_layouts(void **state)
{
    static const uint32_t versions[GB_LAYOUTS] = {1, 704, 2, 3, 3, 3};
    static const char *const variants[GB_LAYOUTS] = {"", "", "", "3a", "3b", "3"};
    static const char *const texts[GB_LAYOUTS] = {without_files, without_files, without_files,
                                                  without_times, without_times, with_times};
    (void)state;
    for (unsigned i = 0; i < 2 * GB_LAYOUTS; i++) {
        struct gb_profile p = gcc_example(i / 2);
        p.big = i % 2 != 0;
        struct apf_sample *s = read_profile(&p);
        assert_string_equal(sample_render(s), texts[i / 2]);
        assert_int_equal(s->info.format, APF_SAMPLE_GCC);
        assert_int_equal(s->info.version, versions[i / 2]);
        assert_string_equal(s->info.layout, variants[i / 2]);
        assert_int_equal(s->info.big_endian, i % 2);
        assert_int_equal(s->info.flags, p.layout.form & GB_TIMES ? APF_SAMPLE_TIMES : 0);
        assert_int_equal(s->info.n_functions, 2);
        assert_int_equal(s->info.n_inlined, 3);
        assert_int_equal(s->info.n_lines, 8);
        assert_int_equal(s->info.n_targets, 2);
        assert_int_equal(s->info.max_depth, 2);
        for (unsigned k = 0; k < SAMPLE_FINDING_COUNT; k++)
            assert_int_equal(s->findings[k], 0);
        sample_free(s);
    }
}

/* Layouts under the version words of others. */
static void test_mislabelled(void **state)
{
    static const struct {
        unsigned layout;
        uint32_t word;
        const char *variant, *text;
    } cases[] = {{0, 2, "1", without_files},
                 {2, GB_704, "2", without_files},
                 {3, GB_704, "3a", without_times},
                 {4, GB_704, "3b", without_times},
                 {5, GB_704, "3", with_times}};
    (void)state;
    for (unsigned i = 0; i < 2 * COUNT(cases); i++) {
        struct gb_profile p = gcc_example(cases[i / 2].layout);
        p.layout.word = cases[i / 2].word;
        p.big = i % 2 != 0;
        struct apf_sample *s = read_profile(&p);
        assert_string_equal(sample_render(s), cases[i / 2].text);
        assert_int_equal(s->info.version, p.layout.word == GB_704 ? 704 : 2);
        assert_string_equal(s->info.layout, cases[i / 2].variant);
        assert_int_equal(s->findings[SAMPLE_FINDING_MISLABELLED], 1);
        sample_free(s);
    }
}

/* A profile without functions is one of layout 3b or 3 just as well: the newest is reported. */
static void test_empty(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = gcc_example(i);
        p.n_functions = 0;
        struct apf_sample *s = read_profile(&p);
        assert_int_equal(s->top.n, 0);
        assert_string_equal(s->info.layout, i < 3 ? "" : i == 3 ? "3a" : "3");
        sample_free(s);
        p.n_names = 0;
        check_text(&p, "");
    }
}

static void test_begins(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        bool ours;
    } cases[] = {
        {"adcg\2\0\0\0\0\0\0\0\0\0\0\xaa", 16, true},
        {"adcg\2\0\0\0\1\2\3\4\0\0\0\xaa", 16, true}, /* GCC ignores the third word */
        {"adcg*704\0\0\0\0\0\0\0\xaa", 16, true},
        {"adcg*704\0\0\0\0\0\0\0\xa8", 16, true},
        {"adcg\4\0\0\0\0\0\0\0\0\0\0\xa8", 16, true}, /* a newer version */
        {"gcda\0\0\0\2\0\0\0\0\xaa\0\0\0", 16, true},
        {"adcg\2\0\0\0\0\0\0\0\1\0\0\xaa", 16, true}, /* damaged, but what else */
        {"adcg\2\0\0\0", 8, true},
        {"adcg\2\0\0\0\0\0", 10, true},
        {"adcg\2\0\0", 7, false},
        {"adcg*704\0\0\0\0\0\0\0\1", 16, false}, /* .gcda of GCC 4.7 */
        {"adcg*21B\x12\x34\x56\x78\0\0\0\1", 16, false},
        {"adcg*21B\x12\x34\x56\x78\0\0\0\0\0\0\0\1", 20, false},
        {"adcg\2\0\0\0\1\2\3\4\0\0\0\1", 16, false},
        {"adcg\0\0\0\0\0\0\0\0\0\0\0\1", 16, false},
        {"gcna\2\0\0\0\0\0\0\0\0\0\0\xaa", 16, false},
        {"", 0, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(sample_gcc_begins((const uint8_t *)cases[i].bytes, cases[i].n), cases[i].ours);
}

/* ---- what adds up ---- */

static void test_repeated_places(void **state)
{
    static const struct gb_target a[] = {{2, 1}, {2, 2}}, b[] = {{1, 9}, {2, 4}};
    static const struct gb_line lines[] = {{4, 0, 17, a, 2}, {1, 0, 1, NULL, 0}, {4, 0, 1000, b, 2}};
    static const struct gb_call calls[] = {{5, 1, &gcc_example_leaf},
                                           {3, 0, &gcc_example_leaf},
                                           {5, 1, &gcc_example_mid},
                                           {5, 1, &gcc_example_leaf}};
    static const struct gb_node f = {1, lines, 3, calls, 4};
    static const struct gb_function list[] = {{1, &f, 0}};
    struct gb_profile p = gcc_example(2);
    (void)state;
    p.functions = list;
    p.n_functions = 1;
    check_text(&p, "f:1051:1\n 1: 1\n 4: 1017 f:9 g:7\n 3: g:6\n  0: 6\n 5.1: g:12\n  0: 12\n"
                   " 5.1: work:15\n  1: 7\n  65535.65535: 2\n  1: g:6\n   0: 6\n");
}

/* They add up; in layout 704 as llvm-profdata-22 reads it: of a function that had a count before only the entries are
 * added, and what is inlined in it has no counts. */
static void test_repeated_functions(void **state)
{
    static const struct gb_target to_g[] = {{2, 5}};
    static const struct gb_line zero[] = {{1, 0, 0, to_g, 1}},
                                one[] = {{1, 0, 0, to_g, 1}, {4, 0, 1, NULL, 0}};
    static const struct gb_call calls[] = {{6, 0, &gcc_example_leaf}}, others[] = {{7, 0, &gcc_example_mid}};
    static const struct gb_node first = {1, zero, 1, NULL, 0}, second = {1, one, 2, calls, 1},
                                third = {1, one, 2, others, 1};
    static const struct gb_function list[] = {{1, &first, 0}, {2, &second, 7}, {2, &third, 3}};
    (void)state;
    for (unsigned layout = 0; layout < GB_LAYOUTS; layout++) {
        struct gb_profile p = gcc_example(layout);
        unsigned aliases = p.layout.word == GB_704 ? 1 : 0;
        const char *text =
            "f:23:5\n 1: 0 g:15\n 4: 2\n 6: g:6\n  0: 6\n 7: work:15\n  1: 7\n  65535.65535: 2\n"
            "  1: g:6\n   0: 6\n";
        p.functions = list;
        p.n_functions = 3;
        struct apf_sample *s = read_profile(&p);
        if (aliases)
            text = "f:7:5\n 1: 0 g:10\n 4: 1\n 6: g:6\n  0: 6\n 7: work:0\n  1: g:0\n";
        if (layout == 5)
            text = "f@b.c:23:5:3\n 1: 0 g@a.c:15\n 4: 2\n 6: g@a.c:6\n  0: 6\n 7: work:15\n  1: 7\n"
                   "  65535.65535: 2\n  1: g@a.c:6\n   0: 6\n";
        if (layout <= 2 || layout == 5)
            assert_string_equal(sample_render(s), text);
        assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_FUNCTION], 2 - aliases);
        assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_ENTRIES], aliases);
        sample_free(s);
    }
}

/* Equal names of different files are different functions; of one file, or without files, they are one. */
static void test_equal_names(void **state)
{
    static const char *const equal[] = {"", "f", "f", "f", "a"};
    static const uint32_t of_files[] = {UINT32_MAX, 0, 1, 0, UINT32_MAX};
    static const struct gb_line six[] = {{0, 0, 6, NULL, 0}};
    static const struct gb_node nodes[] = {
        {1, six, 1, NULL, 0}, {2, six, 1, NULL, 0}, {3, NULL, 0, NULL, 0}, {4, six, 1, NULL, 0}};
    static const struct gb_function list[] = {
        {1, &nodes[0], 0}, {2, &nodes[1], 0}, {3, &nodes[2], 0}, {4, &nodes[3], 0}};
    struct gb_profile p = gcc_example(5);
    (void)state;
    p.names = equal;
    p.name_files = of_files;
    p.functions = list;
    p.n_functions = 4;
    check_text(&p, "f@b.c:6:4\n 0: 6\nf@a.c:6:2\n 0: 6\na:6:4\n 0: 6\n");
    p.layout = gb_layouts[0];
    check_text(&p, "f:12:6\n 0: 12\na:6:4\n 0: 6\n");
}

static void test_saturation(void **state)
{
    static const struct gb_line lines[] = {{1, 0, UINT64_MAX, NULL, 0}, {1, 0, 1, NULL, 0}};
    static const struct gb_call calls[] = {{1, 0, &gcc_example_leaf}};
    static const struct gb_node f = {1, lines, 2, calls, 1};
    static const struct gb_function list[] = {{UINT64_MAX, &f, 0}, {1, &f, 0}};
    struct gb_profile p = gcc_example(0);
    (void)state;
    p.functions = list;
    p.n_functions = 2;
    check_text(&p,
               "f:18446744073709551615:18446744073709551615\n 1: 18446744073709551615\n 1: g:12\n  0: 12\n");
}

/* ---- oddities ---- */

/* A profile whose first name is not empty, so that names with index 0 are functions. */
static void test_name_at_0(void **state)
{
    static const char *const others[] = {"f", "g", "h", "main", "work"};
    static const struct gb_target to_f[] = {{0, 1}};
    static const struct gb_line lines[] = {{1, 0, 3, to_f, 1}};
    static const struct gb_node f = {0, lines, 1, NULL, 0};
    static const struct gb_function list[] = {{1, &f, 0}};
    struct gb_profile p = gcc_example(2);
    (void)state;
    p.names = others;
    p.functions = list;
    p.n_functions = 1;
    struct apf_sample *s = read_profile(&p);
    assert_string_equal(sample_render(s), "f:3:1\n 1: 3 f:1\n");
    assert_int_equal(s->findings[SAMPLE_FINDING_NAME_AT_0], 2);
    sample_free(s);
}

static void test_tails(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = gcc_example(i);
        struct apf_buffer buffer = {NULL, 0, 0};
        gb_append(&buffer, &p);
        size_t n = buffer.n, whole = n - (12 + 8 + 1536); /* where the functions end */
        assert_int_equal(apf_buffer_write(&buffer, "tail", 4), 0);
        for (size_t end = whole; end <= n + 4; end++) {
            struct apf_sample *s;
            bool is_cut = end != whole && end != whole + 12 && end != n;
            assert_int_equal(gcc_read_bytes(&s, buffer.data, end, &gcc_read_limits, NULL), APF_OK);
            assert_int_equal(s->top.n, 2);
            assert_int_equal(s->findings[SAMPLE_FINDING_TRAILING], is_cut);
            assert_int_equal(s->findings[SAMPLE_FINDING_NO_MODULES], end == whole);
            sample_free(s);
        }
        apf_buffer_free(&buffer);
    }
}

/* The lengths of sections and the third word mean nothing. */
static void test_ignored(void **state)
{
    struct gb_profile p = gcc_example(2);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    (void)state;
    p.third = 0x12345678;
    gb_append(&buffer, &p);
    memset((uint8_t *)buffer.data + 16, 0xff, 4);
    assert_true(sample_gcc_begins(buffer.data, buffer.n));
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &gcc_read_limits, NULL), APF_OK);
    assert_string_equal(sample_render(s), without_files);
    sample_free(s);
    apf_buffer_free(&buffer);
}

/* Strings of words need no NUL, and end at the first one. */
static void test_strings(void **state)
{
    static const char head[] = "adcg\1\0\0\0\0\0\0\0\0\0\0\xaa\0\0\0\0\3\0\0\0"
                               "\1\0\0\0abcd\2\0\0\0a\0bcdefg\2\0\0\0abcd\0\0\0\0"
                               "\0\0\0\xac\0\0\0\0\2\0\0\0"
                               "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0";
    struct apf_sample *s;
    (void)state;
    assert_int_equal(gcc_read_bytes(&s, head, sizeof head - 1, &gcc_read_limits, NULL), APF_OK);
    assert_string_equal(sample_render(s), "abcd:0:1\na:0:1\n");
    assert_int_equal(s->names.list.n, 2);
    sample_free(s);
}

/* ---- costs ---- */

#define MANY 200000u

/* Repeated places and calls in descending order, and equal names of different files: none may take quadratic time. */
static void test_many(void **state)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    static const char head[] = "adcg\3\0\0\0\0\0\0\0\0\0\0\xaa\0\0\0";
    char file[16];
    (void)state;
    assert_int_equal(apf_buffer_write(&buffer, head, sizeof head), 0);
    gb_word(&buffer, false, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(file, sizeof file, "%06u.c", (unsigned)i);
        gb_word(&buffer, false, 9);
        assert_int_equal(apf_buffer_write(&buffer, file, 9), 0);
    }
    gb_word(&buffer, false, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        gb_word(&buffer, false, 2);
        assert_int_equal(apf_buffer_write(&buffer, "f", 2), 0);
        gb_word(&buffer, false, MANY - 1 - i);
    }
    gb_word(&buffer, false, 0xac000000);
    gb_word(&buffer, false, 0);
    gb_word(&buffer, false, MANY + 1);
    for (uint32_t i = 0; i < MANY; i++) { /* functions without counts, most of them repeated */
        gb_counter(&buffer, false, 1);
        gb_word(&buffer, false, i % 5);
        gb_word(&buffer, false, 1);
        gb_word(&buffer, false, 0);
        gb_word(&buffer, false, (MANY - i) % 100 << 16);
        gb_word(&buffer, false, 0);
        gb_counter(&buffer, false, 0);
    }
    gb_counter(&buffer, false, 1);
    gb_word(&buffer, false, MANY - 1);
    gb_word(&buffer, false, MANY);
    gb_word(&buffer, false, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        gb_word(&buffer, false, (MANY - i) % 65536 << 16);
        gb_word(&buffer, false, 1);
        gb_counter(&buffer, false, 3);
        gb_word(&buffer, false, 7);
        gb_counter(&buffer, false, i);
        gb_counter(&buffer, false, 1);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        gb_word(&buffer, false, (MANY - i) % 65536 << 16);
        gb_word(&buffer, false, i % 3);
        gb_word(&buffer, false, 0);
        gb_word(&buffer, false, 0);
    }
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &gcc_read_limits, NULL), APF_OK);
    assert_string_equal(s->info.layout, "3a");
    assert_int_equal(s->top.n, 6);
    assert_int_equal(s->names.list.n, MANY);
    assert_int_equal(s->nodes.data[s->top.data[5]].total, 3 * (uint64_t)MANY);
    assert_int_equal(s->nodes.data[s->top.data[5]].lines.n, 65536);
    assert_int_equal(s->nodes.data[s->top.data[5]].targets.n, MANY);
    assert_int_equal(s->info.n_lines, 65536 + 100);
    sample_free(s);
    apf_buffer_free(&buffer);
}

TEST_FILE(sample_gcc_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_mislabelled),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_begins),
        cmocka_unit_test(test_repeated_places),
        cmocka_unit_test(test_repeated_functions),
        cmocka_unit_test(test_equal_names),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_name_at_0),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_many),
    };
    return RUN_TESTS(tests);
}
