/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/outputs.h"

size_t cov_common_directory(const struct cov_output *o)
{
    struct apf_str common = {NULL, 0};
    for (size_t i = 0; i < o->n_files; i++) {
        const struct apf_str name = o->c->files.list.data[o->files[i]];
        size_t n = 0;
        if (i == 0)
            common = name;
        while (n < common.n && n < name.n && name.p[n] == common.p[n])
            n++;
        common.n = n;
    }
    while (common.n && common.p[common.n - 1] != '/')
        common.n--;
    return common.n;
}

double cov_percent(const struct apf_cov_share *s)
{
    return s->n ? (double)s->covered / (double)s->n * 100.0 : 0;
}
