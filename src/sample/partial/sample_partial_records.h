/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of sums of sample profiles in partial profiles, one after the other: docs/formats/partial.md. They are
 * sorted, each is there once, and the readers refuse other ones, so that several files can be read in step. */
#ifndef SAMPLE_PARTIAL_RECORDS_H
#define SAMPLE_PARTIAL_RECORDS_H

#include "partial/partial_read.h"
#include "partial/partial_write.h"
#include "sample/model/sample_profile.h"

/* The sections. */
#define PARTIAL_SAMPLE_FILES 15u
#define PARTIAL_SAMPLE_NAMES 20u
#define PARTIAL_SAMPLE_CLASSES 40u
#define PARTIAL_SAMPLE_CONTEXTS 50u
#define PARTIAL_SAMPLE_FUNCTIONS 60u
#define PARTIAL_SAMPLE_SYMBOLS 70u

/* Classes of inputs, and one more of profiles without functions. */
#define SAMPLE_PARTIAL_CLASSES 5u

/* In what follows, files, names and contexts are numbers in the file, from 0, and SAMPLE_NONE stands for none. */

struct partial_name {
    struct apf_str text; /* in the block; p is NULL: only the hash is known */
    uint64_t hash;
    uint32_t file;
};

struct partial_sample_class {
    uint32_t class, flags; /* APF_SAMPLE_* */
    bool has_symbols;
    uint64_t weight;
};

/* A context. Its place in the order is that of its path, from the outermost caller on. */
struct partial_context {
    uint32_t class, caller, name;
    uint64_t at;
};

struct partial_target {
    uint64_t at, count;
    uint32_t name;
};

struct partial_targets {
    VEC(struct partial_target) list;
};

/* A function at the top level, or what is inlined in one. */
struct partial_function {
    uint32_t class;
    uint64_t distance; /* to its caller, in functions; 0: it is at the top level ... */
    uint32_t context;  /* ... in this context; else place and name: */
    uint32_t name;
    uint64_t at;
    uint64_t checksum; /* 0: unknown */
    uint32_t attributes;
    bool cut; /* a count was cut at 2^64-1 */
    uint64_t total, head, votes, input, time;
    VEC(struct sample_line) lines;
    struct partial_targets targets, vtables;
};
void partial_function_free(struct partial_function *f);

/* ---- reading ---- */

/* A frame of a path: of a context, or of calls that are inlined. */
struct partial_frame {
    uint64_t number; /* of the context or function in the class */
    uint64_t at, checksum;
    uint32_t name;
};

struct partial_path {
    VEC(struct partial_frame) frames;
};

/* All zero but for the first four fields. */
struct partial_records {
    struct partial_reader *file;
    const struct sample_read_options *limits;
    uint64_t n_inputs; /* functions name one of them */
    struct apf_error *error;
    uint64_t n_records; /* functions of all classes */
    uint32_t n_files, n_names;
    bool has_hashes;  /* names of which only the hash is known */
    uint32_t classes; /* a bit each */
    uint32_t n_contexts[SAMPLE_PARTIAL_CLASSES];
    uint64_t n_functions; /* of the class at hand */
    uint64_t n_symbols;
    uint32_t class;                /* of the last record of the section */
    VEC(char) last;                /* the last text of the section */
    struct partial_name last_name; /* without its text, which is `last` */
    struct partial_path path;      /* of the last context or function */
};
void partial_records_free(struct partial_records *r);

/* Read the next record of a section, if *more; sections must be read in their order. What a function points to is
 * reused. APF_BAD_PARTIAL, APF_LIMIT, APF_NO_MEMORY. */
int partial_read_source_file(struct partial_records *r, struct apf_str *name, bool *more);
int partial_read_sample_name(struct partial_records *r, struct partial_name *name, bool *more);
int partial_read_sample_class(struct partial_records *r, struct partial_sample_class *class, bool *more);
/* r->path is that of the context then. */
int partial_read_context(struct partial_records *r, struct partial_context *context, bool *more);
int partial_read_function(struct partial_records *r, struct partial_function *f, bool *more);
int partial_read_symbol(struct partial_records *r, uint32_t *class, struct apf_str *name, bool *more);

/* ---- writing ---- */

void partial_write_source_file(struct partial_writer *file, struct apf_str name);
void partial_write_sample_name(struct partial_writer *file, const struct partial_name *name);
void partial_write_sample_class(struct partial_writer *file, const struct partial_sample_class *class);
void partial_write_context(struct partial_writer *file, const struct partial_context *context);
void partial_write_function(struct partial_writer *file, const struct partial_function *f);
void partial_write_symbol(struct partial_writer *file, uint32_t class, struct apf_str name);

#endif
