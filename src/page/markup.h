/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text inside of XML and HTML. */
#ifndef PAGE_MARKUP_H
#define PAGE_MARKUP_H

#include "base/file.h"

/* Writes any bytes as text or as an attribute's value in quotes: they cannot become markup, and what these formats
 * cannot hold (control characters, and bytes that are no UTF-8) is U+FFFD. */
void markup_text(struct file_out *out, struct apf_str text);

#endif
