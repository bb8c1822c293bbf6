/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* pprof's format, compressed. libprotobuf-c makes the bytes of a message in memory, so the profile is written as many
 * small messages, one for each text, function, location and sample, which together are one (profile.proto). */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "export/escaped_text.h"
#include "export/frame_table.h"
#include "export/gzip_out.h"
#include "export/profile.pb-c.h"
#include "export/writers.h"

/* What readers add up, in 63 bits. */
struct pprof_totals {
    struct {
        uint64_t high, low;
    } sums[APF_EXPORT_MOST_VALUES];
    uint64_t n; /* stacks */
};

struct pprof {
    ProtobufCBuffer buffer; /* the first member: append_bytes gets its address */
    struct gzip_out *gzip;
    struct export_run *run;
    struct frame_table frames; /* whose texts are the table of strings */
    size_t n_texts;            /* of these that are written */
    VEC(char) text;            /* the text that is written, terminated */
    VEC(uint64_t) ids;         /* of the locations of the present sample */
    struct pprof_totals totals;
    unsigned shift; /* each number is divided by this power of two */
};

/* ProtobufCBuffer.append */
static void append_bytes(ProtobufCBuffer *buffer, size_t n, const uint8_t *p)
{
    struct pprof *pprof = (struct pprof *)buffer;
    pprof->run->packed += n;
    gzip_append(pprof->gzip, p, n);
}

static void append_message(struct pprof *p, const Anyprof__Pprof__Profile *profile)
{
    (void)anyprof__pprof__profile__pack_to_buffer(profile, &p->buffer);
}

/* ---- strings ---- */

/* Sets p->text. Readers refuse a profile with bytes that are not UTF-8. */
static int escape_text(struct pprof *p, struct apf_str text)
{
    struct escaped_piece piece;
    p->text.n = 0;
    for (size_t at = 0; escaped_next(text, &at, ESCAPED_ALONE, &piece);) {
        if (!VEC_RESERVE(&p->text, piece.n + 1))
            return error_memory(p->run->error);
        memcpy(p->text.data + p->text.n, piece.p, piece.n);
        p->text.n += piece.n;
    }
    return VEC_PUSH(&p->text, '\0') ? APF_OK : error_memory(p->run->error);
}

/* Writes the texts that are new in the table. */
static int append_texts(struct pprof *p)
{
    for (; p->n_texts < p->frames.texts.set.list.n; p->n_texts++) {
        Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
        const int code = escape_text(p, p->frames.texts.set.list.data[p->n_texts]);
        if (code != APF_OK)
            return code;
        profile.n_string_table = 1;
        profile.string_table = &p->text.data;
        append_message(p, &profile);
    }
    return APF_OK;
}

static int find_text(struct pprof *p, const char *text, int64_t *number)
{
    uint32_t n = 0;
    const struct apf_str bytes = {text, strlen(text)};
    int code = text_set_add(&p->frames.texts.set, bytes, &n, p->run->error);
    if (code == APF_OK)
        code = append_texts(p);
    *number = n;
    return code;
}

/* ---- stacks ---- */

static int append_function(struct pprof *p, uint32_t number, const struct apf_export_frame *frame)
{
    Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
    Anyprof__Pprof__Function function = ANYPROF__PPROF__FUNCTION__INIT, *list = &function;
    struct apf_str shown;
    uint32_t name = 0;
    int code = export_name(&p->run->names, frame, &shown, p->run->error);
    if (code == APF_OK)
        code = text_set_add(&p->frames.texts.set, shown, &name, p->run->error);
    if (code == APF_OK)
        code = append_texts(p);
    function.id = (uint64_t)number + 1;
    function.name = name;
    function.system_name = (int64_t)p->frames.functions.list.data[number].a;
    function.filename = (int64_t)p->frames.functions.list.data[number].b;
    profile.n_function = 1;
    profile.function = &list;
    if (code == APF_OK)
        append_message(p, &profile);
    return code;
}

static void append_location(struct pprof *p, uint32_t number, const struct apf_export_frame *frame)
{
    Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
    Anyprof__Pprof__Location location = ANYPROF__PPROF__LOCATION__INIT, *list = &location;
    Anyprof__Pprof__Line line = ANYPROF__PPROF__LINE__INIT, *lines = &line;
    line.function_id = (uint64_t)frame_table_function(&p->frames, number) + 1;
    line.line = frame->line_known ? frame->line : 0;
    location.id = (uint64_t)number + 1;
    location.n_line = 1;
    location.line = &lines;
    profile.n_location = 1;
    profile.location = &list;
    append_message(p, &profile);
}

/* Adds the location of a frame to the sample, and writes it if it is new. */
static int add_location(struct pprof *p, const struct apf_export_frame *frame)
{
    const size_t n_functions = p->frames.functions.list.n, n_locations = p->frames.lines.list.n;
    uint32_t number = 0;
    int code = frame_table_add(&p->frames, p->run, frame, &number);
    if (code == APF_OK && p->frames.functions.list.n > n_functions)
        code = append_function(p, (uint32_t)n_functions, frame);
    if (code == APF_OK && p->frames.lines.list.n > n_locations)
        append_location(p, number, frame);
    if (code == APF_OK && !VEC_PUSH(&p->ids, (uint64_t)number + 1))
        code = error_memory(p->run->error);
    return code;
}

/* Rounds up, so that no number becomes 0. */
static int64_t divided(const struct pprof *p, uint64_t value)
{
    const uint64_t rest = value & (((uint64_t)1 << p->shift) - 1);
    return (int64_t)((value >> p->shift) + (rest != 0));
}

/* An apf_export_stack_fn. */
static int append_stack(void *writer, const struct apf_export_stack *stack)
{
    struct pprof *p = (struct pprof *)writer;
    Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
    Anyprof__Pprof__Sample sample = ANYPROF__PPROF__SAMPLE__INIT, *list = &sample;
    int64_t values[APF_EXPORT_MOST_VALUES];
    int code = APF_OK;
    if (export_is_zero(p->run, stack)) {
        p->run->result->n_zero++;
        return APF_OK;
    }
    p->ids.n = 0;
    for (size_t i = stack->n_frames; i-- > 0 && code == APF_OK;)
        code = add_location(p, &stack->frames[i]);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < p->run->source->n_values; i++)
        values[i] = divided(p, stack->values[i]);
    sample.n_location_id = p->ids.n;
    sample.location_id = p->ids.data;
    sample.n_value = p->run->source->n_values;
    sample.value = values;
    profile.n_sample = 1;
    profile.sample = &list;
    append_message(p, &profile);
    export_count_stack(p->run, stack);
    return APF_OK;
}

/* ---- totals ---- */

/* An apf_export_stack_fn. */
static int add_totals(void *writer, const struct apf_export_stack *stack)
{
    struct pprof *p = (struct pprof *)writer;
    for (size_t i = 0; i < p->run->source->n_values; i++)
        if (ADD_OVERFLOWS(p->totals.sums[i].low, stack->values[i], &p->totals.sums[i].low))
            p->totals.sums[i].high++;
    p->totals.n++;
    return APF_OK;
}

/* Whether the sum of numbers that were divided and rounded up is one of 63 bits. */
static bool fits(uint64_t high, uint64_t low, uint64_t n, unsigned shift)
{
    uint64_t sum = low;
    if (shift) {
        sum = low >> shift | high << (64 - shift);
        high >>= shift;
        if (ADD_OVERFLOWS(sum, n, &sum))
            return false;
    }
    return high == 0 && sum <= INT64_MAX;
}

/* Chooses the smallest divisor with which all sums fit. */
static int choose_divisor(struct pprof *p)
{
    const int code = export_walk(p->run, true, add_totals, p);
    for (size_t i = 0; i < p->run->source->n_values; i++)
        while (p->shift < 63 && !fits(p->totals.sums[i].high, p->totals.sums[i].low, p->totals.n, p->shift))
            p->shift++;
    p->run->result->divisor = (uint64_t)1 << p->shift;
    return code;
}

/* ---- the profile ---- */

static int append_value(struct pprof *p, const struct apf_export_value *value)
{
    Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
    Anyprof__Pprof__ValueType type = ANYPROF__PPROF__VALUE_TYPE__INIT, *list = &type;
    int code = find_text(p, value->name, &type.type);
    if (code == APF_OK)
        code = find_text(p, value->unit, &type.unit);
    profile.n_sample_type = 1;
    profile.sample_type = &list;
    if (code == APF_OK)
        append_message(p, &profile);
    return code;
}

static int append_comment(struct pprof *p, const char *text)
{
    Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
    int64_t comment;
    const int code = find_text(p, text, &comment);
    profile.n_comment = 1;
    profile.comment = &comment;
    if (code == APF_OK)
        append_message(p, &profile);
    return code;
}

/* Says what the numbers were divided by, if they were. */
static int append_divisor(struct pprof *p)
{
    char text[120];
    if (!p->shift)
        return APF_OK;
    (void)snprintf(text, sizeof text,
                   "all numbers are divided by %" PRIu64 ", and rounded up: their sum is above 2^63-1",
                   p->run->result->divisor);
    return append_comment(p, text);
}

static int append_head(struct pprof *p)
{
    const struct apf_export_source *source = p->run->source;
    Anyprof__Pprof__Profile profile = ANYPROF__PPROF__PROFILE__INIT;
    int64_t none;
    int code = find_text(p, "", &none); /* number 0 */
    for (size_t i = 0; i < source->n_values && code == APF_OK; i++)
        code = append_value(p, &source->values[i]);
    if (code == APF_OK)
        code = find_text(p, source->values[0].name, &profile.default_sample_type);
    if (code == APF_OK)
        append_message(p, &profile);
    if (code == APF_OK && source->comment)
        code = append_comment(p, source->comment);
    return code == APF_OK ? append_divisor(p) : code;
}

int pprof_write(struct export_run *run)
{
    struct gzip_out gzip;
    struct pprof p = {.buffer = {append_bytes}, .gzip = &gzip, .run = run};
    int code = gzip_open(&gzip, run->out, run->error);
    if (code != APF_OK)
        return code;
    code = choose_divisor(&p);
    if (code == APF_OK)
        code = append_head(&p);
    if (code == APF_OK)
        code = export_walk(run, true, append_stack, &p);
    gzip_close(&gzip);
    frame_table_free(&p.frames);
    VEC_FREE(&p.text);
    VEC_FREE(&p.ids);
    return code;
}
