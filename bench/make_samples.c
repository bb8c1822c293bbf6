/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes samples of a program that BOLT wrote and that never ran, from the output of `anyprof bat dump`.
 *
 *     make_samples records N PERCENT   N pre-aggregated traces; PERCENT of the branches have a random target
 *     make_samples addresses N         N random addresses in its code
 *
 * Reads the dump from standard input. A direct branch has one target, in its fragment or at the start of another
 * function; code then runs to the next branch or to the one after that. The same arguments make the same bytes. */
#include <inttypes.h>
#include <stdbool.h>

#define MAKER "make_samples"
#include "maker.h"

struct place {
    uint64_t address;
    uint32_t fragment; /* its number, from 0 */
    uint32_t room;     /* bytes to the next entry of the fragment */
    uint32_t branch;   /* number of the first branch in the fragment at or after it */
    bool is_branch;
};

struct table {
    struct place *places; /* entries of all fragments up to each fragment's last branch */
    size_t n, room;
    uint32_t *blocks, *branches, *starts; /* numbers of places; starts: of functions */
    size_t n_blocks, n_branches, n_starts;
};

static void add_place(struct table *t, const struct place *place)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->places = need(realloc(t->places, t->room * sizeof *t->places));
    }
    t->places[t->n++] = *place;
}

/* Ends a fragment at its last branch: blocks after it may be in the table only. */
static void end_fragment(struct table *t, size_t first)
{
    uint32_t next = 0;
    while (t->n > first && !t->places[t->n - 1].is_branch)
        t->n--;
    for (size_t i = t->n; i-- > first;) {
        struct place *p = &t->places[i];
        p->room = i + 1 < t->n ? (uint32_t)(p[1].address - p->address) : 0;
        next = p->is_branch ? (uint32_t)i : next;
        p->branch = next;
    }
    if (t->n > first)
        t->starts[t->n_starts++] = (uint32_t)first;
}

/* The number after the first n bytes of a line. */
static uint64_t number_at(const char *line, size_t n)
{
    return strlen(line) > n ? strtoull(line + n, NULL, 0) : 0;
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

static struct table read_table(void)
{
    static const char count[] = "BAT tables for ", function[] = "Function Address: ";
    struct table t = {0};
    char line[256];
    uint64_t start = 0;
    uint32_t fragment = 0;
    size_t first = 0;
    while (fgets(line, sizeof line, stdin)) {
        struct place place = {.is_branch = strstr(line, "(branch)") != NULL};
        uint64_t output = number_at(line, 0);
        if (begins(line, count))
            t.starts = need(calloc(number_at(line, sizeof count - 1) + 1, sizeof *t.starts));
        if (begins(line, function)) {
            start = number_at(line, sizeof function - 1);
            fragment++;
            first = t.n;
        } else if (t.starts && *line == '\n') {
            end_fragment(&t, first);
            first = t.n;
        } else if (fragment && strstr(line, " -> ") && output <= INT32_MAX) {
            place.address = start + output;
            place.fragment = fragment;
            add_place(&t, &place);
        }
    }
    t.n = first; /* lines after the last fragment are no entries */
    t.blocks = need(calloc(t.n + 1, sizeof *t.blocks));
    t.branches = need(calloc(t.n + 1, sizeof *t.branches));
    for (size_t i = 0; i < t.n; i++) {
        if (t.places[i].is_branch)
            t.branches[t.n_branches++] = (uint32_t)i;
        else
            t.blocks[t.n_blocks++] = (uint32_t)i;
    }
    if (!t.n_branches || !t.n_blocks || !t.n_starts) {
        fprintf(stderr, MAKER ": no table with branches on standard input\n");
        exit(1);
    }
    return t;
}

/* The target of a direct branch, always the same place. */
static const struct place *target_of(const struct table *t, size_t branch)
{
    uint64_t seed = branch;
    const struct place *from = &t->places[branch];
    if (next_random(&seed) % 3) {
        size_t k = branch + next_random(&seed) % 16;
        if (k >= 8 && k - 8 < t->n && t->places[k - 8].fragment == from->fragment &&
            !t->places[k - 8].is_branch)
            return &t->places[k - 8];
    }
    return &t->places[t->starts[next_random(&seed) % t->n_starts]];
}

static void put_records(const struct table *t, size_t n, uint64_t percent)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < n; i++) {
        size_t branch = t->branches[next_random(&seed) % t->n_branches];
        const struct place *to = target_of(t, branch);
        if (next_random(&seed) % 100 < percent)
            to = &t->places[t->blocks[next_random(&seed) % t->n_blocks]];
        const struct place *end = &t->places[to->branch], *next = end + 1;
        bool further = next_random(&seed) % 5 < 2 && to->branch + 1 < t->n && next->fragment == end->fragment;
        end = further ? &t->places[next->branch] : end;
        printf("T %" PRIx64 " %" PRIx64 " %" PRIx64 " %u\n", t->places[branch].address, to->address,
               end->address, 1 + (unsigned)(next_random(&seed) % 50));
    }
}

static void put_addresses(const struct table *t, size_t n)
{
    uint64_t seed = 9;
    for (size_t i = 0; i < n; i++) {
        const struct place *p = &t->places[next_random(&seed) % t->n];
        printf("0x%" PRIx64 "\n", p->address + (p->room ? next_random(&seed) % p->room : 0));
    }
}

int main(int argc, char **argv)
{
    bool records = argc == 4 && strcmp(argv[1], "records") == 0;
    if (!records && !(argc == 3 && strcmp(argv[1], "addresses") == 0)) {
        fprintf(stderr, "usage: make_samples records N PERCENT | addresses N    <DUMP\n");
        return 2;
    }
    struct table t = read_table();
    if (records)
        put_records(&t, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    else
        put_addresses(&t, strtoul(argv[2], NULL, 10));
    if (fflush(stdout) != 0)
        die("write");
    free(t.places);
    free(t.starts);
    free(t.blocks);
    free(t.branches);
    return 0;
}
