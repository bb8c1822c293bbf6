/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_old.h"

#include "rt_file.h"
#include "rt_memory.h"
#include "rt_message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int aprt_old_unmapped;

enum { READ_UP_TO = 65536 }; /* larger files are mapped, which copies nothing */

#ifdef MADV_POPULATE_READ /* Linux 5.14 */

static int is_urgent(void)
{
    sigset_t waiting;
    sigemptyset(&waiting);
    sigpending(&waiting);
    return sigismember(&waiting, SIGURG) == 1;
}

/* Takes a lease of the file. The kernel announces a process that waits for it by SIGIO, whose default ends the
 * process; SIGURG, which is ignored by default, is chosen instead, for this thread only, where it is blocked. */
static int acquire_lease(struct aprt_old *old)
{
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    old->urgent = is_urgent();
    return fcntl(old->fd, F_SETSIG, SIGURG) == 0 && fcntl(old->fd, F_SETOWN_EX, &owner) == 0 &&
           fcntl(old->fd, F_SETLEASE, F_RDLCK) == 0;
}

/* Unlocks explicitly, because a fork may have copied the descriptor. */
static void release_lease(const struct aprt_old *old)
{
    const struct timespec at_once = {0, 0};
    siginfo_t info;
    sigset_t urgent;
    fcntl(old->fd, F_SETLEASE, F_UNLCK);
    if (old->urgent || !is_urgent())
        return;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    /* The signal was for the program: raise it again. */
    if (sigtimedwait(&urgent, &info, &at_once) > 0 && info.si_fd != old->fd)
        raise(SIGURG);
}

/* Maps the file. A mapped file that is truncated would end the process by SIGBUS. A lease prevents that: a process
 * that opens the file for writing, or truncates it, waits until the lease is released; the kernel grants no lease
 * while the file is open for writing. Unreadable pages would raise SIGBUS, too, so all are read first. 0: the file
 * cannot be mapped safely. */
static int map_file(struct aprt_old *old)
{
    if (old->size < READ_UP_TO)
        return 0;
    void *bytes = acquire_lease(old) ? mmap(NULL, old->size, PROT_READ, MAP_PRIVATE, old->fd, 0) : MAP_FAILED;
    if (bytes != MAP_FAILED && madvise(bytes, old->size, MADV_POPULATE_READ) == 0) {
        old->bytes = bytes;
        return 1;
    }
    if (bytes != MAP_FAILED)
        munmap(bytes, old->size);
    release_lease(old);
    return 0;
}

#else

static int map_file(struct aprt_old *old)
{
    (void)old;
    return 0;
}

static void release_lease(const struct aprt_old *old)
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
        if (n == 0) /* the file was truncated meanwhile, against the protocol */
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
    if (aprt_old_unmapped && aprt_verbose)
        aprt_message_or(RT_NOTE, "the existing profile is read, not mapped:",
                        "could not use mmap; using fread instead", path, 0);
    if (!aprt_old_unmapped && map_file(old))
        return 0;
    int error = read_all(old);
    close(old->fd);
    old->fd = -1;
    return error;
}

void aprt_old_free(struct aprt_old *old)
{
    if (old->fd < 0) {
        aprt_memory_free(old->bytes, old->size);
    } else {
        munmap(old->bytes, old->size);
        release_lease(old);
        close(old->fd);
    }
    *old = (struct aprt_old){.fd = -1};
}
