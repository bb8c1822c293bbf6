/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the form of an output: what was asked for, if the target reads it, else the form that loses least. */
#ifndef SAMPLE_CHOICE_H
#define SAMPLE_CHOICE_H

#include "sample/write/sample_contents.h"

struct sample_choice {
    enum sample_form form;
    const struct sample_release *release;
    /* Features that the profile must lose before it is written: the release would not read the file, or the writer
     * expects it. */
    uint32_t without;
    bool not_split; /* the split layout was asked for, and another one is written */
};

/* Chooses for a profile with these contents; the options were checked. APF_UNSUPPORTED, APF_SAMPLE_UNWRITABLE: see
 * apf_sample_write. */
int sample_choose(const struct apf_sample *s, const struct sample_contents *contents,
                  const struct apf_sample_write_options *o, struct sample_choice *choice,
                  struct apf_error *error);

#endif
