/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that runs out anywhere while probes are encoded, assembled or emitted is an error, leaks nothing and writes
 * nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/probe.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

/* An attempt; its output goes to memory that was allocated before. */
typedef int attempt(const struct apf_output *output, struct apf_error *error);

struct sink {
    uint8_t bytes[4096];
    size_t n;
};

static int append_output(void *user, const void *p, size_t n)
{
    struct sink *sink = user;
    if (n > sizeof sink->bytes - sink->n)
        return ENOSPC;
    memcpy(sink->bytes + sink->n, p, n);
    sink->n += n;
    return 0;
}

static void try_all(attempt *what, enum fault_call call, unsigned least)
{
    static struct sink whole, sink;
    struct apf_output output = apf_output_callback(append_output, &whole);
    struct apf_error error;
    unsigned failed = 0;
    whole.n = 0;
    assert_int_equal(what(&output, &error), APF_OK);
    assert_true(whole.n > 0);
    output.user = &sink;
    for (uint64_t k = 1;; k++) {
        sink.n = 0;
        fault_fail(call, k, ENOMEM);
        int code = what(&output, &error);
        bool hit = fault_hit();
        fault_reset();
        if (!hit) {
            assert_int_equal(code, APF_OK);
            break;
        }
        if (code != APF_OK) {
            assert_int_equal(code, APF_NO_MEMORY);
            assert_int_equal(error.code, APF_NO_MEMORY);
            assert_int_equal(sink.n, 0);
            failed++;
        }
    }
    assert_int_equal(sink.n, whole.n);
    assert_memory_equal(sink.bytes, whole.bytes, whole.n);
    assert_true(failed >= least);
}

static int encode_with(struct apf_probe_encoder *e, const struct apf_output *output, struct apf_error *error)
{
    static const struct apf_probe_site sites[] = {{5, 1}, {6, 2}};
    struct apf_probe_entry entry = {.size = sizeof entry, .guid = 7, .inlined = sites, .n_inlined = 2};
    struct apf_str name = {"name", 4};
    uint32_t function;
    int code = apf_probe_encoder_add_desc(e, 1, 2, name, error);
    if (code == APF_OK)
        code = apf_probe_encoder_add_function(e, 9, 0, &function, error);
    for (uint32_t i = 0; i < 50 && code == APF_OK; i++) {
        entry.guid = entry.id = 7 + i;
        code = apf_probe_encoder_add(e, function, &entry, error);
    }
    return code == APF_OK ? apf_probe_encoder_write(e, output, error) : code;
}

static int encode(const struct apf_output *output, struct apf_error *error)
{
    struct apf_probe_encoder *e;
    int code = apf_probe_encoder_new(&e, NULL, error);
    if (code == APF_OK)
        code = encode_with(e, output, error);
    apf_probe_encoder_free(e);
    return code;
}

static int assemble(const struct apf_output *output, struct apf_error *error)
{
    static const char text[] = ".section .text.f,\"axG\",@progbits,f,comdat\n.type f,@function\nf:\n"
                               ".pseudoprobe 5 1 0 0 @ 6:7 f\n.pushsection \".cold\"\n.pseudoprobe 5 2 0 0\n"
                               ".popsection\n\"a\\\"b\": .pseudoprobe 5 3 0 0 \"a\\\"b\"\n.addrsig\n";
    struct apf_input input = apf_input_memory(text, sizeof text - 1, NULL);
    return apf_probe_assemble(&input, NULL, output, NULL, error);
}

static int emit(const struct apf_output *output, struct apf_error *error)
{
    static const char list[] =
        "{\"schema\": \"anyprof-probe-list/1\", \"sections\": [{\"section\": 1, \"group\": \"g\", "
        "\"comdat\": true}],"
        "\"nodes\": [{\"guid\": 1, \"symbol\": 9}, {\"guid\": 2, \"parent\": 0}],"
        "\"probes\": [{\"node\": 1, \"id\": 1, \"distance\": 3}, {\"node\": 0, \"id\": 1, \"distance\": 4}],"
        "\"padded\": [{\"section\": 1, \"offset\": 8, \"bytes\": 2}]}";
    static const char desc[] = "{\"schema\": \"anyprof-probe-descriptors/1\","
                               "\"descriptors\": [{\"guid\": 1, \"hash\": 3, \"function\": \"f\\udcff\"}]}";
    const struct apf_input inputs[] = {apf_input_memory(list, sizeof list - 1, NULL),
                                       apf_input_memory(desc, sizeof desc - 1, NULL)};
    return apf_probes_emit(inputs, 2, NULL, output, NULL, error);
}

/* A failed addition leaves nothing behind, also not its callers. */
static void test_nothing_left(void **state)
{
    static const uint8_t expected[] = {7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0x80, 0};
    static struct sink sink;
    struct apf_output output = apf_output_callback(append_output, &sink);
    unsigned failed = 0;
    bool hit = true;
    (void)state;
    for (uint64_t k = 1; hit; k++) {
        struct apf_probe_encoder *e;
        uint32_t function;
        assert_int_equal(apf_probe_encoder_new(&e, NULL, NULL), APF_OK);
        assert_int_equal(apf_probe_encoder_add_function(e, 7, 0, &function, NULL), APF_OK);
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        static const struct apf_probe_site sites[] = {{5, 1}, {6, 2}};
        struct apf_probe_entry entry = {.size = sizeof entry, .guid = 8, .inlined = sites, .n_inlined = 2};
        int code = apf_probe_encoder_add(e, 0, &entry, NULL);
        hit = fault_hit();
        fault_reset();
        assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        if (hit) {
            failed++;
            entry.guid = 7;
            entry.n_inlined = 0;
            assert_int_equal(apf_probe_encoder_add(e, 0, &entry, NULL), APF_OK);
            sink.n = 0;
            assert_int_equal(apf_probe_encoder_write(e, &output, NULL), APF_OK);
            assert_int_equal(sink.n, sizeof expected);
            assert_memory_equal(sink.bytes, expected, sizeof expected);
        }
        apf_probe_encoder_free(e);
    }
    assert_true(failed >= 3);
}

static void test_encode(void **state)
{
    (void)state;
    try_all(encode, FAULT_MEMORY, 6);
}

static void test_assemble(void **state)
{
    (void)state;
    try_all(assemble, FAULT_MEMORY, 8);
    try_all(assemble, FAULT_ARENA, 3);
}

static void test_emit(void **state)
{
    (void)state;
    try_all(emit, FAULT_MEMORY, 8);
    try_all(emit, FAULT_ARENA, 3);
}

TEST_FILE(probe_write_faults)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_nothing_left),
        cmocka_unit_test(test_assemble),
        cmocka_unit_test(test_emit),
    };
    return RUN_TESTS(tests);
}
