/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups files by build, and finds their programs. */
#include "base/error.h"
#include "base/text_bytes.h"
#include "jobs/file_kinds.h"
#include "jobs/info.h"

enum info_build info_build_of(const struct apf_file_facts *f)
{
    if (!file_kind_has(f->file->kind, KIND_OF_BUILD))
        return INFO_BUILD_NONE;
    if (f->n_binary_ids)
        return INFO_BUILD_IDS;
    return f->build_digest ? INFO_BUILD_DIGEST : INFO_BUILD_UNKNOWN;
}

/* ---- groups ---- */

static bool same_ids(const struct apf_file_facts *a, const struct apf_file_facts *b)
{
    bool same = a->n_binary_ids == b->n_binary_ids;
    for (size_t i = 0; same && i < a->n_binary_ids; i++)
        same = text_equal(a->binary_ids[i], b->binary_ids[i]);
    return same;
}

static bool same_build(const struct apf_file_facts *a, const struct apf_file_facts *b)
{
    return a->file->kind == b->file->kind && a->origin == b->origin && a->version == b->version &&
           a->variant == b->variant && a->pointer_bits == b->pointer_bits && same_ids(a, b) &&
           (a->n_binary_ids || a->build_digest == b->build_digest);
}

static uint64_t hash_build(const struct hash_index *index, const struct apf_file_facts *f)
{
    uint64_t hash = hash_index_mix(index, (uint64_t)f->file->kind, f->n_binary_ids ? 0 : f->build_digest);
    for (size_t i = 0; i < f->n_binary_ids; i++)
        hash = hash_index_mix(index, hash, hash_index_bytes(index, f->binary_ids[i].p, f->binary_ids[i].n));
    return hash;
}

int info_group_add(struct apf_info *info, size_t file, struct apf_error *error)
{
    const struct apf_file_facts *f = &info->files.data[file];
    if (f->error)
        return VEC_PUSH(&info->group_of, SIZE_MAX) ? APF_OK : error_memory(error);
    if (!hash_index_reserve(&info->by_build, 1))
        return hash_index_error(&info->by_build, error);
    bool unknown = info_build_of(f) == INFO_BUILD_UNKNOWN; /* then the file is a group of its own */
    uint64_t hash = hash_build(&info->by_build, f);
    uint32_t g = HASH_INDEX_NONE;
    if (!unknown)
        HASH_INDEX_FIND(g, &info->by_build, hash,
                        same_build(&info->files.data[info->groups.data[g].first], f));
    if (g == HASH_INDEX_NONE) {
        struct info_group group = {.first = file};
        g = (uint32_t)info->groups.n;
        if (!VEC_PUSH(&info->groups, group))
            return error_memory(error);
        if (!unknown)
            hash_index_add(&info->by_build, hash, g);
    }
    info->groups.data[g].n_files++;
    info->groups.data[g].n_bytes += f->file->file_size;
    info->groups.data[g].n_functions += f->n_functions;
    return VEC_PUSH(&info->group_of, (size_t)g) ? APF_OK : error_memory(error);
}

/* ---- programs ---- */

struct linker {
    struct apf_info *info;
    struct hash_index by_id, by_build_digest; /* first file with each id or build digest */
    VEC(size_t) last;                         /* for each file: 1 + the last group it was added to */
};

static const struct apf_file_facts *file_of(const struct linker *l, uint32_t file)
{
    return &l->info->files.data[file];
}

static uint32_t find_id(const struct linker *l, struct apf_str id)
{
    uint64_t hash = hash_index_bytes(&l->by_id, id.p, id.n);
    uint32_t file;
    HASH_INDEX_FIND(file, &l->by_id, hash, text_equal(file_of(l, file)->binary_ids[0], id));
    return file;
}

static uint32_t find_build_digest(const struct linker *l, uint64_t build_digest)
{
    uint64_t hash = hash_index_mix(&l->by_build_digest, build_digest, 0);
    uint32_t file;
    HASH_INDEX_FIND(file, &l->by_build_digest, hash, file_of(l, file)->build_digest == build_digest);
    return file;
}

/* Ranks the ELF files with one id or build digest; the lowest represents them. A profile without ids belongs rather to
 * a program without ids, and a program with counters comes before its separate debug information, which has the same
 * id. */
static unsigned rank_of(const struct apf_file_facts *f)
{
    bool instrumented = f->file->contents & APF_ELF_INSTRUMENTED;
    return instrumented && f->build_digest ? f->n_binary_ids != 0 : instrumented ? 2 : 3;
}

static int index_programs(struct linker *l, unsigned rank, struct apf_error *error)
{
    for (size_t i = 0; i < l->info->groups.n; i++) {
        uint32_t file = (uint32_t)l->info->groups.data[i].first;
        const struct apf_file_facts *f = file_of(l, file);
        if (f->file->kind != APF_KIND_ELF || rank_of(f) != rank)
            continue;
        if (!hash_index_reserve(&l->by_id, 1))
            return hash_index_error(&l->by_id, error);
        if (!hash_index_reserve(&l->by_build_digest, 1))
            return hash_index_error(&l->by_build_digest, error);
        if (f->n_binary_ids && find_id(l, f->binary_ids[0]) == HASH_INDEX_NONE)
            hash_index_add(&l->by_id, hash_index_bytes(&l->by_id, f->binary_ids[0].p, f->binary_ids[0].n),
                           file);
        if (f->build_digest && find_build_digest(l, f->build_digest) == HASH_INDEX_NONE)
            hash_index_add(&l->by_build_digest, hash_index_mix(&l->by_build_digest, f->build_digest, 0),
                           file);
    }
    return APF_OK;
}

static bool add_program(struct linker *l, size_t group, uint32_t file)
{
    if (file == HASH_INDEX_NONE || l->last.data[file] == group + 1)
        return true;
    l->last.data[file] = group + 1;
    l->info->groups.data[group].n_programs++;
    return VEC_PUSH(&l->info->programs, (size_t)file);
}

/* Finds the programs of a group. A profile and a program with different ids are of two builds, even if their functions
 * match. False: allocation failed. */
static bool link_group(struct linker *l, size_t group)
{
    struct info_group *g = &l->info->groups.data[group];
    const struct apf_file_facts *f = &l->info->files.data[g->first];
    bool done = true;
    g->programs = l->info->programs.n;
    if (f->file->kind == APF_KIND_ELF)
        return true;
    for (size_t i = 0; done && i < f->n_binary_ids; i++)
        done = add_program(l, group, find_id(l, f->binary_ids[i]));
    if (!done || g->n_programs || !f->build_digest)
        return done;
    uint32_t file = find_build_digest(l, f->build_digest);
    if (file != HASH_INDEX_NONE && f->n_binary_ids && file_of(l, file)->n_binary_ids)
        return true;
    g->by_build_digest = true;
    return add_program(l, group, file);
}

int info_groups_link(struct apf_info *info, struct apf_error *error)
{
    struct linker l = {.info = info};
    struct error_at at = {"info.files", NO_OFFSET, info->files.n, HASH_INDEX_NONE - 1};
    if (info->files.n >= HASH_INDEX_NONE)
        return error_at(error, APF_LIMIT, at, "too many files");
    int code = VEC_RESERVE(&l.last, info->files.n) ? APF_OK : error_memory(error);
    for (unsigned rank = 0; code == APF_OK && rank < 4; rank++)
        code = index_programs(&l, rank, error);
    for (size_t i = 0; code == APF_OK && i < info->files.n; i++)
        l.last.data[i] = 0;
    for (size_t i = 0; code == APF_OK && i < info->groups.n; i++)
        if (!link_group(&l, i))
            code = error_memory(error);
    hash_index_free(&l.by_id);
    hash_index_free(&l.by_build_digest);
    VEC_FREE(&l.last);
    return code;
}
