/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_funnel.h"

struct entry {
    const char *name;
    uint64_t number;
};

static void write_numbers(struct json_writer *w, const char *name, const struct entry *entries, size_t n)
{
    json_key(w, name);
    json_line_object(w);
    for (size_t i = 0; i < n; i++)
        json_entry_u64(w, entries[i].name, entries[i].number);
    json_object_end(w);
}

#define WRITE(name, ...)                                                                                     \
    write_numbers(w, name, (const struct entry[]){__VA_ARGS__},                                              \
                  sizeof((const struct entry[]){__VA_ARGS__}) / sizeof(struct entry))

static void write_stacks(const struct apf_profgen_funnel *f, struct json_writer *w)
{
    WRITE("stacks", {"seen", f->stacks}, {"elsewhere", f->stacks_elsewhere});
    WRITE("branches", {"left_out", f->branches_left_out}, {"seen", f->branches},
          {"elsewhere", f->branches_elsewhere}, {"in", f->branches_in}, {"out", f->branches_out},
          {"kernel", f->branches_kernel}, {"misplaced", f->branches_misplaced});
    WRITE("ranges", {"seen", f->ranges}, {"elsewhere", f->ranges_elsewhere}, {"broken", f->ranges_broken},
          {"misplaced", f->ranges_misplaced}, {"nowhere", f->ranges_nowhere}, {"named", f->ranges_named},
          {"crossing", f->ranges_crossing}, {"jumping", f->ranges_jumping});
    WRITE("call_stacks", {"seen", f->calls_stacks}, {"empty", f->calls_none}, {"unready", f->calls_unready},
          {"cut", f->calls_cut}, {"long", f->calls_long}, {"elsewhere", f->calls_elsewhere},
          {"broken", f->calls_broken}, {"mismatched", f->calls_mismatched});
}

static void write_profile(const struct apf_profgen_funnel *f, struct json_writer *w)
{
    WRITE("calls", {"seen", f->calls}, {"unplaced", f->calls_unplaced});
    WRITE("counts", {"seen", f->counts}, {"unplaced", f->counts_unplaced});
    WRITE("contexts", {"cut", f->contexts_cut}, {"long", f->contexts_long},
          {"unsearched", f->contexts_unsearched}, {"dropped", f->contexts_dropped},
          {"dropped_counts", f->contexts_dropped_counts}, {"cold", f->contexts_cold},
          {"cold_counts", f->contexts_cold_counts}, {"refused", f->contexts_refused},
          {"refused_counts", f->contexts_refused_counts});
    WRITE("accesses", {"seen", f->accesses}, {"elsewhere", f->accesses_elsewhere},
          {"unplaced", f->accesses_unplaced});
    json_entry_u64(w, "inlining_cut", f->inlining_cut);
    json_entry_u64(w, "units_missing", f->units_missing);
    json_entry_u64(w, "tables_damaged", f->tables_damaged);
}

void profgen_funnel_write(const struct apf_profgen_funnel *f, const char *debug_file, struct json_writer *w)
{
    json_entry_string(w, "debug_file", debug_file);
    WRITE("samples", {"seen", f->samples}, {"unwanted", f->samples_unwanted},
          {"no_stack", f->samples_no_stack}, {"elsewhere", f->samples_elsewhere},
          {"unplaced", f->samples_unplaced}, {"damaged", f->samples_damaged}, {"lost", f->samples_lost});
    json_entry_bool(w, "plain_samples", f->samples_plain);
    json_entry_u64(w, "processes", f->processes);
    json_entry_bool(w, "cut", f->cut);
    json_entry_bool(w, "no_build_id", f->no_build_id);
    json_entry_bool(w, "other_build", f->other_build);
    json_key(w, "text");
    json_line_object(w);
    json_entry_bool(w, "unmapped", f->unmapped);
    json_entry_u64(w, "bad_lines", f->bad_lines);
    json_entry_u64(w, "first_bad_line", f->first_bad_line);
    json_entry_u64(w, "bad_mappings", f->bad_mappings);
    json_entry_u64(w, "moved_mappings", f->moved_mappings);
    json_object_end(w);
    WRITE("bolt", {"seen", f->bolt_branches}, {"moved", f->bolt_moved}, {"unknown", f->bolt_unknown},
          {"removed", f->bolt_removed}, {"added", f->bolt_added}, {"inlined", f->bolt_inlined},
          {"lost", f->bolt_lost});
    write_stacks(f, w);
    write_profile(f, w);
}
