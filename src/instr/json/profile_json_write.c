/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a profile as JSON: all members of the model except those that a reader can compute. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_entry.h"
#include "instr/json/profile_json.h"
#include "instr/model/profile_words.h"

const char *const json_value_keys[APF_VALUE_KINDS] = {"indirect_calls", "memory_sizes", "vtables"};

/* ---- functions ---- */

static void write_numbers(struct json_writer *w, const char *key, const uint64_t *p, size_t n)
{
    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < n && !json_failed(w); i++)
        json_u64(w, p[i]);
    json_array_end(w);
}

static void write_digits(struct json_writer *w, const char *key, const uint8_t *p, size_t n)
{
    json_key(w, key);
    json_digits(w, p, n);
}

static void write_target(struct json_writer *w, uint64_t id, struct apf_str name)
{
    json_entry_hash(w, "id", id);
    json_entry_function(w, "name", name);
}

static void write_value(struct json_writer *w, unsigned kind, struct apf_value v, json_target_fn *name,
                        void *user)
{
    json_object_begin(w);
    if (kind == APF_VALUE_MEMOP_SIZE)
        json_entry_u64(w, "size", v.value);
    else
        write_target(w, v.value, name(user, kind, v.value));
    json_entry_u64(w, "count", v.count);
    json_object_end(w);
}

static void write_sites(struct json_writer *w, const struct apf_record *r, unsigned kind,
                        json_target_fn *name, void *user)
{
    if (r->n_sites[kind] == 0)
        return;
    json_key(w, json_value_keys[kind]);
    json_array_begin(w);
    for (size_t i = 0; i < r->n_sites[kind] && !json_failed(w); i++) {
        const struct apf_site *site = r->sites[kind] ? &r->sites[kind][i] : NULL;
        json_array_begin(w);
        for (size_t v = 0; site && v < site->n; v++)
            write_value(w, kind, site->values[v], name, user);
        json_array_end(w);
    }
    json_array_end(w);
}

void profile_json_record(struct json_writer *w, const struct apf_record *r, json_target_fn *name, void *user)
{
    json_line_object(w);
    json_key(w, "name");
    if (r->name.p)
        json_bytes(w, r->name.p, r->name.n);
    else
        json_none(w);
    json_entry_demangled(w, r->name);
    if (!r->name.p)
        json_entry_hash(w, "id", r->id);
    json_entry_hash(w, "hash", r->hash);
    if (r->timestamp)
        json_entry_u64(w, "timestamp", r->timestamp);
    if (r->flags & APF_RECORD_SATURATED)
        json_entry_bool(w, "saturated", true);
    write_numbers(w, "counts", r->counts, r->n_counts);
    if (r->n_uniform)
        write_numbers(w, "uniform_counts", r->uniform, r->n_uniform);
    if (r->n_uniformity)
        write_digits(w, "uniformity", r->uniformity, r->n_uniformity);
    if (r->n_bitmap)
        write_digits(w, "bitmap", r->bitmap, r->n_bitmap);
    if (r->flags & BITMAP_FLAGS)
        json_entry_bool(w, "dense_bitmap", r->flags & APF_RECORD_DENSE_BITMAP);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        write_sites(w, r, k, name, user);
    json_object_end(w);
}

/* ---- names ---- */

/* The document has every name of a file at least once: where a record, value or trace refers to it, or else in a list
 * of other names, which is empty for the view of a merge. */
static void mark_id(const struct symbols *s, uint64_t id, uint8_t *used)
{
    uint32_t e = symbols_find(s, id);
    if (e != HASH_INDEX_NONE && s->list.data[e].n)
        used[e] = 1;
}

static void mark_used(const struct apf_instr *instr, uint8_t *used)
{
    const struct symbols *s = instr->symbols;
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        if (r->symbol != HASH_INDEX_NONE)
            used[r->symbol] = 1;
        for (size_t k = 0; r->sites && k < r->n_sites[APF_VALUE_INDIRECT_CALL]; k++)
            for (size_t v = 0; v < r->sites[k].n; v++)
                mark_id(s, r->sites[k].values[v].value, used);
    }
    for (size_t i = 0; i < instr->info.n_traces; i++)
        for (size_t k = 0; k < instr->info.traces[i].n; k++)
            mark_id(s, instr->info.traces[i].ids[k], used);
}

static int write_other_names(struct json_writer *w, const struct apf_instr *instr, struct apf_error *error)
{
    const struct symbols *s = instr->symbols;
    uint8_t *used = calloc(s->list.n ? s->list.n : 1, 1);
    if (!used)
        return error_memory(error);
    mark_used(instr, used);
    json_key(w, "names");
    json_array_begin(w);
    for (size_t i = 0; !profile_is_view(instr) && i < s->list.n; i++)
        if (!used[i])
            json_bytes(w, s->list.data[i].p, s->list.data[i].n);
    json_array_end(w);
    free(used);
    return APF_OK;
}

static void write_vtable_names(struct json_writer *w, const struct apf_instr_info *info)
{
    json_key(w, "vtable_names");
    json_array_begin(w);
    for (size_t i = 0; i < info->n_vtable_names; i++)
        json_bytes(w, info->vtable_names[i].p, info->vtable_names[i].n);
    json_array_end(w);
}

/* A json_target_fn; `user` points to the profile's pointer. */
static struct apf_str target_name(void *user, unsigned kind, uint64_t id)
{
    const struct apf_instr *instr = *(const struct apf_instr **)user;
    return profile_name(instr, kind == APF_VALUE_VTABLE ? instr->vtables : instr->symbols, id);
}

/* ---- the profile ---- */

static void write_source(struct json_writer *w, const struct apf_instr *instr)
{
    const struct apf_instr_info *info = &instr->info;
    bool raw = info->origin == APF_FORMAT_RAW;
    json_key(w, "source");
    json_object_begin(w);
    json_entry_string(w, "kind", format_word(info->origin));
    json_entry_known(w, "version", info->version != 0, info->version);
    json_entry_hex(w, "version_word", info->version_word);
    json_entry_string(w, "byte_order", raw ? info->big_endian ? "big" : "little" : NULL);
    json_entry_known(w, "pointer_bits", info->pointer_bits != 0, info->pointer_bits);
    json_entry_u64(w, "profiles", info->n_profiles);
    json_entry_u64(w, "value_kinds", instr->max_kinds);
    json_entry_bool(w, "front_end", info->front_end != 0);
    json_object_end(w);
}

static void write_variants(struct json_writer *w, const struct apf_instr_info *info)
{
    variant_words_write(w, "variant", info->variant);
    json_entry_hex(w, "variant_bits", info->variant);
    json_entry_hex(w, "last_variant_bits", info->last_variant);
}

static void write_findings(struct json_writer *w, const struct apf_instr *instr)
{
    json_key(w, "findings");
    json_object_begin(w);
    for (unsigned i = 0; i < QUIRK_COUNT; i++)
        if (instr->quirks[i])
            json_entry_u64(w, quirk_name((enum quirk)i), instr->quirks[i]);
    json_object_end(w);
}

static void write_traces(struct json_writer *w, const struct apf_instr *instr)
{
    const struct apf_instr_info *info = &instr->info;
    json_entry_u64(w, "trace_stream_size", info->trace_stream_size);
    json_key(w, "traces");
    json_array_begin(w);
    for (size_t i = 0; i < info->n_traces && !json_failed(w); i++) {
        json_object_begin(w);
        json_entry_u64(w, "weight", info->traces[i].weight);
        json_key(w, "functions");
        json_array_begin(w);
        for (size_t k = 0; k < info->traces[i].n; k++) {
            uint64_t id = info->traces[i].ids[k];
            json_line_object(w);
            write_target(w, id, profile_name(instr, instr->symbols, id));
            json_object_end(w);
        }
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_functions(struct json_writer *w, const struct apf_instr *instr)
{
    json_key(w, "functions");
    json_array_begin(w);
    for (size_t i = 0; i < instr->records.n && !json_failed(w); i++) {
        struct apf_record record;
        profile_record(instr, &instr->records.data[i], &record);
        profile_json_record(w, &record, target_name, &instr);
    }
    json_array_end(w);
}

static int write_document(struct json_writer *w, const struct apf_instr *instr, struct apf_error *error)
{
    json_object_begin(w);
    json_head(w, PROFILE_SCHEMA);
    write_source(w, instr);
    write_variants(w, &instr->info);
    json_entry_digits(w, "binary_ids", instr->info.binary_ids, instr->info.n_binary_ids);
    write_findings(w, instr);
    write_vtable_names(w, &instr->info);
    int code = write_other_names(w, instr, error);
    if (code != APF_OK)
        return code;
    write_traces(w, instr);
    if (instr->memprof)
        profile_json_memprof(w, instr->memprof);
    write_functions(w, instr);
    json_object_end(w);
    return json_finish(w, error);
}

int apf_instr_write_json(const struct apf_instr *instr, const struct apf_output *output,
                         struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_callback, out, 2);
    code = write_document(&w, instr, error);
    return file_out_finish(out, code, error);
}
