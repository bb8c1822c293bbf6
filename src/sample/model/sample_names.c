/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/sort.h"

void sample_names_free(struct sample_names *s)
{
    VEC_FREE(&s->list);
    text_set_free(&s->files);
    hash_index_free(&s->by_text);
    hash_index_free(&s->by_hash);
    arena_free(&s->text);
    s->hashed = false;
    s->n_indexed = 0;
}

void sample_names_reset(struct sample_names *s)
{
    static const struct arena_mark empty;
    s->list.n = 0;
    text_set_free(&s->files);
    hash_index_free(&s->by_text);
    hash_index_free(&s->by_hash);
    arena_rewind(&s->text, empty);
    s->hashed = false;
    s->n_indexed = 0;
}

static uint64_t hash_text(const struct sample_names *s, struct apf_str name, uint32_t file)
{
    return hash_index_mix(&s->by_text, hash_index_bytes(&s->by_text, name.p, name.n), file);
}

static bool is_name(const struct sample_name *have, struct apf_str name, uint32_t file)
{
    return have->n == name.n && have->file == file && have->p && memcmp(have->p, name.p, name.n) == 0;
}

uint32_t sample_names_find(const struct sample_names *s, struct apf_str name, uint32_t file)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &s->by_text, hash_text(s, name, file), is_name(&s->list.data[e], name, file));
    return e;
}

uint64_t sample_names_fetch_slot(const struct sample_names *s, struct apf_str name)
{
    uint64_t hash = hash_text(s, name, SAMPLE_NONE);
    if (s->by_text.slots)
        hash_index_fetch(&s->by_text, hash);
    return hash;
}

uint32_t sample_names_fetch_entry(const struct sample_names *s, uint64_t hash)
{
    size_t pos = hash_index_first(&s->by_text, hash);
    uint32_t e = hash_index_next(&s->by_text, hash, &pos);
    if (e != HASH_INDEX_NONE)
        PREFETCH(&s->list.data[e]);
    return e;
}

uint32_t sample_names_find_hash(const struct sample_names *s, uint64_t hash)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &s->by_hash, hash_index_mix(&s->by_hash, hash, 0), s->list.data[e].hash == hash);
    return e;
}

/* Indexes what sample_names_push has appended, and makes room for one more name. */
static int index_pushed(struct sample_names *s, struct apf_error *error)
{
    size_t more = s->list.n - s->n_indexed + 1;
    if (!hash_index_reserve(&s->by_text, more) || (s->hashed && !hash_index_reserve(&s->by_hash, more)))
        return hash_index_error(&s->by_text, error);
    for (; s->n_indexed < s->list.n; s->n_indexed++) {
        struct sample_name *name = &s->list.data[s->n_indexed];
        struct apf_str text = {name->p, name->n};
        if (name->p)
            hash_index_add(&s->by_text, hash_text(s, text, name->file), (uint32_t)s->n_indexed);
        if (!s->hashed || name->file != SAMPLE_NONE)
            continue;
        if (!name->hash && name->p)
            name->hash = md5_name_ref(name->p, name->n);
        if (sample_names_find_hash(s, name->hash) == SAMPLE_NONE)
            hash_index_add(&s->by_hash, hash_index_mix(&s->by_hash, name->hash, 0), (uint32_t)s->n_indexed);
    }
    return APF_OK;
}

int sample_names_reserve(struct sample_names *s, size_t n, struct apf_error *error)
{
    return VEC_RESERVE(&s->list, n) && hash_index_reserve(&s->by_text, n)
               ? APF_OK
               : hash_index_error(&s->by_text, error);
}

static int push_name(struct sample_names *s, struct sample_name name, uint32_t *number,
                     struct apf_error *error)
{
    if (s->list.n >= SAMPLE_NONE)
        return error_plain(error, APF_LIMIT, "names", "more than 2^32 names");
    if (!VEC_PUSH(&s->list, name))
        return error_memory(error);
    *number = (uint32_t)(s->list.n - 1);
    return APF_OK;
}

int sample_names_push(struct sample_names *s, struct apf_str name, uint32_t *number, struct apf_error *error)
{
    if (name.n > UINT32_MAX)
        return error_plain(error, APF_LIMIT, "names", "a name is longer than 4 GiB");
    struct sample_name new = {name.p, (uint32_t)name.n, SAMPLE_NONE, 0};
    return push_name(s, new, number, error);
}

/* The entry of a name of which only the hash was known becomes that of the name. SAMPLE_NONE: there is none. */
static uint32_t name_hash(struct sample_names *s, const struct sample_name *name)
{
    uint32_t e = s->hashed && name->file == SAMPLE_NONE ? sample_names_find_hash(s, name->hash) : SAMPLE_NONE;
    if (e == SAMPLE_NONE || s->list.data[e].p)
        return SAMPLE_NONE; /* none, or another name with this hash */
    s->list.data[e] = *name;
    struct apf_str text = {name->p, name->n};
    hash_index_add(&s->by_text, hash_text(s, text, name->file), e);
    return e;
}

int sample_names_add(struct sample_names *s, struct apf_str name, uint32_t file, bool copy, uint32_t *number,
                     struct apf_error *error)
{
    if (name.n > UINT32_MAX)
        return error_plain(error, APF_LIMIT, "names", "a name is longer than 4 GiB");
    int code = index_pushed(s, error);
    if (code != APF_OK)
        return code;
    *number = sample_names_find(s, name, file);
    if (*number != SAMPLE_NONE)
        return APF_OK;
    struct sample_name new = {name.p, (uint32_t)name.n, file, 0};
    if (copy)
        new.p = arena_text(&s->text, name.p, name.n);
    else if (!new.p)
        new.p = "";
    if (!new.p)
        return error_memory(error);
    if (s->hashed && file == SAMPLE_NONE)
        new.hash = md5_name_ref(name.p, name.n);
    *number = name_hash(s, &new);
    if (*number != SAMPLE_NONE)
        return APF_OK;
    code = push_name(s, new, number, error);
    return code == APF_OK ? index_pushed(s, error) : code;
}

int sample_names_add_hash(struct sample_names *s, uint64_t hash, uint32_t *number, struct apf_error *error)
{
    if (!s->hashed) {
        s->hashed = true;
        s->n_indexed = 0;
        hash_index_free(&s->by_text);
        hash_index_free(&s->by_hash);
    }
    int code = index_pushed(s, error);
    if (code != APF_OK)
        return code;
    *number = sample_names_find_hash(s, hash);
    if (*number != SAMPLE_NONE)
        return APF_OK;
    struct sample_name new = {NULL, 0, SAMPLE_NONE, hash};
    code = push_name(s, new, number, error);
    return code == APF_OK ? index_pushed(s, error) : code;
}

static bool has_bare_hash(const struct sample_names *s)
{
    for (size_t i = 0; s->hashed && i < s->list.n; i++)
        if (!s->list.data[i].p)
            return true;
    return false;
}

int sample_names_identify(struct sample_names *s, const struct apf_str *list, size_t n,
                          struct apf_error *error)
{
    int code = APF_OK;
    if (!n || !has_bare_hash(s))
        return APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t number = sample_names_find_hash(s, md5_name_ref(list[i].p, list[i].n));
        if (number != SAMPLE_NONE && !s->list.data[number].p)
            code = sample_names_add(s, list[i], SAMPLE_NONE, true, &number, error);
    }
    return code;
}

uint64_t sample_names_hash(const struct sample_names *s, uint32_t number)
{
    const struct sample_name *name = &s->list.data[number];
    return name->hash || !name->p ? name->hash : md5_name_ref(name->p, name->n);
}

/* Orders source files by their names, an unknown one first. */
static int compare_files(const struct sample_names *s, uint32_t a, uint32_t b)
{
    if (a == b)
        return 0;
    if (a == SAMPLE_NONE || b == SAMPLE_NONE)
        return a == SAMPLE_NONE ? -1 : 1;
    return sort_compare_bytes(s->files.list.data[a].p, s->files.list.data[a].n, s->files.list.data[b].p,
                              s->files.list.data[b].n);
}

static bool hash_before(const void *context, const void *a, const void *b)
{
    const struct sample_names *s = context;
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return s->list.data[x].hash < s->list.data[y].hash;
}

static bool file_before(const void *context, const void *a, const void *b)
{
    const struct sample_names *s = context;
    const struct sort_name *x = a, *y = b;
    return compare_files(s, s->list.data[x->index].file, s->list.data[y->index].file) < 0;
}

/* Sorts runs of equal texts by their files; `sorted` has n names in the order of their texts, and room for as many. */
static void sort_files(const struct sample_names *s, struct sort_name *sorted, size_t n)
{
    for (size_t i = 0, end; s->files.list.n && i < n; i = end) {
        for (end = i + 1;
             end < n && sorted[end].n == sorted[i].n && memcmp(sorted[end].p, sorted[i].p, sorted[i].n) == 0;)
            end++;
        sort_merge(sorted + i, sorted + n, end - i, sizeof *sorted, file_before, s);
    }
}

int sample_names_rank(const struct sample_names *s, uint32_t **ranks, struct apf_error *error)
{
    size_t n = s->list.n, n_texts = 0, n_hashes = 0;
    struct sort_name *names = malloc((2 * n + 1) * sizeof *names);
    uint32_t *hashes = malloc((2 * n + 1) * sizeof *hashes);
    *ranks = malloc((n + 1) * sizeof **ranks);
    if (!names || !hashes || !*ranks) {
        free(names);
        free(hashes);
        free(*ranks);
        *ranks = NULL;
        return error_memory(error);
    }
    for (size_t i = 0; i < n; i++) {
        const struct sample_name *name = &s->list.data[i];
        struct sort_name entry = {0, name->p, name->n, (uint32_t)i};
        if (name->p)
            names[n_texts++] = entry;
        else
            hashes[n_hashes++] = (uint32_t)i;
    }
    sort_merge(hashes, hashes + n, n_hashes, sizeof *hashes, hash_before, s);
    sort_names(names, names + n, n_texts);
    sort_files(s, names, n_texts);
    for (size_t i = 0; i < n_hashes; i++)
        (*ranks)[hashes[i]] = (uint32_t)i;
    for (size_t i = 0; i < n_texts; i++)
        (*ranks)[names[i].index] = (uint32_t)(n_hashes + i);
    free(names);
    free(hashes);
    return APF_OK;
}

/* Whether a name of another table is that with a number. */
static bool is_entry(const struct sample_names *s, uint32_t number, const struct sample_name *name,
                     uint32_t file)
{
    struct apf_str text = {name->p, name->n};
    const struct sample_name *have = &s->list.data[number];
    return name->p ? is_name(have, text, file) : !have->p && have->hash == name->hash;
}

int sample_names_adopt(struct sample_names *to, const struct sample_names *from, bool copy, uint32_t *map,
                       struct apf_error *error)
{
    int code = APF_OK;
    uint32_t next = 0; /* tables of the runs of one program have the same names in the same order */
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        const struct sample_name *name = &from->list.data[i];
        struct apf_str text = {name->p, name->n};
        uint32_t file = SAMPLE_NONE;
        if (name->file != SAMPLE_NONE)
            code = text_set_add(&to->files, from->files.list.data[name->file], &file, error);
        if (code == APF_OK && next < to->list.n && is_entry(to, next, name, file))
            map[i] = next;
        else if (code == APF_OK)
            code = name->p ? sample_names_add(to, text, file, copy, &map[i], error)
                           : sample_names_add_hash(to, name->hash, &map[i], error);
        next = code == APF_OK ? map[i] + 1 : 0;
    }
    return code;
}

bool sample_names_in_frame(struct apf_str name)
{
    static const struct apf_str separator = {" @ ", 3};
    return !name.n || (!memchr(name.p, ':', name.n) && !text_contains(name.p, name.n, separator));
}

uint64_t sample_names_decimal(struct apf_str text)
{
    uint64_t v = 0;
    for (size_t i = 0; i < text.n; i++) {
        unsigned digit = (unsigned)((unsigned char)text.p[i] - '0');
        if (digit > 9 || (i == 0 && digit == 0) || MUL_OVERFLOWS(v, 10, &v) || ADD_OVERFLOWS(v, digit, &v))
            return 0;
    }
    return v;
}
