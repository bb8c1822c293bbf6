/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words for formats, variant bits and releases, and how JSON documents show these. */
#ifndef INSTR_PROFILE_WORDS_H
#define INSTR_PROFILE_WORDS_H

#include <anyprof/instr.h>

#include "base/file.h"
#include "base/json_write.h"

/* Writes a key, and the words for the bits as an array. */
void variant_words_write(struct json_writer *w, const char *key, uint64_t bits);
/* The bit of a word; 0: unknown word. */
uint64_t variant_word_bit(struct apf_str word);
/* The word for an enum apf_instr_format, such as "raw"; NULL: unknown format. */
const char *format_word(int64_t format);
/* The enum apf_instr_format of a word; 0: unknown word. */
uint32_t format_of_word(struct apf_str word);
/* Writes a key, and the names of a set of releases as an array, the oldest first. */
void release_words_write(struct json_writer *w, const char *key, uint64_t set);
/* Prints a set of releases, such as "LLVM 14 to 17, 19"; prints nothing if the set is empty. */
void release_words_print(struct file_out *out, uint64_t set);

#endif
