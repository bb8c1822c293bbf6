/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From samples, wherever they come from, to a profile: what is behind apf_bolt_convert. */
#ifndef BOLT_CONVERT_H
#define BOLT_CONVERT_H

#include "bolt/convert_edges.h"

/* Gives all samples to convert_sample, and the names of their events, to a conversion whose program is open. */
typedef int read_samples(void *user, struct conversion *c, struct preagg_events *events,
                         struct apf_error *error);

/* What is read, and what is made of it. */
struct bolt_work {
    const struct apf_input *program, *samples;
    size_t n;                                       /* samples */
    const struct apf_bolt_convert_options *options; /* all fields are there */
    struct apf_fdata *fdata;                        /* NULL: none is made */
    struct apf_bolt_yaml *yaml;                     /* the same */
    read_samples *read;
    void *user;
};

/* What the program is called, in profiles and in recordings. */
const char *bolt_program_name(const struct bolt_work *work);
/* A read_samples for pre-aggregated ones; user: the struct bolt_work. */
int bolt_read_preagg(void *user, struct conversion *c, struct preagg_events *events, struct apf_error *error);
int bolt_convert(const struct bolt_work *work, struct apf_bolt_funnel *funnel, struct apf_error *error);

#endif
