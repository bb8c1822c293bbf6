/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a memory profile as JSON: all members of the model, in their order. */
#include "base/json_entry.h"
#include "instr/json/profile_json.h"
#include "instr/model/memprof_model.h"

static void write_stack(struct json_writer *w, const struct apf_memprof *m, uint32_t number)
{
    json_key(w, "stack");
    json_array_begin(w);
    for (; number && !json_failed(w); number = m->nodes.data[number].parent) {
        const struct apf_memprof_frame *f = &m->frames.data[m->nodes.data[number].frame];
        json_object_begin(w);
        json_entry_hash(w, "function", f->function);
        json_entry_u64(w, "line_offset", f->line_offset);
        json_entry_u64(w, "column", f->column);
        json_entry_bool(w, "inline", f->is_inline != 0);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_alloc(struct json_writer *w, const struct apf_memprof *m, const struct memprof_alloc *a)
{
    const uint64_t *v = ENTRY_AT(m->values.data, a->first_value);
    json_line_object(w);
    write_stack(w, m, a->stack);
    json_key(w, "values");
    json_object_begin(w);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (a->fields & memprof_bit(f))
            json_entry_u64(w, apf_memprof_field_name(f), *v++);
    json_object_end(w);
    json_object_end(w);
}

static void write_site(struct json_writer *w, const struct apf_memprof *m, const struct memprof_site *s)
{
    json_line_object(w);
    write_stack(w, m, s->stack);
    json_key(w, "callees");
    json_array_begin(w);
    for (size_t i = 0; i < s->n_callees && !json_failed(w); i++)
        json_hash(w, m->callee_guids.data[s->first_callee + i]);
    json_array_end(w);
    json_object_end(w);
}

static void write_functions(struct json_writer *w, const struct apf_memprof *m)
{
    json_key(w, "functions");
    json_array_begin(w);
    for (size_t i = 0; i < m->functions.n && !json_failed(w); i++) {
        const struct memprof_function *f = &m->functions.data[i];
        json_object_begin(w);
        json_entry_hash(w, "guid", f->guid);
        json_key(w, "allocs");
        json_array_begin(w);
        for (size_t k = 0; k < f->n_allocs && !json_failed(w); k++)
            write_alloc(w, m, &m->allocs.data[f->first_alloc + k]);
        json_array_end(w);
        json_key(w, "call_sites");
        json_array_begin(w);
        for (size_t k = 0; k < f->n_sites && !json_failed(w); k++)
            write_site(w, m, &m->sites.data[f->first_site + k]);
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_string(struct json_writer *w, const char *key, struct apf_str text)
{
    json_key(w, key);
    json_bytes(w, text.p, text.n);
}

static void write_data(struct json_writer *w, const struct apf_memprof *m)
{
    json_key(w, "data");
    json_array_begin(w);
    for (size_t i = 0; i < m->data.n && !json_failed(w); i++) {
        const struct memprof_datum *d = &m->data.data[i];
        json_line_object(w);
        if (d->is_literal)
            json_entry_hash(w, "hash", d->id);
        else
            write_string(w, "symbol", m->strings.data[d->id]);
        json_entry_u64(w, "access_count", d->count);
        json_key(w, "locations");
        json_array_begin(w);
        for (size_t k = 0; k < d->n_locations && !json_failed(w); k++) {
            const struct memprof_location *l = &m->locations.data[d->first_location + k];
            json_object_begin(w);
            write_string(w, "file", m->strings.data[l->file]);
            json_entry_u64(w, "line", l->line);
            json_object_end(w);
        }
        json_array_end(w);
        json_object_end(w);
    }
    json_array_end(w);
    json_key(w, "cold_symbols");
    json_array_begin(w);
    for (size_t i = 0; i < m->cold_symbols.n && !json_failed(w); i++)
        json_bytes(w, m->cold_symbols.data[i].p, m->cold_symbols.data[i].n);
    json_array_end(w);
    json_key(w, "cold_hashes");
    json_array_begin(w);
    for (size_t i = 0; i < m->cold_hashes.n && !json_failed(w); i++)
        json_hash(w, m->cold_hashes.data[i]);
    json_array_end(w);
}

static void write_summary(struct json_writer *w, const struct apf_memprof_summary *s)
{
    json_key(w, "summary");
    json_object_begin(w);
    json_entry_u64(w, "contexts", s->contexts);
    json_entry_u64(w, "cold_contexts", s->cold_contexts);
    json_entry_u64(w, "hot_contexts", s->hot_contexts);
    json_entry_u64(w, "max_cold_size", s->max_cold_size);
    json_entry_u64(w, "max_warm_size", s->max_warm_size);
    json_entry_u64(w, "max_hot_size", s->max_hot_size);
    json_object_end(w);
}

void profile_json_memprof(struct json_writer *w, const struct apf_memprof *m)
{
    const struct apf_memprof_info *info = &m->info;
    json_key(w, "memprof");
    json_object_begin(w);
    json_entry_known(w, "version", info->version != APF_MEMPROF_NO_VERSION, info->version);
    json_key(w, "schema");
    json_array_begin(w);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (info->schema & memprof_bit(f))
            json_cstring(w, apf_memprof_field_name(f));
    json_array_end(w);
    if (m->has_summary) /* a reader can compute any other summary */
        write_summary(w, &info->summary);
    write_functions(w, m);
    write_data(w, m);
    json_object_end(w);
}
