/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists the files of input directories. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_journal.h"
#include "base/hash_index.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/vec.h"

struct place {
    uint64_t device, inode;
};

struct places {
    VEC(struct place) list;
    struct hash_index index;
};

/* A directory whose files are listed, and whose directories are read one after the other. */
struct frame {
    struct place place;
    size_t n_path;      /* of w->path */
    size_t first, next; /* its directories in w->dirs: the first, and the first that was not read yet */
};

struct walk {
    const char *top;
    const struct apf_paths_options *options;
    struct arena arena;
    VEC(struct sort_name) files;
    VEC(struct place) regular; /* files in the tree, wanted or not */
    VEC(struct sort_name) dirs;
    VEC(struct frame) frames;
    VEC(char) path;          /* of the directory that is open */
    int fd;                  /* of this directory, or -1 */
    struct places seen;      /* directories that were read */
    VEC(struct place) links; /* files and directories that links lead to */
    struct apf_skipped skipped;
};

/* ---- places ---- */

static struct place place_of(const struct stat *st)
{
    struct place place = {(uint64_t)st->st_dev, (uint64_t)st->st_ino};
    return place;
}

static bool place_same(struct place a, struct place b)
{
    return a.device == b.device && a.inode == b.inode;
}

static bool places_have(const struct places *p, struct place place)
{
    uint32_t e;
    if (!p->index.n)
        return false;
    HASH_INDEX_FIND(e, &p->index, hash_index_mix(&p->index, place.inode, place.device),
                    place_same(p->list.data[e], place));
    return e != HASH_INDEX_NONE;
}

static int places_add(struct places *p, struct place place, struct apf_error *error)
{
    if (!hash_index_reserve(&p->index, 1))
        return hash_index_error(&p->index, error);
    if (!VEC_PUSH(&p->list, place))
        return error_memory(error);
    hash_index_add(&p->index, hash_index_mix(&p->index, place.inode, place.device), (uint32_t)p->list.n - 1);
    return APF_OK;
}

static void places_free(struct places *p)
{
    VEC_FREE(&p->list);
    hash_index_free(&p->index);
}

/* ---- paths ---- */

/* Appends a part to the path of the open directory. */
static bool push_part(struct walk *w, const char *part)
{
    size_t n = strlen(part);
    bool slash = w->path.n && w->path.data[w->path.n - 1] != '/';
    if (!VEC_RESERVE(&w->path, n + 2))
        return false;
    if (slash)
        w->path.data[w->path.n++] = '/';
    memcpy(w->path.data + w->path.n, part, n + 1);
    w->path.n += n;
    return true;
}

static void cut_path(struct walk *w, size_t n)
{
    w->path.n = n;
    w->path.data[n] = '\0';
}

/* Lists the file `part` of the open directory or, if that is NULL, the directory as if it were a file. */
static int list_file(struct walk *w, const char *part, struct apf_error *error)
{
    size_t n = w->path.n;
    bool ok = !part || push_part(w, part);
    struct sort_name file = {0, NULL, (uint32_t)w->path.n, (uint32_t)w->files.n};
    file.p = ok ? arena_text(&w->arena, w->path.data, w->path.n) : NULL;
    ok = file.p && VEC_PUSH(&w->files, file);
    if (part && w->path.data)
        cut_path(w, n);
    return ok ? APF_OK : error_memory(error);
}

/* A file or directory without permission stays an input, so that reading it reports the reason. Other errors may
 * concern the process, and end the walk. */
static int walk_failed(struct walk *w, const char *part, int sys_errno, const char *where,
                       struct apf_error *error)
{
    if (sys_errno == EACCES || sys_errno == EPERM || sys_errno == ENAMETOOLONG)
        return list_file(w, part, error);
    if (!part && w->frames.n <= 1)
        return error_errno(error, sys_errno, where);
    if (part && !push_part(w, part))
        return error_memory(error);
    error_set_errno_of(error, sys_errno, where, w->path.data);
    return APF_IO;
}

/* Whether an entry was removed, or became another one, since its directory was read. */
static bool is_gone(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ELOOP || sys_errno == ENOTDIR;
}

/* ---- entries ---- */

/* What the caller's filter says of a name, see apf_name_filter_fn. */
static int is_wanted(const struct walk *w, const char *name)
{
    const struct apf_str whole = {name, strlen(name)};
    const struct apf_paths_options *o = w->options;
    return o && o->include ? o->include(o->user, whole) : 1;
}

static int add_file(struct walk *w, const char *name, const struct stat *st, struct apf_error *error)
{
    const int keep = is_wanted(w, name);
    w->skipped.n_excluded += keep == 0;
    if (keep < 0 || !VEC_PUSH(&w->regular, place_of(st)))
        return error_memory(error);
    return keep ? list_file(w, name, error) : APF_OK;
}

static int add_directory(struct walk *w, const char *name, struct apf_error *error)
{
    struct sort_name dir = {0, NULL, (uint32_t)strlen(name), (uint32_t)w->dirs.n};
    dir.p = arena_text(&w->arena, name, dir.n);
    return dir.p && VEC_PUSH(&w->dirs, dir) ? APF_OK : error_memory(error);
}

/* Counts what cannot be read as a file, if its name is wanted. */
static int skip_entry(struct walk *w, const char *name, struct apf_error *error)
{
    const int keep = is_wanted(w, name);
    w->skipped.n_no_files += keep > 0;
    return keep < 0 ? error_memory(error) : APF_OK;
}

/* Links are not followed: what they lead to is found under its own name, or it is outside of the tree. */
static int add_link(struct walk *w, const char *name, struct apf_error *error)
{
    struct stat st;
    if (fstatat(w->fd, name, &st, 0) != 0 || !(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
        return skip_entry(w, name, error);
    return VEC_PUSH(&w->links, place_of(&st)) ? APF_OK : error_memory(error);
}

static int walk_entry(struct walk *w, const char *name, struct apf_error *error)
{
    struct stat st;
    if (fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return is_gone(errno) ? APF_OK : walk_failed(w, name, errno, "file.stat", error);
    if (S_ISDIR(st.st_mode))
        return add_directory(w, name, error);
    if (S_ISLNK(st.st_mode))
        return add_link(w, name, error);
    return S_ISREG(st.st_mode) ? add_file(w, name, &st, error) : skip_entry(w, name, error);
}

static int walk_entries(struct walk *w, DIR *dir, struct apf_error *error)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry)
            return errno ? walk_failed(w, NULL, errno, "directory.read", error) : APF_OK;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            file_name_is_ours(entry->d_name))
            continue;
        int code = walk_entry(w, entry->d_name, error);
        if (code != APF_OK)
            return code;
    }
}

/* ---- directories ---- */

/* Sorts the directories of the last frame. */
static int sort_dirs(struct walk *w, struct apf_error *error)
{
    size_t first = w->frames.data[w->frames.n - 1].first, n = w->dirs.n - first;
    struct sort_name *scratch = n > 1 ? malloc(n * sizeof *scratch) : NULL;
    if (n > 1 && !scratch)
        return error_memory(error);
    if (n > 1)
        sort_names(w->dirs.data + first, scratch, n);
    free(scratch);
    return APF_OK;
}

/* Reads the open directory, unless it was read before. */
static int read_directory(struct walk *w, const struct stat *st, struct apf_error *error)
{
    struct frame frame = {place_of(st), w->path.n, w->dirs.n, w->dirs.n};
    if (!VEC_PUSH(&w->frames, frame))
        return error_memory(error);
    if (places_have(&w->seen, frame.place)) /* mounted a second time */
        return APF_OK;
    int code = places_add(&w->seen, frame.place, error);
    int fd = code == APF_OK ? dup(w->fd) : -1;
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (code == APF_OK && !dir)
        code = walk_failed(w, NULL, errno, "directory.open", error);
    if (fd >= 0 && !dir)
        close(fd);
    if (dir) {
        code = walk_entries(w, dir, error);
        closedir(dir);
    }
    return code == APF_OK ? sort_dirs(w, error) : code;
}

/* Makes `fd`, whose path is w->path, the open directory, and reads it. */
static int enter_directory(struct walk *w, int fd, struct apf_error *error)
{
    struct stat st;
    if (w->fd >= 0)
        close(w->fd);
    w->fd = fd;
    return fstat(fd, &st) == 0 ? read_directory(w, &st, error)
                               : walk_failed(w, NULL, errno, "directory.stat", error);
}

/* Reads a directory of the open one. In place of a directory that was there there may be a link by now, which may lead
 * out of the tree: it is not followed. */
static int walk_down(struct walk *w, const char *name, struct apf_error *error)
{
    if (w->path.n + strlen(name) + 1 > FILE_LONGEST_PATH)
        return walk_failed(w, name, ENAMETOOLONG, "directory.open", error);
    int fd = openat(w->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return is_gone(errno) ? APF_OK : walk_failed(w, name, errno, "directory.open", error);
    if (!push_part(w, name)) {
        close(fd);
        return error_memory(error);
    }
    return enter_directory(w, fd, error);
}

/* Opens the directory that the last frame stands for; where it was moved meanwhile, `..` leads elsewhere, and it is
 * opened by its path. */
static int open_again(struct walk *w, struct apf_error *error)
{
    struct stat st;
    struct place place = w->frames.data[w->frames.n - 1].place;
    int up = openat(w->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (up >= 0 && !(fstat(up, &st) == 0 && place_same(place_of(&st), place))) {
        close(up);
        up = -1;
    }
    if (up < 0)
        up = file_open_below(w->path.data, strlen(w->top), O_DIRECTORY);
    int failed = up < 0 ? errno : 0;
    if (w->fd >= 0)
        close(w->fd);
    w->fd = up;
    if (failed) /* what is left in it cannot be reached */
        w->frames.data[w->frames.n - 1].next = w->dirs.n;
    return failed && !is_gone(failed) ? walk_failed(w, NULL, failed, "directory.open", error) : APF_OK;
}

/* Leaves the open directory. The next one is opened only if there is something left to do in it. */
static int walk_up(struct walk *w, struct apf_error *error)
{
    w->dirs.n = w->frames.data[--w->frames.n].first;
    if (!w->frames.n)
        return APF_OK;
    cut_path(w, w->frames.data[w->frames.n - 1].n_path);
    return open_again(w, error);
}

static int walk_tree(struct walk *w, struct apf_error *error)
{
    int fd = open(w->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = fd >= 0 ? enter_directory(w, fd, error) : walk_failed(w, NULL, errno, "directory.open", error);
    while (code == APF_OK && w->frames.n) {
        struct frame *f = &w->frames.data[w->frames.n - 1];
        code = f->next < w->dirs.n ? walk_down(w, w->dirs.data[f->next++].p, error) : walk_up(w, error);
    }
    return code;
}

/* Counts the links that lead to what is not in the tree. */
static int count_links(struct walk *w, struct apf_error *error)
{
    struct places found = {0};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && w->links.n && i < w->regular.n; i++)
        if (!places_have(&found, w->regular.data[i]))
            code = places_add(&found, w->regular.data[i], error);
    for (size_t i = 0; code == APF_OK && i < w->links.n; i++)
        w->skipped.n_links +=
            !places_have(&found, w->links.data[i]) && !places_have(&w->seen, w->links.data[i]);
    places_free(&found);
    return code;
}

/* One allocation: the pointers, then the text they point to. */
static int walk_result(struct walk *w, char ***paths, size_t *n, struct apf_error *error)
{
    size_t bytes = 0, n_files = w->files.n;
    struct sort_name *files = w->files.data, *scratch = malloc(n_files * sizeof *scratch + 1);
    for (size_t i = 0; i < n_files; i++)
        bytes += files[i].n + sizeof(char *) + 1;
    char **list = scratch ? malloc(bytes + 1) : NULL;
    if (list)
        sort_names(files, scratch, n_files);
    free(scratch);
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

static void walk_free(struct walk *w)
{
    if (w->fd >= 0)
        close(w->fd);
    arena_free(&w->arena);
    VEC_FREE(&w->files);
    VEC_FREE(&w->regular);
    VEC_FREE(&w->dirs);
    VEC_FREE(&w->frames);
    VEC_FREE(&w->path);
    VEC_FREE(&w->links);
    places_free(&w->seen);
}

/* Lists what a path stands for: itself, or what is below it. */
static int walk_path(struct walk *w, struct apf_error *error)
{
    struct stat st = {0};
    bool standard_input = strcmp(w->top, "-") == 0;
    if (!standard_input && stat(w->top, &st) != 0 && errno != ENAMETOOLONG)
        return error_file(error, error_errno(error, errno, "file.stat"), w->top, strlen(w->top));
    if (!push_part(w, w->top))
        return error_memory(error);
    if (standard_input || !S_ISDIR(st.st_mode))
        return list_file(w, NULL, error);
    int code = walk_tree(w, error);
    return code == APF_OK ? count_links(w, error) : code;
}

int apf_paths_expand(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                     struct apf_skipped *skipped, struct apf_error *error)
{
    struct apf_paths_options o;
    struct walk w = {.top = path, .options = &o, .fd = -1};
    int code = OPTIONS_READ(apf_paths_options, &o, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_skipped, skipped, error);
    if (code == APF_OK)
        code = walk_path(&w, error);
    if (code == APF_OK)
        code = walk_result(&w, paths, n, error);
    if (code == APF_OK)
        result_fill(skipped, sizeof w.skipped, &w.skipped);
    walk_free(&w);
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
