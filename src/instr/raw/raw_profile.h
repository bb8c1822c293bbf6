/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One profile inside a raw file, of which a file can hold several: its header, its sections, its records. Everything
 * that the header or a record says is checked against the size of the file. Nothing is copied. */
#ifndef INSTR_RAW_PROFILE_H
#define INSTR_RAW_PROFILE_H

#include "base/cursor.h"
#include "instr/layout/raw_versions.h"
#include "instr/model/profile.h"

/* The bytes of a section: offset in the file and size. */
struct raw_section {
    uint64_t at, size;
};

/* All offsets are from the beginning of the file. */
struct raw_profile {
    const uint8_t *file; /* the whole file, which the caller keeps */
    uint64_t file_size;
    /* sections must end before this offset: file_size, or INT64_MAX for raw_profile_open_cut */
    uint64_t room;
    uint64_t start; /* offset of the header */
    const struct raw_version *version;
    const struct raw_record_layout *record; /* of the version, for pointer_bytes */
    uint64_t version_word, variant;         /* the word as stored, and its APF_VARIANT_* bits */
    uint64_t field[RAW_HEADER_FIELD_COUNT]; /* words of the header; 0 where the version has none */
    unsigned pointer_bytes;                 /* 4 or 8 */
    unsigned counter_bytes;                 /* 8, or 1 for byte coverage */
    unsigned kinds;                         /* entries in a record's array of site counts */
    bool swap;                              /* the byte order is not the host's */
    bool relative;                          /* counter pointers are distances from their record */
    bool no_timestamps;                     /* raw_profile_probe: temporal, but counters have no timestamps */
    bool truncated_delta;                   /* raw_profile_record: a distance was stored in 32 bits */
    struct raw_section ids, data, counters, bitmap, uniform, names, vtables, vtable_names;
    uint64_t values_at;                 /* offset after the sections, where value data begins */
    struct apf_correlation correlation; /* set by raw_profile_correlate: the records */
    bool correlated;                    /* false: the records are in `data` */
    uint64_t n_records;
};

/* A decoded data record, whose spans lie inside their sections. */
struct raw_record {
    uint64_t name_ref, hash; /* name_ref is 0 with RAW_CAP_NAME_POINTERS */
    uint64_t function_ptr;   /* address of the function, or 0 */
    uint64_t counters;       /* byte offset in the counter section, after the timestamp if there is one */
    uint64_t n_counters;     /* without the slots of a timestamp */
    uint64_t timestamp_at;   /* byte offset in the counter section, or UINT64_MAX */
    uint64_t at; /* offset in the file of the data record, or of its counters if it is in the program */
    uint64_t bitmap, uniform;    /* byte offsets in their sections */
    uint32_t n_bitmap;           /* bytes */
    uint32_t name_at, name_size; /* with RAW_CAP_NAME_POINTERS: byte offset in the names section, and bytes */
    uint32_t n_sites[APF_VALUE_KINDS];
    bool skip; /* the record is all zero: padding between objects */
};

/* Whether n bytes at p begin with one of the four magics; fills in what the magic says. */
bool raw_magic(const uint8_t *p, size_t n, bool *swap, unsigned *pointer_bytes);

/* Reads the header at `start` and finds the sections. */
int raw_profile_open(struct raw_profile *raw, const uint8_t *file, uint64_t n, uint64_t start,
                     struct apf_error *error);
/* Opens a profile of a file that may have been cut off: sections may lie after the end of the file. */
int raw_profile_open_cut(struct raw_profile *raw, const uint8_t *file, uint64_t n, uint64_t start,
                         struct apf_error *error);
/* Whether the profile is bare: it has counters, but its records are in the program. */
bool raw_profile_is_bare(const struct raw_profile *raw);
/* Finds the records of a bare profile in `from`, which may be NULL, by the profile's binary ids. Fails for a bare
 * profile without a source, and for one with records if the source accepts bare ones only. */
int raw_profile_correlate(struct raw_profile *raw, const struct apf_correlation_source *from,
                          const struct apf_str *ids, size_t n_ids, struct apf_error *error);
/* Function i of a profile that was correlated. */
static inline const struct apf_function *raw_correlated_function(const struct raw_profile *raw, uint64_t i)
{
    const void *at = (const char *)raw->correlation.functions + i * raw->correlation.function_size;
    return at;
}
/* Sets `relative` and `no_timestamps`, which only all records together decide. */
void raw_profile_probe(struct raw_profile *raw);
/* Decodes record i and checks its spans. */
int raw_profile_record(struct raw_profile *raw, uint64_t i, struct raw_record *out, struct apf_error *error);
/* Whether value data that the records announce was never written: after zeros at `at`, the file ends or the next
 * profile begins. */
bool raw_profile_values_missing(const struct raw_profile *raw, uint64_t at);
/* Finds the profile after the one that ends at `end`: *at is its start, or the file's size when there is none. Sets
 * *unaligned when the start is not a multiple of 8. */
int raw_profile_next(const struct raw_profile *raw, uint64_t end, uint64_t *at, bool *unaligned,
                     struct apf_error *error);
/* Calls `id` for each binary id, until it fails. Sets *unpadded when ids have no padding but need some. */
int raw_profile_ids(const struct raw_profile *raw, int (*id)(void *user, const uint8_t *p, uint64_t n),
                    void *user, bool *unpadded, struct apf_error *error);

/* Offset of a word of the header. */
static inline uint64_t raw_header_at(const struct raw_profile *raw, enum raw_header_field field)
{
    return raw->start + raw->version->header[field];
}

/* A cursor over the file from an offset on. */
static inline struct cursor raw_profile_cursor(const struct raw_profile *raw, uint64_t at)
{
    struct cursor c = cursor_make(raw->file, raw->file_size, raw->swap);
    cursor_skip(&c, at);
    return c;
}

/* The count at a byte offset of the counter section. Byte coverage stores 0 for "executed". */
static inline uint64_t raw_profile_count(const struct raw_profile *raw, uint64_t byte_offset)
{
    const uint8_t *p = raw->file + raw->counters.at + byte_offset;
    return raw->counter_bytes == 1 ? *p == 0 : load64(p, raw->swap);
}

/* The pointer of the program that is stored at `p`. */
static inline uint64_t raw_profile_pointer(const struct raw_profile *raw, const uint8_t *p)
{
    return raw->pointer_bytes == 8 ? load64(p, raw->swap) : load32(p, raw->swap);
}

/* The largest value of a pointer of the program. */
static inline uint64_t raw_profile_last_pointer(const struct raw_profile *raw)
{
    return raw->pointer_bytes == 8 ? UINT64_MAX : UINT32_MAX;
}

/* A decoded vtable record. */
struct raw_vtable {
    uint64_t at;          /* offset of the record in the file */
    uint64_t start, size; /* address and bytes */
    uint64_t id;          /* of its name */
};

/* Decodes record i of the vtables section. */
static inline struct raw_vtable raw_profile_vtable(const struct raw_profile *raw, uint64_t i)
{
    uint64_t at = raw->vtables.at + i * RAW_VTABLE_SIZE(raw->pointer_bytes);
    const uint8_t *p = raw->file + at;
    struct raw_vtable v = {at, raw_profile_pointer(raw, p + 8), load32(p + 8 + raw->pointer_bytes, raw->swap),
                           load64(p, raw->swap)};
    return v;
}

#endif
