/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "collect_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <anyprof/io.h>

#include "memory.h"
#include "report.h"

#define DEFAULT_NAME ".anyprof-collect"

char *collect_path(const char *directory, const char *name)
{
    const size_t n = strlen(directory), n_name = strlen(name);
    char *path = (char *)checked_realloc(NULL, n + n_name + 2, 1);
    memcpy(path, directory, n);
    path[n] = '/';
    memcpy(path + n + 1, name, n_name + 1);
    return path;
}

bool collect_is_below(const char *path, const char *directory)
{
    const size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && (!path[n] || path[n] == '/' || directory[n - 1] == '/');
}

/* ---- the directory ---- */

/* The real path of a directory, for free(), and its status. NULL: reported. */
static char *find_directory(const struct session *session, const char *path, struct stat *st)
{
    char *real = realpath(path, NULL);
    int why = real && stat(real, st) == 0 ? 0 : errno;
    if (!why && S_ISDIR(st->st_mode))
        return real;
    report_errno(session, path, why ? why : ENOTDIR);
    free(real);
    return NULL;
}

/* Whether other users can neither write into the state nor put another directory in its place; false: reported. A
 * collector that runs as root would write where they lead it. */
static bool is_safe(const struct collect_state *s, const struct session *session, const struct stat *spool,
                    const struct stat *state)
{
    const mode_t others = S_IWGRP | S_IWOTH;
    if (state->st_uid != geteuid() || (state->st_mode & others))
        report_error(session, s->path,
                     "this directory must belong to the user that collects, and be writable "
                     "for no other one");
    else if (collect_is_below(s->path, s->spool) && (spool->st_mode & others) && !(spool->st_mode & S_ISVTX))
        report_error(
            session, s->spool,
            "other users could exchange the directory with the sums: make the spool sticky (chmod +t), "
            "or give --state=DIR elsewhere on its file system");
    else
        return true;
    return false;
}

/* Opens a directory of the state, which is made if it is not there. False: reported. */
static bool open_place(struct collect_state *s, const struct session *session, enum collect_place place)
{
    static const char *const names[] = {
        [COLLECT_CLAIMED] = "claimed", [COLLECT_SUMS] = "sums", [COLLECT_REJECTED] = "rejected"};
    s->paths[place] = collect_path(s->path, names[place]);
    if (mkdir(s->paths[place], S_IRWXU) == 0 || errno == EEXIST)
        s->fds[place] = open(s->paths[place], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->fds[place] < 0)
        report_errno(session, s->paths[place], errno);
    return s->fds[place] >= 0;
}

static bool lock_state(struct collect_state *s, const struct session *session)
{
    char *path = collect_path(s->path, "lock");
    s->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool ok = s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0;
    if (!ok && errno == EWOULDBLOCK)
        report_error(session, s->path, "another collector is at work with this directory");
    else if (!ok)
        report_errno(session, path, errno);
    free(path);
    return ok;
}

/* Removes what an earlier collector left in the state when it was killed while it wrote its totals. */
static void clean_state(const struct collect_state *s)
{
    static const char begin[] = ".totals.anyprof-tmp";
    DIR *dir = opendir(s->path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL) {
        char *path =
            strncmp(entry->d_name, begin, sizeof begin - 1) ? NULL : collect_path(s->path, entry->d_name);
        if (path)
            remove(path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

/* Finds the spool and the state, and sets their paths. False: reported. */
static bool find_state(struct collect_state *s, const struct session *session, const char *spool,
                       const char *path)
{
    struct stat spool_status, status;
    s->spool = find_directory(session, spool, &spool_status);
    if (!s->spool)
        return false;
    char *own = path ? checked_copy(path) : collect_path(s->spool, DEFAULT_NAME);
    if (mkdir(own, S_IRWXU) == 0 || errno == EEXIST)
        s->path = find_directory(session, own, &status);
    else
        report_errno(session, own, errno);
    free(own);
    if (!s->path)
        return false;
    s->device = status.st_dev;
    s->inode = status.st_ino;
    if (status.st_dev != spool_status.st_dev)
        report_error(session, s->path, "this directory must be on the file system of the spool");
    return status.st_dev == spool_status.st_dev && is_safe(s, session, &spool_status, &status);
}

int collect_state_open(struct collect_state *s, const struct session *session, const char *spool,
                       const char *path)
{
    *s = (struct collect_state){.fds = {-1, -1, -1}, .lock = -1};
    bool ok = find_state(s, session, spool, path) && lock_state(s, session);
    for (int place = 0; ok && place < COLLECT_PLACES; place++)
        ok = open_place(s, session, (enum collect_place)place);
    if (ok)
        clean_state(s);
    return ok ? 0 : EXIT_DATA;
}

void collect_state_close(struct collect_state *s)
{
    for (int place = 0; place < COLLECT_PLACES; place++) {
        if (s->fds[place] >= 0)
            close(s->fds[place]);
        free(s->paths[place]);
    }
    if (s->lock >= 0)
        close(s->lock);
    free(s->spool);
    free(s->path);
}

/* ---- what is kept ---- */

static int by_age(const void *a, const void *b)
{
    const struct kept_file *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : strcmp(x->name, y->name);
}

static void cut_list(struct kept_files *list, size_t n)
{
    qsort(list->data, list->n, sizeof *list->data, by_age);
    for (; list->n > n; list->n--)
        free(list->data[list->n - 1].name);
}

static void add_kept(struct kept_files *list, const char *name, const struct stat *st, size_t most)
{
    const uint64_t bytes = (uint64_t)st->st_blocks * 512; /* the unit of st_blocks */
    if (most && list->n == 2 * most)
        cut_list(list, most);
    if (list->n == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->data = (struct kept_file *)checked_realloc(list->data, list->capacity, sizeof *list->data);
    }
    list->data[list->n++] = (struct kept_file){checked_copy(name), st->st_mtime, bytes};
    list->n_all++;
    list->bytes += bytes;
}

bool kept_files_list(struct kept_files *list, const struct collect_state *s, enum collect_place place,
                     size_t most, const struct session *session)
{
    *list = (struct kept_files){0};
    DIR *dir = opendir(s->paths[place]);
    struct dirent *entry;
    struct stat st;
    errno = dir ? 0 : errno;
    while (dir && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' && fstatat(s->fds[place], entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            add_kept(list, entry->d_name, &st, most);
        errno = 0;
    }
    const int why = errno;
    if (dir)
        closedir(dir);
    if (why)
        report_errno(session, s->paths[place], why);
    if (list->n)
        cut_list(list, most && list->n > most ? most : list->n);
    return !why;
}

void kept_files_free(struct kept_files *list)
{
    if (list->n)
        cut_list(list, 0);
    free(list->data);
}
