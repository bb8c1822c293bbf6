/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From JSON to a profile. The document is read twice: first all but the functions, then these, so that its keys may be
 * in any order; nothing is kept of it but what becomes part of the profile. */
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "instr/instr_json.h"
#include "instr/instr_json_parts.h"
#include "instr/variant_words.h"

/* ---- what both files read ---- */

void json_profile_object(struct json_profile_reader *r, const struct json_field *fields, uint32_t wanted)
{
    struct json_reader *j = &r->json;
    const char *where = j->where;
    struct apf_str key;
    uint32_t seen = 0;
    json_read_object(j);
    while (json_read_key(j, &key)) {
        const struct json_field *f = fields;
        while (f->key && !text_is(key, f->key))
            f++;
        uint32_t bit = f->key ? (uint32_t)1 << (f - fields) : 0;
        j->where = f->key ? f->where : where;
        if (seen & bit)
            json_profile_wrong(r, "this key is there twice");
        seen |= bit;
        if (!(wanted & bit))
            json_read_skip(j);
        else if (!json_read_failed(j) && !json_read_null(j)) /* what is there twice would be made twice */
            f->read(r);
        j->where = where;
    }
}

void json_profile_wrong(struct json_profile_reader *r, const char *detail)
{
    json_read_wrong(&r->json, APF_BAD_JSON, detail);
}

uint64_t json_profile_u64(struct json_profile_reader *r)
{
    return json_read_u64(&r->json, UINT64_MAX);
}

const uint64_t *json_profile_keep_numbers(struct json_profile_reader *r)
{
    size_t n = r->numbers.n;
    uint64_t *copy = json_read_failed(&r->json) ? NULL : arena_array(&r->instr->arena, n, sizeof *copy);
    if (!copy)
        json_read_memory(&r->json);
    else if (n)
        memcpy(copy, r->numbers.data, n * sizeof *copy);
    return copy;
}

const uint8_t *json_profile_digits(struct json_profile_reader *r, uint32_t *n)
{
    struct json_reader *j = &r->json;
    const char *wrong = "two hexadecimal digits for each byte were expected";
    struct apf_str text = json_read_string(j);
    if (text.n % 2 || text.n / 2 > UINT32_MAX)
        json_profile_wrong(r, wrong);
    uint8_t *bytes = json_read_failed(j) ? NULL : arena_bytes(&r->instr->arena, text.n / 2 + 1);
    if (!bytes) {
        json_read_memory(j);
        return NULL;
    }
    for (size_t i = 0; i < text.n / 2; i++) {
        int high = number_hex_digit(text.p[2 * i]), low = number_hex_digit(text.p[2 * i + 1]);
        if (high < 0 || low < 0)
            json_profile_wrong(r, wrong);
        else
            bytes[i] = (uint8_t)(16 * high + low);
    }
    *n = (uint32_t)(text.n / 2);
    return bytes;
}

void json_profile_id(struct json_profile_reader *r, struct json_identity *identity)
{
    uint64_t id = json_profile_u64(r);
    if (identity->has_name && id != identity->id)
        json_profile_wrong(r, "this is not the id of the name");
    identity->id = id;
    identity->has_id = true;
}

/* Of a name that is known with its id, the MD5 need not be worked out again. */
static uint32_t known_symbol(const struct symbols *table, const struct json_identity *identity,
                             struct apf_str name)
{
    uint32_t e = identity->has_id ? symbols_find(table, identity->id) : HASH_INDEX_NONE;
    if (e == HASH_INDEX_NONE || table->list.data[e].n != name.n)
        return HASH_INDEX_NONE;
    return memcmp(table->list.data[e].p, name.p, name.n) == 0 ? e : HASH_INDEX_NONE;
}

void json_profile_name(struct json_profile_reader *r, struct symbols *table, struct json_identity *identity)
{
    struct json_reader *j = &r->json;
    struct apf_str name = json_read_string(j);
    uint64_t id = identity->id;
    if (json_read_failed(j))
        return;
    identity->has_name = true;
    identity->symbol = known_symbol(table, identity, name);
    if (identity->symbol != HASH_INDEX_NONE)
        return;
    int code = symbols_add(table, name.p, name.n, true, &id, &identity->symbol, j->error);
    if (code == APF_MALFORMED)
        json_read_wrong(j, code, "two names with one id");
    else if (code != APF_OK)
        j->code = code;
    else if (identity->has_id && id != identity->id)
        json_profile_wrong(r, "this is not the name of the id");
    identity->id = id;
}

/* ---- where it comes from ---- */

static void read_schema(struct json_profile_reader *r)
{
    if (!text_is(json_read_string(&r->json), PROFILE_SCHEMA))
        json_profile_wrong(r, "expected " PROFILE_SCHEMA);
    r->has_schema = true;
}

static void read_kind(struct json_profile_reader *r)
{
    int32_t format = format_of_word(json_read_string(&r->json));
    if (!format)
        json_profile_wrong(r, "expected raw, indexed, text, memprof, json or merged");
    r->instr->info.origin = format;
}

static void read_version(struct json_profile_reader *r)
{
    r->instr->info.version = (uint32_t)json_read_u64(&r->json, UINT32_MAX);
}

static void read_version_word(struct json_profile_reader *r)
{
    r->instr->info.version_word = json_profile_u64(r);
}

static void read_byte_order(struct json_profile_reader *r)
{
    struct apf_str order = json_read_string(&r->json);
    r->instr->info.big_endian = text_is(order, "big");
    if (!text_is(order, "big") && !text_is(order, "little"))
        json_profile_wrong(r, "expected big or little");
}

static void read_pointer_bits(struct json_profile_reader *r)
{
    r->instr->info.pointer_bits = (uint32_t)json_read_u64(&r->json, 64);
}

static void read_profiles(struct json_profile_reader *r)
{
    r->instr->info.n_profiles = json_profile_u64(r);
}

static void read_value_kinds(struct json_profile_reader *r)
{
    r->value_kinds = (uint32_t)json_read_u64(&r->json, UINT32_MAX);
    r->has_value_kinds = true;
}

static void read_front_end(struct json_profile_reader *r)
{
    r->instr->info.front_end = json_read_bool(&r->json);
}

static const struct json_field source_fields[] = {
    {"kind", "json.source.kind", read_kind},
    {"version", "json.source.version", read_version},
    {"version_word", "json.source.version_word", read_version_word},
    {"byte_order", "json.source.byte_order", read_byte_order},
    {"pointer_bits", "json.source.pointer_bits", read_pointer_bits},
    {"profiles", "json.source.profiles", read_profiles},
    {"value_kinds", "json.source.value_kinds", read_value_kinds},
    {"front_end", "json.source.front_end", read_front_end},
    {NULL, NULL, NULL},
};

static void read_source(struct json_profile_reader *r)
{
    json_profile_object(r, source_fields, UINT32_MAX);
}

/* ---- variants ---- */

static void read_words(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t bit = variant_word_bit(json_read_string(j));
        if (!bit)
            json_profile_wrong(r, "there is no such variant");
        r->variant.words |= bit;
    }
    r->variant.has_words = true;
}

static void read_bits(struct json_profile_reader *r)
{
    r->variant.bits = json_profile_u64(r) & VARIANT_BITS;
    r->variant.has_bits = true;
}

static void read_last_bits(struct json_profile_reader *r)
{
    r->variant.last = json_profile_u64(r) & VARIANT_BITS;
    r->variant.has_last = true;
}

/* Who changed the words and not the bits should learn of it, in whatever order they are. */
static void settle_variant(struct json_profile_reader *r)
{
    const struct json_variant *v = &r->variant;
    if (v->has_words && v->has_bits && v->words != v->bits)
        json_profile_wrong(r, "\"variant\" and \"variant_bits\" differ");
    r->instr->info.variant = v->has_bits ? v->bits : v->words;
    r->instr->info.last_variant = v->has_last ? v->last : r->instr->info.variant;
}

/* ---- lists ---- */

static void read_binary_ids(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        uint32_t n = 0;
        struct apf_str id = {(const char *)json_profile_digits(r, &n), 0};
        id.n = n;
        if (n == 0)
            json_profile_wrong(r, "a binary id without bytes");
        if (!VEC_PUSH(&r->ids, id))
            json_read_memory(j);
    }
}

static void read_findings(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    struct apf_str key;
    for (json_read_object(j); json_read_key(j, &key);) {
        unsigned quirk = 0;
        while (quirk < QUIRK_COUNT && !text_is(key, profile_quirk_name((enum quirk)quirk)))
            quirk++;
        uint64_t n = json_profile_u64(r);
        if (quirk < QUIRK_COUNT)
            r->instr->quirks[quirk] = n;
    }
}

static void read_names(struct json_profile_reader *r, struct symbols *table)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        struct json_identity identity = {0, 0, false, false};
        json_profile_name(r, table, &identity);
    }
}

static void read_vtable_names(struct json_profile_reader *r)
{
    read_names(r, &r->instr->vtables);
}

static void read_other_names(struct json_profile_reader *r)
{
    read_names(r, &r->instr->symbols);
}

static void read_stream_size(struct json_profile_reader *r)
{
    r->instr->info.trace_stream_size = json_profile_u64(r);
}

static void read_weight(struct json_profile_reader *r)
{
    r->trace.weight = json_profile_u64(r);
}

static void read_called(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    r->numbers.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t id = json_profile_called(r);
        if (!VEC_PUSH(&r->numbers, id))
            json_read_memory(j);
    }
    r->trace.ids = json_profile_keep_numbers(r);
    r->trace.n = r->numbers.n;
}

static const struct json_field trace_fields[] = {
    {"weight", "json.traces.weight", read_weight},
    {"functions", "json.traces.functions", read_called},
    {NULL, NULL, NULL},
};

static void read_traces(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    for (json_read_array(j); json_read_more(j);) {
        r->numbers.n = 0;
        struct apf_trace nothing = {1, json_profile_keep_numbers(r), 0};
        r->trace = nothing;
        json_profile_object(r, trace_fields, UINT32_MAX);
        if (!VEC_PUSH(&r->traces, r->trace))
            json_read_memory(j);
    }
}

/* ---- the document ---- */

static const struct json_field document_fields[] = {
    {"functions", "json.functions", json_profile_functions}, /* the first: see FUNCTIONS */
    {"schema", "json.schema", read_schema},
    {"source", "json.source", read_source},
    {"variant", "json.variant", read_words},
    {"variant_bits", "json.variant_bits", read_bits},
    {"last_variant_bits", "json.last_variant_bits", read_last_bits},
    {"binary_ids", "json.binary_ids", read_binary_ids},
    {"findings", "json.findings", read_findings},
    {"vtable_names", "json.vtable_names", read_vtable_names},
    {"names", "json.names", read_other_names},
    {"trace_stream_size", "json.trace_stream_size", read_stream_size},
    {"traces", "json.traces", read_traces},
    {"memprof", "json.memprof", json_profile_memprof},
    {NULL, NULL, NULL},
};
#define FUNCTIONS 1u

/* What was gathered moves to the arena. */
static int settle(struct json_profile_reader *r)
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
    bool raw = info->origin == APF_FORMAT_RAW; /* whose header counts, whatever the value data holds */
    if (r->has_value_kinds && (raw || r->value_kinds > r->instr->max_kinds))
        r->instr->max_kinds = r->value_kinds;
    return APF_OK;
}

static int read_document(struct json_profile_reader *r, const uint8_t *data, size_t n, uint32_t wanted)
{
    json_read_start(&r->json, data, n, r->json.error);
    json_profile_object(r, document_fields, wanted);
    if (wanted != FUNCTIONS) {
        if (!r->has_schema)
            json_profile_wrong(r, "the schema is missing: expected " PROFILE_SCHEMA);
        settle_variant(r);
    }
    return json_read_finish(&r->json);
}

int instr_json_read(struct apf_instr *instr, const uint8_t *data, size_t n,
                    const struct read_options *options, struct apf_error *error)
{
    struct json_profile_reader r = {.instr = instr, .options = options, .json.error = error};
    instr->info.format = APF_FORMAT_JSON;
    instr->info.n_profiles = 1;
    int code = read_document(&r, data, n, UINT32_MAX & ~FUNCTIONS);
    if (code == APF_OK)
        code = read_document(&r, data, n, FUNCTIONS);
    if (code == APF_OK)
        code = settle(&r);
    if (code == APF_OK)
        code = json_profile_settle_memprof(&r);
    site_gather_free(&r.sites);
    json_memory_free(&r.memory);
    VEC_FREE(&r.numbers);
    VEC_FREE(&r.traces);
    VEC_FREE(&r.ids);
    return code;
}
