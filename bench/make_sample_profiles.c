/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the inputs of the benchmarks of sample profiles: text profiles of programs that were never compiled.
 *
 *     make_sample_profiles same      DIR FILES FUNCTIONS PROGRAM   DIR/0000.prof ...: runs of one program
 *     make_sample_profiles different DIR FILES FUNCTIONS PROGRAM   each file of another program, with other names
 *
 * A function has 6 lines on average and one inlinee, which has 4; some inlinees have one more. 10 of 100 lines have a
 * discriminator, 8 one or two call targets. 60,000 functions make 700,000 lines, 8 MB. Runs differ in their counts.
 * PROGRAM is a number that selects the functions. The same arguments make the same bytes. */
#include <inttypes.h>
#include <sys/stat.h>

#define MAKER "make_sample_profiles"
#include "maker.h"

#define MAX_LINES 16
#define MAX_DEPTH 3

/* A text that grows, the numbers that make the structure of a program and those that make the counts of a run. */
struct run {
    char *text;
    size_t n, room;
    uint64_t structure, counts;
    uint64_t program;
    size_t n_functions;
    int named; /* names of functions have the number of the program */
};

static void append_number(struct run *r, uint64_t value)
{
    char digits[20];
    int n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        r->text[r->n++] = digits[--n];
}

static void append_name(struct run *r, uint64_t function)
{
    if (r->named) {
        r->text[r->n++] = 'p';
        append_number(r, r->program);
    }
    r->text[r->n++] = 'f';
    append_number(r, function);
}

/* Few large counts, many small ones. */
static uint64_t next_count(struct run *r)
{
    uint64_t random = next_random(&r->counts);
    return random >> 50 >> (random & 15);
}

static size_t below(struct run *r, size_t n)
{
    return (size_t)(next_random(&r->structure) % n);
}

static void append_place(struct run *r, int depth, uint64_t line, int with_discriminator)
{
    for (int i = 0; i < depth; i++)
        r->text[r->n++] = ' ';
    append_number(r, line);
    if (with_discriminator) {
        r->text[r->n++] = '.';
        append_number(r, 1 + below(r, 4));
    }
    r->text[r->n++] = ':';
    r->text[r->n++] = ' ';
}

/* The lines are written after the header, which holds their sum: the counts are drawn before. */
static uint64_t draw_counts(struct run *r, size_t n, uint64_t counts[MAX_LINES])
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += counts[i] = next_count(r);
    return sum;
}

static void append_lines(struct run *r, int depth, size_t n, const uint64_t counts[MAX_LINES])
{
    uint64_t line = 0;
    for (size_t i = 0; i < n; i++) {
        append_place(r, depth, line += 1 + below(r, 4), below(r, 100) < 10);
        append_number(r, counts[i]);
        size_t targets = below(r, 100) < 8 ? 1 + below(r, 2) : 0, first = below(r, r->n_functions);
        for (size_t t = 0; t < targets; t++) { /* different functions */
            r->text[r->n++] = ' ';
            append_name(r, (first + 7919 * t) % r->n_functions);
            r->text[r->n++] = ':';
            append_number(r, counts[i] / (t + 1));
        }
        r->text[r->n++] = '\n';
    }
}

static void append_inlinees(struct run *r, int depth, size_t most)
{
    uint64_t line = 0;
    for (size_t i = below(r, most + 1); i > 0; i--) {
        uint64_t counts[MAX_LINES];
        append_place(r, depth, line += 1 + below(r, 9), 0);
        append_name(r, below(r, r->n_functions));
        size_t n = 1 + below(r, 7);
        r->text[r->n++] = ':';
        append_number(r, draw_counts(r, n, counts));
        r->text[r->n++] = '\n';
        append_lines(r, depth + 1, n, counts);
        if (depth < MAX_DEPTH && below(r, 100) < 20)
            append_inlinees(r, depth + 1, 1);
    }
}

static void append_function(struct run *r, uint64_t function)
{
    uint64_t counts[MAX_LINES];
    size_t n = 1 + below(r, 11);
    append_name(r, function);
    r->text[r->n++] = ':';
    append_number(r, draw_counts(r, n, counts));
    r->text[r->n++] = ':';
    append_number(r, next_count(r));
    r->text[r->n++] = '\n';
    append_lines(r, 1, n, counts);
    append_inlinees(r, 1, below(r, 100) < 77 ? 2 : 1);
}

static void write_run(struct run *r, const char *path)
{
    const size_t most = 1 << 14; /* bytes that a function needs at most */
    r->n = 0;
    for (size_t i = 0; i < r->n_functions; i++) {
        if (r->room - r->n < most)
            r->text = need(realloc(r->text, r->room = 2 * r->room + most));
        append_function(r, i);
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(r->text, 1, r->n, f) != r->n || fclose(f) != 0)
        die(path);
}

int main(int argc, char **argv)
{
    int different = argc == 6 && strcmp(argv[1], "different") == 0;
    size_t files = argc == 6 ? strtoul(argv[3], NULL, 10) : 0;
    struct run r = {.n_functions = argc == 6 ? strtoul(argv[4], NULL, 10) : 0, .named = different};
    if (!r.n_functions || !(different || strcmp(argv[1], "same") == 0)) {
        fprintf(stderr, "usage: make_sample_profiles same|different DIR FILES FUNCTIONS PROGRAM\n");
        return 2;
    }
    if (mkdir(argv[2], 0777) != 0 && errno != EEXIST)
        die(argv[2]);
    uint64_t program = strtoul(argv[5], NULL, 10);
    for (size_t i = 0; i < files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%04zu.prof", argv[2], i);
        r.program = program + (different ? i : 0);
        r.structure = r.program * 1000003;
        r.counts = r.structure + (i + 1) * 77777;
        write_run(&r, path);
    }
    free(r.text);
    return 0;
}
