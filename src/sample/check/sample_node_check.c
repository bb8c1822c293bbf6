/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the functions of a profile of any format. */
#include <stdlib.h>

#include "sample/check/sample_checker.h"
#include "sample/gcc/sample_gcc_read.h"
#include "sample/layout/sample_layout.h"

#define KNOWN_ATTRIBUTES (APF_SAMPLE_WAS_INLINED | APF_SAMPLE_SHOULD_BE_INLINED | APF_SAMPLE_DUPLICATED)

static struct error_at place_of(const struct sample_checker *k, enum sample_place place, uint32_t node,
                                uint64_t found, uint64_t expected)
{
    struct error_at at = {sample_check_path(k, place), sample_check_offset(k, node), found, expected};
    return at;
}

/* ---- counts ---- */

/* A total is that of a function and of all that is inlined in it. Compilers use totals only to compare functions. */
static void check_counts(struct sample_checker *k, uint32_t node)
{
    const struct apf_sample *s = k->s;
    const struct sample_node *f = &s->nodes.data[node];
    uint64_t sum = 0, cut = 0;
    for (uint32_t i = 0; i < f->lines.n; i++)
        sum = sample_sum(sum, f->lines.data[i].count, 1, &cut);
    for (uint32_t i = 0; i < f->callees.n; i++)
        sum = sample_sum(sum, s->nodes.data[f->callees.data[i]].total, 1, &cut);
    if (f->total < sum)
        sample_check_note(k, SAMPLE_NOTE_SMALL_TOTAL, node, f->total, sum);
    if (f->caller == SAMPLE_NONE && f->head > f->total && s->info.format != APF_SAMPLE_GCC)
        sample_check_note(k, SAMPLE_NOTE_LARGE_HEAD, node, f->head, f->total);
}

/* ---- places ---- */

static bool has_discriminator(uint64_t at)
{
    return sample_place_discriminator(at) != 0;
}

/* The first place of a node that a test finds wrong; 0: none, since 0.0 is always right. */
static uint64_t find_place(const struct apf_sample *s, uint32_t node, bool (*wrong)(uint64_t at))
{
    const struct sample_node *f = &s->nodes.data[node];
    if (f->caller == SAMPLE_NONE && wrong(s->contexts.list.data[f->context].at))
        return s->contexts.list.data[f->context].at;
    for (uint32_t i = 0; i < f->lines.n; i++)
        if (wrong(f->lines.data[i].at))
            return f->lines.data[i].at;
    for (uint32_t i = 0; i < f->callees.n; i++)
        if (wrong(s->nodes.data[f->callees.data[i]].at))
            return s->nodes.data[f->callees.data[i]].at;
    return 0;
}

/* Compilers keep 16 bits of a line offset, and without flow-sensitive discriminators they look for probes without
 * one. */
static void check_places(struct sample_checker *k, uint32_t node)
{
    uint32_t flags = k->s->info.flags;
    uint64_t far = find_place(k->s, node, sample_place_is_far), other = 0;
    if (flags & APF_SAMPLE_PROBES && !(flags & APF_SAMPLE_FS))
        other = find_place(k->s, node, has_discriminator);
    if (!far && !other)
        return;
    sample_check_node(k, node);
    if (far)
        sample_check_bound(k, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                           place_of(k, SAMPLE_AT_LINE, node, sample_place_line(far), SAMPLE_MAX_LINE),
                           "a line that compilers do not find");
    if (other)
        sample_check_numbers(
            k, APF_SEVERITY_WARNING, APF_INCONSISTENT,
            place_of(k, SAMPLE_AT_DISCRIMINATOR, node, sample_place_discriminator(other), 0),
            "the discriminator of a probe, which compilers do not find without the flow-sensitive flag");
    check_no_function(k->c);
}

/* ---- metadata ---- */

static void check_attributes(struct sample_checker *k, uint32_t node)
{
    const struct sample_node *f = &k->s->nodes.data[node];
    uint32_t flags = k->s->info.flags;
    if (!f->attributes)
        return;
    if (f->attributes & ~KNOWN_ATTRIBUTES)
        sample_check_note(k, SAMPLE_NOTE_ATTRIBUTES, node, f->attributes, f->attributes & KNOWN_ATTRIBUTES);
    if (f->attributes & APF_SAMPLE_DUPLICATED && f->caller == SAMPLE_NONE)
        sample_check_note(k, SAMPLE_NOTE_DUPLICATED, node, f->attributes,
                          f->attributes & ~(uint64_t)APF_SAMPLE_DUPLICATED);
    if (k->s->info.format == APF_SAMPLE_TEXT && !(flags & (APF_SAMPLE_CONTEXTS | APF_SAMPLE_PREINLINED)))
        sample_check_note(k, SAMPLE_NOTE_LOST_ATTRIBUTES, node, f->attributes, 0);
}

/* Whether inlined functions should have checksums: some has one. LLVM 12 and 13 store none. */
static bool has_inner_checksums(const struct apf_sample *s)
{
    for (size_t i = 0; i < s->nodes.n; i++)
        if (s->nodes.data[i].caller != SAMPLE_NONE && s->nodes.data[i].checksum)
            return true;
    return false;
}

static void check_checksum(struct sample_checker *k, uint32_t node, bool inner)
{
    const struct sample_node *f = &k->s->nodes.data[node];
    bool inlined = f->caller != SAMPLE_NONE;
    if (f->checksum || !(k->s->info.flags & APF_SAMPLE_PROBES) || (inlined && !inner))
        return;
    sample_check_node(k, node);
    check_place(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, sample_check_path(k, SAMPLE_AT_CHECKSUM),
                sample_check_offset(k, node),
                "no checksum, in a profile of probes: compilers do not match it");
    check_no_function(k->c);
}

/* ---- what is there repeatedly ---- */

/* GCC uses the last of several records of a place, and LLVM adds them up. */
static void check_joined(struct sample_checker *k, uint32_t node)
{
    static const struct {
        uint16_t state;
        enum sample_place place;
        enum sample_note note;
        const char *gcc;
    } rows[] = {
        {SAMPLE_JOINED_LINES, SAMPLE_AT_REPEATED_LINE, SAMPLE_NOTE_LINES,
         "a line has several counts: GCC uses the last one"},
        {SAMPLE_JOINED_TARGETS, SAMPLE_AT_TARGETS, SAMPLE_NOTE_TARGETS,
         "a call target of a line has several counts: GCC uses the last one"},
    };
    uint16_t state = k->s->nodes.data[node].state;
    if (state & SAMPLE_JOINED)
        sample_check_note(k, SAMPLE_NOTE_INLINED, node, 0, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !(state & SAMPLE_JOINED); i++) {
        if (!(state & rows[i].state))
            continue;
        if (k->s->info.format != APF_SAMPLE_GCC) {
            sample_check_note(k, rows[i].note, node, 0, 0);
            continue;
        }
        sample_check_node(k, node);
        check_place(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, sample_check_path(k, rows[i].place),
                    sample_check_offset(k, node), rows[i].gcc);
        check_no_function(k->c);
    }
}

/* How serious it is that a function is there again, and the reason. */
static uint32_t repeat_severity(const struct sample_checker *k, const char **detail)
{
    const struct apf_sample_info *info = &k->s->info;
    if (info->format == APF_SAMPLE_EXTBINARY) {
        *detail = "the function is there once more: compilers read one of the two";
        return APF_SEVERITY_WARNING;
    }
    if (info->format != APF_SAMPLE_GCC)
        return APF_SEVERITY_NOTE;
    bool swap, stops;
    const struct gcc_layout *layout = sample_gcc_layout(k->data, k->n, info->layout, &swap);
    stops = layout && layout->caps & GCC_CAP_NO_REPEATS;
    *detail = stops ? "the function is there once more: GCC 16 stops at it"
                    : "the function is there once more: GCC uses the last one, LLVM only adds the entries";
    return stops ? APF_SEVERITY_ERROR : APF_SEVERITY_WARNING;
}

/* Reports functions at the top level that the file has once more, with the place of the second one, and marks them
 * in an array: what is in them is no finding then. */
static void check_repeats(struct sample_checker *k, uint8_t *twice)
{
    const char *detail = NULL;
    uint32_t severity = repeat_severity(k, &detail);
    for (size_t i = 0; i < k->origins.again.n && k->c->code == APF_OK; i++) {
        const struct sample_repeat *again = &k->origins.again.data[i];
        twice[again->node] = 1;
        if (severity == APF_SEVERITY_NOTE) {
            struct sample_tally *t = &k->notes[SAMPLE_NOTE_FUNCTIONS];
            struct sample_tally first = {1, 0, 0, again->offset, again->node};
            if (t->n++ == 0)
                *t = first;
            continue;
        }
        sample_check_node(k, again->node);
        check_place(k->c, severity, APF_INCONSISTENT, sample_check_path(k, SAMPLE_AT_FUNCTION), again->offset,
                    detail);
        check_no_function(k->c);
    }
}

void sample_nodes_check(struct sample_checker *k)
{
    bool inner = has_inner_checksums(k->s);
    uint8_t *twice = calloc(k->s->nodes.n + 1, 1);
    if (twice)
        check_repeats(k, twice);
    else
        check_memory(k->c);
    for (size_t i = 0; twice && i < k->s->nodes.n && k->c->code == APF_OK; i++) {
        uint32_t node = (uint32_t)i;
        const struct sample_node *f = &k->s->nodes.data[i];
        if (f->caller != SAMPLE_NONE)
            twice[i] = twice[f->caller];
        if (f->state & SAMPLE_GONE)
            continue;
        check_counts(k, node);
        check_places(k, node);
        check_attributes(k, node);
        check_checksum(k, node, inner);
        if (!twice[i])
            check_joined(k, node);
    }
    free(twice);
    k->c->n_records += k->s->top.n;
}
