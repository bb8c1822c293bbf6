/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single functions of a profile: lookup.c answers, lookup_table.c reads the hash table of an indexed file. */
#ifndef INSTR_LOOKUP_MODEL_H
#define INSTR_LOOKUP_MODEL_H

#include <anyprof/lookup.h>

#include "base/file_pages.h"
#include "instr/indexed_reader.h"

/* An item of the table: where its parts are. */
struct table_item {
    uint64_t key, n_key;
    uint64_t data, n_data;
    bool found;
};

/* The table of an indexed file, in the file. */
struct lookup_table {
    struct file_pages pages;
    const struct indexed_version *version;
    uint64_t start, end; /* the payload; behind it are the buckets */
    uint64_t n_buckets;
    uint64_t vtables_at; /* 0: none */
    VEC(uint8_t) buffer; /* reused: what was read of an item */
    bool has_vtables;    /* they are in `scratch` */
};

struct apf_lookup {
    struct apf_lookup_info info;
    struct read_options options;
    struct lookup_table table;
    /* NULL: the table answers. */
    struct apf_instr *whole;
    struct sort_key *entries; /* numbers of its records, by the ids of their names */
    /* What was found last. */
    struct apf_instr *scratch; /* its arena and its records */
    struct arena names;        /* of targets */
    VEC(struct apf_record) records;
};

/* Opens the table of a file whose pages are open and that has the magic of indexed profiles. */
int lookup_table_open(struct apf_lookup *l, struct apf_error *error);
void lookup_table_close(struct lookup_table *t);
/* The item with an id and, where `name` is not NULL, that name. */
int lookup_table_find(struct lookup_table *t, uint64_t id, const struct apf_str *name,
                      struct table_item *item, struct apf_error *error);
/* Reads the records of an item into the scratch profile, which is empty. */
int lookup_table_records(struct apf_lookup *l, const struct table_item *item, uint64_t id,
                         struct apf_error *error);
/* A copy of the name of an item, in l->names. */
int lookup_table_name(struct apf_lookup *l, const struct table_item *item, struct apf_str *name,
                      struct apf_error *error);
/* The name of a vtable; n == 0: not known. */
int lookup_table_vtable(struct apf_lookup *l, uint64_t id, struct apf_str *name, struct apf_error *error);

#endif
