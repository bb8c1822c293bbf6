/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_contexts.h"

#include "base/error.h"
#include "profgen/profgen_finish.h"
#include "sample/merge/sample_cold.h"
#include "sample/merge/sample_nest.h"
#include "sample/model/sample_share.h"

int profgen_contexts_finish(struct apf_sample **s, const struct profgen_context_options *options,
                            const struct profgen_program *p, const struct profgen_counts *c,
                            struct apf_error *error)
{
    (void)options;
    (void)p;
    (void)c;
    return sample_complete(*s, error);
}
