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

static bool print_text(struct probe_printer *pr)
{
    const struct probes_diff *diff = pr->diff;
    for (size_t i = 0; i < diff->functions.n; i++)
        write_function(pr, &diff->functions.data[i]);
    text_decimal(pr->out, diff->functions.n, 0);
    text_append(pr->out, " of ");
    text_decimal(pr->out, diff->compared, 0);
    text_append(pr->out, " functions differ\n");
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

static bool print_json(struct probe_printer *pr)
{
    const struct probes_diff *diff = pr->diff;
    struct json_writer *w = pr->json;
    json_object_begin(w);
    json_head(w, "anyprof-probe-diff/1");
    json_entry_u64(w, "compared_functions", diff->compared);
    json_key(w, "functions");
    json_array_begin(w);
    for (size_t i = 0; i < diff->functions.n; i++) {
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
        code = flags_check(diff.options.flags, APF_PROBES_PRINT_JSON | APF_PROBES_PRINT_ONE_FUNCTION,
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
