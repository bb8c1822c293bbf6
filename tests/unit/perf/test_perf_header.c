/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Headers and their tables, and what is read of recordings that are damaged. */
#include <stdlib.h>
#include <string.h>

#include <anyprof/perf.h>

#include "helpers/shared/perf_bytes.h"

#define USUAL 7u /* IP, TID, TIME */
#define N_SAMPLES 5u

static const uint64_t event_ids[] = {71};
static const struct pb_attr event = {.size = 112, .period = 1000, .sample_type = USUAL, .flags = PB_ID_ALL};

static void add_sample(struct pb *b, uint64_t time)
{
    pb_begin(b, 9, 2);
    pb_64(b, 0x1000);
    pb_32(b, 100);
    pb_32(b, 100);
    pb_64(b, time);
    pb_end(b);
}

static void add_samples(struct pb *b)
{
    for (uint64_t i = 1; i <= N_SAMPLES; i++)
        add_sample(b, i);
}

/* A file with samples and features. */
static struct pb make_file(bool big, const struct pb_feature *features, size_t n)
{
    struct pb records = {.big = big}, b = {.big = big};
    add_samples(&records);
    struct pb_file f = {&event, 1, event_ids, &records, features, n};
    pb_make_file(&b, &f);
    pb_free(&records);
    return b;
}

/* Opens and reads bytes from memory that ends where they end. On failure *perf is NULL. */
static int read_bytes(struct apf_perf **perf, const struct pb *b, struct apf_error *error)
{
    void *copy = malloc(b->n ? b->n : 1);
    assert_non_null(copy);
    if (b->n)
        memcpy(copy, b->p, b->n);
    struct apf_input input = apf_input_memory(copy, b->n, "b");
    int code = apf_perf_open(perf, &input, NULL, error);
    if (code == APF_OK)
        code = apf_perf_read(*perf, NULL, NULL, error);
    if (code != APF_OK) {
        apf_perf_close(*perf);
        *perf = NULL;
    }
    free(copy);
    return code;
}

static void assert_refused(const struct pb *b, int code, const char *where)
{
    struct apf_perf *perf;
    struct apf_error error;
    assert_int_equal(read_bytes(&perf, b, &error), code);
    assert_int_equal(error.code, code);
    assert_string_equal(error.where, where);
}

/* Reads bytes that have this number of samples, and this end. */
static struct apf_perf *assert_read(const struct pb *b, uint64_t n_samples, enum apf_perf_end end)
{
    struct apf_perf *perf;
    struct apf_error error;
    error.message[0] = '\0';
    int code = read_bytes(&perf, b, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, APF_OK);
    assert_int_equal(apf_perf_info(perf)->n_samples, n_samples);
    assert_int_equal(apf_perf_info(perf)->end, end);
    return perf;
}

/* ---- headers ---- */

static void refused_headers(void **state)
{
    static const struct {
        size_t at;
        uint64_t value;
        const char *where;
    } rows[] = {
        {0, 0, "perf.header.magic"},
        {8, 0, "perf.header.size"},
        {8, 112, "perf.header.size"},
        {16, 0, "perf.header.attr_size"},
        {16, 79, "perf.header.attr_size"},
        {16, UINT64_MAX, "perf.header.attr_size"},
        {24, UINT64_MAX, "perf.header.attrs"},
        {24, (uint64_t)1 << 40, "perf.header.attrs"},
        {32, UINT64_MAX, "perf.header.attrs"},
        {32, 127, "perf.header.attrs"}, /* not one event */
        {40, UINT64_MAX, "perf.header.data"},
        {104 + 8 + 112, UINT64_MAX, "perf.attr.ids"},
        {104 + 8 + 112, (uint64_t)1 << 40, "perf.attr.ids"},
        {104 + 8 + 112 + 8, UINT64_MAX, "perf.attr.ids"},
        {104 + 8 + 112 + 8, (uint64_t)1 << 40, "perf.attr.ids"},
    };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct pb b = make_file(i % 2, NULL, 0);
        pb_put_64(&b, rows[i / 2].at, rows[i / 2].value);
        assert_refused(&b, APF_BAD_RECORDING, rows[i / 2].where);
        pb_free(&b);
    }
    struct pb b = make_file(false, NULL, 0);
    for (size_t n = 0; n < 104; n++) {
        struct pb cut = b;
        cut.n = n;
        assert_refused(&cut, APF_BAD_RECORDING, "perf.header");
    }
    memcpy(b.p, "PERFFILE", 8);
    assert_refused(&b, APF_UNSUPPORTED, "perf.header.magic");
    pb_free(&b);
}

/* 72 bytes, without features. */
static void old_headers(void **state)
{
    (void)state;
    struct pb b = make_file(false, NULL, 0);
    pb_put_64(&b, 8, 72);
    for (size_t i = 0; i < 4; i++)
        pb_put_64(&b, 72 + 8 * i, UINT64_MAX);
    struct apf_perf *perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
    assert_int_equal(apf_perf_info(perf)->n_damaged_features, 0);
    apf_perf_close(perf);
    pb_free(&b);
}

static void too_many_events(void **state)
{
    struct pb_attr *many = calloc(4097, sizeof *many);
    struct pb records = {.n = 0};
    (void)state;
    assert_non_null(many);
    for (size_t i = 0; i < 4097; i++)
        many[i] = event;
    for (size_t n = 4096; n < 4098; n++) {
        struct pb b = {.n = 0};
        struct pb_file f = {.attrs = many, .n_attrs = n, .records = &records};
        pb_make_file(&b, &f);
        if (n > 4096)
            assert_refused(&b, APF_LIMIT, "perf.header.attrs");
        else
            apf_perf_close(assert_read(&b, 0, APF_PERF_END_WHOLE));
        pb_free(&b);
    }
    free(many);
}

/* The ids of many events cannot all be in one table. */
static void shared_ids(void **state)
{
    struct pb records = {.n = 0}, b = {.n = 0};
    struct pb_attr two[] = {event, event};
    struct pb_file f = {.attrs = two, .n_attrs = 2, .records = &records};
    (void)state;
    for (size_t i = 0; i < 200; i++)
        add_sample(&records, i + 1);
    pb_make_file(&b, &f);
    for (size_t i = 0; i < 2; i++) {
        pb_put_64(&b, 104 + 128 * i + 112, 0);
        pb_put_64(&b, 104 + 128 * i + 120, b.n / 2);
    }
    apf_perf_close(assert_read(&b, 200, APF_PERF_END_WHOLE));
    pb_put_64(&b, 104 + 128 + 120, b.n / 2 + 8);
    assert_refused(&b, APF_BAD_RECORDING, "perf.attr.ids");
    pb_free(&b);
    pb_free(&records);
}

/* ---- features ---- */

static void assert_text(struct apf_str got, const char *want)
{
    assert_int_equal(got.n, strlen(want));
    assert_memory_equal(got.p, want, got.n);
}

static void add_build_id(struct pb *b, uint32_t type, uint16_t misc, const char *id, uint8_t n,
                         const char *name)
{
    pb_begin(b, type, misc);
    pb_32(b, UINT32_MAX);
    pb_bytes(b, id, n);
    pb_zeros(b, 20u - n);
    pb_8(b, n);
    pb_zeros(b, 3);
    pb_name(b, name);
    pb_end(b);
}

static void features(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct pb content[9];
        static const uint32_t numbers[] = {2, 3, 4, 5, 6, 8, 11, 12, 200};
        static const char *const texts[] = {NULL, "host", "6.1", "", "x86_64", "A \"CPU\""};
        struct pb_feature list[9];
        for (size_t i = 0; i < 9; i++) {
            content[i] = (struct pb){.big = big};
            list[i] = (struct pb_feature){numbers[i], &content[i]};
            if (i > 0 && i < 6)
                pb_string(&content[i], texts[i], i == 2 ? strlen(texts[i]) : 64); /* 2: without a zero */
        }
        add_build_id(&content[0], 0x43, 2, "12345678", 8, "/bin/a"); /* the type may be anything */
        add_build_id(&content[0], 0, 1 | 1 << 15, "1234567890", 10, "[kernel.kallsyms]");
        pb_32(&content[6], 3);
        pb_string(&content[6], "perf", 8);
        pb_string(&content[6], "record", 8);
        pb_string(&content[6], "-b", 8);
        pb_32(&content[7], 1);
        pb_32(&content[7], 112);
        pb_attr(&content[7], &event);
        pb_32(&content[7], 1);
        pb_string(&content[7], "cycles:u", 64);
        pb_64(&content[7], event_ids[0]);
        struct pb b = make_file(big, list, 9);
        struct apf_perf *perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
        const struct apf_perf_info *info = apf_perf_info(perf);
        assert_text(info->hostname, "host");
        assert_text(info->release, "6.1");
        assert_text(info->version, "");
        assert_text(info->arch, "x86_64");
        assert_text(info->cpu, "A \"CPU\"");
        assert_text(info->command, "perf record -b");
        assert_int_equal(info->n_damaged_features, 0);
        assert_text(apf_perf_event(perf, 0)->name, "cycles:u");
        assert_int_equal(info->n_files, 2);
        assert_text(apf_perf_file(perf, 0)->path, "/bin/a");
        assert_text(apf_perf_file(perf, 0)->build_id, "12345678");
        assert_text(apf_perf_file(perf, 1)->build_id, "1234567890");
        assert_true(apf_perf_file(perf, 1)->kernel);
        apf_perf_close(perf);
        for (size_t i = 0; i < 9; i++)
            pb_free(&content[i]);
        pb_free(&b);
    }
}

/* Damage of a feature does no harm to the samples, or to other features. */
static void damaged_features(void **state)
{
    (void)state;
    struct pb host = {.n = 0}, build = {.n = 0}, command = {.n = 0}, names = {.n = 0};
    struct pb_feature list[] = {{2, &build}, {3, &host}, {11, &command}, {12, &names}};
    pb_string(&host, "host", 16);
    add_build_id(&build, 0, 2, "12345678", 8, "/bin/a");
    pb_bytes(&build, "\0\0\0\0\0\0\7\0", 8); /* a size that is less than its header */
    pb_32(&command, UINT32_MAX);
    pb_string(&command, "perf", 8);
    pb_32(&names, UINT32_MAX);
    pb_32(&names, UINT32_MAX);
    struct pb b = make_file(false, list, 4);
    struct apf_perf *perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
    assert_text(apf_perf_info(perf)->hostname, "host");
    assert_text(apf_perf_info(perf)->command, "perf");
    assert_int_equal(apf_perf_info(perf)->n_damaged_features, 3);
    assert_int_equal(apf_perf_info(perf)->n_files, 1);
    apf_perf_close(perf);
    struct pb records = {.n = 0};
    add_samples(&records);
    struct pb_file f = {&event, 1, event_ids, &records, list, 4};
    size_t table = pb_data_at(&f) + records.n;
    pb_put_64(&b, table + 16, UINT64_MAX); /* the place of the second one */
    perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
    assert_text(apf_perf_info(perf)->hostname, "");
    assert_int_equal(apf_perf_info(perf)->n_damaged_features, 4);
    apf_perf_close(perf);
    b.n = table + 15; /* not even their table is there */
    perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
    assert_int_equal(apf_perf_info(perf)->n_damaged_features, 4);
    apf_perf_close(perf);
    pb_free(&host);
    pb_free(&build);
    pb_free(&command);
    pb_free(&names);
    pb_free(&records);
    pb_free(&b);
}

/* ---- recorders that were killed, files that are cut ---- */

static void killed(void **state)
{
    (void)state;
    struct pb b = make_file(true, NULL, 0);
    pb_put_64(&b, 48, 0);
    pb_put_64(&b, 72, 0xfffffff8); /* bits of features without a table */
    struct apf_perf *perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
    assert_true(apf_perf_info(perf)->unfinished);
    assert_int_equal(apf_perf_info(perf)->n_damaged_features, 0);
    apf_perf_close(perf);
    pb_free(&b);
}

static void cut_files(void **state)
{
    struct pb text = {.n = 0};
    struct pb_feature list[] = {{3, &text}};
    (void)state;
    pb_string(&text, "host", 8);
    struct pb b = make_file(false, list, 1);
    size_t data = 104 + 8 + 128, sample = 32;
    for (size_t n = data; n < data + N_SAMPLES * sample; n++) {
        struct pb cut = b;
        cut.n = n;
        struct apf_perf *perf = assert_read(&cut, (n - data) / sample, APF_PERF_END_CUT);
        const struct apf_perf_info *info = apf_perf_info(perf);
        assert_int_equal(info->end_at, n - (n - data) % sample);
        assert_int_equal(info->n_damaged_features, 0);
        assert_false(info->unfinished);
        apf_perf_close(perf);
    }
    pb_free(&text);
    pb_free(&b);
}

/* ---- records ---- */

/* Samples that do not fit are left out; if they are most, the rest says nothing. */
static void short_samples(void **state)
{
    (void)state;
    for (size_t n = 0; n <= N_SAMPLES + 1; n++) {
        struct pb b = {.n = 0};
        pb_make_pipe(&b, &event, event_ids, 1);
        add_samples(&b);
        for (size_t i = 0; i < n; i++)
            pb_filler(&b, 9, 24, 1);
        if (n > N_SAMPLES) {
            assert_refused(&b, APF_BAD_RECORDING, "perf.sample");
        } else {
            struct apf_perf *perf = assert_read(&b, N_SAMPLES, APF_PERF_END_WHOLE);
            assert_int_equal(apf_perf_info(perf)->n_damaged_samples, n);
            apf_perf_close(perf);
        }
        pb_free(&b);
    }
}

/* Records that only count, are of unknown kinds, or of other events. */
static void counted(void **state)
{
    struct pb b = {.n = 0};
    struct pb_attr two[2] = {event, event};
    static const uint64_t ids[] = {71, 72};
    (void)state;
    two[0].sample_type = two[1].sample_type = USUAL | 0x40;
    pb_make_pipe(&b, two, ids, 2);
    for (uint32_t type = 2; type < 15; type++) { /* LOST, THROTTLE, LOST_SAMPLES */
        if (type != 2 && type != 5 && type != 13)
            continue;
        pb_begin(&b, type, 0);
        if (type == 2)
            pb_64(&b, 71);
        pb_64(&b, 10 + type);
        if (type == 5)
            pb_zeros(&b, 16);
        pb_zeros(&b, 8); /* the end: process, time, event */
        pb_64(&b, 5);
        pb_64(&b, 72);
        pb_end(&b);
    }
    for (uint32_t type = 23; type < 64; type += 40) {
        pb_begin(&b, type, 0);
        pb_zeros(&b, 24);
        pb_end(&b);
    }
    pb_filler(&b, 120, 8, 0);
    pb_filler(&b, UINT32_MAX, 100, 0);
    pb_begin(&b, 9, 2); /* of an event that is not listed */
    pb_zeros(&b, 24);
    pb_64(&b, 99);
    pb_end(&b);
    pb_begin(&b, 70, 0); /* AUXTRACE_INFO, of Arm SPE, without what it should have */
    pb_32(&b, 4);
    pb_32(&b, 0);
    pb_end(&b);
    struct apf_perf *perf = assert_read(&b, 0, APF_PERF_END_WHOLE);
    const struct apf_perf_info *info = apf_perf_info(perf);
    assert_int_equal(info->n_lost_records, 12);
    assert_int_equal(info->n_lost_samples, 23);
    assert_int_equal(info->n_throttled, 1);
    assert_int_equal(info->n_unknown_records, 4);
    assert_int_equal(info->n_unknown_events, 1);
    assert_int_equal(info->tracer, APF_PERF_TRACER_ARM_SPE);
    assert_int_equal(info->n_events, 2);
    apf_perf_close(perf);
    pb_free(&b);
}

TEST_FILE(perf_header)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_headers), cmocka_unit_test(old_headers), cmocka_unit_test(too_many_events),
        cmocka_unit_test(shared_ids),      cmocka_unit_test(features),    cmocka_unit_test(damaged_features),
        cmocka_unit_test(killed),          cmocka_unit_test(cut_files),   cmocka_unit_test(short_samples),
        cmocka_unit_test(counted),
    };
    return RUN_TESTS(tests);
}
