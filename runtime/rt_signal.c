/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing the profile when a signal is about to end the process. */
#include "rt_memory.h"
#include "rt_target.h"

#include <anyprof/rt.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* SIGKILL and SIGSTOP cannot be had; the real-time signals are the program's business. */
static const int fatal[] = {SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
                            SIGSYS,  SIGHUP,    SIGINT,  SIGQUIT, SIGTERM, SIGALRM,
                            SIGPIPE, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2};

enum { STACK = 65536 };

/* The process is as it would be without us: it ends by this signal, with its core file if it makes one. */
static void end_by(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t only;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

static void flush(int number)
{
    rt_target_leave();
    end_by(number);
}

/* What has run out may be the stack itself. */
static void bring_stack(void)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
        return;
    stack = (stack_t){.ss_sp = rt_pages(STACK), .ss_size = STACK};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
}

int apf_rt_flush_on_signals(void)
{
    struct sigaction ours = {.sa_handler = flush, .sa_flags = SA_ONSTACK}, there;
    int result = 0;
    bring_stack();
    sigfillset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        /* What the program handles or ignores does not end it. */
        if (sigaction(fatal[i], NULL, &there) != 0 || (there.sa_flags & SA_SIGINFO) ||
            there.sa_handler != SIG_DFL)
            continue;
        if (sigaction(fatal[i], &ours, NULL) != 0)
            result = errno;
    }
    return result;
}
