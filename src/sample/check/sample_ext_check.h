/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the check of extbinary profiles; for its files only. */
#ifndef SAMPLE_EXT_CHECK_H
#define SAMPLE_EXT_CHECK_H

#include "sample/binary/sample_ext.h"
#include "sample/check/sample_names_check.h"

struct sample_ext_checker {
    struct sample_checker *k;
    struct sample_sections sections;
    struct sample_inflated inflated;
    struct sample_decoder d; /* of the current section; its profile is another one than that of the check */
    enum sample_context_form form;
    bool has_names, has_contexts; /* the tables were read */
    uint64_t n_unread;            /* functions that the reader has read and that were not met yet */
    struct sample_listing listing;
    /* the table of offsets that was read last, for the next functions; NULL */
    const struct sample_section *offsets;
    VEC(struct sample_listed) entries; /* of this table, in its order */
};

/* Checks the table of sections: places, flags, order. */
void sample_ext_check_sections(struct sample_ext_checker *x);
/* Opens a section as the decoder's part; false: it is damaged or not known, which is reported. */
bool sample_ext_check_open(struct sample_ext_checker *x, const struct sample_section *section);
/* Sets the function of findings to a key of the file; a sample_name_fn. */
void sample_ext_check_key(struct sample_checker *k, const struct sample_decoder *d, uint64_t key);
/* Check the section that was opened: the table of contexts, that of offsets, or functions. */
void sample_ext_check_contexts(struct sample_ext_checker *x, const struct sample_section *section);
void sample_ext_check_offsets(struct sample_ext_checker *x, const struct sample_section *section);
void sample_ext_check_functions(struct sample_ext_checker *x, const struct sample_section *section);

#endif
