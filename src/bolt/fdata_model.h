/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile in memory. Records with one text are equal, and become one. */
#ifndef BOLT_FDATA_MODEL_H
#define BOLT_FDATA_MODEL_H

#include <string.h>

#include <anyprof/bolt.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/text_set.h"
#include "base/vec.h"
#include "bolt/fdata_line.h"

/* A record, followed by its text. All entries are in one block, so that a lookup costs few cache lines; the number of
 * an entry is its offset in units of FDATA_UNIT bytes. */
struct fdata_entry {
    uint64_t count, mispredictions;
    uint32_t n_text;
    uint32_t saturated;
};

#define FDATA_UNIT sizeof(uint64_t)

struct apf_fdata {
    struct apf_options options;
    struct apf_fdata_info info;
    struct hash_index index; /* from texts to entries */
    VEC(uint8_t) entries;
    VEC(uint32_t) order; /* entries in the order of writing, valid if `sorted` */
    bool sorted;
    bool failed;            /* part of a file was added, so the profile is unusable */
    struct fdata_text text; /* text of one record, reused */
    struct arena arena;     /* names of files */
    struct text_set events;
    VEC(struct apf_str) events_sorted;
    struct apf_str origin;      /* the file that set the flags of the profile; n == 0: the caller */
    struct apf_str events_from; /* the first file that named events */
    bool events_reported;       /* that other files name other events */
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

/* The size of an entry in units. */
static inline size_t fdata_entry_units(size_t n_text)
{
    return (sizeof(struct fdata_entry) + n_text + FDATA_UNIT - 1) / FDATA_UNIT;
}

/* The index must have been reserved once: that makes the key of the hash. */
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
    if (UNLIKELY((sum | missed) > APF_FDATA_MOST)) { /* no addend is above the bound, so no sum wrapped */
        fdata_saturate(f, entry, count, mispredictions);
        return;
    }
    entry->count = sum;
    entry->mispredictions = missed;
}

/* Adds a valid record to its entry, or to a new one. */
int fdata_add_record(struct apf_fdata *f, const struct apf_fdata_record *record, struct apf_error *error);
/* Sets the flags of the profile, or compares them with those of another file (n == 0: of the caller). */
int fdata_agree(struct apf_fdata *f, uint32_t flags, struct apf_str file, struct apf_error *error);
/* Adds the name of an event, unless the profile has it. */
int fdata_add_event(struct apf_fdata *f, struct apf_str event, struct apf_error *error);
/* Parses a file that was read whole. */
int fdata_read_bytes(struct apf_fdata *f, const struct apf_input *input, const struct file_bytes *bytes,
                     struct apf_error *error);
/* Fails after an earlier failure; every public function calls this first. */
int fdata_usable(const struct apf_fdata *f, struct apf_error *error);

#endif
