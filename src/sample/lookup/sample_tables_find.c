/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads single functions of an extbinary file.
 *
 * A function ends where the next one begins, so that much is read from the file. If the functions overlap, which no
 * writer makes, their whole section is read instead, and each of its bytes may belong to one function only. */
#include "base/error.h"
#include "base/search.h"
#include "sample/layout/sample_layout.h"
#include "sample/lookup/sample_tables.h"

/* ---- the profile of a search ---- */

/* Makes `found`, which is empty, the profile that the decoder fills. */
static void start_profile(struct sample_tables *t, struct apf_sample *found)
{
    struct sample_decoder *d = &t->d;
    for (size_t i = 0; i < d->interned.n; i++)
        d->names.data[d->interned.data[i]] = SAMPLE_NONE;
    for (size_t i = 0; i < t->interned.n; i++)
        d->contexts.data[t->interned.data[i]] = SAMPLE_NONE;
    d->interned.n = t->interned.n = t->frames.list.n = 0;
    d->s = found;
    d->n_records = 0;
    d->stopped = false;
    sample_ext_prepare(d, &t->sections);
    found->stored = t->facts->stored;
}

/* The entries of a name, [*first, *last) of by_name. */
static void find_entries(const struct sample_tables *t, uint32_t rank, size_t *first, size_t *last)
{
    size_t at, n = t->by_name.n;
    SEARCH(at, 0, n, t->by_name.data[at].key < rank);
    *first = at;
    SEARCH(at, at, n, t->by_name.data[at].key == rank);
    *last = at;
}

/* Chooses, of several entries of a function in one part, the last one: t->chosen has their numbers as values, and
 * as keys context and part. */
static int choose_entries(struct sample_tables *t, size_t first, size_t last, struct apf_error *error)
{
    size_t n = last - first, kept = 0;
    int code = APF_OK;
    t->chosen.n = 0;
    if (!VEC_RESERVE(&t->chosen, 2 * n))
        return error_memory(error);
    struct sort_key *chosen = t->chosen.data;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        const struct sample_entry *entry = &t->entries.data[t->by_name.data[first + i].value];
        uint32_t context = SAMPLE_NONE;
        code = sample_decode_context_of(&t->d, entry->key, &context, error);
        chosen[i].key = (uint64_t)context << 32 | entry->part;
        chosen[i].value = t->by_name.data[first + i].value;
    }
    if (code != APF_OK)
        return code;
    sort_keys(chosen, chosen + n, n);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || chosen[i + 1].key != chosen[i].key)
            chosen[kept++] = chosen[i];
    t->chosen.n = kept;
    return APF_OK;
}

/* ---- functions ---- */

/* The bytes of a section of functions, of which the inflated size is known if it was loaded. */
static uint64_t part_size(const struct sample_function_part *part)
{
    return part->loaded.section ? cursor_left(&part->loaded.c) : part->functions->size;
}

static int load_part(struct sample_tables *t, struct sample_function_part *part, struct apf_error *error)
{
    return part->loaded.section ? APF_OK : sample_tables_load(t, part->functions, &part->loaded, error);
}

/* The offset after a function: that of the next one. */
static uint64_t end_of(const struct sample_function_part *part, uint64_t offset)
{
    size_t at, n = part->offsets.n;
    const uint64_t *offsets = part->offsets.data;
    SEARCH(at, 0, n, offsets[at] <= offset);
    uint64_t size = part_size(part);
    return at < n && offsets[at] < size ? offsets[at] : size;
}

static int refuse_offset(const struct sample_function_part *part, uint64_t offset, struct apf_error *error)
{
    uint64_t size = part_size(part);
    return error_out_of_bounds(error, APF_SAMPLE_TRUNCATED, part->places->kind->where, part->places->offset,
                               offset, size ? size - 1 : 0, "offset of a function");
}

/* Makes the bytes of a function the decoder's part; of a section in memory, all of them to its end. */
static int open_function(struct sample_tables *t, struct sample_function_part *part, uint64_t offset,
                         struct apf_error *error)
{
    struct sample_decoder *d = &t->d;
    if (offset >= part_size(part))
        return refuse_offset(part, offset, error);
    if (part->loaded.section) {
        sample_tables_enter(t, &part->loaded);
        d->c.p += offset;
        return APF_OK;
    }
    size_t n = (size_t)(end_of(part, offset) - offset);
    t->buffer.n = 0;
    if (!VEC_RESERVE(&t->buffer, n))
        return error_memory(error);
    d->where = part->functions->kind->where;
    d->stored_at = NO_OFFSET;
    d->c = cursor_make_at(t->buffer.data, n, part->functions->offset + offset, HOST_BIG_ENDIAN);
    return file_pages_read(&t->pages, part->functions->offset + offset, t->buffer.data, n, d->where, error);
}

/* Checks that the function at the decoder's place has a context. */
static int check_key(struct sample_tables *t, uint32_t context, struct apf_error *error)
{
    struct sample_decoder *d = &t->d;
    const struct cursor start = d->c;
    uint32_t got = SAMPLE_NONE;
    (void)sample_decode_number(d);
    int code =
        d->c.failed ? sample_decode_cut(d, "head of a function", error) : sample_decode_key(d, &got, error);
    d->c = start;
    if (code == APF_OK && got != context)
        return sample_decode_wrong(d, APF_SAMPLE_MALFORMED, "the offset leads to another function", error);
    return code;
}

/* Reads a chosen function; *left are the bytes that functions may still have. */
static int read_function(struct sample_tables *t, const struct sort_key *chosen, uint64_t *left,
                         struct apf_error *error)
{
    struct sample_decoder *d = &t->d;
    const struct sample_entry *entry = &t->entries.data[chosen->value];
    int code = open_function(t, &t->parts.data[entry->part], entry->offset, error);
    if (code == APF_OK)
        code = check_key(t, (uint32_t)(chosen->key >> 32), error);
    const uint8_t *start = d->c.p;
    if (code == APF_OK)
        code = sample_decode_function(d, error);
    if (code != APF_OK)
        return code;
    uint64_t length = (uint64_t)(d->c.p - start);
    if (length > *left) {
        d->c.p = start;
        return sample_decode_bound(d, APF_SAMPLE_MALFORMED, length, *left, "functions overlap", error);
    }
    *left -= length;
    return APF_OK;
}

/* The bytes of all parts. */
static uint64_t all_bytes(const struct sample_tables *t)
{
    uint64_t sum = 0, cut = 0;
    for (size_t i = 0; i < t->parts.n; i++)
        sum = sample_sum(sum, part_size(&t->parts.data[i]), 1, &cut);
    return sum;
}

/* The bytes that would be read for all chosen functions. */
static uint64_t chosen_bytes(const struct sample_tables *t)
{
    uint64_t sum = 0, cut = 0;
    for (size_t i = 0; i < t->chosen.n; i++) {
        const struct sample_entry *entry = &t->entries.data[t->chosen.data[i].value];
        const struct sample_function_part *part = &t->parts.data[entry->part];
        if (entry->offset < part_size(part))
            sum = sample_sum(sum, end_of(part, entry->offset) - entry->offset, 1, &cut);
    }
    return sum;
}

static int read_functions(struct sample_tables *t, bool whole, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < t->chosen.n; i++) {
        struct sample_function_part *part = &t->parts.data[t->entries.data[t->chosen.data[i].value].part];
        if (whole || part->functions->flags & SAMPLE_FLAG_COMPRESSED)
            code = load_part(t, part, error);
    }
    if (code != APF_OK)
        return code;
    uint64_t left = all_bytes(t);
    if (!whole && chosen_bytes(t) > left)
        return APF_SAMPLE_TRUNCATED;
    for (size_t i = 0; code == APF_OK && i < t->chosen.n; i++)
        code = read_function(t, &t->chosen.data[i], &left, error);
    return code;
}

/* ---- metadata ---- */

/* What finds the metadata of an entry: the rank of its name, or the number of its context. */
static uint64_t metadata_key(const struct sample_tables *t, uint32_t key)
{
    return t->d.has_contexts ? key : sample_tables_rank(t, key);
}

/* Lists the entries of metadata. */
static int index_metadata(struct sample_tables *t, struct apf_error *error)
{
    struct sample_decoder *d = &t->d;
    const struct sample_section *section = sample_sections_find(&t->sections, SAMPLE_SECTION_METADATA);
    t->by_key.n = 0;
    int code = section ? sample_tables_load(t, section, &t->metadata, error) : APF_OK;
    if (code == APF_OK && section)
        code = sample_ext_metadata_form(d, &t->sections, section, &t->form, error);
    t->form.skips = true;
    while (code == APF_OK && section && cursor_left(&d->c)) {
        struct sort_key entry = {0, (uint64_t)(d->c.p - d->c.base)};
        struct cursor start = d->c;
        size_t key;
        code = sample_decode_index(d, sample_decode_keys(d), "key of a function", &key, error);
        d->c = code == APF_OK ? start : d->c;
        if (code == APF_OK)
            code = sample_ext_metadata_entry(d, &t->form, error);
        entry.key = code == APF_OK ? metadata_key(t, (uint32_t)key) : 0;
        if (code == APF_OK && !VEC_PUSH(&t->by_key, entry))
            code = error_memory(error);
    }
    if (code == APF_OK && !VEC_RESERVE(&t->by_key, t->by_key.n))
        code = error_memory(error);
    if (code == APF_OK && t->by_key.n)
        sort_keys(t->by_key.data, t->by_key.data + t->by_key.n, t->by_key.n);
    t->form.skips = false;
    t->has_metadata = code == APF_OK;
    return code;
}

/* Reads the metadata with a key. */
static int read_key(struct sample_tables *t, uint64_t key, struct apf_error *error)
{
    size_t at, n = t->by_key.n;
    int code = APF_OK;
    SEARCH(at, 0, n, t->by_key.data[at].key < key);
    for (; code == APF_OK && at < n && t->by_key.data[at].key == key; at++) {
        sample_tables_enter(t, &t->metadata);
        t->d.c.p += t->by_key.data[at].value;
        code = sample_ext_metadata_entry(&t->d, &t->form, error);
    }
    return code;
}

/* Reads the metadata of the chosen functions, each key once. */
static int read_metadata(struct sample_tables *t, struct apf_error *error)
{
    size_t n = t->chosen.n;
    int code = t->has_metadata ? APF_OK : index_metadata(t, error);
    t->keys.n = 0;
    if (code == APF_OK && !VEC_RESERVE(&t->keys, 2 * n))
        code = error_memory(error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n; i++)
        t->keys.data[i] = metadata_key(t, t->entries.data[t->chosen.data[i].value].key);
    sort_numbers(t->keys.data, t->keys.data + n, n);
    for (size_t i = 0; code == APF_OK && i < n; i++)
        if (i == 0 || t->keys.data[i] != t->keys.data[i - 1])
            code = read_key(t, t->keys.data[i], error);
    return code;
}

/* ---- searching ---- */

static int read_entries(struct sample_tables *t, size_t first, size_t last, bool whole,
                        struct apf_sample *found, struct apf_error *error)
{
    sample_reset(found);
    start_profile(t, found);
    int code = choose_entries(t, first, last, error);
    if (code == APF_OK)
        code = read_functions(t, whole, error);
    if (code == APF_OK)
        code = sample_seal(found, error);
    if (code == APF_OK)
        code = read_metadata(t, error);
    return code == APF_OK ? sample_complete(found, error) : code;
}

int sample_tables_find(struct sample_tables *t, struct apf_str name, struct apf_sample *found, bool *any,
                       struct apf_error *error)
{
    uint32_t rank;
    size_t first, last;
    *any = false;
    if (!sample_tables_search(t, name, &rank))
        return APF_OK;
    find_entries(t, rank, &first, &last);
    *any = first < last;
    if (!*any)
        return APF_OK;
    int code = read_entries(t, first, last, false, found, error);
    if (code == APF_SAMPLE_TRUNCATED)
        code = read_entries(t, first, last, true, found, error);
    return code;
}
