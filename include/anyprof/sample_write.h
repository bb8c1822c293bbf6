/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample_write.h
 * Writing sample profiles, in the format that a release of LLVM or GCC reads.
 */
#ifndef ANYPROF_SAMPLE_WRITE_H
#define ANYPROF_SAMPLE_WRITE_H

#include <anyprof/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a sample profile is written for. */
enum apf_sample_target_kind {
    /** the newest release of LLVM; for profiles of GCC, the readers of the layout that they had */
    APF_SAMPLE_FOR_AUTO = 0,
    APF_SAMPLE_FOR_LLVM = 1, /**< a release of LLVM */
    APF_SAMPLE_FOR_GCC = 2   /**< a release of GCC */
};

/** The reader that a profile is for. Made from text by apf_sample_target_parse. Its layout is frozen. */
struct apf_sample_target {
    uint32_t kind;    /**< enum apf_sample_target_kind */
    uint32_t release; /**< the number of the release among those of its kind; 0 with APF_SAMPLE_FOR_AUTO */
};

/** Parses "auto", "llvm-16" (also "clang-16" or "16") or "gcc-12". APF_ARGUMENT, with the choices in the message, for
 * anything else. */
APF_API int apf_sample_target_parse(const char *text, struct apf_sample_target *target,
                                    struct apf_error *error);
/** The format (enum apf_sample_format) that llvm-profdata of a release writes if no option names one; 0: the one
 * that is preferred for the release, as of a write without a format. */
APF_API uint32_t apf_sample_target_default(const struct apf_sample_target *target);
/** The name of a release of a kind (enum apf_sample_target_kind), such as "3.9" or "16"; NULL past the end. Releases
 * are numbered from 0 in the order of time. */
APF_API const char *apf_sample_release_name(uint32_t kind, uint32_t release);

/** Variants of a format. */
enum apf_sample_layout {
    /** what suits the target */
    APF_SAMPLE_LAYOUT_AUTO = 0,
    /** APF_SAMPLE_EXTBINARY as LLVM 14 and later write it */
    APF_SAMPLE_LAYOUT_USUAL = 1,
    /** ... as LLVM 13 wrote it: without a section of contexts. Without checksums it is what most releases read, 10 to
     * the newest; with checksums, only 12 and 13 read it, and inlined functions have none; with contexts, which are
     * names then and never hashes, only 13 */
    APF_SAMPLE_LAYOUT_OLD = 2,
    /** ... in which functions without inlined ones are in sections of their own, which compilers can skip when they
     * link. Context-sensitive profiles, which cannot be split, get the usual layout: see result.not_split */
    APF_SAMPLE_LAYOUT_SPLIT = 3,
    /** APF_SAMPLE_GCC with the version 4.07, which LLVM reads and GCC does not */
    APF_SAMPLE_LAYOUT_GCC_LLVM = 4,
    /** ... version 1, of GCC 5 to 11 */
    APF_SAMPLE_LAYOUT_GCC_1 = 5,
    /** ... version 2, of GCC 12 to 15 */
    APF_SAMPLE_LAYOUT_GCC_2 = 6,
    /** ... version 3 as autofdo wrote it in January 2026: with names of files */
    APF_SAMPLE_LAYOUT_GCC_3A = 7,
    /** ... version 3 until May 2026: with a summary, too */
    APF_SAMPLE_LAYOUT_GCC_3B = 8,
    /** ... version 3 of GCC 16: with times, too */
    APF_SAMPLE_LAYOUT_GCC_3 = 9
};

/** sample_write_options.flags */
#define APF_SAMPLE_WRITE_MD5 1u /**< extbinary: names as hashes, which a profile without names always has */
#define APF_SAMPLE_WRITE_COMPRESS 2u    /**< extbinary: all sections are compressed */
#define APF_SAMPLE_WRITE_PARTIAL 4u     /**< extbinary: the profile becomes partial (APF_SAMPLE_PARTIAL) */
#define APF_SAMPLE_WRITE_NO_VTABLES 8u  /**< leave out types of objects */
#define APF_SAMPLE_WRITE_NO_SYMBOLS 16u /**< leave out the list of all functions */
#define APF_SAMPLE_WRITE_FLAT 32u       /**< text: mark functions in which nothing is inlined, with !Flat */
/** extbinary: also a profile without types of objects has the place for them, as with LLVM 22's
 * --extbinary-write-vtable-type-prof, if the target knows it; older releases do not read the file */
#define APF_SAMPLE_WRITE_VTABLES 64u

struct apf_sample_write_options {
    size_t size;                       /**< sizeof(struct apf_sample_write_options) */
    const struct apf_options *options; /**< those of every call: losses go to its diag; NULL: the defaults */
    struct apf_sample_target target;
    /** enum apf_sample_format: what suits the target (0), or APF_SAMPLE_TEXT, APF_SAMPLE_BINARY, APF_SAMPLE_COMPACT,
     * APF_SAMPLE_EXTBINARY or APF_SAMPLE_GCC; APF_UNSUPPORTED if the target does not read it */
    uint32_t format;
    uint32_t layout; /**< enum apf_sample_layout, of that format; APF_UNSUPPORTED as for the format */
    uint32_t flags;  /**< APF_SAMPLE_WRITE_* */
    uint32_t reserved;
};

/** What was written, and what is not in it. The profile itself does not change. */
struct apf_sample_write_result {
    size_t size;      /**< sizeof(struct apf_sample_write_result), set by the caller */
    uint32_t format;  /**< enum apf_sample_format */
    uint32_t version; /**< of the format, as in apf_sample_info */
    uint32_t layout;  /**< enum apf_sample_layout */
    uint32_t flags;   /**< APF_SAMPLE_* of the output */
    /** the releases of LLVM, and of GCC, that read the output, be it that they ignore a part: bit i is release i, whose
     * name is apf_sample_release_name(kind, i) */
    uint64_t llvm_readers, gcc_readers;
    /** functions that were added to those of their name, without their callers ... */
    uint64_t lost_contexts;
    /** ... and functions, inlined ones also, that were left out then, with all that is inlined in them: those of other
     * contexts have other checksums. Which stay is decided as in merges */
    uint64_t lost_variants;
    /** functions at the top level that the format cannot hold, with all that is in them: names, or places in contexts,
     * that would be read as something else */
    uint64_t lost_functions;
    uint64_t lost_inlined;        /**< inlined functions, likewise */
    uint64_t lost_targets;        /**< call targets, likewise */
    uint64_t lost_lines;          /**< lines, likewise: offsets that readers refuse */
    uint64_t lost_discriminators; /**< lines and inlined functions without their discriminator */
    uint64_t misread_targets;     /**< call targets that GCC 10 and 11 would misread; 11 crashes then */
    uint64_t lost_checksums;      /**< functions without their checksum, ... */
    uint64_t lost_attributes;     /**< ... without their attributes, ... */
    uint64_t lost_times;          /**< ... without the time of their first sample */
    uint64_t lost_files;          /**< names without their source file: functions of one name become one */
    uint64_t lost_vtables;        /**< types of objects at lines */
    uint64_t lost_symbols;        /**< names in the list of all functions */
    /** functions, inlined ones also, whose total is not the sum of their counts, which readers compute */
    uint64_t lost_totals;
    uint64_t changed_names; /**< names without the suffixes that the compiler ignores */
    /** names that are known by their hash only and became decimal numbers, which no compiler matches */
    uint64_t decimal_names;
    /** names that are decimal numbers, which readers take for hashes of other names */
    uint64_t numbers_as_hashes;
    uint64_t numbered;     /**< inlined functions with such a name: no LLVM reads the file */
    uint64_t hashed_names; /**< names written as hashes; nothing is lost to compilers */
    /** inlined functions in a file of hashes, whose counts the release may lose where it does not inline them again */
    uint64_t unmatched_hashes;
    uint64_t not_split;  /**< 1: the split layout was asked for, and the profile is context-sensitive */
    uint32_t lost_flags; /**< APF_SAMPLE_* that the format has no word for */
    uint32_t reserved;
};

/** A loss or change that a finding of a write is about: the field of struct apf_sample_write_result that counts it. */
enum apf_sample_loss {
    APF_SAMPLE_LOSS_NONE = 0,               /**< the finding is about something else */
    APF_SAMPLE_LOSS_CONTEXTS = 1,           /**< lost_contexts */
    APF_SAMPLE_LOSS_FUNCTIONS = 2,          /**< lost_functions */
    APF_SAMPLE_LOSS_INLINED = 3,            /**< lost_inlined */
    APF_SAMPLE_LOSS_TARGETS = 4,            /**< lost_targets */
    APF_SAMPLE_LOSS_LINES = 5,              /**< lost_lines */
    APF_SAMPLE_LOSS_DISCRIMINATORS = 6,     /**< lost_discriminators */
    APF_SAMPLE_LOSS_CHECKSUMS = 7,          /**< lost_checksums */
    APF_SAMPLE_LOSS_ATTRIBUTES = 8,         /**< lost_attributes */
    APF_SAMPLE_LOSS_TIMES = 9,              /**< lost_times */
    APF_SAMPLE_LOSS_FILES = 10,             /**< lost_files */
    APF_SAMPLE_LOSS_VTABLES = 11,           /**< lost_vtables */
    APF_SAMPLE_LOSS_SYMBOLS = 12,           /**< lost_symbols */
    APF_SAMPLE_LOSS_TOTALS = 13,            /**< lost_totals */
    APF_SAMPLE_LOSS_CHANGED_NAMES = 14,     /**< changed_names */
    APF_SAMPLE_LOSS_DECIMAL_NAMES = 15,     /**< decimal_names */
    APF_SAMPLE_LOSS_NUMBERED = 16,          /**< numbered */
    APF_SAMPLE_LOSS_UNMATCHED_HASHES = 17,  /**< unmatched_hashes */
    APF_SAMPLE_LOSS_NOT_SPLIT = 18,         /**< not_split */
    APF_SAMPLE_LOSS_FLAGS = 19,             /**< lost_flags */
    APF_SAMPLE_LOSS_VARIANTS = 20,          /**< lost_variants */
    APF_SAMPLE_LOSS_NUMBERS_AS_HASHES = 21, /**< numbers_as_hashes */
    APF_SAMPLE_LOSS_MISREAD_TARGETS = 22    /**< misread_targets */
};

/** The enum apf_sample_loss of a finding that apf_sample_write or apf_sample_merge_write reports; `error` is
 * apf_diag.error. */
APF_API enum apf_sample_loss apf_sample_loss(const struct apf_error *error);

/** Writes a profile. What the format, or the release that it is for, has no place for is left out, counted in *result
 * (may be NULL) and reported as findings.
 *
 * APF_UNSUPPORTED: the target does not read the format or layout that was asked for, or nothing that is written.
 * APF_SAMPLE_UNWRITABLE: the profile is of pseudo probes, which the format or target does not know; or it is
 * context-sensitive, which the format or layout of LLVM that was asked for cannot say, or, for LLVM 13, should have
 * hashes as names.
 * APF_NOT_REPRESENTABLE: a name has a byte 0; or no function is left, since the format cannot hold their names.
 * APF_IO: the output cannot be written.
 * Also APF_ARGUMENT, APF_STOPPED (by diag) and APF_NO_MEMORY. After any of these, a file at the path of the output is
 * as it was. `options` may be NULL. */
APF_API int apf_sample_write(const struct apf_sample *sample, const struct apf_sample_write_options *options,
                             const struct apf_output *output, struct apf_sample_write_result *result,
                             struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
