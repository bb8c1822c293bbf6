/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a profile from JSON. The document is read twice, the second time for the functions, so that its keys may be in
 * any order without a tree in memory. */
#include <string.h>

#include "base/error.h"
#include "base/json_schema.h"
#include "base/text_bytes.h"
#include "instr/json/profile_json.h"
#include "instr/json/profile_json_fields.h"
#include "instr/model/profile_words.h"

/* ---- the source ---- */

static void read_schema(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    if (!text_is(json_read_string(&r->json), PROFILE_SCHEMA))
        json_profile_wrong(r, "expected " PROFILE_SCHEMA);
}

static void read_kind(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct apf_instr_info *info = object;
    (void)field;
    info->origin = format_of_word(json_read_string(&r->json));
    if (!info->origin)
        json_profile_wrong(r, "expected raw, indexed, text, memprof, json or merged");
}

static void read_byte_order(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct apf_instr_info *info = object;
    struct apf_str order = json_read_string(&r->json);
    (void)field;
    info->big_endian = text_is(order, "big");
    if (!text_is(order, "big") && !text_is(order, "little"))
        json_profile_wrong(r, "expected big or little");
}

static void read_pointer_bits(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct apf_instr_info *info = object;
    (void)field;
    info->pointer_bits = (uint32_t)json_read_u64(&r->json, 64);
}

static void read_value_kinds(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)object;
    json_profile_u32_field(r, field, r);
    r->has_value_kinds = true;
}

#define INFO(member) offsetof(struct apf_instr_info, member)

static const struct json_field source_fields[] = {
    {"kind", "json.source.kind", read_kind, 0},
    {"version", "json.source.version", json_profile_u32_field, INFO(version)},
    {"version_word", "json.source.version_word", json_profile_u64_field, INFO(version_word)},
    {"byte_order", "json.source.byte_order", read_byte_order, 0},
    {"pointer_bits", "json.source.pointer_bits", read_pointer_bits, 0},
    {"profiles", "json.source.profiles", json_profile_u64_field, INFO(n_profiles)},
    {"value_kinds", "json.source.value_kinds", read_value_kinds,
     offsetof(struct json_profile_reader, value_kinds)},
    {"front_end", "json.source.front_end", json_profile_bool_field, INFO(front_end)},
    {NULL, NULL, NULL, 0},
};

static void read_source(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    json_profile_object(r, source_fields, UINT32_MAX, object);
}

/* ---- variants ---- */

static void read_words(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t bit = variant_word_bit(json_read_string(j));
        if (!bit)
            json_profile_wrong(r, "unknown variant");
        r->words |= bit;
    }
}

static void read_bits(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    r->bits = json_profile_u64(r) & VARIANT_BITS;
}

static void read_last_bits(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    (void)field;
    (void)object;
    r->last_bits = json_profile_u64(r) & VARIANT_BITS;
}

/* ---- lists ---- */

static void read_binary_ids(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);) {
        uint32_t n = 0;
        struct apf_str id = {(const char *)json_profile_digits(r, &n), 0};
        id.n = n;
        if (n == 0)
            json_profile_wrong(r, "empty binary id");
        if (!VEC_PUSH(&r->ids, id))
            json_read_memory(j);
    }
}

static void read_findings(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    struct apf_str key;
    (void)field;
    (void)object;
    for (json_read_object(j); json_read_key(j, &key);) {
        unsigned quirk = 0;
        while (quirk < QUIRK_COUNT && !text_is(key, quirk_name((enum quirk)quirk)))
            quirk++;
        uint64_t n = json_profile_u64(r);
        if (quirk < QUIRK_COUNT)
            r->instr->quirks[quirk] = n;
    }
}

/* Adds names to the profile's table: that of vtables if field->at is 1. */
static void read_names(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    struct json_identity name = {field->at ? r->instr->vtables : r->instr->symbols, 0, 0, false, false};
    (void)object;
    for (json_read_array(j); json_read_more(j);)
        json_profile_name(r, &name);
}

/* ---- traces ---- */

static void read_called(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    struct apf_trace *trace = object;
    (void)field;
    r->numbers.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t id = json_profile_called(r);
        if (!VEC_PUSH(&r->numbers, id))
            json_read_memory(j);
    }
    trace->ids = json_profile_copy_numbers(r);
    trace->n = r->numbers.n;
}

static const struct json_field trace_fields[] = {
    {"weight", "json.traces.weight", json_profile_u64_field, offsetof(struct apf_trace, weight)},
    {"functions", "json.traces.functions", read_called, 0},
    {NULL, NULL, NULL, 0},
};

static void read_traces(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_reader *j = &r->json;
    (void)field;
    (void)object;
    for (json_read_array(j); json_read_more(j);) {
        r->numbers.n = 0;
        struct apf_trace trace = {1, json_profile_copy_numbers(r), 0};
        json_profile_object(r, trace_fields, UINT32_MAX, &trace);
        if (!VEC_PUSH(&r->traces, trace))
            json_read_memory(j);
    }
}

/* ---- the document ---- */

/* The bits of the first fields. */
enum { FUNCTIONS = 1, SCHEMA = 2, WORDS = 4, BITS = 8, LAST_BITS = 16, MEMPROF = 32 };

static const struct json_field document_fields[] = {
    {"functions", "json.functions", json_profile_functions, 0},
    {"schema", "json.schema", read_schema, 0},
    {"variant", "json.variant", read_words, 0},
    {"variant_bits", "json.variant_bits", read_bits, 0},
    {"last_variant_bits", "json.last_variant_bits", read_last_bits, 0},
    {"memprof", "json.memprof", json_profile_memprof, 0},
    {"source", "json.source", read_source, 0},
    {"binary_ids", "json.binary_ids", read_binary_ids, 0},
    {"findings", "json.findings", read_findings, 0},
    {"vtable_names", "json.vtable_names", read_names, 1},
    {"names", "json.names", read_names, 0},
    {"trace_stream_size", "json.trace_stream_size", json_profile_u64_field, INFO(trace_stream_size)},
    {"traces", "json.traces", read_traces, 0},
    {NULL, NULL, NULL, 0},
};

/* Checks what the document must have, and sets the variants. If the words and the bits differ, an edit of one of them
 * forgot the other. */
static void check_document(struct json_profile_reader *r, uint32_t given)
{
    struct apf_instr_info *info = &r->instr->info;
    if (!(given & SCHEMA))
        json_profile_wrong(r, "the schema is missing: expected " PROFILE_SCHEMA);
    if (given & WORDS && given & BITS && r->words != r->bits)
        json_profile_wrong(r, "\"variant\" and \"variant_bits\" differ");
    info->variant = given & BITS ? r->bits : r->words;
    info->last_variant = given & LAST_BITS ? r->last_bits : info->variant;
}

/* Copies the traces and binary ids to the arena. */
static int copy_lists(struct json_profile_reader *r)
{
    struct apf_instr_info *info = &r->instr->info;
    struct apf_trace *traces = arena_array(&r->instr->arena, r->traces.n, sizeof *traces);
    struct apf_str *ids = arena_array(&r->instr->arena, r->ids.n, sizeof *ids);
    if (!traces || !ids)
        return error_memory(r->json.error);
    if (r->traces.n)
        memcpy(traces, r->traces.data, r->traces.n * sizeof *traces);
    if (r->ids.n)
        memcpy(ids, r->ids.data, r->ids.n * sizeof *ids);
    info->traces = traces;
    info->n_traces = r->traces.n;
    info->binary_ids = ids;
    info->n_binary_ids = r->ids.n;
    return APF_OK;
}

static int read_document(struct json_profile_reader *r, const uint8_t *data, size_t n)
{
    struct apf_instr *instr = r->instr;
    json_read_start(&r->json, data, n, r->json.error);
    r->json.pulse = r->options->pulse;
    uint32_t given = json_profile_object(r, document_fields, ~(uint32_t)FUNCTIONS, &instr->info);
    check_document(r, given);
    int code = json_read_finish(&r->json);
    if (code == APF_OK) {
        json_read_start(&r->json, data, n, r->json.error);
        r->json.pulse = r->options->pulse;
        json_profile_object(r, document_fields, FUNCTIONS, &instr->info);
        code = json_read_finish(&r->json);
    }
    if (code == APF_OK)
        code = copy_lists(r);
    /* The header of a raw file decides how many kinds there are, whatever its value data hold. */
    bool raw = instr->info.origin == APF_FORMAT_RAW;
    if (r->has_value_kinds && (raw || r->value_kinds > instr->max_kinds))
        instr->max_kinds = r->value_kinds;
    return code == APF_OK ? json_profile_finish_memprof(r, given & MEMPROF) : code;
}

int profile_json_read(struct apf_instr *instr, const uint8_t *data, size_t n,
                      const struct read_options *options, struct apf_error *error)
{
    struct json_profile_reader r = {.instr = instr, .options = options, .json.error = error};
    instr->info.format = APF_FORMAT_JSON;
    instr->info.n_profiles = 1;
    int code = read_document(&r, data, n);
    value_gather_free(&r.sites);
    VEC_FREE(&r.numbers);
    VEC_FREE(&r.traces);
    VEC_FREE(&r.ids);
    VEC_FREE(&r.frames);
    VEC_FREE(&r.locations);
    return code;
}

bool profile_json_begins(const uint8_t *data, size_t n)
{
    return json_read_is_object(data, n) && !json_schema_is(data, n, "anyprof-sample");
}
