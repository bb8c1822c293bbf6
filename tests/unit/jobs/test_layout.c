/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sizes of structures whose layout is frozen, where pointers have 64 bits: programs have them compiled in. */
#include <anyprof/anyprof.h>

#include "helpers/shared/unit.h"

#define FROZEN(type, n) assert_int_equal(sizeof(struct type), n)

static void test_frozen(void **state)
{
    (void)state;
    if (sizeof(void *) != 8)
        skip();
    FROZEN(apf_str, 16);
    FROZEN(apf_error, 576);
    FROZEN(apf_buffer, 24);
    FROZEN(apf_value, 16);
    FROZEN(apf_site, 16);
    FROZEN(apf_trace, 24);
    FROZEN(apf_finding, 32);
    FROZEN(apf_target, 12);
    FROZEN(apf_summary_row, 24);
    FROZEN(apf_name_change, 32);
    FROZEN(apf_tolerance, 8);
    FROZEN(apf_fdata_location, 32);
    FROZEN(apf_bolt_yaml_edge, 40);
    FROZEN(apf_bolt_yaml_block, 80);
    FROZEN(apf_memprof_frame, 24);
    FROZEN(apf_memprof_summary, 48);
    FROZEN(apf_bat_place, 24);
    FROZEN(apf_probe_frame, 32);
    FROZEN(apf_probe_site, 16);
    FROZEN(apf_probe_hash, 12);
    FROZEN(apf_overlap_sums, 40);
    FROZEN(apf_diff_side, 88);
    FROZEN(apf_diff_total, 16);
    FROZEN(apf_file_part, 32);
    FROZEN(apf_file_number, 16);
}

TEST_FILE(layout)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frozen)};
    return RUN_TESTS(tests);
}
