/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program of fault_preload.sh: fault_victim FROM TO RENAMED calls what fault_preload.c can make fail, each once
 * (open and close twice), and prints how it went. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void tell(const char *name, int ok)
{
    printf(" %s=%s", name,
           ok                ? "ok"
           : errno == ENOSPC ? "ENOSPC"
           : errno == EIO    ? "EIO"
           : errno == EMFILE ? "EMFILE"
           : errno == ENOMEM ? "ENOMEM"
           : errno == EINTR  ? "EINTR"
                             : "?");
}

int main(int argc, char **argv)
{
    static char out[4096]; /* so that stdio needs no memory */
    setvbuf(stdout, out, _IOFBF, sizeof out);
    if (argc != 4)
        return 2;
    /* volatile: the compiler knows malloc, and would leave it out. */
    void *volatile plain = malloc(10);
    tell("malloc", plain != NULL);
    void *volatile zeros = calloc(10, 10);
    tell("calloc", zeros != NULL);
    void *volatile larger = realloc(plain, 1000);
    tell("realloc", larger != NULL);
    free(zeros);
    free(larger ? larger : plain);

    char bytes[100];
    int from = open(argv[1], O_RDONLY);
    tell("open", from >= 0);
    ssize_t n = read(from, bytes, sizeof bytes);
    tell("read", n >= 0);
    int failed = close(from);
    tell("close", !failed);
    int to = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0640);
    tell("open", to >= 0);
    ssize_t done = write(to, bytes, n < 0 ? 0 : (size_t)n);
    tell("write", done == n);
    failed = close(to);
    tell("close", !failed);
    failed = rename(argv[2], argv[3]);
    tell("rename", !failed);
    printf("\n");
    return 0;
}
