/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where profiles and reports are written. */
#ifndef CLI_PLACES_H
#define CLI_PLACES_H

#include "merge_inputs.h"

/* "-" is standard output. */
bool place_is_terminal(const char *path);
/* Where the report goes; NULL: nowhere. */
const char *place_of_report(const struct arguments *args);
/* Something that is written. */
struct place {
    const char *what; /* for messages */
    const char *path; /* NULL: it is not */
};
/* Whether two things would be written to one place. To be asked again when one of them is there. True: it was said. */
bool place_is_shared(const struct session *session, const struct place *a, const struct place *b);
/* Whether the report would replace the profile, or be written into it. To be asked again when the profile is there:
 * until then a link may lead to nothing. True: it was said. */
bool place_is_taken(const struct session *session, const struct arguments *args);
/* Whether `what`, written to `path`, would replace one of n inputs. True: it was said. */
bool place_is_input(const struct session *session, const char *what, const char *path,
                    const struct apf_input *inputs, size_t n);
/* Whether -o would replace one of the first n files of the command line, one that an option names, or what the words of
 * the command line were read from. True: it was said. */
bool place_is_read(const struct session *session, const struct arguments *args, size_t n_files);
/* Whether the report would replace an input, or the profile or the report something else that is read: the list of
 * inputs, a response file, the remapping file, a program; or have a name that we keep for ourselves, and may remove.
 * True: it was said. */
bool place_is_precious(const struct session *session, const struct arguments *args,
                       const struct merge_inputs *inputs);
/* Whether there is a file that is not empty. */
bool place_has_file(const char *path);

#endif
