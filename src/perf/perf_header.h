/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The header of perf.data, and the tables that it leads to: events, and features, which tell about the recording. */
#ifndef PERF_PERF_HEADER_H
#define PERF_PERF_HEADER_H

#include "perf/perf_attr.h"
#include "perf/perf_record.h"
#include "perf/perf_source.h"

struct perf_section {
    uint64_t at, size;
};

struct perf_header {
    bool swap;       /* the byte order is not the host's */
    bool big_endian; /* of the machine that recorded */
    bool piped;      /* written to a pipe: only records follow, and the rest is not known */
    uint64_t size, attr_size;
    struct perf_section attrs, data;
    uint64_t features[PERF_FEATURES / 64];
    /* The recorder did not finish, or the file was cut: the data go on to the end, and there are no features. */
    bool unfinished, cut;
};

/* What the features say, where perf recorded it; n == 0: not known. */
struct perf_facts {
    struct apf_str hostname, release, version, arch, cpu, cpu_id, command;
    bool has_aux; /* data of a tracer, such as Intel PT, which are no samples */
    bool has_stat;
};

/* Reads the header. APF_BAD_RECORDING, APF_UNSUPPORTED. */
int perf_header_read(struct perf_header *h, struct perf_source *source, struct apf_error *error);
/* Reads the events. */
int perf_header_read_attrs(const struct perf_header *h, const struct perf_source *source,
                           struct perf_attrs *attrs, struct apf_error *error);

/* Receives the build ids of a feature, in the order of the file. */
struct perf_feature_reader {
    struct perf_attrs *attrs;
    struct perf_facts *facts;
    struct arena *arena; /* of the facts */
    bool swap;
    perf_record_fn *visit; /* receives PERF_BUILD_ID */
    void *user;
    uint64_t n_bad; /* features that cannot be read */
};

/* Whether the content of a feature is read; that of the others is of no use, and may be large. */
bool perf_feature_has_content(uint64_t feature);
/* Reads the content of a feature. */
int perf_feature_read(struct perf_feature_reader *r, uint64_t feature, const uint8_t *p, size_t n,
                      struct apf_error *error);
/* Whether the table of features has one. */
bool perf_header_has(const struct perf_header *h, uint32_t feature);
/* Reads the features that follow the data. */
int perf_header_read_features(const struct perf_header *h, const struct perf_source *source,
                              struct perf_feature_reader *r, struct apf_error *error);

#endif
