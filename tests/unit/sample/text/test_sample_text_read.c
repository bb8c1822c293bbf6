/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is accepted and refused, and the lines of errors, was compared with llvm-profdata 22. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/text/sample_text_read.h"

static const struct sample_read_options defaults = {
    .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};

/* Reads bytes from a block of exactly their size, so that AddressSanitizer sees one byte too many. */
static int read_bytes(struct apf_sample **sample, const void *p, size_t n,
                      const struct sample_read_options *options, struct apf_error *error)
{
    uint8_t *copy = (uint8_t *)malloc(n ? n : 1);
    *sample = sample_new();
    int code = APF_NO_MEMORY;
    if (copy && *sample) {
        if (n)
            memcpy(copy, p, n);
        code = sample_text_read(*sample, copy, n, options, error);
    }
    free(copy);
    if (code != APF_OK) {
        sample_free(*sample);
        *sample = NULL;
    }
    return code;
}

static struct apf_sample *read_with(const char *text, const struct sample_read_options *options)
{
    struct apf_sample *s;
    struct apf_error error;
    int code = read_bytes(&s, text, strlen(text), options, &error);
    if (code != APF_OK)
        print_error("%s: %s\n", text, error.message);
    assert_int_equal(code, APF_OK);
    return s;
}

static struct apf_sample *read_good(const char *text)
{
    return read_with(text, &defaults);
}

static void check_name(const struct apf_sample *s, uint32_t number, const char *name)
{
    struct apf_str text = sample_names_text(&s->names, number);
    assert_non_null(text.p);
    assert_int_equal(text.n, strlen(name));
    assert_memory_equal(text.p, name, text.n);
}

/* Function i at the top level, with this name, total and head. */
static const struct sample_node *check_top(const struct apf_sample *s, size_t i, const char *name,
                                           uint64_t total, uint64_t head)
{
    assert_true(i < s->top.n);
    const struct sample_node *f = &s->nodes.data[s->top.data[i]];
    check_name(s, f->name, name);
    assert_int_equal(f->total, total);
    assert_int_equal(f->head, head);
    assert_int_equal(f->caller, SAMPLE_NONE);
    return f;
}

static void check_line(const struct sample_node *f, uint32_t i, uint32_t line, uint32_t discriminator,
                       uint64_t count)
{
    assert_true(i < f->lines.n);
    assert_int_equal(f->lines.data[i].at, sample_place(line, discriminator));
    assert_int_equal(f->lines.data[i].count, count);
}

/* The only call target, or vtable, of this name in a list. */
static void check_target(const struct apf_sample *s, const struct sample_targets *list, uint32_t line,
                         uint32_t discriminator, const char *name, uint64_t count)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        struct apf_str text = sample_names_text(&s->names, list->data[i].name);
        if (text.n != strlen(name) || memcmp(text.p, name, text.n) != 0 ||
            list->data[i].at != sample_place(line, discriminator))
            continue;
        assert_int_equal(list->data[i].count, count);
        found++;
    }
    assert_int_equal(found, 1);
}

static const struct sample_node *check_callee(const struct apf_sample *s, const struct sample_node *f,
                                              uint32_t i, uint32_t line, uint32_t discriminator,
                                              const char *name, uint64_t total)
{
    assert_true(i < f->callees.n);
    const struct sample_node *callee = &s->nodes.data[f->callees.data[i]];
    assert_int_equal(callee->at, sample_place(line, discriminator));
    check_name(s, callee->name, name);
    assert_int_equal(callee->total, total);
    assert_int_equal(callee->head, 0);
    return callee;
}

/* ---- lines ---- */

static void test_minimal(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("foo:5:6\n 1: 2\n");
    assert_int_equal(s->top.n, 1);
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->lines.n, 1);
    check_line(f, 0, 1, 0, 2);
    assert_int_equal(f->targets.n + f->callees.n, 0);
    assert_int_equal(f->checksum, 0);
    assert_int_equal(f->attributes, 0);
    assert_null(f->extra);
    assert_int_equal(s->info.format, APF_SAMPLE_TEXT);
    assert_int_equal(s->info.version, 0);
    assert_int_equal(s->info.flags, 0);
    assert_int_equal(s->info.n_functions, 1);
    assert_int_equal(s->info.n_lines, 1);
    for (size_t i = 0; i < SAMPLE_FINDING_COUNT; i++)
        assert_int_equal(s->findings[i], 0);
    sample_free(s);
}

static const struct {
    const char *text, *name;
    uint64_t total, head;
} headers[] = {
    {"foo:5:6\n", "foo", 5, 6},
    {"foo:5:6", "foo", 5, 6},
    {"foo:5:6\r\n", "foo", 5, 6},
    {"foo:007:18446744073709551615\n", "foo", 7, UINT64_MAX},
    {"ns::A<int, 3>::f(int):50:6\n", "ns::A<int, 3>::f(int)", 50, 6},
    {"a:1:2:3\n", "a:1", 2, 3},
    {":5:6\n", "", 5, 6},
    {"foo\r:5:6\n", "foo\r", 5, 6},
    {"\rfoo:5:6\n", "\rfoo", 5, 6},
    {"\tfoo:5:6\n", "\tfoo", 5, 6},
    {"x @ y]:5:6\n", "x @ y]", 5, 6},
    {"9x:5:6\n", "9x", 5, 6},
    {"# c\n\n\r\n#\r\nfoo:5:6\n", "foo", 5, 6},
    /* Lines without two colons, which LLVM's code happens to accept. */
    {":5\n", "", 5, 5},
    {"5:12\n", "5:12", 5, 12},
};

static void test_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct apf_sample *s = read_good(headers[i].text);
        assert_int_equal(s->top.n, 1);
        check_top(s, 0, headers[i].name, headers[i].total, headers[i].head);
        sample_free(s);
    }
}

static void test_places(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("foo:5:6\n 3: 1\n 1.4294967295: 4\n 01.02: 03\n 65535: 5\n 70000.0: 6\n"
                                     " 4294967295.1: 7\n 2:x8\n 4: 9\n 5\n");
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->lines.n, 9);
    check_line(f, 0, 1, 2, 3);
    check_line(f, 1, 1, UINT32_MAX, 4);
    check_line(f, 2, 2, 0, 8); /* the byte after the colon may be any */
    check_line(f, 3, 3, 0, 1);
    check_line(f, 4, 4, 0, 9);
    check_line(f, 5, 5, 0, 5); /* " 5" is " 5: 5" */
    check_line(f, 6, 65535, 0, 5);
    check_line(f, 7, 70000, 0, 6);
    check_line(f, 8, UINT32_MAX, 1, 7);
    sample_free(s);
}

static void test_targets(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("foo:5:6\n 1: 20 std::g<a:b>:7 h i:3   k:2\n 2: 1 a:1:2\n 3: 1 a::1\n"
                                     " 4: 1 a:18446744073709551616 b:3\n 5: 1 9:4 !w:5\n 6: 1 a:1 b:x c:3\n");
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->lines.n, 6);
    assert_int_equal(f->targets.n, 10);
    check_target(s, &f->targets, 1, 0, "std::g<a:b>", 7);
    check_target(s, &f->targets, 1, 0, "h i", 3);
    check_target(s, &f->targets, 1, 0, "k", 2);
    check_target(s, &f->targets, 2, 0, "a:1", 2);
    check_target(s, &f->targets, 3, 0, "a:", 1);
    check_target(s, &f->targets, 4, 0, "a:18446744073709551616 b", 3);
    check_target(s, &f->targets, 5, 0, "9", 4);
    check_target(s, &f->targets, 5, 0, "!w", 5);
    check_target(s, &f->targets, 6, 0, "a", 1);
    check_target(s, &f->targets, 6, 0, "b:x c", 3);
    sample_free(s);
}

/* Lines of a place are added up, but of the same target in one line the last one counts. */
static void test_repeated_lines(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("foo:5:6\n 1: 2\n 1: 3 a:1\n 1: 4 a:2\nfoo:1:1\n 1: 1 a:1\n 2: 1 b:9 a:8 b:1\n");
    assert_int_equal(s->top.n, 1);
    const struct sample_node *f = check_top(s, 0, "foo", 6, 7);
    assert_int_equal(f->lines.n, 2);
    check_line(f, 0, 1, 0, 10);
    assert_int_equal(f->targets.n, 3);
    check_target(s, &f->targets, 1, 0, "a", 4);
    check_target(s, &f->targets, 2, 0, "a", 8);
    check_target(s, &f->targets, 2, 0, "b", 1);
    assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_FUNCTION], 1);
    assert_int_equal(s->findings[SAMPLE_FINDING_REPLACED_TARGETS], 1);
    sample_free(s);
}

/* More targets than are sorted in place. */
static void test_many_targets(void **state)
{
    (void)state;
    char text[4096], name[16];
    int n = snprintf(text, sizeof text, "t0:1:1\nt30:1:1\nfoo:5:6\n 1: 2");
    for (int i = 40; i-- > 0;)
        n += snprintf(text + n, sizeof text - (size_t)n, " t%d:%d t0:%d", i, i, i + 100);
    snprintf(text + n, sizeof text - (size_t)n, "\n");
    struct apf_sample *s = read_good(text);
    const struct sample_node *f = check_top(s, 2, "foo", 5, 6);
    assert_int_equal(f->targets.n, 40);
    for (int i = 1; i < 40; i++) {
        snprintf(name, sizeof name, "t%d", i);
        check_target(s, &f->targets, 1, 0, name, (uint64_t)i);
    }
    check_target(s, &f->targets, 1, 0, "t0", 100);
    assert_int_equal(s->findings[SAMPLE_FINDING_REPLACED_TARGETS], 40);
    sample_free(s);
}

static void test_inlined(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("main:9:1\n 1: bar:3\n  2.1: op::call x:2\n   4: 7\n  5: 6\n 2: 8\n"
                                     "      3: 9\n 1: a:1\n 7: :4\n 8:  lead:5\n 9: vtables:6\n");
    const struct sample_node *f = check_top(s, 0, "main", 9, 1);
    assert_int_equal(f->lines.n, 2);
    check_line(f, 0, 2, 0, 8);
    check_line(f, 1, 3, 0, 9); /* deeper than any open function */
    assert_int_equal(f->callees.n, 5);
    const struct sample_node *bar = check_callee(s, f, 0, 1, 0, "bar", 3);
    check_line(bar, 0, 5, 0, 6);
    const struct sample_node *call = check_callee(s, bar, 0, 2, 1, "op::call x", 2);
    check_line(call, 0, 4, 0, 7);
    check_callee(s, f, 1, 1, 0, "a", 1);
    check_callee(s, f, 2, 7, 0, "", 4);
    check_callee(s, f, 3, 8, 0, " lead", 5);
    check_callee(s, f, 4, 9, 0, "vtables", 6);
    assert_int_equal(s->info.max_depth, 2);
    assert_int_equal(s->info.n_inlined, 6);
    sample_free(s);
}

static void test_inlined_repeatedly(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("foo:5:6\n 1: bar:3\n  1: 3\n 1: bar:4\n  1: 5\n  2: 1\n");
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->callees.n, 1);
    const struct sample_node *bar = check_callee(s, f, 0, 1, 0, "bar", 7);
    check_line(bar, 0, 1, 0, 8);
    check_line(bar, 1, 2, 0, 1);
    sample_free(s);
}

static void test_comments(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("# c\n\nfoo:5:6\n  # indented\n   \n\n 1: 2\n#x\n\r\n 2: 3 bar:1   baz:2\r\n# end");
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->lines.n, 2);
    check_line(f, 1, 2, 0, 3);
    check_target(s, &f->targets, 2, 0, "baz", 2);
    assert_int_equal(s->findings[SAMPLE_FINDING_CUT_OFF], 1);
    sample_free(s);
}

/* ---- metadata ---- */

static void test_metadata(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("foo:5:6\n 1: bar:2\n  1: 2\n  !CFGChecksum:8\n  !Attributes: \t3 \n !CFGChecksum: 9\n"
                  " !CFGChecksum: 0\n !Attributes: 4294967295\nbaz:1:1\n 1: 1\n");
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->checksum, 9);
    assert_int_equal(f->attributes, UINT32_MAX);
    const struct sample_node *bar = check_callee(s, f, 0, 1, 0, "bar", 2);
    assert_int_equal(bar->checksum, 8);
    assert_int_equal(bar->attributes, 3);
    assert_int_equal(s->info.flags, APF_SAMPLE_PROBES | APF_SAMPLE_PREINLINED | APF_SAMPLE_ATTRIBUTES);
    assert_int_equal(s->findings[SAMPLE_FINDING_MIXED_PROBES], 1);
    sample_free(s);
}

/* Only a checksum at the top level, at its own depth, makes a profile one of probes. */
static void test_probes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t flags;
    } cases[] = {
        {"foo:1:1\n !CFGChecksum: 7\n", APF_SAMPLE_PROBES},
        {"foo:1:1\n !CFGChecksum: 0\n", 0},
        {"foo:1:1\n  !CFGChecksum: 7\n", 0},
        {"foo:1:1\n 1: b:1\n  !CFGChecksum: 7\n", 0},
        {"foo:1:1\nbar:1:1\n !CFGChecksum: 7\n", APF_SAMPLE_PROBES},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_sample *s = read_good(cases[i].text);
        assert_int_equal(s->info.flags, cases[i].flags);
        sample_free(s);
    }
}

/* LLVM sets attributes to 0 at each line of metadata after them. */
static void test_attributes_stay(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("foo:5:6\n 1: 2\n !Attributes: 2\n !CFGChecksum: 9\n !Flat\n"
                                     "bar:5:6\n !Attributes: 2\n !Attributes: 0\n");
    assert_int_equal(check_top(s, 0, "foo", 5, 6)->attributes, 2);
    assert_int_equal(check_top(s, 1, "bar", 5, 6)->attributes, 0);
    assert_int_equal(s->findings[SAMPLE_FINDING_FLAT_MARKERS], 1);
    sample_free(s);
}

/* After metadata come the lines of another function only, but depth decides which lines those are. */
static void test_after_metadata(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("foo:5:6\n 1: bar:2\n  1: 2\n  !CFGChecksum: 8\n 2: 3\n !CFGChecksum: 9\n  3: 4\n"
                  "foo:1:1\n 4: 5\n");
    const struct sample_node *f = check_top(s, 0, "foo", 6, 7);
    assert_int_equal(f->lines.n, 3);
    check_line(f, 1, 3, 0, 4);
    sample_free(s);
}

/* ---- contexts ---- */

/* Spells out a context: frames outermost first. */
static void spell_context(const struct apf_sample *s, uint32_t context, char *to, size_t size)
{
    const struct sample_context *list = s->contexts.list.data, *chain[16];
    size_t n = 0, used = 0;
    for (; context != SAMPLE_NONE; context = list[context].caller) {
        assert_true(n < COUNT(chain));
        chain[n++] = &list[context];
    }
    while (n-- > 0) {
        struct apf_str name = sample_names_text(&s->names, chain[n]->name);
        uint64_t at = n ? chain[n - 1]->at : 0;
        int more = snprintf(to + used, size - used, "%.*s", (int)name.n, name.p);
        if (n)
            more += snprintf(to + used + more, size - used - (size_t)more, "(%u.%u)", sample_place_line(at),
                             sample_place_discriminator(at));
        used += (size_t)more;
        assert_true(used < size);
    }
}

static const struct {
    const char *header, *context;
} contexts[] = {
    {"[main]", "main"},
    {"[main:1 @ foo]", "main(1.0)foo"},
    {"[main:1.2 @ foo:3 @ bar]", "main(1.2)foo(3.0)bar"},
    {"[a:1 @ b:7]", "a(1.0)b"}, /* the place in the last frame is dropped */
    {"[a:-1 @ b]", "a(4294967295.0)b"},
    {"[a:-2147483648 @ b]", "a(2147483648.0)b"},
    {"[a:-2147483649 @ b]", "a(0.0)b"},
    {"[a:2147483647 @ b]", "a(2147483647.0)b"},
    {"[a:2147483648 @ b]", "a(0.0)b"},
    {"[a:-0 @ b]", "a(0.0)b"},
    {"[a:+1 @ b]", "a(0.0)b"},
    {"[a:x.3 @ b]", "a(0.3)b"},
    {"[a:1.x @ b]", "a(1.0)b"},
    {"[a:1. @ b]", "a(1.0)b"},
    {"[a:1.4294967295 @ b]", "a(1.4294967295)b"},
    {"[a:1.4294967296 @ b]", "a(1.0)b"},
    {"[a:1:2 @ b]", "a(0.0)b"},
    {"[a @ b]", "a(0.0)b"},
    {"[a:1 @ ]", "a"},
    {"[ @ b]", "(0.0)b"},
    {"[x @:1 @ @:2 @ @]", "x @(1.0)@(2.0)@"},
    {"[xy", "x"}, /* the last byte is taken for the bracket */
    {"[b]]", "b]"},
    {"[x@ y:1 @z:2 @ c]", "x@ y(0.0)c"},
};

static void test_contexts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(contexts); i++) {
        char text[128], found[256];
        snprintf(text, sizeof text, "%s:5:6\n 1: 2\n", contexts[i].header);
        struct apf_sample *s = read_good(text);
        assert_int_equal(s->top.n, 1);
        spell_context(s, s->nodes.data[s->top.data[0]].context, found, sizeof found);
        assert_string_equal(found, contexts[i].context);
        assert_int_equal(s->info.flags, APF_SAMPLE_CONTEXTS);
        sample_free(s);
    }
}

static void test_mixed_contexts(void **state)
{
    (void)state;
    struct apf_sample *s = read_good("[a:1 @ b]:1:1\n[a:1 @ b:3]:2:2\nb:4:4\n[b]:8:8\n");
    assert_int_equal(s->top.n, 2);
    check_top(s, 0, "b", 3, 3);
    check_top(s, 1, "b", 12, 12);
    assert_int_equal(s->findings[SAMPLE_FINDING_MIXED_CONTEXTS], 1);
    assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_FUNCTION], 2);
    assert_int_equal(s->info.max_context, 2);
    sample_free(s);
}

/* LLVM prints functions that are inlined in one with a context in brackets. */
static void test_inlined_in_context(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("[a:1 @ b]:9:1\n 1: [c]:3\n  2: [[d]]:1\n 2: []:1\n 3: [e:1\ne:9:1\n 1: [c]:3\n");
    const struct sample_node *f = check_top(s, 0, "b", 9, 1);
    check_callee(s, check_callee(s, f, 0, 1, 0, "c", 3), 0, 2, 0, "[d]", 1);
    check_callee(s, f, 1, 2, 0, "", 1);
    check_callee(s, f, 2, 3, 0, "[e", 1);
    check_callee(s, check_top(s, 1, "e", 9, 1), 0, 1, 0, "[c]", 3);
    sample_free(s);
}

/* ---- vtables ---- */

static void test_vtables(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("foo:5:6\n 1: 7\n 1: vtables _ZTV1A:3   x y:4 \n 2.1: vtables :5\n 1: vtables _ZTV1A:10\n"
                  " 3: vtables \n 4: bar:1\n  1: vtables _ZTV1A:2 \n");
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    const struct sample_targets *list = sample_vtables(f);
    assert_int_equal(list->n, 3);
    check_target(s, list, 1, 0, "_ZTV1A", 13);
    check_target(s, list, 1, 0, "x y", 4);
    check_target(s, list, 2, 1, "", 5);
    check_target(s, sample_vtables(check_callee(s, f, 0, 4, 0, "bar", 1)), 1, 0, "_ZTV1A", 2);
    assert_int_equal(f->lines.n, 1);
    assert_int_equal(s->info.flags, APF_SAMPLE_VTABLES);
    assert_int_equal(s->info.n_vtables, 4);
    sample_free(s);
}

/* What LLVM 22 prints after a line and again after what is inlined there counts once. */
static void test_vtables_twice(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t count, repeated;
    } cases[] = {
        {"foo:5:6\n 1: 7\n 1: vtables A:3 B:1 \n 1: bar:9\n  1: 9\n 1: vtables A:3 B:1 \n", 3, 1},
        {"foo:5:6\n 1: 7\n 1: vtables A:3 \n 1: bar:9\n 1: vtables A:4 \n", 7, 0},
        {"foo:5:6\n 1: 7\n 1: vtables A:3 \n 1: bar:9\n 1: vtables B:3 \n", 3, 0},
        {"foo:5:6\n 1: 7\n 1: vtables A:3 \n 1: bar:9\n 1: vtables A:3 B:1 \n", 6, 0},
        {"foo:5:6\n 1: 7\n 1: vtables A:3 \n 2: bar:9\n 1: vtables A:3 \n", 6, 0},
        {"foo:5:6\n 1: 7\n 1: vtables A:3 \n 1: vtables A:3 \n", 6, 0},
        {"foo:5:6\n 1: bar:9\n 1: vtables A:3 \n 1: vtables A:3 \n", 6, 0},
        {"foo:5:6\n 1: vtables A:3 \n 1: bar:9\n 1: vtables A:3 \n 1: vtables A:3 \n", 6, 1},
        /* one function twice: each part has its two lists */
        {"foo:5:6\n 1: vtables A:3 \n 1: bar:9\n 1: vtables A:3 \n"
         "foo:5:6\n 1: vtables A:3 \n 1: bar:9\n 1: vtables A:3 \n",
         6, 2},
        {"foo:5:6\n 1: vtables A:3 \n 1: bar:9\nfoo:5:6\n 1: vtables A:3 \n", 6, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct apf_sample *s = read_good(cases[i].text);
        check_target(s, sample_vtables(&s->nodes.data[s->top.data[0]]), 1, 0, "A", cases[i].count);
        assert_int_equal(s->findings[SAMPLE_FINDING_REPEATED_VTABLES], cases[i].repeated);
        sample_free(s);
    }
}

/* ---- other forms ---- */

/* LLVM 3.5 to 3.7 */
static void test_unindented(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("foo:5:6\n1: 2\n1.2: 30 foo:4  b c:5\n# c\nbar:7:8\n65535: 1\n123:9:9\n2: 3\n");
    assert_int_equal(s->top.n, 3);
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->lines.n, 2);
    check_line(f, 0, 1, 0, 2);
    check_line(f, 1, 1, 2, 30);
    check_target(s, &f->targets, 1, 2, "foo", 4);
    check_target(s, &f->targets, 1, 2, "b c", 5);
    check_line(check_top(s, 1, "bar", 7, 8), 0, 65535, 0, 1);
    check_line(check_top(s, 2, "123", 9, 9), 0, 2, 0, 3);
    sample_free(s);
}

static void check_hash(const struct apf_sample *s, uint32_t number, uint64_t hash)
{
    assert_null(s->names.list.data[number].p);
    assert_int_equal(s->names.list.data[number].hash, hash);
}

/* LLVM refuses inlined functions that are hashes, which it has written itself. */
static void test_hashes(void **state)
{
    (void)state;
    struct apf_sample *s =
        read_good("17339214271228151397:9:1\n 1: 2 20:2 x:1\n 7.3: 16434608426314478903:20\n"
                  "  1: 18446744073709551615:1\n20:3:4\n 7: 3\n");
    const struct sample_node *f = &s->nodes.data[s->top.data[0]];
    assert_int_equal(s->info.flags, APF_SAMPLE_MD5);
    assert_int_equal(s->info.n_hashes, 4);
    assert_int_equal(s->info.n_names, 1);
    assert_int_equal(s->findings[SAMPLE_FINDING_DECIMAL_NAMES], 4);
    check_hash(s, f->name, 17339214271228151397u);
    const struct sample_node *callee = &s->nodes.data[f->callees.data[0]];
    check_hash(s, callee->name, 16434608426314478903u);
    assert_int_equal(callee->at, sample_place(7, 3));
    assert_int_equal(callee->total, 20);
    check_hash(s, s->nodes.data[callee->callees.data[0]].name, UINT64_MAX);
    check_hash(s, s->nodes.data[s->top.data[1]].name, 20);
    sample_free(s);
    /* One function at the top level with a name: all numbers are names. */
    s = read_good("20:9:1\n 1: 21:20\nfoo:3:4\n");
    assert_int_equal(s->info.flags, 0);
    check_callee(s, check_top(s, 0, "20", 9, 1), 0, 1, 0, "21", 20);
    sample_free(s);
}

static void test_flow_sensitive(void **state)
{
    (void)state;
    static const char text[] =
        "foo:5:6\n 1.768: 2 a:1\n 1.1: 3\n 2.257: vtables A:1\n 2.256: bar:1\n  3.511: 4\n";
    struct sample_read_options options = defaults;
    options.discriminator = 0xff; /* without fs: no mask */
    struct apf_sample *s = read_with(text, &options);
    check_line(check_top(s, 0, "foo", 5, 6), 1, 1, 768, 2);
    assert_int_equal(s->info.flags, APF_SAMPLE_VTABLES);
    sample_free(s);
    options.fs = true;
    s = read_with(text, &options);
    const struct sample_node *f = check_top(s, 0, "foo", 5, 6);
    assert_int_equal(f->lines.n, 2);
    check_line(f, 0, 1, 0, 2);
    check_line(f, 1, 1, 1, 3);
    check_target(s, &f->targets, 1, 0, "a", 1);
    check_target(s, sample_vtables(f), 2, 1, "A", 1);
    check_line(check_callee(s, f, 0, 2, 0, "bar", 1), 0, 3, 255, 4);
    assert_int_equal(s->info.flags, APF_SAMPLE_FS | APF_SAMPLE_VTABLES);
    sample_free(s);
    options.discriminator = 0; /* all bits */
    s = read_with(text, &options);
    check_line(check_top(s, 0, "foo", 5, 6), 1, 1, 768, 2);
    sample_free(s);
}

TEST_FILE(sample_text_read)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimal),        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_places),         cmocka_unit_test(test_targets),
        cmocka_unit_test(test_repeated_lines), cmocka_unit_test(test_many_targets),
        cmocka_unit_test(test_inlined),        cmocka_unit_test(test_inlined_repeatedly),
        cmocka_unit_test(test_comments),       cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_probes),         cmocka_unit_test(test_attributes_stay),
        cmocka_unit_test(test_after_metadata), cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_mixed_contexts), cmocka_unit_test(test_inlined_in_context),
        cmocka_unit_test(test_vtables),        cmocka_unit_test(test_vtables_twice),
        cmocka_unit_test(test_unindented),     cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_flow_sensitive),
    };
    return RUN_TESTS(tests);
}
