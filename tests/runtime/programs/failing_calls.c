/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For LD_PRELOAD: something happens at the FAULT_AT-th of the calls that FAULT_CALLS names (all of them, if it is not
 * set). FAULT_DO: "kill", in the middle of a write if it is one; "signal:N"; "errno:N". FAULT_EVER: and at all later
 * ones. FAULT_REFUSE names what the file system does not have: tmpfile link renameat2
 * descriptor (linkat without a path). FAULT_MARK: a file that is made
 * when it happens. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name)                                                                                           \
    static __typeof__(&name) real;                                                                           \
    if (!real)                                                                                               \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static unsigned calls;

static int is_in(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; list && *list; list += strcspn(list, " "), list += *list == ' ') {
        if (strncmp(list, word, n) == 0 && (list[n] == ' ' || list[n] == 0))
            return 1;
    }
    return 0;
}

/* Not 0: the call fails, errno is set. `half`: what is done before the process ends in the middle. */
static int fault(const char *call, void (*half)(const void *), const void *context)
{
    const char *at = getenv("FAULT_AT"), *what = getenv("FAULT_DO"), *mark = getenv("FAULT_MARK");
    if (!at || !what || (getenv("FAULT_CALLS") && !is_in(getenv("FAULT_CALLS"), call)))
        return 0;
    unsigned now = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST), wanted = (unsigned)atoi(at);
    if (now < wanted || (now > wanted && !getenv("FAULT_EVER")))
        return 0;
    if (mark)
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0666));
    if (strcmp(what, "kill") == 0) {
        if (half)
            half(context);
        kill(getpid(), SIGKILL);
    }
    if (strncmp(what, "signal:", 7) == 0)
        raise(atoi(what + 7));
    if (strncmp(what, "errno:", 6) != 0)
        return 0;
    errno = atoi(what + 6);
    return 1;
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    REAL(open64);
    if ((flags & O_TMPFILE) == O_TMPFILE && is_in(getenv("FAULT_REFUSE"), "tmpfile")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fault("open", NULL, NULL) ? -1 : real(path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t n)
{
    REAL(read);
    return fault("read", NULL, NULL) ? -1 : real(fd, bytes, n);
}

struct written {
    int fd;
    const void *bytes;
    size_t n;
};

static void write_half(const void *context)
{
    const struct written *w = context;
    syscall(SYS_write, w->fd, w->bytes, w->n / 2);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    const struct written w = {fd, bytes, n};
    REAL(write);
    return fd > 2 && fault("write", write_half, &w) ? -1 : real(fd, bytes, n); /* not what the program says */
}

/* An error of close comes after it is closed. */
int close(int fd)
{
    REAL(close);
    int fails = fault("close", NULL, NULL), why = errno, result = real(fd);
    if (fails)
        errno = why;
    return fails ? -1 : result;
}

int fsync(int fd)
{
    REAL(fsync);
    return fault("fsync", NULL, NULL) ? -1 : real(fd);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    return fault("rename", NULL, NULL) ? -1 : real(from, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    REAL(renameat2);
    if (is_in(getenv("FAULT_REFUSE"), "renameat2")) {
        errno = EINVAL;
        return -1;
    }
    return fault("renameat2", NULL, NULL) ? -1 : real(from_fd, from, to_fd, to, flags);
}

int link(const char *from, const char *to)
{
    REAL(link);
    if (is_in(getenv("FAULT_REFUSE"), "link")) {
        errno = EPERM;
        return -1;
    }
    return fault("link", NULL, NULL) ? -1 : real(from, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    REAL(linkat);
    if (!from[0] && is_in(getenv("FAULT_REFUSE"), "descriptor")) {
        errno = ENOENT;
        return -1;
    }
    return fault("linkat", NULL, NULL) ? -1 : real(from_fd, from, to_fd, to, flags);
}

int unlink(const char *path)
{
    REAL(unlink);
    return fault("unlink", NULL, NULL) ? -1 : real(path);
}

int flock(int fd, int what)
{
    REAL(flock);
    return fault("flock", NULL, NULL) ? -1 : real(fd, what);
}

int stat64(const char *path, struct stat64 *status)
{
    REAL(stat64);
    return fault("stat", NULL, NULL) ? -1 : real(path, status);
}

int lstat64(const char *path, struct stat64 *status)
{
    REAL(lstat64);
    return fault("stat", NULL, NULL) ? -1 : real(path, status);
}

int fstat64(int fd, struct stat64 *status)
{
    REAL(fstat64);
    return fault("fstat", NULL, NULL) ? -1 : real(fd, status);
}

int faccessat(int fd, const char *path, int mode, int flags)
{
    REAL(faccessat);
    return fault("access", NULL, NULL) ? -1 : real(fd, path, mode, flags);
}

int access(const char *path, int mode)
{
    REAL(access);
    return fault("access", NULL, NULL) ? -1 : real(path, mode);
}

ssize_t readlink(const char *path, char *to, size_t n)
{
    REAL(readlink);
    return fault("readlink", NULL, NULL) ? -1 : real(path, to, n);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    return fault("mkdir", NULL, NULL) ? -1 : real(path, mode);
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
    REAL(mmap64);
    return fault("mmap", NULL, NULL) ? MAP_FAILED : real(at, n, protection, flags, fd, offset);
}
