/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of one kind among those of a directory: apf_profile_paths and apf_merge_paths, and the like for other kinds
 * of files. */
#ifndef INPUTS_PATHS_H
#define INPUTS_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

/* The first bytes of a file that decide whether it is of a kind. */
#define PATH_KIND_HEAD ((size_t)16 << 10)

/* How files of a kind are told from others. A file is of the kind by its name or by its first bytes. */
struct path_kind {
    /* Ends of names, such as ".profraw", that the file may have before ".gz" or ".zst"; NULL after the last. Such files
     * are listed whatever is in them, so that reading them reports what is wrong. */
    const char *const *ends;
    /* Whether a file with other ends of names is of the kind. p: the first bytes of the file, unpacked, at most
     * PATH_KIND_HEAD; n is less only if the file has no more. It may be called on the calling thread only. */
    bool (*begins)(const uint8_t *p, size_t n);
};

/* Whether the name of a file has one of these ends, before ".gz" or ".zst". `ends` is as in struct path_kind. */
bool path_has_end(const char *path, const char *const *ends);

/* apf_paths_expand that lists only files of a kind, if `path` is a directory and options->include chooses none; the
 * others are counted in skipped->n_others. Files that cannot be read, and files with a role (apf_path_role), are
 * listed. */
int inputs_paths_find(const char *path, const struct apf_paths_options *options, const struct path_kind *kind,
                      char ***paths, size_t *n, struct apf_skipped *skipped, struct apf_error *error);

/* inputs_paths_find for a merge: of a directory, the file at `output` (NULL: none is known) and files with the roles
 * APF_PATH_SET_ASIDE and APF_PATH_LIVE are left out, and counted in *skipped. */
int inputs_paths_to_merge(const char *path, const struct apf_paths_options *options,
                          const struct path_kind *kind, const char *output, char ***paths, size_t *n,
                          struct apf_skipped *skipped, struct apf_error *error);

#endif
