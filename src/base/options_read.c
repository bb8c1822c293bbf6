/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

#define DEFAULT_MAX_BYTES ((uint64_t)64 << 30)
/* No structure grows beyond this: a size above it was never set. */
#define LARGEST_STRUCT 65536u

static int size_check(size_t size, struct apf_error *error)
{
    if (size >= sizeof size && size <= LARGEST_STRUCT)
        return APF_OK;
    return error_plain(error, APF_ARGUMENT, "options.size",
                       "the field `size` is %zu, not the size of the structure", size);
}

int options_read(void *to, size_t size, const void *from, struct apf_error *error)
{
    size_t given = size;
    memset(to, 0, size);
    if (from) {
        memcpy(&given, from, sizeof given);
        int code = size_check(given, error);
        if (code != APF_OK)
            return code;
        for (size_t i = size; i < given; i++)
            if (((const uint8_t *)from)[i])
                return error_plain(error, APF_ARGUMENT, "options.size",
                                   "byte %zu of the options is set, and this library (%s) knows %zu bytes", i,
                                   apf_version(), size);
        memcpy(to, from, given < size ? given : size);
    }
    memcpy(to, &size, sizeof size);
    return APF_OK;
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
    return size_check(size, error);
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
