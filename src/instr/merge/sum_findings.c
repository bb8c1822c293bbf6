/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/sum_findings.h"

#include <stdio.h>

#include "base/error.h"

/* Reports a finding about a function, with the first input that has the sum. */
static int report_sum(const struct sum_findings *f, const struct sum *s, struct apf_error *detail,
                      struct apf_error *error)
{
    if (!f->diag)
        return APF_OK;
    struct apf_str name = symbols_name(f->symbols, renames_apply(f->keys, s->id)), input = {NULL, 0};
    uint64_t number = UINT64_MAX;
    if (s->input != INPUT_NONE)
        number = f->find_input(f->inputs, s->input, &input);
    detail->input = s->input != INPUT_NONE ? number : 0;
    struct apf_diag d = {APF_SEVERITY_WARNING, detail->code, UINT64_MAX, input, name, s->hash, detail};
    d.input = number;
    return error_report_diag(f->diag, f->user, &d, error);
}

/* Sets an error whose message is LLVM's, which names no numbers, with the reason in brackets after it. */
static void set_reason(struct apf_error *detail, int code, const char *reason)
{
    error_set_plain(detail, code, "merge.record", NULL);
    error_add(detail, " [%s]", reason);
}

int sum_report_sizes(const struct sum_findings *f, int code, const struct sum *s, uint64_t found,
                     uint64_t expected, struct apf_error *error)
{
    struct apf_error detail;
    char reason[120];
    const char *what = code == APF_COUNT_MISMATCH    ? "counters"
                       : code == APF_BITMAP_MISMATCH ? "bytes of bitmap"
                                                     : "value sites";
    snprintf(reason, sizeof reason, "%s: %llu here, %llu in other inputs", what, (unsigned long long)found,
             (unsigned long long)expected);
    set_reason(&detail, code, reason);
    detail.found = found;
    detail.expected = expected;
    return report_sum(f, s, &detail, error);
}

int sum_report_overflow(const struct sum_findings *f, const struct sum *s, struct apf_error *error)
{
    struct apf_error detail;
    set_reason(&detail, APF_COUNTER_OVERFLOW, "the sum of all inputs is cut; this is the first one");
    return report_sum(f, s, &detail, error);
}

int sum_report_pseudo(const struct sum_findings *f, const struct sum *s, struct apf_error *error)
{
    struct apf_error detail;
    set_reason(&detail, APF_COUNT_MISMATCH,
               s->flags & APF_RECORD_PSEUDO ? "it is only marked as hot or warm, other inputs have counts"
                                            : "it has counts, other inputs only mark it as hot or warm");
    return report_sum(f, s, &detail, error);
}
