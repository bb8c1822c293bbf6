/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"

#define KERNEL_HALF ((uint64_t)1 << 63)

/* ---- what happens to processes ---- */

/* What runs in a virtual machine has other address spaces, of which nothing is known. */
static bool is_guest(const struct perf_record *r)
{
    return r->mode == APF_PERF_MODE_GUEST_KERNEL || r->mode == APF_PERF_MODE_GUEST_USER;
}

static int add_mapping(struct apf_perf *p, const struct perf_record *r, struct apf_error *error)
{
    struct perf_mapping mapping = {r->start, r->start + r->size, r->offset, 0, r->executable};
    if (mapping.end < mapping.start)
        mapping.end = UINT64_MAX;
    int code = perf_files_find(&p->files, r, &mapping.file, error);
    if (code == APF_OK) {
        p->files.list.data[mapping.file]->n_mappings += r->executable;
        code = perf_spaces_map(&p->spaces, r->pid, &mapping, error);
    }
    return code;
}

static int add_event(struct apf_perf *p, const struct perf_record *r, struct apf_error *error)
{
    uint32_t file;
    switch (r->kind) {
    case PERF_MAPPING:
        return is_guest(r) ? APF_OK : add_mapping(p, r, error);
    case PERF_FORK: /* perf lists the processes that ran before, too, and their mappings */
        return r->untimed ? APF_OK : perf_spaces_fork(&p->spaces, r->parent, r->pid, error);
    case PERF_EXEC:
        perf_spaces_exec(&p->spaces, r->pid);
        return APF_OK;
    case PERF_EXIT:
        if (r->pid == r->tid)
            perf_spaces_exit(&p->spaces, r->pid);
        return APF_OK;
    default:
        return perf_files_find(&p->files, r, &file, error);
    }
}

/* ---- samples ---- */

const struct perf_mapping *perf_recording_at(struct apf_perf *p, uint64_t address)
{
    bool kernel = address & KERNEL_HALF;
    const struct perf_mapping *m = p->found[kernel];
    if (m && address >= m->start && address < m->end)
        return m;
    m = perf_spaces_at(&p->spaces, kernel ? p->kernel : p->space, address);
    p->found[kernel] = m;
    /* The kernel may be there, too, as with 32 bits: where the process has nothing, which the next address may differ
     * in. */
    return m || kernel ? m : perf_spaces_at(&p->spaces, p->kernel, address);
}

static int count_process(struct apf_perf *p, uint32_t pid, struct apf_error *error)
{
    uint32_t i;
    if (!hash_index_reserve(&p->processes, 1))
        return hash_index_error(&p->processes, error);
    uint64_t hash = hash_index_mix(&p->processes, pid, 0);
    HASH_INDEX_FIND(i, &p->processes, hash, p->pids.data[i] == pid);
    if (i != HASH_INDEX_NONE)
        return APF_OK;
    if (!VEC_PUSH(&p->pids, pid))
        return error_memory(error);
    hash_index_add(&p->processes, hash, (uint32_t)(p->pids.n - 1));
    return APF_OK;
}

static void fill_events(struct apf_perf *p)
{
    for (size_t i = 0; i < p->events.n; i++) {
        const struct perf_attr *a = &p->data.attrs.list.data[i];
        struct apf_perf_event *e = &p->events.data[i];
        e->name = a->name;
        e->type = a->type;
        e->config = a->config;
        e->frequency = a->frequency;
        e->period = a->period;
        e->sample_type = a->sample_type;
        e->branch_type = a->branch_type;
    }
    p->info.n_events = p->events.n;
}

/* Events, and their names, come between samples where the recording comes through a pipe. */
static int update_events(struct apf_perf *p, struct apf_error *error)
{
    const struct apf_perf_event none = {.n_samples = 0};
    const struct perf_attrs *attrs = &p->data.attrs;
    if (p->changes == attrs->changes)
        return APF_OK;
    while (p->events.n < attrs->list.n)
        if (!VEC_PUSH(&p->events, none))
            return error_memory(error);
    fill_events(p);
    p->changes = attrs->changes;
    return APF_OK;
}

static void count_sample(struct apf_perf *p, const struct perf_record *r)
{
    struct apf_perf_event *event = &p->events.data[r->number];
    event->n_samples++;
    event->n_stacks += r->n_branches != 0;
    event->n_branches += r->n_branches;
    event->n_chains += r->n_chain != 0;
    event->sum += r->period;
    const struct perf_mapping *m = r->fields & APF_PERF_HAS_ADDRESS ? perf_recording_at(p, r->address) : NULL;
    if (m)
        p->files.list.data[m->file]->n_samples++;
    p->info.n_unmapped += !m;
}

static int add_sample(struct apf_perf *p, const struct perf_record *r, struct apf_error *error)
{
    bool guest = is_guest(r), same = !guest && p->in_sample && p->space < p->spaces.list.n &&
                                     p->spaces.list.data[p->space].pid == r->pid;
    int code = same ? APF_OK : count_process(p, r->pid, error);
    if (code == APF_OK)
        code = update_events(p, error);
    if (code != APF_OK)
        return code;
    if (!same) {
        p->kernel = guest ? UINT32_MAX : perf_spaces_find(&p->spaces, PERF_NO_PID);
        p->space = guest ? UINT32_MAX : perf_spaces_find(&p->spaces, r->pid);
        p->found[0] = p->found[1] = NULL;
        p->turn++;
        if (p->space < p->spaces.list.n) /* it goes on, if only its first thread has ended */
            p->spaces.list.data[p->space].ended = 0;
    }
    p->in_sample = true;
    count_sample(p, r);
    if (!p->visit)
        return APF_OK;
    const struct apf_perf_sample sample = {.event = r->number,
                                           .fields = r->fields,
                                           .pid = r->pid,
                                           .tid = r->tid,
                                           .cpu = r->cpu,
                                           .mode = r->mode,
                                           .time = r->time,
                                           .address = r->address,
                                           .data = r->data,
                                           .period = r->period,
                                           .branches = r->branches,
                                           .n_branches = r->n_branches,
                                           .chain = r->chain,
                                           .n_chain = r->n_chain};
    return p->visit(p->user, &sample, error);
}

static int add_record(void *user, const struct perf_record *r, struct apf_error *error)
{
    struct apf_perf *p = user;
    if (r->kind == PERF_SAMPLE)
        return add_sample(p, r, error);
    p->in_sample = false; /* mappings move */
    return add_event(p, r, error);
}

int apf_perf_find(struct apf_perf *perf, uint64_t address, struct apf_perf_place *place,
                  struct apf_error *error)
{
    int code = RESULT_CHECK(apf_perf_place, place, error);
    if (code == APF_OK && !perf->in_sample)
        code = error_plain(error, APF_ARGUMENT, "apf_perf_find", "it is for the present sample");
    if (code != APF_OK)
        return code;
    const struct perf_mapping *m = perf_recording_at(perf, address);
    if (!m)
        return APF_END;
    const struct apf_perf_place found = {.file = m->file,
                                         .offset = address - m->start + m->offset,
                                         .start = m->start,
                                         .executable = m->executable};
    result_fill(place, sizeof found, &found);
    return APF_OK;
}

/* ---- facts ---- */

static void fill_info(struct apf_perf *p)
{
    struct apf_perf_info *i = &p->info;
    const struct perf_facts *f = &p->data.facts;
    const struct perf_data_counts *n = &p->data.counts;
    i->n_files = p->files.list.n;
    i->hostname = f->hostname;
    i->release = f->release;
    i->version = f->version;
    i->arch = f->arch;
    i->cpu = f->cpu;
    i->cpu_id = f->cpu_id;
    i->command = f->command;
    i->big_endian = p->data.header.big_endian;
    i->piped = p->data.header.piped;
    i->directory = p->data.directory;
    i->unfinished = p->data.header.unfinished;
    i->end = n->end;
    i->end_at = n->end_at;
    i->tracer = n->aux_type;
    i->n_records = n->records;
    i->n_samples = n->samples;
    i->n_lost_records = n->lost_records;
    i->n_lost_samples = n->lost_samples;
    i->n_throttled = n->throttled;
    i->n_damaged_samples = n->short_samples;
    i->n_damaged_records = n->short_others;
    i->n_unknown_events = n->unknown_events;
    i->n_unknown_records = n->unknown_types;
    i->n_damaged_features = n->bad_features;
    i->n_incomplete_maps = n->incomplete_maps;
    i->n_late = p->data.window.n_late;
    i->n_not_taken = n->not_taken;
    i->n_processes = p->pids.n;
    i->packed = n->packed;
    i->unpacked = n->unpacked;
    i->aux_bytes = n->aux_bytes;
    i->first_time = n->first_time;
    i->last_time = n->last_time;
}

const struct apf_perf_info *apf_perf_info(const struct apf_perf *perf)
{
    return &perf->info;
}

const struct apf_perf_event *apf_perf_event(const struct apf_perf *perf, size_t i)
{
    return i < perf->events.n ? &perf->events.data[i] : NULL;
}

const struct apf_perf_file *apf_perf_file(const struct apf_perf *perf, size_t i)
{
    return i < perf->files.list.n ? perf->files.list.data[i] : NULL;
}

/* ---- the handle ---- */

int apf_perf_open(struct apf_perf **result, const struct apf_input *input, const struct apf_options *options,
                  struct apf_error *error)
{
    struct apf_options common;
    *result = NULL;
    int code = common_options_read(&common, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_perf *p = calloc(1, sizeof *p);
    if (!p)
        return error_memory(error);
    p->spaces.most_mappings = perf_spaces_most(common.max_records);
    code = perf_data_open(&p->data, input, options_max_bytes(&common), error);
    if (code == APF_OK)
        code = update_events(p, error);
    if (code != APF_OK) {
        apf_perf_close(p);
        return file_error(error, code, input, 0);
    }
    fill_info(p);
    *result = p;
    return APF_OK;
}

void apf_perf_close(struct apf_perf *perf)
{
    if (!perf)
        return;
    perf_data_close(&perf->data);
    perf_files_free(&perf->files);
    perf_spaces_free(&perf->spaces);
    hash_index_free(&perf->processes);
    VEC_FREE(&perf->pids);
    VEC_FREE(&perf->events);
    free(perf);
}

int apf_perf_read(struct apf_perf *perf, apf_perf_sample_fn *visit, void *user, struct apf_error *error)
{
    if (perf->read)
        return error_plain(error, APF_ARGUMENT, "apf_perf_read", "the recording was read before");
    perf->read = true;
    perf->visit = visit;
    perf->user = user;
    int code = perf_data_read(&perf->data, add_record, perf, error);
    perf->in_sample = false;
    if (code == APF_OK)
        code = update_events(perf, error);
    fill_info(perf);
    return code;
}
