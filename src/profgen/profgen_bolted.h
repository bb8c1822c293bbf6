/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that BOLT wrote with an address translation table, beside the program that BOLT was given, its original. */
#ifndef PROFGEN_PROFGEN_BOLTED_H
#define PROFGEN_PROFGEN_BOLTED_H

#include <anyprof/bat.h>

#include "profgen/profgen_program.h"

struct profgen_bolted {
    struct profgen_image image;
    struct code_map *code;
    struct apf_bat *bat;
    const struct profgen_program *original; /* the caller's */
};

/* What is at an address of the program. */
enum bolted_kind {
    BOLTED_OUTSIDE, /* no instruction */
    BOLTED_KEPT,    /* code that is at the same address in the original */
    BOLTED_MOVED,   /* code of a fragment of the table, whose function in the original is known */
    BOLTED_NEW      /* any other code */
};

struct bolted_place {
    uint64_t address;
    enum bolted_kind kind;
    /* of BOLTED_MOVED: */
    uint64_t function; /* address of its function in the original */
    uint32_t fragment, offset;
};

/* The entries of a fragment. */
struct bolted_entries {
    const struct apf_bat_entry *list;
    uint32_t n;
};

/* Opens the program. `original` must be open, and stay. APF_NO_BAT: it has no table; APF_WRONG_DEBUG_FILE: the original
 * is not what BOLT made it of, unless `any_build`. profgen_bolted_close must follow, also after a failure. */
int profgen_bolted_open(struct profgen_bolted *b, const struct apf_input *program,
                        const struct profgen_program *original, bool any_build, struct apf_error *error);
void profgen_bolted_close(struct profgen_bolted *b);
/* Whether a program has an address translation table. */
bool profgen_has_table(const struct profgen_image *image);

struct bolted_place profgen_bolted_find(const struct profgen_bolted *b, uint64_t address);
struct bolted_entries profgen_bolted_entries(const struct profgen_bolted *b, uint32_t fragment);
/* The number of entries at or before an offset. */
uint32_t profgen_entries_up_to(const struct bolted_entries *entries, uint32_t offset);
/* Whether a basic block begins at an entry, of which the program has code. */
static inline bool profgen_begins_block(const struct apf_bat_entry *e)
{
    return !(e->flags & (APF_BAT_ENTRY_BRANCH | APF_BAT_ENTRY_DELETED));
}
/* The address in the original after the call that stands right before a place; 0: no call does. */
uint64_t profgen_bolted_after_call(const struct profgen_bolted *b, const struct bolted_place *place);
/* The address in the original of any code of BOLTED_MOVED: as far from the last entry as here; 0: there is no
 * instruction. */
uint64_t profgen_bolted_near(const struct profgen_bolted *b, const struct bolted_place *place);
/* Whether a block of the original begins at an address there which the program has, too. */
bool profgen_bolted_has_block(const struct profgen_bolted *b, uint64_t address);

#endif
