/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/quirks.h"

#include <string.h>

static const struct apf_finding quirk_rows[] = {
#define QUIRK_ROW(name, severity, code, text) {APF_SEVERITY_##severity, APF_##code, 0, "quirk." #name, text},
    QUIRKS(QUIRK_ROW)
#undef QUIRK_ROW
};

const struct finding_table quirk_table = {quirk_rows, QUIRK_COUNT};

const char *quirk_name(enum quirk quirk)
{
    return strchr(quirk_rows[quirk].where, '.') + 1;
}
