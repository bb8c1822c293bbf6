/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes a sample profile of what ran in a program with pseudo probes. */
#ifndef PROFGEN_PROFGEN_PROBES_H
#define PROFGEN_PROFGEN_PROBES_H

#include "probe/probe_model.h"
#include "profgen/profgen_counts.h"
#include "profgen/profgen_cover.h"
#include "sample/model/sample_profile.h"

/* What became of ranges and branches, in sums of counts. */
struct profgen_probe_counts {
    uint64_t counts;  /* of probes; of them: */
    uint64_t unnamed; /* of functions whose names are not known, or stand for many: they are left out */
    uint64_t calls;   /* branches to entries of functions; of them: */
    uint64_t calls_unprobed; /* from where no call probe is: not in the profile */
    uint64_t cut;            /* functions in contexts that are too long: older callers are not in them */
    uint64_t unsearched;     /* functions in contexts for which not all tail calls were searched */
};

/* Fills an empty profile, which is sealed then. */
int profgen_probes_make(struct apf_sample *s, struct profgen_probe_counts *counts,
                        const struct profgen_program *p, const struct profgen_counts *t,
                        struct apf_error *error);
/* The first call probe at an address; NULL: there is none. */
const struct apf_probe *profgen_find_call(const struct profgen_program *p, uint64_t address);

#endif
