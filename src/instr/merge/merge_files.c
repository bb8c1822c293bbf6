/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files in, one file out. */
#include "inputs/inputs_files.h"
#include "inputs/inputs_verdict.h"
#include "instr/merge/merge.h"
#include "instr/read/profile_paths.h"

int apf_merge_paths(const char *path, const struct apf_paths_options *options, const char *output,
                    char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error)
{
    return inputs_paths_to_merge(path, options, &profile_path_kind, output, paths, n, skipped, error);
}

static int merge(struct apf_merge *m, const struct inputs_files *files, const struct apf_target *target,
                 const char *out, struct apf_error *error)
{
    struct apf_write_options options = {.size = sizeof options, .target = *target};
    struct apf_output output = apf_output_file(out);
    int code = apf_merge_add(m, files->inputs.data, files->inputs.n, error);
    if (code == APF_OK) /* whatever may be lost: a file must not be replaced by an empty profile */
        code = inputs_refuse_nothing(&m->kept, error);
    return code == APF_OK ? apf_merge_write(m, &options, &output, error) : code;
}

int apf_merge_files(const char *const *paths, size_t n, const char *target,
                    const struct apf_tolerance *tolerance, const char *out, struct apf_error *error)
{
    struct apf_merge_options options = {.size = sizeof options, .tolerance = tolerance};
    struct apf_target chosen;
    struct inputs_files files = {0};
    struct apf_merge *m = NULL;
    int code = apf_target_parse(target ? target : "auto", &chosen, error);
    if (code == APF_OK)
        code = inputs_files_find(&files, paths, n, &profile_path_kind, out, error);
    if (code == APF_OK)
        code = apf_merge_new(&m, &options, error);
    if (code == APF_OK)
        code = merge(m, &files, &chosen, out, error);
    apf_merge_free(m);
    inputs_files_free(&files);
    return code;
}
