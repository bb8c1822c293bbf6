/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Salvages files. A file that is readable without salvaging is read in the same way with it, except texts that may
 * have been cut off. The records salvaged from part of an intact file are records of the whole file, with its counts;
 * in a merge of both the order does not matter. The input: two bytes, least significant first, which choose where the
 * file is cut; then the file. */
#include "fuzz_profile.h"

#define HEAD 2u

static struct apf_options options_with(uint32_t flags)
{
    struct apf_options o = fuzz_options(NULL);
    o.flags |= flags;
    return o;
}

static int open_with(struct apf_instr **p, const struct apf_input *input, uint32_t flags,
                     struct apf_error *error)
{
    struct apf_options o = options_with(flags);
    int code = apf_instr_open(p, input, &o, error);
    if (code != APF_OK)
        fuzz_check_error(code, error, input);
    return code;
}

static void check_numbers(struct apf_instr *p, int code)
{
    const struct apf_salvage *s = apf_instr_salvage(p);
    const struct apf_instr_info *info = apf_instr_info(p);
    REQUIRE(s->functions > 0 && s->functions == info->n_records);
    REQUIRE(s->nameless == info->nameless && s->values + s->lost_values <= s->functions);
    REQUIRE(!s->names_known && !s->found_names && !s->lost_names);
    REQUIRE(s->error.code >= 10 && s->error.message[0]);
    REQUIRE(code == s->error.code || (code == APF_OK && info->format == APF_FORMAT_TEXT));
}

static bool same_sites(const struct apf_record *a, const struct apf_record *b)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        if (a->n_sites[k] != b->n_sites[k])
            return false;
        for (size_t i = 0; i < a->n_sites[k]; i++)
            if (a->sites[k][i].n != b->sites[k][i].n ||
                (a->sites[k][i].n && memcmp(a->sites[k][i].values, b->sites[k][i].values,
                                            a->sites[k][i].n * sizeof *a->sites[k][i].values) != 0))
                return false;
    }
    return true;
}

/* Announced value sites may lack their values. */
static bool no_values(const struct apf_record *r)
{
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (size_t i = 0; i < r->n_sites[k]; i++)
            if (r->sites[k][i].n)
                return false;
    return true;
}

/* Handwritten texts, without the comments of LLVM's tools, may end before a bitmap. */
static bool is_record_of(const struct apf_record *part, const struct apf_record *whole, bool text)
{
    bool bitmap = part->n_bitmap == whole->n_bitmap &&
                  (!part->n_bitmap || memcmp(part->bitmap, whole->bitmap, part->n_bitmap) == 0);
    return part->id == whole->id && part->hash == whole->hash && part->n_counts == whole->n_counts &&
           memcmp(part->counts, whole->counts, part->n_counts * sizeof *part->counts) == 0 &&
           (bitmap || (text && !part->n_bitmap)) && (no_values(part) || same_sites(part, whole)) &&
           (!part->name.n || !whole->name.n ||
            (part->name.n == whole->name.n && memcmp(part->name.p, whole->name.p, part->name.n) == 0));
}

static void check_part(struct apf_instr *part, struct apf_instr *whole)
{
    const struct apf_instr_info *info = apf_instr_info(part);
    struct apf_record x = {.size = sizeof x}, y = {.size = sizeof y};
    size_t j = 0;
    /* A table may hold more items than it states; salvaging also reads these. */
    if (info->format == APF_FORMAT_INDEXED && info->n_records > apf_instr_info(whole)->n_records)
        return;
    for (size_t i = 0; apf_instr_record(part, i, &x, NULL) == APF_OK; i++) {
        bool found = false;
        while (!found && apf_instr_record(whole, j++, &y, NULL) == APF_OK)
            found = is_record_of(&x, &y, info->format == APF_FORMAT_TEXT);
        REQUIRE(found);
    }
}

static void merge(const struct apf_input *inputs, struct apf_buffer *out)
{
    struct apf_merge_options options = {.tolerance = &any_loss};
    struct apf_merge *m = NULL;
    struct apf_write_options w = {0};
    struct apf_output output = apf_output_buffer(out);
    options.size = sizeof options;
    struct apf_options common = options_with(APF_FLAG_SALVAGE);
    options.options = &common;
    w.size = sizeof w;
    w.format = APF_FORMAT_TEXT;
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK && apf_merge_add(m, inputs, 2, NULL) == APF_OK);
    const struct apf_merge_stats *s = apf_merge_stats(m);
    REQUIRE(s->n_merged + s->n_salvaged + s->n_empty + s->n_rejected == 2);
    int code = apf_merge_write(m, &w, &output, NULL);
    REQUIRE(code == APF_OK || code == APF_NOT_REPRESENTABLE);
    for (size_t i = 0; i < 2; i++) {
        const struct apf_salvage *r = apf_merge_input(m, i)->salvage;
        if (r && apf_merge_input(m, i)->code == APF_OK)
            REQUIRE(r->names_known && r->found_names + r->lost_names == r->nameless);
    }
    apf_merge_free(m);
}

static void check_merge(const struct apf_input *whole, const struct apf_input *part)
{
    struct apf_input inputs[2] = {*whole, *part}, turned[2] = {*part, *whole};
    struct apf_buffer a = {NULL, 0, 0}, b = {NULL, 0, 0};
    merge(inputs, &a);
    merge(turned, &b);
    fuzz_same(&a, &b);
    apf_buffer_free(&a);
    apf_buffer_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_instr *plain = NULL, *whole = NULL, *part = NULL;
    struct apf_error error;
    if (size < HEAD)
        return -1;
    size_t n = size - HEAD, cut = n ? (data[0] | (size_t)data[1] << 8) % n : 0;
    struct apf_input input = apf_input_memory(data + HEAD, n, "whole");
    uint8_t *copy = malloc(cut + 1);
    REQUIRE(copy);
    memcpy(copy, data + HEAD, cut);
    struct apf_input prefix = apf_input_memory(copy, cut, "part");
    int code = open_with(&plain, &input, 0, &error);
    int again = open_with(&whole, &input, APF_FLAG_SALVAGE, &error);
    if (again == APF_OK && apf_instr_salvage(whole))
        check_numbers(whole, code);
    else /* except a text that may be cut off */
        REQUIRE(again == code || (code == APF_OK && strcmp(error.where, "text.end") == 0));
    if (again == APF_OK && !apf_instr_salvage(whole)) {
        check_part(whole, plain);
        REQUIRE(apf_instr_info(whole)->n_records == apf_instr_info(plain)->n_records);
        if (open_with(&part, &prefix, APF_FLAG_SALVAGE, &error) == APF_OK)
            check_part(part, whole);
    }
    check_merge(&input, &prefix);
    apf_instr_close(plain);
    apf_instr_close(whole);
    apf_instr_close(part);
    free(copy);
    return 0;
}
