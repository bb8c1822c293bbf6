/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/show_print.h"

#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"

static bool is_wanted(const struct show *s, const struct record *r)
{
    const struct apf_str part = s->options.function, name = record_name(s->instr, r);
    return show_asked(s, APF_SHOW_ALL_FUNCTIONS) || (part.n && text_contains(name.p, name.n, part));
}

static void put_below(const struct show *s, const struct record *r, uint64_t max, uint64_t sum)
{
    text_put(s->out, "  ");
    show_bytes(s, record_name(s->instr, r));
    text_put(s->out, ": (Max = ");
    text_decimal(s->out, max, 0);
    text_put(s->out, " Sum = ");
    text_decimal(s->out, sum, 0);
    text_put(s->out, ")\n");
}

/* A record that is neither text nor pseudo. */
static bool take_counts(struct show *s, const struct record *r, uint64_t max, uint64_t sum)
{
    bool below = show_asked(s, APF_SHOW_BELOW_CUTOFF);
    if (max < s->options.value_cutoff) {
        s->below++;
        if (below)
            put_below(s, r, max, sum);
        return true;
    }
    if (below)
        return true;
    struct hot_function hot = {r, max};
    if ((s->options.topn || show_asked(s, APF_SHOW_HOT_FUNCTIONS)) && !VEC_PUSH(&s->hot, hot))
        return false;
    return !is_wanted(s, r) || show_record(s, r);
}

static bool take_record(struct show *s, const struct record *r)
{
    uint64_t max = 0, sum = 0;
    if (s->text && is_wanted(s, r)) {
        text_writer_put(s->text, r);
        return true;
    }
    for (uint32_t i = 0; i < r->n_counts; i++) {
        max = r->counts[i] > max ? r->counts[i] : max;
        sum += r->counts[i]; /* wraps, as LLVM's does */
    }
    if (show_asked(s, APF_SHOW_COVERED)) {
        if (max) {
            show_bytes(s, record_name(s->instr, r));
            text_put(s->out, "\n");
        }
        return true;
    }
    if (r->flags & APF_RECORD_PSEUDO)
        return !is_wanted(s, r) || show_record(s, r);
    return take_counts(s, r, max, sum);
}

/* Records, their arrays and names lie in different orders. */
static void fetch_ahead(const struct apf_instr *instr, size_t i)
{
    if (i + 2 * FETCH_AHEAD >= instr->records.n)
        return;
    const struct record *far = &instr->records.data[i + 2 * FETCH_AHEAD];
    const struct record *near = &instr->records.data[i + FETCH_AHEAD];
    PREFETCH(far->counts);
    PREFETCH(far->counts + far->n_counts / 2);
    if (far->symbol != HASH_INDEX_NONE)
        PREFETCH(&instr->symbols.list.data[far->symbol]);
    if (near->symbol != HASH_INDEX_NONE)
        PREFETCH(instr->symbols.list.data[near->symbol].p);
}

static int show_records(struct show *s, struct apf_error *error)
{
    bool cs = show_asked(s, APF_SHOW_CS);
    if (show_asked(s, APF_SHOW_BELOW_CUTOFF) && !s->text) {
        text_put(s->out, "The list of functions with the maximum counter less than ");
        text_decimal(s->out, s->options.value_cutoff, 0);
        text_put(s->out, ":\n");
    }
    for (size_t i = 0; i < s->instr->records.n; i++) {
        const struct record *r = &s->instr->records.data[i];
        fetch_ahead(s->instr, i);
        /* Of IR profiles, totals included, only one of the two levels is looked at. */
        if ((!s->ir || ((r->hash & APF_HASH_CS) != 0) == cs) && !take_record(s, r))
            return error_memory(error);
    }
    return APF_OK;
}

static int show_all(struct show *s, struct apf_error *error)
{
    struct text_write_options text = {.show_style = true, .all_names = true};
    int code = APF_OK;
    if (show_asked(s, APF_SHOW_TEXT))
        code = text_writer_open(&s->text, s->instr, &text, s->out, error);
    if (code == APF_OK)
        code = show_records(s, error);
    if (code == APF_OK && !show_asked(s, APF_SHOW_TEXT | APF_SHOW_COVERED))
        code = show_tail(s, error);
    return code;
}

static int check_cutoffs(const struct show *s, struct apf_error *error)
{
    const struct apf_show_options *o = &s->options;
    bool hot = !o->n_cutoffs || !show_asked(s, APF_SHOW_HOT_FUNCTIONS) ||
               show_asked(s, APF_SHOW_TEXT | APF_SHOW_COVERED);
    for (size_t i = 0; i < o->n_cutoffs; i++)
        hot |= o->cutoffs[i] >= SHOW_HOT_CUTOFF;
    return hot ? APF_OK
               : error_plain(error, APF_ARGUMENT, "show.options.cutoffs",
                             "a list of hot functions needs a cutoff of at least 990000");
}

int apf_instr_show(struct apf_instr *instr, const struct apf_show_options *options,
                   const struct apf_output *output, struct apf_error *error)
{
    struct show s = {.instr = instr};
    options_take(&s.options, sizeof s.options, options);
    s.ir = (instr->info.variant & APF_VARIANT_IR) != 0;
    int code = check_cutoffs(&s, error);
    if (code == APF_OK)
        code = file_out_open(&s.out, output, error);
    if (code != APF_OK)
        return code;
    code = file_out_finish(s.out, show_all(&s, error), error);
    text_writer_free(s.text);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        VEC_FREE(&s.stats[k].histogram);
    VEC_FREE(&s.hot);
    arena_free(&s.scratch);
    return code;
}
