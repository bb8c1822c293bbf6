/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_attr.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define MOST_IDS ((size_t)1 << 22)
#define SMALLEST 64u /* size of the first version of struct perf_event_attr, which says 0 or 64 */

void perf_attrs_free(struct perf_attrs *attrs)
{
    VEC_FREE(&attrs->list);
    VEC_FREE(&attrs->ids);
    hash_index_free(&attrs->index);
    arena_free(&attrs->arena);
}

/* ---- struct perf_event_attr ---- */

static uint64_t reverse_bits(uint64_t v)
{
    uint64_t reversed = 0;
    for (int i = 0; i < 64; i++)
        reversed |= (v >> i & 1) << (63 - i);
    return reversed;
}

/* The field of 8 bytes at an offset, 0 if the structure is older than the field. */
static uint64_t read_field(const uint8_t *p, size_t size, size_t at, bool swap)
{
    return at + 8 <= size ? load64(p + at, swap) : 0;
}

static uint32_t count_bits(uint64_t v)
{
    return (uint32_t)__builtin_popcountll(v);
}

/* Where things are in samples, and in the end of other records, which has the same fields in another order. */
static void place_fields(struct perf_attr *a)
{
    const uint64_t end = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                         PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    if (a->sample_type & PERF_SAMPLE_TIME)
        a->time_at = 8 + 8 * count_bits(a->sample_type & before);
    a->trailer = a->id_all ? 8 * count_bits(a->sample_type & end) : 0;
    if (a->id_all && a->time_at)
        a->time_end = a->trailer - (a->sample_type & PERF_SAMPLE_TID ? 8 : 0);
}

int perf_attr_read(struct perf_attr *attr, struct cursor *c, size_t limit, size_t *size,
                   struct apf_error *error)
{
    const uint8_t *p = c->p;
    struct error_at at = {"perf.attr.size", cursor_offset(c) + 4, 0, limit};
    limit = limit < cursor_left(c) ? limit : cursor_left(c);
    if (limit < SMALLEST)
        return error_bound(error, APF_BAD_RECORDING, at, "no room for an event");
    size_t n = load32(p + 4, c->swap);
    n = n ? n : SMALLEST;
    at.found = n;
    if (n < SMALLEST || n > limit)
        return error_bound(error, APF_BAD_RECORDING, at, "size of an event");
    cursor_skip(c, n);
    uint64_t flags = load64(p + 40, c->swap);
    bool file_big = c->swap != (bool)HOST_BIG_ENDIAN; /* there, bit fields begin with the highest bit */
    *attr = (struct perf_attr){.type = load32(p, c->swap)};
    attr->config = load64(p + 8, c->swap);
    attr->period = load64(p + 16, c->swap);
    attr->sample_type = load64(p + 24, c->swap);
    attr->read_format = load64(p + 32, c->swap);
    attr->flags = file_big ? reverse_bits(flags) : flags;
    attr->branch_type = read_field(p, n, 72, c->swap);
    attr->regs_user = read_field(p, n, 80, c->swap);
    attr->regs_intr = read_field(p, n, 96, c->swap);
    attr->frequency = attr->flags >> PERF_ATTR_FREQ & 1;
    attr->id_all = attr->flags >> PERF_ATTR_SAMPLE_ID_ALL & 1;
    *size = n;
    place_fields(attr);
    return APF_OK;
}

/* ---- names ---- */

static bool has_flag(const struct perf_attr *a, unsigned bit)
{
    return a->flags >> bit & 1;
}

/* The modifiers that perf prints after a name, such as ":u" or ":kpp"; "" if there are none. */
static void make_modifiers(const struct perf_attr *a, char to[16])
{
    size_t n = 1;
    bool user = has_flag(a, PERF_ATTR_EXCLUDE_USER), kernel = has_flag(a, PERF_ATTR_EXCLUDE_KERNEL),
         hv = has_flag(a, PERF_ATTR_EXCLUDE_HV), host = has_flag(a, PERF_ATTR_EXCLUDE_HOST),
         guest = has_flag(a, PERF_ATTR_EXCLUDE_GUEST);
    unsigned precise = a->flags >> PERF_ATTR_PRECISE_IP & 3;
    bool guest_default = kernel || user || hv || precise;
    if (kernel || user || hv) {
        if (!kernel)
            to[n++] = 'k';
        if (!user)
            to[n++] = 'u';
        if (!hv)
            to[n++] = 'h';
    }
    for (unsigned i = 0; i < precise; i++)
        to[n++] = 'p';
    if (host || guest == guest_default) {
        if (!host)
            to[n++] = 'H';
        if (!guest)
            to[n++] = 'G';
    }
    to[0] = ':';
    to[n > 1 ? n : 0] = '\0';
}

/* perf's own names of an event whose name is not in the recording. */
static int make_name(const struct perf_attr *a, char *to, size_t room)
{
    static const char *const hardware[] = {
        "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
        "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
    static const char *const software[] = {
        "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
        "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
        "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
    enum { HARDWARE = 0, SOFTWARE = 1, RAW = 4 };
    char modifiers[16];
    make_modifiers(a, modifiers);
    if (a->type == HARDWARE && a->config < sizeof hardware / sizeof *hardware)
        return snprintf(to, room, "%s%s", hardware[a->config], modifiers);
    if (a->type == SOFTWARE && a->config < sizeof software / sizeof *software)
        return snprintf(to, room, "%s%s", software[a->config], modifiers);
    if (a->type == RAW)
        return snprintf(to, room, "raw 0x%llx%s", (unsigned long long)a->config, modifiers);
    return snprintf(to, room, "type %u config 0x%llx%s", a->type, (unsigned long long)a->config, modifiers);
}

static bool set_name(struct perf_attrs *attrs, struct perf_attr *a, struct apf_str name)
{
    a->name.p = arena_text(&attrs->arena, name.p, name.n);
    a->name.n = a->name.p ? name.n : 0;
    return a->name.p != NULL;
}

int perf_attrs_name(struct perf_attrs *attrs, uint32_t attr, struct apf_str name, struct apf_error *error)
{
    struct perf_attr *a = &attrs->list.data[attr];
    if (a->named || name.n == 0)
        return APF_OK;
    a->named = set_name(attrs, a, name);
    attrs->changes++;
    return a->named ? APF_OK : error_memory(error);
}

/* ---- the list ---- */

/* Offset of the id in samples; 0: they have none. */
static uint32_t sample_id(const struct perf_attr *a)
{
    const uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
        return 8;
    return a->sample_type & PERF_SAMPLE_ID ? 8 + 8 * count_bits(a->sample_type & before) : 0;
}

/* Bytes from the id to the end of other records; 0: they have none. */
static uint32_t other_id(const struct perf_attr *a)
{
    const uint64_t after = PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID;
    if (!a->id_all)
        return 0;
    if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
        return 8;
    return a->sample_type & PERF_SAMPLE_ID ? 8 + 8 * count_bits(a->sample_type & after) : 0;
}

int perf_attrs_add(struct perf_attrs *attrs, const struct perf_attr *attr, struct apf_error *error)
{
    char name[96];
    size_t n = attrs->list.n;
    if (n == PERF_MOST_EVENTS)
        return error_plain(error, APF_LIMIT, "perf.attrs", "more than 4096 events");
    if (!VEC_PUSH(&attrs->list, *attr))
        return error_memory(error);
    struct apf_str text = {name, (size_t)make_name(attr, name, sizeof name)};
    if (!set_name(attrs, &attrs->list.data[n], text))
        return error_memory(error);
    attrs->changes++;
    uint32_t at = sample_id(attr), end = other_id(attr);
    attrs->sample_id_at = n == 0 || at == attrs->sample_id_at ? at : 0;
    attrs->other_id_end = n == 0 || end == attrs->other_id_end ? end : 0;
    return APF_OK;
}

uint32_t perf_attrs_find(const struct perf_attrs *attrs, uint64_t id)
{
    uint32_t i;
    if (attrs->ids.n == 0)
        return UINT32_MAX;
    uint64_t hash = hash_index_mix(&attrs->index, id, 0);
    HASH_INDEX_FIND(i, &attrs->index, hash, attrs->ids.data[i].id == id);
    return i == HASH_INDEX_NONE ? UINT32_MAX : attrs->ids.data[i].attr;
}

int perf_attrs_add_id(struct perf_attrs *attrs, uint64_t id, uint32_t attr, struct apf_error *error)
{
    struct perf_attr_id entry = {id, attr};
    if (!hash_index_reserve(&attrs->index, 1))
        return hash_index_error(&attrs->index, error);
    if (perf_attrs_find(attrs, id) != UINT32_MAX)
        return APF_OK;
    if (attrs->ids.n == MOST_IDS)
        return error_plain(error, APF_LIMIT, "perf.attr.ids", "more than 4194304 ids of events");
    if (!VEC_PUSH(&attrs->ids, entry))
        return error_memory(error);
    hash_index_add(&attrs->index, hash_index_mix(&attrs->index, id, 0), (uint32_t)(attrs->ids.n - 1));
    return APF_OK;
}

uint32_t perf_attrs_of(const struct perf_attrs *attrs, const uint8_t *record, size_t n, uint32_t type,
                       bool swap)
{
    bool sample = type == PERF_RECORD_SAMPLE;
    size_t at = sample ? attrs->sample_id_at : attrs->other_id_end;
    if (attrs->list.n < 2 || at == 0)
        return attrs->list.n ? 0 : UINT32_MAX;
    if (sample ? n < at + 8 : n < PERF_HEADER_BYTES + at)
        return UINT32_MAX;
    uint64_t id = load64(record + (sample ? at : n - at), swap);
    uint32_t attr = perf_attrs_find(attrs, id);
    /* perf makes up records of what was there before, without an id. */
    return attr == UINT32_MAX && !sample && id == 0 ? 0 : attr;
}
