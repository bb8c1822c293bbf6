/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anyprof/bat.h>

#include "memory.h"

/* ---- the command line ---- */

/* What is wrong with options that name one file, where there are several programs; NULL: nothing. */
static const char *find_lonely(const struct arguments *args)
{
    if (args->values[OPT_RAW_COUNTS].place)
        return "counts of --unsymbolized-profile are of one program: give one --binary";
    if (args->values[OPT_GIVEN_PROFILE].place)
        return "a profile of --llvm-sample-profile is of one program: give one --binary";
    if (args->values[OPT_ACCESSES].place)
        return "accesses of --data-access-perftrace are of one program: give one --binary";
    if (args->values[OPT_DEBUG_BINARY].place || args->values[OPT_PACKAGE].place)
        return "--debug-binary and --dwp are for one --binary; of several programs such files are searched "
               "for: "
               "--debug-dir=DIR";
    if (option_flag(args, OPT_KERNEL))
        return "--kernel is for one --binary";
    return NULL;
}

/* Whether two names are those of one file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Whether a program is given twice, after a report. */
static bool is_repeated(const struct profgen_programs *p, const struct session *session)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_file(p->list[i].input.path, p->list[k].input.path)) {
                report_error(session, p->list[i].input.path, "this program is given twice; first as %s",
                             p->list[k].input.path);
                return true;
            }
    return false;
}

/* Whether BOLT wrote a program, and left the table for the translation of addresses in it. */
static bool has_table(const struct apf_input *program)
{
    struct apf_bat *bat;
    struct apf_error error;
    int code = apf_bat_open(&bat, program, NULL, &error);
    if (code == APF_OK)
        apf_bat_close(bat);
    return code == APF_OK;
}

/* Gives each --original to the program that BOLT made of it: of several, in their order. 0, or an exit code. */
static int share_originals(struct profgen_programs *p, const struct session *session,
                           const struct arguments *args)
{
    const struct option_value *originals = &args->values[OPT_ORIGINAL];
    size_t used = 0;
    if (p->n == 1 && originals->n_list == 1)
        p->list[used++].original = apf_input_file(originals->list[0]);
    for (size_t i = 0; p->n > 1 && i < p->n && used < originals->n_list; i++)
        if (has_table(&p->list[i].input))
            p->list[i].original = apf_input_file(originals->list[used++]);
    if (used == originals->n_list)
        return 0;
    report_error(
        session, originals->list[used],
        "there is no program for this --original: it is for a --binary that llvm-bolt --enable-bat wrote, "
        "and of several for the next one");
    return EXIT_DATA;
}

int profgen_programs_parse(struct profgen_programs *p, const struct session *session,
                           const struct arguments *args)
{
    const struct option_value *programs = &args->values[OPT_BINARY], *outputs = &args->values[OPT_OUTPUT];
    const size_t n = programs->n_list;
    char wrong[160];
    const char *lonely = n > 1 ? find_lonely(args) : NULL;
    snprintf(wrong, sizeof wrong, "each --binary needs an -o, in the same order: there are %zu and %zu", n,
             outputs->n_list);
    if (lonely || outputs->n_list != n)
        return report_wrong(session, args, lonely ? lonely : wrong);
    p->list = checked_realloc(NULL, n, sizeof *p->list);
    memset(p->list, 0, n * sizeof *p->list);
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        struct profgen_program *program = &p->list[i];
        const size_t size = strlen(programs->list[i]) + sizeof "profile of ";
        program->input = apf_input_file(programs->list[i]);
        program->output = (struct place){"profile", outputs->list[i], true};
        if (n == 1)
            continue;
        program->output.what = program->what = checked_realloc(NULL, size, 1);
        snprintf(program->what, size, "profile of %s", programs->list[i]);
    }
    return is_repeated(p, session) ? EXIT_DATA : share_originals(p, session, args);
}

void profgen_programs_free(struct profgen_programs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        apf_sample_close(p->list[i].sample);
        apf_profgen_close(p->list[i].profgen);
        free(p->list[i].what);
    }
    free(p->list);
}

/* ---- places ---- */

struct apf_profgen **profgen_programs_handles(const struct profgen_programs *p)
{
    struct apf_profgen **handles = checked_realloc(NULL, p->n, sizeof(struct apf_profgen *));
    for (size_t i = 0; i < p->n; i++)
        handles[i] = p->list[i].profgen;
    return handles;
}

/* Whether a place is a program or an original, after a report. */
static bool is_program(const struct profgen_programs *p, const struct session *session,
                       const struct place *place)
{
    for (size_t i = 0; i < p->n; i++)
        if (place_is_input(session, place, &p->list[i].input, 1) ||
            (p->list[i].original.path && place_is_input(session, place, &p->list[i].original, 1)))
            return true;
    return false;
}

bool profgen_programs_clash(const struct profgen_programs *p, const struct session *session,
                            const struct place *report, const struct apf_input *inputs, size_t n)
{
    const bool several = p->n > 1 || report->path; /* all of them, or none */
    if (several && place_is_impossible(session, report))
        return true;
    for (size_t i = 0; i < p->n; i++) {
        const struct place *place = &p->list[i].output;
        if (several && place_is_impossible(session, place))
            return true;
        if (is_program(p, session, place) || place_is_input(session, place, inputs, n) ||
            place_is_original(session, place))
            return true;
        for (size_t k = 0; k < i; k++)
            if (place_is_shared(session, place, &p->list[k].output))
                return true;
        if (place_is_shared(session, report, place))
            return true;
    }
    return report->path && (is_program(p, session, report) || place_is_input(session, report, inputs, n) ||
                            place_is_original(session, report));
}
