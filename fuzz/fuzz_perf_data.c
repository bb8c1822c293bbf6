/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings of perf: a file, or what was written to a pipe, as its header says. Every address of every sample is
 * looked up. The counts are those of what was visited; the same bytes give the same samples again, and packed, in two
 * streams, where they are read as from a pipe. They are also converted with a small program. */
#include <zlib.h>

#include <anyprof/perf.h>

#include "fuzz_samples.h"

#define STOPPED 77 /* what the visitor returns to end the reading */

/* ---- samples ---- */

/* What was visited. */
struct visited {
    struct record_list list;
    struct apf_perf *perf;
    uint64_t stop; /* ends the reading at this sample, unless 0 */
    uint64_t n_stacks, n_branches, n_chains, sum;
    uint64_t time, n_back; /* n_back: samples that are older than the one before */
    uint64_t n_places;
};

/* Looks up an address. Numbers of files are left out of the digest: build ids come earlier or later. */
static void find_place(struct visited *v, uint64_t address)
{
    struct apf_perf_place place = {.size = sizeof place}, again = {.size = sizeof again};
    int code = apf_perf_find(v->perf, address, &place, NULL);
    REQUIRE(code == APF_OK || code == APF_END);
    REQUIRE(apf_perf_find(v->perf, address, &again, NULL) == code);
    record_number(&v->list, (uint64_t)code);
    if (code == APF_END)
        return;
    const struct apf_perf_file *file = apf_perf_file(v->perf, place.file);
    REQUIRE(file && again.file == place.file && again.start == place.start && again.offset == place.offset);
    REQUIRE(place.start <= address && place.executable <= 1 && file->kernel <= 1 && file->build_id.n <= 20);
    record_text(&v->list, file->path);
    record_number(&v->list, place.offset);
    record_number(&v->list, place.start + place.executable);
    v->n_places++;
}

static void visit_numbers(struct visited *v, const struct apf_perf_sample *s)
{
    record_number(&v->list, s->event);
    record_number(&v->list, s->fields);
    record_number(&v->list, (uint64_t)s->pid << 32 | s->tid);
    record_number(&v->list, (uint64_t)s->cpu << 32 | s->mode);
    record_number(&v->list, s->time);
    record_number(&v->list, s->address);
    record_number(&v->list, s->data);
    record_number(&v->list, s->period);
}

static int visit_sample(void *user, const struct apf_perf_sample *s, struct apf_error *error)
{
    struct visited *v = user;
    const struct apf_perf_event *event = apf_perf_event(v->perf, s->event);
    (void)error;
    REQUIRE(event && event->name.n && s->event < apf_perf_info(v->perf)->n_events);
    REQUIRE(s->mode < 8 && s->time != UINT64_MAX);
    REQUIRE(s->n_branches == 0 || s->fields & APF_PERF_HAS_BRANCHES);
    REQUIRE(s->n_chain == 0 || s->fields & APF_PERF_HAS_CHAIN);
    visit_numbers(v, s);
    find_place(v, s->address);
    for (size_t i = 0; i < s->n_branches; i++) {
        record_number(&v->list, s->branches[i].flags);
        find_place(v, s->branches[i].from);
        find_place(v, s->branches[i].to);
    }
    for (size_t i = 0; i < s->n_chain; i++)
        find_place(v, s->chain[i]);
    v->n_back += s->time && s->time < v->time;
    v->time = s->time ? s->time : v->time;
    v->n_stacks += s->n_branches != 0;
    v->n_branches += s->n_branches;
    v->n_chains += s->n_chain != 0;
    v->sum += s->period;
    return ++v->list.n == v->stop ? STOPPED : APF_OK;
}

/* ---- what is known at the end ---- */

static int count_bytes(void *user, const void *p, size_t n)
{
    (void)p;
    *(size_t *)user += n;
    return 0;
}

static void check_printed(const struct apf_perf *perf)
{
    size_t n_json = 0, n_text = 0;
    struct apf_output json = apf_output_callback(count_bytes, &n_json),
                      text = apf_output_callback(count_bytes, &n_text);
    REQUIRE(apf_perf_info_write(perf, &json, NULL) == APF_OK && n_json > 2);
    REQUIRE(apf_perf_info_print(perf, &text, NULL) == APF_OK && n_text > 2);
}

/* The numbers of events and files add up to those of the samples that were visited. */
static void check_sums(const struct visited *v, const struct apf_perf_info *info)
{
    struct apf_perf_event all = {.n_samples = 0};
    uint64_t n_mapped = 0;
    for (size_t i = 0; i < info->n_events; i++) {
        const struct apf_perf_event *e = apf_perf_event(v->perf, i);
        all.n_samples += e->n_samples;
        all.n_stacks += e->n_stacks;
        all.n_branches += e->n_branches;
        all.n_chains += e->n_chains;
        all.sum += e->sum;
    }
    for (size_t i = 0; i < info->n_files; i++)
        n_mapped += apf_perf_file(v->perf, i)->n_samples;
    REQUIRE(!apf_perf_event(v->perf, info->n_events) && !apf_perf_file(v->perf, info->n_files));
    REQUIRE(all.n_samples == v->list.n && all.n_stacks == v->n_stacks && all.n_branches == v->n_branches);
    REQUIRE(all.n_chains == v->n_chains && all.sum == v->sum);
    REQUIRE(n_mapped + info->n_unmapped == v->list.n);
}

static void check_info(const struct visited *v, size_t size)
{
    const struct apf_perf_info *info = apf_perf_info(v->perf);
    check_sums(v, info);
    REQUIRE(info->n_samples == v->list.n && info->n_samples <= info->n_records);
    REQUIRE(info->n_processes <= info->n_samples && info->n_damaged_samples <= info->n_samples);
    REQUIRE(info->first_time <= info->last_time && v->n_back <= info->n_late);
    REQUIRE(info->end <= APF_PERF_END_ENDLESS && info->end_at <= size && !info->directory);
    REQUIRE(info->packed <= size && (info->packed || !info->unpacked));
    check_printed(v->perf);
}

/* ---- reading ---- */

/* Reads a recording of `size` bytes when it is not packed. `most`: the mappings that are kept, 0: as many as may be. */
static struct visited read_recording(const struct apf_input *input, size_t size, uint64_t stop, uint64_t most)
{
    struct visited v = {.stop = stop};
    struct apf_options o = fuzz_options(NULL);
    o.max_records = most;
    v.list.code = apf_perf_open(&v.perf, input, &o, &v.list.error);
    if (v.list.code == APF_OK) {
        v.list.code = apf_perf_read(v.perf, visit_sample, &v, &v.list.error);
        if (v.list.code == APF_OK)
            check_info(&v, size);
        REQUIRE(apf_perf_read(v.perf, NULL, NULL, NULL) == APF_ARGUMENT);
        struct apf_perf_place place = {.size = sizeof place};
        REQUIRE(apf_perf_find(v.perf, 0, &place, NULL) == APF_ARGUMENT);
        record_number(&v.list, apf_perf_info(v.perf)->n_records);
    } else {
        REQUIRE(!v.perf);
    }
    if (v.list.code != APF_OK && v.list.code != STOPPED)
        REQUIRE(v.list.error.code == v.list.code);
    apf_perf_close(v.perf);
    v.perf = NULL;
    return v;
}

static bool same_samples(const struct visited *a, const struct visited *b)
{
    return a->list.code == b->list.code && a->list.n == b->list.n && a->list.digest == b->list.digest;
}

/* Packs n bytes as a stream of gzip. Returns its size. */
static size_t pack(uint8_t *to, size_t room, const uint8_t *p, size_t n)
{
    z_stream z = {0};
    REQUIRE(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = to;
    z.avail_out = (uInt)room;
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    size_t made = room - z.avail_out;
    deflateEnd(&z);
    return made;
}

/* Tables that come after the data, and inside the header, are found in a file only. */
static void check_packed(const uint8_t *data, size_t size, const struct visited *whole)
{
    size_t room = size + size / 8 + 256, half = size / 2;
    uint8_t *packed = malloc(room);
    REQUIRE(packed);
    size_t n = pack(packed, room, data, half);
    n += pack(packed + n, room - n, data + half, size - half);
    struct apf_input input = apf_input_memory(packed, n, "packed");
    struct visited v = read_recording(&input, size, 0, 0);
    bool piped = size >= 16 && (data[8] == 16 || data[15] == 16);
    REQUIRE(v.list.code != APF_OK || same_samples(&v, whole));
    REQUIRE(!piped || v.list.code == whole->list.code);
    free(packed);
}

/* ---- profiles ---- */

static void check_converted(const struct apf_input *input, uint32_t way)
{
    bool movable = way & 1, basic = way & 2;
    struct apf_bolt_convert_options options = {.flags = APF_BOLT_CONVERT_PERF_DATA |
                                                        (basic ? APF_BOLT_CONVERT_BASIC : 0)};
    options.flags |= input->n % 3 == 1 ? APF_BOLT_CONVERT_KEEP_KERNEL : 0;
    options.max_samples = input->n % 5 == 1 ? 3 : 0;
    options.pid = input->n % 7 == 1 ? 100 : 0;
    struct converted c = convert(input, 1, movable, input->n, options);
    if (c.code == APF_OK)
        REQUIRE(c.funnel.perf_data && !c.funnel.perf_script && c.funnel.processes > 0);
    converted_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_input input = fuzz_input(data, size);
    if (fuzz_is_packed(data, size))
        return 0;
    struct visited whole = read_recording(&input, size, 0, 0), again = read_recording(&input, size, 0, 0);
    REQUIRE(same_samples(&whole, &again));
    REQUIRE(whole.list.code == APF_OK || whole.list.code == APF_BAD_RECORDING ||
            whole.list.code == APF_UNSUPPORTED || whole.list.code == APF_LIMIT);
    if (whole.list.n) {
        uint64_t stop = 1 + size % whole.list.n;
        struct visited part = read_recording(&input, size, stop, 0), few = read_recording(&input, size, 0, 5);
        REQUIRE(part.list.code == STOPPED && part.list.n == stop);
        REQUIRE(few.list.code == APF_LIMIT || same_samples(&few, &whole));
    }
    check_packed(data, size, &whole);
    for (uint32_t way = 0; way < 4; way++)
        if (is_way(data, size, way, 4) && (whole.list.code == APF_OK || is_converted_anyway(data, size)))
            check_converted(&input, way);
    return 0;
}
