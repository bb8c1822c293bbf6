/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file that this image's profile goes to: who chose its name, and the acts of writing it. */
#ifndef RT_TARGET_H
#define RT_TARGET_H

#include "rt_name.h"

/* The name, once it was chosen; text[0] is 0 before. */
RT_HIDDEN extern struct aprt_name aprt_target_name;

/* The variable in which compiler-rt tells the processes it starts that the run has begun. */
#define RT_BEGUN "__LLVM_PROFILE_RT_INIT_ONCE"

/* Chooses the name if nobody did with more right: from the environment, the objects, or "default.profraw". */
RT_HIDDEN void aprt_target_choose(void);

/* A call chooses it. NULL: the default. */
RT_HIDDEN void aprt_target_set(const char *pattern);

/* Writes the profile. 0; -1: not, which has been said. */
RT_HIDDEN int aprt_target_write(void);

/* The same for the last time: the file that was kept beside it until now is of no more use. */
RT_HIDDEN int aprt_target_finish(void);

/* Before an end of the process that runs no handlers: writes, unless that is another process's business. */
RT_HIDDEN void aprt_target_leave(void);

/* Lets other images know of this one, so that the first of them that learns of the end lets all write: rt_signal.c. */
RT_HIDDEN void aprt_signal_join(void);

/* In a process that was forked. */
RT_HIDDEN void aprt_target_forked(void);

/* All counters are 0 again. */
RT_HIDDEN void aprt_target_reset(void);

/* What was dumped is not written again: __llvm_profile_set_dumped. */
RT_HIDDEN extern int aprt_target_dumped;

/* Writes to something that is no file: __llvm_profile_set_file_object. */
RT_HIDDEN extern int (*aprt_target_other)(const struct aprt_image *image);

#endif
