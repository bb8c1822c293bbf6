/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/lookup_open.h"

#include <string.h>

struct apf_str lookup_name(const char *s)
{
    struct apf_str name = {s, strlen(s)};
    return name;
}

static struct apf_lookup *open_good(const struct apf_input *input)
{
    struct apf_lookup *l = NULL;
    struct apf_error error;
    if (apf_lookup_open(&l, input, NULL, &error) != APF_OK)
        fail_msg("%s", error.message);
    return l;
}

struct apf_lookup *lookup_open_bytes(const void *p, size_t n)
{
    struct apf_input input = apf_input_memory(p, n, NULL);
    return open_good(&input);
}

struct apf_lookup *lookup_open_path(const char *path)
{
    struct apf_input input = apf_input_file(path);
    return open_good(&input);
}

void lookup_expect(struct apf_lookup *l, const char *name, uint64_t hash, int code, uint64_t first)
{
    struct apf_record r = {.size = sizeof r};
    struct apf_error error;
    int got = apf_lookup_find(l, lookup_name(name), hash, &r, &error);
    if (got != code)
        fail_msg("%s: %d, not %d", name, got, code);
    if (code == APF_OK) {
        assert_true(r.counts[0] == first);
    } else {
        assert_null(r.counts); /* the record is as it was */
        assert_int_equal(error.code, code);
        assert_non_null(strstr(error.message, name));
    }
}

/* Compares all members of two records that a file stores. */
static void same_record(const struct apf_record *a, const struct apf_record *b)
{
    assert_int_equal(a->name.n, b->name.n);
    assert_true(!a->name.n || memcmp(a->name.p, b->name.p, a->name.n) == 0);
    assert_true(a->id == b->id && a->hash == b->hash && a->offset == b->offset && a->flags == b->flags);
    assert_int_equal(a->n_counts, b->n_counts);
    assert_memory_equal(a->counts, b->counts, 8 * a->n_counts);
    assert_int_equal(a->n_bitmap, b->n_bitmap);
    assert_true(!a->n_bitmap || memcmp(a->bitmap, b->bitmap, a->n_bitmap) == 0);
    assert_int_equal(a->n_uniformity, b->n_uniformity);
    assert_true(!a->n_uniformity || memcmp(a->uniformity, b->uniformity, a->n_uniformity) == 0);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        assert_int_equal(a->n_sites[k], b->n_sites[k]);
        for (size_t i = 0; i < a->n_sites[k]; i++) {
            assert_int_equal(a->sites[k][i].n, b->sites[k][i].n);
            for (size_t v = 0; v < a->sites[k][i].n; v++) {
                assert_true(a->sites[k][i].values[v].value == b->sites[k][i].values[v].value);
                assert_true(a->sites[k][i].values[v].count == b->sites[k][i].values[v].count);
            }
        }
    }
}

size_t lookup_check_all(struct apf_lookup *l, struct apf_instr *instr)
{
    struct apf_record want = {.size = sizeof want}, got = {.size = sizeof got};
    size_t n, checked = 0;
    for (size_t k = 0; apf_instr_record(instr, k, &want, NULL) == APF_OK; k++) {
        assert_int_equal(apf_lookup_find(l, want.name, want.hash, &got, NULL), APF_OK);
        same_record(&got, &want);
        assert_int_equal(apf_lookup_find_all(l, want.name, &n, NULL), APF_OK);
        size_t here = 0;
        for (size_t i = 0; apf_lookup_record(l, i, &got, NULL) == APF_OK; i++)
            here += got.hash == want.hash;
        assert_int_equal(here, 1);
        checked++;
    }
    return checked;
}
