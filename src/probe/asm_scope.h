/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state at a position in an assembly file: sections and symbols, as far as probes need them. */
#ifndef PROBE_ASM_SCOPE_H
#define PROBE_ASM_SCOPE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "probe/asm_text.h"

#define ASM_NONE UINT32_MAX

/* Sections are equal if all members are. Texts keep their spelling. */
struct asm_section {
    struct apf_str name, group, linkage, linked, unique;
    uint32_t label; /* the last symbol defined in the section that the object keeps, or ASM_NONE */
};

struct asm_symbol {
    struct apf_str spelling; /* the first spelling */
    struct apf_str name;     /* without quotes */
    uint64_t guid;
    uint32_t section; /* the section of its label; ASM_NONE: none yet */
    bool function;    /* .type makes it a function */
};

struct asm_place {
    uint32_t section, previous;
    uint32_t function; /* the last label of a function, or ASM_NONE */
};

struct asm_scope {
    VEC(struct asm_section) sections;
    VEC(struct asm_symbol) symbols;
    VEC(struct asm_place) stack;      /* of .pushsection */
    VEC(struct asm_place) conditions; /* places of the open .if */
    struct hash_index index;          /* of symbols */
    struct hash_index section_index;
    struct arena arena;
    size_t n_hidden; /* number of symbols that the object does not keep */
    struct asm_place at;
    unsigned macros; /* number of open .macro, .rept, .irp */
};

bool asm_scope_start(struct asm_scope *s);
void asm_scope_free(struct asm_scope *s);
/* The functions that return bool return false when an allocation failed or there are too many symbols or sections;
 * asm_scope_error reports which. */
int asm_scope_error(const struct asm_scope *s, struct apf_error *error);
/* Reads the labels at the start of a statement, and moves its start after them. */
bool asm_scope_labels(struct asm_scope *s, struct asm_span *statement);
/* Applies a directive, whose operands follow, to the scope. */
bool asm_scope_directive(struct asm_scope *s, struct apf_str word, struct asm_span *operands);
/* Finds the symbol with a spelling; ASM_NONE: not mentioned yet. */
bool asm_scope_find(struct asm_scope *s, struct apf_str spelling, uint32_t *symbol);
/* The function whose code is at this position. */
uint32_t asm_scope_function(const struct asm_scope *s);

#endif
