/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints, for each source file of a program that was built for coverage, the lines that never ran.
 *
 *     cc missed_lines.c $(pkg-config --cflags --libs anyprof-elf) -o missed_lines
 *     ./missed_lines app app.profraw
 */
#include <inttypes.h>
#include <stdio.h>

#include <anyprof/cov.h>

struct missed {
    uint64_t n, n_missed;
};

/* An apf_cov_line_fn. */
static int print_line(void *user, const struct apf_cov_line *line)
{
    struct missed *m = user;
    m->n++;
    if (line->count)
        return 0;
    printf("%s%" PRIu64, m->n_missed++ ? ", " : "    ", line->line);
    return 0;
}

static int print_files(const struct apf_cov *cov, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; i < apf_cov_n_files(cov) && code == APF_OK; i++) {
        const struct apf_str name = apf_cov_file_name(cov, i);
        struct missed m = {0, 0};
        printf("%.*s\n", (int)name.n, name.p);
        code = apf_cov_lines(cov, i, print_line, &m, error);
        printf("%s    %" PRIu64 " of %" PRIu64 " lines never ran\n", m.n_missed ? "\n" : "", m.n_missed, m.n);
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: missed_lines PROGRAM PROFILE\n");
        return 2;
    }
    const struct apf_input program = apf_input_file(argv[1]), profile = apf_input_file(argv[2]);
    const struct apf_cov_options options = {
        .size = sizeof options, .programs = &program, .n_programs = 1, .profiles = &profile, .n_profiles = 1};
    struct apf_cov *cov;
    struct apf_error error;
    int code = apf_cov_open(&cov, &options, &error);
    if (code == APF_OK)
        code = print_files(cov, &error);
    if (code != APF_OK)
        fprintf(stderr, "missed_lines: %s: %s\n", error.file, error.message);
    apf_cov_close(cov);
    return code == APF_OK ? 0 : 1;
}
