/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/check/sample_checker.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

/* ---- places ---- */

#define FORMATS APF_SAMPLE_JSON
#define PATHS(path)                                                                                          \
    {"sample.text." path, "sample.binary." path, "sample.compact." path, "sample.ext." path,                 \
     "sample.gcc." path,  "sample.merged." path, "sample.json." path}

/* By format. */
static const char *const paths[SAMPLE_PLACES][FORMATS] = {
    [SAMPLE_AT_FUNCTION] = PATHS("function.repeated"),
    [SAMPLE_AT_TOTAL] = PATHS("function.total"),
    [SAMPLE_AT_HEAD] = PATHS("function.head"),
    [SAMPLE_AT_LINE] = PATHS("function.line"),
    [SAMPLE_AT_REPEATED_LINE] = PATHS("function.lines"),
    [SAMPLE_AT_TARGETS] = PATHS("function.targets"),
    [SAMPLE_AT_INLINED] = PATHS("function.inlined"),
    [SAMPLE_AT_DISCRIMINATOR] = PATHS("function.discriminator"),
    [SAMPLE_AT_ATTRIBUTES] = PATHS("function.attributes"),
    [SAMPLE_AT_LOST_ATTRIBUTES] = PATHS("function.attributes.kept"),
    [SAMPLE_AT_CHECKSUM] = PATHS("function.checksum"),
    [SAMPLE_AT_NAME] = PATHS("function.name"),
    [SAMPLE_AT_NAMES_ORDER] = PATHS("names.order"),
    [SAMPLE_AT_EMPTY_NAME] = PATHS("names.empty"),
    [SAMPLE_AT_REPEATED_NAME] = PATHS("names.repeated"),
    [SAMPLE_AT_UNUSED_NAME] = PATHS("names.unused"),
    [SAMPLE_AT_FLAGS] = PATHS("flags"),
    [SAMPLE_AT_SYMBOLS] = PATHS("symbols"),
    [SAMPLE_AT_SUMMARY_TOTAL] = PATHS("summary.total"),
    [SAMPLE_AT_SUMMARY_MAX_COUNT] = PATHS("summary.max_count"),
    [SAMPLE_AT_SUMMARY_MAX_HEAD] = PATHS("summary.max_head"),
    [SAMPLE_AT_SUMMARY_COUNTS] = PATHS("summary.num_counts"),
    [SAMPLE_AT_SUMMARY_FUNCTIONS] = PATHS("summary.num_functions"),
    [SAMPLE_AT_SUMMARY_CUTOFF] = PATHS("summary.cutoff"),
    [SAMPLE_AT_SUMMARY_MIN_COUNT] = PATHS("summary.cutoff.min_count"),
    [SAMPLE_AT_SUMMARY_ROW] = PATHS("summary.cutoff.num_counts"),
};

const char *sample_check_path(const struct sample_checker *k, enum sample_place place)
{
    return paths[place][k->s->info.format - 1];
}

uint64_t sample_check_offset(const struct sample_checker *k, uint32_t node)
{
    return node < k->origins.offsets.n ? k->origins.offsets.data[node] : NO_OFFSET;
}

/* ---- names of functions ---- */

#define MOST_FRAMES 16u
#define MOST_NAME 180u /* bytes of the name of a frame */
_Static_assert(MOST_FRAMES *(MOST_NAME + 3 * DECIMAL_MAX + 8) < SAMPLE_CHECK_NAME, "frames fit");

/* A frame of a context: a function, and where it calls the next one. */
struct frame {
    uint64_t at;
    uint32_t name;
};

static size_t append_bytes(char *to, size_t n, const char *p, size_t n_bytes)
{
    if (n_bytes)
        memcpy(to + n, p, n_bytes);
    return n + n_bytes;
}

static size_t append_number(char *to, size_t n, uint64_t number)
{
    uint8_t digits[DECIMAL_MAX];
    return append_bytes(to, n, (const char *)digits, decimal_store(digits, number));
}

static size_t append_frame(char *to, size_t n, const struct apf_sample *s, const struct frame *frame,
                           size_t most, bool last)
{
    const struct sample_name *name = &s->names.list.data[frame->name];
    if (!name->p)
        n = append_number(to, n, name->hash);
    else
        n = append_bytes(to, n, name->p, name->n < most ? name->n : most);
    if (name->p && name->n > most)
        n = append_bytes(to, n, "...", 3);
    if (last)
        return n;
    n = append_bytes(to, n, ":", 1);
    n = append_number(to, n, sample_place_line(frame->at));
    if (sample_place_discriminator(frame->at)) {
        n = append_bytes(to, n, ".", 1);
        n = append_number(to, n, sample_place_discriminator(frame->at));
    }
    return append_bytes(to, n, " @ ", 3);
}

/* Sets the function to n frames, of which the innermost is the first. */
static void set_frames(struct sample_checker *k, const struct apf_sample *s, const struct frame *frames,
                       size_t n, bool cut, uint64_t checksum)
{
    size_t most = n > 1 ? MOST_NAME : SAMPLE_CHECK_NAME - 8;
    struct apf_str text = {k->name, cut ? append_bytes(k->name, 0, "... @ ", 6) : 0};
    while (n-- > 0)
        text.n = append_frame(k->name, text.n, s, &frames[n], most, n == 0);
    check_function(k->c, text, checksum);
}

/* Adds the callers of a context to n frames. */
static size_t add_callers(const struct apf_sample *s, uint32_t context, struct frame *frames, size_t n,
                          bool *cut)
{
    const struct sample_context *c = &s->contexts.list.data[context];
    for (; c->caller != SAMPLE_NONE && n < MOST_FRAMES; n++) {
        const struct sample_context *caller = &s->contexts.list.data[c->caller];
        struct frame frame = {c->at, caller->name};
        frames[n] = frame;
        c = caller;
    }
    *cut = c->caller != SAMPLE_NONE;
    return n;
}

void sample_check_node(struct sample_checker *k, uint32_t node)
{
    const struct apf_sample *s = k->s;
    const struct sample_node *f = &s->nodes.data[node];
    uint64_t checksum = f->checksum;
    struct frame frames[MOST_FRAMES] = {{0, f->name}};
    size_t n = 1;
    bool cut = false;
    for (; f->caller != SAMPLE_NONE && n < MOST_FRAMES; n++) {
        const struct sample_node *caller = &s->nodes.data[f->caller];
        struct frame frame = {f->at, caller->name};
        frames[n] = frame;
        f = caller;
    }
    if (f->caller != SAMPLE_NONE)
        cut = true;
    else
        n = add_callers(s, f->context, frames, n, &cut);
    set_frames(k, s, frames, n, cut, checksum);
}

void sample_check_context(struct sample_checker *k, const struct apf_sample *s, uint32_t context)
{
    struct frame frames[MOST_FRAMES] = {{0, s->contexts.list.data[context].name}};
    bool cut;
    size_t n = add_callers(s, context, frames, 1, &cut);
    set_frames(k, s, frames, n, cut, 0);
}

void sample_check_name(struct sample_checker *k, struct apf_str name)
{
    const size_t most = SAMPLE_CHECK_NAME - 8;
    struct apf_str text = {k->name, append_bytes(k->name, 0, name.p, name.n < most ? name.n : most)};
    if (name.n > most)
        text.n = append_bytes(k->name, text.n, "...", 3);
    check_function(k->c, text, 0);
}

/* ---- findings with numbers ---- */

#define DETAIL 192 /* bytes of the detail of a finding */

static void report_numbers(struct sample_checker *k, uint32_t severity, int code, struct error_at at,
                           const char *relation, const char *detail)
{
    char text[DETAIL + 64];
    snprintf(text, sizeof text, "%s: found %llu, expected %s%llu", detail, (unsigned long long)at.found,
             relation, (unsigned long long)at.expected);
    check_with_numbers(k->c, severity, code, at, text);
}

bool sample_check_result(struct sample_checker *k, int code, const struct apf_error *error)
{
    if (code != APF_OK)
        check_failure(k->c, error);
    return code == APF_OK;
}

void sample_check_numbers(struct sample_checker *k, uint32_t severity, int code, struct error_at at,
                          const char *detail)
{
    if (at.offset == NO_OFFSET || k->c->lines.text)
        report_numbers(k, severity, code, at, "", detail);
    else
        check_at(k->c, severity, code, at, detail);
}

void sample_check_bound(struct sample_checker *k, uint32_t severity, int code, struct error_at at,
                        const char *detail)
{
    if (at.offset == NO_OFFSET || k->c->lines.text)
        report_numbers(k, severity, code, at, at.found > at.expected ? "at most " : "at least ", detail);
    else
        check_bound(k->c, severity, code, at, detail);
}

static void make_times(char text[DETAIL], uint64_t n, const char *detail)
{
    if (n > 1)
        snprintf(text, DETAIL, "%s (and %llu more)", detail, (unsigned long long)n - 1);
    else
        snprintf(text, DETAIL, "%s", detail);
}

void sample_check_times(struct sample_checker *k, uint32_t severity, struct error_at at, uint64_t n,
                        const char *detail)
{
    char text[DETAIL];
    make_times(text, n, detail);
    check_with_numbers(k->c, severity, severity == APF_SEVERITY_NOTE ? APF_NOTE : APF_INCONSISTENT, at, text);
}

/* ---- notes ---- */

void sample_check_note(struct sample_checker *k, enum sample_note note, uint32_t node, uint64_t found,
                       uint64_t expected)
{
    struct sample_tally *t = &k->notes[note];
    if (t->n++)
        return;
    t->node = node;
    t->offset = sample_check_offset(k, node);
    t->found = found;
    t->expected = expected;
}

struct note_row {
    enum sample_place place;
    const char *detail;
    bool bound; /* the numbers are part of the message */
};

static const struct note_row note_rows[SAMPLE_NOTES] = {
    [SAMPLE_NOTE_SMALL_TOTAL] = {SAMPLE_AT_TOTAL,
                                 "the total is smaller than the sum of the lines and of what is inlined",
                                 true},
    [SAMPLE_NOTE_LARGE_HEAD] = {SAMPLE_AT_HEAD, "more entries than samples", true},
    [SAMPLE_NOTE_ATTRIBUTES] = {SAMPLE_AT_ATTRIBUTES, "attributes without a meaning", false},
    [SAMPLE_NOTE_DUPLICATED] = {SAMPLE_AT_ATTRIBUTES,
                                "marked as a copy of itself, which only an inlined function can be", false},
    [SAMPLE_NOTE_LOST_ATTRIBUTES] = {SAMPLE_AT_LOST_ATTRIBUTES,
                                     "attributes that LLVM's extbinary does not store in such a profile",
                                     false},
    [SAMPLE_NOTE_LINES] = {SAMPLE_AT_REPEATED_LINE, "a line has several counts, which are added up", false},
    [SAMPLE_NOTE_TARGETS] = {SAMPLE_AT_TARGETS,
                             "a call target of a line has several counts, which are added up", false},
    [SAMPLE_NOTE_INLINED] = {SAMPLE_AT_INLINED, "inlined in one place repeatedly: its counts are added up",
                             false},
    [SAMPLE_NOTE_FUNCTIONS] = {SAMPLE_AT_FUNCTION, "the function is there once more: the counts are added up",
                               false},
    [SAMPLE_NOTE_UNLISTED] = {SAMPLE_AT_SYMBOLS, "the list of all functions lacks a function", false},
};

void sample_check_notes(struct sample_checker *k)
{
    for (unsigned i = 0; i < SAMPLE_NOTES; i++) {
        const struct note_row *row = &note_rows[i];
        const struct sample_tally *t = &k->notes[i];
        struct error_at at = {sample_check_path(k, row->place), t->offset, t->found, t->expected};
        char text[DETAIL];
        if (!t->n)
            continue;
        sample_check_node(k, t->node);
        make_times(text, t->n, row->detail);
        if (row->bound)
            sample_check_bound(k, APF_SEVERITY_NOTE, APF_NOTE, at, text);
        else
            check_with_numbers(k->c, APF_SEVERITY_NOTE, APF_NOTE, at, text);
        check_no_function(k->c);
    }
}
