/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char temp_dir[512];

int temp_dir_make(void **state)
{
    const char *root = getenv("TMPDIR");
    (void)state;
    int n = snprintf(temp_dir, sizeof temp_dir, "%s/anyprof-test-XXXXXX", root && *root ? root : "/tmp");
    assert_true(n > 0 && (size_t)n < sizeof temp_dir);
    assert_non_null(mkdtemp(temp_dir));
    return 0;
}

static void remove_tree(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    if (!S_ISDIR(st.st_mode)) {
        assert_int_equal(unlink(path), 0);
        return;
    }
    assert_int_equal(chmod(path, 0700), 0);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        char child[4096];
        int n = snprintf(child, sizeof child, "%s/%s", path, e->d_name);
        assert_true(n > 0 && (size_t)n < sizeof child);
        remove_tree(child);
    }
    closedir(d);
    assert_int_equal(rmdir(path), 0);
}

int temp_dir_remove(void **state)
{
    (void)state;
    remove_tree(temp_dir);
    temp_dir[0] = '\0';
    return 0;
}

size_t dir_entries(const char *path)
{
    size_t n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

const char *temp_path(const char *name)
{
    static char paths[16][4096];
    static size_t next;
    char *path = paths[next++ % 16];
    int n = snprintf(path, sizeof paths[0], "%s/%s", temp_dir, name);
    assert_true(n > 0 && (size_t)n < sizeof paths[0]);
    return path;
}

void file_make(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    if (n)
        assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

bool file_holds(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char *got = (char *)malloc(n + 1);
    assert_non_null(got);
    bool same = fread(got, 1, n + 1, f) == n && (n == 0 || memcmp(got, p, n) == 0);
    free(got);
    fclose(f);
    return same;
}

unsigned file_mode(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

size_t open_files(void)
{
    return dir_entries("/proc/self/fd");
}

void as_nobody(void (*body)(void))
{
    int status;
    assert_int_equal(chmod(temp_dir, 0777), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(1);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

void fill_bytes(uint8_t *p, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)next_random(&seed);
}
