/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program that samples are of: by what recordings know its file, and where a mapping of the file places it. */
#ifndef PERF_PERF_PROGRAM_H
#define PERF_PERF_PROGRAM_H

#include "base/vec.h"
#include "object/elf_file.h"
#include "object/span_map.h"
#include "perf/perf_record.h"

struct perf_program {
    struct apf_str name;           /* its file, without directories */
    struct perf_build_id build_id; /* n == 0: it has none */
    bool kernel;                   /* it is the Linux kernel, under whatever name */
    VEC(struct elf_segment) text;  /* segments of code */
    struct span_map offsets;       /* from offsets in the file to places in text */
};

/* What a file of a recording is to a program. */
enum perf_match {
    PERF_OTHER_FILE,
    PERF_SAME_BUILD, /* whatever its name */
    PERF_SAME_NAME,  /* and one of the two has no build id */
    PERF_OTHER_BUILD /* the name is the same, but the build is not */
};

/* Describes `elf`, whose path must stay as long as the description. perf_program_close must follow, also after a
 * failure. */
int perf_program_open(struct perf_program *p, const struct elf_file *elf, const char *path,
                      struct apf_error *error);
void perf_program_close(struct perf_program *p);
/* `path` is as it was recorded. */
enum perf_match perf_program_match(const struct perf_program *p, struct apf_str path,
                                   const struct perf_build_id *id);
/* Whether such a file is the program, or is to be taken for it: with any_build, builds do not matter. */
static inline bool perf_match_is_program(enum perf_match match, bool any_build)
{
    return match == PERF_SAME_BUILD || match == PERF_SAME_NAME || (match == PERF_OTHER_BUILD && any_build);
}
/* Finds *bias: addresses in a mapping of the program, minus it, are those for which the file is linked. `offset` is
 * that of the mapping in the file. False: the mapping has none of the program's code. */
bool perf_program_place(const struct perf_program *p, uint64_t start, uint64_t end, uint64_t offset,
                        uint64_t *bias);
/* For perf_program_refuse: what the user can do where another build was recorded. */
#define PERF_ANY_BUILD "; --ignore-build-id takes it nevertheless"
/* The error APF_NOT_RECORDED of a program of which only another build was recorded; `hint` follows both ids. */
int perf_program_refuse(const struct perf_program *p, const struct perf_build_id *recorded, const char *hint,
                        struct apf_error *error);

/* Adds the name of a file to a list for messages, a text of at most `room` bytes with its zero, unless it is in the
 * list, or has no place there, or is no name of a file ("[vdso]"). */
void perf_names_add(char *names, size_t room, struct apf_str path);

#endif
