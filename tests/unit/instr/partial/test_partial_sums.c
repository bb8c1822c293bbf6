/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums in a file: however inputs are grouped, and the groups joined, the bytes are those of all inputs at once. */
#include "instr/partial/partial_sums.h"

#include <stdio.h>
#include <string.h>

#include "helpers/shared/unit.h"

#define INPUTS 12u
#define MOST_RECORDS 30u
#define MOST_COUNTS 20u
#define MOST_SITES 6u
#define MOST_VALUES 12u

/* A random input, and the memory of its records. */
struct input {
    struct record records[MOST_RECORDS];
    struct record_extra extras[MOST_RECORDS];
    uint64_t counts[MOST_RECORDS][MOST_COUNTS], uniform[MOST_RECORDS][MOST_COUNTS];
    uint8_t bitmaps[MOST_RECORDS][8], bits[MOST_RECORDS][8];
    struct apf_site sites[MOST_RECORDS][MOST_SITES];
    struct apf_value values[MOST_RECORDS][MOST_SITES][MOST_VALUES];
    size_t n;
    uint64_t weight;
};

/* A count: small, or so large that sums are cut. */
static uint64_t random_count(uint64_t *random)
{
    const uint64_t r = next_random(random);
    return r % 10 == 0 ? COUNT_MAX / 2 + r % 9 : r % 17 == 0 ? COUNT_MAX + 2 : r % 1000;
}

/* Fills in the structure of a record: few, so that many are equal, and some differ in one number. */
static void make_structure(struct record *r, uint64_t *random)
{
    const uint64_t kind = next_random(random) % 7;
    r->id = next_random(random) % 9 * 0x1111111111111111u;
    r->hash = next_random(random) % 2;
    r->symbol = HASH_INDEX_NONE;
    r->n_counts = 1 + (uint32_t)(r->id % 5) + (kind == 1);
    r->n_bitmap = kind == 2 ? 8 : r->id % 3 == 0 ? 4 : 0;
    r->n_sites[0] = r->id % 2 ? 2 : 0;
    r->n_sites[1] = 1 + (kind == 3);
    r->n_sites[2] = r->id % 4 == 0;
    r->flags = kind == 4 ? APF_RECORD_PSEUDO : 0;
    r->flags |= r->n_bitmap && kind == 5 ? APF_RECORD_SPARSE_BITMAP : 0;
    r->flags |= r->n_bitmap && kind == 6 ? APF_RECORD_DENSE_BITMAP : 0;
}

static void make_values(struct input *in, size_t i, uint64_t *random)
{
    struct record *r = &in->records[i];
    const size_t n = record_site_count(r);
    for (size_t k = 0; k < n; k++) {
        struct apf_value *values = in->values[i][k];
        in->sites[i][k] = (struct apf_site){values, next_random(random) % MOST_VALUES};
        for (size_t v = 0; v < MOST_VALUES; v++) {
            values[v].value = next_random(random) % 20 << 40; /* some come twice */
            values[v].count = random_count(random);
        }
    }
    r->sites = next_random(random) % 5 ? in->sites[i] : NULL;
}

static void make_extra(struct input *in, size_t i, uint64_t *random)
{
    struct record *r = &in->records[i];
    const uint64_t kind = next_random(random) % 8;
    for (size_t k = 0; k < MOST_COUNTS; k++)
        in->uniform[i][k] = next_random(random) % 900;
    for (size_t k = 0; k < 8; k++)
        in->bits[i][k] = (uint8_t)next_random(random);
    in->extras[i] =
        (struct record_extra){0, kind == 1 ? in->uniform[i] : NULL, in->bits[i], kind == 2 ? 4 : 3};
    r->extra = kind < 3 ? &in->extras[i] : NULL;
}

static void make_input(struct input *in, uint64_t *random)
{
    memset(in, 0, sizeof *in);
    in->n = next_random(random) % (MOST_RECORDS + 1);
    in->weight = next_random(random) % 3 ? 1 : 1 + next_random(random) % 5;
    for (size_t i = 0; i < in->n; i++) {
        struct record *r = &in->records[i];
        make_structure(r, random);
        for (size_t k = 0; k < MOST_COUNTS; k++)
            in->counts[i][k] = random_count(random);
        for (size_t k = 0; k < 8; k++)
            in->bitmaps[i][k] = (uint8_t)(1u << next_random(random) % 8);
        r->counts = in->counts[i];
        r->bitmap = r->n_bitmap ? in->bitmaps[i] : NULL;
        make_values(in, i, random);
        make_extra(in, i, random);
    }
}

static void add_input(struct sum_table *table, const struct input *in, uint32_t number)
{
    const struct sum_table_input add = {
        .records = in->records, .n = in->n, .weight = in->weight, .input = number, .votes = in->weight};
    assert_int_equal(sum_table_add(table, &add, NULL), APF_OK);
}

/* Writes the sums of a table, of which some are of class 1 and others of class 7. */
static struct apf_buffer write_table(const struct sum_table *table)
{
    struct apf_buffer buffer = {0};
    const struct apf_output output = apf_output_buffer(&buffer);
    const struct sum *sums[2][2000];
    size_t n[2] = {0};
    struct partial_writer file;
    struct partial_sums_writer w = {.file = &file};
    struct file_out *out;
    for (unsigned i = 0; i < SUM_SHARDS; i++)
        for (size_t k = 0; k < table->shards[i].n_sums; k++) {
            const struct sum *s = &table->shards[i].blocks.data[k / SUM_BLOCK][k % SUM_BLOCK];
            sums[s->id % 2][n[s->id % 2]++] = s;
        }
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    partial_begin(&file, out, PARTIAL_INSTR, (struct apf_slice){0, 1});
    partial_section(&file, PARTIAL_SUMS);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(partial_sort_sums(sums[i], n[i]));
        for (size_t k = 0; k < n[i]; k++)
            assert_int_equal(partial_write_total(&w, i ? 7 : 1, &sums[i][k], 1, NULL), APF_OK);
    }
    assert_int_equal(partial_finish(&file, NULL), APF_OK);
    partial_sums_writer_free(&w);
    partial_writer_close(&file);
    assert_int_equal(file_out_finish(out, APF_OK, NULL), APF_OK);
    return buffer;
}

/* Reads sums and adds them to a table. */
static int read_table(struct sum_table *table, const uint8_t *p, size_t n, struct apf_error *error)
{
    const struct apf_input input = apf_input_memory(p, n, "test");
    struct partial_reader file;
    struct partial_sums_reader r = {.file = &file};
    struct classed_sum s;
    struct arena passing = {0}; /* nothing that was read stays */
    bool more = true;
    int code = partial_open(&file, &input, PARTIAL_INSTR, UINT64_MAX, error);
    while (code == APF_OK && more) {
        code = partial_read_sum(&r, &passing, &s, &more, error);
        if (code == APF_OK && more && s.class != (s.sum.id % 2 ? 7 : 1))
            fail_msg("class %u of %llx", s.class, (unsigned long long)s.sum.id);
        if (code == APF_OK && more)
            code = sum_table_join(table, &s.sum, 1, error);
        arena_free(&passing);
    }
    if (code == APF_OK)
        code = partial_end(&file, error);
    partial_reader_close(&file);
    return code;
}

static void expect_same(const struct apf_buffer *a, const struct apf_buffer *b, unsigned round)
{
    if (a->n != b->n || memcmp(a->data, b->data, a->n) != 0)
        fail_msg("round %u: %zu and %zu bytes", round, a->n, b->n);
}

/* Makes a file of each input, and joins them in a tree that is drawn by lot. */
static struct apf_buffer join_all(const struct input *inputs, unsigned n, uint64_t *random)
{
    struct apf_buffer files[INPUTS];
    for (unsigned i = 0; i < n; i++) {
        struct sum_table *table = sum_table_new();
        add_input(table, &inputs[i], i);
        files[i] = write_table(table);
        sum_table_free(table);
    }
    while (n > 1) {
        struct arena arena = {0};
        struct sum_table *table = sum_table_new();
        unsigned take = 2 + (unsigned)(next_random(random) % 3);
        for (; take && n > 0; take--) {
            const unsigned which = (unsigned)(next_random(random) % n);
            assert_int_equal(read_table(table, files[which].data, files[which].n, NULL), APF_OK);
            apf_buffer_free(&files[which]);
            files[which] = files[--n];
        }
        files[n++] = write_table(table);
        sum_table_free(table);
        arena_free(&arena);
    }
    return files[0];
}

static void test_any_tree(void **state)
{
    static struct input inputs[INPUTS];
    uint64_t random = 5;
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        const unsigned n = 1 + (unsigned)(next_random(&random) % INPUTS);
        struct sum_table *table = sum_table_new();
        for (unsigned i = 0; i < n; i++) {
            make_input(&inputs[i], &random);
            add_input(table, &inputs[i], i);
        }
        struct apf_buffer all = write_table(table), joined = join_all(inputs, n, &random);
        expect_same(&all, &joined, round);
        apf_buffer_free(&all);
        apf_buffer_free(&joined);
        sum_table_free(table);
    }
}

/* A sum of a single input keeps its values in their order, with those that it has twice. */
static void test_single(void **state)
{
    static struct input in;
    static const struct apf_value values[] = {{9, 1}, {3, 2}, {9, 4}};
    static const struct apf_site site = {values, 3};
    uint64_t random = 1;
    struct arena arena = {0};
    struct sum_table *table = sum_table_new(), *again = sum_table_new();
    (void)state;
    make_input(&in, &random);
    in.n = 1;
    in.weight = 2;
    in.records[0].id = 2;
    memset(in.records[0].n_sites, 0, sizeof in.records[0].n_sites);
    in.records[0].n_sites[1] = 1;
    in.records[0].sites = &site;
    add_input(table, &in, 4);
    struct apf_buffer buffer = write_table(table);
    assert_int_equal(read_table(again, buffer.data, buffer.n, NULL), APF_OK);
    const struct sum_shard *shard = &again->shards[0];
    assert_int_equal(shard->n_sums, 1);
    const struct sum *s = &shard->blocks.data[0][0];
    assert_int_equal(s->adds, 1);
    assert_int_equal(s->weight, 2);
    assert_int_equal(s->input, 4);
    assert_int_equal(s->first[0].n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s->first[0].values[i].value, values[i].value);
        assert_int_equal(s->first[0].values[i].count, 2 * values[i].count);
    }
    apf_buffer_free(&buffer);
    arena_free(&arena);
    sum_table_free(table);
    sum_table_free(again);
}

/* Sites without values cost memory that nothing in the file stands for: of many, each has its number of values. */
static void test_many_sites(void **state)
{
    static struct input in;
    (void)state;
    for (uint32_t n_sites = 65535; n_sites <= 65536; n_sites++) {
        uint64_t random = 1;
        struct sum_table *table = sum_table_new(), *again = sum_table_new();
        make_input(&in, &random);
        in.n = 1;
        in.records[0].id = 2;
        memset(in.records[0].n_sites, 0, sizeof in.records[0].n_sites);
        in.records[0].n_sites[1] = n_sites;
        in.records[0].sites = NULL;
        add_input(table, &in, 4);
        struct apf_buffer buffer = write_table(table), copy;
        struct partial_reader file;
        bool more;
        const struct apf_input input = apf_input_memory(buffer.data, buffer.n, "test");
        assert_int_equal(partial_open(&file, &input, PARTIAL_INSTR, UINT64_MAX, NULL), APF_OK);
        assert_int_equal(partial_next(&file, PARTIAL_SUMS, &more, NULL), APF_OK);
        assert_int_equal(cursor_left(&file.c) > 65536, n_sites > 65535);
        partial_reader_close(&file);
        assert_int_equal(read_table(again, buffer.data, buffer.n, NULL), APF_OK);
        copy = write_table(again);
        expect_same(&buffer, &copy, n_sites);
        apf_buffer_free(&buffer);
        apf_buffer_free(&copy);
        sum_table_free(table);
        sum_table_free(again);
    }
}

/* Records that a checksum does not show to be wrong: any byte may be any other. */
static void test_damage(void **state)
{
    static struct input in;
    uint64_t random = 77;
    unsigned good = 0;
    struct sum_table *table = sum_table_new();
    (void)state;
    make_input(&in, &random);
    add_input(table, &in, 0);
    struct apf_buffer buffer = write_table(table);
    uint8_t *p = buffer.data, *head = p + PARTIAL_HEADER_BYTES, plain[20000];
    const size_t n = load32(head + 8, HOST_BIG_ENDIAN), n_stored = load32(head + 4, HOST_BIG_ENDIAN);
    struct partial_reader r;
    bool more;
    const struct apf_input input = apf_input_memory(p, buffer.n, "test");
    assert_int_equal(partial_open(&r, &input, PARTIAL_INSTR, UINT64_MAX, NULL), APF_OK);
    assert_int_equal(partial_next(&r, PARTIAL_SUMS, &more, NULL), APF_OK);
    assert_int_equal(cursor_left(&r.c), n);
    memcpy(plain + PARTIAL_HEADER_BYTES + PARTIAL_HEAD_BYTES, r.c.p, n);
    memcpy(plain, p, PARTIAL_HEADER_BYTES + PARTIAL_HEAD_BYTES);
    partial_reader_close(&r);
    assert_true(n_stored < n && n < sizeof plain - 100);
    head = plain + PARTIAL_HEADER_BYTES;
    head[1] = PARTIAL_PLAIN;
    store32le(head + 4, (uint32_t)n);
    uint8_t *records = head + PARTIAL_HEAD_BYTES;
    for (unsigned round = 0; round < 40000; round++) {
        const size_t at = next_random(&random) % n;
        const uint8_t old = records[at];
        records[at] = (uint8_t)next_random(&random);
        store64le(head + 16, partial_checksum(head, 16, records, n));
        struct arena arena = {0};
        struct sum_table *damaged = sum_table_new();
        struct apf_error error;
        struct partial_reader file;
        struct partial_sums_reader sums = {.file = &file};
        struct classed_sum s;
        const struct apf_input bytes =
            apf_input_memory(plain, PARTIAL_HEADER_BYTES + PARTIAL_HEAD_BYTES + n, "x");
        int code = partial_open(&file, &bytes, PARTIAL_INSTR, UINT64_MAX, &error);
        for (more = true; code == APF_OK && more && file.n_records + (file.n_blocks == 0);) {
            code = partial_read_sum(&sums, &arena, &s, &more, &error);
            if (code == APF_OK && more)
                assert_int_equal(sum_table_join(damaged, &s.sum, 1, &error), APF_OK);
        }
        assert_true(code == APF_OK || code == APF_BAD_PARTIAL);
        good += code == APF_OK;
        partial_reader_close(&file);
        sum_table_free(damaged);
        arena_free(&arena);
        records[at] = old;
    }
    assert_true(good > 1000 && good < 39000);
    apf_buffer_free(&buffer);
    sum_table_free(table);
}

TEST_FILE(partial_sums)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_tree),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_many_sites),
        cmocka_unit_test(test_damage),
    };
    return RUN_TESTS(tests);
}
