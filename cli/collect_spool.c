/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* F_SETLEASE */
#include "collect_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <anyprof/jobs.h>

#include "places.h"
#include "report.h"

/* ---- files in use ---- */

enum use { USE_NONE, USE_WRITTEN, USE_UNKNOWN };

static enum use use_of(int directory, const char *name)
{
    enum use use = USE_UNKNOWN;
    const int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) /* EWOULDBLOCK: another program has a lease, which this begins to take from it */
        return errno == EWOULDBLOCK ? USE_WRITTEN : USE_UNKNOWN;
#ifdef F_SETLEASE
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
        use = USE_NONE;
    else if (errno == EAGAIN)
        use = USE_WRITTEN;
    if (use == USE_NONE)
        fcntl(fd, F_SETLEASE, F_UNLCK);
#endif
    close(fd);
    return use;
}

/* A rename changes st_ctime. A time in the future, of another machine's clock, is one of long ago. */
static bool is_settled(const struct stat *st, uint64_t settle, int64_t now)
{
    const int64_t last = st->st_mtime > st->st_ctime ? st->st_mtime : st->st_ctime;
    return last > now + 1 || last + (int64_t)settle <= now;
}

bool spool_is_done(int directory, const char *name, const struct stat *st, uint64_t settle, int64_t now)
{
    const enum use use = use_of(directory, name);
    if (use != USE_UNKNOWN)
        return use == USE_NONE;
    return apf_path_role(name) != APF_PATH_LIVE && is_settled(st, settle, now);
}

/* ---- the lock of the runtime ---- */

/* Our runtime adds counts to a file by writing a new one in its place while it holds NAME's lock, .NAME.anyprof-lock.
 * Without the lock, a file could be taken between the two, and the new one would have its counts again. */
#define LOCK_END ".anyprof-lock"
#define LONG_LOCKED 600u /* seconds; no program needs so long to add its counts */
#define LOCK_NAME                                                                                            \
    204 /* bytes of a name in the name of its lock; the runtime cuts longer ones, too (aprt_path_hidden) */
struct name_lock {
    char name[NAME_MAX + 1];
    int fd; /* -1: the file system has no locks, and the runtime does without */
};

static int open_lock(int directory, const char *name)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = openat(directory, name, flags); /* O_CREAT may be refused for a file of another user */
    if (fd < 0 && errno == ENOENT)
        fd = openat(directory, name, flags | O_CREAT | O_EXCL, 0666);
    return fd;
}

/* Whether a file is that of a name, and not one that the last owner of the lock has removed. */
static bool is_current(int fd, int directory, const char *name)
{
    struct stat own, there;
    return fstat(fd, &own) == 0 && S_ISREG(own.st_mode) &&
           fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

/* Whether the name of a lock is that of something by which the runtime locks nothing: no file or, where only the owner
 * of a file can put another one in its place, a file of another user. */
static bool is_false_lock(int directory, const struct name_lock *l, uid_t owner)
{
    struct stat lock, dir;
    if (fstatat(directory, l->name, &lock, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    const bool foreign = lock.st_uid != owner && lock.st_uid != 0 && lock.st_uid != geteuid();
    return !S_ISREG(lock.st_mode) || (foreign && fstat(directory, &dir) == 0 && (dir.st_mode & S_ISVTX) != 0);
}

/* Locks the name of a file of a user. 0, or an errno; EWOULDBLOCK: the runtime has the lock. */
static int lock_name(struct name_lock *l, int directory, const char *name, uid_t owner)
{
    snprintf(l->name, sizeof l->name, ".%.*s" LOCK_END, LOCK_NAME, name);
    l->fd = -1;
    if (is_false_lock(directory, l, owner))
        return 0;
    l->fd = open_lock(directory, l->name);
    if (l->fd < 0)
        return errno == EEXIST || errno == ENOENT ? EWOULDBLOCK : errno;
    int why = flock(l->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (!why && !is_current(l->fd, directory, l->name))
        why = EWOULDBLOCK;
    if (why) {
        close(l->fd);
        l->fd = -1;
    }
    return why == ENOLCK || why == EOPNOTSUPP ? 0 : why;
}

/* Removed before it is unlocked, as the runtime does: a process that waits sees that it has to open the file again. */
static void unlock_name(const struct name_lock *l, int directory)
{
    if (l->fd < 0)
        return;
    unlinkat(directory, l->name, 0);
    close(l->fd);
}

/* ---- taking files ---- */

static const struct spool_level *top_of(const struct spool *s)
{
    return &s->levels[s->n - 1];
}

/* Sets s->path to that of a file of the directory that is read. False: it is too long. */
static bool set_path(struct spool *s, const char *name)
{
    const size_t n = top_of(s)->n_path;
    const bool fits = n + strlen(name) + 2 <= sizeof s->path;
    if (fits)
        snprintf(s->path + n, sizeof s->path - n, "/%s", name);
    return fits;
}

static void note_failure(struct spool *s, int why)
{
    if (!s->counts.n_failed++) {
        s->counts.why = why;
        snprintf(s->counts.first, sizeof s->counts.first, "%s", s->path);
    }
}

/* Whether the name of a file is that of a profile. */
static bool has_name(const char *path)
{
    return apf_path_family(path) == APF_FAMILY_INSTR || apf_path_role(path) != APF_PATH_ANY;
}

/* Whether a file is a profile for us. `path` is that of the file. */
static bool is_profile(const struct spool *s, const char *path)
{
    const struct apf_input input = apf_input_found(s->state->spool, path);
    return has_name(path) || apf_file_family(&input) == APF_FAMILY_INSTR;
}

/* An empty file may be that of a program which runs: compiler-rt empties it at the start. A file with another name may
 * be about to get its name. */
static bool is_ready(const struct spool *s, const char *name, const struct stat *st)
{
    return ((st->st_size != 0 && has_name(name)) || is_settled(st, s->settle, s->now)) &&
           spool_is_done(top_of(s)->fd, name, st, s->settle, s->now);
}

/* In seconds. time(2) may give a time before that of a file which was just made. */
static int64_t seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec;
}

/* Whether a file came after the walk began: it is for the next walk, or this one might never end. Times that are
 * later than now are those of another machine's clock. */
static bool is_late(const struct spool *s, const struct stat *st)
{
    return st->st_ctime > s->now && st->st_ctime <= seconds_now() + 1;
}

/* A user's file that has another name cannot become the collector's own, which it must where that runs as root. */
static bool is_linked(const struct stat *st)
{
    return geteuid() == 0 && st->st_uid != 0 && st->st_nlink > 1;
}

/* Root makes a file of another user its own: otherwise the user could take leases of it, each of which lets a program
 * that opens the file wait for 45 seconds. */
static void own_file(const struct spool *s, const char *name, const struct stat *st)
{
    if (geteuid() == 0 && st->st_uid != 0 &&
        fchownat(s->state->fds[COLLECT_CLAIMED], name, 0, (gid_t)-1, AT_SYMLINK_NOFOLLOW) != 0)
        return; /* it stays the user's; the file may be on a file system without owners */
}

/* 0, or an errno; EWOULDBLOCK: a program has the lock of the file. */
static int claim(struct spool *s, const char *name, const struct stat *st)
{
    const int directory = top_of(s)->fd;
    char claimed[NAME_MAX + 1];
    struct name_lock lock;
    int why = is_linked(st) ? EMLINK : lock_name(&lock, directory, name, st->st_uid);
    if (why)
        return why;
    collect_name(s->state, name, claimed);
    why = renameat(directory, name, s->state->fds[COLLECT_CLAIMED], claimed) == 0 ? 0 : errno;
    unlock_name(&lock, directory);
    if (!why)
        own_file(s, claimed, st);
    return why;
}

static bool take_file(struct spool *s, const char *name, const struct stat *st)
{
    if (is_late(s, st) || !is_ready(s, name, st)) {
        s->counts.n_waiting++;
        return false;
    }
    int why = claim(s, name, st);
    if (collect_is_full(why) && collect_reserve_use(s->state))
        why = claim(s, name, st);
    if (why == EWOULDBLOCK && is_settled(st, LONG_LOCKED, s->now))
        why = EBUSY;
    s->counts.n_waiting += why == EWOULDBLOCK;
    if (why && why != ENOENT && why != EWOULDBLOCK)
        note_failure(s, why);
    s->levels[s->n - 1].taken |= !why;
    return !why;
}

/* Whether a name is that of a profile that our runtime has not completed: .NAME.anyprof-PID or .NAME.anyprof-PID-N. */
static bool is_incomplete(const char *name)
{
    static const char mark[] = ".anyprof-", digits[] = "0123456789";
    const char *at = name, *last = NULL;
    while ((at = strstr(at, mark)) != NULL)
        last = at++;
    if (!last)
        return false;
    last += sizeof mark - 1;
    const size_t n = strspn(last, digits), more = last[n] == '-' ? 1 + strspn(last + n + 1, digits) : 0;
    return n && !last[n + more];
}

/* Hidden files are those of programs that write them. What our runtime or another collector left when it was killed
 * stays forever, unless it is removed here. */
static void look_at_hidden(const struct spool *s, const char *name, const struct stat *st)
{
    const int directory = top_of(s)->fd;
    char of[NAME_MAX + 1]; /* the file that a lock is for */
    struct name_lock lock;
    if (path_has_end(name, LOCK_END)) {
        snprintf(of, sizeof of, "%.*s", (int)(strlen(name) - strlen(LOCK_END) - 1), name + 1);
        if (S_ISREG(st->st_mode) && lock_name(&lock, directory, of, st->st_uid) == 0)
            unlock_name(&lock, directory);
    } else if (is_incomplete(name) && st->st_mtime < s->now && (uint64_t)(s->now - st->st_mtime) > s->keep &&
               use_of(directory, name) == USE_NONE)
        unlinkat(directory, name, 0);
}

static bool look_at_file(struct spool *s, const char *name, const struct stat *st)
{
    bool taken = false;
    if (name[0] == '.')
        look_at_hidden(s, name, st);
    else if (!set_path(s, name) || !is_profile(s, s->path))
        s->counts.n_ignored++;
    else
        taken = take_file(s, name, st);
    if (!taken)
        s->counts.bytes += collect_bytes_of(st);
    return taken;
}

/* ---- the walk ---- */

static bool push_level(struct spool *s, int fd, size_t n_path)
{
    const int copy = fd < 0 ? -1 : dup(fd);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir) {
        const int why = errno;
        if (copy >= 0)
            close(copy);
        if (fd >= 0)
            close(fd);
        errno = why;
        return false;
    }
    watch_directory(s->watch, fd);
    s->levels[s->n++] = (struct spool_level){dir, fd, n_path, false};
    return true;
}

/* 0, or an errno; not every file system can do that, which is no error. */
static int sync_fd(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

static void sync_level(struct spool *s, struct spool_level *level)
{
    if (level->taken)
        s->unsynced |= sync_fd(s->state->fds[COLLECT_CLAIMED]) != 0 || sync_fd(level->fd) != 0;
    level->taken = false;
}

static void pop_level(struct spool *s)
{
    sync_level(s, &s->levels[s->n - 1]);
    closedir(top_of(s)->dir);
    close(top_of(s)->fd);
    s->n--;
}

static void enter(struct spool *s, const char *name, const struct stat *st)
{
    if (name[0] == '.' || (st->st_dev == s->state->device && st->st_ino == s->state->inode))
        return;
    if (s->n == SPOOL_DEPTH || st->st_dev != s->state->device || !set_path(s, name))
        s->counts.n_ignored++;
    else if (!push_level(s, openat(top_of(s)->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                         strlen(s->path)) &&
             errno != ENOENT)
        note_failure(s, errno);
}

bool spool_open(struct spool *s, const struct session *session)
{
    s->n = 0;
    s->now = seconds_now();
    s->counts = (struct spool_counts){0};
    snprintf(s->path, sizeof s->path, "%s", s->state->spool);
    const int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = push_level(s, fd, strlen(s->path));
    if (!ok)
        report_errno(session, s->path, errno);
    return ok;
}

bool spool_take(struct spool *s)
{
    struct stat st;
    while (s->n) {
        const struct dirent *entry = readdir(top_of(s)->dir);
        const char *name = entry ? entry->d_name : NULL;
        if (!name)
            pop_level(s);
        else if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
                 fstatat(top_of(s)->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        else if (S_ISDIR(st.st_mode))
            enter(s, name, &st);
        else if (!S_ISREG(st.st_mode))
            s->counts.n_ignored++;
        else if (look_at_file(s, name, &st))
            return true;
    }
    return false;
}

bool spool_sync(struct spool *s)
{
    for (size_t i = 0; i < s->n; i++)
        sync_level(s, &s->levels[i]);
    return !s->unsynced;
}

void spool_close(struct spool *s)
{
    while (s->n)
        pop_level(s);
}
