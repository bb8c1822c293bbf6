/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

static atomic_uint_fast64_t counts[FAULT_CALLS];
static struct {
    enum fault_call call;
    uint64_t at; /* 0: nothing fails */
    int sys_errno;
    atomic_bool hit;
    size_t most;
} fault;

void fault_reset(void)
{
    memset(&fault, 0, sizeof fault);
    for (size_t i = 0; i < FAULT_CALLS; i++)
        atomic_store(&counts[i], 0);
}

void fault_fail(enum fault_call call, uint64_t at, int sys_errno)
{
    fault_reset();
    fault.call = call;
    fault.at = at;
    fault.sys_errno = sys_errno;
}

void fault_short(size_t most)
{
    fault.most = most;
}

uint64_t fault_count(enum fault_call call)
{
    return atomic_load(&counts[call]);
}

bool fault_hit(void)
{
    return fault.hit;
}

bool fault_fails(enum fault_call call)
{
    uint64_t n = atomic_fetch_add(&counts[call], 1) + 1;
    if (n != fault.at || call != fault.call)
        return false;
    fault.hit = true;
    errno = fault.sys_errno;
    return true;
}

static size_t shortened(size_t n)
{
    return fault.most && n > fault.most ? fault.most : n;
}

/* The linker replaces calls of X by calls of __wrap_X, and __real_X by X. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
int __real_open(const char *path, int flags, ...);
int __real_open64(const char *path, int flags, ...);
int __real_openat(int dir, const char *path, int flags, ...);
int __real_openat64(int dir, const char *path, int flags, ...);
ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __real_write(int fd, const void *p, size_t n);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
ssize_t __real_getrandom(void *p, size_t n, unsigned flags);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);
ssize_t __wrap_getrandom(void *p, size_t n, unsigned flags);

void *__wrap_malloc(size_t n)
{
    return fault_fails(FAULT_MEMORY) ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fault_fails(FAULT_MEMORY) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fault_fails(FAULT_MEMORY) ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return fault_fails(FAULT_MEMORY) ? NULL : __real_strdup(s);
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fault_fails(FAULT_OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fault_fails(FAULT_OPEN) ? -1 : __real_open64(path, flags, mode);
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fault_fails(FAULT_OPEN) ? -1 : __real_openat(dir, path, flags, mode);
}

int __wrap_openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fault_fails(FAULT_OPEN) ? -1 : __real_openat64(dir, path, flags, mode);
}

ssize_t __wrap_read(int fd, void *p, size_t n)
{
    return fault_fails(FAULT_READ) ? -1 : __real_read(fd, p, shortened(n));
}

ssize_t __wrap_write(int fd, const void *p, size_t n)
{
    return fault_fails(FAULT_WRITE) ? -1 : __real_write(fd, p, shortened(n));
}

int __wrap_close(int fd)
{
    bool fail = fault_fails(FAULT_CLOSE);
    int saved = errno, result = __real_close(fd);
    if (!fail)
        return result;
    errno = saved;
    return -1;
}

int __wrap_rename(const char *from, const char *to)
{
    return fault_fails(FAULT_RENAME) ? -1 : __real_rename(from, to);
}

ssize_t __wrap_getrandom(void *p, size_t n, unsigned flags)
{
    return fault_fails(FAULT_RANDOM) ? -1 : __real_getrandom(p, n, flags);
}
