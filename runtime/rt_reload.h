/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared library may be unloaded and loaded again. What it wrote before is of the same run, but its memory is gone;
 * so a page of the file stays mapped, without access, where /proc/self/maps shows it to whoever comes next. */
#ifndef RT_RELOAD_H
#define RT_RELOAD_H

#include "rt_image.h"

#include <sys/stat.h>

/* Is this image a shared library? */
RT_HIDDEN int rt_reload_is_library(void);

/* Leaves a mark for the file at `path`, in place of the mark that this image left before. */
RT_HIDDEN void rt_reload_mark(const char *path);

/* Has an image of this process left a mark for the file? */
RT_HIDDEN int rt_reload_is_marked(const struct stat *status);

#endif
