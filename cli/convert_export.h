/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof convert, into formats that other tools open. */
#ifndef CLI_CONVERT_EXPORT_H
#define CLI_CONVERT_EXPORT_H

#include "options.h"
#include "session.h"

/* What messages say of them: the formats, and the ends of names that mean them. */
#define EXPORT_FORMATS "folded, speedscope, pprof or csv"
#define EXPORT_ENDS ".folded, .speedscope.json, .pb.gz or .csv"

/* The enum apf_export_format that the command line asks for; 0: a profile is to be written. */
uint32_t convert_export_format(const struct arguments *args);
/* What is wrong with a command line that asks for no such format; NULL: nothing. */
const char *convert_export_only(const struct arguments *args);
/* Whether the input is a profile of BOLT, which is converted only to such formats. */
bool convert_export_is_bolt(const struct session *session, const struct arguments *args);
/* Converts a profile of this kind (KIND_*), or one of BOLT. Returns the exit code. */
int convert_export(const struct session *session, const struct arguments *args, uint64_t kind);

#endif
