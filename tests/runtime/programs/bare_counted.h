/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BARE_COUNTED_H
#define BARE_COUNTED_H

int counted(void);
int uncommon(void);
int other(int x);
extern char bare_from[64], bare_to[64];
int decide(int a, int b, int c);

#endif
