/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_recorded.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

/* What a file of the recording is. */
enum match { MATCH_UNKNOWN, MATCH_OTHER, MATCH_ID, MATCH_NAME, MATCH_OTHER_BUILD };

/* A mapping that was found last: addresses in it minus `bias` are those that the program is linked for. */
struct found {
    uint64_t start, end, bias;
};

struct recorded_reader {
    struct apf_perf *perf;
    struct profgen_traces *traces;
    struct profgen_sample_counts *counts;
    struct profgen_program *program;
    const struct profgen_recorded_options *options;
    struct perf_build_id id; /* of the program; n == 0: it has none */
    VEC(uint8_t) matches;    /* enum match, by the number of the file */
    struct found ours, other;
    VEC(struct address_pair) stack;
    VEC(uint64_t) frames;
};

/* ---- which file is the program ---- */

/* By the build id if both have one, else by the name. */
static enum match match_file(const struct recorded_reader *r, const struct apf_perf_file *file)
{
    struct perf_build_id id = perf_build_id_make(file->build_id.p, file->build_id.n);
    bool named = r->options->kernel ? file->kernel && text_is(file->path, "[kernel.kallsyms]")
                                    : text_equal(text_last_part(file->path), r->program->name);
    if (id.n && r->id.n && perf_build_id_equal(&id, &r->id))
        return MATCH_ID;
    if (!named)
        return MATCH_OTHER;
    return id.n && r->id.n ? MATCH_OTHER_BUILD : MATCH_NAME;
}

static bool is_program(const struct recorded_reader *r, enum match match)
{
    return match == MATCH_ID || match == MATCH_NAME ||
           (match == MATCH_OTHER_BUILD && r->options->ignore_build_id);
}

static int find_match(struct recorded_reader *r, uint32_t file, enum match *match, struct apf_error *error)
{
    while (r->matches.n <= file)
        if (!VEC_PUSH(&r->matches, MATCH_UNKNOWN))
            return error_memory(error);
    if (r->matches.data[file] == MATCH_UNKNOWN)
        r->matches.data[file] = (uint8_t)match_file(r, apf_perf_file(r->perf, file));
    *match = (enum match)r->matches.data[file];
    return APF_OK;
}

/* ---- addresses ---- */

/* The segment of code that a mapping is of; NULL: none. */
static const struct elf_segment *find_segment(const struct profgen_program *p, const struct perf_mapping *m)
{
    for (size_t i = 0; i < p->text.n; i++) {
        const struct elf_segment *s = &p->text.data[i];
        if (m->offset >= (s->offset & ~(PROFGEN_PAGE - 1)) &&
            m->offset - s->offset + PROFGEN_PAGE < s->size + PROFGEN_PAGE)
            return s;
    }
    return NULL;
}

/* Where a mapping of the program is in its process. The kernel is where its code begins. */
static void place_mapping(const struct recorded_reader *r, const struct perf_mapping *m, struct found *found)
{
    const struct profgen_program *p = r->program;
    if (apf_perf_file(r->perf, m->file)->kernel) {
        *found = (struct found){m->start, m->end, m->start - p->base};
        return;
    }
    const struct elf_segment *s = m->executable ? find_segment(p, m) : NULL;
    if (s)
        *found = (struct found){m->start, m->end, m->start - m->offset + s->offset - s->address};
}

/* Finds the mapping at an address, and remembers it. */
static int look_up(struct recorded_reader *r, uint64_t address, struct apf_error *error)
{
    const struct perf_mapping *m = perf_recording_at(r->perf, address);
    enum match match = MATCH_OTHER;
    r->other = (struct found){address, address + 1, 0};
    if (!m)
        return APF_OK;
    r->other = (struct found){m->start, m->end, 0};
    int code = find_match(r, m->file, &match, error);
    if (code == APF_OK && is_program(r, match))
        place_mapping(r, m, &r->ours);
    return code;
}

static inline bool is_in(const struct found *found, uint64_t address)
{
    return address - found->start < found->end - found->start;
}

/* An address of the program; PROFGEN_OUTSIDE: it is in another file. */
static int translate(struct recorded_reader *r, uint64_t address, uint64_t *to, struct apf_error *error)
{
    int code = APF_OK;
    if (!is_in(&r->ours, address) && !is_in(&r->other, address))
        code = look_up(r, address, error);
    *to = is_in(&r->ours, address) ? address - r->ours.bias : PROFGEN_OUTSIDE;
    return code;
}

/* ---- samples ---- */

static int translate_branches(struct recorded_reader *r, const struct apf_perf_sample *sample,
                              struct apf_error *error)
{
    int code = VEC_RESERVE(&r->stack, sample->n_branches) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < sample->n_branches; i++) {
        struct address_pair *pair = &r->stack.data[i];
        pair->context = 0;
        code = translate(r, sample->branches[i].from, &pair->a, error);
        if (code == APF_OK)
            code = translate(r, sample->branches[i].to, &pair->b, error);
    }
    return code;
}

/* The call stack without the markers of the kernel. */
static int translate_frames(struct recorded_reader *r, const struct apf_perf_sample *sample,
                            struct apf_error *error)
{
    int code = VEC_RESERVE(&r->frames, sample->n_chain) ? APF_OK : error_memory(error);
    r->frames.n = 0;
    for (size_t i = 0; code == APF_OK && i < sample->n_chain; i++)
        if (sample->chain[i] < APF_PERF_CHAIN_MARKERS)
            code = translate(r, sample->chain[i], &r->frames.data[r->frames.n++], error);
    return code;
}

static int add_stacks(struct recorded_reader *r, const struct apf_perf_sample *sample,
                      struct apf_error *error)
{
    const bool called = sample->fields & APF_PERF_HAS_CHAIN && !r->options->hits;
    int code = translate_branches(r, sample, error);
    if (code == APF_OK && called)
        code = translate_frames(r, sample, error);
    if (code != APF_OK)
        return code;
    const struct profgen_sample added = {r->stack.data, sample->n_branches, r->frames.data, r->frames.n, 1};
    return called ? profgen_traces_add_called(r->traces, r->program, &added, r->options->ignore_calls, error)
                  : profgen_traces_add(r->traces, r->program, &added, error);
}

/* Adds where a sample was taken. */
static int add_hit(struct recorded_reader *r, const struct apf_perf_sample *sample, struct apf_error *error)
{
    uint64_t address;
    int code = translate(r, sample->address, &address, error);
    return code != APF_OK || address == PROFGEN_OUTSIDE
               ? code
               : profgen_hits_add(r->options->hits, address, 1, sample->time, error);
}

/* Adds where a sample was taken, and the targets of its branches, which ran before. */
static int add_times(struct recorded_reader *r, const struct apf_perf_sample *sample, struct apf_error *error)
{
    int code = add_hit(r, sample, error);
    for (size_t i = 0; code == APF_OK && sample->time && i < sample->n_branches; i++)
        if (r->stack.data[i].b != PROFGEN_OUTSIDE)
            code = profgen_hits_add(r->options->hits, r->stack.data[i].b, 0, sample->time, error);
    return code;
}

static int add_sample(void *user, const struct apf_perf_sample *sample, struct apf_error *error)
{
    struct recorded_reader *r = user;
    r->counts->samples++;
    if (r->options->pid && sample->pid != r->options->pid) {
        r->counts->unwanted++;
        return APF_OK;
    }
    r->ours = r->other = (struct found){0, 0, 0};
    if (sample->n_branches == 0) {
        r->counts->no_stack++;
        return r->options->hits ? add_hit(r, sample, error) : APF_OK;
    }
    int code = add_stacks(r, sample, error);
    return code == APF_OK && r->options->hits ? add_times(r, sample, error) : code;
}

/* ---- the end ---- */

static int report_other_build(const struct recorded_reader *r, const struct apf_perf_file *file,
                              struct apf_error *error)
{
    struct perf_build_id id = perf_build_id_make(file->build_id.p, file->build_id.n);
    char ours[PERF_BUILD_ID_TEXT], recorded[PERF_BUILD_ID_TEXT];
    perf_build_id_print(&r->id, ours);
    perf_build_id_print(&id, recorded);
    return error_plain(error, APF_NOT_RECORDED, "profgen.build_id",
                       "its build id is %s, but %s was recorded; --ignore-build-id takes it nevertheless",
                       ours, recorded);
}

static int report_missing(const struct recorded_reader *r, struct apf_error *error)
{
    char names[120] = "";
    size_t used = 0;
    for (size_t i = 0; apf_perf_file(r->perf, i); i++) {
        struct apf_str name = text_last_part(apf_perf_file(r->perf, i)->path);
        bool shown = apf_perf_file(r->perf, i)->n_samples && used + name.n + 3 < sizeof names;
        if (shown)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                                     (int)name.n, name.p);
    }
    return error_plain(error, APF_NOT_RECORDED, "profgen.mapping", "no file %.*s was mapped%s%s",
                       (int)(r->program->name.n < 60 ? r->program->name.n : 60), r->program->name.p,
                       used ? "; files with samples: " : "", names);
}

/* Looks at all files again: build ids of a pipe come last. */
static int check_files(const struct recorded_reader *r, struct apf_error *error)
{
    const struct apf_perf_file *other = NULL;
    bool any = false;
    for (size_t i = 0; apf_perf_file(r->perf, i); i++) {
        const struct apf_perf_file *file = apf_perf_file(r->perf, i);
        enum match match = match_file(r, file);
        if (!file->n_mappings)
            continue;
        any = any || is_program(r, match);
        other = match == MATCH_OTHER_BUILD ? file : other;
        r->counts->no_build_id |= match == MATCH_NAME;
        bool was_taken = i < r->matches.n && r->matches.data[i] == MATCH_NAME;
        if (match == MATCH_OTHER_BUILD && was_taken && !r->options->ignore_build_id)
            return report_other_build(r, file, error);
    }
    r->counts->other_build |= other && r->options->ignore_build_id;
    if (any)
        return APF_OK;
    return other ? report_other_build(r, other, error) : report_missing(r, error);
}

static void add_counts(const struct recorded_reader *r)
{
    const struct apf_perf_info *info = apf_perf_info(r->perf);
    r->counts->damaged += info->n_damaged_samples + info->n_unknown_events;
    r->counts->lost += info->n_lost_records + info->n_lost_samples;
    r->counts->processes += info->n_processes;
    r->counts->cut |= info->end != APF_PERF_END_WHOLE;
}

int profgen_recorded_read(struct profgen_traces *t, struct profgen_sample_counts *counts,
                          struct profgen_program *p, const struct apf_input *input,
                          const struct profgen_recorded_options *options, struct apf_error *error)
{
    struct apf_str id = elf_file_build_id(p->elf);
    struct recorded_reader r = {.traces = t, .counts = counts, .program = p, .options = options};
    struct apf_options common = {.size = sizeof common};
    common.max_bytes = options->max_bytes;
    common.max_records = options->max_records;
    r.id = perf_build_id_make(id.p, id.n);
    int code = apf_perf_open(&r.perf, input, &common, error);
    if (code != APF_OK)
        return code;
    code = apf_perf_read(r.perf, add_sample, &r, error);
    add_counts(&r);
    if (code == APF_OK)
        code = check_files(&r, error);
    apf_perf_close(r.perf);
    VEC_FREE(&r.matches);
    VEC_FREE(&r.stack);
    VEC_FREE(&r.frames);
    return code;
}
