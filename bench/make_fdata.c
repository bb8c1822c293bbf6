/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the inputs of the benchmark of `bolt merge`: profiles of many runs of one program that was never compiled.
 *
 *     make_fdata DIR FILES LINES RECORDS        DIR/0000.fdata ...
 *
 * There are RECORDS different branches, in functions of 10 to 90 branches; each run has seen its own choice of LINES
 * branches, with its own counts. Functions are sorted, as perf2bolt writes them. The same arguments make the same
 * bytes. */
#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>

#define MAKER "make_fdata"
#include "maker.h"

struct record {
    uint32_t function, target; /* equal to function: a branch inside it */
    uint32_t from, to;
};

static struct record *make_records(size_t n)
{
    struct record *records = need(calloc(n, sizeof *records));
    uint64_t seed = 11;
    uint32_t function = 0, left = 0, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (left == 0) {
            left = 10 + (uint32_t)(next_random(&seed) % 81);
            function++;
            at = 0;
        }
        left--;
        at += 2 + (uint32_t)(next_random(&seed) % 30);
        struct record *r = &records[i];
        bool call = next_random(&seed) % 5 == 0;
        r->function = function;
        r->target = call ? 1 + (uint32_t)(next_random(&seed) % (n / 50 + 1)) : function;
        r->from = at;
        r->to = call ? 0 : 1 + (uint32_t)(next_random(&seed) % 900);
    }
    return records;
}

/* Writes a name; a fifth of the functions are local. */
static void write_name(FILE *f, uint32_t function)
{
    fprintf(f, function % 5 ? "fn%" PRIu32 : "fn%" PRIu32 "/1", function);
}

/* Writes `lines` records, each chosen at random with the probability that gives exactly that number. */
static void write_run(FILE *f, const struct record *records, size_t n, size_t lines, uint64_t seed)
{
    for (size_t i = 0, left = lines; i < n && left; i++) {
        const struct record *r = &records[i];
        if (next_random(&seed) % (n - i) >= left)
            continue;
        left--;
        uint64_t chance = next_random(&seed), count = 1 + (chance >> 50 >> (chance % 15));
        fputs("1 ", f);
        write_name(f, r->function);
        fprintf(f, " %" PRIx32 " 1 ", r->from);
        write_name(f, r->target);
        fprintf(f, " %" PRIx32 " %" PRIu64 " %" PRIu64 "\n", r->to, chance % 3 ? 0 : count / 8, count);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: make_fdata DIR FILES LINES RECORDS\n");
        return 2;
    }
    size_t files = strtoul(argv[2], NULL, 10), lines = strtoul(argv[3], NULL, 10),
           n = strtoul(argv[4], NULL, 10);
    struct record *records = make_records(n);
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST)
        die(argv[1]);
    for (size_t i = 0; i < files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%04zu.fdata", argv[1], i);
        FILE *f = fopen(path, "w");
        if (!f)
            die(path);
        write_run(f, records, n, lines, 1000 + i);
        if (fclose(f) != 0)
            die(path);
    }
    free(records);
    return 0;
}
