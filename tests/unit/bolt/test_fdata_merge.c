/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of several inputs, or made in memory: sums, order, conflicts, limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "helpers/shared/unit.h"

#define MOST "9223372036854775807"

static struct apf_fdata *fresh(void)
{
    struct apf_fdata *f;
    assert_int_equal(apf_fdata_new(&f, NULL, NULL), APF_OK);
    return f;
}

static int read_as(struct apf_fdata *f, const char *name, const char *text, uint64_t weight,
                   struct apf_error *error)
{
    struct apf_input input = {
        .size = sizeof(struct apf_input), .data = text, .n = strlen(text), .name = name, .weight = weight};
    return apf_fdata_read(f, &input, 1, error);
}

static void read_good(struct apf_fdata *f, const char *text)
{
    struct apf_error error;
    error.message[0] = '\0';
    int code = read_as(f, "test", text, 0, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
}

static struct apf_str str(const char *text)
{
    struct apf_str s = {text, strlen(text)};
    return s;
}

static char *written(struct apf_fdata *f)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    assert_int_equal(apf_fdata_write(f, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(&out, "", 1), 0);
    return (char *)out.data;
}

static void assert_written(struct apf_fdata *f, const char *expected)
{
    char *text = written(f);
    assert_string_equal(text, expected);
    free(text);
}

/* The order of perf2bolt, extended to records that it does not write; one line for each record, with its own count. */
static const char *const ordered[] = {
    "1 a 0 0 x 0 0 1\n",          "1 a 0 1 a 1 0 2\n",          "1 a 0 1 a 10 0 3\n",
    "1 a 0 1 b 0 0 4\n",          "1 a 0 2 a 0 0 5\n",          "1 a 2 1 a 0 0 6\n",
    "1 a 10 1 a 0 0 7\n",         "2 a 0 1 a 0 0 8\n",          "0 [heap] 5 1 a 0 0 9\n",
    "0 [unknown] 0 1 a 0 0 10\n", "0 [unknown] 0 1 a 8 0 11\n", "0 [unknown] 0 2 a 0 0 12\n",
    "1 a/1 0 1 a 0 0 13\n",       "1 ab 0 1 a 0 0 14\n",        "0 p 0 0 q 0 0 15\n",
    "1 \xff 0 1 a 0 0 16\n",      "4 a 0 3 x 0 17\n",           "4 a 0 4 x 0 18\n",
    "4 a 1 4 a 0 19\n",           "4 b 0 4 a 0 20\n",
};

static void test_order(void **state)
{
    (void)state;
    char text[2048], expected[2048] = "";
    uint64_t seed = 5;
    for (size_t i = 0; i < COUNT(ordered); i++)
        strcat(expected, ordered[i]);
    for (unsigned round = 0; round < 50; round++) {
        size_t order[COUNT(ordered)];
        text[0] = '\0';
        for (size_t i = 0; i < COUNT(ordered); i++) {
            size_t j = (size_t)(next_random(&seed) % (i + 1));
            order[i] = order[j];
            order[j] = i;
        }
        for (size_t i = 0; i < COUNT(ordered); i++)
            strcat(text, ordered[order[i]]);
        struct apf_fdata *f = fresh();
        read_good(f, text);
        assert_written(f, expected);
        apf_fdata_free(f);
    }
}

static void test_sums(void **state)
{
    (void)state;
    struct apf_fdata *f = fresh();
    read_good(f, "1 f a 1 g b 1 2\n4 f 1 4 x 2 7\n");
    read_good(f, "4 f 1 4 x 2 8\n1 f a 1 g b 10 20\n1 f b 1 g b 3 4\n");
    assert_written(f, "1 f a 1 g b 11 22\n1 f b 1 g b 3 4\n4 f 1 4 x 2 15\n");
    read_good(f, "1 e 0 1 e 1 0 0\n"); /* also after it was written */
    assert_written(f, "1 e 0 1 e 1 0 0\n1 f a 1 g b 11 22\n1 f b 1 g b 3 4\n4 f 1 4 x 2 15\n");
    assert_int_equal(apf_fdata_info(f)->n_lines, 6);
    assert_int_equal(apf_fdata_info(f)->n_branches, 3);
    apf_fdata_free(f);
}

static void test_weights(void **state)
{
    (void)state;
    struct apf_fdata *f = fresh();
    assert_int_equal(read_as(f, "a", "1 f a 1 g b 1 2\n", 3, NULL), APF_OK);
    assert_int_equal(read_as(f, "b", "1 f a 1 g b 1 2\n1 f b 1 g b 0 5\n", 10, NULL), APF_OK);
    assert_int_equal(read_as(f, "c", "1 f a 1 g b 1 2\n", 1, NULL), APF_OK);
    assert_written(f, "1 f a 1 g b 14 28\n1 f b 1 g b 0 50\n");
    assert_int_equal(apf_fdata_info(f)->n_saturated, 0);
    apf_fdata_free(f);
    f = fresh();
    assert_int_equal(read_as(f, "d", "1 f a 1 g b 1 2\n1 f b 1 g b 0 1\n", UINT64_MAX, NULL), APF_OK);
    assert_int_equal(read_as(f, "d", "1 f a 1 g b 1 2\n", UINT64_MAX, NULL), APF_OK);
    assert_written(f, "1 f a 1 g b " MOST " " MOST "\n1 f b 1 g b 0 " MOST "\n");
    assert_int_equal(apf_fdata_info(f)->n_saturated, 2);
    apf_fdata_free(f);
}

/* Sums do not wrap: they stay at the largest number, and each such record is counted once. */
static void test_saturation(void **state)
{
    (void)state;
    struct apf_fdata *f = fresh();
    read_good(f, "1 f a 1 g b 1 " MOST "\n1 f b 1 g b " MOST " 1\n1 f c 1 g b 1 9223372036854775806\n");
    read_good(f, "1 f c 1 g b 1 1\n");
    assert_int_equal(apf_fdata_info(f)->n_saturated, 0);
    read_good(f, "1 f a 1 g b 1 1\n1 f a 1 g b 1 1\n1 f b 1 g b " MOST " " MOST "\n");
    assert_int_equal(apf_fdata_info(f)->n_saturated, 2);
    assert_written(f, "1 f a 1 g b 3 " MOST "\n1 f b 1 g b " MOST " " MOST "\n1 f c 1 g b 2 " MOST "\n");
    apf_fdata_free(f);
}

static void assert_conflict(const char *first, const char *second, const char *says)
{
    struct apf_error error;
    struct apf_fdata *f = fresh();
    read_good(f, first);
    assert_int_equal(read_as(f, "other", second, 0, &error), APF_FDATA_CONFLICT);
    assert_string_equal(error.where, "fdata.header");
    assert_non_null(strstr(error.message, says));
    apf_fdata_free(f);
}

static void test_conflicts(void **state)
{
    (void)state;
    static const char branch[] = "1 f a 1 g b 1 2\n", bolted[] = "boltedcollection\n1 f a 1 g b 1 2\n";
    static const char sample[] = "no_lbr\n1 f a 1\n", both[] = "no_lbr\nboltedcollection\n1 f a 1\n";
    assert_conflict(branch, bolted, "without boltedcollection: this one has that line, test has not");
    assert_conflict(bolted, branch, "without boltedcollection: test has that line, this one has not");
    assert_conflict(branch, sample, "without no_lbr: this one has that line, test has not");
    assert_conflict(sample, branch, "without no_lbr: test has that line, this one has not");
    assert_conflict(sample, both, "without boltedcollection: this one has that line, test has not");
    assert_conflict(both, bolted, "without no_lbr: test has that line, this one has not");
}

/* A file may have only the header, which has its kind; an empty file has no kind. */
static void test_no_conflict(void **state)
{
    (void)state;
    struct apf_fdata *f = fresh();
    read_good(f, "");
    assert_int_equal(apf_fdata_info(f)->known, 0);
    read_good(f, "boltedcollection\n");
    read_good(f, "");
    read_good(f, "boltedcollection\n1 f a 1 g b 1 2\n");
    assert_written(f, "boltedcollection\n1 f a 1 g b 1 2\n");
    apf_fdata_free(f);
    f = fresh();
    assert_written(f, ""); /* output of perf2bolt for a profile without samples */
    apf_fdata_free(f);
}

static int collect_finding(void *user, const struct apf_diag *diag)
{
    struct apf_error *last = user;
    assert_int_equal(diag->code, APF_FDATA_CONFLICT);
    last->input = diag->input;
    last->line++;
    memcpy(last->message, diag->error->message, sizeof last->message);
    return 0;
}

/* Names of events are united, and a difference is reported once. merge-fdata loses names, so a file without names does
 * not differ. */
static void test_events(void **state)
{
    (void)state;
    struct apf_error last = {0};
    struct apf_fdata *f;
    struct apf_options options = {0};
    options.size = sizeof options;
    options.diag = collect_finding;
    options.user = &last;
    assert_int_equal(apf_fdata_new(&f, &options, NULL), APF_OK);
    read_good(f, "no_lbr\n1 f a 1\n");
    assert_int_equal(read_as(f, "b", "no_lbr cycles:u\n1 f a 1\n", 0, NULL), APF_OK);
    read_good(f, "no_lbr cycles:u\n1 f a 1\n");
    read_good(f, "no_lbr\n1 f a 1\n");
    assert_int_equal(last.line, 0);
    read_good(f, "no_lbr branches\n1 f a 1\n");
    assert_int_equal(last.line, 1);
    assert_int_equal(last.input, 4);
    assert_non_null(strstr(last.message, "counts of other events than those of b are added to them"));
    read_good(f, "no_lbr cycles:u\n1 f a 1\n");
    assert_int_equal(last.line, 1);
    assert_written(f, "no_lbr branches cycles:u\n1 f a 6\n");
    assert_int_equal(apf_fdata_info(f)->n_events, 2);
    assert_int_equal(apf_fdata_info(f)->events[0].n, 8);
    apf_fdata_free(f);
}

static int stop(void *user, const struct apf_diag *diag)
{
    (void)user;
    (void)diag;
    return 1;
}

static void test_stopped(void **state)
{
    (void)state;
    struct apf_fdata *f;
    struct apf_error error;
    struct apf_options options = {0};
    options.size = sizeof options;
    options.diag = stop;
    assert_int_equal(apf_fdata_new(&f, &options, NULL), APF_OK);
    assert_int_equal(read_as(f, "a", "", 0, &error), APF_STOPPED);
    apf_fdata_free(f);
}

static void test_limits(void **state)
{
    (void)state;
    struct apf_fdata *f;
    struct apf_error error;
    struct apf_options options = {0};
    options.size = sizeof options;
    options.max_records = 2;
    options.max_bytes = 60;
    assert_int_equal(apf_fdata_new(&f, &options, NULL), APF_OK);
    assert_int_equal(read_as(f, "a", "1 f a 1 g b 1 2\n1 f b 1 g b 1 2\n1 f b 1 g b 1 2\n", 0, &error),
                     APF_OK);
    assert_int_equal(read_as(f, "b", "1 f a 1 g b 1 2\n1 f c 1 g b 1 2\n", 0, &error), APF_LIMIT);
    assert_string_equal(error.where, "fdata.records");
    assert_int_equal(error.found, 3);
    assert_int_equal(error.expected, 2);
    apf_fdata_free(f);
    assert_int_equal(apf_fdata_new(&f, &options, NULL), APF_OK);
    assert_int_equal(
        read_as(f, "a", "1 f a 1 g b 1 2\n1 f b 1 g b 1 2\n1 f b 1 g b 1 2\n1 f b 1 g b 1 2\n", 0, &error),
        APF_LIMIT);
    apf_fdata_free(f);
}

/* ---- made in memory ---- */

static struct apf_fdata_record branch(const char *from, uint64_t from_offset, const char *to,
                                      uint64_t to_offset)
{
    struct apf_fdata_record r = {.size = sizeof r};
    r.from.symbol = r.to.symbol = APF_FDATA_SYMBOL;
    r.from.name = str(from);
    r.from.offset = from_offset;
    r.to.name = str(to);
    r.to.offset = to_offset;
    r.count = 2;
    r.mispredictions = 1;
    return r;
}

static void test_made(void **state)
{
    (void)state;
    static const struct apf_str events[] = {{"cycles", 6}, {"a", 1}, {"a", 1}};
    struct apf_fdata *f = fresh();
    struct apf_fdata_record r = branch("g\\ x", 0xab, "f", 0);
    assert_int_equal(apf_fdata_add(f, &r, NULL), APF_OK);
    assert_int_equal(apf_fdata_add(f, &r, NULL), APF_OK);
    r.kind = APF_FDATA_MEMORY;
    r.to.symbol = APF_FDATA_NO_SYMBOL;
    assert_int_equal(apf_fdata_add(f, &r, NULL), APF_OK);
    read_good(f, "1 g\\ x ab 1 f 0 5 6\n");
    assert_written(f, "1 g\\ x ab 1 f 0 7 10\n4 g\\ x ab 3 f 0 2\n");
    apf_fdata_free(f);
    f = fresh();
    assert_int_equal(apf_fdata_declare(f, APF_FDATA_NO_LBR | APF_FDATA_BOLTED, events, 3, NULL), APF_OK);
    r.kind = APF_FDATA_SAMPLE;
    assert_int_equal(apf_fdata_add(f, &r, NULL), APF_OK);
    assert_written(f, "no_lbr a cycles\nboltedcollection\n1 g\\ x ab 2\n");
    apf_fdata_free(f);
}

/* The names of events that the profile hands out stay valid when one comes again. */
static void test_events_again(void **state)
{
    char names[40][8];
    struct apf_str events[40];
    struct apf_fdata *f = fresh();
    (void)state;
    for (size_t i = 0; i < 40; i++) {
        const int n = snprintf(names[i], sizeof names[i], "e%zu", i);
        events[i] = (struct apf_str){names[i], (size_t)n};
        assert_int_equal(apf_fdata_declare(f, APF_FDATA_NO_LBR, &events[i], 1, NULL), APF_OK);
        assert_int_equal(apf_fdata_declare(f, APF_FDATA_NO_LBR, &events[0], 1, NULL), APF_OK);
        assert_int_equal(apf_fdata_info(f)->n_events, i + 1);
        for (size_t k = 0; k <= i; k++)
            assert_string_equal(apf_fdata_info(f)->events[k].p, names[k]);
    }
    apf_fdata_free(f);
}

static void assert_refused(uint32_t flags, const struct apf_fdata_record *r, const char *says)
{
    struct apf_error error;
    struct apf_fdata *f = fresh();
    assert_int_equal(apf_fdata_declare(f, flags, NULL, 0, NULL), APF_OK);
    assert_int_equal(apf_fdata_add(f, r, &error), APF_ARGUMENT);
    assert_non_null(strstr(error.message, says));
    assert_int_equal(apf_fdata_info(f)->n_lines, 0);
    apf_fdata_free(f);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"", "a b", "a\\", "a\\\\ b", "a\nb", "a\\\nb", " "};
    struct apf_fdata_record r = branch("f", 1, "g", 2);
    assert_refused(APF_FDATA_NO_LBR, &r, "a branch in a profile of samples");
    r.kind = APF_FDATA_SAMPLE;
    assert_refused(APF_FDATA_BOLTED, &r, "a sample in a profile of branches");
    r.kind = 3;
    assert_refused(0, &r, "unknown kind of record");
    for (size_t i = 0; i < COUNT(names); i++) {
        r = branch(names[i], 1, "g", 2);
        assert_refused(0, &r, "a name");
        r = branch("g", 1, names[i], 2);
        assert_refused(0, &r, "a name");
    }
    r = branch("f", 1, "g", 2);
    r.to.name.p = "a\0b";
    r.to.name.n = 3;
    assert_refused(0, &r, "a name");
    r = branch("f", 1, "g", 2);
    r.from.symbol = 3;
    assert_refused(0, &r, "unknown kind of symbol");
    r = branch("f", 1, "g", 2);
    r.count = APF_FDATA_MOST + 1;
    assert_refused(0, &r, "2^63 - 1");
    r = branch("f", 1, "g", 2);
    r.mispredictions = UINT64_MAX;
    assert_refused(0, &r, "2^63 - 1");
}

static void test_declared(void **state)
{
    (void)state;
    static const struct apf_str good = {"cycles", 6}, bad[] = {{"", 0}, {"a b", 3}, {"a\n", 2}};
    struct apf_error error;
    struct apf_fdata *f = fresh();
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(apf_fdata_declare(f, APF_FDATA_NO_LBR, &bad[i], 1, &error), APF_ARGUMENT);
    assert_int_equal(apf_fdata_declare(f, 0, &good, 1, &error), APF_ARGUMENT);
    assert_int_equal(apf_fdata_declare(f, 4, NULL, 0, &error), APF_ARGUMENT);
    assert_int_equal(apf_fdata_info(f)->known, 0);
    assert_int_equal(apf_fdata_declare(f, APF_FDATA_BOLTED, NULL, 0, &error), APF_OK);
    assert_int_equal(apf_fdata_declare(f, 0, NULL, 0, &error), APF_FDATA_CONFLICT);
    assert_non_null(strstr(error.message, "what was made before has that line"));
    apf_fdata_free(f);
}

static void test_escape(void **state)
{
    (void)state;
    char to[16];
    assert_int_equal(apf_fdata_escape(str("g x\\y"), to, sizeof to), 7);
    assert_memory_equal(to, "g\\ x\\\\y", 7);
    assert_int_equal(apf_fdata_escape(str("plain"), to, sizeof to), 5);
    assert_memory_equal(to, "plain", 5);
    memset(to, '.', sizeof to);
    assert_int_equal(apf_fdata_escape(str(" x"), to, 2), 3); /* what does not fit is only counted */
    assert_memory_equal(to, "\\ .", 3);
    assert_int_equal(apf_fdata_escape(str(" \\"), NULL, 0), 4);
}

/* ---- many ---- */

/* Whatever the order of files and lines: the same bytes, and the right sums. */
static void test_many(void **state)
{
    (void)state;
    enum { KEYS = 3000, FILES = 6, LINES = 4000 };
    uint64_t seed = 9, total = 0, missed = 0, sum = 0;
    char *texts[FILES], *first = NULL;
    for (size_t i = 0; i < FILES; i++) {
        char *p = texts[i] = malloc(LINES * 64);
        assert_non_null(p);
        for (size_t k = 0; k < LINES; k++) {
            unsigned key = (unsigned)(next_random(&seed) % KEYS),
                     count = (unsigned)(next_random(&seed) % 1000);
            p += sprintf(p, "1 name%u %x 1 name%u %x %u %u\n", key % 61, key, key % 13, key % 7, count / 3,
                         count);
            total += count;
            missed += count / 3;
        }
    }
    for (size_t start = 0; start < FILES; start++) {
        struct apf_fdata *f = fresh();
        for (size_t i = 0; i < FILES; i++)
            read_good(f, texts[(start + i) % FILES]);
        char *text = written(f);
        if (first)
            assert_string_equal(text, first);
        struct apf_fdata_record r = {.size = sizeof r};
        for (uint64_t i = 0; start == 0 && apf_fdata_record(f, i, &r, NULL) == APF_OK; i++) {
            sum += r.count;
            missed -= r.mispredictions;
        }
        free(first);
        first = text;
        apf_fdata_free(f);
    }
    assert_int_equal(sum, total);
    assert_int_equal(missed, 0);
    for (size_t i = 0; i < FILES; i++)
        free(texts[i]);
    free(first);
}

TEST_FILE(fdata_merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_weights),      cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_conflicts),    cmocka_unit_test(test_no_conflict),
        cmocka_unit_test(test_events),       cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_made),
        cmocka_unit_test(test_events_again), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_declared),     cmocka_unit_test(test_escape),
        cmocka_unit_test(test_many),
    };
    return RUN_TESTS(tests);
}
