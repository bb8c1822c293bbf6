/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects for systems other than Linux refer to __llvm_profile_runtime so that linkers find a runtime. Nothing starts
 * by itself on bare metal: the program calls apf_rt_write. In its own object, so that a program may define the
 * symbol. */
#include "rt_image.h"

#ifndef ANYPROF_RT_HOSTED

RT_HIDDEN extern int __llvm_profile_runtime;
int __llvm_profile_runtime;

#endif
