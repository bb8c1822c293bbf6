/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and traces in a file: what is read is what was written, however sets were joined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/shared/unit.h"
#include "instr/partial/partial_names.h"
#include "instr/partial/partial_traces.h"

#define SETS 8u
#define IDS 5u

/* A file that is being written to memory. */
struct made {
    struct apf_buffer buffer;
    struct file_out *out;
    struct partial_writer file;
};

static void begin(struct made *m)
{
    memset(m, 0, sizeof *m);
    const struct apf_output output = apf_output_buffer(&m->buffer);
    assert_int_equal(file_out_open(&m->out, &output, NULL), APF_OK);
    partial_begin(&m->file, m->out, PARTIAL_INSTR, (struct apf_slice){0, 1});
}

static void end(struct made *m)
{
    assert_int_equal(partial_finish(&m->file, NULL), APF_OK);
    partial_writer_close(&m->file);
    assert_int_equal(file_out_finish(m->out, APF_OK, NULL), APF_OK);
}

static struct partial_reader open_made(const struct apf_buffer *buffer)
{
    const struct apf_input input = apf_input_memory(buffer->data, buffer->n, "test");
    struct partial_reader r;
    assert_int_equal(partial_open(&r, &input, PARTIAL_INSTR, UINT64_MAX, NULL), APF_OK);
    return r;
}

/* ---- traces ---- */

static struct trace_set empty_set(uint64_t reservoir)
{
    return (struct trace_set){.reservoir = reservoir, .length = 100};
}

static void add_random(struct trace_set *t, uint64_t *random)
{
    uint64_t ids[IDS];
    struct apf_trace traces[4];
    const size_t n = 1 + next_random(random) % 4;
    for (size_t i = 0; i < IDS; i++)
        ids[i] = next_random(random) % 2;
    for (size_t i = 0; i < n; i++)
        traces[i] = (struct apf_trace){1 + next_random(random) % 2, ids, 1 + next_random(random) % IDS};
    assert_int_equal(trace_set_add(t, traces, n, n, next_random(random) % 3, NULL), APF_OK);
}

static struct apf_buffer write_set(struct trace_set *t)
{
    struct made m;
    begin(&m);
    partial_section(&m.file, PARTIAL_TRACES);
    assert_int_equal(partial_write_traces(&m.file, 8, t, NULL), APF_OK);
    end(&m);
    return m.buffer;
}

/* Reads a set and joins it to another one. */
static void read_set(struct trace_set *to, struct apf_buffer *buffer)
{
    struct partial_reader r = open_made(buffer);
    struct trace_set t = empty_set(to->reservoir);
    uint32_t class;
    bool more;
    assert_int_equal(partial_read_traces(&r, &class, &t, &more, NULL), APF_OK);
    assert_true(more);
    assert_int_equal(class, 8);
    assert_int_equal(trace_set_join(to, &t, NULL), APF_OK);
    trace_set_free(&t);
    t = empty_set(to->reservoir);
    assert_int_equal(partial_read_traces(&r, &class, &t, &more, NULL), APF_OK);
    assert_false(more);
    assert_int_equal(partial_end(&r, NULL), APF_OK);
    partial_reader_close(&r);
    apf_buffer_free(buffer);
}

static void test_traces(void **state)
{
    uint64_t random = 3;
    (void)state;
    for (unsigned round = 0; round < 1000; round++) {
        const uint64_t reservoir = next_random(&random) % 9;
        const unsigned n_sets = 1 + (unsigned)(next_random(&random) % SETS);
        struct trace_set all = empty_set(reservoir);
        struct apf_buffer files[SETS];
        unsigned n = n_sets;
        for (unsigned i = 0; i < n; i++) {
            struct trace_set one = empty_set(reservoir);
            for (unsigned k = 1 + (unsigned)(next_random(&random) % 3); k; k--) {
                uint64_t same = random;
                add_random(&all, &random);
                add_random(&one, &same);
            }
            files[i] = write_set(&one);
            trace_set_free(&one);
        }
        while (n > 1) {
            struct trace_set joined = empty_set(reservoir);
            for (unsigned k = 0; k < 2; k++) {
                const unsigned which = (unsigned)(next_random(&random) % n);
                read_set(&joined, &files[which]);
                files[which] = files[--n];
            }
            files[n++] = write_set(&joined);
            trace_set_free(&joined);
        }
        struct apf_buffer expected = write_set(&all);
        assert_int_equal(expected.n, files[0].n);
        assert_memory_equal(expected.data, files[0].data, expected.n);
        trace_set_free(&all);
        apf_buffer_free(&expected);
        apf_buffer_free(&files[0]);
    }
}

/* ---- names ---- */

static int compare_ids(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Writes those that have a class. */
static void write_names(struct partial_writer *file, uint8_t section, const struct symbols *names)
{
    struct partial_names_writer w = {.file = file};
    struct symbol *sorted = malloc(names->list.n * sizeof *sorted);
    memcpy(sorted, names->list.data, names->list.n * sizeof *sorted);
    qsort(sorted, names->list.n, sizeof *sorted, compare_ids);
    partial_section(file, section);
    for (size_t i = 0; i < names->list.n; i++)
        if (sorted[i].flags)
            partial_write_name(&w, &sorted[i]);
    free(sorted);
}

static void test_names(void **state)
{
    struct symbols names = {.list = {NULL, 0, 0}};
    struct made m;
    struct symbol s;
    bool more = true;
    uint64_t last = 0;
    unsigned n = 0;
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        char text[20];
        uint32_t e;
        snprintf(text, sizeof text, "name%u", i);
        assert_int_equal(symbols_add(&names, text, strlen(text), true, NULL, &e, NULL), APF_OK);
        names.list.data[e].flags = i % 5; /* those without a class are of other views, and not written */
        names.list.data[e].n = i % 7 == 0 ? 0 : names.list.data[e].n;
    }
    begin(&m);
    write_names(&m.file, PARTIAL_NAMES, &names);
    write_names(&m.file, PARTIAL_VTABLES, &names);
    end(&m);
    struct partial_reader file = open_made(&m.buffer);
    for (uint8_t section = PARTIAL_NAMES; section <= PARTIAL_VTABLES;
         section += PARTIAL_VTABLES - PARTIAL_NAMES) {
        struct partial_names_reader r = {.file = &file, .section = section};
        for (more = true, n = 0; more; n += more) {
            assert_int_equal(partial_read_name(&r, &s, &more, NULL), APF_OK);
            const struct symbol *was = &names.list.data[more ? symbols_find(&names, s.id) : 0];
            if (!more)
                break;
            assert_true(n == 0 || s.id > last);
            assert_int_equal(s.flags, was->flags);
            assert_int_equal(s.n, was->n);
            assert_memory_equal(s.p, was->p, s.n);
            last = s.id;
        }
        assert_int_equal(n, 800);
    }
    assert_int_equal(partial_end(&file, NULL), APF_OK);
    partial_reader_close(&file);
    apf_buffer_free(&m.buffer);
    symbols_free(&names);
}

/* A name whose id is another one's, and names that are not in order. */
static void test_wrong_names(void **state)
{
    static const struct {
        uint64_t steps[2], flags;
        const char *what;
    } rows[] = {{{5, 1}, 1, "the id is not that of the name"},
                {{0, 0}, 1, "names are not in order"},
                {{9, UINT64_MAX}, 1, "names are not in order"},
                {{0, 1}, 0, "a name cannot be as this one"},
                {{0, 1}, (uint64_t)1 << 32, "a name cannot be as this one"}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct made m;
        struct symbol s;
        struct apf_error error;
        bool more;
        int code = APF_OK;
        begin(&m);
        partial_section(&m.file, PARTIAL_NAMES);
        for (unsigned k = 0; k < 2; k++) {
            partial_number(&m.file, rows[i].steps[k]);
            partial_number(&m.file, rows[i].flags);
            partial_text(&m.file, (struct apf_str){"name", i == 0 ? 4 : 0});
            partial_end_record(&m.file);
        }
        end(&m);
        struct partial_reader file = open_made(&m.buffer);
        struct partial_names_reader r = {.file = &file, .section = PARTIAL_NAMES};
        for (unsigned k = 0; code == APF_OK && k < 2; k++)
            code = partial_read_name(&r, &s, &more, &error);
        assert_int_equal(code, APF_BAD_PARTIAL);
        assert_non_null(strstr(error.message, rows[i].what));
        partial_reader_close(&file);
        apf_buffer_free(&m.buffer);
    }
}

TEST_FILE(partial_traces)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_wrong_names),
    };
    return RUN_TESTS(tests);
}
