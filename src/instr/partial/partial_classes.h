/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Classes of inputs in partial profiles, sorted by number, and what the merge as a whole was asked for. */
#ifndef INSTR_PARTIAL_CLASSES_H
#define INSTR_PARTIAL_CLASSES_H

#include "base/arena.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

#define PARTIAL_WHOLE 5u
#define PARTIAL_CLASSES 40u

/* Of the merge as a whole: the only record of its section. */
struct partial_whole {
    uint64_t variant;                 /* bits that were set beside those of the inputs */
    uint64_t trace_reservoir, length; /* limits of traces */
};

void partial_write_whole(struct partial_writer *file, const struct partial_whole *whole);
int partial_read_whole(struct partial_reader *file, struct partial_whole *whole, struct apf_error *error);

struct partial_class {
    uint32_t class;
    bool hollow;
    uint64_t weight, extra_records;
    const struct apf_str *ids; /* binary ids, sorted, each once */
    size_t n_ids;
};

void partial_write_class(struct partial_writer *file, const struct partial_class *c);
/* Reads the next class, if *more. Its ids are in the arena. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int partial_read_class(struct partial_reader *file, struct arena *arena, struct partial_class *c, bool *more,
                       struct apf_error *error);

/* Binary ids as part of a record: their number, and each as a text. */
void partial_write_ids(struct partial_writer *file, const struct apf_str *ids, size_t n);
int partial_read_ids(struct partial_reader *file, struct arena *arena, const struct apf_str **ids, size_t *n,
                     struct apf_error *error);

#endif
