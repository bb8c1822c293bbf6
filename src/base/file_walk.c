/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the files of input directories. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_journal.h"
#include "base/hash_index.h"
#include "base/sort.h"
#include "base/vec.h"

struct place {
    uint64_t device, inode;
};

struct list {
    VEC(struct sort_name) of;
};

struct walk {
    const char *top;
    struct arena arena;
    struct list files;
    struct list dirs;  /* still to be read */
    struct list links; /* to directories, read last */
    VEC(struct place) seen;
    struct hash_index seen_index;
};

static int list_add(struct list *list, const char *path, struct apf_error *error)
{
    struct sort_name name = {0, path, (uint32_t)strlen(path), (uint32_t)list->of.n};
    return VEC_PUSH(&list->of, name) ? APF_OK : error_memory(error);
}

static int list_sort(struct list *list, struct apf_error *error)
{
    struct sort_name *scratch = malloc(list->of.n * sizeof *scratch + 1);
    if (!scratch)
        return error_memory(error);
    sort_names(list->of.data, scratch, list->of.n);
    free(scratch);
    return APF_OK;
}

static const char *join_path(struct arena *a, const char *dir, const char *name)
{
    size_t nd = strlen(dir), nn = strlen(name);
    bool slash = nd && dir[nd - 1] != '/';
    char *p = arena_bytes(a, nd + slash + nn + 1);
    if (!p)
        return NULL;
    memcpy(p, dir, nd);
    if (slash)
        p[nd] = '/';
    memcpy(p + nd + slash, name, nn + 1);
    return p;
}

/* A file without permission stays an input, so that reading it reports the reason. Other errors may concern the
 * process, and end the walk. */
static int walk_failed(struct walk *w, const char *path, int sys_errno, const char *where,
                       struct apf_error *error)
{
    if (sys_errno == EACCES || sys_errno == EPERM)
        return list_add(&w->files, path, error);
    if (path == w->top)
        return error_errno(error, sys_errno, where);
    error_set_errno_of(error, sys_errno, where, path);
    return APF_IO;
}

static int walk_entry(struct walk *w, const char *path, struct apf_error *error)
{
    struct stat link, st;
    if (lstat(path, &link) != 0 || stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ELOOP)
            return APF_OK; /* removed since the directory was read, or a dangling link */
        return walk_failed(w, path, errno, "file.stat", error);
    }
    if (S_ISDIR(st.st_mode))
        return list_add(S_ISLNK(link.st_mode) ? &w->links : &w->dirs, path, error);
    return S_ISREG(st.st_mode) ? list_add(&w->files, path, error) : APF_OK;
}

/* Checks whether a directory was read before, under any name, and records it as read. */
static int walk_seen(struct walk *w, const struct stat *st, bool *seen, struct apf_error *error)
{
    struct place place = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    if (!hash_index_reserve(&w->seen_index, 1))
        return hash_index_error(&w->seen_index, error);
    uint64_t hash = hash_index_mix(&w->seen_index, place.inode, place.device);
    uint32_t e;
    HASH_INDEX_FIND(e, &w->seen_index, hash,
                    w->seen.data[e].device == place.device && w->seen.data[e].inode == place.inode);
    *seen = e != HASH_INDEX_NONE;
    if (*seen)
        return APF_OK;
    if (!VEC_PUSH(&w->seen, place))
        return error_memory(error);
    hash_index_add(&w->seen_index, hash, (uint32_t)w->seen.n - 1);
    return APF_OK;
}

static int walk_entries(struct walk *w, DIR *dir, const char *path, struct apf_error *error)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry)
            return errno ? walk_failed(w, path, errno, "directory.read", error) : APF_OK;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            file_name_is_ours(entry->d_name))
            continue;
        const char *full = join_path(&w->arena, path, entry->d_name);
        int code = full ? walk_entry(w, full, error) : error_memory(error);
        if (code != APF_OK)
            return code;
    }
}

static int walk_directory(struct walk *w, const char *path, struct apf_error *error)
{
    struct stat st;
    bool seen = true;
    DIR *dir = opendir(path);
    if (!dir && errno == ENOENT && path != w->top)
        return APF_OK; /* removed since its parent was read */
    if (!dir)
        return walk_failed(w, path, errno, "directory.open", error);
    int fd = dirfd(dir);
    bool looked = fd >= 0 && fstat(fd, &st) == 0;
    int code =
        looked ? walk_seen(w, &st, &seen, error) : walk_failed(w, path, errno, "directory.stat", error);
    if (code == APF_OK && !seen)
        code = walk_entries(w, dir, path, error);
    closedir(dir);
    return code;
}

/* Reads directories level by level, and links last: of several names of a directory, the one with the fewest links
 * counts, then the shortest, then the first, in whatever order the system lists them. */
static int walk_level(struct walk *w, struct apf_error *error)
{
    struct list level = w->dirs.of.n ? w->dirs : w->links, none = {{NULL, 0, 0}};
    if (w->dirs.of.n)
        w->dirs = none;
    else
        w->links = none;
    int code = list_sort(&level, error);
    for (size_t i = 0; i < level.of.n && code == APF_OK; i++)
        code = walk_directory(w, level.of.data[i].p, error);
    VEC_FREE(&level.of);
    return code;
}

/* One allocation: the pointers, then the text they point to. */
static int walk_result(struct walk *w, char ***paths, size_t *n, struct apf_error *error)
{
    const struct sort_name *files = w->files.of.data;
    size_t bytes = 0, n_files = w->files.of.n;
    for (size_t i = 0; i < n_files; i++)
        bytes += files[i].n + sizeof(char *) + 1;
    if (list_sort(&w->files, error) != APF_OK)
        return APF_NO_MEMORY;
    char **list = malloc(bytes + 1);
    if (!list)
        return error_memory(error);
    char *text = (char *)(list + n_files);
    for (size_t i = 0; i < n_files; i++) {
        list[i] = text;
        memcpy(text, files[i].p, files[i].n + 1);
        text += files[i].n + 1;
    }
    *paths = list;
    *n = n_files;
    return APF_OK;
}

int apf_paths_expand(const char *path, char ***paths, size_t *n, struct apf_error *error)
{
    struct walk w = {0};
    struct stat st;
    bool standard_input = strcmp(path, "-") == 0;
    w.top = path;
    if (!standard_input && stat(path, &st) != 0)
        return error_file(error, error_errno(error, errno, "file.stat"), path, strlen(path));
    bool directory = !standard_input && S_ISDIR(st.st_mode);
    int code = list_add(directory ? &w.dirs : &w.files, path, error);
    while (code == APF_OK && (w.dirs.of.n || w.links.of.n))
        code = walk_level(&w, error);
    if (code == APF_OK)
        code = walk_result(&w, paths, n, error);
    arena_free(&w.arena);
    VEC_FREE(&w.files.of);
    VEC_FREE(&w.dirs.of);
    VEC_FREE(&w.links.of);
    VEC_FREE(&w.seen);
    hash_index_free(&w.seen_index);
    return code;
}

void apf_paths_free(char **paths)
{
    free(paths);
}

/* ---- roles ---- */

static size_t count_digits(const char *p)
{
    return strspn(p, "0123456789");
}

/* Whether a name ends with ".bad" or ".bad.N" and is more than that. */
static bool is_set_aside(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name)
        return false;
    if (strcmp(dot, ".bad") == 0)
        return true;
    const size_t n = sizeof ".bad" - 1, at = (size_t)(dot - name);
    return at > n && memcmp(dot - n, ".bad", n) == 0 && dot[1] && !dot[1 + count_digits(dot + 1)];
}

/* Whether a name has ".live.PID" at its end or before its suffix. */
static bool is_live(const char *name)
{
    const char *p = name;
    while (*p && (p = strstr(p + 1, ".live.")) != NULL) {
        const char *number = p + sizeof ".live." - 1, *end = number + count_digits(number);
        if (end != number && (!*end || (*end == '.' && !strchr(end + 1, '.'))))
            return true;
    }
    return false;
}

enum apf_path_role apf_path_role(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (file_name_is_ours(name))
        return APF_PATH_OURS;
    if (is_set_aside(name))
        return APF_PATH_SET_ASIDE;
    return is_live(name) ? APF_PATH_LIVE : APF_PATH_ANY;
}
