/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* apf_sample_write in steps, for merges, which have an output of their own. */
#ifndef SAMPLE_OUTPUT_H
#define SAMPLE_OUTPUT_H

#include <anyprof/sample_write.h>

#include "base/file.h"

/* Reads and checks the caller's options; `common` becomes those of every call. */
int sample_write_options_read(struct apf_sample_write_options *to, struct apf_options *common,
                              const struct apf_sample_write_options *from, struct apf_error *error);
/* Writes a sealed profile with options that were read. *result, whose size needs not be set, is filled in. */
int sample_write(const struct apf_sample *s, const struct apf_sample_write_options *o, struct file_out *out,
                 struct apf_sample_write_result *result, struct apf_error *error);
/* Reports the losses as findings to common->diag. */
int sample_write_report(const struct apf_sample_write_result *result, const struct apf_options *common,
                        struct apf_error *error);

#endif
