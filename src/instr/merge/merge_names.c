/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one table of the names of all inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "instr/merge/merge.h"

/* The text of names is kept instead of copied if at least 1 / MOST_OTHERS of it is needed. */
#define MOST_OTHERS 4u

static uint64_t bytes_of(const struct symbols *names, size_t first)
{
    uint64_t bytes = 0;
    for (size_t i = first; i < names->list.n; i++)
        bytes += names->list.data[i].n + (uint64_t)1;
    return bytes;
}

/* Keeps or copies the text of added names. *keep: they point to the profile's memory, which must stay. */
static int keep_text(struct symbols *to, size_t first, const struct symbols *from, int code, bool *keep,
                     struct apf_error *error)
{
    uint64_t new = bytes_of(to, first);
    *keep = code != APF_OK || (new && new >= bytes_of(from, 0) / MOST_OTHERS);
    for (size_t i = first; !*keep && i < to->list.n; i++) {
        struct symbol *s = &to->list.data[i];
        const char *copy = arena_text(&to->text, s->p, s->n);
        if (copy)
            s->p = copy;
        else
            code = error_memory(error);
        *keep = !copy;
    }
    return code;
}

/* Names are marked with the classes that have them: those of a rejected class do not count. If two inputs have
 * different names for an id, which takes intent, the id means neither, so that order does not matter: its records count
 * as nameless. Known numbers stay; `looked`: all numbers that can be known are. */
static int copy_names(struct symbols *to, const struct symbols *from, uint8_t class, uint32_t *numbers,
                      bool looked, bool *keep, struct apf_error *error)
{
    size_t first = to->list.n;
    size_t more = 1;
    for (size_t i = 0; i < from->list.n && (looked || !first); i++)
        more += numbers[i] == HASH_INDEX_NONE;
    bool ok = hash_index_reserve(&to->index, more) && VEC_RESERVE(&to->list, more);
    int code = ok ? APF_OK : error_memory(error);
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
    return keep_text(to, first, from, code, keep, error);
}

/* Makes the first profile's table the merge's, unless it has a name twice, as a damaged file can; adds the names of
 * other profiles to it. */
static int adopt_names(struct symbols *to, struct symbols *from, uint8_t class, uint32_t *numbers,
                       bool looked, bool *keep, struct apf_error *error)
{
    int code = to->list.n ? APF_OK : symbols_index(from, error);
    if (code != APF_OK && code != APF_MALFORMED)
        return code;
    if (to->list.n || code != APF_OK || from->index.n != from->list.n)
        return copy_names(to, from, class, numbers, looked, keep, error);
    struct arena own = to->text, names = from->text;
    VEC_FREE(&to->list);
    hash_index_free(&to->index);
    *to = *from;
    to->text = own;
    memset(from, 0, sizeof *from);
    from->text = names;
    *keep = to->list.n != 0;
    for (size_t i = 0; i < to->list.n; i++) {
        numbers[i] = (uint32_t)i;
        to->list.data[i].flags |= (uint32_t)1 << class;
    }
    return APF_OK;
}

void merge_find_names(struct apf_merge *m)
{
    struct apf_merge_stats *stats = &m->stats;
    stats->salvage_found_names = stats->salvage_lost_names = 0;
    for (size_t i = 0; i < m->inputs.n; i++) {
        struct merge_input *input = &m->inputs.data[i];
        uint64_t found = 0;
        if (!input->salvage || input->result.code != APF_OK)
            continue;
        for (size_t k = 0; k < input->salvage->nameless; k++) {
            uint32_t e = symbols_find(&m->symbols, input->nameless[k]);
            const struct symbol *s = e == HASH_INDEX_NONE ? NULL : &m->symbols.list.data[e];
            found += s && s->n && s->flags & m->accepted;
        }
        input->salvage->found_names = found;
        input->salvage->lost_names = input->salvage->nameless - found;
        input->salvage->names_known = 1;
        stats->salvage_found_names += found;
        stats->salvage_lost_names += input->salvage->nameless - found;
    }
}

/* An array of unknown numbers. */
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
    const struct symbol *own = instr->symbols->list.data;
    size_t n = instr->symbols->list.n;
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

int merge_adopt_names(struct apf_merge *m, struct apf_instr *instr, uint8_t class, struct merge_names *map,
                      struct apf_error *error)
{
    bool looked = map->numbers != NULL;
    if (!looked && !(map->numbers = unknown_numbers(instr->symbols->list.n)))
        return error_memory(error);
    uint32_t *vtables = unknown_numbers(instr->vtables->list.n);
    if (!vtables)
        return error_memory(error);
    pthread_mutex_lock(&m->lock);
    map->first_new = (uint32_t)m->symbols.list.n;
    bool keep_vtables = false;
    int code = adopt_names(&m->symbols, instr->symbols, class, map->numbers, looked, &map->keep_text, error);
    if (code == APF_OK)
        code = adopt_names(&m->vtables, instr->vtables, class, vtables, false, &keep_vtables, error);
    if (keep_vtables)
        arena_splice(&m->vtables.text, &instr->vtables->text);
    pthread_mutex_unlock(&m->lock);
    free(vtables);
    return code;
}

int merge_add_names(struct symbols *to, const struct symbol *names, size_t n, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        uint32_t e = HASH_INDEX_NONE;
        code = symbols_add_id(to, names[i].id, names[i].p, names[i].n, true, &e, error);
        if (code == APF_MALFORMED) {
            to->list.data[e].n = 0;
            code = APF_OK;
        }
        if (code == APF_OK)
            to->list.data[e].flags |= names[i].flags;
    }
    return code;
}
