/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A recording with the address spaces of its processes: what anyprof/perf.h describes. */
#ifndef PERF_PERF_RECORDING_H
#define PERF_PERF_RECORDING_H

#include "perf/perf_data.h"
#include "perf/perf_files.h"
#include "perf/perf_spaces.h"

struct apf_perf {
    struct perf_data data;
    struct perf_files files;
    struct perf_spaces spaces;
    struct hash_index processes; /* pids with samples, in `pids` */
    VEC(uint32_t) pids;
    VEC(struct apf_perf_event) events;
    uint64_t changes; /* those of data.attrs that `events` has */
    struct apf_perf_info info;
    apf_perf_sample_fn *visit;
    void *user;
    bool read;
    /* The present sample: its process, and the mappings that were found last, of a user and of the kernel. */
    bool in_sample;
    uint32_t space, kernel;
    const struct perf_mapping *found[2];
    uint64_t turn; /* another one for each sample of another process, or after mappings have changed */
};

/* The mapping at an address when the present sample was taken; NULL: there is none. Valid until the callback
 * returns. */
const struct perf_mapping *perf_recording_at(struct apf_perf *p, uint64_t address);

#endif
