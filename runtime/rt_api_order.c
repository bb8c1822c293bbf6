/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* -forder-file-instrumentation of clang 13 to 19: which function ran first. The program notes that in a buffer; writing
 * puts the buffer into a file beside the profile, NAME.order. */
#include "rt_api.h"

#include "rt_file.h"
#include "rt_process.h"
#include "rt_say.h"
#include "rt_target.h"

#include <errno.h>

extern uint32_t __start___llvm_orderfile[] RT_WEAK RT_HIDDEN;
extern uint32_t __stop___llvm_orderfile[] RT_WEAK RT_HIDDEN;

uint32_t *__llvm_profile_begin_orderfile(void)
{
    return __start___llvm_orderfile;
}

static int write_order(void)
{
    char *path = rt_spare_path;
    struct rt_image image;
    struct stat status;
    size_t size = (uintptr_t)__stop___llvm_orderfile - (uintptr_t)__start___llvm_orderfile;
    if (!size || rt_image_find(&image) != RT_FOUND || !rt_target_name.text[0]) {
        rt_say(RT_ERROR, "no order of functions, or no name for its file; not written", NULL, 0);
        return -1;
    }
    int error = rt_name_expand(&rt_target_name, &image, path)
                    ? ENAMETOOLONG
                    : rt_path_with(rt_file.path, path, ".order", 0, 0);
    if (!error)
        error = rt_file_look(&rt_file, &status);
    if (!error)
        error = rt_file_begin(&rt_file, NULL);
    if (!error) {
        (void)rt_file_put(&rt_file, __start___llvm_orderfile, size);
        error = rt_file_end(&rt_file, RT_REPLACE);
    }
    if (error)
        rt_say(RT_ERROR, "cannot write the order of functions to", rt_file.path, error);
    return error ? -1 : 0;
}

int __llvm_orderfile_write_file(void)
{
    struct rt_inside inside;
    if (rt_process_enter(&inside))
        return -1;
    int result = write_order();
    rt_process_leave(&inside);
    return result;
}

int __llvm_orderfile_dump(void)
{
    return __llvm_orderfile_write_file();
}
