/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#include "base/large.h"

bool vec_grow(void *field, size_t *capacity, size_t n, size_t more, size_t size)
{
    size_t need;
    if (ADD_OVERFLOWS(n, more, &need) || need > VEC_MAX_BYTES / size)
        return false;
    size_t cap = *capacity + *capacity / 2;
    if (cap < 8)
        cap = 8;
    if (cap < need)
        cap = need;
    if (cap > VEC_MAX_BYTES / size)
        cap = VEC_MAX_BYTES / size;
    void *data; /* pointers to objects of all types have one representation here */
    memcpy(&data, field, sizeof data);
    void *grown = realloc(data, cap * size);
    if (!grown)
        return false;
    large_block(grown, cap * size);
    memcpy(field, &grown, sizeof grown);
    *capacity = cap;
    return true;
}
