/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a unified diff, such as that of git, svn, or diff -u: which lines of which files are new. */
#ifndef COV_PATCH_H
#define COV_PATCH_H

#include <anyprof/error.h>

#include "base/arena.h"
#include "cov/line_ranges.h"

/* A file with new or changed lines. */
struct patch_file {
    struct apf_str name; /* in the text, or in the arena */
    bool prefixed;       /* its first part is the letter that git puts before it, such as "b/" */
    size_t first, n;     /* in patch.added */
};

/* All zero = empty. */
struct patch {
    VEC(struct patch_file) files; /* in the order of the diff */
    struct line_ranges added;
    struct arena arena;
};

/* Reads a diff, which may have any text between its files; it must stay while the patch is used. Files that are
 * removed, binary, or only renamed have no new lines. APF_BAD_PATCH: there is no diff in it, a part is cut off, or it
 * is git's combined diff, whose new lines are those of several diffs. APF_NO_MEMORY. patch_free must follow either
 * way. */
int patch_read(struct patch *p, struct apf_str text, struct apf_error *error);
void patch_free(struct patch *p);

#endif
