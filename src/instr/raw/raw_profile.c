/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw/raw_profile.h"

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

static int read_version(struct raw_profile *raw, struct cursor *c, struct apf_error *error)
{
    if (!raw_magic(c->p, cursor_left(c), &raw->swap, &raw->pointer_bytes)) {
        struct error_at at = {"raw.header.magic", raw->start, 0, 0};
        return error_at(error, APF_BAD_MAGIC, at, NULL);
    }
    c->swap = raw->swap;
    cursor_skip(c, MAGIC_BYTES);
    raw->version_word = cursor_u64(c);
    if (c->failed) {
        struct error_at at = {"raw.header.version", raw->start + 8, raw->file_size - raw->start, 16};
        return error_bound(error, APF_BAD_HEADER, at, "the file ends in its header");
    }
    /* Bits 32 to 54 have no meaning yet; every LLVM reader since 18 ignores them. */
    uint64_t number = raw->version_word & UINT32_MAX;
    raw->variant = raw->version_word & VARIANT_BITS;
    raw->version = raw_version_find(number);
    if (!raw->version) {
        struct error_at at = {"raw.header.version", raw->start + 8, number,
                              number ? raw_version_newest() : 1};
        error_set_version(error, at,
                          "raw profile version mismatch: Profile uses raw profile format version = %llu; "
                          "expected version = %u: update anyprof, or regenerate the profile",
                          (unsigned long long)number, (unsigned)at.expected);
        return APF_UNSUPPORTED_VERSION;
    }
    return APF_OK;
}

static void read_fields(struct raw_profile *raw)
{
    const uint8_t *header = raw->file + raw->start;
    for (unsigned f = 0; f < RAW_HEADER_FIELD_COUNT; f++) {
        uint16_t at = raw->version->header[f];
        raw->field[f] = at ? load64(header + at, raw->swap) : 0;
    }
    raw->record = &raw->version->record[raw->pointer_bytes == 4];
    raw->counter_bytes = raw->variant & APF_VARIANT_BYTE_COVERAGE ? 1 : 8;
    raw->relative = !(raw->version->caps & RAW_CAP_ABSOLUTE);
}

/* Adds the section at *at, of as many entries of `size` bytes as a header word says, and advances *at past its padding.
 * Both must end before raw->room. `pad_field` is the word that the size of the padding follows from. */
static int add_section(struct raw_profile *raw, struct raw_section *s, uint64_t *at,
                       enum raw_header_field field, uint64_t size, uint64_t pad,
                       enum raw_header_field pad_field, struct apf_error *error)
{
    uint64_t count = raw->field[field], left = raw->room - *at, bytes;
    struct error_at place = {raw_header_field_path(field), raw->start + raw->version->header[field], count,
                             left / size};
    s->at = *at;
    if (MUL_OVERFLOWS(count, size, &bytes) || bytes > left)
        return error_bound(error, APF_BAD_HEADER, place, "section does not fit in the file");
    s->size = bytes;
    left -= bytes;
    if (pad > left) {
        struct error_at pad_at = {raw_header_field_path(pad_field),
                                  raw->start + raw->version->header[pad_field], pad, left};
        return error_bound(error, APF_BAD_HEADER, pad_at, "padding does not fit in the file");
    }
    *at += bytes + pad;
    return APF_OK;
}

static int find_sections(struct raw_profile *raw, struct apf_error *error)
{
    const uint64_t *f = raw->field;
    uint64_t at = raw->start + raw->version->header_size;
    uint64_t names_pad = raw->version->caps & RAW_CAP_NAMES_UNPADDED ? 0 : pad8(f[RAW_NAMES_SIZE] % 8);
    uint64_t vtable = RAW_VTABLE_SIZE(raw->pointer_bytes);
    const struct {
        struct raw_section *section;
        enum raw_header_field count;
        uint64_t size, pad;
        enum raw_header_field pad_field;
    } rows[] = {
        {&raw->data, RAW_NUM_DATA, raw->record->size, f[RAW_PAD_BEFORE_COUNTERS], RAW_PAD_BEFORE_COUNTERS},
        {&raw->counters, RAW_NUM_COUNTERS, raw->counter_bytes, f[RAW_PAD_AFTER_COUNTERS],
         RAW_PAD_AFTER_COUNTERS},
        {&raw->bitmap, RAW_NUM_BITMAP_BYTES, 1, f[RAW_PAD_AFTER_BITMAP], RAW_PAD_AFTER_BITMAP},
        {&raw->uniform, RAW_NUM_UNIFORM, 8, f[RAW_PAD_AFTER_UNIFORM], RAW_PAD_AFTER_UNIFORM},
        {&raw->names, RAW_NAMES_SIZE, 1, names_pad, RAW_NAMES_SIZE},
        {&raw->vtables, RAW_NUM_VTABLES, vtable, pad8(f[RAW_NUM_VTABLES] * vtable % 8), RAW_NUM_VTABLES},
        {&raw->vtable_names, RAW_VNAMES_SIZE, 1, pad8(f[RAW_VNAMES_SIZE] % 8), RAW_VNAMES_SIZE},
    };
    int code = add_section(raw, &raw->ids, &at, RAW_BINARY_IDS_SIZE, 1, 0, RAW_BINARY_IDS_SIZE, error);
    if (code == APF_OK && raw->version->caps & RAW_CAP_IDS_PADDED && raw->ids.size % 8) {
        struct error_at place = {raw_header_field_path(RAW_BINARY_IDS_SIZE),
                                 raw_header_at(raw, RAW_BINARY_IDS_SIZE), raw->ids.size,
                                 align8(raw->ids.size)};
        code = error_at(error, APF_BAD_HEADER, place, NULL);
    }
    for (size_t i = 0; code == APF_OK && i < sizeof rows / sizeof *rows; i++)
        code = add_section(raw, rows[i].section, &at, rows[i].count, rows[i].size, rows[i].pad,
                           rows[i].pad_field, error);
    raw->values_at = at;
    return code;
}

static int open_profile(struct raw_profile *raw, const uint8_t *file, uint64_t n, uint64_t start,
                        uint64_t room, struct apf_error *error)
{
    memset(raw, 0, sizeof *raw);
    raw->file = file;
    raw->file_size = n;
    raw->room = room;
    raw->start = start;
    struct cursor c = cursor_make(file, n, false);
    cursor_skip(&c, start);
    int code = read_version(raw, &c, error);
    if (code != APF_OK)
        return code;
    if (n - start < raw->version->header_size) {
        struct error_at at = {"raw.header.size", start, n - start, raw->version->header_size};
        return error_bound(error, APF_BAD_HEADER, at, "the file ends in its header");
    }
    read_fields(raw);
    /* LLVM accepts any ValueKindLast; the record layout has the number of kinds that there is room for. */
    uint64_t last = raw->field[RAW_VALUE_KIND_LAST];
    raw->kinds = last < raw->record->kinds ? (unsigned)last + 1 : raw->record->kinds;
    raw->n_records = raw->field[RAW_NUM_DATA];
    return find_sections(raw, error);
}

/* A file that is cut off is no larger than this; a larger one has a damaged header. */
#define LARGEST_WHOLE ((uint64_t)1 << 40)

/* Says of sections that do not fit in the file how large it would be with them. */
static void report_cut(const struct raw_profile *raw, struct apf_error *error)
{
    struct raw_profile whole;
    struct error_at at = {error->where, error->offset, error->found, error->expected};
    if (raw_profile_open_cut(&whole, raw->file, raw->file_size, raw->start, NULL) == APF_OK &&
        whole.values_at > raw->file_size && whole.values_at <= LARGEST_WHOLE)
        error_set_bound(error, APF_BAD_HEADER, at,
                        "cut off at %llu of at least %llu bytes, unless the sizes in the header are wrong",
                        (unsigned long long)raw->file_size, (unsigned long long)whole.values_at);
}

int raw_profile_open(struct raw_profile *raw, const uint8_t *file, uint64_t n, uint64_t start,
                     struct apf_error *error)
{
    int code = open_profile(raw, file, n, start, n, error);
    if (code == APF_BAD_HEADER && error && raw->record)
        report_cut(raw, error);
    return code;
}

int raw_profile_open_cut(struct raw_profile *raw, const uint8_t *file, uint64_t n, uint64_t start,
                         struct apf_error *error)
{
    return open_profile(raw, file, n, start, INT64_MAX,
                        error); /* so that sums of two offsets do not overflow */
}

/* ---- records ---- */

bool raw_profile_is_bare(const struct raw_profile *raw)
{
    return !raw->field[RAW_NUM_DATA] && (raw->field[RAW_NUM_COUNTERS] || raw->field[RAW_NUM_BITMAP_BYTES]);
}

static const uint8_t *record_bytes(const struct raw_profile *raw, uint64_t i)
{
    return raw->file + raw->data.at + i * raw->record->size;
}

static uint64_t load_pointer(const struct raw_profile *raw, const uint8_t *record, uint16_t at)
{
    if (at == RAW_NONE)
        return 0;
    return raw_profile_pointer(raw, record + at);
}

/* The byte offset in a section that record i's pointer means. `delta` is the section's word of the header, of which
 * relative pointers subtract the size of a record for each record. The difference is modulo the pointer width; one
 * outside the section is computed again modulo 2^32, since Windows runtimes store distances in 32 bits. */
static uint64_t section_offset(struct raw_profile *raw, uint64_t i, uint64_t pointer, uint64_t delta,
                               uint64_t size)
{
    if (raw->relative)
        delta -= i * raw->record->size;
    uint64_t offset = pointer - delta;
    if (raw->pointer_bytes == 4)
        return (uint32_t)offset;
    if (offset >= size && pointer <= UINT32_MAX && raw->relative && (uint32_t)offset < size) {
        raw->truncated_delta = true;
        return (uint32_t)offset;
    }
    return offset;
}

static int report_outside(const struct raw_profile *raw, const char *where, uint64_t at, const char *what,
                          uint64_t offset, uint64_t size, struct apf_error *error)
{
    bool negative = raw->pointer_bytes == 8 ? (int64_t)offset < 0 : (int32_t)(uint32_t)offset < 0;
    struct error_at place = {where, at, offset, size ? size - 1 : 0};
    if (negative) {
        long long shown = raw->pointer_bytes == 8 ? (long long)(int64_t)offset : (int32_t)(uint32_t)offset;
        return error_at(error, APF_MALFORMED, place, "%s offset %lld is negative", what, shown);
    }
    return error_bound(error, APF_MALFORMED, place,
                       "%s offset %llu is greater than the maximum %s offset %llu", what,
                       (unsigned long long)offset, what, (unsigned long long)place.expected);
}

/* Checks that `n` entries of `size` bytes at a byte offset lie inside a section. `at` is the offset in the file of the
 * field that says so, `what` and `plural` are names of an entry for messages. */
static int check_span(const struct raw_profile *raw, const char *where, uint64_t at, const char *what,
                      const char *plural, uint64_t offset, uint64_t n, unsigned size, uint64_t section_bytes,
                      struct apf_error *error)
{
    if (offset >= section_bytes)
        return report_outside(raw, where, at, what, offset, section_bytes, error);
    uint64_t most = (section_bytes - offset) / size;
    if (n <= most)
        return APF_OK;
    struct error_at place = {where, at, n, most};
    return error_bound(error, APF_MALFORMED, place,
                       "number of %s %llu is greater than the maximum number of %s %llu", plural,
                       (unsigned long long)n, plural, (unsigned long long)most);
}

/* RAW_CAP_NAME_POINTERS: the name is where the record points to. */
static int read_name(const struct raw_profile *raw, const uint8_t *p, uint64_t at, struct raw_record *out,
                     struct apf_error *error)
{
    uint64_t name = load_pointer(raw, p, raw->record->name_ptr) - raw->field[RAW_NAMES_DELTA];
    uint32_t size = load32(p + raw->record->name_size, raw->swap);
    if (raw->pointer_bytes == 4)
        name = (uint32_t)name;
    struct error_at place = {"raw.record.name", at, name, raw->names.size};
    if (name > raw->names.size || size > raw->names.size - name)
        return error_bound(error, APF_MALFORMED, place, "name lies outside the names section");
    if (size == 0)
        return error_at(error, APF_MALFORMED, place, "symbol name is empty");
    if (name > UINT32_MAX)
        return error_at(error, APF_TOO_LARGE, place, NULL);
    out->name_at = (uint32_t)name;
    out->name_size = size;
    return APF_OK;
}

/* The counters of a function in a temporal profile begin with a timestamp of 8 bytes, whatever the counter's size. */
static void strip_timestamp(const struct raw_profile *raw, struct raw_record *out)
{
    uint64_t slots = TIMESTAMP_BYTES / raw->counter_bytes;
    out->timestamp_at = UINT64_MAX;
    if (!(raw->variant & APF_VARIANT_TEMPORAL) || raw->no_timestamps || out->n_counters < slots)
        return;
    out->timestamp_at = out->counters;
    out->counters += TIMESTAMP_BYTES;
    out->n_counters -= slots;
}

static int read_spans(struct raw_profile *raw, uint64_t i, const uint8_t *p, uint64_t at,
                      struct raw_record *out, struct apf_error *error)
{
    const struct raw_record_layout *r = raw->record;
    const uint64_t *f = raw->field;
    out->counters = section_offset(raw, i, load_pointer(raw, p, r->counter_ptr), f[RAW_COUNTERS_DELTA],
                                   raw->counters.size);
    if (raw->version->caps & RAW_CAP_ABSOLUTE && !raw->relative)
        out->counters -= out->counters % 8; /* as LLVM's readers of these versions do */
    int code = check_span(raw, "raw.record.counter_ptr", at + r->counter_ptr, "counter", "counters",
                          out->counters, out->n_counters, raw->counter_bytes, raw->counters.size, error);
    if (code == APF_OK && out->n_bitmap) {
        out->bitmap = section_offset(raw, i, load_pointer(raw, p, r->bitmap_ptr), f[RAW_BITMAP_DELTA],
                                     raw->bitmap.size);
        code = check_span(raw, "raw.record.bitmap_ptr", at + r->bitmap_ptr, "bitmap", "bitmap bytes",
                          out->bitmap, out->n_bitmap, 1, raw->bitmap.size, error);
    }
    if (code == APF_OK && f[RAW_NUM_UNIFORM]) {
        out->uniform = section_offset(raw, i, load_pointer(raw, p, r->uniform_ptr), f[RAW_UNIFORM_DELTA],
                                      raw->uniform.size);
        code = check_span(raw, "raw.record.uniform_ptr", at + r->uniform_ptr, "uniform counter",
                          "uniform counters", out->uniform, out->n_counters, 8, raw->uniform.size, error);
    }
    return code;
}

static int report_no_counters(uint64_t at, struct apf_error *error)
{
    struct error_at place = {"raw.record.num_counters", at, 0, 1};
    return error_bound(error, APF_MALFORMED, place, "number of counters is zero");
}

/* Reads a record that correlation found in the program: its offsets are from the start of the section, and it has no
 * values. */
static int read_correlated(const struct raw_profile *raw, uint64_t i, struct raw_record *out,
                           struct apf_error *error)
{
    const struct apf_function *f = raw_correlated_function(raw, i);
    if (f->n_counters == 0)
        return report_no_counters(NO_OFFSET, error);
    out->at = raw->counters.at + f->counters;
    out->hash = f->hash;
    out->name_ref = f->id;
    out->counters = f->counters;
    out->n_counters = f->n_counters;
    out->bitmap = f->bitmap;
    out->n_bitmap = f->n_bitmap;
    int code = check_span(raw, "correlation.counters", NO_OFFSET, "counter", "counters", out->counters,
                          out->n_counters, raw->counter_bytes, raw->counters.size, error);
    if (code == APF_OK && out->n_bitmap)
        code = check_span(raw, "correlation.bitmap", NO_OFFSET, "bitmap", "bitmap bytes", out->bitmap,
                          out->n_bitmap, 1, raw->bitmap.size, error);
    strip_timestamp(raw, out);
    return code == APF_OK && out->n_counters == 0 ? report_no_counters(NO_OFFSET, error) : code;
}

int raw_profile_record(struct raw_profile *raw, uint64_t i, struct raw_record *out, struct apf_error *error)
{
    const struct raw_record_layout *r = raw->record;
    int code = APF_OK;
    memset(out, 0, sizeof *out);
    if (raw->correlated)
        return read_correlated(raw, i, out, error);
    const uint8_t *p = record_bytes(raw, i);
    uint64_t at = raw->data.at + i * r->size;
    out->at = at;
    out->n_counters = load32(p + r->num_counters, raw->swap);
    if (out->n_counters == 0) {
        out->skip = bytes_zero(p, r->size);
        return out->skip ? APF_OK : report_no_counters(at + r->num_counters, error);
    }
    out->hash = load64(p + r->func_hash, raw->swap);
    if (!(raw->version->caps & RAW_CAP_NAME_POINTERS))
        out->name_ref = load64(p + r->name_ref, raw->swap);
    else
        code = read_name(raw, p, at, out, error);
    out->function_ptr = load_pointer(raw, p, r->function_ptr);
    if (r->num_bitmap_bytes != RAW_NONE)
        out->n_bitmap = load32(p + r->num_bitmap_bytes, raw->swap);
    for (unsigned k = 0; k < raw->kinds; k++)
        out->n_sites[k] = load16(p + r->sites + 2 * k, raw->swap);
    if (code == APF_OK)
        code = read_spans(raw, i, p, at, out, error);
    strip_timestamp(raw, out);
    if (code == APF_OK && out->n_counters == 0) /* there is only a timestamp */
        return report_no_counters(at + r->num_counters, error);
    return code;
}

void raw_profile_probe(struct raw_profile *raw)
{
    struct raw_record r;
    uint64_t n = raw->n_records;
    if (raw->version->caps & RAW_CAP_MAYBE_RELATIVE && !raw->correlated) {
        for (uint64_t i = 0; i < n && !raw->relative; i++)
            raw->relative = raw_profile_record(raw, i, &r, NULL) != APF_OK;
        for (uint64_t i = 0; i < n && raw->relative; i++)
            raw->relative = raw_profile_record(raw, i, &r, NULL) == APF_OK;
    }
    /* -pgo-temporal-instrumentation with function entry coverage sets the bit but stores no timestamp. */
    uint64_t temporal_bytes = APF_VARIANT_TEMPORAL | APF_VARIANT_BYTE_COVERAGE;
    if ((raw->variant & temporal_bytes) == temporal_bytes)
        for (uint64_t i = 0; i < n && !raw->no_timestamps; i++) {
            uint32_t counters = raw->correlated
                                    ? raw_correlated_function(raw, i)->n_counters
                                    : load32(record_bytes(raw, i) + raw->record->num_counters, raw->swap);
            raw->no_timestamps = counters > 0 && counters < TIMESTAMP_BYTES;
        }
}

/* ---- what lies between profiles ---- */

static uint64_t skip_zeros(const struct raw_profile *raw, uint64_t at)
{
    while (at < raw->file_size && raw->file[at] == 0)
        at++;
    return at;
}

bool raw_profile_values_missing(const struct raw_profile *raw, uint64_t at)
{
    bool swap;
    unsigned bytes;
    uint64_t next = skip_zeros(raw, at);
    return next == raw->file_size || raw_magic(raw->file + next, raw->file_size - next, &swap, &bytes);
}

int raw_profile_next(const struct raw_profile *raw, uint64_t end, uint64_t *at, bool *unaligned,
                     struct apf_error *error)
{
    bool swap;
    unsigned bytes;
    uint64_t next = skip_zeros(raw, end);
    *at = next;
    if (next == raw->file_size)
        return APF_OK;
    uint64_t left = raw->file_size - next;
    if (raw_magic(raw->file + next, left, &swap, &bytes)) {
        *unaligned = next % 8 != 0;
        return APF_OK;
    }
    struct error_at place = {"raw.next_profile", next, left, raw->version->header_size};
    if (left < raw->version->header_size)
        return error_bound(error, APF_MALFORMED, place, "not enough space for another header");
    place.found = load64le(raw->file + next);
    place.expected = load64le(raw->file); /* the first profile's magic */
    return error_magic(error, APF_BAD_MAGIC, place);
}

/* ---- binary ids ---- */

static int report_id(struct apf_error *error, uint64_t at, uint64_t found, uint64_t expected,
                     const char *detail)
{
    struct error_at place = {"raw.binary_ids", at, found, expected};
    return error_bound(error, APF_MALFORMED, place, "%s", detail);
}

int raw_profile_ids(const struct raw_profile *raw, int (*id)(void *user, const uint8_t *p, uint64_t n),
                    void *user, bool *unpadded, struct apf_error *error)
{
    struct cursor c = cursor_make(raw->file, raw->ids.at + raw->ids.size, raw->swap); /* ends with the ids */
    bool padded = raw->version->caps & RAW_CAP_IDS_PADDED;
    cursor_skip(&c, raw->ids.at);
    while (cursor_left(&c)) {
        uint64_t at = cursor_offset(&c), left = cursor_left(&c);
        uint64_t n = cursor_u64(&c);
        if (c.failed)
            return report_id(error, at, left, 8, "not enough data to read binary id length");
        if (n == 0)
            return report_id(error, at, 0, 1, "binary id length is 0");
        const uint8_t *p = cursor_bytes(&c, n);
        if (p && padded)
            cursor_skip(&c, pad8(n % 8));
        if (c.failed)
            return report_id(error, at, n, left - 8, "not enough data to read binary id data");
        if (n % 8 && !padded)
            *unpadded = true;
        int code = id(user, p, n);
        if (code != APF_OK)
            return code == APF_NO_MEMORY ? error_memory(error) : code;
    }
    return APF_OK;
}
