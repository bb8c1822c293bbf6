/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_spaces.h"

#include "base/error.h"

#define FIRST_COLLECTION ((size_t)1 << 16)

void perf_spaces_free(struct perf_spaces *s)
{
    VEC_FREE(&s->nodes);
    VEC_FREE(&s->list);
    VEC_FREE(&s->unused);
    hash_index_free(&s->index);
}

/* ---- processes ---- */

uint32_t perf_spaces_find(struct perf_spaces *s, uint32_t pid)
{
    uint32_t i = s->last;
    if (i < s->list.n && s->list.data[i].pid == pid)
        return i;
    if (s->list.n == 0)
        return UINT32_MAX;
    uint64_t hash = hash_index_mix(&s->index, pid, 0);
    HASH_INDEX_FIND(i, &s->index, hash, s->list.data[i].pid == pid);
    if (i != HASH_INDEX_NONE)
        s->last = i;
    return i;
}

static int find_or_add(struct perf_spaces *s, uint32_t pid, uint32_t *number, struct apf_error *error)
{
    *number = perf_spaces_find(s, pid);
    if (*number != UINT32_MAX)
        return APF_OK;
    struct perf_space space = {.pid = pid, .owner = ++s->owners};
    if (!hash_index_reserve(&s->index, 1))
        return hash_index_error(&s->index, error);
    if (!VEC_PUSH(&s->list, space))
        return error_memory(error);
    *number = s->last = (uint32_t)(s->list.n - 1);
    hash_index_add(&s->index, hash_index_mix(&s->index, pid, 0), *number);
    return APF_OK;
}

/* ---- nodes ---- */

/* Marks the nodes of a process; `stack` has room for all nodes. */
static void mark_nodes(const struct perf_spaces *s, uint32_t root, uint8_t *marks, uint32_t *stack)
{
    size_t n = 0;
    if (root)
        stack[n++] = root;
    while (n) {
        uint32_t i = stack[--n];
        if (marks[i])
            continue;
        marks[i] = 1;
        if (s->nodes.data[i].left)
            stack[n++] = s->nodes.data[i].left;
        if (s->nodes.data[i].right)
            stack[n++] = s->nodes.data[i].right;
    }
}

/* Finds the nodes that no process uses. The mappings of processes that had ended at the collection before are dropped:
 * they would be kept for ever. */
static int collect(struct perf_spaces *s, struct apf_error *error)
{
    size_t n = s->nodes.n;
    uint8_t *marks = calloc(n, 1);
    uint32_t *stack = calloc(n, 2 * sizeof *stack);
    bool good = marks && stack && VEC_RESERVE(&s->unused, n);
    s->collections++;
    for (size_t i = 0; good && i < s->list.n; i++) {
        struct perf_space *space = &s->list.data[i];
        if (space->ended && space->ended < s->collections)
            space->root = 0;
        mark_nodes(s, space->root, marks, stack);
    }
    for (uint32_t i = 1; good && i < n; i++)
        if (!marks[i])
            s->unused.data[s->unused.n++] = i;
    free(marks);
    free(stack);
    size_t live = n - s->unused.n, more = live > s->list.n ? live : s->list.n; /* a collection visits both */
    s->next_collection = live + more > FIRST_COLLECTION ? live + more : FIRST_COLLECTION;
    return good ? APF_OK : error_memory(error);
}

/* Prepares a change. Nodes are collected only here, where all that are in use can be reached. */
static int prepare_change(struct perf_spaces *s, struct apf_error *error)
{
    const struct perf_space_node none = {.owner = 0};
    size_t limit = s->next_collection ? s->next_collection : FIRST_COLLECTION;
    limit = limit < 2 * s->most_mappings ? limit : 2 * s->most_mappings;
    if (s->nodes.n == 0 && !VEC_PUSH(&s->nodes, none))
        return error_memory(error);
    if (s->unused.n || s->nodes.n < limit)
        return APF_OK;
    int code = collect(s, error);
    if (code == APF_OK && s->nodes.n - s->unused.n > s->most_mappings)
        return error_plain(error, APF_LIMIT, "perf.mapping", "more than %zu mappings of processes",
                           s->most_mappings);
    return code;
}

static uint32_t make_node(struct perf_spaces *s, const struct perf_space_node *node)
{
    if (s->unused.n) {
        uint32_t i = s->unused.data[--s->unused.n];
        s->nodes.data[i] = *node;
        return i;
    }
    return s->nodes.n < UINT32_MAX && VEC_PUSH(&s->nodes, *node) ? (uint32_t)(s->nodes.n - 1) : 0;
}

/* A node that `owner` may change: itself, or a copy. 0: no memory. */
static uint32_t own_node(struct perf_spaces *s, uint32_t node, uint32_t owner)
{
    struct perf_space_node copy = s->nodes.data[node];
    if (copy.owner == owner)
        return node;
    copy.owner = owner;
    return make_node(s, &copy);
}

/* ---- the treap ---- */

/* A place that holds the number of a node: a side of a node, or (node 0) one of two roots. Nodes move in memory. */
struct link {
    uint32_t node;
    bool right;
};

static void set_link(struct perf_spaces *s, uint32_t roots[2], struct link at, uint32_t node)
{
    if (at.node == 0)
        roots[at.right] = node;
    else if (at.right)
        s->nodes.data[at.node].right = node;
    else
        s->nodes.data[at.node].left = node;
}

/* Splits a tree into the mappings that begin before `start`, parts[0], and the others, parts[1]. False: no memory. */
static bool split(struct perf_spaces *s, uint32_t root, uint64_t start, uint32_t owner, uint32_t parts[2])
{
    struct link at[2] = {{0, false}, {0, true}};
    parts[0] = parts[1] = 0;
    while (root) {
        uint32_t node = own_node(s, root, owner);
        if (node == 0)
            return false;
        const struct perf_space_node *n = &s->nodes.data[node];
        bool part = n->mapping.start >= start;
        root = part ? n->left : n->right;
        set_link(s, parts, at[part], node);
        at[part] = (struct link){node, !part};
    }
    set_link(s, parts, at[0], 0);
    set_link(s, parts, at[1], 0);
    return true;
}

/* Joins two trees, of which the first has the lower addresses. 0: no memory, or both are empty. */
static uint32_t join(struct perf_spaces *s, uint32_t a, uint32_t b, uint32_t owner, bool *good)
{
    uint32_t roots[2] = {0, 0};
    struct link at = {0, false};
    while (a && b) {
        bool first = s->nodes.data[a].priority >= s->nodes.data[b].priority;
        uint32_t node = own_node(s, first ? a : b, owner);
        if (node == 0) {
            *good = false;
            return 0;
        }
        set_link(s, roots, at, node);
        at = (struct link){node, first};
        if (first)
            a = s->nodes.data[node].right;
        else
            b = s->nodes.data[node].left;
    }
    set_link(s, roots, at, a ? a : b);
    return roots[0];
}

static uint32_t next_priority(struct perf_spaces *s)
{
    s->random += 0x9E3779B97F4A7C15u;
    return (uint32_t)(hash_index_mix(&s->index, s->random, 1) >>
                      32); /* the maker of a file cannot choose it */
}

/* Inserts a mapping that overlaps no other one. */
static bool insert(struct perf_spaces *s, struct perf_space *space, const struct perf_mapping *mapping)
{
    const struct perf_space_node made = {*mapping, 0, 0, space->owner, next_priority(s)};
    uint32_t parts[2];
    bool good = true;
    uint32_t node = make_node(s, &made);
    if (!node || !split(s, space->root, mapping->start, space->owner, parts))
        return false;
    uint32_t left = join(s, parts[0], node, space->owner, &good);
    if (good)
        space->root = join(s, left, parts[1], space->owner, &good);
    return good;
}

/* Removes the mapping that begins at an address. */
static bool cut_out(struct perf_spaces *s, struct perf_space *space, uint64_t start)
{
    uint32_t parts[2], rest[2];
    bool good = true;
    if (!split(s, space->root, start, space->owner, parts) ||
        !split(s, parts[1], start + 1, space->owner, rest))
        return false;
    space->root = join(s, parts[0], rest[1], space->owner, &good);
    return good;
}

/* The mapping that begins last, but before `end`. */
static const struct perf_mapping *last_before(const struct perf_spaces *s, uint32_t root, uint64_t end)
{
    const struct perf_mapping *found = NULL;
    while (root) {
        const struct perf_space_node *n = &s->nodes.data[root];
        bool before = n->mapping.start < end;
        found = before ? &n->mapping : found;
        root = before ? n->right : n->left;
    }
    return found;
}

/* Removes what is mapped in a range; of mappings that are partly in it, that part. */
static bool clear_range(struct perf_spaces *s, struct perf_space *space, uint64_t start, uint64_t end)
{
    const struct perf_mapping *first = last_before(s, space->root, start),
                              *last = last_before(s, space->root, end);
    struct perf_mapping before = {0}, after = {0};
    uint32_t parts[2], rest[2];
    bool good = true;
    if (!last || last->end <= start)
        return true;
    if (first && first->end > start)
        before = *first;
    if (last->end > end)
        after = *last;
    if (before.end && !cut_out(s, space, before.start))
        return false;
    if (!split(s, space->root, start, space->owner, parts) || !split(s, parts[1], end, space->owner, rest))
        return false;
    space->root = join(s, parts[0], rest[1], space->owner, &good);
    after.offset += end - after.start;
    after.start = end;
    before.end = before.end ? start : 0;
    return good && (before.end == 0 || insert(s, space, &before)) &&
           (after.end == 0 || insert(s, space, &after));
}

/* ---- what happens to processes ---- */

int perf_spaces_map(struct perf_spaces *s, uint32_t pid, const struct perf_mapping *mapping,
                    struct apf_error *error)
{
    uint32_t number;
    if (mapping->end <= mapping->start)
        return APF_OK;
    int code = find_or_add(s, pid, &number, error);
    if (code == APF_OK)
        code = prepare_change(s, error);
    if (code != APF_OK)
        return code;
    struct perf_space *space = &s->list.data[number];
    bool good = clear_range(s, space, mapping->start, mapping->end) && insert(s, space, mapping);
    return good ? APF_OK : error_memory(error);
}

int perf_spaces_fork(struct perf_spaces *s, uint32_t parent, uint32_t child, struct apf_error *error)
{
    uint32_t from = perf_spaces_find(s, parent), to;
    int code = find_or_add(s, child, &to, error);
    if (code != APF_OK || from == to)
        return code;
    struct perf_space *list = s->list.data;
    list[to].root = from == UINT32_MAX ? 0 : list[from].root;
    list[to].ended = 0;
    list[to].owner = ++s->owners;
    if (from != UINT32_MAX)
        list[from].owner = ++s->owners;
    return APF_OK;
}

void perf_spaces_exec(struct perf_spaces *s, uint32_t pid)
{
    uint32_t number = perf_spaces_find(s, pid);
    if (number != UINT32_MAX)
        s->list.data[number].root = 0;
}

void perf_spaces_exit(struct perf_spaces *s, uint32_t pid)
{
    uint32_t number = perf_spaces_find(s, pid);
    if (number != UINT32_MAX)
        s->list.data[number].ended = s->collections + 1;
}

const struct perf_mapping *perf_spaces_at(const struct perf_spaces *s, uint32_t space, uint64_t address)
{
    if (space >= s->list.n || address == UINT64_MAX)
        return NULL;
    const struct perf_mapping *found = last_before(s, s->list.data[space].root, address + 1);
    return found && address < found->end ? found : NULL;
}
