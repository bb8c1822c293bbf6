/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the result of a lookup as text like llvm-profdata's show, or as JSON. */
#include <string.h>

#include "base/error.h"
#include "base/json_entry.h"
#include "base/options.h"
#include "base/text_append.h"
#include "instr/json/profile_json.h"
#include "instr/lookup/lookup_model.h"
#include "instr/model/profile_words.h"

#define LOOKUP_SCHEMA "anyprof-lookup/1"

struct printer {
    struct apf_lookup *lookup;
    struct file_out *out;
    const struct apf_record *records;
    size_t n;
    int code; /* of the first target that could not be read */
    struct apf_error *error;
};

/* A json_target_fn, also used for text. */
static struct apf_str target_name(void *user, unsigned kind, uint64_t id)
{
    struct printer *p = (struct printer *)user;
    struct apf_str name = {NULL, 0};
    (void)kind;
    if (p->code == APF_OK)
        p->code = apf_lookup_name(p->lookup, id, &name, p->error);
    return name;
}

/* ---- text ---- */

/* Writes a share in per cent with two decimals, rounded exactly as printf rounds a double. */
static void write_share(struct file_out *out, uint64_t part, uint64_t sum)
{
    double share = (double)part * 100.0 / (double)(sum ? sum : 1);
    uint64_t bits;
    memcpy(&bits, &share, sizeof bits);
    unsigned exponent = (unsigned)(bits >> 52 & 0x7ff);
    uint64_t v = ((bits & (((uint64_t)1 << 52) - 1)) | (exponent ? (uint64_t)1 << 52 : 0)) * 100;
    unsigned down = 1075 - exponent; /* v / 2^down are the hundredths; the share is at most 100 */
    uint64_t hundredths = down < 64 ? v >> down : 0;
    uint64_t rest = down < 64 ? v & (((uint64_t)1 << down) - 1) : 0,
             half = down < 64 ? (uint64_t)1 << (down - 1) : 1;
    hundredths += rest > half || (rest == half && hundredths & 1);
    text_decimal(out, hundredths / 100, 1);
    text_append(out, hundredths % 100 < 10 ? ".0" : ".");
    text_decimal(out, hundredths % 100, 1);
}

static void write_value(struct printer *p, unsigned kind, size_t site, struct apf_value v, uint64_t sum)
{
    struct file_out *out = p->out;
    text_append(out, "\t[ ");
    text_decimal(out, site, 2);
    text_append(out, ", ");
    if (kind == APF_VALUE_MEMOP_SIZE)
        text_decimal(out, v.value, 4);
    else
        text_function(out, target_name(p, kind, v.value));
    text_append(out, ", ");
    text_decimal(out, v.count, 10);
    text_append(out, " ] (");
    write_share(out, v.count, sum);
    text_append(out, "%)\n");
}

static void write_sites(struct printer *p, const struct apf_record *r, unsigned kind)
{
    for (size_t i = 0; i < r->n_sites[kind] && r->sites[kind]; i++) {
        const struct apf_site *site = &r->sites[kind][i];
        uint64_t sum = 0;
        for (size_t v = 0; v < site->n; v++)
            sum = site->values[v].count > UINT64_MAX - sum ? UINT64_MAX : sum + site->values[v].count;
        for (size_t v = 0; v < site->n; v++)
            write_value(p, kind, i, site->values[v], sum);
    }
}

static void write_number(struct file_out *out, const char *label, uint64_t v)
{
    text_append(out, label);
    text_decimal(out, v, 1);
    text_append(out, "\n");
}

static void write_counts(struct file_out *out, const struct apf_record *r, size_t first)
{
    text_append(out, "    Block counts: [");
    for (size_t i = first; i < r->n_counts; i++) {
        text_append(out, i == first ? "" : ", ");
        text_decimal(out, r->counts[i], 1);
    }
    text_append(out, "]\n");
}

static void write_bitmap(struct file_out *out, const struct apf_record *r)
{
    if (r->n_bitmap)
        text_append(out, "    Bitmap bytes: [");
    for (size_t i = 0; i < r->n_bitmap; i++) {
        text_append(out, i ? ", 0x" : "0x");
        text_hex_digits(out, r->bitmap[i], 2);
    }
    if (r->n_bitmap)
        text_append(out, "]\n");
}

static void write_head(struct printer *p, const struct apf_record *r)
{
    struct file_out *out = p->out;
    text_append(out, "  ");
    text_function(out, r->name);
    text_append(out, ":\n    Hash: 0x");
    text_hex_digits(out, r->hash, HEX_MAX);
    text_append(out, "\n    Counters: ");
    text_decimal(out, r->n_counts, 1);
}

static void write_record(struct printer *p, const struct apf_record *r)
{
    struct file_out *out = p->out;
    bool ir = (p->lookup->info.variant & APF_VARIANT_IR) != 0;
    write_head(p, r);
    if (r->flags & APF_RECORD_PSEUDO) {
        text_append(out, r->counts[0] == PSEUDO_HOT ? "    <PseudoHot>\n" : "    <PseudoWarm>\n");
        return;
    }
    text_append(out, "\n");
    if (!ir)
        write_number(out, "    Function count: ", r->counts[0]);
    write_number(out, "    Indirect Call Site Count: ", r->n_sites[APF_VALUE_INDIRECT_CALL]);
    write_number(out, "    Number of instrumented vtables: ", r->n_sites[APF_VALUE_VTABLE]);
    if (r->n_sites[APF_VALUE_MEMOP_SIZE])
        write_number(out, "    Number of Memory Intrinsics Calls: ", r->n_sites[APF_VALUE_MEMOP_SIZE]);
    write_counts(out, r, ir ? 0 : 1);
    text_append(out, "    Indirect Target Results:\n");
    write_sites(p, r, APF_VALUE_INDIRECT_CALL);
    text_append(out, "    VTable Results:\n");
    write_sites(p, r, APF_VALUE_VTABLE);
    if (r->n_sites[APF_VALUE_MEMOP_SIZE])
        text_append(out, "    Memory Intrinsic Size Results:\n");
    write_sites(p, r, APF_VALUE_MEMOP_SIZE);
    write_bitmap(out, r);
}

static int print_text(struct printer *p)
{
    text_append(p->out, "Counters:\n");
    for (size_t i = 0; i < p->n && p->code == APF_OK; i++)
        write_record(p, &p->records[i]);
    return p->code;
}

/* ---- JSON ---- */

static int print_json(struct printer *p)
{
    struct json_writer w;
    const struct apf_lookup_info *info = &p->lookup->info;
    json_start_output(&w, p->out);
    json_object_begin(&w);
    json_head(&w, LOOKUP_SCHEMA);
    json_entry_string(&w, "kind", format_word(info->format));
    json_entry_u64(&w, "version", info->version);
    variant_words_write(&w, "variant", info->variant);
    json_key(&w, "functions");
    json_array_begin(&w);
    for (size_t i = 0; i < p->n && p->code == APF_OK; i++)
        profile_json_record(&w, &p->records[i], target_name, p);
    json_array_end(&w);
    json_object_end(&w);
    int code = json_finish(&w, p->error);
    return p->code == APF_OK ? code : p->code;
}

/* Finds the records of a name; `one` has room for a single one. */
static int find_exactly(struct printer *p, struct apf_str name, const uint64_t *hash, struct apf_record *one,
                        struct apf_error *error)
{
    p->n = 1;
    if (hash)
        return apf_lookup_find(p->lookup, name, *hash, one, error);
    return apf_lookup_find_all(p->lookup, name, &p->n, error);
}

static int find_records(struct printer *p, struct apf_str name, const uint64_t *hash, uint32_t flags,
                        struct apf_record *one, struct apf_error *error)
{
    struct apf_error failure;
    if (flags & APF_LOOKUP_FOUND) {
        int chosen = hash ? lookup_choose_hash(p->lookup, name, *hash, error) : APF_OK;
        p->records = p->lookup->records.data;
        p->n = p->lookup->records.n;
        return chosen;
    }
    int code = find_exactly(p, name, hash, one, &failure);
    p->records = hash ? one : p->lookup->records.data;
    if (code == APF_UNKNOWN_FUNCTION && flags & APF_LOOKUP_LOCAL && !p->lookup->records.n) {
        code = lookup_find_local(p->lookup, name, hash, &p->n, error);
        p->records = p->lookup->records.data;
    } else if (code != APF_OK && error) {
        *error = failure;
    }
    return code;
}

int apf_lookup_print(struct apf_lookup *lookup, struct apf_str name, const uint64_t *hash, uint32_t flags,
                     const struct apf_output *output, struct apf_error *error)
{
    struct printer p = {.lookup = lookup, .error = error};
    struct apf_record one = {.size = sizeof one};
    int code = flags_check(flags, APF_LOOKUP_JSON | APF_LOOKUP_LOCAL | APF_LOOKUP_FOUND,
                           "apf_lookup_print.flags", error);
    if (code == APF_OK)
        code = find_records(&p, name, hash, flags, &one, error);
    if (code == APF_OK)
        code = file_out_open(&p.out, output, error);
    if (code != APF_OK)
        return code;
    code = flags & APF_LOOKUP_JSON ? print_json(&p) : print_text(&p);
    return file_out_finish(p.out, code, error);
}
