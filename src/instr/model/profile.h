/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model every reader fills and every printer and writer reads: struct apf_instr. It knows no format. */
#ifndef INSTR_PROFILE_H
#define INSTR_PROFILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "instr/model/first_seen.h"
#include "instr/model/quirks.h"
#include "instr/model/symbols.h"

/* Counts never exceed this: the two larger numbers are LLVM's pseudo counts. */
#define COUNT_MAX (UINT64_MAX - 2)
#define PSEUDO_WARM (UINT64_MAX - 1)
#define PSEUDO_HOT UINT64_MAX
/* The most values that a site can have on disk. */
#define SITE_MAX_VALUES 255u
/* The bits of a version word that are APF_VARIANT_*; the number of the version is in the lower 32. */
#define VARIANT_BITS (~(APF_VARIANT_LOOP_ENTRIES - 1))
#define KNOWN_VERSION_BITS (VARIANT_BITS | UINT32_MAX)
/* Counts above this in a raw file suggest damage. */
#define COUNT_SUSPECT ((uint64_t)1 << 56)

/* How the test vectors of a bitmap are numbered; neither: not known. */
#define BITMAP_FLAGS (APF_RECORD_SPARSE_BITMAP | APF_RECORD_DENSE_BITMAP)
/* Whether bits of two bitmaps with these flags mean the same, as far as is known. */
static inline bool bitmap_flags_agree(uint32_t a, uint32_t b)
{
    return ((a | b) & BITMAP_FLAGS) != BITMAP_FLAGS;
}

/* Members that only few records have. */
struct record_extra {
    uint64_t timestamp;
    const uint64_t *uniform; /* NULL, or as many as there are counts */
    const uint8_t *uniformity;
    uint32_t n_uniformity; /* bytes */
};

/* One function with one hash. Its arrays belong to the profile or, in the view of a merge, to the merge. */
struct record {
    uint64_t id, hash;
    union {
        uint64_t offset; /* of the record in the file */
        uint64_t rank;   /* in the view of a merge: with `place`, a struct first_seen */
    };
    const uint64_t *counts;
    const uint8_t *bitmap;
    const struct apf_site *sites;     /* the sites of all kinds, one kind after the other */
    const struct record_extra *extra; /* NULL: nothing extra */
    uint32_t n_counts;
    uint32_t n_bitmap; /* bytes */
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t symbol; /* number of the name in the profile's symbols, or HASH_INDEX_NONE */
    uint32_t flags;  /* APF_RECORD_* */
    uint32_t place;  /* see rank */
};

/* A VEC(struct record) that can be handed from a profile to another one. */
struct record_list {
    struct record *data;
    size_t n, capacity;
};

struct raw_profiles;

/* The limits and flags of one read. */
struct read_options {
    uint64_t max_bytes, max_records;
    uint64_t stored; /* size of the file before decompression; 0: the file is not compressed */
    uint32_t flags;  /* APF_FLAG_* */
    const struct apf_correlation_source *correlation;
    struct pulse *pulse; /* NULL, or what may end the reading */
    bool to_merge;       /* the merge checks the ids of names, so symbols need no index */
    bool lean;           /* raw: check everything, but copy no counts, bitmaps and values */
    /* raw: NULL, or the caller's list, to which each profile of the file is appended */
    struct raw_profiles *profiles;
};

/* The number of bytes that all compressed names of a file of n bytes may inflate to; options->stored, if set, replaces
 * n. */
uint64_t profile_name_budget(const struct read_options *options, uint64_t n);

struct profile_summary {
    struct arena arena;
    struct apf_summary *summary; /* in the arena */
};

/* What the first question about a profile makes for all later ones; NULL: nothing yet. Threads may ask at once: one of
 * them publishes what it has made, the others drop theirs. */
struct profile_answers {
    _Atomic(struct hash_index *) by_name;
    _Atomic(struct profile_summary *) summaries[3]; /* by enum apf_summary_scope */
};

struct apf_instr {
    struct apf_instr_info info;
    struct arena arena;
    struct symbols *symbols;
    struct symbols *vtables; /* names of vtables; a name may be in both tables */
    struct symbols own_symbols,
        own_vtables; /* unused in the view of a merge, which points to the merge's tables */
    struct record_list records;
    uint64_t quirks[QUIRK_COUNT];
    uint64_t hash_bits, digests; /* those of struct release_clues */
    uint32_t max_kinds; /* raw: entries in the array of site counts; else highest kind with sites + 1 */
    struct profile_answers *answers;
    struct apf_salvage *salvage; /* NULL: the file is intact */
    struct apf_memprof *memprof; /* NULL: there is none */
    bool semicolons, colons;     /* separators in the names of local functions */
    /* In the view of a merge, whose tables also have names of rejected inputs and of other views: its own names have
     * one of these flags or one of these ids, which are sorted. */
    uint32_t name_flags;
    const uint64_t *made_names;
    size_t n_made_names;
    struct apf_merge *owner; /* NULL, or a merge that is there for its view alone, and goes with it */
};

/* Whether a profile is the view of a merge, and belongs to it. */
static inline bool profile_is_view(const struct apf_instr *instr)
{
    return instr->symbols != &instr->own_symbols;
}

struct read_options read_options_resolve(const struct apf_options *o);

/* Empties a profile for the next file and keeps its memory. The arenas of the profile and of its names are not rewound:
 * the caller does that if nothing points into them. */
void profile_reset(struct apf_instr *instr);
/* NULL: allocation failed. */
struct apf_instr *profile_new(void);
void profile_free(struct apf_instr *instr);
/* Frees a struct profile_summary; NULL is fine. */
void profile_summary_free(struct profile_summary *summary);

/* Fills the public record, which is valid as long as the profile. */
void profile_record(const struct apf_instr *instr, const struct record *r, struct apf_record *out);
/* The name of a record; n == 0: unknown. */
static inline struct apf_str record_name(const struct apf_instr *instr, const struct record *r)
{
    struct apf_str name = {NULL, 0};
    if (r->symbol != HASH_INDEX_NONE) {
        name.p = instr->symbols->list.data[r->symbol].p;
        name.n = instr->symbols->list.data[r->symbol].n;
    }
    return name;
}

/* Whether a symbol of the profile's tables is a name of the profile. */
bool profile_has_name(const struct apf_instr *instr, const struct symbol *s);
/* The profile's name with an id in one of its tables; n == 0: unknown. */
struct apf_str profile_name(const struct apf_instr *instr, const struct symbols *table, uint64_t id);

/* The sum of the counts, saturating; 0 for pseudo records, whose counts are markers. */
uint64_t record_weight(const struct record *r);
uint64_t profile_sum(const struct apf_instr *instr);
/* Whether a record belongs to a level: cs > 0 is that of context-sensitive records, 0 of the others, below 0 of all. */
static inline bool hash_is_of(uint64_t hash, int cs)
{
    return cs < 0 || ((hash & APF_HASH_CS) != 0) == (cs != 0);
}
static inline bool record_is_of(const struct record *r, int cs)
{
    return hash_is_of(r->hash, cs);
}
/* Sets the level of the records that a picture of a profile is of: both levels count the same runs, so that they are
 * not added up. The context-sensitive ones if the caller wants them, or if there are no others. *n_others: how many
 * records are of the other level. False: the caller wants context-sensitive ones, and there are none. */
bool profile_level(const struct apf_instr *instr, bool wants_cs, int *level, uint64_t *n_others);
/* Whether all counters and bitmap bytes are 0; sparse output leaves such records out. */
bool record_is_zero(const struct record *r);
/* The number of sites of all kinds. */
static inline size_t record_site_count(const struct record *r)
{
    return (size_t)r->n_sites[0] + r->n_sites[1] + r->n_sites[2];
}

/* Sets info->version and info->variant from the word after an 8-byte magic, if the file is that long. */
void profile_glance_version(struct apf_instr_info *info, const uint8_t *data, size_t n, bool swap);
/* Frees the memory profile of a profile, and counts that as a quirk. */
void profile_drop_memprof(struct apf_instr *instr);

/* Copies binary ids and their bytes into an arena. NULL: allocation failed. */
struct apf_str *profile_copy_ids(const struct apf_str *ids, size_t n, struct arena *arena);
/* The last step of reading: derives the members of `info` that follow from records and names, and indexes the names. */
int profile_complete(struct apf_instr *instr, const struct read_options *options, struct apf_error *error);
#endif
