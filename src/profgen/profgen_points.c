/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_points.h"

#include <string.h>

#include "base/error.h"

/* ---- discriminators ---- */

/* LLVM packs three numbers into a discriminator: of each, one bit says that it is 0, or 7 or 14 bits have it. */
static uint32_t first_number(uint32_t d)
{
    if (d & 1)
        return 0;
    d >>= 1;
    return d & 0x20 ? ((d >> 1) & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t next_number(uint32_t d)
{
    return d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
}

/* The discriminator of a probe also has one of the front end. */
#define HAS_BASE (1u << 28)

/* Whether the compiler put a pseudo probe in place of the discriminator. */
static bool is_probe(uint32_t d)
{
    return (d & 7) == 7;
}

uint32_t profgen_probe_of(uint32_t d)
{
    return d >> 3 & (d & HAS_BASE ? 0x1fff : 0xffff);
}

/* The discriminator of the front end, where LLVM 19 and later keep it beside a probe; else the id of the probe, which
 * tells calls on one line apart, too. */
static uint32_t probe_number(uint32_t d)
{
    const uint32_t base_mask = 7;
    return d & HAS_BASE ? d >> 16 & base_mask : profgen_probe_of(d);
}

static uint32_t base_number(const struct profgen_program *p, uint32_t d)
{
    if (p->flow_sensitive)
        return d;
    return is_probe(d) ? probe_number(d) : first_number(d);
}

/* How often the instruction stands for one of the source: loops that were unrolled have it several times. */
static uint32_t copies(const struct profgen_program *p, uint32_t d)
{
    uint32_t n = p->flow_sensitive || is_probe(d) ? 1 : first_number(next_number(d));
    return n ? n : 1;
}

uint64_t profgen_place_of(const struct source_frame *frame, uint32_t discriminator)
{
    return sample_place((frame->line - frame->first_line) & SAMPLE_MAX_LINE, discriminator);
}

/* ---- the tables ---- */

void profgen_points_open(struct profgen_points *t, const struct profgen_program *p,
                         struct sample_names *names)
{
    *t = (struct profgen_points){.program = p, .names = names};
}

void profgen_points_close(struct profgen_points *t)
{
    VEC_FREE(&t->inlinings);
    VEC_FREE(&t->callers);
    VEC_FREE(&t->list);
    VEC_FREE(&t->texts);
    VEC_FREE(&t->numbers);
    hash_index_free(&t->inlining_index);
    hash_index_free(&t->caller_index);
    hash_index_free(&t->index);
    hash_index_free(&t->name_index);
}

static int find_name(struct profgen_points *t, const char *text, uint32_t *name, struct apf_error *error)
{
    uint32_t i;
    struct apf_str s = {text, strlen(text)};
    if (!hash_index_reserve(&t->name_index, 1) || !VEC_RESERVE(&t->texts, 1) || !VEC_RESERVE(&t->numbers, 1))
        return hash_index_error(&t->name_index, error);
    uint64_t hash = hash_index_mix(&t->name_index, (uint64_t)(uintptr_t)text, 0);
    HASH_INDEX_FIND(i, &t->name_index, hash, t->texts.data[i] == text);
    if (i != HASH_INDEX_NONE) {
        *name = t->numbers.data[i];
        return APF_OK;
    }
    int code = sample_names_add(t->names, s, SAMPLE_NONE, true, name, error);
    if (code == APF_OK) {
        hash_index_add(&t->name_index, hash, (uint32_t)t->texts.n);
        t->texts.data[t->texts.n++] = text;
        t->numbers.data[t->numbers.n++] = *name;
    }
    return code;
}

static bool same_inlining(const struct profgen_inlining *a, const struct profgen_inlining *b)
{
    return a->at == b->at && a->caller == b->caller && a->name == b->name;
}

static int find_inlining(struct profgen_points *t, const struct profgen_inlining *f, uint32_t *number,
                         struct apf_error *error)
{
    if (!hash_index_reserve(&t->inlining_index, 1) || !VEC_RESERVE(&t->inlinings, 1))
        return hash_index_error(&t->inlining_index, error);
    uint64_t hash = hash_index_mix(&t->inlining_index, f->at, (uint64_t)f->caller << 32 | f->name);
    HASH_INDEX_FIND(*number, &t->inlining_index, hash, same_inlining(&t->inlinings.data[*number], f));
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    *number = (uint32_t)t->inlinings.n;
    t->inlinings.data[t->inlinings.n++] = *f;
    hash_index_add(&t->inlining_index, hash, *number);
    return APF_OK;
}

static int find_callers(struct profgen_points *t, const struct profgen_inlining *f, uint32_t *number,
                        struct apf_error *error)
{
    if (!hash_index_reserve(&t->caller_index, 1) || !VEC_RESERVE(&t->callers, 1))
        return hash_index_error(&t->caller_index, error);
    uint64_t hash = hash_index_mix(&t->caller_index, f->at, (uint64_t)f->caller << 32 | f->name);
    HASH_INDEX_FIND(*number, &t->caller_index, hash, same_inlining(&t->callers.data[*number], f));
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    *number = (uint32_t)t->callers.n;
    t->callers.data[t->callers.n++] = *f;
    hash_index_add(&t->caller_index, hash, *number);
    return APF_OK;
}

int profgen_points_top(struct profgen_points *t, uint32_t name, uint32_t *inlining, struct apf_error *error)
{
    struct profgen_inlining f = {0, SAMPLE_NONE, name};
    return find_inlining(t, &f, inlining, error);
}

/* ---- points ---- */

/* Fills in a point; frames within one without a name are left out. */
static int look_up(struct profgen_points *t, struct profgen_point *point, struct apf_error *error)
{
    const struct source_frame *frames;
    size_t n;
    int code = source_lines_at(t->program->lines, point->address, &frames, &n, error);
    for (size_t i = n; code == APF_OK && i-- > 0 && profgen_has_name(&frames[i]);) {
        struct profgen_inlining f = {point->at, point->inlining, 0}, caller = {point->raw, point->callers, 0};
        code = find_name(t, frames[i].function, &f.name, error);
        if (code == APF_OK)
            code = find_inlining(t, &f, &point->inlining, error);
        caller.name = point->depth ? t->inlinings.data[f.caller].name : SAMPLE_NONE;
        if (code == APF_OK && point->depth)
            code = find_callers(t, &caller, &point->callers, error);
        point->at = profgen_place_of(&frames[i], base_number(t->program, frames[i].discriminator));
        point->raw = profgen_place_of(&frames[i], frames[i].discriminator);
        point->copies = copies(t->program, frames[i].discriminator);
        point->depth++;
    }
    return code;
}

int profgen_points_find(struct profgen_points *t, uint64_t address, const struct profgen_point **point,
                        struct apf_error *error)
{
    struct profgen_point added = {address, 0, 0, SAMPLE_NONE, SAMPLE_NONE, 0, 1};
    uint32_t i;
    if (!hash_index_reserve(&t->index, 1) || !VEC_RESERVE(&t->list, 1))
        return hash_index_error(&t->index, error);
    uint64_t hash = hash_index_mix(&t->index, address, 0);
    HASH_INDEX_FIND(i, &t->index, hash, t->list.data[i].address == address);
    if (i == HASH_INDEX_NONE) {
        int code = look_up(t, &added, error);
        if (code != APF_OK)
            return code;
        i = (uint32_t)t->list.n;
        t->list.data[t->list.n++] = added;
        hash_index_add(&t->index, hash, i);
    }
    *point = &t->list.data[i];
    return APF_OK;
}
