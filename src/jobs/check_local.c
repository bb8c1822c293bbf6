/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jobs/check_local.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "instr/layout/releases.h"

/* ---- FILE;NAME and FILE:NAME ---- */

bool check_ids_collect(struct check_ids *ids, const struct apf_instr *instr)
{
    size_t n = instr->records.n;
    if (!VEC_RESERVE(&ids->list, 2 * n)) /* the second half is scratch for sorting */
        return false;
    for (size_t i = 0; i < n; i++)
        ids->list.data[ids->list.n++] = instr->records.data[i].id;
    if (n)
        sort_numbers(ids->list.data, ids->list.data + n, n);
    return true;
}

void check_ids_free(struct check_ids *ids)
{
    VEC_FREE(&ids->list);
}

bool check_local_id(const struct check_ids *ids, const struct apf_function *f, uint64_t *id)
{
    size_t at = local_name_split(f->name.p, f->name.n, ';');
    *id = f->id;
    if (!at || sort_has_number(ids->list.data, ids->list.n, f->id))
        return true;
    char *renamed = malloc(f->name.n);
    if (!renamed)
        return false;
    memcpy(renamed, f->name.p, f->name.n);
    renamed[at] = ':';
    uint64_t other = md5_name_ref(renamed, f->name.n);
    free(renamed);
    if (sort_has_number(ids->list.data, ids->list.n, other))
        *id = other;
    return true;
}

/* ---- other paths ---- */

/* Splits the name of a local function into FILE and NAME. False: the name is not local. */
static bool split_name(struct apf_str name, struct apf_str *file, struct apf_str *function)
{
    const size_t at = local_name_file(name.p, name.n);
    if (!at)
        return false;
    file->p = name.p;
    file->n = at;
    for (size_t i = 0; i < at; i++)
        if (name.p[i] == '/' || name.p[i] == '\\') {
            file->p = name.p + i + 1;
            file->n = at - i - 1;
        }
    function->p = name.p + at + 1;
    function->n = name.n - at - 1;
    return true;
}

/* The hash uses FILE and NAME: a file may have many functions, and many files a function of one name. */
static uint64_t mix_names(const struct check_paths *paths, struct apf_str file, struct apf_str function,
                          uint64_t hash)
{
    uint64_t name = md5_name_ref(file.p, file.n) * 31 + md5_name_ref(function.p, function.n);
    return hash_index_mix(&paths->index, name, hash);
}

static const struct record *find_record(const struct check_paths *paths, const struct apf_instr *instr,
                                        struct apf_str file, struct apf_str function, uint64_t hash)
{
    const struct record *const *list = paths->list.data;
    struct apf_str other_file, other_function;
    uint64_t mixed = mix_names(paths, file, function, hash);
    uint32_t e;
    HASH_INDEX_FIND(e, &paths->index, mixed,
                    list[e]->hash == hash &&
                        split_name(record_name(instr, list[e]), &other_file, &other_function) &&
                        text_equal(file, other_file) && text_equal(function, other_function));
    return e != HASH_INDEX_NONE ? list[e] : NULL;
}

/* Of several records that differ only in their directories, the first is kept. */
int check_paths_add(struct check_paths *paths, const struct apf_instr *instr, const struct record *r,
                    struct apf_error *error)
{
    struct apf_str file, function;
    if (!split_name(record_name(instr, r), &file, &function))
        return APF_OK;
    if (!hash_index_reserve(&paths->index, 1))
        return hash_index_error(&paths->index, error);
    if (find_record(paths, instr, file, function, r->hash))
        return APF_OK;
    if (!VEC_PUSH(&paths->list, r))
        return error_memory(error);
    hash_index_add(&paths->index, mix_names(paths, file, function, r->hash), (uint32_t)paths->list.n - 1);
    return APF_OK;
}

const struct record *check_paths_find(const struct check_paths *paths, const struct apf_instr *instr,
                                      const struct apf_function *f)
{
    struct apf_str file, function;
    bool local = paths->list.n && split_name(f->name, &file, &function);
    return local ? find_record(paths, instr, file, function, f->hash) : NULL;
}

bool check_paths_equal(struct apf_str a, struct apf_str b)
{
    struct apf_str file, function;
    if (a.n != b.n || !split_name(a, &file, &function))
        return false;
    size_t at = a.n - function.n - 1; /* place of the separator */
    return memcmp(a.p, b.p, at) == 0 && memcmp(a.p + at + 1, b.p + at + 1, function.n) == 0;
}

void check_paths_free(struct check_paths *paths)
{
    hash_index_free(&paths->index);
    VEC_FREE(&paths->list);
}
