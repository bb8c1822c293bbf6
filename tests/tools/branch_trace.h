/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of branch_trace, whose first comment says what it does. */
#ifndef TOOLS_BRANCH_TRACE_H
#define TOOLS_BRANCH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define FAILED 125
#define SKIPPED 77
#define OUTSIDE 0u
#define MOST_DEPTH 32u

/* Facts of the instruction that begins at a byte. */
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
    FILE *stacks; /* NULL: stacks are not wanted */
    bool with_calls;
    struct record stack[MOST_DEPTH];
    uint64_t depth, n_branches;
};

#define COMPARE(a, b)                                                                                        \
    if ((a) != (b))                                                                                          \
    return (a) < (b) ? -1 : 1

/* Prints the message and ends branch_trace with this status. */
_Noreturn void trace_fail(int status, const char *format, ...);
/* An array with room for one more than n elements of this size. */
void *trace_grown(void *p, size_t n, size_t *room, size_t size);

/* ---- branch_records.c ---- */

void records_add(struct records *r, struct record record);
/* Sorts the records, and adds up equal ones. */
void records_add_up(struct records *r);
void records_write(const struct records *r, const char *path);
/* Writes traces as branches and fall-throughs; old: as LLVM 19 knows them. */
void records_write_apart(const struct tracer *t, const char *path, bool old);

/* ---- branch_program.c: the program's file ---- */

void program_open(struct tracer *t, const char *path);
void program_close(struct tracer *t);
/* The segment that holds an address as linked, or NULL: outside. */
struct segment *program_segment(struct tracer *t, uint64_t address);
struct code *program_code(struct tracer *t, uint64_t address);
bool program_same_function(const struct tracer *t, uint64_t a, uint64_t b);

/* ---- branch_process.c: the process ---- */

void process_start(struct tracer *t, char **words);
/* Continues the process until it stops. Returns the signal; -1: the process has ended. */
int process_run(struct tracer *t, int request, int signal, int *status);
/* A field of struct user. */
uint64_t process_peek(struct tracer *t, size_t offset);
uint64_t process_counter(struct tracer *t); /* as linked */
uint64_t process_stack(struct tracer *t);
/* Allows or forbids the program's own code to run. If forbidden, each way into it, also callbacks and landing pads,
 * raises SIGSEGV. */
void process_set_executable(struct tracer *t, bool executable);

#endif
