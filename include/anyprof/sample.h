/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample.h
 * Sample profiles, of LLVM (AutoFDO, CSSPGO) and of GCC (-fauto-profile): reading any format and version, and the
 * functions, lines and call targets of a profile.
 */
#ifndef ANYPROF_SAMPLE_H
#define ANYPROF_SAMPLE_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sample profile that was read. It never changes: several threads may read it at once. Texts that its functions
 * return are in its memory, and valid until it is closed. */
struct apf_sample;

enum apf_sample_format {
    APF_SAMPLE_TEXT = 1,
    APF_SAMPLE_BINARY = 2,    /**< LLVM's raw binary */
    APF_SAMPLE_COMPACT = 3,   /**< LLVM's compact binary, of LLVM 7 to 16 */
    APF_SAMPLE_EXTBINARY = 4, /**< LLVM's extensible binary */
    APF_SAMPLE_GCC = 5,       /**< .afdo of GCC, which LLVM calls gcov */
    APF_SAMPLE_MERGED = 6,    /**< a merge in memory */
    APF_SAMPLE_JSON = 7       /**< .json, as apf_sample_write_json writes it */
};

/** Properties of a profile as a whole. */
#define APF_SAMPLE_PROBES 1u     /**< line offsets are ids of pseudo probes, and functions have checksums */
#define APF_SAMPLE_CONTEXTS 2u   /**< context-sensitive: functions are told apart by their callers */
#define APF_SAMPLE_PREINLINED 4u /**< some function has APF_SAMPLE_SHOULD_BE_INLINED */
#define APF_SAMPLE_FS 8u         /**< discriminators are flow-sensitive: all 32 bits count */
#define APF_SAMPLE_MD5 16u       /**< names are stored as hashes */
#define APF_SAMPLE_UNIQUE 32u    /**< some name contains ".__uniq." */
#define APF_SAMPLE_PARTIAL                                                                                   \
    64u /**< of code that several programs share: a function without samples may be hot */
#define APF_SAMPLE_VTABLES 128u    /**< some function has types of objects (vtables) */
#define APF_SAMPLE_ATTRIBUTES 256u /**< some function has attributes */
#define APF_SAMPLE_TIMES 512u      /**< functions have times of their first sample (GCC 16) */

/** Attributes of a function. */
#define APF_SAMPLE_WAS_INLINED 1u
#define APF_SAMPLE_SHOULD_BE_INLINED 2u /**< the preinliner wants it to be inlined */
#define APF_SAMPLE_DUPLICATED 4u        /**< an inlined function whose counts its own profile has, too */

/** The number of a function that does not exist. */
#define APF_SAMPLE_NONE UINT32_MAX

/** Facts about a profile as a whole. */
struct apf_sample_info {
    uint32_t format; /**< enum apf_sample_format */
    /** of the format: 100, 102, 103 or 104 of LLVM's binary formats; 1, 2, 3 or (4.07) 704 of GCC's; 0 of text. JSON
     * has the version of the profile that it was made from (`origin`). A merge has version and `layout` of the newest
     * of its inputs that are of GCC; 0 and "": none is */
    uint32_t version;
    uint32_t flags;       /**< APF_SAMPLE_* */
    uint32_t big_endian;  /**< GCC's: 1 = the file is in big-endian order */
    const char *layout;   /**< variant of the version, such as "3a" of GCC's; "" where there is one only */
    uint64_t n_functions; /**< at the top level: one for each context of a context-sensitive profile */
    uint64_t n_inlined;   /**< functions inlined in these, at any depth */
    uint64_t n_lines;     /**< lines (or probes) with a count, of all of them */
    uint64_t n_targets;   /**< call targets of these lines */
    uint64_t n_vtables;   /**< types of objects at these lines */
    /** different names of functions, callers in contexts, call targets and types of objects: those whose text is known,
     * and (n_hashes) those of which only the hash is */
    uint64_t n_names;
    uint64_t n_hashes;
    uint64_t n_symbols;   /**< names in the list of all functions of the program, with or without samples */
    uint64_t max_depth;   /**< how deep functions are inlined: 0 where none is */
    uint64_t max_context; /**< frames of the longest context */
    /** enum apf_sample_format: `format`, or of JSON what it was made from; APF_SAMPLE_GCC of a merge of such profiles
     * alone */
    uint32_t origin;
};

/** A name with its hash. Its layout is frozen. */
struct apf_sample_name {
    struct apf_str text; /**< not terminated; p == NULL: only the hash is known */
    uint64_t hash;       /**< the first 8 bytes of the MD5 of the text as a little-endian number */
};

/** A place in a function. Its layout is frozen. */
struct apf_sample_place {
    uint32_t line;          /**< lines after that of the function's declaration, or the id of a probe */
    uint32_t discriminator; /**< tells several blocks of one line apart; 0 with probes */
};

/** A frame of a context. Its layout is frozen. */
struct apf_sample_frame {
    struct apf_sample_name name;
    struct apf_sample_place call; /**< where it calls the next frame; 0.0 in the last one */
};

/** A function of a profile. */
struct apf_sample_function {
    size_t size; /**< sizeof(struct apf_sample_function), set by the caller */
    struct apf_sample_name name;
    uint32_t depth;               /**< 0: at the top level; else how deep it is inlined */
    uint32_t attributes;          /**< APF_SAMPLE_WAS_INLINED, ... */
    struct apf_sample_place call; /**< inlined: where in its caller */
    uint64_t total;               /**< samples, those in what is inlined included, as the profile says */
    uint64_t head;                /**< samples of entries to it; of inlined functions 0 */
    uint64_t checksum;            /**< of the control flow, in profiles of probes; 0: unknown */
    uint64_t first_time;          /**< time of the first sample in nanoseconds; 0: unknown */
    uint64_t n_frames;            /**< of its context; 1 without contexts, and of inlined functions 0 */
    /** its own, not those of what is inlined: see apf_sample_line, apf_sample_target and apf_sample_vtable */
    uint64_t n_lines, n_targets, n_vtables;
    uint64_t n_inlined;  /**< functions inlined in it, at any depth: they follow it */
    struct apf_str file; /**< name of its source file (GCC 16); n == 0: unknown */
    /** 1: it is inlined and has APF_SAMPLE_DUPLICATED, or is inlined in such a function: its own profile has its
     * counts, too, and sums over all functions must not have them twice */
    uint32_t counted_elsewhere;
    uint32_t reserved;
};

/** A count of a function: of a line, or of a call target or vtable at a line. Its layout is frozen. */
struct apf_sample_count {
    struct apf_sample_place place;
    uint64_t count;              /**< samples; 2^64-1 = that or more */
    struct apf_sample_name name; /**< of the target or vtable; all zero for a line */
};

/** The part of a flow-sensitive discriminator that counts: what the passes of the compiler up to one have added. */
enum apf_sample_pass {
    APF_SAMPLE_PASS_LAST = 0, /**< all 32 bits */
    APF_SAMPLE_PASS_BASE = 1, /**< 8 bits, of the front end */
    APF_SAMPLE_PASS_1 = 2,    /**< 14 bits */
    APF_SAMPLE_PASS_2 = 3,    /**< 20 bits */
    APF_SAMPLE_PASS_3 = 4     /**< 26 bits */
};

/** sample_read_options.flags: discriminators of text and raw binary, which cannot say so, are flow-sensitive. */
#define APF_SAMPLE_READ_FS 1u

struct apf_sample_read_options {
    size_t size; /**< sizeof(struct apf_sample_read_options) */
    /** those of every call; NULL: the defaults. A file in which functions are inlined deeper than max_depth, or whose
     * contexts have more callers, is an error (APF_LIMIT); 0, and anything above 1000, means 1000 */
    const struct apf_options *options;
    uint32_t flags; /**< APF_SAMPLE_READ_* */
    uint32_t pass;  /**< enum apf_sample_pass: the other bits of flow-sensitive discriminators become 0 */
};

/** What was kept of a damaged file, and what was lost (APF_FLAG_SALVAGE): functions at the top level that are whole. */
struct apf_sample_salvage {
    struct apf_error error;  /**< the damage: the reason why the file is not read without the flag */
    uint64_t functions;      /**< that were kept; at least 1 */
    uint64_t lost_functions; /**< that are known to be lost */
    uint32_t lost_known;     /**< 0: how many functions the file had is not known */
    uint32_t reserved;
};

/** Opens a profile and reads all of it; the format is detected from the bytes. The profile keeps nothing of the input
 * and of the options, which may be NULL: bytes in memory can be freed afterwards. Findings (oddities that were
 * accepted) go to options->options->diag. apf_sample_close must follow.
 *
 * On failure *sample is NULL. APF_EMPTY_PROFILE: a file of 0 bytes. APF_SAMPLE_UNRECOGNIZED: no sample profile.
 * APF_SAMPLE_VERSION, APF_UNSUPPORTED: of a version, or with a section, that is not read. Other APF_SAMPLE_*,
 * APF_BAD_SAMPLE_TEXT, APF_BAD_SAMPLE_GCC, APF_BAD_JSON: an error in the file. Also APF_IO, APF_DECOMPRESS_FAILED,
 * APF_LIMIT, APF_ARGUMENT, APF_STOPPED (by diag) and APF_NO_MEMORY. */
APF_API int apf_sample_open(struct apf_sample **sample, const struct apf_input *input,
                            const struct apf_sample_read_options *options, struct apf_error *error);
/** Closes a profile. NULL is allowed, and so is the view of a merge, which still belongs to the merge. */
APF_API void apf_sample_close(struct apf_sample *sample);
/** Facts about the profile as a whole. Never NULL; valid until it is closed. */
APF_API const struct apf_sample_info *apf_sample_info(const struct apf_sample *sample);
/** What was kept and lost of a damaged file that was opened with APF_FLAG_SALVAGE; NULL: the file is intact. Valid
 * until the profile is closed. */
APF_API const struct apf_sample_salvage *apf_sample_salvage(const struct apf_sample *sample);

#ifdef __cplusplus
}
#endif
#endif
