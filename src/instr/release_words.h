/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of LLVM releases, a bit each, in documents. */
#ifndef INSTR_RELEASE_WORDS_H
#define INSTR_RELEASE_WORDS_H

#include "base/file.h"
#include "base/json_entry.h"

/* A list of their names, the oldest first. */
void release_words_put(struct json_writer *w, const char *key, uint64_t set);
/* "LLVM 14 to 17, 19", for people; nothing when the set is empty. */
void release_words_text(struct file_out *out, uint64_t set);

#endif
