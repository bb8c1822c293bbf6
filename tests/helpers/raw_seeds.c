/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* raw_seeds DIRECTORY: writes small raw profiles of every version, pointer width and byte order, two runs of each
 * program, as v<version>-<bits><le|be>-<run>. fuzz/make_seeds.py makes the seeds of the fuzz targets from them. */
#include <stdio.h>

#include "helpers/shared/raw_random.h"

#define RUNS 2

static int write_run(const char *directory, const struct rb_profile *p, unsigned run)
{
    char path[4096];
    struct rb_file file = {0};
    int n = snprintf(path, sizeof path, "%s/v%u-%u%s-%u", directory, p->version, 8 * p->bytes,
                     p->big ? "be" : "le", run);
    FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "wb") : NULL;
    rb_append(&file, p, NULL);
    bool good = out && fwrite(file.data, 1, file.n, out) == file.n;
    good = out && fclose(out) == 0 && good;
    rb_free(&file);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    int code = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: raw_seeds DIRECTORY\n");
        return 2;
    }
    for (unsigned version = 1; version <= RB_NEWEST; version++)
        for (unsigned form = 0; form < 4; form++) {
            struct program_wish wish = {.version = version,
                                        .bytes = form & 1 ? 4 : 8,
                                        .big = form & 2,
                                        .any_variant = true,
                                        .most = 4,
                                        .separator = version < 9 ? ':' : ';'};
            uint64_t chance = 100 * version + form;
            struct program program;
            program_make(&program, &wish, &chance);
            for (unsigned run = 0; run < RUNS; run++) {
                struct rb_profile p = program_run(&program, &chance);
                code |= write_run(argv[1], &p, run);
            }
            program_free(&program);
        }
    return code;
}
