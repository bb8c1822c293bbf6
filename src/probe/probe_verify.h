/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds what is wrong with probes. */
#ifndef PROBE_PROBE_VERIFY_H
#define PROBE_PROBE_VERIFY_H

#include "probe/probe_model.h"

enum finding_kind {
    FINDING_DAMAGE, /* n: number in probes->damages */
    FINDING_GUID,   /* the GUID of a descriptor is not that of its name; other: the GUID of the name */
    FINDING_HASHES, /* descriptors with one GUID and different hashes; n: those that differ from the first */
    FINDING_MIXED,  /* the file has both encodings */
    FINDING_NO_DESCRIPTORS, /* the file has no descriptors; n: number of functions */
    FINDING_NO_PROBES,      /* the file has descriptors, but no probes */
    FINDING_NO_DESCRIPTOR,  /* a function has no descriptor; n: number of its probes */
    FINDING_NO_SYMBOL,      /* a record has no symbol: n probes have no address */
    FINDING_OUTSIDE,        /* n probes of a record are outside its code; address: the first one */
    FINDING_INSIDE,         /* n probes of a record are inside instructions; address: the first one */
    FINDING_NO_GUID,        /* a function with GUID 0 */
    FINDING_TYPE,           /* n: unknown type of the probe at `address` */
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
    uint64_t probes; /* in all copies of the function */
};

enum { PLACE_UNKNOWN, PLACE_START, PLACE_INSIDE }; /* relative to an instruction */

struct verification {
    const struct apf_probes *probes, *against;
    VEC(struct finding) findings;
    VEC(struct changed_function) changed;   /* functions with most probes first */
    uint64_t new_functions, gone_functions; /* descriptors that only one build has */
    struct apf_error not_decoded; /* why code was not decoded; APF_OK: undecoded code has no symbol */
    uint8_t *places;              /* of probes: PLACE_* */
    struct sort_key *by_address;  /* numbers of symbols; only for the old encoding */
    struct arena arena;
    struct apf_probes_verdict verdict;
    struct apf_probes_check_options options;
};

/* Fills `places`, `not_decoded` and verdict.n_decoded. False: an allocation failed. */
bool verify_code(struct verification *v);
bool verify_probes(struct verification *v);
bool verify_against(struct verification *v);
void verification_free(struct verification *v);

#endif
