/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the functions of a profile in JSON. */
#include "base/md5.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "sample/json/sample_json.h"
#include "sample/model/sample_info_words.h"

/* Keeps the code of a function that has filled in the reader's error; false if it is one. */
static bool is_done(struct sample_json_reader *r, int code)
{
    if (code != APF_OK && !json_read_failed(&r->json))
        r->json.code = code;
    return code == APF_OK;
}

/* ---- names and places ---- */

uint32_t sample_json_identity(struct sample_json_reader *r, struct json_fields *f, unsigned name,
                              unsigned hash, unsigned file)
{
    struct sample_names *names = &r->sample->names;
    struct apf_error *error = r->json.error;
    uint32_t number = SAMPLE_NONE, source = SAMPLE_NONE;
    uint64_t id = json_fields_u64_or(f, hash, UINT64_MAX, 0);
    bool has_hash = json_fields_has(f, hash);
    if (!json_fields_has(f, name) && !has_hash)
        json_fields_wrong(f, name, "neither a name nor a hash");
    else if (has_hash && !id)
        json_fields_wrong(f, hash, "the hash is 0");
    if (json_fields_has(f, file)) {
        struct apf_str text = json_fields_text(f, file, NULL);
        if (!json_read_failed(&r->json))
            is_done(r, text_set_add(&names->files, text, &source, error));
    }
    struct apf_str text = json_fields_text(f, name, NULL);
    if (json_fields_has(f, name) && has_hash && !json_read_failed(&r->json) &&
        md5_name_ref(text.p, text.n) != id)
        json_fields_wrong(f, hash, "this is not the hash of the name");
    if (json_read_failed(&r->json))
        return SAMPLE_NONE;
    int code = json_fields_has(f, name) ? sample_names_add(names, text, source, true, &number, error)
                                        : sample_names_add_hash(names, id, &number, error);
    return is_done(r, code) ? number : SAMPLE_NONE;
}

/* Reads a place from the keys "line" and "discriminator": all bits of it, as contexts have them. */
static uint64_t read_whole_place(struct json_fields *f, unsigned line, unsigned discriminator)
{
    uint32_t at = (uint32_t)json_fields_u64(f, line, UINT32_MAX);
    return sample_place(at, (uint32_t)json_fields_u64_or(f, discriminator, UINT32_MAX, 0));
}

static uint64_t read_place(const struct sample_json_reader *r, struct json_fields *f, unsigned line,
                           unsigned discriminator)
{
    return read_whole_place(f, line, discriminator) & r->mask;
}

/* ---- lines, targets and vtables ---- */

#define TARGET_KEYS(KEY) KEY(targets, name) KEY(targets, hash) KEY(targets, file) KEY(targets, count)
JSON_KEYS(target_keys, TARGET_KEYS);
#define LINE_KEYS(KEY) KEY(lines, line) KEY(lines, discriminator) KEY(lines, count) KEY(lines, targets)
JSON_KEYS(line_keys, LINE_KEYS);
#define VTABLE_KEYS(KEY)                                                                                     \
    KEY(vtables, line)                                                                                       \
    KEY(vtables, discriminator) KEY(vtables, name) KEY(vtables, hash) KEY(vtables, file) KEY(vtables, count)
JSON_KEYS(vtable_keys, VTABLE_KEYS);

static void read_target(struct sample_json_reader *r, uint32_t node, uint64_t at)
{
    struct json_fields f;
    json_fields_read(&f, &r->json, target_keys);
    uint32_t name = sample_json_identity(r, &f, targets_name, targets_hash, targets_file);
    uint64_t count = json_fields_u64(&f, targets_count, UINT64_MAX);
    if (!json_read_failed(&r->json))
        is_done(r, sample_append_target(r->sample, node, at, name, count, r->json.error));
}

static void read_line(struct sample_json_reader *r, uint32_t node)
{
    struct json_fields f;
    json_fields_read(&f, &r->json, line_keys);
    uint64_t at = read_place(r, &f, lines_line, lines_discriminator);
    uint64_t count = json_fields_u64(&f, lines_count, UINT64_MAX);
    if (json_read_failed(&r->json) ||
        !is_done(r, sample_append_line(r->sample, node, at, count, r->json.error)))
        return;
    if (json_fields_list(&f, lines_targets))
        while (json_read_more(&r->json))
            read_target(r, node, at);
    json_fields_leave(&f);
}

static void read_vtable(struct sample_json_reader *r, uint32_t node)
{
    struct json_fields f;
    json_fields_read(&f, &r->json, vtable_keys);
    uint64_t at = read_place(r, &f, vtables_line, vtables_discriminator);
    uint32_t name = sample_json_identity(r, &f, vtables_name, vtables_hash, vtables_file);
    uint64_t count = json_fields_u64(&f, vtables_count, UINT64_MAX);
    if (!json_read_failed(&r->json))
        is_done(r, sample_append_vtable(r->sample, node, at, name, count, r->json.error));
}

/* ---- functions ---- */

/* A function at the top level; an inlined one has no context, and a depth and a place. */
#define FUNCTION_KEYS(KEY)                                                                                   \
    KEY(functions, name)                                                                                     \
    KEY(functions, hash)                                                                                     \
    KEY(functions, file)                                                                                     \
    KEY(functions, total)                                                                                    \
    KEY(functions, head)                                                                                     \
    KEY(functions, checksum)                                                                                 \
    KEY(functions, attributes)                                                                               \
    KEY(functions, first_time)                                                                               \
    KEY(functions, saturated)                                                                                \
    KEY(functions, lines) KEY(functions, vtables) KEY(functions, context) KEY(functions, inlined)
JSON_KEYS(function_keys, FUNCTION_KEYS);
#define INLINED_KEYS(KEY)                                                                                    \
    KEY(inlined, name)                                                                                       \
    KEY(inlined, hash)                                                                                       \
    KEY(inlined, file)                                                                                       \
    KEY(inlined, total)                                                                                      \
    KEY(inlined, head)                                                                                       \
    KEY(inlined, checksum)                                                                                   \
    KEY(inlined, attributes)                                                                                 \
    KEY(inlined, first_time)                                                                                 \
    KEY(inlined, saturated)                                                                                  \
    KEY(inlined, lines)                                                                                      \
    KEY(inlined, vtables) KEY(inlined, depth) KEY(inlined, line) KEY(inlined, discriminator)
JSON_KEYS(inlined_keys, INLINED_KEYS);
_Static_assert((int)functions_vtables == (int)inlined_vtables, "read_members reads both by the same numbers");

#define CALLER_KEYS(KEY)                                                                                     \
    KEY(context, name) KEY(context, hash) KEY(context, file) KEY(context, line) KEY(context, discriminator)
JSON_KEYS(caller_keys, CALLER_KEYS);

static uint32_t read_attributes(struct sample_json_reader *r, struct json_fields *f)
{
    uint64_t attributes = 0;
    if (!json_fields_list(f, functions_attributes))
        return 0;
    while (json_read_more(&r->json)) {
        const struct sample_bit_word *known = sample_attribute_words;
        struct apf_str word = json_read_string(&r->json);
        while (known->word && !text_is(word, known->word))
            known++;
        uint64_t number = known->bit;
        if (!known->word && !json_read_failed(&r->json) &&
            (!number_auto(word.p, word.n, &number) || number > UINT32_MAX))
            json_read_wrong(&r->json, APF_BAD_JSON, "unknown attribute");
        attributes |= number;
    }
    json_fields_leave(f);
    return (uint32_t)attributes;
}

/* Reads what all functions have. A function that occurs twice is added up. */
static void read_members(struct sample_json_reader *r, struct json_fields *f, uint32_t node)
{
    struct apf_sample *s = r->sample;
    struct sample_node *n = &s->nodes.data[node];
    uint64_t checksum = json_fields_u64_or(f, functions_checksum, UINT64_MAX, 0);
    uint32_t attributes = read_attributes(r, f);
    n->total = sample_sum(n->total, json_fields_u64(f, functions_total, UINT64_MAX), 1, &s->n_saturated);
    n->head = sample_sum(n->head, json_fields_u64_or(f, functions_head, UINT64_MAX, 0), 1, &s->n_saturated);
    n->checksum = checksum ? checksum : n->checksum;
    n->attributes = attributes ? attributes : n->attributes;
    n->state |= json_fields_flag(f, functions_saturated) ? SAMPLE_SATURATED : 0;
    uint64_t first_time = json_fields_u64_or(f, functions_first_time, UINT64_MAX, 0);
    if (sample_add_time(s, node, first_time, NULL) != APF_OK)
        json_read_memory(&r->json);
    if (json_fields_list(f, functions_lines))
        while (json_read_more(&r->json))
            read_line(r, node);
    if (json_fields_list(f, functions_vtables))
        while (json_read_more(&r->json))
            read_vtable(r, node);
}

static bool count_function(struct sample_json_reader *r)
{
    if (json_read_failed(&r->json))
        return false;
    if (r->n_functions++ < r->options->max_records)
        return true;
    json_read_wrong(&r->json, APF_LIMIT, "more functions than the limit allows");
    return false;
}

static bool record_origin(struct sample_json_reader *r, const struct json_fields *f, uint32_t node)
{
    return is_done(r, sample_origin(r->sample, node, (uint64_t)(f->begin - r->json.base), r->json.error));
}

/* Reads a function that is inlined in the last one of its depth less 1. */
static void read_inlined(struct sample_json_reader *r)
{
    struct json_fields f;
    uint32_t node;
    json_fields_read(&f, &r->json, inlined_keys);
    uint64_t depth = json_fields_u64(&f, inlined_depth, UINT32_MAX);
    if (depth > r->options->max_depth && !json_read_failed(&r->json))
        json_read_wrong(&r->json, APF_LIMIT, "functions are inlined deeper than the limit allows");
    else if (depth == 0 || depth > r->open.n)
        json_fields_wrong(&f, inlined_depth, "there is no function of the depth above");
    uint64_t at = read_place(r, &f, inlined_line, inlined_discriminator);
    uint32_t name = sample_json_identity(r, &f, inlined_name, inlined_hash, inlined_file);
    if (!count_function(r))
        return;
    r->open.n = depth;
    if (!is_done(r, sample_inlined(r->sample, r->open.data[depth - 1], at, name, &node, r->json.error)) ||
        !record_origin(r, &f, node))
        return;
    if (!VEC_PUSH(&r->open, node))
        json_read_memory(&r->json);
    read_members(r, &f, node);
    json_fields_leave(&f);
}

/* Reads the callers of a function. */
static void read_context(struct sample_json_reader *r, struct json_fields *f, uint32_t name,
                         uint32_t *context)
{
    struct sample_contexts *contexts = &r->sample->contexts;
    uint32_t caller = SAMPLE_NONE;
    uint64_t at = 0, length = 1;
    if (json_fields_list(f, functions_context)) {
        while (json_read_more(&r->json)) {
            struct json_fields frame;
            json_fields_read(&frame, &r->json, caller_keys);
            if (++length > r->options->max_depth && !json_read_failed(&r->json))
                json_read_wrong(&r->json, APF_LIMIT, "a context is longer than the limit allows");
            uint32_t number = sample_json_identity(r, &frame, context_name, context_hash, context_file);
            uint64_t call = read_whole_place(&frame, context_line, context_discriminator);
            if (json_read_failed(&r->json) ||
                !is_done(r, sample_contexts_add(contexts, caller, at, number, &caller, r->json.error)))
                return;
            at = call;
        }
        json_fields_leave(f);
    }
    if (json_read_failed(&r->json))
        return;
    if (caller != SAMPLE_NONE)
        r->sample->info.flags |= APF_SAMPLE_CONTEXTS;
    is_done(r, sample_contexts_add(contexts, caller, at, name, context, r->json.error));
}

static void read_function(struct sample_json_reader *r)
{
    struct json_fields f;
    uint32_t context = SAMPLE_NONE, node = SAMPLE_NONE;
    json_fields_read(&f, &r->json, function_keys);
    uint32_t name = sample_json_identity(r, &f, functions_name, functions_hash, functions_file);
    if (!count_function(r))
        return;
    read_context(r, &f, name, &context);
    if (json_read_failed(&r->json) || !is_done(r, sample_top(r->sample, context, &node, r->json.error)) ||
        !record_origin(r, &f, node))
        return;
    read_members(r, &f, node);
    r->open.n = 0;
    if (!VEC_PUSH(&r->open, node))
        json_read_memory(&r->json);
    if (json_fields_list(&f, functions_inlined))
        while (json_read_more(&r->json))
            read_inlined(r);
    json_fields_leave(&f);
}

void sample_json_functions(struct sample_json_reader *r, struct json_fields *document, unsigned key)
{
    if (!json_fields_list(document, key))
        return;
    while (json_read_more(&r->json))
        read_function(r);
    json_fields_leave(document);
}
