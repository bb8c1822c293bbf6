/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/quirks.h"

#include <string.h>

#include "base/error.h"

static const struct apf_finding quirk_rows[] = {
#define QUIRK_ROW(name, severity, code, text) {APF_SEVERITY_##severity, APF_##code, 0, "quirk." #name, text},
    QUIRKS(QUIRK_ROW)
#undef QUIRK_ROW
};

const char *quirk_name(enum quirk quirk)
{
    return strchr(quirk_rows[quirk].where, '.') + 1;
}

const struct apf_finding *quirks_findings(const uint64_t quirks[QUIRK_COUNT], struct arena *arena, size_t *n)
{
    *n = 0;
    for (unsigned i = 0; i < QUIRK_COUNT; i++)
        *n += quirks[i] != 0;
    struct apf_finding *findings = arena_array(arena, *n, sizeof *findings);
    for (unsigned i = 0, at = 0; findings && i < QUIRK_COUNT; i++) {
        if (!quirks[i])
            continue;
        findings[at] = quirk_rows[i];
        findings[at++].n = quirks[i];
    }
    return findings;
}

int quirks_report(const uint64_t quirks[QUIRK_COUNT], uint64_t input, struct apf_str source,
                  apf_diag_fn *diag, void *user, struct apf_error *error)
{
    for (unsigned i = 0; diag && i < QUIRK_COUNT; i++) {
        const struct apf_finding *row = &quirk_rows[i];
        if (!quirks[i])
            continue;
        struct apf_error detail;
        error_set_plain(&detail, row->code, row->where, "%s (%llu)", row->text,
                        (unsigned long long)quirks[i]);
        detail.input = input;
        detail.found = quirks[i];
        struct apf_diag d = {row->severity, row->code, input, source, {NULL, 0}, 0, &detail};
        int code = error_report_diag(diag, user, &d, error);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}
