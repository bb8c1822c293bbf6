/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading GCC's profiles: errors, limits, damage, failures of allocations. */
#include <errno.h>
#include <string.h>

#include "sample/gcc/sample_gcc_read.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/gcc_example.h"
#include "helpers/shared/gcc_memory.h"
#include "helpers/shared/unit.h"

static uint8_t *bytes_of(const struct apf_buffer *buffer)
{
    return buffer->data;
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

/* Offsets in gcc_example(2): the strings are at 24, 29, 35, 41, 50 and end at 59; functions begin at 71. */
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
        struct gb_profile p = gcc_example(c->layout);
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_sample *s;
        struct apf_error error;
        gb_append(&buffer, &p);
        for (unsigned k = 0; k < 4; k++)
            bytes_of(&buffer)[c->at + k] = (uint8_t)(c->word >> 8 * k);
        int code = gcc_read_bytes(&s, buffer.data, buffer.n, &gcc_read_limits, &error);
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
    assert_int_equal(gcc_read_bytes(&s, bytes, n, &gcc_read_limits, &error), code);
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
    struct gb_profile p = gcc_example(2);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    struct sample_progress progress = {0, 0, 0};
    struct sample_read_options o = gcc_read_limits;
    (void)state;
    p.tail = GB_MODULES;
    gb_append(&buffer, &p);
    bytes_of(&buffer)[buffer.n - 4] = 1;
    o.progress = &progress;
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_BAD_SAMPLE_GCC);
    assert_string_equal(error.where, "sample.gcc.modules");
    assert_int_equal(error.offset, buffer.n - 4);
    assert_int_equal(error.found, 1);
    assert_int_equal(progress.n_functions, 2);
    assert_int_equal(progress.end, buffer.n - 12);
    apf_buffer_free(&buffer);
}

static void test_limits(void **state)
{
    struct gb_profile p = gcc_example(2);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_sample *s;
    struct apf_error error;
    struct sample_read_options o = gcc_read_limits;
    (void)state;
    gb_append(&buffer, &p);
    o.max_records = 5;
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_OK);
    sample_free(s);
    o.max_records = 4;
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_LIMIT);
    assert_int_equal(error.found, 5);
    assert_int_equal(error.expected, 4);
    o = gcc_read_limits;
    o.max_depth = 2;
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_OK);
    sample_free(s);
    o.max_depth = 1;
    assert_int_equal(gcc_read_bytes(&s, buffer.data, buffer.n, &o, &error), APF_LIMIT);
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
        struct gb_profile p = gcc_example(i);
        struct apf_buffer buffer = {NULL, 0, 0};
        p.tail = GB_NO_TAIL;
        gb_append(&buffer, &p);
        size_t seen[2] = {0, 0}, first = buffer.n - 256 - (p.layout.form & GB_TIMES ? 16 : 0);
        for (size_t n = 16; n < buffer.n; n++) {
            struct apf_sample *s;
            struct apf_error error;
            struct sample_progress progress = {0, 0, 0};
            struct sample_read_options o = gcc_read_limits;
            o.progress = &progress;
            int code = gcc_read_bytes(&s, buffer.data, n, &o, &error);
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
            assert_int_equal(gcc_read_bytes(&s, buffer.data, n, &o, &error), APF_OK);
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

static void flip_bit(const struct apf_buffer *buffer, size_t bit)
{
    uint8_t *byte = bytes_of(buffer) + bit / 8;
    *byte = (uint8_t)(*byte ^ 1u << bit % 8);
}

static void test_flipped_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * GB_LAYOUTS; i++) {
        struct gb_profile p = gcc_example(i / 2);
        struct apf_buffer buffer = {NULL, 0, 0};
        p.big = i % 2 != 0;
        p.tail = GB_MODULES;
        gb_append(&buffer, &p);
        for (size_t bit = 0; bit < 8 * buffer.n; bit++) {
            struct apf_sample *s;
            struct apf_error error;
            flip_bit(&buffer, bit);
            if (gcc_read_bytes(&s, buffer.data, buffer.n, &gcc_read_limits, &error) == APF_OK)
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
        int code = sample_gcc_read(s, buffer->data, buffer->n, &gcc_read_limits, &error);
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
        struct gb_profile p = gcc_example(i);
        struct apf_buffer buffer = {NULL, 0, 0};
        p.names = unsorted;
        gb_append(&buffer, &p);
        assert_in_range(sweep_kind(&buffer, FAULT_MEMORY), 8, 60);
        assert_in_range(sweep_kind(&buffer, FAULT_ARENA), 8, 60);
        apf_buffer_free(&buffer);
    }
}

TEST_FILE(sample_gcc_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_header_errors),
        cmocka_unit_test(test_modules),       cmocka_unit_test(test_limits),
        cmocka_unit_test(test_prefixes),      cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_memory_faults),
    };
    return RUN_TESTS(tests);
}
