/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines of a text profile, parsed some time before they are read, so that what a search for their names needs is on its
 * way from memory by then. Most of the time would be spent on waiting for it. */
#ifndef SAMPLE_TEXT_AHEAD_H
#define SAMPLE_TEXT_AHEAD_H

#include "sample/model/sample_names.h"
#include "sample/text/sample_text_lines.h"

#define SAMPLE_TEXT_AHEAD 16u

struct sample_text_parsed {
    const char *p;
    uint64_t number;
    struct sample_text_line line;
    bool good; /* false: the line is not what its first bytes say */
};

/* Parses the next lines, at most SAMPLE_TEXT_AHEAD, and begins to load what their first names need in the table. Lines
 * without blanks before them are parsed as headers. Returns the number of lines; 0: there are no more. */
size_t sample_text_ahead(struct sample_text_lines *lines, const struct sample_names *names,
                         struct sample_text_parsed *to);

#endif
