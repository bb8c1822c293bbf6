/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tells instrumentation profiles from sample profiles, and both from other files. */
#include "jobs/families.h"

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "instr/memprof/memprof_raw.h"
#include "instr/read/profile_paths.h"
#include "instr/text/text_read.h"
#include "jobs/file_kinds.h"
#include "partial/partial_read.h"
#include "sample/merge/sample_merge_paths.h"

enum apf_family family_of_bytes(const uint8_t *p, size_t n)
{
    uint32_t kind = file_kind_of(p, n)->kind;
    if (partial_is(p, n) && !partial_is_of(p, n, PARTIAL_INSTR) && !partial_is_of(p, n, PARTIAL_SAMPLE))
        return APF_FAMILY_NONE; /* undecided, or damaged */
    if (file_kind_has(kind, KIND_SAMPLES))
        return sample_path_kind.begins(p, n) ? APF_FAMILY_SAMPLE : APF_FAMILY_NONE;
    bool bare = kind == APF_KIND_INSTR_TEXT && text_read_is_bare(p, n);
    bool memory = memprof_raw_begins(p, n);
    return !bare && !memory && profile_path_kind.begins(p, n) ? APF_FAMILY_INSTR : APF_FAMILY_NONE;
}

/* Reads the first bytes of a file, unpacked. False: it cannot be read, and *n is 0. */
static bool read_head(const struct apf_input *input, uint8_t head[PATH_KIND_HEAD], size_t *n)
{
    *n = 0;
    const bool is_read =
        inputs_check(input, 1, NULL) == APF_OK && file_read_head(input, head, PATH_KIND_HEAD, n);
    if (!is_read)
        *n = 0;
    return is_read;
}

enum apf_family apf_file_family(const struct apf_input *input)
{
    uint8_t head[PATH_KIND_HEAD];
    size_t n;
    (void)read_head(input, head, &n);
    return family_of_bytes(head, n);
}

enum apf_file_kind apf_file_glance(const struct apf_input *input)
{
    uint8_t head[PATH_KIND_HEAD];
    size_t n;
    const bool is_read = read_head(input, head, &n);
    return (enum apf_file_kind)(is_read ? file_kind_of(head, n)->kind : APF_KIND_UNKNOWN);
}

int apf_file_is_partial(const struct apf_input *input)
{
    uint8_t head[PATH_KIND_HEAD];
    size_t n;
    return read_head(input, head, &n) && partial_is(head, n);
}

enum apf_family apf_path_family(const char *path)
{
    return path_has_end(path, sample_path_kind.ends)    ? APF_FAMILY_SAMPLE
           : path_has_end(path, profile_path_kind.ends) ? APF_FAMILY_INSTR
                                                        : APF_FAMILY_NONE;
}

uint32_t apf_input_families_by_name(const struct apf_input *input)
{
    uint8_t head[PATH_KIND_HEAD];
    size_t n;
    if (read_head(input, head, &n) && partial_is_of(head, n, PARTIAL_UNDECIDED))
        return partial_names(head, n);
    const char *name = input->path ? input->path : input->name;
    return name ? (uint32_t)apf_path_family(name) : APF_FAMILY_NONE;
}

/* ---- files of directories ---- */

/* A raw memory profile cannot be merged, which must be said; a partial profile may be of neither family. */
static bool any_begins(const uint8_t *p, size_t n)
{
    return family_of_bytes(p, n) != APF_FAMILY_NONE || memprof_raw_begins(p, n) || partial_is(p, n);
}

static size_t copy_ends(const char **to, const char *const *ends)
{
    size_t n = 0;
    for (; ends[n]; n++)
        to[n] = ends[n];
    to[n] = NULL;
    return n;
}

struct path_kind family_path_kind(const char *ends[FAMILY_ENDS])
{
    struct path_kind kind = {ends, any_begins};
    copy_ends(ends + copy_ends(ends, profile_path_kind.ends), sample_path_kind.ends);
    return kind;
}

int apf_check_paths(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                    struct apf_skipped *skipped, struct apf_error *error)
{
    const char *ends[FAMILY_ENDS];
    struct path_kind kind = family_path_kind(ends);
    return inputs_paths_find(path, options, &kind, paths, n, skipped, error);
}

int apf_any_merge_paths(const char *path, const struct apf_paths_options *options, const char *output,
                        char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error)
{
    const char *ends[FAMILY_ENDS];
    struct path_kind kind = family_path_kind(ends);
    return inputs_paths_to_merge(path, options, &kind, output, paths, n, skipped, error);
}
