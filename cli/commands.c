/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of commands, and the search in it. */
#include "command.h"

#include <string.h>

const struct command command_table[] = {
    {COMMAND_MERGE, false, "merge", "[options] FILE...", "Merge profiles into one",
     "Adds up profiles of any format and LLVM version, in any mix, and writes one that compilers read.\n"
     "A directory stands for all files in it. The result depends neither on the order of the inputs\n"
     "nor on the number of threads. What was lost or changed is reported on standard error.",
     SIZE_MAX, cmd_merge},
    {COMMAND_SHOW, false, "show", "[options] FILE", "Print what is in a profile",
     "Reads a profile of any format and LLVM version and prints a summary; with options also functions,\n"
     "counts and values. '-' reads standard input.",
     1, cmd_show},
    {COMMAND_OVERLAP, false, "overlap", "[options] BASE TEST", "How much two profiles have in common",
     "Prints the share of its counts that the profile TEST has in common with BASE, in total and for\n"
     "single functions. Any formats and LLVM versions; '-' reads standard input.",
     2, cmd_overlap},
    {COMMAND_ORDER, false, "order", "[options] FILE", "An order of functions in which programs start fast",
     "Reads the temporal traces of a profile and prints the functions in an order in which those that run\n"
     "at the same time stand together, for a linker: fewer pages are touched when the program starts.\n"
     "'-' reads standard input.",
     1, cmd_order},
    {COMMAND_DIFF, false, "diff", "[options] A B", "What changed from one profile to another",
     "Prints the functions that are new, gone, or have another hash, structure or counts, those with the\n"
     "largest effect first. The effect is the share of all counts that moved; counts are compared as\n"
     "shares of the sum of their profile, so that the length of the runs does not matter. Any formats and\n"
     "LLVM versions; '-' reads standard input. With --fail-above the exit code is a verdict.",
     2, cmd_diff},
    {COMMAND_CONVERT, false, "convert", "[options] FILE -o OUT", "Change the format of a profile",
     "Reads a profile of any format and LLVM version, JSON included, and writes it as indexed profile of "
     "any\n"
     "version, text or JSON: the format that --to names, or the end of OUT (.profdata, .proftext, .json).\n"
     "Indexed and text profiles are what 'merge' makes of this one input, with all of its temporal traces.\n"
     "JSON holds everything, and what is converted from it is what is converted from the original. What the\n"
     "output cannot hold is reported on standard error. '-' reads standard input.",
     1, cmd_convert},
    {COMMAND_LOOKUP, false, "lookup", "[options] FILE NAME", "Print one function of a profile",
     "Prints the records of the function NAME. Of an indexed profile only what is needed is read, through "
     "its\n"
     "hash table, whatever its size; others are read whole. NAME is exact; of a local function it is "
     "FILE;NAME\n"
     "or FILE:NAME, of which the other form is tried, too. The exit code is 1 if there is no such function.",
     2, cmd_lookup},
    {COMMAND_INFO, false, "info", "[options] FILE...", "Identify files and the LLVM that made them",
     "Prints what is known of profiles of any kind, of programs and of other files about profiling: kind,\n"
     "version and variant, which LLVM releases may have written and can read them, how much of what there\n"
     "is, and what takes how many bytes. Of several files, or a directory, a line for each build. The exit\n"
     "code is 1 if a file cannot be read.",
     SIZE_MAX, cmd_info},
    {COMMAND_CHECK, false, "check", "[options] FILE...", "Report everything that is wrong with profiles",
     "Looks at every byte of instrumentation profiles, and memory profiles, and prints all that is wrong.\n"
     "An error is what LLVM refuses, or a function that compilers do not find; a warning means that counts\n"
     "are missing or wrong, or contradict each other; a note is odd and harmless. The exit code is 1 if\n"
     "there is an error or a warning.",
     SIZE_MAX, cmd_check},
    {COMMAND_PROBES_DESC, false, "probes desc", "[options] FILE", "Functions: GUID, checksum, name",
     "Prints the function descriptors of a program, library or object file that was built with\n"
     "-fpseudo-probe-for-profiling, by GUID. Of the checksum also the parts are shown: call probes,\n"
     "edges of the control flow graph, and a CRC of these.",
     1, cmd_probes},
    {COMMAND_PROBES_LIST, false, "probes list", "[options] FILE",
     "Probes by address, with their inline context",
     "Prints the probes of a program, library or object file that was built with -fpseudo-probe-for-\n"
     "profiling. The context of an inlined probe is what it was inlined into, from the outside in: in\n"
     "'leaf @ main:2 @ mid:5' call probe 2 of main is the call of mid, and call probe 5 of mid the\n"
     "call of leaf. The addresses of an object file are offsets in its sections.",
     1, cmd_probes},
    {COMMAND_PROBES_TREE, false, "probes tree", "[options] FILE", "Functions and what is inlined into them",
     "Prints the functions of a program, and indented below them what is inlined into them, with the\n"
     "call probe that it stands for, the bytes of the section, and how many probes there are.",
     1, cmd_probes},
    {COMMAND_PROBES_STATS, false, "probes stats", "[options] FILE",
     "What there is how often, and takes how many bytes",
     "Prints how many records, inlined functions, probes and copies of probes there are, how deep they\n"
     "are inlined, and what takes how many bytes of the section and of the file.",
     1, cmd_probes},
    {COMMAND_PROBES_VERIFY, false, "probes verify", "[options] FILE", "Report what is wrong with probes",
     "Looks for damage, GUIDs that are not those of the names, addresses outside of the function,\n"
     "probes without a descriptor, mixed encodings and the like; with --against also for functions that\n"
     "another build has with another hash. The exit code is 1 if anything is found.",
     1, cmd_probes_verify},
    {COMMAND_PROBES_DIFF, false, "probes diff", "[options] A B",
     "Functions whose probes differ between two builds",
     "Prints the functions whose hash or probes differ: probe ids that are gone, new, or have more or\n"
     "fewer probes, probes that moved, and functions that are inlined at other places. The exit code\n"
     "is 1 if there is any such function.",
     2, cmd_probes_diff},
    {COMMAND_PROBES_DISASM, false, "probes disasm", "[options] FILE", "Code, with the probes in it",
     "Prints the code of a program, library or object file that was built with\n"
     "-fpseudo-probe-for-profiling, each probe before the instruction it is at: what\n"
     "'llvm-profgen --show-disassembly-only --show-pseudo-probe' prints, but for the spelling of "
     "instructions.\n"
     "'<unknown>' is what the disassembler, Capstone, does not know.",
     1, cmd_probes_disasm},
    {COMMAND_PROBES_ASM, false, "probes asm", "[options] FILE.s", "Assembly that GNU as also understands",
     "Turns the .pseudoprobe directives that clang -S writes into local labels, and writes the section\n"
     ".pseudo_probe with ordinary directives. Assembled, it is the same as from LLVM 22. '-' reads\n"
     "standard input.",
     1, cmd_probes_asm},
    {COMMAND_PROBES_EMIT, false, "probes emit", "[options] FILE.json...", "An object file from JSON",
     "Writes an ELF object with the sections .pseudo_probe and .pseudo_probe_desc that the JSON of\n"
     "'probes list' and 'probes desc' describes: the one, the other, or both. They are as they were,\n"
     "also in their groups; with --no-code-groups the object can be linked with the code they are about.\n"
     "-o names the object.",
     2, cmd_probes_emit},
    {COMMAND_BAT_DUMP, false, "bat dump", "[options] FILE", "The whole table",
     "Prints the table of a program that BOLT wrote with --enable-bat, by BOLT 15 or later: what\n"
     "'llvm-bat-dump --dump-all' prints. FILE may also be the bytes of the section alone.",
     1, cmd_bat_dump},
    {COMMAND_BAT_TRANSLATE, false, "bat translate", "[options] FILE [ADDR...]",
     "From addresses of the program to places before BOLT, and back",
     "Prints for each address (hexadecimal behind 0x) of the program that BOLT wrote what place of the\n"
     "program it was given that is: function+offset, and with --original the address. Without addresses\n"
     "they are read from standard input, one per line.",
     SIZE_MAX, cmd_bat_translate},
    {COMMAND_BAT_STATS, false, "bat stats", "[options] FILE",
     "What there is how often, and takes how many bytes",
     "Prints how many functions, fragments and entries there are, what takes how many bytes of the section,\n"
     "and the functions that take most of them.",
     1, cmd_bat_dump},
    {COMMAND_BAT_VERIFY, false, "bat verify", "[options] FILE", "Report what is wrong with a table",
     "Looks for numbers that are out of order or contradict each other, entries outside of the code of\n"
     "their function, and entries where no instruction begins; with --original also for places in the\n"
     "input where none begins, or another kind of instruction stands. The exit code is 1 if anything is "
     "found.",
     1, cmd_bat_verify},
    {COMMAND_BAT_EXTRACT, false, "bat extract", "[options] FILE -o OUT", "The section as a file",
     "Writes the bytes of the section .note.bolt_bat, as they are in the program.", 1, cmd_bat_extract},
    {COMMAND_BAT_INJECT, false, "bat inject", "[options] FILE TABLE -o OUT",
     "A copy of a program with the section",
     "Writes a copy of FILE with the section .note.bolt_bat of TABLE: what 'bat extract' wrote, or a\n"
     "program. Everything else stays where it is; nothing that is loaded changes.",
     2, cmd_bat_inject},
    {COMMAND_BAT_STRIP, false, "bat strip", "[options] FILE -o OUT",
     "A copy of a program without the section",
     "Writes a copy of FILE without the section .note.bolt_bat, whose bytes become 0. Everything else\n"
     "stays where it is; nothing that is loaded changes.",
     1, cmd_bat_strip},
    {COMMAND_BAT_TOOL, true, "llvm-bat-dump", "[options] FILE", "Works as LLVM's tool of that name", NULL, 1,
     cmd_bat_tool},
    {COMMAND_BOLT_CONVERT, false, "bolt convert",
     "[options] PROGRAM --pa=FILE|--perf-script=FILE|-p FILE -o OUT [-w OUT.yaml]",
     "Turn samples of a program from BOLT into a profile of BOLT's input",
     "Turns samples of a program that BOLT wrote with --enable-bat into fdata or YAML for the program BOLT\n"
     "was given, the job of perf2bolt. Standard error says what happened to the samples.",
     1, cmd_bolt_convert},
    {COMMAND_BOLT_MERGE, false, "bolt merge", "[options] FILE...", "Merge profiles of BOLT into one",
     "Adds up profiles that perf2bolt or llvm-bolt wrote, fdata or YAML, but not both: the job of\n"
     "merge-fdata. A directory stands for all files in it, '-' for standard input. The result is sorted,\n"
     "whatever the order of the inputs.",
     SIZE_MAX, cmd_bolt_merge},
    {COMMAND_HELP, false, "help", "[COMMAND]", "Explain the program or a command", NULL, 2, cmd_help},
    {COMMAND_VERSION, true, "version", "", "Print the version", NULL, 0, cmd_version},
    {0, false, NULL, NULL, NULL, NULL, 0, NULL}};

const struct command_group group_table[] = {{"probes", "Inspect the pseudo probes of CSSPGO programs"},
                                            {"bat", "Inspect BOLT's address translation tables"},
                                            {"bolt", "Profiles of BOLT"},
                                            {NULL, NULL}};

const struct command_group *group_find(const char *name)
{
    for (const struct command_group *g = group_table; g->name; g++) {
        if (strcmp(g->name, name) == 0)
            return g;
    }
    return NULL;
}

bool command_is_in(const struct command *command, const struct command_group *group)
{
    size_t n = strlen(group->name);
    return strncmp(command->name, group->name, n) == 0 && command->name[n] == ' ';
}

const char *command_own_word(const struct command *command)
{
    const char *space = strchr(command->name, ' ');
    return space ? space + 1 : command->name;
}

const struct command *command_find(const char *const *words, size_t n, size_t *n_name)
{
    const struct command_group *group = n ? group_find(words[0]) : NULL;
    *n_name = group ? 2 : 1;
    for (const struct command *c = command_table; c->name && n >= *n_name; c++) {
        if (group ? command_is_in(c, group) && strcmp(command_own_word(c), words[1]) == 0
                  : strcmp(c->name, words[0]) == 0)
            return c;
    }
    return NULL;
}
