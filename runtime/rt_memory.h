/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory from mmap: malloc may be profiled itself, or be interrupted by the signal whose handler runs this. */
#ifndef RT_MEMORY_H
#define RT_MEMORY_H

#include "rt_image.h"

/* Zeroed pages; NULL and errno if the allocation failed. */
RT_HIDDEN void *aprt_pages(size_t size);
/* Zeroed pages that are only partly used: each is allocated by its first use. */
RT_HIDDEN void *aprt_room(size_t size);
RT_HIDDEN void aprt_pages_free(void *pages, size_t size);

/* Zeroed memory of any size, aligned to 16. Small blocks are in the image, because mapping pages would be the most
 * expensive part of a write in a tiny program. NULL and errno if the allocation failed. */
RT_HIDDEN void *aprt_memory(size_t size);
RT_HIDDEN void aprt_memory_free(void *memory, size_t size);

#endif
