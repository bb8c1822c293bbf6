/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "collect_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
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

/* Whether only this user and root can put something else in the place of a directory: none of those above it belongs to
 * another user, or lets other users rename what is in it. False: reported. */
static bool is_out_of_reach(const struct session *session, const char *path)
{
    /* Members of a group are trusted, unless the collector has rights that they lack. */
    const mode_t others = S_IWOTH | (geteuid() == 0 ? S_IWGRP : 0);
    char *above = checked_copy(path), *slash;
    const char *wrong = NULL;
    struct stat st;
    while (!wrong && (slash = strrchr(above, '/')) != NULL && above[1]) {
        slash[slash == above] = '\0';
        if (stat(above, &st) != 0)
            wrong = strerror(errno);
        else if (st.st_uid != 0 && st.st_uid != geteuid())
            wrong = "it belongs to another user";
        else if ((st.st_mode & others) && !(st.st_mode & S_ISVTX))
            wrong = "other users can rename what is in it; make it sticky (chmod +t)";
    }
    if (wrong)
        report_error(session, above,
                     "%s, or give --state=DIR elsewhere on the file system of the spool: no other user "
                     "may exchange the directory with the sums",
                     wrong);
    free(above);
    return !wrong;
}

/* Whether other users can neither write into the state nor put another directory in its place; false: reported. A
 * collector that runs as root would write where they lead it. */
static bool is_safe(const struct collect_state *s, const struct session *session, const struct stat *state)
{
    if (S_ISDIR(state->st_mode) && state->st_uid == geteuid() && !(state->st_mode & (S_IWGRP | S_IWOTH)))
        return is_out_of_reach(session, s->path);
    report_error(session, s->path,
                 "this must be a directory of the user that collects, and writable for no other one");
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

/* Sets s->path, of a directory that is made if it is not there. In the spool it must not be a link, which any user may
 * have put there. False: reported. */
static bool find_path(struct collect_state *s, const struct session *session, const char *path)
{
    char *own = path ? checked_copy(path) : collect_path(s->spool, DEFAULT_NAME);
    const bool made = mkdir(own, S_IRWXU) == 0 || errno == EEXIST;
    s->path = made ? realpath(own, NULL) : NULL;
    bool ok = s->path != NULL;
    if (!ok)
        report_errno(session, own, errno);
    else if (!path && strcmp(s->path, own) != 0) {
        ok = false;
        report_error(session, own, "this is a symbolic link; remove it, or give --state=DIR");
    }
    free(own);
    return ok;
}

/* Finds the spool and the state, and sets their paths. False: reported. */
static bool find_state(struct collect_state *s, const struct session *session, const char *spool,
                       const char *path)
{
    struct stat spool_status, status;
    s->spool = find_directory(session, spool, &spool_status);
    if (!s->spool || !find_path(s, session, path))
        return false;
    if (lstat(s->path, &status) != 0) {
        report_errno(session, s->path, errno);
        return false;
    }
    s->device = status.st_dev;
    s->inode = status.st_ino;
    if (status.st_dev != spool_status.st_dev)
        report_error(session, s->path, "this directory must be on the file system of the spool");
    if (collect_is_below(s->spool, s->path)) {
        report_error(session, s->path, "the spool must be neither this directory nor in it");
        return false;
    }
    return status.st_dev == spool_status.st_dev && is_safe(s, session, &status);
}

/* Makes sure that a directory which was made outlives a loss of power. */
static void sync_directory(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd); /* where that is not possible, nothing is promised */
    close(fd);
}

int collect_state_open(struct collect_state *s, const struct session *session, const char *spool,
                       const char *path)
{
    *s = (struct collect_state){.fds = {-1, -1, -1}, .lock = -1, .reserve = -1};
    bool ok = find_state(s, session, spool, path) && lock_state(s, session);
    for (int place = 0; ok && place < COLLECT_PLACES; place++)
        ok = open_place(s, session, (enum collect_place)place);
    if (ok) {
        collect_reserve_open(s);
        sync_directory(s->path);
        sync_directory(s->spool);
    }
    return ok ? 0 : EXIT_DATA;
}

void collect_state_close(struct collect_state *s)
{
    for (int place = 0; place < COLLECT_PLACES; place++) {
        if (s->fds[place] >= 0)
            close(s->fds[place]);
        free(s->paths[place]);
    }
    if (s->reserve >= 0)
        close(s->reserve);
    if (s->lock >= 0)
        close(s->lock);
    free(s->spool);
    free(s->path);
}

/* ---- names ---- */

void collect_name(struct collect_state *s, const char *name, char result[NAME_MAX + 1])
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    const size_t n = strlen(name);
    const int head = snprintf(result, NAME_MAX + 1, "%010" PRIx64 "%08lx-%" PRIx64 "-", (uint64_t)t.tv_sec,
                              (unsigned long)t.tv_nsec, ++s->n_names);
    const size_t room = NAME_MAX - (size_t)head;
    memcpy(result + head, name + (n > room ? n - room : 0), (n > room ? room : n) + 1);
}

/* The time in such a name, in seconds: other times of a file that a program wrote may be those of anything. */
static bool time_of_name(const char *name, int64_t *seconds)
{
    char digits[11] = "", *end = NULL;
    if (strspn(name, "0123456789abcdef") != 18 || name[18] != '-')
        return false;
    memcpy(digits, name, sizeof digits - 1);
    *seconds = (int64_t)strtoull(digits, &end, 16);
    return !*end;
}

/* ---- what is kept ---- */

DIR *collect_open_place(const struct collect_state *s, enum collect_place place)
{
    const int fd = openat(s->fds[place], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

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
    const uint64_t bytes = collect_bytes_of(st);
    int64_t age = st->st_mtime;
    (void)time_of_name(name, &age);
    if (most && list->n == 2 * most)
        cut_list(list, most);
    if (list->n == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->data = (struct kept_file *)checked_realloc(list->data, list->capacity, sizeof *list->data);
    }
    list->data[list->n++] = (struct kept_file){checked_copy(name), age, bytes};
    list->n_all++;
    list->bytes += bytes;
}

bool kept_files_list(struct kept_files *list, const struct collect_state *s, enum collect_place place,
                     size_t most, const struct session *session)
{
    *list = (struct kept_files){0};
    DIR *dir = collect_open_place(s, place);
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
