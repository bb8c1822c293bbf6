/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file merge.h
 * Merging instrumentation profiles: any mix of formats and versions in, one profile out.
 */
#ifndef ANYPROF_MERGE_H
#define ANYPROF_MERGE_H

#include <anyprof/instr.h>
#include <anyprof/supplement.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A merge. One thread at a time may use it; inside a call it starts threads of its own. */
struct apf_merge;

/** merge_options.flags: record by record, without the fast path for files of one binary. Same result. */
#define APF_MERGE_GENERAL 1u
/** merge_options.flags: a trace reservoir of 0: no traces are kept, only their number. */
#define APF_MERGE_NO_TRACES 2u
/** merge_options.flags: apf_merge_write removes the inputs that were merged; merge_options.output names the output.
 *
 * The process may end at any point, and the machine lose its power: another merge with the same arguments then adds
 * each count once (records that were added one by one, inputs in memory and standard input cannot be recognised). Files
 * are removed that were inputs of the merge with the result APF_OK, that were added completely, and that are unchanged
 * since they were read. Not removed are rejected, salvaged and empty inputs; the output itself; standard input,
 * symbolic links and special files; files that have changed, because a program may still write to them; files some of
 * whose records contradict those of other inputs. Files that were merged and not removed are findings
 * (APF_NOT_REMOVED), with APF_SEVERITY_ERROR where the system refuses.
 *
 * The output must be a file. If it exists and is not empty, it must be one of the inputs, with the weight 1: then the
 * merge adds to it, and where records contradict each other, those of the output stay. A journal beside the output,
 * .NAME.anyprof-merged, records the progress. It is there only while it is needed and is locked meanwhile: a second
 * such merge with that output gets APF_OUTPUT_BUSY.
 *
 * With APF_MERGE_PARTIAL, apf_merge_write_partial removes the inputs. Nothing is left out of a partial profile, so
 * that inputs which contradict each other are removed, too, whatever their kinds. Inputs of which nothing was added
 * stay, and are not listed in it. Partial profiles among the inputs are removed like others if nothing that they hold
 * was left out; slices of one are an error (APF_ARGUMENT from apf_merge_add), as is apf_merge_write. */
#define APF_MERGE_REMOVE_INPUTS 4u
/** merge_options.flags: where records contradict each other (another number of counters, ...), read the inputs again to
 * find those of which something is left out: this sets apf_input_result.losses_known and the fields after it, together
 * with the view, and reports findings (APF_LEFT_OUT). Included in APF_MERGE_REMOVE_INPUTS. */
#define APF_MERGE_FIND_LOSSES 8u
/** merge_options.flags: the traces of the inputs are ignored. */
#define APF_MERGE_FORGET_TRACES 16u
/** merge_options.flags: a partial profile will be written (apf_merge_write_partial), which also says which records each
 * input has, so that the report of the last merge says what each has lost (APF_MERGE_FIND_LOSSES). */
#define APF_MERGE_PARTIAL 32u
/** merge_options.flags, with APF_MERGE_PARTIAL: inputs are listed without names and rosters, as one input for all of a
 * kind, so that the partial profile does not grow with their number; salvaged ones keep their names. The sums are the
 * same; a later report says how many inputs there were, but not which, nor what each of them lost. */
#define APF_MERGE_FORGET_INPUTS 64u

struct apf_merge_options {
    size_t size;                       /**< sizeof(struct apf_merge_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    uint32_t flags;                    /**< APF_MERGE_* */
    uint64_t trace_reservoir;          /**< most traces kept; 0 = 100 (none: APF_MERGE_NO_TRACES) */
    uint64_t trace_length; /**< most functions kept of a trace; 0 = 10000 (none: APF_MERGE_FORGET_TRACES) */
    /** NULL, or the path that apf_merge_write will be given. If that file is among the inputs, inputs that it holds
     * already, after an interrupted merge that removes its inputs, are left out (APF_ALREADY_MERGED; the file must be
     * added by the same call as these inputs or by an earlier one). APF_OUTPUT_BUSY: from apf_merge_add, while such a
     * merge is at work; from apf_merge_write, when the file has changed since it was read, and nothing is written. */
    const char *output;
    /** Functions that get another name: `from` becomes `to`, both whole names. Names of the inputs are changed, once,
     * and records that become equal are added up. As in LLVM only the records' names change: values and traces still
     * point to the old one. Of several changes of one name the first counts. The changes are copied. */
    const struct apf_name_change *remaps;
    size_t n_remaps;
    /** Paths of local names, "path;name" or "path:name", that begin with `from` begin with `to` instead, byte by byte,
     * as compilers do for -ffile-prefix-map; of several that fit the last counts. They are applied after the remaps.
     * The names of functions, targets of values and traces, and vtables all change, with their ids. */
    const struct apf_name_change *prefix_maps;
    size_t n_prefix_maps;
    /** NULL, or decides which functions are kept. It is called once for each name of every view, in the order of the
     * names' bytes, with the names that the result would have. The other functions are counted (stats.filtered);
     * values, traces and names of vtables stay, as in LLVM. Not with APF_MERGE_REMOVE_INPUTS, which would lose the
     * other functions for good. */
    apf_name_filter_fn *filter;
    void *filter_user;
    /** How much may be lost: apf_merge_write fails when more is lost. NULL: nothing may be lost, unless the
     * caller has asked apf_merge_verdict and so decides. Copied. */
    const struct apf_tolerance *tolerance;
    /** With APF_MERGE_PARTIAL, the slice that each input is, all of which are partial profiles, and that
     * apf_merge_write_partial writes. Inputs in memory must then stay until the merge is freed: they are read again. */
    struct apf_slice slice;
};

/** The result for one input. For an input that was rejected or is empty only the facts in its first bytes are known;
 * for one that was rejected because its kind contradicts that of the others, all facts. */
struct apf_input_result {
    struct apf_str name;
    /** APF_OK; APF_EMPTY_PROFILE for a file of 0 bytes; APF_ALREADY_MERGED when the output holds it; else why it was
     * rejected whole. */
    int32_t code;
    uint64_t weight;       /**< the weight that it was added with */
    uint64_t producers;    /**< LLVM releases that may have written it, a bit each; 0 = unknown */
    uint32_t format;       /**< enum apf_instr_format; 0 = unknown */
    uint32_t version;      /**< format version; 0 for text */
    uint64_t variant;      /**< APF_VARIANT_* bits; of the first profile where a raw file has several */
    uint32_t pointer_bits; /**< raw: 32 or 64; else 0 */
    uint32_t big_endian;   /**< raw: 1 = the file is in big-endian order */
    uint64_t n_profiles;   /**< raw: number of profiles in the file; else 1 */
    uint64_t n_records, n_counters;
    /** of all records but pseudo records, without the weight; 2^64-1 = that or more */
    uint64_t sum_of_counts;
    const struct apf_str *binary_ids; /**< in file order, as they are in the file */
    size_t n_binary_ids;
    const struct apf_finding *findings;
    size_t n_findings;
    const struct apf_error *error; /**< details when code is not APF_OK, else NULL */
    /** With APF_FLAG_SALVAGE: what was kept of a damaged input; NULL: the whole input, or nothing. */
    const struct apf_salvage *salvage;
    /** With APF_MERGE_FIND_LOSSES, when there is a view: 1 if lost_functions, lost_bitmaps and lost_values say what the
     * view leaves out of this input; 0: not known, because the input could not be read a second time. */
    uint32_t losses_known;
    uint32_t removed;        /**< with APF_MERGE_REMOVE_INPUTS: 1 = it was removed */
    uint64_t lost_functions; /**< records */
    uint64_t lost_bitmaps;   /**< records without their bitmap */
    uint64_t lost_values;    /**< kinds of values of records */
    /** 1 or, of a partial profile made with APF_MERGE_FORGET_INPUTS, how many inputs the result is of: then `name` is
     * that of the partial profile, error says what is the same for all, and n_profiles, n_records, n_counters,
     * sum_of_counts and the findings are sums */
    uint64_t n_inputs;
};

/** Counters of all that was lost or changed; also what the summary on stderr is made from. */
struct apf_merge_stats {
    /** may be more than apf_merge_input has results for: see apf_input_result.n_inputs */
    uint64_t n_inputs;
    uint64_t n_merged, n_empty, n_rejected;
    uint64_t n_salvaged;             /**< inputs of which only the intact part was added; not in n_merged */
    uint64_t salvaged_functions;     /**< records of salvaged inputs that were added */
    uint64_t salvage_lost_functions; /**< records of salvaged inputs that are known to be lost ... */
    uint64_t salvage_lost_values;    /**< ... and records whose values are lost */
    uint64_t salvage_found_names;    /**< salvaged records whose name comes from another input ... */
    uint64_t salvage_lost_names;     /**< ... and those without a name, which are left out of the result */
    uint64_t n_held;                 /**< inputs that the output held already */
    uint64_t n_removed;              /**< inputs that were removed ... */
    uint64_t removed_bytes;          /**< ... and their size on the disk */
    uint64_t n_not_removed; /**< inputs that were merged and should have been removed, but were not ... */
    uint64_t n_undeletable; /**< ... those of them that the system refused to remove */
    uint64_t n_fast; /**< profiles added by the fast path for files of one binary; may vary with threads */
    uint64_t n_functions; /**< records of the result (after apf_merge_view or apf_merge_write) */
    /** functions left out of the result: same name and hash, other number of counters */
    uint64_t count_mismatches;
    uint64_t bitmap_mismatches; /**< records whose bitmap was left out: other size */
    /** records whose bitmap was left out: LLVM 18 and later releases number test vectors in two ways (see
     * APF_RECORD_SPARSE_BITMAP), a profile can hold one of them only, and more bitmaps have the other one */
    uint64_t numbering_mismatches;
    uint64_t site_mismatches;    /**< records whose values of one kind were left out: other number of sites */
    uint64_t saturated;          /**< functions with a counter or value count cut at its maximum */
    uint64_t truncated_sites;    /**< value sites cut to 255 values */
    uint64_t truncated_values;   /**< how many values that dropped */
    uint64_t unknown_targets;    /**< values of kind 0 and 2 whose name is unknown: written as 0 */
    uint64_t nameless;           /**< records lost because no input had their name */
    uint64_t missing_value_data; /**< raw profiles whose announced value data is not in the file */
    uint64_t large_counters;     /**< raw counters above 2^56, which suggest damage */
    uint64_t renamed;            /**< local functions renamed for the target's separator */
    uint64_t renamed_merged;     /**< of these, records that became equal to another and were added to it */
    uint64_t remapped;           /**< records renamed as merge_options.remaps and prefix_maps ask ... */
    uint64_t remapped_merged;    /**< ... of these, those that became equal to another and were added to it */
    uint64_t names;              /**< functions before the filter, each name once ... */
    uint64_t filtered;           /**< ... of these, those it left out */
    uint64_t front_end_in_ir;    /**< front-end profiles merged with IR profiles */
    /* after apf_merge_supplement: */
    uint64_t supplemented; /**< functions of the result that the sample profile has */
    /** of these, cold ones that are marked as hot and have no counts any more ... */
    uint64_t supplement_hot;
    uint64_t supplement_warm;   /**< ... cold ones that are marked as warm ... */
    uint64_t supplement_scaled; /**< ... and cold ones whose counts were multiplied */
    /** names of hot or warm local functions of several files, left as they are */
    uint64_t supplement_ambiguous;
    uint64_t supplement_hot_count;    /**< the smallest count that is hot in the sum of the inputs ... */
    uint64_t supplement_cold_count;   /**< ... the largest that is cold ... */
    uint64_t supplement_hot_samples;  /**< ... the smallest that is hot in the sample profile ... */
    uint64_t supplement_warm_samples; /**< ... and the smallest that is not cold */
    uint64_t memprof_dropped;         /**< inputs whose MemProf data was left out */
    uint64_t dropped_values;          /**< value sites left out because the version cannot hold their kind */
    uint64_t dropped_bitmaps;         /**< records whose bitmap the version cannot hold */
    uint64_t dropped_traces;          /**< traces the version cannot hold */
    uint64_t dropped_ids;             /**< binary ids the version cannot hold */
    /** vtable names that were not asked for or that the version cannot hold */
    uint64_t dropped_vtable_names;
    uint64_t dropped_uniformity; /**< records whose uniformity bits the version cannot hold */
    uint64_t dropped_records;    /**< records the version cannot hold (version 1: one hash for each name) */
    uint64_t dropped_variants;   /**< variant bits that the target does not know, and so are not written */
    uint64_t sparse_dropped;     /**< functions left out by sparse output */
    /** front-end inputs whose hashes readers of the output compute in another way: they will not find all functions
     * */
    uint64_t other_hash_scheme;
    uint64_t bitmap_numbering; /**< records whose MC/DC bitmap readers of the output number in another way */
    uint64_t cannot_read;      /**< auto: possible producers that cannot read the version, a bit each */
    /** auto: possible producers of inputs that would read a version with the binary ids left out, a bit each */
    uint64_t keep_ids;
    uint64_t version_guessed;   /**< 1 = auto, and no input says which compiler made it: the newest version */
    uint64_t variant;           /**< variant bits that were written */
    uint64_t memprof_functions; /**< functions of the memory profile of the result */
    uint64_t memprof_contexts;  /**< its allocation contexts */
    /** contexts, and data access profiles, with a sum that is the largest there can be */
    uint64_t memprof_saturated;
    uint64_t dropped_memprof; /**< functions whose memory profile the version cannot hold */
    /** fields of allocation contexts that are not written: APF_WRITE_MEMPROF_FULL */
    uint64_t dropped_fields;
    uint64_t dropped_callees; /**< callees of call sites that only MemProf version 4 can hold */
    uint64_t dropped_data; /**< data access profiles, and data known as cold, that only version 4 can hold */
    uint32_t version;      /**< indexed version written */
    uint32_t memprof_version; /**< version of the MemProf data written, or APF_MEMPROF_NO_VERSION: none was */
};

/** Makes a merge without inputs. On failure *merge is NULL: APF_ARGUMENT for wrong options, APF_NO_MEMORY, and because
 * of merge_options.output APF_IO and, with APF_MERGE_REMOVE_INPUTS, APF_OUTPUT_BUSY. */
APF_API int apf_merge_new(struct apf_merge **merge, const struct apf_merge_options *options,
                          struct apf_error *error);
/** Frees a merge with its view. NULL is allowed. */
APF_API void apf_merge_free(struct apf_merge *merge);

/** Adds inputs, several at once (options->threads). Each input is validated as a whole, then added, or not added at
 * all. A bad input is no error of this call: it is an apf_input_result and a finding. Fails when memory is out or the
 * callback stops it; the merge can only be freed then. */
APF_API int apf_merge_add(struct apf_merge *merge, const struct apf_input *inputs, size_t n,
                          struct apf_error *error);
/** Adds one record, which needs a name, with its counts multiplied by `weight` (0 means 1). When memory runs out, the
 * merge can only be freed then. */
APF_API int apf_merge_add_record(struct apf_merge *merge, const struct apf_record *record, uint64_t weight,
                                 struct apf_error *error);
/** Adds names for records without one, of salvaged inputs or of profiles that have no names. They may come from
 * anywhere, such as the program itself; a name is for the records whose id is its hash. The names are copied. */
APF_API int apf_merge_add_names(struct apf_merge *merge, const struct apf_str *names, size_t n,
                                struct apf_error *error);
/** Sets variant bits of the result, for merges built with apf_merge_add_record: APF_VARIANT_* (APF_ARGUMENT for any
 * other). APF_VARIANT_MEMPROF and APF_VARIANT_DEBUG_CORRELATE, which a merge finds out itself, have no effect. */
APF_API int apf_merge_set_variant(struct apf_merge *merge, uint64_t variant, struct apf_error *error);

/** Corrects functions of the result that the inputs hardly executed but a sample profile knows as hot or warm, as
 * llvm-profdata does with --supplement-instr-with-sample: those of which no counter is above the cold threshold of
 * the sum. If all counters are 0, or too many, the function is marked as hot or warm, with a pseudo count; compilers
 * then know no more of it. Otherwise its counts, those of values too, are multiplied so that the largest becomes
 * three times the hot or the cold threshold. Functions that have several hashes stay as they are.
 *
 * What an inlined function has counts for it if the result has a record of its name, and otherwise for the function
 * that it is inlined in. "FILE.c;NAME" is found as NAME, unless several files have such a function (a finding,
 * APF_AMBIGUOUS_NAME); FILE ends in .c, .cc, .cpp, .h or .hpp, in upper or lower case, and the separator may be ':',
 * too.
 *
 * Everything is copied, and applied to each view when its sums are complete, so that neither order nor threads
 * matter; of several calls the last one counts. `options` NULL: 10 counters, a share of 0.7, and the summary
 * decides. APF_ARGUMENT with APF_MERGE_REMOVE_INPUTS: the counts would be lost for good. */
APF_API int apf_merge_supplement(struct apf_merge *merge, const struct apf_supplement *supplement,
                                 const struct apf_supplement_options *options, struct apf_error *error);

/** The i-th input's result, in the order in which they were added; NULL past the end. */
APF_API const struct apf_input_result *apf_merge_input(const struct apf_merge *merge, size_t i);
/** The number of the first result of the input that was given as number `given`: partial profiles have one for each of
 * their inputs. Past the end, the number of all results. */
APF_API size_t apf_merge_first_result(const struct apf_merge *merge, size_t given);
/** APF_OK if so little was lost that there may be a result; else APF_EMPTY_PROFILE (every input is empty) or
 * APF_INVALID_PROFILE (too many inputs are lost, or there are only salvaged inputs and the view has no function,
 * because their names are not known). Without any input, as in a merge of records, APF_OK. `tolerance` NULL: that of
 * the merge's options. */
APF_API int apf_merge_verdict(struct apf_merge *merge, const struct apf_tolerance *tolerance);

/** The sum as a profile. It belongs to the merge and is dropped by the next apf_merge_add, apf_merge_add_record,
 * apf_merge_add_names, apf_merge_set_variant or apf_merge_free. While a call of the merge runs, nothing may read it. */
APF_API int apf_merge_view(struct apf_merge *merge, struct apf_instr **view, struct apf_error *error);
/** What the merge has counted so far. Never NULL; valid until the merge is freed. */
APF_API const struct apf_merge_stats *apf_merge_stats(const struct apf_merge *merge);

/** Writes the sum. Fails, as apf_merge_verdict, when more was lost than merge_options.tolerance permits; the error
 * names the first input that was lost and says why. Without a tolerance nothing may be lost, unless apf_merge_verdict
 * was called since the last input was added: then the caller has decided. What the version cannot hold is left out,
 * counted in the statistics and reported as findings.
 *
 * With APF_MERGE_REMOVE_INPUTS, inputs are removed when the output is on the disk; inputs that cannot be removed are no
 * failure of this call, which can then be called only once. An output that holds all inputs already is not written. */
APF_API int apf_merge_write(struct apf_merge *merge, const struct apf_write_options *options,
                            const struct apf_output *output, struct apf_error *error);
/** Writes what the merge knows, before anything is decided or cut, as a partial profile, which later merges take as
 * an input that stands for all inputs of this one. A merge of partial profiles and files gives the bytes that a merge
 * of all the inputs gives, and its report, however they were grouped. Nothing is judged here: bad inputs are in the
 * file, too (but see APF_MERGE_REMOVE_INPUTS, with which it can be called once). Names that change, filters and
 * supplements are of the last merge. APF_ARGUMENT: there are no inputs. docs/formats/partial.md has the format.
 *
 * Partial profiles in files that were added are read once more here, or by the next view: they must stay as they are
 * until then (APF_IO). */
APF_API int apf_merge_write_partial(struct apf_merge *merge, const struct apf_output *output,
                                    struct apf_error *error);
/** apf_merge_write_partial of inputs of which none says by its first bytes what it is (APF_FAMILY_NONE), so that the
 * profiles that they are merged with later decide: `samples` is what apf_sample_merge_write_partial has written of the
 * same inputs, and goes into the file, which merges of both kinds take. `names` is what apf_input_families_by_name says
 * of the inputs, all of them together. APF_ARGUMENT also: `samples` is something else. */
APF_API int apf_merge_write_undecided(struct apf_merge *merge, const struct apf_buffer *samples,
                                      uint32_t names, const struct apf_output *output,
                                      struct apf_error *error);
/** Writes the partial profile as n slices, from 1 to APF_MOST_SLICES; outputs[i] gets slice i. The outputs have the
 * same apf_output.size, and all are open at once. The merge must be of whole profiles.
 *
 * Slice i of other partial profiles can be merged with this one, by a merge with apf_merge_options.slice. All n slices
 * of one partial profile are together an input of a merge: apf_merge_add is given them one after the other, by number,
 * in one call, which fails (APF_ARGUMENT at "merge.slice") if one is missing, and with its error if one is damaged. */
APF_API int apf_merge_write_slices(struct apf_merge *merge, const struct apf_output *outputs, uint32_t n,
                                   struct apf_error *error);
/** Writes a report on the merge as JSON (docs/json.md has the schema): every input, the totals, losses and changes, and
 * the output of the last apf_merge_write, if that succeeded. The report does not depend on the number of
 * threads or on APF_MERGE_GENERAL. `tolerance` is the one that decided about the output; NULL: nothing may be lost. */
APF_API int apf_merge_write_report(const struct apf_merge *merge, const struct apf_tolerance *tolerance,
                                   const struct apf_output *output, struct apf_error *error);

/** apf_profile_paths for a merge: leaves out the output, too, and what the runtime has set aside or is using; see
 * struct apf_skipped. A path that is no directory is always an input. `output` is the path that the merge will write,
 * which need not exist, or NULL. */
APF_API int apf_merge_paths(const char *path, const struct apf_paths_options *options, const char *output,
                            char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error);

/** Merges files: the common case in one call. Directories among the `paths` stand for the files below them, as in
 * apf_merge_paths. `target` is the text that apf_target_parse reads, NULL = "auto"; `out` is the path of the output.
 * `tolerance` says how much may be lost; NULL: nothing. If every input is lost or empty, it fails in any case.
 * Findings that are no failures are not reported. On failure nothing is written, and *error says which file cannot be
 * used (error->file; of several the first) and why. */
APF_API int apf_merge_files(const char *const *paths, size_t n, const char *target,
                            const struct apf_tolerance *tolerance, const char *out, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
