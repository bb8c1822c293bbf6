/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory from the system's pages: malloc may be what is being profiled, or be interrupted by a signal. */
#ifndef RT_MEMORY_H
#define RT_MEMORY_H

#include "rt_image.h"

/* Zeroed pages; NULL and errno, if there are none. */
RT_HIDDEN void *aprt_pages(size_t size);
/* The same for what will be used in part: pages come with their first use. */
RT_HIDDEN void *aprt_room(size_t size);
RT_HIDDEN void aprt_pages_free(void *pages, size_t size);

/* Zeroed memory of any size, aligned to 16. What is small is in the image: pages cost a tiny program more than all else
 * that is done with them. NULL and errno, if there is none. */
RT_HIDDEN void *aprt_memory(size_t size);
RT_HIDDEN void aprt_memory_free(void *memory, size_t size);

#endif
