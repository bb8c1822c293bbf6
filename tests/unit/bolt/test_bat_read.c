/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BAT sections of each encoding: reading, writing, and the errors of damage. The bytes are those of
 * tests/oracle/_bat.py, which knows nothing of anyprof. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/bat.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/unit.h"

#define MOST 512

/* A function; another one, of which a fragment is below everything else and has an instruction in yet another place
 * last, and whose blocks are numbered downwards; a fragment without entries. */
static const char current[] =
    "02 80808003 39f0ed6c9db4c959 01 00 02 02 02 00 000040ff65670000 00 1b 07 8877665544332211 05 02 06 02 "
    "02 00"
    "0100000000000000 00 05 01 35 0300000000000000 03 02 60 0200000000000000 feffffffffffffffff01 01 05 17 "
    "fb00"
    "0900000000000000 03 04 5c 02 befffbffffffffffff01 01 30 04 02 02 00 0400000000000000 02 04 02 57"
    "0300000000000000 01 eaffffff0f c300 9080c480f0ffffffff01 ffffffffffffffffff01 00 00 00";
static const char fixed[] =
    "04000000 00005f0000000000 04000000 00000000 30000000 04000000 34000080 06000000 20000000 f0ffffff "
    "41000080"
    "0000600000000000 02000000 00000000 00000000 1b000000 1b000080 2200600000000000 06000000 00000000 "
    "00000000"
    "05000000 05000080 06000000 20000000 08000000 10000000 09000000 12000080 20000000 50000000 "
    "0000700000000000"
    "00000000 02000000 00005f0000000000 2200600000000000 0000700000000000 0000600000000000";
static const char bolt_18[] = "02 80808003 02 00 00 1b 37 07 06 00 00 05 0b 01 35 02 60 01 05 17 fb00 02"
                              "befffbffffffffffff01 00 04 00 e000 04 09 02 57 eaffffff0f c300"
                              "9080c480f0ffffffff01 01 00";

struct section {
    uint8_t bytes[MOST];
    size_t n;
};

/* A note around a payload. */
static struct section make(const char *payload)
{
    struct section s = {{0}, 0};
    size_t n = hex_bytes(s.bytes + 20, MOST - 24, payload);
    eb_store(s.bytes, 5, 4, false);
    eb_store(s.bytes + 4, n, 4, false);
    eb_store(s.bytes + 8, 1, 4, false);
    memcpy(s.bytes + 12, "BOLT", 4);
    s.n = 20 + (n + 3) / 4 * 4;
    return s;
}

static int open_section(struct apf_bat **bat, const struct section *s, struct apf_error *error)
{
    struct apf_input input = apf_input_memory(s->bytes, s->n, "section");
    return apf_bat_open(bat, &input, NULL, error);
}

static struct apf_bat *open_good(const char *payload)
{
    struct section s = make(payload);
    struct apf_bat *bat;
    assert_int_equal(open_section(&bat, &s, NULL), APF_OK);
    return bat;
}

struct expected {
    uint32_t output, input, flags, block;
    uint64_t hash;
};

static void assert_entries(const struct apf_bat *bat, size_t fragment, const struct expected *expected,
                           size_t n)
{
    const struct apf_bat_fragment *f = apf_bat_fragment(bat, fragment);
    bool hashes = apf_bat_info(bat)->encoding == APF_BAT_ENCODING_CURRENT;
    assert_int_equal(f->n_entries, n);
    for (size_t i = 0; i < n; i++) {
        const struct apf_bat_entry *e = apf_bat_entry(bat, f->first_entry + i);
        assert_int_equal(e->output, expected[i].output);
        assert_int_equal(e->input, expected[i].input);
        assert_int_equal(e->flags, expected[i].flags);
        assert_int_equal(e->block, hashes ? expected[i].block : 0);
        assert_int_equal(e->hash, hashes ? expected[i].hash : 0);
    }
}

static void assert_fragments(const struct apf_bat *bat)
{
    static const struct expected first[] = {{0, 0, 0, 0, 0x6765ff400000}, {0x1b, 0x1b, 1, 0, 0}};
    static const struct expected second[] = {{0, 0, 0, 0, 1},    {5, 5, 1, 0, 0},    {6, 0x20, 0, 3, 3},
                                             {8, 0x10, 0, 1, 2}, {9, 0x12, 1, 0, 0}, {0x20, 0x50, 0, 4, 9}};
    static const struct expected cold[] = {
        {0, 0x30, 0, 2, 4}, {4, 0x34, 1, 0, 0}, {6, 0x20, 0, 3, 3}, {0xfffffff0, 0x41, 1, 0, 0}};
    static const uint64_t addresses[] = {0x600000, 0x600022, 0x5f0000, 0x700000};
    assert_int_equal(apf_bat_info(bat)->n_hot, 2);
    assert_int_equal(apf_bat_info(bat)->n_cold, 2);
    assert_int_equal(apf_bat_info(bat)->n_entries, 12);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(apf_bat_fragment(bat, i)->address, addresses[i]);
        assert_int_equal(apf_bat_fragment(bat, i)->is_cold, i > 1);
    }
    assert_null(apf_bat_fragment(bat, 4));
    assert_null(apf_bat_entry(bat, 12));
    assert_int_equal(apf_bat_fragment_by_address(bat, 0), 2);
    assert_int_equal(apf_bat_fragment_by_address(bat, 1), 0);
    assert_int_equal(apf_bat_fragment_by_address(bat, 4), APF_BAT_NONE);
    assert_entries(bat, 0, first, 2);
    assert_entries(bat, 1, second, 6);
    assert_entries(bat, 2, cold, 4);
    assert_entries(bat, 3, NULL, 0);
}

/* Writes the table that was read. */
static void assert_written(const struct apf_bat *bat, const struct section *expected)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_bat_write(bat, 0, &output, NULL), APF_OK);
    assert_int_equal(out.n, expected->n);
    assert_memory_equal(out.data, expected->bytes, out.n);
    apf_buffer_free(&out);
}

static void test_current(void **state)
{
    (void)state;
    struct section s = make(current);
    struct apf_bat *bat = open_good(current);
    const struct apf_bat_fragment *f = apf_bat_fragment(bat, 1);
    assert_int_equal(apf_bat_info(bat)->encoding, APF_BAT_ENCODING_CURRENT);
    assert_int_equal(apf_bat_info(bat)->rest_bytes, 0);
    assert_fragments(bat);
    assert_int_equal(apf_bat_fragment(bat, 0)->hash, 0x59c9b49d6cedf039);
    assert_int_equal(f->hash, 0x1122334455667788);
    assert_int_equal(f->n_blocks, 5);
    assert_int_equal(f->n_equal, 2);
    assert_int_equal(f->n_secondary, 2);
    assert_int_equal(apf_bat_secondary(bat, f->first_secondary), 4);
    assert_int_equal(apf_bat_secondary(bat, f->first_secondary + 1), 0x60);
    assert_int_equal(apf_bat_secondary(bat, 2), 0);
    assert_int_equal(apf_bat_fragment(bat, 2)->function, 1);
    assert_int_equal(apf_bat_fragment(bat, 2)->skew, 0x30);
    assert_int_equal(apf_bat_fragment(bat, 3)->function, 0);
    assert_int_equal(apf_bat_fragment(bat, 0)->offset, 21);
    assert_int_equal(apf_bat_fragment(bat, 0)->bytes, 28);
    assert_int_equal(apf_bat_entry(bat, 0)->offset, 38);
    assert_int_equal(apf_bat_entry(bat, 0)->bytes, 10);
    assert_int_equal(apf_bat_find_block(bat, 1, 0x20)->offset,
                     apf_bat_entry(bat, 4)->offset); /* the hot one */
    assert_int_equal(apf_bat_find_block(bat, 1, 0x30)->hash, 4);
    assert_null(apf_bat_find_block(bat, 1, 0x34));
    assert_null(apf_bat_find_block(bat, 2, 0x30));
    assert_written(bat, &s);
    apf_bat_close(bat);
}

/* Fields that older tables lack are written as 0. */
static void test_fixed(void **state)
{
    (void)state;
    struct apf_bat *bat = open_good(fixed);
    assert_int_equal(apf_bat_info(bat)->encoding, APF_BAT_ENCODING_FIXED);
    assert_fragments(bat);
    assert_int_equal(apf_bat_fragment(bat, 2)->function, 1);
    assert_int_equal(apf_bat_fragment(bat, 3)->function, 0);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_bat_write(bat, 0, &output, NULL), APF_OK);
    apf_bat_close(bat);
    struct apf_input input = apf_input_memory(out.data, out.n, "section");
    assert_int_equal(apf_bat_open(&bat, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_bat_info(bat)->encoding, APF_BAT_ENCODING_CURRENT);
    assert_int_equal(apf_bat_fragment(bat, 2)->skew, 0x30);
    assert_int_equal(apf_bat_fragment(bat, 1)->hash, 0);
    assert_int_equal(apf_bat_entry(bat, 7)->input, 0x50);
    assert_int_equal(apf_bat_entry(bat, 7)->hash, 0);
    apf_bat_close(bat);
    apf_buffer_free(&out);
}

static void test_18(void **state)
{
    (void)state;
    struct apf_bat *bat = open_good(bolt_18);
    struct apf_output output = apf_output_file("/dev/null");
    assert_int_equal(apf_bat_info(bat)->encoding, APF_BAT_ENCODING_LEB);
    assert_fragments(bat);
    assert_int_equal(apf_bat_fragment(bat, 2)->function, APF_BAT_NONE);
    assert_int_equal(apf_bat_write(bat, 0, &output, NULL), APF_NOT_REPRESENTABLE);
    assert_int_equal(apf_bat_write(bat, APF_BAT_WRITE_AS_STORED, &output, NULL), APF_OK);
    apf_bat_close(bat);
}

/* ---- damage ---- */

static void assert_wrong(const struct section *s, int code, const char *message)
{
    struct apf_error error;
    struct apf_bat *bat;
    assert_int_equal(open_section(&bat, s, &error), code);
    assert_null(bat);
    if (message)
        assert_string_equal(error.message, message);
}

#define WRONG "failed to parse BOLT address translation table"

static void test_notes(void **state)
{
    (void)state;
    struct section s = make(current);
    s.n = 19;
    assert_wrong(&s, APF_NO_BAT, "no BAT table found: neither an ELF file nor the section alone");
    s.n = 0;
    assert_wrong(&s, APF_NO_BAT, NULL);
    s = make(current);
    s.bytes[8] = 2;
    assert_wrong(&s, APF_BAD_BAT,
                 WRONG ": another kind of note [bat.note.type at offset 8: found 2, expected 1]");
    s = make(current);
    s.bytes[4] = 0xff;
    assert_wrong(&s, APF_BAD_BAT,
                 WRONG ": more than the section has [bat.note.descsz at offset 4: found 255, expected 172]");
    s = make(current);
    s.bytes[0] = 3;
    assert_wrong(&s, APF_BAD_BAT,
                 WRONG ": not the size of the name BOLT [bat.note.namesz at offset 0: found 3, expected 5]");
    s = make("");
    assert_wrong(
        &s, APF_BAD_BAT,
        WRONG ": the table ends within it, or a number has more than 64 bits [bat.functions at offset 20]");
}

static void test_tables(void **state)
{
    static const struct {
        const char *payload, *message;
    } cases[] = {
        {"05 00", WRONG
         ": more items than fit in the section [bat.functions at offset 20: found 5, expected at most 0]"},
        {"00", WRONG
         ": the table ends within it, or a number has more than 64 bits [bat.cold_functions at offset 21]"},
        {"00 01 00 00 00 00 00",
         WRONG ": there are fewer hot fragments [bat.hot_index at offset 23: found 0, expected 0]"},
        {"01 00 0000000000000000 01 00 01 02 00 00 00",
         WRONG ": more than the number of entries [bat.equal at offset 33: found 2, expected at most 1]"},
        {"01 00 0000000000000000 01 00 09 00 00 00 00", WRONG
         ": more items than fit in the section [bat.entries at offset 32: found 9, expected at most 4]"},
        {"01 00 0000000000000000 01 00 01 00 00 8080808080808080808002 00 00",
         WRONG ": the table ends within it, or a number has more than 64 bits [bat.entry at offset 35]"},
        {"01 00 0000000000000000 ffffffff10 00 00 00 00", WRONG
         ": the number has more than 32 bits [bat.blocks at offset 30: found 4563402751, expected at most "
         "4294967295]"},
        {"01 00 0000000000000000 01 00 01 00 00 8180808020 00 00 00",
         WRONG ": the offset in the input has more than 31 bits [bat.entry.input at offset 34]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct section s = make(cases[i].payload);
        assert_wrong(&s, APF_BAD_BAT, cases[i].message);
    }
}

/* BOLT reads a table with bytes after it, but never writes one. */
static void test_rest(void **state)
{
    (void)state;
    struct apf_bat *bat = open_good("00 00 07 08 09");
    assert_int_equal(apf_bat_info(bat)->rest_bytes, 3);
    assert_int_equal(apf_bat_info(bat)->payload_bytes, 2);
    apf_bat_close(bat);
}

/* Cut anywhere it is an error with a place, and never more than the table. */
static void test_cut(void **state)
{
    static const char *const all[] = {current, fixed, bolt_18};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct section whole = make(all[i]);
        size_t n = whole.bytes[4] | (size_t)whole.bytes[5] << 8;
        for (size_t k = 0; k < n; k++) {
            struct section s = whole;
            struct apf_error error = {0};
            struct apf_bat *bat;
            eb_store(s.bytes + 4, k, 4, false);
            s.n = 20 + k;
            int code = open_section(&bat, &s, &error);
            assert_true(code == APF_BAD_BAT || (code == APF_OK && i > 0)); /* LEB128 may happen to fit */
            assert_true(code == APF_OK || error.offset <= s.n);
            apf_bat_close(bat);
        }
    }
}

TEST_FILE(bat_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_current), cmocka_unit_test(test_fixed),  cmocka_unit_test(test_18),
        cmocka_unit_test(test_notes),   cmocka_unit_test(test_tables), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_cut),
    };
    return RUN_TESTS(tests);
}
