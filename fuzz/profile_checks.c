/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Properties that hold for any bytes. */
#include "fuzz_export.h"

#include <anyprof/jobs.h>

#define MAX_BYTES ((uint64_t)64 << 20) /* of inflated names, below the fuzzer's memory limit */
#define FINDINGS_ANYWAY 64u /* more than there are kinds; further findings are one for each record */

#define FIRST_WITH_CALLS 3u
#define FIRST_WITH_SIZES 4u
#define FIRST_WITH_BITMAPS 11u
#define FIRST_WITH_VTABLES 12u

static int count_finding(void *user, const struct apf_diag *d)
{
    uint64_t *findings = (uint64_t *)user;
    REQUIRE(d->error && d->error->where && d->error->message[0]);
    ++*findings;
    return 0;
}

struct apf_options fuzz_options(uint64_t *findings)
{
    struct apf_options o = {0};
    o.size = sizeof o;
    o.max_bytes = MAX_BYTES;
    o.threads = 1;
    o.diag = findings ? count_finding : NULL;
    o.user = findings;
    return o;
}

struct apf_input fuzz_input(const void *data, size_t n)
{
    struct apf_input input = apf_input_memory(n ? data : "", n, "fuzz");
    return input;
}

bool fuzz_is_packed(const void *data, size_t n)
{
    const uint8_t *p = (const uint8_t *)data;
    if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
        return true;
    return n >= 4 && ((p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) ||
                      ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18));
}

void fuzz_check_error(int code, const struct apf_error *e, const struct apf_input *input)
{
    REQUIRE(code >= 10 && code == e->code);
    REQUIRE(e->where && e->message[0] && memchr(e->message, 0, sizeof e->message));
    bool in_content = fuzz_is_packed(input->data, input->n) && strncmp(e->where, "gzip.", 5) != 0 &&
                      strncmp(e->where, "zstd.", 5) != 0;
    REQUIRE(e->offset == UINT64_MAX || e->offset <= (in_content ? MAX_BYTES : input->n));
}

void fuzz_same(const struct apf_buffer *a, const struct apf_buffer *b)
{
    REQUIRE(a->n == b->n);
    REQUIRE(a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

/* ---- reading ---- */

/* Reads every byte that a record shows. */
static uint64_t touch(const struct apf_record *r)
{
    uint64_t sum = r->hash ^ r->id ^ r->timestamp;
    for (size_t i = 0; i < r->name.n; i++)
        sum += (unsigned char)r->name.p[i];
    for (size_t i = 0; i < r->n_counts; i++)
        sum += r->counts[i];
    for (size_t i = 0; i < r->n_bitmap; i++)
        sum += r->bitmap[i];
    for (size_t i = 0; i < r->n_uniform; i++)
        sum += r->uniform[i];
    for (size_t i = 0; i < r->n_uniformity; i++)
        sum += r->uniformity[i];
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (size_t s = 0; s < r->n_sites[k]; s++)
            for (size_t v = 0; v < r->sites[k][s].n; v++)
                sum += r->sites[k][s].values[v].value + r->sites[k][s].values[v].count;
    return sum;
}

static uint64_t sum_strings(const struct apf_str *strings, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < strings[i].n; k++)
            sum += (unsigned char)strings[i].p[k];
    return sum;
}

static uint64_t look_at_info(struct apf_instr *p)
{
    const struct apf_instr_info *info = apf_instr_info(p);
    uint64_t sum = sum_strings(info->binary_ids, info->n_binary_ids) +
                   sum_strings(info->vtable_names, info->n_vtable_names);
    for (size_t t = 0; t < info->n_traces; t++)
        for (size_t i = 0; i < info->traces[t].n; i++)
            sum += apf_instr_name(p, info->traces[t].ids[i]).n;
    for (enum apf_summary_scope scope = APF_SUMMARY_ALL; scope <= APF_SUMMARY_CS; scope++) {
        const struct apf_summary *summary = NULL;
        REQUIRE(apf_instr_summary(p, scope, &summary, NULL) == APF_OK && summary);
    }
    return sum;
}

static uint64_t look_at_records(struct apf_instr *p)
{
    const struct apf_instr_info *info = apf_instr_info(p);
    struct apf_record r = {.size = sizeof r}, again = {.size = sizeof again};
    uint64_t records = 0, counters = 0, sum = 0;
    int code;
    for (; (code = apf_instr_record(p, records, &r, NULL)) == APF_OK; records++) {
        sum += touch(&r);
        counters += r.n_counts;
        REQUIRE(r.n_counts > 0);
        if (r.name.n)
            REQUIRE(apf_instr_find(p, r.name, r.hash, &again, NULL) == APF_OK);
    }
    REQUIRE(code == APF_END && records == info->n_records && counters == info->n_counters);
    return sum;
}

/* Writes a profile as text in every style. */
static void write_text(struct apf_instr *p)
{
    static const uint32_t styles[] = {0, APF_WRITE_SPARSE | APF_WRITE_VTABLE_NAMES};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct apf_write_options o = {0};
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&buffer);
        o.size = sizeof o;
        o.format = APF_FORMAT_TEXT;
        o.flags = styles[i];
        REQUIRE(apf_instr_write_text(p, &o, &output, NULL) == APF_OK);
        apf_buffer_free(&buffer);
    }
}

/* Prints the profile in several ways. */
static void show(struct apf_instr *p)
{
    static const uint32_t cutoffs[] = {4000000000u, 990000, 7};
    const uint32_t text = APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_ALL_FUNCTIONS;
    const uint32_t others =
        APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_COVERED | APF_INSTR_PRINT_BELOW_CUTOFF | APF_INSTR_PRINT_CS;
    const uint32_t all = (2 * APF_INSTR_PRINT_TRACES - 1) & ~others;
    const uint32_t ways[] = {all,
                             all | APF_INSTR_PRINT_CS,
                             text,
                             text | APF_INSTR_PRINT_CS,
                             APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_COVERED,
                             APF_INSTR_PRINT_TEXT | APF_INSTR_PRINT_BELOW_CUTOFF};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct apf_instr_print_options o = {.size = sizeof o, .flags = ways[i], .topn = 3, .value_cutoff = i};
        struct apf_buffer buffer = {NULL, 0, 0};
        struct apf_output output = apf_output_buffer(&buffer);
        o.cutoffs = cutoffs;
        o.n_cutoffs = i % 2 ? sizeof cutoffs / sizeof *cutoffs : 0;
        o.function.p = "o";
        o.function.n = 1;
        REQUIRE(apf_instr_print(p, &o, &output, NULL) == APF_OK);
        apf_buffer_free(&buffer);
    }
}

/* Opens a profile and reads all of it. */
static int open_file(const void *data, size_t n)
{
    uint64_t findings = 0;
    struct apf_options o = fuzz_options(&findings);
    struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_error error;
    struct apf_instr *p;
    int code = apf_instr_open(&p, &input, &o, &error);
    REQUIRE(findings <= FINDINGS_ANYWAY || apf_file_is_partial(&input));
    if (code != APF_OK) {
        REQUIRE(!p);
        fuzz_check_error(code, &error, &input);
        return code;
    }
    volatile uint64_t sum = look_at_records(p) + look_at_info(p);
    (void)sum;
    write_text(p);
    show(p);
    fuzz_check_exports(fuzz_export_instr, p);
    apf_instr_close(p);
    return APF_OK;
}

/* ---- merging ---- */

static struct apf_write_options options_for(uint32_t version)
{
    struct apf_write_options w = {0};
    w.size = sizeof w;
    w.format = version ? APF_FORMAT_INDEXED : APF_FORMAT_TEXT;
    w.target.kind = APF_TARGET_INDEXED;
    w.target.version = version;
    return w;
}

/* *renamed is set to the number of names that were written differently. */
static int merge_and_write(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads,
                           uint32_t version, struct apf_buffer *out, uint64_t *renamed)
{
    struct apf_merge_options o = {.tolerance = &any_loss};
    struct apf_write_options w = options_for(version);
    struct apf_output output = apf_output_buffer(out);
    struct apf_merge *m;
    uint64_t findings = 0, records = 0;
    o.size = sizeof o;
    struct apf_options common = fuzz_options(&findings);
    o.options = &common;
    common.threads = threads;
    o.flags = flags;
    REQUIRE(apf_merge_new(&m, &o, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, inputs, n, NULL) == APF_OK);
    for (size_t i = 0; i < n; i++) {
        const struct apf_input_result *r = apf_merge_input(m, i);
        records += r->n_records;
        if (r->code != APF_OK)
            fuzz_check_error(r->code, r->error, &inputs[i]);
    }
    int first = n ? apf_merge_input(m, 0)->code : APF_OK;
    int code = apf_merge_write(m, &w, &output, NULL);
    REQUIRE(code == APF_OK || (code == APF_NOT_REPRESENTABLE && out->n == 0));
    REQUIRE(findings <= records + n * FINDINGS_ANYWAY);
    *renamed = apf_merge_stats(m)->renamed;
    apf_merge_free(m);
    return first;
}

int fuzz_merge(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads, uint32_t version,
               struct apf_buffer *out)
{
    uint64_t renamed;
    return merge_and_write(inputs, n, flags, threads, version, out, &renamed);
}

/* ---- writing and reading again ---- */

static unsigned kinds_of(uint32_t version)
{
    return version == 0 ? APF_VALUE_KINDS
                        : (version >= FIRST_WITH_CALLS) + (version >= FIRST_WITH_SIZES) +
                              (version >= FIRST_WITH_VTABLES);
}

/* Targets of one name in `a` are one target in `b`, with the sum of their counts. */
static void compare_united(const struct apf_site *a, const struct apf_site *b)
{
    uint64_t before = 0, after = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (a->values[i].count > UINT64_MAX - before)
            return; /* the values may have been cut */
        before += a->values[i].count;
    }
    for (size_t i = 0; i < b->n; i++)
        after += b->values[i].count;
    REQUIRE(before == after);
}

static void compare_site(const struct apf_site *a, const struct apf_site *b, bool same_targets)
{
    if (!same_targets && b->n < a->n) {
        compare_united(a, b);
        return;
    }
    REQUIRE(a->n == b->n);
    for (size_t i = 0; i < a->n; i++) {
        REQUIRE(a->values[i].count == b->values[i].count);
        REQUIRE(a->values[i].value == b->values[i].value || !same_targets);
    }
}

static void compare_record(const struct apf_record *a, const struct apf_record *b, uint32_t version,
                           bool same_targets)
{
    REQUIRE(a->n_counts == b->n_counts);
    REQUIRE(memcmp(a->counts, b->counts, a->n_counts * sizeof *a->counts) == 0);
    if (version == 0 || version >= FIRST_WITH_BITMAPS) {
        REQUIRE(a->n_bitmap == b->n_bitmap);
        REQUIRE(a->n_bitmap == 0 || memcmp(a->bitmap, b->bitmap, a->n_bitmap) == 0);
    }
    for (unsigned k = 0; k < kinds_of(version); k++) {
        REQUIRE(a->n_sites[k] == b->n_sites[k]);
        for (size_t i = 0; i < a->n_sites[k]; i++)
            compare_site(&a->sites[k][i], &b->sites[k][i], same_targets || k == APF_VALUE_MEMOP_SIZE);
    }
}

/* Requires that the file has every record of the sum, and no other. */
static void compare_profile(struct apf_instr *view, const struct apf_buffer *written, uint32_t version)
{
    struct apf_options o = fuzz_options(NULL);
    struct apf_input input = apf_input_memory(written->data, written->n, "written");
    struct apf_instr *again = NULL;
    struct apf_record a = {.size = sizeof a}, b = {.size = sizeof b};
    /* Text has no targets without a name; in IR profiles, local names have the separator of the version. */
    bool same_targets = version != 0 && !(apf_instr_info(view)->variant & APF_VARIANT_IR);
    REQUIRE(apf_instr_open(&again, &input, &o, NULL) == APF_OK);
    REQUIRE(apf_instr_info(view)->n_records == apf_instr_info(again)->n_records);
    for (size_t i = 0; apf_instr_record(view, i, &a, NULL) == APF_OK; i++) {
        REQUIRE(apf_instr_find(again, a.name, a.hash, &b, NULL) == APF_OK);
        compare_record(&a, &b, version, same_targets);
    }
    apf_instr_close(again);
}

/* In indexed files records of one name and names of one bucket may change places, as they do in LLVM's. */
static void same_as_text(const struct apf_buffer *first, const struct apf_buffer *second)
{
    struct apf_buffer texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    const struct apf_input inputs[2] = {apf_input_memory(first->data, first->n, "first"),
                                        apf_input_memory(second->data, second->n, "second")};
    REQUIRE(first->n == second->n);
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(fuzz_merge(&inputs[i], 1, 0, 1, 0, &texts[i]) == APF_OK);
    fuzz_same(&texts[0], &texts[1]);
    for (unsigned i = 0; i < 2; i++)
        apf_buffer_free(&texts[i]);
}

static void write_again(const struct apf_buffer *first, uint32_t version)
{
    struct apf_input input = apf_input_memory(first->data, first->n, "written");
    struct apf_buffer second = {NULL, 0, 0};
    uint64_t renamed;
    REQUIRE(merge_and_write(&input, 1, 0, 1, version, &second, &renamed) == APF_OK);
    /* A name such as "a;b;c::d" has several separators; so it is not local for targets whose separator is a colon,
     * before or after ";" was replaced. */
    if (!renamed && version)
        same_as_text(first, &second);
    else if (!renamed)
        fuzz_same(first, &second);
    apf_buffer_free(&second);
}

void fuzz_check_written(struct apf_merge *m, uint32_t version)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&out);
    struct apf_write_options w = options_for(version);
    struct apf_instr *view = NULL;
    int code = apf_merge_write(m, &w, &output, NULL);
    struct apf_merge_stats s = *apf_merge_stats(m);
    REQUIRE(code == APF_OK || code == APF_NOT_REPRESENTABLE);
    if (code == APF_OK && out.n) {
        REQUIRE(apf_merge_view(m, &view, NULL) == APF_OK);
        if (version || !apf_instr_info(view)->n_traces) /* text loses unknown functions of traces */
            write_again(&out, version);
        /* Renamed functions are found under their new names only. */
        if (!s.renamed && !s.dropped_records)
            compare_profile(view, &out, version);
    }
    apf_buffer_free(&out);
}

/* ---- through JSON ---- */

static void write_json(const void *data, size_t n, struct apf_buffer *out)
{
    struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_output output = apf_output_buffer(out);
    struct apf_options o = fuzz_options(NULL);
    struct apf_instr *p = NULL;
    REQUIRE(apf_instr_open(&p, &input, &o, NULL) == APF_OK);
    REQUIRE(apf_instr_write_json(p, &output, NULL) == APF_OK);
    apf_instr_close(p);
}

void fuzz_check_json(const void *data, size_t n, uint32_t version)
{
    struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0}, direct = {NULL, 0, 0},
                      through = {NULL, 0, 0};
    write_json(data, n, &first);
    write_json(first.data, first.n, &second);
    fuzz_same(&first, &second);
    struct apf_input input = apf_input_memory(data, n, "fuzz"),
                     json = apf_input_memory(first.data, first.n, "json");
    int code = fuzz_merge(&input, 1, 0, 1, version, &direct);
    REQUIRE(fuzz_merge(&json, 1, 0, 1, version, &through) == code);
    fuzz_same(&direct, &through);
    apf_buffer_free(&first);
    apf_buffer_free(&second);
    apf_buffer_free(&direct);
    apf_buffer_free(&through);
}

/* ---- one file ---- */

/* Merges the file several times, with two threads or one, by the fast path or the general one. */
static void merge_often(const void *data, size_t n, uint32_t version)
{
    struct apf_input one = apf_input_memory(data, n, "fuzz"), inputs[3] = {one, one, one};
    struct apf_buffer reference = {NULL, 0, 0}, other = {NULL, 0, 0};
    int code = fuzz_merge(inputs, 3, APF_MERGE_GENERAL, 1, version, &reference);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        REQUIRE(fuzz_merge(inputs, 3, 0, threads, version, &other) == code);
        fuzz_same(&reference, &other);
        apf_buffer_free(&other);
    }
    apf_buffer_free(&reference);
}

static void write_file(const void *data, size_t n, int opened, uint32_t version)
{
    struct apf_input input = apf_input_memory(data, n, "fuzz");
    struct apf_merge_options o = {.tolerance = &any_loss};
    struct apf_merge *m = NULL;
    o.size = sizeof o;
    struct apf_options common = fuzz_options(NULL);
    o.options = &common;
    REQUIRE(apf_merge_new(&m, &o, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, &input, 1, NULL) == APF_OK);
    /* A partial profile stands for its inputs, of which only the first has to be lost. */
    const struct apf_input_result *r = apf_merge_input(m, 0);
    REQUIRE(r->code == opened || (apf_file_is_partial(&input) && opened == APF_OK));
    if (opened == APF_OK)
        fuzz_check_written(m, version);
    apf_merge_free(m);
}

int fuzz_file(const void *data, size_t n)
{
    const uint8_t *bytes = (const uint8_t *)data;
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + bytes[i];
    int code = open_file(data, n);
    uint32_t version = sum % FUZZ_VERSIONS;
    write_file(data, n, code, version);
    if (sum / FUZZ_VERSIONS % 8 == 0) /* rarely, since threads are slow to start */
        merge_often(data, n, version);
    return code;
}
