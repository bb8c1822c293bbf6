/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_print.h"
#include "probe/probe_stats.h"

#define MOST_LEVELS ((size_t)24) /* deeper ones share a row */

static const struct {
    const char *text, *json;
} byte_kinds[APF_PROBE_BYTES_KINDS] = {
    [APF_PROBE_BYTES_GUIDS] = {"GUIDs", "guids"},
    [APF_PROBE_BYTES_COUNTS] = {"counts", "counts"},
    [APF_PROBE_BYTES_CALL_SITES] = {"call sites", "call_sites"},
    [APF_PROBE_BYTES_INDEXES] = {"indexes", "indexes"},
    [APF_PROBE_BYTES_TYPES] = {"types", "types"},
    [APF_PROBE_BYTES_DISTANCES] = {"distances", "distances"},
    [APF_PROBE_BYTES_ADDRESSES] = {"addresses", "addresses"},
    [APF_PROBE_BYTES_DISCRIMINATORS] = {"discriminators", "discriminators"},
    [APF_PROBE_BYTES_SENTINELS] = {"sentinels", "sentinels"},
};

/* ---- text ---- */

#define NUMBER_WIDTH 12u

static void write_count(struct probe_printer *pr, uint64_t n, const char *what)
{
    text_decimal(pr->out, n, NUMBER_WIDTH);
    text_append(pr->out, "  ");
    text_append(pr->out, what);
    text_append(pr->out, "\n");
}

static void write_bytes(struct probe_printer *pr, uint64_t n)
{
    const struct apf_probes_info *info = &pr->probes->info;
    text_decimal(pr->out, n, NUMBER_WIDTH);
    text_share(pr->out, n, info->probe_bytes, 6);
    text_append(pr->out, " %");
    text_share(pr->out, n, info->file_bytes, 6);
    text_append(pr->out, " %  ");
}

static void write_sections(struct probe_printer *pr)
{
    const struct apf_probes_info *info = &pr->probes->info;
    text_append(pr->out, "       Bytes   of file  Section\n");
    for (int descs = 0; descs < 2; descs++) {
        uint64_t bytes = descs ? info->desc_bytes : info->probe_bytes;
        uint32_t n = descs ? info->n_desc_sections : info->n_probe_sections;
        text_decimal(pr->out, bytes, NUMBER_WIDTH);
        text_share(pr->out, bytes, info->file_bytes, 6);
        text_append(pr->out, descs ? " %  .pseudo_probe_desc" : " %  .pseudo_probe");
        if (n != 1) {
            text_append(pr->out, " (");
            text_decimal(pr->out, n, 0);
            text_append(pr->out, " sections)");
        }
        text_append(pr->out, "\n");
    }
}

static void write_counts(struct probe_printer *pr, const struct probe_stats *stats)
{
    const struct apf_probes_info *info = &pr->probes->info;
    text_append(pr->out, "\n       Count  What\n");
    write_count(pr, info->n_descs, "descriptors");
    write_count(pr, stats->without_probes, "of these without probes: not compiled into this file");
    write_count(pr, stats->functions, "functions with probes");
    write_count(pr, stats->without_descs, "of these without a descriptor");
    write_count(pr, info->n_records, "top-level records");
    write_count(pr, info->n_sentinels, "sentinels: records of code with another symbol");
    write_count(pr, stats->inlined, "inlined copies of functions");
    write_count(pr, stats->unknown_sites, "of these at an unknown call site");
    write_count(pr, stats->no_probes, "records and copies without probes of their own");
    write_count(pr, info->n_probes, "probes");
    for (uint8_t i = 0; i < STATS_TYPES; i++) {
        const char *name = probe_type_name(i);
        if (!name && stats->types[i] == 0)
            continue;
        text_decimal(pr->out, stats->types[i], NUMBER_WIDTH);
        text_append(pr->out, "  of these of type ");
        text_append(pr->out, name ? name : "");
        if (!name)
            text_decimal(pr->out, i, 0);
        text_append(pr->out, "\n");
    }
    write_count(pr, stats->discriminators, "of these with a discriminator");
    write_count(pr, stats->unplaced, "of these without an address");
}

static void write_kinds(struct probe_printer *pr)
{
    text_append(pr->out, "\n       Bytes of section  of file  Part\n");
    for (size_t i = 0; i < APF_PROBE_BYTES_KINDS; i++) {
        write_bytes(pr, pr->probes->info.bytes[i]);
        text_append(pr->out, byte_kinds[i].text);
        text_append(pr->out, "\n");
    }
}

static void write_levels(struct probe_printer *pr, const struct probe_stats *stats)
{
    text_append(pr->out, "\n       Nodes      Probes       Bytes  Inlined so deep\n");
    for (size_t i = 0; i < stats->n_levels;) {
        struct stats_level sum = {0, 0, 0};
        size_t from = i, end = i < MOST_LEVELS ? i + 1 : stats->n_levels;
        for (; i < end; i++) {
            sum.nodes += stats->levels[i].nodes;
            sum.probes += stats->levels[i].probes;
            sum.bytes += stats->levels[i].bytes;
        }
        text_decimal(pr->out, sum.nodes, NUMBER_WIDTH);
        text_decimal(pr->out, sum.probes, NUMBER_WIDTH);
        text_decimal(pr->out, sum.bytes, NUMBER_WIDTH);
        text_append(pr->out, "  ");
        text_decimal(pr->out, from, 0);
        if (end - from > 1) {
            text_append(pr->out, " to ");
            text_decimal(pr->out, end - 1, 0);
        }
        text_append(pr->out, "\n");
    }
}

static void write_copies(struct probe_printer *pr, const struct probe_stats *stats)
{
    text_append(pr->out, "\n   Probe ids  Within one copy of the function  Probes that have the same id\n");
    for (size_t i = 0; i < STATS_COPIES; i++) {
        if (!stats->copies[i] && !stats->copies_local[i])
            continue;
        text_decimal(pr->out, stats->copies[i], NUMBER_WIDTH);
        text_decimal(pr->out, stats->copies_local[i], 33);
        text_append(pr->out, "  ");
        text_decimal(pr->out, stats_class_start(i), 0);
        if (stats_class_start(i + 1) - stats_class_start(i) > 1) {
            text_append(pr->out, " to ");
            text_decimal(pr->out, stats_class_start(i + 1) - 1, 0);
        }
        text_append(pr->out, "\n");
    }
}

static void write_largest(struct probe_printer *pr, const struct probe_stats *stats)
{
    text_append(pr->out, "\n       Bytes of section  of file    Probes    Copies  Function\n");
    for (size_t i = 0; i < stats->n_largest; i++) {
        const struct stats_function *f = &stats->largest[i];
        write_bytes(pr, f->bytes);
        text_decimal(pr->out, f->probes, 8);
        text_decimal(pr->out, f->copies, 10);
        text_append(pr->out, "  ");
        probe_text_function(pr, apf_probes_name(pr->probes, f->guid), f->guid);
        text_append(pr->out, "\n");
    }
}

bool probe_text_stats(struct probe_printer *pr)
{
    struct probe_stats stats;
    if (!probe_count(&stats, pr->probes, &pr->arena))
        return false;
    write_sections(pr);
    write_counts(pr, &stats);
    write_kinds(pr);
    write_levels(pr, &stats);
    write_copies(pr, &stats);
    write_largest(pr, &stats);
    return true;
}

/* ---- JSON ---- */

static void write_totals_json(struct json_writer *w, const struct apf_probes_info *info,
                              const struct probe_stats *stats)
{
    json_key(w, "totals");
    json_object_begin(w);
    json_entry_u64(w, "file_bytes", info->file_bytes);
    json_entry_u64(w, "probe_bytes", info->probe_bytes);
    json_entry_u64(w, "probe_sections", info->n_probe_sections);
    json_entry_u64(w, "desc_bytes", info->desc_bytes);
    json_entry_u64(w, "desc_sections", info->n_desc_sections);
    json_entry_u64(w, "descriptors", info->n_descs);
    json_entry_u64(w, "descriptors_without_probes", stats->without_probes);
    json_entry_u64(w, "functions", stats->functions);
    json_entry_u64(w, "functions_without_descriptor", stats->without_descs);
    json_entry_u64(w, "records", info->n_records);
    json_entry_u64(w, "sentinels", info->n_sentinels);
    json_entry_u64(w, "inlined", stats->inlined);
    json_entry_u64(w, "inlined_at_unknown_sites", stats->unknown_sites);
    json_entry_u64(w, "nodes_without_probes", stats->no_probes);
    json_entry_u64(w, "probes", info->n_probes);
    json_entry_u64(w, "probe_ids", stats->ids);
    json_entry_u64(w, "discriminators", stats->discriminators);
    json_entry_u64(w, "unplaced", stats->unplaced);
    json_object_end(w);
}

static void write_bytes_json(struct json_writer *w, const struct apf_probes_info *info)
{
    json_key(w, "bytes");
    json_object_begin(w);
    for (size_t i = 0; i < APF_PROBE_BYTES_KINDS; i++)
        json_entry_u64(w, byte_kinds[i].json, info->bytes[i]);
    json_object_end(w);
}

static void write_types_json(struct json_writer *w, const struct probe_stats *stats)
{
    json_key(w, "types");
    json_array_begin(w);
    for (uint8_t i = 0; i < STATS_TYPES; i++) {
        if (!probe_type_name(i) && stats->types[i] == 0)
            continue;
        json_line_object(w);
        probe_json_type(w, i);
        json_entry_u64(w, "probes", stats->types[i]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_levels_json(struct json_writer *w, const struct probe_stats *stats)
{
    json_key(w, "depths");
    json_array_begin(w);
    for (size_t i = 0; i < stats->n_levels; i++) {
        json_line_object(w);
        json_entry_u64(w, "depth", i);
        json_entry_u64(w, "nodes", stats->levels[i].nodes);
        json_entry_u64(w, "probes", stats->levels[i].probes);
        json_entry_u64(w, "bytes", stats->levels[i].bytes);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_copies_json(struct json_writer *w, const struct probe_stats *stats)
{
    json_key(w, "copies");
    json_array_begin(w);
    for (size_t i = 0; i < STATS_COPIES; i++) {
        if (!stats->copies[i] && !stats->copies_local[i])
            continue;
        json_line_object(w);
        json_entry_u64(w, "from", stats_class_start(i));
        json_entry_u64(w, "to", stats_class_start(i + 1) - 1);
        json_entry_u64(w, "probe_ids", stats->copies[i]);
        json_entry_u64(w, "probe_ids_in_one_node", stats->copies_local[i]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_largest_json(struct probe_printer *pr, const struct probe_stats *stats)
{
    struct json_writer *w = pr->json;
    json_key(w, "largest");
    json_array_begin(w);
    for (size_t i = 0; i < stats->n_largest; i++) {
        const struct stats_function *f = &stats->largest[i];
        json_line_object(w);
        json_entry_hash(w, "guid", f->guid);
        probe_json_function(pr, apf_probes_name(pr->probes, f->guid));
        json_entry_u64(w, "bytes", f->bytes);
        json_entry_u64(w, "probes", f->probes);
        json_entry_u64(w, "copies", f->copies);
        json_entry_u64(w, "inlined", f->inlined);
        json_object_end(w);
    }
    json_array_end(w);
}

bool probe_json_stats(struct probe_printer *pr)
{
    struct probe_stats stats;
    struct json_writer *w = pr->json;
    if (!probe_count(&stats, pr->probes, &pr->arena))
        return false;
    probe_json_begin(pr, "anyprof-probe-stats/1");
    write_totals_json(w, &pr->probes->info, &stats);
    write_bytes_json(w, &pr->probes->info);
    write_types_json(w, &stats);
    write_levels_json(w, &stats);
    write_copies_json(w, &stats);
    write_largest_json(pr, &stats);
    json_object_end(w);
    return true;
}
