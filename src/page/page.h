/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame of a page. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "base/file.h"

/* Writes everything before the contents: the head, with style and policy, and the beginning of the body. */
void page_begin(struct file_out *out, struct apf_str title);
/* Writes everything after the contents: a line with the name of the program, and the script. */
void page_end(struct file_out *out);

#endif
