/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that compiler-rt's runtime for --coverage (gcov) expects from the rest of its archive. Because they are
 * defined here, a program with objects of both kinds links the gcov runtime from compiler-rt's archive, after this
 * one, and no other member, which would define symbols twice. */
#include "rt_api.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int lock_file(int fd, short type)
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
    return lock_file(fd, F_WRLCK);
}

int lprofUnlockFd(int fd)
{
    return lock_file(fd, F_UNLCK);
}

int lprofAtExit(void (*function)(void))
{
    return atexit(function);
}

/* GCOV_PREFIX is a directory to prepend to all paths, GCOV_PREFIX_STRIP the number of leading directories to drop. */
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
