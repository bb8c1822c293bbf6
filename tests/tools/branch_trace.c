/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* branch_trace [-T FILE] [-B FILE] [-O FILE] [-S FILE] [-P FILE] [-d DEPTH] [-n N] [--] PROGRAM [ARGUMENT...]
 * Runs a program of one thread instruction by instruction and writes which branches it took, as the branch records of a
 * processor would have them, in the text that `perf2bolt --pa` reads; sorted, equal records added up.
 *   -T  traces of LLVM 22: T branch to ftend count, and R ... where the branch is a return
 *   -B  branches and fall-throughs apart: B from to count mispreds, and F, f, r from to count
 *   -O  the same for LLVM 19 and older, which do not know r: it becomes f
 *   -S  basic samples: S address count, of every N-th instruction (1 without -n)
 *   -P  branch stacks as perf script prints them, not added up: at every N-th branch the last DEPTH ones, the newest
 *       first (32 without -d, which is the most)
 * Addresses are those that the program is linked for. Code outside its file (libc, the dynamic linker) runs at full
 * speed and is the address 0; one trace ends where such code begins, and the next one begins where it comes back.
 * Mispredictions are those of a simple predictor, which does not mind when a condition is inverted: each conditional
 * branch has two bits, which its first outcome sets, each indirect one its last target; the rest is predicted.
 * The exit status is the program's; 125 when something else failed, 77 when this process may not trace. */
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "object/disassembler.h"

#define FAILED 125
#define SKIPPED 77
#define OUTSIDE 0u
#define MOST_DEPTH 32u

/* What is known of the instruction that begins at one byte. */
struct code {
    uint64_t last;     /* target of an indirect branch */
    uint8_t size;      /* 0: not decoded yet */
    uint8_t kind;      /* enum instruction_kind */
    uint8_t predicted; /* 0: never run; 1..4: conditional: not taken twice ... taken twice */
    bool conditional, indirect;
};

struct segment {
    uint64_t start, size; /* whole pages */
    uint64_t file_start, file_size, offset;
    int protection;
    struct code *code;
};

struct record {
    uint64_t branch, to, end, count, mispredicted;
    char letter;
};

struct records {
    struct record *p;
    size_t n, room;
};

struct call {
    uint64_t back, stack; /* the stack pointer before it */
};

struct symbol {
    uint64_t address;
    const char *name;
};

struct tracer {
    pid_t pid;
    uint8_t *file;
    size_t file_size;
    struct elf_file *elf;
    struct disassembler *disassembler;
    struct segment segments[8];
    size_t n_segments;
    struct symbol *symbols;
    size_t n_symbols, symbols_room;
    uint64_t entry, bias, gadget;
    struct call *calls;
    size_t n_calls, calls_room;
    struct records traces, samples;
    struct record open; /* the trace that has not ended; letter 0: none */
    uint64_t every, instructions;
    bool sampling;
    FILE *stacks; /* NULL: none are written */
    struct record stack[MOST_DEPTH];
    uint64_t depth, n_branches;
};

_Noreturn static void fail(int status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "branch_trace: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(status);
}

static void *grown(void *p, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return p;
    *room = *room ? *room * 2 : 256;
    p = realloc(p, *room * size);
    if (!p)
        fail(FAILED, "out of memory");
    return p;
}

/* ---- records ---- */

#define COMPARE(a, b)                                                                                        \
    if ((a) != (b))                                                                                          \
    return (a) < (b) ? -1 : 1

static int compare_records(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    COMPARE(a->letter, b->letter);
    COMPARE(a->branch, b->branch);
    COMPARE(a->to, b->to);
    COMPARE(a->end, b->end);
    return 0;
}

static void add_up(struct records *r)
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

static void add(struct records *r, struct record record)
{
    if (r->n == r->room && r->room >= 1u << 16) {
        add_up(r);
        if (r->n <= r->room / 2)
            goto put;
    }
    r->p = grown(r->p, r->n, &r->room, sizeof *r->p);
put:
    r->p[r->n++] = record;
}

/* ---- the program's file ---- */

static void read_file(struct tracer *t, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail(FAILED, "%s: %s", path, strerror(errno));
    size_t room = 0;
    for (;;) {
        t->file = grown(t->file, t->file_size, &room, 1);
        size_t n = fread(t->file + t->file_size, 1, room - t->file_size, f);
        if (n == 0)
            break;
        t->file_size += n;
    }
    fclose(f);
}

static int add_symbol(void *user, const struct elf_symbol *symbol)
{
    struct tracer *t = user;
    if (symbol->type == STT_FUNC && symbol->section != ELF_UNDEFINED) {
        t->symbols = grown(t->symbols, t->n_symbols, &t->symbols_room, sizeof *t->symbols);
        t->symbols[t->n_symbols++] = (struct symbol){symbol->value, symbol->name};
    }
    return 0;
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    COMPARE(a->address, b->address);
    return strcmp(a->name, b->name);
}

static void add_segment(struct tracer *t, const Elf64_Phdr *p)
{
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
        return;
    if (t->n_segments == sizeof t->segments / sizeof *t->segments || p->p_offset > t->file_size ||
        p->p_filesz > t->file_size - p->p_offset)
        fail(FAILED, "unusual segments");
    uint64_t start = p->p_vaddr & ~(uint64_t)4095, end = (p->p_vaddr + p->p_memsz + 4095) & ~(uint64_t)4095;
    struct segment *s = &t->segments[t->n_segments++];
    *s = (struct segment){.start = start,
                          .size = end - start,
                          .file_start = p->p_vaddr,
                          .file_size = p->p_filesz,
                          .offset = p->p_offset,
                          .protection =
                              (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0),
                          .code = calloc(p->p_filesz + 1, sizeof *s->code)};
    if (!s->code)
        fail(FAILED, "out of memory");
}

static void open_program(struct tracer *t, const char *path)
{
    struct apf_error error;
    Elf64_Ehdr header;
    read_file(t, path);
    if (elf_file_open(&t->elf, t->file, t->file_size, &error) != APF_OK ||
        disassembler_open(&t->disassembler, elf_file_facts(t->elf), DISASSEMBLER_KINDS, &error) != APF_OK)
        fail(FAILED, "%s: %s", path, error.message);
    memcpy(&header, t->file, sizeof header);
    if (elf_file_facts(t->elf)->machine != EM_X86_64 || header.e_phoff > t->file_size ||
        t->file_size - header.e_phoff < (size_t)header.e_phnum * sizeof(Elf64_Phdr))
        fail(FAILED, "%s is no program for x86-64", path);
    t->entry = header.e_entry;
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, t->file + header.e_phoff + i * sizeof p, sizeof p);
        add_segment(t, &p);
    }
    if (elf_file_symbols(t->elf, add_symbol, t, &error) != APF_OK)
        fail(FAILED, "%s: %s", path, error.message);
    if (t->n_symbols)
        qsort(t->symbols, t->n_symbols, sizeof *t->symbols, compare_symbols);
}

/* The segment that holds an address as linked, or NULL: outside. */
static struct segment *segment_of(struct tracer *t, uint64_t address)
{
    for (size_t i = 0; i < t->n_segments; i++)
        if (address - t->segments[i].start < t->segments[i].size)
            return &t->segments[i];
    return NULL;
}

/* The condition and target are read off the text: AT&T's has * before what is indirect. */
static void decode(struct tracer *t, struct code *c, const uint8_t *p, size_t n, uint64_t address)
{
    struct instruction i = disassembler_next(t->disassembler, p, n < 16 ? n : 16, address);
    if (i.size == 0)
        fail(FAILED, "unknown instruction at 0x%llx", (unsigned long long)address);
    c->size = (uint8_t)i.size;
    c->kind = (uint8_t)i.kind;
    if (i.kind == INSTRUCTION_PLAIN || !i.mnemonic)
        return;
    const char *word = strrchr(i.mnemonic, ' '); /* behind prefixes */
    word = word ? word + 1 : i.mnemonic;
    c->indirect = i.kind != INSTRUCTION_RETURN && strchr(i.operands, '*');
    c->conditional = i.kind == INSTRUCTION_BRANCH && strncmp(word, "jmp", 3) != 0;
}

static struct code *code_at(struct tracer *t, uint64_t address)
{
    struct segment *s = segment_of(t, address);
    if (!s || address - s->file_start >= s->file_size)
        fail(FAILED, "no code at 0x%llx", (unsigned long long)address);
    uint64_t at = address - s->file_start;
    if (s->code[at].size == 0)
        decode(t, &s->code[at], t->file + s->offset + at, s->file_size - at, address);
    return &s->code[at];
}

/* ---- the process ---- */

static void trace(int request, struct tracer *t, void *data)
{
    if (ptrace(request, t->pid, NULL, data) != 0)
        fail(FAILED, "ptrace %d: %s", request, strerror(errno));
}

static uint64_t peek(struct tracer *t, size_t offset)
{
    errno = 0;
    long value = ptrace(PTRACE_PEEKUSER, t->pid, offset, NULL);
    if (errno)
        fail(FAILED, "PTRACE_PEEKUSER: %s", strerror(errno));
    return (uint64_t)value;
}

static uint64_t program_counter(struct tracer *t)
{
    return peek(t, offsetof(struct user_regs_struct, rip)) - t->bias;
}

static uint64_t stack_pointer(struct tracer *t)
{
    return peek(t, offsetof(struct user_regs_struct, rsp));
}

/* Runs on, until it stops: the signal. Ends with the process. */
static int run(struct tracer *t, int request, int signal, int *status)
{
    trace(request, t, (void *)(intptr_t)signal);
    if (waitpid(t->pid, status, 0) != t->pid)
        fail(FAILED, "waitpid: %s", strerror(errno));
    return WIFSTOPPED(*status) ? WSTOPSIG(*status) : -1;
}

static void start(struct tracer *t, char **words)
{
    int status;
    t->pid = fork();
    if (t->pid < 0)
        fail(FAILED, "fork: %s", strerror(errno));
    if (t->pid == 0) {
        personality(ADDR_NO_RANDOMIZE);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(SKIPPED);
        execv(words[0], words);
        _exit(FAILED);
    }
    if (waitpid(t->pid, &status, 0) != t->pid)
        fail(FAILED, "waitpid: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        fail(SKIPPED, "this process may not trace");
    if (!WIFSTOPPED(status))
        fail(FAILED, "%s does not start", words[0]);
    trace(PTRACE_SETOPTIONS, t, (void *)(intptr_t)PTRACE_O_EXITKILL);
}

static FILE *open_proc(struct tracer *t, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)t->pid, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail(FAILED, "%s: %s", path, strerror(errno));
    return f;
}

static void find_bias(struct tracer *t)
{
    FILE *f = open_proc(t, "auxv");
    uint64_t pair[2] = {0, 0};
    while (fread(pair, sizeof pair, 1, f) == 1 && pair[0] != AT_ENTRY)
        ;
    fclose(f);
    if (pair[0] != AT_ENTRY)
        fail(FAILED, "no entry point");
    t->bias = pair[1] - t->entry;
}

static uint64_t find_syscall(struct tracer *t, uint64_t start_address, size_t n)
{
    uint8_t *bytes = malloc(n);
    struct iovec here = {bytes, n}, there = {(void *)(uintptr_t)start_address, n};
    ssize_t got = bytes ? process_vm_readv(t->pid, &here, 1, &there, 1, 0) : 0;
    uint64_t found = 0;
    for (ssize_t i = 0; found == 0 && i + 1 < got; i++)
        if (bytes[i] == 0x0f && bytes[i + 1] == 0x05)
            found = start_address + (uint64_t)i;
    free(bytes);
    return found;
}

/* An instruction `syscall` outside the program's file: in the dynamic linker or the vdso. */
static void find_gadget(struct tracer *t)
{
    FILE *f = open_proc(t, "maps");
    char line[1024];
    while (!t->gadget && fgets(line, sizeof line, f)) {
        unsigned long long from, to;
        char flags[8];
        if (sscanf(line, "%llx-%llx %7s", &from, &to, flags) == 3 && flags[0] == 'r' && flags[2] == 'x' &&
            !segment_of(t, from - t->bias))
            t->gadget = find_syscall(t, from, (size_t)(to - from));
    }
    fclose(f);
    if (!t->gadget)
        fail(FAILED, "no syscall instruction found");
}

/* Whether the program's own code may run. If not, whoever comes there gets SIGSEGV: callbacks, landing pads and all. */
static void set_executable(struct tracer *t, bool executable)
{
    struct user_regs_struct saved, now;
    int status;
    trace(PTRACE_GETREGS, t, &saved);
    for (size_t i = 0; i < t->n_segments; i++) {
        const struct segment *s = &t->segments[i];
        now = saved;
        now.rip = t->gadget;
        now.rax = SYS_mprotect;
        now.orig_rax = UINT64_MAX;
        now.rdi = s->start + t->bias;
        now.rsi = s->size;
        now.rdx = (uint64_t)(s->protection | (executable ? PROT_EXEC : 0));
        trace(PTRACE_SETREGS, t, &now);
        if (run(t, PTRACE_SINGLESTEP, 0, &status) != SIGTRAP)
            fail(FAILED, "the process is gone");
        trace(PTRACE_GETREGS, t, &now);
        if (now.rax != 0)
            fail(FAILED, "mprotect: %s", strerror((int)-(int64_t)now.rax));
    }
    trace(PTRACE_SETREGS, t, &saved);
}

/* ---- what happens ---- */

/* A line of `perf script -F pid,brstack`. */
static void write_stack(struct tracer *t)
{
    fprintf(t->stacks, "%5d ", (int)t->pid);
    for (uint64_t i = 0; i < t->depth && i < t->n_branches; i++) {
        const struct record *r = &t->stack[(t->n_branches - 1 - i) % MOST_DEPTH];
        fprintf(t->stacks, " 0x%llx/0x%llx/%c/-/-/0/ ", (unsigned long long)r->branch,
                (unsigned long long)r->to, r->mispredicted ? 'M' : 'P');
    }
    fprintf(t->stacks, "\n");
}

/* A branch was taken: this ends one trace and begins another. */
static void taken(struct tracer *t, char letter, uint64_t branch, uint64_t to, bool mispredicted)
{
    t->stack[t->n_branches++ % MOST_DEPTH] = (struct record){branch, to, 0, 1, mispredicted, letter};
    if (t->stacks && t->n_branches % t->every == 0)
        write_stack(t);
    if (t->open.letter) {
        t->open.end = branch;
        add(&t->traces, t->open);
    }
    t->open = (struct record){branch, to, OUTSIDE, 1, mispredicted, letter};
}

/* What the predictor expects, and learns. */
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

/* Frames at or below are gone when there is a call from a stack pointer. */
static void push_call(struct tracer *t, uint64_t back, uint64_t stack)
{
    while (t->n_calls && t->calls[t->n_calls - 1].stack <= stack)
        t->n_calls--;
    t->calls = grown(t->calls, t->n_calls, &t->calls_room, sizeof *t->calls);
    t->calls[t->n_calls++] = (struct call){back, stack};
}

/* Landing pads of C++ get what is thrown in rax: it begins with "GNUCC++", and one byte more. */
static bool is_thrown(struct tracer *t)
{
    uint64_t at = peek(t, offsetof(struct user_regs_struct, rax));
    errno = 0;
    uint64_t class = (uint64_t)ptrace(PTRACE_PEEKDATA, t->pid, (void *)(uintptr_t)at, NULL);
    return errno == 0 && class >> 8 == 0x474e5543432b2bu;
}

/* Whether code outside that goes on at an address has returned there; else it has called, or thrown: what is thrown may
 * land right behind the call. */
static bool comes_back(struct tracer *t, uint64_t to, uint64_t stack)
{
    while (t->n_calls && t->calls[t->n_calls - 1].stack < stack)
        t->n_calls--;
    const struct call *last = t->n_calls ? &t->calls[t->n_calls - 1] : NULL;
    return last && last->stack == stack && last->back == to && !is_thrown(t);
}

/* Lets code outside run. False: the program has ended. */
static bool run_outside(struct tracer *t, int *status)
{
    int signal = 0;
    set_executable(t, false);
    for (;;) {
        signal = run(t, PTRACE_CONT, signal, status);
        if (signal < 0)
            return false;
        uint64_t to = program_counter(t);
        if (signal != SIGSEGV || !segment_of(t, to))
            continue;
        set_executable(t, true);
        taken(t, comes_back(t, to, stack_pointer(t)) ? 'R' : 'T', OUTSIDE, to, false);
        return true;
    }
}

/* Instruction by instruction, until the program leaves its file. False: it has ended. */
static bool run_inside(struct tracer *t, int *status)
{
    int signal = 0;
    for (uint64_t at = program_counter(t); segment_of(t, at);) {
        struct code *c = code_at(t, at);
        if (t->sampling && ++t->instructions % t->every == 0)
            add(&t->samples, (struct record){at, 0, 0, 1, 0, 'S'});
        if (c->kind == INSTRUCTION_CALL)
            push_call(t, at + c->size, stack_pointer(t));
        signal = run(t, PTRACE_SINGLESTEP, signal, status);
        if (signal < 0)
            return false;
        if (signal == SIGTRAP)
            signal = 0;
        uint64_t next = program_counter(t), to = segment_of(t, next) ? next : OUTSIDE;
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
    start(t, words);
    find_bias(t);
    find_gadget(t);
    while (segment_of(t, program_counter(t)) ? run_inside(t, &status) : run_outside(t, &status))
        ;
    if (t->open.letter)
        add(&t->traces, t->open);
    if (!WIFEXITED(status))
        fail(FAILED, "%s: signal %d", words[0], WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* ---- what is written ---- */

/* The name of the function that holds an address, without what names its parts. */
static size_t function_at(const struct tracer *t, uint64_t address, const char **name)
{
    size_t low = 0, high = t->n_symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    *name = low ? t->symbols[low - 1].name : "";
    const char *cold = strstr(*name, ".cold"), *warm = strstr(*name, ".warm");
    const char *end = cold ? cold : warm ? warm : *name + strlen(*name);
    return (size_t)(end - *name);
}

static bool same_function(const struct tracer *t, uint64_t a, uint64_t b)
{
    const char *left, *right;
    size_t n = function_at(t, a, &left);
    return function_at(t, b, &right) == n && memcmp(left, right, n) == 0;
}

/* Traces as branches and fall-throughs. */
static struct records apart(const struct tracer *t, bool old)
{
    struct records r = {0};
    for (size_t i = 0; i < t->traces.n; i++) {
        struct record x = t->traces.p[i];
        char letter = x.letter == 'R'                                           ? 'r'
                      : x.branch != OUTSIDE && same_function(t, x.branch, x.to) ? 'F'
                                                                                : 'f';
        add(&r, (struct record){x.branch, x.to, 0, x.count, x.mispredicted, 'B'});
        if (x.to != OUTSIDE)
            add(&r, (struct record){x.to, x.end, 0, x.count, 0, old && letter == 'r' ? 'f' : letter});
    }
    add_up(&r);
    return r;
}

static void write_records(const struct records *r, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        fail(FAILED, "%s: %s", path, strerror(errno));
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
        fail(FAILED, "%s: %s", path, strerror(errno));
}

static void write_apart(const struct tracer *t, const char *path, bool old)
{
    struct records r = apart(t, old);
    write_records(&r, path);
    free(r.p);
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

int main(int argc, char **argv)
{
    static struct tracer t = {.every = 1, .depth = MOST_DEPTH};
    const char *traces = NULL, *branches = NULL, *old = NULL, *samples = NULL;
    for (int c; (c = getopt(argc, argv, "+T:B:O:S:P:d:n:")) != -1;) {
        switch (c) {
        case 'T':
            traces = optarg;
            break;
        case 'B':
            branches = optarg;
            break;
        case 'O':
            old = optarg;
            break;
        case 'S':
            samples = optarg;
            break;
        case 'P':
            t.stacks = fopen(optarg, "wb");
            if (!t.stacks)
                fail(FAILED, "%s: %s", optarg, strerror(errno));
            break;
        case 'd':
            t.depth = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            t.every = strtoull(optarg, NULL, 10);
            break;
        default:
            return FAILED;
        }
    }
    if (optind == argc || t.every == 0 || t.depth == 0 || t.depth > MOST_DEPTH)
        fail(FAILED, "usage: branch_trace [-T FILE] [-B FILE] [-O FILE] [-S FILE] [-P FILE] [-d DEPTH] [-n "
                     "N] [--] PROGRAM "
                     "[ARGUMENT...]");
    t.sampling = samples;
    open_program(&t, argv[optind]);
    stay_here();
    int status = run_program(&t, argv + optind);
    if (t.stacks && fclose(t.stacks) != 0)
        fail(FAILED, "branch stacks: %s", strerror(errno));
    add_up(&t.traces);
    add_up(&t.samples);
    if (traces)
        write_records(&t.traces, traces);
    if (branches)
        write_apart(&t, branches, false);
    if (old)
        write_apart(&t, old, true);
    if (samples)
        write_records(&t.samples, samples);
    free(t.traces.p);
    free(t.samples.p);
    free(t.calls);
    free(t.symbols);
    for (size_t i = 0; i < t.n_segments; i++)
        free(t.segments[i].code);
    disassembler_close(t.disassembler);
    elf_file_close(t.elf);
    free(t.file);
    return status;
}
