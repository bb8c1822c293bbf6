/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the memory profile of a profile in JSON. */
#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"
#include "instr/json/profile_json_fields.h"
#include "instr/memprof/memprof_group.h"
#include "instr/model/name_blob.h"

/* Reports a failure of the model. */
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

#define FRAME(member) offsetof(struct apf_memprof_frame, member)

static const struct json_field frame_fields[] = {
    {"function", "json.memprof.stack.function", json_profile_u64_field, FRAME(function)},
    {"line_offset", "json.memprof.stack.line_offset", json_profile_u32_field, FRAME(line_offset)},
    {"column", "json.memprof.stack.column", json_profile_u32_field, FRAME(column)},
    {"inline", "json.memprof.stack.inline", json_profile_bool_field, FRAME(is_inline)},
    {NULL, NULL, NULL, 0},
};

/* Reads the frames of a stack, the innermost first, and sets a uint32_t to the node of the stack. */
static void read_stack_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    uint32_t node = 0;
    r->frames.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        struct apf_memprof_frame frame = {0};
        json_profile_object(r, frame_fields, UINT32_MAX, &frame);
        uint32_t number = memprof_frame_number(r->instr->memprof, &frame);
        if (!VEC_PUSH(&r->frames, number))
            json_read_memory(j);
    }
    while (r->frames.n && !json_read_failed(j))
        node = memprof_node_number(r->instr->memprof, node, r->frames.data[--r->frames.n]);
    memcpy((char *)object + field->at, &node, sizeof node);
}

/* ---- allocation contexts ---- */

/* The number of a field with a name; 0: unknown name. */
static unsigned find_field(struct apf_str name)
{
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (text_is(name, apf_memprof_field_name(f)))
            return f;
    return 0;
}

struct json_alloc {
    uint32_t stack, fields;
    uint64_t values[APF_MEMPROF_FIELDS];
};

static void read_values(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    struct json_alloc *alloc = object;
    struct apf_str key;
    (void)field;
    for (json_read_object(j); json_read_key(j, &key);) {
        unsigned f = find_field(key);
        if (!f || alloc->fields & memprof_bit(f))
            json_profile_wrong(r, f ? "repeated key" : "unknown field");
        if (json_read_failed(j))
            return;
        alloc->values[f] = json_read_u64(j, memprof_field_bytes(f) == 4 ? UINT32_MAX : UINT64_MAX);
        alloc->fields |= memprof_bit(f);
    }
}

static const struct json_field alloc_fields[] = {
    {"stack", "json.memprof.allocs.stack", read_stack_field, offsetof(struct json_alloc, stack)},
    {"values", "json.memprof.allocs.values", read_values, 0},
    {NULL, NULL, NULL, 0},
};

/* The object of the fields of a function is its number. */
static void read_allocs(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    const uint32_t *function = object;
    (void)field;
    for (json_read_array(j); json_read_more(j);) {
        struct json_alloc alloc = {0};
        json_profile_object(r, alloc_fields, UINT32_MAX, &alloc);
        if (!json_read_failed(j))
            memprof_push_alloc(r->instr->memprof, *function, alloc.stack, alloc.fields, alloc.values);
    }
}

/* ---- call sites ---- */

static void read_callees(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    json_profile_numbers(r);
}

static const struct json_field site_fields[] = {
    {"stack", "json.memprof.call_sites.stack", read_stack_field, 0},
    {"callees", "json.memprof.call_sites.callees", read_callees, 0},
    {NULL, NULL, NULL, 0},
};

static void read_sites(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    const uint32_t *function = object;
    (void)field;
    for (json_read_array(j); json_read_more(j);) {
        uint32_t stack = 0;
        r->numbers.n = 0;
        json_profile_object(r, site_fields, UINT32_MAX, &stack);
        if (json_read_failed(j))
            return;
        uint32_t site = memprof_push_site(r->instr->memprof, *function, stack);
        for (size_t i = 0; i < r->numbers.n; i++)
            memprof_push_callee(r->instr->memprof, site, r->numbers.data[i]);
    }
}

/* ---- functions ---- */

static void read_guid(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    uint32_t *function = object;
    bool known;
    uint64_t guid = json_profile_u64(r);
    (void)field;
    if (json_read_failed(&r->json))
        return;
    *function = memprof_function_number(r->instr->memprof, guid, &known);
    if (known)
        json_profile_wrong(r, "repeated function");
}

#define GUID 1u /* the bit of the first field */

static const struct json_field function_fields[] = {
    {"guid", "json.memprof.functions.guid", read_guid, 0},
    {"allocs", "json.memprof.functions.allocs", read_allocs, 0},
    {"call_sites", "json.memprof.functions.call_sites", read_sites, 0},
    {NULL, NULL, NULL, 0},
};

/* Reads a function twice, since its entries need its number, and its GUID may stand after them. */
static void read_function(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    const char *p = j->p, *token = j->token;
    bool comma = j->comma;
    uint32_t function = 0;
    if (r->instr->memprof->functions.n >= r->options->max_records)
        json_read_wrong(j, APF_LIMIT, "more functions than the limit allows");
    if (!json_profile_object(r, function_fields, GUID, &function))
        json_profile_wrong(r, "the id of the function is missing");
    if (json_read_failed(j))
        return;
    j->p = p;
    j->token = token;
    j->comma = comma;
    json_profile_object(r, function_fields, ~GUID, &function);
    check_model(r);
}

static void read_functions(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);)
        read_function(r);
}

/* ---- data access profiles ---- */

static uint32_t read_string(struct json_profile_reader *r)
{
    struct apf_str text = json_read_string(&r->json);
    if (name_has_separator(text))
        json_profile_wrong(r, "a name contains the byte 1");
    return json_read_failed(&r->json) ? 0 : memprof_string_number(r->instr->memprof, text.p, text.n);
}

/* Sets a uint32_t to the number of a string. */
static void read_string_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    uint32_t string = read_string(r);
    memcpy((char *)object + field->at, &string, sizeof string);
}

#define FILE_NAME 1u /* the bit of the first field */

static const struct json_field location_fields[] = {
    {"file", "json.memprof.data.locations.file", read_string_field, offsetof(struct memprof_location, file)},
    {"line", "json.memprof.data.locations.line", json_profile_u32_field,
     offsetof(struct memprof_location, line)},
    {NULL, NULL, NULL, 0},
};

static void read_locations(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);) {
        struct memprof_location location = {0};
        if (!(json_profile_object(r, location_fields, UINT32_MAX, &location) & FILE_NAME))
            location.file = memprof_string_number(r->instr->memprof, "", 0);
        if (!VEC_PUSH(&r->locations, location))
            json_read_memory(j);
    }
}

struct json_datum {
    uint32_t symbol; /* number of the string */
    uint64_t literal, count;
};

#define DATUM(member) offsetof(struct json_datum, member)
#define SYMBOL 1u /* the bits of the first two fields */
#define LITERAL 2u

static const struct json_field datum_fields[] = {
    {"symbol", "json.memprof.data.symbol", read_string_field, DATUM(symbol)},
    {"hash", "json.memprof.data.hash", json_profile_u64_field, DATUM(literal)},
    {"access_count", "json.memprof.data.access_count", json_profile_u64_field, DATUM(count)},
    {"locations", "json.memprof.data.locations", read_locations, 0},
    {NULL, NULL, NULL, 0},
};

static void read_datum(struct json_profile_reader *r)
{
    struct apf_memprof *m = r->instr->memprof;
    struct json_datum d = {0};
    r->locations.n = 0;
    uint32_t given = json_profile_object(r, datum_fields, UINT32_MAX, &d);
    bool is_literal = given & LITERAL;
    if (is_literal == (bool)(given & SYMBOL))
        json_profile_wrong(r, "expected a symbol or the hash of a literal, and not both");
    if (json_read_failed(&r->json))
        return;
    uint32_t datum = memprof_push_datum(m, is_literal, is_literal ? d.literal : d.symbol, d.count);
    for (size_t i = 0; i < r->locations.n; i++)
        memprof_push_location(m, datum, r->locations.data[i].file, r->locations.data[i].line);
}

static void read_data(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);)
        read_datum(r);
    check_model(r);
}

static void read_cold_symbols(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);) {
        uint32_t string = read_string(r);
        memprof_push_cold(r->instr->memprof, string);
    }
    check_model(r);
}

static void read_cold_hashes(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    json_profile_numbers(r);
    for (size_t i = 0; i < r->numbers.n; i++)
        memprof_push_cold_hash(r->instr->memprof, r->numbers.data[i]);
    check_model(r);
}

/* ---- the profile ---- */

static void read_version(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    r->instr->memprof->info.version = (uint32_t)json_read_u64(&r->json, MEMPROF_MAX_VERSION);
}

static void read_schema(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);) {
        unsigned f = find_field(json_read_string(j));
        if (!f)
            json_profile_wrong(r, "unknown field");
        else
            r->instr->memprof->info.schema |= memprof_bit(f);
    }
}

#define SUMMARY(member)                                                                                      \
    {#member, "json.memprof.summary." #member, json_profile_u64_field,                                       \
     offsetof(struct apf_memprof_summary, member)}

static const struct json_field summary_fields[] = {
    SUMMARY(contexts),      SUMMARY(cold_contexts), SUMMARY(hot_contexts), SUMMARY(max_cold_size),
    SUMMARY(max_warm_size), SUMMARY(max_hot_size),  {NULL, NULL, NULL, 0},
};

static void read_summary(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct apf_memprof *m = r->instr->memprof;
    (void)field;
    (void)object;
    json_profile_object(r, summary_fields, UINT32_MAX, &m->info.summary);
    m->has_summary = true;
}

static const struct json_field memprof_fields[] = {
    {"version", "json.memprof.version", read_version, 0},
    {"schema", "json.memprof.schema", read_schema, 0},
    {"summary", "json.memprof.summary", read_summary, 0},
    {"functions", "json.memprof.functions", read_functions, 0},
    {"data", "json.memprof.data", read_data, 0},
    {"cold_symbols", "json.memprof.cold_symbols", read_cold_symbols, 0},
    {"cold_hashes", "json.memprof.cold_hashes", read_cold_hashes, 0},
    {NULL, NULL, NULL, 0},
};

void json_profile_memprof(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    if (r->options->flags & APF_FLAG_DROP_MEMPROF) {
        json_read_skip(&r->json);
        return;
    }
    r->instr->memprof = memprof_new(r->options->max_records);
    if (r->instr->memprof)
        json_profile_object(r, memprof_fields, UINT32_MAX, NULL);
    else
        json_read_memory(&r->json);
    error_subject(r->json.error, r->json.code, APF_SUBJECT_MEMPROF);
}

int json_profile_finish_memprof(struct json_profile_reader *r, bool found)
{
    struct apf_instr *instr = r->instr;
    struct apf_instr_info *info = &instr->info;
    if (!found && info->origin == APF_FORMAT_RAW) /* a raw file may have the bit without a memory profile */
        return APF_OK;
    info->variant = (info->variant & ~APF_VARIANT_MEMPROF) | (found ? APF_VARIANT_MEMPROF : 0);
    if (found && !instr->memprof)
        profile_drop_memprof(instr);
    info->last_variant = (info->last_variant & ~APF_VARIANT_MEMPROF) | (info->variant & APF_VARIANT_MEMPROF);
    int code = instr->memprof ? memprof_group(instr->memprof, false, r->json.error) : APF_OK;
    return error_subject(r->json.error, code, APF_SUBJECT_MEMPROF);
}
