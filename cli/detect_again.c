/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "detect_again.h"

#include <string.h>
#include <sys/stat.h>

bool detect_again(const char *path, struct apf_file_info *info)
{
    struct apf_input input = apf_input_file(path);
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           apf_file_detect(&input, NULL, info, NULL) == APF_OK;
}
