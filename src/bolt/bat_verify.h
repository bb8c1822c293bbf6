/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings about a table: damage, and entries that contradict the code. */
#ifndef BOLT_BAT_VERIFY_H
#define BOLT_BAT_VERIFY_H

#include "bolt/bat_model.h"

enum bat_finding_kind {
    BAT_REST,           /* n bytes after the tables */
    BAT_FRAGMENT_ORDER, /* addresses of fragments do not ascend */
    BAT_SAME_ADDRESS,   /* the fragment before it by address has its address */
    BAT_ENTRY_ORDER,
    /* n entries are not in order */
    BAT_EQUAL,          /* the prefix is not the longest */
    BAT_SKEW,           /* the skew is not the input offset of the first entry */
    BAT_SECONDARY,      /* offsets of secondary entry points do not ascend */
    BAT_BLOCK_NUMBER,   /* n entries: the function has fewer blocks */
    BAT_BLOCK_TWICE,    /* n entries with the hash or number of another block than the first at that offset */
    BAT_NO_PARENT,      /* a cold fragment whose function is unknown */
    BAT_NO_SYMBOL,      /* no symbol of a function is at the fragment */
    BAT_BEYOND,         /* n entries after the end of the symbol */
    BAT_NOT_CODE,       /* n entries: no instruction begins there in the output */
    BAT_INPUT_BEYOND,   /* n entries: after the end of the function in the input */
    BAT_INPUT_NOT_CODE, /* n entries: no instruction begins there in the input */
    BAT_OTHER_KIND, /* n entries: output and input have different kinds of instruction (call, branch, return, other) */
    BAT_FINDINGS
};

struct bat_finding {
    enum bat_finding_kind kind;
    uint32_t fragment; /* APF_BAT_NONE: none */
    uint32_t entry;    /* the first of the n entries; APF_BAT_NONE: the finding is not about entries */
    uint64_t n;
};

struct bat_verification {
    const struct apf_bat *bat;
    VEC(struct bat_finding) findings;
    struct apf_bat_verdict verdict;
    struct apf_error not_decoded; /* why code was not compared; APF_OK: it was, where symbols locate it */
};

/* Counts an entry of a fragment; the first one adds the finding. */
bool bat_add_finding(struct bat_verification *v, enum bat_finding_kind kind, size_t fragment,
                     uint32_t entry) MUST_USE;
/* False: allocation failed. */
bool bat_verify_table(struct bat_verification *v) MUST_USE;
bool bat_verify_code(struct bat_verification *v) MUST_USE;

#endif
