/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the data records and names of a program's sections, for correlation. A program need not say which raw version
 * its records are; the version is the one whose layout finds ids of the names in the records. */
#ifndef INSTR_RAW_SECTIONS_H
#define INSTR_RAW_SECTIONS_H

#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/vec.h"
#include "instr/layout/raw_versions.h"
#include "instr/model/symbols.h"

/* The sections of a program; all fields are set by the caller. */
struct raw_sections {
    const uint8_t *data, *names; /* bytes of the sections of data records and of names */
    size_t n_data, n_names;
    unsigned pointer_bytes; /* 4 or 8 */
    bool swap;              /* the byte order is not the host's */
    /* pointers in the records are addresses in the program, and not still to be relocated */
    bool has_pointers;
    bool version_known; /* the program has a version word */
    uint64_t version_word;
    uint64_t max_records; /* limit */
    uint64_t name_budget; /* bytes that the names may inflate to: deflate_budget's */
};

struct raw_section_functions {
    struct symbols names; /* names of the functions in `list` point into this or into raw_sections.names */
    VEC(struct apf_function)
    list; /* `counters` and `bitmap` are pointers as stored; 0 without has_pointers */
    uint32_t first_version, last_version; /* the raw versions that the records may be */
    uint32_t record_bytes;                /* size of a record */
    uint64_t n_sites[APF_VALUE_KINDS];    /* sums over all records; 0 where the version is not certain */
};

/* Reads all records but padding, which is all zero. APF_MALFORMED: the records fit no version. The caller frees *out,
 * also after a failure. */
int raw_sections_read(struct raw_section_functions *out, const struct raw_sections *in,
                      struct apf_error *error);
void raw_sections_free(struct raw_section_functions *f);

#endif
