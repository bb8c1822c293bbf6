/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections that are made from probes. The expected bytes were made by llvm-mc 22 (sections 7.1 and 7.2 of the format's
 * description), or follow from the grammar. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "helpers/shared/unit.h"

#define LEAF 7399155579282764986u
#define MAIN 15822663052811949562u
#define TOP 18040073496307205042u
#define MID 0x3cfe43d709473822u
#define FOO 6699318081062747564u

static struct apf_probe_encoder *encoder(uint32_t big_endian)
{
    struct apf_probe_encoder *e;
    struct apf_probe_encoder_options options = {sizeof options, big_endian};
    assert_int_equal(apf_probe_encoder_new(&e, &options, NULL), APF_OK);
    return e;
}

static uint32_t add_function(struct apf_probe_encoder *e, uint64_t symbol, uint64_t address)
{
    uint32_t function;
    assert_int_equal(apf_probe_encoder_add_function(e, symbol, address, &function, NULL), APF_OK);
    return function;
}

static void add(struct apf_probe_encoder *e, uint32_t function, uint64_t guid, uint32_t id, uint8_t type,
                uint64_t address, const struct apf_probe_site *inlined, size_t n_inlined)
{
    struct apf_probe_entry entry = {.size = sizeof entry,
                                    .guid = guid,
                                    .address = address,
                                    .inlined = inlined,
                                    .n_inlined = n_inlined,
                                    .id = id,
                                    .type = type};
    assert_int_equal(apf_probe_encoder_add(e, function, &entry, NULL), APF_OK);
}

static void assert_section(struct apf_probe_encoder *e, const void *bytes, size_t n)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    assert_int_equal(apf_probe_encoder_write(e, &output, NULL), APF_OK);
    assert_int_equal(buffer.n, n);
    if (n)
        assert_memory_equal(buffer.data, bytes, n);
    apf_buffer_free(&buffer);
}

static void test_inlined_function(void **state)
{
    static const uint8_t expected[] = {
        0xfa, 0xd5, 0x8d, 0xe7, 0x36, 0x64, 0x95, 0xdb, 2,    0, 1, 0x80, 0,    2,    0x82, 9, /* main */
        0xb2, 0x83, 0x54, 0xb5, 0x43, 0x37, 0x5b, 0xfa, 3,    1, 1, 0x80, 0,    2,    0x80, 12,
        4,    0x80, 24, /* top */
        3,    0x22, 0x38, 0x47, 0x09, 0xd7, 0x43, 0xfe, 0x3c, 5, 0, 1,    0x80, 0x68, 2,    0x80,
        5,    3,    0x82, 2,    4,    0x80, 7,    5,    0x80, 3,              /* mid, in top */
        0xba, 0xb4, 0xff, 0x04, 0xcc, 0x14, 0xaf, 0x66, 1,    0, 1, 0x80, 0}; /* leaf */
    static const struct apf_probe_site in_top = {TOP, 3};
    struct apf_probe_encoder *e = encoder(0);
    (void)state;
    uint32_t f = add_function(e, MAIN, 0x201157);
    add(e, f, MAIN, 1, APF_PROBE_TYPE_BLOCK, 0x201157, NULL, 0);
    add(e, f, MAIN, 2, APF_PROBE_TYPE_DIRECT_CALL, 0x201160, NULL, 0);
    f = add_function(e, TOP, 0x201130);
    add(e, f, TOP, 1, APF_PROBE_TYPE_BLOCK, 0x201130, NULL, 0);
    add(e, f, TOP, 2, APF_PROBE_TYPE_BLOCK, 0x20113c, NULL, 0);
    add(e, f, MID, 1, APF_PROBE_TYPE_BLOCK, 0x20113c, &in_top, 1);
    add(e, f, MID, 2, APF_PROBE_TYPE_BLOCK, 0x201141, &in_top, 1);
    add(e, f, MID, 3, APF_PROBE_TYPE_DIRECT_CALL, 0x201143, &in_top, 1);
    add(e, f, MID, 4, APF_PROBE_TYPE_BLOCK, 0x20114a, &in_top, 1);
    add(e, f, MID, 5, APF_PROBE_TYPE_BLOCK, 0x20114d, &in_top, 1);
    add(e, f, TOP, 4, APF_PROBE_TYPE_BLOCK, 0x201154, NULL, 0);
    f = add_function(e, LEAF, 0x201120);
    add(e, f, LEAF, 1, APF_PROBE_TYPE_BLOCK, 0x201120, NULL, 0);
    assert_section(e, expected, sizeof expected);
    apf_probe_encoder_free(e);
}

static size_t append_guid(uint8_t *p, uint64_t guid)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(guid >> 8 * i);
    return 8;
}

/* A node's GUID, probes and children; its probes, all at distance 0, have the ids from `id`. */
static size_t append_node(uint8_t *p, uint64_t guid, uint8_t n_probes, uint8_t n_children, uint64_t sentinel,
                          uint8_t id)
{
    size_t n = append_guid(p, guid);
    p[n++] = (uint8_t)(n_probes + (sentinel != 0));
    p[n++] = n_children;
    if (sentinel) {
        p[n++] = 0;
        p[n++] = 0x20;
        n += append_guid(p + n, sentinel);
    }
    for (uint8_t i = 0; i < n_probes; i++) {
        p[n++] = id++;
        p[n++] = 0x80;
        p[n++] = i == 0 && sentinel ? 1 : 0;
    }
    return n;
}

/* Records and what is inlined ascend by GUID, then by call probe; a record of another function begins with the
 * sentinel. Vector 7.2, where every probe is after a nop. */
static void test_order(void **state)
{
    const uint64_t own = 837061429793323041u;
    const struct apf_probe_site at9 = {own, 9}, at3 = {own, 3}, at4 = {own, 4},
                                deep[] = {{own, 3}, {2222, 1}};
    struct apf_probe_encoder *e = encoder(0);
    uint8_t expected[512];
    size_t n = 0;
    (void)state;
    uint32_t f = add_function(e, FOO, 0x100);
    for (uint32_t id = 1; id <= 3; id++)
        add(e, f, own, id, 0, 0x101, NULL, 0);
    add(e, f, 1111, 1, 0, 0x101, &at9, 1);
    add(e, f, 2222, 1, 0, 0x101, &at3, 1);
    add(e, f, 1111, 1, 0, 0x101, &at4, 1);
    add(e, f, 2222, 2, 0, 0x101, &at3, 1);
    add(e, f, 3333, 1, 0, 0x101, deep, 2);
    add(e, f, 5, 1, 0, 0x101, NULL, 0);
    add(e, f, FOO, 7, 0, 0x101, NULL, 0);
    n += append_node(expected + n, 5, 1, 0, FOO, 1);
    n += append_node(expected + n, own, 3, 3, FOO, 1);
    expected[n++] = 4;
    n += append_node(expected + n, 1111, 1, 0, 0, 1);
    expected[n++] = 9;
    n += append_node(expected + n, 1111, 1, 0, 0, 1);
    expected[n++] = 3;
    n += append_node(expected + n, 2222, 2, 1, 0, 1);
    expected[n++] = 1;
    n += append_node(expected + n, 3333, 1, 0, 0, 1);
    n += append_node(expected + n, FOO, 1, 0, 0, 7);
    expected[n - 1] = 1; /* the first one of a record counts from the symbol */
    assert_section(e, expected, n);
    apf_probe_encoder_free(e);
}

/* "02 c0 00 80 b4 14": block with a discriminator; also one of 0, when that is asked for. */
static void test_discriminator(void **state)
{
    static const uint8_t expected[] = {0xba, 0xb4, 0xff, 0x04, 0xcc, 0x14, 0xaf, 0x66, 2, 0,
                                       2,    0xc0, 0,    0x80, 0xb4, 0x14, 3,    0xc0, 2, 0};
    struct apf_probe_encoder *e = encoder(0);
    struct apf_probe_entry entry = {.size = sizeof entry, .guid = LEAF, .id = 2, .discriminator = 334336};
    (void)state;
    uint32_t f = add_function(e, LEAF, 0);
    assert_int_equal(apf_probe_encoder_add(e, f, &entry, NULL), APF_OK);
    entry.id = 3;
    entry.address = 2;
    entry.discriminator = 0;
    entry.attributes = APF_PROBE_ATTRIBUTE_DISCRIMINATOR;
    assert_int_equal(apf_probe_encoder_add(e, f, &entry, NULL), APF_OK);
    assert_section(e, expected, sizeof expected);
    apf_probe_encoder_free(e);
}

static void test_descriptors(void **state)
{
    char name[130];
    uint8_t expected[16 + 2 + sizeof name] = {0, 0, 0, 0, 0, 0, 0, 5, 0x10, 0, 0, 0, 0, 0, 0, 7, 0x82, 1};
    struct apf_probe_encoder *e = encoder(1);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_str text = {name, sizeof name};
    (void)state;
    memset(name, 'x', sizeof name);
    memset(expected + 18, 'x', sizeof name);
    assert_int_equal(apf_probe_encoder_add_desc(e, 5, 0x1000000000000007, text, NULL), APF_OK);
    assert_int_equal(apf_probe_encoder_write_descs(e, &output, NULL), APF_OK);
    assert_int_equal(buffer.n, sizeof expected);
    assert_memory_equal(buffer.data, expected, sizeof expected);
    apf_buffer_free(&buffer);
    apf_probe_encoder_free(e);
}

/* What is refused leaves nothing behind. */
static void test_refused(void **state)
{
    static const struct apf_probe_site sites[] = {{TOP, 1}, {0, 1}};
    static const struct apf_probe_entry bad[] = {
        {.size = sizeof *bad, .guid = 0, .id = 1},
        {.size = sizeof *bad, .guid = LEAF, .inlined = sites, .n_inlined = 2},
        {.size = sizeof *bad, .guid = LEAF, .type = 16},
        {.size = sizeof *bad, .guid = LEAF, .attributes = 8},
        {.size = sizeof *bad, .guid = LEAF, .attributes = APF_PROBE_ATTRIBUTE_SENTINEL}};
    struct apf_probe_encoder *e = encoder(0);
    struct apf_error error;
    (void)state;
    uint32_t f = add_function(e, LEAF, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(apf_probe_encoder_add(e, f, &bad[i], &error), APF_ARGUMENT);
        assert_int_equal(error.code, APF_ARGUMENT);
    }
    struct apf_probe_entry good = {.size = sizeof good, .guid = LEAF};
    assert_int_equal(apf_probe_encoder_add(e, f + 1, &good, &error), APF_ARGUMENT);
    assert_int_equal(apf_probe_encoder_add_function(e, 0, 0, &f, &error), APF_ARGUMENT);
    assert_section(e, NULL, 0);
    apf_probe_encoder_free(e);
}

/* Calls nested 100,000 deep are written without as much stack, and read back as they are. */
static void test_deep(void **state)
{
    enum { DEPTH = 100000 };
    struct apf_probe_site *sites = calloc(DEPTH, sizeof *sites);
    struct apf_probe_encoder *e = encoder(0);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_probes *probes;
    (void)state;
    assert_non_null(sites);
    for (uint32_t i = 0; i < DEPTH; i++) {
        sites[i].guid = 1000 + i;
        sites[i].call_probe = i % 7;
    }
    add(e, add_function(e, 1000, 0), 77, 9, 0, 5, sites, DEPTH);
    assert_int_equal(apf_probe_encoder_write(e, &output, NULL), APF_OK);
    struct apf_input input = apf_input_memory(buffer.data, buffer.n, NULL);
    assert_int_equal(apf_probes_open_sections(&probes, &input, NULL, NULL, NULL), APF_OK);
    assert_int_equal(apf_probes_info(probes)->n_nodes, DEPTH + 1);
    const struct apf_probe_node *last = apf_probes_node(probes, DEPTH);
    assert_int_equal(last->guid, 77);
    assert_int_equal(last->depth, DEPTH);
    assert_int_equal(last->call_probe, (DEPTH - 1) % 7);
    assert_int_equal(apf_probes_probe(probes, 0)->address, 5);
    apf_probes_close(probes);
    apf_buffer_free(&buffer);
    apf_probe_encoder_free(e);
    free(sites);
}

/* More can be added after writing; functions are written one at a time, too. */
static void test_pieces(void **state)
{
    static const uint8_t first[] = {0xba, 0xb4, 0xff, 0x04, 0xcc, 0x14, 0xaf, 0x66, 1, 0, 1, 0x80, 0};
    static const uint8_t second[] = {7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x80, 0x7f};
    struct apf_probe_encoder *e = encoder(0);
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    (void)state;
    add(e, add_function(e, LEAF, 4), LEAF, 1, 0, 4, NULL, 0);
    assert_section(e, first, sizeof first);
    add(e, add_function(e, 7, 4), 7, 1, 0, 3, NULL, 0);
    assert_int_equal(apf_probe_encoder_write_function(e, 1, &output, NULL), APF_OK);
    assert_int_equal(buffer.n, sizeof second);
    assert_memory_equal(buffer.data, second, sizeof second);
    assert_int_equal(apf_probe_encoder_write_function(e, 2, &output, NULL), APF_ARGUMENT);
    apf_buffer_free(&buffer);
    apf_probe_encoder_free(e);
}

TEST_FILE(probe_encode)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inlined_function), cmocka_unit_test(test_order),
        cmocka_unit_test(test_discriminator),    cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_deep),
        cmocka_unit_test(test_pieces),
    };
    return RUN_TESTS(tests);
}
