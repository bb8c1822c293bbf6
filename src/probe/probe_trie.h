/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Probes with their inline stacks, as the forest that .pseudo_probe stores: one tree for each function symbol.
 *
 * The caller defines places in the code: addresses for an encoded section, labels for assembly. Only the sink
 * interprets them. */
#ifndef PROBE_PROBE_TRIE_H
#define PROBE_PROBE_TRIE_H

#include <stdbool.h>

#include <anyprof/probe.h>

#include "base/hash_index.h"
#include "base/vec.h"

struct trie_probe {
    uint64_t place;
    uint32_t next; /* next probe of its node; APF_PROBE_NONE: the last one */
    uint32_t id, discriminator;
    uint8_t packed; /* type and attributes, as in the section */
};

struct trie_node {
    uint64_t guid;
    uint32_t site;   /* the call probe where it is inlined */
    uint32_t parent; /* a node or, for a top-level record, the function */
    uint32_t first_probe, last_probe, n_probes;
    uint32_t first_child, next, n_children; /* after trie_order */
    bool top;
};

/* The code of a function symbol. */
struct trie_function {
    uint64_t guid;  /* of the symbol's name */
    uint64_t place; /* start of the code */
    uint32_t first; /* record, after trie_order */
};

/* All zero = empty. */
struct probe_trie {
    VEC(struct trie_function) functions;
    VEC(struct trie_node) nodes;
    VEC(struct trie_probe) probes;
    struct hash_index index; /* of nodes */
};

/* Callbacks for the written items: 8 bytes, a number of variable length, one byte, and the distance between two
 * places. */
struct probe_sink {
    void (*guid)(void *user, uint64_t guid);
    void (*number)(void *user, uint32_t number);
    void (*byte)(void *user, uint8_t byte);
    void (*distance)(void *user, uint64_t from, uint64_t to);
    void *user;
};

/* The next two functions fail with APF_NO_MEMORY, APF_LIMIT, or APF_ARGUMENT for values that the section cannot
 * hold. */
int trie_add_function(struct probe_trie *t, uint64_t guid, uint64_t place, uint32_t *function,
                      struct apf_error *error);
/* new->address is the place. */
int trie_add(struct probe_trie *t, uint32_t function, const struct apf_probe_entry *entry,
             struct apf_error *error);
/* Sorts records, and the nodes inlined into each function, into LLVM's order: by GUID, then by call probe. Called after
 * the last addition, and again after further ones. */
int trie_order(struct probe_trie *t, struct apf_error *error);
/* Writes the records of a function. */
void trie_write(const struct probe_trie *t, uint32_t function, const struct probe_sink *sink);
void trie_free(struct probe_trie *t);

#endif
