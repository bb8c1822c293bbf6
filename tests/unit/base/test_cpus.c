/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The number of usable processors, from control groups that the test makes and from the affinity of this process. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "helpers/shared/unit.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cpus.h"

static void write_file(const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s", temp_path(name));
    for (char *slash = path + strlen(temp_dir) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static unsigned limit(const char *membership)
{
    char list[600], root[600];
    write_file("membership", membership);
    snprintf(list, sizeof list, "%s", temp_path("membership"));
    snprintf(root, sizeof root, "%s", temp_path("root"));
    return cpus_in_group(list, root);
}

static void test_version_2(void **state)
{
    (void)state;
    assert_int_equal(limit("0::/\n"), 0); /* no file: the root of a host has none */
    write_file("root/a/b/cpu.max", "max 100000\n");
    assert_int_equal(limit("0::/a/b\n"), 0);
    write_file("root/a/cpu.max", "250000 100000\n");
    assert_int_equal(limit("0::/a/b\n"), 3); /* rounded up; of a group around it */
    write_file("root/a/b/cpu.max", "50000 100000\n");
    assert_int_equal(limit("0::/a/b\n"), 1);
    assert_int_equal(limit("0::/a\n"), 3);
    write_file("root/cpu.max", "400000 100000\n");
    assert_int_equal(limit("0::/not/there\n"), 4); /* in a container, whose root is the group */
    assert_int_equal(limit("0::/a"), 3);           /* no line feed */
}

static void test_version_1(void **state)
{
    (void)state;
    write_file("root/cpu/a/cpu.cfs_quota_us", "-1\n");
    write_file("root/cpu/a/cpu.cfs_period_us", "100000\n");
    assert_int_equal(limit("4:memory:/a\n2:cpu,cpuacct:/a\n0::/\n"), 0);
    write_file("root/cpu/a/cpu.cfs_quota_us", "150000\n");
    assert_int_equal(limit("4:memory:/a\n2:cpu,cpuacct:/a\n0::/\n"), 2);
    assert_int_equal(limit("2:cpuacct,cpu:/a\n"), 2);
    assert_int_equal(limit("2:cpuacct:/a\n3:cpuset:/a\n"), 0);
    write_file("root/cpu.max", "100000 100000\n");
    assert_int_equal(limit("2:cpu:/a\n0::/\n"), 1); /* the lower of both */
}

static void test_unreadable(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "100000",
                                        "100000 ",
                                        "0 100000",
                                        "100000 0",
                                        "1e5 1e5",
                                        "-5 100",
                                        "x y",
                                        "max",
                                        "1 1 1",
                                        "\n",
                                        "99999999999999999999 1",
                                        "18446744073709551615 1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file("root/cpu.max", texts[i]);
        assert_int_equal(limit("0::/\n"), 0);
    }
    write_file("root/cpu.max", "100000 100000\n");
    static const char *const lists[] = {"", "\n", "0", "0:", "0:x", ":\n:\n", "::::", "1:cp:/\n"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_int_equal(limit(lists[i]), 0);
    char longest[6000];
    memset(longest, 'a', sizeof longest - 1);
    memcpy(longest, "0::/", 4);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(limit(longest), 0);
    assert_int_equal(cpus_in_group("/nowhere/at/all", "/nowhere"), 0);
}

static void test_affinity(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(cpus_usable(), 1, CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cpus_usable(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_FILE(cpus)
{
    const struct CMUnitTest tests[] = {TEST_WITH_DIR(test_version_2), TEST_WITH_DIR(test_version_1),
                                       TEST_WITH_DIR(test_unreadable), cmocka_unit_test(test_affinity)};
    return RUN_TESTS(tests);
}
