/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/raw_random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"

struct block {
    struct block *next;
    uint64_t space[];
};

static void *allocate(struct program *p, size_t n)
{
    struct block *b = calloc(1, sizeof *b + n);
    assert_non_null(b);
    b->next = p->blocks;
    p->blocks = b;
    return b->space;
}

void program_free(struct program *p)
{
    while (p->blocks) {
        struct block *next = p->blocks->next;
        free(p->blocks);
        p->blocks = next;
    }
}

static uint64_t below(uint64_t *chance, uint64_t n)
{
    return next_random(chance) % n;
}

static bool one_in(uint64_t *chance, uint64_t n)
{
    return below(chance, n) == 0;
}

/* ---- the program ---- */

#define FIRST_ADDRESS 0x1000u
#define FIRST_VTABLE 0x8000u

static const char *function_name(struct program *p, const struct program_wish *wish, unsigned number)
{
    char *name = allocate(p, 64);
    if (wish->separator && number % 4 == 1)
        snprintf(name, 64, "dir/file%u.c%clocal_%u", number % 3, wish->separator, number);
    else
        snprintf(name, 64, "_Z8functionILi%uEEvv", number);
    return name;
}

static void make_function(struct program *p, struct rb_function *f, const struct program_wish *wish,
                          unsigned number, uint64_t *chance)
{
    uint64_t entropy = wish->wide_hashes ? UINT64_MAX : ((uint64_t)1 << 60) - 1;
    f->name = function_name(p, wish, number);
    f->hash = (number + 1) * 0x9E3779B97F4A7C15u & entropy;
    f->n_counts = 1 + (uint32_t)below(chance, one_in(chance, 8) ? 40 : 6);
    f->n_bitmap = one_in(chance, 2) ? 0 : (uint32_t)below(chance, 7);
    f->gap = one_in(chance, 4) ? (uint32_t)below(chance, 3) : 0;
    f->unnamed = one_in(chance, 16);
    if (!one_in(chance, 4)) /* some functions have one address */
        f->address = FIRST_ADDRESS + 16 * (number - (one_in(chance, 8) && number ? 1 : 0));
    for (unsigned k = 0; k < RB_KINDS; k++)
        f->n_sites[k] = one_in(chance, 2) ? 0 : (uint16_t)below(chance, 4);
}

static void make_variant(struct rb_profile *profile, uint64_t *chance)
{
    unsigned v = profile->version;
    if (v >= 4 && one_in(chance, 2))
        profile->variant |= RB_IR;
    if (v >= 8 && one_in(chance, 4))
        profile->variant |= RB_BYTES;
    if (v >= 8 && profile->variant & RB_IR && one_in(chance, 3))
        profile->variant |= RB_TEMPORAL;
    if (v >= 5 && profile->variant & RB_IR && one_in(chance, 4))
        profile->variant |= RB_CS;
    if (profile->variant & RB_BYTES)
        profile->no_padding = v == 8 && one_in(chance, 2);
}

static void make_vtables(struct program *p, uint64_t *chance)
{
    size_t n = below(chance, 4);
    struct rb_vtable *t = allocate(p, n * sizeof *t);
    for (size_t i = 0; i < n; i++) {
        char *name = allocate(p, 32);
        snprintf(name, 32, "_ZTV5Class%zu", i);
        t[i].name = name;
        t[i].address = one_in(chance, 8) ? 0 : FIRST_VTABLE + 64 * i;
        t[i].size = (uint32_t)(16 + 8 * below(chance, 7));
    }
    p->profile.vtables = t;
    p->profile.n_vtables = n;
}

static void make_ids(struct program *p, uint64_t *chance)
{
    static const size_t sizes[] = {20, 16, 8, 5};
    size_t n = below(chance, 3);
    struct rb_bytes *ids = allocate(p, n * sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        ids[i].n = sizes[below(chance, 4)];
        uint8_t *bytes = allocate(p, ids[i].n);
        fill_bytes(bytes, ids[i].n, next_random(chance));
        ids[i].p = bytes;
    }
    p->profile.ids = ids;
    p->profile.n_ids = n;
}

void program_make(struct program *p, const struct program_wish *wish, uint64_t *chance)
{
    struct rb_profile *profile = &p->profile;
    memset(p, 0, sizeof *p);
    profile->version = wish->version ? wish->version : 1 + (unsigned)below(chance, RB_NEWEST);
    profile->bytes = wish->bytes ? wish->bytes : one_in(chance, 3) ? 4 : 8;
    profile->big = wish->any_order ? one_in(chance, 3) : wish->big;
    profile->variant = wish->variant;
    if (wish->any_variant)
        make_variant(profile, chance);
    profile->n_functions = below(chance, (wish->most ? wish->most : 12) + 1);
    struct rb_function *f = allocate(p, profile->n_functions * sizeof *f);
    for (size_t i = 0; i < profile->n_functions; i++)
        make_function(p, &f[i], wish, wish->first + (unsigned)i, chance);
    profile->functions = f;
    if (profile->version >= 10)
        make_vtables(p, chance);
    make_ids(p, chance);
    profile->chunks = (unsigned)below(chance, 4);
    profile->zlib = (unsigned)below(chance, 3);
    profile->relative = profile->version == 7 && one_in(chance, 4);
    profile->pad_more = 8 * (unsigned)below(chance, 3);
    profile->pad_before = 8 * (unsigned)below(chance, 2);
}

/* ---- a run ---- */

static uint64_t random_count(uint64_t *chance)
{
    uint64_t bits = one_in(chance, 16) ? 50 : one_in(chance, 4) ? 20 : 4;
    return below(chance, (uint64_t)1 << bits);
}

static struct rb_pair random_pair(const struct rb_profile *profile, unsigned kind, uint64_t *chance)
{
    struct rb_pair pair = {0, random_count(chance), false};
    if (kind == 1)
        pair.value = below(chance, 12);
    else if (kind == 0)
        pair.value =
            FIRST_ADDRESS + 16 * below(chance, profile->n_functions + 2) + (one_in(chance, 6) ? 4 : 0);
    else
        pair.value = FIRST_VTABLE + 8 * below(chance, 40);
    /* Addresses of an earlier run, which remain when the runtime merges. */
    if (kind != 1 && one_in(chance, 10)) {
        pair.fixed = true;
        pair.value = one_in(chance, 2) ? 0 : next_random(chance) >> below(chance, 64);
    }
    return pair;
}

static const struct rb_site *random_sites(struct program *p, const struct rb_profile *profile, unsigned kind,
                                          size_t n, uint64_t *chance)
{
    struct rb_site *sites = allocate(p, n * sizeof *sites);
    for (size_t i = 0; i < n; i++) {
        sites[i].n = (unsigned)below(chance, one_in(chance, 10) ? 60 : 5);
        struct rb_pair *pairs = allocate(p, sites[i].n * sizeof *pairs);
        for (unsigned k = 0; k < sites[i].n; k++)
            pairs[k] = random_pair(profile, kind, chance);
        sites[i].pairs = pairs;
    }
    return sites;
}

static void run_function(struct program *p, const struct rb_profile *profile, struct rb_function *f,
                         uint64_t *chance)
{
    uint64_t *counts = allocate(p, f->n_counts * sizeof *counts);
    uint8_t *bitmap = allocate(p, f->n_bitmap);
    for (uint32_t i = 0; i < f->n_counts; i++)
        counts[i] = one_in(chance, 3) ? 0 : random_count(chance);
    for (uint32_t i = 0; i < f->n_bitmap; i++)
        bitmap[i] = (uint8_t)(next_random(chance) & next_random(chance));
    f->counts = counts;
    f->bitmap = bitmap;
    f->timestamp = one_in(chance, 3) ? 0 : 1 + below(chance, 100);
    for (unsigned k = 0; k < RB_KINDS; k++)
        f->sites[k] = random_sites(p, profile, k, f->n_sites[k], chance);
}

struct rb_function *program_functions(struct program *p, struct rb_profile *profile)
{
    struct rb_function *f = allocate(p, profile->n_functions * sizeof *f);
    if (profile->n_functions)
        memcpy(f, profile->functions, profile->n_functions * sizeof *f);
    profile->functions = f;
    return f;
}

struct rb_profile program_run(struct program *p, uint64_t *chance)
{
    struct rb_profile profile = p->profile;
    struct rb_function *f = program_functions(p, &profile);
    for (size_t i = 0; i < profile.n_functions; i++)
        run_function(p, &profile, &f[i], chance);
    profile.load = 0x1000 * below(chance, profile.bytes == 4 ? 0x80000 : (uint64_t)1 << 35);
    if (one_in(chance, 8))
        profile.load = 0;
    profile.no_values = one_in(chance, 10);
    profile.value_slack = one_in(chance, 6) ? 8 : 0;
    return profile;
}
