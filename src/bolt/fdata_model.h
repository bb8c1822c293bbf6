/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile in memory: records by their text, which is what makes two of them equal. */
#ifndef BOLT_FDATA_MODEL_H
#define BOLT_FDATA_MODEL_H

#include <string.h>

#include <anyprof/bolt.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "bolt/fdata_line.h"

/* A record, followed by its text. Entries stand behind each other in one block, so that finding one costs as few cache
 * lines as can be; the number of an entry is where it stands, in units of FDATA_UNIT bytes. */
struct fdata_entry {
    uint64_t count, mispredictions;
    uint32_t n_text;
    uint32_t saturated;
};

#define FDATA_UNIT sizeof(uint64_t)

struct apf_fdata {
    struct apf_options options;
    struct apf_fdata_info info;
    struct hash_index index; /* of entries, by their text */
    VEC(uint8_t) entries;
    VEC(uint32_t) order; /* entries, sorted, while that is so */
    bool sorted;
    bool failed;                /* part of a file was added: no more use */
    struct fdata_text text;     /* of one record */
    struct arena arena;         /* names of events and files */
    VEC(struct apf_str) events; /* in the order they came in */
    VEC(struct apf_str) events_sorted;
    struct hash_index event_index; /* of events */
    struct apf_str origin;         /* the file that told what the profile is; n == 0: the caller did */
    struct apf_str events_from;    /* the first file that named events */
    bool events_told;              /* that others name others */
};

static inline struct fdata_entry *fdata_entry_at(const struct apf_fdata *f, uint32_t e)
{
    void *p = f->entries.data + (size_t)e * FDATA_UNIT;
    return p;
}

static inline const char *fdata_entry_text(const struct fdata_entry *entry)
{
    const void *p = entry + 1;
    return p;
}

/* How many units an entry takes. */
static inline size_t fdata_entry_units(size_t n_text)
{
    return (sizeof(struct fdata_entry) + n_text + FDATA_UNIT - 1) / FDATA_UNIT;
}

/* The index must have been reserved once: it makes the key of its hash. */
uint64_t fdata_hash(const struct apf_fdata *f, const char *text, size_t n);

static inline bool fdata_entry_has(const struct fdata_entry *entry, const char *text, size_t n)
{
    return entry->n_text == n && memcmp(fdata_entry_text(entry), text, n) == 0;
}

/* The entry with a text, or NULL. */
static inline struct fdata_entry *fdata_find(const struct apf_fdata *f, const char *text, size_t n,
                                             uint64_t hash)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &f->index, hash, fdata_entry_has(fdata_entry_at(f, e), text, n));
    return e != HASH_INDEX_NONE ? fdata_entry_at(f, e) : NULL;
}

/* Adds counts to an entry. */
void fdata_saturate(struct apf_fdata *f, struct fdata_entry *entry, uint64_t count, uint64_t mispredictions);
static inline void fdata_count(struct apf_fdata *f, struct fdata_entry *entry, uint64_t count,
                               uint64_t mispredictions)
{
    uint64_t sum = entry->count + count, missed = entry->mispredictions + mispredictions;
    if (UNLIKELY((sum | missed) > APF_FDATA_MOST)) { /* none of the four numbers is, so these did not wrap */
        fdata_saturate(f, entry, count, mispredictions);
        return;
    }
    entry->count = sum;
    entry->mispredictions = missed;
}

/* Adds a record whose fields are known to be good: in an entry that is there, or a new one. */
int fdata_take(struct apf_fdata *f, const struct apf_fdata_record *record, struct apf_error *error);
/* What a file (n == 0: the caller) says the profile is. */
int fdata_agree(struct apf_fdata *f, uint32_t flags, struct apf_str file, struct apf_error *error);
/* Adds the name of an event, unless it is there. */
int fdata_add_event(struct apf_fdata *f, struct apf_str event, struct apf_error *error);
/* A file that was read whole. */
int fdata_read_bytes(struct apf_fdata *f, const struct apf_input *input, const struct file_bytes *bytes,
                     struct apf_error *error);
/* Fails after an earlier failure; every public function calls this first. */
int fdata_usable(const struct apf_fdata *f, struct apf_error *error);

#endif
