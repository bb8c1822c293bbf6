/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exports of stacks that the test makes itself: bytes, options, lack of memory, failed writes. tests/cli/export.sh has
 * profiles, tests/oracle/exports.py reads pprof's format. */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <string.h>

#include <anyprof/export.h>

#include "helpers/shared/fault_each.h"

#define TEXT(s) {(s), sizeof(s) - 1}

static const struct apf_export_value values[] = {{"samples", "count"}, {"calls", "count"}};
static const struct apf_export_frame top[] = {{TEXT("main"), TEXT("a,b.c"), 1, 3, 1},
                                              {TEXT("a;b\\x\n\xff\xc3\xa9\""), {NULL, 0}, 2, 0, 1}};
static const struct apf_export_frame nameless[] = {{{NULL, 0}, {NULL, 0}, 0xbeef, 0, 0}};

/* What a walk passes. */
struct stacks {
    unsigned n_walks;
    int result; /* of the walk */
};

static int walk(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                struct apf_error *error)
{
    struct stacks *s = (struct stacks *)user;
    static const uint64_t numbers[][2] = {{UINT64_MAX, 1}, {5, 0}, {0, 0}};
    struct apf_export_frame frames[] = {top[0], top[1]};
    const struct apf_export_stack all[] = {
        {frames, 2, numbers[0], 7}, {nameless, 1, numbers[1], 8}, {frames, 1, numbers[2], 9}};
    (void)error;
    s->n_walks++;
    for (unsigned i = 0; i < 2; i++)
        frames[i].line_known = by_line;
    for (size_t i = 0; i < COUNT(all); i++) {
        const int code = stack(writer, &all[i]);
        if (code != APF_OK)
            return code;
    }
    return s->result;
}

static struct apf_export_source source_of(struct stacks *stacks, uint32_t flags)
{
    return (struct apf_export_source){.size = sizeof(struct apf_export_source),
                                      .walk = walk,
                                      .user = stacks,
                                      .values = values,
                                      .n_values = COUNT(values),
                                      .flags = flags,
                                      .comment = "a comment"};
}

static struct apf_export_options options_of(uint32_t format, uint32_t flags)
{
    return (struct apf_export_options){
        .size = sizeof(struct apf_export_options), .format = format, .flags = flags, .title = "t\xff"};
}

/* Exports all stacks; the output must be this text. */
static void check_text(struct apf_export_options o, uint32_t source_flags, const char *want,
                       uint64_t n_stacks, uint64_t n_zero)
{
    struct stacks stacks = {0, APF_OK};
    const struct apf_export_source source = source_of(&stacks, source_flags);
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    struct apf_export_result result = {.size = sizeof result};
    struct apf_error error;
    assert_int_equal(apf_export_write(&source, &o, &output, &result, &error), APF_OK);
    assert_int_equal(apf_buffer_write(&buffer, "", 1), 0);
    assert_string_equal((const char *)buffer.data, want);
    assert_int_equal(result.n_stacks, n_stacks);
    assert_int_equal(result.n_zero, n_zero);
    assert_int_equal(result.divisor, 1);
    apf_buffer_free(&buffer);
}

#define ODD "a\\x3bb\\x5cx\\x0a\\xff\xc3\xa9\""

static void test_folded(void **state)
{
    (void)state;
    struct apf_export_options o = options_of(APF_EXPORT_FOLDED, 0);
    check_text(o, 0, "main;" ODD " 18446744073709551615\n0x000000000000beef 5\n", 2, 1);
    o.flags = APF_EXPORT_BY_LINE;
    check_text(o, 0, "main:3;" ODD ":0 18446744073709551615\n0x000000000000beef 5\n", 2, 1);
    o.value = 1;
    o.flags = 0;
    check_text(o, 0, "main;" ODD " 1\n", 1, 2);
    o.value = 0;
    check_text(o, APF_EXPORT_LOCAL, "a,b.c:main;" ODD " 18446744073709551615\n0x000000000000beef 5\n", 2, 1);
}

static void test_csv(void **state)
{
    (void)state;
    const struct apf_export_options o = options_of(APF_EXPORT_CSV, 0);
    check_text(o, APF_EXPORT_LINES | APF_EXPORT_CALLERS | APF_EXPORT_HASHES,
               "function,file,hash,line,callers,samples,calls\n"
               "\"a;b\\x5cx\\x0a\\xff\xc3\xa9\"\"\",,0x0000000000000007,0,\"main:3\",18446744073709551615,1\n"
               "0x000000000000beef,,0x0000000000000008,,,5,0\n"
               "main,\"a,b.c\",0x0000000000000009,3,,0,0\n",
               3, 0);
    check_text(o, 0,
               "function,file,samples,calls\n"
               "\"a;b\\x5cx\\x0a\\xff\xc3\xa9\"\"\",,18446744073709551615,1\n"
               "0x000000000000beef,,5,0\n"
               "main,\"a,b.c\",0,0\n",
               3, 0);
}

static void test_speedscope(void **state)
{
    (void)state;
    check_text(
        options_of(APF_EXPORT_SPEEDSCOPE, 0), 0,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"anyprof\","
        "\"name\":\"t\\ufffd\",\"activeProfileIndex\":0,\"shared\":{\"frames\":["
        "{\"name\":\"main\",\"file\":\"a,b.c\"},{\"name\":\"a;b\\\\x\\u000a\\udcff\xc3\xa9\\\"\"},"
        "{\"name\":\"0x000000000000beef\"}]},\"profiles\":["
        "{\"type\":\"sampled\",\"name\":\"samples\",\"unit\":\"none\",\"startValue\":0,"
        "\"endValue\":1.8446744073709552e+19,\"samples\":[[0,1],[2]],\"weights\":[1.8446744073709552e+19,5]},"
        "{\"type\":\"sampled\",\"name\":\"calls\",\"unit\":\"none\",\"startValue\":0,"
        "\"endValue\":1,\"samples\":[[0,1]],\"weights\":[1]}]}\n",
        2, 1);
}

/* The name of a function is asked for once, and is then escaped. */
static struct apf_str shout(void *user, struct apf_str name)
{
    static char text[8];
    ++*(unsigned *)user;
    memcpy(text, "<m;n>", 5);
    text[5] = (char)('0' + name.n % 10);
    return (struct apf_str){text, 6};
}

static void test_shown_names(void **state)
{
    (void)state;
    unsigned asked = 0;
    struct apf_export_options o = options_of(APF_EXPORT_FOLDED, 0);
    o.function_name = shout;
    o.names = &asked;
    check_text(o, 0, "<m\\x3bn>4;<m\\x3bn>0 18446744073709551615\n0x000000000000beef 5\n", 2, 1);
    assert_int_equal(asked, 2);
}

static int export_to(const char *path, struct apf_error *error, uint32_t format)
{
    unsigned asked = 0;
    struct stacks stacks = {0, APF_OK};
    const struct apf_export_source source = source_of(&stacks, APF_EXPORT_LINES | APF_EXPORT_CALLERS);
    const struct apf_output output = apf_output_file(path);
    struct apf_export_result result = {.size = sizeof result};
    struct apf_export_options o = options_of(format, APF_EXPORT_BY_LINE);
    o.function_name = shout;
    o.names = &asked;
    return apf_export_write(&source, &o, &output, &result, error);
}

static int export_folded(const char *path, struct apf_error *error)
{
    return export_to(path, error, APF_EXPORT_FOLDED);
}

static int export_speedscope(const char *path, struct apf_error *error)
{
    return export_to(path, error, APF_EXPORT_SPEEDSCOPE);
}

static int export_pprof(const char *path, struct apf_error *error)
{
    return export_to(path, error, APF_EXPORT_PPROF);
}

static int export_csv(const char *path, struct apf_error *error)
{
    return export_to(path, error, APF_EXPORT_CSV);
}

/* A failure leaves no file, and no memory (the sanitizers' builds). */
static void test_faults(void **state)
{
    (void)state;
    fault_attempt *const all[] = {export_folded, export_speedscope, export_pprof, export_csv};
    for (size_t i = 0; i < COUNT(all); i++) {
        assert_true(fault_each(all[i], FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 2);
        assert_true(fault_each(all[i], FAULT_WRITE, ENOSPC, APF_IO) > 0);
        assert_true(fault_each(all[i], FAULT_ARENA, ENOMEM, APF_NO_MEMORY) > 0);
    }
}

static void check_refused(const struct apf_export_source *source, const struct apf_export_options *o,
                          int want)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    struct apf_error error;
    assert_int_equal(apf_export_write(source, o, &output, NULL, &error), want);
    assert_int_equal(error.code, want);
    assert_null(buffer.data);
}

static void test_options(void **state)
{
    (void)state;
    struct stacks stacks = {0, APF_OK};
    const struct apf_export_source good = source_of(&stacks, 0);
    const struct apf_export_options folded = options_of(APF_EXPORT_FOLDED, 0);
    struct apf_export_options o = folded;
    struct apf_export_source source = good;
    o.size = 0;
    check_refused(&good, &o, APF_ARGUMENT);
    o = options_of(0, 0);
    check_refused(&good, &o, APF_ARGUMENT);
    o = options_of(APF_EXPORT_CSV + 1, 0);
    check_refused(&good, &o, APF_ARGUMENT);
    o = options_of(APF_EXPORT_FOLDED, 2);
    check_refused(&good, &o, APF_ARGUMENT);
    o = folded;
    o.value = COUNT(values);
    check_refused(&good, &o, APF_ARGUMENT);
    source.n_values = APF_EXPORT_MOST_VALUES + 1;
    check_refused(&source, &folded, APF_ARGUMENT);
    source.n_values = 0;
    check_refused(&source, &folded, APF_ARGUMENT);
    source = good;
    source.walk = NULL;
    check_refused(&source, &folded, APF_ARGUMENT);
    source = source_of(&stacks, 32);
    check_refused(&source, &folded, APF_ARGUMENT);
    source.size = 0;
    check_refused(&source, &folded, APF_ARGUMENT);
    assert_int_equal(stacks.n_walks, 0);
}

/* What the walk returns is the result, and there is no output. */
static void test_stopped(void **state)
{
    (void)state;
    struct stacks stacks = {0, APF_STOPPED};
    const struct apf_export_source source = source_of(&stacks, 0);
    const struct apf_output output = apf_output_file(temp_path("x"));
    for (uint32_t format = 1; format <= APF_EXPORT_CSV; format++) {
        const struct apf_export_options o = options_of(format, 0);
        assert_int_equal(apf_export_write(&source, &o, &output, NULL, NULL), APF_STOPPED);
        assert_int_equal(dir_entries(temp_dir), 0);
    }
    assert_int_equal(stacks.n_walks, 4);
}

/* Readers of pprof's format add up numbers of 63 bits: the sum of those here is 2^64 + 4. */
static void test_divisor(void **state)
{
    (void)state;
    struct stacks stacks = {0, APF_OK};
    const struct apf_export_source source = source_of(&stacks, 0);
    const struct apf_export_options o = options_of(APF_EXPORT_PPROF, 0);
    struct apf_buffer buffer = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&buffer);
    struct apf_export_result result = {.size = sizeof result};
    assert_int_equal(apf_export_write(&source, &o, &output, &result, NULL), APF_OK);
    assert_int_equal(result.divisor, 4);
    assert_int_equal(result.n_stacks, 2);
    assert_int_equal(result.n_zero, 1);
    apf_buffer_free(&buffer);
}

/* ---- outputs that end early ---- */

#define MANY 100000u

/* Passes MANY stacks, and counts them. */
static int walk_many(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                     struct apf_error *error)
{
    const uint64_t numbers[] = {7, 7};
    const struct apf_export_stack s = {top, 1, numbers, 0};
    (void)by_line;
    (void)error;
    for (unsigned i = 0; i < MANY; i++) {
        ++*(uint64_t *)user;
        const int code = stack(writer, &s);
        if (code != APF_OK)
            return code;
    }
    return APF_OK;
}

static int is_full(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return ENOSPC;
}

/* Exports many stacks, whose output comes to an end in the buffer that is written first, or in the next one. Returns
 * how many were passed. */
static uint64_t pass_many(uint32_t format, uint64_t max_bytes, const struct apf_output *output, int want,
                          struct apf_error *error)
{
    uint64_t n = 0;
    struct apf_export_source source = source_of(NULL, 0);
    struct apf_export_options o = options_of(format, 0);
    source.walk = walk_many;
    source.user = &n;
    o.max_bytes = max_bytes;
    assert_int_equal(apf_export_write(&source, &o, output, NULL, error), want);
    return n;
}

/* How many walks a format needs before the one that writes for each stack: pprof's adds up, and compresses MANY equal
 * stacks so well that a whole walk fills no buffer; speedscope's lists frames. */
static const struct {
    uint32_t format, walks_before;
} early[] = {{APF_EXPORT_FOLDED, 0}, {APF_EXPORT_CSV, 0}, {APF_EXPORT_SPEEDSCOPE, 1}};

static void test_full_disk(void **state)
{
    (void)state;
    const struct apf_output output = apf_output_callback(is_full, NULL);
    for (size_t i = 0; i < COUNT(early); i++) {
        struct apf_error error;
        const uint64_t n = pass_many(early[i].format, 0, &output, APF_IO, &error);
        assert_int_equal(error.sys_errno, ENOSPC);
        assert_string_equal(error.where, "output.write");
        assert_in_range(n, early[i].walks_before * MANY, (early[i].walks_before + 1) * MANY - 1);
    }
}

static void test_too_large(void **state)
{
    (void)state;
    const struct apf_output output = apf_output_file(temp_path("x"));
    struct apf_error error;
    for (uint32_t format = 1; format <= APF_EXPORT_CSV; format++) {
        const uint64_t n = pass_many(format, 1000, &output, APF_LIMIT, &error);
        assert_string_equal(error.where, "output.size");
        assert_int_equal(error.subject, APF_SUBJECT_OUTPUT);
        assert_in_range(n, 1, (format == APF_EXPORT_PPROF) * MANY + 1000);
        assert_int_equal(dir_entries(temp_dir), 0);
    }
    (void)pass_many(APF_EXPORT_FOLDED, MANY * sizeof "main:3 7" - 1, &output, APF_LIMIT, NULL);
    (void)pass_many(APF_EXPORT_FOLDED, MANY * sizeof "main:3 7", &output, APF_OK, NULL);
}

TEST_FILE(export_write)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folded),     cmocka_unit_test(test_csv),
                                       cmocka_unit_test(test_speedscope), cmocka_unit_test(test_shown_names),
                                       TEST_WITH_DIR(test_faults),        cmocka_unit_test(test_options),
                                       TEST_WITH_DIR(test_stopped),       cmocka_unit_test(test_divisor),
                                       cmocka_unit_test(test_full_disk),  TEST_WITH_DIR(test_too_large)};
    return RUN_TESTS(tests);
}
