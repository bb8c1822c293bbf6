/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading BOLT's YAML: every key of LLVM 15 to 22, texts, every error with its place. Expected values come from runs of
 * merge-fdata and llvm-bolt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "helpers/shared/unit.h"

static int read_bytes(struct apf_bolt_yaml *y, const char *text, size_t n, struct apf_error *error)
{
    char *exact = malloc(n ? n : 1); /* so that a read after the end is seen */
    assert_non_null(exact);
    memcpy(exact, text, n);
    struct apf_input input = apf_input_memory(exact, n, "test");
    int code = apf_bolt_yaml_read(y, &input, 1, error);
    free(exact);
    return code;
}

static struct apf_bolt_yaml *fresh(const struct apf_options *options)
{
    struct apf_bolt_yaml *y;
    assert_int_equal(apf_bolt_yaml_new(&y, options, NULL), APF_OK);
    return y;
}

static struct apf_bolt_yaml *read_good(const char *text)
{
    struct apf_error error;
    struct apf_bolt_yaml *y = fresh(NULL);
    error.message[0] = '\0';
    int code = read_bytes(y, text, strlen(text), &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    return y;
}

static void assert_becomes(const char *text, const char *expected)
{
    struct apf_bolt_yaml *y = read_good(text);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_bolt_yaml_write(y, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    apf_buffer_free(&out);
    apf_bolt_yaml_free(y);
}

#define HEADER_15                                                                                            \
    "---\n"                                                                                                  \
    "header:\n"                                                                                              \
    "  profile-version: 1\n"                                                                                 \
    "  binary-name:     prog\n"                                                                              \
    "  binary-build-id: '<unknown>'\n"                                                                       \
    "  profile-flags:   [ lbr ]\n"                                                                           \
    "  profile-origin:  perf data aggregator\n"                                                              \
    "  profile-events:  ''\n"
#define HEADER HEADER_15 "  dfs-order:       false\n  hash-func:       xxh3\n"
#define FUNCTION                                                                                             \
    "  - name:            f\n"                                                                               \
    "    fid:             3\n"                                                                               \
    "    hash:            0xABC\n"                                                                           \
    "    exec:            0\n"                                                                               \
    "    nblocks:         4\n"

/* As llvm-bolt 15 and 16, 19 and 22 write them. */
static const char old[] = HEADER_15 "functions:\n" FUNCTION "    blocks:\n"
                                    "      - bid:             0\n"
                                    "        insns:           9\n"
                                    "        exec:            3\n"
                                    "        succ:            [ { bid: 3, cnt: 0 }, { bid: 1, cnt: 3 } ]\n"
                                    "...\n";
static const char v19[] =
    HEADER "functions:\n" FUNCTION "    blocks:\n"
           "      - bid:             1\n"
           "        insns:           2\n"
           "        hash:            0x12\n"
           "        calls:           [ { off: 0xAB, fid: 4, disc: 2, cnt: 3, mis: 1 } ]\n"
           "        pseudo_probes:   [ { guid: 0x5, id: 1, type: 0 }, { guid: 0x5, id: 2, type: 1 } ]\n"
           "    guid:            0x5\n"
           "    pseudo_probe_desc_hash: 0x7\n"
           "...\n";
static const char v22[] = HEADER
    "functions:\n"
    "  - name:            'a/b.c/1'\n"
    "    fid:             7\n"
    "    hash:            0xFFFFFFFFFFFFFFFF\n"
    "    exec:            18446744073709551615\n"
    "    extern:          7\n"
    "    nblocks:         4\n"
    "    blocks:\n"
    "      - bid:             1\n"
    "        insns:           0\n"
    "        hash:            0x12\n"
    "        exec:            5\n"
    "        events:          6\n"
    "        calls:           [ { off: 0x1, fid: 0, cnt: 3 }, { off: 0x1, fid: 0, cnt: 4, mis: 1, pp: 4, "
    "ppn: 5, ind: true } ]\n"
    "        succ:            [ { bid: 2, cnt: 0 }, { bid: 3, cnt: 4, mis: 2 } ]\n"
    "        probes:          [ { blk: [ 1, 2 ], ids: [ 0, 3 ] }, { ids: [ 1 ] }, {  } ]\n"
    "    inline_tree:     [ { g: 6 }, { g: 1, p: 2, cs: 3 }, {  } ]\n"
    "pseudo_probe_desc:\n"
    "  gs:              [ 0x161C28099A18F0BF, 0x1 ]\n"
    "  gh:              [ 0, 1 ]\n"
    "  hs:              [ 0x5, 0x6 ]\n"
    "...\n";

static void test_round_trips(void **state)
{
    static const char none[] = HEADER "functions:       []\n...\n";
    (void)state;
    assert_becomes(old, old);
    assert_becomes(v19, v19);
    assert_becomes(v22, v22);
    assert_becomes(none, none);
}

/* Any order of keys, any way to write a value. */
static void test_other_forms(void **state)
{
    (void)state;
    assert_becomes(
        "---\n"
        "header: { profile-version: 0x1, 'profile-flags': [ memevent, sample ], \"binary-name\": prog,\n"
        "  dfs-order: true, hash-func: std-hash }\n"
        "functions:\n"
        "- nblocks: 0x2\n"
        "  exec: 017\n"
        "  name: \"f\"   # said here\n"
        "  blocks: [ { insns: 1, bid: 1, succ: [], calls: [] }, { bid: 0, insns: 2 } ]\n"
        "  fid: 3\n"
        "  hash: 10\n",
        "---\n"
        "header:\n"
        "  profile-version: 1\n"
        "  binary-name:     prog\n"
        "  binary-build-id: ''\n"
        "  profile-flags:   [ sample, memevent ]\n"
        "  profile-origin:  ''\n"
        "  profile-events:  ''\n"
        "  dfs-order:       true\n"
        "functions:\n"
        "  - name:            f\n"
        "    fid:             3\n"
        "    hash:            0xA\n"
        "    exec:            15\n"
        "    nblocks:         2\n"
        "    blocks:\n"
        "      - bid:             0\n"
        "        insns:           2\n"
        "      - bid:             1\n"
        "        insns:           1\n"
        "...\n");
}

/* A name, as it stands in a file, and as merge-fdata 22 writes it again. */
static void test_texts(void **state)
{
    static const struct {
        const char *read, *written;
    } names[] = {
        {"a/b", "'a/b'"},
        {"\"a\\\"b'c\"", "'a\"b''c'"},
        {"'true'", "'true'"},
        {"True", "'True'"},
        {"tRue", "tRue"},
        {"'~'", "'~'"},
        {"12", "'12'"},
        {"1e5", "'1e5'"},
        {"-1.5", "'-1.5'"},
        {"1.2.3", "1.2.3"},
        {"0x1f", "'0x1f'"},
        {"0x1g", "0x1g"},
        {".inf", "'.inf'"},
        {"\"a\\tb\"", "a\tb"},
        {"\"a\\nb\\x01\"", "\"a\\nb\\x01\""},
        {"'-a'", "'-a'"},
        {"a-", "a-"},
        {"a,b^c._- d", "a,b^c._- d"},
        {"' a'", "' a'"},
        {"a b ", "a b"},
        {"_ZN3FooC2Ev", "_ZN3FooC2Ev"},
        {"f@PLT", "'f@PLT'"},
        {"\xc3\xa9\xe4\xb8\x80", "\"\xc3\xa9\xe4\xb8\x80\""},
        {"\"\\x85\\xA0\\u2028\\u2029\\e\\0\"", "\"\\N\\_\\L\\P\\e\\0\""},
        {"\"\\U0001F600\"", "\"\xf0\x9f\x98\x80\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[1000], expected[1000];
        static const char rest[] =
            "    fid:             3\n    hash:            0x1\n    exec:            0\n"
            "    nblocks:         0\n...\n";
        snprintf(text, sizeof text, HEADER "functions:\n  - name:            %s\n%s", names[i].read, rest);
        snprintf(expected, sizeof expected, HEADER "functions:\n  - name:            %s\n%s",
                 names[i].written, rest);
        assert_becomes(text, expected);
    }
}

static void test_view(void **state)
{
    struct apf_bolt_yaml_header h = {.size = sizeof h};
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    (void)state;
    struct apf_bolt_yaml *y = read_good(v22);
    const struct apf_bolt_yaml_info *info = apf_bolt_yaml_info(y);
    assert_int_equal(info->known, 1);
    assert_int_equal(info->n_inputs, 1);
    assert_int_equal(info->n_functions, 1);
    assert_int_equal(info->n_unknown_keys, 0);
    assert_int_equal(apf_bolt_yaml_header(y, &h, NULL), APF_OK);
    assert_int_equal(h.flags, APF_BOLT_YAML_LBR);
    assert_int_equal(h.order, APF_BOLT_ORDER_LAYOUT);
    assert_int_equal(h.hash, APF_BOLT_XXH3);
    assert_int_equal(h.origin.n, strlen("perf data aggregator"));
    assert_int_equal(apf_bolt_yaml_function(y, 0, &f, NULL), APF_OK);
    assert_int_equal(f.hash, UINT64_MAX);
    assert_int_equal(f.exec, UINT64_MAX);
    assert_int_equal(f.entered, 7);
    assert_int_equal(f.fid, 7);
    assert_int_equal(f.n_all_blocks, 4);
    assert_int_equal(f.n_blocks, 1);
    assert_int_equal(f.blocks[0].index, 1);
    assert_int_equal(f.blocks[0].hash, 0x12);
    assert_int_equal(f.blocks[0].exec, 5);
    assert_int_equal(f.blocks[0].events, 6);
    assert_int_equal(f.blocks[0].n_calls, 2);
    assert_int_equal(f.blocks[0].calls[1].count, 4);
    assert_int_equal(f.blocks[0].calls[1].mispredictions, 1);
    assert_int_equal(f.blocks[0].calls[1].probe, 4);
    assert_int_equal(f.blocks[0].calls[1].node, 5);
    assert_int_equal(f.blocks[0].calls[1].indirect, 1);
    assert_int_equal(f.blocks[0].n_successors, 2);
    assert_int_equal(f.blocks[0].successors[1].to, 3);
    assert_int_equal(f.blocks[0].successors[1].mispredictions, 2);
    assert_int_equal(apf_bolt_yaml_function(y, 1, &f, NULL), APF_END);
    apf_bolt_yaml_free(y);
}

struct wrong {
    const char *text;
    uint32_t line, column;
    const char *where, *says;
};

#define BLOCKS HEADER "functions:\n" FUNCTION "    blocks:\n"
#define BLOCK "      - bid:             0\n        insns:           9\n"

static const struct wrong wrongs[] = {
    {"---\n", 2, 1, "yaml", "expected a mapping"},
    {"---\n[]\n", 2, 1, "yaml", "expected a mapping"},
    {HEADER, 2, 1, "yaml.functions", "missing required key 'functions'"},
    {"---\nfunctions: []\n", 2, 12, "yaml.functions", "functions before the header"},
    {HEADER "functions: []\nheader: {}\n", 12, 1, "yaml.header", "the same key a second time"},
    {"---\nheader:\n  binary-name: a\n", 3, 3, "yaml.header.profile-version",
     "missing required key 'profile-version'"},
    {"---\nheader:\n  profile-version: 1\n  profile-flags: [ lbr, x ]\n", 4, 25, "yaml.header.profile-flags",
     "expected lbr, sample or memevent"},
    {"---\nheader:\n  dfs-order: 1\n", 3, 14, "yaml.header.dfs-order", "expected true or false"},
    {"---\nheader:\n  hash-func: md5\n", 3, 14, "yaml.header.hash-func", "expected std-hash or xxh3"},
    {"---\nheader:\n  binary-name: []\n", 3, 16, "yaml.header.binary-name", "expected a text"},
    {HEADER "functions: 1\n", 11, 12, "yaml.functions", "expected a list"},
    {"---\nfunctions: 1\n", 2, 12, "yaml.functions", "expected a list"},
    {HEADER "functions:\n  - 1\n", 12, 5, "yaml.functions", "expected a mapping"},
    {HEADER "functions:\n  - name: f\n", 12, 5, "yaml.functions.fid", "missing required key 'fid'"},
    {HEADER "functions:\n  - name: f\n    fid: -1\n", 13, 10, "yaml.functions.fid", "expected a number"},
    {HEADER "functions:\n  - name: f\n    fid: 4294967296\n", 13, 10, "yaml.functions.fid",
     "a number of more than 32 bits"},
    {HEADER "functions:\n  - name: f\n    hash: 0x10000000000000000\n", 13, 11, "yaml.functions.hash",
     "at most 64 bits"},
    {HEADER "functions:\n  - name: ''\n    fid: 1\n    hash: 1\n    exec: 0\n    nblocks: 0\n", 12, 5,
     "yaml.functions", "a name that is empty"},
    {BLOCKS "      - bid:             4\n        insns:           9\n", 12, 5, "yaml.functions",
     "a block with a number that is not below nblocks"},
    {BLOCKS BLOCK BLOCK, 12, 5, "yaml.functions", "two blocks with one number"},
    {BLOCKS BLOCK "        succ: [ { bid: 4, cnt: 1 } ]\n", 12, 5, "yaml.functions",
     "a successor with a number that is not below nblocks"},
    {BLOCKS BLOCK "        succ: [ { bid: 1 } ]\n", 20, 17, "yaml.functions.blocks.succ.cnt",
     "missing required key 'cnt'"},
    {BLOCKS BLOCK "        succ: { bid: 1 }\n", 20, 15, "yaml.functions.blocks.succ", "expected a list"},
    {BLOCKS BLOCK "        calls: [ { off: 0x100000000 } ]\n", 20, 25, "yaml.functions.blocks.calls.off",
     "a number of more than 32 bits"},
    {BLOCKS BLOCK "        probes: [ { blk: [ '1 2' ] } ]\n", 20, 28, "yaml.functions.blocks.probes",
     "expected a number, or a short word"},
    {BLOCKS BLOCK "        probes: [[[[[[[[[]]]]]]]]]\n", 20, 25, "yaml.functions.blocks.probes",
     "nested too deeply"},
    {"---\nheader: &a\n  x: 1\n", 2, 9, "yaml.syntax", "an anchor or a tag"},
    {"---\nheader: !!map {}\n", 2, 9, "yaml.syntax", "an anchor or a tag"},
    {"---\nheader: *a\n", 2, 9, "yaml.syntax", "an alias"},
    {HEADER "functions: []\n...\n---\na\n", 13, 1, "yaml.syntax", "a second document"},
    {"---\nheader: \xff\n", 2, 9, "yaml.bytes", "UTF-8"},
    {"---\n\xc3\xa9: [ \xc3\xa9 }\n", 2, 10, "yaml.syntax", "did not find"},
    {"---\nheader: { a: b\n", 3, 1, "yaml.syntax", "did not find"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const struct wrong *w = &wrongs[i];
        struct apf_error error;
        struct apf_bolt_yaml *y = fresh(NULL);
        int code = read_bytes(y, w->text, strlen(w->text), &error);
        if (code != APF_BAD_YAML || error.line != w->line || error.column != w->column ||
            strcmp(error.where, w->where) != 0 || !strstr(error.message, w->says))
            print_error("of %s: %s\n", w->text, code == APF_OK ? "no error" : error.message);
        assert_int_equal(code, APF_BAD_YAML);
        assert_int_equal(error.line, w->line);
        assert_int_equal(error.column, w->column);
        assert_string_equal(error.where, w->where);
        assert_non_null(strstr(error.message, w->says));
        assert_int_equal(apf_bolt_yaml_sort(y, NULL), APF_ARGUMENT); /* no more use */
        apf_bolt_yaml_free(y);
    }
}

/* No prefix of a file that ends before its last function is accepted; nothing reads after the end. */
static void test_cut(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof v22 - 1; n++) {
        struct apf_error error;
        struct apf_bolt_yaml *y = fresh(NULL);
        int code = read_bytes(y, v22, n, &error);
        if (n < 4)
            assert_int_equal(code, APF_UNSUPPORTED);
        else
            assert_true(code == APF_OK || code == APF_BAD_YAML);
        apf_bolt_yaml_free(y);
    }
}

struct heard {
    unsigned n;
    char message[240];
    int code;
};

static int hear(void *user, const struct apf_diag *d)
{
    struct heard *heard = user;
    heard->n++;
    heard->code = d->code;
    memcpy(heard->message, d->error->message, sizeof heard->message);
    return 0;
}

static void test_other_files(void **state)
{
    static const char version[] = "---\nheader:\n  profile-version: 2\n";
    static const char unknown[] =
        HEADER "  new: [ 1, { a: [ b ] } ]\nfunctions:\n" FUNCTION "    more: 1\n...\n";
    struct heard heard = {.n = 0};
    struct apf_options options = {.size = sizeof options, .diag = hear, .user = &heard};
    struct apf_error error;
    (void)state;
    struct apf_bolt_yaml *y = fresh(NULL);
    assert_int_equal(read_bytes(y, version, sizeof version - 1, &error), APF_UNSUPPORTED);
    assert_int_equal(error.found, 2);
    apf_bolt_yaml_free(y);
    y = fresh(&options);
    assert_int_equal(read_bytes(y, unknown, sizeof unknown - 1, NULL), APF_OK);
    assert_int_equal(heard.n, 1);
    assert_int_equal(heard.code, APF_UNKNOWN_KEY);
    assert_non_null(strstr(heard.message, "new, left out as all of 2 such keys"));
    assert_int_equal(apf_bolt_yaml_info(y)->n_unknown_keys, 2);
    apf_bolt_yaml_free(y);
    options.max_records = 1;
    y = fresh(&options);
    assert_int_equal(read_bytes(y, v22, sizeof v22 - 1, NULL), APF_OK);
    assert_int_equal(read_bytes(y, old, sizeof old - 1, &error), APF_YAML_CONFLICT);
    apf_bolt_yaml_free(y);
    y = fresh(&options);
    assert_int_equal(read_bytes(y, v22, sizeof v22 - 1, NULL), APF_OK);
    assert_int_equal(read_bytes(y, v19, sizeof v19 - 1, &error), APF_LIMIT);
    assert_int_equal(error.expected, 1);
    apf_bolt_yaml_free(y);
}

TEST_FILE(bolt_yaml_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_other_forms), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_view),        cmocka_unit_test(test_errors),      cmocka_unit_test(test_cut),
        cmocka_unit_test(test_other_files),
    };
    return RUN_TESTS(tests);
}
