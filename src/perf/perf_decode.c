/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_decode.h"

#include <string.h>

#define NO_TIME UINT64_MAX /* as 0 */

void perf_decoder_free(struct perf_decoder *d)
{
    VEC_FREE(&d->branches);
    VEC_FREE(&d->chain);
}

static uint64_t known_time(uint64_t time)
{
    return time == NO_TIME ? 0 : time;
}

uint64_t perf_decode_time(const struct perf_attr *attr, const struct perf_raw *raw, bool swap)
{
    bool sample = raw->type == PERF_RECORD_SAMPLE;
    size_t at = sample ? attr->time_at : attr->time_end;
    uint64_t time = 0;
    if (at && (sample ? at + 8 <= raw->n : at + PERF_HEADER_BYTES <= raw->n))
        time = load64(raw->p + (sample ? at : raw->n - at), swap);
    return known_time(time);
}

/* ---- samples ---- */

/* Passes the values of the event itself. */
static void pass_read(struct cursor *c, uint64_t format)
{
    size_t each = 8u + (format & PERF_FORMAT_ID ? 8u : 0) + (format & PERF_FORMAT_LOST ? 8u : 0);
    uint64_t times = (uint64_t)__builtin_popcountll(format & PERF_FORMAT_TIMES), n = 1;
    if (format & PERF_FORMAT_GROUP)
        n = cursor_u64(c);
    cursor_skip(c, 8 * times);
    cursor_array(c, n, each);
}

static bool read_chain(struct perf_decoder *d, struct cursor *c, struct perf_record *record)
{
    uint64_t n = cursor_u64(c);
    const uint8_t *p = cursor_array(c, n, 8);
    d->chain.n = 0;
    if (!p)
        return true;
    if (!VEC_RESERVE(&d->chain, n))
        return false;
    for (size_t i = 0; i < n; i++)
        d->chain.data[i] = load64(p + 8 * i, d->swap);
    d->chain.n = n;
    record->chain = d->chain.data;
    record->n_chain = n;
    record->fields |= APF_PERF_HAS_CHAIN;
    return true;
}

/* In a file of a big-endian machine, the bit fields of an entry begin with the highest bit. */
static uint64_t flags_of_big_endian(uint64_t v)
{
    return v >> 63 | (v >> 62 & 1) << 1 | (v >> 61 & 1) << 2 | (v >> 60 & 1) << 3 | (v >> 44 & 0xffff) << 4 |
           (v >> 40 & 15) << 20 | (v >> 38 & 3) << 24 | (v >> 34 & 15) << 26 | (v >> 31 & 7) << 30 |
           (v >> 30 & 1) << 33;
}

static bool is_taken(uint64_t flags)
{
    const uint64_t speculation = PERF_BRANCH_SPECULATION, wrong_path = PERF_BRANCH_WRONG_PATH;
    return !(flags & PERF_BRANCH_NOT_TAKEN) && (flags & speculation) != wrong_path;
}

/* Makes d->branches of n entries, without those that are no jumps. */
static bool convert_branches(struct perf_decoder *d, const uint8_t *p, size_t n, bool swap)
{
    const bool big = swap != (bool)HOST_BIG_ENDIAN;
    d->branches.n = 0;
    if (!VEC_RESERVE(&d->branches, n))
        return false;
    for (size_t i = 0; i < n; i++, p += sizeof(struct apf_perf_branch)) {
        struct apf_perf_branch b = {load64(p, swap), load64(p + 8, swap), load64(p + 16, swap)};
        b.flags = big ? flags_of_big_endian(b.flags) : b.flags;
        if (is_taken(b.flags))
            d->branches.data[d->branches.n++] = b;
    }
    d->n_not_taken += n - d->branches.n;
    return true;
}

/* Whether n entries are an array of struct apf_perf_branch as they are: aligned, in the byte order of the host, and all
 * of them taken. Such entries are not copied, and stay as long as the block of the record. */
static bool is_plain(const uint8_t *p, size_t n, bool swap)
{
    uint64_t any = 0, others = 0;
    const uint8_t *flags = p + 16;
    if (swap || HOST_BIG_ENDIAN || (uintptr_t)p % _Alignof(struct apf_perf_branch))
        return false;
    for (; n > 1; n -= 2, flags += 2 * sizeof(struct apf_perf_branch)) {
        any |= load64(flags, false);
        others |= load64(flags + sizeof(struct apf_perf_branch), false);
    }
    any |= n ? load64(flags, false) : 0;
    return !((any | others) & (PERF_BRANCH_NOT_TAKEN | PERF_BRANCH_SPECULATION));
}

static bool read_branches(struct perf_decoder *d, struct cursor *c, uint64_t type, struct perf_record *record)
{
    uint64_t n = cursor_u64(c);
    if (type & PERF_BRANCH_TYPE_HW_INDEX)
        cursor_skip(c, 8);
    const uint8_t *p = cursor_array(c, n, sizeof(struct apf_perf_branch));
    if (!p)
        return true;
    const bool plain = is_plain(p, (size_t)n, c->swap);
    if (!plain && !convert_branches(d, p, (size_t)n, c->swap))
        return false;
    record->branches = plain ? (const void *)p : d->branches.data;
    record->n_branches = plain ? (size_t)n : d->branches.n;
    record->fields |= APF_PERF_HAS_BRANCHES;
    return true;
}

static void read_numbers(struct cursor *c, const struct perf_attr *a, struct perf_record *record)
{
    uint64_t type = a->sample_type;
    if (type & PERF_SAMPLE_IDENTIFIER)
        cursor_skip(c, 8);
    if (type & PERF_SAMPLE_IP) {
        record->address = cursor_u64(c);
        record->fields |= APF_PERF_HAS_ADDRESS;
    }
    if (type & PERF_SAMPLE_TID) {
        record->pid = cursor_u32(c);
        record->tid = cursor_u32(c);
    }
    if (type & PERF_SAMPLE_TIME)
        record->time = known_time(cursor_u64(c));
    if (type & PERF_SAMPLE_ADDR) {
        record->data = cursor_u64(c);
        record->fields |= APF_PERF_HAS_DATA;
    }
    if (type & PERF_SAMPLE_ID)
        cursor_skip(c, 8);
    if (type & PERF_SAMPLE_STREAM_ID)
        cursor_skip(c, 8);
    if (type & PERF_SAMPLE_CPU) {
        record->cpu = cursor_u32(c);
        cursor_skip(c, 4);
    }
    record->period = type & PERF_SAMPLE_PERIOD ? cursor_u64(c) : a->frequency ? 1 : a->period;
}

/* What follows branch stacks in a sample is of no use here. */
static enum perf_decoded decode_sample(struct perf_decoder *d, const struct perf_raw *raw, uint32_t attr,
                                       struct perf_record *record)
{
    const struct perf_attr *a = &d->attrs->list.data[attr];
    struct cursor c = cursor_make(raw->p, raw->n, d->swap);
    bool fits = true;
    cursor_skip(&c, PERF_HEADER_BYTES);
    record->kind = PERF_SAMPLE;
    record->number = attr;
    record->event = a->name;
    record->pid = record->tid = PERF_NO_PID;
    read_numbers(&c, a, record);
    if (a->sample_type & PERF_SAMPLE_READ)
        pass_read(&c, a->read_format);
    if (a->sample_type & PERF_SAMPLE_CALLCHAIN)
        fits = read_chain(d, &c, record);
    if (a->sample_type & PERF_SAMPLE_RAW)
        cursor_skip(&c, cursor_u32(&c));
    if (fits && a->sample_type & PERF_SAMPLE_BRANCH_STACK)
        fits = read_branches(d, &c, a->branch_type, record);
    return !fits ? PERF_DECODED_MEMORY : c.failed ? PERF_DECODED_SHORT : PERF_DECODED;
}

/* ---- processes ---- */

/* A name ends with its first zero. */
static struct apf_str read_name(struct cursor *c)
{
    const char *p = (const char *)c->p;
    size_t n = cursor_left(c);
    const char *zero = n ? memchr(p, '\0', n) : NULL;
    struct apf_str name = {p, zero ? (size_t)(zero - p) : n};
    return name;
}

static struct perf_build_id read_build_id(struct cursor *c)
{
    uint8_t n = cursor_u8(c);
    cursor_skip(c, 3);
    const uint8_t *p = cursor_bytes(c, 20);
    return p ? perf_build_id_make(p, n < 20 ? n : 20) : perf_build_id_make(NULL, 0);
}

static void read_mapping(struct cursor *c, const struct perf_raw *raw, struct perf_record *record)
{
    const uint32_t prot_exec = 4;
    bool newer = raw->type == PERF_RECORD_MMAP2;
    record->kind = PERF_MAPPING;
    record->pid = cursor_u32(c);
    record->tid = cursor_u32(c);
    record->start = cursor_u64(c);
    record->size = cursor_u64(c);
    record->offset = cursor_u64(c);
    record->executable = !(raw->misc & PERF_MISC_MMAP_DATA);
    if (newer && raw->misc & PERF_MISC_MMAP_BUILD_ID)
        record->build_id = read_build_id(c);
    else if (newer)
        cursor_skip(c, 24);
    if (newer) { /* perf, which lists what the kernel has mapped, leaves its protection out */
        bool code = cursor_u32(c) & prot_exec || record->mode == APF_PERF_MODE_KERNEL;
        record->executable = record->executable && code;
        cursor_skip(c, 4);
    }
    record->path = read_name(c);
}

static void read_fork(struct cursor *c, struct perf_record *record)
{
    record->pid = cursor_u32(c);
    record->parent = cursor_u32(c);
    record->tid = cursor_u32(c);
    cursor_skip(c, 4);
    record->time = known_time(cursor_u64(c));
    record->untimed = record->time == 0;
}

static void read_exec(struct cursor *c, struct perf_record *record)
{
    record->kind = PERF_EXEC;
    record->pid = cursor_u32(c);
    record->tid = cursor_u32(c);
    record->path = read_name(c);
}

bool perf_decode_build_id(const uint8_t *p, size_t n, uint16_t misc, struct perf_record *record)
{
    const size_t id_at = 12, length_at = 32, name_at = 36;
    struct cursor c = cursor_make(p, n, false);
    const uint8_t *bytes = cursor_bytes(&c, name_at);
    if (!bytes)
        return false;
    uint8_t length = misc & PERF_MISC_BUILD_ID_SIZE ? bytes[length_at] : 20;
    record->kind = PERF_BUILD_ID;
    record->mode = misc & PERF_MISC_CPUMODE;
    record->build_id = perf_build_id_make(bytes + id_at, length < 20 ? length : 20);
    record->path = read_name(&c);
    return true;
}

enum perf_decoded perf_decode(struct perf_decoder *d, const struct perf_raw *raw, uint32_t attr,
                              struct perf_record *record)
{
    *record = (struct perf_record){.mode = raw->misc & PERF_MISC_CPUMODE};
    if (raw->type == PERF_RECORD_SAMPLE)
        return decode_sample(d, raw, attr, record);
    if (raw->type == PERF_RECORD_HEADER_BUILD_ID)
        return perf_decode_build_id(raw->p, raw->n, raw->misc, record) ? PERF_DECODED : PERF_DECODED_SHORT;
    if (raw->type >= PERF_RECORD_USER_TYPE_START)
        return PERF_DECODED_NOTHING;
    size_t end = d->attrs->list.data[attr].trailer;
    if (raw->n < PERF_HEADER_BYTES + end)
        return PERF_DECODED_SHORT;
    record->time = perf_decode_time(&d->attrs->list.data[attr], raw, d->swap);
    struct cursor c = cursor_make(raw->p, raw->n - end, d->swap);
    cursor_skip(&c, PERF_HEADER_BYTES);
    switch (raw->type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        read_mapping(&c, raw, record);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        read_fork(&c, record);
        record->kind = raw->type == PERF_RECORD_FORK ? PERF_FORK : PERF_EXIT;
        break;
    case PERF_RECORD_COMM:
        if (!(raw->misc & PERF_MISC_COMM_EXEC))
            return PERF_DECODED_NOTHING;
        read_exec(&c, record);
        break;
    default:
        return PERF_DECODED_NOTHING;
    }
    return c.failed ? PERF_DECODED_SHORT : PERF_DECODED;
}
