/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line: the table of commands and options, and what a command is given when it runs.
 *
 * The tables in option_table.c and commands.c are the only places that know an option or a command: parsing, usage
 * text, help, suggestions and "not supported yet" are made from them. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    EXIT_DATA = 1,  /* an input or output is bad */
    EXIT_USAGE = 2, /* the command line is wrong; 1 under a name of LLVM's */
    EXIT_ABOVE = 3  /* diff --fail-above: more moved, which is no error */
};

/* A tool of LLVM's that we are, bugs aside, when our name begins with its name. */
struct tool {
    const char *name;
    const char *command; /* the one command that it is; NULL: its commands are ours */
    bool has_target;     /* its release, "-16" behind the name, says what it writes */
    bool plain_errors;   /* errors are "NAME: 'FILE': text." */
};

/* The name we were called by, and what follows from it. */
struct persona {
    const char *invoked;     /* argv[0], for "Try: '... --help'" */
    const char *program;     /* its last part, in front of usage errors */
    const struct tool *tool; /* NULL: we are anyprof */
    int usage_exit;          /* exit code for wrong usage */
    char target[32];         /* --for= unless it is given: "auto", or "llvm-16" as llvm-profdata-16 */
    bool too_new; /* the name asks for a release that we do not know yet: target is the newest we do */
};

struct words;
struct progress;

/* What a run of the command knows beside its arguments. */
struct session {
    const struct persona *persona;
    bool color; /* of messages */
    const struct words *words;
    struct progress *progress; /* what may stand on the screen */
};

/* ---- the table ---- */

enum option_kind {
    OPTION_FLAG,    /* --x, --x=true|false|1|0 */
    OPTION_UINT,    /* 32-bit number; 0x, 0b, 0o and leading 0 as in C */
    OPTION_U64,     /* 64-bit number */
    OPTION_ULL,     /* the same, where LLVM's words for a wrong one are others */
    OPTION_SIZE,    /* a number of bytes from 1; K, M, G behind it are 1024, 1024^2, 1024^3 */
    OPTION_PERCENT, /* 0 to 100, with up to 6 decimals; value in millionths of a per cent */
    OPTION_STRING,  /* any text */
    OPTION_ENUM,    /* one of the choices */
    OPTION_CHOICE, /* --x sets the option of this row's id to row.number; rows of one id exclude each other */
    OPTION_LIST,   /* text, may be repeated */
    OPTION_NUMBERS /* 32-bit numbers, separated by commas; may be repeated */
};
/* How many there are. */
#define OPTION_KINDS ((size_t)OPTION_NUMBERS + 1)

/* Where an option is shown and how it is treated. */
enum {
    OPTION_HIDDEN = 1, /* only with --help-hidden, as in LLVM */
    OPTION_OURS = 2,   /* not an option of LLVM's */
    OPTION_LATER = 4,  /* LLVM has it, we do not yet: an error when it is used */
    OPTION_NO_EFFECT =
        8 /* without effect on instrumentation profiles, as in LLVM: a warning when it is used */
};

/* Bits of commands. */
#define COMMAND_MERGE ((uint64_t)1 << 0)
#define COMMAND_SHOW ((uint64_t)1 << 1)
#define COMMAND_HELP ((uint64_t)1 << 2)
#define COMMAND_VERSION ((uint64_t)1 << 3)
#define COMMAND_PROBES_DESC ((uint64_t)1 << 4)
#define COMMAND_PROBES_LIST ((uint64_t)1 << 5)
#define COMMAND_PROBES_TREE ((uint64_t)1 << 6)
#define COMMAND_PROBES_STATS ((uint64_t)1 << 7)
#define COMMAND_PROBES_VERIFY ((uint64_t)1 << 8)
#define COMMAND_PROBES_DIFF ((uint64_t)1 << 9)
#define COMMAND_PROBES_DISASM ((uint64_t)1 << 12)
#define COMMAND_PROBES_ASM ((uint64_t)1 << 16)
#define COMMAND_PROBES_EMIT ((uint64_t)1 << 17)
#define COMMAND_BAT_DUMP ((uint64_t)1 << 20)
#define COMMAND_BAT_EXTRACT ((uint64_t)1 << 21)
#define COMMAND_BAT_TRANSLATE ((uint64_t)1 << 22)
#define COMMAND_BAT_INJECT ((uint64_t)1 << 23)
#define COMMAND_BAT_STRIP ((uint64_t)1 << 24)
#define COMMAND_BAT_STATS ((uint64_t)1 << 25)
#define COMMAND_BAT_VERIFY ((uint64_t)1 << 26)
#define COMMAND_BOLT_MERGE ((uint64_t)1 << 27)
#define COMMAND_BAT_TOOL ((uint64_t)1 << 28)
#define COMMAND_BOLT_CONVERT ((uint64_t)1 << 29)
#define COMMAND_OVERLAP ((uint64_t)1 << 32)
#define COMMAND_ORDER ((uint64_t)1 << 33)
#define COMMAND_DIFF ((uint64_t)1 << 34)
#define COMMAND_INFO ((uint64_t)1 << 35)
#define COMMAND_CHECK ((uint64_t)1 << 36)
#define COMMAND_LOOKUP ((uint64_t)1 << 37)
#define COMMAND_CONVERT ((uint64_t)1 << 38)
#define COMMAND_ALL UINT64_MAX

enum option_id {
    OPT_HELP,
    OPT_HELP_HIDDEN,
    OPT_TABLE,
    OPT_VERSION,
    OPT_COLOR,
    OPT_OUTPUT,
    OPT_KIND,
    OPT_MAX_INPUT_SIZE,
    OPT_MAX_RECORDS,
    OPT_MAX_DEPTH,
    /* merge */
    OPT_INPUT_FILES,
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
    OPT_QUIET,
    OPT_REPORT,
    OPT_PROGRESS,
    OPT_NO_FUNCTION,
    OPT_REMAPPING_FILE,
    OPT_PREFIX_MAP,
    /* show */
    OPT_ALL_FUNCTIONS,
    OPT_FUNCTION,
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
    OPT_ASSEMBLE,
    OPT_NO_CODE_GROUPS,
    /* bolt merge */
    OPT_PRINT,
    OPT_NO_PROFILE,
    OPT_NONE, /* rows that only say "not yet" or "no effect" need no id of their own */
    OPT_COUNT
};

/* Values of OPT_FORMAT, OPT_KIND, OPT_FAILURE_MODE, OPT_SHOW_FORMAT, OPT_CORRELATE and OPT_PROFILE_CORRELATE,
 * OPT_X86_ASM_SYNTAX, OPT_PRINT, OPT_PROGRESS, OPT_TO. */
enum { FORMAT_BINARY, FORMAT_TEXT, FORMAT_GCC };
enum { KIND_INSTR, KIND_SAMPLE, KIND_MEMORY };
enum { FAILURE_ANY, FAILURE_ALL, FAILURE_WARN };
enum { SHOW_TEXT, SHOW_JSON, SHOW_YAML };
enum { CORRELATE_NONE, CORRELATE_DEBUG_INFO, CORRELATE_BINARY };
enum { SYNTAX_ATT, SYNTAX_INTEL };
enum { PRINT_NONE, PRINT_EXEC, PRINT_BRANCHES };
enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };
enum { TO_INDEXED, TO_TEXT, TO_JSON, TO_UNKNOWN };

/* A value of an OPTION_ENUM. The last one of an array has no name. */
struct choice {
    const char *name;
    uint64_t number;
    const char *help;
};

struct option {
    enum option_id id;
    enum option_kind kind;
    uint64_t commands; /* COMMAND_* */
    uint32_t flags;    /* OPTION_* */
    const char *name;
    const char *alias;   /* one letter, or NULL */
    const char *group;   /* heading in help; with OPTION_CHOICE also what the choice is of */
    const char *operand; /* what its value is called in help; NULL for flags and choices */
    const struct choice *choices;
    uint64_t number; /* OPTION_CHOICE: what it sets; OPTION_SIZE: the most that it can be, 0 = anything */
    const char *help;
};

struct arguments;

struct command {
    uint64_t bit;
    bool hidden;
    const char *name;    /* one word, or that of a group and its own */
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* more for its own help; may be NULL */
    size_t max_files;    /* most positional arguments */
    int (*run)(const struct session *session, const struct arguments *args);
};

/* Commands of two words that begin with the same one. */
struct command_group {
    const char *name;
    const char *summary; /* one line */
};

/* Each ends with a row without name. */
extern const struct option option_table[];
extern const struct command command_table[];
extern const struct command_group group_table[];

/* The command that n words begin with, and how many of them are its name; NULL: there is none. */
const struct command *command_find(const char *const *words, size_t n, size_t *n_name);
/* The group of that name, or NULL. */
const struct command_group *group_find(const char *name);
bool command_is_in(const struct command *command, const struct command_group *group);
/* The last word of a command's name. */
const char *command_own_word(const struct command *command);

/* ---- what may have been meant (suggest.c) ---- */

/* Says that there is no such command, and what may have been meant. */
void command_unknown(const struct session *session, const char *const *words, size_t n);
/* Says which of its values may have been meant by another one. */
void value_unknown(const struct session *session, const struct option *option, const char *value);
/* Says what may have been meant by a word that begins with a dash and is no option of the command. `name` is without
 * dashes, not terminated; `value` follows the '=', or is NULL. */
void option_unknown(const struct session *session, const struct command *command, const char *word,
                    const char *name, size_t n_name, const char *value);

/* ---- what was given ---- */

struct option_value {
    uint64_t number;   /* flags, numbers, enums and choices */
    const char *text;  /* strings: the last one given; NULL: none */
    const char **list; /* lists: all of them, in order */
    size_t n_list;
    uint32_t *numbers; /* OPTION_NUMBERS: all of them, in order */
    size_t n_numbers;
    size_t place; /* where on the command line it was last given, from 1; 0: it was not */
};

struct arguments {
    const struct command *command;
    struct option_value values[OPT_COUNT];
    const char **files; /* positional arguments */
    size_t n_files;
};

enum parse_result { PARSE_OK, PARSE_WRONG, PARSE_HELP, PARSE_HELP_HIDDEN, PARSE_VERSION };

/* Parses what follows the command's name. Wrong usage is reported, all of it. */
enum parse_result options_parse(struct arguments *args, const struct session *session,
                                const struct command *command, const char *const *words, size_t n);
void options_free(struct arguments *args);
/* The row of an option of the command, by its name or its letter; NULL: there is none. */
const struct option *option_find(const struct command *command, const char *name, size_t n);
/* The number of an option, or `otherwise` if it was not given. */
uint64_t option_number(const struct arguments *args, enum option_id id, uint64_t otherwise);
bool option_flag(const struct arguments *args, enum option_id id);
const char *option_text(const struct arguments *args, enum option_id id, const char *otherwise);

/* ---- words (words.c) ---- */

struct words {
    const char **data;
    size_t n, capacity;
    char **owned; /* those that were made here */
    size_t n_owned, owned_capacity;
    const char **files; /* the response files that they came from */
    size_t n_files;
};

void words_add(struct words *words, const char *word);
void words_free(struct words *words);
/* Adds argv with response files (@FILE) in place of their names. False: reported. */
bool words_expand(struct words *words, const struct session *session, int argc, char **argv);
/* The whole of a file or, for "-", standard input, terminated; *n without the terminator. NULL: errno says why. */
char *read_whole(const char *path, size_t *n);
/* Decimal digits only. */
bool parse_decimal(const char *text, size_t n, uint64_t *number);
/* 0x, 0b, 0o, or a leading 0 as in C; else decimal. */
bool parse_number(const char *text, uint64_t *number);
/* How many letters must be changed, added or removed, or change places with the next one. */
size_t edit_distance(const char *a, size_t na, const char *b, size_t nb);
/* Memory, or the end of the program with an error. */
void *checked_realloc(void *old, size_t n, size_t size);

/* ---- help (help.c) ---- */

/* The commands of a group, a line each. */
void help_list_group(FILE *to, const struct command_group *group);
/* To stdout. `command` NULL: of the program. */
void help_print(const struct session *session, const struct command *command, bool hidden);
void help_print_group(const struct session *session, const struct command_group *group);
/* Of the tables, as JSON (help_table.c). */
void help_print_table(void);
void version_print(const struct session *session);

/* ---- commands (cmd_*.c) ---- */

int cmd_merge(const struct session *session, const struct arguments *args);
int cmd_show(const struct session *session, const struct arguments *args);
int cmd_overlap(const struct session *session, const struct arguments *args);
int cmd_order(const struct session *session, const struct arguments *args);
int cmd_diff(const struct session *session, const struct arguments *args);
int cmd_info(const struct session *session, const struct arguments *args);
int cmd_check(const struct session *session, const struct arguments *args);
int cmd_probes(const struct session *session, const struct arguments *args);
int cmd_probes_verify(const struct session *session, const struct arguments *args);
int cmd_probes_diff(const struct session *session, const struct arguments *args);
int cmd_probes_disasm(const struct session *session, const struct arguments *args);
int cmd_probes_asm(const struct session *session, const struct arguments *args);
int cmd_probes_emit(const struct session *session, const struct arguments *args);
int cmd_bat_dump(const struct session *session, const struct arguments *args);
int cmd_bat_translate(const struct session *session, const struct arguments *args);
int cmd_bat_inject(const struct session *session, const struct arguments *args);
int cmd_bat_strip(const struct session *session, const struct arguments *args);
int cmd_bat_verify(const struct session *session, const struct arguments *args);
int cmd_bat_tool(const struct session *session, const struct arguments *args);
int cmd_bat_extract(const struct session *session, const struct arguments *args);
int cmd_bolt_convert(const struct session *session, const struct arguments *args);
int cmd_bolt_merge(const struct session *session, const struct arguments *args);
int cmd_convert(const struct session *session, const struct arguments *args);
int cmd_lookup(const struct session *session, const struct arguments *args);
int cmd_help(const struct session *session, const struct arguments *args);
int cmd_version(const struct session *session, const struct arguments *args);

#endif
