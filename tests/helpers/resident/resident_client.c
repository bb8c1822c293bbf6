/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Other projects' tools take much of the time of the tests that compare with them only to start: 30 to 50 ms for
 * llvm-profdata, which loads 60 libraries. This program replaces a tool and has its name. It asks a copy of the tool,
 * which has started and waits before its main (resident_server.c), to fork and continue with these words, environment,
 * directory and descriptors; if there is no copy, it starts one, which ends after a minute without requests. The tool
 * is the first of that name in PATH that is no such program. Whatever does not work: the tool is executed as if this
 * program were not there. */
#include "resident.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

extern char **environ;

/* Whether a path leads to this program, in this build or another one, beside whose file the server's library lies. Two
 * builds in one PATH would ask each other for ever. */
static int is_stand_in(const char *path, const char *self)
{
    char real[PATH_MAX], server[PATH_MAX + 32];
    if (!realpath(path, real))
        return 0;
    snprintf(server, sizeof server, "%.*s/libresident_server.so", (int)(strrchr(real, '/') - real), real);
    return strcmp(real, self) == 0 || access(server, F_OK) == 0;
}

/* Fills in `tool`, the path of the tool. -1: not found. */
static int find_tool(const char *name, const char *self, char tool[PATH_MAX])
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        int room = snprintf(tool, PATH_MAX, "%.*s/%s", (int)n, path, name);
        if (n && room < PATH_MAX && access(tool, X_OK) == 0 && !is_stand_in(tool, self))
            return 0;
        path += n + (path[n] == ':');
    }
    return -1;
}

static int socket_address(struct sockaddr_un *address, const char *self, const char *name)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    const char *slash = strrchr(self, '/');
    size_t room = sizeof address->sun_path;
    return snprintf(address->sun_path, room, "%.*s/%s.socket", (int)(slash - self), self, name) < (int)room
               ? 0
               : -1;
}

static int try_connect(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Starts the server as a process of its own, without a parent that waits for it and without our descriptors: a reader
 * of our output would wait for its end. */
static void start_server(const struct sockaddr_un *address, const char *tool, const char *self)
{
    char preload[PATH_MAX + 32], number[16];
    int null = open("/dev/null", O_RDWR);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const char *slash = strrchr(self, '/');
    snprintf(preload, sizeof preload, "%.*s/libresident_server.so", (int)(slash - self), self);
    unlink(address->sun_path);
    if (null < 0 || fd < 0 || bind(fd, (const struct sockaddr *)address, sizeof *address) || listen(fd, 64))
        return; /* the next connection fails */
    pid_t child = fork();
    if (child == 0) {
        if (setsid() < 0 || fork() != 0 || chdir("/"))
            _exit(0);
        for (int i = 0; i < 3; i++)
            dup2(null, i);
        for (int i = 3; i < 256; i++) {
            if (i != fd)
                close(i);
        }
        snprintf(number, sizeof number, "%d", fd);
        setenv(RT_LISTEN_VARIABLE, number, 1);
        setenv("LD_PRELOAD", preload, 1);
        execl(tool, tool, (char *)NULL);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    close(fd);
    close(null);
}

/* Returns a descriptor on which the server answers, or -1. */
static int connect_server(const struct sockaddr_un *address, const char *tool, const char *self)
{
    char lock_path[sizeof address->sun_path + 8];
    int fd = try_connect(address);
    if (fd >= 0)
        return fd;
    snprintf(lock_path, sizeof lock_path, "%s.lock", address->sun_path);
    int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX))
        return -1;
    fd = try_connect(address); /* another process may have started the server */
    if (fd < 0) {
        start_server(address, tool, self);
        fd = try_connect(address);
    }
    close(lock);
    return fd;
}

static char *append_strings(char *at, char **all)
{
    for (; *all; all++)
        at = stpcpy(at, *all) + 1;
    return at;
}

static uint32_t count(char **all, size_t *bytes)
{
    uint32_t n = 0;
    for (; all[n]; n++)
        *bytes += strlen(all[n]) + 1;
    return n;
}

/* Asks for a run. 0, or -1 if the request was not sent. */
static int ask(int fd, char **words)
{
    size_t bytes = 0;
    struct rt_request request = {.words = count(words, &bytes), .variables = count(environ, &bytes)};
    char ready, *data = malloc(bytes);
    int descriptors[RT_DESCRIPTORS] = {0, 1, 2, open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!data || descriptors[3] < 0 || rt_transfer(fd, &ready, 1, 0))
        return -1;
    request.bytes = (uint32_t)bytes;
    append_strings(append_strings(data, words), environ);
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof descriptors)];
    } control = {.room = {0}};
    struct iovec part = {.iov_base = &request, .iov_len = sizeof request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(head), descriptors, sizeof descriptors);
    if (sendmsg(fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof request || rt_transfer(fd, data, bytes, 1))
        return -1;
    free(data);
    close(descriptors[3]);
    return 0;
}

int main(int argc, char **argv)
{
    char self[PATH_MAX], tool[PATH_MAX];
    struct sockaddr_un address;
    const char *name = argc > 0 ? strrchr(argv[0], '/') : NULL;
    name = name ? name + 1 : argc > 0 ? argv[0] : "";
    if (!realpath("/proc/self/exe", self) || find_tool(name, self, tool)) {
        fprintf(stderr, "%s: not found\n", name);
        return 127;
    }
    int fd = socket_address(&address, self, name) ? -1 : connect_server(&address, tool, self);
    if (fd < 0 || ask(fd, argv)) {
        execv(tool, argv);
        return 127;
    }
    int status;
    if (rt_transfer(fd, &status, sizeof status, 0)) {
        fprintf(stderr, "%s: its server gave no answer\n", name);
        return 125;
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
