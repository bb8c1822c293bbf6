/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all images of a process know of its run: which files were there when it began. A library may be loaded later, or
 * again, when other images and forked processes have written already; it must not take that for an earlier run's. */
#ifndef RT_RUN_H
#define RT_RUN_H

#include "rt_image.h"

#include <sys/stat.h>
#include <time.h>

/* A file as it was at some time: written since, it is another one. inode 0: none. */
struct aprt_identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

RT_HIDDEN struct aprt_identity aprt_identity_of(const struct stat *status);
RT_HIDDEN int aprt_identity_is(const struct aprt_identity *identity, const struct stat *status);

/* Stands for a path; never 0. */
RT_HIDDEN uintptr_t aprt_run_key(const char *path);

/* What was at the path when the first image of this process, or of those that it was forked from, looked there. */
RT_HIDDEN struct aprt_identity aprt_run_found(const char *path);

/* What an image does when a signal ends the process, and the handler by which it finds out. */
struct aprt_flusher {
    void (*flush)(void);
    void (*handler)(int number);
};

enum { RT_MOST_FLUSHERS = 1000 };

/* Those of all images; flush NULL: nobody. */
RT_HIDDEN struct aprt_flusher *aprt_run_flushers(void);

/* Adds this image's, once. */
RT_HIDDEN void aprt_run_join(const struct aprt_flusher *flusher);

/* Calls those of all images. */
RT_HIDDEN void aprt_run_flush(void);

/* This thread is about to fork, so that the process goes on in the child, and ends itself: from now on, or no more. */
RT_HIDDEN void aprt_run_move(int moves);
RT_HIDDEN int aprt_run_moves(void);

#endif
