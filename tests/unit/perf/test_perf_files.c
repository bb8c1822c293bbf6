/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a recording: one for each path and build. */
#include <string.h>

#include "helpers/shared/unit.h"
#include "perf/perf_files.h"

static uint32_t find(struct perf_files *files, const char *path, const char *build)
{
    struct perf_record r = {.kind = PERF_MAPPING, .path = {path, strlen(path)}};
    uint32_t number = UINT32_MAX;
    r.build_id = perf_build_id_make(build, strlen(build));
    assert_int_equal(perf_files_find(files, &r, &number, NULL), APF_OK);
    assert_true(number < files->list.n);
    return number;
}

static void assert_file(const struct perf_files *files, uint32_t i, const char *path, const char *build)
{
    const struct apf_perf_file *f = files->list.data[i];
    assert_int_equal(f->path.n, strlen(path));
    assert_memory_equal(f->path.p, path, f->path.n);
    assert_int_equal(f->build_id.n, strlen(build));
    assert_memory_equal(f->build_id.p, build, f->build_id.n);
}

static void paths_and_builds(void **state)
{
    struct perf_files files = {.list = {0}};
    (void)state;
    assert_int_equal(find(&files, "/a", ""), 0);
    assert_int_equal(find(&files, "/b", "x"), 1);
    assert_int_equal(find(&files, "/a", "x"), 0); /* its build is known from now on */
    assert_file(&files, 0, "/a", "x");
    assert_int_equal(find(&files, "/a", ""), 0);
    assert_int_equal(find(&files, "/a", "y"), 2);
    assert_int_equal(find(&files, "/a", "xy"), 3);
    assert_int_equal(find(&files, "/a", "y"), 2);
    assert_int_equal(find(&files, "/a", "x"), 0);
    assert_int_equal(find(&files, "/a", ""), 0);
    assert_int_equal(find(&files, "/b", ""), 1);
    assert_int_equal(find(&files, "", ""), 4);
    assert_int_equal(files.list.n, 5);
    assert_file(&files, 3, "/a", "xy");
    perf_files_free(&files);
}

/* perf names the kernel after a symbol of it. */
static void kernels(void **state)
{
    struct perf_files files = {.list = {0}};
    struct perf_record r = {.kind = PERF_BUILD_ID, .path = {"/lib/modules/x.ko", 17}, .mode = 1};
    uint32_t number;
    (void)state;
    assert_int_equal(find(&files, "[kernel.kallsyms]_text", ""), 0);
    assert_int_equal(find(&files, "[kernel.kallsyms]", "k"), 0);
    assert_int_equal(find(&files, "[kernel.kallsyms]_stext", ""), 0);
    assert_file(&files, 0, "[kernel.kallsyms]", "k");
    assert_int_equal(find(&files, "[kernel.kallsyms", ""), 1);
    assert_int_equal(files.list.data[1]->kernel, 0);
    assert_int_equal(perf_files_find(&files, &r, &number, NULL), APF_OK);
    assert_int_equal(files.list.data[number]->kernel, 1);
    perf_files_free(&files);
}

/* Many builds of one path, which take as long as as many paths. */
static void many_builds(void **state)
{
    const uint32_t n = 200000;
    struct perf_files files = {.list = {0}};
    (void)state;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < n; i++) {
            struct perf_record r = {.kind = PERF_BUILD_ID, .path = {"/a", 2}};
            uint32_t id[2] = {i, 1}, number;
            r.build_id = perf_build_id_make(id, sizeof id);
            assert_int_equal(perf_files_find(&files, &r, &number, NULL), APF_OK);
            assert_int_equal(number, i);
        }
    perf_files_free(&files);
}

TEST_FILE(perf_files)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_builds),
        cmocka_unit_test(kernels),
        cmocka_unit_test(many_builds),
    };
    return RUN_TESTS(tests);
}
