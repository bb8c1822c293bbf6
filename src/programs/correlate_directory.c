/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/correlate_directory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file_identity.h"
#include "base/text_bytes.h"

#define MOST_ID 64u /* bytes; no file is named after a longer id */

/* ---- lookup as in LLVM ---- */

/* DIRECTORY/.build-id/xx/yyyy.debug. NULL: allocation failed. */
static char *debug_path(struct correlate_directories *d, const char *directory, struct apf_str id)
{
    size_t size = strlen(directory) + 2 * id.n + sizeof "/.build-id//.debug";
    char *path = arena_bytes(&d->arena, size);
    if (!path)
        return NULL;
    int n = snprintf(path, size, "%s/.build-id/%02x/", directory, (unsigned)(uint8_t)id.p[0]);
    for (size_t i = 1; i < id.n; i++)
        n += snprintf(path + n, size - (size_t)n, "%02x", (unsigned)(uint8_t)id.p[i]);
    snprintf(path + n, size - (size_t)n, ".debug");
    return path;
}

/* Keeps the first error of the operating system. A missing file, or one that is not ELF, is no trouble. */
static void keep_trouble(struct correlate_directories *d, const char *path, const struct apf_error *error)
{
    d->failed |= error->code == APF_NO_MEMORY;
    if (error->code != APF_IO || d->trouble.code != APF_OK)
        return;
    d->trouble = *error;
    d->troubled = arena_text(&d->arena, path, strlen(path));
    d->failed |= !d->troubled;
}

static bool is_regular(struct correlate_directories *d, const char *path)
{
    struct file_identity identity;
    struct apf_error error;
    int failed = file_look(&identity, path, true);
    if (failed && failed != ENOENT && failed != ENOTDIR) {
        error_set_errno(&error, failed, "directory.stat");
        keep_trouble(d, path, &error);
    }
    return failed == 0 && identity.regular;
}

/* Opens an ELF file. NULL: the file is not ELF, or cannot be read. */
static struct elf_file *open_file(struct correlate_directories *d, const char *path)
{
    struct elf_file *elf = NULL;
    struct apf_input input = apf_input_file(path);
    struct apf_error error;
    errno = 0;
    if (is_regular(d, path) && elf_file_open_input(&elf, &input, d->max_bytes, &error) != APF_OK)
        keep_trouble(d, path, &error);
    return elf;
}

/* ---- all files ---- */

static bool has_id(const struct elf_file *elf, struct apf_str id)
{
    return text_equal(elf_file_build_id(elf), id);
}

/* A directory stands among files where it may not be read. */
static void keep_unreadable(struct correlate_directories *d, const char *path)
{
    struct apf_error error;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return;
    error_set_errno(&error, EACCES, "directory.open");
    keep_trouble(d, path, &error);
}

static void list_file(struct correlate_directories *d, const char *path)
{
    keep_unreadable(d, path);
    struct elf_file *elf = open_file(d, path);
    if (!elf)
        return;
    struct apf_str id = elf_file_build_id(elf);
    d->failed |= id.n == 0 && errno == ENOMEM; /* otherwise the file has no id */
    if (id.n && id.n <= MOST_ID) {
        struct correlate_file file = {{arena_text(&d->arena, id.p, id.n), id.n},
                                      arena_text(&d->arena, path, strlen(path))};
        d->failed |= !file.id.p || !file.path || !VEC_PUSH(&d->files, file);
    }
    elf_file_close(elf);
}

static void list_files(struct correlate_directories *d)
{
    d->listed = true;
    for (size_t i = 0; i < d->n; i++) {
        struct apf_error error;
        char **paths = NULL;
        size_t n = 0;
        if (apf_paths_expand(d->list[i], NULL, &paths, &n, NULL, &error) != APF_OK)
            keep_trouble(d, d->list[i], &error);
        for (size_t k = 0; paths && k < n && !d->failed; k++)
            list_file(d, paths[k]);
        apf_paths_free(paths);
    }
}

/* ---- both ---- */

/* Checks the id of a file: the name of a .debug file may not match its contents. */
static bool is_of(struct correlate_directories *d, const char *path, struct apf_str id)
{
    struct elf_file *elf = open_file(d, path);
    bool is = elf && has_id(elf, id);
    d->failed |= elf && !is && errno == ENOMEM;
    elf_file_close(elf);
    return is;
}

const char *correlate_directories_find(struct correlate_directories *d, struct apf_str id, size_t k)
{
    if (id.n < 2 || id.n > MOST_ID)
        return NULL;
    for (size_t i = 0; i < d->n && !d->failed; i++) {
        const char *path = debug_path(d, d->list[i], id);
        d->failed |= !path;
        if (path && is_of(d, path, id) && k-- == 0)
            return path;
    }
    if (!d->listed && !d->failed)
        list_files(d);
    for (size_t i = 0; i < d->files.n && !d->failed; i++) {
        const struct correlate_file *f = &d->files.data[i];
        if (text_equal(f->id, id) && k-- == 0)
            return f->path;
    }
    return NULL;
}

bool correlate_directories_failed(const struct correlate_directories *d)
{
    return d->failed;
}

void correlate_directories_free(struct correlate_directories *d)
{
    VEC_FREE(&d->files);
    arena_free(&d->arena);
}
