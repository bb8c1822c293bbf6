/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a lookup. lookup.c finds names and lookup_local.c those of local functions; lookup_indexed.c reads the
 * hash table of an indexed file. */
#ifndef INSTR_LOOKUP_MODEL_H
#define INSTR_LOOKUP_MODEL_H

#include <anyprof/lookup.h>

#include "base/file_pages.h"
#include "base/hash_index.h"
#include "base/sort.h"
#include "instr/indexed/indexed_reader.h"

/* The hash table of an indexed file, read in the file. */
struct lookup_indexed {
    struct file_pages pages;
    const struct indexed_version *version;
    struct disk_table table;
    uint64_t vtables_at; /* 0: none */
    VEC(uint8_t) buffer; /* reused for every item that is read */
    bool has_vtables;    /* names of vtables are in `scratch` */
    /* Items that may still be read in deep buckets before the whole table is listed. Writers make buckets of a few
     * items each; other files may have thousands in one, or the same ones in all. */
    uint64_t walks;
    VEC(struct sort_key) listed; /* hash and offset of every item, by hash */
    bool has_list;
};

/* A target whose name the caller asked for. */
struct lookup_target {
    uint64_t id;
    struct apf_str name; /* n == 0: not known */
};

struct apf_lookup {
    struct apf_lookup_info info;
    char *file; /* the input's name, for errors */
    struct read_options options;
    struct lookup_indexed indexed;
    /* The whole profile; NULL: `indexed` is searched instead. */
    struct apf_instr *whole;
    struct sort_key *entries; /* numbers of its records, sorted by the ids of their names */
    /* The result of the last search. */
    struct apf_instr *scratch; /* holds its arena and records */
    VEC(struct apf_record) records;
    /* Targets whose names were read since: many values can have one target, and items can overlap. */
    struct hash_index targets_index;
    VEC(struct lookup_target) targets;
    struct arena names;
    uint64_t names_left; /* bytes that further names may have */
};

/* Starts a search: drops the records of the last one, and keeps their memory. */
void lookup_forget(struct apf_lookup *l);
/* Ends a search: counts its reads, and names the file in its error. Returns the code. */
int lookup_ended(struct apf_lookup *l, int code, struct apf_error *error);
/* Appends a record of `from`, the whole profile or the scratch, to the result of the search. */
int lookup_add_record(struct apf_lookup *l, const struct apf_instr *from, const struct record *r,
                      struct apf_str name, struct apf_error *error);
/* Appends the records of an item of the table. */
int lookup_add_item(struct apf_lookup *l, const struct disk_item *item, struct apf_str name,
                    struct apf_error *error);
int lookup_unknown(struct apf_str name, struct apf_error *error);
/* Reports, as a compiler does, a name whose records, which the search has found, have other hashes. */
int lookup_mismatch(const struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_error *error);
/* apf_lookup_find_local; with `hash` (may be NULL) only the records that have it, by the rule of apf_lookup_find. */
int lookup_find_local(struct apf_lookup *l, struct apf_str name, const uint64_t *hash, size_t *n,
                      struct apf_error *error);

/* Keeps, of the records that a search has found, those with a hash; lookup_mismatch if there is none. */
int lookup_choose_hash(struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_error *error);

/* Opens the table of a file whose pages are open and that has the magic of indexed profiles. */
int lookup_indexed_open(struct apf_lookup *l, struct apf_error *error);
void lookup_indexed_close(struct lookup_indexed *t);
/* Finds the item with an id and, if `name` is not NULL, that name. */
int lookup_indexed_find(struct lookup_indexed *t, uint64_t id, const struct apf_str *name,
                        struct disk_item *item, bool *found, struct apf_error *error);
/* Appends the records of an item to the scratch profile. */
int lookup_indexed_records(struct apf_lookup *l, const struct disk_item *item, uint64_t id,
                           struct apf_error *error);
/* Reads the name of an item into the buffer; it is valid until the next read. */
int lookup_indexed_key(struct lookup_indexed *t, const struct disk_item *item, struct apf_str *name,
                       struct apf_error *error);
/* Copies the name of an item to l->names. APF_TRUNCATED: together, names have more bytes than the file. */
int lookup_indexed_name(struct apf_lookup *l, const struct disk_item *item, struct apf_str *name,
                        struct apf_error *error);
/* Finds the name of a vtable; n == 0: unknown. */
int lookup_indexed_vtable(struct apf_lookup *l, uint64_t id, struct apf_str *name, struct apf_error *error);

#endif
