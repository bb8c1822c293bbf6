/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words for formats, properties and attributes in JSON documents. */
#ifndef SAMPLE_INFO_WORDS_H
#define SAMPLE_INFO_WORDS_H

#include <anyprof/sample.h>

#include "base/json_write.h"

/* The word for an enum apf_sample_format, such as "extbinary"; NULL: unknown format. */
const char *sample_format_word(uint32_t format);
/* The enum apf_sample_format of a word; 0: unknown word. */
uint32_t sample_format_of(struct apf_str word);

/* A bit, and its word. */
struct sample_bit_word {
    uint32_t bit;
    const char *word;
};
/* The words for APF_SAMPLE_PROBES, ... and for APF_SAMPLE_WAS_INLINED, ...: the last row has no word. */
extern const struct sample_bit_word sample_flag_words[];
extern const struct sample_bit_word sample_attribute_words[];
/* Writes a key, and an array of the words for the bits that have one; the others are one hexadecimal number in it. */
void sample_bit_words_write(struct json_writer *w, const char *key, const struct sample_bit_word *words,
                            uint32_t bits);

#endif
