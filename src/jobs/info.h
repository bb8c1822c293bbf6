/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of files, and the readers that find it out. */
#ifndef JOBS_INFO_H
#define JOBS_INFO_H

#include <anyprof/jobs.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/vec.h"

struct info_group {
    size_t first; /* a file of it */
    uint64_t n_files, n_bytes;
    size_t programs, n_programs; /* files that it is of: a part of apf_info.programs */
    bool by_shape;               /* these were found by it */
};

struct apf_info {
    struct arena *arenas; /* one of each thread that read */
    unsigned n_arenas;
    VEC(struct apf_file_facts) files;
    VEC(size_t) group_of; /* of each file; SIZE_MAX: none */
    VEC(struct info_group) groups;
    struct hash_index by_build; /* groups */
    VEC(size_t) programs;
    size_t n_unreadable;
    uint64_t n_bytes;
};

/* A file that is being looked into. */
struct info_reader {
    struct arena *arena;     /* keeps what is known */
    struct file_bytes bytes; /* of the file, unpacked */
    const struct apf_options *options;
    struct apf_file_facts *facts;
    VEC(struct apf_file_part) parts;
    VEC(struct apf_file_number) numbers;
};

/* APF_OK, or why the file cannot be read; of APF_NO_MEMORY nothing is known. */
int info_read_profile(struct info_reader *r, struct apf_error *error);
int info_read_text(struct info_reader *r, struct apf_error *error); /* a profile, or one of BOLT */
int info_read_script(struct info_reader *r, struct apf_error *error);
int info_read_json(struct info_reader *r, struct apf_error *error);
int info_read_elf(struct info_reader *r, struct apf_error *error);
int info_read_bat(struct info_reader *r, struct apf_error *error);
int info_read_perf(struct info_reader *r, struct apf_error *error);
int info_read_memprof(struct info_reader *r, struct apf_error *error);

/* The bytes of the file, as an input. */
static inline struct apf_input info_input(const struct info_reader *r)
{
    struct apf_input input = apf_input_memory(r->bytes.data, r->bytes.n, "file");
    return input;
}

/* What tells which build a file is of. */
enum info_build { INFO_BUILD_UNKNOWN, INFO_BUILD_IDS, INFO_BUILD_SHAPE, INFO_BUILD_NONE };
enum info_build info_build_of(const struct apf_file_facts *f);
/* Adds a file to its group; and, when all files are there, finds the programs that groups of profiles are of. */
int info_group_add(struct apf_info *info, size_t file, struct apf_error *error);
int info_groups_link(struct apf_info *info, struct apf_error *error);

/* Adds a number that a reader found. The name is static, or in the arena. False: allocation failed. */
static inline bool info_add_number(struct info_reader *r, const char *name, uint64_t n)
{
    struct apf_file_number number = {name, n};
    return VEC_PUSH(&r->numbers, number);
}

/* The same of a part of the file. */
static inline bool info_add_part(struct info_reader *r, const char *name, uint64_t offset, uint64_t size,
                                 uint64_t profile)
{
    struct apf_file_part part = {name, offset, size, profile};
    return VEC_PUSH(&r->parts, part);
}

#endif
