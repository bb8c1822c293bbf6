/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_diff.h"

/* One of the two files. */
struct side {
    const struct apf_probes *probes;
    uint64_t *places;    /* for each node, a number for its entire inline context */
    uint64_t *starts;    /* for each node, the address from which its record's distances count */
    size_t node, desc;   /* the next node and descriptor, by GUID */
    VEC(uint64_t) ids;   /* of the present function, sorted */
    VEC(uint64_t) at;    /* places of its nodes, sorted */
    VEC(uint64_t) spots; /* place, id and distance of each probe in one number, sorted */
    bool unplaced;       /* some addresses are unknown */
};

/* A bijection of b for each a, and the reverse: numbers of different paths differ, except by chance. */
static uint64_t mix_hash(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u + b;
    x ^= x >> 31;
    x *= 0x94D049BB133111EBu;
    return x ^ x >> 29;
}

static uint64_t record_start(const struct apf_probes *p, uint32_t number)
{
    const struct apf_probe_node *node = &p->nodes.data[number];
    const struct probe_symbol *symbol =
        probe_find_symbol(p, node->symbol ? node->symbol : node->guid, node->text);
    return symbol ? symbol->address : 0;
}

static bool place_nodes(struct side *s, struct arena *arena)
{
    const struct apf_probes *p = s->probes;
    s->places = arena_array(arena, p->nodes.n, sizeof *s->places);
    s->starts = arena_array(arena, p->nodes.n, sizeof *s->starts);
    for (size_t i = 0; s->places && s->starts && i < p->nodes.n; i++) {
        const struct apf_probe_node *node = &p->nodes.data[i];
        bool top = node->parent == APF_PROBE_NONE;
        s->places[i] =
            mix_hash(mix_hash(top ? node->symbol : s->places[node->parent], node->guid), node->call_probe);
        s->starts[i] = top ? record_start(p, (uint32_t)i) : s->starts[node->parent];
    }
    return s->places && s->starts;
}

/* ---- one function ---- */

static bool gather_node(struct side *s, uint32_t number)
{
    const struct apf_probe_node *node = &s->probes->nodes.data[number];
    bool done = VEC_PUSH(&s->at, s->places[number]);
    for (uint32_t i = node->first_probe; done && i < node->first_probe + node->n_probes; i++) {
        const struct apf_probe *probe = &s->probes->probes.data[i];
        s->unplaced = s->unplaced || probe->flags & APF_PROBE_FLAG_UNPLACED;
        uint64_t distance = probe->flags & APF_PROBE_FLAG_UNPLACED ? 0 : probe->address - s->starts[number];
        done = VEC_PUSH(&s->ids, probe->id) &&
               VEC_PUSH(&s->spots, mix_hash(mix_hash(s->places[number], probe->id), distance));
    }
    return done;
}

#define SORT(v) (VEC_RESERVE(v, (v)->n) && (sort_numbers_of((v)->data, (v)->n), true))

static void sort_numbers_of(uint64_t *numbers, size_t n)
{
    if (n)
        sort_numbers(numbers, numbers + n, n);
}

/* Collects the data of a function on one side. */
static bool gather_functions(struct side *s, uint64_t guid)
{
    const struct apf_probes *p = s->probes;
    bool done = true;
    s->ids.n = s->at.n = s->spots.n = 0;
    s->unplaced = false;
    for (; done && s->node < p->nodes.n && p->nodes.data[p->by_guid[s->node]].guid == guid; s->node++)
        done = gather_node(s, p->by_guid[s->node]);
    while (s->desc < p->descs.n && p->descs.data[s->desc].guid == guid)
        s->desc++;
    return done && SORT(&s->ids) && SORT(&s->at) && SORT(&s->spots);
}

/* The difference between two sorted lists. */
struct difference {
    uint64_t only[2];  /* number of distinct values that only one list has */
    uint64_t more[2];  /* number of distinct values that both lists have, and this one more often */
    uint64_t extra[2]; /* number of entries of one list without a match in the other */
};

static size_t run_length(const uint64_t *list, size_t n)
{
    size_t run = 1;
    while (run < n && list[run] == list[0])
        run++;
    return run;
}

static struct difference compare_lists(const uint64_t *a, size_t n_a, const uint64_t *b, size_t n_b)
{
    struct difference d = {{0, 0}, {0, 0}, {0, 0}};
    while (n_a || n_b) {
        bool in_a = n_a && (!n_b || *a <= *b), in_b = n_b && (!n_a || *b <= *a);
        size_t run_a = in_a ? run_length(a, n_a) : 0, run_b = in_b ? run_length(b, n_b) : 0;
        d.only[0] += !in_b;
        d.only[1] += !in_a;
        d.more[0] += in_a && in_b && run_a > run_b;
        d.more[1] += in_a && in_b && run_b > run_a;
        d.extra[0] += run_a > run_b ? run_a - run_b : 0;
        d.extra[1] += run_b > run_a ? run_b - run_a : 0;
        a += run_a;
        n_a -= run_a;
        b += run_b;
        n_b -= run_b;
    }
    return d;
}

enum diff_kind diff_kind_of(const struct diff_function *f)
{
    if (f->has_desc[0] != f->has_desc[1])
        return f->has_desc[0] ? DIFF_ONLY_A : DIFF_ONLY_B;
    if (f->hash[0] != f->hash[1])
        return DIFF_HASH;
    if (f->vanished || f->added || f->more || f->fewer)
        return DIFF_PROBES;
    if (f->gone_places || f->new_places)
        return DIFF_PLACES;
    return f->moved ? DIFF_MOVED : DIFF_KINDS;
}

static bool is_wanted(const struct probes_diff *diff, uint64_t guid)
{
    return !(diff->options.flags & APF_PROBES_PRINT_ONE_FUNCTION) || guid == diff->options.guid;
}

static bool compare_function(struct probes_diff *diff, struct side *sides, uint64_t guid)
{
    struct diff_function f = {.guid = guid};
    for (unsigned k = 0; k < 2; k++) {
        const struct apf_probe_desc *desc = apf_probes_find_desc(sides[k].probes, guid);
        f.has_desc[k] = desc != NULL;
        if (!gather_functions(&sides[k], guid))
            return false;
        f.probes[k] = sides[k].ids.n;
        f.copies[k] = sides[k].at.n;
    }
    probe_compare_hashes(diff->sides, guid, f.hash);
    struct difference ids =
        compare_lists(sides[0].ids.data, sides[0].ids.n, sides[1].ids.data, sides[1].ids.n);
    struct difference at = compare_lists(sides[0].at.data, sides[0].at.n, sides[1].at.data, sides[1].at.n);
    struct difference spots =
        compare_lists(sides[0].spots.data, sides[0].spots.n, sides[1].spots.data, sides[1].spots.n);
    f.vanished = ids.only[0];
    f.added = ids.only[1];
    f.fewer = ids.more[0];
    f.more = ids.more[1];
    f.gone_places = at.only[0];
    f.new_places = at.only[1];
    /* If both have equal probes at equal places, probes at other distances were moved. */
    bool same = !f.vanished && !f.added && !f.more && !f.fewer && !f.gone_places && !f.new_places;
    f.moved = same && !sides[0].unplaced && !sides[1].unplaced ? spots.extra[0] : 0;
    if (!is_wanted(diff, guid))
        return true;
    enum diff_kind kind = diff_kind_of(&f);
    bool hidden = kind == DIFF_MOVED && !(diff->options.flags & APF_PROBES_DIFF_MOVED);
    diff->compared++;
    diff->probes[0] += f.probes[0];
    diff->probes[1] += f.probes[1];
    diff->moved_only += hidden;
    return hidden || kind == DIFF_KINDS || VEC_PUSH(&diff->functions, f);
}

/* ---- all of them ---- */

/* Functions whose profile is stale come first; all else by the number of probes. The list is by GUID before. */
static bool ranks_before(const void *context, const void *a, const void *b)
{
    static const unsigned char groups[DIFF_KINDS + 1] = {0, 0, 0, 1, 1, 2, 2};
    const struct diff_function *x = a, *y = b;
    unsigned group_x = groups[diff_kind_of(x)], group_y = groups[diff_kind_of(y)];
    uint64_t probes_x = x->probes[0] > x->probes[1] ? x->probes[0] : x->probes[1];
    uint64_t probes_y = y->probes[0] > y->probes[1] ? y->probes[0] : y->probes[1];
    (void)context;
    return group_x != group_y ? group_x < group_y : probes_x > probes_y;
}

/* Finds the next GUID of a side; false: none. */
static bool next_guid(const struct side *s, uint64_t *guid)
{
    const struct apf_probes *p = s->probes;
    bool node = s->node < p->nodes.n, desc = s->desc < p->descs.n;
    uint64_t a = node ? p->nodes.data[p->by_guid[s->node]].guid : UINT64_MAX;
    uint64_t b = desc ? p->descs.data[s->desc].guid : UINT64_MAX;
    *guid = a < b ? a : b;
    return node || desc;
}

int probes_compare(struct probes_diff *diff, struct apf_error *error)
{
    struct side sides[2] = {{.probes = diff->sides[0]}, {.probes = diff->sides[1]}};
    struct arena arena = {0};
    bool done = place_nodes(&sides[0], &arena) && place_nodes(&sides[1], &arena);
    uint64_t a, b;
    while (done) {
        bool in_a = next_guid(&sides[0], &a), in_b = next_guid(&sides[1], &b);
        if (!in_a && !in_b)
            break;
        done = compare_function(diff, sides, in_a && (!in_b || a < b) ? a : b);
    }
    done = done && SORT_VEC(&diff->functions, ranks_before, NULL);
    for (unsigned k = 0; k < 2; k++) {
        VEC_FREE(&sides[k].ids);
        VEC_FREE(&sides[k].at);
        VEC_FREE(&sides[k].spots);
    }
    arena_free(&arena);
    return done ? APF_OK : error_memory(error);
}

void probes_diff_free(struct probes_diff *diff)
{
    VEC_FREE(&diff->functions);
}
