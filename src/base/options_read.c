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
    return error_plain(error, APF_ARGUMENT, where, "the field `size` is %zu, not sizeof(struct %.*s)", size,
                       (int)strcspn(where, "."), where);
}

/* Checks the size of the caller's structure, *given, and that nothing is set after the `size` bytes that are known. */
static int struct_check(const void *from, size_t size, size_t *given, const char *where,
                        struct apf_error *error)
{
    memcpy(given, from, sizeof *given);
    int code = size_check(*given, where, error);
    for (size_t i = size; code == APF_OK && i < *given; i++)
        if (((const uint8_t *)from)[i])
            code = error_plain(error, APF_ARGUMENT, where,
                               "byte %zu of struct %.*s is set, and this library (%s) knows %zu bytes", i,
                               (int)strcspn(where, "."), where, apf_version(), size);
    return code;
}

int options_read(void *to, size_t size, const void *from, const char *where, struct apf_error *error)
{
    size_t given = size;
    memset(to, 0, size);
    if (from) {
        int code = struct_check(from, size, &given, where, error);
        if (code != APF_OK)
            return error_subject(error, code, APF_SUBJECT_OPTION);
        memcpy(to, from, given < size ? given : size);
    }
    memcpy(to, &size, sizeof size);
    return APF_OK;
}

int common_options_read(struct apf_options *to, const struct apf_options *from, struct apf_error *error)
{
    int code = OPTIONS_READ(apf_options, to, from, error);
    return code == APF_OK ? flags_check(to->flags, APF_FLAG_DROP_MEMPROF | APF_FLAG_SALVAGE | APF_FLAG_GLANCE,
                                        "apf_options.flags", error)
                          : code;
}

int options_read_both(void *to, size_t size, const void *from, const char *where, size_t at,
                      struct apf_options *common, struct apf_error *error)
{
    const struct apf_options *given;
    int code = options_read(to, size, from, where, error);
    memcpy(&given, (const char *)to + at, sizeof(const struct apf_options *));
    return code == APF_OK ? common_options_read(common, given, error) : code;
}

int flags_check(uint32_t flags, uint32_t known, const char *where, struct apf_error *error)
{
    struct error_at at = {where, NO_OFFSET, flags, known};
    if (!(flags & ~known))
        return APF_OK;
    error_set_at(error, APF_ARGUMENT, at, "unknown flags 0x%x", (unsigned)(flags & ~known));
    return error_subject(error, APF_ARGUMENT, APF_SUBJECT_OPTION);
}

static int input_check(const struct apf_input *input, const struct apf_input *first, struct apf_error *error)
{
    size_t size;
    int code = struct_check(input, sizeof *input, &size, "apf_input.size", error);
    if (code == APF_OK && size < sizeof *input)
        code = error_plain(error, APF_ARGUMENT, "apf_input.size",
                           "%zu bytes are too few; struct apf_input has %zu", size, sizeof *input);
    if (code == APF_OK && size != first->size)
        code = error_plain(error, APF_ARGUMENT, "apf_input.size",
                           "%zu bytes, but the first input of the array has %zu", size, first->size);
    return code;
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
    int code = struct_check(output, sizeof *output, &size, "apf_output.size", error);
    if (code == APF_OK && size < sizeof *output)
        code = error_plain(error, APF_ARGUMENT, "apf_output.size",
                           "%zu bytes are too few; struct apf_output has %zu", size, sizeof *output);
    if (code == APF_OK)
        code = flags_check(output->flags, APF_OUTPUT_SYNC | APF_OUTPUT_EXECUTABLE | APF_OUTPUT_CLEAN,
                           "apf_output.flags", error);
    if (code == APF_OK && !output->path && !output->write)
        code = error_plain(error, APF_ARGUMENT, "apf_output.path", "there is neither a path nor a callback");
    return error_subject(error, code, APF_SUBJECT_OUTPUT);
}

uint64_t options_max_bytes(const struct apf_options *options)
{
    return options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;
}

int result_check(const void *result, const char *where, struct apf_error *error)
{
    size_t size = sizeof size;
    if (result)
        memcpy(&size, result, sizeof size);
    return error_subject(error, size_check(size, where, error), APF_SUBJECT_OPTION);
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
