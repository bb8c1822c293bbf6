/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all reports have: options, a title, an end. */
#ifndef REPORT_REPORT_BEGIN_H
#define REPORT_REPORT_BEGIN_H

#include "report/report_model.h"

/* Checks and copies the caller's options, and makes an empty report, with the title if the caller has given one. On
 * failure *report is NULL. */
int report_begin(struct apf_report **report, struct apf_report_options *o, struct apf_options *common,
                 const struct apf_report_options *options, struct apf_error *error);
/* Refuses files whose bytes can be read only once, among the profiles, those compared with, and the programs. */
int report_check_streams(const struct apf_report_options *o, struct apf_error *error);
/* Makes a title of the names of files: "a.profraw and 5 more, compared with b.profdata". */
int report_make_title(struct apf_report *r, const struct apf_report_options *o, struct apf_error *error);
/* Finishes a report that was collected with the result `code`, or frees it after a failure. */
int report_conclude(struct apf_report **report, int code, struct apf_error *error);

#endif
