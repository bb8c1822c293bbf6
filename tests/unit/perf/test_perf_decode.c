/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What records say: samples of every set of fields, and what happens to processes, in either byte order. */
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/perf_bytes.h"
#include "perf/perf_decode.h"

/* The values of the fields. */
#define IP 0x0123456789abcdefu
#define TIME 0x1111222233334444u
#define DATA 0x5555666677778888u
#define BRANCH_TYPES 4u /* branch stacks: without more, with an index, with counters, with both */

static const uint64_t branch_types[BRANCH_TYPES] = {8, 8 | 1 << 17, 8 | 1 << 19, 8 | 1 << 17 | 1 << 19};

static void add_read(struct pb *b, uint64_t format)
{
    const unsigned n = format & 8 ? 3 : 1;
    if (format & 8)
        pb_64(b, n);
    else
        pb_64(b, 77); /* the value */
    for (unsigned i = 0; i < 2; i++)
        if (format >> i & 1)
            pb_64(b, 1);
    for (unsigned i = 0; i < n; i++) {
        if (format & 8)
            pb_64(b, 77);
        if (format & 4)
            pb_64(b, 1);
        if (format & 16)
            pb_64(b, 1);
    }
}

/* A sample by the table of the fields of samples, in its order. Returns the bytes up to the end of the branches. */
static size_t add_sample(struct pb *b, const struct pb_attr *a)
{
    uint64_t t = a->sample_type;
    pb_begin(b, 9, 2);
    if (t & 0x10000)
        pb_64(b, 0xeeee);
    if (t & 1)
        pb_64(b, IP);
    if (t & 2) {
        pb_32(b, 100);
        pb_32(b, 101);
    }
    if (t & 4)
        pb_64(b, TIME);
    if (t & 8)
        pb_64(b, DATA);
    if (t & 0x40)
        pb_64(b, 0xeeee);
    if (t & 0x200)
        pb_64(b, 0xdddd);
    if (t & 0x80) {
        pb_32(b, 3);
        pb_32(b, 0xffffffff);
    }
    if (t & 0x100)
        pb_64(b, 4000);
    if (t & 0x10)
        add_read(b, a->read_format);
    if (t & 0x20) {
        pb_64(b, 3);
        pb_64(b, (uint64_t)-512);
        pb_64(b, IP);
        pb_64(b, IP + 1);
    }
    if (t & 0x400) {
        pb_32(b, 12);
        pb_zeros(b, 12);
    }
    if (t & 0x800) {
        pb_64(b, 2);
        if (a->branch_type & 1 << 17)
            pb_64(b, 9);
        for (uint64_t i = 0; i < 2; i++) {
            pb_64(b, IP + i);
            pb_64(b, DATA + i);
            pb_64(b, b->big ? (uint64_t)1 << 62 : 2); /* predicted */
        }
    }
    size_t end = b->n - b->record;
    if (t & 0x800 && a->branch_type & 1 << 19)
        pb_zeros(b, 16);
    pb_zeros(b, 24); /* fields after those */
    pb_end(b);
    return end;
}

struct decoded {
    struct perf_attrs attrs;
    struct perf_decoder d;
    struct perf_record r;
    enum perf_decoded what;
};

static void open_decoder(struct decoded *d, const struct pb_attr *a, bool big)
{
    struct pb b = {.big = big};
    struct perf_attr attr;
    size_t size;
    memset(d, 0, sizeof *d);
    pb_attr(&b, a);
    struct cursor c = cursor_make(b.p, b.n, big != (bool)HOST_BIG_ENDIAN);
    assert_int_equal(perf_attr_read(&attr, &c, SIZE_MAX, &size, NULL), APF_OK);
    assert_int_equal(perf_attrs_add(&d->attrs, &attr, NULL), APF_OK);
    d->d = (struct perf_decoder){.attrs = &d->attrs, .swap = c.swap};
    pb_free(&b);
}

static void close_decoder(struct decoded *d)
{
    perf_decoder_free(&d->d);
    perf_attrs_free(&d->attrs);
}

/* Decodes the first n bytes of a record, which say that they are a whole one, at an address that is a multiple of 8 and
 * so many bytes. */
static void decode_at(struct decoded *d, const struct pb *b, size_t n, size_t odd)
{
    static uint8_t *copy;
    free(copy);
    copy = malloc(n + odd);
    assert_non_null(copy);
    memcpy(copy + odd, b->p, n);
    struct perf_raw raw = {.p = copy + odd, .n = (uint16_t)n};
    raw.type = load32(copy + odd, d->d.swap);
    raw.misc = load16(copy + odd + 4, d->d.swap);
    d->what = perf_decode(&d->d, &raw, 0, &d->r);
    if (raw.type == 9 && d->what == PERF_DECODED)
        assert_int_equal(perf_decode_time(&d->attrs.list.data[0], &raw, d->d.swap), d->r.time);
    if (n == 8) { /* at the end of a test */
        free(copy);
        copy = NULL;
    }
}

static void decode(struct decoded *d, const struct pb *b, size_t n)
{
    decode_at(d, b, n, 1);
}

static void check_sample(const struct perf_record *r, const struct pb_attr *a)
{
    uint64_t t = a->sample_type;
    assert_int_equal(r->kind, PERF_SAMPLE);
    assert_int_equal(r->mode, 2);
    assert_int_equal(r->address, t & 1 ? IP : 0);
    assert_int_equal(r->pid, t & 2 ? 100 : UINT32_MAX);
    assert_int_equal(r->tid, t & 2 ? 101 : UINT32_MAX);
    assert_int_equal(r->time, t & 4 ? TIME : 0);
    assert_int_equal(r->data, t & 8 ? DATA : 0);
    assert_int_equal(r->cpu, t & 0x80 ? 3 : 0);
    assert_int_equal(r->period, t & 0x100 ? 4000 : a->flags & 1 << 10 ? 1 : a->period);
    assert_int_equal(r->n_chain, t & 0x20 ? 3 : 0);
    assert_int_equal(r->n_branches, t & 0x800 ? 2 : 0);
    assert_int_equal(r->fields, (t & 1 ? APF_PERF_HAS_ADDRESS : 0) | (t & 0x800 ? APF_PERF_HAS_BRANCHES : 0) |
                                    (t & 8 ? APF_PERF_HAS_DATA : 0) | (t & 0x20 ? APF_PERF_HAS_CHAIN : 0));
    for (size_t i = 0; i < r->n_branches; i++) {
        assert_int_equal(r->branches[i].from, IP + i);
        assert_int_equal(r->branches[i].to, DATA + i);
        assert_int_equal(r->branches[i].flags, APF_PERF_BRANCH_PREDICTED);
    }
    if (r->n_chain) {
        assert_int_equal(r->chain[0], (uint64_t)-512);
        assert_int_equal(r->chain[2], IP + 1);
    }
}

/* Every set of fields; every cut of some of them. */
static void samples(void **state)
{
    static const uint64_t bits[] = {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200, 0x400, 0x800, 0x10000};
    struct decoded d;
    (void)state;
    for (unsigned set = 0; set < 1u << COUNT(bits); set++) {
        struct pb_attr a = {.size = 112, .period = 99, .flags = set % 5 ? 0 : 1 << 10};
        struct pb b = {.big = set / 7 % 2};
        for (unsigned i = 0; i < COUNT(bits); i++)
            a.sample_type |= set >> i & 1 ? bits[i] : 0;
        a.read_format = set % 32;
        a.branch_type = branch_types[set / 3 % BRANCH_TYPES];
        open_decoder(&d, &a, b.big);
        size_t end = add_sample(&b, &a);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, PERF_DECODED);
        check_sample(&d.r, &a);
        decode(&d, &b, end); /* what follows is not looked at */
        check_sample(&d.r, &a);
        for (size_t n = end - 1; n >= 8 && n + 9 > end; n--) {
            decode(&d, &b, n);
            assert_int_equal(d.what, PERF_DECODED_SHORT);
        }
        for (size_t n = end - 1; set % 61 == 0 && n >= 8; n--) {
            decode(&d, &b, n);
            assert_int_equal(d.what, PERF_DECODED_SHORT);
        }
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

static void every_read_format(void **state)
{
    struct decoded d;
    (void)state;
    for (unsigned format = 0; format < 64; format++) {
        struct pb_attr a = {.size = 112, .sample_type = 0x830, .read_format = format % 32, .branch_type = 8};
        struct pb b = {.big = format >= 32};
        open_decoder(&d, &a, b.big);
        size_t end = add_sample(&b, &a);
        decode(&d, &b, end);
        assert_int_equal(d.what, PERF_DECODED);
        check_sample(&d.r, &a);
        decode(&d, &b, end - 1);
        assert_int_equal(d.what, PERF_DECODED_SHORT);
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

/* Numbers of entries that multiplied by their size would be small. */
static void huge_numbers(void **state)
{
    static const uint64_t types[] = {0x10, 0x20, 0x800};
    static const uint64_t numbers[] = {
        5, 1 << 20, (uint64_t)1 << 61, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX / 24 + 1};
    struct decoded d;
    (void)state;
    for (size_t i = 0; i < COUNT(types) * COUNT(numbers); i++) {
        struct pb_attr a = {.size = 112, .sample_type = types[i / COUNT(numbers)], .read_format = 8};
        struct pb b = {.big = false};
        open_decoder(&d, &a, false);
        pb_begin(&b, 9, 2);
        pb_64(&b, numbers[i % COUNT(numbers)]);
        pb_zeros(&b, 32);
        pb_end(&b);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, PERF_DECODED_SHORT);
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

/* ---- branches ---- */

/* The fields of an entry from the first bit on: numbers of bits, and where a value goes. */
static const struct {
    unsigned first, n;
} fields[] = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 16}, {20, 4}, {24, 2}, {26, 4}, {30, 3}};

/* Flags as the machine that recorded writes them. */
static uint64_t recorded_flags(uint64_t flags, bool not_taken, bool big)
{
    uint64_t v = 0;
    flags |= (uint64_t)not_taken << 33;
    if (!big)
        return flags;
    for (size_t i = 0; i < COUNT(fields); i++)
        v |= (flags >> fields[i].first & (((uint64_t)1 << fields[i].n) - 1))
             << (64 - fields[i].first - fields[i].n);
    return v | (uint64_t)not_taken << 30;
}

/* Entries are used where they are only if they are aligned, of the host's byte order, and none is left out. */
static void branches_in_place(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        const bool big = i / 8 % 2, index = i / 16 % 2;
        const bool drop = i / 32;
        const unsigned odd = i % 8;
        struct pb_attr a = {.size = 112, .sample_type = 0x800, .branch_type = index ? 8 | 1 << 17 : 8};
        struct pb b = {.big = big};
        struct decoded d;
        open_decoder(&d, &a, big);
        pb_begin(&b, 9, 2);
        pb_64(&b, 3);
        if (index)
            pb_64(&b, 0);
        for (unsigned k = 0; k < 3; k++) {
            pb_64(&b, IP + k);
            pb_64(&b, DATA + k);
            pb_64(&b, recorded_flags(2, drop && k == 1, big));
        }
        pb_end(&b);
        decode_at(&d, &b, b.n, odd);
        const bool copied = d.r.branches == d.d.branches.data;
        assert_int_equal(d.what, PERF_DECODED);
        assert_int_equal(copied, big || HOST_BIG_ENDIAN || odd || drop);
        assert_int_equal(d.r.n_branches, drop ? 2 : 3);
        for (unsigned k = 0; k < d.r.n_branches; k++) {
            const unsigned from = drop && k ? 2 : k;
            assert_int_equal(d.r.branches[k].from, IP + from);
            assert_int_equal(d.r.branches[k].to, DATA + from);
            assert_int_equal(d.r.branches[k].flags, 2);
        }
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

static void branch_flags(void **state)
{
    struct pb_attr a = {.size = 112, .sample_type = 0x800, .branch_type = 8};
    uint64_t random = 7;
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        struct decoded d;
        struct pb b = {.big = i % 2};
        uint64_t want[5];
        size_t n = 0;
        open_decoder(&d, &a, b.big);
        pb_begin(&b, 9, 2);
        pb_64(&b, 5);
        for (unsigned k = 0; k < 5; k++) {
            bool not_taken = next_random(&random) % 4 == 0;
            uint64_t flags = i < 66 ? (uint64_t)1 << i / 2 : next_random(&random) & (((uint64_t)1 << 33) - 1);
            pb_64(&b, k);
            pb_64(&b, k);
            pb_64(&b, recorded_flags(flags, not_taken, b.big));
            if (!not_taken && (flags >> 24 & 3) != 1) /* 1: it was never executed */
                want[n++] = flags;
        }
        pb_end(&b);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, PERF_DECODED);
        assert_int_equal(d.r.n_branches, n);
        assert_int_equal(d.d.n_not_taken, 5 - n);
        assert_true(d.r.fields & APF_PERF_HAS_BRANCHES);
        for (size_t k = 0; k < n; k++)
            assert_int_equal(d.r.branches[k].flags, want[k]);
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

/* ---- processes ---- */

/* The end that records of the kernel have, by its table. */
static void add_end(struct pb *b, const struct pb_attr *a, uint64_t time)
{
    static const uint64_t order[] = {2, 4, 0x40, 0x200, 0x80, 0x10000};
    for (size_t i = 0; a->flags & PB_ID_ALL && i < COUNT(order); i++)
        if (a->sample_type & order[i])
            pb_64(b, order[i] == 4 ? time : 0x4141414141414141);
    pb_end(b);
}

static void add_mapping(struct pb *b, bool newer, uint16_t misc, const char *name, uint32_t protection)
{
    pb_begin(b, newer ? 10 : 1, misc);
    pb_32(b, 100);
    pb_32(b, 101);
    pb_64(b, IP);
    pb_64(b, 0x2000);
    pb_64(b, 0x3000);
    if (newer && misc & 1 << 14) {
        pb_8(b, 8);
        pb_zeros(b, 3);
        pb_bytes(b, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14", 20);
    } else if (newer) {
        pb_zeros(b, 24);
    }
    if (newer) {
        pb_32(b, protection);
        pb_32(b, 2);
    }
    pb_name(b, name);
}

static void check_mapping(const struct perf_record *r, const char *name, bool executable, size_t n_build)
{
    assert_int_equal(r->kind, PERF_MAPPING);
    assert_int_equal(r->pid, 100);
    assert_int_equal(r->tid, 101);
    assert_int_equal(r->start, IP);
    assert_int_equal(r->size, 0x2000);
    assert_int_equal(r->offset, 0x3000);
    assert_int_equal(r->executable, executable);
    assert_int_equal(r->path.n, strlen(name));
    assert_memory_equal(r->path.p, name, r->path.n);
    assert_int_equal(r->build_id.n, n_build);
    assert_memory_equal(r->build_id.bytes, "\1\2\3\4\5\6\7\10", n_build);
}

/* With every set of fields in the end of the record, which is no part of the name. */
static void mappings(void **state)
{
    static const uint64_t bits[] = {2, 4, 0x40, 0x200, 0x80, 0x10000, 1};
    static const char *const names[] = {"", "/a", "//anon12", "/a/path/of/some/length"};
    struct decoded d;
    (void)state;
    for (unsigned set = 0; set < 1024; set++) {
        struct pb_attr a = {.size = 64, .flags = set & 128 ? PB_ID_ALL : 0};
        struct pb b = {.big = set >> 8 & 1};
        bool newer = set >> 9 & 1;
        uint16_t misc = (uint16_t)(2 | (set % 3 == 0) << 13 | (set % 5 == 0) << 14);
        for (unsigned i = 0; i < COUNT(bits); i++)
            a.sample_type |= set >> i & 1 ? bits[i] : 0;
        open_decoder(&d, &a, b.big);
        add_mapping(&b, newer, misc, names[set % 4], set % 7 ? 5 : 3);
        size_t fixed = newer ? 72 : 40, end = b.n;
        add_end(&b, &a, TIME);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, PERF_DECODED);
        bool executable = !(misc & 1 << 13) && (!newer || set % 7);
        check_mapping(&d.r, names[set % 4], executable, newer && misc & 1 << 14 ? 8 : 0);
        bool timed = a.flags & PB_ID_ALL && a.sample_type & 4;
        assert_int_equal(d.r.time, timed ? TIME : 0);
        for (size_t n = fixed + (b.n - end) - 1; n >= 8; n--) {
            decode(&d, &b, n);
            assert_int_equal(d.what, PERF_DECODED_SHORT);
        }
        close_decoder(&d);
        pb_free(&b);
    }
}

static void tasks(void **state)
{
    struct decoded d;
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct pb_attr a = {.size = 64, .flags = PB_ID_ALL, .sample_type = 7};
        struct pb b = {.big = i % 2};
        uint64_t time = i % 3 == 0 ? 0 : i % 3 == 1 ? UINT64_MAX : TIME;
        open_decoder(&d, &a, b.big);
        pb_begin(&b, i < 6 ? 7 : 4, 0);
        pb_32(&b, 102);
        pb_32(&b, 100);
        pb_32(&b, 103);
        pb_32(&b, 100);
        pb_64(&b, time);
        size_t fixed = b.n;
        add_end(&b, &a, time);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, PERF_DECODED);
        assert_int_equal(d.r.kind, i < 6 ? PERF_FORK : PERF_EXIT);
        assert_int_equal(d.r.pid, 102);
        assert_int_equal(d.r.tid, 103);
        assert_int_equal(d.r.parent, 100);
        assert_int_equal(d.r.time, time == TIME ? TIME : 0);
        assert_int_equal(d.r.untimed, time != TIME);
        decode(&d, &b, b.n - 1);
        assert_int_equal(d.what, PERF_DECODED_SHORT);
        assert_int_equal(fixed, 32);
        b.n = 0;
        pb_begin(&b, 3, i % 2 ? 1 << 13 : 0); /* caused by exec, or the name of a thread */
        pb_32(&b, 100);
        pb_32(&b, 101);
        pb_name(&b, "program");
        add_end(&b, &a, TIME);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, i % 2 ? PERF_DECODED : PERF_DECODED_NOTHING);
        assert_true(i % 2 == 0 || (d.r.kind == PERF_EXEC && d.r.pid == 100));
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

/* Their length is valid if a bit says so; else zeros at the end are none of theirs. */
static void build_ids(void **state)
{
    struct decoded d;
    struct pb_attr a = {.size = 64};
    (void)state;
    for (unsigned n = 0; n <= 255; n++) {
        struct pb b = {.big = n % 2};
        bool said = n % 3 == 0;
        uint8_t id[20];
        memset(id, said ? 0xcd : 0, sizeof id);
        memset(id, 0xab, n < 20 ? n : 20);
        open_decoder(&d, &a, b.big);
        pb_begin(&b, 67, (uint16_t)(1 | said << 15));
        pb_32(&b, UINT32_MAX);
        pb_bytes(&b, id, 20);
        pb_8(&b, (uint8_t)n);
        pb_zeros(&b, 3);
        pb_name(&b, "[kernel.kallsyms]");
        pb_end(&b);
        decode(&d, &b, b.n);
        assert_int_equal(d.what, PERF_DECODED);
        assert_int_equal(d.r.kind, PERF_BUILD_ID);
        assert_int_equal(d.r.mode, 1);
        assert_int_equal(d.r.build_id.n, n < 20 ? n : 20);
        assert_int_equal(d.r.path.n, strlen("[kernel.kallsyms]"));
        decode(&d, &b, 35);
        assert_int_equal(d.what, PERF_DECODED_SHORT);
        decode(&d, &b, 8);
        close_decoder(&d);
        pb_free(&b);
    }
}

TEST_FILE(perf_decode)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples),      cmocka_unit_test(every_read_format),
        cmocka_unit_test(huge_numbers), cmocka_unit_test(branches_in_place),
        cmocka_unit_test(branch_flags), cmocka_unit_test(mappings),
        cmocka_unit_test(tasks),        cmocka_unit_test(build_ids),
    };
    return RUN_TESTS(tests);
}
