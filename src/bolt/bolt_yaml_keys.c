/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_yaml_keys.h"

#include "base/error.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "base/yaml_text.h"

#define MOST_DEPTH 8u   /* of values that are kept */
#define MOST_LEVELS 64u /* of others that are passed over */
#define MOST_WORD 24u   /* characters of a number or a key in what is kept */

/* ---- plain values ---- */

static int number(struct yaml_reader *r, const struct yaml_field *field, uint64_t most, uint64_t *v)
{
    const struct yaml_events *e = &r->events;
    if (e->kind != YAML_SCALAR || !number_auto(e->text.p, e->text.n, v))
        return yaml_bad(e, field->where, "expected a number of at most 64 bits");
    return *v > most ? yaml_bad(e, field->where, "a number of more than 32 bits") : APF_OK;
}

int yaml_value_u32(struct yaml_reader *r, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    int code = number(r, field, UINT32_MAX, &v);
    uint32_t narrow = (uint32_t)v;
    memcpy((char *)object + field->at, &narrow, sizeof narrow);
    return code;
}

int yaml_value_u64(struct yaml_reader *r, const struct yaml_field *field, void *object)
{
    uint64_t v = 0;
    int code = number(r, field, UINT64_MAX, &v);
    memcpy((char *)object + field->at, &v, sizeof v);
    return code;
}

int yaml_value_bool(struct yaml_reader *r, const struct yaml_field *field, void *object)
{
    const struct yaml_events *e = &r->events;
    uint32_t v = e->kind == YAML_SCALAR && text_is(e->text, "true");
    if (!v && (e->kind != YAML_SCALAR || !text_is(e->text, "false")))
        return yaml_bad(e, field->where, "expected true or false");
    memcpy((char *)object + field->at, &v, sizeof v);
    return APF_OK;
}

int yaml_value_text(struct yaml_reader *r, const struct yaml_field *field, void *object)
{
    struct apf_str text = r->events.text;
    if (r->events.kind != YAML_SCALAR)
        return yaml_bad(&r->events, field->where, "expected a text");
    text.p = arena_text(&r->scratch, text.p, text.n);
    if (!text.p)
        return error_memory(r->events.error);
    memcpy((char *)object + field->at, &text, sizeof text);
    return APF_OK;
}

/* ---- values that are kept ---- */

static bool append(struct yaml_text *text, const char *p, size_t n)
{
    if (!VEC_RESERVE(text, n))
        return false;
    memcpy(text->data + text->n, p, n);
    text->n += n;
    return true;
}

static bool is_word(struct apf_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i], small = c | 0x20;
        if (!(c >= '0' && c <= '9') && !(small >= 'a' && small <= 'z') && c != '_')
            return false;
    }
    return s.n > 0 && s.n <= MOST_WORD;
}

/* What is open while a value is written down again, innermost last. */
struct nesting {
    struct {
        bool map, value; /* value: the next scalar of the mapping is none of its keys */
        size_t n;
    } levels[MOST_DEPTH];
    size_t depth;
};

/* What stands in front of the next item of a list or mapping. */
static bool put_between(struct yaml_text *text, struct nesting *nest)
{
    if (nest->depth == 0)
        return true;
    size_t top = nest->depth - 1;
    if (nest->levels[top].map && nest->levels[top].value)
        return append(text, ": ", 2);
    return nest->levels[top].n++ == 0 || append(text, ", ", 2);
}

static int put_event(struct yaml_reader *r, const struct yaml_field *field, struct nesting *nest)
{
    const struct yaml_events *e = &r->events;
    bool ends = e->kind == YAML_LIST_END || e->kind == YAML_MAP_END;
    bool opens = e->kind == YAML_LIST || e->kind == YAML_MAP;
    if (e->kind == YAML_SCALAR && !is_word(e->text))
        return yaml_bad(e, field->where, "expected a number, or a short word");
    if (opens && (nest->depth == MOST_DEPTH ||
                  (nest->depth && nest->levels[nest->depth - 1].map && !nest->levels[nest->depth - 1].value)))
        return yaml_bad(e, field->where, "nested too deeply, or in a key");
    bool good = ends || put_between(&r->text, nest);
    if (ends) {
        good = append(&r->text, e->kind == YAML_MAP_END ? " }" : " ]", 2);
        nest->depth--;
    } else if (opens) {
        good = good && append(&r->text, e->kind == YAML_MAP ? "{ " : "[ ", 2);
        nest->levels[nest->depth].map = e->kind == YAML_MAP;
        nest->levels[nest->depth].value = false;
        nest->levels[nest->depth++].n = 0;
        return good ? APF_OK : error_memory(e->error);
    } else {
        good = good && append(&r->text, e->text.p, e->text.n);
    }
    if (nest->depth && nest->levels[nest->depth - 1].map)
        nest->levels[nest->depth - 1].value = !nest->levels[nest->depth - 1].value;
    return good ? APF_OK : error_memory(e->error);
}

int yaml_value_kept(struct yaml_reader *r, const struct yaml_field *field, void *object)
{
    struct nesting nest = {.depth = 0};
    struct apf_str text;
    int code = APF_OK;
    memcpy(&text, (char *)object + field->at, sizeof text); /* earlier keys */
    r->text.n = 0;
    if ((text.n && !(append(&r->text, text.p, text.n) && VEC_PUSH(&r->text, '\n'))) ||
        !append(&r->text, field->key, strlen(field->key)) || !VEC_PUSH(&r->text, ':') ||
        !append(&r->text, YAML_PADDING, yaml_padding(strlen(field->key))))
        return error_memory(r->events.error);
    for (;;) {
        code = put_event(r, field, &nest);
        if (code != APF_OK || nest.depth == 0)
            break;
        code = yaml_next(&r->events);
        if (code != APF_OK)
            break;
    }
    if (code != APF_OK)
        return code;
    text.n = r->text.n;
    text.p = arena_text(&r->scratch, r->text.data, r->text.n);
    memcpy((char *)object + field->at, &text, sizeof text);
    r->has_probes = true;
    return text.p ? APF_OK : error_memory(r->events.error);
}

/* ---- mappings ---- */

static int pass_value(struct yaml_reader *r)
{
    unsigned depth = 0;
    for (;;) {
        enum yaml_kind kind = r->events.kind;
        depth += kind == YAML_LIST || kind == YAML_MAP;
        depth -= kind == YAML_LIST_END || kind == YAML_MAP_END;
        if (depth == 0)
            return APF_OK;
        if (depth > MOST_LEVELS)
            return yaml_bad(&r->events, "yaml.syntax", "nested too deeply");
        int code = yaml_next(&r->events);
        if (code != APF_OK)
            return code;
    }
}

static void note_unknown(struct yaml_reader *r)
{
    struct apf_str key = r->events.text;
    size_t n = key.n < sizeof r->unknown - 1 ? key.n : sizeof r->unknown - 1;
    if (r->n_unknown++ == 0) {
        memcpy(r->unknown, key.p, n);
        r->unknown[n] = '\0';
    }
}

/* The current event is a key. */
static int read_entry(struct yaml_reader *r, const struct yaml_field *fields, size_t n, uint64_t *seen,
                      void *object)
{
    size_t i = 0;
    if (r->events.kind != YAML_SCALAR)
        return yaml_bad(&r->events, "yaml.syntax", "expected a key");
    while (i < n && !text_is(r->events.text, fields[i].key))
        i++;
    if (i < n && *seen >> i & 1)
        return yaml_bad(&r->events, fields[i].where, "the same key a second time");
    if (i == n)
        note_unknown(r);
    int code = yaml_next(&r->events);
    if (code != APF_OK)
        return code;
    if (i == n)
        return pass_value(r);
    *seen |= (uint64_t)1 << i;
    return fields[i].read(r, &fields[i], object);
}

int yaml_read_map(struct yaml_reader *r, const struct yaml_field *fields, size_t n, const char *where,
                  void *object)
{
    uint64_t seen = 0;
    size_t at = r->events.at;
    if (r->events.kind != YAML_MAP)
        return yaml_bad(&r->events, where, "expected a mapping");
    int code = yaml_next(&r->events);
    while (code == APF_OK && r->events.kind != YAML_MAP_END) {
        code = read_entry(r, fields, n, &seen, object);
        if (code == APF_OK)
            code = yaml_next(&r->events);
    }
    for (size_t i = 0; i < n && code == APF_OK; i++)
        if (fields[i].required && !(seen >> i & 1))
            code = yaml_bad_at(&r->events, at, fields[i].where, "missing key");
    return code;
}
