/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names, contexts, sorting, joining and order of sample profiles. */
#include <stdlib.h>
#include <string.h>

#include "base/md5.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_summary.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

static struct apf_str str(const char *s)
{
    struct apf_str text = {s, strlen(s)};
    return text;
}

static uint32_t name_of(struct apf_sample *s, const char *name)
{
    uint32_t number;
    assert_int_equal(sample_names_add(&s->names, str(name), SAMPLE_NONE, true, &number, NULL), APF_OK);
    return number;
}

static uint32_t top_of(struct apf_sample *s, const char *name)
{
    uint32_t context, node;
    assert_int_equal(sample_contexts_base(&s->contexts, name_of(s, name), &context, NULL), APF_OK);
    assert_int_equal(sample_top(s, context, &node, NULL), APF_OK);
    return node;
}

static uint32_t call_of(struct apf_sample *s, uint32_t caller, uint32_t line, const char *name)
{
    uint32_t node;
    assert_int_equal(sample_inlined(s, caller, sample_place(line, 0), name_of(s, name), &node, NULL), APF_OK);
    return node;
}

static void add_line(struct apf_sample *s, uint32_t node, uint32_t line, uint64_t count)
{
    assert_int_equal(sample_append_line(s, node, sample_place(line, 0), count, NULL), APF_OK);
}

static void add_target(struct apf_sample *s, uint32_t node, uint32_t line, const char *name, uint64_t count)
{
    add_line(s, node, line, 0);
    assert_int_equal(sample_append_target(s, node, sample_place(line, 0), name_of(s, name), count, NULL),
                     APF_OK);
}

static void test_names(void **state)
{
    struct sample_names s = {0};
    uint32_t a, b, c, again, *ranks;
    (void)state;
    assert_int_equal(sample_names_add(&s, str("foo"), SAMPLE_NONE, true, &a, NULL), APF_OK);
    assert_int_equal(sample_names_add(&s, str("bar"), SAMPLE_NONE, true, &b, NULL), APF_OK);
    assert_int_equal(sample_names_add(&s, str("foo"), SAMPLE_NONE, true, &again, NULL), APF_OK);
    assert_int_equal(again, a);
    /* A hash of a known name is that name, and a name of a known hash gets its number. */
    assert_int_equal(sample_names_add_hash(&s, md5_name_ref("bar", 3), &again, NULL), APF_OK);
    assert_int_equal(again, b);
    assert_int_equal(sample_names_add_hash(&s, md5_name_ref("late", 4), &c, NULL), APF_OK);
    assert_null(s.list.data[c].p);
    assert_int_equal(sample_names_rank(&s, &ranks, NULL), APF_OK);
    assert_int_equal(ranks[c], 0); /* hashes come first */
    assert_int_equal(ranks[b], 1);
    assert_int_equal(ranks[a], 2);
    free(ranks);
    assert_int_equal(sample_names_add(&s, str("late"), SAMPLE_NONE, true, &again, NULL), APF_OK);
    assert_int_equal(again, c);
    assert_memory_equal(s.list.data[c].p, "late", 4);
    assert_int_equal(sample_names_find(&s, str("late"), SAMPLE_NONE), c);
    assert_int_equal(sample_names_find(&s, str("none"), SAMPLE_NONE), SAMPLE_NONE);
    sample_names_free(&s);
}

/* Names of different files are different names, but only one of them is a hash's. */
static void test_files(void **state)
{
    struct sample_names s = {0};
    uint32_t f, g, a, b, plain, *ranks;
    (void)state;
    assert_int_equal(text_set_add(&s.files, str("z.c"), &f, NULL), APF_OK);
    assert_int_equal(text_set_add(&s.files, str("a.c"), &g, NULL), APF_OK);
    assert_int_equal(sample_names_add(&s, str("x"), f, true, &a, NULL), APF_OK);
    assert_int_equal(sample_names_add(&s, str("x"), g, true, &b, NULL), APF_OK);
    assert_int_equal(sample_names_add_hash(&s, md5_name_ref("x", 1), &plain, NULL), APF_OK);
    assert_true(plain != a && plain != b);
    assert_int_equal(sample_names_add(&s, str("x"), SAMPLE_NONE, true, &b, NULL), APF_OK);
    assert_int_equal(b, plain);
    assert_int_equal(sample_names_find(&s, str("x"), g), 1);
    assert_int_equal(sample_names_rank(&s, &ranks, NULL), APF_OK);
    assert_int_equal(ranks[plain], 0);
    assert_int_equal(ranks[1], 1); /* a.c before z.c */
    assert_int_equal(ranks[a], 2);
    free(ranks);
    sample_names_free(&s);
}

static void test_decimal(void **state)
{
    (void)state;
    assert_int_equal(sample_names_decimal(str("18446744073709551615")), UINT64_MAX);
    assert_int_equal(sample_names_decimal(str("18446744073709551616")), 0);
    assert_int_equal(sample_names_decimal(str("012")), 0);
    assert_int_equal(sample_names_decimal(str("0")), 0);
    assert_int_equal(sample_names_decimal(str("")), 0);
    assert_int_equal(sample_names_decimal(str("12a")), 0);
    assert_int_equal(sample_names_decimal(str("12")), 12);
}

/* Names that were appended without a search are found later. */
static void test_push(void **state)
{
    struct sample_names s = {0};
    uint32_t a, b, again;
    (void)state;
    assert_int_equal(sample_names_push(&s, str("a"), &a, NULL), APF_OK);
    assert_int_equal(sample_names_push(&s, str("b"), &b, NULL), APF_OK);
    assert_int_equal(sample_names_add(&s, str("b"), SAMPLE_NONE, true, &again, NULL), APF_OK);
    assert_int_equal(again, b);
    assert_int_equal(sample_names_add_hash(&s, md5_name_ref("a", 1), &again, NULL), APF_OK);
    assert_int_equal(again, a);
    sample_names_free(&s);
}

static void test_contexts(void **state)
{
    struct sample_contexts c = {0};
    uint32_t main_, foo, bar, again, *ranks;
    static const uint32_t name_ranks[] = {1, 0, 2}; /* of names 0 "main", 1 "bar", 2 "zed" */
    (void)state;
    assert_int_equal(sample_contexts_base(&c, 2, &again, NULL), APF_OK);
    assert_int_equal(sample_contexts_base(&c, 0, &main_, NULL), APF_OK);
    assert_int_equal(sample_contexts_add(&c, main_, sample_place(3, 0), 2, &foo, NULL), APF_OK);
    assert_int_equal(sample_contexts_add(&c, main_, sample_place(2, 1), 1, &bar, NULL), APF_OK);
    assert_int_equal(sample_contexts_add(&c, main_, sample_place(3, 0), 2, &again, NULL), APF_OK);
    assert_int_equal(again, foo);
    assert_int_equal(sample_contexts_find(&c, main_, sample_place(3, 1), 2), SAMPLE_NONE);
    assert_int_equal(c.list.data[foo].depth, 1);
    assert_int_equal(sample_contexts_rank(&c, name_ranks, &ranks, NULL), APF_OK);
    assert_int_equal(ranks[main_], 0); /* [main], [main:2.1 @ bar], [main:3 @ zed], [zed] */
    assert_int_equal(ranks[bar], 1);
    assert_int_equal(ranks[foo], 2);
    assert_int_equal(ranks[0], 3);
    free(ranks);
    sample_contexts_free(&c);
}

/* Lines, targets and callees in any order, with repetitions. */
static void test_seal(void **state)
{
    struct apf_sample *s = sample_new();
    (void)state;
    uint32_t f = top_of(s, "f");
    add_line(s, f, 7, 1);
    add_line(s, f, 3, UINT64_MAX);
    add_target(s, f, 7, "g", 4);
    add_target(s, f, 7, "a", 5);
    add_target(s, f, 7, "g", 6);
    add_line(s, f, 3, 2);
    uint32_t first = call_of(s, f, 9, "in"), other = call_of(s, f, 2, "in"), twice = call_of(s, f, 9, "in");
    add_line(s, first, 1, 10);
    uint32_t deep = call_of(s, first, 5, "deep"), deep_again = call_of(s, twice, 5, "deep");
    add_line(s, deep, 1, 1);
    add_line(s, deep_again, 1, 2);
    add_line(s, deep_again, 2, 8);
    add_line(s, twice, 1, 5);
    s->nodes.data[first].total = 11;
    s->nodes.data[twice].total = 9;
    assert_int_equal(top_of(s, "f"), f);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    const struct sample_node *n = s->nodes.data;
    assert_int_equal(n[f].lines.n, 2);
    assert_int_equal(n[f].lines.data[0].at, sample_place(3, 0));
    assert_int_equal(n[f].lines.data[0].count, UINT64_MAX);
    assert_int_equal(n[f].lines.data[1].count, 1);
    assert_int_equal(s->n_saturated, 1);
    assert_int_equal(n[f].targets.n, 2);
    assert_int_equal(n[f].targets.data[0].count + n[f].targets.data[1].count, 15);
    assert_int_equal(n[f].callees.n, 2);
    assert_int_equal(n[f].callees.data[0], other);
    assert_int_equal(n[f].callees.data[1], first);
    assert_int_equal(n[first].total, 20);
    assert_int_equal(n[first].lines.data[0].count, 15);
    assert_int_equal(n[first].callees.n, 1);
    assert_int_equal(n[deep].lines.data[0].count, 3);
    assert_int_equal(n[deep].lines.data[1].count, 8);
    assert_int_equal(s->info.n_functions, 1);
    assert_int_equal(s->info.n_inlined, 3);
    assert_int_equal(s->info.max_depth, 2);
    struct sample_walk walk = {0};
    bool more = true;
    uint32_t seen[8], depth[8];
    size_t visits = 0;
    for (sample_walk_begin(&walk, s, f); more; visits++) {
        seen[visits] = walk.node;
        depth[visits] = walk.depth;
        assert_int_equal(sample_walk_next(&walk, &more, NULL), APF_OK);
    }
    assert_int_equal(visits, 4);
    assert_int_equal(seen[1], other);
    assert_int_equal(seen[3], deep);
    assert_int_equal(depth[3], 2);
    sample_walk_free(&walk);
    sample_free(s);
}

/* A million entries in the worst order take no more than n log n. */
static void test_many(void **state)
{
    struct apf_sample *s = sample_new();
    (void)state;
    uint32_t f = top_of(s, "f"), many = 300000;
    for (uint32_t i = many; i-- > 0;) {
        uint32_t node;
        assert_int_equal(sample_append_line(s, f, sample_place(i, 0), i, NULL), APF_OK);
        assert_int_equal(sample_append_line(s, f, sample_place(i, 0), i, NULL), APF_OK);
        assert_int_equal(sample_inlined(s, f, sample_place(i / 2, 0), 0, &node, NULL), APF_OK);
        assert_int_equal(sample_append_line(s, node, sample_place(i, 0), 1, NULL), APF_OK);
        assert_int_equal(sample_inlined(s, f, 0, 0, &node, NULL), APF_OK);
        assert_int_equal(sample_append_line(s, node, sample_place(i, 0), 1, NULL), APF_OK);
    }
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    const struct sample_node *n = s->nodes.data;
    assert_int_equal(n[f].lines.n, many);
    assert_int_equal(n[f].lines.data[many - 1].count, 2 * (many - 1));
    assert_int_equal(n[f].callees.n, many / 2);
    assert_int_equal(n[n[f].callees.data[0]].lines.n, many);
    sample_free(s);
}

/* Renaming two functions to one adds them up, at the top level, as callees, as targets and in contexts. */
static void test_rename(void **state)
{
    struct apf_sample *s = sample_new();
    struct sample_names names = {0};
    uint32_t map[8], one, two, context;
    (void)state;
    uint32_t a = top_of(s, "a"), b = top_of(s, "b"), f = top_of(s, "f");
    assert_int_equal(
        sample_contexts_add(&s->contexts, s->nodes.data[b].context, 1, s->nodes.data[f].name, &context, NULL),
        APF_OK);
    add_line(s, a, 1, 1);
    add_line(s, b, 1, 2);
    s->nodes.data[a].head = 3;
    s->nodes.data[b].head = 4;
    add_target(s, f, 1, "a", 5);
    add_target(s, f, 1, "b", 6);
    add_line(s, call_of(s, f, 2, "a"), 1, 7);
    add_line(s, call_of(s, f, 2, "b"), 1, 8);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_names_add(&names, str("f"), SAMPLE_NONE, true, &one, NULL), APF_OK);
    assert_int_equal(sample_names_add(&names, str("x"), SAMPLE_NONE, true, &two, NULL), APF_OK);
    map[s->nodes.data[a].name] = map[s->nodes.data[b].name] = two;
    map[s->nodes.data[f].name] = one;
    assert_int_equal(sample_rename(s, &names, map, NULL), APF_OK);
    assert_int_equal(s->top.n, 2);
    const struct sample_node *n = s->nodes.data;
    assert_int_equal(n[a].lines.data[0].count, 3);
    assert_int_equal(n[a].head, 7);
    assert_true(n[b].state & SAMPLE_GONE);
    assert_int_equal(n[f].targets.n, 1);
    assert_int_equal(n[f].targets.data[0].count, 11);
    assert_int_equal(n[f].callees.n, 1);
    assert_int_equal(n[n[f].callees.data[0]].lines.data[0].count, 15);
    assert_int_equal(s->contexts.list.n, 3);
    sample_free(s);
}

static void test_decimals(void **state)
{
    struct apf_sample *s = sample_new();
    (void)state;
    uint32_t f = top_of(s, "123");
    add_target(s, f, 1, "456", 1);
    add_target(s, f, 1, "name", 2);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_adopt_decimals(s, NULL), APF_OK);
    assert_int_equal(sample_names_hash(&s->names, s->nodes.data[f].name), 123);
    assert_null(s->names.list.data[s->nodes.data[f].name].p);
    assert_int_equal(s->names.list.n, 3);
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    sample_free(s);
    s = sample_new();
    top_of(s, "123");
    top_of(s, "f1");
    assert_int_equal(sample_adopt_decimals(s, NULL), APF_OK); /* not all of them are numbers */
    assert_int_equal(s->info.flags, 0);
    sample_free(s);
}

/* ---- sums ---- */

/* f with the line `line`, the target t of that line, and an inlined function that has a checksum. */
static struct apf_sample *small(uint32_t line, uint64_t count, uint64_t checksum, const char *target)
{
    struct apf_sample *s = sample_new();
    uint32_t f = top_of(s, "f");
    s->nodes.data[f].total = count;
    s->nodes.data[f].checksum = 5;
    s->nodes.data[f].attributes = (uint16_t)line;
    add_line(s, f, line, count);
    add_target(s, f, line, target, count);
    uint32_t in = call_of(s, f, 100, "in");
    s->nodes.data[in].checksum = checksum;
    add_line(s, in, line, count);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    return s;
}

static int add_one(struct apf_sample *sum, struct apf_sample *in, uint64_t weight, struct apf_error *error)
{
    uint32_t map[16];
    int code = sample_names_adopt(&sum->names, &in->names, true, map, error);
    if (code == APF_OK)
        code = sample_renumber(in, map, error);
    return code == APF_OK ? sample_add(sum, in, map, weight, weight, error) : code;
}

static void test_add(void **state)
{
    struct apf_sample *sum = sample_new();
    static const struct {
        uint32_t line;
        uint64_t count, checksum;
        const char *target;
        uint64_t weight;
    } rows[] = {{5, 10, 1, "z", 1}, {9, 1, 2, "a", 3}, {2, 4, 1, "z", 1}, {5, UINT64_MAX - 5, 1, "b", 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample *in = small(rows[i].line, rows[i].count, rows[i].checksum, rows[i].target);
        assert_int_equal(add_one(sum, in, rows[i].weight, NULL), APF_OK);
        sample_free(in);
    }
    assert_int_equal(sum->top.n, 1);
    const struct sample_node *n = sum->nodes.data, *f = &n[sum->top.data[0]];
    assert_int_equal(f->total, UINT64_MAX);
    assert_int_equal(f->votes, 6);
    assert_int_equal(f->attributes, 15);
    assert_int_equal(f->lines.n, 3);
    assert_int_equal(f->lines.data[0].count, 4);
    assert_int_equal(f->lines.data[1].count, UINT64_MAX);
    assert_int_equal(f->lines.data[2].count, 3);
    assert_int_equal(f->targets.n, 4);
    assert_true(f->state & SAMPLE_SATURATED);
    assert_int_equal(f->callees.n, 2); /* one for each checksum */
    assert_int_equal(n[f->callees.data[0]].checksum, 1);
    assert_int_equal(n[f->callees.data[0]].votes, 3);
    assert_int_equal(n[f->callees.data[0]].lines.n, 2);
    assert_int_equal(n[f->callees.data[1]].checksum, 2);
    assert_int_equal(n[f->callees.data[1]].votes, 3);
    sample_free(sum);
}

/* Whatever fails, nothing leaks or is used that was freed. */
static int add_failing(void *context, struct apf_error *error)
{
    struct apf_sample *sum = sample_new();
    struct sample_order order = {0};
    int code = sum ? APF_OK : APF_NO_MEMORY;
    (void)context;
    if (!sum && error)
        error->code = APF_NO_MEMORY;
    for (uint32_t i = 0; code == APF_OK && i < 3; i++) {
        struct apf_sample *in = sample_new();
        uint32_t name = 0, base = 0, node = 0, inlined = 0;
        code = in ? APF_OK : APF_NO_MEMORY;
        if (code == APF_OK)
            code = sample_names_add(&in->names, str(i ? "f" : "g"), SAMPLE_NONE, true, &name, error);
        if (code == APF_OK)
            code = sample_names_add_hash(&in->names, 77 + i, &inlined, error);
        if (code == APF_OK)
            code = sample_contexts_base(&in->contexts, name, &base, error);
        if (code == APF_OK)
            code = sample_top(in, base, &node, error);
        for (uint32_t k = 5; code == APF_OK && k-- > 0;) {
            code = sample_append_line(in, node, sample_place(k, i), 1, error);
            if (code == APF_OK)
                code = sample_append_target(in, node, sample_place(k, i), name, 1, error);
            if (code == APF_OK)
                code = sample_append_vtable(in, node, sample_place(k, i), name, 1, error);
            if (code == APF_OK)
                code = sample_inlined(in, node, sample_place(k % 2, i), name, &inlined, error);
        }
        if (code == APF_OK)
            code = sample_seal(in, error);
        if (code == APF_OK)
            code = add_one(sum, in, 2, error);
        sample_free(in);
    }
    if (code == APF_OK)
        code = sample_complete(sum, error);
    if (code == APF_OK)
        code = sample_order_make(&order, sum, error);
    sample_order_free(&order);
    sample_free(sum);
    return code;
}

static void test_faults(void **state)
{
    (void)state;
    assert_int_equal(add_failing(NULL, NULL), APF_OK);
    for (unsigned call = 0; call < 2; call++) {
        uint64_t at = 1;
        for (bool hit = true; hit; at++) {
            fault_fail(call ? FAULT_ARENA : FAULT_MEMORY, at, 12);
            int code = add_failing(NULL, NULL);
            hit = fault_hit();
            assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        }
        assert_true(at > 10);
    }
    fault_reset();
}

/* ---- order and summary ---- */

static void test_order(void **state)
{
    struct apf_sample *s = sample_new();
    struct sample_order o;
    uint32_t next = 0, n;
    (void)state;
    uint32_t low = top_of(s, "a"), z = top_of(s, "z"), m = top_of(s, "m");
    s->nodes.data[low].total = 1;
    s->nodes.data[z].total = s->nodes.data[m].total = 9;
    add_target(s, z, 1, "m", 3);
    add_target(s, z, 1, "z", 8);
    add_target(s, z, 1, "a", 3);
    add_target(s, z, 2, "a", 1);
    call_of(s, z, 4, "z");
    call_of(s, z, 4, "a");
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_order_make(&o, s, NULL), APF_OK);
    assert_int_equal(o.n_tops, 3);
    assert_int_equal(o.tops[0], m);
    assert_int_equal(o.tops[1], z);
    assert_int_equal(o.tops[2], low);
    const struct sample_target *t =
        sample_order_targets(&o, &s->nodes.data[z].targets, sample_place(1, 0), &next, &n);
    assert_int_equal(n, 3);
    assert_int_equal(t[0].name, s->nodes.data[z].name);
    assert_int_equal(t[1].name, s->nodes.data[low].name);
    assert_int_equal(t[2].name, s->nodes.data[m].name);
    t = sample_order_targets(&o, &s->nodes.data[z].targets, sample_place(2, 0), &next, &n);
    assert_int_equal(n, 1);
    assert_int_equal(t[0].count, 1);
    const uint32_t *callees = sample_order_callees(&o, s, z);
    assert_int_equal(s->nodes.data[callees[0]].name, s->nodes.data[low].name);
    sample_order_free(&o);
    sample_free(s);
}

/* The summary of the example in LLVM's annotated raw file: "ab:9:1" with the lines 4 and, inlined, 5. */
static void test_summary(void **state)
{
    struct apf_sample *s = sample_new();
    struct arena arena = {0};
    struct sample_summary summary;
    (void)state;
    uint32_t f = top_of(s, "ab");
    s->nodes.data[f].head = 1;
    add_line(s, f, 1, 4);
    add_line(s, call_of(s, f, 2, "c"), 1, 5);
    uint32_t copy = call_of(s, f, 3, "d");
    s->nodes.data[copy].attributes = APF_SAMPLE_DUPLICATED;
    add_line(s, copy, 1, 1000);
    add_line(s, call_of(s, copy, 1, "e"), 1, 1000);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_summary_of(s, &arena, &summary, NULL), APF_OK);
    assert_int_equal(summary.total, 9);
    assert_int_equal(summary.max_count, 5);
    assert_int_equal(summary.max_head, 1);
    assert_int_equal(summary.n_counts, 2);
    assert_int_equal(summary.n_functions, 1);
    assert_int_equal(summary.n_rows, 16);
    assert_int_equal(summary.rows[0].min_count, 0);
    assert_int_equal(summary.rows[1].n_counts, 0);
    assert_int_equal(summary.rows[2].min_count, 5);
    assert_int_equal(summary.rows[2].n_counts, 1);
    assert_int_equal(summary.rows[15].min_count, 4);
    assert_int_equal(summary.rows[15].n_counts, 2);
    assert_int_equal(sample_summary_row(&summary, SAMPLE_CUTOFF_HOT)->cutoff, 990000);
    arena_free(&arena);
    sample_free(s);
}

TEST_FILE(sample_model)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),   cmocka_unit_test(test_files),    cmocka_unit_test(test_decimal),
        cmocka_unit_test(test_push),    cmocka_unit_test(test_contexts), cmocka_unit_test(test_seal),
        cmocka_unit_test(test_many),    cmocka_unit_test(test_rename),   cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_add),     cmocka_unit_test(test_faults),   cmocka_unit_test(test_order),
        cmocka_unit_test(test_summary),
    };
    return RUN_TESTS(tests);
}
