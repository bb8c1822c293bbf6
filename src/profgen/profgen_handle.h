/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The handle of apf_profgen_open. */
#ifndef PROFGEN_PROFGEN_HANDLE_H
#define PROFGEN_PROFGEN_HANDLE_H

#include <anyprof/profgen.h>

#include "profgen/profgen_accesses.h"
#include "profgen/profgen_bolted.h"
#include "profgen/profgen_contexts.h"
#include "profgen/profgen_debug.h"
#include "profgen/profgen_gcc.h"
#include "profgen/profgen_settle.h"
#include "profgen/profgen_target.h"

struct apf_profgen {
    struct profgen_program program;
    struct profgen_debug debug; /* what was asked for about debug information */
    struct apf_input input;     /* the program */
    struct apf_options options;
    uint32_t flags, pid;
    struct apf_input recorded; /* with `bolted`: what BOLT made of the program */
    struct profgen_bolted bolted;
    struct profgen_follower follower; /* of `bolted` */
    struct profgen_depths depths;
    uint32_t search_depth; /* of tail calls */
    struct profgen_context_options contexts;
    struct profgen_traces traces;
    struct profgen_counts counts; /* what was read as counts; once finished, also what was sampled */
    struct profgen_accesses accesses;
    struct apf_sample *given;    /* NULL, or the profile that was read in place of samples */
    char others[PROFGEN_OTHERS]; /* files that a text maps, or that samples of a recording are in; "": none */
    bool read;                   /* samples or counts were read */
    bool sampled;                /* samples were read, for this program alone */
    bool traced;                 /* a recording has data of a tracer */
    bool counted;                /* counts were read */
    bool finished, made;         /* finished: nothing can be read any more; made: the profile was */
    bool failed;                 /* a call failed: not all that was sampled is in the counts */
    const struct sample_release *gcc; /* the GCC that the profile is for; NULL: it is for LLVM */
    struct profgen_hits hits;         /* with `gcc`: where samples were taken */
    struct apf_profgen_funnel funnel;
};

/* The address that those of raw profiles count from. */
uint64_t profgen_raw_base(const struct apf_profgen *g);
/* What its samples are read for. */
struct profgen_target profgen_target_of(struct apf_profgen *g);
/* Brings the funnel up to date with the traces. */
void profgen_count_traces(struct apf_profgen *g);

#endif
