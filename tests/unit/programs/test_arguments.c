/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every function refuses: structures without their size, flags that are not known. The error says which field of
 * which structure, or which argument of which function, that is. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/elf_build.h"
#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

#define UNKNOWN 0x40000000u

/* One handle of each kind. */
struct handles {
    struct apf_input text;
    struct apf_instr *instr;
    struct apf_lookup *lookup;
    struct apf_merge *merge;
    struct apf_bat *bat;
    struct apf_probes *probes;
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
    struct apf_info *info;
    struct apf_buffer buffer;
    struct apf_output output;
    struct apf_error error;
};

static void open_bat(struct handles *h)
{
    uint8_t note[20 + 4] = {0};
    eb_store(note, 5, 4, false);
    eb_store(note + 4, 2, 4, false);
    eb_store(note + 8, 1, 4, false);
    memcpy(note + 12, "BOLT", 4);
    struct apf_input input = apf_input_memory(note, sizeof note, "section");
    assert_int_equal(apf_bat_open(&h->bat, &input, NULL, NULL), APF_OK);
}

static void open_probes(struct handles *h)
{
    struct apf_buffer bytes = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&bytes);
    struct apf_probe_encoder *e;
    struct apf_str name = {"f", 1};
    assert_int_equal(apf_probe_encoder_new(&e, NULL, NULL), APF_OK);
    assert_int_equal(apf_probe_encoder_add_desc(e, 1, 2, name, NULL), APF_OK);
    assert_int_equal(apf_probe_encoder_write_descs(e, &output, NULL), APF_OK);
    struct apf_input input = apf_input_memory(bytes.data, bytes.n, "descs");
    assert_int_equal(apf_probes_open_sections(&h->probes, NULL, &input, NULL, NULL), APF_OK);
    apf_probe_encoder_free(e);
    apf_buffer_free(&bytes);
}

static void open_all(struct handles *h)
{
    memset(h, 0, sizeof *h);
    h->text = apf_input_memory("foo\n1\n1\n1\n", 10, "text");
    h->output = apf_output_buffer(&h->buffer);
    assert_int_equal(apf_instr_open(&h->instr, &h->text, NULL, NULL), APF_OK);
    assert_int_equal(apf_lookup_open(&h->lookup, &h->text, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_new(&h->merge, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(h->merge, &h->text, 1, NULL), APF_OK);
    assert_int_equal(apf_fdata_new(&h->fdata, NULL, NULL), APF_OK);
    assert_int_equal(apf_bolt_yaml_new(&h->yaml, NULL, NULL), APF_OK);
    assert_int_equal(apf_info_open(&h->info, &h->text, 1, NULL, NULL), APF_OK);
    open_bat(h);
    open_probes(h);
}

static void close_all(struct handles *h)
{
    apf_instr_close(h->instr);
    apf_lookup_close(h->lookup);
    apf_merge_free(h->merge);
    apf_fdata_free(h->fdata);
    apf_bolt_yaml_free(h->yaml);
    apf_info_close(h->info);
    apf_bat_close(h->bat);
    apf_probes_close(h->probes);
    assert_int_equal(h->buffer.n, 0); /* nothing was written by calls that refuse */
    apf_buffer_free(&h->buffer);
}

/* A call that is refused, and where. */
#define REFUSED(at, call)                                                                                    \
    do {                                                                                                     \
        h.error.where = "";                                                                                  \
        assert_int_equal(call, APF_ARGUMENT);                                                                \
        assert_string_equal(h.error.where, at);                                                              \
    } while (0)
/* Refused with a structure `o` whose size is not set. */
#define REFUSED_SIZE(type, call)                                                                             \
    do {                                                                                                     \
        struct type o;                                                                                       \
        memset(&o, 0, sizeof o);                                                                             \
        REFUSED(#type ".size", call);                                                                        \
    } while (0)
/* Refused with a structure `o` with a flag that is not known. */
#define REFUSED_FLAGS(type, call)                                                                            \
    do {                                                                                                     \
        struct type o;                                                                                       \
        memset(&o, 0, sizeof o);                                                                             \
        o.size = sizeof o;                                                                                   \
        o.flags = UNKNOWN;                                                                                   \
        REFUSED(#type ".flags", call);                                                                       \
        assert_int_equal(h.error.found, UNKNOWN);                                                            \
    } while (0)
#define REFUSED_OPTIONS(type, call)                                                                          \
    do {                                                                                                     \
        REFUSED_SIZE(type, call);                                                                            \
        REFUSED_FLAGS(type, call);                                                                           \
    } while (0)
/* Refused for the options of every call, which the structure `own` points to. */
#define REFUSED_COMMON(type, call)                                                                           \
    do {                                                                                                     \
        struct apf_options bad;                                                                              \
        struct type own;                                                                                     \
        memset(&own, 0, sizeof own);                                                                         \
        memset(&bad, 0, sizeof bad);                                                                         \
        own.size = sizeof own;                                                                               \
        own.options = &bad;                                                                                  \
        REFUSED("apf_options.size", call);                                                                   \
        bad.size = sizeof bad;                                                                               \
        bad.flags = UNKNOWN;                                                                                 \
        REFUSED("apf_options.flags", call);                                                                  \
    } while (0)

static void test_common_options(void **state)
{
    struct handles h;
    struct apf_check_programs *programs;
    struct apf_binary_functions *functions;
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_file_info file = {.size = sizeof file};
    struct apf_instr *instr;
    struct apf_lookup *lookup;
    struct apf_info *info;
    struct apf_bat *bat;
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
    (void)state;
    open_all(&h);
    REFUSED_OPTIONS(apf_options, apf_instr_open(&instr, &h.text, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_lookup_open(&lookup, &h.text, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_info_open(&info, &h.text, 1, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_file_detect(&h.text, &o, &file, &h.error));
    REFUSED_OPTIONS(apf_options, apf_check(&h.text, NULL, &o, &verdict, &h.error));
    REFUSED_OPTIONS(apf_options, apf_check_print(&h.text, 1, NULL, &o, 0, &h.output, &verdict, &h.error));
    REFUSED_OPTIONS(apf_options, apf_check_programs_open(&programs, &h.text, 1, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_binary_functions_open(&functions, &h.text, 0, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_bat_open(&bat, &h.text, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_bat_read_original(h.bat, &h.text, &o, NULL, &h.error));
    REFUSED_OPTIONS(apf_options, apf_bat_write_program(h.bat, &h.text, &o, &h.output, &h.error));
    REFUSED_OPTIONS(apf_options, apf_fdata_new(&fdata, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_bolt_yaml_new(&yaml, &o, &h.error));
    REFUSED_OPTIONS(apf_options, apf_probe_assemble(&h.text, &o, &h.output, NULL, &h.error));
    close_all(&h);
}

static void test_own_options(void **state)
{
    struct handles h;
    struct apf_merge *merge;
    struct apf_correlator *correlator;
    struct apf_probes *probes;
    struct apf_probe_encoder *encoder;
    struct apf_order *order;
    struct apf_diff *diff;
    uint64_t n;
    (void)state;
    open_all(&h);
    REFUSED_OPTIONS(apf_merge_options, apf_merge_new(&merge, &o, &h.error));
    REFUSED_COMMON(apf_merge_options, apf_merge_new(&merge, &own, &h.error));
    REFUSED_OPTIONS(apf_write_options, apf_merge_write(h.merge, &o, &h.output, &h.error));
    REFUSED_OPTIONS(apf_write_options, apf_instr_write_text(h.instr, &o, &h.output, &h.error));
    REFUSED_OPTIONS(apf_instr_print_options, apf_instr_print(h.instr, &o, &h.output, &h.error));
    REFUSED_OPTIONS(apf_overlap_options, apf_overlap_print(h.instr, h.instr, &o, NULL, NULL, &h.error));
    REFUSED_OPTIONS(apf_diff_options, apf_diff_new(&diff, h.instr, h.instr, &o, &h.error));
    REFUSED_SIZE(apf_order_options, apf_order_new(&order, h.instr, &o, &h.error));
    REFUSED_SIZE(apf_correlator_options, apf_correlator_open(&correlator, &o, &h.error));
    REFUSED_COMMON(apf_correlator_options, apf_correlator_open(&correlator, &own, &h.error));
    REFUSED_OPTIONS(apf_correlate_print_options, apf_correlate_print(&h.text, &o, &h.output, &h.error));
    REFUSED_COMMON(apf_correlate_print_options, apf_correlate_print(&h.text, &own, &h.output, &h.error));
    REFUSED_OPTIONS(apf_bolt_convert_options,
                    apf_bolt_convert(h.fdata, h.yaml, &h.text, &h.text, 1, &o, NULL, &h.error));
    REFUSED_COMMON(apf_bolt_convert_options,
                   apf_bolt_convert(h.fdata, h.yaml, &h.text, &h.text, 1, &own, NULL, &h.error));
    REFUSED_OPTIONS(apf_probe_options, apf_probes_open(&probes, &h.text, &o, &h.error));
    REFUSED_COMMON(apf_probe_options, apf_probes_open(&probes, &h.text, &own, &h.error));
    REFUSED_OPTIONS(apf_probe_options, apf_probes_open_sections(&probes, &h.text, NULL, &o, &h.error));
    REFUSED_OPTIONS(apf_probes_print_options, apf_probes_print(h.probes, &o, &h.output, &h.error));
    REFUSED_OPTIONS(apf_probes_check_options,
                    apf_probes_check(h.probes, NULL, &o, &h.output, NULL, &h.error));
    REFUSED_OPTIONS(apf_probes_check_options,
                    apf_probes_diff(h.probes, h.probes, &o, &h.output, &n, &h.error));
    REFUSED_OPTIONS(apf_disassembly_options, apf_probes_disassemble(h.probes, &o, &h.output, &h.error));
    REFUSED_COMMON(apf_disassembly_options, apf_probes_disassemble(h.probes, &own, &h.output, &h.error));
    REFUSED_OPTIONS(apf_probe_emit_options, apf_probes_emit(&h.text, 1, &o, &h.output, NULL, &h.error));
    REFUSED_COMMON(apf_probe_emit_options, apf_probes_emit(&h.text, 1, &own, &h.output, NULL, &h.error));
    REFUSED_SIZE(apf_probe_encoder_options, apf_probe_encoder_new(&encoder, &o, &h.error));
    close_all(&h);
}

static void test_arguments_flags(void **state)
{
    struct handles h;
    struct apf_str name = {"foo", 3};
    struct apf_bat_place place;
    (void)state;
    open_all(&h);
    REFUSED("apf_bat_print.flags", apf_bat_print(h.bat, APF_BAT_PRINT_REVERSED, &h.output, &h.error));
    memset(&place, 0, sizeof place);
    REFUSED("apf_bat_print_places.flags",
            apf_bat_print_places(h.bat, &place, 1, APF_BAT_PRINT_DUMP_ALL, &h.output, &h.error));
    REFUSED("apf_bat_print_as_tool.flags",
            apf_bat_print_as_tool(h.bat, NULL, 0, APF_BAT_PRINT_JSON, &h.output, &h.error));
    REFUSED("apf_bat_print_stats.flags", apf_bat_print_stats(h.bat, UNKNOWN, &h.output, &h.error));
    REFUSED("apf_bat_check.flags", apf_bat_check(h.bat, UNKNOWN, &h.output, NULL, &h.error));
    REFUSED("apf_bat_write.flags", apf_bat_write(h.bat, UNKNOWN, &h.output, &h.error));
    REFUSED("apf_fdata_declare.flags", apf_fdata_declare(h.fdata, UNKNOWN, NULL, 0, &h.error));
    REFUSED("apf_check_print.flags",
            apf_check_print(&h.text, 1, NULL, NULL, UNKNOWN, &h.output, NULL, &h.error));
    REFUSED("apf_info_print.flags", apf_info_print(h.info, UNKNOWN, &h.output, &h.error));
    REFUSED("apf_lookup_print.flags", apf_lookup_print(h.lookup, name, NULL, UNKNOWN, &h.output, &h.error));
    close_all(&h);
}

static void test_write_formats(void **state)
{
    static const uint32_t refused[] = {APF_FORMAT_RAW, APF_FORMAT_INDEXED, APF_FORMAT_MEMPROF, UINT32_MAX};
    struct apf_write_options o = {.size = sizeof o, .format = APF_FORMAT_TEXT};
    struct apf_buffer text = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&text);
    struct handles h;
    (void)state;
    open_all(&h);
    assert_int_equal(apf_instr_write_text(h.instr, &o, &output, &h.error), APF_OK);
    apf_buffer_free(&text);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        o.format = refused[i];
        REFUSED("write.options.format", apf_instr_write_text(h.instr, &o, &h.output, &h.error));
        if (refused[i] != APF_FORMAT_INDEXED)
            REFUSED("write.options.format", apf_merge_write(h.merge, &o, &h.output, &h.error));
    }
    o.format = 0;
    o.target.kind = APF_TARGET_INDEXED;
    o.target.version = 12;
    REFUSED("write.options.target", apf_instr_write_text(h.instr, &o, &h.output, &h.error));
    o.target.kind = APF_TARGET_AUTO;
    o.flags = APF_WRITE_MEMPROF_FULL;
    REFUSED("apf_write_options.flags", apf_instr_write_text(h.instr, &o, &h.output, &h.error));
    o.flags = 0;
    o.memprof_version = 4;
    REFUSED("write.options.memprof_version", apf_instr_write_text(h.instr, &o, &h.output, &h.error));
    REFUSED("write.options.memprof_version", apf_merge_write(h.merge, &o, &h.output, &h.error));
    close_all(&h);
}

static void test_results(void **state)
{
    struct handles h;
    (void)state;
    open_all(&h);
    struct apf_str name = {"f", 1};
    REFUSED_SIZE(apf_record, apf_instr_record(h.instr, 0, &o, &h.error));
    REFUSED_SIZE(apf_record, apf_instr_find(h.instr, name, 1, &o, &h.error));
    REFUSED_SIZE(apf_record, apf_lookup_record(h.lookup, 0, &o, &h.error));
    REFUSED_SIZE(apf_record, apf_lookup_find(h.lookup, name, 1, &o, &h.error));
    REFUSED_SIZE(apf_overlap, apf_overlap_print(h.instr, h.instr, NULL, NULL, &o, &h.error));
    REFUSED_SIZE(apf_bat_verdict, apf_bat_check(h.bat, 0, &h.output, &o, &h.error));
    REFUSED_SIZE(apf_probes_verdict, apf_probes_check(h.probes, NULL, NULL, &h.output, &o, &h.error));
    REFUSED_SIZE(apf_probe_emit_info, apf_probes_emit(&h.text, 1, NULL, &h.output, &o, &h.error));
    REFUSED_SIZE(apf_probe_asm_info, apf_probe_assemble(&h.text, NULL, &h.output, &o, &h.error));
    REFUSED_SIZE(apf_check_verdict, apf_check(&h.text, NULL, NULL, &o, &h.error));
    REFUSED_SIZE(apf_check_verdict, apf_check_print(&h.text, 1, NULL, NULL, 0, &h.output, &o, &h.error));
    REFUSED_SIZE(apf_bolt_funnel, apf_bolt_convert(h.fdata, h.yaml, &h.text, &h.text, 1, NULL, &o, &h.error));
    REFUSED_SIZE(apf_bolt_funnel, apf_bolt_funnel_write(&o, &h.output, &h.error));
    REFUSED_SIZE(apf_file_info, apf_file_detect(&h.text, NULL, &o, &h.error));
    close_all(&h);
}

static void test_records(void **state)
{
    static const char text[] =
        "---\nDataAccessProfiles:\n  SampledRecords:\n    - { Symbol: s, AccessCount: 1 }\n";
    struct apf_input input = apf_input_memory(text, sizeof text - 1, "memory");
    struct apf_probe_encoder *e;
    struct apf_instr *memory;
    struct handles h;
    (void)state;
    open_all(&h);
    assert_int_equal(apf_instr_open(&memory, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_probe_encoder_new(&e, NULL, NULL), APF_OK);
    const struct apf_memprof *m = apf_instr_memprof(memory);
    REFUSED_OPTIONS(apf_record, apf_merge_add_record(h.merge, &o, 1, &h.error));
    REFUSED_SIZE(apf_fdata_record, apf_fdata_add(h.fdata, &o, &h.error));
    REFUSED_SIZE(apf_fdata_record, apf_fdata_record(h.fdata, 0, &o, &h.error));
    REFUSED_OPTIONS(apf_bolt_yaml_header, apf_bolt_yaml_declare(h.yaml, &o, &h.error));
    REFUSED_SIZE(apf_bolt_yaml_header, apf_bolt_yaml_header(h.yaml, &o, &h.error));
    REFUSED_SIZE(apf_bolt_yaml_function, apf_bolt_yaml_add(h.yaml, &o, &h.error));
    REFUSED_SIZE(apf_bolt_yaml_function, apf_bolt_yaml_function(h.yaml, 0, &o, &h.error));
    REFUSED_SIZE(apf_probe_entry, apf_probe_encoder_add(e, 0, &o, &h.error));
    REFUSED_SIZE(apf_memprof_function, apf_memprof_function(m, 0, &o, &h.error));
    REFUSED_SIZE(apf_memprof_alloc, apf_memprof_alloc(m, 0, 0, &o, &h.error));
    REFUSED_SIZE(apf_memprof_call_site, apf_memprof_call_site(m, 0, 0, &o, &h.error));
    REFUSED_SIZE(apf_memprof_data, apf_memprof_data(m, 0, &o, &h.error));
    REFUSED_SIZE(apf_memprof_location, apf_memprof_data_location(m, 0, 0, &o, &h.error));
    apf_probe_encoder_free(e);
    apf_instr_close(memory);
    close_all(&h);
}

/* Inputs are checked before a field of theirs is read: their name is no pointer. */
static void test_inputs(void **state)
{
    struct handles h;
    struct apf_check_programs *programs;
    struct apf_binary_functions *functions;
    struct apf_correlator *correlator;
    struct apf_instr *instr;
    struct apf_lookup *lookup;
    struct apf_info *info;
    struct apf_bat *bat;
    struct apf_probes *probes;
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_file_info file = {.size = sizeof file};
    struct apf_input bad;
    struct apf_correlator_options programs_of = {
        .size = sizeof programs_of, .programs = &bad, .n_programs = 1};
    struct apf_bolt_convert_options with_ids = {.size = sizeof with_ids, .build_ids = &bad};
    (void)state;
    open_all(&h);
    memset(&bad, 0x55, sizeof bad);
    bad.size = 0;
    programs_of.kind = APF_METADATA_BINARY;
#define REFUSED_INPUT(call) REFUSED("apf_input.size", call)
    REFUSED_INPUT(apf_instr_open(&instr, &bad, NULL, &h.error));
    REFUSED_INPUT(apf_lookup_open(&lookup, &bad, NULL, &h.error));
    REFUSED_INPUT(apf_info_open(&info, &bad, 1, NULL, &h.error));
    REFUSED_INPUT(apf_file_detect(&bad, NULL, &file, &h.error));
    REFUSED_INPUT(apf_check(&bad, NULL, NULL, &verdict, &h.error));
    REFUSED_INPUT(apf_check_print(&bad, 1, NULL, NULL, 0, &h.output, &verdict, &h.error));
    REFUSED_INPUT(apf_check_programs_open(&programs, &bad, 1, NULL, &h.error));
    REFUSED_INPUT(apf_binary_functions_open(&functions, &bad, 0, NULL, &h.error));
    REFUSED_INPUT(apf_correlator_open(&correlator, &programs_of, &h.error));
    REFUSED_INPUT(apf_correlate_print(&bad, NULL, &h.output, &h.error));
    REFUSED_INPUT(apf_bat_open(&bat, &bad, NULL, &h.error));
    REFUSED_INPUT(apf_bat_read_original(h.bat, &bad, NULL, NULL, &h.error));
    REFUSED_INPUT(apf_bat_write_program(h.bat, &bad, NULL, &h.output, &h.error));
    REFUSED_INPUT(apf_fdata_read(h.fdata, &bad, 1, &h.error));
    REFUSED_INPUT(apf_bolt_yaml_read(h.yaml, &bad, 1, &h.error));
    REFUSED_INPUT(apf_bolt_read(h.fdata, h.yaml, &bad, 1, &h.error));
    REFUSED_INPUT(apf_bolt_convert(h.fdata, h.yaml, &bad, &h.text, 1, NULL, NULL, &h.error));
    REFUSED_INPUT(apf_bolt_convert(h.fdata, h.yaml, &h.text, &bad, 1, NULL, NULL, &h.error));
    REFUSED_INPUT(apf_bolt_convert(h.fdata, h.yaml, &h.text, &h.text, 1, &with_ids, NULL, &h.error));
    REFUSED_INPUT(apf_merge_add(h.merge, &bad, 1, &h.error));
    REFUSED_INPUT(apf_probes_open(&probes, &bad, NULL, &h.error));
    REFUSED_INPUT(apf_probes_open_sections(&probes, &bad, NULL, NULL, &h.error));
    REFUSED_INPUT(apf_probes_open_sections(&probes, NULL, &bad, NULL, &h.error));
    REFUSED_INPUT(apf_probes_emit(&bad, 1, NULL, &h.output, NULL, &h.error));
    REFUSED_INPUT(apf_probe_assemble(&bad, NULL, &h.output, NULL, &h.error));
    close_all(&h);
}

static void test_outputs(void **state)
{
    struct handles h;
    (void)state;
    open_all(&h);
    REFUSED_OPTIONS(apf_output, apf_output_write(&o, "", 0, &h.error));
    REFUSED_OPTIONS(apf_output, apf_merge_write(h.merge, NULL, &o, &h.error));
    REFUSED_OPTIONS(apf_output, apf_instr_print(h.instr, NULL, &o, &h.error));
    REFUSED_OPTIONS(apf_output, apf_bat_write(h.bat, 0, &o, &h.error));
    REFUSED_OPTIONS(apf_output, apf_probes_print(h.probes, NULL, &o, &h.error));
    close_all(&h);
}

TEST_FILE(arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_options),  cmocka_unit_test(test_own_options),
        cmocka_unit_test(test_arguments_flags), cmocka_unit_test(test_write_formats),
        cmocka_unit_test(test_results),         cmocka_unit_test(test_records),
        cmocka_unit_test(test_inputs),          cmocka_unit_test(test_outputs),
    };
    return RUN_TESTS(tests);
}
