/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of GCC's AutoFDO in every layout, written from the description of the format alone: nothing of src/sample is
 * used. */
#ifndef HELPERS_SHARED_GCC_BUILD_H
#define HELPERS_SHARED_GCC_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/io.h>

/* What layouts have. */
#define GB_BYTES 1u /* strings with lengths in bytes */
#define GB_FILES 2u
#define GB_SUMMARY 4u
#define GB_TIMES 8u
#define GB_704 0x3430372au

struct gb_layout {
    const char *name;
    uint32_t word; /* the version word */
    unsigned form; /* GB_BYTES, ... */
};
#define GB_LAYOUTS 6u
extern const struct gb_layout gb_layouts[GB_LAYOUTS]; /* 1, 704, 2, 3a, 3b, 3 */

struct gb_target {
    uint64_t name, count;
};

struct gb_line {
    uint32_t line, discriminator;
    uint64_t count;
    const struct gb_target *targets;
    uint32_t n_targets;
};

struct gb_node;
struct gb_call {
    uint32_t line, discriminator;
    const struct gb_node *callee;
};

struct gb_node {
    uint32_t name;
    const struct gb_line *lines;
    uint32_t n_lines;
    const struct gb_call *calls;
    uint32_t n_calls;
};

struct gb_function {
    uint64_t head;
    const struct gb_node *node;
    uint64_t time; /* layout 3 */
};

struct gb_row {
    uint32_t cutoff;
    uint64_t min, n;
};

struct gb_summary {
    uint64_t total, max, max_head, n_counts, n_functions;
    const struct gb_row *rows;
    uint64_t n_rows;
};

struct gb_set {
    uint32_t n;
    uint64_t min;
};

/* After the functions. */
enum gb_tail { GB_NO_TAIL, GB_MODULES, GB_WORKING_SET /* with modules */ };

struct gb_profile {
    struct gb_layout layout;
    bool big;       /* in big-endian order */
    uint32_t third; /* the third word, which is 0 in real files */
    const char *const *files;
    uint32_t n_files;
    const char *const *names;
    const uint32_t *name_files; /* NULL: all unknown */
    uint32_t n_names;
    const struct gb_function *functions;
    uint32_t n_functions;
    enum gb_tail tail;
    /* What no reader uses; all zero in most tests. */
    uint32_t names_length, functions_length, modules_length;
    struct gb_summary summary;
    const struct gb_set *sets; /* 128; NULL: all zero */
};

/* Appends the file to a buffer. */
void gb_append(struct apf_buffer *to, const struct gb_profile *profile);
/* Single parts, for files that no gb_profile describes. */
void gb_word(struct apf_buffer *to, bool big, uint32_t v);
void gb_counter(struct apf_buffer *to, bool big, uint64_t v);

#endif
