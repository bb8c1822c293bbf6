/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two profiles that a command compares. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include "profile_file.h"

/* Opens both, one after the other; MemProf data in them is left out in silence. A failure is reported behind the words
 * of `what`, in LLVM's manner, or if that is NULL as by other commands. False: there is neither. */
bool pair_open(struct apf_instr *pair[2], const struct session *session, const struct arguments *args,
               const struct apf_correlation_source *source, const char *what);
void pair_close(struct apf_instr *pair[2]);
/* Warns of records of one profile that come repeatedly and could not be added up. */
void pair_warn(const struct session *session, const char *path, uint64_t left_out, uint64_t saturated);
/* Whether there are two files; else the command line is wrong: reported. */
bool pair_is_given(const struct session *session, const struct arguments *args);

#endif
