/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "funnel.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "report.h"

/* ---- the counters ---- */

/* A counter of the funnel, and the counter that it is a share of: offsets in struct apf_bolt_funnel. */
struct counter_row {
    size_t counter, whole;
    const char *meaning;
};

#define COUNTER(counter, whole, meaning)                                                                     \
    {offsetof(struct apf_bolt_funnel, counter), offsetof(struct apf_bolt_funnel, whole), meaning}
#define N_ROWS(rows) (sizeof(rows) / sizeof *(rows))

static const struct counter_row perf_samples[] = {
    COUNTER(samples, samples, "samples"),
    COUNTER(samples_elsewhere, samples, "    of other processes"),
    COUNTER(samples_empty, samples, "    without branches"),
};

static const struct counter_row perf_entries[] = {
    COUNTER(entries, entries, "entries of branch stacks"),
    COUNTER(entries_kernel, entries, "    from or to the kernel: left out"),
    COUNTER(entries_repeated, entries, "    the newest of stacks of 32, which may be wrong: left out"),
    COUNTER(entries_without_prediction, entries, "    without prediction: counted as predicted"),
    COUNTER(entries_not_taken, entries, "    not taken: left out"),
    COUNTER(loads, samples, "loads: the data they loaded is not in the profile"),
};

static const struct counter_row mapped_samples[] = {
    COUNTER(branches, branches, "branches seen"),
    COUNTER(branches_mapped, branches, "    in the profile"),
    COUNTER(lost[APF_BOLT_LOSS_NO_BRANCH], branches, "        from where the program has no branch"),
    COUNTER(returns, branches, "    returns, which profiles do not hold"),
    COUNTER(branches_outside, branches, "    outside of the program's functions"),
    COUNTER(branches_unnamed, branches, "        in its code, where there is no symbol"),
    COUNTER(falls, falls, "runs from a branch to the next one"),
    COUNTER(falls_mapped, falls, "    in the profile"),
    COUNTER(falls_by_code, falls, "        in functions without a table, by their code"),
    COUNTER(falls_outside, falls, "    not in the program's functions"),
    COUNTER(falls_unnamed, falls, "        in its code, where there is no symbol"),
    COUNTER(falls_inconsistent, falls,
            "    from one function to another, or over code that does not run through: lost"),
    COUNTER(falls_unresolved, falls, "    over an indirect jump whose targets are unknown: lost"),
    COUNTER(falls_without_table, falls, "    over code that cannot be followed: lost"),
    COUNTER(basic, basic, "samples of instructions"),
    COUNTER(basic_mapped, basic, "    in the profile"),
    COUNTER(basic_outside, basic, "    outside of the program's functions"),
    COUNTER(basic_unnamed, basic, "        in its code, where there is no symbol"),
};

static const struct counter_row yaml_functions[] = {
    COUNTER(functions, functions, "functions"),
    COUNTER(functions_left_out, functions,
            "    not in the YAML: BOLT left them alone, so the table has no hashes of them"),
};

/* What becomes of the samples that are lost, by enum apf_bolt_loss_reason. */
static const char *const reasons[APF_BOLT_LOSSES] = {
    "branches from where the program has no branch",
    "runs from one function to another, or over code that does not run through",
    "runs over indirect jumps whose targets are unknown",
    "runs over code that cannot be followed",
    "functions that the YAML lacks",
    "code where there is no symbol",
};

/* ---- the lines ---- */

static uint64_t read_counter(const struct apf_bolt_funnel *f, size_t offset)
{
    uint64_t n;
    memcpy(&n, (const char *)f + offset, sizeof n);
    return n;
}

static uint64_t count_lost(const struct apf_bolt_funnel *f)
{
    uint64_t n = 0;
    for (size_t i = 0; i < APF_BOLT_LOSSES; i++)
        n += f->lost[i] < UINT64_MAX - n ? f->lost[i] : UINT64_MAX - n;
    return n;
}

static void print_rows(const struct apf_bolt_funnel *f, const struct counter_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counter_print_share(read_counter(f, rows[i].counter), read_counter(f, rows[i].whole), "%s",
                            rows[i].meaning);
}

static void print_input(const struct apf_bolt_funnel *f)
{
    counter_print(f->records, f->perf_script ? "lines read" : "records read");
    if (f->perf_script || f->perf_data) {
        counter_print(f->processes, "processes of the program");
        print_rows(f, perf_samples, N_ROWS(perf_samples));
        counter_print_share(f->samples_beyond, f->samples + f->samples_beyond,
                            "more samples, which were not read");
        print_rows(f, perf_entries, N_ROWS(perf_entries));
    } else if (f->different < f->records) {
        counter_print(f->different, "different ones");
    }
}

#define MOST_NAMED 5u

static void print_losses(const struct apf_bolt_funnel *f)
{
    uint64_t lost = count_lost(f);
    counter_print_share(lost, f->in_program, "of the samples in the program are lost");
    for (size_t i = 0; i < f->n_top && i < MOST_NAMED; i++) {
        const struct apf_bolt_loss *loss = &f->top[i];
        counter_print_share(loss->lost, f->in_program, "    in %s: %s", loss->function,
                            reasons[loss->reason]);
    }
}

void funnel_print(const struct apf_bolt_funnel *f)
{
    print_input(f);
    print_rows(f, mapped_samples, N_ROWS(mapped_samples));
    counter_print_share(f->untranslated, f->branches + f->falls + f->basic,
                        "of all these, in front of the first table entry of their code: offsets as they are");
    counter_print_share(f->other_mode, f->other_mode, "of the other kind, which was not asked for");
    if (f->jumps_unresolved)
        counter_print(f->jumps_unresolved, "indirect jumps in that code whose targets are unknown");
    counter_print(f->edges, "different places in the profile");
    print_rows(f, yaml_functions, N_ROWS(yaml_functions));
    print_losses(f);
}

/* ---- warnings ---- */

static void warn_empty(const struct session *session, const char *program, const struct apf_bolt_funnel *f)
{
    if (f->edges)
        return;
    if (f->other_mode)
        report_warning(
            session, program,
            "all samples are of the other kind: the profile is empty; --basic-events is for samples of "
            "instructions, and only for them");
    else if (f->samples_empty && f->samples_empty == f->samples - f->samples_elsewhere)
        report_warning(
            session, program,
            "no branches were recorded: the profile is empty; record them (perf record -j any,u), or use "
            "--basic-events");
    else
        report_warning(session, program,
                       "no sample is in the program: the profile is empty; is this the program that was "
                       "recorded?");
}

/* The share from which on losses are warned of. */
#define MUCH 0.05

/* Below this share of samples in the program, they are hardly its own. */
#define LITTLE 0.1

/* The share of the samples that are in the program, the rest being in other files; 1 for no samples. */
static double share_inside(const struct apf_bolt_funnel *f)
{
    double all = (double)(f->branches - f->returns) + (double)f->falls + (double)f->basic;
    return all > 0 ? (double)f->in_program / all : 1;
}

static enum apf_bolt_loss_reason find_reason(const struct apf_bolt_funnel *f)
{
    size_t most = 0;
    for (size_t i = 1; i < APF_BOLT_LOSSES; i++)
        if (f->lost[i] > f->lost[most])
            most = i;
    return (enum apf_bolt_loss_reason)most;
}

/* Code that BOLT moved away from stays in the program, and the samples of the program as it was before fit there. */
static void warn_old_code(const struct session *session, const char *program, const struct apf_bolt_funnel *f)
{
    if (f->falls_by_code > f->falls_mapped / 2)
        report_warning(
            session, program,
            "%.1f %% of the runs are in functions that BOLT left alone, or in their old code; is this a "
            "recording of the program before BOLT? If so, give that program",
            100.0 * (double)f->falls_by_code / (double)f->falls_mapped);
}

static void warn_lost(const struct session *session, const char *program, const struct apf_bolt_funnel *f)
{
    static const char *const advice[APF_BOLT_LOSSES] = {
        [APF_BOLT_LOSS_NO_BRANCH] = "; is this the build that was recorded?",
        [APF_BOLT_LOSS_TORN] = "; is this the build that was recorded?",
        [APF_BOLT_LOSS_LEFT_OUT] = "; fdata (-o) has them",
    };
    uint64_t lost = count_lost(f);
    enum apf_bolt_loss_reason reason = find_reason(f);
    if (f->edges && share_inside(f) < LITTLE)
        report_warning(session, program,
                       "only %.1f %% of the samples are in the program; is this the build that was recorded?",
                       100.0 * share_inside(f));
    if (!f->in_program || (double)lost < MUCH * (double)f->in_program)
        return;
    report_warning(session, program,
                   "%.1f %% of the samples in it are lost (%" PRIu64 " of %" PRIu64 "), %" PRIu64
                   " of them: %s%s",
                   100.0 * (double)lost / (double)f->in_program, lost, f->in_program, f->lost[reason],
                   reasons[reason], advice[reason] ? advice[reason] : "");
}

bool funnel_is_above(const struct session *session, const char *program, const struct apf_bolt_funnel *f,
                     uint64_t limit)
{
    const double unit = 1e6;
    uint64_t lost = count_lost(f);
    if (share_inside(f) < LITTLE && limit < 100 * unit) {
        report_error(session, program,
                     "only %.1f %% of the samples are in the program, so that what is lost says little",
                     100.0 * share_inside(f));
        return true;
    }
    if (100.0 * unit * (double)lost <= (double)limit * (double)f->in_program)
        return false;
    report_error(session, program, "%.6g %% of the samples in it are lost, more than %.6g %%",
                 100.0 * (double)lost / (double)f->in_program, (double)limit / unit);
    return true;
}

void funnel_warn(const struct session *session, const char *program, const struct apf_bolt_funnel *funnel)
{
    warn_empty(session, program, funnel);
    warn_old_code(session, program, funnel);
    warn_lost(session, program, funnel);
    if (funnel->saturated)
        report_warning(session, program,
                       "counts that would be above 2^63 - 1, the largest that llvm-bolt reads, stay there: "
                       "%" PRIu64,
                       funnel->saturated);
    if (funnel->samples_elsewhere > funnel->samples / 2)
        report_warning(session, program, "less than half of the samples are of this program");
    if (funnel->lines_other)
        report_warning(session, NULL,
                       "lines that are neither samples nor events are not used: %" PRIu64
                       ", the first one is line %" PRIu64,
                       funnel->lines_other, funnel->first_other_line);
    if (funnel->data_cut)
        report_warning(session, NULL,
                       "the recording is cut off or damaged at byte %" PRIu64
                       "; what comes before is used ('anyprof perf info' says more)",
                       funnel->data_cut_at);
    if (funnel->data_damaged_samples)
        report_warning(session, NULL, "samples that cannot be read are not used: %" PRIu64,
                       funnel->data_damaged_samples);
    if (funnel->data_lost)
        report_warning(session, NULL,
                       "perf says that it lost records, so that the profile is not complete: %" PRIu64,
                       funnel->data_lost);
    if (funnel->lines_of_losses)
        report_warning(session, NULL,
                       "perf lost samples or events, so that the profile is not complete; its messages about "
                       "that: %" PRIu64,
                       funnel->lines_of_losses);
    if (funnel->mappings_ignored)
        report_warning(session, program,
                       "mappings of files with this name that are of another build, or at an impossible "
                       "address, are not used: %" PRIu64,
                       funnel->mappings_ignored);
    if (funnel->build_id_unknown)
        report_warning(session, program,
                       "the recording does not name its build id; is this the program that was recorded?");
    if (funnel->name_by_build_id)
        report_warning(session, program,
                       "it was recorded under another name, and recognised by its build id");
}
