/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * salvage_prefixes STEP FILE...: what is salvaged of each file that was cut at 0, STEP, 2 * STEP, ... bytes, and of the
 * whole of it. Lines:
 *
 *   F PATH
 *   R NUMBER ID HASH NAME TIMESTAMP COUNTS BITMAP SITES UNIFORM     a record, when it is first seen
 *   C BYTES VERDICT CODE LOST VALUES LOST_VALUES NAMELESS SECTIONS IDS TRACES RECORDS
 *
 * ID and HASH in hexadecimal digits; NAME and BITMAP, too, or "-"; COUNTS and UNIFORM with commas; SITES: for each kind
 * "/", for each site "[", for each value VALUE:COUNT and ",". VERDICT is I (intact), S (salvaged) or X (refused, with
 * the CODE); LOST is "?" when it is not known; RECORDS are numbers of records with commas, or "-".
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/anyprof.h>

#include "base/vec.h"

struct seen {
    VEC(struct apf_buffer) list; /* the lines, without their numbers */
};

static void die(const char *what)
{
    fprintf(stderr, "salvage_prefixes: %s\n", what);
    exit(2);
}

static void add(struct apf_buffer *b, const char *text)
{
    if (apf_buffer_write(b, text, strlen(text)))
        die("out of memory");
}

static void add_number(struct apf_buffer *b, const char *format, uint64_t v, const char *after)
{
    char text[40];
    snprintf(text, sizeof text, format, v);
    add(b, text);
    add(b, after);
}

static void add_digits(struct apf_buffer *b, const void *p, size_t n)
{
    char digits[3];
    for (size_t i = 0; i < n; i++) {
        snprintf(digits, sizeof digits, "%02x", ((const uint8_t *)p)[i]);
        add(b, digits);
    }
    add(b, n ? " " : "- ");
}

static void add_numbers(struct apf_buffer *b, const uint64_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_number(b, "%" PRIu64, p[i], ",");
    add(b, n ? " " : "- ");
}

static void add_sites(struct apf_buffer *b, const struct apf_record *r)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        add(b, "/");
        for (size_t i = 0; i < r->n_sites[k]; i++) {
            add(b, "[");
            for (size_t v = 0; v < r->sites[k][i].n; v++) {
                add_number(b, "%" PRIx64, r->sites[k][i].values[v].value, ":");
                add_number(b, "%" PRIu64, r->sites[k][i].values[v].count, ",");
            }
        }
    }
    add(b, " ");
}

/* The number of a record among those that were seen. */
static size_t number_of(struct seen *seen, const struct apf_record *r)
{
    struct apf_buffer b = {NULL, 0, 0};
    add_number(&b, "%016" PRIx64, r->id, " ");
    add_number(&b, "%" PRIx64, r->hash, " ");
    add_digits(&b, r->name.p, r->name.n);
    add_number(&b, "%" PRIu64, r->timestamp, " ");
    add_numbers(&b, r->counts, r->n_counts);
    add_digits(&b, r->bitmap, r->n_bitmap);
    add_sites(&b, r);
    add_numbers(&b, r->uniform, r->n_uniform);
    for (size_t i = 0; i < seen->list.n; i++)
        if (seen->list.data[i].n == b.n && memcmp(seen->list.data[i].data, b.data, b.n) == 0) {
            apf_buffer_free(&b);
            return i;
        }
    if (!VEC_PUSH(&seen->list, b))
        die("out of memory");
    printf("R %zu %.*s\n", seen->list.n - 1, (int)b.n, (const char *)b.data);
    return seen->list.n - 1;
}

static void print_records(struct seen *seen, struct apf_instr *instr, struct apf_buffer *list)
{
    struct apf_record r = {.size = sizeof r};
    for (size_t i = 0; apf_instr_record(instr, i, &r, NULL) == APF_OK; i++)
        add_number(list, "%" PRIu64, number_of(seen, &r), ",");
}

static void try_prefix(struct seen *seen, const uint8_t *data, size_t n)
{
    /* In a block of its size, so that a sanitizer sees what is read after it. */
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        die("out of memory");
    if (n)
        memcpy(copy, data, n);
    struct apf_input input = apf_input_memory(copy, n, NULL);
    struct apf_options options = {.size = sizeof options, .flags = APF_FLAG_SALVAGE};
    struct apf_instr *instr = NULL;
    struct apf_error error;
    int code = apf_instr_open(&instr, &input, &options, &error);
    if (code != APF_OK) {
        printf("C %zu X %s ? 0 0 0 0 0 0 -\n", n, apf_code_name(code));
        free(copy);
        return;
    }
    struct apf_buffer list = {NULL, 0, 0};
    print_records(seen, instr, &list);
    const struct apf_salvage *s = apf_instr_salvage(instr), none = {.lost_known = 1};
    const struct apf_instr_info *info = apf_instr_info(instr);
    printf("C %zu %c %s ", n, s ? 'S' : 'I', s ? apf_code_name(s->error.code) : "OK");
    s = s ? s : &none;
    if (s->lost_known)
        printf("%" PRIu64, s->lost_functions);
    else
        printf("?");
    printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %zu %zu ", s->values, s->lost_values,
           s->nameless, s->lost_sections, info->n_binary_ids, info->n_traces);
    printf("%.*s\n", list.n ? (int)list.n : 1, list.n ? (const char *)list.data : "-");
    apf_buffer_free(&list);
    apf_instr_close(instr);
    free(copy);
}

static void try_file(const char *path, size_t step)
{
    struct seen seen = {0};
    FILE *f = fopen(path, "rb");
    size_t n, room = (size_t)1 << 26;
    uint8_t *data = malloc(room);
    if (!f || !data)
        die(path);
    n = fread(data, 1, room, f);
    fclose(f);
    printf("F %s\n", path);
    for (size_t at = 0; at < n; at += step)
        try_prefix(&seen, data, at);
    try_prefix(&seen, data, n);
    for (size_t i = 0; i < seen.list.n; i++)
        apf_buffer_free(&seen.list.data[i]);
    VEC_FREE(&seen.list);
    free(data);
}

int main(int argc, char **argv)
{
    int step = argc > 2 ? atoi(argv[1]) : 0;
    if (step <= 0)
        die("usage: salvage_prefixes STEP FILE...");
    for (int i = 2; i < argc; i++)
        try_file(argv[i], (size_t)step);
    return fflush(stdout) ? 2 : 0;
}
