/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands about BOLT's address translation share. */
#ifndef CLI_BAT_H
#define CLI_BAT_H

#include <anyprof/bat.h>

#include "request.h"

struct bat_request {
    struct request base;
    const char *path;
    const char *original; /* --original; NULL: none */
};

/* Checks that there is a file, which -o does not replace. 0, or an exit code after a report. */
int bat_parse(struct bat_request *r, const struct session *session, const struct arguments *args);
/* Opens the table of `path`, and reads the program of --original, if there is one. 0, or an exit code after a report:
 * *bat is NULL. */
int bat_open(struct apf_bat **bat, const struct bat_request *r, const char *path);

#endif
