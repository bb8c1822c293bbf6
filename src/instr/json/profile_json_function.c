/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the functions of a profile in JSON. */
#include <string.h>

#include "instr/json/profile_json.h"
#include "instr/json/profile_json_fields.h"

/* ---- call targets and vtables ---- */

struct json_value {
    struct json_identity target; /* target.id: of memory sizes, the size */
    uint64_t count;
};

#define VALUE(member) offsetof(struct json_value, member)

static const struct json_field target_fields[] = {
    {"id", "json.functions.values.id", json_profile_id_field, VALUE(target)},
    {"name", "json.functions.values.name", json_profile_name_field, VALUE(target)},
    {"count", "json.functions.values.count", json_profile_u64_field, VALUE(count)},
    {NULL, NULL, NULL, 0},
};
static const struct json_field size_fields[] = {
    {"size", "json.functions.values.size", json_profile_u64_field, VALUE(target.id)},
    {"count", "json.functions.values.count", json_profile_u64_field, VALUE(count)},
    {NULL, NULL, NULL, 0},
};
static const struct json_field called_fields[] = {
    {"id", "json.traces.functions.id", json_profile_id_field, VALUE(target)},
    {"name", "json.traces.functions.name", json_profile_name_field, VALUE(target)},
    {NULL, NULL, NULL, 0},
};

/* Reads an object, one of whose first `n_identity` fields must be there. */
static struct apf_value read_value(struct json_profile_reader *r, const struct json_field *fields,
                                   unsigned n_identity, struct symbols *table)
{
    struct json_value v = {{table, 0, HASH_INDEX_NONE, false, false}, 0};
    uint32_t given = json_profile_object(r, fields, UINT32_MAX, &v);
    if (!(given & (((uint32_t)1 << n_identity) - 1)))
        json_profile_wrong(r, n_identity == 1 ? "the size is missing" : "neither an id nor a name");
    struct apf_value value = {v.target.id, v.count};
    return value;
}

uint64_t json_profile_called(struct json_profile_reader *r)
{
    return read_value(r, called_fields, 2, r->instr->symbols).value;
}

static struct apf_value read_value_of(struct json_profile_reader *r, unsigned kind)
{
    if (kind == APF_VALUE_MEMOP_SIZE)
        return read_value(r, size_fields, 1, NULL);
    return read_value(r, target_fields, 2, kind == APF_VALUE_VTABLE ? r->instr->vtables : r->instr->symbols);
}

static void read_sites(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    unsigned kind = 0;
    (void)object;
    while (strcmp(field->key, json_value_keys[kind]) != 0)
        kind++;
    for (json_read_array(j); json_read_more(j);) {
        size_t first = r->sites.values[kind].n;
        for (json_read_array(j); json_read_more(j);) {
            struct apf_value value = read_value_of(r, kind);
            if (!VEC_PUSH(&r->sites.values[kind], value))
                json_read_memory(j);
        }
        uint64_t n = r->sites.values[kind].n - first;
        if (!VEC_PUSH(&r->sites.sites[kind], n))
            json_read_memory(j);
    }
}

/* ---- functions ---- */

struct json_function {
    struct json_identity identity;
    struct record record;
    struct record_extra extra;
    uint32_t n_uniform;
};

static const uint64_t *read_counts(struct json_profile_reader *r, uint32_t *n)
{
    json_profile_numbers(r);
    if (r->numbers.n > UINT32_MAX)
        json_read_wrong(&r->json, APF_TOO_LARGE, "more than 2^32 numbers");
    *n = (uint32_t)r->numbers.n;
    return json_profile_copy_numbers(r);
}

static void read_counts_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_function *f = object;
    (void)field;
    f->record.counts = read_counts(r, &f->record.n_counts);
}

static void read_uniform_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_function *f = object;
    (void)field;
    f->extra.uniform = read_counts(r, &f->n_uniform);
}

static void read_uniformity_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_function *f = object;
    (void)field;
    f->extra.uniformity = json_profile_digits(r, &f->extra.n_uniformity);
}

static void read_bitmap_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_function *f = object;
    (void)field;
    f->record.bitmap = json_profile_digits(r, &f->record.n_bitmap);
}

static void read_dense_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_function *f = object;
    (void)field;
    f->record.flags |= json_read_bool(&r->json) ? APF_RECORD_DENSE_BITMAP : APF_RECORD_SPARSE_BITMAP;
}

static void read_saturated_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_function *f = object;
    (void)field;
    f->record.flags |= json_read_bool(&r->json) ? APF_RECORD_SATURATED : 0;
}

#define FUNCTION(member) offsetof(struct json_function, member)
#define HASH 1u /* the bit of the first field */

static const struct json_field function_fields[] = {
    {"hash", "json.functions.hash", json_profile_u64_field, FUNCTION(record.hash)},
    {"name", "json.functions.name", json_profile_name_field, FUNCTION(identity)},
    {"id", "json.functions.id", json_profile_id_field, FUNCTION(identity)},
    {"counts", "json.functions.counts", read_counts_field, 0},
    {"bitmap", "json.functions.bitmap", read_bitmap_field, 0},
    {"dense_bitmap", "json.functions.dense_bitmap", read_dense_field, 0},
    {"indirect_calls", "json.functions.indirect_calls", read_sites, 0},
    {"memory_sizes", "json.functions.memory_sizes", read_sites, 0},
    {"vtables", "json.functions.vtables", read_sites, 0},
    {"timestamp", "json.functions.timestamp", json_profile_u64_field, FUNCTION(extra.timestamp)},
    {"saturated", "json.functions.saturated", read_saturated_field, 0},
    {"uniform_counts", "json.functions.uniform_counts", read_uniform_field, 0},
    {"uniformity", "json.functions.uniformity", read_uniformity_field, 0},
    {NULL, NULL, NULL, 0},
};

/* Reports what a function lacks. */
static void check_fields(struct json_profile_reader *r, const struct json_function *f, uint32_t given)
{
    if (!f->identity.has_name && !f->identity.has_id)
        json_profile_wrong(r, "neither a name nor an id");
    else if (!(given & HASH))
        json_profile_wrong(r, "the hash is missing");
    else if (f->record.n_counts == 0)
        json_profile_wrong(r, "there are no counts");
    else if (f->n_uniform && f->n_uniform != f->record.n_counts)
        json_profile_wrong(r, "not as many uniform counts as counts");
    else if (!value_gather_fits(&r->sites))
        json_read_wrong(&r->json, APF_TOO_LARGE, "more than 2^32 sites");
    else if (r->instr->records.n >= r->options->max_records)
        json_read_wrong(&r->json, APF_LIMIT, "more functions than the limit allows");
}

/* Copies the extra members to the arena, if there are any. */
static bool copy_extra(struct json_profile_reader *r, struct json_function *f)
{
    if (f->n_uniform == 0)
        f->extra.uniform = NULL;
    if (!f->extra.timestamp && !f->extra.uniform && !f->extra.n_uniformity)
        return true;
    struct record_extra *extra = arena_zeros(&r->instr->arena, 1, sizeof *extra);
    if (extra)
        *extra = f->extra;
    f->record.extra = extra;
    return extra != NULL;
}

static void read_function(struct json_profile_reader *r, uint64_t offset)
{
    struct json_function f = {.identity = {r->instr->symbols, 0, HASH_INDEX_NONE, false, false}};
    struct record *record = &f.record;
    value_gather_clear(&r->sites);
    check_fields(r, &f, json_profile_object(r, function_fields, UINT32_MAX, &f));
    if (json_read_failed(&r->json))
        return;
    record->id = f.identity.id;
    record->symbol = f.identity.symbol;
    record->offset = offset;
    record->flags |= record->counts[0] >= PSEUDO_WARM ? APF_RECORD_PSEUDO : 0;
    if (!record->n_bitmap)
        record->flags &= ~BITMAP_FLAGS;
    r->instr->info.n_counters += record->n_counts;
    if (!copy_extra(r, &f) || !value_gather_store(&r->sites, r->instr, record) ||
        !VEC_PUSH(&r->instr->records, *record))
        json_read_memory(&r->json);
}

void json_profile_functions(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);)
        read_function(r, (uint64_t)(j->p - j->base));
}
