/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A part of option_table.c: how commands print the names of functions for people. */
#define NAMING                                                                                               \
    (OF(SHOW) | OF(LOOKUP) | OF(DIFF) | OF(OVERLAP) | PROBES | OF(PROBES_DISASM) | OF(PROBES_LOOKUP) |       \
     COV_FILES)
CHOICE(DEMANGLE, 1, NAMING, OURS, "demangle", function_names,
       "Print names of functions as in the source code of C++ and Rust; in JSON beside the plain names, but "
       "not in "
       "that of cov export"),
    CHOICE(DEMANGLE, 0, NAMING, OURS, "no-demangle", function_names,
           "Print names of functions as symbols have them (default)"),
    CHOICE(
        DEMANGLE, 1, OF(MERGE), OURS, "demangle", function_names,
        "Print names of functions in messages as in the source code of C++ and Rust; in profiles they stay "
        "as they are"),
    CHOICE(DEMANGLE, 0, OF(MERGE), OURS, "no-demangle", function_names,
           "Print names of functions as symbols have them, in messages (default) and on the page of --html"),
    CHOICE(DEMANGLE, 1, OF(ORDER), OURS, "demangle", output,
           "Also print names of functions as in the source code of C++ and Rust, in JSON or as comments: a "
           "linker needs the symbols, which stay"),
    CHOICE(DEMANGLE, 0, OF(ORDER), OURS, "no-demangle", output,
           "Print names of functions as symbols have them (default)"),
