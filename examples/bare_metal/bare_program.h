/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BARE_PROGRAM_H
#define BARE_PROGRAM_H

/* Returns how many smoothed samples were too far from 0. */
int run_filter(const int *samples, int n);

#endif
