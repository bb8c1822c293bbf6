/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw_part.h"

#include <string.h>

#include "base/error.h"

#define MAGIC_BYTES 8
#define TIMESTAMP_BYTES 8

bool raw_magic(const uint8_t *p, size_t n, bool *swap, unsigned *pointer_bytes)
{
    static const uint8_t little[MAGIC_BYTES] = {0x81, 'r', 'f', 'o', 'r', 'p', 'l', 0xff};
    bool big = true;
    if (n < MAGIC_BYTES)
        return false;
    char width = '\0';
    if (p[0] == little[0] && memcmp(p + 2, little + 2, 6) == 0) {
        big = false;
        width = (char)p[1];
    } else {
        for (unsigned i = 0; i < MAGIC_BYTES; i++)
            if (i != 6 && p[i] != little[7 - i])
                return false;
        width = (char)p[6];
    }
    if (width != 'r' && width != 'R')
        return false;
    *swap = big != (bool)HOST_BIG_ENDIAN;
    *pointer_bytes = width == 'r' ? 8 : 4;
    return true;
}

/* ---- header and sections ---- */

static int read_version(struct raw_part *part, struct cursor *c, struct apf_error *error)
{
    if (!raw_magic(c->p, cursor_left(c), &part->swap, &part->pointer_bytes)) {
        struct error_at at = {"raw.header.magic", part->start, 0, 0};
        return error_at(error, APF_BAD_MAGIC, at, NULL);
    }
    c->swap = part->swap;
    cursor_skip(c, MAGIC_BYTES);
    part->version_word = cursor_u64(c);
    if (c->failed) {
        struct error_at at = {"raw.header.version", part->start + 8, part->file_size - part->start, 16};
        return error_bound(error, APF_BAD_HEADER, at, NULL);
    }
    /* Bits 32 to 54 mean nothing yet, and every reader since LLVM 18 ignores them. */
    uint64_t number = part->version_word & UINT32_MAX;
    part->variant = part->version_word & VARIANT_BITS;
    part->version = raw_version_find(number);
    if (!part->version) {
        struct error_at at = {"raw.header.version", part->start + 8, number,
                              number ? raw_version_newest() : 1};
        return error_at(error, APF_UNSUPPORTED_VERSION, at, "raw version %llu; the %s that is read is %u",
                        (unsigned long long)number, number ? "newest" : "oldest", (unsigned)at.expected);
    }
    return APF_OK;
}

static void read_fields(struct raw_part *part)
{
    const uint8_t *header = part->file + part->start;
    for (unsigned f = 0; f < RAW_HEADER_FIELD_COUNT; f++) {
        uint16_t at = part->version->header[f];
        part->field[f] = at ? load64(header + at, part->swap) : 0;
    }
    part->record = &part->version->record[part->pointer_bytes == 4];
    part->counter_bytes = part->variant & APF_VARIANT_BYTE_COVERAGE ? 1 : 8;
    part->relative = !(part->version->caps & RAW_CAP_ABSOLUTE);
}

/* The header names a count of entries and the padding behind them; both must fit in what is left. */
static int section(struct raw_part *part, struct raw_section *s, uint64_t *at, enum raw_header_field field,
                   uint64_t size, uint64_t pad, enum raw_header_field pad_field, struct apf_error *error)
{
    uint64_t count = part->field[field], left = part->room - *at, bytes;
    struct error_at place = {raw_header_field_path(field), part->start + part->version->header[field], count,
                             left / size};
    s->at = *at;
    if (MUL_OVERFLOWS(count, size, &bytes) || bytes > left)
        return error_bound(error, APF_BAD_HEADER, place, "section does not fit in the file");
    s->size = bytes;
    left -= bytes;
    if (pad > left) {
        struct error_at pad_at = {raw_header_field_path(pad_field),
                                  part->start + part->version->header[pad_field], pad, left};
        return error_bound(error, APF_BAD_HEADER, pad_at, "padding does not fit in the file");
    }
    *at += bytes + pad;
    return APF_OK;
}

static int lay_out(struct raw_part *part, struct apf_error *error)
{
    const uint64_t *f = part->field;
    uint64_t at = part->start + part->version->header_size;
    bool names_padded = !(part->version->caps & RAW_CAP_NAMES_UNPADDED);
    uint64_t vtable = RAW_VTABLE_SIZE(part->pointer_bytes);
    int code = section(part, &part->ids, &at, RAW_BINARY_IDS_SIZE, 1, 0, RAW_BINARY_IDS_SIZE, error);
    if (code == APF_OK && part->version->caps & RAW_CAP_IDS_PADDED && part->ids.size % 8) {
        struct error_at place = {raw_header_field_path(RAW_BINARY_IDS_SIZE),
                                 raw_header_at(part, RAW_BINARY_IDS_SIZE), part->ids.size,
                                 align8(part->ids.size)};
        code = error_at(error, APF_BAD_HEADER, place, NULL);
    }
    if (code == APF_OK)
        code = section(part, &part->data, &at, RAW_NUM_DATA, part->record->size, f[RAW_PAD_BEFORE_COUNTERS],
                       RAW_PAD_BEFORE_COUNTERS, error);
    if (code == APF_OK)
        code = section(part, &part->counters, &at, RAW_NUM_COUNTERS, part->counter_bytes,
                       f[RAW_PAD_AFTER_COUNTERS], RAW_PAD_AFTER_COUNTERS, error);
    if (code == APF_OK)
        code = section(part, &part->bitmap, &at, RAW_NUM_BITMAP_BYTES, 1, f[RAW_PAD_AFTER_BITMAP],
                       RAW_PAD_AFTER_BITMAP, error);
    if (code == APF_OK)
        code = section(part, &part->uniform, &at, RAW_NUM_UNIFORM, 8, f[RAW_PAD_AFTER_UNIFORM],
                       RAW_PAD_AFTER_UNIFORM, error);
    if (code == APF_OK)
        code = section(part, &part->names, &at, RAW_NAMES_SIZE, 1,
                       names_padded ? pad8(f[RAW_NAMES_SIZE] % 8) : 0, RAW_NAMES_SIZE, error);
    if (code == APF_OK)
        code = section(part, &part->vtables, &at, RAW_NUM_VTABLES, vtable,
                       pad8(f[RAW_NUM_VTABLES] * vtable % 8), RAW_NUM_VTABLES, error);
    if (code == APF_OK)
        code = section(part, &part->vtable_names, &at, RAW_VNAMES_SIZE, 1, pad8(f[RAW_VNAMES_SIZE] % 8),
                       RAW_VNAMES_SIZE, error);
    part->values_at = at;
    return code;
}

static int open_part(struct raw_part *part, const uint8_t *file, uint64_t n, uint64_t start, uint64_t room,
                     struct apf_error *error)
{
    memset(part, 0, sizeof *part);
    part->file = file;
    part->file_size = n;
    part->room = room;
    part->start = start;
    struct cursor c = cursor_make(file, n, false);
    cursor_skip(&c, start);
    int code = read_version(part, &c, error);
    if (code != APF_OK)
        return code;
    if (n - start < part->version->header_size) {
        struct error_at at = {"raw.header.size", start, n - start, part->version->header_size};
        return error_bound(error, APF_BAD_HEADER, at, NULL);
    }
    read_fields(part);
    /* Any ValueKindLast is accepted, as LLVM does; the record says how many there is room for. */
    uint64_t last = part->field[RAW_VALUE_KIND_LAST];
    part->kinds = last < part->record->kinds ? (unsigned)last + 1 : part->record->kinds;
    part->n_records = part->field[RAW_NUM_DATA];
    return lay_out(part, error);
}

int raw_part_open(struct raw_part *part, const uint8_t *file, uint64_t n, uint64_t start,
                  struct apf_error *error)
{
    return open_part(part, file, n, start, n, error);
}

int raw_part_open_cut(struct raw_part *part, const uint8_t *file, uint64_t n, uint64_t start,
                      struct apf_error *error)
{
    return open_part(part, file, n, start, INT64_MAX, error); /* sums of two offsets do not overflow */
}

/* ---- records ---- */

bool raw_part_is_bare(const struct raw_part *part)
{
    return !part->field[RAW_NUM_DATA] && (part->field[RAW_NUM_COUNTERS] || part->field[RAW_NUM_BITMAP_BYTES]);
}

static const uint8_t *record_at(const struct raw_part *part, uint64_t i)
{
    return part->file + part->data.at + i * part->record->size;
}

static uint64_t load_pointer(const struct raw_part *part, const uint8_t *record, uint16_t at)
{
    if (at == RAW_NONE)
        return 0;
    return raw_part_pointer(part, record + at);
}

/* Byte offset in its section of what a record's pointer means; the delta of relative pointers shrinks by the
 * size of a record for each record. Differences are taken modulo the pointer width; a difference that makes no
 * sense is tried again modulo 2^32, since Windows runtimes store distances cut to 32 bits. */
static uint64_t offset_in(struct raw_part *part, uint64_t i, uint64_t pointer, uint64_t delta, uint64_t size)
{
    if (part->relative)
        delta -= i * part->record->size;
    uint64_t offset = pointer - delta;
    if (part->pointer_bytes == 4)
        return (uint32_t)offset;
    if (offset >= size && pointer <= UINT32_MAX && part->relative && (uint32_t)offset < size) {
        part->truncated_delta = true;
        return (uint32_t)offset;
    }
    return offset;
}

static int outside(const struct raw_part *part, const char *where, uint64_t at, const char *what,
                   uint64_t offset, uint64_t size, struct apf_error *error)
{
    bool negative = part->pointer_bytes == 8 ? (int64_t)offset < 0 : (int32_t)(uint32_t)offset < 0;
    struct error_at place = {where, at, offset, size ? size - 1 : 0};
    if (negative) {
        long long shown = part->pointer_bytes == 8 ? (long long)(int64_t)offset : (int32_t)(uint32_t)offset;
        return error_at(error, APF_MALFORMED, place, "%s offset %lld is negative", what, shown);
    }
    return error_bound(error, APF_MALFORMED, place,
                       "%s offset %llu is greater than the maximum %s offset %llu", what,
                       (unsigned long long)offset, what, (unsigned long long)place.expected);
}

/* A span of `n` entries of `size` bytes at a byte offset of a section. */
static int check_span(const struct raw_part *part, const char *where, uint64_t at, const char *what,
                      const char *plural, uint64_t offset, uint64_t n, unsigned size, uint64_t section_bytes,
                      struct apf_error *error)
{
    if (offset >= section_bytes)
        return outside(part, where, at, what, offset, section_bytes, error);
    uint64_t most = (section_bytes - offset) / size;
    if (n <= most)
        return APF_OK;
    struct error_at place = {where, at, n, most};
    return error_bound(error, APF_MALFORMED, place,
                       "number of %s %llu is greater than the maximum number of %s %llu", plural,
                       (unsigned long long)n, plural, (unsigned long long)most);
}

/* Names of versions 1 and 2 are where the record points to. */
static int check_name(const struct raw_part *part, const uint8_t *p, uint64_t at, struct raw_record *out,
                      struct apf_error *error)
{
    uint64_t name = load_pointer(part, p, part->record->name_ptr) - part->field[RAW_NAMES_DELTA];
    uint32_t size = load32(p + part->record->name_size, part->swap);
    if (part->pointer_bytes == 4)
        name = (uint32_t)name;
    struct error_at place = {"raw.record.name", at, name, part->names.size};
    if (name > part->names.size || size > part->names.size - name)
        return error_bound(error, APF_MALFORMED, place, "name lies outside the names section");
    if (size == 0)
        return error_at(error, APF_MALFORMED, place, "symbol name is empty");
    if (name > UINT32_MAX)
        return error_at(error, APF_TOO_LARGE, place, NULL);
    out->name_at = (uint32_t)name;
    out->name_size = size;
    return APF_OK;
}

/* The first slot of each function of a temporal profile is a timestamp: 8 bytes, whatever a counter's size. */
static void strip_timestamp(const struct raw_part *part, struct raw_record *out)
{
    uint64_t slots = TIMESTAMP_BYTES / part->counter_bytes;
    out->timestamp_at = UINT64_MAX;
    if (!(part->variant & APF_VARIANT_TEMPORAL) || part->no_timestamps || out->n_counters < slots)
        return;
    out->timestamp_at = out->counters;
    out->counters += TIMESTAMP_BYTES;
    out->n_counters -= slots;
}

static int read_spans(struct raw_part *part, uint64_t i, const uint8_t *p, uint64_t at,
                      struct raw_record *out, struct apf_error *error)
{
    const struct raw_record_layout *r = part->record;
    const uint64_t *f = part->field;
    out->counters =
        offset_in(part, i, load_pointer(part, p, r->counter_ptr), f[RAW_COUNTERS_DELTA], part->counters.size);
    if (part->version->caps & RAW_CAP_ABSOLUTE && !part->relative)
        out->counters -= out->counters % 8; /* readers of these versions round down */
    int code = check_span(part, "raw.record.counter_ptr", at + r->counter_ptr, "counter", "counters",
                          out->counters, out->n_counters, part->counter_bytes, part->counters.size, error);
    if (code == APF_OK && out->n_bitmap) {
        out->bitmap =
            offset_in(part, i, load_pointer(part, p, r->bitmap_ptr), f[RAW_BITMAP_DELTA], part->bitmap.size);
        code = check_span(part, "raw.record.bitmap_ptr", at + r->bitmap_ptr, "bitmap", "bitmap bytes",
                          out->bitmap, out->n_bitmap, 1, part->bitmap.size, error);
    }
    if (code == APF_OK && f[RAW_NUM_UNIFORM]) {
        out->uniform = offset_in(part, i, load_pointer(part, p, r->uniform_ptr), f[RAW_UNIFORM_DELTA],
                                 part->uniform.size);
        code = check_span(part, "raw.record.uniform_ptr", at + r->uniform_ptr, "uniform counter",
                          "uniform counters", out->uniform, out->n_counters, 8, part->uniform.size, error);
    }
    return code;
}

static int zero_counters(uint64_t at, struct apf_error *error)
{
    struct error_at place = {"raw.record.num_counters", at, 0, 1};
    return error_bound(error, APF_MALFORMED, place, "number of counters is zero");
}

/* A record as the program has it: offsets are from the start of the section, and there are no values. */
static int correlated_record(const struct raw_part *part, uint64_t i, struct raw_record *out,
                             struct apf_error *error)
{
    const struct apf_function *f = &part->correlation->functions[i];
    if (f->n_counters == 0)
        return zero_counters(NO_OFFSET, error);
    out->at = part->counters.at + f->counters;
    out->hash = f->hash;
    out->name_ref = f->id;
    out->counters = f->counters;
    out->n_counters = f->n_counters;
    out->bitmap = f->bitmap;
    out->n_bitmap = f->n_bitmap;
    int code = check_span(part, "correlation.counters", NO_OFFSET, "counter", "counters", out->counters,
                          out->n_counters, part->counter_bytes, part->counters.size, error);
    if (code == APF_OK && out->n_bitmap)
        code = check_span(part, "correlation.bitmap", NO_OFFSET, "bitmap", "bitmap bytes", out->bitmap,
                          out->n_bitmap, 1, part->bitmap.size, error);
    strip_timestamp(part, out);
    return code == APF_OK && out->n_counters == 0 ? zero_counters(NO_OFFSET, error) : code;
}

int raw_part_record(struct raw_part *part, uint64_t i, struct raw_record *out, struct apf_error *error)
{
    const struct raw_record_layout *r = part->record;
    int code = APF_OK;
    memset(out, 0, sizeof *out);
    if (part->correlation)
        return correlated_record(part, i, out, error);
    const uint8_t *p = record_at(part, i);
    uint64_t at = part->data.at + i * r->size;
    out->at = at;
    out->n_counters = load32(p + r->num_counters, part->swap);
    if (out->n_counters == 0) {
        out->skip = bytes_zero(p, r->size);
        return out->skip ? APF_OK : zero_counters(at + r->num_counters, error);
    }
    out->hash = load64(p + r->func_hash, part->swap);
    if (r->name_ref != RAW_NONE)
        out->name_ref = load64(p + r->name_ref, part->swap);
    else
        code = check_name(part, p, at, out, error);
    out->function_ptr = load_pointer(part, p, r->function_ptr);
    if (r->num_bitmap_bytes != RAW_NONE)
        out->n_bitmap = load32(p + r->num_bitmap_bytes, part->swap);
    for (unsigned k = 0; k < part->kinds; k++)
        out->n_sites[k] = load16(p + r->sites + 2 * k, part->swap);
    if (code == APF_OK)
        code = read_spans(part, i, p, at, out, error);
    strip_timestamp(part, out);
    if (code == APF_OK && out->n_counters == 0) /* a timestamp and nothing else */
        return zero_counters(at + r->num_counters, error);
    return code;
}

void raw_part_probe(struct raw_part *part)
{
    struct raw_record r;
    uint64_t n = part->n_records;
    if (part->version->caps & RAW_CAP_MAYBE_RELATIVE && !part->correlation) {
        for (uint64_t i = 0; i < n && !part->relative; i++)
            part->relative = raw_part_record(part, i, &r, NULL) != APF_OK;
        for (uint64_t i = 0; i < n && part->relative; i++)
            part->relative = raw_part_record(part, i, &r, NULL) == APF_OK;
    }
    /* -pgo-temporal-instrumentation with function entry coverage sets the bit but stores no timestamp. */
    uint64_t temporal_bytes = APF_VARIANT_TEMPORAL | APF_VARIANT_BYTE_COVERAGE;
    if ((part->variant & temporal_bytes) == temporal_bytes)
        for (uint64_t i = 0; i < n && !part->no_timestamps; i++) {
            uint32_t counters = part->correlation
                                    ? part->correlation->functions[i].n_counters
                                    : load32(record_at(part, i) + part->record->num_counters, part->swap);
            part->no_timestamps = counters > 0 && counters < TIMESTAMP_BYTES;
        }
}

/* ---- what lies between profiles ---- */

static uint64_t skip_zeros(const struct raw_part *part, uint64_t at)
{
    while (at < part->file_size && part->file[at] == 0)
        at++;
    return at;
}

bool raw_part_values_missing(const struct raw_part *part, uint64_t at)
{
    bool swap;
    unsigned bytes;
    uint64_t next = skip_zeros(part, at);
    return next == part->file_size || raw_magic(part->file + next, part->file_size - next, &swap, &bytes);
}

int raw_part_next(const struct raw_part *part, uint64_t end, uint64_t *at, bool *unaligned,
                  struct apf_error *error)
{
    bool swap;
    unsigned bytes;
    uint64_t next = skip_zeros(part, end);
    *at = next;
    if (next == part->file_size)
        return APF_OK;
    uint64_t left = part->file_size - next;
    if (raw_magic(part->file + next, left, &swap, &bytes)) {
        *unaligned = next % 8 != 0;
        return APF_OK;
    }
    struct error_at place = {"raw.next_profile", next, left, part->version->header_size};
    if (left < part->version->header_size)
        return error_bound(error, APF_MALFORMED, place, "not enough space for another header");
    place.found = load64le(part->file + next);
    place.expected = load64le(part->file); /* the first profile's magic */
    return error_magic(error, APF_BAD_MAGIC, place);
}

/* ---- binary ids ---- */

static int id_error(struct apf_error *error, uint64_t at, uint64_t found, uint64_t expected,
                    const char *detail)
{
    struct error_at place = {"raw.binary_ids", at, found, expected};
    return error_bound(error, APF_MALFORMED, place, "%s", detail);
}

int raw_part_ids(const struct raw_part *part, int (*id)(void *user, const uint8_t *p, uint64_t n), void *user,
                 bool *unpadded, struct apf_error *error)
{
    struct cursor c = cursor_make(part->file, part->ids.at + part->ids.size, part->swap);
    bool padded = part->version->caps & RAW_CAP_IDS_PADDED;
    cursor_skip(&c, part->ids.at);
    while (cursor_left(&c)) {
        uint64_t at = cursor_offset(&c), left = cursor_left(&c);
        uint64_t n = cursor_u64(&c);
        if (c.failed)
            return id_error(error, at, left, 8, "not enough data to read binary id length");
        if (n == 0)
            return id_error(error, at, 0, 1, "binary id length is 0");
        const uint8_t *p = cursor_bytes(&c, n);
        if (p && padded)
            cursor_skip(&c, pad8(n % 8));
        if (c.failed)
            return id_error(error, at, n, left - 8, "not enough data to read binary id data");
        if (n % 8 && !padded)
            *unpadded = true;
        int code = id(user, p, n);
        if (code != APF_OK)
            return code == APF_NO_MEMORY ? error_memory(error) : code;
    }
    return APF_OK;
}
