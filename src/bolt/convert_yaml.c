/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts edges to a profile by blocks: the table has the number and the hash of each block. For a function without a
 * table only LLVM can compute hashes, which depend on LLVM's names of instructions. */
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "base/yaml_text.h"
#include "bolt/bolt_yaml_model.h"
#include "bolt/convert_edges.h"
#include "bolt/fdata_line.h"

/* An edge that leaves a block. Edges with equal `at` and `to` become one in the profile. */
struct leaving {
    uint64_t at; /* the block; for a call also the offset in it */
    uint64_t to; /* number of the block; for a call the fid and the entry point */
    uint32_t edge;
};

struct leavings {
    VEC(struct leaving) list;
    size_t next;
};

/* Blocks of all functions are numbered by function (number of the hot fragment) and by offset in it. */
struct yaml_maker {
    const struct conversion *c;
    struct apf_bolt_yaml *yaml;
    struct arena arena;
    struct sort_key *blocks; /* entries of the table, by bat_block_key */
    size_t n_blocks;
    /* count of entries into each block from outside the function; for basic samples: events */
    uint64_t *entered;
    uint64_t *executed;  /* for each function of the list: count of entries at its beginning */
    uint8_t *is_sampled; /* for each function of the list: whether it has samples */
    struct leavings successors, calls;
    VEC(struct apf_bolt_yaml_block) made;
    VEC(struct apf_bolt_yaml_edge) edges;
    struct apf_error *error;
};

#define NO_BLOCK SIZE_MAX

/* ---- blocks ---- */

/* Finds the entries with a hash. Where BOLT joined instructions of several blocks, the table has entries without one,
 * which are no blocks of the input. */
static int find_blocks(struct yaml_maker *m)
{
    const struct apf_bat *bat = m->c->bat;
    m->blocks = arena_array(&m->arena, bat->n_blocks, sizeof *m->blocks);
    m->entered = arena_zeros(&m->arena, bat->n_blocks, sizeof *m->entered);
    m->executed = arena_zeros(&m->arena, m->c->functions.list.n, sizeof *m->executed);
    m->is_sampled = arena_zeros(&m->arena, m->c->functions.list.n, sizeof *m->is_sampled);
    if (!m->blocks || !m->entered || !m->executed || !m->is_sampled)
        return error_memory(m->error);
    for (size_t i = 0; i < bat->n_blocks; i++) {
        const struct sort_key *block = &bat->blocks[i],
                              *before = m->n_blocks ? &m->blocks[m->n_blocks - 1] : NULL;
        const struct apf_bat_entry *entry = &bat->entries.data[block->value];
        uint32_t function = (uint32_t)(block->key >> 32);
        if (entry->hash == 0 || (before && before->key == block->key))
            continue;
        bool ascends =
            !before || before->key >> 32 != function || bat->entries.data[before->value].block < entry->block;
        struct error_at at = {"bat.block", entry->offset, entry->block,
                              bat->fragments.data[function].n_blocks};
        if (!ascends || entry->block >= bat->fragments.data[function].n_blocks)
            return error_at(m->error, APF_BAD_BAT, at,
                            "the numbers of blocks are not in order, or too large");
        m->blocks[m->n_blocks++] = *block;
    }
    return APF_OK;
}

/* The hot fragment of a function of the list; APF_BAT_NONE: its blocks are not known. */
static uint32_t hot_fragment(const struct yaml_maker *m, uint32_t function)
{
    uint32_t fragment = m->c->functions.list.data[function].fragment;
    bool is_known = fragment != BOLT_NONE && !m->c->bat->fragments.data[fragment].is_cold;
    return is_known && m->c->bat->fragments.data[fragment].n_blocks ? fragment : APF_BAT_NONE;
}

/* The block that contains a place; NO_BLOCK: none. */
static size_t block_of(const struct yaml_maker *m, uint32_t hot, uint32_t offset)
{
    uint64_t key = bat_block_key(hot, offset);
    size_t at;
    SEARCH(at, 0, m->n_blocks, m->blocks[at].key <= key);
    return at && m->blocks[at - 1].key >> 32 == hot ? at - 1 : NO_BLOCK;
}

static uint32_t block_start(const struct yaml_maker *m, size_t block)
{
    return (uint32_t)m->blocks[block].key;
}

/* ---- edges ---- */

/* The number of the secondary entry point at an offset, from 1; 0: the beginning, or none. */
static uint32_t entry_at(const struct yaml_maker *m, uint32_t function, uint32_t offset)
{
    uint32_t hot = hot_fragment(m, function);
    const struct apf_bat_fragment *f = hot != APF_BAT_NONE ? &m->c->bat->fragments.data[hot] : NULL;
    const uint32_t *entries = m->c->bat->secondary.data;
    uint32_t i, end = f ? f->first_secondary + f->n_secondary : 0;
    if (!f || !offset)
        return 0;
    SEARCH(i, f->first_secondary, end, entries[i] < offset);
    return i < end && entries[i] == offset ? i - f->first_secondary + 1 : 0;
}

static bool add_leaving(struct leavings *l, uint64_t at, uint64_t to, size_t edge)
{
    struct leaving leaving = {at, to, (uint32_t)edge};
    return VEC_PUSH(&l->list, leaving);
}

static bool add_source(struct yaml_maker *m, size_t i)
{
    const struct bolt_edge *e = &m->c->edges.list.data[i];
    uint32_t hot = hot_fragment(m, e->from.function);
    size_t block = hot != APF_BAT_NONE ? block_of(m, hot, e->from.offset) : NO_BLOCK;
    if (block == NO_BLOCK)
        return true;
    if (m->c->basic) {
        m->entered[block] = add_up_to(UINT64_MAX, m->entered[block], e->count);
        return true;
    }
    if (e->to.function == e->from.function && e->to.offset) {
        size_t to = block_of(m, hot, e->to.offset);
        return to == NO_BLOCK ||
               add_leaving(&m->successors, block, m->c->bat->entries.data[m->blocks[to].value].block, i);
    }
    uint64_t at = (uint64_t)block << 32 | (e->from.offset - block_start(m, block)), to = 0;
    if (e->to.function != BOLT_NONE)
        to = (uint64_t)m->c->functions.list.data[e->to.function].fid << 32 |
             entry_at(m, e->to.function, e->to.offset);
    return add_leaving(&m->calls, at, to, i);
}

/* An edge into the middle of a block counts only at its source, as in perf2bolt. */
static void add_target(struct yaml_maker *m, const struct bolt_edge *e)
{
    uint32_t function = e->to.function, hot = hot_fragment(m, function);
    size_t block = hot != APF_BAT_NONE ? block_of(m, hot, e->to.offset) : NO_BLOCK;
    if (function == e->from.function && e->to.offset)
        return;
    if (e->to.offset == 0)
        m->executed[function] = add_up_to(UINT64_MAX, m->executed[function], e->count);
    if (block != NO_BLOCK && block_start(m, block) == e->to.offset)
        m->entered[block] = add_up_to(UINT64_MAX, m->entered[block], e->count);
}

static bool add_edges(struct yaml_maker *m)
{
    for (size_t i = 0; i < m->c->edges.list.n; i++) {
        const struct bolt_edge *e = &m->c->edges.list.data[i];
        if (e->from.function != BOLT_NONE) {
            m->is_sampled[e->from.function] = 1;
            if (!add_source(m, i))
                return false;
        }
        if (e->to.function != BOLT_NONE) {
            m->is_sampled[e->to.function] = 1;
            add_target(m, e);
        }
    }
    return true;
}

/* Sorts by `at`, and then by `to`. */
static bool sort_leavings(struct leavings *l)
{
    size_t n = l->list.n;
    struct arena scratch = {0};
    struct sort_key *keys = arena_array(&scratch, 2 * n, sizeof *keys);
    struct leaving *sorted = keys ? arena_array(&scratch, n, sizeof *sorted) : NULL;
    for (size_t i = 0; sorted && i < n; i++)
        keys[i] = (struct sort_key){l->list.data[i].to, i};
    if (sorted && n) {
        sort_keys(keys, keys + n, n);
        for (size_t i = 0; i < n; i++)
            keys[i].key = l->list.data[keys[i].value].at;
        sort_keys(keys, keys + n, n);
        for (size_t i = 0; i < n; i++)
            sorted[i] = l->list.data[keys[i].value];
        memcpy(l->list.data, sorted, n * sizeof *sorted);
    }
    arena_free(&scratch);
    return sorted != NULL;
}

/* ---- functions ---- */

/* Makes the next edge of a block (shift 0), or the next call in it (shift 32); the list has room. False: the block has
 * no more. */
static bool make_edge(struct yaml_maker *m, struct leavings *l, size_t block, unsigned shift)
{
    const struct leaving *first = ENTRY_AT(l->list.data, l->next);
    if (l->next == l->list.n || first->at >> shift != block)
        return false;
    struct apf_bolt_yaml_edge edge = {.to = (uint32_t)(first->to >> shift)};
    if (shift) {
        edge.offset = (uint32_t)first->at;
        edge.entry = (uint32_t)first->to;
    }
    for (; l->next < l->list.n; l->next++) {
        const struct leaving *same = l->list.data + l->next;
        const struct bolt_edge *e = &m->c->edges.list.data[same->edge];
        if (same->at != first->at || same->to != first->to)
            break;
        edge.count = add_up_to(UINT64_MAX, edge.count, e->count);
        edge.mispredictions = add_up_to(UINT64_MAX, edge.mispredictions, e->mispredictions);
    }
    m->edges.data[m->edges.n++] = edge;
    return true;
}

static bool make_block(struct yaml_maker *m, size_t block)
{
    const struct apf_bat_entry *entry = &m->c->bat->entries.data[m->blocks[block].value];
    struct apf_bolt_yaml_block b = {.hash = entry->hash, .index = entry->block};
    *(m->c->basic ? &b.events : &b.exec) = m->entered[block];
    b.successors = ENTRY_AT(m->edges.data, m->edges.n);
    while (make_edge(m, &m->successors, block, 0))
        b.n_successors++;
    b.calls = ENTRY_AT(m->edges.data, m->edges.n);
    while (make_edge(m, &m->calls, block, 32))
        b.n_calls++;
    bool says_something = m->entered[block] || b.n_calls || b.n_successors;
    return !says_something || VEC_PUSH(&m->made, b);
}

/* The name as in the program, without the backslashes of fdata. */
static struct apf_str plain_name(struct yaml_maker *m, struct apf_str escaped)
{
    char *text = arena_bytes(&m->arena, escaped.n);
    return (struct apf_str){text, text ? fdata_name_unescape(text, escaped) : 0};
}

static int make_blocks(struct yaml_maker *m, uint32_t hot)
{
    size_t block;
    SEARCH(block, 0, m->n_blocks, m->blocks[block].key < bat_block_key(hot, 0));
    for (; block < m->n_blocks && m->blocks[block].key >> 32 == hot; block++)
        if (!make_block(m, block))
            return error_memory(m->error);
    return APF_OK;
}

/* Adds a function. APF_NOT_REPRESENTABLE: its blocks are not known, or its name is not UTF-8. Stubs have no blocks, and
 * the hash 0. */
static int make_function(struct yaml_maker *m, size_t i)
{
    const struct bolt_function *function = &m->c->functions.list.data[i];
    uint32_t hot = hot_fragment(m, (uint32_t)i);
    struct apf_bolt_yaml_function f = {.size = sizeof f, .exec = m->executed[i], .fid = function->fid};
    if (hot == APF_BAT_NONE && !function->is_stub)
        return APF_NOT_REPRESENTABLE;
    f.name = plain_name(m, function->name);
    if (!f.name.p)
        return error_memory(m->error);
    if (!utf8_valid(f.name))
        return APF_NOT_REPRESENTABLE;
    m->made.n = m->edges.n = 0;
    if (hot != APF_BAT_NONE) {
        f.hash = m->c->bat->fragments.data[hot].hash;
        f.n_all_blocks = m->c->bat->fragments.data[hot].n_blocks;
        int code = make_blocks(m, hot);
        if (code != APF_OK)
            return code;
    }
    f.blocks = m->made.data;
    f.n_blocks = m->made.n;
    return apf_bolt_yaml_add(m->yaml, &f, m->error);
}

static int make_functions(struct yaml_maker *m, struct apf_bolt_funnel *funnel)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < m->c->functions.list.n; i++) {
        if (!m->is_sampled[i])
            continue;
        funnel->functions++;
        code = make_function(m, i);
        funnel->functions_left_out += code == APF_NOT_REPRESENTABLE;
        if (code == APF_NOT_REPRESENTABLE && m->c->yaml_only)
            tally_leave_out(m->c->tallies, (uint32_t)i);
        code = code == APF_NOT_REPRESENTABLE ? APF_OK : code;
    }
    return code;
}

/* ---- the profile ---- */

/* Joins the names without commas: llvm-bolt reads no profile with a comma there. */
static struct apf_str join_events(struct arena *arena, const struct text_set *events)
{
    size_t n = 0, room = 0;
    for (size_t i = 0; i < events->list.n; i++)
        room += events->list.data[i].n + 1;
    char *text = arena_bytes(arena, room);
    for (size_t i = 0; text && i < events->list.n; i++) {
        if (!utf8_valid(events->list.data[i]))
            continue;
        if (n)
            text[n++] = ';';
        memcpy(text + n, events->list.data[i].p, events->list.data[i].n);
        n += events->list.data[i].n;
    }
    return (struct apf_str){text, n};
}

static struct apf_str build_id(struct arena *arena, const struct elf_file *elf)
{
    struct apf_str id = elf_file_build_id(elf), text = {"<unknown>", 9};
    char *digits = id.n ? arena_bytes(arena, 2 * id.n) : NULL;
    for (size_t i = 0; digits && i < id.n; i++) {
        digits[2 * i] = "0123456789abcdef"[(uint8_t)id.p[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[id.p[i] & 15];
    }
    return digits ? (struct apf_str){digits, 2 * id.n} : text;
}

static int declare(struct yaml_maker *m, const char *program, const struct text_set *events)
{
    struct apf_bolt_yaml_header h = {
        .size = sizeof h, .origin = {"perf data aggregator", 20}, .order = APF_BOLT_ORDER_LAYOUT};
    h.hash = APF_BOLT_XXH3;
    h.flags = m->c->basic ? APF_BOLT_YAML_SAMPLE : APF_BOLT_YAML_LBR;
    h.binary_name = (struct apf_str){program, strlen(program)};
    if (!utf8_valid(h.binary_name))
        h.binary_name = (struct apf_str){"<unknown>", 9};
    h.build_id = build_id(&m->arena, m->c->bat->elf);
    h.events = join_events(&m->arena, events);
    return h.events.p ? apf_bolt_yaml_declare(m->yaml, &h, m->error) : error_memory(m->error);
}

int convert_to_yaml(struct conversion *c, const char *program, const struct text_set *events,
                    struct apf_bolt_yaml *yaml, struct apf_error *error)
{
    struct yaml_maker m = {.c = c, .yaml = yaml, .error = error};
    bool has_hashes = false;
    for (uint32_t i = 0; i < c->bat->info.n_hot; i++)
        has_hashes = has_hashes || c->bat->fragments.data[i].n_blocks;
    if (!has_hashes && c->bat->info.n_hot)
        return error_plain(error, APF_NOT_REPRESENTABLE, "bat",
                           "the table, of BOLT 18 or older, has no hashes of blocks; YAML needs them, "
                           "fdata does not");
    int code = declare(&m, program, events);
    if (code == APF_OK)
        code = find_blocks(&m);
    if (code == APF_OK && !(add_edges(&m) && sort_leavings(&m.successors) && sort_leavings(&m.calls) &&
                            VEC_RESERVE(&m.edges, m.successors.list.n + m.calls.list.n)))
        code = error_memory(error);
    if (code == APF_OK)
        code = make_functions(&m, &c->funnel);
    VEC_FREE(&m.successors.list);
    VEC_FREE(&m.calls.list);
    VEC_FREE(&m.made);
    VEC_FREE(&m.edges);
    arena_free(&m.arena);
    return code;
}
