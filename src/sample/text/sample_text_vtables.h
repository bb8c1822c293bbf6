/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Vtables that LLVM 22 prints twice: of a place that has a line, they follow the line and again the functions that are
 * inlined there. LLVM adds both up when it reads them back. */
#ifndef SAMPLE_TEXT_VTABLES_H
#define SAMPLE_TEXT_VTABLES_H

#include "sample/model/sample_profile.h"

/* A line of vtables: entries of the list of its node, sorted by name. */
struct sample_text_vtable_line {
    uint64_t at;
    uint32_t node, first, n;
    bool after_inlined; /* it follows a function that is inlined at the place */
};

struct sample_text_vtables {
    VEC(struct sample_text_vtable_line)
    lines; /* of a profile that is not sealed yet, in the order of the file */
};

/* Sets the counts of lists that are there a second time to 0, and counts them as findings. Sorts the lines. */
int sample_text_drop_repeated(struct apf_sample *s, struct sample_text_vtables *vtables,
                              struct apf_error *error);

#endif
