/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the counts of an image get into a file.
 *
 * With a plain name, a run replaces the file that existed when it began, and keeps what was written since: by its
 * children, its other images, itself, or runs at the same time. A pool (%m) keeps all. The new counts since the last
 * write are added to the profile of the same program in the file; if there is none, the profile is appended to the
 * file. Temporal profiles cannot be added, and readers take a whole file for one run; so a process that finds
 * another's file writes its own, with the process in its name. The process does so, too, if the file's profiles are
 * of another raw version or kind, because no LLVM reader accepts both in one file. */
#ifndef RT_STORE_H
#define RT_STORE_H

#include "rt_image.h"

/* Records the file at aprt_file.path: the run begins. Does nothing if the path is unchanged. */
RT_HIDDEN void aprt_store_begin(int pool);

/* Writes to aprt_file.path. `continuous`: other processes may count in the file, which then stays. Returns 0 or
 * errno's number after a message. */
RT_HIDDEN int aprt_store_write(struct aprt_image *image, int pool, int continuous);

/* Called in a forked process: the counts so far belong to the parent. */
RT_HIDDEN void aprt_store_forked(const struct aprt_image *image);

/* Called in the child of daemon(3), which continues the process; aprt_file.path may differ. */
RT_HIDDEN void aprt_store_moved(const struct aprt_image *image, int pool);

/* Called after a reset of the counters, or when nothing will be written any more: frees the copies of counts. Written
 * files stay. */
RT_HIDDEN void aprt_store_reset(void);

/* Set if the environment says that a process with compiler-rt's runtime started this one: this process is part of its
 * run. */
RT_HIDDEN extern int aprt_store_continued;

#endif
