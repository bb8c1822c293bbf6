/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whole recordings through the public interface: every form of one recording gives the same samples, the places of
 * addresses, events that come through pipes, ends, callbacks that stop, and calls that fail. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <anyprof/perf.h>

#include "helpers/shared/fault.h"
#include "helpers/shared/perf_bytes.h"

#define PROGRAM 0x400000u
#define USUAL 0x10807u /* IDENTIFIER, IP, TID, TIME, BRANCH_STACK */

static const uint64_t event_ids[] = {71, 72};
static const struct pb_attr events[] = {
    {.size = 112, .period = 1000, .sample_type = USUAL, .flags = PB_ID_ALL, .branch_type = 8},
    {.size = 112,
     .type = 1,
     .period = 10,
     .sample_type = USUAL | 0x20,
     .flags = PB_ID_ALL,
     .branch_type = 8}};

/* ---- records ---- */

static void add_end(struct pb *b, uint64_t time)
{
    pb_32(b, 100);
    pb_32(b, 100);
    pb_64(b, time);
    pb_64(b, time ? event_ids[0] : 0);
    pb_end(b);
}

static void add_map(struct pb *b, uint64_t time, uint32_t pid, uint64_t start, uint64_t size, uint64_t at,
                    const char *name)
{
    pb_begin(b, 1, pid == UINT32_MAX ? 1 : 2);
    pb_32(b, pid);
    pb_32(b, pid);
    pb_64(b, start);
    pb_64(b, size);
    pb_64(b, at);
    pb_name(b, name);
    add_end(b, time);
}

static void add_task(struct pb *b, uint32_t type, uint64_t time, uint32_t pid, uint32_t parent)
{
    pb_begin(b, type, 0);
    pb_32(b, pid);
    pb_32(b, parent);
    pb_32(b, pid);
    pb_32(b, parent);
    pb_64(b, time);
    add_end(b, time);
}

static void add_exec(struct pb *b, uint64_t time, uint32_t pid)
{
    pb_begin(b, 3, 1 << 13);
    pb_32(b, pid);
    pb_32(b, pid);
    pb_name(b, "program");
    add_end(b, time);
}

static void add_sample(struct pb *b, unsigned event, uint64_t time, uint32_t pid, uint64_t address,
                       uint16_t misc)
{
    pb_begin(b, 9, misc);
    pb_64(b, event_ids[event]);
    pb_64(b, address);
    pb_32(b, pid);
    pb_32(b, pid);
    pb_64(b, time);
    if (event) {
        pb_64(b, 1);
        pb_64(b, address);
    }
    pb_64(b, 1);
    pb_64(b, address + 1);
    pb_64(b, address + 2);
    pb_64(b, 0);
    pb_end(b);
}

static void add_mark(struct pb *b)
{
    pb_begin(b, 68, 0);
    pb_end(b);
}

/* A program, its child, which runs another program later, and the kernel. */
static void add_records(struct pb *b)
{
    add_map(b, 0, UINT32_MAX, (uint64_t)1 << 63, (uint64_t)1 << 62, 0, "[kernel.kallsyms]_text");
    add_map(b, 0, 100, PROGRAM, 0x8000, 0x1000, "/bin/a");
    add_sample(b, 0, 10, 100, PROGRAM + 5, 2);
    add_sample(b, 1, 40, 102, PROGRAM + 6, 2);
    add_mark(b);
    add_task(b, 7, 20, 102, 100);
    add_task(b, 7, 0, 100, 1); /* which ran before: it keeps its mappings */
    add_exec(b, 50, 102);
    add_map(b, 55, 102, PROGRAM + 0x1000, 0x1000, 0, "/bin/b");
    add_mark(b);
    add_sample(b, 0, 60, 102, PROGRAM + 7, 2);
    add_sample(b, 0, 61, 102, PROGRAM + 0x1008, 2);
    add_sample(b, 0, 62, 102, ((uint64_t)1 << 63) + 9, 1);
    add_task(b, 4, 65, 102, 1);
    add_sample(b, 0, 66, 102, PROGRAM + 0x1008, 2); /* late, but not unknown */
    add_sample(b, 0, 67, 100, PROGRAM + 0x1008, 2);
    add_sample(b, 0, 68, 7, PROGRAM, 2);
    add_sample(b, 0, 69, 100, PROGRAM, 4); /* in a virtual machine */
}

/* Event, process and place of each sample, in the order of time. */
#define EXPECTED                                                                                             \
    "0 100 /bin/a+1005\n1 102 /bin/a+1006\n0 102 -\n0 102 /bin/b+8\n0 102 [kernel.kallsyms]+9\n"             \
    "0 102 /bin/b+8\n0 100 /bin/a+2008\n0 7 -\n0 100 -\n"

/* ---- reading ---- */

struct read {
    struct apf_perf *perf;
    char text[4096];
    size_t n;
    uint64_t n_samples, stop;
    int stop_code;
};

static int visit(void *user, const struct apf_perf_sample *s, struct apf_error *error)
{
    struct read *r = user;
    struct apf_perf_place place = {.size = sizeof place};
    int code = apf_perf_find(r->perf, s->address, &place, error);
    const struct apf_perf_event *event = apf_perf_event(r->perf, s->event);
    assert_true(event && event->name.n && event->period);
    assert_true(s->event < apf_perf_info(r->perf)->n_events);
    char *p = r->text + r->n;
    size_t room = sizeof r->text - r->n;
    int n = snprintf(p, room, "%u %u ", s->event, s->pid);
    if (code == APF_OK) {
        struct apf_str path = apf_perf_file(r->perf, place.file)->path;
        n += snprintf(p + n, room - (size_t)n, "%.*s+%llx\n", (int)path.n, path.p,
                      (unsigned long long)place.offset);
    } else {
        n += snprintf(p + n, room - (size_t)n, "-\n");
    }
    assert_true((size_t)n < room);
    r->n += (size_t)n;
    return ++r->n_samples == r->stop ? r->stop_code : APF_OK;
}

static int read_input(struct read *r, const struct apf_input *input, struct apf_error *error)
{
    int code = apf_perf_open(&r->perf, input, NULL, error);
    if (code == APF_OK)
        code = apf_perf_read(r->perf, visit, r, error);
    return code;
}

static void close_read(struct read *r)
{
    apf_perf_close(r->perf);
    memset(r, 0, sizeof *r);
}

/* Reads from memory that ends where the bytes end. */
static int read_bytes(struct read *r, const struct pb *b, struct apf_error *error)
{
    static void *copy;
    free(copy);
    copy = malloc(b->n ? b->n : 1);
    assert_non_null(copy);
    if (b->n)
        memcpy(copy, b->p, b->n);
    struct apf_input input = apf_input_memory(copy, b->n, "memory");
    int code = read_input(r, &input, error);
    if (code != APF_OK || b->n < 200)
        close_read(r);
    return code;
}

static void assert_samples(struct read *r, const struct apf_input *input, const char *expected)
{
    struct apf_error error;
    error.message[0] = '\0';
    int code = read_input(r, input, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_string_equal(r->text, expected);
}

static void make_file_of(struct pb *file, const struct pb *records)
{
    struct pb_file f = {.attrs = events, .n_attrs = 2, .ids = event_ids, .records = records};
    pb_make_file(file, &f);
}

/* Packs bytes, in two streams. */
static struct pb packed(const struct pb *b)
{
    struct pb out = {.n = 0};
    for (size_t i = 0; i < 2; i++) {
        uint8_t to[4096];
        size_t at = i ? b->n / 3 : 0, n = i ? b->n - at : b->n / 3;
        z_stream z = {0};
        assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
        z.next_in = b->p + at;
        z.avail_in = (uInt)n;
        z.next_out = to;
        z.avail_out = sizeof to;
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        pb_bytes(&out, to, sizeof to - z.avail_out);
        deflateEnd(&z);
    }
    return out;
}

static void check_facts(const struct read *r)
{
    const struct apf_perf_info *info = apf_perf_info(r->perf);
    const struct apf_perf_event *first = apf_perf_event(r->perf, 0), *second = apf_perf_event(r->perf, 1);
    assert_int_equal(info->n_samples, 9);
    assert_int_equal(info->n_unmapped, 3);
    assert_int_equal(info->n_processes, 3);
    assert_int_equal(info->n_late, 0);
    assert_int_equal(info->first_time, 10);
    assert_int_equal(info->last_time, 69);
    assert_int_equal(info->end, APF_PERF_END_WHOLE);
    assert_int_equal(info->n_events, 2);
    assert_int_equal(first->n_samples, 8);
    assert_int_equal(first->sum, 8000);
    assert_int_equal(first->n_branches, 8);
    assert_int_equal(second->n_samples, 1);
    assert_int_equal(second->n_chains, 1);
    assert_int_equal(info->n_files, 3);
    assert_int_equal(apf_perf_file(r->perf, 1)->n_samples, 3);
    assert_true(apf_perf_file(r->perf, 0)->kernel && !apf_perf_file(r->perf, 1)->kernel);
}

/* Memory, file, packed; as a file and through a pipe; of both byte orders. */
static void every_form(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        struct pb records = {.big = form & 1}, b = {.big = form & 1};
        struct read r = {.n = 0};
        if (form & 2) {
            pb_make_pipe(&b, events, event_ids, 2);
            add_records(&b);
        } else {
            add_records(&records);
            make_file_of(&b, &records);
        }
        struct pb gzip = packed(&b);
        file_make(temp_path("plain"), b.p, b.n);
        file_make(temp_path("packed"), gzip.p, gzip.n);
        struct apf_input inputs[] = {apf_input_memory(b.p, b.n, "b"),
                                     apf_input_memory(gzip.p, gzip.n, "gzip"),
                                     apf_input_file(temp_path("plain")), apf_input_file(temp_path("packed"))};
        for (size_t i = 0; i < COUNT(inputs); i++) {
            size_t before = open_files();
            assert_samples(&r, &inputs[i], EXPECTED);
            check_facts(&r);
            assert_int_equal(apf_perf_info(r.perf)->big_endian, form & 1);
            assert_int_equal(apf_perf_info(r.perf)->piped, form >> 1);
            close_read(&r);
            assert_int_equal(open_files(), before);
            fault_short(7); /* as from a slow pipe */
            assert_samples(&r, &inputs[i], EXPECTED);
            fault_reset();
            close_read(&r);
        }
        pb_free(&records);
        pb_free(&b);
        pb_free(&gzip);
    }
}

/* The files of a directory are merged by time, also if there are more of them than blocks for records that wait. */
static void directories(void **state)
{
    struct pb first = {.n = 0}, file = {.n = 0};
    struct read r = {.n = 0};
    char path[32];
    (void)state;
    add_map(&first, 1, 100, PROGRAM, 0x8000, 0, "/bin/a");
    make_file_of(&file, &first);
    assert_int_equal(mkdir(temp_path("dir"), 0700), 0);
    file_make(temp_path("dir/data"), file.p, file.n);
    file_make(temp_path("dir/data.x"), "no recording", 12);
    for (uint32_t i = 0; i < 230; i++) {
        struct pb part = {.n = 0};
        for (uint32_t k = 0; k < 3; k++)
            add_sample(&part, 0, 1000 * k + (i * 37) % 230 + 2, 100, PROGRAM, 2);
        snprintf(path, sizeof path, "dir/data.%u", i);
        file_make(temp_path(path), part.p, i == 7 ? 0 : part.n);
        pb_free(&part);
    }
    struct apf_input input = apf_input_file(temp_path("dir"));
    assert_int_equal(apf_perf_open(&r.perf, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_perf_read(r.perf, NULL, NULL, NULL), APF_OK);
    const struct apf_perf_info *info = apf_perf_info(r.perf);
    assert_true(info->directory);
    assert_int_equal(info->n_samples, 3 * 229);
    assert_int_equal(info->n_late, 0);
    assert_int_equal(info->n_unmapped, 0);
    close_read(&r);
    assert_int_equal(remove(temp_path("dir/data")), 0);
    struct apf_error error;
    assert_int_equal(apf_perf_open(&r.perf, &input, NULL, &error), APF_BAD_RECORDING);
    pb_free(&first);
    pb_free(&file);
}

/* ---- pipes ---- */

/* Events and names are known as soon as their records have been read. */
static int check_names(void *user, const struct apf_perf_sample *s, struct apf_error *error)
{
    static const char *const names[] = {"cycles:HG", "mine", "cpu-clock:HG"};
    struct read *r = user;
    const struct apf_perf_event *event = apf_perf_event(r->perf, s->event);
    const char *name = names[r->n_samples++];
    (void)error;
    assert_int_equal(event->name.n, strlen(name));
    assert_memory_equal(event->name.p, name, event->name.n);
    return APF_OK;
}

static void events_of_pipes(void **state)
{
    struct pb b = {.n = 0}, event = {.n = 0};
    struct read r = {.n = 0};
    (void)state;
    pb_make_pipe(&b, events, event_ids, 1);
    add_sample(&b, 0, 0, 100, 1, 2); /* without a time: passed on at once */
    pb_begin(&b, 78, 0);
    pb_64(&b, 2);
    pb_64(&b, event_ids[0]);
    pb_name(&b, "mine");
    pb_end(&b);
    add_sample(&b, 0, 0, 100, 1, 2);
    pb_make_pipe(&event, events + 1, event_ids + 1, 1);
    pb_bytes(&b, event.p + 16, event.n - 16);
    add_sample(&b, 1, 0, 100, 1, 2);
    struct apf_input input = apf_input_memory(b.p, b.n, "pipe");
    assert_int_equal(apf_perf_open(&r.perf, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_perf_info(r.perf)->n_events, 0);
    assert_null(apf_perf_event(r.perf, 0));
    assert_int_equal(apf_perf_read(r.perf, check_names, &r, NULL), APF_OK);
    assert_int_equal(r.n_samples, 3);
    close_read(&r);
    b.n = 16; /* a sample before any event */
    add_sample(&b, 0, 5, 100, 1, 2);
    pb_zeros(&b, 200);
    struct apf_error error;
    assert_int_equal(read_bytes(&r, &b, &error), APF_BAD_RECORDING);
    assert_string_equal(error.where, "perf.attrs");
    pb_free(&b);
    pb_free(&event);
}

/* ---- the interface ---- */

static void callbacks_that_stop(void **state)
{
    static const int codes[] = {77, APF_END, APF_STOPPED, APF_NO_MEMORY, -1};
    struct pb records = {.n = 0}, b = {.n = 0};
    (void)state;
    add_records(&records);
    make_file_of(&b, &records);
    struct apf_input input = apf_input_memory(b.p, b.n, "b");
    for (size_t i = 0; i < 9 * COUNT(codes); i++) {
        struct read r = {.stop = 1 + i / COUNT(codes), .stop_code = codes[i % COUNT(codes)]};
        assert_int_equal(read_input(&r, &input, NULL), r.stop_code);
        assert_int_equal(r.n_samples, r.stop);
        assert_true(strncmp(r.text, EXPECTED, r.n) == 0);
        close_read(&r);
    }
    pb_free(&records);
    pb_free(&b);
}

static void misuse(void **state)
{
    struct pb records = {.n = 0}, b = {.n = 0};
    struct apf_perf_place place = {.size = sizeof place};
    struct read r = {.n = 0};
    (void)state;
    add_records(&records);
    make_file_of(&b, &records);
    struct apf_input input = apf_input_memory(b.p, b.n, "b");
    assert_int_equal(apf_perf_open(&r.perf, &input, NULL, NULL), APF_OK);
    assert_int_equal(apf_perf_find(r.perf, PROGRAM, &place, NULL), APF_ARGUMENT);
    assert_int_equal(apf_perf_read(r.perf, visit, &r, NULL), APF_OK);
    assert_int_equal(apf_perf_find(r.perf, PROGRAM, &place, NULL), APF_ARGUMENT);
    assert_int_equal(apf_perf_read(r.perf, visit, &r, NULL), APF_ARGUMENT);
    assert_null(apf_perf_event(r.perf, 2));
    assert_null(apf_perf_file(r.perf, 3));
    close_read(&r);
    apf_perf_close(NULL);
    struct apf_options few = {.size = sizeof few, .max_bytes = b.n - 1};
    assert_int_equal(apf_perf_open(&r.perf, &input, &few, NULL), APF_LIMIT);
    assert_null(r.perf);
    pb_free(&records);
    pb_free(&b);
}

/* More mappings than may be kept. */
static void limit_of_mappings(void **state)
{
    struct pb b = {.n = 0};
    struct apf_options few = {.size = sizeof few, .max_records = 10};
    struct apf_error error;
    (void)state;
    pb_make_pipe(&b, events, event_ids, 1);
    for (uint32_t i = 0; i < 30; i++)
        add_map(&b, i + 1, 100, 16 * i, 16, 0, "/bin/a");
    struct apf_input input = apf_input_memory(b.p, b.n, "b");
    struct apf_perf *perf;
    assert_int_equal(apf_perf_open(&perf, &input, &few, NULL), APF_OK);
    assert_int_equal(apf_perf_read(perf, NULL, NULL, &error), APF_LIMIT);
    assert_string_equal(error.where, "perf.mapping");
    apf_perf_close(perf);
    pb_free(&b);
}

/* ---- calls that fail ---- */

static int ignore(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return 0;
}

/* Everything that can be done with a recording. */
static int use_all(struct read *r, const struct apf_input *input, struct apf_error *error)
{
    struct apf_output out = apf_output_callback(ignore, NULL);
    int code = read_input(r, input, error);
    if (code == APF_OK)
        code = apf_perf_info_write(r->perf, &out, error);
    return code == APF_OK ? apf_perf_info_print(r->perf, &out, error) : code;
}

static void fail_each(const struct apf_input *input, enum fault_call call, int sys_errno, int expected)
{
    uint64_t n_failed = 0;
    for (uint64_t k = 1;; k++) {
        struct read r = {.n = 0};
        struct apf_error error;
        size_t before = open_files();
        fault_fail(call, k, sys_errno);
        int code = use_all(&r, input, &error);
        bool hit = fault_hit();
        fault_reset();
        assert_true(strncmp(r.text, EXPECTED, r.n) == 0); /* never a wrong place */
        if (code != APF_OK) {
            assert_true(hit);
            assert_int_equal(code, expected);
            assert_int_equal(error.code, expected);
            n_failed++;
        } else {
            assert_string_equal(r.text, EXPECTED);
        }
        close_read(&r);
        assert_int_equal(open_files(), before);
        if (!hit)
            break;
    }
    assert_true(n_failed > 0);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    for (int form = 0; form < 3; form++) {
        struct pb records = {.n = 0}, b = {.n = 0};
        if (form == 1) {
            pb_make_pipe(&b, events, event_ids, 2);
            add_records(&b);
        } else {
            add_records(&records);
            make_file_of(&b, &records);
        }
        struct pb gzip = packed(&b);
        file_make(temp_path("in"), form == 2 ? gzip.p : b.p, form == 2 ? gzip.n : b.n);
        struct apf_input input = apf_input_file(temp_path("in"));
        fail_each(&input, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY);
        fail_each(&input, FAULT_ARENA, ENOMEM, APF_NO_MEMORY);
        fail_each(&input, FAULT_OPEN, EACCES, APF_IO);
        if (form == 2) /* others are read with pread */
            fail_each(&input, FAULT_READ, EIO, APF_IO);
        pb_free(&records);
        pb_free(&b);
        pb_free(&gzip);
    }
}

static int free_copy(void **state)
{
    struct pb nothing = {.n = 0};
    struct read r = {.n = 0};
    (void)state;
    assert_int_equal(read_bytes(&r, &nothing, NULL), APF_BAD_RECORDING);
    return 0;
}

TEST_FILE(perf_recording)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(every_form),          TEST_WITH_DIR(directories),
        cmocka_unit_test(events_of_pipes),  cmocka_unit_test(callbacks_that_stop),
        cmocka_unit_test(misuse),           cmocka_unit_test(limit_of_mappings),
        TEST_WITH_DIR(every_call_may_fail),
    };
    return RUN_TESTS_WITH(tests, NULL, free_copy);
}
