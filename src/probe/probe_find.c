/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds entries of opened probes. */
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/number.h"
#include "base/search.h"
#include "probe/probe_model.h"

/* ---- indexes ---- */

static int index_descs(struct apf_probes *p, struct arena *scratch, struct apf_error *error)
{
    size_t n = p->descs.n;
    struct sort_key *keys = arena_array(scratch, 2 * n, sizeof *keys);
    struct apf_probe_desc *copy = arena_array(scratch, n, sizeof *copy);
    p->desc_places = arena_array(&p->arena, n, sizeof *p->desc_places);
    if (!keys || !copy || !p->desc_places || !hash_index_reserve(&p->desc_index, n))
        return hash_index_error(&p->desc_index, error);
    for (size_t i = 0; i < n; i++) {
        keys[i].key = p->descs.data[i].guid;
        keys[i].value = i;
        copy[i] = p->descs.data[i];
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++) {
        p->descs.data[i] = copy[keys[i].value];
        p->desc_places[keys[i].value] = (uint32_t)i;
        if (i == 0 || keys[i].key != keys[i - 1].key)
            hash_index_add(&p->desc_index, hash_index_mix(&p->desc_index, keys[i].key, 0), (uint32_t)i);
    }
    return APF_OK;
}

static int index_sections(struct apf_probes *p, struct apf_error *error)
{
    size_t n = 0;
    p->section_order = arena_array(&p->arena, p->sections.n, sizeof *p->section_order);
    if (!p->section_order)
        return error_memory(error);
    for (unsigned descs = 0; descs < 2; descs++)
        for (size_t i = 0; i < p->sections.n; i++)
            if (p->sections.data[i].has_descs == (descs != 0))
                p->section_order[n++] = (uint32_t)i;
    return APF_OK;
}

static int index_nodes(struct apf_probes *p, struct arena *scratch, struct apf_error *error)
{
    size_t n = p->nodes.n;
    struct sort_key *keys = arena_array(scratch, 2 * n, sizeof *keys);
    p->by_guid = arena_array(&p->arena, n, sizeof *p->by_guid);
    if (!keys || !p->by_guid)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        keys[i].key = p->nodes.data[i].guid;
        keys[i].value = i;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        p->by_guid[i] = (uint32_t)keys[i].value;
    return APF_OK;
}

static int index_probes(struct apf_probes *p, struct arena *scratch, struct apf_error *error)
{
    size_t n = p->probes.n, placed = 0;
    struct sort_key *keys = arena_array(scratch, 2 * n, sizeof *keys);
    p->by_address = arena_array(&p->arena, n, sizeof *p->by_address);
    if (!keys || !p->by_address)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        if (p->probes.data[i].flags & APF_PROBE_FLAG_UNPLACED)
            continue;
        keys[placed].key = p->probes.data[i].address;
        keys[placed++].value = i;
    }
    sort_keys(keys, keys + n, placed);
    for (size_t i = 0; i < placed; i++)
        p->by_address[i] = (uint32_t)keys[i].value;
    p->n_placed = placed;
    return APF_OK;
}

bool probe_sort_by_text(const struct apf_probes *p, uint32_t *order, size_t n)
{
    struct arena scratch = {0};
    struct sort_key *keys = arena_array(&scratch, 2 * n, sizeof *keys);
    for (size_t i = 0; keys && i < n; i++) {
        keys[i].key = probe_text(p, order[i]);
        keys[i].value = order[i];
    }
    if (keys)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; keys && i < n; i++)
        order[i] = (uint32_t)keys[i].value;
    arena_free(&scratch);
    return keys != NULL;
}

int probe_index(struct apf_probes *p, struct apf_error *error)
{
    struct arena scratch = {0};
    struct arena_mark empty = arena_mark(&scratch);
    int code = index_descs(p, &scratch, error);
    arena_rewind(&scratch, empty);
    empty = arena_mark(&scratch);
    if (code == APF_OK)
        code = index_nodes(p, &scratch, error);
    arena_rewind(&scratch, empty);
    if (code == APF_OK)
        code = index_probes(p, &scratch, error);
    if (code == APF_OK)
        code = index_sections(p, error);
    arena_free(&scratch);
    p->info.n_descs = p->descs.n;
    p->info.n_nodes = p->nodes.n;
    p->info.n_probes = p->probes.n;
    return code;
}

/* ---- the public functions ---- */

const struct apf_probes_info *apf_probes_info(const struct apf_probes *p)
{
    return &p->info;
}

const struct apf_probe_desc *apf_probes_desc(const struct apf_probes *p, size_t i)
{
    return i < p->descs.n ? &p->descs.data[i] : NULL;
}

const struct apf_probe_node *apf_probes_node(const struct apf_probes *p, size_t i)
{
    return i < p->nodes.n ? &p->nodes.data[i] : NULL;
}

const struct apf_probe *apf_probes_probe(const struct apf_probes *p, size_t i)
{
    return i < p->probes.n ? &p->probes.data[i] : NULL;
}

const struct apf_probe_desc *apf_probes_find_desc(const struct apf_probes *p, uint64_t guid)
{
    if (!p->descs.n)
        return NULL;
    uint64_t hash = hash_index_mix(&p->desc_index, guid, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &p->desc_index, hash, p->descs.data[e].guid == guid);
    return e == HASH_INDEX_NONE ? NULL : &p->descs.data[e];
}

#define MOST_HASHES 16u /* of one function in one file; further ones are ignored */

struct hash_set {
    uint64_t data[MOST_HASHES];
    size_t n;
};

static bool has_hash(const struct hash_set *set, uint64_t hash)
{
    for (size_t i = 0; i < set->n; i++)
        if (set->data[i] == hash)
            return true;
    return false;
}

static void collect_hashes(const struct apf_probes *p, uint64_t guid, struct hash_set *set)
{
    const struct apf_probe_desc *desc = apf_probes_find_desc(p, guid),
                                *end = ENTRY_AT(p->descs.data, p->descs.n);
    for (; desc && desc < end && desc->guid == guid && set->n < MOST_HASHES; desc++)
        if (!has_hash(set, desc->hash))
            set->data[set->n++] = desc->hash;
}

void probe_compare_hashes(const struct apf_probes *const files[2], uint64_t guid, uint64_t hashes[2])
{
    struct hash_set sets[2] = {{.n = 0}, {.n = 0}};
    bool differ = false;
    for (unsigned k = 0; k < 2; k++)
        collect_hashes(files[k], guid, &sets[k]);
    for (unsigned k = 0; k < 2; k++) {
        size_t i = 0;
        while (i < sets[k].n && has_hash(&sets[!k], sets[k].data[i]))
            i++;
        differ = differ || i < sets[k].n;
        if (sets[k].n)
            hashes[k] = sets[k].data[i < sets[k].n ? i : 0];
    }
    if (!differ && sets[0].n && sets[1].n)
        hashes[1] = hashes[0];
}

struct apf_str apf_probes_name(const struct apf_probes *p, uint64_t guid)
{
    const struct apf_probe_desc *desc = apf_probes_find_desc(p, guid);
    const struct probe_symbol *symbol = desc ? NULL : probe_find_symbol(p, guid, 0);
    struct apf_str name = {NULL, 0};
    if (desc)
        return desc->name;
    if (symbol) {
        name.p = symbol->name;
        name.n = symbol->n;
    }
    return name;
}

uint64_t apf_probe_guid(struct apf_str name)
{
    return md5_name_ref(name.n ? name.p : "", name.n);
}

struct apf_probe_hash apf_probe_hash_parts(uint64_t hash)
{
    struct apf_probe_hash parts;
    parts.calls = (uint32_t)(hash >> 48);
    parts.edges = (uint32_t)(hash >> 32 & 0xffff) / 4; /* a quarter of the bytes of their ids */
    parts.crc = (uint32_t)hash;
    return parts;
}

/* Whether a mangled name, or a name with a suffix, belongs to a function named `name` in the source. */
static bool is_called(struct apf_str mangled, const char *name, size_t n)
{
    const char *p = mangled.p, *point = memchr(p, '.', mangled.n), *end = point ? point : p + mangled.n;
    uint64_t length = 0;
    if ((size_t)(end - p) == n && memcmp(p, name, n) == 0)
        return true;
    if (end - p < 2 || p[0] != '_' || p[1] != 'Z')
        return false;
    p += 2;
    p += p < end && *p == 'L'; /* static */
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return number_decimal(digits, (size_t)(p - digits), &length) && length == n && (size_t)(end - p) >= n &&
           memcmp(p, name, n) == 0;
}

size_t apf_probes_find_named(const struct apf_probes *p, struct apf_str name, uint64_t *guids, size_t max)
{
    uint64_t guid = apf_probe_guid(name);
    size_t found = 0, first;
    bool known = apf_probes_find_desc(p, guid) || probe_find_symbol(p, guid, 0) ||
                 apf_probes_find_nodes(p, guid, &first) != 0;
    if (known && max)
        guids[0] = guid;
    for (size_t i = 0; !known && i < p->descs.n; i++) {
        const struct apf_probe_desc *desc = &p->descs.data[i];
        if ((i && desc[-1].guid == desc->guid) || !is_called(desc->name, name.n ? name.p : "", name.n))
            continue;
        if (found < max)
            guids[found] = desc->guid;
        found++;
    }
    return known ? 1 : found;
}

int apf_probes_find_start(const struct apf_probes *p, uint64_t guid, uint64_t *address)
{
    const struct probe_symbol *symbol = probe_find_symbol(p, guid, 0);
    *address = symbol ? symbol->address : 0;
    return symbol != NULL;
}

static bool node_is_below(const struct apf_probes *p, uint32_t node, uint64_t guid, uint64_t number)
{
    uint64_t of_node = p->nodes.data[node].guid;
    return of_node < guid || (of_node == guid && node < number);
}

/* The place in by_guid of the first node whose (GUID, number) is not below the given one. */
static size_t node_place(const struct apf_probes *p, uint64_t guid, uint64_t number)
{
    size_t at;
    SEARCH(at, 0, p->nodes.n, node_is_below(p, p->by_guid[at], guid, number));
    return at;
}

size_t apf_probes_find_nodes(const struct apf_probes *p, uint64_t guid, size_t *first)
{
    *first = node_place(p, guid, 0);
    return node_place(p, guid, p->nodes.n) - *first;
}

uint32_t apf_probes_node_by_guid(const struct apf_probes *p, size_t i)
{
    return i < p->nodes.n ? p->by_guid[i] : APF_PROBE_NONE;
}

/* The place in by_address of the first probe at or above an address. */
static size_t probe_place(const struct apf_probes *p, uint64_t address)
{
    size_t low;
    SEARCH(low, 0, p->n_placed, p->probes.data[p->by_address[low]].address < address);
    return low;
}

size_t apf_probes_find_range(const struct apf_probes *p, uint64_t low, uint64_t high, size_t *first)
{
    *first = probe_place(p, low);
    return low < high ? probe_place(p, high) - *first : 0;
}

uint32_t apf_probes_probe_by_address(const struct apf_probes *p, size_t i)
{
    return i < p->n_placed ? p->by_address[i] : APF_PROBE_NONE;
}

size_t apf_probes_frames(const struct apf_probes *p, size_t probe, struct apf_probe_frame *frames, size_t max)
{
    const struct apf_probe *at = apf_probes_probe(p, probe);
    if (!at)
        return 0;
    const struct apf_probe_node *node = &p->nodes.data[at->node];
    size_t depth = node->depth;
    for (size_t i = depth; i-- > 0;) { /* from the inside out */
        const struct apf_probe_node *caller = &p->nodes.data[node->parent];
        if (i < max) {
            frames[i].guid = caller->guid;
            frames[i].call_probe = node->call_probe;
            frames[i].node = node->parent;
            frames[i].name = apf_probes_name(p, caller->guid);
        }
        node = caller;
    }
    return depth;
}
