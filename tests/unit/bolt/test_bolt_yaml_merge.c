/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of BOLT in YAML, made in memory and joined: counts, order, conflicts. */
#include <string.h>

#include <anyprof/bolt.h>

#include "helpers/shared/unit.h"

#define STR(s) {s, sizeof s - 1}

static const struct apf_bolt_yaml_header header = {sizeof header,         STR("prog"),   STR("12ab"),
                                                   STR("tool"),           STR("cycles"), APF_BOLT_YAML_LBR,
                                                   APF_BOLT_ORDER_LAYOUT, APF_BOLT_XXH3, 0};

struct message_log {
    unsigned n;
    char messages[8][240];
};

static int collect_note(void *user, const struct apf_diag *d)
{
    struct message_log *log = user;
    assert_int_equal(d->code, APF_YAML_CONFLICT);
    assert_true(log->n < 8);
    memcpy(log->messages[log->n++], d->error->message, sizeof *log->messages);
    return 0;
}

static struct apf_bolt_yaml *fresh(struct message_log *log)
{
    struct apf_options options = {.size = sizeof options, .diag = log ? collect_note : NULL, .user = log};
    struct apf_bolt_yaml *y;
    assert_int_equal(apf_bolt_yaml_new(&y, &options, NULL), APF_OK);
    return y;
}

static struct apf_buffer written(struct apf_bolt_yaml *y)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_bolt_yaml_sort(y, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_write(y, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    return out;
}

static int read_text(struct apf_bolt_yaml *y, const char *text, const char *name, uint64_t weight,
                     struct apf_error *error)
{
    struct apf_input input = {
        .size = sizeof(struct apf_input), .data = text, .n = strlen(text), .name = name, .weight = weight};
    return apf_bolt_yaml_read(y, &input, 1, error);
}

/* In any order, texts merged become a file that ends with `expected`. */
static void assert_merge(const char *const *texts, size_t n, const char *expected)
{
    static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t o = 0; o < 6; o++) {
        struct apf_bolt_yaml *y = fresh(NULL);
        for (size_t i = 0; i < 3; i++)
            if (orders[o][i] < n)
                assert_int_equal(read_text(y, texts[orders[o][i]], "text", 0, NULL), APF_OK);
        struct apf_buffer out = written(y);
        const char *text = out.data;
        assert_true(out.n > strlen(expected));
        assert_string_equal(text + out.n - 1 - strlen(expected), expected);
        apf_buffer_free(&out);
        apf_bolt_yaml_free(y);
    }
}

#define HEAD(events)                                                                                         \
    "---\nheader: { profile-version: 1, binary-name: prog, profile-flags: [ lbr ], profile-events: '" events \
    "', profile-origin: tool, dfs-order: false, hash-func: xxh3 }\nfunctions:\n"
#define FUNCTION(name, fid, exec)                                                                            \
    "- { name: " name ", fid: " fid ", hash: 0x1, exec: " exec ", extern: 2, nblocks: 9, blocks: [ "
#define END " ] }\n"

static void test_counts(void **state)
{
    static const char *const texts[] = {
        HEAD("a") FUNCTION("g", "7", "1")
            END FUNCTION("f", "3", "5") "{ bid: 4, insns: 1, hash: 9, exec: 1, events: 2, succ: [ { bid: 8, "
                                        "cnt: 1 }, { bid: 2, cnt: 5, mis: 1 "
                                        "} ] }" END,
        HEAD("a") FUNCTION("f", "3", "6") "{ bid: 1, insns: 3, exec: 4, calls: [ { off: 9, fid: 0, cnt: 2 }, "
                                          "{ off: 9, fid: 0, cnt: 3 } ] }, "
                                          "{ bid: 4, insns: 1, hash: 9, exec: 10, events: 20, succ: [ { bid: "
                                          "8, cnt: 10 }, { bid: 2, cnt: 50 } ] "
                                          "}" END,
        HEAD("a") FUNCTION("f", "3", "7") "{ bid: 8, insns: 3, exec: 4 }" END,
    };
    (void)state;
    /* The lists name the same blocks: they stay as they are. */
    assert_merge(texts, 3,
                 "functions:\n"
                 "  - name:            f\n    fid:             3\n    hash:            0x1\n"
                 "    exec:            18\n    extern:          6\n    nblocks:         9\n    blocks:\n"
                 "      - bid:             1\n        insns:           3\n        exec:            4\n"
                 "        calls:           [ { off: 0x9, fid: 0, cnt: 2 }, { off: 0x9, fid: 0, cnt: 3 } ]\n"
                 "      - bid:             4\n        insns:           1\n        hash:            0x9\n"
                 "        exec:            11\n        events:          22\n"
                 "        succ:            [ { bid: 8, cnt: 11 }, { bid: 2, cnt: 55, mis: 1 } ]\n"
                 "      - bid:             8\n        insns:           3\n        exec:            4\n"
                 "  - name:            g\n    fid:             7\n    hash:            0x1\n"
                 "    exec:            1\n    extern:          2\n    nblocks:         9\n...\n");
}

/* Lists with other entries, or with equal ones in another order. */
static void test_lists(void **state)
{
    static const char *const texts[] = {
        HEAD("a") FUNCTION(
            "f", "3",
            "0") "{ bid: 4, insns: 1, succ: [ { bid: 8, cnt: 1 }, { bid: 2, cnt: 5 } ], calls: [ { off: 9, "
                 "fid: 0, cnt: "
                 "1 }, { off: 9, fid: 0, cnt: 2, mis: 1 }, { off: 3, fid: 8, cnt: 4, disc: 1 } ] }" END,
        HEAD("a") FUNCTION("f", "3", "0") "{ bid: 4, insns: 1, succ: [ { bid: 2, cnt: 5 } ], calls: [ { off: "
                                          "3, fid: 8, cnt: 1 } ] }" END,
        HEAD("a") FUNCTION("f", "3", "0") "{ bid: 4, insns: 1, succ: [ { bid: 8, cnt: 1 }, { bid: 2, cnt: 5 "
                                          "} ], calls: [ { off: 9, fid: 7, cnt: "
                                          "10 }, { off: 9, fid: 0, cnt: 20 } ] }" END,
    };
    (void)state;
    assert_merge(
        texts, 3,
        "    blocks:\n      - bid:             4\n        insns:           1\n"
        "        calls:           [ { off: 0x3, fid: 8, cnt: 1 }, { off: 0x3, fid: 8, disc: 1, cnt: 4 }, "
        "{ off: 0x9, fid: 0, cnt: 23, mis: 1 }, { off: 0x9, fid: 7, cnt: 10 } ]\n"
        "        succ:            [ { bid: 2, cnt: 15 }, { bid: 8, cnt: 2 } ]\n...\n");
}

#define NONE(head, events, origin)                                                                           \
    "---\nheader: { profile-version: 1, " head ", profile-events: '" events "', profile-origin: '" origin    \
    "' }\nfunctions: []\n"

static void test_headers(void **state)
{
    static const char *const texts[] = {
        NONE("binary-name: b, binary-build-id: <unknown>, profile-flags: [ lbr ]", "x,y", "one"),
        NONE("binary-name: a, binary-build-id: 22, profile-flags: [ memevent ], dfs-order: true", "y;a",
             "two; one"),
        NONE("binary-name: c, binary-build-id: 21, profile-flags: [ lbr ], hash-func: std-hash", "", "one")};
    (void)state;
    assert_merge(texts, 3,
                 "  binary-name:     a\n  binary-build-id: '21'\n  profile-flags:   [ lbr, memevent ]\n"
                 "  profile-origin:  'one; two'\n  profile-events:  'a;x;y'\n  dfs-order:       true\n"
                 "functions:       []\n...\n");
    assert_merge(texts, 1,
                 "  binary-name:     b\n  binary-build-id: '<unknown>'\n  profile-flags:   [ lbr ]\n"
                 "  profile-origin:  one\n  profile-events:  x,y\nfunctions:       []\n...\n");
    struct message_log log = {.n = 0};
    struct apf_bolt_yaml *y = fresh(&log);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(read_text(y, texts[i], "text", 0, NULL), APF_OK);
    assert_int_equal(log.n, 3); /* each once */
    assert_non_null(strstr(log.messages[0], "the binaries have different names: a, and b before"));
    assert_non_null(strstr(log.messages[1], "counts of other events are added"));
    assert_non_null(strstr(log.messages[2], "the binaries have different build ids: 21, and 22 before"));
    apf_bolt_yaml_free(y);
}

#define ONE(head, function)                                                                                  \
    "---\nheader: { profile-version: 1, binary-name: b, " head " }\nfunctions:\n- { " function " }\n"
#define PLAIN "profile-flags: [ lbr ]"
#define F "name: f, fid: 3, hash: 1, exec: 1, nblocks: 2"

static void test_conflicts(void **state)
{
    static const struct {
        const char *a, *b, *where;
    } rows[] = {
        {ONE(PLAIN, F), ONE("profile-flags: [ sample ]", F), "yaml.header.profile-flags"},
        {ONE(PLAIN, F), ONE(PLAIN ", dfs-order: false", F), "yaml.header.dfs-order"},
        {ONE(PLAIN, F), ONE(PLAIN ", hash-func: xxh3", F), "yaml.header.hash-func"},
        {ONE(PLAIN, F), ONE(PLAIN, "name: f, fid: 4, hash: 1, exec: 1, nblocks: 2"), "yaml.functions.fid"},
        {ONE(PLAIN, F), ONE(PLAIN, "name: g, fid: 3, hash: 1, exec: 1, nblocks: 2"), "yaml.functions.fid"},
        {ONE(PLAIN, F), ONE(PLAIN, "name: f, fid: 3, hash: 2, exec: 1, nblocks: 2"), "yaml.functions.hash"},
        {ONE(PLAIN, F), ONE(PLAIN, "name: f, fid: 3, hash: 1, exec: 1, nblocks: 3"),
         "yaml.functions.nblocks"},
        {ONE(PLAIN, F ", blocks: [ { bid: 1, insns: 2 } ]"),
         ONE(PLAIN, F ", blocks: [ { bid: 1, insns: 3 } ]"), "yaml.functions.blocks.insns"},
        {ONE(PLAIN, F ", blocks: [ { bid: 1, insns: 2 } ]"),
         ONE(PLAIN, F ", blocks: [ { bid: 1, insns: 2, hash: 7 } ]"), "yaml.functions.blocks.hash"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int swap = 0; swap < 2; swap++) {
            struct apf_error error;
            struct apf_bolt_yaml *y = fresh(NULL);
            assert_int_equal(read_text(y, swap ? rows[i].b : rows[i].a, "first-file", 0, NULL), APF_OK);
            assert_int_equal(read_text(y, swap ? rows[i].a : rows[i].b, "second", 0, &error),
                             APF_YAML_CONFLICT);
            assert_string_equal(error.where, rows[i].where);
            assert_non_null(strstr(error.message, "first-file"));
            apf_bolt_yaml_free(y);
        }
    }
    struct apf_error error;
    struct apf_bolt_yaml *y = fresh(NULL);
    assert_int_equal(read_text(y, ONE(PLAIN, F), "a", 0, NULL), APF_OK);
    assert_int_equal(read_text(y, ONE(PLAIN, F " }\n- { " F), "b", 0, &error), APF_YAML_CONFLICT);
    assert_string_equal(error.where, "yaml.functions.name");
    apf_bolt_yaml_free(y);
}

#define PROBES(tree, desc)                                                                                   \
    ONE(PLAIN, F ", inline_tree: [ " tree " ]") "pseudo_probe_desc: { gs: [ " desc " ] }\n"

static void test_probes(void **state)
{
    static const char *const same[] = {PROBES("{ g: 1 }", "0x1"), ONE(PLAIN, F), PROBES("{ g: 1 }", "0x1")};
    static const char *const trees[] = {PROBES("{ g: 1 }", "0x1"), ONE(PLAIN, F), PROBES("{ g: 2 }", "0x1")};
    static const char *const descs[] = {PROBES("{ g: 1 }", "0x1"), ONE(PLAIN, F), PROBES("{ g: 1 }", "0x2")};
    static const char *const lost[] = {PROBES("{ g: 1 }", "0x1"), ONE(PLAIN, F),
                                       ONE(PLAIN, F ", inline_tree: []")};
    static const char without[] = "    exec:            3\n    nblocks:         2\n...\n";
    (void)state;
    assert_merge(same, 3,
                 "    nblocks:         2\n    inline_tree:     [ { g: 1 } ]\n"
                 "pseudo_probe_desc:\n  gs:              [ 0x1 ]\n...\n");
    assert_merge(trees, 3, without);
    assert_merge(descs, 3, without);
    assert_merge(lost, 3, without);
}

/* Dropped probes are also missing in the getters. */
static void test_dropped_probes(void **state)
{
#define CALLS                                                                                                \
    ", blocks: [ { bid: 0, insns: 2, calls: [ { off: 1, fid: 4, cnt: 2, pp: 3, ppn: 2, ind: true } ], "
    static const char *const texts[] = {ONE(PLAIN, F CALLS "probes: [ {  } ] } ]"),
                                        ONE(PLAIN, F CALLS "probes: [ { ids: [ 1 ] } ] } ]")};
    (void)state;
    struct apf_bolt_yaml *y = fresh(NULL);
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    for (uint32_t dropped = 0; dropped < 2; dropped++) {
        assert_int_equal(read_text(y, texts[dropped], "text", 0, NULL), APF_OK);
        assert_int_equal(apf_bolt_yaml_info(y)->probes_dropped, dropped);
        assert_int_equal(apf_bolt_yaml_function(y, 0, &f, NULL), APF_OK);
        const struct apf_bolt_yaml_edge *call = &f.blocks[0].calls[0];
        assert_int_equal(call->probe, dropped ? 0 : 3);
        assert_int_equal(call->node, dropped ? 0 : 2);
        assert_int_equal(call->indirect, !dropped);
        assert_true((f.blocks[0].probes.n == 0) == (dropped == 1));
    }
    apf_bolt_yaml_free(y);
}

static const struct apf_bolt_yaml_edge edges[] = {{4, 1, 1, 0, 0, 0, 0, 0}};
static const struct apf_bolt_yaml_block blocks[] = {
    {.hash = 5, .exec = 1, .index = 1, .n_instructions = 2, .n_successors = 1, .successors = edges},
    {.hash = 6, .exec = 1, .index = 0, .n_instructions = 3, .n_calls = 1, .calls = edges}};
static const struct apf_bolt_yaml_function function = {.size = sizeof function,
                                                       .name = STR("f"),
                                                       .hash = 1,
                                                       .exec = 2,
                                                       .fid = 3,
                                                       .n_all_blocks = 2,
                                                       .n_blocks = 2,
                                                       .blocks = blocks};

static void test_made(void **state)
{
    (void)state;
    struct apf_bolt_yaml *y = fresh(NULL);
    assert_int_equal(apf_bolt_yaml_add(y, &function, NULL), APF_ARGUMENT); /* no header */
    assert_int_equal(apf_bolt_yaml_declare(y, &header, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_add(y, &function, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_add(y, &function, NULL), APF_OK);
    struct apf_buffer out = written(y);
    assert_string_equal(
        (const char *)out.data,
        "---\nheader:\n  profile-version: 1\n  binary-name:     prog\n  binary-build-id: 12ab\n"
        "  profile-flags:   [ lbr ]\n  profile-origin:  tool\n  profile-events:  cycles\n"
        "  dfs-order:       false\n  hash-func:       xxh3\nfunctions:\n"
        "  - name:            f\n    fid:             3\n    hash:            0x1\n"
        "    exec:            4\n    nblocks:         2\n    blocks:\n"
        "      - bid:             0\n        insns:           3\n        hash:            0x6\n"
        "        exec:            2\n        calls:           [ { off: 0x0, fid: 1, cnt: 8, mis: 2 } ]\n"
        "      - bid:             1\n        insns:           2\n        hash:            0x5\n"
        "        exec:            2\n        succ:            [ { bid: 1, cnt: 8, mis: 2 } ]\n...\n");
    apf_buffer_free(&out);
    apf_bolt_yaml_free(y);
}

static void test_arguments(void **state)
{
    struct apf_bolt_yaml_function f = function;
    struct apf_bolt_yaml_header h = header;
    (void)state;
    struct apf_bolt_yaml *y = fresh(NULL);
    struct apf_output output = apf_output_file("-");
    assert_int_equal(apf_bolt_yaml_write(y, &output, NULL), APF_ARGUMENT); /* no header */
    h.flags = 8;
    assert_int_equal(apf_bolt_yaml_declare(y, &h, NULL), APF_ARGUMENT);
    h.flags = 1;
    h.origin.p = "\xff";
    h.origin.n = 1;
    assert_int_equal(apf_bolt_yaml_declare(y, &h, NULL), APF_ARGUMENT);
    assert_int_equal(apf_bolt_yaml_declare(y, &header, NULL), APF_OK);
    f.n_all_blocks = 1;
    assert_int_equal(apf_bolt_yaml_add(y, &f, NULL), APF_ARGUMENT);
    f = function;
    f.name.p = "\xc0\x80";
    f.name.n = 2;
    assert_int_equal(apf_bolt_yaml_add(y, &f, NULL), APF_ARGUMENT);
    f.name.n = 0;
    assert_int_equal(apf_bolt_yaml_add(y, &f, NULL), APF_ARGUMENT);
    f = function;
    f.probes.p = "guid:            0x1\r";
    f.probes.n = strlen(f.probes.p);
    assert_int_equal(apf_bolt_yaml_add(y, &f, NULL), APF_ARGUMENT);
    assert_int_equal(apf_bolt_yaml_info(y)->n_functions, 0);
    assert_int_equal(apf_bolt_yaml_add(y, &function, NULL), APF_OK);
    apf_bolt_yaml_free(y);
}

static void test_weight_and_sums(void **state)
{
    static const char text[] =
        ONE(PLAIN, "name: f, fid: 3, hash: 1, exec: 0x8000000000000000, nblocks: 2, blocks: [ "
                   "{ bid: 1, insns: 2, exec: 2, succ: [ { bid: 0, cnt: 3 } ] } ]");
    struct apf_bolt_yaml_function f = {.size = sizeof f};
    (void)state;
    struct apf_bolt_yaml *y = fresh(NULL);
    assert_int_equal(read_text(y, text, "a", 1, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_info(y)->n_saturated, 0);
    assert_int_equal(read_text(y, text, "b", 3, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_info(y)->n_saturated, 2); /* the product, and the sum with it */
    assert_int_equal(apf_bolt_yaml_function(y, 0, &f, NULL), APF_OK);
    assert_int_equal(f.exec, UINT64_MAX);
    assert_int_equal(f.blocks[0].exec, 8);
    assert_int_equal(f.blocks[0].successors[0].count, 12);
    apf_bolt_yaml_free(y);
}

/* Of either kind, but not both. */
static void test_either(void **state)
{
    static const char fdata_text[] = "1 f 0 1 f 8 0 1\n", yaml_text[] = ONE(PLAIN, F);
    const struct apf_input inputs[] = {
        apf_input_memory("", 0, "empty"), apf_input_memory(yaml_text, sizeof yaml_text - 1, "yaml"),
        apf_input_memory(yaml_text, sizeof yaml_text - 1, "yaml"), apf_input_memory("", 0, "empty"),
        apf_input_memory(fdata_text, sizeof fdata_text - 1, "fdata")};
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        struct apf_error error;
        struct apf_fdata *f;
        struct apf_bolt_yaml *y = fresh(NULL);
        assert_int_equal(apf_fdata_new(&f, NULL, NULL), APF_OK);
        int code = apf_bolt_read(f, y, inputs, n, &error);
        assert_int_equal(code, n == 5 ? APF_UNSUPPORTED : APF_OK);
        if (n == 5)
            assert_int_equal(error.input, 4);
        assert_int_equal(apf_bolt_yaml_info(y)->known, n > 1);
        assert_int_equal(apf_fdata_info(f)->known, 0);
        assert_int_equal(apf_fdata_info(f)->n_empty, n < 4 ? 1 : 2);
        apf_fdata_free(f);
        apf_bolt_yaml_free(y);
    }
}

TEST_FILE(bolt_yaml_merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_dropped_probes),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_weight_and_sums),
        cmocka_unit_test(test_either),
    };
    return RUN_TESTS(tests);
}
