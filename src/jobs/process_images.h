/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which processes of a recording a program ran, and where it was loaded there. What is told first does not matter,
 * but for forks and what processes begin to run: samples may come before. */
#ifndef JOBS_PROCESS_IMAGES_H
#define JOBS_PROCESS_IMAGES_H

#include "base/hash_index.h"
#include "object/elf_file.h"
#include "perf/perf_script.h"

#define NO_PROCESS UINT32_MAX

/* Where the program is loaded in a process: from its lowest mapping to the end of its highest one. */
struct process_image {
    uint64_t start, end, base; /* base: what addresses in the file are moved by */
    uint32_t next;             /* another one of the process, or NO_PROCESS */
};

struct process {
    uint32_t pid;
    uint32_t images[2]; /* under the name of the program, and under the one that its build id has */
    uint32_t n_images;
    uint32_t source; /* in the end: the process whose images it has; NO_PROCESS: the program is not in it */
    uint32_t stack_of_32; /* for who reads samples */
    bool forked;
    uint64_t samples, empty, entries, kernel, silent, loads, other_mode; /* the same */
};

/* A fork, or, of a process without parent, another program. */
struct process_event {
    uint32_t process, parent;
};

struct process_images {
    VEC(struct process) list;
    VEC(struct process_image) images;
    VEC(struct process_event) events;
    VEC(struct elf_segment) segments; /* executable ones */
    struct hash_index index;
    uint32_t last; /* which was found last */
    bool movable, x86;
    bool ignore_build_id;
    struct apf_str name;            /* the program's file, without directories */
    struct apf_str other;           /* the name its build id has; n == 0: none, or the same */
    char build_id[129];             /* in hexadecimal; "" when it has none */
    uint32_t use;                   /* in the end: which images */
    uint64_t n_mappings, n_ignored; /* of files of that name; those that do not fit the program */
    uint64_t n_all;                 /* of any file */
    char names[160];                /* a few of them, for an error */
    struct arena arena;
};

/* The program; name: its path. */
int process_images_open(struct process_images *p, const struct elf_file *elf, const char *name,
                        bool ignore_build_id, struct apf_error *error);
void process_images_close(struct process_images *p);
/* What `perf buildid-list` prints: APF_NOT_RECORDED when another build of the program was recorded. *matched: its build
 * id is there, or it was not looked at. */
int process_images_take_ids(struct process_images *p, const struct apf_input *ids, uint64_t max_bytes,
                            bool *matched, struct apf_error *error);
/* A PERF_MAPPING, PERF_FORK or PERF_EXEC. */
int process_images_take(struct process_images *p, const struct perf_record *record, struct apf_error *error);
/* The number of a process; NO_PROCESS: memory is out. */
uint32_t process_images_find(struct process_images *p, uint32_t pid);
/* Whether the program is in a process, whatever else will be told. */
bool process_images_is_certain(const struct process_images *p, uint32_t process);
/* When all was told: which processes the program ran in; pid: only that one, or 0. APF_NOT_RECORDED: in none. */
int process_images_settle(struct process_images *p, uint32_t pid, struct apf_error *error);
/* An address in the file, of one in a process that has the program; UINT64_MAX: it is somewhere else. */
uint64_t process_images_address(const struct process_images *p, uint32_t process, uint64_t address);

#endif
