/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * dump_perf [-F FIELD,...] FILE: the samples of a recording, through the public interface, as lines of columns with a
 * tab between them. FILE may be "-". FIELDs, all of them unless some are chosen, and always in this order:
 *
 *   pid       PID/TID
 *   cpu       number of the processor
 *   time      SECONDS.NANOSECONDS
 *   period    events that the sample stands for
 *   event     name
 *   addr      address of data, in hexadecimal digits as all addresses; "-": the sample has none, as for the next ones
 *   ip        address of the instruction
 *   file      what is mapped there: OFFSET PERMISSION PATH; permission is "x" or "-"
 *   build     build id of that file, as far as it is known yet
 *   brstack   0xFROM/0xTO/PREDICTION/TRANSACTION/ABORT/CYCLES/TYPE/NEW_TYPE/SPECULATION/PRIVILEGE and a blank, for each
 *   chain     ADDRESS@OFFSET and a blank, for each; without @OFFSET nothing is mapped there; markers are negative
 *
 * The exit code is 1 if the recording cannot be read; samples that came before are printed.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/error.h>
#include <anyprof/perf.h>

struct dump {
    struct apf_perf *perf;
    const char *fields; /* NULL: all */
    bool first;         /* the next column is the first of its line */
};

/* Begins a column, if it was asked for. */
static bool begin(struct dump *d, const char *field)
{
    size_t n = strlen(field);
    bool chosen = !d->fields;
    for (const char *p = d->fields; p && !chosen; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        chosen = strncmp(p, field, n) == 0 && (p[n] == ',' || p[n] == '\0');
    if (chosen && !d->first)
        putchar('\t');
    d->first &= !chosen;
    return chosen;
}

static bool find(struct dump *d, uint64_t address, struct apf_perf_place *place)
{
    struct apf_error error;
    memset(place, 0, sizeof *place);
    place->size = sizeof *place;
    return apf_perf_find(d->perf, address, place, &error) == APF_OK;
}

static void print_place(struct dump *d, const struct apf_perf_sample *s, bool build)
{
    struct apf_perf_place place;
    bool found = s->fields & APF_PERF_HAS_ADDRESS && find(d, s->address, &place);
    const struct apf_perf_file *file = found ? apf_perf_file(d->perf, place.file) : NULL;
    if (!file || (build && !file->build_id.n)) {
        putchar('-');
        return;
    }
    if (build) {
        for (size_t i = 0; i < file->build_id.n; i++)
            printf("%02x", (uint8_t)file->build_id.p[i]);
        return;
    }
    printf("%" PRIx64 " %c %.*s", place.offset, place.executable ? 'x' : '-', (int)file->path.n,
           file->path.p);
}

static void print_branches(const struct apf_perf_sample *s)
{
    for (size_t i = 0; i < s->n_branches; i++) {
        const struct apf_perf_branch *b = &s->branches[i];
        unsigned flags = (unsigned)(b->flags & 15);
        char prediction = flags & APF_PERF_BRANCH_PREDICTED      ? 'P'
                          : flags & APF_PERF_BRANCH_MISPREDICTED ? 'M'
                                                                 : '-';
        printf("0x%" PRIx64 "/0x%" PRIx64 "/%c/%c/%c/", b->from, b->to, prediction, flags & 4 ? 'X' : '-',
               flags & 8 ? 'A' : '-');
        printf("%u/%u/%u/%u/%u ", (unsigned)(b->flags >> 4 & 0xffff), (unsigned)(b->flags >> 20 & 15),
               (unsigned)(b->flags >> 26 & 15), (unsigned)(b->flags >> 24 & 3),
               (unsigned)(b->flags >> 30 & 7));
    }
}

static void print_chain(struct dump *d, const struct apf_perf_sample *s)
{
    for (size_t i = 0; i < s->n_chain; i++) {
        uint64_t address = s->chain[i];
        struct apf_perf_place place;
        if (address >= APF_PERF_CHAIN_MARKERS)
            printf("%" PRId64 " ", (int64_t)address);
        else if (find(d, address, &place))
            printf("%" PRIx64 "@%" PRIx64 " ", address, place.offset);
        else
            printf("%" PRIx64 " ", address);
    }
}

static void print_address(const struct apf_perf_sample *s, uint32_t field, uint64_t address)
{
    if (s->fields & field)
        printf("%" PRIx64, address);
    else
        putchar('-');
}

static int print_sample(void *user, const struct apf_perf_sample *s, struct apf_error *error)
{
    const uint64_t second = 1000000000;
    struct dump *d = user;
    struct apf_str name = apf_perf_event(d->perf, s->event)->name;
    (void)error;
    d->first = true;
    if (begin(d, "pid"))
        printf("%d/%d", (int)s->pid, (int)s->tid);
    if (begin(d, "cpu"))
        printf("%" PRIu32, s->cpu);
    if (begin(d, "time"))
        printf("%" PRIu64 ".%09" PRIu64, s->time / second, s->time % second);
    if (begin(d, "period"))
        printf("%" PRIu64, s->period);
    if (begin(d, "event"))
        printf("%.*s", (int)name.n, name.p);
    if (begin(d, "addr"))
        print_address(s, APF_PERF_HAS_DATA, s->data);
    if (begin(d, "ip"))
        print_address(s, APF_PERF_HAS_ADDRESS, s->address);
    if (begin(d, "file"))
        print_place(d, s, false);
    if (begin(d, "build"))
        print_place(d, s, true);
    if (begin(d, "brstack"))
        print_branches(s);
    if (begin(d, "chain"))
        print_chain(d, s);
    putchar('\n');
    return APF_OK;
}

static int dump_file(struct dump *d, const char *path)
{
    struct apf_input input = apf_input_file(path);
    struct apf_error error;
    int code = apf_perf_open(&d->perf, &input, NULL, &error);
    if (code == APF_OK)
        code = apf_perf_read(d->perf, print_sample, d, &error);
    apf_perf_close(d->perf);
    if (code != APF_OK)
        fprintf(stderr, "dump_perf: %s\n", error.message);
    return code == APF_OK && fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct dump d = {.perf = NULL};
    if (argc == 4 && strcmp(argv[1], "-F") == 0)
        d.fields = argv[2];
    if (argc != (d.fields ? 4 : 2)) {
        fprintf(stderr, "usage: dump_perf [-F FIELD,...] FILE\n");
        return 2;
    }
    return dump_file(&d, argv[argc - 1]);
}
