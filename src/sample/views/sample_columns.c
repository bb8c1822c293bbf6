/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_columns.h"

#include <math.h>

#include "base/double_text.h"
#include "base/text_append.h"

size_t sample_write_percent(struct file_out *out, double v, unsigned decimals)
{
    char digits[DOUBLE_FIXED_MAX];
    bool minus = isnan(v) || signbit(v);
    size_t n = double_fixed(digits, minus ? -v : v, decimals);
    text_append(out, minus ? "-" : "");
    if (n)
        (void)file_out_write(out, digits, n);
    else
        text_append(out, "nan");
    text_append(out, "%");
    return minus + (n ? n : 3) + 1;
}

void sample_column(struct sample_columns *c, size_t column)
{
    size_t n = column > c->at ? column - c->at : 1;
    text_blanks(c->out, n);
    c->at += n;
}

void sample_cell_text(struct sample_columns *c, const char *text)
{
    text_append(c->out, text);
    c->at += strlen(text);
}

void sample_cell_decimal(struct sample_columns *c, uint64_t v)
{
    text_decimal(c->out, v, 0);
    c->at += decimal_digits(v);
}

void sample_cell_percent(struct sample_columns *c, double v, unsigned decimals)
{
    c->at += sample_write_percent(c->out, v, decimals);
}
