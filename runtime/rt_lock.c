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

/* Nobody's link is followed, and nobody's pipe is waited for. */
enum { FLAGS = O_NOFOLLOW | O_NONBLOCK };

static int open_lock(struct aprt_lock *lock)
{
    lock->fd = aprt_open(aprt_file.hidden, FLAGS | O_RDWR | O_CREAT, 0666);
    if (lock->fd < 0 && errno == ENOENT) {
        int why = aprt_make_directories(aprt_file.hidden);
        lock->fd = aprt_open(aprt_file.hidden, FLAGS | O_RDWR | O_CREAT, 0666);
        errno = lock->fd < 0 && errno == ENOENT ? why : errno;
    }
    /* Another user's: to lock it, it need not be written, but on network file systems. */
    if (lock->fd < 0 && errno == EACCES) {
        lock->fd = aprt_open(aprt_file.hidden, FLAGS | O_RDONLY, 0);
        lock->foreign = 1;
        errno = EACCES;
    }
    return lock->fd < 0 ? errno : 0;
}

/* Who had it before may have removed the file by now. */
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

/* Waits without a queue: a blocked process could not be woken after a while in any other way that is safe everywhere.
 * Twice as long each time, up to 8 ms. */
static void wait_a_little(unsigned tries)
{
    struct timespec pause = {0, 50000L << (tries < 8 ? tries : 7)};
    nanosleep(&pause, NULL);
}

int aprt_lock_take(struct aprt_lock *lock, const char *path)
{
    int error = aprt_path_hidden(aprt_file.hidden, path, "lock");
    uint64_t until = 0;
    lock->fd = -1;
    lock->foreign = 0;
    for (unsigned tries = 0; !error; tries++) {
        if (lock->fd < 0)
            error = open_lock(lock);
        if (lock->fd < 0)
            return error == ELOOP || error == EISDIR ? ENOLCK : error; /* it is none of ours */
        int taken = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
        int why = taken ? EWOULDBLOCK : errno;
        if (taken && is_current(lock))
            return 0;
        if (taken) {
            close(lock->fd);
            lock->fd = -1;
        }
        if (why != EWOULDBLOCK && why != EINTR)
            error = ENOLCK;
        lock->foreign |= why == EIO; /* who knows whose it is */
        if (until == 0)
            until = milliseconds() + aprt_patience;
        else if (milliseconds() >= until)
            error = ETIMEDOUT;
        if (!error && !taken)
            wait_a_little(tries);
    }
    if (error == ENOLCK && !lock->foreign)
        unlink(aprt_file.hidden); /* nobody holds it, here */
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
    return error;
}

void aprt_lock_give(struct aprt_lock *lock, const char *path)
{
    (void)aprt_path_hidden(aprt_file.hidden, path, "lock"); /* it did fit */
    /* Before others can have it: they see that it is not theirs. A fork may have copied the descriptor: closing would
     * not be enough. */
    unlink(aprt_file.hidden);
    flock(lock->fd, LOCK_UN);
    close(lock->fd);
    lock->fd = -1;
}
