/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names that are most like one that is not there. */
#ifndef CLI_NEAREST_NAMES_H
#define CLI_NEAREST_NAMES_H

#include <anyprof/io.h>

#include "session.h"

#define NEAREST_NAMED 3u /* names that are kept */

/* Why a name is near, the best reason first. */
enum nearest_reason { SPELLED_ALIKE, MANGLED, CONTAINED, UNLIKE };

struct nearest_name {
    char *name; /* owned */
    size_t n;
    char *shown; /* owned; NULL, or the name as in the source code */
    size_t n_shown;
    enum nearest_reason reason;
    size_t distance; /* the letters to change or, for names that contain the wanted one, to remove */
    size_t whole;    /* the letters to change in the whole name; SIZE_MAX: too many to tell */
};

/* A name as in the source code. */
struct source_parts {
    struct apf_str shown;
    struct apf_str compared; /* as much of it as there is of the wanted name */
    struct apf_str part;     /* the last part */
};

struct nearest_names {
    struct apf_str wanted, plain, /* without the file of a local function, the scope, or the directory */
        compared;                 /* whole, as it is compared with whole names */
    size_t n_scopes;              /* that it has */
    char *mangled;                /* the plain name after its length, as names of C++ and Rust contain it */
    struct nearest_name best[NEAREST_NAMED];
    size_t n_best;
    bool found; /* the name itself was considered */
    bool any;   /* there are names */
};

/* Begins the search for a name, of which `plain` is a part, and which is compared as `compared` with whole names.
 * nearest_names_free must follow. */
void nearest_names_begin(struct nearest_names *s, struct apf_str wanted, struct apf_str plain,
                         struct apf_str compared);
/* An apf_lookup_name_fn: considers a name, of which `plain` is a part. */
int nearest_names_consider(void *user, struct apf_str name, struct apf_str plain);
/* The same of a name that is `source` in the source code. */
void nearest_names_consider_shown(struct nearest_names *s, struct apf_str name, struct apf_str plain,
                                  struct source_parts source);
/* Notes which names are the nearest. False: none is near, or the name itself is there. */
bool nearest_names_report(const struct session *session, const struct nearest_names *s);
void nearest_names_free(struct nearest_names *s);

#endif
