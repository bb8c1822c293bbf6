/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions of the core. */
#include "rt_write.h"

static int find_image(struct aprt_image *image)
{
    enum aprt_found found = aprt_image_find(image);
    if (found == RT_FOUND)
        return image->counters_size ? APF_RT_OK : APF_RT_EMPTY;
    return found == RT_NEW_VERSION ? APF_RT_NEWER : APF_RT_MIXED;
}

int apf_rt_write(apf_rt_write_fn *write, void *context)
{
    struct aprt_image image;
    struct aprt_out out = {.write = write, .context = context};
    int code = find_image(&image);
    if (code == APF_RT_OK)
        aprt_write_profile(&out, &image);
    return code ? code : out.code;
}

uint64_t apf_rt_size(void)
{
    struct aprt_image image;
    struct aprt_out out = {0};
    if (find_image(&image) == APF_RT_OK)
        aprt_write_profile(&out, &image);
    return out.size;
}
