/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data records and names as they are in the sections of a program. A program does not say of which version they are:
 * the one whose records have ids of the names is it. */
#ifndef INSTR_RAW_SECTIONS_H
#define INSTR_RAW_SECTIONS_H

#include <stdbool.h>

#include <anyprof/instr.h>

#include "base/vec.h"
#include "instr/raw_versions.h"
#include "instr/symbols.h"

struct raw_sections {
    const uint8_t *data, *names; /* the bytes of both sections */
    size_t n_data, n_names;
    unsigned pointer_bytes;
    bool swap;
    bool has_pointers;     /* those in the records are addresses in the program */
    bool version_known;    /* a symbol of the program says it */
    uint64_t version_word; /* what it says */
    uint64_t max_records;
    uint64_t name_budget; /* what names may inflate to: deflate_budget's */
};

/* What is in them. `counters` and `bitmap` of functions are pointers as they stand there, without has_pointers 0. */
struct raw_section_functions {
    struct symbols names; /* those of the functions are in it, or are borrowed from raw_sections.names */
    VEC(struct apf_function) list;
    uint32_t first_version, last_version; /* that it may be */
    uint32_t record_bytes;
    uint64_t n_sites[APF_VALUE_KINDS]; /* of all records; 0 where the version is not certain */
};

/* Reads all records but those that are all zero: padding. APF_MALFORMED: no version has such records. *out is the
 * caller's to free, also after a failure. */
int raw_sections_read(struct raw_section_functions *out, const struct raw_sections *in,
                      struct apf_error *error);
void raw_sections_free(struct raw_section_functions *f);

#endif
