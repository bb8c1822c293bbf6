/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample_views.h
 * Printing and comparing sample profiles, writing them as JSON, and what they say about instrumentation profiles.
 */
#ifndef ANYPROF_SAMPLE_VIEWS_H
#define ANYPROF_SAMPLE_VIEWS_H

#include <anyprof/sample.h>
#include <anyprof/supplement.h>

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
    /** of the detailed summary, in millionths, in any order. NULL: those of the file, or the usual ones */
    const uint32_t *cutoffs;
    size_t n_cutoffs;
    /** NULL, or which other functions `function` means; not asked where the name contains it. Its results are those of
     * apf_name_filter_fn, but it cannot fail. */
    apf_name_filter_fn *also;
    void *user; /**< passed to also */
};

/** Prints a profile, byte for byte as llvm-profdata-22 does: functions by total descending, then by name. Three things
 * are different. That tool crashes on a profile without a list of symbols, which is empty here; it finds no function by
 * name in a context-sensitive profile; and functions of the list of hot ones that have equal totals are in no order.
 * APF_ARGUMENT: JSON of some functions only. */
APF_API int apf_sample_print(const struct apf_sample *sample, const struct apf_sample_print_options *options,
                             const struct apf_output *output, struct apf_error *error);

/** Sets *found to 1 if apf_sample_print with this sample_print_options.function prints a function, or else to 0. Fails
 * only when memory is out; then *found is 0. */
APF_API int apf_sample_print_finds(const struct apf_sample *sample, struct apf_str function, int *found,
                                   struct apf_error *error);

/** Prints the table of sections of a profile in the extensible binary format, byte for byte as llvm-profdata-22 does
 * with --show-sec-info-only: nothing else is read. APF_UNSUPPORTED: another format. */
APF_API int apf_sample_print_sections(const struct apf_input *input, const struct apf_options *options,
                                      const struct apf_output *output, struct apf_error *error);

/** Prints the functions of a profile as dump_gcov of AutoFDO does: those with samples, by total descending, then by
 * name. Profiles of GCC 16 are printed with source files and the times of first samples, as newer releases of that tool
 * print them, all others as release 0.19 does. Characters that are not printable are escaped. */
APF_API int apf_sample_print_gcov(const struct apf_sample *sample, const struct apf_output *output,
                                  struct apf_error *error);

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
    /** NULL, or which other functions `function` means; not asked where the name contains it. Its results are those of
     * apf_name_filter_fn, but it cannot fail. */
    apf_name_filter_fn *also;
    void *user; /**< passed to also */
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

/** Compares `test` with `base`. The comparison keeps nothing of them. Functions are the same if their names are, or the
 * hashes of these; where profiles are context-sensitive, if their contexts are. A profile without samples has nothing
 * in common with another one: then apf_sample_overlap_print prints which one it is. APF_SAMPLE_PROBE_CONFLICT,
 * APF_SAMPLE_CONTEXT_CONFLICT: only one of them has probes, or contexts. */
APF_API int apf_sample_overlap_new(struct apf_sample_overlap **overlap, const struct apf_sample *base,
                                   const struct apf_sample *test,
                                   const struct apf_sample_overlap_options *options, struct apf_error *error);
/** The totals. Never NULL; valid until the comparison is freed. */
APF_API const struct apf_sample_overlap_totals *
apf_sample_overlap_totals(const struct apf_sample_overlap *overlap);
/** The i-th of the selected functions, the largest share of the first profile first, of equals by name; NULL past the
 * end. */
APF_API const struct apf_sample_overlap_function *
apf_sample_overlap_function(const struct apf_sample_overlap *overlap, size_t i);
/** Prints what llvm-profdata-22 prints. */
APF_API int apf_sample_overlap_print(const struct apf_sample_overlap *overlap,
                                     const struct apf_output *output, struct apf_error *error);
/** Frees a comparison. NULL is allowed. */
APF_API void apf_sample_overlap_free(struct apf_sample_overlap *overlap);

/* ---- diff: what changed from one profile to another ---- */

/** A comparison. It never changes: several threads may read it at once. */
struct apf_sample_diff;

/** sample_diff_options.flags: the effect of a function, and whether it became hotter or colder, is that of its samples
 * as they are, not of their shares of all samples of their profile. */
#define APF_SAMPLE_DIFF_ABSOLUTE 1u
/** sample_diff_options.flags: functions are the same only if their names, or the hashes of these, are. Without it,
 * names that only one profile has are also paired if they are equal but for suffixes ".llvm.", ".__uniq." and ".part."
 * with DIGITS, provided that there is one such name on each side. */
#define APF_SAMPLE_DIFF_EXACT_NAMES 2u
/** sample_diff_options.flags: print JSON (docs/json.md). */
#define APF_SAMPLE_DIFF_JSON 4u

struct apf_sample_diff_options {
    size_t size;             /**< sizeof(struct apf_sample_diff_options) */
    uint32_t flags;          /**< APF_SAMPLE_DIFF_* */
    struct apf_str function; /**< only functions whose name contains this; n == 0: all */
    uint64_t max_functions;  /**< number of functions that are printed at most; 0: all */
    const char *names[2];    /**< names of the two profiles in the output */
    /** NULL, or which other functions `function` means; not asked where the name contains it. Its results are those of
     * apf_name_filter_fn, but it cannot fail. */
    apf_name_filter_fn *also;
    void *user; /**< passed to also */
};

/** apf_sample_diff_function.changes */
#define APF_SAMPLE_DIFF_ONLY_A 1u /**< the second profile does not have it */
#define APF_SAMPLE_DIFF_ONLY_B 2u /**< the first profile does not have it */
/** the checksum: the function was changed, and its lines, targets and vtables cannot be compared */
#define APF_SAMPLE_DIFF_CHECKSUM 4u
#define APF_SAMPLE_DIFF_SHARE 8u    /**< its share of all samples: it became hotter or colder */
#define APF_SAMPLE_DIFF_LINES 16u   /**< the shares that its lines have of its samples */
#define APF_SAMPLE_DIFF_TARGETS 32u /**< call targets, or their shares */
#define APF_SAMPLE_DIFF_VTABLES 64u /**< vtables, or their shares */
/** in which functions it is inlined, or its shares there; with contexts: by which functions it is called */
#define APF_SAMPLE_DIFF_CALLERS 128u
#define APF_SAMPLE_DIFF_ATTRIBUTES 256u /**< what the preinliner has decided, and the like */
#define APF_SAMPLE_DIFF_NAME 512u       /**< the name: see APF_SAMPLE_DIFF_EXACT_NAMES */
#define APF_SAMPLE_DIFF_CHANGES 10      /**< number of the bits above */

/** One function of one of two profiles: its own lines, wherever it is inlined. Its layout is frozen. */
struct apf_sample_diff_side {
    struct apf_sample_name name;
    uint64_t samples;     /**< sum of its lines; 2^64-1 = that or more */
    double share;         /**< of all samples of its profile, from 0 to 1 */
    double inlined;       /**< part of its samples that has a caller: inlined, or in a context; from 0 to 1 */
    uint64_t head;        /**< entries */
    uint64_t checksum;    /**< the one with most samples; 0: unknown */
    uint64_t n_checksums; /**< different ones: more than one if profiles of several builds were merged */
    uint64_t n_lines, n_targets, n_vtables;
    uint64_t n_lone;     /**< lines that the other profile does not have; 0 where lines are not compared */
    uint64_t n_callers;  /**< functions in which it is inlined, or by which it is called in contexts */
    uint32_t attributes; /**< APF_SAMPLE_WAS_INLINED, ... of any copy */
    uint32_t reserved;
};

/** A function that differs. */
struct apf_sample_diff_function {
    uint32_t changes; /**< APF_SAMPLE_DIFF_* */
    double effect;    /**< its part of apf_sample_diff_totals.difference */
    /** How much of its own samples moved between its lines, of the counts of its targets and of its vtables, and of its
     * samples between its callers: from 0 to 1; 0 where they are not compared. */
    double lines_moved, targets_moved, vtables_moved, callers_moved;
    struct apf_sample_diff_side side[2]; /**< all zero where a profile does not have it */
};

/** The number of functions that changed in one way, and their effect. A function may have changed in several ways. Its
 * layout is frozen. */
struct apf_sample_diff_total {
    uint64_t n;
    double effect;
};

/** The totals. The difference is the share of samples that moved, from 0 to 1: with a_i and b_i for the lines of all
 * functions of both profiles, each divided by the sum of all lines of its profile (unless APF_SAMPLE_DIFF_ABSOLUTE),
 *
 *     sum of |a_i - b_i| / (sum of a_i + sum of b_i)
 *
 * where a line that the other profile does not have, or has in a function of another checksum, counts against 0. So of
 * two runs that differ only in length it is 0, of two that share nothing 1; where only one profile has samples, too, it
 * is 1. What is inlined counts as a part of the function that it comes from, so that another decision of the inliner
 * alone makes no difference. A function's effect is its part of that sum. */
struct apf_sample_diff_totals {
    uint64_t functions[2]; /**< of each profile, compared */
    double samples[2]; /**< sum of all lines of each profile, also of functions that the filter leaves out */
    uint64_t equal, differ; /**< pairs that are equal, and functions that differ */
    double difference;      /**< sum of all effects */
    double
        stale[2]; /**< share of each profile's samples that are in functions with APF_SAMPLE_DIFF_CHECKSUM */
    double inlined[2];       /**< share of each profile's samples that have a caller */
    uint32_t lines_compared; /**< 0: only one profile has probes, so that a function counts as one line */
    /** 0: only one profile has contexts, so that callers mean something else in each */
    uint32_t callers_compared;
    struct apf_sample_diff_total changes[APF_SAMPLE_DIFF_CHANGES]; /**< by number of the bit */
};

/** Compares two profiles by function: contexts and copies that were inlined are added up. Totals that profiles have
 * beside their lines are not compared. The diff borrows from both profiles: it must be freed before they are closed. */
APF_API int apf_sample_diff_new(struct apf_sample_diff **diff, const struct apf_sample *a,
                                const struct apf_sample *b, const struct apf_sample_diff_options *options,
                                struct apf_error *error);
/** The i-th of the apf_sample_diff_totals.differ functions that differ, the largest effect first, of equals by name;
 * NULL past the end. */
APF_API const struct apf_sample_diff_function *apf_sample_diff_function(const struct apf_sample_diff *diff,
                                                                        size_t i);
/** The totals. Never NULL; valid until the comparison is freed. */
APF_API const struct apf_sample_diff_totals *apf_sample_diff_totals(const struct apf_sample_diff *diff);
/** Prints the differences as text, or with APF_SAMPLE_DIFF_JSON as JSON. */
APF_API int apf_sample_diff_print(const struct apf_sample_diff *diff, const struct apf_output *output,
                                  struct apf_error *error);
/** Frees a comparison. NULL is allowed. */
APF_API void apf_sample_diff_free(struct apf_sample_diff *diff);

/* ---- supplement: what a profile says about functions that instrumented runs hardly reached ---- */

/** Makes, from a profile, what apf_merge_supplement applies to a merge of instrumentation profiles. It borrows nothing
 * from the profile. On failure *supplement is NULL. */
APF_API int apf_sample_supplement_new(struct apf_supplement **supplement, const struct apf_sample *sample,
                                      struct apf_error *error);
/** Frees what apf_sample_supplement_new has made. NULL is allowed. */
APF_API void apf_sample_supplement_free(struct apf_supplement *supplement);

/* ---- JSON ---- */

/** Writes a profile as a JSON document (schema anyprof-sample/1, see docs/json.md), from which apf_sample_open reads
 * all of it again. */
APF_API int apf_sample_write_json(const struct apf_sample *sample, const struct apf_output *output,
                                  struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
