/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bolt_yaml_values.h"

#include "base/error.h"
#include "base/yaml_text.h"

#define MOST_DEPTH 8u /* depth of values that are copied verbatim */
#define MOST_WORD 24u /* characters of a number or a key in such values */

int yaml_value_text(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct apf_str text = e->text;
    if (e->kind != YAML_SCALAR)
        return yaml_bad(e, field->where, "expected a text");
    text.p = arena_text(&yaml_reader_of(e)->scratch, text.p, text.n);
    if (!text.p)
        return error_memory(e->error);
    memcpy((char *)object + field->at, &text, sizeof text);
    return APF_OK;
}

/* ---- values that are copied verbatim ---- */

static bool append(struct yaml_text *text, const char *p, size_t n)
{
    if (!VEC_RESERVE(text, n))
        return false;
    if (n)
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

/* The open lists and mappings of a value, innermost last. */
struct nesting {
    struct {
        bool map, value; /* value: the next scalar of the mapping is a value, not a key */
        size_t n;
    } levels[MOST_DEPTH];
    size_t depth;
};

/* Appends the separator before the next item of a list or mapping. */
static bool append_separator(struct yaml_text *text, struct nesting *nest)
{
    if (nest->depth == 0)
        return true;
    size_t top = nest->depth - 1;
    if (nest->levels[top].map && nest->levels[top].value)
        return append(text, ": ", 2);
    return nest->levels[top].n++ == 0 || append(text, ", ", 2);
}

static int append_event(struct yaml_reader *r, const struct yaml_field *field, struct nesting *nest)
{
    const struct yaml_events *e = &r->events;
    bool ends = e->kind == YAML_LIST_END || e->kind == YAML_MAP_END;
    bool opens = e->kind == YAML_LIST || e->kind == YAML_MAP;
    if (e->kind == YAML_SCALAR && !is_word(e->text))
        return yaml_bad(e, field->where, "expected a number, or a short word");
    if (opens && (nest->depth == MOST_DEPTH ||
                  (nest->depth && nest->levels[nest->depth - 1].map && !nest->levels[nest->depth - 1].value)))
        return yaml_bad(e, field->where, "nested too deeply, or in a key");
    bool good = ends || append_separator(&r->text, nest);
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

int yaml_value_kept(struct yaml_events *e, const struct yaml_field *field, void *object)
{
    struct yaml_reader *r = yaml_reader_of(e);
    struct nesting nest = {.depth = 0};
    struct apf_str text;
    int code = APF_OK;
    memcpy(&text, (char *)object + field->at, sizeof text); /* lines of earlier keys */
    r->text.n = 0;
    if ((text.n && !(append(&r->text, text.p, text.n) && VEC_PUSH(&r->text, '\n'))) ||
        !append(&r->text, field->key, strlen(field->key)) || !VEC_PUSH(&r->text, ':') ||
        !append(&r->text, YAML_PADDING, yaml_padding(strlen(field->key))))
        return error_memory(e->error);
    for (;;) {
        code = append_event(r, field, &nest);
        if (code != APF_OK || nest.depth == 0)
            break;
        code = yaml_next(e);
        if (code != APF_OK)
            break;
    }
    if (code != APF_OK)
        return code;
    text.n = r->text.n;
    text.p = arena_text(&r->scratch, r->text.data, r->text.n);
    memcpy((char *)object + field->at, &text, sizeof text);
    r->has_probes = true;
    return text.p ? APF_OK : error_memory(e->error);
}
