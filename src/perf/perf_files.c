/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_files.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

void perf_files_free(struct perf_files *files)
{
    VEC_FREE(&files->list);
    hash_index_free(&files->paths);
    hash_index_free(&files->builds);
    arena_free(&files->arena);
}

struct apf_str perf_files_path(struct apf_str path)
{
    const size_t n = sizeof PERF_KERNEL_PATH - 1;
    if (path.n > n && memcmp(path.p, PERF_KERNEL_PATH, n) == 0)
        path.n = n;
    return path;
}

static bool set_build_id(struct perf_files *files, struct apf_perf_file *file, const struct perf_build_id *id)
{
    char *copy = arena_text(&files->arena, id->bytes, id->n);
    file->build_id = (struct apf_str){copy, copy ? id->n : 0};
    return copy != NULL;
}

static struct apf_perf_file *make_file(struct perf_files *files, struct apf_str path,
                                       const struct perf_record *r)
{
    struct apf_perf_file *file = arena_zeros(&files->arena, 1, sizeof *file);
    char *copy = arena_text(&files->arena, path.p, path.n);
    if (!file || !copy || !set_build_id(files, file, &r->build_id))
        return NULL;
    file->path = (struct apf_str){copy, path.n};
    file->kernel = r->mode == APF_PERF_MODE_KERNEL || r->pid == PERF_NO_PID;
    return file;
}

/* The place of the file of a path and a build; HASH_INDEX_NONE: there is none. */
static uint32_t find_build(const struct perf_files *files, uint64_t hash, struct apf_str path,
                           struct apf_str build)
{
    uint32_t i;
    HASH_INDEX_FIND(i, &files->builds, hash,
                    text_equal(files->list.data[i]->path, path) &&
                        text_equal(files->list.data[i]->build_id, build));
    return i;
}

/* Adds a file, or gives the first one of its path its build. */
static int add_file(struct perf_files *files, struct apf_str path, const struct perf_record *r,
                    uint32_t *number, struct apf_error *error)
{
    if (*number != HASH_INDEX_NONE && files->list.data[*number]->build_id.n == 0)
        return set_build_id(files, files->list.data[*number], &r->build_id) ? APF_OK : error_memory(error);
    struct apf_perf_file *file = make_file(files, path, r);
    if (!file || !VEC_PUSH(&files->list, file))
        return error_memory(error);
    *number = (uint32_t)(files->list.n - 1);
    return APF_OK;
}

int perf_files_find(struct perf_files *files, const struct perf_record *r, uint32_t *number,
                    struct apf_error *error)
{
    struct apf_str path = perf_files_path(r->path), build = {(const char *)r->build_id.bytes, r->build_id.n};
    uint32_t first;
    if (!hash_index_reserve(&files->paths, 1))
        return hash_index_error(&files->paths, error);
    if (!hash_index_reserve(&files->builds, 1))
        return hash_index_error(&files->builds, error);
    uint64_t hash = hash_index_bytes(&files->paths, path.p, path.n);
    HASH_INDEX_FIND(first, &files->paths, hash, text_equal(files->list.data[first]->path, path));
    *number = first;
    if (first != HASH_INDEX_NONE && build.n == 0)
        return APF_OK;
    uint64_t build_hash =
        hash_index_mix(&files->builds, hash, hash_index_bytes(&files->builds, build.p, build.n));
    uint32_t same = build.n ? find_build(files, build_hash, path, build) : HASH_INDEX_NONE;
    if (same != HASH_INDEX_NONE) {
        *number = same;
        return APF_OK;
    }
    int code = add_file(files, path, r, number, error);
    if (code == APF_OK && first == HASH_INDEX_NONE)
        hash_index_add(&files->paths, hash, *number);
    if (code == APF_OK && build.n)
        hash_index_add(&files->builds, build_hash, *number);
    return code;
}
