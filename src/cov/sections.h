/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the sections of coverage in programs, libraries, objects and archives. */
#ifndef COV_SECTIONS_H
#define COV_SECTIONS_H

#include <anyprof/io.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"

struct elf_file;

/* Bytes of a section. */
struct section_bytes {
    const uint8_t *p;
    size_t n;
};

/* What one object has. The bytes belong to the file that it is in. */
struct cov_sections {
    struct section_bytes covmap; /* NULL: there is none, and so no coverage */
    struct section_bytes names;
    VEC(struct section_bytes) covfun; /* one for each function in an object that is not linked */
    uint64_t names_address;
    bool is_coff;
    bool names_are_linked; /* of COFF: a byte comes before the names */
    bool long_pointers;    /* of 8 bytes, else 4 */
    bool swap;             /* the numbers have the other byte order */
};

/* A file with objects. All zero = empty. */
struct cov_file {
    struct apf_str name;              /* as the input has it */
    VEC(struct cov_sections) objects; /* those with coverage */
    size_t n_members;                 /* objects in all */
    struct file_bytes bytes;
    VEC(struct elf_file *) elves;
    struct arena arena;
};

/* Reads a file. `architecture` says which image of a universal file is meant; NULL: it has only one. APF_BAD_ELF: it is
 * no file that may have coverage; APF_ARGUMENT: it has several images, or none for the architecture; APF_BAD_COVERAGE,
 * APF_LIMIT, APF_IO, APF_NO_MEMORY. cov_file_close must follow either way. */
int cov_file_open(struct cov_file *f, const struct apf_input *input, const char *architecture,
                  uint64_t max_bytes, struct apf_error *error);
void cov_file_close(struct cov_file *f);

#endif
