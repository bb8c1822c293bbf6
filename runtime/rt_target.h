/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of this image's profile: the choice of its name, and the operations that write it. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "rt_name.h"

/* The environment variable by which compiler-rt tells child processes that the run has begun. */
#define RT_BEGUN "__LLVM_PROFILE_RT_INIT_ONCE"

/* Chooses the name from the environment, the objects or the default "default.profraw", unless it has an origin of
 * higher priority. */
RT_HIDDEN void aprt_target_choose(void);

/* Sets the name by a call of the program. NULL: the default. */
RT_HIDDEN void aprt_target_set(const char *pattern);

/* Writes the profile. Returns 0, or -1 after a message. */
RT_HIDDEN int aprt_target_write(void);

/* Writes the profile for the last time and removes the file of live counters beside it. */
RT_HIDDEN int aprt_target_finish(void);

/* Called before an end of the process that runs no handlers: writes the profile, unless that is another process's
 * task. */
RT_HIDDEN void aprt_target_leave(void);

/* Registers this image, so that the first image that learns of the process's end makes all write: rt_signal.c. */
RT_HIDDEN void aprt_signal_register(void);

/* Resets all counters. */
RT_HIDDEN void aprt_target_reset(void);

/* Set after a dump: the profile is not written again; __llvm_profile_set_dumped. */
RT_HIDDEN extern int aprt_target_dumped;

/* If set, writes the profile instead of the store: __llvm_profile_set_file_object. */
RT_HIDDEN extern int (*aprt_target_other)(const struct aprt_image *image);

#endif
