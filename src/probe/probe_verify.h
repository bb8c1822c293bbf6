/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is wrong with probes. */
#ifndef PROBE_PROBE_VERIFY_H
#define PROBE_PROBE_VERIFY_H

#include "probe/probe_model.h"

enum finding_kind {
    FINDING_DAMAGE,         /* n: its number in probes->damages */
    FINDING_GUID,           /* of a descriptor that is not that of its name; other: that one */
    FINDING_HASHES,         /* of descriptors with one GUID; n: how many of these differ from the first */
    FINDING_MIXED,          /* both encodings in one file */
    FINDING_NO_DESCRIPTORS, /* none at all; n: of so many functions */
    FINDING_NO_PROBES,      /* but descriptors */
    FINDING_NO_DESCRIPTOR,  /* of this function; n: of so many probes */
    FINDING_NO_SYMBOL,      /* of this record: n probes have no address */
    FINDING_OUTSIDE,        /* n probes of a record; address: the first one of them */
    FINDING_INSIDE,         /* the same: in the middle of instructions */
    FINDING_NO_GUID,        /* a function with GUID 0 */
    FINDING_TYPE,           /* n: unknown type; address */
    FINDING_INDEX,          /* a probe with index 0 */
    FINDING_KINDS
};

struct finding {
    enum finding_kind kind;
    uint64_t guid, other, address, offset, n;
    uint32_t section;
};

/* A function that has another hash in the other build. */
struct changed_function {
    uint64_t guid, hash, other_hash;
    uint64_t probes; /* in all of its copies */
};

enum { PLACE_UNKNOWN, PLACE_START, PLACE_INSIDE }; /* at the start or in the middle of an instruction */

struct verification {
    const struct apf_probes *probes, *against;
    VEC(struct finding) findings;
    VEC(struct changed_function) changed;   /* those with most probes first */
    uint64_t new_functions, gone_functions; /* descriptors that only one of them has */
    struct apf_error not_decoded; /* why code was not decoded; APF_OK: what was not is no symbol's */
    uint8_t *places;              /* of probes: PLACE_* */
    struct sort_key *by_address;  /* numbers of symbols; only of the old encoding */
    struct arena arena;
    struct apf_probes_verdict verdict;
    struct apf_probes_check_options options;
};

/* Fills `places`, `not_decoded` and verdict.n_decoded. False: memory is out. */
bool verify_code(struct verification *v);
bool verify_probes(struct verification *v);
bool verify_against(struct verification *v);
void verification_free(struct verification *v);

#endif
