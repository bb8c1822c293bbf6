/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the k-th call of a library function fail, in any program that is linked dynamically:
 *
 *   LD_PRELOAD=libfault_preload.so FAULT_CALL=write FAULT_AT=3 FAULT_REPORT=counts program ...
 *
 * FAULT_CALL    which calls, separated by commas: malloc calloc realloc open read write close rename, or memory for
 *               the first three
 * FAULT_AT      K: the K-th of these calls fails (1 = the first), the ones after it work; K+: they fail, too; without
 *               it they are only counted
 * FAULT_ERRNO   the error's number; otherwise ENOMEM for memory, EMFILE for open, ENOSPC for write, else EIO
 * FAULT_REPORT  a file for lines "NAME NUMBER", written when the program ends by exit or return: calls (those
 *               chosen), failed (how many of them), then each function. No file: the program ended otherwise.
 *
 * Counting begins when the program's own initialisation does. The C library's calls of itself are seen for memory (as
 * in strdup or opendir), not for the others (as in printf). A program built with gcc -fsanitize=address needs
 * ASAN_OPTIONS=verify_asan_link_order=0; one built with clang has its own malloc, so that its memory calls are not
 * seen. With several threads which call is the k-th may differ from run to run. A setting that makes no sense ends the
 * program with status 125. */
#define _GNU_SOURCE /* RTLD_NEXT */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* name, result, parameters, error when FAULT_ERRNO is not set */
#define FUNCTIONS(X)                                                                                         \
    X(malloc, void *, (size_t), ENOMEM)                                                                      \
    X(calloc, void *, (size_t, size_t), ENOMEM)                                                              \
    X(realloc, void *, (void *, size_t), ENOMEM)                                                             \
    X(open, int, (const char *, int, ...), EMFILE)                                                           \
    X(read, ssize_t, (int, void *, size_t), EIO)                                                             \
    X(write, ssize_t, (int, const void *, size_t), ENOSPC)                                                   \
    X(close, int, (int), EIO)                                                                                \
    X(rename, int, (const char *, const char *), EIO)

enum {
#define NUMBER(name, result, parameters, error) CALL_##name,
    FUNCTIONS(NUMBER) CALLS
#undef NUMBER
};

static const char *const names[] = {
#define NAME(name, result, parameters, error) #name,
    FUNCTIONS(NAME)
#undef NAME
};

static const int errors[] = {
#define ERROR(name, result, parameters, error) error,
    FUNCTIONS(ERROR)
#undef ERROR
};

/* The functions this library stands before. ISO C has no conversion from dlsym's object pointer. */
#define REAL(name, result, parameters, error)                                                                \
    static result(*real_##name(void)) parameters                                                             \
    {                                                                                                        \
        static result(*_Atomic known) parameters;                                                            \
        result(*found) parameters = atomic_load(&known);                                                     \
        if (!found) {                                                                                        \
            void *symbol = dlsym(RTLD_NEXT, #name);                                                          \
            memcpy(&found, &symbol, sizeof found);                                                           \
            atomic_store(&known, found);                                                                     \
        }                                                                                                    \
        return found;                                                                                        \
    }
FUNCTIONS(REAL)

static bool chosen[CALLS];
static unsigned long first, last; /* which of the chosen calls fail */
static int sys_errno;
static atomic_bool counting;
static atomic_ulong counts[CALLS], seen, failed;

static bool fails(int call)
{
    if (!atomic_load(&counting))
        return false;
    atomic_fetch_add(&counts[call], 1);
    if (!chosen[call])
        return false;
    unsigned long k = atomic_fetch_add(&seen, 1) + 1;
    if (k < first || k > last)
        return false;
    atomic_fetch_add(&failed, 1);
    errno = sys_errno ? sys_errno : errors[call];
    return true;
}

static void give_up(const char *what, const char *value)
{
    dprintf(STDERR_FILENO, "fault_preload: %s: %s\n", what, value);
    _exit(125);
}

static void choose(const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        bool known = false;
        for (int i = 0; i < CALLS; i++) {
            bool memory = n == 6 && memcmp(list, "memory", 6) == 0 && i <= CALL_realloc;
            if (memory || (strlen(names[i]) == n && memcmp(names[i], list, n) == 0))
                known = chosen[i] = true;
        }
        if (!known)
            give_up("unknown FAULT_CALL", list);
        list += n + (list[n] == ',');
    }
}

__attribute__((constructor)) static void start(void)
{
    const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *number = getenv("FAULT_ERRNO");
    char *end = NULL;
    if (call)
        choose(call);
    if (at) {
        first = last = strtoul(at, &end, 10);
        if (*end == '+' && end++)
            last = (unsigned long)-1;
        if (!call || !first || *end)
            give_up("FAULT_AT is no number from 1, or there is no FAULT_CALL", at);
    }
    if (number)
        sys_errno = atoi(number);
    atomic_store(&counting, true);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("FAULT_REPORT");
    atomic_store(&counting, false);
    if (!path)
        return;
    int fd = real_open()(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        give_up("cannot write FAULT_REPORT", path);
    dprintf(fd, "calls %lu\nfailed %lu\n", atomic_load(&seen), atomic_load(&failed));
    for (int i = 0; i < CALLS; i++)
        dprintf(fd, "%s %lu\n", names[i], atomic_load(&counts[i]));
    real_close()(fd);
}

/* ---- the functions themselves; the C library declares them ---- */

void *malloc(size_t n)
{
    return fails(CALL_malloc) ? NULL : real_malloc()(n);
}

void *calloc(size_t n, size_t size)
{
    return fails(CALL_calloc) ? NULL : real_calloc()(n, size);
}

void *realloc(void *p, size_t n)
{
    return fails(CALL_realloc) ? NULL : real_realloc()(p, n);
}

static int open_with(const char *path, int flags, va_list args)
{
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    return fails(CALL_open) ? -1 : real_open()(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int fd = open_with(path, flags, args);
    va_end(args);
    return fd;
}

/* What open is called where files may be larger than 2 GiB. */
int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int fd = open_with(path, flags | O_LARGEFILE, args);
    va_end(args);
    return fd;
}

ssize_t read(int fd, void *p, size_t n)
{
    return fails(CALL_read) ? -1 : real_read()(fd, p, n);
}

ssize_t write(int fd, const void *p, size_t n)
{
    return fails(CALL_write) ? -1 : real_write()(fd, p, n);
}

/* The file is closed all the same, as with a real error. */
int close(int fd)
{
    bool fail = fails(CALL_close);
    int saved = errno, result = real_close()(fd);
    if (!fail)
        return result;
    errno = saved;
    return -1;
}

int rename(const char *from, const char *to)
{
    return fails(CALL_rename) ? -1 : real_rename()(from, to);
}
