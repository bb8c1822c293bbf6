/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inputs that can be read only once: standard input and pipes. Commands that look at an input before they read it keep
 * its bytes. */
#ifndef CLI_STREAMS_H
#define CLI_STREAMS_H

#include <anyprof/io.h>

#include "session.h"

struct stream {
    char *path;
    char *data;
    size_t n;
};

/* The streams that a session has read. All zero: none. */
struct streams {
    struct stream *list;
    size_t n;
};

/* Whether the bytes that a path leads to can be read only once, or may be. */
bool stream_is(const char *path);
/* The input for a path that was given: its bytes, if stream_keep has read them, else the file of this name. */
struct apf_input stream_input(const struct session *session, const char *path);
/* The inputs for n paths, for free(). */
struct apf_input *stream_inputs(const struct session *session, const char *const *paths, size_t n);
/* The path that was given for such an input. */
static inline const char *stream_path(const struct apf_input *input)
{
    return input->path ? input->path : input->name;
}
/* Reads the stream that an input names, whether or not that was done before: a named pipe may be given several times.
 * Other inputs stay as they are, also those whose bytes are kept. The bytes live as long as the session; no more than
 * max_bytes and one are kept, so that reading the input reports the limit; 0: no limit. 0, or the errno for which the
 * stream cannot be read. */
int stream_keep(const struct session *session, struct apf_input *input, uint64_t max_bytes);
/* stream_keep of n inputs. False: one cannot be read, which is reported. */
bool streams_keep(const struct session *session, struct apf_input *inputs, size_t n, uint64_t max_bytes);
/* Sets the bytes of the input whose path was read before. False: it was not. */
bool stream_find(const struct session *session, struct apf_input *input);
void streams_free(struct streams *streams);

#endif
