/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Replays files through a fuzz target where libFuzzer is not available: each argument is a file, or a directory whose
 * files are taken (not those of its subdirectories). Each input is copied into a block of exactly its size, so that
 * AddressSanitizer and valgrind see a read one byte past it.
 */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, room = 0, got;
    int failed;

    if (!file)
        goto fail;
    do {
        if (size == room) {
            uint8_t *more = realloc(data, room = room ? room * 2 : 65536);

            if (!more)
                goto fail;
            data = more;
        }
        got = fread(data + size, 1, room - size, file);
        size += got;
    } while (size == room); /* a short read is the end, or an error */
    failed = ferror(file);
    fclose(file);
    file = NULL;
    if (failed)
        goto fail;

    if (size) {
        uint8_t *exact = realloc(data, size);

        data = exact ? exact : data;
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    } else {
        free(data);
        LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    }
    return 0;

fail:
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    free(data);
    if (file)
        fclose(file);
    return 1;
}

static int replay(const char *path, int inside, unsigned long *count)
{
    struct stat st;
    struct dirent *entry;
    DIR *dir;
    int bad = 0;

    if (stat(path, &st)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    if (!S_ISDIR(st.st_mode)) {
        ++*count;
        return replay_file(path);
    }
    if (inside)
        return 0;
    dir = opendir(path);
    if (!dir) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    while ((entry = readdir(dir))) {
        size_t n = strlen(path) + strlen(entry->d_name) + 2;
        char *name;

        if (entry->d_name[0] == '.')
            continue;
        name = malloc(n);
        if (!name) {
            bad = 1;
            break;
        }
        snprintf(name, n, "%s/%s", path, entry->d_name);
        bad |= replay(name, 1, count);
        free(name);
    }
    closedir(dir);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    int bad = 0;

    for (int i = 1; i < argc; ++i)
        bad |= replay(argv[i], 0, &count);
    printf("%lu inputs replayed\n", count);
    return bad || !count;
}
