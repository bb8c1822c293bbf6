/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profiled program: compiled with -fprofile-instr-generate or a similar option, unlike the other files. */
#include "bare_program.h"

static int smooth(int before, int sample)
{
    return (3 * before + sample) / 4;
}

static int alarm(int level, int limit, int armed)
{
    if (armed && (level > limit || level < -limit))
        return 1;
    return 0;
}

int run_filter(const int *samples, int n)
{
    int level = 0, alarms = 0;
    for (int i = 0; i < n; i++) {
        level = smooth(level, samples[i]);
        alarms += alarm(level, 50, i >= 2);
    }
    return alarms;
}
