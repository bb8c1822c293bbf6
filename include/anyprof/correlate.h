/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file correlate.h
 * Instrumented programs (ELF): which functions they count, and profiles whose metadata stayed in the program. Part of
 * libanyprof-elf.
 *
 * An ordinary instrumented program has the data records and names of its functions in memory, and writes them into each
 * profile. With *lightweight instrumentation* (-mllvm -debug-info-correlate, -profile-correlate=debug-info; LLVM 14 and
 * later) they are annotations in its DWARF instead, with *binary correlation* (-profile-correlate=binary; LLVM 18 and
 * later) sections that are not loaded; profiles have counters only. docs/formats/raw.md describes all three.
 */
#ifndef ANYPROF_CORRELATE_H
#define ANYPROF_CORRELATE_H

#include <anyprof/instr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the instrumented functions of a program ---- */

/** The functions of a program. They never change: several threads may read them at once. */
struct apf_binary_functions;

/** Where a program describes its functions. */
enum apf_metadata_kind {
    APF_METADATA_ANY = 0,        /**< as an argument: the first of the following that the program has */
    APF_METADATA_LOADED = 1,     /**< the sections __llvm_prf_data and __llvm_prf_names */
    APF_METADATA_BINARY = 2,     /**< the sections __llvm_covdata and __llvm_covnames */
    APF_METADATA_DEBUG_INFO = 3, /**< annotations in the DWARF */
};

/** Facts about all functions of a program. */
struct apf_binary_functions_info {
    uint32_t kind;          /**< enum apf_metadata_kind */
    uint32_t pointer_bits;  /**< 32 or 64 */
    uint32_t big_endian;    /**< 1 = big-endian */
    uint32_t first_version; /**< its profiles have a raw version from this one ... */
    uint32_t last_version;  /**< ... to this one; both 0: not known */
    uint32_t reserved;
    /** APF_VARIANT_* bits of its profiles, if variant_known: the symbol __llvm_profile_raw_version was there, which
     * stripped programs lack. */
    uint64_t variant;
    uint32_t variant_known;
    uint32_t nameless;       /**< functions whose name is not in the program */
    struct apf_str build_id; /**< bytes; n == 0: none */
    uint64_t n_functions;
};

/** Reads the functions of a program, in the order of its records. Name, id, hash and number of counters are right
 * whatever the version; `counters` and `bitmap` are those of APF_METADATA_BINARY and APF_METADATA_DEBUG_INFO,
 * else 0. Raw versions 3 to 11 (LLVM 3.9 and later).
 *
 * APF_UNABLE_TO_CORRELATE: the program is not instrumented, or not in this way; the message says what is missing.
 * APF_BAD_ELF, APF_MALFORMED, APF_UNCOMPRESS_FAILED, APF_LIMIT: damage. options->max_records limits the functions.
 * On failure *functions is NULL. */
APF_API int apf_binary_functions_open(struct apf_binary_functions **functions,
                                      const struct apf_input *program, enum apf_metadata_kind kind,
                                      const struct apf_options *options, struct apf_error *error);
/** Closes a program. NULL is allowed. */
APF_API void apf_binary_functions_close(struct apf_binary_functions *functions);
/** Facts about the program. Never NULL; valid until apf_binary_functions_close. */
APF_API const struct apf_binary_functions_info *
apf_binary_functions_info(const struct apf_binary_functions *functions);
/** The i-th function, valid until apf_binary_functions_close; NULL past the end. */
APF_API const struct apf_function *apf_binary_functions_function(const struct apf_binary_functions *functions,
                                                                 size_t i);

/* ---- programs that complete profiles ---- */

/** Programs that complete profiles. Several threads may use its source at once; its own calls are for one thread, while
 * no profile is being read. */
struct apf_correlator;

struct apf_correlator_options {
    size_t size;                       /**< sizeof(struct apf_correlator_options) */
    const struct apf_options *options; /**< limits, and the callback for findings; NULL: the defaults */
    uint32_t kind;         /**< enum apf_metadata_kind: APF_METADATA_DEBUG_INFO or APF_METADATA_BINARY */
    uint32_t max_warnings; /**< findings about the functions of one program; 0 = all */
    const struct apf_input *programs; /**< read when the correlator is opened */
    size_t n_programs;
    /** Searched when a profile asks, for its binary id: DIRECTORY/.build-id/xx/yyyy.debug, as LLVM does, then all ELF
     * files in and below the directory that have the id. */
    const char *const *directories;
    size_t n_directories;
};

/** Reads the programs. A profile gets the metadata of the program whose build id is among its binary ids or, where the
 * profile or the program has no id, of the only program whose sections of counters and bitmaps have the sizes of the
 * profile's. A program of another build is never used: the profile then fails with APF_UNABLE_TO_CORRELATE.
 *
 * Failures are as of apf_binary_functions_open; error->input is the number of the program. */
APF_API int apf_correlator_open(struct apf_correlator **correlator,
                                const struct apf_correlator_options *options, struct apf_error *error);
/** Closes a correlator. NULL is allowed. */
APF_API void apf_correlator_close(struct apf_correlator *correlator);
/** Reports to options.diag the findings about the programs that were found in directories; findings about the other
 * programs were reported when the correlator was opened. To be called when no profile is being read. */
APF_API int apf_correlator_report(struct apf_correlator *correlator, struct apf_error *error);
/** For apf_options.correlation; lives as long as the correlator. With one program, and no directory, it has the flag
 * APF_CORRELATION_ONLY_BARE. */
APF_API const struct apf_correlation_source *apf_correlator_source(const struct apf_correlator *correlator);

/* ---- printing ---- */

/** apf_correlate_print_options.flags */
#define APF_CORRELATE_PRINT_NAMES 1u    /**< the sorted names of all functions, too */
#define APF_CORRELATE_PRINT_COUNTERS 2u /**< the size of the section of counters, too */
#define APF_CORRELATE_PRINT_YAML                                                                             \
    4u /**< instead of both, all that the DWARF says about each function, as YAML */

struct apf_correlate_print_options {
    size_t size;                       /**< sizeof(struct apf_correlate_print_options) */
    const struct apf_options *options; /**< as in apf_correlator_options */
    uint32_t flags;                    /**< APF_CORRELATE_* */
    uint32_t max_warnings;             /**< as in apf_correlator_options */
};

/** Prints what the DWARF of a program says of its functions, as llvm-profdata show --debug-info does. */
APF_API int apf_correlate_print(const struct apf_input *program,
                                const struct apf_correlate_print_options *options,
                                const struct apf_output *output, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
