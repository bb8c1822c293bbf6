/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of the samples of a conversion, on standard error. */
#ifndef CLI_FUNNEL_H
#define CLI_FUNNEL_H

#include <anyprof/bolt.h>

#include "session.h"

void funnel_print(const struct apf_bolt_funnel *funnel);
/* Warns of what is unusual. */
void funnel_warn(const struct session *session, const char *program, const struct apf_bolt_funnel *funnel);

#endif
