/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading fdata: every field, every form that llvm-bolt 22 accepts, every error with its place. Expected values come
 * from runs of llvm-bolt and merge-fdata. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "helpers/shared/unit.h"

static struct apf_fdata *fresh(const struct apf_options *options)
{
    struct apf_fdata *f;
    assert_int_equal(apf_fdata_new(&f, options, NULL), APF_OK);
    return f;
}

static int read_bytes(struct apf_fdata *f, const char *text, size_t n, const char *name,
                      struct apf_error *error)
{
    char *exact = malloc(n ? n : 1); /* so that a read after the end is seen */
    assert_non_null(exact);
    memcpy(exact, text, n);
    struct apf_input input = apf_input_memory(exact, n, name);
    int code = apf_fdata_read(f, &input, 1, error);
    free(exact);
    return code;
}

static int read_text(struct apf_fdata *f, const char *text, struct apf_error *error)
{
    return read_bytes(f, text, strlen(text), "test", error);
}

static struct apf_fdata *read_good(const char *text)
{
    struct apf_error error;
    struct apf_fdata *f = fresh(NULL);
    error.message[0] = '\0';
    int code = read_text(f, text, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    return f;
}

static void assert_written(struct apf_fdata *f, const char *expected)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_fdata_write(f, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    assert_string_equal((const char *)out.data, expected);
    apf_buffer_free(&out);
}

/* A text that is read comes out as `expected`. */
static void assert_becomes(const char *text, const char *expected)
{
    struct apf_fdata *f = read_good(text);
    assert_written(f, expected);
    apf_fdata_free(f);
}

struct wrong {
    const char *text;
    uint64_t offset;
    uint32_t line, column;
    const char *where, *says;
};

static void assert_wrong(const struct wrong *w)
{
    struct apf_error error;
    struct apf_fdata *f = fresh(NULL);
    int code = read_text(f, w->text, &error);
    if (code != APF_BAD_FDATA || error.line != w->line || error.column != w->column)
        print_error("of: %s\n", w->text);
    assert_int_equal(code, APF_BAD_FDATA);
    assert_int_equal(error.code, APF_BAD_FDATA);
    assert_string_equal(error.where, w->where);
    assert_int_equal(error.line, w->line);
    assert_int_equal(error.column, w->column);
    assert_int_equal(error.offset, w->offset);
    assert_non_null(strstr(error.message, w->says));
    apf_fdata_free(f);
}

static void assert_location(const struct apf_fdata_location *l, uint32_t symbol, const char *name,
                            uint64_t offset)
{
    assert_int_equal(l->symbol, symbol);
    assert_int_equal(l->name.n, strlen(name));
    assert_memory_equal(l->name.p, name, l->name.n);
    assert_int_equal(l->offset, offset);
}

static void test_branches(void **state)
{
    (void)state;
    struct apf_fdata_record r = {.size = sizeof r};
    struct apf_fdata *f = read_good("boltedcollection\n1 main d4 1 worker 0 1 3\n"
                                    "0 [unknown] 0 2 a\\ b\\\\c/1 ffffffffffffffff 0 9223372036854775807\n"
                                    "4 main 1f 3 [unknown] 7fffdeadbeef 12\n");
    const struct apf_fdata_info *info = apf_fdata_info(f);
    assert_int_equal(info->known, 1);
    assert_int_equal(info->flags, APF_FDATA_BOLTED);
    assert_int_equal(info->n_inputs, 1);
    assert_int_equal(info->n_lines, 3);
    assert_int_equal(info->n_branches, 2);
    assert_int_equal(info->n_samples, 0);
    assert_int_equal(info->n_memory, 1);
    assert_int_equal(info->n_saturated, 0);
    assert_int_equal(apf_fdata_record(f, 0, &r, NULL), APF_ARGUMENT); /* not sorted yet */
    assert_int_equal(apf_fdata_sort(f, NULL), APF_OK);
    assert_int_equal(apf_fdata_record(f, 0, &r, NULL), APF_OK); /* of a\ b\\c, which is below main */
    assert_int_equal(r.kind, APF_FDATA_BRANCH);
    assert_location(&r.from, APF_FDATA_NO_SYMBOL, "[unknown]", 0);
    assert_location(&r.to, APF_FDATA_LOCAL_SYMBOL, "a\\ b\\\\c/1", UINT64_MAX);
    assert_int_equal(r.count, APF_FDATA_MOST);
    assert_int_equal(r.mispredictions, 0);
    assert_int_equal(apf_fdata_record(f, 1, &r, NULL), APF_OK);
    assert_location(&r.from, APF_FDATA_SYMBOL, "main", 0xd4);
    assert_location(&r.to, APF_FDATA_SYMBOL, "worker", 0);
    assert_int_equal(r.count, 3);
    assert_int_equal(r.mispredictions, 1);
    assert_int_equal(apf_fdata_record(f, 2, &r, NULL), APF_OK);
    assert_int_equal(r.kind, APF_FDATA_MEMORY);
    assert_location(&r.from, APF_FDATA_SYMBOL, "main", 0x1f);
    assert_location(&r.to, APF_FDATA_NO_SYMBOL, "[unknown]", 0x7fffdeadbeef);
    assert_int_equal(r.count, 12);
    assert_int_equal(apf_fdata_record(f, 3, &r, NULL), APF_END);
    apf_fdata_free(f);
}

static void test_samples(void **state)
{
    (void)state;
    struct apf_fdata_record r = {.size = sizeof r};
    struct apf_fdata *f = read_good("no_lbr  cycles:u instructions \n1 f a 5\n1 f a 6\n4 f 1 4 x ff 3\n");
    const struct apf_fdata_info *info = apf_fdata_info(f);
    assert_int_equal(info->flags, APF_FDATA_NO_LBR);
    assert_int_equal(info->n_lines, 3);
    assert_int_equal(info->n_samples, 1);
    assert_int_equal(info->n_memory, 1);
    assert_int_equal(info->n_events, 2);
    assert_int_equal(apf_fdata_sort(f, NULL), APF_OK);
    assert_int_equal(apf_fdata_record(f, 0, &r, NULL), APF_OK);
    assert_int_equal(r.kind, APF_FDATA_SAMPLE);
    assert_location(&r.from, APF_FDATA_SYMBOL, "f", 10);
    assert_int_equal(r.to.name.n, 0);
    assert_int_equal(r.count, 11);
    assert_written(f, "no_lbr cycles:u instructions\n1 f a 11\n4 f 1 4 x ff 3\n");
    apf_fdata_free(f);
}

/* The two lines of the header come in either order, and are written in that which llvm-bolt reads. */
static void test_header_order(void **state)
{
    (void)state;
    assert_becomes("boltedcollection\nno_lbr b a\n1 f 1 2\n", "no_lbr a b\nboltedcollection\n1 f 1 2\n");
    assert_becomes("no_lbr\nboltedcollection\n1 f 1 2\n", "no_lbr\nboltedcollection\n1 f 1 2\n");
    assert_becomes("boltedcollection\n", "boltedcollection\n");
    assert_becomes("no_lbr\n", "no_lbr\n");
}

/* Other forms that llvm-bolt reads become one form. */
static void test_forms(void **state)
{
    (void)state;
    assert_becomes("1   f  A   1  g 00ff   007  08  \n", "1 f a 1 g ff 7 8\n");
    assert_becomes("1 f a 1 g b 1 2\n1 f  a 1 g b 10 20\n1 f 0A 1 g B 100 200\n1 f a 1 g b 1000 2000\n",
                   "1 f a 1 g b 1111 2222\n");
    assert_becomes("1 f a 1 g b 00000000000000000001 0000000000000000000000000002\n", "1 f a 1 g b 1 2\n");
    assert_becomes("1 f 0000000000000000000f 1 g 0 0 1\n", "1 f f 1 g 0 0 1\n");
    assert_becomes("1 a\tb\r 1 1 \xff\x01 2 0 1\n", "1 a\tb\r 1 1 \xff\x01 2 0 1\n");
    assert_becomes("1 f\\x 1 1 f\\\\ 2 0 1\n", "1 f\\x 1 1 f\\\\ 2 0 1\n");
    /* Records of both kinds in any order, as merge-fdata of LLVM 15 to 19 writes them. */
    assert_becomes("4 f 1 4 x 2 3\n1 f 1 1 f 2 0 1\n", "1 f 1 1 f 2 0 1\n4 f 1 4 x 2 3\n");
}

static void test_errors(void **state)
{
    (void)state;
    static const struct wrong all[] = {
        /* the first line */
        {"\n", 0, 1, 1, "fdata.header", "expected a record"},
        {"# comment\n", 0, 1, 1, "fdata.header", "expected a record"},
        {" 1 f a 1 g b 1 2\n", 0, 1, 1, "fdata.header", "expected a record"},
        {"6 f a 1 g b 1 2\n", 0, 1, 1, "fdata.header", "expected a record"},
        {"-1 f a 1 g b 1 2\n", 0, 1, 1, "fdata.header", "expected a record"},
        {"no", 0, 1, 1, "fdata.header", "expected a record"},
        /* the header */
        {"boltedcollection \n", 16, 1, 17, "fdata.header.boltedcollection", "expected the end"},
        {"boltedcollectionx\n", 16, 1, 17, "fdata.header.boltedcollection", "expected the end"},
        {"boltedcollection\r\n", 16, 1, 17, "fdata.end", "carriage return"},
        {"boltedcollection \n", 16, 1, 17, "fdata.header.boltedcollection", "expected the end"},
        {"boltedcollection", 16, 1, 17, "fdata.end", "no line feed"},
        {"boltedcollection\nboltedcollection\n", 17, 2, 1, "fdata.header", "second time"},
        {"no_lbr\nno_lbr\n", 7, 2, 1, "fdata.header", "second time"},
        {"no_lbr", 6, 1, 7, "fdata.end", "no line feed"},
        {"no_lbrcycles\n", 6, 1, 7, "fdata.header.no_lbr", "expected a blank"},
        {"no_lbr cycles\r\n", 13, 1, 14, "fdata.end", "carriage return"},
        {"no_lbr a\tb\n", 8, 1, 9, "fdata.header.events", "control character"},
        {"no_lbr\n\n", 7, 2, 1, "fdata.symbol", "expected a record"},
        /* after records */
        {"1 f a 1 g b 1 2\n\n", 16, 2, 1, "fdata.symbol", "expected a record"},
        {"1 f a 1 g b 1 2\nboltedcollection\n", 16, 2, 1, "fdata.symbol", "expected a record"},
        {"1 f a 1 g b 1 2\n9 f a 1 g b 1 2\n", 16, 2, 1, "fdata.symbol", "expected a record"},
        {"1 f a 1 g b 1 2\n1 f a 1 g b 1 2", 31, 2, 16, "fdata.end", "no line feed"},
        {"1 f a 1 g b 1 2\r\n", 15, 1, 16, "fdata.end", "carriage return"},
        {"1 f a 1 g b 1 2\n1 f a 1 g b 1 2\r\n", 31, 2, 16, "fdata.end", "carriage return"},
        /* one field after the other */
        {"1\n", 1, 1, 2, "fdata.name", "expected the name"},
        {"1  \n", 3, 1, 4, "fdata.name", "expected the name"},
        {"11 f a\n", 1, 1, 2, "fdata.name", "expected a blank"},
        {"1 f\n", 3, 1, 4, "fdata.offset", "expected an offset"},
        {"1 f\\ a\n", 6, 1, 7, "fdata.offset", "expected an offset"},
        {"1 f\\\n", 4, 1, 5, "fdata.name", "backslash"},
        {"1 f x\n", 4, 1, 5, "fdata.offset", "expected an offset"},
        {"1 f 0x10 1 g b 1 2\n", 5, 1, 6, "fdata.offset", "without 0x"},
        {"1 f -1 1 g b 1 2\n", 4, 1, 5, "fdata.offset", "expected an offset"},
        {"1 f 10000000000000000 1 g b 1 2\n", 4, 1, 5, "fdata.offset", "more than 64 bits"},
        {"1 f ag 1 g b 1 2\n", 5, 1, 6, "fdata.symbol", "expected a blank"},
        {"1 f a\n", 5, 1, 6, "fdata.symbol", "second location"},
        {"1 f a 5\n", 6, 1, 7, "fdata.symbol", "0, 1 or 2"},
        {"1 f a 3 g b 1 2\n", 6, 1, 7, "fdata.symbol", "0, 1 or 2"},
        {"4 f a 1 g b 2\n", 6, 1, 7, "fdata.symbol", "3, 4 or 5"},
        {"1 f a 1 g\n", 9, 1, 10, "fdata.offset", "expected an offset"},
        {"1 f a 1 g b\n", 11, 1, 12, "fdata.mispredictions", "mispredictions"},
        {"1 f a 1 g b x\n", 12, 1, 13, "fdata.mispredictions", "mispredictions"},
        {"1 f a 1 g b -1 2\n", 12, 1, 13, "fdata.mispredictions", "negative"},
        {"1 f a 1 g b +1 2\n", 12, 1, 13, "fdata.mispredictions", "mispredictions"},
        {"1 f a 1 g b 1\n", 13, 1, 14, "fdata.count", "expected the count"},
        {"1 f a 1 g b 1 x\n", 14, 1, 15, "fdata.count", "expected the count"},
        {"1 f a 1 g b 1 -2\n", 14, 1, 15, "fdata.count", "negative"},
        {"1 f a 1 g b 1 0x2\n", 15, 1, 16, "fdata.end", "end of the line"},
        {"1 f a 1 g b 1 2 3\n", 16, 1, 17, "fdata.end", "end of the line"},
        {"1 f a 1 g b 1\t2\n", 13, 1, 14, "fdata.count", "expected a blank"},
        {"1 f a 1 g b 9223372036854775808 2\n", 12, 1, 13, "fdata.mispredictions", "2^63 - 1"},
        {"1 f a 1 g b 1 9223372036854775808\n", 14, 1, 15, "fdata.count", "2^63 - 1"},
        {"1 f a 1 g b 1 99999999999999999999\n", 14, 1, 15, "fdata.count", "2^63 - 1"},
        {"4 f a 4 g b\n", 11, 1, 12, "fdata.count", "expected the count"},
        {"4 f a 4 g b 1 2\n", 14, 1, 15, "fdata.end", "end of the line"},
        {"no_lbr\n1 f a\n", 12, 2, 6, "fdata.count", "expected the count"},
        {"no_lbr\n1 f a 1 g b 1 2\n", 15, 2, 9, "fdata.end", "end of the line"},
    };
    for (size_t i = 0; i < COUNT(all); i++)
        assert_wrong(&all[i]);
    struct apf_error error;
    static const char zero[] = "1 f\0g a 1 g b 1 2\n";
    struct apf_fdata *f = fresh(NULL);
    assert_int_equal(read_bytes(f, zero, sizeof zero - 1, "test", &error), APF_BAD_FDATA);
    assert_int_equal(error.column, 4);
    assert_string_equal(error.message, "fdata with an error: a zero byte [line 1, column 4, fdata.name]");
    apf_fdata_free(f);
    static const char escaped[] = "1 f\\\0g a 1 g b 1 2\n";
    f = fresh(NULL);
    assert_int_equal(read_bytes(f, escaped, sizeof escaped - 1, "test", &error), APF_BAD_FDATA);
    assert_int_equal(error.column, 5);
    apf_fdata_free(f);
}

/* Every part of a file that does not end with a line is an error: at its end, or where a number or name is missing. */
static void test_cut_off(void **state)
{
    (void)state;
    static const char text[] = "boltedcollection\n1 main d4 1 worker 0 1 3\n1 main d4 1 worker 0 1 3\n"
                               "0 [unknown] 0 1 g\\ x 5 0 12\n4 main 1f 3 [unknown] 7f 12\n";
    for (size_t n = 1; n < sizeof text; n++) {
        struct apf_error error;
        struct apf_fdata *f = fresh(NULL);
        int code = read_bytes(f, text, n, "test", &error);
        assert_int_equal(code, text[n - 1] == '\n' ? APF_OK : APF_BAD_FDATA);
        if (code != APF_OK)
            assert_true(error.offset <= n && error.line > 0 && error.column > 0);
        apf_fdata_free(f);
    }
}

/* Lines are looked at in groups: an error after many of them is where it is. */
static void test_error_far_down(void **state)
{
    (void)state;
    enum { LINES = 1000 };
    static const char line[] = "1 f a 1 g b 1 2\n";
    const size_t n = sizeof line - 1;
    char *text = malloc(LINES * n + 1);
    assert_non_null(text);
    for (size_t wrong = 0; wrong < LINES; wrong += 37) {
        struct apf_error error;
        struct apf_fdata *f = fresh(NULL);
        for (size_t i = 0; i < LINES; i++)
            memcpy(text + i * n, line, n);
        text[wrong * n + 11] = '\t';
        assert_int_equal(read_bytes(f, text, LINES * n, "test", &error), APF_BAD_FDATA);
        assert_int_equal(error.line, wrong + 1);
        assert_int_equal(error.column, 12);
        assert_int_equal(error.offset, wrong * n + 11);
        assert_int_equal(apf_fdata_info(f)->n_lines, wrong);
        apf_fdata_free(f);
    }
    free(text);
}

/* Other kinds of profiles, by their beginning. */
static void test_other_kinds(void **state)
{
    (void)state;
    static const char *const texts[] = {"---\nheader:\n", "PERFILE2"};
    static const char *const says[] = {"YAML", "perf2bolt"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct apf_error error;
        struct apf_fdata *f = fresh(NULL);
        assert_int_equal(read_text(f, texts[i], &error), APF_UNSUPPORTED);
        assert_string_equal(error.where, "fdata.kind");
        assert_non_null(strstr(error.message, says[i]));
        apf_fdata_free(f);
    }
}

static int count_empty(void *user, const struct apf_diag *diag)
{
    assert_int_equal(diag->code, APF_EMPTY_FDATA);
    assert_int_equal(diag->severity, APF_SEVERITY_WARNING);
    assert_int_equal(diag->error->code, APF_EMPTY_FDATA);
    assert_int_equal(diag->source.n, 4);
    *(uint64_t *)user = diag->input;
    return 0;
}

static void test_empty(void **state)
{
    (void)state;
    uint64_t input = 99;
    struct apf_options options = {0};
    options.size = sizeof options;
    options.diag = count_empty;
    options.user = &input;
    struct apf_fdata *f = fresh(&options);
    assert_int_equal(read_text(f, "no_lbr\n1 f a 1\n", NULL), APF_OK);
    assert_int_equal(input, 99);
    assert_int_equal(read_text(f, "", NULL), APF_OK);
    assert_int_equal(input, 1);
    assert_int_equal(apf_fdata_info(f)->n_inputs, 2);
    assert_int_equal(apf_fdata_info(f)->n_empty, 1);
    assert_written(f, "no_lbr\n1 f a 1\n");
    apf_fdata_free(f);
}

/* After a failure the profile cannot be used. */
static void test_spoilt(void **state)
{
    (void)state;
    struct apf_error error;
    struct apf_fdata *f = fresh(NULL);
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    static const struct apf_fdata_record record = {.size = sizeof record};
    assert_int_equal(read_text(f, "1 f a 1 g b 1 2\nx\n", &error), APF_BAD_FDATA);
    assert_int_equal(apf_fdata_write(f, &output, &error), APF_ARGUMENT);
    assert_int_equal(out.n, 0);
    assert_int_equal(apf_fdata_sort(f, &error), APF_ARGUMENT);
    assert_int_equal(apf_fdata_add(f, &record, &error), APF_ARGUMENT);
    assert_int_equal(apf_fdata_declare(f, 0, NULL, 0, &error), APF_ARGUMENT);
    assert_int_equal(read_text(f, "1 f a 1 g b 1 2\n", &error), APF_ARGUMENT);
    apf_fdata_free(f);
}

static void test_files(void **state)
{
    (void)state;
    struct apf_error error;
    static const char good[] = "1 f a 1 g b 1 2\n", bad[] = "1 f a 1 g b 1 2\n\n";
    struct apf_input inputs[] = {apf_input_file(temp_path("good")), apf_input_file(temp_path("bad"))};
    file_make(inputs[0].path, good, sizeof good - 1);
    file_make(inputs[1].path, bad, sizeof bad - 1);
    struct apf_fdata *f = fresh(NULL);
    assert_int_equal(apf_fdata_read(f, inputs, 2, &error), APF_BAD_FDATA);
    assert_int_equal(error.input, 1);
    assert_int_equal(error.line, 2);
    apf_fdata_free(f);
    f = fresh(NULL);
    inputs[1] = apf_input_file(temp_path("missing"));
    assert_int_equal(apf_fdata_read(f, inputs, 2, &error), APF_IO);
    assert_int_equal(error.input, 1);
    apf_fdata_free(f);
}

TEST_FILE(fdata_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),     cmocka_unit_test(test_samples),
        cmocka_unit_test(test_header_order), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_error_far_down),
        cmocka_unit_test(test_cut_off),      cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_empty),        cmocka_unit_test(test_spoilt),
        TEST_WITH_DIR(test_files),
    };
    return RUN_TESTS(tests);
}
