/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the virtual tables of raw profiles: their address ranges, which map values to tables. */
#include "base/search.h"
#include "instr/check/raw_check.h"

/* No compiler makes larger tables. */
#define MOST_VTABLE_BYTES ((uint64_t)1 << 24)
/* No linker makes programs whose parts lie further apart. */
#define MOST_PROGRAM_BYTES ((uint64_t)1 << 32)

struct vtable {
    uint64_t at, start, size, id; /* at: offset in the file */
};

struct vtable_list {
    VEC(struct vtable) list;
    VEC(uint64_t) addresses; /* of virtual tables and functions */
    struct check_tally padding, folded;
};

static struct vtable read_vtable(const struct raw_profile *raw, uint64_t i)
{
    uint64_t at = raw->vtables.at + i * RAW_VTABLE_SIZE(raw->pointer_bytes);
    const uint8_t *p = raw->file + at;
    struct vtable v = {at, raw_profile_pointer(raw, p + 8), load32(p + 8 + raw->pointer_bytes, raw->swap),
                       load64(p, raw->swap)};
    return v;
}

/* ---- one of them ---- */

static void check_one(struct raw_checker *k, struct vtable_list *list, const struct vtable *v)
{
    const struct raw_profile *raw = &k->raw;
    unsigned bytes = raw->pointer_bytes;
    uint64_t last = raw_profile_last_pointer(raw), size_at = v->at + 8 + bytes;
    struct error_at size = {"raw.vtable.size", size_at, v->size, 1};
    struct error_at address = {"raw.vtable.address", v->at + 8, v->start, last - v->size};
    if (v->size == 0) {
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, size, "a virtual table of no bytes");
    } else if (v->size > MOST_VTABLE_BYTES) {
        size.expected = MOST_VTABLE_BYTES;
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, size, "a virtual table that is too large");
    }
    if (v->start == 0)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, address.where, address.offset,
                    "a virtual table without an address");
    else if (v->start > last - v->size)
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, address,
                    "a virtual table that goes beyond the end of memory");
    else if (v->start % bytes)
        check_place(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, address.where, address.offset,
                    "a virtual table that is not aligned");
    if (bytes == 8 && load32(raw->file + size_at + 4, raw->swap))
        check_count(&list->padding, k->c, "raw.vtable.padding", size_at + 4);
}

/* ---- beside each other ---- */

static bool vtable_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct vtable *)a)->start < ((const struct vtable *)b)->start;
}

/* Checks the distance of a table from the middle of all addresses. */
static void check_distance(struct raw_checker *k, const struct vtable *v, uint64_t middle)
{
    uint64_t distance = v->start > middle ? v->start - middle : middle - v->start;
    struct error_at at = {"raw.vtable.address", v->at + 8, distance, MOST_PROGRAM_BYTES};
    if (v->start && distance > MOST_PROGRAM_BYTES)
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                    "a virtual table that is far from the rest of the program");
}

static void check_overlap(struct raw_checker *k, struct vtable_list *list, const struct vtable *before,
                          const struct vtable *v)
{
    bool same = before->start == v->start && before->size == v->size;
    struct error_at at = {"raw.vtable.address", v->at + 8, v->start, before->start + before->size};
    if (same && before->id != v->id)
        check_count(&list->folded, k->c, "raw.vtable", v->at);
    else if (!same && v->start && v->start < at.expected)
        check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                    "a virtual table that overlaps another one");
}

static bool collect_addresses(struct raw_checker *k, struct vtable_list *list)
{
    struct raw_record r;
    bool good = true;
    for (uint64_t i = 0; good && i < k->raw.field[RAW_NUM_DATA]; i++)
        if (raw_profile_record(&k->raw, i, &r, NULL) == APF_OK && r.function_ptr)
            good = VEC_PUSH(&list->addresses, r.function_ptr);
    for (size_t i = 0; good && i < list->list.n; i++)
        good = VEC_PUSH(&list->addresses, list->list.data[i].start);
    size_t n = list->addresses.n;
    good = good && VEC_RESERVE(&list->addresses, n);
    if (good)
        sort_numbers(list->addresses.data, ENTRY_AT(list->addresses.data, n), n);
    return good;
}

static void check_all(struct raw_checker *k, struct vtable_list *list)
{
    const struct vtable *before = NULL;
    if (!collect_addresses(k, list) || !SORT_VEC(&list->list, vtable_before, NULL)) {
        check_memory(k->c);
        return;
    }
    uint64_t middle = list->addresses.data[list->addresses.n / 2];
    for (size_t i = 0; i < list->list.n && k->c->code == APF_OK; i++) {
        const struct vtable *v = &list->list.data[i];
        check_function(k->c, symbols_name(k->profile->instr->vtables, v->id), 0);
        check_one(k, list, v);
        check_distance(k, v, middle);
        if (before)
            check_overlap(k, list, before, v);
        if (!before || v->start + v->size > before->start + before->size)
            before = v;
    }
}

void raw_check_vtables(struct raw_checker *k)
{
    struct vtable_list list = {0};
    uint64_t n = k->raw.field[RAW_NUM_VTABLES];
    bool good = VEC_RESERVE(&list.list, n) && VEC_RESERVE(&k->vtables->list, n);
    for (uint64_t i = 0; good && i < n; i++) {
        struct vtable v = read_vtable(&k->raw, i);
        struct sort_key id = {v.id, v.at};
        list.list.data[list.list.n++] = v;
        k->vtables->list.data[k->vtables->list.n++] = id;
    }
    if (!good)
        check_memory(k->c);
    else if (n)
        check_all(k, &list);
    check_no_function(k->c);
    check_tally_report(k->c, &list.padding, APF_SEVERITY_NOTE, APF_NOTE, "padding that is not zero");
    check_tally_report(k->c, &list.folded, APF_SEVERITY_NOTE, APF_NOTE,
                       "a virtual table at the place of another one");
    VEC_FREE(&list.list);
    VEC_FREE(&list.addresses);
}

/* ---- names ---- */

void raw_check_vtable_names(struct check *c, const struct check_profile *p, struct raw_check_ids *vtables,
                            uint64_t names_at)
{
    const struct symbols *names = p->instr->vtables;
    struct check_tally nameless = {0}, unused = {0};
    size_t n = vtables->list.n;
    if (!VEC_RESERVE(&vtables->list, n)) {
        check_memory(c);
        return;
    }
    if (n)
        sort_keys(vtables->list.data, vtables->list.data + n, n);
    check_no_function(c);
    for (size_t i = 0; i < n && !p->names_lost; i++) {
        uint64_t id = vtables->list.data[i].key;
        if (symbols_find(names, id) == HASH_INDEX_NONE &&
            symbols_find(p->instr->symbols, id) == HASH_INDEX_NONE)
            check_count(&nameless, c, "raw.vtable.name_ref", vtables->list.data[i].value);
    }
    for (size_t i = 0; i < names->list.n && !p->records_lost; i++) {
        const struct symbol *s = &names->list.data[i];
        struct apf_str name = {s->p, s->n};
        size_t at;
        SEARCH(at, (size_t)0, n, vtables->list.data[at].key < s->id);
        check_function(c, name, 0);
        if (at == n || vtables->list.data[at].key != s->id)
            check_count(&unused, c, "raw.vtable_names", names_at);
    }
    check_tally_report(c, &nameless, APF_SEVERITY_WARNING, APF_UNKNOWN_FUNCTION,
                       "the name of a virtual table is not in the file");
    check_tally_report(c, &unused, APF_SEVERITY_NOTE, APF_NOTE, "a name of a virtual table without a record");
}
