/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Places that outputs and reports are written to, and what they must not replace. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include "merge_inputs.h"

/* Something that is written. */
struct place {
    const char *what; /* for messages */
    const char *path; /* "-" is standard output; NULL: it is not written */
    bool is_profile;  /* which may replace another profile */
};

/* Whether the name of a file ends like this, and has more before it. */
bool path_has_end(const char *path, const char *end);
bool place_is_terminal(const char *path);
bool place_is_directory(const char *path);
/* Whether there is a file that is not empty. */
bool place_has_file(const char *path);

/* The functions below report the error when they return true. */

/* Whether the place has a file that an output would replace, and `path` is that file. */
bool place_is_file(const struct place *place, const char *path);
/* Whether both would be written to one place. Call again after one of them is written: before that, a link may have led
 * nowhere. */
bool place_is_shared(const struct session *session, const struct place *a, const struct place *b);
/* Whether nothing can be written there: it is a directory, or in none that exists. */
bool place_is_impossible(const struct session *session, const struct place *place);
/* Whether the place has a file that could not be made again, and that this command does not make: a program, a raw
 * profile, a recording, or any profile that something else would replace. The command line need not name it: a pattern
 * of the shell after -o names one of the inputs. */
bool place_is_original(const struct session *session, const struct place *place);
/* Whether the place is one of n inputs, or in one that is a directory. */
bool place_is_input(const struct session *session, const struct place *place, const struct apf_input *inputs,
                    size_t n);
/* Whether "-" is among the first n_files positional arguments more than once. True: reported. */
bool stdin_is_repeated(const struct session *session, const struct arguments *args, size_t n_files);
/* Whether a place has one of the first n_files positional arguments, a file that is read because an option names it, a
 * file that the command line was read from, or one of place_is_original that is no input. True: reported. */
bool place_replaces(const struct session *session, const struct arguments *args, size_t n_files,
                    const struct place *place);
/* The same of -o. */
bool place_is_read(const struct session *session, const struct arguments *args, size_t n_files);
/* Whether the profile would replace something else than an input, or the report anything, that is read: an input, the
 * list of inputs, a response file, the remapping file, a program; or what place_is_original says; or whether one of
 * them has a name that libanyprof reserves for files that it removes. */
bool place_is_precious(const struct session *session, const struct arguments *args,
                       const struct merge_inputs *inputs);

#endif
