/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings as text and as JSON, printed as they are found. */
#include <string.h>

#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/text_append.h"
#include "base/vec.h"
#include "jobs/check_against.h"
#include "jobs/check_file.h"

#define MOST_LINES 20u /* lines of text about findings of one kind in a file */

static const char *const severities[] = {
    [APF_SEVERITY_NOTE] = "note", [APF_SEVERITY_WARNING] = "warning", [APF_SEVERITY_ERROR] = "error"};

/* A kind of finding: field, code and severity. */
struct kind_count {
    const char *where;
    int32_t code;
    uint32_t severity;
    uint64_t n;
};

struct check_printer {
    const struct apf_check_programs *against;
    struct file_out *out;
    struct json_writer json;
    uint32_t flags;
    struct apf_str path;
    VEC(struct kind_count) kinds; /* of the current file */
};

/* ---- text ---- */

/* A linear search: a file has at most some dozens of kinds. */
static struct kind_count *kind_of(struct check_printer *p, const struct apf_diag *d)
{
    struct kind_count new = {d->error->where, d->code, d->severity, 0};
    for (size_t i = 0; i < p->kinds.n; i++) {
        struct kind_count *k = &p->kinds.data[i];
        if (k->code == d->code && k->severity == d->severity && strcmp(k->where, new.where) == 0)
            return k;
    }
    return VEC_PUSH(&p->kinds, new) ? &p->kinds.data[p->kinds.n - 1] : NULL;
}

static void write_finding(struct check_printer *p, const struct apf_diag *d)
{
    text_name(p->out, p->path);
    text_append(p->out, ": ");
    if (d->code != APF_NOTE) { /* all notes have one message */
        text_append(p->out, severities[d->severity]);
        text_append(p->out, ": ");
    }
    if (d->function.n) {
        text_name(p->out, d->function);
        text_append(p->out, ": ");
    }
    text_message(p->out, d->error->message);
    text_append(p->out, "\n");
}

static void write_more(struct check_printer *p)
{
    for (size_t i = 0; i < p->kinds.n; i++) {
        const struct kind_count *k = &p->kinds.data[i];
        if (k->n <= MOST_LINES || p->flags & APF_CHECK_ALL)
            continue;
        text_name(p->out, p->path);
        text_append(p->out, ": and ");
        text_decimal(p->out, k->n - MOST_LINES, 0);
        text_append(p->out, " more: ");
        text_append(p->out, severities[k->severity]);
        if (k->code != APF_NOTE) { /* whose text says no more than the severity */
            text_append(p->out, ": ");
            text_append(p->out, apf_code_text(k->code));
        }
        text_append(p->out, " [");
        text_append(p->out, k->where);
        text_append(p->out, "]\n");
    }
    p->kinds.n = 0;
}

static void write_count(struct file_out *out, uint64_t n, const char *one, const char *many)
{
    text_decimal(out, n, 0);
    text_append(out, n == 1 ? one : many);
}

static void write_totals(struct check_printer *p, const struct apf_check_verdict *v)
{
    write_count(p->out, v->n_errors, " error, ", " errors, ");
    write_count(p->out, v->n_warnings, " warning and ", " warnings and ");
    write_count(p->out, v->n_notes, " note in ", " notes in ");
    write_count(p->out, v->n_files, " file with ", " files with ");
    write_count(p->out, v->n_records, " record\n", " records\n");
}

static void write_part(struct file_out *out, const char *before, uint64_t n, const char *words,
                       uint64_t weight, uint64_t whole)
{
    text_append(out, before);
    text_decimal(out, n, 0);
    text_append(out, words);
    text_append(out, " (");
    text_share(out, weight, whole, 1);
    text_append(out, " % of the counts)");
}

static void write_missing(struct check_printer *p, const struct apf_check_verdict *v)
{
    text_append(p->out, ", ");
    write_count(p->out, v->n_missing, " missing", " missing");
    if (v->n_other_path) {
        text_append(p->out, " (");
        write_count(p->out, v->n_other_path, " is there with another path)", " are there with other paths)");
    }
}

/* Writes how much of the programs the profile covers. */
static void write_coverage(struct check_printer *p, const struct apf_check_verdict *v)
{
    uint64_t whole = v->found_weight;
    bool several = p->against->n > 1;
    check_add_weight(&whole, v->mismatched_weight);
    check_add_weight(&whole, v->unknown_weight);
    check_add_weight(&whole, v->other_build_weight);
    text_name(p->out, p->path);
    text_append(p->out, ": of ");
    write_count(p->out, v->n_program_functions, " function", " functions");
    text_append(p->out, several ? " of the programs " : " of the program ");
    write_part(p->out, "", v->n_found, " found", v->found_weight, whole);
    write_part(p->out, ", ", v->n_mismatched, " changed", v->mismatched_weight, whole);
    write_missing(p, v);
    if (v->n_other_build)
        write_part(p->out, "; they have ", v->n_other_build,
                   v->n_other_build == 1 ? " record of another build, too" : " records of other builds, too",
                   v->other_build_weight, whole);
    write_part(p->out, several ? "; the programs lack " : "; the program lacks ", v->n_unknown,
               v->n_unknown == 1 ? " record" : " records", v->unknown_weight, whole);
    text_append(p->out, "\n");
}

/* ---- JSON ---- */

static void coverage_json(struct json_writer *w, const struct apf_check_verdict *v, bool compared)
{
    json_key(w, "against");
    if (!compared) {
        json_none(w);
        return;
    }
    json_object_begin(w);
    json_entry_u64(w, "functions", v->n_program_functions);
    json_entry_u64(w, "found", v->n_found);
    json_entry_u64(w, "changed", v->n_mismatched);
    json_entry_u64(w, "missing", v->n_missing);
    json_entry_u64(w, "other_path", v->n_other_path);
    json_entry_u64(w, "unknown", v->n_unknown);
    json_entry_u64(w, "other_build", v->n_other_build);
    json_entry_u64(w, "found_weight", v->found_weight);
    json_entry_u64(w, "changed_weight", v->mismatched_weight);
    json_entry_u64(w, "unknown_weight", v->unknown_weight);
    json_entry_u64(w, "other_build_weight", v->other_build_weight);
    json_object_end(w);
}

static void finding_json(struct check_printer *p, const struct apf_diag *d)
{
    struct json_writer *w = &p->json;
    const struct apf_error *e = d->error;
    json_line_object(w);
    json_entry_string(w, "severity", severities[d->severity]);
    json_entry_string(w, "code", apf_code_name(d->code));
    json_entry_string(w, "where", e->where);
    json_entry_known(w, "offset", e->offset != NO_OFFSET, e->offset);
    json_entry_known(w, "line", e->line != 0, e->line);
    json_entry_known(w, "column", e->line != 0, e->column);
    json_entry_numbers(w, e);
    json_entry_name(w, "function", d->function);
    json_key(w, "hash");
    if (d->function.n || d->hash)
        json_hash(w, d->hash);
    else
        json_none(w);
    json_key(w, "message");
    json_text(w, e->message, strlen(e->message));
    json_object_end(w);
}

static void numbers_json(struct json_writer *w, const struct apf_check_verdict *v, bool totals)
{
    if (totals) {
        json_entry_u64(w, "files", v->n_files);
        json_entry_u64(w, "bad_files", v->n_bad_files);
    }
    json_entry_u64(w, "errors", v->n_errors);
    json_entry_u64(w, "warnings", v->n_warnings);
    json_entry_u64(w, "notes", v->n_notes);
    json_entry_u64(w, "records", v->n_records);
}

/* ---- the call ---- */

/* An apf_diag_fn. */
static int print_finding(void *user, const struct apf_diag *d)
{
    struct check_printer *p = user;
    if (p->flags & APF_CHECK_JSON) {
        finding_json(p, d);
        return 0;
    }
    struct kind_count *kind = kind_of(p, d);
    if (!kind)
        return 1;
    if (kind->n++ < MOST_LINES || p->flags & APF_CHECK_ALL)
        write_finding(p, d);
    return 0;
}

static void add_verdict(struct apf_check_verdict *to, const struct apf_check_verdict *v)
{
    to->n_files += v->n_files;
    to->n_bad_files += v->n_bad_files;
    to->n_errors += v->n_errors;
    to->n_warnings += v->n_warnings;
    to->n_notes += v->n_notes;
    to->n_records += v->n_records;
    to->n_program_functions += v->n_program_functions;
    to->n_found += v->n_found;
    to->n_mismatched += v->n_mismatched;
    to->n_missing += v->n_missing;
    to->n_other_path += v->n_other_path;
    to->n_unknown += v->n_unknown;
    to->n_other_build += v->n_other_build;
    check_add_weight(&to->found_weight, v->found_weight);
    check_add_weight(&to->mismatched_weight, v->mismatched_weight);
    check_add_weight(&to->unknown_weight, v->unknown_weight);
    check_add_weight(&to->other_build_weight, v->other_build_weight);
}

static int print_file(struct check_printer *p, const struct apf_input *input, uint64_t number,
                      const struct apf_options *options, struct file_bytes *f,
                      struct apf_check_verdict *verdict, struct apf_error *error)
{
    struct apf_check_verdict own = {0};
    bool json = p->flags & APF_CHECK_JSON;
    p->path = file_name(input);
    if (json) {
        json_object_begin(&p->json);
        json_entry_path(&p->json, p->path);
        json_key(&p->json, "findings");
        json_array_begin(&p->json);
    }
    int code = check_file(input, number, p->against, options, f, &own, error);
    if (code == APF_STOPPED) /* print_finding stopped the check */
        code = error_memory(error);
    if (json) {
        json_array_end(&p->json);
        numbers_json(&p->json, &own, false);
        coverage_json(&p->json, &own, own.n_program_functions != 0);
        json_object_end(&p->json);
    } else {
        write_more(p);
        if (own.n_program_functions)
            write_coverage(p, &own);
    }
    add_verdict(verdict, &own);
    return code;
}

static int print_all(struct check_printer *p, const struct apf_input *inputs, size_t n,
                     const struct apf_options *options, struct apf_check_verdict *verdict,
                     struct apf_error *error)
{
    struct file_bytes f = {0};
    struct json_writer *w = &p->json;
    bool json = p->flags & APF_CHECK_JSON;
    uint64_t bytes = 0;
    int code = APF_OK;
    if (json) {
        json_start(w, file_out_callback, p->out, 2);
        json_object_begin(w);
        json_head(w, "anyprof-check/1");
        json_key(w, "files");
        json_array_begin(w);
    }
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        f.stored = 0;
        code = print_file(p, input_at(inputs, i), i, options, &f, verdict, error);
        bytes += f.stored;
        if (options->progress)
            options->progress(options->progress_user,
                              &(struct apf_progress){i + 1, n, verdict->n_bad_files, bytes});
    }
    file_bytes_free(&f);
    if (!json) {
        write_totals(p, verdict);
        return code;
    }
    json_array_end(w);
    json_key(w, "totals");
    json_object_begin(w);
    numbers_json(w, verdict, true);
    json_object_end(w);
    json_object_end(w);
    int written = json_finish(w, code == APF_OK ? error : NULL);
    return code == APF_OK ? written : code;
}

int apf_check_print(const struct apf_input *inputs, size_t n, const struct apf_check_programs *against,
                    const struct apf_options *options, uint32_t flags, const struct apf_output *output,
                    struct apf_check_verdict *verdict, struct apf_error *error)
{
    struct apf_options o;
    struct check_printer p = {.against = against, .flags = flags};
    struct apf_check_verdict sum = {0};
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = flags_check(flags, APF_CHECK_JSON | APF_CHECK_ALL, "apf_check_print.flags", error);
    if (code == APF_OK)
        code = inputs_check(inputs, n, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_check_verdict, verdict, error);
    if (code == APF_OK)
        code = file_out_open(&p.out, output, error);
    if (code != APF_OK)
        return code;
    o.diag = print_finding;
    o.user = &p;
    code = print_all(&p, inputs, n, &o, &sum, error);
    result_fill(verdict, sizeof sum, &sum);
    VEC_FREE(&p.kinds);
    return file_out_finish(p.out, code, error);
}
