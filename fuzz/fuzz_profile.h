/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the fuzz targets of instrumentation profiles. A broken property ends the process. */
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

#define FUZZ_VERSIONS 15u /* output formats: 0 = text, else the indexed version */

#define REQUIRE(property)                                                                                    \
    do {                                                                                                     \
        if (!(property)) {                                                                                   \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #property);                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* For merges that are written whatever was lost. */
static const struct apf_tolerance any_loss = {APF_FAIL_WARN, 0};

/* Returns options with limits; findings are counted in *findings, which may be NULL. */
struct apf_options fuzz_options(uint64_t *findings);
/* Returns an input of n bytes in memory; data may be NULL if n is 0. */
struct apf_input fuzz_input(const void *data, size_t n);
/* Whether the magic is that of gzip or zstd; a zstd file may begin with a skippable frame. */
bool fuzz_is_packed(const void *data, size_t n);
/* Requires that an error has all details and is about the file, or about the content of a compressed file. */
void fuzz_check_error(int code, const struct apf_error *e, const struct apf_input *input);
/* Requires that both hold the same bytes. */
void fuzz_same(const struct apf_buffer *a, const struct apf_buffer *b);
/* Merges inputs and writes the result into memory, as a version (0: text). Returns APF_OK, or why the first refused
 * input was refused. */
int fuzz_merge(const struct apf_input *inputs, size_t n, uint32_t flags, uint32_t threads, uint32_t version,
               struct apf_buffer *out);
/* Writes the merge as a version and reads it again: everything that the version can hold is preserved, and writing it
 * once more gives the same profile (the same bytes, if text). */
void fuzz_check_written(struct apf_merge *m, uint32_t version);
/* Passes a readable file through JSON: the JSON is read as a profile that is written as the same JSON and, as a
 * version, as the same bytes. */
void fuzz_check_json(const void *data, size_t n, uint32_t version);
/* Runs every operation on the bytes of one file: opens it, reads all of it, prints it; merges it, writes it as some
 * version and reads that; merges it several times with any number of threads. The bytes decide the version and the
 * threads. Returns APF_OK, or why the file was refused. */
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
        *functions; /* function i has hash i + 1 and two counters, 10 * i and 10 * i + 1 */
    size_t n_functions;
    const void *names, *vtable_names, *values; /* sections; vtable names from version 10, values from 2 */
    size_t n_names, n_vtable_names, n_values;
    uint64_t vtable; /* id of the vtable, if there is a section of vtable names */
};

/* Addresses of functions and of the vtable: values that are resolved to ids. */
#define FUZZ_FUNCTION_ADDRESS(i) (0x400000u + 16u * (i))
#define FUZZ_VTABLE_ADDRESS 0x600000u
#define FUZZ_VTABLE_SIZE 64u

/* Appends the file to a buffer. */
void fuzz_make_raw(struct apf_buffer *file, const struct fuzz_raw *raw);
/* LLVM's id of a name. */
uint64_t fuzz_id(const void *name, size_t n);

#endif
