/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Room on the disk, and files, that are given up when the disk is full. Profiles are removed only when the sum that has
 * them is written, so that a disk full of profiles would stay full. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collect_state.h"

#define LEAST ((uint64_t)4 << 20)
#define SHARE 8 /* the most, of the whole disk */
#define FILES 8 /* empty ones: a lock, a sum and its journal need some */

/* The room for a new sum and its journal. */
static uint64_t size_for(const struct collect_state *s, uint64_t largest_sum)
{
    struct statvfs disk;
    const uint64_t wanted = largest_sum < UINT64_MAX / 4 ? 2 * largest_sum + LEAST : LEAST;
    if (fstatvfs(s->reserve, &disk) != 0)
        return LEAST;
    const uint64_t most = (uint64_t)disk.f_blocks * disk.f_frsize / SHARE;
    return most && wanted > most ? most : wanted;
}

/* The path of empty file i, for free(). */
static char *path_of(const struct collect_state *s, int i)
{
    char name[32];
    snprintf(name, sizeof name, "reserve.%d", i);
    return collect_path(s->path, name);
}

static void make_files(const struct collect_state *s)
{
    for (int i = 0; i < FILES; i++) {
        char *path = path_of(s, i);
        const int fd =
            open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (fd >= 0)
            close(fd);
        free(path);
    }
}

/* Whether any was there. */
static bool remove_files(const struct collect_state *s)
{
    bool any = false;
    for (int i = 0; i < FILES; i++) {
        char *path = path_of(s, i);
        any |= unlink(path) == 0;
        free(path);
    }
    return any;
}

void collect_reserve_open(struct collect_state *s)
{
    char *path = collect_path(s->path, "reserve");
    s->reserve = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
    free(path);
    (void)collect_reserve_fill(s, 0);
}

bool collect_reserve_fill(struct collect_state *s, uint64_t largest_sum)
{
    struct stat st;
    make_files(s);
    s->gave_reserve = false;
    if (s->reserve < 0 || fstat(s->reserve, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    const uint64_t size = size_for(s, largest_sum);
    if (collect_bytes_of(&st) < size && posix_fallocate(s->reserve, 0, (off_t)size) != 0 &&
        ftruncate(s->reserve, st.st_size) != 0)
        return false;
    return fstat(s->reserve, &st) == 0 && collect_bytes_of(&st) > largest_sum;
}

bool collect_reserve_use(struct collect_state *s)
{
    struct stat st;
    bool any = remove_files(s);
    if (s->reserve >= 0 && fstat(s->reserve, &st) == 0 && collect_bytes_of(&st) != 0 &&
        ftruncate(s->reserve, 0) == 0) {
        (void)fsync(s->reserve); /* some file systems give the blocks back only then */
        any = true;
    }
    s->gave_reserve |= any;
    return any;
}
