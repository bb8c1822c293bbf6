/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "detect_again.h"

#include <string.h>
#include <sys/stat.h>

#include "streams.h"

/* Whether a path is a file that can be read any number of times. */
static bool is_regular(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool detect_again(const struct session *session, const char *path, struct apf_input *input,
                  struct apf_file_info *info)
{
    *input = apf_input_file(path);
    return (stream_find(session, input) || is_regular(path)) &&
           apf_file_detect(input, NULL, info, NULL) == APF_OK;
}
