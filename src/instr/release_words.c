/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/release_words.h"

#include "base/text_put.h"
#include "instr/releases.h"

void release_words_put(struct json_writer *w, const char *key, uint64_t set)
{
    json_key(w, key);
    json_array_begin(w);
    for (unsigned i = 0; i < release_count(); i++)
        if (set >> i & 1)
            json_cstring(w, release_row(i)->name);
    json_array_end(w);
}

void release_words_text(struct file_out *out, uint64_t set)
{
    const char *before = "LLVM ";
    for (unsigned i = 0; i < release_count(); i++) {
        unsigned last = i;
        if (!(set >> i & 1))
            continue;
        while (last + 1 < release_count() && set >> (last + 1) & 1)
            last++;
        text_put(out, before);
        text_put(out, release_row(i)->name);
        if (last > i) {
            text_put(out, last == i + 1 ? ", " : " to ");
            text_put(out, release_row(last)->name);
        }
        before = ", ";
        i = last;
    }
}
