/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "report.h"

static void print_bolt(const struct apf_profgen_funnel *f)
{
    const uint64_t n = f->bolt_branches;
    counter_print(n, "branches of what BOLT wrote");
    counter_print_share(f->bolt_moved, n, "    from or to code that BOLT moved");
    counter_print_share(f->bolt_unknown, n,
                        "    from or to code that is not in the original, or not known there");
    counter_print_share(f->bolt_removed, n, "    where the original has no branch");
    counter_print_share(f->bolt_inlined, n,
                        "    calls beside them that BOLT inlined: what ran in these is lost");
    counter_print_share(f->bolt_lost, n, "    places between them where the original cannot be followed");
    if (f->bolt_added)
        counter_print(f->bolt_added, "branches that only the original takes");
}

static void print_samples(const struct apf_profgen_funnel *f)
{
    counter_print(f->samples, "samples");
    counter_print_share(f->samples_unwanted, f->samples, "    of other processes: not used");
    counter_print_share(f->samples_no_stack, f->samples,
                        f->samples_plain ? "    without branches: each counts for where it was taken"
                                         : "    without branches: not used");
    if (!f->samples_plain)
        return;
    counter_print_share(f->samples_elsewhere, f->samples, "        outside of the program");
    counter_print_share(f->samples_unplaced, f->samples, "        in functions that are not known: left out");
}

static void print_branches(const struct apf_profgen_funnel *f)
{
    if (f->stacks) {
        counter_print(f->stacks, "branch stacks");
        counter_print_share(f->stacks_elsewhere, f->stacks, "    with no branch in the program");
    }
    if (f->branches_left_out)
        counter_print(f->branches_left_out, "entries marked as not taken, or on a wrong path: not used");
    if (f->branches || f->ranges) {
        counter_print(f->branches, "branches");
        counter_print_share(f->branches_elsewhere, f->branches, "    outside of the program's code");
        counter_print_share(f->branches_in, f->branches, "    from outside into it");
        counter_print_share(f->branches_out, f->branches, "    out of it");
        counter_print_share(f->branches_kernel, f->branches, "    from or to the kernel");
        counter_print_share(f->branches_misplaced, f->branches,
                            "    from or to a place in the program's code where no instruction begins");
        counter_print(f->ranges, "runs from a branch to the next one");
        counter_print_share(f->ranges_elsewhere, f->ranges, "    partly or wholly outside: not used");
        counter_print_share(f->ranges_broken, f->ranges, "    over code that does not run through: not used");
        counter_print_share(f->ranges_crossing, f->ranges, "    beyond the end of a function");
        counter_print_share(f->contexts_cut, f->ranges,
                            "    below a caller without debug information: the context begins after it");
    }
}

void profgen_print_funnel(const struct apf_profgen_funnel *f)
{
    if (f->samples)
        print_samples(f);
    if (f->bolt_branches)
        print_bolt(f);
    print_branches(f);
    if (f->calls_stacks) {
        counter_print(f->calls_stacks, "call stacks");
        counter_print_share(f->calls_none, f->calls_stacks, "    empty: the sample is not used");
        counter_print_share(f->calls_unready, f->calls_stacks,
                            "    where a function sets up or gives up its frame: the sample is not used");
        counter_print_share(f->calls_elsewhere, f->calls_stacks, "    from outside of the program");
        counter_print_share(f->calls_cut, f->calls_stacks,
                            "    cut off: a return address does not follow a call");
        counter_print_share(f->calls_long, f->calls_stacks, "    cut off after 998 callers");
        counter_print_share(f->calls_broken, f->calls_stacks, "    that do not fit the branches");
        if (f->contexts_long)
            counter_print(f->contexts_long, "functions in a context that is cut off after 998 callers");
        if (f->contexts_unsearched)
            counter_print(f->contexts_unsearched,
                          "functions in a context whose tail calls were not searched for to the end");
    }
    if (f->accesses) {
        counter_print(f->accesses, "accesses to data");
        counter_print_share(f->accesses_elsewhere, f->accesses, "    not to a vtable of the program");
        counter_print_share(f->accesses_unplaced, f->accesses, "    by code of no known function: left out");
    }
    if (f->counts) {
        counter_print(f->counts, "counts of probes or instructions");
        counter_print_share(f->counts_unplaced, f->counts,
                            "    of functions that are not known, or without a line: left out");
        if (f->inlining_cut)
            counter_print(f->inlining_cut,
                          "places where inlining is too deep: the function around them counts");
        counter_print(f->calls, "calls");
        counter_print_share(f->calls_unplaced, f->calls, "    from where no probe or function is known");
        counter_print_share(f->contexts_dropped_counts, f->counts,
                            "    in circles of calls: dropped, as by llvm-profgen");
        counter_print_share(f->contexts_cold_counts, f->counts, "    of cold functions: left out");
        counter_print_share(f->contexts_refused_counts, f->counts,
                            "    of functions with contradicting checksums: left out");
    }
}

void profgen_warn_of_input(const struct session *session, const char *input,
                           const struct apf_profgen_funnel *before, const struct apf_profgen_funnel *f)
{
    const uint64_t bad_lines = f->bad_lines - before->bad_lines;
    if (f->cut != before->cut)
        report_warning(session, input,
                       "the recording is cut off or damaged; what comes before is used ('anyprof perf info' "
                       "says more)");
    if (f->samples_damaged != before->samples_damaged)
        report_warning(session, input, "samples that cannot be read are not used: %" PRIu64,
                       f->samples_damaged - before->samples_damaged);
    if (f->samples_lost != before->samples_lost)
        report_warning(session, input,
                       "perf says that it lost records, so that the profile is not complete: %" PRIu64,
                       f->samples_lost - before->samples_lost);
    if (bad_lines && before->bad_lines) /* the number of the first one is that of another input */
        report_warning(session, input, "lines with an address that cannot be read: %" PRIu64, bad_lines);
    else if (bad_lines)
        report_warning(session, input,
                       "lines with an address that cannot be read: %" PRIu64
                       ", the first one is line %" PRIu64,
                       bad_lines, f->first_bad_line);
    if (f->bad_mappings != before->bad_mappings)
        report_warning(session, input, "mappings that cannot be read are not used: %" PRIu64,
                       f->bad_mappings - before->bad_mappings);
}

/* Warns of a program, and names the input if there are several. */
static void warn_of_program(const struct session *session, const char *program, const char *input,
                            const char *text)
{
    report_warning(session, program, "%s%s%s%s", input ? "in " : "", input ? input : "", input ? " " : "",
                   text);
}

void profgen_warn_of_match(const struct session *session, const char *program, const char *input,
                           const struct apf_profgen_funnel *before, const struct apf_profgen_funnel *f)
{
    if (f->no_build_id != before->no_build_id)
        warn_of_program(session, program, input,
                        "it was recognised by its name: the recording, or the program, has no build id");
    if (f->other_build != before->other_build)
        warn_of_program(session, program, input, "another build of it was recorded");
    if (f->unmapped != before->unmapped)
        warn_of_program(session, program, input,
                        "the text does not say where it was mapped: its addresses are taken as they are");
}

void profgen_warn(const struct session *session, const char *program, const struct apf_profgen_funnel *f)
{
    if (f->bolt_branches && f->bolt_moved == 0)
        report_warning(session, program,
                       "no branch is in code that BOLT moved; was the program before BOLT recorded?");
    /* One process after another has moved mappings, too, and loses nothing. */
    if (f->moved_mappings && f->stacks_elsewhere > f->stacks / 10)
        report_warning(session, program,
                       "several processes have it at different places, and the text does not say which one a "
                       "branch is of: those of all but the last mapping are taken to be outside; --perfdata "
                       "reads the recording itself");
    /* Samples are counted of recordings only; some call stacks begin in libraries or the kernel. */
    if (f->calls_stacks && f->samples == 0 && f->stacks != f->stacks_elsewhere &&
        f->calls_elsewhere >= f->calls_stacks - f->calls_stacks / 20)
        report_warning(session, program,
                       "hardly any call stack is in the program, though branches are: some releases of perf "
                       "script (5.17 to 6.5) print frames as offsets in files; --perfdata reads the "
                       "recording itself");
    /* Interrupts and stale ends of stacks account for a few. */
    if (f->branches_misplaced > f->branches / 100 && !session_is_llvm(session))
        report_warning(
            session, program,
            "%.1f %% of the branches are from or to places where the program has no instruction; is "
            "this the build that was recorded?",
            100 * (double)f->branches_misplaced / (double)f->branches);
    if (f->accesses && f->accesses == f->accesses_elsewhere && !session_is_llvm(session))
        report_warning(session, program,
                       "no access to data is to a vtable of the program; is the trace of this program, with "
                       "the lines of its mappings?");
    if (f->stacks && f->stacks == f->stacks_elsewhere)
        report_warning(session, program,
                       "no branch is in the program; is this the program that was recorded?");
}

/* "1.22%(1/82) TEXT", as llvm-profgen prints it. */
static void warn_of_share(const struct session *session, uint64_t n, uint64_t of, const char *text)
{
    if (n && of)
        report_warning(session, NULL, "%.2f%%(%" PRIu64 "/%" PRIu64 ") %s", 100 * (double)n / (double)of, n,
                       of, text);
}

void profgen_warn_as_llvm(const struct session *session, const struct apf_profgen_funnel *f)
{
    warn_of_share(session, f->ranges_misplaced, f->ranges,
                  "of samples are from ranges that are not on instruction boundary.");
    warn_of_share(session, f->ranges_nowhere, f->ranges,
                  "of samples are from ranges that do not belong to any functions.");
    warn_of_share(session, f->ranges_named, f->ranges,
                  "of samples are from ranges that belong to functions recovered from symbol table.");
    warn_of_share(session, f->ranges_crossing, f->ranges,
                  "of samples are from ranges that do cross function boundaries.");
    warn_of_share(
        session, f->ranges_jumping, f->ranges,
        "of samples are from ranges that have range start after or too far from range end acrossing the "
        "unconditinal jmp.");
}

void profgen_print_debug_file(const struct apf_profgen *profgen)
{
    const char *path = apf_profgen_debug_file(profgen);
    char text[1024];
    if (path)
        fprintf(stderr, "debug information: %s\n",
                printable(text, sizeof text, (struct apf_str){path, strlen(path)}));
}
