/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/correlate_dwarf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"

/* A bitmap: id of its function, and place in the section. */
struct bitmap {
    uint64_t id, offset;
    uint32_t n;
};

struct taker {
    struct correlate_program *p;
    struct hash_index seen; /* functions by the address of their counters */
    struct hash_index by_id;
    VEC(struct bitmap) bitmaps;
    struct apf_error *error;
};

/* ---- warnings ---- */

/* An optional number as LLVM prints it. */
static const char *optional_number(char text[24], bool there, uint64_t number)
{
    snprintf(text, 24, there ? "%" PRIu64 : "None", number);
    return text;
}

static int warn_incomplete(struct correlate_program *p, const struct dwarf_counters *c)
{
    char hash[24], address[24], count[24];
    const char *name = c->function_name ? c->function_name : "None";
    bool ok =
        c->is_bitmap
            ? correlate_warn(p, "Incomplete DIE for bitmap of function %s: BitmapPtr=%s  NumBitmapBits=%s",
                             name, optional_number(address, c->has_address, c->address),
                             optional_number(count, c->has_count, c->count))
            : correlate_warn(p, "Incomplete DIE for function %s: CFGHash=%s  CounterPtr=%s  NumCounters=%s",
                             name, optional_number(hash, c->has_hash, c->hash),
                             optional_number(address, c->has_address, c->address),
                             optional_number(count, c->has_count, c->count));
    return ok ? 0 : APF_NO_MEMORY;
}

static int warn_outside(struct correlate_program *p, const struct dwarf_counters *c,
                        const struct elf_section *section)
{
    bool ok = correlate_warn(
        p, "%s out of range for function %s: Actual=0x%" PRIx64 " Expected=[0x%" PRIx64 ", 0x%" PRIx64 ")",
        c->is_bitmap ? "BitmapPtr" : "CounterPtr", c->function_name, c->address, section->address,
        section->address + section->size);
    return ok ? 0 : APF_NO_MEMORY;
}

int correlate_dwarf_usable(struct correlate_program *p, const struct dwarf_counters *c)
{
    const struct elf_section *section = c->is_bitmap ? &p->bits.header : &p->counters.header;
    if (!c->has_function && !c->has_address)
        return 0; /* the linker dropped the function */
    if (!c->function_name || (!c->has_hash && !c->is_bitmap) || !c->has_address || !c->has_count)
        return warn_incomplete(p, c);
    if (c->address < section->address || c->address - section->address >= section->size)
        return warn_outside(p, c, section);
    if (!c->has_function && !c->is_bitmap &&
        !correlate_warn(p, "Could not find address of function %s", c->function_name))
        return APF_NO_MEMORY;
    return 1;
}

const char *correlate_dwarf_why(const struct dwarf_counters_walk *walk)
{
    return walk->no_debug_info ? "the program has no debug information"
           : walk->n_missing   ? "it may be in .dwo files, which cannot be read"
                               : "";
}

bool correlate_dwarf_warn_missing(struct correlate_program *p, const struct dwarf_counters_walk *walk)
{
    if (walk->n_missing == 0)
        return true;
    uint32_t max = p->warnings.max;
    p->warnings.max = 0; /* LLVM has no such warning, so it is not counted */
    bool ok = correlate_warn(
        p, "debug information of %" PRIu32 " %s is in .dwo files that cannot be read: %s%s", walk->n_missing,
        walk->n_missing == 1 ? "unit" : "units", walk->missing, walk->n_missing == 1 ? "" : ", ...");
    p->warnings.max = max;
    return ok;
}

/* ---- functions ---- */

static uint32_t find_bitmap(const struct taker *t, uint64_t id)
{
    uint64_t mixed = hash_index_mix(&t->by_id, id, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &t->by_id, mixed, t->bitmaps.data[e].id == id);
    return e;
}

/* Adds a bitmap, unless its function has one. */
static int add_bitmap(struct taker *t, const struct dwarf_counters *c)
{
    const struct elf_section *bits = &t->p->bits.header;
    struct bitmap b = {md5_name_ref(c->function_name, strlen(c->function_name)), c->address - bits->address,
                       0};
    uint64_t bytes = c->count / 8 + (c->count % 8 != 0);
    if (!hash_index_reserve(&t->by_id, 1) || !VEC_RESERVE(&t->bitmaps, 1))
        return hash_index_error(&t->by_id, t->error);
    if (bytes > bits->size - b.offset || bytes > UINT32_MAX || find_bitmap(t, b.id) != HASH_INDEX_NONE)
        return 0;
    b.n = (uint32_t)bytes;
    hash_index_add(&t->by_id, hash_index_mix(&t->by_id, b.id, 0), (uint32_t)t->bitmaps.n);
    (void)VEC_PUSH(&t->bitmaps, b);
    return 0;
}

static int add_counters(void *user, const struct dwarf_counters *c)
{
    struct taker *t = user;
    int usable = correlate_dwarf_usable(t->p, c);
    if (usable != 1)
        return usable;
    if (c->is_bitmap)
        return add_bitmap(t, c);
    struct apf_function f = {.hash = c->hash, .counters = c->address};
    f.n_counters = c->count > UINT32_MAX ? UINT32_MAX : (uint32_t)c->count; /* no program has so many */
    f.name.n = strlen(c->function_name);
    f.name.p = arena_text(&t->p->arena, c->function_name, f.name.n);
    f.id = md5_name_ref(c->function_name, f.name.n);
    return f.name.p ? correlate_add(t->p, &t->seen, &f, t->error) : APF_NO_MEMORY;
}

/* Assigns the bitmaps, which are variables of their own, to the functions. */
static void join_bitmaps(struct taker *t)
{
    for (size_t i = 0; i < t->p->functions.n && t->bitmaps.n; i++) {
        struct apf_function *f = &t->p->functions.data[i];
        uint32_t e = find_bitmap(t, f->id);
        if (e == HASH_INDEX_NONE)
            continue;
        f->bitmap = t->bitmaps.data[e].offset;
        f->n_bitmap = t->bitmaps.data[e].n;
    }
}

int correlate_dwarf_read(struct correlate_program *p, struct apf_error *error)
{
    struct taker t = {.p = p, .error = error};
    struct dwarf_counters_walk walk = {.max_bytes = p->max_bytes, .program = p->path};
    int code = dwarf_counters_read(p->elf, &walk, add_counters, &t, error);
    if (code == APF_OK && !correlate_dwarf_warn_missing(p, &walk))
        code = error_memory(error);
    if (code == APF_OK && p->functions.n == 0)
        code = correlate_nothing(p, "could not find any profile data metadata in correlated file",
                                 correlate_dwarf_why(&walk), error);
    join_bitmaps(&t);
    VEC_FREE(&t.bitmaps);
    hash_index_free(&t.seen);
    hash_index_free(&t.by_id);
    return code;
}
