/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of options. */
#include "option_table.h"

#include <string.h>

#include "command.h"
#include "option_choices.h"

/* Sets of commands. */
#define OF(id) COMMAND_BIT(id)
/* Commands that read instrumentation profiles, besides info and check. */
#define PROFILES (OF(MERGE) | OF(SHOW) | OF(OVERLAP) | OF(ORDER) | OF(DIFF) | OF(CONVERT) | OF(LOOKUP))
/* Commands besides merge that complete profiles from their programs. */
#define COMPLETING (OF(CONVERT) | OF(LOOKUP) | OF(DIFF) | OF(COLLECT))
/* Commands that read sections of probes; probes disasm reads programs only. */
#define PROBES (PROBES_OF_ONE | OF(PROBES_DIFF))
#define PROBES_OF_ONE                                                                                        \
    (OF(PROBES_DESC) | OF(PROBES_LIST) | OF(PROBES_TREE) | OF(PROBES_STATS) | OF(PROBES_VERIFY))
#define BAT                                                                                                  \
    (OF(BAT_DUMP) | OF(BAT_EXTRACT) | OF(BAT_TRANSLATE) | OF(BAT_INJECT) | OF(BAT_STRIP) | OF(BAT_STATS) |   \
     OF(BAT_VERIFY))
#define COV_FILES (OF(COV_EXPORT) | OF(COV_REPORT) | OF(COV_SHOW))
#define COV (COV_FILES | OF(COV_DIFF) | OF(COV_WHY))
#define OUTPUT_REQUIRED (OF(PROBES_EMIT) | OF(BAT_EXTRACT) | OF(BAT_INJECT) | OF(BAT_STRIP))

#define HIDDEN OPTION_HIDDEN
#define OURS OPTION_OURS
#define ELF OPTION_ELF
#define SAMPLES OPTION_SAMPLES
#define READS OPTION_READS
#define INSTR OPTION_INSTR

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
/* Options of LLVM's that anyprof lacks: kind FLAG or STRING, and the reason or what to do instead. */
#define LATER(kind, commands, name, alias, instead)                                                          \
    {OPT_NONE, OPTION_##kind, commands, OPTION_LATER, name, alias, NULL, "VALUE", NULL, 0, instead}
/* Options of LLVM's that mean nothing for instrumentation profiles. */
#define NO_EFFECT(kind, commands, name)                                                                      \
    {OPT_NONE, OPTION_##kind, commands, OPTION_NO_EFFECT, name, NULL, NULL, "VALUE", NULL, 0, ""}

/* Options of a tool of LLVM's that change nothing here, and why: the end of a sentence. */
#define IDLE(commands, name, why)                                                                            \
    {OPT_NONE, OPTION_FLAG, commands, OPTION_NO_EFFECT, name, NULL, NULL, "VALUE", NULL, 0, why}

/* The largest number of records that libanyprof supports. It reduces larger limits without a message. */
#define MOST_RECORDS ((uint64_t)1 << 28)

static const char inputs[] = "Inputs";
static const char input[] = "Input";
static const char output[] = "Output";
static const char which_functions_ran[] = "Which functions are shown";
static const char source_files[] = "Source files";
static const char of_source[] = "What to show of the source code";
static const char gates[] = "How much has to run";
static const char function_names[] = "Names of functions";
static const char samples[] = "Sample profiles";
static const char samples_in_instr[] = "Samples that correct an instrumentation profile";
static const char programs[] = "Profiles whose metadata is in their program";
static const char bad_inputs[] = "Bad inputs";
static const char limits[] = "Limits of each input";
static const char which_functions[] = "Which functions";
static const char which_code[] = "Which code";
static const char of_table[] = "What to print";
static const char translated[] = "What to translate";
static const char which_probes[] = "Which probes";
static const char of_functions[] = "What to show of each function";
static const char comparison[] = "How to compare";
static const char of_profile[] = "What to show of the profile";
static const char kept_things[] = "What is kept, and how long";
static const char general[] = "General options";
/* LLVM's words, with or without a colon: its error text begins with them. */
static const char output_format[] = "Format of output profile";
static const char profile_kind[] = "Profile kind:";
static const char shown_kind[] = "Profile kind supported by show:";

const struct option option_table[] = {
    /* merge: inputs */
    VALUE(INPUT_FILES, STRING, OF(MERGE), 0, "input-files", "f", inputs, "FILE",
          "A list of inputs, one [WEIGHT,]FILE per line; '-' reads it from standard input. Lines that begin "
          "with # are skipped"),
    VALUE(WEIGHTED_INPUT, LIST, OF(MERGE), 0, "weighted-input", NULL, inputs, "WEIGHT,FILE",
          "An input whose counts are multiplied by WEIGHT, a whole number of at least 1. May be repeated"),
    FLAG(DUMP_INPUT_FILE_LIST, OF(MERGE), HIDDEN, "dump-input-file-list", inputs,
         "Print the inputs and their weights, and do nothing else"),
    FLAG(DROP_MEMPROF, OF(MERGE), OURS | INSTR, "drop-memprof", inputs,
         "Leave out memory profiles (MemProf), even damaged ones"),
    FLAG(DELETE_INPUTS, OF(MERGE), OURS, "delete-inputs", inputs,
         "Remove the merged inputs once the output is on the disk. To add to an output, name it as an input, "
         "too. After an interruption, run the same command again"),
    /* merge: output */
    VALUE(OUTPUT, STRING,
          PROFILES | OF(INFO) | OF(CHECK) | PROBES | OF(PROBES_DISASM) | OF(PROBES_LOOKUP) | OF(PROBES_ASM) |
              (BAT & ~OUTPUT_REQUIRED) | OF(BOLT_MERGE) | OF(BOLT_CONVERT) | OF(PERF_INFO) | COV_FILES |
              OF(COV_DIFF) | OF(REPORT),
          0, "output", "o", output, "FILE", "Where to write; '-', the default, is standard output"),
    VALUE(OUTPUT, STRING, OF(COLLECT), 0, "output", "o", output, "FILE",
          "The sum of all builds (required), an indexed profile, outside of the spool"),
    VALUE(OUTPUT, STRING, OUTPUT_REQUIRED, 0, "output", "o", output, "FILE",
          "Where to write (required); '-' is standard output"),
    FLAG(UNDECIDED, OF(MERGE), OURS, "partial", output,
         "Write a partial profile: all that is known of the inputs, before anything is decided. A later "
         "merge takes it as an input, and gives the result that all the inputs at once would give"),
    FLAG(
        FORGET_INPUTS, OF(MERGE), OURS, "forget-inputs", output,
        "With --partial, list how many inputs of each kind there were, without their names, so that the file "
        "does not grow with their number"),
    VALUE(
        FOR, STRING, OF(MERGE), OURS, "for", NULL, output, "TARGET",
        "What must be able to read the output: llvm-N (or just N), gcc-N (of sample profiles), indexed-N (a "
        "format version; not of sample profiles), or auto (default): the compilers that made the inputs, of "
        "sample profiles the newest LLVM, or the GCC that all inputs are for. In text of instrumentation "
        "profiles, only the names of static functions depend on it"),
    VALUE(FOR, STRING, OF(COLLECT), OURS, "for", NULL, output, "TARGET",
          "What must be able to read the output: llvm-N (or just N), indexed-N (a format version), or auto "
          "(default): the compilers that made the profiles"),
    CHOICE(FORMAT, FORMAT_BINARY, OF(MERGE), 0, "binary", output_format,
           "Indexed profile, the format that compilers read; of samples LLVM's raw binary format"),
    CHOICE(FORMAT, FORMAT_EXTBINARY, OF(MERGE), 0, "extbinary", output_format,
           "Indexed profile; of samples LLVM's extensible binary format (default)"),
    CHOICE(FORMAT, FORMAT_TEXT, OF(MERGE), 0, "text", output_format, "Text"),
    CHOICE(FORMAT, FORMAT_GCC, OF(MERGE), 0, "gcc", output_format,
           "GCC's format of sample profiles; --for=gcc-N says for which GCC"),
    CHOICE(FORMAT, FORMAT_COMPACT, OF(MERGE), 0, "compbinary", output_format,
           "Compact binary format of sample profiles, of LLVM 7 to 16"),
    FLAG(SPARSE, OF(MERGE), INSTR, "sparse", output, "Leave out functions that never ran"),
    FLAG(KEEP_VTABLE_SYMBOLS, OF(MERGE), HIDDEN | INSTR, "keep-vtable-symbols", output,
         "Store the names of vtables"),
    ENUM(MEMPROF_VERSION, memprof_versions, OF(MERGE) | OF(CONVERT), INSTR, "memprof-version", output, "N",
         "Version of the memory profile (MemProf):"),
    FLAG(MEMPROF_FULL_SCHEMA, OF(MERGE) | OF(CONVERT), INSTR, "memprof-full-schema", output,
         "Store all known fields of allocations, not only those that compilers use"),
    FLAG(WRITE_PREV_VERSION, OF(MERGE), HIDDEN | INSTR, "write-prev-version", output,
         "The same as --for=indexed-11"),
    VALUE(TRACE_RESERVOIR, U64, OF(MERGE), INSTR, "temporal-profile-trace-reservoir-size", NULL, output, "N",
          "Largest number of temporal traces to keep (default 100)"),
    VALUE(TRACE_LENGTH, U64, OF(MERGE), INSTR, "temporal-profile-max-trace-length", NULL, output, "N",
          "Largest number of functions to keep in a temporal trace (default 10000)"),
    VALUE(REPORT, STRING, OF(MERGE), OURS, "report", NULL, output, "FILE",
          "Write what happened to each input, and what was lost or changed, as JSON, even if the merge fails "
          "because of its inputs, but not if one does not exist or is a partial profile that the options do "
          "not go with. '-' is "
          "standard output"),
    /* merge: names */
    VALUE(FUNCTION, STRING, OF(MERGE), 0, "function", NULL, function_names, "REGEX",
          "Only functions whose name contains a match of this extended regular expression; a REGEX that "
          "begins with ? is plain text"),
    VALUE(NO_FUNCTION, STRING, OF(MERGE), 0, "no-function", NULL, function_names, "REGEX",
          "Leave out functions whose name contains a match of this regular expression"),
    VALUE(REMAPPING_FILE, STRING, OF(MERGE), 0, "remapping-file", "r", function_names, "FILE",
          "Rename functions by lines 'OLD NEW' of whole names. Values and traces keep the old name. Lines "
          "that begin with # are skipped"),
    VALUE(PREFIX_MAP, LIST, OF(MERGE), OURS | INSTR, "prefix-map", NULL, function_names, "FROM=TO",
          "In names of local functions, 'path;name', replace FROM at the beginning of the path by TO, "
          "wherever the name is used. May be repeated; if several fit, the last one counts"),
    /* merge: sample profiles */
    FLAG(USE_MD5, OF(MERGE), SAMPLES, "use-md5", samples,
         "Store hashes of names instead of names; extensible binary format only"),
    FLAG(COMPRESS_ALL, OF(MERGE), SAMPLES, "compress-all-sections", samples,
         "Compress all sections; extensible binary format only"),
    FLAG(PARTIAL, OF(MERGE), SAMPLES, "gen-partial-profile", samples,
         "Mark the profile as that of code which several programs share: functions without samples may be "
         "hot; extensible binary format only"),
    FLAG(SPLIT_LAYOUT, OF(MERGE), SAMPLES, "split-layout", samples,
         "Store functions in which nothing is inlined apart from others; extensible binary format and text "
         "only"),
    FLAG(WRITE_VTABLES, OF(MERGE), HIDDEN | SAMPLES, "extbinary-write-vtable-type-prof", samples,
         "Store types of objects (vtables), which LLVM 22 and later read; extensible binary format only"),
    VALUE(SYMBOL_LIST, STRING, OF(MERGE), SAMPLES, "prof-sym-list", NULL, samples, "FILE",
          "Names of all functions of the program, one per line: those without samples are cold"),
    FLAG(DROP_SYMBOL_LIST, OF(MERGE), SAMPLES, "drop-profile-symbol-list", samples,
         "Leave out the inputs' lists of all functions"),
    VALUE(OUTPUT_SIZE_LIMIT, U64, OF(MERGE), SAMPLES, "output-size-limit", NULL, samples, "BYTES",
          "Leave out the coldest functions until the output is no larger"),
    ENUM(LAYOUT, layouts, OF(MERGE), SAMPLES, "convert-sample-profile-layout", samples, "LAYOUT",
         "Change the layout of the profile:"),
    FLAG(
        MERGED_BASES, OF(MERGE), HIDDEN | SAMPLES, "generate-merged-base-profiles", samples,
        "With --convert-sample-profile-layout=nest, add what is inlined to the functions' own profiles, too"),
    FLAG(MERGE_COLD, OF(MERGE), SAMPLES, "sample-merge-cold-context", samples,
         "Add cold functions with contexts to those with fewer frames"),
    FLAG(TRIM_COLD, OF(MERGE), SAMPLES, "sample-trim-cold-context", samples,
         "Leave out cold functions with contexts"),
    VALUE(COLD_FRAMES, UINT, OF(MERGE), SAMPLES, "sample-frame-depth-for-cold-context", NULL, samples, "N",
          "Frames that --sample-merge-cold-context keeps; 1, the default, means no context"),
    VALUE(COLD_COUNT, U64, OF(MERGE), HIDDEN | SAMPLES, "profile-summary-cold-count", NULL, samples, "N",
          "Functions with fewer samples are cold; by default the summary of the profile decides"),
    VALUE(COLD_CUTOFF, UINT, OF(MERGE), HIDDEN | SAMPLES, "profile-summary-cutoff-cold", NULL, samples, "N",
          "Functions with fewer samples than each of the lines that have N millionths of all counts are cold "
          "(default 999999)"),
    FLAG(FS, OF(MERGE) | OF(SHOW) | OF(OVERLAP), HIDDEN | SAMPLES | READS, "profile-isfs", samples,
         "Discriminators in text and raw binary inputs are flow-sensitive"),
    ENUM(FS_PASS, passes, OF(MERGE) | OF(SHOW) | OF(OVERLAP), HIDDEN | SAMPLES | READS,
         "fs-discriminator-pass", samples, "PASS", "Bits of flow-sensitive discriminators that count:"),
    VALUE(SUPPLEMENT, STRING, OF(MERGE), INSTR, "supplement-instr-with-sample", NULL, samples_in_instr,
          "FILE",
          "A sample profile: functions that were cold in the instrumented runs and are hot or warm in it get "
          "larger counts, or are marked as hot or warm"),
    VALUE(MIN_SIZE, UINT, OF(MERGE), INSTR, "suppl-min-size-threshold", NULL, samples_in_instr, "N",
          "Do not correct functions with fewer counters, which may be inlined early (default 10)"),
    VALUE(ZERO_COUNTERS, REAL, OF(MERGE), INSTR, "zero-counter-threshold", NULL, samples_in_instr, "SHARE",
          "Mark a function, rather than multiply its counts, if more than this share of its counters is 0 "
          "(default 0.7)"),
    VALUE(COLD_THRESHOLD, UINT, OF(MERGE), INSTR, "instr-prof-cold-threshold", NULL, samples_in_instr, "N",
          "Functions that have no count above N are cold; by default the summary of the profile decides"),
    /* merge: bad inputs */
    ENUM(FAILURE_MODE, failure_modes, OF(MERGE), 0, "failure-mode", bad_inputs, "MODE",
         "When bad inputs are a failure:"),
    VALUE(MAX_LOSS, PERCENT, OF(MERGE), OURS, "max-loss", NULL, bad_inputs, "PCT",
          "Fail if more than PCT percent of the inputs are lost: bad or empty. If --failure-mode is also "
          "given, the last of the two counts"),
    FLAG(SALVAGE, OF(MERGE), OURS, "salvage", bad_inputs,
         "Keep the provably intact parts of damaged inputs, and report what was lost. Such inputs are no "
         "failure, but --max-loss counts them as lost"),
    FLAG(QUIET, OF(MERGE), OURS, "quiet", bad_inputs, "Print errors only: no warnings, no summary of losses"),
    VALUE(VERBOSE, FLAG, OF(MERGE), OURS, "verbose", "v", bad_inputs, NULL,
          "Print a line about the result: how many inputs were merged into what"),
    /* show: kinds */
    CHOICE(KIND, KIND_INSTR, OF(SHOW), 0, "instr", shown_kind, "Instrumentation profile"),
    CHOICE(KIND, KIND_SAMPLE, OF(SHOW), 0, "sample", shown_kind,
           "Sample profile. By default, the file decides; only text may be of either kind"),
    CHOICE(KIND, KIND_MEMORY, OF(SHOW), 0, "memory", shown_kind,
           "Memory profile (MemProf) of an indexed profile"),
    /* show: which functions */
    FLAG(ALL_FUNCTIONS, OF(SHOW), 0, "all-functions", which_functions, "Every function"),
#include "option_list_names.h"
    VALUE(FUNCTION, STRING, OF(SHOW), 0, "function", NULL, which_functions, "TEXT",
          "Functions whose name contains TEXT"),
    VALUE(VALUE_CUTOFF, UINT, OF(SHOW), INSTR, "value-cutoff", NULL, which_functions, "N",
          "Leave out functions whose largest count is below N"),
    FLAG(LIST_BELOW_CUTOFF, OF(SHOW), INSTR, "list-below-cutoff", which_functions,
         "List only the functions whose largest count is below --value-cutoff"),
    FLAG(COVERED, OF(SHOW), INSTR, "covered", which_functions,
         "List only the names of the functions that ran"),
    FLAG(SHOWCS, OF(SHOW), INSTR, "showcs", which_functions, "Show the context-sensitive counts"),
    VALUE(TOPN, UINT, OF(SHOW), 0, "topn", NULL, which_functions, "N",
          "List the N functions with the largest counts"),
    FLAG(HOT_FUNC_LIST, OF(SHOW), 0, "hot-func-list", which_functions, "List the hot functions"),
    /* show: what of them */
    FLAG(COUNTS, OF(SHOW), INSTR, "counts", of_functions, "Counter values"),
    FLAG(IC_TARGETS, OF(SHOW), INSTR, "ic-targets", of_functions, "Targets of indirect calls"),
    FLAG(SHOW_VTABLES, OF(SHOW), INSTR, "show-vtables", of_functions, "Vtables"),
    FLAG(MEMOP_SIZES, OF(SHOW), INSTR, "memop-sizes", of_functions, "Sizes of memory operations"),
    FLAG(TEXT, OF(SHOW), INSTR, "text", of_functions, "Print the functions as a text profile"),
    /* show: of the profile */
    FLAG(DETAILED_SUMMARY, OF(SHOW), 0, "detailed-summary", of_profile,
         "How many blocks make up which share of the counts"),
    VALUE(SUMMARY_CUTOFFS, NUMBERS, OF(SHOW), 0, "detailed-summary-cutoffs", NULL, of_profile, "A,B,...",
          "Shares of the counts for --detailed-summary and --hot-func-list, in millionths; may be repeated"),
    FLAG(BINARY_IDS, OF(SHOW), INSTR, "binary-ids", of_profile, "Binary ids"),
    FLAG(PROFILE_VERSION, OF(SHOW), INSTR, "profile-version", of_profile, "Version of the file"),
    FLAG(TEMPORAL_TRACES, OF(SHOW), INSTR, "temporal-profile-traces", of_profile, "Temporal traces"),
    ENUM(SHOW_FORMAT, show_formats, OF(SHOW), 0, "show-format", of_profile, "FORMAT",
         "Format of the output:"),
    FLAG(JSON, OF(SHOW), 0, "json", of_profile,
         "Print JSON, for programs, with what the other options ask for; under the name of llvm-profdata it "
         "is --show-format=json"),
    /* overlap */
    FLAG(CS, OF(OVERLAP), INSTR, "cs", which_functions, "Compare the context-sensitive counts"),
    VALUE(FUNCTION, STRING, OF(OVERLAP), 0, "function", NULL, which_functions, "TEXT",
          "Also print functions that both profiles have and whose name contains TEXT"),
    VALUE(VALUE_CUTOFF, ULL, OF(OVERLAP), 0, "value-cutoff", NULL, which_functions, "N",
          "Also print functions that both profiles have and whose largest count in TEST is at least N"),
    CHOICE(KIND, KIND_INSTR, OF(MERGE) | OF(OVERLAP), 0, "instr", profile_kind, "Instrumentation profiles"),
    CHOICE(KIND, KIND_SAMPLE, OF(MERGE) | OF(OVERLAP), 0, "sample", profile_kind,
           "Sample profiles. By default, the files decide; only text may be of either kind"),
    VALUE(SIMILARITY_CUTOFF, ULL, OF(OVERLAP), SAMPLES, "similarity-cutoff", NULL, which_functions, "N",
          "Of sample profiles, also print functions whose similarity is below N, in millionths"),
    CHOICE(KIND, KIND_INSTR, OF(DIFF) | OF(CONVERT) | OF(LOOKUP), OURS, "instr", profile_kind,
           "Instrumentation profiles"),
    CHOICE(KIND, KIND_SAMPLE, OF(DIFF) | OF(CONVERT) | OF(LOOKUP), OURS, "sample", profile_kind,
           "Sample profiles. By default, the files decide; only text may be of either kind"),
    /* order */
    VALUE(NUM_TEST_TRACES, UINT, OF(ORDER), 0, "num-test-traces", NULL, input, "N",
          "Use the last N traces only to measure how good the order is"),
    /* diff */
    VALUE(FUNCTION, STRING, OF(DIFF), OURS, "function", NULL, which_functions, "TEXT",
          "Only functions whose name contains TEXT; shares still refer to the whole profile"),
    FLAG(CS, OF(DIFF), OURS | INSTR, "cs", comparison, "Compare the context-sensitive counts"),
    FLAG(EXACT_NAMES, OF(DIFF), OURS, "exact-names", comparison,
         "Match functions by their exact names. By default, names that differ only in the separator after "
         "the file (':', ';') or in a suffix .llvm.NUMBER are the same"),
    VALUE(TOPN, UINT, OF(DIFF), OURS, "topn", NULL, output, "N",
          "List the N functions with the largest effect; 0 means all (default: 20, with --json all)"),
    FLAG(ABSOLUTE, OF(DIFF), OURS, "absolute", comparison,
         "Compare the counts themselves, not their shares of the sum of the profile"),
    VALUE(FAIL_ABOVE, PERCENT, OF(DIFF), OURS, "fail-above", NULL, output, "PCT",
          "Exit with code 3 if more than PCT percent of the counts moved"),
#include "option_list_convert.h"
    /* lookup */
    VALUE(HASH, U64, OF(LOOKUP), OURS | INSTR, "hash", NULL, which_functions, "HASH",
          "Only the record with this hash, as a compiler looks it up; hexadecimal with 0x"),
    /* info, check */
    FLAG(JSON, OF(INFO) | OF(CHECK), OURS, "json", output,
         "Print JSON, for programs: all files and all findings"),
    FLAG(ALL_FINDINGS, OF(CHECK), OURS, "all", output,
         "Print all findings, not only the first of each kind in a file"),
    VALUE(INCLUDE, LIST, OF(MERGE) | OF(BOLT_MERGE) | OF(INFO) | OF(CHECK) | OF(REPORT), OURS, "include",
          NULL, inputs, "GLOB",
          "Of the files in directories, only those whose name, without directories, matches this pattern of "
          "the shell, whatever is in them. May be repeated"),
    VALUE(AGAINST, LIST, OF(CHECK), OURS | ELF, "against", NULL, inputs, "PROGRAM",
          "An instrumented program: report which of its functions have counts in the profiles, and which of "
          "them have counts with another hash only, which compilers ignore. May be repeated, for its shared "
          "libraries"),
#include "option_list_report.h"
    /* correlation */
    VALUE(DEBUG_INFO, LIST, OF(MERGE) | COMPLETING, ELF | INSTR, "debug-info", NULL, programs, "FILE",
          "The program with its debug information, or a file with only that, for profiles of lightweight "
          "instrumentation (-profile-correlate=debug-info, -debug-info-correlate). May be repeated: each "
          "profile is completed from the program with its build id"),
    VALUE(BINARY_FILE, LIST, OF(MERGE), ELF | INSTR, "binary-file", NULL, programs, "FILE",
          "The program, for profiles of binary correlation (-profile-correlate=binary). May be repeated. "
          "With --salvage, also an ordinary instrumented program, which has the names that are cut off in a "
          "damaged input"),
    VALUE(BINARY_FILE, LIST, COMPLETING, ELF | INSTR, "binary-file", NULL, programs, "FILE",
          "The program, for profiles of binary correlation (-profile-correlate=binary). May be repeated"),
    VALUE(DEBUG_FILE_DIRECTORY, LIST, OF(MERGE) | COMPLETING, ELF | INSTR, "debug-file-directory", NULL,
          programs, "DIR",
          "With --correlate, find the programs in DIR by the build ids of the profiles: "
          "DIR/.build-id/xx/yyyy.debug, or else any ELF file in DIR or below it. May be repeated"),
    ENUM(CORRELATE, correlations, OF(MERGE) | COMPLETING, ELF | INSTR, "correlate", programs, "KIND",
         "Which part of these programs describes their functions:"),
    ENUM(PROFILE_CORRELATE, compiler_correlations, OF(MERGE), HIDDEN | ELF | INSTR, "profile-correlate",
         programs, "KIND", "The same as --correlate; no effect without --debug-file-directory"),
    FLAG(DEBUGINFOD, OF(MERGE), HIDDEN | ELF | INSTR, "debuginfod", programs,
         "Not supported: anyprof does not use the network"),
    VALUE(MAX_CORRELATION_WARNINGS, UINT, OF(MERGE) | OF(SHOW) | COMPLETING, ELF | INSTR,
          "max-debug-info-correlation-warnings", NULL, programs, "N",
          "Largest number of warnings about the functions of a program (default 5); 0 means all"),
    VALUE(DEBUG_INFO, LIST, OF(SHOW), ELF, "debug-info", NULL, of_profile, "FILE",
          "Instead of a profile, show what the debug information of this program says about its functions "
          "(lightweight instrumentation)"),
    FLAG(SHOW_PROF_SYM_LIST, OF(SHOW), 0, "show-prof-sym-list", of_profile,
         "The names of all functions of the program: those in the list of a sample profile or, where a "
         "program "
         "is shown, its own"),
    FLAG(SECTIONS, OF(SHOW), SAMPLES, "show-sec-info-only", of_profile,
         "Only the table of sections of a sample profile in the extensible binary format"),
    /* probes */
    FLAG(SECTION, PROBES_OF_ONE, OURS, "section", input,
         "FILE is not a program but the bytes of a .pseudo_probe section"),
    VALUE(DESC_SECTION, STRING, PROBES_OF_ONE, OURS, "desc-section", NULL, input, "FILE",
          "The bytes of a .pseudo_probe_desc section; if FILE is given, it is a .pseudo_probe section"),
    FLAG(BIG_ENDIAN, PROBES_OF_ONE, OURS, "big-endian", input,
         "The numbers in these sections are big-endian"),
    FLAG(KEEP_GOING,
         OF(PROBES_DESC) | OF(PROBES_LIST) | OF(PROBES_TREE) | OF(PROBES_STATS) | OF(PROBES_DISASM), OURS,
         "keep-going", input, "Show what precedes damage, and report the damage; the exit code is still 1"),
    VALUE(FUNCTION, STRING,
          OF(PROBES_DESC) | OF(PROBES_LIST) | OF(PROBES_TREE) | OF(PROBES_VERIFY) | OF(PROBES_DIFF), OURS,
          "function", NULL, which_probes, "NAME|GUID",
          "Only this function and its inlined copies; a GUID is decimal, or hexadecimal with 0x"),
    VALUE(
        ADDRESS, STRING, OF(PROBES_LIST) | OF(PROBES_TREE), OURS, "address", NULL, which_probes, "A[-B]",
        "Only probes at this address, or from A up to but not including B; hexadecimal, with or without 0x"),
    VALUE(AGAINST, STRING, OF(PROBES_VERIFY), OURS, "against", NULL, input, "OTHER",
          "Another build: report which functions have another hash there, so that a profile of it is stale "
          "for them"),
    VALUE(
        MAX_STALE, PERCENT, OF(PROBES_VERIFY), OURS, "max-stale", NULL, input, "PCT",
        "Fail if more than PCT percent of the probes are in functions whose hash differs (default 0); needs "
        "--against"),
    /* probes disasm */
    VALUE(DISASSEMBLE_FUNCTIONS, LIST, OF(PROBES_DISASM), 0, "disassemble-functions", NULL, which_code,
          "A,B,...", "Only the code of these symbols, by their names in the file. May be repeated"),
    VALUE(FUNCTION, STRING, OF(PROBES_DISASM), OURS, "function", NULL, which_code, "NAME|GUID",
          "Only the code of this function, with the parts that were split off it; a GUID is decimal, or "
          "hexadecimal with 0x"),
    VALUE(ADDRESS, STRING, OF(PROBES_DISASM), OURS, "address", NULL, which_code, "A[-B]",
          "Only the instruction at this address, or those from A up to but not including B; hexadecimal, "
          "with or without 0x"),
    ENUM(X86_ASM_SYNTAX, syntaxes, OF(PROBES_DISASM), 0, "x86-asm-syntax", output, "SYNTAX",
         "Syntax of x86 code:"),
    FLAG(SHOW_PSEUDO_PROBE, OF(PROBES_DISASM), 0, "show-pseudo-probe", output, "Show probes (default)"),
    FLAG(SHOW_SOURCE_LOCATIONS, OF(PROBES_DISASM), 0, "show-source-locations", output,
         "After each instruction, print the functions that it belongs to, innermost first, from debug "
         "information: each with the number of its call probe or, with --show-pseudo-probe=false, with its "
         "line, counted from the beginning of the function"),
    FLAG(SHOW_CANONICAL_FNAME, OF(PROBES_DISASM), 0, "show-canonical-fname", output,
         "Show names of symbols, and in source locations, without the suffixes .llvm.* and .part.* that "
         "compilers add"),
    FLAG(SUMMARY, OF(PROBES_DIFF), OURS, "summary", output,
         "Count functions and probes by what differs, and list no functions"),
    FLAG(MOVED, OF(PROBES_DIFF), OURS, "moved", which_probes,
         "Functions whose probes only moved differ, too"),
    VALUE(TOPN, UINT, OF(PROBES_DIFF), OURS, "topn", NULL, output, "N",
          "List the first N functions of the ranking (default: all)"),
    FLAG(NO_CODE_GROUPS, OF(PROBES_EMIT), OURS, "no-code-groups", output,
         "Put no section into a COMDAT group of code, so that the object can be linked with that code"),
    {OPT_ASSEMBLE, OPTION_FLAG, OF(PROBES_ASM), OURS, "assemble", "c", output, NULL, NULL, 0,
     "Make an object: run the assembler that the environment variable AS names (default 'as'; arguments may "
     "follow, separated by blanks) on the result, and write the object to -o"},
    /* bat */
    FLAG(BRANCH_SOURCE, OF(BAT_TRANSLATE), OURS, "branch-source", translated,
         "The addresses are those of branches; translate each into the branch of the input"),
    FLAG(REVERSE, OF(BAT_TRANSLATE), OURS, "reverse", translated,
         "Translate in the other direction: from FUNCTION+OFFSET in the input or, with --original, from ADDR "
         "there, to addresses in FILE"),
    VALUE(ORIGINAL, STRING, OF(BAT_TRANSLATE) | OF(BAT_VERIFY), OURS, "original", NULL, input, "FILE",
          "The program that BOLT was given: the table has only offsets within its functions, not their "
          "addresses"),
    FLAG(CONVERT, OF(BAT_EXTRACT), OURS, "convert", output,
         "Use the encoding of BOLT 19 and later; fields that older tables lack become 0"),
    /* llvm-bat-dump */
    FLAG(DUMP_ALL, OF(BAT_TOOL), 0, "dump-all", of_table, "Print the whole table"),
    VALUE(TRANSLATE, LIST, OF(BAT_TOOL), 0, "translate", NULL, of_table, "ADDR",
          "Translate this address; may be repeated"),
    /* profile_merger, dump_gcov */
    VALUE(OUTPUT, STRING, OF(PROFILE_MERGER), 0, "output_file", NULL, output, "FILE",
          "Where to write (default fbdata.afdo); '-' is standard output"),
    ENUM(GCOV_VERSION, gcov_versions, OF(PROFILE_MERGER), 0, "gcov_version", output, "N",
         "Version of the output; by default that of the inputs, or the newest one of them. It is for:"),
    VALUE(GCOV_VERSION, U64, OF(DUMP_GCOV), 0, "gcov_version", NULL, input, "N",
          "No effect: every version is recognised"),
    /* bolt convert */
    VALUE(PA, LIST, OF(BOLT_CONVERT), OURS, "pa", NULL, inputs, "FILE",
          "Pre-aggregated samples, as for perf2bolt --pa; '-' is standard input. May be repeated: samples "
          "are added up. Without a value, as in perf2bolt: the FILE of -p has such samples"),
    VALUE(WRITE_YAML, STRING, OF(BOLT_CONVERT), OURS, "write-yaml", "w", output, "FILE",
          "Also write the profile as YAML; without -o, write only that. '-' is standard output"),
    VALUE(PERF_SCRIPT, LIST, OF(BOLT_CONVERT), OURS, "perf-script", NULL, inputs, "FILE",
          "The output of 'perf script -F pid,time,event,brstack --show-mmap-events --show-task-events' (with "
          "--basic-events, ip instead of brstack); '-' is standard input. May be repeated, for parts of one "
          "recording"),
    VALUE(PERF_DATA, STRING, OF(BOLT_CONVERT), 0, "perfdata", "p", inputs, "FILE",
          "A recording of perf: a file or directory of perf record; '-' is standard input"),
    FLAG(BASIC_EVENTS, OF(BOLT_CONVERT), 0, "basic-events", inputs,
         "Use samples of instructions (S records, or perf samples without branches), not of branches"),
    FLAG(BASIC_EVENTS, OF(BOLT_CONVERT), OPTION_HIDDEN, "ba", inputs, "The same as --basic-events"),
    FLAG(BASIC_EVENTS, OF(BOLT_CONVERT), OPTION_HIDDEN, "nl", inputs, "The same as --basic-events"),
    LATER(STRING, OF(BOLT_CONVERT), "itrace", NULL,
          "run 'perf script --itrace=VALUE -F pid,time,event,brstack --show-mmap-events --show-task-events', "
          "and give its output to --perf-script"),
    LATER(FLAG, OF(BOLT_CONVERT), "spe", NULL, "use perf2bolt for samples of Arm SPE"),
    LATER(FLAG, OF(BOLT_CONVERT), "impute-trace-fall-through", NULL,
          "use perf2bolt --impute-trace-fall-through"),
    LATER(STRING, OF(BOLT_CONVERT), "profile-format", NULL, "-o FILE writes fdata, -w FILE writes YAML"),
    IDLE(OF(BOLT_CONVERT), "parse-mem-profile", ": loads are counted, but their data is not in the profile"),
    IDLE(OF(BOLT_CONVERT), "filter-mem-profile", ": loads are counted, but their data is not in the profile"),
    IDLE(OF(BOLT_CONVERT), "time-aggr", ": times are not measured"),
    IDLE(OF(BOLT_CONVERT), "show-density", ": the density of functions is not computed"),
    IDLE(OF(BOLT_CONVERT), "aggregate-only", ": nothing else is done anyway"),
    VALUE(PID, UINT, OF(BOLT_CONVERT), 0, "pid", NULL, inputs, "PID",
          "Use only samples of this process; for recordings of perf"),
    VALUE(MAX_SAMPLES, U64, OF(BOLT_CONVERT), 0, "max-samples", NULL, inputs, "N",
          "Use only the first N samples; for recordings of perf"),
    VALUE(BUILD_IDS, STRING, OF(BOLT_CONVERT), OURS, "build-ids", NULL, inputs, "FILE",
          "With --perf-script: the output of 'perf buildid-list', to check that PROGRAM was recorded"),
    FLAG(IGNORE_BUILD_ID, OF(BOLT_CONVERT), 0, "ignore-build-id", inputs,
         "Use what was recorded under the name of PROGRAM, whatever its build id"),
    FLAG(IGNORE_INTERRUPT_LBR, OF(BOLT_CONVERT), 0, "ignore-interrupt-lbr", inputs,
         "Leave out branches from and to the kernel (default): they are interrupts"),
    VALUE(REPORT, STRING, OF(BOLT_CONVERT), OURS, "report", NULL, output, "FILE",
          "Also write what happened to the samples, as JSON. '-' is standard output"),
    VALUE(MAX_LOST, PERCENT, OF(BOLT_CONVERT), OURS, "max-lost", NULL, inputs, "PCT",
          "End with exit code 3 if more than PCT percent of the samples in PROGRAM are lost, as those of "
          "another build are; the profile is written all the same"),
    VALUE(SKIP_FUNCS, LIST, OF(BOLT_CONVERT), 0, "skip-funcs", NULL, inputs, "REGEX,...",
          "Do not follow the code of functions whose whole name matches, as with perf2bolt --skip-funcs"),
#include "profgen_options.h"
    /* bolt merge */
    ENUM(PRINT, listings, OF(BOLT_MERGE), 0, "print", output, "WHAT",
         "List the functions of profiles in YAML on standard error, the largest counts first:"),
    FLAG(NO_PROFILE, OF(BOLT_MERGE), 0, "q", output, "Write no profile; only check the inputs"),
    /* collect */
    VALUE(SPOOL, STRING, OF(COLLECT), OURS, "spool", NULL, inputs, "DIR",
          "Where programs drop their profiles, in it and below (required). What is merged is removed"),
    VALUE(SETTLE, DURATION, OF(COLLECT), OURS, "settle", NULL, inputs, "TIME",
          "How long a file must stay unchanged where the system does not say whether a program still has it "
          "open: on network file systems, and for files of other users unless root collects (default 1m, at "
          "least 1s)"),
    VALUE(EVERY, DURATION, OF(COLLECT), OURS, "every", NULL, output, "TIME",
          "How often the output is written (default 5m); TIME is a number of seconds, or one with s, m, h, d "
          "or w "
          "after it"),
    FLAG(ONCE, OF(COLLECT), OURS, "once", output, "Collect what is there, write the output, and end"),
    VALUE(METRICS, STRING, OF(COLLECT), OURS, "metrics", NULL, output, "FILE",
          "Metrics in the text format of Prometheus, for its node exporter's directory of textfiles"),
    VALUE(STATE, STRING, OF(COLLECT), OURS, "state", NULL, kept_things, "DIR",
          "Where the sums of the builds are, on the file system of the spool (default: .anyprof-collect in "
          "the spool)"),
    VALUE(KEEP, DURATION, OF(COLLECT), OURS, "keep", NULL, kept_things, "TIME",
          "How long a build is in the output after its last profile, and how long rejected files are kept "
          "(default 7d)"),
    VALUE(MAX_DISK, SIZE, OF(COLLECT), OURS, "max-disk", NULL, kept_things, "SIZE",
          "Most bytes of sums and rejected files; SIZE may end in K, M or G, for 1024 bytes and so on. "
          "Beyond it, the oldest rejected files are removed, and then the builds that were seen least "
          "recently, but never the last one (default: no limit)"),
#include "option_list_cov.h"
    /* several commands */
    FLAG(JSON,
         OF(OVERLAP) | OF(ORDER) | OF(DIFF) | OF(LOOKUP) | PROBES | OF(PROBES_LOOKUP) | OF(BAT_DUMP) |
             OF(BAT_TRANSLATE) | OF(BAT_STATS) | OF(BAT_VERIFY) | OF(PERF_INFO) | OF(COV_DIFF),
         OURS, "json", output, "Print JSON, for programs"),
    VALUE(MAX_INPUT_SIZE, SIZE, OF(COLLECT), OURS, "max-input-size", NULL, limits, "SIZE",
          "Reject larger profiles, and names that are larger when unpacked; SIZE may end in K, M or G, for "
          "1024 bytes and so on (default: an eighth of the machine's memory, divided by the threads)"),
    VALUE(MAX_INPUT_SIZE, SIZE, PROFILES, OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse larger inputs, and names that are larger when unpacked; SIZE may end in K, M or G, for "
          "1024 bytes and so on (default 64G)"),
    VALUE(MAX_INPUT_SIZE, SIZE, PROBES | OF(PROBES_DISASM) | OF(PROBES_LOOKUP), OURS, "max-input-size", NULL,
          limits, "SIZE",
          "Refuse larger files, and sections that are larger when unpacked; SIZE may end in K, M or G, for "
          "1024 bytes and so on (default 64G)"),
    VALUE(MAX_INPUT_SIZE, SIZE,
          OF(INFO) | OF(CHECK) | OF(PROBES_ASM) | OF(PROBES_EMIT) | BAT | OF(BOLT_CONVERT) | OF(BOLT_MERGE) |
              OF(PERF_INFO) | OF(PROFGEN) | COV | OF(REPORT),
          OURS, "max-input-size", NULL, limits, "SIZE",
          "Refuse larger files; SIZE may end in K, M or G, for 1024 bytes and so on (default 64G)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS,
          (PROFILES & ~OF(LOOKUP)) | OF(INFO) | OF(CHECK) | OF(COLLECT) | OF(REPORT), OURS, "max-records",
          limits, "N",
          "Refuse inputs with more than N functions; K, M and G as above (default 256M, which is also the "
          "largest N)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, OF(LOOKUP), OURS, "max-records", limits, "N",
          "Refuse inputs with more than N functions or, in an indexed profile, names with more than N "
          "records; K, M and G as above (default 256M, which is also the largest N)"),
    UP_TO(MAX_RECORDS, MOST_RECORDS, OF(BOLT_MERGE), OURS, "max-records", limits, "N",
          "Refuse inputs with more than N different records in total; K, M and G as above (default 256M, "
          "which is also the largest N)"),
    VALUE(MAX_RECORDS, SIZE, PROBES | OF(PROBES_DISASM) | OF(PROBES_LOOKUP), OURS, "max-records", NULL,
          limits, "N",
          "Refuse files with more than N probes, descriptors or inlined functions; K, M and G as above "
          "(default 4G)"),
    VALUE(MAX_DEPTH, SIZE, PROBES | OF(PROBES_DISASM) | OF(PROBES_LOOKUP), OURS, "max-depth", NULL, limits,
          "N",
          "Refuse files in which functions are inlined into each other more than N deep (default: no limit)"),
    FLAG(QUIET, OF(CONVERT), OURS, "quiet", general,
         "Print errors only: no warnings, no summary of what was left out"),
    FLAG(QUIET, OF(BOLT_CONVERT), OURS, "quiet", general,
         "Print errors only: no warnings, no summary of the samples"),
    FLAG(QUIET, OF(PROBES_ASM) | OF(PROBES_EMIT), OURS, "quiet", general, "Print errors only, no notes"),
    FLAG(QUIET, OF(COLLECT), OURS, "quiet", general,
         "Print errors only: no warnings, no notes on each round"),
    FLAG(QUIET, COV, OURS, "quiet", general, "Print errors only: no warnings, no notes"),
    FLAG(QUIET, OF(INFO) | OF(CHECK) | OF(REPORT), OURS, "quiet", general, "Do not show progress"),
    /* threads, progress and what all commands have */
    VALUE(THREADS, UINT, OF(MERGE) | OF(INFO) | OF(COLLECT) | COV, 0, "num-threads", "j", general, "N",
          "Number of threads; 0, the default, means one for each processor that the process may use. "
          "The result does not depend on it"),
    ENUM(PROGRESS, progress_modes, OF(MERGE) | OF(BOLT_MERGE) | OF(INFO) | OF(CHECK) | OF(REPORT), OURS,
         "progress", general, "WHEN", "When to show progress, in a line on standard error:"),
    FLAG(COLOR, COMMAND_ALL, 0, "color", general,
         "Colours in messages, and in the source code of cov show; by default only on a terminal"),
    {OPT_HELP, OPTION_FLAG, COMMAND_ALL, 0, "help", "h", general, NULL, NULL, 0, "Explain the command"},
    FLAG(TABLE, OF(HELP), HIDDEN | OURS, "table", general,
         "Print the tables of commands and options as JSON, from which man pages, web pages and completions "
         "are made"),
    FLAG(HELP_HIDDEN, COMMAND_ALL, 0, "help-hidden", general, "Explain the command with all options"),
    FLAG(HELP, COMMAND_ALL, HIDDEN, "help-list", general, "The same as --help"),
    FLAG(HELP_HIDDEN, COMMAND_ALL, HIDDEN, "help-list-hidden", general, "The same as --help-hidden"),
    FLAG(VERSION, COMMAND_ALL, 0, "version", general, "Version of the program"),

    LATER(FLAG, OF(MERGE), "memprof-random-hotness", NULL, "it invents data"),
    LATER(STRING, OF(MERGE), "memprof-random-hotness-seed", NULL, "it invents data"),

    NO_EFFECT(STRING, OF(MERGE) | OF(SHOW), "profiled-binary"),

    {OPT_NONE, OPTION_FLAG, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL}};

static bool is_name(const char *name, const char *text, size_t n)
{
    return name && strlen(name) == n && memcmp(name, text, n) == 0;
}

bool option_names_inputs(const struct option *option)
{
    static const char *const operands[] = {"FILE", "PROGRAM", "OTHER", "BASE"};
    bool found = false;
    for (size_t i = 0; i < sizeof operands / sizeof *operands && option->operand && !found; i++)
        found = strcmp(option->operand, operands[i]) == 0;
    return found && option->id != OPT_NONE && option->group != output;
}

bool option_absent(const struct option *option)
{
    return !HAS_ELF && (option->flags & OPTION_ELF) != 0;
}

const struct option *option_find(const struct command *command, const char *name, size_t n)
{
    for (const struct option *o = option_table; o->name; o++) {
        if ((o->commands & command->bit) && (is_name(o->name, name, n) || is_name(o->alias, name, n)))
            return o;
    }
    return NULL;
}
