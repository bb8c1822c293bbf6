/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints what a recording is, what is in it, and what it can be used for. */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/sort.h"
#include "base/text_append.h"
#include "perf/perf_info.h"
#include "perf/perf_recording.h"

/* ---- words ---- */

const char *perf_end_word(uint32_t end)
{
    static const char *const words[] = {"whole", "cut", "broken", "damaged", "endless"};
    return words[end <= APF_PERF_END_ENDLESS ? end : 0];
}

const char *perf_tracer_name(uint32_t tracer)
{
    static const char *const names[] = {NULL,          "Intel PT",      "Intel BTS",     "Arm CoreSight",
                                        "Arm SPE",     "s390 sampling", "HiSilicon PTT", "POWER VPA",
                                        "RISC-V trace"};
    return tracer < sizeof names / sizeof *names ? names[tracer] : "unknown tracer";
}

const char *perf_branch_words(const struct apf_perf_event *event)
{
    if (!(event->sample_type & PERF_SAMPLE_BRANCH_STACK))
        return NULL;
    if (event->branch_type & PERF_BRANCH_TYPE_CALL_STACK)
        return "call stack";
    return event->branch_type & PERF_BRANCH_TYPE_ANY ? "any" : "some";
}

/* ---- the recording ---- */

static void print_label(struct file_out *out, const char *label)
{
    const size_t width = 13;
    text_append(out, "  ");
    text_append(out, label);
    text_append(out, ":");
    text_blanks(out, strlen(label) < width ? width - strlen(label) : 1);
}

static void print_fact(struct file_out *out, const char *label, struct apf_str text)
{
    if (!text.n)
        return;
    print_label(out, label);
    text_name(out, text);
    text_append(out, "\n");
}

static void print_number(struct file_out *out, const char *label, uint64_t n, const char *meaning)
{
    print_label(out, label);
    text_decimal(out, n, 0);
    text_append(out, meaning);
    text_append(out, "\n");
}

static void print_machine(const struct apf_perf_info *i, struct file_out *out)
{
    print_fact(out, "command", i->command);
    print_fact(out, "machine", i->hostname);
    print_fact(out, "kernel", i->release);
    print_fact(out, "perf", i->version);
    print_fact(out, "architecture", i->arch);
    print_fact(out, "processor", i->cpu);
    if (i->big_endian)
        text_append(out, "  byte order:  big-endian\n");
    print_label(out, "form");
    text_append(out, i->directory ? "directory of perf record --threads" : i->piped ? "pipe" : "file");
    if (i->packed) {
        text_append(out, ", compressed ");
        text_fixed(out, (double)i->unpacked / (double)i->packed, 1, 0);
        text_append(out, "x");
    }
    text_append(out, "\n");
}

static void print_samples(const struct apf_perf_info *i, struct file_out *out)
{
    const double second = 1e9;
    print_label(out, "samples");
    text_decimal(out, i->n_samples, 0);
    text_append(out, " of ");
    text_decimal(out, i->n_processes, 0);
    text_append(out, i->n_processes == 1 ? " process" : " processes");
    if (i->last_time > i->first_time) {
        text_append(out, " in ");
        text_fixed(out, (double)(i->last_time - i->first_time) / second, 3, 0);
        text_append(out, " s");
    }
    text_append(out, "\n");
    if (i->tracer) {
        print_label(out, "trace");
        text_append(out, perf_tracer_name(i->tracer));
        text_append(out, ", ");
        text_decimal(out, i->aux_bytes, 0);
        text_append(out, " bytes\n");
    }
}

/* ---- what is missing ---- */

static void print_losses(const struct apf_perf_info *i, struct file_out *out)
{
    const struct {
        uint64_t n;
        const char *label, *meaning;
    } rows[] = {
        {i->n_lost_records, "lost", " records that perf could not write in time"},
        {i->n_lost_samples, "lost", " samples that the processor or the kernel dropped"},
        {i->n_throttled, "throttled", " times: the kernel paused an event that took too much time"},
        {i->n_incomplete_maps, "incomplete", " mappings of processes that perf could not list in time"},
        {i->n_damaged_samples, "damaged", " samples, which are left out"},
        {i->n_damaged_records, "damaged", " other records, which are left out"},
        {i->n_damaged_features, "damaged", " facts about the recording"},
        {i->n_unknown_events, "unknown", " records of events that are not listed, which are left out"},
        {i->n_unknown_records, "unknown", " records of kinds that anyprof does not know, which are left out"},
        {i->n_late, "late", " records that came out of order by more than perf allows"},
        {i->n_not_taken, "not taken",
         " branch entries that are marked as not taken, or as speculation on a wrong path: left out"},
    };
    static const char *const ends[] = {
        [APF_PERF_END_CUT] = "in the middle of a record or before the end of the data",
        [APF_PERF_END_BROKEN] = "with a record that is broken",
        [APF_PERF_END_DAMAGED] = "with compressed records that are damaged",
        [APF_PERF_END_ENDLESS] = "with compressed records that unpack to too much"};
    if (i->unfinished)
        text_append(out, "  unfinished:  perf record was killed; all that is in the file is read\n");
    if (i->end && i->end <= APF_PERF_END_ENDLESS) {
        print_label(out, "ends");
        text_append(out, ends[i->end]);
        text_append(out, ", at byte ");
        text_decimal(out, i->end_at, 0);
        text_append(out, "; all before that is read\n");
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (rows[k].n)
            print_number(out, rows[k].label, rows[k].n, rows[k].meaning);
}

/* ---- events and files ---- */

static void print_events(const struct apf_perf *p, struct file_out *out)
{
    text_append(out, "\n     samples     branches  call chains  event\n");
    for (size_t i = 0; i < p->info.n_events; i++) {
        const struct apf_perf_event *e = apf_perf_event(p, i);
        const char *branches = perf_branch_words(e);
        text_decimal(out, e->n_samples, 12);
        text_decimal(out, e->n_branches, 13);
        text_decimal(out, e->n_chains, 13);
        text_append(out, "  ");
        text_name(out, e->name);
        text_append(out, e->frequency ? ", " : ", every ");
        text_decimal(out, e->period, 0);
        text_append(out, e->frequency ? " samples in a second" : " events");
        if (branches) {
            text_append(out, ", branches: ");
            text_append(out, branches);
        }
        text_append(out, "\n");
    }
}

static bool has_more_samples(const void *context, const void *a, const void *b)
{
    const struct apf_perf_file *const *x = a, *const *y = b;
    (void)context;
    return (*x)->n_samples > (*y)->n_samples;
}

static void print_file(const struct apf_perf *p, struct file_out *out, const struct apf_perf_file *f)
{
    const size_t id_width = 40;
    text_decimal(out, f->n_samples, 12);
    text_share(out, f->n_samples, p->info.n_samples, 7);
    text_append(out, "  ");
    for (size_t i = 0; i < f->build_id.n; i++)
        text_hex_digits(out, (uint8_t)f->build_id.p[i], 2);
    if (!f->build_id.n)
        text_append(out, "-");
    text_blanks(out, id_width - (f->build_id.n ? 2 * f->build_id.n : 1) + 2);
    text_name(out, f->path);
    text_append(out, "\n");
}

/* Files with samples, those with most first. */
static int print_files(const struct apf_perf *p, struct file_out *out, struct apf_error *error)
{
    VEC(const struct apf_perf_file *) list = {0};
    bool good = true;
    for (size_t i = 0; good && i < p->info.n_files; i++)
        if (apf_perf_file(p, i)->n_samples)
            good = VEC_PUSH(&list, apf_perf_file(p, i));
    good = good && SORT_VEC(&list, has_more_samples, NULL);
    if (good && (list.n || p->info.n_unmapped))
        text_append(out, "\n     samples    share  build id                                  file\n");
    for (size_t i = 0; good && i < list.n; i++)
        print_file(p, out, list.data[i]);
    if (good && p->info.n_unmapped) {
        const struct apf_perf_file none = {.path = {"(in no file that was mapped)", 28},
                                           .n_samples = p->info.n_unmapped};
        print_file(p, out, &none);
    }
    VEC_FREE(&list);
    return good ? APF_OK : error_memory(error);
}

/* ---- what it can be used for ---- */

/* What makes samples of a tracer's data. */
static const char *tracer_advice(uint32_t tracer)
{
    switch (tracer) {
    case APF_PERF_TRACER_INTEL_PT:
        return "perf inject --itrace=i100usle -i PERF.DATA -o INJECTED.DATA";
    case APF_PERF_TRACER_CORESIGHT:
        return "perf inject --itrace=i100000il128 -i PERF.DATA -o INJECTED.DATA";
    case APF_PERF_TRACER_ARM_SPE:
        return "perf inject --itrace=bl -i PERF.DATA -o INJECTED.DATA";
    default:
        return "perf inject --itrace=il -i PERF.DATA -o INJECTED.DATA";
    }
}

static void print_uses(const struct apf_perf *p, struct file_out *out)
{
    const bool trace = p->info.tracer || p->data.facts.has_aux;
    bool any = false, some = false, stacks = false, addresses = false;
    for (size_t i = 0; i < p->info.n_events; i++) {
        const struct apf_perf_event *e = apf_perf_event(p, i);
        const char *branches = e->n_branches ? perf_branch_words(e) : NULL;
        any |= branches && strcmp(branches, "any") == 0;
        some |= branches && strcmp(branches, "some") == 0;
        stacks |= branches && strcmp(branches, "call stack") == 0;
        addresses |= e->n_samples && e->sample_type & PERF_SAMPLE_IP;
    }
    text_append(out, "\n");
    if (any)
        text_append(
            out,
            "Branches: 'anyprof profgen --binary=PROGRAM --perfdata=PERF.DATA -o OUT' makes a profile for\n"
            "clang of them, with --for=gcc-N one for GCC, and 'anyprof bolt convert PROGRAM -p PERF.DATA\n"
            "-o OUT' one for BOLT.\n");
    if (some)
        text_append(out, "Some branches only: profiles need all that are taken (perf record -j any,u).\n");
    if (stacks)
        text_append(out,
                    "The branches are call stacks, of which no profile is made (perf record -j any,u).\n");
    if (trace) {
        text_append(out, "A trace: make samples with branches of it, and use these:\n  ");
        text_append(out, tracer_advice(p->info.tracer));
        text_append(out, "\n");
    }
    if (addresses && !any && !trace)
        text_append(out,
                    "No branches were recorded (perf record -j any,u records them): 'anyprof bolt convert\n"
                    "--basic-events PROGRAM -p PERF.DATA' makes a profile of the addresses\n"
                    "for BOLT, 'anyprof profgen --for=gcc-N --binary=PROGRAM --perfdata=PERF.DATA -o OUT' "
                    "one for GCC.\n");
    if (p->data.facts.has_stat)
        text_append(out, "Counts of perf stat: it has no samples.\n");
    else if (!p->info.n_samples)
        text_append(out, "There are no samples.\n");
}

int apf_perf_info_print(const struct apf_perf *perf, const struct apf_output *output, struct apf_error *error)
{
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    print_machine(&perf->info, out);
    print_samples(&perf->info, out);
    print_losses(&perf->info, out);
    print_events(perf, out);
    code = print_files(perf, out, error);
    if (code == APF_OK)
        print_uses(perf, out);
    return file_out_finish(out, code, error);
}
