/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of options. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,     /* --x, --x=true|false|1|0 */
    OPTION_UINT,     /* 32-bit number; 0x, 0b, 0o and leading 0 as in C */
    OPTION_U64,      /* 64-bit number */
    OPTION_DEPTH,    /* 32-bit number, or -1, no limit, which becomes UINT32_MAX */
    OPTION_ULL,      /* 64-bit number; LLVM's message for a wrong one says "ullong" */
    OPTION_SIZE,     /* a number from 1; K, M, G after it multiply it by 1024, 1024^2, 1024^3 */
    OPTION_DURATION, /* seconds, from 1; s, m, h, d, w after the number say the unit */
    OPTION_PERCENT,  /* 0 to 100, with up to 6 decimals; value in millionths of a per cent */
    OPTION_REAL,     /* a decimal number: option_real */
    OPTION_STRING,   /* any text */
    OPTION_ENUM,     /* one of the choices */
    OPTION_CHOICE, /* --x sets the option of this row's id to row.number; rows of one id exclude each other */
    OPTION_LIST,   /* text, may be repeated */
    OPTION_NUMBERS /* 32-bit numbers, separated by commas; may be repeated */
};
#define OPTION_KINDS ((size_t)OPTION_NUMBERS + 1)

/* Where an option is shown and how it is treated. */
enum {
    OPTION_HIDDEN = 1, /* shown by --help-hidden only, as in LLVM */
    OPTION_OURS = 2,   /* LLVM does not have the option */
    OPTION_LATER = 4,  /* LLVM has the option, and it is not supported here: an error when it is used */
    OPTION_NO_EFFECT =
        8, /* no effect, for a reason that `help` gives, or on instrumentation profiles, as in LLVM: a
                           * warning when it is used */
    OPTION_SAMPLES = 32, /* for sample profiles only: no effect, and a warning, with others */
    OPTION_INSTR = 64,   /* for instrumentation profiles only, likewise */
    OPTION_READS = 128,  /* how sample profiles are read, also that of --supplement-instr-with-sample */
    OPTION_ELF =
        16 /* only builds with ELF have the option, as they have ELF_COMMANDs: in others an error when it is used */
};

enum option_id {
    OPT_HELP,
    OPT_HELP_HIDDEN,
    OPT_TABLE,
    OPT_VERSION,
    OPT_COLOR,
    OPT_OUTPUT,
    OPT_KIND,
    OPT_MAX_INPUT_SIZE,
    OPT_MAX_OUTPUT_SIZE,
    OPT_MAX_RECORDS,
    OPT_MAX_DEPTH,
    /* merge */
    OPT_INPUT_FILES,
    OPT_INCLUDE,
    OPT_WEIGHTED_INPUT,
    OPT_THREADS,
    OPT_FORMAT,
    OPT_SPARSE,
    OPT_FAILURE_MODE,
    OPT_SALVAGE,
    OPT_KEEP_VTABLE_SYMBOLS,
    OPT_TRACE_RESERVOIR,
    OPT_TRACE_LENGTH,
    OPT_WRITE_PREV_VERSION,
    OPT_DUMP_INPUT_FILE_LIST,
    OPT_FOR,
    OPT_MAX_LOSS,
    OPT_DROP_MEMPROF,
    OPT_MEMPROF_VERSION,
    OPT_MEMPROF_FULL_SCHEMA,
    OPT_DELETE_INPUTS,
    OPT_UNDECIDED,
    OPT_FORGET_INPUTS,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_REPORT,
    OPT_PROGRESS,
    OPT_NO_FUNCTION,
    OPT_REMAPPING_FILE,
    OPT_PREFIX_MAP,
    OPT_GCOV_VERSION,
    /* merge: sample profiles */
    OPT_USE_MD5,
    OPT_COMPRESS_ALL,
    OPT_PARTIAL,
    OPT_SPLIT_LAYOUT,
    OPT_WRITE_VTABLES,
    OPT_SYMBOL_LIST,
    OPT_DROP_SYMBOL_LIST,
    OPT_OUTPUT_SIZE_LIMIT,
    OPT_LAYOUT,
    OPT_MERGED_BASES,
    OPT_MERGE_COLD,
    OPT_TRIM_COLD,
    OPT_COLD_FRAMES,
    OPT_COLD_COUNT,
    OPT_COLD_CUTOFF,
    OPT_SUPPLEMENT,
    OPT_MIN_SIZE,
    OPT_ZERO_COUNTERS,
    OPT_COLD_THRESHOLD,
    OPT_FS,
    OPT_FS_PASS,
    OPT_SECTIONS,
    OPT_SIMILARITY_CUTOFF,
    /* show */
    OPT_ALL_FUNCTIONS,
    OPT_FUNCTION,
    OPT_DEMANGLE,
    OPT_COUNTS,
    OPT_IC_TARGETS,
    OPT_SHOW_VTABLES,
    OPT_MEMOP_SIZES,
    OPT_TOPN,
    OPT_HOT_FUNC_LIST,
    OPT_DETAILED_SUMMARY,
    OPT_SUMMARY_CUTOFFS,
    OPT_VALUE_CUTOFF,
    OPT_LIST_BELOW_CUTOFF,
    OPT_COVERED,
    OPT_SHOWCS,
    OPT_TEXT,
    OPT_BINARY_IDS,
    OPT_PROFILE_VERSION,
    OPT_TEMPORAL_TRACES,
    OPT_SHOW_FORMAT,
    OPT_JSON,
    /* overlap, order, diff */
    OPT_CS,
    OPT_NUM_TEST_TRACES,
    OPT_FAIL_ABOVE,
    OPT_MAX_LOST,
    OPT_SKIP_FUNCS,
    OPT_ABSOLUTE,
    OPT_EXACT_NAMES,
    /* convert, lookup */
    OPT_TO,
    OPT_HASH,
    /* check */
    OPT_ALL_FINDINGS,
    /* correlation */
    OPT_DEBUG_INFO,
    OPT_BINARY_FILE,
    OPT_DEBUG_FILE_DIRECTORY,
    OPT_CORRELATE,
    OPT_PROFILE_CORRELATE,
    OPT_DEBUGINFOD,
    OPT_MAX_CORRELATION_WARNINGS,
    OPT_SHOW_PROF_SYM_LIST,
    OPT_CONVERT,
    OPT_PA,
    OPT_WRITE_YAML,
    OPT_BASIC_EVENTS,
    OPT_PERF_SCRIPT,
    OPT_PERF_DATA,
    OPT_BINARY,
    OPT_DEBUG_BINARY,
    OPT_DEBUG_DIRECTORIES,
    OPT_PACKAGE,
    OPT_RECORDINGS,
    OPT_PERF_TEXTS,
    OPT_RAW_COUNTS,
    OPT_GIVEN_PROFILE,
    OPT_ACCESSES,
    OPT_SKIP_SYMBOLIZATION,
    OPT_USE_OFFSET,
    OPT_FIRST_SEGMENT,
    OPT_USE_DWARF,
    OPT_SYMBOL_FUNCTIONS,
    OPT_IGNORE_CALLS,
    OPT_KERNEL,
    OPT_INFER_FRAMES,
    OPT_SEARCH_DEPTH,
    OPT_PREINLINER,
    OPT_REPLAY,
    OPT_CONTEXT_COST,
    OPT_NESTED,
    OPT_MERGED_BASE,
    OPT_JOIN_COLD,
    OPT_COLD_DEPTH,
    OPT_CONTEXT_DEPTH,
    OPT_CHAIN_DEPTH,
    OPT_RECURSION,
    OPT_HOT_CONTEXTS,
    OPT_COLD_CALLS,
    OPT_TRIM_PROFILE,
    OPT_HOT_SHARE,
    OPT_COLD_SHARE,
    OPT_INLINE_HOT,
    OPT_INLINE_COLD,
    OPT_INLINE_GROWTH,
    OPT_INLINE_LEAST,
    OPT_INLINE_MOST,
    OPT_INLINE_AGAIN,
    OPT_UPDATE_TOTALS,
    OPT_ZERO_FUNCTIONS,
    OPT_LIST_FUNCTIONS,
    OPT_ALL_INLINED,
    OPT_SHOW_DENSITY,
    OPT_DENSITY_THRESHOLD,
    OPT_DENSITY_CUTOFF,
    OPT_BUILD_IDS,
    OPT_PID,
    OPT_IGNORE_BUILD_ID,
    OPT_IGNORE_INTERRUPT_LBR,
    OPT_MAX_SAMPLES,
    OPT_DUMP_ALL,
    OPT_TRANSLATE,
    OPT_BRANCH_SOURCE,
    OPT_REVERSE,
    OPT_ORIGINAL,
    /* probes */
    OPT_SECTION,
    OPT_DESC_SECTION,
    OPT_BIG_ENDIAN,
    OPT_KEEP_GOING,
    OPT_ADDRESS,
    OPT_AGAINST,
    OPT_MAX_STALE,
    OPT_DISASSEMBLE_FUNCTIONS,
    OPT_X86_ASM_SYNTAX,
    OPT_SHOW_PSEUDO_PROBE,
    OPT_SHOW_SOURCE_LOCATIONS,
    OPT_SHOW_CANONICAL_FNAME,
    OPT_SUMMARY,
    OPT_MOVED,
    OPT_ASSEMBLE,
    OPT_NO_CODE_GROUPS,
    /* bolt merge */
    OPT_PRINT,
    OPT_NO_PROFILE,
    /* collect */
    OPT_SPOOL,
    OPT_STATE,
    OPT_EVERY,
    OPT_KEEP,
    OPT_MAX_DISK,
    OPT_METRICS,
    OPT_SETTLE,
    OPT_ONCE,
    /* cov */
    OPT_COV_PROFILE,
    OPT_COV_OBJECT,
    OPT_COV_EMPTY,
    OPT_COV_COMPAT,
    OPT_COV_DIRECTORY,
    OPT_COV_ARCHITECTURE,
    OPT_COV_IGNORE,
    OPT_COV_SOURCES,
    OPT_COV_FORMAT,
    OPT_COV_SUMMARY_ONLY,
    OPT_COV_SKIP_EXPANSIONS,
    OPT_COV_SKIP_FUNCTIONS,
    OPT_COV_SKIP_BRANCHES,
    OPT_COV_UNIFY,
    OPT_COV_FUNCTIONS,
    OPT_COV_COUNTS,
    OPT_COV_REGIONS,
    OPT_COV_COUNTS_OR_REGIONS,
    OPT_COV_BRANCHES,
    OPT_COV_MCDC,
    OPT_COV_EXPANSIONS,
    OPT_COV_INSTANTIATIONS,
    OPT_COV_SOURCE_MAP,
    OPT_COV_PREFIX_MAP,
    OPT_COV_BINARY,
    OPT_COV_USE_COLOR,
    OPT_EXPORT_LINES,
    OPT_COV_DEMANGLER,
    OPT_COV_NAME,
    OPT_COV_NAME_REGEX,
    OPT_COV_NAME_LIST,
    OPT_COV_REGION_LT,
    OPT_COV_REGION_GT,
    OPT_COV_LINE_LT,
    OPT_COV_LINE_GT,
    OPT_COV_MERGE_INSTANTIATIONS,
    OPT_COV_MARKERS,
    OPT_COV_OUTPUT_DIR,
    OPT_COV_TITLE,
    OPT_COV_CREATED,
    OPT_COV_CHECK_IDS,
    OPT_COV_DEBUG_DIRECTORY,
    OPT_COV_WATERMARK,
    OPT_COV_WIDTH,
    OPT_COV_REPORT_FILE,
    OPT_COV_BASE,
    OPT_COV_PATCH,
    OPT_MARKDOWN,
    OPT_TITLE,
    OPT_HTML,
    OPT_COV_LEAST_PATCH,
    OPT_COV_LEAST_LINES,
    OPT_COV_LEAST_FUNCTIONS,
    OPT_COV_LEAST_REGIONS,
    OPT_COV_LEAST_BRANCHES,
    OPT_COV_REGION_SUMMARY,
    OPT_COV_BRANCH_SUMMARY,
    OPT_COV_INSTANTIATION_SUMMARY,
    OPT_COV_MCDC_SUMMARY,
    OPT_NONE, /* rows with OPTION_LATER or OPTION_NO_EFFECT, whose values are not read */
    OPT_COUNT
};

/* Values of the options of kind OPTION_ENUM and OPTION_CHOICE. */
enum { FORMAT_DEFAULT, FORMAT_BINARY, FORMAT_EXTBINARY, FORMAT_COMPACT, FORMAT_TEXT, FORMAT_GCC };
enum { EXPORT_JSON, EXPORT_LCOV, EXPORT_COBERTURA, EXPORT_CODECOV, EXPORT_COVERALLS };
enum { SOURCE_TEXT, SOURCE_HTML };
enum { INSTANTIATIONS_MAX, INSTANTIATIONS_UNION };
enum { BRANCHES_HIDDEN, BRANCHES_COUNT, BRANCHES_PERCENT };
enum { COMPAT_NONE, COMPAT_LLVM };
enum { KIND_DETECTED, KIND_INSTR, KIND_SAMPLE, KIND_MEMORY };
enum { LAYOUT_NEST, LAYOUT_FLAT, LAYOUT_UNCHANGED };
enum { FAILURE_ANY, FAILURE_ALL, FAILURE_WARN };
enum { SHOW_TEXT, SHOW_JSON, SHOW_YAML, SHOW_GCOV };
enum { CORRELATE_NONE, CORRELATE_DEBUG_INFO, CORRELATE_BINARY };
enum { SYNTAX_ATT, SYNTAX_INTEL };
enum { PRINT_NONE, PRINT_EXEC, PRINT_BRANCHES };
enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };
enum {
    TO_INDEXED,
    TO_TEXT,
    TO_JSON,
    TO_EXTBINARY,
    TO_BINARY,
    TO_COMPACT,
    TO_GCC,
    TO_FOLDED,
    TO_SPEEDSCOPE,
    TO_PPROF,
    TO_CSV,
    TO_UNKNOWN
};

/* A value of an OPTION_ENUM. An array of choices ends with one without a name. */
struct choice {
    const char *name;
    uint64_t number;
    const char *help;
};

struct command;

struct option {
    enum option_id id;
    enum option_kind kind;
    uint64_t commands; /* COMMAND_BIT of command.h */
    uint32_t flags;    /* OPTION_* */
    const char *name;
    const char *alias;   /* one letter, or NULL */
    const char *group;   /* heading in help; of an OPTION_CHOICE also the name in LLVM's errors */
    const char *operand; /* name of the value in help; NULL for flags and choices */
    const struct choice *choices;
    uint64_t number; /* OPTION_CHOICE: the value it sets; OPTION_SIZE: the largest value, 0 = no limit */
    const char *help;
};

/* Ends with a row without a name. */
extern const struct option option_table[];

/* Whether this build lacks the option. */
bool option_absent(const struct option *option);
/* Whether its values are files that the command reads. */
bool option_names_inputs(const struct option *option);
/* The row of an option of the command, by name or letter; NULL: there is none. */
const struct option *option_find(const struct command *command, const char *name, size_t n);

#endif
