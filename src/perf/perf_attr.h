/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The events of a recording: what each was to count, what its samples hold, and which event a record is of. */
#ifndef PERF_PERF_ATTR_H
#define PERF_PERF_ATTR_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "perf/perf_layout.h"

#include <anyprof/io.h>

#define PERF_MOST_EVENTS 4096u

/* An event, from a struct perf_event_attr of the kernel. */
struct perf_attr {
    struct apf_str name; /* as perf prints it */
    bool named;          /* the recording has the name; else it was made from the numbers */
    uint32_t type;
    uint64_t config;
    uint64_t period; /* a sample for so many events, or, with `frequency`, so many samples in a second */
    bool frequency;
    bool id_all; /* records of other kinds end as samples begin: process, time, event */
    uint64_t sample_type, read_format, flags, branch_type, regs_user, regs_intr;
    uint32_t time_at;  /* offset of the time in a sample; 0: it has none */
    uint32_t trailer;  /* bytes of the end of other records, if id_all */
    uint32_t time_end; /* bytes from the time to the end of other records; 0: they have none */
};

struct perf_attr_id {
    uint64_t id;
    uint32_t attr;
};

struct perf_attrs {
    VEC(struct perf_attr) list;
    VEC(struct perf_attr_id) ids;
    struct hash_index index; /* from ids to places in `ids` */
    struct arena arena;
    uint64_t changes; /* events that were added, and names that were given */
    /* The place of the id, where all events agree on one: its offset in samples, and bytes from it to the end of other
     * records; 0: there is none, and all records are of the first event. */
    uint32_t sample_id_at, other_id_end;
};

void perf_attrs_free(struct perf_attrs *attrs);
/* Reads a struct perf_event_attr of at most `limit` bytes. *size: its bytes, as it says itself. APF_BAD_RECORDING: it
 * cannot have that size. */
int perf_attr_read(struct perf_attr *attr, struct cursor *c, size_t limit, size_t *size,
                   struct apf_error *error);
/* Adds an event; its name is made from its numbers. */
int perf_attrs_add(struct perf_attrs *attrs, const struct perf_attr *attr, struct apf_error *error);
/* Says that records with this id are of event number `attr`. The first event with an id keeps it. */
int perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id, uint32_t attr, struct apf_error *error);
/* The number of the event of an id, or UINT32_MAX. */
uint32_t perf_attrs_find(const struct perf_attrs *attrs, uint64_t id);
/* Gives an event the name that is in the recording. */
int perf_attrs_name(struct perf_attrs *attrs, uint32_t attr, struct apf_str name, struct apf_error *error);
/* The number of the event of a record of n bytes with its header, or UINT32_MAX if it is unknown. */
uint32_t perf_attrs_of(const struct perf_attrs *attrs, const uint8_t *record, size_t n, uint32_t type,
                       bool swap);

#endif
