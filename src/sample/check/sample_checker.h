/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a check, and the places and functions that findings are about. */
#ifndef SAMPLE_CHECKER_H
#define SAMPLE_CHECKER_H

#include "base/check_report.h"
#include "sample/model/sample_profile.h"
#include "sample/model/sample_summary.h"

/* The subject of a finding: a dotted path for each format. */
enum sample_place {
    SAMPLE_AT_FUNCTION,
    SAMPLE_AT_TOTAL,
    SAMPLE_AT_HEAD,
    SAMPLE_AT_LINE,
    SAMPLE_AT_REPEATED_LINE,
    SAMPLE_AT_TARGETS,
    SAMPLE_AT_INLINED,
    SAMPLE_AT_DISCRIMINATOR,
    SAMPLE_AT_ATTRIBUTES,
    SAMPLE_AT_LOST_ATTRIBUTES,
    SAMPLE_AT_CHECKSUM,
    SAMPLE_AT_NAME,
    SAMPLE_AT_NAMES_ORDER,
    SAMPLE_AT_EMPTY_NAME,
    SAMPLE_AT_REPEATED_NAME,
    SAMPLE_AT_UNUSED_NAME,
    SAMPLE_AT_FLAGS,
    SAMPLE_AT_SYMBOLS,
    SAMPLE_AT_SUMMARY_TOTAL,
    SAMPLE_AT_SUMMARY_MAX_COUNT,
    SAMPLE_AT_SUMMARY_MAX_HEAD,
    SAMPLE_AT_SUMMARY_COUNTS,
    SAMPLE_AT_SUMMARY_FUNCTIONS,
    SAMPLE_AT_SUMMARY_CUTOFF,
    SAMPLE_AT_SUMMARY_MIN_COUNT,
    SAMPLE_AT_SUMMARY_ROW,
    SAMPLE_PLACES
};

/* Notes about functions, of which each is reported once, with its number. */
enum sample_note {
    SAMPLE_NOTE_SMALL_TOTAL,
    SAMPLE_NOTE_LARGE_HEAD,
    SAMPLE_NOTE_ATTRIBUTES,
    SAMPLE_NOTE_DUPLICATED,
    SAMPLE_NOTE_LOST_ATTRIBUTES,
    SAMPLE_NOTE_LINES,
    SAMPLE_NOTE_TARGETS,
    SAMPLE_NOTE_INLINED,
    SAMPLE_NOTE_FUNCTIONS,
    SAMPLE_NOTE_UNLISTED,
    SAMPLE_NOTES
};

struct sample_tally {
    uint64_t n, found, expected, offset; /* of the first one */
    uint32_t node;
};

/* Bytes of the name of a function in findings. */
#define SAMPLE_CHECK_NAME 4096u

struct sample_checker {
    struct check *c;
    const struct sample_read_options *options;
    const uint8_t *data; /* the file */
    size_t n;
    struct apf_sample *s; /* the profile or, if the reader refuses the file, its intact part */
    struct sample_origins origins;
    bool whole;          /* the reader accepts the file */
    uint64_t summary_at; /* offset of the summary, or NO_OFFSET */
    bool summary_packed; /* its numbers are compressed */
    struct sample_tally notes[SAMPLE_NOTES];
    char name[SAMPLE_CHECK_NAME]; /* of the function of the next finding */
};

/* ---- sample_checker.c ---- */

const char *sample_check_path(const struct sample_checker *k, enum sample_place place);
/* The offset of a node, or NO_OFFSET. */
uint64_t sample_check_offset(const struct sample_checker *k, uint32_t node);
/* Sets the function that findings are about: a function at the top level, or an inlined one with its callers, as LLVM
 * writes contexts. Long names, and many callers, are cut. */
void sample_check_node(struct sample_checker *k, uint32_t node);
void sample_check_context(struct sample_checker *k, const struct apf_sample *s, uint32_t context);
void sample_check_name(struct sample_checker *k, struct apf_str name);
/* Reports the error of a part of the file that could not be read. Returns whether the code is APF_OK. */
bool sample_check_result(struct sample_checker *k, int code, const struct apf_error *error);
/* Reports a finding with both numbers, or with a bound, at a place that may have no offset. Texts have lines instead of
 * numbers in their message, so `detail` gets them. */
void sample_check_numbers(struct sample_checker *k, uint32_t severity, int code, struct error_at at,
                          const char *detail);
void sample_check_bound(struct sample_checker *k, uint32_t severity, int code, struct error_at at,
                        const char *detail);
/* Reports the first one of n findings of a kind. */
void sample_check_times(struct sample_checker *k, uint32_t severity, struct error_at at, uint64_t n,
                        const char *detail);
/* Counts a note about a node. */
void sample_check_note(struct sample_checker *k, enum sample_note note, uint32_t node, uint64_t found,
                       uint64_t expected);
void sample_check_notes(struct sample_checker *k);

/* ---- any format ---- */

/* Checks the functions of a profile: of the checker's, or of another part of its file. */
void sample_nodes_check(struct sample_checker *k);
/* Checks the profile as a whole. */
void sample_profile_check(struct sample_checker *k);
/* Checks that the cutoffs of a summary ascend up to the whole, so that its rows can be computed; copies them. */
bool sample_check_cutoffs(struct sample_checker *k, const struct sample_summary *stored,
                          const uint64_t *offsets, uint32_t *cutoffs);
/* Compares a summary with the profile's; offsets[i] is that of number i: five numbers, then three for each row. They
 * may be NULL. */
void sample_check_summary(struct sample_checker *k, const struct sample_summary *stored,
                          const struct sample_summary *right, const uint64_t *offsets);

/* ---- one format ---- */

/* Reads the intact part of a file into k->s after the reader has refused it. */
void sample_text_check(struct sample_checker *k);
void sample_ext_check(struct sample_checker *k);
void sample_compact_check(struct sample_checker *k);
void sample_binary_check(struct sample_checker *k);
void sample_gcc_check(struct sample_checker *k);

#endif
