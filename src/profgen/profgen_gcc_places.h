/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places of instructions in the source as GCC's profiles have them: with GCC's discriminators, and by the parts of
 * functions. */
#ifndef PROFGEN_PROFGEN_GCC_PLACES_H
#define PROFGEN_PROFGEN_GCC_PLACES_H

#include "profgen/profgen_gcc_functions.h"

/* A part of a function, or a function that was inlined in one. */
struct profgen_gcc_inlining {
    uint64_t at;     /* the place of the call, with its whole discriminator; 0 at the top level */
    uint32_t caller; /* a smaller number; SAMPLE_NONE: at the top level */
    uint32_t name;   /* at the top level: the number of the part */
};

struct profgen_gcc_place {
    uint64_t at;       /* with the number of the copy, which profgen_gcc_place_plain drops */
    uint32_t inlining; /* the innermost one; SAMPLE_NONE: not known */
    uint32_t copies;   /* how often the instruction stands for one of the source */
    bool statement;    /* a statement begins here */
};

struct profgen_gcc_places {
    const struct profgen_program *program;
    const struct profgen_gcc_functions *functions;
    const struct sample_release *release;
    struct sample_names *names;
    VEC(struct profgen_gcc_inlining) inlinings;
    struct hash_index index;
    struct hash_index name_index; /* of `texts` */
    VEC(struct source_frame) texts;
    VEC(uint32_t) numbers; /* of the names of `texts` */
};

/* profgen_gcc_places_close must follow. */
void profgen_gcc_places_open(struct profgen_gcc_places *t, const struct profgen_program *p,
                             const struct profgen_gcc_functions *functions,
                             const struct sample_release *release, struct sample_names *names);
void profgen_gcc_places_close(struct profgen_gcc_places *t);
/* The place of an address. */
int profgen_gcc_places_find(struct profgen_gcc_places *t, uint64_t address, struct profgen_gcc_place *place,
                            struct apf_error *error);
/* The number of a part at the top level. */
int profgen_gcc_places_top(struct profgen_gcc_places *t, uint32_t part, uint32_t *inlining,
                           struct apf_error *error);
/* A place as it is written: what was inlined at places that become one by that is added up. */
uint64_t profgen_gcc_place_plain(const struct sample_release *release, uint64_t at);

#endif
