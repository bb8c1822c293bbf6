/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values of the options of kind OPTION_ENUM, for the table of options. */
#ifndef CLI_OPTION_CHOICES_H
#define CLI_OPTION_CHOICES_H

#include "option_table.h"

extern const struct choice failure_modes[];
extern const struct choice memprof_versions[];
extern const struct choice gcov_versions[];
extern const struct choice show_formats[];
extern const struct choice correlations[];
extern const struct choice compiler_correlations[];
extern const struct choice layouts[];
extern const struct choice passes[];
extern const struct choice syntaxes[];
extern const struct choice listings[];
extern const struct choice progress_modes[];
extern const struct choice to_formats[];
extern const struct choice profgen_formats[];
extern const struct choice export_formats[];
extern const struct choice instantiation_modes[];
extern const struct choice show_formats_of_source[];
extern const struct choice compat_modes[], table_formats[];
extern const struct choice branch_modes[];

#endif
