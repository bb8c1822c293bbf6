/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample_views.h
 * Printing and comparing sample profiles, and writing them as JSON.
 */
#ifndef ANYPROF_SAMPLE_VIEWS_H
#define ANYPROF_SAMPLE_VIEWS_H

#include <anyprof/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- show: what llvm-profdata show --sample prints ---- */

/** sample_print_options.flags: each stands for the option of that tool with its name. */
#define APF_SAMPLE_PRINT_JSON 1u             /**< the functions as JSON, of which much is left out */
#define APF_SAMPLE_PRINT_SYMBOLS 2u          /**< --show-prof-sym-list */
#define APF_SAMPLE_PRINT_DETAILED_SUMMARY 4u /**< --detailed-summary */
#define APF_SAMPLE_PRINT_HOT_FUNCTIONS 8u    /**< --hot-func-list */

struct apf_sample_print_options {
    size_t size;    /**< sizeof(struct apf_sample_print_options) */
    uint32_t flags; /**< APF_SAMPLE_PRINT_* */
    /** n == 0: all functions. Else those with this name, all contexts of it; or with this hash, a decimal number, where
     * only that is known; or, in a context-sensitive profile, with this context: "main:2 @ foo", also in brackets. */
    struct apf_str function;
    uint64_t topn; /**< number of rows of the list of hot functions, which it implies; 0: all */
    /** of the detailed summary, in millionths, in any order. NULL: that of the file, if it has one, or the usual ones */
    const uint32_t *cutoffs;
    size_t n_cutoffs;
};

/** Prints a profile, byte for byte as llvm-profdata-22 does: functions by total descending, then by name. Three things
 * are different. That tool crashes on a profile without a list of symbols, which is empty here; it finds no function by
 * name in a context-sensitive profile; and functions of the list of hot ones that have equal totals are in no order.
 * APF_ARGUMENT: JSON of some functions only. */
APF_API int apf_sample_print(const struct apf_sample *sample, const struct apf_sample_print_options *options,
                             const struct apf_output *output, struct apf_error *error);

/** Prints the table of sections of a profile in the extensible binary format, byte for byte as llvm-profdata-22 does with
 * --show-sec-info-only: nothing else is read. APF_UNSUPPORTED: another format. */
APF_API int apf_sample_print_sections(const struct apf_input *input, const struct apf_options *options,
                                      const struct apf_output *output, struct apf_error *error);

/* ---- overlap: the measure of llvm-profdata overlap --sample ---- */

/** A comparison. It never changes: several threads may read it at once. */
struct apf_sample_overlap;

struct apf_sample_overlap_options {
    size_t size; /**< sizeof(struct apf_sample_overlap_options) */
    /** list the functions with a line of at least this many samples in the second profile; 2^64-1: no others */
    uint64_t value_cutoff;
    /** list the functions of both profiles that are less similar than this, in millionths */
    uint64_t similarity_cutoff;
    /** n != 0: list also the functions of both profiles whose name or context contains this */
    struct apf_str function;
    const char *names[2]; /**< names of the two profiles in the text */
};

/** Counts of one kind of thing. Its layout is frozen. */
struct apf_sample_common {
    uint64_t both; /**< in both profiles */
    uint64_t base; /**< in the first one only */
    uint64_t test; /**< in the second one only */
};

/** How much two profiles have in common. Samples are sums over lines, those of inlined functions included. */
struct apf_sample_overlap_totals {
    double similarity; /**< from 0 to 1: the mean of the similarities of all functions, by their samples */
    double
        overlap; /**< from 0 to 1: sum of the smaller counts of all lines, divided by that of the larger ones */
    uint64_t samples[2]; /**< of each profile */
    /** of lines, inlined functions and functions that the other profile does not have */
    uint64_t unique[2];
    struct apf_sample_common functions, hot_functions, hot_lines;
    uint64_t hot_count[2]; /**< lines with at least this many samples are hot */
};

/** A function that was selected by the options. */
struct apf_sample_overlap_function {
    struct apf_str name; /**< or context, as in the text */
    double weight[2];    /**< its share of the samples of each profile */
    double similarity;   /**< from 0 to 1; 0 where the first profile does not have it */
    double overlap;      /**< from 0 to 1, as that of the profiles */
    double unique[2];    /**< share of the function's own samples that the other profile does not have */
    uint64_t samples[2]; /**< of each profile */
};

/** Compares `test` with `base`. Functions are the same if their names are, or the hashes of these; where profiles are
 * context-sensitive, if their contexts are. A profile without samples has nothing in common with another one: then
 * apf_sample_overlap_print prints which one it is. APF_SAMPLE_PROBE_CONFLICT, APF_SAMPLE_CONTEXT_CONFLICT: only one of
 * them has probes, or contexts. */
APF_API int apf_sample_overlap_new(struct apf_sample_overlap **overlap, const struct apf_sample *base,
                                   const struct apf_sample *test,
                                   const struct apf_sample_overlap_options *options, struct apf_error *error);
APF_API const struct apf_sample_overlap_totals *
apf_sample_overlap_totals(const struct apf_sample_overlap *overlap);
/** The i-th of the selected functions, the largest share of the first profile first, of equals by name; NULL past the
 * end. */
APF_API const struct apf_sample_overlap_function *
apf_sample_overlap_function(const struct apf_sample_overlap *overlap, size_t i);
/** Prints what llvm-profdata-22 prints. */
APF_API int apf_sample_overlap_print(const struct apf_sample_overlap *overlap,
                                     const struct apf_output *output, struct apf_error *error);
APF_API void apf_sample_overlap_free(struct apf_sample_overlap *overlap);

/* ---- JSON ---- */

/** Writes a profile as a JSON document (schema anyprof-sample/1, see docs/json.md), which apf_sample_open reads: nothing
 * is lost. */
APF_API int apf_sample_write_json(const struct apf_sample *sample, const struct apf_output *output,
                                  struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
