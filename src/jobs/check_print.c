/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings as text and as JSON, printed as they are found. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/pulse.h"
#include "base/text_append.h"
#include "base/vec.h"
#include "jobs/check_against.h"
#include "jobs/check_file.h"

static const char *const severities[] = {
    [APF_SEVERITY_NOTE] = "note", [APF_SEVERITY_WARNING] = "warning", [APF_SEVERITY_ERROR] = "error"};

/* The findings of one kind in a file: with one field, code and severity. */
struct finding_kind {
    uint32_t severity;
    uint64_t n;
    struct apf_error first; /* the error of the first finding, and its function */
    char *function;
    size_t n_function;
};

struct check_printer {
    const struct apf_check_programs *against;
    struct file_out *out;
    struct json_writer json;
    uint32_t flags;
    struct apf_str path;
    VEC(struct finding_kind) kinds; /* of the current file */
};

/* ---- text ---- */

/* A linear search: a file has at most some dozens of kinds. */
static struct finding_kind *find_kind(struct check_printer *p, const struct apf_diag *d)
{
    for (size_t i = 0; i < p->kinds.n; i++) {
        struct finding_kind *k = &p->kinds.data[i];
        if (k->first.code == d->code && k->severity == d->severity &&
            strcmp(k->first.where, d->error->where) == 0)
            return k;
    }
    return NULL;
}

/* Counts a finding with those of its kind, and keeps the first one. False: an allocation failed. */
static bool count_finding(struct check_printer *p, const struct apf_diag *d)
{
    struct finding_kind *k = find_kind(p, d);
    struct finding_kind new = {.severity = d->severity, .n = 1, .first = *d->error};
    if (k) {
        k->n++;
        return true;
    }
    new.function = malloc(d->function.n + 1);
    if (!new.function)
        return false;
    if (d->function.n)
        memcpy(new.function, d->function.p, d->function.n);
    new.n_function = d->function.n;
    if (VEC_PUSH(&p->kinds, new))
        return true;
    free(new.function);
    return false;
}

/* Writes a line about the first of n findings of a kind. */
static void write_finding(struct check_printer *p, uint32_t severity, struct apf_str function,
                          const struct apf_error *e, uint64_t n)
{
    text_name(p->out, p->path);
    text_append(p->out, ": ");
    if (e->code != APF_NOTE) { /* all notes have one message */
        text_append(p->out, severities[severity]);
        text_append(p->out, ": ");
    }
    if (function.n) {
        text_name(p->out, function);
        text_append(p->out, ": ");
    }
    text_message(p->out, e->message);
    if (n > 1) {
        text_append(p->out, " (and ");
        text_decimal(p->out, n - 1, 0);
        text_append(p->out, " more, with --all)");
    }
    text_append(p->out, "\n");
}

/* Writes one line for each kind of findings in the file. */
static void write_kinds(struct check_printer *p)
{
    for (size_t i = 0; i < p->kinds.n; i++) {
        struct finding_kind *k = &p->kinds.data[i];
        struct apf_str function = {k->function, k->n_function};
        write_finding(p, k->severity, function, &k->first, k->n);
        free(k->function);
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

/* A row of the comparison: how many functions, and which shares of the programs' functions and of the counts. */
struct row {
    const char *what;
    uint64_t n;
    bool own; /* they are functions of the programs */
    bool counted;
    uint64_t weight;
};

static void write_share(struct file_out *out, bool known, uint64_t part, uint64_t whole, unsigned width)
{
    if (known) {
        text_share(out, part, whole, width - 4);
        text_append(out, " %");
    } else {
        text_blanks(out, width - 1);
        text_append(out, "-");
    }
}

#define LABEL_WIDTH 26u

/* Writes how much of the programs the profile covers. */
static void write_coverage(struct check_printer *p, const struct apf_check_verdict *v)
{
    const struct row rows[] = {
        {"found", v->n_found, true, true, v->found_weight},
        {"changed", v->n_mismatched, true, true, v->mismatched_weight},
        {"missing", v->n_missing, true, false, 0},
        {"  there with another path", v->n_other_path, true, false, 0},
        {"not in the program", v->n_unknown, false, true, v->unknown_weight},
        {"of other builds, too", v->n_other_build, false, true, v->other_build_weight},
    };
    uint64_t whole = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_add_weight(&whole, rows[i].weight);
    text_name(p->out, p->path);
    text_append(p->out, p->against->n > 1 ? " beside the programs:\n" : " beside the program:\n");
    text_append(p->out, "                            functions    share    counts\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        if (!row->n && i)
            continue;
        text_append(p->out, "  ");
        text_append(p->out, row->what);
        text_blanks(p->out, LABEL_WIDTH - strlen(row->what));
        text_decimal(p->out, row->n, 9);
        write_share(p->out, row->own, row->n, v->n_program_functions, 9);
        write_share(p->out, row->counted, row->weight, whole, 10);
        text_append(p->out, "\n");
    }
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
    if (!(p->flags & APF_CHECK_ALL))
        return count_finding(p, d) ? 0 : 1;
    write_finding(p, d->severity, d->function, d->error, 1);
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
        write_kinds(p);
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
        const struct apf_progress now = {i + 1, n, verdict->n_bad_files, bytes};
        if (code == APF_OK && options->progress && options->progress(options->progress_user, &now) != 0)
            code = pulse_error(error);
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
