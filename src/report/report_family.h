/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Families of profiles: a report is about one of them. */
#ifndef REPORT_REPORT_FAMILY_H
#define REPORT_REPORT_FAMILY_H

#include "report/report_model.h"

/* The family of files (enum report_family), the first of those whose facts were read: of the first one of which it is
 * known. */
uint32_t report_family_of(const struct apf_report *r, const struct apf_input *inputs, size_t n);
/* The kind (enum apf_file_kind) of the first file in a role that has one; a file without a byte has none. */
uint32_t report_kind_of(const struct apf_report *r, uint32_t role);
/* Refuses to compare instrumentation profiles with sample profiles. */
int report_check_families(const struct apf_report *r, const struct apf_report_options *o,
                          struct apf_error *error);

#endif
