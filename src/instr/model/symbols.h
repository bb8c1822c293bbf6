/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table of names and their ids. A name is stored once; its id is the first 8 bytes of its MD5. */
#ifndef INSTR_SYMBOLS_H
#define INSTR_SYMBOLS_H

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "instr/layout/releases.h"

struct symbol {
    uint64_t id;
    const char *p;
    uint32_t n;
    uint32_t flags; /* free for the owner of the table */
};

/* All zero = empty. Entries keep their number and stand in the order in which they were added. */
struct symbols {
    VEC(struct symbol) list;
    struct hash_index index; /* by id */
    size_t n_indexed;        /* number of entries that have been indexed */
    struct arena text;       /* copies of names */
};

/* The number of the symbol with an id, or HASH_INDEX_NONE. */
uint32_t symbols_find(const struct symbols *s, uint64_t id);
/* The name with an id; n == 0: unknown. */
struct apf_str symbols_name(const struct symbols *s, uint64_t id);
/* symbols_find for an id that probably is that of entry `hint`, as when ids come in the order of the table. */
static inline uint32_t symbols_find_near(const struct symbols *s, uint64_t id, uint32_t hint)
{
    return hint < s->list.n && s->list.data[hint].id == id ? hint : symbols_find(s, id);
}
/* Appends a copy of a name without searching for it. symbols_index must follow before the next search or symbols_add.
 * */
int symbols_push(struct symbols *s, uint64_t id, const char *name, size_t n, uint32_t *entry,
                 struct apf_error *error);
/* Adds the names of symbols_push to the index: of equal names the first one; two names with one id are refused with
 * APF_MALFORMED. */
int symbols_index(struct symbols *s, struct apf_error *error);
/* Adds a name, unless it is there, whose id the caller has checked. The bytes are copied if `copy` is set, else they
 * must outlive the table. *entry (may be NULL) is set to the number of the name. Two names with one id are refused with
 * APF_MALFORMED. */
int symbols_add_id(struct symbols *s, uint64_t id, const char *name, size_t n, bool copy, uint32_t *entry,
                   struct apf_error *error);
/* Computes the id, sets *id (may be NULL) to it, and goes on like symbols_add_id. */
int symbols_add(struct symbols *s, const char *name, size_t n, bool copy, uint64_t *id, uint32_t *entry,
                struct apf_error *error);
/* Adds the separators of all names to the clues. */
void symbols_clues(const struct symbols *s, struct release_clues *clues);
void symbols_free(struct symbols *s);

#endif
