/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text_bytes.h"
#include "base/text_scan.h"

/* The longest name of a part: "data." and a number of nine digits. */
#define LONGEST_PART ((size_t)5 + 9)

/* Whether a name is "data", or that with a number. */
static bool is_like_part(struct apf_str name)
{
    if (name.n < 4 || memcmp(name.p, "data", 4) != 0)
        return false;
    for (size_t i = 5; i < name.n; i++)
        if (!number_is_digit(name.p[i]))
            return false;
    return name.n == 4 || (name.n > 5 && name.p[4] == '.');
}

/* perf numbers parts without zeros before the number. */
static int is_part(void *user, struct apf_str name)
{
    (void)user;
    return is_like_part(name) && name.n <= LONGEST_PART && !(name.n > 6 && name.p[5] == '0');
}

/* Parts have to be in the directory itself: those in directories of it are of recordings of their own. */
static int check_places(const char *path, char *const *files, size_t n, struct apf_error *error)
{
    size_t direct = 0, n_path = strlen(path);
    for (size_t i = 0; i < n; i++)
        direct += !strchr(files[i] + n_path + (n_path && path[n_path - 1] != '/'), '/');
    if (direct < n)
        return error_plain(error, APF_BAD_RECORDING, "perf.directory",
                           "recordings are in directories of this one%s; give each of them by its path",
                           direct ? ", beside its own" : "");
    return APF_OK;
}

/* The place of a part among n: 0 of data, 1 + N of data.N. */
static uint64_t place_of_part(struct apf_str name)
{
    struct text_scan at = {name.p, name.p + name.n};
    uint64_t number = 0;
    return scan_text(&at, "data.") && scan_decimal(&at, UINT64_MAX, &number) ? number + 1 : 0;
}

/* The first of the places 0 to n that none of the n parts has. */
static size_t first_missing(char *const *files, size_t n, bool *taken)
{
    size_t missing = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t place = place_of_part(text_last_part((struct apf_str){files[i], strlen(files[i])}));
        if (place < n)
            taken[place] = true;
    }
    while (missing < n && taken[missing])
        missing++;
    return missing;
}

/* Refuses a file that has the name of a part, or one like it, and is none. */
static int check_name(int directory, const char *name, struct apf_error *error)
{
    struct stat st;
    const struct apf_str text = {name, strlen(name)};
    if (!is_like_part(text))
        return APF_OK;
    if (!is_part(NULL, text))
        return error_plain(error, APF_BAD_RECORDING, "perf.directory", "perf gives no file the name %.40s",
                           name);
    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(st.st_mode))
        return APF_OK;
    return error_plain(
        error, APF_BAD_RECORDING, "perf.directory",
        "%s is no regular file; links in the directory are not followed: put a copy in its place", name);
}

static int check_names(const char *path, struct apf_error *error)
{
    const struct dirent *entry;
    int code = APF_OK, fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (!directory) {
        code = error_errno(error, errno, "perf.directory");
        if (fd >= 0)
            close(fd);
        return code;
    }
    while (code == APF_OK && (entry = readdir(directory)))
        code = check_name(fd, entry->d_name, error);
    closedir(directory);
    return code;
}

/* perf writes data and data.0 up to the last one: samples are in what is missing. */
static int check_parts(char *const *files, size_t n, struct apf_error *error)
{
    bool *taken = calloc(n + 1, sizeof *taken);
    if (!taken)
        return error_memory(error);
    const size_t missing = first_missing(files, n, taken);
    free(taken);
    if (missing == 0)
        return error_plain(error, APF_BAD_RECORDING, "perf.directory",
                           "the directory has no file named data");
    if (missing < n)
        return error_plain(
            error, APF_BAD_RECORDING, "perf.directory",
            "data.%zu is missing; put an empty file in place of each missing one to read the others",
            missing - 1);
    return APF_OK;
}

int perf_directory_list(const char *path, char ***files, size_t *n, bool *directory, struct apf_error *error)
{
    const struct apf_paths_options parts = {.size = sizeof parts, .include = is_part};
    *files = NULL;
    *n = 0;
    int code = apf_paths_expand(path, &parts, files, n, NULL, error);
    *directory = code == APF_OK && !(*n == 1 && strcmp((*files)[0], path) == 0);
    if (!*directory)
        return code;
    code = check_places(path, *files, *n, error);
    if (code == APF_OK)
        code = check_names(path, error);
    return code == APF_OK ? check_parts(*files, *n, error) : code;
}
