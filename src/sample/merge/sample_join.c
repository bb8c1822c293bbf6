/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_join.h"

#include <stdlib.h>

#include "base/error.h"

/* Names with source files. An empty file is none that a function could get: GCC 16 does not use its counts. */
struct files_of_names {
    const struct sample_names *names;
    struct hash_index by_text; /* of the first name of each text */
    bool *several;             /* of these: there are others */
};

static uint32_t find_text(const struct files_of_names *f, struct apf_str text)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &f->by_text, hash_index_bytes(&f->by_text, text.p, text.n),
                    text_equal(sample_names_text(f->names, e), text));
    return e;
}

static int index_names(struct files_of_names *f, struct apf_error *error)
{
    const struct sample_names *names = f->names;
    f->several = calloc(names->list.n, sizeof *f->several);
    if (!f->several)
        return error_memory(error);
    for (uint32_t i = 0; i < names->list.n; i++) {
        struct apf_str text = sample_names_text(names, i);
        uint32_t file = names->list.data[i].file;
        if (file == SAMPLE_NONE || names->files.list.data[file].n == 0)
            continue;
        uint32_t e = find_text(f, text);
        if (e != HASH_INDEX_NONE) {
            f->several[e] = true;
            continue;
        }
        if (!hash_index_reserve(&f->by_text, 1))
            return hash_index_error(&f->by_text, error);
        hash_index_add(&f->by_text, hash_index_bytes(&f->by_text, text.p, text.n), i);
    }
    return APF_OK;
}

/* Returns whether a name changes. */
static bool fill_map(const struct files_of_names *f, uint32_t *map)
{
    bool changes = false;
    for (uint32_t i = 0; i < f->names->list.n; i++) {
        const struct sample_name *name = &f->names->list.data[i];
        map[i] = i;
        if (!name->p || name->file != SAMPLE_NONE)
            continue;
        uint32_t e = find_text(f, sample_names_text(f->names, i));
        if (e != HASH_INDEX_NONE && !f->several[e]) {
            map[i] = e;
            changes = true;
        }
    }
    return changes;
}

int sample_join_map(const struct sample_names *names, uint32_t **map, struct apf_error *error)
{
    struct files_of_names f = {.names = names};
    *map = NULL;
    if (!names->files.list.n)
        return APF_OK;
    int code = index_names(&f, error);
    if (code == APF_OK) {
        *map = malloc((names->list.n + 1) * sizeof **map);
        code = *map ? APF_OK : error_memory(error);
    }
    if (code == APF_OK && !fill_map(&f, *map)) {
        free(*map);
        *map = NULL;
    }
    hash_index_free(&f.by_text);
    free(f.several);
    return code;
}
