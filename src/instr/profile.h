/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model every reader fills and every printer and writer reads: struct apf_instr. It knows no format. */
#ifndef INSTR_PROFILE_H
#define INSTR_PROFILE_H

#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "instr/id_sequence.h"
#include "instr/symbols.h"

/* Counts never exceed this: the two larger numbers are LLVM's pseudo counts. */
#define COUNT_MAX (UINT64_MAX - 2)
#define PSEUDO_WARM (UINT64_MAX - 1)
#define PSEUDO_HOT UINT64_MAX
/* Most values a site can have on disk. */
#define SITE_MAX_VALUES 255u
/* Bits of a version word that are APF_VARIANT_*; the number is in the lower 32. */
#define VARIANT_BITS (~(APF_VARIANT_LOOP_ENTRIES - 1))
#define KNOWN_VERSION_BITS (VARIANT_BITS | UINT32_MAX)
/* Counts above this in a raw file suggest damage. */
#define COUNT_SUSPECT ((uint64_t)1 << 56)

/* What only few records have. */
struct record_extra {
    uint64_t timestamp;
    const uint64_t *uniform; /* NULL, or as many as there are counts */
    const uint8_t *uniformity;
    uint32_t n_uniformity;
};

/* One function with one hash. What it points to belongs to the profile, or to the merge it is a view of. */
struct record {
    uint64_t id, hash;
    union {
        uint64_t offset; /* where it is in the file */
        uint64_t rank; /* in the view of a merge: with `place`, where it was first seen, see id_sequence.h */
    };
    const uint64_t *counts;
    const uint8_t *bitmap;
    const struct apf_site *sites;     /* of all kinds, one kind after the other */
    const struct record_extra *extra; /* NULL: nothing extra */
    uint32_t n_counts, n_bitmap;
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t symbol; /* number of its name in the profile's symbols, or HASH_INDEX_NONE */
    uint32_t flags;  /* APF_RECORD_* */
    uint32_t place;
};

/* What readers accept although it is not as it should be; each with the words of its finding. */
#define QUIRKS(X)                                                                                            \
    X(MISSING_VALUE_DATA, WARNING, TRUNCATED,                                                                \
      "profile announces value data but holds none (written through the buffer API or in continuous mode)")  \
    X(NAMELESS, WARNING, UNKNOWN_FUNCTION, "records whose name is not in the file")                          \
    X(LARGE_COUNTER, WARNING, COUNTER_TOO_LARGE, "counters above 2^56")                                      \
    X(NO_TIMESTAMP, WARNING, MALFORMED, "temporal profile without timestamps: no trace")                     \
    X(ZERO_RECORD, NOTE, NOTE, "data records that are all zero were skipped (padding between objects)")      \
    X(RELATIVE_V7, NOTE, NOTE,                                                                               \
      "version 7 with relative counter pointers (a development version of LLVM 14)")                         \
    X(TRUNCATED_DELTA, NOTE, NOTE, "counter distances cut to 32 bits (Windows)")                             \
    X(UNPADDED_IDS, NOTE, NOTE, "binary ids without padding (LLVM 13)")                                      \
    X(UNALIGNED, NOTE, NOTE, "profile whose length is no multiple of 8 (LLVM 14 to 16, byte coverage)")      \
    X(MEMPROF_DROPPED, NOTE, NOTE, "MemProf data was left out")                                              \
    X(MIXED_VERSIONS, NOTE, NOTE, "profiles of several raw versions in one file")                            \
    X(BITMAP_UNKNOWN, WARNING, MISSING_CORRELATION,                                                          \
      "MC/DC bitmaps were left out: the program does not say which functions they are of")

enum quirk {
#define QUIRK_ENUM(name, severity, code, text) QUIRK_##name,
    QUIRKS(QUIRK_ENUM)
#undef QUIRK_ENUM
        QUIRK_COUNT
};

/* Resolved limits and flags of one read. */
struct read_options {
    uint64_t max_bytes, max_records;
    uint64_t stored; /* bytes of the file as it was, compressed or not; 0: those that are read */
    uint32_t flags;
    const struct apf_correlation_source *correlation;
    bool to_merge; /* nobody looks up names in the profile; merge_take_names checks their ids */
    bool lean;     /* raw: check everything, but take no counts, bitmaps and values */
};

/* What all compressed names of a file may inflate to: by its size as it was stored, or else the n bytes that are
 * read. */
uint64_t profile_name_budget(const struct read_options *options, uint64_t n);

struct apf_instr {
    struct apf_instr_info info;
    struct arena arena;
    struct symbols symbols;
    struct symbols vtables; /* names of vtables; a name may be in both tables */
    VEC(struct record) records;
    uint64_t quirks[QUIRK_COUNT];
    uint64_t hash_bits; /* all hashes, ORed: front-end hashes of LLVM 22 have 60 bits */
    uint64_t digests;   /* how many of them are digests, if they are a front end's */
    uint32_t max_kinds; /* raw: entries in the array of site counts; else highest kind with sites + 1 */
    /* Made when asked for. */
    struct hash_index by_name;
    struct apf_summary *summaries[3];
    struct apf_record found;
    struct apf_salvage *salvage; /* NULL: the file is intact */
    struct apf_memprof *memprof; /* NULL: there is none */
    bool semicolons, colons;     /* names of local functions have these */
    bool borrows_symbols;        /* a view: both tables belong to the merge */
};

struct read_options read_options_resolve(const struct apf_options *o);

/* Reads the bytes, whatever the format. The profile borrows nothing from them. */
int profile_read(struct apf_instr **instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error);
/* The same into a profile that is empty, and stays unfinished after a failure. Tells of each profile of a raw file;
 * *parts (which may be NULL) is the caller's to free. */
struct raw_parts;
int profile_read_into(struct apf_instr *instr, const uint8_t *data, size_t n,
                      const struct read_options *options, struct raw_parts *parts, struct apf_error *error);
/* Empties a profile for the next file. Memory stays for it, and the arenas of the profile and of its names as they are:
 * who wants them emptied too rewinds them. */
void profile_reset(struct apf_instr *instr);
struct apf_instr *profile_new(void);
void profile_free(struct apf_instr *instr);

/* Fills the public record; valid while the profile is. */
void profile_record(const struct apf_instr *instr, const struct record *r, struct apf_record *out);
/* The name of a record; n == 0: unknown. */
static inline struct apf_str record_name(const struct apf_instr *instr, const struct record *r)
{
    struct apf_str name = {NULL, 0};
    if (r->symbol != HASH_INDEX_NONE) {
        name.p = instr->symbols.list.data[r->symbol].p;
        name.n = instr->symbols.list.data[r->symbol].n;
    }
    return name;
}

/* What the first bytes say of a file that cannot be read: format, version, variant, pointers and byte order, as far as
 * there are any. */
void profile_glance(struct apf_instr_info *info, const uint8_t *data, size_t n);

/* Sum of the counts, saturating; those of pseudo records are no numbers. */
uint64_t record_weight(const struct record *r);
uint64_t profile_sum(const struct apf_instr *instr);
/* Whether a record is of a level: cs < 0: all are, else those with or without the bit of context-sensitive ones. */
static inline bool record_is_of(const struct record *r, int cs)
{
    return cs < 0 || ((r->hash & APF_HASH_CS) != 0) == (cs != 0);
}
/* All counters and bitmap bytes are 0: what sparse output leaves out. */
bool record_is_zero(const struct record *r);
/* Sum of the sites of all kinds. */
static inline size_t record_site_count(const struct record *r)
{
    return (size_t)r->n_sites[0] + r->n_sites[1] + r->n_sites[2];
}

/* Takes the memory profile out of a profile, and counts that. */
void profile_drop_memprof(struct apf_instr *instr);

/* Binary ids with their bytes, in an arena. NULL: memory is out. */
struct apf_str *profile_copy_ids(const struct apf_str *ids, size_t n, struct arena *arena);
/* To be told of the hash of every record that is read. */
void profile_note_hash(struct apf_instr *instr, uint64_t hash);
/* Fills in what follows from the records; the last step of reading. */
int profile_complete(struct apf_instr *instr, const struct read_options *options, struct apf_error *error);
/* Tells the callback of every quirk; APF_STOPPED when it says stop. */
int profile_report_quirks(const uint64_t quirks[QUIRK_COUNT], uint64_t input, struct apf_str source,
                          apf_diag_fn *diag, void *user, struct apf_error *error);

/* "NAMELESS". */
const char *profile_quirk_name(enum quirk quirk);
/* The same as an array in the arena, or NULL when memory is out. */
const struct apf_finding *profile_findings(const uint64_t quirks[QUIRK_COUNT], struct arena *arena,
                                           size_t *n);

/* The readers, one for each format: they are given an empty profile. */
int raw_read_parts(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                   struct raw_parts *parts, struct apf_error *error);
int indexed_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error);
int text_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
              struct apf_error *error);
/* Whether its first lines are those of a text profile: a word of the header, or a name and a hash, or where that is
 * wrong two numbers behind it. */
bool text_read_begins(const uint8_t *data, size_t n);
/* The same from a later place on, at most n, where a record begins on that line: after an error. */
int text_read_from(struct apf_instr *instr, const uint8_t *data, size_t n, size_t from, uint64_t line,
                   const struct read_options *options, struct apf_error *error);

#endif
