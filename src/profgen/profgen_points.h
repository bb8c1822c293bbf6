/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places of instructions in the source: in which function, at which line of it, and where that one is inlined. */
#ifndef PROFGEN_PROFGEN_POINTS_H
#define PROFGEN_PROFGEN_POINTS_H

#include "profgen/profgen_program.h"
#include "sample/model/sample_profile.h"

/* A function, or one that was inlined at a place of its caller. */
struct profgen_inlining {
    uint64_t at;     /* the place of the call; 0 at the top level */
    uint32_t caller; /* a smaller number; SAMPLE_NONE: at the top level */
    uint32_t name;
};

struct profgen_point {
    uint64_t address;
    uint64_t at;       /* the place in the innermost function */
    uint64_t raw;      /* the same, with the whole discriminator */
    uint32_t inlining; /* of the innermost function; SAMPLE_NONE: no function is known */
    uint32_t callers;  /* equal where all places of calls around are, with their whole discriminators */
    uint32_t depth;    /* functions around, and itself; 0: none is known */
    uint32_t copies;   /* how often the instruction stands for one of the source, as in unrolled loops */
};

struct profgen_points {
    const struct profgen_program *program;
    struct sample_names *names;
    VEC(struct profgen_inlining) inlinings;
    struct hash_index inlining_index;
    VEC(struct profgen_inlining) callers; /* likewise, with whole discriminators */
    struct hash_index caller_index;
    VEC(struct profgen_point) list;
    struct hash_index index;
    struct hash_index name_index; /* of `texts`, by their addresses */
    VEC(const char *) texts;      /* names of debug information, each once by its address */
    VEC(uint32_t) numbers;        /* their numbers */
};

/* Whether the function of a frame has a name, which is not empty. */
static inline bool profgen_has_name(const struct source_frame *frame)
{
    return frame->function && *frame->function;
}

/* The place of a frame in its function, with a discriminator. */
uint64_t profgen_place_of(const struct source_frame *frame, uint32_t discriminator);
/* The id of the probe that a discriminator stands for. */
uint32_t profgen_probe_of(uint32_t discriminator);
/* Names are added to `names`. profgen_points_close must follow. */
void profgen_points_open(struct profgen_points *t, const struct profgen_program *p,
                         struct sample_names *names);
void profgen_points_close(struct profgen_points *t);
/* The point of an address; valid until the next call. */
int profgen_points_find(struct profgen_points *t, uint64_t address, const struct profgen_point **point,
                        struct apf_error *error);
/* The number of a function at the top level. */
int profgen_points_top(struct profgen_points *t, uint32_t name, uint32_t *inlining, struct apf_error *error);

#endif
