/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen_idle.h"

#include "command.h"
#include "options.h"
#include "report.h"

/* Not here are options that ask for what profiles for GCC are anyway, such as --ignore-stack-samples. */
static const struct {
    enum option_id id;
    bool last; /* it is about the last steps, those of a sample profile */
} idle[] = {
    {OPT_SYMBOL_FUNCTIONS, false},
    {OPT_INFER_FRAMES, false},
    {OPT_SEARCH_DEPTH, false},
    {OPT_PREINLINER, true},
    {OPT_REPLAY, true},
    {OPT_CONTEXT_COST, true},
    {OPT_NESTED, true},
    {OPT_MERGED_BASE, true},
    {OPT_JOIN_COLD, true},
    {OPT_COLD_DEPTH, true},
    {OPT_CONTEXT_DEPTH, false},
    {OPT_CHAIN_DEPTH, false},
    {OPT_RECURSION, false},
    {OPT_HOT_CONTEXTS, true},
    {OPT_COLD_CALLS, true},
    {OPT_TRIM_PROFILE, true},
    {OPT_HOT_SHARE, true},
    {OPT_COLD_SHARE, true},
    {OPT_INLINE_HOT, true},
    {OPT_INLINE_COLD, true},
    {OPT_INLINE_GROWTH, true},
    {OPT_INLINE_LEAST, true},
    {OPT_INLINE_MOST, true},
    {OPT_INLINE_AGAIN, true},
    {OPT_UPDATE_TOTALS, false},
    {OPT_ZERO_FUNCTIONS, false},
    {OPT_LIST_FUNCTIONS, true},
    {OPT_ALL_INLINED, true},
    {OPT_SHOW_DENSITY, false},
    {OPT_DENSITY_CUTOFF, false},
    {OPT_DENSITY_THRESHOLD, false},
};

static const char *name_of(const struct arguments *args, enum option_id id)
{
    const struct option *o = option_table;
    while (o->name && (o->id != id || !(o->commands & args->command->bit)))
        o++;
    return o->name;
}

void profgen_warn_of_idle(const struct session *session, const struct arguments *args, bool given)
{
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (args->values[idle[i].id].place && !(given && idle[i].last))
            report_warning(session, NULL, "--%s has no effect on profiles for GCC",
                           name_of(args, idle[i].id));
}
