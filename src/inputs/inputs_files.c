/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_files.h"

#include "base/error.h"

void inputs_files_free(struct inputs_files *files)
{
    for (size_t i = 0; i < files->lists.n; i++)
        apf_paths_free(files->lists.data[i]);
    VEC_FREE(&files->lists);
    VEC_FREE(&files->inputs);
}

static int add_file(struct inputs_files *files, const char *path, const char *found, struct apf_error *error)
{
    struct apf_input input = apf_input_found(path, found);
    return VEC_PUSH(&files->inputs, input) ? APF_OK : error_memory(error);
}

static int add_path(struct inputs_files *files, const char *path, const struct path_kind *kind,
                    const char *output, struct apf_error *error)
{
    size_t n;
    char **list;
    struct apf_error failure;
    int code = inputs_paths_to_merge(path, NULL, kind, output, &list, &n, NULL, &failure);
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

int inputs_files_find(struct inputs_files *files, const char *const *paths, size_t n,
                      const struct path_kind *kind, const char *output, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < n && code == APF_OK; i++)
        code = add_path(files, paths[i], kind, output, error);
    if (code == APF_OK && !files->inputs.n)
        code = error_plain(error, APF_ARGUMENT, "merge.inputs", "there is no profile to merge%s%.100s",
                           n ? " in " : "", n ? paths[0] : "");
    return code;
}
