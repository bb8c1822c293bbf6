/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes perf.data with branch stacks of a program that does not exist, as perf record -j any,u writes it on two
 * processors: each writes its buffer in turn, and a round ends after both; or with those of a text.
 *
 *     make_recording OUT SAMPLES DEPTH BRANCHES    DEPTH entries in each sample, of BRANCHES different branches
 *     make_recording OUT TEXT                      what make_branch_stacks has written
 *
 * Little-endian. The same arguments make the same bytes. */
#define MAKER "make_recording"
#include "maker.h"

#define BASE ((uint64_t)0x555555554000)
#define ROUND 512 /* samples of each processor */

struct writer {
    FILE *file;
    uint64_t n;
};

static void put(struct writer *w, const void *p, size_t n)
{
    if (n && fwrite(p, 1, n, w->file) != n)
        die("write");
    w->n += n;
}

static void put64(struct writer *w, uint64_t v)
{
    put(w, &v, sizeof v);
}

static void put_head(struct writer *w, uint32_t type, uint16_t misc, size_t n)
{
    uint16_t parts[2] = {misc, (uint16_t)n};
    put(w, &type, sizeof type);
    put(w, parts, sizeof parts);
}

static void put_pair(struct writer *w, uint32_t a, uint32_t b)
{
    uint32_t pair[2] = {a, b};
    put(w, pair, sizeof pair);
}

/* IP, TID, TIME, PERIOD and the branch stack. */
#define SAMPLE_TYPE (1u | 2u | 4u | 0x100u | 0x800u)

static void put_event(struct writer *w)
{
    uint64_t attr[14] = {(uint64_t)112 << 32, 0, 4000, SAMPLE_TYPE};
    attr[5] =
        1u << 5 | 1u << 8 | 1u << 10 | (uint64_t)1 << 18 | (uint64_t)1 << 23; /* ... sample_id_all, mmap2 */
    attr[9] = 1u | 8u;                                                        /* branches: user, any */
    put(w, attr, sizeof attr);
    put64(w, 0);
    put64(w, 0);
}

static void put_mapping(struct writer *w, uint64_t time, const char *name, uint64_t start, uint64_t size,
                        uint64_t offset)
{
    char path[256] = "";
    snprintf(path, sizeof path, "%s", name);
    put_head(w, 10, 2, 8 + 64 + sizeof path + 16);
    put_pair(w, 100, 100);
    put64(w, start);
    put64(w, size);
    put64(w, offset);
    for (int i = 0; i < 3; i++)
        put64(w, 0);
    put_pair(w, 5, 2);
    put(w, path, sizeof path);
    put_pair(w, 100, 100);
    put64(w, time);
}

/* Of 16 branches in one place, 15 go to one target, the last one to another. */
static void put_sample(struct writer *w, uint64_t time, size_t depth, size_t branches, uint64_t *random)
{
    uint64_t at = next_random(random) % branches;
    put_head(w, 9, 2, 8 + 32 + 8 + 24 * depth);
    put64(w, BASE + 64 * at);
    put_pair(w, 100, 100);
    put64(w, time);
    put64(w, 4000);
    put64(w, depth);
    for (size_t i = 0; i < depth; i++) {
        uint64_t next = (at * 31 + 17 * (1 + next_random(random) % 16 / 15)) % branches;
        put64(w, BASE + 64 * next + 20);
        put64(w, BASE + 64 * at);
        put64(w, 2 | (next_random(random) % 200) << 4);
        at = next;
    }
}

static void put_rounds(struct writer *w, size_t samples, size_t depth, size_t branches)
{
    uint64_t random = 1, time = 1000000;
    put_mapping(w, time, "/usr/bin/program", BASE, (uint64_t)64 << 20, 0);
    for (size_t done = 0; done < samples; done += 2 * ROUND, time += 1000 * ROUND) {
        for (size_t cpu = 0; cpu < 2; cpu++)
            for (size_t i = 0; i < ROUND && done + cpu * ROUND + i < samples; i++)
                put_sample(w, time + 1000 * i + 500 * cpu, depth, branches, &random);
        put_head(w, 68, 0, 8);
    }
}

/* " IP  0xFROM/0xTO/P/-/-/0/  ...", the branches of a line. */
static void put_line(struct writer *w, const char *line, uint64_t time)
{
    uint64_t ends[2 * 256];
    size_t n = 0;
    char *p;
    uint64_t ip = strtoull(line, &p, 16);
    while (n + 1 < sizeof ends / sizeof *ends && (p = strstr(p, "0x")) != NULL) {
        ends[n++] = strtoull(p, &p, 16);
        ends[n++] = strtoull(p + 1, &p, 16);
    }
    put_head(w, 9, 2, 8 + 32 + 8 + 12 * n);
    put64(w, ip);
    put_pair(w, 100, 100);
    put64(w, time);
    put64(w, 4000);
    put64(w, n / 2);
    for (size_t i = 0; i < n; i += 2) {
        put64(w, ends[i]);
        put64(w, ends[i + 1]);
        put64(w, 2);
    }
}

static void put_text(struct writer *w, const char *path)
{
    FILE *text = fopen(path, "r");
    char *line = NULL, name[256];
    size_t room = 0;
    uint64_t time = 1000000;
    unsigned long long start, size, offset;
    if (!text)
        die(path);
    for (size_t n = 0; getline(&line, &room, text) > 0; time += 1000) {
        if (sscanf(line, "PERF_RECORD_MMAP2 100/100: [%llx(%llx) @ %llx %*s %*s %*s r-xp %255s", &start,
                   &size, &offset, name) == 4) {
            put_mapping(w, time, name, start, size, offset);
            continue;
        }
        put_line(w, line, time);
        if (++n % ROUND == 0)
            put_head(w, 68, 0, 8);
    }
    free(line);
    fclose(text);
}

int main(int argc, char **argv)
{
    struct writer w = {NULL, 0};
    uint64_t header[13] = {0};
    if (argc != 5 && argc != 3) {
        fputs("usage: make_recording OUT SAMPLES DEPTH BRANCHES\n       make_recording OUT TEXT\n", stderr);
        return 2;
    }
    w.file = fopen(argv[1], "wb");
    if (!w.file)
        die(argv[1]);
    memcpy(header, "PERFILE2", 8);
    header[1] = header[3] = sizeof header;
    header[2] = header[4] = 128;
    header[5] = sizeof header + 128;
    put(&w, header, sizeof header);
    put_event(&w);
    if (argc == 5)
        put_rounds(&w, strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
    else
        put_text(&w, argv[2]);
    header[6] = w.n - header[5];
    if (fseek(w.file, 0, SEEK_SET) != 0)
        die(argv[1]);
    put(&w, header, sizeof header);
    if (fclose(w.file) != 0)
        die(argv[1]);
    return 0;
}
