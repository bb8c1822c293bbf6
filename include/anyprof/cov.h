/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file cov.h
 * Coverage of source code: the mappings in programs that clang, rustc and swiftc instrumented, bound to the counts of a
 * profile. Part of libanyprof-elf.
 */
#ifndef ANYPROF_COV_H
#define ANYPROF_COV_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Programs with their counts. It never changes: several threads may use it at once. */
struct apf_cov;

/** apf_cov_options.flags: the rules of llvm-cov 22. A damaged mapping fails the call, functions whose counts do not fit
 * are in no total, and an archive with a member without coverage is not read. Without it, a function with a damaged
 * mapping is left out alone, those whose counts do not fit count as not executed, and all of them are counted
 * (apf_cov_stats). Damage of other parts of an object fails the call. */
#define APF_COV_LLVM 1u
/** Comments in the source leave out lines, branches and whole functions: LCOV_EXCL_LINE, _START, _STOP, _BR_LINE,
 * _BR_START, _BR_STOP, also with GCOV or GCOVR in place of LCOV. All source files are read. */
#define APF_COV_MARKERS 2u
/** Functions that begin at one place, such as instantiations of a template, cover together what any of them covers.
 * Without it, each number is the largest one that any of them has, as in LLVM. */
#define APF_COV_UNION 4u
/** Source code shows counts as 0 and 1. */
#define APF_COV_BINARY 8u
/** A binary id of the profile that no program has as its build id fails the call: APF_NO_COVERAGE. */
#define APF_COV_CHECK_IDS 16u

/** How many there are, and how many of them ran. Its layout is frozen. */
struct apf_cov_share {
    uint64_t n, covered;
};

/** A function. Its layout is frozen. */
struct apf_cov_function {
    struct apf_str name; /**< as long as the walk lasts */
    uint64_t file;       /**< number of the source file that it is in; UINT64_MAX: none */
    uint32_t line, column;
    uint64_t count; /**< how often it ran */
    uint64_t hash;  /**< of its source code, as the program has it */
    struct apf_cov_share regions, lines, branches, mcdc;
    /** enum apf_cov_fit: whether its counts are known; else all are 0. */
    uint32_t fit;
    uint32_t program; /**< number of the program that it is from */
};
/** Why a function has no counts, or is left out. */
enum apf_cov_fit {
    APF_COV_FITS = 0,
    APF_COV_MISMATCH = 1,       /**< the profile has it with other hashes: other source code */
    APF_COV_SHORT_COUNTERS = 2, /**< it has fewer counters than its mapping */
    APF_COV_CIRCULAR = 3,       /**< its counters depend on each other in a circle */
    APF_COV_DAMAGED = 4,        /**< its mapping is damaged: it is left out */
    APF_COV_AMBIGUOUS = 5,      /**< its list of files cannot be told from another one: it is left out */
    APF_COV_UNUSED = 6,         /**< it has no code here and was executed elsewhere: it is left out */
    APF_COV_DUPLICATE = 7,      /**< a program before has it: it is left out */
    APF_COV_EXCLUDED = 8        /**< a marker in the source leaves it out (APF_COV_MARKERS) */
};
/** Whether a function is shown: 1, or 0; -1: out of memory. Its `file` is not known yet. */
typedef int apf_cov_filter_fn(void *user, const struct apf_cov_function *function);

/** Gets the name of a source file that is another version. */
typedef void apf_cov_changed_fn(void *user, struct apf_str name);
/** A source file that was looked for. Its layout is frozen. */
struct apf_cov_source {
    struct apf_str name; /**< as the programs have it */
    const char *path;    /**< where it was looked for, during the call; NULL: no file has such a name */
    int32_t is_read;     /**< 1: it was read, or 0 */
    int32_t sys_errno;   /**< why it was not; 0: it is no regular file, or too large */
};
/** Gets a source file, once in each call that looks for it. */
typedef void apf_cov_source_fn(void *user, const struct apf_cov_source *source);

/** All zero after `size`, `programs` and `profiles`: the defaults. */
struct apf_cov_options {
    size_t size; /**< sizeof(struct apf_cov_options) */
    const struct apf_options *options;
    /** Programs, shared libraries, object files and archives of any kind (ELF, Mach-O, COFF), and files of llvm-cov
     * convert-for-testing. Of several that have a function, the first one whose counts fit counts. */
    const struct apf_input *programs;
    size_t n_programs;
    /** Instrumentation profiles of any format, which are merged if there are several; none: nothing was executed. */
    const struct apf_input *profiles;
    size_t n_profiles;
    uint32_t flags; /**< APF_COV_* */
    /** The directory of relative names of source files, in place of that of the compiler; NULL: the compiler's. */
    const char *compilation_dir;
    /** Which image of universal files is meant, such as "arm64"; NULL: each has only one. */
    const char *architecture;
    /** Beginnings of the names of source files that are replaced, as if the compiler had done so; of several that fit,
     * the last one. */
    const struct apf_name_change *prefix_maps;
    size_t n_prefix_maps;
    /** APF_COV_MARKERS: where source files are, as in apf_cov_write_options. */
    const struct apf_name_change *source_map;
    size_t n_source_map;
    /** NULL, or which functions are shown. The others are in no total. */
    apf_cov_filter_fn *function_filter;
    /** APF_COV_MARKERS: NULL, or gets the source files; in those that cannot be read no marker is known. */
    apf_cov_source_fn *source;
    void *user; /**< of function_filter and source */
    /** Directories with further programs, of which those are read whose build id is a binary id of the profile:
     * DIRECTORY/.build-id/xx/yyyy.debug, and all ELF files in it and below it. Then `programs` may be empty. */
    const char *const *debug_directories;
    size_t n_debug_directories;
};

/** Functions that are shown, those whose counts are not known, and those that are not shown. */
struct apf_cov_stats {
    size_t size;
    uint64_t n_programs;      /**< files that were read */
    uint64_t n_objects;       /**< objects with coverage in them */
    uint64_t n_without;       /**< objects, most often members of archives, without coverage */
    uint64_t n_functions;     /**< shown */
    uint64_t n_files;         /**< source files */
    uint64_t mismatched;      /**< functions that the profile has only with other hashes */
    uint64_t short_counters;  /**< functions that have fewer counters than their mapping */
    uint64_t circular;        /**< functions whose counters depend on each other in a circle */
    uint64_t damaged;         /**< functions whose mapping is damaged */
    uint64_t ambiguous_files; /**< functions whose list of files cannot be told from another one */
    uint64_t unused;          /**< functions without code here, which were executed elsewhere */
    uint64_t duplicates;      /**< functions that a program before has, too */
    uint64_t excluded;        /**< functions that markers leave out */
    /** programs with a build id, where the profile has binary ids, but not that one */
    uint64_t other_builds;
    uint64_t unknown_builds; /**< binary ids of the profile that no program has as its build id */
    uint64_t empty_profiles; /**< profiles of 0 bytes among others, as runs leave them that were killed */
    uint64_t marked_files;   /**< source files with markers (APF_COV_MARKERS) */
    uint64_t variant; /**< APF_VARIANT_* bits of the profile; those of IR profiles fit no coverage mapping */
};

/** Reads programs and profiles. APF_NO_COVERAGE: no program has coverage; APF_BAD_COVERAGE, APF_COVERAGE_VERSION,
 * APF_BAD_ELF: a program is damaged, or is none; other codes as in apf_merge_add. error->file names the file. On
 * failure *cov is NULL. Programs and profiles in memory must stay in place until apf_cov_close. */
APF_API int apf_cov_open(struct apf_cov **cov, const struct apf_cov_options *options,
                         struct apf_error *error);
/** Closes a coverage. NULL is allowed. */
APF_API void apf_cov_close(struct apf_cov *cov);
/** Fills in the caller's structure, whose `size` is set. Functions that a filter left out are in none of the numbers,
 * but those that are not shown without it, either, are in theirs. */
APF_API int apf_cov_stats(const struct apf_cov *cov, struct apf_cov_stats *stats, struct apf_error *error);

/** How many source files have this name, or are in the directory of that name. */
APF_API size_t apf_cov_source_files(const struct apf_cov *cov, const char *source);

/** What apf_cov_write writes. */
enum apf_cov_format {
    APF_COV_JSON = 0,      /**< what llvm-cov export writes */
    APF_COV_LCOV = 1,      /**< a tracefile of lcov */
    APF_COV_REPORT = 2,    /**< a table with a line for each file */
    APF_COV_FUNCTIONS = 3, /**< tables with a line for each function */
    APF_COV_SHOW = 4,      /**< the source code, with its counts */
    APF_COV_COBERTURA = 5, /**< XML of Cobertura (coverage-04.dtd) */
    APF_COV_CODECOV = 6,   /**< Codecov's JSON of lines */
    APF_COV_COVERALLS = 7, /**< Coveralls' JSON; the source code is read for its digest */
    APF_COV_HTML = 8       /**< the source code, with its counts, as one page for browsers */
};

/** apf_cov_write_options.flags: JSON and lcov without the lines, regions and functions. */
#define APF_COV_SUMMARY_ONLY 1u
#define APF_COV_SKIP_EXPANSIONS 2u /**< JSON: without what macros expand to */
#define APF_COV_SKIP_FUNCTIONS 4u  /**< JSON and lcov: without functions */
#define APF_COV_SKIP_BRANCHES 8u   /**< lcov: without branches */
#define APF_COV_NO_UNIFY 16u       /**< lcov: branches of instantiations are not added up */
#define APF_COV_NO_REGIONS 32u     /**< tables: without the columns about regions */
#define APF_COV_NO_BRANCHES 64u    /**< tables: without the columns about branches */
/** tables: with the columns about instantiations; source code: with each instantiation of a function */
#define APF_COV_INSTANTIATIONS 128u
#define APF_COV_MCDC 256u        /**< tables: with the columns about MC/DC; source code: with test vectors */
#define APF_COV_NO_COUNTS 512u   /**< source code: without the counts of lines */
#define APF_COV_REGIONS 1024u    /**< source code: with the counts of regions, below a line */
#define APF_COV_EXPANSIONS 2048u /**< source code: with what macros expand to */
#define APF_COV_BRANCH_COUNTS 4096u   /**< source code: with the counts of branches */
#define APF_COV_BRANCH_PERCENT 8192u  /**< source code: with the shares of branches */
#define APF_COV_COLORS 32768u         /**< source code: with colours for terminals: what never ran is red */
#define APF_COV_FUNCTION_VIEWS 16384u /**< source code: only that of functions, each with its name */
#define APF_COV_INDEX_INSTANTIATIONS                                                                         \
    65536u                         /**< the table of text pages has the columns about instantiations */
#define APF_COV_INDEX_MCDC 131072u /**< the table of text pages has the columns about MC/DC */

struct apf_cov_write_options {
    size_t size;     /**< sizeof(struct apf_cov_write_options) */
    uint32_t format; /**< enum apf_cov_format */
    uint32_t flags;
    /** Source files, or directories of them, by the names that the programs have, which mostly are absolute, and in
     * this order; none: all, by name. */
    const char *const *sources;
    size_t n_sources;
    /** NULL, or whether a source file is wanted. */
    apf_name_filter_fn *filter;
    void *user; /**< of filter, source and changed */
    /** Source code: the beginnings of names that are replaced to find the files; of several, the last that fits. */
    const struct apf_name_change *source_map;
    size_t n_source_map;
    apf_cov_source_fn *source; /**< NULL, or gets the source files that were read, or could not be */
    /** Source code: NULL, or gets the names of source files that have fewer lines than when the program was built. */
    apf_cov_changed_fn *changed;
    /** Cobertura, text pages: when the profile was made, in seconds since 1970; 0: unknown. */
    uint64_t created;
    const char *title; /**< HTML, where NULL is "Coverage"; text pages */
    /** Tables of functions, source code, HTML and Cobertura: NULL, or what shows their names. */
    apf_name_fn *function_name;
    void *names; /**< `user` of function_name */
    /** max_bytes is how large a source file may be, 0 being 256 MiB; a larger one counts as missing. */
    const struct apf_options *options;
    /** HTML: from which shares on, in hundredths of a per cent, the colours are those of good and of fair ones;
     * good == 0: 9000 and 6000. */
    uint32_t good, fair;
    /** Tables: one that would have more columns of characters is printed in a narrower form; 0: any width. */
    uint32_t width;
};

/** Writes all that is asked for. Sources that match no file write nothing (see apf_cov_source_files). APF_ARGUMENT;
 * APF_IO, APF_NO_MEMORY; APF_BAD_COVERAGE cannot come: what is damaged was left out, or apf_cov_open has failed. */
APF_API int apf_cov_write(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                          const struct apf_output *output, struct apf_error *error);

/** Writes pages into a directory, which is made if it is not there. With APF_COV_HTML they are for browsers:
 * index.html, and one for each source file, which need no other file. With APF_COV_SHOW they are text: index.txt, a
 * table of the files, and coverage/NAME.txt for each source file, whose name cannot lead out of the directory. */
APF_API int apf_cov_write_pages(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                                const char *directory, struct apf_error *error);

/** The numbers of several source files together: those of the last line of a report. */
struct apf_cov_totals {
    size_t size;
    struct apf_cov_share regions, functions, instantiations, lines, branches, mcdc;
};
/** Sets the totals of the files that apf_cov_write would write with these options. */
APF_API int apf_cov_totals(const struct apf_cov *cov, const struct apf_cov_write_options *options,
                           struct apf_cov_totals *totals, struct apf_error *error);

/** The source files, which have the numbers from 0 on, in the order of their names. */
APF_API size_t apf_cov_n_files(const struct apf_cov *cov);
/** The name of a source file, as long as `cov` lives; empty for a number that is too large. */
APF_API struct apf_str apf_cov_file_name(const struct apf_cov *cov, size_t file);

/** A line that is code. Its layout is frozen. */
struct apf_cov_line {
    uint64_t line;              /**< from 1 */
    uint64_t count;             /**< how often it ran */
    struct apf_cov_share sides; /**< of the branches in it, two for each, without those that are constants */
};
/** Gets a line. Other results than 0 end the walk, with APF_STOPPED. */
typedef int apf_cov_line_fn(void *user, const struct apf_cov_line *line);
/** Calls `fn` for the lines of a source file, in order. */
APF_API int apf_cov_lines(const struct apf_cov *cov, size_t file, apf_cov_line_fn *fn, void *user,
                          struct apf_error *error);

/** Gets a function. Other results than 0 end the walk, with APF_STOPPED. */
typedef int apf_cov_function_fn(void *user, const struct apf_cov_function *function);
/** Calls `fn` for all functions that are shown, in the order of programs, or, with `left_out`, for those that are not,
 * of which only name, hash, fit and program are set. */
APF_API int apf_cov_functions(const struct apf_cov *cov, int left_out, apf_cov_function_fn *fn, void *user,
                              struct apf_error *error);

/** Kinds of regions; the numbers are those of LLVM's JSON. */
enum apf_cov_region_kind {
    APF_COV_REGION_CODE = 0,
    APF_COV_REGION_EXPANSION = 1, /**< the use of a macro, or an included file */
    APF_COV_REGION_SKIPPED = 2,   /**< the preprocessor has left it out */
    APF_COV_REGION_GAP = 3,       /**< the space between two statements */
    APF_COV_REGION_BRANCH = 4,    /**< a condition, with two sides */
    APF_COV_REGION_DECISION = 5,  /**< MC/DC: a boolean expression as a whole */
    APF_COV_REGION_CONDITION = 6  /**< MC/DC: a branch that is one of the conditions of a decision */
};
/** A region of a function. The source of a function is in one part, and that of each macro it uses and each file it
 * includes is in another one. Its layout is frozen. */
struct apf_cov_region {
    uint32_t kind;     /**< enum apf_cov_region_kind */
    uint32_t part;     /**< number of the part that it is in, from 0 */
    uint32_t expanded; /**< expansions: number of the part that is expanded; else 0 */
    uint32_t excluded; /**< 1: a marker in the source leaves it out (APF_COV_MARKERS) */
    uint64_t file;     /**< number of the source file that the part is in */
    uint32_t line, column, end_line, end_column; /**< from 1; the end is the first place that is not in it */
    /** How often it ran, or, of branches and conditions, was true and was false. Skipped regions and decisions: 0. */
    uint64_t count, false_count;
    /** Branches and conditions: 1 if it is never true by its text, 2 if it is never false, 3 if both. */
    uint32_t constant;
    uint32_t n_conditions; /**< decisions: how many conditions they have */
    /** Conditions: which one of the decision it is, and which one follows if it is false or true; -1: none. */
    int32_t condition, if_false, if_true;
    uint32_t reserved; /**< 0 */
};
/** Gets a region, which lives as long as the call. Other results than 0 end the walk, with APF_STOPPED. */
typedef int apf_cov_region_fn(void *user, const struct apf_cov_region *region);
/** Calls `fn` for the regions of a function that is shown, those of one part after those of another, in the order of
 * the program. `function` is its number in the walk of apf_cov_functions, from 0. Several threads may walk at once.
 * APF_ARGUMENT: there are fewer functions; APF_NO_MEMORY; APF_STOPPED. */
APF_API int apf_cov_regions(const struct apf_cov *cov, size_t function, apf_cov_region_fn *fn, void *user,
                            struct apf_error *error);

/** A marker in a source file, with APF_COV_MARKERS, without its counterpart. Its layout is frozen. */
struct apf_cov_marker {
    struct apf_str file; /**< the name of the source file, as long as `cov` lives */
    uint64_t line;
    /** 1: it is a _STOP, before which there is no _START; 0: a _START, before the next of which, or the end,
     * there is no _STOP */
    uint32_t stops;
    uint32_t branches; /**< 1: it is about branches only, such as LCOV_EXCL_BR_START; else 0 */
};
/** Gets a marker. Other results than 0 end the walk, with APF_STOPPED. */
typedef int apf_cov_marker_fn(void *user, const struct apf_cov_marker *marker);
/** Calls `fn` for the markers without a counterpart, for each file in the order of its lines. */
APF_API int apf_cov_unpaired_markers(const struct apf_cov *cov, apf_cov_marker_fn *fn, void *user,
                                     struct apf_error *error);

/** Words for enum apf_cov_fit, such as "its mapping is damaged"; "" for other numbers. */
APF_API const char *apf_cov_fit_text(uint32_t fit);

/** Writes, as text, what programs and profile have of the functions with this name, with or without the file before it
 * that local functions have: hashes, where it is, how often it ran, or why that is not known. *found says whether a
 * program has one; it may be NULL. */
APF_API int apf_cov_why(const struct apf_cov *cov, struct apf_str name, const struct apf_output *output,
                        int *found, struct apf_error *error);
/** Writes, as JSON (docs/json.md), which functions have no counts or are left out, and why, markers without their
 * counterparts, and the names of source files that the caller missed. */
APF_API int apf_cov_report(const struct apf_cov *cov, const struct apf_str *missing, size_t n_missing,
                           const struct apf_output *output, struct apf_error *error);

/** What apf_cov_diff writes. */
enum apf_cov_diff_format { APF_COV_DIFF_TEXT = 0, APF_COV_DIFF_MARKDOWN = 1, APF_COV_DIFF_JSON = 2 };

struct apf_cov_diff_options {
    size_t size; /**< sizeof(struct apf_cov_diff_options) */
    /** Either a unified diff: what of its new and changed lines ran. */
    const struct apf_input *patch;
    /** Or earlier coverage: which lines ran then, and do not now. */
    const struct apf_cov *base;
    uint32_t format; /**< enum apf_cov_diff_format */
    /** The directory, without a '/' at its end, that names in the diff are relative to, if a file of it is there. Else
     * a source file is meant whose name ends with that in the diff, the shortest of several. NULL: unknown. */
    const char *root;
    apf_name_filter_fn *filter; /**< NULL, or whether a source file is wanted */
    void *user;                 /**< of filter and source */
    /** max_bytes is how large the diff, and a source file, may be. */
    const struct apf_options *options;
    /** Where source files are, as in apf_cov_write_options. Text has the first lines that did not run. */
    const struct apf_name_change *source_map;
    size_t n_source_map;
    apf_cov_source_fn *source; /**< NULL, or gets the source files that are compared */
};

/** What changed. With a diff: its new and changed lines that are code (`lines`), how many files have such lines, and of
 * how many files no program has the source (`n_unknown`). With a base: how many lines ran only now or only then, and
 * all lines of both. */
struct apf_cov_diff_result {
    size_t size;
    struct apf_cov_share lines;
    uint64_t n_files, n_unknown;
    uint64_t gained, lost;
    struct apf_cov_share now, then;
};

/** Writes what of a change ran, or how two coverages differ. `result` may be NULL. APF_BAD_PATCH: the diff is damaged,
 * is none, or is a series of commits. */
APF_API int apf_cov_diff(const struct apf_cov *cov, const struct apf_cov_diff_options *options,
                         const struct apf_output *output, struct apf_cov_diff_result *result,
                         struct apf_error *error);

#ifdef __cplusplus
}
#endif

#endif
