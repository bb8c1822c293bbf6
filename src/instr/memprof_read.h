/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the MemProf section of an indexed profile. */
#ifndef INSTR_MEMPROF_READ_H
#define INSTR_MEMPROF_READ_H

#include "instr/memprof_model.h"
#include "instr/profile.h"

/* The section begins at `start`; its offsets are those of the file, data[0 .. n). */
int memprof_read(struct apf_memprof **memprof, const uint8_t *data, size_t n, uint64_t start,
                 const struct read_options *options, struct apf_error *error);

/* ---- among the files that read it ---- */

#include "base/cursor.h"

struct memprof_reader {
    struct apf_memprof *m;
    const struct read_options *options;
    const uint8_t *data;
    size_t n;
    uint64_t start; /* of the section */
    unsigned version;
    uint8_t schema[APF_MEMPROF_FIELDS]; /* fields in the order of the section */
    unsigned n_schema, block_bytes;
    uint64_t budget; /* what stacks may take when they are written out; no file needs it all */
    /* Of versions 0 to 2: frames and stacks by their ids. Of 3 and 4: frames by number, and nodes by the word of the
     * array where they begin. */
    VEC(uint64_t) frame_ids;
    VEC(uint32_t) frames; /* numbers in the model */
    struct hash_index by_frame_id;
    VEC(uint64_t) stack_ids;
    VEC(uint32_t) stacks;
    struct hash_index by_stack_id;
    const uint8_t *words;
    uint64_t words_at, n_words;
    uint32_t *word_nodes; /* 0: not known yet */
    VEC(uint64_t) path;
};

int memprof_bad(struct apf_error *error, const char *where, uint64_t offset, uint64_t found,
                uint64_t expected, const char *detail);
/* The stack of a number or id, which is at `at` in the file. */
int memprof_find_stack(struct memprof_reader *r, uint64_t id, uint64_t at, uint32_t *stack,
                       struct apf_error *error);
/* Of versions 0 and 1: a list of frames at the cursor. */
int memprof_read_stack(struct memprof_reader *r, struct cursor *c, uint32_t *stack, struct apf_error *error);
int memprof_read_frame_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error);
int memprof_read_stack_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error);
int memprof_read_arrays(struct memprof_reader *r, uint64_t frames, uint64_t words, uint64_t records,
                        struct apf_error *error);
int memprof_read_data(struct memprof_reader *r, uint64_t at, struct apf_error *error);

/* Walks the items of a hash table, from the payload up to the buckets: `item` is given the key and a cursor over the
 * data, whose offset is that in the file. */
typedef int memprof_item_fn(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                            struct apf_error *error);
struct memprof_table {
    const char *where;
    uint64_t payload, buckets;
    bool no_key_size; /* that of stacks */
    memprof_item_fn *item;
};
int memprof_read_table(struct memprof_reader *r, const struct memprof_table *table, struct apf_error *error);

#endif
