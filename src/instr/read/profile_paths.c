/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the profiles among the files of a directory. */
#include "instr/read/profile_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "instr/memprof/memprof_raw.h"
#include "instr/memprof/memprof_yaml.h"
#include "instr/read/formats.h"
#include "instr/text/text_read.h"

/* The bytes of a file that decide. */
#define HEAD ((size_t)16 << 10)

/* ---- by name ---- */

static bool ends_with(const char *name, size_t n, const char *end)
{
    size_t n_end = strlen(end);
    return n >= n_end && memcmp(name + n - n_end, end, n_end) == 0;
}

static bool is_profile_by_name(const char *path)
{
    static const char *const packed[] = {".gz", ".zst"}, *const ends[] = {".profraw", ".profdata",
                                                                          ".proftext"};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_with(path, n, packed[i])) {
            n -= strlen(packed[i]);
            break;
        }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, n, ends[i]))
            return true;
    return false;
}

/* ---- by content ---- */

static bool has_word(const uint8_t *p, size_t n, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= n; i++)
        if (memcmp(p + i, word, length) == 0)
            return true;
    return false;
}

/* Formats of other programs begin as those of JSON, YAML and text do, so that more than their first bytes counts. */
static bool is_profile(const uint8_t *p, size_t n)
{
    const struct instr_format *format = instr_format_of(p, n);
    switch (format ? format->format : 0) {
    case 0:
        return memprof_raw_begins(p, n); /* it cannot be merged, which must be said */
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

/* Whether a file of the directory `top` is left out. Files of the runtime should be profiles, whatever they are. */
static bool is_other(const char *top, const char *path, uint8_t head[HEAD])
{
    struct apf_input input = apf_input_found(top, path);
    size_t n = 0;
    return !is_profile_by_name(path) && apf_path_role(path) == APF_PATH_ANY &&
           file_read_head(&input, head, HEAD, &n) && !is_profile(head, n);
}

/* ---- both ---- */

bool profile_paths_are_below(const char *path, char *const *paths, size_t n)
{
    return !(n == 1 && strcmp(paths[0], path) == 0);
}

int apf_profile_paths(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                      struct apf_skipped *skipped, struct apf_error *error)
{
    struct apf_skipped all = {.size = sizeof all};
    int code = RESULT_CHECK(apf_skipped, skipped, error);
    uint8_t *head = malloc(HEAD);
    if (code == APF_OK && !head)
        code = error_memory(error);
    if (code == APF_OK)
        code = apf_paths_expand(path, options, paths, n, &all, error);
    bool choose =
        code == APF_OK && profile_paths_are_below(path, *paths, *n) && !(options && options->include);
    size_t kept = 0;
    for (size_t i = 0; choose && i < *n; i++)
        if (is_other(path, (*paths)[i], head))
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
