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

static char *join(const char *path, const char *name, const char *suffix)
{
    const size_t n = strlen(path) + strlen(name) + strlen(suffix) + 2;
    char *all = (char *)checked_realloc(NULL, n, 1);
    snprintf(all, n, "%s/%s%s", path, name, suffix);
    return all;
}

char *work_dir_file(const struct work_dir *d, const char *name)
{
    return join(d->path, name, ".part");
}

/* Whether the path leads to this open file. A run that ends removes its lock, perhaps after another one has opened it;
 * then that one opens a new file. */
static bool is_still(const char *path, int fd)
{
    struct stat at, open;
    const bool same = stat(path, &at) == 0 && fstat(fd, &open) == 0 && at.st_dev == open.st_dev &&
                      at.st_ino == open.st_ino;
    return same;
}

int work_dir_lock(struct work_dir *d, const struct session *session)
{
    if (mkdir(d->path, 0777) != 0 && errno != EEXIST) {
        report_errno(session, d->path, errno);
        return EXIT_DATA;
    }
    char *path = join(d->path, d->machine ? d->machine : "anyprof-mpi", ".lock");
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

/* Whether a name is that of a part, or of one that was not completed. Parts of pieces that inputs had before they
 * changed are left where several machines may share the directory. */
static bool is_ours(const struct work_dir *d, const char *name)
{
    const char *end = strstr(name, ".part");
    if (!end)
        return false;
    if (end[strlen(".part")])
        return apf_path_role(name) == APF_PATH_OURS;
    return strncmp(name, "fold-", strlen("fold-")) == 0 ||
           (!d->machine && strspn(name, "0123456789abcdef") == PIECE_KEY - 1 && end == name + PIECE_KEY - 1);
}

void work_dir_clean(const struct work_dir *d, const struct pieces *pieces)
{
    for (size_t i = 0; i < pieces->n; i++) {
        char *path = work_dir_file(d, pieces->list[i].key);
        unlink(path);
        free(path);
    }
    DIR *directory = opendir(d->path);
    for (struct dirent *e; directory && (e = readdir(directory)) != NULL;)
        if (is_ours(d, e->d_name))
            unlinkat(dirfd(directory), e->d_name, 0);
    if (directory)
        closedir(directory);
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
