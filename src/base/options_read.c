/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

#define DEFAULT_MAX_BYTES ((uint64_t)64 << 30)
/* No structure grows beyond this: a size above it was never set. */
#define LARGEST_STRUCT 65536u

static int size_check(size_t size, const char *where, struct apf_error *error)
{
    if (size >= sizeof size && size <= LARGEST_STRUCT)
        return APF_OK;
    return error_plain(error, APF_ARGUMENT, where, "the field `size` is %zu, not the size of the structure",
                       size);
}

/* Checks the size of the caller's structure, *given, and that nothing is set behind the `size` bytes that are known. */
static int struct_check(const void *from, size_t size, size_t *given, const char *where,
                        struct apf_error *error)
{
    memcpy(given, from, sizeof *given);
    int code = size_check(*given, where, error);
    for (size_t i = size; code == APF_OK && i < *given; i++)
        if (((const uint8_t *)from)[i])
            code = error_plain(error, APF_ARGUMENT, where,
                               "byte %zu of the structure is set, and this library (%s) knows %zu bytes", i,
                               apf_version(), size);
    return code;
}

int options_read(void *to, size_t size, const void *from, struct apf_error *error)
{
    size_t given = size;
    memset(to, 0, size);
    if (from) {
        int code = struct_check(from, size, &given, "options.size", error);
        if (code != APF_OK)
            return code;
        memcpy(to, from, given < size ? given : size);
    }
    memcpy(to, &size, sizeof size);
    return APF_OK;
}

static int input_check(const struct apf_input *input, const struct apf_input *first, struct apf_error *error)
{
    size_t size;
    if (input->size < sizeof *input || input->size != first->size)
        return error_plain(error, APF_ARGUMENT, "input.size",
                           "it is %zu; that of the first input is %zu, and it is at least %zu", input->size,
                           first->size, sizeof *input);
    return struct_check(input, sizeof *input, &size, "input.size", error);
}

int inputs_check(const struct apf_input *inputs, size_t n, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < n && code == APF_OK; i++) {
        code = input_check(input_at(inputs, i), inputs, error);
        if (code != APF_OK && error)
            error->input = i;
    }
    return code;
}

int output_check(const struct apf_output *output, struct apf_error *error)
{
    size_t size;
    int code = struct_check(output, sizeof *output, &size, "output.size", error);
    if (code == APF_OK && size < sizeof *output)
        code = error_plain(error, APF_ARGUMENT, "output.size", "it is %zu, and at least %zu", size,
                           sizeof *output);
    return error_subject(error, code, APF_SUBJECT_OUTPUT);
}

uint64_t options_max_bytes(const struct apf_options *options)
{
    return options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;
}

int result_check(const void *result, struct apf_error *error)
{
    size_t size = sizeof size;
    if (result)
        memcpy(&size, result, sizeof size);
    return size_check(size, "result.size", error);
}

void result_fill(void *result, size_t size, const void *from)
{
    size_t given;
    if (!result)
        return;
    memcpy(&given, result, sizeof given);
    size_t known = given < size ? given : size;
    memcpy((uint8_t *)result + sizeof given, (const uint8_t *)from + sizeof given, known - sizeof given);
    memset((uint8_t *)result + known, 0, given - known);
}
