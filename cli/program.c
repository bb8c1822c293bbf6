/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demangle.h"
#include "report.h"

/* Opens the null device for each standard stream that is closed. Otherwise the next file that is opened would get its
 * number, and messages could land in a profile. The modes are such that using the stream stays an error. */
static bool occupy_standard_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
            return false;
    }
    return true;
}

bool program_begin(void)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of write, as a full disk is */
    return occupy_standard_streams();
}

bool program_color(void)
{
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && !(no_color && *no_color);
}

int program_end(const struct session *session, int code)
{
    int why = 0;
    demangler_report(session);
    if (fflush(stdout) != 0)
        why = errno;
    else if (ferror(stdout))
        why = EIO;
    if (!why)
        return code;
    report_errno(session, shown_name(session, "-", true), why);
    return code == 0 || code == EXIT_ABOVE ? EXIT_DATA : code;
}
