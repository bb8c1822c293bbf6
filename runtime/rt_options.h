/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of ANYPROF_RT_OPTIONS, a list like "signals:wait=30". */
#ifndef RT_OPTIONS_H
#define RT_OPTIONS_H

#include "rt_image.h"

struct aprt_options {
    int signals;    /* fatal signals write the profile */
    int live;       /* counters are kept in a file beside the profile */
    int sync;       /* files are flushed to the disk */
    int compatible; /* append and truncate as compiler-rt */
    unsigned wait;  /* for the lock of a file, in seconds */
};

/* Reads the program's defaults, then the environment. */
RT_HIDDEN void aprt_options_read(struct aprt_options *options);

#endif
