/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the inputs of the benchmarks: profiles of a program that was never compiled.
 *
 *     make_profiles raw  DIR FILES FUNCTIONS PROGRAM   DIR/0000.profraw ...: runs of one position-independent program
 *     make_profiles text FILE FUNCTIONS PROGRAM        one text profile (IR)
 *     make_profiles traces FILE TRACES FUNCTIONS PROGRAM   text with temporal traces, each of a part of the program
 *
 * Every function has 2 to 20 counters, 15 of 100 have one to three call sites with one to four targets each. Runs
 * differ in load address, counts and value data. PROGRAM is a number that selects the functions. The same arguments
 * make the same bytes. */
#include <inttypes.h>
#include <sys/stat.h>

#include <zlib.h>

#define MAKER "make_profiles"
#include "maker_bytes.h"

#define MAX_SITES 3
#define MAX_TARGETS 4

struct site {
    uint32_t n, target[MAX_TARGETS];
};

struct function {
    char name[64];
    uint64_t id, hash;
    uint32_t n_counters, n_sites;
    struct site sites[MAX_SITES];
};

struct program {
    struct function *functions;
    size_t n, n_counters;
};

static void make_sites(struct function *f, size_t n, uint64_t *seed)
{
    if (next_random(seed) % 100 >= 15)
        return;
    f->n_sites = 1 + (uint32_t)(next_random(seed) % MAX_SITES);
    for (uint32_t s = 0; s < f->n_sites; s++) {
        struct site *site = &f->sites[s];
        uint32_t first = (uint32_t)(next_random(seed) % n);
        site->n = 1 + (uint32_t)(next_random(seed) % MAX_TARGETS);
        for (uint32_t t = 0; t < site->n; t++) /* different functions, in no order */
            site->target[t] = (uint32_t)((first + 7919u * (uint64_t)t) % n);
    }
}

static struct program make_program(size_t n, uint64_t number)
{
    struct program p = {need(calloc(n + 1, sizeof *p.functions)), n, 0};
    uint64_t seed = number * 1000003;
    for (size_t i = 0; i < n; i++) {
        struct function *f = &p.functions[i];
        snprintf(f->name, sizeof f->name, "_ZN%" PRIu64 "p8module%zu8function%zuEPK%" PRIx64, number, i % 97,
                 i, next_random(&seed) >> 36);
        f->id = md5_id(f->name, strlen(f->name));
        f->hash = next_random(&seed) >> 5;
        f->n_counters = 2 + (uint32_t)(next_random(&seed) % 19);
        p.n_counters += f->n_counters;
        make_sites(f, n, &seed);
    }
    return p;
}

/* ---- raw ---- */

static struct bytes names_of(const struct program *p)
{
    struct bytes text = {0}, blob = {0};
    for (size_t i = 0; i < p->n; i++) {
        if (i)
            put_bytes(&text, "\1", 1);
        put_bytes(&text, p->functions[i].name, strlen(p->functions[i].name));
    }
    uLongf packed = compressBound(text.n);
    uint8_t *out = need(malloc(packed));
    if (compress2(out, &packed, text.p, text.n, 9) != Z_OK)
        die("compress2");
    write_uleb(&blob, text.n);
    write_uleb(&blob, packed);
    put_bytes(&blob, out, packed);
    free(out);
    free(text.p);
    return blob;
}

static void write_values(struct bytes *b, const struct function *f, uint64_t base, uint64_t *seed)
{
    uint64_t pairs = 0;
    for (uint32_t s = 0; s < f->n_sites; s++)
        pairs += f->sites[s].n;
    write_number(b, 8 + 8 + (f->n_sites + 7) / 8 * 8 + 16 * pairs, 4);
    write_number(b, 1, 4);
    write_number(b, 0, 4);
    write_number(b, f->n_sites, 4);
    for (uint32_t s = 0; s < f->n_sites; s++)
        write_number(b, f->sites[s].n, 1);
    pad(b);
    for (uint32_t s = 0; s < f->n_sites; s++)
        for (uint32_t t = 0; t < f->sites[s].n; t++) {
            write_number(b, base + 64 * (uint64_t)f->sites[s].target[t], 8);
            write_number(b, 1 + next_random(seed) % 1000, 8);
        }
}

/* A version 10 profile, 64 bit, little-endian, as LLVM 19 to 22 write it. */
static void write_profile(struct bytes *b, const struct program *p, const struct bytes *names, uint64_t run)
{
    uint64_t seed = run * 77777 + 1;
    uint64_t base = 0x550000000000 + (next_random(&seed) & 0xffffffff000);
    uint64_t delta = 0x4000000; /* from the data records to the counters */
    const uint64_t header[] = {0xff6c70726f667281,
                               10 | (uint64_t)1 << 56,
                               32,
                               p->n,
                               0,
                               p->n_counters,
                               0,
                               0,
                               0,
                               names->n,
                               delta,
                               0,
                               base,
                               0,
                               0,
                               2};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        write_number(b, header[i], 8);
    write_number(b, 20, 8);
    put_bytes(b, "twenty bytes of id..\0\0\0\0", 24);
    for (size_t i = 0, at = 0; i < p->n; i++) {
        const struct function *f = &p->functions[i];
        write_number(b, f->id, 8);
        write_number(b, f->hash, 8);
        write_number(b, delta - 64 * (uint64_t)i + 8 * (uint64_t)at, 8);
        write_number(b, 0, 8);
        write_number(b, base + 64 * (uint64_t)i, 8);
        write_number(b, f->n_sites ? base + 0x1000000 + 8 * (uint64_t)i : 0, 8);
        write_number(b, f->n_counters, 4);
        write_number(b, f->n_sites, 2);
        write_number(b, 0, 6);
        write_number(b, 0, 4);
        at += f->n_counters;
    }
    for (size_t i = 0; i < p->n_counters; i++) {
        uint64_t r = next_random(&seed);
        write_number(b, r >> 40 >> (r & 31), 8); /* few large counts, many small ones and zeros */
    }
    put_bytes(b, names->p, names->n);
    pad(b);
    for (size_t i = 0; i < p->n; i++)
        if (p->functions[i].n_sites)
            write_values(b, &p->functions[i], base, &seed);
}

static void make_raw(const char *dir, size_t files, const struct program *p)
{
    struct bytes names = names_of(p), b = {0};
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        die(dir);
    for (size_t i = 0; i < files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%04zu.profraw", dir, i);
        b.n = 0;
        write_profile(&b, p, &names, i);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f) != 0)
            die(path);
    }
    free(b.p);
    free(names.p);
}

/* ---- text ---- */

/* Each run begins at a random function, and leaves some functions out. */
static void write_traces(FILE *f, size_t n, const struct program *p)
{
    uint64_t seed = 7;
    if (n)
        fprintf(f, ":temporal_prof_traces\n%zu\n%zu\n", n, n);
    for (size_t t = 0; t < n; t++) {
        size_t start = (size_t)(next_random(&seed) % p->n), length = (size_t)(next_random(&seed) % p->n);
        fprintf(f, "1\n");
        for (size_t i = 0; i < length; i++) {
            uint64_t r = next_random(&seed);
            if (r % 3)
                fprintf(f, "%s,", p->functions[(start + i + (r >> 8) % 50) % p->n].name);
        }
        fprintf(f, "%s\n", p->functions[start].name);
    }
}

static void make_text(const char *path, size_t n_traces, const struct program *p)
{
    uint64_t seed = 5;
    FILE *f = fopen(path, "w");
    if (!f)
        die(path);
    fprintf(f, ":ir\n");
    write_traces(f, n_traces, p);
    for (size_t i = 0; i < p->n; i++) {
        const struct function *fn = &p->functions[i];
        fprintf(f, "%s\n%" PRIu64 "\n%" PRIu32 "\n", fn->name, fn->hash, fn->n_counters);
        for (uint32_t c = 0; c < fn->n_counters; c++) {
            uint64_t r = next_random(&seed);
            fprintf(f, "%" PRIu64 "\n", r >> 40 >> (r & 31));
        }
        if (fn->n_sites)
            fprintf(f, "1\n0\n%" PRIu32 "\n", fn->n_sites);
        for (uint32_t s = 0; s < fn->n_sites; s++) {
            fprintf(f, "%" PRIu32 "\n", fn->sites[s].n);
            for (uint32_t t = 0; t < fn->sites[s].n; t++)
                fprintf(f, "%s:%" PRIu64 "\n", p->functions[fn->sites[s].target[t]].name,
                        1 + next_random(&seed) % 1000);
        }
        fprintf(f, "\n");
    }
    if (fclose(f) != 0)
        die(path);
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "raw") == 0) {
        struct program p = make_program(strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
        make_raw(argv[2], strtoul(argv[3], NULL, 10), &p);
        free(p.functions);
        return 0;
    }
    if (argc == 5 && strcmp(argv[1], "text") == 0) {
        struct program p = make_program(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
        make_text(argv[2], 0, &p);
        free(p.functions);
        return 0;
    }
    if (argc == 6 && strcmp(argv[1], "traces") == 0) {
        struct program p = make_program(strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
        make_text(argv[2], strtoul(argv[3], NULL, 10), &p);
        free(p.functions);
        return 0;
    }
    fprintf(stderr, "usage: make_profiles raw DIR FILES FUNCTIONS PROGRAM | text FILE FUNCTIONS PROGRAM | "
                    "traces FILE TRACES FUNCTIONS PROGRAM\n");
    return 2;
}
