/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* State of a run that all images of a process share: which files existed when it began. A library may be loaded
 * later, or again, when other images and forked processes have already written; their files must not be mistaken for
 * an earlier run's. */
#ifndef RT_RUN_H
#define RT_RUN_H

#include "rt_image.h"

#include <sys/stat.h>
#include <time.h>

/* The identity of a file at some time: writing to the file changes it. inode 0: none. */
struct aprt_identity {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

RT_HIDDEN struct aprt_identity aprt_identity_of(const struct stat *status);
RT_HIDDEN int aprt_identity_is(const struct aprt_identity *identity, const struct stat *status);

/* A hash that stands for a path; never 0. */
RT_HIDDEN uintptr_t aprt_run_key(const char *path);

/* The identity of the file at the path when the first image of this process, or of the processes it was forked from,
 * looked there. */
RT_HIDDEN struct aprt_identity aprt_run_found(const char *path);

/* An image's function to call when a signal ends the process, and the signal handler that calls it. */
struct aprt_flusher {
    void (*flush)(void);
    void (*handler)(int number);
};

enum { RT_MOST_FLUSHERS = 1000 };

/* The flushers of all images; flush NULL: a free entry. */
RT_HIDDEN struct aprt_flusher *aprt_run_flushers(void);

/* Adds this image's flusher, once. */
RT_HIDDEN void aprt_run_register(const struct aprt_flusher *flusher);

/* Calls the flushers of all images. */
RT_HIDDEN void aprt_run_flush(void);

/* Set while this thread forks in daemon(3): the process continues in the child, and the parent ends. */
RT_HIDDEN void aprt_run_move(int moves);
RT_HIDDEN int aprt_run_moves(void);

#endif
