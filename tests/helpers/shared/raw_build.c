/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/raw_build.h"

#include <md5.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "helpers/shared/unit.h"

uint64_t rb_id(const char *name)
{
    MD5_CTX ctx;
    uint8_t digest[MD5_DIGEST_LENGTH];
    uint64_t id = 0;
    MD5Init(&ctx);
    MD5Update(&ctx, (const uint8_t *)name, strlen(name));
    MD5Final(digest, &ctx);
    for (unsigned i = 8; i-- > 0;)
        id = id << 8 | digest[i];
    return id;
}

/* ---- bytes ---- */

void rb_append_bytes(struct rb_file *file, const void *p, size_t n)
{
    if (n > file->capacity - file->n) {
        file->capacity = 2 * (file->n + n) + 256;
        file->data = realloc(file->data, file->capacity);
        assert_non_null(file->data);
    }
    if (n)
        memcpy(file->data + file->n, p, n);
    file->n += n;
}

void rb_append_zeros(struct rb_file *file, size_t n)
{
    static const uint8_t zeros[256];
    for (; n > sizeof zeros; n -= sizeof zeros)
        rb_append_bytes(file, zeros, sizeof zeros);
    rb_append_bytes(file, zeros, n);
}

void rb_free(struct rb_file *file)
{
    free(file->data);
    memset(file, 0, sizeof *file);
}

void rb_put(struct rb_file *file, size_t at, unsigned bytes, uint64_t v)
{
    assert_true(at <= file->n && bytes <= file->n - at);
    for (unsigned i = 0; i < bytes; i++)
        file->data[at + (file->big ? bytes - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

uint64_t rb_get(const struct rb_file *file, size_t at, unsigned bytes)
{
    uint64_t v = 0;
    assert_true(at <= file->n && bytes <= file->n - at);
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)file->data[at + (file->big ? bytes - 1 - i : i)] << 8 * i;
    return v;
}

static void add(struct rb_file *file, unsigned bytes, uint64_t v)
{
    rb_append_zeros(file, bytes);
    rb_put(file, file->n - bytes, bytes, v);
}

static void add_uleb(struct rb_file *file, uint64_t v)
{
    do {
        uint8_t byte = (v & 0x7f) | (v > 0x7f ? 0x80 : 0);
        rb_append_bytes(file, &byte, 1);
        v >>= 7;
    } while (v);
}

static size_t pad8(size_t n)
{
    return -n & 7;
}

/* ---- names ---- */

static const char *name_of(const struct rb_profile *p, size_t i)
{
    if (i < p->n_functions)
        return p->functions[i].unnamed || p->functions[i].zero ? NULL : p->functions[i].name;
    return p->more_names[i - p->n_functions];
}

/* One chunk: the names i with i % chunks == chunk, those of the functions first. */
static void add_chunk(struct rb_file *file, const struct rb_profile *p, unsigned chunk, bool zlib)
{
    struct rb_file text = {0};
    unsigned chunks = p->chunks ? p->chunks : 1;
    for (size_t i = 0; i < p->n_functions + p->n_more_names; i++) {
        const char *name = name_of(p, i);
        if (!name || i % chunks != chunk)
            continue;
        if (text.n)
            rb_append_bytes(&text, "\1", 1);
        rb_append_bytes(&text, name, strlen(name));
    }
    if (text.n) {
        uLongf packed = compressBound(text.n);
        uint8_t *stream = malloc(packed);
        assert_non_null(stream);
        assert_int_equal(compress2(stream, &packed, text.data, text.n, 9), Z_OK);
        add_uleb(file, text.n);
        add_uleb(file, zlib ? packed : 0);
        rb_append_bytes(file, zlib ? stream : text.data, zlib ? packed : text.n);
        if (chunk + 1 < chunks)
            rb_append_zeros(file, (chunk + 1) % 4);
        free(stream);
    }
    rb_free(&text);
}

static void add_names(struct rb_file *file, const struct rb_profile *p)
{
    if (p->version <= 2) {
        for (size_t i = 0; i < p->n_functions; i++)
            if (!p->functions[i].zero)
                rb_append_bytes(file, p->functions[i].name, strlen(p->functions[i].name));
        return;
    }
    for (unsigned c = 0; c < (p->chunks ? p->chunks : 1); c++)
        add_chunk(file, p, c, p->zlib == 1 || (p->zlib == 2 && c % 2));
}

static void add_vtable_names(struct rb_file *file, const struct rb_profile *p)
{
    struct rb_profile names = {.version = 3, .zlib = p->zlib};
    const char *list[16];
    assert_true(p->n_vtables <= 16);
    for (size_t i = 0; i < p->n_vtables; i++)
        list[i] = p->vtables[i].name;
    names.more_names = list;
    names.n_more_names = p->n_vtables;
    if (p->n_vtables)
        add_chunk(file, &names, 0, p->zlib != 0);
}

/* ---- where the counters of a function are ---- */

/* Facts of the whole profile. */
struct plan {
    const struct rb_profile *p;
    unsigned count_bytes;
    size_t slots;         /* slots of a timestamp */
    bool relative;        /* counter pointers are distances */
    uint64_t mask;        /* of a pointer */
    uint64_t counters_at; /* address, or distance */
    uint64_t bitmap_at, uniform_at, names_at;
};

#define DATA_ADDRESS 0x4000u
#define COUNTERS_ADDRESS 0x100000u
#define NAMES_ADDRESS 0x180000u
#define LISTS_ADDRESS 0x1c0000u

static size_t slots_of(const struct plan *plan, const struct rb_function *f)
{
    return f->zero ? 0 : f->n_counts + plan->slots;
}

/* Entry of the function's first counter, or the number of entries when i is the number of functions. */
static size_t entry_of(const struct plan *plan, size_t i)
{
    const struct rb_function *f = plan->p->functions;
    size_t at = 0;
    if (i < plan->p->n_functions && f[i].same_as)
        return entry_of(plan, f[i].same_as - 1);
    for (size_t k = 0; k < i; k++)
        at += f[k].same_as ? 0 : f[k].gap + slots_of(plan, &f[k]);
    return i < plan->p->n_functions ? at + f[i].gap : at;
}

static size_t bitmap_of(const struct plan *plan, size_t i)
{
    size_t at = 0;
    for (size_t k = 0; k < i; k++)
        at += plan->p->functions[k].zero ? 0 : plan->p->functions[k].n_bitmap;
    return plan->p->version >= 9 ? at : 0;
}

static size_t uniform_of(const struct plan *plan, size_t i)
{
    size_t at = 0;
    for (size_t k = 0; k < i; k++)
        at += slots_of(plan, &plan->p->functions[k]);
    return plan->p->uniform ? at : 0;
}

static struct plan make_plan(const struct rb_profile *p)
{
    struct plan plan = {.p = p, .count_bytes = p->variant & RB_BYTES ? 1 : 8};
    size_t records = p->n_functions * rb_field_at(p->version, p->bytes, RB_RECORD_SIZE);
    plan.slots = p->variant & RB_TEMPORAL && !p->no_timestamps ? 8 / plan.count_bytes : 0;
    plan.relative = p->version >= 8 || p->relative;
    plan.mask = p->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    if (plan.relative)
        plan.counters_at = p->distance ? (uint64_t)p->distance : records + 0x208;
    else
        plan.counters_at = p->load + COUNTERS_ADDRESS;
    plan.counters_at &= p->cut_to_32 ? UINT32_MAX : plan.mask;
    plan.bitmap_at = bitmap_of(&plan, p->n_functions) ? records + 0x9000 : 0 - (p->load + DATA_ADDRESS);
    plan.bitmap_at &= p->cut_to_32 ? UINT32_MAX : plan.mask;
    plan.uniform_at = p->uniform ? records + 0x5010 : 0;
    plan.names_at = (p->load + NAMES_ADDRESS) & plan.mask;
    return plan;
}

/* ---- sections ---- */

static void add_ids(struct rb_file *file, const struct rb_profile *p)
{
    for (size_t i = 0; i < p->n_ids; i++) {
        add(file, 8, p->ids[i].n);
        rb_append_bytes(file, p->ids[i].p, p->ids[i].n);
        if (p->version >= 8)
            rb_append_zeros(file, pad8(p->ids[i].n));
    }
}

static void append_field(struct rb_file *file, const struct plan *plan, size_t record, enum rb_field field,
                         unsigned bytes, uint64_t v)
{
    size_t at = rb_field_at(plan->p->version, plan->p->bytes, field);
    if (at != RB_ABSENT)
        rb_put(file, record + at, bytes, v);
}

static unsigned kinds_of(const struct rb_profile *p)
{
    return p->kinds ? p->kinds : rb_kinds(p->version);
}

static void add_record(struct rb_file *file, const struct plan *plan, size_t i, size_t name_at)
{
    const struct rb_profile *p = plan->p;
    const struct rb_function *f = &p->functions[i];
    size_t size = rb_field_at(p->version, p->bytes, RB_RECORD_SIZE), at = file->n;
    uint64_t back = i * size, cut = p->cut_to_32 ? UINT32_MAX : plan->mask;
    rb_append_zeros(file, size);
    if (f->zero)
        return;
    uint64_t counter =
        plan->counters_at + plan->count_bytes * entry_of(plan, i) - (plan->relative ? back : 0);
    uint64_t bitmap = f->n_bitmap ? plan->bitmap_at + bitmap_of(plan, i) - back : 0;
    uint64_t uniform = p->uniform ? plan->uniform_at + 8 * uniform_of(plan, i) - back : 0;
    append_field(file, plan, at, RB_NAME_SIZE, 4, strlen(f->name));
    append_field(file, plan, at, RB_NAME_PTR, p->bytes, plan->names_at + name_at);
    append_field(file, plan, at, RB_NAME_REF, 8, rb_id(f->name));
    append_field(file, plan, at, RB_FUNC_HASH, 8, f->hash);
    append_field(file, plan, at, RB_COUNTER_PTR, p->bytes, counter & cut);
    append_field(file, plan, at, RB_BITMAP_PTR, p->bytes, bitmap & cut);
    append_field(file, plan, at, RB_UNIFORM_PTR, p->bytes, uniform & cut);
    append_field(file, plan, at, RB_FUNCTION_PTR, p->bytes, f->address ? f->address + p->load : 0);
    append_field(file, plan, at, RB_NUM_COUNTS, 4, slots_of(plan, f));
    append_field(file, plan, at, RB_BITMAP_BYTES, 4, f->n_bitmap);
    append_field(file, plan, at, RB_WAVE_SIZE, 2, p->uniform ? 64 : 0);
    for (unsigned k = 0; k < kinds_of(p) && k < rb_kinds(p->version); k++) {
        uint64_t n = k == 0 && f->announced ? f->announced - 1 : f->n_sites[k];
        rb_put(file, at + rb_field_at(p->version, p->bytes, RB_SITES) + 2 * k, 2, n);
        if (n)
            append_field(file, plan, at, RB_VALUES, p->bytes, p->load + LISTS_ADDRESS + 8 * i);
    }
}

static void add_records(struct rb_file *file, const struct plan *plan)
{
    size_t name_at = 0;
    for (size_t i = 0; i < plan->p->n_functions; i++) {
        add_record(file, plan, i, name_at);
        name_at += plan->p->functions[i].zero ? 0 : strlen(plan->p->functions[i].name);
    }
}

static void add_counters(struct rb_file *file, const struct plan *plan)
{
    for (size_t i = 0; i < plan->p->n_functions; i++) {
        const struct rb_function *f = &plan->p->functions[i];
        if (f->same_as || f->zero)
            continue;
        for (uint32_t k = 0; k < f->gap; k++)
            add(file, plan->count_bytes, 0x77);
        if (plan->slots)
            add(file, 8, f->timestamp);
        for (uint32_t k = 0; k < f->n_counts; k++)
            add(file, plan->count_bytes, plan->count_bytes == 8 ? f->counts[k] : f->counts[k] ? 0 : 0xff);
    }
}

static void add_bitmaps(struct rb_file *file, const struct rb_profile *p)
{
    for (size_t i = 0; p->version >= 9 && i < p->n_functions; i++)
        if (!p->functions[i].zero)
            rb_append_bytes(file, p->functions[i].bitmap, p->functions[i].n_bitmap);
}

static void add_uniform(struct rb_file *file, const struct plan *plan)
{
    for (size_t i = 0; plan->p->uniform && i < plan->p->n_functions; i++) {
        const struct rb_function *f = &plan->p->functions[i];
        rb_append_zeros(file, f->zero ? 0 : 8 * plan->slots);
        for (uint32_t k = 0; !f->zero && k < f->n_counts; k++)
            add(file, 8, f->uniform ? f->uniform[k] : 0);
    }
}

static void add_vtables(struct rb_file *file, const struct rb_profile *p)
{
    for (size_t i = 0; i < p->n_vtables; i++) {
        add(file, 8, rb_id(p->vtables[i].name));
        add(file, p->bytes, p->vtables[i].address ? p->vtables[i].address + p->load : 0);
        add(file, 4, p->vtables[i].size);
        rb_append_zeros(file, p->bytes == 8 ? 4 : 0);
    }
}

static void add_block(struct rb_file *file, const struct rb_profile *p, const struct rb_function *f)
{
    size_t at = file->n;
    uint32_t n_kinds = 0;
    rb_append_zeros(file, 8);
    for (unsigned k = 0; k < kinds_of(p) && k < rb_kinds(p->version); k++) {
        if (!f->n_sites[k])
            continue;
        n_kinds++;
        add(file, 4, k);
        add(file, 4, f->n_sites[k]);
        for (unsigned s = 0; s < f->n_sites[k]; s++)
            add(file, 1, f->sites[k][s].n);
        rb_append_zeros(file, pad8(f->n_sites[k]));
        for (unsigned s = 0; s < f->n_sites[k]; s++)
            for (unsigned i = 0; i < f->sites[k][s].n; i++) {
                const struct rb_pair *pair = &f->sites[k][s].pairs[i];
                uint64_t load = k == 1 || pair->fixed ? 0 : p->load;
                add(file, 8,
                    pair->fixed ? pair->value
                                : (pair->value + load) & (p->bytes == 4 ? UINT32_MAX : UINT64_MAX));
                add(file, 8, pair->count);
            }
    }
    rb_append_zeros(file, p->value_slack);
    rb_put(file, at, 4, file->n - at);
    rb_put(file, at + 4, 4, n_kinds);
}

static void add_values(struct rb_file *file, const struct rb_profile *p)
{
    for (size_t i = 0; !p->no_values && i < p->n_functions; i++) {
        const struct rb_function *f = &p->functions[i];
        bool any = false;
        for (unsigned k = 0; k < kinds_of(p) && k < rb_kinds(p->version); k++)
            any |= f->n_sites[k] != 0;
        any |= f->announced > 1;
        if (any && !f->zero)
            add_block(file, p, f);
    }
}

/* ---- the whole ---- */

static void append_word(struct rb_file *file, const struct rb_profile *p, size_t start, enum rb_word word,
                        uint64_t v)
{
    size_t at = rb_word_at(p->version, word);
    if (at != RB_ABSENT)
        rb_put(file, start + at, 8, v);
}

/* The magic as a 64-bit number: ff 'l' 'p' 'r' 'o' 'f' R 81. */
static void add_header(struct rb_file *file, const struct plan *plan)
{
    const struct rb_profile *p = plan->p;
    size_t at = file->n;
    add(file, 8, p->bytes == 8 ? 0xff6c70726f667281u : 0xff6c70726f665281u);
    add(file, 8, p->version | p->variant);
    rb_append_zeros(file, rb_header_size(p->version) - 16);
    append_word(file, p, at, RB_NUM_DATA, p->n_functions);
    append_word(file, p, at, RB_NUM_COUNTERS, entry_of(plan, p->n_functions));
    append_word(file, p, at, RB_NUM_BITMAP, bitmap_of(plan, p->n_functions));
    append_word(file, p, at, RB_NUM_UNIFORM, uniform_of(plan, p->n_functions));
    append_word(file, p, at, RB_COUNTERS_DELTA, plan->counters_at);
    append_word(file, p, at, RB_BITMAP_DELTA, plan->bitmap_at);
    append_word(file, p, at, RB_UNIFORM_DELTA, plan->uniform_at);
    append_word(file, p, at, RB_NAMES_DELTA, plan->names_at);
    append_word(file, p, at, RB_NUM_VTABLES, p->version >= 10 ? p->n_vtables : 0);
    append_word(file, p, at, RB_KIND_LAST, kinds_of(p) ? kinds_of(p) - 1 : 0);
}

/* Adds padding that the header names; nothing where the version has no such word. */
static void pad(struct rb_file *file, const struct rb_profile *p, size_t start, enum rb_word word, size_t n)
{
    if (rb_word_at(p->version, word) == RB_ABSENT)
        return;
    append_word(file, p, start, word, n);
    rb_append_zeros(file, n);
}

void rb_append(struct rb_file *file, const struct rb_profile *p, struct rb_places *places)
{
    struct plan plan = make_plan(p);
    struct rb_places at = {.start = file->n};
    file->big = p->big;
    add_header(file, &plan);
    at.ids = file->n;
    if (p->version >= 6)
        add_ids(file, p);
    append_word(file, p, at.start, RB_IDS_SIZE, file->n - at.ids);
    at.data = file->n;
    add_records(file, &plan);
    pad(file, p, at.start, RB_PAD_BEFORE, p->pad_before);
    at.counters = file->n;
    add_counters(file, &plan);
    pad(file, p, at.start, RB_PAD_COUNTERS, (p->no_padding ? 0 : pad8(file->n - at.counters)) + p->pad_more);
    at.bitmap = file->n;
    add_bitmaps(file, p);
    pad(file, p, at.start, RB_PAD_BITMAP, pad8(file->n - at.bitmap));
    at.uniform = file->n;
    add_uniform(file, &plan);
    at.names = file->n;
    add_names(file, p);
    size_t size = file->n - at.names;
    append_word(file, p, at.start, RB_NAMES_SIZE, size);
    rb_append_zeros(file, p->version == 1 ? 8 - size % 8 : pad8(size));
    at.vtables = at.vtable_names = file->n;
    if (p->version >= 10) {
        add_vtables(file, p);
        rb_append_zeros(file, pad8(file->n - at.vtables));
        at.vtable_names = file->n;
        add_vtable_names(file, p);
        append_word(file, p, at.start, RB_VNAMES_SIZE, file->n - at.vtable_names);
        rb_append_zeros(file, pad8(file->n - at.vtable_names));
    }
    at.values = file->n;
    if (p->version >= 2)
        add_values(file, p);
    append_word(file, p, at.start, RB_VALUE_SIZE, file->n - at.values);
    at.end = file->n;
    if (places)
        *places = at;
}
