/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files of a directory are profiles. */
#include "helpers/shared/fault.h"
#include "helpers/shared/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include <anyprof/instr.h>

#define FOO "foo\n1\n1\n3\n"

struct sample {
    const char *name, *content;
    bool listed;
};

static void make(const char *name, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "d/%s", name);
    file_make(temp_path(path), text, strlen(text));
}

static void make_packed(const char *name, const char *text)
{
    gzFile f = gzopen(temp_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(gzputs(f, text), (int)strlen(text));
    assert_int_equal(gzclose(f), Z_OK);
}

static void check(const struct apf_paths_options *options, size_t count, uint64_t others)
{
    char **paths;
    size_t n;
    struct apf_skipped skipped = {.size = sizeof skipped};
    assert_int_equal(apf_profile_paths(temp_path("d"), options, &paths, &n, &skipped, NULL), APF_OK);
    assert_int_equal(n, count);
    assert_int_equal(skipped.n_others, others);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(paths[i - 1], paths[i]) < 0);
    apf_paths_free(paths);
}

static void test_samples(void **state)
{
    (void)state;
    static const struct sample samples[] = {
        {"text", FOO, true},
        {"header", ":ir\n" FOO, true},
        {"comment", "# what it is\n" FOO, true},
        {"wrong", "foo\nx\n1\n3\n", true}, /* an error, which must be said */
        {"raw", "\x81rforpl\xff", true},   /* cut off after its magic */
        {"indexed", "\xfflprofi\x81", true},
        {"memory", "\x81rforpm\xff", true},
        {"json", "{\"schema\": \"anyprof-profile/1\"}", true},
        {"empty", "", false},
        {"readme", "How to run this:\n\n    make\n", false},
        {"other.json", "{\"schema\": 1}", false},
        {"other.yaml", "---\nkey: value\n", false},
        {"page", "<!doctype html>\n", false},
        {"elf",
         "\x7f"
         "ELF\2\1\1",
         false},
        {"empty.profraw", "", true}, /* ought to be */
        {"page.profdata", "<!doctype html>\n", true},
        {"x.proftext.gz", "How\n", true},
        {"profraw", "", false}, /* no suffix */
        {"x.profraw.bz2", "How\n", false},
    };
    assert_int_equal(mkdir(temp_path("d"), 0777), 0);
    size_t listed = 0, others = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        make(samples[i].name, samples[i].content);
        listed += samples[i].listed;
        others += !samples[i].listed;
        check(NULL, listed, others);
    }
    make_packed("d/packed", FOO);
    check(NULL, ++listed, others);
    make_packed("d/other", "How to run this:\n\n    make\n");
    check(NULL, listed, ++others);
}

static int include_page(void *user, struct apf_str name)
{
    (void)user;
    return name.n == 4 && memcmp(name.p, "page", 4) == 0;
}

/* With a filter, the name alone decides; a file that is given by name is always listed. */
static void test_chosen(void **state)
{
    (void)state;
    struct apf_paths_options options = {.size = sizeof options, .include = include_page};
    char **paths;
    size_t n;
    assert_int_equal(mkdir(temp_path("d"), 0777), 0);
    make("page", "<!doctype html>\n");
    make("text", FOO);
    check(NULL, 1, 1);
    check(&options, 1, 0);
    assert_int_equal(apf_profile_paths(temp_path("d/page"), NULL, &paths, &n, NULL, NULL), APF_OK);
    assert_int_equal(n, 1);
    apf_paths_free(paths);
}

/* A file that cannot be looked at stays in the list, so that reading it reports why; without memory there is none. */
static void test_failures(void **state)
{
    (void)state;
    assert_int_equal(mkdir(temp_path("d"), 0777), 0);
    make("text", FOO);
    make_packed("d/packed", "How to run this:\n\n    make\n");
    for (unsigned k = 1;; k++) {
        char **paths = NULL;
        size_t n = 77;
        fault_fail(FAULT_READ, k, EIO);
        assert_int_equal(apf_profile_paths(temp_path("d"), NULL, &paths, &n, NULL, NULL), APF_OK);
        bool hit = fault_hit();
        fault_reset();
        assert_true(n >= 1);
        apf_paths_free(paths);
        if (!hit)
            break;
    }
    for (unsigned k = 1;; k++) {
        char **paths = NULL;
        size_t n = 77;
        struct apf_error e = {0};
        fault_fail(FAULT_MEMORY, k, ENOMEM);
        int code = apf_profile_paths(temp_path("d"), NULL, &paths, &n, NULL, &e);
        bool hit = fault_hit();
        fault_reset();
        assert_true(code == APF_OK || code == APF_NO_MEMORY);
        if (code == APF_OK)
            apf_paths_free(paths);
        if (!hit)
            break;
    }
}

TEST_FILE(profile_paths)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_DIR(test_samples),
        TEST_WITH_DIR(test_chosen),
        TEST_WITH_DIR(test_failures),
    };
    return RUN_TESTS(tests);
}
