/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of each input of a merge, in partial profiles. */
#ifndef INSTR_PARTIAL_RESULTS_H
#define INSTR_PARTIAL_RESULTS_H

#include <anyprof/merge.h>

#include "inputs/inputs_partial.h"
#include "inputs/inputs_rosters.h"
#include "instr/model/quirks.h"

/* An input, as merges keep it: see struct merge_input. */
struct partial_input {
    struct kept_input kept;
    struct apf_input_result result; /* what was read of it; the fields that repeat `kept` are not set */
    uint32_t class;
    bool hollow;
    uint64_t digests;
    uint32_t roster; /* its number in the file, or ROSTER_NONE */
    uint64_t quirks[QUIRK_COUNT];
    struct apf_salvage *salvage; /* NULL: it was not damaged; its error is kept.damage */
    const uint64_t *nameless;    /* salvage->nameless ids */
};

void partial_write_input(struct partial_writer *file, const struct partial_input *input);
/* Reads the next input, if *more. What it points to is in the arena. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int partial_read_input(struct partial_reader *file, struct arena *arena, struct partial_input *input,
                       bool *more, struct apf_error *error);

#endif
