/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "work_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "report.h"

/* Names that apf_path_role knows, so that no directory of inputs has them. */
#define PREFIX ".mpi-"
#define SUFFIX ".anyprof-part"

static char *join_path(const char *path, const char *name, const char *suffix)
{
    const size_t n = strlen(path) + sizeof "/" PREFIX + strlen(name) + strlen(suffix);
    char *all = (char *)checked_realloc(NULL, n, 1);
    snprintf(all, n, "%s/" PREFIX "%s%s", path, name, suffix);
    return all;
}

char *work_dir_file(const struct work_dir *d, const char *name)
{
    return join_path(d->path, name, SUFFIX);
}

/* Whether the path leads to this open file. A run that ends removes its lock, perhaps after another one has opened it;
 * then that one opens a new file. */
static bool is_still(const char *path, int fd)
{
    struct stat at, open;
    const bool same =
        stat(path, &at) == 0 && fstat(fd, &open) == 0 && at.st_dev == open.st_dev && at.st_ino == open.st_ino;
    return same;
}

int work_dir_lock(struct work_dir *d, const struct session *session)
{
    if (mkdir(d->path, 0777) != 0 && errno != EEXIST) {
        report_errno(session, d->path, errno);
        return EXIT_DATA;
    }
    char *path = join_path(d->path, d->machine ? d->machine : "all", ".anyprof-lock");
    bool locked = false;
    while ((d->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) >= 0) {
        locked = flock(d->lock, LOCK_EX | LOCK_NB) == 0;
        if (!locked || is_still(path, d->lock))
            break;
        close(d->lock);
    }
    if (locked) {
        d->lock_path = path;
        return 0;
    }
    if (d->lock >= 0 && errno == EWOULDBLOCK)
        report_error(session, d->path, "another anyprof-mpi is at work in this directory");
    else
        report_errno(session, path, errno);
    free(path);
    return EXIT_DATA;
}

/* ---- what is in it ---- */

/* Whether a name is that of a part, or of one that was not completed. Parts of inputs that have changed since are left
 * where several machines may share the directory. */
static bool is_ours(const struct work_dir *d, const char *name)
{
    const bool complete = strncmp(name, PREFIX, strlen(PREFIX)) == 0;
    const char *own = name + (complete ? 0 : 1) + strlen(PREFIX);
    if (!complete && strncmp(name, "." PREFIX, strlen("." PREFIX)) != 0)
        return false;
    if (!strstr(name, SUFFIX) || apf_path_role(name) != APF_PATH_OURS)
        return false;
    return !complete || strncmp(own, "fold-", strlen("fold-")) == 0 ||
           (!d->machine && strspn(own, "0123456789abcdef") == PIECE_KEY - 1);
}

/* Calls a function for each name in the directory. */
static void for_each(const struct work_dir *d,
                     void use(const struct work_dir *d, int fd, char *name, void *context), void *context)
{
    DIR *directory = opendir(d->path);
    const int fd = directory ? dirfd(directory) : -1;
    for (struct dirent *e; fd >= 0 && (e = readdir(directory)) != NULL;)
        use(d, fd, e->d_name, context);
    if (directory)
        closedir(directory);
}

static void remove_ours(const struct work_dir *d, int fd, char *name, void *context)
{
    (void)context;
    if (is_ours(d, name))
        unlinkat(fd, name, 0);
}

void work_dir_clean(const struct work_dir *d)
{
    for_each(d, remove_ours, NULL);
}

struct finder {
    const struct pieces *pieces;
    struct runs *runs;
};

static void find_run(const struct work_dir *d, int fd, char *name, void *context)
{
    const struct finder *f = (const struct finder *)context;
    struct run run = {.n = 0};
    struct stat st;
    char *end = strstr(name, SUFFIX);
    (void)d;
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !end || end[strlen(SUFFIX)] ||
        fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (!S_ISREG(st.st_mode)) {
        unlinkat(fd, name, 0); /* a rank that writes this part to a pipe would wait for a reader */
        return;
    }
    *end = '\0';
    run.bytes = (uint64_t)st.st_size;
    if (pieces_find(f->pieces, name + strlen(PREFIX), &run.first, &run.n))
        runs_add(f->runs, &run);
}

static int compare_lengths(const void *a, const void *b)
{
    const struct run *x = (const struct run *)a, *y = (const struct run *)b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool overlap(const struct run *a, const struct run *b)
{
    return a->first < b->first + b->n && b->first < a->first + a->n;
}

void work_dir_find(const struct work_dir *d, const struct pieces *pieces, struct runs *runs)
{
    struct finder finder = {pieces, runs};
    size_t left = 0;
    for_each(d, find_run, &finder);
    if (runs->n)
        qsort(runs->list, runs->n, sizeof *runs->list, compare_lengths);
    for (size_t i = 0; i < runs->n; i++) {
        bool shares = false;
        for (size_t k = 0; k < left && !shares; k++)
            shares = overlap(&runs->list[i], &runs->list[k]);
        if (!shares)
            runs->list[left++] = runs->list[i];
    }
    runs->n = left;
}

void work_dir_close(struct work_dir *d)
{
    if (!d->lock_path)
        return;
    unlink(d->lock_path);
    close(d->lock);
    free(d->lock_path);
    d->lock_path = NULL;
}
