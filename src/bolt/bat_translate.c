/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates addresses from the output to the input, and back. */
#include "base/compiler.h"
#include "base/search.h"
#include "bolt/bat_model.h"

/* ---- to the input ---- */

/* Place in by_address of the last fragment at or below an address; n: there is none. */
static size_t find_fragment(const struct apf_bat *bat, uint64_t address)
{
    const uint64_t *starts = bat->starts;
    size_t at = 0, n = bat->fragments.n;
    if (n == 0 || address < starts[0])
        return n;
    while (n > 1) { /* not SEARCH: compilers make code without branches of this */
        size_t half = n / 2;
        at = starts[at + half] <= address ? at + half : at;
        n -= half;
    }
    return at;
}

/* The number of entries of a fragment at or before an offset. */
static uint32_t entries_up_to(const struct apf_bat *bat, const struct apf_bat_fragment *f, uint32_t offset)
{
    const struct apf_bat_entry *entries = ENTRY_AT(bat->entries.data, f->first_entry);
    uint32_t at;
    SEARCH(at, 0, f->n_entries, entries[at].output <= offset);
    return at;
}

static bool is_inside(const struct apf_bat *bat, size_t at, uint64_t address)
{
    const struct apf_bat_fragment *f = &bat->fragments.data[bat->by_address[at]];
    uint64_t offset = address - f->address;
    if (f->size)
        return offset < f->size;
    return offset <= UINT32_MAX;
}

static void translate_in(const struct apf_bat *bat, size_t at, uint32_t flags, struct apf_bat_place *place)
{
    const struct apf_bat_fragment *f = &bat->fragments.data[bat->by_address[at]];
    uint32_t offset = (uint32_t)(place->address - f->address), n = entries_up_to(bat, f, offset);
    const struct apf_bat_entry *e = ENTRY_AT(bat->entries.data, f->first_entry + n);
    place->fragment = bat->by_address[at];
    place->function = f->function;
    place->offset = offset;
    place->flags = n ? 0 : APF_BAT_PLACE_NO_ENTRY;
    if (n)
        place->offset =
            flags & APF_BAT_TRANSLATE_BRANCH_SOURCE ? e[-1].input : offset - e[-1].output + e[-1].input;
}

void apf_bat_translate(const struct apf_bat *bat, const uint64_t *addresses, size_t n, uint32_t flags,
                       struct apf_bat_place *places)
{
    size_t none = bat->fragments.n, at = none;
    for (size_t i = 0; i < n; i++) {
        uint64_t address = addresses[i];
        struct apf_bat_place place = {address, APF_BAT_NONE, APF_BAT_NONE, 0, APF_BAT_PLACE_OUTSIDE};
        if (at == none || address < bat->starts[at] || (at + 1 < none && address >= bat->starts[at + 1]))
            at = find_fragment(bat, address);
        if (at != none && is_inside(bat, at, address))
            translate_in(bat, at, flags, &place);
        places[i] = place;
    }
}

/* ---- to the output ---- */

struct places {
    struct apf_bat_place *data;
    size_t n, max;
};

/* The fragment of an entry. */
static uint32_t fragment_of(const struct apf_bat *bat, size_t entry)
{
    size_t next;
    SEARCH(next, 1, bat->fragments.n, bat->fragments.data[next].first_entry <= entry);
    return (uint32_t)(next - 1);
}

/* Adds a place by address, each address once; the places of removed blocks come last. */
static void add_place(struct places *places, const struct apf_bat_place *place)
{
    size_t i = places->n < places->max ? places->n : places->max;
    for (size_t k = 0; k < i; k++)
        if (places->data[k].address == place->address && places->data[k].flags == place->flags)
            return;
    places->n++;
    if (i == places->max && i > 0 && place->address < places->data[i - 1].address)
        i--;
    for (; i < places->max && i > 0 && places->data[i - 1].address > place->address; i--)
        places->data[i] = places->data[i - 1];
    if (i < places->max)
        places->data[i] = *place;
}

/* The end of the code that begins at a block entry: the next block entry. */
static uint32_t run_end(const struct apf_bat *bat, const struct apf_bat_fragment *f, size_t entry)
{
    const struct apf_bat_entry *e = &bat->entries.data[entry];
    const struct apf_bat_entry *end = ENTRY_AT(bat->entries.data, f->first_entry + f->n_entries);
    for (const struct apf_bat_entry *next = e + 1; next < end; next++)
        if (!(next->flags & APF_BAT_ENTRY_BRANCH) && next->output > e->output)
            return next->output;
    return f->size && f->size <= UINT32_MAX ? (uint32_t)f->size : UINT32_MAX;
}

/* Adds the place of input offset `offset` if the code from this block entry on contains it. */
static void reverse_run(const struct apf_bat *bat, size_t entry, uint32_t offset, struct places *places)
{
    uint32_t number = fragment_of(bat, entry);
    const struct apf_bat_fragment *f = &bat->fragments.data[number];
    const struct apf_bat_entry *e = &bat->entries.data[entry], *from = e;
    const struct apf_bat_entry *all_end = ENTRY_AT(bat->entries.data, f->first_entry + f->n_entries);
    struct apf_bat_place place = {UINT64_MAX, number, f->function, offset, APF_BAT_PLACE_REMOVED};
    if (e->flags & APF_BAT_ENTRY_DELETED) {
        add_place(places, &place);
        return;
    }
    uint32_t end = run_end(bat, f, entry), limit = end;
    for (const struct apf_bat_entry *next = e + 1; next < all_end && next->output < end; next++) {
        if (!(next->flags & APF_BAT_ENTRY_BRANCH) || next->input < from->input)
            continue;
        if (next->input > offset) {
            limit = next->output;
            break;
        }
        from = next;
    }
    uint64_t at = (uint64_t)from->output + (offset - from->input);
    if (at >= end && limit == end)
        return;
    place.flags = at < limit ? 0 : APF_BAT_PLACE_ESTIMATED;
    place.address = f->address + (at < limit ? at : limit - 1);
    add_place(places, &place);
}

/* The number of block entries at or below a key. */
static size_t blocks_up_to(const struct apf_bat *bat, uint64_t key)
{
    size_t low;
    SEARCH(low, 0, bat->n_blocks, bat->blocks[low].key <= key);
    return low;
}

/* Whether a block of the input begins at an entry. BOLT may have split a block there, and copied it elsewhere unsplit;
 * such an entry has no hash. */
static bool is_block_start(const struct apf_bat *bat, const struct apf_bat_entry *e)
{
    return bat->info.encoding != APF_BAT_ENCODING_CURRENT || e->hash != 0 || e->input == 0;
}

size_t apf_bat_reverse(const struct apf_bat *bat, size_t function, uint32_t offset,
                       struct apf_bat_place *places, size_t max)
{
    struct places found = {places, 0, max};
    if (function >= bat->info.n_hot)
        return 0;
    uint64_t first = bat_block_key((uint32_t)function, 0), start = 0;
    for (size_t i = blocks_up_to(bat, bat_block_key((uint32_t)function, offset)); i-- > 0;) {
        const struct sort_key *block = &bat->blocks[i];
        if (block->key < first || block->key < start)
            break;
        if (start == 0 && is_block_start(bat, &bat->entries.data[block->value]))
            start = block->key;
        reverse_run(bat, (size_t)block->value, offset, &found);
    }
    for (size_t i = 0; i < found.n && i < max; i++)
        if (places[i].flags & APF_BAT_PLACE_REMOVED)
            places[i].address = 0;
    return found.n;
}
