/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles whose metadata is in their program: sections and DWARF of either size and byte order, several programs,
 * and programs of another build. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/correlate.h>
#include <anyprof/merge.h>

#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

static const struct pb_function some[] = {
    {"main", 0x1111, 3, 0, 0},
    {"file.c;local", 0x2222, 1, 2, 0},
    {"_ZN1a1bEv", 0xfff0000000000001, 7, 0, 0},
    {"last", 5, 2, 1, 0},
};
static const struct pb_function others[] = {{"main", 0x1111, 3, 0, 0}, {"other", 9, 2, 0, 0}};

#define MOST_PROGRAMS 4u

/* Programs, opened. */
struct opened {
    struct eb_bytes elf[MOST_PROGRAMS];
    struct apf_input inputs[MOST_PROGRAMS];
    struct apf_correlator *correlator;
};

static int open_programs(struct opened *o, const struct pb_program *p, size_t n, struct apf_error *error)
{
    struct apf_correlator_options options = {.size = sizeof options, .programs = o->inputs, .n_programs = n};
    options.kind = p->kind == PB_BINARY ? APF_METADATA_BINARY : APF_METADATA_DEBUG_INFO;
    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < n; i++) {
        o->elf[i] = pb_build(&p[i]);
        o->inputs[i] = apf_input_memory(o->elf[i].data, o->elf[i].n, "program");
    }
    return apf_correlator_open(&o->correlator, &options, error);
}

static void close_programs(struct opened *o)
{
    apf_correlator_close(o->correlator);
    for (size_t i = 0; i < MOST_PROGRAMS; i++)
        free(o->elf[i].data);
}

static int open_profile(struct apf_instr **instr, const struct opened *o, const struct rb_file *file,
                        struct apf_error *error)
{
    struct apf_input input = apf_input_memory(file->data, file->n, "profile");
    struct apf_options options = {.size = sizeof options};
    options.correlation = o ? apf_correlator_source(o->correlator) : NULL;
    return apf_instr_open(instr, &input, &options, error);
}

/* The profile of a program, whose counters are first, first + 1, ... */
static void check_records(struct apf_instr *instr, const struct pb_program *p, uint64_t first)
{
    struct apf_record r = {.size = sizeof r};
    uint8_t byte = 1;
    size_t n = 0;
    for (size_t i = 0; i < p->n_functions; i++) {
        const struct pb_function *f = &p->functions[i];
        if (f->flags)
            continue;
        assert_int_equal(apf_instr_record(instr, n++, &r, NULL), APF_OK);
        assert_int_equal(r.name.n, strlen(f->name));
        assert_memory_equal(r.name.p, f->name, r.name.n);
        assert_int_equal(r.id, rb_id(f->name));
        assert_int_equal(r.hash, f->hash);
        assert_int_equal(r.n_counts, f->n_counts);
        for (size_t k = 0; k < r.n_counts; k++)
            assert_int_equal(r.counts[k], first++);
        assert_int_equal(r.n_bitmap, p->version >= 9 ? f->n_bitmap : 0);
        for (size_t k = 0; k < r.n_bitmap; k++)
            assert_int_equal(r.bitmap[k], byte++);
        assert_int_equal(r.n_sites[0] + r.n_sites[1] + r.n_sites[2], 0);
    }
    assert_int_equal(apf_instr_record(instr, n, &r, NULL), APF_END);
}

static void check_program(const struct pb_program *p)
{
    struct opened o;
    struct rb_file file = {NULL, 0, 0, false};
    struct apf_instr *instr = NULL;
    struct apf_error error = {.message = ""};
    pb_append(&file, p, 100, p->build_id);
    if (open_programs(&o, p, 1, &error) != APF_OK || open_profile(&instr, &o, &file, &error) != APF_OK)
        fail_msg("version %u, %u bytes, kind %d: %s", p->version, p->bytes, (int)p->kind, error.message);
    check_records(instr, p, 100);
    apf_instr_close(instr);
    assert_int_equal(open_profile(&instr, NULL, &file, &error), APF_MISSING_CORRELATION);
    rb_free(&file);
    close_programs(&o);
}

static void test_sections(void **state)
{
    (void)state;
    for (unsigned version = 9; version <= RB_NEWEST; version++)
        for (unsigned way = 0; way < 16; way++) {
            struct pb_program p = {.kind = PB_BINARY, .version = version, .bytes = way & 1 ? 4 : 8};
            p.big = (way & 2) != 0;
            p.functions = some;
            p.n_functions = COUNT(some);
            p.build_id = way & 4 ? "build id" : NULL;
            p.version_word = way & 8 ? version : 0;
            check_program(&p);
        }
}

static void test_dwarf(void **state)
{
    (void)state;
    for (unsigned version = 8; version <= RB_NEWEST; version++)
        for (unsigned way = 0; way < 16; way++) {
            struct pb_program p = {.kind = PB_DEBUG_INFO, .version = version, .bytes = way & 1 ? 4 : 8};
            p.big = (way & 2) != 0;
            p.functions = some;
            p.n_functions = version == 8 ? 1 : COUNT(some); /* version 8 has no bitmaps */
            p.dwarf = way & 4 ? 5 : 4;
            p.numbered = (way & 12) == 12;
            check_program(&p);
        }
}

/* ---- findings ---- */

struct kept_texts {
    char text[8][240];
    size_t n;
};

static int keep_text(void *user, const struct apf_diag *diag)
{
    struct kept_texts *t = user;
    assert_int_equal(diag->code, APF_METADATA_SKIPPED);
    assert_true(t->n < COUNT(t->text));
    memcpy(t->text[t->n++], diag->error->message, sizeof diag->error->message);
    return 0;
}

static const struct pb_function odd[] = {
    {"good", 1, 1, 0, 0},
    {"good", 1, 1, 0, PB_AGAIN},
    {"nameless", 2, 1, 0, PB_NO_NAME},
    {"hashless", 3, 1, 0, PB_NO_HASH},
    {"countless", 4, 1, 0, PB_NO_COUNT},
    {"placeless", 5, 1, 0, PB_NO_ADDRESS},
    {"dropped", 6, 1, 0, PB_NO_ADDRESS | PB_NO_FUNCTION},
    {"outside", 7, 1, 0, PB_OUTSIDE},
};

/* LLVM's words. */
static const char *const words[] = {
    "Incomplete DIE for function None: CFGHash=2  CounterPtr=16392  NumCounters=1",
    "Incomplete DIE for function hashless: CFGHash=None  CounterPtr=16400  NumCounters=1",
    "Incomplete DIE for function countless: CFGHash=4  CounterPtr=16408  NumCounters=None",
    "Incomplete DIE for function placeless: CFGHash=5  CounterPtr=None  NumCounters=1",
    "CounterPtr out of range for function outside: Actual=0x10 Expected=[0x4000, 0x4038)",
};

static void test_warnings(void **state)
{
    struct pb_program p = {.kind = PB_DEBUG_INFO, .version = 10, .bytes = 8, .functions = odd, .dwarf = 5};
    struct kept_texts kept_texts = {.n = 0};
    struct apf_correlator_options options = {.size = sizeof options, .n_programs = 1};
    struct apf_correlator *c;
    (void)state;
    p.n_functions = COUNT(odd);
    struct eb_bytes elf = pb_build(&p);
    struct apf_input input = apf_input_memory(elf.data, elf.n, "program");
    options.programs = &input;
    options.kind = APF_METADATA_DEBUG_INFO;
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.diag = keep_text;
    common.user = &kept_texts;
    assert_int_equal(apf_correlator_open(&c, &options, NULL), APF_OK);
    assert_int_equal(kept_texts.n, COUNT(words));
    for (size_t i = 0; i < kept_texts.n; i++)
        assert_string_equal(kept_texts.text[i], words[i]);
    apf_correlator_close(c);
    kept_texts.n = 0;
    options.max_warnings = 2;
    assert_int_equal(apf_correlator_open(&c, &options, NULL), APF_OK);
    assert_int_equal(kept_texts.n, 3);
    assert_string_equal(kept_texts.text[1], words[1]);
    assert_string_equal(kept_texts.text[2], "Suppressed 3 additional warnings");
    apf_correlator_close(c);
    free(elf.data);
    check_program(&(struct pb_program){
        .kind = PB_DEBUG_INFO, .version = 10, .bytes = 8, .functions = odd, .n_functions = 2, .dwarf = 4});
}

static int keep_quirk(void *user, const struct apf_diag *diag)
{
    assert_string_equal(diag->error->where, "quirk.BITMAP_UNKNOWN");
    assert_int_equal(diag->severity, APF_SEVERITY_WARNING);
    ++*(int *)user;
    return 0;
}

/* LLVM 19 to 22 do not describe bitmaps in DWARF. */
static void test_unknown_bitmap(void **state)
{
    static const struct pb_function f = {"f", 1, 2, 3, PB_NO_BITS};
    struct pb_program p = {
        .kind = PB_DEBUG_INFO, .version = 10, .bytes = 8, .functions = &f, .n_functions = 1, .dwarf = 5};
    struct opened o;
    struct rb_file file = {NULL, 0, 0, false};
    struct apf_instr *instr;
    int kept_texts = 0;
    (void)state;
    pb_append(&file, &p, 5, NULL);
    assert_int_equal(open_programs(&o, &p, 1, NULL), APF_OK);
    struct apf_input input = apf_input_memory(file.data, file.n, "profile");
    struct apf_options options = {.size = sizeof options, .diag = keep_quirk, .user = &kept_texts};
    options.correlation = apf_correlator_source(o.correlator);
    assert_int_equal(apf_instr_open(&instr, &input, &options, NULL), APF_OK);
    assert_int_equal(kept_texts, 1);
    assert_int_equal(apf_instr_info(instr)->n_counters, 2);
    apf_instr_close(instr);
    rb_free(&file);
    close_programs(&o);
}

/* ---- several programs ---- */

static void test_build_ids(void **state)
{
    struct pb_program p[] = {
        {.kind = PB_BINARY,
         .version = 10,
         .bytes = 8,
         .functions = some,
         .n_functions = 4,
         .build_id = "id of a."},
        {.kind = PB_BINARY,
         .version = 10,
         .bytes = 8,
         .functions = others,
         .n_functions = 2,
         .build_id = "id of b."},
    };
    struct opened o;
    struct rb_file file = {NULL, 0, 0, false};
    struct apf_instr *instr;
    struct apf_error error;
    (void)state;
    assert_int_equal(open_programs(&o, p, 2, &error), APF_OK);
    pb_append(&file, &p[1], 40, p[1].build_id); /* a library's profile after the program's */
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_OK);
    check_records(instr, &p[1], 40);
    apf_instr_close(instr);
    pb_append(&file, &p[0], 70, p[0].build_id);
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_OK);
    assert_int_equal(apf_instr_info(instr)->n_records, 6);
    assert_int_equal(apf_instr_info(instr)->n_binary_ids, 2);
    apf_instr_close(instr);
    rb_free(&file);
    memset(&file, 0, sizeof file);
    pb_append(&file, &p[1], 40, "id of c.");
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_UNABLE_TO_CORRELATE);
    assert_string_equal(error.message, "unable to correlate profile: Missing build ID: 6964206f6620632e");
    rb_free(&file);
    memset(&file, 0, sizeof file);
    pb_append(&file, &p[1], 40, NULL); /* without an id the sizes decide */
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_OK);
    check_records(instr, &p[1], 40);
    apf_instr_close(instr);
    close_programs(&o);
    struct pb_program same[] = {p[1], p[1]};
    same[1].build_id = "id of d.";
    assert_int_equal(open_programs(&o, same, 2, &error), APF_OK);
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_UNABLE_TO_CORRELATE);
    assert_non_null(strstr(error.message, "2 of the programs may be its program"));
    close_programs(&o);
    rb_free(&file);
}

/* One program, and a profile that is not of it. */
static void check_refused(const struct pb_program *program, const struct pb_program *of, const char *id,
                          int code, const char *text)
{
    struct opened o;
    struct rb_file file = {NULL, 0, 0, false};
    struct apf_instr *instr;
    struct apf_error error;
    pb_append(&file, of, 1, id);
    assert_int_equal(open_programs(&o, program, 1, &error), APF_OK);
    assert_int_equal(open_profile(&instr, &o, &file, &error), code);
    if (!strstr(error.message, text))
        fail_msg("%s is not in %s", text, error.message);
    assert_null(instr);
    rb_free(&file);
    close_programs(&o);
}

static void test_other_builds(void **state)
{
    struct pb_program a = {.kind = PB_BINARY, .version = 10, .bytes = 8, .functions = some, .n_functions = 4};
    struct pb_program b = {
        .kind = PB_BINARY, .version = 10, .bytes = 8, .functions = others, .n_functions = 2};
    static const struct pb_function wide = {"wide", 1, 13, 5, 0};
    struct pb_program narrow = a, big = a, other_bits = a;
    (void)state;
    check_refused(&a, &b, NULL, APF_UNABLE_TO_CORRELATE, "the program has other counters");
    check_refused(&a, &b, "12345678", APF_UNABLE_TO_CORRELATE, "found 40, expected 104");
    other_bits.functions = &wide;
    other_bits.n_functions = 1;
    check_refused(&a, &other_bits, NULL, APF_UNABLE_TO_CORRELATE, "the program has other bitmaps");
    a.build_id = "right id";
    check_refused(&a, &a, "wrong id", APF_UNABLE_TO_CORRELATE,
                  "the profile is of build ID 77726f6e67206964, the program has 7269676874206964");
    narrow.bytes = 4;
    check_refused(&a, &narrow, NULL, APF_UNABLE_TO_CORRELATE, "of another processor");
    big.big = true;
    check_refused(&a, &big, NULL, APF_UNABLE_TO_CORRELATE, "of another processor");
}

/* A profile that has its metadata is refused as by LLVM, but not where several programs are given. */
static void test_unexpected(void **state)
{
    static const uint64_t counts[] = {4, 5};
    const struct rb_function f = {.name = "main", .hash = 1, .counts = counts, .n_counts = 2};
    const struct rb_profile whole = {.version = 10, .bytes = 8, .functions = &f, .n_functions = 1};
    struct pb_program p[] = {
        {.kind = PB_BINARY, .version = 10, .bytes = 8, .functions = some, .n_functions = 4},
        {.kind = PB_BINARY, .version = 10, .bytes = 8, .functions = others, .n_functions = 2},
    };
    struct opened o;
    struct rb_file file = {NULL, 0, 0, false};
    struct apf_instr *instr;
    struct apf_error error;
    (void)state;
    rb_append(&file, &whole, NULL);
    assert_int_equal(open_programs(&o, p, 1, &error), APF_OK);
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_UNEXPECTED_CORRELATION);
    close_programs(&o);
    assert_int_equal(open_programs(&o, p, 2, &error), APF_OK);
    assert_int_equal(open_profile(&instr, &o, &file, &error), APF_OK);
    assert_int_equal(apf_instr_info(instr)->n_records, 1);
    apf_instr_close(instr);
    close_programs(&o);
    rb_free(&file);
}

/* ---- merging ---- */

static void test_merge(void **state)
{
    struct pb_program p = {.kind = PB_DEBUG_INFO,
                           .version = 10,
                           .bytes = 8,
                           .functions = some,
                           .n_functions = 4,
                           .build_id = "build id",
                           .dwarf = 5};
    struct opened o;
    struct rb_file files[3];
    struct apf_input inputs[3];
    struct apf_merge_options options = {.size = sizeof options};
    struct apf_merge *merge;
    struct apf_instr *view;
    struct apf_record r = {.size = sizeof r};
    struct apf_error error;
    (void)state;
    memset(files, 0, sizeof files);
    assert_int_equal(open_programs(&o, &p, 1, &error), APF_OK);
    for (size_t i = 0; i < 3; i++) {
        pb_append(&files[i], &p, 100 * i, p.build_id);
        inputs[i] = (struct apf_input){.size = sizeof(struct apf_input),
                                       .data = files[i].data,
                                       .n = files[i].n,
                                       .name = "profile",
                                       .weight = i + 1};
    }
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.correlation = apf_correlator_source(o.correlator);
    assert_int_equal(apf_merge_new(&merge, &options, &error), APF_OK);
    assert_int_equal(apf_merge_add(merge, inputs, 3, &error), APF_OK);
    assert_int_equal(apf_merge_view(merge, &view, &error), APF_OK);
    struct apf_str name = {"last", 4};
    assert_int_equal(apf_instr_find(view, name, 5, &r, &error), APF_OK);
    assert_int_equal(r.n_counts, 2);
    assert_int_equal(r.counts[0], 11 + 2 * 111 + 3 * 211);
    assert_int_equal(r.counts[1], 12 + 2 * 112 + 3 * 212);
    assert_int_equal(r.n_bitmap, 1);
    assert_int_equal(r.bitmap[0], 3);
    apf_merge_free(merge);
    for (size_t i = 0; i < 3; i++)
        rb_free(&files[i]);
    close_programs(&o);
}

/* ---- a source that is the caller's own ---- */

/* A function of a newer library, with a field after those that this one knows. */
struct newer_function {
    struct apf_function known;
    uint64_t more[3];
};

static int answer(void *user, const struct apf_bare_profile *profile,
                  const struct apf_correlation **correlation, struct apf_error *error)
{
    struct apf_correlation *all = user;
    (void)error;
    all->counter_bytes = profile->counter_bytes;
    all->bitmap_bytes = profile->bitmap_bytes;
    *correlation = all;
    return APF_OK;
}

static void test_own_source(void **state)
{
    struct pb_program p = {.kind = PB_BINARY, .version = 10, .bytes = 8, .functions = some};
    p.n_functions = COUNT(some);
    struct opened o;
    struct rb_file file = {NULL, 0, 0, false};
    struct newer_function functions[COUNT(some)];
    struct apf_binary_functions *of;
    struct apf_instr *instr;
    struct apf_error error;
    (void)state;
    pb_append(&file, &p, 100, p.build_id);
    assert_int_equal(open_programs(&o, &p, 1, &error), APF_OK);
    assert_int_equal(apf_binary_functions_open(&of, &o.inputs[0], APF_METADATA_BINARY, NULL, &error), APF_OK);
    assert_int_equal(apf_binary_functions_info(of)->n_functions, COUNT(some));
    memset(functions, 0xff, sizeof functions);
    for (size_t i = 0; i < COUNT(some); i++)
        functions[i].known = *apf_binary_functions_function(of, i);
    struct apf_correlation all = {.size = sizeof all, .functions = &functions->known, .n = COUNT(some)};
    all.function_size = sizeof *functions;
    struct apf_correlation_source source = {.size = sizeof source, .find = answer, .user = &all};
    struct apf_options options = {.size = sizeof options, .correlation = &source};
    struct apf_input input = apf_input_memory(file.data, file.n, "profile");
    assert_int_equal(apf_instr_open(&instr, &input, &options, &error), APF_OK);
    check_records(instr, &p, 100);
    apf_instr_close(instr);

    all.function_size = sizeof functions->known - 1;
    assert_int_equal(apf_instr_open(&instr, &input, &options, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "correlation.function_size");
    all.size = 0;
    assert_int_equal(apf_instr_open(&instr, &input, &options, &error), APF_ARGUMENT);
    source.size = 0;
    assert_int_equal(apf_instr_open(&instr, &input, &options, &error), APF_ARGUMENT);
    apf_binary_functions_close(of);
    close_programs(&o);
    rb_free(&file);
}

TEST_FILE(correlate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),     cmocka_unit_test(test_dwarf),
        cmocka_unit_test(test_warnings),     cmocka_unit_test(test_build_ids),
        cmocka_unit_test(test_other_builds), cmocka_unit_test(test_unexpected),
        cmocka_unit_test(test_merge),        cmocka_unit_test(test_unknown_bitmap),
        cmocka_unit_test(test_own_source),
    };
    return RUN_TESTS(tests);
}
