/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The header of perf.data: only the facts that `info` shows. */
#ifndef PERF_PERF_DATA_HEAD_H
#define PERF_PERF_DATA_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/error.h>

struct perf_data_head {
    bool big_endian;
    bool piped; /* written to a pipe: records follow the header, and the other fields are not known */
    uint64_t header_size;
    uint64_t n_events; /* number of recorded events */
    uint64_t events_at, events_size, data_at, data_size;
};

/* Reads the header of bytes that begin with the magic (base/file_magic.h). APF_TRUNCATED: a part that the header
 * names is not in the file, as after perf was killed. */
int perf_data_head_read(struct perf_data_head *head, const uint8_t *data, size_t n, struct apf_error *error);

#endif
