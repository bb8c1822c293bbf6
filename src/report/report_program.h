/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs of profiles. */
#ifndef REPORT_REPORT_PROGRAM_H
#define REPORT_REPORT_PROGRAM_H

#include <anyprof/jobs.h>

#include "report/report_model.h"

/* Collects what a memory profile says, with names from the profile itself, from the other one of a comparison (NULL:
 * there is none), or from the symbols of programs. */
int report_read_memory(struct apf_report *r, const struct apf_instr *instr, const struct apf_instr *other,
                       const struct apf_input *programs, size_t n_programs, const struct apf_options *common,
                       struct apf_error *error);
/* Compare the functions that were collected with programs, and mark them. `input` is the profile that they are of. */
int report_check_instr(struct apf_report *r, const struct apf_check_programs *programs,
                       const struct apf_input *input, const struct apf_options *common,
                       struct apf_error *error);
/* The same with programs that have a coverage mapping only. */
int report_check_mapping(struct apf_report *r, const struct apf_input *programs, size_t n,
                         const struct apf_input *input, const struct apf_options *common,
                         struct apf_error *error);
int report_check_sample(struct apf_report *r, const struct apf_input *programs, size_t n,
                        const struct apf_options *common, struct apf_error *error);
/* Lists the functions that are stale, after the functions were sorted. */
int report_list_program(struct apf_report *r, struct apf_error *error);

#endif
