/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "report.h"

bool stream_is(const char *path)
{
    struct stat st;
    if (strcmp(path, "-") == 0)
        return true;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static void set_bytes(struct apf_input *input, const struct stream *stream)
{
    input->name = stream->path;
    input->path = NULL;
    input->data = stream->data;
    input->n = stream->n;
}

bool stream_find(const struct session *session, struct apf_input *input)
{
    const struct streams *s = session->streams;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].path, input->path) == 0) {
            set_bytes(input, &s->list[i]);
            return true;
        }
    return false;
}

static bool is_device(const char *path)
{
    struct stat st;
    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0 && S_ISCHR(st.st_mode);
}

int stream_keep(const struct session *session, struct apf_input *input, uint64_t max_bytes)
{
    struct streams *s = session->streams;
    struct stream stream = {NULL, NULL, 0};
    if (!input->path || input->n_directory || !stream_is(input->path))
        return 0;
    const bool device = is_device(input->path);
    uint64_t most = max_bytes ? max_bytes + 1 : 0;
    if (device && (most == 0 || most > APF_DEVICE_MAX_BYTES))
        most = APF_DEVICE_MAX_BYTES + 1;
    stream.data = read_some(input->path, most, &stream.n);
    if (!stream.data)
        return errno;
    if (device && stream.n > APF_DEVICE_MAX_BYTES) {
        free(stream.data);
        return EFBIG;
    }
    stream.path = checked_copy(input->path);
    s->list = (struct stream *)checked_realloc(s->list, s->n + 1, sizeof *s->list);
    s->list[s->n++] = stream;
    set_bytes(input, &stream);
    return 0;
}

struct apf_input stream_input(const struct session *session, const char *path)
{
    struct apf_input input = apf_input_file(path);
    (void)stream_find(session, &input);
    return input;
}

struct apf_input *stream_inputs(const struct session *session, const char *const *paths, size_t n)
{
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, n + 1, sizeof *inputs);
    for (size_t i = 0; i < n; i++)
        inputs[i] = stream_input(session, paths[i]);
    return inputs;
}

bool streams_keep(const struct session *session, struct apf_input *inputs, size_t n, uint64_t max_bytes)
{
    for (size_t i = 0; i < n; i++) {
        const int failed = stream_keep(session, &inputs[i], max_bytes);
        if (failed) {
            report_errno(session, stream_path(&inputs[i]), failed);
            return false;
        }
    }
    return true;
}

void streams_free(struct streams *streams)
{
    for (size_t i = 0; i < streams->n; i++) {
        free(streams->list[i].path);
        free(streams->list[i].data);
    }
    free(streams->list);
}
