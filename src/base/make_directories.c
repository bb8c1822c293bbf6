/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/make_directories.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Makes one directory, unless it is there. Returns 0 or an errno. */
static int make_one(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    const int failed = errno;
    return is_directory(path) ? 0 : failed == EEXIST ? ENOTDIR : failed;
}

/* Makes the directories of a path of n bytes, from the first on. */
static int make_all(const char *path, size_t n, struct apf_error *error)
{
    char *part = malloc(n + 1);
    int failed = 0;
    if (!part)
        return error_memory(error);
    memcpy(part, path, n);
    part[n] = '\0';
    const bool there = is_directory(part);
    for (size_t i = 1; i <= n && !failed && !there; i++) {
        const char c = part[i];
        if (c != '/' && c != '\0')
            continue;
        part[i] = '\0';
        failed = make_one(part);
        if (!failed)
            part[i] = c;
    }
    /* The error names the directory that cannot be made. */
    const int code =
        failed ? error_output(error, error_errno(error, failed, "output.directory"), part) : APF_OK;
    free(part);
    return code;
}

int make_directories(const char *path, struct apf_error *error)
{
    return make_all(path, strlen(path), error);
}

int make_directories_for(const char *path, struct apf_error *error)
{
    const char *last = strrchr(path, '/');
    return last && last != path ? make_all(path, (size_t)(last - path), error) : APF_OK;
}
