/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instrumented programs, ELF files of either size and byte order, that describe their functions in one of three ways;
 * and bare profiles of them. Made from the specifications alone, as raw_build.h and elf_build.h. */
#ifndef HELPERS_SHARED_PROGRAM_BUILD_H
#define HELPERS_SHARED_PROGRAM_BUILD_H

#include "helpers/shared/elf_build.h"
#include "helpers/shared/raw_build.h"

enum pb_kind { PB_LOADED, PB_BINARY, PB_DEBUG_INFO };

#define PB_COUNTERS 0x4000u /* addresses of sections */
#define PB_BITS 0x6000u

/* Parts that the DWARF of a function lacks. */
#define PB_NO_NAME 1u
#define PB_NO_HASH 2u
#define PB_NO_COUNT 4u
#define PB_NO_ADDRESS 8u
#define PB_NO_FUNCTION 16u /* the address of the function */
#define PB_OUTSIDE 32u     /* its counters are not in the section; of PB_BINARY, too */
#define PB_NO_BITS 128u    /* the bitmap */
#define PB_AGAIN 64u       /* another unit describes the counters of the function before */

struct pb_function {
    const char *name;
    uint64_t hash;
    uint32_t n_counts;
    uint32_t n_bitmap;
    uint32_t flags;
};

struct pb_program {
    enum pb_kind kind;
    unsigned version; /* raw version: of the records, or of the profile */
    unsigned bytes;   /* of a pointer: 8 or 4 */
    bool big;
    const struct pb_function *functions;
    size_t n_functions;
    const char *build_id;  /* 8 characters; NULL: there is none */
    uint64_t version_word; /* value of the version symbol; 0: no symbol */
    unsigned zlib;         /* names are compressed */
    size_t cut;            /* bytes that the last record lacks */
    unsigned dwarf;        /* 4 or 5 */
    bool numbered;         /* DWARF 5: addresses are in .debug_addr */
};

/* The bytes of the program; the caller frees them. */
struct eb_bytes pb_build(const struct pb_program *p);
/* Sizes of the sections, in bytes. */
size_t pb_counter_bytes(const struct pb_program *p);
size_t pb_bitmap_bytes(const struct pb_program *p);
/* Appends a profile whose counters are first, first + 1, ..., and the bytes of its bitmaps 1, 2, ... `id` is a build
 * id, as above. */
void pb_append(struct rb_file *file, const struct pb_program *p, uint64_t first, const char *id);

#endif
