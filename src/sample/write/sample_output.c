/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/write/sample_output.h"

#include <stdio.h>

#include "base/error.h"
#include "base/finding_table.h"
#include "base/options.h"
#include "sample/binary/sample_binary_write.h"
#include "sample/gcc/sample_gcc_write.h"
#include "sample/model/sample_info_words.h"
#include "sample/text/sample_text_write.h"
#include "sample/write/sample_choice.h"
#include "sample/write/sample_losses.h"
#include "sample/write/sample_reduce.h"

#define ALL_FLAGS                                                                                            \
    (APF_SAMPLE_WRITE_MD5 | APF_SAMPLE_WRITE_COMPRESS | APF_SAMPLE_WRITE_PARTIAL |                           \
     APF_SAMPLE_WRITE_NO_VTABLES | APF_SAMPLE_WRITE_NO_SYMBOLS | APF_SAMPLE_WRITE_FLAT |                     \
     APF_SAMPLE_WRITE_VTABLES)

/* A profile that is being written. */
struct writing {
    const struct apf_sample *s; /* the caller's, or a copy without what the output cannot have */
    const struct apf_sample_write_options *o;
    struct sample_contents contents; /* of the caller's profile */
    struct sample_choice choice;
    struct apf_sample_write_result *result;
    struct apf_error *error;
};

/* ---- what the output has ---- */

/* The features that are written. */
static uint32_t kept_features(const struct writing *w)
{
    const struct sample_form_row *form = sample_form_row(w->choice.form);
    uint32_t kept = w->contents.features & form->holds & ~w->choice.without;
    if (w->o->flags & APF_SAMPLE_WRITE_NO_SYMBOLS)
        kept &= ~SAMPLE_HAS_SYMBOLS;
    if (form->format == APF_SAMPLE_TEXT && w->o->flags & APF_SAMPLE_WRITE_FLAT)
        kept |= SAMPLE_HAS_FLAT_MARKS;
    if (form->metadata != SAMPLE_METADATA_NONE && kept & SAMPLE_HAS_CONTEXTS)
        kept &= ~SAMPLE_HAS_INNER_METADATA; /* such files have that of contexts only */
    return kept;
}

static uint64_t lost_unless(uint32_t kept, uint32_t feature, uint64_t n)
{
    return kept & feature ? 0 : n;
}

/* Checksums are written of profiles with probes only. */
static uint64_t lost_checksums(const struct sample_contents *c, uint32_t kept)
{
    bool inner = kept & SAMPLE_HAS_CHECKSUMS && kept & SAMPLE_HAS_INNER_METADATA;
    return lost_unless(kept, SAMPLE_HAS_CHECKSUMS, c->top_checksums) + (inner ? 0 : c->inner_checksums);
}

/* Counts what the form has no place for. */
static void count_losses(struct writing *w, uint32_t kept)
{
    struct apf_sample_write_result *r = w->result;
    const struct sample_contents *c = &w->contents;
    uint32_t asked = w->o->flags, lost = c->features & ~kept;
    r->lost_contexts += lost_unless(kept, SAMPLE_HAS_CONTEXTS, c->n_contexts);
    r->lost_checksums = lost_checksums(c, kept);
    r->lost_attributes = lost_unless(kept, SAMPLE_HAS_ATTRIBUTES, c->top_attributes) +
                         lost_unless(kept, SAMPLE_HAS_INNER_METADATA, c->inner_attributes);
    r->lost_times = lost_unless(kept, SAMPLE_HAS_TIMES, c->n_times);
    r->lost_files = lost_unless(kept, SAMPLE_HAS_FILES, c->n_files);
    r->decimal_names = lost_unless(kept, SAMPLE_HAS_HASHES, c->n_hashes);
    if (!(asked & APF_SAMPLE_WRITE_NO_VTABLES))
        r->lost_vtables += lost_unless(kept, SAMPLE_HAS_VTABLES, c->n_vtables);
    if (!(asked & APF_SAMPLE_WRITE_NO_SYMBOLS))
        r->lost_symbols = lost_unless(kept, SAMPLE_HAS_SYMBOLS, c->n_symbols);
    if (asked & APF_SAMPLE_WRITE_PARTIAL && !(sample_form_row(w->choice.form)->holds & SAMPLE_HAS_PARTIAL))
        lost |= SAMPLE_HAS_PARTIAL;
    r->lost_flags =
        (lost & SAMPLE_HAS_FS ? APF_SAMPLE_FS : 0) | (lost & SAMPLE_HAS_PARTIAL ? APF_SAMPLE_PARTIAL : 0);
    r->not_split = w->choice.not_split;
}

/* The properties of the output. */
static uint32_t flags_of(const struct writing *w, uint32_t kept, bool md5)
{
    static const struct {
        uint32_t feature, flag;
    } rows[] = {
        {SAMPLE_HAS_CHECKSUMS, APF_SAMPLE_PROBES},
        {SAMPLE_HAS_CONTEXTS, APF_SAMPLE_CONTEXTS},
        {SAMPLE_HAS_FS, APF_SAMPLE_FS},
        {SAMPLE_HAS_PARTIAL, APF_SAMPLE_PARTIAL},
        {SAMPLE_HAS_VTABLES, APF_SAMPLE_VTABLES},
        {SAMPLE_HAS_TIMES, APF_SAMPLE_TIMES},
    };
    bool attributes = kept & (SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_INNER_METADATA);
    uint32_t flags = w->s->info.flags & APF_SAMPLE_UNIQUE, holds = sample_form_row(w->choice.form)->holds;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        flags |= kept & rows[i].feature ? rows[i].flag : 0;
    if (attributes)
        flags |= w->s->info.flags & (APF_SAMPLE_ATTRIBUTES | APF_SAMPLE_PREINLINED);
    if (w->o->flags & APF_SAMPLE_WRITE_PARTIAL && holds & SAMPLE_HAS_PARTIAL)
        flags |= APF_SAMPLE_PARTIAL;
    return flags | (md5 ? APF_SAMPLE_MD5 : 0);
}

static void fill_result(struct writing *w, bool md5)
{
    struct apf_sample_write_result *r = w->result;
    const struct sample_form_row *form = sample_form_row(w->choice.form);
    uint32_t kept = kept_features(w);
    count_losses(w, kept);
    r->format = form->format;
    r->version = form->version;
    r->layout = form->layout;
    r->flags = flags_of(w, kept, md5);
    r->llvm_readers = r->numbered ? 0 : sample_readers(APF_SAMPLE_FOR_LLVM, w->choice.form, kept);
    r->gcc_readers = sample_readers(APF_SAMPLE_FOR_GCC, w->choice.form, kept);
    if (md5 && !(w->choice.release->knows & SAMPLE_HAS_INNER_HASHES))
        r->unmatched_hashes = w->contents.n_inlined;
}

static void lose_flags(struct apf_sample_write_result *r, uint32_t flags)
{
    r->lost_flags |= flags;
    r->flags &= ~flags;
}

/* ---- writing ---- */

static int write_text(struct writing *w, struct file_out *out)
{
    struct sample_text_losses losses = {0};
    const struct sample_release *release = w->choice.release;
    const struct sample_text_write_options options = {
        .flat = (w->o->flags & APF_SAMPLE_WRITE_FLAT) != 0,
        .losses = &losses,
        .top_metadata = !(release->knows & SAMPLE_HAS_INNER_METADATA),
        .names_descend = release->names_descend,
    };
    int code = sample_text_write(w->s, &options, out, w->error);
    struct apf_sample_write_result *r = w->result;
    r->lost_functions = losses.functions;
    r->lost_inlined = losses.inlined;
    r->lost_targets = losses.targets;
    r->lost_vtables = losses.vtables;
    r->numbered = losses.numbered;
    r->numbers_as_hashes = losses.decimals;
    fill_result(w, false);
    /* Readers know such a profile by a checksum, or a context, that the text does not have. */
    lose_flags(r, losses.flags & (APF_SAMPLE_PROBES | APF_SAMPLE_CONTEXTS));
    return code;
}

/* How names and lines are written: as they are, or as the release of GCC needs them that was asked for. */
static struct sample_gcc_options gcc_options(const struct writing *w)
{
    struct sample_gcc_options options = {0};
    if (w->o->target.kind == APF_SAMPLE_FOR_GCC)
        options = sample_gcc_options_for(w->choice.release);
    options.layout = gcc_layout_named(sample_form_row(w->choice.form)->variant);
    return options;
}

static int write_gcc(struct writing *w, struct file_out *out)
{
    struct sample_gcc_losses losses = {0};
    struct sample_gcc_options options = gcc_options(w);
    int code = sample_gcc_write(w->s, &options, out, &losses, w->error);
    struct apf_sample_write_result *r = w->result;
    r->lost_functions = losses.functions;
    r->lost_inlined = losses.inlined;
    r->lost_targets = losses.targets;
    r->lost_lines = losses.lines;
    r->lost_discriminators = losses.discriminators;
    r->misread_targets = losses.misread;
    r->lost_totals = losses.totals;
    r->changed_names = losses.suffixes;
    fill_result(w, false);
    r->decimal_names = 0; /* names known by their hash only are left out */
    return code;
}

static int write_binary(struct writing *w, struct file_out *out)
{
    struct sample_binary_losses losses;
    uint32_t flags = w->o->flags;
    const struct sample_binary_options options = {
        .form = w->choice.form,
        .names_descend = w->choice.release->names_descend,
        .compress = (flags & APF_SAMPLE_WRITE_COMPRESS) != 0,
        .md5 = (flags & APF_SAMPLE_WRITE_MD5) != 0,
        .partial = (flags & APF_SAMPLE_WRITE_PARTIAL) != 0,
        .vtables = (w->contents.features & SAMPLE_HAS_VTABLES) != 0,
        .no_vtables = (w->choice.without & SAMPLE_HAS_VTABLES) != 0,
        .no_symbols = (flags & APF_SAMPLE_WRITE_NO_SYMBOLS) != 0,
    };
    int code = sample_binary_write(w->s, &options, out, &losses, w->error);
    bool hashes = sample_form_row(options.form)->holds & SAMPLE_HAS_HASHES;
    w->result->lost_functions = losses.functions;
    w->result->lost_lines = losses.lines;
    w->result->lost_vtables = losses.vtables;
    w->result->numbers_as_hashes = losses.decimal_names;
    w->result->hashed_names = losses.hashed_names;
    fill_result(w, hashes && (losses.hashed_names || w->contents.n_hashes));
    /* Readers skip sections of no bytes, and with that of metadata the flag of probes. */
    if (w->s->top.n == losses.functions)
        lose_flags(w->result, w->result->flags & APF_SAMPLE_PROBES);
    return code;
}

/* Regards the profile as one with types of objects if their place is asked for and the release knows it. */
static void make_place_for_vtables(struct writing *w)
{
    const struct sample_form_row *form = sample_form_row(w->choice.form);
    uint32_t asked = w->o->flags & (APF_SAMPLE_WRITE_VTABLES | APF_SAMPLE_WRITE_NO_VTABLES);
    if (asked == APF_SAMPLE_WRITE_VTABLES && form->format == APF_SAMPLE_EXTBINARY &&
        form->holds & w->choice.release->knows & SAMPLE_HAS_VTABLES)
        w->contents.features |= SAMPLE_HAS_VTABLES;
}

/* Removes what the form cannot have. The binary writer needs no copy to leave out types of objects. */
static int prepare_profile(struct writing *w, struct apf_sample **copy)
{
    uint32_t without = w->choice.without, format = sample_form_row(w->choice.form)->format;
    if (format != APF_SAMPLE_TEXT)
        without &= ~SAMPLE_HAS_VTABLES;
    if (!without)
        return APF_OK;
    int code = sample_reduce(w->s, without, copy, &w->result->lost_variants, w->error);
    w->s = *copy;
    return code;
}

int sample_write(const struct apf_sample *s, const struct apf_sample_write_options *o, struct file_out *out,
                 struct apf_sample_write_result *result, struct apf_error *error)
{
    static const struct apf_sample_write_result nothing;
    struct writing w = {.s = s, .o = o, .result = result, .error = error};
    struct apf_sample *copy = NULL;
    *result = nothing;
    result->size = sizeof *result;
    int code = pulse_step(out->pulse, sample_contents_count(s, &w.contents, error), error);
    if (code == APF_OK)
        code = sample_choose(s, &w.contents, o, &w.choice, error);
    if (code == APF_OK) {
        make_place_for_vtables(&w);
        code = pulse_step(out->pulse, prepare_profile(&w, &copy), error);
    }
    if (code == APF_OK) {
        uint32_t format = sample_form_row(w.choice.form)->format;
        code = format == APF_SAMPLE_TEXT  ? write_text(&w, out)
               : format == APF_SAMPLE_GCC ? write_gcc(&w, out)
                                          : write_binary(&w, out);
    }
    sample_free(copy);
    if (code == APF_OK && s->top.n && result->lost_functions >= s->top.n)
        code = error_plain(error, APF_NOT_REPRESENTABLE, "sample.write.functions",
                           "no function is left of %zu: %s", s->top.n,
                           w.contents.n_hashes ? "their names are known by hash only"
                                               : "their names cannot be written");
    bool refused = code == APF_SAMPLE_UNWRITABLE || code == APF_NOT_REPRESENTABLE;
    return refused ? error_subject(error, code, APF_SUBJECT_OUTPUT) : code;
}

/* ---- reports ---- */

static const struct apf_finding loss_rows[] = {
#define LOSS_ROW(field, id, level, key, text)                                                                \
    [APF_SAMPLE_LOSS_##id] = {APF_SEVERITY_##level, APF_NOT_REPRESENTABLE, 0, "sample.write." #field, text},
    SAMPLE_LOSSES(LOSS_ROW)
        LOSS_ROW(lost_flags, FLAGS, WARNING, "flags", "properties of the whole profile left out")
#undef LOSS_ROW
};
#define N_LOSSES (sizeof loss_rows / sizeof *loss_rows)

/* Reports the flags that are lost, by their words. */
static int report_flags(uint32_t flags, const struct apf_options *common, struct apf_error *error)
{
    const struct apf_finding *row = &loss_rows[APF_SAMPLE_LOSS_FLAGS];
    char words[160] = "";
    size_t n = 0;
    struct apf_error detail;
    if (!flags || !common->diag)
        return APF_OK;
    for (const struct sample_bit_word *b = sample_flag_words; b->word; b++)
        if (flags & b->bit)
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", n ? ", " : "", b->word);
    error_set_plain(&detail, row->code, row->where, "%s: %s", row->text, words);
    detail.found = COUNT_BITS(flags);
    const struct apf_diag d = {row->severity, row->code, UINT64_MAX, {NULL, 0}, {NULL, 0}, 0, &detail};
    return error_report_diag(common->diag, common->user, &d, error);
}

int sample_write_report(const struct apf_sample_write_result *result, const struct apf_options *common,
                        struct apf_error *error)
{
    const struct finding_table table = {loss_rows, N_LOSSES};
    const struct apf_str nothing = {NULL, 0};
    const uint64_t counts[N_LOSSES] = {
#define LOSS_COUNT(field, id, level, key, text) [APF_SAMPLE_LOSS_##id] = result->field,
        SAMPLE_LOSSES(LOSS_COUNT)
#undef LOSS_COUNT
    };
    int code = finding_table_report(&table, counts, UINT64_MAX, nothing, common->diag, common->user, error);
    return code == APF_OK ? report_flags(result->lost_flags, common, error) : code;
}

enum apf_sample_loss apf_sample_loss(const struct apf_error *error)
{
    unsigned loss = N_LOSSES - 1;
    while (loss != APF_SAMPLE_LOSS_NONE && loss_rows[loss].where != error->where)
        loss--;
    return (enum apf_sample_loss)loss;
}

/* ---- the public function ---- */

int sample_write_options_read(struct apf_sample_write_options *to, struct apf_options *common,
                              const struct apf_sample_write_options *from, struct apf_error *error)
{
    int code = OPTIONS_READ_BOTH(apf_sample_write_options, to, from, common, error);
    if (code == APF_OK)
        code = flags_check(to->flags, ALL_FLAGS, "apf_sample_write_options.flags", error);
    if (code != APF_OK)
        return code;
    if (to->reserved)
        code = error_plain(error, APF_ARGUMENT, "sample_write_options.reserved", "it is not 0");
    else if (!sample_target_known(&to->target))
        code = error_plain(error, APF_ARGUMENT, "sample_write_options.target", "no such target");
    else if (to->format && sample_form_find(to->format, APF_SAMPLE_LAYOUT_AUTO) == SAMPLE_FORM_COUNT)
        code = error_plain(error, APF_ARGUMENT, "sample_write_options.format", "no format that is written");
    else if (!sample_layout_fits(to->format, to->layout))
        code = error_plain(error, APF_ARGUMENT, "sample_write_options.layout", "no layout of the format");
    return error_subject(error, code, APF_SUBJECT_OPTION);
}

int apf_sample_write(const struct apf_sample *sample, const struct apf_sample_write_options *options,
                     const struct apf_output *output, struct apf_sample_write_result *result,
                     struct apf_error *error)
{
    struct apf_sample_write_options o;
    struct apf_options common;
    struct apf_sample_write_result written;
    struct file_out *out;
    int code = sample_write_options_read(&o, &common, options, error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_sample_write_result, result, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    code = sample_write(sample, &o, out, &written, error);
    if (code == APF_OK)
        code = sample_write_report(&written, &common, error);
    code = file_out_finish(out, code, error);
    if (code == APF_OK && result)
        result_fill(result, sizeof written, &written);
    return code;
}
