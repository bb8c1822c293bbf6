/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of a program that ran. */
#ifndef PROFGEN_PROFGEN_IMAGE_H
#define PROFGEN_PROFGEN_IMAGE_H

#include "perf/perf_program.h"

/* Pages of processes, for the addresses at which segments are mapped; as in llvm-profgen. */
#define PROFGEN_PAGE ((uint64_t)0x1000)

struct profgen_image {
    const char *path;
    struct elf_file *elf;
    struct perf_program program;
    VEC(uint64_t) pages;   /* of each segment of code, the highest page of an offset up to it */
    uint64_t base;         /* page of the first segment of code */
    uint64_t first_loaded; /* page of the first segment that is not at 0, as for llvm-profgen */
};

/* Opens a file of at most max_bytes; the path of `input` must stay. profgen_image_close must follow, also after a
 * failure. */
int profgen_image_open(struct profgen_image *image, const struct apf_input *input, uint64_t max_bytes,
                       struct apf_error *error);
void profgen_image_close(struct profgen_image *image);
/* The last one of the segments of code before the first one whose page is above an offset in the file; NULL: none. */
const struct elf_segment *profgen_image_below(const struct profgen_image *image, uint64_t offset);

#endif
