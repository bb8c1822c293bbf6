/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing the profile when a signal is about to end the process. Executable and libraries each have a handler; each
 * writes its own profile, and leaves the rest to the one that was there before it. */
#include "rt_memory.h"
#include "rt_run.h"
#include "rt_target.h"

#include <anyprof/rt.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* SIGKILL and SIGSTOP cannot be had; the real-time signals are the program's business. */
static const int fatal[] = {SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
                            SIGSYS,  SIGHUP,    SIGINT,  SIGQUIT, SIGTERM, SIGALRM,
                            SIGPIPE, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2};
enum { FATAL = sizeof fatal / sizeof fatal[0], STACK = 65536 };

static struct sigaction before[FATAL];
static int ours[FATAL];

/* The mask of our handlers, of all images: all signals but one that no handler of another kind would leave out alone.
 * This is how they know each other. */
static void fill_mask(sigset_t *mask)
{
    sigfillset(mask);
    sigdelset(mask, SIGURG);
}

static int is_of_a_runtime(const struct sigaction *action)
{
    int held = 0;
    for (size_t i = 0; i < FATAL; i++)
        held += sigismember(&action->sa_mask, fatal[i]) == 1;
    return !(action->sa_flags & SA_SIGINFO) && held == FATAL && sigismember(&action->sa_mask, SIGURG) == 0 &&
           sigismember(&action->sa_mask, SIGCHLD) == 1 && sigismember(&action->sa_mask, SIGWINCH) == 1;
}

/* What the program handles or ignores does not end it. */
static int ends_process(const struct sigaction *action)
{
    return (!(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL) || is_of_a_runtime(action);
}

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
    for (size_t i = 0; i < FATAL; i++) {
        if (fatal[i] == number && before[i].sa_handler != SIG_DFL)
            before[i].sa_handler(number);
    }
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
    struct sigaction action = {.sa_handler = flush, .sa_flags = SA_ONSTACK};
    int result = 0;
    bring_stack();
    fill_mask(&action.sa_mask);
    for (size_t i = 0; i < FATAL; i++) {
        if (ours[i] || sigaction(fatal[i], NULL, &before[i]) != 0 || !ends_process(&before[i]))
            continue;
        ours[i] = sigaction(fatal[i], &action, NULL) == 0;
        if (!ours[i])
            result = errno;
    }
    return result;
}

/* A library that is unloaded takes its handlers with it, unless another one's stand in front of them. */
__attribute__((destructor)) static void unloaded(void)
{
    struct sigaction now;
    if (!rt_run_is_library())
        return;
    for (size_t i = 0; i < FATAL; i++) {
        if (ours[i] && sigaction(fatal[i], NULL, &now) == 0 && now.sa_handler == flush)
            sigaction(fatal[i], &before[i], NULL);
    }
}
