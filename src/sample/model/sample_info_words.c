/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_info_words.h"

#include "base/text_bytes.h"

/* By enum apf_sample_format. */
static const char *const formats[] = {NULL,        "text", "binary", "compact",
                                      "extbinary", "gcc",  "merged", "json"};
#define N_FORMATS (sizeof formats / sizeof *formats)

const char *sample_format_word(uint32_t format)
{
    return format < N_FORMATS ? formats[format] : NULL;
}

uint32_t sample_format_of(struct apf_str word)
{
    for (uint32_t i = 1; i < N_FORMATS; i++)
        if (text_is(word, formats[i]))
            return i;
    return 0;
}

const struct sample_bit_word sample_flag_words[] = {
    {APF_SAMPLE_PROBES, "probes"},
    {APF_SAMPLE_CONTEXTS, "contexts"},
    {APF_SAMPLE_PREINLINED, "preinlined"},
    {APF_SAMPLE_FS, "fs_discriminators"},
    {APF_SAMPLE_MD5, "md5"},
    {APF_SAMPLE_UNIQUE, "unique_names"},
    {APF_SAMPLE_PARTIAL, "partial"},
    {APF_SAMPLE_VTABLES, "vtables"},
    {APF_SAMPLE_ATTRIBUTES, "attributes"},
    {APF_SAMPLE_TIMES, "times"},
    {0, NULL},
};

const struct sample_bit_word sample_attribute_words[] = {
    {APF_SAMPLE_WAS_INLINED, "was_inlined"},
    {APF_SAMPLE_SHOULD_BE_INLINED, "should_be_inlined"},
    {APF_SAMPLE_DUPLICATED, "duplicated"},
    {0, NULL},
};

void sample_bit_words_write(struct json_writer *w, const char *key, const struct sample_bit_word *words,
                            uint32_t bits)
{
    json_key(w, key);
    json_array_begin(w);
    for (; words->word; words++)
        if (bits & words->bit) {
            json_cstring(w, words->word);
            bits &= ~words->bit;
        }
    if (bits)
        json_hex(w, bits);
    json_array_end(w);
}
