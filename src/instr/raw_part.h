/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One profile inside a raw file (a file can hold several): header, sections, records, value data. Everything is
 * checked here; the pointers go into the file's bytes. */
#ifndef INSTR_RAW_PART_H
#define INSTR_RAW_PART_H

#include "base/cursor.h"
#include "instr/profile.h"
#include "instr/raw_versions.h"

/* First byte of each section, and behind it; the names of vtables end the fixed part. */
struct raw_section {
    uint64_t at, size;
};

struct raw_part {
    const uint8_t *file;
    uint64_t file_size;
    uint64_t room;  /* where sections have to end: file_size, or, where that may be wrong, anywhere */
    uint64_t start; /* offset of the header */
    const struct raw_version *version;
    const struct raw_record_layout *record;
    uint64_t version_word, variant;
    uint64_t field[RAW_HEADER_FIELD_COUNT];
    unsigned pointer_bytes;
    unsigned counter_bytes; /* 8, or 1 for byte coverage */
    unsigned kinds;         /* entries in a record's array of site counts */
    bool swap;
    bool relative;        /* counter pointers are relative to their record */
    bool no_timestamps;   /* temporal, but there is no room for a timestamp in front of the counters */
    bool truncated_delta; /* some distance had to be cut to 32 bits */
    struct raw_section ids, data, counters, bitmap, uniform, names, vtables, vtable_names;
    uint64_t values_at;                        /* first byte behind the sections */
    const struct apf_correlation *correlation; /* its records are there; NULL: in the file */
    uint64_t n_records;
};

/* A decoded data record; spans are checked. */
struct raw_record {
    uint64_t name_ref, hash; /* name_ref is 0 in versions 1 and 2 */
    uint64_t function_ptr;
    uint64_t counters;     /* byte offset in the counter section, behind a timestamp */
    uint64_t n_counters;   /* without a timestamp's slots */
    uint64_t timestamp_at; /* byte offset in the counter section, or UINT64_MAX */
    uint64_t at;           /* what it is in the file: a data record, or else its counters */
    uint64_t bitmap, uniform;
    uint32_t n_bitmap;
    uint32_t name_at, name_size; /* versions 1 and 2: inside the names section */
    uint32_t n_sites[APF_VALUE_KINDS];
    bool skip; /* all zero: padding between objects */
};

/* The four magics; true when the bytes at p begin a raw profile. */
bool raw_magic(const uint8_t *p, size_t n, bool *swap, unsigned *pointer_bytes);

/* Reads the header at `start` and lays out the sections. */
int raw_part_open(struct raw_part *part, const uint8_t *file, uint64_t n, uint64_t start,
                  struct apf_error *error);
/* The same of a file that may have been cut off: sections may lie behind its end. */
int raw_part_open_cut(struct raw_part *part, const uint8_t *file, uint64_t n, uint64_t start,
                      struct apf_error *error);
/* Whether its metadata stayed in the program. */
bool raw_part_is_bare(const struct raw_part *part);
/* Completes such a profile, which has these binary ids, from the source; NULL, or another profile: an error, or nothing
 * to do. */
int raw_part_complete(struct raw_part *part, const struct apf_correlation_source *source,
                      const struct apf_str *ids, size_t n_ids, struct apf_error *error);
/* Decides what can only be seen from all records: relative counter pointers, missing timestamps. */
void raw_part_probe(struct raw_part *part);
/* Decodes record i and checks its spans. */
int raw_part_record(struct raw_part *part, uint64_t i, struct raw_record *out, struct apf_error *error);
/* True when the records announce value data that was never written: at `at`, behind zeros, the file ends or the
 * next profile begins. */
bool raw_part_values_missing(const struct raw_part *part, uint64_t at);
/* Goes from the end of a profile to the next one: *at is its start, or the file's size when there is none. */
int raw_part_next(const struct raw_part *part, uint64_t end, uint64_t *at, bool *unaligned,
                  struct apf_error *error);
/* Calls `id` for each binary id. */
int raw_part_ids(const struct raw_part *part, int (*id)(void *user, const uint8_t *p, uint64_t n), void *user,
                 bool *unpadded, struct apf_error *error);
/* Where a word of the header is in the file. */
static inline uint64_t raw_header_at(const struct raw_part *part, enum raw_header_field field)
{
    return part->start + part->version->header[field];
}

/* Where a count of the counter section is 64 bits wide. */
static inline uint64_t raw_part_count(const struct raw_part *part, uint64_t byte_offset)
{
    const uint8_t *p = part->file + part->counters.at + byte_offset;
    return part->counter_bytes == 1 ? *p == 0 : load64(p, part->swap);
}
/* A pointer of the program at `p`, and the largest one. */
static inline uint64_t raw_part_pointer(const struct raw_part *part, const uint8_t *p)
{
    return part->pointer_bytes == 8 ? load64(p, part->swap) : load32(p, part->swap);
}
static inline uint64_t raw_part_last_pointer(const struct raw_part *part)
{
    return part->pointer_bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

#endif
