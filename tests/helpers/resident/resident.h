/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The protocol of resident_client.c and resident_server.c. The server begins with a byte, as a sign of life. A request
 * is a struct rt_request with four descriptors (standard input, output and error, and the working directory), and after
 * it the words and the environment, each ended by a 0. The answer is the status of waitpid. */
#ifndef ANYPROF_TESTS_RESIDENT_H
#define ANYPROF_TESTS_RESIDENT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum { RT_DESCRIPTORS = 4 };

struct rt_request {
    uint32_t words, variables; /* their numbers */
    uint32_t bytes;            /* bytes of both together */
};

/* The descriptor on which a server listens. */
#define RT_LISTEN_VARIABLE "ANYPROF_RESIDENT_LISTEN"

static inline int rt_transfer(int fd, void *data, size_t n, int writes)
{
    char *at = data;
    while (n) {
        ssize_t got = writes ? write(fd, at, n) : read(fd, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

#endif
