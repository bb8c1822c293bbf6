/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "report.h"

extern char **environ;

#define MOST_WORDS 16
#define MOST_TEXT ((size_t)64 << 20) /* largest output that perf_tool_read accepts */

/* The standard output of perf is the pipe; perf does not ignore SIGXFSZ as the command does. */
static int spawn_perf(struct perf_tool *tool, char **words, int out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int why = posix_spawn_file_actions_init(&actions);
    if (why)
        return why;
    why = posix_spawnattr_init(&attributes);
    if (!why) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGXFSZ);
        why = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (!why)
            why = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (!why)
            why = posix_spawnattr_setsigdefault(&attributes, &signals);
        if (!why)
            why = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        if (!why)
            why = posix_spawnp(&tool->child, "perf", &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

static bool cannot_start(const struct session *session, const char *file, int why)
{
    if (why == ENOENT)
        report_error(
            session, file,
            "perf, which has to read this file, is not on PATH. Where perf is installed, run 'perf script "
            "-F pid,time,event,brstack --show-mmap-events --show-task-events -i %s' (with --basic-events, "
            "'ip -G' for 'brstack'), and give its output to --perf-script",
            file);
    else
        report_error(session, file, "perf cannot be run: %s", strerror(why));
    return false;
}

bool perf_tool_start(struct perf_tool *tool, const struct session *session, const char *verb,
                     const char *const *words, const char *file)
{
    const char *all[MOST_WORDS] = {"perf", verb};
    size_t n = 2;
    int ends[2];
    for (; words[n - 2] && n + 4 < MOST_WORDS; n++)
        all[n] = words[n - 2];
    all[n++] = "-f"; /* also a file of another owner */
    all[n++] = "-i";
    all[n++] = file;
    all[n] = NULL;
    *tool = (struct perf_tool){0, -1, verb, file};
    signal(SIGCHLD, SIG_DFL); /* waitpid needs it */
    if (pipe(ends) != 0)
        return cannot_start(session, file, errno);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int why = spawn_perf(tool, (char **)(uintptr_t)all, ends[1]);
    close(ends[1]);
    if (why)
        close(ends[0]);
    else
        tool->fd = ends[0];
    return why ? cannot_start(session, file, why) : true;
}

/* Whether all output was read. Standard input stays open: its descriptor must not be used for another file. */
static bool stop_reading(struct perf_tool *tool)
{
    char byte;
    ssize_t got;
    do
        got = read(tool->fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    int nothing = tool->fd == STDIN_FILENO ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (nothing >= 0) {
        dup2(nothing, tool->fd);
        close(nothing);
    } else {
        close(tool->fd);
    }
    return got == 0;
}

bool perf_tool_finish(struct perf_tool *tool, const struct session *session)
{
    int status = 0, why = 0;
    bool whole = stop_reading(tool);
    while (waitpid(tool->child, &status, 0) < 0 && !why)
        why = errno == EINTR ? 0 : errno;
    if (why)
        report_error(session, tool->file, "cannot wait for perf %s: %s", tool->verb, strerror(why));
    else if (WIFSIGNALED(status) && whole)
        report_error(session, tool->file, "perf %s was ended by signal %d", tool->verb, WTERMSIG(status));
    else if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && whole)
        report_error(session, tool->file, "perf %s has failed with exit code %d", tool->verb,
                     WEXITSTATUS(status));
    else
        return true;
    return false;
}

bool perf_tool_to_stdin(struct perf_tool *tool, const struct session *session)
{
    if (dup2(tool->fd, STDIN_FILENO) != STDIN_FILENO) {
        report_errno(session, tool->file, errno);
        return false;
    }
    close(tool->fd);
    tool->fd = STDIN_FILENO;
    return true;
}

char *perf_tool_read(struct perf_tool *tool, const struct session *session, size_t *n)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t got = 1;
    for (*n = 0; got != 0 && *n < MOST_TEXT; *n += got > 0 ? (size_t)got : 0) {
        if (*n == room) {
            room = 2 * room + 4096;
            text = checked_realloc(text, room, 1);
        }
        got = read(tool->fd, text + *n, room - *n);
        if (got < 0 && errno != EINTR)
            break;
    }
    if (got == 0)
        return text;
    report_error(session, tool->file, "the output of perf %s cannot be read: %s", tool->verb,
                 got < 0 ? strerror(errno) : "it is too large");
    free(text);
    return NULL;
}
