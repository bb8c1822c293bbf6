/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/json/profile_json_fields.h"

#include <string.h>

#include "base/number.h"
#include "base/text_bytes.h"

uint32_t json_profile_object(struct json_profile_reader *r, const struct json_field *fields, uint32_t wanted,
                             void *object)
{
    struct json_reader *j = &r->json;
    const char *where = j->where;
    struct apf_str key;
    uint32_t seen = 0, given = 0;
    json_read_object(j);
    while (json_read_key(j, &key)) {
        const struct json_field *f = fields;
        while (f->key && !text_is(key, f->key))
            f++;
        uint32_t bit = f->key ? (uint32_t)1 << (f - fields) : 0;
        j->where = f->key ? f->where : where;
        if (seen & bit)
            json_profile_wrong(r, "repeated key");
        seen |= bit;
        if (!(wanted & bit)) {
            json_read_skip(j);
        } else if (!json_read_failed(j) && !json_read_null(j)) {
            f->read(r, f, object);
            given |= bit;
        }
        j->where = where;
    }
    return given;
}

void json_profile_wrong(struct json_profile_reader *r, const char *detail)
{
    json_read_wrong(&r->json, APF_BAD_JSON, detail);
}

/* ---- numbers ---- */

uint64_t json_profile_u64(struct json_profile_reader *r)
{
    return json_read_u64(&r->json, UINT64_MAX);
}

void json_profile_u64_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    uint64_t v = json_profile_u64(r);
    memcpy((char *)object + field->at, &v, sizeof v);
}

void json_profile_u32_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    uint32_t v = (uint32_t)json_read_u64(&r->json, UINT32_MAX);
    memcpy((char *)object + field->at, &v, sizeof v);
}

void json_profile_bool_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    uint32_t v = json_read_bool(&r->json);
    memcpy((char *)object + field->at, &v, sizeof v);
}

void json_profile_numbers(struct json_profile_reader *r)
{
    struct json_reader *j = &r->json;
    r->numbers.n = 0;
    for (json_read_array(j); json_read_more(j);) {
        uint64_t v = json_profile_u64(r);
        if (!VEC_PUSH(&r->numbers, v))
            json_read_memory(j);
    }
}

const uint64_t *json_profile_copy_numbers(struct json_profile_reader *r)
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
    static const char wrong[] = "expected two hexadecimal digits for each byte";
    struct json_reader *j = &r->json;
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

/* ---- names and ids ---- */

void json_profile_id_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    struct json_identity *identity = (void *)((char *)object + field->at);
    uint64_t id = json_profile_u64(r);
    if (identity->has_name && id != identity->id)
        json_profile_wrong(r, "this is not the id of the name");
    identity->id = id;
    identity->has_id = true;
}

/* Finds a name in the table by the id of the object, which saves the MD5 of the name. */
static uint32_t find_known(const struct json_identity *identity, struct apf_str name)
{
    const struct symbols *table = identity->table;
    uint32_t e = identity->has_id ? symbols_find(table, identity->id) : HASH_INDEX_NONE;
    if (e == HASH_INDEX_NONE || table->list.data[e].n != name.n)
        return HASH_INDEX_NONE;
    return memcmp(table->list.data[e].p, name.p, name.n) == 0 ? e : HASH_INDEX_NONE;
}

void json_profile_name(struct json_profile_reader *r, struct json_identity *identity)
{
    struct json_reader *j = &r->json;
    struct apf_str name = json_read_string(j);
    uint64_t id = identity->id;
    if (json_read_failed(j))
        return;
    identity->has_name = true;
    identity->symbol = find_known(identity, name);
    if (identity->symbol != HASH_INDEX_NONE)
        return;
    int code = symbols_add(identity->table, name.p, name.n, true, &id, &identity->symbol, j->error);
    if (code == APF_MALFORMED)
        json_read_wrong(j, code, "two names with one id");
    else if (code != APF_OK)
        j->code = code;
    else if (identity->has_id && id != identity->id)
        json_profile_wrong(r, "this is not the name of the id");
    identity->id = id;
}

void json_profile_name_field(struct json_profile_reader *r, const struct json_field *field, void *object)
{
    json_profile_name(r, (void *)((char *)object + field->at));
}
