/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/lookup/sample_tables.h"

#include <string.h>

#include "base/deflate.h"
#include "base/error.h"
#include "base/md5.h"
#include "base/search.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

#define WHERE_TABLE "sample.ext.sections"

/* ---- sections ---- */

int sample_tables_load(struct sample_tables *t, const struct sample_section *section,
                       struct sample_loaded *to, struct apf_error *error)
{
    int code = sample_section_check(section, t->pages.size, error);
    if (code == APF_OK)
        code = sample_section_known(section, t->sections.version, error);
    if (code != APF_OK)
        return code;
    to->stored.n = 0;
    if (!VEC_RESERVE(&to->stored, (size_t)section->size + 1))
        return error_memory(error);
    code = file_pages_read(&t->pages, section->offset, to->stored.data, (size_t)section->size,
                           section->kind->where, error);
    to->inflated.budget = t->budget;
    if (code == APF_OK)
        code = sample_part_open(&t->d, section, to->stored.data, (size_t)section->size, &to->inflated, NULL,
                                error);
    t->budget = to->inflated.budget;
    if (section->flags & SAMPLE_FLAG_COMPRESSED)
        VEC_FREE(&to->stored);
    to->section = code == APF_OK ? section : NULL;
    to->c = t->d.c;
    to->stored_at = t->d.stored_at;
    return code;
}

static void unload_section(struct sample_loaded *loaded)
{
    VEC_FREE(&loaded->stored);
    VEC_FREE(&loaded->inflated.bytes);
    loaded->section = NULL;
}

static int read_sections(struct sample_tables *t, struct apf_error *error)
{
    uint8_t start[SAMPLE_SECTIONS_START] = {0};
    uint64_t size = t->pages.size;
    size_t n = size < sizeof start ? (size_t)size : sizeof start;
    int code = file_pages_read(&t->pages, 0, start, n, WHERE_TABLE, error);
    if (code != APF_OK)
        return code;
    uint64_t need = sample_sections_need(start, n, size);
    if (!VEC_RESERVE(&t->buffer, need + 1))
        return error_memory(error);
    code = file_pages_read(&t->pages, 0, t->buffer.data, (size_t)need, WHERE_TABLE, error);
    return code == APF_OK ? sample_sections_read(&t->sections, t->buffer.data, (size_t)need, size, error)
                          : code;
}

/* Lists the sections of functions. Each must have a table of places before it. */
static int pair_sections(struct sample_tables *t, bool *usable, struct apf_error *error)
{
    const struct sample_section *places = NULL;
    enum sample_context_form form = sample_ext_context_form(&t->sections);
    *usable = form == SAMPLE_NO_CONTEXTS || form == SAMPLE_CONTEXT_SECTION;
    for (size_t i = 0; *usable && i < t->sections.list.n; i++) {
        const struct sample_section *section = &t->sections.list.data[i];
        if (!section->size)
            continue;
        if (section->type == SAMPLE_SECTION_OFFSETS)
            places = section;
        if (section->type != SAMPLE_SECTION_FUNCTIONS)
            continue;
        struct sample_function_part part = {.places = places, .functions = section};
        *usable = places != NULL;
        places = NULL;
        int code = sample_section_check(section, t->pages.size, error);
        if (code != APF_OK)
            return code;
        if (!VEC_PUSH(&t->parts, part))
            return error_memory(error);
    }
    return APF_OK;
}

/* ---- tables ---- */

/* Finds where each context is, and which function it is one of. */
static int index_contexts(struct sample_tables *t, struct apf_error *error)
{
    struct sample_decoder *d = &t->d;
    uint64_t n;
    int code = sample_decode_count(d, &n, 4, "number of contexts", error);
    if (code == APF_OK &&
        (!VEC_RESERVE(&t->context_at, n) || !VEC_RESERVE(&t->leaf, n) || !VEC_RESERVE(&d->contexts, n)))
        code = error_memory(error);
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        uint64_t n_frames;
        size_t name = 0;
        t->context_at.data[i] = (uint64_t)(d->c.p - d->c.base);
        code = sample_decode_count(d, &n_frames, 3, "number of frames", error);
        if (code == APF_OK && n_frames == 0)
            code = sample_decode_bound(d, APF_SAMPLE_MALFORMED, 0, 1, "a context without a frame", error);
        for (uint64_t k = 0; code == APF_OK && k < n_frames; k++) {
            code = sample_decode_index(d, d->table.n, "number of a name", &name, error);
            (void)sample_decode_number(d);
            (void)sample_decode_number(d);
            if (code == APF_OK && d->c.failed)
                code = sample_decode_cut(d, "place of a call", error);
        }
        t->leaf.data[i] = (uint32_t)name;
        d->contexts.data[i] = SAMPLE_NONE;
    }
    t->context_at.n = t->leaf.n = d->contexts.n = code == APF_OK ? n : 0;
    return code;
}

/* Interns a context; a sample_decoder.intern_context. */
static int intern_context(struct sample_decoder *d, size_t i, uint32_t *context, struct apf_error *error)
{
    struct sample_tables *t = (struct sample_tables *)d->user;
    const struct cursor c = d->c;
    const char *where = d->where;
    uint64_t stored_at = d->stored_at;
    sample_tables_enter(t, &t->contexts);
    d->c.p += t->context_at.data[i];
    int code = sample_ext_context(d, &t->frames, context, error);
    d->c = c;
    d->where = where;
    d->stored_at = stored_at;
    if (code == APF_OK && !VEC_PUSH(&t->interned, (uint32_t)i))
        code = error_memory(error);
    return code;
}

/* Reads the table of places of a part. */
static int read_places(struct sample_tables *t, uint32_t number, struct apf_error *error)
{
    struct sample_decoder *d = &t->d;
    struct sample_function_part *part = &t->parts.data[number];
    struct sample_loaded loaded = {0};
    uint64_t n = 0;
    int code = sample_tables_load(t, part->places, &loaded, error);
    if (code == APF_OK)
        code = sample_decode_count(d, &n, 2, "number of functions", error);
    if (code == APF_OK && (!VEC_RESERVE(&t->entries, n) || !VEC_RESERVE(&part->offsets, 2 * n)))
        code = error_memory(error);
    for (uint64_t i = 0; code == APF_OK && i < n; i++) {
        size_t key;
        code = sample_decode_index(d, sample_decode_keys(d), "key of a function", &key, error);
        struct sample_entry entry = {sample_decode_number(d), (uint32_t)key, number};
        if (code == APF_OK && d->c.failed)
            code = sample_decode_cut(d, "offset of a function", error);
        t->entries.data[t->entries.n++] = entry;
        part->offsets.data[i] = entry.offset;
    }
    if (code == APF_OK)
        code = sample_part_end(d, error);
    part->offsets.n = code == APF_OK ? n : 0;
    if (part->offsets.n)
        sort_numbers(part->offsets.data, part->offsets.data + n, n);
    unload_section(&loaded);
    return code;
}

/* ---- the order of names ---- */

static int order_texts(struct sample_tables *t, struct apf_error *error)
{
    size_t n = t->d.table.n;
    struct sort_name *names = calloc(2 * n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++) {
        struct sort_name name = {0, t->d.table.names.data[i].p, (uint32_t)t->d.table.names.data[i].n,
                                 (uint32_t)i};
        names[i] = name;
    }
    if (!names)
        return error_memory(error);
    sort_names(names, names + n, n);
    for (size_t i = 0; i < n; i++)
        t->order.data[i] = names[i].index;
    free(names);
    return APF_OK;
}

static int order_hashes(struct sample_tables *t, struct apf_error *error)
{
    size_t n = t->d.table.n;
    struct sort_key *keys = calloc(2 * n + 1, sizeof *keys);
    if (!keys)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {t->d.table.hashes.data[i], i};
        keys[i] = key;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        t->order.data[i] = (uint32_t)keys[i].value;
    free(keys);
    return APF_OK;
}

static bool same_name(const struct sample_name_table *table, uint32_t a, uint32_t b)
{
    return table->hashes.n ? table->hashes.data[a] == table->hashes.data[b]
                           : text_equal(table->names.data[a], table->names.data[b]);
}

/* Orders the names, if the table does not have them in ascending order. */
static int order_names(struct sample_tables *t, struct apf_error *error)
{
    const struct sample_name_table *table = &t->d.table;
    if (table->ascending)
        return APF_OK;
    if (!VEC_RESERVE(&t->order, table->n) || !VEC_RESERVE(&t->rank, table->n))
        return error_memory(error);
    int code = table->hashes.n ? order_hashes(t, error) : order_texts(t, error);
    if (code != APF_OK)
        return code;
    t->order.n = t->rank.n = table->n;
    for (uint32_t i = 0, rank = 0; i < table->n; i++) {
        if (i && !same_name(table, t->order.data[i - 1], t->order.data[i]))
            rank = i;
        t->rank.data[t->order.data[i]] = rank;
    }
    return APF_OK;
}

static int order_entries(struct sample_tables *t, struct apf_error *error)
{
    size_t n = t->entries.n;
    if (!VEC_RESERVE(&t->by_name, 2 * n))
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {sample_tables_rank(t, sample_tables_leaf(t, &t->entries.data[i])), i};
        t->by_name.data[i] = key;
    }
    t->by_name.n = n;
    if (n)
        sort_keys(t->by_name.data, t->by_name.data + n, n);
    return APF_OK;
}

bool sample_tables_search(const struct sample_tables *t, struct apf_str name, uint32_t *rank)
{
    const struct sample_name_table *table = &t->d.table;
    uint32_t at, n = (uint32_t)table->n;
#define NAME_AT(i) (t->order.n ? t->order.data[i] : (i))
    if (!table->hashes.n) {
        SEARCH(at, 0, n,
               sort_compare_bytes(table->names.data[NAME_AT(at)].p, table->names.data[NAME_AT(at)].n, name.p,
                                  name.n) < 0);
        *rank = at;
        return at < n && text_equal(table->names.data[NAME_AT(at)], name);
    }
    uint64_t hashes[2] = {md5_name_ref(name.p, name.n), sample_names_decimal(name)};
    for (unsigned i = 0; i < 2; i++) {
        SEARCH(at, 0, n, table->hashes.data[NAME_AT(at)] < hashes[i]);
        *rank = at;
        if (at < n && table->hashes.data[NAME_AT(at)] == hashes[i])
            return true;
    }
#undef NAME_AT
    return false;
}

/* ---- opening ---- */

/* Whether reading everything would turn decimal names into hashes. */
static bool all_decimal(const struct sample_tables *t)
{
    size_t i = 0;
    if (t->d.table.hashes.n)
        return false;
    while (i < t->entries.n &&
           sample_names_decimal(t->d.table.names.data[sample_tables_leaf(t, &t->entries.data[i])]))
        i++;
    return i == t->entries.n && i > 0;
}

/* Reads the sections that are not about single functions. */
static int read_tables(struct sample_tables *t, struct apf_error *error)
{
    const struct sample_section *summary = sample_sections_find(&t->sections, SAMPLE_SECTION_SUMMARY),
                                *names = sample_sections_find(&t->sections, SAMPLE_SECTION_NAMES),
                                *contexts = sample_sections_find(&t->sections, SAMPLE_SECTION_CONTEXTS);
    struct sample_loaded loaded = {0};
    int code = summary ? sample_tables_load(t, summary, &loaded, error) : APF_OK;
    if (code == APF_OK && summary)
        code = sample_decode_summary(&t->d, error);
    unload_section(&loaded);
    if (code == APF_OK && names)
        code = sample_tables_load(t, names, &t->names, error);
    if (code == APF_OK && names)
        code = sample_ext_names(&t->d, names, error);
    if (code == APF_OK && names)
        code = sample_part_end(&t->d, error);
    if (code != APF_OK || !t->d.has_contexts)
        return code;
    code = sample_tables_load(t, contexts, &t->contexts, error);
    if (code == APF_OK)
        code = index_contexts(t, error);
    return code == APF_OK ? sample_part_end(&t->d, error) : code;
}

int sample_tables_open(struct sample_tables *t, const struct sample_read_options *options, bool *usable,
                       struct apf_error *error)
{
    t->facts = sample_new();
    t->d = sample_start(t->facts, NULL, 0, options);
    t->budget = deflate_budget(t->pages.size, options->max_bytes);
    int code = t->facts ? read_sections(t, error) : error_memory(error);
    if (code == APF_OK)
        code = pair_sections(t, usable, error);
    if (code != APF_OK || !*usable)
        return code;
    sample_ext_prepare(&t->d, &t->sections);
    t->d.user = t;
    t->d.intern_context = intern_context;
    code = read_tables(t, error);
    for (uint32_t i = 0; code == APF_OK && i < t->parts.n; i++)
        code = read_places(t, i, error);
    *usable = code != APF_OK || !all_decimal(t);
    if (code == APF_OK && *usable)
        code = order_names(t, error);
    return code == APF_OK && *usable ? order_entries(t, error) : code;
}

void sample_tables_close(struct sample_tables *t)
{
    file_pages_close(&t->pages);
    sample_sections_free(&t->sections);
    sample_decoder_free(&t->d);
    sample_free(t->facts);
    t->facts = NULL;
    unload_section(&t->names);
    unload_section(&t->contexts);
    unload_section(&t->metadata);
    for (size_t i = 0; i < t->parts.n; i++) {
        VEC_FREE(&t->parts.data[i].offsets);
        unload_section(&t->parts.data[i].loaded);
    }
    VEC_FREE(&t->parts);
    VEC_FREE(&t->entries);
    VEC_FREE(&t->order);
    VEC_FREE(&t->rank);
    VEC_FREE(&t->by_name);
    VEC_FREE(&t->context_at);
    VEC_FREE(&t->leaf);
    VEC_FREE(&t->frames.list);
    VEC_FREE(&t->interned);
    VEC_FREE(&t->by_key);
    VEC_FREE(&t->chosen);
    VEC_FREE(&t->keys);
    VEC_FREE(&t->buffer);
}
