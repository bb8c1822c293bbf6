/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_file.h"

#include "rt_decimal.h"
#include "rt_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

RT_LARGE struct aprt_file aprt_file;
RT_LARGE char aprt_spare_path[RT_PATH_MAX];
unsigned aprt_directory_mode = 0755;
int aprt_file_sync;

int aprt_make_directories(char *path)
{
    int error = ENOENT;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, aprt_directory_mode) && errno != EEXIST)
            error = errno;
        *slash = '/';
    }
    return error;
}

/* --- paths ---------------------------------------------------------------------------------------------------- */

/* A path that is built from several parts; left 0: the path is too long. */
struct path {
    char *at;
    size_t left;
};

static void append_part(struct path *path, const char *text, size_t n)
{
    if (n >= path->left) {
        path->left = 0;
        return;
    }
    memcpy(path->at, text, n);
    path->at += n;
    path->left -= n;
    *path->at = 0;
}

static void append_number(struct path *path, uint64_t number)
{
    char digits[RT_MOST_DIGITS];
    append_part(path, digits, aprt_decimal(digits, number));
}

static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Sets file->hidden to the directory of file->path. */
static void set_directory(struct aprt_file *file)
{
    size_t n = directory_length(file->path);
    struct path p = {file->hidden, RT_PATH_MAX};
    append_part(&p, n ? file->path : ".", n ? n : 1);
}

enum { MOST_OF_NAME = 255 };

int aprt_path_with(char to[RT_PATH_MAX], const char *path, const char *text, uint64_t number,
                   int before_suffix)
{
    static const char suffix[] = ".profraw";
    size_t n = strlen(path), end = sizeof suffix - 1, directory = directory_length(path);
    struct path p = {to, RT_PATH_MAX};
    int has = before_suffix && n > end && memcmp(path + n - end, suffix, end) == 0;
    size_t most = directory + MOST_OF_NAME - RT_MOST_DIGITS - end - strlen(text);
    n -= has ? end : 0;
    append_part(&p, path, n < most ? n : most);
    append_part(&p, text, strlen(text));
    if (number)
        append_number(&p, number);
    if (has)
        append_part(&p, suffix, end);
    return p.left ? 0 : ENAMETOOLONG;
}

int aprt_path_of_process(char to[RT_PATH_MAX], const char *path, unsigned number)
{
    uint64_t process = (uint64_t)getpid();
    return aprt_path_with(to, path, ".", number ? process * 1000 + number : process, 1);
}

int aprt_path_hidden(char to[RT_PATH_MAX], const char *path, const char *text)
{
    const size_t most = MOST_OF_NAME - 2 * RT_MOST_DIGITS - 11;
    size_t directory = directory_length(path), n = strlen(path + directory);
    struct path p = {to, RT_PATH_MAX};
    append_part(&p, path, directory);
    append_part(&p, ".", 1);
    append_part(&p, path + directory, n < most ? n : most);
    append_part(&p, ".anyprof-", 9);
    append_part(&p, text, strlen(text));
    return p.left ? 0 : ENAMETOOLONG;
}

/* Sets file->hidden to a name with the process and a number; lower numbers may be in use or left over. */
static int set_hidden_name(struct aprt_file *file, unsigned number)
{
    char text[2 * RT_MOST_DIGITS + 2];
    struct path p = {text, sizeof text};
    append_number(&p, (uint64_t)getpid());
    append_part(&p, "-", 1);
    append_number(&p, number);
    return aprt_path_hidden(file->hidden, file->path, text);
}

/* Returns whether the link is one of /proc/self/fd, as the target of /dev/stdout is: it leads to an open file, and its
 * text is for people only. */
static int is_of_descriptor(const struct stat *link)
{
    struct stat proc;
    return stat("/proc/self", &proc) == 0 && proc.st_dev == link->st_dev;
}

int aprt_file_examine(struct aprt_file *file, struct stat *status)
{
    char *target = file->hidden;
    for (unsigned links = 0; links < 40; links++) {
        file->exists = lstat(file->path, status) == 0;
        file->direct = file->exists && !S_ISREG(status->st_mode);
        if (!file->exists)
            return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(status->st_mode) || is_of_descriptor(status))
            return 0;
        /* In world-writable directories the kernel may forbid to follow other users' links. */
        if (links == 0 && stat(file->path, status) && errno == EACCES)
            return EACCES;
        ssize_t n = readlink(file->path, target, sizeof file->hidden);
        if (n < 0)
            return errno;
        size_t directory = target[0] == '/' ? 0 : directory_length(file->path);
        struct path p = {file->path + directory, RT_PATH_MAX - directory};
        append_part(&p, target, (size_t)n);
        if (!p.left)
            return ENAMETOOLONG;
    }
    return ELOOP;
}

/* --- opening -------------------------------------------------------------------------------------------------- */

int aprt_open(const char *path, int flags, mode_t mode)
{
    int fd = open(path, flags | O_CLOEXEC, mode);
    if (fd < 0 || fd > 2)
        return fd;
    int above = fcntl(fd, F_DUPFD_CLOEXEC, 3), had = errno;
    close(fd);
    errno = had;
    return above;
}

static int open_named(struct aprt_file *file)
{
    for (unsigned number = 0; number < 100; number++) {
        if (set_hidden_name(file, number))
            return ENAMETOOLONG;
        file->fd = aprt_open(file->hidden, O_WRONLY | O_CREAT | O_EXCL, 0666);
        file->named = file->fd >= 0;
        if (file->named || errno != EEXIST)
            break;
    }
    return file->named ? 0 : errno;
}

/* Opens a file without a name, if the file system can: nothing is left of it if this process is killed. */
static int open_unnamed(struct aprt_file *file)
{
    set_directory(file);
    file->fd = aprt_open(file->hidden, O_TMPFILE | O_WRONLY, 0666);
    if (file->fd < 0)
        return errno;
    /* Tests whether the file can be linked by its descriptor: EEXIST, since "/" exists, means that nothing else is in
     * the way. */
    file->by_descriptor = linkat(file->fd, "", AT_FDCWD, "/", AT_EMPTY_PATH) != 0 && errno == EEXIST;
    if (file->by_descriptor || access("/proc/self/fd", F_OK) == 0)
        return 0;
    close(file->fd);
    file->fd = -1;
    return ENOTSUP;
}

static int open_hidden(struct aprt_file *file)
{
    int error = open_unnamed(file);
    if (error == 0 || error == ENOENT || error == EACCES || error == EROFS)
        return error;
    return open_named(file);
}

/* Returns a copy of the descriptor that the path names (/dev/stdout and the like), whose offset is shared: a file
 * opened anew would be overwritten by the program's later output. -1: the path names no descriptor of this process. */
static int open_again(const struct aprt_file *file)
{
    const char *digits = file->path + directory_length(file->path);
    struct stat there, status;
    int fd = 0;
    for (; *digits >= '0' && *digits <= '9' && fd < 1000000; digits++)
        fd = fd * 10 + (*digits - '0');
    if (*digits || stat(file->path, &there) || fstat(fd, &status) || !aprt_is_same_file(&there, &status))
        return -1;
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* Signals are blocked during a write, so nothing may wait for ever: opening a pipe without a reader is retried as
 * long as a lock is waited for. */
static int open_direct(struct aprt_file *file)
{
    const struct timespec pause = {0, 1000000};
    struct stat status;
    int there = stat(file->path, &status) == 0, waits = there && S_ISFIFO(status.st_mode);
    if (there && S_ISREG(status.st_mode) && (file->fd = open_again(file)) >= 0)
        return 0;
    for (unsigned tries = 0;; tries++) {
        file->fd = aprt_open(file->path, O_WRONLY | O_APPEND | O_NONBLOCK, 0);
        if (file->fd >= 0)
            return 0;
        if (errno != ENXIO || !waits || tries >= aprt_wait_ms)
            return errno;
        nanosleep(&pause, NULL);
    }
}

/* Checks access for the effective user, as opening the file would. */
static int may_write(const char *path)
{
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 || (errno != EACCES && errno != EROFS);
}

/* Gives the new file the old one's owner and permissions as far as possible: other users may have to write it again,
 * for example if root ran the program once. */
static void hand_over(int fd, const struct stat *old)
{
    struct stat new;
    if (fstat(fd, &new))
        return;
    if ((new.st_uid != old->st_uid || new.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid))
        (void)!fchown(fd, (uid_t)-1, old->st_gid);
    if ((new.st_mode & 0777) != (old->st_mode & 0777))
        (void)!fchmod(fd, old->st_mode & 0777);
}

int aprt_file_begin(struct aprt_file *file, const struct stat *old)
{
    file->fd = -1;
    file->named = 0;
    file->n = 0;
    if (file->direct) {
        file->error = open_direct(file);
        return file->error;
    }
    file->error = old && !may_write(file->path) ? errno : open_hidden(file);
    if (file->error == ENOENT) {
        int why = aprt_make_directories(file->path);
        file->error = open_hidden(file);
        file->error = file->error == ENOENT ? why : file->error;
    }
    if (old && !file->error)
        hand_over(file->fd, old);
    return file->error;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

/* Waits until the reader of a pipe has made room; 0: not in time. */
static int has_room(const struct aprt_file *file)
{
    struct pollfd wanted = {.fd = file->fd, .events = POLLOUT};
    int n;
    do
        n = poll(&wanted, 1, (int)aprt_wait_ms);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

static void write_out(struct aprt_file *file, const uint8_t *bytes, size_t n)
{
    while (n && !file->error) {
        ssize_t written = write(file->fd, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN && has_room(file))
            continue;
        if (written <= 0) {
            file->error = written < 0 ? errno : EIO;
            return;
        }
        bytes += written;
        n -= (size_t)written;
    }
}

int aprt_file_write(void *context, const void *bytes, size_t n)
{
    struct aprt_file *file = context;
    if (n > RT_FILE_BUFFER - file->n) {
        write_out(file, file->buffer, file->n);
        file->n = 0;
    }
    if (n >= RT_FILE_BUFFER) {
        write_out(file, bytes, n);
    } else {
        memcpy(file->buffer + file->n, bytes, n);
        file->n += n;
    }
    return file->error;
}

/* --- naming the finished file --------------------------------------------------------------------------------- */

/* Sets path to the name of an open file, for linkat. */
static void descriptor_path(char path[40], int fd)
{
    struct path p = {path, 40};
    append_part(&p, "/proc/self/fd/", 14);
    append_number(&p, (uint64_t)fd);
}

/* Since Linux 6.10 linkat works without /proc, which is faster. */
static int link_to(const struct aprt_file *file, const char *path)
{
    char from[40];
    if (file->by_descriptor)
        return linkat(file->fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
    descriptor_path(from, file->fd);
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* Puts the hidden file in the place of file->path. If the two can be exchanged, the old file is removed afterwards:
 * some file systems flush a file that is renamed over another one to the disk, and let the process wait. */
static int replace_file(struct aprt_file *file)
{
#ifdef RENAME_EXCHANGE /* not in older versions of musl */
    if (!aprt_file_sync && renameat2(AT_FDCWD, file->hidden, AT_FDCWD, file->path, RENAME_EXCHANGE) == 0)
        return 0;
#endif
    if (rename(file->hidden, file->path))
        return errno;
    file->named = 0;
    return 0;
}

static int link_unnamed(struct aprt_file *file, enum aprt_file_end how)
{
    if (how == RT_CREATE)
        return link_to(file, file->path) ? errno : 0;
    /* linkat cannot replace a file, rename can. */
    for (unsigned number = 0; number < 100; number++) {
        if (set_hidden_name(file, number))
            return ENAMETOOLONG;
        file->named = link_to(file, file->hidden) == 0;
        if (file->named || errno != EEXIST)
            break;
    }
    return file->named ? replace_file(file) : errno;
}

static int rename_named(struct aprt_file *file, enum aprt_file_end how)
{
    if (how == RT_CREATE) {
        if (link(file->hidden, file->path) == 0)
            return 0; /* aprt_file_end removes the hidden name */
        /* Some file systems have no links; there the caller's lock keeps other processes out, and a caller without
         * the lock retries with it. */
        if (errno != EPERM && errno != ENOTSUP && errno != EMLINK && errno != ENOSYS)
            return errno;
        if (!file->locked || access(file->path, F_OK) == 0)
            return EEXIST;
    }
    return replace_file(file);
}

/* Some file systems report a lack of room only on close. A file without a name must be open to get one, so a copy of
 * the descriptor is closed before. */
static int close_copy(const struct aprt_file *file)
{
    int copy = fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
    return copy >= 0 && close(copy) ? errno : 0;
}

/* Flushes the directory, which has the new name. Errors are ignored: some file systems cannot flush directories, and
 * the file itself is safe. */
static void sync_directory(struct aprt_file *file)
{
    set_directory(file);
    int fd = aprt_open(file->hidden, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0)
        (void)!fsync(fd);
    if (fd >= 0)
        close(fd);
}

int aprt_file_end(struct aprt_file *file, enum aprt_file_end how)
{
    if (how != RT_DISCARD && !file->error)
        write_out(file, file->buffer, file->n);
    if (how != RT_DISCARD && !file->error && aprt_file_sync && fsync(file->fd))
        file->error = errno;
    int give = how != RT_DISCARD && !file->direct, named = file->named;
    int unnamed = give && !file->error && !named;
    if (unnamed)
        file->error = close_copy(file);
    if (unnamed && !file->error)
        file->error = link_unnamed(file, how);
    if (file->fd >= 0 && close(file->fd) && !file->error && !unnamed)
        file->error = errno;
    if (give && !file->error && named)
        file->error = rename_named(file, how);
    if (file->named)
        unlink(file->hidden);
    if (give && !file->error && aprt_file_sync)
        sync_directory(file);
    file->fd = -1;
    file->named = 0;
    return file->error;
}
