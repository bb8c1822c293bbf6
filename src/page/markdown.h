/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text inside of tables of GitHub's and GitLab's Markdown. */
#ifndef PAGE_MARKDOWN_H
#define PAGE_MARKDOWN_H

#include "base/file.h"

/* Writes any bytes as code: between more backquotes than are in it, without what ends a cell or a line. Of long ones,
 * the middle is left out. */
void markdown_code(struct file_out *out, struct apf_str text);
/* Writes words as they are, and any other text as code. */
void markdown_text(struct file_out *out, struct apf_str text);

#endif
