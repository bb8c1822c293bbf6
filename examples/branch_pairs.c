/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the branches of a recording of perf, and prints the most frequent pairs of a branch and its target. Shows how
 * samples are read as a stream, without perf.
 *
 *   cc branch_pairs.c $(pkg-config --cflags --libs anyprof-elf) -o branch_pairs
 *   branch_pairs perf.data */
#include <stdio.h>
#include <stdlib.h>

#include <anyprof/anyprof.h>

/* ---- a table of pairs ---- */

struct pair {
    uint64_t from, to, count; /* count == 0: a free place */
};

struct pairs {
    struct pair *list;
    size_t n, room; /* room: a power of 2 */
};

static struct pair *find_pair(struct pair *list, size_t room, uint64_t from, uint64_t to)
{
    uint64_t hash = (from * 0x9E3779B97F4A7C15u) ^ (to * 0xD6E8FEB86659FD93u);
    size_t at = (size_t)(hash >> 32) & (room - 1);
    while (list[at].count && (list[at].from != from || list[at].to != to))
        at = (at + 1) & (room - 1);
    return &list[at];
}

/* Makes the table twice as large. 0: there is no memory. */
static int grow(struct pairs *pairs)
{
    size_t room = pairs->room ? 2 * pairs->room : 1024;
    struct pair *list = calloc(room, sizeof *list);
    if (!list)
        return 0;
    for (size_t i = 0; i < pairs->room; i++)
        if (pairs->list[i].count)
            *find_pair(list, room, pairs->list[i].from, pairs->list[i].to) = pairs->list[i];
    free(pairs->list);
    pairs->list = list;
    pairs->room = room;
    return 1;
}

static int compare_counts(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

/* ---- samples ---- */

static int add_sample(void *user, const struct apf_perf_sample *sample, struct apf_error *error)
{
    struct pairs *pairs = user;
    (void)error;
    for (size_t i = 0; i < sample->n_branches; i++) {
        const struct apf_perf_branch *b = &sample->branches[i];
        if (2 * pairs->n >= pairs->room && !grow(pairs))
            return APF_NO_MEMORY;
        struct pair *pair = find_pair(pairs->list, pairs->room, b->from, b->to);
        pairs->n += pair->count == 0;
        pair->from = b->from;
        pair->to = b->to;
        pair->count++;
    }
    return APF_OK;
}

int main(int argc, char **argv)
{
    struct pairs pairs = {NULL, 0, 0};
    struct apf_error error;
    struct apf_perf *perf = NULL;
    if (argc != 2) {
        fputs("usage: branch_pairs PERF.DATA\n", stderr);
        return 2;
    }
    struct apf_input input = apf_input_file(argv[1]);
    int code = apf_perf_open(&perf, &input, NULL, &error);
    if (code == APF_OK)
        code = apf_perf_read(perf, add_sample, &pairs, &error);
    if (code == APF_NO_MEMORY) {
        fputs("error: out of memory\n", stderr);
    } else if (code != APF_OK) {
        fprintf(stderr, "error: %s: %s\n", argv[1], error.message);
    } else {
        if (pairs.n)
            qsort(pairs.list, pairs.room, sizeof *pairs.list, compare_counts);
        printf("%zu different branches\n", pairs.n);
        for (size_t i = 0; i < pairs.n && i < 20; i++)
            printf("%10llu  0x%llx -> 0x%llx\n", (unsigned long long)pairs.list[i].count,
                   (unsigned long long)pairs.list[i].from, (unsigned long long)pairs.list[i].to);
    }
    apf_perf_close(perf);
    free(pairs.list);
    return code != APF_OK;
}
