/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a sample profile, as users of the library reach them. */
#include "helpers/shared/sample_random.h"

#include <errno.h>
#include <string.h>

#include <anyprof/sample_functions.h>
#include <anyprof/sample_views.h>

#include "helpers/shared/fault.h"

static struct apf_sample_functions *functions_of(const struct apf_sample *s)
{
    struct apf_sample_functions *functions;
    assert_int_equal(apf_sample_functions_new(&functions, s, NULL), APF_OK);
    return functions;
}

static struct apf_sample_function function_at(const struct apf_sample_functions *functions, uint64_t i)
{
    struct apf_sample_function f = {.size = sizeof f};
    assert_int_equal(apf_sample_function(functions, i, &f, NULL), APF_OK);
    return f;
}

static void is_name(struct apf_sample_name name, const char *want)
{
    assert_int_equal(name.text.n, strlen(want));
    assert_memory_equal(name.text.p, want, name.text.n);
}

static void check_count(struct apf_sample_count count, uint32_t line, uint32_t discriminator,
                        const char *name, uint64_t n)
{
    assert_int_equal(count.place.line, line);
    assert_int_equal(count.place.discriminator, discriminator);
    assert_int_equal(count.count, n);
    is_name(count.name, name);
}

/* In the order of output: large, then main with what is inlined in it, then foo. */
static void test_nested(void **state)
{
    static const struct {
        const char *name;
        uint32_t depth, line, n_inlined;
    } want[] = {{"large", 0, 0, 0}, {"main", 0, 0, 3}, {"b", 1, 4, 1},
                {"c", 2, 1, 0},     {"a", 1, 7, 0},    {"foo", 0, 0, 0}};
    struct apf_sample *s =
        sample_of_text("foo:1:9\nmain:50:2\n 2.3: 8 z:1 y:7 x:1\n 5: 0\n 7: a:5\n 4: b:6\n  1: c:3\n   2: 3\n"
                       "  1: vtables w:9 v:2 \n !Attributes: 3\nlarge:100:1\n");
    struct apf_sample_functions *functions = functions_of(s);
    struct apf_sample_count count;
    (void)state;
    assert_int_equal(COUNT(want), s->info.n_functions + s->info.n_inlined);
    for (size_t i = 0; i < COUNT(want); i++) {
        struct apf_sample_function f = function_at(functions, i);
        is_name(f.name, want[i].name);
        assert_int_equal(f.depth, want[i].depth);
        assert_int_equal(f.call.line, want[i].line);
        assert_int_equal(f.n_inlined, want[i].n_inlined);
        assert_int_equal(f.n_frames, f.depth == 0);
    }
    struct apf_sample_function f = function_at(functions, 1);
    assert_int_equal(f.total, 50);
    assert_int_equal(f.head, 2);
    assert_int_equal(f.attributes, 3);
    assert_int_equal(f.n_lines, 2);
    assert_int_equal(f.n_targets, 3);
    assert_int_equal(apf_sample_line(functions, 1, 1, &count), APF_OK);
    assert_int_equal(count.place.line, 5);
    assert_null(count.name.text.p);
    assert_int_equal(apf_sample_line(functions, 1, 2, &count), APF_END);
    assert_int_equal(apf_sample_target(functions, 1, 0, &count), APF_OK);
    check_count(count, 2, 3, "y", 7);
    assert_int_equal(apf_sample_target(functions, 1, 1, &count), APF_OK);
    check_count(count, 2, 3, "x", 1);
    assert_int_equal(apf_sample_target(functions, 1, 3, &count), APF_END);
    assert_int_equal(function_at(functions, 2).n_vtables, 2);
    assert_int_equal(apf_sample_vtable(functions, 2, 0, &count), APF_OK);
    check_count(count, 1, 0, "v", 2); /* by name */
    assert_int_equal(apf_sample_vtable(functions, 2, 2, &count), APF_END);
    /* Past the end. */
    assert_int_equal(apf_sample_function(functions, COUNT(want), &f, NULL), APF_END);
    assert_int_equal(apf_sample_line(functions, COUNT(want), 0, &count), APF_END);
    assert_int_equal(apf_sample_target(functions, UINT64_MAX, 0, &count), APF_END);
    assert_int_equal(apf_sample_vtable(functions, UINT64_MAX, 0, &count), APF_END);
    f.size = 0;
    assert_int_equal(apf_sample_function(functions, 0, &f, NULL), APF_ARGUMENT);
    apf_sample_functions_free(functions);
    apf_sample_functions_free(NULL);
    apf_sample_close(s);
}

static void test_frames(void **state)
{
    struct apf_sample *s = sample_of_text("[main:3 @ foo:2.1 @ bar]:9:1\n 1: 2\n 2: x:1\n[bar]:1:1\n");
    struct apf_sample_functions *functions = functions_of(s);
    struct apf_sample_frame frame;
    (void)state;
    assert_int_equal(function_at(functions, 0).n_frames, 3);
    assert_int_equal(apf_sample_frame(functions, 0, 0, &frame), APF_OK);
    is_name(frame.name, "main");
    assert_int_equal(frame.call.line, 3);
    assert_int_equal(apf_sample_frame(functions, 0, 1, &frame), APF_OK);
    is_name(frame.name, "foo");
    assert_int_equal(frame.call.line, 2);
    assert_int_equal(frame.call.discriminator, 1);
    assert_int_equal(apf_sample_frame(functions, 0, 2, &frame), APF_OK);
    is_name(frame.name, "bar");
    assert_int_equal(frame.call.line, 0);
    assert_int_equal(apf_sample_frame(functions, 0, 3, &frame), APF_END);
    assert_int_equal(apf_sample_frame(functions, 1, 0, &frame), APF_END); /* inlined */
    assert_int_equal(apf_sample_frame(functions, 2, 0, &frame), APF_OK);
    assert_int_equal(apf_sample_frame(functions, 2, 1, &frame), APF_END);
    assert_int_equal(apf_sample_frame(functions, 3, 0, &frame), APF_END);
    apf_sample_functions_free(functions);
    apf_sample_close(s);
}

static uint64_t find(const struct apf_sample_functions *functions, const char *text, uint64_t hash,
                     uint64_t i)
{
    struct apf_sample_name name = {{text, text ? strlen(text) : 0}, hash};
    return apf_sample_function_find(functions, name, i);
}

static void test_find(void **state)
{
    struct apf_sample *s =
        sample_of_text("[m:1 @ b]:5:1\n 1: 2\n[b]:9:1\n[m:2 @ b]:7:1\n[a]:3:1\n 1: 1 c:1\n");
    struct apf_sample_functions *functions = functions_of(s);
    (void)state;
    assert_true(apf_sample_name_hash((struct apf_str){"foo", 3}) == 6699318081062747564u); /* LLVM's */
    assert_int_equal(find(functions, "b", 0, 0), 0);
    assert_int_equal(find(functions, "b", 0, 1), 1);
    assert_int_equal(find(functions, "b", 0, 2), 2);
    assert_true(find(functions, "b", 0, 3) == UINT64_MAX);
    assert_int_equal(find(functions, "a", 0, 0), 3);
    assert_true(find(functions, "c", 0, 0) == UINT64_MAX); /* a target only */
    assert_true(find(functions, "none", 0, 0) == UINT64_MAX);
    assert_true(find(functions, "b", 0, UINT64_MAX) == UINT64_MAX);
    assert_int_equal(find(functions, NULL, 0x8ff6f82d8c2be792, 0), UINT64_MAX);
    apf_sample_functions_free(functions);
    apf_sample_close(s);
    /* Names that are hashes, and names of several source files. */
    s = sample_of_functions(
        "{\"hash\":\"0x5cf8c24cdb18bdac\",\"total\":9},{\"name\":\"x\",\"file\":\"b.c\",\"total\":5},"
        "{\"name\":\"x\",\"file\":\"a.c\",\"total\":3},{\"hash\":7,\"total\":1}");
    functions = functions_of(s);
    assert_int_equal(find(functions, "foo", 0, 0), 0);
    assert_int_equal(find(functions, NULL, 0x5cf8c24cdb18bdac, 0), 0);
    assert_true(find(functions, NULL, 0x5cf8c24cdb18bdac, 1) == UINT64_MAX);
    assert_int_equal(find(functions, NULL, 7, 0), 3);
    assert_int_equal(find(functions, "x", 0, 0), 2); /* of a.c */
    assert_int_equal(find(functions, "x", 0, 1), 1);
    struct apf_sample_function f = function_at(functions, 2);
    assert_int_equal(f.file.n, 3);
    assert_memory_equal(f.file.p, "a.c", 3);
    assert_int_equal(find(functions, NULL, f.name.hash, 0), 2);
    assert_int_equal(find(functions, NULL, f.name.hash, 1), 1);
    assert_true(find(functions, NULL, f.name.hash, 2) == UINT64_MAX);
    f = function_at(functions, 0);
    assert_null(f.name.text.p);
    assert_true(f.name.hash == 0x5cf8c24cdb18bdac);
    apf_sample_functions_free(functions);
    sample_free(s);
}

/* All numbers of info are those of the list. */
static void test_random(void **state)
{
    uint64_t chance = 4;
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        struct sample_wish wish = {.contexts = i % 2, .all = i % 3 == 0};
        struct apf_sample *s = sample_random(&wish, &chance);
        struct apf_sample_functions *functions = functions_of(s);
        struct apf_sample_function f = {.size = sizeof f};
        struct apf_sample_count count;
        uint64_t n = 0, tops = 0, lines = 0, targets = 0, vtables = 0, inlined = 0;
        for (; apf_sample_function(functions, n, &f, NULL) == APF_OK; n++) {
            tops += f.depth == 0;
            inlined += f.depth == 0 ? f.n_inlined : 0;
            for (uint64_t k = 0; apf_sample_line(functions, n, k, &count) == APF_OK; k++)
                lines++;
            for (uint64_t k = 0; apf_sample_target(functions, n, k, &count) == APF_OK; k++)
                targets++;
            for (uint64_t k = 0; apf_sample_vtable(functions, n, k, &count) == APF_OK; k++)
                vtables++;
            assert_true(f.depth || apf_sample_function_find(functions, f.name, 0) != UINT64_MAX);
        }
        assert_int_equal(tops, s->info.n_functions);
        assert_int_equal(inlined, s->info.n_inlined);
        assert_int_equal(n, tops + inlined);
        assert_int_equal(lines, s->info.n_lines);
        assert_int_equal(targets, s->info.n_targets);
        assert_int_equal(vtables, s->info.n_vtables);
        apf_sample_functions_free(functions);
        sample_free(s);
    }
}

static void test_faults(void **state)
{
    struct apf_sample *s = sample_of_text("a:1:1\n 1: 1 z:1 y:1\n 2: b:1\n  3: c:1\n 2: a:1\n");
    (void)state;
    for (unsigned at = 1;; at++) {
        struct apf_sample_functions *functions;
        fault_fail(FAULT_MEMORY, at, ENOMEM);
        int code = apf_sample_functions_new(&functions, s, NULL);
        bool hit = fault_hit();
        fault_reset();
        assert_int_equal(code, hit ? APF_NO_MEMORY : APF_OK);
        assert_true((functions != NULL) == (code == APF_OK));
        apf_sample_functions_free(functions);
        if (!hit) {
            assert_true(at > 10);
            break;
        }
    }
    apf_sample_close(s);
}

static void check_found(const struct apf_sample *s, const char *name, int want)
{
    const struct apf_str text = {name, name ? strlen(name) : 0};
    int found = -1;
    assert_int_equal(apf_sample_print_finds(s, text, &found, NULL), APF_OK);
    assert_int_equal(found, want);
}

/* apf_sample_print_finds finds what apf_sample_print prints. */
static void test_print_finds(void **state)
{
    struct apf_sample *s = sample_of_text("[main:1 @ foo]:5:1\n 1: 5\n[foo]:1:1\n 1: 1\n");
    (void)state;
    check_found(s, NULL, 1);
    check_found(s, "", 1);
    check_found(s, "foo", 1);
    check_found(s, "[main:1 @ foo]", 1);
    check_found(s, "main:1 @ foo", 1);
    check_found(s, "main:3 @ foo", 0);
    check_found(s, "none", 0);
    apf_sample_close(s);
    s = sample_of_functions("{\"hash\":\"0x5cf8c24cdb18bdac\",\"total\":20,\"head\":9}");
    check_found(s, "foo", 1);
    check_found(s, "6699318081062747564", 1);
    check_found(s, "6699318081062747564x", 0);
    sample_free(s);
}

TEST_FILE(sample_function_list)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nested), cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_find),   cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_faults), cmocka_unit_test(test_print_finds)};
    return RUN_TESTS(tests);
}
