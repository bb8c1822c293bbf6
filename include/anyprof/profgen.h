/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file profgen.h
 * Sample profiles of what ran in a program, from its branch stacks, as llvm-profgen makes them. In libanyprof-elf.
 */
#ifndef ANYPROF_PROFGEN_H
#define ANYPROF_PROFGEN_H

#include <anyprof/sample_write.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What samples are read from. */
enum apf_profgen_input {
    APF_PROFGEN_PERF_DATA = 0, /**< recordings of perf, as for apf_perf_open */
    /** text of `perf script --show-mmap-events -F ip,brstack`, with or without call stacks */
    APF_PROFGEN_PERF_SCRIPT = 1,
    /** counts of ranges and branches that apf_profgen_write_raw, or llvm-profgen --skip-symbolization, has written */
    APF_PROFGEN_RAW = 2,
    /** a sample profile, of which only the last steps are done again: the preinliner and nesting, if it has contexts,
     * and leaving out what is cold. It is the only input. */
    APF_PROFGEN_SAMPLE = 3,
    /** accesses to data, beside samples of one of the other kinds: recordings of perf with addresses of data
     * (perf mem record), or the text of `perf report -D`. Reads of vtables say of which types objects are. */
    APF_PROFGEN_ACCESSES = 4
};

/** apf_profgen_options.flags */
#define APF_PROFGEN_IGNORE_BUILD_ID                                                                          \
    1u                            /**< what was recorded under the program's name is it, whatever its build */
#define APF_PROFGEN_USE_LINES 2u  /**< make a profile of lines, also of a program with pseudo probes */
#define APF_PROFGEN_NO_SYMBOLS 4u /**< find functions by debug information only, not by symbols */
/** addresses of APF_PROFGEN_RAW are absolute, not counted from the first segment of code ... */
#define APF_PROFGEN_ABSOLUTE 8u
#define APF_PROFGEN_FIRST_SEGMENT 16u /**< ... or are counted from the first segment that is loaded */
#define APF_PROFGEN_IGNORE_CALLS 32u  /**< call stacks make no contexts */
/* Of context-sensitive profiles, which are made where samples have call stacks: */
#define APF_PROFGEN_NO_INFERENCE                                                                             \
    64u /**< callers that tail calls have left out of call stacks are not inferred */
#define APF_PROFGEN_NO_PREINLINER                                                                            \
    128u                            /**< no decisions which functions should be inlined: all contexts stay */
#define APF_PROFGEN_NO_NESTING 256u /**< a list of contexts, not functions nested in their callers */
#define APF_PROFGEN_MERGE_COLD 512u /**< cold contexts lose most of their callers */
#define APF_PROFGEN_TRIM_COLD 1024u /**< cold functions are left out; also of profiles without contexts */
#define APF_PROFGEN_REPLAY 2048u /**< what was inlined in the program should be inlined, and nothing else */
#define APF_PROFGEN_LINE_COST 4096u   /**< sizes of functions are numbers of lines or probes, not of bytes */
#define APF_PROFGEN_MERGED_BASE 8192u /**< nested functions also stand at the top level */
/* Of all profiles: */
#define APF_PROFGEN_UPDATE_TOTALS 16384u /**< totals are sums of counts of lines; not of contexts of probes */
#define APF_PROFGEN_ALL_FUNCTIONS                                                                            \
    32768u /**< functions that did not run have counts of 0; only without contexts and probes */
#define APF_PROFGEN_SYMBOL_LIST 65536u /**< the profile has a list of the functions of the program */
/** the program is a Linux kernel (vmlinux): recordings say [kernel.kallsyms] instead of its name */
#define APF_PROFGEN_KERNEL 262144u
#define APF_PROFGEN_ALL_INLINED 131072u /**< all functions have APF_SAMPLE_SHOULD_BE_INLINED */

/** Limits of the preinliner, each plus 1; 0: that of llvm-profgen 22. Sizes are bytes of code, or lines or probes with
 * APF_PROFGEN_LINE_COST. Its layout is frozen. */
struct apf_profgen_inlining {
    uint32_t hot; /**< 1500: functions whose size is 100 times this are inlined where calls are the hottest */
    uint32_t cold;   /**< 0: functions of a smaller size are inlined where calls are cold */
    uint32_t growth; /**< 12: a function may grow to this many times its size ... */
    uint32_t least;  /**< 100: ... or to this size ... */
    uint32_t most;   /**< 50000: ... and not beyond this one */
    uint32_t again;  /**< 100: what is inlined in the program may be larger by this factor */
};

struct apf_profgen_options {
    size_t size;                       /**< sizeof(struct apf_profgen_options) */
    const struct apf_options *options; /**< those of every call; NULL: the defaults */
    uint32_t flags;                    /**< APF_PROFGEN_* */
    uint32_t pid;                      /**< only samples of this process; 0: of all */
    /* Of contexts: numbers of frames plus 1; 0: no limit. */
    uint32_t recursion;     /**< longest sequence of calls of which, if it is repeated, one stays */
    uint32_t context_depth; /**< callers that stay, the innermost ones */
    uint32_t chain_depth;   /**< calls of call stacks that stay, what was inlined not counted */
    /** functions between a call and its callee in which tail calls are searched for that call stacks lack */
    uint32_t search_depth;
    uint32_t cold_depth; /**< frames of cold contexts that stay (APF_PROFGEN_MERGE_COLD); 0: 1 */
    /** The compiler that has to read the profile. For a GCC, of which the program must be, too, apf_profgen_make makes
     * what that release's -fauto-profile reads: lines with GCC's discriminators, of functions by their symbols; call
     * stacks are not used, and where no sample of a recording has branches each counts for the code where it was taken.
     * If the program is of another compiler, that is reported to options->diag.
     * All zero, and others: a profile for LLVM. */
    struct apf_sample_target target;
    /* Counts plus 1; 0: by the summary of the profile. */
    uint64_t hot_count; /**< contexts with fewer samples are cold for MERGE_COLD and TRIM_COLD */
    /** calls that are not more are cold for the preinliner; without contexts, functions with fewer samples are cold */
    uint64_t cold_count;
    /* Shares of all counts, in millionths, by which the summary says what is hot and what is not cold; 0: LLVM's. */
    uint32_t hot_cutoff;                  /**< 0: 990000 */
    uint32_t cold_cutoff;                 /**< 0: 999999 */
    struct apf_profgen_inlining inlining; /**< the limits of the preinliner */
    /** The file with the debug information of the program, which has the same build id (or APF_WRONG_DEBUG_FILE, unless
     * APF_PROFGEN_IGNORE_BUILD_ID is set). Symbols and probes are read from it, too, if the program lacks them. NULL:
     * if the program has no debug information, a file of .gnu_debuglink or of its build id is searched for. */
    const char *debug_file;
    /** n_debug_directories directories where such files are searched for, and those of dwz, before /usr/lib/debug */
    const char *const *debug_directories;
    size_t n_debug_directories;
    /** The package (.dwp) with its split DWARF; NULL: PROGRAM.dwp, DEBUG_FILE.dwp, and .dwo files */
    const char *package;
    /** NULL, or the program before BOLT; `program` is then what llvm-bolt --enable-bat made of it, which was recorded.
     * Samples become those that the original would have had, and the profile is that of the original. Everything else
     * in these options is about the original, too. */
    const struct apf_input *original;
};

/** What became of samples: sums of their counts, unless a comment says otherwise. */
struct apf_profgen_funnel {
    /* Of recordings, in numbers: */
    uint64_t samples;          /**< that were read; of them: */
    uint64_t samples_unwanted; /**< of other processes than the one that was asked for */
    uint64_t samples_no_stack; /**< without branches: not used, or all that there is (samples_plain) */
    /** of samples without branches that a profile for GCC is made of: taken outside of the program */
    uint64_t samples_elsewhere;
    /** and in no function that debug information knows, once the profile is made */
    uint64_t samples_unplaced;
    uint64_t samples_damaged; /**< not among them: they cannot be read */
    uint64_t samples_lost;    /**< nor these: perf says that it lost so many samples and records */
    uint64_t processes;       /**< with samples */
    uint32_t cut;             /**< recordings that are cut off or damaged; what comes before is used */
    uint32_t no_build_id;     /**< recordings in which the program was recognised by its name alone */
    uint32_t other_build; /**< recordings of which another build was taken (APF_PROFGEN_IGNORE_BUILD_ID) */
    /** 1: a profile for GCC was made of samples without branches, because none has any */
    uint32_t samples_plain;
    /* Of text: */
    /** texts with samples before any mapping of the program, which was taken to be where it is linked for */
    uint32_t unmapped;
    uint64_t bad_lines;      /**< lines with an address that cannot be read: the rest of them is not used */
    uint64_t first_bad_line; /**< number of the first one; 0: there is none */
    uint64_t bad_mappings;   /**< mappings that cannot be read */
    /** mappings of the program at another place than the one before: which process a branch is of is not in the text */
    uint64_t moved_mappings;
    /* Of both: */
    uint64_t stacks;           /**< branch stacks; of them: */
    uint64_t stacks_elsewhere; /**< with no branch in the program */
    /** entries of recordings that are not among `branches`: marked as not taken, or as speculation on a wrong path, of
     * any program */
    uint64_t branches_left_out;
    uint64_t branches;           /**< their entries, and branches of counts that were read; of them: */
    uint64_t branches_elsewhere; /**< neither end is an instruction of the program */
    uint64_t branches_in;        /**< only the target is one */
    uint64_t branches_out;       /**< only the branch is one: only the range before it is in the profile */
    uint64_t branches_kernel;    /**< an end is in the kernel, which is not the program */
    /** an end is in a section of code of the program, where no instruction begins: is it of another build? */
    uint64_t branches_misplaced;
    uint64_t ranges; /**< from the target of a branch to the next branch; of them, once that is checked: */
    uint64_t ranges_elsewhere; /**< an end is not in the program */
    uint64_t ranges_broken;    /**< the end is before the start, or a jump, call or return is between them */
    /* Of ranges with an end in the program, by the rules by which llvm-profgen warns of them. The last four are known
     * if the profile was made. */
    uint64_t ranges_misplaced; /**< the start is no instruction of it, or the end no branch, call or return */
    uint64_t ranges_nowhere;   /**< the start is in no function; the others: */
    uint64_t ranges_named;     /**< in a function that only a symbol tells of, not debug information */
    uint64_t ranges_crossing;  /**< the end is after that of the function */
    uint64_t ranges_jumping;   /**< as ranges_broken */
    /* Of call stacks: */
    uint64_t calls_stacks; /**< call stacks; of them: */
    uint64_t calls_none;   /**< without a frame: the sample is not used */
    /** taken where a function sets up or gives up its frame: the sample is not used */
    uint64_t calls_unready;
    uint64_t calls_cut;        /**< with a return address that follows no call: older frames are not used */
    uint64_t calls_long;       /**< with more than 998 callers: older ones are not used */
    uint64_t calls_elsewhere;  /**< taken outside of the program */
    uint64_t calls_broken;     /**< which do not fit the branches: older branches count without a context */
    uint64_t calls_mismatched; /**< branches: calls that the call stack does not have */
    /* Of the profile that was made: */
    uint64_t calls;          /**< branches to the beginnings of functions; of them: */
    uint64_t calls_unplaced; /**< from where no call probe, or no function, is known: the caller lacks them */
    uint64_t counts;         /**< of probes, or of instructions; of them: */
    /** of functions without a name, and of those whose names stand for many: left out */
    uint64_t counts_unplaced;
    /** counts of ranges in contexts that begin after a caller without debug information */
    uint64_t contexts_cut;
    /** functions in a context with more than 998 callers: older ones are not in it */
    uint64_t contexts_long;
    /** functions in a context in which callers may be missing: the tail calls were not searched for to the end, since
     * that would have taken too long */
    uint64_t contexts_unsearched;
    /* Of contexts, in numbers of functions in a context, and the counts of these: */
    uint64_t contexts_dropped; /**< the preinliner came to them too early, in circles of calls, as in LLVM */
    uint64_t contexts_dropped_counts;
    uint64_t contexts_cold; /**< left out since they are cold (APF_PROFGEN_TRIM_COLD) */
    uint64_t contexts_cold_counts;
    uint64_t contexts_refused; /**< left out since the checksums of one function differ */
    uint64_t contexts_refused_counts;
    /* Of accesses to data, in numbers: */
    uint64_t accesses;           /**< that were read; of them: */
    uint64_t accesses_elsewhere; /**< not to a vtable of the program */
    uint64_t accesses_unplaced;  /**< by an instruction of no function that is known: left out */
    uint64_t units_missing;  /**< units whose split DWARF was not found: lines and inlining are not known */
    uint64_t tables_damaged; /**< tables of lines that are damaged or missing: what they lack has no line */
    /** places where inlining is deeper than is read: the function around them counts */
    uint64_t inlining_cut;
    /* Of programs that BOLT wrote; branches, ranges and so on above are those of the original: */
    uint64_t bolt_branches; /**< recorded branches; of them: */
    uint64_t bolt_moved;    /**< an end is in code that BOLT moved */
    /** an end is in code that the original does not have, or not under a known name */
    uint64_t bolt_unknown;
    uint64_t bolt_removed; /**< the original has no branch there */
    uint64_t bolt_added;   /**< branches that the original takes where BOLT's output runs straight on */
    uint64_t bolt_inlined; /**< calls that BOLT inlined: what ran in the callee is lost */
    /** places where it is not known how the original got from one branch to the next */
    uint64_t bolt_lost;
};

/** The samples of a program. One thread at a time. */
struct apf_profgen;

/** Opens the program: an executable or a library. APF_BAD_ELF, APF_UNSUPPORTED (Capstone does not know its processor,
 * or BOLT wrote it with a table for the translation of addresses, and there is no options->original),
 * APF_WRONG_DEBUG_FILE (also an original that is not of the program), APF_NO_BAT (there is one, but no table). Files
 * with debug information that were found, but are not of the program, are reported to options->options->diag. */
APF_API int apf_profgen_open(struct apf_profgen **result, const struct apf_input *program,
                             const struct apf_profgen_options *options, struct apf_error *error);
/** Closes what apf_profgen_open has made. NULL is allowed. */
APF_API void apf_profgen_close(struct apf_profgen *profgen);
/** The path of the file whose debug information is used; NULL: that of the program itself. Valid until the handle is
 * closed. */
APF_API const char *apf_profgen_debug_file(const struct apf_profgen *profgen);
/** Reads files of samples, of one kind, and adds them up; may be called several times. Recordings may be of different
 * machines. APF_NOT_RECORDED: in a recording, the program, or this build of it, does not run, or there are no accesses;
 * APF_BAD_RECORDING, APF_BAD_SAMPLES (line and column). error->input is the number of the file. After a failure the
 * handle is good for apf_profgen_funnel and apf_profgen_close only: other calls are APF_ARGUMENT. */
APF_API int apf_profgen_read(struct apf_profgen *profgen, enum apf_profgen_input kind,
                             const struct apf_input *inputs, size_t n, struct apf_error *error);
/** Reads files of samples once for n_profgens handles, as if apf_profgen_read read them for each: a program and its
 * libraries. Options about samples (pid, APF_PROFGEN_IGNORE_BUILD_ID, bounds) are those of the first handle. After a
 * failure the handles have read unlike parts: see apf_profgen_read. *at_fault gets the number of the handle that
 * APF_NOT_RECORDED is about, of text also if its program was never mapped; NULL is fine. APF_PROFGEN_RAW,
 * APF_PROFGEN_SAMPLE and APF_PROFGEN_ACCESSES are for one handle (APF_ARGUMENT). */
APF_API int apf_profgen_read_all(struct apf_profgen *const *profgens, size_t n_profgens,
                                 enum apf_profgen_input kind, const struct apf_input *inputs, size_t n,
                                 size_t *at_fault, struct apf_error *error);
/** What became of all samples so far; valid until the handle is closed. Reading brings it up to date, also when it
 * fails. How many ranges are elsewhere or broken is known once the counts were written or the profile was made; what is
 * said of the profile and its contexts, accesses_unplaced and units_missing, once the profile was made. */
APF_API const struct apf_profgen_funnel *apf_profgen_funnel(const struct apf_profgen *profgen);
/** Writes the counts of ranges and branches as llvm-profgen --skip-symbolization does. Nothing can be read afterwards,
 * but the profile can be made. APF_NOT_RECORDED: samples were read for this program alone, and none is in it. */
APF_API int apf_profgen_write_raw(struct apf_profgen *profgen, const struct apf_output *output,
                                  struct apf_error *error);
/** Makes a sample profile, for apf_sample_close: of pseudo probes if the program has them, else of lines; for a GCC
 * always of lines. Once for a handle; nothing can be read afterwards. APF_UNSUPPORTED: the program has neither probes
 * nor debug information, or the profile cannot have accesses; APF_NOT_RECORDED: as of apf_profgen_write_raw. */
APF_API int apf_profgen_make(struct apf_profgen *profgen, struct apf_sample **result,
                             struct apf_error *error);
/** LLVM's density of a profile: the functions that hold a share of all counts, in millionths, have at least *density
 * counts for each line or probe; 0: there are none. */
APF_API int apf_profgen_density(const struct apf_sample *sample, uint64_t share, double *density,
                                struct apf_error *error);
/** Writes the funnel as JSON, `anyprof-profgen/1` of docs/json.md. */
APF_API int apf_profgen_funnel_write(const struct apf_profgen *profgen, const struct apf_output *output,
                                     struct apf_error *error);
/** Writes the funnels of several programs, `anyprof-profgen-programs/1` of docs/json.md. */
APF_API int apf_profgen_funnel_write_all(struct apf_profgen *const *profgens, size_t n_profgens,
                                         const struct apf_output *output, struct apf_error *error);

#ifdef __cplusplus
}
#endif
#endif
