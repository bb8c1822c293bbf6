/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/memprof_model.h"
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The name of each field, and its size in a section in bytes. */
#define FIELDS(X)                                                                                            \
    X(AllocCount, 4)                                                                                         \
    X(TotalAccessCount, 8)                                                                                   \
    X(MinAccessCount, 8)                                                                                     \
    X(MaxAccessCount, 8)                                                                                     \
    X(TotalSize, 8)                                                                                          \
    X(MinSize, 4)                                                                                            \
    X(MaxSize, 4)                                                                                            \
    X(AllocTimestamp, 4)                                                                                     \
    X(DeallocTimestamp, 4)                                                                                   \
    X(TotalLifetime, 8)                                                                                      \
    X(MinLifetime, 4)                                                                                        \
    X(MaxLifetime, 4)                                                                                        \
    X(AllocCpuId, 4)                                                                                         \
    X(DeallocCpuId, 4)                                                                                       \
    X(NumMigratedCpu, 4)                                                                                     \
    X(NumLifetimeOverlaps, 4)                                                                                \
    X(NumSameAllocCpu, 4)                                                                                    \
    X(NumSameDeallocCpu, 4)                                                                                  \
    X(DataTypeId, 8)                                                                                         \
    X(TotalAccessDensity, 8)                                                                                 \
    X(MinAccessDensity, 4)                                                                                   \
    X(MaxAccessDensity, 4)                                                                                   \
    X(TotalLifetimeAccessDensity, 8)                                                                         \
    X(MinLifetimeAccessDensity, 4)                                                                           \
    X(MaxLifetimeAccessDensity, 4)                                                                           \
    X(AccessHistogramSize, 4)                                                                                \
    X(AccessHistogram, 8)

const char *apf_memprof_field_name(enum apf_memprof_field field)
{
    static const char *const names[] = {
#define FIELD_NAME(name, bytes) #name,
        FIELDS(FIELD_NAME)
#undef FIELD_NAME
    };
    return field && field <= sizeof names / sizeof *names ? names[field - 1] : NULL;
}

unsigned memprof_field_bytes(unsigned field)
{
    static const uint8_t sizes[APF_MEMPROF_FIELDS] = {0,
#define FIELD_BYTES(name, bytes) bytes,
                                                      FIELDS(FIELD_BYTES)
#undef FIELD_BYTES
    };
    return sizes[field];
}

struct apf_memprof *memprof_new(uint64_t most)
{
    struct apf_memprof *m = calloc(1, sizeof *m);
    const struct memprof_node root = {0};
    if (m && !VEC_PUSH(&m->nodes, root)) {
        free(m);
        return NULL;
    }
    if (m) {
        m->info.version = APF_MEMPROF_NO_VERSION;
        m->most = most < MEMPROF_MOST ? most : MEMPROF_MOST;
    }
    return m;
}

void memprof_free(struct apf_memprof *m)
{
    if (!m)
        return;
    struct hash_index *indexes[] = {&m->by_frame,    &m->by_node, &m->by_guid,     &m->by_string,
                                    &m->by_alloc,    &m->by_site, &m->by_callee,   &m->by_datum,
                                    &m->by_location, &m->by_cold, &m->by_cold_hash};
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++)
        hash_index_free(indexes[i]);
    VEC_FREE(&m->frames);
    VEC_FREE(&m->nodes);
    VEC_FREE(&m->functions);
    VEC_FREE(&m->allocs);
    VEC_FREE(&m->values);
    VEC_FREE(&m->sites);
    VEC_FREE(&m->callees);
    VEC_FREE(&m->callee_guids);
    VEC_FREE(&m->strings);
    VEC_FREE(&m->data);
    VEC_FREE(&m->locations);
    VEC_FREE(&m->cold);
    VEC_FREE(&m->cold_symbols);
    VEC_FREE(&m->cold_hashes);
    arena_free(&m->arena);
    free(m);
}

bool memprof_reserve(struct apf_memprof *m, struct hash_index *index)
{
    if (!m->failed && !hash_index_reserve(index, 1)) {
        m->failed = true;
        m->too_much = index->refused ? "more entries than the limit allows" : NULL;
    }
    return !m->failed;
}

/* Makes room for one more entry in a list and its index. */
#define ROOM(m, list, index)                                                                                 \
    (memprof_reserve(m, index) && (VEC_RESERVE(list, 1) || ((m)->failed = true, false)))
/* Whether the limit allows one more entry; if not, the profile fails. */
#define MAY_ADD(m, list, n_allowed, what)                                                                    \
    ((list)->n < (n_allowed) ||                                                                              \
     ((m)->too_much = "more " what " than the limit allows", (m)->failed = true, false))
#define PUSH(m, list, value, what)                                                                           \
    ((m)->failed = (m)->failed || !MAY_ADD(m, list, (m)->most, what) || !VEC_PUSH(list, value), !(m)->failed)

int memprof_check(const struct apf_memprof *m, const char *where, uint64_t offset, struct apf_error *error)
{
    if (m->too_much)
        return error_place(error, APF_LIMIT, where, offset, m->too_much);
    return m->failed ? error_memory(error) : APF_OK;
}

static bool same_frame(const struct apf_memprof_frame *a, const struct apf_memprof_frame *b)
{
    return a->function == b->function && a->line_offset == b->line_offset && a->column == b->column &&
           a->is_inline == b->is_inline;
}

uint32_t memprof_frame_number(struct apf_memprof *m, const struct apf_memprof_frame *frame)
{
    if (!ROOM(m, &m->frames, &m->by_frame))
        return 0;
    uint64_t place = (uint64_t)frame->line_offset << 32 | frame->column;
    uint64_t hash = hash_index_mix(&m->by_frame, frame->function, place ^ frame->is_inline);
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_frame, hash, same_frame(&m->frames.data[e], frame));
    if (e != HASH_INDEX_NONE)
        return e;
    if (!MAY_ADD(m, &m->frames, m->most, "frames"))
        return 0;
    hash_index_add(&m->by_frame, hash, (uint32_t)m->frames.n);
    m->frames.data[m->frames.n++] = *frame;
    return (uint32_t)m->frames.n - 1;
}

uint32_t memprof_node_number(struct apf_memprof *m, uint32_t parent, uint32_t frame)
{
    if (!ROOM(m, &m->nodes, &m->by_node))
        return 0;
    uint64_t hash = hash_index_mix(&m->by_node, parent, frame);
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_node, hash,
                    m->nodes.data[e].parent == parent && m->nodes.data[e].frame == frame);
    if (e != HASH_INDEX_NONE)
        return e;
    if (!MAY_ADD(m, &m->nodes, m->most + 1, "frames of call stacks")) /* + 1 for the root */
        return 0;
    struct memprof_node node = {frame, parent, m->nodes.data[parent].depth + 1};
    hash_index_add(&m->by_node, hash, (uint32_t)m->nodes.n);
    m->nodes.data[m->nodes.n++] = node;
    return (uint32_t)m->nodes.n - 1;
}

uint32_t memprof_string_number(struct apf_memprof *m, const void *p, size_t n)
{
    if (!ROOM(m, &m->strings, &m->by_string))
        return 0;
    uint64_t hash = hash_index_bytes(&m->by_string, p, n);
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_string, hash,
                    m->strings.data[e].n == n && (n == 0 || memcmp(m->strings.data[e].p, p, n) == 0));
    if (e != HASH_INDEX_NONE)
        return e;
    if (!MAY_ADD(m, &m->strings, m->most, "strings"))
        return 0;
    struct apf_str copy = {arena_text(&m->arena, n ? p : "", n), n};
    m->failed = !copy.p;
    if (m->failed)
        return 0;
    hash_index_add(&m->by_string, hash, (uint32_t)m->strings.n);
    m->strings.data[m->strings.n++] = copy;
    return (uint32_t)m->strings.n - 1;
}

uint32_t memprof_function_number(struct apf_memprof *m, uint64_t guid, bool *known)
{
    if (known)
        *known = false;
    if (!ROOM(m, &m->functions, &m->by_guid))
        return 0;
    uint64_t hash = hash_index_mix(&m->by_guid, guid, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_guid, hash, m->functions.data[e].guid == guid);
    if (e != HASH_INDEX_NONE) {
        if (known)
            *known = true;
        return e;
    }
    if (!MAY_ADD(m, &m->functions, MEMPROF_MOST, "functions"))
        return 0;
    struct memprof_function f = {guid, 0, 0, 0, 0};
    hash_index_add(&m->by_guid, hash, (uint32_t)m->functions.n);
    m->functions.data[m->functions.n++] = f;
    return (uint32_t)m->functions.n - 1;
}

void memprof_push_alloc(struct apf_memprof *m, uint32_t function, uint32_t stack, uint32_t fields,
                        const uint64_t values[APF_MEMPROF_FIELDS])
{
    struct memprof_alloc a = {function, stack, fields, m->values.n};
    m->failed = m->failed || !VEC_RESERVE(&m->values, APF_MEMPROF_FIELDS);
    if (!PUSH(m, &m->allocs, a, "allocation contexts"))
        return;
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (fields & memprof_bit(f))
            m->values.data[m->values.n++] = values[f];
    m->info.fields |= fields;
}

uint32_t memprof_push_site(struct apf_memprof *m, uint32_t function, uint32_t stack)
{
    struct memprof_site s = {function, stack, 0, 0};
    return PUSH(m, &m->sites, s, "call sites") ? (uint32_t)m->sites.n - 1 : 0;
}

void memprof_push_callee(struct apf_memprof *m, uint32_t site, uint64_t guid)
{
    struct memprof_callee c = {site, guid};
    (void)PUSH(m, &m->callees, c, "callees");
}

uint32_t memprof_push_datum(struct apf_memprof *m, bool is_literal, uint64_t id, uint64_t count)
{
    struct memprof_datum d = {is_literal, id, count, 0, 0};
    return PUSH(m, &m->data, d, "data access profiles") ? (uint32_t)m->data.n - 1 : 0;
}

void memprof_push_location(struct apf_memprof *m, uint32_t datum, uint32_t file, uint32_t line)
{
    struct memprof_location l = {datum, file, line};
    (void)PUSH(m, &m->locations, l, "locations");
}

void memprof_push_cold(struct apf_memprof *m, uint32_t string)
{
    (void)PUSH(m, &m->cold, string, "cold symbols");
}

void memprof_push_cold_hash(struct apf_memprof *m, uint64_t literal)
{
    (void)PUSH(m, &m->cold_hashes, literal, "cold hashes");
}

void memprof_values(const struct apf_memprof *m, const struct memprof_alloc *a,
                    uint64_t values[APF_MEMPROF_FIELDS])
{
    const uint64_t *from = ENTRY_AT(m->values.data, a->first_value);
    values[0] = 0;
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        values[f] = a->fields & memprof_bit(f) ? *from++ : 0;
}

/* ---- summary ---- */

/* LLVM's thresholds; its arithmetic is in single precision. */
#define COLD_DENSITY 0.05F
#define COLD_LIFETIME 200000.0F

static bool is_cold(const uint64_t v[APF_MEMPROF_FIELDS])
{
    float count = (float)v[APF_MEMPROF_ALLOC_COUNT];
    float density = (float)v[APF_MEMPROF_TOTAL_LIFETIME_ACCESS_DENSITY],
          life = (float)v[APF_MEMPROF_TOTAL_LIFETIME];
    if (v[APF_MEMPROF_ALLOC_COUNT] == 0) /* in LLVM 0 / 0 is not below a threshold */
        return false;
    return density / count / 100 < COLD_DENSITY && life / count >= COLD_LIFETIME;
}

int memprof_summarise(const struct apf_memprof *m, struct apf_memprof_summary *summary)
{
    memset(summary, 0, sizeof *summary);
    uint8_t *seen = calloc(m->nodes.n, 1);
    if (!seen)
        return APF_NO_MEMORY;
    for (size_t i = 0; i < m->allocs.n; i++) {
        const struct memprof_alloc *a = &m->allocs.data[i];
        uint64_t v[APF_MEMPROF_FIELDS];
        if (seen[a->stack])
            continue;
        seen[a->stack] = 1;
        memprof_values(m, a, v);
        bool cold = is_cold(v);
        uint64_t *most = cold ? &summary->max_cold_size : &summary->max_warm_size;
        summary->contexts++;
        summary->cold_contexts += cold;
        if (*most < v[APF_MEMPROF_TOTAL_SIZE])
            *most = v[APF_MEMPROF_TOTAL_SIZE];
    }
    free(seen);
    return APF_OK;
}

/* ---- the public getters ---- */

const struct apf_memprof_info *apf_memprof_info(const struct apf_memprof *memprof)
{
    return &memprof->info;
}

int apf_memprof_function(const struct apf_memprof *memprof, size_t i, struct apf_memprof_function *function,
                         struct apf_error *error)
{
    int code = RESULT_CHECK(apf_memprof_function, function, error);
    if (code != APF_OK || i >= memprof->functions.n)
        return code == APF_OK ? APF_END : code;
    const struct memprof_function *f = &memprof->functions.data[i];
    struct apf_memprof_function out = {.guid = f->guid, .n_allocs = f->n_allocs, .n_call_sites = f->n_sites};
    result_fill(function, sizeof out, &out);
    return APF_OK;
}

int apf_memprof_alloc(const struct apf_memprof *memprof, size_t function, size_t i,
                      struct apf_memprof_alloc *alloc, struct apf_error *error)
{
    int code = RESULT_CHECK(apf_memprof_alloc, alloc, error);
    if (code != APF_OK)
        return code;
    if (function >= memprof->functions.n || i >= memprof->functions.data[function].n_allocs)
        return APF_END;
    const struct memprof_alloc *a = &memprof->allocs.data[memprof->functions.data[function].first_alloc + i];
    struct apf_memprof_alloc out = {.stack = a->stack, .fields = a->fields};
    memprof_values(memprof, a, out.values);
    out.is_cold = is_cold(out.values);
    result_fill(alloc, sizeof out, &out);
    return APF_OK;
}

int apf_memprof_call_site(const struct apf_memprof *memprof, size_t function, size_t i,
                          struct apf_memprof_call_site *site, struct apf_error *error)
{
    int code = RESULT_CHECK(apf_memprof_call_site, site, error);
    if (code != APF_OK)
        return code;
    if (function >= memprof->functions.n || i >= memprof->functions.data[function].n_sites)
        return APF_END;
    const struct memprof_site *s = &memprof->sites.data[memprof->functions.data[function].first_site + i];
    struct apf_memprof_call_site out = {.stack = s->stack, .n_callees = s->n_callees};
    if (s->n_callees)
        out.callees = memprof->callee_guids.data + s->first_callee;
    result_fill(site, sizeof out, &out);
    return APF_OK;
}

size_t apf_memprof_stack(const struct apf_memprof *memprof, uint32_t stack, uint32_t *frames, size_t max)
{
    if (stack >= memprof->nodes.n)
        return 0;
    uint64_t n = memprof->nodes.data[stack].depth;
    for (uint64_t i = 0; i < n && i < max; i++) {
        frames[i] = memprof->nodes.data[stack].frame;
        stack = memprof->nodes.data[stack].parent;
    }
    return n;
}

int apf_memprof_data(const struct apf_memprof *memprof, size_t i, struct apf_memprof_data *data,
                     struct apf_error *error)
{
    int code = RESULT_CHECK(apf_memprof_data, data, error);
    if (code != APF_OK || i >= memprof->data.n)
        return code == APF_OK ? APF_END : code;
    const struct memprof_datum *d = &memprof->data.data[i];
    struct apf_memprof_data out = {.access_count = d->count, .n_locations = d->n_locations};
    if (d->is_literal)
        out.hash = d->id;
    else
        out.symbol = memprof->strings.data[d->id];
    result_fill(data, sizeof out, &out);
    return APF_OK;
}

int apf_memprof_data_location(const struct apf_memprof *memprof, size_t i, size_t k,
                              struct apf_memprof_location *location, struct apf_error *error)
{
    int code = RESULT_CHECK(apf_memprof_location, location, error);
    if (code != APF_OK)
        return code;
    if (i >= memprof->data.n || k >= memprof->data.data[i].n_locations)
        return APF_END;
    const struct memprof_location *l = &memprof->locations.data[memprof->data.data[i].first_location + k];
    struct apf_memprof_location out = {.file = memprof->strings.data[l->file], .line = l->line};
    result_fill(location, sizeof out, &out);
    return APF_OK;
}

void memprof_count_dropped(const struct apf_memprof *memprof, struct write_losses *losses)
{
    losses->memprof = memprof ? memprof->functions.n : 0;
    losses->memprof_data = memprof ? memprof_data_count(&memprof->info) : 0;
}
