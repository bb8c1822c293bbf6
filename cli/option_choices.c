/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "option_choices.h"

#include <anyprof/sample_write.h>

const struct choice failure_modes[] = {{"any", FAILURE_ANY, "fail if any input is bad (default)"},
                                       {"all", FAILURE_ALL, "fail only if all inputs are bad"},
                                       {"warn", FAILURE_WARN, "never fail, only warn"},
                                       {NULL, 0, NULL}};

const struct choice memprof_versions[] = {
    {"0", 0, "LLVM 15 to 19, with --for"}, {"1", 1, "LLVM 19 and 20, with --for"},
    {"2", 2, "LLVM 19 and later"},         {"3", 3, "LLVM 19 and later (default from 20 on)"},
    {"4", 4, "LLVM 21 and later"},         {NULL, 0, NULL}};

/* Versions of GCC's format, as AutoFDO numbers them; the largest one is what its tools write by default. */
const struct choice gcov_versions[] = {{"1", APF_SAMPLE_LAYOUT_GCC_1, "GCC 5 to 11"},
                                       {"2", APF_SAMPLE_LAYOUT_GCC_2, "GCC 12 to 15"},
                                       {"3", APF_SAMPLE_LAYOUT_GCC_3, "GCC 16"},
                                       {"875575082", APF_SAMPLE_LAYOUT_GCC_LLVM, "LLVM"},
                                       {NULL, 0, NULL}};

const struct choice show_formats[] = {
    {"text", SHOW_TEXT, "text for people (default)"},
    {"json", SHOW_JSON, "not for instrumentation profiles"},
    {"yaml", SHOW_YAML, "with --debug-info only"},
    {"gcov", SHOW_GCOV, "functions of a sample profile, as AutoFDO's dump_gcov prints them"},
    {NULL, 0, NULL}};

const struct choice correlations[] = {
    {"debug-info", CORRELATE_DEBUG_INFO, "the debug information (lightweight instrumentation)"},
    {"binary", CORRELATE_BINARY, "sections of the program (binary correlation)"},
    {NULL, 0, NULL}};

/* Values of --profile-correlate, an option of the compiler that LLVM's tool also has. */
const struct choice compiler_correlations[] = {{"", CORRELATE_NONE, "neither"},
                                               {"debug-info", CORRELATE_DEBUG_INFO, "as for --correlate"},
                                               {"binary", CORRELATE_BINARY, "as for --correlate"},
                                               {NULL, 0, NULL}};

const struct choice layouts[] = {
    {"nest", LAYOUT_NEST, "functions of context-sensitive profiles, inlined in their callers"},
    {"flat", LAYOUT_FLAT, "functions without what is inlined in them, and without contexts"},
    {NULL, 0, NULL}};

/* Numbers are those of enum apf_sample_pass. */
const struct choice passes[] = {{"Base", 1, "those of the front end"},  {"Pass1", 2, "and of the first pass"},
                                {"Pass2", 3, "and of the second pass"}, {"Pass3", 4, "and of the third pass"},
                                {"PassLast", 0, "all (default)"},       {NULL, 0, NULL}};

const struct choice syntaxes[] = {
    {"att", SYNTAX_ATT, "AT&T (default)"}, {"intel", SYNTAX_INTEL, "Intel"}, {NULL, 0, NULL}};

const struct choice listings[] = {
    {"none", PRINT_NONE, "nothing (default)"},
    {"exec", PRINT_EXEC, "functions by execution count; not for fdata"},
    {"branches", PRINT_BRANCHES, "functions by count of branches; not for fdata"},
    {NULL, 0, NULL}};

const struct choice progress_modes[] = {
    {"auto", PROGRESS_AUTO, "on a terminal, after one second, unless there is --quiet (default)"},
    {"always", PROGRESS_ALWAYS, "at every step"},
    {"never", PROGRESS_NEVER, "never"},
    {NULL, 0, NULL}};

const struct choice profgen_formats[] = {
    {"extbinary", TO_EXTBINARY, "LLVM's extensible binary format (default)"},
    {"binary", TO_BINARY, "LLVM's raw binary format, for profiles of lines"},
    {"text", TO_TEXT, "text"},
    {"gcc", TO_GCC, "GCC's format; --for=gcc-N says for which GCC"},
    {NULL, 0, NULL}};
const struct choice to_formats[] = {
    {"indexed", TO_INDEXED, "indexed profile, the format that compilers read"},
    {"extbinary", TO_EXTBINARY, "sample profile in LLVM's extensible binary format"},
    {"binary", TO_BINARY, "sample profile in LLVM's raw binary format"},
    {"compbinary", TO_COMPACT, "sample profile in the compact binary format of LLVM 7 to 16"},
    {"gcc", TO_GCC, "sample profile for GCC (or with --for=llvm-N in the form of it that LLVM reads)"},
    {"text", TO_TEXT, "text"},
    {"json", TO_JSON, "JSON: the whole profile; anyprof reads it, too"},
    {"folded", TO_FOLDED, "stacks with counts, for flamegraph.pl and inferno"},
    {"speedscope", TO_SPEEDSCOPE, "JSON for speedscope"},
    {"pprof", TO_PPROF, "for pprof and Perfetto, compressed with gzip"},
    {"csv", TO_CSV, "a row for each function, or each line of a sample profile"},
    {NULL, 0, NULL}};

const struct choice export_formats[] = {
    {"json", EXPORT_JSON, "JSON, as llvm-cov export writes it (default)"},
    {"text", EXPORT_JSON, "the same, which is LLVM's word for it"},
    {"lcov", EXPORT_LCOV, "a tracefile of lcov"},
    {"cobertura", EXPORT_COBERTURA, "XML, for GitLab, Jenkins, Azure and others"},
    {"codecov", EXPORT_CODECOV, "JSON of lines, for Codecov"},
    {"coveralls", EXPORT_COVERALLS, "JSON of lines and source files, for Coveralls"},
    {NULL, 0, NULL}};

const struct choice show_formats_of_source[] = {
    {"text", SOURCE_TEXT, "text (default)"},
    {"html", SOURCE_HTML, "a page for browsers, that needs nothing else"},
    {NULL, 0, NULL}};

const struct choice instantiation_modes[] = {
    {"max", INSTANTIATIONS_MAX, "of each number the largest one of any of them, as in LLVM (default)"},
    {"union", INSTANTIATIONS_UNION, "covered is what any of them covers"},
    {NULL, 0, NULL}};

const struct choice table_formats[] = {{"text", SOURCE_TEXT, "a table (default)"}, {NULL, 0, NULL}};
const struct choice compat_modes[] = {{"llvm-22", COMPAT_LLVM, "llvm-cov of LLVM 22"}, {NULL, 0, NULL}};

const struct choice branch_modes[] = {{"count", BRANCHES_COUNT, "how often each side was taken"},
                                      {"percent", BRANCHES_PERCENT, "in how many per cent of the cases"},
                                      {NULL, 0, NULL}};
