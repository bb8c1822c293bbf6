/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kinds of files, one row for each. */
#ifndef JOBS_FILE_KINDS_H
#define JOBS_FILE_KINDS_H

#include <stdbool.h>

#include <anyprof/jobs.h>

struct info_reader;

enum {
    KIND_PROFILE = 1u,        /* has functions and counters of instrumentation */
    KIND_CHECKED = 2u,        /* apf_check knows it */
    KIND_OF_BUILD = 4u,       /* belongs to a build of a program */
    KIND_POINTERS = 8u,       /* has byte order and pointers, which also the header of a damaged file shows */
    KIND_BYTE_ORDER = 16u,    /* has a byte order */
    KIND_VARIANT = 32u,       /* has a variant, which also the header of a damaged file shows */
    KIND_OF_ORIGIN = 64u,     /* has the facts of a profile that was in another format */
    KIND_ALL_RELEASES = 128u, /* every release of LLVM writes and reads it */
    KIND_SAMPLES = 256u       /* a sample profile */
};

struct file_kind {
    uint32_t kind; /* enum apf_file_kind */
    uint32_t traits;
    const char *phrase; /* for messages: "a raw instrumentation profile" */
    const char *title;  /* the phrase after the file has been read; NULL: unchanged */
    const char *brief;  /* for the table of files, only of profiles: "raw " */
    const char *word;   /* in JSON; NULL: null */
    /* Advice for a user who gave the file as a profile of instrumentation; NULL: there is none. */
    const char *hint;
    /* Whether a file is of this kind, if it is of none of the rows before. NULL: only read_facts of another row finds
     * out. */
    bool (*begins)(const uint8_t *data, size_t n);
    /* Collects facts; may replace the kind. NULL: only the kind is known. */
    int (*read_facts)(struct info_reader *r, struct apf_error *error);
};

/* The row of a kind; APF_KIND_UNKNOWN's, if there is none. */
const struct file_kind *file_kind_row(uint32_t kind);
/* The row of a file with these bytes. */
const struct file_kind *file_kind_of(const uint8_t *data, size_t n);

static inline bool file_kind_has(uint32_t kind, uint32_t trait)
{
    return (file_kind_row(kind)->traits & trait) != 0;
}

#endif
