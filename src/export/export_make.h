/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef EXPORT_EXPORT_MAKE_H
#define EXPORT_EXPORT_MAKE_H

#include <anyprof/export.h>

/* Writes a source and fills in *result, of which the caller has set what it alone knows. */
int export_make(const struct apf_export_source *source, const struct apf_export_options *options,
                const struct apf_output *output, struct apf_export_result *result, struct apf_error *error);

#endif
