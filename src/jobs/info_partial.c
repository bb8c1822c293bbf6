/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of partial profiles of all kinds. */
#include "jobs/info.h"
#include "partial/partial_read.h"

bool info_add_sections(struct info_reader *r, const char *name_of(uint8_t section))
{
    const uint8_t *p = r->bytes.data;
    const size_t n = r->bytes.n;
    size_t at = PARTIAL_HEADER_BYTES, begin = at;
    uint8_t section = 0, last = 0;
    bool done = info_add_part(r, "header", 0, at, 0);
    for (size_t block = at; done && last != PARTIAL_LAST_SECTION && partial_pass_block(p, n, &at, &section);
         block = at) {
        if (last && section != last) {
            done = info_add_part(r, name_of(last), begin, block - begin, 0);
            begin = block;
        }
        last = section;
    }
    const bool more = last == PARTIAL_LAST_SECTION && at < n; /* of an undecided file */
    return done && info_add_part(r, name_of(last), begin, (more ? at : n) - begin, 0) &&
           (!more || info_add_part(r, "as samples", at, n - at, 0));
}

bool info_add_inputs(struct info_reader *r, const struct input_counts *n)
{
    return info_add_number(r, "inputs", n->n_inputs) &&
           info_add_if_any(r, "inputs_rejected", n->n_rejected) &&
           info_add_if_any(r, "inputs_empty", n->n_empty) &&
           info_add_if_any(r, "inputs_salvaged", n->n_salvaged);
}
