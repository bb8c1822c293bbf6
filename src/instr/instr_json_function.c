/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a profile in JSON. */
#include <string.h>

#include "instr/instr_json_parts.h"

/* ---- call targets and vtables ---- */

static void read_id(struct json_profile_reader *r)
{
    json_profile_id(r, &r->target);
}

static void read_name(struct json_profile_reader *r)
{
    json_profile_name(r, r->kind == APF_VALUE_VTABLE ? &r->instr->vtables : &r->instr->symbols, &r->target);
}

static void read_size(struct json_profile_reader *r)
{
    r->target.id = json_profile_u64(r);
    r->target.has_id = true;
}

static void read_count(struct json_profile_reader *r)
{
    r->count = json_profile_u64(r);
}

static const struct json_field target_fields[] = {
    {"id", "json.functions.values.id", read_id},
    {"name", "json.functions.values.name", read_name},
    {"count", "json.functions.values.count", read_count},
    {NULL, NULL, NULL},
};
static const struct json_field size_fields[] = {
    {"size", "json.functions.values.size", read_size},
    {"count", "json.functions.values.count", read_count},
    {NULL, NULL, NULL},
};
static const struct json_field called_fields[] = {
    {"id", "json.traces.functions.id", read_id},
    {"name", "json.traces.functions.name", read_name},
    {NULL, NULL, NULL},
};

static struct apf_value read_value(struct json_profile_reader *r, const struct json_field *fields)
{
    const struct json_identity nothing = {0, HASH_INDEX_NONE, false, false};
    r->target = nothing;
    r->count = 0;
    json_profile_object(r, fields, UINT32_MAX);
    if (!r->target.has_id && !r->target.has_name)
        json_profile_wrong(r, fields == size_fields ? "the size is missing" : "neither an id nor a name");
    struct apf_value value = {r->target.id, r->count};
    return value;
}

uint64_t json_profile_called(struct json_profile_reader *r)
{
    r->kind = APF_VALUE_INDIRECT_CALL;
    return read_value(r, called_fields).value;
}

static void read_sites(struct json_profile_reader *r, unsigned kind)
{
    struct json_reader *j = &r->json;
    r->kind = kind;
    for (json_read_array(j); json_read_more(j);) {
        size_t first = r->sites.values[kind].n;
        for (json_read_array(j); json_read_more(j);) {
            struct apf_value value =
                read_value(r, kind == APF_VALUE_MEMOP_SIZE ? size_fields : target_fields);
            if (!VEC_PUSH(&r->sites.values[kind], value))
                json_read_memory(j);
        }
        uint64_t n = r->sites.values[kind].n - first;
        if (!VEC_PUSH(&r->sites.sites[kind], n))
            json_read_memory(j);
    }
}

static void read_indirect_calls(struct json_profile_reader *r)
{
    read_sites(r, APF_VALUE_INDIRECT_CALL);
}

static void read_memory_sizes(struct json_profile_reader *r)
{
    read_sites(r, APF_VALUE_MEMOP_SIZE);
}

static void read_vtables(struct json_profile_reader *r)
{
    read_sites(r, APF_VALUE_VTABLE);
}

/* ---- functions ---- */

static void read_function_name(struct json_profile_reader *r)
{
    json_profile_name(r, &r->instr->symbols, &r->function.identity);
}

static void read_function_id(struct json_profile_reader *r)
{
    json_profile_id(r, &r->function.identity);
}

static void read_hash(struct json_profile_reader *r)
{
    r->function.record.hash = json_profile_u64(r);
    r->function.has_hash = true;
}

static void read_timestamp(struct json_profile_reader *r)
{
    r->function.extra.timestamp = json_profile_u64(r);
}

static void read_saturated(struct json_profile_reader *r)
{
    if (json_read_bool(&r->json))
        r->function.record.flags |= APF_RECORD_SATURATED;
}

static const uint64_t *read_numbers(struct json_profile_reader *r, uint32_t *n)
{
    struct json_reader *j = &r->json;
    r->numbers.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t v = json_profile_u64(r);
        if (!VEC_PUSH(&r->numbers, v))
            json_read_memory(j);
    }
    if (r->numbers.n > UINT32_MAX)
        json_read_wrong(j, APF_TOO_LARGE, "more than 2^32");
    *n = (uint32_t)r->numbers.n;
    return json_profile_keep_numbers(r);
}

static void read_counts(struct json_profile_reader *r)
{
    r->function.record.counts = read_numbers(r, &r->function.record.n_counts);
}

static void read_uniform(struct json_profile_reader *r)
{
    r->function.extra.uniform = read_numbers(r, &r->function.n_uniform);
}

static void read_uniformity(struct json_profile_reader *r)
{
    r->function.extra.uniformity = json_profile_digits(r, &r->function.extra.n_uniformity);
}

static void read_bitmap(struct json_profile_reader *r)
{
    r->function.record.bitmap = json_profile_digits(r, &r->function.record.n_bitmap);
}

static const struct json_field function_fields[] = {
    {"name", "json.functions.name", read_function_name},
    {"id", "json.functions.id", read_function_id},
    {"hash", "json.functions.hash", read_hash},
    {"counts", "json.functions.counts", read_counts},
    {"bitmap", "json.functions.bitmap", read_bitmap},
    {"indirect_calls", "json.functions.indirect_calls", read_indirect_calls},
    {"memory_sizes", "json.functions.memory_sizes", read_memory_sizes},
    {"vtables", "json.functions.vtables", read_vtables},
    {"timestamp", "json.functions.timestamp", read_timestamp},
    {"saturated", "json.functions.saturated", read_saturated},
    {"uniform_counts", "json.functions.uniform_counts", read_uniform},
    {"uniformity", "json.functions.uniformity", read_uniformity},
    {NULL, NULL, NULL},
};

/* What a function must have. */
static void check_function(struct json_profile_reader *r)
{
    const struct json_function *f = &r->function;
    if (!f->identity.has_name && !f->identity.has_id)
        json_profile_wrong(r, "neither a name nor an id");
    else if (!f->has_hash)
        json_profile_wrong(r, "the hash is missing");
    else if (f->record.n_counts == 0)
        json_profile_wrong(r, "there are no counts");
    else if (f->n_uniform && f->n_uniform != f->record.n_counts)
        json_profile_wrong(r, "not as many uniform counts as counts");
    else if (!site_gather_fits(&r->sites))
        json_read_wrong(&r->json, APF_TOO_LARGE, "more than 2^32 sites");
    else if (r->instr->records.n >= r->options->max_records)
        json_read_wrong(&r->json, APF_LIMIT, "more functions than the limit allows");
}

static bool store_extra(struct json_profile_reader *r, struct record *out)
{
    struct json_function *f = &r->function;
    if (f->n_uniform == 0)
        f->extra.uniform = NULL;
    if (!f->extra.timestamp && !f->extra.uniform && !f->extra.n_uniformity)
        return true;
    struct record_extra *extra = arena_zeros(&r->instr->arena, 1, sizeof *extra);
    if (extra)
        *extra = f->extra;
    out->extra = extra;
    return extra != NULL;
}

static void read_function(struct json_profile_reader *r, uint64_t offset)
{
    memset(&r->function, 0, sizeof r->function);
    r->function.identity.symbol = HASH_INDEX_NONE;
    site_gather_clear(&r->sites);
    json_profile_object(r, function_fields, UINT32_MAX);
    check_function(r);
    if (json_read_failed(&r->json))
        return;
    struct record out = r->function.record;
    out.id = r->function.identity.id;
    out.symbol = r->function.identity.symbol;
    out.offset = offset;
    out.flags |= out.counts[0] >= PSEUDO_WARM ? APF_RECORD_PSEUDO : 0;
    r->instr->info.n_counters += out.n_counts;
    profile_note_hash(r->instr, out.hash);
    if (!store_extra(r, &out) || !site_gather_store(&r->sites, r->instr, &out) ||
        !VEC_PUSH(&r->instr->records, out))
        json_read_memory(&r->json);
}

void json_profile_functions(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);)
        read_function(r, (uint64_t)(j->p - j->base));
}
