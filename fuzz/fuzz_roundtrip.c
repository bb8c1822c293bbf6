/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was read is written, as text or as an indexed file of any version, and read again: all that the version can
 * hold must come back, and written again it must be the same; also its bytes, if text, for in indexed files records may
 * change places, as they do in LLVM's. The input: a byte that chooses the version (0: text), then the file. */
#include "fuzz_profile.h"

#define VERSIONS 15u
#define FIRST_WITH_CALLS 3u
#define FIRST_WITH_SIZES 4u
#define FIRST_WITH_BITMAPS 11u
#define FIRST_WITH_VTABLES 12u

static unsigned kinds_of(uint32_t version)
{
    return version == 0 ? APF_VALUE_KINDS
                        : (version >= FIRST_WITH_CALLS) + (version >= FIRST_WITH_SIZES) +
                              (version >= FIRST_WITH_VTABLES);
}

static void compare_site(const struct apf_site *a, const struct apf_site *b, int same_targets)
{
    REQUIRE(a->n == b->n);
    for (size_t i = 0; i < a->n; i++) {
        REQUIRE(a->values[i].count == b->values[i].count);
        REQUIRE(a->values[i].value == b->values[i].value || !same_targets);
    }
}

static void compare(const struct apf_record *a, const struct apf_record *b, uint32_t version,
                    int same_targets)
{
    REQUIRE(a->n_counts == b->n_counts);
    REQUIRE(memcmp(a->counts, b->counts, a->n_counts * sizeof *a->counts) == 0);
    if (version == 0 || version >= FIRST_WITH_BITMAPS) {
        REQUIRE(a->n_bitmap == b->n_bitmap);
        REQUIRE(a->n_bitmap == 0 || memcmp(a->bitmap, b->bitmap, a->n_bitmap) == 0);
    }
    for (unsigned k = 0; k < kinds_of(version); k++) {
        REQUIRE(a->n_sites[k] == b->n_sites[k]);
        for (size_t i = 0; i < a->n_sites[k]; i++)
            compare_site(&a->sites[k][i], &b->sites[k][i], same_targets || k == APF_VALUE_MEMOP_SIZE);
    }
}

/* Every record of the sum is in the file, and no other. */
static void compare_all(struct apf_instr *view, const struct apf_buffer *written, uint32_t version)
{
    struct apf_options o = fuzz_options();
    struct apf_input input = {NULL, written->data, written->n, "written", 0};
    struct apf_instr *again = NULL;
    struct apf_instr_iter *iter = NULL;
    const struct apf_record *a, *b;
    /* Text knows no targets without a name; in IR profiles local ones have the separator of the version. */
    int same_targets = version != 0 && !(apf_instr_info(view)->variant & APF_VARIANT_IR);
    REQUIRE(apf_instr_open(&again, &input, &o, NULL) == APF_OK);
    REQUIRE(apf_instr_info(view)->n_records == apf_instr_info(again)->n_records);
    REQUIRE(apf_instr_iter_new(&iter, view, NULL) == APF_OK);
    while (apf_instr_iter_next(iter, &a, NULL) == APF_OK) {
        REQUIRE(apf_instr_find(again, a->name, a->hash, &b, NULL) == APF_OK);
        compare(a, b, version, same_targets);
    }
    apf_instr_iter_free(iter);
    apf_instr_close(again);
}

static void set_version(struct apf_write_options *w, uint32_t version)
{
    memset(w, 0, sizeof *w);
    w->size = sizeof *w;
    w->format = version ? APF_FORMAT_INDEXED : APF_FORMAT_TEXT;
    w->target.kind = 2;
    w->target.version = version;
}

static void same_as_text(const struct apf_buffer *first, const struct apf_buffer *second)
{
    struct apf_write_options text;
    struct apf_buffer texts[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    const struct apf_input inputs[2] = {{NULL, first->data, first->n, "first", 1},
                                        {NULL, second->data, second->n, "second", 1}};
    set_version(&text, 0);
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(fuzz_merge(&inputs[i], 1, 0, 1, &text, &texts[i]));
    REQUIRE(first->n == second->n);
    fuzz_same(&texts[0], &texts[1]);
    for (unsigned i = 0; i < 2; i++)
        apf_buffer_free(&texts[i]);
}

static void write_again(const struct apf_buffer *first, const struct apf_write_options *w)
{
    struct apf_input input = {NULL, first->data, first->n, "written", 1};
    struct apf_buffer second = {NULL, 0, 0};
    REQUIRE(fuzz_merge(&input, 1, 0, 1, w, &second));
    if (w->format == APF_FORMAT_TEXT)
        fuzz_same(first, &second);
    else
        same_as_text(first, &second);
    apf_buffer_free(&second);
}

static void check(struct apf_merge *m, uint32_t version)
{
    struct apf_buffer out = {NULL, 0, 0};
    struct apf_output output = {NULL, apf_buffer_write, &out};
    struct apf_write_options w;
    struct apf_instr *view = NULL;
    set_version(&w, version);
    int code = apf_merge_write(m, &w, &output, NULL);
    struct apf_merge_stats s = *apf_merge_stats(m);
    REQUIRE(code == APF_OK || code == APF_NOT_REPRESENTABLE);
    if (code == APF_OK && out.n) {
        REQUIRE(apf_merge_view(m, &view, NULL) == APF_OK);
        if (version || !apf_instr_info(view)->n_traces) /* text loses unknown functions of traces */
            write_again(&out, &w);
        /* Renamed functions are found under their new names only. */
        if (!s.renamed && !s.dropped_records)
            compare_all(view, &out, version);
    }
    apf_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apf_merge_options options = {0};
    struct apf_merge *m = NULL;
    if (size < 1)
        return -1;
    struct apf_input input = {NULL, data + 1, size - 1, "input", 1};
    options.size = sizeof options;
    options.options = fuzz_options();
    REQUIRE(apf_merge_new(&m, &options, NULL) == APF_OK);
    REQUIRE(apf_merge_add(m, &input, 1, NULL) == APF_OK);
    if (apf_merge_input(m, 0)->code == APF_OK)
        check(m, data[0] % VERSIONS);
    apf_merge_free(m);
    return 0;
}
