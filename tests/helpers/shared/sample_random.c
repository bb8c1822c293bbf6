/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/sample_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "sample/json/sample_json_read.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_tree.h"

static uint64_t below(uint64_t *chance, uint64_t n)
{
    return next_random(chance) % n;
}

static bool one_in(uint64_t *chance, uint64_t n)
{
    return below(chance, n) == 0;
}

/* ---- random profiles ---- */

static uint32_t random_name(struct apf_sample *s, const struct sample_wish *wish, uint64_t *chance)
{
    static const struct apf_str odd[] = {
        {"\xff\xfe", 2}, {"\"\\\n\t", 4}, {"", 0}, {"a\0b", 3}, {"\xc3\xa9", 2}};
    char text[32];
    struct apf_str name = {text, 0};
    uint32_t number, file = SAMPLE_NONE;
    if (wish->all && one_in(chance, 5)) {
        assert_int_equal(sample_names_add_hash(&s->names, 1 + below(chance, 5), &number, NULL), APF_OK);
        return number;
    }
    if (wish->all && one_in(chance, 6)) {
        struct apf_str source = {text,
                                 (size_t)snprintf(text, sizeof text, "%c.c", 'a' + (int)below(chance, 2))};
        assert_int_equal(text_set_add(&s->names.files, source, &file, NULL), APF_OK);
    }
    if (wish->all && one_in(chance, 6))
        name = odd[below(chance, COUNT(odd))];
    else
        name.n = (size_t)snprintf(text, sizeof text, "_Z%uf", (unsigned)below(chance, 12));
    assert_int_equal(sample_names_add(&s->names, name, file, true, &number, NULL), APF_OK);
    return number;
}

static uint64_t random_place(uint64_t *chance)
{
    return sample_place((uint32_t)below(chance, 9), one_in(chance, 3) ? (uint32_t)next_random(chance) : 0);
}

static uint64_t random_count(uint64_t *chance)
{
    return one_in(chance, 20) ? next_random(chance) >> 4 : below(chance, 1000);
}

static void fill_extra(struct apf_sample *s, uint32_t node, const struct sample_wish *wish, uint64_t *chance)
{
    if (one_in(chance, 4))
        s->nodes.data[node].attributes = (uint16_t)next_random(chance);
    if (one_in(chance, 8))
        s->nodes.data[node].state |= SAMPLE_SATURATED;
    if (one_in(chance, 5)) {
        struct sample_extra *extra = sample_node_extra(s, node);
        assert_non_null(extra);
        extra->first_time = next_random(chance);
    }
    for (uint64_t i = one_in(chance, 4) ? 4 : 0; i > 0; i--)
        assert_int_equal(sample_append_vtable(s, node, random_place(chance), random_name(s, wish, chance),
                                              below(chance, 9), NULL),
                         APF_OK);
}

static void fill_node(struct apf_sample *s, uint32_t node, const struct sample_wish *wish, uint64_t *chance)
{
    s->nodes.data[node].total = random_count(chance);
    if (wish->probes)
        s->nodes.data[node].checksum = 1 + s->nodes.data[node].name;
    if (wish->all)
        fill_extra(s, node, wish, chance);
    for (uint64_t i = below(chance, 6); i > 0; i--) {
        uint64_t at = random_place(chance);
        assert_int_equal(sample_append_line(s, node, at, random_count(chance), NULL), APF_OK);
        for (uint64_t k = one_in(chance, 3) ? below(chance, 4) : 0; k > 0; k--)
            assert_int_equal(
                sample_append_target(s, node, at, random_name(s, wish, chance), below(chance, 9), NULL),
                APF_OK);
    }
}

static void fill_inlined(struct apf_sample *s, uint32_t top, const struct sample_wish *wish, uint64_t *chance)
{
    uint32_t node, first = (uint32_t)s->nodes.n;
    /* What was added gets callees, too. */
    for (uint32_t caller = top, n = 0; caller < s->nodes.n && n < 12;
         caller = caller == top ? first : caller + 1)
        for (uint64_t i = below(chance, 3); i > 0; i--, n++) {
            uint32_t name = random_name(s, wish, chance);
            assert_int_equal(sample_inlined(s, caller, random_place(chance), name, &node, NULL), APF_OK);
            fill_node(s, node, wish, chance);
        }
}

static uint32_t random_context(struct apf_sample *s, const struct sample_wish *wish, uint64_t *chance)
{
    uint32_t context = SAMPLE_NONE;
    for (uint64_t i = wish->contexts ? below(chance, 4) : 0; i > 0; i--)
        assert_int_equal(sample_contexts_add(&s->contexts, context,
                                             context == SAMPLE_NONE ? 0 : random_place(chance),
                                             random_name(s, wish, chance), &context, NULL),
                         APF_OK);
    assert_int_equal(sample_contexts_add(&s->contexts, context,
                                         context == SAMPLE_NONE ? 0 : random_place(chance),
                                         random_name(s, wish, chance), &context, NULL),
                     APF_OK);
    return context;
}

/* What a profile has beside its functions. */
static void fill_profile(struct apf_sample *s, const struct sample_wish *wish, uint64_t *chance)
{
    struct apf_str symbols[] = {{"main", 4}, {"\x80", 1}, {"a", 1}};
    struct sample_summary *summary = arena_zeros(&s->arena, 1, sizeof *summary);
    struct sample_summary_row *rows = arena_zeros(&s->arena, 2, sizeof *rows);
    assert_true(summary && rows);
    for (size_t i = 0; i < COUNT(symbols); i++)
        assert_int_equal(sample_append_symbol(s, symbols[i], NULL), APF_OK);
    rows[0].cutoff = 990000;
    rows[0].min_count = rows[1].n_counts = next_random(chance);
    summary->rows = rows;
    summary->n_rows = 2;
    summary->total = summary->max_count = summary->n_counts = next_random(chance);
    s->stored = summary;
    s->info.flags |= APF_SAMPLE_FS | APF_SAMPLE_PARTIAL;
    s->info.format = APF_SAMPLE_GCC;
    s->info.version = 3;
    s->info.layout = "3a";
    s->info.big_endian = 1;
    s->findings[1] = 7;
    (void)random_name(s, wish, chance); /* which perhaps no function has */
}

struct apf_sample *sample_random(const struct sample_wish *wish, uint64_t *chance)
{
    struct apf_sample *s = sample_new();
    assert_non_null(s);
    s->info.format = APF_SAMPLE_TEXT;
    s->info.flags = (wish->contexts ? APF_SAMPLE_CONTEXTS : 0) | (wish->probes ? APF_SAMPLE_PROBES : 0);
    for (uint64_t i = 1 + below(chance, wish->most ? wish->most : 8); i > 0; i--) {
        uint32_t node;
        assert_int_equal(sample_top(s, random_context(s, wish, chance), &node, NULL), APF_OK);
        fill_node(s, node, wish, chance);
        s->nodes.data[node].head = below(chance, 50);
        fill_inlined(s, node, wish, chance);
    }
    if (wish->all)
        fill_profile(s, wish, chance);
    assert_int_equal(sample_seal(s, NULL), APF_OK);
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    return s;
}

/* ---- JSON ---- */

static struct apf_sample *read_json(const char *json, size_t n)
{
    const struct sample_read_options options = {
        .max_bytes = UINT64_MAX, .max_records = UINT64_MAX, .max_depth = SAMPLE_MAX_DEPTH};
    struct apf_sample *s = sample_new();
    struct apf_error error;
    assert_non_null(s);
    if (sample_json_read(s, (const uint8_t *)json, n, &options, &error) != APF_OK)
        fail_msg("%s", error.message);
    return s;
}

struct apf_sample *sample_of_json(const char *json)
{
    return read_json(json, strlen(json));
}

struct apf_sample *sample_of_functions(const char *functions)
{
    static const char head[] = "{\"schema\":\"anyprof-sample/1\",\"functions\":[";
    size_t n = sizeof head + strlen(functions) + 2;
    char *json = malloc(n);
    assert_non_null(json);
    n = (size_t)snprintf(json, n, "%s%s]}", head, functions);
    struct apf_sample *s = read_json(json, n);
    free(json);
    return s;
}

struct apf_sample *sample_of_text(const char *text)
{
    struct apf_input input = apf_input_memory(text, strlen(text), NULL);
    struct apf_sample *s;
    struct apf_error error;
    if (apf_sample_open(&s, &input, NULL, &error) != APF_OK)
        fail_msg("%s", error.message);
    return s;
}

struct apf_buffer sample_to_json(const struct apf_sample *s)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_sample_write_json(s, &output, NULL), APF_OK);
    return out;
}

/* ---- comparison ---- */

struct compared {
    const struct apf_sample *s;
    struct sample_order order;
    struct sample_tree tree;
    struct sample_tree_walk walk;
};

static void same_text(struct apf_str a, struct apf_str b)
{
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.p == NULL, b.p == NULL);
    if (a.n)
        assert_memory_equal(a.p, b.p, a.n);
}

static void same_name(const struct compared c[2], uint32_t a, uint32_t b)
{
    const struct sample_names *names[2] = {&c[0].s->names, &c[1].s->names};
    const struct sample_name *x = &names[0]->list.data[a], *y = &names[1]->list.data[b];
    same_text(sample_names_text(names[0], a), sample_names_text(names[1], b));
    assert_int_equal(sample_names_hash(names[0], a), sample_names_hash(names[1], b));
    assert_int_equal(x->file == SAMPLE_NONE, y->file == SAMPLE_NONE);
    if (x->file != SAMPLE_NONE)
        same_text(names[0]->files.list.data[x->file], names[1]->files.list.data[y->file]);
}

static void same_targets(struct compared c[2], const struct sample_targets *a, const struct sample_targets *b)
{
    uint32_t next[2] = {0, 0}, n[2];
    assert_int_equal(a->n, b->n);
    while (next[0] < a->n) {
        uint64_t at = a->data[next[0]].at;
        assert_int_equal(at, b->data[next[1]].at);
        const struct sample_target *x = sample_order_targets(&c[0].order, a, at, &next[0], &n[0]);
        const struct sample_target *y = sample_order_targets(&c[1].order, b, at, &next[1], &n[1]);
        assert_int_equal(n[0], n[1]);
        for (uint32_t i = 0; i < n[0]; i++) {
            assert_int_equal(x[i].count, y[i].count);
            same_name(c, x[i].name, y[i].name);
        }
    }
}

static void same_node(struct compared c[2], uint32_t node_a, uint32_t node_b)
{
    const struct sample_node *a = &c[0].s->nodes.data[node_a], *b = &c[1].s->nodes.data[node_b];
    same_name(c, a->name, b->name);
    assert_int_equal(a->at, b->at);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->head, b->head);
    assert_int_equal(a->checksum, b->checksum);
    assert_int_equal(a->attributes, b->attributes);
    assert_int_equal(a->state & SAMPLE_SATURATED, b->state & SAMPLE_SATURATED);
    assert_int_equal(a->extra ? a->extra->first_time : 0, b->extra ? b->extra->first_time : 0);
    assert_int_equal(a->lines.n, b->lines.n);
    if (a->lines.n)
        assert_memory_equal(a->lines.data, b->lines.data, a->lines.n * sizeof *a->lines.data);
    same_targets(c, &a->targets, &b->targets);
    same_targets(c, sample_vtables(a), sample_vtables(b));
}

static void same_context(struct compared c[2], uint32_t a, uint32_t b)
{
    while (a != SAMPLE_NONE && b != SAMPLE_NONE) {
        const struct sample_context *x = &c[0].s->contexts.list.data[a], *y = &c[1].s->contexts.list.data[b];
        assert_int_equal(x->at, y->at);
        assert_int_equal(x->depth, y->depth);
        same_name(c, x->name, y->name);
        a = x->caller;
        b = y->caller;
    }
    assert_int_equal(a, b);
}

static void same_function(struct compared c[2], uint32_t a, uint32_t b)
{
    bool more[2] = {true, true};
    same_context(c, c[0].s->nodes.data[a].context, c[1].s->nodes.data[b].context);
    sample_tree_begin(&c[0].walk, &c[0].tree, a);
    sample_tree_begin(&c[1].walk, &c[1].tree, b);
    while (more[0] && more[1]) {
        assert_int_equal(c[0].walk.depth, c[1].walk.depth);
        same_node(c, c[0].walk.node, c[1].walk.node);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(sample_tree_next(&c[i].walk, &more[i], NULL), APF_OK);
    }
    assert_int_equal(more[0], more[1]);
}

static void same_profile(const struct apf_sample *a, const struct apf_sample *b)
{
    assert_int_equal(a->info.flags, b->info.flags);
    assert_int_equal(a->info.origin, b->info.origin);
    assert_int_equal(a->info.version, b->info.version);
    assert_int_equal(a->info.big_endian, b->info.big_endian);
    assert_string_equal(a->info.layout, b->info.layout);
    assert_memory_equal(&a->info.n_functions, &b->info.n_functions,
                        offsetof(struct apf_sample_info, origin) -
                            offsetof(struct apf_sample_info, n_functions));
    assert_memory_equal(a->findings, b->findings, sizeof a->findings);
    assert_int_equal(a->has_symbols, b->has_symbols);
    assert_int_equal(a->symbols.n, b->symbols.n);
    for (size_t i = 0; i < a->symbols.n; i++)
        same_text(a->symbols.data[i], b->symbols.data[i]);
    assert_int_equal(a->stored == NULL, b->stored == NULL);
    if (!a->stored || !b->stored)
        return;
    assert_memory_equal(a->stored, b->stored, offsetof(struct sample_summary, rows));
    assert_int_equal(a->stored->n_rows, b->stored->n_rows);
    assert_memory_equal(a->stored->rows, b->stored->rows, a->stored->n_rows * sizeof *a->stored->rows);
}

void sample_assert_same(const struct apf_sample *a, const struct apf_sample *b)
{
    struct compared c[2] = {{.s = a}, {.s = b}};
    same_profile(a, b);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sample_order_make(&c[i].order, c[i].s, NULL), APF_OK);
        assert_int_equal(sample_tree_make(&c[i].tree, c[i].s, c[i].order.names, NULL), APF_OK);
    }
    for (size_t i = 0; i < c[0].order.n_tops; i++)
        same_function(c, c[0].order.tops[i], c[1].order.tops[i]);
    for (unsigned i = 0; i < 2; i++) {
        sample_order_free(&c[i].order);
        sample_tree_free(&c[i].tree);
        sample_tree_walk_free(&c[i].walk);
    }
}

void sample_assert_text(const struct apf_buffer *got, const char *want)
{
    if (got->n != strlen(want) || memcmp(got->data, want, got->n) != 0)
        fail_msg("got\n%.*s\nwant\n%s", (int)got->n, (const char *)got->data, want);
}
