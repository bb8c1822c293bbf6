/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rosters in partial profiles, in pieces, so that no record is large. */
#ifndef INPUTS_PARTIAL_ROSTERS_H
#define INPUTS_PARTIAL_ROSTERS_H

#include "inputs/inputs_rosters.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

/* The section. Inputs name rosters by their numbers in it. */
#define PARTIAL_ROSTERS 7u

void partial_write_roster(struct partial_writer *file, const struct roster *roster);
/* Reads the next roster, if *more, but for its id. Its digests are in the arena. APF_BAD_PARTIAL, APF_NO_MEMORY. */
int partial_read_roster(struct partial_reader *file, struct arena *arena, struct roster *roster, bool *more,
                        struct apf_error *error);

#endif
