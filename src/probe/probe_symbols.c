/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the starts of functions: the symbols of .symtab by the GUID of their names. */
#include "base/error.h"
#include "base/md5.h"
#include "probe/probe_model.h"

/* Finds the symbol with a GUID in a section; 0: in any. */
static struct probe_symbol *find_symbol(const struct apf_probes *p, uint64_t guid, uint32_t within)
{
    if (!p->symbols.n)
        return NULL;
    uint64_t hash = hash_index_mix(&p->symbol_index, guid, within);
    uint32_t e;
    HASH_INDEX_FIND(e, &p->symbol_index, hash,
                    p->symbols.data[e].guid == guid && p->symbols.data[e].within == within);
    return e == HASH_INDEX_NONE ? NULL : &p->symbols.data[e];
}

/* Adds a symbol. The last one of a name replaces earlier ones, of which there may be any number. */
static bool push_symbol(struct apf_probes *p, const struct probe_symbol *symbol)
{
    struct probe_symbol *old = find_symbol(p, symbol->guid, symbol->within);
    if (old) {
        *old = *symbol;
        return true;
    }
    if (!hash_index_reserve(&p->symbol_index, 1) || !VEC_PUSH(&p->symbols, *symbol))
        return false;
    hash_index_add(&p->symbol_index, hash_index_mix(&p->symbol_index, symbol->guid, symbol->within),
                   (uint32_t)(p->symbols.n - 1));
    return true;
}

static int record_symbol(void *user, const struct elf_symbol *symbol)
{
    struct apf_probes *p = user;
    if (symbol->n == 0)
        return 0;
    p->info.n_symbols++;
    /* An executable has no code at 0; in an object, the first function of a section is there. */
    if (p->info.relocatable ? symbol->section == ELF_UNDEFINED : symbol->value == 0)
        return 0;
    struct probe_symbol s = {md5_name_ref(symbol->name, symbol->n),
                             symbol->value,
                             symbol->size,
                             symbol->name,
                             symbol->n,
                             p->info.relocatable ? symbol->section : 0,
                             0};
    bool done = push_symbol(p, &s);
    s.within = s.section;
    if (done && s.within)
        done = push_symbol(p, &s);
    return done ? 0 : APF_NO_MEMORY;
}

int probe_read_symbols(struct probe_reader *r)
{
    struct apf_probes *p = r->probes;
    struct apf_error failure;
    if (elf_file_symbols(p->elf, record_symbol, p, &failure) == APF_OK)
        return APF_OK;
    if (p->symbol_index.refused)
        hash_index_error(&p->symbol_index, &failure);
    p->info.n_symbols = 0; /* with a part of the symbols, probes would get wrong addresses */
    p->symbols.n = 0;
    hash_index_free(&p->symbol_index);
    return probe_damage_of_file(r, &failure);
}

const struct probe_symbol *probe_find_symbol(const struct apf_probes *p, uint64_t guid, uint32_t text)
{
    const struct probe_symbol *symbol = text ? find_symbol(p, guid, text) : NULL;
    return symbol ? symbol : find_symbol(p, guid, 0);
}
