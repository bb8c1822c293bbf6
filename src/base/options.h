/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structures of the public interface that begin with their size: options, and results in the caller's memory. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <anyprof/io.h>

/* Fills `to`, a structure of options of `size` bytes, with the caller's: NULL means all zero, an older, smaller
 * structure is filled up with zeros, and of a newer, larger one the bytes that this library does not know must be zero.
 * APF_ARGUMENT otherwise, and when the size was not set. `where` is the name of the structure and ".size". */
int options_read(void *to, size_t size, const void *from, const char *where, struct apf_error *error);
/* options_read for `struct type`. */
#define OPTIONS_READ(type, to, from, error)                                                                  \
    options_read((struct type *){to}, sizeof(struct type), (const struct type *){from}, #type ".size", error)
/* Reads the options of every call, and checks their flags. */
int common_options_read(struct apf_options *to, const struct apf_options *from, struct apf_error *error);
/* Reads a structure of options, and into `common` those that its pointer at the offset `at` leads to. */
int options_read_both(void *to, size_t size, const void *from, const char *where, size_t at,
                      struct apf_options *common, struct apf_error *error);
/* options_read_both for `struct type`, whose field `options` points to those of every call. */
#define OPTIONS_READ_BOTH(type, to, from, common, error)                                                     \
    options_read_both((struct type *){to}, sizeof(struct type), (const struct type *){from}, #type ".size",  \
                      offsetof(struct type, options), common, error)
/* APF_ARGUMENT if a bit is set that is not in `known`. `where` is the name of the field. */
int flags_check(uint32_t flags, uint32_t known, const char *where, struct apf_error *error);
/* Checks the sizes of n inputs, which must be equal and follow the rule of options_read. */
int inputs_check(const struct apf_input *inputs, size_t n, struct apf_error *error);
/* Element i of an array that was checked: the caller's structures may be larger than this library's. */
static inline const struct apf_input *input_at(const struct apf_input *inputs, size_t i)
{
    const void *at = (const char *)inputs + i * inputs->size;
    return at;
}
/* A copy of an input that was checked, as this library's structure. */
static inline struct apf_input input_copy(const struct apf_input *input)
{
    struct apf_input copy = *input;
    copy.size = sizeof copy;
    return copy;
}
int output_check(const struct apf_output *output, struct apf_error *error);
/* Element i of an array of outputs, if the sizes of those before it and its own are equal. */
static inline const struct apf_output *output_at(const struct apf_output *outputs, size_t i)
{
    const void *at = (const char *)outputs + i * outputs->size;
    return at;
}
/* The largest input in bytes. */
uint64_t options_max_bytes(const struct apf_options *options);

/* Checks the size of a result that a call will fill in; NULL is fine. `where` is as for options_read. */
int result_check(const void *result, const char *where, struct apf_error *error);
#define RESULT_CHECK(type, result, error) result_check((const struct type *){result}, #type ".size", error)
/* Fills in a result that was checked, as much of it as the caller's structure has: `from` is this library's, of `size`
 * bytes, and what the caller's has beyond it becomes zero. */
void result_fill(void *result, size_t size, const void *from);

#endif
