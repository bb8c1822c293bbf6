/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file lookup.h
 * Single functions of a profile, without reading the rest, as a compiler does, which needs only the functions of one
 * source file from the profile of a large program.
 *
 * An indexed profile (any version) in a regular file that is not compressed is read through its hash table: the pages
 * that a name needs, by pread, and no others; so damage elsewhere is not noticed, and a file that is cut off
 * meanwhile is an error (APF_TRUNCATED), not a signal. The pages that were used last are kept. Everything else (raw
 * profiles, text, JSON, compressed files, pipes) is read as a whole when it is opened, as by apf_instr_open.
 */
#ifndef ANYPROF_LOOKUP_H
#define ANYPROF_LOOKUP_H

#include <anyprof/instr.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A profile whose functions are looked up. One thread at a time may use it: what it returns is in its memory. */
struct apf_lookup;

struct apf_lookup_info {
    uint32_t format;     /**< enum apf_instr_format */
    uint32_t version;    /**< format version; 0 for text */
    uint64_t variant;    /**< APF_VARIANT_* bits */
    uint64_t n_names;    /**< names with records; of a profile that was read whole, records */
    uint32_t whole;      /**< 1: the whole profile was read when it was opened */
    uint64_t reads;      /**< else: number of reads from the file so far ... */
    uint64_t read_bytes; /**< ... and of bytes that were read */
};

/** Opens a profile. options->threads has no effect; MemProf data is not read. On failure *lookup is NULL. */
APF_API int apf_lookup_open(struct apf_lookup **lookup, const struct apf_input *input,
                            const struct apf_options *options, struct apf_error *error);
/** Closes a lookup. NULL is allowed. */
APF_API void apf_lookup_close(struct apf_lookup *lookup);
/** Facts about the profile. Never NULL; valid until the lookup is closed; the numbers of reads rise. */
APF_API const struct apf_lookup_info *apf_lookup_info(const struct apf_lookup *lookup);

/** Finds all records of a name, for apf_lookup_record; *n, which is not 0, is their number. APF_UNKNOWN_FUNCTION
 * when there are none.
 *
 * A local function is named FILE;NAME in IR profiles of LLVM 18 and later, and FILE:NAME in others. Where there is no
 * such name, and it has one of these separators, it is looked for with the other one, as compilers do. */
APF_API int apf_lookup_find_all(struct apf_lookup *lookup, struct apf_str name, size_t *n,
                                struct apf_error *error);
/** Finds all records of all local functions of a name, whatever their files: FILE;NAME and FILE:NAME. Otherwise as
 * apf_lookup_find_all; the records come in the order of the bytes of their names. The names of all functions are
 * read. */
APF_API int apf_lookup_find_local(struct apf_lookup *lookup, struct apf_str name, size_t *n,
                                  struct apf_error *error);
/** Finds all records of all functions whose names a filter wants, also from several of them. Otherwise as
 * apf_lookup_find_local. The filter must not use the lookup. */
APF_API int apf_lookup_find_wanted(struct apf_lookup *lookup, apf_name_filter_fn *wanted, void *user,
                                   size_t *n, struct apf_error *error);
/** The i-th of the records that one of these has found, apf_lookup_find_all in the order of the file; APF_END past the
 * last one. What it points to is valid until the next search or apf_lookup_print that searches. */
APF_API int apf_lookup_record(const struct apf_lookup *lookup, size_t i, struct apf_record *record,
                              struct apf_error *error);
/** The record that a compiler takes for a function, by LLVM's rule: the one with that hash; else APF_HASH_MISMATCH
 * when the name has other records of the same pass, with or without APF_HASH_CS as `hash`: `found` of the error is the
 * smallest of their hashes, the message has the five smallest; and APF_UNKNOWN_FUNCTION when it has none. What
 * it points to is valid as long as that of apf_lookup_record. */
APF_API int apf_lookup_find(struct apf_lookup *lookup, struct apf_str name, uint64_t hash,
                            struct apf_record *record, struct apf_error *error);
/** The name with an id (of a call target or vtable), which is looked up in the same way; n == 0: the profile does not
 * have it. The name is valid as long as the records of apf_lookup_record. */
APF_API int apf_lookup_name(struct apf_lookup *lookup, uint64_t id, struct apf_str *name,
                            struct apf_error *error);

/** Receives a name and `plain`, which is the name without its file, if it is that of a local function, and otherwise
 * the name. Both are valid during the call, which must not use the lookup. Non-zero stops with APF_STOPPED. */
typedef int apf_lookup_name_fn(void *user, struct apf_str name, struct apf_str plain);
/** Calls `fn` with the name of every function, in the order of the file; of a profile that was read whole, several
 * times with a name that has several records. Ends the validity of what a search has found. */
APF_API int apf_lookup_names(struct apf_lookup *lookup, apf_lookup_name_fn *fn, void *user,
                             struct apf_error *error);

/** apf_lookup_print: JSON (anyprof-lookup/1 in docs/json.md) instead of text. */
#define APF_LOOKUP_JSON 1u
/** apf_lookup_print: where there is no function of the name, the local functions that apf_lookup_find_local finds. */
#define APF_LOOKUP_LOCAL 2u

/** apf_lookup_print: the functions that the last search has found; `name` is only in messages. */
#define APF_LOOKUP_FOUND 4u
/** Prints the records of a name, or with `hash` (may be NULL) the one that apf_lookup_find finds, or those of local
 * functions that have this hash: as llvm-profdata show prints them with all of their counts and values, and their
 * bitmaps. */
APF_API int apf_lookup_print(struct apf_lookup *lookup, struct apf_str name, const uint64_t *hash,
                             uint32_t flags, const struct apf_output *output, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
