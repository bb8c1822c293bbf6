/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles: each stack counts once, bounds of what is kept, and comparisons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "report/report_model.h"

#define HEAD "---\nHeapProfileRecords:\n"
#define SITE "      - Callstack:\n"
#define FRAME(function, line, is_inline)                                                                     \
    "          - { Function: " function ", LineOffset: " line ", Column: 1, IsInlineFrame: " is_inline " }"  \
    "\n"
#define INFO(count, size, life, density)                                                                     \
    "        MemInfoBlock:\n          AllocCount: " count "\n          TotalSize: " size                     \
    "\n          TotalLifetime: " life "\n          TotalLifetimeAccessDensity: " density "\n"
#define RECORD(guid) "  - GUID: " guid "\n    AllocSites:\n"
#define NO_CALLS "    CallSites: []\n"

static struct apf_report *make(const char *text, const char *base)
{
    struct apf_report *r;
    struct apf_error error = {.message = ""};
    const struct apf_input input = apf_input_memory(text, strlen(text), "memory.yaml"),
                           other = apf_input_memory(base, base ? strlen(base) : 0, "base.yaml");
    const struct apf_report_options options = {
        .size = sizeof options, .profiles = &input, .n_profiles = 1, .base = &other, .n_base = base != NULL};
    if (apf_report_new(&r, &options, &error) != APF_OK)
        fail_msg("%s", error.message);
    return r;
}

static const struct report_cell *cell_at(const struct apf_report *r, size_t table, size_t row, size_t column)
{
    assert_true(table < r->parts[REPORT_PART_MEMORY].tables.n);
    const struct report_table *t = &r->parts[REPORT_PART_MEMORY].tables.data[table];
    assert_true(row * t->n_columns + column < t->cells.n);
    return &t->cells.data[row * t->n_columns + column];
}

static bool is_named(const struct apf_report *r, uint32_t name, const char *text)
{
    const struct apf_str raw = r->names.data[name].raw;
    return raw.n == strlen(text) && memcmp(raw.p, text, raw.n) == 0;
}

static const char one[] = HEAD RECORD("0x11") SITE FRAME("0x11", "5", "true") FRAME("0x22", "7", "false")
    INFO("2", "4096", "500000", "1") SITE FRAME("0x11", "6", "false") FRAME("0x33", "2", "false")
        INFO("10", "1000", "50", "100000") NO_CALLS
            /* The same stack once more, in the function that the innermost one is inlined in. */
            RECORD("0x22") SITE FRAME("0x11", "5", "true") FRAME("0x22", "7", "false")
                INFO("2", "4096", "500000", "1") SITE FRAME("0x22", "9", "false") INFO("1", "16", "1", "1")
                    NO_CALLS;

static void test_contexts(void **state)
{
    struct apf_report *r = make(one, NULL);
    (void)state;
    assert_int_equal(r->family, REPORT_MEMORY);
    assert_int_equal(cell_at(r, 0, 0, 1)->value, 3);    /* contexts */
    assert_int_equal(cell_at(r, 0, 1, 1)->value, 1);    /* cold */
    assert_int_equal(cell_at(r, 0, 2, 1)->value, 13);   /* allocations */
    assert_int_equal(cell_at(r, 0, 3, 1)->value, 5112); /* bytes */
    assert_int_equal(cell_at(r, 0, 4, 1)->value, 4096); /* cold ones */
    const struct report_cell *stack = cell_at(r, 1, 0, 0);
    assert_int_equal(stack->whole, 2);
    const struct report_call *calls = &r->calls.data[stack->value];
    assert_true(is_named(r, calls[0].name, "0x0000000000000011") && calls[0].line == 5 && calls[0].is_inline);
    assert_true(is_named(r, calls[1].name, "0x0000000000000022") && calls[1].line == 7 &&
                !calls[1].is_inline);
    assert_int_equal(cell_at(r, 1, 0, 1)->value, 4096);
    assert_memory_equal(cell_at(r, 1, 0, 4)->text.p, "unknown", 7); /* accesses */
    assert_int_equal(cell_at(r, 1, 0, 5)->value, 250000);           /* mean lifetime */
    assert_memory_equal(cell_at(r, 1, 0, 6)->text.p, "cold", 4);
    assert_memory_equal(cell_at(r, 1, 1, 6)->text.p, "not cold", 8);
    /* Functions by the bytes that they allocate, and the stacks from the outermost function on. */
    assert_int_equal(r->functions.n, 2);
    assert_int_equal(r->functions.data[0].total, 5096);
    assert_int_equal(r->functions.data[0].entries, 12);
    assert_int_equal(r->functions.data[1].total, 16);
    assert_int_equal(r->memory.frames.n, 5);
    assert_int_equal(r->memory.frames.data[0].total, 5112);
    assert_true(is_named(r, r->memory.frames.data[1].name, "0x0000000000000022"));
    assert_int_equal(r->memory.frames.data[1].total, 4112);
    assert_int_equal(r->memory.frames.data[1].self, 16);
    apf_report_free(r);
}

/* LLVM writes both contexts of a stack that a function has twice. */
static void test_one_stack_twice(void **state)
{
    static const char twice[] = HEAD RECORD("0x22") SITE FRAME("0x22", "9", "false")
        INFO("1", "1000", "1", "1") SITE FRAME("0x22", "9", "false") INFO("1", "3000", "1", "1") NO_CALLS;
    struct apf_report *r = make(twice, NULL);
    (void)state;
    assert_int_equal(r->functions.n, 1);
    assert_int_equal(r->functions.data[0].total, 4000);
    apf_report_free(r);
}

static void test_comparison(void **state)
{
    static const char other[] = HEAD RECORD("0x22") SITE FRAME("0x22", "9", "false")
        INFO("1", "100", "1", "1") SITE FRAME("0x99", "1", "false") INFO("1", "300", "1", "1") NO_CALLS;
    struct apf_report *r = make(one, other);
    (void)state;
    const struct report_comparison *c = &r->comparison;
    assert_true(c->made);
    assert_int_equal(c->list.n, 3);
    assert_int_equal(c->equal, 0);
    /* 0x11: 0 to 5096/5112; 0x22: 1/4 to 16/5112; 0x99: 3/4 to 0. */
    assert_true(is_named(r, c->list.data[0].name, "0x0000000000000011"));
    assert_int_equal(c->list.data[0].changes, REPORT_NEW);
    assert_int_equal(c->list.data[1].changes, REPORT_GONE);
    assert_int_equal(c->list.data[2].changes, REPORT_SHRANK);
    assert_true(c->moved > 0.996 && c->moved < 0.998);
    apf_report_free(r);
}

/* A file that has names shows them, without suffixes; those of one side of a comparison are the other's, too. */
static void test_file_names(void **state)
{
    static const char named[] = HEAD RECORD("_Z4makev") SITE FRAME("_Z4makev.llvm.7", "5", "false")
        FRAME("main", "1", "false") FRAME("0x77", "1", "false") INFO("1", "50", "1", "1") NO_CALLS;
    static const char ids[] = HEAD RECORD("0xc7b67d7a7a584ca0") SITE FRAME("0xc7b67d7a7a584ca0", "5", "false")
        INFO("1", "50", "1", "1") NO_CALLS;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct apf_report *r = make(i == 1 ? ids : named, i == 0 ? NULL : i == 1 ? named : ids);
        assert_int_equal(r->functions.n, 1);
        assert_true(is_named(r, r->functions.data[0].name, "_Z4makev"));
        if (i != 1) {
            const struct report_call *calls = &r->calls.data[cell_at(r, 1, 0, 0)->value];
            assert_true(is_named(r, calls[0].name, "_Z4makev") && is_named(r, calls[1].name, "main"));
            assert_true(is_named(r, calls[2].name, "0x0000000000000077"));
        }
        if (i != 0)
            assert_true(r->comparison.made && r->comparison.list.n == 0);
        apf_report_free(r);
    }
}

/* Appends a context of `depth` frames, whose functions begin with a number. */
static size_t append_context(char *to, size_t first, size_t depth, size_t bytes)
{
    size_t n = (size_t)sprintf(to, SITE);
    for (size_t i = 0; i < depth; i++)
        n += (size_t)sprintf(to + n, FRAME("0x%zx", "1", "false"), first + i);
    return n + (size_t)sprintf(to + n, INFO("1", "%zu", "1", "1"), bytes);
}

/* A context as deep as no page can show, and more contexts than a table has rows. */
static void test_bounds(void **state)
{
    enum { MANY = 30000, DEEP = 1000 };
    char *text = malloc((size_t)MANY * 400 + (size_t)DEEP * 100);
    (void)state;
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, HEAD RECORD("0x1"));
    n += append_context(text + n, 0x10000000, DEEP, 1000000);
    for (size_t i = 1; i < MANY; i++)
        n += append_context(text + n, i * 16, 2, 16);
    sprintf(text + n, NO_CALLS);
    struct apf_report *r = make(text, NULL);
    const struct report_table *t = &r->parts[REPORT_PART_MEMORY].tables.data[1];
    assert_int_equal(t->n_all, MANY);
    assert_int_equal(t->cells.n, REPORT_ROWS * t->n_columns);
    const struct report_cell *stack = &t->cells.data[0];
    assert_int_equal(stack->whole, REPORT_CALLS_SHOWN);
    assert_memory_equal(stack->text.p, "936 more callers", 16);
    assert_int_equal(r->memory.frames.n, 20000);
    assert_true(r->memory.n_small > 2 * MANY - 20000);
    assert_int_equal(r->memory.frames.data[0].total, 1000000 + 16 * (MANY - 1));
    for (size_t i = 1; i < r->memory.frames.n; i++)
        assert_true(r->memory.frames.data[i].parent < i);
    /* No name of what was left out: at most those of functions, boxes, and stacks of the table. */
    assert_true(r->names.n < MANY + 20000 + REPORT_CALLS_SHOWN);
    apf_report_free(r);
    free(text);
}

TEST_FILE(report_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contexts), cmocka_unit_test(test_one_stack_twice),
        cmocka_unit_test(test_comparison), cmocka_unit_test(test_file_names), cmocka_unit_test(test_bounds)};
    return RUN_TESTS(tests);
}
