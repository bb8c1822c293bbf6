/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/pulse.h"

void pulse_begin(struct pulse *pulse, int (*beat)(void *context), void *context)
{
    pulse->beat = beat;
    pulse->context = context;
    pulse->caller = pthread_self();
    atomic_store(&pulse->stopped, false);
}

void pulse_end(struct pulse *pulse)
{
    pulse->beat = NULL;
}

static int report_input(void *context)
{
    const struct apf_options *o = (const struct apf_options *)context;
    const struct apf_progress now = {0, 1, 0, 0};
    return o->progress ? o->progress(o->progress_user, &now) : 0;
}

void pulse_begin_input(struct pulse *pulse, const struct apf_options *options)
{
    pulse_begin(pulse, report_input, (void *)options);
}

bool pulse_look(struct pulse *pulse)
{
    if (atomic_load_explicit(&pulse->stopped, memory_order_relaxed))
        return true;
    if (!pulse->beat || !pthread_equal(pthread_self(), pulse->caller) || pulse->beat(pulse->context) == 0)
        return false;
    atomic_store(&pulse->stopped, true);
    return true;
}

int pulse_error(struct apf_error *error)
{
    return error_plain(error, APF_STOPPED, "progress", NULL);
}
