/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file bolt.h
 * Profiles of BOLT. Part of libanyprof-elf.
 *
 * fdata is the text that perf2bolt writes and llvm-bolt reads; docs/formats/fdata.md describes it. A struct apf_fdata
 * is such a profile in memory. Records are added to it one by one or from files, equal records become one, and the
 * order in which they are written does not depend on the order in which they were added: making, merging and reading a
 * profile are the same.
 *
 *     apf_fdata_new(&f, NULL, &error);
 *     apf_fdata_read(f, inputs, n, &error);
 *     apf_fdata_write(f, &output, &error);
 *     apf_fdata_free(f);
 */
#ifndef ANYPROF_BOLT_H
#define ANYPROF_BOLT_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A profile; opaque. One thread at a time may use it, also for reading. */
struct apf_fdata;

/** The header lines of a profile. Profiles that differ in one of these flags cannot be merged. */
#define APF_FDATA_BOLTED 1u /**< `boltedcollection`: sampled on what BOLT had made, and translated back */
#define APF_FDATA_NO_LBR 2u /**< `no_lbr`: samples instead of branches */

/** The kind of a record. */
enum apf_fdata_kind {
    APF_FDATA_BRANCH = 0, /**< a branch, call or fall-through; in profiles without APF_FDATA_NO_LBR */
    APF_FDATA_SAMPLE = 1, /**< how often an instruction was seen; in profiles with APF_FDATA_NO_LBR */
    APF_FDATA_MEMORY = 2  /**< how often an instruction loaded from an address */
};

/** Whether a location is in a symbol. */
enum apf_fdata_symbol {
    APF_FDATA_NO_SYMBOL = 0,
    APF_FDATA_SYMBOL = 1,
    APF_FDATA_LOCAL_SYMBOL = 2 /**< what old tools write for local symbols; llvm-bolt makes no difference */
};

/** A place in the program or, in memory records, in its data. Its layout is frozen. */
struct apf_fdata_location {
    struct apf_str name; /**< of the symbol, or "[unknown]" and the like; escaped, see apf_fdata_escape */
    uint64_t offset;     /**< bytes from the beginning of the symbol; without a symbol an address, or 0 */
    uint32_t symbol;     /**< enum apf_fdata_symbol */
    uint32_t reserved;
};

/** One line of the file. */
struct apf_fdata_record {
    size_t size;   /**< sizeof(struct apf_fdata_record); see struct apf_options */
    uint32_t kind; /**< enum apf_fdata_kind */
    uint32_t reserved;
    struct apf_fdata_location from; /**< of a sample, and of a load: the instruction */
    struct apf_fdata_location to;   /**< of a load: the data; of a sample: not used */
    uint64_t count;                 /**< at most APF_FDATA_MOST */
    uint64_t mispredictions;        /**< of branches, at most APF_FDATA_MOST; else not used */
};

/** The largest count: llvm-bolt reads them as signed numbers of 64 bits. Sums that would be larger stay there, and the
 * records are counted (n_saturated). */
#define APF_FDATA_MOST ((uint64_t)INT64_MAX)

/** The contents of a profile. Owned by the profile, valid and up to date until it is freed. */
struct apf_fdata_info {
    uint32_t flags;               /**< APF_FDATA_*; 0 also while nothing is known */
    uint32_t known;               /**< 1: a file was read, a record added, or the flags were declared */
    uint64_t n_inputs;            /**< files that were read, empty ones included */
    uint64_t n_empty;             /**< files without a byte among n_inputs */
    uint64_t n_lines;             /**< records in the files, and added ones */
    uint64_t n_branches;          /**< records after equal ones became one: branches ... */
    uint64_t n_samples;           /**< ... samples ... */
    uint64_t n_memory;            /**< ... and loads */
    uint64_t n_saturated;         /**< records with a count above APF_FDATA_MOST, which is written instead */
    uint64_t n_events;            /**< names of events on the line `no_lbr` */
    const struct apf_str *events; /**< the names, each once, sorted by bytes when the profile is sorted */
};

/** Makes an empty profile. Of the options max_bytes bounds each input, and max_records the different records in memory
 * (APF_LIMIT; 0, and anything above it, = 2^28). diag receives a finding for
 * each empty file (APF_EMPTY_FDATA), and one for files with other events than those before (APF_FDATA_CONFLICT), whose
 * counts are added all the same. threads is not used. Free it with apf_fdata_free. */
APF_API int apf_fdata_new(struct apf_fdata **result, const struct apf_options *options,
                          struct apf_error *error);
/** Frees a profile. NULL is allowed. */
APF_API void apf_fdata_free(struct apf_fdata *fdata);
/** Facts about the profile. Never NULL; valid until the profile is freed, and brought up to date by each call. */
APF_API const struct apf_fdata_info *apf_fdata_info(const struct apf_fdata *fdata);

/** Sets the header of a profile that is made in memory, before its records are added; without this call flags are 0.
 * `events` are the names after `no_lbr`, without blanks and control characters (APF_ARGUMENT); they are copied. Fails
 * with APF_FDATA_CONFLICT when the profile has another header already. */
APF_API int apf_fdata_declare(struct apf_fdata *fdata, uint32_t flags, const struct apf_str *events,
                              size_t n_events, struct apf_error *error);
/** Adds a record, or its counts to those of an equal one. Fails with APF_ARGUMENT for a record that such a profile
 * cannot hold: samples without APF_FDATA_NO_LBR, branches with it, names that are empty, hold a line feed or a zero,
 * or are not escaped, counts above APF_FDATA_MOST. The names are copied. */
APF_API int apf_fdata_add(struct apf_fdata *fdata, const struct apf_fdata_record *record,
                          struct apf_error *error);
/** Writes the name of a symbol as fdata has it, with a backslash before each blank and backslash: at most `size` bytes
 * to `to`, not terminated. Returns the length of the escaped name, at most 2 * name.n. */
APF_API size_t apf_fdata_escape(struct apf_str name, char *to, size_t size);

/** Adds the records of files, each multiplied by the input's weight. Errors of a file are APF_BAD_FDATA with offset,
 * line and column, or APF_FDATA_CONFLICT when its header does not go with what is known, naming the file that it came
 * from; APF_UNSUPPORTED when it is another kind of profile. error->input is the index of the file. A file without a
 * byte is a run without samples.
 *
 * After a failure the profile holds part of a file: it can only be freed, every other call fails with APF_ARGUMENT. */
APF_API int apf_fdata_read(struct apf_fdata *fdata, const struct apf_input *inputs, size_t n,
                           struct apf_error *error);

/** Sorts the records as they are written: loads after the others, each by function (that of the source, or
 * where that is in no symbol, of the target); of a function those with a source in a symbol first, then by
 * source and by target: whether it is in a symbol, name by bytes, offset. Needed before apf_fdata_record. */
APF_API int apf_fdata_sort(struct apf_fdata *fdata, struct apf_error *error);
/** Record number i in that order; APF_END past the end. APF_ARGUMENT: something was added since it was sorted. The
 * names are valid until something is added or the profile is freed. */
APF_API int apf_fdata_record(const struct apf_fdata *fdata, size_t i, struct apf_fdata_record *record,
                             struct apf_error *error);
/** Writes the profile, sorted: the header in the order that llvm-bolt reads, then the records, fields separated by one
 * blank, each line with its end. The same records give the same bytes. */
APF_API int apf_fdata_write(struct apf_fdata *fdata, const struct apf_output *output,
                            struct apf_error *error);

/* ---- YAML ---- */

/** A profile in YAML; opaque. One thread at a time may use it, also for reading.
 *
 * docs/formats/bolt-yaml.md describes the format. As with fdata, functions are added one by one or from files, those of
 * one name become one, and making, merging and reading are one thing. */
struct apf_bolt_yaml;

/** header.flags: what was sampled. Profiles with APF_BOLT_YAML_SAMPLE and without cannot be one. */
#define APF_BOLT_YAML_LBR 1u      /**< `lbr`: branches */
#define APF_BOLT_YAML_SAMPLE 2u   /**< `sample`: instructions */
#define APF_BOLT_YAML_MEMEVENT 4u /**< `memevent`: loads */

/** The numbering of blocks. */
enum apf_bolt_yaml_order {
    APF_BOLT_ORDER_UNSAID = 0, /**< the key `dfs-order` is not there, as up to LLVM 16: depth first */
    APF_BOLT_ORDER_DFS = 1,
    APF_BOLT_ORDER_LAYOUT = 2 /**< as they stand in the program; what LLVM 22 writes */
};

/** The function that makes the hashes of functions and blocks. */
enum apf_bolt_yaml_hash {
    APF_BOLT_STD_HASH = 0, /**< also where the key `hash-func` is not there, as up to LLVM 17 */
    APF_BOLT_XXH3 = 1
};

/** The header of a profile. */
struct apf_bolt_yaml_header {
    size_t size; /**< sizeof(struct apf_bolt_yaml_header); see struct apf_options */
    struct apf_str binary_name;
    struct apf_str build_id; /**< of the binary that was sampled; "<unknown>" or empty where that is so */
    struct apf_str origin;   /**< the tool, in its own words */
    struct apf_str events;   /**< names; llvm-bolt reads no comma between them */
    uint32_t flags;          /**< APF_BOLT_YAML_* */
    uint32_t order;          /**< enum apf_bolt_yaml_order */
    uint32_t hash;           /**< enum apf_bolt_yaml_hash */
    uint32_t reserved;
};

/** An edge from a block, with its counts: to a block of its function, or a call. Its layout is frozen. */
struct apf_bolt_yaml_edge {
    uint64_t count, mispredictions;
    uint32_t to;     /**< of a successor the number of the block; of a call the function's fid, 0 = unknown */
    uint32_t offset; /**< of a call: bytes from the beginning of the block; else 0 */
    uint32_t entry; /**< of a call: which further entry of the function (`disc`), 0 = its beginning; else 0 */
    uint32_t probe; /**< of a call: its pseudo probe (`pp`), 0 = none; else 0 */
    uint32_t node;  /**< of a call: node of the inline tree (`ppn`); else 0 */
    uint32_t indirect; /**< of a call: 1 if its probe is of an indirect call (`ind`); else 0 */
};

/** A block of a function. Its layout is frozen. */
struct apf_bolt_yaml_block {
    uint64_t hash;           /**< 0: none, as up to LLVM 16 */
    uint64_t exec;           /**< how often it was entered from outside, or by a branch of unknown source */
    uint64_t events;         /**< samples in it */
    uint32_t index;          /**< its number, below n_all_blocks of the function; each once */
    uint32_t n_instructions; /**< 0 where the blocks come from a BAT table */
    size_t n_calls, n_successors;
    const struct apf_bolt_yaml_edge *calls;
    const struct apf_bolt_yaml_edge *successors;
    /** Its pseudo probes: lines as they stand in the file, such as "probes:          [ {  } ]", without the last line
     * feed; mostly n == 0. They are written as they are. */
    struct apf_str probes;
};

/** A function. */
struct apf_bolt_yaml_function {
    size_t size;         /**< sizeof(struct apf_bolt_yaml_function); see struct apf_options */
    struct apf_str name; /**< UTF-8, not empty */
    uint64_t hash;
    uint64_t exec;         /**< how often it was entered */
    uint64_t entered;      /**< of these, from outside of the program (`extern`) */
    uint32_t fid;          /**< its id in calls, in all profiles of this binary; unique */
    uint32_t n_all_blocks; /**< of the function, also those that are not in the profile */
    size_t n_blocks;
    const struct apf_bolt_yaml_block *blocks; /**< by number, ascending */
    struct apf_str probes; /**< lines as those of blocks: `inline_tree`, or `guid` and its hash */
};

/** The contents of a profile. Owned by the profile, valid and up to date until it is freed. */
struct apf_bolt_yaml_info {
    uint32_t known;          /**< 1: a file was read, or the header was declared */
    uint32_t probes_dropped; /**< 1: pseudo probes of different kinds came together: none are written */
    uint64_t n_inputs;       /**< files that were read, empty ones not counted */
    uint64_t n_functions;    /**< after those of one name became one */
    uint64_t n_saturated;    /**< sums beyond 2^64 - 1, which stay there */
    uint64_t n_unknown_keys; /**< keys in files that are not known; they are left out */
};

/** An empty profile. Of the options max_bytes bounds each input, and max_records the functions in memory (APF_LIMIT; 0,
 * and anything above it, = 2^28). diag receives, once for each file, findings about unknown keys (APF_UNKNOWN_KEY)
 * and about differences between files that do not prevent a merge (APF_YAML_CONFLICT). threads is not used. */
APF_API int apf_bolt_yaml_new(struct apf_bolt_yaml **result, const struct apf_options *options,
                              struct apf_error *error);
/** Frees a profile. NULL is allowed. */
APF_API void apf_bolt_yaml_free(struct apf_bolt_yaml *yaml);
/** Facts about the profile. Never NULL; valid until the profile is freed, and brought up to date by each call. */
APF_API const struct apf_bolt_yaml_info *apf_bolt_yaml_info(const struct apf_bolt_yaml *yaml);

/** Sets the header of a profile that is made in memory, before its functions are added. Texts are UTF-8 (APF_ARGUMENT)
 * and copied. Fails with APF_YAML_CONFLICT when the profile has another header already. */
APF_API int apf_bolt_yaml_declare(struct apf_bolt_yaml *yaml, const struct apf_bolt_yaml_header *header,
                                  struct apf_error *error);
/** Adds a function, or its counts to those of the one that has its name, which must have the same hash, fid and number
 * of blocks, and the same hash and number of instructions in each block (APF_YAML_CONFLICT, after which the profile can
 * only be freed). Counts are added by block, by successor, and by call (offset, fid, entry). Where both have other
 * successors in a block, or the same in another order, all are sorted by number, likewise calls by offset, fid and
 * entry: the result does not depend on which came first.
 * APF_ARGUMENT: no header was declared, or the function cannot stand in such a profile. Everything is copied. */
APF_API int apf_bolt_yaml_add(struct apf_bolt_yaml *yaml, const struct apf_bolt_yaml_function *function,
                              struct apf_error *error);

/** Adds files, each multiplied by the input's weight. Errors of a file are APF_BAD_YAML with offset, line, column, or
 * APF_YAML_CONFLICT when it does not go with another one, naming that; APF_UNSUPPORTED when it is another kind of
 * profile, or one of an unknown version. error->input is the index of the file. A file without a byte is no profile
 * in YAML either. After a failure the profile can only be freed, every other call fails with APF_ARGUMENT. */
APF_API int apf_bolt_yaml_read(struct apf_bolt_yaml *yaml, const struct apf_input *inputs, size_t n,
                               struct apf_error *error);
/** Adds files to whichever of the two they are for; it cannot be both (APF_UNSUPPORTED). Files without a byte count as
 * fdata. Afterwards one of them is `known`, unless all were empty. */
APF_API int apf_bolt_read(struct apf_fdata *fdata, struct apf_bolt_yaml *yaml, const struct apf_input *inputs,
                          size_t n, struct apf_error *error);

/** Puts functions in the order of their fid; before, they are in the order in which they came. */
APF_API int apf_bolt_yaml_sort(struct apf_bolt_yaml *yaml, struct apf_error *error);
/** The header of all that was read. Names of events are united; where files say different things, they are sorted, and
 * joined by ";", which llvm-bolt reads, as it does not a comma; origins likewise by "; ". Of names of binaries and of
 * build ids the first by bytes is taken, known ones before others. Valid until something is added. */
APF_API int apf_bolt_yaml_header(struct apf_bolt_yaml *yaml, struct apf_bolt_yaml_header *header,
                                 struct apf_error *error);
/** Function number i in the present order; APF_END past the end. Valid until the next call. */
APF_API int apf_bolt_yaml_function(struct apf_bolt_yaml *yaml, size_t i,
                                   struct apf_bolt_yaml_function *function, struct apf_error *error);
/** Writes the profile as llvm-bolt 22 writes YAML, in the present order. */
APF_API int apf_bolt_yaml_write(struct apf_bolt_yaml *yaml, const struct apf_output *output,
                                struct apf_error *error);

/* ---- samples of programs ---- */

/** Why samples in a program are not in its profile, or are of no use there. */
enum apf_bolt_loss_reason {
    APF_BOLT_LOSS_NO_BRANCH = 0, /**< branches from where the code has no branch: they are of another build */
    APF_BOLT_LOSS_TORN = 1,      /**< falls_inconsistent */
    APF_BOLT_LOSS_UNRESOLVED = 2,   /**< falls_unresolved */
    APF_BOLT_LOSS_NOT_FOLLOWED = 3, /**< falls_without_table */
    APF_BOLT_LOSS_LEFT_OUT = 4,     /**< in functions that the YAML lacks; counted if only YAML is made */
    APF_BOLT_LOSS_NO_SYMBOL = 5     /**< in code of the program that no symbol is known for */
};
#define APF_BOLT_LOSSES 6u
/** How many functions that lose most are named. */
#define APF_BOLT_TOP 10u

/** The samples of a function that are lost. Its layout is frozen. */
struct apf_bolt_loss {
    char function[232]; /**< its name as in fdata, with a zero; a longer one ends with "..." */
    uint64_t seen;      /**< samples: branches from it, or from elsewhere into it, and falls */
    uint64_t lost;      /**< of them */
    uint32_t reason;    /**< enum apf_bolt_loss_reason, that of most */
    uint32_t reserved;
};

/** What became of samples: sums of their counts, unless a comment says otherwise. */
struct apf_bolt_funnel {
    size_t size;                 /**< sizeof(struct apf_bolt_funnel), set by the caller */
    uint64_t records;            /**< lines that were read */
    uint64_t different;          /**< samples after equal ones were added up, in number */
    uint64_t branches;           /**< branches; of them: */
    uint64_t branches_mapped;    /**< became an edge or a call, also where one end is outside */
    uint64_t returns;            /**< are returns, of which profiles hold nothing */
    uint64_t branches_outside;   /**< neither end is in a function of the program; of them: */
    uint64_t branches_unnamed;   /**< an end is in code of the program that no symbol is known for */
    uint64_t falls;              /**< runs from the target of a branch to the next one; of them: */
    uint64_t falls_mapped;       /**< became edges, or none, within one block */
    uint64_t falls_outside;      /**< an end is in no function; of them: */
    uint64_t falls_unnamed;      /**< that end is in code of the program */
    uint64_t falls_inconsistent; /**< the ends are in two functions, in the wrong order, or not run through */
    uint64_t falls_without_table; /**< in a function without a table, whose code could not be followed */
    uint64_t basic;               /**< samples of instructions; of them: */
    uint64_t basic_mapped, basic_outside;
    uint64_t basic_unnamed; /**< of basic_outside: in code of the program */
    /** Mapped addresses before the first entry of their fragment. Such offsets are used as offsets in the input, as in
     * perf2bolt, and falls that begin there give no edges. */
    uint64_t untranslated;
    uint64_t other_mode; /**< samples of the kind that was not asked for */
    uint64_t edges;      /**< different edges in the profile that was made */
    uint64_t saturated;  /**< of them, those whose counts would be above APF_FDATA_MOST, where they stay */
    /** Of falls_mapped: in functions without a table, by their code; 0 for a program without any table. */
    uint64_t falls_by_code;
    uint64_t falls_unresolved; /**< of falls: over an indirect jump of which it is not known where it goes */
    uint64_t jumps_unresolved; /**< such jumps in the functions that were looked at */
    uint64_t functions;        /**< functions the edges are about; 0 where no YAML was made */
    /** Functions that the YAML lacks: BOLT left them alone, so that their blocks have no hashes, or their name is not
     * UTF-8. */
    uint64_t functions_left_out;
    /* Of recordings: */
    uint32_t perf_script;      /**< 1: text of perf script was read, whose lines are all `records` */
    uint32_t perf_data;        /**< 1: perf.data was read; 0 like perf_script: the rest is 0 */
    uint32_t build_id_unknown; /**< 1: no file has the program's build id, and some have none */
    uint32_t name_by_build_id; /**< 1: it was recorded under another name, which has its build id */
    uint32_t data_cut;         /**< 1: perf.data is cut off or damaged; what comes before is used */
    uint64_t data_cut_at;      /**< where, in the file */
    uint64_t data_lost;        /**< perf.data: records and samples that perf says it lost */
    /** Samples of perf.data that do not fit their event, or have none: left out. */
    uint64_t data_damaged_samples;
    uint64_t lines_of_events;   /**< events of other kinds than say where the program is */
    uint64_t lines_of_losses;   /**< of them, those that say that perf lost samples or events */
    uint64_t lines_other;       /**< neither samples nor events */
    uint64_t first_other_line;  /**< number of the first of these lines in its file; 0: there is none */
    uint64_t mappings_ignored;  /**< of files of its name, where it cannot be, or of another build */
    uint64_t processes;         /**< that the program was in */
    uint64_t samples;           /**< all that were read; of them: */
    uint64_t samples_elsewhere; /**< of processes that the program was not in */
    uint64_t samples_empty;     /**< of the program, without any branch */
    uint64_t samples_beyond;    /**< after max_samples: not read, and not in `samples` */
    uint64_t entries;           /**< of branch stacks of the program; of them: */
    uint64_t entries_kernel;    /**< left out: an end is in the kernel */
    uint64_t entries_repeated;  /**< left out: the two newest of stacks of 32; one may be wrong */
    uint64_t entries_without_prediction; /**< without prediction: they count as predicted */
    uint64_t entries_not_taken;          /**< left out, of any program, and not in `entries` */
    uint64_t loads;                      /**< samples of loads: their data are not in the profile */
    /* How much is lost: */
    uint64_t in_program; /**< branches but returns, falls and basic samples in the program's code */
    uint64_t lost[APF_BOLT_LOSSES];         /**< of them, by enum apf_bolt_loss_reason */
    uint64_t n_top;                         /**< functions in top */
    struct apf_bolt_loss top[APF_BOLT_TOP]; /**< the functions that lose most, in that order */
};

/** Returns whether a function is skipped (above 0) or not (0); below 0 it ran out of memory, and there is no result
 * (APF_NO_MEMORY). Called with every name of every function on the calling thread. Names are those of fdata: local
 * functions are "NAME/NUMBER", and "NAME/FILE/NUMBER" where the source file is known. */
typedef int apf_bolt_skip_fn(void *user, struct apf_str name);

struct apf_bolt_convert_options {
    size_t size;                       /**< sizeof(struct apf_bolt_convert_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    uint32_t flags;                    /**< APF_BOLT_* */
    /* For APF_BOLT_CONVERT_PERF_DATA and APF_BOLT_CONVERT_PERF_SCRIPT: */
    uint32_t pid;         /**< only samples of this process; 0: of all */
    uint64_t max_samples; /**< only so many, the first of all processes; 0: all */
    /** What `perf buildid-list` prints, beside text of perf script: whether it was this program that was recorded;
     * NULL: that is not known. */
    const struct apf_input *build_ids;
    /** NULL, or selects functions whose code is not followed, as perf2bolt --skip-funcs does: their branches are in the
     * profile, what runs from one branch to the next is not. A function is skipped with its cold fragments, and with
     * one of them. Functions of a BAT table are not skipped, because their code is not needed. */
    apf_bolt_skip_fn *skip;
    void *skip_user;
};
/** Samples of instructions (S records), not branches. */
#define APF_BOLT_CONVERT_BASIC 1u
/** The samples are text that `perf script` has printed (docs/formats/perf-script.md). */
#define APF_BOLT_CONVERT_PERF_SCRIPT 2u
/** A file of the program's name is the program, whatever build it is. */
#define APF_BOLT_CONVERT_IGNORE_BUILD_ID 4u
/** Branches from and to the kernel are kept: they are not interrupts. */
#define APF_BOLT_CONVERT_KEEP_KERNEL 8u
/** The samples are files or directories of `perf record`. */
#define APF_BOLT_CONVERT_PERF_DATA 16u

/** Turns samples of a program into a profile for BOLT, as perf2bolt does. If BOLT wrote the program, with --enable-bat
 * (docs/formats/bat.md), the profile is of the program BOLT was given: addresses are translated by the table. Otherwise
 * addresses stay as they are, and functions have all their blocks from their code. `samples` are files as for perf2bolt
 * --pa, which are added up, or, with APF_BOLT_CONVERT_PERF_DATA, a recording of perf, or, with
 * APF_BOLT_CONVERT_PERF_SCRIPT, text of perf script: all files are parts of one recording, and may be of any length.
 * The profile is added to `fdata`, which is declared APF_FDATA_BOLTED if there is a table, and to `yaml`; either may be
 * NULL, and is not made then. YAML lists functions in the order of their addresses in the program, which is that of
 * their fid; the names of events are joined by ";".
 *
 * Fails with APF_BAD_ELF, APF_NO_BAT (BOLT wrote the program without --enable-bat), APF_BAD_BAT, APF_UNSUPPORTED (YAML
 * of a program that BOLT has not changed: only LLVM can compute its hashes), APF_NOT_REPRESENTABLE (YAML of a table of
 * BOLT 18 or older: it has no hashes), APF_BAD_SAMPLES (line and column), APF_BAD_RECORDING, APF_NOT_RECORDED (the
 * recording has no process that the program was in), and as the calls of apf_fdata and apf_bolt_yaml do; error->input
 * is the number of the file of samples, or n: it is about something else, n + 1: about build_ids. */
APF_API int apf_bolt_convert(struct apf_fdata *fdata, struct apf_bolt_yaml *yaml,
                             const struct apf_input *program, const struct apf_input *samples, size_t n,
                             const struct apf_bolt_convert_options *options, struct apf_bolt_funnel *funnel,
                             struct apf_error *error);
/** Writes the funnel as JSON, `anyprof-bolt-conversion/1` of docs/json.md. */
APF_API int apf_bolt_funnel_write(const struct apf_bolt_funnel *funnel, const struct apf_output *output,
                                  struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
