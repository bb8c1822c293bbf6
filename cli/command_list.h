/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of commands, in the order of the help: COMMAND(ID, hidden, name, usage, summary, details, most files, run).
 * command.h makes the bits and prototypes from it, commands.c the table; a file that includes it defines COMMAND first,
 * and the list undefines it. ELF_COMMAND is for commands that only builds with ELF have; COMMAND, if the file does not
 * define it. */
#ifndef COMMAND
#error "define COMMAND before including command_list.h"
#endif
#ifndef ELF_COMMAND
#define ELF_COMMAND(...) COMMAND(__VA_ARGS__)
#endif

COMMAND(MERGE, false, "merge", "[options] FILE...", "Merge profiles into one",
        "Adds up profiles of any format and LLVM version, in any mix, and writes one that compilers read.\n"
        "A directory stands for the profiles in it. The result depends neither on the order of the inputs\n"
        "nor on the number of threads. Standard error says what was lost or changed.",
        SIZE_MAX, cmd_merge)
COMMAND(
    COLLECT, false, "collect", "[options] --spool=DIR -o FILE", "Merge profiles as programs drop them",
    "Takes the profiles that programs write into the directory DIR, adds each to the sum of its build,\n"
    "removes it, and writes the sum of all builds to FILE every few minutes, until it is stopped. It may\n"
    "be killed at any moment: run again, it goes on, and each count is in the sum once.",
    0, cmd_collect)
COMMAND(SHOW, false, "show", "[options] FILE", "Print what is in a profile",
        "Reads a profile of any format and LLVM version and prints a summary; with options, also functions,\n"
        "counts and values. '-' reads standard input.",
        1, cmd_show)
COMMAND(OVERLAP, false, "overlap", "[options] BASE TEST", "Print how much two profiles have in common",
        "Prints which share of its counts the profile TEST has in common with BASE, in total and for single\n"
        "functions. Any formats and LLVM versions; '-' reads standard input.",
        2, cmd_overlap)
COMMAND(
    ORDER, false, "order", "[options] FILE", "Print an order of functions for a fast program start",
    "Reads the temporal traces of a profile and prints its functions in an order for a linker: functions\n"
    "that run at about the same time are put together, so that the program touches fewer pages when it\n"
    "starts. '-' reads standard input.",
    1, cmd_order)
COMMAND(DIFF, false, "diff", "[options] A B", "Print what changed from one profile to another",
        "Prints the functions that are new, gone, or have another hash, structure or counts, those with the\n"
        "largest effect first. The effect is the share of all counts that moved. Counts are compared as\n"
        "shares of the sum of their profile, so that the length of the runs does not matter. With\n"
        "--fail-above the exit code is 3 if too much changed. Any formats and LLVM versions; '-' reads\n"
        "standard input.",
        2, cmd_diff)
COMMAND(
    CONVERT, false, "convert", "[options] FILE -o OUT", "Change the format of a profile",
    "Reads a profile of any format and LLVM version, JSON included, and writes an indexed profile of any\n"
    "version, text or JSON; of a sample profile of LLVM or GCC, any format of theirs, text or JSON. --to\n"
    "names the format; without it, the end of OUT does (.profdata, .proftext, .json; .prof, .afdo).\n"
    "Indexed profiles and text are what 'merge' makes of this one input, with all of its temporal traces.\n"
    "JSON holds everything: what is made from it is what is made from the original. Standard error says\n"
    "what the output cannot hold. '-' reads standard input.",
    1, cmd_convert)
COMMAND(
    LOOKUP, false, "lookup", "[options] FILE NAME", "Print one function of a profile",
    "Prints the records of the function NAME. An indexed profile is not read as a whole: its hash table\n"
    "leads to the few pages that are needed. Other profiles are read as a whole. NAME is the exact name.\n"
    "A local function is called FILE;NAME or FILE:NAME; if the profile lacks the one, the other is tried,\n"
    "and NAME alone finds it, too, if no function has that name. The exit code is 1 if there is none.",
    2, cmd_lookup)
COMMAND(INFO, false, "info", "[options] FILE...", "Identify files and the LLVM that made them",
        "Describes profiles of any kind, programs, and other files about profiling: their kind, version and\n"
        "variant, which LLVM releases may have written them and can read them, how many functions, counters\n"
        "and values they have, and how many bytes each part takes. For several files, or a directory, it\n"
        "prints a line for each build. The exit code is 1 if a file cannot be read.",
        SIZE_MAX, cmd_info)
COMMAND(
    CHECK, false, "check", "[options] FILE...", "Report everything that is wrong with profiles",
    "Examines every byte of instrumentation profiles and memory profiles, and prints all that is wrong.\n"
    "An error: LLVM refuses the file, or compilers do not find a function. A warning: counts are missing\n"
    "or wrong, or contradict each other. A note: unusual, but harmless. The exit code is 1 if there is an\n"
    "error or a warning.",
    SIZE_MAX, cmd_check)
ELF_COMMAND(
    REPORT, false, "report", "[options] PROFILE... -o report.html", "Make a page about one or two profiles",
    "Makes one HTML file for browsers, which needs no network: how hot the code is, a table of all\n"
    "functions, maps, flame graphs of callers and inlining, values of calls, what changed since another\n"
    "profile, and what became of merged inputs. Reads profiles of any format and LLVM version; several\n"
    "are merged. With --markdown, the same in short.",
    SIZE_MAX, cmd_report)
ELF_COMMAND(
    PROBES_DESC, false, "probes desc", "[options] FILE", "List functions: GUID, checksum, name",
    "Prints the function descriptors of a program, library or object file that was built with\n"
    "-fpseudo-probe-for-profiling, sorted by GUID. The parts of the checksum are shown, too: the number\n"
    "of call probes, the number of edges of the control flow graph, and a CRC of these edges.",
    1, cmd_probes_desc)
ELF_COMMAND(
    PROBES_LIST, false, "probes list", "[options] FILE", "List probes by address, with their inline context",
    "Prints the probes of a program, library or object file that was built with -fpseudo-probe-for-\n"
    "profiling. The context of an inlined probe is the chain of calls that were inlined, the outermost\n"
    "first: in 'leaf @ main:2 @ mid:5', call probe 2 of main was the call of mid, and call probe 5 of mid\n"
    "the call of leaf. In an object file, addresses are offsets in sections.",
    1, cmd_probes_list)
ELF_COMMAND(
    PROBES_TREE, false, "probes tree", "[options] FILE", "Print functions and what is inlined into them",
    "Prints the functions of a program and, indented below each one, the functions inlined into it, with\n"
    "the call probe where that happened. The columns are the bytes in the section and the numbers of\n"
    "probes.",
    1, cmd_probes_tree)
ELF_COMMAND(
    PROBES_STATS, false, "probes stats", "[options] FILE", "Count probes and the bytes that they take",
    "Prints how many records, inlined functions, probes and copies of probes there are, how deeply\n"
    "functions are inlined, and how many bytes of the section and of the file each kind of data takes.",
    1, cmd_probes_stats)
ELF_COMMAND(
    PROBES_VERIFY, false, "probes verify", "[options] FILE", "Report what is wrong with probes",
    "Looks for damage, GUIDs that do not match the names, addresses outside of their function, probes\n"
    "without a descriptor, mixed encodings and the like; with --against, also for functions whose hash\n"
    "differs in another build. The exit code is 1 if anything is found.",
    1, cmd_probes_verify)
ELF_COMMAND(
    PROBES_DIFF, false, "probes diff", "[options] A B",
    "List functions whose probes differ between two builds",
    "Prints the functions whose hash or probes differ: probe ids that are gone, new, or have more or\n"
    "fewer probes, and functions that are inlined at other places; first those for which a profile of\n"
    "the other build is stale, then by the number of probes. The exit code is 1 if there is any.",
    2, cmd_probes_diff)
ELF_COMMAND(
    PROBES_DISASM, false, "probes disasm", "[options] FILE", "Print code with its probes",
    "Prints the code of a program, library or object file that was built with\n"
    "-fpseudo-probe-for-profiling, each probe in front of its instruction. The output is that of\n"
    "'llvm-profgen --show-disassembly-only --show-pseudo-probe', except for the spelling of instructions.\n"
    "'<unknown>' is an instruction that the disassembler, Capstone, does not know.",
    1, cmd_probes_disasm)
ELF_COMMAND(
    PROBES_LOOKUP, false, "probes lookup", "[options] PROGRAM ADDRESS...",
    "Print the line, the inline stack and the nearest probe of addresses",
    "Prints for each address, which is hexadecimal, its function, the lines of the source with what was\n"
    "inlined, innermost first, and the probes there or, if there are none, the nearest ones of the\n"
    "function. The exit code is 1 if an address is in no function.",
    SIZE_MAX, cmd_probes_lookup)
ELF_COMMAND(
    PROBES_ASM, false, "probes asm", "[options] FILE.s", "Write assembly that GNU as also understands",
    "Turns the .pseudoprobe directives that clang -S writes into local labels, and writes the section\n"
    ".pseudo_probe with ordinary directives. Assembled, the section has the bytes that LLVM 22 makes.\n"
    "'-' reads standard input.",
    1, cmd_probes_asm)
ELF_COMMAND(
    PROBES_EMIT, false, "probes emit", "[options] FILE.json [FILE.json] -o OUT.o",
    "Make an object file from JSON",
    "Writes an ELF object with the sections that the JSON of 'probes list' (.pseudo_probe) and of\n"
    "'probes desc' (.pseudo_probe_desc) describes; one of the two is enough. The sections have the bytes\n"
    "and the groups of the original; with --no-code-groups, the object can be linked with the code that\n"
    "the probes belong to. -o names the object.",
    2, cmd_probes_emit)
ELF_COMMAND(BAT_DUMP, false, "bat dump", "[options] FILE", "Print the whole table",
            "Prints the table of a program that BOLT 15 or later wrote with --enable-bat, as\n"
            "'llvm-bat-dump --dump-all' prints it. FILE may also be the bytes of the section alone.",
            1, cmd_bat_dump)
ELF_COMMAND(
    BAT_TRANSLATE, false, "bat translate", "[options] FILE [ADDR...]",
    "Translate addresses to places before BOLT, or back",
    "Prints, for each address in the program that BOLT wrote, the place in the program that BOLT was\n"
    "given: function+offset and, with --original, the address. An address that begins with 0x is\n"
    "hexadecimal. Without ADDR, addresses are read from standard input, one per line.",
    SIZE_MAX, cmd_bat_translate)
ELF_COMMAND(
    BAT_STATS, false, "bat stats", "[options] FILE", "Count entries and the bytes that they take",
    "Prints how many functions, fragments and entries there are, how many bytes of the section each kind\n"
    "of data takes, and the functions that take most of them.",
    1, cmd_bat_stats)
ELF_COMMAND(
    BAT_VERIFY, false, "bat verify", "[options] FILE", "Report what is wrong with a table",
    "Looks for numbers that are out of order or contradict each other, entries outside of the code of\n"
    "their function, and entries where no instruction begins; with --original, also for places in the\n"
    "original program where no instruction begins, or one of another kind. The exit code is 1 if anything\n"
    "is found.",
    1, cmd_bat_verify)
ELF_COMMAND(BAT_EXTRACT, false, "bat extract", "[options] FILE -o OUT", "Save the section as a file",
            "Writes the bytes of the section .note.bolt_bat, as they are in the program.", 1, cmd_bat_extract)
ELF_COMMAND(
    BAT_INJECT, false, "bat inject", "[options] FILE TABLE -o OUT", "Copy a program and give it the section",
    "Writes a copy of FILE with the section .note.bolt_bat of TABLE, which is a program or a file that\n"
    "'bat extract' wrote. Everything else stays in its place; nothing that is loaded changes.",
    2, cmd_bat_inject)
ELF_COMMAND(
    BAT_STRIP, false, "bat strip", "[options] FILE -o OUT", "Copy a program without the section",
    "Writes a copy of FILE without the section .note.bolt_bat, whose bytes become 0. Everything else\n"
    "stays in its place; nothing that is loaded changes.",
    1, cmd_bat_strip)
ELF_COMMAND(BAT_TOOL, true, "llvm-bat-dump", "[options] FILE", "Works as LLVM's tool of that name", NULL, 1,
            cmd_bat_tool)
ELF_COMMAND(
    BOLT_CONVERT, false, "bolt convert",
    "[options] PROGRAM --pa=FILE|--perf-script=FILE|-p FILE -o OUT [-w OUT.yaml]",
    "Turn samples of a program into a profile for BOLT",
    "Turns samples of a program into fdata for llvm-bolt, as perf2bolt does. If BOLT wrote the program, "
    "with\n"
    "--enable-bat, the fdata or YAML is for the program that BOLT was given. Standard error says what\n"
    "happened to the samples.",
    1, cmd_bolt_convert)
ELF_COMMAND(
    BOLT_MERGE, false, "bolt merge", "[options] FILE...", "Merge profiles of BOLT into one",
    "Adds up profiles that perf2bolt or llvm-bolt wrote, either fdata or YAML, as merge-fdata does.\n"
    "A directory stands for all files in it, '-' for standard input. The result is sorted, whatever the\n"
    "order of the inputs.",
    SIZE_MAX, cmd_bolt_merge)
ELF_COMMAND(
    PROFGEN, false, "profgen", "--binary=PROGRAM [options] --perfdata=FILE... -o OUT",
    "Make a sample profile of recordings of a program",
    "Turns the branch stacks that perf has recorded of a program (perf record -j any,u) into the sample\n"
    "profile that clang uses for its next build (-fprofile-sample-use=OUT), as llvm-profgen does: of\n"
    "pseudo probes if the program has them, else of lines. With --for=gcc-N it is the profile of that GCC\n"
    "(-fauto-profile=OUT). perf.data is read without perf, also of several machines at once. Standard error\n"
    "says what happened to the samples.",
    0, cmd_profgen)
ELF_COMMAND(
    PERF_INFO, false, "perf info", "[options] FILE", "Print what is in a recording of perf",
    "Reads perf.data of any perf, without perf: a file, a directory (perf record --threads) or what was\n"
    "written to a pipe; compressed, of the other byte order, or cut off because the recorder was killed.\n"
    "Prints what was recorded: events, branches and call chains, which files the samples are in, with\n"
    "their build ids, what was lost, and what the recording can be used for.",
    1, cmd_perf_info)
ELF_COMMAND(
    COV_REPORT, false, "cov report", "[options] PROGRAM [SOURCE...] --profile=FILE",
    "Print how much of each source file was executed",
    "Prints a table of the source files of a program that was built with -fprofile-instr-generate\n"
    "-fcoverage-mapping (rustc: -C instrument-coverage), of any LLVM: how many of their regions, functions,\n"
    "lines and branches ran. Profiles of any version, also raw ones, which are merged.",
    SIZE_MAX, cmd_cov_report)
ELF_COMMAND(
    COV_SHOW, false, "cov show", "[options] PROGRAM [SOURCE...] --profile=FILE",
    "Print source code with how often it was executed",
    "Prints the source files of a program with how often each line ran; with options, also regions, "
    "branches,\n"
    "macros and MC/DC. A function of which there are several instantiations is shown for each of them, too.",
    SIZE_MAX, cmd_cov_show)
ELF_COMMAND(COV_EXPORT, false, "cov export", "[options] PROGRAM [SOURCE...] --profile=FILE",
            "Write the coverage of a program for other tools",
            "Writes the coverage of a program as JSON, which is that of llvm-cov, or as a tracefile of lcov. "
            "Programs\n"
            "and profiles of any LLVM version, of several, too.",
            SIZE_MAX, cmd_cov_export)
ELF_COMMAND(
    COV_DIFF, false, "cov diff", "[options] PROGRAM --profile=FILE [--base=FILE | --patch=FILE]",
    "Print what of a change ran",
    "Reads a unified diff, such as that of git diff, from standard input, and prints which of the lines\n"
    "that it adds or changes ran. With --base, prints which lines ran only with one of two profiles.",
    1, cmd_cov_diff)
ELF_COMMAND(COV_WHY, false, "cov why", "[options] PROGRAM FUNCTION... --profile=FILE",
            "Say what programs and profiles have of a function",
            "Prints the hashes that programs and profiles have of a function, and why it has no counts.",
            SIZE_MAX, cmd_cov_why)
COMMAND(PROFILE_MERGER, true, "profile_merger", "[options] FILE...",
        "Works as AutoFDO's tool of that name: merges profiles of GCC into one", NULL, SIZE_MAX,
        cmd_profile_merger)
COMMAND(DUMP_GCOV, true, "dump_gcov", "[options] FILE",
        "Works as AutoFDO's tool of that name: prints the functions of a profile of GCC", NULL, 1,
        cmd_dump_gcov)
COMMAND(HELP, false, "help", "[COMMAND]", "Explain the program or a command", NULL, SIZE_MAX, cmd_help)
COMMAND(VERSION, true, "version", "", "Print the version", NULL, 0, cmd_version)

#undef COMMAND
#undef ELF_COMMAND
