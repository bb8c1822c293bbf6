/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects what instrumentation, memory and sample profiles say, and compares them with others and with programs. */
#include "report/report_collect.h"

#include <stdlib.h>

#include <anyprof/memprof.h>

#include "base/error.h"
#include "report/report_program.h"

int report_programs_open(struct report_programs *p, uint32_t family, const struct apf_report_options *o,
                         struct apf_options *common, struct apf_error *error)
{
    *p = (struct report_programs){.list = o->programs, .n = o->n_programs};
    if (!p->n || family != REPORT_INSTR)
        return APF_OK;
    const int code = apf_check_programs_open(&p->check, p->list, p->n, common, &p->failure);
    if (code == APF_UNABLE_TO_CORRELATE || code == APF_BAD_ELF || code == APF_UNSUPPORTED)
        return APF_OK;
    if (code != APF_OK && error)
        *error = p->failure;
    if (code == APF_OK && !common->correlation)
        common->correlation = &p->check->source;
    return code;
}

void report_programs_close(struct report_programs *p)
{
    apf_check_programs_close(p->check);
}

static int collect_counts(struct apf_report *r, const struct report_set *now, const struct report_set *base,
                          const struct report_programs *programs, const struct apf_options *common,
                          struct apf_error *error)
{
    int code = APF_OK;
    if (now->merge)
        code = report_read_inputs(r, now->merge, error);
    if (code == APF_OK && now->sample_merge)
        code = report_read_sample_inputs(r, now->sample_merge, error);
    if (code == APF_OK && now->instr && apf_instr_memprof(now->instr) &&
        apf_instr_info(now->instr)->n_records == 0)
        r->family = REPORT_MEMORY;
    if (code == APF_OK && now->instr)
        code = report_read_instr(r, now->instr, error);
    if (code == APF_OK && now->instr)
        code = report_read_memory(r, now->instr, base->instr, programs->list, programs->n, common, error);
    if (code == APF_OK && now->sample)
        code = report_read_sample(r, now->sample, error);
    return code;
}

/* Adds what became of the profiles that others are compared with. */
static int read_base_inputs(struct apf_report *r, const struct report_set *base, struct apf_error *error)
{
    if (!base->merge && !base->sample_merge)
        return APF_OK;
    struct apf_report *other = (struct apf_report *)calloc(1, sizeof *other);
    if (!other)
        return error_memory(error);
    int code = base->merge ? report_read_inputs(other, base->merge, error)
                           : report_read_sample_inputs(other, base->sample_merge, error);
    if (code == APF_OK)
        code = report_add_base_inputs(r, other, error);
    apf_report_free(other);
    return code;
}

/* Compares memory profiles that have nothing else. */
static int compare_memory(struct apf_report *r, const struct apf_instr *instr, const struct apf_instr *now,
                          const struct report_programs *programs, const struct apf_options *common,
                          struct apf_error *error)
{
    struct apf_report *base = (struct apf_report *)calloc(1, sizeof *base);
    if (!base)
        return error_memory(error);
    base->family = r->family;
    int code = report_read_memory(base, instr, now, programs->list, programs->n, common, error);
    if (code == APF_OK)
        code = report_compare_functions(r, base, error);
    apf_report_free(base);
    return code;
}

/* Compares a profile with the coverage mappings of programs; if they have none either, the first failure counts. */
static int check_mappings(struct apf_report *r, const struct report_programs *programs,
                          const struct apf_input *input, const struct apf_options *common,
                          struct apf_error *error)
{
    struct apf_error other;
    const int code = report_check_mapping(r, programs->list, programs->n, input, common, &other);
    const bool is_first = code == APF_NO_COVERAGE || code == programs->failure.code;
    if (code != APF_OK && error)
        *error = is_first ? programs->failure : other;
    return is_first ? programs->failure.code : code;
}

/* Compares instrumentation profiles with programs. What was merged is in no file, so that it is written into memory. */
static int check_instr(struct apf_report *r, const struct report_programs *programs,
                       const struct apf_instr *instr, const struct apf_options *common,
                       struct apf_error *error)
{
    struct apf_buffer text = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&text);
    int code = programs->file ? APF_OK : apf_instr_write_json(instr, &output, error);
    if (code == APF_IO) /* that of a buffer */
        code = error_memory(error);
    const struct apf_input written = apf_input_memory(text.data, text.n, "the merged profile");
    const struct apf_input *input = programs->file ? programs->file : &written;
    if (code == APF_OK)
        code = programs->check ? report_check_instr(r, programs->check, input, common, error)
                               : check_mappings(r, programs, input, common, error);
    apf_buffer_free(&text);
    return code;
}

int report_collect(struct apf_report *r, const struct report_set *now, const struct report_set *base,
                   const struct report_programs *programs, const struct apf_options *common,
                   struct apf_error *error)
{
    int code = collect_counts(r, now, base, programs, common, error);
    if (code == APF_OK)
        code = read_base_inputs(r, base, error);
    if (code == APF_OK && base->instr)
        code = r->family == REPORT_MEMORY
                   ? compare_memory(r, base->instr, now->instr, programs, common, error)
                   : report_compare_instr(r, base->instr, now->instr, error);
    if (code == APF_OK && base->sample)
        code = report_compare_sample(r, base->sample, now->sample, error);
    if (code != APF_OK || !programs->n || r->family == REPORT_MEMORY)
        return code;
    return now->sample ? report_check_sample(r, programs->list, programs->n, common, error)
                       : check_instr(r, programs, now->instr, common, error);
}
