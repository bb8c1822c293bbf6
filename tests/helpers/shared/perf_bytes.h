/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds perf.data, by the tables of docs/formats/perf-data.md, in either byte order. */
#ifndef HELPERS_SHARED_PERF_BYTES_H
#define HELPERS_SHARED_PERF_BYTES_H

#include "helpers/shared/unit.h"

/* Bytes; all zero = none, little-endian. */
struct pb {
    uint8_t *p;
    size_t n, room;
    size_t record; /* where the record that was begun last begins */
    bool big;
};

void pb_free(struct pb *b);
void pb_bytes(struct pb *b, const void *p, size_t n);
void pb_zeros(struct pb *b, size_t n);
void pb_8(struct pb *b, uint8_t v);
void pb_16(struct pb *b, uint16_t v);
void pb_32(struct pb *b, uint32_t v);
void pb_64(struct pb *b, uint64_t v);
/* Replaces 8 bytes. */
void pb_put_64(struct pb *b, size_t at, uint64_t v);
/* A name, with one to eight zeros up to a multiple of 8 bytes. */
void pb_name(struct pb *b, const char *name);
/* A string of a feature: its length, and its bytes filled up with zeros. */
void pb_string(struct pb *b, const char *text, size_t n);

/* A record, from its header on; pb_end fills in its size. */
void pb_begin(struct pb *b, uint32_t type, uint16_t misc);
void pb_end(struct pb *b);
/* A record of n bytes with its header, whose content says which one it is. */
void pb_filler(struct pb *b, uint32_t type, uint16_t n, uint64_t seed);

/* A struct perf_event_attr; the numbers of its flags count from the first field. */
struct pb_attr {
    uint32_t type, size; /* size: of less than 64, there are 64 bytes nevertheless */
    uint64_t config, period, sample_type, read_format, flags, branch_type, regs_user, regs_intr;
};

#define PB_ID_ALL ((uint64_t)1 << 18)

void pb_attr(struct pb *b, const struct pb_attr *attr);

struct pb_feature {
    uint32_t number;
    const struct pb *content;
};

struct pb_file {
    const struct pb_attr *attrs; /* all of one size */
    size_t n_attrs;
    const uint64_t *ids; /* of each one; NULL: they have none */
    const struct pb *records;
    const struct pb_feature *features; /* ascending */
    size_t n_features;
};

/* Offset of the records in a file. */
size_t pb_data_at(const struct pb_file *f);
/* A whole file. */
void pb_make_file(struct pb *b, const struct pb_file *f);
/* What a pipe begins with: its header, and the events. */
void pb_make_pipe(struct pb *b, const struct pb_attr *attrs, const uint64_t *ids, size_t n);

#endif
