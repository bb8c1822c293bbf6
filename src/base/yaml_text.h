/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes YAML in LLVM's layout. */
#ifndef BASE_YAML_TEXT_H
#define BASE_YAML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"

/* Values begin 17 columns after the beginning of their key, or one column after the colon of a long key. */
#define YAML_PADDING "                "

static inline size_t yaml_padding(size_t n_key)
{
    return n_key < sizeof YAML_PADDING - 1 ? sizeof YAML_PADDING - 1 - n_key : 1;
}

/* Writes a key of a mapping, up to where its value begins. */
void yaml_write_key(struct file_out *out, const char *indent, const char *key);
void yaml_write_hex_upper(struct file_out *out, uint64_t v, unsigned digits);
/* Writes a text, with quotes where LLVM writes them. From the first byte that is no UTF-8, the text is replaced by
 * U+FFFD. */
void yaml_write_text(struct file_out *out, struct apf_str s);
/* Writes a line: a key and its value. */
void yaml_write_number_line(struct file_out *out, const char *indent, const char *key, uint64_t v);
void yaml_write_text_line(struct file_out *out, const char *indent, const char *key, struct apf_str value);

#endif
