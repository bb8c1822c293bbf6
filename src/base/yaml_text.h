/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* YAML as LLVM's tools write it, byte for byte. */
#ifndef BASE_YAML_TEXT_H
#define BASE_YAML_TEXT_H

#include "base/text_put.h"

/* Whether a text can be written at all. */
bool yaml_is_utf8(struct apf_str text);
/* A text, between quotes where LLVM puts them. It ends with U+FFFD at the first byte that is no UTF-8. */
void yaml_put_text(struct file_out *out, struct apf_str s);
/* The lowest digits of a number, upper case, without 0x. */
void yaml_put_hex(struct file_out *out, uint64_t v, unsigned digits);
/* Values stand 17 columns behind the beginning of their key, or one behind the colon of a long key. */
#define YAML_PADDING "                "
static inline size_t yaml_padding(size_t n_key)
{
    return n_key < sizeof YAML_PADDING - 1 ? sizeof YAML_PADDING - 1 - n_key : 1;
}
/* A key, the colon and blanks. */
void yaml_put_key(struct file_out *out, const char *key);

#endif
