/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs of code in functions that no table is known of become edges of their control flow. */
#ifndef BOLT_CONVERT_FLOW_H
#define BOLT_CONVERT_FLOW_H

#include "bolt/convert_edges.h"

/* Makes edges of c->late, when all samples are known: they say which functions to look at. */
int convert_flow(struct conversion *c, struct apf_error *error);

#endif
