/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks raw profiles: headers, names, padding, and bytes between the profiles of a file. */
#include "instr/check/raw_check.h"

#include <string.h>

#include "instr/model/name_blob.h"
#include "instr/raw/raw_map.h"

#define MAGIC_BYTES 8u
/* The most zeros after a profile that are padding: version 1 wrote 8 where none were needed. */
#define MOST_ZEROS 8u

/* ---- header ---- */

static void check_header(struct raw_checker *k, const struct raw_profile *first)
{
    const struct raw_profile *p = &k->raw;
    uint64_t last = p->field[RAW_VALUE_KIND_LAST];
    if (p->version_word & ~KNOWN_VERSION_BITS)
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("raw.header.version", p->start + 8, p->version_word,
                            p->version_word & KNOWN_VERSION_BITS),
                 "bits that mean nothing");
    if (p->version->header[RAW_VALUE_KIND_LAST] && last >= p->record->kinds)
        check_bound(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                    check_spot("raw.header.value_kind_last", raw_header_at(p, RAW_VALUE_KIND_LAST), last,
                               p->record->kinds - 1u),
                    "unknown kind of values, which no reader reads");
    if (p->version->version != first->version->version)
        check_at(k->c, APF_SEVERITY_ERROR, APF_UNSUPPORTED_VERSION,
                 check_spot("raw.header.version", p->start + 8, p->version->version, first->version->version),
                 "LLVM reads files of one version only; anyprof reads this one");
    if (memcmp(p->file + p->start, p->file + first->start, MAGIC_BYTES) != 0)
        check_at(k->c, APF_SEVERITY_ERROR, APF_BAD_MAGIC,
                 check_spot("raw.next_profile", p->start, load64le(p->file + p->start),
                            load64le(p->file + first->start)),
                 "LLVM reads files of one byte order and pointer width only; anyprof reads this one");
    if (p->start % 8)
        check_at(k->c, APF_SEVERITY_ERROR, APF_MALFORMED,
                 check_spot("raw.next_profile", p->start, p->start, align8(p->start)),
                 "insufficient padding: LLVM stops here, anyprof reads on");
}

/* ---- ids and names ---- */

static int pass_id(void *user, const uint8_t *p, uint64_t n)
{
    struct raw_checker *k = user;
    const uint8_t *end = p + n;
    bool padded = k->raw.version->caps & RAW_CAP_IDS_PADDED;
    if (padded && !bytes_zero(end, pad8(n % 8)))
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "raw.binary_ids", (uint64_t)(end - k->raw.file),
                    "padding that is not zero");
    return k->c->code;
}

static void check_ids(struct raw_checker *k)
{
    struct apf_error error;
    bool unpadded = false;
    int code = raw_profile_ids(&k->raw, pass_id, k, &unpadded, &error);
    if (code != APF_OK && k->c->code == APF_OK)
        check_failure(k->c, &error);
    if (unpadded)
        check_place(k->c, APF_SEVERITY_NOTE, APF_NOTE, "raw.binary_ids", k->raw.ids.at,
                    "binary ids without padding, as LLVM 13 wrote them");
}

/* ---- bytes ---- */

static void check_gap(struct raw_checker *k, const struct byte_span *part)
{
    const uint8_t *p = k->raw.file + part->at;
    if (strcmp(part->name, PART_PADDING) == 0 && !bytes_zero(p, part->size))
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE, check_spot("raw.padding", part->at, part->size, 0),
                 "padding that is not zero");
}

static void check_padding(struct raw_checker *k, uint64_t end)
{
    struct byte_map parts = {0};
    if (!raw_map_add(&parts, &k->raw, end, k->number))
        check_memory(k->c);
    for (size_t i = 0; i < parts.list.n; i++)
        check_gap(k, &parts.list.data[i]);
    byte_map_free(&parts);
}

/* Finds the next profile, and checks the bytes before it. */
static uint64_t check_next(struct raw_checker *k, uint64_t end)
{
    struct apf_error error;
    uint64_t next = k->raw.file_size;
    bool unaligned = false;
    int code = raw_profile_next(&k->raw, end, &next, &unaligned, &error);
    uint64_t zeros = next > end ? next - end : 0;
    if (zeros > MOST_ZEROS)
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE, check_spot("raw.unclaimed", end, zeros, 0),
                 "zeros that belong to no profile");
    if (code == APF_OK)
        return next;
    check_failure(k->c, &error);
    return k->raw.file_size;
}

/* ---- names and records that are intact in a file that the reader refuses ----
 *
 * They serve only to find what else is wrong. So records beside damaged ones are read, too, other than in a salvage. */

static void read_blob(struct raw_checker *k, const struct raw_section *s, const char *where,
                      struct symbols *out)
{
    struct cursor c = cursor_make(k->raw.file, k->raw.file_size, k->raw.swap);
    struct apf_error error;
    cursor_skip(&c, s->at);
    if (name_blob_read(&c, s->size, &k->reader->name_budget, where, out, &error) == APF_OK)
        return;
    k->profile->names_lost = true;
    check_failure(k->c, &error);
}

static void read_intact_names(struct raw_checker *k)
{
    if (!(k->raw.version->caps & RAW_CAP_NAME_POINTERS))
        read_blob(k, &k->raw.names, "raw.names", k->reader->instr->symbols);
    read_blob(k, &k->raw.vtable_names, "raw.vtable_names", k->reader->instr->vtables);
}

static void read_values(struct raw_checker *k, const struct raw_profile_info *info)
{
    struct cursor c = cursor_make(k->raw.file, k->raw.file_size, k->raw.swap);
    struct record *records = ENTRY_AT(k->reader->instr->records.data, info->first_record);
    struct apf_error error;
    size_t n = k->reader->instr->records.n - info->first_record;
    cursor_skip(&c, k->raw.values_at);
    for (size_t i = 0; i < n && k->c->code == APF_OK; i++)
        if (record_site_count(&records[i]) &&
            raw_reader_sites(k->reader, &records[i], &c, &error) == APF_NO_MEMORY)
            check_memory(k->c);
}

/* Correlates a bare profile. Without its metadata it is not bad, and other profiles are checked without it. */
static bool correlate_profile(struct raw_checker *k, struct raw_profile_info *info)
{
    struct apf_error error;
    if (!raw_profile_is_bare(&info->raw))
        return true;
    int code = raw_reader_begin(k->reader, &info->raw, &error);
    bool whole = info->raw.field[RAW_NAMES_SIZE] == 0; /* false for a damaged header */
    if (code == APF_MISSING_CORRELATION && whole)
        error_add(&error, "; --against=PROGRAM finds it in the program");
    if (code == APF_MISSING_CORRELATION || code == APF_UNABLE_TO_CORRELATE)
        check_failure_as(k->c,
                         !whole                            ? APF_SEVERITY_ERROR
                         : code == APF_MISSING_CORRELATION ? APF_SEVERITY_NOTE
                                                           : APF_SEVERITY_WARNING,
                         &error);
    else if (code == APF_NO_MEMORY)
        check_memory(k->c);
    k->profile->records_lost = k->profile->records_lost || code != APF_OK;
    return code == APF_OK;
}

static void read_intact_records(struct raw_checker *k)
{
    struct raw_profile_info info = {.raw = k->raw};
    struct raw_record record;
    struct apf_error error;
    raw_targets_free(&k->reader->targets);
    raw_reader_add_profile(k->reader->instr, &info.raw);
    if (!correlate_profile(k, &info))
        return;
    int code = raw_reader_begin_records(k->reader, &info, &error);
    for (uint64_t i = 0; code == APF_OK && i < info.raw.n_records; i++)
        if (raw_profile_record(&info.raw, i, &record, NULL) == APF_OK)
            code = raw_reader_record(k->reader, &info, i, &record, &error);
    if (code == APF_NO_MEMORY)
        check_memory(k->c);
    k->profile->records_lost = k->profile->records_lost || k->damaged || code != APF_OK;
    if (k->has_values && code == APF_OK)
        read_values(k, &info);
}

/* ---- the file ---- */

static void checker_free(struct raw_checker *k)
{
    VEC_FREE(&k->counters.list);
    VEC_FREE(&k->bitmaps.list);
    VEC_FREE(&k->names.list);
    VEC_FREE(&k->records);
}

/* Finds the next magic: after damage, a profile is recognised only by it. */
static uint64_t next_magic(const uint8_t *data, uint64_t n, uint64_t from)
{
    bool swap;
    unsigned bytes;
    for (uint64_t at = align8(from); at < n && n - at >= 16; at += 8)
        if (raw_magic(data + at, n - at, &swap, &bytes))
            return at;
    return n;
}

static uint64_t check_part(struct raw_checker *k, const struct raw_profile *first)
{
    uint64_t end = k->raw.values_at;
    check_header(k, first);
    check_ids(k);
    if (k->reader)
        read_intact_names(k);
    raw_check_records(k);
    check_no_function(k->c);
    raw_check_values(k, &end);
    check_no_function(k->c);
    raw_check_vtables(k);
    check_padding(k, end);
    if (k->reader && k->c->code == APF_OK)
        read_intact_records(k);
    if (k->damaged) /* the end of the value data is unknown */
        return next_magic(k->raw.file, k->raw.file_size, k->raw.values_at);
    return check_next(k, end);
}

/* Counts names of functions without a record, such as functions that were inlined everywhere. */
static void check_unused_names(struct check *c, const struct apf_instr *instr, uint64_t names_at)
{
    struct check_tally unused = {0};
    size_t n = instr->symbols->list.n;
    bool *used = calloc(n + 1, sizeof *used);
    if (!used) {
        check_memory(c);
        return;
    }
    for (size_t i = 0; i < instr->records.n; i++)
        if (instr->records.data[i].symbol != HASH_INDEX_NONE)
            used[instr->records.data[i].symbol] = true;
    for (size_t i = 0; i < n; i++) {
        const struct symbol *s = &instr->symbols->list.data[i];
        struct apf_str name = {s->p, s->n};
        check_function(c, name, 0);
        if (!used[i])
            check_count(&unused, c, "raw.names", names_at);
    }
    free(used);
    check_tally_report(c, &unused, APF_SEVERITY_NOTE, APF_NOTE, "a name without a record");
}

/* Checks each profile of the file; `all` holds the fields that they share. */
static void check_parts(const struct raw_checker *all, const uint8_t *data, size_t n,
                        struct raw_profile *first)
{
    struct check *c = all->c;
    uint64_t at = 0;
    for (uint64_t number = 0; at < n && c->code == APF_OK; number++) {
        struct raw_checker k = *all;
        struct apf_error error;
        k.number = number;
        if (raw_profile_open(&k.raw, data, n, at, &error) == APF_OK) {
            *first = first->version ? *first : k.raw;
            at = check_part(&k, first);
        } else {
            check_failure(c, &error);
            k.profile->names_lost = k.profile->records_lost = true;
            at = next_magic(data, n, at + 8);
        }
        checker_free(&k);
    }
}

void raw_check(struct check *c, struct check_profile *p, const uint8_t *data, size_t n)
{
    struct raw_profile first = {0};
    struct raw_reader reader = raw_reader_make(p->instr, n, p->options);
    struct raw_check_ids vtables = {0};
    struct raw_checker all = {.c = c, .profile = p, .reader = p->whole ? NULL : &reader, .vtables = &vtables};
    struct apf_error error;
    check_parts(&all, data, n, &first);
    if (!p->whole && raw_reader_finish(&reader, c->code, &error) == APF_NO_MEMORY)
        check_memory(c);
    if (c->code == APF_OK)
        raw_check_vtable_names(c, p, &vtables, first.vtable_names.at);
    if (c->code == APF_OK && !p->records_lost)
        check_unused_names(c, p->instr, first.names.at);
    VEC_FREE(&vtables.list);
}
