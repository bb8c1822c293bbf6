/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/bolt_perf.h"

#include "base/error.h"
#include "base/options.h"
#include "perf/perf_samples.h"

/* The receivers of the samples. */
struct perf_conversion {
    struct conversion *conversion;
    struct text_set *events;
};

static int convert_perf_sample(void *user, const struct perf_sample *from, struct apf_error *error)
{
    static const uint64_t kinds[] = {[PERF_SAMPLE_ADDRESS] = SAMPLE_BASIC,
                                     [PERF_SAMPLE_BRANCH] = SAMPLE_BRANCH,
                                     [PERF_SAMPLE_TRACE] = SAMPLE_TRACE};
    const struct perf_conversion *p = user;
    struct branch_sample s = {.branch = from->address,
                              .from = from->target,
                              .to = from->next,
                              .kind = kinds[from->kind],
                              .count = from->count,
                              .mispredictions = from->mispredictions};
    uint32_t number;
    const int code = from->event.n ? text_set_add(p->events, from->event, &number, error) : APF_OK;
    return code == APF_OK ? convert_sample(p->conversion, &s, error) : code;
}

static void report_counts(struct apf_bolt_funnel *f, const struct perf_samples *s)
{
    const struct perf_samples_counts *n = &s->counts;
    f->processes = n->processes;
    f->samples = n->samples;
    f->samples_beyond = n->beyond;
    f->samples_elsewhere = n->elsewhere;
    f->samples_empty = n->empty;
    f->entries = n->entries;
    f->entries_kernel = n->kernel;
    f->entries_without_prediction = n->silent;
    f->entries_repeated = n->repeated;
    f->loads = n->loads;
    f->other_mode = n->other_mode;
    f->records = s->script.n_lines + s->recorded.records;
    f->lines_of_events = s->script.n_events;
    f->lines_of_losses = s->script.n_lost;
    f->lines_other = s->script.n_other;
    f->first_other_line = s->script.first_other;
    f->entries_not_taken = s->script.not_taken + s->recorded.not_taken;
    f->data_cut = s->recorded.end != APF_PERF_END_WHOLE;
    f->data_cut_at = s->recorded.end_at;
    f->data_lost = s->recorded.lost_records + s->recorded.lost_samples;
    f->data_damaged_samples = s->recorded.short_samples + s->recorded.unknown_events;
    f->mappings_ignored = s->map.n_ignored;
    f->name_by_build_id = s->map.use;
}

static int read_all(struct perf_samples *s, const struct bolt_work *in, struct perf_conversion *to,
                    struct apf_error *error)
{
    struct conversion *c = to->conversion;
    const struct apf_bolt_convert_options *o = in->options;
    uint64_t max_bytes = options_max_bytes(o->options);
    bool data = o->flags & APF_BOLT_CONVERT_PERF_DATA;
    struct perf_samples_options options = {.addresses = c->basic,
                                           .keep_kernel = o->flags & APF_BOLT_CONVERT_KEEP_KERNEL,
                                           .keep_newest = !c->bat->has_table,
                                           .pid = o->pid,
                                           .max_samples = o->max_samples ? o->max_samples : UINT64_MAX};
    int code = perf_samples_open(s, &options, c->bat->elf, bolt_program_name(in),
                                 o->flags & APF_BOLT_CONVERT_IGNORE_BUILD_ID, error);
    if (code == APF_OK && o->build_ids) {
        code = process_map_read_ids(&s->map, o->build_ids, max_bytes, error);
        c->at_fault = code == APF_OK ? in->n : in->n + 1;
        if (code == APF_OK)
            code = process_map_check_ids(&s->map, error);
    }
    for (size_t i = 0; code == APF_OK && i < in->n; i++) {
        code = (data ? perf_samples_read_data : perf_samples_read_script)(s, input_at(in->samples, i),
                                                                          max_bytes, error);
        c->at_fault = code == APF_OK ? in->n : i;
    }
    c->funnel.build_id_unknown = (data || o->build_ids) && !process_map_has_id(&s->map);
    return code == APF_OK ? perf_samples_finish(s, convert_perf_sample, to, error) : code;
}

int bolt_perf_read(void *user, struct conversion *c, struct text_set *events, struct apf_error *error)
{
    struct perf_samples s = {0};
    struct perf_conversion to = {c, events};
    const struct bolt_work *work = user;
    c->funnel.perf_data = (work->options->flags & APF_BOLT_CONVERT_PERF_DATA) != 0;
    c->funnel.perf_script = !c->funnel.perf_data;
    int code = read_all(&s, user, &to, error);
    report_counts(&c->funnel, &s);
    perf_samples_close(&s);
    return code;
}
