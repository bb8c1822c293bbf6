/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file instr.h
 * Instrumentation profiles: reading any raw, indexed, text or JSON profile, and writing it as text or JSON; merge.h
 * adds them up.
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

/** A profile in memory. It never changes: several threads may read it at once. */
struct apf_instr;

/** Kinds of profiled values; the index of apf_record.sites. */
enum apf_value_kind {
    APF_VALUE_INDIRECT_CALL = 0, /**< values are ids of the called functions; 0 = unknown */
    APF_VALUE_MEMOP_SIZE = 1,    /**< values are the low ends of size classes, in bytes */
    APF_VALUE_VTABLE = 2,        /**< values are ids of vtables; 0 = unknown */
    APF_VALUE_KINDS = 3          /**< never changes: a further kind would get fields of its own */
};

/** A value that a site has seen, and how often. Its layout is frozen. */
struct apf_value {
    uint64_t value;
    uint64_t count;
};

/** The values of one site, in the profile's order. Its layout is frozen. */
struct apf_site {
    const struct apf_value *values;
    size_t n;
};

/** apf_record.flags: counts[0] is LLVM's marker for a function known to be hot (2^64-1) or warm (2^64-2). */
#define APF_RECORD_PSEUDO 1u
/** apf_record.flags: a sum was cut at the largest count there is (2^64-3). */
#define APF_RECORD_SATURATED 2u
/** apf_record.flags: the test vectors of the bitmap are numbered as LLVM 18 does it (raw version 9, indexed version
 * 11). Without this flag and the next there is no bitmap, or its numbering is not known (text profiles). */
#define APF_RECORD_SPARSE_BITMAP 4u
/** apf_record.flags: they are numbered as LLVM 19 and later do it (raw version 10, indexed version 12 and later). */
#define APF_RECORD_DENSE_BITMAP 8u

/** The counts of one function with one hash. The structure is the caller's; what it points to belongs to the profile
 * that it was read from. */
struct apf_record {
    size_t size;            /**< sizeof(struct apf_record), set by the caller; see struct apf_options */
    struct apf_str name;    /**< PGO name; n == 0: unknown */
    uint64_t id;            /**< first 8 bytes of the name's MD5, little-endian (LLVM's NameRef) */
    uint64_t hash;          /**< the function's structural hash; bit 60 = context-sensitive (IR profiles) */
    uint64_t timestamp;     /**< temporal profiles: when it first ran, from 1; 0 = never, or not known */
    uint64_t offset;        /**< of the record in the file; of its line in a text profile */
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

/** One temporal trace: ids of functions in the order in which they first ran. Its layout is frozen. */
struct apf_trace {
    uint64_t weight;
    const uint64_t *ids;
    size_t n;
};

enum apf_instr_format {
    APF_FORMAT_RAW = 1,     /**< .profraw, what programs write */
    APF_FORMAT_INDEXED = 2, /**< .profdata, what compilers read */
    APF_FORMAT_TEXT = 3,    /**< .proftext */
    APF_FORMAT_MERGED = 4,  /**< a merge in memory */
    APF_FORMAT_JSON = 5,    /**< .json, as apf_instr_write_json writes it */
    APF_FORMAT_MEMPROF = 6  /**< a memory profile in YAML, without counts: see memprof.h */
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

/** Facts about a profile as a whole. */
struct apf_instr_info {
    uint32_t format;       /**< enum apf_instr_format */
    uint32_t version;      /**< format version; 0 for text and merges; for JSON that of the original */
    uint64_t version_word; /**< the word in the file, variant bits included */
    uint64_t variant;      /**< APF_VARIANT_* bits; of the first profile where a raw file has several */
    uint64_t last_variant; /**< ... and of the last one: llvm-profdata prints these after a listing */
    uint32_t pointer_bits; /**< raw: 32 or 64; else 0 */
    uint32_t big_endian;   /**< raw: 1 = the file is in big-endian order */
    uint32_t front_end;    /**< 1 = text that says :fe */
    uint64_t n_profiles;   /**< raw: number of profiles in the file; else 1 */
    uint64_t n_records;
    uint64_t n_counters;
    const struct apf_str *binary_ids; /**< in file order; sorted and unique in a merge */
    size_t n_binary_ids;
    const struct apf_trace *traces;
    size_t n_traces;
    uint64_t trace_stream_size; /**< number of traces that were ever seen */
    uint64_t nameless;          /**< records whose name is not in the file */
    const struct apf_str *vtable_names;
    size_t n_vtable_names;
    /** LLVM releases that may have written it, a bit each: see apf_release_name; 0 = unknown */
    uint64_t producers;
    /** enum apf_instr_format. JSON: the format that it was made from, to which version, pointer_bits, ... belong; 0 =
     * unknown. Else `format`. */
    uint32_t origin;
    uint32_t reserved;
};

/* ---- profiles whose metadata is in their program ---- */

/** A function as its program describes it, with the contents of its data record in a raw profile. */
struct apf_function {
    struct apf_str name; /**< PGO name; n == 0: unknown */
    uint64_t id;         /**< LLVM's NameRef, as in apf_record */
    uint64_t hash;
    /** where its first counter is: bytes from the start of the program's section of counters */
    uint64_t counters;
    uint64_t bitmap;     /**< where its bitmap is: bytes from the start of the section of bitmaps */
    uint32_t n_counters; /**< slots in that section, including those of a timestamp */
    uint32_t n_bitmap;   /**< bytes of the bitmap; 0: none */
};

/** All functions of a program, in the order of the data records that its profiles lack. `size` follows the rule at
 * struct apf_options. */
struct apf_correlation {
    size_t size; /**< sizeof(struct apf_correlation) */
    const struct apf_function *functions;
    size_t function_size; /**< sizeof(struct apf_function): the distance from one to the next */
    size_t n;
    uint64_t counter_bytes,
        bitmap_bytes; /**< sizes of the two sections: a profile with other sizes is of another build */
};

/** A profile in a raw file that has counters, but no data records and no names. */
struct apf_bare_profile {
    uint64_t version_word;     /**< variant bits included */
    const struct apf_str *ids; /**< its binary ids */
    size_t n_ids;
    uint64_t counter_bytes, bitmap_bytes;
    uint32_t pointer_bits; /**< 32 or 64 */
    uint32_t big_endian;   /**< 1 = big-endian */
};

/** Finds the functions that complete a profile. Returns APF_OK and sets *correlation, which must stay unchanged while
 * the source is used, or returns a code, with which the file is rejected, and fills in *error. Several threads may call
 * it at once. */
typedef int apf_correlate_fn(void *user, const struct apf_bare_profile *profile,
                             const struct apf_correlation **correlation, struct apf_error *error);

/** correlation_source.flags: raw profiles that need no completion are refused (APF_UNEXPECTED_CORRELATION), as by
 * llvm-profdata with --debug-info and --binary-file. */
#define APF_CORRELATION_ONLY_BARE 1u

/** Where the metadata comes from: correlate.h makes one of programs. */
struct apf_correlation_source {
    size_t size; /**< sizeof(struct apf_correlation_source) */
    apf_correlate_fn *find;
    void *user;     /**< passed to `find` */
    uint32_t flags; /**< APF_CORRELATION_ONLY_BARE */
};

/* ---- damaged files ---- */

/** apf_salvage.lost_sections: sections after the functions that could not be read whole. */
#define APF_LOST_BINARY_IDS 1u
#define APF_LOST_VTABLE_NAMES 2u
#define APF_LOST_TRACES 4u
#define APF_LOST_MEMPROF 8u

/** What was kept of a damaged file, and what was lost (APF_FLAG_SALVAGE).
 *
 * Salvaging is for files that were cut off, or in which bytes are visibly missing or wrong: what is kept is then what
 * was written. Counts have no checksum, so a changed count cannot be detected.
 *
 * Kept are, of a raw file: all profiles before the damage; of the damaged profile the records whose counters (and
 * bitmap, and uniform counters) are complete, provided that all of its data records are complete and right; values as
 * far as their blocks are complete; names that have the id of a record. Of an indexed file: names whose hash is right,
 * with their records, if these are complete. Of a text: records that are followed by another one, and the last one if
 * the text ends with a line feed and, where its functions have the comments of LLVM's tools, with the empty lines that
 * these tools write after a function. Of a compressed file: the streams that are whole, each with its own checksum. */
struct apf_salvage {
    /** the damage that was found first, which is why the file is not read without the flag */
    struct apf_error error;
    uint64_t functions; /**< records that were kept; at least 1 */
    /** Records that the intact part announces and that were not kept; in an indexed file names, each with all of its
     * records. What else the file held after the damage is not known. */
    uint64_t lost_functions;
    uint64_t values;        /**< records with profiled values */
    uint64_t lost_values;   /**< records whose values are lost; their counts were kept */
    uint64_t nameless;      /**< records whose name is not in the intact part */
    uint64_t found_names;   /**< those of `nameless` whose name another input of the merge has ... */
    uint64_t lost_names;    /**< ... and those that are left out of the result; both when there is a view */
    uint32_t lost_known;    /**< 0: the number of functions that the file announces is not known */
    uint32_t names_known;   /**< 0: there is no view yet, or this is no merge */
    uint32_t lost_sections; /**< APF_LOST_* */
    uint32_t reserved;
};

/** Opens a profile and reads all of it; the format is detected from the bytes. A partial profile is read as what a
 * merge of it alone has, unless all of its inputs were lost; those that were are findings. On failure *instr is NULL.
 * Findings (quirks of writers that were accepted, records without a name) go to options->diag. */
APF_API int apf_instr_open(struct apf_instr **instr, const struct apf_input *input,
                           const struct apf_options *options, struct apf_error *error);
/** Closes a profile. NULL is allowed, and so is the view of a merge, which still belongs to the merge. */
APF_API void apf_instr_close(struct apf_instr *instr);
/** What was kept and lost of a damaged file that was opened with APF_FLAG_SALVAGE; NULL: the file is intact. */
APF_API const struct apf_salvage *apf_instr_salvage(const struct apf_instr *instr);
/** Facts about the profile as a whole. Never NULL; valid until the profile is closed. */
APF_API const struct apf_instr_info *apf_instr_info(const struct apf_instr *instr);

/** The i-th record, in file order (indexed: order of the hash table's payload; merge: by name bytes, then hash);
 * APF_END past the last one. */
APF_API int apf_instr_record(const struct apf_instr *instr, size_t i, struct apf_record *record,
                             struct apf_error *error);
/** Finds the record of a function. APF_UNKNOWN_FUNCTION when no record has that name, APF_HASH_MISMATCH when those
 * that have it have another hash. If several records have the name and the hash, the first. */
APF_API int apf_instr_find(const struct apf_instr *instr, struct apf_str name, uint64_t hash,
                           struct apf_record *record, struct apf_error *error);
/** The name with an id (of a function, call target or vtable, or of a function that a memory profile in YAML names);
 * n == 0: unknown. */
APF_API struct apf_str apf_instr_name(const struct apf_instr *instr, uint64_t id);

/** A row of the detailed summary: the hottest `n_blocks` blocks, all with counts >= min_count, hold `cutoff`
 * millionths of the total. Its layout is frozen. */
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

/** The records that a summary is about. */
enum apf_summary_scope {
    APF_SUMMARY_ALL = 0,
    APF_SUMMARY_NOT_CS = 1, /**< without APF_HASH_CS in their hash */
    APF_SUMMARY_CS = 2      /**< context-sensitive: with it */
};

/** Computes a summary. On failure *summary is NULL. */
APF_API int apf_instr_summary(const struct apf_instr *instr, enum apf_summary_scope scope,
                              const struct apf_summary **summary, struct apf_error *error);

/* ---- releases of LLVM, and targets of outputs ---- */

/** Releases are numbered 0 .. n - 1 in order of time, 3.5 first. Name such as "3.9" or "16"; NULL past the end. */
APF_API const char *apf_release_name(uint32_t release);

/** The newest version of APF_FORMAT_RAW or APF_FORMAT_INDEXED that is read; the oldest is 1. 0 for other formats. All
 * indexed versions are written, too. */
APF_API uint32_t apf_format_newest(uint32_t format);

/** What an output is for. */
enum apf_target_kind {
    APF_TARGET_AUTO = 0,    /**< for the compilers that made the inputs */
    APF_TARGET_RELEASE = 1, /**< for a release of LLVM */
    APF_TARGET_INDEXED = 2  /**< for all readers of a version of the indexed format */
};

/** The reader that an output is for. Made from text by apf_target_parse. Its layout is frozen. */
struct apf_target {
    uint32_t kind;    /**< enum apf_target_kind */
    uint32_t release; /**< APF_TARGET_RELEASE: number of the release */
    uint32_t version; /**< but for APF_TARGET_AUTO: the indexed version that is written */
};

/** "auto"; "llvm-16", also "clang-16" or "16"; "indexed-9". APF_ARGUMENT, with the choices in the message, for
 * anything else. */
APF_API int apf_target_parse(const char *text, struct apf_target *target, struct apf_error *error);

/* ---- writing ---- */

/** write_options.flags */
#define APF_WRITE_SPARSE 1u       /**< leave out functions all of whose counters and bitmap bytes are 0 */
#define APF_WRITE_VTABLE_NAMES 2u /**< keep vtable names */
#define APF_WRITE_MEMPROF_FULL                                                                               \
    4u /**< memory profiles: all fields, not only those that LLVM writes by default */
#define APF_WRITE_MEMPROF_VERSION 8u /**< memory profiles: memprof_version says which version */

/** The version of MemProf data that are not there. */
#define APF_MEMPROF_NO_VERSION UINT32_MAX

struct apf_write_options {
    size_t size;     /**< sizeof(struct apf_write_options) */
    uint32_t format; /**< enum apf_instr_format: APF_FORMAT_INDEXED (also for 0) or APF_FORMAT_TEXT */
    uint32_t flags;  /**< APF_WRITE_* */
    struct apf_target target; /**< indexed output: the reader that it is for */
    /** with APF_WRITE_MEMPROF_VERSION: 0 to 4; APF_ARGUMENT when the target reads no such version. Without the flag it
     * must be 0 (APF_ARGUMENT) */
    uint32_t memprof_version;
    uint32_t reserved;
};

/** Writes a profile that was opened, as text. APF_ARGUMENT for options that text has no use for: a format other than 0
 * and APF_FORMAT_TEXT, a target other than `auto`, the flags of memory profiles. */
APF_API int apf_instr_write_text(const struct apf_instr *instr, const struct apf_write_options *options,
                                 const struct apf_output *output, struct apf_error *error);

/** Writes a profile that was opened, or the view of a merge, as JSON. The JSON is complete: the profile that is
 * read from it is the same. docs/json.md has the schema, anyprof-profile/1. */
APF_API int apf_instr_write_json(const struct apf_instr *instr, const struct apf_output *output,
                                 struct apf_error *error);

/** apf_paths_expand that lists, of the files below a directory, those that are instrumentation or memory profiles by
 * their first bytes, unpacked if they are compressed, or ought to be by their name: .profraw, .profdata or .proftext at
 * its end, also with .gz or .zst after it. So an empty file, or one that was overwritten, is not lost without a message
 * if it has such a name. The others are counted in skipped->n_others. With options->include the name alone decides. A
 * file that cannot be read is in the list. */
APF_API int apf_profile_paths(const char *path, const struct apf_paths_options *options, char ***paths,
                              size_t *n, struct apf_skipped *skipped, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
