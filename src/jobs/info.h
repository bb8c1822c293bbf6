/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of files, and the readers that collect them. */
#ifndef JOBS_INFO_H
#define JOBS_INFO_H

#include <anyprof/jobs.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "inputs/inputs.h"

struct info_group {
    size_t first; /* first file of the group */
    uint64_t n_files, n_bytes;
    uint64_t n_functions;        /* of all of them */
    size_t programs, n_programs; /* its programs: a range of apf_info.programs */
    bool by_build_digest;        /* the programs were found by build digest, not by id */
};

struct apf_info {
    struct arena *arenas; /* one for each thread */
    unsigned n_arenas;
    VEC(struct apf_file_facts) files;
    VEC(struct apf_file_info) file_infos; /* of each file */
    VEC(size_t) group_of;                 /* group of each file; SIZE_MAX: none */
    VEC(struct info_group) groups;
    struct hash_index by_build; /* groups */
    VEC(size_t) programs;
    size_t n_unreadable;
    uint64_t n_bytes;
};

/* The file that a thread is reading. */
struct info_reader {
    struct arena *arena;     /* owns the facts */
    struct file_bytes bytes; /* the file, unpacked */
    /* NULL, or the directory of perf record that is read in place of a file */
    const struct apf_input *directory;
    const struct apf_options *options;
    struct apf_file_facts *facts;
    struct apf_file_info *file; /* facts->file, to be filled in */
    VEC(struct apf_file_part) parts;
    VEC(struct apf_file_number) numbers;
    VEC(struct apf_file_word) words;
};

/* Readers of the rows of file_kinds.c: APF_OK, or the error of reading the file. After APF_NO_MEMORY the facts are not
 * valid. */
int info_read_profile(struct info_reader *r, struct apf_error *error);
int info_read_partial(struct info_reader *r, struct apf_error *error);
int info_read_partial_sample(struct info_reader *r, struct apf_error *error);
/* Of a partial profile: adds the header and the sections, with their names, and the numbers of its inputs. */
bool info_add_sections(struct info_reader *r, const char *name_of(uint8_t section));
bool info_add_inputs(struct info_reader *r, const struct input_counts *n);
int info_read_sample(struct info_reader *r, struct apf_error *error);
int info_read_text(struct info_reader *r, struct apf_error *error);
/* A text that is no instrumentation profile. APF_UNRECOGNIZED_FORMAT: of no known kind; *error is not set. */
int info_read_other_text(struct info_reader *r, struct apf_error *error);
int info_read_bolt_yaml(struct info_reader *r, struct apf_error *error);
int info_read_fdata(struct info_reader *r, struct apf_error *error);
int info_read_bolt_samples(struct info_reader *r, struct apf_error *error);
int info_read_script(struct info_reader *r, struct apf_error *error);
int info_read_json(struct info_reader *r, struct apf_error *error);
int info_read_elf(struct info_reader *r, struct apf_error *error);
int info_read_bat(struct info_reader *r, struct apf_error *error);
int info_read_perf(struct info_reader *r, struct apf_error *error);
int info_read_memprof(struct info_reader *r, struct apf_error *error);
int info_read_packed(struct info_reader *r, struct apf_error *error);
int info_read_unknown(struct info_reader *r, struct apf_error *error);

/* The bytes of the file, as an input; or the directory. */
static inline struct apf_input info_input(const struct info_reader *r)
{
    if (r->directory)
        return *r->directory;
    struct apf_input input = apf_input_memory(r->bytes.data, r->bytes.n, "file");
    return input;
}

/* How the build of a file is identified. */
enum info_build { INFO_BUILD_UNKNOWN, INFO_BUILD_IDS, INFO_BUILD_DIGEST, INFO_BUILD_NONE };
enum info_build info_build_of(const struct apf_file_facts *f);
/* info_group_add adds a file to its group; info_groups_link, after all files, finds the programs of groups of
 * profiles. */
int info_group_add(struct apf_info *info, size_t file, struct apf_error *error);
int info_groups_link(struct apf_info *info, struct apf_error *error);

/* Adds a number to the facts. The name is static, or in the arena. False: allocation failed. */
static inline bool info_add_number(struct info_reader *r, const char *name, uint64_t n)
{
    struct apf_file_number number = {name, n};
    return VEC_PUSH(&r->numbers, number);
}
static inline bool info_add_if_any(struct info_reader *r, const char *name, uint64_t n)
{
    return n == 0 || info_add_number(r, name, n);
}

/* Adds a word to the facts. Both texts are static, or in the arena. False: allocation failed. */
static inline bool info_add_word(struct info_reader *r, const char *name, struct apf_str text)
{
    struct apf_file_word word = {name, text};
    return VEC_PUSH(&r->words, word);
}

/* Adds a part of the file to the facts. The name is static, or in the arena. False: allocation failed. */
static inline bool info_add_part(struct info_reader *r, const char *name, uint64_t offset, uint64_t size,
                                 uint64_t profile)
{
    struct apf_file_part part = {name, offset, size, profile};
    return VEC_PUSH(&r->parts, part);
}

#endif
