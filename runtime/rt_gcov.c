/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What compiler-rt's runtime for --coverage (gcov) wants of the rest of its archive. With these here, a program that
 * has objects of both kinds links it from there, behind this archive, and nothing else that would be there twice. */
#include "rt_api.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int lock(int fd, short type)
{
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET};
    while (fcntl(fd, F_SETLKW, &whole) != 0) {
        if (errno != EINTR)
            return -1;
    }
    return 0;
}

int lprofLockFd(int fd)
{
    return lock(fd, F_WRLCK);
}

int lprofUnlockFd(int fd)
{
    return lock(fd, F_UNLCK);
}

int lprofAtExit(void (*function)(void))
{
    return atexit(function);
}

/* GCOV_PREFIX: the directory in front of all paths; GCOV_PREFIX_STRIP: how many of theirs are left out. */
const char *lprofGetPathPrefix(int *strip, size_t *length)
{
    const char *prefix = getenv("GCOV_PREFIX"), *levels = getenv("GCOV_PREFIX_STRIP");
    *strip = 0;
    *length = 0;
    if (!prefix || !prefix[0])
        return NULL;
    long n = levels ? strtol(levels, NULL, 10) : 0;
    *strip = n < 0 ? 0 : n > 4096 ? 4096 : (int)n;
    *length = strlen(prefix);
    return prefix;
}

void lprofApplyPathPrefix(char *to, const char *path, const char *prefix, size_t length, int strip)
{
    for (; strip > 0; strip--) {
        const char *slash = path[0] ? strchr(path + 1, '/') : NULL;
        if (!slash)
            break;
        path = slash;
    }
    memcpy(to, prefix, length);
    to += length;
    if (prefix[length - 1] != '/')
        *to++ = '/';
    memcpy(to, path, strlen(path) + 1);
}
