/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* -forder-file-instrumentation of clang 13 to 19. The program records in a buffer which function ran first; the
 * buffer is written to NAME.order beside the profile. */
#include "rt_api.h"

#include "rt_file.h"
#include "rt_message.h"
#include "rt_name.h"
#include "rt_process.h"

#include <errno.h>

extern uint32_t __start___llvm_orderfile[] RT_WEAK RT_HIDDEN;
extern uint32_t __stop___llvm_orderfile[] RT_WEAK RT_HIDDEN;

uint32_t *__llvm_profile_begin_orderfile(void)
{
    return __start___llvm_orderfile;
}

static int write_order(void)
{
    char *path = aprt_spare_path;
    struct aprt_image image;
    struct stat status;
    size_t size = (uintptr_t)__stop___llvm_orderfile - (uintptr_t)__start___llvm_orderfile;
    if (!size || aprt_image_find(&image) != RT_FOUND || !aprt_name_chosen.text[0]) {
        aprt_message_or(RT_ERROR, "no order of functions, or no name for its file; not written", RT_NO_NAME,
                        NULL, 0);
        return -1;
    }
    int error = aprt_name_expand(&aprt_name_chosen, &image, path)
                    ? ENAMETOOLONG
                    : aprt_path_with(aprt_file.path, path, ".order", 0, 0);
    if (!error)
        error = aprt_file_examine(&aprt_file, &status);
    if (!error)
        error = aprt_file_begin(&aprt_file, NULL);
    if (!error) {
        (void)aprt_file_write(&aprt_file, __start___llvm_orderfile, size);
        error = aprt_file_end(&aprt_file, RT_REPLACE);
    }
    if (error)
        aprt_message_or(RT_ERROR, "cannot write the order of functions to", RT_NOT_WRITTEN, aprt_file.path,
                        error);
    return error ? -1 : 0;
}

int __llvm_orderfile_write_file(void)
{
    struct aprt_inside inside;
    if (aprt_process_enter(&inside))
        return -1;
    int result = write_order();
    aprt_process_leave(&inside);
    return result;
}

int __llvm_orderfile_dump(void)
{
    return __llvm_orderfile_write_file();
}
