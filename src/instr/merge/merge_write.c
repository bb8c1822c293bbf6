/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the version and names of an output, and writes it. */
#include "base/error.h"
#include "base/options.h"
#include "inputs/inputs_output.h"
#include "instr/indexed/indexed_write.h"
#include "instr/layout/indexed_layout.h"
#include "instr/merge/merge.h"
#include "instr/text/text_write.h"

/* ---- the automatic target ---- */

/* Facts of the inputs that decide the version. 0: unknown. */
struct bounds {
    uint32_t ir;        /* the newest version that every possible producer of an IR profile reads ... */
    uint32_t plain;     /* ... and that every one of a front-end profile reads */
    unsigned newest;    /* newest possible producer of a front-end profile, which sets the hash scheme */
    bool front_end;     /* a front-end profile was merged */
    uint64_t digests;   /* hashes of front-end profiles that depend on the scheme */
    uint64_t producers; /* all possible producers */
};

static uint32_t lower_bound(uint32_t bound, uint32_t version)
{
    return bound && bound < version ? bound : version;
}

/* The bounds of the accepted inputs. Hollow inputs matter only if there are no others. */
static struct bounds bounds_of(const struct apf_merge *m)
{
    struct bounds b = {0, 0, 0, false, 0, 0};
    bool solid = merge_is_solid(m);
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct apf_input_result *r = &m->inputs.data[i].result;
        if (r->code != APF_OK || !r->producers || (solid && m->inputs.data[i].hollow))
            continue;
        b.producers |= r->producers;
        if (r->variant & APF_VARIANT_IR) {
            b.ir = lower_bound(b.ir, releases_read_all(r->producers));
            continue;
        }
        uint64_t digests = m->inputs.data[i].digests;
        unsigned newest = release_newest(digests ? r->producers : releases_without_digests(r->producers));
        b.digests += digests;
        b.newest = b.front_end && b.newest > newest ? b.newest : newest;
        b.plain = lower_bound(b.plain, releases_read_all(r->producers));
        b.front_end = true;
    }
    return b;
}

/* Whether the bitmaps of a view are numbered as LLVM 18 does it. Of bitmaps of which this is not known, those of text,
 * the newer numbering is assumed. */
static bool is_sparse(const struct apf_instr *view)
{
    bool sparse = false;
    for (size_t i = 0; i < view->records.n; i++)
        sparse |= view->records.data[i].flags & APF_RECORD_SPARSE_BITMAP;
    return sparse;
}

/* The abilities that a version needs; ids and names of vtables may be left out. */
static unsigned caps_needed(const struct apf_instr *view)
{
    unsigned for_bitmaps = INDEXED_CAP_BITMAP | (is_sparse(view) ? 0 : INDEXED_CAP_BITMAP_DENSE);
    unsigned caps = view->info.variant ? INDEXED_CAP_SUMMARY : 0; /* variant bits came with the summary */
    for (size_t i = 0; i < view->records.n; i++) {
        const struct record *r = &view->records.data[i];
        if (i && r[-1].id == r->id)
            caps |= INDEXED_CAP_COUNT_FIELD;
        if (record_site_count(r))
            caps |= INDEXED_CAP_VALUES;
        if (r->n_bitmap)
            caps |= for_bitmaps;
        if (r->n_sites[APF_VALUE_VTABLE])
            caps |= INDEXED_CAP_VTABLES;
    }
    if (view->memprof)
        caps |= INDEXED_CAP_MEMPROF;
    return view->info.n_traces ? caps | INDEXED_CAP_TRACES : caps;
}

/* The newest version that every possible producer reads, of the hash scheme of the newest producer: a front-end profile
 * of another scheme is of no use to that one. */
static uint32_t version_for_all(const struct bounds *b)
{
    if (b->ir || !b->front_end)
        return b->ir ? b->ir : INDEXED_MAX_VERSION;
    uint32_t own = release_row(b->newest)->indexed_version;
    uint32_t lowest = hash_scheme_lowest(own), highest = hash_scheme_highest(own);
    return b->plain < lowest ? lowest : b->plain > highest ? highest : b->plain;
}

/* The possible producers that would read a version which has binary ids. */
static uint64_t readers_of_ids(const struct bounds *b)
{
    return b->producers & ~releases_too_old(b->producers, indexed_version_holding(1, INDEXED_CAP_IDS));
}

/* The newest version, up to `version`, whose readers number test vectors as the bitmaps of a view. */
static uint32_t version_of_bitmaps(const struct apf_instr *view, uint32_t version)
{
    return is_sparse(view) ? indexed_version_lacking(version, INDEXED_CAP_BITMAP_DENSE) : version;
}

static struct target_choice choose_auto(struct apf_merge *m, const struct bounds *b,
                                        const struct apf_instr *view)
{
    unsigned caps = caps_needed(view);
    uint32_t version = indexed_version_holding(version_for_all(b), caps),
             same = version_of_bitmaps(view, version);
    if ((indexed_version_find(same)->caps & caps) == caps)
        version = same;
    m->stats.cannot_read = releases_too_old(b->producers, version);
    if (view->info.n_binary_ids && !(indexed_version_find(version)->caps & INDEXED_CAP_IDS))
        m->stats.keep_ids = readers_of_ids(b);
    /* Names stay as the producers made them, so that each finds its own. A producer knows all bits that it set. */
    struct target_choice c = {version, '\0', APF_VALUE_KINDS, UINT64_MAX};
    return c;
}

/* The separator that a target asks for; needs no view. */
static char separator_of_target(const struct apf_merge *m, const struct apf_target *target)
{
    return target->kind != APF_TARGET_AUTO && merge_variant(m) & APF_VARIANT_IR
               ? target_choose(target).separator
               : '\0';
}

/* The hashes of front-end inputs that follow another scheme than readers of the version use. */
static uint64_t other_schemes(const struct apf_merge *m, uint32_t version)
{
    uint64_t n = 0;
    for (size_t i = 0; i < m->inputs.n; i++) {
        const struct merge_input *input = &m->inputs.data[i];
        const struct apf_input_result *r = &input->result;
        if (r->code != APF_OK || !r->producers || r->variant & APF_VARIANT_IR || !input->digests)
            continue;
        bool same = false;
        for (unsigned k = 0; k < release_count(); k++)
            same |=
                r->producers >> k & 1 && hash_scheme(release_row(k)->indexed_version) == hash_scheme(version);
        n += same ? 0 : r->n_inputs;
    }
    return n;
}

/* A compiler hashes functions as the version of a front-end profile asks, and llvm-cov numbers test vectors as the
 * version asks. For inputs of an older scheme, and for bitmaps of LLVM 18, the newest version that is right for them is
 * written: the release reads that too. */
static struct target_choice choose_release(const struct bounds *b, const struct apf_instr *view,
                                           const struct apf_target *target)
{
    struct target_choice c = target_choose(target);
    if (target->kind != APF_TARGET_RELEASE)
        return c;
    uint32_t own = release_row(b->newest)->indexed_version;
    if (b->front_end && !b->ir && b->digests && hash_scheme(own) < hash_scheme(c.version))
        c.version = indexed_version_holding(hash_scheme_highest(own), 0);
    c.version = version_of_bitmaps(view, c.version);
    return c;
}

/* The records whose bitmap readers of the version number in another way. */
static uint64_t misread_bitmaps(const struct apf_instr *view, uint32_t version)
{
    unsigned caps = indexed_version_find(version)->caps;
    uint32_t other = caps & INDEXED_CAP_BITMAP_DENSE ? APF_RECORD_SPARSE_BITMAP : APF_RECORD_DENSE_BITMAP;
    uint64_t n = 0;
    for (size_t i = 0; caps & INDEXED_CAP_BITMAP && i < view->records.n; i++)
        n += (view->records.data[i].flags & other) != 0;
    return n;
}

/* Chooses version and names for an automatic or explicit target; needs the view. */
static struct target_choice choose_target(struct apf_merge *m, const struct apf_instr *view,
                                          const struct apf_target *target)
{
    struct bounds b = bounds_of(m);
    m->stats.cannot_read = m->stats.keep_ids = 0;
    m->stats.version_guessed = target->kind == APF_TARGET_AUTO && !b.producers && m->inputs.n != 0;
    struct target_choice c =
        target->kind == APF_TARGET_AUTO ? choose_auto(m, &b, view) : choose_release(&b, view, target);
    m->stats.other_hash_scheme = other_schemes(m, c.version);
    m->stats.bitmap_numbering = misread_bitmaps(view, c.version);
    return c;
}

/* ---- writing ---- */

static uint64_t count_bits(uint64_t set)
{
    uint64_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

static int report_drop(const struct apf_merge *m, uint32_t severity, const char *text, uint64_t n,
                       struct apf_error *error)
{
    const struct apf_options *o = &m->common;
    struct apf_error detail;
    error_set_plain(&detail, APF_NOT_REPRESENTABLE, "output", "%s (%llu)", text, (unsigned long long)n);
    detail.found = n;
    struct apf_diag d = {severity, APF_NOT_REPRESENTABLE, UINT64_MAX, {NULL, 0}, {NULL, 0}, 0, &detail};
    return error_report_diag(o->diag, o->user, &d, error);
}

static int report_dropped(struct apf_merge *m, struct apf_error *error)
{
    const struct apf_merge_stats *s = &m->stats;
    const struct {
        uint64_t n;
        uint32_t severity;
        const char *text;
    } rows[] = {
        {s->dropped_values, APF_SEVERITY_WARNING, "value sites left out: the version cannot hold their kind"},
        {s->dropped_bitmaps, APF_SEVERITY_WARNING, "bitmaps left out: the version cannot hold them"},
        {s->dropped_traces, APF_SEVERITY_WARNING, "temporal traces left out: the version cannot hold them"},
        {s->dropped_records, APF_SEVERITY_WARNING, "records left out: the version holds one for each name"},
        {s->dropped_uniformity, APF_SEVERITY_WARNING,
         "uniformity bits left out: the version cannot hold them"},
        {count_bits(s->dropped_variants), APF_SEVERITY_WARNING,
         "flags of the profile left out: the target does not know them"},
        {s->dropped_memprof, APF_SEVERITY_WARNING,
         "memory profiles of functions left out: the version cannot hold them"},
        {s->dropped_callees, APF_SEVERITY_WARNING,
         "callees of call sites left out: only MemProf version 4 has them"},
        {s->dropped_data, APF_SEVERITY_WARNING,
         "data access profiles left out: the version cannot hold them"},
        {s->dropped_fields, APF_SEVERITY_NOTE, "fields of allocation contexts left out"},
        {s->dropped_ids, APF_SEVERITY_NOTE, "binary ids left out: the version cannot hold them"},
        {s->dropped_vtable_names, APF_SEVERITY_NOTE, "names of vtables left out"},
    };
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].n)
            code = report_drop(m, rows[i].severity, rows[i].text, rows[i].n, error);
    return code;
}

static void clear_dropped(struct apf_merge_stats *s)
{
    s->dropped_values = s->dropped_bitmaps = s->dropped_traces = s->dropped_ids = 0;
    s->dropped_vtable_names = s->dropped_uniformity = s->dropped_records = s->dropped_variants = 0;
    s->sparse_dropped = s->other_hash_scheme = s->bitmap_numbering = s->cannot_read = s->version_guessed = 0;
    s->keep_ids = 0;
    s->dropped_memprof = s->dropped_fields = s->dropped_callees = s->dropped_data = 0;
    s->variant = s->version = 0;
    s->memprof_version = APF_MEMPROF_NO_VERSION;
}

/* Adds what a writer left out to the statistics, which clear_dropped has cleared. */
static void add_losses(struct apf_merge_stats *s, const struct write_losses *losses)
{
    s->dropped_values += losses->values;
    s->dropped_bitmaps += losses->bitmaps;
    s->dropped_uniformity += losses->uniformity;
    s->dropped_records += losses->records;
    s->sparse_dropped += losses->sparse;
    s->dropped_traces += losses->traces;
    s->dropped_ids += losses->ids;
    s->dropped_vtable_names += losses->vtable_names;
    s->dropped_memprof += losses->memprof;
    s->dropped_variants |= losses->variants;
    s->variant |= losses->written;
    if (losses->memprof_data) /* includes what merge_choose_memprof counted */
        s->dropped_data = losses->memprof_data;
}

static int write_text(struct apf_merge *m, const struct apf_instr *view, const struct apf_write_options *o,
                      struct file_out *out, struct apf_error *error)
{
    struct text_write_result result = {0};
    struct text_write_options options = {0};
    options.sparse = (o->flags & APF_WRITE_SPARSE) != 0;
    options.vtable_names = (o->flags & APF_WRITE_VTABLE_NAMES) != 0;
    options.result = &result;
    int code = text_write(view, &options, out, error);
    struct write_losses losses = {.sparse = result.sparse_dropped, .records = result.unwritable};
    losses.ids = view->info.n_binary_ids;
    memprof_count_dropped(view->memprof, &losses);
    losses.variants = view->info.variant & APF_VARIANT_ENTRY_ONLY; /* text has no word for it */
    for (size_t i = 0; i < view->records.n; i++) {
        const struct record_extra *x = view->records.data[i].extra;
        losses.uniformity += x && x->n_uniformity;
    }
    losses.vtable_names = options.vtable_names ? 0 : view->info.n_vtable_names;
    losses.written = view->info.variant & ~(losses.variants | APF_VARIANT_MEMPROF);
    add_losses(&m->stats, &losses);
    return code;
}

static int write_indexed(struct apf_merge *m, const struct apf_instr *view, const struct apf_write_options *o,
                         struct file_out *out, struct apf_error *error)
{
    struct indexed_write_options options = {choose_target(m, view, &o->target),
                                            (o->flags & APF_WRITE_SPARSE) != 0,
                                            (o->flags & APF_WRITE_VTABLE_NAMES) != 0,
                                            {0, 0}};
    m->stats.version = options.choice.version;
    int code = merge_choose_memprof(m, view, o, options.choice.version, &options.memprof, error);
    if (code != APF_OK)
        return code;
    struct write_losses losses = {0};
    code = indexed_write(view, &options, out, &losses, merge_scratch(m), error);
    add_losses(&m->stats, &losses);
    return code;
}

/* One call of apf_merge_write. */
struct merge_writing {
    struct apf_merge *merge;
    const struct apf_write_options *options;
    struct apf_instr *view;
};

static int make_view(void *context, struct apf_error *error)
{
    struct merge_writing *w = (struct merge_writing *)context;
    clear_dropped(&w->merge->stats);
    return merge_finish(w->merge, separator_of_target(w->merge, &w->options->target), &w->view, error);
}

static int write_view(void *context, struct file_out *out, struct apf_error *error)
{
    const struct merge_writing *w = (const struct merge_writing *)context;
    int code = w->options->format == APF_FORMAT_TEXT
                   ? write_text(w->merge, w->view, w->options, out, error)
                   : write_indexed(w->merge, w->view, w->options, out, error);
    return code == APF_OK ? report_dropped(w->merge, error) : code;
}

#define ALL_FLAGS                                                                                            \
    (APF_WRITE_SPARSE | APF_WRITE_VTABLE_NAMES | APF_WRITE_MEMPROF_FULL | APF_WRITE_MEMPROF_VERSION)

static int check_write_options(const struct apf_write_options *o, struct apf_error *error)
{
    const struct apf_target *t = &o->target;
    int code = flags_check(o->flags, ALL_FLAGS, "apf_write_options.flags", error);
    if (code != APF_OK)
        return code;
    bool known = t->kind == APF_TARGET_AUTO ||
                 (t->kind == APF_TARGET_RELEASE && apf_release_name(t->release)) ||
                 t->kind == APF_TARGET_INDEXED;
    bool versioned = t->kind != APF_TARGET_AUTO && o->format != APF_FORMAT_TEXT;
    if (!known || (versioned && !indexed_version_find(t->version)))
        return error_plain(error, APF_ARGUMENT, "write.options.target", "no such target");
    if (o->format && o->format != APF_FORMAT_INDEXED && o->format != APF_FORMAT_TEXT)
        return error_plain(error, APF_ARGUMENT, "write.options.format", "neither indexed nor text");
    if (o->memprof_version && !(o->flags & APF_WRITE_MEMPROF_VERSION))
        return error_plain(error, APF_ARGUMENT, "write.options.memprof_version",
                           "it is %u, and counts only with APF_WRITE_MEMPROF_VERSION", o->memprof_version);
    return APF_OK;
}

int apf_merge_write(struct apf_merge *m, const struct apf_write_options *options,
                    const struct apf_output *output, struct apf_error *error)
{
    struct apf_write_options o;
    int code = OPTIONS_READ(apf_write_options, &o, options, error);
    if (code == APF_OK)
        code = check_write_options(&o, error);
    if (code == APF_OK)
        code = output_check(output, error);
    if (code != APF_OK)
        return code;
    struct merge_writing writing = {m, &o, NULL};
    const struct inputs_writer writer = {&writing, false, make_view, write_view};
    m->output_format = o.format == APF_FORMAT_TEXT ? APF_FORMAT_TEXT : APF_FORMAT_INDEXED;
    return inputs_write(&m->kept, &writer, output, error);
}
