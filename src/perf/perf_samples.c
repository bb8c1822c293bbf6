/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_samples.h"

#include <elf.h>

#include "base/error.h"
#include "base/text_bytes.h"

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

/* In s->traces a record is a branch, its target `from` and the next branch `to`; of samples of instructions `branch` is
 * the instruction and `from` the number of the event. `kind` is made of the process and of when an entry is used. */
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
static void add_entry(struct perf_samples *s, uint32_t process, size_t i, bool first, uint32_t when)
{
    const struct apf_perf_branch *e = s->branches.data + i;
    struct branch_sample trace = {.branch = e->from,
                                  .from = e->to,
                                  .to = first ? ONLY_BRANCH : e[-1].from,
                                  .count = 1,
                                  .mispredictions = perf_branch_missed(e)};
    trace.kind = trace_kind(process, when);
    branch_counts_add(&s->traces, &trace);
}

static int add_entries(struct perf_samples *s, uint32_t process, struct apf_error *error)
{
    size_t n = s->branches.n;
    int code = branch_counts_reserve(&s->traces, n + DOUBTFUL, error);
    if (code != APF_OK)
        return code;
    uint32_t as_it_is = s->drops_newest ? AS_IT_IS(s->period) : ALWAYS;
    for (size_t i = 0; !s->certain && i < n && i <= DOUBTFUL; i++)
        add_entry(s, process, i, i == 0, as_it_is);
    if (n > DOUBTFUL && s->drops_newest)
        add_entry(s, process, DOUBTFUL, true, s->certain ? ALWAYS : WITHOUT(s->period));
    for (size_t i = DOUBTFUL + 1; i < n; i++)
        add_entry(s, process, i, false, ALWAYS);
    return APF_OK;
}

/* Keeps the branches of the program. Branches to or from the kernel are interrupts: the program continues after them
 * where it was. */
static bool keep_branches(struct perf_samples *s, struct process_samples *process,
                          const struct perf_record *r)
{
    s->branches.n = 0;
    if (!VEC_RESERVE(&s->branches, r->n_branches))
        return false;
    for (size_t i = 0; i < r->n_branches; i++) {
        const struct apf_perf_branch *e = &r->branches[i];
        if (!s->options.keep_kernel && (e->from >= KERNEL || e->to >= KERNEL)) {
            process->kernel++;
        } else {
            process->silent += perf_branch_silent(e);
            s->branches.data[s->branches.n++] = *e;
        }
    }
    process->entries += s->branches.n;
    return true;
}

static void find_period(struct perf_samples *s, struct process_samples *process, uint32_t number)
{
    if (!s->drops_newest || s->branches.n != 32 || process->stack_of_32 != UINT32_MAX || s->certain)
        return;
    if (s->period < LAST_PERIOD)
        s->period++;
    process->stack_of_32 = s->period;
    s->certain = process_map_is_certain(&s->map, number) &&
                 (!s->options.pid || s->options.pid == s->map.list.data[number].pid);
}

/* Profiles separate the names of events by blanks, and perf.data may have any in them ("raw 0x1a8"). */
static char name_char(char c)
{
    return text_word(&c, 1) ? c : '_';
}

/* perf2bolt keeps the colon that perf prints after a name. */
static bool print_event(struct perf_samples *s, struct apf_str name)
{
    s->printed.n = 0;
    if (!VEC_RESERVE(&s->printed, name.n + 1))
        return false;
    for (size_t i = 0; i < name.n; i++)
        s->printed.data[i] = name_char(name.p[i]);
    s->printed.data[name.n] = ':';
    s->printed.n = name.n + 1;
    return true;
}

static int find_event(struct perf_samples *s, struct apf_str name, uint64_t *number, struct apf_error *error)
{
    uint32_t found;
    if (!print_event(s, name))
        return error_memory(error);
    const int code = text_set_add(&s->events, (struct apf_str){s->printed.data, s->printed.n}, &found, error);
    if (code != APF_OK)
        return code;
    *number = found;
    return found < MOST_EVENTS
               ? APF_OK
               : error_plain(error, APF_LIMIT, "perf.event", "more than 1000 different events");
}

/* Names in perf.data may have 64 kB, and are looked at once: samples of an event have them at one place. */
static int find_recorded(struct perf_samples *s, const struct perf_record *r, uint64_t *number,
                         struct apf_error *error)
{
    static const struct perf_recorded_event none = {{NULL, 0}, 0};
    while (s->recorded_events.n <= r->number)
        if (!VEC_PUSH(&s->recorded_events, none))
            return error_memory(error);
    struct perf_recorded_event *known = &s->recorded_events.data[r->number];
    if (known->name.p != r->event.p || known->name.n != r->event.n) {
        int code = find_event(s, r->event, &known->event, error);
        if (code != APF_OK)
            return code;
        known->name = r->event;
    }
    *number = known->event;
    return APF_OK;
}

static int add_address(struct perf_samples *s, uint32_t number, const struct perf_record *r,
                       struct apf_error *error)
{
    struct branch_sample trace = {.branch = r->address, .from = NO_EVENT, .count = 1};
    trace.kind = trace_kind(number, ALWAYS);
    int code = APF_OK;
    if (r->event.n)
        code = s->in_recording ? find_recorded(s, r, &trace.from, error)
                               : find_event(s, r->event, &trace.from, error);
    if (code == APF_OK)
        code = branch_counts_reserve(&s->traces, 1, error);
    if (code == APF_OK)
        branch_counts_add(&s->traces, &trace);
    return code;
}

static int add_stack(struct perf_samples *s, uint32_t number, const struct perf_record *r,
                     struct apf_error *error)
{
    static const struct apf_str mem_loads = {"mem-loads", sizeof "mem-loads" - 1};
    struct process_samples *process = &s->processes.data[number];
    process->empty += r->n_branches == 0;
    process->loads += text_contains(r->event.p, r->event.n, mem_loads);
    if (!keep_branches(s, process, r))
        return error_memory(error);
    find_period(s, process, number);
    return add_entries(s, number, error);
}

/* Finds the process of a sample, and its counts in s->processes. */
static int find_process(struct perf_samples *s, uint32_t pid, uint32_t *number, struct apf_error *error)
{
    static const struct process_samples none = {.stack_of_32 = UINT32_MAX};
    int code = process_map_find(&s->map, pid, number, error);
    while (code == APF_OK && s->processes.n <= *number)
        if (!VEC_PUSH(&s->processes, none))
            code = error_memory(error);
    return code;
}

static int add_record(void *user, const struct perf_record *r, struct apf_error *error)
{
    struct perf_samples *s = user;
    uint32_t number;
    if (r->kind != PERF_SAMPLE)
        return process_map_add(&s->map, r, error);
    if (s->n_read == s->options.max_samples) {
        s->counts.beyond++;
        return APF_OK;
    }
    int code = find_process(s, r->pid, &number, error);
    if (code != APF_OK)
        return code;
    struct process_samples *process = &s->processes.data[number];
    s->n_read++;
    process->samples++;
    if (r->fields & APF_PERF_HAS_DATA) {
        process->loads++;
        return APF_OK;
    }
    if (!(r->fields & (s->options.addresses ? APF_PERF_HAS_ADDRESS : APF_PERF_HAS_BRANCHES))) {
        process->other_mode++;
        return APF_OK;
    }
    return s->options.addresses ? add_address(s, number, r, error) : add_stack(s, number, r, error);
}

/* ---- the end ---- */

static void count_samples(struct perf_samples *s)
{
    struct perf_samples_counts *all = &s->counts;
    for (size_t i = 0; i < s->map.list.n; i++)
        all->processes += s->map.list.data[i].source != NO_PROCESS;
    for (size_t i = 0; i < s->processes.n; i++) {
        const struct process_samples *p = &s->processes.data[i];
        bool ours = s->map.list.data[i].source != NO_PROCESS;
        all->samples += p->samples;
        all->elsewhere += ours ? 0 : p->samples;
        if (!ours)
            continue;
        all->empty += p->empty;
        all->entries += p->entries + p->kernel;
        all->kernel += p->kernel;
        all->silent += p->silent;
        all->repeated += p->entries; /* minus the entries that are used: see visit_trace */
        all->loads += p->loads;
        all->other_mode += p->other_mode;
    }
}

/* The period that begins with the first sample of the program that has 32 entries. */
static uint32_t find_bug(const struct perf_samples *s)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < s->processes.n; i++) {
        const struct process_samples *p = &s->processes.data[i];
        if (s->map.list.data[i].source != NO_PROCESS && p->stack_of_32 < first)
            first = p->stack_of_32;
    }
    return first;
}

static bool is_used(const struct branch_sample *t, uint32_t bug)
{
    uint32_t when = (uint32_t)t->kind, period = (when - 1) / 2;
    return when == ALWAYS || (when % 2 ? period < bug : period >= bug);
}

static void translate_trace(const struct perf_samples *s, const struct branch_sample *t,
                            struct perf_sample *out)
{
    uint32_t process = trace_process(t);
    out->kind = t->to == ONLY_BRANCH ? PERF_SAMPLE_BRANCH : PERF_SAMPLE_TRACE;
    out->target = process_map_address(&s->map, process, t->from);
    out->next = out->kind == PERF_SAMPLE_BRANCH ? 0 : process_map_address(&s->map, process, t->to);
    out->mispredictions = t->mispredictions;
}

static int visit_trace(struct perf_samples *s, const struct branch_sample *t, perf_sample_fn *visit,
                       void *user, struct apf_error *error)
{
    struct perf_sample sample = {.kind = PERF_SAMPLE_ADDRESS, .count = t->count};
    sample.address = process_map_address(&s->map, trace_process(t), t->branch);
    if (!s->options.addresses) {
        translate_trace(s, t, &sample);
        s->counts.repeated -= t->count;
    } else if (t->from != NO_EVENT) {
        sample.event = s->events.list.data[t->from];
    }
    return visit(user, &sample, error);
}

int perf_samples_finish(struct perf_samples *s, perf_sample_fn *visit, void *user, struct apf_error *error)
{
    int code = process_map_check_ids(&s->map, error);
    if (code == APF_OK)
        code = process_map_settle(&s->map, s->options.pid, error);
    if (code != APF_OK)
        return code;
    uint32_t bug = find_bug(s);
    count_samples(s);
    branch_counts_finish(&s->traces);
    for (size_t i = 0; code == APF_OK && i < s->traces.list.n; i++) {
        const struct branch_sample *t = &s->traces.list.data[i];
        if (s->map.list.data[trace_process(t)].source != NO_PROCESS && is_used(t, bug))
            code = visit_trace(s, t, visit, user, error);
    }
    return code;
}

/* ---- the handle ---- */

int perf_samples_open(struct perf_samples *s, const struct perf_samples_options *options,
                      const struct elf_file *elf, const char *name, bool ignore_build_id,
                      struct apf_error *error)
{
    uint32_t machine = elf_file_facts(elf)->machine;
    s->options = *options;
    s->drops_newest = !options->keep_newest && (machine == EM_X86_64 || machine == EM_386);
    return process_map_open(&s->map, elf, name, ignore_build_id, error);
}

int perf_samples_read_script(struct perf_samples *s, const struct apf_input *input, uint64_t max_bytes,
                             struct apf_error *error)
{
    return perf_script_read(&s->script, input, max_bytes, add_record, s, error);
}

/* The name of the event tells loads, as in the text that perf prints for perf2bolt: any event can have addresses of
 * data. */
static int add_recorded(void *user, const struct perf_record *r, struct apf_error *error)
{
    struct perf_record record = *r;
    record.fields &= ~APF_PERF_HAS_DATA;
    return add_record(user, &record, error);
}

int perf_samples_read_data(struct perf_samples *s, const struct apf_input *input, uint64_t max_bytes,
                           struct apf_error *error)
{
    struct perf_data data;
    int code = perf_data_open(&data, input, max_bytes, error);
    s->in_recording = true;
    if (code == APF_OK)
        code = perf_data_read(&data, add_recorded, s, error);
    s->in_recording = false;
    s->recorded_events.n = 0; /* their names go with the recording */
    s->recorded = data.counts;
    perf_data_close(&data);
    return code;
}

void perf_samples_close(struct perf_samples *s)
{
    process_map_close(&s->map);
    perf_script_free(&s->script);
    branch_counts_free(&s->traces);
    VEC_FREE(&s->processes);
    text_set_free(&s->events);
    VEC_FREE(&s->printed);
    VEC_FREE(&s->recorded_events);
    VEC_FREE(&s->branches);
}
