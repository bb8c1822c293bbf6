/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/heap.h"
#include "perf/perf_directory.h"

/* ---- records of perf itself ---- */

static struct perf_feature_reader feature_reader(struct perf_data *d)
{
    struct perf_feature_reader r = {&d->attrs, &d->facts, &d->arena, d->header.swap, d->visit, d->user, 0};
    return r;
}

static int add_attr(struct perf_data *d, const struct perf_raw *raw, struct apf_error *error)
{
    struct cursor c = cursor_make(raw->p, raw->n, d->header.swap);
    struct perf_attr attr;
    size_t size;
    cursor_skip(&c, PERF_HEADER_BYTES);
    int code = perf_attr_read(&attr, &c, SIZE_MAX, &size, error);
    if (code == APF_OK)
        code = perf_attrs_add(&d->attrs, &attr, error);
    while (code == APF_OK && cursor_left(&c) >= 8)
        code = perf_attrs_add_id(&d->attrs, cursor_u64(&c), (uint32_t)(d->attrs.list.n - 1), error);
    return code;
}

static int update_event(struct perf_data *d, const struct perf_raw *raw, struct apf_error *error)
{
    const uint64_t kind_name = 2;
    struct cursor c = cursor_make(raw->p, raw->n, d->header.swap);
    cursor_skip(&c, PERF_HEADER_BYTES);
    uint64_t kind = cursor_u64(&c);
    uint32_t attr = perf_attrs_find(&d->attrs, cursor_u64(&c));
    const char *p = (const char *)c.p, *zero = cursor_left(&c) ? memchr(p, '\0', cursor_left(&c)) : NULL;
    struct apf_str name = {p, zero ? (size_t)(zero - p) : cursor_left(&c)};
    if (c.failed || kind != kind_name || attr >= d->attrs.list.n)
        return APF_OK;
    return perf_attrs_name(&d->attrs, attr, name, error);
}

static int add_feature(struct perf_data *d, const struct perf_raw *raw, struct apf_error *error)
{
    struct perf_feature_reader r = feature_reader(d);
    if (raw->n < 16)
        return APF_OK;
    int code = perf_feature_read(&r, load64(raw->p + 8, d->header.swap), raw->p + 16, raw->n - 16u, error);
    d->counts.bad_features += r.n_bad;
    return code;
}

static void add_aux(struct perf_data *d, const struct perf_raw *raw)
{
    if (raw->type == PERF_RECORD_AUXTRACE_INFO && raw->n >= 12)
        d->counts.aux_type = load32(raw->p + 8, d->header.swap);
    if (raw->type == PERF_RECORD_AUXTRACE && raw->n >= 16) {
        d->counts.aux_records++;
        d->counts.aux_bytes += load64(raw->p + 8, d->header.swap);
    }
}

/* ---- records in the order of time ---- */

static void note_time(struct perf_data_counts *n, uint64_t time)
{
    if (time && (!n->first_time || time < n->first_time))
        n->first_time = time;
    if (time > n->last_time)
        n->last_time = time;
}

/* Decodes a record, and passes it on if it says something. */
static int pass_record(void *user, const struct perf_timed *timed, struct apf_error *error)
{
    struct perf_data *d = user;
    struct perf_data_counts *n = &d->counts;
    struct perf_record record;
    bool sample = timed->raw.type == PERF_RECORD_SAMPLE;
    switch (perf_decode(&d->decoder, &timed->raw, timed->attr, &record)) {
    case PERF_DECODED_MEMORY:
        return error_memory(error);
    case PERF_DECODED_SHORT:
        n->short_samples += sample;
        n->short_others += !sample;
        return APF_OK;
    case PERF_DECODED_NOTHING:
        return APF_OK;
    default:
        break;
    }
    n->samples += sample;
    n->not_taken = d->decoder.n_not_taken;
    if (sample)
        note_time(n, record.time);
    return d->visit(d->user, &record, error);
}

/* Counts what records say that is about no process. */
static void count_record(struct perf_data *d, const struct perf_raw *raw)
{
    const uint32_t newest_kernel = 22, newest_tool = 86;
    const uint16_t incomplete = 1u << 12;
    struct perf_data_counts *n = &d->counts;
    if (raw->type == PERF_RECORD_LOST && raw->n >= 24)
        n->lost_records += load64(raw->p + 16, d->header.swap);
    if (raw->type == PERF_RECORD_LOST_SAMPLES && raw->n >= 16)
        n->lost_samples += load64(raw->p + 8, d->header.swap);
    n->throttled += raw->type == PERF_RECORD_THROTTLE;
    if (raw->type == PERF_RECORD_MMAP || raw->type == PERF_RECORD_MMAP2)
        n->incomplete_maps += (raw->misc & incomplete) != 0;
    n->unknown_types += raw->type == 0 ||
                        (raw->type > newest_kernel && raw->type < PERF_RECORD_USER_TYPE_START) ||
                        raw->type > newest_tool;
}

/* Records that are not looked at need no place in the window. */
static bool matters(uint32_t type)
{
    return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 ||
           type == PERF_RECORD_FORK || type == PERF_RECORD_COMM || type == PERF_RECORD_EXIT;
}

/* A record of the kernel. Takes over its block. */
static int take_kernel_record(struct perf_data *d, const struct perf_raw *raw, struct apf_error *error)
{
    struct perf_timed timed = {0, perf_attrs_of(&d->attrs, raw->p, raw->n, raw->type, d->header.swap), *raw};
    int code = APF_OK;
    count_record(d, raw);
    if (d->attrs.list.n == 0)
        code = error_plain(error, APF_BAD_RECORDING, "perf.attrs", "a record comes before any event");
    else if (timed.attr == UINT32_MAX)
        d->counts.unknown_events++;
    else if (matters(raw->type))
        timed.time = perf_decode_time(&d->attrs.list.data[timed.attr], raw, d->header.swap);
    if (code == APF_OK && timed.time)
        return perf_window_add(&d->window, &d->blocks, &timed, error);
    if (code == APF_OK && timed.attr != UINT32_MAX && matters(raw->type))
        code = pass_record(d, &timed, error);
    perf_block_release(&d->blocks, raw->block);
    return code;
}

/* A record of perf. */
static int take_tool_record(struct perf_data *d, const struct perf_raw *raw, struct apf_error *error)
{
    struct perf_timed timed = {0, 0, *raw};
    switch (raw->type) {
    case PERF_RECORD_FINISHED_ROUND:
        return d->directory ? APF_OK : perf_window_mark(&d->window, &d->blocks, pass_record, d, error);
    case PERF_RECORD_HEADER_ATTR:
        return add_attr(d, raw, error);
    case PERF_RECORD_EVENT_UPDATE:
        return update_event(d, raw, error);
    case PERF_RECORD_HEADER_FEATURE:
        return add_feature(d, raw, error);
    case PERF_RECORD_HEADER_BUILD_ID:
        return pass_record(d, &timed, error);
    default:
        count_record(d, raw);
        add_aux(d, raw);
        return APF_OK;
    }
}

/* ---- streams ---- */

/* Whether records that wait take all the memory that they may. Each stream has two blocks in any case. */
static bool is_full(const struct perf_data *d)
{
    size_t present = 2 * d->streams.n, used = d->blocks.n_used > present ? d->blocks.n_used - present : 0;
    return used * PERF_BLOCK_BYTES + d->window.list.n * sizeof *d->window.list.data > PERF_WINDOW_BYTES;
}

static int take_record(struct perf_data *d, const struct perf_raw *raw, struct apf_error *error)
{
    d->counts.records++;
    if (raw->type < PERF_RECORD_USER_TYPE_START) {
        int code = take_kernel_record(d, raw, error);
        return code == APF_OK && is_full(d)
                   ? perf_window_shrink(&d->window, false, &d->blocks, pass_record, d, error)
                   : code;
    }
    int code = take_tool_record(d, raw, error);
    perf_block_release(&d->blocks, raw->block);
    return code;
}

static void note_end(struct perf_data *d, const struct perf_stream *s)
{
    if (s->end > d->counts.end) {
        d->counts.end = s->end;
        d->counts.end_at = s->end_at;
    }
    d->counts.packed += s->n_packed;
    d->counts.unpacked += s->n_unpacked;
}

/* Reads a stream up to its end, or as long as its records are not later than `until`. */
static int read_stream(struct perf_data *d, struct perf_stream *s, uint64_t until, bool *ended,
                       struct apf_error *error)
{
    int code = APF_OK;
    *ended = false;
    d->window.last = 0;
    while (code == APF_OK && d->window.last <= until) {
        struct perf_raw raw;
        code = perf_stream_next(s, &raw, error);
        if (code == APF_END) {
            *ended = true;
            note_end(d, s);
            return APF_OK;
        }
        if (code == APF_OK)
            code = take_record(d, &raw, error);
    }
    return code;
}

/* `reached`: the times that the records of files have come to. */
static bool is_behind(const void *reached, uint32_t x, uint32_t y)
{
    const uint64_t *times = reached;
    return times[x] < times[y] || (times[x] == times[y] && x < y);
}

/* The files of a directory go on in turn, the one that has come least far first, up to where the next one is. */
static int read_streams(struct perf_data *d, struct apf_error *error)
{
    bool ended;
    int code = read_stream(d, &d->streams.data[0], UINT64_MAX, &ended, error);
    size_t n = 0;
    uint64_t *reached = calloc(d->streams.n, sizeof *reached);
    uint32_t *heap = malloc(d->streams.n * sizeof *heap);
    if (!reached || !heap)
        code = error_memory(error);
    for (uint32_t i = 1; code == APF_OK && i < d->streams.n; i++)
        heap_push(heap, &n, i, is_behind, reached);
    while (code == APF_OK && n) {
        const uint32_t i = heap_pop(heap, &n, is_behind, reached);
        const uint64_t until = n ? reached[heap[0]] : UINT64_MAX;
        code = read_stream(d, &d->streams.data[i], until, &ended, error);
        reached[i] = d->window.last;
        if (!ended)
            heap_push(heap, &n, i, is_behind, reached);
    }
    free(reached);
    free(heap);
    return code;
}

/* Reads the features, which follow the data. */
static int read_features(struct perf_data *d, struct apf_error *error)
{
    struct perf_feature_reader r = feature_reader(d);
    struct perf_source *source = &d->streams.data[0].source;
    bool reached = true;
    int code = APF_OK;
    if (d->header.piped || d->header.unfinished || d->header.cut)
        return APF_OK;
    if (!source->seekable) {
        code = perf_source_go(source, d->header.data.at + d->header.data.size, &reached, error);
        if (code == APF_OK && reached)
            code = perf_source_hold(source, UINT64_MAX, error);
    }
    if (code == APF_OK && reached)
        code = perf_header_read_features(&d->header, source, &r, error);
    d->counts.bad_features += r.n_bad;
    return code;
}

/* Whether so little of the recording can be read that the rest says nothing. */
static int check_samples(const struct perf_data *d, struct apf_error *error)
{
    const struct perf_data_counts *n = &d->counts;
    struct error_at at = {"perf.sample", NO_OFFSET, n->short_samples, n->samples};
    return n->short_samples > n->samples
               ? error_at(error, APF_BAD_RECORDING, at, "most samples are shorter than their event says")
               : APF_OK;
}

int perf_data_read(struct perf_data *d, perf_record_fn *visit, void *user, struct apf_error *error)
{
    bool seekable = d->streams.data[0].source.seekable;
    d->visit = visit;
    d->user = user;
    int code = seekable ? read_features(d, error) : APF_OK;
    if (code == APF_OK)
        code = read_streams(d, error);
    if (code == APF_OK)
        code = perf_window_shrink(&d->window, true, &d->blocks, pass_record, d, error);
    if (code == APF_OK && !seekable)
        code = read_features(d, error);
    return code == APF_OK ? check_samples(d, error) : code;
}

/* ---- opening ---- */

/* Opens a file of the recording; the first one has the header. */
static int open_stream(struct perf_data *d, const struct apf_input *input, uint64_t max_bytes,
                       struct apf_error *error)
{
    struct perf_stream nothing = {.left = 0};
    bool reached = true;
    if (!VEC_PUSH(&d->streams, nothing))
        return error_memory(error);
    struct perf_stream *s = &d->streams.data[d->streams.n - 1];
    int code = perf_source_open(&s->source, input, max_bytes, error);
    s->blocks = &d->blocks;
    if (code != APF_OK || d->streams.n > 1) {
        s->unfinished = d->header.unfinished;
        perf_stream_begin(s, &d->blocks, d->header.swap, UINT64_MAX, max_bytes);
        return code;
    }
    code = perf_header_read(&d->header, &s->source, error);
    if (code == APF_OK && !d->header.piped && !s->source.seekable)
        code = perf_source_hold(&s->source, d->header.data.at, error);
    if (code == APF_OK && !d->header.piped)
        code = perf_header_read_attrs(&d->header, &s->source, &d->attrs, error);
    if (code == APF_OK && !d->header.piped)
        code = perf_source_go(&s->source, d->header.data.at, &reached, error);
    if (code == APF_OK && !reached)
        code = error_place(error, APF_BAD_RECORDING, "perf.header.data", 40,
                           "the data come before the table of events");
    s->unfinished = d->header.unfinished;
    bool open_ended = d->header.piped || d->header.unfinished; /* else the end is a cut if it comes early */
    uint64_t longest = UINT64_MAX - 1, size = d->header.data.size < longest ? d->header.data.size : longest;
    perf_stream_begin(s, &d->blocks, d->header.swap, open_ended ? UINT64_MAX : size, max_bytes);
    return code;
}

/* One file of a directory says that it is: it lacks the samples of the others. */
static int check_whole(const struct perf_data *d, struct apf_error *error)
{
    return perf_header_has(&d->header, PERF_FEATURE_DIR_FORMAT)
               ? error_plain(
                     error, APF_BAD_RECORDING, "perf.directory",
                     "it is one file of a directory that perf record --threads wrote: give the directory")
               : APF_OK;
}

static int open_directory(struct perf_data *d, const char *path, char **files, size_t n, uint64_t max_bytes,
                          struct apf_error *error)
{
    int code = APF_OK;
    d->directory = true;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct apf_input input = apf_input_found(path, files[i]);
        code = open_stream(d, &input, max_bytes, error);
        if (code != APF_OK && error)
            error_add(error, ": %s", files[i]);
    }
    return code;
}

int perf_data_open(struct perf_data *d, const struct apf_input *input, uint64_t max_bytes,
                   struct apf_error *error)
{
    char **files = NULL;
    size_t n = 0;
    bool directory = false;
    memset(d, 0, sizeof *d);
    d->decoder.attrs = &d->attrs;
    int code = APF_OK;
    if (input->path && !input->n_directory)
        code = perf_directory_list(input->path, &files, &n, &directory, error);
    if (code == APF_OK)
        code = directory ? open_directory(d, input->path, files, n, max_bytes, error)
                         : open_stream(d, input, max_bytes, error);
    if (code == APF_OK && !directory)
        code = check_whole(d, error);
    d->decoder.swap = d->header.swap;
    apf_paths_free(files);
    return code;
}

void perf_data_close(struct perf_data *d)
{
    perf_window_free(&d->window, &d->blocks);
    for (size_t i = 0; i < d->streams.n; i++)
        perf_stream_close(&d->streams.data[i]);
    VEC_FREE(&d->streams);
    perf_blocks_free(&d->blocks);
    perf_decoder_free(&d->decoder);
    perf_attrs_free(&d->attrs);
    arena_free(&d->arena);
}
