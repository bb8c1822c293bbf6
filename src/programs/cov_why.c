/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Says which functions have no counts, or are left out, and why. */
#include "base/error.h"
#include "base/file.h"
#include "base/json_entry.h"
#include "base/md5.h"
#include "base/options.h"
#include "base/text_append.h"
#include "base/text_bytes.h"
#include "cov/object.h"
#include "programs/cov_programs.h"

static const struct {
    const char *name, *text;
} fits[COV_FITS] = {
    [APF_COV_FITS] = {"fits", "its counts are known"},
    [APF_COV_MISMATCH] = {"mismatch", "the profile is of other source code: it has another hash"},
    [APF_COV_SHORT_COUNTERS] = {"short_counters", "the profile has fewer counters than the program"},
    [APF_COV_CIRCULAR] = {"circular", "its counters depend on each other in a circle"},
    [APF_COV_DAMAGED] = {"damaged", "its mapping is damaged"},
    [APF_COV_AMBIGUOUS] = {"ambiguous_files", "two lists of source files have the same id"},
    [APF_COV_UNUSED] = {"unused", "it has no code in this object, and was executed elsewhere"},
    [APF_COV_DUPLICATE] = {"duplicate", "an object before has it, too"},
    [APF_COV_EXCLUDED] = {"excluded", "a marker in its source leaves it out"}};

const char *apf_cov_fit_text(uint32_t fit)
{
    return fit < COV_FITS ? fits[fit].text : "";
}

/* ---- one function ---- */

struct why {
    const struct apf_cov *cov;
    struct apf_str name;
    struct file_out *out;
    uint32_t number; /* of the full name of the record before */
    size_t n;        /* records of the function in programs */
};

/* Whether that is the name of a function, with or without the file before it that local functions have. */
static bool is_name(struct apf_str full, struct apf_str name)
{
    if (text_equal(full, name))
        return true;
    if (full.n <= name.n || !name.n)
        return false;
    const size_t before = full.n - name.n;
    const struct apf_str end = {full.p + before, name.n};
    return (full.p[before - 1] == ':' || full.p[before - 1] == ';') && text_equal(end, name);
}

static void put_program(const struct why *w, uint32_t program)
{
    const struct apf_str path = w->cov->programs[program].name;
    text_append(w->out, "  ");
    text_name(w->out, path);
    text_append(w->out, ": ");
}

static void put_hash(const struct why *w, uint64_t hash)
{
    text_append(w->out, "hash ");
    text_hash(w->out, hash);
}

static void put_counters(const struct why *w, uint64_t n)
{
    text_append(w->out, ", ");
    text_decimal(w->out, n, 0);
    text_append(w->out, n == 1 ? " counter\n" : " counters\n");
}

static void put_profile(const struct why *w)
{
    const struct cov_profile *p = &w->cov->profile;
    const struct cov_profile_entries entries = cov_profile_entries_of(p, w->number);
    if (!entries.n)
        text_append(w->out, p->instr
                                ? "  profile: has no function of this name: it was never executed, or the "
                                  "profile is of another program\n"
                                : "  no profile was given\n");
    for (size_t i = 0; i < entries.n; i++) {
        text_append(w->out, "  profile: ");
        put_hash(w, entries.data[i].hash);
        put_counters(w, entries.data[i].n_counts);
    }
}

/* Begins what is to be said of a record. False: it has another name. With a record of another full name, what the
 * profile has of those before it is written first. */
static bool begin_record(struct why *w, uint32_t object, uint32_t number)
{
    const struct cov_object *o = &w->cov->coverage.objects[object];
    const struct cov_record *record = &o->records.data[number];
    const struct apf_str name = cov_names_text(&w->cov->coverage.names, record->name);
    if (!is_name(name, w->name))
        return false;
    if (w->n && w->number != record->name)
        put_profile(w);
    if (!w->n || w->number != record->name) {
        text_name(w->out, name);
        text_append(w->out, "\n");
    }
    w->n++;
    w->number = record->name;
    put_program(w, o->program);
    put_hash(w, record->hash);
    text_append(w->out, ", ");
    return true;
}

static void put_function(struct why *w, const struct cov_function *f)
{
    if (!begin_record(w, f->object, f->record))
        return;
    if (f->main_file != HASH_INDEX_NONE) {
        text_name(w->out, w->cov->coverage.files.list.data[f->main_file]);
        text_append(w->out, ":");
        text_decimal(w->out, f->line, 0);
        text_append(w->out, ": ");
    }
    if (f->fit == APF_COV_FITS) {
        text_append(w->out, "it ran ");
        text_decimal(w->out, f->count, 0);
        text_append(w->out, f->count == 1 ? " time\n" : " times\n");
        return;
    }
    text_append(w->out, "counts as not executed: ");
    text_append(w->out, fits[f->fit].text);
    text_append(w->out, "\n");
}

static void put_loss(struct why *w, const struct cov_loss *loss)
{
    if (!begin_record(w, loss->object, loss->record))
        return;
    text_append(w->out, "left out: ");
    text_append(w->out, fits[loss->fit].text);
    text_append(w->out, "\n");
}

static void write_why(struct why *w)
{
    const struct coverage *c = &w->cov->coverage;
    for (size_t i = 0; i < c->functions.n; i++)
        put_function(w, &c->functions.data[i]);
    for (size_t i = 0; i < c->losses.n; i++)
        put_loss(w, &c->losses.data[i]);
    if (!w->n) {
        w->number = cov_names_find(&c->names, md5_name_ref(w->name.p, w->name.n));
        text_name(w->out, w->name);
        text_append(w->out, "\n  no program has a function of this name with coverage\n");
    }
    put_profile(w);
}

int apf_cov_why(const struct apf_cov *cov, struct apf_str name, const struct apf_output *output, int *found,
                struct apf_error *error)
{
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    struct why w = {.cov = cov, .name = name, .out = out};
    write_why(&w);
    if (found)
        *found = w.n != 0;
    return file_out_close(out, true, error);
}

/* ---- all that are not known ---- */

static void report_function(struct json_writer *w, const struct apf_cov *cov, uint32_t object,
                            uint32_t record, uint32_t fit)
{
    const struct cov_object *o = &cov->coverage.objects[object];
    const struct cov_record *r = &o->records.data[record];
    const struct cov_profile_entries entries = cov_profile_entries_of(&cov->profile, r->name);
    json_line_object(w);
    json_entry_name(w, "name", cov_names_text(&cov->coverage.names, r->name));
    json_entry_u64(w, "program", o->program);
    json_entry_string(w, "reason", fits[fit].name);
    json_entry_bool(w, "left_out", fit > LAST_UNKNOWN || cov->coverage.strict);
    json_entry_hash(w, "hash", r->hash);
    json_key(w, "profile_hashes");
    json_array_begin(w);
    for (size_t i = 0; i < entries.n; i++)
        json_hash(w, entries.data[i].hash);
    json_array_end(w);
    json_object_end(w);
}

static void report_functions(struct json_writer *w, const struct apf_cov *cov)
{
    const struct coverage *c = &cov->coverage;
    json_key(w, "functions");
    json_array_begin(w);
    for (size_t i = 0; i < c->functions.n && !json_failed(w); i++)
        if (c->functions.data[i].fit != APF_COV_FITS)
            report_function(w, cov, c->functions.data[i].object, c->functions.data[i].record,
                            c->functions.data[i].fit);
    for (size_t i = 0; i < c->losses.n && !json_failed(w); i++)
        report_function(w, cov, c->losses.data[i].object, c->losses.data[i].record, c->losses.data[i].fit);
    json_array_end(w);
}

static void report_counts(struct json_writer *w, const struct apf_cov *cov)
{
    json_key(w, "counts");
    json_object_begin(w);
    json_entry_u64(w, "objects", cov->objects.n);
    json_entry_u64(w, "source_files", cov->n_files);
    json_entry_u64(w, "functions", cov->coverage.functions.n);
    for (uint32_t fit = APF_COV_FITS + 1; fit < COV_FITS; fit++)
        json_entry_u64(w, fits[fit].name, cov->coverage.fits[fit]);
    json_object_end(w);
}

static void report_programs(struct json_writer *w, const struct apf_cov *cov)
{
    json_key(w, "programs");
    json_array_begin(w);
    for (size_t i = 0; i < cov->n_programs; i++) {
        json_line_object(w);
        json_entry_path(w, cov->programs[i].name);
        json_entry_u64(w, "objects", cov->programs[i].objects.n);
        json_entry_u64(w, "without_coverage", cov->programs[i].n_members - cov->programs[i].objects.n);
        json_object_end(w);
    }
    json_array_end(w);
}

/* An apf_cov_marker_fn. */
static int report_marker(void *user, const struct apf_cov_marker *marker)
{
    struct json_writer *w = (struct json_writer *)user;
    static const char *const names[2][2] = {{"START", "STOP"}, {"BR_START", "BR_STOP"}};
    json_line_object(w);
    json_entry_path(w, marker->file);
    json_entry_u64(w, "line", marker->line);
    json_entry_string(w, "marker", names[marker->branches][marker->stops]);
    json_object_end(w);
    return json_failed(w);
}

int apf_cov_report(const struct apf_cov *cov, const struct apf_str *missing, size_t n_missing,
                   const struct apf_output *output, struct apf_error *error)
{
    struct json_writer w;
    struct file_out *out;
    int code = output_check(output, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    json_start(&w, file_out_callback, out, 2);
    json_object_begin(&w);
    json_head(&w, "anyprof-cov-report/1");
    report_programs(&w, cov);
    report_counts(&w, cov);
    json_key(&w, "missing_sources");
    json_array_begin(&w);
    for (size_t i = 0; i < n_missing; i++)
        json_bytes(&w, missing[i].p, missing[i].n);
    json_array_end(&w);
    json_key(&w, "unpaired_markers");
    json_array_begin(&w);
    (void)apf_cov_unpaired_markers(cov, report_marker, &w, NULL);
    json_array_end(&w);
    report_functions(&w, cov);
    json_object_end(&w);
    return file_out_finish(out, json_finish(&w, error), error);
}
