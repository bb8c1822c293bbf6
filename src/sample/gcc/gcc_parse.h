/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The grammar of GCC's profiles, in a given layout. */
#ifndef SAMPLE_GCC_PARSE_H
#define SAMPLE_GCC_PARSE_H

#include "base/cursor.h"
#include "sample/layout/gcc_layout.h"
#include "sample/model/sample_profile.h"

/* How far a file is one of a layout. */
struct gcc_parsed {
    struct sample_progress progress;
    uint64_t names, functions; /* offsets of the sections, as far as they were reached */
    uint64_t reached;          /* offset after the last byte that was understood */
    bool has_names;            /* the names were understood */
    bool clean;                /* the functions are followed by the section of modules, or by nothing */
};

/* Parses a file whose first GCC_HEADER bytes were checked; `swap`: it has the other byte order. The contents are
 * appended to `s`; NULL: they are only checked, without limits. *parsed is filled in
 * also after a failure. */
int gcc_parse(struct apf_sample *s, const uint8_t *data, size_t n, bool swap, const struct gcc_layout *layout,
              const struct sample_read_options *o, struct gcc_parsed *parsed, struct apf_error *error);

#endif
