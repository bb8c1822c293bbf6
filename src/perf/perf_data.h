/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a recording of perf: a file, what was written to a pipe, or a directory; of either byte order, compressed or
 * not; also one whose recorder was killed. docs/formats/perf-data.md describes it. */
#ifndef PERF_PERF_DATA_H
#define PERF_PERF_DATA_H

#include "perf/perf_decode.h"
#include "perf/perf_header.h"
#include "perf/perf_window.h"

/* Memory of the records that wait for earlier ones. */
#define PERF_WINDOW_BYTES ((size_t)64 << 20)

/* What was read; complete after perf_data_read. */
struct perf_data_counts {
    uint64_t records;                     /* of the kernel and of perf, unpacked */
    uint64_t samples;                     /* whole ones, of known events */
    uint64_t lost_records, lost_samples;  /* that the recorder says it lost */
    uint64_t throttled;                   /* times that the kernel paused an event */
    uint64_t incomplete_maps;             /* processes whose mappings perf did not list in time */
    uint64_t short_samples, short_others; /* records whose parts do not fit in them */
    uint64_t unknown_events;              /* records with the id of no event */
    uint64_t unknown_types;
    uint64_t bad_features;
    uint64_t packed, unpacked; /* bytes of compressed records */
    uint64_t aux_records, aux_bytes;
    uint32_t aux_type;              /* of the tracer: see docs/formats/perf-data.md; 0: none */
    uint64_t first_time, last_time; /* of samples; 0: none has a time */
    uint64_t not_taken;             /* entries of branch stacks that are left out */
    enum apf_perf_end end;          /* the worst of all streams */
    uint64_t end_at;
};

struct perf_data {
    struct perf_header header; /* of the file, or of `data` in a directory */
    struct perf_facts facts;
    struct perf_attrs attrs;
    struct perf_data_counts counts;
    VEC(struct perf_stream) streams; /* the file; or the files of a directory, `data` first */
    bool directory;
    struct perf_blocks blocks;
    struct perf_window window;
    struct perf_decoder decoder;
    struct arena arena;
    perf_record_fn *visit;
    void *user;
};

/* Opens a recording and reads its header, and the events, which a pipe does not have yet. perf_data_close must follow,
 * also after a failure. APF_BAD_RECORDING, APF_UNSUPPORTED. */
int perf_data_open(struct perf_data *d, const struct apf_input *input, uint64_t max_bytes,
                   struct apf_error *error);
/* Reads the records, once, and visits samples and what happened to processes, in the order of time; build ids of the
 * header before, if the input is a file or memory that is not packed, else at the end. */
int perf_data_read(struct perf_data *d, perf_record_fn *visit, void *user, struct apf_error *error);
void perf_data_close(struct perf_data *d);

#endif
