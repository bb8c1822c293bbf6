/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/out_path.h"

int open_path(struct file_out **out, const char *path, struct apf_error *e)
{
    struct apf_output output = apf_output_file(path);
    return file_out_open(out, &output, e);
}

int write_path(const char *path, const void *p, size_t n, struct apf_error *e)
{
    struct file_out *out;
    int code = open_path(&out, path, e);
    if (code != APF_OK)
        return code;
    file_out_write(out, p, n);
    return file_out_close(out, true, e);
}
