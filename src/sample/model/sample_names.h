/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions, call targets and vtables, each once. A name has one number wherever it stands, and so has its
 * MD5 hash, by which alone some profiles know it. */
#ifndef SAMPLE_NAMES_H
#define SAMPLE_NAMES_H

#include <anyprof/sample.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/text_bytes.h"
#include "base/text_set.h"
#include "base/vec.h"

/* In place of the number of a name, context or node (or of another thing that has one): there is none. */
#define SAMPLE_NONE APF_SAMPLE_NONE

struct sample_name {
    const char *p; /* not terminated; NULL: only the hash is known */
    uint32_t n;    /* bytes at p */
    uint32_t file; /* number of the source file (GCC's layouts 3); SAMPLE_NONE: unknown */
    uint64_t hash; /* 0: not computed yet; see sample_names_hash */
};

/* All zero = empty. Numbers are those of the order in which names were added, which must decide nothing in outputs. */
struct sample_names {
    VEC(struct sample_name) list;
    struct text_set files;     /* names of source files */
    struct hash_index by_text; /* of names whose text is known, by text and file */
    struct hash_index by_hash; /* with `hashed`: of all names whose file is unknown, by hash */
    bool hashed;               /* every name has its hash: true once a hash was added */
    size_t n_indexed;          /* names before this one are in by_text */
    struct arena text;         /* copies of names */
};

void sample_names_free(struct sample_names *s);
/* Empties a table and keeps its memory; names that were given out become invalid. */
void sample_names_reset(struct sample_names *s);

/* Makes room for n more names, so that the table need not grow. */
int sample_names_reserve(struct sample_names *s, size_t n, struct apf_error *error);
/* Adds a name, unless it is there. The bytes are copied if `copy` is set, else they must outlive the table. If its hash
 * is there without a name, that entry gets the name. `file` is a number of `files`, or SAMPLE_NONE. */
int sample_names_add(struct sample_names *s, struct apf_str name, uint32_t file, bool copy, uint32_t *number,
                     struct apf_error *error);
/* Adds a hash, unless it, or a name with this hash, is there. */
int sample_names_add_hash(struct sample_names *s, uint64_t hash, uint32_t *number, struct apf_error *error);
/* Appends a name without a search, which the caller knows to be new: names of a sorted table, which starts empty, are.
 * A name that is there already would get a second number. The bytes are not copied, and must outlive the table. The
 * name is not in the indexes until the next sample_names_add or sample_names_add_hash. */
int sample_names_push(struct sample_names *s, struct apf_str name, uint32_t *number, struct apf_error *error);
/* The number of a name, or SAMPLE_NONE. Its file is ignored if `file` is SAMPLE_NONE. Everything must be indexed. */
uint32_t sample_names_find(const struct sample_names *s, struct apf_str name, uint32_t file);

/* Three steps that load from memory what a later search for a name without a file needs, for searches of many names:
 * each step is to be taken for all of them before the next one. The first returns the hash of the name, the second the
 * number of the entry, or SAMPLE_NONE, that is most likely the name's. */
uint64_t sample_names_fetch_slot(const struct sample_names *s, struct apf_str name);
uint32_t sample_names_fetch_entry(const struct sample_names *s, uint64_t hash);
static inline void sample_names_fetch_text(const struct sample_names *s, uint32_t entry)
{
    if (entry != SAMPLE_NONE)
        PREFETCH(s->list.data[entry].p);
}

/* The number of the name, whose file is unknown, that has a hash, or SAMPLE_NONE. `hashed` must be set, and everything
 * indexed. */
uint32_t sample_names_find_hash(const struct sample_names *s, uint64_t hash);

/* Gives hashes without a name theirs, if the list has it. The bytes are copied. */
int sample_names_identify(struct sample_names *s, const struct apf_str *list, size_t n,
                          struct apf_error *error);

/* The hash of a name; of one that is only a hash, that. Never changes the table, so that threads may ask at once. */
uint64_t sample_names_hash(const struct sample_names *s, uint32_t number);

static inline struct apf_str sample_names_text(const struct sample_names *s, uint32_t number)
{
    struct apf_str text = {s->list.data[number].p, s->list.data[number].n};
    return text;
}

/* The place of each name in LLVM's order of ids: hashes before names, hashes by value, names by their bytes; then by
 * file. *ranks has s->list.n numbers, which the caller frees. */
int sample_names_rank(const struct sample_names *s, uint32_t **ranks, struct apf_error *error);

/* Adds all names of one table to another: map[i] becomes the number of name i. The texts are copied if `copy` is set.
 * `map` has room for from->list.n numbers. */
int sample_names_adopt(struct sample_names *to, const struct sample_names *from, bool copy, uint32_t *map,
                       struct apf_error *error);

/* Whether a name is that of a local function with -funique-internal-linkage-names, which compilers look for with its
 * suffix only in profiles that are flagged (APF_SAMPLE_UNIQUE). Nothing says so of a hash, whose text.p is NULL. */
static inline bool sample_name_is_unique(struct apf_str text)
{
    static const struct apf_str mark = {".__uniq.", 8};
    return text.p && text_contains(text.p, text.n, mark);
}

/* Whether a name can stand in the text of a context, "main:3 @ foo": it has neither a colon nor " @ ". */
bool sample_names_in_frame(struct apf_str name);

/* If a text is a decimal number from 1 to 2^64-1 without leading zeros, as LLVM prints a hash, that number; else 0. */
uint64_t sample_names_decimal(struct apf_str text);

#endif
