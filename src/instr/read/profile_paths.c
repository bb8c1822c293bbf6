/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/read/profile_paths.h"

#include <string.h>

#include "instr/memprof/memprof_raw.h"
#include "instr/memprof/memprof_yaml.h"
#include "instr/read/formats.h"
#include "instr/text/text_read.h"
#include "partial/partial_read.h"

static bool has_word(const uint8_t *p, size_t n, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(p + i, word, length) == 0)
            return true;
    return false;
}

/* Formats of other programs begin as those of JSON, YAML and text do, so that more than their first bytes counts. */
static bool profile_begins(const uint8_t *p, size_t n)
{
    const struct instr_format *format = instr_format_of(p, n);
    switch (format ? format->format : 0) {
    case 0:
        /* the latter cannot be merged, which must be said */
        return (partial_is(p, n) && !partial_is_of(p, n, PARTIAL_SAMPLE)) || memprof_raw_begins(p, n);
    case APF_FORMAT_JSON:
        return has_word(p, n, "anyprof-profile/");
    case APF_FORMAT_MEMPROF:
        return memprof_yaml_is(p, n);
    case APF_FORMAT_TEXT:
        return !memchr(p, 0, n) &&
               text_read_begins(p, n); /* the name of a file in a tar archive is no text */
    default:
        return true;
    }
}

static const char *const ends[] = {".profraw", ".profdata", ".proftext", NULL};

const struct path_kind profile_path_kind = {ends, profile_begins};

int apf_profile_paths(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                      struct apf_skipped *skipped, struct apf_error *error)
{
    return inputs_paths_find(path, options, &profile_path_kind, paths, n, skipped, error);
}
