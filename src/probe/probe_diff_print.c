/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/options.h"
#include "probe/probe_diff.h"
#include "probe/probe_print.h"

static struct apf_str name_of(const struct probes_diff *diff, uint64_t guid)
{
    struct apf_str name = apf_probes_name(diff->sides[0], guid);
    return name.n ? name : apf_probes_name(diff->sides[1], guid);
}

/* ---- text ---- */

/* Writes ": N WORDS" for the first part of a line, ", N WORDS" for others, nothing for 0. */
static void write_part(struct probe_printer *pr, bool *first, uint64_t n, const char *one, const char *many)
{
    if (n == 0)
        return;
    text_append(pr->out, *first ? ": " : ", ");
    text_decimal(pr->out, n, 0);
    text_append(pr->out, n == 1 ? one : many);
    *first = false;
}

static void write_change(struct probe_printer *pr, bool *first, const char *what, const uint64_t *values)
{
    if (values[0] == values[1])
        return;
    text_append(pr->out, *first ? ": " : ", ");
    text_append(pr->out, what);
    text_decimal(pr->out, values[0], 0);
    text_append(pr->out, " -> ");
    text_decimal(pr->out, values[1], 0);
    *first = false;
}

static void write_function(struct probe_printer *pr, const struct diff_function *f)
{
    bool first = true;
    probe_text_function(pr, name_of(pr->diff, f->guid), f->guid);
    if (f->has_desc[0] != f->has_desc[1]) {
        text_append(pr->out, f->has_desc[0] ? ": only in A" : ": only in B");
        first = false;
    } else {
        write_change(pr, &first, "hash ", f->hash);
    }
    write_change(pr, &first, "probes ", f->probes);
    write_change(pr, &first, "copies ", f->copies);
    write_part(pr, &first, f->vanished, " id gone", " ids gone");
    write_part(pr, &first, f->added, " id new", " ids new");
    write_part(pr, &first, f->more, " id with more probes", " ids with more probes");
    write_part(pr, &first, f->fewer, " id with fewer probes", " ids with fewer probes");
    write_part(pr, &first, f->moved, " probe moved", " probes moved");
    write_part(pr, &first, f->gone_places, " place gone", " places gone");
    write_part(pr, &first, f->new_places, " new place", " new places");
    text_append(pr->out, "\n");
}

/* Functions of a kind, and their probes. */
struct kind_sum {
    uint64_t functions, probes[2];
};

static struct kind_sum sum_kind(const struct probes_diff *diff, enum diff_kind kind)
{
    struct kind_sum sum = {0, {0, 0}};
    for (size_t i = 0; i < diff->functions.n; i++) {
        const struct diff_function *f = &diff->functions.data[i];
        if (diff_kind_of(f) != kind)
            continue;
        sum.functions++;
        sum.probes[0] += f->probes[0];
        sum.probes[1] += f->probes[1];
    }
    return sum;
}

static const struct {
    const char *text, *json;
} kinds[DIFF_KINDS] = {
    [DIFF_ONLY_A] = {"only in A", "only_in_a"},
    [DIFF_ONLY_B] = {"only in B", "only_in_b"},
    [DIFF_HASH] = {"another hash", "other_hash"},
    [DIFF_PROBES] = {"other probes", "other_probes"},
    [DIFF_PLACES] = {"inlined elsewhere", "other_places"},
    [DIFF_MOVED] = {"probes moved", "probes_moved"},
};

static void write_summary(struct probe_printer *pr)
{
    const struct probes_diff *diff = pr->diff;
    text_append(pr->out, "Functions  Probes in A  Probes in B\n");
    for (unsigned i = 0; i < DIFF_KINDS; i++) {
        struct kind_sum sum = sum_kind(diff, (enum diff_kind)i);
        if (i == DIFF_MOVED && !(diff->options.flags & APF_PROBES_DIFF_MOVED))
            continue;
        text_decimal(pr->out, sum.functions, 9);
        text_decimal(pr->out, sum.probes[0], 13);
        text_decimal(pr->out, sum.probes[1], 13);
        text_append(pr->out, "  ");
        text_append(pr->out, kinds[i].text);
        text_append(pr->out, "\n");
    }
    text_decimal(pr->out, diff->compared, 9);
    text_decimal(pr->out, diff->probes[0], 13);
    text_decimal(pr->out, diff->probes[1], 13);
    text_append(pr->out, "  in all\n");
}

/* The number of functions that are listed. */
static size_t listed(const struct probes_diff *diff)
{
    const struct apf_probes_check_options *o = &diff->options;
    if (o->flags & APF_PROBES_DIFF_SUMMARY)
        return 0;
    return o->max_functions && o->max_functions < diff->functions.n ? (size_t)o->max_functions
                                                                    : diff->functions.n;
}

static bool print_text(struct probe_printer *pr)
{
    const struct probes_diff *diff = pr->diff;
    size_t n = listed(diff);
    for (size_t i = 0; i < n; i++)
        write_function(pr, &diff->functions.data[i]);
    if (diff->options.flags & APF_PROBES_DIFF_SUMMARY) {
        write_summary(pr);
    } else if (n < diff->functions.n) {
        text_append(pr->out, "and ");
        text_decimal(pr->out, diff->functions.n - n, 0);
        text_append(pr->out, " more\n");
    }
    text_decimal(pr->out, diff->functions.n, 0);
    text_append(pr->out, " of ");
    text_decimal(pr->out, diff->compared, 0);
    text_append(pr->out, " functions differ\n");
    if (diff->moved_only == 0)
        return true;
    text_append(pr->out, "In ");
    text_decimal(pr->out, diff->moved_only, 0);
    text_append(pr->out, diff->moved_only == 1
                             ? " other function, probes only moved (--moved lists it)\n"
                             : " other functions, probes only moved (--moved lists them)\n");
    return true;
}

/* ---- JSON ---- */

static void write_side_json(struct json_writer *w, const struct diff_function *f, unsigned k)
{
    json_key(w, k ? "b" : "a");
    json_object_begin(w);
    json_key(w, "hash");
    if (f->has_desc[k])
        json_hash(w, f->hash[k]);
    else
        json_none(w);
    json_entry_u64(w, "probes", f->probes[k]);
    json_entry_u64(w, "copies", f->copies[k]);
    json_object_end(w);
}

static void write_sum(struct json_writer *w, const char *key, const struct kind_sum *sum)
{
    json_key(w, key);
    json_object_begin(w);
    json_entry_u64(w, "functions", sum->functions);
    json_entry_u64(w, "probes_in_a", sum->probes[0]);
    json_entry_u64(w, "probes_in_b", sum->probes[1]);
    json_object_end(w);
}

static void write_summary_json(struct json_writer *w, const struct probes_diff *diff)
{
    struct kind_sum all = {diff->compared, {diff->probes[0], diff->probes[1]}};
    json_key(w, "summary");
    json_object_begin(w);
    for (unsigned i = 0; i < DIFF_KINDS; i++) {
        struct kind_sum sum = sum_kind(diff, (enum diff_kind)i);
        write_sum(w, kinds[i].json, &sum);
    }
    write_sum(w, "all", &all);
    json_entry_u64(w, "moved_only", diff->moved_only);
    json_object_end(w);
}

static bool print_json(struct probe_printer *pr)
{
    const struct probes_diff *diff = pr->diff;
    struct json_writer *w = pr->json;
    json_object_begin(w);
    json_head(w, "anyprof-probe-diff/1");
    json_entry_u64(w, "compared_functions", diff->compared);
    write_summary_json(w, diff);
    json_entry_u64(w, "not_listed", diff->functions.n - listed(diff));
    json_key(w, "functions");
    json_array_begin(w);
    for (size_t i = 0; i < listed(diff); i++) {
        const struct diff_function *f = &diff->functions.data[i];
        json_line_object(w);
        json_entry_hash(w, "guid", f->guid);
        probe_json_function(pr, name_of(diff, f->guid));
        write_side_json(w, f, 0);
        write_side_json(w, f, 1);
        json_entry_u64(w, "ids_gone", f->vanished);
        json_entry_u64(w, "ids_new", f->added);
        json_entry_u64(w, "ids_with_more_probes", f->more);
        json_entry_u64(w, "ids_with_fewer_probes", f->fewer);
        json_entry_u64(w, "probes_moved", f->moved);
        json_entry_u64(w, "places_gone", f->gone_places);
        json_entry_u64(w, "places_new", f->new_places);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
    return true;
}

int apf_probes_diff(const struct apf_probes *a, const struct apf_probes *b,
                    const struct apf_probes_check_options *options, const struct apf_output *output,
                    uint64_t *n, struct apf_error *error)
{
    struct probes_diff diff = {.sides = {a, b}};
    struct probe_printer pr = {.probes = a, .diff = &diff};
    int code = OPTIONS_READ(apf_probes_check_options, &diff.options, options, error);
    if (code == APF_OK)
        code = flags_check(diff.options.flags,
                           APF_PROBES_PRINT_JSON | APF_PROBES_PRINT_ONE_FUNCTION | APF_PROBES_DIFF_MOVED |
                               APF_PROBES_DIFF_SUMMARY,
                           "apf_probes_check_options.flags", error);
    if (code != APF_OK)
        return code;
    pr.options.flags = diff.options.flags & APF_PROBES_PRINT_JSON;
    code = probes_compare(&diff, error);
    *n = diff.functions.n;
    if (code == APF_OK)
        code = probe_print_with(&pr, print_text, print_json, output, error);
    probes_diff_free(&diff);
    return code;
}
