/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Room on the disk that is given up when the disk is full. Profiles are removed only when the sum that has them is
 * written, so that a disk full of profiles would stay full. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collect_state.h"

#define LEAST ((uint64_t)4 << 20)
#define SHARE 16 /* the most, of the whole disk */

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

void collect_reserve_open(struct collect_state *s)
{
    char *path = collect_path(s->path, "reserve");
    s->reserve = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
    free(path);
    collect_reserve_fill(s, 0);
}

void collect_reserve_fill(struct collect_state *s, uint64_t largest_sum)
{
    struct stat st;
    if (s->reserve < 0 || fstat(s->reserve, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    const uint64_t size = size_for(s, largest_sum);
    /* A disk without this much room does without. */
    if (collect_bytes_of(&st) < size && posix_fallocate(s->reserve, 0, (off_t)size) == ENOSPC)
        (void)ftruncate(s->reserve, st.st_size);
    s->gave_reserve = false;
}

bool collect_reserve_use(struct collect_state *s)
{
    struct stat st;
    if (s->reserve < 0 || fstat(s->reserve, &st) != 0 || collect_bytes_of(&st) == 0 ||
        ftruncate(s->reserve, 0) != 0)
        return false;
    (void)fsync(s->reserve); /* some file systems give the blocks back only then */
    s->gave_reserve = true;
    return true;
}
