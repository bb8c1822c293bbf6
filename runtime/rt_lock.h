/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lets one process at a time change a file, by a lock on .NAME.anyprof-lock beside it, which is removed afterwards.
 * The file itself is never locked, because it is replaced, not written in place. A process that dies releases its
 * lock. */
#ifndef RT_LOCK_H
#define RT_LOCK_H

#include "rt_image.h"

struct aprt_lock {
    int fd;
    int foreign; /* another user's file, which must not be removed */
};

/* Returns 0 or errno's number. ETIMEDOUT: another process holds the lock for too long; ENOLCK: the file system has no
 * locks. Creates missing directories. Both functions use aprt_file.hidden. */
RT_HIDDEN int aprt_lock_acquire(struct aprt_lock *lock, const char *path);
RT_HIDDEN void aprt_lock_release(struct aprt_lock *lock, const char *path);

#endif
