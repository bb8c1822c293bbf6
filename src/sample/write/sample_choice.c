/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/write/sample_choice.h"

#include <stdio.h>

#include "base/error.h"

/* Features whose loss makes a profile useless to compilers, or another one. */
#define GRAVE (SAMPLE_HAS_INLINED | SAMPLE_HAS_CHECKSUMS | SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_HASHES)
/* Other features for which another form than the usual one is chosen. */
#define WEIGHTY (SAMPLE_HAS_VTABLES | SAMPLE_HAS_SYMBOLS | SAMPLE_HAS_FS | SAMPLE_HAS_PARTIAL)
/* Features that are removed from the profile if the release does not know them, since it would not read the file. */
#define REMOVABLE                                                                                            \
    (SAMPLE_HAS_VTABLES | SAMPLE_HAS_INNER_METADATA | SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_CONTEXTS)

/* The forms that LLVM reads. Of those that lose equally much, the release's usual one is chosen, or else the first:
 * compact binary is the older and surer way to pass hashes to LLVM 10 to 12, and of context-sensitive profiles each
 * release from 13 on reads text. */
static const enum sample_form forms_of_llvm[] = {
    SAMPLE_FORM_EXT,    SAMPLE_FORM_COMPACT,  SAMPLE_FORM_EXT_OLD,   SAMPLE_FORM_TEXT,
    SAMPLE_FORM_BINARY, SAMPLE_FORM_GCC_LLVM, SAMPLE_FORM_EXT_SPLIT, SAMPLE_FORM_EXT_NAMED,
};

struct chooser {
    const struct apf_sample *s;
    const struct apf_sample_write_options *o;
    const struct sample_release *release;
    uint32_t features;
    struct apf_error *error;
};

/* Whether a profile was one for GCC, also if it comes from JSON now, or all of those were that were merged. */
static bool is_of_gcc(const struct apf_sample *s)
{
    return (s->info.origin ? s->info.origin : s->info.format) == APF_SAMPLE_GCC;
}

static bool wants_gcc(const struct chooser *c)
{
    uint32_t kind = c->o->target.kind, format = c->o->format;
    return kind == APF_SAMPLE_FOR_GCC || (kind == APF_SAMPLE_FOR_AUTO && format == APF_SAMPLE_GCC) ||
           (kind == APF_SAMPLE_FOR_AUTO && !format && is_of_gcc(c->s));
}

static uint32_t to_remove(const struct chooser *c, enum sample_form form)
{
    const struct sample_form_row *row = sample_form_row(form);
    uint32_t without = c->features & row->holds & ~c->release->knows & REMOVABLE;
    if (row->format == APF_SAMPLE_GCC) /* whose writer adds up what it must */
        return 0;
    if (c->o->flags & APF_SAMPLE_WRITE_NO_VTABLES)
        without |= c->features & row->holds & SAMPLE_HAS_VTABLES;
    return without | (c->features & ~row->holds & (SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_FILES));
}

static bool target_reads(const struct chooser *c, enum sample_form form)
{
    return sample_release_reads(c->release, form, c->features & ~to_remove(c, form));
}

/* How bad the losses in a form are. */
static unsigned cost_of(const struct chooser *c, enum sample_form form)
{
    uint32_t lost = c->features & ~(sample_form_row(form)->holds & c->release->knows), weighty = WEIGHTY;
    if (c->release->metadata == SAMPLE_METADATA_INNER) /* LLVM 13 uses attributes with contexts only */
        weighty |= SAMPLE_HAS_ATTRIBUTES | SAMPLE_HAS_INNER_METADATA;
    return COUNT_BITS(lost & GRAVE) * (SAMPLE_N_FEATURES + 1) + COUNT_BITS(lost & weighty);
}

/* Whether a form has the format and layout that were asked for. */
static bool is_wanted(const struct chooser *c, enum sample_form form)
{
    const struct sample_form_row *row = sample_form_row(form);
    return (!c->o->format || row->format == c->o->format) &&
           (c->o->layout == APF_SAMPLE_LAYOUT_AUTO || row->layout == c->o->layout);
}

/* ---- errors ---- */

/* The names of the forms that a release reads. */
static void list_forms(const struct sample_release *release, char *text, size_t room)
{
    size_t n = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < SAMPLE_FORM_COUNT && n < room; i++)
        if (release->reads >> i & 1)
            n += (size_t)snprintf(text + n, room - n, "%s%s", n ? ", " : "",
                                  sample_form_row((enum sample_form)i)->name);
}

static const char *compiler_of(const struct chooser *c)
{
    return wants_gcc(c) ? "GCC" : "LLVM";
}

/* Whether the release reads some form that was asked for, though not with this profile. */
static bool reads_other_profiles(const struct chooser *c)
{
    for (unsigned i = 0; i < SAMPLE_FORM_COUNT; i++)
        if (c->release->reads >> i & 1 && is_wanted(c, (enum sample_form)i))
            return true;
    return false;
}

/* Writes which releases of a kind read a form, "LLVM 7 to 16", after what `text` has. */
static size_t list_readers(uint32_t kind, enum sample_form form, char *text, size_t room, size_t n)
{
    const struct sample_release *first = NULL, *last = NULL;
    for (unsigned i = 0; i < sample_release_count(kind); i++) {
        const struct sample_release *release = sample_release_row(kind, i);
        if (!(release->reads >> form & 1))
            continue;
        first = first ? first : release;
        last = release;
    }
    if (!first || n >= room)
        return n;
    const char *compiler = kind == APF_SAMPLE_FOR_GCC ? "GCC" : "LLVM", *and = n ? " and " : "";
    if (first == last)
        return n + (size_t)snprintf(text + n, room - n, "%s%s %s", and, compiler, first->name);
    return n + (size_t)snprintf(text + n, room - n, "%s%s %s to %s", and, compiler, first->name, last->name);
}

/* What was asked for and which releases read it: "compact binary, which LLVM 7 to 16 read". */
static void describe_wish(const struct chooser *c, char *text, size_t room)
{
    char readers[80] = "";
    enum sample_form form = sample_form_find(c->o->format, c->o->layout);
    if (form == SAMPLE_FORM_COUNT || (!c->o->format && !c->o->layout)) {
        snprintf(text, room, "the output that was asked for");
        return;
    }
    size_t n = list_readers(APF_SAMPLE_FOR_LLVM, form, readers, sizeof readers, 0);
    (void)list_readers(APF_SAMPLE_FOR_GCC, form, readers, sizeof readers, n);
    snprintf(text, room, "%s%s%s%s", sample_form_row(form)->name, *readers ? ", which " : "", readers,
             *readers ? " read" : "");
}

static int refuse_form(const struct chooser *c)
{
    char list[160], wish[160];
    if (reads_other_profiles(c))
        return error_plain(
            c->error, APF_SAMPLE_UNWRITABLE, "sample_write_options.layout",
            "the profile has checksums or attributes, which %s %s does not read in this layout",
            compiler_of(c), c->release->name);
    list_forms(c->release, list, sizeof list);
    describe_wish(c, wish, sizeof wish);
    int code = *list ? error_plain(c->error, APF_UNSUPPORTED, "sample_write_options.format",
                                   "%s %s does not read %s; of what is written it reads %s", compiler_of(c),
                                   c->release->name, wish, list)
                     : error_plain(c->error, APF_UNSUPPORTED, "sample_write_options.target",
                                   "%s %s reads no format of sample profiles that is written", compiler_of(c),
                                   c->release->name);
    return error_subject(c->error, code, APF_SUBJECT_OPTION);
}

/* Refuses a profile because of a feature, which `what` says in words. */
static int refuse_profile(const struct chooser *c, enum sample_form form, uint32_t feature, const char *what)
{
    static const char where[] = "sample_write_options.format";
    if (c->release->knows & feature)
        return error_plain(c->error, APF_SAMPLE_UNWRITABLE, where,
                           "the profile is %s, which %s has no word for", what, sample_form_row(form)->name);
    return error_plain(c->error, APF_SAMPLE_UNWRITABLE, where, "the profile is %s, which %s %s does not know",
                       what, compiler_of(c), c->release->name);
}

/* Refuses what would be another profile: line offsets that are ids of probes are none without checksums, by which alone
 * text says that they are; and contexts are added up only where no other format was possible. */
static int check_profile(const struct chooser *c, const struct sample_contents *contents,
                         enum sample_form form)
{
    uint32_t lost = c->features & ~(sample_form_row(form)->holds & c->release->knows);
    if (lost & SAMPLE_HAS_CHECKSUMS)
        return refuse_profile(c, form, SAMPLE_HAS_CHECKSUMS, "of pseudo probes");
    if (form == SAMPLE_FORM_TEXT && c->features & SAMPLE_HAS_CHECKSUMS && c->s->top.n &&
        !contents->top_checksums)
        return refuse_profile(c, form, SAMPLE_HAS_CHECKSUMS, "of pseudo probes without checksums");
    if (form == SAMPLE_FORM_TEXT && c->o->flags & APF_SAMPLE_WRITE_FLAT &&
        !(c->release->knows & SAMPLE_HAS_FLAT_MARKS))
        return error_subject(c->error,
                             error_plain(c->error, APF_UNSUPPORTED, "sample_write_options.flags",
                                         "%s %s does not read !Flat, the split layout of text",
                                         compiler_of(c), c->release->name),
                             APF_SUBJECT_OPTION);
    bool asked = c->o->format || c->o->layout;
    if (lost & SAMPLE_HAS_CONTEXTS && asked && sample_form_row(form)->format != APF_SAMPLE_GCC)
        return refuse_profile(c, form, SAMPLE_HAS_CONTEXTS, "context-sensitive");
    if (form == SAMPLE_FORM_EXT_NAMED && c->o->flags & APF_SAMPLE_WRITE_MD5)
        return error_plain(c->error, APF_SAMPLE_UNWRITABLE, "sample_write_options.flags",
                           "LLVM %s finds no function by the hash of a context; write names",
                           c->release->name);
    return APF_OK;
}

/* ---- choosing ---- */

/* The best form of those that the target reads; SAMPLE_FORM_COUNT: there is none. */
static enum sample_form choose_llvm(const struct chooser *c)
{
    enum sample_form best = SAMPLE_FORM_COUNT;
    unsigned least = 0;
    for (size_t i = 0; i < sizeof forms_of_llvm / sizeof *forms_of_llvm; i++) {
        enum sample_form form = forms_of_llvm[i];
        if (!is_wanted(c, form) || !target_reads(c, form))
            continue;
        unsigned cost = 2 * cost_of(c, form) + (form != c->release->usual);
        if (best == SAMPLE_FORM_COUNT || cost < least) {
            best = form;
            least = cost;
        }
    }
    return best;
}

/* choose_llvm for the last release that reads what was asked for, which becomes the chooser's. */
static enum sample_form choose_last(struct chooser *c)
{
    for (unsigned n = sample_release_count(APF_SAMPLE_FOR_LLVM); n > 0; n--) {
        struct chooser older = *c;
        older.release = sample_release_row(APF_SAMPLE_FOR_LLVM, n - 1);
        enum sample_form form = choose_llvm(&older);
        if (form != SAMPLE_FORM_COUNT) {
            *c = older;
            return form;
        }
    }
    return SAMPLE_FORM_COUNT;
}

/* The layout of the profile's origin, or of the newest input of a merge that is GCC's, or else that of the release,
 * unless another one is asked for. */
static enum sample_form choose_gcc(const struct chooser *c)
{
    if (c->o->layout != APF_SAMPLE_LAYOUT_AUTO || (c->o->format && c->o->format != APF_SAMPLE_GCC))
        return sample_form_find(c->o->format ? c->o->format : APF_SAMPLE_GCC, c->o->layout);
    if (c->o->target.kind == APF_SAMPLE_FOR_AUTO) {
        enum sample_form form = sample_form_of_gcc(c->s->info.version, c->s->info.layout);
        return form != SAMPLE_FORM_COUNT ? form : c->release->usual;
    }
    return c->release->usual;
}

/* A context-sensitive profile that should be in a layout of extbinary without contexts gets one with them. */
static enum sample_form keep_contexts(const struct chooser *c, enum sample_form form)
{
    bool lost = c->features & SAMPLE_HAS_CONTEXTS && !(sample_form_row(form)->holds & SAMPLE_HAS_CONTEXTS) &&
                sample_form_row(form)->format == APF_SAMPLE_EXTBINARY;
    if (!lost)
        return form;
    return target_reads(c, SAMPLE_FORM_EXT)         ? SAMPLE_FORM_EXT
           : target_reads(c, SAMPLE_FORM_EXT_NAMED) ? SAMPLE_FORM_EXT_NAMED
                                                    : form;
}

int sample_choose(const struct apf_sample *s, const struct sample_contents *contents,
                  const struct apf_sample_write_options *o, struct sample_choice *choice,
                  struct apf_error *error)
{
    struct chooser c = {s, o, sample_target_row(&o->target), contents->features, error};
    bool gcc = wants_gcc(&c), any = o->target.kind == APF_SAMPLE_FOR_AUTO;
    if (gcc && any) {
        unsigned n = sample_release_count(APF_SAMPLE_FOR_GCC);
        c.release = sample_release_row(APF_SAMPLE_FOR_GCC, n - 1);
    }
    if (o->flags & APF_SAMPLE_WRITE_MD5 && contents->n_inlined)
        c.features |= SAMPLE_HAS_INNER_HASHES;
    enum sample_form form = gcc ? choose_gcc(&c) : choose_llvm(&c);
    if (form == SAMPLE_FORM_COUNT && any && !gcc)
        form = choose_last(&c);
    /* Any layout of GCC may be asked for where no release is named. */
    if (form == SAMPLE_FORM_COUNT || (!(gcc && any) && !target_reads(&c, form)))
        return refuse_form(&c);
    choice->form = keep_contexts(&c, form);
    choice->not_split = choice->form != form && form == SAMPLE_FORM_EXT_SPLIT;
    choice->release = c.release;
    choice->without = to_remove(&c, choice->form);
    return check_profile(&c, contents, choice->form);
}
