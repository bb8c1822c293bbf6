/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Segments of regions that nest, and of regions that cross, beside the rule as it is written down: active regions are a
 * list that is searched as a whole. */
#include <string.h>

#include "cov/segments.h"
#include "helpers/shared/unit.h"

#define MOST 40
#define ROUNDS 20000

struct rule {
    struct span spans[MOST];
    size_t n;
    struct segment list[4 * MOST];
    size_t n_list;
    size_t active[MOST], n_active;
};

static uint64_t begin_of(const struct span *s)
{
    return (uint64_t)s->line << 32 | s->column;
}

static uint64_t end_of(const struct span *s)
{
    return (uint64_t)s->end_line << 32 | s->end_column;
}

static void sort_spans(struct rule *r)
{
    for (size_t i = 1; i < r->n; i++) {
        const struct span moved = r->spans[i];
        size_t k = i;
        for (; k > 0; k--) {
            const struct span *before = &r->spans[k - 1];
            if (begin_of(before) < begin_of(&moved))
                break;
            if (begin_of(before) == begin_of(&moved) &&
                (end_of(before) > end_of(&moved) ||
                 (end_of(before) == end_of(&moved) && before->kind <= moved.kind)))
                break;
            r->spans[k] = *before;
        }
        r->spans[k] = moved;
    }
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct span *last = &r->spans[n ? n - 1 : 0];
        if (n && begin_of(last) == begin_of(&r->spans[i]) && end_of(last) == end_of(&r->spans[i]))
            last->count += last->kind == r->spans[i].kind ? r->spans[i].count : 0;
        else
            r->spans[n++] = r->spans[i];
    }
    r->n = n;
}

static void emit(struct rule *r, const struct span *s, uint64_t at, bool entry, bool skip)
{
    const struct segment *last = r->n_list ? &r->list[r->n_list - 1] : NULL;
    const bool has = !skip && s->kind != REGION_SKIPPED;
    if (last && !entry && !skip && last->has_count == has && last->count == s->count && !last->is_entry)
        return;
    r->list[r->n_list++] = (struct segment){(uint32_t)(at >> 32),         (uint32_t)at,      has, entry,
                                            has && s->kind == REGION_GAP, has ? s->count : 0};
}

static void complete(struct rule *r, bool has_place, uint64_t at, size_t first)
{
    for (size_t i = first + 1; i < r->n_active; i++)
        for (size_t k = i; k > first && end_of(&r->spans[r->active[k - 1]]) > end_of(&r->spans[r->active[k]]);
             k--) {
            const size_t moved = r->active[k];
            r->active[k] = r->active[k - 1];
            r->active[k - 1] = moved;
        }
    for (size_t i = first + 1; i < r->n_active; i++) {
        const struct span *region = &r->spans[r->active[i]];
        const uint64_t before = end_of(&r->spans[r->active[i - 1]]);
        if (has_place && before == at)
            break;
        if (before == end_of(region))
            continue;
        for (size_t k = i + 1; k < r->n_active; k++)
            if (end_of(&r->spans[r->active[k]]) == end_of(region))
                region = &r->spans[r->active[k]];
        emit(r, region, before, false, false);
    }
    const struct span *last = &r->spans[r->active[r->n_active - 1]];
    if (first && end_of(last) != at)
        emit(r, &r->spans[r->active[first - 1]], end_of(last), false, false);
    else if (first == 0 && (!has_place || end_of(last) != at))
        emit(r, last, end_of(last), false, true);
    r->n_active = first;
}

static void by_the_rule(struct rule *r)
{
    sort_spans(r);
    for (size_t i = 0; i < r->n; i++) {
        const struct span *s = &r->spans[i];
        size_t kept = 0, n_ended = 0, ended[MOST];
        for (size_t k = 0; k < r->n_active; k++)
            if (end_of(&r->spans[r->active[k]]) <= begin_of(s))
                ended[n_ended++] = r->active[k];
            else
                r->active[kept++] = r->active[k];
        memcpy(r->active + kept, ended, n_ended * sizeof *ended);
        if (n_ended)
            complete(r, true, begin_of(s), kept);
        const struct span *inner = r->n_active ? &r->spans[r->active[r->n_active - 1]] : NULL;
        const bool is_last = i + 1 == r->n;
        if (begin_of(s) == end_of(s)) {
            const bool skip = is_last || s->kind == REGION_SKIPPED;
            emit(r, inner ? inner : s, begin_of(s), s->kind != REGION_GAP, skip);
            if (skip && inner)
                emit(r, inner, begin_of(s), false, false);
            continue;
        }
        if (is_last || begin_of(&r->spans[i + 1]) != begin_of(s))
            emit(r, s, begin_of(s), s->kind != REGION_GAP, false);
        r->active[r->n_active++] = i;
    }
    if (r->n_active)
        complete(r, false, 0, 0);
}

static void compare(const struct segments *s, const struct rule *r, unsigned round)
{
    if (s->list.n != r->n_list)
        fail_msg("round %u: %zu segments, not %zu", round, s->list.n, r->n_list);
    for (size_t i = 0; i < r->n_list; i++) {
        const struct segment *a = &s->list.data[i], *b = &r->list[i];
        if (i && (a->line < a[-1].line || (a->line == a[-1].line && a->column < a[-1].column)))
            fail_msg("round %u: segment %zu goes back", round, i);
        if (a->line != b->line || a->column != b->column || a->count != b->count ||
            a->has_count != b->has_count || a->is_entry != b->is_entry || a->is_gap != b->is_gap)
            fail_msg("round %u: segment %zu differs, at %u:%u, not %u:%u", round, i, a->line, a->column,
                     b->line, b->column);
    }
}

static void test_random(void **state)
{
    struct segments s = {.one_byte = false};
    static struct rule r;
    uint64_t random = 7;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t places = round % 3 ? 6 : 30;
        memset(&r, 0, sizeof r);
        const size_t n = 1 + next_random(&random) % MOST;
        while (r.n < n) {
            uint64_t a = next_random(&random) % places, b = next_random(&random) % places;
            if (a > b || round % 5 == 0) { /* some rounds have only proper nests around the middle */
                a = a > places / 2 ? places - a : a;
                b = places - a;
            }
            const struct span span = {(uint32_t)(1 + a / 4),    (uint32_t)(1 + a % 4),
                                      (uint32_t)(1 + b / 4),    (uint32_t)(1 + b % 4),
                                      next_random(&random) % 3, (uint8_t)(next_random(&random) % 4)};
            r.spans[r.n++] = span;
            assert_true(VEC_PUSH(&s.spans, span));
        }
        by_the_rule(&r);
        assert_true(segments_make(&s));
        compare(&s, &r, round);
    }
    segments_free(&s);
}

/* Lines of a function of 10 to 20 with an inner region of the lines 12 and 13. */
static void test_lines(void **state)
{
    struct segments s = {.one_byte = false};
    static const struct span spans[] = {{10, 1, 20, 2, 5, REGION_CODE}, {12, 3, 13, 4, 0, REGION_CODE}};
    static const struct {
        uint64_t line, last, count;
        bool mapped;
    } runs[] = {{1, 9, 0, false},  {10, 10, 5, true}, {11, 11, 5, true}, {12, 12, 5, true},
                {13, 13, 0, true}, {14, 19, 5, true}, {20, 20, 5, true}};
    struct line_run run;
    (void)state;
    for (size_t i = 0; i < COUNT(spans); i++)
        assert_true(VEC_PUSH(&s.spans, spans[i]));
    assert_true(segments_make(&s));
    struct line_walk walk = line_walk_from(&s, 1);
    for (size_t i = 0; i < COUNT(runs); i++) {
        assert_true(line_walk_next(&walk, &run));
        assert_int_equal(run.line, runs[i].line);
        assert_int_equal(run.last, runs[i].last);
        assert_int_equal(run.mapped, runs[i].mapped);
        assert_int_equal(run.count, runs[i].count);
    }
    assert_false(line_walk_next(&walk, &run));
    walk = line_walk_from(&s, 0);
    assert_true(line_walk_next(&walk, &run));
    assert_int_equal(run.line, 10);
    /* line 0 is before all lines */
    const struct span zero = {0, 1, 1, 2, 5, REGION_CODE};
    assert_true(VEC_PUSH(&s.spans, zero));
    assert_true(segments_make(&s));
    walk = line_walk_from(&s, 1);
    assert_true(line_walk_next(&walk, &run));
    assert_true(run.mapped);
    assert_false(line_walk_next(&walk, &run));
    segments_free(&s);
}

/* Sums of regions at one place, of instantiations: they saturate, or wrap as in LLVM. */
static void test_sums(void **state)
{
    (void)state;
    for (unsigned saturates = 0; saturates < 2; saturates++) {
        struct segments s = {.saturates = saturates != 0};
        const struct span spans[] = {{1, 1, 2, 1, UINT64_MAX, REGION_CODE}, {1, 1, 2, 1, 1, REGION_CODE}};
        assert_true(VEC_PUSH(&s.spans, spans[0]) && VEC_PUSH(&s.spans, spans[1]));
        assert_true(segments_make(&s));
        assert_true(s.list.data[0].count == (saturates ? UINT64_MAX : 0));
        segments_free(&s);
    }
}

/* Whether a line is mapped, and its count. */
static bool find_line(const struct segments *s, uint64_t line, uint64_t *count)
{
    struct line_walk walk = line_walk_from(s, 1);
    struct line_run run;
    while (line_walk_next(&walk, &run))
        if (line <= run.last) {
            *count = run.count;
            return run.mapped;
        }
    *count = 0;
    return false;
}

static void add_random(struct segments *s, uint64_t *state, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const uint64_t r = next_random(state);
        const uint32_t line = (uint32_t)(r % 12) + 1, end = line + (uint32_t)(r >> 8) % 6;
        const struct span span = {.line = line,
                                  .column = (uint32_t)(r >> 16) % 5 + 1,
                                  .end_line = end,
                                  .end_column = (uint32_t)(r >> 24) % 5 + 6,
                                  .count = (r >> 32) % 3,
                                  .kind = (uint8_t)((r >> 40) % 4)};
        assert_true(VEC_PUSH(&s->spans, span));
    }
}

/* Lines that are excluded have no count, and all others have theirs. */
static void test_exclude(void **state)
{
    enum { LINES = 22 };
    uint64_t random = 7;
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct segments s = {.one_byte = false};
        struct line_ranges ranges = {.list = {NULL, 0, 0}};
        bool mapped[LINES], excluded[LINES];
        uint64_t counts[LINES], count;
        add_random(&s, &random, round % 6 + 1);
        assert_true(segments_make(&s));
        for (uint32_t line = 1; line < LINES; line++) {
            mapped[line] = find_line(&s, line, &counts[line]);
            excluded[line] = next_random(&random) % 4 == 0;
            assert_true(!excluded[line] || line_ranges_add(&ranges, 0, line));
        }
        assert_true(segments_exclude(&s, &ranges));
        for (uint32_t line = 1; line < LINES; line++) {
            const bool now = find_line(&s, line, &count);
            assert_int_equal(now, mapped[line] && !excluded[line]);
            assert_int_equal(count, now ? counts[line] : 0);
        }
        VEC_FREE(&ranges.list);
        segments_free(&s);
    }
}

TEST_FILE(segments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_sums), cmocka_unit_test(test_exclude)};
    return RUN_TESTS(tests);
}
