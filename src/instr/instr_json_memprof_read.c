/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory profile of a profile in JSON. */
#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"
#include "instr/instr_json_parts.h"
#include "instr/memprof_model.h"
#include "instr/name_blob.h"

static uint32_t read_u32(struct json_profile_reader *r)
{
    return (uint32_t)json_read_u64(&r->json, UINT32_MAX);
}

/* What the model says when it takes no more. */
static void check_model(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    int code =
        json_read_failed(j) ? APF_OK : memprof_check(r->instr->memprof, "json.memprof", NO_OFFSET, NULL);
    if (code == APF_NO_MEMORY)
        json_read_memory(j);
    else if (code != APF_OK)
        json_read_wrong(j, code, r->instr->memprof->too_much);
}

/* ---- call stacks ---- */

static void read_frame_function(struct json_profile_reader *r)
{
    r->memory.frame.function = json_profile_u64(r);
}

static void read_line_offset(struct json_profile_reader *r)
{
    r->memory.frame.line_offset = read_u32(r);
}

static void read_column(struct json_profile_reader *r)
{
    r->memory.frame.column = read_u32(r);
}

static void read_inline(struct json_profile_reader *r)
{
    r->memory.frame.is_inline = json_read_bool(&r->json);
}

static const struct json_field frame_fields[] = {
    {"function", "json.memprof.stack.function", read_frame_function},
    {"line_offset", "json.memprof.stack.line_offset", read_line_offset},
    {"column", "json.memprof.stack.column", read_column},
    {"inline", "json.memprof.stack.inline", read_inline},
    {NULL, NULL, NULL},
};

static void read_stack(struct json_profile_reader *r)
{
    static const struct apf_memprof_frame nothing = {0};
    struct json_reader *j = &r->json;
    r->memory.frames.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        r->memory.frame = nothing;
        json_profile_object(r, frame_fields, UINT32_MAX);
        uint32_t number = memprof_frame_number(r->instr->memprof, &r->memory.frame);
        if (!VEC_PUSH(&r->memory.frames, number))
            json_read_memory(j);
    }
}

/* Of the frames at hand, which are from the innermost one on. */
static uint32_t stack_number(struct json_profile_reader *r)
{
    uint32_t node = 0;
    for (size_t i = r->memory.frames.n; i-- > 0;)
        node = memprof_node_number(r->instr->memprof, node, r->memory.frames.data[i]);
    return node;
}

/* ---- allocations ---- */

/* 0: there is no such field. */
static unsigned field_of(struct apf_str name)
{
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (text_is(name, apf_memprof_field_name(f)))
            return f;
    return 0;
}

static void read_values(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    struct apf_str key;
    for (json_read_object(j); json_read_key(j, &key);) {
        unsigned f = field_of(key);
        if (!f || r->memory.fields & memprof_bit(f))
            json_profile_wrong(r, f ? "this key is there twice" : "there is no such field");
        if (json_read_failed(j))
            return;
        r->memory.values[f] = json_read_u64(j, memprof_field_bytes(f) == 4 ? UINT32_MAX : UINT64_MAX);
        r->memory.fields |= memprof_bit(f);
    }
}

static const struct json_field alloc_fields[] = {
    {"stack", "json.memprof.allocs.stack", read_stack},
    {"values", "json.memprof.allocs.values", read_values},
    {NULL, NULL, NULL},
};

static void read_allocs(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        r->memory.frames.n = 0;
        r->memory.fields = 0;
        memset(r->memory.values, 0, sizeof r->memory.values);
        json_profile_object(r, alloc_fields, UINT32_MAX);
        if (json_read_failed(j))
            return;
        memprof_push_alloc(r->instr->memprof, r->memory.function, stack_number(r), r->memory.fields,
                           r->memory.values);
    }
}

/* ---- call sites ---- */

static void read_callees(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    r->numbers.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t guid = json_profile_u64(r);
        if (!VEC_PUSH(&r->numbers, guid))
            json_read_memory(j);
    }
}

static const struct json_field site_fields[] = {
    {"stack", "json.memprof.call_sites.stack", read_stack},
    {"callees", "json.memprof.call_sites.callees", read_callees},
    {NULL, NULL, NULL},
};

static void read_sites(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        r->memory.frames.n = r->numbers.n = 0;
        json_profile_object(r, site_fields, UINT32_MAX);
        if (json_read_failed(j))
            return;
        uint32_t site = memprof_push_site(r->instr->memprof, r->memory.function, stack_number(r));
        for (size_t i = 0; i < r->numbers.n; i++)
            memprof_push_callee(r->instr->memprof, site, r->numbers.data[i]);
    }
}

/* ---- functions ---- */

static void read_guid(struct json_profile_reader *r)
{
    bool known;
    uint64_t guid = json_profile_u64(r);
    if (json_read_failed(&r->json))
        return;
    r->memory.function = memprof_function_number(r->instr->memprof, guid, &known);
    if (known)
        json_profile_wrong(r, "a function a second time");
    r->memory.has_function = true;
}

static const struct json_field function_fields[] = {
    {"guid", "json.memprof.functions.guid", read_guid}, /* the first: see GUID */
    {"allocs", "json.memprof.functions.allocs", read_allocs},
    {"call_sites", "json.memprof.functions.call_sites", read_sites},
    {NULL, NULL, NULL},
};
#define GUID 1u

/* Twice: its entries need its number. */
static void read_function(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    const char *p = j->p, *token = j->token;
    bool comma = j->comma;
    if (r->instr->memprof->functions.n >= r->options->max_records)
        json_read_wrong(j, APF_LIMIT, "more functions than the limit allows");
    r->memory.has_function = false;
    json_profile_object(r, function_fields, GUID);
    if (!r->memory.has_function)
        json_profile_wrong(r, "the id of the function is missing");
    if (json_read_failed(j))
        return;
    j->p = p;
    j->token = token;
    j->comma = comma;
    json_profile_object(r, function_fields, ~GUID);
    check_model(r);
}

static void read_functions(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);)
        read_function(r);
}

/* ---- data access profiles ---- */

static uint32_t read_string(struct json_profile_reader *r)
{
    struct apf_str text = json_read_string(&r->json);
    if (name_has_separator(text))
        json_profile_wrong(r, "a name with the byte 1");
    return json_read_failed(&r->json) ? 0 : memprof_string_number(r->instr->memprof, text.p, text.n);
}

static void read_symbol(struct json_profile_reader *r)
{
    r->memory.symbol = read_string(r);
    r->memory.has_symbol = true;
}

static void read_literal(struct json_profile_reader *r)
{
    r->memory.literal = json_profile_u64(r);
    r->memory.has_literal = true;
}

static void read_access_count(struct json_profile_reader *r)
{
    r->count = json_profile_u64(r);
}

static void read_file(struct json_profile_reader *r)
{
    r->memory.place.file = read_string(r);
    r->memory.has_file = true;
}

static void read_line(struct json_profile_reader *r)
{
    r->memory.place.line = read_u32(r);
}

static const struct json_field place_fields[] = {
    {"file", "json.memprof.data.locations.file", read_file},
    {"line", "json.memprof.data.locations.line", read_line},
    {NULL, NULL, NULL},
};

static void read_places(struct json_profile_reader *r)
{
    static const struct memprof_location nothing = {0};
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        r->memory.place = nothing;
        r->memory.has_file = false;
        json_profile_object(r, place_fields, UINT32_MAX);
        if (!r->memory.has_file)
            r->memory.place.file = memprof_string_number(r->instr->memprof, "", 0);
        if (!VEC_PUSH(&r->memory.places, r->memory.place))
            json_read_memory(j);
    }
}

static const struct json_field datum_fields[] = {
    {"symbol", "json.memprof.data.symbol", read_symbol},
    {"hash", "json.memprof.data.hash", read_literal},
    {"access_count", "json.memprof.data.access_count", read_access_count},
    {"locations", "json.memprof.data.locations", read_places},
    {NULL, NULL, NULL},
};

static void read_datum(struct json_profile_reader *r)
{
    struct json_memory *m = &r->memory;
    m->has_symbol = m->has_literal = false;
    m->places.n = 0;
    r->count = 0;
    json_profile_object(r, datum_fields, UINT32_MAX);
    if (m->has_symbol == m->has_literal)
        json_profile_wrong(r, "expected a symbol or the hash of a literal, and not both");
    if (json_read_failed(&r->json))
        return;
    uint32_t datum = memprof_push_datum(r->instr->memprof, m->has_literal,
                                        m->has_literal ? m->literal : m->symbol, r->count);
    for (size_t i = 0; i < m->places.n; i++)
        memprof_push_location(r->instr->memprof, datum, m->places.data[i].file, m->places.data[i].line);
}

static void read_data(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);)
        read_datum(r);
    check_model(r);
}

static void read_cold_symbols(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        uint32_t number = read_string(r);
        memprof_push_cold(r->instr->memprof, number);
    }
    check_model(r);
}

static void read_cold_hashes(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t hash = json_profile_u64(r);
        memprof_push_cold_hash(r->instr->memprof, hash);
    }
    check_model(r);
}

/* ---- the whole ---- */

static void read_version(struct json_profile_reader *r)
{
    r->instr->memprof->info.version = (int32_t)json_read_u64(&r->json, MEMPROF_MAX_VERSION);
}

static void read_schema(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        unsigned f = field_of(json_read_string(j));
        if (!f)
            json_profile_wrong(r, "there is no such field");
        else
            r->instr->memprof->info.schema |= memprof_bit(f);
    }
}

static struct apf_memprof_summary *summary_of(struct json_profile_reader *r)
{
    return &r->instr->memprof->info.summary;
}

static void read_contexts(struct json_profile_reader *r)
{
    summary_of(r)->contexts = json_profile_u64(r);
}

static void read_cold_contexts(struct json_profile_reader *r)
{
    summary_of(r)->cold_contexts = json_profile_u64(r);
}

static void read_hot_contexts(struct json_profile_reader *r)
{
    summary_of(r)->hot_contexts = json_profile_u64(r);
}

static void read_max_cold_size(struct json_profile_reader *r)
{
    summary_of(r)->max_cold_size = json_profile_u64(r);
}

static void read_max_warm_size(struct json_profile_reader *r)
{
    summary_of(r)->max_warm_size = json_profile_u64(r);
}

static void read_max_hot_size(struct json_profile_reader *r)
{
    summary_of(r)->max_hot_size = json_profile_u64(r);
}

static const struct json_field summary_fields[] = {
    {"contexts", "json.memprof.summary.contexts", read_contexts},
    {"cold_contexts", "json.memprof.summary.cold_contexts", read_cold_contexts},
    {"hot_contexts", "json.memprof.summary.hot_contexts", read_hot_contexts},
    {"max_cold_size", "json.memprof.summary.max_cold_size", read_max_cold_size},
    {"max_warm_size", "json.memprof.summary.max_warm_size", read_max_warm_size},
    {"max_hot_size", "json.memprof.summary.max_hot_size", read_max_hot_size},
    {NULL, NULL, NULL},
};

static void read_summary(struct json_profile_reader *r)
{
    json_profile_object(r, summary_fields, UINT32_MAX);
    r->instr->memprof->has_summary = true;
}

static const struct json_field memory_fields[] = {
    {"version", "json.memprof.version", read_version},
    {"schema", "json.memprof.schema", read_schema},
    {"summary", "json.memprof.summary", read_summary},
    {"functions", "json.memprof.functions", read_functions},
    {"data", "json.memprof.data", read_data},
    {"cold_symbols", "json.memprof.cold_symbols", read_cold_symbols},
    {"cold_hashes", "json.memprof.cold_hashes", read_cold_hashes},
    {NULL, NULL, NULL},
};

void json_profile_memprof(struct json_profile_reader *r)
{
    r->memory.there = true;
    if (r->options->flags & APF_FLAG_DROP_MEMPROF) {
        json_read_skip(&r->json);
        return;
    }
    r->instr->memprof = memprof_new(r->options->max_records);
    if (r->instr->memprof)
        json_profile_object(r, memory_fields, UINT32_MAX);
    else
        json_read_memory(&r->json);
}

void json_memory_free(struct json_memory *m)
{
    VEC_FREE(&m->frames);
    VEC_FREE(&m->places);
}

int json_profile_settle_memprof(struct json_profile_reader *r)
{
    struct apf_instr *instr = r->instr;
    uint64_t bit = r->memory.there ? APF_VARIANT_MEMPROF : 0;
    if (!bit &&
        instr->info.origin == APF_FORMAT_RAW) /* of a raw file the bits are what its writer left in them */
        return APF_OK;
    instr->info.variant = (instr->info.variant & ~APF_VARIANT_MEMPROF) | bit;
    if (r->memory.there && !instr->memprof)
        profile_drop_memprof(instr);
    instr->info.last_variant =
        (instr->info.last_variant & ~APF_VARIANT_MEMPROF) | (instr->info.variant & APF_VARIANT_MEMPROF);
    return instr->memprof ? memprof_group(instr->memprof, false, r->json.error) : APF_OK;
}
