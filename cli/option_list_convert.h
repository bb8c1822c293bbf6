/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options of anyprof convert: a part of the table in option_table.c. */
ENUM(TO, to_formats, OF(CONVERT), OURS, "to", output, "FORMAT",
     "Format of the output; the default follows from the end of its name, .profdata, .proftext or .json, "
     "of sample profiles also .afdo, .prof or .gcov, for other tools .folded, .speedscope.json, .pb.gz "
     "or .csv:"),
    CHOICE(TO, TO_FOLDED, OF(CONVERT), OURS, "folded", output, "The same as --to=folded"),
    CHOICE(TO, TO_SPEEDSCOPE, OF(CONVERT), OURS, "speedscope", output, "The same as --to=speedscope"),
    CHOICE(TO, TO_PPROF, OF(CONVERT), OURS, "pprof", output, "The same as --to=pprof"),
    CHOICE(TO, TO_CSV, OF(CONVERT), OURS, "csv", output, "The same as --to=csv"),
    FLAG(EXPORT_LINES, OF(CONVERT), OURS, "lines", output,
         "Of sample profiles, folded stacks and speedscope have the line after each function; pprof and CSV "
         "always have it"),
    FLAG(CS, OF(CONVERT), OURS | INSTR, "cs", output,
         "Of an IR profile, write the context-sensitive counts to folded stacks, speedscope, pprof and CSV; "
         "by default, the others, if there are any"),
    CHOICE(DEMANGLE, 1, OF(CONVERT), OURS, "demangle", output,
           "Folded stacks, speedscope, pprof and CSV have names as in the source code of C++ and Rust"),
    CHOICE(DEMANGLE, 0, OF(CONVERT), OURS, "no-demangle", output,
           "They have names as in the profile (default)"),
    VALUE(
        MAX_OUTPUT_SIZE, SIZE, OF(CONVERT), OURS, "max-output-size", NULL, output, "SIZE",
        "Write no more folded stacks, speedscope, pprof (before compression) or CSV than this; SIZE may end "
        "in K, M or G, for 1024 bytes and so on (default: 1000 times the input, and at least 256M)"),
    VALUE(
        FOR, STRING, OF(CONVERT), OURS, "for", NULL, output, "TARGET",
        "What must be able to read the output: llvm-N (or just N), gcc-N (of sample profiles), indexed-N (a "
        "format version; not of sample profiles), or auto (default): the compiler that made the input, of "
        "LLVM's sample profiles the newest LLVM. In text of instrumentation profiles, only the names of "
        "static functions depend on it; not for JSON"),
    FLAG(SPARSE, OF(CONVERT), INSTR, "sparse", output, "Leave out functions that never ran; not for JSON"),
    FLAG(KEEP_VTABLE_SYMBOLS, OF(CONVERT), INSTR, "keep-vtable-symbols", output,
         "Store the names of vtables; JSON always has them"),
    FLAG(DROP_MEMPROF, OF(CONVERT), OURS | INSTR, "drop-memprof", input,
         "Leave out a memory profile (MemProf), even a damaged one"),
