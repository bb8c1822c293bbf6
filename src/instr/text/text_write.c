/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/text/text_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"

/* Records whose targets are looked up together. */
#define BLOCK FETCH_AHEAD

/* A value that is the id of a name. */
struct target {
    uint64_t id, hash; /* the hash of the id in the index of names */
    uint32_t symbol;   /* number of the name, or HASH_INDEX_NONE */
};

struct text_writer {
    const struct apf_instr *instr;
    const struct text_write_options *options;
    struct file_out *out;
    struct text_write_result result;
    /* Whether each name may be printed, by its number in the two tables. */
    uint8_t *function_known, *vtable_known;
    VEC(struct target) targets; /* of a block of records, in the order in which they are written */
    size_t first_target[BLOCK]; /* of each record of the block */
    size_t next_target;         /* to be written */
    /* Possible readings of the line after the previous record, other than as a name. */
    bool bitmap_open, values_open;
    size_t sniffed; /* number of written bytes, up to those that decide whether a file is text */
    bool failed;
    size_t n; /* bytes written so far */
};

/* ---- bytes ---- */

static void append_bytes(struct text_writer *w, const char *p, size_t n)
{
    w->failed |= !file_out_write(w->out, p, n);
    w->n += n;
}

#define PUT(w, literal) append_bytes(w, literal, sizeof literal - 1)

/* Stores a number and the character after it at p; returns the end. */
static inline uint8_t *store_number(uint8_t *p, uint64_t v, char end)
{
    p += decimal_store(p, v);
    *p = (uint8_t)end;
    return p + 1;
}

#define NUMBER_MAX (DECIMAL_MAX + 1)
#define STORE(p, literal) ((uint8_t *)memcpy(p, literal, sizeof literal - 1) + sizeof literal - 1)

/* Makes what was stored from the start of file_out_room's room a part of the output. */
static inline void append_stored(struct text_writer *w, uint8_t *end)
{
    w->n += (size_t)(end - w->out->p);
    w->out->p = end;
}

static void append_number(struct text_writer *w, uint64_t v, char end)
{
    append_stored(w, store_number(file_out_room(w->out, NUMBER_MAX), v, end));
}

/* Appends a line for each number. Most of a profile is counters, so they are stored without a look at the writer. */
static void append_numbers(struct text_writer *w, const uint64_t *v, size_t n)
{
    const size_t most = 64;
    for (size_t i = 0; i < n;) {
        size_t end = n - i < most ? n : i + most;
        uint8_t *p = file_out_room(w->out, most * NUMBER_MAX);
        for (; i < end; i++)
            p = store_number(p, v[i], '\n');
        append_stored(w, p);
    }
}

static void append_byte(struct text_writer *w, uint8_t v)
{
    static const char hex[] = "0123456789abcdef";
    char text[5] = {'0', 'x', hex[v >> 4], hex[v & 15], '\n'};
    if (v < 16) { /* no leading zero */
        text[2] = text[3];
        text[3] = '\n';
    }
    append_bytes(w, text, v < 16 ? 4 : 5);
}

/* ---- names ---- */

/* Whether the reader would read a name as a name everywhere. The format has no escapes. */
static bool name_is_writable(const char *p, size_t n)
{
    return n && p[0] != '#' && p[n - 1] != '\r' && !memchr(p, '\n', n) && !memchr(p, 0, n);
}

static uint8_t *make_marks(const struct apf_instr *instr, const struct symbols *s, bool all)
{
    uint8_t *known = calloc(s->list.n ? s->list.n : 1, 1);
    for (size_t i = 0; all && known && i < s->list.n; i++)
        known[i] = profile_has_name(instr, &s->list.data[i]) &&
                   name_is_writable(s->list.data[i].p, s->list.data[i].n);
    return known;
}

#define HAS_RECORD 2u /* the output has a record of this name */
#define IS_KNOWN 1u   /* targets and traces print the name */

static void fetch_name(const struct apf_instr *instr, size_t i)
{
    if (i + 2 * FETCH_AHEAD >= instr->records.n)
        return;
    uint32_t far = instr->records.data[i + 2 * FETCH_AHEAD].symbol;
    uint32_t near = instr->records.data[i + FETCH_AHEAD].symbol;
    if (far != HASH_INDEX_NONE)
        PREFETCH(&instr->symbols->list.data[far]);
    if (near != HASH_INDEX_NONE)
        PREFETCH(instr->symbols->list.data[near].p);
}

/* Marks the names that the output has. */
static int mark_names(struct text_writer *w, struct apf_error *error)
{
    const struct text_write_options *o = w->options;
    const struct apf_instr *instr = w->instr;
    w->function_known = make_marks(instr, instr->symbols, o->all_names);
    w->vtable_known = make_marks(instr, instr->vtables, o->all_names || o->vtable_names);
    if (!w->function_known || !w->vtable_known)
        return error_memory(error);
    for (size_t i = 0; i < instr->records.n; i++) {
        const struct record *r = &instr->records.data[i];
        uint32_t e = r->symbol;
        fetch_name(instr, i);
        if (e == HASH_INDEX_NONE || w->function_known[e] & HAS_RECORD || (o->sparse && record_is_zero(r)))
            continue;
        const struct symbol *s = &instr->symbols->list.data[e];
        w->function_known[e] = name_is_writable(s->p, s->n) ? HAS_RECORD | IS_KNOWN : HAS_RECORD;
    }
    return APF_OK;
}

/* The name of an id whose number among the names of functions is `e`; n == 0: print the id. */
static struct apf_str known_symbol(const struct text_writer *w, uint64_t id, uint32_t e)
{
    const struct symbols *functions = w->instr->symbols, *vtables = w->instr->vtables;
    struct apf_str name = {NULL, 0};
    const struct symbol *s = NULL;
    if (e != HASH_INDEX_NONE && w->function_known[e] & IS_KNOWN)
        s = &functions->list.data[e];
    else if ((e = symbols_find(vtables, id)) != HASH_INDEX_NONE && w->vtable_known[e])
        s = &vtables->list.data[e];
    if (s) {
        name.p = s->p;
        name.n = s->n;
    }
    return name;
}

/* The name of a function in a trace; n == 0: print the id. */
static struct apf_str known_name(const struct text_writer *w, uint64_t id)
{
    return known_symbol(w, id, symbols_find(w->instr->symbols, id));
}

/* ---- targets ---- */

static bool list_targets(struct text_writer *w, const struct record *r)
{
    const struct apf_site *site = r->sites;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (uint32_t i = 0; i < r->n_sites[k]; i++, site++) {
            if (k == APF_VALUE_MEMOP_SIZE)
                continue;
            if (!VEC_RESERVE(&w->targets, site->n))
                return false;
            for (size_t j = 0; j < site->n; j++) {
                struct target *target = &w->targets.data[w->targets.n++];
                target->id = site->values[j].value;
                target->hash = hash_index_mix(&w->instr->symbols->index, target->id, 0);
            }
        }
    return true;
}

/* Finds the names of all targets of n records, at most BLOCK. Names and their index lie anywhere in memory, so each
 * pass over the targets prefetches for the next pass. False: an allocation failed. */
static bool find_targets(struct text_writer *w, const struct record *records, size_t n)
{
    const struct symbols *s = w->instr->symbols;
    w->targets.n = 0;
    for (size_t i = 0; i < n; i++) {
        w->first_target[i] = w->targets.n;
        if (!list_targets(w, &records[i]))
            return false;
    }
    struct target *t = w->targets.data;
    for (size_t i = 0; i < w->targets.n; i++)
        hash_index_fetch(&s->index, t[i].hash);
    for (size_t i = 0; i < w->targets.n; i++) {
        size_t pos = hash_index_first(&s->index, t[i].hash);
        uint32_t likely = hash_index_next(&s->index, t[i].hash, &pos);
        if (likely != HASH_INDEX_NONE)
            PREFETCH(&s->list.data[likely]);
    }
    for (size_t i = 0; i < w->targets.n; i++) {
        uint32_t e;
        HASH_INDEX_FIND(e, &s->index, t[i].hash, s->list.data[e].id == t[i].id);
        t[i].symbol = e;
        if (e == HASH_INDEX_NONE)
            continue;
        PREFETCH(&w->function_known[e]);
        PREFETCH(s->list.data[e].p);
    }
    return true;
}

/* ---- header ---- */

static void write_traces(struct text_writer *w)
{
    const struct apf_instr_info *info = &w->instr->info;
    PUT(w, ":temporal_prof_traces\n# Num Temporal Profile Traces:\n");
    append_number(w, info->n_traces, '\n');
    PUT(w, "# Temporal Profile Trace Stream Size:\n");
    append_number(w, info->trace_stream_size, '\n');
    for (size_t i = 0; i < info->n_traces && !w->failed; i++) {
        const struct apf_trace *trace = &info->traces[i];
        PUT(w, "# Weight:\n");
        append_number(w, trace->weight, '\n');
        for (size_t j = 0; j < trace->n; j++) {
            struct apf_str name = known_name(w, trace->ids[j]);
            append_bytes(w, name.p, name.n);
            PUT(w, ",");
        }
        if (trace->n == 0) /* an empty line would be skipped */
            PUT(w, ",");
        PUT(w, "\n");
    }
    PUT(w, "\n");
}

static void write_header(struct text_writer *w)
{
    uint64_t variant = w->instr->info.variant;
    if (w->options->show_style) {
        if (variant & APF_VARIANT_IR)
            PUT(w, ":ir\n");
        w->sniffed = w->n;
        return;
    }
    if (variant & APF_VARIANT_CS)
        PUT(w, "# CSIR level Instrumentation Flag\n:csir\n");
    else if (variant & APF_VARIANT_IR)
        PUT(w, "# IR level Instrumentation Flag\n:ir\n");
    if (variant & APF_VARIANT_ENTRY_FIRST)
        PUT(w, "# Always instrument the function entry block\n:entry_first\n");
    if (variant & APF_VARIANT_LOOP_ENTRIES)
        PUT(w, "# Always instrument the loop entry blocks\n:instrument_loop_entries\n");
    if (variant & APF_VARIANT_BYTE_COVERAGE)
        PUT(w, "# Instrument block coverage\n:single_byte_coverage\n");
    w->sniffed = w->n;
    if (variant & APF_VARIANT_TEMPORAL) {
        write_traces(w);
        w->sniffed = TEXT_SNIFFED_BYTES;
    }
}

/* ---- records ---- */

static bool is_u32(const char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n && v <= UINT32_MAX; i++) {
        if (p[i] < '0' || p[i] > '9')
            return false;
        v = 10 * v + (uint64_t)(p[i] - '0');
    }
    return n && v <= UINT32_MAX;
}

/* Whether a file that begins with this name may be read as JSON. */
static bool like_json(struct apf_str name)
{
    size_t i = 0;
    while (i < name.n && (name.p[i] == ' ' || name.p[i] == '\t' || name.p[i] == '\r'))
        i++;
    return i < name.n && name.p[i] == '{';
}

/* Writes a line before a name that would be misread otherwise. False: no line prevents that. */
static bool guard_name(struct text_writer *w, struct apf_str name)
{
    if (w->result.written == 0 && name.p[0] == ':') /* a line of the header */
        return false;
    size_t sniffed = TEXT_SNIFFED_BYTES > w->sniffed ? TEXT_SNIFFED_BYTES - w->sniffed : 0;
    if (!text_bytes(name.p, name.n < sniffed ? name.n : sniffed) || (w->n == 0 && like_json(name))) {
        PUT(w, "# Text profile\n");
        w->result.guards++;
    }
    w->sniffed = TEXT_SNIFFED_BYTES;
    if ((w->values_open && is_u32(name.p, name.n)) || (w->bitmap_open && name.p[0] == '$')) {
        PUT(w, "# Num Value Kinds:\n1\n# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n0\n");
        w->result.guards++;
    }
    return true;
}

static void write_value(struct text_writer *w, unsigned kind, struct apf_value v)
{
    if (kind == APF_VALUE_MEMOP_SIZE) {
        append_number(w, v.value, ':');
    } else {
        struct apf_str name = known_symbol(w, v.value, w->targets.data[w->next_target++].symbol);
        if (name.n)
            append_bytes(w, name.p, name.n);
        else
            PUT(w, "** External Symbol **");
        PUT(w, ":");
    }
    append_number(w, v.count, '\n');
}

static void write_sites(struct text_writer *w, const struct record *r)
{
    static const char *const kinds[APF_VALUE_KINDS] = {
        "# ValueKind = IPVK_IndirectCallTarget:\n0\n# NumValueSites:\n",
        "# ValueKind = IPVK_MemOPSize:\n1\n# NumValueSites:\n",
        "# ValueKind = IPVK_VTableTarget:\n2\n# NumValueSites:\n",
    };
    const struct apf_site *site = r->sites;
    PUT(w, "# Num Value Kinds:\n");
    append_number(w, (uint64_t)(r->n_sites[0] > 0) + (r->n_sites[1] > 0) + (r->n_sites[2] > 0), '\n');
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        if (r->n_sites[k] == 0)
            continue;
        append_bytes(w, kinds[k], strlen(kinds[k]));
        append_number(w, r->n_sites[k], '\n');
        for (uint32_t i = 0; i < r->n_sites[k]; i++, site++) {
            append_number(w, site->n, '\n');
            for (size_t j = 0; j < site->n; j++)
                write_value(w, k, site->values[j]);
        }
    }
}

static void write_record(struct text_writer *w, const struct record *r, struct apf_str name)
{
    /* At the start of a file this name would begin a YAML document, also for LLVM: an empty comment prevents that. */
    if (w->n == 0 && name.n >= 3 && memcmp(name.p, "---", 3) == 0)
        PUT(w, "#\n");
    append_bytes(w, name.p, name.n);
    uint8_t *p = file_out_room(w->out, 128);
    p = store_number(STORE(p, "\n# Func Hash:\n"), r->hash, '\n');
    p = store_number(STORE(p, "# Num Counters:\n"), r->n_counts, '\n');
    append_stored(w, STORE(p, "# Counter Values:\n"));
    append_numbers(w, r->counts, r->n_counts);
    if (r->n_bitmap) {
        PUT(w, "# Num Bitmap Bytes:\n$");
        append_number(w, r->n_bitmap, '\n');
        PUT(w, "# Bitmap Byte Values:\n");
        for (uint32_t i = 0; i < r->n_bitmap; i++)
            append_byte(w, r->bitmap[i]);
        PUT(w, "\n");
    }
    w->values_open = record_site_count(r) == 0;
    w->bitmap_open = w->values_open && r->n_bitmap == 0;
    if (!w->values_open)
        write_sites(w, r);
    PUT(w, "\n");
    w->result.written++;
}

/* Prefetches the arrays and names of the records that follow, of n; their order in memory is another one. */
static void fetch_ahead(const struct apf_instr *instr, const struct record *records, size_t n)
{
    if (3 * FETCH_AHEAD >= n)
        return;
    const struct record *far = &records[3 * FETCH_AHEAD];
    const struct record *middle = &records[2 * FETCH_AHEAD];
    PREFETCH(far->counts);
    PREFETCH(far->counts + far->n_counts / 2);
    PREFETCH(far->counts + far->n_counts - 1);
    if (far->sites)
        PREFETCH(far->sites);
    if (far->symbol != HASH_INDEX_NONE)
        PREFETCH(&instr->symbols->list.data[far->symbol]);
    if (middle->symbol != HASH_INDEX_NONE)
        PREFETCH(instr->symbols->list.data[middle->symbol].p);
    if (middle->sites)
        PREFETCH(middle->sites->values);
}

/* Writes a record, or counts the reason why not. */
static void write_unless(struct text_writer *w, const struct record *r)
{
    struct apf_str name = record_name(w->instr, r);
    uint32_t e = r->symbol;
    if (name.n == 0)
        w->result.nameless++;
    else if (!(w->function_known[e] & HAS_RECORD))
        w->result.sparse_dropped++;
    else if (!(w->function_known[e] & IS_KNOWN) || !guard_name(w, name))
        w->result.unwritable++;
    else
        write_record(w, r, name);
}

/* ---- piece by piece ---- */

int text_writer_open(struct text_writer **writer, const struct apf_instr *instr,
                     const struct text_write_options *options, struct file_out *out, struct apf_error *error)
{
    struct text_writer *w = *writer = calloc(1, sizeof *w);
    if (!w)
        return error_memory(error);
    w->instr = instr;
    w->options = options;
    w->out = out;
    int code = mark_names(w, error);
    if (code == APF_OK)
        write_header(w);
    return code;
}

int text_writer_records(struct text_writer *w, const struct record *records, size_t n,
                        struct apf_error *error)
{
    for (size_t from = 0; from < n && !w->failed; from += BLOCK) {
        size_t end = n - from < BLOCK ? n : from + BLOCK;
        if (!find_targets(w, records + from, end - from))
            return error_memory(error);
        for (size_t i = from; i < end; i++) {
            fetch_ahead(w->instr, records + i, n - i);
            w->next_target = w->first_target[i - from];
            write_unless(w, &records[i]);
        }
    }
    return APF_OK;
}

void text_writer_free(struct text_writer *w)
{
    if (!w)
        return;
    free(w->function_known);
    free(w->vtable_known);
    VEC_FREE(&w->targets);
    free(w);
}

int text_write(const struct apf_instr *instr, const struct text_write_options *options, struct file_out *out,
               struct apf_error *error)
{
    struct text_writer *w;
    int code = text_writer_open(&w, instr, options, out, error);
    if (code == APF_OK)
        code = text_writer_records(w, instr->records.data, instr->records.n, error);
    if (code == APF_OK && w->n == 0 && !options->show_style) /* readers refuse a file of 0 bytes */
        PUT(w, "# No functions\n");
    if (code == APF_OK && options->result)
        *options->result = w->result;
    text_writer_free(w);
    return code;
}

/* ---- the public function ---- */

/* Refuses what only indexed profiles can honour. */
static int check_options(const struct apf_write_options *o, struct apf_error *error)
{
    int code =
        flags_check(o->flags, APF_WRITE_SPARSE | APF_WRITE_VTABLE_NAMES, "apf_write_options.flags", error);
    if (code == APF_OK && o->format && o->format != APF_FORMAT_TEXT)
        code = error_plain(error, APF_ARGUMENT, "write.options.format", "not text");
    if (code == APF_OK && o->target.kind != APF_TARGET_AUTO)
        code = error_plain(error, APF_ARGUMENT, "write.options.target", "text has no target");
    if (code == APF_OK && o->memprof_version)
        code =
            error_plain(error, APF_ARGUMENT, "write.options.memprof_version", "text has no MemProf version");
    return code;
}

int apf_instr_write_text(const struct apf_instr *instr, const struct apf_write_options *options,
                         const struct apf_output *output, struct apf_error *error)
{
    struct apf_write_options asked;
    struct file_out *out;
    int code = OPTIONS_READ(apf_write_options, &asked, options, error);
    if (code == APF_OK)
        code = check_options(&asked, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    struct text_write_options o = {.sparse = (asked.flags & APF_WRITE_SPARSE) != 0, .all_names = true};
    o.vtable_names = (asked.flags & APF_WRITE_VTABLE_NAMES) != 0;
    code = text_write(instr, &o, out, error);
    return file_out_finish(out, code, error);
}
