/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text of perf script, with branches and instructions, of a program that is loaded at any address or not at all; a
 * line "ids" is followed by the output of perf buildid-list. Every text goes through the reader alone, which is
 * cheap; texts that the reader accepts are also converted. A text and its two parts have the same records and give
 * the same profile. */
#include "fuzz_samples.h"
#include "perf/perf_script.h"

/* Like find_parting, but 0 if the second part looks compressed. */
static size_t find_unpacked_parting(const uint8_t *data, size_t n)
{
    size_t at = find_parting(data, n);
    return fuzz_is_packed(data + at, n - at) ? 0 : at;
}

/* ---- records ---- */

static int add_record(void *user, const struct perf_record *r, struct apf_error *error)
{
    struct record_list *l = user;
    bool mapping = r->kind == PERF_MAPPING;
    (void)error;
    l->n++;
    record_number(l, r->kind);
    record_number(l, r->pid);
    record_number(l, r->fields);
    record_text(l, r->event);
    record_number(l, r->address);
    record_number(l, r->data);
    for (size_t i = 0; i < r->n_branches; i++) {
        record_number(l, r->branches[i].from);
        record_number(l, r->branches[i].to);
        record_number(l, r->branches[i].flags);
    }
    if (mapping) {
        record_number(l, r->start);
        record_number(l, r->size);
        record_number(l, r->offset);
        record_text(l, r->path);
        record_text(l, (struct apf_str){(const char *)r->build_id.bytes, r->build_id.n});
    }
    record_number(l, r->parent);
    record_number(l, 2u * r->executable + r->untimed);
    return APF_OK;
}

/* Reads data[0, n) and, if that succeeds, data[n, size). */
static struct record_list read_records(const uint8_t *data, size_t n, size_t size)
{
    struct record_list l = {.code = APF_OK};
    struct perf_script script = {.n_lines = 0};
    struct apf_input parts[2] = {apf_input_memory(size ? (const void *)data : "", n, "first"),
                                 apf_input_memory(size ? (const void *)(data + n) : "", size - n, "second")};
    for (size_t i = 0; i < 2 && l.code == APF_OK; i++)
        l.code = perf_script_read(&script, &parts[i], UINT64_MAX, add_record, &l, &l.error);
    REQUIRE(script.n_events + script.n_other + l.n <= script.n_lines && script.n_lines <= size);
    REQUIRE(script.n_lost <= script.n_events && (script.first_other != 0) == (script.n_other != 0));
    record_number(&l, script.n_lines);
    record_number(&l, script.n_events);
    record_number(&l, script.n_lost);
    record_number(&l, script.n_other);
    record_number(&l, script.not_taken);
    perf_script_free(&script);
    return l;
}

/* ---- profiles ---- */

static bool is_line_of_ids(const uint8_t *p, size_t n)
{
    return n >= 4 && memcmp(p, "ids\n", 4) == 0;
}

/* Returns the offset of the list of build ids, or size if there is none. */
static size_t find_ids(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((i == 0 || data[i - 1] == '\n') && is_line_of_ids(data + i, size - i))
            return i;
    return size;
}

static void check_counts(const struct apf_bolt_funnel *f, bool basic)
{
    REQUIRE(f->perf_script && f->processes > 0);
    REQUIRE(f->samples_elsewhere <= f->samples && f->samples + f->samples_beyond <= f->records);
    REQUIRE(f->entries_kernel + f->entries_repeated <= f->entries &&
            f->entries_without_prediction <= f->entries);
    REQUIRE((f->first_other_line != 0) == (f->lines_other != 0));
    if (basic)
        REQUIRE(f->entries == 0 && f->branches == 0 && f->basic <= f->samples);
    else
        REQUIRE(f->branches == f->entries - f->entries_kernel - f->entries_repeated &&
                f->falls <= f->branches);
}

static void check_parts(const uint8_t *data, size_t size, const struct converted *whole, bool movable,
                        struct apf_bolt_convert_options options)
{
    size_t n = find_unpacked_parting(data, size);
    struct apf_input parts[2] = {apf_input_memory(data, n, "first"),
                                 apf_input_memory(data + n, size - n, "second")};
    if (n == 0)
        return;
    struct converted c = convert(parts, 2, movable, size, options);
    REQUIRE(c.code == whole->code);
    if (c.code == APF_OK) {
        REQUIRE(same_profile(&c, whole) && c.funnel.samples == whole->funnel.samples);
        REQUIRE(c.funnel.entries == whole->funnel.entries && c.funnel.records == whole->funnel.records);
    }
    converted_free(&c);
}

static void check_way(const struct apf_input *text, const struct apf_input *ids, uint32_t way,
                      const struct record_list *records)
{
    bool movable = way & 1, basic = way & 2;
    size_t size = text->n + (ids ? ids->n + 4 : 0);
    struct apf_bolt_convert_options options = {.flags = APF_BOLT_CONVERT_PERF_SCRIPT |
                                                        (basic ? APF_BOLT_CONVERT_BASIC : 0)};
    options.flags |= size % 3 == 1 ? APF_BOLT_CONVERT_KEEP_KERNEL : 0;
    options.max_samples = size % 5 == 1 ? 3 : 0;
    options.pid = size % 7 == 1 ? 100 : 0;
    options.build_ids = ids;
    struct converted whole = convert(text, 1, movable, size, options);
    REQUIRE(records->code == APF_OK || whole.code != APF_OK);
    REQUIRE(records->code != APF_OK || ids || whole.code != APF_BAD_SAMPLES);
    if (whole.code == APF_OK)
        check_counts(&whole.funnel, basic);
    check_parts(text->data, text->n, &whole, movable, options);
    converted_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = find_ids(data, size), skip = n < size ? 4 : 0, parting = find_unpacked_parting(data, n);
    struct apf_input text = apf_input_memory(n ? (const void *)data : "", n, "fuzz"),
                     ids = apf_input_memory(size > n + skip ? (const void *)(data + n + skip) : "",
                                            size - n - skip, "ids");
    if (fuzz_is_packed(data, n) || fuzz_is_packed(data + n + skip, size - n - skip))
        return 0;
    struct record_list records = read_records(data, n, n), parts = read_records(data, parting, n);
    check_records(&records, &parts, n);
    for (uint32_t way = 0; way < 4; way++)
        if (is_way(data, size, way, 4) && (records.code == APF_OK || is_converted_anyway(data, size)))
            check_way(&text, skip ? &ids : NULL, way, &records);
    return 0;
}
