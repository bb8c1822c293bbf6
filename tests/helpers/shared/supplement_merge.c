/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/supplement_merge.h"

#include <stdio.h>
#include <string.h>

#include "base/md5.h"

#define MOST_ROWS 16u

static struct apf_error error;

int supplement_apply_to(struct apf_merge *m, const struct samples *s,
                        const struct apf_supplement_options *options)
{
    struct apf_supplement_function functions[MOST_ROWS] = {{0}};
    struct apf_supplement given = {sizeof given, functions, s->n, s->hot, s->cold, s->unique};
    for (size_t i = 0; i < s->n; i++) {
        functions[i].hash = md5_name_ref(s->rows[i].name, strlen(s->rows[i].name));
        functions[i].entries = s->rows[i].entries;
        functions[i].hottest = s->rows[i].hottest;
        functions[i].depth = s->rows[i].depth;
    }
    int code = apf_merge_supplement(m, &given, options, &error);
    memset(functions, 0xff, sizeof functions); /* the merge has copies */
    return code;
}

struct apf_merge *supplement_merge(const char *text, const struct samples *s,
                                   const struct apf_supplement_options *options)
{
    struct apf_merge *m = supplement_merge_found(NULL, text);
    assert_int_equal(supplement_apply_to(m, s, options), APF_OK);
    return m;
}

struct apf_record supplement_record(struct apf_merge *m, const char *name, uint64_t hash)
{
    struct apf_record r = {.size = sizeof r};
    struct apf_instr *view;
    struct apf_str s = {name, strlen(name)};
    assert_int_equal(apf_merge_view(m, &view, &error), APF_OK);
    assert_int_equal(apf_instr_find(view, s, hash, &r, &error), APF_OK);
    return r;
}

void supplement_check(struct apf_merge *m, const char *name, uint64_t hash, const uint64_t *want, size_t n)
{
    struct apf_record r = supplement_record(m, name, hash);
    assert_int_equal(r.n_counts, n);
    assert_memory_equal(r.counts, want, n * sizeof *want);
    assert_int_equal((r.flags & APF_RECORD_PSEUDO) != 0, want[0] >= WARM);
}

static int count_finding(void *user, const struct apf_diag *d)
{
    struct found *f = (struct found *)user;
    f->n++;
    f->overflows += d->code == APF_COUNTER_OVERFLOW;
    snprintf(f->text, sizeof f->text, "%.*s|%s", (int)d->function.n, d->function.p, d->error->message);
    return 0;
}

struct apf_merge *supplement_merge_found(struct found *found, const char *text)
{
    struct apf_options common = {.size = sizeof common, .diag = found ? count_finding : NULL, .user = found};
    struct apf_merge_options options = {.size = sizeof options, .options = &common};
    struct apf_merge *m;
    assert_int_equal(apf_merge_new(&m, &options, &error), APF_OK);
    struct apf_input input = apf_input_memory(text, strlen(text), "text");
    assert_int_equal(apf_merge_add(m, &input, 1, &error), APF_OK);
    return m;
}
