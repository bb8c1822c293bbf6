/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of options. */
#include "command.h"
#include "options.h"

#define M COMMAND_MERGE
#define S COMMAND_SHOW
#define OV COMMAND_OVERLAP
#define OR COMMAND_ORDER
#define DI COMMAND_DIFF
#define CV COMMAND_CONVERT
#define LU COMMAND_LOOKUP
#define I COMMAND_INFO
#define C COMMAND_CHECK
#define PD COMMAND_PROBES_DESC
#define PL COMMAND_PROBES_LIST
#define PT COMMAND_PROBES_TREE
#define PS COMMAND_PROBES_STATS
#define PV COMMAND_PROBES_VERIFY
#define PX COMMAND_PROBES_DIFF
#define PA COMMAND_PROBES_DISASM
#define PM COMMAND_PROBES_ASM
#define PE COMMAND_PROBES_EMIT
#define BM COMMAND_BOLT_MERGE
#define BC COMMAND_BOLT_CONVERT
#define PROBES (PD | PL | PT | PS | PV | PX) /* about pseudo probes; PA needs a program, not only sections */
#define BD COMMAND_BAT_DUMP
#define BX COMMAND_BAT_EXTRACT
#define BT COMMAND_BAT_TRANSLATE
#define BI COMMAND_BAT_INJECT
#define BS COMMAND_BAT_STRIP
#define BZ COMMAND_BAT_STATS
#define BV COMMAND_BAT_VERIFY
#define BAT (BD | BX | BT | BI | BS | BZ | BV)
#define NAMED (PE | BI | BS)     /* what is written must be named */
#define COMPLETED (CV | LU | DI) /* besides merge: read profiles whose metadata is in their program */
#define HIDDEN OPTION_HIDDEN
#define OURS OPTION_OURS

#define FLAG(id, commands, flags, name, group, help)                                                         \
    {OPT_##id, OPTION_FLAG, commands, flags, name, NULL, group, NULL, NULL, 0, help}
#define CHOICE(id, number, commands, flags, name, group, help)                                               \
    {OPT_##id, OPTION_CHOICE, commands, flags, name, NULL, group, NULL, NULL, number, help}
#define VALUE(id, kind, commands, flags, name, alias, group, operand, help)                                  \
    {OPT_##id, OPTION_##kind, commands, flags, name, alias, group, operand, NULL, 0, help}
#define UP_TO(id, most, commands, flags, name, group, operand, help)                                         \
    {OPT_##id, OPTION_SIZE, commands, flags, name, NULL, group, operand, NULL, most, help}
#define ENUM(id, choices, commands, flags, name, group, operand, help)                                       \
    {OPT_##id, OPTION_ENUM, commands, flags, name, NULL, group, operand, choices, 0, help}
/* Options of LLVM's that we lack: kind FLAG or STRING, and what to do instead. */
#define LATER(kind, commands, name, alias, instead)                                                          \
    {OPT_NONE, OPTION_##kind, commands, OPTION_LATER, name, alias, NULL, "VALUE", NULL, 0, instead}
/* Options of LLVM's that mean nothing for instrumentation profiles. */
#define NO_EFFECT(kind, commands, name)                                                                      \
    {OPT_NONE, OPTION_##kind, commands, OPTION_NO_EFFECT, name, NULL, NULL, "VALUE", NULL, 0, ""}

/* The largest profile there can be; the library takes more for that, without a word. */
#define MOST_RECORDS ((uint64_t)1 << 28)

static const struct choice failure_modes[] = {{"any", FAILURE_ANY, "fail if any input is bad (default)"},
                                              {"all", FAILURE_ALL, "fail only if all inputs are bad"},
                                              {"warn", FAILURE_WARN, "never fail, only warn"},
                                              {NULL, 0, NULL}};

static const struct choice memprof_versions[] = {
    {"0", 0, "LLVM 15 to 19, with --for"}, {"1", 1, "LLVM 19 and 20, with --for"},
    {"2", 2, "LLVM 19 and later"},         {"3", 3, "LLVM 19 and later (default from 20 on)"},
    {"4", 4, "LLVM 21 and later"},         {NULL, 0, NULL}};

static const struct choice show_formats[] = {{"text", SHOW_TEXT, "text for people (default)"},
                                             {"json", SHOW_JSON, "not for instrumentation profiles"},
                                             {"yaml", SHOW_YAML, "with --debug-info only"},
                                             {NULL, 0, NULL}};

static const struct choice correlations[] = {
    {"debug-info", CORRELATE_DEBUG_INFO, "the debug information (lightweight instrumentation)"},
    {"binary", CORRELATE_BINARY, "sections of the program (binary correlation)"},
    {NULL, 0, NULL}};

/* The same, of an option of the compiler that LLVM's tool has, too. */
static const struct choice compiler_correlations[] = {{"", CORRELATE_NONE, "neither"},
                                                      {"debug-info", CORRELATE_DEBUG_INFO, "as there"},
                                                      {"binary", CORRELATE_BINARY, "as there"},
                                                      {NULL, 0, NULL}};

static const struct choice layouts[] = {
    {"nest", 0, "of sample profiles"}, {"flat", 0, "of sample profiles"}, {NULL, 0, NULL}};

static const struct choice syntaxes[] = {
    {"att", SYNTAX_ATT, "AT&T (default)"}, {"intel", SYNTAX_INTEL, "Intel"}, {NULL, 0, NULL}};

static const struct choice prints[] = {
    {"none", PRINT_NONE, "nothing (default)"},
    {"exec", PRINT_EXEC, "functions by execution count, not of fdata"},
    {"branches", PRINT_BRANCHES, "functions by count of branches, not of fdata"},
    {NULL, 0, NULL}};

static const struct choice progresses[] = {
    {"auto", PROGRESS_AUTO, "on a terminal, from the second second on, unless there is --quiet (default)"},
    {"always", PROGRESS_ALWAYS, "at every step"},
    {"never", PROGRESS_NEVER, "never"},
    {NULL, 0, NULL}};
static const struct choice targets[] = {{"indexed", TO_INDEXED, "indexed profile, what compilers read"},
                                        {"text", TO_TEXT, "text"},
                                        {"json", TO_JSON, "JSON: everything there is; can be read again"},
                                        {NULL, 0, NULL}};

static const char inputs[] = "Inputs";
static const char input[] = "Input";
static const char output[] = "Output";
static const char names[] = "Names of functions";
static const char programs[] = "Profiles whose metadata is in their program";
static const char trouble[] = "Bad inputs";
static const char limits[] = "Limits of each input";
static const char which[] = "Which functions";
static const char which_code[] = "Which code";
static const char whole_table[] = "What to print";
static const char which_places[] = "Which places";
static const char which_probes[] = "Which probes";
static const char what[] = "What to show of them";
static const char whole[] = "What to show of the profile";
static const char general[] = "General options";
/* LLVM's words, with or without a colon: its error text begins with them. */
static const char format[] = "Format of output profile";
static const char kind[] = "Profile kind:";
static const char kind_show[] = "Profile kind supported by show:";

const struct option option_table[] = {
    /* merge: inputs */
    VALUE(INPUT_FILES, STRING, M, 0, "input-files", "f", inputs, "FILE",
          "A list of inputs, one [WEIGHT,]FILE in each line; '-' reads it from standard input. "
          "Lines that begin with # are skipped"),
    VALUE(WEIGHTED_INPUT, LIST, M, 0, "weighted-input", NULL, inputs, "WEIGHT,FILE",
          "An input whose counts are multiplied by WEIGHT, a whole number from 1. May be repeated"),
    FLAG(DUMP_INPUT_FILE_LIST, M, HIDDEN, "dump-input-file-list", inputs,
         "Print the inputs and their weights, and do nothing else"),
    FLAG(DROP_MEMPROF, M, OURS, "drop-memprof", inputs,
         "Leave out memory profiles (MemProf), also damaged ones"),
    FLAG(DELETE_INPUTS, M, OURS, "delete-inputs", inputs,
         "Remove the inputs that were merged when the output is on the disk. To add to an output, name it as "
         "an "
         "input, too. After an interruption run the same command again"),
    /* merge: output */
    VALUE(OUTPUT, STRING,
          M | S | OV | OR | DI | CV | LU | I | C | PROBES | PA | PM | (BAT & ~NAMED) | BM | BC, 0, "output",
          "o", output, "FILE", "Where to write; '-', the default, is standard output"),
    VALUE(OUTPUT, STRING, NAMED, 0, "output", "o", output, "FILE",
          "Where to write; it must be given, and '-' is standard output"),
    VALUE(FOR, STRING, M, OURS, "for", NULL, output, "TARGET",
          "What must be able to read the output: llvm-N, indexed-N (a format version), or auto (default): "
          "the compilers that made the inputs. Of text only the names of static functions depend on it"),
    CHOICE(FORMAT, FORMAT_BINARY, M, 0, "binary", format, "Indexed profile, what compilers read"),
    CHOICE(FORMAT, FORMAT_BINARY, M, 0, "extbinary", format, "The same (default)"),
    CHOICE(FORMAT, FORMAT_TEXT, M, 0, "text", format, "Text"),
    CHOICE(FORMAT, FORMAT_GCC, M, HIDDEN, "gcc", format, "Not for instrumentation profiles"),
    FLAG(SPARSE, M, 0, "sparse", output, "Leave out functions that never ran"),
    FLAG(KEEP_VTABLE_SYMBOLS, M, HIDDEN, "keep-vtable-symbols", output, "Store the names of vtables"),
    ENUM(MEMPROF_VERSION, memprof_versions, M | CV, 0, "memprof-version", output, "N",
         "Version of the memory profile (MemProf):"),
    FLAG(MEMPROF_FULL_SCHEMA, M | CV, 0, "memprof-full-schema", output,
         "Store all that is known of allocations, not only what compilers look at"),
    FLAG(WRITE_PREV_VERSION, M, HIDDEN, "write-prev-version", output, "The same as --for=indexed-11"),
    VALUE(TRACE_RESERVOIR, U64, M, 0, "temporal-profile-trace-reservoir-size", NULL, output, "N",
          "Most temporal traces to keep (default 100)"),
    VALUE(TRACE_LENGTH, U64, M, 0, "temporal-profile-max-trace-length", NULL, output, "N",
          "Most functions to keep of a temporal trace (default 10000)"),
    VALUE(REPORT, STRING, M, OURS, "report", NULL, output, "FILE",
          "Write what became of each input, and what was lost or changed, as JSON; also when the merge fails "
          "because of its inputs. '-' is standard output"),
    /* merge: names */
    VALUE(
        FUNCTION, STRING, M, 0, "function", NULL, names, "REGEX",
        "Only functions whose name matches this extended regular expression somewhere; one that begins with "
        "? is plain text"),
    VALUE(NO_FUNCTION, STRING, M, 0, "no-function", NULL, names, "REGEX",
          "Leave out functions whose name matches it"),
    VALUE(REMAPPING_FILE, STRING, M, 0, "remapping-file", "r", names, "FILE",
          "Rename functions: lines 'OLD NEW', whole names. Values and traces keep the old name. "
          "Lines that begin with # are skipped"),
    VALUE(
        PREFIX_MAP, LIST, M, OURS, "prefix-map", NULL, names, "FROM=TO",
        "In names of local functions, 'path;name', replace FROM at the beginning of the path by TO, wherever "
        "the name is used. May be repeated; of several that fit the last counts"),
    /* merge: bad inputs */
    ENUM(FAILURE_MODE, failure_modes, M, 0, "failure-mode", trouble, "MODE",
         "When a bad input is a failure:"),
    VALUE(MAX_LOSS, PERCENT, M, OURS, "max-loss", NULL, trouble, "PCT",
          "Fail if more than PCT per cent of the inputs are lost: bad or empty. "
          "Of this and --failure-mode the last one counts"),
    FLAG(SALVAGE, M, OURS, "salvage", trouble,
         "Take of damaged inputs what is provably intact, and say what was lost. Such inputs are no failure, "
         "but --max-loss counts them as lost"),
    FLAG(QUIET, M, OURS, "quiet", trouble, "Print errors only: no warnings, no summary of what was lost"),
    FLAG(QUIET, PM | PE, OURS, "quiet", general, "Print errors only, no notes"),
    /* limits, of both */
    VALUE(MAX_INPUT_SIZE, SIZE, M | S | OV | OR | DI, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse inputs that are larger, and names that are larger when they are unpacked; K, M and G stand "
          "for 1024 bytes and so on (default 64G)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, M | S | OV | OR | DI, OURS, "max-records", limits, "N",
          "Refuse inputs with more functions; K, M and G as above (default 256M, which is the most)"),
    VALUE(
        MAX_INPUT_SIZE, SIZE, PROBES | PA, OURS, "max-input-size", NULL, limits, "SIZE",
        "Refuse files that are larger, and sections that are larger when they are unpacked; K, M and G stand "
        "for 1024 bytes and so on (default 64G)"),
    VALUE(
        MAX_RECORDS, SIZE, PROBES | PA, OURS, "max-records", NULL, limits, "N",
        "Refuse files with more probes, descriptors or inlined functions; K, M and G as above (default 4G)"),
    VALUE(MAX_DEPTH, SIZE, PROBES | PA, OURS, "max-depth", NULL, limits, "N",
          "Refuse files where functions are inlined into each other more than N deep (default: no limit)"),
    /* kinds */
    CHOICE(KIND, KIND_INSTR, M, 0, "instr", kind, "Instrumentation profile (default)"),
    CHOICE(KIND, KIND_SAMPLE, M, 0, "sample", kind, "Sample profile (not supported yet)"),
    CHOICE(KIND, KIND_INSTR, S, 0, "instr", kind_show, "Instrumentation profile (default)"),
    CHOICE(KIND, KIND_SAMPLE, S, 0, "sample", kind_show, "Sample profile (not supported yet)"),
    CHOICE(KIND, KIND_MEMORY, S, 0, "memory", kind_show, "Memory profile (MemProf) of an indexed profile"),
    /* show: which functions */
    FLAG(ALL_FUNCTIONS, S, 0, "all-functions", which, "Every function"),
    VALUE(FUNCTION, STRING, S, 0, "function", NULL, which, "TEXT", "Functions whose name contains TEXT"),
    VALUE(VALUE_CUTOFF, UINT, S, 0, "value-cutoff", NULL, which, "N",
          "Leave out functions whose largest count is below N"),
    FLAG(LIST_BELOW_CUTOFF, S, 0, "list-below-cutoff", which,
         "List only the functions whose largest count is below --value-cutoff"),
    FLAG(COVERED, S, 0, "covered", which, "List only the names of the functions that ran"),
    FLAG(SHOWCS, S, 0, "showcs", which, "The context-sensitive counts"),
    VALUE(TOPN, UINT, S, 0, "topn", NULL, which, "N", "List the N functions with the largest counts"),
    FLAG(HOT_FUNC_LIST, S, 0, "hot-func-list", which, "List the hot functions"),
    /* show: what of them */
    FLAG(COUNTS, S, 0, "counts", what, "Counter values"),
    FLAG(IC_TARGETS, S, 0, "ic-targets", what, "Targets of indirect calls"),
    FLAG(SHOW_VTABLES, S, 0, "show-vtables", what, "Vtables"),
    FLAG(MEMOP_SIZES, S, 0, "memop-sizes", what, "Sizes of memory operations"),
    FLAG(TEXT, S, 0, "text", what, "Print the functions as a text profile"),
    /* show: of the profile */
    FLAG(DETAILED_SUMMARY, S, 0, "detailed-summary", whole, "How many blocks hold which part of the counts"),
    VALUE(SUMMARY_CUTOFFS, NUMBERS, S, 0, "detailed-summary-cutoffs", NULL, whole, "A,B,...",
          "For which parts of the counts, in millionths; may be repeated. Also for --hot-func-list"),
    FLAG(BINARY_IDS, S, 0, "binary-ids", whole, "Binary ids"),
    FLAG(PROFILE_VERSION, S, 0, "profile-version", whole, "Version of the file"),
    FLAG(TEMPORAL_TRACES, S, 0, "temporal-profile-traces", whole, "Temporal traces"),
    ENUM(SHOW_FORMAT, show_formats, S, 0, "show-format", whole, "FORMAT", "Format of what is shown:"),
    FLAG(JSON, S, HIDDEN, "json", whole, "The same as --show-format=json"),
    /* overlap */
    FLAG(CS, OV, 0, "cs", which, "The context-sensitive counts"),
    VALUE(FUNCTION, STRING, OV, 0, "function", NULL, which, "TEXT",
          "Print also the functions that both have and whose name contains TEXT"),
    VALUE(VALUE_CUTOFF, ULL, OV, 0, "value-cutoff", NULL, which, "N",
          "Print also the functions that both have and whose largest count in TEST is at least N"),
    CHOICE(KIND, KIND_INSTR, OV, 0, "instr", kind, "Instrumentation profile (default)"),
    CHOICE(KIND, KIND_SAMPLE, OV, 0, "sample", kind, "Sample profile (not supported yet)"),
    /* order */
    VALUE(NUM_TEST_TRACES, UINT, OR, 0, "num-test-traces", NULL, input, "N",
          "Do not use the last N traces for the order, but to see how good it is"),
    /* diff */
    FLAG(CS, DI, OURS, "cs", which, "The context-sensitive counts"),
    VALUE(FUNCTION, STRING, DI, OURS, "function", NULL, which, "TEXT",
          "Only functions whose name contains TEXT; shares are still those of the whole profile"),
    FLAG(EXACT_NAMES, DI, OURS, "exact-names", which,
         "A function of another name is another function. Without this, names that differ only in the "
         "separator "
         "behind the file (':', ';') or a suffix .llvm.NUMBER are the same"),
    VALUE(TOPN, UINT, DI, OURS, "topn", NULL, output, "N",
          "List the N functions with the largest effect; 0: all (default: 20, with --json all)"),
    FLAG(ABSOLUTE, DI, OURS, "absolute", what,
         "Compare counts as they are, not as shares of the sum of their profile"),
    VALUE(FAIL_ABOVE, PERCENT, DI, OURS, "fail-above", NULL, output, "PCT",
          "The exit code is 3 if more than PCT per cent of the counts moved"),
    FLAG(JSON, DI, OURS, "json", output, "JSON for programs"),
    /* convert */
    ENUM(TO, targets, CV, OURS, "to", output, "FORMAT",
         "The format of the output; default: by the end of its name, .profdata, .proftext or .json:"),
    VALUE(FOR, STRING, CV, OURS, "for", NULL, output, "TARGET",
          "What must be able to read the output: llvm-N, indexed-N (a format version), or auto (default): "
          "the compiler that made the input. Of text only the names of static functions depend on it; "
          "not for JSON"),
    FLAG(SPARSE, CV, 0, "sparse", output, "Leave out functions that never ran; not of JSON"),
    FLAG(KEEP_VTABLE_SYMBOLS, CV, 0, "keep-vtable-symbols", output,
         "Store the names of vtables; JSON always has them"),
    FLAG(DROP_MEMPROF, CV, OURS, "drop-memprof", input,
         "Leave out a memory profile (MemProf), also a damaged one"),
    /* lookup */
    VALUE(HASH, U64, LU, OURS, "hash", NULL, which, "HASH",
          "Only the record with this hash, as a compiler looks for it; hexadecimal behind 0x"),
    FLAG(JSON, LU, OURS, "json", output, "JSON for programs"),
    /* limits of convert and lookup */
    VALUE(MAX_INPUT_SIZE, SIZE, CV | LU, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse an input that is larger, and names that are larger when they are unpacked; K, M and G "
          "stand for 1024 bytes and so on (default 64G)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, CV, OURS, "max-records", limits, "N",
          "Refuse an input with more functions; K, M and G as above (default 256M, which is the most)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, LU, OURS, "max-records", limits, "N",
          "Refuse an input, or of an indexed profile a name, with more functions; K, M and G as above "
          "(default 256M, which is the most)"),
    FLAG(QUIET, CV, OURS, "quiet", general,
         "Print errors only: no warnings, nothing about what was left out"),
    /* info, check */
    FLAG(JSON, I | C, OURS, "json", output, "JSON for programs; of all files, and all findings"),
    FLAG(ALL_FINDINGS, C, OURS, "all", output, "All findings, not only the first 20 of each kind in a file"),
    VALUE(AGAINST, LIST, C, OURS, "against", NULL, inputs, "PROGRAM",
          "An instrumented program: which of its functions the profiles have counts for, and which of these "
          "are of another hash and so of no use for it. May be repeated: its shared libraries"),
    VALUE(MAX_INPUT_SIZE, SIZE, I | C, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse files that are larger; K, M and G stand for 1024 bytes and so on (default 64G)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, I | C, OURS, "max-records", limits, "N",
          "Refuse profiles with more functions; K, M and G as above (default 256M, which is the most)"),
    FLAG(QUIET, I | C, OURS, "quiet", general, "Do not show how far the work has come"),
    /* correlation */
    VALUE(DEBUG_INFO, LIST, M | COMPLETED, 0, "debug-info", NULL, programs, "FILE",
          "The program with its debug information, or a file of that alone: for profiles of lightweight "
          "instrumentation (-profile-correlate=debug-info, -debug-info-correlate). May be repeated: each "
          "profile is completed by the program with its build id"),
    VALUE(BINARY_FILE, LIST, M, 0, "binary-file", NULL, programs, "FILE",
          "The program, for profiles of binary correlation (-profile-correlate=binary). May be repeated, "
          "too. With "
          "--salvage also an ordinary instrumented program: functions whose names are cut off take them from "
          "it"),
    VALUE(
        BINARY_FILE, LIST, COMPLETED, 0, "binary-file", NULL, programs, "FILE",
        "The program, for profiles of binary correlation (-profile-correlate=binary). May be repeated, too"),
    VALUE(DEBUG_FILE_DIRECTORY, LIST, M | COMPLETED, 0, "debug-file-directory", NULL, programs, "DIR",
          "With --correlate: look for the programs here, by the build ids of the profiles: "
          "DIR/.build-id/xx/yyyy.debug, and else every ELF file in and below DIR. May be repeated"),
    ENUM(CORRELATE, correlations, M | COMPLETED, 0, "correlate", programs, "KIND",
         "What of these programs describes their functions:"),
    ENUM(PROFILE_CORRELATE, compiler_correlations, M, HIDDEN, "profile-correlate", programs, "KIND",
         "The same as --correlate; without --debug-file-directory of no effect"),
    FLAG(DEBUGINFOD, M, HIDDEN, "debuginfod", programs, "Not supported: anyprof does not use the network"),
    VALUE(MAX_CORRELATION_WARNINGS, UINT, M | S | COMPLETED, 0, "max-debug-info-correlation-warnings", NULL,
          programs, "N", "Most warnings about the functions of a program (default 5); 0 = all"),
    VALUE(DEBUG_INFO, LIST, S, 0, "debug-info", NULL, whole, "FILE",
          "No profile, but what the debug information of this program says of its functions (lightweight "
          "instrumentation)"),
    FLAG(SHOW_PROF_SYM_LIST, S, 0, "show-prof-sym-list", whole,
         "With --debug-info: the names of the functions; else without effect"),
    /* probes */
    FLAG(SECTION, PROBES & ~PX, OURS, "section", input,
         "FILE is no program but the bytes of a .pseudo_probe section"),
    VALUE(
        DESC_SECTION, STRING, PROBES & ~PX, OURS, "desc-section", NULL, input, "FILE",
        "The bytes of a .pseudo_probe_desc section; then FILE, if there is one, is a .pseudo_probe section"),
    FLAG(BIG_ENDIAN, PROBES & ~PX, OURS, "big-endian", input, "The numbers in these sections are big-endian"),
    FLAG(KEEP_GOING, (PROBES | PA) & ~(PV | PX), OURS, "keep-going", input,
         "Show what stands before damage, and report that; the exit code is 1 all the same"),
    VALUE(FUNCTION, STRING, PD | PL | PT | PV | PX, OURS, "function", NULL, which_probes, "NAME|GUID",
          "This function, and what was inlined of it; a GUID is decimal, or hexadecimal behind 0x"),
    VALUE(ADDRESS, STRING, PL | PT, OURS, "address", NULL, which_probes, "A[-B]",
          "Only probes at this address, or from A up to but not at B; hexadecimal, with or without 0x"),
    VALUE(
        AGAINST, STRING, PV, OURS, "against", NULL, input, "OTHER",
        "Another build: which functions have another hash there, so that a profile of it is stale for them"),
    VALUE(MAX_STALE, PERCENT, PV, OURS, "max-stale", NULL, trouble, "PCT",
          "With --against: fail if more than PCT per cent of the probes are in such functions (default 0)"),
    FLAG(JSON, PROBES, OURS, "json", output, "JSON for programs"),
    /* probes disasm */
    VALUE(DISASSEMBLE_FUNCTIONS, LIST, PA, 0, "disassemble-functions", NULL, which_code, "A,B,...",
          "The code of these symbols, by their names as they are in the file. May be repeated"),
    VALUE(
        FUNCTION, STRING, PA, OURS, "function", NULL, which_code, "NAME|GUID",
        "The code of this function, parts that were split off it included; a GUID is decimal, or hexadecimal "
        "behind 0x"),
    VALUE(ADDRESS, STRING, PA, OURS, "address", NULL, which_code, "A[-B]",
          "The instruction at this address, or those from A up to but not at B; hexadecimal, with or without "
          "0x"),
    ENUM(X86_ASM_SYNTAX, syntaxes, PA, 0, "x86-asm-syntax", output, "SYNTAX", "How to write x86 code:"),
    FLAG(SHOW_PSEUDO_PROBE, PA, 0, "show-pseudo-probe", output, "Show probes (default)"),
    FLAG(SHOW_SOURCE_LOCATIONS, PA, 0, "show-source-locations", output,
         "Behind each instruction the functions it is of, innermost first, from debug information: each with "
         "the number of its call probe, or with --show-pseudo-probe=false its line, counted from that where "
         "the function begins"),
    FLAG(NO_CODE_GROUPS, PE, OURS, "no-code-groups", output,
         "Put no section into a COMDAT group of code: to link the object with that code"),
    {OPT_ASSEMBLE, OPTION_FLAG, PM, OURS, "assemble", "c", output, NULL, NULL, 0,
     "Make an object: run the assembler that the environment variable AS names ('as' without it; arguments "
     "may "
     "follow, separated by blanks) on the result, and write what it makes to -o"},
    VALUE(MAX_INPUT_SIZE, SIZE, PM | PE, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse files that are larger; K, M and G stand for 1024 bytes and so on (default 64G)"),
    /* bat */
    FLAG(JSON, BD | BT | BZ | BV, OURS, "json", output, "JSON for programs"),
    FLAG(BRANCH_SOURCE, BT, OURS, "branch-source", which_places,
         "The addresses are those of branches: each is translated into the branch of the input"),
    FLAG(REVERSE, BT, OURS, "reverse", which_places,
         "The other way: where in FILE is what was at FUNCTION+OFFSET, or with --original at ADDR, in the "
         "input"),
    VALUE(
        ORIGINAL, STRING, BT | BV, OURS, "original", NULL, input, "FILE",
        "The program that BOLT was given: the table has only offsets in its functions, not their addresses"),
    FLAG(CONVERT, BX, OURS, "convert", output,
         "In the encoding of BOLT 19 and later; what tables of older ones do not know is 0"),
    VALUE(MAX_INPUT_SIZE, SIZE, BAT, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse files that are larger; K, M and G stand for 1024 bytes and so on (default 64G)"),
    /* llvm-bat-dump */
    FLAG(DUMP_ALL, COMMAND_BAT_TOOL, 0, "dump-all", whole_table, "Print the whole table"),
    VALUE(TRANSLATE, LIST, COMMAND_BAT_TOOL, 0, "translate", NULL, whole_table, "ADDR",
          "Translate this address; may be repeated"),
    /* bolt convert */
    VALUE(PA, LIST, BC, OURS, "pa", NULL, inputs, "FILE",
          "Pre-aggregated samples, as for perf2bolt --pa; '-' is standard input. May be repeated: they are "
          "added up"),
    VALUE(WRITE_YAML, STRING, BC, OURS, "write-yaml", "w", output, "FILE",
          "Write the profile as YAML, too; without -o, only that. '-' is standard output"),
    VALUE(
        PERF_SCRIPT, LIST, BC, OURS, "perf-script", NULL, inputs, "FILE",
        "What 'perf script -F pid,time,event,brstack --show-mmap-events --show-task-events' prints (ip, not "
        "brstack, with --basic-events); '-' is standard input. May be repeated, for parts of one recording"),
    VALUE(PERF_DATA, STRING, BC, 0, "perfdata", "p", inputs, "FILE",
          "A file of perf record; perf, which must be there, reads it"),
    FLAG(BASIC_EVENTS, BC, 0, "basic-events", inputs,
         "Samples of instructions (S records, or those of perf without branches), not branches"),
    FLAG(BASIC_EVENTS, BC, OPTION_HIDDEN, "ba", inputs, "The same"),
    VALUE(PID, UINT, BC, 0, "pid", NULL, inputs, "PID", "Of what perf recorded, only this process"),
    VALUE(MAX_SAMPLES, U64, BC, 0, "max-samples", NULL, inputs, "N",
          "Of what perf recorded, only the first N samples"),
    VALUE(BUILD_IDS, STRING, BC, OURS, "build-ids", NULL, inputs, "FILE",
          "With --perf-script: what 'perf buildid-list' prints, to see whether PROGRAM was recorded"),
    FLAG(IGNORE_BUILD_ID, BC, 0, "ignore-build-id", inputs,
         "What was recorded under the name of PROGRAM is taken for it, whatever its build id is"),
    FLAG(IGNORE_INTERRUPT_LBR, BC, 0, "ignore-interrupt-lbr", inputs,
         "Leave branches from and to the kernel out (default): they are interrupts"),
    VALUE(REPORT, STRING, BC, OURS, "report", NULL, output, "FILE",
          "Write what became of the samples as JSON, too. '-' is standard output"),
    VALUE(MAX_INPUT_SIZE, SIZE, BC, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse files that are larger; K, M and G stand for 1024 bytes and so on (default 64G)"),
    FLAG(QUIET, BC, OURS, "quiet", general,
         "Print errors only, neither warnings nor what became of the samples"),
    /* bolt merge */
    ENUM(PRINT, prints, BM, 0, "print", output, "WHAT",
         "List the functions on standard error, the largest first; for profiles in YAML:"),
    FLAG(NO_PROFILE, BM, 0, "q", output, "Write no profile, only check the inputs"),
    VALUE(MAX_INPUT_SIZE, SIZE, BM, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse inputs that are larger; K, M and G stand for 1024 bytes and so on (default 64G)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, BM, OURS, "max-records", limits, "N",
          "Refuse more different records, of all inputs; K, M and G as above (default 256M, which is the "
          "most)"),
    /* all */
    VALUE(THREADS, UINT, M | I, 0, "num-threads", "j", general, "N",
          "Threads; 0, the default, means one for each processor. The result does not depend on it"),
    ENUM(PROGRESS, progresses, M | BM | I | C, OURS, "progress", general, "WHEN",
         "When to show how far the work has come, in a line on standard error:"),
    FLAG(COLOR, COMMAND_ALL, 0, "color", general, "Colours in messages; default: only on a terminal"),
    {OPT_HELP, OPTION_FLAG, COMMAND_ALL, 0, "help", "h", general, NULL, NULL, 0, "Explain the command"},
    FLAG(TABLE, COMMAND_HELP, HIDDEN | OURS, "table", general,
         "Print the tables of commands and options as JSON: man pages and completions are made from it"),
    FLAG(HELP_HIDDEN, COMMAND_ALL, 0, "help-hidden", general, "Explain it with all options"),
    FLAG(HELP, COMMAND_ALL, HIDDEN, "help-list", general, "The same as --help"),
    FLAG(HELP_HIDDEN, COMMAND_ALL, HIDDEN, "help-list-hidden", general, "The same as --help-hidden"),
    FLAG(VERSION, COMMAND_ALL, 0, "version", general, "Version of the program"),

    LATER(FLAG, M, "memprof-random-hotness", NULL, "it invents data"),
    LATER(STRING, M, "memprof-random-hotness-seed", NULL, "it invents data"),
    LATER(STRING, M, "supplement-instr-with-sample", NULL, "sample profiles cannot be read yet"),

    NO_EFFECT(FLAG, M, "use-md5"),
    NO_EFFECT(FLAG, M, "compress-all-sections"),
    NO_EFFECT(FLAG, M, "gen-partial-profile"),
    NO_EFFECT(FLAG, M, "split-layout"),
    NO_EFFECT(STRING, M, "zero-counter-threshold"),
    NO_EFFECT(UINT, M, "suppl-min-size-threshold"),
    NO_EFFECT(UINT, M, "instr-prof-cold-threshold"),
    NO_EFFECT(U64, M, "output-size-limit"),
    NO_EFFECT(STRING, M, "prof-sym-list"),
    NO_EFFECT(FLAG, M, "drop-profile-symbol-list"),
    {OPT_NONE, OPTION_ENUM, M, OPTION_NO_EFFECT, "convert-sample-profile-layout", NULL, NULL, "VALUE",
     layouts, 0, ""},
    NO_EFFECT(FLAG, M, "sample-merge-cold-context"),
    NO_EFFECT(FLAG, M, "sample-trim-cold-context"),
    NO_EFFECT(UINT, M, "sample-frame-depth-for-cold-context"),
    NO_EFFECT(FLAG, S, "show-sec-info-only"),
    NO_EFFECT(STRING, M | S, "profiled-binary"),
    NO_EFFECT(ULL, OV, "similarity-cutoff"),

    {OPT_NONE, OPTION_FLAG, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL}};
