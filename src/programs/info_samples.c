/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of samples and recordings: texts of BOLT, text of perf script, perf.data. */
#include <string.h>

#include <anyprof/bolt.h>

#include "base/error.h"
#include "base/file_lines.h"
#include "base/options.h"
#include "base/text_scan.h"
#include "bolt/bolt_begins.h"
#include "bolt/preagg_read.h"
#include "jobs/file_detect.h"
#include "jobs/info.h"
#include "perf/perf_data.h"
#include "perf/perf_script.h"

/* ---- profiles of BOLT ---- */

bool file_begins_fdata(const uint8_t *data, size_t n)
{
    return fdata_begins(data, n);
}

bool file_begins_bolt_samples(const uint8_t *data, size_t n)
{
    return preagg_begins(data, n);
}

int info_read_bolt_yaml(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_bolt_yaml *yaml;
    int code = apf_bolt_yaml_new(&yaml, r->options, error);
    if (code == APF_OK)
        code = apf_bolt_yaml_read(yaml, &input, 1, error);
    if (code == APF_OK)
        r->facts->n_functions = apf_bolt_yaml_info(yaml)->n_functions;
    apf_bolt_yaml_free(yaml);
    return code;
}

int info_read_fdata(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct apf_fdata *fdata;
    int code = apf_fdata_new(&fdata, r->options, error);
    if (code == APF_OK)
        code = apf_fdata_read(fdata, &input, 1, error);
    if (code == APF_OK) {
        const struct apf_fdata_info *info = apf_fdata_info(fdata);
        r->file->kind = APF_KIND_BOLT_FDATA;
        if (!info_add_number(r, "branches", info->n_branches) ||
            !info_add_number(r, "samples", info->n_samples) ||
            !info_add_number(r, "memory_events", info->n_memory))
            code = error_memory(error);
    }
    apf_fdata_free(fdata);
    return code;
}

static int pass_sample(void *user, const struct branch_sample *sample, struct apf_error *error)
{
    uint64_t *total = user;
    (void)error;
    *total += sample->count;
    return APF_OK;
}

int info_read_bolt_samples(struct info_reader *r, struct apf_error *error)
{
    struct text_set events = {0};
    uint64_t n = 0, total = 0;
    int code = preagg_read((const char *)r->bytes.data, r->bytes.n, &events, pass_sample, &total, &n, error);
    if (code == APF_OK && n == 0) /* an empty text has no kind */
        code = APF_UNRECOGNIZED_FORMAT;
    if (code == APF_OK) {
        r->file->kind = APF_KIND_BOLT_SAMPLES;
        if (!info_add_number(r, "records", n) || !info_add_number(r, "samples", total))
            code = error_memory(error);
    }
    text_set_free(&events);
    return code;
}

/* ---- text of perf script ---- */

struct perf_counts {
    uint64_t n_samples, n_mappings;
    bool certain; /* a line proves the kind */
};

static int pass_perf(void *user, const struct perf_record *record, struct apf_error *error)
{
    struct perf_counts *c = user;
    (void)error;
    c->n_samples += record->kind == PERF_SAMPLE;
    c->n_mappings += record->kind == PERF_MAPPING;
    c->certain |= record->n_branches || record->kind == PERF_MAPPING;
    return APF_OK;
}

/* Whether a line has a branch stack, after an address or not. */
static bool has_stack(struct text_scan at)
{
    uint64_t address;
    scan_blanks(&at);
    if (!scan_begins(&at, "0x")) {
        scan_hex(&at, &address);
        scan_blanks(&at);
    }
    return scan_text(&at, "0x") && scan_hex(&at, &address) && scan_text(&at, "/0x");
}

/* Counts what `perf script -F ip,brstack --show-mmap-events` prints, for llvm-profgen: samples without processes. Other
 * lines are frames of call stacks, or unknown. */
static int count_stacks(const struct apf_input *input, struct perf_counts *counts, struct apf_error *error)
{
    static const char mapping[] = "PERF_RECORD_MMAP";
    struct file_lines lines;
    int code = file_lines_open(&lines, input, UINT64_MAX, error);
    *counts = (struct perf_counts){0, 0, false};
    while (code == APF_OK && (code = file_lines_next(&lines, error)) == APF_OK) {
        struct text_scan at = {lines.line, lines.line + lines.n};
        counts->n_samples += has_stack(at);
        scan_blanks(&at);
        counts->n_mappings += scan_begins(&at, mapping);
    }
    file_lines_close(&lines);
    return code == APF_END ? APF_OK : code;
}

/* APF_UNRECOGNIZED_FORMAT if the kind was not known before: the text may be of any other kind. */
int info_read_script(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct perf_script script = {.n_lines = 0};
    struct perf_counts counts = {0, 0, false};
    bool known = r->facts->file->kind == APF_KIND_PERF_SCRIPT;
    int code = perf_script_read(&script, &input, UINT64_MAX, pass_perf, &counts, error);
    uint64_t other = script.n_other + script.n_events;
    perf_script_free(&script);
    if (code == APF_BAD_SAMPLES && known && strcmp(error->where, "perf.pid") == 0) {
        struct apf_error second;
        struct perf_counts stacks;
        if (count_stacks(&input, &stacks, &second) == APF_OK && stacks.n_samples) {
            counts = stacks;
            code = APF_OK;
        }
    }
    if (code == APF_OK && !known && (!counts.certain || script.n_other))
        code = APF_UNRECOGNIZED_FORMAT;
    if (code != APF_OK)
        return code;
    r->file->kind = APF_KIND_PERF_SCRIPT;
    bool done = info_add_number(r, "samples", counts.n_samples) &&
                info_add_number(r, "mappings", counts.n_mappings) && info_add_number(r, "other_lines", other);
    return done ? APF_OK : error_memory(error);
}

/* ---- perf.data ---- */

/* Sets the size of a directory, to that of the files in it that have one. */
static void add_sizes(struct info_reader *r, const struct perf_data *data)
{
    for (size_t i = 0; r->directory && i < data->streams.n; i++)
        r->file->file_size += data->streams.data[i].source.seekable ? data->streams.data[i].source.size : 0;
    if (r->directory)
        r->facts->unpacked_size = r->file->file_size;
}

/* Where the parts of a file are. */
static bool add_parts(struct info_reader *r, const struct perf_header *h)
{
    return r->directory || (info_add_part(r, "header", 0, h->size, 0) &&
                            (h->piped || (info_add_part(r, "events", h->attrs.at, h->attrs.size, 0) &&
                                          info_add_part(r, "data", h->data.at, h->data.size, 0))));
}

int info_read_perf(struct info_reader *r, struct apf_error *error)
{
    struct apf_input input = info_input(r);
    struct perf_counts counts = {0, 0, false};
    struct perf_data data;
    int code =
        perf_data_open(&data, &input, r->directory ? options_max_bytes(r->options) : UINT64_MAX, error);
    if (code == APF_OK)
        code = perf_data_read(&data, pass_perf, &counts, error);
    const struct perf_header *h = &data.header;
    r->facts->big_endian = h->big_endian;
    add_sizes(r, &data);
    bool done =
        code != APF_OK ||
        ((!h->piped || info_add_number(r, "piped", 1)) &&
         (!r->directory || info_add_number(r, "files", data.streams.n)) &&
         info_add_number(r, "events", data.attrs.list.n) && info_add_number(r, "samples", counts.n_samples) &&
         info_add_number(r, "mappings", counts.n_mappings) &&
         (data.counts.end == APF_PERF_END_WHOLE || info_add_number(r, "cut_at", data.counts.end_at)) &&
         add_parts(r, h));
    perf_data_close(&data);
    return done ? code : error_memory(error);
}

/* ---- any text that is no profile of instrumentation ---- */

/* Whether a reader accepted the first line: then the text is of that kind, and damaged. The reader of perf script does
 * not count: it accepts any line. */
static bool got_on(uint32_t kind, int code, const struct apf_error *error)
{
    return kind != APF_KIND_PERF_SCRIPT && code != APF_UNRECOGNIZED_FORMAT && error->line > 1;
}

/* The first reader that succeeds describes the text; else the first one that accepted a line, with its error. */
int info_read_other_text(struct info_reader *r, struct apf_error *error)
{
    static const struct {
        uint32_t kind;
        int (*read)(struct info_reader *r, struct apf_error *error);
    } readers[] = {{APF_KIND_BOLT_FDATA, info_read_fdata},
                   {APF_KIND_BOLT_SAMPLES, info_read_bolt_samples},
                   {APF_KIND_PERF_SCRIPT, info_read_script}};
    struct apf_error others[sizeof readers / sizeof *readers];
    int damaged = -1;
    for (int i = 0; i < (int)(sizeof readers / sizeof *readers); i++) {
        int code = readers[i].read(r, &others[i]);
        if (code == APF_OK || code == APF_NO_MEMORY)
            return code == APF_OK ? APF_OK : error_memory(error);
        r->numbers.n = 0;
        if (damaged < 0 && got_on(readers[i].kind, code, &others[i]))
            damaged = i;
    }
    if (damaged < 0)
        return APF_UNRECOGNIZED_FORMAT;
    r->file->kind = readers[damaged].kind;
    *error = others[damaged];
    return error->code;
}
