/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a compiler does with a profile, as the benchmark of lookups.
 *
 *     lookup_names lookup|load FILE NAMES
 *
 * NAMES has a name and a hash in each line. `lookup` opens the profile once and looks each up; `load` reads the whole
 * profile and finds each in it. Prints how many records that were, and the sum of their first counts: both the same. */
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

static void load(const char *path, struct apf_instr **instr)
{
    struct apf_input input = {path, NULL, 0, NULL, 0};
    struct apf_error error;
    check(apf_instr_open(instr, &input, NULL, &error), &error);
}

static void find_all(struct apf_instr *instr, FILE *names)
{
    char line[4096];
    uint64_t n = 0, sum = 0;
    struct apf_error error;
    const struct apf_record *r;
    while (fgets(line, sizeof line, names)) {
        char *hash = strchr(line, ' ');
        struct apf_str name = {line, hash ? (size_t)(hash - line) : strlen(line)};
        check(apf_instr_find(instr, name, strtoull(hash ? hash : "0", NULL, 0), &r, &error), &error);
        n++;
        sum += r->counts[0];
    }
    printf("%" PRIu64 " records, %" PRIu64 "\n", n, sum);
}

static void look_up_all(struct apf_lookup *lookup, FILE *names)
{
    char line[4096];
    uint64_t n = 0, sum = 0;
    struct apf_error error;
    const struct apf_record *r;
    while (fgets(line, sizeof line, names)) {
        char *hash = strchr(line, ' ');
        struct apf_str name = {line, hash ? (size_t)(hash - line) : strlen(line)};
        check(apf_lookup_at(lookup, name, strtoull(hash ? hash : "0", NULL, 0), &r, &error), &error);
        n++;
        sum += r->counts[0];
    }
    printf("%" PRIu64 " records, %" PRIu64 "\n", n, sum);
}

int main(int argc, char **argv)
{
    FILE *names = argc == 4 ? fopen(argv[3], "r") : NULL;
    struct apf_error error;
    if (!names) {
        fprintf(stderr, "usage: lookup_names lookup|load FILE NAMES\n");
        return 2;
    }
    if (strcmp(argv[1], "load") == 0) {
        struct apf_instr *instr;
        load(argv[2], &instr);
        find_all(instr, names);
        apf_instr_close(instr);
    } else {
        struct apf_input input = {argv[2], NULL, 0, NULL, 0};
        struct apf_lookup *lookup;
        check(apf_lookup_open(&lookup, &input, NULL, &error), &error);
        look_up_all(lookup, names);
        apf_lookup_close(lookup);
    }
    fclose(names);
    return 0;
}
