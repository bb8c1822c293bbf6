/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters that are a part of a file, so that they outlive the process however it ends. %c in the name of the profile:
 * the profile itself is that file. ANYPROF_RT_OPTIONS=live: a file beside it is, until the profile is written at exit.
 *
 * The program counts in the mapped file either since its objects were compiled for that (-fprofile-continuous, -mllvm
 * -runtime-counter-relocation), or since the file was mapped to where its counters are. For that they must fill whole
 * pages, which linking with -Wl,-u,apf_rt_live brings about (rt_live.c). */
#ifndef RT_CONTINUOUS_H
#define RT_CONTINUOUS_H

#include "rt_image.h"

/* Begins. If it cannot, which has been said, the profile is written at exit as always. */
RT_HIDDEN void aprt_continuous_start(void);

/* A forked process: counts in a file of its own, if that is kept beside the profile; in the same one with %c. */
RT_HIDDEN void aprt_continuous_forked(void);

/* Removes the file that was kept beside the profile. */
RT_HIDDEN void aprt_live_end(void);

/* Does somebody count in the file? */
RT_HIDDEN int aprt_continuous_is_in_use(const char *name);

/* Is the profile a file that the image counts in? Then there is nothing to write. */
RT_HIDDEN int aprt_continuous_is_on(void);

/* Is the image counting in a file beside the profile? */
RT_HIDDEN int aprt_live_is_on(void);

/* A page as they come, at most: the largest that Linux is built with on most others. */
#if defined(__x86_64__) || defined(__i386__)
enum { RT_LIVE_PAGE = 4096 };
#else
enum { RT_LIVE_PAGE = 65536 };
#endif

/* There where rt_live.c, rt_live_bitmaps.c are linked. */
RT_HIDDEN RT_WEAK extern const void *const apf_rt_live_bitmaps;
RT_HIDDEN RT_WEAK extern const void *const apf_rt_live;

#endif
