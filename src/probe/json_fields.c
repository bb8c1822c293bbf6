/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/json_fields.h"

#include "base/error.h"
#include "base/number.h"

void json_fields_wrong(struct json_fields *f, const char *key, const char *what)
{
    if (f->code != APF_OK)
        return;
    f->code =
        f->list ? error_plain(f->error, APF_BAD_JSON, "json", "%s[%zu].%s: %s", f->list, f->entry, key, what)
                : error_plain(f->error, APF_BAD_JSON, "json", "%s: %s", key, what);
}

static const json_t *field(const struct json_fields *f, const char *key)
{
    const json_t *value = f->code == APF_OK ? json_object_get(f->object, key) : NULL;
    return json_is_null(value) ? NULL : value;
}

bool json_fields_has(const struct json_fields *f, const char *key)
{
    return field(f, key) != NULL;
}

uint64_t json_fields_u64(struct json_fields *f, const char *key, uint64_t most)
{
    const json_t *value = field(f, key);
    uint64_t v = 0;
    bool good = false;
    if (json_is_integer(value)) {
        good = json_integer_value(value) >= 0;
        v = (uint64_t)json_integer_value(value);
    } else if (json_is_string(value)) {
        good = number_auto(json_string_value(value), json_string_length(value), &v);
    }
    if (good && v <= most)
        return v;
    json_fields_wrong(f, key, value ? "this is no number of that size" : "a number is missing");
    return 0;
}

uint64_t json_fields_u64_or_0(struct json_fields *f, const char *key, uint64_t most)
{
    return json_fields_has(f, key) ? json_fields_u64(f, key, most) : 0;
}

int64_t json_fields_i64(struct json_fields *f, const char *key)
{
    const json_t *value = field(f, key);
    uint64_t v = 0;
    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        bool minus = *text == '-';
        if (number_auto(text + minus, json_string_length(value) - minus, &v) &&
            v <= (uint64_t)INT64_MAX + minus)
            return (int64_t)(minus ? 0 - v : v);
    }
    json_fields_wrong(f, key, value ? "this is no number of that size" : "a number is missing");
    return 0;
}

bool json_fields_flag(struct json_fields *f, const char *key)
{
    const json_t *value = field(f, key);
    if (value && !json_is_boolean(value))
        json_fields_wrong(f, key, "this is neither true nor false");
    return json_is_true(value);
}

struct apf_str json_fields_text(struct json_fields *f, const char *key)
{
    const json_t *value = field(f, key);
    struct apf_str text = {"", 0}, nothing = text;
    if (json_is_string(value)) {
        text.p = json_string_value(value);
        text.n = json_string_length(value);
        text = json_escapes_show(f->escapes, text);
        if (!text.p)
            f->code = error_memory(f->error);
    } else if (value) {
        json_fields_wrong(f, key, "this is no string");
    }
    return text.p ? text : nothing;
}

const json_t *json_fields_list(struct json_fields *f, const char *key)
{
    const json_t *value = field(f, key);
    if (value && !json_is_array(value)) {
        json_fields_wrong(f, key, "this is no array");
        return NULL;
    }
    return value;
}

const json_t *json_fields_object(struct json_fields *f, const char *key)
{
    const json_t *value = field(f, key);
    if (value && !json_is_object(value)) {
        json_fields_wrong(f, key, "this is no object");
        return NULL;
    }
    return value;
}

struct json_fields json_fields_entry(const struct json_fields *of, const json_t *list, const char *name,
                                     size_t i)
{
    struct json_fields f = {json_array_get(list, i), name, i, of->escapes, of->error, of->code};
    if (!json_is_object(f.object) && f.code == APF_OK)
        f.code = error_plain(f.error, APF_BAD_JSON, "json", "%s[%zu]: this is no object", name, i);
    return f;
}
