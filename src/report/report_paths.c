/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a directory that reports can be about. */
#include <string.h>

#include "jobs/families.h"
#include "jobs/file_kinds.h"
#include "report/report_family.h"

static bool profile_begins(const uint8_t *p, size_t n)
{
    const char *ends[FAMILY_ENDS];
    const uint32_t kind = file_kind_of(p, n)->kind;
    return kind == APF_KIND_BOLT_YAML || kind == APF_KIND_BOLT_FDATA || kind == APF_KIND_BOLT_SAMPLES ||
           family_path_kind(ends).begins(p, n);
}

int apf_report_paths(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                     struct apf_skipped *skipped, struct apf_error *error)
{
    const char *ends[FAMILY_ENDS + 1];
    struct path_kind kind = family_path_kind(ends);
    size_t n_ends = 0;
    while (ends[n_ends])
        n_ends++;
    ends[n_ends] = ".fdata";
    ends[n_ends + 1] = NULL;
    kind.begins = profile_begins;
    return inputs_paths_find(path, options, &kind, paths, n, skipped, error);
}
