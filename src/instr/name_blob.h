/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The string LLVM keeps names in: chunks of ULEB128 size, ULEB128 compressed size, data; names parted by 01. */
#ifndef INSTR_NAME_BLOB_H
#define INSTR_NAME_BLOB_H

#include "base/cursor.h"
#include "instr/symbols.h"

/* Reads every name of a blob of n bytes at the cursor, and passes it; names are copied into the table.
 * `where` is the dotted path for errors. What it inflates to is taken from the budget,
 * which is deflate_budget's, of all blobs of a file. */
int name_blob_read(struct cursor *c, uint64_t n, uint64_t *budget, const char *where, struct symbols *out,
                   struct apf_error *error);

/* What stands between names: no name has it. */
#define NAME_SEPARATOR 1
static inline bool name_has_separator(struct apf_str name)
{
    return name.n && memchr(name.p, NAME_SEPARATOR, name.n);
}
/* The strings of such a blob, which may be empty, one after the other: in the bytes that are read, or in the arena. */
struct name_list {
    struct apf_str *data;
    size_t n, capacity;
};
int name_blob_strings(struct cursor *c, uint64_t n, uint64_t *budget, const char *where, struct arena *arena,
                      struct name_list *list, struct apf_error *error);

/* What is found in names that may be damaged. */
struct name_salvage {
    uint64_t found; /* names that were taken */
    bool cut;       /* the bytes end before the names do */
    bool broken;    /* something else is wrong */
};

/* Takes of a blob of n bytes at the cursor, which may end earlier, the names that are wanted by their ids. What is
 * decoded before the damage is looked at; that a name has the id proves it. */
int name_blob_salvage(struct cursor *c, uint64_t n, uint64_t budget,
                      bool (*wanted)(const void *user, uint64_t id), const void *user, struct symbols *out,
                      struct name_salvage *found, struct apf_error *error);

struct name_blob {
    uint8_t *data; /* from malloc */
    size_t n;
};

/* Makes a blob of one chunk, compressed when `compress`; no names make an empty blob. */
int name_blob_write(struct name_blob *out, const struct apf_str *names, size_t n, bool compress,
                    struct apf_error *error);

#endif
