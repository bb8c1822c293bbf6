/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file has the name of a function once, and listings write it with each probe: a long name would make the output grow
 * with the square of the input. So long names get a budget for each listing, which real programs do not use up. */
#ifndef PROBE_NAME_BUDGET_H
#define PROBE_NAME_BUDGET_H

#include "base/text_append.h"
#include "probe/probe_model.h"

struct name_budget {
    uint64_t left; /* bytes that long names may still have together */
};

struct name_budget name_budget_start(const struct apf_probes *probes);
/* Whether a name of n bytes may be written, which counts it. Short names always may. */
bool name_budget_spend(struct name_budget *budget, size_t n);
/* A terminated name, or more of it than may be written. */
struct apf_str name_budget_text(const struct name_budget *budget, const char *text);
/* Writes the name of a function as text_function does; over budget only its start and "...", and if the GUID is not 0
 * also that and the length of the name. */
void name_budget_write(struct name_budget *budget, struct file_out *out, struct apf_str name, uint64_t guid);

#endif
