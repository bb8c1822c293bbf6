/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions as --demangle asks for them, and the functions that --function means by names as in the source
 * code. */
#ifndef CLI_SHOWN_NAMES_H
#define CLI_SHOWN_NAMES_H

#include <anyprof/io.h>

#include "demangle.h"
#include "options.h"
#include "source_name.h"

struct shown_names {
    const struct session *session;
    bool demangles;           /* --demangle */
    bool by_source;           /* --function may be a name of the source code, or a part of one */
    bool found;               /* ... and means a function that was asked about */
    struct demangler names;   /* loaded if one of these is set */
    struct source_name given; /* by_source: --function */
    struct name_text text;
};

/* Reads --demangle, and --function where the command has it. shown_names_free must follow. Under the names of LLVM's
 * tools, names are what they are there. */
void shown_names_begin(struct shown_names *s, const struct session *session, const struct arguments *args);
void shown_names_free(struct shown_names *s);
/* An output at a path in which names are shown so. */
struct apf_output shown_names_output(struct shown_names *s, const char *path);
/* For options of the library: what finds further functions that --function means (NULL: none), of those of which a part
 * of the name is given, or the name. `user` is the struct shown_names. */
apf_name_filter_fn *shown_names_part(const struct shown_names *s);
apf_name_filter_fn *shown_names_whole(const struct shown_names *s);

#endif
