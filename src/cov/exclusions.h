/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines that comments in the source leave out, as lcov, gcovr and other tools have it: LCOV_EXCL_LINE, LCOV_EXCL_START
 * to LCOV_EXCL_STOP, and for branches only LCOV_EXCL_BR_LINE, _BR_START, _BR_STOP; also with GCOV and GCOVR. */
#ifndef COV_EXCLUSIONS_H
#define COV_EXCLUSIONS_H

#include "base/text_set.h"
#include "cov/line_ranges.h"
#include "cov/source_text.h"

/* The begin of a part that has no end, or an end without a begin. */
struct unpaired_marker {
    uint64_t line;
    bool stops, branches;
};

struct excluded_lines {
    struct line_ranges lines;             /* all of them */
    struct line_ranges branches;          /* of which the branches are left out */
    VEC(struct unpaired_marker) unpaired; /* by line */
    bool there;                           /* the file could be read */
    int sys_errno;                        /* else why not, as in struct source_text */
};

/* For each number of a name of a file. All zero = empty: nothing is excluded. */
struct exclusions {
    VEC(struct excluded_lines) files;
};

/* Finds the markers in a text. False: an allocation failed. */
bool excluded_lines_find(struct excluded_lines *e, const struct source_text *text);
void excluded_lines_free(struct excluded_lines *e);
/* Reads all files; those that cannot be read have no markers. */
int exclusions_read(struct exclusions *e, const struct text_set *names, struct source_texts *texts,
                    struct apf_error *error);
void exclusions_free(struct exclusions *e);

/* The lines of a file; NULL: none. */
static inline const struct excluded_lines *exclusions_of(const struct exclusions *e, uint32_t file)
{
    return file < e->files.n ? &e->files.data[file] : NULL;
}

#endif
