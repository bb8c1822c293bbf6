/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One pass over a text of any length: equal branches of a process are added up during the pass, and are translated to
 * addresses of the program at its end, when all mappings are known. */
#include "jobs/bolt_perf.h"

#include <elf.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"
#include "perf/process_map.h"

#define KERNEL ((uint64_t)0xffff800000000000)
#define ONLY_BRANCH UINT64_MAX /* end of a trace without a known next branch */
#define NO_EVENT UINT64_MAX
#define MOST_EVENTS 1000u

/* Processors with branch stacks of 32 entries write the newest entry twice, once wrong: from the first such sample of
 * the program on, the two newest entries of all its samples are dropped. That first sample is known only after all
 * mappings. So the newest entries are counted in both forms, by period; a period ends with the first such sample of a
 * process. */
#define ALWAYS 0u
#define AS_IT_IS(period) (2 * (period) + 1) /* used for periods before that sample */
#define WITHOUT(period) (2 * (period) + 2)  /* used for later periods */
#define LAST_PERIOD ((UINT32_MAX - 3) / 2)
#define DOUBTFUL ((size_t)2)

/* Counts of a process, used if it runs the program. */
struct process_samples {
    uint64_t samples, empty, entries, kernel, silent, loads, other_mode;
    uint32_t stack_of_32; /* period of the first sample with 32 entries; UINT32_MAX: none */
};

struct bolt_perf {
    struct process_map map;
    VEC(struct process_samples) processes; /* by their numbers in the map; may be shorter than the map */
    /* A branch, its target `from` and the next branch `to`; in samples of instructions `branch` is the instruction and
     * `from` the number of the event. `kind` is a trace_kind. */
    struct branch_counts traces;
    VEC(struct apf_str) events;
    struct arena arena;
    VEC(struct perf_branch) branches; /* branches of a sample, without those of the kernel */
    uint32_t period;
    bool certain; /* the program certainly had a sample with 32 entries */
    bool basic, keep_kernel, is_x86;
    uint64_t max_samples, n_samples;
    uint32_t pid;
    struct perf_script script;
    struct apf_bolt_funnel *funnel;
};

static uint64_t trace_kind(uint32_t process, uint32_t when)
{
    return (uint64_t)process << 32 | when;
}

static uint32_t trace_process(const struct branch_sample *t)
{
    return (uint32_t)(t->kind >> 32);
}

/* ---- samples ---- */

/* Adds entry i. `first`: it is the newest entry that is used, so the next branch is not known. */
static void add_entry(struct bolt_perf *b, uint32_t process, size_t i, bool first, uint32_t when)
{
    const struct perf_branch *e = b->branches.data + i;
    struct branch_sample trace = {.branch = e->from,
                                  .from = e->to,
                                  .to = first ? ONLY_BRANCH : e[-1].from,
                                  .count = 1,
                                  .mispredictions = e->mispredicted};
    trace.kind = trace_kind(process, when);
    branch_counts_add(&b->traces, &trace);
}

static int add_entries(struct bolt_perf *b, uint32_t process, struct apf_error *error)
{
    size_t n = b->branches.n;
    int code = branch_counts_reserve(&b->traces, n + DOUBTFUL, error);
    if (code != APF_OK)
        return code;
    uint32_t as_it_is = b->is_x86 ? AS_IT_IS(b->period) : ALWAYS;
    for (size_t i = 0; !b->certain && i < n && i <= DOUBTFUL; i++)
        add_entry(b, process, i, i == 0, as_it_is);
    if (n > DOUBTFUL && b->is_x86)
        add_entry(b, process, DOUBTFUL, true, b->certain ? ALWAYS : WITHOUT(b->period));
    for (size_t i = DOUBTFUL + 1; i < n; i++)
        add_entry(b, process, i, false, ALWAYS);
    return APF_OK;
}

/* Keeps the branches of the program. Branches to or from the kernel are interrupts: the program continues after them
 * where it was. */
static bool keep_branches(struct bolt_perf *b, struct process_samples *process, const struct perf_record *r)
{
    b->branches.n = 0;
    if (!VEC_RESERVE(&b->branches, r->n_branches))
        return false;
    for (size_t i = 0; i < r->n_branches; i++) {
        const struct perf_branch *e = &r->branches[i];
        if (!b->keep_kernel && (e->from >= KERNEL || e->to >= KERNEL)) {
            process->kernel++;
        } else {
            process->silent += e->silent;
            b->branches.data[b->branches.n++] = *e;
        }
    }
    process->entries += b->branches.n;
    return true;
}

static void find_period(struct bolt_perf *b, struct process_samples *process, uint32_t number)
{
    if (!b->is_x86 || b->branches.n != 32 || process->stack_of_32 != UINT32_MAX || b->certain)
        return;
    if (b->period < LAST_PERIOD)
        b->period++;
    process->stack_of_32 = b->period;
    b->certain =
        process_map_is_certain(&b->map, number) && (!b->pid || b->pid == b->map.list.data[number].pid);
}

static bool has_word(struct apf_str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.p + i, word, n) == 0)
            return true;
    return false;
}

static int find_event(struct bolt_perf *b, struct apf_str name, uint64_t *number, struct apf_error *error)
{
    for (size_t i = 0; i < b->events.n; i++) {
        *number = i;
        if (text_equal(b->events.data[i], name))
            return APF_OK;
    }
    if (b->events.n == MOST_EVENTS)
        return error_plain(error, APF_LIMIT, "perf.event", "more than 1000 different events");
    *number = b->events.n;
    name.p = arena_text(&b->arena, name.p, name.n);
    return name.p && VEC_PUSH(&b->events, name) ? APF_OK : error_memory(error);
}

static int add_address(struct bolt_perf *b, uint32_t number, const struct perf_record *r,
                       struct apf_error *error)
{
    struct branch_sample trace = {.branch = r->address, .from = NO_EVENT, .count = 1};
    trace.kind = trace_kind(number, ALWAYS);
    int code = r->event.n ? find_event(b, r->event, &trace.from, error) : APF_OK;
    if (code == APF_OK)
        code = branch_counts_reserve(&b->traces, 1, error);
    if (code == APF_OK)
        branch_counts_add(&b->traces, &trace);
    return code;
}

static int add_stack(struct bolt_perf *b, uint32_t number, const struct perf_record *r,
                     struct apf_error *error)
{
    struct process_samples *process = &b->processes.data[number];
    process->empty += r->n_branches == 0;
    process->loads += has_word(r->event, "mem-loads");
    if (!keep_branches(b, process, r))
        return error_memory(error);
    find_period(b, process, number);
    return add_entries(b, number, error);
}

/* Finds the process of a sample, and its counts in b->processes. */
static int find_process(struct bolt_perf *b, uint32_t pid, uint32_t *number, struct apf_error *error)
{
    static const struct process_samples none = {.stack_of_32 = UINT32_MAX};
    int code = process_map_find(&b->map, pid, number, error);
    while (code == APF_OK && b->processes.n <= *number)
        if (!VEC_PUSH(&b->processes, none))
            code = error_memory(error);
    return code;
}

static int add_record(void *user, const struct perf_record *r, struct apf_error *error)
{
    struct bolt_perf *b = user;
    uint32_t number;
    if (r->kind >= PERF_MAPPING)
        return process_map_add(&b->map, r, error);
    if (b->n_samples == b->max_samples) {
        b->funnel->samples_beyond++;
        return APF_OK;
    }
    int code = find_process(b, r->pid, &number, error);
    if (code != APF_OK)
        return code;
    struct process_samples *process = &b->processes.data[number];
    b->n_samples++;
    process->samples++;
    if (r->kind == PERF_LOAD) {
        process->loads++;
        return APF_OK;
    }
    if (b->basic != (r->kind == PERF_ADDRESS)) {
        process->other_mode++;
        return APF_OK;
    }
    return b->basic ? add_address(b, number, r, error) : add_stack(b, number, r, error);
}

/* ---- the end ---- */

static void count_samples(struct bolt_perf *b)
{
    struct apf_bolt_funnel *f = b->funnel;
    for (size_t i = 0; i < b->map.list.n; i++)
        f->processes += b->map.list.data[i].source != NO_PROCESS;
    for (size_t i = 0; i < b->processes.n; i++) {
        const struct process_samples *p = &b->processes.data[i];
        bool ours = b->map.list.data[i].source != NO_PROCESS;
        f->samples += p->samples;
        f->samples_elsewhere += ours ? 0 : p->samples;
        if (!ours)
            continue;
        f->samples_empty += p->empty;
        f->entries += p->entries + p->kernel;
        f->entries_kernel += p->kernel;
        f->entries_silent += p->silent;
        f->entries_repeated += p->entries; /* minus the entries that are used, below */
        f->loads += p->loads;
        f->other_mode += p->other_mode;
    }
    f->records = b->script.n_lines;
    f->lines_of_events = b->script.n_events;
    f->lines_of_losses = b->script.n_lost;
    f->lines_of_else = b->script.n_other;
    f->first_else = b->script.first_other;
    f->entries_not_taken = b->script.not_taken;
    f->mappings_ignored = b->map.n_ignored;
}

/* The period that begins with the first sample of the program that has 32 entries. */
static uint32_t find_bug(const struct bolt_perf *b)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < b->processes.n; i++) {
        const struct process_samples *p = &b->processes.data[i];
        if (b->map.list.data[i].source != NO_PROCESS && p->stack_of_32 < first)
            first = p->stack_of_32;
    }
    return first;
}

static bool is_used(const struct branch_sample *t, uint32_t bug)
{
    uint32_t when = (uint32_t)t->kind, period = (when - 1) / 2;
    return when == ALWAYS || (when % 2 ? period < bug : period >= bug);
}

static int convert_address(struct bolt_perf *b, const struct branch_sample *t, struct conversion *c,
                           struct preagg_events *events, struct apf_error *error)
{
    struct branch_sample s = {.kind = SAMPLE_BASIC, .count = t->count};
    s.branch = process_map_address(&b->map, trace_process(t), t->branch);
    if (t->from != NO_EVENT && !preagg_add_event(events, b->events.data[t->from]))
        return error_memory(error);
    return convert_sample(c, &s, error);
}

static int convert_trace(struct bolt_perf *b, const struct branch_sample *t, struct conversion *c,
                         struct apf_error *error)
{
    struct branch_sample s = {.count = t->count, .mispredictions = t->mispredictions};
    uint32_t process = trace_process(t);
    s.kind = t->to == ONLY_BRANCH ? SAMPLE_BRANCH : SAMPLE_TRACE;
    s.branch = process_map_address(&b->map, process, t->branch);
    s.from = process_map_address(&b->map, process, t->from);
    s.to = s.kind == SAMPLE_BRANCH ? 0 : process_map_address(&b->map, process, t->to);
    b->funnel->entries_repeated -= t->count;
    return convert_sample(c, &s, error);
}

static int convert_traces(struct bolt_perf *b, struct conversion *c, struct preagg_events *events,
                          struct apf_error *error)
{
    uint32_t bug = find_bug(b);
    int code = APF_OK;
    count_samples(b);
    branch_counts_finish(&b->traces);
    for (size_t i = 0; code == APF_OK && i < b->traces.list.n; i++) {
        const struct branch_sample *t = &b->traces.list.data[i];
        if (b->map.list.data[trace_process(t)].source == NO_PROCESS || !is_used(t, bug))
            continue;
        code = b->basic ? convert_address(b, t, c, events, error) : convert_trace(b, t, c, error);
    }
    return code;
}

static int read_all(struct bolt_perf *b, const struct bolt_work *in, struct conversion *c,
                    struct preagg_events *events, struct apf_error *error)
{
    const struct apf_bolt_convert_options *o = in->options;
    uint64_t max_bytes = options_max_bytes(o->options);
    uint32_t machine = elf_file_facts(c->bat->elf)->machine;
    bool matched = true;
    b->is_x86 = machine == EM_X86_64 || machine == EM_386;
    int code = process_map_open(&b->map, c->bat->elf, bolt_program_name(in),
                                o->flags & APF_BOLT_IGNORE_BUILD_ID, error);
    if (code == APF_OK && o->build_ids) {
        code = process_map_read_ids(&b->map, o->build_ids, max_bytes, &matched, error);
        c->at_fault = code == APF_OK || code == APF_NOT_RECORDED ? in->n : in->n + 1;
    }
    for (size_t i = 0; code == APF_OK && i < in->n; i++) {
        code = perf_script_read(&b->script, input_at(in->samples, i), max_bytes, add_record, b, error);
        c->at_fault = code == APF_OK ? in->n : i;
    }
    b->funnel->build_id_unknown = !matched;
    if (code == APF_OK)
        code = process_map_settle(&b->map, b->pid, error);
    b->funnel->name_by_build_id = b->map.use;
    return code == APF_OK ? convert_traces(b, c, events, error) : code;
}

int bolt_perf_read(void *user, struct conversion *c, struct preagg_events *events, struct apf_error *error)
{
    const struct bolt_work *in = user;
    struct bolt_perf b = {.basic = c->basic, .funnel = &c->funnel, .pid = in->options->pid};
    c->funnel.perf_script = 1;
    b.keep_kernel = in->options->flags & APF_BOLT_KEEP_KERNEL;
    b.max_samples = in->options->max_samples ? in->options->max_samples : UINT64_MAX;
    int code = read_all(&b, in, c, events, error);
    process_map_close(&b.map);
    perf_script_free(&b.script);
    branch_counts_free(&b.traces);
    VEC_FREE(&b.processes);
    VEC_FREE(&b.events);
    VEC_FREE(&b.branches);
    arena_free(&b.arena);
    return code;
}
