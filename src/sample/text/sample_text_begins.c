/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recognition of text profiles. */
#include <string.h>

#include "base/number.h"
#include "sample/text/sample_text_lines.h"
#include "sample/text/sample_text_read.h"

/* Whether the first line has no colon and is followed by a number without a colon, as the hash after the name in an
 * instrumentation profile. LLVM takes such a first line for the header of a sample profile. */
static bool like_instr(struct sample_text_lines lines)
{
    for (unsigned i = 0; i < 2; i++)
        if (!sample_text_next_line(&lines) || !number_is_digit(*lines.p) ||
            memchr(lines.p, ':', (size_t)(lines.line_end - lines.p)))
            return false;
    return true;
}

bool sample_text_begins(const uint8_t *data, size_t n)
{
    size_t most = n < SAMPLE_TEXT_SNIFFED_BYTES ? n : SAMPLE_TEXT_SNIFFED_BYTES;
    struct sample_text_lines lines = sample_text_lines_make(data, most), first = lines;
    bool ends = sample_text_next_line(&first) && (first.next < first.end || most == n);
    return ends && sample_text_has_header(lines) && !like_instr(lines);
}
