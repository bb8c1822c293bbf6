/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs of code in functions that no table is known of become edges of their control flow. */
#ifndef BOLT_CONVERT_FLOW_H
#define BOLT_CONVERT_FLOW_H

#include "bolt/convert_edges.h"

/* They come last, when it is known which functions to look at. False: memory is out. */
bool convert_flow_put_off(struct conversion *c, const struct sample *s, bool is_return) MUST_USE;
int convert_flow(struct conversion *c, struct apf_error *error);

#endif
