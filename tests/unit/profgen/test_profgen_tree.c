/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts as a tree: functions that are raised to the top level are added up there with what they call; and the order
 * in which functions are looked at: callers first. */
#include "helpers/shared/unit.h"

#include <stdlib.h>
#include <string.h>

#include "profgen/profgen_call_order.h"
#include "profgen/profgen_tree.h"

/* Adds a function whose context is letters, the outermost first, each called in line 1 of the one before. */
static void add_function(struct apf_sample *s, const char *context, uint64_t count)
{
    uint32_t caller = SAMPLE_NONE, name, node;
    for (const char *p = context; *p; p++) {
        struct apf_str text = {p, 1};
        assert_int_equal(sample_names_add(&s->names, text, SAMPLE_NONE, true, &name, NULL), APF_OK);
        assert_int_equal(sample_contexts_add(&s->contexts, caller,
                                             caller == SAMPLE_NONE ? 0 : sample_place(1, 0), name, &caller,
                                             NULL),
                         APF_OK);
    }
    assert_int_equal(sample_top(s, caller, &node, NULL), APF_OK);
    s->nodes.data[node].total = s->nodes.data[node].head = count;
    assert_int_equal(sample_append_line(s, node, sample_place(1, 0), count, NULL), APF_OK);
}

static uint32_t find(const struct profgen_tree *t, const char *context)
{
    uint32_t at = PROFGEN_NOWHERE;
    for (const char *p = context; *p; p++) {
        struct apf_str text = {p, 1};
        uint32_t name;
        assert_int_equal(sample_names_add(&t->s->names, text, SAMPLE_NONE, true, &name, NULL), APF_OK);
        at = profgen_tree_find(t, at, p == context ? 0 : sample_place(1, 0), name);
        if (at == PROFGEN_NOWHERE)
            return at;
    }
    return at;
}

static void check_total(const struct profgen_tree *t, const char *context, uint64_t total)
{
    uint32_t at = find(t, context);
    uint32_t node = at == PROFGEN_NOWHERE ? SAMPLE_NONE : t->list.data[at].node;
    assert_int_equal(node == SAMPLE_NONE ? 0 : t->s->nodes.data[node].total, total);
}

static void open_tree(struct profgen_tree *t, struct apf_sample *s)
{
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(profgen_tree_open(t, s, NULL), APF_OK);
}

static void test_raise(void **state)
{
    struct apf_sample *s = sample_new();
    struct profgen_tree t;
    uint32_t to;
    (void)state;
    assert_non_null(s);
    add_function(s, "m", 1);
    add_function(s, "mf", 2);
    add_function(s, "mfg", 4);
    add_function(s, "mfgh", 8);
    add_function(s, "f", 16);
    add_function(s, "fg", 32);
    open_tree(&t, s);
    assert_int_equal(profgen_tree_raise(&t, find(&t, "mf"), &to, NULL), APF_OK);
    assert_int_equal(to, find(&t, "f"));
    check_total(&t, "m", 1);
    check_total(&t, "f", 18);
    check_total(&t, "fg", 36);
    check_total(&t, "fgh", 8);
    check_total(&t, "mf", 0);
    assert_int_equal(profgen_tree_raise(&t, find(&t, "fgh"), &to, NULL),
                     APF_OK); /* there is none at the top yet */
    assert_int_equal(to, find(&t, "h"));
    check_total(&t, "h", 8);
    assert_int_equal(find(&t, "fgh"), PROFGEN_NOWHERE);
    assert_int_equal(profgen_tree_finish(&t, NULL), APF_OK);
    assert_int_equal(s->top.n, 4); /* m, f, f @ g, h */
    profgen_tree_close(&t);
    sample_free(s);
}

/* Recursion: a function that is raised becomes part of the one that calls it. */
static void test_raise_recursive(void **state)
{
    struct apf_sample *s = sample_new();
    struct profgen_tree t;
    uint32_t to;
    (void)state;
    assert_non_null(s);
    add_function(s, "f", 1);
    add_function(s, "ff", 2);
    add_function(s, "fff", 4);
    add_function(s, "fffg", 8);
    open_tree(&t, s);
    while (find(&t, "ff") != PROFGEN_NOWHERE)
        assert_int_equal(profgen_tree_raise(&t, find(&t, "ff"), &to, NULL), APF_OK);
    check_total(&t, "f", 7);
    check_total(&t, "fg", 8);
    profgen_tree_close(&t);
    sample_free(s);
}

static void check_order(const char *const *contexts, size_t n, uint64_t cold, const char *expected)
{
    struct apf_sample *s = sample_new();
    struct profgen_tree t;
    uint32_t *order;
    size_t n_order;
    char found[20] = "";
    assert_non_null(s);
    for (size_t i = 0; i < n; i++)
        add_function(s, contexts[i], 1 + i);
    open_tree(&t, s);
    assert_int_equal(profgen_call_order(&t, cold, &order, &n_order, NULL), APF_OK);
    assert_true(n_order < sizeof found);
    for (size_t i = 0; i < n_order; i++)
        found[i] = *sample_names_text(&s->names, order[i]).p;
    found[n_order] = 0;
    assert_string_equal(found, expected);
    free(order);
    profgen_tree_close(&t);
    sample_free(s);
}

static void test_order(void **state)
{
    static const char *const chain[] = {"abc", "ab", "a", "bc", "b", "c"}, *const cycle[] = {"a", "ab",
                                                                                             "b", "bc",
                                                                                             "c", "cb"};
    (void)state;
    check_order(NULL, 0, 0, "");
    check_order(chain, COUNT(chain), 0, "abc");
    check_order(cycle, COUNT(cycle), 0, "acb"); /* the call of b by c is the hottest one */
}

TEST_FILE(profgen_tree)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_raise), cmocka_unit_test(test_raise_recursive),
                                       cmocka_unit_test(test_order)};
    return RUN_TESTS(tests);
}
