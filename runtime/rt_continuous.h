/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters that are part of a file outlive the process however it ends. With %c in the name of the profile, the
 * profile itself is that file; with ANYPROF_RT_OPTIONS=live, a file beside it is, until the profile is written at
 * exit.
 *
 * The program counts in the mapped file either because its objects were compiled for that (-fprofile-continuous,
 * -mllvm -runtime-counter-relocation), or because the file is mapped over its counters. For the latter the counters
 * must fill whole pages, which linking with -Wl,-u,apf_rt_live ensures (rt_live.c). */
#ifndef RT_CONTINUOUS_H
#define RT_CONTINUOUS_H

#include "rt_image.h"

#include <anyprof/rt.h>

/* Starts to count in the file. On failure a message was written, and the profile is written at exit as usual. */
RT_HIDDEN void aprt_continuous_start(void);

/* Called in a forked process: it counts in a file of its own beside the profile, or, with %c, in the parent's. */
RT_HIDDEN void aprt_continuous_forked(void);

/* Removes the file beside the profile. */
RT_HIDDEN void aprt_live_end(void);

/* Returns whether a process counts in the file. */
RT_HIDDEN int aprt_continuous_is_in_use(const char *name);

/* Returns whether the image counts in the profile itself, which then need not be written. */
RT_HIDDEN int aprt_continuous_is_on(void);

/* Writes the profile that another file begins with in which the image is to count: nothing is counted in it. Returns 0
 * or errno's number. */
RT_HIDDEN int aprt_continuous_write(apf_rt_write_fn *write, void *context);

/* Makes the image, which counts in the profile itself, count in the file of this descriptor, which holds a profile of
 * the image; what was counted before stays where it is. Returns 0 or errno's number; EINVAL: the file holds no such
 * profile. */
RT_HIDDEN int aprt_continuous_move(int fd);

/* Returns whether the image counts in a file beside the profile. */
RT_HIDDEN int aprt_live_is_on(void);

/* The largest page size that Linux has on the target (on most targets 64 KB). */
#if defined(__x86_64__) || defined(__i386__)
enum { RT_LIVE_PAGE = 4096 };
#else
enum { RT_LIVE_PAGE = 65536 };
#endif

/* Defined if rt_live.c and rt_live_bitmaps.c are linked. */
RT_HIDDEN RT_WEAK extern const void *const apf_rt_live_bitmaps;
RT_HIDDEN RT_WEAK extern const void *const apf_rt_live;

#endif
