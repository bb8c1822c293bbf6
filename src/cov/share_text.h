/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shares as text, rounded, but 100 per cent is all. */
#ifndef COV_SHARE_TEXT_H
#define COV_SHARE_TEXT_H

#include <anyprof/cov.h>

#include "base/file.h"

#define SHARE_ONE 10000u

/* A share in parts of SHARE_ONE, which is all; of nothing, it is all. */
unsigned share_parts(const struct apf_cov_share *s);
/* Writes "12.34%"; of nothing, "-". */
void share_write(struct file_out *out, const struct apf_cov_share *s);

#endif
