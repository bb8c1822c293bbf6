/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * sweep [-f FLIPS] [-s SEED] FILE...: every file cut short everywhere (large ones: at every 16th byte, and around the
 * borders of their sections), and with FLIPS random changes of each kind. Whatever is read must not crash, must not
 * take much memory, and must leave an error that says something; a refused input must not change a merge, and a raw
 * or indexed file that was cut must not be read as one with other counts. Prints one line for each file.
 *
 * anyprof-link-options: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/anyprof.h>

#include "helpers/memory_meter.h"
#include "helpers/shared/unit.h"

#define SMALL_FILE ((size_t)4096)  /* cut at every length */
#define LARGE_STEP ((size_t)16)    /* larger ones: at multiples of this, */
#define NEAR ((size_t)9)           /* and so far around section borders */
#define MERGE_STEP 4u              /* how many are opened for one that is merged */
#define MEMORY_FACTOR ((size_t)64) /* the memory that may be in use at a time: so often the files' sizes, */
#define MEMORY_ANYWAY                                                                                        \
    ((size_t)64 << 20) /* and this: a merge has three arenas, whose large chunks are mostly never touched */
#define INDEXED_VERSIONS 14u
#define MOST_FAILURES 20u

/* ---- what is being done ---- */

struct bytes {
    uint8_t *p;
    size_t n;
};

/* What a merge of the intact file alone gives. */
struct result {
    struct apf_buffer text, indexed[INDEXED_VERSIONS];
};

struct sweep {
    const char *path;
    struct bytes intact;
    struct apf_instr *profile; /* the intact file */
    struct result alone;
    uint64_t random;
    const char *what; /* the change at hand ... */
    size_t at, length;
    size_t opened, refused, merged, most_memory;
    unsigned failures;
};

static void bad(struct sweep *s, const char *why, uint64_t found, uint64_t expected)
{
    if (s->failures++ < MOST_FAILURES)
        printf("FAILED: %s, %s at %zu (%zu): %s: %llu, %llu\n", s->path, s->what, s->at, s->length, why,
               (unsigned long long)found, (unsigned long long)expected);
}

/* ---- checks ---- */

static void check_error(struct sweep *s, int code, const struct apf_error *e, size_t size)
{
    if (code < 10 || e->code != code)
        bad(s, "code of the error", (uint64_t)(unsigned)e->code, (uint64_t)(unsigned)code);
    if (code == APF_NO_MEMORY || code == APF_ARGUMENT || code == APF_IO)
        bad(s, "not an error of a file", (uint64_t)(unsigned)code, 0);
    if (!e->where)
        bad(s, "no place", 0, 0);
    if (!memchr(e->message, 0, sizeof e->message) || !e->message[0])
        bad(s, "no message", 0, 0);
    /* Of a compressed file the place may be one in what it unpacks to. */
    bool packed = s->intact.n && (s->intact.p[0] == 0x1f || s->intact.p[0] == 0x28);
    bool inside = packed && strncmp(e->where, "gzip.", 5) != 0 && strncmp(e->where, "zstd.", 5) != 0;
    if (e->offset != UINT64_MAX && e->offset > size && !inside)
        bad(s, e->where ? e->where : "offset past the end", e->offset, size);
}

static void check_memory(struct sweep *s, size_t before, size_t size)
{
    size_t used = memory_most - before;
    if (used > s->most_memory)
        s->most_memory = used;
    if (used > MEMORY_FACTOR * size + MEMORY_ANYWAY)
        bad(s, "memory", used, MEMORY_FACTOR * size + MEMORY_ANYWAY);
}

static uint64_t sum_bytes(const void *p, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ((const uint8_t *)p)[i];
    return sum;
}

/* Looks at everything a record points to. */
static uint64_t walk_record(const struct apf_record *r)
{
    uint64_t sum = r->id + r->hash + r->timestamp + r->offset + sum_bytes(r->name.p, r->name.n);
    for (size_t i = 0; i < r->n_counts; i++)
        sum += r->counts[i];
    sum += sum_bytes(r->bitmap, r->n_bitmap) + sum_bytes(r->uniformity, r->n_uniformity);
    for (size_t i = 0; i < r->n_uniform; i++)
        sum += r->uniform[i];
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (size_t i = 0; i < r->n_sites[k]; i++)
            for (size_t v = 0; v < r->sites[k][i].n; v++)
                sum += r->sites[k][i].values[v].value ^ r->sites[k][i].values[v].count;
    return sum;
}

static uint64_t walk_info(struct apf_instr *instr)
{
    const struct apf_instr_info *info = apf_instr_info(instr);
    uint64_t sum = info->variant;
    for (size_t i = 0; i < info->n_binary_ids; i++)
        sum += sum_bytes(info->binary_ids[i].p, info->binary_ids[i].n);
    for (size_t i = 0; i < info->n_vtable_names; i++)
        sum += sum_bytes(info->vtable_names[i].p, info->vtable_names[i].n);
    for (size_t i = 0; i < info->n_traces; i++)
        for (size_t k = 0; k < info->traces[i].n; k++)
            sum += apf_instr_name(instr, info->traces[i].ids[k]).n;
    return sum;
}

static bool same_counts(const struct apf_record *a, const struct apf_record *b)
{
    return a->id == b->id && a->hash == b->hash && a->n_counts == b->n_counts && a->n_bitmap == b->n_bitmap &&
           memcmp(a->counts, b->counts, a->n_counts * sizeof *a->counts) == 0 &&
           (a->n_bitmap == 0 || memcmp(a->bitmap, b->bitmap, a->n_bitmap) == 0);
}

/* A part of a file was accepted: it has the same counts as the whole, or the first profiles of several. */
static void check_part(struct sweep *s, struct apf_instr *part)
{
    const struct apf_instr_info *now = apf_instr_info(part), *all = apf_instr_info(s->profile);
    struct apf_record x = {.size = sizeof x}, y = {.size = sizeof y};
    if (now->n_records > all->n_records ||
        (now->n_records < all->n_records && now->n_profiles == all->n_profiles))
        bad(s, "a part was read as a whole: records", now->n_records, all->n_records);
    for (size_t i = 0;
         apf_instr_record(part, i, &x, NULL) == APF_OK && apf_instr_record(s->profile, i, &y, NULL) == APF_OK;
         i++)
        if (!same_counts(&x, &y)) {
            bad(s, "a part was read as a whole: other counts", x.id, y.id);
            break;
        }
}

/* Opens bytes and looks at everything. True when they were accepted. */
static bool try_open(struct sweep *s, struct bytes b, bool part)
{
    struct apf_input input = apf_input_memory(b.p, b.n, NULL);
    struct apf_instr *instr = NULL;
    struct apf_record r = {.size = sizeof r};
    const struct apf_summary *summary = NULL;
    struct apf_error error;
    uint64_t sum = 0;
    size_t before = memory_now;
    memory_most = memory_now;
    s->opened++;
    int code = apf_instr_open(&instr, &input, NULL, &error);
    if (code != APF_OK) {
        s->refused++;
        check_error(s, code, &error, b.n);
        if (instr)
            bad(s, "a handle in spite of an error", 0, 0);
    } else {
        sum += walk_info(instr);
        for (size_t i = 0; apf_instr_record(instr, i, &r, &error) == APF_OK; i++)
            sum += walk_record(&r) + apf_instr_name(instr, r.id).n;
        if (apf_instr_summary(instr, APF_SUMMARY_ALL, &summary, &error) != APF_OK)
            bad(s, "no summary", 0, 0);
        if (part && apf_instr_info(instr)->format != APF_FORMAT_TEXT)
            check_part(s, instr);
    }
    check_memory(s, before, b.n);
    apf_instr_close(instr);
    if (memory_now != before)
        bad(s, "memory that was not freed", memory_now - before, 0);
    volatile uint64_t keep = sum;
    (void)keep;
    return code == APF_OK;
}

/* ---- merging ---- */

static void write_merge(struct sweep *s, struct apf_merge *m, int format, unsigned version,
                        struct apf_buffer *out)
{
    struct apf_write_options options = {sizeof options,  format, APF_WRITE_VTABLE_NAMES,
                                        {2, 0, version}, 0,      0};
    struct apf_output output = apf_output_buffer(out);
    struct apf_error error;
    int code = apf_merge_write(m, &options, &output, &error);
    if (code != APF_OK)
        bad(s, error.message, (uint64_t)(unsigned)code, 0);
}

static void check_same(struct sweep *s, const char *what, const struct apf_buffer *a,
                       const struct apf_buffer *b)
{
    if (a->n != b->n || (a->n && memcmp(a->data, b->data, a->n) != 0))
        bad(s, what, a->n, b->n);
}

/* What was written must be read again. */
static void check_readable(struct sweep *s, const char *what, const struct apf_buffer *b)
{
    struct apf_input input = apf_input_memory(b->data, b->n, NULL);
    struct apf_instr *instr = NULL;
    struct apf_error error;
    if (b->n && apf_instr_open(&instr, &input, NULL, &error) != APF_OK) {
        bad(s, what, b->n, error.offset);
        printf("    %s\n", error.message);
    }
    apf_instr_close(instr);
}

/* Adds the changed file to the intact one. Refused, it must leave no trace in the result. */
static void try_merge(struct sweep *s, struct bytes b, bool accepted)
{
    struct apf_input inputs[2] = {apf_input_memory(s->intact.p, s->intact.n, NULL),
                                  apf_input_memory(b.p, b.n, NULL)};
    unsigned version = 1 + (unsigned)(next_random(&s->random) % INDEXED_VERSIONS);
    unsigned first = (unsigned)(next_random(&s->random) % 2); /* which one comes first */
    struct apf_merge_options options = {
        .size = sizeof options,
        .tolerance = &(struct apf_tolerance){APF_FAIL_WARN, 0},
        .options = &(struct apf_options){.size = sizeof(struct apf_options), .threads = 1}};
    struct apf_buffer text = {NULL, 0, 0}, indexed = {NULL, 0, 0};
    struct apf_merge *m = NULL;
    struct apf_error error;
    size_t before = memory_now;
    memory_most = memory_now;
    s->merged++;
    if (first) {
        struct apf_input swap = inputs[0];
        inputs[0] = inputs[1];
        inputs[1] = swap;
    }
    if (apf_merge_new(&m, &options, &error) != APF_OK || apf_merge_add(m, inputs, 2, &error) != APF_OK) {
        bad(s, error.message, 0, 0);
        apf_merge_free(m);
        return;
    }
    const struct apf_input_result *r = apf_merge_input(m, 1 - first);
    bool refused =
        r->code == APF_LEVEL_CONFLICT || r->code == APF_COVERAGE_CONFLICT || r->code == APF_ENTRY_CONFLICT;
    if ((r->code == APF_OK) != accepted && !refused)
        bad(s, "merged, but not opened, or the other way round", (uint64_t)(unsigned)r->code, accepted);
    if (r->code != APF_OK)
        check_error(s, r->code, r->error, b.n);
    write_merge(s, m, APF_FORMAT_TEXT, 0, &text);
    write_merge(s, m, APF_FORMAT_INDEXED, version, &indexed);
    check_memory(s, before, b.n + s->intact.n);
    check_readable(s, "the text is not read again", &text);
    check_readable(s, "the indexed file is not read again", &indexed);
    if (r->code != APF_OK && apf_merge_input(m, first)->code == APF_OK) {
        check_same(s, "a refused input changed the text", &text, &s->alone.text);
        check_same(s, "a refused input changed the indexed file", &indexed, &s->alone.indexed[version - 1]);
    }
    apf_merge_free(m);
    apf_buffer_free(&text);
    apf_buffer_free(&indexed);
}

static bool merge_alone(struct sweep *s)
{
    struct apf_input input = apf_input_memory(s->intact.p, s->intact.n, NULL);
    struct apf_merge *m = NULL;
    struct apf_tolerance none = {APF_FAIL_ANY, 0};
    bool ok = apf_merge_new(&m, NULL, NULL) == APF_OK && apf_merge_add(m, &input, 1, NULL) == APF_OK &&
              apf_merge_verdict(m, &none) == APF_OK;
    if (ok)
        write_merge(s, m, APF_FORMAT_TEXT, 0, &s->alone.text);
    for (unsigned v = 1; ok && v <= INDEXED_VERSIONS; v++)
        write_merge(s, m, APF_FORMAT_INDEXED, v, &s->alone.indexed[v - 1]);
    apf_merge_free(m);
    return ok;
}

/* ---- changes ---- */

/* Bytes in a block of exactly their size, so that AddressSanitizer sees a read past them. */
static struct bytes copy_of(const uint8_t *p, size_t n)
{
    struct bytes b = {__real_malloc(n ? n : 1), n};
    if (!b.p) {
        perror("sweep");
        exit(2);
    }
    if (n)
        memcpy(b.p, p, n);
    return b;
}

static void try_bytes(struct sweep *s, struct bytes b, bool part)
{
    bool accepted = try_open(s, b, part && s->profile);
    if (s->opened % MERGE_STEP == 0 && s->profile)
        try_merge(s, b, accepted);
    __real_free(b.p);
}

static bool near_border(const struct sweep *s, size_t n)
{
    /* Sections begin where words of the header say, or after each other: a border is where a run of zeros ends,
     * or any multiple of 8 in the first KB. */
    if (n < 1024 && n % 8 <= 1)
        return true;
    for (size_t i = n > NEAR ? n - NEAR : 0; i < n + NEAR && i + 9 < s->intact.n; i++)
        if (!s->intact.p[i] && s->intact.p[i + 1] && !s->intact.p[i + 9])
            return true;
    return n + 2 * NEAR > s->intact.n;
}

static void sweep_prefixes(struct sweep *s)
{
    s->what = "cut";
    s->length = 0;
    for (size_t n = 0; n < s->intact.n; n++) {
        if (s->intact.n >= SMALL_FILE && n % LARGE_STEP && !near_border(s, n))
            continue;
        s->at = n;
        try_bytes(s, copy_of(s->intact.p, n), true);
    }
}

/* Values that counts and sizes do not like. */
static const uint64_t odd_values[] = {0,
                                      1,
                                      7,
                                      8,
                                      255,
                                      256,
                                      65535,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      (uint64_t)1 << 32,
                                      (uint64_t)1 << 40,
                                      UINT64_MAX / 8 + 1,
                                      (uint64_t)1 << 63,
                                      UINT64_MAX - 7,
                                      UINT64_MAX};

static void change_bytes(struct sweep *s, size_t length)
{
    struct bytes b = copy_of(s->intact.p, s->intact.n);
    size_t n = length < b.n ? length : b.n;
    s->at = (size_t)(next_random(&s->random) % (b.n - n + 1));
    s->length = n;
    if (n == 8 && s->at % 8 && b.n >= 16)
        s->at -= s->at % 8;
    uint64_t odd = odd_values[next_random(&s->random) % (sizeof odd_values / sizeof *odd_values)];
    if (next_random(&s->random) % 4 == 0)
        odd = next_random(&s->random);
    for (size_t i = 0; i < n; i++)
        b.p[s->at + i] = (uint8_t)(odd >> 8 * (i % 8));
    try_bytes(s, b, false);
}

static void flip_bits(struct sweep *s)
{
    struct bytes b = copy_of(s->intact.p, s->intact.n);
    size_t times = 1 + (size_t)(next_random(&s->random) % 3);
    for (size_t i = 0; i < times; i++) {
        s->at = (size_t)(next_random(&s->random) % b.n);
        b.p[s->at] ^= (uint8_t)(1u << next_random(&s->random) % 8);
    }
    s->length = times;
    try_bytes(s, b, false);
}

/* Takes a range out, or puts one in that is a copy of another. */
static void move_range(struct sweep *s, bool insert)
{
    size_t size = s->intact.n, most = size < 64 ? size : 64;
    size_t n = 1 + (size_t)(next_random(&s->random) % most);
    s->at = (size_t)(next_random(&s->random) % (size - n + 1));
    s->length = n;
    struct bytes b = {NULL, insert ? size + n : size - n};
    uint8_t *whole = __real_malloc(size + n);
    if (!whole) {
        perror("sweep");
        exit(2);
    }
    memcpy(whole, s->intact.p, s->at);
    if (insert) {
        size_t from = (size_t)(next_random(&s->random) % (size - n + 1));
        memcpy(whole + s->at, s->intact.p + from, n);
        memcpy(whole + s->at + n, s->intact.p + s->at, size - s->at);
    } else {
        memcpy(whole + s->at, s->intact.p + s->at + n, size - s->at - n);
    }
    b = copy_of(whole, b.n);
    __real_free(whole);
    try_bytes(s, b, false);
}

static void sweep_changes(struct sweep *s, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        s->what = "bits flipped";
        flip_bits(s);
        s->what = "word changed";
        change_bytes(s, 8);
        s->what = "half word changed";
        change_bytes(s, 4);
        s->what = "byte changed";
        change_bytes(s, 1 + (size_t)(next_random(&s->random) % 2));
        s->what = "range taken out";
        move_range(s, false);
        s->what = "range put in";
        move_range(s, true);
    }
}

/* ---- files ---- */

static struct bytes read_file(const char *path)
{
    struct bytes b = {NULL, 0};
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size > 0 && fseek(file, 0, SEEK_SET) == 0) {
        b.p = __real_malloc((size_t)size);
        b.n = b.p ? fread(b.p, 1, (size_t)size, file) : 0;
    }
    if (file)
        fclose(file);
    if (size <= 0 || b.n != (size_t)size) {
        perror(path);
        exit(2);
    }
    return b;
}

static unsigned sweep_file(const char *path, size_t times, uint64_t seed)
{
    struct sweep s = {.path = path, .intact = read_file(path), .random = seed, .what = "intact"};
    struct apf_input input = apf_input_memory(s.intact.p, s.intact.n, NULL);
    struct apf_error error = {0};
    /* What is no profile as it is (damaged, or without its metadata) is only opened. */
    if (apf_instr_open(&s.profile, &input, NULL, &error) != APF_OK)
        check_error(&s, error.code, &error, s.intact.n);
    else if (!merge_alone(&s))
        bad(&s, "cannot be merged", 0, 0);
    sweep_prefixes(&s);
    sweep_changes(&s, times);
    printf("%s: %zu bytes, %zu opened, %zu refused, %zu merged, at most %zu KB in use, %u failures\n", path,
           s.intact.n, s.opened, s.refused, s.merged, s.most_memory >> 10, s.failures);
    apf_instr_close(s.profile);
    apf_buffer_free(&s.alone.text);
    for (unsigned v = 0; v < INDEXED_VERSIONS; v++)
        apf_buffer_free(&s.alone.indexed[v]);
    __real_free(s.intact.p);
    return s.failures;
}

int main(int argc, char **argv)
{
    size_t times = 100;
    uint64_t seed = 1;
    unsigned failures = 0;
    for (int option; (option = getopt(argc, argv, "f:s:")) != -1;) {
        if (option == '?')
            return 2;
        unsigned long long n = strtoull(optarg, NULL, 10);
        if (option == 'f')
            times = (size_t)n;
        else
            seed = n;
    }
    for (int i = optind; i < argc; i++)
        failures += sweep_file(argv[i], times, seed);
    return failures || optind == argc;
}
