/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds names that mean one function although they differ: suffixes that depend on the module or on the compiler. */
#include "sample/views/sample_diff.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sort.h"

/* The length of a name without one suffix of a word and digits. */
static size_t length_without(const char *p, size_t n, const char *word)
{
    size_t n_word = strlen(word), end = n;
    while (end > 0 && number_is_digit(p[end - 1]))
        end--;
    bool has = end < n && end > n_word && memcmp(p + end - n_word, word, n_word) == 0;
    return has ? end - n_word : n;
}

static size_t length_without_suffixes(struct apf_str name)
{
    static const char *const words[] = {".llvm.", ".__uniq.", ".part."};
    size_t n = name.n, before;
    do {
        before = n;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            n = length_without(name.p, n, words[i]);
    } while (n != before);
    return n;
}

/* Which profiles have a name. */
static void mark_names(const struct sample_diff_maker *m, uint8_t *has)
{
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < m->pair.side[i].sample->names.list.n; k++)
            has[m->pair.side[i].names[k]] |= (uint8_t)(1u << i);
}

/* Pairs n equal names if each profile has one of them. */
static void pair_equal(struct sample_diff_maker *m, const struct sort_name *plain, size_t n,
                       const uint8_t *has)
{
    if (n != 2 || has[plain[0].index] == has[plain[1].index])
        return;
    bool swapped = has[plain[0].index] == 2;
    uint32_t a = plain[swapped].index, b = plain[!swapped].index;
    m->other[a] = b;
    m->same[b] = a;
}

static void pair_names(struct sample_diff_maker *m, struct sort_name *plain, const uint8_t *has)
{
    size_t n = 0, total = m->pair.names.list.n;
    for (size_t i = 0; i < total; i++) {
        struct apf_str name = sample_names_text(&m->pair.names, (uint32_t)i);
        struct sort_name new = {0, name.p, 0, (uint32_t)i};
        if (!name.p || has[i] == 3)
            continue;
        new.n = (uint32_t)length_without_suffixes(name);
        plain[n++] = new;
    }
    sort_names(plain, plain + n, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n; end++)
            if (sort_compare_bytes(plain[i].p, plain[i].n, plain[end].p, plain[end].n) != 0)
                break;
        pair_equal(m, plain + i, end - i, has);
    }
}

int sample_diff_names(struct sample_diff_maker *m, struct apf_error *error)
{
    size_t n = m->pair.names.list.n;
    m->same = malloc((n + 1) * sizeof *m->same);
    m->other = malloc((n + 1) * sizeof *m->other);
    uint8_t *has = calloc(n + 1, 1);
    struct sort_name *plain = malloc((2 * n + 1) * sizeof *plain);
    bool ok = m->same && m->other && has && plain;
    for (size_t i = 0; ok && i < n; i++)
        m->same[i] = m->other[i] = (uint32_t)i;
    if (ok && !(m->diff->options.flags & APF_SAMPLE_DIFF_EXACT_NAMES)) {
        mark_names(m, has);
        pair_names(m, plain, has);
    }
    free(has);
    free(plain);
    return ok ? APF_OK : error_memory(error);
}
