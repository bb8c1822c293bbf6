/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which processes of a recording a program ran, and where it was loaded there. The order of mappings does not
 * matter, that of forks and execs does; samples may come before the mappings of their process. */
#ifndef PERF_PROCESS_MAP_H
#define PERF_PROCESS_MAP_H

#include "base/hash_index.h"
#include "object/elf_file.h"
#include "perf/perf_script.h"

#define NO_PROCESS UINT32_MAX

/* Where the program is loaded in a process: from its lowest mapping to the end of its highest one. */
struct process_image {
    uint64_t start, end, base; /* base: an address in the process minus the one in the file */
    uint32_t next;             /* another image of the process, or NO_PROCESS */
};

struct process {
    uint32_t pid;
    uint32_t
        images[2]; /* first image under the name of the program, and under the name that its build id has */
    uint32_t n_images;
    uint32_t
        source;  /* process whose images this one has; NO_PROCESS: the program is not in it. Set at the end */
    bool forked; /* used at the end */
};

/* A fork, or, of a process without parent, an exec. */
struct process_event {
    uint32_t process, parent;
};

struct process_map {
    VEC(struct process) list;
    VEC(struct process_image) images;
    VEC(struct process_event) events;
    VEC(struct elf_segment) segments; /* executable ones of the program */
    struct hash_index index;          /* of the list, by pid */
    uint32_t last;                    /* the process that was found last, or NO_PROCESS */
    bool movable;                     /* the program can be loaded at any address */
    bool ignore_build_id;
    struct apf_str name;  /* the program's file, without directories */
    struct apf_str other; /* the other name that its build id has; n == 0: none */
    char build_id[129];   /* in hexadecimal; "": the program has none */
    uint32_t use;         /* which of process.images are used; set at the end */
    uint64_t n_mappings,
        n_ignored;   /* mappings under these names; those of them that do not fit the program */
    uint64_t n_all;  /* mappings of any file */
    char names[160]; /* a few names of other files, for an error */
    struct arena arena;
};

/* Makes a map without processes for the program `elf`, whose path is `name`; the path must stay as long as the map. */
int process_map_open(struct process_map *map, const struct elf_file *elf, const char *name,
                     bool ignore_build_id, struct apf_error *error);
void process_map_close(struct process_map *map);
/* Reads what `perf buildid-list` prints: APF_NOT_RECORDED when another build of the program was recorded. *matched: its
 * build id is there, or nothing was compared. */
int process_map_read_ids(struct process_map *map, const struct apf_input *ids, uint64_t max_bytes,
                         bool *matched, struct apf_error *error);
/* Adds a PERF_MAPPING, PERF_FORK or PERF_EXEC. */
int process_map_add(struct process_map *map, const struct perf_record *record, struct apf_error *error);
/* Finds the number of a process in the list, adding a process that is not in it. */
int process_map_find(struct process_map *map, uint32_t pid, uint32_t *number, struct apf_error *error);
/* Whether the program is in a process, whatever else will be added. */
bool process_map_is_certain(const struct process_map *map, uint32_t process);
/* When everything was added: finds the processes that the program ran in; pid: only that one, or 0. APF_NOT_RECORDED:
 * in none. */
int process_map_settle(struct process_map *map, uint32_t pid, struct apf_error *error);
/* The address in the file of one in a process that has the program; UINT64_MAX: the address is somewhere else. */
uint64_t process_map_address(const struct process_map *map, uint32_t process, uint64_t address);

#endif
