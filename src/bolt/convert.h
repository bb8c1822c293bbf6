/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The conversion of samples of any source to a profile, for apf_bolt_convert. */
#ifndef BOLT_CONVERT_H
#define BOLT_CONVERT_H

#include "bolt/convert_edges.h"

/* Passes all samples to convert_sample, and adds the names of their events. The program of the conversion is open. */
typedef int read_samples(void *user, struct conversion *c, struct text_set *events, struct apf_error *error);

/* Inputs and outputs of a conversion. */
struct bolt_work {
    const struct apf_input *program, *samples;
    size_t n;                                       /* samples */
    const struct apf_bolt_convert_options *options; /* completed: all fields are set */
    struct apf_fdata *fdata;                        /* NULL: no fdata is wanted */
    struct apf_bolt_yaml *yaml;                     /* NULL: no YAML is wanted */
    read_samples *read;
    void *user;
};

/* The name of the program in profiles and in recordings. */
const char *bolt_program_name(const struct bolt_work *work);
/* A read_samples for pre-aggregated samples; user: the struct bolt_work. */
int bolt_read_preagg(void *user, struct conversion *c, struct text_set *events, struct apf_error *error);
int bolt_convert(const struct bolt_work *work, struct apf_bolt_funnel *funnel, struct apf_error *error);

#endif
