/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout of structures that are frozen, where pointers have 64 bits: programs have it compiled in. */
#include <anyprof/anyprof.h>

#include "helpers/shared/unit.h"

/* A size or an offset, and what it is for good. */
struct pin {
    const char *what;
    size_t is, pinned;
};

#define FROZEN(type, size) {"sizeof " #type, sizeof(struct type), size}
#define FIELD(type, field, offset) {#type "." #field, offsetof(struct type, field), offset}

static const struct pin layout[] = {
    FROZEN(apf_str, 16),
    FIELD(apf_str, p, 0),
    FIELD(apf_str, n, 8),
    FROZEN(apf_error, 576),
    FIELD(apf_error, code, 0),
    FIELD(apf_error, sys_errno, 4),
    FIELD(apf_error, offset, 8),
    FIELD(apf_error, found, 16),
    FIELD(apf_error, expected, 24),
    FIELD(apf_error, input, 32),
    FIELD(apf_error, line, 40),
    FIELD(apf_error, column, 44),
    FIELD(apf_error, where, 48),
    FIELD(apf_error, message, 56),
    FIELD(apf_error, subject, 296),
    FIELD(apf_error, reserved_bits, 300),
    FIELD(apf_error, reserved, 304),
    FIELD(apf_error, file, 320),
    FROZEN(apf_buffer, 24),
    FIELD(apf_buffer, data, 0),
    FIELD(apf_buffer, n, 8),
    FIELD(apf_buffer, capacity, 16),
    FROZEN(apf_value, 16),
    FIELD(apf_value, value, 0),
    FIELD(apf_value, count, 8),
    FROZEN(apf_site, 16),
    FIELD(apf_site, values, 0),
    FIELD(apf_site, n, 8),
    FROZEN(apf_trace, 24),
    FIELD(apf_trace, weight, 0),
    FIELD(apf_trace, ids, 8),
    FIELD(apf_trace, n, 16),
    FROZEN(apf_finding, 32),
    FIELD(apf_finding, severity, 0),
    FIELD(apf_finding, code, 4),
    FIELD(apf_finding, n, 8),
    FIELD(apf_finding, where, 16),
    FIELD(apf_finding, text, 24),
    FROZEN(apf_target, 12),
    FIELD(apf_target, kind, 0),
    FIELD(apf_target, release, 4),
    FIELD(apf_target, version, 8),
    FROZEN(apf_summary_row, 24),
    FIELD(apf_summary_row, cutoff, 0),
    FIELD(apf_summary_row, min_count, 8),
    FIELD(apf_summary_row, n_blocks, 16),
    FROZEN(apf_name_change, 32),
    FIELD(apf_name_change, from, 0),
    FIELD(apf_name_change, to, 16),
    FROZEN(apf_tolerance, 8),
    FIELD(apf_tolerance, mode, 0),
    FIELD(apf_tolerance, max_loss, 4),
    FROZEN(apf_fdata_location, 32),
    FIELD(apf_fdata_location, name, 0),
    FIELD(apf_fdata_location, offset, 16),
    FIELD(apf_fdata_location, symbol, 24),
    FIELD(apf_fdata_location, reserved, 28),
    FROZEN(apf_bolt_yaml_edge, 40),
    FIELD(apf_bolt_yaml_edge, count, 0),
    FIELD(apf_bolt_yaml_edge, mispredictions, 8),
    FIELD(apf_bolt_yaml_edge, to, 16),
    FIELD(apf_bolt_yaml_edge, offset, 20),
    FIELD(apf_bolt_yaml_edge, entry, 24),
    FIELD(apf_bolt_yaml_edge, probe, 28),
    FIELD(apf_bolt_yaml_edge, node, 32),
    FIELD(apf_bolt_yaml_edge, indirect, 36),
    FROZEN(apf_bolt_yaml_block, 80),
    FIELD(apf_bolt_yaml_block, hash, 0),
    FIELD(apf_bolt_yaml_block, exec, 8),
    FIELD(apf_bolt_yaml_block, events, 16),
    FIELD(apf_bolt_yaml_block, index, 24),
    FIELD(apf_bolt_yaml_block, n_instructions, 28),
    FIELD(apf_bolt_yaml_block, n_calls, 32),
    FIELD(apf_bolt_yaml_block, n_successors, 40),
    FIELD(apf_bolt_yaml_block, calls, 48),
    FIELD(apf_bolt_yaml_block, successors, 56),
    FIELD(apf_bolt_yaml_block, probes, 64),
    FROZEN(apf_memprof_frame, 24),
    FIELD(apf_memprof_frame, function, 0),
    FIELD(apf_memprof_frame, line_offset, 8),
    FIELD(apf_memprof_frame, column, 12),
    FIELD(apf_memprof_frame, is_inline, 16),
    FIELD(apf_memprof_frame, reserved, 20),
    FROZEN(apf_memprof_summary, 48),
    FIELD(apf_memprof_summary, contexts, 0),
    FIELD(apf_memprof_summary, cold_contexts, 8),
    FIELD(apf_memprof_summary, hot_contexts, 16),
    FIELD(apf_memprof_summary, max_cold_size, 24),
    FIELD(apf_memprof_summary, max_warm_size, 32),
    FIELD(apf_memprof_summary, max_hot_size, 40),
    FROZEN(apf_bat_place, 24),
    FIELD(apf_bat_place, address, 0),
    FIELD(apf_bat_place, fragment, 8),
    FIELD(apf_bat_place, function, 12),
    FIELD(apf_bat_place, offset, 16),
    FIELD(apf_bat_place, flags, 20),
    FROZEN(apf_probe_frame, 32),
    FIELD(apf_probe_frame, guid, 0),
    FIELD(apf_probe_frame, call_probe, 8),
    FIELD(apf_probe_frame, node, 12),
    FIELD(apf_probe_frame, name, 16),
    FROZEN(apf_probe_site, 16),
    FIELD(apf_probe_site, guid, 0),
    FIELD(apf_probe_site, call_probe, 8),
    FROZEN(apf_probe_hash, 12),
    FIELD(apf_probe_hash, calls, 0),
    FIELD(apf_probe_hash, edges, 4),
    FIELD(apf_probe_hash, crc, 8),
    FROZEN(apf_overlap_sums, 40),
    FIELD(apf_overlap_sums, n, 0),
    FIELD(apf_overlap_sums, edges, 8),
    FIELD(apf_overlap_sums, values, 16),
    FROZEN(apf_diff_side, 88),
    FIELD(apf_diff_side, name, 0),
    FIELD(apf_diff_side, id, 16),
    FIELD(apf_diff_side, hash, 24),
    FIELD(apf_diff_side, share, 32),
    FIELD(apf_diff_side, count, 40),
    FIELD(apf_diff_side, n_counts, 48),
    FIELD(apf_diff_side, n_bitmap, 56),
    FIELD(apf_diff_side, n_sites, 64),
    FROZEN(apf_diff_total, 16),
    FIELD(apf_diff_total, n, 0),
    FIELD(apf_diff_total, effect, 8),
    FROZEN(apf_file_part, 32),
    FIELD(apf_file_part, name, 0),
    FIELD(apf_file_part, offset, 8),
    FIELD(apf_file_part, size, 16),
    FIELD(apf_file_part, profile, 24),
    FROZEN(apf_file_number, 16),
    FIELD(apf_file_number, name, 0),
    FIELD(apf_file_number, n, 8),
};

static void test_frozen(void **state)
{
    (void)state;
    if (sizeof(void *) != 8)
        skip();
    for (size_t i = 0; i < COUNT(layout); i++)
        if (layout[i].is != layout[i].pinned)
            fail_msg("%s: %zu, not %zu", layout[i].what, layout[i].is, layout[i].pinned);
}

TEST_FILE(layout)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frozen)};
    return RUN_TESTS(tests);
}
