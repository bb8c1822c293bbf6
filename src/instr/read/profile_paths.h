/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files of a directory are instrumentation profiles: apf_profile_paths. */
#ifndef INSTR_PROFILE_PATHS_H
#define INSTR_PROFILE_PATHS_H

#include "inputs/inputs_paths.h"

extern const struct path_kind profile_path_kind;

#endif
