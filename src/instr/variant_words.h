/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words for variant bits and formats in JSON, both ways, and findings. */
#ifndef INSTR_VARIANT_WORDS_H
#define INSTR_VARIANT_WORDS_H

#include <anyprof/instr.h>

#include "base/json_write.h"

/* A key, and an array of the words for the bits. */
void variant_words_put(struct json_writer *w, const char *key, uint64_t bits);
/* The bit of a word; 0: there is no such word. */
uint64_t variant_word_bit(struct apf_str word);
/* "raw", "indexed", ...; NULL: none. */
const char *format_word(int64_t format);
/* enum apf_instr_format; 0: there is no such word. */
int32_t format_of_word(struct apf_str word);
/* "findings": a list of objects. */
void finding_words_put(struct json_writer *w, const struct apf_finding *findings, size_t n);

#endif
