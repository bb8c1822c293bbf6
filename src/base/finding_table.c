/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/finding_table.h"

#include "base/error.h"

const struct apf_finding *finding_table_list(const struct finding_table *table, const uint64_t *counts,
                                             struct arena *arena, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < table->n; i++)
        *n += counts[i] != 0;
    struct apf_finding *findings = arena_array(arena, *n, sizeof *findings);
    for (size_t i = 0, at = 0; findings && i < table->n; i++) {
        if (!counts[i])
            continue;
        findings[at] = table->rows[i];
        findings[at++].n = counts[i];
    }
    return findings;
}

void finding_table_counts(const struct finding_table *table, const struct apf_finding *findings, size_t n,
                          uint64_t *counts)
{
    for (size_t k = 0; k < table->n; k++)
        counts[k] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < table->n; k++)
            if (table->rows[k].where == findings[i].where)
                counts[k] = findings[i].n;
}

int finding_table_report(const struct finding_table *table, const uint64_t *counts, uint64_t input,
                         struct apf_str source, apf_diag_fn *diag, void *user, struct apf_error *error)
{
    for (size_t i = 0; diag && i < table->n; i++) {
        const struct apf_finding *row = &table->rows[i];
        if (!counts[i])
            continue;
        struct apf_error detail;
        error_set_plain(&detail, row->code, row->where, "%s (%llu)", row->text,
                        (unsigned long long)counts[i]);
        detail.input = input;
        detail.found = counts[i];
        struct apf_diag d = {row->severity, row->code, input, source, {NULL, 0}, 0, &detail};
        int code = error_report_diag(diag, user, &d, error);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}
