/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model of a memory profile, struct apf_memprof, which every reader fills and every printer and writer reads.
 *
 * Call stacks are paths in a tree whose root is node 0: a node is a frame and the stack that called it. So a stack is
 * one number, equal stacks have the same number, and frames that stacks share are stored once, as in the file. */
#ifndef INSTR_MEMPROF_MODEL_H
#define INSTR_MEMPROF_MODEL_H

#include <anyprof/memprof.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "instr/layout/memprof_layout.h"
#include "instr/model/write_losses.h"

/* The most entries of a kind, whose numbers have 32 bits. Readers allow fewer: max_records. */
#define MEMPROF_MOST (UINT32_MAX - 1)

struct memprof_node {
    uint32_t frame;  /* number of the frame */
    uint32_t parent; /* node of the caller */
    uint32_t depth;  /* number of frames up to the root */
};

struct memprof_function {
    uint64_t guid;
    size_t first_alloc, n_allocs, first_site, n_sites; /* set by memprof_group */
};

/* An allocation context. */
struct memprof_alloc {
    uint32_t function;  /* number of the function */
    uint32_t stack;     /* node */
    uint32_t fields;    /* bits of the fields that have a value */
    size_t first_value; /* of the lowest field; values of the other fields follow */
};

struct memprof_site {
    uint32_t function;              /* number of the function */
    uint32_t stack;                 /* node */
    size_t first_callee, n_callees; /* in callee_guids; set by memprof_group */
};

struct memprof_callee {
    uint32_t site; /* number of the call site */
    uint64_t guid;
};

/* A data access profile. */
struct memprof_datum {
    bool is_literal;
    uint64_t id;                        /* number of the string, or hash of the literal */
    uint64_t count;                     /* accesses */
    size_t first_location, n_locations; /* set by memprof_group */
};

struct memprof_location {
    uint32_t datum; /* number of the data access profile */
    uint32_t file;  /* number of the string */
    uint32_t line;
};

struct apf_memprof {
    struct apf_memprof_info info; /* counts and arrays are set by memprof_group */
    struct arena arena;           /* bytes of the strings */
    VEC(struct apf_memprof_frame) frames;
    VEC(struct memprof_node) nodes;
    VEC(struct memprof_function) functions;
    VEC(struct memprof_alloc) allocs;
    VEC(uint64_t) values;
    VEC(struct memprof_site) sites;
    VEC(struct memprof_callee) callees; /* until memprof_group moves them to callee_guids */
    VEC(uint64_t) callee_guids;         /* set by memprof_group: the callees, call site by call site */
    VEC(struct apf_str) strings;
    VEC(struct memprof_datum) data;
    VEC(struct memprof_location) locations;
    VEC(uint32_t) cold;               /* numbers of the strings that are cold symbols */
    VEC(struct apf_str) cold_symbols; /* set by memprof_group: these strings */
    VEC(uint64_t) cold_hashes;
    struct hash_index by_frame, by_node, by_guid, by_string;
    /* Used by memprof_merge.c only. */
    struct hash_index by_alloc, by_site, by_callee, by_datum, by_location, by_cold, by_cold_hash;
    uint64_t inputs;      /* number of profiles that memprof_add has added */
    bool has_summary;     /* a reader has set info.summary */
    uint64_t most;        /* most entries of each kind but functions, which the readers count */
    bool failed;          /* an allocation failed, or a limit was reached; later entries are dropped */
    const char *too_much; /* the message for a limit, or NULL */
};

/* A profile that may have `most` entries of each kind. NULL: allocation failed. */
struct apf_memprof *memprof_new(uint64_t most);
void memprof_free(struct apf_memprof *m);

/* Makes room for one more entry in an index of *m. False: a failure that memprof_check reports. */
bool memprof_reserve(struct apf_memprof *m, struct hash_index *index) MUST_USE;
/* These find the number of an entry and add the entry if it is new. After a failure they return 0, and memprof_check
 * reports the failure: readers call it once for each function. */
uint32_t memprof_frame_number(struct apf_memprof *m, const struct apf_memprof_frame *frame);
uint32_t memprof_node_number(struct apf_memprof *m, uint32_t parent, uint32_t frame);
uint32_t memprof_string_number(struct apf_memprof *m, const void *p, size_t n);
/* *known (may be NULL) is set to whether the function was there before. */
uint32_t memprof_function_number(struct apf_memprof *m, uint64_t guid, bool *known);
int memprof_check(const struct apf_memprof *m, const char *where, uint64_t offset, struct apf_error *error);

/* These append an entry. `values` has a value for every field, by number. */
void memprof_push_alloc(struct apf_memprof *m, uint32_t function, uint32_t stack, uint32_t fields,
                        const uint64_t values[APF_MEMPROF_FIELDS]);
uint32_t memprof_push_site(struct apf_memprof *m, uint32_t function, uint32_t stack);
void memprof_push_callee(struct apf_memprof *m, uint32_t site, uint64_t guid);
uint32_t memprof_push_datum(struct apf_memprof *m, bool is_literal, uint64_t id, uint64_t count);
void memprof_push_location(struct apf_memprof *m, uint32_t datum, uint32_t file, uint32_t line);
void memprof_push_cold(struct apf_memprof *m, uint32_t string);
void memprof_push_cold_hash(struct apf_memprof *m, uint64_t literal);

/* Copies the values of an allocation context, by number of the field; those that it lacks are 0. */
void memprof_values(const struct apf_memprof *m, const struct memprof_alloc *a,
                    uint64_t values[APF_MEMPROF_FIELDS]);
/* Size of a field in a section, in bytes. */
unsigned memprof_field_bytes(unsigned field);
/* Makes LLVM's summary, for which only the first context of each stack counts. APF_OK or APF_NO_MEMORY. */
int memprof_summarise(const struct apf_memprof *m, struct apf_memprof_summary *summary);

static inline uint32_t memprof_bit(unsigned field)
{
    return (uint32_t)1 << field;
}
/* The fields that LLVM writes by default. */
#define MEMPROF_HOT_COLD                                                                                     \
    (1u << APF_MEMPROF_ALLOC_COUNT | 1u << APF_MEMPROF_TOTAL_SIZE | 1u << APF_MEMPROF_TOTAL_LIFETIME |       \
     1u << APF_MEMPROF_TOTAL_LIFETIME_ACCESS_DENSITY)
/* The bits of the fields 1 .. last. */
static inline uint32_t memprof_fields_to(unsigned last)
{
    return (((uint32_t)1 << last << 1) - 1) & ~1u;
}

/* The number of data access profiles and of data known as cold, which only version 4 holds. */
static inline uint64_t memprof_data_count(const struct apf_memprof_info *info)
{
    return info->n_data + info->n_cold_symbols + info->n_cold_hashes;
}

/* Counts an entire memory profile (NULL: none) as left out of an output. */
void memprof_count_dropped(const struct apf_memprof *memprof, struct write_losses *losses);

#endif
