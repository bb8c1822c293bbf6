/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random profiles are read back from their text as they were. */
#include "helpers/shared/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/text/sample_text_read.h"
#include "sample/text/sample_text_write.h"

/* ---- contents of a profile, as sorted lines ---- */

struct contents {
    char *lines[4096];
    size_t n;
};

static void add_content(struct contents *c, const char *path, const char *rest)
{
    size_t n = strlen(path) + strlen(rest) + 2;
    assert_true(c->n < COUNT(c->lines));
    char *line = c->lines[c->n++] = (char *)malloc(n);
    assert_non_null(line);
    snprintf(line, n, "%s %s", path, rest);
}

static void append(char *to, size_t size, const char *text)
{
    size_t n = strlen(to);
    assert_true(n + strlen(text) < size);
    memcpy(to + n, text, strlen(text) + 1);
}

static void append_name(char *to, size_t size, const struct apf_sample *s, uint32_t number)
{
    const struct sample_name *name = &s->names.list.data[number];
    char hex[32];
    for (uint32_t i = 0; name->p && i < name->n; i++) {
        snprintf(hex, sizeof hex, "%02x", (unsigned char)name->p[i]);
        append(to, size, hex);
    }
    if (!name->p) {
        snprintf(hex, sizeof hex, "#%llu", (unsigned long long)name->hash);
        append(to, size, hex);
    }
}

static void append_place(char *to, size_t size, uint64_t at)
{
    char place[64];
    snprintf(place, sizeof place, "/%u.%u/", sample_place_line(at), sample_place_discriminator(at));
    append(to, size, place);
}

/* The path of a context, or of an inlined function: each begins with that of the caller. */
static void append_context(char *to, size_t size, const struct apf_sample *s, uint32_t context)
{
    uint32_t chain[64], n = 0;
    for (; context != SAMPLE_NONE; context = s->contexts.list.data[context].caller)
        chain[n++] = context;
    while (n-- > 0) {
        append_name(to, size, s, s->contexts.list.data[chain[n]].name);
        if (n)
            append_place(to, size, s->contexts.list.data[chain[n - 1]].at);
    }
}

static void append_path(char *to, size_t size, const struct apf_sample *s, uint32_t node)
{
    uint32_t chain[64], n = 0;
    while (s->nodes.data[node].caller != SAMPLE_NONE) {
        chain[n++] = node;
        node = s->nodes.data[node].caller;
    }
    append_context(to, size, s, s->nodes.data[node].context);
    while (n-- > 0) {
        append(to, size, ">");
        append_place(to, size, s->nodes.data[chain[n]].at);
        append_name(to, size, s, s->nodes.data[chain[n]].name);
    }
}

static void add_targets(struct contents *c, const struct apf_sample *s, const char *path, const char *kind,
                        const struct sample_targets *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        char rest[512] = "";
        append(rest, sizeof rest, kind);
        append_place(rest, sizeof rest, list->data[i].at);
        append_name(rest, sizeof rest, s, list->data[i].name);
        snprintf(rest + strlen(rest), sizeof rest - strlen(rest), "=%llu",
                 (unsigned long long)list->data[i].count);
        add_content(c, path, rest);
    }
}

static void add_node(struct contents *c, const struct apf_sample *s, uint32_t node)
{
    const struct sample_node *f = &s->nodes.data[node];
    char path[4096] = "", rest[256];
    append_path(path, sizeof path, s, node);
    snprintf(rest, sizeof rest, "total %llu head %llu checksum %llu attributes %u",
             (unsigned long long)f->total, (unsigned long long)f->head, (unsigned long long)f->checksum,
             f->attributes);
    add_content(c, path, rest);
    for (uint32_t i = 0; i < f->lines.n; i++) {
        rest[0] = '\0';
        append_place(rest, sizeof rest, f->lines.data[i].at);
        snprintf(rest + strlen(rest), sizeof rest - strlen(rest), "%llu",
                 (unsigned long long)f->lines.data[i].count);
        add_content(c, path, rest);
    }
    add_targets(c, s, path, "target", &f->targets);
    add_targets(c, s, path, "vtable", sample_vtables(f));
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct contents *contents_of(const struct apf_sample *s)
{
    struct contents *c = (struct contents *)calloc(1, sizeof *c);
    char flags[32];
    assert_non_null(c);
    snprintf(flags, sizeof flags, "flags %x", s->info.flags);
    add_content(c, "", flags);
    for (size_t i = 0; i < s->nodes.n; i++)
        if (!(s->nodes.data[i].state & SAMPLE_GONE))
            add_node(c, s, (uint32_t)i);
    qsort(c->lines, c->n, sizeof *c->lines, compare_lines);
    return c;
}

static void contents_free(struct contents *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->lines[i]);
    free(c);
}

/* Fails unless all lines of `part` are among those of `all`, and `part` has as many if `whole` is set. */
static void check_contents(struct contents *part, struct contents *all, bool whole)
{
    size_t k = 0;
    for (size_t i = 0; i < part->n; i++) {
        while (k < all->n && strcmp(all->lines[k], part->lines[i]) < 0)
            k++;
        if (k == all->n)
            fail_msg("%s: not in the profile", part->lines[i]);
        assert_string_equal(all->lines[k++], part->lines[i]);
    }
    if (whole)
        assert_int_equal(part->n, all->n);
    contents_free(part);
    contents_free(all);
}

/* ---- random profiles ---- */

#define PLAIN_NAMES 12u

static const char *const names[] = {
    "main",
    "foo",
    "a.llvm.1",
    "b c",
    "x]",
    "_ZN1AC2Ev",
    "r\r",
    "\xc3\xa4",
    "@",
    "@ y",
    "vtables",
    "!Flat",
    /* names that text cannot hold everywhere */
    "",
    "ns::f(int)",
    "a:1 b",
    " lead",
    "#c",
    "[q]",
    "[q",
    "a @ b",
    "9x",
    "vtables x",
    "two\nlines",
    ":a",
    "77",
};

struct random {
    struct apf_sample *s;
    uint64_t state;
    bool hashes, hostile, contexts, probes;
};

static uint64_t below(struct random *r, uint64_t n)
{
    return next_random(&r->state) % n;
}

static uint64_t any_count(struct random *r)
{
    uint64_t v = next_random(&r->state);
    return below(r, 4) ? v % 1000 : below(r, 2) ? v >> 12 : v >> below(r, 64);
}

static uint32_t any_name(struct random *r)
{
    uint32_t number;
    if (r->hashes) {
        assert_int_equal(sample_names_add_hash(&r->s->names, UINT64_MAX - below(r, 12), &number, NULL),
                         APF_OK);
        return number;
    }
    const char *p = names[below(r, r->hostile ? COUNT(names) : PLAIN_NAMES)];
    struct apf_str name = {p, strlen(p)};
    assert_int_equal(sample_names_add(&r->s->names, name, SAMPLE_NONE, true, &number, NULL), APF_OK);
    return number;
}

static uint64_t any_place(struct random *r)
{
    uint32_t line = (uint32_t)below(r, 6), discriminator = below(r, 2) ? 0 : (uint32_t)below(r, 3);
    if (below(r, 30) == 0)
        line = UINT32_MAX - (uint32_t)below(r, 3);
    if (below(r, 30) == 0)
        line = 65535 + (uint32_t)below(r, 2);
    if (below(r, 30) == 0)
        discriminator = UINT32_MAX;
    return sample_place(line, discriminator);
}

static void fill_node(struct random *r, uint32_t node)
{
    struct apf_sample *s = r->s;
    for (uint64_t n = below(r, 5); n > 0; n--) {
        uint64_t at = any_place(r);
        assert_int_equal(sample_append_line(s, node, at, any_count(r) / 16, NULL), APF_OK);
        for (uint64_t k = below(r, 3); k > 0; k--)
            assert_int_equal(sample_append_target(s, node, at, any_name(r), any_count(r) / 16, NULL), APF_OK);
    }
    for (uint64_t n = below(r, 8) ? 0 : below(r, 4); n > 0; n--)
        assert_int_equal(sample_append_vtable(s, node, any_place(r), any_name(r), any_count(r) / 16, NULL),
                         APF_OK);
    s->nodes.data[node].total = any_count(r) / 16;
    s->nodes.data[node].attributes = (uint16_t)(below(r, 4) ? 0 : below(r, 8));
    if (r->probes)
        s->nodes.data[node].checksum = any_count(r);
}

static void add_inlined(struct random *r, uint32_t caller, unsigned depth)
{
    for (uint64_t n = below(r, 3); n > 0 && depth < 4; n--) {
        uint32_t node;
        assert_int_equal(sample_inlined(r->s, caller, any_place(r), any_name(r), &node, NULL), APF_OK);
        fill_node(r, node);
        add_inlined(r, node, depth + 1);
    }
}

static void add_function(struct random *r)
{
    uint32_t context = SAMPLE_NONE, node;
    for (uint64_t n = r->contexts ? 1 + below(r, 3) : 1; n > 0; n--)
        assert_int_equal(sample_contexts_add(&r->s->contexts, context,
                                             context == SAMPLE_NONE ? 0 : any_place(r), any_name(r), &context,
                                             NULL),
                         APF_OK);
    assert_int_equal(sample_top(r->s, context, &node, NULL), APF_OK);
    fill_node(r, node);
    r->s->nodes.data[node].head = any_count(r) / 16;
    add_inlined(r, node, 0);
}

static struct apf_sample *random_profile(uint64_t seed)
{
    struct random r = {.s = sample_new(), .state = seed};
    assert_non_null(r.s);
    uint64_t kinds = next_random(&r.state);
    r.hashes = (kinds & 7) == 0;
    r.hostile = !r.hashes && kinds & 8;
    r.contexts = kinds & 16;
    r.probes = kinds & 32;
    for (uint64_t n = 1 + below(&r, 6); n > 0; n--)
        add_function(&r);
    r.s->info.flags = (r.contexts ? APF_SAMPLE_CONTEXTS : 0) | (r.probes ? APF_SAMPLE_PROBES : 0) |
                      (r.hashes ? APF_SAMPLE_MD5 : 0);
    assert_int_equal(sample_seal(r.s, NULL), APF_OK);
    assert_int_equal(sample_complete(r.s, NULL), APF_OK);
    return r.s;
}

/* ---- writing and reading ---- */

static void write_text(const struct apf_sample *s, bool flat, struct apf_buffer *buffer,
                       struct sample_text_losses *losses)
{
    const struct sample_text_write_options options = {.flat = flat, .losses = losses};
    struct apf_output output = apf_output_buffer(buffer);
    struct file_out *out;
    assert_int_equal(file_out_open(&out, &output, NULL), APF_OK);
    assert_int_equal(sample_text_write(s, &options, out, NULL), APF_OK);
    assert_int_equal(file_out_close(out, true, NULL), APF_OK);
}

/* Writes and reads back; then what is written again is the same text, without losses. Without losses at first, the
 * profile is the same; else it has nothing that was not there. */
static bool check_round(const struct apf_sample *s, bool flat)
{
    static const struct sample_read_options options = {
        .max_bytes = 1u << 30, .max_records = 1u << 28, .max_depth = SAMPLE_MAX_DEPTH};
    struct sample_text_losses losses, again;
    struct apf_buffer text = {NULL, 0, 0}, second = {NULL, 0, 0};
    struct apf_error error;
    write_text(s, flat, &text, &losses);
    bool nothing_left = text.n == 0;
    bool same = !(losses.functions || losses.inlined || losses.targets || losses.vtables || losses.hashes ||
                  losses.decimals || losses.flags);
    struct apf_sample *read = sample_new();
    int code = nothing_left ? APF_OK : sample_text_read(read, text.data, text.n, &options, &error);
    if (code != APF_OK)
        print_error("%.*s\n%s\n", (int)text.n, (const char *)text.data, error.message);
    assert_int_equal(code, APF_OK);
    if (same)
        check_contents(contents_of(read), contents_of(s), true);
    else if (!losses.hashes && !losses.decimals && !losses.flags && !nothing_left &&
             read->info.flags == s->info.flags)
        check_contents(contents_of(read), contents_of(s), false);
    write_text(read, flat, &second, &again);
    assert_int_equal(again.functions + again.inlined + again.targets + again.vtables + again.flags, 0);
    /* Hashes change the order, and inlined functions that are lost the place of vtables and whether one is flat. */
    if (!losses.decimals && !losses.hashes && !losses.inlined) {
        assert_int_equal(second.n, text.n);
        assert_memory_equal(second.data, text.data, text.n);
    }
    apf_buffer_free(&text);
    apf_buffer_free(&second);
    sample_free(read);
    return same;
}

static void test_random(void **state)
{
    (void)state;
    unsigned same = 0, other = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct apf_sample *s = random_profile(seed);
        if (check_round(s, seed % 2))
            same++;
        else
            other++;
        sample_free(s);
    }
    assert_in_range(same, 1000, 1900);
    assert_in_range(other, 100, 1000);
}

TEST_FILE(sample_text_round)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return RUN_TESTS(tests);
}
