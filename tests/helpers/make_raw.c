/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* make_raw DIRECTORY: writes raw profiles with what no compiler at hand makes, and says on standard output what is in
 * them: a line of JSON for each file, with its name, and name, hash, counts and uniform counters of each function.
 *
 * uniform_a, uniform_b: version 11 with uniform counters, the same functions with other counts; other_uniform: one of
 * them with another number of counters; plain: version 10, the same functions without; all: an IR profile with
 * everything else there is. */
#include <stdio.h>
#include <string.h>

#include "helpers/shared/raw_build.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FUNCTIONS 5u
#define MOST_COUNTS 20u

static const char *const names[FUNCTIONS] = {"main", "_Z4kernPf", "dir/a.c:local", "_Z5emptyv", "_Z3oneRKi"};
static const uint32_t sizes[FUNCTIONS] = {3, 8, 9, 17, 1};

/* Counts around the limit: a bit is cleared below counts[i] - counts[i] / 10. */
static void make_counts(uint64_t counts[FUNCTIONS][MOST_COUNTS], uint64_t uniform[FUNCTIONS][MOST_COUNTS],
                        struct rb_function f[FUNCTIONS], unsigned seed)
{
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        for (unsigned k = 0; k < sizes[i]; k++) {
            uint64_t n = i == 3 ? 0 : (seed + 7 * i + 13 * k) % 40 + (k == 2 ? (uint64_t)1 << 40 : 0);
            uint64_t edge = n - n / 10;
            counts[i][k] = n;
            uniform[i][k] = (k + seed) % 4 == 0           ? edge
                            : (k + seed) % 4 == 1 && edge ? edge - 1
                            : (k + seed) % 4 == 2         ? n
                                                          : 0;
        }
        f[i].name = names[i];
        f[i].hash = 100 + i;
        f[i].counts = counts[i];
        f[i].n_counts = sizes[i];
        f[i].uniform = uniform[i];
    }
}

static void print_numbers(const char *key, const uint64_t *v, size_t n)
{
    printf(", \"%s\": [", key);
    for (size_t i = 0; v && i < n; i++)
        printf("%s%llu", i ? ", " : "", (unsigned long long)v[i]);
    printf("]");
}

static int write_file(const char *directory, const char *name, const struct rb_profile *p)
{
    char path[4096];
    struct rb_file file = {0};
    int n = snprintf(path, sizeof path, "%s/%s.profraw", directory, name);
    FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "wb") : NULL;
    rb_append(&file, p, NULL);
    bool good = out && fwrite(file.data, 1, file.n, out) == file.n;
    good = out && fclose(out) == 0 && good;
    rb_free(&file);
    printf("{\"file\": \"%s\", \"records\": [", name);
    for (size_t i = 0; i < p->n_functions; i++) {
        const struct rb_function *f = &p->functions[i];
        printf("%s{\"name\": \"%s\", \"hash\": %llu", i ? ", " : "", f->name, (unsigned long long)f->hash);
        print_numbers("counts", f->counts, f->n_counts);
        print_numbers("uniform", p->uniform ? f->uniform : NULL, f->n_counts);
        printf("}");
    }
    printf("]}\n");
    return good ? 0 : 1;
}

static int write_uniform(const char *directory)
{
    static uint64_t counts[FUNCTIONS][MOST_COUNTS], uniform[FUNCTIONS][MOST_COUNTS];
    struct rb_function f[FUNCTIONS] = {0};
    struct rb_profile p = {
        .version = 11, .bytes = 8, .functions = f, .n_functions = FUNCTIONS, .uniform = true};
    int code = 0;
    make_counts(counts, uniform, f, 1);
    code |= write_file(directory, "uniform_a", &p);
    make_counts(counts, uniform, f, 6);
    p.big = true;
    code |= write_file(directory, "uniform_b", &p);
    f[1].n_counts = 16; /* the rest are zeros */
    code |= write_file(directory, "other_uniform", &p);
    make_counts(counts, uniform, f, 30);
    p.version = 10;
    p.uniform = false;
    return code | write_file(directory, "plain", &p);
}

static int write_all(const char *directory)
{
    static const uint64_t three[] = {7, 0, (uint64_t)1 << 50}, one[] = {5};
    static const uint8_t bits[] = {0x81, 0, 0xff, 4, 5, 6, 7, 8, 9};
    static const struct rb_pair called[] = {
        {0x1040, 5, false}, {0xbad0, 3, false}, {0x1080, 3, false}, {0xbad8, 9, false}};
    static const struct rb_pair moved[] = {{8, 5, false}, {513, 7, false}, {0, 5, false}};
    static const struct rb_pair tables[] = {{0x8000, 4, false}, {0x8028, 3, false}, {0x9000, 2, false}};
    static const struct rb_site calls[] = {{called, 4}, {NULL, 0}}, moves[] = {{moved, 3}},
                                loads[] = {{tables, 3}};
    static const struct rb_function f[] = {
        {.name = "main",
         .hash = 0x1234,
         .counts = three,
         .n_counts = 3,
         .address = 0x1000,
         .bitmap = bits,
         .n_bitmap = 9,
         .timestamp = 1,
         .sites = {calls, moves, loads},
         .n_sites = {2, 1, 1}},
        {.name = "callee",
         .hash = 0x777,
         .counts = one,
         .n_counts = 1,
         .address = 0x1040,
         .timestamp = 3,
         .sites = {NULL, moves},
         .n_sites = {0, 1}},
        {.name = "callee", .hash = 0x1000000000000777, .counts = one, .n_counts = 1, .timestamp = 0},
        {.name = "dir/a.c;local",
         .hash = 9,
         .counts = three,
         .n_counts = 2,
         .address = 0x1080,
         .timestamp = 2,
         .bitmap = bits,
         .n_bitmap = 1},
        {.name = "b.cc;local", .hash = 9, .counts = one, .n_counts = 1, .timestamp = 9},
    };
    static const struct rb_vtable vtables[] = {{"_ZTV1A", 0x8000, 0x20}, {"c.cc;_ZTV1B", 0x8020, 0x10}};
    static const struct rb_bytes ids[] = {{"twenty bytes of hash", 20}, {"sixteen bytes id", 16}, {"x", 1}};
    struct rb_profile p = {.version = 10,
                           .bytes = 8,
                           .functions = f,
                           .n_functions = COUNT(f),
                           .vtables = vtables,
                           .n_vtables = COUNT(vtables),
                           .ids = ids,
                           .n_ids = COUNT(ids),
                           .load = 0x555500000000,
                           .variant = RB_IR | RB_CS | RB_TEMPORAL | RB_ENTRY_FIRST | RB_LOOP_ENTRIES,
                           .zlib = 1};
    return write_file(directory, "all", &p);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_raw DIRECTORY\n");
        return 2;
    }
    return write_uniform(argv[1]) | write_all(argv[1]) | (fflush(stdout) != 0);
}
