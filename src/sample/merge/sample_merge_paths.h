/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files of a directory are sample profiles. */
#ifndef SAMPLE_MERGE_PATHS_H
#define SAMPLE_MERGE_PATHS_H

#include "inputs/inputs_paths.h"

extern const struct path_kind sample_path_kind;

#endif
