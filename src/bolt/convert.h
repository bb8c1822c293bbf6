/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From samples, wherever they come from, to a profile: what is behind apf_bolt_convert. */
#ifndef BOLT_CONVERT_H
#define BOLT_CONVERT_H

#include "bolt/convert_edges.h"

/* Gives all samples to convert_sample, and the names of their events, to a conversion whose program is open. */
typedef int read_samples(void *user, struct conversion *c, struct preagg_events *events,
                         struct apf_error *error);

/* As apf_bolt_convert, for other samples than pre-aggregated ones; of these there are n, for error->input. `read` NULL:
 * for these. */
int bolt_convert(const struct apf_input *program, const struct apf_input *samples, size_t n,
                 const struct apf_bolt_convert_options *options, struct apf_fdata *fdata, read_samples *read,
                 void *user, struct apf_bolt_funnel *funnel, struct apf_error *error);

#endif
