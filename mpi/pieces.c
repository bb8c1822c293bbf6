/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "memory.h"
#include "numbers.h"

/* A rank gets one piece after the other and makes one part of them: small ones keep all ranks busy to the end, and each
 * costs a question. */
#define PIECES 4096u
#define LEAST_BYTES ((uint64_t)32 << 20)
#define MOST_INPUTS 1024u

/* ---- digests ---- */

static void add_text(XXH3_state_t *state, const char *text)
{
    XXH3_128bits_update(state, text ? text : "", text ? strlen(text) + 1 : 0);
}

static void add_number(XXH3_state_t *state, uint64_t number)
{
    XXH3_128bits_update(state, &number, sizeof number);
}

static void end_digest(XXH3_state_t *state, char *digest)
{
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    snprintf(digest, PIECE_KEY, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    XXH3_freeState(state);
}

static XXH3_state_t *begin_digest(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        out_of_memory();
    XXH3_128bits_reset(state);
    add_text(state, apf_version());
    return state;
}

static struct input_facts look_at_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return (struct input_facts){0, 0, 0};
    return (struct input_facts){(uint64_t)st.st_size,
                                (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec,
                                (uint64_t)st.st_ino};
}

static void add_facts(XXH3_state_t *state, const struct input_facts *facts)
{
    add_number(state, facts->size);
    add_number(state, facts->time);
    add_number(state, facts->inode);
}

void pieces_options(char *digest, const struct arguments *args)
{
    /* Of messages, and of what is cut into pieces. All others are in the digest, so that none is forgotten. */
    static const uint16_t left_out[] = {OPT_COLOR,          OPT_OUTPUT,   OPT_INPUT_FILES, OPT_INCLUDE,
                                        OPT_WEIGHTED_INPUT, OPT_THREADS,  OPT_QUIET,       OPT_VERBOSE,
                                        OPT_PROGRESS,       OPT_UNDECIDED};
    XXH3_state_t *state = begin_digest();
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option_value *v = &args->values[i];
        bool out = false;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            out |= left_out[k] == i;
        if (out)
            continue;
        add_number(state, v->number);
        add_text(state, v->text);
        add_number(state, v->n_list);
        for (size_t k = 0; k < v->n_list; k++) { /* programs, among others */
            const struct input_facts facts = look_at_file(v->list[k]);
            add_text(state, v->list[k]);
            add_facts(state, &facts);
        }
    }
    end_digest(state, digest);
}

/* ---- inputs ---- */

static void append_bytes(struct apf_buffer *to, const void *p, size_t n)
{
    if (apf_buffer_write(to, p, n) != 0)
        out_of_memory();
}

/* The numbers of an input before its texts. */
struct input_head {
    uint64_t weight, n_directory;
};

static void write_inputs(struct apf_buffer *to, const struct merge_inputs *inputs, const char *machine)
{
    for (size_t i = 0; i < inputs->n; i++) {
        const struct apf_input *input = &inputs->data[i];
        const struct input_head head = {input->weight, input->n_directory};
        append_bytes(to, &head, sizeof head);
        append_bytes(to, input->path, strlen(input->path) + 1);
        if (machine) {
            append_bytes(to, machine, strlen(machine));
            append_bytes(to, ":", 1);
        }
        append_bytes(to, machine ? input->path : "", machine ? strlen(input->path) + 1 : 1);
    }
}

static void read_inputs(struct pieces *p)
{
    size_t room = 0;
    const char *at = (const char *)p->texts.data + PIECE_KEY, *end = at - PIECE_KEY + p->texts.n;
    while (at < end) {
        struct input_head head;
        if (p->n_inputs == room) {
            room = 2 * room + 64;
            p->inputs = (struct apf_input *)checked_realloc(p->inputs, room, sizeof *p->inputs);
        }
        struct apf_input *input = &p->inputs[p->n_inputs++];
        memcpy(&head, at, sizeof head);
        *input = apf_input_file(at + sizeof head);
        input->weight = head.weight;
        input->n_directory = (size_t)head.n_directory;
        at = input->path + strlen(input->path) + 1;
        input->name = *at ? at : NULL;
        at += strlen(at) + 1;
    }
}

/* Looks at all files, each rank of the group at some. */
static void look_at_inputs(struct pieces *p, const struct ranks *r)
{
    const size_t n = p->n_inputs;
    int *counts = (int *)checked_realloc(NULL, 2 * (size_t)r->n_group, sizeof *counts),
        *firsts = counts + r->n_group;
    p->facts = (struct input_facts *)checked_realloc(NULL, n + 1, sizeof *p->facts);
    for (int i = 0; i < r->n_group; i++) {
        firsts[i] = (int)(n * (size_t)i / (size_t)r->n_group);
        counts[i] = (int)(n * ((size_t)i + 1) / (size_t)r->n_group) - firsts[i];
    }
    const int first = firsts[r->group_rank], count = counts[r->group_rank];
    for (int i = first; i < first + count; i++)
        p->facts[i] = look_at_file(p->inputs[i].path);
    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p->facts, counts, firsts, type, r->group);
    MPI_Type_free(&type);
    free(counts);
}

static void make_key(const struct pieces *p, struct piece *piece, const char *machine, const char *options)
{
    XXH3_state_t *state = begin_digest();
    add_text(state, options);
    add_text(state, machine);
    add_number(state, piece->first); /* an input may be given several times */
    for (size_t i = piece->first; i < piece->first + piece->n; i++) {
        add_text(state, p->inputs[i].path);
        add_number(state, p->inputs[i].weight);
        add_facts(state, &p->facts[i]);
    }
    end_digest(state, piece->key);
}

static void cut_pieces(struct pieces *p, uint64_t size)
{
    uint64_t all = 0;
    size_t room = 0;
    for (size_t i = 0; i < p->n_inputs; i++)
        all += p->facts[i].size;
    if (size == 0)
        size = all / PIECES > LEAST_BYTES ? all / PIECES : LEAST_BYTES;
    for (size_t i = 0; i < p->n_inputs; i++) {
        struct piece *last = p->n ? &p->list[p->n - 1] : NULL;
        if (!last || last->n == MOST_INPUTS || (last->bytes && last->bytes + p->facts[i].size > size)) {
            if (p->n == room) {
                room = 2 * room + 16;
                p->list = (struct piece *)checked_realloc(p->list, room, sizeof *p->list);
            }
            last = &p->list[p->n++];
            *last = (struct piece){.first = i};
        }
        last->n++;
        last->bytes += p->facts[i].size;
    }
}

void pieces_share(struct pieces *p, struct ranks *r, const struct merge_inputs *inputs, const char *machine,
                  const char *options, uint64_t size)
{
    memset(p, 0, sizeof *p);
    if (ranks_is_leader(r)) {
        append_bytes(&p->texts, options, PIECE_KEY);
        write_inputs(&p->texts, inputs, machine);
    }
    ranks_share(r, &p->texts);
    read_inputs(p);
    look_at_inputs(p, r);
    cut_pieces(p, size);
    for (size_t i = 0; i < p->n; i++)
        make_key(p, &p->list[i], machine, (const char *)p->texts.data);
}

void pieces_name(const struct pieces *p, uint64_t first, uint64_t n, char *name)
{
    char all[PIECE_KEY];
    XXH3_state_t *state = begin_digest();
    for (uint64_t i = first; i < first + n; i++)
        add_text(state, p->list[i].key);
    end_digest(state, all);
    snprintf(name, RUN_NAME, "%s-%llu-%.16s", p->list[first].key, (unsigned long long)n, all);
}

bool pieces_find(const struct pieces *p, const char *name, uint64_t *first, uint64_t *n)
{
    char expected[RUN_NAME];
    *first = 0;
    if (strnlen(name, RUN_NAME) < PIECE_KEY || name[PIECE_KEY - 1] != '-')
        return false;
    const char *number = name + PIECE_KEY;
    if (!parse_decimal(number, strcspn(number, "-"), n))
        return false;
    while (*first < p->n && memcmp(p->list[*first].key, name, PIECE_KEY - 1) != 0)
        ++*first;
    if (*first == p->n || *n == 0 || *n > p->n - *first)
        return false;
    pieces_name(p, *first, *n, expected);
    return strcmp(expected, name) == 0;
}

void pieces_free(struct pieces *p)
{
    apf_buffer_free(&p->texts);
    free(p->inputs);
    free(p->facts);
    free(p->list);
}
