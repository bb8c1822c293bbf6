/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds names that mean one function although they differ: LLVM 18 changed the separator after the file of a local
 * function, and ThinLTO appends to promoted names a suffix that depends on the module. */
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "instr/views/profile_diff.h"

/* The length of a name without a suffix ".llvm.DIGITS". */
static size_t length_without_suffix(struct apf_str name)
{
    static const char suffix[] = ".llvm.";
    const size_t n_suffix = sizeof suffix - 1;
    size_t n = name.n;
    while (n > 0 && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    bool has_suffix = n < name.n && n > n_suffix && memcmp(name.p + n - n_suffix, suffix, n_suffix) == 0;
    return has_suffix ? n - n_suffix : name.n;
}

/* The name of a function that only one profile has. */
struct lone_name {
    uint64_t id;
    bool of_b;
};

struct lone_names {
    VEC(struct lone_name) list;
    VEC(struct sort_name) plain; /* the names in plain form; index: place in the list */
    struct arena text;           /* bytes of the plain names */
};

/* Adds a name. Its plain form has no suffix, and a colon as separator. */
static bool add_name(struct lone_names *names, const struct apf_diff *diff, unsigned side,
                     const struct record *r)
{
    struct apf_str name = record_name(diff->instr[side], r);
    struct lone_name lone = {r->id, side == 1};
    struct sort_name plain = {0, NULL, (uint32_t)length_without_suffix(name), (uint32_t)names->list.n};
    char *text = arena_text(&names->text, name.p, plain.n);
    if (!text)
        return false;
    char *separator = memchr(text, ';', plain.n);
    if (separator)
        *separator = ':';
    plain.p = text;
    return VEC_PUSH(&names->list, lone) && VEC_PUSH(&names->plain, plain);
}

/* Adds the names that only one profile has, each once, though a name may have several hashes. */
static bool add_names(struct lone_names *names, const struct apf_diff *diff, unsigned side)
{
    const struct record_table *own = &diff->table[side], *other = &diff->table[1 - side];
    for (uint32_t i = 0; i < own->n; i++) {
        const struct record *r = own->records[i];
        if (r->symbol == HASH_INDEX_NONE || record_table_find_name(own, r->id) != i ||
            record_table_find_name(other, r->id) != HASH_INDEX_NONE)
            continue;
        if (!add_name(names, diff, side, r))
            return false;
    }
    return true;
}

/* Pairs n equal plain names if each profile has one of them. The first profile's names stand first. */
static bool pair_equal(struct name_pairs *pairs, const struct lone_names *names, size_t from, size_t n)
{
    const struct sort_name *plain = names->plain.data + from;
    const struct lone_name *a = &names->list.data[plain[0].index], *b = &names->list.data[plain[n - 1].index];
    struct name_pair pair = {a->id, b->id};
    return n != 2 || a->of_b || !b->of_b || VEC_PUSH(&pairs->list, pair);
}

static bool pair_all(struct name_pairs *pairs, const struct lone_names *names)
{
    for (size_t i = 0, end; i < names->plain.n; i = end) {
        const struct sort_name *plain = names->plain.data;
        for (end = i + 1; end < names->plain.n; end++)
            if (sort_compare_bytes(plain[i].p, plain[i].n, plain[end].p, plain[end].n) != 0)
                break;
        if (!pair_equal(pairs, names, i, end - i))
            return false;
    }
    return true;
}

static bool pair_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct name_pair *)a)->a < ((const struct name_pair *)b)->a;
}

int diff_pair_names(struct name_pairs *pairs, const struct apf_diff *diff, struct apf_error *error)
{
    struct lone_names names = {{NULL, 0, 0}, {NULL, 0, 0}, {0}};
    memset(pairs, 0, sizeof *pairs);
    bool done = add_names(&names, diff, 0) && add_names(&names, diff, 1);
    size_t n = names.plain.n;
    done = done && VEC_RESERVE(&names.plain, n);
    if (done && n)
        sort_names(names.plain.data, names.plain.data + n, n);
    done = done && pair_all(pairs, &names) && SORT_VEC(&pairs->list, pair_before, NULL);
    VEC_FREE(&names.list);
    VEC_FREE(&names.plain);
    arena_free(&names.text);
    if (!done)
        VEC_FREE(&pairs->list);
    return done ? APF_OK : error_memory(error);
}

uint64_t diff_paired_name(const struct name_pairs *pairs, uint64_t a)
{
    size_t at;
    SEARCH(at, 0, pairs->list.n, pairs->list.data[at].a < a);
    return at < pairs->list.n && pairs->list.data[at].a == a ? pairs->list.data[at].b : a;
}
