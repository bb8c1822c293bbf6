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
 * call. Files are read several times: what can be read only once, standard input and pipes, has to be given as bytes in
 * memory. */
struct apf_report_options {
    size_t size; /**< sizeof(struct apf_report_options) */
    const struct apf_options *options;
    /** Profiles of one family: instrumentation (also with memory profiles, or these alone), sample, or BOLT's. Several
     * are merged, and the report says what became of each. Samples of `perf` or pre-aggregated ones become a profile of
     * BOLT, for which `programs` must be one program. Programs with pseudo probes are a family, too; if there are no
     * profiles at all, the report is about the probes of `programs`. */
    const struct apf_input *profiles;
    size_t n_profiles;
    /** Profiles of the same family that the others are compared with; none: they are compared with nothing. */
    const struct apf_input *base;
    size_t n_base;
    /** Programs of the profiles: the report says what of them has counts, and what is out of date. Instrumented ones
     * for instrumentation profiles, those with pseudo probes for sample profiles, any for the names in memory profiles;
     * one for samples; APF_ARGUMENT for profiles of BOLT. */
    const struct apf_input *programs;
    size_t n_programs;
    const char *title;      /**< UTF-8; NULL: apf_report_new makes one of the names, other calls none */
    apf_name_fn *show_name; /**< how names are shown, such as demangled; NULL: names are shown as they are */
    void *user;             /**< of show_name */
    uint64_t max_rows;      /**< rows of each table of the Markdown; 0: 10 */
    /** UTF-8: what has failed, such as writing the result of a merge. The report says it first, and calls nothing
     * merged. NULL: nothing. */
    const char *failure;
    /** UTF-8: sentences that the report has before its parts, beside its own. */
    const char *const *notes;
    size_t n_notes;
    uint32_t flags; /**< APF_REPORT_CS */
    uint32_t reserved;
};
/** report_options.flags: of IR profiles, the report is about the context-sensitive records, of a second instrumentation
 * after inlining, instead of the others; APF_ARGUMENT if there are none. Without it, it is so only if there are no
 * others. */
#define APF_REPORT_CS 1u

/** Reads profiles and makes a report of them. Findings go to options->diag. APF_ARGUMENT: there is no profile, or they
 * are of several families, or of one of which there are no reports, or a file can be read only once; other codes as in
 * apf_merge_add, apf_sample_merge_add, apf_bolt_read, apf_bolt_convert, apf_probes_open and apf_check_programs_open. A
 * bad one of several profiles is part of the report unless nothing is left. On failure *report is NULL. */
APF_API int apf_report_new(struct apf_report **report, const struct apf_report_options *options,
                           struct apf_error *error);
/** As apf_check_paths, of all files that a report can be about: also fdata, YAML profiles of BOLT and pre-aggregated
 * samples, by the first record in them. Programs and recordings of perf are not listed. */
APF_API int apf_report_paths(const char *path, const struct apf_paths_options *options, char ***paths,
                             size_t *n, struct apf_skipped *skipped, struct apf_error *error);
/** Makes a report of a merge, with what became of its inputs. Of the options, `profiles` are the files that the
 * result was written to, of which the report says what they are; there may be none. */
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
/** A profile, or an input of a merge, that was not used as a whole. Its layout is frozen. */
struct apf_report_loss {
    struct apf_str name;
    struct apf_str why;
};
/** How many profiles, or inputs of the merge, were not used as a whole. */
APF_API size_t apf_report_losses(const struct apf_report *report);
/** Number i of them. APF_END past the last one. */
APF_API int apf_report_loss(const struct apf_report *report, size_t i, struct apf_report_loss *loss);
/** Sentence number i of those that a report has before its parts: the caller's, then its own, about what makes the
 * counts less than they seem. APF_END past the last one. */
APF_API int apf_report_note(const struct apf_report *report, size_t i, struct apf_str *note);
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
