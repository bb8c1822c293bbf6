/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts about an instrumentation profile. */
#ifndef INSTR_INSTR_FACTS_H
#define INSTR_INSTR_FACTS_H

#include "base/byte_map.h"
#include "instr/model/profile.h"

struct instr_facts {
    struct apf_instr_info info; /* ids are in the caller's arena; without traces and names of vtables */
    uint64_t n_sites[APF_VALUE_KINDS], n_values[APF_VALUE_KINDS];
    uint64_t n_bitmaps, n_bitmap_bytes; /* records with bitmaps */
    uint64_t n_contextual;              /* records with the context-sensitive bit in an IR profile */
    uint64_t n_pseudo;                  /* marked hot or warm */
    uint64_t n_unexecuted;              /* records without a count */
    uint64_t build_digest;              /* see build_digest.h; 0: no functions */
    uint64_t readers;                   /* set of releases that can read the file */
    const char *refusal;                /* why none can, other than the version; or NULL */
    uint64_t n_bare;                    /* raw: profiles whose functions are in their program */
    uint64_t bare_counters;             /* the counter slots of those profiles */
    uint64_t bare_variant;              /* the variant of the first of those profiles */
    uint32_t memprof_version;           /* of the section; APF_MEMPROF_NO_VERSION: none */
    bool has_memprof;                   /* the section can be read: `memprof` is set */
    uint64_t n_memprof_functions, n_memprof_contexts, n_memprof_frames, n_memprof_data, n_memprof_cold;
    const struct apf_finding *findings; /* quirks of the file, in the arena */
    size_t n_findings;
    struct byte_map parts; /* the caller frees it */
};

/* Reads the facts of a file. After failures other than APF_NO_MEMORY *facts has what the first bytes say: format,
 * version, variant, width, byte order and producers, and, of a raw file with a readable header, ids and the announced
 * numbers of records and counters. With APF_FLAG_GLANCE this is also all that is read of a raw file with a single
 * profile that has ids. */
int instr_facts_read(struct instr_facts *facts, const uint8_t *data, size_t n,
                     const struct read_options *options, struct arena *arena, struct apf_error *error);
/* The facts of a profile that has no format of its own: all but `parts` and the releases. APF_NO_MEMORY. */
int instr_facts_of(struct instr_facts *facts, const struct apf_instr *instr, struct arena *arena,
                   struct apf_error *error);

#endif
