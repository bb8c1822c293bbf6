/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_findings.h"

static const struct apf_finding rows[] = {
#define SAMPLE_FINDING_ROW(name, severity, code, text)                                                       \
    {APF_SEVERITY_##severity, APF_##code, 0, "sample.finding." #name, text},
    SAMPLE_FINDINGS(SAMPLE_FINDING_ROW)
#undef SAMPLE_FINDING_ROW
};

const struct finding_table sample_finding_table = {rows, SAMPLE_FINDING_COUNT};
