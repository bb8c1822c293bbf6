/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/sums/renames.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/text_bytes.h"
#include "instr/layout/releases.h"

/* A name that is being changed. */
struct draft {
    VEC(char) text;
    struct apf_str name; /* the old name, or `text` */
};

/* Room for n bytes, at least 1; NULL: an allocation failed. */
static char *draft_room(struct draft *d, size_t n)
{
    d->text.n = 0;
    return VEC_RESERVE(&d->text, n) ? d->text.data : NULL;
}

static bool change_prefix(struct draft *d, const struct apf_name_change *change)
{
    struct apf_str rest = {d->name.p + change->from.n, d->name.n - change->from.n};
    char *to = draft_room(d, change->to.n + rest.n);
    if (!to)
        return false;
    memcpy(to, change->to.p, change->to.n);
    memcpy(to + change->to.n, rest.p, rest.n);
    d->name.p = to;
    d->name.n = change->to.n + rest.n;
    return true;
}

static bool change_separator(struct draft *d, char separator)
{
    char other = separator == ':' ? ';' : ':';
    size_t split = local_name_split(d->name.p, d->name.n, other);
    /* A name with the right separator already needs no change. */
    if (!split || local_name_split(d->name.p, d->name.n, separator))
        return true;
    bool copied = d->name.p == d->text.data;
    char *to = copied ? d->text.data : draft_room(d, d->name.n);
    if (!to)
        return false;
    if (!copied)
        memcpy(to, d->name.p, d->name.n);
    to[split] = separator;
    d->name.p = to;
    return true;
}

static int add_rename(struct renames *r, struct symbols *symbols, struct rename rename, struct apf_str name,
                      struct apf_error *error)
{
    int code = symbols_add(symbols, name.p, name.n, true, &rename.to, NULL, error);
    if (code != APF_OK || renames_find(r, rename.from))
        return code;
    if (!hash_index_reserve(&r->index, 1) || !VEC_RESERVE(&r->list, 1))
        return error_memory(error);
    hash_index_add(&r->index, hash_index_mix(&r->index, rename.from, 0), (uint32_t)r->list.n);
    r->list.data[r->list.n++] = rename;
    return APF_OK;
}

static int rename_symbol(struct renames *r, struct symbols *symbols, const struct symbol *symbol,
                         const struct rename_causes *c, struct draft *d, struct apf_error *error)
{
    const struct apf_str old = {symbol->p, symbol->n};
    struct rename rename = {symbol->id, symbol->id, 0};
    d->name = c->remap ? name_rules_remap(c->rules, symbol->id, old) : old;
    const struct apf_name_change *prefix = name_rules_prefix(c->rules, d->name);
    bool ok = !prefix || change_prefix(d, prefix);
    if (ok && !text_equal(d->name, old))
        rename.asked = md5_name_ref(d->name.p, d->name.n);
    ok = ok && (!c->separator || change_separator(d, c->separator));
    if (!ok)
        return error_memory(error);
    return text_equal(d->name, old) ? APF_OK : add_rename(r, symbols, rename, d->name, error);
}

int renames_make(struct renames *r, struct symbols *symbols, const struct rename_causes *causes,
                 struct apf_error *error)
{
    size_t n = symbols->list.n; /* new names follow these */
    struct draft d = {0};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct symbol old = symbols->list.data[i];
        if (old.n && old.flags & causes->flags)
            code = rename_symbol(r, symbols, &old, causes, &d, error);
    }
    VEC_FREE(&d.text);
    return code;
}

const struct rename *renames_find(const struct renames *r, uint64_t id)
{
    uint64_t hash = hash_index_mix(&r->index, id, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &r->index, hash, r->list.data[e].from == id);
    return e == HASH_INDEX_NONE ? NULL : &r->list.data[e];
}

uint64_t renames_apply(const struct renames *r, uint64_t id)
{
    const struct rename *rename = renames_find(r, id);
    return rename ? rename->to : id;
}

void renames_free(struct renames *r)
{
    VEC_FREE(&r->list);
    hash_index_free(&r->index);
}
