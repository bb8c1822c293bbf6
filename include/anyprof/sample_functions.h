/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file sample_functions.h
 * The functions of a sample profile, with their lines, call targets, vtables and contexts.
 */
#ifndef ANYPROF_SAMPLE_FUNCTIONS_H
#define ANYPROF_SAMPLE_FUNCTIONS_H

#include <anyprof/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The functions of a profile in the order in which LLVM prints them: by total descending, then by context and name. A
 * function is followed by those that are inlined in it, by place, then by name, each followed by what is inlined in it
 * (struct apf_sample_function has the depth, and how many follow). It never changes: several threads may read it at
 * once. */
struct apf_sample_functions;

/** Makes the list of a profile, from which it borrows: it must be freed before the profile is closed. There are
 * n_functions + n_inlined functions, as struct apf_sample_info has them. Takes about as
 * long as printing the profile. On failure *functions is NULL (APF_NO_MEMORY). */
APF_API int apf_sample_functions_new(struct apf_sample_functions **functions, const struct apf_sample *sample,
                                     struct apf_error *error);
/** Frees a list. NULL is allowed. */
APF_API void apf_sample_functions_free(struct apf_sample_functions *functions);

/** Fills in the i-th function, whose `size` the caller has set; APF_END past the last one. Names and files are texts of
 * the profile. APF_ARGUMENT: `size` is not set. */
APF_API int apf_sample_function(const struct apf_sample_functions *functions, uint64_t i,
                                struct apf_sample_function *function, struct apf_error *error);

/** The i-th line of a function, which is given by its number in the list, by place. APF_END, without another effect:
 * past the last line, or there is no such function; that holds for the next three functions, too. */
APF_API int apf_sample_line(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                            struct apf_sample_count *count);
/** The i-th call target of all lines of a function: by place, then by count descending, then by name. */
APF_API int apf_sample_target(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                              struct apf_sample_count *count);
/** The i-th vtable of a function, by place, then by name. */
APF_API int apf_sample_vtable(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                              struct apf_sample_count *count);
/** The i-th frame of the context of a function at the top level, the outermost caller first; the last one is the
 * function itself. Inlined functions have none. Takes time in proportion to the length of the context. */
APF_API int apf_sample_frame(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                             struct apf_sample_frame *frame);

/** Finds the functions at the top level with a name: the number in the list of the i-th of them; UINT64_MAX past the
 * last one. A profile with contexts has one for each context, with source files one for each file, in the order of
 * these. With a text (name.text.p is not NULL), name.hash is ignored; functions of which the profile knows only the
 * hash are found, too. Without a text, functions with name.hash are found, also those whose names the profile knows.
 * Both take time in proportion to the logarithm of the number of names: a loop over all functions is cheap. */
APF_API uint64_t apf_sample_function_find(const struct apf_sample_functions *functions,
                                          struct apf_sample_name name, uint64_t i);

/** The hash of a name, as in struct apf_sample_name. */
APF_API uint64_t apf_sample_name_hash(struct apf_str text);

#ifdef __cplusplus
}
#endif
#endif
