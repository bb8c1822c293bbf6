/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damaged inputs in a merge: counts, messages and names, independent of the order. */
#include <string.h>

#include <jansson.h>
#include <zlib.h>

#include "helpers/shared/open_memory.h"
#include "helpers/shared/report_read.h"

static const uint64_t two[] = {3, 4}, three[] = {5, 6, 7}, one[] = {8};
static const struct rb_pair pairs[] = {{9, 6, false}};
static const struct rb_site sites[] = {{pairs, 1}};
static const struct rb_function functions[] = {
    {.name = "alpha", .hash = 11, .counts = two, .n_counts = 2},
    {.name = "beta", .hash = 12, .counts = three, .n_counts = 3, .sites = {NULL, sites}, .n_sites = {0, 1}},
    {.name = "gamma", .hash = 13, .counts = one, .n_counts = 1},
};
static const struct rb_profile profile = {
    .version = 10, .bytes = 8, .functions = functions, .n_functions = 3};

struct files {
    struct rb_file file;
    struct rb_places at;
};

static void make(struct files *f)
{
    memset(f, 0, sizeof *f);
    rb_append(&f->file, &profile, &f->at);
}

static struct apf_input part(const struct files *f, size_t n, const char *name)
{
    struct apf_input input = apf_input_memory(f->file.data, n, name);
    return input;
}

static struct apf_input text(const char *p, const char *name)
{
    struct apf_input input = apf_input_memory(p, strlen(p), name);
    return input;
}

static struct apf_merge *merge_of(const struct apf_input *inputs, size_t n, uint32_t threads, uint32_t flags)
{
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss, .flags = flags};
    struct apf_merge *m;
    struct apf_error error;
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.flags = APF_FLAG_SALVAGE;
    common.threads = threads;
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_OK);
    assert_int_equal(apf_merge_add(m, inputs, n, &error), APF_OK);
    return m;
}

static int verdict(struct apf_merge *m, int mode, uint32_t per_cent)
{
    struct apf_tolerance t = {mode, per_cent * 1000000u};
    return apf_merge_verdict(m, &t);
}

/* The sum of a function's counts; UINT64_MAX when it is not there. */
static uint64_t sum_of(struct apf_merge *m, const char *name, uint64_t hash)
{
    struct apf_instr *view;
    struct apf_record r = {.size = sizeof r};
    struct apf_str s = {name, strlen(name)};
    uint64_t sum = 0;
    assert_int_equal(apf_merge_view(m, &view, NULL), APF_OK);
    if (apf_instr_find(view, s, hash, &r, NULL) != APF_OK)
        return UINT64_MAX;
    for (size_t i = 0; i < r.n_counts; i++)
        sum += r.counts[i];
    return sum;
}

/* A record without a name gets it from any other input; without one it is lost, and counted. */
static void test_names(void **state)
{
    struct files f;
    (void)state;
    make(&f);
    struct apf_input inputs[] = {part(&f, f.at.counters + 5 * 8, "cut"),
                                 text("alpha\n11\n2\n10\n20\n\n", "text")};
    struct apf_merge *m = merge_of(inputs, 2, 1, 0);
    const struct apf_merge_stats *s = apf_merge_stats(m);
    const struct apf_input_result *r = apf_merge_input(m, 0);
    assert_int_equal(r->code, APF_OK);
    assert_null(r->error);
    assert_non_null(r->salvage);
    assert_int_equal(r->salvage->error.code, APF_BAD_HEADER);
    assert_int_equal(r->salvage->functions, 2);
    assert_int_equal(r->salvage->lost_functions, 1);
    assert_int_equal(r->salvage->lost_values, 1);
    assert_int_equal(r->salvage->nameless, 2);
    assert_int_equal(r->salvage->names_known, 0);
    assert_int_equal(sum_of(m, "alpha", 11), 3 + 4 + 10 + 20);
    assert_int_equal(sum_of(m, "beta", 12), UINT64_MAX);
    assert_int_equal(r->salvage->names_known, 1);
    assert_int_equal(r->salvage->found_names, 1);
    assert_int_equal(r->salvage->lost_names, 1);
    assert_int_equal(s->n_inputs, 2);
    assert_int_equal(s->n_merged, 1);
    assert_int_equal(s->n_salvaged, 1);
    assert_int_equal(s->n_rejected, 0);
    assert_int_equal(s->salvaged_functions, 2);
    assert_int_equal(s->salvage_lost_functions, 1);
    assert_int_equal(s->salvage_lost_values, 1);
    assert_int_equal(s->salvage_found_names, 1);
    assert_int_equal(s->salvage_lost_names, 1);
    assert_int_equal(s->nameless, 1);
    /* Another input has the name. */
    struct apf_str names[] = {{"beta", 4}, {"", 0}, {"alpha", 5}};
    assert_int_equal(apf_merge_add_names(m, names, 3, NULL), APF_OK);
    assert_int_equal(sum_of(m, "beta", 12), 5 + 6 + 7);
    assert_int_equal(sum_of(m, "alpha", 11), 3 + 4 + 10 + 20);
    assert_int_equal(s->salvage_found_names, 2);
    assert_int_equal(s->salvage_lost_names, 0);
    assert_int_equal(s->nameless, 0);
    apf_merge_free(m);
    rb_free(&f.file);
}

static void test_tolerance(void **state)
{
    struct files f;
    (void)state;
    make(&f);
    struct apf_input inputs[] = {part(&f, f.at.names, "cut"), part(&f, f.file.n, "whole"),
                                 part(&f, 30, "header")};
    struct apf_merge *m = merge_of(inputs, 2, 1, 0);
    assert_int_equal(verdict(m, APF_FAIL_ANY, 0), APF_OK);
    assert_int_equal(verdict(m, APF_FAIL_ALL, 0), APF_OK);
    assert_int_equal(verdict(m, APF_FAIL_SHARE, 50), APF_OK);
    assert_int_equal(verdict(m, APF_FAIL_SHARE, 49), APF_INVALID_PROFILE); /* as without salvaging */
    apf_merge_free(m);
    m = merge_of(inputs, 1, 1, 0); /* nothing but a salvaged one */
    assert_int_equal(verdict(m, APF_FAIL_ANY, 0), APF_OK);
    assert_int_equal(verdict(m, APF_FAIL_SHARE, 99), APF_INVALID_PROFILE);
    apf_merge_free(m);
    m = merge_of(inputs, 3, 1, 0);
    assert_int_equal(apf_merge_input(m, 2)->code, APF_BAD_HEADER); /* nothing can be taken */
    assert_null(apf_merge_input(m, 2)->salvage);
    assert_int_equal(apf_merge_stats(m)->n_rejected, 1);
    assert_int_equal(verdict(m, APF_FAIL_ANY, 0), APF_INVALID_PROFILE);
    assert_int_equal(verdict(m, APF_FAIL_SHARE, 67), APF_OK);
    assert_int_equal(verdict(m, APF_FAIL_SHARE, 66), APF_INVALID_PROFILE);
    apf_merge_free(m);
    rb_free(&f.file);
}

/* The bytes of what is written, for the newest version. */
static void write_bytes(struct apf_merge *m, struct apf_buffer *b)
{
    struct apf_write_options w = {.size = sizeof w, .format = APF_FORMAT_TEXT};
    struct apf_output output = apf_output_buffer(b);
    assert_int_equal(apf_merge_write(m, &w, &output, NULL), APF_OK);
}

static void test_order_and_threads(void **state)
{
    struct files f;
    struct apf_buffer first = {NULL, 0, 0};
    (void)state;
    make(&f);
    const struct apf_input inputs[] = {part(&f, f.at.counters + 40, "a"), part(&f, f.file.n, "b"),
                                       part(&f, f.at.names + 4, "c"),     part(&f, f.file.n - 1, "d"),
                                       part(&f, f.file.n, "e"),           text("beta\n12\n3\n1\n1\n1", "f")};
    for (unsigned turn = 0; turn < COUNT(inputs); turn++)
        for (unsigned way = 0; way < 4; way++) {
            struct apf_input turned[COUNT(inputs)];
            struct apf_buffer b = {NULL, 0, 0};
            for (unsigned i = 0; i < COUNT(inputs); i++)
                turned[i] =
                    inputs[way & 1 ? (turn + COUNT(inputs) - i) % COUNT(inputs) : (turn + i) % COUNT(inputs)];
            struct apf_merge *m =
                merge_of(turned, COUNT(inputs), way & 1 ? 1 : 3, way & 2 ? APF_MERGE_GENERAL : 0);
            assert_int_equal(apf_merge_stats(m)->n_salvaged, 3);
            assert_int_equal(apf_merge_stats(m)->n_rejected,
                             1); /* the text, whose only function may be cut */
            assert_int_equal(sum_of(m, "alpha", 11), 5 * 7);
            assert_int_equal(sum_of(m, "gamma", 13), 4 * 8);
            write_bytes(m, &b);
            if (!first.n)
                first = b;
            assert_int_equal(b.n, first.n);
            assert_memory_equal(b.data, first.data, b.n);
            if (b.data != first.data)
                apf_buffer_free(&b);
            apf_merge_free(m);
        }
    apf_buffer_free(&first);
    rb_free(&f.file);
}

static void test_report(void **state)
{
    struct files f;
    (void)state;
    make(&f);
    struct apf_input inputs[] = {part(&f, f.at.counters + 5 * 8, "cut"),
                                 text("alpha\n11\n2\n1\n1\n\n", "text")};
    struct apf_merge *m = merge_of(inputs, 2, 1, 0);
    static const struct entry before[] = {
        {"inputs.0.salvage.names", "{\"taken\":0,\"found\":null,\"lost\":null}"},
        {"totals.salvaged", "1"},
        {"totals.merged", "1"},
    };
    static const struct entry after[] = {
        {"inputs.0.verdict", "\"salvaged\""},
        {"inputs.0.error.code", "\"BAD_HEADER\""},
        {"inputs.0.error.where", "\"raw.header.num_counters\""},
        {"inputs.0.error.offset", "40"},
        {"inputs.0.functions", "2"},
        {"inputs.0.counters", "5"},
        {"inputs.0.sum_of_counts", "25"},
        {"inputs.0.salvage.functions", "{\"taken\":2,\"lost\":1}"},
        {"inputs.0.salvage.values", "{\"taken\":0,\"lost\":1}"},
        {"inputs.0.salvage.names", "{\"taken\":0,\"found\":1,\"lost\":1}"},
        {"inputs.0.salvage.lost_sections", "[]"},
        {"inputs.1.verdict", "\"merged\""},
        {"inputs.1.salvage", "null"},
        {"totals.salvaged_functions", "2"},
        {"totals.salvage_lost_functions", "1"},
        {"totals.salvage_lost_values", "1"},
        {"result.salvage_found_names", "1"},
        {"result.salvage_lost_names", "1"},
    };
    json_t *root = report_of(m, NULL);
    EXPECT_ENTRIES(root, before);
    json_decref(root);
    assert_int_equal(sum_of(m, "alpha", 11), 9);
    root = report_of(m, NULL);
    EXPECT_ENTRIES(root, after);
    json_decref(root);
    apf_merge_free(m);
    rb_free(&f.file);
}

static struct finding findings[8];
static size_t n_findings;

static int keep(void *user, const struct apf_diag *diag)
{
    (void)user;
    assert_true(n_findings < COUNT(findings));
    findings[n_findings].severity = diag->severity;
    findings[n_findings].code = diag->code;
    findings[n_findings++].input = diag->input;
    if (diag->code == APF_SALVAGED)
        assert_string_equal(
            diag->error->message,
            "damaged, and only what is intact was taken: 2 functions, 1 lost, values of 1 lost, "
            "2 without a name in it");
    return 0;
}

static void test_findings(void **state)
{
    struct files f;
    struct apf_merge_options options = {.size = sizeof options, .tolerance = &any_loss};
    struct apf_merge *m;
    (void)state;
    make(&f);
    struct apf_input input = part(&f, f.at.counters + 5 * 8, "cut");
    struct apf_options common = {.size = sizeof common};
    options.options = &common;
    common.flags = APF_FLAG_SALVAGE;
    common.diag = keep;
    n_findings = 0;
    assert_int_equal(apf_merge_new(&m, &options, NULL), APF_OK);
    assert_int_equal(apf_merge_add(m, &input, 1, NULL), APF_OK);
    assert_int_equal(n_findings, 2);
    assert_int_equal(findings[0].code, APF_BAD_HEADER);
    assert_int_equal(findings[0].severity, APF_SEVERITY_WARNING);
    assert_int_equal(findings[1].code, APF_SALVAGED);
    apf_merge_free(m);
    rb_free(&f.file);
}

/* One gzip member of n bytes; its size. */
static size_t pack(uint8_t *out, size_t room, const uint8_t *p, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

/* Only streams that are whole, with their checksums, are believed. */
static void test_compressed(void **state)
{
    struct files f;
    uint8_t packed[4096];
    (void)state;
    make(&f);
    size_t middle = f.at.counters + 5 * 8;
    size_t first = pack(packed, sizeof packed, f.file.data, middle);
    size_t all = first + pack(packed + first, sizeof packed - first, f.file.data + middle, f.file.n - middle);
    for (size_t n = 0; n <= all; n++) {
        struct apf_input input = apf_input_memory(packed, n, "packed");
        struct apf_merge *m = merge_of(&input, 1, 1, 0);
        const struct apf_input_result *r = apf_merge_input(m, 0);
        uint64_t records = n == all ? 3 : n >= first ? 2 : 0;
        assert_int_equal(r->code == APF_OK, records != 0);
        assert_int_equal(r->n_records, records);
        assert_int_equal(r->salvage != NULL, n >= first && n < all);
        if (n > first && n < all)
            assert_string_equal(r->salvage->error.where, "gzip.stream");
        apf_merge_free(m);
    }
    packed[first + 20] ^= 1;
    struct apf_input input = apf_input_memory(packed, all, "packed");
    struct apf_merge *m = merge_of(&input, 1, 1, 0);
    assert_int_equal(apf_merge_input(m, 0)->n_records, 2);
    apf_merge_free(m);
    packed[first - 6] ^= 1; /* the checksum of the first */
    m = merge_of(&input, 1, 1, 0);
    assert_int_equal(apf_merge_input(m, 0)->code, APF_DECOMPRESS_FAILED);
    apf_merge_free(m);
    rb_free(&f.file);
}

/* Files on the disk are read again to see what did not go with the others, and what is salvaged is then the same. */
static void test_losses(void **state)
{
    struct files f;
    (void)state;
    make(&f);
    file_make(temp_path("cut"), f.file.data, f.at.names + 2 + 5);
    struct apf_input inputs[] = {apf_input_file(temp_path("cut")), text("alpha\n11\n3\n1\n1\n1\n\n", "other"),
                                 text("alpha\n11\n3\n1\n1\n1\n\n", "again")};
    struct apf_merge *m = merge_of(inputs, 3, 1, APF_MERGE_FIND_LOSSES);
    assert_int_equal(sum_of(m, "alpha", 11), 6);
    const struct apf_input_result *r = apf_merge_input(m, 0);
    assert_non_null(r->salvage);
    assert_int_equal(r->losses_known, 1);
    assert_int_equal(r->lost_functions, 1);
    apf_merge_free(m);
    rb_free(&f.file);
}

TEST_FILE(merge_salvage)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_order_and_threads),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_compressed),
        TEST_WITH_DIR(test_losses),
    };
    return RUN_TESTS(tests);
}
