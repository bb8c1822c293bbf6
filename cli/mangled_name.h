/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One name of C++ or Rust as in its source code, by libiberty, whatever is in the name: stack, memory and time are
 * bounded. */
#ifndef CLI_MANGLED_NAME_H
#define CLI_MANGLED_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <anyprof/error.h>

/* Longer symbols of C++ and Rust stay as they are; so does a name that becomes longer than the last one. */
#define LONGEST_CXX ((size_t)4 << 10) /* which takes less than 2 MB of stack */
#define LONGEST_RUST ((size_t)16 << 10)
#define LONGEST_DEMANGLED ((size_t)32 << 10)
/* After so many names that took too long, all names stay as they are. */
#define MOST_SLOW_NAMES 16u

/* All zero: nothing was read. */
struct mangled_names {
    char *text; /* the last name, terminated; for free() */
    size_t n;
    size_t n_slow; /* names that took too long */
    bool any_long; /* a name was too long, or became too long */
    /* Of all names that were read: their bytes, the bytes of what they became, and the processor time. */
    uint64_t read, made, ticks;
    bool is_over; /* together they took too long, or became too long: from then on, names stay as they are */
};

/* Starts and stops the clock that bounds the time; pairs of calls may be nested. Names are read between them, on one
 * thread at a time. */
void mangled_names_begin(void);
void mangled_names_end(void);
/* Sets names->text and n to what a symbol means. False: it is none of C++ (the Itanium ABI; on macOS one more _ comes
 * before it) or Rust (both manglings), or it is too long, too deep or too slow. The hash at the end of a name of Rust
 * is left out; a suffix such as .cold comes in brackets: "f() [clone .cold]". */
bool mangled_name_read(struct mangled_names *names, struct apf_str symbol);

#endif
