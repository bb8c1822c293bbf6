/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files of a directory are checked: profiles of both kinds. */
#include <anyprof/jobs.h>

#include "instr/read/profile_paths.h"
#include "sample/read/sample_formats.h"

static bool checked_begins(const uint8_t *p, size_t n)
{
    return profile_path_kind.begins(p, n) || sample_format_find(p, n);
}

int apf_check_paths(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                    struct apf_skipped *skipped, struct apf_error *error)
{
    struct path_kind kind = {profile_path_kind.ends, checked_begins};
    return inputs_paths_find(path, options, &kind, paths, n, skipped, error);
}
