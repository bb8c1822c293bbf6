/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the files of a kind among those of a directory. */
#include "inputs/inputs_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_identity.h"
#include "base/options.h"

/* ---- files of a kind ---- */

static bool ends_with(const char *name, size_t n, const char *end)
{
    size_t n_end = strlen(end);
    return n >= n_end && memcmp(name + n - n_end, end, n_end) == 0;
}

bool path_has_end(const char *path, const char *const *ends)
{
    static const char *const packed[] = {".gz", ".zst"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_with(path, n, packed[i])) {
            n -= strlen(packed[i]);
            break;
        }
    for (; *ends; ends++)
        if (ends_with(path, n, *ends))
            return true;
    return false;
}

/* Whether a file of the directory `top` is left out. Files of the runtime should be profiles, whatever they are. */
static bool is_other(const char *top, const char *path, const struct path_kind *kind,
                     uint8_t head[PATH_KIND_HEAD])
{
    struct apf_input input = apf_input_found(top, path);
    size_t n = 0;
    return !path_has_end(path, kind->ends) && apf_path_role(path) == APF_PATH_ANY &&
           file_read_head(&input, head, PATH_KIND_HEAD, &n) && !kind->begins(head, n);
}

/* Whether the n paths that `path` stands for were found in a directory. */
static bool are_below(const char *path, char *const *paths, size_t n)
{
    return !(n == 1 && strcmp(paths[0], path) == 0);
}

int inputs_paths_find(const char *path, const struct apf_paths_options *options, const struct path_kind *kind,
                      char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error)
{
    struct apf_skipped all = {.size = sizeof all};
    int code = RESULT_CHECK(apf_skipped, skipped, error);
    uint8_t *head = malloc(PATH_KIND_HEAD);
    if (code == APF_OK && !head)
        code = error_memory(error);
    if (code == APF_OK)
        code = apf_paths_expand(path, options, paths, n, &all, error);
    bool choose = code == APF_OK && are_below(path, *paths, *n) && !(options && options->include);
    size_t kept = 0;
    for (size_t i = 0; choose && i < *n; i++)
        if (is_other(path, (*paths)[i], kind, head))
            all.n_others++;
        else
            (*paths)[kept++] = (*paths)[i];
    if (choose)
        *n = kept;
    if (code == APF_OK)
        result_fill(skipped, sizeof all, &all);
    free(head);
    return code;
}

/* ---- inputs of a merge ---- */

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

int inputs_paths_to_merge(const char *path, const struct apf_paths_options *options,
                          const struct path_kind *kind, const char *output, char ***paths, size_t *n,
                          struct apf_skipped *skipped, struct apf_error *error)
{
    struct file_identity replaced = {0};
    struct apf_skipped all = {.size = sizeof all};
    int code = RESULT_CHECK(apf_skipped, skipped, error);
    if (code == APF_OK)
        code = inputs_paths_find(path, options, kind, paths, n, &all, error);
    if (code != APF_OK)
        return code;
    bool directory = are_below(path, *paths, *n);
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
