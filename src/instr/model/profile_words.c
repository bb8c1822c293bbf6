/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/profile_words.h"

#include "base/json_entry.h"
#include "base/text_append.h"
#include "base/text_bytes.h"
#include "instr/layout/releases.h"

static const struct {
    uint64_t bit;
    const char *name;
} variants[] = {
    {APF_VARIANT_IR, "ir"},
    {APF_VARIANT_CS, "context_sensitive"},
    {APF_VARIANT_ENTRY_FIRST, "entry_first"},
    {APF_VARIANT_LOOP_ENTRIES, "loop_entries"},
    {APF_VARIANT_ENTRY_ONLY, "entry_only"},
    {APF_VARIANT_BYTE_COVERAGE, "byte_coverage"},
    {APF_VARIANT_TEMPORAL, "temporal"},
    {APF_VARIANT_MEMPROF, "memprof"},
    {APF_VARIANT_DEBUG_CORRELATE, "debug_correlate"},
};

static const struct {
    uint32_t format;
    const char *name;
} formats[] = {
    {APF_FORMAT_RAW, "raw"},       {APF_FORMAT_INDEXED, "indexed"}, {APF_FORMAT_TEXT, "text"},
    {APF_FORMAT_MERGED, "merged"}, {APF_FORMAT_JSON, "json"},       {APF_FORMAT_MEMPROF, "memprof"},
};

void variant_words_write(struct json_writer *w, const char *key, uint64_t bits)
{
    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (bits & variants[i].bit)
            json_cstring(w, variants[i].name);
    json_array_end(w);
}

uint64_t variant_word_bit(struct apf_str word)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (text_is(word, variants[i].name))
            return variants[i].bit;
    return 0;
}

const char *format_word(int64_t format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            return formats[i].name;
    return NULL;
}

uint32_t format_of_word(struct apf_str word)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (text_is(word, formats[i].name))
            return formats[i].format;
    return 0;
}

void release_words_write(struct json_writer *w, const char *key, uint64_t set)
{
    json_key(w, key);
    json_array_begin(w);
    for (unsigned i = 0; i < release_count(); i++)
        if (set >> i & 1)
            json_cstring(w, release_row(i)->name);
    json_array_end(w);
}

void release_words_print(struct file_out *out, uint64_t set)
{
    const char *before = "LLVM ";
    for (unsigned i = 0; i < release_count(); i++) {
        unsigned last = i;
        if (!(set >> i & 1))
            continue;
        while (last + 1 < release_count() && set >> (last + 1) & 1)
            last++;
        text_append(out, before);
        text_append(out, release_row(i)->name);
        if (last > i) {
            text_append(out, last == i + 1 ? ", " : " to ");
            text_append(out, release_row(last)->name);
        }
        before = ", ";
        i = last;
    }
}
