/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Families of profiles: a report is about one of them. */
#ifndef REPORT_REPORT_FAMILY_H
#define REPORT_REPORT_FAMILY_H

#include "report/report_model.h"

/* What files of a role are: the first of them of which it is known, and all others are the same or not known. */
struct report_kind {
    uint32_t family; /* enum report_family; REPORT_NO_FAMILY: of no file it is known */
    uint32_t kind;   /* of the family REPORT_BOLT: enum apf_file_kind */
    size_t input;    /* number of that file */
};

/* Finds out what the profiles are, or programs without profiles, and those that they are compared with, after their
 * facts were read. APF_ARGUMENT: they cannot be merged, or compared. */
int report_find_kinds(const struct apf_report *r, const struct apf_report_options *o,
                      struct report_kind *profiles, struct report_kind *base, struct apf_error *error);

#endif
