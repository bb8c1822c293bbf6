/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Replays inputs through a fuzz target where libFuzzer is not available. An argument is a pack (NAME.pack, see
 * pack.py), another file, which is one input, or a directory, whose files are packs and inputs. Each input is copied
 * into a block of exactly its size, so that AddressSanitizer and valgrind report a read of one byte past its end.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAGIC "anyprof corpus\n"
#define MAGIC_SIZE (sizeof MAGIC - 1)

static unsigned long n_replayed;

static bool fail(const char *path, const char *message)
{
    fprintf(stderr, "%s: %s\n", path, message);
    return false;
}

static bool replay_input(const char *path, const uint8_t *data, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1);
    if (!exact)
        return fail(path, strerror(errno));
    if (n)
        memcpy(exact, data, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    n_replayed++;
    return true;
}

static uint32_t load_word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool replay_pack(const char *path, const uint8_t *p, size_t n)
{
    if (n < MAGIC_SIZE + 4 || memcmp(p, MAGIC, MAGIC_SIZE) != 0)
        return fail(path, "it does not begin as a pack does");
    size_t end = n - 4;
    if (crc32_z(0, p, end) != load_word(p + end))
        return fail(path, "its checksum is wrong: it may have been cut off or changed");
    for (size_t at = MAGIC_SIZE, size; at < end; at += size) {
        size = end - at >= 4 ? load_word(p + at) : SIZE_MAX;
        at += 4;
        if (at > end || size > end - at)
            return fail(path, "an input ends past the end of the pack");
        if (!replay_input(path, p + at, size))
            return false;
    }
    return true;
}

/* Returns the bytes of a file, which the caller frees; NULL: errno says why. */
static uint8_t *read_all(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL, *grown;
    size_t capacity = 0;
    bool good = file != NULL;
    for (*n = 0; good && *n == capacity;) { /* a short read is the end of the file, or an error */
        grown = realloc(data, capacity = capacity ? capacity * 2 : 65536);
        good = grown != NULL;
        data = good ? grown : data;
        *n += good ? fread(data + *n, 1, capacity - *n, file) : 0;
    }
    good = good && !ferror(file);
    if (file)
        fclose(file);
    if (good)
        return data;
    free(data);
    return NULL;
}

static bool replay_file(const char *path)
{
    size_t n, n_path = strlen(path);
    uint8_t *data = read_all(path, &n);
    if (!data)
        return fail(path, strerror(errno));
    bool is_pack = n_path > 5 && strcmp(path + n_path - 5, ".pack") == 0;
    bool good = is_pack ? replay_pack(path, data, n) : replay_input(path, data, n);
    free(data);
    return good;
}

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool replay_directory(const char *path)
{
    DIR *dir = opendir(path);
    bool good = true;
    if (!dir)
        return fail(path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        size_t n = strlen(path) + strlen(entry->d_name) + 2;
        char *name = malloc(n);
        if (!name) {
            good = fail(path, strerror(errno));
            break;
        }
        snprintf(name, n, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && !is_directory(name))
            good = replay_file(name) && good;
        free(name);
    }
    closedir(dir);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc; i++)
        good = (is_directory(argv[i]) ? replay_directory(argv[i]) : replay_file(argv[i])) && good;
    printf("%lu inputs replayed\n", n_replayed);
    return !good || !n_replayed;
}
