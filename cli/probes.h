/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The request and the input of commands about pseudo probes. */
#ifndef CLI_PROBES_H
#define CLI_PROBES_H

#include <anyprof/probe.h>

#include "request.h"
#include "shown_names.h"

struct probes_request {
    struct request base;
    const char *path;         /* NULL: there are only descriptors */
    const char *desc_section; /* --desc-section; NULL: none */
    bool sections;            /* the files are sections, not programs */
    bool big_endian, keep_going;
    struct shown_names names;
    const char *function; /* --function, a GUID or a name; NULL: all functions */
    const char *address;  /* --address; NULL: all addresses */
    uint64_t low, high;   /* the range of --address */
};

/* `r` is all zero. 0, or an exit code after a report. probes_request_free must follow either way. */
int probes_parse(struct probes_request *r, const struct session *session, const struct arguments *args);

void probes_request_free(struct probes_request *r);

/* Reads a hexadecimal address, with or without 0x. */
bool probes_parse_address(const char *text, uint64_t *address);

/* A file that is open. All zero: none. */
struct probes_source {
    const struct session *session;
    struct apf_probes *probes;
    bool ignores_damage; /* reads beyond damage without a report */
    bool any_program;    /* which need not have probes */
    size_t findings;     /* damage that was reported and read beyond */
};

/* Opens `path`, with the request's sections. 0, or an exit code after a report. source->probes is for apf_probes_close
 * either way. */
int probes_open(struct probes_source *source, const struct probes_request *r, const char *path);
/* The GUID of --function in an open file, if the option was given. 0, or an exit code after a report. */
int probes_function(const struct probes_source *source, const struct probes_request *r, uint64_t *guid);

#endif
