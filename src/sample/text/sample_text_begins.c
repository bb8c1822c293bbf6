/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognition of text profiles. */
#include <string.h>

#include "base/number.h"
#include "sample/text/sample_text_lines.h"
#include "sample/text/sample_text_read.h"

/* Moves to the next line. False: there is none, or it is not a number without a colon. */
static bool next_is_number(struct sample_text_lines *lines)
{
    return sample_text_next_line(lines) && number_is_digit(*lines->p) &&
           !memchr(lines->p, ':', (size_t)(lines->line_end - lines->p));
}

/* Whether an instrumentation profile may begin so: with a number, or a name with colons, before its hash and the number
 * of counters. LLVM takes both for headers of a sample profile. */
static bool like_instr(struct sample_text_lines lines)
{
    struct sample_text_lines first = lines;
    if (next_is_number(&first))
        return next_is_number(&first);
    return sample_text_next_line(&lines) && next_is_number(&lines) && next_is_number(&lines);
}

bool sample_text_begins(const uint8_t *data, size_t n)
{
    size_t most = n < SAMPLE_TEXT_SNIFFED_BYTES ? n : SAMPLE_TEXT_SNIFFED_BYTES;
    struct sample_text_lines lines = sample_text_lines_make(data, most), first = lines;
    bool ends = sample_text_next_line(&first) && (first.next < first.end || most == n);
    return ends && sample_text_has_header(lines) && !like_instr(lines);
}
