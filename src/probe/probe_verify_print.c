/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/options.h"
#include "probe/probe_print.h"
#include "probe/probe_verify.h"

#define MOST_LINES ((size_t)20) /* of findings of one kind, and of changed functions, as text */

static const struct {
    const char *json, *text; /* `text` follows the name of the function */
} kinds[FINDING_KINDS] = {
    [FINDING_DAMAGE] = {"damage", NULL},
    [FINDING_GUID] = {"wrong_guid", "the descriptor's GUID is not that of its name"},
    [FINDING_HASHES] = {"several_hashes", "descriptors with different hashes: differently compiled copies"},
    [FINDING_MIXED] = {"mixed_encodings",
                       "objects of LLVM 13 to 15 and later ones are mixed: addresses may be wrong"},
    [FINDING_NO_DESCRIPTORS] = {"no_descriptors",
                                "there are no descriptors: LLVM takes the file for one without probes"},
    [FINDING_NO_PROBES] = {"no_probes", "there are descriptors, but no section with probes"},
    [FINDING_NO_DESCRIPTOR] = {"no_descriptor", "no descriptor has its GUID; LLVM's tools may crash"},
    [FINDING_NO_SYMBOL] = {"no_symbol", "its start is unknown: no symbol in .symtab has its GUID"},
    [FINDING_OUTSIDE] = {"outside", "addresses are outside of the function"},
    [FINDING_INSIDE] = {"not_at_instruction", "no instruction begins at the addresses"},
    [FINDING_NO_GUID] = {"no_guid", "a function with the GUID 0"},
    [FINDING_TYPE] = {"unknown_type", "a probe of an unknown type"},
    [FINDING_INDEX] = {"no_index", "a probe with the index 0"},
};

static bool is_of_function(enum finding_kind kind)
{
    return kind != FINDING_DAMAGE && kind != FINDING_MIXED && kind != FINDING_NO_DESCRIPTORS &&
           kind != FINDING_NO_PROBES;
}

/* ---- text ---- */

static void write_counted(struct probe_printer *pr, uint64_t n, const char *one, const char *many)
{
    text_decimal(pr->out, n, 0);
    text_append(pr->out, n == 1 ? one : many);
}

static bool has_address(enum finding_kind kind)
{
    return kind == FINDING_OUTSIDE || kind == FINDING_INSIDE || kind == FINDING_TYPE || kind == FINDING_INDEX;
}

static void write_details(struct probe_printer *pr, const struct finding *f)
{
    if (f->kind == FINDING_NO_DESCRIPTOR || f->kind == FINDING_NO_SYMBOL || f->kind == FINDING_OUTSIDE ||
        f->kind == FINDING_INSIDE) {
        text_append(pr->out, " (");
        write_counted(pr, f->n, " probe", " probes");
        text_append(pr->out, ")");
    }
    if (f->kind == FINDING_TYPE) {
        text_append(pr->out, ": ");
        text_decimal(pr->out, f->n, 0);
    }
    if (has_address(f->kind)) {
        text_append(pr->out, ", at 0x");
        text_hex(pr->out, f->address, 0);
    }
}

static void write_finding(struct probe_printer *pr, const struct finding *f)
{
    if (f->kind == FINDING_DAMAGE) {
        text_message(pr->out, pr->probes->damages.data[f->n].message);
    } else {
        if (is_of_function(f->kind)) {
            probe_text_function(pr, apf_probes_name(pr->probes, f->guid), f->guid);
            text_append(pr->out, ": ");
        }
        text_append(pr->out, kinds[f->kind].text);
        write_details(pr, f);
    }
    text_append(pr->out, "\n");
}

/* Why some probes could not be compared with instructions; NULL: all were compared. */
static const char *why_unchecked(const struct verification *v)
{
    if (v->not_decoded.code != APF_OK)
        return v->not_decoded.message;
    return v->verdict.n_decoded < v->probes->probes.n ? "no symbol's code is there" : NULL;
}

static void write_unchecked(struct probe_printer *pr, const struct verification *v)
{
    const char *why = why_unchecked(v);
    if (!why)
        return;
    text_append(pr->out, "not checked: whether instructions begin at the addresses of ");
    write_counted(pr, v->probes->probes.n - v->verdict.n_decoded, " probe (", " probes (");
    text_append(pr->out, why);
    text_append(pr->out, ")\n");
}

static void write_findings(struct probe_printer *pr, const struct verification *v)
{
    uint64_t shown[FINDING_KINDS] = {0};
    for (size_t i = 0; i < v->findings.n; i++) {
        enum finding_kind kind = v->findings.data[i].kind;
        if (shown[kind]++ < MOST_LINES)
            write_finding(pr, &v->findings.data[i]);
    }
    for (size_t kind = 0; kind < FINDING_KINDS; kind++) {
        if (shown[kind] <= MOST_LINES)
            continue;
        text_append(pr->out, "and ");
        text_decimal(pr->out, shown[kind] - MOST_LINES, 0);
        text_append(pr->out, " more: ");
        text_append(pr->out, kinds[kind].text ? kinds[kind].text : "damage");
        text_append(pr->out, "\n");
    }
    write_unchecked(pr, v);
    write_counted(pr, v->findings.n, " finding in ", " findings in ");
    write_counted(pr, pr->probes->info.n_probes, " probe and ", " probes and ");
    write_counted(pr, pr->probes->info.n_descs, " descriptor\n", " descriptors\n");
}

static void write_changed(struct probe_printer *pr, const struct verification *v)
{
    const struct apf_probes_verdict *verdict = &v->verdict;
    if (v->changed.n)
        text_append(pr->out, "\n      Probes                  Hash                 Other  Function\n");
    for (size_t i = 0; i < v->changed.n && i < MOST_LINES; i++) {
        const struct changed_function *f = &v->changed.data[i];
        text_decimal(pr->out, f->probes, 12);
        text_decimal(pr->out, f->hash, 22);
        text_decimal(pr->out, f->other_hash, 22);
        text_append(pr->out, "  ");
        probe_text_function(pr, apf_probes_name(pr->probes, f->guid), f->guid);
        text_append(pr->out, "\n");
    }
    if (v->changed.n > MOST_LINES) {
        text_append(pr->out, "and ");
        text_decimal(pr->out, v->changed.n - MOST_LINES, 0);
        text_append(pr->out, " more\n");
    }
    text_append(pr->out, "\nA profile of the other build is stale for ");
    text_decimal(pr->out, verdict->n_changed, 0);
    text_append(pr->out, " of ");
    write_counted(pr, verdict->n_compared, " function", " functions");
    text_append(pr->out, ", with ");
    text_decimal(pr->out, verdict->n_changed_probes, 0);
    text_append(pr->out, " of ");
    write_counted(pr, verdict->n_compared_probes, " probe (", " probes (");
    text_share(pr->out, verdict->n_changed_probes, verdict->n_compared_probes, 0);
    text_append(pr->out, " %).\nOnly here: ");
    text_decimal(pr->out, v->new_functions, 0);
    text_append(pr->out, " functions; only in the other one: ");
    text_decimal(pr->out, v->gone_functions, 0);
    text_append(pr->out, ".\n");
}

static bool print_text(struct probe_printer *pr)
{
    const struct verification *v = pr->verification;
    write_findings(pr, v);
    if (v->against)
        write_changed(pr, v);
    return true;
}

/* ---- JSON ---- */

static void write_finding_json(struct probe_printer *pr, const struct finding *f)
{
    struct json_writer *w = pr->json;
    struct apf_str none = {NULL, 0};
    bool function = is_of_function(f->kind);
    const struct apf_error *damage = f->kind == FINDING_DAMAGE ? &pr->probes->damages.data[f->n] : NULL;
    const char *text = damage ? damage->message : kinds[f->kind].text;
    json_line_object(w);
    json_key(w, "kind");
    json_cstring(w, kinds[f->kind].json);
    json_key(w, "message");
    json_cstring(w, text);
    json_key(w, "guid");
    if (function)
        json_hash(w, f->guid);
    else
        json_none(w);
    probe_json_function(pr, function ? apf_probes_name(pr->probes, f->guid) : none);
    json_key(w, "address");
    if (has_address(f->kind))
        json_hex(w, f->address);
    else
        json_none(w);
    json_key(w, "offset");
    if (function || damage)
        json_u64(w, f->offset);
    else
        json_none(w);
    json_key(w, "n");
    if (damage)
        json_none(w);
    else
        json_u64(w, f->n);
    json_object_end(w);
}

static void write_unchecked_json(struct probe_printer *pr, const struct verification *v)
{
    struct json_writer *w = pr->json;
    const char *why = why_unchecked(v);
    json_key(w, "instruction_starts");
    json_object_begin(w);
    json_entry_u64(w, "checked", v->verdict.n_decoded);
    json_entry_u64(w, "unchecked", v->probes->probes.n - v->verdict.n_decoded);
    json_key(w, "reason");
    if (why)
        json_cstring(w, why);
    else
        json_none(w);
    json_object_end(w);
}

static void write_changed_json(struct probe_printer *pr, const struct verification *v)
{
    struct json_writer *w = pr->json;
    json_key(w, "against");
    if (!v->against) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "compared_functions", v->verdict.n_compared);
    json_entry_u64(w, "compared_probes", v->verdict.n_compared_probes);
    json_entry_u64(w, "changed_functions", v->verdict.n_changed);
    json_entry_u64(w, "changed_probes", v->verdict.n_changed_probes);
    json_entry_u64(w, "new_functions", v->new_functions);
    json_entry_u64(w, "gone_functions", v->gone_functions);
    json_key(w, "changed");
    json_array_begin(w);
    for (size_t i = 0; i < v->changed.n; i++) {
        const struct changed_function *f = &v->changed.data[i];
        json_line_object(w);
        json_entry_hash(w, "guid", f->guid);
        probe_json_function(pr, apf_probes_name(pr->probes, f->guid));
        json_entry_hash(w, "hash", f->hash);
        json_entry_hash(w, "other_hash", f->other_hash);
        json_entry_u64(w, "probes", f->probes);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static bool print_json(struct probe_printer *pr)
{
    const struct verification *v = pr->verification;
    probe_json_begin(pr, "anyprof-probe-verification/1");
    json_key(pr->json, "findings");
    json_array_begin(pr->json);
    for (size_t i = 0; i < v->findings.n; i++)
        write_finding_json(pr, &v->findings.data[i]);
    json_array_end(pr->json);
    write_unchecked_json(pr, v);
    write_changed_json(pr, v);
    json_object_end(pr->json);
    return true;
}

int apf_probes_check(const struct apf_probes *probes, const struct apf_probes *against,
                     const struct apf_probes_check_options *options, const struct apf_output *output,
                     struct apf_probes_verdict *verdict, struct apf_error *error)
{
    struct verification v = {.probes = probes, .against = against};
    struct probe_printer pr = {.probes = probes, .verification = &v};
    int code = OPTIONS_READ(apf_probes_check_options, &v.options, options, error);
    if (code == APF_OK)
        code = flags_check(v.options.flags, APF_PROBES_PRINT_JSON | APF_PROBES_PRINT_ONE_FUNCTION,
                           "apf_probes_check_options.flags", error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_probes_verdict, verdict, error);
    if (code != APF_OK)
        return code;
    pr.options.flags = v.options.flags & APF_PROBES_PRINT_JSON;
    bool done = verify_probes(&v) && (!against || verify_against(&v));
    code = done ? probe_print_with(&pr, print_text, print_json, output, error) : error_memory(error);
    result_fill(verdict, sizeof v.verdict, &v.verdict);
    verification_free(&v);
    return code;
}
