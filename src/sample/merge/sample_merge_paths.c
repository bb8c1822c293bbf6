/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sample profiles below a directory; files in, one file out. */
#include "sample/merge/sample_merge_paths.h"

#include <string.h>

#include "inputs/inputs_files.h"
#include "inputs/inputs_verdict.h"
#include "partial/partial_read.h"
#include "sample/merge/sample_merge.h"
#include "sample/read/sample_formats.h"

/* Any text with two colons in its first line may be a text profile, so that the name of the file in a tar archive is
 * one; text has no byte 0. */
static bool is_profile(const uint8_t *p, size_t n)
{
    if (partial_is(p, n))
        return !partial_is_of(p, n, PARTIAL_INSTR);
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

static int merge(struct apf_sample_merge *m, const struct inputs_files *files,
                 const struct apf_sample_target *target, const char *out, struct apf_error *error)
{
    struct apf_sample_write_options options = {.size = sizeof options, .target = *target};
    struct apf_output output = apf_output_file(out);
    int code = apf_sample_merge_add(m, files->inputs.data, files->inputs.n, error);
    if (code == APF_OK) /* whatever may be lost: a file must not be replaced by an empty profile */
        code = inputs_refuse_nothing(&m->kept, error);
    return code == APF_OK ? apf_sample_merge_write(m, &options, &output, NULL, error) : code;
}

int apf_sample_merge_files(const char *const *paths, size_t n, const char *target,
                           const struct apf_tolerance *tolerance, const char *out, struct apf_error *error)
{
    struct apf_sample_merge_options options = {.size = sizeof options, .tolerance = tolerance};
    struct apf_sample_target chosen;
    struct inputs_files files = {0};
    struct apf_sample_merge *m = NULL;
    int code = apf_sample_target_parse(target ? target : "auto", &chosen, error);
    if (code == APF_OK)
        code = inputs_files_find(&files, paths, n, &sample_path_kind, out, error);
    if (code == APF_OK)
        code = apf_sample_merge_new(&m, &options, error);
    if (code == APF_OK)
        code = merge(m, &files, &chosen, out, error);
    apf_sample_merge_free(m);
    inputs_files_free(&files);
    return code;
}
