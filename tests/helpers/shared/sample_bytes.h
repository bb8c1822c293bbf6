/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds binary sample profiles byte by byte, and turns profiles into text to compare them with. */
#ifndef HELPERS_SHARED_SAMPLE_BYTES_H
#define HELPERS_SHARED_SAMPLE_BYTES_H

#include "sample/model/sample_profile.h"

#include "helpers/shared/unit.h"

/* Bytes that grow; all zero = empty. */
struct sb {
    uint8_t *data;
    size_t n, capacity;
};

void sb_free(struct sb *b);
void sb_bytes(struct sb *b, const void *p, size_t n);
/* A ULEB128 number; several ones, of which the list ends with SB_END. */
void sb_number(struct sb *b, uint64_t v);
#define SB_END UINT64_C(0xfedcba9876543210)
#define SB_NUMBERS(b, ...)                                                                                   \
    do {                                                                                                     \
        const uint64_t numbers_[] = {__VA_ARGS__, SB_END};                                                   \
        sb_numbers(b, numbers_);                                                                             \
    } while (0)
void sb_numbers(struct sb *b, const uint64_t *numbers);
/* 8 bytes, little-endian, at the end, or at an offset. */
void sb_word(struct sb *b, uint64_t v);
void sb_set_word(struct sb *b, size_t at, uint64_t v);
/* Magic, whose low byte names the format (0xff, 2 or 4), and version. */
void sb_start(struct sb *b, uint8_t format, uint64_t version);
/* A name table of names that are separated by blanks. */
void sb_names(struct sb *b, const char *names);
/* A summary without cutoffs that says how many functions there are. */
void sb_summary(struct sb *b, uint64_t n_functions);

/* A section of an extbinary file. */
struct sb_section {
    uint64_t type, flags;
    const struct sb *body; /* NULL: empty */
};
/* Appends a whole extbinary file, with the sections in the order given; compresses those that have the flag. */
void sb_ext(struct sb *b, uint64_t version, const struct sb_section *sections, size_t n);
/* The offset of section i, and of its entry in the table, of a file of sb_ext of version below 128. */
size_t sb_section_at(const struct sb *b, size_t i);
#define SB_ENTRY(i) (18 + 32 * (size_t)(i))

/* The profile as LLVM writes it as text; the caller frees it. */
char *sample_as_text(const struct apf_sample *s);

typedef int sample_reader(struct apf_sample *s, const uint8_t *data, size_t n,
                          const struct sample_read_options *o, struct apf_error *error);
/* Options without limits. */
extern const struct sample_read_options sample_no_limits;
/* Reads a copy of bytes that ends where they end, so that the sanitizer sees reads after them. */
struct apf_sample *sample_read_copy(sample_reader *reader, const void *p, size_t n,
                                    const struct sample_read_options *o, int *code, struct apf_error *error);
/* Fails the test unless the bytes are read, and give this text. Returns the profile. */
struct apf_sample *sample_expect_text(sample_reader *reader, const void *p, size_t n,
                                      const struct sample_read_options *o, const char *text);
/* Fails the test, at the caller's line, unless the bytes are refused with this code, place and numbers. */
#define SAMPLE_REFUSED(reader, p, n, code, where, offset, found, expected)                                   \
    sample_refused(reader, p, n, code, where, offset, found, expected, __FILE__, __LINE__)
void sample_refused(sample_reader *reader, const void *p, size_t n, int code, const char *where,
                    uint64_t offset, uint64_t found, uint64_t expected, const char *file, int line);
/* Fails the test unless damaged bytes are refused with this progress, and what was read before can be read again. */
void sample_expect_progress(sample_reader *reader, const void *p, size_t n, uint64_t n_functions,
                            uint64_t end, uint64_t known);
/* Reads every beginning of a file, and the file with each of its bits flipped; whatever the result, it is valid. */
void sample_sweep(sample_reader *reader, const void *p, size_t n);
/* Makes each allocation of a read fail in turn. */
void sample_read_faults(sample_reader *reader, const void *p, size_t n);

#endif
