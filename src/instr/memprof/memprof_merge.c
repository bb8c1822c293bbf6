/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_merge.h"

#include <stdlib.h>

#include "base/error.h"

/* How two values of a field become one. The runtime combines the values of a context in the order of time; a merge must
 * not depend on an order. So fields that the runtime adds up are added, and of fields that the runtime overwrites the
 * latest value stays. */
enum rule { ADD, LEAST, MOST, LATEST, SAME };

static const uint8_t field_rules[APF_MEMPROF_FIELDS] = {
    [APF_MEMPROF_ALLOC_COUNT] = ADD,
    [APF_MEMPROF_TOTAL_ACCESS_COUNT] = ADD,
    [APF_MEMPROF_MIN_ACCESS_COUNT] = LEAST,
    [APF_MEMPROF_MAX_ACCESS_COUNT] = MOST,
    [APF_MEMPROF_TOTAL_SIZE] = ADD,
    [APF_MEMPROF_MIN_SIZE] = LEAST,
    [APF_MEMPROF_MAX_SIZE] = MOST,
    [APF_MEMPROF_ALLOC_TIMESTAMP] = LATEST,
    [APF_MEMPROF_DEALLOC_TIMESTAMP] = LATEST,
    [APF_MEMPROF_TOTAL_LIFETIME] = ADD,
    [APF_MEMPROF_MIN_LIFETIME] = LEAST,
    [APF_MEMPROF_MAX_LIFETIME] = MOST,
    [APF_MEMPROF_ALLOC_CPU_ID] = LATEST,
    [APF_MEMPROF_DEALLOC_CPU_ID] = LATEST,
    [APF_MEMPROF_NUM_MIGRATED_CPU] = ADD,
    [APF_MEMPROF_NUM_LIFETIME_OVERLAPS] = ADD,
    [APF_MEMPROF_NUM_SAME_ALLOC_CPU] = ADD,
    [APF_MEMPROF_NUM_SAME_DEALLOC_CPU] = ADD,
    [APF_MEMPROF_DATA_TYPE_ID] = MOST,
    [APF_MEMPROF_TOTAL_ACCESS_DENSITY] = ADD,
    [APF_MEMPROF_MIN_ACCESS_DENSITY] = LEAST,
    [APF_MEMPROF_MAX_ACCESS_DENSITY] = MOST,
    [APF_MEMPROF_TOTAL_LIFETIME_ACCESS_DENSITY] = ADD,
    [APF_MEMPROF_MIN_LIFETIME_ACCESS_DENSITY] = LEAST,
    [APF_MEMPROF_MAX_LIFETIME_ACCESS_DENSITY] = MOST,
    [APF_MEMPROF_ACCESS_HISTOGRAM_SIZE] = MOST,
    [APF_MEMPROF_ACCESS_HISTOGRAM] = SAME,
};

/* The fields of the latest allocation, in the order in which two allocations are compared: the one freed last is the
 * latest. */
static const uint8_t latest_fields[] = {APF_MEMPROF_DEALLOC_TIMESTAMP, APF_MEMPROF_ALLOC_TIMESTAMP,
                                        APF_MEMPROF_DEALLOC_CPU_ID, APF_MEMPROF_ALLOC_CPU_ID};

static uint64_t largest_value(unsigned field)
{
    return memprof_field_bytes(field) == 4 ? UINT32_MAX : UINT64_MAX;
}

/* a + b * weight, at most `most`. */
static uint64_t add_saturating(uint64_t a, uint64_t b, uint64_t weight, uint64_t most)
{
    uint64_t sum;
    return !MUL_OVERFLOWS(b, weight, &sum) && !ADD_OVERFLOWS(a, sum, &sum) && sum <= most ? sum : most;
}

static bool is_later(const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < sizeof latest_fields; i++) {
        uint8_t f = latest_fields[i];
        if (a[f] != b[f])
            return a[f] > b[f];
    }
    return false;
}

/* Multiplies the fields that are added by the weight. Returns the fields that have a value: if one field of the latest
 * allocation has, all of these fields have. */
static uint32_t apply_weight(uint64_t *v, uint32_t fields, uint64_t weight)
{
    uint32_t together = 0;
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++) {
        if (field_rules[f] == ADD && fields & memprof_bit(f))
            v[f] = add_saturating(0, v[f], weight, largest_value(f));
        together |= field_rules[f] == LATEST ? memprof_bit(f) : 0;
    }
    return fields & together ? fields | together : fields;
}

/* Combines the values of two contexts, which have the fields to_fields and from_fields. */
static void combine_values(uint64_t *to, uint32_t to_fields, const uint64_t *from, uint32_t from_fields)
{
    bool later = is_later(from, to);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++) {
        if (!(from_fields & memprof_bit(f)))
            continue;
        if (!(to_fields & memprof_bit(f)))
            to[f] = from[f];
        else if (field_rules[f] == ADD)
            to[f] = add_saturating(to[f], from[f], 1, largest_value(f));
        else if (field_rules[f] == LEAST  ? from[f] < to[f]
                 : field_rules[f] == MOST ? from[f] > to[f]
                                          : field_rules[f] == LATEST && later)
            to[f] = from[f];
        else if (field_rules[f] == SAME && to[f] != from[f])
            to[f] = 0;
    }
}

/* ---- entries ---- */

static void add_alloc(struct apf_memprof *m, uint32_t function, uint32_t stack, uint32_t fields,
                      const uint64_t *values)
{
    uint32_t e;
    if (!memprof_reserve(m, &m->by_alloc))
        return;
    uint64_t hash = hash_index_mix(&m->by_alloc, function, stack);
    HASH_INDEX_FIND(e, &m->by_alloc, hash,
                    m->allocs.data[e].function == function && m->allocs.data[e].stack == stack);
    if (e == HASH_INDEX_NONE) {
        e = (uint32_t)m->allocs.n;
        memprof_push_alloc(m, function, stack, fields, values);
        if (!m->failed)
            hash_index_add(&m->by_alloc, hash, e);
        return;
    }
    struct memprof_alloc *a = &m->allocs.data[e];
    uint64_t sum[APF_MEMPROF_FIELDS];
    memprof_values(m, a, sum);
    combine_values(sum, a->fields, values, fields);
    if (fields & ~a->fields) { /* the values move to a new place with more room */
        m->failed = !VEC_RESERVE(&m->values, APF_MEMPROF_FIELDS);
        if (m->failed)
            return;
        a->fields |= fields;
        a->first_value = m->values.n;
        m->info.fields |= fields;
        for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
            m->values.n += (a->fields & memprof_bit(f)) != 0;
    }
    uint64_t *to = ENTRY_AT(m->values.data, a->first_value);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (a->fields & memprof_bit(f))
            *to++ = sum[f];
}

static uint32_t add_site(struct apf_memprof *m, uint32_t function, uint32_t stack)
{
    uint32_t e;
    if (!memprof_reserve(m, &m->by_site))
        return 0;
    uint64_t hash = hash_index_mix(&m->by_site, function, stack);
    HASH_INDEX_FIND(e, &m->by_site, hash,
                    m->sites.data[e].function == function && m->sites.data[e].stack == stack);
    if (e != HASH_INDEX_NONE)
        return e;
    e = memprof_push_site(m, function, stack);
    if (!m->failed)
        hash_index_add(&m->by_site, hash, e);
    return e;
}

static void add_callee(struct apf_memprof *m, uint32_t site, uint64_t guid)
{
    uint32_t e;
    if (!memprof_reserve(m, &m->by_callee))
        return;
    uint64_t hash = hash_index_mix(&m->by_callee, guid, site);
    HASH_INDEX_FIND(e, &m->by_callee, hash,
                    m->callees.data[e].site == site && m->callees.data[e].guid == guid);
    if (e != HASH_INDEX_NONE)
        return;
    e = (uint32_t)m->callees.n;
    memprof_push_callee(m, site, guid);
    if (!m->failed)
        hash_index_add(&m->by_callee, hash, e);
}

static uint32_t find_datum(const struct apf_memprof *m, bool is_literal, uint64_t id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_datum, hash_index_mix(&m->by_datum, id, is_literal),
                    m->data.data[e].is_literal == is_literal && m->data.data[e].id == id);
    return e;
}

static uint32_t add_datum(struct apf_memprof *m, bool is_literal, uint64_t id, uint64_t count,
                          uint64_t weight)
{
    if (!memprof_reserve(m, &m->by_datum))
        return 0;
    uint32_t e = find_datum(m, is_literal, id);
    if (e == HASH_INDEX_NONE) {
        e = memprof_push_datum(m, is_literal, id, 0);
        if (m->failed)
            return 0;
        hash_index_add(&m->by_datum, hash_index_mix(&m->by_datum, id, is_literal), e);
    }
    m->data.data[e].count = add_saturating(m->data.data[e].count, count, weight, UINT64_MAX);
    return e;
}

static void add_location(struct apf_memprof *m, uint32_t datum, uint32_t file, uint32_t line)
{
    uint32_t e;
    if (!memprof_reserve(m, &m->by_location))
        return;
    uint64_t hash = hash_index_mix(&m->by_location, datum, (uint64_t)file << 32 | line);
    HASH_INDEX_FIND(e, &m->by_location, hash,
                    m->locations.data[e].datum == datum && m->locations.data[e].file == file &&
                        m->locations.data[e].line == line);
    if (e != HASH_INDEX_NONE)
        return;
    e = (uint32_t)m->locations.n;
    memprof_push_location(m, datum, file, line);
    if (!m->failed)
        hash_index_add(&m->by_location, hash, e);
}

static void add_cold(struct apf_memprof *m, uint32_t string)
{
    uint32_t e;
    if (!memprof_reserve(m, &m->by_cold))
        return;
    uint64_t hash = hash_index_mix(&m->by_cold, string, 0);
    HASH_INDEX_FIND(e, &m->by_cold, hash, m->cold.data[e] == string);
    if (e != HASH_INDEX_NONE)
        return;
    memprof_push_cold(m, string);
    if (!m->failed)
        hash_index_add(&m->by_cold, hash, (uint32_t)m->cold.n - 1);
}

static void add_cold_hash(struct apf_memprof *m, uint64_t literal)
{
    uint32_t e;
    if (!memprof_reserve(m, &m->by_cold_hash))
        return;
    uint64_t hash = hash_index_mix(&m->by_cold_hash, literal, 0);
    HASH_INDEX_FIND(e, &m->by_cold_hash, hash, m->cold_hashes.data[e] == literal);
    if (e != HASH_INDEX_NONE)
        return;
    memprof_push_cold_hash(m, literal);
    if (!m->failed)
        hash_index_add(&m->by_cold_hash, hash, (uint32_t)m->cold_hashes.n - 1);
}

/* ---- whole profiles ---- */

/* For each entry of a profile that is added, its number in the sum. */
struct numbers {
    uint32_t *nodes, *functions, *strings, *sites, *data;
};

static uint32_t *make_array(size_t n)
{
    return malloc(n * sizeof(uint32_t) + 1);
}

static void numbers_free(struct numbers *n)
{
    free(n->nodes);
    free(n->functions);
    free(n->strings);
    free(n->sites);
    free(n->data);
}

/* Adds nodes, functions and strings. Nodes come after their parents. */
static bool add_parts(struct apf_memprof *m, const struct apf_memprof *from, struct numbers *n)
{
    n->nodes = make_array(from->nodes.n);
    n->functions = make_array(from->functions.n);
    n->strings = make_array(from->strings.n);
    n->sites = make_array(from->sites.n);
    n->data = make_array(from->data.n);
    if (!n->nodes || !n->functions || !n->strings || !n->sites || !n->data)
        return false;
    n->nodes[0] = 0;
    for (size_t i = 1; i < from->nodes.n; i++) {
        const struct memprof_node *node = &from->nodes.data[i];
        uint32_t frame = memprof_frame_number(m, &from->frames.data[node->frame]);
        n->nodes[i] = memprof_node_number(m, n->nodes[node->parent], frame);
    }
    for (size_t i = 0; i < from->functions.n; i++)
        n->functions[i] = memprof_function_number(m, from->functions.data[i].guid, NULL);
    for (size_t i = 0; i < from->strings.n; i++)
        n->strings[i] = memprof_string_number(m, from->strings.data[i].p, from->strings.data[i].n);
    return true;
}

/* The callees of a grouped profile are in callee_guids, those of a sum in callees. */
static void add_sites(struct apf_memprof *m, const struct apf_memprof *from, const struct numbers *n)
{
    for (size_t i = 0; i < from->sites.n; i++) {
        const struct memprof_site *s = &from->sites.data[i];
        n->sites[i] = add_site(m, n->functions[s->function], n->nodes[s->stack]);
        for (size_t k = 0; k < s->n_callees; k++)
            add_callee(m, n->sites[i], from->callee_guids.data[s->first_callee + k]);
    }
    for (size_t i = 0; i < from->callees.n; i++)
        add_callee(m, n->sites[from->callees.data[i].site], from->callees.data[i].guid);
}

static void add_data(struct apf_memprof *m, const struct apf_memprof *from, uint64_t weight,
                     const struct numbers *n)
{
    for (size_t i = 0; i < from->data.n; i++) {
        const struct memprof_datum *d = &from->data.data[i];
        n->data[i] = add_datum(m, d->is_literal, d->is_literal ? d->id : n->strings[d->id], d->count, weight);
    }
    for (size_t i = 0; i < from->locations.n; i++) {
        const struct memprof_location *l = &from->locations.data[i];
        add_location(m, n->data[l->datum], n->strings[l->file], l->line);
    }
    for (size_t i = 0; i < from->cold.n; i++)
        add_cold(m, n->strings[from->cold.data[i]]);
    for (size_t i = 0; i < from->cold_hashes.n; i++)
        add_cold_hash(m, from->cold_hashes.data[i]);
}

int memprof_add(struct apf_memprof *m, const struct apf_memprof *from, uint64_t weight,
                struct apf_error *error)
{
    struct numbers n = {0};
    bool ok = add_parts(m, from, &n);
    m->failed |= !ok;
    for (size_t i = 0; !m->failed && i < from->allocs.n; i++) {
        const struct memprof_alloc *a = &from->allocs.data[i];
        uint64_t values[APF_MEMPROF_FIELDS];
        memprof_values(from, a, values);
        uint32_t fields = apply_weight(values, a->fields, weight);
        add_alloc(m, n.functions[a->function], n.nodes[a->stack], fields, values);
    }
    if (!m->failed)
        add_sites(m, from, &n);
    if (!m->failed)
        add_data(m, from, weight, &n);
    numbers_free(&n);
    m->info.schema |= from->info.schema;
    m->inputs += from->inputs ? from->inputs : 1;
    return memprof_check(m, "memprof", NO_OFFSET, error);
}

uint64_t memprof_saturated(const struct apf_memprof *m)
{
    uint64_t n = 0;
    for (size_t i = 0; i < m->allocs.n; i++) {
        uint64_t v[APF_MEMPROF_FIELDS];
        bool cut = false;
        memprof_values(m, &m->allocs.data[i], v);
        for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
            cut |= field_rules[f] == ADD && v[f] == largest_value(f);
        n += cut;
    }
    for (size_t i = 0; i < m->data.n; i++)
        n += m->data.data[i].count == UINT64_MAX;
    return n;
}

void memprof_drop_warm(struct apf_memprof *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->cold.n; i++)
        if (find_datum(m, false, m->cold.data[i]) == HASH_INDEX_NONE)
            m->cold.data[kept++] = m->cold.data[i];
    m->cold.n = kept;
    kept = 0;
    for (size_t i = 0; i < m->cold_hashes.n; i++)
        if (find_datum(m, true, m->cold_hashes.data[i]) == HASH_INDEX_NONE)
            m->cold_hashes.data[kept++] = m->cold_hashes.data[i];
    m->cold_hashes.n = kept;
}
