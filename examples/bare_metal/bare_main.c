/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs the program, then writes its profile. build.sh builds all of it and runs it in qemu. */
#include "bare_port.h"
#include "bare_program.h"

#include <anyprof/rt.h>

static int send(void *port, const void *bytes, size_t n)
{
    return port_write(*(const int *)port, bytes, n);
}

int main(void)
{
    static const int samples[] = {10, 20, 400, 30, -10, 0, -500, -400, 5, 5};
    int n = (int)(sizeof samples / sizeof samples[0]);
    if (run_filter(samples, n) != 7)
        return 1;
    int port = port_open("bare_metal.profraw");
    if (port < 0)
        return 2;
    int code = apf_rt_write(send, &port);
    return port_close(port) || code ? 3 : 0;
}
