/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions whose names are most like one that is not there, as symbols or as in the source code. */
#ifndef CLI_NEAR_SEARCH_H
#define CLI_NEAR_SEARCH_H

#include "demangle.h"
#include "nearest_names.h"

struct near_search {
    struct nearest_names near;
    struct demangler names;
    struct name_text wanted; /* as in the source code */
    bool called;             /* with parameters */
};

/* near_search_free must follow. */
void near_search_begin(struct near_search *s, const struct session *session, struct apf_str wanted);
/* Considers the name of a function. */
void near_search_consider(struct near_search *s, struct apf_str name);
void near_search_free(struct near_search *s);

#endif
