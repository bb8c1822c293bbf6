/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of samples, as JSON: the members that docs/json.md describes, and no other ones; and sums that add up. */
#include "helpers/shared/profgen_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPPED "PERF_RECORD_MMAP2 100/100: [0x201000(0x1000) @ 0 08:01 1 1]: r-xp /x/mini\n"

/* ---- members ---- */

/* The chapter of docs/json.md. */
static const char *read_chapter(void)
{
    static char text[1 << 18];
    FILE *f = fopen("docs/json.md", "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    char *begin = strstr(text, ": `anyprof-profgen/1`\n"), *end = begin ? strstr(begin, "\n## ") : NULL;
    if (end)
        *end = 0;
    return end ? begin : "";
}

static void write_funnel(struct apf_buffer *json, const char *samples)
{
    struct apf_input program = pm_probed(), input = apf_input_memory(samples, strlen(samples), "samples");
    struct apf_buffer raw = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(json), to_raw = apf_output_buffer(&raw);
    struct apf_profgen *g;
    assert_int_equal(apf_profgen_open(&g, &program, NULL, NULL), APF_OK);
    assert_int_equal(apf_profgen_read(g, APF_PROFGEN_PERF_SCRIPT, &input, 1, NULL), APF_OK);
    assert_int_equal(apf_profgen_write_raw(g, &to_raw, NULL), APF_OK);
    apf_buffer_free(&raw);
    assert_int_equal(apf_profgen_funnel_write(g, &output, NULL), APF_OK);
    assert_int_equal(apf_buffer_write(json, "", 1), 0);
    apf_profgen_close(g);
}

/* Every member that is written is described, and every one that is described is written. */
static void test_members(void **state)
{
    const char *chapter = read_chapter();
    struct apf_buffer json = {NULL, 0, 0};
    char name[80];
    size_t n_written = 0, n_described = 0;
    (void)state;
    write_funnel(&json, MAPPED " 0x201152/0x20113c/P\n");
    for (const char *p = strchr(json.data, '"'); p; p = strchr(p, '"')) {
        const char *end = strchr(++p, '"');
        assert_non_null(end);
        snprintf(name, sizeof name, "`%.*s`", (int)(end - p), p);
        bool member = end[1] == ':', head = strstr("`schema` `generator` `name` `version`", name) != NULL;
        if (member && !head && !strstr(chapter, name))
            fail_msg("%s is not described", name);
        n_written += member && !head;
        p = end + 1;
    }
    for (const char *p = strchr(chapter, '\n'), *end; p && (p = strchr(p, '`')) != NULL; p = end + 1) {
        end = strchr(++p, '`');
        assert_non_null(end);
        snprintf(name, sizeof name, "\"%.*s\":", (int)(end - p), p);
        bool word = strcspn(p, " -(=") > (size_t)(end - p); /* not a command, option or name of a function */
        if (word && strncmp(p, "null", 4) != 0 && strncmp(p, "__", 2) != 0 && !strstr(json.data, name))
            fail_msg("%s is not written", name);
        n_described += word;
    }
    assert_true(n_written > 40 && n_described > 40);
    apf_buffer_free(&json);
}

/* The whole document. */
static void test_document(void **state)
{
    static const char expected[] =
        "  \"samples\": {\"seen\": 0, \"unwanted\": 0, \"no_stack\": 0, \"elsewhere\": 0, "
        "\"unplaced\": 0, \"damaged\": 0, \"lost\": 0},\n"
        "  \"plain_samples\": false,\n"
        "  \"processes\": 0,\n  \"cut\": false,\n  \"no_build_id\": false,\n  \"other_build\": false,\n"
        "  \"text\": {\"unmapped\": false, \"bad_lines\": 1, \"first_bad_line\": 5, \"bad_mappings\": 0, "
        "\"moved_mappings\": 0},\n"
        "  \"bolt\": {\"seen\": 0, \"moved\": 0, \"unknown\": 0, \"removed\": 0, \"added\": 0, \"inlined\": "
        "0, "
        "\"lost\": 0},\n"
        "  \"stacks\": {\"seen\": 7, \"elsewhere\": 2},\n"
        "  \"branches\": {\"left_out\": 0, \"seen\": 24, \"elsewhere\": 1, \"in\": 5, \"out\": 6, "
        "\"kernel\": 1, "
        "\"misplaced\": 2},\n"
        "  \"ranges\": {\"seen\": 18, \"elsewhere\": 5, \"broken\": 5, \"misplaced\": 0, \"nowhere\": 0, "
        "\"named\": 0, \"crossing\": 0, \"jumping\": 0},\n";
    struct apf_buffer json = {NULL, 0, 0};
    (void)state;
    write_funnel(&json, MAPPED "4\n 0x201152/0x20113c/P 0x20113f/0x20114a/P 0x99/0x20113c/P 0x201158/0x99/P "
                               "0x201169/0x201131/P\n 0x98/0x99/P\nodd\n"
                               " 0x201152/0xffffffff81000000/P 0x201153/0x20113c/P 0x20113f/0x20114b/P\n");
    if (!strstr(json.data, expected))
        fail_msg("%s", (const char *)json.data);
    assert_non_null(strstr(json.data, "\"schema\": \"anyprof-profgen/1\""));
    assert_non_null(strstr(json.data, "\"debug_file\": null"));
    apf_buffer_free(&json);
}

/* ---- sums ---- */

/* Branches are in the program, or lead into it, out of it, or are elsewhere: those with a target in it are written. */
static void check_sums(const char *text, uint32_t flags)
{
    struct apf_input program = pm_probed();
    struct apf_profgen_options options = {.size = sizeof options, .flags = flags};
    struct pm_made m;
    uint64_t ranges = 0, branches = 0;
    pm_make(&m, &program, APF_PROFGEN_PERF_SCRIPT, text, &options);
    assert_int_equal(m.code, APF_OK);
    for (const char *line = m.raw; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *end = line + strcspn(line, "\n"), *colon = memchr(line, ':', (size_t)(end - line));
        if (!colon) /* a number of lines, or a context */
            continue;
        uint64_t count = strtoull(colon + 1, NULL, 10);
        if (memchr(line, '>', (size_t)(colon - line)))
            branches += count;
        else
            ranges += count;
    }
    assert_int_equal(m.funnel.branches, branches + m.funnel.branches_elsewhere + m.funnel.branches_out);
    assert_int_equal(m.funnel.ranges, ranges + m.funnel.ranges_elsewhere + m.funnel.ranges_broken);
    assert_true(m.funnel.branches_in <= branches && m.funnel.calls <= branches);
    assert_true(m.funnel.stacks == m.funnel.calls_stacks - m.funnel.calls_none - m.funnel.calls_unready ||
                m.funnel.calls_stacks == 0);
    pm_free(&m);
}

static void test_sums(void **state)
{
    static const uint64_t places[] = {0x201120, 0x201124, 0x201129, 0x201130, 0x20113c, 0x20113f,
                                      0x201143, 0x201148, 0x20114a, 0x20114d, 0x201152, 0x201158,
                                      0x201160, 0x201169, 0x20116e, 0x99};
    uint64_t chance = 9;
    char text[1 << 14];
    (void)state;
    for (unsigned round = 0; round < 20; round++) {
        size_t n = (size_t)snprintf(text, sizeof text, MAPPED);
        for (unsigned i = 0; i < 30; i++) {
            for (unsigned k = 0; round % 2 && k < 1 + i % 3; k++)
                n += (size_t)snprintf(text + n, sizeof text - n, "\t%llx\n",
                                      (unsigned long long)places[next_random(&chance) % COUNT(places)]);
            for (unsigned k = 0; k < 1 + i % 6; k++)
                n += (size_t)snprintf(text + n, sizeof text - n, " 0x%llx/0x%llx/P",
                                      (unsigned long long)places[next_random(&chance) % COUNT(places)],
                                      (unsigned long long)places[next_random(&chance) % COUNT(places)]);
            n += (size_t)snprintf(text + n, sizeof text - n, "\n%u\n", i + 1);
        }
        assert_true(n < sizeof text);
        check_sums(text, 0);
        check_sums(text, APF_PROFGEN_IGNORE_CALLS);
    }
}

TEST_FILE(profgen_funnel)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_members), cmocka_unit_test(test_document),
                                       cmocka_unit_test(test_sums)};
    return RUN_TESTS(tests);
}
