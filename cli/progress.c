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

#define PATIENCE 1000u  /* milliseconds of work that nobody wants to hear of */
#define PAUSE 100u      /* between two lines */
#define WIPE "\r\033[K" /* to the first column, and nothing behind it */

static uint64_t milliseconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Somebody looks at it, and it can wipe out what it shows. */
static bool is_screen(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && term && *term && strcmp(term, "dumb") != 0;
}

void progress_begin(const struct session *session, const struct arguments *args)
{
    struct progress *p = session->progress;
    uint64_t when = option_number(args, OPT_PROGRESS, PROGRESS_AUTO);
    memset(p, 0, sizeof *p);
    p->always = when == PROGRESS_ALWAYS;
    p->wanted = p->always || (when == PROGRESS_AUTO && is_screen() && !option_flag(args, OPT_QUIET));
    p->began = p->wanted ? milliseconds() : 0;
}

/* A line that is as wide as the screen would leave a part of itself behind. */
static size_t columns(void)
{
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void draw(struct progress *p, const struct apf_progress *now, uint64_t elapsed)
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

void progress_take(void *user, const struct apf_progress *now)
{
    struct progress *p = (struct progress *)user;
    if (!p->wanted || p->taken)
        return;
    uint64_t time = milliseconds();
    if (!p->always && (time - p->began < PATIENCE || time - p->drawn < PAUSE))
        return;
    /* Behind a shell that has gone on, the screen is somebody else's. */
    if (!p->always && tcgetpgrp(STDERR_FILENO) != getpgrp())
        return;
    p->drawn = time;
    draw(p, now, time - p->began);
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
    p->taken = ((const char *)bytes)[n - 1] != '\n';
    return 0;
}

void progress_end(const struct session *session)
{
    progress_hide(session->progress);
    session->progress->wanted = false;
}
