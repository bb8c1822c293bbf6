/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing GCC's profiles that are built call by call: what a layout cannot hold, round trips, failures, costs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/gcc/sample_gcc_write.h"

#include "helpers/shared/fault.h"
#include "helpers/shared/gcc_build.h"
#include "helpers/shared/gcc_memory.h"
#include "helpers/shared/sample_render.h"
#include "helpers/shared/unit.h"

static const struct sample_gcc_losses no_losses;

/* ---- what changes ---- */

/* What is in the file that is written. */
static void check_written(const struct apf_sample *s, const struct sample_gcc_options *o,
                          const struct sample_gcc_losses *expected, const char *text)
{
    struct apf_buffer buffer = {NULL, 0, 0};
    struct sample_gcc_losses losses;
    assert_int_equal(gcc_write_buffer(s, o, &buffer, &losses, NULL), APF_OK);
    struct apf_sample *again = gcc_read_buffer(&buffer);
    assert_string_equal(sample_render(again), text);
    assert_memory_equal(&losses, expected, sizeof losses);
    sample_free(again);
    apf_buffer_free(&buffer);
}

static struct apf_str str(const char *s)
{
    struct apf_str text = {s, strlen(s)};
    return text;
}

/* A profile that is built call by call. */
struct built {
    struct apf_sample *s;
    uint32_t file; /* of the next names; SAMPLE_NONE: unknown */
};

static struct built begin_profile(void)
{
    struct built b = {sample_new(), SAMPLE_NONE};
    assert_non_null(b.s);
    return b;
}

static void set_file(struct built *b, const char *file)
{
    if (file)
        assert_int_equal(text_set_add(&b->s->names.files, str(file), &b->file, NULL), APF_OK);
    else
        b->file = SAMPLE_NONE;
}

static uint32_t name_of(struct built *b, const char *name)
{
    uint32_t number;
    assert_int_equal(sample_names_add(&b->s->names, str(name), b->file, true, &number, NULL), APF_OK);
    return number;
}

static uint32_t hash_of(struct built *b, uint64_t hash)
{
    uint32_t number;
    assert_int_equal(sample_names_add_hash(&b->s->names, hash, &number, NULL), APF_OK);
    return number;
}

static uint32_t add_top(struct built *b, uint32_t name, uint64_t head)
{
    uint32_t context, node;
    assert_int_equal(sample_contexts_base(&b->s->contexts, name, &context, NULL), APF_OK);
    assert_int_equal(sample_top(b->s, context, &node, NULL), APF_OK);
    b->s->nodes.data[node].head = head;
    return node;
}

static uint32_t add_call(struct built *b, uint32_t caller, uint32_t line, uint32_t discriminator,
                         uint32_t name)
{
    uint32_t node;
    assert_int_equal(sample_inlined(b->s, caller, sample_place(line, discriminator), name, &node, NULL),
                     APF_OK);
    return node;
}

/* Adds a count also to the totals. */
static void add_line(struct built *b, uint32_t node, uint32_t line, uint32_t discriminator, uint64_t count)
{
    assert_int_equal(sample_append_line(b->s, node, sample_place(line, discriminator), count, NULL), APF_OK);
    for (; node != SAMPLE_NONE; node = b->s->nodes.data[node].caller)
        b->s->nodes.data[node].total += count;
}

static void add_target(struct built *b, uint32_t node, uint32_t line, uint32_t discriminator, uint32_t name,
                       uint64_t count)
{
    assert_int_equal(sample_append_target(b->s, node, sample_place(line, discriminator), name, count, NULL),
                     APF_OK);
}

/* Seals, writes and frees the profile. */
static void check_built(struct built *b, const struct sample_gcc_options *o,
                        const struct sample_gcc_losses *losses, const char *text)
{
    assert_int_equal(sample_seal(b->s, NULL), APF_OK);
    check_written(b->s, o, losses, text);
    sample_free(b->s);
}

/* A line has the largest count of its places, targets and inlined functions are added up. */
static void test_plain_lines(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("2");
    struct sample_gcc_losses losses = {.discriminators = 7, .totals = 0};
    (void)state;
    uint32_t f = add_top(&b, name_of(&b, "f"), 1), g = name_of(&b, "g"), h = name_of(&b, "h");
    add_line(&b, f, 1, 0, 5);
    add_line(&b, f, 2, 1, 7);
    add_line(&b, f, 2, 3, 30);
    add_line(&b, f, 2, 70000, 9);
    add_target(&b, f, 2, 1, g, 4);
    add_target(&b, f, 2, 70000, g, 5);
    add_target(&b, f, 2, 3, h, 1);
    uint32_t first = add_call(&b, f, 5, 1, g), second = add_call(&b, f, 5, 2, g),
             other = add_call(&b, f, 5, 2, h);
    add_line(&b, first, 0, 0, 10);
    add_line(&b, second, 0, 0, 20);
    add_line(&b, second, 0, 4, 100);
    add_line(&b, other, 0, 0, 1);
    o.plain_lines = true;
    check_built(&b, &o, &losses, "f:146:1\n 1: 5\n 2: 30 g:9 h:1\n 5: g:110\n  0: 110\n 5: h:1\n  0: 1\n");
}

/* Without targets, a name that only they have is not in the file. */
static void test_no_targets(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("1");
    struct sample_gcc_losses losses = {.misread = 3};
    struct apf_buffer buffer = {NULL, 0, 0};
    (void)state;
    uint32_t f = add_top(&b, name_of(&b, "f"), 1), g = name_of(&b, "g"), only = name_of(&b, "only_a_target");
    add_line(&b, f, 1, 0, 5);
    add_target(&b, f, 1, 0, g, 4);
    add_target(&b, f, 1, 0, only, 1);
    uint32_t inlined = add_call(&b, f, 2, 0, g);
    add_line(&b, inlined, 0, 0, 7);
    add_target(&b, inlined, 0, 0, only, 7);
    o.no_targets = true;
    assert_int_equal(sample_seal(b.s, NULL), APF_OK);
    check_written(b.s, &o, &losses, "f:12:1\n 1: 5\n 2: g:7\n  0: 7\n");
    assert_int_equal(gcc_write_buffer(b.s, &o, &buffer, &losses, NULL), APF_OK);
    struct apf_sample *again = gcc_read_buffer(&buffer);
    assert_int_equal(again->names.list.n, 3); /* the empty one, f and g */
    sample_free(again);
    apf_buffer_free(&buffer);
    sample_free(b.s);
}

static void test_sixteen_bits(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("3");
    struct sample_gcc_losses losses = {.inlined = 3, .targets = 2, .lines = 2, .samples = 2000000107};
    (void)state;
    uint32_t f = add_top(&b, name_of(&b, "f"), 1), g = name_of(&b, "g");
    add_line(&b, f, 65535, 65535, 1);
    add_line(&b, f, 65536, 0, 2000000000);
    add_line(&b, f, 1, 65536, 100);
    add_target(&b, f, 65536, 0, g, 4);
    add_target(&b, f, 65535, 65535, g, 1);
    uint32_t deep = add_call(&b, f, 65536, 0, g), deeper = add_call(&b, deep, 1, 0, g);
    add_line(&b, deeper, 0, 0, 7);
    add_target(&b, deeper, 0, 0, g, 4);
    add_call(&b, f, 1, 65536, g);
    check_built(&b, &o, &losses, "f:1:1\n 65535.65535: 1 g:1\n");
}

static void test_unknown_names(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("1");
    struct sample_gcc_losses losses = {.functions = 3, .inlined = 2, .targets = 3, .samples = 1111};
    const struct apf_str nul = {"a\0b", 3};
    uint32_t with_nul;
    (void)state;
    uint32_t hash = hash_of(&b, 12345), empty = name_of(&b, "");
    assert_int_equal(sample_names_add(&b.s->names, nul, SAMPLE_NONE, true, &with_nul, NULL), APF_OK);
    uint32_t f = add_top(&b, name_of(&b, "f"), 1), lost = add_top(&b, hash, 2);
    add_line(&b, f, 1, 0, 5);
    add_target(&b, f, 1, 0, hash, 1);
    add_target(&b, f, 1, 0, empty, 1);
    add_target(&b, f, 1, 0, name_of(&b, "g"), 1);
    add_line(&b, lost, 1, 0, 1000);
    add_line(&b, add_call(&b, lost, 1, 0, name_of(&b, "g")), 1, 0, 100);
    add_line(&b, add_top(&b, empty, 1), 1, 0, 10);
    add_top(&b, with_nul, 1);
    uint32_t inlined = add_call(&b, f, 4, 0, with_nul);
    add_line(&b, inlined, 1, 0, 1);
    add_target(&b, inlined, 1, 0, name_of(&b, "g"), 1);
    check_built(&b, &o, &losses, "f:5:1\n 1: 5 g:1\n");
}

static void test_contexts(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("2");
    struct sample_gcc_losses losses = {.contexts = 2};
    uint32_t context, node;
    (void)state;
    uint32_t f = name_of(&b, "f"), g = name_of(&b, "g");
    add_line(&b, add_top(&b, f, 1), 1, 0, 5);
    add_line(&b, add_top(&b, g, 10), 1, 0, 50);
    for (uint32_t line = 1; line < 3; line++) {
        assert_int_equal(sample_contexts_base(&b.s->contexts, f, &context, NULL), APF_OK);
        assert_int_equal(
            sample_contexts_add(&b.s->contexts, context, sample_place(line, 0), g, &context, NULL), APF_OK);
        assert_int_equal(sample_top(b.s, context, &node, NULL), APF_OK);
        b.s->nodes.data[node].head = 100 * line;
        add_line(&b, node, line, 0, 7);
    }
    b.s->info.flags |= APF_SAMPLE_CONTEXTS;
    check_built(&b, &o, &losses, "f:5:1\n 1: 5\ng:64:310\n 1: 57\n 2: 7\n");
}

static void test_other_losses(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("2");
    struct sample_gcc_losses losses = {
        .files = 1, .times = 1, .checksums = 1, .attributes = 2, .vtables = 2, .symbols = 1, .totals = 1};
    (void)state;
    set_file(&b, "a.c");
    uint32_t f = add_top(&b, name_of(&b, "f"), 1);
    set_file(&b, NULL);
    add_line(&b, f, 1, 0, 5);
    uint32_t g = add_call(&b, f, 2, 0, name_of(&b, "g"));
    b.s->nodes.data[f].checksum = 77;
    b.s->nodes.data[f].attributes = 1;
    b.s->nodes.data[g].attributes = 4;
    b.s->nodes.data[f].total = 6;
    sample_node_extra(b.s, f)->first_time = 9;
    assert_int_equal(sample_append_vtable(b.s, f, 1, name_of(&b, "v"), 3, NULL), APF_OK);
    assert_int_equal(sample_append_vtable(b.s, g, 1, name_of(&b, "v"), 3, NULL), APF_OK);
    assert_int_equal(sample_append_symbol(b.s, str("x"), NULL), APF_OK);
    check_built(&b, &o, &losses, "f:5:1\n 1: 5\n 2: g:0\n");
}

/* Functions that become equal are added up, with the earliest time. */
static void build_suffixes(struct built *b)
{
    static const char *const list[] = {"a", "a.cold", "a.part.0.cold", "b.isra.1.constprop.2",
                                       "b", "c.0",    "d.llvm.9",      "e._omp_fn.2"};
    *b = begin_profile();
    for (uint32_t i = 0; i < COUNT(list); i++) {
        uint32_t node = add_top(b, name_of(b, list[i]), i + 1);
        add_line(b, node, 1, 0, 1u << i);
        sample_node_extra(b->s, node)->first_time = 100 - i;
    }
    add_line(b, add_call(b, 0, 7, 0, name_of(b, "b.part.0")), 0, 0, 1000);
    add_line(b, add_call(b, 0, 7, 0, name_of(b, "b")), 0, 0, 2000);
    add_target(b, 0, 1, 0, name_of(b, "x.lto_priv.3"), 6);
    add_target(b, 0, 1, 0, name_of(b, "x"), 1);
}

static void test_suffixes(void **state)
{
    struct built b;
    struct sample_gcc_options o = gcc_options_of("3");
    struct sample_gcc_losses losses = {.suffixes = 5};
    (void)state;
    build_suffixes(&b);
    o.suffixes = GCC_SUFFIXES_CLONES;
    check_built(&b, &o, &losses,
                "a:3007:6:98\n 1: 7 x:7\n 7: b:3000\n  0: 3000\nb:24:9:96\n 1: 24\nc.0:32:6:95\n 1: 32\n"
                "d.llvm.9:64:7:94\n 1: 64\ne._omp_fn.2:128:8:93\n 1: 128\n");
    build_suffixes(&b);
    o.suffixes = GCC_SUFFIXES_ALL;
    losses.suffixes = 8;
    check_built(&b, &o, &losses,
                "a:3007:6:98\n 1: 7 x:7\n 7: b:3000\n  0: 3000\nb:24:9:96\n 1: 24\nc:32:6:95\n 1: 32\n"
                "d:64:7:94\n 1: 64\ne:128:8:93\n 1: 128\n");
    build_suffixes(&b);
    o.suffixes = GCC_SUFFIXES_KEEP;
    check_built(
        &b, &o, &no_losses,
        "a:3001:1:100\n 1: 1 x:1 x.lto_priv.3:6\n 7: b:2000\n  0: 2000\n 7: b.part.0:1000\n  0: 1000\n"
        "a.cold:2:2:99\n 1: 2\na.part.0.cold:4:3:98\n 1: 4\nb:16:5:96\n 1: 16\n"
        "b.isra.1.constprop.2:8:4:97\n 1: 8\nc.0:32:6:95\n 1: 32\n"
        "d.llvm.9:64:7:94\n 1: 64\ne._omp_fn.2:128:8:93\n 1: 128\n");
}

static void test_constructors(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("2");
    struct sample_gcc_losses losses = {.suffixes = 2};
    (void)state;
    add_line(&b, add_top(&b, name_of(&b, "_ZN1AC4Ev"), 1), 1, 0, 1);
    add_line(&b, add_top(&b, name_of(&b, "_ZN1AC2Ev"), 2), 1, 0, 2);
    add_line(&b, add_top(&b, name_of(&b, "_ZN1AD4Ev.cold"), 4), 1, 0, 4);
    o.constructors = true;
    o.suffixes = GCC_SUFFIXES_ALL;
    check_built(&b, &o, &losses, "_ZN1AC2Ev:3:3\n 1: 3\n_ZN1AD2Ev:4:4\n 1: 4\n");
}

/* Equal names of several files are several functions in layouts 3, and one elsewhere. */
static void build_files(struct built *b)
{
    static const char *const list[] = {"z.c", "a.c", NULL, "unused.c", "b.c"};
    *b = begin_profile();
    for (uint32_t i = 0; i < COUNT(list); i++) {
        set_file(b, list[i]);
        uint32_t name = name_of(b, i == 3 ? "unused" : "f");
        if (i != 3)
            add_line(b, add_top(b, name, i + 1), i, 0, 1);
    }
}

static void test_files(void **state)
{
    struct built b;
    struct sample_gcc_options o = gcc_options_of("3a");
    struct sample_gcc_losses losses = {.files = 3};
    (void)state;
    build_files(&b);
    check_built(&b, &o, &no_losses, "f:1:3\n 2: 1\nf@a.c:1:2\n 1: 1\nf@b.c:1:5\n 4: 1\nf@z.c:1:1\n 0: 1\n");
    build_files(&b);
    o = gcc_options_of("704");
    check_built(&b, &o, &losses, "f:4:11\n 0: 1\n 1: 1\n 2: 1\n 4: 1\n");
}

static void test_saturation(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("3");
    struct sample_gcc_losses losses = {.suffixes = 1};
    (void)state;
    add_line(&b, add_top(&b, name_of(&b, "f"), UINT64_MAX), 1, 0, UINT64_MAX);
    add_line(&b, add_top(&b, name_of(&b, "f.cold"), UINT64_MAX), 1, 0, UINT64_MAX);
    o.suffixes = GCC_SUFFIXES_CLONES;
    check_built(&b, &o, &losses, "f:18446744073709551615:18446744073709551615\n 1: 18446744073709551615\n");
}

/* ---- round trips, failures, costs ---- */

static void make_tree(struct built *b, uint32_t caller, unsigned depth, uint64_t *seed)
{
    char name[8] = "f.0";
    for (uint64_t i = next_random(seed) % 6; i > 0; i--)
        add_line(b, caller, (uint32_t)next_random(seed) & 0xffff, (uint32_t)next_random(seed) & 3,
                 next_random(seed) >> 8);
    for (uint32_t i = 0; i < b->s->nodes.data[caller].lines.n; i++) {
        uint64_t at = b->s->nodes.data[caller].lines.data[i].at;
        name[0] = (char)('a' + next_random(seed) % 20);
        add_target(b, caller, sample_place_line(at), sample_place_discriminator(at), name_of(b, name),
                   next_random(seed) % 1000);
    }
    for (uint64_t i = depth ? next_random(seed) % 4 : 0; i > 0; i--) {
        name[0] = (char)('a' + next_random(seed) % 20);
        make_tree(b,
                  add_call(b, caller, (uint32_t)next_random(seed) & 7, (uint32_t)next_random(seed) & 1,
                           name_of(b, name)),
                  depth - 1, seed);
    }
}

/* What was written once is written again as the same bytes, and another layout has the same contents. */
static void test_round_trips(void **state)
{
    uint64_t seed = 42;
    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        struct built b = begin_profile();
        struct apf_buffer first = {NULL, 0, 0}, second = {NULL, 0, 0}, third = {NULL, 0, 0};
        struct sample_gcc_losses losses;
        struct sample_gcc_options o = gcc_options_of(gb_layouts[i % GB_LAYOUTS].name),
                                  other = gcc_options_of("2");
        for (unsigned k = 0; k < 8; k++) {
            char name[] = "f";
            name[0] = (char)('a' + next_random(&seed) % 20);
            make_tree(&b, add_top(&b, name_of(&b, name), next_random(&seed)), 4, &seed);
        }
        o.big_endian = i / GB_LAYOUTS % 2;
        assert_int_equal(sample_seal(b.s, NULL), APF_OK);
        assert_int_equal(gcc_write_buffer(b.s, &o, &first, &losses, NULL), APF_OK);
        struct apf_sample *again = gcc_read_buffer(&first);
        assert_int_equal(gcc_write_buffer(again, &o, &second, &losses, NULL), APF_OK);
        assert_int_equal(first.n, second.n);
        assert_memory_equal(first.data, second.data, first.n);
        char *text = strdup(sample_render(again));
        assert_int_equal(gcc_write_buffer(b.s, &other, &third, &losses, NULL), APF_OK);
        sample_free(again);
        again = gcc_read_buffer(&third);
        assert_string_equal(sample_render(again), text);
        free(text);
        sample_free(again);
        sample_free(b.s);
        apf_buffer_free(&first);
        apf_buffer_free(&second);
        apf_buffer_free(&third);
    }
}

static unsigned sweep_kind(const struct apf_sample *s, const struct sample_gcc_options *o,
                           enum fault_call call)
{
    for (unsigned k = 1;; k++) {
        struct apf_buffer buffer = {NULL, 0, 0};
        struct sample_gcc_losses losses;
        struct apf_error error;
        fault_fail(call, k, ENOMEM);
        int code = gcc_write_buffer(s, o, &buffer, &losses, &error);
        bool hit = fault_hit();
        fault_reset();
        apf_buffer_free(&buffer);
        if (!hit) {
            assert_int_equal(code, APF_OK);
            return k - 1;
        }
        assert_true(code == APF_NO_MEMORY || (code == APF_IO && error.sys_errno == ENOMEM));
        assert_int_equal(error.code, code);
    }
}

static void test_memory_faults(void **state)
{
    struct built b;
    struct sample_gcc_options o = gcc_options_of("3");
    (void)state;
    build_files(&b);
    add_line(&b, add_top(&b, name_of(&b, "_ZN1AC4Ev"), 1), 1, 0, 1);
    add_line(&b, add_call(&b, 0, 7, 0, name_of(&b, "g")), 1, 0, 3);
    add_target(&b, 0, 0, 0, name_of(&b, "g"), 3);
    sample_node_extra(b.s, 0)->first_time = 7;
    assert_int_equal(sample_seal(b.s, NULL), APF_OK);
    o.constructors = true;
    assert_in_range(sweep_kind(b.s, &o, FAULT_MEMORY), 20, 60);
    assert_in_range(sweep_kind(b.s, &o, FAULT_ARENA), 8, 40);
    sample_free(b.s);
}

static int refuse(void *user, const void *p, size_t n)
{
    (void)user;
    (void)p;
    (void)n;
    return ENOSPC;
}

static void test_full_disk(void **state)
{
    struct built b = begin_profile();
    struct apf_output output = apf_output_callback(refuse, NULL);
    struct file_out *out;
    struct sample_gcc_losses losses;
    struct sample_gcc_options o = gcc_options_of("1");
    struct apf_error error;
    (void)state;
    for (uint32_t i = 0; i < 5000; i++)
        add_line(&b, add_top(&b, name_of(&b, "f"), 1), i, 0, i);
    assert_int_equal(sample_seal(b.s, NULL), APF_OK);
    assert_int_equal(file_out_open(&out, &output, &error), APF_OK);
    assert_int_equal(file_out_finish(out, sample_gcc_write(b.s, &o, out, &losses, &error), &error), APF_IO);
    assert_int_equal(error.sys_errno, ENOSPC);
    sample_free(b.s);
}

#define MANY 100000u

/* Names that become equal, calls and targets of one place: none may take quadratic time. */
static void test_many(void **state)
{
    struct built b = begin_profile();
    struct sample_gcc_options o = gcc_options_of("2");
    struct apf_buffer buffer = {NULL, 0, 0};
    struct sample_gcc_losses losses;
    char name[32];
    (void)state;
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "f.%u", (unsigned)(MANY - i));
        uint32_t number = name_of(&b, name);
        add_line(&b, add_top(&b, number, 1), MANY - i, 0, 1);
        snprintf(name, sizeof name, "%u", (unsigned)(i * 7919u % MANY));
        number = name_of(&b, name);
        add_call(&b, 0, 1, i % 9, number);
        add_target(&b, 0, 7, i, number, 1);
        add_line(&b, 0, 7, i, 1);
    }
    assert_int_equal(sample_seal(b.s, NULL), APF_OK);
    o.plain_lines = true;
    o.suffixes = GCC_SUFFIXES_ALL;
    assert_int_equal(gcc_write_buffer(b.s, &o, &buffer, &losses, NULL), APF_OK);
    struct apf_sample *s = gcc_read_buffer(&buffer);
    assert_int_equal(s->top.n, 1);
    assert_int_equal(s->nodes.data[0].lines.n, 65535);
    assert_int_equal(s->nodes.data[0].targets.n, MANY);
    assert_int_equal(s->nodes.data[0].callees.n, MANY);
    assert_int_equal(s->nodes.data[0].head, MANY);
    assert_int_equal(losses.lines, MANY - 65535);
    assert_int_equal(losses.suffixes, MANY);
    sample_free(s);
    sample_free(b.s);
    apf_buffer_free(&buffer);
}

TEST_FILE(sample_gcc_losses)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_lines),   cmocka_unit_test(test_sixteen_bits),
        cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_other_losses),  cmocka_unit_test(test_suffixes),
        cmocka_unit_test(test_constructors),  cmocka_unit_test(test_files),
        cmocka_unit_test(test_saturation),    cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_memory_faults), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_no_targets),
    };
    return RUN_TESTS(tests);
}
