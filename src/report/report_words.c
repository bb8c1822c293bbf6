/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report/report_words.h"

#include "base/text_append.h"

const char *report_fate_word(uint32_t fate)
{
    static const char *const words[] = {
        [REPORT_LOST] = "not readable",          [REPORT_SALVAGED] = "damaged, partly kept",
        [REPORT_PARTLY] = "merged, with losses", [REPORT_EMPTY] = "empty",
        [REPORT_HELD] = "merged before",         [REPORT_MERGED] = "merged"};
    return words[fate];
}

const char *report_site_word(uint32_t kind)
{
    static const char *const words[] = {
        [REPORT_CALLS] = "call", [REPORT_SIZES] = "size in bytes", [REPORT_TYPES] = "type"};
    return words[kind];
}

void report_put_number(struct file_out *out, uint64_t n)
{
    char digits[DECIMAL_MAX];
    const size_t length = decimal_store((uint8_t *)digits, n);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text_append(out, ",");
        (void)file_out_write(out, digits + i, 1);
    }
}

void report_put_changes(struct file_out *out, uint32_t changes)
{
    static const char *const words[] = {"new", "gone", "hotter", "colder", "edited"};
    const char *before = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (changes >> i & 1) {
            text_append(out, before);
            text_append(out, words[i]);
            before = ", ";
        }
    if (!changes)
        text_append(out, "other counts");
}

void report_put_lead(struct file_out *out, const struct apf_report *r)
{
    report_put_number(out, r->functions.n);
    text_append(out, r->functions.n == 1 ? " function, " : " functions, ");
    report_put_number(out, r->n_cold);
    text_append(out, " of them never ran. ");
    report_put_number(out, r->quantiles[1].functions);
    text_append(out, r->quantiles[1].functions == 1 ? " function holds 90 % of all "
                                                    : " functions hold 90 % of all ");
    report_put_number(out, r->total);
    text_append(out, r->total == UINT64_MAX ? " or more " : " ");
    text_append(out, r->family == REPORT_SAMPLE ? "samples." : "counts.");
}
