/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pre-aggregated samples of branches and instructions. Every input goes through the reader alone, which is cheap;
 * inputs that the reader accepts are also converted with a program. A text and its two parts, in either order, have
 * the same records and give the same profile. */
#include "bolt/preagg_read.h"
#include "fuzz_samples.h"

static int add_record(void *user, const struct branch_sample *s, struct apf_error *error)
{
    struct record_list *l = user;
    (void)error;
    REQUIRE(s->count <= APF_FDATA_MOST && s->mispredictions <= APF_FDATA_MOST);
    l->n++;
    record_number(l, s->kind);
    record_number(l, s->branch);
    record_number(l, s->from);
    record_number(l, s->to);
    record_number(l, s->count);
    record_number(l, s->mispredictions);
    return APF_OK;
}

/* Reads data[0, n) and, if that succeeds, data[n, size). */
static struct record_list read_records(const uint8_t *data, size_t n, size_t size)
{
    struct record_list l = {.code = APF_OK};
    struct text_set events = {.arena = {0}};
    const char *p = size ? (const char *)data : "";
    uint64_t records = 0;
    l.code = preagg_read(p, n, &events, add_record, &l, &records, &l.error);
    if (l.code == APF_OK && n < size)
        l.code = preagg_read(p + n, size - n, &events, add_record, &l, &records, &l.error);
    REQUIRE(records == l.n);
    for (size_t i = 0; i < events.list.n; i++) {
        record_number(&l, events.list.data[i].n);
        record_text(&l, events.list.data[i]);
    }
    text_set_free(&events);
    return l;
}

static void check_parts(const uint8_t *data, size_t size, const struct converted *whole,
                        struct apf_bolt_convert_options options)
{
    size_t n = find_parting(data, size);
    struct apf_input parts[2] = {apf_input_memory(data, n, "first"),
                                 apf_input_memory(data + n, size - n, "second")},
                     other[2] = {parts[1], parts[0]};
    if (n == 0 || fuzz_is_packed(data + n, size - n))
        return;
    struct converted a = convert(parts, 2, false, size, options), b = convert(other, 2, false, size, options);
    REQUIRE(a.code == whole->code);
    REQUIRE((b.code == APF_OK) == (whole->code == APF_OK));
    if (whole->code == APF_OK) {
        REQUIRE(same_profile(&a, whole) && same_profile(&b, whole));
        REQUIRE(a.funnel.records == whole->funnel.records && b.funnel.records == whole->funnel.records);
    }
    converted_free(&a);
    converted_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_input text = apf_input_memory(size ? (const void *)data : "", size, "fuzz");
    struct record_list records = read_records(data, size, size),
                       parts = read_records(data, find_parting(data, size), size);
    check_records(&records, &parts, size);
    if (fuzz_is_packed(data, size) || (records.code != APF_OK && !is_converted_anyway(data, size)))
        return 0;
    for (uint32_t way = 0; way < 2; way++) {
        struct apf_bolt_convert_options options = {.flags = way ? APF_BOLT_CONVERT_BASIC : 0};
        if (!is_way(data, size, way, 2))
            continue;
        struct converted whole = convert(&text, 1, false, size, options);
        REQUIRE(whole.code != APF_NOT_RECORDED && !whole.funnel.perf_script);
        REQUIRE(records.code == APF_OK ? whole.code != APF_BAD_SAMPLES : whole.code == records.code);
        check_parts(data, size, &whole, options);
        converted_free(&whole);
    }
    return 0;
}
