/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of perf script: every record, every error with its place. The lines have the format of perf 6.1, apart
 * from deliberate errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "perf/perf_script.h"

/* ---- records as text ---- */

struct listing {
    char text[4096];
    size_t n;
};

static void append_record(struct listing *l, const struct perf_record *r)
{
    static const char *const kinds[] = {"", "mapping", "fork", "exec"};
    bool load = r->fields & APF_PERF_HAS_DATA, address = r->fields & APF_PERF_HAS_ADDRESS;
    char build_id[PERF_BUILD_ID_TEXT];
    char *p = l->text + l->n;
    size_t room = sizeof l->text - l->n;
    int n = snprintf(p, room, "%s %u",
                     r->kind != PERF_SAMPLE ? kinds[r->kind]
                     : load                 ? "load"
                     : address              ? "address"
                                            : "stack",
                     r->pid);
    perf_build_id_print(&r->build_id, build_id);
    if (r->kind == PERF_MAPPING)
        n += snprintf(p + n, room - (size_t)n, " %llx+%llx@%llx %d <%s> %.*s", (unsigned long long)r->start,
                      (unsigned long long)r->size, (unsigned long long)r->offset, r->executable, build_id,
                      (int)r->path.n, r->path.p);
    else if (r->kind == PERF_FORK)
        n += snprintf(p + n, room - (size_t)n, " of %u%s", r->parent, r->untimed ? " untimed" : "");
    else if (r->kind != PERF_EXEC && r->event.n)
        n += snprintf(p + n, room - (size_t)n, " %.*s:", (int)r->event.n, r->event.p);
    if (load)
        n += snprintf(p + n, room - (size_t)n, " %llx by", (unsigned long long)r->data);
    if (address)
        n += snprintf(p + n, room - (size_t)n, " %llx", (unsigned long long)r->address);
    for (size_t i = 0; i < r->n_branches; i++)
        n += snprintf(p + n, room - (size_t)n, " %llx>%llx%s", (unsigned long long)r->branches[i].from,
                      (unsigned long long)r->branches[i].to,
                      perf_branch_missed(&r->branches[i])   ? "!"
                      : perf_branch_silent(&r->branches[i]) ? "?"
                                                            : "");
    n += snprintf(p + n, room - (size_t)n, "\n");
    l->n += (size_t)n;
    assert_true(l->n < sizeof l->text);
}

static int collect_record(void *user, const struct perf_record *r, struct apf_error *error)
{
    (void)error;
    append_record(user, r);
    return APF_OK;
}

static int read_text(struct perf_script *s, struct listing *l, const char *text, struct apf_error *error)
{
    size_t n = strlen(text);
    char *exact = malloc(n ? n : 1); /* so that a read after the end is seen */
    assert_non_null(exact);
    memcpy(exact, text, n);
    struct apf_input input = apf_input_memory(exact, n, "test");
    int code = perf_script_read(s, &input, UINT64_MAX, collect_record, l, error);
    free(exact);
    return code;
}

static struct perf_script assert_reads(const char *text, const char *expected)
{
    struct perf_script s = {.n_lines = 0};
    struct listing l = {.n = 0};
    struct apf_error error;
    error.message[0] = '\0';
    int code = read_text(&s, &l, text, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_string_equal(l.text, expected);
    perf_script_free(&s);
    return s;
}

/* ---- samples ---- */

static void branches(void **state)
{
    (void)state;
    assert_reads(
        "  100  0x400100/0x400200/P/-/-/0/  0x400300/0x400050/M/-/-/0/  0x400301/0x400051/-/-/-/0/ \n",
        "stack 100 400100>400200 400300>400050! 400301>400051?\n");
    assert_reads("  100     1.000002: cycles:u:  0x1/0x2/P/-/-/0/ \n", "stack 100 cycles:u: 1>2\n");
    assert_reads(
        "100/101 cycles:u:\t0xFFFFFFFFFFFFFFFF/0xffffffff81000000/P/X/A/12/RET/NON_SPEC_CORRECT_PATH\n",
        "stack 100 cycles:u: ffffffffffffffff>ffffffff81000000\n");
    assert_reads("100 400123 0x1/0x2/P/-/-/0 1/2/M/\n", "stack 100 1>2 1>2!\n");
    assert_reads("  100 cpu/mem-loads,ldlat=30/P:  0x1/0x2/P/-/-/0/ \n",
                 "stack 100 cpu/mem-loads,ldlat=30/P: 1>2\n");
    assert_reads("  101 \n   -1  0x1/0x2/P/-/-/0/\n4294967294\n",
                 "stack 101\nstack 4294967295 1>2\nstack 4294967294\n");
}

static void branches_that_were_not_taken(void **state)
{
    (void)state;
    struct perf_script s = assert_reads(
        "1 0x1/0x2/PN/-/-/0/ 0x3/0x4/MP/-/-/0/ 0x5/0x6/N/-/-/0/ 0x7/0x8/-/-\n", "stack 1 3>4! 7>8?\n");
    assert_int_equal(s.not_taken, 2);
}

static void addresses(void **state)
{
    (void)state;
    assert_reads("  100 cycles:u:            400123\n", "address 100 cycles:u: 400123\n");
    assert_reads("  100     1.000002: cpu-clock:u:  0xffffffffffffffff \n",
                 "address 100 cpu-clock:u: ffffffffffffffff\n");
    assert_reads("  100 400123\n", "address 100 400123\n");
    assert_reads("  100 cpu/mem-loads/:     7ffc0010           400123\n",
                 "load 100 cpu/mem-loads/: 7ffc0010 by 400123\n");
}

/* ---- events ---- */

static void events(void **state)
{
    (void)state;
    assert_reads(
        "  100     1.000001: PERF_RECORD_MMAP2 100/100: [0x400000(0x2000) @ 0 08:01 77 0]: r-xp /tmp/b c\n",
        "mapping 100 400000+2000@0 1 <> /tmp/b c\n");
    assert_reads("a b 100 1.1: PERF_RECORD_MMAP2 7/8: [0x1(0x2) @ 0x30 <00ffaB>]: r--p [vdso]\n",
                 "mapping 7 1+2@30 0 <00ffab> [vdso]\n");
    assert_reads("7z 0 [001] 0.0: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x10) @ 0xf]: x [kernel]\n",
                 "mapping 4294967295 ffffffff81000000+10@f 1 <> [kernel]\n");
    assert_reads(
        "1 1.0: PERF_RECORD_MMAP -1/0: [0(0x9fff) @ 0]: x [guest.kernel.kallsyms]\n", /* 0 has no 0x */
        "mapping 4294967295 0+9fff@0 1 <> [guest.kernel.kallsyms]\n");
    assert_reads("  102     0.000000: PERF_RECORD_FORK(102:103):(100:100)\n", "fork 102 of 100 untimed\n");
    assert_reads("  102     0.000010: PERF_RECORD_FORK(102:103):(100:100)\n", "fork 102 of 100\n");
    assert_reads("  102     10.000000: PERF_RECORD_FORK(102:103):(100:100)\n", "fork 102 of 100\n");
    assert_reads("  102 PERF_RECORD_FORK(102:103):(100:100)\n", "fork 102 of 100\n");
    assert_reads("  101     1.000005: PERF_RECORD_COMM exec: a:1/2 b:101/102\n", "exec 101\n");
    struct perf_script s = assert_reads("  1     1.0: PERF_RECORD_COMM: a b:1/1\n"
                                        "123 1 1.0: PERF_RECORD_EXIT(1:1):(1:1)\n"
                                        "PERF_RECORD_LOST lost 4\n",
                                        "");
    assert_int_equal(s.n_events, 3);
    assert_int_equal(s.n_other, 0);
    assert_int_equal(s.n_lines, 3);
}

static void lines_of_something_else(void **state)
{
    (void)state;
    struct perf_script s = assert_reads(
        "  100 \n"
        "            :100   100     1.000002:       1000 cycles:u:      400123 [unknown] (/tmp/b)\n"
        "             123   100     1.000002:       1000 cycles:u:      400123 main+0x4 (/tmp/b)\n"
        "              7z   100 [001] 1.000002:       1000 cycles:u:      400123 main+0x4 (/tmp/b)\n"
        "# a comment about xPERF_RECORD_MMAP2 \n"
        "\n",
        "stack 100\n");
    assert_int_equal(s.n_other, 5);
    assert_int_equal(s.first_other, 2);
    assert_int_equal(s.n_events, 0);
}

static void counts_of_several_texts_are_added(void **state)
{
    (void)state;
    struct perf_script s = {.n_lines = 0};
    struct listing l = {.n = 0};
    assert_int_equal(read_text(&s, &l, "1\nx\n", NULL), APF_OK);
    assert_int_equal(read_text(&s, &l, "2 0x1/0x2/P/\n", NULL), APF_OK);
    assert_string_equal(l.text, "stack 1\nstack 2 1>2\n");
    assert_int_equal(s.n_lines, 3);
    assert_int_equal(s.n_other, 1);
    assert_int_equal(s.first_other, 2);
    perf_script_free(&s);
}

/* ---- errors ---- */

struct wrong {
    const char *text;
    uint64_t offset;
    uint32_t line, column;
    const char *where, *says;
};

static void errors(void **state)
{
    static const struct wrong all[] = {
        {"1\n100x\n", 2, 2, 1, "perf.pid", "expected the number of a process"},
        {" 4294967296\n", 1, 1, 2, "perf.pid", "expected the number of a process"},
        {"1/x 1\n", 0, 1, 1, "perf.pid", "expected the number of a process"},
        {"1 a: b: 1\n", 5, 1, 6, "perf.event", "expected one event"},
        {"1 a: xyz\n", 5, 1, 6, "perf.address", "expected a hexadecimal number, or branches"},
        {"1 a: 0x\n", 5, 1, 6, "perf.address", "expected a hexadecimal number, or branches"},
        {"1 1 2 3\n", 6, 1, 7, "perf.address", "expected a hexadecimal number, or branches"},
        {"1 10000000000000000\n", 2, 1, 3, "perf.address", "expected a hexadecimal number, or branches"},
        {"1 0x1/0x2/P/ 5\n", 14, 1, 15, "perf.branch.from", "expected a slash"},
        {"1 0x1/0x2/P/ main/0x2/P/\n", 13, 1, 14, "perf.branch.from", "expected a hexadecimal number"},
        {"1 0x1(a)/0x2(b)/P/\n", 5, 1, 6, "perf.branch.from", "expected a slash (print brstack"},
        {"1 0x1/\n", 6, 1, 7, "perf.branch.to", "expected a hexadecimal number"},
        {"1 0x1/0xg/P/\n", 8, 1, 9, "perf.branch.to", "expected a hexadecimal number"},
        {"1 0x1/0x2\n", 9, 1, 10, "perf.branch.to", "expected a slash"},
        {"1 0x10000000000000000/0x2/P/\n", 4, 1, 5, "perf.branch.from", "more than 16 digits"},
        {"1 0x1/0x2/Q/-/-/0/\n", 10, 1, 11, "perf.branch.flag", "expected P, M or -"},
        {"1 0x1/0x2//-/-/0/\n", 10, 1, 11, "perf.branch.flag", "expected P, M or -"},
        {"1 0x1/0x2/\n", 10, 1, 11, "perf.branch.flag", "expected P, M or -"},
        {"1 0x1/0x2/P\n", 11, 1, 12, "perf.branch", "expected a slash, and more about the branch"},
        {"1 0x1/0x2/P 0x3/0x4/P/\n", 11, 1, 12, "perf.branch", "expected a slash"},
        {"1 0x1/0x2/P/-/-/0/\r\n", 18, 1, 19, "perf.branch.from", "expected a hexadecimal number"},
        {"1 1.0: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 4 x]: r-xp /a\n", 42, 1, 43, "perf.mapping",
         "expected PID/TID"},
        {"1 1.0: PERF_RECORD_MMAP2 1: [0x1(0x2) @ 0]: x /a\n", 26, 1, 27, "perf.mapping", "expected PID/TID"},
        {"1 1.0: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 r-xp /a\n", 51, 1, 52, "perf.mapping",
         "expected PID/TID"},
        {"1 1.0: PERF_RECORD_FORK(2):(1:1)\n", 25, 1, 26, "perf.fork", "expected (PID:TID):(PID:TID)"},
        {"1 1.0: PERF_RECORD_COMM exec: a\n", 30, 1, 31, "perf.exec", "expected NAME:PID/TID"},
        {"1 1.0: PERF_RECORD_COMM exec: a:1/2x\n", 35, 1, 36, "perf.exec", "expected NAME:PID/TID"},
        {"1 0x1/0x2/P/-/-/0/", 18, 1, 19, "text.line", "the last line has no end"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        const struct wrong *w = &all[i];
        struct perf_script s = {.n_lines = 0};
        struct listing l = {.n = 0};
        struct apf_error error = {.line = 0};
        int code = read_text(&s, &l, w->text, &error);
        if (code != APF_BAD_SAMPLES || error.line != w->line || error.column != w->column)
            print_error("of: %s: %s\n", w->text, error.message);
        assert_int_equal(code, APF_BAD_SAMPLES);
        assert_int_equal(error.code, APF_BAD_SAMPLES);
        assert_string_equal(error.where, w->where);
        assert_int_equal(error.line, w->line);
        assert_int_equal(error.column, w->column);
        assert_int_equal(error.offset, w->offset);
        assert_non_null(strstr(error.message, w->says));
        perf_script_free(&s);
    }
}

static int stop(void *user, const struct perf_record *r, struct apf_error *error)
{
    (void)error;
    ++*(int *)user;
    return r->pid == 2 ? APF_STOPPED : APF_OK;
}

static void who_takes_can_stop(void **state)
{
    (void)state;
    struct perf_script s = {.n_lines = 0};
    struct apf_input input = apf_input_memory("1\n2\n3\n", 6, "test");
    int n = 0;
    assert_int_equal(perf_script_read(&s, &input, UINT64_MAX, stop, &n, NULL), APF_STOPPED);
    assert_int_equal(n, 2);
    perf_script_free(&s);
}

TEST_FILE(perf_script)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches),
        cmocka_unit_test(branches_that_were_not_taken),
        cmocka_unit_test(addresses),
        cmocka_unit_test(events),
        cmocka_unit_test(lines_of_something_else),
        cmocka_unit_test(counts_of_several_texts_are_added),
        cmocka_unit_test(errors),
        cmocka_unit_test(who_takes_can_stop),
    };
    return RUN_TESTS(tests);
}
