/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* branch_trace [-T FILE] [-B FILE] [-O FILE] [-S FILE] [-P FILE [-C]] [-d DEPTH] [-n N] [--] PROGRAM [ARGUMENT...]
 * Runs a program of one thread instruction by instruction and writes which branches it took, as the branch records of a
 * processor would have them, in the text that `perf2bolt --pa` reads; sorted, equal records added up.
 *   -T  traces of LLVM 22: T branch to ftend count, and R ... where the branch is a return
 *   -B  branches and fall-throughs apart: B from to count mispreds, and F, f, r from to count
 *   -O  the same for LLVM 19 and older, which do not know r: it becomes f
 *   -S  basic samples: S address count, of every N-th instruction (1 without -n)
 *   -P  branch stacks as perf script prints them, not added up: at every N-th branch the last DEPTH ones, the newest
 *       first (32 without -d, which is the most)
 *   -C  before each branch stack the call stack, which is complete: the target of the newest branch, then the addresses
 *       that calls return to, one in a line, the innermost first; 0 for frames outside
 * Addresses are those that the program is linked for. Code outside its file (libc, the dynamic linker) runs at full
 * speed and is the address 0; one trace ends where such code begins, and the next one begins where it comes back.
 * Mispredictions are those of a simple predictor, which does not mind when a condition is inverted: each conditional
 * branch has two bits, which its first outcome sets, each indirect one its last target; the rest is predicted.
 * The exit status is the program's; 125 when something else failed, 77 when this process may not trace. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "object/disassembler.h"
#include "tools/branch_trace.h"

_Noreturn void trace_fail(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "branch_trace: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(status);
}

void *trace_grown(void *p, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return p;
    *room = *room ? *room * 2 : 256;
    p = realloc(p, *room * size);
    if (!p)
        trace_fail(FAILED, "out of memory");
    return p;
}

/* ---- what happens ---- */

/* The target of the newest branch, then the calls that have not ended. */
static void write_calls(struct tracer *t)
{
    uint64_t stack = process_stack(t);
    fprintf(t->stacks, "\t%16llx\n", (unsigned long long)t->stack[(t->n_branches - 1) % MOST_DEPTH].to);
    for (size_t i = t->n_calls; i-- > 0;)
        if (t->calls[i].stack > stack)
            fprintf(t->stacks, "\t%16llx\n", (unsigned long long)t->calls[i].back);
}

/* A line of `perf script -F pid,brstack`. */
static void write_stack(struct tracer *t)
{
    if (t->with_calls)
        write_calls(t);
    fprintf(t->stacks, "%5d ", (int)t->pid);
    for (uint64_t i = 0; i < t->depth && i < t->n_branches; i++) {
        const struct record *r = &t->stack[(t->n_branches - 1 - i) % MOST_DEPTH];
        fprintf(t->stacks, " 0x%llx/0x%llx/%c/-/-/0/ ", (unsigned long long)r->branch,
                (unsigned long long)r->to, r->mispredicted ? 'M' : 'P');
    }
    fprintf(t->stacks, "\n");
}

/* Records a branch that jumped: it ends one trace and begins another. */
static void taken(struct tracer *t, char letter, uint64_t branch, uint64_t to, bool mispredicted)
{
    t->stack[t->n_branches++ % MOST_DEPTH] = (struct record){branch, to, 0, 1, mispredicted, letter};
    if (t->stacks && t->n_branches % t->every == 0)
        write_stack(t);
    if (t->open.letter) {
        t->open.end = branch;
        records_add(&t->traces, t->open);
    }
    t->open = (struct record){branch, to, OUTSIDE, 1, mispredicted, letter};
}

/* Predicts a branch, and updates the predictor. */
static bool mispredicted(struct code *c, bool is_taken, uint64_t to)
{
    bool wrong = false;
    if (c->conditional) {
        bool expected = c->predicted ? c->predicted > 2 : is_taken;
        wrong = expected != is_taken;
        if (c->predicted == 0)
            c->predicted = is_taken ? 4 : 1;
        else if (is_taken && c->predicted < 4)
            c->predicted++;
        else if (!is_taken && c->predicted > 1)
            c->predicted--;
    } else if (c->indirect) {
        wrong = c->last != 0 && c->last != to;
        c->last = to;
    }
    return wrong;
}

/* Drops the frames at or below the stack pointer of a call: they have ended. */
static void push_call(struct tracer *t, uint64_t back, uint64_t stack)
{
    while (t->n_calls && t->calls[t->n_calls - 1].stack <= stack)
        t->n_calls--;
    t->calls = trace_grown(t->calls, t->n_calls, &t->calls_room, sizeof *t->calls);
    t->calls[t->n_calls++] = (struct call){back, stack};
}

/* Landing pads of C++ get the exception in rax: it begins with "GNUCC++" and one more byte. */
static bool is_thrown(struct tracer *t)
{
    uint64_t at = process_peek(t, offsetof(struct user_regs_struct, rax));
    errno = 0;
    uint64_t class = (uint64_t)ptrace(PTRACE_PEEKDATA, t->pid, (void *)(uintptr_t)at, NULL);
    return errno == 0 && class >> 8 == 0x474e5543432b2bu;
}

/* Records that code outside has called the program: unless it has left no frame, like a jump. */
static void push_outside(struct tracer *t, uint64_t stack)
{
    const uint64_t before = stack + sizeof(uint64_t);
    if (t->n_calls == 0 || t->calls[t->n_calls - 1].stack != before)
        push_call(t, OUTSIDE, before);
}

/* Whether code outside returned to an address; otherwise it called or threw: an exception may land right after the
 * call. */
static bool comes_back(struct tracer *t, uint64_t to, uint64_t stack)
{
    while (t->n_calls && t->calls[t->n_calls - 1].stack < stack)
        t->n_calls--;
    const struct call *last = t->n_calls ? &t->calls[t->n_calls - 1] : NULL;
    return last && last->stack == stack && last->back == to && !is_thrown(t);
}

/* Runs code outside the program's file. False: the program has ended. */
static bool run_outside(struct tracer *t, int *status)
{
    int signal = 0;
    process_set_executable(t, false);
    for (;;) {
        signal = process_run(t, PTRACE_CONT, signal, status);
        if (signal < 0)
            return false;
        uint64_t to = process_counter(t);
        if (signal != SIGSEGV || !program_segment(t, to))
            continue;
        process_set_executable(t, true);
        bool back = comes_back(t, to, process_stack(t));
        if (!back && t->with_calls)
            push_outside(t, process_stack(t));
        taken(t, back ? 'R' : 'T', OUTSIDE, to, false);
        return true;
    }
}

/* Steps through instructions until the program leaves its file. False: the program has ended. */
static bool run_inside(struct tracer *t, int *status)
{
    int signal = 0;
    for (uint64_t at = process_counter(t); program_segment(t, at);) {
        struct code *c = program_code(t, at);
        if (t->sampling && ++t->instructions % t->every == 0)
            records_add(&t->samples, (struct record){at, 0, 0, 1, 0, 'S'});
        if (c->kind == INSTRUCTION_CALL)
            push_call(t, at + c->size, process_stack(t));
        signal = process_run(t, PTRACE_SINGLESTEP, signal, status);
        if (signal < 0)
            return false;
        if (signal == SIGTRAP)
            signal = 0;
        uint64_t next = process_counter(t), to = program_segment(t, next) ? next : OUTSIDE;
        if (c->kind != INSTRUCTION_PLAIN) {
            bool is_taken = !c->conditional || next != at + c->size;
            bool wrong = mispredicted(c, is_taken, next);
            if (is_taken)
                taken(t, c->kind == INSTRUCTION_RETURN ? 'R' : 'T', at, to, wrong);
        }
        at = next;
    }
    return true;
}

static int run_program(struct tracer *t, char **words)
{
    int status;
    process_start(t, words);
    while (program_segment(t, process_counter(t)) ? run_inside(t, &status) : run_outside(t, &status))
        ;
    if (t->open.letter)
        records_add(&t->traces, t->open);
    if (!WIFEXITED(status))
        trace_fail(FAILED, "%s: signal %d", words[0], WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* One processor for both processes: they take turns anyway. */
static void stay_here(void)
{
    cpu_set_t set;
    int here = sched_getcpu();
    CPU_ZERO(&set);
    if (here >= 0) {
        CPU_SET(here, &set);
        (void)sched_setaffinity(0, sizeof set, &set);
    }
}

/* Output files; NULL: not wanted. */
struct outputs {
    const char *traces, *branches, *old, *samples;
};

static void read_options(struct tracer *t, struct outputs *out, int argc, char **argv)
{
    for (int c; (c = getopt(argc, argv, "+T:B:O:S:P:Cd:n:")) != -1;) {
        if (c == 'T')
            out->traces = optarg;
        else if (c == 'B')
            out->branches = optarg;
        else if (c == 'O')
            out->old = optarg;
        else if (c == 'S')
            out->samples = optarg;
        else if (c == 'd')
            t->depth = strtoull(optarg, NULL, 10);
        else if (c == 'n')
            t->every = strtoull(optarg, NULL, 10);
        else if (c == 'C')
            t->with_calls = true;
        else if (c != 'P')
            exit(FAILED);
        else if (!(t->stacks = fopen(optarg, "wb")))
            trace_fail(FAILED, "%s: %s", optarg, strerror(errno));
    }
    if (optind == argc || t->every == 0 || t->depth == 0 || t->depth > MOST_DEPTH)
        trace_fail(FAILED,
                   "usage: branch_trace [-T FILE] [-B FILE] [-O FILE] [-S FILE] [-P FILE [-C]] [-d DEPTH] "
                   "[-n N] [--] PROGRAM "
                   "[ARGUMENT...]");
    t->sampling = out->samples;
}

int main(int argc, char **argv)
{
    static struct tracer t = {.every = 1, .depth = MOST_DEPTH};
    struct outputs out = {NULL, NULL, NULL, NULL};
    read_options(&t, &out, argc, argv);
    program_open(&t, argv[optind]);
    stay_here();
    int status = run_program(&t, argv + optind);
    if (t.stacks && fclose(t.stacks) != 0)
        trace_fail(FAILED, "branch stacks: %s", strerror(errno));
    records_add_up(&t.traces);
    records_add_up(&t.samples);
    if (out.traces)
        records_write(&t.traces, out.traces);
    if (out.branches)
        records_write_apart(&t, out.branches, false);
    if (out.old)
        records_write_apart(&t, out.old, true);
    if (out.samples)
        records_write(&t.samples, out.samples);
    free(t.traces.p);
    free(t.samples.p);
    free(t.calls);
    program_close(&t);
    return status;
}
