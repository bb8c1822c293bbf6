/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report says before everything else: what has failed, and what to keep in mind. */
#include <string.h>

#include "base/text_append.h"
#include "base/text_bytes.h"
#include "page/markdown.h"
#include "page/markup.h"
#include "report/report_words.h"

bool report_add_note(struct apf_report *r, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i < r->notes.n; i++) /* the caller may know it, too */
        if (text_equal(r->notes.data[i], (struct apf_str){text, n}))
            return true;
    const struct apf_str copy = {arena_text(&r->arena, text, n), n};
    return copy.p && VEC_PUSH(&r->notes, copy);
}

bool report_note_foreign(struct apf_report *r, uint64_t n_fitting)
{
    return n_fitting || r->functions.n == 0 ||
           report_add_note(
               r, "no function of the profile fits the program, which may be another one, or another "
                  "build");
}

int apf_report_note(const struct apf_report *r, size_t i, struct apf_str *note)
{
    if (i >= r->notes.n)
        return APF_END;
    *note = r->notes.data[i];
    return APF_OK;
}

/* ---- the page ---- */

void report_put_failure(struct file_out *out, const struct apf_report *r)
{
    if (!r->failure.n)
        return;
    text_append(out, "<p class=\"lead poor\" role=\"alert\"><strong>");
    markup_text(out, r->failure);
    text_append(out, "</strong></p>\n");
}

void report_put_notes(struct file_out *out, const struct apf_report *r)
{
    if (!r->notes.n)
        return;
    text_append(out, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < r->notes.n; i++) {
        text_append(out, "<li>");
        markup_text(out, r->notes.data[i]);
        text_append(out, "</li>\n");
    }
    text_append(out, "</ul>\n");
}

/* ---- Markdown ---- */

void report_put_short_failure(struct file_out *out, const struct apf_report *r)
{
    if (!r->failure.n)
        return;
    text_append(out, "**");
    markdown_text(out, r->failure);
    text_append(out, "**\n\n");
}

void report_put_short_notes(struct file_out *out, const struct apf_report *r)
{
    for (size_t i = 0; i < r->notes.n; i++) {
        text_append(out, "- ");
        markdown_text(out, r->notes.data[i]);
        text_append(out, "\n");
    }
    text_append(out, r->notes.n ? "\n" : "");
}
