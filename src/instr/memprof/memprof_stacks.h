/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lower half of memprof_read.c: the reader's state, and the hash tables, frames and call stacks of a section. */
#ifndef INSTR_MEMPROF_STACKS_H
#define INSTR_MEMPROF_STACKS_H

#include "base/cursor.h"
#include "base/error.h"
#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"

struct memprof_reader {
    struct apf_memprof *m;
    const struct read_options *options;
    const uint8_t *data; /* the file */
    size_t n;
    uint64_t start; /* offset of the section */
    unsigned version;
    uint8_t schema[APF_MEMPROF_FIELDS]; /* the fields of an allocation context, in the order of the section */
    unsigned n_schema, block_bytes;     /* number of these fields, and their size together */
    uint64_t budget;                    /* bytes that stacks may still have when each is written out */
    /* Versions 0 to 2: frames and stacks by id. */
    VEC(uint64_t) frame_ids;
    struct hash_index by_frame_id; /* places in frame_ids */
    VEC(uint64_t) stack_ids;
    VEC(uint32_t) stacks;          /* nodes, in the order of stack_ids */
    struct hash_index by_stack_id; /* places in stack_ids */
    /* Versions 3 and 4: the array of call stacks. */
    const uint8_t *words;
    uint64_t words_at;    /* offset of the array */
    uint64_t n_words;     /* 4 bytes each */
    uint32_t *word_nodes; /* the node of the stack from a word on; 0: not known yet */
    VEC(uint64_t) path;   /* scratch memory: words of a stack */
    /* All versions: numbers of frames in the model, in the order of frame_ids or of the array. */
    VEC(uint32_t) frames;
};

/* Called with the key of an item, the offset of the item, and a cursor over its data. */
typedef int memprof_item_fn(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                            struct apf_error *error);
struct memprof_table {
    const char *where;         /* dotted path for errors */
    uint64_t payload, buckets; /* offsets */
    bool fixed_keys;           /* see struct disk_table_kind */
    memprof_item_fn *item;
};
/* Calls table->item for every item of a hash table. */
int memprof_read_table(struct memprof_reader *r, const struct memprof_table *table, struct apf_error *error);

/* Versions 0 to 2. */
int memprof_read_frame_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error);
/* Version 2. */
int memprof_read_stack_table(struct memprof_reader *r, uint64_t payload, uint64_t table,
                             struct apf_error *error);
/* Versions 3 and 4: the arguments are the offsets of both arrays and of the records after them. */
int memprof_read_arrays(struct memprof_reader *r, uint64_t frames, uint64_t words, uint64_t records,
                        struct apf_error *error);
/* Versions 0 and 1: reads a list of frame ids at the cursor. */
int memprof_read_stack(struct memprof_reader *r, struct cursor *c, uint32_t *stack, struct apf_error *error);
/* Versions 2 to 4: finds a stack by the id or number that stands at offset `at`. */
int memprof_find_stack(struct memprof_reader *r, uint64_t id, uint64_t at, uint32_t *stack,
                       struct apf_error *error);

#endif
