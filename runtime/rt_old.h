/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of the file that a write replaces or adds to. */
#ifndef RT_OLD_H
#define RT_OLD_H

#include "rt_image.h"

struct aprt_old {
    uint8_t *bytes; /* NULL: none were read */
    size_t size;
    int fd;     /* the mapped file; -1: it was read into memory */
    int urgent; /* SIGURG was pending before the lease */
};

/* Reads or maps `size` bytes of the file; with LLVM_PROFILE_NO_MMAP in the environment it is read. Returns 0 or errno's
 * number. */
RT_HIDDEN int aprt_old_read(struct aprt_old *old, const char *path, uint64_t size);
RT_HIDDEN void aprt_old_free(struct aprt_old *old);

/* LLVM_PROFILE_NO_MMAP is set. */
RT_HIDDEN extern int aprt_old_unmapped;

#endif
