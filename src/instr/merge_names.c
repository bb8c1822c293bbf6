/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One table for the names of all inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "instr/merge.h"

#define NAMES_AHEAD 12u /* names whose places in the table are fetched early */

/* What was added points to the profile's memory, which the merge takes over if it pays. */
static int keep_text(struct symbols *to, size_t first, struct symbols *from, struct apf_error *error)
{
    size_t n_new = to->list.n - first;
    if (merge_mostly(n_new, from->list.n)) {
        arena_splice(&to->text, &from->text);
        return APF_OK;
    }
    for (size_t i = first; i < to->list.n; i++) {
        struct symbol *s = &to->list.data[i];
        s->p = arena_text(&to->text, s->p, s->n);
        if (!s->p)
            return error_memory(error);
    }
    return APF_OK;
}

/* Names are marked with the class that brought them: those of a class that is not accepted do not count. When another
 * input has another name for an id, which takes intent, the id means neither, lest it mean what came first: its records
 * are counted as nameless. */
static int copy_names(struct symbols *to, struct symbols *from, uint8_t class, uint32_t *numbers,
                      struct apf_error *error)
{
    uint32_t entry = 0;
    size_t first = to->list.n;
    int code = hash_index_reserve(&to->index, from->list.n) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < from->list.n; i++) {
        const struct symbol *s = &from->list.data[i];
        if (i + NAMES_AHEAD < from->list.n)
            hash_index_fetch(&to->index, hash_index_mix(&to->index, s[NAMES_AHEAD].id, 0));
        code = symbols_add_id(to, s->id, s->p, s->n, false, &entry, error);
        if (code == APF_MALFORMED) {
            to->list.data[entry].n = 0;
            code = APF_OK;
        }
        if (code == APF_OK)
            to->list.data[entry].flags |= (uint32_t)1 << class;
        if (numbers)
            numbers[i] = entry;
    }
    return code == APF_OK ? keep_text(to, first, from, error) : code;
}

/* The first profile's names are the table; those of a second one are added to it. */
static int take_names(struct symbols *to, struct symbols *from, uint8_t class, uint32_t *numbers,
                      struct apf_error *error)
{
    if (to->list.n)
        return copy_names(to, from, class, numbers, error);
    int code = symbols_index(from, error);
    if (code == APF_MALFORMED) /* two names with one id in one profile */
        return copy_names(to, from, class, numbers, error);
    if (code != APF_OK)
        return code;
    symbols_free(to);
    *to = *from;
    memset(from, 0, sizeof *from);
    for (size_t i = 0; i < to->list.n; i++) {
        to->list.data[i].flags |= (uint32_t)1 << class;
        if (numbers)
            numbers[i] = (uint32_t)i;
    }
    return code;
}

int merge_take_names(struct apf_merge *m, struct apf_instr *instr, uint8_t class, struct merge_names *map,
                     struct apf_error *error)
{
    size_t n = instr->symbols.list.n;
    map->numbers = malloc(n * sizeof *map->numbers + 1);
    if (!map->numbers)
        return error_memory(error);
    pthread_mutex_lock(&m->lock);
    map->n_new = m->symbols.list.n;
    int code = take_names(&m->symbols, &instr->symbols, class, map->numbers, error);
    map->n_new = m->symbols.list.n - map->n_new;
    if (code == APF_OK)
        code = take_names(&m->vtables, &instr->vtables, class, NULL, error);
    pthread_mutex_unlock(&m->lock);
    return code;
}
