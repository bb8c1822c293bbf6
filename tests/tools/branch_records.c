/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects and writes the records of branch_trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/branch_trace.h"

static int compare_records(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    COMPARE(a->letter, b->letter);
    COMPARE(a->branch, b->branch);
    COMPARE(a->to, b->to);
    COMPARE(a->end, b->end);
    return 0;
}

void records_add_up(struct records *r)
{
    size_t n = 0;
    if (r->n)
        qsort(r->p, r->n, sizeof *r->p, compare_records);
    for (size_t i = 0; i < r->n; i++) {
        if (n && compare_records(&r->p[n - 1], &r->p[i]) == 0) {
            r->p[n - 1].count += r->p[i].count;
            r->p[n - 1].mispredicted += r->p[i].mispredicted;
        } else {
            r->p[n++] = r->p[i];
        }
    }
    r->n = n;
}

void records_add(struct records *r, struct record record)
{
    bool full = r->n == r->room;
    if (full && r->room >= 1u << 16) {
        records_add_up(r);
        full = r->n > r->room / 2; /* otherwise the next sort would come soon */
    }
    if (full)
        r->p = trace_grown(r->p, r->room, &r->room, sizeof *r->p);
    r->p[r->n++] = record;
}

/* Writes traces as branches and fall-throughs. */
static struct records apart(const struct tracer *t, bool old)
{
    struct records r = {0};
    for (size_t i = 0; i < t->traces.n; i++) {
        struct record x = t->traces.p[i];
        char letter = x.letter == 'R'                                                   ? 'r'
                      : x.branch != OUTSIDE && program_same_function(t, x.branch, x.to) ? 'F'
                                                                                        : 'f';
        records_add(&r, (struct record){x.branch, x.to, 0, x.count, x.mispredicted, 'B'});
        if (x.to != OUTSIDE)
            records_add(&r, (struct record){x.to, x.end, 0, x.count, 0, old && letter == 'r' ? 'f' : letter});
    }
    records_add_up(&r);
    return r;
}

void records_write(const struct records *r, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        trace_fail(FAILED, "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < r->n; i++) {
        const struct record *x = &r->p[i];
        fprintf(f, "%c %llx", x->letter, (unsigned long long)x->branch);
        if (x->letter != 'S')
            fprintf(f, " %llx", (unsigned long long)x->to);
        if (x->letter == 'T' || x->letter == 'R')
            fprintf(f, " %llx", (unsigned long long)x->end);
        fprintf(f, " %llu", (unsigned long long)x->count);
        if (x->letter == 'B')
            fprintf(f, " %llu", (unsigned long long)x->mispredicted);
        fprintf(f, "\n");
    }
    if (fclose(f) != 0)
        trace_fail(FAILED, "%s: %s", path, strerror(errno));
}

void records_write_apart(const struct tracer *t, const char *path, bool old)
{
    struct records r = apart(t, old);
    records_write(&r, path);
    free(r.p);
}
