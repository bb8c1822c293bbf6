/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads, salvages and writes the blob in which LLVM stores names (base/name_chunks.h), with the table of names that it
 * is for. */
#ifndef INSTR_NAME_BLOB_H
#define INSTR_NAME_BLOB_H

#include "base/name_chunks.h"
#include "instr/model/symbols.h"

/* Reads every name of a blob of n bytes at the cursor into the table, and moves the cursor after the blob. `where` is
 * the dotted path for errors. The inflated size is subtracted from *budget, which all blobs of a file share
 * (deflate_budget). */
int name_blob_read(struct cursor *c, uint64_t n, uint64_t *budget, const char *where, struct symbols *out,
                   struct apf_error *error);

/* The outcome of name_blob_salvage. */
struct name_salvage {
    uint64_t found; /* number of names added to the table */
    bool cut;       /* the file ends before the blob does */
    bool broken;    /* the blob is damaged in another way */
};

/* Adds to the table the names, in a damaged blob of n bytes at the cursor, for whose ids `wanted` returns true. Names
 * are decoded up to the damage; a name is proven by its id. The file may end before the blob does. */
int name_blob_salvage(struct cursor *c, uint64_t n, uint64_t budget,
                      bool (*wanted)(const void *user, uint64_t id), const void *user, struct symbols *out,
                      struct name_salvage *found, struct apf_error *error);

struct name_blob {
    uint8_t *data; /* the caller frees it */
    size_t n;
};

/* Makes a blob of one chunk, compressed if `compress` is set; no names make an empty blob. */
int name_blob_write(struct name_blob *out, const struct apf_str *names, size_t n, bool compress,
                    struct apf_error *error);

#endif
