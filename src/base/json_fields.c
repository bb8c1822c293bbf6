/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_fields.h"

#include <string.h>

#include "base/text_bytes.h"

void json_fields_read(struct json_fields *f, struct json_reader *r, const struct json_key *keys)
{
    struct apf_str key;
    uint32_t seen = 0;
    memset(f, 0, sizeof *f);
    f->json = r;
    f->keys = keys;
    f->where = r->where;
    json_read_object(r);
    f->begin = r->token;
    while (json_read_key(r, &key)) {
        unsigned i = 0;
        while (keys[i].key && !text_is(key, keys[i].key))
            i++;
        if (!keys[i].key) {
            json_read_skip(r);
            continue;
        }
        r->where = keys[i].where;
        if (seen >> i & 1)
            json_read_wrong(r, APF_BAD_JSON, "this key occurs twice");
        seen |= (uint32_t)1 << i;
        if (!json_read_null(r)) {
            f->values[i] = r->token;
            json_read_skip(r);
        }
        r->where = f->where;
    }
    f->end = r->p;
}

bool json_fields_enter(struct json_fields *f, unsigned key)
{
    if (!f->values[key] || json_read_failed(f->json))
        return false;
    f->json->p = f->values[key];
    f->json->where = f->keys[key].where;
    return true;
}

void json_fields_leave(struct json_fields *f)
{
    f->json->p = f->end;
    f->json->where = f->where;
}

uint64_t json_fields_u64_or(struct json_fields *f, unsigned key, uint64_t most, uint64_t otherwise)
{
    if (!json_fields_enter(f, key))
        return otherwise;
    uint64_t v = json_read_u64(f->json, most);
    json_fields_leave(f);
    return v;
}

static void need_number(struct json_fields *f, unsigned key)
{
    if (!json_fields_has(f, key))
        json_fields_wrong(f, key, "a number is missing");
}

uint64_t json_fields_u64(struct json_fields *f, unsigned key, uint64_t most)
{
    need_number(f, key);
    return json_fields_u64_or(f, key, most, 0);
}

int64_t json_fields_i64(struct json_fields *f, unsigned key)
{
    need_number(f, key);
    if (!json_fields_enter(f, key))
        return 0;
    int64_t v = json_read_i64(f->json);
    json_fields_leave(f);
    return v;
}

bool json_fields_flag(struct json_fields *f, unsigned key)
{
    if (!json_fields_enter(f, key))
        return false;
    bool v = json_read_bool(f->json);
    json_fields_leave(f);
    return v;
}

struct apf_str json_fields_text(struct json_fields *f, unsigned key, struct arena *arena)
{
    struct apf_str nothing = {"", 0};
    if (!json_fields_enter(f, key))
        return nothing;
    struct apf_str text = json_read_string(f->json);
    json_fields_leave(f);
    if (arena && text.n && text.p == f->json->text.data) {
        text.p = arena_text(arena, text.p, text.n);
        if (!text.p)
            json_read_memory(f->json);
    }
    return text.p ? text : nothing;
}

void json_fields_object(struct json_fields *f, unsigned key, struct json_fields *object,
                        const struct json_key *keys)
{
    struct json_fields nothing = {
        .json = f->json, .keys = keys, .begin = f->begin, .end = f->end, .where = f->where};
    *object = nothing;
    if (!json_fields_enter(f, key))
        return;
    json_fields_read(object, f->json, keys);
    json_fields_leave(f);
}

bool json_fields_list(struct json_fields *f, unsigned key)
{
    if (!json_fields_enter(f, key))
        return false;
    json_read_array(f->json);
    return true;
}

void json_fields_wrong(struct json_fields *f, unsigned key, const char *detail)
{
    f->json->token = f->values[key] ? f->values[key] : f->begin;
    f->json->where = f->keys[key].where;
    json_read_wrong(f->json, APF_BAD_JSON, detail);
    f->json->where = f->where;
}
