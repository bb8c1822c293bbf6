/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file jobs.h
 * Work on more than one kind of file. Part of libanyprof-elf.
 */
#ifndef ANYPROF_JOBS_H
#define ANYPROF_JOBS_H

#include <anyprof/instr.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of files that a profile tool may be given. */
enum apf_file_kind {
    APF_KIND_UNKNOWN = 0,
    APF_KIND_EMPTY,         /**< no bytes */
    APF_KIND_INSTR_RAW,     /**< .profraw */
    APF_KIND_INSTR_INDEXED, /**< .profdata of an instrumentation profile */
    APF_KIND_INSTR_TEXT,    /**< .proftext (or any text that is nothing else) */
    APF_KIND_SAMPLE_BINARY, /**< sample profile, binary or extensible binary */
    APF_KIND_SAMPLE_TEXT,   /**< sample profile, text */
    APF_KIND_SAMPLE_GCOV,   /**< sample profile of AutoFDO for GCC, of any version */
    APF_KIND_MEMPROF_RAW,   /**< .memprofraw */
    APF_KIND_PERF_DATA,     /**< perf.data */
    APF_KIND_ELF,           /**< executable, shared library or object */
    APF_KIND_ARCHIVE,       /**< ar archive */
    APF_KIND_GZIP,          /**< compressed with gzip, and cannot be unpacked */
    APF_KIND_ZSTD,          /**< compressed with zstd, and cannot be unpacked */
    APF_KIND_BZIP2,         /**< compressed with bzip2, which is not read */
    APF_KIND_XZ,            /**< compressed with xz, which is not read */
    APF_KIND_BOLT_FDATA,    /**< fdata of BOLT */
    APF_KIND_BOLT_YAML,     /**< YAML profile of BOLT */
    APF_KIND_BOLT_SAMPLES,  /**< pre-aggregated samples for BOLT */
    APF_KIND_MEMPROF_YAML,  /**< memory profile in YAML */
    APF_KIND_INSTR_JSON,    /**< .json, as apf_instr_write_json writes it (or any JSON object) */
    APF_KIND_OTHER_JSON,    /**< another document of anyprof; apf_file_detect calls it APF_KIND_INSTR_JSON */
    APF_KIND_PERF_SCRIPT,   /**< text that perf script prints */
    APF_KIND_BAT_SECTION,   /**< the bytes of a .note.bolt_bat section */
    /* what is found among profiles by accident */
    APF_KIND_HTML,          /**< a web page */
    APF_KIND_GIT_LFS,       /**< a pointer of Git LFS, which stands for the file */
    APF_KIND_TAR,           /**< tar archive */
    APF_KIND_ZIP,           /**< zip archive */
    APF_KIND_GCDA,          /**< counts of GCC's own coverage and profiling */
    APF_KIND_GCNO,          /**< the control flow that belongs to such counts */
    APF_KIND_CORE,          /**< core dump */
    APF_KIND_SAMPLE_JSON,   /**< .json, as apf_sample_write_json writes it */
    APF_KIND_PARTIAL,       /**< partial instrumentation profile, as apf_merge_write_partial writes it */
    APF_KIND_PARTIAL_SAMPLE /**< partial sample profile, as apf_sample_merge_write_partial writes it */
};

/** apf_file_info.contents: sections of an ELF file that concern profiling. */
#define APF_ELF_INSTRUMENTED 1u /**< __llvm_prf_cnts: instrumented */
#define APF_ELF_COVERAGE_MAP 2u /**< __llvm_covmap */
#define APF_ELF_PROBES 4u       /**< .pseudo_probe */
#define APF_ELF_BAT 8u          /**< .note.bolt_bat: optimised by BOLT, with its address translation */
#define APF_ELF_DEBUG_INFO 16u  /**< .debug_info */
#define APF_ELF_MEMPROF 32u /**< -fmemory-profile, by its symbols; apf_file_detect does not look for these */
#define APF_ELF_BOLTED 64u  /**< .note.bolt_info or .bolt.org.*: written by BOLT */
#define APF_ELF_BOLT_INSTRUMENTED 128u /**< .bolt.instr.counters: instrumented by BOLT, for .fdata */
#define APF_ELF_STRIPPED 256u          /**< a linked file without .symtab */
#define APF_ELF_GCOV 512u /**< instrumented by GCC or clang for gcov, by symbols, as APF_ELF_MEMPROF */

/** The kind of a file, and what its header says. */
struct apf_file_info {
    size_t size; /**< sizeof(struct apf_file_info), set by the caller */
    /** enum apf_file_kind; for a compressed file that of its contents, if they can be unpacked */
    uint32_t kind;
    uint32_t contents;    /**< ELF: APF_ELF_* */
    uint32_t elf_bits;    /**< ELF: 32 or 64 */
    uint32_t elf_machine; /**< ELF: e_machine */
    uint32_t big_endian;  /**< ELF: 1 = big-endian */
    uint32_t n_build_id;  /**< ELF: bytes of the GNU build id; 0 = none */
    uint8_t build_id[64]; /**< the first 64 of them */
    uint64_t file_size;
    /** enum apf_file_kind, of the whole file: APF_KIND_GZIP or APF_KIND_ZSTD; 0 = none */
    uint32_t compression;
    uint32_t reserved;
};

/** Finds out from its bytes what a file is; the name plays no part. Fails only when it cannot be read. A damaged ELF
 * file is APF_KIND_ELF with what could be found. */
APF_API int apf_file_detect(const struct apf_input *input, const struct apf_options *options,
                            struct apf_file_info *info, struct apf_error *error);
/** Whether a path is a directory that `perf record --threads` has written (1), one recording for apf_info_open, or not
 * (0): its file `data` begins as perf.data does. */
APF_API int apf_is_recording_directory(const char *path);
/** Whether a kind is one of sample profiles (1) or not (0). */
APF_API int apf_file_kind_is_sample(enum apf_file_kind kind);
/** A few words such as "an ELF file"; never NULL. */
APF_API const char *apf_file_kind_name(enum apf_file_kind kind);
/** The two families of profiles: no profile of one is merged or compared with one of the other. */
enum apf_family {
    APF_FAMILY_NONE = 0,  /**< neither, or not known */
    APF_FAMILY_INSTR = 1, /**< instrumentation profiles, and memory profiles in YAML */
    APF_FAMILY_SAMPLE = 2 /**< sample profiles */
};
/** The family of the profile in a regular file or in memory, by its first bytes alone, unpacked if they are compressed.
 * APF_FAMILY_NONE: an empty file, a text with nothing but comments, a partial profile of nothing but such files, a file
 * of another kind, standard input, a pipe, or a file that cannot be read. */
APF_API enum apf_family apf_file_family(const struct apf_input *input);
/** 1 if a file begins as a partial profile; 0 if not, or if it cannot be read. */
APF_API int apf_file_is_partial(const struct apf_input *input);
/** The kind that apf_file_detect finds, if the first bytes of a file say it; no more of it is read. APF_KIND_UNKNOWN
 * also if it cannot be read. */
APF_API enum apf_file_kind apf_file_glance(const struct apf_input *input);
/** The family that a file should be of by the end of its name: .profraw, .profdata and .proftext are names of
 * instrumentation profiles, .afdo and .prof of sample profiles, also with .gz or .zst after it. */
APF_API enum apf_family apf_path_family(const char *path);
/** apf_path_family of an input; of a partial profile of neither family, what the names of its inputs say, which is
 * APF_FAMILY_INSTR | APF_FAMILY_SAMPLE if they say both. An input in memory goes by its `name`. */
APF_API uint32_t apf_input_families_by_name(const struct apf_input *input);
/** What to do with a file that was given as an instrumentation profile but is none, such as "llvm-profgen makes a
 * profile of it"; NULL: there is no advice. */
APF_API const char *apf_file_hint(const struct apf_file_info *info);

/* ---- info: the contents of files ---- */

/** A part of a file, by its offset and size in the unpacked file. Names of raw profiles: header, binary_ids, data,
 * counters, bitmap, uniform, names, vtables, vtable_names, value_data; of indexed ones: header, summary, cs_summary,
 * functions, buckets, memprof, binary_ids, vtable_names, traces; of both: padding, unclaimed (of no known
 * use); of ELF files those of their sections. Its layout is frozen. */
struct apf_file_part {
    const char *name;
    uint64_t offset, size;
    uint64_t profile; /**< raw: number of the profile in the file, from 0; else 0 */
};

/** A count that only files of one kind have, such as {"probes", 12}. Its layout is frozen. */
struct apf_file_number {
    const char *name;
    uint64_t n;
};
/** A word about a file: "bolt", the revision and the command line of the BOLT that wrote it; "probe_encoding" and
 * "bat_encoding", the releases of LLVM and BOLT that write such sections. Its layout is frozen. */
struct apf_file_word {
    const char *name;
    struct apf_str text;
};

/** Facts about a file. All pointers belong to the struct apf_info. A number is 0 where files of that kind have nothing
 * to count. */
struct apf_file_facts {
    struct apf_str path;              /**< the file's name */
    const struct apf_file_info *file; /**< kind, size, and what the ELF header says */
    uint64_t unpacked_size;           /**< file->file_size where the file is not compressed */
    /** Why the file could not be read; NULL: it could. After a failure the other fields hold only what the first bytes
     * of the file say: version, variant, byte order, pointer size, producers; for raw profiles also binary_ids, and the
     * numbers of functions and counters in the header; for ELF files as much as was read. */
    const struct apf_error *error;
    uint32_t origin;       /**< JSON: enum apf_instr_format of the profile that it was made from; else 0 */
    uint32_t version;      /**< of the format, or for JSON of its origin's; 0: the format has none */
    uint32_t pointer_bits; /**< raw profiles and JSON of such, ELF: 32 or 64; else 0 */
    uint32_t big_endian; /**< 1 = big-endian; of files with pointer_bits, perf.data and raw memory profiles */
    uint64_t variant;    /**< APF_VARIANT_* */
    uint64_t n_profiles, n_functions, n_counters;
    /** Number of raw profiles whose functions are not in the file, but in the program with its binary id. Only
     * n_counters counts these functions: it has all slots of the program's section, timestamps included. */
    uint64_t n_bare;
    /** Where the functions are: enum apf_metadata_kind (correlate.h). Of raw profiles with n_bare, 0 if either of
     * debug information and the program's sections may be meant; of instrumented programs, 0 if not known. */
    uint32_t metadata;
    uint32_t memprof_version; /**< of the MemProf data; APF_MEMPROF_NO_VERSION: there is none */
    uint64_t n_sites[APF_VALUE_KINDS], n_values[APF_VALUE_KINDS];
    uint64_t n_bitmaps, n_bitmap_bytes; /**< functions with bitmaps, and the bytes of all bitmaps */
    uint64_t n_contextual;              /**< functions whose counts are context-sensitive */
    uint64_t n_pseudo;                  /**< functions that are only marked hot or warm */
    uint64_t n_unexecuted;              /**< functions all of whose counts are 0 */
    uint64_t n_nameless;                /**< functions whose name is not in the file */
    uint64_t n_traces, n_traces_seen;   /**< temporal traces in the file, and all that were ever seen */
    uint64_t n_vtable_names;
    /** Profiles and instrumented programs: a digest of the ids, hashes and numbers of counters of all functions that
     * have a name, in any order: a program, its raw profiles and merges of these alone have the same digest. 0: there
     * are no such functions, or they are not known. */
    uint64_t build_digest;
    /** LLVM releases that may have written it, a bit each: see apf_release_name; 0: unknown */
    uint64_t producers;
    uint64_t readers;    /**< LLVM releases that can read it; 0: unknown, none, or all (text) */
    const char *refusal; /**< why there are no readers, where the version is not the reason; else NULL */
    const char *schema;  /**< APF_KIND_OTHER_JSON: which, such as "anyprof-diff/1"; else NULL */
    const struct apf_str *binary_ids; /**< in file order; for an ELF file its build id */
    size_t n_binary_ids;
    const struct apf_finding *findings; /**< what is odd about a profile that could be read */
    size_t n_findings;
    const struct apf_file_part *parts; /**< by offset */
    size_t n_parts;
    const struct apf_file_number *numbers;
    size_t n_numbers;
    const struct apf_file_word *words;
    size_t n_words;
};

/** Facts about some files; opaque. It never changes: several threads may read it at once. */
struct apf_info;

/** Reads files, several at once (options->threads), and keeps only their facts. A directory of
 * apf_is_recording_directory is read like a file. A file that cannot be read is no failure of the call; its facts say
 * so. options->diag is not used. On failure *info is NULL. */
APF_API int apf_info_open(struct apf_info **info, const struct apf_input *inputs, size_t n,
                          const struct apf_options *options, struct apf_error *error);
/** Closes what apf_info_open has made. NULL is allowed. */
APF_API void apf_info_close(struct apf_info *info);
/** The facts of file number i, in the order of the inputs; NULL past the end. */
APF_API const struct apf_file_facts *apf_info_file(const struct apf_info *info, size_t i);
/** How many files could not be read. */
APF_API size_t apf_info_unreadable(const struct apf_info *info);
/** The group of file number i: files of one kind, version and build belong to one group. The binary ids identify the
 * build, or, without binary ids, the build digest; a profile or ELF file that has neither is a group of its own. Files
 * of a kind that records no build form one group for each kind. Groups are numbered in the order of their first files.
 * SIZE_MAX past the end, and of files that could not be read. */
APF_API size_t apf_info_group(const struct apf_info *info, size_t i);
/** The number of the k-th program among the files to which the profiles of a group belong: a program that has one of
 * their binary ids (of several with the same id the first instrumented one), or, where the profiles or the program have
 * no ids, the first program with their build digest, programs without an id preferred. SIZE_MAX past the end. */
APF_API size_t apf_info_program(const struct apf_info *info, size_t group, size_t k);

/** apf_info_print: as JSON, docs/json.md describes it. */
#define APF_INFO_JSON 1u
/** Prints the facts: all facts about a single file; for several files a line for each group and each file that could
 * not be read, and totals. JSON has all facts about all files. */
APF_API int apf_info_print(const struct apf_info *info, uint32_t flags, const struct apf_output *output,
                           struct apf_error *error);

/* ---- check: errors and oddities in profiles ---- */

/** The result of a check. */
struct apf_check_verdict {
    size_t size;                   /**< sizeof(struct apf_check_verdict), set by the caller */
    uint64_t n_files, n_bad_files; /**< bad: with an error or a warning */
    uint64_t n_errors, n_warnings, n_notes;
    /** records of functions that were checked, and functions of sample profiles; in a damaged file the intact ones */
    uint64_t n_records;
    /* The comparison with programs; all 0 without programs. Functions are pairs of name and hash. */
    uint64_t n_program_functions; /**< of the programs, once for each profile that could be read */
    uint64_t n_found, n_mismatched,
        n_missing; /**< these are: with counts; with those of another hash or number of
                                                * counters; without */
    /** of those without: that the profile has with another path in front of the name */
    uint64_t n_other_path;
    uint64_t n_unknown;     /**< records of functions that the programs lack */
    uint64_t n_other_build; /**< records of another hash, of functions that have one that fits */
    uint64_t found_weight, mismatched_weight, unknown_weight,
        other_build_weight; /**< sums of the counts of the records; 2^64 - 1: or more */
};

/** Instrumented programs, and shared libraries of them, that profiles are compared with; opaque.
 * Several checks may use them at once. */
struct apf_check_programs;

/** Reads the functions of programs: see apf_binary_functions_open, whose failures these are, with the number of the
 * program in error->input. */
APF_API int apf_check_programs_open(struct apf_check_programs **programs, const struct apf_input *inputs,
                                    size_t n, const struct apf_options *options, struct apf_error *error);
/** Closes programs. NULL is allowed. */
APF_API void apf_check_programs_close(struct apf_check_programs *programs);

/** Looks for everything that is wrong with an instrumentation profile (raw, indexed, text or JSON), a memory profile in
 * YAML or a sample profile, and reports each finding to options->diag, in no particular order; diag->error has the
 * place, what was found and what was expected.
 *
 * An error is what a reader of LLVM or GCC that knows the version refuses, or because of which it does not find a
 * function, and whatever apf_instr_open or apf_sample_open refuses; a warning says that counts are missing or probably
 * wrong, or that parts contradict each other; a note is about something odd, but harmless. A file that is no such
 * profile is an error, and so is one that cannot be read. Fails (with APF_NO_MEMORY, APF_STOPPED) only when the check
 * could not be completed. The numbers are added to `verdict`, which begins all zero but for its size.
 *
 * With `against`, which may be NULL, the records are compared with the functions of programs: a warning for each with
 * another hash or number of counters (a note where another record fits, as in a profile of several builds), a note for
 * each that the profile or the programs lack. Local functions are paired as compilers do it: one that is FILE;NAME in a
 * program (LLVM 18 and later) is looked for as FILE:NAME, too. Raw profiles whose metadata stayed in its program are
 * completed from the programs; without these a note says that they are needed. Sample profiles are not compared: with
 * programs they have an error. */
APF_API int apf_check(const struct apf_input *input, const struct apf_check_programs *against,
                      const struct apf_options *options, struct apf_check_verdict *verdict,
                      struct apf_error *error);

/** As apf_profile_paths, of instrumentation and sample profiles: files with a family by their first bytes or by their
 * name. */
APF_API int apf_check_paths(const char *path, const struct apf_paths_options *options, char ***paths,
                            size_t *n, struct apf_skipped *skipped, struct apf_error *error);
/** As apf_merge_paths, of the files that apf_check_paths lists, so that a profile of the other family than the merge's
 * is a bad input of it. */
APF_API int apf_any_merge_paths(const char *path, const struct apf_paths_options *options, const char *output,
                                char ***paths, size_t *n, struct apf_skipped *skipped,
                                struct apf_error *error);

/** apf_check_print: as JSON, docs/json.md describes it. */
#define APF_CHECK_JSON 1u
/** apf_check_print, text: all findings; else the first of each kind in each file, and how many more there are. */
#define APF_CHECK_ALL 2u
/** Checks files, and prints what is found, and reports the progress to options->progress. options->diag is not used. */
APF_API int apf_check_print(const struct apf_input *inputs, size_t n,
                            const struct apf_check_programs *against, const struct apf_options *options,
                            uint32_t flags, const struct apf_output *output,
                            struct apf_check_verdict *verdict, struct apf_error *error);

/** As apf_libraries, for the libraries that libanyprof-elf uses beside those. */
APF_API size_t apf_elf_libraries(char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
