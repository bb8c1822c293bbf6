/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile in the form in which a layout of GCC can hold it. */
#ifndef SAMPLE_GCC_FORM_H
#define SAMPLE_GCC_FORM_H

#include "sample/gcc/sample_gcc_write.h"

/* Copies what a layout can hold of a sealed profile: names have the numbers of the file (0 is the empty one), which are
 * their order, so that lists have the order of the file, too. Only names and files that are used are there. Texts stay
 * in the memory of `s`. Counts in *losses, which the caller has cleared, what is left out. The caller frees *form, also
 * after a failure. */
int gcc_form_make(const struct apf_sample *s, const struct sample_gcc_options *o, struct apf_sample **form,
                  struct sample_gcc_losses *losses, struct apf_error *error);

#endif
