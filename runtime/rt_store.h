/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the counts of an image get into a file.
 *
 * A plain name: a run replaces the file that was there when it began. What was written since, by its children, by its
 * other images, by itself, by runs at the same time, stays. A pool (%m): all of it stays.
 * What is new since the last write is added to the profile of the same program in the file, if there is one; it is put
 * behind the others otherwise.
 * Temporal profiles cannot be added, and readers take all of a file for one run: who finds another's file writes one
 * with the process in its name. The same where the file's profiles are of another raw version or kind: no reader of
 * LLVM's takes both. */
#ifndef RT_STORE_H
#define RT_STORE_H

#include "rt_image.h"

/* Remembers what is at aprt_file.path now: the run begins. Nothing, if it is the path of before. */
RT_HIDDEN void aprt_store_begin(int pool);

/* Writes to aprt_file.path. `continuous`: others may count in the file, which then stays. 0, or errno's number, which
 * has been said. */
RT_HIDDEN int aprt_store_write(struct aprt_image *image, int pool, int continuous);

/* What was counted up to now is another process's: this one was forked. */
RT_HIDDEN void aprt_store_forked(const struct aprt_image *image);

/* The process goes on in this one, whose aprt_file.path may be another. */
RT_HIDDEN void aprt_store_moved(const struct aprt_image *image, int pool);

/* Counters have been set back: what was written stays, and what comes is new. Or nothing comes any more: memory is
 * given back. */
RT_HIDDEN void aprt_store_reset(void);

/* A process with compiler-rt's runtime started this one, and says so in the environment: this is part of its run. */
RT_HIDDEN extern int aprt_store_continued;

/* As compiler-rt: each write is appended, or adds all counts once more. */
RT_HIDDEN extern int aprt_store_compatible;

#endif
