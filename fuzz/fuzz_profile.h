/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the fuzz targets of instrumentation profiles share. A broken property ends the process. */
#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/error.h>
#include <anyprof/merge.h>
#include <anyprof/show.h>

#define FUZZ_VERSIONS 15u /* what a profile can be written as: 0 = text, else the indexed version */

#define REQUIRE(property)                                                                                    \
    do {                                                                                                     \
        if (!(property)) {                                                                                   \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #property);                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Findings are counted in *findings, which may be NULL. */
struct apf_options fuzz_options(uint64_t *findings);
/* By its magic; a zstd file may begin with a skippable frame. */
bool fuzz_is_packed(const void *data, size_t n);
/* An error says enough, and is about the file, or about what a compressed file holds. */
void fuzz_check_error(int code, const struct apf_error *e, const struct apf_input *input);
/* The same bytes. */
void fuzz_same(const struct apf_buffer *a, const struct apf_buffer *b);
/* Merges inputs and writes the result into memory, as a version (0: text). APF_OK, or why the first of them was
 * refused. */
int fuzz_merge(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads, uint32_t version,
               struct apf_buffer *out);
/* What is merged is written as a version and read again: all that the version can hold comes back, and written again
 * it is the same: bytes, if text. */
void fuzz_check_written(struct apf_merge *m, uint32_t version);
/* A file that can be read, through JSON: what is read of that is written as the same JSON, and as a version it is the
 * same bytes. */
void fuzz_check_json(const void *data, size_t n, uint32_t version);
/* Everything there is to do with the bytes of one file: opening it, looking at all of it, printing it; merging it,
 * writing it as some version and reading that; merging it several times by any number of threads. The bytes decide
 * the version and the threads. APF_OK, or why the file was refused. */
int fuzz_file(const void *data, size_t n);

/* Raw profiles around the bytes of a section. */
struct fuzz_function {
    uint64_t id;
    uint32_t name_at, name_size; /* in the names section; versions 1 and 2 only */
    uint16_t n_sites[APF_VALUE_KINDS];
};

struct fuzz_raw {
    uint32_t version; /* 1 to 11 */
    bool big, narrow; /* byte order; 32-bit pointers */
    uint64_t variant;
    const struct fuzz_function
        *functions; /* the i-th has hash i + 1, and two counters, 10 * i and 10 * i + 1 */
    size_t n_functions;
    const void *names, *vtable_names, *values; /* sections; vtable names from version 10, values from 2 */
    size_t n_names, n_vtable_names, n_values;
    uint64_t vtable; /* id of the vtable that there is, if there is a section of vtable names */
};

/* Where programs have functions and the vtable: values that are resolved to ids. */
#define FUZZ_FUNCTION_ADDRESS(i) (0x400000u + 16u * (i))
#define FUZZ_VTABLE_ADDRESS 0x600000u
#define FUZZ_VTABLE_SIZE 64u

/* Appends the file to a buffer. */
void fuzz_make_raw(struct apf_buffer *file, const struct fuzz_raw *raw);
/* LLVM's id of a name. */
uint64_t fuzz_id(const void *name, size_t n);

#endif
