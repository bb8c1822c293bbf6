/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "funnel.h"

#include <inttypes.h>
#include <stdio.h>

#include "report.h"

static void print_row(uint64_t n, uint64_t of, const char *what)
{
    if (n)
        fprintf(stderr, "%14" PRIu64 "  %5.1f %%  %s\n", n, of ? 100.0 * (double)n / (double)of : 0.0, what);
}

static void print_perf(const struct apf_bolt_funnel *f)
{
    fprintf(stderr, "%14" PRIu64 "           processes of the program\n", f->processes);
    print_row(f->samples, f->samples, "samples");
    print_row(f->samples_elsewhere, f->samples, "    of other processes");
    print_row(f->samples_empty, f->samples, "    without branches");
    print_row(f->samples_beyond, f->samples + f->samples_beyond, "more, which were not read");
    print_row(f->entries, f->entries, "entries of branch stacks");
    print_row(f->entries_kernel, f->entries, "    from or to the kernel: left out");
    print_row(f->entries_repeated, f->entries,
              "    the newest of stacks of 32, which may be wrong: left out");
    print_row(f->entries_silent, f->entries, "    without prediction: taken for right ones");
    print_row(f->entries_not_taken, f->entries, "    not taken: left out");
    print_row(f->loads, f->samples, "loads: what they loaded is not in the profile");
}

void funnel_print(const struct apf_bolt_funnel *f)
{
    fprintf(stderr, "%14" PRIu64 "           %s read\n", f->records, f->perf_script ? "lines" : "records");
    if (f->perf_script)
        print_perf(f);
    else if (f->different < f->records)
        fprintf(stderr, "%14" PRIu64 "           different ones\n", f->different);
    print_row(f->branches, f->branches, "branches seen");
    print_row(f->branches_mapped, f->branches, "    in the profile");
    print_row(f->returns, f->branches, "    returns, which profiles do not hold");
    print_row(f->branches_outside, f->branches, "    outside of the program's functions");
    print_row(f->branches_unnamed, f->branches, "        in its code, where no symbol is");
    print_row(f->falls, f->falls, "runs from a branch to the next one");
    print_row(f->falls_mapped, f->falls, "    in the profile");
    print_row(f->falls_by_code, f->falls, "        in functions without a table, by their code");
    print_row(f->falls_outside, f->falls, "    not in the program's functions");
    print_row(f->falls_unnamed, f->falls, "        in its code, where no symbol is");
    print_row(f->falls_torn, f->falls,
              "    from one function to another one, or over code that ends between");
    print_row(f->falls_unresolved, f->falls, "    over an indirect jump to nobody knows where: lost");
    print_row(f->falls_without_table, f->falls,
              "    in functions without a table, of code that cannot be followed: lost");
    print_row(f->basic, f->basic, "samples of instructions");
    print_row(f->basic_mapped, f->basic, "    in the profile");
    print_row(f->basic_outside, f->basic, "    outside of the program's functions");
    print_row(f->basic_unnamed, f->basic, "        in its code, where no symbol is");
    print_row(f->untranslated, f->branches + f->falls + f->basic,
              "of all these, in front of what the table has of their code: taken as they are");
    print_row(f->other_mode, f->other_mode, "of the other kind, not asked for");
    if (f->jumps_unresolved)
        fprintf(stderr, "%14" PRIu64 "           indirect jumps in that code to nobody knows where\n",
                f->jumps_unresolved);
    fprintf(stderr, "%14" PRIu64 "           different places in the profile\n", f->edges);
    print_row(f->functions, f->functions, "functions");
    print_row(f->functions_left_out, f->functions,
              "    not in the YAML: the table has no hashes of them, as BOLT left them alone");
}

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
        report_warning(session, program, "no sample is in the program: the profile is empty");
}

void funnel_warn(const struct session *session, const char *program, const struct apf_bolt_funnel *funnel)
{
    warn_empty(session, program, funnel);
    if (funnel->saturated)
        report_warning(session, program, "%" PRIu64 " counts would be above 2^63 - 1: they stay there",
                       funnel->saturated);
    if (funnel->samples_elsewhere > funnel->samples / 2)
        report_warning(session, program, "less than half of the samples are of this program");
    if (funnel->lines_of_else)
        report_warning(session, NULL,
                       "%" PRIu64 " lines are neither samples nor events, the first one line %" PRIu64
                       ": they are not used",
                       funnel->lines_of_else, funnel->first_else);
    if (funnel->lines_of_losses)
        report_warning(session, NULL,
                       "perf says %" PRIu64 " times that it lost samples or events: there were more",
                       funnel->lines_of_losses);
    if (funnel->mappings_ignored)
        report_warning(session, program,
                       "files of this name were mapped where it cannot be, or are of another build: %" PRIu64
                       " mappings are not used",
                       funnel->mappings_ignored);
    if (funnel->build_id_unknown)
        report_warning(session, program, "its build id is not in the recording, which has files without one");
    if (funnel->name_by_build_id)
        report_warning(session, program, "it was recorded under another name, which has its build id");
}
