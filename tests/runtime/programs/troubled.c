/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that trouble.c loads. */
void counted_there(void)
{
    __asm__ volatile("");
}
