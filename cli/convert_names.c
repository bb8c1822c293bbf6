/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "convert_names.h"

#include "option_choices.h"
#include "places.h"
#include "report.h"

uint64_t convert_named(const struct arguments *args, bool samples)
{
    static const struct {
        const char *end;
        uint64_t other, sample;
    } rows[] = {{".profdata", TO_INDEXED, TO_INDEXED},
                {".proftext", TO_TEXT, TO_TEXT},
                {".speedscope.json", TO_SPEEDSCOPE, TO_SPEEDSCOPE}, /* before .json */
                {".json", TO_JSON, TO_JSON},
                {".folded", TO_FOLDED, TO_FOLDED},
                {".pb.gz", TO_PPROF, TO_PPROF},
                {".csv", TO_CSV, TO_CSV},
                {".prof", TO_UNKNOWN, TO_TEXT},
                {".txt", TO_UNKNOWN, TO_TEXT},
                {".afdo", TO_UNKNOWN, TO_INDEXED},
                {".gcov", TO_UNKNOWN, TO_GCC}};
    const char *path = option_text(args, OPT_OUTPUT, "-");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (path_has_end(path, rows[i].end))
            return samples ? rows[i].sample : rows[i].other;
    return TO_UNKNOWN;
}

uint64_t convert_format(const struct arguments *args, bool samples)
{
    return option_number(args, OPT_TO, convert_named(args, samples));
}

bool convert_replaces(const struct session *session, const struct arguments *args)
{
    const struct place output = {"output", option_text(args, OPT_OUTPUT, "-"), true};
    return place_replaces(session, args, 0, &output);
}

/* Whether a format is one of those for compilers, but not text; files of all of them have the same names. */
static bool is_binary(uint64_t to)
{
    return to == TO_INDEXED || to == TO_EXTBINARY || to == TO_BINARY || to == TO_COMPACT || to == TO_GCC;
}

void convert_note_name(const struct session *session, const struct arguments *args, bool samples)
{
    const uint64_t named = convert_named(args, samples), to = convert_format(args, samples);
    if (named == TO_UNKNOWN || named == to || (is_binary(named) && is_binary(to)) ||
        request_of(session, args).quiet)
        return;
    for (const struct choice *c = to_formats; c->name; c++)
        if (c->number == to)
            report_note(session, "%s is written as %s: the option decides, not the end of the name",
                        option_text(args, OPT_OUTPUT, "-"), c->name);
}
