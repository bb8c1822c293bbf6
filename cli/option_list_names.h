/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A part of option_table.c: how commands print the names of functions for people. */
#define NAMING                                                                                               \
    (OF(SHOW) | OF(LOOKUP) | OF(OVERLAP) | PROBES | OF(PROBES_DISASM) | OF(PROBES_LOOKUP) | COV_FILES)
CHOICE(DEMANGLE, 1, (NAMING & ~COV_FILES) | OF(DIFF), OURS, "demangle", function_names,
       "Print names of functions as in the source code of C++ and Rust; in JSON beside the plain names"),
    CHOICE(
        DEMANGLE, 1, COV_FILES, OURS, "demangle", function_names,
        "Print names of functions as in the source code of C++ and Rust; cov export's JSON keeps the plain "
        "ones"),
    CHOICE(DEMANGLE, 0, NAMING, OURS, "no-demangle", function_names,
           "Print names of functions as symbols have them (default)"),
    CHOICE(DEMANGLE, 0, OF(DIFF), OURS, "no-demangle", function_names,
           "Print names of functions as symbols have them (default, but not with --markdown)"),
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
