/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file export.h
 * Writing profiles in formats of other tools: flame graphs, speedscope, pprof, spreadsheets.
 *
 * These formats hold stacks of functions with numbers. They are for people who look at a profile: no compiler and no
 * call of this library reads a profile back from them. docs/exports.md says what each profile becomes.
 */
#ifndef ANYPROF_EXPORT_H
#define ANYPROF_EXPORT_H

#include <anyprof/bolt.h>
#include <anyprof/instr.h>
#include <anyprof/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

enum apf_export_format {
    APF_EXPORT_FOLDED = 1,     /**< a line for each stack, for flamegraph.pl and inferno */
    APF_EXPORT_SPEEDSCOPE = 2, /**< JSON for speedscope */
    APF_EXPORT_PPROF = 3,      /**< profile.proto of pprof, compressed with gzip */
    APF_EXPORT_CSV = 4         /**< a row for each stack, under a row of names */
};

/* ---- stacks ---- */

/** A function in a stack. Its layout is frozen. */
struct apf_export_frame {
    struct apf_str function; /**< n == 0: unknown; it is called by its id then */
    struct apf_str file;     /**< n == 0: unknown */
    uint64_t id;             /**< hash of the name */
    uint32_t line; /**< where it calls the next function or, in the last frame, what the numbers are of */
    uint32_t line_known; /**< 0: it is not, and `line` means nothing */
};

/** A stack with its numbers. */
struct apf_export_stack {
    const struct apf_export_frame *frames; /**< at least one; the outermost caller first */
    size_t n_frames;
    const uint64_t *values; /**< one for each of the source's; those of the last frame without its callees */
    uint64_t hash;          /**< with APF_EXPORT_HASHES: of the function's structure */
};

/** Receives a stack, which lives as long as the call. A result other than APF_OK ends the walk, which returns it. */
typedef int apf_export_stack_fn(void *writer, const struct apf_export_stack *stack);
/** Passes all stacks to `stack`, those of each line if `by_line` is 1, else those of each function, whose frames have
 * no lines. It is called several times and must pass the same stacks in the same order. The same stack may come more
 * than once: readers of all formats add up. */
typedef int apf_export_walk_fn(void *user, uint32_t by_line, apf_export_stack_fn *stack, void *writer,
                               struct apf_error *error);

/** What the numbers of a source mean. Its layout is frozen. */
struct apf_export_value {
    const char *name; /**< a word, such as "samples" */
    const char *unit; /**< a word, such as "count" */
};
#define APF_EXPORT_MOST_VALUES 8

/** export_source.flags */
#define APF_EXPORT_LINES 1u   /**< frames may have lines */
#define APF_EXPORT_CALLERS 2u /**< stacks may have more than one frame */
#define APF_EXPORT_HASHES 4u  /**< stacks have hashes, which CSV shows */
/** Only local functions have files, which tell those of one name apart: folded stacks and speedscope, which join
 * functions by their names, call them FILE:FUNCTION. */
#define APF_EXPORT_LOCAL 8u
/** Names and files of frames stay where they are until the export ends, and one that comes again is at the same place:
 * then each is read once, not for each stack. */
#define APF_EXPORT_NAMES_STAY 16u

/** Where stacks come from. */
struct apf_export_source {
    size_t size; /**< sizeof(struct apf_export_source) */
    apf_export_walk_fn *walk;
    void *user;                            /**< passed to `walk` */
    const struct apf_export_value *values; /**< the first one is that of formats with a single number */
    size_t n_values;                       /**< 1 to APF_EXPORT_MOST_VALUES */
    uint32_t flags;                        /**< APF_EXPORT_LINES, _CALLERS, _HASHES, _LOCAL, _NAMES_STAY */
    uint32_t reserved;
    const char *comment; /**< what readers should know; pprof shows it; NULL: nothing */
};

/* ---- writing ---- */

/** export_options.flags: the frames of folded stacks and of speedscope have lines, too; those of pprof and CSV always
 * have them. */
#define APF_EXPORT_BY_LINE 1u
/** export_options.flags: of an IR profile, the context-sensitive records, of a second instrumentation after inlining,
 * instead of the others; APF_ARGUMENT if there are none. Without it they are written only if there are no others. */
#define APF_EXPORT_CS 2u

struct apf_export_options {
    size_t size;                /**< sizeof(struct apf_export_options) */
    uint32_t format;            /**< enum apf_export_format */
    uint32_t flags;             /**< APF_EXPORT_BY_LINE, APF_EXPORT_CS */
    const char *title;          /**< of the profile, in speedscope, such as its file name; NULL: none */
    apf_name_fn *function_name; /**< NULL, or what shows names of functions; it is asked once for each name */
    void *names;                /**< `user` of function_name */
    /** Folded stacks: number of the value that is written, from 0. */
    uint32_t value;
    uint32_t reserved;
    /** Most bytes of the output (APF_LIMIT), of pprof before it is compressed; 0: no limit. Each stack names all of its
     * functions, so that the output of a profile made by an attacker can be millions of times as large. */
    uint64_t max_bytes;
};

/** What was written, and what was not. */
struct apf_export_result {
    size_t size;       /**< sizeof(struct apf_export_result), set by the caller */
    uint64_t n_stacks; /**< that were written */
    uint64_t n_zero;   /**< stacks left out because all their numbers in this format are 0; CSV has them */
    /** pprof: all numbers are divided by it, a power of two, and rounded up, so that their sum, which readers form in
     * 63 bits, stays below 2^63; 1: they are as they were */
    uint64_t divisor;
    uint64_t n_unknown; /**< records without numbers: functions only marked hot or warm, BOLT's loads */
    uint64_t n_again;   /**< inlined functions that were left out: their own profiles have these counts */
    /** records that APF_EXPORT_CS, or its absence, has left out */
    uint64_t n_other_level;
    /** stacks with a number of 2^64 - 1, which may be less than the sum that it stands for */
    uint64_t n_saturated;
};

/** Writes stacks of the caller. APF_ARGUMENT; APF_UNSUPPORTED: pprof, in a library that was built without
 * libprotobuf-c; APF_IO; APF_LIMIT: max_bytes, or more than 2^30 different names, functions or lines; APF_NO_MEMORY;
 * what `walk` returns. When a write fails, or the output becomes too large, the walk is ended at the next stack. pprof
 * and speedscope need memory for the different functions (and lines), not for stacks. */
APF_API int apf_export_write(const struct apf_export_source *source, const struct apf_export_options *options,
                             const struct apf_output *output, struct apf_export_result *result,
                             struct apf_error *error);
/** apf_export_write of an instrumentation profile, or the view of a merge: a stack of one frame for each record, with
 * the sum of its counters ("counts") and the first of them ("entries"). Memory profiles and traces are left out. */
APF_API int apf_instr_export(const struct apf_instr *instr, const struct apf_export_options *options,
                             const struct apf_output *output, struct apf_export_result *result,
                             struct apf_error *error);
/** apf_export_write of a sample profile: a stack for each function in each context and inlined place, with its samples,
 * without those of what is inlined in it. Lines are offsets from the function's, or ids of probes. */
APF_API int apf_sample_export(const struct apf_sample *sample, const struct apf_export_options *options,
                              const struct apf_output *output, struct apf_export_result *result,
                              struct apf_error *error);
/** apf_export_write of fdata, which is sorted, too: a stack of one frame for each function, with the branches, calls
 * and fall-throughs from it ("branches") and those that were mispredicted ("mispredictions"); with APF_FDATA_NO_LBR,
 * its samples. Part of libanyprof-elf, as is the next. */
APF_API int apf_fdata_export(struct apf_fdata *fdata, const struct apf_export_options *options,
                             const struct apf_output *output, struct apf_export_result *result,
                             struct apf_error *error);
/** The same of a profile in YAML. */
APF_API int apf_bolt_yaml_export(struct apf_bolt_yaml *yaml, const struct apf_export_options *options,
                                 const struct apf_output *output, struct apf_export_result *result,
                                 struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
