/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/summary_text.h"

#include "base/text_append.h"

/* Appends a cutoff in millionths as a percentage, like "%.6g" of a float, whose digits are exact in a double. */
static void append_cutoff(struct file_out *out, uint64_t cutoff)
{
    double v = (double)(100.0F * (float)cutoff / 1000000.0F), unit = 1;
    unsigned decimals = 0;
    while (v != 0 && v * unit < 100000 && decimals < 9) {
        unit *= 10;
        decimals++;
    }
    uint64_t scaled = (uint64_t)(v * unit);
    double rest = v * unit - (double)scaled;
    scaled += rest > 0.5 || (rest == 0.5 && scaled & 1);
    for (; decimals && scaled % 10 == 0; decimals--)
        scaled /= 10;
    uint64_t whole = 1;
    for (unsigned i = 0; i < decimals; i++)
        whole *= 10;
    text_decimal(out, scaled / whole, 0);
    if (!decimals)
        return;
    text_append(out, ".");
    for (uint64_t digit = whole / 10; digit > 1 && scaled % whole < digit; digit /= 10)
        text_append(out, "0");
    text_decimal(out, scaled % whole, 0);
}

/* LLVM computes the percentages in single precision. */
void text_summary_row(struct file_out *out, uint64_t n_blocks, uint64_t n_counts, uint64_t min_count,
                      uint64_t cutoff)
{
    float share = n_counts ? 100.0F * (float)n_blocks / (float)n_counts : 0.0F;
    text_decimal(out, n_blocks, 0);
    text_append(out, " blocks (");
    text_fixed(out, (double)share, 2, 0);
    text_append(out, "%) with count >= ");
    text_decimal(out, min_count, 0);
    text_append(out, " account for ");
    append_cutoff(out, cutoff);
    text_append(out, "% of the total counts.\n");
}
