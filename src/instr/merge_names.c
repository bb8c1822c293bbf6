/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One table for the names of all inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "instr/merge.h"

/* The memory of names is kept instead of copied when a good part of it, which has gaps, is of names that are needed: a
 * file can have one name very often. */
#define GAPS_AND_NAMES 4u

static bool worth_keeping(const struct symbols *names, size_t first, const struct arena *text)
{
    uint64_t bytes = 0;
    for (size_t i = first; i < names->list.n; i++)
        bytes += names->list.data[i].n + (uint64_t)1;
    return bytes && bytes >= text->total / GAPS_AND_NAMES;
}

/* What was added points to the profile's memory, which the merge takes over if it pays, or if there is no other. */
static int keep_text(struct symbols *to, size_t first, struct symbols *from, int code,
                     struct apf_error *error)
{
    bool keep = code != APF_OK || worth_keeping(to, first, &from->text);
    for (size_t i = first; !keep && i < to->list.n; i++) {
        struct symbol *s = &to->list.data[i];
        const char *copy = arena_text(&to->text, s->p, s->n);
        if (copy)
            s->p = copy;
        else
            code = error_memory(error);
        keep = !copy;
    }
    if (keep)
        arena_splice(&to->text, &from->text);
    return code;
}

/* Names are marked with the class that brought them: those of a class that is not accepted do not count. When another
 * input has another name for an id, which takes intent, the id means neither, lest it mean what came first: its records
 * are counted as nameless. Numbers that are known already stay. */
static int copy_names(struct symbols *to, struct symbols *from, uint8_t class, uint32_t *numbers,
                      struct apf_error *error)
{
    size_t first = to->list.n;
    int code = hash_index_reserve(&to->index, 1) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        const struct symbol *s = &from->list.data[i];
        if (i + FETCH_AHEAD < from->list.n && numbers[i + FETCH_AHEAD] == HASH_INDEX_NONE)
            hash_index_fetch(&to->index, hash_index_mix(&to->index, s[FETCH_AHEAD].id, 0));
        if (numbers[i] == HASH_INDEX_NONE)
            code = symbols_add_id(to, s->id, s->p, s->n, false, &numbers[i], error);
        if (code == APF_MALFORMED) {
            to->list.data[numbers[i]].n = 0;
            code = APF_OK;
        }
        if (code == APF_OK)
            to->list.data[numbers[i]].flags |= (uint32_t)1 << class;
    }
    return keep_text(to, first, from, code, error);
}

/* The first profile's names are the table; those of a second one are added to it. */
static int take_names(struct symbols *to, struct symbols *from, uint8_t class, uint32_t *numbers,
                      struct apf_error *error)
{
    if (to->list.n || !worth_keeping(from, 0, &from->text))
        return copy_names(to, from, class, numbers, error);
    int code = symbols_index(from, error);
    if (code == APF_MALFORMED) /* two names with one id in one profile */
        return copy_names(to, from, class, numbers, error);
    if (code != APF_OK)
        return code;
    symbols_free(to);
    *to = *from;
    memset(from, 0, sizeof *from);
    bool each_once = to->index.n == to->list.n; /* a damaged file can have a name twice */
    for (size_t i = 0; i < to->list.n; i++) {
        numbers[i] = each_once ? (uint32_t)i : symbols_find(to, to->list.data[i].id);
        to->list.data[numbers[i]].flags |= (uint32_t)1 << class;
    }
    return code;
}

/* No numbers yet. */
static uint32_t *unknown_numbers(size_t n)
{
    uint32_t *numbers = malloc(n * sizeof *numbers + 1);
    if (numbers)
        memset(numbers, 0xff, n * sizeof *numbers);
    return numbers;
}

static bool same_name(const struct symbol *a, const struct symbol *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

int merge_check_names(struct apf_merge *m, const struct apf_instr *instr, struct merge_names *map, bool *good,
                      struct apf_error *error)
{
    const struct symbols *all = &m->symbols;
    const struct symbol *own = instr->symbols.list.data;
    size_t n = instr->symbols.list.n;
    map->numbers = unknown_numbers(n);
    if (!map->numbers)
        return error_memory(error);
    pthread_mutex_lock(&m->lock);
    for (size_t i = 0; all->list.n && i < n; i++) {
        if (i + FETCH_AHEAD < n)
            hash_index_fetch(&all->index, hash_index_mix(&all->index, own[i + FETCH_AHEAD].id, 0));
        uint32_t e = symbols_find(all, own[i].id);
        if (e != HASH_INDEX_NONE && same_name(&all->list.data[e], &own[i]))
            map->numbers[i] = e;
    }
    pthread_mutex_unlock(&m->lock);
    *good = true;
    for (size_t i = 0; *good && i < n; i++)
        *good = map->numbers[i] != HASH_INDEX_NONE || md5_name_ref(own[i].p, own[i].n) == own[i].id;
    return APF_OK;
}

int merge_take_names(struct apf_merge *m, struct apf_instr *instr, uint8_t class, struct merge_names *map,
                     struct apf_error *error)
{
    if (!map->numbers && !(map->numbers = unknown_numbers(instr->symbols.list.n)))
        return error_memory(error);
    uint32_t *vtables = unknown_numbers(instr->vtables.list.n);
    if (!vtables)
        return error_memory(error);
    pthread_mutex_lock(&m->lock);
    map->first_new = (uint32_t)m->symbols.list.n;
    int code = take_names(&m->symbols, &instr->symbols, class, map->numbers, error);
    if (code == APF_OK)
        code = take_names(&m->vtables, &instr->vtables, class, vtables, error);
    pthread_mutex_unlock(&m->lock);
    free(vtables);
    return code;
}
