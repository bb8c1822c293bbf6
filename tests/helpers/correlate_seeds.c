/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* correlate_seeds DIRECTORY: writes small programs that describe their functions, NAME.elf, and profiles of them
 * without metadata, NAME.profraw: for tests of the command, and as seeds of the fuzz target. */
#include <stdio.h>
#include <stdlib.h>

#include "helpers/shared/program_build.h"
#include "helpers/shared/unit.h"

static const struct pb_function some[] = {
    {"main", 0x1111, 3, 0, 0},
    {"file.c;local", 0x2222, 1, 2, 0},
    {"outside", 3, 1, 0, PB_OUTSIDE},
    {"last", 5, 2, 1, 0},
};

static const struct {
    const char *name;
    struct pb_program program;
} rows[] = {
    {"binary", {.kind = PB_BINARY, .version = 10, .bytes = 8, .build_id = "build id"}},
    {"binary9", {.kind = PB_BINARY, .version = 9, .bytes = 8}},
    {"binary32", {.kind = PB_BINARY, .version = 10, .bytes = 4, .zlib = 1}},
    {"binarybe", {.kind = PB_BINARY, .version = 11, .bytes = 8, .big = true, .version_word = 11}},
    {"debug4", {.kind = PB_DEBUG_INFO, .version = 10, .bytes = 8, .dwarf = 4, .build_id = "build id"}},
    {"debug5", {.kind = PB_DEBUG_INFO, .version = 11, .bytes = 8, .dwarf = 5, .numbered = true}},
    {"debug32", {.kind = PB_DEBUG_INFO, .version = 10, .bytes = 4, .dwarf = 5}},
    {"debugbe", {.kind = PB_DEBUG_INFO, .version = 10, .bytes = 4, .big = true, .dwarf = 4}},
    {"loaded", {.kind = PB_LOADED, .version = 10, .bytes = 8, .zlib = 1}},
    {"loaded4", {.kind = PB_LOADED, .version = 4, .bytes = 4}},
};

static void write_file(const char *directory, const char *name, const char *ending, const void *data,
                       size_t n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, ending);
    file_make(path, data, n);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pb_program p = rows[i].program;
        struct rb_file file = {NULL, 0, 0, false};
        p.functions = some;
        p.n_functions = COUNT(some);
        struct eb_bytes elf = pb_build(&p);
        write_file(argv[1], rows[i].name, "elf", elf.data, elf.n);
        free(elf.data);
        if (p.kind == PB_LOADED)
            continue;
        pb_append(&file, &p, 100, p.build_id);
        write_file(argv[1], rows[i].name, "profraw", file.data, file.n);
        rb_free(&file);
    }
    return 0;
}
