/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a collector. */
#ifndef CLI_COLLECT_H
#define CLI_COLLECT_H

#include <anyprof/merge.h>

#include "collect_metrics.h"
#include "collect_state.h"
#include "collect_watch.h"
#include "correlation.h"
#include "request.h"

#define COLLECT_BATCH 4096 /* profiles that are taken and merged at once: this bounds the memory */

struct collect_request {
    struct request base;
    const char *spool, *state, *metrics;
    uint64_t every, keep, settle; /* seconds */
    uint64_t max_disk;            /* bytes; 0: no limit */
    struct apf_write_options write;
    struct correlation_request programs;
    uint32_t threads;
    bool once;
};

struct collector {
    const struct collect_request *request;
    const struct session *session;
    struct collect_state state;
    struct watch watch;
    struct collect_metrics metrics;
    struct apf_options options; /* of all calls of the library */
};

/* The functions below return false after a report. What they have done until then stays done. */

/* collect_builds.c: adds the profiles that were taken to the sums of their builds; those that are still written stay
 * for later. Sets the numbers of waiting ones. */
bool collect_add_claimed(struct collector *c);
/* Takes a file out of use, and keeps it among the rejected ones. */
bool collect_reject(struct collector *c, enum collect_place place, const char *name);

/* collect_output.c: writes the sum of all builds, if that would change the file. */
bool collect_write_output(struct collector *c);

/* collect_limits.c: forgets builds and rejected files by age and, if the disk is full, more of them. */
bool collect_forget(struct collector *c);

#endif
