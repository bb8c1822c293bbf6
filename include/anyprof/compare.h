/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file compare.h
 * Comparing two instrumentation profiles, and finding the order in which functions start.
 *
 * The two profiles may have different formats, and may be views of merges. Both stay open and unchanged. */
#ifndef ANYPROF_COMPARE_H
#define ANYPROF_COMPARE_H

#include <anyprof/instr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- overlap: the measure of llvm-profdata overlap ---- */

/** overlap_options.flags: the context-sensitive records of IR profiles make up the sums, not the others. */
#define APF_OVERLAP_CS 1u
/** overlap_options.flags: print JSON (docs/json.md). */
#define APF_OVERLAP_JSON 2u

struct apf_overlap_options {
    size_t size;             /**< sizeof(struct apf_overlap_options) */
    uint32_t flags;          /**< APF_OVERLAP_* */
    uint64_t value_cutoff;   /**< print the functions with a count of at least this in the second profile */
    struct apf_str function; /**< n != 0: print also the functions whose name contains this */
    const char *names[2];    /**< names of the two profiles in the text */
    /** NULL, or which other functions `function` means; not asked where the name contains it. Its results are those of
     * apf_name_filter_fn, but it cannot fail. */
    apf_name_filter_fn *also;
    void *user; /**< passed to also */
};

/** Sums of counts, or shares of them, in floating point, added in LLVM's order so that the digits are LLVM's. Its
 * layout is frozen. */
struct apf_overlap_sums {
    uint64_t n;                     /**< functions; for a single function its counters */
    double edges;                   /**< of counters */
    double values[APF_VALUE_KINDS]; /**< of profiled values */
};

/** Whether two profiles could be compared. */
enum apf_overlap_zero {
    APF_OVERLAP_COMPARED = 0,
    APF_OVERLAP_BASE_ZERO = 1, /**< the first profile has no counts; nothing was compared */
    APF_OVERLAP_TEST_ZERO = 2  /**< the second profile has none; nothing was compared */
};

/** Whether two profiles have counts of one kind. Counts of different kinds are compared as llvm-profdata does it, but
 * the numbers mean nothing. */
enum apf_overlap_kinds {
    APF_OVERLAP_ONE_KIND = 0,
    /** one is an IR profile, one of the front end: their hashes and counters are made in different ways */
    APF_OVERLAP_FRONT_END_AND_IR = 1,
    /** of two IR profiles, only one has records of the kind that is compared, context-sensitive (APF_OVERLAP_CS) or
     * not; of the other one, n is 0 in apf_overlap.base or test */
    APF_OVERLAP_CONTEXT_SENSITIVE = 2
};

/** How much two profiles have in common. */
struct apf_overlap {
    size_t size;                        /**< sizeof(struct apf_overlap), set by the caller */
    struct apf_overlap_sums base, test; /**< sums of each profile; what LLVM divides by */
    /** sum over all counters of the smaller one of their shares, from 0 to 1 */
    struct apf_overlap_sums overlap;
    /** share of the second one in functions with another hash or other counters in the first */
    struct apf_overlap_sums mismatch;
    struct apf_overlap_sums unique; /**< ... and in functions that the first one does not have */
    uint32_t zero;                  /**< enum apf_overlap_zero */
    /** of the first one: records of a name and hash that come repeatedly, but do not go together */
    uint64_t left_out;
    uint64_t saturated; /**< ... and sums of such records that were cut at the largest count there is */
    uint32_t kinds;     /**< enum apf_overlap_kinds */
    uint32_t reserved;
};

/** Compares `test` with `base` and prints what llvm-profdata-22 overlap prints, or JSON. If a profile has no counts at
 * all, the text is one line that says so. `output` NULL: only *overlap, which may be NULL, is filled in. */
APF_API int apf_overlap_print(const struct apf_instr *base, const struct apf_instr *test,
                              const struct apf_overlap_options *options, const struct apf_output *output,
                              struct apf_overlap *overlap, struct apf_error *error);

/* ---- order: of functions, from temporal traces ---- */

/** An order of functions. It never changes: several threads may read it at once. */
struct apf_order;

/** order_options.flags: print JSON (docs/json.md). */
#define APF_ORDER_JSON 1u

struct apf_order_options {
    size_t size;            /**< sizeof(struct apf_order_options) */
    uint32_t n_test_traces; /**< number of traces, the last ones, that are kept aside to measure the order */
    uint32_t flags;         /**< APF_ORDER_* */
};

/** Finds an order of the functions in a profile's traces in which functions that start together are near each other:
 * the order of llvm-profdata-22 order, by balanced partitioning. Takes time in proportion to the functions in all
 * traces times the square of the logarithm of their number, at most. APF_ARGUMENT: there are not more than
 * n_test_traces. */
APF_API int apf_order_new(struct apf_order **order, const struct apf_instr *instr,
                          const struct apf_order_options *options, struct apf_error *error);
/** The ids of the functions in this order; valid as long as `order`. */
APF_API const uint64_t *apf_order_ids(const struct apf_order *order, size_t *n);
/** Pages that the test traces touch, summed over their functions (modulo 2^32, as in LLVM), where a page holds 32
 * functions: fewer are better. */
APF_API uint32_t apf_order_area(const struct apf_order *order);
/** Prints the names for a linker's -symbol-ordering-file, with LLVM's comments, as llvm-profdata-22 does, or JSON. The
 * profile must still be open. */
APF_API int apf_order_print(const struct apf_order *order, const struct apf_output *output,
                            struct apf_error *error);
/** Frees an order. NULL is allowed. */
APF_API void apf_order_free(struct apf_order *order);

/* ---- diff: what changed from one profile to another ---- */

/** A comparison. It never changes: several threads may read it at once. */
struct apf_diff;

/** diff_options.flags: compare the context-sensitive records of IR profiles, not the others. */
#define APF_DIFF_CS 1u
/** diff_options.flags: compare counts as they are, not as shares of the sum of all counts of their profile. */
#define APF_DIFF_ABSOLUTE 2u
/** diff_options.flags: functions are the same only if their names are. Without it, names that only one profile has are
 * also paired if they are equal but for the separator after the file of a local function (':' or ';') and a suffix
 * ".llvm.DIGITS", provided that there is one such name on each side. */
#define APF_DIFF_EXACT_NAMES 4u
/** diff_options.flags: print JSON (docs/json.md). */
#define APF_DIFF_JSON 8u

struct apf_diff_options {
    size_t size;             /**< sizeof(struct apf_diff_options) */
    uint32_t flags;          /**< APF_DIFF_* */
    struct apf_str function; /**< only functions whose name contains this; n == 0: all */
    uint64_t max_functions;  /**< number of functions that are printed at most; 0: all */
    const char *names[2];    /**< names of the two profiles in the output */
    /** NULL, or which other functions `function` means; not asked where the name contains it. Its results are those of
     * apf_name_filter_fn, but it cannot fail. */
    apf_name_filter_fn *also;
    void *user; /**< passed to also */
};

/** apf_diff_function.changes */
#define APF_DIFF_ONLY_A 1u /**< the second profile does not have it */
#define APF_DIFF_ONLY_B 2u /**< the first profile does not have it */
#define APF_DIFF_HASH 4u   /**< the hash: the function was changed, and its counters cannot be compared */
#define APF_DIFF_COUNTERS                                                                                    \
    8u                      /**< the number of counters with the same hash; these cannot be compared either */
#define APF_DIFF_BITMAP 16u /**< the number of bitmap bytes */
#define APF_DIFF_SITES 32u  /**< the number of value sites of some kind */
#define APF_DIFF_COUNTS 64u /**< counts, or their shares */
#define APF_DIFF_BITS 128u  /**< bits of the bitmap */
#define APF_DIFF_VALUES 256u /**< the values of sites, or their shares */
#define APF_DIFF_PSEUDO 512u /**< the marker instead of counts: hot, warm or none */
#define APF_DIFF_NAME 1024u  /**< the name: see APF_DIFF_EXACT_NAMES */
#define APF_DIFF_CHANGES 11  /**< number of the bits above */

/** One function of one of two profiles. Its layout is frozen. */
struct apf_diff_side {
    struct apf_str name; /**< n == 0: unknown */
    uint64_t id, hash;
    double share;   /**< of the sum of all counts of its profile, from 0 to 1 */
    uint64_t count; /**< sum of its counts; 2^64-1 = that or more */
    uint64_t n_counts, n_bitmap, n_sites[APF_VALUE_KINDS];
};

/** A function that differs. */
struct apf_diff_function {
    uint32_t changes;      /**< APF_DIFF_* */
    double effect;         /**< its part of apf_diff_totals.difference */
    double values_moved;   /**< how much of its value counts moved, from 0 to 1; 0 where sites differ */
    uint64_t bits_changed; /**< bits of the bitmap that are not the same */
    struct apf_diff_side side[2]; /**< all zero where a profile does not have it */
};

/** The number of functions that changed in one way, and their effect. A function may have changed in several ways. Its
 * layout is frozen. */
struct apf_diff_total {
    uint64_t n;
    double effect;
};

/** The totals. The difference is the share of counts that moved, from 0 to 1: with a_i and b_i for the counters of both
 * profiles, each divided by the sum of all counters of its profile (unless APF_DIFF_ABSOLUTE),
 *
 *     sum of |a_i - b_i| / (sum of a_i + sum of b_i)
 *
 * where a counter that the other profile does not have, or has in a function of another hash or number of counters,
 * counts against 0. So of two runs that differ only in length it is 0, of two that share nothing 1; where only one
 * profile has counts, too, it is 1. Without a filter it is 1 minus the overlap that llvm-profdata finds where the value
 * sites of no function differ and no name was paired. A function's effect is its part of that sum. Markers instead of
 * counts are no counts. */
struct apf_diff_totals {
    /** of each profile, compared: records, joined where a name and hash come repeatedly */
    uint64_t functions[2];
    double counts[2]; /**< sum of all counts of each profile, also of functions that the filter leaves out */
    uint64_t equal, differ;                          /**< pairs that are equal, and functions that differ */
    uint64_t left_out[2], saturated[2];              /**< as in struct apf_overlap, of each profile */
    double difference;                               /**< sum of all effects */
    struct apf_diff_total changes[APF_DIFF_CHANGES]; /**< by number of the bit */
    /** APF_VARIANT_* bits of each profile; the counts of IR profiles and others cannot be compared */
    uint64_t variant[2];
};

/** Compares two profiles. Traces, timestamps, binary ids and MemProf data are not compared. Of a name that has several
 * hashes, equal ones are compared; of those left over, the one with most counts of the first profile with the one with
 * most of the second, and so on. The diff borrows from both profiles: it must be freed before they are closed. */
APF_API int apf_diff_new(struct apf_diff **diff, const struct apf_instr *a, const struct apf_instr *b,
                         const struct apf_diff_options *options, struct apf_error *error);
/** The i-th of the apf_diff_totals.differ functions that differ, the largest effect first, of equals by name and hash;
 * NULL past the end. */
APF_API const struct apf_diff_function *apf_diff_function(const struct apf_diff *diff, size_t i);
/** The totals. Never NULL; valid until the diff is freed. */
APF_API const struct apf_diff_totals *apf_diff_totals(const struct apf_diff *diff);
/** Prints the differences as text, or with APF_DIFF_JSON as JSON. */
APF_API int apf_diff_print(const struct apf_diff *diff, const struct apf_output *output,
                           struct apf_error *error);
/** Frees a comparison. NULL is allowed. */
APF_API void apf_diff_free(struct apf_diff *diff);

#ifdef __cplusplus
}
#endif
#endif
