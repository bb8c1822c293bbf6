/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coverage of a program in LLVM's testing format, with a profile in text: the outputs, what does not fit, damage, and
 * failing allocations. Real programs are in oracle/cov.py. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <anyprof/cov.h>

#include "base/deflate.h"
#include "base/endian.h"
#include "base/md5.h"
#include "helpers/shared/fault_each.h"
#include "helpers/shared/unit.h"

/* A function of 1:1 to 4:2, with a branch and a region of lines 2 and 3 that it decides about. */
static const uint8_t mapping[] = {1,    1,    1,    0x01, 0x05,       /* file, counter 0 - counter 1 */
                                  3,    0x01, 1,    1,    3,    2,    /* counter 0 */
                                  0x20, 0x05, 0x02, 1,    7,    0, 9, /* branch: counter 1, the expression */
                                  0x05, 0,    10,   1,    4};         /* counter 1 */
static const char lines[] =
    "SF:/src/a.c\nFN:1,main\nFNDA:7,main\nFNF:1\nFNH:1\nDA:1,7\nDA:2,7\nDA:3,3\nDA:4,7\n"
    "BRDA:2,0,0,3\nBRDA:2,0,1,4\nBRF:2\nBRH:2\nLF:4\nLH:4\nend_of_record\n";

struct bytes {
    uint8_t p[400];
    size_t n;
};

static void append(struct bytes *to, const void *p, size_t n)
{
    memcpy(to->p + to->n, p, n);
    to->n += n;
}

static void append_number(struct bytes *to, uint64_t v, size_t n)
{
    uint8_t le[8];
    store64le(le, v);
    append(to, le, n);
}

static void align(struct bytes *to)
{
    while (to->n % 8)
        to->p[to->n++] = 0;
}

/* An object with a function of this hash, and this list of files. */
static struct bytes object_with(uint64_t hash, const uint8_t *list, size_t n_list)
{
    struct bytes b = {.n = 0};
    append(&b, "llvmcovm", 8);
    append_number(&b, 1, 8);
    append(&b, "\x06\x00\x04\x00main", 8); /* 6 bytes of names at address 0 */
    append_number(&b, 16 + n_list, 1);
    align(&b);
    append_number(&b, 0, 4);
    append_number(&b, n_list, 4);
    append_number(&b, 0, 4);
    append_number(&b, 5, 4); /* version 6 */
    append(&b, list, n_list);
    align(&b);
    append_number(&b, md5_name_ref("main", 4), 8);
    append_number(&b, sizeof mapping, 4);
    append_number(&b, hash, 8);
    append_number(&b, md5_name_ref(list, n_list), 8);
    append(&b, mapping, sizeof mapping);
    return b;
}

static struct bytes object(uint64_t hash)
{
    static const uint8_t list[] = {2, 13, 0, 1, '.', 8, '/', 's', 'r', 'c', '/', 'a', '.', 'c'};
    return object_with(hash, list, sizeof list);
}

static const char profile[] = "main\n5\n2\n7\n3\n";

static int open_bytes(struct apf_cov **cov, const struct bytes *b, const char *text, uint32_t flags,
                      struct apf_error *error)
{
    const struct apf_input program = apf_input_memory(b->p, b->n, "object");
    const struct apf_input counts = apf_input_memory(text ? text : "", text ? strlen(text) : 0, "profile");
    const struct apf_cov_options options = {.size = sizeof options,
                                            .programs = &program,
                                            .n_programs = 1,
                                            .profiles = &counts,
                                            .n_profiles = text != NULL,
                                            .flags = flags};
    return apf_cov_open(cov, &options, error);
}

static int write_format(const struct apf_cov *cov, uint32_t format, struct apf_buffer *to,
                        struct apf_error *error)
{
    const struct apf_cov_write_options options = {.size = sizeof options, .format = format};
    const struct apf_output output = apf_output_buffer(to);
    to->n = 0;
    return apf_cov_write(cov, &options, &output, error);
}

static void test_outputs(void **state)
{
    const struct bytes b = object(5);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_cov *cov;
    struct apf_error e;
    (void)state;
    assert_int_equal(open_bytes(&cov, &b, profile, 0, &e), APF_OK);
    assert_int_equal(write_format(cov, APF_COV_LCOV, &out, &e), APF_OK);
    assert_int_equal(out.n, strlen(lines));
    assert_memory_equal(out.data, lines, out.n);
    for (uint32_t format = APF_COV_JSON; format <= APF_COV_FUNCTIONS; format++) {
        assert_int_equal(write_format(cov, format, &out, &e), APF_OK);
        assert_true(out.n > 100);
    }
    assert_int_equal(write_format(cov, APF_COV_SHOW, &out, &e), APF_OK);
    assert_int_equal(out.n, 0); /* the source file is not there */
    assert_int_equal(write_format(cov, APF_COV_HTML + 1, &out, &e), APF_ARGUMENT);
    assert_int_equal(apf_cov_source_files(cov, "/src"), 1);
    assert_int_equal(apf_cov_source_files(cov, "/src/a.c"), 1);
    assert_int_equal(apf_cov_source_files(cov, "/sr"), 0);
    apf_buffer_free(&out);
    apf_cov_close(cov);
}

/* The first version of the testing format does not say how long the first section is. */
static void test_first_testing_format(void **state)
{
    const struct bytes second = object(5);
    struct bytes b = {.n = second.n - 8};
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_cov *cov;
    struct apf_error e;
    (void)state;
    memcpy(b.p, second.p, 24);
    memcpy(b.p + 8, "testdata", 8);
    memcpy(b.p + 24, second.p + 32, second.n - 32);
    assert_int_equal(open_bytes(&cov, &b, profile, 0, &e), APF_OK);
    assert_int_equal(write_format(cov, APF_COV_LCOV, &out, &e), APF_OK);
    assert_int_equal(out.n, strlen(lines));
    assert_memory_equal(out.data, lines, out.n);
    apf_buffer_free(&out);
    apf_cov_close(cov);
}

static void count_missing(void *user, const struct apf_cov_source *source)
{
    assert_int_equal(source->name.n, strlen("/src/a.c"));
    assert_string_equal(source->path, temp_path("a.c"));
    assert_int_equal(source->is_read || !source->sys_errno || source->sys_errno == ENOENT, 1);
    *(unsigned *)user += !source->is_read;
}

/* The source file is found elsewhere, is no file, or is missing. */
static void test_source(void **state)
{
    static const char source[] = "one\r\ntwo\nthree\nfour\nfive";
    static const char shown[] =
        "    1|      7|one\n    2|      7|two\n    3|      3|three\n    4|      7|four\n"
        "    5|       |five\n\n";
    const struct bytes b = object(5);
    struct apf_buffer out = {NULL, 0, 0};
    const struct apf_output output = apf_output_buffer(&out);
    unsigned missing = 0;
    struct apf_cov_write_options options = {
        .size = sizeof options, .format = APF_COV_SHOW, .source = count_missing, .user = &missing};
    struct apf_name_change change = {{"/src", 4}, {temp_dir, strlen(temp_dir)}};
    struct apf_cov *cov;
    struct apf_error e;
    (void)state;
    options.source_map = &change;
    options.n_source_map = 1;
    assert_int_equal(open_bytes(&cov, &b, profile, 0, &e), APF_OK);
    assert_int_equal(apf_cov_write(cov, &options, &output, &e), APF_OK);
    assert_int_equal(missing, 1);
    assert_int_equal(mkfifo(temp_path("a.c"), 0600), 0);
    assert_int_equal(apf_cov_write(cov, &options, &output, &e), APF_OK);
    assert_int_equal(missing, 2);
    remove(temp_path("a.c"));
    FILE *f = fopen(temp_path("a.c"), "w");
    assert_non_null(f);
    fputs(source, f);
    fclose(f);
    assert_int_equal(out.n, 0);
    assert_int_equal(apf_cov_write(cov, &options, &output, &e), APF_OK);
    assert_int_equal(missing, 2);
    assert_int_equal(out.n, strlen(shown));
    assert_memory_equal(out.data, shown, out.n);
    struct apf_options common = {.size = sizeof common, .max_bytes = sizeof source - 1};
    options.options = &common;
    assert_int_equal(apf_cov_write(cov, &options, &output, &e), APF_OK);
    assert_int_equal(missing, 2);
    common.max_bytes--;
    assert_int_equal(apf_cov_write(cov, &options, &output, &e), APF_OK);
    assert_int_equal(missing, 3); /* it is too large */
    apf_buffer_free(&out);
    apf_cov_close(cov);
}

/* A profile of other source code, one with fewer counters, and none. */
static void test_unknown(void **state)
{
    const struct bytes b = object(5);
    static const struct {
        const char *text;
        uint64_t mismatched, short_counters;
    } rows[] = {{"main\n6\n2\n7\n3\n", 1, 0},
                {"main\n5\n1\n7\n", 0, 1},
                {"other\n5\n1\n7\n", 0, 0},
                {":ir\nmain\n6\n2\n7\n3\n", 1, 0},
                {NULL, 0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t flags = 0; flags <= APF_COV_LLVM; flags++) {
            struct apf_cov_stats s = {.size = sizeof s};
            struct apf_cov *cov;
            struct apf_error e;
            assert_int_equal(open_bytes(&cov, &b, rows[i].text, flags, &e), APF_OK);
            assert_int_equal(apf_cov_stats(cov, &s, &e), APF_OK);
            assert_int_equal(s.mismatched, rows[i].mismatched);
            assert_int_equal(s.short_counters, rows[i].short_counters);
            assert_int_equal(s.n_functions, !(flags && (s.mismatched || s.short_counters)));
            assert_int_equal(s.n_files, s.n_functions);
            assert_int_equal(s.variant, rows[i].text && rows[i].text[0] == ':' ? APF_VARIANT_IR : 0);
            apf_cov_close(cov);
        }
}

/* Each byte that is changed, and each that is missing, is refused or read. */
static void test_damage(void **state)
{
    const struct bytes whole = object(5);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_error e;
    (void)state;
    for (size_t i = 0; i < whole.n; i++)
        for (unsigned change = 1; change < 256; change += change < 4 || change > 250 ? 1 : 41) {
            struct bytes b = whole;
            struct apf_cov *cov;
            b.p[i] ^= (uint8_t)change;
            const int code = open_bytes(&cov, &b, profile, change % 2 ? APF_COV_LLVM : 0, &e);
            assert_true(code == APF_OK || code == APF_BAD_COVERAGE || code == APF_COVERAGE_VERSION ||
                        code == APF_NO_COVERAGE || code == APF_BAD_ELF || code == APF_LIMIT);
            if (code != APF_OK)
                assert_string_equal(e.file, "object");
            for (uint32_t format = APF_COV_JSON; code == APF_OK && format <= APF_COV_HTML; format++)
                assert_int_equal(write_format(cov, format, &out, &e), APF_OK);
            apf_cov_close(cov);
        }
    for (size_t n = 0; n < whole.n; n++) {
        struct bytes b = whole;
        struct apf_cov *cov;
        b.n = n;
        if (open_bytes(&cov, &b, profile, APF_COV_LLVM, &e) ==
            APF_OK) { /* without the section of functions */
            struct apf_cov_stats s = {.size = sizeof s};
            assert_int_equal(apf_cov_stats(cov, &s, &e), APF_OK);
            assert_int_equal(s.n_functions, 0);
        }
        apf_cov_close(cov);
    }
    apf_buffer_free(&out);
}

/* All names of a call, of any number of objects, inflate to max_bytes together. */
static void test_budget(void **state)
{
    enum { NAME = 1000, TEXT = NAME + 4, COST = TEXT + NAME };
    static const struct {
        uint64_t max_bytes;
        size_t n;
        int code;
    } rows[] = {{COST, 1, APF_OK},     {COST - 1, 1, APF_LIMIT},     {COST, 2, APF_LIMIT},
                {2 * COST, 2, APF_OK}, {2 * COST - 1, 2, APF_LIMIT}, {2 * COST, 3, APF_LIMIT}};
    uint8_t text[TEXT], stream[100], list[110] = {2, 0x80 | (TEXT & 0x7f), TEXT >> 7};
    size_t packed = sizeof stream;
    struct apf_error e;
    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "\x01.\xe8\x07/", 5); /* the directory, and a name of 1000 bytes */
    assert_true(deflate_compress(text, sizeof text, stream, &packed) && packed < 100);
    list[3] = (uint8_t)packed;
    memcpy(list + 4, stream, packed);
    const struct bytes b = object_with(5, list, 4 + packed);
    const struct apf_input one = apf_input_memory(b.p, b.n, "object");
    const struct apf_input programs[] = {one, one, one};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct apf_options common = {.size = sizeof common, .max_bytes = rows[i].max_bytes};
        const struct apf_cov_options options = {
            .size = sizeof options, .options = &common, .programs = programs, .n_programs = rows[i].n};
        struct apf_cov *cov;
        assert_int_equal(apf_cov_open(&cov, &options, &e), rows[i].code);
        apf_cov_close(cov);
    }
}

static int count_line(void *user, const struct apf_cov_line *line)
{
    uint64_t *n = (uint64_t *)user;
    assert_true(line->line > 0 && line->sides.covered <= line->sides.n);
    return ++*n == UINT64_MAX;
}

static int count_function(void *user, const struct apf_cov_function *f)
{
    uint64_t *n = (uint64_t *)user;
    assert_true(f->name.n && f->fit == APF_COV_FITS);
    return ++*n == 1; /* which ends the walk */
}

/* Files, lines and functions, one by one. */
static void test_walk(void **state)
{
    const struct bytes b = object(5);
    struct apf_cov_totals totals = {.size = sizeof totals};
    struct apf_cov *cov;
    struct apf_error e;
    uint64_t n_lines = 0, n_functions = 0;
    (void)state;
    assert_int_equal(open_bytes(&cov, &b, profile, 0, &e), APF_OK);
    assert_true(apf_cov_n_files(cov) > 0);
    for (size_t i = 0; i < apf_cov_n_files(cov); i++) {
        assert_true(apf_cov_file_name(cov, i).n > 0);
        assert_int_equal(apf_cov_lines(cov, i, count_line, &n_lines, &e), APF_OK);
    }
    assert_int_equal(apf_cov_file_name(cov, apf_cov_n_files(cov)).n, 0);
    assert_int_equal(apf_cov_lines(cov, apf_cov_n_files(cov), count_line, &n_lines, &e), APF_ARGUMENT);
    assert_int_equal(apf_cov_totals(cov, NULL, &totals, &e), APF_OK);
    assert_true(n_lines > 0 && totals.lines.n > 0);
    assert_int_equal(apf_cov_functions(cov, 0, count_function, &n_functions, &e), APF_STOPPED);
    assert_int_equal(n_functions, 1);
    assert_int_equal(apf_cov_functions(cov, 1, count_function, &n_functions, &e),
                     APF_OK); /* none is left out */
    assert_int_equal(n_functions, 1);
    apf_cov_close(cov);
}

struct region_walk {
    struct apf_cov_region regions[8];
    size_t n, most;
};

static int keep_region(void *user, const struct apf_cov_region *region)
{
    struct region_walk *walk = (struct region_walk *)user;
    walk->regions[walk->n++] = *region;
    return walk->n == walk->most;
}

/* The regions of a function, as in `mapping`. */
static void test_regions(void **state)
{
    static const struct apf_cov_region wanted[] = {
        {.kind = APF_COV_REGION_CODE, .line = 1, .column = 1, .end_line = 4, .end_column = 2, .count = 7},
        {.kind = APF_COV_REGION_BRANCH,
         .line = 2,
         .column = 7,
         .end_line = 2,
         .end_column = 9,
         .count = 3,
         .false_count = 4},
        {.kind = APF_COV_REGION_CODE, .line = 2, .column = 10, .end_line = 3, .end_column = 4, .count = 3}};
    const struct bytes b = object(5);
    struct region_walk walk = {.n = 0};
    struct apf_cov *cov;
    struct apf_error e;
    (void)state;
    assert_int_equal(open_bytes(&cov, &b, profile, 0, &e), APF_OK);
    assert_int_equal(apf_cov_regions(cov, 0, keep_region, &walk, &e), APF_OK);
    assert_int_equal(walk.n, COUNT(wanted));
    for (size_t i = 0; i < walk.n; i++) {
        struct apf_cov_region r = wanted[i];
        r.condition = r.if_false = r.if_true = -1;
        r.file = 0;
        assert_string_equal(apf_cov_file_name(cov, walk.regions[i].file).p, "/src/a.c");
        assert_memory_equal(&walk.regions[i], &r, sizeof r);
    }
    walk = (struct region_walk){.most = 2};
    assert_int_equal(apf_cov_regions(cov, 0, keep_region, &walk, &e), APF_STOPPED);
    assert_int_equal(walk.n, 2);
    assert_int_equal(apf_cov_regions(cov, 1, keep_region, &walk, &e), APF_ARGUMENT);
    apf_cov_close(cov);
}

static int diff_all(const struct apf_cov *cov, const struct apf_output *output, struct apf_error *error)
{
    static const char text[] = "--- a/a.c\n+++ b/a.c\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    const struct apf_input patch = apf_input_memory(text, sizeof text - 1, "patch");
    int code = APF_OK;
    for (uint32_t format = APF_COV_DIFF_TEXT; code == APF_OK && format <= APF_COV_DIFF_JSON; format++)
        for (int has_base = 0; has_base < 2 && code == APF_OK; has_base++) {
            const struct apf_cov_diff_options options = {.size = sizeof options,
                                                         .patch = has_base ? NULL : &patch,
                                                         .base = has_base ? cov : NULL,
                                                         .format = format};
            code = apf_cov_diff(cov, &options, output, NULL, error);
        }
    return code;
}

static int open_and_write(const char *path, struct apf_error *error)
{
    const struct bytes b = object(5);
    struct apf_cov *cov;
    struct apf_cov_write_options options = {.size = sizeof options};
    const struct apf_output output = apf_output_file(path);
    int code = open_bytes(&cov, &b, profile, 0, error);
    for (options.format = APF_COV_JSON; code == APF_OK && options.format <= APF_COV_HTML; options.format++)
        code = apf_cov_write(cov, &options, &output, error);
    if (code == APF_OK)
        code = diff_all(cov, &output, error);
    apf_cov_close(cov);
    if (code != APF_OK)
        remove(path);
    return code;
}

/* Makes the directory `path` with text pages, of which it leaves the directory only, and nothing after a failure. */
static int open_and_write_pages(const char *path, struct apf_error *error)
{
    static const char *const made[] = {"index.txt", "coverage/src/a.c.txt", "coverage/src", "coverage"};
    const struct bytes b = object(5);
    const struct apf_name_change change = {{"/src/a.c", 8}, {__FILE__, sizeof __FILE__ - 1}};
    const struct apf_cov_write_options options = {.size = sizeof options,
                                                  .format = APF_COV_SHOW,
                                                  .source_map = &change,
                                                  .n_source_map = 1,
                                                  .created = 1};
    struct apf_cov *cov;
    char inner[1000];
    int code = open_bytes(&cov, &b, profile, 0, error), n_made = 0;
    if (code == APF_OK)
        code = apf_cov_write_pages(cov, &options, path, error);
    apf_cov_close(cov);
    for (size_t i = 0; i < COUNT(made); i++) {
        (void)snprintf(inner, sizeof inner, "%s/%s", path, made[i]);
        n_made += remove(inner) == 0;
    }
    if (code == APF_OK)
        assert_int_equal(n_made, COUNT(made));
    else
        remove(path);
    return code;
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(fault_each(open_and_write_pages, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 10);
    assert_true(fault_each(open_and_write_pages, FAULT_ARENA, ENOMEM, APF_NO_MEMORY) > 3);
    assert_true(fault_each(open_and_write_pages, FAULT_WRITE, ENOSPC, APF_IO) > 1);
    assert_true(fault_each(open_and_write, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY) > 10);
    assert_true(fault_each(open_and_write, FAULT_ARENA, ENOMEM, APF_NO_MEMORY) > 3);
    assert_true(fault_each(open_and_write, FAULT_WRITE, ENOSPC, APF_IO) > 1);
}

TEST_FILE(cov_open)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_unknown),
                                       cmocka_unit_test(test_first_testing_format),
                                       TEST_WITH_DIR(test_source),
                                       cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_walk),
                                       TEST_WITH_DIR(test_faults),
                                       cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_regions)};
    return RUN_TESTS(tests);
}
