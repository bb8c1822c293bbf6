/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/patch_files.h"

#include <string.h>

#include "base/hash_index.h"
#include "base/search.h"
#include "base/text_bytes.h"

#define PREFIX 2u /* "b/" */

struct apf_str patch_file_name(const struct patch_file *file)
{
    const size_t n = file->prefixed ? PREFIX : 0;
    return (struct apf_str){file->name.p + n, file->name.n - n};
}

bool patch_files_make(struct patch_files *f, const struct file_names *names, const uint32_t *files, size_t n)
{
    f->names = names;
    if (!VEC_RESERVE(&f->by_base, 2 * n))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct apf_str base = text_last_part(names->list.data[files[i]]);
        f->by_base.data[i] = (struct sort_name){.p = base.p, .n = (uint32_t)base.n, .index = files[i]};
    }
    if (n)
        sort_names(f->by_base.data, f->by_base.data + n, n);
    f->by_base.n = n;
    return true;
}

void patch_files_free(struct patch_files *f)
{
    VEC_FREE(&f->by_base);
}

/* Whether a name ends with another one, before which there is nothing or a '/'. */
static bool ends_with(struct apf_str name, struct apf_str end)
{
    return name.n >= end.n && memcmp(name.p + (name.n - end.n), end.p, end.n) == 0 &&
           (name.n == end.n || name.p[name.n - end.n - 1] == '/');
}

/* Whether a name is that of the file `below` in the root. */
static bool is_in_root(const struct patch_files *f, struct apf_str name, struct apf_str below)
{
    return name.n == f->root.n + 1 + below.n && memcmp(name.p, f->root.p, f->root.n) == 0 &&
           ends_with(name, below);
}

/* The source file whose name ends with that: the one in the root if that is known, else the shortest one. */
static uint32_t find(const struct patch_files *f, struct apf_str name)
{
    const struct apf_str base = text_last_part(name);
    const struct sort_name *list = f->by_base.data;
    uint32_t found = HASH_INDEX_NONE;
    size_t i;
    SEARCH(i, 0, f->by_base.n, sort_compare_bytes(list[i].p, list[i].n, base.p, base.n) < 0);
    for (; i < f->by_base.n && sort_compare_bytes(list[i].p, list[i].n, base.p, base.n) == 0; i++) {
        const struct apf_str full = f->names->list.data[list[i].index];
        const bool fits = f->root.n ? is_in_root(f, full, name) : ends_with(full, name);
        if (fits && (found == HASH_INDEX_NONE || full.n < f->names->list.data[found].n))
            found = list[i].index;
    }
    return found;
}

uint32_t patch_files_find(const struct patch_files *f, const struct patch_file *file)
{
    const uint32_t found = find(f, patch_file_name(file));
    return found == HASH_INDEX_NONE && file->prefixed ? find(f, file->name) : found;
}

void patch_files_set_root(struct patch_files *f, struct apf_str root, const struct patch *patch)
{
    f->root = root;
    for (size_t i = 0; i < patch->files.n; i++)
        if (find(f, patch_file_name(&patch->files.data[i])) != HASH_INDEX_NONE)
            return;
    f->root.n = 0;
}
