/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sealed profile as text that holds all of it, for comparison with text in tests. */
#ifndef HELPERS_SHARED_SAMPLE_RENDER_H
#define HELPERS_SHARED_SAMPLE_RENDER_H

#include "sample/model/sample_profile.h"

/* Functions in the order in which they came, as in LLVM's text: "NAME:TOTAL:HEAD", lines, then inlined functions with
 * their own lines; a name is "NAME@FILE" if its file is known, "#HASH" if only its hash is; a time follows the head
 * after ":". Targets and callees are in the order of the profile. Valid until the next call; "..." at the end if there
 * is too much of it. */
const char *sample_render(const struct apf_sample *s);

#endif
