/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds and programs of files in apf_info_open. */
#include "helpers/shared/info_memory.h"
#include "helpers/shared/program_build.h"

#include <stdlib.h>
#include <string.h>

#include <anyprof/correlate.h>
#include <anyprof/jobs.h>
#include <anyprof/merge.h>

static const uint64_t counts[] = {7, 0, 9}, zeros[] = {0, 0};
static const struct rb_function functions[] = {
    {.name = "first", .hash = 11, .counts = counts, .n_counts = 3},
    {.name = "second", .hash = 12, .counts = zeros, .n_counts = 2}};

/* ---- programs, and profiles without metadata ---- */

static const struct pb_function program_functions[] = {
    {"main", 0x1111, 3, 0, 0}, {"a.c;local", 0x2222, 1, 2, 0}, {"last", 5, 2, 1, 0}};

static void profile_without_metadata(void **state)
{
    (void)state;
    static const struct {
        enum pb_kind kind;
        uint64_t variant;
        int32_t metadata;
    } rows[] = {{PB_BINARY, RB_IR, APF_METADATA_BINARY},
                {PB_DEBUG_INFO, RB_IR | RB_CORRELATE, APF_METADATA_DEBUG_INFO},
                {PB_BINARY, 0, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pb_program p = {.kind = rows[i].kind,
                               .version = 10,
                               .bytes = 8,
                               .big = true,
                               .functions = program_functions,
                               .n_functions = COUNT(program_functions)};
        struct rb_file file = {.big = true};
        pb_append(&file, &p, 100, "build id");
        rb_put(&file, 8, 8, 10 | rows[i].variant);
        struct apf_input input = input_in_memory(file.data, file.n, "bare");
        struct apf_info *info = info_of_inputs(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_null(f->error);
        assert_int_equal(apf_info_unreadable(info), 0);
        assert_int_equal(f->version, 10);
        assert_true(f->variant == rows[i].variant);
        assert_int_equal(f->metadata, rows[i].metadata);
        assert_int_equal(f->n_bare, 1);
        assert_int_equal(f->n_profiles, 1);
        assert_int_equal(f->n_functions, 0);
        assert_int_equal(f->n_counters, 6);
        assert_int_equal(f->pointer_bits, 64);
        assert_int_equal(f->big_endian, 1);
        assert_int_equal(f->n_binary_ids, 1);
        assert_memory_equal(f->binary_ids[0].p, "build id", 8);
        assert_true(f->producers == releases_from_to("19", "22"));
        assert_true(f->build_digest == 0);
        assert_int_equal(f->n_findings, 0);
        assert_string_equal(f->parts[0].name, "header");
        assert_true(f->n_parts >= 3);
        apf_info_close(info);
        rb_free(&file);
    }
}

/* Functions, counters and value sites of programs, loaded or not, of any width and byte order. */
static void programs(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 16; way++) {
        struct pb_program p = {.kind = way & 1 ? PB_BINARY : PB_LOADED,
                               .version = 10,
                               .bytes = way & 2 ? 4 : 8,
                               .big = (way & 4) != 0,
                               .functions = program_functions,
                               .n_functions = COUNT(program_functions),
                               .build_id = "build id",
                               .version_word = way & 8 ? 10 | RB_IR : 0};
        struct eb_bytes elf = pb_build(&p);
        struct apf_input input = input_in_memory(elf.data, elf.n, "program");
        struct apf_info *info = info_of_inputs(&input, 1);
        const struct apf_file_facts *f = apf_info_file(info, 0);
        assert_null(f->error);
        assert_int_equal(f->file->kind, APF_KIND_ELF);
        assert_true(f->file->contents & APF_ELF_INSTRUMENTED);
        assert_int_equal(f->metadata, way & 1 ? APF_METADATA_BINARY : APF_METADATA_LOADED);
        assert_int_equal(f->version, way & 8 ? 10 : 0);
        assert_true(f->variant == (way & 8 ? RB_IR : 0));
        assert_int_equal(f->n_functions, 3);
        assert_int_equal(f->n_counters, 6);
        assert_int_equal(f->n_bitmaps, 2);
        assert_int_equal(f->n_bitmap_bytes, 3);
        assert_true(f->build_digest != 0);
        apf_info_close(info);
        free(elf.data);
    }
}

/* ---- groups ---- */

static void write_merge(const struct apf_input *input, struct apf_buffer *out)
{
    struct apf_output output = apf_output_buffer(out);
    struct apf_merge *merge;
    assert_int_equal(apf_merge_new(&merge, NULL, NULL), APF_OK);
    assert_int_equal(apf_merge_add(merge, input, 1, NULL), APF_OK);
    assert_int_equal(apf_merge_write(merge, NULL, &output, NULL), APF_OK);
    apf_merge_free(merge);
}

/* The build digest is that of the program, its profiles in any order, and what they are merged to; timestamps, names of
 * functions without a record, and records without a name are nothing to it. */
static void shapes(void **state)
{
    (void)state;
    static const uint64_t many[] = {1, 2, 3};
    static const struct rb_function forward[] = {
        {.name = "main", .hash = 0x1111, .counts = many, .n_counts = 3},
        {.name = "a.c;local", .hash = 0x2222, .counts = many, .n_counts = 1},
        {.name = "last", .hash = 5, .counts = many, .n_counts = 2},
        {.name = "stripped", .hash = 7, .counts = many, .n_counts = 2, .unnamed = true}};
    const struct rb_function backward[] = {forward[2], forward[0], forward[1], forward[0]};
    const struct rb_function other[] = {forward[0], forward[1]};
    static const struct pb_function with_time[] = {
        {"main", 0x1111, 4, 0, 0}, {"a.c;local", 0x2222, 2, 0, 0}, {"last", 5, 3, 0, 0}};
    static const char *const more[] = {"unused"};
    const struct rb_profile runs[] = {
        {.version = 10, .bytes = 8, .variant = RB_IR, .functions = forward, .n_functions = 4},
        {.version = 10,
         .bytes = 8,
         .variant = RB_IR,
         .functions = backward,
         .n_functions = 4,
         .more_names = more,
         .n_more_names = 1},
        {.version = 10, .bytes = 8, .variant = RB_IR | RB_TEMPORAL, .functions = forward, .n_functions = 3},
        {.version = 10, .bytes = 8, .variant = RB_IR, .functions = other, .n_functions = 2}};
    struct pb_program p = {.kind = PB_LOADED,
                           .version = 10,
                           .bytes = 8,
                           .functions = with_time,
                           .n_functions = 3,
                           .version_word = 10 | RB_IR | RB_TEMPORAL};
    struct pb_program q = p;
    q.kind = PB_BINARY;
    q.functions = program_functions;
    q.version_word = 10 | RB_IR;
    struct eb_bytes elf[] = {pb_build(&p), pb_build(&q)};
    struct rb_file files[COUNT(runs)] = {{0}};
    struct apf_buffer merged = {NULL, 0, 0};
    struct apf_input inputs[COUNT(runs) + 3];
    for (size_t i = 0; i < COUNT(runs); i++) {
        rb_append(&files[i], &runs[i], NULL);
        inputs[i] = input_in_memory(files[i].data, files[i].n, "run");
    }
    write_merge(&inputs[0], &merged);
    inputs[4] = input_in_memory(merged.data, merged.n, "merged");
    inputs[5] = input_in_memory(elf[0].data, elf[0].n, "temporal");
    inputs[6] = input_in_memory(elf[1].data, elf[1].n, "program");
    struct apf_info *info = info_of_inputs(inputs, COUNT(inputs));
    for (size_t i = 0; i < COUNT(inputs); i++) {
        const struct apf_file_facts *f = apf_info_file(info, i);
        assert_null(f->error);
        assert_true(f->build_digest != 0);
        assert_true((f->build_digest == apf_info_file(info, 0)->build_digest) == (i != 3));
        /* By the digest they are of the first program that has it. */
        size_t group = apf_info_group(info, i);
        assert_int_equal(apf_info_program(info, group, 0), i == 3 || i > 4 ? SIZE_MAX : 5);
        assert_true(apf_info_program(info, group, 1) == SIZE_MAX);
    }
    apf_info_close(info);
    apf_buffer_free(&merged);
    for (size_t i = 0; i < COUNT(runs); i++)
        rb_free(&files[i]);
    free(elf[0].data);
    free(elf[1].data);
}

/* By the id where there are ids, whatever the digest; without one the digest decides. */
static void programs_of_groups(void **state)
{
    (void)state;
    static const char *const ids[] = {"build a ", "build b ", "build a ", NULL, "build c "};
    struct pb_program p = {.kind = PB_LOADED,
                           .version = 10,
                           .bytes = 8,
                           .functions = program_functions,
                           .n_functions = 3,
                           .version_word = 10};
    struct eb_bytes elf[3];
    struct rb_file files[COUNT(ids)] = {{0}};
    struct apf_input inputs[3 + COUNT(ids)];
    for (size_t i = 0; i < 3; i++) { /* a, b, and one without an id */
        p.build_id = i < 2 ? ids[i] : NULL;
        elf[i] = pb_build(&p);
        inputs[i] = input_in_memory(elf[i].data, elf[i].n, "program");
    }
    static const struct rb_function own[] = {
        {.name = "main", .hash = 0x1111, .counts = counts, .n_counts = 3},
        {.name = "a.c;local", .hash = 0x2222, .counts = counts, .n_counts = 1},
        {.name = "last", .hash = 5, .counts = counts, .n_counts = 2}};
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct rb_bytes list[2] = {{ids[i], 8}, {"build b ", 8}};
        struct rb_profile run = {.version = 10,
                                 .bytes = 8,
                                 .functions = i == 0 ? functions : own,
                                 .n_functions = i == 0 ? 2 : 3,
                                 .ids = list,
                                 .n_ids = i == 2 ? 2 : ids[i] != NULL};
        rb_append(&files[i], &run, NULL);
        inputs[3 + i] = input_in_memory(files[i].data, files[i].n, "run");
    }
    struct apf_info *info = info_of_inputs(inputs, COUNT(inputs));
    static const size_t expected[COUNT(ids)][2] = {
        {0, SIZE_MAX}, {1, SIZE_MAX}, {0, 1}, {2, SIZE_MAX}, {2, SIZE_MAX}};
    for (size_t i = 0; i < COUNT(ids); i++) {
        size_t group = apf_info_group(info, 3 + i);
        assert_true(apf_info_program(info, group, 0) == expected[i][0]);
        assert_true(apf_info_program(info, group, 1) == expected[i][1]);
        assert_true(apf_info_program(info, group, 2) == SIZE_MAX);
        rb_free(&files[i]);
    }
    assert_true(apf_info_program(info, SIZE_MAX, 0) == SIZE_MAX);
    apf_info_close(info);
    for (size_t i = 0; i < 3; i++)
        free(elf[i].data);
}

/* A file without a build id shares its build with no other file; files of a kind without builds form one group. */
static void unknown_builds(void **state)
{
    (void)state;
    static const char yaml[] =
        "---\nHeapProfileRecords:\n  - GUID: 0x1\n    CallSites:\n      - Frames:\n"
        "          - { Function: 0xa, LineOffset: 1, Column: 2, IsInlineFrame: false }\n";
    static const char comment[] = "# nothing\n", fdata[] = "1 main 0 1 foo 0 0 5\n";
    struct pb_program p = {.kind = PB_DEBUG_INFO,
                           .version = 10,
                           .bytes = 8,
                           .functions = program_functions,
                           .n_functions = 1,
                           .dwarf = 4,
                           .version_word = 10 | RB_CORRELATE};
    struct rb_file file = {0};
    struct eb_bytes elf = pb_build(&p);
    pb_append(&file, &p, 1, NULL);
    struct apf_input kinds[] = {
        input_in_memory(yaml, sizeof yaml - 1, "yaml"),    input_in_memory(comment, sizeof comment - 1, "c"),
        input_in_memory(elf.data, elf.n, "program"),       input_in_memory(file.data, file.n, "bare"),
        input_in_memory(fdata, sizeof fdata - 1, "fdata"), input_in_memory("", 0, "empty")};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct apf_input twice[] = {kinds[i], kinds[i]};
        struct apf_info *info = info_of_inputs(twice, 2);
        assert_null(apf_info_file(info, 0)->error);
        assert_int_equal(apf_info_group(info, 0), 0);
        assert_int_equal(apf_info_group(info, 1), i < 4);
        apf_info_close(info);
    }
    rb_free(&file);
    free(elf.data);
}

/* Runs of one program have its id, or its build digest; counts and load address are their own. */
static void groups(void **state)
{
    (void)state;
    static const struct rb_bytes one[] = {{"one", 3}}, two[] = {{"two", 3}};
    static const struct rb_function changed[] = {
        {.name = "first", .hash = 11, .counts = counts, .n_counts = 3},
        {.name = "second", .hash = 13, .counts = zeros, .n_counts = 2}};
    const struct rb_profile runs[] = {
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .ids = one, .n_ids = 1},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .ids = two, .n_ids = 1},
        {.version = 10,
         .bytes = 8,
         .functions = functions,
         .n_functions = 2,
         .ids = one,
         .n_ids = 1,
         .load = 4096},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2},
        {.version = 10, .bytes = 8, .functions = changed, .n_functions = 2},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .load = 8192},
        {.version = 9, .bytes = 8, .functions = functions, .n_functions = 2},
        {.version = 10, .bytes = 8, .functions = functions, .n_functions = 2, .variant = RB_IR},
    };
    static const size_t expected[] = {0, 1, 0, 2, 3, 2, 4, 5};
    struct rb_file files[COUNT(runs)] = {{0}};
    struct apf_input inputs[COUNT(runs)];
    for (size_t i = 0; i < COUNT(runs); i++) {
        rb_append(&files[i], &runs[i], NULL);
        inputs[i] = input_in_memory(files[i].data, files[i].n, "run");
    }
    struct apf_info *info = info_of_inputs(inputs, COUNT(runs));
    for (size_t i = 0; i < COUNT(runs); i++) {
        assert_int_equal(apf_info_group(info, i), expected[i]);
        rb_free(&files[i]);
    }
    assert_true(apf_info_file(info, 3)->build_digest == apf_info_file(info, 0)->build_digest);
    assert_true(apf_info_file(info, 3)->build_digest != apf_info_file(info, 4)->build_digest);
    apf_info_close(info);
}

/* ---- several threads ---- */

static int check_progress(void *user, const struct apf_progress *now)
{
    struct apf_progress *last = user;
    assert_true(now->n_done >= last->n_done && now->bytes >= last->bytes && now->n_bad >= last->n_bad);
    *last = *now;
    return 0;
}

static int stop(void *user, const struct apf_progress *now)
{
    (void)user;
    (void)now;
    return 1;
}

/* Facts and groups of files do not depend on the threads that read them; progress reports the end. */
static void threads(void **state)
{
    (void)state;
    enum { FILES = 40 };
    struct rb_file files[FILES] = {{0}};
    struct apf_input inputs[FILES + 1];
    uint64_t bytes = 3;
    for (size_t i = 0; i < FILES; i++) {
        const struct rb_profile run = {
            .version = 10, .bytes = i % 3 ? 8 : 4, .functions = functions, .n_functions = 1 + i % 2};
        rb_append(&files[i], &run, NULL);
        inputs[i] = input_in_memory(files[i].data, files[i].n, "run");
        bytes += files[i].n;
    }
    inputs[FILES] = input_in_memory("\1\2\3", 3, "bad");
    for (uint32_t n = 1; n <= 8; n *= 2) {
        struct apf_progress last = {0, 0, 0, 0};
        struct apf_options options = {
            .size = sizeof options, .threads = n, .progress = check_progress, .progress_user = &last};
        struct apf_info *info;
        assert_int_equal(apf_info_open(&info, inputs, FILES + 1, &options, NULL), APF_OK);
        for (size_t i = 0; i < FILES; i++) {
            const struct apf_file_facts *f = apf_info_file(info, i);
            assert_int_equal(f->n_functions, 1 + i % 2);
            assert_int_equal(f->pointer_bits, i % 3 ? 64 : 32);
            /* Numbered by the first files: 32 bits, 64 and two functions, 64 and one, 32 and two. */
            assert_int_equal(apf_info_group(info, i), i % 3 ? 2 - i % 2 : i % 2 ? 3 : 0);
        }
        assert_int_equal(apf_info_unreadable(info), 1);
        options.progress = stop;
        struct apf_info *none;
        assert_int_equal(apf_info_open(&none, inputs, FILES + 1, &options, NULL), APF_STOPPED);
        assert_null(none);
        assert_int_equal(last.n_done, FILES + 1);
        assert_int_equal(last.n_inputs, FILES + 1);
        assert_int_equal(last.n_bad, 1);
        assert_int_equal(last.bytes, bytes);
        apf_info_close(info);
    }
    for (size_t i = 0; i < FILES; i++)
        rb_free(&files[i]);
}

TEST_FILE(info_builds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_without_metadata),
        cmocka_unit_test(programs),
        cmocka_unit_test(groups),
        cmocka_unit_test(shapes),
        cmocka_unit_test(programs_of_groups),
        cmocka_unit_test(unknown_builds),
        cmocka_unit_test(threads),
    };
    return RUN_TESTS(tests);
}
