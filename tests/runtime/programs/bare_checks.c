/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs on bare metal; the exit code says which check failed. Profiles: once (of one run), buffer (the same, through
 * compiler-rt's functions), reset (no run), again (one run after the reset). */
#include "bare_counted.h"
#include "bare_port.h"

#include <anyprof/rt.h>

uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);

struct sink {
    int port; /* negative: none */
    uint64_t size;
    unsigned calls, fail_at; /* the call that fails; 0: none */
};

enum { CODE = 42, CANARY = 0x5a, ROOM = 16384 };

static char buffer[ROOM];

static int take(void *context, const void *bytes, size_t n)
{
    struct sink *sink = context;
    sink->size += n;
    sink->calls++;
    if (sink->calls == sink->fail_at)
        return CODE;
    return sink->port < 0 ? 0 : port_write(sink->port, bytes, n);
}

/* 0: written, and as long as was said before. */
static int write_profile(const char *name, unsigned *calls)
{
    struct sink sink = {.port = port_open(name)};
    uint64_t size = apf_rt_size();
    if (sink.port < 0)
        return 1;
    if (apf_rt_write(take, &sink) || port_close(sink.port))
        return 2;
    *calls = sink.calls;
    return size == 0 || sink.size != size;
}

/* 0: whichever call fails, its code is returned and there is no call after it. */
static int failing(unsigned calls)
{
    for (unsigned at = 1; at <= calls; at++) {
        struct sink sink = {.port = -1, .fail_at = at};
        if (apf_rt_write(take, &sink) != CODE || sink.calls != at)
            return 1;
    }
    return 0;
}

/* Room for one size; a value that comes then must not make it longer. */
static int through_buffer(const char *name, int (*between)(void))
{
    uint64_t size = __llvm_profile_get_size_for_buffer();
    if (size == 0 || size >= ROOM)
        return 1;
    for (size_t i = 0; i < ROOM; i++)
        buffer[i] = CANARY;
    if (between)
        (void)between();
    if (__llvm_profile_write_buffer(buffer))
        return 2;
    for (size_t i = (size_t)size; i < ROOM; i++) {
        if (buffer[i] != CANARY)
            return 3;
    }
    int port = port_open(name);
    return port < 0 || port_write(port, buffer, (size_t)size) || port_close(port);
}

int main(void)
{
    unsigned calls = 0;
#ifdef RESET_FIRST
    apf_rt_reset();
#endif
    if (counted() != 20)
        return 10;
    if (write_profile("once.profraw", &calls))
        return 11;
    if (failing(calls))
        return 12;
    if (through_buffer("buffer.profraw", 0))
        return 13;
    if (through_buffer("between.profraw", uncommon))
        return 14;
    apf_rt_reset();
    if (write_profile("reset.profraw", &calls))
        return 15;
    if (counted() != 20)
        return 16;
    if (write_profile("again.profraw", &calls))
        return 17;
    return 0;
}
