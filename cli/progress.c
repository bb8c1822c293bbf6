/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 1000u  /* milliseconds before the first line */
#define PAUSE 100u      /* milliseconds between two lines */
#define WIPE "\r\033[K" /* moves to the first column and clears the line */

static uint64_t milliseconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Whether standard error is a terminal that can wipe out a line. */
static bool is_screen(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && term && *term && strcmp(term, "dumb") != 0;
}

/* Width of the screen: a longer line could not be wiped out. */
static size_t columns(void)
{
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void draw_line(struct progress *p, const struct apf_progress *now, uint64_t elapsed)
{
    char text[160], line[sizeof text + sizeof WIPE];
    /* Bytes in a millisecond are kilobytes in a second. */
    uint64_t speed = now->bytes / (elapsed ? elapsed : 1);
    int n = snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64 " files, %" PRIu64 ".%" PRIu64 " MB/s",
                     now->n_done, now->n_inputs, speed / 1000, speed % 1000 / 100);
    if (now->n_bad && n > 0)
        snprintf(text + n, sizeof text - (size_t)n, ", %" PRIu64 " bad", now->n_bad);
    size_t most = columns() - 1;
    snprintf(line, sizeof line, WIPE "%.*s", (int)(most < sizeof text ? most : sizeof text), text);
    fputs(line, stderr);
    p->shown = true;
}

/* An apf_progress_fn; `user` is the struct progress. */
static int draw_progress(void *user, const struct apf_progress *now)
{
    struct progress *p = (struct progress *)user;
    if (!p->wanted || p->unfinished)
        return 0;
    uint64_t time = milliseconds();
    if (!p->always && (time - p->began < PATIENCE || time - p->drawn < PAUSE))
        return 0;
    /* A job in the background does not write on the screen of the one in front. */
    if (!p->always && tcgetpgrp(STDERR_FILENO) != getpgrp())
        return 0;
    p->drawn = time;
    draw_line(p, now, time - p->began);
    return 0;
}

void progress_begin(const struct request *request, struct apf_options *options)
{
    struct progress *p = request->session->progress;
    memset(p, 0, sizeof *p);
    p->always = request->progress == PROGRESS_ALWAYS;
    p->wanted = p->always || (request->progress == PROGRESS_AUTO && is_screen() && !request->quiet);
    p->began = p->wanted ? milliseconds() : 0;
    options->progress = draw_progress;
    options->progress_user = p;
}

void progress_hide(struct progress *p)
{
    if (!p || !p->shown)
        return;
    fputs(WIPE, stderr);
    p->shown = false;
}

int progress_write(void *user, const void *bytes, size_t n)
{
    struct progress *p = (struct progress *)user;
    if (n == 0)
        return 0;
    progress_hide(p);
    errno = 0;
    if (fwrite(bytes, 1, n, stdout) != n || fflush(stdout) != 0)
        return errno ? errno : EIO;
    p->unfinished = ((const char *)bytes)[n - 1] != '\n';
    return 0;
}

void progress_end(const struct session *session)
{
    progress_hide(session->progress);
    session->progress->wanted = false;
}
