/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the profile when a signal is about to end the process. One image, the executable or a library, handles a
 * signal for all of them. */
#include "rt_memory.h"
#include "rt_run.h"
#include "rt_target.h"

#include <anyprof/rt.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* SIGKILL and SIGSTOP cannot be handled; real-time signals are left to the program. */
static const int fatal[] = {SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
                            SIGSYS,  SIGHUP,    SIGINT,  SIGQUIT, SIGTERM, SIGALRM,
                            SIGPIPE, SIGVTALRM, SIGPROF, SIGXCPU, SIGUSR1, SIGUSR2};
enum { FATAL = sizeof fatal / sizeof fatal[0], STACK = 65536 };

/* Ends the process by this signal, with a core file where it would have one without the handler. */
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

static void handle_signal(int number)
{
    aprt_run_flush();
    aprt_target_leave(); /* this image may have found no free entry in the table */
    end_by(number);
}

static int install_handler(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = handler == SIG_DFL ? 0 : SA_ONSTACK};
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0 ? 0 : errno;
}

void aprt_signal_register(void)
{
    const struct aprt_flusher ours = {aprt_target_leave, handle_signal};
    aprt_run_register(&ours);
}

/* Handlers need another stack, because the signal may mean that the stack has overflowed. */
static void provide_stack(void)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
        return;
    stack = (stack_t){.ss_sp = aprt_pages(STACK), .ss_size = STACK};
    if (stack.ss_sp)
        sigaltstack(&stack, NULL);
}

int apf_rt_flush_on_signals(void)
{
    struct sigaction there;
    int result = 0;
    aprt_signal_register();
    provide_stack();
    for (size_t i = 0; i < FATAL; i++) {
        /* A signal that the program handles or ignores does not end it; one that another image handles is handled for
         * all. */
        if (sigaction(fatal[i], NULL, &there) == 0 && !(there.sa_flags & SA_SIGINFO) &&
            there.sa_handler == SIG_DFL) {
            int error = install_handler(fatal[i], handle_signal);
            result = result ? result : error;
        }
    }
    return result;
}

/* A library that is unloaded passes its handlers on to another image. */
__attribute__((destructor)) static void unloaded(void)
{
    struct aprt_flusher *all = aprt_run_flushers();
    struct sigaction now;
    void (*heir)(int) = SIG_DFL;
    if (!aprt_image_is_library())
        return;
    for (size_t i = 0; i < RT_MOST_FLUSHERS; i++) {
        if (all[i].flush == aprt_target_leave)
            all[i].flush = NULL;
        else if (all[i].flush)
            heir = all[i].handler;
    }
    for (size_t i = 0; i < FATAL; i++) {
        if (sigaction(fatal[i], NULL, &now) == 0 && now.sa_handler == handle_signal)
            (void)install_handler(fatal[i], heir);
    }
}
