/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/info_memory.h"

#include <string.h>

struct apf_info *info_of_inputs(const struct apf_input *inputs, size_t n)
{
    struct apf_info *info;
    struct apf_error error;
    assert_int_equal(apf_info_open(&info, inputs, n, NULL, &error), APF_OK);
    return info;
}

struct apf_input input_in_memory(const void *p, size_t n, const char *name)
{
    struct apf_input input = apf_input_memory(p, n, name);
    return input;
}

static unsigned release_number(const char *name)
{
    unsigned i = 0;
    while (strcmp(apf_release_name(i), name) != 0)
        i++;
    return i;
}

uint64_t releases_from_to(const char *first, const char *last)
{
    uint64_t set = 0;
    for (unsigned i = release_number(first); i <= release_number(last); i++)
        set |= (uint64_t)1 << i;
    return set;
}
