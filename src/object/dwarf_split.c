/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_split.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_identity.h"
#include "base/search.h"
#include "base/sort.h"

struct split_file {
    struct file_identity identity;
    struct dwarf_file file;
    VEC(struct dwarf_unit) units; /* by id */
    unsigned times_opened;
};

/* Skeletons that may share a split unit: the id is a digest, and equal ones are rare. */
#define MOST_SKELETONS 16u

/* ---- a file ---- */

static bool unit_before(const void *context, const void *a, const void *b)
{
    const struct dwarf_unit *x = a, *y = b;
    (void)context;
    return x->id < y->id;
}

static bool list_units(struct split_file *f)
{
    struct dwarf_unit unit = {.file = &f->file};
    while (dwarf_unit_next(&unit))
        if (unit.type == DW_UT_split_compile && !VEC_PUSH(&f->units, unit))
            return false;
    return SORT_VEC(&f->units, unit_before, NULL);
}

static void close_file(struct split_file *f)
{
    VEC_FREE(&f->units);
    dwarf_file_close(&f->file);
}

/* Opens a regular file; `failure` says why one cannot be read. */
static int read_file(struct dwarf_split *s, struct split_file *f, const char *path, struct apf_error *failure)
{
    struct apf_input input = apf_input_file(path);
    struct elf_file *elf = NULL;
    f->times_opened++;
    f->file = (struct dwarf_file){.budget = s->budget, .of_split = true};
    int code = elf_file_open_input(&elf, &input, s->max_bytes, failure);
    if (code == APF_OK && f->times_opened == 1)
        dwarf_budget_add(s->budget, elf_file_size(elf));
    if (code == APF_OK)
        code = dwarf_file_open(&f->file, elf, s->max_bytes, failure);
    elf_file_close(elf);
    if (code == APF_OK && !list_units(f))
        code = error_memory(failure);
    if (code != APF_OK)
        close_file(f);
    return code;
}

/* read_file; one that cannot be read has no units. */
static int open_file(struct dwarf_split *s, struct split_file *f, const char *path, struct apf_error *error)
{
    struct apf_error failure;
    return read_file(s, f, path, &failure) == APF_NO_MEMORY ? error_memory(error) : APF_OK;
}

static struct dwarf_unit *find_unit(const struct split_file *f, uint64_t id)
{
    size_t low;
    SEARCH(low, 0, f->units.n, f->units.data[low].id < id);
    return low < f->units.n && f->units.data[low].id == id ? &f->units.data[low] : NULL;
}

/* ---- the files ---- */

static int hash_error(const struct dwarf_split *s, struct apf_error *error)
{
    return hash_index_error(&s->index, error);
}

/* Finds a file by its identity, because any number of paths can lead to it, and makes it if it is new. *file is NULL
 * where no regular file is. */
static int file_at(struct dwarf_split *s, const char *path, struct split_file **file, struct apf_error *error)
{
    struct file_identity identity;
    uint32_t e;
    *file = NULL;
    if (file_look(&identity, path, true) != 0 || !identity.regular)
        return APF_OK;
    if (!hash_index_reserve(&s->index, 1) || !VEC_RESERVE(&s->files, 1))
        return hash_error(s, error);
    uint64_t hash = hash_index_mix(&s->index, identity.inode, identity.device);
    HASH_INDEX_FIND(e, &s->index, hash, file_identity_same(&s->files.data[e]->identity, &identity));
    if (e != HASH_INDEX_NONE) {
        *file = s->files.data[e];
        return APF_OK;
    }
    *file = calloc(1, sizeof **file);
    if (!*file)
        return error_memory(error);
    (*file)->identity = identity;
    hash_index_add(&s->index, hash, (uint32_t)s->files.n);
    s->files.data[s->files.n++] = *file;
    return APF_OK;
}

/* A file that was opened twice stays open: any number of units can name the same files in turn. */
static int use_file(struct dwarf_split *s, const char *path, struct split_file **file,
                    struct apf_error *error)
{
    int code = file_at(s, path, file, error);
    if (code != APF_OK || !*file || (*file)->file.dwarf)
        return code;
    if (s->last && s->last != *file && !s->keeps_files && s->last->times_opened < 2)
        close_file(s->last);
    s->last = *file;
    return (*file)->times_opened < 2 ? open_file(s, *file, path, error) : APF_OK;
}

static char *join_path(struct dwarf_split *s, const char *directory, size_t n, const char *name,
                       const char *suffix)
{
    size_t size = n + strlen(name) + strlen(suffix) + 2;
    char *path = arena_bytes(&s->arena, size);
    if (path)
        snprintf(path, size, "%.*s%s%s%s", (int)n, directory, n ? "/" : "", name, suffix);
    return path;
}

/* Opens the package that the caller has named. */
static int open_named_package(struct dwarf_split *s, struct apf_error *error)
{
    struct file_identity identity;
    const int failed = file_look(&identity, s->package, true);
    int code =
        failed ? error_errno(error, failed, "dwarf.package") : file_at(s, s->package, &s->packages[0], error);
    if (code == APF_OK && !s->packages[0])
        code = error_plain(error, APF_UNSUPPORTED, "dwarf.package", "it is no regular file");
    if (code == APF_OK)
        code = read_file(s, s->packages[0], s->package, error);
    if (code == APF_OK && !s->packages[0]->units.n)
        code = error_plain(error, APF_UNSUPPORTED, "dwarf.package", "it has no split debug information");
    return error_file(error, code, s->package, strlen(s->package));
}

/* Opens the packages beside the program, and beside the file with its debug information. */
static int open_packages(struct dwarf_split *s, struct apf_error *error)
{
    const char *const beside[] = {s->program, s->debug};
    int code = APF_OK;
    s->searched = true;
    if (s->package)
        return open_named_package(s, error);
    for (size_t i = 0; code == APF_OK && i < 2; i++) {
        if (!beside[i])
            continue;
        char *path = join_path(s, "", 0, beside[i], ".dwp");
        code = path ? file_at(s, path, &s->packages[i], error) : error_memory(error);
        if (code == APF_OK && s->packages[i] && !s->packages[i]->times_opened)
            code = open_file(s, s->packages[i], path, error);
    }
    return code;
}

/* Looks for a .dwo file in the directory of the compilation, and beside the program. *other becomes true where one has
 * other units only. */
static int find_dwo(struct dwarf_split *s, const struct dwarf_unit *skeleton, const char *name,
                    struct dwarf_unit **unit, bool *other, struct apf_error *error)
{
    Dwarf_Die die = skeleton->die;
    Dwarf_Attribute attribute;
    const char *directory = dwarf_file_text(skeleton->file, dwarf_attr(&die, DW_AT_comp_dir, &attribute));
    const char *slash = s->program ? strrchr(s->program, '/') : NULL;
    const char *plain = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    bool absolute = *name == '/' || !directory;
    char *paths[] = {
        join_path(s, absolute ? "" : directory, absolute ? 0 : strlen(directory), name, ""),
        s->program ? join_path(s, s->program, slash ? (size_t)(slash - s->program) : 0, plain, "") : NULL};
    const struct arena_mark nothing = {0};
    struct split_file *file;
    if (!paths[0] || (s->program && !paths[1]))
        return error_memory(error);
    for (size_t i = 0; i < 2 && paths[i] && !*unit; i++) {
        int code = use_file(s, paths[i], &file, error);
        if (code != APF_OK)
            return code;
        *unit = file ? find_unit(file, skeleton->id) : NULL;
        *other = *other || (file && file->units.n);
    }
    arena_rewind(&s->arena, nothing);
    return APF_OK;
}

int dwarf_split_find(struct dwarf_split *s, const struct dwarf_unit *skeleton, struct dwarf_unit *unit,
                     bool *found, const char **name, struct apf_error *error)
{
    Dwarf_Die die = skeleton->die;
    Dwarf_Attribute attribute;
    struct dwarf_unit *match = NULL;
    bool other = false;
    *found = false;
    *name = dwarf_file_text(skeleton->file, dwarf_attr(&die, DW_AT_dwo_name, &attribute));
    if (!*name)
        *name = dwarf_file_text(skeleton->file, dwarf_attr(&die, DW_AT_GNU_dwo_name, &attribute));
    if (!*name)
        return APF_OK;
    int code = s->searched ? APF_OK : open_packages(s, error);
    for (size_t i = 0; code == APF_OK && !match && i < 2; i++) {
        match = s->packages[i] ? find_unit(s->packages[i], skeleton->id) : NULL;
        other = other || (s->packages[i] && s->packages[i]->units.n);
    }
    if (code == APF_OK && !match)
        code = find_dwo(s, skeleton, *name, &match, &other, error);
    s->n_other += code == APF_OK && !match && other;
    if (code != APF_OK || !match)
        return code;
    if (match->times_used++ == MOST_SKELETONS) {
        s->budget->where = "dwarf.split";
        s->budget->refused = "split units are shared by too many skeletons";
        return dwarf_budget_check(s->budget, error);
    }
    *found = true;
    *unit = *match;
    dwarf_unit_use_skeleton(unit, skeleton);
    return APF_OK;
}

void dwarf_split_free(struct dwarf_split *s)
{
    for (size_t i = 0; i < s->files.n; i++) {
        close_file(s->files.data[i]);
        free(s->files.data[i]);
    }
    VEC_FREE(&s->files);
    hash_index_free(&s->index);
    arena_free(&s->arena);
}
