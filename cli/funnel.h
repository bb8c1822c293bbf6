/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports on standard error what became of the samples of a conversion. */
#ifndef CLI_FUNNEL_H
#define CLI_FUNNEL_H

#include <anyprof/bolt.h>

#include "session.h"

void funnel_print(const struct apf_bolt_funnel *funnel);
/* Warns about unusual counters. `program` is the path of the program. */
void funnel_warn(const struct session *session, const char *program, const struct apf_bolt_funnel *funnel);
/* Whether more than `limit`, in millionths of a per cent, of the samples in the program are lost, which is reported. */
bool funnel_is_above(const struct session *session, const char *program, const struct apf_bolt_funnel *funnel,
                     uint64_t limit);

#endif
