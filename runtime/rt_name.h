/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The name of the profile: a pattern, of which all that does not change is expanded once. */
#ifndef RT_NAME_H
#define RT_NAME_H

#include "rt_image.h"

enum { RT_PATH_MAX = 4096 };

/* Who chose the name: equal or higher replaces. */
enum aprt_name_source { RT_NAME_DEFAULT, RT_NAME_EMBEDDED, RT_NAME_ENVIRONMENT, RT_NAME_CALL };

struct aprt_name {
    unsigned pool; /* %m, %Nm: how many files; 0: no merging */
    int continuous;
    enum aprt_name_source source;
    /* Absolute. 1 'p': the process; 1 'm': signature and number in the pool; 1 1: the byte 1. */
    char text[RT_PATH_MAX];
};

/* Relative names stay so, as with compiler-rt. */
RT_HIDDEN extern int aprt_name_as_is;

/* Parses a pattern, and makes the name absolute. What compiler-rt refuses gives "default.profraw" and a warning. */
RT_HIDDEN void aprt_name_parse(struct aprt_name *name, const char *pattern, enum aprt_name_source source);

/* The path for the process as it is now. -1: it is too long. */
RT_HIDDEN int aprt_name_expand(const struct aprt_name *name, const struct aprt_image *image,
                               char path[RT_PATH_MAX]);

#endif
