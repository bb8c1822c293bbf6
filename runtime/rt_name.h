/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name of the profile: a pattern whose constant parts are expanded once. */
#ifndef RT_NAME_H
#define RT_NAME_H

#include "rt_image.h"

enum { RT_PATH_MAX = 4096 };

/* The origin of the name, in ascending priority; an equal or higher one replaces it. */
enum aprt_name_source { RT_NAME_DEFAULT, RT_NAME_EMBEDDED, RT_NAME_ENVIRONMENT, RT_NAME_CALL };

struct aprt_name {
    unsigned pool; /* the number of files of %m, %Nm; 0: no merging */
    int continuous;
    enum aprt_name_source source;
    /* An absolute path with markers: 1 'p' stands for the process, 1 'm' for signature and number in the pool, 1 1
     * for the byte 1. */
    char text[RT_PATH_MAX];
};

/* The name of this image's profile, which rt_target.c chooses; text[0] is 0 until then. */
RT_HIDDEN extern struct aprt_name aprt_name_chosen;

/* Parses a pattern and makes the name absolute. A pattern that compiler-rt refuses gives "default.profraw" and a
 * warning. */
RT_HIDDEN void aprt_name_parse(struct aprt_name *name, const char *pattern, enum aprt_name_source source);

/* Expands the name for the current process. -1: the path is too long. */
RT_HIDDEN int aprt_name_expand(const struct aprt_name *name, const struct aprt_image *image,
                               char path[RT_PATH_MAX]);

#endif
