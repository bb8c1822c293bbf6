/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds up what profiles of BOLT say, whatever their format. */
#include "base/sort.h"
#include "report/report_bolt.h"

/* The most mispredicted branches that are listed. */
#define MOST_MISSES 100u

bool bolt_count(struct bolt_reader *b, uint32_t name, uint64_t count)
{
    struct report_function *f = report_function_of(b->r, name);
    if (!f)
        return false;
    f->n_counts += f->n_counts < UINT32_MAX;
    f->total = report_sum(f->total, count);
    f->most = count > f->most ? count : f->most;
    report_count(b->r, count);
    return true;
}

/* ---- mispredictions ---- */

static bool more_misses(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct report_miss *)a)->mispredictions > ((const struct report_miss *)b)->mispredictions;
}

/* Keeps the branches that are mispredicted most. */
static bool cut_misses(struct bolt_reader *b)
{
    if (!SORT_VEC(&b->misses, more_misses, NULL))
        return false;
    if (b->misses.n > MOST_MISSES)
        b->misses.n = MOST_MISSES;
    return true;
}

bool bolt_miss(struct bolt_reader *b, const struct report_miss *miss)
{
    if (!miss->mispredictions)
        return true;
    b->n_misses++;
    b->mispredictions = report_sum(b->mispredictions, miss->mispredictions);
    return VEC_PUSH(&b->misses, *miss) && (b->misses.n < 4 * MOST_MISSES || cut_misses(b));
}

static bool write_misses(struct bolt_reader *b)
{
    static const struct report_column columns[] = {{"From", REPORT_CELL_NAME},
                                                   {"Offset", REPORT_CELL_OFFSET},
                                                   {"To", REPORT_CELL_NAME},
                                                   {"Offset", REPORT_CELL_OFFSET},
                                                   {"Taken", REPORT_CELL_NUMBER},
                                                   {"Mispredicted", REPORT_CELL_NUMBER},
                                                   {"Of those taken", REPORT_CELL_SHARE}};
    static const struct report_column of_blocks[] = {{"From", REPORT_CELL_NAME},
                                                     {"Block", REPORT_CELL_NUMBER},
                                                     {"To", REPORT_CELL_NAME},
                                                     {"Block", REPORT_CELL_NUMBER},
                                                     {"Taken", REPORT_CELL_NUMBER},
                                                     {"Mispredicted", REPORT_CELL_NUMBER},
                                                     {"Of those taken", REPORT_CELL_SHARE}};
    struct report_table *t = REPORT_TABLE(b->r, REPORT_PART_BRANCHES, NULL, report_count_columns);
    if (!t || !cut_misses(b) || !report_count_row(t, "branches", b->all, b->all) ||
        !report_count_row(t, "mispredicted", b->mispredictions, b->all))
        return false;
    t = report_table(b->r, REPORT_PART_BRANCHES, "Branches that are mispredicted most",
                     b->has_blocks ? of_blocks : columns, sizeof columns / sizeof *columns);
    bool ok = t != NULL;
    for (size_t i = 0; ok && i < b->misses.n; i++) {
        const struct report_miss *m = &b->misses.data[i];
        ok = !report_row(t) ||
             (report_cell(t, m->from == HASH_INDEX_NONE ? UINT64_MAX : m->from) &&
              report_cell(t, m->from_offset) &&
              report_cell(t, m->to == HASH_INDEX_NONE ? UINT64_MAX : m->to) && report_cell(t, m->to_offset) &&
              report_cell(t, m->count) && report_cell(t, m->mispredictions) &&
              report_cell_share(t, m->mispredictions, m->count));
    }
    if (ok)
        t->n_all = b->n_misses;
    return ok;
}

/* ---- calls ---- */

static bool end_site(struct bolt_reader *b)
{
    const bool ok = !b->site.n_values || report_add_site(b->r, &b->site);
    b->site.n_values = 0;
    return ok;
}

bool bolt_call(struct bolt_reader *b, const struct report_site *place, uint64_t to, uint64_t count)
{
    struct report_site *site = &b->site;
    if (site->n_values &&
        (site->function != place->function || site->line != place->line ||
         site->discriminator != place->discriminator) &&
        !end_site(b))
        return false;
    if (!site->n_values)
        *site = *place;
    b->calls = report_sum(b->calls, to == place->function || to == UINT64_MAX ? 0 : count);
    report_add_value(site, to, count);
    return true;
}

/* ---- the end ---- */

bool bolt_finish(struct bolt_reader *b)
{
    if (!end_site(b))
        return false;
    b->r->is_of_instructions = b->is_samples;
    struct report_table *t =
        REPORT_TABLE(b->r, REPORT_PART_SAMPLES, "Where they are, by the profile", report_count_columns);
    bool ok =
        t && report_count_row(t, b->is_samples ? "samples" : "branches", b->all, b->all) &&
        (b->has_blocks || report_count_row(t, "from a place in no known symbol", b->from_unknown, b->all));
    if (!b->is_samples)
        ok = ok && report_count_row(t, "to a place in no known symbol", b->to_unknown, b->all) &&
             (b->has_blocks || report_count_row(t, "both", b->both_unknown, b->all)) &&
             report_count_row(t, "from one function to another", b->calls, b->all);
    if (b->loads)
        ok = ok && report_count_row(t, "loads, in number, which are in no other table", b->loads, b->loads);
    return ok && (!b->mispredictions || write_misses(b));
}
