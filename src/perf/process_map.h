/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processes of a recording that ran a program, and the addresses where it was loaded. The order of forks and execs
 * matters, the order of mappings does not; samples may come before the mappings of their process. */
#ifndef PERF_PROCESS_MAP_H
#define PERF_PROCESS_MAP_H

#include "base/hash_index.h"
#include "perf/perf_program.h"
#include "perf/perf_script.h"

#define NO_PROCESS UINT32_MAX

/* An image of the program in a process, from its lowest mapping to the end of its highest one. */
struct process_image {
    uint64_t start, end, base; /* base: an address in the process minus that in the file */
    uint32_t next;             /* another image of the process, or NO_PROCESS */
};

struct process {
    uint32_t pid;
    /* first image under the name of the program, and under the recorded name of its build id */
    uint32_t images[2];
    uint32_t n_images;
    /* process whose images this one shares; NO_PROCESS: it does not run the program. Set at the end */
    uint32_t source;
    bool forked; /* temporary of process_map_settle */
};

/* A fork, or (without a parent) an exec. */
struct process_event {
    uint32_t process, parent;
};

struct process_map {
    VEC(struct process) list;
    VEC(struct process_image) images;
    VEC(struct process_event) events;
    struct perf_program program;
    struct hash_index index; /* from pids to places in the list */
    uint32_t last;           /* last result of process_map_find, or NO_PROCESS */
    bool movable;            /* the program can be loaded at any address */
    bool ignore_build_id;
    struct apf_str other;  /* another name that was recorded with its build id; n == 0: none */
    uint64_t n_build_ids;  /* files whose builds are known, or known not to be known: */
    bool build_id_lacking; /* the build of one is not known */
    bool build_id_found;   /* one is the program's build */
    uint32_t use;          /* index of process.images to use; set at the end */
    uint64_t n_mappings;   /* mappings under these names */
    uint64_t n_ignored;    /* those of n_mappings that do not fit the program */
    uint64_t n_all;        /* mappings of any file */
    char names[160];       /* a few names of other files, for an error */
    struct arena arena;
};

/* Makes a map without processes for the program `elf`, whose path is `name`; the path must stay as long as the map. */
int process_map_open(struct process_map *map, const struct elf_file *elf, const char *name,
                     bool ignore_build_id, struct apf_error *error);
void process_map_close(struct process_map *map);
/* Reads the output of `perf buildid-list`. */
int process_map_read_ids(struct process_map *map, const struct apf_input *ids, uint64_t max_bytes,
                         struct apf_error *error);
/* APF_NOT_RECORDED: the builds of all files are known, and none is the program's. */
int process_map_check_ids(const struct process_map *map, struct apf_error *error);
/* Whether one of them is, or nothing is compared. */
bool process_map_has_id(const struct process_map *map);
/* Adds a record that is no sample. */
int process_map_add(struct process_map *map, const struct perf_record *record, struct apf_error *error);
/* Finds the number of a process in the list, adding a process that is not in it. */
int process_map_find(struct process_map *map, uint32_t pid, uint32_t *number, struct apf_error *error);
/* Whether the program is in a process, regardless of later records. */
bool process_map_is_certain(const struct process_map *map, uint32_t process);
/* To be called after all records were added: finds the processes that ran the program; pid: only that process, 0: all.
 * APF_NOT_RECORDED: no process did. */
int process_map_settle(struct process_map *map, uint32_t pid, struct apf_error *error);
/* Translates an address of a process that runs the program to an address of the file; UINT64_MAX: it is outside the
 * program. */
uint64_t process_map_address(const struct process_map *map, uint32_t process, uint64_t address);

#endif
