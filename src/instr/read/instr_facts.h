/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is in an instrumentation profile, in numbers. */
#ifndef INSTR_INSTR_FACTS_H
#define INSTR_INSTR_FACTS_H

#include "instr/model/byte_map.h"
#include "instr/model/profile.h"

struct instr_facts {
    struct apf_instr_info info; /* ids are in the caller's arena; traces and names of vtables are not there */
    uint64_t n_sites[APF_VALUE_KINDS], n_values[APF_VALUE_KINDS];
    uint64_t n_bitmaps, n_bitmap_bytes; /* records with bitmaps */
    uint64_t n_contextual;              /* records with the context-sensitive bit in an IR profile */
    uint64_t n_pseudo;                  /* marked hot or warm */
    uint64_t n_unexecuted;              /* records without a count */
    uint64_t shape;                     /* see build_digest.h; 0: there are no functions */
    uint64_t readers;                   /* releases that can read it, a bit each */
    const char *refusal;                /* why there are none, where it is not the version; or NULL */
    uint64_t n_bare;                    /* raw: profiles whose functions are in their program ... */
    uint64_t bare_counters;             /* ... their slots of counters ... */
    uint64_t bare_variant;              /* ... and the variant of the first of them */
    uint64_t memprof_version;           /* what the section says; NO_MEMPROF: there is none */
    bool has_memprof;                   /* and it can be read: what is in it */
    uint64_t n_memprof_functions, n_memprof_contexts, n_memprof_frames, n_memprof_data, n_memprof_cold;
    const struct apf_finding *findings; /* what is odd about it, in the arena */
    size_t n_findings;
    struct byte_map parts; /* the caller's to free */
};

#define NO_MEMPROF UINT64_MAX

/* After a failure but for APF_NO_MEMORY *facts has what the first bytes of the file say: of the info format, version,
 * variant, width, byte order, producers, and of a raw file, if its header can be read, ids and the numbers of records
 * and counters it announces. */
int instr_facts_read(struct instr_facts *facts, const uint8_t *data, size_t n,
                     const struct read_options *options, struct arena *arena, struct apf_error *error);

#endif
