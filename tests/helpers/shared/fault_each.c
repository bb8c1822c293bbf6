/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "helpers/shared/fault_each.h"

#include <stdio.h>

#include "helpers/shared/unit.h"

unsigned fault_each(fault_attempt *attempt, enum fault_call call, int sys_errno, int expected)
{
    struct apf_error error;
    unsigned failed = 0;
    const char *path = temp_path("out");
    for (uint64_t k = 1;; k++) {
        fault_fail(call, k, sys_errno);
        int code = attempt(path, &error);
        bool hit = fault_hit();
        fault_reset();
        if (!hit) {
            assert_int_equal(code, APF_OK);
            assert_int_equal(dir_entries(temp_dir), 1);
            remove(path);
            return failed;
        }
        if (code == APF_OK) { /* the call is not essential */
            remove(path);
            continue;
        }
        assert_int_equal(code, expected);
        assert_int_equal(error.code, expected);
        assert_int_equal(dir_entries(temp_dir), 0);
        failed++;
    }
}
