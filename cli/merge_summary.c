/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge_summary.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* ---- findings ---- */

static uint64_t *find_counter(struct findings *f, int code)
{
    return &f->seen[code >= 0 && code < FINDING_CODES ? code : FINDING_CODES - 1];
}

/* The message begins with the file and the function, as in LLVM. */
static void print_finding(const struct findings *f, const struct apf_diag *diag)
{
    const struct session *session = f->session;
    struct name_text texts[2] = {{NULL, 0}, {NULL, 0}};
    struct apf_str about = diag->function, message = {diag->error->message, strlen(diag->error->message)};
    char file[1024], function[1024];
    if (f->names) {
        about = demangler_show_text(f->names, about, &texts[0]);
        message = demangler_show_text(f->names, message, &texts[1]);
    }
    printable(file, sizeof file, diag->source);
    printable(function, sizeof function, about);
    const char *name = shown_name(session, file, false);
    if (diag->severity == APF_SEVERITY_ERROR)
        report_error(session, name, "%s", message.p);
    else if (diag->code == APF_AMBIGUOUS_NAME) /* the message has the function */
        report_warning(session, NULL, "%s", message.p);
    else
        report_warning(session, name, "%s%s%s", function, *function ? ": " : "", message.p);
    free(texts[0].p);
    free(texts[1].p);
}

int findings_print(void *user, const struct apf_diag *diag)
{
    struct findings *f = (struct findings *)user;
    bool about_input = diag->input != UINT64_MAX;
    bool undeletable = diag->code == APF_NOT_REMOVED && diag->severity == APF_SEVERITY_ERROR;
    /* merge_report_inputs reports rejected inputs; merge_report_summary, the output as a whole. */
    bool warning = !f->quiet && diag->severity == APF_SEVERITY_WARNING;
    if (!undeletable && (!warning || (!about_input && diag->function.n == 0)))
        return 0;
    if ((*find_counter(f, diag->code))++ < FINDINGS_PRINTED)
        print_finding(f, diag);
    return 0;
}

void findings_rest(const struct findings *f)
{
    for (int code = 0; code < FINDING_CODES; code++) {
        if (f->seen[code] > FINDINGS_PRINTED)
            report_note(f->session, "%" PRIu64 " more: %s", f->seen[code] - FINDINGS_PRINTED,
                        apf_code_text(code));
    }
}

/* ---- the summary ---- */

#define FIRST_WITH_VTABLES 12u /* indexed version */

/* A line that is made of pieces, and cut if it is too long. */
struct line {
    char text[512];
    size_t n;
};

CLI_PRINTF(2, 3) static void add_text(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->text + l->n, sizeof l->text - l->n, format, args);
    va_end(args);
    if (n > 0)
        l->n += (size_t)n < sizeof l->text - l->n ? (size_t)n : sizeof l->text - l->n - 1;
}

/* Appends "3 functions", after a comma unless it is the first piece; nothing for 0. */
static void add_count(struct line *l, uint64_t n, const char *one, const char *many)
{
    if (n)
        add_text(l, "%s%" PRIu64 " %s", l->n ? ", " : "", n, n == 1 ? one : many);
}

static void report_line(const struct session *session, const struct line *l, const char *before,
                        const char *after)
{
    if (l->n)
        report_note(session, "%s%s%s", before, l->text, after);
}

/* Appends "2 of 3 inputs were rejected". */
static void add_share(struct line *l, uint64_t n, uint64_t all, const char *what)
{
    if (all == 1)
        add_text(l, "the only input was %s", what);
    else
        add_text(l, "%" PRIu64 " of %" PRIu64 " inputs %s %s", n, all, n == 1 ? "was" : "were", what);
}

void merge_report_lost(const struct session *session, struct merge_counts counts)
{
    const struct merge_counts *s = &counts;
    struct line l = {{0}, 0};
    if (s->n_rejected)
        add_share(&l, s->n_rejected, s->n_inputs, "rejected");
    if (s->n_empty && s->n_rejected)
        add_text(&l, ", %" PRIu64 " %s empty", s->n_empty, s->n_empty == 1 ? "was" : "were");
    else if (s->n_empty)
        add_share(&l, s->n_empty, s->n_inputs, "empty");
    report_line(session, &l, "", "");
}

static void report_salvage(const struct session *session, const struct apf_merge_stats *s)
{
    struct line l = {{0}, 0};
    const uint64_t intact = s->salvaged_functions, taken = intact - s->salvage_lost_names;
    if (!s->n_salvaged)
        return;
    add_share(&l, s->n_salvaged, s->n_inputs, "salvaged");
    add_text(&l, ": %" PRIu64, taken);
    if (taken < intact)
        add_text(&l, " of %" PRIu64 " intact", intact);
    add_text(&l, " %s taken", intact == 1 ? "function was" : "functions were");
    add_count(&l, s->salvage_lost_values, "without its values", "without their values");
    add_count(&l, s->salvage_found_names, "with the name from another file",
              "with the name from another file");
    add_count(&l, s->salvage_lost_functions, "is known to be lost", "are known to be lost");
    add_count(&l, s->salvage_lost_names, "lost for want of a name", "lost for want of a name");
    report_line(session, &l, "", "");
    if (s->salvage_lost_names)
        report_note(session, "to recover names, add an intact input of the same program, or give "
                             "--binary-file=PROGRAM");
}

/* Reports functions that the inputs disagree on. */
static void report_mismatches(const struct session *session, const struct apf_merge_stats *s)
{
    struct line l = {{0}, 0};
    add_count(&l, s->count_mismatches, "set of counters", "sets of counters");
    add_count(&l, s->bitmap_mismatches, "bitmap", "bitmaps");
    add_count(&l, s->site_mismatches, "set of values", "sets of values");
    report_line(session, &l, "left out, because the inputs disagree on the function: ", "");
    if (l.n)
        report_note(session, "make sure that all inputs are of the same build of the program");
    if (s->numbering_mismatches)
        report_warning(
            session, NULL,
            "%" PRIu64
            " MC/DC %s left out: LLVM 18 numbers test vectors in another way than LLVM 19 and later, "
            "and more bitmaps are numbered the other way; merge profiles of LLVM 18 apart",
            s->numbering_mismatches, s->numbering_mismatches == 1 ? "bitmap was" : "bitmaps were");
    if (s->front_end_in_ir)
        report_note(session,
                    "%" PRIu64
                    " front-end %s merged with IR profiles: a compiler uses only one of the two kinds",
                    s->front_end_in_ir, s->front_end_in_ir == 1 ? "profile was" : "profiles were");
}

static void report_values(const struct session *session, const struct apf_merge_stats *s)
{
    struct line l = {{0}, 0};
    add_count(&l, s->truncated_sites, "site cut to 255 values", "sites cut to 255 values");
    add_count(&l, s->truncated_values, "value dropped", "values dropped");
    add_count(&l, s->missing_value_data, "profile without the values it announces",
              "profiles without the values they announce");
    if (l.n) /* targets without a name alone are normal: functions without a profile are called, too */
        add_count(&l, s->unknown_targets, "target without a name", "targets without a name");
    report_line(session, &l, "values of call sites: ", "");
}

static void report_records(const struct session *session, const struct apf_merge_stats *s)
{
    struct line l = {{0}, 0};
    add_count(&l, s->saturated, "function", "functions");
    report_line(session, &l, "counts were cut at the largest possible number in ",
                "; smaller weights avoid it");
    if (s->nameless)
        report_note(session, "%" PRIu64 " %s lost, because no input has the name", s->nameless,
                    s->nameless == 1 ? "record was" : "records were");
    if (s->large_counters)
        report_note(session, "%" PRIu64 " %s above 2^56: an input may be damaged", s->large_counters,
                    s->large_counters == 1 ? "counter is" : "counters are");
    if (s->memprof_saturated)
        report_note(session,
                    "%" PRIu64
                    " %s of memory profiles at the largest possible number; smaller weights avoid it",
                    s->memprof_saturated, s->memprof_saturated == 1 ? "sum is" : "sums are");
    if (s->memprof_dropped)
        report_note(session, "MemProf data of %" PRIu64 " %s left out", s->memprof_dropped,
                    s->memprof_dropped == 1 ? "input was" : "inputs were");
}

static void report_renames(const struct session *session, const struct apf_merge_stats *s)
{
    struct line l = {{0}, 0};
    add_count(&l, s->renamed, "local function", "local functions");
    if (s->renamed_merged)
        add_text(&l, " (%" PRIu64 " added to one of the same name)", s->renamed_merged);
    report_line(session, &l, "renamed as the target's compiler names them: ", "");
    l.n = 0;
    add_count(&l, s->remapped, "record", "records");
    if (s->remapped_merged)
        add_text(&l, " (%" PRIu64 " added to one of the same name)", s->remapped_merged);
    report_line(session, &l, "renamed by --remapping-file and --prefix-map: ", "");
}

static uint64_t count_bits(uint64_t set)
{
    uint64_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Warns of IR profiles in a version for compilers that have only front-end profiles. */
static void warn_about_kind(const struct session *session, const struct apf_merge_stats *s)
{
    if (s->dropped_variants & APF_VARIANT_IR)
        report_warning(
            session, NULL,
            "the output is no IR profile any more: indexed version %" PRIu32
            " holds front-end profiles only, and compilers that read it find none of its functions",
            s->version);
}

/* Appends what keeps some of what was left out, or else that the counts are whole. */
static void add_advice(struct line *l, const struct apf_merge_stats *s)
{
    if (s->dropped_fields && !s->dropped_vtable_names)
        add_text(l, "; --memprof-full-schema keeps fields");
    else if (s->dropped_vtable_names && s->version >= FIRST_WITH_VTABLES)
        add_text(l, "; --keep-vtable-symbols keeps vtable names");
    else if (!s->dropped_records && !s->dropped_values && !s->dropped_bitmaps)
        add_text(l, "; all counts are kept");
    for (unsigned i = 0; s->keep_ids && i < 64; i++)
        if (s->keep_ids >> i & 1) {
            add_text(l, "; --for=llvm-%s keeps binary ids, for LLVM %s and later", apf_release_name(i),
                     apf_release_name(i));
            break;
        }
}

/* Warns of an output without functions, which is what inputs without functions give. */
static void warn_of_nothing(const struct session *session, const struct apf_merge_stats *s)
{
    if (!s->n_functions && !s->names && !s->memprof_functions && !s->nameless && s->n_merged)
        report_warning(session, NULL,
                       "no input has a function, so the output has none: was the program instrumented?");
}

static void report_left_out(const struct session *session, const struct apf_merge_stats *s, bool text)
{
    struct line l = {{0}, 0};
    char before[80];
    if (text)
        snprintf(before, sizeof before, "left out of the text: ");
    else
        snprintf(before, sizeof before, "left out of the output (indexed version %" PRIu32 "): ", s->version);
    add_count(&l, s->dropped_records, "record", "records");
    add_count(&l, s->dropped_values, "value site", "value sites");
    add_count(&l, s->dropped_bitmaps, "bitmap", "bitmaps");
    add_count(&l, s->dropped_traces, "temporal trace", "temporal traces");
    add_count(&l, s->dropped_ids, "binary id", "binary ids");
    add_count(&l, s->dropped_vtable_names, "vtable name", "vtable names");
    add_count(&l, s->dropped_memprof, "memory profile of a function", "memory profiles of functions");
    add_count(&l, s->dropped_callees, "callee of a call site", "callees of call sites");
    add_count(&l, s->dropped_data, "data access profile", "data access profiles");
    add_count(&l, s->dropped_fields, "field of allocation contexts", "fields of allocation contexts");
    add_count(&l, s->dropped_uniformity, "set of uniformity bits", "sets of uniformity bits");
    add_count(&l, count_bits(s->dropped_variants), "flag of the profile", "flags of the profile");
    if (l.n && !text)
        add_advice(&l, s);
    report_line(session, &l, before, "");
}

/* Reports what readers of the output's version will not find, or misread. */
static void report_compilers(const struct session *session, const struct apf_merge_stats *s)
{
    if (s->other_hash_scheme)
        report_note(session,
                    "%" PRIu64
                    " front-end %s function hashes of another LLVM than the output (indexed version %" PRIu32
                    ") is for: compilers will not find all functions",
                    s->other_hash_scheme, s->other_hash_scheme == 1 ? "input has" : "inputs have",
                    s->version);
    if (s->bitmap_numbering)
        report_note(session,
                    "%" PRIu64 " MC/DC %s numbered in another way than readers of indexed version %" PRIu32
                    " expect (11: as LLVM 18 does, later versions: as LLVM 19): they misread %s",
                    s->bitmap_numbering, s->bitmap_numbering == 1 ? "bitmap is" : "bitmaps are", s->version,
                    s->bitmap_numbering == 1 ? "it" : "them");
}

/* Appends releases of LLVM: "3.9, 13 to 15". */
static void add_releases(struct line *l, uint64_t set)
{
    const char *name;
    for (unsigned i = 0; i < 64 && (name = apf_release_name(i)) != NULL; i++) {
        unsigned last = i;
        if (!(set >> i & 1))
            continue;
        while (last + 1 < 64 && (set >> (last + 1) & 1) && apf_release_name(last + 1))
            last++;
        add_text(l, "%s%s", l->n ? ", " : "", name);
        if (last != i)
            add_text(l, "%s%s", last > i + 1 ? " to " : ", ", apf_release_name(last));
        i = last;
    }
}

/* Appends " (12.3 MB)". */
static void add_size(struct line *l, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
    unsigned unit = 0;
    uint64_t tenths = 0;
    for (; bytes >= 1000; unit++) {
        tenths = bytes % 1000 / 100;
        bytes /= 1000;
    }
    if (unit)
        add_text(l, " (%" PRIu64 ".%" PRIu64 " %s)", bytes, tenths, units[unit]);
    else
        add_text(l, " (%" PRIu64 " %s)", bytes, units[unit]);
}

void merge_report_removal(const struct session *session, struct merge_counts counts)
{
    const struct merge_counts *s = &counts;
    struct line l = {{0}, 0};
    if (s->n_held)
        report_note(session, "%" PRIu64 " %s in the output already, from an earlier merge%s", s->n_held,
                    s->n_held == 1 ? "input was" : "inputs were",
                    s->n_merged + s->n_salvaged ? "" : ": nothing was left to merge");
    add_count(&l, s->n_removed, "input removed", "inputs removed");
    if (s->n_removed)
        add_size(&l, s->removed_bytes);
    report_line(session, &l, "", "");
    if (s->n_undeletable)
        report_note(session, "other merges into this output will leave out what could not be removed");
}

void merge_report_result(const struct session *session, const struct apf_merge *merge, const char *path,
                         bool text)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    uint64_t n = s->n_merged + s->n_salvaged + s->n_empty;
    struct line l = {{0}, 0};
    const char *output = shown_name(session, path, true);
    if (n == 1 && s->n_inputs == 1)
        add_text(&l, "%.*s", (int)apf_merge_input(merge, 0)->name.n, apf_merge_input(merge, 0)->name.p);
    else if (n == s->n_inputs)
        add_text(&l, "%" PRIu64 " inputs", n);
    else
        add_text(&l, "%" PRIu64 " of %" PRIu64 " inputs", n, s->n_inputs);
    if (text)
        add_text(&l, " into %s: text", output);
    else
        add_text(&l, " into %s: indexed version %" PRIu32, output, s->version);
    add_count(&l, s->n_functions, "function", "functions");
    report_line(session, &l, "merged ", "");
}

void merge_report_summary(const struct session *session, const struct apf_merge_stats *stats, bool text)
{
    struct line l = {{0}, 0};
    struct merge_counts counts = {
        stats->n_inputs, stats->n_merged, stats->n_empty, stats->n_rejected, 0, 0, 0, 0, 0};
    merge_report_lost(session, counts);
    report_salvage(session, stats);
    report_mismatches(session, stats);
    report_values(session, stats);
    report_records(session, stats);
    report_renames(session, stats);
    warn_of_nothing(session, stats);
    if (!text)
        warn_about_kind(session, stats);
    report_left_out(session, stats, text);
    if (!text)
        report_compilers(session, stats);
    if (!text && stats->version_guessed)
        report_note(session,
                    "no input says which compiler made it: the output (indexed version %" PRIu32
                    ") is for the newest LLVM; --for=llvm-N writes for another",
                    stats->version);
    if (!text)
        add_releases(&l, stats->cannot_read);
    report_line(session, &l, "LLVM ",
                " may have made an input but cannot read the output; --for=llvm-N writes for one");
}
