/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is written for which target, what is refused, and what is lost and reported. */
#include <errno.h>
#include <string.h>

#include "sample/binary/sample_binary_read.h"
#include "sample/gcc/sample_gcc_read.h"
#include "sample/layout/sample_releases.h"
#include "sample/text/sample_text_read.h"
#include "sample/write/sample_output.h"

#include "helpers/shared/fault_each.h"
#include "helpers/shared/sample_bytes.h"
#include "helpers/shared/sample_goldens.h"
#include "helpers/shared/sample_written.h"

#define PLAIN "f:9:1\n 1: 4 g:3\n 2.1: h:5\n  1: 5\n"
#define PROBES "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !CFGChecksum: 7\n !CFGChecksum: 9\n"
#define FLAT_PROBES "f:9:1\n 1: 4\n !CFGChecksum: 9\n"
#define CONTEXTS "[a:1 @ f]:5:1\n 1: 5\n[a:2 @ f]:4:1\n 1: 4 g:1\n[a]:3:0\n 1: 3\n"
#define VTABLES "f:9:1\n 1: 4\n 1: vtables V:1 W:2 \n 2: g:5\n  1: 5\n  1: vtables V:3 \n"
#define HASHES "77:9:1\n 1: 4 88:3\n"
/* Hashes with inlined functions, which text cannot hold, come from a file: see hashes_inlined. */
#define ATTRIBUTES "f:9:1\n 1: 4\n 2: g:5\n  1: 5\n  !Attributes: 3\n !Attributes: 2\n"

static struct apf_sample_write_options options_for(const char *target)
{
    struct apf_sample_write_options o;
    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    assert_int_equal(apf_sample_target_parse(target, &o.target, NULL), APF_OK);
    return o;
}

/* Writes to memory, which the caller frees. */
static int write_memory(const struct apf_sample *s, const struct apf_sample_write_options *o,
                        struct apf_buffer *buffer, struct apf_sample_write_result *result,
                        struct apf_error *error)
{
    static const struct apf_buffer empty;
    *buffer = empty;
    struct apf_output output = apf_output_buffer(buffer);
    memset(result, 0, sizeof *result);
    result->size = sizeof *result;
    return apf_sample_write(s, o, &output, result, error);
}

/* A profile of hashes with an inlined function. */
static struct apf_sample *hashes_inlined(void)
{
    return sample_expect_text(sample_ext_read, golden_md5.data, golden_md5.n, NULL,
                              "14758615255017094680:9:1\n 1: 4 4014738744300571210:3\n"
                              " 2.1: 4014738744300571210:5\n  1: 5\n");
}

/* ---- the choice ---- */

struct choice {
    const char *text, *target;
    uint32_t format, layout; /* asked for */
    uint32_t code;
    uint32_t got, got_layout;
};

static void check_choice(const struct choice *row)
{
    struct apf_sample *s = row->text ? sample_of_text(row->text) : hashes_inlined();
    struct apf_sample_write_options o = options_for(row->target);
    struct apf_sample_write_result r;
    struct apf_buffer buffer;
    struct apf_error error;
    o.format = row->format;
    o.layout = row->layout;
    int code = write_memory(s, &o, &buffer, &r, &error);
    if ((uint32_t)code != row->code ||
        (code == APF_OK && (r.format != row->got || r.layout != row->got_layout)))
        print_error("%s for %s: code %d, format %u, layout %u\n", row->text ? row->text : "hashes",
                    row->target, code, (unsigned)r.format, (unsigned)r.layout);
    assert_int_equal(code, row->code);
    if (code == APF_OK) {
        assert_int_equal(r.format, row->got);
        assert_int_equal(r.layout, row->got_layout);
        if (o.target.kind == APF_SAMPLE_FOR_LLVM && !r.numbered)
            assert_true(r.llvm_readers >> o.target.release & 1);
        if (o.target.kind == APF_SAMPLE_FOR_GCC)
            assert_true(r.gcc_readers >> o.target.release & 1);
    } else {
        assert_int_equal(error.code, code);
        assert_int_equal(buffer.n, 0);
    }
    apf_buffer_free(&buffer);
    sample_free(s);
}

#define TEXT APF_SAMPLE_TEXT
#define RAW APF_SAMPLE_BINARY
#define COMPACT APF_SAMPLE_COMPACT
#define EXT APF_SAMPLE_EXTBINARY
#define GCC APF_SAMPLE_GCC
#define USUAL APF_SAMPLE_LAYOUT_USUAL
#define OLD APF_SAMPLE_LAYOUT_OLD
#define SPLIT APF_SAMPLE_LAYOUT_SPLIT
#define UNWRITABLE APF_SAMPLE_UNWRITABLE

static void test_free_choice(void **state)
{
    static const struct choice rows[] = {
        {PLAIN, "auto", 0, 0, 0, EXT, OLD},
        {PLAIN, "22", 0, 0, 0, EXT, USUAL},
        {PLAIN, "14", 0, 0, 0, EXT, USUAL},
        {PLAIN, "13", 0, 0, 0, EXT, OLD},
        {PLAIN, "12", 0, 0, 0, RAW, 0},
        {PLAIN, "3.9", 0, 0, 0, RAW, 0},
        {PLAIN, "3.8", 0, 0, 0, TEXT, 0},
        {PLAIN, "3.7", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_LLVM},
        {PLAIN, "3.6", 0, 0, APF_UNSUPPORTED, 0, 0},
        {PROBES, "auto", 0, 0, 0, EXT, USUAL},
        {PROBES, "14", 0, 0, 0, EXT, USUAL},
        {PROBES, "13", 0, 0, 0, EXT, OLD},
        {PROBES, "12", 0, 0, 0, EXT, OLD},
        {PROBES, "11", 0, 0, UNWRITABLE, 0, 0},
        {PROBES, "gcc-15", 0, 0, UNWRITABLE, 0, 0},
        {CONTEXTS, "auto", 0, 0, 0, EXT, USUAL},
        {CONTEXTS, "14", 0, 0, 0, EXT, USUAL},
        {CONTEXTS, "13", 0, 0, 0, TEXT, 0},
        {CONTEXTS, "12", 0, 0, 0, RAW, 0},
        {CONTEXTS, "gcc-12", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_2},
        {"f:1:1\n 1: 1\n !Attributes: 2\n", "auto", 0, 0, 0, EXT, USUAL},
        {VTABLES, "auto", 0, 0, 0, EXT, OLD},
        {VTABLES, "21", 0, 0, 0, EXT, USUAL},
        {VTABLES, "13", 0, 0, 0, EXT, OLD},
        {HASHES, "auto", 0, 0, 0, EXT, OLD},
        {HASHES, "13", 0, 0, 0, EXT, OLD},
        {HASHES, "12", 0, 0, 0, COMPACT, 0},
        {HASHES, "7", 0, 0, 0, COMPACT, 0},
        {HASHES, "6", 0, 0, 0, RAW, 0},
        {NULL, "16", 0, 0, 0, EXT, USUAL},
        {NULL, "9", 0, 0, 0, COMPACT, 0},
        {ATTRIBUTES, "13", 0, 0, 0, EXT, OLD},
        {PLAIN, "gcc-5", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_1},
        {PLAIN, "gcc-11", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_1},
        {PLAIN, "gcc-12", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_2},
        {PLAIN, "gcc-15", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_2},
        {PLAIN, "gcc-16", 0, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_3},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_choice(&rows[i]);
}

static void test_asked_for(void **state)
{
    static const struct choice rows[] = {
        {PLAIN, "auto", TEXT, 0, 0, TEXT, 0},
        {PLAIN, "auto", RAW, 0, 0, RAW, 0},
        {PLAIN, "auto", EXT, OLD, 0, EXT, OLD},
        {PLAIN, "auto", 0, SPLIT, 0, EXT, SPLIT},
        {PLAIN, "auto", GCC, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_3},
        {PLAIN, "auto", GCC, APF_SAMPLE_LAYOUT_GCC_1, 0, GCC, APF_SAMPLE_LAYOUT_GCC_1},
        {PLAIN, "auto", GCC, APF_SAMPLE_LAYOUT_GCC_3A, 0, GCC, APF_SAMPLE_LAYOUT_GCC_3A},
        {PLAIN, "22", GCC, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_LLVM},
        {PLAIN, "22", GCC, APF_SAMPLE_LAYOUT_GCC_1, APF_UNSUPPORTED, 0, 0},
        {PLAIN, "gcc-12", GCC, APF_SAMPLE_LAYOUT_GCC_1, APF_UNSUPPORTED, 0, 0},
        {PLAIN, "gcc-12", TEXT, 0, APF_UNSUPPORTED, 0, 0},
        {PLAIN, "16", COMPACT, 0, 0, COMPACT, 0},
        {PLAIN, "17", COMPACT, 0, APF_UNSUPPORTED, 0, 0},
        {PLAIN, "auto", COMPACT, 0, 0, COMPACT, 0},
        {PLAIN, "13", EXT, 0, 0, EXT, OLD},
        {PLAIN, "13", EXT, USUAL, APF_UNSUPPORTED, 0, 0},
        {PLAIN, "9", EXT, 0, APF_UNSUPPORTED, 0, 0},
        {PLAIN, "22", EXT, 0, 0, EXT, USUAL},
        {PLAIN, "13", EXT, SPLIT, 0, EXT, SPLIT},
        {PROBES, "13", EXT, SPLIT, UNWRITABLE, 0, 0},
        {PROBES, "auto", EXT, SPLIT, 0, EXT, SPLIT},
        {PROBES, "auto", EXT, OLD, 0, EXT, OLD},
        {PROBES, "auto", RAW, 0, UNWRITABLE, 0, 0},
        {PROBES, "auto", GCC, 0, UNWRITABLE, 0, 0},
        {CONTEXTS, "auto", RAW, 0, UNWRITABLE, 0, 0},
        {CONTEXTS, "16", COMPACT, 0, UNWRITABLE, 0, 0},
        {CONTEXTS, "13", EXT, 0, 0, EXT, OLD},
        {CONTEXTS, "auto", EXT, SPLIT, 0, EXT, USUAL},
        {CONTEXTS, "auto", EXT, OLD, 0, EXT, USUAL},
        {CONTEXTS, "13", EXT, OLD, 0, EXT, OLD},
        {CONTEXTS, "13", EXT, SPLIT, 0, EXT, OLD},
        {CONTEXTS, "12", EXT, OLD, UNWRITABLE, 0, 0},
        {CONTEXTS, "auto", GCC, 0, 0, GCC, APF_SAMPLE_LAYOUT_GCC_3},
        {CONTEXTS, "12", TEXT, 0, UNWRITABLE, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_choice(&rows[i]);
}

/* Profiles of GCC keep their layout where no target is named. */
static void test_origin(void **state)
{
    static const struct {
        uint32_t version;
        const char *variant;
        uint32_t layout;
    } rows[] = {
        {1, "", APF_SAMPLE_LAYOUT_GCC_1},      {2, "", APF_SAMPLE_LAYOUT_GCC_2},
        {704, "", APF_SAMPLE_LAYOUT_GCC_LLVM}, {3, "3a", APF_SAMPLE_LAYOUT_GCC_3A},
        {3, "3b", APF_SAMPLE_LAYOUT_GCC_3B},   {3, "3", APF_SAMPLE_LAYOUT_GCC_3},
        {704, "2", APF_SAMPLE_LAYOUT_GCC_2},
    };
    struct apf_sample *s = sample_of_text(PLAIN);
    struct apf_sample_write_options o = options_for("auto");
    struct apf_sample_write_result r;
    struct apf_buffer buffer;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        s->info.format = i % 2 ? APF_SAMPLE_GCC : APF_SAMPLE_JSON;
        s->info.origin = APF_SAMPLE_GCC;
        s->info.version = rows[i].version;
        s->info.layout = rows[i].variant;
        o.format = 0;
        assert_int_equal(write_memory(s, &o, &buffer, &r, NULL), APF_OK);
        assert_int_equal(r.format, APF_SAMPLE_GCC);
        assert_int_equal(r.layout, rows[i].layout);
        apf_buffer_free(&buffer);
        o.format = APF_SAMPLE_TEXT;
        assert_int_equal(write_memory(s, &o, &buffer, &r, NULL), APF_OK);
        assert_int_equal(r.format, APF_SAMPLE_TEXT);
        apf_buffer_free(&buffer);
    }
    sample_free(s);
}

/* LLVM 13 writes functions of equal totals by name descending, whatever the format. */
static void test_equal_totals(void **state)
{
    static const struct {
        const char *target;
        uint32_t format;
        const char *first; /* name */
    } rows[] = {{"13", TEXT, "b"}, {"14", TEXT, "a"}, {"13", RAW, "b"}, {"14", RAW, "a"}, {"22", EXT, "a"}};
    struct apf_sample *s = sample_of_text("a:5:1\n 1: 5\nb:5:2\n 1: 5\n");
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_write_options o = options_for(rows[i].target);
        struct apf_sample_write_result r;
        struct apf_buffer buffer;
        struct apf_error error;
        o.format = rows[i].format;
        assert_int_equal(write_memory(s, &o, &buffer, &r, &error), APF_OK);
        /* The two bodies are equally long: "a:5:1\n 1: 5\n", or head, index of the name, and six numbers. */
        const char *data = (const char *)buffer.data;
        if (rows[i].format == TEXT)
            assert_int_equal(data[0], rows[i].first[0]);
        if (rows[i].format == RAW) {
            assert_int_equal(data[buffer.n - 18], rows[i].first[0] == 'a' ? 1 : 2);
            assert_int_equal(data[buffer.n - 17], rows[i].first[0] - 'a');
        }
        apf_buffer_free(&buffer);
    }
    sample_free(s);
}

/* The place for types of objects, flag 1 << 37 of the summary, which is the first section. */
static void test_place_for_vtables(void **state)
{
    static const struct {
        const char *text, *target;
        uint32_t flags;
        bool place;
    } rows[] = {{PLAIN, "22", 0, false},
                {PLAIN, "22", APF_SAMPLE_WRITE_VTABLES, true},
                {PLAIN, "21", APF_SAMPLE_WRITE_VTABLES, false},
                {PLAIN, "22", APF_SAMPLE_WRITE_VTABLES | APF_SAMPLE_WRITE_NO_VTABLES, false}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample *s = sample_of_text(rows[i].text);
        struct apf_sample_write_options o = options_for(rows[i].target);
        struct apf_sample_write_result r;
        struct apf_buffer buffer;
        struct apf_error error;
        o.flags = rows[i].flags;
        assert_int_equal(write_memory(s, &o, &buffer, &r, &error), APF_OK);
        assert_int_equal(((const uint8_t *)buffer.data)[18 + 8 + 4], rows[i].place ? 32 : 0);
        assert_int_equal(r.flags & APF_SAMPLE_VTABLES, rows[i].place ? APF_SAMPLE_VTABLES : 0);
        struct apf_sample *again =
            sample_expect_text(sample_ext_read, (const uint8_t *)buffer.data, buffer.n, NULL, rows[i].text);
        sample_free(again);
        apf_buffer_free(&buffer);
        sample_free(s);
    }
}

/* ---- errors ---- */

static void test_options(void **state)
{
    struct apf_sample *s = sample_of_text(PLAIN);
    struct apf_sample_write_result r;
    struct apf_buffer buffer;
    struct apf_error error;
    const struct {
        size_t offset;
        uint32_t value;
        const char *where;
    } rows[] = {
        {offsetof(struct apf_sample_write_options, flags), 128, "apf_sample_write_options.flags"},
        {offsetof(struct apf_sample_write_options, format), APF_SAMPLE_JSON, "sample_write_options.format"},
        {offsetof(struct apf_sample_write_options, format), APF_SAMPLE_MERGED, "sample_write_options.format"},
        {offsetof(struct apf_sample_write_options, layout), 10, "sample_write_options.layout"},
        {offsetof(struct apf_sample_write_options, target.kind), 3, "sample_write_options.target"},
        {offsetof(struct apf_sample_write_options, target.release), 1, "sample_write_options.target"},
        {offsetof(struct apf_sample_write_options, reserved), 1, "sample_write_options.reserved"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample_write_options o = options_for("auto");
        memcpy((char *)&o + rows[i].offset, &rows[i].value, sizeof rows[i].value);
        assert_int_equal(write_memory(s, &o, &buffer, &r, &error), APF_ARGUMENT);
        assert_string_equal(error.where, rows[i].where);
        assert_int_equal(error.subject, APF_SUBJECT_OPTION);
    }
    struct apf_sample_write_options o = options_for("auto");
    o.format = APF_SAMPLE_TEXT;
    o.layout = APF_SAMPLE_LAYOUT_SPLIT;
    assert_int_equal(write_memory(s, &o, &buffer, &r, &error), APF_ARGUMENT);
    assert_string_equal(error.where, "sample_write_options.layout");
    struct apf_output output = apf_output_buffer(&buffer);
    r.size = 0;
    assert_int_equal(apf_sample_write(s, NULL, &output, &r, &error), APF_ARGUMENT);
    assert_int_equal(apf_sample_write(s, NULL, &output, NULL, &error),
                     APF_OK); /* the defaults, without a result */
    assert_int_equal(((uint8_t *)buffer.data)[0], 0x84);
    apf_buffer_free(&buffer);
    sample_free(s);
}

static void test_messages(void **state)
{
    static const struct {
        const char *text, *target;
        uint32_t format, subject;
        const char *message;
    } rows[] = {
        {PLAIN, "17", COMPACT, APF_SUBJECT_OPTION,
         "not supported: LLVM 17 does not read compact binary, which LLVM 7 to 16 read; of what is written "
         "it "
         "reads text, raw binary, extbinary, extbinary as of LLVM 13, split extbinary, GCC's version 4.07"},
        {PLAIN, "gcc-12", TEXT, APF_SUBJECT_OPTION,
         "not supported: GCC 12 does not read text, which LLVM 3.8 to 23 read; of what is written it reads "
         "GCC's version 2"},
        {PLAIN, "3.5", 0, APF_SUBJECT_OPTION,
         "not supported: LLVM 3.5 reads no format of sample profiles that is written"},
        {PROBES, "gcc-12", 0, APF_SUBJECT_OUTPUT,
         "Profile encoding format unsupported for writing operations: the profile is of pseudo probes, which "
         "GCC 12 does not know"},
        {CONTEXTS, "13", EXT, APF_SUBJECT_OUTPUT,
         "Profile encoding format unsupported for writing operations: LLVM 13 finds no function by the hash "
         "of a "
         "context; write names"},
        {CONTEXTS, "16", RAW, APF_SUBJECT_OUTPUT,
         "Profile encoding format unsupported for writing operations: the profile is context-sensitive, "
         "which raw binary has no word for"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct apf_sample *s = sample_of_text(rows[i].text);
        struct apf_sample_write_options o = options_for(rows[i].target);
        struct apf_sample_write_result r;
        struct apf_buffer buffer;
        struct apf_error error;
        o.format = rows[i].format;
        o.flags = APF_SAMPLE_WRITE_MD5;
        assert_int_not_equal(write_memory(s, &o, &buffer, &r, &error), APF_OK);
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.subject, rows[i].subject);
        sample_free(s);
    }
}

/* A profile of which nothing would be left is no profile. */
static void test_nothing_left(void **state)
{
    struct apf_sample *s = sample_of_text(HASHES);
    struct apf_sample_write_options o = options_for("gcc-12");
    struct apf_sample_write_result r;
    struct apf_buffer buffer;
    struct apf_error error;
    (void)state;
    assert_int_equal(write_memory(s, &o, &buffer, &r, &error), APF_NOT_REPRESENTABLE);
    assert_string_equal(error.where, "sample.write.functions");
    assert_int_equal(r.format, 0);
    apf_buffer_free(&buffer);
    sample_free(s);
}

/* ---- failures ---- */

static struct apf_sample *subject;
static struct apf_sample_write_options subject_options;

static int attempt(const char *path, struct apf_error *error)
{
    struct apf_output output = apf_output_file(path);
    return apf_sample_write(subject, &subject_options, &output, NULL, error);
}

static void test_memory(void **state)
{
    static const char *const targets[] = {"auto", "13", "3.8", "gcc-12"};
    static const char *const texts[] = {VTABLES, CONTEXTS, ATTRIBUTES};
    (void)state;
    for (size_t i = 0; i < COUNT(targets); i++)
        for (size_t k = 0; k < COUNT(texts); k++) {
            subject = sample_of_text(texts[k]);
            subject_options = options_for(targets[i]);
            assert_in_range(fault_each(attempt, FAULT_MEMORY, ENOMEM, APF_NO_MEMORY), 5, 120);
            fault_each(attempt, FAULT_ARENA, ENOMEM, APF_NO_MEMORY);
            assert_int_equal(fault_each(attempt, FAULT_WRITE, ENOSPC, APF_IO), 1);
            sample_free(subject);
        }
}

TEST_FILE(sample_write)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_choice),
        cmocka_unit_test(test_asked_for),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_equal_totals),
        cmocka_unit_test(test_place_for_vtables),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_nothing_left),
        TEST_WITH_DIR(test_memory),
    };
    return RUN_TESTS(tests);
}
