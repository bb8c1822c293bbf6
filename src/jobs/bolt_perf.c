/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One pass over a text of any length: what is equal in a sample and another one of the same process is added up as it
 * comes, and what becomes of it is decided at its end, when all mappings are known. */
#include "jobs/bolt_perf.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "jobs/process_images.h"

#define KERNEL ((uint64_t)0xffff800000000000)
#define ONLY_BRANCH UINT64_MAX /* the end of a trace that has none */
#define MOST_EVENTS 1000u

/* Branch stacks of 32 entries are those of processors that write the newest entry twice, with a wrong one: from the
 * first such sample of the program on, the two newest entries of all its samples are left out. Which one is the first
 * is known when all mappings are. So the beginnings of samples are kept in both forms, by their period; a period ends
 * with the first such sample of a process. */
#define ALWAYS 0u
#define AS_IT_IS(period) (2 * (period) + 1) /* used if it was before that sample */
#define WITHOUT(period) (2 * (period) + 2)  /* used if it was not */
#define LAST_PERIOD ((UINT32_MAX - 3) / 2)
#define DOUBTFUL ((size_t)2)

struct perf_trace {
    uint64_t branch, from, to; /* of a sample of an instruction: where, and the number of the event */
    uint64_t count, mispredictions;
    uint32_t process, when;
};

struct bolt_perf {
    struct process_images images;
    VEC(struct perf_trace) traces;
    struct hash_index index;
    VEC(struct apf_str) events;
    struct arena arena;
    VEC(struct perf_branch) branches; /* of a sample, without those of the kernel */
    uint32_t period;
    bool certain; /* there was such a sample of the program, for certain */
    bool basic, keep_kernel;
    uint64_t max_samples, n_samples;
    uint32_t pid;
    struct perf_script script;
    struct apf_bolt_funnel *funnel;
};

/* ---- adding up ---- */

static bool is_same(const struct perf_trace *a, const struct perf_trace *b)
{
    return a->branch == b->branch && a->from == b->from && a->to == b->to && a->process == b->process &&
           a->when == b->when;
}

/* There is room in the index. */
static bool add(struct bolt_perf *b, const struct perf_trace *t)
{
    uint64_t hash = hash_index_mix(&b->index, t->branch, t->from);
    hash = hash_index_mix(&b->index, hash ^ t->to, (uint64_t)t->process << 32 | t->when);
    size_t pos = hash_index_first(&b->index, hash);
    for (uint32_t i; (i = hash_index_next(&b->index, hash, &pos)) != HASH_INDEX_NONE;) {
        struct perf_trace *known = &b->traces.data[i];
        if (!is_same(known, t))
            continue;
        known->count += t->count;
        known->mispredictions += t->mispredictions;
        return true;
    }
    if (b->traces.n >= HASH_INDEX_NONE || !VEC_PUSH(&b->traces, *t))
        return false;
    hash_index_add(&b->index, hash, (uint32_t)(b->traces.n - 1));
    return true;
}

/* ---- samples ---- */

/* Entry i; first: of those that are used, so that it is not known how it went on. */
static bool add_entry(struct bolt_perf *b, uint32_t process, size_t i, bool first, uint32_t when)
{
    const struct perf_branch *e = b->branches.data + i;
    struct perf_trace trace = {e->from, e->to, first ? ONLY_BRANCH : e[-1].from, 1, e->mispredicted,
                               process, when};
    return add(b, &trace);
}

static bool add_stack(struct bolt_perf *b, uint32_t process)
{
    size_t n = b->branches.n;
    bool good = hash_index_reserve(&b->index, n + DOUBTFUL);
    if (good && !b->certain) {
        uint32_t as_it_is = b->images.x86 ? AS_IT_IS(b->period) : ALWAYS;
        for (size_t i = 0; good && i < n && i <= DOUBTFUL; i++)
            good = add_entry(b, process, i, i == 0, as_it_is);
    }
    if (good && n > DOUBTFUL && b->images.x86)
        good = add_entry(b, process, DOUBTFUL, true, b->certain ? ALWAYS : WITHOUT(b->period));
    for (size_t i = DOUBTFUL + 1; good && i < n; i++)
        good = add_entry(b, process, i, false, ALWAYS);
    return good;
}

/* Those with an end in the kernel are its interrupts: the program goes on behind them where it was. */
static bool keep_branches(struct bolt_perf *b, struct process *process, const struct perf_record *r)
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

static void find_period(struct bolt_perf *b, struct process *process, uint32_t number)
{
    if (!b->images.x86 || b->branches.n != 32 || process->stack_of_32 != UINT32_MAX || b->certain)
        return;
    if (b->period < LAST_PERIOD)
        b->period++;
    process->stack_of_32 = b->period;
    b->certain = process_images_is_certain(&b->images, number) && (!b->pid || b->pid == process->pid);
}

static bool has_word(struct apf_str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.p + i, word, n) == 0)
            return true;
    return false;
}

/* The number of an event; UINT32_MAX: memory is out, or there are too many. */
static uint32_t find_event(struct bolt_perf *b, struct apf_str name)
{
    for (size_t i = 0; i < b->events.n; i++)
        if (b->events.data[i].n == name.n && memcmp(b->events.data[i].p, name.p, name.n) == 0)
            return (uint32_t)i;
    name.p = b->events.n < MOST_EVENTS ? arena_text(&b->arena, name.p, name.n) : NULL;
    return name.p && VEC_PUSH(&b->events, name) ? (uint32_t)(b->events.n - 1) : UINT32_MAX;
}

static int take_address(struct bolt_perf *b, uint32_t number, const struct perf_record *r,
                        struct apf_error *error)
{
    uint32_t event = r->event.n ? find_event(b, r->event) : UINT32_MAX;
    if (r->event.n && event == UINT32_MAX && b->events.n == MOST_EVENTS)
        return error_plain(error, APF_LIMIT, "perf.event", "more than 1000 different events");
    struct perf_trace trace = {r->address, event, 0, 1, 0, number, ALWAYS};
    return (r->event.n == 0 || event != UINT32_MAX) && hash_index_reserve(&b->index, 1) && add(b, &trace)
               ? APF_OK
               : error_memory(error);
}

static int take_stack(struct bolt_perf *b, uint32_t number, const struct perf_record *r,
                      struct apf_error *error)
{
    struct process *process = &b->images.list.data[number];
    process->empty += r->n_branches == 0;
    process->loads += has_word(r->event, "mem-loads");
    if (!keep_branches(b, process, r))
        return error_memory(error);
    find_period(b, process, number);
    return add_stack(b, number) ? APF_OK : error_memory(error);
}

static int take(void *user, const struct perf_record *r, struct apf_error *error)
{
    struct bolt_perf *b = user;
    if (r->kind >= PERF_MAPPING)
        return process_images_take(&b->images, r, error);
    if (b->n_samples == b->max_samples) {
        b->funnel->samples_beyond++;
        return APF_OK;
    }
    uint32_t number = process_images_find(&b->images, r->pid);
    if (number == NO_PROCESS)
        return error_memory(error);
    struct process *process = &b->images.list.data[number];
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
    return b->basic ? take_address(b, number, r, error) : take_stack(b, number, r, error);
}

/* ---- the end ---- */

static void count_samples(struct bolt_perf *b)
{
    struct apf_bolt_funnel *f = b->funnel;
    for (size_t i = 0; i < b->images.list.n; i++) {
        const struct process *p = &b->images.list.data[i];
        bool ours = p->source != NO_PROCESS;
        f->samples += p->samples;
        f->samples_elsewhere += ours ? 0 : p->samples;
        f->processes += ours;
        if (!ours)
            continue;
        f->samples_empty += p->empty;
        f->entries += p->entries + p->kernel;
        f->entries_kernel += p->kernel;
        f->entries_silent += p->silent;
        f->entries_repeated += p->entries; /* but for those that are used */
        f->loads += p->loads;
        f->other_mode += p->other_mode;
    }
    f->records = b->script.n_lines;
    f->lines_of_events = b->script.n_events;
    f->lines_of_losses = b->script.n_lost;
    f->lines_of_else = b->script.n_other;
    f->first_else = b->script.first_other;
    f->entries_not_taken = b->script.not_taken;
    f->mappings_ignored = b->images.n_ignored;
}

/* The period that begins with the first sample of the program that has 32 entries. */
static uint32_t find_bug(const struct bolt_perf *b)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; i < b->images.list.n; i++) {
        const struct process *p = &b->images.list.data[i];
        if (p->source != NO_PROCESS && p->stack_of_32 < first)
            first = p->stack_of_32;
    }
    return first;
}

static bool is_used(const struct perf_trace *t, uint32_t bug)
{
    uint32_t period = (t->when - 1) / 2;
    return t->when == ALWAYS || (t->when % 2 ? period < bug : period >= bug);
}

static int give_basic(struct bolt_perf *b, const struct perf_trace *t, struct conversion *c,
                      struct preagg_events *events, struct apf_error *error)
{
    struct sample s = {.kind = SAMPLE_BASIC, .count = t->count};
    s.branch = process_images_address(&b->images, t->process, t->branch);
    if (t->from != UINT32_MAX && !preagg_add_event(events, b->events.data[t->from]))
        return error_memory(error);
    return convert_sample(c, &s, error);
}

static int give_trace(struct bolt_perf *b, const struct perf_trace *t, struct conversion *c,
                      struct apf_error *error)
{
    struct sample s = {.count = t->count, .mispredictions = t->mispredictions};
    s.kind = t->to == ONLY_BRANCH ? SAMPLE_BRANCH : SAMPLE_TRACE;
    s.branch = process_images_address(&b->images, t->process, t->branch);
    s.from = process_images_address(&b->images, t->process, t->from);
    s.to = s.kind == SAMPLE_BRANCH ? 0 : process_images_address(&b->images, t->process, t->to);
    b->funnel->entries_repeated -= t->count;
    return convert_sample(c, &s, error);
}

static int give(struct bolt_perf *b, struct conversion *c, struct preagg_events *events,
                struct apf_error *error)
{
    uint32_t bug = find_bug(b);
    int code = APF_OK;
    count_samples(b);
    hash_index_free(&b->index);
    for (size_t i = 0; code == APF_OK && i < b->traces.n; i++) {
        const struct perf_trace *t = &b->traces.data[i];
        if (b->images.list.data[t->process].source == NO_PROCESS || !is_used(t, bug))
            continue;
        code = b->basic ? give_basic(b, t, c, events, error) : give_trace(b, t, c, error);
    }
    return code;
}

static int read_all(struct bolt_perf *b, const struct bolt_work *in, struct conversion *c,
                    struct preagg_events *events, struct apf_error *error)
{
    const struct apf_bolt_convert_options *o = in->options;
    uint64_t max_bytes = options_max_bytes(&o->options);
    bool matched = true;
    int code = process_images_open(&b->images, c->bat->elf, bolt_program_name(in),
                                   o->flags & APF_BOLT_IGNORE_BUILD_ID, error);
    if (code == APF_OK && o->build_ids) {
        code = process_images_take_ids(&b->images, o->build_ids, max_bytes, &matched, error);
        c->at_fault = code == APF_OK || code == APF_NOT_RECORDED ? in->n : in->n + 1;
    }
    for (size_t i = 0; code == APF_OK && i < in->n; i++) {
        code = perf_script_read(&b->script, &in->samples[i], max_bytes, take, b, error);
        c->at_fault = code == APF_OK ? in->n : i;
    }
    b->funnel->build_id_unknown = !matched;
    if (code == APF_OK)
        code = process_images_settle(&b->images, b->pid, error);
    b->funnel->name_by_build_id = b->images.use;
    return code == APF_OK ? give(b, c, events, error) : code;
}

int bolt_perf_read(void *user, struct conversion *c, struct preagg_events *events, struct apf_error *error)
{
    const struct bolt_work *in = user;
    struct bolt_perf b = {.basic = c->basic, .funnel = &c->funnel, .pid = in->options->pid};
    c->funnel.perf_script = 1;
    b.keep_kernel = in->options->flags & APF_BOLT_KEEP_KERNEL;
    b.max_samples = in->options->max_samples ? in->options->max_samples : UINT64_MAX;
    int code = read_all(&b, in, c, events, error);
    process_images_close(&b.images);
    perf_script_free(&b.script);
    VEC_FREE(&b.traces);
    VEC_FREE(&b.events);
    VEC_FREE(&b.branches);
    hash_index_free(&b.index);
    arena_free(&b.arena);
    return code;
}
