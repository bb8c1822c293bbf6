/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool for resident.sh: prints how it was started, and ends as its words ask. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t first; /* the process in which constructors ran */

__attribute__((constructor)) static void start(void)
{
    first = getpid();
}

int main(int argc, char **argv)
{
    char line[256], where[4096];
    const char *what = argc > 1 ? argv[1] : "", *variable = getenv("VICTIM");
    if (strcmp(what, "say") == 0) {
        for (int i = 0; i < argc; i++) {
            printf("word %s\n", argv[i]);
        }
        printf("variable %s\n", variable ? variable : "none");
        printf("directory %s\n", getcwd(where, sizeof where));
        printf("input %s\n", fgets(line, sizeof line, stdin) ? line : "none");
        fprintf(stderr, "error\n");
    } else if (strcmp(what, "end") == 0) {
        return atoi(argv[2]);
    } else if (strcmp(what, "signal") == 0) {
        raise(atoi(argv[2]));
    } else if (strcmp(what, "copied") == 0) {
        printf("%s\n", first == getpid() ? "no" : "yes");
    } else if (strcmp(what, "wait") == 0) {
        printf("%d\n", (int)getpid());
        fflush(stdout);
        sleep(300);
    }
    return 0;
}
