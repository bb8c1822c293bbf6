/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file instr.h
 * Instrumentation profiles: reading any raw, indexed or text profile, merging, writing.
 *
 * A profile is read through a `struct apf_instr`, whatever its format; a finished merge is read through the same
 * handle. What its functions return belongs to the handle and is valid until it is closed, unless said otherwise.
 * Counts are 64-bit numbers of the host's byte order, aligned.
 */
#ifndef ANYPROF_INSTR_H
#define ANYPROF_INSTR_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

struct apf_instr;
struct apf_instr_iter;
struct apf_merge;

/** Kinds of profiled values; the index of apf_record.sites. */
enum apf_value_kind {
    APF_VALUE_INDIRECT_CALL = 0, /**< values are ids of the called functions; 0 = unknown */
    APF_VALUE_MEMOP_SIZE = 1,    /**< values are the low ends of size classes, in bytes */
    APF_VALUE_VTABLE = 2,        /**< values are ids of vtables; 0 = unknown */
    APF_VALUE_KINDS = 3
};

/** One value a site has seen and how often. */
struct apf_value {
    uint64_t value;
    uint64_t count;
};

/** The values of one site, in the profile's order. */
struct apf_site {
    const struct apf_value *values;
    size_t n;
};

/** apf_record.flags: counts[0] is LLVM's marker for a function known to be hot (2^64-1) or warm (2^64-2). */
#define APF_RECORD_PSEUDO 1u
/** apf_record.flags: a sum was cut at the largest count there is (2^64-3). */
#define APF_RECORD_SATURATED 2u

/** The counts of one function with one hash. Borrowed: valid until the next call of the iterator, or, from
 * apf_instr_find, until the next apf_instr_find. */
struct apf_record {
    struct apf_str name;    /**< PGO name; n == 0: unknown */
    uint64_t id;            /**< first 8 bytes of the name's MD5, little-endian (LLVM's NameRef) */
    uint64_t hash;          /**< the function's structural hash; bit 60 = context-sensitive (IR profiles) */
    uint64_t timestamp;     /**< temporal profiles: when it first ran, from 1; 0 = never, or not known */
    uint64_t offset;        /**< of its record in the file (of its line in a text profile) */
    const uint64_t *counts; /**< n_counts counts */
    size_t n_counts;
    const uint8_t *bitmap; /**< MC/DC bitmap bytes */
    size_t n_bitmap;
    const struct apf_site *sites[APF_VALUE_KINDS]; /**< value sites by kind */
    size_t n_sites[APF_VALUE_KINDS];
    const uint64_t *uniform; /**< GPU offload: uniform counters; n_uniform is 0 or n_counts */
    size_t n_uniform;
    const uint8_t *uniformity; /**< one bit for each counter, from the lowest bit; n_uniformity bytes */
    size_t n_uniformity;
    uint32_t flags; /**< APF_RECORD_* */
};

/** One temporal trace: ids of functions in the order in which they first ran. */
struct apf_trace {
    uint64_t weight;
    const uint64_t *ids;
    size_t n;
};

enum apf_instr_format {
    APF_FORMAT_RAW = 1,     /**< .profraw, what programs write */
    APF_FORMAT_INDEXED = 2, /**< .profdata, what compilers read */
    APF_FORMAT_TEXT = 3,    /**< .proftext */
    APF_FORMAT_MERGED = 4   /**< a merge in memory */
};

/** Variant bits of a profile's version word, as LLVM defines them. */
#define APF_VARIANT_LOOP_ENTRIES ((uint64_t)1 << 55)
#define APF_VARIANT_IR ((uint64_t)1 << 56)
#define APF_VARIANT_CS ((uint64_t)1 << 57)
#define APF_VARIANT_ENTRY_FIRST ((uint64_t)1 << 58)
#define APF_VARIANT_DEBUG_CORRELATE ((uint64_t)1 << 59)
#define APF_VARIANT_BYTE_COVERAGE ((uint64_t)1 << 60)
#define APF_VARIANT_ENTRY_ONLY ((uint64_t)1 << 61)
#define APF_VARIANT_MEMPROF ((uint64_t)1 << 62)
#define APF_VARIANT_TEMPORAL ((uint64_t)1 << 63)

/** A function's hash with this bit set is that of a context-sensitive record. */
#define APF_HASH_CS ((uint64_t)1 << 60)

/** What is known of a profile as a whole. */
struct apf_instr_info {
    int32_t format;        /**< enum apf_instr_format */
    uint32_t version;      /**< format version; 0 for text and merges */
    uint64_t version_word; /**< the word in the file, variant bits included */
    uint64_t variant;      /**< APF_VARIANT_* bits; of several profiles in a raw file, the first one's */
    uint64_t last_variant; /**< ... and the last one's: what llvm-profdata prints below a listing */
    uint32_t pointer_bits; /**< raw: 32 or 64; else 0 */
    int32_t big_endian;    /**< raw: the file is in big-endian order */
    int32_t front_end;     /**< text that says :fe */
    uint64_t n_profiles;   /**< raw: how many profiles the file holds; else 1 */
    uint64_t n_records;
    uint64_t n_counters;
    const struct apf_str *binary_ids; /**< in file order; sorted and unique in a merge */
    size_t n_binary_ids;
    const struct apf_trace *traces;
    size_t n_traces;
    uint64_t trace_stream_size; /**< how many traces were ever seen */
    uint64_t nameless;          /**< records whose name is not in the file */
    const struct apf_str *vtable_names;
    size_t n_vtable_names;
    uint64_t
        producers; /**< LLVM releases that may have written it, a bit each: see apf_release_name; 0 = unknown */
};

/** Opens a profile and reads all of it; the format is detected from the bytes. On failure *instr is NULL.
 * Findings (quirks of writers that were accepted, records without a name) go to options->diag. */
APF_API int apf_instr_open(struct apf_instr **instr, const struct apf_input *input,
                           const struct apf_options *options, struct apf_error *error);
APF_API void apf_instr_close(struct apf_instr *instr);
APF_API const struct apf_instr_info *apf_instr_info(const struct apf_instr *instr);

/** Iterates in file order (indexed: order of the hash table's payload; merge: by name bytes, then hash). */
APF_API int apf_instr_iter_new(struct apf_instr_iter **iter, struct apf_instr *instr,
                               struct apf_error *error);
APF_API void apf_instr_iter_free(struct apf_instr_iter *iter);
/** APF_OK and *record, or APF_END. */
APF_API int apf_instr_iter_next(struct apf_instr_iter *iter, const struct apf_record **record,
                                struct apf_error *error);
/** The record of a function. APF_UNKNOWN_FUNCTION when there is none of that name, APF_HASH_MISMATCH when there
 * is one with another hash only. If the pair is there twice, the first. */
APF_API int apf_instr_find(struct apf_instr *instr, struct apf_str name, uint64_t hash,
                           const struct apf_record **record, struct apf_error *error);
/** The name behind an id (of a function, call target or vtable); n == 0: unknown. */
APF_API struct apf_str apf_instr_name(struct apf_instr *instr, uint64_t id);

/** A row of the detailed summary: the hottest `n_blocks` blocks, all with counts >= min_count, hold `cutoff`
 * millionths of the total. */
struct apf_summary_row {
    uint64_t cutoff, min_count, n_blocks;
};

/** The profile summary of LLVM: totals over all records but pseudo records. */
struct apf_summary {
    uint64_t n_functions, n_counters;
    uint64_t max_function_count, max_count, max_internal_count;
    uint64_t total_count; /**< wraps at 2^64, as LLVM's does */
    const struct apf_summary_row *rows;
    size_t n_rows;
};

/** Computes the summary of the records with (cs != 0) or without the context-sensitive bit in their hash, or of
 * all (cs < 0). */
APF_API int apf_instr_summary(struct apf_instr *instr, int cs, const struct apf_summary **summary,
                              struct apf_error *error);

/* ---- releases of LLVM, and what an output must suit ---- */

/** Releases are numbered 0 .. n - 1 in order of time, 3.5 first. Name such as "3.9" or "16"; NULL past the end. */
APF_API const char *apf_release_name(unsigned release);

/** What the output is for. Made from text by apf_target_parse. */
struct apf_target {
    int32_t kind;     /**< 0 = auto, 1 = a release, 2 = an indexed version */
    uint32_t release; /**< kind 1: number of the release */
    uint32_t version; /**< kind 1 and 2: the indexed version that is written */
};

/** "auto", "llvm-16", "indexed-9". APF_ARGUMENT, with the choices in the message, for anything else. */
APF_API int apf_target_parse(struct apf_target *target, const char *text, struct apf_error *error);

/* ---- merging ---- */

/** What to do about inputs that are lost. A file of 0 bytes is a run that wrote nothing: except with APF_FAIL_SHARE it
 * is not lost, but if every input is lost or empty there is nothing to merge. */
enum apf_failure_mode {
    APF_FAIL_ANY = 0,  /**< one bad input makes the merge fail */
    APF_FAIL_ALL = 1,  /**< the merge fails only when nothing is left */
    APF_FAIL_WARN = 2, /**< never */
    APF_FAIL_SHARE = 3 /**< when more than a share of the inputs is bad or empty */
};

/** APF_FAIL_SHARE: 100 per cent, which is never exceeded. */
#define APF_LOSS_ALL 100000000u

/** How much may be lost. */
struct apf_tolerance {
    int32_t mode;      /**< enum apf_failure_mode */
    uint32_t max_loss; /**< APF_FAIL_SHARE: the share that may be lost, in millionths of a per cent */
};

/** merge_options.flags: record by record, without the fast path for files of one binary. Same result. */
#define APF_MERGE_GENERAL 1u
/** merge_options.flags: a trace reservoir of 0: no traces are kept. */
#define APF_MERGE_NO_TRACES 2u
/** merge_options.flags: apf_merge_write removes the inputs that were merged; merge_options.output names the output.
 *
 * The process may end at any point, and the machine lose its power: who then merges again with the same arguments gets
 * each count once (records that were added one by one, inputs in memory and standard input cannot be recognised). What
 * is removed: files that were inputs of the merge, with the result APF_OK, of which nothing is left out, and are
 * unchanged since they were read. What is not: rejected and empty inputs; the output itself; standard input, symbolic
 * links and special files; files that have changed, because a program may still write to them; files whose records did
 * not all go with the others. Those that were merged and are still there are findings (APF_NOT_REMOVED), with
 * APF_SEVERITY_ERROR where the system refuses.
 *
 * The output must be a file. If it exists and is not empty, it must be one of the inputs, with the weight 1: then the
 * merge adds to it, and where records do not go together its own stay. The work is kept account of in a journal beside
 * it, .NAME.anyprof-merged, which is there only while it is needed and is locked meanwhile: a second such merge with
 * that output gets APF_OUTPUT_BUSY. */
#define APF_MERGE_REMOVE_INPUTS 4u
/** merge_options.flags: where records do not go together (another number of counters, ...), find out from which inputs
 * something is left out, by reading them again: apf_input_result.losses_known and what follows it, made with the view,
 * and findings (APF_LEFT_OUT). Included in APF_MERGE_REMOVE_INPUTS. */
#define APF_MERGE_FIND_LOSSES 8u

struct apf_merge_options {
    size_t size;                /**< sizeof(struct apf_merge_options) */
    struct apf_options options; /**< its own `size` may be 0 */
    uint32_t flags;             /**< APF_MERGE_* */
    uint64_t trace_reservoir;   /**< most traces kept; 0 = 100 (none: APF_MERGE_NO_TRACES) */
    uint64_t trace_length;      /**< most functions kept of a trace; 0 = 10000 */
    /** NULL, or the path that apf_merge_write will be given. If that file is among the inputs, inputs that it holds
     * already, after an interrupted merge that removes its inputs, are left out (APF_ALREADY_MERGED; the file must be
     * added by the same call as they or by an earlier one). APF_OUTPUT_BUSY: from apf_merge_add, while such a merge is
     * at work; from apf_merge_write, when the file has been changed since it was read: nothing is written then. */
    const char *output;
};

/** What is odd about an input that was accepted, or missing in it. */
struct apf_finding {
    int32_t
        severity; /**< APF_SEVERITY_WARNING: something is missing or may be wrong; APF_SEVERITY_NOTE: nothing is */
    int32_t code;      /**< enum apf_code */
    uint64_t n;        /**< how often, from 1 */
    const char *where; /**< static name, such as "quirk.MISSING_VALUE_DATA"; that of a diagnostic's error */
    const char *text;  /**< static explanation */
};

/** What became of one input. Of an input that was rejected or is empty only what its first bytes say is known; if it
 * was rejected because it does not go with the others, all is. */
struct apf_input_result {
    struct apf_str name;
    /** APF_OK; APF_EMPTY_PROFILE for a file of 0 bytes; APF_ALREADY_MERGED when the output holds it; else why it was
     * rejected whole. */
    int32_t code;
    uint64_t weight;       /**< as it was added */
    uint64_t producers;    /**< LLVM releases that may have written it, a bit each; 0 = unknown */
    uint32_t format;       /**< enum apf_instr_format; 0 = unknown */
    uint32_t version;      /**< format version; 0 for text */
    uint64_t variant;      /**< APF_VARIANT_* bits; of several profiles in a raw file, the first one's */
    uint32_t pointer_bits; /**< raw: 32 or 64; else 0 */
    int32_t big_endian;    /**< raw: the file is in big-endian order */
    uint64_t n_profiles;   /**< raw: how many profiles the file holds; else 1 */
    uint64_t n_records, n_counters;
    uint64_t
        sum_of_counts; /**< of all records but pseudo records, without the weight; 2^64-1 = that or more */
    const struct apf_str *binary_ids; /**< in file order, as they are in the file */
    size_t n_binary_ids;
    const struct apf_finding *findings;
    size_t n_findings;
    const struct apf_error *error; /**< details when code is not APF_OK, else NULL */
    /** With APF_MERGE_FIND_LOSSES, when there is a view: what is left out of it of this input. 0: not known, because it
     * could not be read a second time. */
    uint32_t losses_known;
    uint32_t removed;        /**< with APF_MERGE_REMOVE_INPUTS: 1 = it was removed */
    uint64_t lost_functions; /**< records */
    uint64_t lost_bitmaps;   /**< records without their bitmap */
    uint64_t lost_values;    /**< kinds of values of records */
};

/** Counters of all that was lost or changed; also what the summary on stderr is made from. */
struct apf_merge_stats {
    uint64_t n_inputs, n_merged, n_empty, n_rejected;
    uint64_t n_held;        /**< inputs that the output held already */
    uint64_t n_removed;     /**< inputs that were removed ... */
    uint64_t removed_bytes; /**< ... and what they took on the disk */
    uint64_t n_not_removed; /**< inputs that were merged and should have been removed, but were not ... */
    uint64_t n_undeletable; /**< ... of these, those that the system refused to remove */
    uint64_t n_fast; /**< profiles added by the fast path for files of one binary; may vary with threads */
    uint64_t n_functions; /**< records of the result (after apf_merge_view or apf_merge_write) */
    uint64_t
        count_mismatches; /**< functions left out of the result: same name and hash, other number of counters */
    uint64_t bitmap_mismatches;  /**< records whose bitmap was left out: other size */
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
    uint64_t front_end_in_ir;    /**< front-end profiles merged with IR profiles */
    uint64_t memprof_dropped;    /**< inputs whose MemProf data was left out */
    uint64_t dropped_values;     /**< value sites left out because the version cannot hold their kind */
    uint64_t dropped_bitmaps;    /**< records whose bitmap the version cannot hold */
    uint64_t dropped_traces;     /**< traces the version cannot hold */
    uint64_t dropped_ids;        /**< binary ids the version cannot hold */
    uint64_t
        dropped_vtable_names;    /**< vtable names that were not asked for or that the version cannot hold */
    uint64_t dropped_uniformity; /**< records whose uniformity bits the version cannot hold */
    uint64_t dropped_records;    /**< records the version cannot hold (version 1: one hash for each name) */
    uint64_t dropped_variants;   /**< variant bits that the target does not know, and so are not written */
    uint64_t sparse_dropped;     /**< functions left out by sparse output */
    uint64_t
        other_hash_scheme; /**< front-end inputs whose hashes readers of the output compute in another way:
                                   they will not find all functions */
    uint64_t bitmap_numbering; /**< records whose MC/DC bitmap readers of the output number in another way */
    uint64_t cannot_read;      /**< auto: possible producers that cannot read the version, a bit each */
    uint64_t variant;          /**< variant bits that were written */
    uint32_t version;          /**< indexed version written */
    uint32_t reserved;
};

/** On failure *merge is NULL. Besides memory only an output that was named can be the reason: APF_IO, and with
 * APF_MERGE_REMOVE_INPUTS also APF_OUTPUT_BUSY and APF_ARGUMENT. */
APF_API int apf_merge_new(struct apf_merge **merge, const struct apf_merge_options *options,
                          struct apf_error *error);
APF_API void apf_merge_free(struct apf_merge *merge);

/** Adds inputs, in parallel inside. Each is validated whole, then added, or not added at all. A bad input is no
 * error of this call: it is an apf_input_result and a finding. Fails when memory is out or the callback stops it;
 * the merge can only be freed then. */
APF_API int apf_merge_add(struct apf_merge *merge, const struct apf_input *inputs, size_t n,
                          struct apf_error *error);
/** Adds one record, which needs a name, with its counts multiplied by `weight` (0 means 1). When memory runs out, the
 * merge can only be freed then. */
APF_API int apf_merge_add_record(struct apf_merge *merge, const struct apf_record *record, uint64_t weight,
                                 struct apf_error *error);
/** Sets variant bits of the result, for merges built with apf_merge_add_record. */
APF_API void apf_merge_set_variant(struct apf_merge *merge, uint64_t variant);

/** The i-th input's result, in the order in which they were added; NULL past the end. */
APF_API const struct apf_input_result *apf_merge_input(const struct apf_merge *merge, size_t i);
/** APF_OK when there may be a result: else APF_EMPTY_PROFILE (every input is empty) or APF_INVALID_PROFILE (too many
 * are lost). Without any input, as in a merge of records, APF_OK. */
APF_API int apf_merge_verdict(const struct apf_merge *merge, const struct apf_tolerance *tolerance);

/** The sum as a profile. It belongs to the merge and is dropped by the next apf_merge_add, apf_merge_add_record or
 * apf_merge_free. */
APF_API int apf_merge_view(struct apf_merge *merge, struct apf_instr **view, struct apf_error *error);
APF_API const struct apf_merge_stats *apf_merge_stats(const struct apf_merge *merge);

/** write_options.flags */
#define APF_WRITE_SPARSE 1u       /**< leave out functions all of whose counters and bitmap bytes are 0 */
#define APF_WRITE_VTABLE_NAMES 2u /**< keep vtable names */
#define APF_WRITE_SHOW_STYLE 4u   /**< text: as llvm-profdata show --text prints (":ir" only, no traces) */
#define APF_WRITE_SHOW_CS                                                                                    \
    8u /**< with the above, IR profiles: the context-sensitive records instead of the others */

struct apf_write_options {
    size_t size;              /**< sizeof(struct apf_write_options) */
    int32_t format;           /**< APF_FORMAT_INDEXED (also for 0) or APF_FORMAT_TEXT */
    uint32_t flags;           /**< APF_WRITE_* */
    struct apf_target target; /**< indexed output: what it must suit */
    struct apf_str function;  /**< show style: only functions whose name contains this; n == 0: all */
};

/** Writes the sum. What the version cannot hold is left out, counted in the statistics and reported as findings.
 *
 * With APF_MERGE_REMOVE_INPUTS, inputs are removed when the output is on the disk; that some could not be is no failure
 * of this call. It can be called once then. When the output holds all inputs already, it is left as it is. */
APF_API int apf_merge_write(struct apf_merge *merge, const struct apf_write_options *options,
                            const struct apf_output *output, struct apf_error *error);
/** Writes all that is known of the merge as JSON (docs/json.md has the schema): every input, the totals, what was lost
 * or changed, and what the last apf_merge_write wrote, if that succeeded. The report does not depend on the number of
 * threads or on APF_MERGE_GENERAL. `tolerance` is what the caller went by; NULL: nothing. */
APF_API int apf_merge_write_report(const struct apf_merge *merge, const struct apf_tolerance *tolerance,
                                   const struct apf_output *output, struct apf_error *error);
/** Writes a profile that was opened, as text. */
APF_API int apf_instr_write_text(struct apf_instr *instr, const struct apf_write_options *options,
                                 const struct apf_output *output, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
