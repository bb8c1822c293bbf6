/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The process that branch_trace runs instruction by instruction. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
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

#include "tools/branch_trace.h"

static void trace(int request, struct tracer *t, void *data)
{
    if (ptrace(request, t->pid, NULL, data) != 0)
        trace_fail(FAILED, "ptrace %d: %s", request, strerror(errno));
}

uint64_t process_peek(struct tracer *t, size_t offset)
{
    errno = 0;
    long value = ptrace(PTRACE_PEEKUSER, t->pid, offset, NULL);
    if (errno)
        trace_fail(FAILED, "PTRACE_PEEKUSER: %s", strerror(errno));
    return (uint64_t)value;
}

uint64_t process_counter(struct tracer *t)
{
    return process_peek(t, offsetof(struct user_regs_struct, rip)) - t->bias;
}

uint64_t process_stack(struct tracer *t)
{
    return process_peek(t, offsetof(struct user_regs_struct, rsp));
}

int process_run(struct tracer *t, int request, int signal, int *status)
{
    trace(request, t, (void *)(intptr_t)signal);
    if (waitpid(t->pid, status, 0) != t->pid)
        trace_fail(FAILED, "waitpid: %s", strerror(errno));
    return WIFSTOPPED(*status) ? WSTOPSIG(*status) : -1;
}

static FILE *open_proc(struct tracer *t, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)t->pid, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        trace_fail(FAILED, "%s: %s", path, strerror(errno));
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
        trace_fail(FAILED, "no entry point");
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
            !program_segment(t, from - t->bias))
            t->gadget = find_syscall(t, from, (size_t)(to - from));
    }
    fclose(f);
    if (!t->gadget)
        trace_fail(FAILED, "no syscall instruction found");
}

void process_start(struct tracer *t, char **words)
{
    int status;
    t->pid = fork();
    if (t->pid < 0)
        trace_fail(FAILED, "fork: %s", strerror(errno));
    if (t->pid == 0) {
        personality(ADDR_NO_RANDOMIZE);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(SKIPPED);
        execv(words[0], words);
        _exit(FAILED);
    }
    if (waitpid(t->pid, &status, 0) != t->pid)
        trace_fail(FAILED, "waitpid: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
        trace_fail(SKIPPED, "this process may not trace");
    if (!WIFSTOPPED(status))
        trace_fail(FAILED, "%s does not start", words[0]);
    trace(PTRACE_SETOPTIONS, t, (void *)(intptr_t)PTRACE_O_EXITKILL);
    find_bias(t);
    find_gadget(t);
}

void process_set_executable(struct tracer *t, bool executable)
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
        if (process_run(t, PTRACE_SINGLESTEP, 0, &status) != SIGTRAP)
            trace_fail(FAILED, "the process is gone");
        trace(PTRACE_GETREGS, t, &now);
        if (now.rax != 0)
            trace_fail(FAILED, "mprotect: %s", strerror((int)-(int64_t)now.rax));
    }
    trace(PTRACE_SETREGS, t, &saved);
}
