/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of an extbinary file by which single functions are found. */
#ifndef SAMPLE_TABLES_H
#define SAMPLE_TABLES_H

#include <anyprof/sample_lookup.h>

#include "base/file_pages.h"
#include "base/sort.h"
#include "sample/binary/sample_ext.h"

/* A section in memory. */
struct sample_loaded {
    const struct sample_section *section; /* NULL: not loaded */
    VEC(uint8_t) stored;
    struct sample_inflated inflated;
    struct cursor c; /* over its contents */
    uint64_t stored_at;
};

/* An entry of a table of places. */
struct sample_entry {
    uint64_t offset; /* of the function in its section */
    uint32_t key;    /* number of the function's name or context in its table */
    uint32_t part;   /* which section of functions */
};

/* A section of functions, with the table of places before it. */
struct sample_function_part {
    const struct sample_section *places, *functions;
    VEC(uint64_t) offsets; /* of all functions of the table, ascending */
    struct sample_loaded loaded;
};

struct sample_tables {
    struct file_pages pages;
    struct sample_sections sections;
    struct sample_decoder d;
    struct apf_sample *facts; /* what the tables say: the flags and the summary */
    uint64_t budget;          /* bytes that sections may still be inflated to */
    struct sample_loaded names, contexts, metadata;
    VEC(struct sample_function_part) parts;
    VEC(struct sample_entry) entries; /* in the order of the file */
    /* Names in their order, and the place of each in it, which is the same for equal names; empty: that of the
     * table. */
    VEC(uint32_t) order;
    VEC(uint32_t) rank;
    VEC(struct sort_key) by_name; /* entries, by the rank of the function's name */
    /* Of each context, its offset in the table of contexts, and the number of its function's name. */
    VEC(uint64_t) context_at;
    VEC(uint32_t) leaf;
    struct sample_ext_frames frames;
    VEC(uint32_t) interned; /* contexts that are in the profile of the last search */
    struct sample_metadata_form form;
    VEC(struct sort_key) by_key; /* entries of metadata, by key; see sample_tables_key */
    bool has_metadata;           /* these are known */
    /* Scratch memory of searches. */
    VEC(struct sort_key) chosen;
    VEC(uint64_t) keys;
    VEC(uint8_t) buffer;
};

/* Reads the tables of a file whose pages are open. *usable is false if its functions cannot be found by them. */
int sample_tables_open(struct sample_tables *t, const struct sample_read_options *options, bool *usable,
                       struct apf_error *error);
void sample_tables_close(struct sample_tables *t);
/* Reads a section into memory. */
int sample_tables_load(struct sample_tables *t, const struct sample_section *section,
                       struct sample_loaded *to, struct apf_error *error);
/* Makes a section the decoder's part. */
static inline void sample_tables_enter(struct sample_tables *t, const struct sample_loaded *loaded)
{
    t->d.c = loaded->c;
    t->d.where = loaded->section->kind->where;
    t->d.stored_at = loaded->stored_at;
}
/* The number of the name of the function that an entry is about. */
static inline uint32_t sample_tables_leaf(const struct sample_tables *t, const struct sample_entry *entry)
{
    return t->d.has_contexts ? t->leaf.data[entry->key] : entry->key;
}
/* The rank of a name of the table. */
static inline uint32_t sample_tables_rank(const struct sample_tables *t, uint32_t name)
{
    return t->rank.n ? t->rank.data[name] : name;
}
/* Finds the rank of a name. False: the table does not have it. */
bool sample_tables_search(const struct sample_tables *t, struct apf_str name, uint32_t *rank);
/* Fills an empty profile with the functions that have a name. *any: there are some. */
int sample_tables_find(struct sample_tables *t, struct apf_str name, struct apf_sample *found, bool *any,
                       struct apf_error *error);

#endif
