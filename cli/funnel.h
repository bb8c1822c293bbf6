/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of samples, on standard error. */
#ifndef CLI_FUNNEL_H
#define CLI_FUNNEL_H

#include <anyprof/bolt.h>

#include "command.h"

void funnel_print(const struct apf_bolt_funnel *funnel);
/* What is odd about it, as warnings. */
void funnel_warn(const struct session *session, const char *program, const struct apf_bolt_funnel *funnel);

#endif
