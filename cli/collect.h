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
    uint64_t largest_sum;       /* bytes, of the last round */
    uint64_t n_reported;        /* profiles that were reported as left out of the output */
};

/* The functions below return false after a report. What they have done until then stays done. */

/* collect_builds.c: adds the profiles that were taken to the sums of their builds; those that are still written stay
 * for later, and are counted as waiting. */
bool collect_add_claimed(struct collector *c);
/* Takes a file out of use, and keeps it among the rejected ones, under the name `as`. */
bool collect_reject(struct collector *c, enum collect_place place, const char *name, const char *as);
/* Does that with a sum that cannot be read, unless the system is the reason, which is false. */
bool collect_drop_sum(struct collector *c, const char *path, const struct apf_error *error);
/* The options of merges of sums: the limits of the command are for profiles, which are looked at before. */
struct apf_options collect_merge_options(const struct collector *c);
/* Whether an error is one of the system, which may be over in the next round, and not one of the file. */
bool collect_is_trouble(const struct apf_error *error);

/* collect_output.c: writes the sum of all builds, if that would change the file. */
bool collect_write_output(struct collector *c);

/* collect_limits.c: forgets builds and rejected files by age and, if the disk is full, more of them. */
bool collect_forget(struct collector *c);

#endif
