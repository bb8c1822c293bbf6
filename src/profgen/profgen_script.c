/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_lines.h"
#include "base/text_bytes.h"
#include "perf/perf_script.h"
#include "profgen/profgen_finish.h"

/* LLVM's words, and what to do. */
#define NO_SAMPLES                                                                                           \
    "Invalid perf script input! No line has branches; " PROFGEN_SCRIPT_COMMAND " prints what is expected"
#define NO_HITS "; samples without branches are read of recordings (--perfdata) only"

/* What is read for one file. */
struct reading {
    struct profgen_target *target;
    struct profgen_script_counts *counts;
    uint64_t base; /* where its first segment of code is mapped */
    bool mapped;
    struct perf_build_id other_build; /* n == 0: no other build of the program is mapped */
};

struct script_reader {
    struct file_lines lines;
    struct text_scan at; /* of the present line */
    const struct profgen_script_options *options;
    struct reading *readings;
    size_t n;
    size_t at_fault; /* number of the reading that an error is about */
    uint64_t repeat; /* of the next sample */
    VEC(struct address_pair) stack;
    VEC(uint64_t) frames; /* the lines of a call stack so far */
    VEC(struct address_pair) linked_stack;
    VEC(uint64_t) linked_frames;
    bool decided, called; /* whether samples have call stacks */
    bool spoiled;         /* the call stack that is being read cannot be used */
    struct apf_error *error;
};

/* ---- mappings ---- */

static int wrong_mapping(struct script_reader *r, const char *message)
{
    return file_lines_wrong(&r->lines, r->lines.line, APF_BAD_SAMPLES, "profgen.mapping", message, r->error);
}

static uint64_t page_of(uint64_t address)
{
    return address & ~(PROFGEN_PAGE - 1);
}

/* Whether another mapping is where it has to be beside the one of the first segment of code. */
static int check_mapping(struct script_reader *all, const struct reading *r, const struct perf_record *m)
{
    const struct profgen_image *p = r->target->image;
    const struct elf_segment *s = profgen_image_below(p, m->offset);
    if (!s)
        return wrong_mapping(all, "File offset not found");
    if (page_of(s->offset) == m->offset)
        return page_of(s->address) - p->base == m->start - r->base
                   ? APF_OK
                   : wrong_mapping(all, "Executable segments not loaded consecutively");
    return m->offset - page_of(s->offset) == m->start - r->base
               ? APF_OK
               : wrong_mapping(all, "Segment not loaded by consecutive mmaps");
}

static void name_other(struct profgen_script_counts *counts, struct apf_str name)
{
    const size_t most = sizeof counts->others - 1;
    if (!counts->others[0])
        memcpy(counts->others, name.p, name.n < most ? name.n : most);
}

static int add_mapping(struct script_reader *all, struct reading *r, const struct perf_record *m)
{
    const struct profgen_target *target = r->target;
    const enum perf_match match = perf_program_match(&target->image->program, m->path, &m->build_id);
    if (!perf_match_is_program(match, all->options->ignore_build_id)) {
        if (match == PERF_OTHER_BUILD)
            r->other_build = m->build_id;
        name_other(r->counts, text_last_part(m->path));
        return APF_OK;
    }
    r->counts->mappings++;
    if (m->start != r->base && !target->image->program.kernel &&
        m->offset != page_of(target->image->program.text.data[0].offset))
        return check_mapping(all, r, m);
    r->counts->moved_mappings += r->mapped && r->base != m->start;
    r->base = m->start;
    r->mapped = true;
    return APF_OK;
}

/* The kernel is mapped in all processes. */
static int read_mapping(struct script_reader *r)
{
    struct perf_record m = {.pid = 0};
    int code = APF_OK;
    scan_text(&r->at, "2");
    const bool good = scan_text(&r->at, " ") && perf_script_parse_mapping(&r->at, &m) && m.path.n;
    const bool unwanted = r->options->pid && m.pid != r->options->pid && m.pid != PERF_NO_PID;
    for (size_t i = 0; code == APF_OK && i < r->n; i++) {
        r->readings[i].counts->bad_mappings += !good;
        r->at_fault = i;
        if (good && !unwanted)
            code = add_mapping(r, &r->readings[i], &m);
        if (code != APF_OK && r->n > 1)
            error_add(r->error, "; it is that of %.*s", (int)(m.path.n < 60 ? m.path.n : 60), m.path.p);
    }
    return code;
}

/* ---- samples ---- */

/* "0xFROM/0xTO/..." up to a blank. */
static bool read_branch(struct script_reader *r, struct address_pair *pair)
{
    bool good = scan_text(&r->at, "0x") && scan_hex(&r->at, &pair->a) && scan_text(&r->at, "/") &&
                scan_text(&r->at, "0x") && scan_hex(&r->at, &pair->b) &&
                (scan_at_end(&r->at) || *r->at.p == '/' || *r->at.p == ' ');
    for (; r->at.p < r->at.end && *r->at.p != ' '; r->at.p++)
        good = good && *r->at.p; /* a run of bytes 0 can hide where one sample ends and another one begins */
    return good;
}

static void count_bad(struct script_reader *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct profgen_script_counts *counts = r->readings[i].counts;
        counts->bad_samples++;
        counts->first_bad = counts->first_bad ? counts->first_bad : r->lines.number;
    }
}

/* The instruction pointer, if a line has one before its branches. */
static void pass_address(struct script_reader *r)
{
    const char *start = r->at.p, *word;
    uint64_t address;
    scan_blanks(&r->at);
    word = scan_word_end(&r->at);
    bool branch = memchr(r->at.p, '/', (size_t)(word - r->at.p)) != NULL;
    if (branch || !scan_hex(&r->at, &address) || r->at.p != word)
        r->at.p = start;
}

/* What lies below the program must not seem to be in the kernel. */
static uint64_t link_address(uint64_t address, uint64_t to_linked)
{
    const uint64_t linked = address + to_linked;
    return address < PROFGEN_KERNEL && linked >= PROFGEN_KERNEL ? PROFGEN_OUTSIDE : linked;
}

/* Adds the sample to a target, with addresses for which the file is linked. */
static int add_linked(struct script_reader *all, struct reading *r)
{
    const uint64_t to_linked = r->target->image->base - r->base;
    for (size_t i = 0; i < all->stack.n; i++)
        all->linked_stack.data[i] = (struct address_pair){link_address(all->stack.data[i].a, to_linked),
                                                          link_address(all->stack.data[i].b, to_linked), 0};
    for (size_t i = 0; i < all->frames.n; i++)
        all->linked_frames.data[i] = all->frames.data[i] + to_linked;
    const struct profgen_sample sample = {all->linked_stack.data, all->stack.n, all->linked_frames.data,
                                          all->frames.n, all->repeat};
    r->counts->samples = profgen_sum(r->counts->samples, all->repeat);
    r->counts->unmapped = r->counts->unmapped || !r->mapped;
    return profgen_target_add(r->target, &sample, all->called && !r->target->hits, all->error);
}

static int add_sample(struct script_reader *r)
{
    int code = APF_OK;
    r->linked_stack.n = r->linked_frames.n = 0;
    if (!VEC_RESERVE(&r->linked_stack, r->stack.n) || !VEC_RESERVE(&r->linked_frames, r->frames.n))
        return error_memory(r->error);
    for (size_t i = 0; code == APF_OK && i < r->n; i++) {
        r->at_fault = i;
        code = add_linked(r, &r->readings[i]);
    }
    return code;
}

/* The branches of a line, up to the first one that cannot be read. */
static int read_branches(struct script_reader *r)
{
    r->stack.n = 0;
    for (;;) {
        struct address_pair pair = {0, 0, 0};
        scan_blanks(&r->at);
        if (scan_at_end(&r->at))
            break;
        if (!read_branch(r, &pair)) {
            count_bad(r);
            break;
        }
        if (!VEC_PUSH(&r->stack, pair))
            return error_memory(r->error);
    }
    return add_sample(r);
}

/* A line with the address of a frame. */
static int read_frame(struct script_reader *r)
{
    uint64_t address;
    scan_blanks(&r->at);
    if (!scan_hex(&r->at, &address)) {
        count_bad(r);
        r->spoiled = true;
        return APF_OK;
    }
    return VEC_PUSH(&r->frames, address) ? APF_OK : error_memory(r->error);
}

/* A line with branches. In texts with call stacks it begins with a blank and a branch, right after the frames; what
 * stands elsewhere, or after a call stack that cannot be read, is not used. */
static int read_sample(struct script_reader *r)
{
    int code = APF_OK;
    if (!r->decided) {
        r->decided = true;
        r->called = r->frames.n != 0;
    }
    if (!r->called) {
        pass_address(r);
        code = read_branches(r);
    } else if (!scan_begins(&r->at, " 0x")) {
        r->frames.n = 0;
        return APF_OK;
    } else if (!r->spoiled) {
        code = read_branches(r);
    }
    r->spoiled = false;
    r->frames.n = 0;
    r->repeat = 1;
    return code;
}

/* ---- lines ---- */

/* Whether a line is a number and nothing else; blanks may stand before it with `blanks`. */
static bool is_number(const struct script_reader *r, bool decimal, bool blanks)
{
    const char *p = r->at.p;
    while (blanks && p < r->at.end && text_is_blank(*p))
        p++;
    const char *start = p;
    while (p < r->at.end && (decimal ? number_is_digit(*p) : number_digits[(uint8_t)*p] != 0))
        p++;
    return p > start && p == r->at.end;
}

/* Finds the event in a line that does not begin with a digit. */
static bool find_mapping(struct script_reader *r)
{
    const size_t shortest = 50;
    return r->lines.n >= shortest && !number_is_digit(*r->at.p) && scan_after(&r->at, "PERF_RECORD_MMAP");
}

static void read_repeat(struct script_reader *r)
{
    if (!scan_decimal(&r->at, UINT64_MAX, &r->repeat))
        r->repeat = UINT64_MAX;
}

static int read_line(struct script_reader *r)
{
    r->at = (struct text_scan){r->lines.line, r->lines.line + r->lines.n};
    scan_trim(&r->at);
    if (r->at.p == r->at.end) { /* nothing stands between a call stack and its branches */
        r->frames.n = 0;
        return APF_OK;
    }
    if (find_mapping(r)) {
        r->frames.n = 0;
        return read_mapping(r);
    }
    if (r->frames.n == 0 && is_number(r, true, false)) {
        read_repeat(r);
        return APF_OK;
    }
    return is_number(r, false, true) ? read_frame(r) : read_sample(r);
}

/* Of several files all must be there; what was mapped nowhere may be a typing error. */
static int check_readings(struct script_reader *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct apf_str *name = &r->readings[i].target->image->program.name;
        r->at_fault = i;
        if (r->readings[i].counts->mappings == 0 && r->readings[i].other_build.n)
            return perf_program_refuse(&r->readings[i].target->image->program, &r->readings[i].other_build,
                                       PERF_ANY_BUILD, r->error);
        if (r->readings[i].counts->samples == 0)
            return error_plain(r->error, APF_BAD_SAMPLES, "profgen.script", "%s%s", NO_SAMPLES,
                               r->readings[i].target->hits ? NO_HITS : "");
        if (r->n > 1 && r->readings[i].counts->mappings == 0)
            return error_plain(r->error, APF_NOT_RECORDED, "profgen.mapping", "no file %.*s was mapped",
                               (int)(name->n < 60 ? name->n : 60), name->p);
        if (r->options->pid && r->readings[i].counts->mappings == 0)
            return error_plain(r->error, APF_NOT_RECORDED, "profgen.mapping",
                               "process %" PRIu32 " has not mapped it", r->options->pid);
        if (r->readings[i].target->image->program.kernel && r->readings[i].counts->mappings == 0)
            return error_plain(r->error, APF_NOT_RECORDED, "profgen.mapping",
                               "the text maps no [kernel.kallsyms]: --kernel is for a Linux kernel");
    }
    return APF_OK;
}

static int read_all(struct script_reader *r, const struct apf_input *input, struct apf_error *error)
{
    int code = file_lines_open(&r->lines, input, r->options->max_bytes, error);
    while (code == APF_OK && (code = file_lines_next(&r->lines, error)) == APF_OK)
        code = read_line(r);
    file_lines_close(&r->lines);
    return code == APF_END ? check_readings(r) : code;
}

int profgen_script_read(struct profgen_target *targets, struct profgen_script_counts *counts, size_t n,
                        const struct apf_input *input, const struct profgen_script_options *options,
                        size_t *at_fault, struct apf_error *error)
{
    struct script_reader r = {.options = options, .n = n, .repeat = 1, .error = error};
    r.readings = calloc(n, sizeof *r.readings);
    for (size_t i = 0; r.readings && i < n; i++)
        r.readings[i] = (struct reading){&targets[i], &counts[i], targets[i].image->base, false, {.n = 0}};
    int code = r.readings ? read_all(&r, input, error) : error_memory(error);
    free(r.readings);
    VEC_FREE(&r.stack);
    VEC_FREE(&r.frames);
    VEC_FREE(&r.linked_stack);
    VEC_FREE(&r.linked_frames);
    *at_fault = r.at_fault;
    return code;
}
