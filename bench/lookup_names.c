/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looks up functions as a compiler does, for the benchmark of lookups.
 *
 *     lookup_names lookup|load FILE NAMES
 *
 * NAMES has a name and a hash on each line. `lookup` opens the profile once and looks up each name; `load` reads the
 * whole profile and finds each name in it. Both print the number of records and the sum of their first counts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/lookup.h>

static void check(int code, const struct apf_error *error)
{
    if (code == APF_OK)
        return;
    fprintf(stderr, "lookup_names: %s\n", error->message);
    exit(1);
}

/* Finds all names in `instr` or in `lookup`, whichever is not NULL. */
static void find_all(struct apf_instr *instr, struct apf_lookup *lookup, FILE *names)
{
    char line[4096];
    uint64_t n = 0, sum = 0;
    struct apf_error error;
    struct apf_record r = {.size = sizeof r};
    while (fgets(line, sizeof line, names)) {
        char *blank = strchr(line, ' ');
        struct apf_str name = {line, blank ? (size_t)(blank - line) : strlen(line)};
        uint64_t hash = strtoull(blank ? blank : "0", NULL, 0);
        check(lookup ? apf_lookup_find(lookup, name, hash, &r, &error)
                     : apf_instr_find(instr, name, hash, &r, &error),
              &error);
        n++;
        sum += r.counts[0];
    }
    printf("%" PRIu64 " records, %" PRIu64 "\n", n, sum);
}

int main(int argc, char **argv)
{
    FILE *names = argc == 4 ? fopen(argv[3], "r") : NULL;
    struct apf_input input = apf_input_file(argc > 2 ? argv[2] : NULL);
    struct apf_instr *instr = NULL;
    struct apf_lookup *lookup = NULL;
    struct apf_error error;
    if (!names) {
        fprintf(stderr, "usage: lookup_names lookup|load FILE NAMES\n");
        return 2;
    }
    if (strcmp(argv[1], "load") == 0)
        check(apf_instr_open(&instr, &input, NULL, &error), &error);
    else
        check(apf_lookup_open(&lookup, &input, NULL, &error), &error);
    find_all(instr, lookup, names);
    apf_instr_close(instr);
    apf_lookup_close(lookup);
    fclose(names);
    return 0;
}
