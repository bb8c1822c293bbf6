/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_lock.h"

#include "rt_file.h"
#include "rt_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Other users may create links and pipes at the path: links are not followed, and pipes are not waited for. */
enum { FLAGS = O_NOFOLLOW | O_NONBLOCK };

static int open_lock(struct aprt_lock *lock)
{
    lock->fd = aprt_open(aprt_file.hidden, FLAGS | O_RDWR | O_CREAT, 0666);
    if (lock->fd < 0 && errno == ENOENT) {
        int why = aprt_make_directories(aprt_file.hidden);
        lock->fd = aprt_open(aprt_file.hidden, FLAGS | O_RDWR | O_CREAT, 0666);
        errno = lock->fd < 0 && errno == ENOENT ? why : errno;
    }
    /* The file is another user's. Locking needs no write access, except on network file systems. */
    if (lock->fd < 0 && errno == EACCES) {
        lock->fd = aprt_open(aprt_file.hidden, FLAGS | O_RDONLY, 0);
        lock->foreign = 1;
        errno = EACCES;
    }
    return lock->fd < 0 ? errno : 0;
}

/* Returns whether the locked file is still at the path: its last owner may have removed it. */
static int is_current(const struct aprt_lock *lock)
{
    struct stat mine, there;
    return fstat(lock->fd, &mine) == 0 && stat(aprt_file.hidden, &there) == 0 &&
           aprt_is_same_file(&mine, &there);
}

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Polls, because no other timeout for a blocked lock is safe everywhere. The pause doubles up to 6.4 ms. */
static void wait_a_little(unsigned tries)
{
    struct timespec pause = {0, 50000L << (tries < 8 ? tries : 7)};
    nanosleep(&pause, NULL);
}

int aprt_lock_acquire(struct aprt_lock *lock, const char *path)
{
    int error = aprt_path_hidden(aprt_file.hidden, path, "lock");
    uint64_t until = 0;
    lock->fd = -1;
    lock->foreign = 0;
    for (unsigned tries = 0; !error; tries++) {
        if (lock->fd < 0)
            error = open_lock(lock);
        if (lock->fd < 0)
            return error == ELOOP || error == EISDIR
                       ? ENOLCK
                       : error; /* a link or directory that this runtime did not create */
        int locked = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
        int why = locked ? EWOULDBLOCK : errno;
        if (locked && is_current(lock))
            return 0;
        if (locked) {
            close(lock->fd);
            lock->fd = -1;
        }
        if (why != EWOULDBLOCK && why != EINTR)
            error = ENOLCK;
        lock->foreign |= why == EIO; /* the owner is not known */
        if (until == 0)
            until = milliseconds() + aprt_wait_ms;
        else if (milliseconds() >= until)
            error = ETIMEDOUT;
        if (!error && !locked)
            wait_a_little(tries);
    }
    if (error == ENOLCK && !lock->foreign)
        unlink(aprt_file.hidden); /* without locks, no process can hold the file */
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
    return error;
}

void aprt_lock_release(struct aprt_lock *lock, const char *path)
{
    (void)aprt_path_hidden(aprt_file.hidden, path,
                           "lock"); /* cannot fail: the path was valid for acquiring */
    /* Removed before it is unlocked: a waiting process sees that its file is no longer at the path. Closing would not
     * be enough, because a fork may have copied the descriptor. */
    unlink(aprt_file.hidden);
    flock(lock->fd, LOCK_UN);
    close(lock->fd);
    lock->fd = -1;
}
