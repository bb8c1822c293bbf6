/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_files.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

void perf_files_free(struct perf_files *files)
{
    VEC_FREE(&files->list);
    hash_index_free(&files->index);
    arena_free(&files->arena);
}

/* perf names the kernel after a symbol of it, which is of no interest. */
static struct apf_str file_path(struct apf_str path)
{
    static const char kernel[] = "[kernel.kallsyms]";
    const size_t n = sizeof kernel - 1;
    if (path.n > n && memcmp(path.p, kernel, n) == 0)
        path.n = n;
    return path;
}

static bool set_build_id(struct perf_files *files, struct apf_perf_file *file, const struct perf_build_id *id)
{
    char *copy = arena_text(&files->arena, id->bytes, id->n);
    file->build_id = (struct apf_str){copy, copy ? id->n : 0};
    return copy != NULL;
}

static struct perf_file *make_file(struct perf_files *files, struct apf_str path, const struct perf_record *r)
{
    struct perf_file *file = arena_zeros(&files->arena, 1, sizeof *file);
    char *copy = arena_text(&files->arena, path.p, path.n);
    if (!file || !copy || !set_build_id(files, &file->facts, &r->build_id))
        return NULL;
    file->facts.path = (struct apf_str){copy, path.n};
    file->facts.kernel = r->mode == APF_PERF_MODE_KERNEL || r->pid == PERF_NO_PID;
    file->next = PERF_NO_FILE;
    return file;
}

/* The file of this path and build, or the last one of this path. */
static uint32_t find_build(const struct perf_files *files, uint32_t first, const struct perf_build_id *id,
                           bool *found)
{
    for (uint32_t i = first;; i = files->list.data[i]->next) {
        struct apf_str known = files->list.data[i]->facts.build_id;
        *found = id->n == 0 || known.n == 0 || (known.n == id->n && memcmp(known.p, id->bytes, id->n) == 0);
        if (*found || files->list.data[i]->next == PERF_NO_FILE)
            return i;
    }
}

int perf_files_find(struct perf_files *files, const struct perf_record *r, uint32_t *number,
                    struct apf_error *error)
{
    struct apf_str path = file_path(r->path);
    uint32_t first, last = PERF_NO_FILE;
    bool found = false;
    if (!hash_index_reserve(&files->index, 1))
        return hash_index_error(&files->index, error);
    uint64_t hash = hash_index_bytes(&files->index, path.p, path.n);
    HASH_INDEX_FIND(first, &files->index, hash, text_equal(files->list.data[first]->facts.path, path));
    if (first != HASH_INDEX_NONE)
        last = find_build(files, first, &r->build_id, &found);
    *number = last;
    if (found) {
        struct apf_perf_file *file = &files->list.data[last]->facts;
        bool learned = file->build_id.n == 0 && r->build_id.n;
        return !learned || set_build_id(files, file, &r->build_id) ? APF_OK : error_memory(error);
    }
    struct perf_file *file = make_file(files, path, r);
    if (!file || files->list.n >= PERF_NO_FILE || !VEC_PUSH(&files->list, file))
        return error_memory(error);
    *number = (uint32_t)(files->list.n - 1);
    if (first == HASH_INDEX_NONE)
        hash_index_add(&files->index, hash, *number);
    else
        files->list.data[last]->next = *number;
    return APF_OK;
}
