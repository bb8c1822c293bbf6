/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sample profiles below a directory. */
#include <anyprof/sample_merge.h>

#include <string.h>

#include "sample/merge/sample_merge_paths.h"
#include "sample/read/sample_formats.h"

/* Any text with two colons in its first line may be a text profile, so that the name of the file in a tar archive is
 * one; text has no byte 0. */
static bool is_profile(const uint8_t *p, size_t n)
{
    const struct sample_format *format = sample_format_find(p, n);
    return format && (format->format != APF_SAMPLE_TEXT || !memchr(p, 0, n));
}

static const char *const ends[] = {".afdo", ".prof", NULL};

const struct path_kind sample_path_kind = {ends, is_profile};

int apf_sample_merge_paths(const char *path, const struct apf_paths_options *options, const char *output,
                           char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error)
{
    return inputs_paths_to_merge(path, options, &sample_path_kind, output, paths, n, skipped, error);
}
