/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cov/object.h"

#include <string.h>

#include "base/cursor.h"
#include "base/deflate.h"
#include "base/error.h"
#include "base/md5.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "cov/mapping.h"

#define HEADER_BYTES 16u
#define VERSION_AT 12u
/* Records between the steps of prefetching. */
#define LOOK_AHEAD 8u
struct object_reader {
    struct cov_object *o;
    const struct cov_tables *tables;
    uint32_t number; /* of the object */
    uint64_t budget;
    uint64_t n_names;             /* that it lists, each once */
    struct hash_index by_address; /* records of old versions by the address of their names */
    VEC(uint64_t) addresses;      /* that address, of each record */
    struct arena paths;           /* of one joined name */
    struct arena scratch;         /* of inflated lists and names */
    struct apf_error *error;
};

/* Whether the version of the object has MAPPING_*. */
static bool has(const struct object_reader *r, unsigned cap)
{
    return r->o->version && r->o->version->caps & cap;
}

static int wrong(const struct object_reader *r, const char *where, uint64_t offset, const char *what)
{
    return error_place(r->error, APF_BAD_COVERAGE, where, offset, what);
}

/* ---- names ---- */

/* Notes that the object lists a name: each unit of a program lists those of functions in its headers again, which are
 * most of them. */
static int note_name(struct object_reader *r, uint32_t number)
{
    struct cov_name *entry = &r->tables->names->list.data[number];
    if (entry->object == r->number)
        return APF_OK;
    entry->object = r->number;
    entry->record = HASH_INDEX_NONE;
    if (++r->n_names >
        r->o->sections->names.n) /* compression does not make more of them than there are bytes */
        return wrong(r, "covmap.names", 0, "there are more names than bytes");
    return APF_OK;
}

/* Splits the beginning of a text into names, and moves *text after them. Returns how many there are. */
static size_t split_names(const char **text, const char *end, struct apf_str *names, size_t most)
{
    size_t n = 0;
    while (*text < end && n < most) {
        const char *stop = memchr(*text, NAME_SEPARATOR, (size_t)(end - *text));
        names[n] = (struct apf_str){*text, (size_t)((stop ? stop : end) - *text)};
        n += names[n].n != 0;
        *text = stop ? stop + 1 : end;
    }
    return n;
}

/* Adds the names in a text. `in_file`: its bytes stay. */
static int add_names(struct object_reader *r, const char *text, uint64_t n, bool in_file)
{
    const char *end = text + n;
    int code = APF_OK;
    while (text < end && code == APF_OK) {
        struct apf_str names[COV_NAMES_BATCH];
        uint32_t numbers[COV_NAMES_BATCH];
        const size_t n_names = split_names(&text, end, names, COV_NAMES_BATCH);
        code = cov_names_add_all(r->tables->names, names, n_names, in_file, numbers, r->error);
        for (size_t i = 0; i < n_names && code == APF_OK; i++)
            code = note_name(r, numbers[i]);
    }
    return code;
}

static int read_chunk(struct object_reader *r, struct cursor *c)
{
    const struct arena_mark mark = arena_mark(&r->scratch);
    const uint8_t *text = NULL;
    uint64_t n = 0;
    bool in_file;
    int code = name_chunk_read(c, &r->budget, "covmap.names", &r->scratch, &text, &n, &in_file, r->error);
    if (code != APF_OK && code != APF_NO_MEMORY && code != APF_LIMIT)
        code = wrong(r, "covmap.names", 0, "the names are damaged");
    if (code == APF_OK && n)
        code = add_names(r, (const char *)text, n, in_file);
    arena_rewind(&r->scratch, mark);
    name_chunk_pass_padding(c);
    return code;
}

static int read_names(struct object_reader *r)
{
    const struct section_bytes *s = &r->o->sections->names;
    struct cursor c = cursor_make(s->p, s->n, false);
    int code = APF_OK;
    while (code == APF_OK && cursor_left(&c))
        code = read_chunk(r, &c);
    return code;
}

/* ---- lists of files ---- */

/* Adds a file to the list of the last unit. */
static int add_file(struct object_reader *r, struct apf_str directory, struct apf_str name)
{
    const struct arena_mark mark = arena_mark(&r->paths);
    const struct cov_name_rules *rules = r->tables->rules;
    const enum names_style style =
        rules->style == NAMES_BY_DRIVE && r->o->sections->is_coff ? NAMES_OF_WINDOWS : rules->style;
    const struct apf_str path = file_names_join(&r->paths, directory, name, style);
    uint32_t number;
    if (!path.p)
        return error_memory(r->error);
    if (directory.n && path.n > r->budget) /* each name has all of the directory */
        return error_plain(r->error, APF_LIMIT, "covmap.files", "names of files are longer than is allowed");
    r->budget -= directory.n ? path.n : 0;
    const struct apf_name_change *change = file_names_change(rules->changes, rules->n_changes, path);
    const struct apf_str shown = change ? file_names_changed(&r->paths, path, change) : path;
    int code = shown.p ? text_set_add(r->tables->files, shown, &number, r->error) : error_memory(r->error);
    arena_rewind(&r->paths, mark);
    if (code == APF_OK && !VEC_PUSH(&r->o->unit_files, number))
        code = error_memory(r->error);
    return code;
}

/* Reads n names. In newer versions, the first one is the directory of the others. */
static int read_file_names(struct object_reader *r, struct cursor *c, uint64_t n)
{
    struct apf_str directory = {NULL, 0};
    int code = APF_OK;
    for (uint64_t i = 0; i < n && code == APF_OK; i++) {
        const uint64_t length = cursor_uleb128(c);
        const struct apf_str name = {(const char *)cursor_bytes(c, length), (size_t)length};
        if (c->failed)
            return wrong(r, "covmap.file", cursor_offset(c), "a name of a file does not fit");
        code = add_file(r, i ? directory : (struct apf_str){NULL, 0}, name);
        if (i == 0 && has(r, MAPPING_DIRECTORY))
            directory = r->tables->rules->has_compilation_dir ? r->tables->rules->compilation_dir : name;
    }
    return code;
}

/* The bytes of a list, inflated if they are compressed. */
static int open_list(struct object_reader *r, struct cursor *c)
{
    const uint64_t size = cursor_uleb128(c), packed = cursor_uleb128(c);
    if (c->failed)
        return wrong(r, "covmap.files", cursor_offset(c), "the list of files is cut off");
    if (packed == 0)
        return APF_OK;
    const uint8_t *stream = cursor_bytes(c, packed);
    if (!stream || size / DEFLATE_MAX_RATIO > packed)
        return wrong(r, "covmap.files", cursor_offset(c), "the compressed list of files does not fit");
    if (size > r->budget)
        return error_plain(r->error, APF_LIMIT, "covmap.files", "larger than the limit for inflated data");
    r->budget -= size;
    uint8_t *text = arena_bytes(&r->scratch, size ? size : 1);
    if (!text)
        return error_memory(r->error);
    const int code = deflate_expand(stream, packed, text, size);
    if (code != APF_OK)
        return code == APF_NO_MEMORY ? error_memory(r->error)
                                     : wrong(r, "covmap.files", cursor_offset(c), "it cannot be inflated");
    *c = cursor_make(text, size, false);
    return APF_OK;
}

static int read_list(struct object_reader *r, const uint8_t *p, size_t n)
{
    struct cursor c = cursor_make(p, n, false);
    const uint32_t first = (uint32_t)r->o->unit_files.n;
    const struct arena_mark mark = arena_mark(&r->scratch);
    const uint64_t count = cursor_uleb128(&c);
    if (c.failed || count == 0)
        return wrong(r, "covmap.files", 0, "the list of files is empty, or cut off");
    int code = has(r, MAPPING_COVFUN) ? open_list(r, &c) : APF_OK;
    if (code == APF_OK && count > cursor_left(&c))
        code = wrong(r, "covmap.files", 0, "there are more files than bytes");
    if (code == APF_OK)
        code = read_file_names(r, &c, count);
    arena_rewind(&r->scratch, mark);
    const struct cov_unit unit = {
        .ref = md5_name_ref(p, n), .first = first, .n = (uint32_t)(r->o->unit_files.n - first)};
    return code != APF_OK || VEC_PUSH(&r->o->units, unit) ? code : error_memory(r->error);
}

/* ---- functions ---- */

struct record_head {
    uint64_t name, hash, files;
    uint32_t size;
};

static int nameless(const struct object_reader *r, uint64_t at)
{
    return wrong(r, "covfun.name", at, "function name is empty");
}

/* Finds the name of a function among those that the object lists. */
static int find_name(const struct object_reader *r, uint64_t ref, uint32_t *name)
{
    const struct cov_names *names = r->tables->names;
    *name = cov_names_find(names, ref);
    if (*name != HASH_INDEX_NONE && names->list.data[*name].object == r->number)
        return APF_OK;
    /* or the profile has its name with another ref */
    const int code = cov_names_check(names, r->error);
    return code == APF_OK ? nameless(r, 0) : code;
}

/* Takes the name of a function of an old version, which has its address. */
static int take_name(struct object_reader *r, uint64_t address, uint32_t size, uint32_t *name)
{
    const struct cov_sections *s = r->o->sections;
    const uint64_t at = address - s->names_address;
    if (at > s->names.n || size > s->names.n - at || !size)
        return nameless(r, at);
    if (size > r->budget) /* names may overlap */
        return error_plain(r->error, APF_LIMIT, "covmap.names", "together, names are longer than is allowed");
    r->budget -= size;
    return cov_names_add(r->tables->names, (struct apf_str){(const char *)s->names.p + at, size}, true, name,
                         r->error);
}

static bool is_dummy(const struct cov_record *record)
{
    return record->hash == 0 && mapping_is_dummy(record->mapping, record->size);
}

static int push_record(struct object_reader *r, const struct cov_record *record)
{
    return VEC_PUSH(&r->o->records, *record) ? APF_OK : error_memory(r->error);
}

/* Puts a record in place of one of the same function: a record of no code gives way to one of code. */
static void prefer_record(struct object_reader *r, uint32_t number, const struct cov_record *record)
{
    struct cov_record *before = &r->o->records.data[number];
    if (is_dummy(before) && !is_dummy(record))
        *before = *record;
}

/* Keeps a record, unless its function is there already. */
static int keep_record(struct object_reader *r, const struct cov_record *record)
{
    struct cov_name *name = &r->tables->names->list.data[record->name];
    if (name->record != HASH_INDEX_NONE) {
        prefer_record(r, name->record, record);
        return APF_OK;
    }
    name->record = (uint32_t)r->o->records.n;
    return push_record(r, record);
}

/* keep_record for old versions, where each address is a function. */
static int keep_old_record(struct object_reader *r, uint64_t address, const struct cov_record *record)
{
    uint32_t e;
    if (!hash_index_reserve(&r->by_address, 1))
        return hash_index_error(&r->by_address, r->error);
    const uint64_t hash = hash_index_mix(&r->by_address, address, 0);
    HASH_INDEX_FIND(e, &r->by_address, hash, r->addresses.data[e] == address);
    if (e != HASH_INDEX_NONE) {
        prefer_record(r, e, record);
        return APF_OK;
    }
    hash_index_add(&r->by_address, hash, (uint32_t)r->o->records.n);
    return VEC_PUSH(&r->addresses, address) ? push_record(r, record) : error_memory(r->error);
}

static int take_record(struct object_reader *r, const struct record_head *head, uint32_t name_size,
                       uint32_t unit, const uint8_t *mapping)
{
    const bool has_ref = has(r, MAPPING_REFS);
    struct cov_record record = {.hash = head->hash, .mapping = mapping, .size = head->size, .unit = unit};
    const int code =
        has_ref ? find_name(r, head->name, &record.name) : take_name(r, head->name, name_size, &record.name);
    if (code != APF_OK)
        return code;
    return has_ref ? keep_record(r, &record) : keep_old_record(r, head->name, &record);
}

/* Reads the n records of a unit of an old version, whose mappings follow its files. */
static int read_old_records(struct object_reader *r, struct cursor *records, struct cursor *mappings,
                            uint32_t n)
{
    const bool has_refs = has(r, MAPPING_REFS);
    int code = APF_OK;
    for (uint32_t i = 0; i < n && code == APF_OK; i++) {
        struct record_head head = {0};
        head.name = has_refs || r->o->sections->long_pointers ? cursor_u64(records) : cursor_u32(records);
        const uint32_t name_size = has_refs ? 0 : cursor_u32(records);
        head.size = cursor_u32(records);
        head.hash = cursor_u64(records);
        const uint8_t *mapping = cursor_bytes(mappings, head.size);
        if (records->failed || !mapping)
            return wrong(r, "covmap.record", cursor_offset(records), "a function does not fit");
        code = take_record(r, &head, name_size, (uint32_t)r->o->units.n - 1, mapping);
    }
    return code;
}

/* The unit with a ref, or NULL. */
static const struct cov_unit *find_unit(const struct cov_object *o, uint64_t ref)
{
    size_t low;
    SEARCH(low, 0, o->units.n, o->units.data[low].ref < ref);
    return low < o->units.n && o->units.data[low].ref == ref ? &o->units.data[low] : NULL;
}

/* Reads a record that begins at a multiple of 8 bytes, and returns where its mapping begins. */
static const uint8_t *read_head(struct cursor *c, struct record_head *head)
{
    head->name = cursor_u64(c);
    head->size = cursor_u32(c);
    head->hash = cursor_u64(c);
    head->files = cursor_u64(c);
    return cursor_bytes(c, head->size);
}

static void skip_padding(struct cursor *c)
{
    const size_t padding = (8 - cursor_offset(c) % 8) % 8;
    cursor_skip(c, padding < cursor_left(c) ? padding : cursor_left(c));
}

/* Reads the heads of later records, whose names are spread over much memory, and prefetches those. */
struct look_ahead {
    struct cursor c;
    uint64_t refs[2 * LOOK_AHEAD]; /* of record i at i % n */
    size_t n;                      /* heads that were read */
};

static void look_ahead(struct look_ahead *a, const struct cov_names *names)
{
    struct record_head head;
    if (cursor_left(&a->c) && read_head(&a->c, &head)) {
        skip_padding(&a->c);
        a->refs[a->n % (2 * LOOK_AHEAD)] = head.name;
        cov_names_fetch(names, head.name, 0);
    }
    if (a->n >= LOOK_AHEAD)
        cov_names_fetch(names, a->refs[(a->n - LOOK_AHEAD) % (2 * LOOK_AHEAD)], 1);
    a->n++;
}

/* Reads records of the section that only they are in. */
static int read_records(struct object_reader *r, const struct section_bytes *bytes)
{
    struct cursor c = cursor_make(bytes->p, bytes->n, r->o->sections->swap);
    struct look_ahead ahead = {.c = c};
    int code = APF_OK;
    for (size_t i = 0; i < 2 * LOOK_AHEAD; i++)
        look_ahead(&ahead, r->tables->names);
    while (code == APF_OK && cursor_left(&c)) {
        struct record_head head;
        const uint64_t at = cursor_offset(&c);
        const uint8_t *mapping = read_head(&c, &head);
        look_ahead(&ahead, r->tables->names);
        if (c.failed)
            return wrong(r, "covfun.record", at, "a function does not fit in the section");
        const struct cov_unit *unit = find_unit(r->o, head.files);
        if (!unit)
            return wrong(r, "covfun.files", at, "no list of files has the id of this function's");
        code = take_record(r, &head, 0, (uint32_t)(unit - r->o->units.data), mapping);
        skip_padding(&c);
    }
    return code;
}

/* ---- units ---- */

static int read_unit(struct object_reader *r, struct cursor *c)
{
    const uint64_t at = cursor_offset(c);
    const uint32_t n_records = cursor_u32(c), files_size = cursor_u32(c), mappings_size = cursor_u32(c),
                   version = cursor_u32(c);
    if (c->failed)
        return wrong(r, "covmap.header", at, "the header of a unit is cut off");
    if (!r->o->version && !(r->o->version = mapping_version_find(version)))
        return error_plain(r->error, APF_COVERAGE_VERSION, "covmap.version",
                           "it is %llu, and 7 is the newest", (unsigned long long)version + 1);
    const bool old = !has(r, MAPPING_COVFUN);
    const size_t record_size = !has(r, MAPPING_REFS) && r->o->sections->long_pointers ? 24 : 20;
    if (!old && n_records)
        return wrong(r, "covmap.records", at,
                     "there are functions in a section that has none in this version");
    if (!old && mappings_size)
        return wrong(r, "covmap.mappings", at,
                     "there are mappings in a section that has none in this version");
    struct cursor records = cursor_sub(c, (uint64_t)n_records * record_size);
    const uint8_t *files = cursor_bytes(c, files_size);
    struct cursor mappings = cursor_sub(c, old ? mappings_size : 0);
    if (c->failed || !files)
        return wrong(r, "covmap.files", at, "the list of files does not fit in the section");
    int code = read_list(r, files, files_size);
    if (code == APF_OK && old)
        code = read_old_records(r, &records, &mappings, n_records);
    skip_padding(c);
    return code;
}

static bool unit_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct cov_unit *)a)->ref < ((const struct cov_unit *)b)->ref;
}

/* Sorts the units by their refs, and keeps one of each. */
static int sort_units(struct object_reader *r)
{
    struct cov_object *o = r->o;
    size_t n = 0;
    if (!SORT_VEC(&o->units, unit_before, NULL))
        return error_memory(r->error);
    for (size_t i = 0; i < o->units.n; i++) {
        const struct cov_unit *unit = &o->units.data[i];
        struct cov_unit *last = &o->units.data[n ? n - 1 : 0];
        if (n == 0 || last->ref != unit->ref)
            o->units.data[n++] = *unit;
        else if (last->n != unit->n ||
                 memcmp(o->unit_files.data + last->first, o->unit_files.data + unit->first,
                        unit->n * sizeof *o->unit_files.data) != 0)
            last->ambiguous = true;
    }
    o->units.n = n;
    return APF_OK;
}

static int read_all(struct object_reader *r)
{
    const struct cov_sections *s = r->o->sections;
    struct cursor c = cursor_make(s->covmap.p, s->covmap.n, s->swap);
    r->o->version =
        s->covmap.n < HEADER_BYTES ? NULL : mapping_version_find(load32(s->covmap.p + VERSION_AT, s->swap));
    int code = has(r, MAPPING_REFS) ? read_names(r) : APF_OK; /* else functions have the addresses of names */
    while (code == APF_OK && cursor_left(&c))
        code = read_unit(r, &c);
    if (code == APF_OK && has(r, MAPPING_COVFUN))
        code = sort_units(r);
    for (size_t i = 0; code == APF_OK && has(r, MAPPING_COVFUN) && i < s->covfun.n; i++)
        code = read_records(r, &s->covfun.data[i]);
    return code;
}

int cov_object_read(struct cov_object *o, const struct cov_sections *sections, uint32_t number,
                    const struct cov_tables *tables, uint64_t *budget, struct apf_error *error)
{
    *o = (struct cov_object){.sections = sections};
    struct object_reader r = {.o = o, .tables = tables, .number = number, .budget = *budget, .error = error};
    int code = read_all(&r);
    *budget = r.budget;
    VEC_FREE(&r.addresses);
    hash_index_free(&r.by_address);
    arena_free(&r.paths);
    arena_free(&r.scratch);
    return code;
}

void cov_object_free(struct cov_object *o)
{
    VEC_FREE(&o->units);
    VEC_FREE(&o->unit_files);
    VEC_FREE(&o->records);
}
