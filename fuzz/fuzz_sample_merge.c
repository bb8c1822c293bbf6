/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges sample profiles of any format. Another order of the inputs and another number of threads must give the same
 * profile, the same file and the same numbers; counts are conserved; the file is read back as what was written, and
 * written again as the same bytes. The input: HEAD bytes of options, then pieces: two bytes of length, most significant
 * first, and as many bytes; the last piece ends with the input. The first piece is a text: a line of two words renames
 * a function, a line of one word is a name. The other pieces are the profiles. */
#include <anyprof/sample_merge.h>

#include "fuzz_sample_file.h"

#define HEAD 8u
#define LENGTH_BYTES 2u
#define MOST_INPUTS 4u
#define MOST_NAMES 16u

/* Everything that an input asks for. */
struct request {
    struct apf_sample_merge_options merge;
    struct apf_sample_write_options write;
    uint32_t common_flags;
    struct apf_name_change remaps[MOST_NAMES];
    struct apf_str names[MOST_NAMES];
    size_t n_names;
    bool are_symbols; /* names are for the list of all functions, else for hashes */
    struct apf_input inputs[MOST_INPUTS];
    size_t n_inputs;
    bool threads; /* merge with two threads, too */
};

/* What a merge gave. */
struct outcome {
    int view_code, write_code;
    struct apf_buffer json, file; /* the view, and what was written */
    struct apf_sample_write_result result;
    struct apf_sample_merge_stats stats;
    int32_t codes[MOST_INPUTS];
};

/* ---- the request ---- */

/* An apf_name_filter_fn. */
static int keep(void *user, struct apf_str name)
{
    (void)user;
    return name.n % 4 != 3;
}

/* The target with a number; every fourth is the automatic one. */
static struct apf_sample_target target_of(unsigned number)
{
    struct apf_sample_target target = {APF_SAMPLE_FOR_AUTO, 0};
    uint32_t kind = number % 4 == 3 ? APF_SAMPLE_FOR_GCC : APF_SAMPLE_FOR_LLVM, release = number / 4;
    if (number % 4 && apf_sample_release_name(kind, release)) {
        target.kind = kind;
        target.release = release;
    }
    return target;
}

static void read_merge_options(struct request *r, const uint8_t *head)
{
    static const uint32_t flags[] = {APF_SAMPLE_MERGE_COLD, APF_SAMPLE_MERGE_TRIM_COLD,
                                     APF_SAMPLE_MERGE_COLD_COUNT, APF_SAMPLE_MERGE_BASE, APF_SAMPLE_MERGE_FS};
    static const uint32_t cutoffs[] = {0, 1, 10000, 100000, 500000, 900000, 990000, 1000000};
    struct apf_sample_merge_options *o = &r->merge;
    o->size = sizeof *o;
    o->tolerance = &any_loss;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        o->flags |= head[0] >> i & 1 ? flags[i] : 0;
    o->conversion = (head[0] >> 5 & 3) % (APF_SAMPLE_FLAT + 1);
    o->filter = head[0] & 128 ? keep : NULL;
    o->cold_cutoff = cutoffs[head[1] & 7];
    o->cold_frames = head[1] >> 3 & 3;
    o->pass = (head[1] >> 5) % (APF_SAMPLE_PASS_3 + 1);
    o->cold_count = head[2] < 192 ? head[2] : (uint64_t)1 << (head[2] & 63);
    o->flags |= head[7] & 4 ? APF_SAMPLE_MERGE_NO_SYMBOLS : 0;
    o->flags |= head[7] & 8 ? APF_SAMPLE_MERGE_FIND_LOSSES : 0;
    o->size_limit = head[5] >> 4 ? (uint64_t)64 << (head[5] >> 4) : 0;
}

static void read_head(struct request *r, const uint8_t *head)
{
    static const uint32_t formats[8] = {0,
                                        APF_SAMPLE_TEXT,
                                        APF_SAMPLE_BINARY,
                                        APF_SAMPLE_COMPACT,
                                        APF_SAMPLE_EXTBINARY,
                                        APF_SAMPLE_GCC,
                                        APF_SAMPLE_TEXT,
                                        APF_SAMPLE_EXTBINARY};
    static const uint32_t flags[] = {APF_SAMPLE_WRITE_MD5, APF_SAMPLE_WRITE_COMPRESS,
                                     APF_SAMPLE_WRITE_PARTIAL, APF_SAMPLE_WRITE_NO_SYMBOLS,
                                     APF_SAMPLE_WRITE_FLAT};
    read_merge_options(r, head);
    r->write.size = sizeof r->write;
    r->write.format = formats[head[3] & 7];
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        r->write.flags |= head[3] >> (3 + i) & 1 ? flags[i] : 0;
    r->write.target = target_of(head[4]);
    r->write.layout = (head[5] & 15) % (APF_SAMPLE_LAYOUT_GCC_3 + 1);
    r->threads = (head[7] & 3) == 0; /* rarely, since threads are slow to start */
    r->common_flags = head[7] & 16 ? APF_FLAG_SALVAGE : 0;
    r->are_symbols = head[7] & 32;
}

/* Takes the next piece of the input. */
static struct apf_str next_piece(const uint8_t **p, size_t *n)
{
    struct apf_str piece = {NULL, 0};
    if (*n < LENGTH_BYTES)
        return piece;
    piece.n = (size_t)(*p)[0] << 8 | (*p)[1];
    *p += LENGTH_BYTES;
    *n -= LENGTH_BYTES;
    piece.n = piece.n < *n ? piece.n : *n;
    piece.p = (const char *)*p;
    *p += piece.n;
    *n -= piece.n;
    return piece;
}

static struct apf_str next_word(struct apf_str *text, char end)
{
    const char *at = text->n ? memchr(text->p, end, text->n) : NULL;
    struct apf_str word = {text->p, at ? (size_t)(at - text->p) : text->n};
    text->p += word.n + (at != NULL);
    text->n -= word.n + (at != NULL);
    return word;
}

static void read_names(struct request *r, struct apf_str text)
{
    while (text.n && r->n_names < MOST_NAMES && r->merge.n_remaps < MOST_NAMES) {
        struct apf_str line = next_word(&text, '\n');
        struct apf_str from = next_word(&line, ' ');
        struct apf_name_change change = {from, line};
        if (line.n)
            r->remaps[r->merge.n_remaps++] = change;
        else if (from.n)
            r->names[r->n_names++] = from;
    }
    r->merge.remaps = r->remaps;
    if (r->are_symbols) {
        r->merge.symbols = r->names;
        r->merge.n_symbols = r->n_names;
    }
}

static bool read_request(struct request *r, const uint8_t *data, size_t size)
{
    static const uint64_t weights[16] = {1,
                                         1,
                                         1,
                                         1,
                                         1,
                                         1,
                                         1,
                                         2,
                                         3,
                                         7,
                                         1000,
                                         65536,
                                         (uint64_t)1 << 40,
                                         (uint64_t)1 << 62,
                                         (uint64_t)1 << 63,
                                         UINT64_MAX};
    memset(r, 0, sizeof *r);
    if (size < HEAD)
        return false;
    const uint8_t *p = data + HEAD;
    size_t n = size - HEAD;
    read_head(r, data);
    read_names(r, next_piece(&p, &n));
    while (n > LENGTH_BYTES && r->n_inputs < MOST_INPUTS) {
        struct apf_str piece = next_piece(&p, &n);
        struct apf_input input = fuzz_input(piece.p, piece.n);
        input.weight = weights[(data[6] + 5 * r->n_inputs) % 16];
        r->inputs[r->n_inputs++] = input;
    }
    return r->n_inputs > 0;
}

/* ---- merging ---- */

/* Opens an input as the merge does. */
static int open_input(const struct request *r, const struct apf_input *input, uint32_t common_flags,
                      struct apf_sample **sample, struct apf_error *error)
{
    struct apf_sample_read_options options = {.pass = r->merge.pass};
    options.flags = r->merge.flags & APF_SAMPLE_MERGE_FS ? APF_SAMPLE_READ_FS : 0;
    return fuzz_sample_open_input(sample, input, common_flags, options, error);
}

static struct apf_sample *open_file(const struct request *r, const struct apf_buffer *file)
{
    struct apf_input input = fuzz_input(file->data, file->n);
    struct apf_sample *sample;
    struct apf_error error;
    int code = open_input(r, &input, 0, &sample, &error);
    if (code != APF_OK)
        fprintf(stderr, "%s\n", error.message);
    REQUIRE(code == APF_OK);
    return sample;
}

static void write_view(struct apf_sample_merge *m, const struct request *r, struct outcome *o)
{
    struct apf_output output = apf_output_buffer(&o->file);
    struct apf_error error;
    o->result.size = sizeof o->result;
    o->write_code = apf_sample_merge_write(m, &r->write, &output, &o->result, &error);
    if (o->write_code != APF_OK)
        REQUIRE(error.code == o->write_code && error.where && error.message[0]);
    else if (r->merge.size_limit)
        REQUIRE(o->file.n <= r->merge.size_limit);
    switch (o->write_code) {
    case APF_OK:
    case APF_ARGUMENT: /* a layout of another format */
    case APF_UNSUPPORTED:
    case APF_SAMPLE_UNWRITABLE:
    case APF_NOT_REPRESENTABLE:
    case APF_SAMPLE_TOO_LARGE:
    case APF_EMPTY_PROFILE:
    case APF_INVALID_PROFILE:
    case APF_LIMIT:
        break;
    default:
        fprintf(stderr, "%s\n", error.message);
        REQUIRE(!"an error that can be explained");
    }
}

/* Merges the inputs in an order. The merge stays open. */
static struct apf_sample_merge *run(struct outcome *o, const struct request *r,
                                    const struct apf_input *inputs, uint32_t threads)
{
    struct apf_options common = fuzz_options(NULL);
    struct apf_sample_merge_options options = r->merge;
    struct apf_sample_merge *m;
    const struct apf_sample *view;
    common.threads = threads;
    common.flags = r->common_flags;
    options.options = &common;
    memset(o, 0, sizeof *o);
    REQUIRE(apf_sample_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_sample_merge_add(m, inputs, r->n_inputs, NULL) == APF_OK);
    if (!r->are_symbols)
        REQUIRE(apf_sample_merge_add_names(m, r->names, r->n_names, NULL) == APF_OK);
    o->view_code = apf_sample_merge_view(m, &view, NULL);
    REQUIRE(o->view_code == APF_OK || o->view_code == APF_LIMIT);
    if (view) {
        REQUIRE(apf_sample_merge_stats(m)->n_functions == apf_sample_info(view)->n_functions);
        fuzz_sample_write_json(view, &o->json);
    }
    for (size_t i = 0; i < r->n_inputs; i++) {
        const struct apf_sample_input_result *result = apf_sample_merge_input(m, i);
        o->codes[i] = result->code;
        if (result->code != APF_OK)
            fuzz_check_error(result->code, result->error, &inputs[i]);
    }
    write_view(m, r, o);
    o->stats = *apf_sample_merge_stats(m);
    return m;
}

static void release(struct outcome *o)
{
    apf_buffer_free(&o->json);
    apf_buffer_free(&o->file);
}

/* Requires that another way to merge the same inputs gives the same. */
static void compare(const struct outcome *a, const struct request *r, const struct apf_input *inputs,
                    uint32_t threads)
{
    struct outcome b;
    apf_sample_merge_free(run(&b, r, inputs, threads));
    REQUIRE(a->view_code == b.view_code && a->write_code == b.write_code);
    fuzz_same(&a->json, &b.json);
    fuzz_same(&a->file, &b.file);
    REQUIRE(memcmp(&a->result, &b.result, sizeof b.result) == 0);
    REQUIRE(memcmp(&a->stats, &b.stats, sizeof b.stats) == 0);
    for (size_t i = 0; i < r->n_inputs; i++)
        REQUIRE(b.codes[i] == a->codes[inputs == r->inputs ? i : r->n_inputs - 1 - i]);
    release(&b);
}

/* ---- counts ---- */

/* Sums modulo 2^64, so that they are exact where no count is cut. */
struct sums {
    uint64_t totals, heads; /* at the top level */
    uint64_t lines, targets, vtables;
    bool duplicated; /* some inlined function is a part of its own profile, too */
};

/* Adds the sums of a profile. */
static void add_sums(struct sums *sums, const struct apf_sample *s, uint64_t weight)
{
    struct apf_sample_functions *functions;
    struct apf_sample_function f = {.size = sizeof f};
    struct apf_sample_count count;
    REQUIRE(apf_sample_functions_new(&functions, s, NULL) == APF_OK);
    for (uint64_t n = 0; apf_sample_function(functions, n, &f, NULL) == APF_OK; n++) {
        if (f.depth == 0) {
            sums->totals += weight * f.total;
            sums->heads += weight * f.head;
        }
        sums->duplicated |= f.depth && f.attributes & APF_SAMPLE_DUPLICATED;
        for (uint64_t i = 0; apf_sample_line(functions, n, i, &count) == APF_OK; i++)
            sums->lines += weight * count.count;
        for (uint64_t i = 0; apf_sample_target(functions, n, i, &count) == APF_OK; i++)
            sums->targets += weight * count.count;
        for (uint64_t i = 0; apf_sample_vtable(functions, n, i, &count) == APF_OK; i++)
            sums->vtables += weight * count.count;
    }
    apf_sample_functions_free(functions);
}

static struct sums sums_of_inputs(const struct request *r, const struct outcome *o)
{
    struct sums sums = {0};
    for (size_t i = 0; i < r->n_inputs; i++) {
        struct apf_sample *s;
        struct apf_error error;
        if (o->codes[i] != APF_OK)
            continue;
        REQUIRE(open_input(r, &r->inputs[i], r->common_flags, &s, &error) == APF_OK);
        add_sums(&sums, s, r->inputs[i].weight);
        apf_sample_close(s);
    }
    return sums;
}

/* Requires that the view has the counts of the inputs, as far as nothing is left out or cut. */
static void check_sums(const struct request *r, const struct outcome *o, const struct apf_sample *view)
{
    const uint32_t cold = APF_SAMPLE_MERGE_COLD | APF_SAMPLE_MERGE_TRIM_COLD;
    if (o->stats.saturated || r->merge.flags & cold || r->merge.filter)
        return;
    struct sums in = sums_of_inputs(r, o), out = {0};
    bool contexts = apf_sample_info(view)->flags & APF_SAMPLE_CONTEXTS;
    add_sums(&out, view, 1);
    if (r->merge.conversion == APF_SAMPLE_AS_IT_IS && o->stats.inlined_mismatches == 0)
        REQUIRE(out.totals + o->stats.mismatch_samples == in.totals ||
                o->stats.mismatch_samples == UINT64_MAX);
    if (o->stats.checksum_mismatches || o->stats.inlined_mismatches)
        return;
    if (r->merge.conversion == APF_SAMPLE_AS_IT_IS)
        REQUIRE(out.heads == in.heads && out.lines == in.lines && out.targets == in.targets);
    if (r->merge.conversion == APF_SAMPLE_FLAT && !in.duplicated) /* calls in place of what was inlined */
        REQUIRE(out.lines - in.lines == out.targets - in.targets);
    if (!(r->merge.conversion == APF_SAMPLE_FLAT && in.duplicated) &&
        !(r->merge.flags & APF_SAMPLE_MERGE_BASE))
        REQUIRE(out.vtables == in.vtables);
    REQUIRE(!contexts || r->merge.conversion == APF_SAMPLE_AS_IT_IS);
}

/* ---- the file ---- */

static bool is_lossless(const struct apf_sample_write_result *r)
{
    return !(r->lost_contexts | r->lost_functions | r->lost_inlined | r->lost_targets | r->lost_lines |
             r->lost_discriminators | r->misread_targets | r->lost_checksums | r->lost_attributes |
             r->lost_times | r->lost_files | r->lost_vtables | r->lost_symbols | r->lost_totals |
             r->changed_names | r->decimal_names | r->numbered | r->hashed_names | r->lost_flags);
}

static bool same_name(struct apf_sample_name a, struct apf_sample_name b)
{
    return a.hash == b.hash && a.text.n == b.text.n && !a.text.p == !b.text.p &&
           (!a.text.p || !b.text.p || memcmp(a.text.p, b.text.p, a.text.n) == 0);
}

static bool same_place(struct apf_sample_place a, struct apf_sample_place b)
{
    return a.line == b.line && a.discriminator == b.discriminator;
}

typedef int count_fn(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                     struct apf_sample_count *count);

/* Requires that function n has the same lines, targets or vtables in both lists. */
static void check_counts(const struct apf_sample_functions *const functions[2], uint64_t n, count_fn *get)
{
    struct apf_sample_count a, b;
    for (uint64_t i = 0;; i++) {
        int code = get(functions[0], n, i, &a);
        REQUIRE(code == get(functions[1], n, i, &b));
        if (code != APF_OK)
            return;
        REQUIRE(same_place(a.place, b.place) && a.count == b.count && same_name(a.name, b.name));
    }
}

static void check_frames(const struct apf_sample_functions *const functions[2], uint64_t n)
{
    struct apf_sample_frame a, b;
    for (uint64_t i = 0; apf_sample_frame(functions[0], n, i, &a) == APF_OK; i++) {
        REQUIRE(apf_sample_frame(functions[1], n, i, &b) == APF_OK);
        REQUIRE(same_place(a.call, b.call) && same_name(a.name, b.name));
    }
}

/* Requires that two profiles have the same functions. */
static void check_functions(const struct apf_sample *a, const struct apf_sample *b)
{
    struct apf_sample_functions *lists[2];
    struct apf_sample_function f = {.size = sizeof f}, g = {.size = sizeof g};
    REQUIRE(apf_sample_functions_new(&lists[0], a, NULL) == APF_OK);
    REQUIRE(apf_sample_functions_new(&lists[1], b, NULL) == APF_OK);
    const struct apf_sample_functions *const functions[2] = {lists[0], lists[1]};
    for (uint64_t n = 0;; n++) {
        int code = apf_sample_function(functions[0], n, &f, NULL);
        REQUIRE(code == apf_sample_function(functions[1], n, &g, NULL));
        if (code != APF_OK)
            break;
        REQUIRE(same_name(f.name, g.name) && f.depth == g.depth && same_place(f.call, g.call));
        REQUIRE(f.attributes == g.attributes && f.checksum == g.checksum && f.first_time == g.first_time);
        REQUIRE(f.total == g.total && f.head == g.head && f.n_frames == g.n_frames);
        REQUIRE(f.file.n == g.file.n && (f.file.n == 0 || memcmp(f.file.p, g.file.p, f.file.n) == 0));
        check_counts(functions, n, apf_sample_line);
        check_counts(functions, n, apf_sample_target);
        check_counts(functions, n, apf_sample_vtable);
        check_frames(functions, n);
    }
    apf_sample_functions_free(lists[0]);
    apf_sample_functions_free(lists[1]);
}

/* Requires that a profile which was read is written as one that is read back, with the same functions if nothing is
 * lost, and as the same bytes if `exact`. */
static void check_written_again(const struct request *r, const struct outcome *o, const struct apf_sample *s,
                                bool exact)
{
    struct apf_sample_write_result result = {.size = sizeof result};
    struct apf_buffer file = {NULL, 0, 0};
    struct apf_output output = apf_output_buffer(&file);
    REQUIRE(apf_sample_write(s, &r->write, &output, &result, NULL) == APF_OK);
    struct apf_sample *again = open_file(r, &file);
    if (is_lossless(&result))
        check_functions(s, again);
    if (exact)
        fuzz_same(&o->file, &file);
    apf_sample_close(again);
    apf_buffer_free(&file);
}

/* Requires that the file is read back as the view, as far as nothing was lost. */
static void check_file(const struct request *r, const struct outcome *o, const struct apf_sample *view)
{
    struct apf_sample *s = open_file(r, &o->file);
    const struct apf_sample_info *a = apf_sample_info(view), *b = apf_sample_info(s);
    /* Where all names at the top level are decimal numbers, they are read as hashes. */
    bool exact = is_lossless(&o->result) && b->n_hashes <= a->n_hashes;
    /* A smaller profile may suit more releases, and then has another layout when it is written again. */
    bool complete = exact && !o->stats.over_limit;
    REQUIRE(b->n_functions <= a->n_functions && b->n_inlined <= a->n_inlined + a->n_functions);
    if (complete) {
        REQUIRE(b->n_symbols == (r->write.flags & APF_SAMPLE_WRITE_NO_SYMBOLS ? 0 : a->n_symbols));
        check_functions(view, s);
    }
    check_written_again(r, o, s, complete);
    apf_sample_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request r;
    struct outcome o;
    struct apf_input turned[MOST_INPUTS];
    const struct apf_sample *view;
    if (!read_request(&r, data, size))
        return -1;
    for (size_t i = 0; i < r.n_inputs; i++)
        turned[i] = r.inputs[r.n_inputs - 1 - i];
    struct apf_sample_merge *m = run(&o, &r, r.inputs, 1);
    bool any = o.stats.n_merged + o.stats.n_salvaged > 0;
    if (r.n_inputs > 1)
        compare(&o, &r, turned, 1);
    if (r.threads)
        compare(&o, &r, r.inputs, 2);
    if (o.view_code == APF_OK) {
        REQUIRE(apf_sample_merge_view(m, &view, NULL) == APF_OK);
        check_sums(&r, &o, view);
        fuzz_sample_check_json(view);
        if (o.write_code == APF_OK && o.file.n > 0) /* a text without functions is no profile */
            check_file(&r, &o, view);
    }
    apf_sample_merge_free(m);
    release(&o);
    return any ? 0 : -1;
}
