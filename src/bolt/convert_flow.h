/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs of code in functions without a table become edges of their control flow. */
#ifndef BOLT_CONVERT_FLOW_H
#define BOLT_CONVERT_FLOW_H

#include "bolt/convert_edges.h"

/* Makes edges of c->late, after all samples were read: the samples select the functions to decode. */
int convert_flow(struct conversion *c, struct apf_error *error);

#endif
