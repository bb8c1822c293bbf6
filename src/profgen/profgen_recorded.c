/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_recorded.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

/* In place of an enum perf_match, of a file that was not looked at. */
#define MATCH_UNKNOWN UINT8_MAX

/* What is read for one file. */
struct reading {
    struct profgen_space space; /* in the recording's present turn */
    uint64_t turn;
    struct recorded_reader *all;
    struct profgen_target *target;
    struct profgen_sample_counts *counts;
    VEC(uint8_t) matches; /* enum perf_match, by the number of the recording's file */
};

struct recorded_reader {
    struct apf_perf *perf;
    const struct profgen_recorded_options *options;
    struct reading *readings;
    size_t n;
    size_t at_fault; /* number of the reading that an error is about */
    VEC(struct address_pair) stack;
    VEC(uint64_t) frames;
};

/* ---- which file is the program ---- */

static enum perf_match match_file(const struct reading *r, const struct apf_perf_file *file)
{
    struct perf_build_id id = perf_build_id_make(file->build_id.p, file->build_id.n);
    return perf_program_match(&r->target->image->program, file->path, &id);
}

static int find_match(const struct recorded_reader *all, struct reading *r, uint32_t file,
                      enum perf_match *match, struct apf_error *error)
{
    while (r->matches.n <= file)
        if (!VEC_PUSH(&r->matches, MATCH_UNKNOWN))
            return error_memory(error);
    if (r->matches.data[file] == MATCH_UNKNOWN)
        r->matches.data[file] = (uint8_t)match_file(r, apf_perf_file(all->perf, file));
    *match = (enum perf_match)r->matches.data[file];
    return APF_OK;
}

/* ---- addresses ---- */

/* Where the program is that a mapping is of. False: it is no code. The kernel is where its code begins. */
static bool find_bias(const struct recorded_reader *all, const struct reading *r,
                      const struct perf_mapping *m, uint64_t *bias)
{
    const struct profgen_image *image = r->target->image;
    *bias = m->start - image->base;
    return apf_perf_file(all->perf, m->file)->kernel ||
           (m->executable && perf_program_place(&image->program, m->start, m->end, m->offset, bias));
}

/* The part of a mapping in which all addresses are known to be in it. A mapping that reaches over the middle of the
 * address space is looked for in one half only; one of the kernel in the half of processes is below theirs. */
static struct profgen_mapping known_part(const struct recorded_reader *all, const struct perf_mapping *m,
                                         uint64_t address)
{
    const bool high = address >= PROFGEN_KERNEL;
    uint64_t start = m->start, end = m->end;
    if (!high && apf_perf_file(all->perf, m->file)->kernel)
        return (struct profgen_mapping){address, 1, 0};
    if (high && start < PROFGEN_KERNEL)
        start = PROFGEN_KERNEL;
    if (!high && end > PROFGEN_KERNEL)
        end = PROFGEN_KERNEL;
    return (struct profgen_mapping){start, end - start, 0};
}

static int look_up(void *user, struct profgen_space *space, uint64_t address, struct apf_error *error)
{
    struct reading *r = (struct reading *)user;
    const struct recorded_reader *all = r->all;
    const struct perf_mapping *m = perf_recording_at(all->perf, address);
    enum perf_match match = PERF_OTHER_FILE;
    uint64_t bias;
    space->other = (struct profgen_mapping){address, 1, 0};
    if (!m)
        return APF_OK;
    space->other = known_part(all, m, address);
    int code = find_match(all, r, m->file, &match, error);
    if (code == APF_OK && perf_match_is_program(match, all->options->ignore_build_id) &&
        find_bias(all, r, m, &bias))
        space->ours = (struct profgen_mapping){space->other.start, space->other.n, bias};
    return code;
}

/* ---- samples ---- */

/* The call stack without the markers of the kernel. */
static int translate_frames(struct recorded_reader *all, struct reading *r,
                            const struct apf_perf_sample *sample, struct apf_error *error)
{
    int code = APF_OK;
    all->frames.n = 0;
    for (size_t i = 0; code == APF_OK && i < sample->n_chain; i++)
        if (sample->chain[i] < APF_PERF_CHAIN_MARKERS)
            code = profgen_space_translate(&r->space, sample->chain[i], &all->frames.data[all->frames.n++],
                                           error);
    return code;
}

static int add_stacks(struct recorded_reader *all, struct reading *r, const struct apf_perf_sample *sample,
                      struct apf_error *error)
{
    const struct profgen_target *t = r->target;
    const bool called = sample->fields & APF_PERF_HAS_CHAIN && !t->hits;
    if (!called && !t->hits && !t->follower)
        return profgen_traces_add_recorded(t->traces, t->program, &r->space, sample->branches,
                                           sample->n_branches, error);
    if (!VEC_RESERVE(&all->stack, sample->n_branches) || !VEC_RESERVE(&all->frames, sample->n_chain))
        return error_memory(error);
    int code =
        profgen_space_branches(&r->space, sample->branches, sample->n_branches, all->stack.data, error);
    if (code == APF_OK && called)
        code = translate_frames(all, r, sample, error);
    if (code != APF_OK)
        return code;
    const struct profgen_sample added = {all->stack.data, sample->n_branches, all->frames.data, all->frames.n,
                                         1};
    return profgen_target_add(t, &added, called, error);
}

/* Adds where a sample was taken. */
static int add_hit(struct reading *r, const struct apf_perf_sample *sample, struct apf_error *error)
{
    uint64_t address;
    int code = profgen_space_translate(&r->space, sample->address, &address, error);
    r->counts->elsewhere += sample->n_branches == 0 && profgen_is_outside(address);
    return code == APF_OK ? profgen_target_hit(r->target, address, 1, sample->time, error) : code;
}

/* Adds where a sample was taken, and the targets of its branches, which ran before. */
static int add_times(struct recorded_reader *all, struct reading *r, const struct apf_perf_sample *sample,
                     struct apf_error *error)
{
    int code = add_hit(r, sample, error);
    for (size_t i = 0; code == APF_OK && sample->time && i < sample->n_branches; i++)
        code = profgen_target_hit(r->target, all->stack.data[i].b, 0, sample->time, error);
    return code;
}

/* Adds a sample to one target. */
static int add_to(struct recorded_reader *all, struct reading *r, const struct apf_perf_sample *sample,
                  struct apf_error *error)
{
    int code = APF_OK;
    if (r->turn != all->perf->turn)
        profgen_space_forget(&r->space);
    r->turn = all->perf->turn;
    if (sample->n_branches == 0) {
        r->counts->no_stack++;
        return r->target->hits ? add_hit(r, sample, error) : APF_OK;
    }
    code = add_stacks(all, r, sample, error);
    return code == APF_OK && r->target->hits ? add_times(all, r, sample, error) : code;
}

static int add_sample(void *user, const struct apf_perf_sample *sample, struct apf_error *error)
{
    struct recorded_reader *all = user;
    const bool unwanted = all->options->pid && sample->pid != all->options->pid;
    int code = APF_OK;
    all->stack.n = all->frames.n = 0;
    for (size_t i = 0; code == APF_OK && i < all->n; i++) {
        struct reading *r = &all->readings[i];
        r->counts->samples++;
        r->counts->unwanted += unwanted;
        all->at_fault = i;
        if (!unwanted)
            code = add_to(all, r, sample, error);
    }
    return code;
}

/* ---- the end ---- */

/* BOLT changes the last bit of the build id. */
static bool is_bolted(const struct perf_build_id *a, const struct perf_build_id *b)
{
    return a->n == b->n && a->n && memcmp(a->bytes, b->bytes, a->n - 1u) == 0 &&
           (a->bytes[a->n - 1u] ^ b->bytes[a->n - 1u]) == 1;
}

static int report_other_build(const struct reading *r, const struct apf_perf_file *file,
                              struct apf_error *error)
{
    const struct perf_program *program = &r->target->image->program;
    struct perf_build_id id = perf_build_id_make(file->build_id.p, file->build_id.n);
    const char *hint = !is_bolted(&program->build_id, &id) ? PERF_ANY_BUILD
                       : r->target->follower ? ": the program before BOLT ran"
                                             : ": what BOLT made of it ran, or it is what BOLT made";
    return perf_program_refuse(program, &id, hint, error);
}

/* Names files with samples, as many as there is place for. */
static void name_files(const struct recorded_reader *all, char *names)
{
    *names = '\0';
    for (size_t i = 0; apf_perf_file(all->perf, i); i++)
        if (apf_perf_file(all->perf, i)->n_samples)
            perf_names_add(names, PROFGEN_OTHERS, apf_perf_file(all->perf, i)->path);
}

static int report_missing(const struct reading *r, struct apf_error *error)
{
    const struct apf_str *ours = &r->target->image->program.name;
    const char *names = r->counts->others;
    return error_plain(error, APF_NOT_RECORDED, "profgen.mapping", "no file %.*s was mapped%s%s",
                       (int)(ours->n < 60 ? ours->n : 60), ours->p, names[0] ? "; files with samples: " : "",
                       names);
}

/* Looks at all files again: build ids of a pipe come last. */
static int check_files(const struct recorded_reader *all, const struct reading *r, struct apf_error *error)
{
    const struct apf_perf_file *other = NULL;
    bool any = false;
    for (size_t i = 0; apf_perf_file(all->perf, i); i++) {
        const struct apf_perf_file *file = apf_perf_file(all->perf, i);
        enum perf_match match = match_file(r, file);
        if (!file->n_mappings)
            continue;
        any = any || perf_match_is_program(match, all->options->ignore_build_id);
        other = match == PERF_OTHER_BUILD ? file : other;
        bool was_taken = i < r->matches.n && r->matches.data[i] == PERF_SAME_NAME;
        r->counts->no_build_id |= match == PERF_SAME_NAME && was_taken;
        if (match == PERF_OTHER_BUILD && was_taken && !all->options->ignore_build_id)
            return report_other_build(r, file, error);
    }
    r->counts->other_build |= other && all->options->ignore_build_id;
    if (any)
        return APF_OK;
    return other ? report_other_build(r, other, error) : report_missing(r, error);
}

static void add_counts(const struct recorded_reader *all, const struct reading *r)
{
    const struct apf_perf_info *info = apf_perf_info(all->perf);
    r->counts->damaged += info->n_damaged_samples + info->n_unknown_events;
    r->counts->lost += info->n_lost_records + info->n_lost_samples;
    r->counts->processes += info->n_processes;
    r->counts->left_out += info->n_not_taken;
    name_files(all, r->counts->others);
    r->counts->cut |= info->end != APF_PERF_END_WHOLE;
    r->counts->traced |= info->aux_bytes != 0;
}

static int open_readings(struct recorded_reader *all, struct profgen_target *targets,
                         struct profgen_sample_counts *counts, struct apf_error *error)
{
    all->readings = calloc(all->n, sizeof *all->readings);
    if (!all->readings)
        return error_memory(error);
    for (size_t i = 0; i < all->n; i++) {
        all->readings[i].space.look_up = look_up;
        all->readings[i].space.user = &all->readings[i];
        all->readings[i].all = all;
        all->readings[i].target = &targets[i];
        all->readings[i].counts = &counts[i];
    }
    return APF_OK;
}

static int read_all(struct recorded_reader *all, const struct apf_input *input, struct apf_error *error)
{
    struct apf_options common = {.size = sizeof common};
    common.max_bytes = all->options->max_bytes;
    common.max_records = all->options->max_records;
    int code = apf_perf_open(&all->perf, input, &common, error);
    if (code != APF_OK)
        return code;
    code = apf_perf_read(all->perf, add_sample, all, error);
    for (size_t i = 0; i < all->n; i++)
        add_counts(all, &all->readings[i]);
    for (size_t i = 0; code == APF_OK && i < all->n; i++) {
        all->at_fault = i;
        code = check_files(all, &all->readings[i], error);
    }
    apf_perf_close(all->perf);
    return code;
}

int profgen_recorded_read(struct profgen_target *targets, struct profgen_sample_counts *counts, size_t n,
                          const struct apf_input *input, const struct profgen_recorded_options *options,
                          size_t *at_fault, struct apf_error *error)
{
    struct recorded_reader all = {.options = options, .n = n};
    int code = open_readings(&all, targets, counts, error);
    if (code == APF_OK)
        code = read_all(&all, input, error);
    for (size_t i = 0; all.readings && i < n; i++)
        VEC_FREE(&all.readings[i].matches);
    free(all.readings);
    VEC_FREE(&all.stack);
    VEC_FREE(&all.frames);
    *at_fault = all.at_fault;
    return code;
}
