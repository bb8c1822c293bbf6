/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#if defined __linux__ && !defined _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"

/* ---- control groups ---- */

#define MOST_PATH 4096u
#define MOST_LIST 16384u

/* "150000 100000" or, where there is no limit, "max 100000" and "-1 100000": the time that all processes of a group may
 * take in a period, and the period. Rounded up; 0: no limit. */
static unsigned cpus_of_quota(const char *text, size_t n)
{
    const char *blank = memchr(text, ' ', n);
    uint64_t quota, period;
    if (!blank || !number_decimal(text, (size_t)(blank - text), &quota))
        return 0;
    const char *rest = blank + 1, *end = memchr(rest, '\n', n - (size_t)(rest - text));
    size_t n_rest = end ? (size_t)(end - rest) : n - (size_t)(rest - text);
    if (!number_decimal(rest, n_rest, &period) || !quota || !period)
        return 0;
    uint64_t cpus = quota / period + (quota % period != 0);
    return cpus < 1u << 20 ? (unsigned)cpus : 0;
}

/* The limit of one group: version 2 has both numbers in one file, version 1 in two. */
static unsigned cpus_of_group(const char *directory, bool v2)
{
    char path[MOST_PATH + 64], text[128];
    size_t n;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", directory);
        n = file_peek(path, text, sizeof text);
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", directory);
        n = file_peek(path, text, sizeof text / 2);
        while (n && text[n - 1] == '\n')
            n--;
        text[n++] = ' ';
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", directory);
        n += file_peek(path, text + n, sizeof text - n);
    }
    return cpus_of_quota(text, n);
}

static unsigned lower_limit(unsigned a, unsigned b)
{
    return a && (!b || a < b) ? a : b;
}

/* The lowest limit of a group and the groups around it, up to the root of the hierarchy. A container may lack the group
 * that the host names, but has the root. */
static unsigned cpus_up_from(const char *root, const char *hierarchy, const char *group, size_t n_group,
                             bool v2)
{
    char directory[MOST_PATH];
    int length = snprintf(directory, sizeof directory, "%s%s%.*s", root, hierarchy, (int)n_group, group);
    size_t n_root = strlen(root) + strlen(hierarchy);
    if (length < 0 || (size_t)length >= sizeof directory)
        return 0;
    unsigned limit = 0;
    for (;;) {
        limit = lower_limit(cpus_of_group(directory, v2), limit);
        char *slash = strrchr(directory + n_root, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

/* Whether a list of controllers, "cpu,cpuacct", has the one for processors. */
static bool has_cpu(const char *list, size_t n)
{
    for (size_t at = 0; at < n;) {
        const char *comma = memchr(list + at, ',', n - at);
        size_t end = comma ? (size_t)(comma - list) : n;
        if (end - at == 3 && memcmp(list + at, "cpu", 3) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

/* A line is NUMBER:CONTROLLERS:GROUP; version 2 has no controllers. */
unsigned cpus_in_group(const char *membership, const char *root)
{
    char list[MOST_LIST];
    size_t n = file_peek(membership, list, sizeof list);
    unsigned limit = 0;
    for (size_t at = 0; at < n;) {
        const char *line = list + at, *feed = memchr(line, '\n', n - at);
        size_t length = feed ? (size_t)(feed - line) : n - at;
        const char *controllers = memchr(line, ':', length);
        const char *group =
            controllers ? memchr(controllers + 1, ':', length - (size_t)(controllers + 1 - line)) : NULL;
        at += length + 1;
        if (!group)
            continue;
        size_t n_controllers = (size_t)(group - controllers - 1),
               n_group = length - (size_t)(group + 1 - line);
        if (n_controllers == 0)
            limit = lower_limit(cpus_up_from(root, "", group + 1, n_group, true), limit);
        else if (has_cpu(controllers + 1, n_controllers))
            limit = lower_limit(cpus_up_from(root, "/cpu", group + 1, n_group, false), limit);
    }
    return limit;
}

/* ---- affinity ---- */

static unsigned cpus_online(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

#ifdef __linux__
#define MOST_CPUS (1 << 20)

/* Processors are numbers that may be larger than how many there are: the set has to have room for the largest. */
static unsigned cpus_allowed(void)
{
    for (int room = 1024; room <= MOST_CPUS; room *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)room);
        if (!set)
            break;
        int failed = sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)room), set);
        int n = failed ? 0 : CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)room), set);
        CPU_FREE(set);
        if (n > 0)
            return (unsigned)n;
    }
    return cpus_online();
}
#else
static unsigned cpus_allowed(void)
{
    return cpus_online();
}
#endif

uint32_t apf_processors(void)
{
    return cpus_usable();
}

unsigned cpus_usable(void)
{
    return lower_limit(cpus_in_group("/proc/self/cgroup", "/sys/fs/cgroup"), cpus_allowed());
}
