/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One process at a time changes a file: by a lock on a file beside it, .NAME.anyprof-lock, which is gone afterwards.
 * The file itself is never locked: it is replaced, not written. A process that dies gives up its lock. */
#ifndef RT_LOCK_H
#define RT_LOCK_H

#include "rt_image.h"

struct aprt_lock {
    int fd;
    int foreign; /* another user's: not ours to remove */
};

/* 0, or errno's number: ETIMEDOUT: another has it for too long; ENOLCK: there are no locks here. Missing directories
 * are made. Both use aprt_file.hidden. */
RT_HIDDEN int aprt_lock_take(struct aprt_lock *lock, const char *path);
RT_HIDDEN void aprt_lock_give(struct aprt_lock *lock, const char *path);

#endif
