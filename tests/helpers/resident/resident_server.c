/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libresident_server.so, loaded into a tool with LD_PRELOAD by resident_client.c: in place of the tool's main, waits
 * for requests, and forks a copy for each, which continues with the tool's main. The work before main (loading its
 * libraries, its constructors) depends on neither words nor environment. */
#include "resident.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

enum { IDLE_MS = 60000 };

typedef int main_fn(int argc, char **argv, char **envp);
typedef int start_fn(main_fn *run, int argc, char **argv, void (*init)(void), void (*fini)(void),
                     void (*end)(void), void *stack);

extern char **environ;
static main_fn *tool_main;

/* Reads a request from a connection: the descriptors and, with one 0 after each list, the words and variables. */
static char **take_request(int connection, int descriptors[RT_DESCRIPTORS], struct rt_request *request)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int[RT_DESCRIPTORS]))];
    } control;
    struct iovec part = {.iov_base = request, .iov_len = sizeof *request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(connection, &message, MSG_WAITALL) != (ssize_t)sizeof *request)
        return NULL;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_len != CMSG_LEN(sizeof(int[RT_DESCRIPTORS])))
        return NULL;
    memcpy(descriptors, CMSG_DATA(head), sizeof(int[RT_DESCRIPTORS]));
    char *data = malloc(request->bytes);
    char **list = calloc((size_t)request->words + request->variables + 2, sizeof *list);
    if (!data || !list || rt_transfer(connection, data, request->bytes, 0))
        return NULL;
    char **to = list;
    for (uint32_t i = 0; i < request->words + request->variables; i++) {
        to += i == request->words;
        *to++ = data;
        data += strlen(data) + 1;
    }
    return list;
}

static void run_tool(char **list, const struct rt_request *request, const int descriptors[RT_DESCRIPTORS])
{
    if (fchdir(descriptors[3]))
        _exit(126);
    /* The received descriptors are above 2, as 0 to 2 are /dev/null here. */
    for (int i = 0; i < RT_DESCRIPTORS; i++) {
        if (i < 3)
            dup2(descriptors[i], i);
        close(descriptors[i]);
    }
    environ = list + request->words + 1;
    exit(tool_main((int)request->words, list, environ));
}

/* Serves one connection. The tool's copy is a child of this process and ends with it, and this process ends with the
 * client. */
static void serve(int connection)
{
    int descriptors[RT_DESCRIPTORS], status;
    struct rt_request request;
    char ready = 1;
    char **list =
        rt_transfer(connection, &ready, 1, 1) ? NULL : take_request(connection, descriptors, &request);
    if (!list)
        _exit(1);
    signal(SIGCHLD, SIG_DFL);
    pid_t child = fork();
    if (child == 0) {
        close(connection);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_tool(list, &request, descriptors);
    }
    for (int i = 0; i < RT_DESCRIPTORS; i++)
        close(descriptors[i]);
    int pidfd = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    if (pidfd >= 0) {
        struct pollfd polls[] = {{.fd = pidfd, .events = POLLIN}, {.fd = connection, .events = POLLRDHUP}};
        poll(polls, 2, -1);
        if (!polls[0].revents)
            _exit(1);
    }
    if (child > 0 && waitpid(child, &status, 0) == child)
        rt_transfer(connection, &status, sizeof status, 1);
    _exit(0);
}

static void serve_all(int listening, int idle_ms)
{
    struct pollfd idle = {.fd = listening, .events = POLLIN};
    while (poll(&idle, 1, idle_ms) > 0) {
        int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0)
            continue;
        if (fork() == 0) {
            close(listening);
            serve(connection);
        }
        close(connection);
    }
}

static int wait_for_requests(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    int listening = atoi(getenv(RT_LISTEN_VARIABLE));
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    signal(SIGCHLD, SIG_IGN);
    serve_all(listening, IDLE_MS);
    /* Later clients find no server and start one; earlier ones are still served. */
    if (getsockname(listening, (struct sockaddr *)&address, &size) == 0)
        unlink(address.sun_path);
    serve_all(listening, 0);
    _exit(0);
}

/* The function of the C library that a program's first code calls. */
int __libc_start_main(main_fn *run, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*end)(void), void *stack);
int __libc_start_main(main_fn *run, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*end)(void), void *stack)
{
    start_fn *start;
    void *symbol = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &symbol, sizeof start);
    tool_main = run;
    return start(getenv(RT_LISTEN_VARIABLE) ? wait_for_requests : run, argc, argv, init, fini, end, stack);
}
