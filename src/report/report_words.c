/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report/report_words.h"

#include <float.h>
#include <string.h>

#include "base/text_append.h"

const struct report_words *report_words(const struct apf_report *r)
{
    static const struct report_words words[] = {
        [REPORT_INSTR] = {"counts", "never ran", "Counts", "Largest", "Entries", "Counters",
                          "Counters by how much they have counted"},
        [REPORT_SAMPLE] = {"samples", "never ran", "Samples", "Largest", "Entries", "Lines",
                           "Lines by their samples"},
        [REPORT_BOLT] = {"branches", "had no branches", "Branches", "Largest", "Entries", "Places",
                         "Places by their branches"},
        [REPORT_MEMORY] = {"bytes", "allocated nothing", "Bytes", "Largest", "Allocations", "Contexts",
                           "Allocation contexts by their bytes"},
        [REPORT_PROBES] = {"probes", "had no probes", "Probes", "Largest", "Copies", "Inlined",
                           "Copies of functions by their probes"},
    };
    static const struct report_words first = {"counts",
                                              "never ran",
                                              "Counts",
                                              "Largest",
                                              "First counter",
                                              "Counters",
                                              "Counters by how much they have counted"};
    static const struct report_words instructions = {
        "samples", "had no samples", "Samples", "Largest", "Entries", "Places", "Places by their samples"};
    return r->family == REPORT_INSTR && r->has_first_counters  ? &first
           : r->family == REPORT_BOLT && r->is_of_instructions ? &instructions
                                                               : &words[r->family];
}

const struct report_part_words report_part_words[REPORT_PARTS] = {
    [REPORT_PART_PROGRAM] = {"program", "Program"},
    [REPORT_PART_SAMPLES] = {"samples", "Samples"},
    [REPORT_PART_BRANCHES] = {"branches", "Mispredictions"},
    [REPORT_PART_MEMORY] = {"memory", "Memory"},
};

const char *report_state_word(uint32_t state)
{
    static const char *const words[] = {[REPORT_UNCOMPARED] = "",
                                        [REPORT_FITS] = "fits",
                                        [REPORT_STALE] = "stale",
                                        [REPORT_FOREIGN] = "not in it",
                                        [REPORT_OTHER_BUILD] = "of another build"};
    return words[state];
}

const char *report_fate_word(const struct apf_report *r, uint32_t fate)
{
    static const char *const words[] = {[REPORT_LOST] = "not used",
                                        [REPORT_SALVAGED] = "damaged, partly kept",
                                        [REPORT_PARTLY] = "merged, with losses",
                                        [REPORT_EMPTY] = "empty",
                                        [REPORT_HELD] = "merged before",
                                        [REPORT_MERGED] = "merged"};
    return !r->failure.n           ? words[fate]
           : fate == REPORT_MERGED ? "good, but not written"
           : fate == REPORT_PARTLY ? "good in part, but not written"
                                   : words[fate];
}

const char *report_site_word(uint32_t kind)
{
    static const char *const words[] = {
        [REPORT_CALLS] = "call",       [REPORT_SIZES] = "size in bytes",
        [REPORT_TYPES] = "type",       [REPORT_OFFSET_CALLS] = "call or jump",
        [REPORT_BLOCK_CALLS] = "call",
    };
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

void report_put_percent(struct file_out *out, double share)
{
    double percent = 100 * share;
    // double_fixed() rounds a half to the even digit, the page, with toFixed() of JavaScript, to the larger one. Such
    // halves are multiples of 1/16, and the next number is nearer to the larger one.
    if (percent * 16 == (double)(uint64_t)(percent * 16))
        percent *= 1 + DBL_EPSILON;
    // As on the page, small shares have a third digit, unless they are 0.000 %.
    text_fixed(out, percent, share >= 0.000005 && share < 0.001 ? 3 : 2, 0);
    text_append(out, " %");
}

void report_put_comparison(struct file_out *out, const struct apf_report *r)
{
    const struct report_comparison *c = &r->comparison;
    report_put_percent(out, c->moved);
    text_append(out, " of all ");
    text_append(out, report_words(r)->unit);
    text_append(out, " moved; the overlap is ");
    report_put_percent(out, c->overlap);
    text_append(out, ". ");
    report_put_number(out, c->list.n);
    text_append(out, c->list.n == 1 ? " function differs, " : " functions differ, ");
    report_put_number(out, c->equal);
    text_append(out, c->equal == 1 ? " is equal." : " are equal.");
}

const char *const report_change_words[REPORT_CHANGES + 1] = {"new",    "gone",   "hotter",
                                                             "colder", "edited", "other counts"};

void report_put_changes(struct file_out *out, uint32_t changes)
{
    const char *before = "";
    for (size_t i = 0; i < REPORT_CHANGES; i++)
        if (changes >> i & 1) {
            text_append(out, before);
            text_append(out, report_change_words[i]);
            before = ", ";
        }
    if (!changes)
        text_append(out, report_change_words[REPORT_CHANGES]);
}

void report_put_lead(struct file_out *out, const struct apf_report *r)
{
    const struct report_words *words = report_words(r);
    report_put_number(out, r->functions.n);
    text_append(out, r->functions.n == 1 ? " function, " : " functions, ");
    report_put_number(out, r->n_cold);
    text_append(out, " of them ");
    text_append(out, words->never);
    text_append(out, ". ");
    if (r->total == 0) {
        text_append(out, "There are no ");
        text_append(out, words->unit);
        text_append(out, ".");
        return;
    }
    report_put_number(out, r->quantiles[1].functions);
    text_append(out, r->quantiles[1].functions == 1 ? " function holds 90 % of all "
                                                    : " functions hold 90 % of all ");
    report_put_number(out, r->total);
    text_append(out, r->total == UINT64_MAX ? " or more " : " ");
    text_append(out, words->unit);
    text_append(out, ".");
}
