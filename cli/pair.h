/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two profiles that a command compares. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include "profile_file.h"

/* Opens both profiles without their MemProf data. A failure is reported after the text `what`, as LLVM does, or with
 * the file where `what` is NULL. False: both are closed. */
bool pair_open(struct apf_instr *pair[2], const struct request *request, const char *const paths[2],
               const struct apf_correlation_source *source, const char *what);
void pair_close(struct apf_instr *pair[2]);
/* Warns of repeated records of a profile that could not be added up. */
void pair_warn(const struct session *session, const char *path, uint64_t left_out, uint64_t saturated);
/* Warns if the profiles are of the two kinds for which compilers hash functions in different ways. */
void pair_warn_kinds(const struct session *session, struct apf_instr *const pair[2],
                     const char *const paths[2]);
/* 0, or an exit code after a report: there are not two files, or -o would replace one. */
int pair_check(const struct session *session, const struct arguments *args);

#endif
