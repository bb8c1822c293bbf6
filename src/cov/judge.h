/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides whether a record of an object is shown, and with which counts. Several threads may judge records at once. */
#ifndef COV_JUDGE_H
#define COV_JUDGE_H

#include "cov/coverage.h"

/* What is found out about a record without looking at others. */
struct judgement {
    struct cov_function f; /* its fit; if it is shown, all but what function_summarize sets */
    uint64_t identity;     /* the hash of its files and its name */
    bool shown;            /* unless another object has it, too */
};

/* Judges a record; c->identities has its key. If it is shown, it is open in `w`, and w->names has its files. */
int judge(const struct coverage *c, uint32_t object, uint32_t number, struct cov_work *w, struct judgement *j,
          struct apf_error *error);

#endif
