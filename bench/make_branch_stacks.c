/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the text of `perf script --show-mmap-events -F ip,brstack` of a program that is not run: a walk through its
 * code, which takes conditional jumps by chance, follows calls and comes back.
 *
 *     llvm-objdump -d --no-show-raw-insn PROGRAM | bench/instructions.awk |
 *         make_branch_stacks PROGRAM SAMPLES DEPTH START SIZE OFFSET [DIFFERENT]
 *
 * START, SIZE and OFFSET are those of its segment of code, whole pages; it is not loaded elsewhere. Each sample has
 * DEPTH branches, a sample after every 97th one; after DIFFERENT samples the same ones come again. The same arguments
 * make the same text. */
#define MAKER "make_branch_stacks"
#include "maker.h"

enum kind { PLAIN = 'p', JUMP = 'j', CONDITIONAL = 'c', CALL = 'k', RETURN = 'r', ENTRY = 'e' };

struct instruction {
    uint64_t address, target; /* target: 0: not known */
    uint32_t next;            /* the first one from here on that is not plain */
    char kind;
};

struct program {
    struct instruction *list;
    size_t n;
    uint32_t *entries; /* of functions */
    size_t n_entries;
};

struct walk {
    const struct program *program;
    uint32_t calls[4096]; /* where to return to */
    size_t n_calls, at;
    uint64_t random;
    uint64_t (*ring)[2]; /* the last `depth` branches */
    size_t depth, seen;
};

/* Lines "KIND ADDRESS TARGET" by address; an entry stands before its instruction. */
static void read_program(struct program *p)
{
    char kind;
    unsigned long long address, target;
    while (scanf(" %c %llx %llx", &kind, &address, &target) == 3) {
        if (kind == ENTRY) {
            p->entries = need(realloc(p->entries, (p->n_entries + 1) * sizeof *p->entries));
            p->entries[p->n_entries++] = (uint32_t)p->n;
            continue;
        }
        if (p->n % 65536 == 0)
            p->list = need(realloc(p->list, (p->n + 65536) * sizeof *p->list));
        p->list[p->n++] = (struct instruction){address, target, 0, kind};
    }
    uint32_t next = (uint32_t)p->n;
    for (size_t i = p->n; i-- > 0; p->list[i].next = next)
        next = p->list[i].kind == PLAIN ? next : (uint32_t)i;
}

static size_t find(const struct program *p, uint64_t address)
{
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->list[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->n && p->list[low].address == address ? low : p->n;
}

static size_t any_entry(struct walk *w)
{
    return w->program->entries[next_random(&w->random) % w->program->n_entries];
}

static void take(struct walk *w, size_t from, size_t to)
{
    uint64_t *branch = w->ring[w->seen++ % w->depth];
    branch[0] = w->program->list[from].address;
    branch[1] = w->program->list[to].address;
    w->at = to;
}

/* Goes on to the next branch that is taken. */
static void step(struct walk *w)
{
    const struct program *p = w->program;
    for (;;) {
        size_t at = p->list[w->at].next, to;
        if (at + 1 >= p->n) { /* the end of the code */
            w->at = any_entry(w);
            continue;
        }
        const struct instruction *i = &p->list[at];
        if (i->kind == CONDITIONAL && next_random(&w->random) % 8 < 5) {
            w->at = at + 1;
            continue;
        }
        if (i->kind == RETURN) {
            to = w->n_calls ? w->calls[--w->n_calls] : any_entry(w);
        } else {
            to = i->target ? find(p, i->target) : p->n;
            to = to < p->n ? to : any_entry(w);
        }
        if (i->kind == CALL && w->n_calls < sizeof w->calls / sizeof *w->calls)
            w->calls[w->n_calls++] = (uint32_t)at + 1;
        take(w, at, to);
        return;
    }
}

int main(int argc, char **argv)
{
    struct program program = {NULL, 0, NULL, 0};
    struct walk w = {.program = &program, .random = 1};
    if (argc != 7 && argc != 8) {
        fputs("usage: make_branch_stacks PROGRAM SAMPLES DEPTH START SIZE OFFSET [DIFFERENT]\n", stderr);
        return 2;
    }
    size_t samples = strtoull(argv[2], NULL, 0), different = argc == 8 ? strtoull(argv[7], NULL, 0) : samples;
    read_program(&program);
    w.depth = strtoull(argv[3], NULL, 0);
    w.ring = need(calloc(w.depth, sizeof *w.ring));
    if (!program.n_entries || !w.depth || (!different && samples)) {
        fputs(MAKER ": no code, no depth, or no different samples\n", stderr);
        return 1;
    }
    printf("PERF_RECORD_MMAP2 100/100: [%s(%s) @ %s 08:01 77 0]: r-xp %s\n", argv[4], argv[5], argv[6],
           argv[1]);
    for (size_t i = 0; i < samples; i++) {
        if (i % different == 0) {
            w.random = 1;
            w.n_calls = w.seen = 0;
            w.at = any_entry(&w);
        }
        for (size_t k = 0; k < 97 || w.seen < w.depth; k++)
            step(&w);
        printf(" %llx ", (unsigned long long)w.ring[(w.seen - 1) % w.depth][1]);
        for (size_t k = 1; k <= w.depth; k++) {
            const uint64_t *branch = w.ring[(w.seen - k) % w.depth];
            printf(" 0x%llx/0x%llx/P/-/-/0/ ", (unsigned long long)branch[0], (unsigned long long)branch[1]);
        }
        putchar('\n');
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
