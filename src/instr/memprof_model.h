/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory profiles: what the readers of sections (memprof_read.c) and of YAML (memprof_yaml.c) fill, merges add up
 * (memprof_merge.c), and memprof_print.c and memprof_write.c read.
 *
 * Call stacks are paths in a tree from the root, node 0, outwards: a node is a frame and the stack that called it. So a
 * stack is one number, equal stacks have the same one, and what stacks have in common takes memory once, as it does in
 * the file. */
#ifndef INSTR_MEMPROF_MODEL_H
#define INSTR_MEMPROF_MODEL_H

#include <anyprof/memprof.h>
#include <anyprof/merge.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "instr/memprof_layout.h"

#define MEMPROF_NO_VERSION (-1)

/* Numbers of entries are 32 bits wide. Readers allow fewer of each kind: max_records. */
#define MEMPROF_MOST (UINT32_MAX - 1)

struct memprof_node {
    uint32_t frame, parent, depth;
};

struct memprof_function {
    uint64_t guid;
    /* Made by memprof_group. */
    size_t first_alloc, n_allocs, first_site, n_sites;
};

struct memprof_alloc {
    uint32_t function, stack;
    uint32_t fields; /* a bit for each; their values follow each other from the lowest on */
    size_t first_value;
};

struct memprof_site {
    uint32_t function, stack;
    size_t first_callee, n_callees; /* made by memprof_group */
};

struct memprof_callee {
    uint32_t site;
    uint64_t guid;
};

/* A data access profile. */
struct memprof_datum {
    bool is_literal;
    uint64_t id; /* number of a string, or hash of a literal */
    uint64_t count;
    size_t first_location, n_locations; /* made by memprof_group */
};

struct memprof_location {
    uint32_t datum, file, line; /* file: number of a string */
};

struct apf_memprof {
    struct apf_memprof_info info; /* completed by memprof_group */
    struct arena arena;           /* texts */
    VEC(struct apf_memprof_frame) frames;
    VEC(struct memprof_node) nodes;
    VEC(struct memprof_function) functions;
    VEC(struct memprof_alloc) allocs;
    VEC(uint64_t) values;
    VEC(struct memprof_site) sites;
    VEC(struct memprof_callee) callees;
    VEC(uint64_t) callee_guids; /* made by memprof_group */
    VEC(struct apf_str) strings;
    VEC(struct memprof_datum) data;
    VEC(struct memprof_location) locations;
    VEC(uint32_t) cold; /* numbers of strings */
    VEC(struct apf_str) cold_symbols;
    VEC(uint64_t) cold_hashes;
    struct hash_index by_frame, by_node, by_guid, by_string;
    struct hash_index by_alloc, by_site, by_callee, by_datum, by_location, by_cold,
        by_cold_hash;     /* sums only */
    uint64_t inputs;      /* a sum: how many were added */
    bool has_summary;     /* info.summary is that of the file */
    uint64_t most;        /* entries of each kind but functions, whose readers count them */
    bool failed;          /* memory was out, or there was too much; nothing more is taken */
    const char *too_much; /* what there was too much of, as a message says it */
};

/* Of each kind of entries there may be `most`. */
struct apf_memprof *memprof_new(uint64_t most);
void memprof_free(struct apf_memprof *m);

/* The numbers of entries, added when they are new. After a failure they are 0, and memprof_check says why: readers ask
 * it once for each function. */
uint32_t memprof_frame_number(struct apf_memprof *m, const struct apf_memprof_frame *frame);
uint32_t memprof_node_number(struct apf_memprof *m, uint32_t parent, uint32_t frame);
uint32_t memprof_string_number(struct apf_memprof *m, const void *p, size_t n);
/* `known`, which may be NULL: whether it was there. */
uint32_t memprof_function_number(struct apf_memprof *m, uint64_t guid, bool *known);
int memprof_check(const struct apf_memprof *m, const char *where, uint64_t offset, struct apf_error *error);

/* Entries that are added as they come. `values` are those of all fields, by number. */
void memprof_push_alloc(struct apf_memprof *m, uint32_t function, uint32_t stack, uint32_t fields,
                        const uint64_t values[APF_MEMPROF_FIELDS]);
uint32_t memprof_push_site(struct apf_memprof *m, uint32_t function, uint32_t stack);
void memprof_push_callee(struct apf_memprof *m, uint32_t site, uint64_t guid);
uint32_t memprof_push_datum(struct apf_memprof *m, bool is_literal, uint64_t id, uint64_t count);
void memprof_push_location(struct apf_memprof *m, uint32_t datum, uint32_t file, uint32_t line);
void memprof_push_cold(struct apf_memprof *m, uint32_t string);
void memprof_push_cold_hash(struct apf_memprof *m, uint64_t literal);

/* Brings entries of a function together, those of equal places in the order in which they came, and completes
 * m->info. `sorted`: everything is put in an order that its content decides. */
int memprof_group(struct apf_memprof *m, bool sorted, struct apf_error *error);

/* All fields of an allocation context, by number. */
void memprof_values(const struct apf_memprof *m, const struct memprof_alloc *a,
                    uint64_t values[APF_MEMPROF_FIELDS]);
/* Bytes of a field in a section. */
unsigned memprof_field_bytes(unsigned field);
/* Counts contexts, the first of each stack. APF_OK or APF_NO_MEMORY. */
int memprof_summarise(const struct apf_memprof *m, struct apf_memprof_summary *summary);

/* Adds all that `from` has. Contexts of the same function and stack become one. */
int memprof_add(struct apf_memprof *m, const struct apf_memprof *from, uint64_t weight,
                struct apf_error *error);
/* What a sum has as cold, and has counts for as well: another profile had seen it. */
void memprof_drop_warm(struct apf_memprof *m);
/* Contexts and data access profiles with a sum that is the largest its field can hold. */
uint64_t memprof_saturated(const struct apf_memprof *m);

static inline uint32_t memprof_bit(unsigned field)
{
    return (uint32_t)1 << field;
}
/* What LLVM writes unless it is told otherwise. */
#define MEMPROF_HOT_COLD                                                                                     \
    (1u << APF_MEMPROF_ALLOC_COUNT | 1u << APF_MEMPROF_TOTAL_SIZE | 1u << APF_MEMPROF_TOTAL_LIFETIME |       \
     1u << APF_MEMPROF_TOTAL_LIFETIME_ACCESS_DENSITY)
/* The fields up to the one with a number. */
static inline uint32_t memprof_fields_to(unsigned last)
{
    return (((uint32_t)1 << last << 1) - 1) & ~1u;
}

/* Data access profiles, and data known as cold: only version 4 holds them. */
static inline uint64_t memprof_data_count(const struct apf_memprof_info *info)
{
    return info->n_data + info->n_cold_symbols + info->n_cold_hashes;
}

/* All of it (NULL: nothing) is left out of an output. */
void memprof_count_dropped(const struct apf_memprof *memprof, struct apf_merge_stats *stats);

#endif
