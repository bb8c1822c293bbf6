/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds inputs to a merge: each is read into the memory of a thread, added to the sum of its class, and dropped. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "inputs/inputs_add.h"
#include "inputs/inputs_removal.h"
#include "partial/partial_read.h"
#include "sample/merge/sample_digests.h"
#include "sample/merge/sample_merge_partial.h"
#include "sample/read/sample_formats.h"

/* The data of one input until they are committed. */
struct sample_outcome {
    struct input_outcome common;
    struct apf_sample_info info;
    uint64_t sum_of_counts;
    uint64_t findings[SAMPLE_FINDING_COUNT];
    struct apf_sample_salvage salvage;
    bool salvaged, hollow;
    uint8_t class;
    bool has_roster; /* n_roster digests, in the arena of the outcome */
    const uint64_t *roster;
    size_t n_roster;
    struct sample_merge_partial *partial; /* NULL: it is another input */
};

/* ---- on any thread ---- */

static void *begin_thread(void *context, unsigned thread)
{
    (void)context;
    (void)thread;
    return sample_new();
}

static void end_thread(void *context, unsigned thread, void *memory)
{
    (void)context;
    (void)thread;
    sample_free((struct apf_sample *)memory);
}

static void copy_facts(struct sample_outcome *out, const struct apf_sample *s)
{
    out->info = s->info;
    out->sum_of_counts = s->sum_of_counts;
    out->hollow = sample_is_hollow(s);
    out->class = (uint8_t)sample_class_of(s);
    for (unsigned i = 0; i < SAMPLE_FINDING_COUNT; i++)
        out->findings[i] = s->findings[i];
}

/* Only functions with checksums can be left out. */
static int make_roster(struct sample_outcome *out, const struct apf_sample *s, struct apf_error *error)
{
    uint64_t *digests = NULL, *copy = NULL;
    int code = APF_OK;
    if (s->info.flags & APF_SAMPLE_PROBES)
        code = sample_digests_roster(s, &digests, &out->n_roster, error);
    copy = code == APF_OK ? arena_array(out->common.arena, out->n_roster, sizeof *copy) : NULL;
    if (code == APF_OK && !copy)
        code = error_memory(error);
    if (code == APF_OK && digests && out->n_roster)
        memcpy(copy, digests, out->n_roster * sizeof *copy);
    out->roster = copy;
    out->has_roster = code == APF_OK;
    free(digests);
    return code;
}

static bool wants_roster(const struct apf_sample_merge *m)
{
    const uint32_t flags = m->options.flags & (APF_SAMPLE_MERGE_PARTIAL | APF_SAMPLE_MERGE_FORGET_INPUTS);
    return flags == APF_SAMPLE_MERGE_PARTIAL;
}

/* Adds a profile that was read. */
static void add_profile(struct apf_sample_merge *m, struct apf_sample *s, struct sample_outcome *out)
{
    struct input_outcome *o = &out->common;
    copy_facts(out, s);
    if (m->options.flags & APF_SAMPLE_MERGE_NO_SYMBOLS) {
        s->symbols.n = 0;
        s->has_symbols = false;
    }
    s->input = input_member(o->number, 0);
    if (wants_roster(m) && make_roster(out, s, &o->error) != APF_OK) {
        o->code = APF_NO_MEMORY;
        return;
    }
    o->code = sample_sums_add(&m->sums, s, o->weight, inputs_removal_votes(&m->kept, &o->file, o->weight),
                              &o->error);
    if (o->code == APF_OK)
        o->fate = INPUT_ADDED;
}

/* Whether the sums of partial profiles wait until one is written. No report can be asked for then, since it needs all
 * of them. */
static bool may_wait(const struct apf_sample_merge *m)
{
    return (m->options.flags & (APF_SAMPLE_MERGE_PARTIAL | APF_SAMPLE_MERGE_FIND_LOSSES |
                                APF_SAMPLE_MERGE_NO_SYMBOLS)) == APF_SAMPLE_MERGE_PARTIAL;
}

static bool waits(struct apf_sample_merge *m)
{
    return may_wait(m) && inputs_sources_reserve(&m->sources);
}

/* Whether an input is a partial profile that is read once now, and again when the merge is written. */
static bool is_streamed(void *context, const struct apf_input *input)
{
    const struct apf_sample_merge *m = (const struct apf_sample_merge *)context;
    uint64_t size;
    return may_wait(m) && (input->path || m->options.slice.n > 1) &&
           inputs_source_is(input, PARTIAL_SAMPLE, &size);
}

/* Adds a partial profile, for all of its inputs. */
static void add_partial(struct apf_sample_merge *m, const struct input_task *task, struct sample_outcome *out)
{
    struct input_outcome *o = &out->common;
    struct inputs_source source = {apf_input_memory(task->bytes->data, task->bytes->n, NULL),
                                   o->file.identity, o->number, 0};
    const bool waiting = task->streamed && waits(m);
    bool decided = true;
    if (task->streamed)
        source.input = input_copy(task->input);
    if (o->weight != 1)
        o->code = error_plain(&o->error, APF_UNSUPPORTED, "input.weight", PARTIAL_HAS_WEIGHTS);
    else
        o->code = sample_merge_add_partial(m, &source, waiting, o->arena, &out->partial, &decided, &o->error);
    if (waiting && (o->code != APF_OK || !out->partial->source.input.size))
        inputs_sources_release(&m->sources);
    if (o->code != APF_OK) {
        o->fate = decided && m->options.slice.n <= 1 ? INPUT_REFUSED : INPUT_UNDECIDED;
        out->info.layout = "";
        return;
    }
    o->fate = INPUT_ADDED;
    o->slice = out->partial->slice;
    o->members = out->partial->kept;
    o->n_members = out->partial->n_inputs;
}

static void add_input(void *context, const struct input_task *task, struct input_outcome *common)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)context;
    struct sample_outcome *out = (struct sample_outcome *)common;
    struct apf_sample *s = (struct apf_sample *)task->memory;
    if (task->streamed || partial_is(task->bytes->data, task->bytes->n)) {
        add_partial(m, task, out);
        return;
    }
    if (m->options.slice.n > 1) {
        common->code = error_plain(&common->error, APF_UNSUPPORTED, "merge.slice", PARTIAL_IS_NO_SLICE);
        return;
    }
    sample_reset(s);
    common->code = sample_read_any(s, task->bytes->data, task->bytes->n, &m->read, &common->error);
    if (common->code == APF_OK) {
        add_profile(m, s, out);
        return;
    }
    const struct sample_format *format =
        task->bytes->n ? sample_format_find(task->bytes->data, task->bytes->n) : NULL;
    out->info.format = format ? format->format : 0;
    out->info.layout = "";
    common->fate = INPUT_REFUSED;
}

static void salvage_input(void *context, const struct input_task *task, struct input_outcome *common)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)context;
    struct sample_outcome *out = (struct sample_outcome *)common;
    struct apf_sample *s = (struct apf_sample *)task->memory;
    struct apf_error why = common->error, error;
    if (!apf_code_is_damage(common->code))
        return;
    sample_reset(s);
    int code = sample_salvage_file(s, task->bytes, &m->read, &why, &error);
    if (code == APF_OK) {
        common->fate = INPUT_UNDECIDED; /* if adding fails, the merge fails */
        out->salvage = *s->salvage;
        out->salvaged = true;
        add_profile(m, s, out);
    } else if (code == APF_NO_MEMORY) {
        common->code = error_memory(&common->error);
    }
}

/* ---- in input order ---- */

/* Appends the data of the last input of the list, and makes its findings. */
static int push_input(struct apf_sample_merge *m, struct sample_input *kept,
                      const uint64_t findings[SAMPLE_FINDING_COUNT], struct apf_error *error)
{
    struct apf_sample_input_result *r = &kept->result;
    r->findings = finding_table_list(&sample_finding_table, findings, &m->arena, &r->n_findings);
    if (!r->findings || !VEC_PUSH(&m->inputs, *kept))
        return error_memory(error);
    size_t number = m->inputs.n - 1;
    m->kept.list.data[number].damage = kept->salvage ? &kept->salvage->error : NULL;
    sample_merge_show(m, number);
    return APF_OK;
}

static int keep_input(struct apf_sample_merge *m, const struct apf_input *input,
                      const struct sample_outcome *out, struct apf_error *error)
{
    struct sample_input kept = {.roster = ROSTER_NONE, .class = out->class, .hollow = out->hollow};
    struct apf_sample_input_result *r = &kept.result;
    struct apf_sample_info *info = arena_alloc(&m->arena, sizeof *info);
    if (!info)
        return error_memory(error);
    *info = out->info;
    r->info = info;
    r->sum_of_counts = out->sum_of_counts;
    if (out->salvaged) {
        kept.salvage = arena_alloc(&m->arena, sizeof *kept.salvage);
        if (!kept.salvage)
            return error_memory(error);
        *kept.salvage = out->salvage;
        file_error(&kept.salvage->error, kept.salvage->error.code, input, out->common.number);
        r->salvage = kept.salvage;
    }
    int code =
        out->has_roster ? rosters_add(&m->rosters, out->roster, out->n_roster, &kept.roster, error) : APF_OK;
    return code == APF_OK ? push_input(m, &kept, out->findings, error) : code;
}

/* Reports the damage, then what was salvaged. */
static int report_salvage(const struct apf_sample_merge *m, struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    uint64_t number = m->inputs.n - 1;
    const struct apf_sample_input_result *r = &m->inputs.data[number].result;
    const struct apf_sample_salvage *s = r->salvage;
    struct apf_error detail;
    struct apf_diag d = {APF_SEVERITY_WARNING, s->error.code, number, r->name, {NULL, 0}, 0, &s->error};
    int code = error_report_diag(o->diag, o->user, &d, error);
    error_set_plain(&detail, APF_SALVAGED, "input.salvage", "%llu function%s",
                    (unsigned long long)s->functions, s->functions == 1 ? "" : "s");
    if (s->lost_functions)
        error_add(&detail, ", %llu lost", (unsigned long long)s->lost_functions);
    else if (!s->lost_known)
        error_add(&detail, ", how many are lost is not known");
    detail.input = number;
    d.code = APF_SALVAGED;
    d.error = &detail;
    return code == APF_OK ? error_report_diag(o->diag, o->user, &d, error) : code;
}

/* Reports what was found in the last input, which was added. */
static int report_input(const struct apf_sample_merge *m, const uint64_t findings[SAMPLE_FINDING_COUNT],
                        struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    const size_t number = m->inputs.n - 1;
    const struct apf_sample_input_result *r = &m->inputs.data[number].result;
    int code = r->salvage ? report_salvage(m, error) : APF_OK;
    return code == APF_OK ? finding_table_report(&sample_finding_table, findings, number, r->name, o->diag,
                                                 o->user, error)
                          : code;
}

/* Keeps an input of a partial profile; with the first one, what is of all of them. */
static int commit_member(struct apf_sample_merge *m, const struct sample_merge_partial *p, size_t member,
                         struct apf_error *error)
{
    const struct sample_partial_input *input = &p->inputs[member];
    struct sample_input kept = {.roster = ROSTER_NONE,
                                .class = (uint8_t)input->class,
                                .hollow = input->hollow,
                                .salvage = input->salvage};
    kept.result.info = &input->info;
    kept.result.sum_of_counts = input->sum_of_counts;
    kept.result.salvage = input->salvage;
    if (input->salvage)
        input->salvage->error.input = m->inputs.n;
    int code = member == 0 ? partial_join_rosters(&m->rosters, &p->rosters, error) : APF_OK;
    if (code == APF_OK && input->roster != ROSTER_NONE)
        kept.roster = p->rosters.numbers[input->roster];
    if (code == APF_OK)
        code = push_input(m, &kept, input->findings, error);
    for (unsigned c = 0; member == 0 && c < SAMPLE_CLASS_COUNT; c++)
        m->weights[c] = sample_sum(m->weights[c], p->weights[c], 1, &(uint64_t){0});
    m->n_partials += member == 0;
    if (code == APF_OK && member == 0)
        code = inputs_sources_keep(&m->sources, &p->source, error);
    return code == APF_OK && input->kept.code == APF_OK ? report_input(m, input->findings, error) : code;
}

static int commit_input(void *context, const struct apf_input *input, const struct input_outcome *common,
                        struct apf_error *error)
{
    struct apf_sample_merge *m = (struct apf_sample_merge *)context;
    const struct sample_outcome *out = (const struct sample_outcome *)common;
    if (common->slice.number)
        return inputs_sources_keep(&m->sources, &out->partial->source, error);
    if (out->partial)
        return commit_member(m, out->partial, common->member, error);
    int code = keep_input(m, input, out, error);
    if (code != APF_OK || common->code != APF_OK)
        return code;
    uint64_t votes = inputs_removal_votes(&m->kept, &common->file, common->weight);
    if (!out->hollow)
        m->weights[out->class] = sample_sum(m->weights[out->class], votes, 1, &(uint64_t){0});
    return report_input(m, out->findings, error);
}

int apf_sample_merge_add(struct apf_sample_merge *m, const struct apf_input *inputs, size_t n,
                         struct apf_error *error)
{
    static const struct inputs_adder functions = {.outcome_size = sizeof(struct sample_outcome),
                                                  .thread_begin = begin_thread,
                                                  .thread_end = end_thread,
                                                  .add = add_input,
                                                  .streams = is_streamed,
                                                  .salvage = salvage_input,
                                                  .commit = commit_input};
    struct inputs_adder adder = functions;
    int code = inputs_check_whole(&m->kept, error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code != APF_OK)
        return code;
    sample_merge_drop_view(m);
    adder.context = m;
    code = VEC_RESERVE(&m->inputs, n) ? APF_OK : error_memory(error);
    if (code == APF_OK)
        code = inputs_add(&m->kept, inputs, n, &adder, error);
    if (code == APF_OK && !inputs_all_are_taken(&m->kept))
        code = sample_merge_settle(m, error);
    m->kept.broken |= code != APF_OK;
    return code;
}
