/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a file that a name of the source code may mean. */
#ifndef CLI_NAME_CANDIDATES_H
#define CLI_NAME_CANDIDATES_H

#include <stdint.h>

#include "demangle.h"
#include "source_name.h"

#define MOST_CANDIDATES 10u /* that are listed */

struct name_candidate {
    char *name, *shown; /* owned */
    uint64_t id;
};

struct name_candidates {
    struct demangler names;
    struct source_name given;
    enum source_match best;                      /* of those that were considered; no others are kept */
    struct name_candidate list[MOST_CANDIDATES]; /* different names */
    size_t n;
    bool more;   /* there are others */
    bool differ; /* they are not one function of the source code, which may have several copies */
    struct name_text text;
};

/* name_candidates_free must follow. */
void name_candidates_begin(struct name_candidates *c, const struct session *session, const char *given);
/* Considers the name of a function, whose number is `id`; any name repeatedly. */
void name_candidates_consider(struct name_candidates *c, struct apf_str name, uint64_t id);
/* After all were considered: whether the name means a function, as well as it means any. */
bool name_candidates_mean(struct name_candidates *c, struct apf_str name);
/* Reports that the name of the source code is that of several functions of a file. */
void name_candidates_report(const struct name_candidates *c, const struct session *session, const char *path);
void name_candidates_free(struct name_candidates *c);

#endif
