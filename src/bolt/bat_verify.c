/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bolt/bat_verify.h"

bool bat_add_finding(struct bat_verification *v, enum bat_finding_kind kind, size_t fragment, uint32_t entry)
{
    struct bat_finding f = {kind, (uint32_t)fragment, entry, 1};
    for (size_t i = v->findings.n; i-- > 0 && v->findings.data[i].fragment == f.fragment;) {
        if (v->findings.data[i].kind == kind) {
            v->findings.data[i].n++;
            return true;
        }
    }
    return VEC_PUSH(&v->findings, f);
}

/* Whether the instruction was moved to another fragment: its stored offset is negative. */
static bool is_elsewhere(const struct apf_bat_entry *e)
{
    return e->output > INT32_MAX;
}

static bool check_entry(struct bat_verification *v, size_t i, uint32_t k)
{
    const struct apf_bat *bat = v->bat;
    const struct apf_bat_fragment *f = &bat->fragments.data[i];
    const struct apf_bat_entry *e = &bat->entries.data[k];
    bool done = true, current = bat->info.encoding == APF_BAT_ENCODING_CURRENT;
    if (k > f->first_entry && e->output < e[-1].output)
        done = bat_add_finding(v, BAT_ENTRY_ORDER, i, k);
    if (done && f->size && !is_elsewhere(e) &&
        (e->flags & APF_BAT_ENTRY_DELETED ? e->output > f->size : e->output >= f->size))
        done = bat_add_finding(v, BAT_BEYOND, i, k);
    if (!done || !current || e->flags & APF_BAT_ENTRY_BRANCH)
        return done;
    const struct apf_bat_entry *first = apf_bat_find_block(bat, f->function, e->input);
    uint32_t n_blocks = bat->fragments.data[f->function].n_blocks;
    if (e->hash && e->block >= n_blocks)
        done = bat_add_finding(v, BAT_BLOCK_NUMBER, i, k);
    if (done && (first->hash != e->hash || first->block != e->block))
        done = bat_add_finding(v, BAT_BLOCK_TWICE, i, k);
    return done;
}

/* Whether the prefix could be longer: the entry after the longest prefix differs. */
static bool is_prefix_short(const struct apf_bat *bat, const struct apf_bat_fragment *f)
{
    if (bat->info.encoding != APF_BAT_ENCODING_CURRENT || f->n_equal >= f->n_entries)
        return false;
    const struct apf_bat_entry *next = &bat->entries.data[f->first_entry + f->n_equal];
    return next->output == (uint32_t)(next->input - f->skew);
}

static bool check_fragment(struct bat_verification *v, size_t i)
{
    const struct apf_bat *bat = v->bat;
    const struct apf_bat_fragment *f = &bat->fragments.data[i];
    bool done = true, is_first = i == 0 || i == bat->info.n_hot;
    if (!is_first && f->address < f[-1].address)
        done = bat_add_finding(v, BAT_FRAGMENT_ORDER, i, APF_BAT_NONE);
    if (done && f->function == APF_BAT_NONE)
        done = bat_add_finding(v, BAT_NO_PARENT, i, APF_BAT_NONE);
    if (done && is_prefix_short(bat, f))
        done = bat_add_finding(v, BAT_EQUAL, i, APF_BAT_NONE);
    if (done && f->is_cold && bat->info.encoding == APF_BAT_ENCODING_CURRENT && f->n_entries &&
        bat->entries.data[f->first_entry].input != f->skew)
        done = bat_add_finding(v, BAT_SKEW, i, f->first_entry);
    bool stub = bat->info.encoding == APF_BAT_ENCODING_FIXED; /* BOLT 15 also has tables for the PLT */
    if (done && bat->info.n_symbols && !f->name.n && !stub)
        done = bat_add_finding(v, BAT_NO_SYMBOL, i, APF_BAT_NONE);
    for (uint32_t k = 1; done && k < f->n_secondary; k++)
        if (bat->secondary.data[f->first_secondary + k] <= bat->secondary.data[f->first_secondary + k - 1])
            done = bat_add_finding(v, BAT_SECONDARY, i, APF_BAT_NONE);
    for (uint32_t k = 0; done && k < f->n_entries; k++)
        done = check_entry(v, i, f->first_entry + k);
    return done;
}

bool bat_verify_table(struct bat_verification *v)
{
    const struct apf_bat *bat = v->bat;
    struct bat_finding rest = {BAT_REST, APF_BAT_NONE, APF_BAT_NONE, bat->info.rest_bytes};
    bool done = !rest.n || VEC_PUSH(&v->findings, rest);
    for (size_t i = 0; done && i < bat->fragments.n; i++)
        done = check_fragment(v, i);
    for (size_t i = 1; done && i < bat->fragments.n; i++)
        if (bat->starts[i] == bat->starts[i - 1])
            done = bat_add_finding(v, BAT_SAME_ADDRESS, bat->by_address[i], APF_BAT_NONE);
    return done;
}
