/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_pending.h"

#include <errno.h>
#include <time.h>

void aprt_pending_find(struct aprt_pending *pending)
{
    sigset_t set;
    sigemptyset(&set);
    sigpending(&set);
    pending->broke_pipe = sigismember(&set, SIGPIPE) == 1;
    pending->grew_too_large = sigismember(&set, SIGXFSZ) == 1;
}

void aprt_pending_discard(const struct aprt_pending *before)
{
    const struct timespec at_once = {0, 0};
    struct aprt_pending now;
    sigset_t set;
    aprt_pending_find(&now);
    sigemptyset(&set);
    if (now.broke_pipe > before->broke_pipe)
        sigaddset(&set, SIGPIPE);
    if (now.grew_too_large > before->grew_too_large)
        sigaddset(&set, SIGXFSZ);
    if (now.broke_pipe <= before->broke_pipe && now.grew_too_large <= before->grew_too_large)
        return;
    while (sigtimedwait(&set, NULL, &at_once) > 0 || errno == EINTR)
        continue;
}

void aprt_pending_block(sigset_t *had)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, had);
}
