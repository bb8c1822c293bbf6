/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the k-th call of a library function fail, in any program that is linked dynamically:
 *
 *   LD_PRELOAD=libfault_preload.so FAULT_CALL=write FAULT_AT=3 FAULT_REPORT=counts program ...
 *
 * FAULT_CALL    which calls, separated by commas: malloc calloc realloc (memory: all three); open read pread write
 *               close rename unlink renameat unlinkat fsync ftruncate (changes: all so far but memory) stat lstat fstat
 *               openat fstatat access readlink fchmod fchown opendir readdir (files: all of these but memory); fopen
 *               fread fflush fclose (streams: all of these); thread
 * FAULT_AT      K: the K-th of these calls fails (1 = the first), the ones after it work; K+: they fail, too; without
 *               it they are only counted
 * FAULT_KILL    the K-th call does not fail, but the process ends as if it were killed: "before" the call is made, or
 *               "half": as before, but half of the bytes of a write are written
 * FAULT_ERRNO   the error's number; otherwise ENOMEM for memory, EMFILE for what opens, ENOSPC for what writes, EAGAIN
 *               for threads, EACCES for unlink and unlinkat, else EIO
 * FAULT_REPORT  a file for lines "NAME NUMBER", written when the program ends by exit or return: calls (those
 *               chosen), failed (how many of them), then each function. No file: the program ended otherwise.
 * FAULT_LOG     a file to which the chosen calls that are about names or make things last are appended, one line each:
 *               "open PATH" (if it may create), "rename FROM TO", "unlink PATH", "fsync PATH"; renameat and unlinkat
 *               with the names that they were given
 *
 * Calls count from the beginning of main to its end, or to exit. The C library's calls of itself are seen for memory
 * (as in strdup or opendir), not for the others (as in printf). A program built with gcc -fsanitize=address needs
 * ASAN_OPTIONS=verify_asan_link_order=0; one built with clang has its own malloc, so that its memory calls are not
 * seen. With several threads which call is the k-th may differ from run to run. A setting that makes no sense ends the
 * program with status 125. */
#define _GNU_SOURCE /* RTLD_NEXT */
#undef _FILE_OFFSET_BITS
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* name, the symbol after it, result, parameters, error when FAULT_ERRNO is not set */
#define FUNCTIONS(X)                                                                                         \
    X(malloc, malloc, void *, (size_t), ENOMEM)                                                              \
    X(calloc, calloc, void *, (size_t, size_t), ENOMEM)                                                      \
    X(realloc, realloc, void *, (void *, size_t), ENOMEM)                                                    \
    X(open, open, int, (const char *, int, ...), EMFILE)                                                     \
    X(read, read, ssize_t, (int, void *, size_t), EIO)                                                       \
    X(pread, pread64, ssize_t, (int, void *, size_t, off64_t), EIO)                                          \
    X(write, write, ssize_t, (int, const void *, size_t), ENOSPC)                                            \
    X(close, close, int, (int), EIO)                                                                         \
    X(rename, rename, int, (const char *, const char *), EIO)                                                \
    X(unlink, unlink, int, (const char *), EACCES)                                                           \
    X(renameat, renameat, int, (int, const char *, int, const char *), EIO)                                  \
    X(unlinkat, unlinkat, int, (int, const char *, int), EACCES)                                             \
    X(fsync, fsync, int, (int), EIO)                                                                         \
    X(ftruncate, ftruncate64, int, (int, off64_t), EIO)                                                      \
    X(stat, stat64, int, (const char *, struct stat64 *), EIO)                                               \
    X(lstat, lstat64, int, (const char *, struct stat64 *), EIO)                                             \
    X(fstat, fstat64, int, (int, struct stat64 *), EIO)                                                      \
    X(openat, openat, int, (int, const char *, int, ...), EMFILE)                                            \
    X(fstatat, fstatat64, int, (int, const char *, struct stat64 *, int), EIO)                               \
    X(access, access, int, (const char *, int), EIO)                                                         \
    X(readlink, readlink, ssize_t, (const char *, char *, size_t), EIO)                                      \
    X(fchmod, fchmod, int, (int, mode_t), EIO)                                                               \
    X(fchown, fchown, int, (int, uid_t, gid_t), EPERM)                                                       \
    X(opendir, opendir, DIR *, (const char *), EMFILE)                                                       \
    X(readdir, readdir64, struct dirent64 *, (DIR *), EIO)                                                   \
    X(fopen, fopen64, FILE *, (const char *, const char *), EMFILE)                                          \
    X(fread, fread, size_t, (void *, size_t, size_t, FILE *), EIO)                                           \
    X(fflush, fflush, int, (FILE *), ENOSPC)                                                                 \
    X(fclose, fclose, int, (FILE *), EIO)                                                                    \
    X(thread, pthread_create, int, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), EAGAIN)

enum {
#define NUMBER(name, symbol, result, parameters, error) CALL_##name,
    FUNCTIONS(NUMBER) CALLS
#undef NUMBER
};

static const char *const names[] = {
#define NAME(name, symbol, result, parameters, error) #name,
    FUNCTIONS(NAME)
#undef NAME
};

static const int errors[] = {
#define ERROR(name, symbol, result, parameters, error) error,
    FUNCTIONS(ERROR)
#undef ERROR
};

/* The functions that this library replaces. ISO C has no conversion from dlsym's object pointer. */
#define REAL(name, symbol, result, parameters, error)                                                        \
    static result(*real_##name(void)) parameters                                                             \
    {                                                                                                        \
        static result(*_Atomic known) parameters;                                                            \
        result(*found) parameters = atomic_load(&known);                                                     \
        if (!found) {                                                                                        \
            void *address = dlsym(RTLD_NEXT, #symbol);                                                       \
            memcpy(&found, &address, sizeof found);                                                          \
            atomic_store(&known, found);                                                                     \
        }                                                                                                    \
        return found;                                                                                        \
    }
FUNCTIONS(REAL)

static bool chosen[CALLS];
static unsigned long first, last; /* numbers of the chosen calls that fail */
static int sys_errno;
static enum { KILL_NOT, KILL_BEFORE, KILL_HALF } killing;
static const char *log_path;
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
    if (killing == KILL_BEFORE || (killing == KILL_HALF && call != CALL_write))
        raise(SIGKILL);
    errno = sys_errno ? sys_errno : errors[call];
    return true;
}

/* Reports one line, if the calls are chosen. */
static void log_call(int call, const char *a, const char *b)
{
    if (!log_path || !chosen[call] || !atomic_load(&counting))
        return;
    int saved = errno, fd = real_open()(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    dprintf(fd, "%s %s%s%s\n", names[call], a, *b ? " " : "", b);
    real_close()(fd);
    errno = saved;
}

static void log_fd(int call, int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = log_path ? readlink(link, path, sizeof path - 1) : -1;
    if (n >= 0) {
        path[n] = '\0';
        log_call(call, path, "");
    }
}

static void give_up(const char *what, const char *value)
{
    dprintf(STDERR_FILENO, "fault_preload: %s: %s\n", what, value);
    _exit(125);
}

static bool is_word(const char *word, const char *text, size_t n)
{
    return strlen(word) == n && memcmp(word, text, n) == 0;
}

static void choose(const char *list)
{
    static const struct {
        const char *name;
        int first, last;
    } groups[] = {{"memory", CALL_malloc, CALL_realloc},
                  {"changes", CALL_open, CALL_ftruncate},
                  {"files", CALL_open, CALL_readdir},
                  {"streams", CALL_fopen, CALL_fclose}};
    while (*list) {
        size_t n = strcspn(list, ",");
        bool known = false;
        for (int i = 0; i < CALLS; i++)
            if (is_word(names[i], list, n))
                known = chosen[i] = true;
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
            for (int i = groups[g].first; i <= groups[g].last && is_word(groups[g].name, list, n); i++)
                known = chosen[i] = true;
        if (!known)
            give_up("unknown FAULT_CALL", list);
        list += n + (list[n] == ',');
    }
}

__attribute__((constructor)) static void start(void)
{
    const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *number = getenv("FAULT_ERRNO");
    const char *kill_how = getenv("FAULT_KILL");
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
    if (kill_how && strcmp(kill_how, "before") != 0 && strcmp(kill_how, "half") != 0)
        give_up("FAULT_KILL is neither before nor half", kill_how);
    if (kill_how)
        killing = *kill_how == 'b' ? KILL_BEFORE : KILL_HALF;
    if (number)
        sys_errno = atoi(number);
    log_path = getenv("FAULT_LOG");
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
    if (flags & O_CREAT)
        log_call(CALL_open, path, "");
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

/* The name of open where files may be larger than 2 GiB. */
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

ssize_t pread64(int fd, void *p, size_t n, off64_t offset)
{
    return fails(CALL_pread) ? -1 : real_pread()(fd, p, n, offset);
}

ssize_t write(int fd, const void *p, size_t n)
{
    if (!fails(CALL_write))
        return real_write()(fd, p, n);
    if (killing == KILL_HALF) {
        real_write()(fd, p, n / 2);
        raise(SIGKILL);
    }
    return -1;
}

/* The file is closed nevertheless, as with a real error. */
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
    log_call(CALL_rename, from, to);
    return fails(CALL_rename) ? -1 : real_rename()(from, to);
}

int unlink(const char *path)
{
    log_call(CALL_unlink, path, "");
    return fails(CALL_unlink) ? -1 : real_unlink()(path);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    log_call(CALL_renameat, from, to);
    return fails(CALL_renameat) ? -1 : real_renameat()(from_fd, from, to_fd, to);
}

int unlinkat(int fd, const char *path, int flags)
{
    log_call(CALL_unlinkat, path, "");
    return fails(CALL_unlinkat) ? -1 : real_unlinkat()(fd, path, flags);
}

int fsync(int fd)
{
    log_fd(CALL_fsync, fd);
    return fails(CALL_fsync) ? -1 : real_fsync()(fd);
}

int ftruncate64(int fd, off64_t size)
{
    return fails(CALL_ftruncate) ? -1 : real_ftruncate()(fd, size);
}

int stat64(const char *path, struct stat64 *st)
{
    return fails(CALL_stat) ? -1 : real_stat()(path, st);
}

int lstat64(const char *path, struct stat64 *st)
{
    return fails(CALL_lstat) ? -1 : real_lstat()(path, st);
}

int fstat64(int fd, struct stat64 *st)
{
    return fails(CALL_fstat) ? -1 : real_fstat()(fd, st);
}

static int openat_with(int fd, const char *path, int flags, va_list args)
{
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
    return fails(CALL_openat) ? -1 : real_openat()(fd, path, flags, mode);
}

int openat(int fd, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int result = openat_with(fd, path, flags, args);
    va_end(args);
    return result;
}

int openat64(int fd, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int result = openat_with(fd, path, flags, args);
    va_end(args);
    return result;
}

int fstatat64(int fd, const char *path, struct stat64 *st, int flags)
{
    return fails(CALL_fstatat) ? -1 : real_fstatat()(fd, path, st, flags);
}

int access(const char *path, int mode)
{
    return fails(CALL_access) ? -1 : real_access()(path, mode);
}

ssize_t readlink(const char *path, char *p, size_t n)
{
    return fails(CALL_readlink) ? -1 : real_readlink()(path, p, n);
}

int fchmod(int fd, mode_t mode)
{
    return fails(CALL_fchmod) ? -1 : real_fchmod()(fd, mode);
}

int fchown(int fd, uid_t owner, gid_t group)
{
    return fails(CALL_fchown) ? -1 : real_fchown()(fd, owner, group);
}

DIR *opendir(const char *path)
{
    return fails(CALL_opendir) ? NULL : real_opendir()(path);
}

struct dirent64 *readdir64(DIR *dir)
{
    return fails(CALL_readdir) ? NULL : real_readdir()(dir);
}

/* ---- streams; what the C library does to files below them is not seen ---- */

FILE *fopen64(const char *path, const char *mode)
{
    return fails(CALL_fopen) ? NULL : real_fopen()(path, mode);
}

/* The stream remembers the error, as after a real one: its file is exchanged for one that cannot be read. */
size_t fread(void *p, size_t size, size_t n, FILE *file)
{
    if (!fails(CALL_fread))
        return real_fread()(p, size, n, file);
    int saved = errno, unreadable = real_open()("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(unreadable, fileno(file));
    real_close()(unreadable);
    real_fread()(p, size, n, file);
    errno = saved;
    return 0;
}

int fflush(FILE *file)
{
    return fails(CALL_fflush) ? EOF : real_fflush()(file);
}

int fclose(FILE *file)
{
    bool fail = fails(CALL_fclose);
    int saved = errno, result = real_fclose()(file);
    if (!fail)
        return result;
    errno = saved;
    return EOF;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start_routine)(void *), void *arg)
{
    return fails(CALL_thread) ? errno : real_thread()(id, attributes, start_routine, arg);
}

/* ---- main: what comes before it and after it, as of sanitizers and coverage, is none of the program's own ---- */

typedef int main_fn(int argc, char **argv, char **environment);
typedef int start_fn(main_fn *function, int argc, char **argv, void (*begin)(void), void (*end)(void),
                     void (*loader_end)(void), void *stack_end);

static main_fn *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
    atomic_store(&counting, true);
    int code = real_main(argc, argv, environment);
    atomic_store(&counting, false);
    return code;
}

start_fn __libc_start_main;

int __libc_start_main(main_fn *function, int argc, char **argv, void (*begin)(void), void (*end)(void),
                      void (*loader_end)(void), void *stack_end)
{
    void *address = dlsym(RTLD_NEXT, "__libc_start_main");
    start_fn *start_main;
    memcpy(&start_main, &address, sizeof start_main);
    real_main = function;
    return start_main(counted_main, argc, argv, begin, end, loader_end, stack_end);
}
