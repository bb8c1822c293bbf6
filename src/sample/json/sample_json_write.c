/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a profile as JSON: all members of the model except those that a reader can compute. Functions that are inlined
 * in one another are a flat list with their depths, because readers of JSON limit how deep a document may be nested. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_entry.h"
#include "sample/json/sample_json.h"
#include "sample/json/sample_json_writer.h"
#include "sample/model/sample_info_words.h"

const char *sample_json_finding(unsigned finding)
{
    return strrchr(sample_finding_table.rows[finding].where, '.') + 1;
}

/* ---- names and places ---- */

static void write_identity(struct sample_json_writer *d, uint32_t number)
{
    const struct sample_names *names = &d->sample->names;
    const struct sample_name *name = &names->list.data[number];
    if (name->p) {
        json_key(&d->json, "name");
        json_bytes(&d->json, name->p, name->n);
        json_entry_demangled(&d->json, (struct apf_str){name->p, name->n});
    } else {
        json_entry_hash(&d->json, "hash", name->hash);
    }
    if (name->file == SAMPLE_NONE)
        return;
    json_key(&d->json, "file");
    json_bytes(&d->json, names->files.list.data[name->file].p, names->files.list.data[name->file].n);
}

static void write_place(struct json_writer *w, uint64_t at)
{
    json_entry_u64(w, "line", sample_place_line(at));
    if (sample_place_discriminator(at))
        json_entry_u64(w, "discriminator", sample_place_discriminator(at));
}

/* ---- functions ---- */

/* Writes the targets of a place from *next on, which moves to the next place. False: an allocation failed. */
static bool write_targets(struct sample_json_writer *d, const struct sample_targets *list, uint64_t at,
                          uint32_t *next)
{
    struct json_writer *w = &d->json;
    uint32_t n;
    const struct sample_target *targets = sample_order_targets(&d->order, list, at, next, &n);
    if (!n)
        return true;
    if (!targets)
        return false;
    json_key(w, "targets");
    json_array_begin(w);
    for (uint32_t i = 0; i < n; i++) {
        json_object_begin(w);
        write_identity(d, targets[i].name);
        json_entry_u64(w, "count", targets[i].count);
        json_object_end(w);
    }
    json_array_end(w);
    return true;
}

static bool write_lines(struct sample_json_writer *d, const struct sample_node *f)
{
    struct json_writer *w = &d->json;
    uint32_t next = 0;
    bool ok = true;
    json_key(w, "lines");
    json_array_begin(w);
    for (uint32_t i = 0; ok && i < f->lines.n && !json_failed(w); i++) {
        json_line_object(w);
        write_place(w, f->lines.data[i].at);
        json_entry_u64(w, "count", f->lines.data[i].count);
        ok = next == f->targets.n || write_targets(d, &f->targets, f->lines.data[i].at, &next);
        json_object_end(w);
    }
    json_array_end(w);
    return ok;
}

static bool write_vtables(struct sample_json_writer *d, const struct sample_targets *list)
{
    struct json_writer *w = &d->json;
    if (!list->n)
        return true;
    json_key(w, "vtables");
    json_array_begin(w);
    for (uint32_t next = 0; next < list->n;) {
        uint64_t at = list->data[next].at;
        uint32_t n;
        const struct sample_target *vtables = sample_order_vtables(&d->order, list, at, &next, &n);
        for (uint32_t i = 0; vtables && i < n; i++) {
            json_line_object(w);
            write_place(w, at);
            write_identity(d, vtables[i].name);
            json_entry_u64(w, "count", vtables[i].count);
            json_object_end(w);
        }
        if (!vtables)
            return false;
    }
    json_array_end(w);
    return true;
}

static void write_numbers(struct json_writer *w, const struct sample_node *f)
{
    json_entry_u64(w, "total", f->total);
    if (f->head || f->caller == SAMPLE_NONE)
        json_entry_u64(w, "head", f->head);
    if (f->checksum)
        json_entry_hash(w, "checksum", f->checksum);
    if (f->attributes)
        sample_bit_words_write(w, "attributes", sample_attribute_words, f->attributes);
    if (sample_first_time(f))
        json_entry_u64(w, "first_time", sample_first_time(f));
    if (f->state & SAMPLE_SATURATED)
        json_entry_bool(w, "saturated", true);
}

/* Writes the callers of a function, the outermost first. */
static bool write_context(struct sample_json_writer *d, uint32_t context)
{
    const struct sample_context *list = d->sample->contexts.list.data;
    struct json_writer *w = &d->json;
    if (list[context].caller == SAMPLE_NONE)
        return true;
    d->frames.n = 0;
    for (; list[context].caller != SAMPLE_NONE; context = list[context].caller)
        if (!VEC_PUSH(&d->frames, context))
            return false;
    json_key(w, "context");
    json_array_begin(w);
    for (size_t i = d->frames.n; i-- > 0;) {
        const struct sample_context *c = &list[d->frames.data[i]];
        json_line_object(w);
        write_identity(d, list[c->caller].name);
        write_place(w, c->at);
        json_object_end(w);
    }
    json_array_end(w);
    return true;
}

static bool write_inlined(struct sample_json_writer *d, uint32_t node, uint32_t depth)
{
    struct json_writer *w = &d->json;
    const struct sample_node *f = &d->sample->nodes.data[node];
    json_object_begin(w);
    json_entry_u64(w, "depth", depth);
    write_place(w, f->at);
    write_identity(d, f->name);
    write_numbers(w, f);
    bool ok = write_lines(d, f) && write_vtables(d, sample_vtables(f));
    json_object_end(w);
    return ok;
}

static int write_all_inlined(struct sample_json_writer *d, uint32_t node, struct apf_error *error)
{
    struct sample_tree_walk walk = {0};
    bool more = true;
    sample_tree_begin(&walk, &d->tree, node);
    int code = sample_tree_next(&walk, &more, error);
    if (code == APF_OK && more) {
        json_key(&d->json, "inlined");
        json_array_begin(&d->json);
        while (code == APF_OK && more && !json_failed(&d->json)) {
            code = write_inlined(d, walk.node, walk.depth) ? sample_tree_next(&walk, &more, error)
                                                           : error_memory(error);
        }
        json_array_end(&d->json);
    }
    sample_tree_walk_free(&walk);
    return code;
}

int sample_json_function(struct sample_json_writer *d, uint32_t node, struct apf_error *error)
{
    const struct sample_node *f = &d->sample->nodes.data[node];
    json_object_begin(&d->json);
    write_identity(d, f->name);
    bool ok = write_context(d, f->context);
    write_numbers(&d->json, f);
    ok = ok && write_lines(d, f) && write_vtables(d, sample_vtables(f));
    int code = ok ? write_all_inlined(d, node, error) : error_memory(error);
    json_object_end(&d->json);
    return code;
}

/* ---- names that no function has ---- */

/* Tables of files have more names than their functions; those of merges have no such meaning. */
static int write_other_names(struct sample_json_writer *d, struct apf_error *error)
{
    const struct sample_names *names = &d->sample->names;
    size_t n = d->sample->info.format == APF_SAMPLE_MERGED ? 0 : names->list.n;
    uint32_t *by_rank = malloc((n + 1) * sizeof *by_rank);
    uint8_t *used = calloc(names->list.n + 1, 1);
    int code = by_rank && used ? sample_mark_all_names(d->sample, used, error) : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        by_rank[d->order.names[i]] = (uint32_t)i;
    json_key(&d->json, "names");
    json_array_begin(&d->json);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        if (!used[by_rank[i]]) {
            json_line_object(&d->json);
            write_identity(d, by_rank[i]);
            json_object_end(&d->json);
        }
    json_array_end(&d->json);
    free(by_rank);
    free(used);
    return code;
}

/* ---- the profile ---- */

void sample_json_source(struct json_writer *w, const struct apf_sample_info *info)
{
    bool gcc = info->origin == APF_SAMPLE_GCC;
    json_key(w, "source");
    json_object_begin(w);
    json_entry_string(w, "kind", sample_format_word(info->origin));
    json_entry_known(w, "version", info->version != 0, info->version);
    json_entry_string(w, "layout", info->layout);
    json_entry_string(w, "byte_order", gcc ? info->big_endian ? "big" : "little" : NULL);
    json_object_end(w);
    sample_bit_words_write(w, "flags", sample_flag_words, info->flags);
}

static void write_findings(struct json_writer *w, const struct apf_sample *s)
{
    json_key(w, "findings");
    json_object_begin(w);
    for (unsigned i = 0; i < SAMPLE_FINDING_COUNT; i++)
        if (s->findings[i])
            json_entry_u64(w, sample_json_finding(i), s->findings[i]);
    json_object_end(w);
}

void sample_json_summary(struct json_writer *w, const struct sample_summary *summary)
{
    json_key(w, "summary");
    if (!summary) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "total", summary->total);
    json_entry_u64(w, "max_count", summary->max_count);
    json_entry_u64(w, "max_head", summary->max_head);
    json_entry_u64(w, "counts", summary->n_counts);
    json_entry_u64(w, "functions", summary->n_functions);
    json_key(w, "rows");
    json_array_begin(w);
    for (size_t i = 0; i < summary->n_rows && !json_failed(w); i++) {
        json_line_object(w);
        json_entry_u64(w, "cutoff", summary->rows[i].cutoff);
        json_entry_u64(w, "min_count", summary->rows[i].min_count);
        json_entry_u64(w, "counts", summary->rows[i].n_counts);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

void sample_json_symbols(struct json_writer *w, const struct apf_sample *s)
{
    json_key(w, "symbols");
    if (!s->has_symbols) {
        json_none(w);
        return;
    }
    json_array_begin(w);
    for (size_t i = 0; i < s->symbols.n && !json_failed(w); i++)
        json_bytes(w, s->symbols.data[i].p, s->symbols.data[i].n);
    json_array_end(w);
}

static int write_document(struct sample_json_writer *d, struct apf_error *error)
{
    struct json_writer *w = &d->json;
    json_object_begin(w);
    json_head(w, SAMPLE_SCHEMA);
    sample_json_source(w, &d->sample->info);
    write_findings(w, d->sample);
    sample_json_summary(w, d->sample->stored);
    sample_json_symbols(w, d->sample);
    int code = write_other_names(d, error);
    json_key(w, "functions");
    json_array_begin(w);
    for (size_t i = 0; code == APF_OK && i < d->order.n_tops && !json_failed(w); i++)
        code = sample_json_function(d, d->order.tops[i], error);
    json_array_end(w);
    json_object_end(w);
    return code == APF_OK ? json_finish(w, error) : code;
}

void sample_json_writer_free(struct sample_json_writer *d)
{
    sample_order_free(&d->order);
    sample_tree_free(&d->tree);
    VEC_FREE(&d->frames);
}

int apf_sample_write_json(const struct apf_sample *sample, const struct apf_output *output,
                          struct apf_error *error)
{
    struct sample_json_writer d = {.sample = sample};
    struct file_out *out;
    int code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start_output(&d.json, out);
    code = sample_order_make(&d.order, sample, error);
    if (code == APF_OK)
        code = sample_tree_make(&d.tree, sample, d.order.names, error);
    if (code == APF_OK)
        code = write_document(&d, error);
    sample_json_writer_free(&d);
    return file_out_finish(out, code, error);
}
