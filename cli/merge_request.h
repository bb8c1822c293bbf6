/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The request of `anyprof merge`. */
#ifndef CLI_MERGE_REQUEST_H
#define CLI_MERGE_REQUEST_H

#include "correlation.h"
#include "merge_inputs.h"
#include "merge_supplement.h"
#include "name_changes.h"
#include "places.h"
#include "profile_kind.h"

struct merge_request {
    struct request base;
    struct merge_inputs inputs;
    bool list_inputs; /* --dump-input-file-list: nothing but `inputs` is parsed */
    struct name_changes names;
    struct correlation_request programs;
    struct supplement_request supplement;
    struct apf_write_options write;
    struct apf_tolerance tolerance;
    struct place profile, report, page; /* -o, --report, --html */
    uint64_t trace_reservoir, trace_length;
    uint32_t threads;
    uint32_t flags; /* APF_FLAG_* */
    bool delete_inputs, verbose, partial, forget_inputs;
    bool demangles, plain_page; /* --demangle: of messages; --no-demangle: of the page, too */
    struct kind_votes kind;
    bool samples; /* a merge of sample profiles, for merge_samples.c, which parses the rest */
    /* With `partial`, of inputs that may be of either kind: what a partial sample profile of them has, which goes into
     * the file of one of instrumentation profiles. */
    struct apf_buffer *undecided;
    /* Of merges on several machines: which slices the inputs are; with `partial`, where n_slices slices go instead of
     * to a file (NULL: to a file); and whether the inputs are parts that such a merge has made: a damaged one is never
     * tolerated, and is removed. */
    struct apf_slice slice;
    struct apf_buffer *slices;
    uint32_t n_slices;
    bool own_parts;
    /* NULL or, with `partial`, where the result goes instead if inputs are bad that may be good in a later run */
    const char *passing_path;
    /* NULL, or sets the inputs that are added to the same merge after those before; false: there are no more. */
    bool (*more)(void *context, struct merge_inputs *inputs);
    void *more_context;
};

/* The next inputs of a request: those in it, when *first is true, then what `more` gives. */
bool merge_request_next(const struct merge_request *r, struct merge_inputs *inputs, bool *first);

/* `r` is all zero. 0, or an exit code after a report. merge_request_free must follow either way. */
int merge_request_parse(struct merge_request *r, const struct session *session, const struct arguments *args);
/* The two halves of it: what is the same for all kinds of profiles, and the kind (r->list_inputs: nothing more is
 * needed); then what the kind has, which the caller may have changed. */
int merge_request_begin(struct merge_request *r, const struct session *session, const struct arguments *args);
int merge_request_finish(struct merge_request *r, const struct session *session,
                         const struct arguments *args);
/* The arguments of `merge --partial` for some of the inputs of a merge with `args`: without the options that decide
 * something, and quiet. They share what they point to. */
struct arguments merge_request_part(const struct arguments *args, bool samples);
/* Of merge_request_parse only the inputs, and their kind. 0, or an exit code after a report; no inputs are no error. */
int merge_request_parse_inputs(struct merge_request *r, const struct session *session,
                               const struct arguments *args);
/* merge_request_parse of such arguments, which were found right before: without inputs, and where the result goes. */
int merge_request_parse_part(struct merge_request *r, const struct session *session,
                             const struct arguments *args);
/* Whether a partial profile is made of inputs that may be of either kind. */
bool merge_request_is_undecided(const struct merge_request *r);
void merge_request_free(struct merge_request *r);

#endif
