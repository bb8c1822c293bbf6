/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file report.h
 * Reports for people: what one or two profiles say, as a page for browsers, or in short as Markdown. Part of
 * libanyprof-elf.
 */
#ifndef ANYPROF_REPORT_H
#define ANYPROF_REPORT_H

#include <anyprof/compare.h>
#include <anyprof/merge.h>
#include <anyprof/sample_merge.h>
#include <anyprof/sample_views.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A report. It never changes: several threads may write it at once. */
struct apf_report;

/** All zero after `size` and `profiles`: the defaults. Everything stays the caller's, and is needed only during the
 * call. */
struct apf_report_options {
    size_t size; /**< sizeof(struct apf_report_options) */
    const struct apf_options *options;
    /** Profiles of one family: instrumentation (also with memory profiles), sample, or BOLT's. Several are merged, and
     * the report says what became of each. */
    const struct apf_input *profiles;
    size_t n_profiles;
    /** Profiles of the same family that the others are compared with; none: they are compared with nothing. */
    const struct apf_input *base;
    size_t n_base;
    /** Programs of the profiles: the report says what of them has counts, and what is out of date. */
    const struct apf_input *programs;
    size_t n_programs;
    const char *title;      /**< UTF-8; NULL: one that is made of the profiles' names */
    apf_name_fn *show_name; /**< how names are shown, such as demangled; NULL: names are shown as they are */
    void *user;             /**< of show_name */
    uint64_t max_rows;      /**< rows of each table of the Markdown; 0: 10 */
};

/** Reads profiles and makes a report of them. Findings go to options->diag. APF_ARGUMENT: there is no profile, or they
 * are of several families, or of one of which there are no reports; other codes as in apf_merge_add,
 * apf_sample_merge_add and apf_bolt_read. A bad one of several profiles is part of the report unless nothing is left.
 * On failure *report is NULL. */
APF_API int apf_report_new(struct apf_report **report, const struct apf_report_options *options,
                           struct apf_error *error);
/** Makes a report of a merge, with what became of its inputs. Of the options, `profiles` must be empty. */
APF_API int apf_report_of_merge(struct apf_report **report, struct apf_merge *merge,
                                const struct apf_report_options *options, struct apf_error *error);
/** The same of a merge of sample profiles. */
APF_API int apf_report_of_sample_merge(struct apf_report **report, struct apf_sample_merge *merge,
                                       const struct apf_report_options *options, struct apf_error *error);
/** Makes a report of a comparison: of what changed, and nothing else. Of the options, `profiles` and `base` must be
 * empty. */
APF_API int apf_report_of_diff(struct apf_report **report, const struct apf_diff *diff,
                               const struct apf_report_options *options, struct apf_error *error);
/** The same of a comparison of sample profiles. */
APF_API int apf_report_of_sample_diff(struct apf_report **report, const struct apf_sample_diff *diff,
                                      const struct apf_report_options *options, struct apf_error *error);
/** How many of the profiles, or of the merge's inputs, were not used whole; the report says which, and why. */
APF_API size_t apf_report_losses(const struct apf_report *report);
/** Frees a report. NULL is allowed. */
APF_API void apf_report_free(struct apf_report *report);

/** Writes the report as one HTML file that loads nothing and can be read without a network. */
APF_API int apf_report_write_html(const struct apf_report *report, const struct apf_output *output,
                                  struct apf_error *error);
/** Writes the report in short as Markdown of GitHub and GitLab: for the comment of a pull request, or the summary of a
 * CI job. */
APF_API int apf_report_write_markdown(const struct apf_report *report, const struct apf_output *output,
                                      struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
