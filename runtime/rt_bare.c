/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What objects for systems other than Linux ask for: compilers refer to this so that linkers find a runtime. Nothing
 * starts by itself here: the program writes its profile where it wants to. In its own object, so that a program may
 * define it. */
#include "rt_image.h"

#ifndef ANYPROF_RT_HOSTED

RT_HIDDEN extern int __llvm_profile_runtime;
int __llvm_profile_runtime;

#endif
