/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * sweep_commands [-c CUTS] [-f CHANGES] [-s SEED] FILE...: what show, convert, lookup, overlap, diff, order, info and
 * check do with profiles that are cut off or changed. Each file is cut CUTS times and changed CHANGES times at random.
 * Whatever comes of it must not crash, and must not take much memory; it has an error that says something, or it can be
 * described in every way, goes through JSON unchanged, and does not differ from itself. What can be read has no finding
 * that it cannot; what cannot has one. Prints one line for each file.
 *
 * anyprof-link-options: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/anyprof.h>
#include <anyprof/compare.h>
#include <anyprof/jobs.h>
#include <anyprof/lookup.h>

#include "helpers/memory_meter.h"
#include "helpers/shared/unit.h"

#define MEMORY_FACTOR                                                                                        \
    ((size_t)256) /* texts are longer than what they say: JSON of counters of a byte, traces */
#define MEMORY_ANYWAY ((size_t)96 << 20)
#define MOST_NAMES 50u
#define MOST_FAILURES 20u

/* ---- what is being done ---- */

struct bytes {
    uint8_t *p;
    size_t n;
};

struct sweep {
    const char *path;
    struct bytes intact;
    struct apf_instr *profile; /* the intact file */
    uint64_t random;
    const char *what; /* the change at hand ... */
    size_t at;
    size_t tried, refused, found;
    unsigned failures;
};

static void bad(struct sweep *s, const char *why, uint64_t found, uint64_t expected)
{
    if (s->failures++ < MOST_FAILURES)
        printf("FAILED: %s, %s at %zu: %s: %llu, %llu\n", s->path, s->what, s->at, why,
               (unsigned long long)found, (unsigned long long)expected);
}

/* An error that says enough; memory is never out here, and no argument is wrong. */
static void check_error(struct sweep *s, int code, const struct apf_error *e)
{
    if (code < 10 || e->code != code || code == APF_NO_MEMORY || code == APF_ARGUMENT || code == APF_IO)
        bad(s, "code of the error", (uint64_t)(unsigned)e->code, (uint64_t)(unsigned)code);
    if (!e->where || !*e->where || !memchr(e->message, 0, sizeof e->message) || !*e->message)
        bad(s, "no place or no message", (uint64_t)(unsigned)code, 0);
}

static void good(struct sweep *s, const char *what, int code)
{
    if (code != APF_OK)
        bad(s, what, (uint64_t)(unsigned)code, APF_OK);
}

/* A buffer as an output: { {0}, {..., &out.bytes} } begun by begin_text. */
struct text {
    struct apf_buffer bytes;
    struct apf_output output;
};

static void begin_text(struct text *t)
{
    memset(t, 0, sizeof *t);
    t->output = apf_output_buffer(&t->bytes);
}

/* ---- the commands ---- */

static void show(struct sweep *s, struct apf_instr *instr)
{
    static const uint32_t ways[] = {
        APF_INSTR_PRINT_ALL_FUNCTIONS | APF_INSTR_PRINT_COUNTS | APF_INSTR_PRINT_IC_TARGETS |
            APF_INSTR_PRINT_VTABLES | APF_INSTR_PRINT_MEMOP_SIZES | APF_INSTR_PRINT_DETAILED_SUMMARY |
            APF_INSTR_PRINT_HOT_FUNCTIONS | APF_INSTR_PRINT_BINARY_IDS | APF_INSTR_PRINT_VERSION |
            APF_INSTR_PRINT_TRACES,
        APF_INSTR_PRINT_ALL_FUNCTIONS | APF_INSTR_PRINT_TEXT, APF_INSTR_PRINT_COVERED,
        APF_INSTR_PRINT_CS | APF_INSTR_PRINT_ALL_FUNCTIONS};
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct apf_instr_print_options options = {.size = sizeof options, .flags = ways[i], .topn = 5};
        struct text t;
        begin_text(&t);
        good(s, "show", apf_instr_print(instr, &options, &t.output, NULL));
        apf_buffer_free(&t.bytes);
    }
    if (apf_instr_memprof(instr)) {
        struct text t;
        begin_text(&t);
        good(s, "show --memory", apf_memprof_print(apf_instr_memprof(instr), &t.output, NULL));
        apf_buffer_free(&t.bytes);
    }
}

/* The same JSON comes of what is read of it. */
static void convert(struct sweep *s, struct apf_instr *instr)
{
    struct text first, second;
    struct apf_instr *back = NULL;
    struct apf_error error;
    begin_text(&first);
    begin_text(&second);
    good(s, "JSON", apf_instr_write_json(instr, &first.output, NULL));
    struct apf_input input = apf_input_memory(first.bytes.data, first.bytes.n, "json");
    int code = apf_instr_open(&back, &input, NULL, &error);
    if (code != APF_OK) {
        bad(s, error.message, (uint64_t)(unsigned)code, 0);
    } else {
        good(s, "JSON of JSON", apf_instr_write_json(back, &second.output, NULL));
        if (first.bytes.n != second.bytes.n ||
            memcmp(first.bytes.data, second.bytes.data, first.bytes.n) != 0)
            bad(s, "other JSON", second.bytes.n, first.bytes.n);
    }
    apf_instr_close(back);
    apf_buffer_free(&first.bytes);
    apf_buffer_free(&second.bytes);
}

static void overlap(struct sweep *s, struct apf_instr *a, struct apf_instr *b)
{
    struct apf_overlap_options options = {.size = sizeof options};
    struct apf_overlap found = {.size = sizeof found};
    struct text t;
    begin_text(&t);
    good(s, "overlap", apf_overlap_print(a, b, &options, &t.output, &found, NULL));
    apf_buffer_free(&t.bytes);
}

/* How many functions differ. */
static uint64_t diff(struct sweep *s, struct apf_instr *a, struct apf_instr *b)
{
    struct apf_diff_options options = {.size = sizeof options};
    struct apf_diff *d = NULL;
    struct text t;
    uint64_t n = 0;
    begin_text(&t);
    int code = apf_diff_new(&d, a, b, &options, NULL);
    good(s, "diff", code);
    if (code == APF_OK) {
        good(s, "diff is printed", apf_diff_print(d, &t.output, NULL));
        n = apf_diff_totals(d)->differ;
    }
    apf_diff_free(d);
    apf_buffer_free(&t.bytes);
    return n;
}

static void order(struct sweep *s, struct apf_instr *instr)
{
    struct apf_order_options options = {.size = sizeof options};
    struct apf_order *o = NULL;
    struct text t;
    begin_text(&t);
    int code = apf_order_new(&o, instr, &options, NULL);
    good(s, "order", code);
    if (code == APF_OK)
        good(s, "order is printed", apf_order_print(o, &t.output, NULL));
    apf_order_free(o);
    apf_buffer_free(&t.bytes);
}

/* All names that the intact file has, in text and as JSON in turn. */
static void lookup(struct sweep *s, const struct apf_input *input)
{
    struct apf_lookup *l = NULL;
    struct apf_record r = {.size = sizeof r};
    struct apf_error error;
    int code = apf_lookup_open(&l, input, NULL, &error);
    if (code != APF_OK) {
        check_error(s, code, &error);
        return;
    }
    if (s->profile) {
        for (unsigned i = 0; i < MOST_NAMES && apf_instr_record(s->profile, i, &r, NULL) == APF_OK; i++) {
            struct text t;
            begin_text(&t);
            code = apf_lookup_print(l, r.name, NULL, i % 2 | APF_LOOKUP_LOCAL, &t.output, &error);
            if (code != APF_OK)
                check_error(s, code, &error);
            s->found += code == APF_OK;
            apf_buffer_free(&t.bytes);
        }
    }
    apf_lookup_close(l);
}

/* `opened`: what the reader says. */
static void describe(struct sweep *s, const struct apf_input *input, int opened)
{
    struct apf_info *info = NULL;
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct text t;
    good(s, "info", apf_info_open(&info, input, 1, NULL, NULL));
    for (uint32_t json = 0; json <= 1; json++) {
        begin_text(&t);
        good(s, "info is printed", apf_info_print(info, json ? APF_INFO_JSON : 0, &t.output, NULL));
        apf_buffer_free(&t.bytes);
        begin_text(&t);
        uint32_t flags = json ? APF_CHECK_JSON : APF_CHECK_ALL;
        good(s, "check", apf_check_print(input, 1, NULL, NULL, flags, &t.output, &verdict, NULL));
        apf_buffer_free(&t.bytes);
    }
    apf_info_close(info);
    if (opened != APF_OK && opened != APF_MISSING_CORRELATION && verdict.n_errors == 0)
        bad(s, "refused, and check finds no error", (uint64_t)(unsigned)opened, 0);
}

static void try_bytes(struct sweep *s, struct bytes b)
{
    struct apf_input input = apf_input_memory(b.p, b.n, "bytes");
    struct apf_instr *instr = NULL;
    struct apf_error error;
    size_t before = memory_now;
    memory_most = memory_now;
    s->tried++;
    int code = apf_instr_open(&instr, &input, NULL, &error);
    if (code == APF_OK) {
        show(s, instr);
        convert(s, instr);
        order(s, instr);
        overlap(s, instr, instr);
        if (diff(s, instr, instr))
            bad(s, "it differs from itself", 1, 0);
        if (s->profile) {
            overlap(s, s->profile, instr);
            if (diff(s, s->profile, instr) != diff(s, instr, s->profile))
                bad(s, "a diff is another one in the other direction", 0, 0);
        }
    } else {
        check_error(s, code, &error);
        s->refused++;
    }
    apf_instr_close(instr);
    lookup(s, &input);
    describe(s, &input, code);
    if (memory_most - before > MEMORY_FACTOR * (b.n + s->intact.n) + MEMORY_ANYWAY)
        bad(s, "memory", memory_most - before, MEMORY_FACTOR * (b.n + s->intact.n) + MEMORY_ANYWAY);
    if (memory_now != before)
        bad(s, "memory that was not freed", memory_now - before, 0);
}

/* ---- changes ---- */

/* n bytes in a block of exactly that size, so that AddressSanitizer sees a read past them. */
static struct bytes room_for(size_t n)
{
    struct bytes b = {__real_malloc(n ? n : 1), n};
    if (!b.p) {
        perror("sweep_commands");
        exit(2);
    }
    return b;
}

static void cut(struct sweep *s, size_t n)
{
    struct bytes b = room_for(n);
    s->what = "cut";
    s->at = n;
    if (n)
        memcpy(b.p, s->intact.p, n);
    try_bytes(s, b);
    __real_free(b.p);
}

/* A bit, a byte, a word, or a range that is taken out. */
static void change(struct sweep *s)
{
    static const char *const words[] = {"bit flipped", "byte changed", "word changed", "range taken out"};
    uint64_t random = next_random(&s->random), kind = next_random(&s->random) % COUNT(words);
    size_t n = s->intact.n, at = (size_t)(next_random(&s->random) % n), gone = 0;
    s->what = words[kind];
    s->at = at;
    if (kind == 3)
        gone = 1 + (size_t)(random % 32) < n - at ? 1 + (size_t)(random % 32) : n - at;
    struct bytes b = room_for(n - gone);
    memcpy(b.p, s->intact.p, at);
    memcpy(b.p + at, s->intact.p + at + gone, n - at - gone);
    if (kind == 0)
        b.p[at] ^= (uint8_t)(1u << random % 8);
    else if (kind == 1)
        b.p[at] = (uint8_t)random;
    else if (kind == 2)
        for (size_t i = 0; i < 8 && at / 8 * 8 + i < n; i++)
            b.p[at / 8 * 8 + i] =
                random % 3 ? (uint8_t)(random % 3 == 1 ? 0xff : i == 0) : (uint8_t)(random >> 8 * i);
    try_bytes(s, b);
    __real_free(b.p);
}

/* ---- files ---- */

static struct bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    struct bytes b = room_for(size > 0 ? (size_t)size : 0);
    if (size <= 0 || fseek(file, 0, SEEK_SET) != 0 || fread(b.p, 1, b.n, file) != b.n) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return b;
}

static unsigned sweep_file(const char *path, size_t cuts, size_t changes, uint64_t seed)
{
    struct sweep s = {.path = path, .intact = read_file(path), .random = seed, .what = "intact"};
    struct apf_input input = apf_input_memory(s.intact.p, s.intact.n, "intact");
    struct apf_error error;
    if (apf_instr_open(&s.profile, &input, NULL, &error) != APF_OK)
        bad(&s, error.message, 0, 0);
    try_bytes(&s, s.intact);
    for (size_t i = 0; i < cuts; i++) /* half of them evenly, from the end on */
        cut(&s, i % 2 ? (size_t)(next_random(&s.random) % s.intact.n)
                      : s.intact.n - 1 - i * (s.intact.n - 1) / cuts);
    for (size_t i = 0; i < changes; i++)
        change(&s);
    printf("%s: %zu bytes, %zu tried, %zu refused, %zu found, %u failures\n", path, s.intact.n, s.tried,
           s.refused, s.found, s.failures);
    apf_instr_close(s.profile);
    __real_free(s.intact.p);
    return s.failures;
}

int main(int argc, char **argv)
{
    unsigned long long numbers[3] = {50, 100, 1}; /* cuts, changes, seed */
    unsigned failures = 0;
    for (int option; (option = getopt(argc, argv, "c:f:s:")) != -1;) {
        if (option == '?')
            return 2;
        numbers[option == 'c' ? 0 : option == 'f' ? 1 : 2] = strtoull(optarg, NULL, 10);
    }
    for (int i = optind; i < argc; i++)
        failures += sweep_file(argv[i], (size_t)numbers[0], (size_t)numbers[1], numbers[2]);
    return failures || optind == argc;
}
