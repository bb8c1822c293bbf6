/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rosters in partial profiles, in pieces, so that no record is large. */
#ifndef INPUTS_PARTIAL_ROSTERS_H
#define INPUTS_PARTIAL_ROSTERS_H

#include "inputs/inputs_rosters.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

/* The section. Inputs name rosters by their numbers in it. */
#define PARTIAL_ROSTERS 7u

/* Those of a file, whose numbers in it are 0 to n - 1. */
struct partial_rosters {
    struct roster *list; /* but for their ids */
    uint32_t *numbers;   /* in other rosters; of partial_join_rosters */
    size_t n;
};

void partial_write_rosters(struct partial_writer *file, const struct rosters *rosters);
/* Reads all of them into the arena. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int partial_read_rosters(struct partial_reader *file, struct arena *arena, struct partial_rosters *rosters,
                         struct apf_error *error);
/* Adds them to others, and sets their numbers there. */
int partial_join_rosters(struct rosters *to, const struct partial_rosters *from, struct apf_error *error);

#endif
