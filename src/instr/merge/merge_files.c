/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files in, one file out. */
#include <string.h>

#include "base/error.h"
#include "base/file_identity.h"
#include "base/options.h"
#include "base/vec.h"
#include "instr/merge/merge.h"
#include "instr/read/profile_paths.h"

/* ---- what a directory stands for ---- */

/* Whether a file of a directory is no input of a merge, which is counted. */
static bool is_skipped(const char *path, const struct file_identity *output, struct apf_skipped *skipped)
{
    struct file_identity file;
    switch (apf_path_role(path)) {
    case APF_PATH_SET_ASIDE:
        skipped->n_set_aside++;
        return true;
    case APF_PATH_LIVE:
        skipped->n_live++;
        return true;
    default:
        break;
    }
    if (!output->regular || file_look(&file, path, true) != 0 || !file_identity_same(&file, output))
        return false;
    skipped->n_output++;
    return true;
}

int apf_merge_paths(const char *path, const struct apf_paths_options *options, const char *output,
                    char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error)
{
    struct file_identity replaced = {0};
    struct apf_skipped all = {.size = sizeof all};
    int code = RESULT_CHECK(apf_skipped, skipped, error);
    if (code == APF_OK)
        code = apf_profile_paths(path, options, paths, n, &all, error);
    if (code != APF_OK)
        return code;
    bool directory = profile_paths_are_below(path, *paths, *n);
    if (directory && output && file_look(&replaced, output, true) != 0)
        replaced.regular = false; /* there is no such file yet */
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++)
        if (!directory || !is_skipped((*paths)[i], &replaced, &all))
            (*paths)[kept++] = (*paths)[i];
    *n = kept;
    result_fill(skipped, sizeof all, &all);
    return APF_OK;
}

/* ---- one call ---- */

/* The files that paths stand for; `lists` own the names. */
struct file_list {
    VEC(struct apf_input) inputs;
    VEC(char **) lists;
};

static void file_list_free(struct file_list *files)
{
    for (size_t i = 0; i < files->lists.n; i++)
        apf_paths_free(files->lists.data[i]);
    VEC_FREE(&files->lists);
    VEC_FREE(&files->inputs);
}

static int add_file(struct file_list *files, const char *path, const char *found, struct apf_error *error)
{
    struct apf_input input = apf_input_found(path, found);
    return VEC_PUSH(&files->inputs, input) ? APF_OK : error_memory(error);
}

/* A path that cannot be looked at becomes an input: the merge rejects it, and the tolerance decides. */
static int add_path(struct file_list *files, const char *path, const char *out, struct apf_error *error)
{
    size_t n;
    char **list;
    struct apf_error failure;
    int code = apf_merge_paths(path, NULL, out, &list, &n, NULL, &failure);
    if (code == APF_IO)
        return add_file(files, path, path, error);
    if (code != APF_OK && error)
        *error = failure;
    if (code != APF_OK)
        return code;
    if (!VEC_PUSH(&files->lists, list)) {
        apf_paths_free(list);
        return error_memory(error);
    }
    for (size_t i = 0; i < n && code == APF_OK; i++)
        code = add_file(files, path, list[i], error);
    return code;
}

static int merge(struct apf_merge *m, const struct file_list *files, const struct apf_target *target,
                 const char *out, struct apf_error *error)
{
    struct apf_write_options options = {.size = sizeof options, .target = *target};
    struct apf_output output = apf_output_file(out);
    int code = apf_merge_add(m, files->inputs.data, files->inputs.n, error);
    if (code == APF_OK) /* whatever may be lost: a file must not be replaced by an empty profile */
        code = merge_refuse_nothing(m, error);
    return code == APF_OK ? apf_merge_write(m, &options, &output, error) : code;
}

int apf_merge_files(const char *const *paths, size_t n, const char *target,
                    const struct apf_tolerance *tolerance, const char *out, struct apf_error *error)
{
    struct apf_merge_options options = {.size = sizeof options, .tolerance = tolerance};
    struct apf_target chosen;
    struct file_list files = {0};
    struct apf_merge *m = NULL;
    int code = apf_target_parse(target ? target : "auto", &chosen, error);
    for (size_t i = 0; i < n && code == APF_OK; i++)
        code = add_path(&files, paths[i], out, error);
    if (code == APF_OK && !files.inputs.n)
        code = error_plain(error, APF_ARGUMENT, "merge.inputs", "there is no file to merge");
    if (code == APF_OK)
        code = apf_merge_new(&m, &options, error);
    if (code == APF_OK)
        code = merge(m, &files, &chosen, out, error);
    apf_merge_free(m);
    file_list_free(&files);
    return code;
}
