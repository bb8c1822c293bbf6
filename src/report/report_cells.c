/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report/report_cells.h"

#include "base/text_append.h"
#include "page/markup.h"
#include "report/report_words.h"

void cells_put_text(struct file_out *out, const char *element, struct apf_str text)
{
    text_append(out, "<");
    text_append(out, element);
    text_append(out, ">");
    markup_text(out, text);
    text_append(out, "</");
    text_append(out, element);
    text_append(out, ">");
}

/* Bytes of a name in tables, where one name may stand often: those of its beginning, and of its end. */
#define NAME_HEAD 600u
#define NAME_TAIL 400u

void cells_put_name(struct file_out *out, const struct apf_report *r, uint32_t name)
{
    struct apf_str head = r->names.data[name].shown, tail = {NULL, 0};
    if (head.n > NAME_HEAD + NAME_TAIL) {
        tail = (struct apf_str){head.p + head.n - NAME_TAIL, NAME_TAIL};
        head.n = NAME_HEAD;
    }
    text_append(out, "<code>");
    markup_text(out, head);
    text_append(out, tail.n ? "&hellip;" : "");
    markup_text(out, tail);
    text_append(out, "</code>");
}

void cells_put_cell(struct file_out *out, uint64_t n)
{
    text_append(out, "<td class=\"n\">");
    report_put_number(out, n);
    text_append(out, "</td>");
}

void cells_put_chart_of(struct file_out *out, const char *name, const char *before, const char *word,
                        const char *after)
{
    text_append(out, "<figure class=\"chart\" data-chart=\"");
    text_append(out, name);
    text_append(out, "\" hidden><figcaption>");
    text_append(out, before);
    text_append(out, word);
    text_append(out, after);
    text_append(out, "</figcaption></figure>\n");
}

void cells_put_chart(struct file_out *out, const char *name, const char *label)
{
    cells_put_chart_of(out, name, label, "", "");
}
