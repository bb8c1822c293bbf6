/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The section is made in memory, since headers hold the offsets of tables that follow. */
#include "instr/memprof/memprof_write.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/layout/llvm_order.h"
#include "instr/memprof/memprof_arrays.h"
#include "instr/model/name_blob.h"

struct writer {
    struct memprof_section *out;
    uint64_t start; /* offset of the section in the file */
    const struct apf_memprof *m;
    const struct memprof_choice *choice;
    struct memprof_used used;
    struct memprof_arrays arrays; /* all zero in versions without arrays */
    uint64_t *stack_ids;          /* NULL in versions without a table of stacks */
    bool failed;                  /* an allocation failed; later bytes are dropped */
    bool full;                    /* a bucket has more items than fit in its 16-bit number */
};

/* ---- bytes ---- */

/* Appends n bytes that the caller fills in. NULL: allocation failed. */
static uint8_t *append_room(struct writer *w, size_t n)
{
    w->failed = w->failed || !VEC_RESERVE(w->out, n);
    if (w->failed)
        return NULL;
    w->out->n += n;
    return w->out->data + w->out->n - n;
}

static void append_bytes(struct writer *w, const void *p, size_t n)
{
    uint8_t *to = append_room(w, n);
    if (to && n)
        memcpy(to, p, n);
}

static void append_u32(struct writer *w, uint32_t v)
{
    uint8_t *to = append_room(w, 4);
    if (to)
        store32le(to, v);
}

static void append_u64(struct writer *w, uint64_t v)
{
    uint8_t *to = append_room(w, 8);
    if (to)
        store64le(to, v);
}

static void append_zeros(struct writer *w, uint64_t n)
{
    uint8_t *to = append_room(w, n);
    if (to && n)
        memset(to, 0, n);
}

/* Overwrites the i-th word of the header at place `at` of the section. */
static void patch_word(struct writer *w, size_t at, size_t i, uint64_t v)
{
    if (!w->failed)
        store64le(w->out->data + at + 8 * i, v);
}

/* The offset of the next byte in the file. */
static uint64_t next_offset(const struct writer *w)
{
    return w->start + w->out->n;
}

static void write_frame(struct writer *w, uint32_t number)
{
    uint8_t bytes[MEMPROF_FRAME_BYTES];
    memprof_frame_store(bytes, &w->m->frames.data[number]);
    append_bytes(w, bytes, sizeof bytes);
}

static void write_schema(struct writer *w)
{
    size_t at = w->out->n;
    uint64_t n = 0;
    append_u64(w, 0);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++)
        if (w->choice->fields & memprof_bit(f)) {
            append_u64(w, f);
            n++;
        }
    patch_word(w, at, 0, n);
}

/* ---- tables ---- */

/* The items of a table. */
struct items {
    const uint64_t *keys; /* which are also the hashes */
    size_t n;
    bool no_key_size;                               /* see fixed_keys of struct disk_table_kind */
    void (*write_data)(struct writer *w, size_t i); /* writes the data of the i-th item */
};

static void write_item(struct writer *w, const struct items *items, size_t i)
{
    append_u64(w, items->keys[i]);
    if (!items->no_key_size)
        append_u64(w, sizeof items->keys[i]);
    size_t size_at = w->out->n;
    append_u64(w, 0);
    append_u64(w, items->keys[i]);
    size_t data_at = w->out->n;
    items->write_data(w, i);
    patch_word(w, size_at, 0, w->out->n - data_at);
}

/* Writes a table. Returns the offset of its array of buckets. */
static uint64_t write_table(struct writer *w, const struct items *items)
{
    struct llvm_table table = {0};
    w->failed = w->failed || !llvm_table_make(&table, items->keys, items->n, &w->used.arena);
    uint64_t *offsets = w->failed ? NULL : arena_array(&w->used.arena, table.n_buckets, sizeof *offsets);
    w->failed = w->failed || !offsets;
    if (w->failed)
        return 0;
    size_t i = 0;
    for (size_t b = 0; b < table.n_buckets; b++) {
        uint32_t n = table.counts[b];
        uint8_t count[2] = {(uint8_t)n, (uint8_t)(n >> 8)};
        w->full |= n > UINT16_MAX;
        offsets[b] = n ? next_offset(w) : 0;
        if (n)
            append_bytes(w, count, 2);
        for (size_t end = i + n; i < end && !w->failed; i++)
            write_item(w, items, table.order[i]);
    }
    append_zeros(w, pad8(next_offset(w) % 8));
    uint64_t at = next_offset(w);
    append_u64(w, table.n_buckets);
    append_u64(w, items->n);
    for (size_t b = 0; b < table.n_buckets; b++)
        append_u64(w, offsets[b]);
    return at;
}

/* ---- records ---- */

/* Writes the place, the id or the frames of a stack, as records of the version refer to stacks. */
static void write_stack(struct writer *w, uint32_t stack)
{
    const struct memprof_node *nodes = w->m->nodes.data;
    uint32_t at = w->used.stack_at[stack];
    if (w->arrays.stack_at) {
        append_u32(w, w->arrays.stack_at[at]);
    } else if (w->stack_ids) {
        append_u64(w, w->stack_ids[at]);
    } else {
        append_u64(w, nodes[stack].depth);
        for (; stack; stack = nodes[stack].parent)
            append_u64(w, w->used.frame_ids[w->used.frame_at[nodes[stack].frame]]);
    }
}

static void write_block(struct writer *w, const struct memprof_alloc *a)
{
    uint64_t values[APF_MEMPROF_FIELDS];
    memprof_values(w->m, a, values);
    for (unsigned f = 1; f < APF_MEMPROF_FIELDS; f++) {
        if (!(w->choice->fields & memprof_bit(f)))
            continue;
        if (memprof_field_bytes(f) == 4)
            append_u32(w, (uint32_t)values[f]);
        else
            append_u64(w, values[f]);
    }
}

static bool has_callees(const struct writer *w)
{
    return memprof_caps(w->choice->version) & MEMPROF_CAP_DATA;
}

static void write_record(struct writer *w, size_t i)
{
    const struct memprof_function *f = &w->m->functions.data[i];
    append_u64(w, f->n_allocs);
    for (size_t k = 0; k < f->n_allocs; k++) {
        const struct memprof_alloc *a = &w->m->allocs.data[f->first_alloc + k];
        write_stack(w, a->stack);
        write_block(w, a);
    }
    append_u64(w, f->n_sites);
    for (size_t k = 0; k < f->n_sites; k++) {
        const struct memprof_site *s = &w->m->sites.data[f->first_site + k];
        write_stack(w, s->stack);
        if (has_callees(w))
            append_u64(w, s->n_callees);
        for (size_t c = 0; has_callees(w) && c < s->n_callees; c++)
            append_u64(w, w->m->callee_guids.data[s->first_callee + c]);
    }
}

static uint64_t write_records(struct writer *w)
{
    size_t n = w->m->functions.n;
    uint64_t *keys = arena_array(&w->used.arena, n, sizeof *keys);
    w->failed |= !keys;
    for (size_t i = 0; keys && i < n; i++)
        keys[i] = w->m->functions.data[i].guid;
    struct items items = {keys, n, false, write_record};
    return write_table(w, &items);
}

/* ---- versions 0 to 2 ---- */

static void write_frame_data(struct writer *w, size_t i)
{
    write_frame(w, w->used.frames[i]);
}

static void write_stack_data(struct writer *w, size_t i)
{
    const struct memprof_node *nodes = w->m->nodes.data;
    for (uint32_t s = w->used.stacks[i]; s; s = nodes[s].parent)
        append_u64(w, w->used.frame_ids[w->used.frame_at[nodes[s].frame]]);
}

static void write_tables(struct writer *w)
{
    unsigned caps = memprof_caps(w->choice->version);
    bool stacks = caps & MEMPROF_CAP_STACK_TABLE;
    if (caps & MEMPROF_CAP_MARK)
        append_u64(w, w->choice->version);
    size_t header = w->out->n;
    append_zeros(w, stacks ? 40 : 24);
    write_schema(w);
    w->failed = w->failed || (stacks && !memprof_stack_ids(&w->used, &w->stack_ids));
    patch_word(w, header, 0, write_records(w));
    patch_word(w, header, 1, next_offset(w));
    struct items frames = {w->used.frame_ids, w->used.n_frames, false, write_frame_data};
    patch_word(w, header, 2, write_table(w, &frames));
    if (!stacks)
        return;
    patch_word(w, header, 3, next_offset(w));
    struct items of_stacks = {w->stack_ids, w->used.n_stacks, true, write_stack_data};
    patch_word(w, header, 4, write_table(w, &of_stacks));
}

/* ---- data access profiles ---- */

/* The strings of the section, in the order of their first use. */
struct strings {
    struct apf_str *list;
    uint32_t *numbers; /* for each string of the model, its place in `list`; UINT32_MAX: not used */
    size_t n;
};

static uint32_t add_string(const struct writer *w, struct strings *s, uint64_t string)
{
    if (s->numbers[string] == UINT32_MAX) {
        s->numbers[string] = (uint32_t)s->n;
        s->list[s->n++] = w->m->strings.data[string];
    }
    return s->numbers[string];
}

static int write_strings(struct writer *w, struct strings *s, struct apf_error *error)
{
    const struct apf_memprof *m = w->m;
    size_t n = m->strings.n;
    struct name_blob blob = {0};
    s->n = 0;
    s->list = arena_array(&w->used.arena, n + m->cold.n, sizeof *s->list);
    s->numbers = arena_array(&w->used.arena, n, sizeof *s->numbers);
    if (!s->list || !s->numbers)
        return error_memory(error);
    memset(s->numbers, 0xff, n * sizeof *s->numbers);
    for (size_t i = 0; i < m->data.n; i++) {
        const struct memprof_datum *d = &m->data.data[i];
        if (!d->is_literal)
            (void)add_string(w, s, d->id);
        for (size_t k = 0; k < d->n_locations; k++)
            (void)add_string(w, s, m->locations.data[d->first_location + k].file);
    }
    for (size_t i = 0; i < m->cold.n; i++)
        (void)add_string(w, s, m->cold.data[i]);
    append_u64(w, s->n);
    append_u64(w, m->cold.n);
    for (size_t i = 0; i < m->cold.n; i++)
        s->list[s->n + i] = m->strings.data[m->cold.data[i]];
    int code = name_blob_write(&blob, s->list, s->n + m->cold.n, true, error);
    append_u64(w, blob.n);
    append_bytes(w, blob.data, blob.n);
    append_zeros(w, pad8(blob.n % 8));
    free(blob.data);
    return code;
}

static int write_data_profiles(struct writer *w, struct apf_error *error)
{
    const struct apf_memprof *m = w->m;
    struct strings strings;
    int code = write_strings(w, &strings, error);
    if (code != APF_OK)
        return code;
    append_u64(w, m->cold_hashes.n);
    for (size_t i = 0; i < m->cold_hashes.n; i++)
        append_u64(w, m->cold_hashes.data[i]);
    append_u64(w, m->data.n);
    for (size_t i = 0; i < m->data.n; i++) {
        const struct memprof_datum *d = &m->data.data[i];
        uint8_t literal = d->is_literal;
        append_u64(w, d->is_literal ? d->id : strings.numbers[d->id]);
        append_bytes(w, &literal, 1);
        append_u64(w, d->count);
        append_u64(w, d->n_locations);
        for (size_t k = 0; k < d->n_locations; k++) {
            const struct memprof_location *l = &m->locations.data[d->first_location + k];
            append_u64(w, strings.numbers[l->file]);
            append_u32(w, l->line);
        }
    }
    return APF_OK;
}

/* ---- versions 3 and 4 ---- */

static int write_summary(struct writer *w, struct apf_error *error)
{
    struct apf_memprof_summary s;
    if (memprof_summarise(w->m, &s) != APF_OK)
        return error_memory(error);
    append_u32(w, MEMPROF_SUMMARY_WORDS);
    append_u64(w, s.contexts);
    append_u64(w, s.cold_contexts);
    append_u64(w, s.hot_contexts);
    append_u64(w, s.max_cold_size);
    append_u64(w, s.max_warm_size);
    append_u64(w, s.max_hot_size);
    return APF_OK;
}

static int write_arrays(struct writer *w, struct apf_error *error)
{
    const struct apf_memprof_info *info = &w->m->info;
    bool data = memprof_caps(w->choice->version) & MEMPROF_CAP_DATA;
    int code = memprof_arrays_make(&w->arrays, &w->used, error);
    if (code != APF_OK)
        return code;
    append_u64(w, w->choice->version);
    size_t header = w->out->n;
    append_zeros(w, data ? 32 : 24);
    if (data)
        code = write_summary(w, error);
    write_schema(w);
    for (size_t i = 0; i < w->used.n_frames; i++)
        write_frame(w, w->arrays.frames[i]);
    patch_word(w, header, 0, next_offset(w));
    for (uint64_t i = 0; i < w->arrays.n_words; i++)
        append_u32(w, w->arrays.words[i]);
    patch_word(w, header, 1, next_offset(w));
    patch_word(w, header, 2, write_records(w));
    if (code != APF_OK || !data || !memprof_data_count(info))
        return code;
    patch_word(w, header, 3, next_offset(w));
    return write_data_profiles(w, error);
}

/* ---- the section ---- */

/* Whether n ids differ from each other: a reader would unite two frames or stacks with one id. */
static bool ids_differ(struct writer *w, const uint64_t *ids, size_t n)
{
    uint64_t *sorted = arena_array(&w->used.arena, 2 * n, sizeof *sorted);
    w->failed |= !sorted;
    if (!sorted || n == 0)
        return true;
    memcpy(sorted, ids, n * sizeof *sorted);
    sort_numbers(sorted, sorted + n, n);
    for (size_t i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            return false;
    return true;
}

int memprof_write(struct memprof_section *section, const struct apf_memprof *m,
                  const struct memprof_choice *choice, uint64_t start, struct apf_error *error)
{
    struct writer w = {.out = section, .start = start, .m = m, .choice = choice};
    int code = APF_OK;
    w.failed = !memprof_used_make(&w.used, m);
    if (!w.failed && memprof_caps(choice->version) & MEMPROF_CAP_ARRAYS)
        code = write_arrays(&w, error);
    else if (!w.failed)
        write_tables(&w);
    bool differ = w.failed || (ids_differ(&w, w.used.frame_ids, w.used.n_frames) &&
                               (!w.stack_ids || ids_differ(&w, w.stack_ids, w.used.n_stacks)));
    if (code == APF_OK && w.failed)
        code = error_memory(error);
    else if (code == APF_OK && (w.full || !differ))
        code = error_plain(error, APF_NOT_REPRESENTABLE, "indexed.memprof",
                           w.full ? "more than 65535 entries in one bucket"
                                  : "two frames or call stacks have the same id");
    arena_free(&w.used.arena);
    return code;
}
