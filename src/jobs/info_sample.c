/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts of sample profiles. */
#include "base/error.h"
#include "base/options.h"
#include "inputs/partial_rosters.h"
#include "jobs/info.h"
#include "sample/binary/sample_ext.h"
#include "sample/binary/sample_map.h"
#include "sample/gcc/gcc_map.h"
#include "sample/layout/sample_layout.h"
#include "sample/merge/sample_merge.h"
#include "sample/open/sample_partial_open.h"
#include "sample/partial/sample_partial_profiles.h"
#include "sample/partial/sample_partial_results.h"
#include "sample/read/sample_formats.h"
#include "sample/text/sample_text_names.h"
#include "sample/write/sample_contents.h"

/* The properties of a profile as words: "probes, context-sensitive". False: allocation failed. */
static bool add_properties(struct info_reader *r, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } rows[] = {{APF_SAMPLE_PROBES, "probes"},         {APF_SAMPLE_CONTEXTS, "context-sensitive"},
                {APF_SAMPLE_PREINLINED, "preinlined"}, {APF_SAMPLE_FS, "flow-sensitive discriminators"},
                {APF_SAMPLE_MD5, "names as hashes"},   {APF_SAMPLE_UNIQUE, "unique names of local functions"},
                {APF_SAMPLE_PARTIAL, "partial"},       {APF_SAMPLE_VTABLES, "vtables"},
                {APF_SAMPLE_ATTRIBUTES, "attributes"}, {APF_SAMPLE_TIMES, "times of first execution"}};
    VEC(char) text = {NULL, 0, 0};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++) {
        struct apf_str parts[2] = {{", ", text.n ? 2 : 0}, {rows[i].word, strlen(rows[i].word)}};
        for (size_t k = 0; ok && flags & rows[i].flag && k < 2; k++) {
            ok = VEC_RESERVE(&text, parts[k].n);
            if (ok && parts[k].n)
                memcpy(text.data + text.n, parts[k].p, parts[k].n);
            text.n += ok ? parts[k].n : 0;
        }
    }
    struct apf_str word = {ok && text.n ? arena_text(r->arena, text.data, text.n) : NULL, text.n};
    if (ok && text.n)
        ok = word.p && info_add_word(r, "properties", word);
    VEC_FREE(&text);
    return ok;
}

static bool add_numbers(struct info_reader *r, const struct apf_sample *s)
{
    const struct apf_sample_info *info = &s->info;
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {{"inlined_functions", info->n_inlined},
                {"inline_depth", info->max_depth},
                {"context_frames", info->max_context > 1 ? info->max_context : 0},
                {"lines", info->n_lines},
                {"call_targets", info->n_targets},
                {"vtable_counts", info->n_vtables},
                {"names", info->n_names},
                {"hashes", info->n_hashes},
                {"listed_functions", info->n_symbols}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof rows / sizeof *rows; i++)
        ok = info_add_if_any(r, rows[i].name, rows[i].n);
    return ok;
}

/* ---- releases ---- */

/* The bit of a release of LLVM in a set of apf_release_name. */
static uint64_t release_bit(const char *release)
{
    const char *name;
    for (uint32_t i = 0; i < 64 && (name = apf_release_name(i)) != NULL; i++)
        if (strcmp(name, release) == 0)
            return (uint64_t)1 << i;
    return 0;
}

/* A set of releases of LLVM that sample_readers has made as one of apf_release_name. */
static uint64_t release_set(uint64_t readers)
{
    uint64_t set = 0;
    for (unsigned i = 0; i < sample_release_count(APF_SAMPLE_FOR_LLVM); i++)
        set |= readers >> i & 1 ? release_bit(sample_release_row(APF_SAMPLE_FOR_LLVM, i)->name) : 0;
    return set;
}

/* Releases of LLVM; first == NULL: not known; last == NULL: and all later ones. */
struct range {
    const char *first, *last;
};

static uint64_t range_set(const struct range *range)
{
    uint64_t set = 0;
    bool in = false, past = !range->first;
    for (unsigned i = 0; i < sample_release_count(APF_SAMPLE_FOR_LLVM) && !past; i++) {
        const char *name = sample_release_row(APF_SAMPLE_FOR_LLVM, i)->name;
        in = in || strcmp(name, range->first) == 0;
        set |= in ? release_bit(name) : 0;
        past = range->last && strcmp(name, range->last) == 0;
    }
    return set;
}

/* Words that are put together; all zero = empty. */
struct words {
    VEC(char) text;
    bool failed; /* allocation failed */
};

static void append_text(struct words *w, const char *text)
{
    size_t n = strlen(text);
    if (w->failed || !VEC_RESERVE(&w->text, n)) {
        w->failed = true;
        return;
    }
    if (n)
        memcpy(w->text.data + w->text.n, text, n);
    w->text.n += n;
}

/* Appends "LLVM 3.8", "LLVM 7 to 16" or "LLVM 14 or later". */
static void append_range(struct words *w, const struct range *range)
{
    append_text(w, "LLVM ");
    append_text(w, range->first);
    if (!range->last) {
        append_text(w, " or later");
    } else if (strcmp(range->first, range->last) != 0) {
        append_text(w, " to ");
        append_text(w, range->last);
    }
}

/* Adds words to the facts, which become empty. False: allocation failed. */
static bool add_words(struct info_reader *r, const char *name, struct words *w)
{
    struct apf_str text = {w->failed ? NULL : arena_text(r->arena, w->text.data, w->text.n), w->text.n};
    w->text.n = 0;
    return text.p && info_add_word(r, name, text);
}

/* Appends a set of releases of a kind, such as "LLVM 14 to 23". */
static void append_releases(struct words *w, enum apf_sample_target_kind kind, const char *name, uint64_t set)
{
    unsigned n = sample_release_count(kind), run = 0;
    bool first = true;
    for (unsigned i = 0; i <= n; i++) {
        if (i < n && set >> i & 1) {
            run++;
            continue;
        }
        if (!run)
            continue;
        append_text(w, !first ? ", " : w->text.n ? ", " : "");
        append_text(w, first ? name : "");
        append_text(w, sample_release_row(kind, i - run)->name);
        append_text(w, run > 1 ? " to " : "");
        append_text(w, run > 1 ? sample_release_row(kind, i - 1)->name : "");
        first = false;
        run = 0;
    }
}

/* What is known of the releases that write and read a file. */
struct origin {
    enum sample_form form;
    struct range writers, readers; /* readers: not known: the table of releases says it */
    const char *unread;            /* NULL, or the words for a file that no release reads */
    uint32_t features;             /* SAMPLE_HAS_* of the file, beside those of its contents */
};

/* Extbinary of LLVM 14 and later has an entry for a section of contexts, empty or not. */
static struct origin ext_origin(const struct info_reader *r)
{
    struct origin o = {.form = SAMPLE_FORM_EXT_OLD, .writers = {"9", "13"}};
    struct sample_sections sections = {0};
    if (sample_sections_read(&sections, r->bytes.data, r->bytes.n, r->bytes.n, NULL) != APF_OK)
        return o;
    bool flat = false, contexts = false;
    for (size_t i = 0; i < sections.list.n; i++) {
        flat |= (sections.list.data[i].flags & SAMPLE_FLAG_FLAT) != 0;
        contexts |= sections.list.data[i].type == SAMPLE_SECTION_CONTEXTS;
    }
    if (contexts || flat) {
        o.form = flat ? SAMPLE_FORM_EXT_SPLIT : SAMPLE_FORM_EXT;
        o.writers = (struct range){flat ? "11" : "14", NULL};
    }
    if (sample_ext_context_form(&sections) == SAMPLE_CONTEXT_NAMES)
        o.form = SAMPLE_FORM_EXT_NAMED;
    sample_sections_free(&sections);
    return o;
}

/* Whether a text has inlined functions that no LLVM tells from the counts of lines. */
static bool is_numbered(const struct apf_sample *s)
{
    bool found = false;
    for (size_t i = 0; i < s->nodes.n && !found; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        found = f->caller != SAMPLE_NONE && sample_text_is_numbered(sample_names_text(&s->names, f->name));
    }
    return found;
}

static struct origin origin_of(const struct apf_sample *s, const struct info_reader *r)
{
    struct origin o = {.form = SAMPLE_FORM_TEXT};
    switch (s->info.format) {
    case APF_SAMPLE_BINARY:
        o.form = SAMPLE_FORM_BINARY;
        o.writers = s->info.version == 100   ? (struct range){"3.5", "3.7"}
                    : s->info.version == 102 ? (struct range){"3.8", "3.8"}
                                             : (struct range){"3.9", NULL};
        if (s->info.version != SAMPLE_VERSION)
            o.readers = o.writers;
        return o;
    case APF_SAMPLE_COMPACT:
        o.form = SAMPLE_FORM_COMPACT;
        o.writers = (struct range){"7", "16"};
        return o;
    case APF_SAMPLE_EXTBINARY:
        return ext_origin(r);
    case APF_SAMPLE_GCC:
        o.form = sample_form_of_gcc(s->info.version, s->info.layout);
        if (s->findings[SAMPLE_FINDING_MISLABELLED])
            o.unread = "none: the version is that of another layout";
        else if (o.form == SAMPLE_FORM_GCC_LLVM && s->info.big_endian)
            o.unread = "none: LLVM reads only little-endian files of this version";
        return o;
    case APF_SAMPLE_JSON:
        o.unread = "anyprof";
        return o;
    default:
        o.features = s->findings[SAMPLE_FINDING_FLAT_MARKERS] ? SAMPLE_HAS_FLAT_MARKS : 0;
        if (is_numbered(s))
            o.unread = "none: inlined functions have numbers as names";
        return o;
    }
}

static bool add_releases(struct info_reader *r, const struct apf_sample *s)
{
    struct sample_contents contents;
    struct origin o = origin_of(s, r);
    struct words w = {{NULL, 0, 0}, false};
    bool ok = sample_contents_count(s, &contents, NULL) == APF_OK;
    if (ok && o.writers.first) {
        append_range(&w, &o.writers);
        ok = add_words(r, "written_by", &w);
        r->facts->producers = range_set(&o.writers);
    }
    if (ok && s->info.format >= APF_SAMPLE_BINARY && s->info.format <= APF_SAMPLE_EXTBINARY) {
        const char *name = sample_form_row(o.form)->name;
        struct apf_str form = {name, strlen(name)};
        ok = info_add_word(r, "form", form);
    }
    if (r->file->compression) {
        append_text(&w, "none: LLVM and GCC read no compressed files");
    } else if (o.unread) {
        append_text(&w, o.unread);
    } else if (o.readers.first) {
        append_range(&w, &o.readers);
        r->facts->readers = range_set(&o.readers);
    } else if (ok) {
        uint32_t features = contents.features | o.features;
        uint64_t readers = sample_readers(APF_SAMPLE_FOR_LLVM, o.form, features);
        append_releases(&w, APF_SAMPLE_FOR_LLVM, "LLVM ", readers);
        append_releases(&w, APF_SAMPLE_FOR_GCC, "GCC ", sample_readers(APF_SAMPLE_FOR_GCC, o.form, features));
        append_text(&w, w.text.n ? "" : "none");
        r->facts->readers = release_set(readers);
    }
    ok = ok && add_words(r, "read_by", &w);
    VEC_FREE(&w.text);
    return ok;
}

/* ---- parts ---- */

static bool add_parts(struct info_reader *r, const struct apf_sample *s)
{
    struct byte_map map = {{NULL, 0, 0}};
    const uint8_t *data = r->bytes.data;
    size_t n = r->bytes.n;
    bool ok = s->info.format == APF_SAMPLE_BINARY      ? sample_binary_map(&map, data, n)
              : s->info.format == APF_SAMPLE_COMPACT   ? sample_compact_map(&map, data, n)
              : s->info.format == APF_SAMPLE_EXTBINARY ? sample_ext_map(&map, data, n)
              : s->info.format == APF_SAMPLE_GCC       ? sample_gcc_map(&map, data, n, s->info.layout)
                                                       : true;
    for (size_t i = 0; ok && i < map.list.n; i++)
        ok = info_add_part(r, map.list.data[i].name, map.list.data[i].at, map.list.data[i].size, 0);
    byte_map_free(&map);
    return ok;
}

/* ---- facts ---- */

/* What the first bytes of a damaged file say. */
static void add_head(struct apf_file_facts *f, const struct apf_sample *s,
                     const struct sample_progress *progress)
{
    f->version = s->info.version;
    f->big_endian = s->info.big_endian;
    f->n_functions = progress->known;
}

/* Fills in the facts of a profile that was read. */
static int add_facts(struct info_reader *r, const struct apf_sample *s, struct apf_error *error)
{
    struct apf_file_facts *f = r->facts;
    struct apf_str layout = {s->info.layout, strlen(s->info.layout)};
    f->version = s->info.version;
    f->big_endian = s->info.big_endian;
    f->n_profiles = 1;
    f->n_functions = s->info.n_functions;
    f->findings = finding_table_list(&sample_finding_table, s->findings, r->arena, &f->n_findings);
    bool ok = f->findings && (layout.n == 0 || info_add_word(r, "layout", layout)) &&
              add_properties(r, s->info.flags) && add_numbers(r, s) && add_releases(r, s) && add_parts(r, s);
    return ok ? APF_OK : error_memory(error);
}

int info_read_sample(struct info_reader *r, struct apf_error *error)
{
    struct sample_read_options options;
    struct apf_options common;
    struct apf_sample_read_options wanted = {.size = sizeof wanted, .options = r->options};
    int code = sample_read_options_resolve(&options, &wanted, &common, error);
    struct apf_sample *s = code == APF_OK ? sample_new() : NULL;
    if (code == APF_OK && !s)
        code = error_memory(error);
    if (code == APF_OK) {
        struct sample_progress progress = {0};
        options.progress = &progress;
        code = sample_read_any(s, r->bytes.data, r->bytes.n, &options, error);
        if (code != APF_OK && code != APF_NO_MEMORY)
            add_head(r->facts, s, &progress);
        else if (code == APF_OK)
            code = add_facts(r, s, error);
    }
    sample_free(s);
    return code;
}

/* ---- partial profiles ---- */

static const char *section_name(uint8_t section)
{
    static const char *const names[] = {[PARTIAL_SAMPLE_WHOLE] = "whole",
                                        [PARTIAL_ROSTERS] = "rosters",
                                        [PARTIAL_INPUTS] = "inputs",
                                        [PARTIAL_SAMPLE_FILES] = "source files",
                                        [PARTIAL_SAMPLE_NAMES] = "names",
                                        [PARTIAL_SAMPLE_CLASSES] = "classes",
                                        [PARTIAL_SAMPLE_CONTEXTS] = "contexts",
                                        [PARTIAL_SAMPLE_FUNCTIONS] = "functions",
                                        [PARTIAL_SAMPLE_SYMBOLS] = "listed functions",
                                        [PARTIAL_LAST_SECTION] = "end"};
    return names[section];
}

/* The facts of what a merge of the file would write. Inputs that were lost when it was made are no reason not to. */
int info_read_partial_sample(struct info_reader *r, struct apf_error *error)
{
    static const struct apf_tolerance all = {APF_FAIL_WARN, 0};
    struct apf_sample *s;
    int code = sample_partial_open(&s, r->bytes.data, r->bytes.n, NULL, r->options, &all, error);
    if (code != APF_OK)
        return code;
    struct apf_file_facts *f = r->facts;
    f->version = PARTIAL_VERSION;
    f->n_profiles = 1;
    f->n_functions = s->info.n_functions;
    static const struct apf_str readers = {"none: LLVM and GCC read what a merge of it writes", 49};
    const bool done = info_add_word(r, "read_by", readers) && info_add_inputs(r, &s->owner->kept.counts) &&
                      add_properties(r, s->info.flags) && add_numbers(r, s) &&
                      info_add_sections(r, section_name);
    apf_sample_close(s);
    return done ? APF_OK : error_memory(error);
}
