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

/* A path of several parts; `left` 0: it did not fit. */
struct path {
    char *at;
    size_t left;
};

static void add(struct path *path, const char *text, size_t n)
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

static void add_number(struct path *path, uint64_t number)
{
    char digits[RT_MOST_DIGITS];
    add(path, digits, aprt_decimal(digits, number));
}

static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* Into file->hidden. */
static void put_directory(struct aprt_file *file)
{
    size_t n = directory_length(file->path);
    struct path p = {file->hidden, RT_PATH_MAX};
    add(&p, n ? file->path : ".", n ? n : 1);
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
    add(&p, path, n < most ? n : most);
    add(&p, text, strlen(text));
    if (number)
        add_number(&p, number);
    if (has)
        add(&p, suffix, end);
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
    add(&p, path, directory);
    add(&p, ".", 1);
    add(&p, path + directory, n < most ? n : most);
    add(&p, ".anyprof-", 9);
    add(&p, text, strlen(text));
    return p.left ? 0 : ENAMETOOLONG;
}

/* Of the process, and a number: the names before it are of others, or left over. */
static int hidden_name(struct aprt_file *file, unsigned number)
{
    char text[2 * RT_MOST_DIGITS + 2];
    struct path p = {text, sizeof text};
    add_number(&p, (uint64_t)getpid());
    add(&p, "-", 1);
    add_number(&p, number);
    return aprt_path_hidden(file->hidden, file->path, text);
}

/* /dev/stdout ends with a link that is none: it leads to what is open, and has a name only for people to read. */
static int is_of_descriptor(const struct stat *link)
{
    struct stat proc;
    return stat("/proc/self", &proc) == 0 && proc.st_dev == link->st_dev;
}

int aprt_file_look(struct aprt_file *file, struct stat *status)
{
    char *target = file->hidden;
    for (unsigned links = 0; links < 40; links++) {
        file->exists = lstat(file->path, status) == 0;
        file->direct = file->exists && !S_ISREG(status->st_mode);
        if (!file->exists)
            return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(status->st_mode) || is_of_descriptor(status))
            return 0;
        /* In directories that all may write, the kernel may forbid to follow others' links. */
        if (links == 0 && stat(file->path, status) && errno == EACCES)
            return EACCES;
        ssize_t n = readlink(file->path, target, sizeof file->hidden);
        if (n < 0)
            return errno;
        size_t directory = target[0] == '/' ? 0 : directory_length(file->path);
        struct path p = {file->path + directory, RT_PATH_MAX - directory};
        add(&p, target, (size_t)n);
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
        if (hidden_name(file, number))
            return ENAMETOOLONG;
        file->fd = aprt_open(file->hidden, O_WRONLY | O_CREAT | O_EXCL, 0666);
        file->named = file->fd >= 0;
        if (file->named || errno != EEXIST)
            break;
    }
    return file->named ? 0 : errno;
}

/* A file without a name, where the system has such: nothing is left of it whatever happens to this process. */
static int open_unnamed(struct aprt_file *file)
{
#if defined(O_TMPFILE) && defined(AT_EMPTY_PATH)
    put_directory(file);
    file->fd = aprt_open(file->hidden, O_TMPFILE | O_WRONLY, 0666);
    if (file->fd < 0)
        return errno;
    /* Will it get a name? "/" is there: EEXIST says that nothing else is in the way. */
    file->by_descriptor = linkat(file->fd, "", AT_FDCWD, "/", AT_EMPTY_PATH) != 0 && errno == EEXIST;
    if (file->by_descriptor || access("/proc/self/fd", F_OK) == 0)
        return 0;
    close(file->fd);
    file->fd = -1;
    return ENOTSUP;
#else
    (void)file;
    return ENOTSUP;
#endif
}

static int open_hidden(struct aprt_file *file)
{
    int error = open_unnamed(file);
    if (error == 0 || error == ENOENT || error == EACCES || error == EROFS)
        return error;
    return open_named(file);
}

/* What this process has open as standard output, and the like, is written where it stands; opened anew, a file would be
 * written over by what comes after. -1: it is not this process's. */
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

/* Signals wait while we write, so nothing may wait for ever: a pipe that nobody reads is waited for as a lock is. */
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
        if (errno != ENXIO || !waits || tries >= aprt_patience)
            return errno;
        nanosleep(&pause, NULL);
    }
}

/* Asks for the user that counts, as opening the file would. */
static int may_write(const char *path)
{
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 || (errno != EACCES && errno != EROFS);
}

/* The new file is whose the old one was, as far as we may: others may have to write it again, a user whose program was
 * run by root once, or those that our mask is not for. */
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

/* Has the reader of a pipe made room? */
static int has_room(const struct aprt_file *file)
{
    struct pollfd wanted = {.fd = file->fd, .events = POLLOUT};
    int n;
    do
        n = poll(&wanted, 1, (int)aprt_patience);
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

int aprt_file_put(void *context, const void *bytes, size_t n)
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

/* --- giving it its name --------------------------------------------------------------------------------------- */

/* The name of an open file, for linkat. */
static void descriptor_path(char path[40], int fd)
{
    struct path p = {path, 40};
    add(&p, "/proc/self/fd/", 14);
    add_number(&p, (uint64_t)fd);
}

/* Linux allows it without /proc since 6.10, and that is quicker. */
static int link_to(const struct aprt_file *file, const char *path)
{
    char from[40];
#ifdef AT_EMPTY_PATH
    if (file->by_descriptor)
        return linkat(file->fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
#endif
    descriptor_path(from, file->fd);
    return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* The hidden file takes the place of the one that is there. Where the two can be exchanged they are, and the old one is
 * removed: some file systems write a file to the disk that is renamed over another one, and let the process wait. */
static int replace(struct aprt_file *file)
{
#ifdef RENAME_EXCHANGE
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
    /* linkat replaces nothing, rename does. */
    for (unsigned number = 0; number < 100; number++) {
        if (hidden_name(file, number))
            return ENAMETOOLONG;
        file->named = link_to(file, file->hidden) == 0;
        if (file->named || errno != EEXIST)
            break;
    }
    return file->named ? replace(file) : errno;
}

static int rename_named(struct aprt_file *file, enum aprt_file_end how)
{
    if (how == RT_CREATE) {
        if (link(file->hidden, file->path) == 0)
            return 0; /* the hidden name goes with what is left over */
        /* Not all file systems have links; the caller's lock is what keeps others out then: who has none comes again
         * with it. */
        if (errno != EPERM && errno != ENOTSUP && errno != EMLINK && errno != ENOSYS)
            return errno;
        if (!file->locked || access(file->path, F_OK) == 0)
            return EEXIST;
    }
    return replace(file);
}

/* Some file systems say only when a descriptor is closed that there was no room. Of a file without a name that would be
 * too late: it must be open to get one. */
static int close_copy(const struct aprt_file *file)
{
    int copy = fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
    return copy >= 0 && close(copy) ? errno : 0;
}

/* The name is in the directory. Some file systems know no such thing of directories; the file itself is safe. */
static void sync_directory(struct aprt_file *file)
{
    put_directory(file);
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
