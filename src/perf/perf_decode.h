/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes the records of perf.data that say something about samples and processes. */
#ifndef PERF_PERF_DECODE_H
#define PERF_PERF_DECODE_H

#include "perf/perf_attr.h"
#include "perf/perf_record.h"
#include "perf/perf_stream.h"

struct perf_decoder {
    const struct perf_attrs *attrs;
    bool swap;
    /* Those of the last sample. */
    VEC(struct apf_perf_branch) branches;
    VEC(uint64_t) chain;
    uint64_t n_not_taken; /* entries that are left out: the branch did not jump, or was never executed */
};

/* What became of a record. */
enum perf_decoded {
    PERF_DECODED,
    PERF_DECODED_NOTHING, /* it is of a kind that says nothing here */
    PERF_DECODED_SHORT,   /* its parts do not fit in it */
    PERF_DECODED_MEMORY   /* there is no memory for it */
};

void perf_decoder_free(struct perf_decoder *d);
/* Decodes a record of event number `attr`, which must exist for records of the kernel; the result is valid until the
 * next call, and as long as the record's block. */
enum perf_decoded perf_decode(struct perf_decoder *d, const struct perf_raw *raw, uint32_t attr,
                              struct perf_record *record);
/* The time of a record of the kernel; 0: it has none. */
uint64_t perf_decode_time(const struct perf_attr *attr, const struct perf_raw *raw, bool swap);
/* Decodes the record of a build id, which is also an element of a table. False: it does not fit. */
bool perf_decode_build_id(const uint8_t *p, size_t n, uint16_t misc, struct perf_record *record);

#endif
