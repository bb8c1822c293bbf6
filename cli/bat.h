/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The request and the input of commands about BOLT's address translation. */
#ifndef CLI_BAT_H
#define CLI_BAT_H

#include <anyprof/bat.h>

#include "request.h"

struct bat_request {
    struct request base;
    const char *path;
    const char *original; /* --original; NULL: none */
};

/* Parses the arguments. A FILE is required, which -o must not replace. 0, or an exit code after a report. */
int bat_parse(struct bat_request *r, const struct session *session, const struct arguments *args);
/* Opens the table of `path`, and reads the program of --original, if there is one. 0, or an exit code after a report:
 * *bat is NULL. */
int bat_open(struct apf_bat **bat, const struct bat_request *r, const char *path);

#endif
