/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample_merge.h
 * Merging sample profiles: any mix of formats and versions in, one profile out.
 */
#ifndef ANYPROF_SAMPLE_MERGE_H
#define ANYPROF_SAMPLE_MERGE_H

#include <anyprof/sample_write.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A merge of sample profiles. One thread at a time may use it; inside a call it starts threads of its own. */
struct apf_sample_merge;

/** sample_merge_options.flags: apf_sample_merge_write removes the inputs that were merged; sample_merge_options.output
 * names the output. All is as for APF_MERGE_REMOVE_INPUTS (merge.h). */
#define APF_SAMPLE_MERGE_REMOVE_INPUTS 1u
/** sample_merge_options.flags: where functions were left out because their checksums contradict those of others, read
 * the inputs again to find those that lost something: this sets losses_known and lost_functions in
 * apf_sample_input_result, together with the view, and reports findings (APF_LEFT_OUT). Included in
 * APF_SAMPLE_MERGE_REMOVE_INPUTS. */
#define APF_SAMPLE_MERGE_FIND_LOSSES 2u
/** sample_merge_options.flags: the inputs' lists of all functions are ignored. */
#define APF_SAMPLE_MERGE_NO_SYMBOLS 4u
/** sample_merge_options.flags: cold functions are added up by the last frames of their contexts, cold_frames of
 * them. */
#define APF_SAMPLE_MERGE_COLD 8u
/** sample_merge_options.flags: cold functions are left out, also those without contexts; with APF_SAMPLE_MERGE_COLD
 * those whose sum is cold, too, and that have no function that is not cold to be added to. */
#define APF_SAMPLE_MERGE_TRIM_COLD 16u
/** sample_merge_options.flags: sample_merge_options.cold_count counts. */
#define APF_SAMPLE_MERGE_COLD_COUNT 32u
/** sample_merge_options.flags: with APF_SAMPLE_NESTED, what becomes inlined is also a part of the function's own
 * profile, and has APF_SAMPLE_DUPLICATED. */
#define APF_SAMPLE_MERGE_BASE 64u
/** sample_merge_options.flags: discriminators of text and raw binary, which cannot say so, are flow-sensitive. */
#define APF_SAMPLE_MERGE_FS 128u
/** sample_merge_options.flags: a partial profile will be written (apf_sample_merge_write_partial), which also says
 * which functions each input has. */
#define APF_SAMPLE_MERGE_PARTIAL 256u
/** sample_merge_options.flags: as APF_MERGE_FORGET_INPUTS (merge.h). */
#define APF_SAMPLE_MERGE_FORGET_INPUTS 512u

/** Another form of the result. */
enum apf_sample_conversion {
    APF_SAMPLE_AS_IT_IS = 0,
    /** context-sensitive profiles become nested ones: a function in a context becomes an inlined function of its
     * caller, if that has a profile in this context, else it is added to the function without a context */
    APF_SAMPLE_NESTED = 1,
    /** functions have no contexts, and what is inlined in profiles without contexts becomes functions of their own */
    APF_SAMPLE_FLAT = 2
};

struct apf_sample_merge_options {
    size_t size;                       /**< sizeof(struct apf_sample_merge_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    uint32_t flags;                    /**< APF_SAMPLE_MERGE_* */
    uint32_t pass;                     /**< enum apf_sample_pass: see struct apf_sample_read_options */
    uint32_t conversion;               /**< enum apf_sample_conversion */
    /** APF_SAMPLE_MERGE_COLD: how many frames, the last ones, cold functions keep of their contexts; 0 means 1 */
    uint32_t cold_frames;
    /** functions with fewer samples than the coldest of those lines that have this share of all counts, in millionths,
     * are cold; 0 = 999999. LLVM's summary has the shares 10000, 100000, 200000, ... 900000, 950000, 990000, 999000,
     * 999900, 999990 and 999999; the next larger one counts, and of more than 999999 nothing is cold. At most
     * 1000000 */
    uint32_t cold_cutoff;
    uint32_t reserved;
    uint64_t cold_count; /**< APF_SAMPLE_MERGE_COLD_COUNT: functions with fewer samples are cold */
    /** 0, or the most bytes that apf_sample_merge_write writes: functions with the fewest samples are left out, as many
     * at a time as LLVM does (APF_SAMPLE_TOO_LARGE if none is left) */
    uint64_t size_limit;
    /** NULL, or the path that apf_sample_merge_write will be given; see apf_merge_options.output */
    const char *output;
    /** Functions that get another name, wherever they stand: `from` becomes `to`, both whole names, once. Functions
     * that become equal are added up. A function of which only the hash is known has the name of which it is the hash.
     * Of several changes of one name the first counts. The changes are copied. */
    const struct apf_name_change *remaps;
    size_t n_remaps;
    /** Names for the list of all functions of the program, beside those of the inputs. They are copied. */
    const struct apf_str *symbols;
    size_t n_symbols;
    /** NULL, or decides which functions at the top level are kept. It is called once for each of every view, in the
     * order of output, with the key that LLVM prints: a name, a hash in decimal, or a context such as
     * "main:3 @ foo:1.2 @ bar". Not with APF_SAMPLE_MERGE_REMOVE_INPUTS; nor are APF_SAMPLE_MERGE_TRIM_COLD and
     * size_limit, which lose functions for good, too. */
    apf_name_filter_fn *filter;
    void *filter_user;
    /** How much may be lost: apf_sample_merge_write fails when more is lost. NULL: nothing may be lost, unless the
     * caller has asked apf_sample_merge_verdict and so decides. Copied. */
    const struct apf_tolerance *tolerance;
    struct apf_slice slice; /**< with APF_SAMPLE_MERGE_PARTIAL: see apf_merge_options.slice */
};

/** The result for one input. Of an input that was rejected because it cannot be read, info has the format only; of one
 * that was rejected because its kind contradicts that of the others, all. */
struct apf_sample_input_result {
    struct apf_str name; /**< apf_input.name, or else the path */
    /** APF_OK; APF_EMPTY_PROFILE for a file of 0 bytes; APF_ALREADY_MERGED when the output holds it;
     * APF_SAMPLE_PROBE_CONFLICT or APF_SAMPLE_CONTEXT_CONFLICT when more inputs, by weight, are of another kind; else
     * why it was rejected whole. */
    int32_t code;
    uint64_t weight;                    /**< the weight that it was added with */
    const struct apf_sample_info *info; /**< never NULL */
    uint64_t sum_of_counts;             /**< of all lines, without the weight; 2^64-1 = that or more */
    const struct apf_finding *findings; /**< an array of n_findings; see struct apf_finding */
    size_t n_findings;
    const struct apf_error *error; /**< details when code is not APF_OK, else NULL */
    /** With APF_FLAG_SALVAGE: what was kept of a damaged input; NULL: the whole input, or nothing. */
    const struct apf_sample_salvage *salvage;
    /** With APF_SAMPLE_MERGE_FIND_LOSSES, when there is a view: 1 if lost_functions says how much the view leaves out
     * of this input; 0: not known. */
    uint32_t losses_known;
    uint32_t removed;        /**< with APF_SAMPLE_MERGE_REMOVE_INPUTS: 1 = it was removed */
    uint64_t lost_functions; /**< at the top level, and inlined in one that is not lost */
    uint64_t n_inputs;       /**< see apf_input_result.n_inputs */
};

/** Counters of all that was lost or changed. */
struct apf_sample_merge_stats {
    uint64_t n_inputs;               /**< all inputs: those of the next three, of n_salvaged and of n_held */
    uint64_t n_merged;               /**< inputs that were added whole */
    uint64_t n_empty;                /**< files of 0 bytes */
    uint64_t n_rejected;             /**< inputs of which nothing was added */
    uint64_t n_salvaged;             /**< inputs of which only the intact part was added; not in n_merged */
    uint64_t salvaged_functions;     /**< functions of salvaged inputs that were added */
    uint64_t salvage_lost_functions; /**< functions of salvaged inputs that are known to be lost */
    uint64_t n_held;                 /**< inputs that the output held already */
    uint64_t n_removed;              /**< inputs that were removed ... */
    uint64_t removed_bytes;          /**< ... and their size on the disk */
    uint64_t n_not_removed; /**< inputs that were merged and should have been removed, but were not ... */
    uint64_t n_undeletable; /**< ... those of them that the system refused to remove */
    uint64_t n_functions;   /**< of the result, at the top level (after apf_sample_merge_view) */
    uint64_t n_inlined;     /**< functions inlined in these */
    /** Functions left out because their checksum contradicts that of others, which have more weight, ... */
    uint64_t checksum_mismatches;
    uint64_t inlined_mismatches; /**< ... likewise functions inlined in others ... */
    uint64_t mismatch_samples;   /**< ... and the samples of both; 2^64-1 = that or more */
    uint64_t saturated;          /**< functions at the top level with a count cut at its maximum */
    uint64_t remapped;           /**< functions at the top level renamed as merge_options.remaps ask ... */
    uint64_t remapped_merged;    /**< ... and that became equal to another one and were added to it */
    uint64_t cold_count;         /**< the count below which functions are cold; 0: none was asked for */
    uint64_t cold_merged;        /**< cold functions that lost frames of their context */
    uint64_t cold_trimmed;       /**< cold functions that were left out ... */
    uint64_t cold_samples;       /**< ... and their samples; 2^64-1 = that or more */
    uint64_t names;              /**< functions before the filter ... */
    uint64_t filtered;           /**< ... of these, those it left out */
    uint64_t over_limit;         /**< functions that the last output leaves out because of its size limit */
};

/** Makes a merge without inputs. On failure *merge is NULL: APF_ARGUMENT for wrong options, APF_NO_MEMORY, and because
 * of sample_merge_options.output APF_IO and, with APF_SAMPLE_MERGE_REMOVE_INPUTS, APF_OUTPUT_BUSY. */
APF_API int apf_sample_merge_new(struct apf_sample_merge **merge,
                                 const struct apf_sample_merge_options *options, struct apf_error *error);
/** Frees a merge with its view and all that its functions have returned. NULL is allowed. */
APF_API void apf_sample_merge_free(struct apf_sample_merge *merge);

/** Adds inputs, several at once (options->threads). Each input is validated as a whole, then added, or not added at
 * all; it is not kept. A bad input is no error of this call: it is an apf_sample_input_result and a finding. Fails when
 * memory is out or the callback stops it; the merge can only be freed then. */
APF_API int apf_sample_merge_add(struct apf_sample_merge *merge, const struct apf_input *inputs, size_t n,
                                 struct apf_error *error);
/** Adds names for functions of which only the hash is known. They may come from anywhere, such as the program itself.
 * The names are copied. */
APF_API int apf_sample_merge_add_names(struct apf_sample_merge *merge, const struct apf_str *names, size_t n,
                                       struct apf_error *error);

/** The i-th input's result, in the order in which they were added; NULL past the end. Valid until the merge is freed;
 * later calls may change what it says. */
APF_API const struct apf_sample_input_result *apf_sample_merge_input(const struct apf_sample_merge *merge,
                                                                     size_t i);
/** APF_OK if so little was lost that there may be a result; else APF_EMPTY_PROFILE (every input is empty) or
 * APF_INVALID_PROFILE (too many inputs are lost). Without any input APF_OK. `tolerance` NULL: that of the options. */
APF_API int apf_sample_merge_verdict(struct apf_sample_merge *merge, const struct apf_tolerance *tolerance);

/** The sum as a profile, which depends neither on the order of the inputs nor on the number of threads:
 * - Profiles with and without contexts, and with and without probes, are not added up: those with the larger weight
 *   win.
 * - Of functions with different checksums, that with the larger weight stays; those without a checksum are added to
 *   it.
 * - Functions with the name of one source file, and without a file, are one function.
 * - Attributes are or-ed, and so are APF_SAMPLE_PARTIAL, APF_SAMPLE_FS, APF_SAMPLE_PREINLINED and APF_SAMPLE_UNIQUE.
 * - A hash is the name of which it is the hash, if any input has that name, be it in its list of all functions.
 *   APF_SAMPLE_MD5 is set if there are hashes without a name.
 *
 * It belongs to the merge and is dropped by the next apf_sample_merge_add, apf_sample_merge_add_names or
 * apf_sample_merge_free. While a call of the merge runs, nothing may read it. Fails when memory is out, the filter
 * fails or diag stops it, and with APF_LIMIT if APF_SAMPLE_NESTED would inline functions more than 1000 deep. */
APF_API int apf_sample_merge_view(struct apf_sample_merge *merge, const struct apf_sample **view,
                                  struct apf_error *error);
/** What the merge has counted so far. Never NULL; valid until the merge is freed. Calls that change the merge change
 * the counters. */
APF_API const struct apf_sample_merge_stats *apf_sample_merge_stats(const struct apf_sample_merge *merge);

/** Writes the sum as apf_sample_write does; findings go to the diag of the merge's options. Fails, as
 * apf_sample_merge_verdict, when more was lost than sample_merge_options.tolerance permits; the error names the first
 * input that was lost and says why. Without a tolerance nothing may be lost, unless apf_sample_merge_verdict was called
 * since the last input was added: then the caller has decided.
 *
 * With APF_SAMPLE_MERGE_REMOVE_INPUTS, inputs are removed when the output is on the disk; inputs that cannot be removed
 * are no failure of this call, which can then be called only once. An output that holds all inputs already is not
 * written: then *result is all zero. */
APF_API int apf_sample_merge_write(struct apf_sample_merge *merge,
                                   const struct apf_sample_write_options *options,
                                   const struct apf_output *output, struct apf_sample_write_result *result,
                                   struct apf_error *error);
/** Writes what the merge knows, before anything is decided, as a partial profile: see apf_merge_write_partial. Names
 * that change or are added, filters, limits and other forms are of the last merge. */
APF_API int apf_sample_merge_write_partial(struct apf_sample_merge *merge, const struct apf_output *output,
                                           struct apf_error *error);
/** Writes the partial profile as n slices: see apf_merge_write_slices. */
APF_API int apf_sample_merge_write_slices(struct apf_sample_merge *merge, const struct apf_output *outputs,
                                          uint32_t n, struct apf_error *error);
/** Writes a report on the merge as JSON (docs/json.md has the schema): every input, the totals, losses and changes,
 * and the output of the last apf_sample_merge_write, if that succeeded. The report does not depend on the number of
 * threads. `tolerance` is the one that decided about the output; NULL: nothing may be lost. */
APF_API int apf_sample_merge_write_report(const struct apf_sample_merge *merge,
                                          const struct apf_tolerance *tolerance,
                                          const struct apf_output *output, struct apf_error *error);

/** apf_merge_paths for sample profiles: of a directory, files that are sample profiles by their name (.afdo, .prof) or
 * by their first bytes. */
APF_API int apf_sample_merge_paths(const char *path, const struct apf_paths_options *options,
                                   const char *output, char ***paths, size_t *n, struct apf_skipped *skipped,
                                   struct apf_error *error);

/** apf_merge_files for sample profiles: merges files in one call. `target` is the text that apf_sample_target_parse
 * reads, NULL = "auto"; the format is the one that suits it. */
APF_API int apf_sample_merge_files(const char *const *paths, size_t n, const char *target,
                                   const struct apf_tolerance *tolerance, const char *out,
                                   struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
