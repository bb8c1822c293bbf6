/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_old.h"

#include "rt_file.h"
#include "rt_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { READ_UP_TO = 65536 }; /* more is mapped: nothing is copied, and it takes no memory */

#if defined(F_SETLEASE) && defined(MADV_POPULATE_READ)

static int is_urgent(void)
{
    sigset_t waiting;
    sigemptyset(&waiting);
    sigpending(&waiting);
    return sigismember(&waiting, SIGURG) == 1;
}

/* What tells us that somebody waits for the lease is SIGIO, which ends processes, if it is not another: SIGURG, which
 * most ignore. It is for this thread, where it is blocked. */
static int take_lease(struct aprt_old *old)
{
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    old->urgent = is_urgent();
    return fcntl(old->fd, F_SETSIG, SIGURG) == 0 && fcntl(old->fd, F_SETOWN_EX, &owner) == 0 &&
           fcntl(old->fd, F_SETLEASE, F_RDLCK) == 0;
}

/* A fork may have copied the descriptor: closing would not be enough. */
static void give_lease(const struct aprt_old *old)
{
    const struct timespec at_once = {0, 0};
    siginfo_t info;
    sigset_t urgent;
    fcntl(old->fd, F_SETLEASE, F_UNLCK);
    if (old->urgent || !is_urgent())
        return;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    /* Not ours, but the program's: put back. */
    if (sigtimedwait(&urgent, &info, &at_once) > 0 && info.si_fd != old->fd)
        raise(SIGURG);
}

/* A mapped file that somebody makes shorter would end the process. A lease keeps that off: who opens the file to write,
 * or cuts it, waits until we have done with it; the kernel gives none while one has it open already. A page that cannot
 * be read would end it, too: so all are there before. 0: the file cannot be mapped like that. */
static int map(struct aprt_old *old)
{
    if (old->size < READ_UP_TO)
        return 0;
    void *bytes = take_lease(old) ? mmap(NULL, old->size, PROT_READ, MAP_PRIVATE, old->fd, 0) : MAP_FAILED;
    if (bytes != MAP_FAILED && madvise(bytes, old->size, MADV_POPULATE_READ) == 0) {
        old->bytes = bytes;
        return 1;
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, old->size);
    give_lease(old);
    return 0;
}

#else

static int map(struct aprt_old *old)
{
    (void)old;
    return 0;
}

static void give_lease(const struct aprt_old *old)
{
    (void)old;
}

#endif

static int read_all(struct aprt_old *old)
{
    old->bytes = aprt_memory(old->size);
    if (!old->bytes)
        return ENOMEM;
    for (size_t at = 0; at < old->size;) {
        ssize_t n = read(old->fd, old->bytes + at, old->size - at);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n == 0) /* somebody makes it shorter, against the rules */
            break;
        at += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int aprt_old_read(struct aprt_old *old, const char *path, uint64_t size)
{
    old->size = (size_t)size;
    if (old->size != size)
        return ENOMEM;
    old->fd = aprt_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (old->fd < 0)
        return errno;
    if (map(old))
        return 0;
    int error = read_all(old);
    close(old->fd);
    old->fd = -1;
    return error;
}

void aprt_old_forget(struct aprt_old *old)
{
    if (old->fd < 0) {
        aprt_memory_free(old->bytes, old->size);
    } else {
        munmap(old->bytes, old->size);
        give_lease(old);
        close(old->fd);
    }
    *old = (struct aprt_old){.fd = -1};
}
