/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_decode.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/model/sample_summary.h"

void sample_name_table_free(struct sample_name_table *t)
{
    VEC_FREE(&t->names);
    VEC_FREE(&t->hashes);
}

void sample_decoder_free(struct sample_decoder *d)
{
    sample_name_table_free(&d->table);
    VEC_FREE(&d->names);
    VEC_FREE(&d->contexts);
    VEC_FREE(&d->interned);
    VEC_FREE(&d->levels);
}

/* ---- numbers ---- */

/* Counts are often three bytes long. */
struct sample_number sample_number_long(const uint8_t *p, const uint8_t *end)
{
    struct sample_number number = {0, NULL};
    if (LIKELY(end - p > 2 && p[2] < 0x80)) {
        number.value = (uint64_t)p[2] << 14 | (uint64_t)(p[1] & 0x7f) << 7 | (p[0] & 0x7f);
        number.next = p + 3;
        return number;
    }
    struct cursor c = cursor_make(p, (size_t)(end - p), false);
    uint64_t value = cursor_uleb128(&c);
    if (c.failed)
        return number;
    number.value = value;
    number.next = c.p;
    return number;
}

/* ---- errors ---- */

/* The place of an error at d->c.p. */
static struct error_at place_of(const struct sample_decoder *d, uint64_t found, uint64_t expected)
{
    struct error_at place = {d->where, sample_decode_offset(d, d->c.p), found, expected};
    return place;
}

/* Appends the place inside an inflated part. */
static int add_inside(const struct sample_decoder *d, int code, struct apf_error *error)
{
    if (d->stored_at != NO_OFFSET)
        error_add(error, " (byte %llu of the inflated section)", (unsigned long long)(d->c.p - d->c.base));
    return code;
}

int sample_decode_bound(const struct sample_decoder *d, int code, uint64_t found, uint64_t expected,
                        const char *detail, struct apf_error *error)
{
    error_set_bound(error, code, place_of(d, found, expected), detail ? "%s" : NULL, detail);
    return add_inside(d, code, error);
}

int sample_decode_wrong(const struct sample_decoder *d, int code, const char *detail, struct apf_error *error)
{
    error_set_place(error, code, d->where, place_of(d, 0, 0).offset, detail);
    return add_inside(d, code, error);
}

int sample_decode_cut(const struct sample_decoder *d, const char *what, struct apf_error *error)
{
    size_t n = cursor_left(&d->c), i = 0;
    while (i < n && d->c.p[i] & 0x80)
        i++;
    if (i == n)
        return sample_decode_bound(d, APF_SAMPLE_TRUNCATED, n, (uint64_t)n + 1, what, error);
    error_set_bound(error, APF_SAMPLE_MALFORMED, place_of(d, i + 1, 10), "%s: bytes of a number of 64 bits",
                    what);
    return add_inside(d, APF_SAMPLE_MALFORMED, error);
}

int sample_decode_u32(struct sample_decoder *d, uint32_t *value, const char *what, struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint64_t number = sample_decode_number(d);
    *value = (uint32_t)number;
    if (d->c.failed)
        return sample_decode_cut(d, what, error);
    if (number <= UINT32_MAX)
        return APF_OK;
    d->c.p = start;
    return sample_decode_bound(d, APF_SAMPLE_MALFORMED, number, UINT32_MAX, what, error);
}

int sample_decode_fits(struct sample_decoder *d, uint64_t count, size_t size, const char *what,
                       struct apf_error *error)
{
    uint64_t most = cursor_left(&d->c) / size;
    return LIKELY(count <= most) ? APF_OK
                                 : sample_decode_bound(d, APF_SAMPLE_TRUNCATED, count, most, what, error);
}

int sample_decode_count(struct sample_decoder *d, uint64_t *count, size_t size, const char *what,
                        struct apf_error *error)
{
    *count = sample_decode_number(d);
    return UNLIKELY(d->c.failed) ? sample_decode_cut(d, what, error)
                                 : sample_decode_fits(d, *count, size, what, error);
}

int sample_decode_long_count32(struct sample_decoder *d, uint32_t *count, size_t size, const char *what,
                               struct apf_error *error)
{
    int code = sample_decode_u32(d, count, what, error);
    return code == APF_OK ? sample_decode_fits(d, *count, size, what, error) : code;
}

/* ---- the summary ---- */

int sample_decode_summary(struct sample_decoder *d, struct apf_error *error)
{
    struct sample_summary *summary = arena_zeros(&d->s->arena, 1, sizeof *summary);
    uint64_t n;
    if (!summary)
        return error_memory(error);
    if (!d->c.p) /* there are no bytes */
        return sample_decode_cut(d, "summary", error);
    summary->total = sample_decode_number(d);
    summary->max_count = sample_decode_number(d);
    summary->max_head = sample_decode_number(d);
    summary->n_counts = sample_decode_number(d);
    summary->n_functions = sample_decode_number(d);
    int code = sample_decode_count(d, &n, 3, "summary", error);
    if (code != APF_OK)
        return code;
    summary->rows = arena_array(&d->s->arena, n, sizeof *summary->rows);
    summary->n_rows = n;
    if (!summary->rows)
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++) {
        summary->rows[i].cutoff = (uint32_t)sample_decode_number(d); /* LLVM keeps 32 bits, too */
        summary->rows[i].min_count = sample_decode_number(d);
        summary->rows[i].n_counts = sample_decode_number(d);
    }
    if (d->c.failed)
        return sample_decode_cut(d, "cutoffs of the summary", error);
    d->s->stored = summary;
    d->progress.known = summary->n_functions;
    return APF_OK;
}

/* ---- name tables ---- */

int sample_decode_text(struct sample_decoder *d, struct apf_str *text, struct apf_error *error)
{
    size_t left = cursor_left(&d->c);
    const uint8_t *end = left ? memchr(d->c.p, 0, left) : NULL;
    if (!end)
        return sample_decode_bound(d, APF_SAMPLE_TRUNCATED, left, (uint64_t)left + 1,
                                   "a name without its NUL", error);
    text->p = (const char *)d->c.p;
    text->n = (size_t)(end - d->c.p);
    d->c.p = end + 1;
    return APF_OK;
}

/* Drops the last name table and makes room for n entries. */
static bool start_table(struct sample_decoder *d, uint64_t n, bool hashes)
{
    struct sample_name_table *t = &d->table;
    d->names.n = d->interned.n = t->names.n = t->hashes.n = 0;
    t->n = 0;
    t->ascending = !hashes;
    d->in_order = false;
    return VEC_RESERVE(&d->names, n) && (hashes ? VEC_RESERVE(&t->hashes, n) : VEC_RESERVE(&t->names, n));
}

/* Declares the table as read. */
static void end_table(struct sample_decoder *d, uint64_t n)
{
    d->table.n = n;
    if (n)
        memset(d->names.data, 0xff, n * sizeof *d->names.data); /* SAMPLE_NONE */
    d->names.n = n;
}

int sample_decode_names(struct sample_decoder *d, struct apf_error *error)
{
    struct sample_name_table *t = &d->table;
    uint64_t n;
    int code = sample_decode_count(d, &n, 1, "number of names", error);
    if (code != APF_OK)
        return code;
    if (!start_table(d, n, false))
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++) {
        struct apf_str *name = &t->names.data[i];
        code = sample_decode_text(d, name, error);
        if (code != APF_OK)
            return code;
        if (i && sort_compare_bytes(name[-1].p, name[-1].n, name->p, name->n) >= 0)
            t->ascending = false;
    }
    t->names.n = n;
    end_table(d, n);
    return APF_OK;
}

int sample_decode_hashes(struct sample_decoder *d, bool fixed, struct apf_error *error)
{
    uint64_t n;
    int code = sample_decode_count(d, &n, fixed ? sizeof(uint64_t) : 1, "number of names", error);
    if (code != APF_OK)
        return code;
    if (!start_table(d, n, true))
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *start = d->c.p;
        uint64_t hash = fixed ? load64le(cursor_bytes(&d->c, sizeof hash)) : sample_decode_number(d);
        if (d->c.failed)
            return sample_decode_cut(d, "hash of a name", error);
        if (!hash) {
            d->c.p = start;
            return sample_decode_bound(d, APF_SAMPLE_MALFORMED, 0, 1, "a name with the hash 0", error);
        }
        d->table.hashes.data[i] = hash;
    }
    d->table.hashes.n = n;
    end_table(d, n);
    return APF_OK;
}

int sample_decode_adopt(struct sample_decoder *d, struct apf_error *error)
{
    struct sample_name_table *t = &d->table;
    if (t->names.n == 0)
        return APF_OK;
    const struct apf_str *last = &t->names.data[t->n - 1];
    const char *first = t->names.data[0].p;
    size_t size = (size_t)(last->p + last->n - first);
    char *copy = arena_bytes(&d->s->names.text, size + 1);
    if (!copy)
        return error_memory(error);
    memcpy(copy, first, size);
    copy[size] = '\0';
    for (size_t i = 0; i < t->n; i++)
        t->names.data[i].p = copy + (t->names.data[i].p - first);
    return APF_OK;
}

static int intern_entry(struct sample_decoder *d, size_t i, uint32_t *name, struct apf_error *error)
{
    const struct sample_name_table *t = &d->table;
    int code = t->hashes.n
                   ? sample_names_add_hash(&d->s->names, t->hashes.data[i], name, error)
                   : sample_names_add(&d->s->names, t->names.data[i], SAMPLE_NONE, false, name, error);
    d->names.data[i] = code == APF_OK ? *name : SAMPLE_NONE;
    return code;
}

int sample_decode_intern(struct sample_decoder *d, struct apf_error *error)
{
    struct sample_names *names = &d->s->names;
    uint32_t number;
    int code = VEC_RESERVE(&names->list, d->table.n) ? APF_OK : error_memory(error);
    d->in_order = d->table.ascending && names->list.n == 0;
    for (size_t i = 0; code == APF_OK && i < d->table.n; i++) {
        if (d->in_order)
            code = sample_names_push(names, d->table.names.data[i], &number, error);
        else
            code = intern_entry(d, i, &number, error);
    }
    return code;
}

int sample_decode_name_of(struct sample_decoder *d, size_t i, uint32_t *name, struct apf_error *error)
{
    *name = sample_decode_interned(d, i);
    if (LIKELY(*name != SAMPLE_NONE))
        return APF_OK;
    return VEC_PUSH(&d->interned, (uint32_t)i) ? intern_entry(d, i, name, error) : error_memory(error);
}

int sample_decode_index(struct sample_decoder *d, size_t n, const char *what, size_t *i,
                        struct apf_error *error)
{
    const uint8_t *start = d->c.p;
    uint64_t number = sample_decode_number(d);
    *i = (size_t)number;
    if (UNLIKELY(d->c.failed))
        return sample_decode_cut(d, what, error);
    if (LIKELY(number < n))
        return APF_OK;
    d->c.p = start;
    return sample_decode_bound(d, APF_SAMPLE_NAME_TABLE, number, n ? n - 1 : 0,
                               n ? what : "the table is empty", error);
}

int sample_decode_name(struct sample_decoder *d, uint32_t *name, struct apf_error *error)
{
    size_t i;
    int code = sample_decode_index(d, d->table.n, "number of a name", &i, error);
    if (UNLIKELY(code != APF_OK))
        return code;
    *name = sample_decode_interned(d, i);
    return LIKELY(*name != SAMPLE_NONE) ? APF_OK : sample_decode_name_of(d, i, name, error);
}

int sample_decode_context_of(struct sample_decoder *d, size_t key, uint32_t *context, struct apf_error *error)
{
    uint32_t name;
    int code = APF_OK;
    if (!d->has_contexts) {
        code = sample_decode_name_of(d, key, &name, error);
        return code == APF_OK ? sample_contexts_base(&d->s->contexts, name, context, error) : code;
    }
    *context = d->contexts.data[key];
    if (*context == SAMPLE_NONE)
        code = d->intern_context(d, key, context, error);
    d->contexts.data[key] = code == APF_OK ? *context : SAMPLE_NONE;
    return code;
}

int sample_decode_key(struct sample_decoder *d, uint32_t *context, struct apf_error *error)
{
    size_t key;
    int code = sample_decode_index(d, sample_decode_keys(d),
                                   d->has_contexts ? "number of a context" : "number of a name", &key, error);
    return code == APF_OK ? sample_decode_context_of(d, key, context, error) : code;
}
