/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text that autofdo's dump_gcov prints. */
#ifndef SAMPLE_GCC_DUMP_H
#define SAMPLE_GCC_DUMP_H

#include "base/file.h"
#include "sample/model/sample_profile.h"

struct sample_gcc_dump_options {
    bool files; /* as newer ones: with source files, and with the time of the first sample */
};

/* Prints the functions of a sealed profile whose total is not 0, by total, the largest first, then by name. */
int sample_gcc_dump(const struct apf_sample *s, const struct sample_gcc_dump_options *o, struct file_out *out,
                    struct apf_error *error);

#endif
