/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests: what a command has to do. Each command parses its arguments once into a struct of its own that begins with
 * a struct request; after that, nothing reads struct arguments. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include <anyprof/io.h>

#include "options.h"
#include "report.h"

/* The options that most commands have, with their defaults where a command lacks one. */
struct request {
    const struct session *session;
    const char *output;        /* path of -o; "-", the default, is standard output */
    struct apf_options limits; /* --max-input-size, --max-records, --max-depth, and nothing else */
    uint64_t progress;         /* PROGRESS_* */
    bool json, quiet;
};

struct request request_of(const struct session *session, const struct arguments *args);

#endif
