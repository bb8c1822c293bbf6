/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/text_bytes.h"

/* The hash of a name, keyed as in hash_index.h; there must have been a cov_names_reserve. */
static uint64_t hash_of(const struct cov_names *t, struct apf_str name)
{
    return XXH3_64bits_withSeed(name.p, name.n, t->by_name.key);
}

/* The number of a name, or HASH_INDEX_NONE. */
static uint32_t find_text(const struct cov_names *t, struct apf_str name, uint64_t hash)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &t->by_name, hash, text_equal(cov_names_text(t, e), name));
    return e;
}

uint32_t cov_names_find(const struct cov_names *t, uint64_t ref)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &t->by_ref, hash_index_mix(&t->by_ref, ref, 0), t->list.data[e].ref == ref);
    return e;
}

void cov_names_fetch(const struct cov_names *t, uint64_t ref, unsigned step)
{
    const uint64_t hash = hash_index_mix(&t->by_ref, ref, 0);
    if (!t->by_ref.slots)
        return;
    if (step == 0) {
        hash_index_fetch(&t->by_ref, hash);
        return;
    }
    size_t pos = hash_index_first(&t->by_ref, hash);
    const uint32_t e = hash_index_next(&t->by_ref, hash, &pos);
    if (e != HASH_INDEX_NONE)
        PREFETCH(&t->list.data[e]);
}

int cov_names_reserve(struct cov_names *t, size_t n, struct apf_error *error)
{
    if (!hash_index_reserve(&t->by_name, n))
        return hash_index_error(&t->by_name, error);
    if (!hash_index_reserve(&t->by_ref, n))
        return hash_index_error(&t->by_ref, error);
    return VEC_RESERVE(&t->list, n) ? APF_OK : error_memory(error);
}

/* Appends an entry whose ref is not there, for which there is room. */
static uint32_t append(struct cov_names *t, const struct cov_name *name)
{
    const uint32_t number = (uint32_t)t->list.n;
    t->list.data[t->list.n++] = *name;
    hash_index_add(&t->by_ref, hash_index_mix(&t->by_ref, name->ref, 0), number);
    return number;
}

/* Checks that the ref of an entry is that of its name. */
static int check(const struct cov_name *name, struct apf_error *error)
{
    if (!name->n || md5_name_ref(name->p, name->n) == name->ref)
        return APF_OK;
    return error_plain(error, APF_MALFORMED, "profile.name", "hash of the name does not match the name: %.*s",
                       (int)(name->n < 100 ? name->n : 100), name->p);
}

int cov_names_check(const struct cov_names *t, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < t->list.n && code == APF_OK; i++)
        if (t->list.data[i].given)
            code = check(&t->list.data[i], error);
    return code;
}

int cov_names_give(struct cov_names *t, uint64_t ref, struct apf_str name, uint32_t *number,
                   struct apf_error *error)
{
    const struct cov_name given = {
        .ref = ref, .p = name.p, .n = (uint32_t)name.n, .record = HASH_INDEX_NONE, .given = true};
    int code = name.n > UINT32_MAX ? error_memory(error) : cov_names_reserve(t, 1, error);
    if (code != APF_OK)
        return code;
    *number = cov_names_find(t, ref);
    if (*number != HASH_INDEX_NONE) /* records of one name mostly have the same bytes */
        return name.p == t->list.data[*number].p ? APF_OK : check(&given, error);
    if (name.n) {
        const uint64_t hash = hash_of(t, name);
        const uint32_t twin = find_text(t, name, hash);
        if (twin != HASH_INDEX_NONE) { /* one of both refs is wrong */
            code = check(&given, error);
            return code == APF_OK ? check(&t->list.data[twin], error) : code;
        }
        hash_index_add(&t->by_name, hash, (uint32_t)t->list.n);
    }
    *number = append(t, &given);
    return APF_OK;
}

/* Gives a name to the entry of its ref. Of two names with one ref, the first one keeps it. */
static int name_entry(struct cov_names *t, uint32_t number, struct apf_str name, uint64_t hash,
                      struct apf_error *error)
{
    struct cov_name *entry = &t->list.data[number];
    if (entry->n)
        return entry->given ? check(entry, error) : APF_OK;
    entry->p = name.p;
    entry->n = (uint32_t)name.n;
    hash_index_add(&t->by_name, hash, number);
    return APF_OK;
}

/* Appends a name that is not there. */
static int add_text(struct cov_names *t, struct apf_str name, uint64_t hash, bool stays, uint32_t *number,
                    struct apf_error *error)
{
    const int code = name.n > UINT32_MAX ? error_memory(error) : cov_names_reserve(t, 1, error);
    if (code != APF_OK)
        return code;
    const uint64_t ref = md5_name_ref(name.p, name.n);
    if (!stays)
        name.p = arena_text(&t->text, name.p, name.n);
    if (!name.p)
        return error_memory(error);
    *number = cov_names_find(t, ref);
    if (*number != HASH_INDEX_NONE)
        return name_entry(t, *number, name, hash, error);
    const struct cov_name made = {
        .ref = ref, .p = name.p, .n = (uint32_t)name.n, .record = HASH_INDEX_NONE, .given = false};
    hash_index_add(&t->by_name, hash, (uint32_t)t->list.n);
    *number = append(t, &made);
    return APF_OK;
}

/* Prefetches what find_text reads. */
static void fetch(const struct cov_names *t, const uint64_t *hashes, size_t n)
{
    const struct cov_name *found[COV_NAMES_BATCH];
    for (size_t i = 0; i < n; i++) {
        size_t pos = hash_index_first(&t->by_name, hashes[i]);
        const uint32_t e = hash_index_next(&t->by_name, hashes[i], &pos);
        found[i] = e == HASH_INDEX_NONE ? NULL : &t->list.data[e];
        PREFETCH(found[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (found[i])
            PREFETCH(found[i]->p);
}

int cov_names_add_all(struct cov_names *t, const struct apf_str *names, size_t n, bool stays,
                      uint32_t *numbers, struct apf_error *error)
{
    uint64_t hashes[COV_NAMES_BATCH];
    int code = cov_names_reserve(t, n, error); /* also for the key of hashes */
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        hashes[i] = hash_of(t, names[i]);
        hash_index_fetch(&t->by_name, hashes[i]);
    }
    if (code == APF_OK && n > 1)
        fetch(t, hashes, n);
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        numbers[i] = find_text(t, names[i], hashes[i]);
        if (numbers[i] == HASH_INDEX_NONE)
            code = add_text(t, names[i], hashes[i], stays, &numbers[i], error);
    }
    return code;
}

int cov_names_add(struct cov_names *t, struct apf_str name, bool stays, uint32_t *number,
                  struct apf_error *error)
{
    return cov_names_add_all(t, &name, 1, stays, number, error);
}

void cov_names_complete(struct cov_names *t)
{
    hash_index_free(&t->by_name);
}

void cov_names_free(struct cov_names *t)
{
    VEC_FREE(&t->list);
    hash_index_free(&t->by_name);
    hash_index_free(&t->by_ref);
    arena_free(&t->text);
}
