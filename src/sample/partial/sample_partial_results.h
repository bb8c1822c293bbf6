/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of each input of a merge of sample profiles, in partial profiles. */
#ifndef SAMPLE_PARTIAL_RESULTS_H
#define SAMPLE_PARTIAL_RESULTS_H

#include <anyprof/sample.h>

#include "inputs/inputs_partial.h"
#include "inputs/inputs_rosters.h"
#include "sample/model/sample_findings.h"

/* Of the merge as a whole: the only record of its section. How inputs were read that do not say which discriminators
 * they have, and which bits of discriminators count; 0: all. */
struct sample_partial_whole {
    bool fs;
    uint32_t discriminator;
};
#define PARTIAL_SAMPLE_WHOLE 5u

void sample_partial_write_whole(struct partial_writer *file, const struct sample_partial_whole *whole);
int sample_partial_read_whole(struct partial_reader *file, struct sample_partial_whole *whole,
                              struct apf_error *error);

/* An input, as merges keep it: see struct sample_input. */
struct sample_partial_input {
    struct kept_input kept;
    struct apf_sample_info info; /* of it what was read, but for n_symbols and what follows it */
    uint64_t sum_of_counts;
    uint64_t findings[SAMPLE_FINDING_COUNT];
    struct apf_sample_salvage *salvage; /* NULL: it was not damaged; its error is kept.damage */
    uint32_t class;
    bool hollow;
    uint32_t roster; /* its number in the file, or ROSTER_NONE */
};

void sample_partial_write_input(struct partial_writer *file, const struct sample_partial_input *input);
/* Reads the next input, if *more. What it points to is in the arena. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int sample_partial_read_input(struct partial_reader *file, struct arena *arena,
                              struct sample_partial_input *input, bool *more, struct apf_error *error);

#endif
