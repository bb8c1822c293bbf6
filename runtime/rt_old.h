/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bytes of the file that is there already. */
#ifndef RT_OLD_H
#define RT_OLD_H

#include "rt_image.h"

struct aprt_old {
    uint8_t *bytes; /* NULL: none were read */
    size_t size;
    int fd;     /* of the file that is mapped; -1: it was read into memory */
    int urgent; /* SIGURG was waiting before */
};

/* Reads the file, of so many bytes. 0, or errno's number. */
RT_HIDDEN int aprt_old_read(struct aprt_old *old, const char *path, uint64_t size);
RT_HIDDEN void aprt_old_forget(struct aprt_old *old);

#endif
