/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "jobs/check_programs.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"

static const uint32_t correlated[] = {APF_METADATA_DEBUG_INFO, APF_METADATA_BINARY};

/* An apf_correlate_fn that tries both correlators: the programs do not show which one a profile needs. */
static int find_program(void *user, const struct apf_bare_profile *profile,
                        const struct apf_correlation **correlation, struct apf_error *error)
{
    const struct apf_check_programs *p = user;
    int code =
        error_plain(error, APF_UNABLE_TO_CORRELATE, "correlation.program",
                    "the profile is of another build: these programs write their metadata into each profile");
    for (size_t i = 0; i < sizeof correlated / sizeof *correlated && code != APF_OK; i++) {
        if (!p->correlators[i])
            continue;
        const struct apf_correlation_source *source = apf_correlator_source(p->correlators[i]);
        code = source->find(source->user, profile, correlation, error);
        if (code == APF_NO_MEMORY)
            return code;
    }
    return code;
}

static int open_correlator(struct apf_check_programs *p, size_t which, const struct apf_input *inputs,
                           const struct apf_options *options, struct apf_error *error)
{
    struct apf_correlator_options o = {.size = sizeof o, .kind = correlated[which]};
    struct apf_input *chosen = calloc(p->n + 1, sizeof *chosen);
    int code = chosen ? APF_OK : error_memory(error);
    for (size_t i = 0; chosen && i < p->n; i++)
        if (apf_binary_functions_info(p->list[i])->kind == o.kind)
            chosen[o.n_programs++] = input_copy(input_at(inputs, i));
    o.options = options;
    o.programs = chosen;
    if (code == APF_OK && o.n_programs)
        code = apf_correlator_open(&p->correlators[which], &o, error);
    for (size_t i = 0, k = 0; code != APF_OK && error && chosen && i < p->n; i++)
        if (apf_binary_functions_info(p->list[i])->kind == o.kind && k++ == error->input) {
            error->input = i; /* number of the caller's input */
            break;
        }
    free(chosen);
    return code;
}

static int open_programs(struct apf_check_programs *p, const struct apf_input *inputs, size_t n,
                         const struct apf_options *options, struct apf_error *error)
{
    p->list = calloc(n + 1, sizeof(struct apf_binary_functions *));
    if (!p->list)
        return error_memory(error);
    for (; p->n < n; p->n++) {
        int code = apf_binary_functions_open(&p->list[p->n], input_at(inputs, p->n), APF_METADATA_ANY,
                                             options, error);
        if (code != APF_OK)
            return file_error(error, code, input_at(inputs, p->n), p->n);
        p->n_functions += apf_binary_functions_info(p->list[p->n])->n_functions;
    }
    return APF_OK;
}

static int list_functions(struct apf_check_programs *p, struct apf_error *error)
{
    p->functions = calloc(p->n_functions + 1, sizeof *p->functions);
    if (!p->functions)
        return error_memory(error);
    struct check_function *to = p->functions;
    for (size_t i = 0; i < p->n; i++) {
        size_t n = apf_binary_functions_info(p->list[i])->n_functions;
        for (size_t k = 0; k < n; k++, to++) {
            to->f = apf_binary_functions_function(p->list[i], k);
            to->program = apf_binary_functions_info(p->list[i]);
        }
    }
    return APF_OK;
}

int apf_check_programs_open(struct apf_check_programs **programs, const struct apf_input *inputs, size_t n,
                            const struct apf_options *options, struct apf_error *error)
{
    struct apf_options o;
    *programs = NULL;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    struct apf_check_programs *p = calloc(1, sizeof *p);
    if (!p)
        return error_memory(error);
    p->source.size = sizeof p->source;
    p->source.find = find_program;
    p->source.user = p;
    code = open_programs(p, inputs, n, &o, error);
    if (code == APF_OK)
        code = list_functions(p, error);
    o.diag = NULL; /* the caller's function already got the findings */
    for (size_t i = 0; code == APF_OK && i < sizeof correlated / sizeof *correlated; i++)
        code = open_correlator(p, i, inputs, &o, error);
    if (code == APF_OK)
        *programs = p;
    else
        apf_check_programs_close(p);
    return code;
}

void apf_check_programs_close(struct apf_check_programs *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < sizeof correlated / sizeof *correlated; i++)
        apf_correlator_close(p->correlators[i]);
    for (size_t i = 0; i < p->n; i++)
        apf_binary_functions_close(p->list[i]);
    free(p->list);
    free(p->functions);
    free(p);
}
