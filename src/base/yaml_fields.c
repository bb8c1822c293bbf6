/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/yaml_fields.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text_bytes.h"

#define MOST_LEVELS 64u  /* of values that are skipped */
#define LONGEST_SHOWN 60 /* bytes of a key in a message */

/* ---- plain values ---- */

int yaml_read_number(struct yaml_events *e, const char *where, uint64_t most, uint64_t *v)
{
    if (e->kind != YAML_SCALAR || !number_auto(e->text.p, e->text.n, v))
        return yaml_bad(e, where, "expected a number of at most 64 bits");
    return *v > most ? yaml_bad(e, where, "a number of more than 32 bits") : APF_OK;
}

int yaml_value_u32(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    int code = yaml_read_number(e, field->where, UINT32_MAX, &v);
    uint32_t narrow = (uint32_t)v;
    memcpy((char *)object + field->at, &narrow, sizeof narrow);
    return code;
}

int yaml_value_u64(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    int code = yaml_read_number(e, field->where, UINT64_MAX, &v);
    memcpy((char *)object + field->at, &v, sizeof v);
    return code;
}

int yaml_value_bool(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    static const char *const words[] = {"false", "False", "FALSE", "no",   "No",   "NO",   "off", "Off",
                                        "OFF",   "n",     "N",     "true", "True", "TRUE", "yes", "Yes",
                                        "YES",   "on",    "On",    "ON",   "y",    "Y"};
    const size_t n = sizeof words / sizeof *words;
    size_t i = 0;
    while (i < n && !(e->kind == YAML_SCALAR && text_is(e->text, words[i])))
        i++;
    uint32_t v = i >= n / 2;
    memcpy((char *)object + field->at, &v, sizeof v);
    return i < n ? APF_OK : yaml_bad(e, field->where, "expected true or false");
}

/* ---- mappings and lists ---- */

static int bad_key(const struct yaml_events *e, size_t at, const char *where, const char *what,
                   const char *key)
{
    char words[sizeof "missing required key" + LONGEST_SHOWN + 4];
    snprintf(words, sizeof words, "%s '%.*s'", what, LONGEST_SHOWN, key);
    return yaml_bad_at(e, at, where, words);
}

static int pass_value(struct yaml_events *e)
{
    unsigned depth = 0;
    for (;;) {
        depth += e->kind == YAML_LIST || e->kind == YAML_MAP;
        depth -= e->kind == YAML_LIST_END || e->kind == YAML_MAP_END;
        if (depth == 0)
            return APF_OK;
        if (depth > MOST_LEVELS)
            return yaml_bad(e, "yaml.syntax", "nested too deeply");
        int code = yaml_next(e);
        if (code != APF_OK)
            return code;
    }
}

static int read_unknown(struct yaml_events *e, const char *where)
{
    if (!e->unknown)
        return bad_key(e, e->at, where, "unknown key", e->text.p);
    e->unknown(e);
    int code = yaml_next(e);
    return code == APF_OK ? pass_value(e) : code;
}

/* The current event is a key. */
static int read_entry(struct yaml_events *e, const struct yaml_field *fields, size_t n, const char *where,
                      uint64_t *seen, void *object)
{
    size_t i = 0;
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, "yaml.syntax", "expected a key");
    while (i < n && !text_is(e->text, fields[i].key))
        i++;
    if (i == n)
        return read_unknown(e, where);
    if (*seen >> i & 1)
        return yaml_bad(e, fields[i].where, "the same key a second time");
    *seen |= (uint64_t)1 << i;
    int code = yaml_next(e);
    return code == APF_OK ? fields[i].read(e, &fields[i], object) : code;
}

int yaml_read_map(struct yaml_events *e, const struct yaml_field *fields, size_t n, const char *where,
                  void *object)
{
    uint64_t seen = 0;
    size_t at = e->at;
    if (e->kind != YAML_MAP)
        return yaml_bad(e, where, "expected a mapping");
    int code = yaml_next(e);
    while (code == APF_OK && e->kind != YAML_MAP_END) {
        code = read_entry(e, fields, n, where, &seen, object);
        if (code == APF_OK)
            code = yaml_next(e);
    }
    for (size_t i = 0; i < n && code == APF_OK; i++)
        if (fields[i].required && !(seen >> i & 1))
            code = bad_key(e, at, fields[i].where, "missing required key", fields[i].key);
    return code;
}

static bool is_empty(const struct yaml_events *e)
{
    return e->kind == YAML_SCALAR && (e->text.n == 0 || text_is(e->text, "null") || text_is(e->text, "~"));
}

int yaml_read_list(struct yaml_events *e, const struct yaml_field *field, yaml_value_fn *item, void *object)
{
    if (is_empty(e))
        return APF_OK;
    if (e->kind != YAML_LIST)
        return yaml_bad(e, field->where, "expected a list");
    for (;;) {
        int code = yaml_next(e);
        if (code != APF_OK || e->kind == YAML_LIST_END)
            return code;
        code = item(e, field, object);
        if (code != APF_OK)
            return code;
    }
}
