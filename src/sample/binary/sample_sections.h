/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of sections of an extbinary file, which llvm-profdata show --show-sec-info-only prints. */
#ifndef SAMPLE_SECTIONS_H
#define SAMPLE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "sample/layout/sample_layout.h"
#include "sample/layout/sample_versions.h"

struct sample_section {
    uint64_t type, flags, offset, size; /* as stored; bytes of the file, compressed or not */
    uint64_t entry;                     /* offset of its entry in the table */
    const struct sample_section_type *kind;
};

/* All zero = empty. */
struct sample_sections {
    const struct sample_version *version;
    VEC(struct sample_section) list;    /* in the order of the table, which is that of reading */
    uint64_t end;                       /* offset after the table */
    size_t first[SAMPLE_SECTION_TYPES]; /* 1 + the first entry of each type that is not empty; 0: none */
};

/* Bytes of a file from which sample_sections_need can say how long the table is. */
#define SAMPLE_SECTIONS_START 32u

/* The offset after the table of a file whose first n bytes are given, all of them or SAMPLE_SECTIONS_START; at most the
 * size of the file, which may be damaged. */
uint64_t sample_sections_need(const uint8_t *data, size_t n, uint64_t file_size);
/* Reads the table from the first n bytes of a file, which need not be those of the sections. Sections that overlap are
 * an error. */
int sample_sections_read(struct sample_sections *sections, const uint8_t *data, size_t n, uint64_t file_size,
                         struct apf_error *error);
void sample_sections_free(struct sample_sections *sections);
/* Checks that a section lies inside a file. */
int sample_section_check(const struct sample_section *section, uint64_t file_size, struct apf_error *error);
/* Checks that a section has no flag that says that it cannot be read. */
int sample_section_known(const struct sample_section *section, const struct sample_version *version,
                         struct apf_error *error);
/* LLVM's word for flag i of a section that is set, in LLVM's order: *i moves to the next one. NULL: none is left. */
const char *sample_section_word(const struct sample_section *section, unsigned *i);
/* The first section of a known type that is not empty; NULL: none. */
const struct sample_section *sample_sections_find(const struct sample_sections *sections, uint64_t type);

#endif
