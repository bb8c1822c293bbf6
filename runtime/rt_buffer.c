/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* compiler-rt's functions for a profile in memory, for programs without an operating system that call these already.
 * Unlike compiler-rt's they write value data, without which the profile of a program with value sites is
 * unreadable. */
#include "rt_values.h"
#include "rt_write.h"

#ifndef ANYPROF_RT_HOSTED /* the hosted runtime has rt_api_buffer.c instead */

RT_HIDDEN uint64_t __llvm_profile_get_size_for_buffer(void);
RT_HIDDEN int __llvm_profile_write_buffer(char *buffer);

/* The end of the nodes that existed when the size was asked for: later values would have no room. NULL before the
 * first call: no node is written. */
static const struct aprt_node *end;
static const struct aprt_node *const no_nodes = (const struct aprt_node *)1; /* below all nodes */

static struct aprt_out write_to(apf_rt_write_fn *write, void *context)
{
    struct aprt_image image;
    struct aprt_out out = {.write = write, .context = context, .code = -1};
    if (aprt_image_find(&image) != RT_FOUND)
        return out;
    out.code = 0;
    image.nodes_end = end ? end : no_nodes;
    aprt_write_profile(&out, &image);
    return out;
}

uint64_t __llvm_profile_get_size_for_buffer(void)
{
    end = RT_LINKED(aprt_values_end) ? aprt_values_end() : NULL;
    return write_to(NULL, NULL).size;
}

int __llvm_profile_write_buffer(char *buffer)
{
    return write_to(aprt_write_to_memory, &buffer).code ? -1 : 0;
}

#endif
