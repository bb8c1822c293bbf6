/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blob in which LLVM stores names, in profiles and in programs: chunks of ULEB128 size, ULEB128 compressed size (0:
 * it is not compressed), data; between names stands the byte 1. */
#ifndef BASE_NAME_CHUNKS_H
#define BASE_NAME_CHUNKS_H

#include <string.h>

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/cursor.h"

/* The byte between names, which no name contains. */
#define NAME_SEPARATOR 1
static inline bool name_has_separator(struct apf_str name)
{
    return name.n && memchr(name.p, NAME_SEPARATOR, name.n);
}
/* A vector, see base/vec.h. */
struct name_list {
    struct apf_str *data;
    size_t n, capacity;
};
/* Appends the strings of a blob of n bytes at the cursor to a list, and moves the cursor after the blob. Strings may be
 * empty; they point into the bytes at the cursor or, if the blob is compressed, into the arena. `where` is the dotted
 * path for errors. The inflated size is subtracted from *budget, which all blobs of a file share (deflate_budget). */
int name_chunks_strings(struct cursor *c, uint64_t n, uint64_t *budget, const char *where,
                        struct arena *arena, struct name_list *list, struct apf_error *error);

/* Reads one chunk. *text points into the file (*in_file) or to the inflated text in the arena. */
int name_chunk_read(struct cursor *c, uint64_t *budget, const char *where, struct arena *arena,
                    const uint8_t **text, uint64_t *n, bool *in_file, struct apf_error *error);
/* Passes the linker's padding between the names of several objects. */
static inline void name_chunk_pass_padding(struct cursor *c)
{
    while (cursor_left(c) && *c->p == 0)
        c->p++;
}
/* Reports `size` bytes that do not fit at the cursor. */
int name_chunk_short(struct apf_error *error, const char *where, const struct cursor *c, uint64_t size);

#endif
