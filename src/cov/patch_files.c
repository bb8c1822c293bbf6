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

/* The order of names that are read backwards. */
static int compare_ends(struct apf_str x, struct apf_str y)
{
    size_t i = 0;
    while (i < x.n && i < y.n && x.p[x.n - 1 - i] == y.p[y.n - 1 - i])
        i++;
    if (i == x.n || i == y.n)
        return i == x.n ? -(i < y.n) : 1;
    return (uint8_t)x.p[x.n - 1 - i] < (uint8_t)y.p[y.n - 1 - i] ? -1 : 1;
}

static bool end_before(const void *context, const void *a, const void *b)
{
    const struct text_set *names = context;
    const uint32_t *x = a, *y = b;
    return compare_ends(names->list.data[*x], names->list.data[*y]) < 0;
}

bool patch_files_make(struct patch_files *f, const struct text_set *names, const uint32_t *files, size_t n)
{
    f->names = names;
    if (!VEC_RESERVE(&f->by_end, n))
        return false;
    for (size_t i = 0; i < n; i++)
        f->by_end.data[f->by_end.n++] = files[i];
    return SORT_VEC(&f->by_end, end_before, names);
}

void patch_files_free(struct patch_files *f)
{
    VEC_FREE(&f->by_end);
}

static bool text_ends_with(struct apf_str name, struct apf_str end)
{
    return name.n >= end.n && (end.n == 0 || memcmp(name.p + (name.n - end.n), end.p, end.n) == 0);
}

/* Whether a name ends with another one, before which there is nothing or a '/'. */
static bool ends_with(struct apf_str name, struct apf_str end)
{
    return text_ends_with(name, end) && (name.n == end.n || name.p[name.n - end.n - 1] == '/');
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
    const struct apf_str *names = f->names->list.data;
    const uint32_t *list = f->by_end.data;
    uint32_t found = HASH_INDEX_NONE;
    size_t i;
    SEARCH(i, 0, f->by_end.n, compare_ends(names[list[i]], name) < 0);
    for (; i < f->by_end.n && text_ends_with(names[list[i]], name); i++) { /* in a row */
        const struct apf_str full = names[list[i]];
        const bool fits = f->root.n ? is_in_root(f, full, name) : ends_with(full, name);
        if (fits && (found == HASH_INDEX_NONE || full.n < names[found].n))
            found = list[i];
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
