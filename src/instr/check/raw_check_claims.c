/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the records of a raw profile claim of its other sections: no byte should have two owners, or none. */
#include "base/sort.h"
#include "instr/check/raw_check.h"

static bool is_before(const void *context, const void *a, const void *b)
{
    const struct raw_claim *x = a, *y = b;
    (void)context;
    return x->at < y->at;
}

static bool sort_claims(struct raw_claims *claims)
{
    size_t n = claims->list.n, sorted = 1;
    while (sorted < n && claims->list.data[sorted - 1].at <= claims->list.data[sorted].at)
        sorted++;
    return sorted >= n /* as mostly */ || SORT_VEC(&claims->list, is_before, NULL);
}

static bool is_same(const struct raw_claim *a, const struct raw_claim *b)
{
    return a->at == b->at && a->size == b->size && a->name_ref == b->name_ref && a->hash == b->hash;
}

void raw_check_claims(struct raw_checker *k, struct raw_claims *claims, const struct raw_section *section,
                      const struct raw_claim_words *words)
{
    struct check_tally twice = {0}, holes = {0};
    const struct raw_claim *last = NULL; /* the one that reaches furthest */
    const struct raw_record_layout *layout = k->raw.record;
    bool names = words->field == layout->name_ptr;
    uint64_t end = 0;
    if (!sort_claims(claims)) {
        check_memory(k->c);
        return;
    }
    for (size_t i = 0; i < claims->list.n && k->c->code == APF_OK; i++) {
        const struct raw_claim *claim = &claims->list.data[i];
        uint64_t record = k->raw.data.at + claim->record * layout->size;
        check_function(k->c, symbols_name(&k->profile->instr->symbols, claim->name_ref), claim->hash);
        if (claim->at > end)
            check_count(&holes, k->c, words->where, section->at + end);
        else if (last && claim->at < end && is_same(last, claim) && !names)
            check_count(&twice, k->c, "raw.record", record);
        else if (claim->at < end && !is_same(last, claim))
            check_bound(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                        check_spot(words->where, record + words->field, claim->at, end), words->overlap);
        if (claim->at + claim->size > end) {
            end = claim->at + claim->size;
            last = claim;
        }
    }
    check_no_function(k->c);
    if (claims->list.n && end < section->size)
        check_count(&holes, k->c, words->where, section->at + end);
    holes.function.n = 0; /* they are nobody's */
    holes.hash = 0;
    check_tally_tell(k->c, &twice, APF_SEVERITY_NOTE, APF_NOTE,
                     "a record that is there twice, with the same counters");
    if (!k->damaged) /* else what is nobody's may be of a damaged record */
        check_tally_tell(k->c, &holes, words->hole_severity,
                         words->hole_severity == APF_SEVERITY_NOTE ? APF_NOTE : APF_INCONSISTENT,
                         words->hole);
}
