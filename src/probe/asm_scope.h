/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where in an assembly file one is: its sections and symbols, as far as probes have to know them. */
#ifndef PROBE_ASM_SCOPE_H
#define PROBE_ASM_SCOPE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "probe/asm_text.h"

#define ASM_NONE UINT32_MAX

/* Sections are the same when all of this is. Texts are as they are spelled. */
struct asm_section {
    struct apf_str name, group, linkage, linked, unique;
    uint32_t label; /* the last symbol that was defined in it and that the object keeps; ASM_NONE */
};

struct asm_symbol {
    struct apf_str spelling; /* as it was first */
    struct apf_str name;     /* without quotes */
    uint64_t guid;
    uint32_t section; /* where it is a label; ASM_NONE: not so far */
    bool function;    /* .type says so */
};

struct asm_place {
    uint32_t section, previous;
    uint32_t function; /* the last label of a function; ASM_NONE */
};

struct asm_scope {
    VEC(struct asm_section) sections;
    VEC(struct asm_symbol) symbols;
    VEC(struct asm_place) stack;      /* of .pushsection */
    VEC(struct asm_place) conditions; /* where the open .if stand */
    struct hash_index index;          /* of symbols */
    struct hash_index section_index;
    struct arena arena;
    size_t n_hidden; /* symbols the object does not keep */
    struct asm_place at;
    unsigned macros; /* that are open: .macro, .rept, .irp */
};

bool asm_scope_start(struct asm_scope *s);
void asm_scope_free(struct asm_scope *s);
/* The functions that return bool return false when an allocation failed or there are too many symbols or sections;
 * asm_scope_error reports which. */
int asm_scope_error(const struct asm_scope *s, struct apf_error *error);
/* Reads the labels a statement begins with, and moves the statement's begin behind the labels. */
bool asm_scope_labels(struct asm_scope *s, struct asm_span *statement);
/* Lets a directive, whose operands follow, change the scope, if it does. */
bool asm_scope_directive(struct asm_scope *s, struct apf_str word, struct asm_span *operands);
/* The symbol of that spelling; ASM_NONE: it was not mentioned so far. */
bool asm_scope_find(struct asm_scope *s, struct apf_str spelling, uint32_t *symbol);
/* The function whose code stands here. */
uint32_t asm_scope_function(const struct asm_scope *s);

#endif
