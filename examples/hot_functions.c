/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the functions with the highest counts of a profile of any kind.
 *
 *     cc hot_functions.c $(pkg-config --cflags --libs anyprof) -o hot_functions
 *     ./hot_functions app.profdata [NUMBER]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <anyprof/error.h>
#include <anyprof/instr.h>

struct hot {
    struct apf_str name; /* owned by the profile; valid until the profile is closed */
    uint64_t count;
};

static uint64_t highest(const struct apf_record *r)
{
    uint64_t most = 0;
    for (size_t i = 0; i < r->n_counts; i++)
        if (r->counts[i] > most)
            most = r->counts[i];
    return most;
}

/* Keeps list[0 .. n - 1] in descending order. */
static void insert(struct hot *list, size_t n, struct hot h)
{
    for (size_t i = 0; i < n; i++)
        if (h.count > list[i].count) {
            struct hot swap = list[i];
            list[i] = h;
            h = swap;
        }
}

static int print_hottest(const struct apf_instr *profile, struct hot *list, size_t n, struct apf_error *error)
{
    struct apf_record record = {.size = sizeof record};
    int code;
    for (size_t i = 0; (code = apf_instr_record(profile, i, &record, error)) == APF_OK; i++) {
        struct hot h = {record.name, highest(&record)};
        if (!(record.flags & APF_RECORD_PSEUDO))
            insert(list, n, h);
    }
    for (size_t i = 0; code == APF_END && i < n && list[i].name.n; i++)
        printf("%20" PRIu64 "  %.*s\n", list[i].count, (int)list[i].name.n, list[i].name.p);
    return code == APF_END ? APF_OK : code;
}

int main(int argc, char **argv)
{
    long n = argc > 2 ? strtol(argv[2], NULL, 10) : 10;
    if (argc < 2 || n < 1 || n > 1000000) {
        fprintf(stderr, "usage: hot_functions PROFILE [NUMBER]    (1 to 1000000 functions; default: 10)\n");
        return 2;
    }
    struct hot *list = calloc((size_t)n, sizeof *list);
    if (!list) {
        fprintf(stderr, "hot_functions: out of memory\n");
        return 1;
    }
    struct apf_error error;
    struct apf_instr *profile;
    struct apf_input input = apf_input_file(argv[1]);
    int code = apf_instr_open(&profile, &input, NULL, &error);
    if (code == APF_OK) {
        code = print_hottest(profile, list, (size_t)n, &error);
        apf_instr_close(profile);
    }
    free(list);
    if (code != APF_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        return 1;
    }
    return 0;
}
