/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The size of the core is that of this program with WRITE less that of this program without it. It never runs. */
#include "bare_counted.h"
#include "bare_port.h"

#include <anyprof/rt.h>

static int send(void *port, const void *bytes, size_t n)
{
    return port_write(*(const int *)port, bytes, n);
}

int main(void)
{
    int port = port_open("size.profraw");
#ifdef WRITE
    return counted() + apf_rt_write(send, &port);
#else
    return counted() + send(&port, &port, sizeof port);
#endif
}
