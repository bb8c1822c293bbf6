/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Long work asks from time to time whether it is to go on, so that the caller of the library can end it: a pulse is one
 * for each call, and all threads that work for the call share it. Loops whose length the input decides have a
 * pulse_check in them. */
#ifndef BASE_PULSE_H
#define BASE_PULSE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <anyprof/io.h>

#include "base/error.h"

/* All zero: nothing is asked, and the work goes on. */
struct pulse {
    /* Tells the caller how far the call has come, on the thread that made the call; other results than 0 end it. NULL:
     * no call runs. */
    int (*beat)(void *context);
    void *context;
    pthread_t caller;    /* the thread that made the call */
    atomic_bool stopped; /* a beat has ended the call */
};

/* The times that a loop runs between two looks. Every use of `i` counts what takes microseconds, so that looks cost
 * nothing, and a few of them fit in a second. */
#define PULSE_EVERY 1024u

void pulse_begin(struct pulse *pulse, int (*beat)(void *context), void *context);
void pulse_end(struct pulse *pulse);
/* A pulse for a call that reads one input: its beats are the caller's progress, with nothing done. The options must
 * live as long as the call. */
void pulse_begin_input(struct pulse *pulse, const struct apf_options *options);
/* Whether the call ends. Asks the caller, if this is its thread; other threads learn what it said. */
bool pulse_look(struct pulse *pulse);
/* The error of a call that ends, APF_STOPPED. */
int pulse_error(struct apf_error *error);

/* Between two steps, each of which goes once through all functions: the code of the first one, or APF_STOPPED. */
static inline int pulse_step(struct pulse *pulse, int code, struct apf_error *error)
{
    return code == APF_OK && pulse && pulse_look(pulse) ? pulse_error(error) : code;
}

/* In a loop, at its i-th time: APF_STOPPED if the call ends. A pulse that is NULL never ends one. */
static inline int pulse_check(struct pulse *pulse, uint64_t i, struct apf_error *error)
{
    return pulse && i % PULSE_EVERY == PULSE_EVERY - 1 && pulse_look(pulse) ? pulse_error(error) : APF_OK;
}

#endif
