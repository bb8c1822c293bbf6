/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a profile in YAML as LLVM's tools lay it out: byte for byte what llvm-bolt writes. */
#include "base/text_append.h"
#include "base/yaml_text.h"
#include "bolt/bolt_yaml_model.h"

/* ---- lines ---- */

static void write_line(struct file_out *out, const char *indent, const char *key, const char *value)
{
    yaml_write_key(out, indent, key);
    text_append(out, value);
    text_append(out, "\n");
}

static void write_hash(struct file_out *out, const char *indent, uint64_t v)
{
    yaml_write_key(out, indent, "hash");
    text_append(out, "0x");
    yaml_write_hex_upper(out, v, hex_digits(v));
    text_append(out, "\n");
}

/* Writes the verbatim lines about probes. */
static void write_verbatim(struct file_out *out, const char *indent, struct apf_str lines)
{
    while (lines.n) {
        const char *end = (const char *)memchr(lines.p, '\n', lines.n);
        size_t n = end ? (size_t)(end - lines.p) : lines.n;
        text_append(out, indent);
        (void)file_out_write(out, lines.p, n);
        text_append(out, "\n");
        n += end != NULL;
        lines.p += n;
        lines.n -= n;
    }
}

/* ---- parts of a profile ---- */

static void write_field(struct file_out *out, const char *key, uint64_t v)
{
    text_append(out, key);
    text_decimal(out, v, 0);
}

static void write_optional(struct file_out *out, const char *key, uint64_t v)
{
    if (v)
        write_field(out, key, v);
}

static void write_call(struct file_out *out, const struct apf_bolt_yaml_edge *e)
{
    text_append(out, "{ off: 0x");
    yaml_write_hex_upper(out, e->offset, hex_digits(e->offset));
    write_field(out, ", fid: ", e->to);
    write_optional(out, ", disc: ", e->entry);
    write_field(out, ", cnt: ", e->count);
    write_optional(out, ", mis: ", e->mispredictions);
    write_optional(out, ", pp: ", e->probe);
    write_optional(out, ", ppn: ", e->node);
    text_append(out, e->indirect ? ", ind: true" : "");
    text_append(out, " }");
}

static void write_successor(struct file_out *out, const struct apf_bolt_yaml_edge *e)
{
    write_field(out, "{ bid: ", e->to);
    write_field(out, ", cnt: ", e->count);
    write_optional(out, ", mis: ", e->mispredictions);
    text_append(out, " }");
}

static void write_edges(struct file_out *out, const struct yaml_edges *list, const char *key, bool calls)
{
    if (list->n == 0)
        return;
    yaml_write_key(out, "        ", key);
    for (size_t i = 0; i < list->n; i++) {
        text_append(out, i ? ", " : "[ ");
        if (calls)
            write_call(out, &list->data[i]);
        else
            write_successor(out, &list->data[i]);
    }
    text_append(out, " ]\n");
}

static void write_block(struct file_out *out, const struct yaml_block *b)
{
    static const char indent[] = "        ";
    yaml_write_number_line(out, "      - ", "bid", b->index);
    yaml_write_number_line(out, indent, "insns", b->n_instructions);
    if (b->hash)
        write_hash(out, indent, b->hash);
    if (b->exec)
        yaml_write_number_line(out, indent, "exec", b->exec);
    if (b->events)
        yaml_write_number_line(out, indent, "events", b->events);
    write_edges(out, &b->calls, "calls", true);
    write_edges(out, &b->successors, "succ", false);
    write_verbatim(out, indent, b->probes);
}

static void write_function(struct file_out *out, const struct yaml_function *f)
{
    static const char indent[] = "    ";
    yaml_write_text_line(out, "  - ", "name", f->name);
    yaml_write_number_line(out, indent, "fid", f->fid);
    write_hash(out, indent, f->hash);
    yaml_write_number_line(out, indent, "exec", f->exec);
    if (f->entered)
        yaml_write_number_line(out, indent, "extern", f->entered);
    yaml_write_number_line(out, indent, "nblocks", f->n_all_blocks);
    if (f->n)
        text_append(out, "    blocks:\n");
    for (size_t i = 0; i < f->n; i++)
        write_block(out, &f->blocks[i]);
    write_verbatim(out, indent, f->probes);
}

static void write_flags(struct file_out *out, uint32_t flags)
{
    static const char *const names[] = {"lbr", "sample", "memevent"};
    bool some = false;
    yaml_write_key(out, "  ", "profile-flags");
    text_append(out, "[ ");
    for (unsigned i = 0; i < 3; i++) {
        if (!(flags >> i & 1))
            continue;
        text_append(out, some ? ", " : "");
        text_append(out, names[i]);
        some = true;
    }
    text_append(out, " ]\n");
}

static void write_header(struct file_out *out, const struct apf_bolt_yaml_header *h)
{
    static const char indent[] = "  ";
    text_append(out, "---\nheader:\n");
    write_line(out, indent, "profile-version", "1");
    yaml_write_text_line(out, indent, "binary-name", h->binary_name);
    yaml_write_text_line(out, indent, "binary-build-id", h->build_id);
    write_flags(out, h->flags);
    yaml_write_text_line(out, indent, "profile-origin", h->origin);
    yaml_write_text_line(out, indent, "profile-events", h->events);
    if (h->order != APF_BOLT_ORDER_UNSAID)
        write_line(out, indent, "dfs-order", h->order == APF_BOLT_ORDER_DFS ? "true" : "false");
    if (h->hash == APF_BOLT_XXH3)
        write_line(out, indent, "hash-func", "xxh3");
}

int apf_bolt_yaml_write(struct apf_bolt_yaml *y, const struct apf_output *output, struct apf_error *error)
{
    struct apf_bolt_yaml_header header = {.size = sizeof header};
    struct file_out *out;
    int code = apf_bolt_yaml_header(y, &header, error);
    if (code == APF_OK)
        code = file_out_open(&out, output, error);
    if (code != APF_OK)
        return code;
    write_header(out, &header);
    text_append(out, y->order.n ? "functions:\n" : "functions:       []\n");
    for (size_t i = 0; i < y->order.n; i++)
        write_function(out, yaml_function_at(y, i));
    if (!y->info.probes_dropped && y->header.desc.n) {
        text_append(out, "pseudo_probe_desc:\n");
        write_verbatim(out, "  ", y->header.desc);
    }
    text_append(out, "...\n");
    return file_out_close(out, true, error);
}
