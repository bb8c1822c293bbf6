/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events: struct perf_event_attr of every size and byte order, names, and the event of a record. */
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/perf_bytes.h"
#include "perf/perf_attr.h"

#define RECORD_SAMPLE 9u
#define RECORD_MMAP 1u

static int read_attr(const struct pb *b, size_t limit, struct perf_attr *attr, size_t *size,
                     struct apf_error *error)
{
    struct cursor c = cursor_make_at(b->p, b->n, 1000, b->big != (bool)HOST_BIG_ENDIAN);
    int code = perf_attr_read(attr, &c, limit, size, error);
    if (code == APF_OK)
        assert_int_equal(c.p - b->p, *size);
    return code;
}

/* Fields after the end of an older structure are 0. */
static void sizes(void **state)
{
    static const uint32_t known[] = {0, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 4096};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(known); i++) {
        struct pb b = {.big = i % 2};
        struct pb_attr a = {.type = 4,
                            .size = known[i / 2],
                            .config = 0x123456789abcdef0,
                            .period = 0x1122334455667788,
                            .sample_type = 0x0807060504030201,
                            .read_format = 31,
                            .flags = PB_ID_ALL | 1 << 10,
                            .branch_type = 0x908,
                            .regs_user = 0xff,
                            .regs_intr = 0xf0f};
        struct perf_attr got;
        size_t size, n = a.size ? a.size : 64;
        pb_attr(&b, &a);
        assert_int_equal(read_attr(&b, SIZE_MAX, &got, &size, NULL), APF_OK);
        assert_int_equal(size, n);
        assert_int_equal(got.type, 4);
        assert_int_equal(got.config, a.config);
        assert_int_equal(got.period, a.period);
        assert_int_equal(got.sample_type, a.sample_type);
        assert_int_equal(got.read_format, 31);
        assert_int_equal(got.flags, a.flags);
        assert_true(got.frequency && got.id_all);
        assert_int_equal(got.branch_type, n >= 80 ? a.branch_type : 0);
        assert_int_equal(got.regs_user, n >= 88 ? a.regs_user : 0);
        assert_int_equal(got.regs_intr, n >= 104 ? a.regs_intr : 0);
        pb_free(&b);
    }
}

static void bad_sizes(void **state)
{
    (void)state;
    for (uint32_t size = 1; size < 200; size++) {
        struct pb b = {.big = size % 2};
        struct pb_attr a = {.size = size};
        struct perf_attr got;
        struct apf_error error;
        size_t n;
        pb_attr(&b, &a);
        pb_zeros(&b, 200);
        int code = read_attr(&b, 128, &got, &n, &error);
        assert_int_equal(code, size < 64 || size > 128 ? APF_BAD_RECORDING : APF_OK);
        if (code != APF_OK) {
            assert_string_equal(error.where, "perf.attr.size");
            assert_int_equal(error.offset, 1004);
            assert_int_equal(error.found, size);
        }
        b.n = 63;
        assert_int_equal(read_attr(&b, 128, &got, &n, &error), APF_BAD_RECORDING);
        pb_free(&b);
    }
}

/* Each flag has its own number, from the lowest bit on or from the highest. */
static void flags(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 128; bit++) {
        struct pb b = {.big = bit >= 64};
        struct pb_attr a = {.size = 64, .flags = (uint64_t)1 << bit % 64};
        struct perf_attr got;
        size_t size;
        pb_attr(&b, &a);
        assert_int_equal(read_attr(&b, 64, &got, &size, NULL), APF_OK);
        assert_int_equal(got.flags, a.flags);
        assert_int_equal(got.frequency, bit % 64 == 10);
        assert_int_equal(got.id_all, bit % 64 == 18);
        pb_free(&b);
    }
}

/* ---- names ---- */

static void add(struct perf_attrs *attrs, const struct pb_attr *a)
{
    struct pb b = {.n = 0};
    struct perf_attr attr;
    size_t size;
    pb_attr(&b, a);
    assert_int_equal(read_attr(&b, SIZE_MAX, &attr, &size, NULL), APF_OK);
    assert_int_equal(perf_attrs_add(attrs, &attr, NULL), APF_OK);
    pb_free(&b);
}

static void assert_name(const struct perf_attrs *attrs, size_t i, const char *name)
{
    struct apf_str got = attrs->list.data[i].name;
    assert_int_equal(got.n, strlen(name));
    assert_memory_equal(got.p, name, got.n);
}

#define USER (1u << 5 | 1u << 6) /* excludes the kernel and the hypervisor */
#define GUEST (1u << 20)         /* excludes guests, which is usual where nothing else is said */

/* What perf evlist prints for events without a name. */
static void names(void **state)
{
    static const struct {
        struct pb_attr attr;
        const char *name;
    } rows[] = {
        {{.type = 0, .config = 0, .flags = GUEST}, "cycles"},
        {{.type = 0, .config = 9, .flags = USER}, "ref-cycles:u"},
        {{.type = 0, .config = 1, .flags = 1u << 4 | 1u << 6}, "instructions:k"},
        {{.type = 0, .config = 5, .flags = USER | 2u << 15}, "branch-misses:upp"},
        {{.type = 0, .config = 10, .flags = GUEST}, "type 0 config 0xa"},
        {{.type = 1, .config = 0, .flags = USER}, "cpu-clock:u"},
        {{.type = 1, .config = 9, .flags = GUEST}, "dummy"},
        {{.type = 4, .config = 0x1c4, .flags = USER}, "raw 0x1c4:u"},
    };
    struct perf_attrs attrs = {.sample_id_at = 0};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        add(&attrs, &rows[i].attr);
        assert_name(&attrs, i, rows[i].name);
    }
    uint64_t changes = attrs.changes;
    struct apf_str name = {"mine", 4}, other = {"other", 5}, none = {"", 0};
    assert_int_equal(perf_attrs_name(&attrs, 1, none, NULL), APF_OK);
    assert_name(&attrs, 1, "ref-cycles:u");
    assert_int_equal(perf_attrs_name(&attrs, 1, name, NULL), APF_OK);
    assert_int_equal(perf_attrs_name(&attrs, 1, other, NULL), APF_OK); /* the first name stays */
    assert_name(&attrs, 1, "mine");
    assert_int_equal(attrs.changes, changes + 1);
    perf_attrs_free(&attrs);
}

static void too_many(void **state)
{
    struct perf_attrs attrs = {.sample_id_at = 0};
    struct perf_attr attr = {.type = 1};
    struct apf_error error;
    (void)state;
    for (size_t i = 0; i < 4096; i++)
        assert_int_equal(perf_attrs_add(&attrs, &attr, NULL), APF_OK);
    assert_int_equal(perf_attrs_add(&attrs, &attr, &error), APF_LIMIT);
    assert_int_equal(attrs.list.n, 4096);
    perf_attrs_free(&attrs);
}

/* ---- the event of a record ---- */

/* A record whose words of 8 bytes are numbered, but for one, which counts from the end if it is negative. */
static uint32_t event_of(const struct perf_attrs *attrs, uint32_t type, size_t n, int word, uint64_t id)
{
    struct pb b = {.big = id % 2};
    pb_begin(&b, type, 0);
    for (size_t at = 8; at + 8 <= n; at += 8)
        pb_64(&b, 1000 + at);
    pb_zeros(&b, n - b.n);
    pb_end(&b);
    if (word)
        pb_put_64(&b, word > 0 ? 8 * (size_t)word : n - 8 * (size_t)-word, id);
    uint32_t event = perf_attrs_of(attrs, b.p, n, type, b.big != (bool)HOST_BIG_ENDIAN);
    pb_free(&b);
    return event;
}

static struct perf_attrs two_events(uint64_t first, uint64_t second, uint64_t flag)
{
    struct perf_attrs attrs = {.sample_id_at = 0};
    struct pb_attr a = {.sample_type = first, .flags = flag}, b = {.sample_type = second, .flags = flag};
    add(&attrs, &a);
    add(&attrs, &b);
    assert_int_equal(perf_attrs_add_id(&attrs, 51, 0, NULL), APF_OK);
    assert_int_equal(perf_attrs_add_id(&attrs, 52, 1, NULL), APF_OK);
    assert_int_equal(perf_attrs_add_id(&attrs, 53, 1, NULL), APF_OK);
    assert_int_equal(perf_attrs_add_id(&attrs, 51, 1, NULL), APF_OK); /* the first event keeps it */
    return attrs;
}

/* Every set of fields before and after the id, in samples and in the ends of other records. */
static void places_of_ids(void **state)
{
    static const uint64_t before[] = {1, 2, 4, 8},
                          after[] = {0x80, 0x200}; /* IP, TID, TIME, ADDR; CPU, STREAM_ID */
    (void)state;
    for (unsigned set = 0; set < 128; set++) {
        uint64_t type = set & 64 ? 0x10000 : 0x40;
        int at = 1, end = 1;
        for (unsigned i = 0; i < 4; i++) {
            type |= set >> i & 1 ? before[i] : 0;
            at += set >> i & 1 && !(set & 64);
        }
        for (unsigned i = 0; i < 2; i++) {
            type |= set >> (4 + i) & 1 ? after[i] : 0;
            end += set >> (4 + i) & 1 && !(set & 64);
        }
        struct perf_attrs attrs = two_events(type, type | 0x100, PB_ID_ALL);
        for (uint64_t id = 50; id < 55; id++) {
            uint32_t want = id == 51 ? 0 : id == 52 || id == 53 ? 1 : UINT32_MAX;
            assert_int_equal(event_of(&attrs, RECORD_SAMPLE, 80, at, id), want);
            assert_int_equal(event_of(&attrs, RECORD_MMAP, 80, -end, id), want);
            assert_int_equal(event_of(&attrs, RECORD_MMAP, 8 + 8 * (size_t)end, -end, id), want);
        }
        assert_int_equal(event_of(&attrs, RECORD_SAMPLE, 80, at, 0), UINT32_MAX);
        assert_int_equal(event_of(&attrs, RECORD_MMAP, 80, -end, 0), 0); /* made up by perf */
        assert_int_equal(event_of(&attrs, RECORD_SAMPLE, 8 * (size_t)at, 0, 0), UINT32_MAX);
        assert_int_equal(event_of(&attrs, RECORD_MMAP, 8 * (size_t)end, 0, 0), UINT32_MAX);
        perf_attrs_free(&attrs);
    }
}

/* Events that do not agree on the place of the id, or have none: all records are of the first. */
static void events_without_ids(void **state)
{
    (void)state;
    static const uint64_t types[][2] = {
        {0x40, 0x41}, {0x40, 0x10000 | 1 << 20 | 1}, {0x40, 1}, {1, 0x40}, {1, 1}};
    for (size_t i = 0; i < COUNT(types); i++) {
        struct perf_attrs attrs = two_events(types[i][0], types[i][1], 0);
        if (i != 1)
            assert_int_equal(event_of(&attrs, RECORD_SAMPLE, 80, 1, 52), 0);
        assert_int_equal(event_of(&attrs, RECORD_MMAP, 80, -1, 52), 0); /* nor do other records have an end */
        struct pb_attr third = {.sample_type = types[i][0]};
        add(&attrs, &third);
        if (i != 1)
            assert_int_equal(event_of(&attrs, RECORD_SAMPLE, 80, 1, 52), 0);
        perf_attrs_free(&attrs);
    }
    struct perf_attrs one = {.sample_id_at = 0};
    assert_int_equal(event_of(&one, RECORD_SAMPLE, 80, 1, 52), UINT32_MAX);
    assert_int_equal(perf_attrs_find(&one, 1), UINT32_MAX);
    struct pb_attr alone = {.sample_type = 0x40};
    add(&one, &alone);
    assert_int_equal(event_of(&one, RECORD_SAMPLE, 8, 0, 0), 0); /* whatever it has */
    assert_int_equal(event_of(&one, RECORD_SAMPLE, 80, 1, 99), 0);
    perf_attrs_free(&one);
}

TEST_FILE(perf_attr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(bad_sizes),
        cmocka_unit_test(flags),
        cmocka_unit_test(names),
        cmocka_unit_test(too_many),
        cmocka_unit_test(places_of_ids),
        cmocka_unit_test(events_without_ids),
    };
    return RUN_TESTS(tests);
}
