/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What outputs cannot hold: what is in the file instead, and how much is counted and reported as lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/binary/sample_binary_read.h"
#include "sample/gcc/sample_gcc_read.h"
#include "sample/text/sample_text_read.h"
#include "sample/write/sample_output.h"
#include "sample/write/sample_reduce.h"

#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"
#include "helpers/shared/sample_written.h"

#define TEXT APF_SAMPLE_TEXT
#define RAW APF_SAMPLE_BINARY
#define COMPACT APF_SAMPLE_COMPACT
#define EXT APF_SAMPLE_EXTBINARY
#define GCC APF_SAMPLE_GCC

/* The releases of LLVM from one on, and up to one, as bits. */
#define FROM_10 (((uint64_t)1 << 26) - ((uint64_t)1 << 12))
#define FROM_14 (((uint64_t)1 << 26) - ((uint64_t)1 << 16))
#define FROM_22 ((uint64_t)3 << 24)

/* The field of struct apf_sample_write_result that each kind of loss is about. */
static const char *const loss_fields[] = {
    [APF_SAMPLE_LOSS_CONTEXTS] = "lost_contexts",
    [APF_SAMPLE_LOSS_FUNCTIONS] = "lost_functions",
    [APF_SAMPLE_LOSS_INLINED] = "lost_inlined",
    [APF_SAMPLE_LOSS_TARGETS] = "lost_targets",
    [APF_SAMPLE_LOSS_LINES] = "lost_lines",
    [APF_SAMPLE_LOSS_DISCRIMINATORS] = "lost_discriminators",
    [APF_SAMPLE_LOSS_MISREAD_TARGETS] = "misread_targets",
    [APF_SAMPLE_LOSS_CHECKSUMS] = "lost_checksums",
    [APF_SAMPLE_LOSS_ATTRIBUTES] = "lost_attributes",
    [APF_SAMPLE_LOSS_TIMES] = "lost_times",
    [APF_SAMPLE_LOSS_FILES] = "lost_files",
    [APF_SAMPLE_LOSS_VTABLES] = "lost_vtables",
    [APF_SAMPLE_LOSS_SYMBOLS] = "lost_symbols",
    [APF_SAMPLE_LOSS_TOTALS] = "lost_totals",
    [APF_SAMPLE_LOSS_CHANGED_NAMES] = "changed_names",
    [APF_SAMPLE_LOSS_DECIMAL_NAMES] = "decimal_names",
    [APF_SAMPLE_LOSS_NUMBERED] = "numbered",
    [APF_SAMPLE_LOSS_UNMATCHED_HASHES] = "unmatched_hashes",
    [APF_SAMPLE_LOSS_NOT_SPLIT] = "not_split",
    [APF_SAMPLE_LOSS_FLAGS] = "lost_flags",
};

/* The findings of a call, as "SEVERITY field COUNT\n". */
struct findings {
    char text[1024];
    unsigned n, stop_at; /* 0: never */
};

static int keep_finding(void *user, const struct apf_diag *d)
{
    struct findings *f = user;
    size_t used = strlen(f->text);
    assert_int_equal(d->code, APF_NOT_REPRESENTABLE);
    assert_int_equal(d->input, UINT64_MAX);
    assert_memory_equal(d->error->where, "sample.write.", 13);
    assert_in_range(apf_sample_loss(d->error), 1, COUNT(loss_fields) - 1);
    assert_string_equal(d->error->where + 13, loss_fields[apf_sample_loss(d->error)]);
    snprintf(f->text + used, sizeof f->text - used, "%c %s %llu\n", "nwe"[d->severity], d->error->where + 13,
             (unsigned long long)d->error->found);
    return ++f->n == f->stop_at;
}

static char *read_back(const struct apf_buffer *buffer)
{
    sample_reader *readers[] = {sample_ext_read, sample_compact_read, sample_binary_read, sample_gcc_read,
                                sample_text_read};
    const uint8_t *data = buffer->data;
    size_t i = 0;
    i += !sample_ext_begins(data, buffer->n);
    i += i == 1 && !sample_compact_begins(data, buffer->n);
    i += i == 2 && !sample_binary_begins(data, buffer->n);
    i += i == 3 && !sample_gcc_begins(data, buffer->n);
    struct apf_error error;
    int code;
    struct apf_sample *s = sample_read_copy(readers[i], data, buffer->n, NULL, &code, &error);
    if (code != APF_OK)
        print_error("%s\n", error.message);
    assert_int_equal(code, APF_OK);
    char *text = sample_as_text(s);
    sample_free(s);
    return text;
}

struct loss {
    const char *text; /* the profile; NULL: golden_md5 */
    const char *target;
    uint32_t format, flags;
    const char *read;     /* the profile that the output is; NULL: it is not read */
    const char *findings; /* see struct findings */
};

/* Writes the profile and checks the rest of a row. Returns the result. */
static struct apf_sample_write_result check_loss(struct apf_sample *s, const struct loss *row)
{
    struct findings found = {"", 0, 0};
    struct apf_options common = {.size = sizeof common, .diag = keep_finding, .user = &found};
    struct apf_sample_write_options o = {.size = sizeof o, .options = &common, .format = row->format};
    struct apf_sample_write_result r = {.size = sizeof r};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    o.flags = row->flags;
    assert_int_equal(apf_sample_target_parse(row->target, &o.target, NULL), APF_OK);
    assert_int_equal(apf_sample_write(s, &o, &output, &r, NULL), APF_OK);
    assert_string_equal(found.text, row->findings);
    if (row->read) {
        char *text = read_back(&buffer);
        assert_string_equal(text, row->read);
        free(text);
    }
    apf_buffer_free(&buffer);
    return r;
}

static struct apf_sample_write_result check_row(const struct loss *row)
{
    struct apf_sample *s = row->text
                               ? sample_of_text(row->text)
                               : sample_expect_text(sample_ext_read, golden_md5.data, golden_md5.n, NULL,
                                                    "14758615255017094680:9:1\n 1: 4 4014738744300571210:3\n"
                                                    " 2.1: 4014738744300571210:5\n  1: 5\n");
    struct apf_sample_write_result r = check_loss(s, row);
    sample_free(s);
    return r;
}

/* ---- types of objects ---- */

#define VTABLES "f:9:1\n 1: 4\n 1: vtables V:2 W:2 \n 2: g:5\n  1: 5\n  1: vtables V:3 \n"
#define NO_VTABLES "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n"

static void test_vtables(void **state)
{
    static const struct loss rows[] = {
        {VTABLES, "auto", 0, 0, VTABLES, ""},
        {VTABLES, "22", TEXT, 0, VTABLES, ""},
        {VTABLES, "21", 0, 0, NO_VTABLES, "w lost_vtables 3\n"},
        {VTABLES, "21", TEXT, 0, NO_VTABLES, "w lost_vtables 3\n"},
        {VTABLES, "auto", RAW, 0, NO_VTABLES, "w lost_vtables 3\n"},
        {VTABLES, "gcc-16", 0, 0, NO_VTABLES, "w lost_vtables 3\n"},
        {VTABLES, "auto", 0, APF_SAMPLE_WRITE_NO_VTABLES, NO_VTABLES, ""},
        {VTABLES, "auto", TEXT, APF_SAMPLE_WRITE_NO_VTABLES, NO_VTABLES, ""},
        {VTABLES, "21", 0, APF_SAMPLE_WRITE_NO_VTABLES, NO_VTABLES, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_write_result r = check_row(&rows[i]);
        bool kept = strcmp(rows[i].read, VTABLES) == 0;
        assert_int_equal((r.flags & APF_SAMPLE_VTABLES) != 0, kept);
        if (r.format == EXT)
            assert_true(r.llvm_readers == (kept                                ? FROM_22
                                           : r.layout == APF_SAMPLE_LAYOUT_OLD ? FROM_10
                                                                               : FROM_14));
    }
}

/* ---- metadata ---- */

#define PROBES                                                                                               \
    "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 7\n  !Attributes: 1\n !CFGChecksum: 9\n !Attributes: "   \
    "2\n"

static void test_metadata(void **state)
{
    static const struct loss rows[] = {
        {PROBES, "auto", 0, 0, PROBES, ""},
        {PROBES, "14", TEXT, 0, PROBES, ""},
        {PROBES, "13", 0, 0, "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 0\n !CFGChecksum: 9\n",
         "w lost_checksums 1\nw lost_attributes 2\n"},
        {PROBES, "13", TEXT, 0,
         "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 0\n !CFGChecksum: 9\n !Attributes: 2\n",
         "w lost_checksums 1\nw lost_attributes 1\n"},
        {"f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 7\n", "auto", 0, 0, NO_VTABLES,
         "w lost_checksums 1\n"},
        {"f:9:1\n 1: 4\n !Attributes: 1\n", "13", 0, 0, "f:9:1\n 1: 4\n", "w lost_attributes 1\n"},
        {"f:9:1\n 1: 4\n !Attributes: 1\n", "16", RAW, 0, "f:9:1\n 1: 4\n", "w lost_attributes 1\n"},
        {"[a]:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 7\n !CFGChecksum: 9\n", "auto", 0, 0,
         "[a]:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 0\n !CFGChecksum: 9\n", "w lost_checksums 1\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i]);
}

/* ---- contexts ---- */

#define CONTEXTS                                                                                             \
    "[a:1 @ f]:5:1\n 1: 5\n[a:2 @ f]:4:2\n 1: 4 g:1\n 2: h:2\n  1: 2\n[a]:3:0\n 1: 3\n[f]:1:1\n 7: 1\n"

static void test_contexts(void **state)
{
    static const char sum[] = "f:10:4\n 1: 9 g:1\n 7: 1\n 2: h:2\n  1: 2\na:3:0\n 1: 3\n";
    static const struct loss rows[] = {
        {CONTEXTS, "12", 0, 0, sum, "w lost_contexts 2\n"},
        {CONTEXTS, "3.8", 0, 0, sum, "w lost_contexts 2\n"},
        {CONTEXTS, "gcc-12", 0, 0, "f:12:4\n 1: 9 g:1\n 7: 1\n 2: h:2\n  1: 2\na:3:0\n 1: 3\n",
         "w lost_contexts 2\nn lost_totals 1\n"},
        {CONTEXTS, "13", 0, 0, NULL, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_write_result r = check_row(&rows[i]);
        assert_int_equal((r.flags & APF_SAMPLE_CONTEXTS) != 0, i == 3);
    }
    struct apf_sample *s = sample_of_text(CONTEXTS);
    struct apf_sample_write_options o = {.size = sizeof o, .layout = APF_SAMPLE_LAYOUT_SPLIT};
    struct apf_sample_write_result r = {.size = sizeof r};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    assert_int_equal(apf_sample_write(s, &o, &output, &r, NULL), APF_OK);
    assert_int_equal(r.not_split, 1);
    assert_int_equal(r.layout, APF_SAMPLE_LAYOUT_USUAL);
    assert_int_equal(r.lost_contexts, 0);
    apf_buffer_free(&buffer);
    sample_free(s);
}

/* ---- names ---- */

static void test_hashes(void **state)
{
    static const struct loss rows[] = {
        {NULL, "auto", 0, 0,
         "14758615255017094680:9:1\n 1: 4 4014738744300571210:3\n"
         " 2.1: 4014738744300571210:5\n  1: 5\n",
         ""},
        {NULL, "16", 0, 0, NULL, "w unmatched_hashes 1\n"},
        {NULL, "17", 0, 0, NULL, ""},
        {NULL, "9", 0, 0, NULL, "w unmatched_hashes 1\n"},
        {NULL, "22", RAW, 0, NULL, "w decimal_names 2\n"},
        {NULL, "auto", TEXT, 0, NULL, "w decimal_names 2\nw numbered 1\n"},
        {"77:9:1\n 1: 4 88:3\n", "auto", TEXT, 0, "77:9:1\n 1: 4 88:3\n", "w decimal_names 2\n"},
        {"77:9:1\n 1: 4 88:3\n", "16", 0, 0, "77:9:1\n 1: 4 88:3\n", ""},
        {"f:9:1\n 1: 4 g:3\n", "auto", 0, APF_SAMPLE_WRITE_MD5, NULL, ""},
        {NO_VTABLES, "16", 0, APF_SAMPLE_WRITE_MD5, NULL, "w unmatched_hashes 1\n"},
    };
    static const uint32_t md5[] = {1, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_write_result r = check_row(&rows[i]);
        assert_int_equal(r.flags, md5[i] ? APF_SAMPLE_MD5 : 0);
        assert_int_equal(r.hashed_names, i >= 8 ? 2 : 0);
        if (r.numbered)
            assert_int_equal(r.llvm_readers, 0);
    }
}

/* Functions of two files with one name are one function where there are no files. */
static void test_files(void **state)
{
    static const char before[] = "f:4:1\n 1: 4 h:3\nx:2:1\n 1: 2 h:1\n 2: h:1\n  1: 1\ny:1:1\n 1: 1\n";
    static const char after[] = "x:6:2\n 1: 6 h:4\n 2: h:1\n  1: 1\ny:1:1\n 1: 1\n";
    struct apf_sample *s = sample_of_text(before);
    uint32_t file, other;
    (void)state;
    assert_int_equal(text_set_add(&s->names.files, (struct apf_str){"a.c", 3}, &file, NULL), APF_OK);
    assert_int_equal(text_set_add(&s->names.files, (struct apf_str){"b.c", 3}, &other, NULL), APF_OK);
    for (size_t i = 0; i < s->names.list.n; i++) {
        struct sample_name *name = &s->names.list.data[i];
        if (name->p[0] == 'f' || name->p[0] == 'x')
            name->file = name->p[0] == 'f' ? file : other;
        if (name->p[0] == 'f')
            name->p = "x";
    }
    sample_node_extra(s, s->top.data[0])->first_time = 7;
    sample_node_extra(s, s->top.data[1])->first_time = 5;
    assert_int_equal(sample_complete(s, NULL), APF_OK);
    const struct loss rows[] = {
        {NULL, "22", 0, 0, after, "w lost_times 2\nw lost_files 2\n"},
        {NULL, "22", TEXT, 0, after, "w lost_times 2\nw lost_files 2\n"},
        {NULL, "gcc-15", 0, 0, "x:7:2\n 1: 6 h:4\n 2: h:1\n  1: 1\ny:1:1\n 1: 1\n",
         "w lost_times 2\nw lost_files 2\nn lost_totals 1\n"},
        {NULL, "gcc-16", 0, 0, NULL, "n lost_totals 1\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        check_loss(s, &rows[i]);
    /* The copy keeps the smaller time. */
    struct apf_sample *copy;
    uint64_t left_out;
    assert_int_equal(sample_reduce(s, SAMPLE_HAS_FILES, &copy, &left_out, NULL), APF_OK);
    assert_int_equal(left_out, 0);
    assert_int_equal(copy->nodes.data[0].extra->first_time, 5);
    assert_int_equal(copy->info.n_functions, 2);
    assert_int_equal(copy->info.flags, APF_SAMPLE_TIMES);
    sample_free(copy);
    sample_free(s);
}

/* ---- flags and lists ---- */

static void test_flags(void **state)
{
    struct apf_sample *s = sample_of_text(NO_VTABLES);
    (void)state;
    s->info.flags |= APF_SAMPLE_FS | APF_SAMPLE_PARTIAL;
    assert_int_equal(sample_append_symbol(s, (struct apf_str){"x", 1}, NULL), APF_OK);
    assert_int_equal(sample_append_symbol(s, (struct apf_str){"y", 1}, NULL), APF_OK);
    const struct loss rows[] = {
        {NULL, "auto", 0, 0, NO_VTABLES, ""},
        {NULL, "12", 0, 0, NO_VTABLES, ""},
        {NULL, "22", TEXT, 0, NO_VTABLES, "w lost_symbols 2\nw lost_flags 2\n"},
        {NULL, "22", RAW, 0, NO_VTABLES, "w lost_symbols 2\nw lost_flags 2\n"},
        {NULL, "22", RAW, APF_SAMPLE_WRITE_NO_SYMBOLS, NO_VTABLES, "w lost_flags 2\n"},
        {NULL, "22", 0, APF_SAMPLE_WRITE_NO_SYMBOLS, NO_VTABLES, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_write_result r = check_loss(s, &rows[i]);
        if (i == 0 || i == 5)
            assert_int_equal(r.flags, APF_SAMPLE_FS | APF_SAMPLE_PARTIAL);
    }
    s->info.flags = 0;
    const struct loss partial = {
        NULL, "22", TEXT, APF_SAMPLE_WRITE_PARTIAL, NO_VTABLES, "w lost_symbols 2\nw lost_flags 1\n"};
    assert_int_equal(check_loss(s, &partial).lost_flags, APF_SAMPLE_PARTIAL);
    const struct loss kept = {NULL,       "22", 0, APF_SAMPLE_WRITE_PARTIAL | APF_SAMPLE_WRITE_COMPRESS,
                              NO_VTABLES, ""};
    assert_int_equal(check_loss(s, &kept).flags, APF_SAMPLE_PARTIAL);
    sample_free(s);
}

/* Text says that a profile has probes with a checksum, and that it has contexts with one. */
static void test_flags_of_functions(void **state)
{
    struct apf_sample *s = sample_of_text("f:9:1\n 1: 9\n"), *empty = sample_new();
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    struct apf_sample_write_options options = {.size = sizeof options, .format = APF_SAMPLE_TEXT};
    struct apf_error error;
    (void)state;
    empty->info.flags |= APF_SAMPLE_PROBES;
    const struct loss nothing = {NULL, "22", TEXT, 0, NULL, "w lost_flags 1\n"};
    struct apf_sample_write_result r = check_loss(empty, &nothing);
    assert_int_equal(r.lost_flags, APF_SAMPLE_PROBES);
    assert_int_equal(r.flags, 0);
    sample_free(empty);
    /* Without a checksum, ids of probes would be read as lines. */
    s->info.flags |= APF_SAMPLE_PROBES;
    assert_int_equal(apf_sample_write(s, &options, &output, NULL, &error), APF_SAMPLE_UNWRITABLE);
    assert_non_null(strstr(error.message, "the profile is of pseudo probes without checksums"));
    assert_int_equal(buffer.n, 0);
    s->nodes.data[0].checksum = 7;
    const struct loss kept = {NULL, "22", TEXT, 0, "f:9:1\n 1: 9\n !CFGChecksum: 7\n", ""};
    assert_int_equal(check_loss(s, &kept).flags, APF_SAMPLE_PROBES);
    sample_free(s);
}

static void test_places(void **state)
{
    static const struct loss rows[] = {
        {"f:9:1\n 1: 4\n 65536.0: 5\n", "auto", 0, 0, "f:9:1\n 1: 4\n", "w lost_lines 1\n"},
        {"[a:-1 @ f]:9:1\n 1: 4\n[a]:1:1\n 1: 1\n", "auto", 0, 0, "[a]:1:1\n 1: 1\n", "w lost_functions 1\n"},
        {"f:9:1\n 1: 4\n 1.7: 5\n", "gcc-12", 0, 0, "f:5:1\n 1: 5\n", "n lost_discriminators 1\n"},
        {"f:9:1\n 1: 4\n 1.7: 5\n", "gcc-13", 0, 0, "f:9:1\n 1: 4\n 1.7: 5\n", ""},
        {"f:9:1\n 1: 9 g:3 h:4\n", "gcc-9", 0, 0, "f:9:1\n 1: 9 h:4 g:3\n", ""},
        {"f:9:1\n 1: 9 g:3 h:4\n", "gcc-10", 0, 0, "f:9:1\n 1: 9\n", "n misread_targets 2\n"},
        {"f:9:1\n 1: 9 g:3 h:4\n", "gcc-11", 0, 0, "f:9:1\n 1: 9\n", "n misread_targets 2\n"},
        {"f:9:1\n 1: 9 g:3 h:4\n", "gcc-12", 0, 0, "f:9:1\n 1: 9 h:4 g:3\n", ""},
        {"f:9:1\n 1: 9\n 1.70000: 5\n", "gcc-16", 0, 0, "f:9:1\n 1: 9\n",
         "w lost_lines 1\nn lost_totals 1\n"},
        {"f.cold.1:9:1\n 1: 9 g.part.0:3\n", "gcc-16", 0, 0, "f:9:1\n 1: 9 g:3\n", "n changed_names 2\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_row(&rows[i]);
}

/* Marks of functions in which nothing is inlined change nothing else. */
static void test_flat(void **state)
{
    struct apf_sample *s = sample_of_text("f:9:1\n 1: 9\n");
    struct apf_sample_write_options o = {
        .size = sizeof o, .format = APF_SAMPLE_TEXT, .flags = APF_SAMPLE_WRITE_FLAT};
    struct apf_buffer buffer = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&buffer);
    (void)state;
    assert_int_equal(apf_sample_write(s, &o, &output, NULL, NULL), APF_OK);
    assert_int_equal(buffer.n, strlen("f:9:1\n 1: 9\n !Flat\n"));
    assert_memory_equal(buffer.data, "f:9:1\n 1: 9\n !Flat\n", buffer.n);
    apf_buffer_free(&buffer);
    sample_free(s);
}

/* A callback that stops the work leaves no file. */
static void test_stop(void **state)
{
    struct apf_sample *s = sample_of_text(PROBES);
    struct findings found = {"", 0, 2};
    struct apf_options common = {.size = sizeof common, .diag = keep_finding, .user = &found};
    struct apf_sample_write_options o = {.size = sizeof o, .options = &common};
    struct apf_output output = apf_output_file(temp_path("out"));
    (void)state;
    assert_int_equal(apf_sample_target_parse("13", &o.target, NULL), APF_OK);
    assert_int_equal(apf_sample_write(s, &o, &output, NULL, NULL), APF_STOPPED);
    assert_int_equal(found.n, 2);
    assert_int_equal(dir_entries(temp_dir), 0);
    sample_free(s);
}

static void test_other_findings(void **state)
{
    const struct apf_error error = {.where = "sample.text.line"};
    (void)state;
    assert_int_equal(apf_sample_loss(&error), APF_SAMPLE_LOSS_NONE);
}

TEST_FILE(sample_losses)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vtables),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_flags_of_functions),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_flat),
        TEST_WITH_DIR(test_stop),
        cmocka_unit_test(test_other_findings),
    };
    return RUN_TESTS(tests);
}
