/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading GCC's profiles: layouts, byte orders, oddities, damage. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/gcc/sample_gcc_read.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/gcc_build.h"
#include "helpers/shared/sample_render.h"
#include "helpers/shared/unit.h"

static const struct sample_read_options defaults = {
    .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};

static int read_bytes(struct apf_sample **s, const void *p, size_t n, const struct sample_read_options *o,
                      struct apf_error *error)
{
    /* A copy that ends where the bytes end, so that the sanitizer sees a read after them. */
    uint8_t *copy = malloc(n ? n : 1);
    *s = sample_new();
    int code = copy && *s ? APF_OK : APF_NO_MEMORY;
    if (copy)
        memcpy(copy, p, n);
    if (code == APF_OK)
        code = sample_gcc_read(*s, copy, n, o, error);
    free(copy);
    if (code == APF_OK)
        return code;
    sample_free(*s);
    *s = NULL;
    return code;
}

static uint8_t *bytes_of(const struct apf_buffer *buffer)
{
    return buffer->data;
}

static void flip_bit(const struct apf_buffer *buffer, size_t bit)
{
    uint8_t *byte = bytes_of(buffer) + bit / 8;
    *byte = (uint8_t)(*byte ^ 1u << bit % 8);
}

static struct apf_sample *read_profile(const struct gb_profile *p)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    gb_append(&buffer, p);
    assert_true(sample_gcc_begins(buffer.data, buffer.n));
    int code = read_bytes(&s, buffer.data, buffer.n, &defaults, &error);
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

static const char *const names[] = {"", "f", "g", "main", "work"};
static const char *const files[] = {"b.c", "a.c"};
static const uint32_t name_files[] = {UINT32_MAX, 0, 1, 0, UINT32_MAX};

static const struct gb_target two_targets[] = {{2, 774}, {4, 0x100000005}};
static const struct gb_line leaf_lines[] = {{0, 0, 6, NULL, 0}};
static const struct gb_node leaf = {2, leaf_lines, 1, NULL, 0};
static const struct gb_line mid_lines[] = {{1, 0, 7, NULL, 0}, {65535, 65535, 2, NULL, 0}};
static const struct gb_call mid_calls[] = {{1, 0, &leaf}};
static const struct gb_node mid = {4, mid_lines, 2, mid_calls, 1};
static const struct gb_line work_lines[] = {
    {2, 0, 1000, NULL, 0}, {2, 3, 0x200000001, two_targets, 2}, {4, 0, 0, NULL, 0}};
static const struct gb_call work_calls[] = {{2, 0, &mid}, {2, 3, &leaf}};
static const struct gb_node work = {4, work_lines, 3, work_calls, 2};
static const struct gb_line main_lines[] = {{3, 0, 1, NULL, 0}};
static const struct gb_node main_node = {3, main_lines, 1, NULL, 0};
static const struct gb_function functions[] = {{5, &main_node, 801840661248321}, {UINT64_MAX, &work, 0}};

static struct gb_profile whole_profile(unsigned layout)
{
    struct gb_profile p = {.layout = gb_layouts[layout],
                           .files = files,
                           .n_files = 2,
                           .names = names,
                           .name_files = name_files,
                           .n_names = 5,
                           .functions = functions,
                           .n_functions = 2,
                           .tail = GB_WORKING_SET};
    return p;
}

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
        struct gb_profile p = whole_profile(i / 2);
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
        struct gb_profile p = whole_profile(cases[i / 2].layout);
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
        struct gb_profile p = whole_profile(i);
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
    static const struct gb_call calls[] = {{5, 1, &leaf}, {3, 0, &leaf}, {5, 1, &mid}, {5, 1, &leaf}};
    static const struct gb_node f = {1, lines, 3, calls, 4};
    static const struct gb_function list[] = {{1, &f, 0}};
    struct gb_profile p = whole_profile(2);
    (void)state;
    p.functions = list;
    p.n_functions = 1;
    check_text(&p, "f:1051:1\n 1: 1\n 4: 1017 f:9 g:7\n 3: g:6\n  0: 6\n 5.1: g:12\n  0: 12\n"
                   " 5.1: work:15\n  1: 7\n  65535.65535: 2\n  1: g:6\n   0: 6\n");
}

/* As llvm-profdata-22 reads them: of a function that had a count before only the entries are added, and what is inlined
 * in it has no counts. */
static void test_repeated_functions(void **state)
{
    static const struct gb_target to_g[] = {{2, 5}};
    static const struct gb_line zero[] = {{1, 0, 0, to_g, 1}},
                                one[] = {{1, 0, 0, to_g, 1}, {4, 0, 1, NULL, 0}};
    static const struct gb_call calls[] = {{6, 0, &leaf}}, others[] = {{7, 0, &mid}};
    static const struct gb_node first = {1, zero, 1, NULL, 0}, second = {1, one, 2, calls, 1},
                                third = {1, one, 2, others, 1};
    static const struct gb_function list[] = {{1, &first, 0}, {2, &second, 7}, {2, &third, 3}};
    struct gb_profile p = whole_profile(5);
    (void)state;
    p.functions = list;
    p.n_functions = 3;
    struct apf_sample *s = read_profile(&p);
    assert_string_equal(sample_render(s), "f@b.c:7:5:3\n 1: 0 g@a.c:10\n 4: 1\n 6: g@a.c:6\n  0: 6\n"
                                          " 7: work:0\n  1: g@a.c:0\n");
    assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_FUNCTION], 1);
    assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_ENTRIES], 1);
    sample_free(s);
}

/* Equal names of different files are different functions; of one file, or without files, they are one. */
static void test_equal_names(void **state)
{
    static const char *const equal[] = {"", "f", "f", "f", "a"};
    static const uint32_t of_files[] = {UINT32_MAX, 0, 1, 0, UINT32_MAX};
    static const struct gb_node nodes[] = {{1, leaf_lines, 1, NULL, 0},
                                           {2, leaf_lines, 1, NULL, 0},
                                           {3, NULL, 0, NULL, 0},
                                           {4, leaf_lines, 1, NULL, 0}};
    static const struct gb_function list[] = {
        {1, &nodes[0], 0}, {2, &nodes[1], 0}, {3, &nodes[2], 0}, {4, &nodes[3], 0}};
    struct gb_profile p = whole_profile(5);
    (void)state;
    p.names = equal;
    p.name_files = of_files;
    p.functions = list;
    p.n_functions = 4;
    check_text(&p, "f@b.c:6:4\n 0: 6\nf@a.c:6:2\n 0: 6\na:6:4\n 0: 6\n");
    p.layout = gb_layouts[0];
    check_text(&p, "f:6:6\n 0: 6\na:6:4\n 0: 6\n");
}

static void test_saturation(void **state)
{
    static const struct gb_line lines[] = {{1, 0, UINT64_MAX, NULL, 0}, {1, 0, 1, NULL, 0}};
    static const struct gb_call calls[] = {{1, 0, &leaf}};
    static const struct gb_node f = {1, lines, 2, calls, 1};
    static const struct gb_function list[] = {{UINT64_MAX, &f, 0}, {1, &f, 0}};
    struct gb_profile p = whole_profile(0);
    (void)state;
    p.functions = list;
    p.n_functions = 2;
    check_text(&p,
               "f:18446744073709551615:18446744073709551615\n 1: 18446744073709551615\n 1: g:6\n  0: 6\n");
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
    struct gb_profile p = whole_profile(2);
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
        struct gb_profile p = whole_profile(i);
        struct apf_buffer buffer = {NULL, 0, 0};
        gb_append(&buffer, &p);
        size_t n = buffer.n, whole = n - (12 + 8 + 1536); /* where the functions end */
        assert_int_equal(apf_buffer_write(&buffer, "tail", 4), 0);
        for (size_t end = whole; end <= n + 4; end++) {
            struct apf_sample *s;
            bool is_cut = end != whole && end != whole + 12 && end != n;
            assert_int_equal(read_bytes(&s, buffer.data, end, &defaults, NULL), APF_OK);
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
    struct gb_profile p = whole_profile(2);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    (void)state;
    p.third = 0x12345678;
    gb_append(&buffer, &p);
    memset(bytes_of(&buffer) + 16, 0xff, 4);
    assert_true(sample_gcc_begins(buffer.data, buffer.n));
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &defaults, NULL), APF_OK);
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
    assert_int_equal(read_bytes(&s, head, sizeof head - 1, &defaults, NULL), APF_OK);
    assert_string_equal(sample_render(s), "abcd:0:1\na:0:1\n");
    assert_int_equal(s->names.list.n, 2);
    sample_free(s);
}

/* ---- errors ---- */

struct change {
    const char *what;
    unsigned layout;
    size_t at; /* the word that is replaced */
    uint32_t word;
    int code;
    const char *where;
    uint64_t offset, found, expected;
};

/* Offsets in whole_profile(2): the strings are at 24, 29, 35, 41, 50 and end at 59; functions begin at 71. */
#define F2 71u
static const struct change changes[] = {
    {"tag of names", 2, 12, 0xab000000, APF_SAMPLE_MALFORMED, "sample.gcc.names", 12, 0xab000000, 0xaa000000},
    {"too many names", 2, 20, 500, APF_SAMPLE_TRUNCATED, "sample.gcc.names", 20, 500, 371},
    {"string without bytes", 2, 29, 0, APF_SAMPLE_MALFORMED, "sample.gcc.names", 29, 0, 1},
    {"long string", 2, 29, 5000, APF_SAMPLE_TRUNCATED, "sample.gcc.names", 33, 1850, 5000},
    {"string without NUL", 2, 35, 1, APF_SAMPLE_MALFORMED, "sample.gcc.names", 39, 'g', 0},
    {"tag of functions", 2, 59, 0xad000000, APF_SAMPLE_MALFORMED, "sample.gcc.functions", 59, 0xad000000,
     0xac000000},
    {"too many functions", 2, 67, 1000, APF_SAMPLE_TRUNCATED, "sample.gcc.function.calls", 343, 384, 96},
    {"name of a function", 2, F2 + 8, 5, APF_SAMPLE_NAME_TABLE, "sample.gcc.function.name", F2 + 8, 5, 4},
    {"too many lines", 2, F2 + 12, 1000, APF_SAMPLE_TRUNCATED, "sample.gcc.function.lines", F2 + 12, 1000,
     112},
    {"too many calls", 2, F2 + 16, 1000, APF_SAMPLE_TRUNCATED, "sample.gcc.function.calls", F2 + 16, 1000,
     112},
    {"too many targets", 2, F2 + 24, 1000, APF_SAMPLE_TRUNCATED, "sample.gcc.function.targets", F2 + 24, 1000,
     88},
    {"type of targets", 2, F2 + 36 + 20 + 32, 6, APF_SAMPLE_MALFORMED, "sample.gcc.function.targets.type",
     F2 + 36 + 20 + 32, 6, 7},
    {"name of a target", 2, F2 + 36 + 20 + 36, 5, APF_SAMPLE_NAME_TABLE, "sample.gcc.function.targets.name",
     F2 + 36 + 20 + 36, 5, 4},
    {"name of a target, upper word", 2, F2 + 36 + 20 + 40, 1, APF_SAMPLE_NAME_TABLE,
     "sample.gcc.function.targets.name", F2 + 36 + 20 + 36, 0x100000002, 4},
    {"words: long string", 0, 32, 0x40000000, APF_SAMPLE_TRUNCATED, "sample.gcc.names", 36, 1860,
     0x100000000},
    {"files", 3, 20, 1000, APF_SAMPLE_TRUNCATED, "sample.gcc.files", 20, 1000, 379},
    {"file of a name", 3, 20 + 4 + 16 + 4 + 5 + 4 + 6, 2, APF_SAMPLE_NAME_TABLE, "sample.gcc.names.file", 59,
     2, 1},
    {"rows of the summary", 5, 16 + 40, 1000, APF_SAMPLE_TRUNCATED, "sample.gcc.summary", 56, 1000, 96},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        const struct change *c = &changes[i];
        struct gb_profile p = whole_profile(c->layout);
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_sample *s;
        struct apf_error error;
        gb_append(&buffer, &p);
        for (unsigned k = 0; k < 4; k++)
            bytes_of(&buffer)[c->at + k] = (uint8_t)(c->word >> 8 * k);
        int code = read_bytes(&s, buffer.data, buffer.n, &defaults, &error);
        if (code != c->code || strcmp(error.where, c->where) != 0 || error.offset != c->offset ||
            error.found != c->found || error.expected != c->expected)
            print_error("%s: %s\n", c->what, code == APF_OK ? "no error" : error.message);
        assert_int_equal(code, c->code);
        assert_string_equal(error.where, c->where);
        assert_int_equal(error.offset, c->offset);
        assert_int_equal(error.found, c->found);
        assert_int_equal(error.expected, c->expected);
        apf_buffer_free(&buffer);
    }
}

static void check_header(const char *bytes, size_t n, int code, uint64_t offset, uint64_t found,
                         uint64_t expected)
{
    struct apf_sample *s;
    struct apf_error error;
    assert_int_equal(read_bytes(&s, bytes, n, &defaults, &error), code);
    assert_int_equal(error.offset, offset);
    assert_int_equal(error.found, found);
    assert_int_equal(error.expected, expected);
}

static void test_header_errors(void **state)
{
    (void)state;
    check_header("adcg\2\0\0\0\0\0", 10, APF_SAMPLE_TRUNCATED, 10, 10, 16);
    check_header("adcg\4\0\0\0\0\0\0\0\0\0\0\xaa", 16, APF_SAMPLE_VERSION, 4, 4, 3);
    check_header("gcda\0\0\1\0\0\0\0\0\xaa\0\0\0", 16, APF_SAMPLE_VERSION, 4, 256, 3);
    check_header("gcna\2\0\0\0\0\0\0\0\0\0\0\xaa", 16, APF_SAMPLE_BAD_MAGIC, 0, 0x616e6367, 0x67636461);
    check_header("adcg\1\0\0\0\0\0\0\0\0\0\0\xa8", 16, APF_SAMPLE_TRUNCATED, 12, 4, 8);
}

static void test_modules(void **state)
{
    struct gb_profile p = whole_profile(2);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    struct sample_progress progress = {0, 0, 0};
    struct sample_read_options o = defaults;
    (void)state;
    p.tail = GB_MODULES;
    gb_append(&buffer, &p);
    bytes_of(&buffer)[buffer.n - 4] = 1;
    o.progress = &progress;
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_BAD_SAMPLE_GCC);
    assert_string_equal(error.where, "sample.gcc.modules");
    assert_int_equal(error.offset, buffer.n - 4);
    assert_int_equal(error.found, 1);
    assert_int_equal(progress.n_functions, 2);
    assert_int_equal(progress.end, buffer.n - 12);
    apf_buffer_free(&buffer);
}

static void test_limits(void **state)
{
    struct gb_profile p = whole_profile(2);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    struct sample_read_options o = defaults;
    (void)state;
    gb_append(&buffer, &p);
    o.max_records = 5;
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_OK);
    sample_free(s);
    o.max_records = 4;
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_LIMIT);
    assert_int_equal(error.found, 5);
    assert_int_equal(error.expected, 4);
    o = defaults;
    o.max_depth = 2;
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_OK);
    sample_free(s);
    o.max_depth = 1;
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_LIMIT);
    assert_int_equal(error.found, 2);
    assert_int_equal(error.expected, 1);
    apf_buffer_free(&buffer);
}

/* ---- damage ---- */

/* Every prefix is refused until the functions are complete; what was read before can be read again. */
static void test_prefixes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < GB_LAYOUTS; i++) {
        struct gb_profile p = whole_profile(i);
        struct apf_buffer buffer = {NULL, 0, 0};
        p.tail = GB_NO_TAIL;
        gb_append(&buffer, &p);
        size_t seen[2] = {0, 0}, first = buffer.n - 256 - (p.layout.form & GB_TIMES ? 16 : 0);
        for (size_t n = 16; n < buffer.n; n++) {
            struct apf_sample *s;
            struct apf_error error;
            struct sample_progress progress = {0, 0, 0};
            struct sample_read_options o = defaults;
            o.progress = &progress;
            int code = read_bytes(&s, buffer.data, n, &o, &error);
            /* Few bytes of the first function of layout 3 are as good as one of 3b. */
            if (i < 5 || code != APF_SAMPLE_NAME_TABLE || n - first > 28)
                assert_int_equal(code, APF_SAMPLE_TRUNCATED);
            assert_true(error.offset <= n);
            assert_in_range(progress.n_functions, 0, 1);
            seen[progress.n_functions]++;
            if (progress.n_functions == 0)
                continue;
            assert_int_equal(progress.known, 2);
            o.max_functions = 1;
            assert_int_equal(read_bytes(&s, buffer.data, n, &o, &error), APF_OK);
            assert_int_equal(s->top.n, 1);
            assert_int_equal(s->nodes.data[s->top.data[0]].head, 5);
            assert_int_equal(s->info.version, i == 1 ? 704 : p.layout.word);
            sample_free(s);
        }
        assert_int_equal(seen[1], 220 + (p.layout.form & GB_TIMES ? 8 : 0)); /* bytes of the second one */
        assert_true(seen[0] > 50);
        apf_buffer_free(&buffer);
    }
}

static void test_flipped_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * GB_LAYOUTS; i++) {
        struct gb_profile p = whole_profile(i / 2);
        struct apf_buffer buffer = {NULL, 0, 0};
        p.big = i % 2 != 0;
        p.tail = GB_MODULES;
        gb_append(&buffer, &p);
        for (size_t bit = 0; bit < 8 * buffer.n; bit++) {
            struct apf_sample *s;
            struct apf_error error;
            flip_bit(&buffer, bit);
            if (read_bytes(&s, buffer.data, buffer.n, &defaults, &error) == APF_OK)
                sample_free(s);
            flip_bit(&buffer, bit);
        }
        apf_buffer_free(&buffer);
    }
}

/* How many allocations of a kind failed. */
static unsigned sweep_kind(const struct apf_buffer *buffer, enum fault_call call)
{
    for (unsigned k = 1;; k++) {
        struct apf_sample *s = sample_new();
        struct apf_error error;
        assert_non_null(s);
        fault_fail(call, k, ENOMEM);
        int code = sample_gcc_read(s, buffer->data, buffer->n, &defaults, &error);
        bool hit = fault_hit();
        fault_reset();
        sample_free(s);
        if (!hit) {
            assert_int_equal(code, APF_OK);
            return k - 1;
        }
        assert_int_equal(code, APF_NO_MEMORY);
        assert_int_equal(error.code, APF_NO_MEMORY);
    }
}

static void test_memory_faults(void **state)
{
    static const char *const unsorted[] = {"", "x", "g", "main", "work"};
    (void)state;
    for (unsigned i = 2; i < GB_LAYOUTS; i++) { /* 3b is read as 3 first */
        struct gb_profile p = whole_profile(i);
        struct apf_buffer buffer = {NULL, 0, 0};
        p.names = unsorted;
        gb_append(&buffer, &p);
        assert_in_range(sweep_kind(&buffer, FAULT_MEMORY), 8, 60);
        assert_in_range(sweep_kind(&buffer, FAULT_ARENA), 8, 60);
        apf_buffer_free(&buffer);
    }
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
    assert_int_equal(read_bytes(&s, buffer.data, buffer.n, &defaults, NULL), APF_OK);
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
        cmocka_unit_test(test_layouts),         cmocka_unit_test(test_mislabelled),
        cmocka_unit_test(test_empty),           cmocka_unit_test(test_begins),
        cmocka_unit_test(test_repeated_places), cmocka_unit_test(test_repeated_functions),
        cmocka_unit_test(test_equal_names),     cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_name_at_0),       cmocka_unit_test(test_tails),
        cmocka_unit_test(test_ignored),         cmocka_unit_test(test_strings),
        cmocka_unit_test(test_errors),          cmocka_unit_test(test_header_errors),
        cmocka_unit_test(test_modules),         cmocka_unit_test(test_limits),
        cmocka_unit_test(test_prefixes),        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_memory_faults),   cmocka_unit_test(test_many),
    };
    return RUN_TESTS(tests);
}
