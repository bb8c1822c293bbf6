/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A call that succeeds does not write its error record, also where it has met failures that it can do without. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anyprof/anyprof.h>

#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

static const char good[] = "foo\n1\n1\n10\na.c:bar\n2\n1\n20\n", other[] = "foo\n1\n2\n1\n2\n",
                  cut[] = "foo\n1\n1\n10\nbar\n2\n2\n2", junk[] = "\x1f\x8b\x08 no gzip",
                  elf[] = "\177ELF\2\1\1 and no more than that, which is less than a header";

static const struct pb_function functions[] = {{"main", 0x1111, 3, 0, 0}, {"other", 9, 2, 0, 0}};

static struct apf_error error, untouched;

static void poison(void)
{
    memset(&untouched, 0x5a, sizeof untouched);
    error = untouched;
}

/* A call that returns APF_OK, or another code that is no failure, and leaves the error as it was. */
#define KEPT_CODE(code, call)                                                                                \
    do {                                                                                                     \
        poison();                                                                                            \
        assert_int_equal(call, code);                                                                        \
        assert_memory_equal(&error, &untouched, sizeof error);                                               \
    } while (0)
#define KEPT(call) KEPT_CODE(APF_OK, call)

static struct apf_input text_input(const char *text)
{
    return apf_input_memory(text, strlen(text), "text");
}

static void make_file(const char *name, const char *text)
{
    file_make(temp_path(name), text, strlen(text));
}

static void test_open(void **state)
{
    struct apf_options salvage = {.size = sizeof salvage, .flags = APF_FLAG_SALVAGE};
    struct apf_input damaged = text_input(cut), whole = text_input(good);
    struct apf_str name = {"a.c;bar", 7}, plain = {"foo", 3};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_record record = {.size = sizeof record};
    struct apf_lookup *lookup;
    struct apf_instr *instr;
    (void)state;
    KEPT(apf_instr_open(&instr, &damaged, &salvage, &error));
    assert_non_null(apf_instr_salvage(instr));
    KEPT(apf_instr_find(instr, plain, 1, &record, &error));
    KEPT(apf_instr_record(instr, 0, &record, &error));
    KEPT_CODE(APF_END, apf_instr_record(instr, 1, &record, &error));
    KEPT(apf_instr_print(instr, NULL, &output, &error));
    KEPT(apf_overlap_print(instr, instr, NULL, &output, NULL, &error));
    KEPT(apf_instr_write_json(instr, &output, &error));
    apf_instr_close(instr);
    KEPT(apf_lookup_open(&lookup, &whole, NULL, &error));
    KEPT(apf_lookup_find(lookup, name, 2, &record, &error)); /* under the other separator */
    apf_lookup_close(lookup);
    apf_buffer_free(&buffer);
}

static void test_merge(void **state)
{
    struct apf_options common = {.size = sizeof common, .flags = APF_FLAG_SALVAGE};
    struct apf_merge_options options = {
        .size = sizeof options, .options = &common, .flags = APF_MERGE_FIND_LOSSES, .tolerance = &any_loss};
    struct apf_output output;
    struct apf_instr *view;
    struct apf_merge *m;
    struct apf_str names[] = {{"foo", 3}, {"foo", 3}, {"baz", 3}};
    (void)state;
    make_file("good", good);
    make_file("other", other);
    make_file("cut", cut);
    make_file("junk", junk);
    make_file("empty", "");
    struct apf_input inputs[] = {apf_input_file(temp_path("good")),  apf_input_file(temp_path("other")),
                                 apf_input_file(temp_path("cut")),   apf_input_file(temp_path("junk")),
                                 apf_input_file(temp_path("empty")), apf_input_file(temp_path("missing"))};
    KEPT(apf_merge_new(&m, &options, &error));
    KEPT(apf_merge_add(m, inputs, COUNT(inputs), &error));
    KEPT(apf_merge_add_names(m, names, COUNT(names), &error));
    KEPT(apf_merge_view(m, &view, &error));
    output = apf_output_file(temp_path("out"));
    KEPT(apf_merge_write(m, NULL, &output, &error));
    output = apf_output_file(temp_path("report"));
    KEPT(apf_merge_write_report(m, &any_loss, &output, &error));
    apf_merge_free(m);

    const char *paths[] = {temp_path("good"), temp_path("missing"), temp_path("cut")};
    KEPT(apf_merge_files(paths, COUNT(paths), NULL, &any_loss, temp_path("out"), &error));
    size_t n;
    char **list;
    KEPT(apf_paths_expand(temp_path("."), NULL, &list, &n, NULL, &error));
    apf_paths_free(list);
}

static void test_remove(void **state)
{
    struct apf_merge_options options = {.size = sizeof options, .flags = APF_MERGE_REMOVE_INPUTS};
    struct apf_merge *m;
    (void)state;
    make_file("one", good);
    make_file("two", good);
    struct apf_input inputs[] = {apf_input_file(temp_path("one")), apf_input_file(temp_path("two"))};
    struct apf_output output = apf_output_file(temp_path("sum"));
    options.output = output.path;
    KEPT(apf_merge_new(&m, &options, &error));
    KEPT(apf_merge_add(m, inputs, COUNT(inputs), &error));
    KEPT(apf_merge_write(m, NULL, &output, &error));
    assert_int_equal(apf_merge_stats(m)->n_removed, 2);
    apf_merge_free(m);
}

static void test_files(void **state)
{
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_file_info kind = {.size = sizeof kind};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_input inputs[] = {text_input(good), text_input(cut), text_input(junk),
                                 text_input(elf),  text_input(""),  apf_input_file(temp_path("missing"))};
    struct apf_info *info;
    (void)state;
    for (size_t i = 0; i + 1 < COUNT(inputs); i++)
        KEPT(apf_file_detect(&inputs[i], NULL, &kind, &error));
    for (size_t i = 0; i < COUNT(inputs); i++)
        KEPT(apf_check(&inputs[i], NULL, NULL, &verdict, &error));
    KEPT(apf_check_print(inputs, COUNT(inputs), NULL, NULL, 0, &output, &verdict, &error));
    KEPT(apf_info_open(&info, inputs, COUNT(inputs), NULL, &error));
    KEPT(apf_info_print(info, 0, &output, &error));
    KEPT(apf_info_print(info, APF_INFO_JSON, &output, &error));
    apf_info_close(info);
    apf_buffer_free(&buffer);
}

/* Programs that a profile does not belong to are tried and found wanting before the one that it does. */
static void test_programs(void **state)
{
    struct pb_program p = {.kind = PB_BINARY, .version = 10, .bytes = 8, .functions = functions};
    struct apf_correlator_options options = {.size = sizeof options, .kind = APF_METADATA_BINARY};
    struct apf_options common = {.size = sizeof common};
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_check_programs *programs;
    struct apf_binary_functions *of;
    struct apf_correlator *correlator;
    struct apf_instr *instr;
    struct rb_file file = {NULL, 0, 0, false};
    (void)state;
    p.n_functions = COUNT(functions);
    p.build_id = "12345678";
    struct eb_bytes bytes = pb_build(&p);
    pb_append(&file, &p, 100, p.build_id);
    assert_int_equal(mkdir(temp_path("programs"), 0777), 0);
    make_file("programs/a", elf);
    make_file("programs/b", junk);
    file_make(temp_path("programs/c"), bytes.data, bytes.n);
    const char *directory = temp_path("programs");
    struct apf_input program = apf_input_memory(bytes.data, bytes.n, "program");
    struct apf_input profile = apf_input_memory(file.data, file.n, "profile");
    options.directories = &directory;
    options.n_directories = 1;
    KEPT(apf_binary_functions_open(&of, &program, APF_METADATA_ANY, NULL, &error));
    apf_binary_functions_close(of);
    KEPT(apf_correlator_open(&correlator, &options, &error));
    common.correlation = apf_correlator_source(correlator);
    KEPT(apf_instr_open(&instr, &profile, &common, &error));
    KEPT(apf_correlator_report(correlator, &error));
    apf_instr_close(instr);
    apf_correlator_close(correlator);
    KEPT(apf_check_programs_open(&programs, &program, 1, NULL, &error));
    KEPT(apf_check(&profile, programs, NULL, &verdict, &error));
    assert_int_equal(verdict.n_bad_files, 0);
    apf_check_programs_close(programs);
    free(bytes.data);
    rb_free(&file);
}

static void test_probes(void **state)
{
    static const uint8_t damaged[] = {1, 2, 3};
    struct apf_probe_options options = {.size = sizeof options, .flags = APF_PROBES_OPEN_KEEP_GOING};
    struct apf_input input = apf_input_memory(damaged, sizeof damaged, "section");
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_probes *probes;
    (void)state;
    KEPT(apf_probes_open_sections(&probes, &input, &input, &options, &error));
    KEPT(apf_probes_check(probes, NULL, NULL, &output, NULL, &error));
    KEPT(apf_probes_print(probes, NULL, &output, &error));
    apf_probes_close(probes);
    apf_buffer_free(&buffer);
}

static void test_bolt(void **state)
{
    struct apf_input inputs[] = {text_input(""), text_input("1 f a 1 g b 1 2\n")};
    struct apf_fdata_record record = {.size = sizeof record};
    struct apf_bolt_yaml *yaml;
    struct apf_fdata *fdata;
    (void)state;
    KEPT(apf_fdata_new(&fdata, NULL, &error));
    KEPT(apf_bolt_yaml_new(&yaml, NULL, &error));
    KEPT(apf_bolt_read(fdata, yaml, inputs, 2, &error));
    KEPT(apf_fdata_sort(fdata, &error));
    KEPT(apf_fdata_record(fdata, 0, &record, &error));
    KEPT_CODE(APF_END, apf_fdata_record(fdata, 1, &record, &error));
    apf_bolt_yaml_free(yaml);
    apf_fdata_free(fdata);
}

TEST_FILE(error_kept)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open), TEST_WITH_DIR(test_merge),    TEST_WITH_DIR(test_remove),
        TEST_WITH_DIR(test_files),   TEST_WITH_DIR(test_programs), cmocka_unit_test(test_probes),
        cmocka_unit_test(test_bolt),
    };
    return RUN_TESTS(tests);
}
