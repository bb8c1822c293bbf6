/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of one file of a recording, in its order, with compressed ones unpacked: where each begins and how long
 * it is. Records stay in memory as long as something holds their block. */
#ifndef PERF_PERF_STREAM_H
#define PERF_PERF_STREAM_H

#include <anyprof/perf.h>

#include "base/decompress.h"
#include "base/endian.h"
#include "perf/perf_layout.h"
#include "perf/perf_source.h"

/* A block holds whole records; the beginning of the next one is copied to the next block. */
#define PERF_BLOCK_BYTES (((size_t)256 << 10) + PERF_LONGEST_RECORD + 1)

struct perf_block {
    struct perf_block *next; /* in the list of free ones */
    size_t users;
    size_t n, at; /* bytes in it, and those before the next record */
    uint8_t bytes[PERF_BLOCK_BYTES];
};

/* Blocks for several streams; those that are free are used again. */
struct perf_blocks {
    struct perf_block *unused;
    size_t n_used;
};

void perf_blocks_free(struct perf_blocks *blocks);
/* Gives up a block, which may be NULL. */
void perf_block_release(struct perf_blocks *blocks, struct perf_block *block);

struct perf_raw {
    const uint8_t *p; /* its header of 8 bytes, at any address */
    uint32_t type;
    uint16_t misc, n; /* n: bytes, with the header */
    struct perf_block *block;
};

struct perf_stream {
    struct perf_source source;
    struct perf_blocks *blocks;
    bool swap;
    bool unfinished;           /* the recorder was killed: its last records may be followed by what is none */
    uint64_t left;             /* bytes of records that are not read yet; UINT64_MAX: up to the end */
    struct perf_block *stored; /* records as they are in the file */
    struct perf_block *unpacked;
    struct decompressor *zstd;
    const uint8_t *piece, *piece_end; /* the compressed record that is being unpacked, in `stored` */
    bool pending;                     /* its last bytes may unpack to more than was room for */
    bool last;                        /* no further one follows */
    uint64_t n_packed, n_unpacked;    /* bytes of compressed records */
    uint64_t max_unpacked;
    enum apf_perf_end end; /* once perf_stream_next has returned APF_END */
    uint64_t end_at;       /* offset in the file of that end */
};

/* Begins at the source's present place. */
void perf_stream_begin(struct perf_stream *s, struct perf_blocks *blocks, bool swap, uint64_t n,
                       uint64_t max_unpacked);
void perf_stream_close(struct perf_stream *s);
/* The next record, with its block held for the caller; APF_END when there is no further one. */
int perf_stream_next(struct perf_stream *s, struct perf_raw *raw, struct apf_error *error);

#endif
