/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An assembly file whose probes become labels: asm_read.c finds the changes, asm_write.c writes the file. */
#ifndef PROBE_ASM_UNIT_H
#define PROBE_ASM_UNIT_H

#include "base/file.h"
#include "probe/asm_directive.h"
#include "probe/asm_scope.h"
#include "probe/probe_trie.h"

/* A text that is replaced by a label or another text. */
struct asm_edit {
    size_t at, n;
    const char *with; /* the other text; NULL: a label */
    uint32_t label;
    uint32_t part; /* the part whose symbol is defined there, or ASM_NONE */
};

/* The code of a function in one section. Its number is that of the function in the trie. */
struct asm_part {
    uint32_t symbol, section;
    uint32_t base;  /* the symbol in the section from which distances count; ASM_NONE: the first label */
    uint32_t label; /* of the first probe */
    uint32_t next;  /* in the section */
    size_t edit;    /* of the first probe */
    const char *p;  /* position where the first probe names the symbol */
};

/* A place in the trie is the number of a label or, with this bit, of a symbol. */
#define ASM_PLACE_SYMBOL ((uint64_t)1 << 63)

struct asm_unit {
    const char *text;
    size_t n, end; /* bytes of the file, and of its assembled part */
    struct asm_scope scope;
    struct probe_trie trie;
    struct asm_probe probe;
    VEC(struct asm_edit) edits;
    VEC(struct asm_part) parts;
    struct hash_index part_index;
    uint32_t last_part;
    bool numbers_from_0; /* .file 0 was seen: DWARF 5 */
    struct apf_probe_asm_info info;
    struct apf_error *error;
};

int asm_unit_write(struct asm_unit *u, const struct apf_output *output);

#endif
