/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of C++ and Rust as in their source code: by a library, or by a program such as c++filt. */
#ifndef CLI_DEMANGLE_H
#define CLI_DEMANGLE_H

#include <stdbool.h>

#include <anyprof/error.h>

#include "mangled_name.h"
#include "name_pattern.h"

/* A name and what a program has made of it. */
struct demangled {
    char *name, *shown;
};

/* A name and what it is in the source code; listings have the same names again and again. */
struct remembered_name {
    struct name_text name, shown;
    size_t n, n_shown;
};

/* All zero: names stay as they are. */
struct demangler {
    const struct session *session;
    bool by_library;
    struct mangled_names names;
    struct remembered_name *remembered; /* REMEMBERED_NAMES, by hash; NULL: none yet */
    struct name_text text;              /* of the last name */
    struct demangled *list;             /* by name: what the program has made */
    size_t n;
};

/* From now on, names are shown as the library has them. 0; demangler_free must follow. */
int demangler_load(struct demangler *d, const struct session *session);
/* Adds a name for demangler_run. */
void demangler_add(struct demangler *d, struct apf_str name);
/* Passes all names that were added to a program, one on each line. `words` are its name, its arguments, and NULL. 0, or
 * an exit code after a report, in llvm-cov's words. */
int demangler_run(struct demangler *d, const struct session *session, char **words);
/* A text, such as a message, with the symbols in it as they are to be shown; in `to`, terminated. */
struct apf_str demangler_show_text(struct demangler *d, struct apf_str text, struct name_text *to);
void demangler_free(struct demangler *d);

/* Names that demanglers of a session have left as they are. All zero: none. */
struct names_given_up {
    size_t n_slow;   /* took too long */
    bool any_long;   /* were too long, or became too long */
    bool is_stopped; /* too many were slow: ... */
    bool is_over;    /* all together took too long, or became too long: all that followed were left */
};
/* Warns of them, once for a command, however many demanglers there were. */
void demangler_report(const struct session *session);

/* Where the mangled part of a name begins: after the file that local functions have before it. */
size_t mangled_part(struct apf_str name);

/* An apf_name_fn, whose `user` is a struct demangler: the name as it is to be shown, until the next call. */
struct apf_str demangler_show(void *user, struct apf_str name);

#endif
