/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and their ids. A name is stored once; its id is the first 8 bytes of its MD5. */
#ifndef INSTR_SYMBOLS_H
#define INSTR_SYMBOLS_H

#include <anyprof/error.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

struct symbol {
    uint64_t id;
    const char *p;
    uint32_t n;
    uint32_t flags; /* for whoever owns the table */
};

/* All zero = empty. Entries keep their number; they are in the order in which they were added. */
struct symbols {
    VEC(struct symbol) list;
    struct hash_index index;
    size_t n_indexed;  /* entries that are in the index already; nobody looks anything up before all are */
    struct arena text; /* copies of names, where asked for */
};

/* Number of the symbol with an id, or HASH_INDEX_NONE. */
uint32_t symbols_find(const struct symbols *s, uint64_t id);
/* The name of an id; n == 0 when it is not there. */
struct apf_str symbols_name(const struct symbols *s, uint64_t id);
/* The same for an id that is probably that of entry `hint`, as when ids come in the order of the table. */
static inline uint32_t symbols_find_near(const struct symbols *s, uint64_t id, uint32_t hint)
{
    return hint < s->list.n && s->list.data[hint].id == id ? hint : symbols_find(s, id);
}
/* Adds a name, a copy of it, without looking whether it is there. symbols_index must follow before anything is looked
 * up or added in another way. */
int symbols_push(struct symbols *s, uint64_t id, const char *name, size_t n, uint32_t *entry,
                 struct apf_error *error);
/* Puts what was pushed into the index; of equal names the first counts, two names with one id are refused. */
int symbols_index(struct symbols *s, struct apf_error *error);
/* Adds a name whose id is known to be right. `copy`: the bytes are copied, else they must outlive the table.
 * *entry (may be NULL) becomes its number. Two names with one id are refused with APF_MALFORMED. */
int symbols_add_id(struct symbols *s, uint64_t id, const char *name, size_t n, bool copy, uint32_t *entry,
                   struct apf_error *error);
/* The same; computes the id, which *id (may be NULL) becomes. */
int symbols_add(struct symbols *s, const char *name, size_t n, bool copy, uint64_t *id, uint32_t *entry,
                struct apf_error *error);
void symbols_free(struct symbols *s);

#endif
