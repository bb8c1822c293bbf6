/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample_lookup.h
 * Single functions of a sample profile, without reading the others, as a compiler does, which needs only the functions
 * of one source file from the profile of a large program.
 *
 * An extensible binary profile in memory, or in a regular file that is not compressed as a whole, is read through its
 * tables: those of names and of the places of functions when it is opened, and each function when it is looked up, by
 * pread. So damage in other functions is not noticed, and a file that is cut off meanwhile is an error (APF_TRUNCATED),
 * not a signal. Sections that are compressed are inflated as a whole when they are needed. Everything else (other
 * formats, compressed files, pipes, profiles without a table of places, and some odd ones) is read as a whole when it
 * is opened, as by apf_sample_open.
 */
#ifndef ANYPROF_SAMPLE_LOOKUP_H
#define ANYPROF_SAMPLE_LOOKUP_H

#include <anyprof/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A profile whose functions are looked up. One thread at a time may use it: what it returns is in its memory. */
struct apf_sample_lookup;

/** Facts about a lookup, and how much it has read. */
struct apf_sample_lookup_info {
    uint32_t format;      /**< enum apf_sample_format */
    uint32_t version;     /**< as in struct apf_sample_info */
    uint32_t flags;       /**< APF_SAMPLE_*; without those that only reading all functions can find */
    uint32_t whole;       /**< 1: the whole profile was read when it was opened */
    uint64_t n_functions; /**< functions at the top level, one for each context */
    uint64_t reads;       /**< `whole` is 0: number of reads from the file so far ... */
    uint64_t read_bytes;  /**< ... and of bytes that were read */
};

/** Opens a profile. Bytes in memory must stay valid until the lookup is closed; `options` may be NULL, and nothing of
 * them is kept. On failure *lookup is NULL; the errors are those of apf_sample_open. Findings go to
 * options->options->diag; of a profile that is not read as a whole there are none. */
APF_API int apf_sample_lookup_open(struct apf_sample_lookup **lookup, const struct apf_input *input,
                                   const struct apf_sample_read_options *options, struct apf_error *error);
/** Closes a lookup. NULL is allowed. */
APF_API void apf_sample_lookup_close(struct apf_sample_lookup *lookup);
/** Facts about the profile. Never NULL; valid until the lookup is closed; the numbers of reads rise. */
APF_API const struct apf_sample_lookup_info *apf_sample_lookup_info(const struct apf_sample_lookup *lookup);

/** Finds the function with a name; in a context-sensitive profile, the function in all of its contexts or, by a context
 * as text has it ("[main:1 @ foo]", or without brackets), in this one. *found is a profile with these functions and no
 * others, and with the summary of the whole profile if the file has one. It is valid until the next search, and must
 * not be closed. APF_UNKNOWN_FUNCTION: there is none; *found is NULL, as after any failure. Reading the function may
 * fail as apf_sample_open.
 *
 * A function of which the profile has only the hash is found by its name, and by the hash as a decimal number. Of
 * several entries of a function in one table of places the last one counts, as for compilers. */
APF_API int apf_sample_lookup_find(struct apf_sample_lookup *lookup, struct apf_str name,
                                   const struct apf_sample **found, struct apf_error *error);

/** The function in which a context as text ends, with brackets or without; of a name, the name itself. */
APF_API struct apf_str apf_sample_context_function(struct apf_str text);

/** Receives the name of a function at the top level, or its hash. It is valid during the call, which must not use the
 * lookup. Non-zero stops with APF_STOPPED. */
typedef int apf_sample_lookup_name_fn(void *user, struct apf_sample_name name);
/** Calls `fn` for every function at the top level, in the order of the file; more than once for one that has several
 * contexts or entries. The hash of a name is 0, unless it is all that is known. */
APF_API int apf_sample_lookup_names(struct apf_sample_lookup *lookup, apf_sample_lookup_name_fn *fn,
                                    void *user, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
